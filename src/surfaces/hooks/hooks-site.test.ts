import { beforeEach, describe, expect, test } from 'bun:test'
import { quietLog } from '../../../test/support/log.ts'
import { systemClock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { serverBusy } from '../../platform/database/group-commit.errors.ts'
import type { Hook, HookReceiver, HookReply } from '../../platform/http/hook-receiver.ts'
import type { Exchange } from '../../platform/http/pipeline/exchange.ts'
import { createHooksSite, HOOK_BYTES_MAX } from './hooks-site.ts'

const ORG_ID = newId('org')
const NUMBER_ID = newId('num')

const taken: { id: string; hook: Hook }[] = []
const exchanges: Exchange[] = []
let reply: () => Promise<HookReply>

const ok = (fields: Partial<HookReply> = {}): HookReply => ({
  status: 200,
  body: 'ok',
  contentType: 'text/plain; charset=utf-8',
  owner: { orgId: ORG_ID, id: NUMBER_ID },
  detail: null,
  ...fields,
})

const receiver = (name: string, methods: string[]): HookReceiver => ({
  name,
  idPrefix: 'num',
  methods,
  receive(id, hook) {
    taken.push({ id, hook })
    return reply()
  },
})

const site = createHooksSite({
  bodyBytesMax: HOOK_BYTES_MAX,
  receivers: [
    receiver('whatsapp-cloud', ['GET', 'POST']),
    { ...receiver('midtrans', ['POST']), idPrefix: 'pac', maskForLog: (body) => body.replace('Sari', '…') },
    receiver('simulator', ['GET', 'POST']),
    { ...receiver('simulator', ['POST']), idPrefix: 'pac', maskForLog: (body) => body.replace('Sari', '…') },
  ],
  clock: systemClock,
  log: quietLog,
  readClientAddress: (socketAddress) => socketAddress,
  onExchange: (exchange) => void exchanges.push(exchange),
  bodyTimeoutMs: 200,
})

beforeEach(() => {
  taken.length = 0
  exchanges.length = 0
  reply = async () => ok()
})

const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const answer = site.fetch(new Request(`http://localhost:3900${path}`, init), () => '203.0.113.7')
  if (answer === null) throw new Error('not a hook')
  return answer
}
const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  call(`/hooks/whatsapp-cloud/${NUMBER_ID}?a=1`, { method: 'POST', body, headers })

test('other paths are left to other sites', () => {
  for (const path of ['/', '/hook', '/hooks', '/api/public/v1/me'])
    expect(site.fetch(new Request(`http://localhost:3900${path}`), () => '')).toBeNull()
})

test('a receiver is given the very bytes, the query and the headers', async () => {
  const body = new Uint8Array([123, 0, 255, 254, 125])
  const answer = await post(body, { 'x-hub-signature-256': 'sha256=abc' })
  expect([answer.status, await answer.text()]).toEqual([200, 'ok'])
  const [call] = taken
  expect([call?.id, call?.hook.method, call?.hook.query.get('a')]).toEqual([NUMBER_ID, 'POST', '1'])
  expect(call?.hook.headers.get('x-hub-signature-256')).toBe('sha256=abc')
  expect(Buffer.from(call?.hook.body ?? []).equals(Buffer.from(body))).toBe(true)
})

test('a handshake comes back as plain text', async () => {
  reply = async () => ok({ body: '1158201444' })
  const answer = await call(`/hooks/whatsapp-cloud/${NUMBER_ID}?hub.challenge=1158201444`)
  expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/plain; charset=utf-8', '1158201444'])
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
})

test('a hook goes to the receiver of its id when two receivers share a name', async () => {
  const bodyOf = async (id: string) => {
    await call(`/hooks/simulator/${id}`, { method: 'POST', body: '{"name":"Sari"}' })
    return exchanges.at(-1)?.requestBody
  }
  expect(await bodyOf(newId('pac'))).toBe('{"name":"…"}')
  for (const id of [NUMBER_ID, 'unknown']) expect(await bodyOf(id)).toBe('{"name":"Sari"}')
  expect((await call(`/hooks/simulator/${newId('pac')}`)).status).toBe(405)
  expect(taken.length).toBe(3)
})

describe('refused before a receiver is called', () => {
  test.each([
    '/hooks/',
    '/hooks/x',
    '/hooks/unknown/num_1',
    '/hooks/whatsapp-cloud/',
    '/hooks/whatsapp-cloud/a/b',
    '/hooks/whatsapp-cloud/%00',
  ])('404 for %s', async (path) => {
    expect((await call(path, { method: 'POST', body: '{}' })).status).toBe(404)
    expect(taken).toEqual([])
  })

  test('405 with what is allowed', async () => {
    const answer = await call(`/hooks/midtrans/${NUMBER_ID}`)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    const other = await call(`/hooks/whatsapp-cloud/${NUMBER_ID}`, { method: 'DELETE' })
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, POST'])
    expect(taken).toEqual([])
  })

  test('413 beyond three megabytes, declared or not; up to there it is taken', async () => {
    expect((await post(new Uint8Array(3 * 1024 * 1024))).status).toBe(200)
    expect((await post(new Uint8Array(3 * 1024 * 1024 + 1))).status).toBe(413)
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) })
    expect((await post(endless)).status).toBe(413)
    expect(taken.length).toBe(1)
  })

  test('408 for a body that does not come', async () => {
    expect((await post(new ReadableStream({}))).status).toBe(408)
    expect(taken).toEqual([])
  })
})

describe('trouble', () => {
  test('503 with the time to come back while the database is away', async () => {
    for (const error of [
      Object.assign(new Error('closed'), { code: 'CONNECTION_CLOSED' }),
      serverBusy({ headers: { 'Retry-After': '1' } }),
    ]) {
      reply = () => Promise.reject(error)
      const answer = await post('{}')
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    }
  })

  test('500 for a bug, without a word of it', async () => {
    reply = () => Promise.reject(new Error('the secret is hunter2'))
    const answer = await post('{}')
    expect([answer.status, (await answer.text()).includes('hunter2')]).toEqual([500, false])
  })
})

describe('the request log', () => {
  test('keeps what the receiver lets it, and the receiver gets all of it', async () => {
    await call('/hooks/midtrans/pac_1', { method: 'POST', body: '{"name":"Sari"}' })
    expect(exchanges[0]?.requestBody).toBe('{"name":"…"}')
    expect(new TextDecoder().decode(taken[0]?.hook.body)).toBe('{"name":"Sari"}')
  })

  test('gets every call, with whose it is and what was sent, and no headers', async () => {
    await post('{"a":1}', { 'x-hub-signature-256': 'sha256=abc', 'user-agent': 'facebookexternalua' })
    expect(exchanges).toMatchObject([
      {
        method: 'POST',
        route: { id: 'receiveHook' },
        fullPath: `/hooks/whatsapp-cloud/${NUMBER_ID}`,
        query: 'a=1',
        address: '203.0.113.7',
        userAgent: 'facebookexternalua',
        caller: { type: 'hook', id: NUMBER_ID, orgId: ORG_ID },
        authenticationFailure: null,
        requestBytes: 7,
        requestBody: '{"a":1}',
        responseBody: 'ok',
        status: 200,
      },
    ])
    expect(JSON.stringify(exchanges)).not.toContain('sha256=abc')
  })

  test('keeps the beginning of a large body only', async () => {
    await post('x'.repeat(1_000_000))
    expect([exchanges[0]?.requestBytes, exchanges[0]?.requestBody?.length]).toEqual([1_000_000, 16_384])
  })

  test('says why a call was refused, which the sender does not learn', async () => {
    reply = async () => ok({ status: 401, body: 'This request was rejected.', detail: 'the signature is wrong' })
    const answer = await post('{}')
    expect(await answer.text()).not.toContain('signature')
    expect(exchanges).toMatchObject([
      { status: 401, errorDetail: 'the signature is wrong', authenticationFailure: 'unknown' },
    ])
  })

  test('records calls to unknown receivers as well', async () => {
    await call('/hooks/unknown/x', { method: 'POST', body: '{}' })
    expect(exchanges).toMatchObject([{ status: 404, caller: null, route: null }])
  })
})
