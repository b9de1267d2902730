import { byteOffset, QrisError, type QrisProblem, type QrisProblemCode } from './qris-problem.ts'
import { countCharacters, crc16Hex, parseTemplate, parseTlv, type TlvObject } from './tlv.ts'

/**
 * The structure of a payload, before its values are interpreted. Objects are found by tag, never by position: acquirers write
 * them in any order, and the digits of a tag occur inside account numbers and names as well.
 */
export type QrisReading = {
  text: string
  objects: TlvObject[]
  root: ReadonlyMap<string, TlvObject>
  /** Accounts, the national repository and the additional data, by tag and then by tag within. */
  templates: ReadonlyMap<string, ReadonlyMap<string, TlvObject>>
}

export const PAYLOAD_LENGTH_MAX = 512

export const isDomesticAccount = (tag: string): boolean => tag >= '26' && tag <= '45'
const isTemplate = (tag: string): boolean => isDomesticAccount(tag) || tag === '51' || tag === '62'

/** Throws when a text has no structure; qris-rules.ts checks the values. */
export function readStructure(text: string): QrisReading {
  checkPayloadText(text)
  const objects = parseTlv(text)
  const templates = objects
    .filter(({ tag }) => isTemplate(tag))
    .map((template) => [template.tag, byTag(parseTemplate(text, template))] as const)
  return { text, objects, root: byTag(objects), templates: new Map(templates) }
}

const byTag = (objects: TlvObject[]): ReadonlyMap<string, TlvObject> =>
  new Map(objects.map((object) => [object.tag, object]))

/** Throws when a text can be neither read as a payload nor rendered as a code. */
export function checkPayloadText(text: string): void {
  if (text === '') throw textError('payload_empty', null, 'The code is empty.')
  // A character takes at most two places, so what is longer than that need not be counted.
  if (text.length > PAYLOAD_LENGTH_MAX * 2 || countCharacters(text) > PAYLOAD_LENGTH_MAX)
    throw textError('payload_too_long', null, `The code is longer than ${PAYLOAD_LENGTH_MAX} characters.`)
  const control = /\p{Cc}/u.exec(text)
  if (control !== null)
    throw textError(
      'control_character',
      byteOffset(text, control.index),
      'The code contains a control character, such as a line break or a tab.',
    )
  // An unpaired surrogate has no UTF-8 form, so two payloads that differ in it would have one checksum.
  if (!text.isWellFormed()) throw textError('text_malformed', null, 'The code contains half a character.')
}

const textError = (code: QrisProblemCode, offsetBytes: number | null, says: string): QrisError =>
  new QrisError({ code, path: null, offsetBytes, says })

/** The checksum covers everything before its own four digits, its tag and length included. */
export function checksumProblem({ text, objects, root }: QrisReading): QrisProblem | null {
  const checksum = root.get('63')
  if (checksum === undefined)
    return { code: 'tag_missing', path: '63', offsetBytes: null, says: 'The checksum is missing. The code was cut.' }
  const place = { path: '63', offsetBytes: byteOffset(text, checksum.start) }
  if (objects.at(-1) !== checksum)
    return { code: 'crc_not_last', ...place, says: 'The checksum must come last, and something follows it.' }
  const expected = crc16Hex(text.slice(0, checksum.valueStart))
  if (/^[0-9A-Fa-f]{4}$/.test(checksum.value) && checksum.value.toUpperCase() === expected) return null
  return {
    code: 'crc_wrong',
    ...place,
    says: `The checksum is ${JSON.stringify(checksum.value)} but the content requires ${expected}. The code was altered or mistyped.`,
  }
}
