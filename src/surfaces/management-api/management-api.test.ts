import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { signedIn } from '../../../test/support/console.ts'
import { aKey, anOrganization } from '../../../test/support/makers.ts'
import { until } from '../../../test/support/until.ts'
import { describedRoutes } from '../../boot/public-routes.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { allScopes, type Scope } from '../../kernel/scopes.ts'
import { unserved } from '../../platform/http/define-route.ts'
import { managementRoutes } from './management-api.ts'

/** Management by API, as one organization beside another one that has everything. */
const app = useTestApp()

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Json = any
type Answer = { status: number; json: Json; text: string; headers: Headers }

let shop: OrgId
let token: string
let other: { orgId: OrgId; token: string; ids: Record<string, string> }

const callAs = async (as: string, method: string, path: string, json?: unknown, headers = {}): Promise<Answer> => {
  const sent = json === undefined ? {} : { json }
  const response = await app.call(`/api/public/v1${path}`, { method, token: as, headers, ...sent })
  const text = await response.text()
  return { status: response.status, json: text === '' ? null : JSON.parse(text), text, headers: response.headers }
}
const call = (method: string, path: string, json?: unknown, headers = {}) => callAs(token, method, path, json, headers)
const keyWith = async (...scopes: Scope[]) => (await aKey(app.database, shop, { scopes })).token

const NUMBER = { connector: 'simulator', phone_number_id: '100200301', display_phone: '+6281200009001' }

beforeAll(async () => {
  shop = (await anOrganization(app.database)).id
  token = (await aKey(app.database, shop)).token
  const orgId = (await anOrganization(app.database)).id
  const otherToken = (await aKey(app.database, orgId)).token
  await signedIn(app, orgId, 'owner')
  const post = async (path: string, json: object) => (await callAs(otherToken, 'POST', path, json)).json.id as string
  const { person_id } = await app.database.one<{ person_id: string }>`
    select person_id from memberships where org_id = ${orgId}`
  other = {
    orgId,
    token: otherToken,
    ids: {
      numbers: await post('/numbers', { ...NUMBER, phone_number_id: '100200399' }),
      'payment-accounts': await post('/payment-accounts', { provider: 'simulator' }),
      'api-keys': await post('/api-keys', { name: 'ERP', scopes: ['orders:read'] }),
      agents: await post('/agents', { name: 'Bot', scopes: ['orders:read'] }),
      invitations: await post('/invitations', { email: 'budi@example.com', role: 'viewer' }),
      people: person_id,
    },
  }
})

describe('every route of management', () => {
  // Those of platforms are in organizations.test.ts.
  const routes = managementRoutes(unserved).filter(({ tag }) => tag !== 'Organizations')
  const bodies: Record<string, unknown> = {
    updateNumber: { name: 'Mine' },
    updatePaymentAccount: { name: 'Mine' },
    updateKey: { name: 'Mine' },
    rotateKey: {},
    updateAgent: { name: 'Mine' },
    changeRole: { role: 'viewer' },
  }
  const named = routes.filter(({ path }) => path.includes('{'))

  test.each(named.map((route) => [route.id, route] as const))(
    '%s does not find what belongs to another organization',
    async (id, { method, path }) => {
      const [, collection = ''] = path.split('/')
      const target = path.replace(/\{[^}]+\}/, other.ids[collection] as string)
      const { status, json } = await call(method, target, bodies[id])
      // An invitation that is not there and one that was used look alike.
      expect([status, json.code]).toEqual(
        collection === 'invitations' ? [409, 'invitation_invalid'] : [404, expect.stringMatching(/_not_found$/)],
      )
    },
  )

  test.each(routes.filter(({ method, path }) => method === 'GET' && !path.includes('{')).map(({ path }) => path))(
    'GET %s shows nothing of another organization',
    async (path) => {
      const { status, text } = await call('GET', path)
      expect(status).toBe(path === '/organization/logo' ? 404 : 200)
      for (const id of [other.orgId, ...Object.values(other.ids)]) expect(text).not.toContain(id)
    },
  )

  test('needs a scope of management, and is refused without it', async () => {
    const poor = await keyWith('chats:read', 'chats:write', 'messages:send', 'orders:read', 'orders:write')
    for (const { id, method, path } of routes) {
      const target = path.replace(/\{[^}]+\}/, other.ids[path.split('/')[1] as string] as string)
      const body = ['POST', 'PATCH', 'PUT'].includes(method) ? {} : undefined
      expect([id, (await callAs(poor, method, target, body)).json.code]).toEqual([id, 'scope_missing'])
    }
  })

  test('is no tool of agents', () => {
    const ids = routes.map(({ id }) => id)
    expect(describedRoutes().filter(({ id, agentTool }) => ids.includes(id) && agentTool !== undefined)).toEqual([])
  })
})

test('a key that existed before a scope was added does not have it', async () => {
  const { key } = await aKey(app.database, shop, { scopes: allScopes.slice(0, 11) })
  const { json } = await call('GET', `/api-keys/${key.id}`)
  expect(json.scopes).toEqual(allScopes.slice(0, 11))
})

describe('the organization', () => {
  test('is shown and edited by a key, and only what was sent changes', async () => {
    const before = await call('GET', '/organization')
    const { status, json } = await call('PATCH', '/organization', { name: 'Toko Sari', order_notices: false })
    expect([status, json]).toEqual([200, { ...before.json, name: 'Toko Sari', order_notices: false }])
    await until(async () => (await call('GET', '/me')).json.tenant.name === 'Toko Sari')
  })

  test('is not edited with a time zone that does not exist, nor when it has changed since it was read', async () => {
    const zone = await call('PATCH', '/organization', { timezone: 'Asia/Atlantis' })
    expect([zone.status, zone.json.code, zone.json.errors[0].pointer]).toEqual([409, 'value_refused', '#/timezone'])
    const change = await call('PATCH', '/organization', { name: 'Toko' }, { 'if-match': '"an-older-one"' })
    expect(change.json.code).toBe('version_conflict')
  })

  test('stores a phone number in any spelling as E.164, and refuses an impossible one', async () => {
    const { json } = await call('PATCH', '/organization', { contact_phone: '0812-3456-7890' })
    expect(json.contact_phone).toBe('+6281234567890')
    const refused = await call('PATCH', '/organization', { contact_phone: '0812-1' })
    expect([refused.status, refused.json.errors[0]]).toMatchObject([422, { pointer: '#/contact_phone' }])
    expect((await call('PATCH', '/organization', { contact_phone: null })).json.contact_phone).toBeNull()
  })

  test('has a logo that is set, shown and deleted, and refuses what is no image', async () => {
    const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
    const wrong = await call('PUT', '/organization/logo', { data: Buffer.from('GIF89a').toString('base64') })
    expect([wrong.status, wrong.json.errors[0].code]).toEqual([409, 'logo_type_unknown'])
    const large = await call('PUT', '/organization/logo', { data: 'A'.repeat(180_000) })
    expect([large.status, large.json.errors[0].pointer]).toEqual([422, '#/data'])
    const set = await call('PUT', '/organization/logo', { data })
    expect([set.status, set.json.data, set.json.content_type]).toEqual([200, data, 'image/png'])
    expect((await call('GET', '/organization')).json.logo).toEqual({ content_type: 'image/png', hash: set.json.hash })
    expect((await call('GET', '/organization/logo')).json).toEqual(set.json)
    expect((await call('DELETE', '/organization/logo')).status).toBe(204)
    expect((await call('GET', '/organization')).json.logo).toBeNull()
  })
})

describe('a number', () => {
  test('is connected once per Idempotency-Key, paused, resumed, edited and disconnected', async () => {
    const once = { 'idempotency-key': 'number-1' }
    const first = await call('POST', '/numbers', { ...NUMBER, settings: { messages_per_second: 5 } }, once)
    const again = await call('POST', '/numbers', { ...NUMBER, settings: { messages_per_second: 5 } }, once)
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true'])
    expect(again.text).toBe(first.text)
    const { id, generated: _, ...number } = first.json
    expect((await call('GET', `/numbers/${id}`)).json).toEqual({ id, ...number })
    expect((await call('POST', `/numbers/${id}/pause`)).json).toMatchObject({ state: 'paused' })
    expect((await call('POST', `/numbers/${id}/resume`)).json).toMatchObject({ state: 'connected' })
    expect((await call('PATCH', `/numbers/${id}`, { name: 'Cabang' })).json).toMatchObject({ name: 'Cabang' })
    expect((await call('DELETE', `/numbers/${id}`)).json).toMatchObject({ state: 'disconnected' })
    expect((await call('POST', `/numbers/${id}/pause`)).json.code).toBe('number_disconnected')
  })

  test('that lacks a credential of its connector is refused with the field', async () => {
    const { status, json } = await call('POST', '/numbers', { ...NUMBER, connector: 'whatsapp-cloud' })
    expect([status, json.code]).toEqual([409, 'value_refused'])
    expect(json.errors.map(({ pointer }: Json) => pointer)).toContain('#/credentials/access_token')
  })
})

test('secrets of numbers and payment accounts are in no answer, request log or audit entry', async () => {
  const secrets = [
    'EAAsecretaccesstoken0123456789',
    'appsecret0123456789abcdef01234567',
    'SB-Mid-server-abcdefghij0123456789',
  ]
  const [accessToken, appSecret, serverKey] = secrets
  const number = await call('POST', '/numbers', {
    ...NUMBER,
    ...{ connector: 'whatsapp-cloud', phone_number_id: '100200777' },
    credentials: { access_token: accessToken, app_secret: appSecret },
  })
  const account = await call('POST', '/payment-accounts', {
    provider: 'midtrans',
    credentials: { server_key: serverKey },
  })
  expect([number.status, account.status]).toEqual([201, 201])
  const changed = await call('PATCH', `/payment-accounts/${account.json.id}`, { state: 'disabled' })
  expect(changed.json).toMatchObject({ state: 'disabled' })
  const shown = [number, account, changed, await call('GET', '/numbers'), await call('GET', '/payment-accounts')]
  const readLog = () => app.database.many<{ row: string }>`select request_logs::text as row from request_logs`
  await until(async () => (await readLog()).length > 0)
  const logged = await readLog()
  const audit = await app.database.many<{ row: string }>`select audit_entries::text as row from audit_entries`
  const everything = [...shown.map(({ text }) => text), ...[...logged, ...audit].map(({ row }) => row)].join()
  for (const secret of secrets) expect(everything).not.toContain(secret)
})

describe('a key that manages keys', () => {
  test('creates, edits, rotates and revokes keys, with events and audit entries in its name', async () => {
    const created = await call('POST', '/api-keys', { name: 'ERP', scopes: ['orders:read'] })
    expect([created.status, created.headers.get('location')]).toEqual([
      201,
      `/api/public/v1/api-keys/${created.json.id}`,
    ])
    expect((await callAs(created.json.token, 'GET', '/orders')).status).toBe(200)
    const edited = await call('PATCH', `/api-keys/${created.json.id}`, { scopes: ['products:read'] })
    expect(edited.json).toMatchObject({ name: 'ERP', scopes: ['products:read'] })
    await until(async () => (await callAs(created.json.token, 'GET', '/orders')).status === 403)
    const rotated = await call('POST', `/api-keys/${created.json.id}/rotate`, { overlap_seconds: 0 })
    expect(rotated.json).toMatchObject({ name: 'ERP', predecessor: { rotated_to: rotated.json.id } })
    await until(async () => (await callAs(created.json.token, 'GET', '/orders')).status === 401)
    expect((await call('POST', `/api-keys/${rotated.json.id}/revoke`)).json).toMatchObject({ state: 'revoked' })
    await until(async () => (await callAs(rotated.json.token, 'GET', '/orders')).status === 401)
    const events = await call('GET', '/events?types=key.*')
    expect(events.json.data.map(({ type }: Json) => type)).toContain('key.revoked')
    const me = (await call('GET', '/me')).json.key.id
    const acts = await app.database.many<{ act: string }>`
      select act from audit_entries where org_id = ${shop} and actor_id = ${me} and act like '%Key'`
    expect(acts.map(({ act }) => act).toSorted()).toEqual(['createKey', 'revokeKey', 'rotateKey', 'updateKey'])
    expect((await call('GET', '/api-keys')).text).not.toContain(rotated.json.token)
  })

  test('gives no scope that it lacks, by creating, rotating or by an agent', async () => {
    const poor = await keyWith('keys:write', 'agents:write', 'orders:read')
    const { key: rich } = await aKey(app.database, shop, { scopes: ['people:write'] })
    const tries = [
      await callAs(poor, 'POST', '/api-keys', { name: 'More', scopes: ['orders:read', 'people:write'] }),
      await callAs(poor, 'POST', `/api-keys/${rich.id}/rotate`, {}),
      await callAs(poor, 'PATCH', `/api-keys/${rich.id}`, { scopes: ['people:write', 'people:read'] }),
      await callAs(poor, 'POST', '/agents', { name: 'Bot', scopes: ['orders:write'] }),
    ]
    expect(tries.map(({ status, json }) => [status, json.code])).toEqual(Array(4).fill([403, 'scope_not_grantable']))
    expect(tries[0]?.json.params.missing).toEqual(['people:write'])
  })

  test('leaves no key behind that outlives it', async () => {
    const expiresAt = new Date(Date.now() + 3600_000)
    const { token: brief } = await aKey(app.database, shop, { expiresAt })
    const input = { name: 'Later', scopes: ['orders:read'] }
    const later = await callAs(brief, 'POST', '/api-keys', { ...input, expires_at: '2099-01-01T00:00:00Z' })
    const never = await callAs(brief, 'POST', '/api-keys', { ...input, expires_at: null })
    expect([later.json.code, never.json.code]).toEqual(['value_refused', 'value_refused'])
    expect((await callAs(brief, 'POST', '/api-keys', input)).json.expires_at).toBe(expiresAt.toISOString())
  })
})

test('a developer cannot create a key with a scope of admins in the console', async () => {
  const developer = await signedIn(app, shop, 'developer')
  const body = { name: 'More', scopes: ['settings:write'] }
  const response = await developer.call('POST', '/api/console/keys', body)
  expect([response.status, ((await response.json()) as Json).code]).toEqual([403, 'scope_not_grantable'])
})

test('an agent is created with a token, edited, paused, resumed and revoked', async () => {
  const created = await call('POST', '/agents', { name: 'Bot', scopes: ['orders:read'] })
  const { id } = created.json
  const works = async () => (await callAs(created.json.token, 'GET', '/orders')).status
  expect([created.status, await works()]).toEqual([201, 200])
  expect((await call('PATCH', `/agents/${id}`, { purpose: 'Reads' })).json).toMatchObject({ purpose: 'Reads' })
  expect((await call('POST', `/agents/${id}/pause`)).json).toMatchObject({ state: 'paused' })
  expect(await works()).toBe(403)
  expect((await call('POST', `/agents/${id}/resume`)).json).toMatchObject({ state: 'active' })
  expect((await call('POST', `/agents/${id}/revoke`)).json).toMatchObject({ state: 'ended' })
  await until(async () => (await works()) === 401)
})

describe('people', () => {
  test('are invited, changed and removed by a key; the link is shown once', async () => {
    const invited = await call('POST', '/invitations', { email: 'Siti@Example.com', role: 'developer' })
    expect([invited.status, invited.json.email]).toEqual([201, 'siti@example.com'])
    expect(invited.json.link).toContain('/console/invitations/inv_')
    const listed = await call('GET', '/invitations')
    expect([listed.json.data.length, listed.text.includes('/console/invitations/')]).toEqual([1, false])
    expect((await call('DELETE', `/invitations/${invited.json.id}`)).status).toBe(204)
    await signedIn(app, shop, 'owner')
    await signedIn(app, shop, 'viewer')
    const { data } = (await call('GET', '/people')).json
    const person = data.find(({ role }: Json) => role === 'viewer')
    const changed = await call('PATCH', `/people/${person.id}`, { role: 'agent' })
    expect(changed.json).toMatchObject({ id: person.id, role: 'agent' })
    expect((await call('DELETE', `/people/${person.id}`)).status).toBe(204)
  })

  test('do not become owners by a key of the organization', async () => {
    const { status, json } = await call('POST', '/invitations', { email: 'a@example.com', role: 'owner' })
    expect([status, json.code]).toEqual([403, 'power_missing'])
  })
})
