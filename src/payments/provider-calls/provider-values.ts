import { isRecord } from '../../kernel/records.ts'
import { soundText } from '../../kernel/text.ts'

/** Reads money, times and loose JSON of providers without guessing or rounding. */
export type LooseRecord = Readonly<Record<string, unknown>>

export const asRecord = (value: unknown): LooseRecord => (isRecord(value) ? value : {})

export const asRecords = (value: unknown): LooseRecord[] => (Array.isArray(value) ? value.map(asRecord) : [])

/** Returns texts unchanged; numbers and booleans become texts. */
export function readText(record: LooseRecord, name: string): string | null {
  const value = Object.hasOwn(record, name) ? record[name] : undefined
  if (typeof value === 'string') return soundText(value) || null
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

export const readLowerText = (record: LooseRecord, name: string): string | null =>
  readText(record, name)?.toLowerCase() ?? null

/** Looks up a provider's word in a table. Plain indexing would also find `constructor`. */
export const lookUp = <Value>(table: Readonly<Record<string, Value>>, word: string): Value | null =>
  (Object.hasOwn(table, word) ? table[word] : undefined) ?? null

const RUPIAH = /^(0|[1-9]\d{0,14})(?:\.0{1,2})?$/

/** Reads `25000`, `"25000"`, `"25000.0"` and `"25000.00"`. A fraction of a rupiah is refused, not rounded. */
export function readRupiah(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : null
  const match = typeof value === 'string' ? RUPIAH.exec(value) : null
  return match === null ? null : Number(match[1])
}

/** Returns null when no amount is named, and NaN, which agrees with no request, when it is not whole rupiah. */
export const readStatedRupiah = (value: unknown): number | null =>
  value === undefined || value === null ? null : (readRupiah(value) ?? Number.NaN)

const WIB_OFFSET_MS = 7 * 3_600_000
const WIB_TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/

/** Reads `2026-01-31 09:00:00` as Western Indonesia Time. */
export function readWibTime(text: string | null): Date | null {
  const match = text === null ? null : WIB_TIME.exec(text)
  return match === null ? null : readTime(`${match[1]}T${match[2]}+07:00`)
}

/** Writes `2026-01-31 09:00:00 +0700`. */
export const writeWibTime = (time: Date): string =>
  `${new Date(time.getTime() + WIB_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')} +0700`

const TIME_MS_MAX = Date.parse('9999-12-31T23:59:59.999Z')

/** Returns null for an implausible year, such as 0000: the database would refuse the row, and its money must be recorded. */
export function readTime(text: string | null): Date | null {
  const time = text === null ? null : new Date(text)
  return time !== null && time.getTime() >= 0 && time.getTime() <= TIME_MS_MAX ? time : null
}

/** Returns null unless the bytes are one JSON object. */
export function readJsonObject(bytes: Uint8Array): LooseRecord | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** Cuts a text to the length of a field, counted in characters. */
export const cutText = (text: string, lengthMax: number): string => [...text].slice(0, lengthMax).join('')

/** Matches words of printable ASCII with single spaces between them. */
const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/

/** Reduces a text to printable ASCII, for networks that accept nothing else. */
export const plainText = (text: string, lengthMax: number): string =>
  text.length <= lengthMax && PLAIN.test(text)
    ? text
    : text
        .normalize('NFKD')
        .replaceAll(/[^\x20-\x7e]/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim()
        .slice(0, lengthMax)
        .trim()
