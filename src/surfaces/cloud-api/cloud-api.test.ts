import { describe, expect, test } from 'bun:test'
import { useCloudApi } from '../../../test/support/cloud-api.ts'
import { aKey } from '../../../test/support/makers.ts'
import { aText, useMessaging } from '../../../test/support/messaging.ts'
import { messageIdOf, wireIdOf } from '../../messaging/messages/messages.ts'

const bench = useMessaging()
const cloudApi = useCloudApi(bench)

const text = (body: string) => ({ type: 'text', text: { body } })
const link = 'https://example.com/a.jpg'

const errorOf = (json: { error: Record<string, unknown> }) => json.error

describe('sending', () => {
  test('answers in Meta’s shape: the input as given, the number as digits, an id of the form wamid', async () => {
    const shop = await bench.aShop()
    const { status, json, headers } = await cloudApi.send(shop, { to: '+62 812-3456-7890', ...text('Halo') })
    expect(status).toBe(200)
    expect(json).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: '+62 812-3456-7890', wa_id: '6281234567890' }],
      messages: [{ id: expect.stringMatching(/^wamid\.[A-Za-z0-9+/=]+$/) }],
    })
    expect(headers.get('x-request-id')).toStartWith('req_')
    expect(headers.get('content-type')).toBe('application/json')
  })

  test('writes to the same chat as POST /messages, and the network gets it', async () => {
    const shop = await bench.aShop()
    const first = await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '081234567890', body: 'satu' } })
    const second = await cloudApi.send(shop, text('dua'))
    const id = messageIdOf(second.json.messages[0].id) as string
    const message = await bench.call(shop.orgId, 'GET', `/messages/${id}`)
    expect(message.json).toMatchObject({
      chat_id: first.json.chat_id,
      type: 'text',
      body: 'dua',
      direction: 'outbound',
    })
    await bench.settle()
    expect(bench.channel.taken.find((taken) => taken.id === id)?.content).toEqual({ type: 'text', body: 'dua' })
  })

  test('keeps the callback data as the reference, and every event of the message contains it', async () => {
    const shop = await bench.aShop()
    await cloudApi.send(shop, { ...text('Halo'), biz_opaque_callback_data: 'order:123' })
    await bench.settle()
    const sent = (await bench.eventsOf(shop.orgId)).find((event) => event.type === 'message.sent')
    expect(sent?.data.client_reference).toBe('order:123')
  })

  test('hands the hash of the customer’s identity key on to the network, and shows it nowhere', async () => {
    const shop = await bench.aShop()
    const { json } = await cloudApi.send(shop, { ...text('Halo'), recipient_identity_key_hash: 'DF2lS5v2W6x=' })
    const id = messageIdOf(json.messages[0].id) as string
    await bench.settle()
    const taken = bench.channel.taken.find((message) => message.id === id)
    expect(taken).toMatchObject({ identityKeyHash: 'DF2lS5v2W6x=' })
    expect(taken?.content).toEqual({ type: 'text', body: 'Halo' })
    const shown = [await bench.call(shop.orgId, 'GET', `/messages/${id}`), await bench.eventsOf(shop.orgId)]
    expect(JSON.stringify(shown)).not.toContain('DF2lS5v2W6x=')
  })

  test('knows the caller as the sender', async () => {
    const shop = await bench.aShop()
    const { json } = await cloudApi.send(shop, text('Halo'))
    const { json: message } = await bench.call(shop.orgId, 'GET', `/messages/${messageIdOf(json.messages[0].id)}`)
    expect(message.sender).toMatchObject({ type: 'key', id: expect.stringMatching(/^key_/) })
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['image', { image: { link, caption: 'Look' } }, { media: { link }, body: 'Look' }],
    ['document', { document: { link, filename: 'a.pdf' } }, { media: { link, filename: 'a.pdf' } }],
    [
      'location',
      { location: { latitude: '-6.2', longitude: 106.8 } },
      { location: { latitude: -6.2, longitude: 106.8 } },
    ],
    [
      'contacts',
      { contacts: [{ name: { formatted_name: 'S', first_name: 'S' } }] },
      { contacts: [{ name: { formatted_name: 'S', first_name: 'S' } }] },
    ],
    [
      'interactive',
      {
        interactive: { type: 'location_request_message', body: { text: 'Where?' }, action: { name: 'send_location' } },
      },
      { body: 'Where?', interactive: { type: 'location_request_message' } },
    ],
    ['template', { template: { name: 'ready', language: { code: 'id' } } }, { template: { name: 'ready' } }],
  ])('%s', async (type, content, expected) => {
    const shop = await bench.aShop()
    const { status, json } = await cloudApi.send(shop, { type, ...content })
    expect(status).toBe(200)
    const message = await bench.call(shop.orgId, 'GET', `/messages/${messageIdOf(json.messages[0].id)}`)
    expect(message.json).toMatchObject({ type, ...expected })
    expect(json.messages[0].message_status).toBe(type === 'template' ? 'accepted' : undefined)
  })

  test('reaches a customer who is known by a user id only', async () => {
    const shop = await bench.aShop()
    const { json } = await cloudApi.send(shop, { to: undefined, recipient: 'ID.13491208', ...text('Halo') })
    expect(json.contacts).toEqual([{ input: 'ID.13491208', user_id: 'ID.13491208' }])
    await bench.settle()
    const taken = bench.channel.taken.find((message) => message.id === messageIdOf(json.messages[0].id))
    expect(taken?.to).toEqual({ phone: null, userId: 'ID.13491208' })
  })

  test('is refused where the reply window is closed, and a template is not', async () => {
    const shop = await bench.aShop({ connector: 'strict' })
    const refused = await cloudApi.send(shop, text('Halo'))
    expect([refused.status, refused.json.error.code]).toEqual([400, 131047])
    const sent = await cloudApi.send(shop, { type: 'template', template: { name: 'a', language: { code: 'id' } } })
    expect(sent.status).toBe(200)
    await bench.report(shop, [aText()])
    expect((await cloudApi.send(shop, text('Halo'))).status).toBe(200)
  })

  test('to the sending number itself is error 131021', async () => {
    const shop = await bench.aShop()
    const { status, json } = await cloudApi.send(shop, { to: '622150001000', ...text('Halo') })
    expect([status, errorOf(json).code]).toEqual([400, 131021])
  })

  test('with an Idempotency-Key happens once, however often it is asked for', async () => {
    const shop = await bench.aShop()
    const path = `/api/public/v1/v1/${shop.phoneNumberId}/messages`
    const json = { messaging_product: 'whatsapp', to: '6281234567890', ...text('once') }
    const ask = (body: unknown) => cloudApi.call(shop.orgId, path, { json: body, headers: { 'idempotency-key': 'a' } })
    const first = await ask(json)
    const again = await ask(json)
    expect(again.json).toEqual(first.json)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await ask({ ...json, ...text('other') })).json.error.code).toBe(100)
    expect((await bench.call(shop.orgId, 'GET', '/messages')).json.data).toHaveLength(1)
  })
})

describe('every form of the path leads to the same place', () => {
  test.each([
    '/api/public/v1/v1/PID/messages',
    '/api/public/v1/v24.0/PID/messages',
    '/api/public/v1/PID/messages',
    '/public/v1/v1/PID/messages',
    '/public/v1/v13.0/PID/messages/',
    '/public/v1//PID//messages',
  ])('%s', async (template) => {
    const shop = await bench.aShop()
    const path = template.replace('PID', shop.phoneNumberId)
    const json = { text: { body: 'Halo' }, to: 6281234567890, extra: true, messaging_product: 'whatsapp' }
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    const reply = await cloudApi.call(shop.orgId, path, { body: JSON.stringify(json), headers })
    expect([reply.status, reply.json.contacts]).toEqual([200, [{ input: '6281234567890', wa_id: '6281234567890' }]])
  })

  test('our own paths are left alone', async () => {
    const shop = await bench.aShop()
    for (const path of ['/api/public/v1/messages', '/api/public/v1/chats/messages', '/api/public/v1/me', '/elsewhere'])
      expect((await cloudApi.call(shop.orgId, path)).status).toBe(0)
  })
})

describe('replies and reactions', () => {
  test('name a message by the id that the network gave it', async () => {
    const shop = await bench.aShop()
    const inbound = aText()
    await bench.report(shop, [inbound])
    const reply = await cloudApi.send(shop, { ...text('Ya'), context: { message_id: inbound.providerId } })
    const reaction = { message_id: inbound.providerId, emoji: '👍' }
    const react = await cloudApi.send(shop, { type: 'reaction', reaction })
    expect([reply.status, react.status]).toEqual([200, 200])
    await bench.settle()
    const [replied, reacted] = bench.channel.taken.slice(-2)
    expect(replied?.replyToProviderId).toBe(inbound.providerId)
    expect(reacted?.reactsToProviderId).toBe(inbound.providerId)
  })

  test('name one of ours by the id that we gave it', async () => {
    const shop = await bench.aShop()
    const first = await cloudApi.send(shop, text('satu'))
    const reply = await cloudApi.send(shop, { ...text('dua'), context: { message_id: first.json.messages[0].id } })
    const { json } = await bench.call(shop.orgId, 'GET', `/messages/${messageIdOf(reply.json.messages[0].id)}`)
    expect(json.reply_to).toBe(messageIdOf(first.json.messages[0].id))
  })

  test('a quote of a message that is unknown or belongs to another organization is left out', async () => {
    const [shop, other] = [await bench.aShop(), await bench.aShop()]
    const theirs = (await cloudApi.send(other, text('theirs'))).json.messages[0].id
    for (const message_id of ['wamid.UNKNOWN', theirs, wireIdOf('msg_01k9x3m5q8e0t9v7a2b4c6d8fg')]) {
      const { status, json } = await cloudApi.send(shop, { ...text('Ya'), context: { message_id } })
      expect(status).toBe(200)
      const id = messageIdOf(json.messages[0].id)
      expect((await bench.call(shop.orgId, 'GET', `/messages/${id}`)).json.reply_to).toBeNull()
    }
  })

  test('a reaction to a message that is unknown or belongs to another organization is refused', async () => {
    const [shop, other] = [await bench.aShop(), await bench.aShop()]
    const theirs = (await cloudApi.send(other, text('theirs'))).json.messages[0].id
    for (const message_id of ['wamid.UNKNOWN', theirs]) {
      const { status, json } = await cloudApi.send(shop, { type: 'reaction', reaction: { message_id, emoji: '👍' } })
      expect([status, json.error.code]).toEqual([400, 131009])
      expect(json.error.error_data.details).toStartWith('reaction.message_id:')
    }
  })
})

describe('where the dialect is served', () => {
  test('below the base paths, below them without their version, and at the root of the host', async () => {
    const shop = await bench.aShop()
    const path = `/${shop.phoneNumberId}/messages`
    const json = { messaging_product: 'whatsapp', to: '+6281234567890', ...text('Halo') }
    for (const prefix of ['/v20.0', '', '/v1', '/api/public/v20.0', '/public/v20.0', '/api/public', '/public/v1/v20.0'])
      expect([prefix, (await cloudApi.call(shop.orgId, prefix + path, { json })).status]).toEqual([prefix, 200])
  })

  test('no path of our own is taken', async () => {
    const { orgId } = await bench.aShop()
    for (const path of [
      '/',
      '/console',
      '/console/media',
      '/docs/v20.0',
      '/pay/messages',
      '/hooks/whatsapp-cloud/messages',
    ])
      expect([path, (await cloudApi.call(orgId, path)).status]).toEqual([path, 0])
    for (const path of [
      '/api/public/v1',
      '/public/v1',
      '/api/public/me/messages',
      '/api/auth/messages',
      '/mcp',
      '/metrics',
    ])
      expect([path, (await cloudApi.call(orgId, path)).status]).toEqual([path, 0])
  })

  test('the token may come in the query, and the request log does not store it', async () => {
    const shop = await bench.aShop()
    const { token } = await aKey(bench.database, shop.orgId, { rateLimit: 'none' })
    const json = { messaging_product: 'whatsapp', to: '+6281234567890', ...text('Halo') }
    const path = `/v20.0/${shop.phoneNumberId}/messages?a=1&access_token=`
    expect((await cloudApi.call(shop.orgId, path + token, { json, token: null })).status).toBe(200)
    expect(cloudApi.exchanges.at(-1)).toMatchObject({ query: 'a=1&access_token=***' })
    for (const wrong of ['', 'nxk_live_x', '%00', '%0D%0Ax:y'])
      expect((await cloudApi.call(shop.orgId, path + wrong, { json, token: null })).json.error.code).toBe(190)
  })

  test('a message may come with a comma before a closing bracket, as a sample of Meta sends it', async () => {
    const shop = await bench.aShop()
    const send = (body: string) => cloudApi.call(shop.orgId, `/v20.0/${shop.phoneNumberId}/messages`, { body })
    const says = 'a,}",]\\'
    const { json } = await send(
      `{"messaging_product": "whatsapp", "to": "6281234567890", "text": {"body": ${JSON.stringify(says)}, },\n}`,
    )
    const id = messageIdOf(json.messages[0].id)
    expect((await bench.call(shop.orgId, 'GET', `/messages/${id}`)).json.body).toBe(says)
    expect((await send('{"messaging_product": "whatsapp",, "to": "6281234567890"}')).json.error.code).toBe(100)
  })

  test('a message may come as a form', async () => {
    const shop = await bench.aShop()
    const body = new URLSearchParams({
      ...{ messaging_product: 'whatsapp', to: '6281234567890', type: 'text' },
      text: JSON.stringify({ body: 'Dari formulir' }),
    })
    const { json } = await cloudApi.call(shop.orgId, `/v20.0/${shop.phoneNumberId}/messages`, { body })
    const id = messageIdOf(json.messages[0].id)
    expect((await bench.call(shop.orgId, 'GET', `/messages/${id}`)).json.body).toBe('Dari formulir')
  })
})

describe('marking as read', () => {
  test('marks the message and those before it, and notifies the network', async () => {
    const shop = await bench.aShop()
    const texts = [aText(), aText(), aText()]
    for (const one of texts) await bench.report(shop, [one])
    const receipt = { to: undefined, status: 'read', message_id: texts[1]?.providerId }
    const { status, json } = await cloudApi.send(shop, receipt)
    expect([status, json]).toEqual([200, { success: true }])
    expect((await bench.call(shop.orgId, 'GET', '/chats')).json.data[0].unread_count).toBe(1)
    await bench.settle()
    expect(bench.channel.reads).toContainEqual({ providerId: texts[1]?.providerId as string, isTyping: false })
  })

  test('shows that an answer is being written', async () => {
    const shop = await bench.aShop()
    const inbound = aText()
    await bench.report(shop, [inbound])
    const receipt = { status: 'read', message_id: inbound.providerId, typing_indicator: { type: 'text' } }
    expect((await cloudApi.send(shop, receipt)).json).toEqual({ success: true })
    await bench.settle()
    expect(bench.channel.reads).toContainEqual({ providerId: inbound.providerId as string, isTyping: true })
  })

  test('is refused for an unknown message', async () => {
    const shop = await bench.aShop()
    const { status, json } = await cloudApi.send(shop, { status: 'read', message_id: 'wamid.UNKNOWN' })
    expect([status, json.error.code]).toEqual([400, 131009])
  })
})

describe('refusals have Meta’s envelope', () => {
  test('for a body that is blank', async () => {
    const shop = await bench.aShop()
    const { json, status } = await cloudApi.send(shop, { type: 'text', text: { body: ' \u200b' } })
    expect([status, json.error.code, json.error.error_data.details]).toEqual([
      400,
      131009,
      expect.stringContaining('text.body'),
    ])
  })

  test('with everything that a client may look for', async () => {
    const shop = await bench.aShop()
    const { json, headers, status } = await cloudApi.send(shop, { type: 'text', text: {} })
    expect(status).toBe(400)
    expect(json).toEqual({
      error: {
        message: '(#131008) Required parameter is missing',
        type: 'OAuthException',
        code: 131008,
        error_data: { messaging_product: 'whatsapp', details: 'text.body: "body" is required.' },
        fbtrace_id: headers.get('x-request-id'),
      },
    })
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.has('retry-after')).toBe(false)
  })

  test('401 and 190 without a valid key, also below paths that are nothing', async () => {
    const shop = await bench.aShop()
    const path = `/api/public/v1/v1/${shop.phoneNumberId}/messages`
    const nowhere = '/api/public/v1/v1/no/such/thing'
    for (const [target, token] of [
      [path, null],
      [path, 'nxk_live_wrong'],
      [nowhere, null],
    ] as const) {
      const { status, json } = await cloudApi.call(shop.orgId, target, { token, json: {} })
      expect([status, errorOf(json).code, errorOf(json).type]).toEqual([401, 190, 'OAuthException'])
    }
  })

  test('403 and 10 for a key without the scope', async () => {
    const shop = await bench.aShop()
    const { token } = await aKey(bench.database, shop.orgId, { scopes: ['chats:read'] })
    const path = `/api/public/v1/v1/${shop.phoneNumberId}/messages`
    const { status, json } = await cloudApi.call(shop.orgId, path, { token, json: {} })
    expect([status, errorOf(json).code]).toEqual([403, 10])
  })

  test('429 and 130429 with Retry-After for a key that calls too often', async () => {
    const shop = await bench.aShop()
    const { token } = await aKey(bench.database, shop.orgId, { rateLimit: 1 })
    const path = `/api/public/v1/v1/${shop.phoneNumberId}`
    const replies = await Promise.all(Array.from({ length: 4 }, () => cloudApi.call(shop.orgId, path, { token })))
    const limited = replies.find((reply) => reply.status === 429)
    expect(limited?.json.error.code).toBe(130429)
    expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('an object that is not there, also because it belongs to someone else', async () => {
    const [shop, other] = [await bench.aShop(), await bench.aShop()]
    for (const id of ['999', other.phoneNumberId, other.numberId]) {
      const { status, json } = await cloudApi.call(shop.orgId, `/public/v1/v1/${id}/messages`, { json: {} })
      expect([status, json.error.code, json.error.error_subcode, json.error.type]).toEqual([
        400,
        100,
        33,
        'GraphMethodException',
      ])
    }
  })

  test('an unknown path, and a method that is not allowed', async () => {
    const shop = await bench.aShop()
    const nowhere = await cloudApi.call(shop.orgId, '/api/public/v1/v24.0/1/no_such_edge')
    expect([nowhere.status, nowhere.json.error.code]).toEqual([400, 2500])
    const get = await cloudApi.call(shop.orgId, `/api/public/v1/v24.0/${shop.phoneNumberId}/messages`)
    expect([get.status, get.json.error.type]).toEqual([400, 'GraphMethodException'])
  })

  test.each(['', '{', 'null', '[]', '{"a":1,"a":2}', '"\\ud800"', '['.repeat(100)])(
    'a body that is %s',
    async (body) => {
      const shop = await bench.aShop()
      const path = `/api/public/v1/v1/${shop.phoneNumberId}/messages`
      const { status, json } = await cloudApi.call(shop.orgId, path, { body, method: 'POST' })
      expect([status, json.error.code]).toEqual([400, 100])
    },
  )

  test('a body that is too large', async () => {
    const shop = await bench.aShop()
    const { status, json } = await cloudApi.send(shop, text('a'.repeat(300_000)))
    expect([status, json.error.code]).toEqual([413, 100])
  })

  test('a file that was not uploaded', async () => {
    const shop = await bench.aShop()
    const { status, json } = await cloudApi.send(shop, { type: 'image', image: { id: '123456789' } })
    expect([status, json.error.code]).toEqual([400, 131009])
    expect(json.error.error_data.details).toStartWith('image.id:')
  })
})

test('every call is logged like any other, with the true path and our own code', async () => {
  const shop = await bench.aShop()
  await cloudApi.send(shop, { type: 'hologram' })
  const exchange = cloudApi.exchanges.at(-1)
  expect(exchange).toMatchObject({
    method: 'POST',
    path: `/v24.0/${shop.phoneNumberId}/messages`,
    fullPath: `/api/public/v1/v24.0/${shop.phoneNumberId}/messages`,
    status: 400,
    errorCode: 'validation_failed',
    address: '127.0.0.1',
  })
  expect(exchange?.route?.id).toBe('sendCloudApiMessage')
  expect(exchange?.caller?.orgId).toBe(shop.orgId)
  expect(exchange?.requestBody).toContain('hologram')
  expect(exchange?.responseBody).toContain('131051')
})

test('a number shows what clients read before they use it', async () => {
  const shop = await bench.aShop()
  const all = await cloudApi.call(shop.orgId, `/api/public/v1/v24.0/${shop.phoneNumberId}`)
  expect(all.json).toMatchObject({ id: shop.phoneNumberId, display_phone_number: '+622150001000' })
  expect(all.json.verified_name).toBeString()
  const some = await cloudApi.call(shop.orgId, `/api/public/v1/v24.0/${shop.phoneNumberId}?fields=verified_name,what`)
  expect(Object.keys(some.json).sort()).toEqual(['id', 'verified_name'])
})

test('browsers may ask before they call', async () => {
  const shop = await bench.aShop()
  const { status, headers } = await cloudApi.call(shop.orgId, `/public/v1/v1/${shop.phoneNumberId}/messages`, {
    method: 'OPTIONS',
    token: null,
  })
  expect([status, headers.get('access-control-allow-methods')]).toEqual([204, 'POST, OPTIONS'])
})
