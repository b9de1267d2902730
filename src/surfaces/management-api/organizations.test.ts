import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { aKey, anOrganization } from '../../../test/support/makers.ts'
import { until } from '../../../test/support/until.ts'
import {
  createPlatformKey,
  type NewPlatformKey,
  revokePlatformKey,
  rotatePlatformKey,
} from '../../accounts/platform/platform.ts'
import { systemClock } from '../../kernel/clock.ts'
import { allScopes } from '../../kernel/scopes.ts'

/** Platforms: keys that create organizations and act for them. */
const app = useTestApp({ rateLimit: { perSecond: 1000, burst: 1000 } })

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Json = any
type Answer = { status: number; json: Json; text: string; headers: Headers }

const platforms = () => ({ database: app.database, clock: systemClock })
const aPlatform = (fields: Partial<NewPlatformKey> = {}) =>
  createPlatformKey(platforms(), {
    ...{ name: 'Builder', scopes: allScopes, isForAll: false, expiresAt: null, rateLimit: null },
    ...fields,
  })

const call = async (
  as: { token: string; org?: string },
  method: string,
  path: string,
  json?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const sent = json === undefined ? {} : { json }
  const named = as.org === undefined ? {} : { 'nexkit-organization': as.org }
  const init = { method, token: as.token, headers: { ...named, ...headers }, ...sent }
  const response = await app.call(`/api/public/v1${path}`, init)
  const text = await response.text()
  return { status: response.status, json: text === '' ? null : JSON.parse(text), text, headers: response.headers }
}

let token: string
let keyId: string
let foreign: string

beforeAll(async () => {
  const created = await aPlatform()
  token = created.token
  keyId = created.key.id
  foreign = (await anOrganization(app.database)).id
})

describe('a platform key', () => {
  test('sets up a shop without a person: organization, key, number, payment account, owner, first order', async () => {
    expect(token).toMatch(/^nxp_live_[0-9A-Za-z]{38}$/)
    const body = { name: 'Toko Budi', api_key: { name: 'Shop', scopes: ['orders:read'] } }
    const created = await call({ token }, 'POST', '/organizations', body)
    expect([created.status, created.json.slug]).toEqual([201, expect.stringMatching(/^toko-budi-[0-9a-f]{8}$/)])
    const org = created.json.id as string
    expect((await call({ token: created.json.api_key.token }, 'GET', '/orders')).status).toBe(200)
    const shop = { token, org }
    const number = { connector: 'simulator', phone_number_id: '100200500', display_phone: '+6281200009500' }
    expect((await call(shop, 'POST', '/numbers', number)).status).toBe(201)
    expect((await call(shop, 'POST', '/payment-accounts', { provider: 'simulator' })).status).toBe(201)
    expect((await call(shop, 'POST', '/invitations', { email: 'budi@example.com', role: 'owner' })).status).toBe(201)
    const order = await call(shop, 'POST', '/orders', { billingType: 'qris', amount: 10_000, notify: false })
    expect(order.status).toBe(201)
    expect((await call(shop, 'GET', '/me')).json).toMatchObject({ key: { id: keyId }, tenant: { id: org } })
    expect((await call({ token }, 'PATCH', `/organizations/${org}`, { language: 'en' })).json.language).toBe('en')
    const acts = await app.database.many`select act, actor_id from audit_entries where org_id = ${org}`
    expect(acts).toContainEqual({ act: 'createOrganization', actor_id: keyId })
    expect(acts).toContainEqual({ act: 'createNumber', actor_id: keyId })
    expect(acts).toContainEqual({ act: 'updateOrganization', actor_id: keyId })
  })

  test('creates an organization once per Idempotency-Key, and no second one with a slug that is taken', async () => {
    const once = { 'idempotency-key': 'shop-1' }
    const body = { name: 'Toko Sari', slug: 'toko-sari' }
    const first = await call({ token }, 'POST', '/organizations', body, once)
    const again = await call({ token }, 'POST', '/organizations', body, once)
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
    const taken = await call({ token }, 'POST', '/organizations', body)
    expect([taken.status, taken.json.code]).toEqual([409, 'organization_slug_taken'])
  })

  test('reaches its own organizations only, unless it was created for all', async () => {
    const { token: rival } = await aPlatform()
    const { token: operator } = await aPlatform({ isForAll: true })
    const mine = (await call({ token }, 'POST', '/organizations', { name: 'Mine' })).json.id as string
    for (const org of [mine, foreign, 'org_nonsense', keyId]) {
      expect((await call({ token: rival, org }, 'GET', '/orders')).json.code).toBe('organization_not_found')
      expect((await call({ token: rival, org }, 'GET', '/me')).json.code).toBe('organization_not_found')
    }
    for (const id of [mine, foreign]) {
      const read = await call({ token: rival }, 'GET', `/organizations/${id}`)
      const change = await call({ token: rival }, 'PATCH', `/organizations/${id}`, { name: 'Stolen' })
      expect([read.json.code, change.json.code]).toEqual(['organization_not_found', 'organization_not_found'])
      expect((await call({ token: operator, org: id }, 'GET', '/orders')).status).toBe(200)
    }
    expect((await call({ token: rival }, 'GET', '/organizations')).json.data).toEqual([])
    const ids = (await call({ token }, 'GET', '/organizations')).json.data.map(({ id }: Json) => id)
    expect([ids.includes(mine), ids.includes(foreign)]).toEqual([true, false])
  })

  test('has the scopes that it was created with, and needs the header for everything else', async () => {
    const { token: reader } = await aPlatform({ scopes: ['orders:read'] })
    const org = (await call({ token: reader }, 'POST', '/organizations', { name: 'Small' })).json.id as string
    expect((await call({ token: reader, org }, 'GET', '/orders')).status).toBe(200)
    expect((await call({ token: reader, org }, 'GET', '/chats')).json.code).toBe('scope_missing')
    const more = { name: 'More', api_key: { name: 'Key', scopes: ['chats:read'] } }
    expect((await call({ token: reader }, 'POST', '/organizations', more)).json.code).toBe('scope_not_grantable')
    const bare = await call({ token: reader }, 'GET', '/orders')
    expect([bare.status, bare.json.code]).toEqual([400, 'organization_header_missing'])
  })

  test('stops with the next request when it is revoked, and its old token after a rotation', async () => {
    const { token: old, key } = await aPlatform()
    const { token: next } = await rotatePlatformKey(platforms(), { id: key.id, overlapSeconds: 3600 })
    expect((await call({ token: old }, 'GET', '/organizations')).status).toBe(200)
    const { token: last } = await rotatePlatformKey(platforms(), { id: key.id, overlapSeconds: 0 })
    expect((await call({ token: next }, 'GET', '/organizations')).status).toBe(401)
    expect((await call({ token: last }, 'GET', '/organizations')).status).toBe(200)
    await revokePlatformKey(platforms(), key.id)
    const refused = await call({ token: last }, 'GET', '/organizations')
    const unknown = await call({ token: `${last.slice(0, -1)}x` }, 'GET', '/organizations')
    expect([refused.status, unknown.status, refused.json.code]).toEqual([401, 401, 'unauthenticated'])
  })

  test('is limited per organization', async () => {
    const { token: slow } = await aPlatform({ rateLimit: 1 })
    const create = async (name: string) => (await call({ token: slow }, 'POST', '/organizations', { name })).json.id
    const [one, other] = [await create('One'), await create('Other')] as [string, string]
    const statuses: number[] = []
    for (let at = 0; at < 10; at++) statuses.push((await call({ token: slow, org: one }, 'GET', '/orders')).status)
    expect(statuses).toContain(429)
    expect((await call({ token: slow, org: other }, 'GET', '/orders')).status).toBe(200)
  })

  test('is no key of the console, of Meta’s dialect or of agents', async () => {
    for (const path of ['/api/console/settings', '/api/proxy/orders', '/api/auth/session', '/mcp'])
      expect([path, (await app.call(path, { token, method: path === '/mcp' ? 'POST' : 'GET' })).status]).toEqual([
        path,
        401,
      ])
  })
})

test('a request acts for the organization it names when its query or path resembles a path of platforms', async () => {
  const { json: created } = await call({ token }, 'POST', '/organizations', { name: 'Toko Jalur' })
  const shop = { token, org: created.id as string }
  await call(shop, 'POST', '/payment-accounts', { provider: 'simulator' })
  const { json: order } = await call(shop, 'POST', '/orders', {
    ...{ billingType: 'qris', amount: 10_000, notify: false, reference: '/organizations' },
  })
  const found = await call(shop, 'GET', '/orders?reference=/organizations')
  expect([found.status, found.json.data?.map(({ id }: Json) => id)]).toEqual([200, [order.id]])
  for (const path of ['/chats/organizations', '/templates/organizations/id', '/orders?q=/organizations/a/suspend'])
    expect([path, (await call({ token }, 'GET', path)).json.code]).toEqual([path, 'organization_header_missing'])
})

test('a key of an organization cannot manage organizations', async () => {
  const { token: own } = await aKey(app.database, foreign as never)
  for (const [method, path, body] of [
    ['GET', '/organizations', undefined],
    ['POST', '/organizations', { name: 'New' }],
    ['GET', `/organizations/${foreign}`, undefined],
    ['PATCH', `/organizations/${foreign}`, { name: 'New' }],
  ] as const)
    expect((await call({ token: own }, method, path, body)).json.code).toBe('platform_key_required')
})

test('the token of a platform key is in no table', async () => {
  await until(async () => (await app.database.many`select 1 from request_logs`).length > 0)
  const rows = await app.database.many<{ row: string }>`
    select request_logs::text as row from request_logs union all select platform_keys::text from platform_keys`
  expect(rows.map(({ row }) => row).join()).not.toContain(token)
})

describe('a suspended organization', () => {
  test('is refused by its keys with a clear code until it is resumed, while its platform acts and payments are recorded', async () => {
    const keyScopes = { name: 'Shop', scopes: ['orders:read', 'messages:send'] }
    const { json: created } = await call({ token }, 'POST', '/organizations', {
      name: 'Toko Tunda',
      api_key: keyScopes,
    })
    const [org, own] = [created.id as string, { token: created.api_key.token as string }]
    const platform = { token, org }
    await call(platform, 'POST', '/payment-accounts', { provider: 'simulator' })
    const { json: order } = await call(platform, 'POST', '/orders', { billingType: 'qris', amount: 25_000 })
    expect((await call(own, 'GET', '/orders')).status).toBe(200)
    const path = `/organizations/${org}`
    const suspended = await call({ token }, 'POST', `${path}/suspend`, { reason: 'Invoice 42 is unpaid' })
    expect(suspended.json.suspended).toEqual({ since: expect.any(String), reason: 'Invoice 42 is unpaid' })
    await until(async () => (await call(own, 'GET', '/orders')).status === 403)
    const refused = await call(own, 'GET', '/orders')
    expect([refused.json.code, refused.json.params]).toEqual([
      'organization_suspended',
      { since: suspended.json.suspended.since },
    ])
    expect((await call(own, 'POST', '/v1/100200300/messages', {})).status).toBe(403)
    const paid = await call(platform, 'POST', `/simulator/payments/${order.payment.id}`, {})
    expect(paid.status).toBeLessThan(300)
    await until(async () => (await call(platform, 'GET', `/orders/${order.id}`)).json.payment_status === 'paid')
    expect((await call({ token: (await aPlatform()).token }, 'POST', `${path}/resume`)).status).toBe(404)
    expect((await call({ token }, 'POST', `${path}/resume`)).json.suspended).toBeNull()
    await until(async () => (await call(own, 'GET', '/orders')).status === 200)
    const { json: audit } = {
      json: await app.database.many<{ act: string }>`select act from audit_entries where org_id = ${org}`,
    }
    expect(audit.map(({ act }) => act)).toContain('suspendOrganization')
  })
})
