import { isRecord } from '../content/content.ts'

/**
 * The parameters of a template, read from its definition as Meta writes it. Unknown parts ask for
 * nothing and take everything: only the network can judge them.
 */
export type TemplateBlanks = {
  header: HeaderBlank
  /** Names of the blanks in their order: `1`, `2`, … or words. */
  body: readonly string[]
  buttons: readonly ButtonBlank[]
  /** Null where the template has no carousel. */
  cards: readonly TemplateBlanks[] | null
}

export type HeaderBlank =
  | { kind: 'texts'; names: readonly string[] }
  | { kind: 'file'; type: 'image' | 'video' | 'document' | 'location' }
  | { kind: 'unknown' }

export type ButtonBlank = {
  label: string
  /** What a component for it may call itself; null where anything goes. */
  subTypes: readonly string[] | null
  parametersMin: number
  parametersMax: number
}

type Json = Record<string, unknown>

const recordsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : [])
const wordOf = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '')

export function readBlanks(definition: readonly unknown[]): TemplateBlanks {
  const components = recordsOf(definition)
  const named = (type: string) => components.find((component) => wordOf(component.type) === type)
  const carousel = named('carousel')
  return {
    header: headerOf(named('header')),
    body: namesIn(named('body')?.text),
    buttons: recordsOf(named('buttons')?.buttons).map(buttonOf),
    cards:
      carousel === undefined ? null : recordsOf(carousel.cards).map((card) => readBlanks(recordsOf(card.components))),
  }
}

/** Each once, in the order in which values are given: by number, or as they first stand in the text. */
function namesIn(text: unknown): string[] {
  const found = typeof text === 'string' ? [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)] : []
  const names = [...new Set(found.map(([, name]) => name as string))]
  return areNumbers(names) ? names.sort((one, other) => Number(one) - Number(other)) : names
}

export const areNumbers = (names: readonly string[]): boolean => names.every((name) => /^\d+$/.test(name))

const FILES = ['image', 'video', 'document', 'location'] as const

function headerOf(component: Json | undefined): HeaderBlank {
  if (component === undefined) return { kind: 'texts', names: [] }
  const format = wordOf(component.format)
  if (format === 'text') return { kind: 'texts', names: namesIn(component.text) }
  const file = FILES.find((type) => type === format)
  return file === undefined ? { kind: 'unknown' } : { kind: 'file', type: file }
}

const ANY_NUMBER = 100

/** By what the definition calls the button. A code to copy may be sent as the address that it is behind the scenes. */
const BUTTONS: Record<string, Omit<ButtonBlank, 'label'>> = {
  quick_reply: { subTypes: ['quick_reply'], parametersMin: 0, parametersMax: 1 },
  copy_code: { subTypes: ['copy_code'], parametersMin: 1, parametersMax: 1 },
  otp: { subTypes: ['url', 'otp', 'copy_code'], parametersMin: 1, parametersMax: 1 },
  phone_number: { subTypes: [], parametersMin: 0, parametersMax: 0 },
  flow: { subTypes: ['flow'], parametersMin: 0, parametersMax: 1 },
  catalog: { subTypes: ['catalog'], parametersMin: 0, parametersMax: 1 },
  mpm: { subTypes: ['mpm'], parametersMin: 0, parametersMax: 1 },
}

const UNKNOWN_BUTTON = { subTypes: null, parametersMin: 0, parametersMax: ANY_NUMBER }

function buttonOf({ type, text, url }: Json): ButtonBlank {
  const label = typeof text === 'string' ? text : wordOf(type)
  if (wordOf(type) !== 'url') return { label, ...(BUTTONS[wordOf(type)] ?? UNKNOWN_BUTTON) }
  const blanks = namesIn(url).length
  return { label, subTypes: ['url'], parametersMin: blanks, parametersMax: blanks }
}
