import { beforeEach, describe, expect, test } from 'bun:test'
import { casesOf, known, paid, summary } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { reportOf } from '../../../test/support/scripted-payments.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'

/** Money that staff receive for a paid order: a customer paid twice, by hand. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg, summaryOf } = casesOf(shop)

const mark = (orgId: OrgId, order: Json, json: object) =>
  shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, { json })

test('both payments are recorded and flagged for review when a customer pays a paid order again by hand', async () => {
  const orgId = await remoteOrg()
  for (const billingType of ['cash', 'bank_transfer']) {
    const order = await shop.anOrder(orgId, { billingType })
    await mark(orgId, order, {})
    const again = await mark(orgId, order, { amount: 25_000, again: true, note: 'A second transfer' })
    expect(again.status).toBe(200)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['duplicate_payment']])
    expect(again.json.ledger.map((line: Json) => [line.amount, line.note])).toEqual([
      [25_000, null],
      [25_000, 'A second transfer'],
    ])
  }
  const types = await shop.eventTypes(orgId)
  expect(types.filter((type) => type === 'order.paid')).toHaveLength(2)
  expect(types.at(-1)).toBe('order.needs_review')
})

test('both payments are recorded and flagged for review when one is manual and one is reported by the provider', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'cod' })
  const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
  await shop.sendNotice(orgId, paid(json.payment))
  const again = await mark(orgId, order, { amount: 25_000, again: true, note: 'The courier took it' })
  expect(again.status).toBe(200)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['duplicate_payment']])
  expect(again.json.payments.map((payment: Json) => [payment.method, payment.amount_paid])).toEqual([
    ['cod', 25_000],
    ['qris', 25_000],
  ])
})

test('an attempt that is replaced is ended by the id that its provider named in a notification', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  const pending = reportOf(known(order.payment), { state: 'pending', providerId: 'transaction_1' })
  await shop.sendNotice(orgId, pending)
  const named: unknown[] = []
  shop.remote.script.cancel = ({ providerId, notifiedId }) => {
    named.push([providerId, notifiedId])
    return { kind: 'ended' }
  }
  const json = { method: 'virtual_account' }
  expect((await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json })).status).toBe(201)
  expect(named).toEqual([[`scripted_${order.payment.id}`, 'transaction_1']])
})

test('a manual payment gets a separate attempt when a provider received the full amount', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, paid(order.payment))
  const unsaid = await mark(orgId, order, { amount: 25_000, again: true })
  expect([unsaid.status, unsaid.json.code]).toEqual([409, 'order_not_manual'])
  expect(unsaid.json.detail).toContain('"method"')
  const again = await mark(orgId, order, { amount: 20_000, again: true, method: 'bank_transfer', note: 'On top' })
  expect(again.status).toBe(200)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['duplicate_payment']])
  expect(again.json.payments).toMatchObject([
    { method: 'qris', status: 'paid', amount_paid: 25_000 },
    { method: 'bank_transfer', status: 'paid', amount: 20_000, amount_paid: 20_000, expires_at: null },
  ])
  expect(again.json.payment.id).toBe(again.json.payments[1].id)
  const types = await shop.eventTypes(orgId)
  expect(types.slice(-2)).toEqual(['payment.paid', 'order.needs_review'])
  expect(types.filter((type) => type === 'order.paid')).toHaveLength(1)
  // A third payment is recorded on the same attempt; one by another method gets a separate attempt.
  await mark(orgId, order, { amount: 1_000, again: true, method: 'bank_transfer' })
  await mark(orgId, order, { amount: 2_000, again: true, method: 'cash' })
  const { payments } = await shop.getOrder(orgId, order.id)
  expect(payments.map((payment: Json) => payment.amount_paid)).toEqual([25_000, 21_000, 2_000])
  await shop.advance(86_400 * 3)
  expect((await summaryOf(orgId, order)).slice(0, 2)).toEqual(['confirmed', 'overpaid'])
})

describe('an open amount', () => {
  const anOpenOrder = async (billingType: string) => {
    const orgId = await remoteOrg()
    return { orgId, order: await shop.anOrder(orgId, { billingType, amount: undefined }) }
  }
  const refund = (orgId: OrgId, order: Json) =>
    shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount: 10_000, manual: true, note: 'in cash' } })

  test.each([
    ['staff recorded the first', 'cash', undefined],
    ['a provider reported the first', 'qris', 'cash'],
  ])('is flagged for review when a second payment is manual and %s', async (_, billingType, method) => {
    const { orgId, order } = await anOpenOrder(billingType)
    if (method === undefined) await mark(orgId, order, { amount: 10_000 })
    else await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 10_000 }))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
    const again = await mark(orgId, order, { amount: 10_000, again: true, method })
    expect(again.status).toBe(200)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['duplicate_payment']])
    expect((await shop.eventTypes(orgId)).at(-1)).toBe('order.needs_review')
    // One of them was refunded.
    expect((await refund(orgId, order)).status).toBe(201)
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'partially_refunded', 'paid', []])
  })

  test.each([
    ['a part', 4_000, 'partially_refunded'],
    ['all', 10_000, 'refunded'],
  ])(
    'is flagged for review when it is paid by another method after a refund of %s',
    async (_, amount, paymentStatus) => {
      const { orgId, order } = await anOpenOrder('qris')
      await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 10_000 }))
      const json = { amount, manual: true, note: 'in cash' }
      expect((await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json })).status).toBe(201)
      expect(await summaryOf(orgId, order)).toEqual(['confirmed', paymentStatus, 'paid', []])
      expect((await mark(orgId, order, { amount: 10_000, again: true, method: 'cash' })).status).toBe(200)
      expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'partially_refunded', 'paid', ['late_payment']])
      const types = await shop.eventTypes(orgId)
      expect([types.at(-1), types.filter((type) => type === 'order.paid').length]).toEqual(['order.needs_review', 1])
    },
  )

  test('is not flagged for review when one code is paid repeatedly', async () => {
    const { orgId, order } = await anOpenOrder('qris')
    for (const captureId of ['one', 'two'])
      await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 10_000, captureId, dedupKey: captureId }))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
    expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(20_000)
  })

  test('is flagged for review when the old code and the new number are paid, even if late payments are accepted', async () => {
    const orgId = await remoteOrg({ late_payment: 'accept' })
    const order = await shop.anOrder(orgId, { amount: undefined })
    await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'virtual_account' } })
    // The number is paid in the moment in which it is ended.
    shop.remote.script.status = (attempt) => ({
      kind: 'known',
      report: reportOf(attempt, { state: 'paid', amountPaid: 7_000 }),
      details: null,
    })
    await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 6_000 }))
    expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['duplicate_payment']])
    expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(13_000)
  })
})

test('a manual payment is recorded when the order expired or was cancelled without a payment', async () => {
  const orgId = await remoteOrg()
  const [expired, cancelled] = [await shop.anOrder(orgId), await shop.anOrder(orgId)]
  await shop.call(orgId, 'POST', `/orders/${cancelled.id}/cancel`)
  await shop.advance(1200)
  for (const [order, status] of [
    [expired, 'expired'],
    [cancelled, 'cancelled'],
  ] as const) {
    expect((await mark(orgId, order, { amount: 25_000, again: true, method: 'cash' })).status).toBe(200)
    expect(await summaryOf(orgId, order)).toEqual([status, 'paid', 'paid', ['late_payment']])
  }
})

test('a method is accepted only for a second payment, and only when it is manual', async () => {
  const orgId = await remoteOrg()
  const [waiting, done] = [await shop.anOrder(orgId), await shop.anOrder(orgId)]
  await shop.sendNotice(orgId, paid(done.payment))
  const money = { amount: 5_000, again: true, method: 'cash' }
  const refusals = [
    [done, { ...money, again: false }, 422, '#/method'],
    [done, { again: true, method: 'cash' }, 422, '#/amount'],
    [done, { ...money, method: 'pigeon' }, 422, '#/method'],
    [done, { ...money, method: 'free' }, 422, '#/method'],
    [done, { ...money, method: 'qris' }, 409, '#/method'],
    [waiting, money, 409, undefined],
  ] as const
  for (const [order, json, status, pointer] of refusals) {
    const reply = await mark(orgId, order, json)
    expect([reply.status, reply.json.errors?.[0].pointer]).toEqual([status, pointer])
  }
  await shop.call(orgId, 'POST', `/orders/${waiting.id}/payments`, { json: { method: 'virtual_account' } })
  await shop.advance(30)
  expect((await mark(orgId, waiting, money)).json.code).toBe('order_not_manual')
  expect(await summaryOf(orgId, done)).toEqual(['confirmed', 'paid', 'paid', []])
  expect((await shop.getOrder(orgId, waiting.id)).amount_paid).toBe(0)
})

test('a second payment is recorded once per idempotency key', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, paid(order.payment))
  const json = { amount: 5_000, again: true, method: 'cash' }
  const options = { json, headers: { 'idempotency-key': 'on-top' } }
  await Promise.all([1, 2, 3].map(() => shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, options)))
  expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(30_000)
})

test('a repeated mark-paid is refused on a paid order unless it says again', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'cash' })
  await mark(orgId, order, { amount: 25_000 })
  const refused = await mark(orgId, order, { amount: 25_000 })
  expect([refused.status, refused.json.code]).toEqual([409, 'order_already_paid'])
  expect(refused.json.detail).toContain('again')
  const unsaid = await mark(orgId, order, { again: true })
  expect([unsaid.status, unsaid.json.errors[0].code]).toEqual([422, 'required'])
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
})

test('`again` changes nothing when an amount remains due', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'bank_transfer' })
  await mark(orgId, order, { amount: 10_000, again: true })
  expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'partially_paid', 'pending', []])
  const refused = await mark(orgId, order, { again: true })
  expect([refused.status, refused.json.errors[0].pointer]).toEqual([422, '#/amount'])
  await mark(orgId, order, { amount: 15_000, again: true })
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
})

test('a manual payment is recorded and flagged for review when the order was cancelled or refunded', async () => {
  const orgId = await remoteOrg()
  const [refunded, cancelled] = [
    await shop.anOrder(orgId, { billingType: 'cash' }),
    await shop.anOrder(orgId, { billingType: 'cash' }),
  ]
  for (const order of [refunded, cancelled]) await mark(orgId, order, {})
  const back = { json: { manual: true, note: 'From the cash register' } }
  await shop.call(orgId, 'POST', `/orders/${refunded.id}/refunds`, back)
  await shop.call(orgId, 'POST', `/orders/${cancelled.id}/cancel`)
  await shop.call(orgId, 'POST', `/orders/${cancelled.id}/refunds`, back)
  for (const order of [refunded, cancelled])
    expect((await mark(orgId, order, { amount: 25_000, again: true })).status).toBe(200)
  expect(await summaryOf(orgId, refunded)).toEqual(['confirmed', 'paid', 'paid', ['late_payment']])
  expect(await summaryOf(orgId, cancelled)).toEqual(['cancelled', 'paid', 'paid', ['late_payment']])
  expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.paid')).toHaveLength(2)
})

test('money after a full refund is flagged for review, because a refunded amount is not due', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'cash' })
  const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
  const payAs = (paymentId: string) => shop.sendNotice(orgId, paid(json.payment, { paymentId, dedupKey: paymentId }))
  await payAs('py-1')
  await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: {} })
  await shop.settle()
  // The cash of the first attempt is no longer awaited.
  expect((await mark(orgId, order, {})).json.code).toBe('order_already_paid')
  await payAs('py-2')
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', ['late_payment']])
  expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.paid')).toHaveLength(1)
})

test('money after a refund is flagged for review when it exceeds the total', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'cash' })
  await mark(orgId, order, {})
  const json = { manual: true, note: 'From the cash register' }
  await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json })
  await mark(orgId, order, { amount: 40_000, again: true })
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'overpaid', 'paid', ['overpaid', 'late_payment']])
  expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.paid')).toHaveLength(1)
})

test('a reversed amount is due, and paying it again needs no second review', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, paid(order.payment))
  await shop.sendNotice(orgId, reportOf(known(order.payment), { state: 'reversed' }))
  await shop.call(orgId, 'POST', `/orders/${order.id}/review`, { json: { decision: 'dismiss' } })
  const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'cash' } })
  await mark(orgId, json, {})
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
})

test('a cancelled manual payment counts as paid when staff record a part of it', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'cash' })
  await shop.call(orgId, 'POST', `/orders/${order.id}/cancel`)
  expect((await mark(orgId, order, { amount: 10_000 })).status).toBe(200)
  const [payment] = (await shop.getOrder(orgId, order.id)).payments
  expect([payment.status, payment.amount_paid]).toEqual(['paid', 10_000])
  await mark(orgId, order, { amount: 15_000 })
  expect(await summaryOf(orgId, order)).toEqual(['cancelled', 'paid', 'paid', ['late_payment']])
})

test('a second payment can be refunded', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId, { billingType: 'cash' })
  await mark(orgId, order, {})
  await mark(orgId, order, { amount: 20_000, again: true })
  const json = { manual: true, note: 'From the cash register', amount: 20_000 }
  expect((await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json })).status).toBe(201)
  expect(await summaryOf(orgId, order)).toEqual(['confirmed', 'paid', 'paid', []])
  expect(summary(await shop.getOrder(orgId, order.id))[3]).toEqual([])
})

describe('a down payment in a new order', () => {
  test('is the amount of the first payment, and leaves the rest of the total to be paid', async () => {
    const orgId = await shop.anOrg(['simulator', 'manual'])
    const order = await shop.anOrder(orgId, { amount: 100_000, payment: { amount: 30_000 } })
    expect([order.total, order.payment.amount, order.amount_remaining]).toEqual([100_000, 30_000, 100_000])
    const cash = await shop.anOrder(orgId, { billingType: 'cash', amount: 100_000, payment: { amount: 30_000 } })
    const { json } = await shop.call(orgId, 'POST', `/orders/${cash.id}/mark-paid`, { json: { amount: 30_000 } })
    expect([json.payment_status, json.amount_remaining]).toEqual(['partially_paid', 70_000])
    await shop.checkBooks(orgId)
  })

  test('is refused above the total, for an open amount, below the minimum of the method, and with a choice', async () => {
    const orgId = await shop.anOrg(['simulator'])
    const refusal = async (fields: Record<string, unknown>) => {
      const { status, json } = await shop.call(orgId, 'POST', '/orders', { json: { billingType: 'qris', ...fields } })
      return [status, json.errors?.[0]?.pointer, json.errors?.[0]?.code]
    }
    const at = '#/payment/amount'
    expect(await refusal({ amount: 10_000, payment: { amount: 10_001 } })).toEqual([409, at, 'amount_too_large'])
    expect(await refusal({ payment: { amount: 5000 } })).toEqual([409, at, 'total_unknown'])
    expect(await refusal({ billingType: 'choice', amount: 10_000, payment: { amount: 5000 } })).toEqual([
      409,
      at,
      'not_allowed',
    ])
    const low = { billingType: 'card', amount: 50_000, payment: { amount: 5 } }
    expect(await refusal(low)).toEqual([409, at, 'amount_too_low'])
  })
})
