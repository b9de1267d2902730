import { beforeEach, expect, test } from 'bun:test'
import { casesOf, known, paid } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { reportOf } from '../../../test/support/scripted-payments.ts'
import type { PaymentReport } from '../../payments/payment-connector.ts'

/** A notice that is ahead of its provider's own state is confirmed later, because the provider does not send it again. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg, summaryOf } = casesOf(shop)

/** Sets the answer of the provider to a query. */
const answer = (fields: Partial<PaymentReport>) => {
  shop.remote.script.status = (attempt) => ({ kind: 'known', report: reportOf(attempt, fields), details: null })
}

const unproven = { proven: false }

async function aPaidOrder() {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, paid(order.payment))
  return { orgId, order }
}

test('a reversal is recorded after the payment when the provider confirms it late', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  answer({ state: 'paid' })
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'reversed' }), unproven)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  answer({ state: 'reversed' })
  await shop.advance(10)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'reversed', 'reversed', ['reversed']])
})

test('a second partial reversal is recorded when the provider confirms it late', async () => {
  const { orgId, order } = await aPaidOrder()
  answer({ state: 'reversed', amountReversed: 5_000 })
  const reversal = { state: 'reversed', amountReversed: 8_000, dedupKey: 'second' } as const
  await shop.sendNotice(orgId, reportOf(known(order.payment), reversal), unproven)
  expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(5_000)
  answer(reversal)
  await shop.advance(10)
  expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(8_000)
})

test('a partial reversal without an amount is flagged for review when the provider confirms it late', async () => {
  const { orgId, order } = await aPaidOrder()
  answer({ state: 'paid' })
  const reversal = { state: 'reversed', amountReversed: 0 } as const
  await shop.sendNotice(orgId, reportOf(known(order.payment), reversal), unproven)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  answer(reversal)
  await shop.advance(10)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['amount_unknown']])
})

test.each([
  ['was created at the provider', 'theirs'],
  ['is reported only as a sum', null],
])('a refund that %s is recorded when the provider confirms it late', async (_, providerRefundId) => {
  const { orgId, order } = await aPaidOrder()
  const refund = { refundId: null, providerRefundId, amount: 5_000, state: 'succeeded' } as const
  answer({ state: 'paid' })
  await shop.sendNotice(orgId, paid(order.payment, { refunds: [refund], dedupKey: 'refunded' }), unproven)
  expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(0)
  answer({ state: 'paid', refunds: [refund] })
  await shop.advance(10)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'partially_refunded', 'paid', []])
})

test('a transfer denied by its bank is recorded as reversed when the provider confirms it late', async () => {
  const { orgId, order } = await aPaidOrder()
  const denied = { state: 'failed', undoesPayment: true } as const
  answer({ state: 'paid' })
  await shop.sendNotice(orgId, reportOf(known(order.payment), denied), unproven)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  answer(denied)
  await shop.advance(10)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'reversed', 'reversed', ['reversed']])
})

test('a second payment of one code is recorded when the provider confirms it late', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  answer({ state: 'paid', paymentId: 'py-1' })
  for (const paymentId of ['py-1', 'py-2'])
    await shop.sendNotice(orgId, paid(order.payment, { paymentId, dedupKey: paymentId }), unproven)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  answer({ state: 'paid', paymentId: 'py-2' })
  await shop.advance(10)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['duplicate_payment']])
})

test('a notice is dropped when the provider never confirms it', async () => {
  const { orgId, order } = await aPaidOrder()
  answer({ state: 'paid' })
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'reversed' }), unproven)
  for (let hour = 0; hour < 24; hour++) await shop.advance(3600)
  const questions = shop.remote.calls.filter((call) => call.startsWith('status')).length
  expect(questions).toBeLessThan(10)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
})
