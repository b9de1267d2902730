import { beforeEach, describe, expect, test } from 'bun:test'
import { useOrders } from '../../../test/support/orders.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'

const shop = useOrders()
beforeEach(() => shop.remote.reset())

const act = (orgId: OrgId, order: Json, action: string, json?: unknown, headers: Record<string, string> = {}) =>
  shop.call(orgId, 'POST', `/orders/${order.id}/${action}`, json === undefined ? { headers } : { json, headers })

const aTransfer = async (fields: Record<string, unknown> = {}) => {
  const orgId = await shop.anOrg(['manual', 'simulator'])
  return { orgId, order: await shop.anOrder(orgId, { billingType: 'bank_transfer', ...fields }) }
}

describe('mark-paid', () => {
  test('records who, when, how much and why, and confirms the order', async () => {
    const { orgId, order } = await aTransfer()
    expect(order.payment.instructions).toMatchObject({ account_number: '1234567890', reference: '1001' })
    const reply = await act(orgId, order, 'mark-paid', { note: 'Seen on the statement' })
    expect([reply.status, reply.json.status, reply.json.payment_status]).toEqual([200, 'confirmed', 'paid'])
    const line = await shop.database.one`
      select amount, source, actor_type, actor_id, note from payment_ledger where org_id = ${orgId}`
    expect(line).toEqual({
      amount: 25_000,
      source: 'staff',
      actor_type: 'key',
      actor_id: 'key_test',
      note: 'Seen on the statement',
    })
    expect(await shop.eventTypes(orgId)).toEqual(['order.created', 'payment.pending', 'payment.paid', 'order.paid'])
  })

  test('records a part, then the remaining amount', async () => {
    const { orgId, order } = await aTransfer()
    const part = await act(orgId, order, 'mark-paid', { amount: 10_000 })
    expect(part.json).toMatchObject({
      status: 'pending_payment',
      payment_status: 'partially_paid',
      amount_paid: 10_000,
    })
    const last = await act(orgId, order, 'mark-paid', {})
    expect(last.json).toMatchObject({ status: 'confirmed', payment_status: 'paid', amount_paid: 25_000 })
    await shop.checkBooks(orgId)
  })

  test('records an overpayment and flags the order for review', async () => {
    const { orgId, order } = await aTransfer()
    const { json } = await act(orgId, order, 'mark-paid', { amount: 30_000 })
    expect([json.payment_status, json.needs_review.reason]).toEqual(['overpaid', 'overpaid'])
  })

  test('records the money once when it is repeated with an Idempotency-Key', async () => {
    const { orgId, order } = await aTransfer()
    const headers = { 'idempotency-key': 'once' }
    for (let count = 0; count < 3; count++) await act(orgId, order, 'mark-paid', { amount: 10_000 }, headers)
    expect((await shop.getOrder(orgId, order.id)).amount_paid).toBe(10_000)
  })

  test('is refused when a provider reports the payment, when the order is paid, and without an amount when it is open', async () => {
    const { orgId, order } = await aTransfer()
    const qris = await shop.anOrder(orgId)
    expect((await act(orgId, qris, 'mark-paid', {})).json.code).toBe('order_not_manual')
    await act(orgId, order, 'mark-paid', {})
    expect((await act(orgId, order, 'mark-paid', {})).json.code).toBe('order_already_paid')
    const open = (await shop.call(orgId, 'POST', '/orders', { json: { billingType: 'cash' } })).json
    const reply = await act(orgId, open, 'mark-paid', {})
    expect([reply.status, reply.json.errors[0].pointer]).toEqual([409, '#/amount'])
  })
})

describe('process and complete', () => {
  test('lead from confirmed to completed in one step or two, and change nothing when repeated', async () => {
    const orgId = await shop.anOrg()
    const [one, other] = [
      await shop.anOrder(orgId, { billingType: 'cash' }),
      await shop.anOrder(orgId, { billingType: 'cash' }),
    ]
    expect((await act(orgId, one, 'process')).json.status).toBe('processing')
    expect((await act(orgId, one, 'complete')).json.status).toBe('completed')
    expect((await act(orgId, one, 'complete')).status).toBe(200)
    expect((await act(orgId, other, 'complete')).json.status).toBe('completed')
    expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.completed')).toHaveLength(2)
  })

  test('are refused before the order is paid and after it ended', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId)
    expect((await act(orgId, order, 'complete')).json).toMatchObject({
      code: 'order_not_completable',
      params: { status: 'pending_payment' },
    })
    await act(orgId, order, 'cancel')
    expect((await act(orgId, order, 'process')).status).toBe(409)
  })
})

describe('cancel', () => {
  test('ends the open attempt, and changes nothing when repeated', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const order = await shop.anOrder(orgId)
    const { json } = await act(orgId, order, 'cancel')
    expect([json.status, json.payment.status, json.payment_status]).toEqual(['cancelled', 'cancelled', 'unpaid'])
    expect((await act(orgId, order, 'cancel')).status).toBe(200)
    expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.cancelled')).toHaveLength(1)
    expect(shop.moves.at(-1)).toEqual({ number: 1001, before: 'pending_payment', after: 'cancelled' })
  })

  test('refunds a paid order when the provider can refund', async () => {
    const orgId = await shop.anOrg(['simulator'])
    const order = await shop.anOrder(orgId, { amount: 90_100 })
    await shop.advance(3)
    expect((await shop.getOrder(orgId, order.id)).status).toBe('confirmed')
    expect((await act(orgId, order, 'cancel')).json.refunds).toMatchObject([{ amount: 90_100 }])
    await shop.settle()
    const after = await shop.getOrder(orgId, order.id)
    expect([after.status, after.payment_status, after.needs_review]).toEqual(['cancelled', 'refunded', null])
  })

  test('flags the order as refund_due until staff refund it when it was paid by hand', async () => {
    const { orgId, order } = await aTransfer()
    await act(orgId, order, 'mark-paid', {})
    expect((await act(orgId, order, 'cancel')).json.needs_review.reasons).toEqual(['refund_due'])
    expect((await act(orgId, order, 'refunds', { amount: 1000 })).json.code).toBe('refund_not_possible')
    expect((await act(orgId, order, 'refunds', { manual: true })).status).toBe(422)
    const refund = await act(orgId, order, 'refunds', { manual: true, note: 'By transfer' })
    expect(refund.json).toMatchObject({ status: 'succeeded', manual: true, amount: 25_000, note: 'By transfer' })
    const after = await shop.getOrder(orgId, order.id)
    expect([after.payment_status, after.needs_review]).toEqual(['refunded', null])
    await shop.checkBooks(orgId)
  })

  test('is refused once the order is completed', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId, { billingType: 'cash' })
    await act(orgId, order, 'complete')
    expect((await act(orgId, order, 'cancel')).json.code).toBe('order_not_cancellable')
  })
})

describe('payments', () => {
  test('open an attempt by another method for the remaining amount, and a wrong bank is refused with the available ones', async () => {
    const { orgId, order } = await aTransfer()
    await act(orgId, order, 'mark-paid', { amount: 5000 })
    const wrong = await act(orgId, order, 'payments', { method: 'virtual_account', bank: 'jago' })
    expect([wrong.status, wrong.json.errors[0].pointer]).toEqual([409, '#/bank'])
    expect((await shop.getOrder(orgId, order.id)).payment.status).toBe('pending')
    const reply = await act(orgId, order, 'payments', { method: 'virtual_account', bank: 'bni' })
    expect(reply.json.payment).toMatchObject({ method: 'virtual_account', amount: 20_000, status: 'pending' })
    expect(reply.headers.get('location')).toBe(`/api/public/v1/orders/${order.id}`)
  })

  test('are opened once when two requests arrive in the same moment', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId)
    await Promise.all(Array.from({ length: 4 }, () => act(orgId, order, 'payments', { method: 'virtual_account' })))
    const { payments } = await shop.getOrder(orgId, order.id)
    expect(payments.filter((payment: Json) => payment.status === 'pending')).toHaveLength(1)
  })

  test('are refused when the order is paid, ended or free', async () => {
    const orgId = await shop.anOrg()
    const paid = await shop.anOrder(orgId, { billingType: 'cash' })
    await act(orgId, paid, 'mark-paid', {})
    const over = await shop.anOrder(orgId)
    await act(orgId, over, 'cancel')
    for (const order of [paid, over])
      expect((await act(orgId, order, 'payments', { method: 'qris' })).json.code).toBe('order_not_payable')
    const open = await shop.anOrder(orgId)
    expect((await act(orgId, open, 'payments', { method: 'free' })).status).toBe(422)
  })

  test('are refused with 422 when the method does not exist, whatever the state of the order', async () => {
    const orgId = await shop.anOrg()
    const paid = await shop.anOrder(orgId, { billingType: 'cash' })
    await act(orgId, paid, 'mark-paid', {})
    for (const order of [paid, { id: newId('ord') }])
      for (const method of ['barter', 'free']) {
        const { status, json } = await act(orgId, order, 'payments', { method })
        expect([status, json.errors[0].pointer]).toEqual([422, '#/method'])
      }
  })

  test('can be opened at a provider when the order is on account', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId, { billingType: 'invoice' })
    const { json } = await act(orgId, order, 'payments', { method: 'qris' })
    expect([json.status, json.billingType, json.payment.method]).toEqual(['confirmed', 'invoice', 'qris'])
  })
})

describe('a cart', () => {
  test('becomes a numbered draft of its chat, and an order with its first attempt', async () => {
    const orgId = await shop.anOrg()
    const [contactId, chatId] = [newId('con'), newId('chat')]
    const draft = await shop.database.transaction((tx) =>
      shop.orders.createDraftFromCart(tx, orgId, {
        items: [{ sku: 'A', name: 'Kopi', quantity: 2, unit_price: 12_000 }],
        customer: { name: 'Siti', phone: '+6281200000001' },
        contactId,
        chatId,
        note: null,
      }),
    )
    const order = await shop.getOrder(orgId, draft.id)
    expect(order).toMatchObject({
      number: '1001',
      status: 'draft',
      billingType: null,
      payment: null,
      total: 24_000,
      chat_id: chatId,
      customer: { contact_id: contactId },
    })
    const { json } = await act(orgId, order, 'payments', { method: 'qris' })
    expect(json).toMatchObject({ status: 'pending_payment', billingType: 'qris', payment: { amount: 24_000 } })
  })

  test('is confirmed at once when it is paid by cash, and a draft can be cancelled', async () => {
    const orgId = await shop.anOrg()
    const items = [{ name: 'Kopi', quantity: 1, unit_price: 12_000 }]
    const cart = { items, customer: { name: null, phone: null }, contactId: null, chatId: null, note: null }
    const create = () => shop.database.transaction((tx) => shop.orders.createDraftFromCart(tx, orgId, cart))
    const [one, other] = [await create(), await create()]
    expect((await act(orgId, one, 'payments', { method: 'cash' })).json.status).toBe('confirmed')
    expect((await act(orgId, other, 'cancel')).json.status).toBe('cancelled')
  })

  test('that is submitted after its due date is overdue at once', async () => {
    const orgId = await shop.anOrg(['manual'])
    const items = [{ name: 'Kopi', quantity: 1, unit_price: 12_000 }]
    const cart = { items, customer: { name: null, phone: null }, contactId: null, chatId: null, note: null }
    const draft = await shop.database.transaction((tx) => shop.orders.createDraftFromCart(tx, orgId, cart))
    const due_at = new Date(shop.clock.now() + 60_000).toISOString()
    await shop.call(orgId, 'PATCH', `/orders/${draft.id}`, { json: { due_at } })
    await shop.advance(120)
    expect((await shop.getOrder(orgId, draft.id)).overdue).toBe(false)
    expect((await act(orgId, draft, 'payments', { method: 'invoice' })).json).toMatchObject({ overdue: true })
    expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.overdue')).toHaveLength(1)
  })
})

test('a review is refused when none is open, and dismissing only closes the review', async () => {
  const { orgId, order } = await aTransfer()
  expect((await act(orgId, order, 'review', { decision: 'accept' })).json.code).toBe('order_review_not_needed')
  await act(orgId, order, 'mark-paid', { amount: 30_000 })
  const { json } = await act(orgId, order, 'review', { decision: 'dismiss' })
  expect([json.needs_review, json.payment_status]).toEqual([null, 'overpaid'])
})

test('the published test amounts of the simulator play their scenarios without further calls', async () => {
  const orgId = await shop.anOrg(['simulator'])
  const short = await shop.anOrder(orgId, { amount: 90_103 })
  const reordered = await shop.anOrder(orgId, { amount: 90_102 })
  const reversed = await shop.anOrder(orgId, { amount: 90_106 })
  await shop.advance(3)
  await shop.settle()
  const reasons = async (order: Json) => (await shop.getOrder(orgId, order.id)).needs_review?.reasons ?? []
  expect([await reasons(short), await reasons(reordered), await reasons(reversed)]).toEqual([
    ['amount_mismatch'],
    [],
    ['reversed'],
  ])
  await shop.checkBooks(orgId)
})

describe('limits of an order', () => {
  test('refuse the 101st attempt, and the 100th can still be paid', async () => {
    const orgId = await shop.anOrg(['simulator'])
    const order = await shop.anOrder(orgId)
    const again = () => act(orgId, order, 'payments', { method: 'qris' })
    await shop.database.run`
      insert into payments select (jsonb_populate_record(one,
        jsonb_build_object('id', left(one.id, -3) || lpad(nth::text, 3, '0'), 'status', 'cancelled', 'provider_id', null))).*
      from payments one cross join generate_series(1, 98) as nth where one.org_id = ${orgId}`
    expect((await again()).status).toBe(201)
    const refused = await again()
    expect([refused.status, refused.json.code, refused.json.params]).toEqual([
      409,
      'order_limit_reached',
      { of: 'payments', max: 100 },
    ])
    const { payments } = await shop.getOrder(orgId, order.id)
    expect([payments.length, payments.at(-1).status]).toEqual([100, 'pending'])
  })

  test('refuse the 501st refund', async () => {
    const { orgId, order } = await aTransfer()
    await act(orgId, order, 'mark-paid', {})
    const back = () => act(orgId, order, 'refunds', { amount: 1, manual: true, note: 'In coins' })
    expect((await back()).status).toBe(201)
    await shop.database.run`
      insert into refunds select (jsonb_populate_record(one, jsonb_build_object('id', one.id || nth))).*
      from refunds one cross join generate_series(1, 499) as nth where one.org_id = ${orgId}`
    expect((await back()).json.code).toBe('order_limit_reached')
  })
})
