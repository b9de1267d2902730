import { beforeEach, expect, test } from 'bun:test'
import { casesOf, paid } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { reportOf } from '../../../test/support/scripted-payments.ts'
import type { PaymentReport } from '../../payments/payment-connector.ts'

/** A provider that does not show payments and refunds to the account, so that notices cannot be confirmed. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg, summaryOf } = casesOf(shop)

const answerInPart = (fields: Partial<PaymentReport>) => {
  shop.remote.script.status = (attempt) => ({
    kind: 'known',
    report: reportOf(attempt, fields),
    details: null,
    isPartial: true,
  })
}

const unproven = { proven: false }

async function anExpiredOrder() {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  answerInPart({ state: 'expired' })
  await shop.sendNotice(orgId, reportOf(order.payment, { state: 'expired' }), unproven)
  expect((await summaryOf(orgId, order))[0]).toBe('expired')
  return { orgId, order }
}

test('late money is not recorded and is flagged for review at once when it cannot be confirmed', async () => {
  const { orgId, order } = await anExpiredOrder()
  await shop.sendNotice(orgId, paid(order.payment), unproven)
  expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'expired', ['provider_silent']])
})

test('money is not recorded when the provider reports its code as unpaid', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  answerInPart({ state: 'pending' })
  await shop.sendNotice(orgId, paid(order.payment), unproven)
  expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'pending', 'pending', []])
})

test.each([
  ['lists only the first', { state: 'paid', paymentId: 'py-1' }],
  ['lists neither by id', { state: 'paid' }],
] as const)('a second payment is flagged for review when the provider %s', async (_, fields) => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  answerInPart(fields)
  const notify = (paymentId: string) =>
    shop.sendNotice(orgId, paid(order.payment, { paymentId, dedupKey: paymentId }), unproven)
  await notify('py-1')
  await notify('py-1')
  for (let hour = 0; hour < 12; hour++) await shop.advance(3600)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  await notify('py-2')
  for (let hour = 0; hour < 12; hour++) await shop.advance(3600)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['provider_silent']])
})

async function aRefundUnderWay(isNamed = true) {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, paid(order.payment))
  shop.remote.script.refund = ({ id }) => ({ kind: 'pending', providerRefundId: isNamed ? `their_${id}` : null })
  const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount: 5_000 } })
  await shop.advance(0)
  answerInPart({ state: 'paid' })
  return { orgId, order, refundId: json.id as string }
}

test.each([
  ['succeeded', 'as the provider does', (id: string) => `their_${id}`, 5_000, 'partially_refunded'],
  ['pending', 'wrongly', () => 'guessed', 5_000, 'paid'],
  ['pending', 'as the provider does, with another amount', (id: string) => `their_${id}`, 6_000, 'paid'],
] as const)(
  'a refund that cannot be confirmed is %s when its notice names it %s',
  async (state, _, nameOf, amount, paymentStatus) => {
    const { orgId, order, refundId } = await aRefundUnderWay()
    const refund = { refundId, providerRefundId: nameOf(refundId), amount, state: 'succeeded' } as const
    await shop.sendNotice(
      orgId,
      paid(order.payment, { amountPaid: null, refunds: [refund], dedupKey: 'back' }),
      unproven,
    )
    const after = await shop.getOrder(orgId, order.id)
    expect([after.refunds[0].status, after.payment_status]).toEqual([state, paymentStatus])
  },
)

test('a refund is matched by our id when the provider gave it none', async () => {
  const { orgId, order, refundId } = await aRefundUnderWay(false)
  const refund = { refundId, providerRefundId: 'told_later', amount: 5_000, state: 'succeeded' } as const
  await shop.sendNotice(orgId, paid(order.payment, { amountPaid: null, refunds: [refund], dedupKey: 'back' }), unproven)
  expect((await shop.getOrder(orgId, order.id)).refunds[0].status).toBe('succeeded')
})

test('a refund created at the provider is flagged for review when it cannot be confirmed', async () => {
  const { orgId, order } = await aRefundUnderWay()
  const refund = { refundId: 'by hand', providerRefundId: 'theirs', amount: 3_000, state: 'succeeded' } as const
  await shop.sendNotice(orgId, paid(order.payment, { amountPaid: null, refunds: [refund], dedupKey: 'back' }), unproven)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  for (let hour = 0; hour < 12; hour++) await shop.advance(3600)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['provider_silent']])
})
