import { describe, expect, test } from 'bun:test'
import {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  NexkitError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
} from '../../sdk/src/nexkit.ts'
import { aKey } from '../support/makers.ts'
import { useSdkServer } from '../support/sdk.ts'
import { aFreePort } from '../support/server.ts'

const server = useSdkServer()
const errorOf = async (call: Promise<unknown>): Promise<NexkitError> => {
  const error = await call.then(
    () => null,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(NexkitError)
  return error as NexkitError
}

describe('a refusal of the server', () => {
  test('401 is an AuthenticationError', async () => {
    const error = await errorOf(server.client({ token: 'nxk_live_nobody' }).me.get())
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(error).toMatchObject({
      status: 401,
      code: 'unauthenticated',
      type: 'https://nexkit.dev/errors/unauthenticated',
    })
    expect(error.requestId).toMatch(/^req_/)
  })

  test('403 is a PermissionError with the scope in its params', async () => {
    const { token } = await aKey(server.database, server.shop.orgId, { scopes: ['orders:read'] })
    const error = await errorOf(server.client({ token }).messages.send({ to: '081311112222', body: 'x' }))
    expect(error).toBeInstanceOf(PermissionError)
    expect(error.code).toBe('scope_missing')
    expect(error.params).toMatchObject({ required: 'messages:send' })
  })

  test('404 is a NotFoundError', async () => {
    const error = await errorOf(server.client().orders.get('ord_01k9x3m5q8e0t9v7a2b4c6d8fg'))
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error.code).toBe('order_not_found')
  })

  test('409 is a ConflictError, and is not repeated', async () => {
    const order = await server.client().orders.create({ billingType: 'qris', amount: 5000 })
    await server.client().orders.cancel(order.id)
    const { nexkit, seen } = await server.behind(() => 'pass')
    const error = await errorOf(nexkit.orders.complete(order.id))
    expect(error).toBeInstanceOf(ConflictError)
    expect(error.code).toBe('order_not_completable')
    expect(seen.length).toBe(1)
  })

  test('422 is a ValidationError that names each field, in its message too', async () => {
    const body = { billingType: 'qris', items: [{ name: '', quantity: 0, unit_price: 1 }] } as const
    const error = await errorOf(server.client().orders.create(body))
    expect(error).toBeInstanceOf(ValidationError)
    expect(error.errors.map(({ pointer }) => pointer)).toEqual(['#/items/0/name', '#/items/0/quantity'])
    for (const { pointer, detail } of error.errors) expect(error.message).toContain(`${pointer}: ${detail}`)
    expect(error.message).toContain(error.requestId as string)
  })

  test('400 is a ValidationError that names the parameter', async () => {
    const error = await errorOf(server.client().orders.list({ limit: 1000 }).withResponse())
    expect(error).toBeInstanceOf(ValidationError)
    expect(error.errors[0]?.parameter).toBe('limit')
  })

  test('429 is a RateLimitError that says when there is more', async () => {
    const { token } = await aKey(server.database, server.shop.orgId, { rateLimit: 1 })
    const nexkit = server.client({ token, retries: 0 })
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => nexkit.me.get()))
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]).toBeInstanceOf(RateLimitError)
    expect(refused[0]).toMatchObject({ code: 'rate_limited', retryAfterSeconds: expect.any(Number) })
  })
})

describe('an answer that is not of Nexkit', () => {
  const page = (status: number, headers: Record<string, string>, text: string) =>
    server.behind(() => (response) => void response.writeHead(status, headers).end(text), { retries: 0 })

  test('a page of a proxy is an error with its status and its words', async () => {
    const { nexkit } = await page(
      502,
      { 'content-type': 'text/html' },
      '<html><h1>502 Bad Gateway</h1><hr>nginx</html>',
    )
    const error = await errorOf(nexkit.me.get())
    expect(error).toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ status: 502, code: null, errors: [] })
    expect(error.message).toBe('The answer 502 does not come from Nexkit: 502 Bad Gateway nginx')
  })

  test('a success without the body that belongs to it is an error', async () => {
    const { nexkit } = await page(200, {}, '')
    expect(await errorOf(nexkit.me.get())).toMatchObject({ status: 200, code: null })
  })

  test('a success that is not JSON is an error', async () => {
    const { nexkit } = await page(200, { 'content-type': 'text/html' }, '<p>Welcome to our wireless network</p>')
    const error = await errorOf(nexkit.me.get())
    expect(error).toMatchObject({ status: 200, code: null })
    expect(error.message).toContain('Welcome to our wireless network')
  })

  test('a redirect is not followed, and where it leads is said', async () => {
    const { nexkit, seen } = await page(301, { location: 'https://nexkit.example/api/public/v1/messages' }, '')
    const error = await errorOf(nexkit.messages.send({ to: '081311112222', body: 'x' }))
    expect(error.message).toContain('https://nexkit.example/api/public/v1/messages')
    expect(seen.length).toBe(1)
  })

  test('an unreachable address is a ConnectionError without the query, which may contain a phone', async () => {
    const baseUrl = `http://127.0.0.1:${await aFreePort()}`
    const nexkit = server.client({ baseUrl, retries: 0 })
    const error = await errorOf(nexkit.orders.list({ phone: '+6281311112222' }).withResponse())
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ status: null, code: null })
    expect(error.message).toStartWith(`GET ${baseUrl}/api/public/v1/orders got no answer`)
    expect(error.message).not.toContain('6281311112222')
  })
})
