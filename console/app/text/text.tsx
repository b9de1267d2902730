import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { english } from './en.ts'
import { indonesian } from './id.ts'
import type { Sentences } from './problems-id.ts'
import type { serverWords } from './server-id.ts'

/** Every word on the screen, in two languages. A sentence that is missing in one does not compile. */
export type TextKey = keyof typeof english
/** Whether there is a sentence for a name that the server chose. */
export const isTextKey = (key: string): key is TextKey => key in english
export type Language = 'en' | 'id'
type Values = Record<string, string | number>
export type Say = (key: TextKey, values?: Values) => string

const dictionaries: Record<Language, Record<TextKey, string>> = { en: english, id: indonesian }
const STORAGE_KEY = 'nexkit-language'

type ServerWords = typeof serverWords
type TextContextValue = {
  say: Say
  language: Language
  setLanguage(language: Language): void
  /** For what the server says. Null where its own words are read, and until these have come. */
  serverWords: ServerWords | null
}
const TextContext = createContext<TextContextValue | null>(null)

function firstLanguage(): Language {
  const kept = localStorage.getItem(STORAGE_KEY)
  if (kept === 'en' || kept === 'id') return kept
  return navigator.language.toLowerCase().startsWith('id') ? 'id' : 'en'
}

export function TextProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language
    localStorage.setItem(STORAGE_KEY, language)
  }, [language])
  const serverWords = useServerWordsOf(language)
  const value = useMemo(
    () => ({ language, setLanguage, say: sayIn(dictionaries[language]), serverWords }),
    [language, serverWords],
  )
  return <TextContext value={value}>{children}</TextContext>
}

/** Where they cannot be fetched, the server's own words are read. */
function useServerWordsOf(language: Language): ServerWords | null {
  const [words, setWords] = useState<ServerWords | null>(null)
  useEffect(() => {
    if (language === 'id')
      import('./server-id.ts').then(
        (module) => setWords(module.serverWords),
        () => {},
      )
  }, [language])
  return language === 'id' ? words : null
}

const BLANK = /\{(\w+)\}/g

const sayIn =
  (dictionary: Record<TextKey, string>): Say =>
  (key, values) =>
    values === undefined
      ? dictionary[key]
      : dictionary[key].replaceAll(BLANK, (_, name: string) => String(values[name] ?? ''))

/** For words that also stand inside of sentences, at the beginning of a line. */
export const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

/** A sentence of the server: its code, the English text, and the values in it. */
export type Coded = { code: string; detail: string; params?: Record<string, unknown> | undefined }

/** The translation for this code, when there is one for the values that came with it; otherwise the sentence of the server. */
export function sentenceIn(sentences: Sentences | undefined, { code, detail, params }: Coded): string {
  const values: Record<string, unknown> = { ...params, detail }
  const shown = (name: string) => shownValue(values[name])
  const sentence = [sentences?.[code] ?? []]
    .flat()
    .find((one) => [...one.matchAll(BLANK)].every(([, name = '']) => shown(name) !== ''))
  return sentence?.replaceAll(BLANK, (_, name: string) => shown(name)) ?? detail
}

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(shownValue).join(', ')
  if (typeof value === 'number') return value.toLocaleString('id-ID')
  return typeof value === 'string' ? value : ''
}

/** Why something failed that the server keeps on record: a message, a payment, a connection. */
export function useFailureSay(): (failure: Coded | null | undefined) => string {
  const { serverWords } = useText()
  return (failure) => (failure ? sentenceIn(serverWords?.failures, failure) : '')
}

export function useText(): TextContextValue {
  const value = use(TextContext)
  if (value === null) throw new Error('useText outside of TextProvider')
  return value
}

export const useSay = (): Say => useText().say
