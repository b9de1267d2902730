import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import { call, queryText, request, whenSignedOut } from './client.ts'
import { Problem } from './problem.ts'

const answers: Record<string, [status: number, body: string]> = {
  '/fine': [200, '{"id":"ord_1"}'],
  '/nothing': [204, ''],
  '/refused': [
    422,
    '{"status":422,"code":"validation_failed","detail":"1 field","request_id":"req_1","errors":[{"pointer":"#/items/0/name","code":"too_short","detail":"Enter a name."}]}',
  ],
  '/gone': [401, '{"status":401,"code":"session_missing","detail":"Sign in."}'],
  '/torn': [502, '<h1>Bad Gateway</h1>'],
}
/** The key of each call that was received here; the answer is their number. */
const COUNTED = '/counted'
const received: string[] = []
let server: Server
let url = ''

beforeAll(async () => {
  server = createServer((asked, reply) => {
    if (asked.url === COUNTED) {
      const number = received.push(String(asked.headers['idempotency-key']))
      return reply.writeHead(200).end(JSON.stringify({ number }))
    }
    const [status, body] = answers[asked.url ?? ''] ?? [404, '{}']
    return reply.writeHead(status).end(body)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
})
afterAll(() => void server.close())

const refusal = (path: string) =>
  request('GET', path).then(
    () => null,
    (error: unknown) => error as Problem,
  )

test('a query leaves out what is not set and repeats what is a list', () => {
  expect(queryText({ q: 'a b', status: undefined, cursor: null, phone: '', types: ['x', 'y'], limit: 50 })).toBe(
    '?q=a+b&types=x&types=y&limit=50',
  )
  expect(queryText({ q: '' })).toBe('')
})

test('a route is called at its path, with what stands in it encoded, and a POST always has a body', async () => {
  const sent: [string, RequestInit | undefined][] = []
  const fetchBefore = globalThis.fetch
  const record = async (path: string | URL | Request, options?: RequestInit) => {
    sent.push([String(path), options])
    return Response.json({})
  }
  globalThis.fetch = Object.assign(record, { preconnect: fetchBefore.preconnect })
  try {
    await call('GET /api/proxy/chats/{phone}', { params: { phone: '+62 1/2' }, query: { limit: 40 } })
    await call('POST /api/console/agents/{id}/pause', { params: { id: 'agt_1' } })
  } finally {
    globalThis.fetch = fetchBefore
  }
  expect(sent.map(([path, options]) => [options?.method, path, options?.body])).toEqual([
    ['GET', '/api/proxy/chats/%2B62%201%2F2?limit=40', undefined],
    ['POST', '/api/console/agents/agt_1/pause', '{}'],
  ])
})

test('an answer is read as JSON, and no content as nothing', async () => {
  expect(await request<unknown>('GET', `${url}/fine`)).toEqual({ id: 'ord_1' })
  expect(await request<unknown>('DELETE', `${url}/nothing`)).toBeUndefined()
})

test('a refusal keeps its code, its request id and what is wrong with each field', async () => {
  const problem = await refusal(`${url}/refused`)
  expect([problem?.status, problem?.code, problem?.requestId]).toEqual([422, 'validation_failed', 'req_1'])
  expect([problem?.at('items.0.name'), problem?.at('items.0.price')]).toEqual(['Enter a name.', undefined])
})

test('a session that ended is reported to the listener', async () => {
  let count = 0
  whenSignedOut(() => {
    count += 1
  })
  await refusal(`${url}/refused`)
  expect(count).toBe(0)
  await refusal(`${url}/gone`)
  expect(count).toBe(1)
})

test('an answer without words still becomes a sentence', async () => {
  const problem = await refusal(`${url}/torn`)
  expect(problem).toBeInstanceOf(Problem)
  expect(problem?.message).toContain('502')
})

test('a server that is not there becomes a sentence too', async () => {
  const problem = await refusal('http://127.0.0.1:1/')
  expect([problem?.status, problem?.code]).toEqual([0, 'offline'])
})

describe('a call that changes something', () => {
  const refund = (body: unknown, idempotencyKey?: string) =>
    request<{ number: number }>('POST', `${url}${COUNTED}`, { body, idempotencyKey })
  const callsOf = async (...calls: (() => Promise<unknown>)[]) => {
    const before = received.length
    await Promise.allSettled(calls.map((call) => call()))
    return received.length - before
  }

  test('joins the same one while that is under way, and gets its answer', async () => {
    const [one, other] = await Promise.all([refund({ amount: 10_000 }), refund({ amount: 10_000 })])
    expect([received.length, other]).toEqual([1, one])
  })

  test('is sent again, under a key of its own, once the first was answered', async () => {
    const before = received.length
    await refund({ amount: 10_000 })
    await refund({ amount: 10_000 })
    expect(new Set(received.slice(before)).size).toBe(2)
  })

  test('is another one when its body, its method or the key it was given differs', async () => {
    const change = () => request('PATCH', `${url}${COUNTED}`, { body: { amount: 1 } })
    expect(
      await callsOf(
        () => refund({ amount: 1 }),
        () => refund({ amount: 2 }),
      ),
    ).toBe(2)
    expect(await callsOf(() => refund({ amount: 1 }), change)).toBe(2)
    expect(
      await callsOf(
        () => refund({ amount: 1 }, 'a'),
        () => refund({ amount: 1 }, 'b'),
      ),
    ).toBe(2)
    expect(
      await callsOf(
        () => refund({ amount: 1 }, 'c'),
        () => refund({ amount: 1 }, 'c'),
      ),
    ).toBe(1)
    expect(received.slice(-1)).toEqual(['c'])
  })

  test('that failed is reported to both, and can be repeated', async () => {
    const attempt = () => request('POST', 'http://127.0.0.1:1/').catch((error: Problem) => error.code)
    expect(await Promise.all([attempt(), attempt()])).toEqual(['offline', 'offline'])
    expect(await attempt()).toBe('offline')
  })
})
