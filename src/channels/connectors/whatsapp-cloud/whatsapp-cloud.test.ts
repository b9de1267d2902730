import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import net, { type AddressInfo } from 'node:net'
import { loopbackEgress } from '../../../../test/support/egress.ts'
import {
  aBatch,
  GRAPH_TOKEN,
  type GraphFailure,
  type GraphServer,
  signedWebhook,
  startGraphServer,
} from '../../../../test/support/graph-server.ts'
import { newId, type OrgId } from '../../../kernel/ids.ts'
import { type ConnectorWorld, describeChannelConnector } from '../../channel-connector.suite.ts'
import type { ChannelNumber, OutboundMessage } from '../../channel-connector.ts'
import type { MessageContent } from '../../content/message-content.ts'
import { createWhatsAppCloud } from './whatsapp-cloud.ts'

/** The connector against a server that speaks Graph's format and fails as Graph does. */
const APP_SECRET = 'an app secret for tests'
const PHONE_NUMBER_ID = '106540352242922'
const CONNECT_TIMEOUT_MS = 150
const TIMEOUT_MS = 500

const connector = createWhatsAppCloud({
  egress: loopbackEgress,
  userAgent: 'Nexkit/test',
  connectTimeoutMs: CONNECT_TIMEOUT_MS,
  timeoutMs: TIMEOUT_MS,
  transferTimeoutMs: 2_000,
})

const aNumber = (baseUrl: string, more: Partial<ChannelNumber> = {}): ChannelNumber => ({
  orgId: 'org_test' as OrgId,
  id: 'num_test',
  phoneNumberId: PHONE_NUMBER_ID,
  displayPhone: '+6221500000',
  baseUrl,
  credentials: { access_token: GRAPH_TOKEN, app_secret: APP_SECRET, verify_token: 'a verify token' },
  settings: {},
  ...more,
})

const aText = (id: string, body: string) => ({
  from: '6281200000001',
  id,
  timestamp: '1790000000',
  type: 'text',
  text: { body },
})

async function createWorld(): Promise<ConnectorWorld> {
  const graph = await startGraphServer()
  const number = aNumber(graph.url)
  return {
    connector,
    number,
    receivedIds: () => graph.accepted.map(({ body }) => String(body.biz_opaque_callback_data)),
    anInboundText() {
      const batch = aBatch(PHONE_NUMBER_ID, { messages: [aText('wamid.in', 'Halo, é 😀 @toko')] })
      const { body, headers } = signedWebhook(batch, APP_SECRET)
      const hook = { method: 'POST', query: new URLSearchParams(), headers, body }
      return { body, hook, providerId: 'wamid.in', text: 'Halo, é 😀 @toko', phone: '6281200000001' }
    },
    aBatchWithGarbage() {
      const messages = [aText('wamid.1', 'satu'), { id: 5, type: {} }, aText('wamid.3', 'tiga')]
      const { body } = signedWebhook(aBatch(PHONE_NUMBER_ID, { messages }), APP_SECRET)
      return { body, providerIds: ['wamid.1', 'wamid.3'] }
    },
    aStatus({ providerId, id }) {
      const status = { id: providerId, status: 'sent', timestamp: '1790000000', biz_opaque_callback_data: id }
      return signedWebhook(aBatch(PHONE_NUMBER_ID, { statuses: [status] }), APP_SECRET).body
    },
    throttleNext: () => graph.failNext({ kind: 'error', code: 130429, status: 429 }),
    refuseCredentialsNext: () => graph.failNext({ kind: 'error', code: 190, status: 401 }),
    loseAnswerNext: () => graph.failNext({ kind: 'hang', isAccepted: true }),
    unreachableNumber: aNumber('http://127.0.0.1:1'),
    aRemoteFile: (bytes, mimeType) => graph.addMedia({ bytes, mimeType }),
    close: graph.stop,
  }
}

describeChannelConnector('whatsapp-cloud', createWorld)

let graph = {} as GraphServer
let number = {} as ChannelNumber
beforeAll(async () => {
  graph = await startGraphServer()
  number = aNumber(graph.url)
})
afterAll(() => graph.stop())

const signal = () => AbortSignal.timeout(10_000)
const aMessage = (content: MessageContent, more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  id: newId('msg'),
  to: { phone: '6281200000001', userId: null },
  content,
  providerMediaId: null,
  replyToProviderId: null,
  reactsToProviderId: null,
  ...more,
})
const hello = () => aMessage({ type: 'text', body: 'Halo' })

async function sentBody(message: OutboundMessage): Promise<Record<string, unknown>> {
  const outcome = await connector.send(number, message, signal())
  expect(outcome.kind).toBe('accepted')
  return graph.accepted.at(-1)?.body ?? {}
}

describe('what Graph is given', () => {
  test('a call names version and number, bears the token, and is an ordinary body with a length', async () => {
    await connector.send(number, hello(), signal())
    const { method, path, headers } = graph.requests.at(-1) as (typeof graph.requests)[number]
    expect([method, path]).toEqual(['POST', `/v25.0/${PHONE_NUMBER_ID}/messages`])
    expect(headers).toMatchObject({
      authorization: `Bearer ${GRAPH_TOKEN}`,
      'user-agent': 'Nexkit/test',
      'content-type': 'application/json',
      'content-length': expect.stringMatching(/^\d+$/),
    })
    expect(headers['transfer-encoding']).toBeUndefined()
  })

  test('the version is the one that is set', async () => {
    await connector.send(aNumber(graph.url, { settings: { graph_version: 'v26.0' } }), hello(), signal())
    expect(graph.requests.at(-1)?.path).toStartWith('/v26.0/')
  })

  test('a text goes to the international number, with our id, as a reply where it is one', async () => {
    const message = aMessage({ type: 'text', body: 'Lihat https://x.example', preview_url: true })
    expect(await sentBody({ ...message, replyToProviderId: 'wamid.before' })).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+6281200000001',
      context: { message_id: 'wamid.before' },
      type: 'text',
      text: { body: 'Lihat https://x.example', preview_url: true },
      biz_opaque_callback_data: message.id,
    })
  })

  test('the identity key that is asked for goes along, and a changed one is reported as such', async () => {
    const message = { ...hello(), identityKeyHash: 'DF2lS5v2W6x=' }
    expect(await sentBody(message)).toMatchObject({ recipient_identity_key_hash: 'DF2lS5v2W6x=' })
    expect(await sentBody(hello())).not.toHaveProperty('recipient_identity_key_hash')
    graph.failNext({ kind: 'error', code: 137000 })
    expect(await connector.send(number, message, signal())).toMatchObject({
      kind: 'refused',
      failure: { class: 'permanent', code: 'identity_changed', providerCode: '137000' },
    })
  })

  test('a person without a phone is addressed by their user id', async () => {
    const to = { phone: null, userId: 'ID.91xyz' }
    const message = aMessage({ type: 'text', body: 'Halo' }, { to })
    const outcome = await connector.send(number, message, signal())
    expect(outcome).toMatchObject({ kind: 'accepted', recipient: { phone: null, userId: 'ID.91xyz' } })
    expect(graph.accepted.at(-1)?.body).toMatchObject({ recipient: 'ID.91xyz' })
    expect(graph.accepted.at(-1)?.body).not.toHaveProperty('to')
  })

  const file = { id: 'med_x', filename: 'a.pdf', voice: true, mime_type: 'x/y', bytes: 5 }
  test.each([
    ['image', { id: '77', caption: 'Ini' }],
    ['video', { id: '77', caption: 'Ini' }],
    ['document', { id: '77', caption: 'Ini', filename: 'a.pdf' }],
    ['audio', { id: '77', voice: true }],
    ['sticker', { id: '77' }],
  ] as const)(
    'a %s carries the id of the network and what belongs to its kind, nothing else',
    async (type, expected) => {
      const body = await sentBody(aMessage({ type, body: 'Ini', media: file }, { providerMediaId: '77' }))
      expect(body[type]).toEqual(expected)
    },
  )

  test('a link goes as a link', async () => {
    const body = await sentBody(aMessage({ type: 'image', media: { link: 'https://x.example/a.png' } }))
    expect(body.image).toEqual({ link: 'https://x.example/a.png' })
  })

  test('a reaction names the message of the network and is never a reply', async () => {
    const reaction = { type: 'reaction', reaction: { message_id: 'msg_x', emoji: '' } } as const
    const body = await sentBody(aMessage(reaction, { reactsToProviderId: 'wamid.in', replyToProviderId: 'wamid.in' }))
    expect(body.reaction).toEqual({ message_id: 'wamid.in', emoji: '' })
    expect(body).not.toHaveProperty('context')
  })

  test('an interactive message takes its text from the body where it brings none', async () => {
    const action = { name: 'send_location' }
    const body = await sentBody(
      aMessage({ type: 'interactive', body: 'Di mana?', interactive: { type: 'location_request_message', action } }),
    )
    expect(body.interactive).toEqual({ type: 'location_request_message', action, body: { text: 'Di mana?' } })
  })

  test('an upload is a form with product, type and the file itself', async () => {
    const upload = { type: 'document', mimeType: 'application/pdf', filename: 'nota.pdf' } as const
    const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256)
    const outcome = await connector.uploadMedia(number, { ...upload, bytes }, signal())
    const [id, stored] = [...graph.uploads].at(-1) as [string, { mimeType: string; filename: string; bytes: Buffer }]
    expect(outcome).toEqual({ kind: 'done', providerMediaId: id })
    expect([stored.mimeType, stored.filename]).toEqual(['application/pdf', 'nota.pdf'])
    expect(Buffer.from(bytes).equals(stored.bytes)).toBe(true)
  })

  test('typing goes along with reading', async () => {
    await connector.markRead(number, { providerId: 'wamid.in', isTyping: true }, signal())
    expect(graph.requests.at(-1)?.json).toEqual({
      messaging_product: 'whatsapp',
      status: 'read',
      message_id: 'wamid.in',
      typing_indicator: { type: 'text' },
    })
  })
})

describe('what a failure means', () => {
  const BY_CODE: [number, number, object][] = [
    [190, 401, { class: 'account', code: 'credentials_refused' }],
    [10, 403, { class: 'account', code: 'permission_missing' }],
    [210, 403, { class: 'account', code: 'permission_missing' }],
    [131031, 403, { class: 'account', code: 'account_restricted' }],
    [131042, 400, { class: 'account', code: 'billing_problem' }],
    [133010, 400, { class: 'account', code: 'number_not_registered' }],
    [131048, 429, { class: 'account', code: 'spam_restricted' }],
    [130429, 429, { class: 'retry', scope: 'number', code: 'throttled' }],
    [80007, 400, { class: 'retry', scope: 'number', code: 'throttled' }],
    [4, 400, { class: 'retry', scope: 'number', code: 'throttled' }],
    [131056, 400, { class: 'retry', scope: 'recipient', code: 'recipient_throttled' }],
    [132069, 400, { class: 'retry', scope: 'recipient', code: 'throttled', retryAfterMs: 360_000 }],
    [131016, 503, { class: 'retry', code: 'unavailable' }],
    [131000, 500, { class: 'retry', code: 'unavailable' }],
    [131057, 500, { class: 'retry', code: 'unavailable', retryAfterMs: 60_000 }],
    [131047, 400, { class: 'window', code: 'reply_window_closed' }],
    [131026, 400, { class: 'permanent', code: 'recipient_unreachable' }],
    [132001, 404, { class: 'permanent', code: 'template_not_found' }],
    [131009, 400, { class: 'permanent', code: 'parameter_invalid' }],
    [999_999, 400, { class: 'permanent', code: 'refused' }],
    [999_999, 500, { class: 'retry', code: 'unavailable' }],
    [999_999, 403, { class: 'account', code: 'permission_missing' }],
  ]
  test.each(BY_CODE)('code %i with status %i', async (code, status, expected) => {
    const before = graph.accepted.length
    graph.failNext({ kind: 'error', code, status, details: 'why it was so' })
    const outcome = await connector.send(number, hello(), signal())
    const failure = { ...expected, providerCode: String(code), detail: 'why it was so', traceId: 'AbCdEfGhIjK' }
    expect(outcome).toMatchObject({ kind: 'refused', failure })
    expect(graph.accepted.length).toBe(before)
  })

  test('a number that the token cannot see is the account’s trouble, other bad parameters are the message’s', async () => {
    graph.failNext({ kind: 'error', code: 100, subcode: 33 }, { kind: 'error', code: 100 })
    const outcomes = [await connector.send(number, hello(), signal()), await connector.send(number, hello(), signal())]
    expect(outcomes).toMatchObject([
      { failure: { class: 'account', code: 'number_unknown' } },
      { failure: { class: 'permanent', code: 'parameter_invalid' } },
    ])
  })

  const usage = JSON.stringify({ 1: [{ estimated_time_to_regain_access: 3 }], 2: [{ call_count: 100 }, null] })
  test.each([
    ['Retry-After', { 'retry-after': '17' }, 17_000],
    ['the usage header, in minutes', { 'x-business-use-case-usage': usage }, 180_000],
    ['an unreadable usage header', { 'x-business-use-case-usage': '{"1":' }, null],
    ['nothing', {}, null],
  ])('the time to wait comes from %s', async (_, headers, retryAfterMs) => {
    graph.failNext({ kind: 'error', code: 80007, status: 429, headers: headers as Record<string, string> })
    expect(await connector.send(number, hello(), signal())).toMatchObject({ failure: { class: 'retry', retryAfterMs } })
  })

  test('a permanent failure names no time to come back', async () => {
    graph.failNext({ kind: 'error', code: 131026, headers: { 'retry-after': '5' } })
    expect(await connector.send(number, hello(), signal())).toMatchObject({ failure: { retryAfterMs: null } })
  })

  test.each([
    [
      'error_data that is plain text',
      '{"error":{"code":131009,"message":"(#131009)","error_data":"too long"}}',
      'too long',
    ],
    ['no error_data', '{"error":{"code":100,"message":"(#100) missing"}}', '(#100) missing'],
    ['a code as text', '{"error":{"code":"131026","error_data":{"details":"not here"}}}', 'not here'],
  ])('%s is read as well', async (_, body, detail) => {
    graph.failNext({ kind: 'answer', status: 400, body })
    expect(await connector.send(number, hello(), signal())).toMatchObject({ failure: { class: 'permanent', detail } })
  })
})

describe('what is certain after a failure', () => {
  const refused = (code: string, failureClass: string) => ({ kind: 'refused', failure: { class: failureClass, code } })
  const CASES: [string, GraphFailure, object, number][] = [
    ['a reset after acceptance', { kind: 'reset', isAccepted: true }, { kind: 'unknown' }, 1],
    ['a reset before acceptance', { kind: 'reset', isAccepted: false }, { kind: 'unknown' }, 0],
    ['silence after acceptance', { kind: 'hang', isAccepted: true }, { kind: 'unknown' }, 1],
    ['an answer cut off', { kind: 'cut' }, { kind: 'unknown' }, 1],
    ['an answer that never ends', { kind: 'slow', everyMs: 50 }, { kind: 'unknown' }, 1],
    ['a gateway’s page', { kind: 'answer', status: 502, body: '<html>Bad gateway</html>' }, { kind: 'unknown' }, 0],
    ['a fault without a word', { kind: 'answer', status: 500, body: '' }, { kind: 'unknown' }, 0],
    ['a yes that is no JSON', { kind: 'answer', status: 200, body: 'OK' }, { kind: 'unknown' }, 0],
    ['a yes without an id', { kind: 'answer', status: 200, body: '{"messages":[]}' }, { kind: 'unknown' }, 0],
    ['a no that is no JSON', { kind: 'answer', status: 404, body: 'nope' }, refused('refused', 'permanent'), 0],
    ['a page that says too many', { kind: 'answer', status: 429, body: 'slow down' }, refused('throttled', 'retry'), 0],
    [
      'a redirect, which is not followed',
      { kind: 'answer', status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } },
      refused('base_url_wrong', 'account'),
      0,
    ],
  ]
  test.each(CASES)('%s', async (_, failure, expected, received) => {
    const before = graph.accepted.length
    graph.failNext(failure)
    expect(await connector.send(number, hello(), signal())).toMatchObject(expected)
    expect(graph.accepted.length - before).toBe(received)
  })

  test('whatever fails in whatever order, accepted means once, refused means never, and no customer gets anything twice', async () => {
    const own = await startGraphServer()
    const failures: (GraphFailure | null)[] = [
      ...Array.from({ length: 6 }, () => null),
      { kind: 'error', code: 130429, status: 429 },
      { kind: 'error', code: 131000, status: 500 },
      { kind: 'reset', isAccepted: true },
      { kind: 'reset', isAccepted: false },
      { kind: 'hang', isAccepted: true },
      { kind: 'answer', status: 502, body: '<html>' },
      { kind: 'cut' },
    ]
    let calls = 0
    own.failWhen = () => failures[(calls++ * 7919) % failures.length] ?? null
    const messages = Array.from({ length: 520 }, hello)
    const outcomes = new Map<string, string>()
    const waiting = [...messages]
    const work = async () => {
      for (let message = waiting.pop(); message !== undefined; message = waiting.pop())
        outcomes.set(message.id, (await connector.send(aNumber(own.url), message, signal())).kind)
    }
    await Promise.all(Array.from({ length: 20 }, work))
    const times = Map.groupBy(own.accepted, ({ body }) => String(body.biz_opaque_callback_data))
    const wrong = messages.filter(({ id }) => {
      const [kind, count] = [outcomes.get(id), times.get(id)?.length ?? 0]
      return count > 1 || (kind === 'accepted' && count !== 1) || (kind === 'refused' && count !== 0)
    })
    expect(wrong).toEqual([])
    expect(new Set(outcomes.values())).toEqual(new Set(['accepted', 'refused', 'unknown']))
    own.stop()
  })

  test('an answer without end is not read to the end', async () => {
    const body = `{"messages":[{"id":"wamid.x"}],"padding":"${'x'.repeat(5 * 1024 * 1024)}"}`
    graph.failNext({ kind: 'answer', status: 200, body })
    expect((await connector.send(number, hello(), signal())).kind).toBe('unknown')
  })

  test('a name that does not resolve and a port without a listener surely got nothing', async () => {
    for (const baseUrl of ['http://graph.invalid', 'http://127.0.0.1:1'])
      expect(await connector.send(aNumber(baseUrl), hello(), signal())).toMatchObject(refused('unavailable', 'retry'))
  })

  test('a connection whose handshake is not done in time surely got nothing', async () => {
    const silent = net.createServer((socket) => socket.on('error', () => {}))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const baseUrl = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const startedMs = performance.now()
    const outcome = await connector.send(aNumber(baseUrl), hello(), signal())
    expect(outcome).toMatchObject(refused('unavailable', 'retry'))
    expect(performance.now() - startedMs).toBeLessThan(TIMEOUT_MS)
    silent.close()
  })

  test('a call that is aborted while it is under way is unknown', async () => {
    const controller = new AbortController()
    graph.failWhen = () => {
      controller.abort()
      return { kind: 'hang', isAccepted: true }
    }
    const outcome = await connector.send(number, hello(), controller.signal)
    graph.failWhen = null
    expect(outcome.kind).toBe('unknown')
  })

  test('of a harmless call, silence is an ordinary failure', async () => {
    graph.failNext({ kind: 'hang', isAccepted: false }, { kind: 'answer', status: 502, body: '' })
    const read = { providerId: 'wamid.in', isTyping: false }
    expect(await connector.markRead(number, read, signal())).toMatchObject(refused('unavailable', 'retry'))
    expect(await connector.probe(number, signal())).toMatchObject(refused('unavailable', 'retry'))
  })

  test('a probe says what is wrong with the credentials', async () => {
    const wrong = aNumber(graph.url, { credentials: { ...number.credentials, access_token: 'EAAwrong' } })
    expect(await connector.probe(wrong, signal())).toMatchObject(refused('credentials_refused', 'account'))
    const unseen = aNumber(graph.url, { phoneNumberId: '4040000000' })
    expect(await connector.probe(unseen, signal())).toMatchObject(refused('number_unknown', 'account'))
  })
})

describe('files of customers', () => {
  const bytes = new Uint8Array([1, 2, 3, 4])
  const download = (id: string) => connector.downloadMedia(number, id, signal())

  test('an address that ran out is asked for once more', async () => {
    const id = graph.addMedia({ bytes, mimeType: 'image/png' })
    const before = graph.requests.length
    graph.failNext(null, { kind: 'answer', status: 404, body: '' })
    expect(await download(id)).toMatchObject({ kind: 'done', mimeType: 'image/png' })
    expect(graph.requests.length - before).toBe(4)
  })

  test('a file may take longer than a connection may', async () => {
    const id = graph.addMedia({ bytes, mimeType: 'image/png' })
    graph.failNext(null, { kind: 'slow', everyMs: 4 })
    const startedMs = performance.now()
    expect(await download(id)).toMatchObject({ kind: 'done' })
    expect(performance.now() - startedMs).toBeGreaterThan(CONNECT_TIMEOUT_MS)
  })

  test('the token is not taken to a strange host', async () => {
    const other = await startGraphServer()
    const id = graph.addMedia({ bytes, mimeType: 'image/png', host: other.url })
    const outcome = await download(id)
    expect(outcome).toMatchObject({ kind: 'refused', failure: { class: 'permanent', code: 'media_host_unknown' } })
    expect(other.requests).toEqual([])
    other.stop()
  })

  test('other bytes than were announced are not taken for the file', async () => {
    const id = graph.addMedia({ bytes, mimeType: 'image/png', sha256: 'ab'.repeat(32) })
    expect(await download(id)).toMatchObject({ kind: 'refused', failure: { class: 'retry' } })
  })

  test.each(['', 'none', '0'.repeat(63)])('a checksum %p, which is none, keeps no file away', async (sha256) => {
    expect(await download(graph.addMedia({ bytes, mimeType: 'image/png', sha256 }))).toMatchObject({ kind: 'done' })
  })

  test('an id the network no longer knows is the end of it', async () => {
    graph.failNext({ kind: 'error', code: 131052 })
    const outcome = await download('123')
    expect(outcome).toMatchObject({ kind: 'refused', failure: { class: 'permanent', code: 'media_unusable' } })
  })
})

describe('templates', () => {
  test('all pages are read, by cursor and never by a ready-made address', async () => {
    graph.templates = Array.from({ length: 230 }, (_, index) => ({
      name: `t_${index}`,
      language: 'id',
      status: 'APPROVED',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Halo {{1}}' }],
    }))
    const outcome = await connector.listTemplates(aNumber(graph.url, { settings: { waba_id: '10229' } }), signal())
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
    expect(outcome.templates.map((template) => template.name)).toEqual(
      graph.templates.map(({ name }) => name as string),
    )
    expect(graph.requests.at(-1)?.path).toBe('/v25.0/10229/message_templates')
  })

  test('without the account’s id nothing is asked', async () => {
    const before = graph.requests.length
    expect(await connector.listTemplates(number, signal())).toMatchObject({ failure: { code: 'waba_id_missing' } })
    expect(graph.requests.length).toBe(before)
  })
})
