import { beforeEach, describe, expect, test } from 'bun:test'
import { casesOf, known, paid, summary } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { reportOf, unavailableFailure } from '../../../test/support/scripted-payments.ts'
import { until } from '../../../test/support/until.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { readRefunds } from '../../payments/connectors/xendit/xendit-report.ts'

/** Late and duplicate payments, refunds and reversals, against a scripted provider. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg, summaryOf } = casesOf(shop)

describe('late money is always recorded first, and', () => {
  const lateOrder = async (settings: Record<string, unknown>, fields: Record<string, unknown> = {}) => {
    const orgId = await remoteOrg(settings)
    const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 }, ...fields })
    await shop.advance(61)
    await shop.sendNotice(orgId, paid(order.payment))
    return { orgId, order }
  }

  test('“review” leaves the order expired and marked, and accepting confirms it', async () => {
    const { orgId, order } = await lateOrder({})
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'paid', 'paid', ['late_payment']])
    expect((await shop.eventTypes(orgId)).slice(-3)).toEqual(['payment.late', 'payment.paid', 'order.needs_review'])
    const reply = await shop.call(orgId, 'POST', `/orders/${order.id}/review`, { json: { decision: 'accept' } })
    expect(summary(reply.json)).toEqual(['confirmed', 'paid', 'paid', []])
    expect((await shop.eventTypes(orgId)).at(-1)).toBe('order.paid')
  })

  test('“accept” confirms the order', async () => {
    const { orgId, order } = await lateOrder({ late_payment: 'accept' })
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  })

  test('“accept” confirms the order when its last part was received', async () => {
    const orgId = await remoteOrg({ late_payment: 'accept' })
    const order = await shop.anOrder(orgId, { billingType: 'bank_transfer', payment: { expires_in_seconds: 60 } })
    await shop.advance(61)
    const mark = (amount: number) => shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, { json: { amount } })
    expect(summary((await mark(10_000)).json)).toEqual(['expired', 'partially_paid', 'expired', ['late_payment']])
    expect(summary((await mark(15_000)).json)).toEqual(['confirmed', 'paid', 'paid', []])
    expect((await shop.eventTypes(orgId)).at(-1)).toBe('order.paid')
  })

  test('“refund” refunds it', async () => {
    const { orgId, order } = await lateOrder({ late_payment: 'refund' })
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'refunded', 'paid', []])
    const { refunds } = await shop.getOrder(orgId, order.id)
    expect(refunds).toMatchObject([{ amount: 25_000, status: 'succeeded' }])
  })

  test('“refund” is left to staff when the provider cannot refund it', async () => {
    const { orgId, order } = await lateOrder({ late_payment: 'refund' }, { billingType: 'virtual_account' })
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'paid', 'paid', ['late_payment', 'refund_due']])
    const json = { manual: true, note: 'Transferred back' }
    expect((await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json })).status).toBe(201)
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'refunded', 'paid', []])
  })

  test('never confirms a cancelled order, whatever the policy', async () => {
    const orgId = await remoteOrg({ late_payment: 'accept' })
    const order = await shop.anOrder(orgId)
    await shop.call(orgId, 'POST', `/orders/${order.id}/cancel`)
    await shop.sendNotice(orgId, paid(order.payment))
    expect(await summaryOf(orgId, order)).toEqual(['cancelled', 'paid', 'paid', ['late_payment']])
    await shop.call(orgId, 'POST', `/orders/${order.id}/review`, { json: { decision: 'accept' } })
    expect(await shop.eventTypes(orgId)).not.toContain('order.paid')
  })

  test.each(['review', 'accept', 'refund'])(
    '“%s” leaves the order expired when it was refunded already',
    async (policy) => {
      const orgId = await remoteOrg({ late_payment: policy })
      const order = await shop.anOrder(orgId, {
        billingType: 'virtual_account',
        payment: { expires_in_seconds: 60 },
      })
      await shop.advance(61)
      const refund = { refundId: null, providerRefundId: 'theirs', amount: 25_000, state: 'succeeded' as const }
      await shop.sendNotice(orgId, paid(order.payment, { refunds: [refund] }))
      expect(await summaryOf(orgId, order)).toEqual(['expired', 'refunded', 'paid', []])
    },
  )

  test('can be recorded and accepted when staff see a transfer late', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId, { billingType: 'bank_transfer', payment: { expires_in_seconds: 60 } })
    await shop.advance(61)
    const marked = await shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, {
      json: { note: 'On the statement' },
    })
    expect(summary(marked.json)).toEqual(['expired', 'paid', 'paid', ['late_payment']])
    const accepted = await shop.call(orgId, 'POST', `/orders/${order.id}/review`, { json: { decision: 'accept' } })
    expect(summary(accepted.json)).toEqual(['confirmed', 'paid', 'paid', []])
    const again = await shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, { json: {} })
    expect([again.status, again.json.code]).toEqual([409, 'order_already_paid'])
    expect(again.json.detail).toContain('paid already')
    expect((await shop.getOrder(orgId, order.id)).ledger).toMatchObject([
      { payment_id: order.payment.id, kind: 'capture', amount: 25_000, source: 'staff', note: 'On the statement' },
    ])
    await shop.checkBooks(orgId)
  })

  test('is flagged for review when it pays an old code of a refunded order', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
    await shop.sendNotice(orgId, paid(json.payment))
    await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: {} })
    await shop.settle()
    await shop.sendNotice(orgId, paid(order.payment))
    expect((await summaryOf(orgId, order)).at(-1)).toEqual(['late_payment'])
    expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.paid')).toHaveLength(1)
  })
})

test('both payments are recorded and flagged for review when the old code and the new number are paid', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  const reply = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, {
    json: { method: 'virtual_account', bank: 'mandiri' },
  })
  expect(reply.status).toBe(201)
  await shop.sendNotice(orgId, paid(reply.json.payment))
  await shop.sendNotice(orgId, paid(order.payment))
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['duplicate_payment']])
  const after = await shop.getOrder(orgId, order.id)
  expect(after.payments.map((payment: Json) => payment.status)).toEqual(['paid', 'paid'])
  // The later money is refunded, although its attempt is the older one.
  const back = await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount: 25_000 } })
  expect([back.status, back.json.payment_id]).toEqual([201, order.payment.id])
  await shop.settle()
  expect((await summaryOf(orgId, order)).slice(1)).toEqual(['paid', 'paid', []])
})

test('both payments are recorded and flagged for review when a single-use code is paid twice', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  for (const paymentId of ['py-1', 'py-2', 'py-1'])
    await shop.sendNotice(orgId, paid(order.payment, { paymentId, dedupKey: paymentId }))
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['duplicate_payment']])
  expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(50_000)
})

test('the order is paid and the new code is ended when the old code is paid', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, {
    json: { method: 'virtual_account', bank: 'bni' },
  })
  await shop.sendNotice(orgId, paid(order.payment))
  await shop.settle()
  const after = await shop.getOrder(orgId, order.id)
  expect([after.status, after.payment_status, after.needs_review.reasons]).toEqual([
    'confirmed',
    'paid',
    ['late_payment'],
  ])
  expect(after.payments.map((payment: Json) => payment.status)).toEqual(['paid', 'cancelled'])
  expect(shop.remote.calls).toContain(`cancel ${json.payment.id}`)
})

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

test('a paid order is not marked as paid again when an older manual attempt had ended', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'bank_transfer' })
  await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'cash' } })
  const mark = () => shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, { json: {} })
  expect((await mark()).status).toBe(200)
  const again = await mark()
  expect([again.status, again.json.code]).toEqual([409, 'order_already_paid'])
  expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(25_000)
})

describe('order.paid is recorded once', () => {
  const signs = async (orgId: OrgId) => (await shop.eventTypes(orgId)).filter((type) => type === 'order.paid').length
  const review = (orgId: OrgId, order: Json) =>
    shop.call(orgId, 'POST', `/orders/${order.id}/review`, { json: { decision: 'accept' } })
  const open = async (orgId: OrgId, order: Json) =>
    (await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })).json.payment

  test('when staff accepted a partial payment and the remaining amount is received after all', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 24_000 }))
    const remainder = await open(orgId, order)
    await review(orgId, order)
    await shop.sendNotice(orgId, paid(remainder))
    expect([await signs(orgId), (await summaryOf(orgId, order))[1]]).toEqual([1, 'paid'])
  })

  test('when the remaining amount is received after the first order.paid was deleted', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 24_000 }))
    const remainder = await open(orgId, order)
    await review(orgId, order)
    expect(await signs(orgId)).toBe(1)
    await shop.database.run`delete from events where org_id = ${orgId}`
    await shop.sendNotice(orgId, paid(remainder))
    expect([await signs(orgId), (await summaryOf(orgId, order))[1]]).toEqual([0, 'paid'])
  })

  test('when an old code is paid as well with another amount, and staff accept that', async () => {
    const orgId = await remoteOrg()
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, paid(await open(orgId, order)))
    await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 26_000 }))
    await review(orgId, order)
    expect(await signs(orgId)).toBe(1)
  })
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
