import { beforeEach, describe, expect, test } from 'bun:test'
import { casesOf, known, paid, summary } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { reportOf } from '../../../test/support/scripted-payments.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { ReportedPaymentState } from '../../payments/payment-connector.ts'

/** Attempts that ended at the provider without a notice. */
const shop = useOrders({ answerTimeoutMs: 200 })
beforeEach(() => shop.remote.reset())
const { remoteOrg, summaryOf } = casesOf(shop)

const providerSays = (state: ReportedPaymentState) => {
  shop.remote.script.status = (attempt) => ({ kind: 'known', report: reportOf(attempt, { state }), details: null })
}

test.each(['failed', 'cancelled'] as const)(
  'an order expires when its attempt is found %s at the provider after its time',
  async (state) => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
    providerSays(state)
    await shop.advance(61)
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', state, []])
    expect((await shop.eventTypes(orgId)).at(-1)).toBe('order.expired')
  },
)

test('a failed attempt shows the code of the provider until money is received after all', async () => {
  const orgId = await remoteOrg()
  const { id, payment } = await shop.anOrder(orgId)
  const error = async () => (await shop.getOrder(orgId, id)).payment.error
  await shop.sendNotice(
    orgId,
    reportOf(known(payment), { state: 'failed', facts: { failure: 'INSUFFICIENT_BALANCE' } }),
  )
  const expected = { code: 'payment_denied', detail: expect.any(String), provider_code: 'INSUFFICIENT_BALANCE' }
  expect(await error()).toEqual(expected)
  const events = await shop.database.many<{ error: unknown }>`
    select body::jsonb #> '{data,error}' as error from events where org_id = ${orgId} and type = 'payment.failed'`
  expect(events).toEqual([{ error: expected }])
  await shop.sendNotice(orgId, paid(payment))
  expect(await error()).toBeNull()
})

test('an order expires when its attempt was cancelled at the provider in the moment of expiry', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  shop.remote.script.expire = (attempt) => ({ kind: 'overtaken', report: reportOf(attempt, { state: 'cancelled' }) })
  await shop.advance(61)
  expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'cancelled', []])
})

test.each([0, 120])(
  'an order expires when its attempt expires after a refunded partial payment, with %d s of grace',
  async (grace) => {
    const orgId = await remoteOrg({ order_grace_seconds: grace })
    const order = await shop.anOrder(orgId, { billingType: 'bank_transfer', payment: { expires_in_seconds: 60 } })
    await shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, { json: { amount: 10_000 } })
    await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { manual: true, note: 'sold out' } })
    await shop.advance(61)
    await shop.advance(grace + 1)
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'refunded', 'expired', []])
  },
)

describe('an order without an open attempt for the remaining amount is flagged for review', () => {
  const act = (orgId: OrgId, order: Json, action: string, json: object) =>
    shop.call(orgId, 'POST', `/orders/${order.id}/${action}`, { json })
  const aTransfer = (orgId: OrgId) =>
    shop.anOrder(orgId, { billingType: 'bank_transfer', payment: { expires_in_seconds: 60 } })

  test('when a partial payment was recorded in the grace period', async () => {
    const orgId = await remoteOrg({ order_grace_seconds: 600 })
    const order = await aTransfer(orgId)
    await shop.advance(61)
    await act(orgId, order, 'mark-paid', { amount: 10_000 })
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'partially_paid', 'expired', []])
    await shop.advance(601)
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'partially_paid', 'expired', ['underpaid']])
    expect((await shop.eventTypes(orgId)).at(-1)).toBe('order.needs_review')
    await act(orgId, order, 'mark-paid', {})
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  })

  test('when some of a partial payment was refunded', async () => {
    const orgId = await remoteOrg()
    const order = await aTransfer(orgId)
    await act(orgId, order, 'mark-paid', { amount: 10_000 })
    await act(orgId, order, 'refunds', { amount: 4_000, manual: true, note: 'in cash' })
    await shop.advance(61)
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'partially_refunded', 'expired', ['underpaid']])
  })
})

test.each([0, 120])(
  'an order expires when the partial payment of its expired attempt is refunded, with %d s of grace',
  async (grace) => {
    const orgId = await remoteOrg({ order_grace_seconds: grace })
    const order = await shop.anOrder(orgId, { billingType: 'bank_transfer', payment: { expires_in_seconds: 60 } })
    await shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, { json: { amount: 10_000 } })
    await shop.advance(61)
    expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'partially_paid', 'expired', ['underpaid']])
    const giveBack = (json: object) =>
      shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { ...json, manual: true, note: 'sold out' } })
    await giveBack({ amount: 4_000 })
    expect((await summaryOf(orgId, order))[0]).toBe('pending_payment')
    await giveBack({})
    await shop.advance(grace + 1)
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'refunded', 'expired', []])
    expect(await shop.eventTypes(orgId)).toContain('order.expired')
  },
)

test.each(['simulator', 'manual'])('a %s order expires when it was payable for a single second', async (provider) => {
  const orgId = await shop.anOrg([provider])
  const billingType = provider === 'manual' ? 'bank_transfer' : 'qris'
  const order = await shop.anOrder(orgId, { billingType, payment: { expires_in_seconds: 1 } })
  await shop.advance(2)
  expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'expired', []])
})

describe('a charge without an answer', () => {
  const anUnansweredOrder = async (expiresInSeconds: number) => {
    const orgId = await remoteOrg()
    shop.remote.script.charge = () => ({ kind: 'unknown', detail: 'timed out' })
    const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: expiresInSeconds } })
    expect(summary(order)).toEqual(['pending_payment', 'pending', 'created', []])
    return { orgId, order }
  }

  test.each(['expired', 'cancelled'] as const)(
    'fails the attempt and leaves the order open for another when it was created and is %s by now',
    async (state) => {
      const { orgId, order } = await anUnansweredOrder(600)
      providerSays(state)
      await shop.advance(2)
      expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'unpaid', 'failed', []])
      shop.remote.reset()
      const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
      expect(summary(json)).toEqual(['pending_payment', 'pending', 'pending', []])
    },
  )

  test('lets the order expire when its time is over before the provider is asked', async () => {
    const { orgId, order } = await anUnansweredOrder(60)
    providerSays('expired')
    await shop.advance(61)
    await shop.advance(1)
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'failed', []])
  })

  test('does not prevent the cancellation of the order when it has ended at the provider', async () => {
    const { orgId, order } = await anUnansweredOrder(600)
    providerSays('expired')
    const { status, json } = await shop.call(orgId, 'POST', `/orders/${order.id}/cancel`)
    expect([status, ...summary(json)]).toEqual([200, 'cancelled', 'unpaid', 'failed', []])
  })
})
