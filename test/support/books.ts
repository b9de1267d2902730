import { expect } from 'bun:test'
import type { OrgId } from '../../src/kernel/ids.ts'
import { readCsv } from '../../src/platform/http/csv/csv-text.ts'
import type { OrdersBench } from './orders.ts'

type Row = Record<string, string>
type Bench = Pick<OrdersBench, 'call' | 'database'>

const EVER = 'from=2020-01-01&to=2039-12-31'

/** All rows of a list, as its CSV has them. */
async function rowsOf({ call }: Bench, orgId: OrgId, path: string): Promise<Row[]> {
  const { text } = await call(orgId, 'GET', path, { headers: { accept: 'text/csv' } })
  const read = readCsv(text)
  if (!read.ok) throw new Error(`${path} is not CSV`)
  const [names = [], ...lines] = read.lines.map(({ cells }) => cells)
  return lines.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])))
}

const sumOf = (rows: readonly Row[], column: string) => rows.reduce((sum, row) => sum + Number(row[column] || 0), 0)

/** The report, the lists and their CSV have the sums of the ledger: in total, by month and by payment method. */
export async function expectBooksEqualLedger(bench: Bench, orgId: OrgId): Promise<void> {
  const { database, call } = bench
  const lines = await database.many<{ kind: string; method: string; amount: number }>`
    select kind, method, sum(amount)::bigint as amount from payment_ledger where org_id = ${orgId} group by kind, method`
  const booked = (kind: string, method?: string) =>
    lines.reduce((sum, line) => {
      const isMeant = line.kind === kind && (method === undefined || line.method === method)
      return isMeant ? sum + line.amount : sum
    }, 0)
  const [received, refunded, reversed] = [booked('capture'), -booked('refund') || 0, -booked('reversal') || 0]
  const net = received - refunded - reversed

  const report = (await call(orgId, 'GET', `/reports/sales?${EVER}&by=month`)).json
  expect(report.totals).toMatchObject({ received, refunded, reversed, net })
  const ofReport = await rowsOf(bench, orgId, `/reports/sales?${EVER}`)
  for (const method of new Set(lines.map((line) => line.method))) {
    const ofMethod = ofReport.filter((row) => row.method === method)
    expect([method, sumOf(ofMethod, 'received')]).toEqual([method, booked('capture', method)])
    expect([method, sumOf(ofMethod, 'refunded')]).toEqual([method, -booked('refund', method) || 0])
  }
  expect(sumOf(ofReport, 'net')).toBe(net)

  const payments = await rowsOf(bench, orgId, '/payments')
  const ofPayments = ['amount_paid', 'amount_refunded', 'amount_reversed'].map((name) => sumOf(payments, name))
  expect(ofPayments).toEqual([received, refunded, reversed])
  const throughProviders = payments.filter(({ provider }) => provider !== 'manual')
  expect(sumOf(await rowsOf(bench, orgId, '/settlements'), 'amount')).toBe(sumOf(throughProviders, 'amount_paid'))
  expect(sumOf(await rowsOf(bench, orgId, '/orders'), 'amount_paid')).toBe(received)
  // The ledger takes no more than the remaining money, so a refund may name more than was booked.
  expect(sumOf(await rowsOf(bench, orgId, '/refunds?status=succeeded'), 'amount')).toBeGreaterThanOrEqual(refunded)
}
