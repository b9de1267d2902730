import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { Locator, Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { describeInBrowser, useBrowser } from './browser.ts'
import { go, type Session, useConsoleServer } from './console-server.ts'

type Order = { id: string; number: string; payment: { id: string } }
type Chat = { id: string; contact: { name: string; phone: string }; number: { id: string } }

/** Rows change because of what happens elsewhere: another person, a customer, a receiver. */
describeInBrowser('lists that change while they are on the screen', () => {
  const browser = useBrowser()
  const server = useConsoleServer(browser)
  let session: Session
  let receiver: Server
  let receiverUrl = ''
  let answer = 500

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      request.resume()
      response.writeHead(answer).end()
    })
    await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready))
    receiverUrl = `http://127.0.0.1:${(receiver.address() as { port: number }).port}/hooks`
    session = await server.signIn()
  })
  afterAll(() => void receiver?.close())

  const call = <Reply>(method: string, path: string, body?: unknown) => server.call<Reply>(session, method, path, body)
  const createOrder = () => call<Order>('POST', '/api/proxy/orders', { billingType: 'qris', amount: 10_000 })
  const pay = ({ payment }: Order) => call('POST', `/api/proxy/simulator/payments/${payment.id}`, { scenario: 'paid' })

  test('a row of orders shows the payment and stays under the pointer when the order is paid elsewhere', async () => {
    const order = await createOrder()
    const page = await server.enter('/orders')
    const row = page.getByRole('row', { name: order.number })
    await row.hover()
    const place = await placeOf(row)
    const another = await createOrder()
    await page.getByRole('button', { name: '1 new' }).waitFor()
    await pay(order)
    await row.getByText('Paid', { exact: true }).waitFor()
    expect(await placeOf(row)).toBe(place)
    expect(await page.getByRole('row', { name: another.number }).count()).toBe(0)
    await page.getByRole('button', { name: '1 new' }).click()
    await page.getByRole('row', { name: another.number }).waitFor()
  })

  test('a row of orders shows the payment when the filter no longer matches it', async () => {
    const order = await createOrder()
    const page = await server.enter('/orders?status=pending_payment')
    const row = page.getByRole('row', { name: order.number })
    await row.waitFor()
    await pay(order)
    await row.getByText('Paid', { exact: true }).waitFor()
    await page.reload()
    await page.getByRole('table').waitFor()
    await until(async () => (await row.count()) === 0)
  })

  test('a row of orders shows the payment when fifty newer orders are above it', async () => {
    const order = await createOrder()
    await Promise.all(Array.from({ length: 55 }, createOrder))
    const page = await server.enter('/orders')
    const row = page.getByRole('row', { name: order.number })
    await until(async () => {
      await page.mouse.wheel(0, 5000)
      return (await row.count()) === 1
    })
    await pay(order)
    await row.getByText('Paid', { exact: true }).waitFor()
  })

  test('a list asks for each of its pages once: the first, the next at its end, and that of a filter', async () => {
    await Promise.all(Array.from({ length: 160 }, createOrder))
    const page = await server.enter('/people')
    const asked: URLSearchParams[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname === '/api/proxy/orders') asked.push(searchParams)
    })
    const rows = page.locator('tbody tr:not(:has(.skeleton))')
    await page.getByRole('link', { name: 'Orders', exact: true }).click()
    await until(async () => (await rows.count()) === 50)
    expect(asked.map(String)).toEqual(['limit=50'])
    await page.getByRole('button', { name: 'Show more' }).scrollIntoViewIfNeeded()
    await until(async () => (await rows.count()) === 100)
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Awaiting payment' }).click()
    await page.waitForURL(/status=pending_payment/)
    await until(async () => (await rows.count()) === 50)
    expect(asked.map((query) => [query.has('cursor'), query.get('status')])).toEqual([
      [false, null],
      [true, null],
      [false, 'pending_payment'],
    ])
  })

  test('the charts of the request log are asked for once its rows have come', async () => {
    const page = await server.enter('/logs')
    await page.locator('tbody tr', { hasText: 'GET' }).first().waitFor()
    // The rows are slow: the page has done all it could before they come. A busy machine leaves it no idle moment.
    await page.route(/console\/request-logs\?.*method=POST/, async (route) => {
      await page.locator('tbody[data-waiting]').waitFor()
      await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle, { timeout: 1000 })))
      await route.continue()
    })
    await page.getByRole('combobox', { name: 'Method' }).click()
    await page.getByRole('option', { name: 'POST' }).click()
    const times = (list: string) =>
      page.evaluate((start) => {
        const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
        const entry = entries.find(({ name }) => name.includes(start) && name.includes('method=POST'))
        return entry === undefined ? null : { asked: entry.startTime, come: entry.responseEnd }
      }, `/api/console/${list}?`)
    await until(async () => (await times('request-log-facets')) !== null)
    const [rows, charts] = [await times('request-logs'), await times('request-log-facets')]
    expect(charts?.asked).toBeGreaterThanOrEqual(rows?.come ?? Number.POSITIVE_INFINITY)
  })

  test('filters of the request log that cannot be are refused once, and no charts are asked for', async () => {
    const page = await server.enter('/people')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await go(page, '/logs?status=x')
    await page.getByRole('alert').waitFor()
    await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle, { timeout: 1000 })))
    expect(await page.getByRole('alert').count()).toBe(1)
    expect(asked).not.toContain('/api/console/request-log-facets')
  })

  test('a row of deliveries shows the outcome when the receiver accepts a retry', async () => {
    const endpoint = await call<{ id: string }>('POST', '/api/proxy/webhook-endpoints', {
      url: receiverUrl,
      events: ['key.created'],
      retry_delays_seconds: Array.from({ length: 20 }, () => 1),
    })
    answer = 500
    await call('POST', '/api/console/keys', { name: 'Delivered', scopes: ['events:read'] })
    const page = await server.enter(`/deliveries?endpoint=${endpoint.id}`)
    const row = page.getByRole('row', { name: 'key.created' })
    await row.getByText('500').waitFor()
    answer = 204
    await row.getByText('Delivered').waitFor()
  })

  test('an approval shows the decision when another person decides it', async () => {
    const { token } = await call<{ token: string }>('POST', '/api/console/agents', {
      name: 'Bot',
      scopes: ['chats:read', 'messages:send'],
    })
    const reply = await fetch(`${server.url}/api/public/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: '+6281322223333', body: 'Boleh dikirim?' }),
    })
    const { id } = (await reply.json()) as { id: string }
    const page = await server.enter('/approvals')
    const card = page.getByRole('article').filter({ hasText: 'Boleh dikirim?' })
    await card.getByRole('button', { name: 'Refuse' }).waitFor()
    await call('POST', `/api/proxy/approvals/${id}/refuse`, {})
    await card
      .getByText(/refused/i)
      .first()
      .waitFor()
    expect(await card.getByRole('button', { name: 'Refuse' }).count()).toBe(0)
  })

  test('the team shows a new member and a new role when another person changes them', async () => {
    const page = await server.enter('/people')
    await page.getByRole('row', { name: server.owner.email }).waitFor()
    const { email } = await server.invite('viewer')
    const role = page.getByRole('row', { name: email }).getByRole('combobox')
    await role.waitFor()
    const { members } = await call<{ members: { id: string; email: string }[] }>('GET', '/api/console/people')
    const { id } = members.find((member) => member.email === email) as { id: string }
    await call('PATCH', `/api/console/people/${id}`, { role: 'developer' })
    await until(async () => (await role.inputValue()) === 'Developer')
  })

  test('keys and endpoints show their state when another person changes it', async () => {
    const { key } = await call<{ key: { id: string } }>('POST', '/api/console/keys', {
      name: 'Revoked elsewhere',
      scopes: ['events:read'],
    })
    const page = await server.enter('/keys')
    const row = page.getByRole('row', { name: 'Revoked elsewhere' })
    await row.hover()
    const place = await placeOf(row)
    await call('POST', '/api/console/keys', { name: 'Newer', scopes: ['events:read'] })
    await page.getByRole('row', { name: 'Newer' }).waitFor()
    expect(await placeOf(row)).toBe(place)
    await call('POST', `/api/console/keys/${key.id}/revoke`)
    await row.getByText('Revoked', { exact: true }).waitFor()

    const { id } = await call<{ id: string }>('POST', '/api/proxy/webhook-endpoints', {
      url: `${receiverUrl}/paused`,
      events: ['key.rotated'],
    })
    await page.goto(`${server.url}/console/webhooks`)
    const card = page.getByRole('link', { name: '/paused' })
    await card.waitFor()
    await call('POST', `/api/proxy/webhook-endpoints/${id}/pause`, {})
    await card.getByText('Paused').waitFor()
  })

  test('a list stays as it is when the console is opened in another tab', async () => {
    const order = await createOrder()
    const page = await server.visit('/orders', { session })
    await page.getByRole('row', { name: order.number }).waitFor()
    const newer = await createOrder()
    await page.getByRole('button', { name: '1 new' }).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${server.url}/console/orders`)
    await other.getByRole('row', { name: newer.number }).waitFor()
    await createOrder()
    await page.getByRole('button', { name: '2 new' }).waitFor()
    expect(await page.getByRole('row', { name: newer.number }).count()).toBe(0)
  })

  test('a row of chats shows the new message where it is when the pointer is on the list', async () => {
    const { data } = await call<{ data: Chat[] }>('GET', '/api/proxy/chats')
    const last = data.at(-1) as Chat
    const page = await server.enter('/chats')
    const row = page.getByRole('link', { name: last.contact.name })
    await row.hover()
    const order = await namesOf(page)
    await call('POST', '/api/proxy/simulator/messages', {
      number: last.number.id,
      from: last.contact.phone,
      text: 'Masih buka sampai jam berapa?',
    })
    await row.getByText('Masih buka sampai jam berapa?').waitFor()
    await page.getByRole('button', { name: '1 new' }).waitFor()
    expect(await namesOf(page)).toEqual(order)
    await page.getByRole('button', { name: '1 new' }).click()
    await until(async () => (await namesOf(page))[0] === last.contact.name)
  })
})

const placeOf = async (row: Locator) => (await row.boundingBox())?.y ?? Number.NaN
const namesOf = (page: Page) => page.locator('.chat-row strong').allTextContents()
