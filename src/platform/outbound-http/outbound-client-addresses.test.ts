import { afterAll, describe, expect, test } from 'bun:test'
import { anAttempt, openDeliveryBench } from '../../../test/support/delivery.ts'
import { answer, type Receiver } from '../../../test/support/receiver.ts'
import { parseCidr } from '../http/limits/client-address.ts'

const bench = openDeliveryBench()
afterAll(() => bench.close())

const okReceiver = (host = '127.0.0.1') => bench.receiver({ host, onRequest: (socket) => socket.write(answer()) })
const named = (receiver: Receiver) => `http://hooks.example.test:${receiver.port}/hook`

describe('with no private range opened', () => {
  const strict = { allowedRanges: [] }

  test.each([
    ['loopback', ['127.0.0.1']],
    ['loopback in IPv6', ['::1']],
    ['loopback as mapped IPv4', ['::ffff:127.0.0.1']],
    ['loopback as IPv4 in hexadecimal', ['::ffff:7f00:1']],
    ['loopback behind NAT64', ['64:ff9b::7f00:1']],
    ['loopback behind 6to4', ['2002:7f00:1::']],
    ['the metadata service', ['169.254.169.254']],
    ['a private network', ['10.0.0.1']],
    ['a unique local address', ['fd00:ec2::254']],
    ['a public address among private ones', ['93.184.216.34', '127.0.0.1']],
    ['a private address in last place', ['93.184.216.34', '2606:4700::1111', '10.0.0.1']],
    ['something that is no address', ['127.1']],
  ])('a name that leads to %s is not dialled', async (_name, addresses) => {
    const receiver = await okReceiver()
    const result = await bench.post(named(receiver), {}, { ...strict, resolve: async () => addresses })
    expect(result).toMatchObject({ errorClass: 'blocked_address', ip: null, connectMs: null, status: null })
    expect(result.errorDetail).not.toMatch(/\d/)
    expect(receiver.accepted).toBe(0)
  })

  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    'localhost',
    'LOCALHOST',
    '①②⑦.⓪.⓪.①',
  ])('the literal %s is refused without asking a name server', async (host) => {
    const receiver = await okReceiver()
    let lookups = 0
    const resolve = async () => {
      lookups += 1
      return ['93.184.216.34']
    }
    const result = await bench.post(`http://${host}:${receiver.port}/`, {}, { ...strict, resolve })
    expect(result).toMatchObject({ errorClass: 'blocked_address', ip: null })
    expect([lookups, receiver.accepted]).toEqual([0, 0])
  })

  test('a redirect to a private address is not followed', async () => {
    const inside = await okReceiver()
    const receiver = await bench.receiver({
      onRequest: (socket) => socket.write(answer(307, '', { location: inside.url })),
    })
    expect(await bench.post(receiver.url)).toMatchObject({ status: 307 })
    expect(inside.accepted).toBe(0)
  })
})

describe('a name is resolved once', () => {
  test('so an answer that changes is never seen: the address judged is the address dialled', async () => {
    const [judged, rebound] = [await okReceiver('127.0.0.1'), await okReceiver('127.0.0.2')]
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    const resolve = async () => answers.shift() ?? []
    const options = { resolve, allowedRanges: [parseCidr('127.0.0.1/32')] }
    expect(await bench.post(named(judged), {}, options)).toMatchObject({ status: 200, ip: '127.0.0.1' })
    expect([answers.length, rebound.accepted]).toEqual([1, 0])
  })

  test('and the next connection, which asks again, judges again', async () => {
    const receiver = await bench.receiver({
      onRequest: (socket) => socket.write(answer(200, '', { connection: 'close' })),
    })
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    const client = bench.client({
      resolve: async () => answers.shift() ?? [],
      allowedRanges: [parseCidr('127.0.0.1/32')],
    })
    expect(await client.send(anAttempt(named(receiver)))).toMatchObject({ status: 200 })
    expect(await client.send(anAttempt(named(receiver)))).toMatchObject({ errorClass: 'blocked_address' })
  })

  test('by one lookup for all attempts that wait for it', async () => {
    const receiver = await okReceiver()
    let lookups = 0
    const asked = Promise.withResolvers<readonly string[]>()
    const client = bench.client({
      resolve: () => {
        lookups += 1
        return asked.promise
      },
    })
    const sending = Array.from({ length: 8 }, () => client.send(anAttempt(named(receiver))))
    asked.resolve(['127.0.0.1'])
    expect((await Promise.all(sending)).map((result) => result.status)).toEqual(Array(8).fill(200))
    expect(lookups).toBe(1)
  })
})

describe('in opened ranges', () => {
  test('IPv6 is dialled as it is, and IPv4 written as IPv6 as what it was judged to be', async () => {
    const [six, four] = [await okReceiver('::1'), await okReceiver('127.0.0.1')]
    expect(await bench.post(six.url)).toMatchObject({ status: 200, ip: '::1' })
    const mapped = await bench.post(named(four), {}, { resolve: async () => ['::ffff:127.0.0.1'] })
    expect(mapped).toMatchObject({ status: 200, ip: '127.0.0.1' })
    expect(six.requests[0]?.headers.host).toBe(`[::1]:${six.port}`)
  })

  test('localhost is loopback, without a name server', async () => {
    const receiver = await okReceiver()
    const resolve = async () => ['93.184.216.34']
    const options = { resolve, allowedRanges: [parseCidr('127.0.0.1/32')] }
    const result = await bench.post(`http://localhost:${receiver.port}/`, {}, options)
    expect(result).toMatchObject({ status: 200, ip: '127.0.0.1' })
    expect(receiver.requests[0]?.headers.host).toBe(`localhost:${receiver.port}`)
  })

  test('an address that cannot be reached gives way to the next of the same name', async () => {
    const receiver = await okReceiver()
    const resolve = async () => ['::1', '127.0.0.1']
    expect(await bench.post(named(receiver), {}, { resolve })).toMatchObject({ status: 200, ip: '127.0.0.1' })
  })

  test('but a receiver that answered wrongly is not asked again at another address', async () => {
    const receiver = await bench.receiver({ onRequest: (socket) => socket.end('nonsense') })
    const resolve = async () => ['127.0.0.1', '127.0.0.1']
    expect(await bench.post(named(receiver), {}, { resolve })).toMatchObject({ errorClass: 'protocol' })
    expect(receiver.accepted).toBe(1)
  })
})

describe('a name server', () => {
  test('that knows no such name is a failure of class dns', async () => {
    const unknown = async () => Promise.reject(new Error('getaddrinfo ENOTFOUND secret-internal-name'))
    const result = await bench.post('http://hooks.example.test/', {}, { resolve: unknown })
    expect(result).toMatchObject({ errorClass: 'dns', errorDetail: 'The host name could not be resolved.' })
    expect(await bench.post('http://hooks.example.test/', {}, { resolve: async () => [] })).toMatchObject({
      errorClass: 'dns',
    })
  })

  test('that never answers holds an attempt for the connect timeout, or the total if that is shorter', async () => {
    const resolve = () => new Promise<string[]>(() => {})
    const slow = await bench.post('http://hooks.example.test/', { connectTimeoutMs: 40 }, { resolve })
    expect(slow).toMatchObject({ errorClass: 'dns', errorDetail: 'The host name was not resolved in time.' })
    const slower = await bench.post('http://hooks.example.test/', { timeoutMs: 40 }, { resolve })
    expect(slower.errorClass).toBe('timeout_total')
  })
})
