import type { ChannelTemplate } from '../api/chats.ts'
import type { Media, Message, Template } from '../api/messages.ts'

/**
 * A template taken apart, from its definition as Meta writes it, and what a message gives for it. What is not known here is
 * named in `beyond`: no field of the form (text, file, place) can hold it.
 */
export type TemplateParts = {
  header: HeaderPart
  body: string
  footer: string
  buttons: readonly ButtonPart[]
  /** What a blank was filled with when the template was approved. */
  examples: { header: Examples; body: Examples }
  beyond: Beyond | null
}

type Examples = Readonly<Record<string, string>>

export type HeaderFile = 'image' | 'video' | 'document'
type HeaderPart =
  | { kind: 'none' }
  | { kind: 'text'; text: string }
  | { kind: 'file'; type: HeaderFile }
  | { kind: 'place' }
  | { kind: 'unknown'; format: string }

/** The label is empty where the phone writes its own, as it does on a code to copy. */
export type ButtonPart = { type: string; label: string; url: string }
type Beyond = { what: 'carousel' | 'offer' | 'header' | 'button'; kind: string }

type Json = Record<string, unknown>

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** What is no object has no members. */
export const membersOf = (value: unknown): Json => (isRecord(value) ? value : {})
const recordsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const wordOf = (value: unknown): string => textOf(value).toLowerCase()

export function partsOf({ components }: Pick<ChannelTemplate, 'components'>): TemplateParts {
  const find = (type: string) => components.find((component) => wordOf(component.type) === type)
  const header = headerOf(find('header'))
  const buttons = recordsOf(find('buttons')?.buttons).map(buttonOf)
  return {
    header,
    body: textOf(find('body')?.text),
    footer: textOf(find('footer')?.text),
    buttons,
    examples: { header: examplesOf(find('header'), 'header'), body: examplesOf(find('body'), 'body') },
    beyond: beyondOf(header, buttons, { hasCards: !!find('carousel'), hasOffer: !!find('limited_time_offer') }),
  }
}

const FILES: readonly HeaderFile[] = ['image', 'video', 'document']

function headerOf(component: Json | undefined): HeaderPart {
  if (component === undefined) return { kind: 'none' }
  const format = wordOf(component.format)
  if (format === 'text') return { kind: 'text', text: textOf(component.text) }
  if (format === 'location') return { kind: 'place' }
  const type = FILES.find((file) => file === format)
  return type === undefined ? { kind: 'unknown', format } : { kind: 'file', type }
}

/** By the name of the blank. Numbered ones have theirs in order, which Meta lists once more for a body. */
function examplesOf(component: Json | undefined, part: 'header' | 'body'): Examples {
  const { [`${part}_text`]: numbered, [`${part}_text_named_params`]: named } = membersOf(component?.example)
  const inOrder = Array.isArray(numbered) ? numbered.flat() : []
  return Object.fromEntries([
    ...inOrder.map((example, index) => [String(index + 1), textOf(example)]),
    ...recordsOf(named).map(({ param_name: name, example }) => [textOf(name), textOf(example)]),
  ])
}

const buttonOf = ({ type, text, url }: Json): ButtonPart => ({
  type: wordOf(type),
  label: textOf(text),
  url: textOf(url),
})

/** Those that can be filled in, and those that take nothing. */
const KNOWN_BUTTONS = ['quick_reply', 'url', 'copy_code', 'otp', 'flow', 'catalog', 'mpm', 'phone_number', 'voice_call']

function beyondOf(
  header: HeaderPart,
  buttons: readonly ButtonPart[],
  { hasCards, hasOffer }: { hasCards: boolean; hasOffer: boolean },
): Beyond | null {
  const strange = buttons.find(({ type }) => !KNOWN_BUTTONS.includes(type))
  if (hasCards) return { what: 'carousel', kind: '' }
  if (hasOffer) return { what: 'offer', kind: '' }
  if (header.kind === 'unknown') return { what: 'header', kind: header.format }
  return strange === undefined ? null : { what: 'button', kind: strange.type }
}

const BLANK = /\{\{\s*(\w+)\s*\}\}/g

/** The blanks of a text. Numbered ones in the order of their numbers, whatever order the language puts them in. */
export const blanksOf = (text: string): string[] => {
  const names = [...new Set([...text.matchAll(BLANK)].map(([, name = '']) => name))]
  return names.every(isNumbered) ? names.sort((one, other) => Number(one) - Number(other)) : names
}

export const isNumbered = (blank: string) => /^\d+$/.test(blank)

/** With what is given in its blanks, by name or by place. One that is still open stays to be seen. */
export const filledText = (text: string, parameters: readonly Json[]): string => {
  const names = blanksOf(text)
  const given = (name: string) =>
    parameters.find(({ parameter_name }) => parameter_name === name) ??
    parameters.filter(({ parameter_name }) => parameter_name === undefined)[names.indexOf(name)]
  return text.replaceAll(BLANK, (blank, name: string) => wordsOf(given(name)) || blank)
}

/** A text as it is, money and a moment as they read where the phone cannot write them itself. */
const wordsOf = (parameter: Json | undefined): string => {
  const { text, currency, date_time: moment } = parameter ?? {}
  const shaped = isRecord(currency) ? currency : isRecord(moment) ? moment : {}
  return textOf(text) || textOf(shaped.fallback_value)
}

export const parametersOf = ({ components = [] }: Template, part: 'header' | 'body'): Json[] =>
  recordsOf(components.find(({ type }) => wordOf(type) === part)?.parameters)

/** All the words that fill a text whose definition is not known. */
export const wordsGiven = (template: Template): string => parametersOf(template, 'body').map(wordsOf).join(' · ')

type HeaderGiven = { type: HeaderFile; media: Media } | { type: 'location'; location: NonNullable<Message['location']> }

/** The file or the place that a message brings for the header. */
export function headerGiven(template: Template): HeaderGiven | null {
  const [parameter = {}] = parametersOf(template, 'header')
  const type = FILES.find((file) => isRecord(parameter[file]))
  if (type !== undefined) return { type, media: parameter[type] as Media }
  const { location } = parameter
  const isPlace = isRecord(location) && typeof location.latitude === 'number' && typeof location.longitude === 'number'
  return isPlace ? { type: 'location', location: location as NonNullable<Message['location']> } : null
}

/** What a button brings that the customer gets to see: the whole address, or the code that is copied. */
export function buttonDetail({ url, type }: ButtonPart, index: number, { components = [] }: Template): string {
  const given = components.find((one) => wordOf(one.type) === 'button' && String(one.index) === String(index))
  const parameters = recordsOf(given?.parameters)
  if (type === 'url') return filledText(url, parameters)
  const { coupon_code: code, text } = membersOf(parameters[0])
  return textOf(code) || textOf(text)
}
