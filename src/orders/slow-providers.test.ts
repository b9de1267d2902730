import { beforeEach, expect, test } from 'bun:test'
import { casesOf, known, paid } from '../../test/support/order-cases.ts'
import { useOrders } from '../../test/support/orders.ts'
import { reportOf } from '../../test/support/scripted-payments.ts'
import type { PaymentReport } from '../payments/payment-connector.ts'

/** A notice that is ahead of its provider's own books: it is asked about again, because it is not sent again. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg, summaryOf } = casesOf(shop)

/** What the provider answers when it is asked. */
const answer = (fields: Partial<PaymentReport>) => {
  shop.remote.script.status = (attempt) => ({ kind: 'known', report: reportOf(attempt, fields), details: null })
}

const unproven = { proven: false }

async function aPaidOrder() {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.tell(orgId, paid(order.payment))
  return { orgId, order }
}

test('money that a bank took back is booked once the provider knows of it, and the payment before', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  answer({ state: 'paid' })
  await shop.tell(orgId, reportOf(known(order.payment), { state: 'reversed' }), unproven)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  answer({ state: 'reversed' })
  await shop.advance(10)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'reversed', 'reversed', ['reversed']])
})

test('a second part that a bank took back is booked once the provider knows of it', async () => {
  const { orgId, order } = await aPaidOrder()
  answer({ state: 'reversed', amountReversed: 5_000 })
  const told = { state: 'reversed', amountReversed: 8_000, dedupKey: 'second' } as const
  await shop.tell(orgId, reportOf(known(order.payment), told), unproven)
  expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(5_000)
  answer(told)
  await shop.advance(10)
  expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(8_000)
})

test('a part that a bank took back, nobody says how much, is looked at once the provider knows of it', async () => {
  const { orgId, order } = await aPaidOrder()
  answer({ state: 'paid' })
  const told = { state: 'reversed', amountReversed: 0 } as const
  await shop.tell(orgId, reportOf(known(order.payment), told), unproven)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  answer(told)
  await shop.advance(10)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['amount_unknown']])
})

test.each([
  ['was made at the provider', 'theirs'],
  ['is told only as a sum', null],
])('a refund that %s is booked once the provider knows of it', async (_, providerRefundId) => {
  const { orgId, order } = await aPaidOrder()
  const refund = { refundId: null, providerRefundId, amount: 5_000, state: 'succeeded' } as const
  answer({ state: 'paid' })
  await shop.tell(orgId, paid(order.payment, { refunds: [refund], dedupKey: 'refunded' }), unproven)
  expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(0)
  answer({ state: 'paid', refunds: [refund] })
  await shop.advance(10)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'partially_refunded', 'paid', []])
})

test('a transfer that its bank took back by denying it is booked once the provider knows of it', async () => {
  const { orgId, order } = await aPaidOrder()
  const denied = { state: 'failed', undoesPayment: true } as const
  answer({ state: 'paid' })
  await shop.tell(orgId, reportOf(known(order.payment), denied), unproven)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  answer(denied)
  await shop.advance(10)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'reversed', 'reversed', ['reversed']])
})

test('a second payment of one code is booked once the provider knows of it', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  answer({ state: 'paid', paymentId: 'py-1' })
  for (const paymentId of ['py-1', 'py-2'])
    await shop.tell(orgId, paid(order.payment, { paymentId, dedupKey: paymentId }), unproven)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  answer({ state: 'paid', paymentId: 'py-2' })
  await shop.advance(10)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['duplicate_payment']])
})

test('a claim that the provider never confirms is dropped in the end', async () => {
  const { orgId, order } = await aPaidOrder()
  answer({ state: 'paid' })
  await shop.tell(orgId, reportOf(known(order.payment), { state: 'reversed' }), unproven)
  for (let hour = 0; hour < 24; hour++) await shop.advance(3600)
  const questions = shop.remote.calls.filter((call) => call.startsWith('status')).length
  expect(questions).toBeLessThan(10)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
})
