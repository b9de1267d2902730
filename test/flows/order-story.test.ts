import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { numberCommands } from '../../src/cli/number.commands.ts'
import { paymentAccountCommands } from '../../src/cli/payment-account.commands.ts'
import { simulateCommands } from '../../src/cli/simulate.commands.ts'
import { simulatePayCommands } from '../../src/cli/simulate-pay.commands.ts'
import { useTestApp } from '../support/app.ts'
import { aKey, anOrganization } from '../support/makers.ts'
import { runCommand, useCommandSettings } from '../support/run-command.ts'
import { until } from '../support/until.ts'
import type { Json } from '../support/webhooks.ts'

/** A customer writes, an order is created for them, they pay from the chat, and the shop's own server is notified. */
const nexkit = useTestApp()
useCommandSettings(nexkit)
const received: { headers: IncomingHttpHeaders; body: string }[] = []
let receiver: Server
let [slug, token, url] = ['', '', '']

beforeAll(async () => {
  const organization = await anOrganization(nexkit.database, { name: 'Warung Contoh' })
  slug = organization.slug
  token = (await aKey(nexkit.database, organization.id)).token
  receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      response.writeHead(200).end()
    })
  })
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`
})

afterAll(() => {
  receiver.close()
})

/** Runs a command as a user does beside the running server. */
const nexkitCommand = (...words: string[]) =>
  runCommand(
    [...numberCommands, ...paymentAccountCommands, ...simulateCommands, ...simulatePayCommands],
    [...words, '--org', slug],
  )

async function api(method: string, path: string, json?: unknown): Promise<Json> {
  const reply = await nexkit.call(`/api/public/v1${path}`, { method, token, ...(json !== undefined && { json }) })
  return reply.json()
}

const chat = () => api('GET', '/chats/081311112222')
const noticesOf = async (order: Json): Promise<Json[]> =>
  ((await chat()).messages?.data ?? []).filter((message: Json) => message.order_id === order.id)
const arrivals = (type: string) => received.filter(({ body }) => JSON.parse(body).type === type)

test('from a message in the chat to a paid order and a verified webhook', async () => {
  await nexkitCommand(
    ...['number', 'create', '--connector', 'simulator'],
    ...['--phone-number-id', '100200300400500', '--display-phone', '+6281200009000'],
  )
  await nexkitCommand('payment-account', 'create', '--provider', 'simulator')
  const endpoint = await api('POST', '/webhook-endpoints', { url, events: ['order.*', 'message.received'] })

  // A customer writes.
  await nexkitCommand('simulate', 'message', '--from', '081311112222', '--name', 'Sari', '--text', 'Kopi susu dua ya')
  await until(async () => (await chat()).unread_count === 1)

  // The shop's server creates an order from it, and the payment instructions are in the chat.
  const order = await api('POST', '/orders', {
    billingType: 'qris',
    items: [{ name: 'Kopi susu', quantity: 2, unit_price: 18_000 }],
    customer: { phone: '081311112222' },
  })
  expect(order).toMatchObject({ status: 'pending_payment', total: 36_000 })
  await until(
    async () => (await noticesOf(order))[0]?.status === 'delivered' || (await noticesOf(order))[0]?.status === 'read',
  )
  const [instructions] = await noticesOf(order)
  expect(instructions).toMatchObject({ type: 'image', media: { id: expect.stringMatching(/^med_/) } })
  expect(instructions.body).toContain('Rp\u00a036.000')
  expect(instructions.body).toContain(order.payment.pay_url)
  expect((await chat()).open_order).toMatchObject({ id: order.id, total: 36_000, payment_status: 'pending' })

  // The page behind the link shows the same code.
  const page = await nexkit.call(order.payment.pay_url.replace('http://localhost:3900', ''))
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Rp\u00a036.000')])
  const picture = await nexkit.call(order.payment.qris.image_url.replace('http://localhost:3900', ''))
  expect(picture.headers.get('content-type')).toBe('image/png')

  // They pay; the network says so three times.
  await nexkitCommand('simulate', 'pay', '--order', order.id, '--scenario', 'duplicate')
  expect(await api('GET', `/orders/${order.id}`)).toMatchObject({
    ...{ status: 'confirmed', payment_status: 'paid', amount_paid: 36_000 },
    chat_id: (await chat()).id,
  })
  await until(async () => (await noticesOf(order)).length === 2)
  expect((await noticesOf(order)).map(({ metadata }) => metadata.notice)).toEqual(['paid', 'instructions'])
  expect((await chat()).open_order).toBeNull()
  const paidPage = await nexkit.call(`${order.payment.pay_url.replace('http://localhost:3900', '')}/status`)
  expect(await paidPage.json()).toMatchObject({ state: 'paid' })

  // The shop's server received each event once, and can verify our signature.
  await until(() => arrivals('order.paid').length === 1 && arrivals('order.created').length === 1)
  const [arrival] = arrivals('order.paid')
  const event = new Webhook(endpoint.secret).verify(arrival?.body ?? '', arrival?.headers as Record<string, string>)
  expect(event).toMatchObject({ type: 'order.paid', data: { id: order.id, payment_status: 'paid' } })
  expect(arrivals('message.received')).toHaveLength(1)
})

test('a cart in the chat becomes a draft, and the draft is paid there', async () => {
  await nexkitCommand('simulate', 'cart', '--from', '081311113333', '--items', 'KOPI*2@18000,ROTI*1@12000')
  const drafts = async (): Promise<Json[]> => (await api('GET', '/orders?status=draft')).data
  await until(async () => (await drafts()).length === 1)
  const [draft] = await drafts()
  expect(draft).toMatchObject({ total: 48_000, customer: { phone: '+6281311113333' } })
  await api('POST', `/orders/${draft.id}/payments`, { method: 'virtual_account', bank: 'bri' })
  await nexkitCommand('simulate', 'pay', '--order', draft.id)
  const messages = async (): Promise<Json[]> => (await api('GET', `/chats/${draft.chat_id}`)).messages.data
  await until(async () => (await messages()).some(({ metadata }) => metadata.notice === 'paid'))
  expect((await api('GET', `/orders/${draft.id}`)).status).toBe('confirmed')
})
