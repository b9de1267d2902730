import { afterAll, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { anAttempt, openDeliveryBench } from '../../../test/support/delivery.ts'
import { answer } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'

const bench = openDeliveryBench()
afterAll(() => bench.close())

const okReceiver = (headers: Record<string, string> = {}) =>
  bench.receiver({ onRequest: (socket) => socket.write(answer(200, 'ok', headers)) })

describe('a kept connection', () => {
  test('carries the next request without resolving or connecting again', async () => {
    const receiver = await okReceiver()
    let lookups = 0
    const client = bench.client({
      resolve: async () => {
        lookups += 1
        return ['127.0.0.1']
      },
    })
    const url = `http://hooks.example.test:${receiver.port}/hook`
    const results = [await client.send(anAttempt(url)), await client.send(anAttempt(url))]
    expect(results.map((result) => result.isConnectionReused)).toEqual([false, true])
    expect(results[1]).toMatchObject({ status: 200, ip: '127.0.0.1', dnsMs: null, connectMs: null, tlsMs: null })
    expect([lookups, receiver.accepted]).toEqual([1, 1])
  })

  test('is not shared by requests at the same time', async () => {
    const receiver = await okReceiver()
    const client = bench.client()
    await Promise.all(Array.from({ length: 5 }, () => client.send(anAttempt(receiver.url))))
    expect([receiver.accepted, client.idleConnections]).toEqual([5, 5])
  })

  test('is not lent to another origin', async () => {
    const receiver = await okReceiver()
    const client = bench.client()
    await client.send(anAttempt(receiver.url))
    await client.send(anAttempt(`http://hooks.example.test:${receiver.port}/hook`))
    expect(receiver.accepted).toBe(2)
  })

  test('is closed when it was idle for too long', async () => {
    const receiver = await okReceiver()
    const client = bench.client({ limits: { idleMs: 30 } })
    await client.send(anAttempt(receiver.url))
    expect(client.idleConnections).toBe(1)
    await until(() => client.idleConnections === 0 && receiver.open === 0)
  })

  test('is given up before the receiver said it would close it', async () => {
    const receiver = await okReceiver({ 'keep-alive': 'timeout=1' })
    const client = bench.client()
    await client.send(anAttempt(receiver.url))
    expect(client.idleConnections).toBe(0)
    await until(() => receiver.open === 0)
  })

  test('is one of at most so many per origin', async () => {
    const receiver = await okReceiver()
    const client = bench.client({ limits: { idlePerOriginMax: 2 } })
    await Promise.all(Array.from({ length: 5 }, () => client.send(anAttempt(receiver.url))))
    expect(client.idleConnections).toBe(2)
    await until(() => receiver.open === 2)
  })

  test('is one of at most so many overall', async () => {
    const receivers = await Promise.all([okReceiver(), okReceiver(), okReceiver()])
    const client = bench.client({ limits: { idleMax: 2 } })
    for (const receiver of receivers) await client.send(anAttempt(receiver.url))
    expect(client.idleConnections).toBe(2)
  })

  test('is closed when the receiver sends bytes without a request', async () => {
    let connection: Socket | null = null
    const receiver = await bench.receiver({
      onConnection: (socket) => {
        connection = socket
      },
      onRequest: (socket) => socket.write(answer()),
    })
    const client = bench.client()
    await client.send(anAttempt(receiver.url))
    ;(connection as Socket | null)?.write(answer(200, 'forged'))
    await until(() => client.idleConnections === 0)
    expect(await client.send(anAttempt(receiver.url))).toMatchObject({ responseBody: 'ok', isConnectionReused: false })
  })

  test('is closed with the client, and none is kept after that', async () => {
    const receiver = await okReceiver()
    const client = bench.client()
    await client.send(anAttempt(receiver.url))
    client.close()
    await until(() => receiver.open === 0)
    expect(await client.send(anAttempt(receiver.url))).toMatchObject({ status: 200 })
    expect(client.idleConnections).toBe(0)
  })
})

describe('a connection the receiver closed meanwhile', () => {
  /** Answers the first request on each connection and cuts the connection at the second. */
  const cutsAtSecond = (cut: (socket: Socket) => void) => {
    const counts = new Map<Socket, number>()
    return bench.receiver({
      onRequest: (socket) => {
        counts.set(socket, (counts.get(socket) ?? 0) + 1)
        if (counts.get(socket) === 1) socket.write(answer())
        else cut(socket)
      },
    })
  }

  test.each([
    ['by a reset', (socket: Socket) => socket.resetAndDestroy()],
    ['in order', (socket: Socket) => socket.end()],
  ])('%s is replaced by a new one within the same attempt', async (_name, cut) => {
    const receiver = await cutsAtSecond(cut)
    const client = bench.client()
    await client.send(anAttempt(receiver.url))
    const result = await client.send(anAttempt(receiver.url))
    expect(result).toMatchObject({ status: 200, errorClass: null, isConnectionReused: false, ip: '127.0.0.1' })
    expect(result.connectMs).not.toBeNull()
    expect([receiver.requests.length, receiver.accepted]).toEqual([3, 2])
  })

  test('is not replaced once a byte of response came', async () => {
    const receiver = await cutsAtSecond((socket) => {
      socket.write('H', () => socket.resetAndDestroy())
    })
    const client = bench.client()
    await client.send(anAttempt(receiver.url))
    expect(await client.send(anAttempt(receiver.url))).toMatchObject({ errorClass: 'reset', status: null })
    expect(receiver.accepted).toBe(1)
  })

  test('is not replaced when the receiver had the request for a while: it may have done what was asked', async () => {
    const receiver = await cutsAtSecond((socket) => setTimeout(() => socket.resetAndDestroy(), 50))
    const client = bench.client({ limits: { staleMs: 25 } })
    await client.send(anAttempt(receiver.url))
    expect(await client.send(anAttempt(receiver.url))).toMatchObject({ errorClass: 'reset', isConnectionReused: true })
    expect([receiver.requests.length, receiver.accepted]).toEqual([2, 1])
  })

  test('is replaced once only', async () => {
    const receiver = await bench.receiver({
      onRequest: (socket) => {
        if (receiver.requests.length === 1) socket.write(answer())
        else socket.resetAndDestroy()
      },
    })
    const client = bench.client()
    await client.send(anAttempt(receiver.url))
    expect(await client.send(anAttempt(receiver.url))).toMatchObject({ errorClass: 'reset', isConnectionReused: false })
    expect(receiver.requests.length).toBe(3)
  })

  test('a new connection that is cut is a failure at once', async () => {
    const receiver = await bench.receiver({ onRequest: (socket) => socket.resetAndDestroy() })
    expect(await bench.post(receiver.url)).toMatchObject({ errorClass: 'reset' })
    expect(receiver.requests.length).toBe(1)
  })
})
