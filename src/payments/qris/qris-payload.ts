import { findWarnings } from './qris-customs.ts'
import { entriesOf, fieldsOf, type QrisFields } from './qris-fields.ts'
import { QrisError, type QrisProblem } from './qris-problem.ts'
import { type QrisReading, readStructure } from './qris-reading.ts'
import { findProblems } from './qris-rules.ts'
import { crc16Hex, type TlvEntry, type TlvObject, writeTlv } from './tlv.ts'

/**
 * The QRIS payload: Indonesia's national QR code, a dialect of EMVCo's merchant-presented mode. Reading is strict about
 * everything that could misdirect money or make a code unpayable, and lenient otherwise; writing is always strict.
 */
export type QrisPayload = {
  text: string
  fields: QrisFields
  /** The objects in the order of the text, for changes that keep all other bytes. */
  objects: readonly TlvObject[]
  warnings: QrisProblem[]
}

export type QrisValidation = {
  /** Empty for a code that may be shown to a payer. */
  problems: QrisProblem[]
  /** Shown on import; payers' apps accept the code all the same. */
  warnings: QrisProblem[]
}

/** Throws a QrisError with the first problem. */
export function parseQris(text: string): QrisPayload {
  const reading = readStructure(text)
  const [problem] = findProblems(reading)
  if (problem !== undefined) throw new QrisError(problem)
  return { text, fields: fieldsOf(reading), objects: reading.objects, warnings: findWarnings(reading) }
}

/** Returns all problems instead of the first. A text without structure has only one: the place where it breaks off. */
export function validateQris(text: string): QrisValidation {
  const reading = structureOrProblem(text)
  if ('code' in reading) return { problems: [reading], warnings: [] }
  return { problems: findProblems(reading), warnings: findWarnings(reading) }
}

function structureOrProblem(text: string): QrisReading | QrisProblem {
  try {
    return readStructure(text)
  } catch (error) {
    if (!(error instanceof QrisError)) throw error
    return error.problem
  }
}

/** Throws a QrisError on anything that reading would refuse or so much as warn about. */
export function encodeQris(fields: QrisFields): string {
  const text = sealQris(entriesOf(fields))
  const { problems, warnings } = validateQris(text)
  const [problem] = [...problems, ...warnings]
  if (problem !== undefined) throw new QrisError(problem)
  return text
}

/** Appends the checksum, which must be the last object. */
export const sealQris = (entries: readonly TlvEntry[]): string => sealQrisText(writeTlv(entries))

/** Appends the checksum to objects that are already written. */
export function sealQrisText(objects: string): string {
  const body = `${objects}6304`
  return `${body}${crc16Hex(body)}`
}

/** Pasted text is wrapped by mail programs and padded by spreadsheets. Spaces inside are part of names and stay. */
export const cleanPastedQris = (pasted: string): string => pasted.replaceAll(/[\n\v\f\r\u0085\u2028\u2029]/g, '').trim()
