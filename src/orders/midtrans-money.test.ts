import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type MidtransServer, startMidtransServer } from '../../test/support/midtrans-server.ts'
import { known } from '../../test/support/order-cases.ts'
import { useOrders } from '../../test/support/orders.ts'
import { createRandom, type Random } from '../../test/support/random.ts'
import type { Json } from '../../test/support/webhooks.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Id, OrgId } from '../kernel/ids.ts'
import { createMidtransConnector } from '../payments/connectors/midtrans/midtrans.ts'
import { never, suiteAccount, suiteAttempt } from '../payments/payment-connector.suite.ts'
import type { PaymentAccount } from '../payments/payment-connector.ts'
import { applyReportAlone } from '../payments/payment-moves.ts'

/**
 * Refunds and what banks take back, at Midtrans, in any order: both stand in one list there, and the name of the last act
 * is the state of all. Whatever was heard of and what was missed, the books end with what went back, once.
 */
const shop = useOrders()
const connector = createMidtransConnector({ clock: systemClock, timeoutMs: 5000 })
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

/** A notice of Midtrans leads to a question, and its answer counts. */
async function hear({ orgId, order }: Sale): Promise<void> {
  const status = await connector.askStatus(account, known(order.payment), never)
  if (status.kind !== 'known') throw new Error(`not known: ${JSON.stringify(status)}`)
  const place = { org_id: orgId, id: order.payment.id as Id<'pay'>, order_id: order.id }
  await applyReportAlone(shop.payments.context, place, { report: status.report, source: 'question' })
}

const rowsOf = ({ order }: Sale) => (server.notices(order.payment.id).refunds ?? []) as Record<string, unknown>[]

/** Of a part, or of all that is left. */
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

/** Through us, or made by staff at Midtrans, which makes a key of its own. */
async function giveBack(sale: Sale, amount: number, isOurs: boolean): Promise<void> {
  const { orgId, order } = sale
  const reply = isOurs
    ? await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount } })
    : { status: 201, json: { id: `by-hand-${rowsOf(sale).length}` } }
  // What we have not heard of yet, we may try to give back all the same: Midtrans refuses it.
  if (reply.status !== 201) return
  await shop.settle()
  const wish = { id: reply.json.id, payment: known(order.payment), amount, reason: null }
  expect((await connector.refund(account, wish, never)).kind).toBe('pending')
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

test('a refund after a chargeback of a part leaves the chargeback what it was', async () => {
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

test('a chargeback of a part that does not say how much is for a person to look at', async () => {
  for (const isAfterRefund of [false, true]) {
    const sale = await aSale()
    await hear(sale)
    if (isAfterRefund) await giveBack(sale, 5_000, true)
    server.move(sale.order.payment.id, 'partial_chargeback')
    await check(sale)
    const order = await shop.getOrder(sale.orgId, sale.order.id)
    expect([order.status, order.needs_review?.reasons]).toEqual(['confirmed', ['amount_unknown']])
    // Who has looked is not asked to look again because the same is heard again.
    await shop.call(sale.orgId, 'POST', `/orders/${order.id}/review`, { json: { decision: 'accept' } })
    await check(sale)
    expect((await shop.getOrder(sale.orgId, order.id)).needs_review).toBeNull()
  }
})

test('a chargeback of all that a refund left takes the rest, also when both are heard of at once', async () => {
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

test('a dispute that the shop wins is recorded by hand: what Midtrans says after a chargeback gives nothing back', async () => {
  const sale = await aSale()
  await hear(sale)
  chargeBack(sale, 25_000)
  await hear(sale)
  // The word of a machine that is behind looks the same.
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

test('thirty stories of refunds and chargebacks, heard of or missed, end with what went back', async () => {
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
