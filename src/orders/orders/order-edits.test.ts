import { beforeEach, describe, expect, test } from 'bun:test'
import { useOrders } from '../../../test/support/orders.ts'
import { reportOf, unavailableFailure } from '../../../test/support/scripted-payments.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import type { KnownAttempt } from '../../payments/payment-connector.ts'

const shop = useOrders()
beforeEach(() => shop.remote.reset())

const edit = (orgId: OrgId, order: Json, json: unknown, headers: Record<string, string> = {}) =>
  shop.call(orgId, 'PATCH', `/orders/${order.id}`, { json, headers })

const paidReport = (id: string, amount: number) => reportOf({ id, amount } as KnownAttempt, { state: 'paid' })

const COFFEE = { sku: 'KOPI-1', name: 'Kopi susu', quantity: 2, unit_price: 18_000 }

describe('PATCH /orders/{id}', () => {
  test('computes the total again and replaces the open payment by one of the same method', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId, {
      amount: undefined,
      items: [COFFEE],
      payment: { expires_in_seconds: 3600 },
    })
    const reply = await edit(orgId, order, { items: [{ ...COFFEE, quantity: 3 }], shipping: 5_000 })
    expect(reply.status).toBe(200)
    const { json } = reply
    expect(json).toMatchObject({ subtotal: 54_000, shipping: 5_000, total: 59_000, amount_remaining: 59_000 })
    expect(json).toMatchObject({ status: 'pending_payment', payment_status: 'pending' })
    expect(json.payments.map(({ status, amount, method }: Json) => [status, amount, method])).toEqual([
      ['cancelled', 36_000, 'qris'],
      ['pending', 59_000, 'qris'],
    ])
    const { expires_at, created_at } = json.payment
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(3_600_000)
    expect(await shop.previousOf(orgId, 'order.updated')).toMatchObject({
      items: [{ quantity: 2 }],
      shipping: 0,
      total: 36_000,
      amount_remaining: 36_000,
    })
    expect(await shop.eventTypes(orgId)).toEqual([
      'order.created',
      'payment.pending',
      'payment.pending',
      'order.updated',
    ])
  })

  test('keeps the payment when the amount stays, and records nothing when nothing changes', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId)
    const { json } = await edit(orgId, order, {
      note: 'On Saturday',
      reference: 'WEB-1',
      metadata: { table: '4' },
      customer: { name: 'Sari' },
      notify: false,
    })
    expect(json).toMatchObject({ note: 'On Saturday', reference: 'WEB-1', metadata: { table: '4' }, notify: false })
    expect([json.customer.name, json.payment.id, json.payments.length]).toEqual(['Sari', order.payment.id, 1])
    const again = await edit(orgId, order, { note: 'On Saturday', amount: 25_000 })
    expect(again.json.updated_at).toBe(json.updated_at)
    const types = await shop.eventTypes(orgId)
    expect(types.filter((type) => type === 'order.updated')).toHaveLength(1)
  })

  test('changes the total by the shipping when the order has an amount and no items', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId)
    const { json } = await edit(orgId, order, { shipping: 9_000 })
    expect([json.subtotal, json.shipping, json.total]).toEqual([25_000, 9_000, 34_000])
    const open = await shop.anOrder(orgId, { amount: undefined })
    expect((await edit(orgId, open, { shipping: 9_000 })).json.errors[0].code).toBe('total_unknown')
    expect((await edit(orgId, open, { amount: 40_000 })).json).toMatchObject({
      total: 40_000,
      amount_remaining: 40_000,
    })
  })

  test('replaces the payment when the order moves to another phone number', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId, { customer: { phone: '0812-3456-7890' } })
    const { json } = await edit(orgId, order, { customer: { phone: '0812-3456-7891' } })
    expect(json.customer.phone).toBe('+6281234567891')
    expect(json.payments.map(({ status }: Json) => status)).toEqual(['cancelled', 'pending'])
  })

  test('edits a confirmed order that is not paid yet, and a draft without opening a payment', async () => {
    const orgId = await shop.anOrg()
    const cash = await shop.anOrder(orgId, { billingType: 'cash' })
    const { json } = await edit(orgId, cash, { amount: 30_000 })
    expect([json.status, json.payment_status, json.payment.amount]).toEqual(['confirmed', 'pending', 30_000])
    const draft = await shop.database.transaction((tx) =>
      shop.orders.createDraftFromCart(tx, orgId, {
        items: [COFFEE],
        customer: { name: null, phone: null },
        contactId: null,
        chatId: null,
        note: null,
      }),
    )
    const edited = await edit(orgId, draft, { items: [{ ...COFFEE, unit_price: 20_000 }] })
    expect([edited.json.status, edited.json.total, edited.json.payments]).toEqual(['draft', 40_000, []])
  })

  test('refuses other amounts after a payment, and still takes a note', async () => {
    const orgId = await shop.anOrg(['manual'])
    const order = await shop.anOrder(orgId, { billingType: 'bank_transfer' })
    await shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, { json: { amount: 10_000 } })
    const refused = await edit(orgId, order, { amount: 30_000 })
    expect([refused.status, refused.json.code, refused.json.params.payment_status]).toEqual([
      409,
      'order_not_editable',
      'partially_paid',
    ])
    expect((await edit(orgId, order, { note: 'Half is paid' })).status).toBe(200)
    await shop.call(orgId, 'POST', `/orders/${order.id}/cancel`)
    expect((await edit(orgId, order, { amount: 30_000 })).json.code).toBe('order_not_editable')
  })

  test('refuses what no order may be: a taken reference, a total of 0, amounts that differ, a missing order', async () => {
    const orgId = await shop.anOrg()
    const [first, order] = [await shop.anOrder(orgId, { reference: 'WEB-7' }), await shop.anOrder(orgId)]
    const taken = await edit(orgId, order, { reference: 'WEB-7' })
    expect([taken.status, taken.json.params.order_id]).toEqual([409, first.id])
    expect((await edit(orgId, order, { amount: 0 })).json.errors[0].code).toBe('total_is_zero')
    const differs = await edit(orgId, order, { items: [COFFEE], amount: 1 })
    expect(differs.json.errors[0].code).toBe('total_mismatch')
    expect((await edit(orgId, { id: newId('ord') }, { note: 'x' })).status).toBe(404)
    expect((await edit(orgId, order, { total: 5 })).status).toBe(422)
    expect((await shop.getOrder(orgId, order.id)).payments).toHaveLength(1)
  })

  test('applies If-Match to the order as GET shows it', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId)
    const { headers } = await shop.call(orgId, 'GET', `/orders/${order.id}`)
    const tag = headers.get('etag') as string
    const first = await edit(orgId, order, { amount: 30_000 }, { 'if-match': tag })
    expect(first.status).toBe(200)
    const stale = await edit(orgId, order, { amount: 35_000 }, { 'if-match': tag })
    expect([stale.status, stale.json.code]).toEqual([412, 'version_conflict'])
    expect((await edit(orgId, order, { note: 'x' }, { 'if-match': first.headers.get('etag') as string })).status).toBe(
      200,
    )
    expect((await shop.getOrder(orgId, order.id)).payments).toHaveLength(2)
  })

  test('lets one of two edits at once replace the payment, and refuses the other with 409', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const order = await shop.anOrder(orgId)
    const replies = await Promise.all([30_000, 31_000].map((amount) => edit(orgId, order, { amount })))
    const statuses = replies.map(({ status }) => status).toSorted()
    const after = await shop.getOrder(orgId, order.id)
    const live = after.payments.filter(({ status }: Json) => status === 'created' || status === 'pending')
    expect(live).toHaveLength(1)
    expect(live[0].amount).toBe(after.total)
    // One may also begin after the other has ended: then both are applied.
    if (statuses[1] === 409) expect(replies.find(({ status }) => status === 409)?.json.code).toBe('order_changed')
    else expect(statuses).toEqual([200, 200])
    await shop.checkBooks(orgId)
  })
})

describe('a payment on the old code', () => {
  test('refuses the edit when it is found while the code is ended', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const order = await shop.anOrder(orgId)
    shop.remote.script.cancel = (attempt) => ({ kind: 'overtaken', report: reportOf(attempt, { state: 'paid' }) })
    const reply = await edit(orgId, order, { amount: 30_000 })
    expect([reply.status, reply.json.code]).toEqual([409, 'order_not_editable'])
    expect(await shop.getOrder(orgId, order.id)).toMatchObject({ total: 25_000, payment_status: 'paid' })
    await shop.checkBooks(orgId)
  })

  test('is recorded and reviewed against the new total when it arrives after the edit', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const order = await shop.anOrder(orgId)
    const { json: edited } = await edit(orgId, order, { amount: 30_000 })
    await shop.sendNotice(orgId, paidReport(order.payment.id, 25_000))
    const after = await shop.getOrder(orgId, order.id)
    expect(after).toMatchObject({ total: 30_000, amount_paid: 25_000, amount_remaining: 5_000 })
    expect([after.payment_status, after.needs_review.reasons]).toEqual([
      'partially_paid',
      ['late_payment', 'underpaid'],
    ])
    await shop.settle()
    const replaced = (await shop.getOrder(orgId, order.id)).payments.find(({ id }: Json) => id === edited.payment.id)
    expect(replaced.status).toBe('cancelled')
    await shop.checkBooks(orgId)
  })

  test('leaves the edit alone when the first notice links the order to its chat meanwhile', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const order = await shop.anOrder(orgId, { customer: { phone: '0812-3456-7890' } })
    const [contactId, chatId] = [newId('con'), newId('chat')]
    shop.remote.script.cancel = async () => {
      await shop.database.run`
        update orders set contact_id = ${contactId}, chat_id = ${chatId} where org_id = ${orgId} and id = ${order.id}`
      return { kind: 'ended' }
    }
    const { status, json } = await edit(orgId, order, { amount: 30_000 })
    expect([status, json.total, json.chat_id, json.customer.contact_id]).toEqual([200, 30_000, chatId, contactId])
  })

  test('leaves the order as it was when the provider cannot be reached', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const order = await shop.anOrder(orgId)
    shop.remote.script.cancel = () => ({ kind: 'refused', failure: unavailableFailure })
    const reply = await edit(orgId, order, { amount: 30_000 })
    expect([reply.status, reply.json.code]).toEqual([503, 'payment_provider_unavailable'])
    expect(await shop.getOrder(orgId, order.id)).toMatchObject({ total: 25_000, payment_status: 'pending' })
  })
})

describe('POST /orders/{id}/payments with an amount', () => {
  const pay = (orgId: OrgId, order: Json, json: unknown) =>
    shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json })

  test('takes a down payment and instalments, and confirms the order with the last', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const order = await shop.anOrder(orgId, { amount: 100_000 })
    for (const [amount, remaining] of [
      [40_000, 60_000],
      [25_000, 35_000],
    ] as const) {
      const { status, json } = await pay(orgId, order, { method: 'qris', amount })
      expect([status, json.payment.amount]).toEqual([201, amount])
      await shop.sendNotice(orgId, paidReport(json.payment.id, amount))
      const after = await shop.getOrder(orgId, order.id)
      expect(after).toMatchObject({ status: 'pending_payment', payment_status: 'partially_paid' })
      expect([after.amount_remaining, after.needs_review]).toEqual([remaining, null])
    }
    const { json } = await pay(orgId, order, { method: 'qris' })
    expect(json.payment.amount).toBe(35_000)
    await shop.sendNotice(orgId, paidReport(json.payment.id, 35_000))
    expect(await shop.getOrder(orgId, order.id)).toMatchObject({ status: 'confirmed', payment_status: 'paid' })
    expect((await shop.eventTypes(orgId)).filter((type) => type === 'order.paid')).toHaveLength(1)
    await shop.checkBooks(orgId)
  })

  test('is refused above the remaining amount and for an open amount, and keeps the open payment', async () => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId)
    const much = await pay(orgId, order, { method: 'qris', amount: 25_001 })
    expect([much.status, much.json.errors[0]]).toMatchObject([409, { pointer: '#/amount', params: { max: 25_000 } }])
    const open = await shop.anOrder(orgId, { amount: undefined })
    expect((await pay(orgId, open, { method: 'qris', amount: 1 })).json.errors[0].code).toBe('total_unknown')
    expect((await shop.getOrder(orgId, order.id)).payment.status).toBe('pending')
  })
})
