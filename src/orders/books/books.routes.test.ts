import { beforeEach, describe, expect, test } from 'bun:test'
import { casesOf, paid } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'

const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg } = casesOf(shop)

const get = (orgId: OrgId, path: string) => shop.call(orgId, 'GET', path)
const idsOf = ({ json }: { json: Json }) => json.data.map(({ id }: Json) => id) as string[]

/** An order of 25,000 that was paid at this time, in WIB seven hours later. */
async function aPaidOrder(orgId: OrgId, occurredAt: string) {
  const order = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, paid(order.payment, { occurredAt: new Date(occurredAt) }))
  return order
}

describe('GET /payments', () => {
  test('lists payments of all orders, newest first, page by page, and of this organization only', async () => {
    const [orgId, other] = [await remoteOrg(), await remoteOrg()]
    const orders = [await shop.anOrder(orgId), await shop.anOrder(orgId), await shop.anOrder(orgId)]
    await shop.anOrder(other)
    const newestFirst = orders.map(({ payment }) => payment.id).toReversed()
    expect(idsOf(await get(orgId, '/payments'))).toEqual(newestFirst)
    const first = await get(orgId, '/payments?limit=2')
    const second = await get(orgId, `/payments?limit=2&cursor=${first.json.next_cursor}`)
    expect([idsOf(first), idsOf(second)]).toEqual([newestFirst.slice(0, 2), newestFirst.slice(2)])
    expect((await get(other, `/payments/${newestFirst[0]}`)).json.code).toBe('payment_not_found')
  })

  test('filters by order, status, method and time', async () => {
    const orgId = await remoteOrg()
    const open = await shop.anOrder(orgId)
    shop.clock.advance(60_000)
    const moment = new Date(shop.clock.now()).toISOString()
    const done = await aPaidOrder(orgId, moment)
    const filtered = async (query: string) => idsOf(await get(orgId, `/payments?${query}`))
    expect(await filtered('status=paid,reversed')).toEqual([done.payment.id])
    expect(await filtered(`order_id=${open.id}`)).toEqual([open.payment.id])
    expect(await filtered('method=virtual_account')).toEqual([])
    expect(await filtered('method=virtual_account,qris,qris')).toEqual([done.payment.id, open.payment.id])
    expect(await filtered('method=cash,qris&limit=1')).toEqual([done.payment.id])
    expect(await filtered('method=qris&status=pending')).toEqual([open.payment.id])
    expect(await filtered(`created_before=${moment}`)).toEqual([open.payment.id])
    expect(await filtered(`created_after=${moment}&status=pending`)).toEqual([])
    expect((await get(orgId, '/payments?status=lost')).status).toBe(400)
  })

  test('has each payment as its order shows it', async () => {
    const orgId = await remoteOrg()
    const order = await aPaidOrder(orgId, new Date(shop.clock.now()).toISOString())
    const [shown] = (await shop.getOrder(orgId, order.id)).payments
    expect((await get(orgId, `/payments/${order.payment.id}`)).json).toEqual(shown)
  })
})

describe('GET /refunds', () => {
  test('lists refunds of all orders and filters them', async () => {
    const orgId = await remoteOrg()
    const order = await aPaidOrder(orgId, new Date(shop.clock.now()).toISOString())
    const json = { amount: 5_000, manual: true, note: 'by transfer' }
    const { json: refund } = await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json })
    expect(idsOf(await get(orgId, '/refunds?status=succeeded'))).toEqual([refund.id])
    expect(idsOf(await get(orgId, '/refunds?status=failed'))).toEqual([])
    expect((await get(orgId, `/refunds/${refund.id}`)).json).toMatchObject({ id: refund.id, amount: 5_000 })
    expect((await get(await remoteOrg(), `/refunds/${refund.id}`)).json.code).toBe('refund_not_found')
  })
})

describe('GET /reports/sales', () => {
  test('sums each day of the organization, in its time zone', async () => {
    const orgId = await remoteOrg()
    // 23:59 and 00:01 in Jakarta.
    await aPaidOrder(orgId, '2026-11-14T16:59:00Z')
    const second = await aPaidOrder(orgId, '2026-11-14T17:01:00Z')
    await aPaidOrder(orgId, '2026-12-01T03:00:00Z')
    const report = async (query: string) => (await get(orgId, `/reports/sales?${query}`)).json
    const november = await report('from=2026-11-01&to=2026-11-30')
    expect(november.timezone).toBe('Asia/Jakarta')
    expect(november.totals).toEqual({ received: 50_000, refunded: 0, reversed: 0, net: 50_000, payments: 2 })
    expect(november.periods.map(({ period, net }: Json) => [period, net])).toEqual([
      ['2026-11-14', 25_000],
      ['2026-11-15', 25_000],
    ])
    expect((await report('from=2026-11-15&to=2026-11-15')).totals.net).toBe(25_000)
    const months = await report('from=2026-11-01&to=2026-12-31&by=month')
    expect(months.periods.map(({ period, net }: Json) => [period, net])).toEqual([
      ['2026-11-01', 50_000],
      ['2026-12-01', 25_000],
    ])
    expect(second.payment.method).toBe(months.periods[0].methods[0].method)
  })

  test('equals the ledger of the orders after refunds', async () => {
    const orgId = await remoteOrg()
    const orders = [
      await aPaidOrder(orgId, '2026-11-14T05:00:00Z'),
      await aPaidOrder(orgId, '2026-11-15T05:00:00Z'),
    ] as const
    const json = { amount: 7_000, manual: true, note: 'by transfer' }
    await shop.call(orgId, 'POST', `/orders/${orders[0].id}/refunds`, { json })
    const ledgers = await Promise.all(orders.map(async ({ id }) => (await shop.getOrder(orgId, id)).ledger as Json[]))
    const inLedger = ledgers.flat().reduce((sum, { amount }) => sum + amount, 0)
    const { totals, periods } = (await get(orgId, '/reports/sales?from=2026-01-01&to=2027-12-31')).json
    expect([totals.net, totals.refunded, inLedger]).toEqual([43_000, 7_000, 43_000])
    expect(periods.reduce((sum: number, { net }: Json) => sum + net, 0)).toBe(totals.net)
    for (const by of ['day', 'month']) {
      const whole = await get(orgId, `/reports/sales?from=0001-01-01&to=9999-12-31&by=${by}`)
      expect([by, whole.status, whole.json.totals]).toEqual([by, 200, totals])
    }
  })

  test('of days without payments is empty, and a day that does not exist is refused', async () => {
    const orgId = await remoteOrg()
    const empty = await get(orgId, '/reports/sales?from=2030-01-01&to=2020-01-01')
    expect([empty.status, empty.json.periods, empty.json.totals.net]).toEqual([200, [], 0])
    expect((await get(orgId, '/reports/sales?from=2026-02-30&to=2026-03-01')).status).toBe(400)
  })
})

describe('GET /settlements', () => {
  const send = (orgId: OrgId, body: string, query = '') =>
    shop.call(orgId, 'POST', `/settlements/import${query}`, { body, headers: { 'content-type': 'text/csv' } })
  const list = async (orgId: OrgId, query = '') => (await get(orgId, `/settlements${query}`)).json.data as Json[]

  test('has the amounts of the ledger, and fees once a report of the provider is imported', async () => {
    const orgId = await remoteOrg()
    const orders = [
      await aPaidOrder(orgId, '2026-11-14T05:00:00Z'),
      await aPaidOrder(orgId, '2026-11-14T06:00:00Z'),
      await aPaidOrder(orgId, '2026-11-14T07:00:00Z'),
    ] as const
    await shop.anOrder(orgId)
    const [a, b, c] = orders.map(({ payment }) => payment.id)
    expect((await list(orgId)).map(({ payment_id, status, net }) => [payment_id, status, net])).toEqual(
      [c, b, a].map((id) => [id, 'unreported', null]),
    )
    const file = `Order ID,Gross Amount,Fee,PPN,Net Amount,Settlement Date
${a},"25,000.00",175,19,,15/11/2026
${b},26000,,,25800,
${c},25000,100,,1,
${a},25000,175,,,
INV-1,25000,1,,,
`
    const dry = await send(orgId, file, '?dry_run=true')
    expect([dry.json.recorded, (await list(orgId, '?status=reported')).length]).toEqual([2, 0])
    const { json } = await send(orgId, file)
    expect(json.lines.map(({ result, code }: Json) => [result, code])).toEqual([
      ['recorded', null],
      ['recorded', 'amount_differs'],
      ['failed', 'amounts_inconsistent'],
      ['failed', 'payment_repeated'],
      ['failed', 'payment_unknown'],
    ])
    expect((await send(orgId, file)).json.unchanged).toBe(2)
    expect(await list(orgId, '?status=reported')).toMatchObject([
      { payment_id: b, amount: 25_000, fee: 200, net: 24_800, difference: 1_000, settled_on: null },
      { payment_id: a, amount: 25_000, fee: 194, net: 24_806, difference: 0, settled_on: '2026-11-15' },
    ])
    const { totals } = (await get(orgId, '/reports/sales?from=2026-11-01&to=2026-11-30')).json
    const sum = (await list(orgId)).reduce((total, { amount }) => total + amount, 0)
    expect([sum, sum]).toEqual([totals.received, 75_000])
    expect(await list(await remoteOrg())).toEqual([])
  })

  test('reads the transactions, balance and billing reports of Xendit, and leaves refunds and payouts out', async () => {
    const orgId = await remoteOrg()
    const at = '2026-11-14T05:00:00Z'
    const orders = [await aPaidOrder(orgId, at), await aPaidOrder(orgId, at), await aPaidOrder(orgId, at)]
    const [a, b, c] = orders.map(({ payment }) => payment.id)
    const transactions = `Status,Type,Channel,Channel Name,Account Number,Currency,Amount,Total Fee,Total VAT,Net Amount,Reference,Product ID
SUCCESS,REFUND,QR,QRIS,,IDR,25000,0,0,25000,${a},x
FAILED,PAYMENT,QR,QRIS,,IDR,25000,0,0,25000,${a},x
SUCCESS,PAYMENT,QR,QRIS,,IDR,25000.00,175.00,19.00,24806.00,${a},x
SUCCESS,WITHDRAWAL,BANK,BCA,,IDR,24806,0,0,24806,wd-1,x
`
    const { json } = await send(orgId, transactions)
    expect(json.lines.map(({ result, code }: Json) => code ?? result)).toEqual([
      'not_a_payment',
      'not_a_payment',
      'recorded',
      'not_a_payment',
    ])
    const balance = `Product ID,Transaction ID,Transaction Type,Line Type,Payment Channel,Reference,Currency,Amount,Balance,Debit or Credit
p,t,PAYMENT,TRANSACTION,QRIS,${b},IDR,25000,25000,CREDIT
p,t,PAYMENT,FEE,QRIS,${b},IDR,100,24900,DEBIT
p,t2,PAYMENT,FEE,QRIS,${b},IDR,75,24825,DEBIT
p,t,PAYMENT,VAT,QRIS,${b},IDR,19,24806,DEBIT
`
    expect((await send(orgId, balance)).json).toMatchObject({ recorded: 1, failed: 0 })
    const billing = `transaction_id,reference,transaction_type,transaction_amount,fees_paid_amount,vat_paid_amount
t,${c},PAYMENT,25000,175,19
`
    expect((await send(orgId, billing)).json).toMatchObject({ recorded: 1, failed: 0 })
    expect((await list(orgId)).map(({ fee, net, difference }) => [fee, net, difference])).toEqual(
      orders.map(() => [194, 24_806, 0]),
    )
    const refused = await send(orgId, 'Date,Amount\n2026-11-14,25000\n')
    expect([refused.status, refused.json.code, refused.json.params.missing]).toEqual([
      422,
      'csv_invalid',
      ['order id', 'fee'],
    ])
  })

  test('has the fee of a notification that names one', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(order.payment, { facts: { fee: '175' } }))
    expect(await list(orgId)).toMatchObject([
      { amount: 25_000, fee: 175, net: 24_825, status: 'reported', difference: 0 },
    ])
  })
})

describe('Accept: text/csv', () => {
  const csv = async (orgId: OrgId, path: string, accept = 'text/csv') =>
    shop.call(orgId, 'GET', path, { headers: { accept } })

  test('returns all rows of a list, across pages, with fixed columns', async () => {
    const orgId = await remoteOrg()
    const orders: Json[] = []
    for (let count = 0; count < 3; count += 1) orders.push(await shop.anOrder(orgId, { customer: { name: '=1+1' } }))
    const { headers, text } = await csv(orgId, '/orders?limit=1')
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(headers.get('content-disposition')).toBe('attachment; filename="orders.csv"')
    const [heading = '', ...lines] = text.trimEnd().split('\r\n')
    const columns = heading.split(',')
    expect(columns).toContain('customer.phone')
    expect(lines.map((line) => line.slice(0, line.indexOf(',')))).toEqual(orders.map(({ id }) => id).toReversed())
    expect(lines[0]).toContain(`"'=1+1"`)
    const payments = (await csv(orgId, '/payments')).text.split('\r\n')
    expect(payments.length).toBe(3 + 2)
    expect(payments[1]).toContain(`${orders[2]?.payment.id},`)
  })

  test('returns the sales of each period and method', async () => {
    const orgId = await remoteOrg()
    await aPaidOrder(orgId, '2026-11-14T05:00:00Z')
    const { text } = await csv(orgId, '/reports/sales?from=2026-11-01&to=2026-11-30')
    expect(text).toBe(
      'period,method,currency,received,refunded,reversed,net,payments\r\n2026-11-14,qris,IDR,25000,0,0,25000,1\r\n',
    )
  })

  test('applies only where CSV is preferred, and problems stay JSON', async () => {
    const orgId = await remoteOrg()
    expect((await csv(orgId, '/refunds', 'application/json, text/csv')).json.object).toBe('list')
    expect((await csv(orgId, '/refunds', 'text/csv, */*;q=0.1')).text).toStartWith('id,')
    expect((await csv(orgId, '/refunds?cursor=abc')).json.code).toBe('cursor_invalid')
    expect((await csv(orgId, '/payments/pay_01k9x3m5q8e0t9v7a2b4c6d8fg')).json.code).toBe('not_acceptable')
  })
})
