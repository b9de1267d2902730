import { beforeEach, describe, expect, test } from 'bun:test'
import { casesOf, paid } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'

const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg, summaryOf } = casesOf(shop)

const refund = (orgId: OrgId, order: Json, json?: object) =>
  shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, json === undefined ? {} : { json })

const partsOf = ({ json }: { json: Json }) =>
  json.parts.map(({ payment_id, amount }: Json) => [payment_id, amount]) as [string, number][]

/** 20,000 of 25,000 by the first code, the remaining amount by the second. */
async function anOrderInTwoParts(second: object = { method: 'qris' }) {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 20_000 }))
  shop.clock.advance(1_000)
  const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: second })
  const last = json.payment
  await shop.sendNotice(orgId, paid(last, { occurredAt: new Date(shop.clock.now()) }))
  expect((await shop.getOrder(orgId, order.id)).payment_status).toBe('paid')
  return { orgId, order, first: order.payment.id as string, last: last.id as string }
}

describe('POST /orders/{id}/refunds', () => {
  test('refunds all that was received when it has no body', async () => {
    const { orgId, order, first, last } = await anOrderInTwoParts()
    const reply = await refund(orgId, order)
    expect([reply.status, partsOf(reply)]).toEqual([
      201,
      [
        [last, 5_000],
        [first, 20_000],
      ],
    ])
    await shop.settle()
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'refunded', 'paid', []])
  })

  test('is split over the payments when the amount spans several of them', async () => {
    const { orgId, order, first, last } = await anOrderInTwoParts()
    const reply = await refund(orgId, order, { amount: 12_000, manual: true, note: 'by transfer' })
    expect(partsOf(reply)).toEqual([
      [last, 5_000],
      [first, 7_000],
    ])
    expect([reply.json.id, reply.json.amount]).toEqual([reply.json.parts[0].id, 5_000])
    const tooMuch = await refund(orgId, order, { amount: 13_001, manual: true, note: 'by transfer' })
    expect([tooMuch.status, tooMuch.json.code, tooMuch.json.params.refundable]).toEqual([
      409,
      'refund_too_large',
      13_000,
    ])
    expect((await shop.getOrder(orgId, order.id)).refunds.length).toBe(2)
  })

  test('takes the payments that a provider can refund, and is refused as a whole when these do not suffice', async () => {
    const { orgId, order, first, last } = await anOrderInTwoParts({ method: 'virtual_account', bank: 'bni' })
    const refused = await refund(orgId, order)
    expect([refused.json.code, refused.json.params]).toEqual([
      'refund_not_possible',
      { payment_id: last, refundable: 20_000 },
    ])
    expect(partsOf(await refund(orgId, order, { amount: 15_000 }))).toEqual([[first, 15_000]])
  })
})

describe('a payment that its provider refunds in full only', () => {
  test('is refunded in full, and the refund of a part is refused before the provider is asked', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId, { billingType: 'ewallet' })
    await shop.sendNotice(orgId, paid(order.payment))
    const { status, json } = await refund(orgId, order, { amount: 5_000 })
    expect([status, json.code, json.params]).toEqual([
      409,
      'refund_only_in_full',
      { amount: order.total, payment_id: order.payment.id },
    ])
    expect((await refund(orgId, order, { amount: 5_000, payment: order.payment.id })).status).toBe(409)
    const manual = { amount: 5_000, manual: true, note: 'by transfer' }
    expect((await refund(orgId, order, manual)).status).toBe(201)
    expect((await refund(orgId, order)).json.code).toBe('refund_only_in_full')
    const another = await shop.anOrder(orgId, { billingType: 'ewallet' })
    await shop.sendNotice(orgId, paid(another.payment))
    expect((await refund(orgId, another)).status).toBe(201)
    await shop.settle()
    const again = await refund(orgId, another, { payment: another.payment.id })
    expect([again.json.code, again.json.params.refundable]).toEqual(['refund_too_large', 0])
    expect(await summaryOf(orgId, another)).toEqual(['confirmed', 'refunded', 'paid', []])
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'partially_refunded', 'paid', []])
  })
})

describe('the actor of a refund', () => {
  const KEY = { type: 'key', id: 'key_test' }

  const actorsOf = async (orgId: OrgId, ...types: string[]) =>
    (
      await shop.database.many<{ body: string }>`
        select body from events where org_id = ${orgId} and type = any(${types}::text[]) order by sequence`
    ).map(({ body }) => JSON.parse(body).actor)

  async function aPaidOrder() {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(order.payment))
    return { orgId, order }
  }

  test('is the key that asked for it, in the refund, the ledger and the events, when the provider answers', async () => {
    const { orgId, order } = await aPaidOrder()
    expect((await refund(orgId, order, { amount: 5_000 })).json.actor).toEqual(KEY)
    await shop.settle()
    const { refunds, ledger } = await shop.getOrder(orgId, order.id)
    expect([refunds[0].actor, ledger.at(-1).actor]).toEqual([KEY, KEY])
    expect(await actorsOf(orgId, 'payment.refunded', 'order.refunded')).toEqual([KEY, KEY])
    // The payment itself was reported by the provider.
    expect(await actorsOf(orgId, 'payment.paid')).toEqual([{ type: 'system', id: null }])
  })

  test('is that key also when a notice settles the refund later', async () => {
    const { orgId, order } = await aPaidOrder()
    shop.remote.script.refund = ({ id }) => ({ kind: 'pending', providerRefundId: `scripted_${id}` })
    const { json } = await refund(orgId, order, { amount: 5_000 })
    await shop.settle()
    const reported = { refundId: json.id, providerRefundId: `scripted_${json.id}`, amount: 5_000 }
    const report = paid(order.payment, { refunds: [{ ...reported, state: 'succeeded' }], dedupKey: 'refund' })
    await shop.sendNotice(orgId, report)
    expect(await actorsOf(orgId, 'payment.refunded', 'order.refunded')).toEqual([KEY, KEY])
  })

  test('is the key in order.needs_review when the provider refuses it', async () => {
    const { orgId, order } = await aPaidOrder()
    const failure = { class: 'rejected', code: 'no', providerCode: null, detail: 'No.', retryAfterMs: null } as const
    shop.remote.script.refund = () => ({ kind: 'refused', failure })
    await refund(orgId, order)
    await shop.settle()
    expect(await actorsOf(orgId, 'order.needs_review')).toEqual([KEY])
  })
})
