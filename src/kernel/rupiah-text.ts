import { MONEY_MAX } from './money.ts'

/** Thousands with dots or commas, as people and banks write them, and decimals that are zero. */
const GROUPED = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]0{1,2})?$/
const PLAIN = /^\d+(?:[.,]0{1,2})?$/

/**
 * Reads an amount of whole rupiah: `18000`, `18.000`, `Rp 18.000,00`, `18,000.00`, `-5000`, `(5000)`. Returns null for anything else.
 * A rupiah has no cents in use, so three digits after a separator are thousands.
 */
export function parseRupiah(text: string): number | null {
  const bare = text.trim().replace(/^\((.*)\)$/, '-$1')
  const [, sign = '', amount = ''] = /^([+-]?)\s*(?:(?:Rp|IDR)\.?\s*)?(.*?)(?:\s*(?:Rp|IDR))?$/i.exec(bare) ?? []
  const digits = amount.trim()
  if (!PLAIN.test(digits) && !GROUPED.test(digits)) return null
  const whole = digits.replace(/[.,]0{1,2}$/, '').replaceAll(/[.,]/g, '')
  const value = Number(whole)
  if (!Number.isSafeInteger(value) || value > MONEY_MAX) return null
  return sign === '-' && value !== 0 ? -value : value
}
