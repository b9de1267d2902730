import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { quietLog } from '../../../test/support/log.ts'
import { known } from '../../../test/support/order-cases.ts'
import { type OrdersBench, useOrders } from '../../../test/support/orders.ts'
import { reportOf, unavailableFailure } from '../../../test/support/scripted-payments.ts'
import { until } from '../../../test/support/until.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { createPayPageSource } from '../../orders/pay-page/pay-page.ts'
import { createLinkPageSource } from '../../orders/payment-links/payment-links.ts'
import { createPaySite, type PaySite } from './pay-site.ts'

/** Orders whose payer chooses how to pay, through the page that the link opens. */
const bench: OrdersBench = useOrders({ answerTimeoutMs: 2_000 })
let site: PaySite
let [simulated, remote] = [] as unknown as [OrgId, OrgId]

beforeAll(async () => {
  const { clock, payments } = bench
  site = createPaySite({
    source: createPayPageSource(bench.orders.context),
    links: createLinkPageSource(bench.orders),
    tokens: payments.tokens,
    clock,
    log: quietLog,
  })
  simulated = await bench.anOrg(['simulator', 'manual'])
  remote = await bench.anOrg(['xendit'])
})
beforeEach(() => bench.remote.reset())

const fetchSite = async (url: string, init: RequestInit = {}): Promise<Response> => {
  const answer = await site.fetch(new Request(url, init))
  if (answer === null) throw new Error(`${url} is not served`)
  return answer
}

const aChoice = (orgId: OrgId, fields: Json = {}) => bench.anOrder(orgId, { billingType: 'choice', ...fields })
const pageOf = async (order: Json) => (await fetchSite(order.pay_url)).text()
const stateOf = async (order: Json) => (await (await fetchSite(`${order.pay_url}/status`)).json()).state
const choose = (order: Json, method: string, more: { phone?: string; headers?: Record<string, string> } = {}) =>
  fetchSite(`${order.pay_url}/payments?lang=en`, {
    method: 'POST',
    body: new URLSearchParams({ method, ...(more.phone !== undefined && { phone: more.phone }) }),
    ...(more.headers !== undefined && { headers: more.headers }),
  })
const paymentsOf = async (orgId: OrgId, order: Json): Promise<Json[]> =>
  (await bench.getOrder(orgId, order.id)).payments

describe('an order with a choice', () => {
  test('has a link and no payment, and its page lists what is enabled within the limits of the amount', async () => {
    const order = await aChoice(simulated, { amount: 5_000 })
    expect(order).toMatchObject({
      billingType: 'choice',
      payment: null,
      payment_status: 'unpaid',
      status: 'pending_payment',
    })
    expect(order.choice).toMatchObject({ methods: null, expires_at: expect.any(String) })
    expect(await stateOf(order)).toBe('choosing')
    const page = await pageOf(order)
    for (const value of ['qris', 'virtual_account:bni', 'ewallet:gopay', 'bank_transfer'])
      expect(page).toContain(`value="${value}"`)
    // Cards, stores and BCA begin at Rp10.000, and cash is not paid on the page.
    for (const value of ['card:credit_card', 'retail:alfamart', 'virtual_account:bca', 'cash'])
      expect(page).not.toContain(`value="${value}"`)
  })

  test('offers only the methods of the request', async () => {
    const order = await aChoice(simulated, { payment: { methods: ['ewallet', 'qris'] } })
    const page = await pageOf(order)
    expect([page.includes('value="qris"'), page.includes('value="ewallet:dana"')]).toEqual([true, true])
    expect(page).not.toContain('value="virtual_account')
    await choose(order, 'virtual_account:bni')
    expect(await paymentsOf(simulated, order)).toEqual([])
  })

  test('is created for any billingType among several methods of the request', async () => {
    const order = await bench.anOrder(simulated, { payment: { methods: ['ewallet', 'qris'] } })
    expect(order).toMatchObject({ billingType: 'choice', payment: null, choice: { methods: ['ewallet', 'qris'] } })
    expect(await stateOf(order)).toBe('choosing')
    const json = { billingType: 'card', amount: 25_000, payment: { methods: ['ewallet', 'qris'] } }
    const refusal = await bench.call(simulated, 'POST', '/orders', { json })
    expect([refusal.status, refusal.json.errors[0].pointer]).toEqual([409, '#/payment/methods'])
  })

  test('is refused when nothing can be offered, or when the request names a single method', async () => {
    const create = (json: Json) =>
      bench.call(simulated, 'POST', '/orders', { json: { billingType: 'choice', ...json } })
    const limits = await create({ amount: 5_000, payment: { methods: ['card', 'retail'] } })
    expect([limits.status, limits.json.errors[0].code]).toEqual([409, 'amount_too_low'])
    expect(limits.json.errors[0].params).toEqual({ min: 10_000, max: 200_000_000 })
    expect((await create({ amount: 5_000, payment: { method: 'qris' } })).json.errors[0].code).toBe('method_disagrees')
    expect((await create({ amount: 5_000, payment: { channel: 'gopay' } })).status).toBe(409)
    expect((await create({ amount: 5_000, payment: { methods: ['cash'] } })).status).toBe(409)
    const nothing = await bench.call(await bench.anOrg(['manual']), 'POST', '/orders', {
      json: { billingType: 'choice', amount: 5_000, payment: { methods: ['qris'] } },
    })
    expect(nothing.json.code).toBe('payment_method_not_configured')
    const single = { billingType: 'qris', amount: 5_000, payment: { methods: ['qris'] } }
    expect((await bench.call(simulated, 'POST', '/orders', { json: single })).status).toBe(409)
  })

  test('becomes payable by the choice of the payer, who may change their mind', async () => {
    const order = await aChoice(simulated, {
      amount: undefined,
      items: [{ name: 'Kopi', quantity: 2, unit_price: 18_000 }],
      shipping: 9_000,
    })
    const page = await pageOf(order)
    for (const text of ['2 × Kopi', 'Ongkos kirim', 'Rp\u00a045.000']) expect(page).toContain(text)
    await choose(order, 'qris')
    expect(await stateOf(order)).toBe('payable')
    expect(await pageOf(order)).toContain('Ganti metode pembayaran')
    await choose(order, 'virtual_account:bni')
    const [first, second] = await paymentsOf(simulated, order)
    expect([first?.status, second?.status, second?.bank, second?.amount]).toEqual([
      'cancelled',
      'pending',
      'bni',
      45_000,
    ])
  })

  test('opens one payment when the button is pressed twice', async () => {
    const order = await aChoice(simulated)
    await Promise.all([choose(order, 'qris'), choose(order, 'qris'), choose(order, 'ewallet:gopay')])
    await choose(order, (await paymentsOf(simulated, order))[0]?.method === 'qris' ? 'qris' : 'ewallet:gopay')
    expect((await paymentsOf(simulated, order)).length).toBe(1)
  })

  test('asks for the phone number of a wallet that asks in its app', async () => {
    const order = await aChoice(simulated)
    const refused = await choose(order, 'ewallet:ovo')
    expect(refused.headers.get('location')).toContain('problem=phone')
    expect(await (await fetchSite(`${order.pay_url}?problem=phone&lang=en`)).text()).toContain('role="alert"')
    await choose(order, 'ewallet:ovo', { phone: '0812-3456-7890' })
    expect((await paymentsOf(simulated, order)).map(({ channel }) => channel)).toEqual(['ovo'])
  })
})

describe('a change of mind', () => {
  test('ends the open payment at its provider before another one is opened', async () => {
    const order = await aChoice(remote)
    await choose(order, 'qris')
    await choose(order, 'virtual_account')
    const kinds = bench.remote.calls.map((call) => call.split(' ')[0]).filter((kind) => kind !== 'status')
    expect(kinds).toEqual(['charge', 'cancel', 'charge'])
  })

  test('opens nothing while the provider cannot end the open payment, and says so', async () => {
    const order = await aChoice(remote)
    await choose(order, 'qris')
    bench.remote.script.cancel = () => ({ kind: 'refused', failure: unavailableFailure })
    const answer = await choose(order, 'virtual_account')
    expect(answer.headers.get('location')).toContain('problem=busy')
    expect((await paymentsOf(remote, order)).map(({ status }) => status)).toEqual(['pending'])
  })

  test('counts a payment that was received in the same moment, and opens nothing', async () => {
    const order = await aChoice(remote)
    await choose(order, 'qris')
    bench.remote.script.cancel = (attempt) => ({ kind: 'overtaken', report: reportOf(attempt, { state: 'paid' }) })
    await choose(order, 'virtual_account')
    expect(await stateOf(order)).toBe('paid')
    expect((await paymentsOf(remote, order)).length).toBe(1)
  })

  test('records both payments of two payers, and marks the surplus for review', async () => {
    const order = await aChoice(remote, { amount: 25_000 })
    await choose(order, 'qris')
    await choose(order, 'virtual_account')
    const [first, second] = await paymentsOf(remote, order)
    await bench.sendNotice(remote, reportOf(known(second as Json), { state: 'paid' }))
    await bench.sendNotice(remote, reportOf(known(first as Json), { state: 'paid' }))
    const after = await bench.getOrder(remote, order.id)
    expect(after).toMatchObject({ status: 'confirmed', amount_paid: 50_000, amount_overpaid: 25_000 })
    expect(after.needs_review.reasons).toContain('duplicate_payment')
    await bench.checkBooks(remote)
  })
})

describe('the time to choose', () => {
  test('outlives a payment that expired, and then ends the order', async () => {
    const order = await aChoice(simulated, { payment: { expires_in_seconds: 3_600 } })
    await choose(order, 'qris')
    await bench.advance(1_000)
    expect([await stateOf(order), (await bench.getOrder(simulated, order.id)).status]).toEqual([
      'choosing',
      'pending_payment',
    ])
    expect(await pageOf(order)).toContain('Jangan membayar dengan kode yang lama')
    await bench.advance(2_700)
    expect(await stateOf(order)).toBe('expired')
    await until(async () => (await bench.getOrder(simulated, order.id)).status === 'expired')
    await choose(order, 'qris')
    expect((await paymentsOf(simulated, order)).length).toBe(1)
  })

  test('ends an order whose payer never chose', async () => {
    const order = await aChoice(simulated, { payment: { expires_in_seconds: 60 } })
    bench.clock.advance(61_000)
    expect(await stateOf(order)).toBe('expired')
    await bench.advance(1)
    expect((await bench.getOrder(simulated, order.id)).status).toBe('expired')
  })
})

describe('the form', () => {
  test('is refused from another site', async () => {
    const order = await aChoice(simulated)
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://example.com' }])
      expect((await choose(order, 'qris', { headers })).status).toBe(403)
    expect(await paymentsOf(simulated, order)).toEqual([])
    const headers = { 'sec-fetch-site': 'same-origin', origin: 'null' }
    expect((await choose(order, 'qris', { headers })).status).toBe(303)
  })

  test('is refused with 429 when one link sends too many', async () => {
    const order = await aChoice(simulated)
    const answers = []
    for (let count = 0; count < 12; count++) answers.push(await choose(order, 'qris'))
    const last = answers.at(-1)
    expect([last?.status, Number(last?.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await choose(await aChoice(simulated), 'qris')).status).toBe(303)
  })

  test('shows when the order is due, that it is overdue, and neither once it is paid', async () => {
    const dueAt = new Date(bench.clock.now() + 3_600_000).toISOString()
    const order = await aChoice(remote, { due_at: dueAt })
    expect(await pageOf(order)).toContain(`Jatuh tempo: <time datetime="${dueAt}">`)
    await bench.advance(3_700)
    expect(await pageOf(order)).toContain('Sudah lewat jatuh tempo:')
    await choose(order, 'qris')
    const [payment] = await paymentsOf(remote, order)
    await bench.sendNotice(remote, reportOf(known(payment as Json), { state: 'paid' }))
    expect(await pageOf(order)).not.toContain('jatuh tempo')
  })

  test('shows a receipt when the order is paid', async () => {
    const order = await aChoice(remote, { items: [{ name: 'Roti', quantity: 1, unit_price: 25_000 }] })
    await choose(order, 'qris')
    const [payment] = await paymentsOf(remote, order)
    await bench.sendNotice(remote, reportOf(known(payment as Json), { state: 'paid' }))
    const page = await pageOf(order)
    for (const text of ['Lunas', 'Dibayar dengan', 'QRIS', '1 × Roti', 'WIB']) expect(page).toContain(text)
    expect(page).not.toContain('<form')
  })
})
