import { afterEach, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { createTestCertificate } from '../../../test/support/certificate.ts'
import { loopbackEgress } from '../../../test/support/egress.ts'
import { answer, type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { createEgress } from '../../platform/outbound-http/egress.ts'
import { callProvider } from './provider-calls.ts'

/** What can go wrong below JSON: the bytes, the connection, the certificate. */
let receiver: Receiver | null = null
afterEach(() => receiver?.stop())

const never = new AbortController().signal
/** Longer than a busy machine takes. Only what never comes is waited for in vain, and those calls have their own limit. */
const TIMEOUT_MS = 20_000
const call = (more: Partial<Parameters<typeof callProvider>[0]> = {}) =>
  callProvider({
    fetch: loopbackEgress.fetch,
    method: 'POST',
    url: receiver?.url ?? '',
    headers: {},
    body: { a: 1 },
    signal: never,
    timeoutMs: TIMEOUT_MS,
    ...more,
  })

const answering = async (text: string | Buffer) => {
  receiver = await startReceiver({ onRequest: (socket) => socket.write(text) })
}

test('an answer is read as an object, a list or neither', async () => {
  await answering(answer(201, '{"a":[1]}', { 'retry-after': '7' }))
  expect(await call()).toEqual({ kind: 'answered', status: 201, body: { a: [1] }, list: null, retryAfterMs: 7000 })
  receiver?.stop()
  await answering(answer(200, '[1]'))
  expect(await call()).toMatchObject({ body: null, list: [1] })
  receiver?.stop()
  await answering(answer(200, 'no JSON'))
  expect(await call({ method: 'GET', body: undefined })).toMatchObject({ status: 200, body: null, list: null })
})

test('a connection that is cut before or within the answer leaves the outcome unknown', async () => {
  receiver = await startReceiver({ onRequest: (socket) => socket.destroy() })
  expect((await call()).kind).toBe('unknown')
  receiver.stop()
  receiver = await startReceiver({
    onRequest: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half":'),
  })
  expect((await call()).kind).toBe('unknown')
})

test('an answer that arrives too slowly is aborted in time', async () => {
  receiver = await startReceiver({
    onRequest(socket) {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
      const timer = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(timer))
    },
  })
  expect(await call({ timeoutMs: 300 })).toEqual({ kind: 'unknown', detail: 'the address does not answer' })
})

test('an answer that inflates beyond measure is not read to its end', async () => {
  const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, 'x'))
  const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`
  await answering(Buffer.concat([Buffer.from(head), bomb]))
  expect(await call()).toMatchObject({ kind: 'unknown', detail: expect.stringContaining('larger') })
})

test('a refused connection and an invalid certificate are unsent, whatever the environment allows', async () => {
  expect((await call({ url: 'http://127.0.0.1:1/' })).kind).toBe('unsent')
  const { key, cert } = createTestCertificate({ subject: 'unknown', addresses: ['127.0.0.1'] })
  receiver = await startReceiver({ onRequest: (socket) => socket.write(answer()), tls: { key, cert } })
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  const outcome = await call()
  if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
  expect([outcome.kind, receiver.requests.length]).toEqual(['unsent', 0])
})

test('the detail is the same when an address refuses, resets, stays silent, is private or does not resolve', async () => {
  const detailOf = async (url: string, more: Parameters<typeof call>[0] = {}) => {
    const outcome = await call({ method: 'GET', body: undefined, url, ...more })
    return 'detail' in outcome ? outcome.detail : outcome.kind
  }
  const resets = await startReceiver({ onRequest: (socket) => socket.destroy() })
  const silent = await startReceiver({ onRequest: () => {} })
  const closed = createEgress({ allowedRanges: [] }, async () => [])
  const details = [
    await detailOf('http://127.0.0.1:1/'),
    await detailOf(resets.url),
    await detailOf(silent.url, { timeoutMs: 100 }),
    await detailOf('http://127.0.0.1:1/', { fetch: closed.fetch }),
    await detailOf('https://provider.invalid/', { fetch: closed.fetch }),
  ]
  for (const started of [resets, silent]) started.stop()
  expect(new Set(details)).toEqual(new Set(['the address does not answer']))
})

test.each([301, 302, 303, 307, 308])(
  'a redirect (%i) is not followed and leaves the outcome unknown',
  async (status) => {
    await answering(answer(status, '', { location: 'http://127.0.0.1:1/' }))
    expect(await call()).toMatchObject({ kind: 'unknown', detail: expect.stringContaining(String(status)) })
    expect(receiver?.requests.length).toBe(1)
  },
)

test.each([200, 400, 401, 403, 404, 409])('a page (%i) leaves the outcome of a POST unknown', async (status) => {
  await answering(answer(status, '<!doctype html><title>Maintenance</title>', { 'content-type': 'text/html' }))
  expect(await call()).toMatchObject({ kind: 'unknown', detail: expect.stringContaining('page') })
})
