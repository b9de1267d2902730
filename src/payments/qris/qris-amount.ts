/** Reads and writes the money of tags 54 to 57 as whole rupiah and hundredths of a percent. */
export type AmountReading =
  | { ok: true; amount: number }
  | { ok: false; code: 'amount_malformed' | 'amount_fractional'; says: string }

const AMOUNT_LENGTH_MAX = 13
/** The largest amount of thirteen digits, independent of the current legal limit. */
export const AMOUNT_WRITABLE_MAX = 9_999_999_999_999

const AMOUNT = /^(?<whole>0|[1-9][0-9]*)(?:\.(?<fraction>[0-9]{0,2}))?$/

/** Reads `1000`, `1000.00` and `1000.` as one thousand rupiah. `1.000` is refused, because it is ambiguous. */
export function readAmount(text: string): AmountReading {
  const parts = AMOUNT.exec(text)?.groups
  if (parts === undefined || text.length > AMOUNT_LENGTH_MAX || /^[0.]*$/.test(text))
    return {
      ok: false,
      code: 'amount_malformed',
      says: `The amount ${JSON.stringify(text)} is not valid. Write digits without grouping, more than 0, such as 25000.`,
    }
  if (Number(parts.fraction ?? '') !== 0)
    return {
      ok: false,
      code: 'amount_fractional',
      says: `The amount ${text} has a fraction of a rupiah, which cannot be paid.`,
    }
  return { ok: true, amount: Number(parts.whole) }
}

export type QrisTip =
  /** The payer's app asks. */
  { kind: 'prompted' } | { kind: 'fixed'; amount: number } | { kind: 'percent'; percentHundredths: number }

export type TipReading =
  | { ok: true; tip: QrisTip }
  | { ok: false; code: 'tip_malformed' | 'tag_missing'; tag: '55' | '56' | '57'; says: string }

/** Tag 55 with the one of tags 56 and 57 that it calls for; the other has no meaning then. */
export function readTip(indicator: string, values: { fixed?: string; percent?: string }): TipReading {
  if (indicator === '01') return { ok: true, tip: { kind: 'prompted' } }
  if (indicator === '02') return readFixedTip(values.fixed)
  if (indicator === '03') return readPercentTip(values.percent)
  return { ok: false, code: 'tip_malformed', tag: '55', says: 'The tip indicator must be 01, 02 or 03.' }
}

function readFixedTip(text: string | undefined): TipReading {
  if (text === undefined)
    return { ok: false, code: 'tag_missing', tag: '56', says: 'A fixed tip is announced, but tag 56 is missing.' }
  const reading = readAmount(text)
  return reading.ok
    ? { ok: true, tip: { kind: 'fixed', amount: reading.amount } }
    : { ok: false, code: 'tip_malformed', tag: '56', says: reading.says }
}

const PERCENT = /^(?<whole>0|[1-9][0-9]?)(?:\.(?<fraction>[0-9]{0,2}))?$/

function readPercentTip(text: string | undefined): TipReading {
  if (text === undefined)
    return { ok: false, code: 'tag_missing', tag: '57', says: 'A tip in percent is announced, but tag 57 is missing.' }
  const parts = PERCENT.exec(text)?.groups
  const percentHundredths =
    parts === undefined ? 0 : Number(parts.whole) * 100 + Number((parts.fraction ?? '').padEnd(2, '0'))
  return percentHundredths > 0
    ? { ok: true, tip: { kind: 'percent', percentHundredths } }
    : { ok: false, code: 'tip_malformed', tag: '57', says: 'The tip in percent must be between 0.01 and 99.99.' }
}

/** Writes `250` as `2.5`. An invalid percentage gives a text that `readTip` refuses. */
export const writePercent = (percentHundredths: number): string => String(percentHundredths / 100)
