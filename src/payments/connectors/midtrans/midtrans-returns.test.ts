import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type MidtransServer, startMidtransServer } from '../../../../test/support/midtrans-server.ts'
import { known } from '../../../../test/support/order-cases.ts'
import { useOrders } from '../../../../test/support/orders.ts'
import { createRandom, type Random } from '../../../../test/support/random.ts'
import type { Json } from '../../../../test/support/webhooks.ts'
import { systemClock } from '../../../kernel/clock.ts'
import type { Id, OrgId } from '../../../kernel/ids.ts'
import { applyReportAlone } from '../../attempts/attempts.ts'
import { never, suiteAccount, suiteAttempt } from '../../payment-connector.suite.ts'
import type { PaymentAccount } from '../../payment-connector.ts'
import { createMidtransConnector } from './midtrans.ts'

/**
 * Refunds and chargebacks at Midtrans, in any sequence. Midtrans reports both in one list, and its state names only the last
 * one. The books end with the returned amount, counted once, whatever notices were received or missed.
 */
const shop = useOrders()
const connector = createMidtransConnector({ clock: systemClock, timeoutMs: 60_000 })
let [server, account] = [] as unknown as [MidtransServer, PaymentAccount]

beforeAll(() => {
  server = startMidtransServer()
  account = suiteAccount({ provider: 'midtrans', baseUrl: server.url, credentials: { server_key: server.serverKey } })
})
afterAll(() => server.stop())
beforeEach(() => {
  shop.remote.reset()
  shop.remote.script.refund = () => ({ kind: 'pending', providerRefundId: null })
})

type Sale = { orgId: OrgId; order: Json; refunded: number; reversed: number }

async function aSale(): Promise<Sale> {
  const orgId = await shop.anOrg(['xendit', 'manual'])
  const order = await shop.anOrder(orgId)
  await connector.charge(account, suiteAttempt({ id: order.payment.id, amount: 25_000 }), never)
  server.move(order.payment.id, 'settlement')
  return { orgId, order, refunded: 0, reversed: 0 }
}

/** A notice of Midtrans triggers a status query, and its answer counts. */
async function hear({ orgId, order }: Sale): Promise<void> {
  const status = await connector.askStatus(account, known(order.payment), never)
  if (status.kind !== 'known') throw new Error(`not known: ${JSON.stringify(status)}`)
  const place = { org_id: orgId, id: order.payment.id as Id<'pay'>, order_id: order.id }
  await applyReportAlone(shop.payments.context, place, { report: status.report, source: 'question' })
}

const rowsOf = ({ order }: Sale) => (server.notices(order.payment.id).refunds ?? []) as Record<string, unknown>[]

/** Reverses a part, or all of the remaining money. */
function chargeBack(sale: Sale, amount: number): void {
  sale.reversed += amount
  const returned = sale.refunded + sale.reversed
  const row = {
    refund_chargeback_id: rowsOf(sale).length + 1,
    refund_amount: `${amount}.00`,
    bank_confirmed_at: '2026-02-01 10:00:00',
  }
  server.move(sale.order.payment.id, returned === 25_000 ? 'chargeback' : 'partial_chargeback', {
    refunds: [...rowsOf(sale), row],
    refund_amount: `${returned}.00`,
  })
}

/** Refunds through us, or as staff do at Midtrans, which then creates the key. */
async function giveBack(sale: Sale, amount: number, isOurs: boolean): Promise<void> {
  const { orgId, order } = sale
  const reply = isOurs
    ? await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount } })
    : { status: 201, json: { id: `by-hand-${rowsOf(sale).length}` } }
  // Money whose return was not reported yet may be refunded again here; Midtrans refuses that.
  if (reply.status !== 201) return
  await shop.settle()
  const request = { id: reply.json.id, payment: known(order.payment), amount, reason: null }
  expect((await connector.refund(account, request, never)).kind).toBe('pending')
  sale.refunded += amount
}

async function check(sale: Sale): Promise<void> {
  server.confirmRefunds(sale.order.payment.id)
  for (const _ of [1, 2]) await hear(sale)
  await shop.checkBooks(sale.orgId)
  const order = await shop.getOrder(sale.orgId, sale.order.id)
  const { amount_paid, amount_refunded, amount_reversed } = order.payment
  expect([amount_paid, amount_refunded, amount_reversed]).toEqual([25_000, sale.refunded, sale.reversed])
  expect(order.amount_returned).toBe(sale.refunded + sale.reversed)
}

test('a refund after a partial chargeback does not change the chargeback', async () => {
  for (const isHeard of [true, false]) {
    const sale = await aSale()
    await hear(sale)
    chargeBack(sale, 10_000)
    if (isHeard) await hear(sale)
    await giveBack(sale, 5_000, true)
    await check(sale)
    const order = await shop.getOrder(sale.orgId, sale.order.id)
    expect(order.refunds).toMatchObject([{ amount: 5_000, status: 'succeeded' }])
    expect(order.needs_review.reasons).toContain('reversed')
  }
})

test('a partial chargeback is flagged for review when it names no amount', async () => {
  for (const isAfterRefund of [false, true]) {
    const sale = await aSale()
    await hear(sale)
    if (isAfterRefund) await giveBack(sale, 5_000, true)
    server.move(sale.order.payment.id, 'partial_chargeback')
    await check(sale)
    const order = await shop.getOrder(sale.orgId, sale.order.id)
    expect([order.status, order.needs_review?.reasons]).toEqual(['confirmed', ['amount_unknown']])
    // A repeated report does not reopen a closed review.
    await shop.call(sale.orgId, 'POST', `/orders/${order.id}/review`, { json: { decision: 'accept' } })
    await check(sale)
    expect((await shop.getOrder(sale.orgId, order.id)).needs_review).toBeNull()
  }
})

test('a full chargeback after a refund reverses the remaining money, even when both are reported at once', async () => {
  for (const isHeard of [true, false]) {
    const sale = await aSale()
    await hear(sale)
    await giveBack(sale, 5_000, true)
    if (isHeard) await hear(sale)
    chargeBack(sale, 20_000)
    await check(sale)
    const order = await shop.getOrder(sale.orgId, sale.order.id)
    expect([order.payment.status, order.payment_status]).toEqual(['reversed', 'reversed'])
    expect(order.needs_review.reasons).toEqual(['reversed'])
  }
})

test('a won dispute is recorded by hand, because the state at Midtrans after a chargeback restores no money', async () => {
  const sale = await aSale()
  await hear(sale)
  chargeBack(sale, 25_000)
  await hear(sale)
  // The answer of a replica that lags behind looks the same.
  server.move(sale.order.payment.id, 'settlement', { refunds: [], refund_amount: undefined })
  await check(sale)
  const money = { amount: 25_000, again: true, method: 'bank_transfer', note: 'The dispute was won' }
  const path = `/orders/${sale.order.id}/mark-paid`
  const reply = await shop.call(sale.orgId, 'POST', path, { json: money })
  expect(reply.status).toBe(200)
  await shop.checkBooks(sale.orgId)
  const { status, payment_status, payments, ledger } = await shop.getOrder(sale.orgId, sale.order.id)
  expect([status, payment_status]).toEqual(['confirmed', 'paid'])
  expect(payments.map((payment: Json) => [payment.method, payment.status])).toEqual([
    ['qris', 'reversed'],
    ['bank_transfer', 'paid'],
  ])
  expect(ledger.at(-1)).toMatchObject({ amount: 25_000, note: 'The dispute was won' })
})

async function something(sale: Sale, random: Random): Promise<void> {
  const left = 25_000 - sale.refunded - sale.reversed
  const amount = random.isLucky(0.2) ? left : Math.min(left, 1000 * (1 + random.below(8)))
  const isOver = server.notices(sale.order.payment.id).transaction_status === 'chargeback'
  const act = random.below(6)
  if (act < 2 || amount === 0 || isOver) await hear(sale)
  else if (act === 2) chargeBack(sale, amount)
  else if (act === 3) server.confirmRefunds(sale.order.payment.id)
  else await giveBack(sale, amount, random.isLucky(0.5))
}

test('thirty random sequences of refunds and chargebacks, with missed notices, end with the returned amount in the books', async () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = createRandom(seed)
    const sale = await aSale()
    await hear(sale)
    for (let step = 0; step < 8; step++) await something(sale, random)
    await check(sale).catch((error) => {
      throw new Error(`story ${seed}: ${error.message}`)
    })
  }
})
