import { describe, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import { ConnectionError, type NexkitError, TimeoutError } from '../../sdk/src/nexkit.ts'
import { aKey } from '../support/makers.ts'
import { useSdkServer } from '../support/sdk.ts'
import { until } from '../support/until.ts'

const server = useSdkServer()

const problem =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response
      .writeHead(status, { 'content-type': 'application/problem+json', ...headers })
      .end(JSON.stringify({ status, code, detail: 'Not now.', request_id: 'req_1' }))

const countOf = async (body: string) => {
  const { count } = await server.database.one<{ count: number }>`
    select count(*)::int as count from messages where org_id = ${server.shop.orgId} and body = ${body}`
  return count
}

// They mostly wait for the next try, each behind a proxy that no other test uses.
describe.concurrent('a call that is repeated', () => {
  test('after its answer was lost sends one message, however often it was sent', async () => {
    const { nexkit, seen } = await server.behind((nth) => (nth < 3 ? 'cut' : 'pass'))
    const { data, response } = await nexkit.messages.send({ to: '081322220001', body: 'cut off' }).withResponse()
    expect(data.body).toBe('cut off')
    expect(response.isReplayed).toBe(true)
    expect(seen.length).toBe(3)
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(await countOf('cut off')).toBe(1)
  })

  test('exposes its key when it was given up, so that the same call can be repeated later', async () => {
    const { nexkit, seen } = await server.behind(() => 'cut', { retries: 1 })
    const body = { to: '081322220001', body: 'given up' }
    const error = (await nexkit.messages.send(body).catch((caught) => caught)) as NexkitError
    expect([error instanceof ConnectionError, error.idempotencyKey]).toEqual([
      true,
      seen[0]?.headers['idempotency-key'] as string,
    ])
    await server.client().messages.send(body, { idempotencyKey: error.idempotencyKey ?? undefined })
    expect(await countOf('given up')).toBe(1)
    const missing = (await nexkit.orders.get('ord_1').catch((caught) => caught)) as NexkitError
    expect(missing.idempotencyKey).toBeNull()
  })

  test('has another key than the next call of the same kind', async () => {
    const { nexkit, seen } = await server.behind(() => 'pass')
    await nexkit.messages.send({ to: '081322220001', body: 'twice' })
    await nexkit.messages.send({ to: '081322220001', body: 'twice' })
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(2)
    expect(await countOf('twice')).toBe(2)
  })

  test('waits as long as the server says', async () => {
    const { token } = await aKey(server.database, server.shop.orgId, { rateLimit: 1 })
    const { nexkit, seen } = await server.behind(() => 'pass', { token })
    // Until one comes too early: on a busy machine there may be quota again before it is sent.
    await until(async () => {
      await Promise.allSettled(Array.from({ length: 5 }, () => server.client({ token, retries: 0 }).me.get()))
      seen.length = 0
      expect((await nexkit.me.get()).object).toBe('identity')
      return seen.length === 2
    })
    expect((seen[1]?.atMs ?? 0) - (seen[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(1000)
  })

  test.each([
    [408, 'request_timeout'],
    [409, 'idempotency_key_in_use'],
    [429, 'rate_limited'],
    [500, 'internal_error'],
    [503, 'unavailable'],
  ])('is one that was answered with %i %s', async (status, code) => {
    const { nexkit, seen } = await server.behind((nth) =>
      nth === 1 ? problem(status, code, { 'retry-after': '0' }) : 'pass',
    )
    expect((await nexkit.messages.send({ to: '081322220002', body: `after ${code}` })).object).toBe('message')
    expect(seen.length).toBe(2)
    expect(await countOf(`after ${code}`)).toBe(1)
  })

  test.each([502, 504])('is one that a proxy answered with %i', async (status) => {
    const { nexkit, seen } = await server.behind((nth) =>
      nth === 1 ? (response) => void response.writeHead(status).end() : 'pass',
    )
    await nexkit.me.get()
    expect(seen.length).toBe(2)
  })

  test('a deletion whose answer was lost succeeds', async () => {
    const { id } = await server.client().webhookEndpoints.create({ url: 'http://127.0.0.1:1/hook' })
    const { nexkit, seen } = await server.behind((nth) => (nth === 1 ? 'cut' : 'pass'))
    expect(await nexkit.webhookEndpoints.delete(id)).toBeUndefined()
    expect(seen.length).toBe(2)
    await expect(nexkit.webhookEndpoints.delete(id)).rejects.toMatchObject({ code: 'webhook_endpoint_not_found' })
  })
})

describe.concurrent('a call that is not repeated', () => {
  test.each([
    [400, 'parameter_invalid'],
    [403, 'agent_paused'],
    [404, 'order_not_found'],
    [409, 'order_not_payable'],
    [422, 'idempotency_key_reused'],
  ])('is one that was answered with %i %s', async (status, code) => {
    const { nexkit, seen } = await server.behind(() => problem(status, code))
    await expect(nexkit.me.get()).rejects.toMatchObject({ status, code })
    expect(seen.length).toBe(1)
  })

  test('is one that would have to wait longer than is allowed', async () => {
    const { nexkit, seen } = await server.behind(() => problem(429, 'agent_limit_reached', { 'retry-after': '3600' }))
    const call = nexkit.me.get({ signal: AbortSignal.timeout(5000) })
    await expect(call).rejects.toMatchObject({ retryAfterSeconds: 3600 })
    expect(seen.length).toBe(1)
  })

  test.each([
    ['ifMatch', { ifMatch: '*' }],
    ['If-Match among its headers', { headers: { 'If-Match': '*' } }],
  ])('is a change with %s whose outcome is unknown', async (_, options) => {
    const { nexkit, seen } = await server.behind(() => 'cut')
    const change = nexkit.chats.update('081322220003', { labels: [] }, {}, options)
    await expect(change).rejects.toBeInstanceOf(ConnectionError)
    expect(seen.length).toBe(1)
  })

  test('is one that was repeated often enough', async () => {
    const { nexkit, seen } = await server.behind(() => 'cut', { retries: 1 })
    await expect(nexkit.me.get()).rejects.toBeInstanceOf(ConnectionError)
    expect(seen.length).toBe(2)
    await expect(nexkit.me.get({ retries: 0 })).rejects.toBeInstanceOf(ConnectionError)
    expect(seen.length).toBe(3)
  })
})

describe.concurrent('time', () => {
  test('covers a body that never ends', async () => {
    const { nexkit } = await server.behind(
      () => (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"object":'),
      { retries: 0, timeoutMs: 100 },
    )
    const error = await nexkit.me.get().catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(TimeoutError)
    expect((error as NexkitError).message).toEndWith('/me was not answered within 100 ms.')
  })

  test.each([Number.POSITIVE_INFINITY, 2 ** 31])('does not run out at once when it is %d ms', async (timeoutMs) => {
    // Answered later than a timer that ends at once.
    const { nexkit } = await server.behind(() => 'pass', { retries: 0, timeoutMs })
    expect((await nexkit.me.get()).object).toBe('identity')
  })

  test('that ran out for a POST leads to one message, by the next try', async () => {
    const { nexkit } = await server.behind((nth) => (nth === 1 ? () => {} : 'pass'), { timeoutMs: 2000 })
    await nexkit.messages.send({ to: '081322220004', body: 'slow' })
    expect(await countOf('slow')).toBe(1)
  })
})

describe('an abort', () => {
  test('ends a call that is under way, with the reason that was given', async () => {
    const stopping = new AbortController()
    const reason = new Error('the user went away')
    const { nexkit, seen } = await server.behind(() => {
      stopping.abort(reason)
      return () => {}
    })
    await expect(nexkit.me.get({ signal: stopping.signal })).rejects.toBe(reason)
    expect(seen.length).toBe(1)
  })

  test('ends the wait for the next try', async () => {
    const stopping = new AbortController()
    const { nexkit, seen } = await server.behind(() => (response) => {
      problem(503, 'unavailable', { 'retry-after': '60' })(response)
      response.once('close', () => stopping.abort())
    })
    await expect(nexkit.me.get({ signal: stopping.signal })).rejects.toMatchObject({ name: 'AbortError' })
    expect(seen.length).toBe(1)
  })

  test('before the call prevents it', async () => {
    const { nexkit, seen } = await server.behind(() => 'pass')
    await expect(nexkit.me.get({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
    expect(seen.length).toBe(0)
  })
})
