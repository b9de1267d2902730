import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { english } from './en.ts'
import { indonesian } from './id.ts'

/** Every word on the screen, in two languages. A sentence that is missing in one does not compile. */
export type TextKey = keyof typeof english
export type Language = 'en' | 'id'
type Values = Record<string, string | number>
export type Say = (key: TextKey, values?: Values) => string

const dictionaries: Record<Language, Record<TextKey, string>> = { en: english, id: indonesian }
const STORAGE_KEY = 'nexkit-language'

type TextContextValue = { say: Say; language: Language; setLanguage(language: Language): void }
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
  const value = useMemo(() => ({ language, setLanguage, say: sayIn(dictionaries[language]) }), [language])
  return <TextContext value={value}>{children}</TextContext>
}

const sayIn =
  (dictionary: Record<TextKey, string>): Say =>
  (key, values) =>
    values === undefined
      ? dictionary[key]
      : dictionary[key].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))

export function useText(): TextContextValue {
  const value = use(TextContext)
  if (value === null) throw new Error('useText outside of TextProvider')
  return value
}

export const useSay = (): Say => useText().say
