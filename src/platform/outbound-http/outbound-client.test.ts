import { afterAll, describe, expect, test } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anAttempt, openDeliveryBench } from '../../../test/support/delivery.ts'
import { answer } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'
import { fixedClock } from '../../kernel/clock.ts'

const bench = openDeliveryBench()
afterAll(() => bench.close())

const okReceiver = () => bench.receiver({ onRequest: (socket) => socket.write(answer()) })

describe('the request', () => {
  test('carries the exact bytes of the body and the headers as given', async () => {
    const receiver = await okReceiver()
    const body = Buffer.from('{"note":"café ☕"}')
    const result = await bench.post(`${receiver.url}?a=%20b&c`, { body })
    const request = receiver.requests[0]
    expect(request?.head.split('\r\n')).toEqual([
      'POST /hook?a=%20b&c HTTP/1.1',
      `host: 127.0.0.1:${receiver.port}`,
      'user-agent: Nexkit/test',
      'accept: */*',
      'accept-encoding: identity',
      `content-length: ${body.length}`,
      'content-type: application/json',
      'webhook-id: evt_1',
    ])
    expect(request?.body).toEqual(body)
    expect(result.requestBytes).toBe((request?.head.length ?? 0) + 4 + body.length)
  })

  test('accepts what the endpoint wants accepted, and says so once', async () => {
    const receiver = await okReceiver()
    await bench.post(receiver.url, { headers: { 'content-type': 'application/json', accept: 'text/plain' } })
    const lines = receiver.requests[0]?.head.split('\r\n') ?? []
    expect(lines.filter((line) => line.startsWith('accept:'))).toEqual(['accept: text/plain'])
  })

  test('arrives whole when it is as large as an event may be', async () => {
    const receiver = await okReceiver()
    const body = Buffer.alloc(256 * 1024, 'abcdefg')
    expect(await bench.post(receiver.url, { body })).toMatchObject({ status: 200, errorClass: null })
    expect(receiver.requests[0]?.body.equals(body)).toBe(true)
  })

  test.each([
    ['a line break in a value', { 'x-a': 'b\r\nevil: 1' }],
    ['a line break in a name', { 'x-a: b\r\nevil': '1' }],
    ['another length', { 'Content-Length': '1' }],
    ['another host', { host: 'other.example' }],
    ['chunks', { 'transfer-encoding': 'chunked' }],
  ])('is not sent with %s', async (_name, headers) => {
    const receiver = await okReceiver()
    await expect(bench.post(receiver.url, { headers })).rejects.toBeInstanceOf(TypeError)
    expect(receiver.accepted).toBe(0)
  })

  test('goes nowhere but to http and https', async () => {
    for (const url of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'nonsense'])
      await expect(bench.post(url)).rejects.toBeInstanceOf(TypeError)
  })

  test('does not pass through a proxy named in the environment', async () => {
    const [receiver, proxy] = [await okReceiver(), await okReceiver()]
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY']
    for (const name of names) process.env[name] = proxy.url
    try {
      expect(await bench.post(receiver.url)).toMatchObject({ status: 200 })
    } finally {
      for (const name of names) delete process.env[name]
    }
    expect([receiver.accepted, proxy.accepted]).toEqual([1, 0])
  })
})

describe('the result', () => {
  test('holds address, version, status, headers, body and timings', async () => {
    const receiver = await bench.receiver({
      onRequest: (socket) => socket.write(answer(201, '{"ok":true}', { 'X-Shop': 'a' })),
    })
    const result = await bench.post(receiver.url, {}, { clock: fixedClock(1_700_000_000_000) })
    expect(result).toMatchObject({
      startedAtMs: 1_700_000_000_000,
      ip: '127.0.0.1',
      isConnectionReused: false,
      httpVersion: '1.1',
      status: 201,
      responseHeaders: { 'content-length': '11', 'x-shop': 'a' },
      responseBody: '{"ok":true}',
      isResponseBodyBase64: false,
      isResponseTruncated: false,
      retryAfterMs: null,
      control: null,
      tlsMs: null,
      errorClass: null,
      errorDetail: null,
    })
    for (const ms of [result.dnsMs, result.connectMs, result.ttfbMs]) expect(ms).toBeGreaterThanOrEqual(0)
    expect(result.totalMs).toBeGreaterThanOrEqual((result.connectMs ?? 0) + (result.ttfbMs ?? 0) - 0.05)
  })

  test.each([200, 204, 301, 400, 410, 429, 500, 503, 999])('reports status %d without judging it', async (status) => {
    const receiver = await bench.receiver({ onRequest: (socket) => socket.write(answer(status, '')) })
    expect(await bench.post(receiver.url)).toMatchObject({ status, errorClass: null })
  })

  test('a redirect is a status like any other and is not followed', async () => {
    const elsewhere = await okReceiver()
    const receiver = await bench.receiver({
      onRequest: (socket) => socket.write(answer(302, '', { location: elsewhere.url })),
    })
    const result = await bench.post(receiver.url)
    expect(result).toMatchObject({ status: 302, responseHeaders: { location: elsewhere.url } })
    expect([receiver.requests.length, elsewhere.accepted]).toEqual([1, 0])
  })

  test('a date in retry-after is counted from the clock that was passed in', async () => {
    const receiver = await bench.receiver({
      onRequest: (socket) => socket.write(answer(503, '', { 'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT' })),
    })
    const clock = fixedClock(Date.parse('2026-01-01T00:00:00Z'))
    expect((await bench.post(receiver.url, {}, { clock })).retryAfterMs).toBe(120_000)
  })

  test('the control header is not taken from a plain http receiver', async () => {
    const receiver = await bench.receiver({
      onRequest: (socket) => socket.write(answer(200, '', { 'webhook-delivery': 'disable' })),
    })
    expect(await bench.post(receiver.url)).toMatchObject({ status: 200, control: null })
  })

  test('a port without a listener is refused, in words that say nothing of the socket', async () => {
    const receiver = await okReceiver()
    receiver.stop()
    const result = await bench.post(receiver.url)
    expect(result).toMatchObject({ errorClass: 'refused', status: null, ip: '127.0.0.1', ttfbMs: null })
    expect(result.errorDetail).not.toMatch(/ECONN|127\.0|\d{4}/)
  })

  test('an answer that comes before the whole request was read is still the answer', async () => {
    const receiver = await bench.receiver({
      onConnection: (socket) => socket.once('data', () => socket.pause().write(answer(413, 'too much'))),
    })
    const client = bench.client()
    const result = await client.send(anAttempt(receiver.url, { body: Buffer.alloc(8 * 1024 * 1024) }))
    expect(result).toMatchObject({ status: 413, responseBody: 'too much', errorClass: null })
    expect(client.idleConnections).toBe(0)
  })
})

test('an ordinary HTTP server gets every request whole over a handful of connections', async () => {
  const bodies = new Set<string>()
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      bodies.add(Buffer.concat(pieces).toString())
      response.writeHead(200, { 'x-count': String(bodies.size) })
      response.write('part one, ')
      response.end('part two')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const client = bench.client()
  let next = 0
  const work = async () => {
    while (next < 200) {
      const result = await client.send(anAttempt(url, { body: Buffer.from(`{"number":${next++}}`) }))
      expect(result).toMatchObject({ status: 200, responseBody: 'part one, part two', errorClass: null })
    }
  }
  await Promise.all([work(), work(), work(), work()])
  expect(bodies.size).toBe(200)
  expect(client.idleConnections).toBeLessThanOrEqual(4)
  client.close()
  server.close()
})

describe('cutting an attempt off', () => {
  test('an aborted signal rejects with its reason and frees the socket', async () => {
    const receiver = await bench.receiver({ onRequest: () => {} })
    const abort = new AbortController()
    const sending = bench.post(receiver.url, { signal: abort.signal })
    await until(() => receiver.requests.length === 1)
    abort.abort(new Error('draining'))
    await expect(sending).rejects.toThrow('draining')
    await until(() => receiver.open === 0)
  })

  test('a signal aborted beforehand makes no connection', async () => {
    const receiver = await okReceiver()
    await expect(bench.post(receiver.url, { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow(
      'stopped',
    )
    expect(receiver.accepted).toBe(0)
  })

  test('a signal aborted after the attempt changes nothing', async () => {
    const receiver = await okReceiver()
    const client = bench.client()
    const abort = new AbortController()
    await client.send(anAttempt(receiver.url, { signal: abort.signal }))
    abort.abort()
    expect(client.idleConnections).toBe(1)
    expect(await client.send(anAttempt(receiver.url))).toMatchObject({ status: 200, isConnectionReused: true })
  })
})
