import { once } from './Time.tsx'

const names = once((language) => new Intl.DisplayNames([language], { type: 'language' }))

/** The name of a language that WhatsApp knows by a code such as `en_US`. */
export const languageName = (code: string, language: string): string =>
  names(language).of(code.replace('_', '-')) ?? code
