import { beforeEach, describe, expect, test } from 'bun:test'
import { casesOf, known, paid } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { payableOutcome, reportOf, unavailableFailure } from '../../../test/support/scripted-payments.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { ChargeOutcome, ReportedPaymentState } from '../../payments/payment-connector.ts'

/** An order expires when its time to pay is over, after the provider was asked, and never with money held. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg, summaryOf } = casesOf(shop)

test('an order expires on time after the provider was asked, and records an event', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 600 } })
  await shop.advance(580)
  expect((await shop.getOrder(orgId, order.id)).status).toBe('pending_payment')
  await shop.advance(21)
  expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'expired', []])
  const { id } = order.payment
  expect(shop.remote.calls.slice(-2)).toEqual([`status ${id}`, `expire ${id}`])
  expect((await shop.eventTypes(orgId)).slice(-2)).toEqual(['payment.expired', 'order.expired'])
})

test('a payment without a notice is found when the time of the attempt is over', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  shop.remote.script.status = (attempt) => ({
    kind: 'known',
    report: reportOf(attempt, { state: 'paid' }),
    details: null,
  })
  await shop.advance(61)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  expect(shop.remote.calls.some((call) => call.startsWith('expire'))).toBe(false)
})

test('an order is paid when money is received in the moment of expiry', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  shop.remote.script.expire = (attempt) => ({ kind: 'overtaken', report: reportOf(attempt, { state: 'paid' }) })
  await shop.advance(61)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
})

test('an order is flagged for review when its provider is asked with back-off for a day and gives no answer', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  shop.remote.script.status = () => ({ kind: 'refused', failure: unavailableFailure })
  await shop.advance(61)
  expect((await shop.getOrder(orgId, order.id)).status).toBe('pending_payment')
  const isOver = async () => (await shop.getOrder(orgId, order.id)).status !== 'pending_payment'
  for (let hour = 0; hour < 60 && !(await isOver()); hour++) await shop.advance(3600)
  expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'expired', ['provider_silent']])
  const asked = shop.remote.calls.filter((call) => call.startsWith('status')).length
  expect(asked).toBeGreaterThanOrEqual(8)
  expect(asked).toBeLessThanOrEqual(12)
})

test('an order expires when its attempt was cancelled at the provider and its time is over', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'cancelled' }))
  expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'unpaid', 'cancelled', []])
  const called = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
  const { json: before } = await shop.call(orgId, 'POST', `/orders/${called.id}/cancel`)
  await shop.advance(61)
  expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'cancelled', []])
  expect((await shop.getOrder(orgId, called.id)).updated_at).toBe(before.updated_at)
})

test('an order expires at the later end that the provider gave its attempt when the attempt failed before', async () => {
  const orgId = await remoteOrg()
  shop.remote.script.charge = (attempt) => {
    const outcome = payableOutcome(attempt) as Extract<ChargeOutcome, { kind: 'payable' }>
    const expiresAt = new Date((attempt.expiresAt as Date).getTime() + 600_000)
    return { ...outcome, details: { ...outcome.details, expiresAt } }
  }
  const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 300 } })
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'failed' }))
  await shop.advance(301)
  expect((await shop.getOrder(orgId, order.id)).status).toBe('pending_payment')
  await shop.advance(600)
  expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'failed', []])
})

test('an order awaits another attempt within its grace period before it expires', async () => {
  const orgId = await remoteOrg({ order_grace_seconds: 600 })
  const [left, taken] = [
    await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } }),
    await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } }),
  ]
  await shop.advance(61)
  expect(await summaryOf(orgId, left)).toEqual(['pending_payment', 'unpaid', 'expired', []])
  await shop.call(orgId, 'POST', `/orders/${taken.id}/payments`, { json: { method: 'qris' } })
  await shop.advance(601)
  expect((await shop.getOrder(orgId, left.id)).status).toBe('expired')
  expect((await shop.getOrder(orgId, taken.id)).status).toBe('pending_payment')
})

describe('an attempt that ended', () => {
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
})
