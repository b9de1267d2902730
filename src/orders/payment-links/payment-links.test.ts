import { beforeAll, describe, expect, test } from 'bun:test'
import { quietLog } from '../../../test/support/log.ts'
import { type OrdersBench, useOrders } from '../../../test/support/orders.ts'
import { until } from '../../../test/support/until.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import { listEvents } from '../../events/event-feed.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { listPayments } from '../../payments/payments.ts'
import { createPaySite, type PaySite } from '../../surfaces/pay/pay-site.ts'
import { createSimulatedPayer } from '../../surfaces/pay/simulated-payer.ts'
import { allOrderRoutes } from '../orders.ts'
import { createPayPageSource, type PayPageSource } from '../pay-page/pay-page.ts'
import { createLinkPageSource } from './payment-links.ts'

const bench: OrdersBench = useOrders()
let site: PaySite
let source: PayPageSource
let orgId: OrgId

beforeAll(async () => {
  source = createPayPageSource(bench.orders.context)
  site = createPaySite({
    source,
    links: createLinkPageSource(bench.orders),
    tokens: bench.payments.tokens,
    clock: bench.clock,
    log: quietLog,
  })
  orgId = await bench.anOrg(['manual', 'simulator'])
})

const call = (method: string, path: string, json?: unknown) =>
  bench.call(orgId, method, path, json === undefined ? {} : { json })
const aLink = async (fields: Json = {}) =>
  (await call('POST', '/payment-links', { title: 'Kelas barista', ...fields })).json
const linkOf = async ({ id }: Json) => (await call('GET', `/payment-links/${id}`)).json

const send = async (request: Request): Promise<Response> => {
  const answer = await site.fetch(request)
  if (answer === null) throw new Error(`${request.url} is not served`)
  return answer
}
const page = async (url: string) => (await send(new Request(`${url}?lang=en`))).text()

/** Sends the form of the page, and returns where it leads. */
async function goOn(link: Json, form: Record<string, string> = {}): Promise<string> {
  const body = new URLSearchParams(form)
  const answer = await send(new Request(`${link.url}/orders?lang=en`, { method: 'POST', body }))
  return answer.headers.get('location') ?? String(answer.status)
}

/** What payers opened, paid or not. */
const openedBy = (link: Json) => bench.database.many<{ id: string; total: number; status: string }>`
  select id, total, status from orders where org_id = ${orgId} and payment_link_id = ${link.id} order by id`
const ordersOf = async (link: Json): Promise<Json[]> =>
  (await call('GET', `/orders?payment_link_id=${link.id}`)).json.data

const firstOpened = async (link: Json): Promise<string> => (await openedBy(link))[0]?.id ?? ''

/** The payer chooses on the page of the order. */
async function choose(id: string, method: string): Promise<string> {
  expect(await source.pay({ orgId, id: id as Id<'ord'> }, { method, channel: null, phone: null })).toBeNull()
  const [payment] = await listPayments(bench.database, orgId, id)
  return payment?.id ?? ''
}

async function pay(id: string): Promise<void> {
  await createSimulatedPayer(bench.payments).play(orgId, await choose(id, 'qris'), 'paid')
  await until(async () => (await call('GET', `/orders/${id}`)).json.payment_status === 'paid')
}

/** The events about an order or its payments, oldest first. */
async function eventsOf(id: string): Promise<string[]> {
  const subjects = [id, ...(await listPayments(bench.database, orgId, id)).map((payment) => payment.id as string)]
  const events = await listEvents(bench.database, orgId, { after: 0, limit: 500 })
  return events.filter(({ subject }) => subjects.includes(subject)).map(({ type }) => type)
}

describe('a payment link', () => {
  test('shows what is paid, creates an order for each payer who paid, and counts what was received', async () => {
    const link = await aLink({ amount: 150_000, description: 'Sabtu <10.00>', metadata: { course: 'b1' } })
    expect(link).toMatchObject({ object: 'payment_link', status: 'active', paid_count: 0, amount_received: 0 })
    const shown = await page(link.url)
    for (const text of ['Kelas barista', 'Sabtu &lt;10.00&gt;', 'Rp\u00a0150.000']) expect(shown).toContain(text)
    for (const [name, type] of Object.entries({ 'qr.png': 'image/png', 'qr.svg': 'image/svg+xml' })) {
      const picture = await send(new Request(`${link.url}/${name}`))
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, type])
    }
    expect((await send(new Request(`${link.url}/status`))).status).toBe(404)
    expect(await openedBy(link)).toEqual([])
    const [one, other] = [await goOn(link, { name: 'Budi', phone: '0812-3456-7890' }), await goOn(link)]
    expect(one).toMatch(/^\/pay\/[\w-]{64}\?lang=en$/)
    expect(one).not.toBe(other)
    expect(await page(new URL(one.split('?')[0] ?? '', link.url).href)).toContain('Kelas barista')
    expect([(await openedBy(link)).length, await ordersOf(link)]).toEqual([2, []])
    const paid = await firstOpened(link)
    await pay(paid)
    const order = await bench.getOrder(orgId, paid)
    expect(order).toMatchObject({ billingType: 'choice', total: 150_000, payment_link_id: link.id, notify: false })
    expect([order.customer.phone, order.metadata]).toEqual(['+6281234567890', { course: 'b1' }])
    expect(await linkOf(link)).toMatchObject({ status: 'active', paid_count: 1, amount_received: 150_000 })
    const listed = async (query: string): Promise<string[]> =>
      (await call('GET', `/orders?payment_link_id=${link.id}${query}`)).json.data.map(({ id }: Json) => id)
    expect([await listed(''), await listed('&payment_status=paid')]).toEqual([[order.id], [order.id]])
    expect((await call('GET', `/orders?payment_link_id=${(await aLink()).id}`)).json.data).toEqual([])
    await bench.checkBooks(orgId)
  })

  test('with an open amount takes what is between its limits, in any usual spelling', async () => {
    const link = await aLink({ amount_min: 10_000, amount_max: 500_000 })
    for (const amount of ['9.999', '500.001', '', 'abc', '-20000'])
      expect(await goOn(link, { amount })).toContain('problem=amount')
    expect(await page(`${link.url}`)).toContain('Rp\u00a010.000 – Rp\u00a0500.000')
    expect(await goOn(link, { amount: '20.000', phone: '12345' })).toContain('problem=phone')
    expect(await openedBy(link)).toEqual([])
    await goOn(link, { amount: 'Rp 20.000' })
    await goOn(link, { amount: '21.000,00' })
    for (const amount of ['21.000,50', '21.5', '2.10000', '-20000'])
      expect([amount, await goOn(link, { amount })]).toEqual([amount, expect.stringContaining('problem=amount')])
    expect(await openedBy(link)).toMatchObject([{ total: 20_000 }, { total: 21_000 }])
  })

  test('for a single use gives payers who come at once the same order, and is closed when it was paid', async () => {
    const link = await aLink({ amount: 75_000, single_use: true })
    const places = await Promise.all(Array.from({ length: 8 }, () => goOn(link)))
    expect(new Set(places).size).toBe(1)
    expect(await openedBy(link)).toHaveLength(1)
    await pay(await firstOpened(link))
    expect(await linkOf(link)).toMatchObject({ status: 'paid', paid_count: 1 })
    expect(await page(link.url)).toContain('already paid')
    expect(await goOn(link)).toBe(places[0] ?? '')
    expect(await ordersOf(link)).toHaveLength(1)
  })

  test('for a single use can be paid after an order that expired unpaid', async () => {
    const link = await aLink({ amount: 75_000, single_use: true })
    const first = await goOn(link)
    await bench.advance(3700)
    await until(async () => (await openedBy(link))[0]?.status === 'expired')
    expect(await eventsOf(await firstOpened(link))).toEqual([])
    const second = await goOn(link)
    expect(second).not.toBe(first)
    expect((await openedBy(link)).map(({ status }) => status)).toEqual(['expired', 'pending_payment'])
    expect(await ordersOf(link)).toEqual([])
  })

  test('for a single use is paid by late money for its expired order, where the organization accepts that', async () => {
    const shop = await bench.anOrg(['manual'], { late_payment: 'accept' })
    const ask = async (method: string, path: string, json?: object) =>
      (await bench.call(shop, method, path, json === undefined ? {} : { json })).json
    const link = await ask('POST', '/payment-links', { title: 'Kelas barista', amount: 75_000, single_use: true })
    await goOn(link)
    const [opened] = await bench.database.many<{ id: Id<'ord'> }>`select id from orders where org_id = ${shop}`
    const way = { method: 'bank_transfer', channel: null, phone: null }
    await source.pay({ orgId: shop, id: opened?.id as Id<'ord'> }, way)
    const [order] = (await ask('GET', `/orders?payment_link_id=${link.id}`)).data
    await bench.advance(90_000)
    await until(async () => (await bench.getOrder(shop, order.id)).status === 'expired')
    await ask('POST', `/orders/${order.id}/mark-paid`, {})
    expect(await bench.getOrder(shop, order.id)).toMatchObject({
      ...{ status: 'confirmed', payment_status: 'paid', needs_review: null },
    })
    const paid = await ask('GET', `/payment-links/${link.id}`)
    expect(paid).toMatchObject({ status: 'paid', paid_count: 1, amount_received: 75_000 })
    await goOn(link)
    expect((await ask('GET', `/orders?payment_link_id=${link.id}`)).data).toHaveLength(1)
    await bench.checkBooks(shop)
  })

  test('shows the shop nothing of what its payers have not paid: no list, route or event has it', async () => {
    const link = await aLink({ amount: 60_000 })
    await goOn(link, { name: 'Calon Pembeli' })
    const id = await firstOpened(link)
    const payment = await choose(id, 'qris')
    const paths = [`/orders/${id}`, `/payments/${payment}`]
    expect((await Promise.all(paths.map((path) => call('GET', path)))).map(({ status }) => status)).toEqual([404, 404])
    const listed = await Promise.all([
      ordersOf(link),
      ...['/orders?q=Calon', `/payments?order_id=${id}`, '/payments?method=qris'].map(async (path) =>
        (await call('GET', path)).json.data.filter((row: Json) => [id, payment].includes(row.id)),
      ),
    ])
    expect([...listed, await eventsOf(id)]).toEqual([[], [], [], [], []])
    const routes = allOrderRoutes(bench.orders).filter(({ path }) => path.startsWith('/orders/{id}'))
    expect(routes.length).toBeGreaterThan(12)
    for (const { method, path, example } of routes) {
      const { status, json } = await call(method, path.replace('{id}', id), example?.body)
      expect([method, path, status, json.code]).toEqual([method, path, 404, 'order_not_found'])
    }
    await createSimulatedPayer(bench.payments).play(orgId, payment, 'paid')
    await until(async () => (await ordersOf(link)).length === 1)
    expect((await call('GET', `/payments/${payment}`)).json).toMatchObject({ status: 'paid', order_id: id })
    expect(await eventsOf(id)).toEqual(['order.created', 'payment.paid', 'order.paid'])
  })

  test('creates the order when its payer chooses a transfer, because the shop has to confirm it', async () => {
    const link = await aLink({ amount: 60_000 })
    await goOn(link)
    const id = await firstOpened(link)
    await choose(id, 'bank_transfer')
    expect(await ordersOf(link)).toMatchObject([{ id, amount_paid: 0, payment: { method: 'bank_transfer' } }])
    await choose(id, 'qris')
    expect(await ordersOf(link)).toHaveLength(1)
    expect((await eventsOf(id)).slice(0, 2)).toEqual(['order.created', 'payment.pending'])
  })

  test('creates the order for money that came after the time to pay, and a person looks at it', async () => {
    const link = await aLink({ amount: 60_000 })
    await goOn(link)
    const id = await firstOpened(link)
    const payment = await choose(id, 'qris')
    await bench.advance(90_000)
    await until(async () => (await openedBy(link))[0]?.status === 'expired')
    expect(await ordersOf(link)).toEqual([])
    await createSimulatedPayer(bench.payments).play(orgId, payment, 'paid')
    await until(async () => (await ordersOf(link)).length === 1)
    expect(await bench.getOrder(orgId, id)).toMatchObject({ status: 'expired', amount_paid: 60_000 })
    expect(await eventsOf(id)).toEqual(['order.created', 'payment.late', 'payment.paid', 'order.needs_review'])
    await bench.checkBooks(orgId)
  })

  test('creates no order when it is inactive or has expired', async () => {
    const inactive = await aLink({ amount: 75_000 })
    expect((await call('PATCH', `/payment-links/${inactive.id}`, { active: false })).json.status).toBe('inactive')
    const expiring = await aLink({ amount: 75_000, expires_at: new Date(bench.clock.now() + 60_000).toISOString() })
    await bench.advance(61)
    for (const link of [inactive, expiring]) {
      expect(await goOn(link)).toContain('problem=closed')
      expect(await openedBy(link)).toEqual([])
    }
    expect(await page(expiring.url)).toContain('has expired')
  })

  test('leaves characters that no database stores out of the name of a payer', async () => {
    const link = await aLink({ amount: 50_000 })
    expect(await goOn(link, { name: 'Bu\0di' })).toMatch(/^\/pay\/[^?]+/)
    const id = await firstOpened(link)
    await pay(id)
    expect((await bench.getOrder(orgId, id)).customer.name).toBe('Budi')
  })

  test('is limited in the orders that it creates, and refuses the form of another site', async () => {
    const link = await aLink({ amount: 1_000_000 })
    const headers = { 'sec-fetch-site': 'cross-site' }
    const foreign = await send(new Request(`${link.url}/orders`, { method: 'POST', headers, body: '' }))
    expect(foreign.status).toBe(403)
    const places: string[] = []
    for (let count = 0; count < 25; count++) places.push(await goOn(link))
    expect(places).toContain('429')
    expect((await openedBy(link)).length).toBeLessThan(25)
  })

  test('is refused with amounts that contradict each other, that no method takes, or a past expiry', async () => {
    const codeOf = async (fields: Json) => {
      const { status, json } = await call('POST', '/payment-links', { title: 'Kelas', ...fields })
      return [status, json.errors?.[0]?.pointer, json.errors?.[0]?.code]
    }
    expect(await codeOf({ amount: 5000, amount_min: 1000 })).toEqual([409, '#/amount_min', 'not_allowed'])
    expect(await codeOf({ amount_min: 5000, amount_max: 1000 })).toEqual([409, '#/amount_min', 'amount_too_high'])
    expect(await codeOf({ amount: 5, methods: ['card'] })).toEqual([409, '#/amount', 'amount_too_low'])
    expect(await codeOf({ amount: 5000, methods: ['cash'] })).toEqual([409, '#/methods/0', 'not_allowed'])
    expect(await codeOf({ amount: 5000, expires_at: '2020-01-01T00:00:00Z' })).toEqual([
      409,
      '#/expires_at',
      'in_the_past',
    ])
    expect((await codeOf({ amount: 0 }))[0]).toBe(422)
  })

  test('of another organization is not found, and lists are newest first', async () => {
    const link = await aLink({ amount: 5000 })
    const other = await bench.anOrg(['manual'])
    expect((await bench.call(other, 'GET', `/payment-links/${link.id}`)).json.code).toBe('payment_link_not_found')
    const { json } = await call('GET', '/payment-links?active=true&limit=1')
    expect([json.data[0].id, json.has_more]).toEqual([link.id, true])
  })
})
