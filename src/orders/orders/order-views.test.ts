import { beforeEach, expect, test } from 'bun:test'
import { useOrders } from '../../../test/support/orders.ts'
import { faultsOf } from '../../../test/support/published-schema.ts'
import { holdCharges, reportOf } from '../../../test/support/scripted-payments.ts'
import { until, untilLockIsAwaited } from '../../../test/support/until.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { MONEY_MAX } from '../../kernel/money.ts'
import { paymentMethods } from '../../payments/payment-connector.ts'
import { paymentStates, refundStates } from '../../payments/payments.states.ts'
import { orderStates } from '../settlement/orders.states.ts'
import { paymentStatuses } from '../settlement/settlement.ts'

/**
 * Creates every state of orders, payments and refunds and checks each view against the published contract: lists, single
 * orders, answers to changes, and events.
 */
const shop = useOrders()
beforeEach(() => shop.remote.reset())

/** The states seen in all tests of this file. */
const met = {
  statuses: new Set<string>(),
  paymentStatuses: new Set<string>(),
  payments: new Set<string>(),
  refunds: new Set<string>(),
  reasons: new Set<string>(),
  methods: new Set<string>(),
}

function note(order: Json) {
  met.statuses.add(order.status)
  met.paymentStatuses.add(order.payment_status)
  for (const reason of order.needs_review?.reasons ?? []) met.reasons.add(reason)
  for (const payment of order.payments ?? [order.payment].filter((one) => one !== null)) {
    met.payments.add(payment.status)
    met.methods.add(payment.method)
  }
  for (const refund of order.refunds ?? []) met.refunds.add(refund.status)
}

const dataOf = { order: 'Order', payment: 'Payment' } as Record<string, string>

/** Every view of the orders of an organization. */
async function checkAll(orgId: OrgId): Promise<void> {
  const faults: string[] = []
  for (const order of (await shop.call(orgId, 'GET', '/orders?limit=100')).json.data) {
    faults.push(...faultsOf('Order', order))
    const one = await shop.getOrder(orgId, order.id)
    faults.push(...faultsOf('OrderWithPayments', one))
    note(one)
  }
  const events = await shop.database.many<{ type: string; body: string }>`
    select type, body from events where org_id = ${orgId} order by sequence`
  for (const { type, body } of events) {
    const { data } = JSON.parse(body)
    faults.push(...faultsOf(dataOf[type.split('.')[0] as string] as string, data).map((fault) => `${type} ${fault}`))
  }
  expect(events.length).toBeGreaterThan(0)
  expect(faults).toEqual([])
}

const post = async (orgId: OrgId, order: Json, action: string, json: object = {}) => {
  const reply = await shop.call(orgId, 'POST', `/orders/${order.id}/${action}`, { json })
  const shown = action === 'refunds' ? 'CreatedRefund' : 'OrderWithPayments'
  expect([reply.status < 300, faultsOf(shown, reply.json)]).toEqual([true, []])
  return reply
}

const report = ({ id, method, bank, amount }: Json, fields: Parameters<typeof reportOf>[1]) =>
  reportOf({ id, providerId: `scripted_${id}`, method, bank, amount }, fields)

test('views match the contract when an order is unpaid, by every method', async () => {
  const orgId = await shop.anOrg(['simulator', 'manual'])
  const long = 'é'.repeat(200)
  for (const billingType of paymentMethods) {
    const isFree = billingType === 'free'
    const json = {
      billingType,
      items: [{ sku: 'x'.repeat(100), name: long, quantity: 3, unit_price: isFree ? 0 : 20_000 }],
      customer: { name: long, phone: '0812-3456-7890' },
      reference: `${'r'.repeat(80)} ${billingType}`,
      note: 'n'.repeat(1000),
      metadata: Object.fromEntries(Array.from({ length: 50 }, (_, nth) => [`key ${nth}`, 'v'.repeat(500)])),
    }
    const reply = await shop.call(orgId, 'POST', '/orders', { json })
    if (reply.status === 201) expect(faultsOf('Order', reply.json)).toEqual([])
    else expect([billingType, reply.json.code]).toEqual([billingType, 'payment_method_not_configured'])
  }
  for (const bank of ['bni', 'bca', 'bri', 'mandiri', 'permata', 'cimb'])
    await shop.call(orgId, 'POST', '/orders', { json: { billingType: 'virtual_account', payment: { bank } } })
  await shop.anOrder(orgId, { amount: undefined })
  await shop.anOrder(orgId, { billingType: 'invoice', amount: MONEY_MAX })
  await checkAll(orgId)
})

test('views match the contract when an order is a draft or a cancelled draft', async () => {
  const orgId = await shop.anOrg()
  const cart = {
    items: [{ sku: null, name: '-', quantity: 1, unit_price: 0 }],
    customer: { name: null, phone: null },
    contactId: newId('con'),
    chatId: newId('chat'),
    note: null,
  }
  const drafts = []
  for (let nth = 0; nth < 2; nth++)
    drafts.push(await shop.database.transaction((tx) => shop.orders.createDraftFromCart(tx, orgId, cart)))
  await post(orgId, drafts[0] as Json, 'cancel')
  await checkAll(orgId)
})

test('views match the contract when an order is paid, processed, completed, cancelled or expired', async () => {
  const orgId = await shop.anOrg(['xendit', 'manual'])
  const soon = { payment: { expires_in_seconds: 60 } }
  const [paid, cancelled] = [await shop.anOrder(orgId), await shop.anOrder(orgId)]
  await shop.sendNotice(orgId, report(paid.payment, { state: 'paid', facts: { issuer: 'x' } }))
  await checkAll(orgId)
  await post(orgId, paid, 'process')
  await checkAll(orgId)
  await post(orgId, paid, 'complete')
  await post(orgId, cancelled, 'cancel')
  const late = await shop.anOrder(orgId, soon)
  await shop.advance(61)
  await shop.sendNotice(orgId, report(late.payment, { state: 'paid' }))
  await shop.anOrder(orgId, soon)
  await shop.advance(61)
  await checkAll(orgId)
})

test('views match the contract when an order is underpaid, overpaid, paid twice or reversed', async () => {
  const orgId = await shop.anOrg(['xendit', 'manual'])
  const short = await shop.anOrder(orgId, { billingType: 'bank_transfer', amount: 50_000 })
  await post(orgId, short, 'mark-paid', { amount: 20_000, note: 'n'.repeat(1000) })
  for (const fields of [{ amountPaid: 90_000 }, { amountPaid: 10 }, { amountPaid: null }]) {
    const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
    await shop.sendNotice(orgId, report(order.payment, { state: 'paid', ...fields }))
  }
  const reversed = await shop.anOrder(orgId)
  await shop.sendNotice(orgId, report(reversed.payment, { state: 'paid' }))
  await shop.sendNotice(orgId, report(reversed.payment, { state: 'reversed' }))
  const twice = await shop.anOrder(orgId)
  await post(orgId, twice, 'payments', { method: 'virtual_account', bank: 'bni' })
  const second = (await shop.getOrder(orgId, twice.id)).payment
  await shop.sendNotice(orgId, report(second, { state: 'paid' }))
  await shop.sendNotice(orgId, report(twice.payment, { state: 'paid' }))
  await checkAll(orgId)
  await shop.advance(120)
  await checkAll(orgId)
})

test('views match the contract when refunds are pending, succeed or fail, in part and in full', async () => {
  const orgId = await shop.anOrg(['xendit', 'manual'])
  const paidOrder = async () => {
    const order = await shop.anOrder(orgId)
    await shop.sendNotice(orgId, report(order.payment, { state: 'paid' }))
    return order
  }
  const [part, full, failed, waiting] = [await paidOrder(), await paidOrder(), await paidOrder(), await paidOrder()]
  await post(orgId, part, 'refunds', { amount: 5_000, reason: 'r'.repeat(500) })
  await post(orgId, full, 'refunds', { manual: true, note: 'Paid back in cash' })
  await shop.settle()
  const long = { code: 'refund_refused', providerCode: 'p'.repeat(5_000), detail: 'd'.repeat(5_000) }
  shop.remote.script.refund = () => ({ kind: 'refused', failure: { ...long, class: 'rejected', retryAfterMs: null } })
  await post(orgId, failed, 'refunds')
  await shop.settle()
  const gate = Promise.withResolvers<void>()
  shop.remote.script.refund = async ({ id }) => {
    await gate.promise
    return { kind: 'pending', providerRefundId: `scripted_${id}` }
  }
  await post(orgId, waiting, 'refunds')
  await checkAll(orgId)
  gate.resolve()
  await shop.settle()
  await checkAll(orgId)
})

test('views match the contract when a provider is slow, refuses, or sends a text that is too long', async () => {
  const orgId = await shop.anOrg(['xendit'])
  const answer = holdCharges(shop.remote)
  const request = shop.anOrder(orgId)
  await until(() => shop.remote.calls.some((call) => call.startsWith('charge')))
  await checkAll(orgId)
  answer()
  expect(faultsOf('Order', await request)).toEqual([])
  const long = { code: 'amount_refused', providerCode: 'p'.repeat(5_000), detail: `${'d'.repeat(5_000)}\u0000` }
  shop.remote.script.charge = () => ({ kind: 'refused', failure: { ...long, class: 'rejected', retryAfterMs: null } })
  expect(faultsOf('Order', await shop.anOrder(orgId))).toEqual([])
  await checkAll(orgId)
})

test('views of every state were checked', () => {
  expect([...met.statuses].sort()).toEqual([...orderStates.all].sort())
  expect([...met.paymentStatuses].sort()).toEqual([...paymentStatuses].sort())
  expect([...met.payments].sort()).toEqual([...paymentStates.all].sort())
  expect([...met.refunds].sort()).toEqual([...refundStates.all].sort())
  expect([...met.methods].sort()).toEqual([...paymentMethods].filter((one) => one !== 'free').sort())
  expect(met.reasons.size).toBeGreaterThan(4)
})

test.each([false, true])(
  'views of an order and its money come from one snapshot while payments are received (alone: %p)',
  async (isAlone) => {
    const orgId = await shop.anOrg()
    const order = await shop.anOrder(orgId, { amount: 50_000 })
    const { reply } = await shop.database.transaction(async (tx) => {
      await tx.run`lock table payments in access exclusive mode`
      const reply = shop.call(orgId, 'GET', isAlone ? `/orders/${order.id}` : '/orders')
      await untilLockIsAwaited(shop.database)
      await tx.run`update payments set amount_paid = 50000 where org_id = ${orgId}`
      await tx.run`update orders set amount_paid = 50000 where org_id = ${orgId}`
      return { reply }
    })
    const { json } = await reply
    const shown = isAlone ? json : json.data[0]
    expect(shown.payment.amount_paid).toBe(shown.amount_paid)
  },
)
