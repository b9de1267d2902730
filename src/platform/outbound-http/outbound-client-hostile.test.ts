import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { anAttempt, openDeliveryBench } from '../../../test/support/delivery.ts'
import { answer, type Receiver, type ReceiverOptions } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'
import type { OutboundRequest } from './outbound-client.ts'

const TIMEOUT_MS = 250
/** For what ends at a limit and not by the clock, however slowly the machine gets there. */
const PATIENT = { timeoutMs: 15_000 }
/** Scheduling on a busy machine; far below what waiting for the receiver would take. */
const SLACK_MS = 1000

const bench = openDeliveryBench()
const running: Receiver[] = []
afterAll(() => bench.close())

/** Whatever a receiver did, in the end it must hold no socket of ours. */
afterEach(async () => {
  for (const receiver of running.splice(0)) {
    receiver.resume()
    await until(() => receiver.open === 0)
  }
})

async function attack(options: ReceiverOptions, request: Partial<OutboundRequest> = {}) {
  const receiver = await bench.receiver(options)
  running.push(receiver)
  const url = options.tls ? `https://hooks.example.test:${receiver.port}/` : receiver.url
  const timeoutMs = request.timeoutMs ?? TIMEOUT_MS
  const result = await bench.post(url, { connectTimeoutMs: TIMEOUT_MS * 10, ...request, timeoutMs })
  expect(result.totalMs).toBeLessThan(timeoutMs + SLACK_MS)
  return { result, receiver }
}

/** Writes for as long as the connection takes it. */
function pour(socket: Socket, piece: () => string | Buffer): void {
  const next = () => {
    while (!socket.destroyed && socket.write(piece()));
  }
  socket.on('drain', next)
  next()
}

/** A process that listens and is then put to sleep, so that it accepts nothing. */
async function startStoppedListener() {
  const script = `const server = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log(server.address().port))`
  const listener = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = (await once(listener.stdout, 'data')).map(Number) as [number]
  listener.kill('SIGSTOP')
  const fillers: Socket[] = []
  return {
    port,
    fill(count: number) {
      for (let index = 0; index < count; index++)
        fillers.push(net.connect({ host: '127.0.0.1', port }).on('error', () => {}))
    },
    kill() {
      for (const socket of fillers) socket.destroy()
      listener.kill('SIGKILL')
    },
  }
}

function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 20)
  socket.on('close', () => clearInterval(timer))
}

describe('a receiver that takes its time is cut off by the total timeout', () => {
  test('when it accepts and never answers', async () => {
    const { result } = await attack({ onConnection: () => {} })
    expect(result).toMatchObject({ errorClass: 'timeout_total', status: null, ttfbMs: null })
    expect(result.totalMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 5)
  })

  test('when it drips the body byte by byte', async () => {
    const { result } = await attack({
      onRequest: (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
        drip(socket, 'x')
      },
    })
    expect(result).toMatchObject({ errorClass: 'timeout_total', status: 200, isResponseTruncated: true })
    expect(result.responseBody).toMatch(/^x+$/)
  })

  test('when it drips the headers', async () => {
    const { result } = await attack({
      onRequest: (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        drip(socket, 'x: y\r\n')
      },
    })
    expect(result).toMatchObject({ errorClass: 'timeout_total', status: null })
  })

  test('when it keeps saying that it is still working', async () => {
    const { result } = await attack({ onRequest: (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n') })
    expect(result).toMatchObject({ errorClass: 'timeout_total', status: null })
  })

  test('when it drips chunks', async () => {
    const { result } = await attack({
      onRequest: (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
        drip(socket, '1;x=y\r\nz\r\n')
      },
    })
    expect(result).toMatchObject({ errorClass: 'timeout_total', status: 200 })
  })

  test('when it never reads the request', async () => {
    const { result } = await attack(
      { onConnection: (socket) => socket.pause() },
      { body: Buffer.alloc(8 * 1024 * 1024) },
    )
    expect(result).toMatchObject({ errorClass: 'timeout_total', status: null })
  })

  test('when it closes its side only after the timeout', async () => {
    const { result } = await attack({ onRequest: (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\npartly') })
    expect(result).toMatchObject({ errorClass: 'timeout_total', status: 200, responseBody: 'partly' })
  })

  test('and by the connect timeout when it never finishes the TLS handshake', async () => {
    const receiver = await bench.receiver({ onConnection: () => {} })
    running.push(receiver)
    const result = await bench.post(`https://hooks.example.test:${receiver.port}/`, { connectTimeoutMs: 60 })
    expect(result).toMatchObject({ errorClass: 'timeout_connect', tlsMs: null, status: null })
    expect(result.errorDetail).toContain('TLS handshake')
  })

  test('and by the connect timeout when its queue is full and it accepts no connection', async () => {
    const stopped = await startStoppedListener()
    const url = `http://127.0.0.1:${stopped.port}/`
    try {
      let result = await bench.post(url, { timeoutMs: 200, connectTimeoutMs: 100 })
      // Until the queue is full, the operating system accepts in the listener's place, and only the answer is missing.
      for (let round = 0; round < 40 && result.errorClass === 'timeout_total'; round++) {
        stopped.fill(150)
        result = await bench.post(url, { timeoutMs: 200, connectTimeoutMs: 100 })
      }
      expect(result).toMatchObject({ errorClass: 'timeout_connect', connectMs: null, status: null })
      expect(result.totalMs).toBeGreaterThanOrEqual(95)
    } finally {
      stopped.kill()
    }
  })

  test('the total also stands over a handshake', async () => {
    const receiver = await bench.receiver({ onConnection: (socket) => drip(socket, '\x16') })
    running.push(receiver)
    const result = await bench.post(`https://hooks.example.test:${receiver.port}/`, { timeoutMs: 60 })
    expect(['timeout_total', 'tls']).toContain(result.errorClass as string)
  })
})

describe('a receiver that sends too much is cut off at the limit', () => {
  const endure = (options: ReceiverOptions) => attack(options, PATIENT)

  test.each([
    ['of unknown length', 'HTTP/1.1 200 OK\r\n\r\n', () => 'x'.repeat(65_536)],
    ['of a terabyte', 'HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\n', () => 'x'.repeat(65_536)],
    ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', () => `10000\r\n${'x'.repeat(65_536)}\r\n`],
  ])('an endless body %s: the status stands, the excerpt is kept', async (_name, head, piece) => {
    const { result } = await endure({
      onRequest: (socket) => {
        socket.write(head)
        pour(socket, piece)
      },
    })
    expect(result).toMatchObject({ status: 200, errorClass: null, isResponseTruncated: true })
    expect(result.responseBody?.length).toBe(16_384)
  })

  test('a flood of headers', async () => {
    const { result } = await endure({
      onRequest: (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        pour(socket, () => `x-${Math.random()}: ${'y'.repeat(1000)}\r\n`)
      },
    })
    expect(result).toMatchObject({ errorClass: 'too_large', status: null })
  })

  test('many small headers', async () => {
    const { result } = await endure({
      onRequest: (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(101)}\r\n`),
    })
    expect(result).toMatchObject({ errorClass: 'too_large', status: null })
  })

  test('an endless status line', async () => {
    const { result } = await endure({
      onRequest: (socket) => {
        socket.write('HTTP/1.1 200 ')
        pour(socket, () => 'O'.repeat(65_536))
      },
    })
    expect(result).toMatchObject({ errorClass: 'too_large', status: null })
  })

  test('a gzip bomb is never inflated: its first bytes are kept as they are', async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024))
    const head = 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1000000000\r\n\r\n'
    const { result } = await endure({ onRequest: (socket) => socket.write(Buffer.concat([Buffer.from(head), bomb])) })
    expect(result).toMatchObject({
      status: 200,
      errorClass: null,
      isResponseBodyBase64: true,
      isResponseTruncated: true,
    })
    expect(Buffer.from(result.responseBody as string, 'base64')).toEqual(bomb.subarray(0, 16_384))
  })

  test('an endless stream of interim responses', async () => {
    const { result } = await endure({
      onRequest: (socket) => pour(socket, () => 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)),
    })
    expect(result).toMatchObject({ errorClass: 'too_large', status: null })
  })
})

describe('a receiver that breaks the rules', () => {
  test('by resetting the connection in the middle of its response', async () => {
    const { result } = await attack({
      onRequest: (socket) =>
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npartly', () => socket.resetAndDestroy()),
    })
    expect(result.errorClass).toBe('reset')
  })

  test('by closing before the announced length', async () => {
    const { result } = await attack({
      onRequest: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npartly'),
    })
    expect(result).toMatchObject({
      errorClass: 'reset',
      status: 200,
      responseBody: 'partly',
      isResponseTruncated: true,
    })
  })

  test('by closing without a word', async () => {
    const { result } = await attack({ onRequest: (socket) => socket.end() })
    expect(result).toMatchObject({ errorClass: 'reset', status: null })
  })

  test.each([
    ['another protocol', '220 mail.example ESMTP\r\n'],
    ['noise', Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256))],
    ['HTML without a head', '<html>hello</html>'],
    ['NUL bytes in a header', 'HTTP/1.1 200 OK\r\nx: \0\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ])('by answering with %s', async (_name, bytes) => {
    const { result } = await attack({ onConnection: (socket) => socket.write(bytes) })
    expect(result).toMatchObject({ errorClass: 'protocol', status: null })
    expect(result.errorDetail).not.toContain('mail.example')
  })

  test('by answering a redirect to itself for ever: one attempt follows none of them', async () => {
    const { result, receiver } = await attack({
      onRequest: (socket) => socket.end(answer(302, '', { location: '/hook', connection: 'close' })),
    })
    expect(result).toMatchObject({ status: 302, errorClass: null })
    expect(receiver.requests.length).toBe(1)
  })
})

test('sixty hanging and pouring receivers at once cost bounded memory and leave nothing behind', async () => {
  const receiver = await bench.receiver({
    onRequest: (socket, request) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      if (request.connection % 2 === 0) pour(socket, () => `10000\r\n${'x'.repeat(65_536)}\r\n`)
      else drip(socket, '1\r\nx\r\n')
    },
  })
  running.push(receiver)
  const client = bench.client()
  const before = process.memoryUsage().rss
  const request = anAttempt(receiver.url, { timeoutMs: 2000 })
  const results = await Promise.all(Array.from({ length: 60 }, () => client.send(request)))
  const classes = results.map((result) => result.errorClass ?? 'truncated').sort()
  expect(classes).toEqual([...Array(30).fill('timeout_total'), ...Array(30).fill('truncated')])
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
  expect(client.idleConnections).toBe(0)
})
