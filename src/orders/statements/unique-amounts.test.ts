import { expect, test } from 'bun:test'
import { paid as paidBy } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'

const shop = useOrders()

async function uniqueOrg(providers: Parameters<typeof shop.anOrg>[0] = []) {
  const orgId = await shop.anOrg(providers)
  await shop.anAccount(orgId, 'manual', { transfer_unique_amount: 'on' })
  return orgId
}

const transfer = (orgId: OrgId, fields: object = {}) =>
  shop.anOrder(orgId, { billingType: 'bank_transfer', amount: 65_000, ...fields })
const markPaid = async (orgId: OrgId, id: string, json: object = {}) =>
  (await shop.call(orgId, 'POST', `/orders/${id}/mark-paid`, { json })).json

test('open transfers of one sum ask for different amounts, also when they are created at the same time', async () => {
  const orgId = await uniqueOrg()
  const drafts = await Promise.all(Array.from({ length: 12 }, () => transfer(orgId)))
  const amounts = drafts.map(({ payment }) => payment.amount)
  expect(new Set(amounts).size).toBe(12)
  for (const { total, unique_amount, amount_remaining, payment } of drafts) {
    expect([total, unique_amount, amount_remaining]).toEqual([65_000, 0, 65_000])
    expect(payment.unique_amount).toBeGreaterThanOrEqual(1)
    expect(payment.amount).toBe(65_000 + payment.unique_amount)
  }
  const replaced = await Promise.all(
    drafts.map(({ id }) => shop.call(orgId, 'POST', `/orders/${id}/payments`, { json: { method: 'bank_transfer' } })),
  )
  expect(new Set(replaced.map(({ json }) => json.payment.amount)).size).toBe(12)
})

test('a statement line with a unique amount suggests its order first, and pays it without a surplus', async () => {
  const orgId = await uniqueOrg()
  const [meant, other] = [await transfer(orgId), await transfer(orgId)]
  const amount = meant.payment.amount
  await shop.call(orgId, 'POST', '/statements', {
    body: `date,description,amount\n2026-11-14,TRSF ${other.number} ${other.number},${amount}\n`,
    headers: { 'content-type': 'text/csv' },
  })
  const [line] = (await shop.call(orgId, 'GET', '/statements')).json.data
  expect(line.suggestions.map(({ order_id, matches }: Json) => [order_id, matches])).toEqual([
    [meant.id, ['amount', 'unique_amount']],
    [other.id, ['number']],
  ])
  const { json: paid } = await shop.call(orgId, 'POST', `/statements/${line.id}/confirm`, {
    json: { order_id: meant.id },
  })
  const extra = meant.payment.unique_amount
  expect(paid).toMatchObject({
    ...{ payment_status: 'paid', unique_amount: extra, subtotal: 65_000, total: 65_000 + extra },
    ...{ amount_paid: amount, amount_remaining: 0, amount_overpaid: 0, needs_review: null },
  })
  expect(paid.payment.status).toBe('paid')
  expect(await shop.previousOf(orgId, 'order.paid')).toMatchObject({ unique_amount: 0, total: 65_000 })
  const { json: refund } = await shop.call(orgId, 'POST', `/orders/${meant.id}/refunds`, {
    json: { manual: true, note: 'Transfer back' },
  })
  expect(refund.amount).toBe(amount)
  expect(await shop.getOrder(orgId, meant.id)).toMatchObject({ payment_status: 'refunded', total: amount })
  await shop.checkBooks(orgId)
})

test('a transfer without the unique amount pays the order, and one that is paid twice is a surplus', async () => {
  const orgId = await uniqueOrg()
  const rounded = await transfer(orgId)
  const plain = await markPaid(orgId, rounded.id, { amount: 65_000 })
  expect(plain).toMatchObject({ payment_status: 'paid', unique_amount: 0, total: 65_000, needs_review: null })
  expect(plain.payment.status).toBe('paid')
  const order = await transfer(orgId)
  const { amount, unique_amount: extra } = order.payment
  expect(await markPaid(orgId, order.id)).toMatchObject({ amount_paid: amount, total: amount, needs_review: null })
  const twice = await markPaid(orgId, order.id, { amount, again: true })
  expect(twice).toMatchObject({ payment_status: 'overpaid', total: 65_000 + extra, amount_overpaid: amount })
  await shop.checkBooks(orgId)
})

test('the unique amount of a down payment counts towards the order', async () => {
  const orgId = await uniqueOrg(['simulator'])
  const order = await transfer(orgId)
  const { json: part } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, {
    json: { method: 'bank_transfer', amount: 20_000 },
  })
  const received = part.payment.amount
  expect(received).toBe(20_000 + part.payment.unique_amount)
  const held = await markPaid(orgId, order.id)
  expect(held).toMatchObject({ amount_paid: received, amount_remaining: 65_000 - received, unique_amount: 0 })
  const { json: last } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
  expect(last.payment).toMatchObject({ amount: 65_000 - received, unique_amount: 0 })
})

test('a transfer that asks for the remaining amount is paid without a surplus when other money came meanwhile', async () => {
  const orgId = await uniqueOrg(['xendit'])
  const order = await shop.anOrder(orgId, { amount: 20_000 })
  const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'bank_transfer' } })
  const extra = json.payment.unique_amount
  await shop.sendNotice(orgId, paidBy(order.payment, { amountPaid: 17_000 }))
  const held = await markPaid(orgId, order.id)
  expect(held).toMatchObject({
    ...{ payment_status: 'paid', amount_paid: 20_000 + extra, unique_amount: extra, total: 20_000 + extra },
    ...{ amount_overpaid: 0, amount_remaining: 0 },
  })
  const again = await markPaid(orgId, order.id, { amount: 5_000, again: true })
  expect(again).toMatchObject({ payment_status: 'overpaid', unique_amount: extra, amount_overpaid: 5_000 })
  await shop.checkBooks(orgId)
})

test('a unique amount is not that of an open transfer from before the setting was on', async () => {
  const orgId = await shop.anOrg([])
  const account = await shop.anAccount(orgId, 'manual')
  const earlier = []
  for (let extra = 5; extra < 12; extra += 1) earlier.push(await transfer(orgId, { amount: 65_000 + extra }))
  await shop.database.run`
    update payment_accounts
    set settings = settings || '{"transfer_unique_amount": "on"}', version = version + 1
    where org_id = ${orgId} and id = ${account}`
  const later = await transfer(orgId)
  expect(later.payment.unique_amount).toBeGreaterThanOrEqual(1)
  const taken = earlier.map(({ payment }) => payment.amount)
  expect(taken).not.toContain(later.payment.amount)
})

test('a transfer has no unique amount when the setting is off or the payer chooses the amount', async () => {
  const off = await shop.anOrg(['manual'])
  expect((await transfer(off)).payment).toMatchObject({ amount: 65_000, unique_amount: 0 })
  const on = await uniqueOrg()
  const { json: open } = await shop.call(on, 'POST', '/orders', { json: { billingType: 'bank_transfer' } })
  expect(open.payment).toMatchObject({ amount: null, unique_amount: 0 })
})

test('the edit of an order with a unique amount that repeats its items changes nothing', async () => {
  const orgId = await uniqueOrg()
  const items = [{ name: 'Kopi', quantity: 2, unit_price: 30_000 }]
  const order = await transfer(orgId, { items, amount: undefined })
  const repriced = await shop.call(orgId, 'PATCH', `/orders/${order.id}`, {
    json: { items: [{ name: 'Kopi', quantity: 1, unit_price: 30_000 }] },
  })
  expect(repriced.json.payment.amount).toBe(30_000 + repriced.json.payment.unique_amount)
  const paid = await markPaid(orgId, order.id)
  const { status } = await shop.call(orgId, 'PATCH', `/orders/${order.id}`, {
    json: { items: [{ name: 'Kopi', quantity: 1, unit_price: 30_000 }] },
  })
  expect([status, (await shop.getOrder(orgId, order.id)).total]).toEqual([200, paid.total])
})
