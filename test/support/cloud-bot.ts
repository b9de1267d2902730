import { afterAll, beforeAll, expect } from 'bun:test'
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { numbersContext } from '../../src/boot/contexts.ts'
import { type BusinessNumber, createNumber } from '../../src/channels/numbers/numbers.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { OrgId } from '../../src/kernel/ids.ts'
import { messageIdOf } from '../../src/messaging/messages/messages.ts'
import { useTestApp } from './app.ts'
import { aNewNumber, TEST_APP_SECRET } from './channels.ts'
import { loopbackEgress } from './egress.ts'
import { type GraphServer, signedWebhook, startGraphServer } from './graph-server.ts'
import { aKey, anOrganization } from './makers.ts'
import { TEST_SECRET_KEY } from './secret-key.ts'
import { until } from './until.ts'

/**
 * Bots written for Meta's Cloud API, at webhook endpoints of the format `whatsapp_cloud`, and shops with a number whose
 * network is a Graph of the test: what Meta posts to our hook comes out at the bot.
 */
// biome-ignore lint/suspicious/noExplicitAny: whatever was answered or received; each test knows what it asked for.
export type Json = any

export const WABA = '102290129340398'
const VERIFY_TOKEN = 'a token & more'

export type Bot = {
  url: string
  /** What it was posted, with a valid signature, oldest first. */
  received: { headers: IncomingHttpHeaders; json: Json }[]
  forged: number
  handshakes: number
  secret: string
  verifyToken: string
  /** The status of its next answers. */
  answer: (value: Json) => number
  server: Server
}

export type Shop = { orgId: OrgId; token: string; number: BusinessNumber }

const signature = (secret: string, bytes: Buffer) =>
  `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`

/** As clients do that have only the parsed body. */
const rewritten = (raw: Buffer) =>
  Buffer.from(
    JSON.stringify(JSON.parse(raw.toString())).replace(
      /[^\0-~]/g,
      (unit) => `\\u${`000${unit.charCodeAt(0).toString(16)}`.slice(-4)}`,
    ),
  )

export const newEndpoint = (bot: Bot, fields: object = {}) => ({
  url: bot.url,
  format: 'whatsapp_cloud',
  verify_token: bot.verifyToken,
  ...fields,
})

const digits = (phone: string) => phone.replaceAll(/\D/g, '')
export const metadataOf = ({ number }: Shop) => ({
  display_phone_number: digits(number.display_phone),
  phone_number_id: number.phone_number_id,
})

export const frameOf = (shop: Shop) => ({ messaging_product: 'whatsapp', metadata: metadataOf(shop) })

export const SARI = { profile: { name: 'Sari ☕', username: 'sari' }, wa_id: '6281200000001', user_id: 'ID.91011' }
let counter = 0
/** Within the reply window. */
export const NOW = String(Math.floor(Date.now() / 1000))

/** A message of Sari, with its frame. */
export const fromSari = (content: object): Json => {
  counter += 1
  const frame = { from: SARI.wa_id, from_user_id: SARI.user_id, id: `wamid.in${counter}`, timestamp: NOW }
  return { ...frame, ...content }
}

export const valuesOf = (bot: Bot): Json[] => bot.received.map(({ json }) => json.entry[0].changes[0].value)
export const messagesOf = (bot: Bot): Json[] => valuesOf(bot).flatMap((value) => value.messages ?? [])
export const statusesOf = (bot: Bot): Json[] => valuesOf(bot).flatMap((value) => value.statuses ?? [])

export function useCloudBots() {
  const nexkit = useTestApp()
  let graph: GraphServer
  beforeAll(async () => {
    graph = await startGraphServer()
  })
  afterAll(() => graph.stop())

  const bots: Bot[] = []
  afterAll(() => {
    for (const { server } of bots) server.close()
  })

  /** Written from Meta's documentation, and from nothing of ours. */
  async function aBot(): Promise<Bot> {
    const server = createServer((request, response) => {
      const query = new URL(request.url ?? '', 'http://bot').searchParams
      if (request.method === 'GET') {
        bot.handshakes += 1
        const isGenuine = query.get('hub.mode') === 'subscribe' && query.get('hub.verify_token') === bot.verifyToken
        response.writeHead(isGenuine ? 200 : 403).end(isGenuine ? query.get('hub.challenge') : 'forbidden')
        return
      }
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const raw = Buffer.concat(chunks)
        const given = request.headers['x-hub-signature-256']
        if (![signature(bot.secret, raw), signature(bot.secret, rewritten(raw))].every((one) => one === given)) {
          bot.forged += 1
          response.writeHead(401).end()
          return
        }
        const json = JSON.parse(raw.toString())
        const status = bot.answer(json.entry[0].changes[0].value)
        if (status === 200) bot.received.push({ headers: request.headers, json })
        response.writeHead(status).end()
      })
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook?shop=1`
    const bot: Bot = {
      url,
      received: [],
      forged: 0,
      handshakes: 0,
      secret: '',
      verifyToken: VERIFY_TOKEN,
      answer: () => 200,
      server,
    }
    bots.push(bot)
    return bot
  }

  async function aShop(): Promise<Shop> {
    const { id: orgId } = await anOrganization(nexkit.database)
    const { token } = await aKey(nexkit.database, orgId)
    return { orgId, token, number: await anotherNumber(orgId) }
  }

  async function anotherNumber(orgId: OrgId, accountId = WABA): Promise<BusinessNumber> {
    const context = numbersContext({
      database: nexkit.database,
      clock: systemClock,
      secretKey: TEST_SECRET_KEY,
      egress: loopbackEgress,
      publicUrl: 'http://localhost:3900',
    })
    const fields = aNewNumber({ base_url: graph.url, settings: { waba_id: accountId } })
    return (await nexkit.database.transaction((tx) => createNumber(context, tx, orgId, fields))).number
  }

  const api = async (
    { token }: Shop,
    method: string,
    path: string,
    json?: unknown,
  ): Promise<{ status: number; json: Json }> => {
    const response = await nexkit.call(`/api/public/v1${path}`, { method, token, ...(json !== undefined && { json }) })
    return { status: response.status, json: response.status === 204 ? {} : await response.json() }
  }

  async function aConnectedBot(shop: Shop, fields: object = {}): Promise<Bot & { endpointId: string }> {
    const bot = await aBot()
    const { status, json } = await api(shop, 'POST', '/webhook-endpoints', newEndpoint(bot, fields))
    expect([status, json.format, json.ordering]).toEqual([201, 'whatsapp_cloud', 'by_key'])
    bot.secret = json.secret
    return Object.assign(bot, { endpointId: json.id as string })
  }

  /** What Meta posts. */
  const postHook = (shop: Shop, value: object): Promise<void> =>
    postChange(shop, { field: 'messages', value: { ...frameOf(shop), ...value } })

  async function postChange(shop: Shop, change: { field: string; value: object }, entry: object = {}): Promise<void> {
    const { body, headers } = signedWebhook(
      { object: 'whatsapp_business_account', entry: [{ id: WABA, ...entry, changes: [change] }] },
      TEST_APP_SECRET,
    )
    const response = await nexkit.call(`/hooks/whatsapp-cloud/${shop.number.id}`, { method: 'POST', body, headers })
    expect(response.status).toBe(200)
  }

  const sendText = async (shop: Shop, fields: object = {}) => {
    const { status, json } = await api(shop, 'POST', `/v1/${shop.number.phone_number_id}/messages`, {
      messaging_product: 'whatsapp',
      to: SARI.wa_id,
      type: 'text',
      text: { body: 'Halo' },
      ...fields,
    })
    expect(status).toBe(200)
    return json.messages[0].id as string
  }

  /** The id that the network gave a message, once it took it. */
  async function networkIdOf(wireId: string): Promise<{ id: string; token: string }> {
    const find = () => graph.accepted.find(({ body }) => body.biz_opaque_callback_data === messageIdOf(wireId))
    await until(() => find() !== undefined)
    return { id: find()?.id as string, token: messageIdOf(wireId) as string }
  }

  return {
    nexkit,
    graph: () => graph,
    aBot,
    aShop,
    anotherNumber,
    api,
    aConnectedBot,
    postHook,
    postChange,
    sendText,
    networkIdOf,
  }
}
