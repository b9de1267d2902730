import { beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Bot,
  fromSari,
  type Json,
  messagesOf,
  metadataOf,
  NOW,
  newEndpoint,
  SARI,
  type Shop,
  useCloudBots,
  valuesOf,
  WABA,
} from '../support/cloud-bot.ts'
import { aKey } from '../support/makers.ts'
import { until } from '../support/until.ts'

/**
 * Webhook endpoints of the format `whatsapp_cloud`: statuses, order, handshake and registration in Meta's way. That every
 * kind of payload comes out as it went in is in cloud-api-round-trips.test.ts.
 */
const { nexkit, graph, aBot, aShop, anotherNumber, api, aConnectedBot, postHook, sendText, networkIdOf } =
  useCloudBots()

describe('how far messages have come', () => {
  const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' }
  const conversation = { id: 'c0ffee', origin: { type: 'utility' } }
  const errors = [
    {
      code: 131026,
      title: 'Message undeliverable',
      message: 'Message undeliverable',
      error_data: { details: 'No.' },
      href: 'https://x.example.com',
    },
  ]
  let shop: Shop
  let bot: Bot

  beforeAll(async () => {
    shop = await aShop()
    bot = await aConnectedBot(shop)
    await postHook(shop, { contacts: [SARI], messages: [fromSari({ type: 'text', text: { body: 'Halo' } })] })
    await until(() => messagesOf(bot).length === 1)
  })

  const report = async (wireId: string, status: object) => {
    const { id, token } = await networkIdOf(wireId)
    const recipient = { recipient_id: SARI.wa_id, recipient_user_id: SARI.user_id }
    await postHook(shop, {
      contacts: [SARI],
      statuses: [{ id, timestamp: NOW, ...recipient, biz_opaque_callback_data: token, ...status }],
    })
  }
  const statusOf = (wireId: string, status: string) =>
    valuesOf(bot).find((value) => value.statuses?.some((one: Json) => one.id === wireId && one.status === status))
  const item = (wireId: string, fields: object) => ({
    id: wireId,
    timestamp: NOW,
    recipient_id: SARI.wa_id,
    recipient_user_id: SARI.user_id,
    biz_opaque_callback_data: 'order:123',
    ...fields,
  })
  const REFERENCE = { biz_opaque_callback_data: 'order:123' }

  test('arrives as Meta reports it: sent, delivered, read', async () => {
    const wireId = await sendText(shop, REFERENCE)
    await until(() => statusOf(wireId, 'sent') !== undefined)
    await report(wireId, { status: 'delivered', pricing, conversation })
    await report(wireId, { status: 'read' })
    await until(() => statusOf(wireId, 'read') !== undefined)
    const envelope = { messaging_product: 'whatsapp', metadata: metadataOf(shop), contacts: [SARI] }
    expect(statusOf(wireId, 'sent')).toMatchObject({ ...envelope, statuses: [{ id: wireId, ...REFERENCE }] })
    expect(statusOf(wireId, 'delivered')).toEqual({
      ...envelope,
      statuses: [item(wireId, { status: 'delivered', pricing, conversation })],
    })
    expect(statusOf(wireId, 'read')).toEqual({ ...envelope, statuses: [item(wireId, { status: 'read' })] })
  })

  test('arrives as Meta reports it: sent with its price, when the answer to the call was lost', async () => {
    graph().failNext({ kind: 'reset', isAccepted: true })
    const wireId = await sendText(shop, REFERENCE)
    await report(wireId, { status: 'sent', pricing, conversation })
    await until(() => statusOf(wireId, 'sent') !== undefined)
    expect(statusOf(wireId, 'sent').statuses).toEqual([item(wireId, { status: 'sent', pricing, conversation })])
  })

  test('arrives as Meta reports it: failed, with its errors', async () => {
    const wireId = await sendText(shop, REFERENCE)
    await report(wireId, { status: 'failed', errors })
    await until(() => statusOf(wireId, 'failed') !== undefined)
    expect(statusOf(wireId, 'failed')).toEqual({
      messaging_product: 'whatsapp',
      metadata: metadataOf(shop),
      contacts: [SARI],
      statuses: [item(wireId, { status: 'failed', errors })],
    })
  })

  test('has Meta’s code and title when the network refused the message at once', async () => {
    graph().failNext({ kind: 'error', code: 131026, details: 'Not on WhatsApp.' })
    const wireId = await sendText(shop)
    await until(() => statusOf(wireId, 'failed') !== undefined)
    expect(statusOf(wireId, 'failed').statuses[0].errors).toMatchObject([
      { code: 131026, title: 'Message undeliverable', error_data: { details: 'Not on WhatsApp.' } },
    ])
  })
})

describe('deliveries', () => {
  const write = (shop: Shop, person: typeof SARI, ...bodies: string[]) =>
    postHook(shop, {
      contacts: [person],
      messages: bodies.map((body) => ({
        ...fromSari({ type: 'text', text: { body } }),
        from: person.wa_id,
        from_user_id: person.user_id,
      })),
    })
  const BUDI = { profile: { name: 'Budi', username: 'budi' }, wa_id: '6281200000002', user_id: 'ID.92022' }
  const bodiesOf = (bot: Bot, { wa_id }: typeof SARI) =>
    messagesOf(bot).flatMap(({ from, text }) => (from === wa_id ? [text.body] : []))

  test('of one chat stay in order when the first is retried, and other chats go on', async () => {
    const shop = await aShop()
    // More of them than the other chat can take seconds.
    const bot = await aConnectedBot(shop, { retry_delays_seconds: Array.from({ length: 20 }, () => 1) })
    let failures = 0
    bot.answer = ({ messages }) =>
      messages?.[0].text.body === 'first' && bodiesOf(bot, BUDI).length < 3 && ++failures ? 500 : 200
    await write(shop, SARI, 'first', 'second', 'third')
    await write(shop, BUDI, 'one', 'two', 'three')
    await until(() => bodiesOf(bot, SARI).length === 3)
    expect(bodiesOf(bot, SARI)).toEqual(['first', 'second', 'third'])
    expect(bodiesOf(bot, BUDI)).toEqual(['one', 'two', 'three'])
    expect(failures).toBeGreaterThan(0)
  })

  test('go to the endpoints of their own organization, and to those of their number', async () => {
    const [shop, other] = [await aShop(), await aShop()]
    const second = { ...shop, number: await anotherNumber(shop.orgId) }
    const [all, limited, elsewhere] = [
      await aConnectedBot(shop),
      await aConnectedBot(shop, { number: second.number.phone_number_id }),
      await aConnectedBot(other),
    ]
    await write(shop, SARI, 'to the first')
    await write(second, SARI, 'to the second')
    await write(other, SARI, 'to another shop')
    await until(() => [all, limited, elsewhere].every((bot) => bot.received.length > 0) && all.received.length === 2)
    expect([all, limited, elsewhere].map((bot) => bodiesOf(bot, SARI))).toEqual([
      ['to the first', 'to the second'],
      ['to the second'],
      ['to another shop'],
    ])
    const { json: events } = await api(shop, 'GET', '/events')
    const { id } = events.data.find((event: Json) => event.data?.body === 'to the first')
    const { json: explained } = await api(shop, 'GET', `/events/${id}/explain`)
    const codes = explained.stories.flatMap(({ steps }: Json) => steps.map(({ code }: Json) => code))
    expect(codes).toContain('other_number')
  })

  test('of the standard format stay as they are beside one in Meta’s format', async () => {
    const shop = await aShop()
    const bot = await aConnectedBot(shop)
    const standard: { headers: IncomingHttpHeaders; body: Json }[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        standard.push({ headers: request.headers, body: JSON.parse(body) })
        response.end()
      })
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const { json } = await api(shop, 'POST', '/webhook-endpoints', { url, events: ['message.received'] })
    expect([json.format, json.number]).toEqual(['standard', null])
    await write(shop, SARI, 'Halo')
    await until(() => standard.some(({ body }) => body.type === 'message.received') && bot.received.length === 1)
    const arrived = standard.find(({ body }) => body.type === 'message.received')
    expect(arrived?.body.data).toMatchObject({ object: 'message', body: 'Halo', number_id: shop.number.id })
    expect(arrived?.headers['webhook-signature']).toMatch(/^v1,/)
    expect(arrived?.headers['x-hub-signature-256']).toBeUndefined()
    server.close()
  })

  test('that were missed are recovered, in Meta’s format', async () => {
    const shop = await aShop()
    const bot = await aConnectedBot(shop, { retry_delays_seconds: [] })
    bot.answer = () => 500
    await write(shop, SARI, 'missed')
    const failed = async () => (await api(shop, 'GET', '/deliveries?status=failed')).json.data.length
    await until(async () => (await failed()) === 1)
    bot.answer = () => 200
    const since = new Date(Date.now() - 60_000).toISOString()
    await api(shop, 'POST', `/webhook-endpoints/${bot.endpointId}/recover`, { mode: 'failed', since })
    await until(() => bodiesOf(bot, SARI).length === 1)
  })
})

describe('the handshake', () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await aShop()
  })
  const listed = async () => (await api(shop, 'GET', '/webhook-endpoints')).json.data

  const broken: [string, (bot: Bot) => void, string][] = [
    ['has another verify token', (bot) => Object.assign(bot, { verifyToken: 'another' }), 'status 403'],
    [
      'answers without the challenge',
      (bot) => bot.server.removeAllListeners('request').on('request', (_, response) => response.end('OK')),
      'hub.challenge',
    ],
    [
      'redirects',
      (bot) =>
        bot.server
          .removeAllListeners('request')
          .on('request', (_, response) => response.writeHead(302, { location: '/x' }).end()),
      'Redirects are not followed',
    ],
    ['is not there', (bot) => bot.server.close(), 'could not be reached'],
  ]

  test.each(broken)('refuses a callback that %s, and nothing is saved', async (_, breakIt, sentence) => {
    const bot = await aBot()
    const body = newEndpoint(bot)
    breakIt(bot)
    const { status, json } = await api(shop, 'POST', '/webhook-endpoints', body)
    expect([status, json.code]).toEqual([409, 'webhook_callback_unverified'])
    expect(json.detail).toContain(sentence)
    expect(await listed()).toEqual([])
  })

  test('goes nowhere that deliveries may not go', async () => {
    const body = { url: 'https://10.0.0.1/hook', format: 'whatsapp_cloud', verify_token: 'x' }
    const { status, json } = await api(shop, 'POST', '/webhook-endpoints', body)
    expect([status, json.errors[0].pointer]).toEqual([422, '#/url'])
  })

  test('comes again with a new URL or verify token, and with a ping', async () => {
    const bot = await aConnectedBot(shop)
    const path = `/webhook-endpoints/${bot.endpointId}`
    expect((await api(shop, 'PATCH', path, { verify_token: 'new token' })).json.code).toBe(
      'webhook_callback_unverified',
    )
    bot.verifyToken = 'new token'
    const changed = await api(shop, 'PATCH', path, { verify_token: 'new token', url: `${bot.url}&again=1` })
    expect([changed.status, JSON.stringify(changed.json).includes('new token')]).toEqual([200, false])
    expect((await api(shop, 'PATCH', path, { description: 'Bot' })).status).toBe(200)
    expect(bot.handshakes).toBe(3)
    const { json: ping } = await api(shop, 'POST', `${path}/ping`)
    const delivery = async () => (await api(shop, 'GET', `/deliveries/${ping.delivery_id}`)).json
    await until(async () => (await delivery()).status === 'succeeded')
    expect([bot.handshakes, bot.received.length]).toEqual([4, 0])
    bot.verifyToken = 'forgotten'
    const { json: failing } = await api(shop, 'POST', `${path}/ping`)
    await until(async () => (await api(shop, 'GET', `/deliveries/${failing.delivery_id}`)).json.status === 'failed')
    expect((await api(shop, 'GET', path)).json.last_ping).toMatchObject({ status: 'failed', response_status: 403 })
  })

  test('is the only test that the format has', async () => {
    const [{ id }] = await listed()
    const refused = await Promise.all([
      api(shop, 'POST', `/webhook-endpoints/${id}/test`, { type: 'message.received' }),
      api(shop, 'POST', `/webhook-endpoints/${id}/certify`),
    ])
    expect(refused.map(({ status, json }) => [status, json.code])).toEqual([
      [409, 'webhook_format_unsupported'],
      [409, 'webhook_format_unsupported'],
    ])
  })
})

describe('a callback that a bot registers in Meta’s way', () => {
  const registered = { success: true, app_secret: expect.stringMatching(/^whsec_/) }
  let shop: Shop
  beforeAll(async () => {
    shop = await aShop()
  })
  const graphCall = (method: string, path: string, json?: unknown) => api(shop, method, `/v25.0${path}`, json)
  const write = (bot: Bot, body: string) =>
    postHook(shop, { contacts: [SARI], messages: [fromSari({ type: 'text', text: { body } })] }).then(() =>
      until(() => messagesOf(bot).some(({ text }) => text.body === body)),
    )

  test('receives as the callback of an app, keeps its secret when it registers again, and is removed', async () => {
    const bot = await aBot()
    const query = new URLSearchParams({
      object: 'whatsapp_business_account',
      callback_url: bot.url,
      verify_token: bot.verifyToken,
      fields: 'messages,message_template_status_update',
    })
    const { status, json } = await graphCall('POST', `/670843887433847/subscriptions?${query}`)
    expect([status, json]).toEqual([200, registered])
    bot.secret = json.app_secret
    await write(bot, 'to the app')
    expect(await graphCall('POST', `/670843887433847/subscriptions?${query}`)).toEqual({
      status: 200,
      json: { success: true },
    })
    await write(bot, 'to the app again')
    expect([bot.forged, bot.handshakes]).toEqual([0, 1])
    expect((await graphCall('GET', '/670843887433847/subscriptions')).json).toEqual({
      data: [
        {
          object: 'whatsapp_business_account',
          callback_url: bot.url,
          active: true,
          fields: [
            { name: 'messages', version: 'v25.0' },
            { name: 'message_template_status_update', version: 'v25.0' },
          ],
        },
      ],
    })
    expect((await graphCall('DELETE', '/670843887433847/subscriptions')).json).toEqual({ success: true })
    expect((await graphCall('GET', '/670843887433847/subscriptions')).json).toEqual({ data: [] })
    expect((await api(shop, 'GET', '/webhook-endpoints')).json.data).toEqual([])
  })

  test('receives as the callback of a business account, and takes over an endpoint with its URL', async () => {
    const bot = await aConnectedBot(shop)
    const override = { override_callback_uri: bot.url, verify_token: bot.verifyToken }
    expect((await graphCall('POST', `/${WABA}/subscribed_apps`, override)).json).toEqual({ success: true })
    await write(bot, 'to the account')
    const { json } = await graphCall('GET', `/${WABA}/subscribed_apps`)
    expect(json.data).toMatchObject([{ override_callback_uri: bot.url }])
    expect((await graphCall('POST', `/${WABA}/subscribed_apps`)).json).toEqual({ success: true })
    expect((await api(shop, 'GET', '/webhook-endpoints')).json.data).toEqual([])
  })

  test('receives as the callback of a number, and nothing of it is forwarded to Meta', async () => {
    const bot = await aBot()
    const calls = graph().requests.length
    const path = `/${shop.number.phone_number_id}`
    const configuration = (uri: string) => ({
      webhook_configuration: { override_callback_uri: uri, verify_token: bot.verifyToken },
    })
    const { json } = await graphCall('POST', path, configuration(bot.url))
    expect(json).toEqual(registered)
    bot.secret = json.app_secret
    await write(bot, 'to the number')
    const [endpoint] = (await api(shop, 'GET', '/webhook-endpoints')).json.data
    expect(endpoint.number).toBe(shop.number.id)
    expect((await graphCall('POST', path, configuration(''))).json).toEqual({ success: true })
    expect((await api(shop, 'GET', '/webhook-endpoints')).json.data).toEqual([])
    expect(graph().requests.length).toBe(calls)
  })

  test('receives in place of a less specific one: number, then account, then app', async () => {
    const second = { ...shop, number: await anotherNumber(shop.orgId) }
    const third = { ...shop, number: await anotherNumber(shop.orgId) }
    const elsewhere = { ...shop, number: await anotherNumber(shop.orgId, '102290129340399') }
    const [app, account, number] = [await aBot(), await aBot(), await aBot()]
    const callback = (bot: Bot) => ({ override_callback_uri: bot.url, verify_token: bot.verifyToken })
    const object = { object: 'whatsapp_business_account', fields: 'messages' }
    const registrations: [Bot, string, object][] = [
      [app, '/670843887433847/subscriptions', { ...object, callback_url: app.url, verify_token: app.verifyToken }],
      [number, `/${second.number.phone_number_id}`, { webhook_configuration: callback(number) }],
      [account, `/${WABA}/subscribed_apps`, callback(account)],
    ]
    const hear = async (to: Shop, body: string, expected: Bot) => {
      await postHook(to, { contacts: [SARI], messages: [fromSari({ type: 'text', text: { body } })] })
      await until(() => messagesOf(expected).some(({ text }) => text.body === body))
    }
    for (const [bot, path, json] of registrations.slice(0, 2))
      bot.secret = (await graphCall('POST', path, json)).json.app_secret
    await hear(shop, 'to the app', app)
    await hear(second, 'to the number', number)
    const [, , [, path, json]] = registrations as [never, never, [Bot, string, object]]
    account.secret = (await graphCall('POST', path, json)).json.app_secret
    await hear(shop, 'to the account', account)
    await hear(second, 'to the number again', number)
    await hear(third, 'to the account again', account)
    await hear(elsewhere, 'to the app again', app)
    expect([app, account, number].map((bot) => messagesOf(bot).map(({ text }) => text.body))).toEqual([
      ['to the app', 'to the app again'],
      ['to the account', 'to the account again'],
      ['to the number', 'to the number again'],
    ])
    const { json: events } = await api(shop, 'GET', '/events?types=message.received')
    const codesOf = async (body: string) => {
      const { id } = events.data.find((event: Json) => event.data.body === body)
      const { json: explained } = await api(shop, 'GET', `/events/${id}/explain`)
      return explained.stories.flatMap(({ steps }: Json) => steps.map(({ code }: Json) => code)) as string[]
    }
    expect((await codesOf('to the number again')).filter((code) => code === 'more_specific_callback')).toHaveLength(2)
    expect((await codesOf('to the app again')).filter((code) => code === 'other_number')).toHaveLength(2)
    for (const [, path] of registrations.filter(([bot]) => bot !== number)) await graphCall('DELETE', path)
    await graphCall('POST', `/${second.number.phone_number_id}`, {
      webhook_configuration: { override_callback_uri: '' },
    })
  })

  test('is refused with Graph’s codes, and nothing is saved', async () => {
    const bot = await aBot()
    const body = {
      object: 'whatsapp_business_account',
      callback_url: bot.url,
      verify_token: 'wrong',
      fields: 'messages',
    }
    const refusals = await Promise.all([
      graphCall('POST', '/670843887433847/subscriptions', body),
      graphCall('POST', '/670843887433847/subscriptions', { ...body, callback_url: undefined }),
      graphCall('POST', '/670843887433847/subscriptions', { ...body, callback_url: 'https://10.0.0.1/' }),
      graphCall('POST', '/670843887433847/subscriptions', { ...body, fields: ['not a field'] }),
      graphCall('POST', '/999999999999999/subscribed_apps', { override_callback_uri: bot.url, verify_token: 'x' }),
    ])
    expect(refusals.map(({ status, json }) => [status, json.error.code])).toEqual([
      [400, 2200],
      [400, 100],
      [400, 100],
      [400, 100],
      [400, 100],
    ])
    const { token } = await aKey(nexkit.database, shop.orgId, { scopes: ['messages:send'] })
    const sender = { ...shop, token }
    const configuration = { webhook_configuration: { override_callback_uri: bot.url, verify_token: bot.verifyToken } }
    const denied = await Promise.all([
      api(sender, 'POST', '/v25.0/670843887433847/subscriptions', body),
      api(sender, 'POST', `/v25.0/${shop.number.phone_number_id}`, configuration),
    ])
    expect(denied.map(({ status, json }) => [status, json.error.code])).toEqual([
      [403, 10],
      [403, 10],
    ])
    expect((await api(shop, 'GET', '/webhook-endpoints')).json.data).toEqual([])
  })
})

test.each([
  ['without a verify token', { format: 'whatsapp_cloud' }, '#/verify_token'],
  ['with a thin payload', { format: 'whatsapp_cloud', verify_token: 'x', payload: 'thin' }, '#/payload'],
  ['with a public key', { format: 'whatsapp_cloud', verify_token: 'x', signing: 'v1a' }, '#/signing'],
  [
    'with events that Meta does not have',
    { format: 'whatsapp_cloud', verify_token: 'x', events: ['order.*'] },
    '#/events',
  ],
  ['of the standard format with a verify token', { verify_token: 'x' }, '#/verify_token'],
  ['of the standard format with a number', { number: '+62215' }, '#/number'],
])('an endpoint %s is refused at the field', async (_, fields, pointer) => {
  const shop = await aShop()
  const { status, json } = await api(shop, 'POST', '/webhook-endpoints', { url: 'http://127.0.0.1:9/hook', ...fields })
  expect([status, json.errors?.[0].pointer]).toEqual([expect.any(Number), pointer])
  expect([409, 422]).toContain(status)
})
