import { afterAll, describe, expect, test } from 'bun:test'
import { createTestCertificate } from '../../../test/support/certificate.ts'
import { answer, type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { parseCidr } from '../http/limits/client-address.ts'
import { createEgress } from './egress.ts'

const HOST = 'provider.example.test'
const authority = createTestCertificate({ subject: 'Test Authority', isAuthority: true })
const certificateOf = (host: string) => createTestCertificate({ subject: host, hostNames: [host], issuer: authority })
const receivers: Receiver[] = []
afterAll(() => {
  for (const receiver of receivers) receiver.stop()
})

async function aServer(tls?: { cert: string; key: string }) {
  const heads: string[] = []
  const receiver = await startReceiver({
    ...(tls !== undefined && { tls }),
    onRequest(socket, { head }) {
      heads.push(head)
      socket.write(answer(200, 'here'))
    },
  })
  receivers.push(receiver)
  return { ...receiver, heads }
}

const LOOPBACK = [parseCidr('127.0.0.0/8'), parseCidr('::1/128')]
const opened = (resolve: (host: string) => Promise<string[]>) => createEgress({ allowedRanges: LOOPBACK }, resolve)
const closed = (...answers: string[][]) => {
  let nth = 0
  return createEgress({ allowedRanges: [] }, async () => answers[Math.min(nth++, answers.length - 1)] as string[])
}
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    (error) => error.code,
  )

describe('fetch', () => {
  test('connects to the address that was judged and names the host when the URL has a name', async () => {
    const server = await aServer()
    const { fetch } = opened(async () => ['127.0.0.1'])
    const response = await fetch(`http://${HOST}:${server.port}/path?x=1`, { headers: { 'x-one': '1' } })
    expect([response.status, await response.text()]).toEqual([200, 'here'])
    expect(server.heads[0]).toMatch(/^GET \/path\?x=1 HTTP\/1.1\r\n/)
    expect(server.heads[0]?.toLowerCase()).toContain(`host: ${HOST}:${server.port}`)
  })

  test('checks the certificate against the name when it connects to an address', async () => {
    const [right, wrong] = [certificateOf(HOST), certificateOf('other.example.test')]
    const { fetch } = opened(async () => ['127.0.0.1'])
    const call = async (server: Receiver) => fetch(`https://${HOST}:${server.port}/`, { ca: authority.cert })
    expect((await call(await aServer(right))).status).toBe(200)
    expect(await codeOf(call(await aServer(wrong)))).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  test.each([
    ['a private address', ['10.1.2.3']],
    ['loopback', ['127.0.0.1']],
    ['a public and a private address', ['8.8.8.8', '192.168.0.1']],
    ['the metadata service', ['169.254.169.254']],
  ])('sends nothing when the name leads to %s', async (_, addresses) => {
    expect(await codeOf(closed(addresses).fetch(`https://${HOST}/`))).toBe('ADDRESS_NOT_ALLOWED')
  })

  test('sends nothing when the URL itself is a private address', async () => {
    const server = await aServer()
    expect(await codeOf(closed([]).fetch(`http://127.0.0.1:${server.port}/`))).toBe('ADDRESS_NOT_ALLOWED')
    expect(server.heads).toEqual([])
  })

  test('refuses a name that answered with a public address when it was saved and with a private one since', async () => {
    const egress = closed(['8.8.8.8'], ['127.0.0.1'])
    expect(await egress.vet(`https://${HOST}/`)).toMatchObject({ ok: true })
    expect(await codeOf(egress.fetch(`https://${HOST}/`))).toBe('ADDRESS_NOT_ALLOWED')
  })

  test('follows no redirect', async () => {
    const target = await aServer()
    const receiver = await startReceiver({
      onRequest: (socket) => socket.write(answer(302, '', { location: `http://127.0.0.1:${target.port}/` })),
    })
    receivers.push(receiver)
    const { fetch } = opened(async () => [])
    expect((await fetch(`http://127.0.0.1:${receiver.port}/`)).status).toBe(302)
    expect(target.heads).toEqual([])
  })

  test('tries the next address when nothing listens at the first, with a body that can be read once', async () => {
    const server = await aServer()
    const { fetch } = opened(async () => ['127.0.0.9', '127.0.0.1'])
    const body = () => new Response('{}').body as ReadableStream
    const init = { method: 'POST' as const, body, duplex: 'half' as const, headers: { 'content-length': '2' } }
    expect((await fetch(`http://${HOST}:${server.port}/`, init)).status).toBe(200)
  })
})

describe('vet', () => {
  test('refuses a name when it leads to a private address', async () => {
    expect(await closed(['10.0.0.1']).vet(`https://${HOST}/`)).toMatchObject({
      ok: false,
      code: 'url_address_not_allowed',
    })
  })

  test('accepts a name when it does not resolve, or not in time', async () => {
    expect(await closed([]).vet(`https://${HOST}/`)).toMatchObject({ ok: true })
    const never = createEgress({ allowedRanges: [] }, () => new Promise(() => {}))
    expect(await never.vet(`https://${HOST}/`)).toMatchObject({ ok: true })
  })
})
