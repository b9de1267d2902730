import { afterAll, describe, expect, test } from 'bun:test'
import type { TlsOptions } from 'node:tls'
import { createTestCertificate } from '../../../test/support/certificate.ts'
import { anAttempt, openDeliveryBench } from '../../../test/support/delivery.ts'
import { answer, type Receiver } from '../../../test/support/receiver.ts'
import { isTlsMaterialReadable } from './tls-context.ts'

const HOST = 'hooks.example.test'
const bench = openDeliveryBench()
afterAll(() => bench.close())

const authority = createTestCertificate({ subject: 'Test Authority', isAuthority: true })
const signed = createTestCertificate({ subject: HOST, hostNames: [HOST], issuer: authority })
const selfSigned = createTestCertificate({ subject: HOST, hostNames: [HOST] })
const expired = createTestCertificate({
  subject: HOST,
  hostNames: [HOST],
  issuer: authority,
  notAfter: new Date(Date.now() - 1000),
})
const forAddress = createTestCertificate({ subject: 'address', addresses: ['127.0.0.1'], issuer: authority })
const customer = createTestCertificate({ subject: 'nexkit', issuer: authority })
const ca = authority.cert

const httpsReceiver = (tls: TlsOptions, headers: Record<string, string> = {}) =>
  bench.receiver({ tls, onRequest: (socket) => socket.write(answer(200, 'ok', headers)) })
const named = (receiver: Receiver, host = HOST) => `https://${host}:${receiver.port}/hook`

describe('a certificate', () => {
  test('of a trusted authority for this name is accepted, and the handshake timed', async () => {
    const receiver = await httpsReceiver({ cert: signed.cert, key: signed.key })
    const result = await bench.post(named(receiver), { tls: { ca } })
    expect(result).toMatchObject({ status: 200, errorClass: null, ip: '127.0.0.1' })
    expect(result.tlsMs).toBeGreaterThan(0)
    expect(receiver.requests[0]?.headers.host).toBe(`${HOST}:${receiver.port}`)
  })

  test.each([
    ['self-signed', selfSigned, {}, 'not signed by a trusted authority'],
    ['of an authority that was not added', signed, {}, 'not signed by a trusted authority'],
    ['that expired', expired, { ca }, 'has expired'],
  ])('%s is refused before a byte of the request leaves', async (_name, certificate, tls, says) => {
    const receiver = await httpsReceiver({ cert: certificate.cert, key: certificate.key })
    const result = await bench.post(named(receiver), { tls })
    expect(result).toMatchObject({ errorClass: 'tls', status: null })
    expect(result.errorDetail).toContain(says)
    expect(receiver.requests).toEqual([])
  })

  test('self-signed is accepted when it is added as authority', async () => {
    const receiver = await httpsReceiver({ cert: selfSigned.cert, key: selfSigned.key })
    expect(await bench.post(named(receiver), { tls: { ca: selfSigned.cert } })).toMatchObject({ status: 200 })
  })

  test('for another name is refused, although the address is the same', async () => {
    const receiver = await httpsReceiver({ cert: signed.cert, key: signed.key })
    const result = await bench.post(named(receiver, 'other.example.test'), { tls: { ca } })
    expect(result).toMatchObject({
      errorClass: 'tls',
      errorDetail: 'The certificate of the receiver is for another host name.',
    })
    expect(receiver.requests).toEqual([])
  })

  test('for an address serves a URL with that address, and one for a name does not', async () => {
    const receiver = await httpsReceiver({ cert: forAddress.cert, key: forAddress.key })
    expect(await bench.post(receiver.url, { tls: { ca } })).toMatchObject({ status: 200 })
    const other = await httpsReceiver({ cert: signed.cert, key: signed.key })
    expect(await bench.post(other.url, { tls: { ca } })).toMatchObject({ errorClass: 'tls' })
  })

  test('is checked whatever the environment says', async () => {
    const receiver = await httpsReceiver({ cert: selfSigned.cert, key: selfSigned.key })
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      expect(await bench.post(named(receiver))).toMatchObject({ errorClass: 'tls' })
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    }
  })
})

describe('the connection', () => {
  test('uses no version before TLS 1.2', async () => {
    const receiver = await httpsReceiver({
      cert: signed.cert,
      key: signed.key,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
    })
    expect(await bench.post(named(receiver), { tls: { ca } })).toMatchObject({ errorClass: 'tls', status: null })
  })

  test('may use TLS 1.2', async () => {
    const receiver = await httpsReceiver({ cert: signed.cert, key: signed.key, maxVersion: 'TLSv1.2' })
    expect(await bench.post(named(receiver), { tls: { ca } })).toMatchObject({ status: 200 })
  })

  test('to a receiver that speaks plain http is a TLS failure', async () => {
    const receiver = await bench.receiver({ onConnection: (socket) => socket.write(answer()) })
    expect(await bench.post(named(receiver))).toMatchObject({ errorClass: 'tls', status: null })
  })

  test('is reused, but never lent to an endpoint with other certificates', async () => {
    const receiver = await httpsReceiver({ cert: signed.cert, key: signed.key })
    const client = bench.client()
    const both = { ca, cert: customer.cert, key: customer.key }
    const reused: boolean[] = []
    for (const tls of [{ ca }, { ca }, both, both, { ca }])
      reused.push((await client.send(anAttempt(named(receiver), { tls }))).isConnectionReused)
    expect(reused).toEqual([false, true, false, true, true])
    expect(await client.send(anAttempt(named(receiver)))).toMatchObject({ errorClass: 'tls' })
  })

  test('lets the receiver steer deliveries', async () => {
    const receiver = await httpsReceiver({ cert: signed.cert, key: signed.key }, { 'webhook-delivery': 'disable' })
    expect(await bench.post(named(receiver), { tls: { ca } })).toMatchObject({ control: 'disable' })
  })
})

describe('a client certificate', () => {
  const demanding = { cert: signed.cert, key: signed.key, ca, requestCert: true, rejectUnauthorized: true }

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('is shown to a receiver that demands one, over %s', async (version) => {
    const receiver = await httpsReceiver({ ...demanding, maxVersion: version })
    const tls = { ca, cert: customer.cert, key: customer.key }
    expect(await bench.post(named(receiver), { tls })).toMatchObject({ status: 200, errorClass: null })
  })

  test('that is missing is a failure', async () => {
    const receiver = await httpsReceiver(demanding)
    const result = await bench.post(named(receiver), { tls: { ca } })
    expect(['tls', 'reset']).toContain(result.errorClass as string)
    expect(receiver.requests).toEqual([])
  })

  test('that cannot be read is a failure in words, and is found out when it is saved', async () => {
    const broken = { cert: 'nonsense', key: customer.key }
    expect(await bench.post('https://hooks.example.test/', { tls: broken })).toMatchObject({
      errorClass: 'tls',
      ip: null,
    })
    expect(isTlsMaterialReadable(broken)).toBe(false)
    expect(isTlsMaterialReadable({ cert: customer.cert, key: signed.key })).toBe(false)
    expect(isTlsMaterialReadable({ cert: customer.cert })).toBe(false)
    expect(isTlsMaterialReadable({ ca: 'nonsense' })).toBe(false)
    expect(isTlsMaterialReadable({ ca, cert: customer.cert, key: customer.key })).toBe(true)
  })
})
