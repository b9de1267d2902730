import { beforeEach, describe, expect, test } from 'bun:test'
import { casesOf, known, paid } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { reportOf } from '../../../test/support/scripted-payments.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'

/** A bank reverses a payment: the amount is due again, and the order is not completed until a person settles it. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg } = casesOf(shop)

const act = (orgId: OrgId, order: Json, action: string, json: object = {}) =>
  shop.call(orgId, 'POST', `/orders/${order.id}/${action}`, { json })

async function aReversedOrder(reversed: Record<string, number> = {}): Promise<{ orgId: OrgId; order: Json }> {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, paid(order.payment))
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'reversed', ...reversed }))
  return { orgId, order }
}

const moneyOf = ({ status, payment_status, amount_remaining }: Json) => [status, payment_status, amount_remaining]

describe('an order whose payment was reversed', () => {
  test('keeps its debt and sends payment.reversed, not payment.refunded', async () => {
    const { orgId, order } = await aReversedOrder()
    const after = await shop.getOrder(orgId, order.id)
    expect(moneyOf(after)).toEqual(['confirmed', 'reversed', 25_000])
    expect(after.payment).toMatchObject({ status: 'reversed', amount_reversed: 25_000, amount_refunded: 0 })
    const types = await shop.eventTypes(orgId)
    expect(types.slice(-2)).toEqual(['payment.reversed', 'order.needs_review'])
    expect(types.filter((type) => type.endsWith('.refunded'))).toEqual([])
    expect(await shop.previousOf(orgId, 'payment.reversed')).toEqual({ status: 'paid', amount_reversed: 0 })
  })

  test('asks only for the reversed part when a part was reversed', async () => {
    const { orgId, order } = await aReversedOrder({ amountReversed: 8_000 })
    expect(moneyOf(await shop.getOrder(orgId, order.id))).toEqual(['confirmed', 'reversed', 8_000])
    expect((await act(orgId, order, 'complete')).json.code).toBe('order_payment_reversed')
  })

  test('is completed when it was paid again', async () => {
    const { orgId, order } = await aReversedOrder()
    const refused = await act(orgId, order, 'complete')
    expect([refused.status, refused.json.code, refused.json.params]).toEqual([
      409,
      'order_payment_reversed',
      { amount_remaining: 25_000 },
    ])
    const { json } = await act(orgId, order, 'payments', { method: 'qris' })
    expect(moneyOf(json)).toEqual(['confirmed', 'reversed', 25_000])
    await shop.sendNotice(orgId, paid(json.payment))
    expect((await shop.eventTypes(orgId)).slice(-2)).toEqual(['payment.paid', 'order.paid'])
    const completed = await act(orgId, order, 'complete')
    expect([completed.status, ...moneyOf(completed.json)]).toEqual([200, 'completed', 'paid', 0])
  })

  test('is completed when a person accepted the loss, without a second order.paid', async () => {
    const { orgId, order } = await aReversedOrder({ amountReversed: 8_000 })
    expect((await act(orgId, order, 'process')).status).toBe(200)
    const accepted = await act(orgId, order, 'review', { decision: 'accept' })
    expect([...moneyOf(accepted.json), accepted.json.needs_review]).toEqual(['processing', 'reversed', 0, null])
    expect((await act(orgId, order, 'payments', { method: 'qris' })).json.code).toBe('order_not_payable')
    expect((await act(orgId, order, 'complete')).status).toBe(200)
    expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.paid').length).toBe(1)
  })

  test('is still to be settled when the review was only dismissed, and can be accepted afterwards', async () => {
    const { orgId, order } = await aReversedOrder()
    expect((await act(orgId, order, 'review', { decision: 'dismiss' })).json.needs_review).toBeNull()
    expect((await act(orgId, order, 'complete')).json.code).toBe('order_payment_reversed')
    expect((await act(orgId, order, 'review', { decision: 'accept' })).json.amount_remaining).toBe(0)
    expect((await act(orgId, order, 'complete')).json.status).toBe('completed')
    expect((await act(orgId, order, 'review', { decision: 'accept' })).json.code).toBe('order_review_not_needed')
  })

  test('asks for the reversed amount again when more is reversed after the loss was accepted', async () => {
    const { orgId, order } = await aReversedOrder({ amountReversed: 8_000 })
    await act(orgId, order, 'review', { decision: 'accept' })
    await shop.sendNotice(
      orgId,
      reportOf(known(order.payment), { state: 'reversed', amountReversed: 20_000, dedupKey: 'more' }),
    )
    expect(moneyOf(await shop.getOrder(orgId, order.id))).toEqual(['confirmed', 'reversed', 20_000])
    expect((await act(orgId, order, 'complete')).json.code).toBe('order_payment_reversed')
  })
})

test('an accepted part ends the open attempt for the remaining amount', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 20_000 }))
  await act(orgId, order, 'payments', { method: 'qris' })
  const accepted = await act(orgId, order, 'review', { decision: 'accept' })
  expect(moneyOf(accepted.json)).toEqual(['confirmed', 'partially_paid', 0])
  await shop.settle()
  const { payments, payment } = await shop.getOrder(orgId, order.id)
  expect([payments.map(({ status }: Json) => status), payment.id]).toEqual([['paid', 'cancelled'], order.payment.id])
})
