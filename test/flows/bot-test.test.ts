import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { numbersContext } from '../../src/boot/contexts.ts'
import { createNumber } from '../../src/channels/numbers/numbers.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { testAppOptions, useTestApp } from '../support/app.ts'
import { aKey, anOrganization } from '../support/makers.ts'

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
  if (message.type === 'interactive')
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

test('a status is reported as the network reports it', async () => {
  const { json: message } = await call('/messages', { to: '+6281200000115', body: 'Halo' })
  await sentTo('+6281200000115')
  const report = { message_id: message.id, status: 'failed', error_code: 131049 }
  expect((await call('/simulator/statuses', report)).status).toBe(204)
  const unknown = { message_id: 'msg_01kmz3v7n2e0a8tq9fj6hx5c4d', status: 'read' }
  expect((await call('/simulator/statuses', unknown)).json.code).toBe('simulation_impossible')
})
