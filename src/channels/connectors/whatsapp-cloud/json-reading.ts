import { soundText } from '../../../kernel/text.ts'

/** Reading JSON that anyone may have written: nothing is there until it was looked at. */
export type Json = unknown

export type JsonObject = Record<string, unknown>

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectOf = (value: Json): JsonObject | null => (isObject(value) ? value : null)

export const listOf = (value: Json): Json[] => (Array.isArray(value) ? value : [])

/** Those of a list that are objects. */
export const objectsOf = (value: Json): JsonObject[] => listOf(value).filter(isObject)

export const textOf = (value: Json): string | null => (typeof value === 'string' ? value : null)

/** Not empty, also from a number: ids come in both forms. */
export const idOf = (value: Json): string | null => {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' && text.length <= ID_CHARACTERS_MAX ? text : null
}

const ID_CHARACTERS_MAX = 512

export const numberOf = (value: Json): number | null => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** Full international digits, as the network writes them; null for anything else. */
export const digitsOf = (value: Json): string | null => {
  const match = /^\+?(\d{5,20})$/.exec(idOf(value) ?? '')
  return match?.[1] ?? null
}

const MS_FROM = 100_000_000_000
const EARLIEST_MS = Date.UTC(2009, 0)
const LATEST_MS = Date.UTC(2100, 0)

/** Unix seconds, usually as text. */
export const timeOf = (value: Json): Date | null => {
  const number = numberOf(value)
  if (number === null) return null
  const ms = number >= MS_FROM ? number : number * 1000
  return ms >= EARLIEST_MS && ms < LATEST_MS ? new Date(ms) : null
}

/** An object without the members that are not there. */
export const compact = <Shape extends object>(shape: Shape): { [Name in keyof Shape]: NonNullable<Shape[Name]> } =>
  Object.fromEntries(Object.entries(shape).filter(([, value]) => value != null)) as never

const DEPTH_MAX = 64

/**
 * The value in a form that can be stored: the database takes neither NUL nor half a surrogate pair, and nothing we read is
 * nested so deep. Throws for what is. Texts end where what is shown of them ends; the journal has the rest.
 */
export function storable(value: Json, depth = 0): Json {
  if (typeof value === 'string') return storableText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEPTH_MAX) throw new RangeError('it is nested too deep')
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [storableText(name), storable(item, depth + 1)]),
  )
}

/** The longest text that is ever shown. */
const TEXT_MAX = 65_536

export const storableText = (text: string): string => soundText(text, TEXT_MAX)
