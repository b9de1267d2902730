import { AMOUNT_WRITABLE_MAX } from './qris-amount.ts'
import { cleanPastedQris, parseQris, type QrisPayload, sealQris } from './qris-payload.ts'
import { byteOffset, QrisError, type QrisProblemCode } from './qris-problem.ts'
import { PAYLOAD_LENGTH_MAX } from './qris-reading.ts'
import { countCharacters, parseTemplate, type TlvEntry, type TlvObject, VALUE_LENGTH_MAX, writeTlv } from './tlv.ts'

/**
 * Adds an amount to a merchant's static code. Payers' apps show the amount, and the money goes to the same account.
 *
 * The acquirer does not know the order, so the code has no expiry and no notification, and can be paid any number of times. Staff
 * confirm the payments by hand or by matching amounts.
 */
export type QrisLimits = { amountMin: number; amountMax: number }

/** The limits per transaction of Bank Indonesia's regulation 24/1/PADG/2022. They changed before, so they are a setting. */
export const QRIS_LIMITS_DEFAULT: QrisLimits = { amountMin: 1, amountMax: 10_000_000 }

export type DynamicQrisOptions = {
  /** Integer rupiah. */
  amount: number
  limits: QrisLimits
  /** Up to 25 printable ASCII characters. It is left out when the code has no room for it. */
  billNumber?: string
  /** Accepts a code that is dynamic or has an amount, and replaces the amount. */
  isReplacing?: boolean
}

export type DynamicQris = {
  text: string
  /** Null when none was given, or when it did not fit. */
  billNumber: string | null
}

/** Reads a merchant's pasted static code. Throws when it is not a QRIS code, or when it is for a single payment. */
export function readStaticQris(pasted: string): QrisPayload {
  const payload = parseQris(cleanPastedQris(pasted))
  requireStatic(payload)
  return payload
}

function requireStatic({ fields, objects, text }: QrisPayload): void {
  const refuse = (code: QrisProblemCode, path: string, says: string) => {
    const start = objects.find(({ tag }) => tag === path)?.start ?? 0
    return new QrisError({ code, path, offsetBytes: byteOffset(text, start), says })
  }
  if (fields.initiation === 'dynamic')
    throw refuse('already_dynamic', '01', 'This is a dynamic code, made for one payment. Give the static one.')
  if (fields.amount !== undefined)
    throw refuse('already_has_amount', '54', 'This code already has an amount. Use the static code without one.')
}

/** Every tag that is not about this payment stays byte for byte, in its place. */
export function makeDynamic(staticText: string, options: DynamicQrisOptions): DynamicQris {
  const payload = parseQris(staticText)
  if (!options.isReplacing) requireStatic(payload)
  checkAmount(options)
  const entries = withAmount(payload.objects, options.amount)
  const billNumber = options.billNumber === undefined ? null : checkBillNumber(options.billNumber)
  const billed = billNumber === null ? null : withBillNumber(entries, payload, billNumber)
  const text = billed === null ? null : sealQris(billed)
  return text !== null && fits(text) ? { text, billNumber } : { text: requireFit(sealQris(entries)), billNumber: null }
}

const REPLACED_TAGS = ['01', '54', '55', '56', '57', '63']

function withAmount(objects: readonly TlvObject[], amount: number): TlvEntry[] {
  const followers = new Map<string, TlvEntry>([
    ['00', { tag: '01', value: '12' }],
    ['53', { tag: '54', value: String(amount) }],
  ])
  return objects
    .filter(({ tag }) => !REPLACED_TAGS.includes(tag))
    .flatMap(({ tag, value }) => [{ tag, value }, followers.get(tag)].filter((entry) => entry !== undefined))
}

/** Returns null when the additional data would overflow. */
function withBillNumber(entries: readonly TlvEntry[], payload: QrisPayload, billNumber: string): TlvEntry[] | null {
  const template = payload.objects.find(({ tag }) => tag === '62')
  const inner: TlvEntry[] = template === undefined ? [] : parseTemplate(payload.text, template)
  const bill = { tag: '01', value: billNumber }
  const hasBill = inner.some(({ tag }) => tag === bill.tag)
  const value = writeTlv(hasBill ? inner.map((entry) => (entry.tag === bill.tag ? bill : entry)) : [bill, ...inner])
  if (countCharacters(value) > VALUE_LENGTH_MAX) return null
  if (template !== undefined) return entries.map((entry) => (entry.tag === '62' ? { tag: '62', value } : entry))
  return entries.flatMap((entry) => (entry.tag === '61' ? [entry, { tag: '62', value }] : [entry]))
}

function checkAmount({ amount, limits }: DynamicQrisOptions): void {
  const [amountMin, amountMax] = [Math.max(limits.amountMin, 1), Math.min(limits.amountMax, AMOUNT_WRITABLE_MAX)]
  if (Number.isSafeInteger(amount) && amount >= amountMin && amount <= amountMax) return
  throw unusable(
    'amount_out_of_range',
    '54',
    `The amount ${amount} cannot be paid by QRIS. It takes whole rupiah from ${amountMin} to ${amountMax}.`,
  )
}

function checkBillNumber(billNumber: string): string {
  if (/^[\x20-\x7e]{1,25}$/.test(billNumber)) return billNumber
  throw unusable('bill_number_malformed', '62.01', 'A bill number has 1 to 25 printable ASCII characters.')
}

const fits = (text: string): boolean => countCharacters(text) <= PAYLOAD_LENGTH_MAX

function requireFit(text: string): string {
  if (fits(text)) return text
  const says = `With the amount the code is longer than ${PAYLOAD_LENGTH_MAX} characters.`
  throw new QrisError({ code: 'payload_too_long', path: null, offsetBytes: null, says })
}

const unusable = (code: QrisProblemCode, path: string, says: string): QrisError =>
  new QrisError({ code, path, offsetBytes: null, says })
