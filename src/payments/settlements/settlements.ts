import type { OrgId } from '../../kernel/ids.ts'
import { parseRupiah } from '../../kernel/rupiah-text.ts'
import type { Tx } from '../../platform/database/database.ts'
import { parseDay } from '../../platform/http/csv/csv-days.ts'
import type { CsvRecord } from '../../platform/http/pipeline/csv-records.ts'
import { isOtherMovement, namesOf } from './settlement-file.ts'
import {
  listPaymentsNamed,
  listReported,
  type NamedPayment,
  type ReportedSettlement,
  saveSettlements,
} from './settlements.sql.ts'

export { readSettlementLines, SETTLEMENT_LINES_MAX } from './settlement-file.ts'
export { listSettlements, type SettlementRow } from './settlements.sql.ts'

/**
 * Imports the settlement report of a provider (settlement-file.ts). What a line lacks is computed: any two of gross amount, fee and
 * net amount give the third. A payment is named by our id, which providers have as their order id or reference, or by the id of the
 * provider.
 */
export type SettlementLine = {
  line: number
  payment_id: string | null
  result: 'recorded' | 'unchanged' | 'failed'
  code: string | null
  detail: string | null
}

const failed = (line: number, paymentId: string | null, code: string, detail: string): SettlementLine => ({
  line,
  payment_id: paymentId,
  result: 'failed',
  code,
  detail,
})

type Amounts = { amount: number; fee: number } | { code: string; detail: string }

/** Amounts of the line; the ledger has the gross amount where the line has none. Fees may be written as negative amounts. */
function amountsOf(cells: Map<string, string>, received: number): Amounts {
  const values: Record<string, number | null> = {}
  for (const name of ['amount', 'fee', 'tax', 'net']) {
    const text = cells.get(name)
    const value = text === undefined ? null : parseRupiah(text)
    if (text !== undefined && value === null)
      return { code: 'amount_invalid', detail: `${name}: "${text}" is not an amount of whole rupiah.` }
    values[name] = value === null ? null : Math.abs(value)
  }
  const { amount = null, fee = null, tax = null, net = null } = values
  const gross = amount ?? (fee !== null && net !== null ? net + fee + (tax ?? 0) : received)
  if (fee === null && net === null)
    return { code: 'fee_missing', detail: 'The line has neither a fee nor a net amount.' }
  const charged = fee === null ? gross - (net ?? 0) : fee + (tax ?? 0)
  // Some reports include the tax in the fee and name it once more.
  const isConsistent = net === null || gross - charged === net || (fee !== null && gross - fee === net)
  if (!isConsistent || charged < 0)
    return { code: 'amounts_inconsistent', detail: 'The gross amount less the fee is not the net amount.' }
  return { amount: gross, fee: net === null ? charged : gross - net }
}

type Known = { byName: Map<string, NamedPayment>; reported: Map<string, ReportedSettlement> }

function readLine(
  { line, cells }: CsvRecord,
  known: Known,
): SettlementLine | { row: ReportedSettlement; received: number } {
  if (isOtherMovement(cells))
    return failed(line, null, 'not_a_payment', 'The line is about a refund, a payout or a payment that failed.')
  const names = namesOf(cells)
  const payment = names.map((name) => known.byName.get(name)).find((found) => found !== undefined)
  if (payment === undefined || payment.is_manual)
    return failed(line, null, 'payment_unknown', `No payment through a provider has the id ${names[0] ?? ''}.`)
  const amounts = amountsOf(cells, payment.amount_paid)
  if ('code' in amounts) return failed(line, payment.id, amounts.code, amounts.detail)
  const settled = cells.get('settled_on')
  const settledOn = settled === undefined ? null : parseDay(settled)
  if (settled !== undefined && settledOn === null)
    return failed(line, payment.id, 'date_invalid', `settled_on: "${settled}" is not a date such as 2026-11-14.`)
  const row = {
    payment_id: payment.id,
    ...amounts,
    settled_on: settledOn,
    reference: cells.get('settlement_reference') ?? null,
  }
  return { row, received: payment.amount_paid }
}

const isSame = (one: ReportedSettlement | undefined, other: ReportedSettlement): boolean =>
  one !== undefined &&
  one.amount === other.amount &&
  one.fee === other.fee &&
  one.reference === other.reference &&
  one.settled_on === other.settled_on

export async function importSettlements(
  tx: Tx,
  orgId: OrgId,
  { records, isDryRun, now }: { records: readonly CsvRecord[]; isDryRun: boolean; now: Date },
): Promise<SettlementLine[]> {
  const payments = await listPaymentsNamed(tx, orgId, [...new Set(records.flatMap(({ cells }) => namesOf(cells)))])
  const reported = await listReported(
    tx,
    orgId,
    payments.map(({ id }) => id),
  )
  const known = {
    byName: new Map(
      payments.flatMap((payment) => [
        [payment.id as string, payment] as const,
        ...(payment.provider_id === null ? [] : [[payment.provider_id, payment] as const]),
      ]),
    ),
    reported: new Map(reported.map((row) => [row.payment_id as string, row])),
  }
  const fresh = new Map<string, ReportedSettlement>()
  const lines = records.map((record): SettlementLine => {
    const read = readLine(record, known)
    if ('result' in read) return read
    const { row, received } = read
    if (fresh.has(row.payment_id))
      return failed(record.line, row.payment_id, 'payment_repeated', 'An earlier line of the file has this payment.')
    fresh.set(row.payment_id, row)
    const differs = row.amount !== received
    return {
      line: record.line,
      payment_id: row.payment_id,
      result: isSame(known.reported.get(row.payment_id), row) ? 'unchanged' : 'recorded',
      code: differs ? 'amount_differs' : null,
      detail: differs ? `The report has ${row.amount} rupiah, the ledger ${received}. Check the payment.` : null,
    }
  })
  const changed = [...fresh.values()].filter((row) => !isSame(known.reported.get(row.payment_id), row))
  if (!isDryRun && changed.length > 0) await saveSettlements(tx, orgId, changed, now)
  return lines
}
