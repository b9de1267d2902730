import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import type { english } from './en.ts'
import type { Sentences } from './problems-id.ts'
import type { serverWords } from './server-id.ts'

/** Every word on the screen, in two languages. A sentence that is missing in one does not compile. */
export type TextKey = keyof typeof english
export type Language = 'en' | 'id'
type Values = Record<string, string | number>
export type Say = (key: TextKey, values?: Values) => string

/** The pages before sign-in have a few words of their own; the pages behind it have all. */
export type Part = 'entrance' | 'inside'
type Dictionary = Partial<Record<TextKey, string>>

const STORAGE_KEY = 'nexkit-language'

export type Words = { language: Language; part: Part; dictionary: Dictionary }

/** A reader has one language, so only that one is fetched. */
const dictionaryOf: Record<Language, Record<Part, () => Promise<Dictionary>>> = {
  en: {
    entrance: async () => (await import('./en-entrance.ts')).entranceEnglish,
    inside: async () => (await import('./en.ts')).english,
  },
  id: {
    entrance: async () => (await import('./id-entrance.ts')).entranceIndonesian,
    inside: async () => (await import('./id.ts')).indonesian,
  },
}

/** The dictionary that is shown, for what is asked for outside of a component. */
let shown: Dictionary = {}

async function wordsOf(language: Language, part: Part): Promise<Words> {
  const dictionary = await dictionaryOf[language][part]()
  shown = dictionary
  return { language, part, dictionary }
}

/** Whether there is a sentence for a name that the server chose. */
export const isTextKey = (key: string): key is TextKey => key in shown

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

/** What the console is shown in first. */
export const firstWords = (part: Part): Promise<Words> => wordsOf(firstLanguage(), part)

/** Changes the language once its words have arrived; where they cannot be fetched, it stays as it is. */
export function TextProvider({ first, children }: { first: Words; children: ReactNode }) {
  const [{ language, part, dictionary }, setWords] = useState(first)
  useEffect(() => {
    document.documentElement.lang = language
    localStorage.setItem(STORAGE_KEY, language)
  }, [language])
  const serverWords = useServerWordsOf(language)
  const value = useMemo(
    () => ({
      language,
      setLanguage: (next: Language) => void wordsOf(next, part).then(setWords, () => {}),
      say: sayIn(dictionary),
      serverWords,
    }),
    [language, part, dictionary, serverWords],
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
  (dictionary: Dictionary): Say =>
  (key, values) => {
    const words = dictionary[key] ?? key
    return values === undefined ? words : words.replaceAll(BLANK, (_, name: string) => String(values[name] ?? ''))
  }

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
