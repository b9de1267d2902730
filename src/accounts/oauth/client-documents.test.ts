import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { createTestCertificate } from '../../../test/support/certificate.ts'
import { type Browser, signedIn } from '../../../test/support/console.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import {
  aClientId,
  agree,
  anywhere,
  aProgram,
  exchange,
  letIn,
  register,
  see,
  type Tokens,
  toolsOf,
} from '../../../test/support/oauth.ts'
import { answer, type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { systemClock } from '../../kernel/clock.ts'
import { parseCidr } from '../../platform/http/limits/client-address.ts'
import { createDocumentFetch, createEgress, type DocumentFetch } from '../../platform/outbound-http/egress.ts'
import { createOAuthSweep } from './oauth.ts'

/** Programs that are described by a document, which a real server on this machine serves. */
const HOST = 'program.example.test'
const authority = createTestCertificate({ subject: 'Test Authority', isAuthority: true })
const certificate = createTestCertificate({ subject: HOST, hostNames: [HOST], issuer: authority })
const CALLBACK = `https://${HOST}/callback`

let receiver: Receiver
let documentNow: (path: string) => string
let fetchDocument: DocumentFetch
let owner: Browser
const app = useTestApp({ fetchDocument: (url) => fetchDocument(url) })

const fetchFrom = (ranges: string[], address = '127.0.0.1') =>
  createDocumentFetch({
    egress: createEgress({ allowedRanges: ranges.map(parseCidr), extraPorts: [receiver.port] }, async () => [address]),
    userAgent: 'test',
    ca: authority.cert,
  })

beforeAll(async () => {
  receiver = await startReceiver({
    tls: { cert: certificate.cert, key: certificate.key },
    onRequest: (socket, { head }) => socket.end(documentNow(head.split(' ')[1] as string)),
  })
  owner = await signedIn(app, (await anOrganization(app.database)).id, 'owner')
})
afterAll(() => receiver.stop())
beforeEach(() => {
  fetchDocument = fetchFrom(['127.0.0.0/8'])
  documentNow = (path) => answer(200, JSON.stringify(documentOf(path)), { 'content-type': 'application/json' })
})

let count = 0
const anAddress = () => {
  count += 1
  return `https://${HOST}:${receiver.port}/client-${count}.json`
}
const documentOf = (path: string, fields: object = {}) => ({
  client_id: `https://${HOST}:${receiver.port}${path}`,
  client_name: 'Described program',
  redirect_uris: [CALLBACK],
  token_endpoint_auth_method: 'none',
  ...fields,
})
const programOf = (clientId: string) => aProgram(clientId, { redirect_uri: CALLBACK })
const reasonFor = async (clientId: string) => {
  const { status, json } = await see(owner, programOf(clientId).query)
  return [status, json.params?.reason]
}

describe('a program whose id is the address of its document', () => {
  test('is let in, and shown with the host that vouches for it; the document is fetched once', async () => {
    const clientId = anAddress()
    const program = programOf(clientId)
    expect((await see(owner, program.query)).json.program).toEqual({
      name: 'Described program',
      host: `${HOST}:${receiver.port}`,
      is_described_there: true,
      answered_at: HOST,
    })
    const before = receiver.requests.length
    const { code, agent } = await letIn(owner, program)
    const tokens = (await (await exchange(app, program, code, { redirect_uri: CALLBACK })).json()) as Tokens
    expect(await toolsOf(app, tokens.access_token)).toContain('send_message')
    expect(agent.connection.client_host).toBe(`${HOST}:${receiver.port}`)
    expect(receiver.requests.length).toBe(before)
    expect(receiver.requests[0]?.head).toStartWith('GET /client-')
  })

  test('is shown with where the answer goes as well, which its document may let be anywhere', async () => {
    for (const [uri, place] of [
      ['https://evil.example/callback', 'evil.example'],
      ['http://127.0.0.1:7777/callback', '127.0.0.1'],
      ['cursor://callback', 'cursor://'],
    ] as const) {
      documentNow = (path) => answer(200, JSON.stringify(documentOf(path, { redirect_uris: [uri] })))
      const { json } = await see(owner, aProgram(anAddress(), { redirect_uri: uri }).query)
      expect([json.program.host, json.program.answered_at]).toEqual([`${HOST}:${receiver.port}`, place])
    }
  })

  test('is what its document says now, once that is looked at again', async () => {
    const clientId = anAddress()
    await see(owner, programOf(clientId).query)
    documentNow = (path) => answer(200, JSON.stringify(documentOf(path, { redirect_uris: [`${CALLBACK}/new`] })))
    await app.database
      .run`update oauth_clients set updated_at = now() - interval '1 hour' where client_id = ${clientId}`
    expect((await reasonFor(clientId))[0]).toBe(422)
    documentNow = () => answer(404, '')
    await app.database
      .run`update oauth_clients set updated_at = now() - interval '1 hour' where client_id = ${clientId}`
    expect((await reasonFor(clientId))[1]).toContain('could not be fetched')
  })

  test('creates no agent when its document changed the redirect address after it was shown', async () => {
    const clientId = anAddress()
    const seen = await see(owner, programOf(clientId).query)
    documentNow = (path) => answer(200, JSON.stringify(documentOf(path, { redirect_uris: [`${CALLBACK}/new`] })))
    await app.database
      .run`update oauth_clients set updated_at = now() - interval '1 hour' where client_id = ${clientId}`
    const { status, json } = await agree(owner, seen.json.request)
    expect([status, json.code]).toEqual([409, 'connection_request_stale'])
    const connections = await app.database.many`select 1 from agent_connections where client_id = ${clientId}`
    expect(connections.length).toBe(0)
  })

  test.each<[string, (path: string) => string, string]>([
    ['is of another', (path) => JSON.stringify(documentOf(`${path}x`)), 'another program'],
    ['is no JSON', () => '<html>', 'not of the right form'],
    ['names no address', (path) => JSON.stringify(documentOf(path, { redirect_uris: [] })), 'not of the right form'],
    ['is too large', (path) => JSON.stringify(documentOf(path, { x: 'x'.repeat(66_000) })), 'could not be fetched'],
    [
      'wants a secret',
      (path) => JSON.stringify(documentOf(path, { token_endpoint_auth_method: 'client_secret_post' })),
      'not offered',
    ],
    [
      'wants an address in clear',
      (path) => JSON.stringify(documentOf(path, { redirect_uris: ['http://x.test/'] })),
      'redirect URI',
    ],
  ])('is refused when its document %s', async (_, body, reason) => {
    documentNow = (path) => answer(200, body(path))
    const [status, says] = await reasonFor(anAddress())
    expect([status, says]).toEqual([422, expect.stringContaining(reason)])
  })

  test('is refused when its document is elsewhere, not there, or not to be had', async () => {
    for (const status of [302, 404, 500]) {
      documentNow = () => answer(status, '', { location: 'https://example.com/client.json' })
      expect((await reasonFor(anAddress()))[1]).toContain('could not be fetched')
    }
  })

  test('is not asked for at an address within our own network, whatever its name says', async () => {
    const before = receiver.accepted
    for (const [ranges, address] of [
      [[], '127.0.0.1'],
      [[], '10.0.0.7'],
      [[], '169.254.169.254'],
    ] as const) {
      fetchDocument = fetchFrom([...ranges], address)
      expect((await reasonFor(anAddress()))[1]).toContain('could not be fetched')
    }
    expect(receiver.accepted).toBe(before)
  })

  test.each([
    'https://program.example.test/',
    'https://user@program.example.test/client.json',
    'https://program.example.test/a/../client.json',
    'https://program.example.test/client.json#x',
    'http://program.example.test/client.json',
    'https://PROGRAM.example.test/client.json',
  ])('has no document at %s', async (clientId) => {
    const before = receiver.accepted
    expect((await reasonFor(clientId))[1]).toContain('not registered')
    expect(receiver.accepted).toBe(before)
  })
})

test('no document is fetched for a visitor who is not signed in', async () => {
  const before = receiver.accepted
  await app.call(`/oauth/authorize?${programOf(anAddress()).query}`)
  expect(receiver.accepted).toBe(before)
})

test('unauthorized programs and expired tokens are deleted after a day; the others stay', async () => {
  const unauthorized = await aClientId(app)
  const known = programOf(anAddress())
  const { code } = await letIn(owner, known)
  await exchange(app, known, code, { redirect_uri: CALLBACK })
  const { sweep } = createOAuthSweep({ database: app.database, clock: systemClock, log: { warn() {} } as never })
  const ids = async () =>
    (await app.database.many<{ client_id: string }>`select client_id from oauth_clients`).map((row) => row.client_id)
  await sweep()
  expect(await ids()).toContain(unauthorized)
  await app.database.run`
    update oauth_clients set created_at = now() - interval '25 hours', updated_at = now() - interval '25 hours'`
  await sweep()
  expect([(await ids()).includes(unauthorized), (await ids()).includes(known.clientId)]).toEqual([false, true])
  await app.database.run`update oauth_access_tokens set expires_at = now() - interval '1 second'`
  await sweep()
  expect((await app.database.many`select 1 from oauth_access_tokens`).length).toBe(0)
  expect((await app.database.many`select 1 from oauth_refresh_tokens`).length).toBeGreaterThan(0)
})

test('registration is refused when too many unauthorized programs registered within an hour; programs with a document are still accepted', async () => {
  await app.database.run`
    insert into oauth_clients (id, client_id, name, redirect_uris, scopes, grant_types, token_endpoint_auth_method, created_at, updated_at)
    select 'x' || n, 'x' || n, 'x', '[]', '[]', '[]', 'none', now(), now() from generate_series(1, 2000) n`
  expect((await register(app, {}, anywhere())).status).toBe(503)
  // Programs with a document are still accepted, and after an hour there is room for others.
  expect((await reasonFor(anAddress()))[0]).toBe(200)
  await app.database.run`
    update oauth_clients set created_at = now() - interval '61 minutes', updated_at = now() - interval '61 minutes'
    where client_id = 'x7'`
  expect((await register(app, {}, anywhere())).status).toBe(201)
  expect((await register(app, {}, anywhere())).status).toBe(503)
})

describe('where registering is switched off', () => {
  const closed = useTestApp({ isClientRegistrationOn: false })
  test('registration is refused and the metadata does not offer it', async () => {
    expect((await register(closed)).status).toBe(403)
    const response = await closed.call('/.well-known/oauth-authorization-server')
    expect(await response.json()).not.toHaveProperty('registration_endpoint')
  })
})
