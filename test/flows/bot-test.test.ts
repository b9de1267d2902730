import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { numbersContext } from '../../src/boot/contexts.ts'
import { createNumber } from '../../src/channels/numbers/numbers.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { testAppOptions, useTestApp } from '../support/app.ts'
import { aKey, anOrganization } from '../support/makers.ts'
import { until } from '../support/until.ts'

/** A bot is tested as its author would: by HTTP alone, against its webhook, without a single sleep. */
const app = useTestApp()
const known = {} as { token: string; bot: Server }

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Answer = { status: number; json: any }

async function call(path: string, json?: unknown, headers?: Record<string, string>): Promise<Answer> {
  const options = { token: known.token, ...(json !== undefined && { json }), ...(headers && { headers }) }
  const response = await app.call(`/api/public/v1${path}`, options)
  const body = await response.text()
  return { status: response.status, json: body === '' ? null : JSON.parse(body) }
}

const MENU = {
  type: 'list',
  body: { text: 'Mau pesan apa?' },
  action: {
    button: 'Menu',
    sections: [
      {
        title: 'Kopi',
        rows: [
          { id: 'tubruk', title: 'Kopi tubruk' },
          { id: 'susu', title: 'Kopi susu' },
        ],
      },
    ],
  },
}

/** Greets with a menu, and confirms what was chosen. */
async function answer({ type, data: { chat_id: to, ...message } }: Answer['json']): Promise<void> {
  if (type !== 'message.received') return
  if (message.type === 'text') await call('/messages', { to, type: 'interactive', interactive: MENU })
  if (message.interactive?.type === 'list_reply')
    await call('/messages', { to, body: `Siap, ${message.interactive.list_reply.title}!` })
}

beforeAll(async () => {
  const { database } = app
  const { id: orgId } = await anOrganization(database)
  known.token = (await aKey(database, orgId)).token
  const number = { connector: 'simulator', phone_number_id: '100200300', display_phone: '+6281200009000' }
  const numbers = numbersContext({ clock: systemClock, ...testAppOptions(app) })
  await database.transaction((tx) => createNumber(numbers, tx, orgId, number))
  known.bot = createServer(async (request, response) => {
    const event = JSON.parse(await readText(request))
    response.end()
    await answer(event)
  })
  await new Promise<void>((resolve) => known.bot.listen(0, '127.0.0.1', resolve))
  const { port } = known.bot.address() as AddressInfo
  const endpoint = await call('/webhook-endpoints', { url: `http://127.0.0.1:${port}/`, events: ['message.received'] })
  expect(endpoint.status).toBe(201)
})

afterAll(() => new Promise<void>((resolve) => known.bot.close(() => resolve())))

const SARI = '+6281311112222'
const sentTo = async (phone: string, query = '') =>
  (await call(`/simulator/messages?to=${encodeURIComponent(phone)}&wait=10${query}`)).json.data

test('a bot is played through by HTTP: the customer writes, taps, reads and reacts', async () => {
  await call('/simulator/messages', { from: SARI, name: 'Sari', text: 'Halo' })
  const [menu] = await sentTo(SARI)
  expect(menu).toMatchObject({ to: SARI, copies: 1, message: { type: 'interactive', body: 'Mau pesan apa?' } })

  const tapped = await call('/simulator/replies', { from: SARI, message_id: menu.message.id, choice: 'Kopi susu' })
  expect(tapped).toMatchObject({ status: 201, json: { person: { name: 'Sari' } } })
  const [confirmed] = await sentTo(SARI, `&after=${menu.message.id}`)
  expect(confirmed.message.body).toBe('Siap, Kopi susu!')

  expect((await call('/simulator/reads', { from: SARI })).json.read).toContain(confirmed.message.id)
  const reaction = { from: SARI, message_id: confirmed.message.id, emoji: '👍' }
  expect((await call('/simulator/reactions', reaction)).status).toBe(201)
})

test('a list of sent messages is answered with what there is when the time is over', async () => {
  const { json } = await call(`/simulator/messages?to=${encodeURIComponent('+6281311119999')}&wait=1`)
  expect(json).toEqual({ data: [] })
})

test('an act with the same Idempotency-Key happens once', async () => {
  const write = () =>
    call('/simulator/messages', { from: '+6281311113333', text: 'Sekali' }, { 'idempotency-key': 'once' })
  const first = await write()
  expect(first.status).toBe(201)
  expect(await write()).toEqual(first)
  const { json } = await call('/simulator/people')
  expect(json.data.find(({ phone }: { phone: string }) => phone === '6281311113333').messages_written).toBe(1)
})

/** Whether the message got that far, by the events of the organization. */
const reaches = (id: string, status: string) =>
  until(async () => (await call(`/messages/${id}`)).json.status === status)

/** A customer who has written, so that the reply window is open. */
async function aWriter(phone: string): Promise<string> {
  await call('/simulator/messages', { from: phone, text: 'Halo' })
  await sentTo(phone)
  return phone
}

const send = async (to: string, content: object = { body: 'Halo' }) => call('/messages', { to, ...content })

test('a number is as strict as a real one: free-form text needs an open reply window, a template does not', async () => {
  const refused = await send('+6281311114444')
  expect([refused.status, refused.json.code]).toEqual([409, 'reply_window_closed'])
  const template = { name: 'hello_world', language: { code: 'id' } }
  expect((await send('+6281311114444', { type: 'template', template })).status).toBe(201)
  const unknown = await send('+6281311114444', { type: 'template', template: { ...template, name: 'not_there' } })
  expect([unknown.status, unknown.json.code]).toEqual([404, 'template_not_found'])
  await call('/simulator/calls', { from: '+6281311114444' })
  await until(async () => (await send('+6281311114444')).status === 201)
})

test('a status is reported as the network reports it', async () => {
  const { json: message } = await send(await aWriter('+6281200000115'))
  await reaches(message.id, 'delivered')
  const report = { message_id: message.id, status: 'failed', error_code: 131049 }
  expect((await call('/simulator/statuses', report)).status).toBe(204)
  const unknown = { message_id: 'msg_01kmz3v7n2e0a8tq9fj6hx5c4d', status: 'read' }
  expect((await call('/simulator/statuses', unknown)).json.code).toBe('simulation_impossible')
})

test('rules decide what happens to messages for one recipient, and an empty rule removes them', async () => {
  const to = await aWriter('+6281311115555')
  const rule = (what: object) => call('/simulator/rules', { to, ...what })

  expect((await rule({ statuses: [{ status: 'failed', after_ms: 0, error_code: 131049 }] })).status).toBe(200)
  const failed = await send(to)
  await reaches(failed.json.id, 'failed')
  expect((await call(`/messages/${failed.json.id}`)).json.error.provider_code).toBe('131049')

  await rule({
    statuses: [
      { status: 'read', after_ms: 200 },
      { status: 'sent', after_ms: 0, times: 2 },
    ],
  })
  const read = await send(to)
  await reaches(read.json.id, 'read')

  await rule({ refuse: { error_code: 130403 } })
  const refused = await send(to)
  await reaches(refused.json.id, 'failed')
  expect((await call(`/messages/${refused.json.id}`)).json.error.code).toBe('recipient_blocked')

  expect((await call('/simulator/rules')).json.data).toEqual([{ to, refuse: { error_code: 130403 } }])
  expect((await rule({})).json.data).toEqual([])
  await reaches((await send(to)).json.id, 'delivered')
})

test('a customer who has opted out gets no marketing, and one who has blocked the business gets nothing', async () => {
  const phone = await aWriter('+6281311116666')
  expect((await call('/simulator/preferences', { from: phone, blocked: true })).status).toBe(204)
  const { json: message } = await send(phone)
  await reaches(message.id, 'sent')
  await call('/simulator/preferences', { from: phone, blocked: false, marketing: 'stop' })
  const components = [{ type: 'body', parameters: [{ type: 'text', text: '10%' }] }]
  const template = { name: 'weekend_offer', language: { code: 'id' }, components }
  await until(async () => (await send(phone, { type: 'template', template })).json.code === 'recipient_opted_out')
})

test('the quick reply of a template is tapped', async () => {
  const phone = '+6281311117777'
  const header = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://shop.example/kopi.jpg' } }] }
  const button = {
    type: 'button',
    sub_type: 'quick_reply',
    index: '0',
    parameters: [{ type: 'payload', payload: 'OK' }],
  }
  const template = { name: 'order_picture', language: { code: 'id' }, components: [header, button] }
  const { json: message } = await send(phone, { type: 'template', template })
  await sentTo(phone)
  const tapped = await call('/simulator/replies', { from: phone, message_id: message.id, choice: 'Terima kasih' })
  expect(tapped.status).toBe(201)
  await until(async () => {
    const { json } = await call(`/messages?chat=${encodeURIComponent(phone)}`)
    return json.data.some((one: Answer['json']) => one.interactive?.button?.payload === 'OK')
  })
})

test('the seed and the limits of a number are settings, and a lenient number marks what a real one would refuse', async () => {
  const changed = await call('/simulator/settings', { seed: 'one', reply_window: false })
  expect(changed.json).toMatchObject({ seed: 'one', reply_window: false })
  const sent = { status: 0, warnings: [] as { code: string }[] }
  await until(async () => {
    const { status, json } = await send('+6281311118888')
    Object.assign(sent, { status, warnings: json.warnings })
    return status === 201
  })
  expect(sent.warnings.map(({ code }) => code)).toEqual(['reply_window_closed'])
  const asWriter = await send(await aWriter('+6281311118889'))
  expect(asWriter.json.warnings).toEqual([])
})

test('simulated acts with one Idempotency-Key happen once, also when they arrive together', async () => {
  const body = { from: '+6281311119990', text: 'Halo' }
  const write = () => call('/simulator/messages', body, { 'idempotency-key': 'one-greeting' })
  const answers = await Promise.all(Array.from({ length: 6 }, write))
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201))
  expect(new Set(answers.map(({ json }) => String(json.provider_ids))).size).toBe(1)
  const other = { ...body, text: 'Hai' }
  const reused = await call('/simulator/messages', other, { 'idempotency-key': 'one-greeting' })
  expect([reused.status, reused.json.code]).toEqual([422, 'idempotency_key_reused'])
})
