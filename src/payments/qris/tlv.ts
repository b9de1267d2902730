import { byteOffset, QrisError, type QrisProblemCode } from './qris-problem.ts'

/**
 * The structure below QRIS: two digits of tag, two digits of length, that many characters of value, and so on to the end.
 * A template is a value of the same form. Nothing here knows what a tag means.
 */
export type TlvEntry = { tag: string; value: string }

export type TlvObject = TlvEntry & {
  /** Index into the whole payload, also for objects inside a template. */
  start: number
  valueStart: number
}

/** A stretch of the payload: all of it, or the value of the template named by the path. */
export type TlvStretch = { start: number; end: number; path: string | null }

export const VALUE_LENGTH_MAX = 99

const TWO_DIGITS = /^[0-9]{2}$/
const HEAD_LENGTH = 4

export function parseTlv(text: string, stretch: TlvStretch = { start: 0, end: text.length, path: null }): TlvObject[] {
  const objects: TlvObject[] = []
  const seen = new Set<string>()
  for (let index = stretch.start; index < stretch.end; ) {
    const object = readObject(text, index, stretch)
    if (seen.has(object.tag))
      throw structureError(text, object.start, {
        code: 'tag_repeated',
        path: pathOf(stretch, object.tag),
        says: `Tag ${object.tag} appears twice. A tag may appear once at each level.`,
      })
    seen.add(object.tag)
    objects.push(object)
    index = object.valueStart + object.value.length
  }
  return objects
}

/** The objects inside a template, which itself is an object of the payload's outermost level. */
export const parseTemplate = (text: string, template: TlvObject): TlvObject[] =>
  parseTlv(text, {
    start: template.valueStart,
    end: template.valueStart + template.value.length,
    path: template.tag,
  })

function readObject(text: string, start: number, stretch: TlvStretch): TlvObject {
  const head = text.slice(start, Math.min(start + HEAD_LENGTH, stretch.end))
  const [tag, length] = [head.slice(0, 2), head.slice(2)]
  if (!TWO_DIGITS.test(tag))
    throw structureError(text, start, {
      code: 'tag_malformed',
      path: stretch.path,
      says: `A tag of two digits should begin here, not ${JSON.stringify(tag)}.`,
    })
  const path = pathOf(stretch, tag)
  if (!TWO_DIGITS.test(length) || length === '00')
    throw structureError(text, start, {
      code: 'length_malformed',
      path,
      says: `The length of tag ${tag} is ${JSON.stringify(length)}. It must be two digits from 01 to 99.`,
    })
  const valueStart = start + HEAD_LENGTH
  const end = skipCharacters(text, valueStart, Number(length))
  if (end === null || end > stretch.end)
    throw structureError(text, start, {
      code: 'value_overrun',
      path,
      says: `Tag ${tag} announces ${Number(length)} characters, more than there are. The code was cut or altered.`,
    })
  return { tag, value: text.slice(valueStart, end), start, valueStart }
}

/** Lengths count characters, and a character beyond the basic plane takes two places in a string. */
function skipCharacters(text: string, from: number, count: number): number | null {
  let index = from
  for (let left = count; left > 0; left--) {
    const code = text.codePointAt(index)
    if (code === undefined) return null
    index += code > 0xffff ? 2 : 1
  }
  return index
}

export function countCharacters(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; count++) index += (text.codePointAt(index) as number) > 0xffff ? 2 : 1
  return count
}

export const writeTlv = (entries: readonly TlvEntry[], path: string | null = null): string =>
  entries.map((entry) => writeObject(entry, path)).join('')

function writeObject({ tag, value }: TlvEntry, path: string | null): string {
  const length = countCharacters(value)
  const isWritable = TWO_DIGITS.test(tag) && length >= 1 && length <= VALUE_LENGTH_MAX
  if (!isWritable)
    throw new QrisError({
      code: 'value_unwritable',
      path: path === null ? tag : `${path}.${tag}`,
      offsetBytes: null,
      says: `A value of ${length} characters cannot be written into tag ${tag}. It takes 1 to ${VALUE_LENGTH_MAX}.`,
    })
  return `${tag}${String(length).padStart(2, '0')}${value}`
}

const pathOf = (stretch: TlvStretch, tag: string): string => (stretch.path === null ? tag : `${stretch.path}.${tag}`)

function structureError(
  text: string,
  index: number,
  { code, path, says }: { code: QrisProblemCode; path: string | null; says: string },
): QrisError {
  return new QrisError({ code, path, offsetBytes: byteOffset(text, index), says })
}

/**
 * CRC-16/CCITT-FALSE: polynomial 0x1021, initial value 0xFFFF, nothing reflected, no final xor. QRIS lengths count
 * characters, but the checksum covers UTF-8 bytes; the two differ as soon as a name contains a character beyond ASCII.
 */
const POLYNOMIAL = 0x1021
const INITIAL_VALUE = 0xffff

/** The effect of one byte on the register, computed once instead of bit by bit for every payload. */
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let register = byte << 8
  for (let bit = 0; bit < 8; bit++)
    register = register & 0x8000 ? ((register << 1) ^ POLYNOMIAL) & 0xffff : register << 1
  return register
})

export function crc16(text: string): number {
  let register = INITIAL_VALUE
  const bytes = Buffer.from(text, 'utf8')
  for (let index = 0; index < bytes.length; index++)
    register = ((register << 8) & 0xffff) ^ (TABLE[(register >> 8) ^ (bytes[index] as number)] as number)
  return register
}

/** Four upper-case digits. The padding matters: one payload in sixteen has a checksum that begins with a zero. */
export const crc16Hex = (text: string): string => crc16(text).toString(16).toUpperCase().padStart(4, '0')
