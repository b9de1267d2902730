import { beforeEach, describe, expect, test } from 'bun:test'
import { casesOf, known, paid } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { reportOf, unavailableFailure } from '../../../test/support/scripted-payments.ts'
import { until } from '../../../test/support/until.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { readRefunds } from '../../payments/connectors/xendit/xendit-report.ts'

/** Refunds and reversals are recorded, and what is due afterwards can be paid again or accepted as a loss. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg, summaryOf } = casesOf(shop)

test('an order stays flagged for review when a bank reverses a part of the money, and the remaining part later', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, paid(order.payment))
  const part = reportOf(known(order.payment), { state: 'reversed', amountReversed: 15_000, dedupKey: 'part' })
  await shop.sendNotice(orgId, part)
  await shop.sendNotice(orgId, { ...part, dedupKey: 'part again' })
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'reversed', 'paid', ['reversed']])
  expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(15_000)
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'reversed' }))
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'reversed', 'reversed', ['reversed']])
  expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(25_000)
})

test('each reversal and each failed refund records order.needs_review, even when an earlier one is not reviewed', async () => {
  const orgId = await remoteOrg()
  const [reversed, refused] = [await shop.anOrder(orgId), await shop.anOrder(orgId)]
  for (const order of [reversed, refused]) await shop.sendNotice(orgId, paid(order.payment))
  const countReviews = async () => (await shop.eventTypes(orgId)).filter((type) => type === 'order.needs_review').length
  const taken = (amountReversed: number) =>
    reportOf(known(reversed.payment), { state: 'reversed', amountReversed, dedupKey: `taken ${amountReversed}` })
  for (const [index, amount] of [5_000, 12_000, 12_000].entries()) {
    await shop.sendNotice(orgId, taken(amount))
    expect(await countReviews()).toBe(Math.min(index + 1, 2))
  }
  shop.remote.script.refund = () => ({ kind: 'refused', failure: { ...unavailableFailure, class: 'rejected' } })
  for (const count of [3, 4]) {
    await shop.call(orgId, 'POST', `/orders/${refused.id}/refunds`, { json: { amount: 5_000 } })
    await shop.settle()
    expect(await countReviews()).toBe(count)
  }
})

test('an order stays confirmed and is flagged for review when a bank reverses its payment', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, paid(order.payment))
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'reversed' }))
  await shop.sendNotice(orgId, paid(order.payment))
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'reversed', 'reversed', ['reversed']])
})

test('a reversed amount can be paid again, and a refunded amount is not due', async () => {
  const orgId = await remoteOrg()
  const [reversed, refunded] = [await shop.anOrder(orgId), await shop.anOrder(orgId)]
  const open = (order: Json) => shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
  for (const order of [reversed, refunded]) await shop.sendNotice(orgId, paid(order.payment))
  await shop.sendNotice(orgId, reportOf(known(reversed.payment), { state: 'reversed' }))
  await shop.call(orgId, 'POST', `/orders/${refunded.id}/refunds`, { json: { amount: 5_000 } })
  await shop.settle()
  const again = await open(reversed)
  expect([again.status, again.json.payment.amount]).toEqual([201, 25_000])
  await shop.sendNotice(orgId, paid(again.json.payment))
  expect((await summaryOf(orgId, reversed)).slice(0, 3)).toEqual(['confirmed', 'paid', 'paid'])
  expect((await open(refunded)).json.code).toBe('order_not_payable')
})

test('a reversed amount can be paid again when a second payment was refunded before', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  const open = () => shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
  const { json } = await open()
  for (const payment of [json.payment, order.payment]) await shop.sendNotice(orgId, paid(payment))
  await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount: 25_000 } })
  await shop.settle()
  await shop.sendNotice(orgId, reportOf(known(json.payment), { state: 'reversed', dedupKey: 'reversal' }))
  const again = await open()
  expect([again.status, again.json.payment.amount]).toEqual([201, 25_000])
})

test('a reversed open amount can be paid again when a part of it was refunded', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { amount: undefined })
  const open = () => shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
  const giveBack = (json: object) => shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json })
  await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 6_000 }))
  await giveBack({ amount: 2_000 })
  await shop.settle()
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'reversed', amountPaid: 6_000 }))
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'reversed', 'reversed', ['reversed']])
  const again = await open()
  expect([again.status, again.json.payment?.amount]).toEqual([201, null])
  await shop.sendNotice(orgId, paid(again.json.payment, { amountPaid: 5_000 }))
  expect((await summaryOf(orgId, order)).slice(0, 3)).toEqual(['confirmed', 'partially_refunded', 'paid'])
  expect((await shop.eventTypes(orgId)).slice(-2)).toEqual(['payment.paid', 'order.paid'])
  // This time all of it is refunded.
  await giveBack({})
  await shop.settle()
  expect((await open()).json.code).toBe('order_not_payable')
})

describe('refunds', () => {
  const paidOrder = async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(order.payment))
    return { orgId, order }
  }
  const refund = (orgId: OrgId, order: Json, json: unknown) =>
    shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json })

  test('never add up to more than was paid, even when several are requested at once', async () => {
    const { orgId, order } = await paidOrder()
    const replies = await Promise.all(Array.from({ length: 5 }, () => refund(orgId, order, { amount: 10_000 })))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409])
    await shop.settle()
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'partially_refunded', 'paid', []])
    expect((await refund(orgId, order, {})).json.amount).toBe(5000)
    await shop.settle()
    expect((await shop.getOrder(orgId, order.id)).payment_status).toBe('refunded')
    expect((await refund(orgId, order, {})).json.code).toBe('order_has_no_money')
  })

  test('are settled once by the notice of the provider when they were pending', async () => {
    const { orgId, order } = await paidOrder()
    shop.remote.script.refund = () => ({ kind: 'pending', providerRefundId: 'theirs' })
    const { json } = await refund(orgId, order, { amount: 5000 })
    await shop.settle()
    const reported = { refundId: null, providerRefundId: 'theirs', amount: 5000, state: 'succeeded' as const }
    for (const key of ['one', 'two'])
      await shop.sendNotice(orgId, paid(order.payment, { dedupKey: key, refunds: [reported] }))
    const after = await shop.getOrder(orgId, order.id)
    expect(after.refunds).toMatchObject([{ id: json.id, status: 'succeeded' }])
    expect([after.payment_status, after.amount_returned]).toEqual(['partially_refunded', 5000])
    expect((await shop.eventTypes(orgId)).slice(-2)).toEqual(['payment.refunded', 'order.refunded'])
  })

  test('record the previous amounts in their events', async () => {
    const { orgId, order } = await paidOrder()
    await refund(orgId, order, { amount: 5000 })
    await shop.settle()
    shop.remote.script.refund = () => ({ kind: 'refused', failure: { ...unavailableFailure, class: 'rejected' } })
    await refund(orgId, order, { amount: 1000 })
    await shop.settle()
    expect(await shop.previousOf(orgId, 'payment.refunded')).toEqual({ amount_refunded: 0 })
    expect(await shop.previousOf(orgId, 'order.refunded')).toEqual({ payment_status: 'paid', amount_returned: 0 })
    expect(await shop.previousOf(orgId, 'order.needs_review')).toEqual({ needs_review: null })
    expect(await shop.previousOf(orgId, 'payment.paid')).toEqual({ status: 'pending', amount_paid: 0, paid_at: null })
  })

  test('are flagged for review once when the provider accepted them and never reports on them again', async () => {
    const { orgId, order } = await paidOrder()
    shop.remote.script.refund = () => ({ kind: 'pending', providerRefundId: 'theirs' })
    await refund(orgId, order, { amount: 5000 })
    await shop.settle()
    const hours = [0.2, 1.1, 6.1, 24.1]
    for (const one of hours) await shop.advance(one * 3600)
    expect((await shop.getOrder(orgId, order.id)).needs_review).toBeNull()
    await shop.advance(48.1 * 3600)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['provider_silent']])
    const reported = { refundId: null, providerRefundId: 'theirs', amount: 5000, state: 'succeeded' as const }
    await shop.sendNotice(orgId, paid(order.payment, { dedupKey: 'at last', refunds: [reported] }))
    expect((await shop.getOrder(orgId, order.id)).payment_status).toBe('partially_refunded')
  })

  test('are recorded in the ledger when they were created at the provider', async () => {
    const { orgId, order } = await paidOrder()
    const reported = { refundId: null, providerRefundId: 'by-hand', amount: 25_000, state: 'succeeded' as const }
    await shop.sendNotice(orgId, paid(order.payment, { dedupKey: 'refund', refunds: [reported] }))
    await shop.checkBooks(orgId)
    expect((await shop.getOrder(orgId, order.id)).payment_status).toBe('refunded')
  })

  test.each([
    ['as succeeded twice', 'succeeded'],
    ['as pending and as succeeded', 'pending'],
  ] as const)('that one report names twice, %s, count once', async (_, first) => {
    const { orgId, order } = await paidOrder()
    const refund = { refundId: 'by hand', providerRefundId: 'by-hand', amount: 6_000 }
    const refunds = [
      { ...refund, state: first },
      { ...refund, state: 'succeeded' as const },
    ]
    await shop.sendNotice(orgId, paid(order.payment, { refunds, dedupKey: 'named twice' }))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'partially_refunded', 'paid', []])
    const after = await shop.getOrder(orgId, order.id)
    expect(after.refunds).toMatchObject([{ amount: 6_000, status: 'succeeded' }])
    expect(after.amount_returned).toBe(6_000)
  })

  test('of the first of two payments of a code are found when the report does not name the payment', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    for (const paymentId of ['py-1', 'py-2'])
      await shop.sendNotice(orgId, paid(order.payment, { paymentId, dedupKey: paymentId }))
    const refund = { refundId: null, providerRefundId: 'rfd-1', amount: 25_000, state: 'succeeded' } as const
    shop.remote.script.status = (attempt) => ({
      kind: 'known',
      report: paid(order.payment, {
        paymentId: 'py-2',
        refunds: attempt.paymentIds?.includes('py-1') ? [refund] : [],
      }),
      details: null,
    })
    await shop.sendNotice(orgId, paid(order.payment, { amountPaid: null, refunds: [refund], dedupKey: 'back' }), {
      proven: false,
    })
    expect((await summaryOf(orgId, order)).slice(0, 2)).toEqual(['confirmed', 'paid'])
    expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(25_000)
  })

  test('created at the provider are not matched with a pending refund of the same amount', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(order.payment))
    shop.remote.script.refund = () => ({ kind: 'unknown', detail: 'timed out' })
    const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount: 3_000 } })
    const done = (id: string, reference: string) =>
      readRefunds([{ id, reference_id: reference, amount: 3_000, status: 'SUCCEEDED' }])
    const [theirs, ours] = [done('rfd-theirs', 'by hand'), done('rfd-ours', json.id)]
    await shop.sendNotice(orgId, paid(order.payment, { refunds: theirs, dedupKey: 'theirs' }))
    await shop.sendNotice(orgId, paid(order.payment, { refunds: [...theirs, ...ours], dedupKey: 'both' }))
    await shop.checkBooks(orgId)
    expect((await shop.getOrder(orgId, order.id)).amount_returned).toBe(6_000)
  })

  test('imply that the payment was received when they are reported before it', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    const reported = { refundId: null, providerRefundId: 'early', amount: 25_000, state: 'succeeded' as const }
    await shop.sendNotice(orgId, paid(order.payment, { dedupKey: 'early', refunds: [reported] }))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'refunded', 'paid', []])
    expect(await shop.eventTypes(orgId)).not.toContain('order.paid')
  })

  test('of a part leave the order confirmed when they are reported together with the payment', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    const reported = { refundId: null, providerRefundId: 'early', amount: 5_000, state: 'succeeded' as const }
    await shop.sendNotice(orgId, paid(order.payment, { dedupKey: 'early', refunds: [reported] }))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'partially_refunded', 'paid', []])
    const types = await shop.eventTypes(orgId)
    expect(types.slice(-4)).toEqual(['payment.paid', 'payment.refunded', 'order.paid', 'order.refunded'])
    // The report repeated, and then the payment alone: order.paid is recorded once.
    await shop.sendNotice(orgId, paid(order.payment))
    expect(await shop.eventTypes(orgId)).toEqual(types)
  })

  test('of a part are flagged for review when they are reported together with a late payment', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
    await shop.advance(61)
    const reported = { refundId: null, providerRefundId: 'early', amount: 5_000, state: 'succeeded' as const }
    await shop.sendNotice(orgId, paid(order.payment, { dedupKey: 'early', refunds: [reported] }))
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'partially_refunded', 'paid', ['late_payment']])
  })

  test('of amount 0 are ignored, and the payment in the same report counts', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    const reported = { refundId: 'by hand', providerRefundId: 'empty', amount: 0, state: 'succeeded' as const }
    await shop.sendNotice(orgId, paid(order.payment, { dedupKey: 'empty', refunds: [reported] }))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
    expect((await shop.getOrder(orgId, order.id)).refunds).toEqual([])
  })

  test('show the reason, move no money and are flagged for review when they fail', async () => {
    const { orgId, order } = await paidOrder()
    const failure = { ...unavailableFailure, class: 'rejected' as const, code: 'balance_insufficient' }
    shop.remote.script.refund = () => ({ kind: 'refused', failure })
    await refund(orgId, order, { amount: 5000 })
    await shop.settle()
    const after = await shop.getOrder(orgId, order.id)
    expect(after.refunds).toMatchObject([{ status: 'failed', error: { code: 'balance_insufficient' } }])
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['refund_failed']])
    await refund(orgId, order, { amount: 5000, manual: true, note: 'by transfer' })
    expect((await summaryOf(orgId, order)).at(-1)).toEqual(['refund_failed'])
    await refund(orgId, order, { manual: true, note: 'the remaining amount' })
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'refunded', 'paid', []])
  })

  test('are requested again under the same id when the answer was lost', async () => {
    const { orgId, order } = await paidOrder()
    let calls = 0
    shop.remote.script.refund = () => {
      calls += 1
      return calls === 1 ? { kind: 'unknown', detail: 'lost' } : { kind: 'succeeded', providerRefundId: 'r' }
    }
    const { json } = await refund(orgId, order, {})
    await until(() => calls === 1)
    await shop.advance(10)
    expect(shop.remote.calls.filter((call) => call.startsWith('refund'))).toEqual([
      `refund ${json.id}`,
      `refund ${json.id}`,
    ])
    expect((await shop.getOrder(orgId, order.id)).payment_status).toBe('refunded')
  })
})

describe('a reversed or accepted payment', () => {
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

    test('sends its first order.paid when it is paid after a person accepted what a bank had left of it', async () => {
      const orgId = await remoteOrg()
      const order = await shop.anOrder(orgId)
      const part = { state: 'reversed', amountReversed: 10_000, paymentId: 'first' } as const
      await shop.sendNotice(orgId, reportOf(known(order.payment), part))
      expect((await act(orgId, order, 'review', { decision: 'accept' })).status).toBe(200)
      expect(await shop.eventTypes(orgId)).not.toContain('order.paid')
      await shop.sendNotice(orgId, paid(order.payment, { dedupKey: 'second', paymentId: 'second' }))
      expect(moneyOf(await shop.getOrder(orgId, order.id))).toEqual(['confirmed', 'overpaid', 0])
      expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.paid')).toHaveLength(1)
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
})
