import { describe, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { aKey, anOrganization, testAccounts } from '../../../test/support/makers.ts'
import { until } from '../../../test/support/until.ts'
import { createToken } from './api-key-token.ts'
import { revokeApiKey } from './api-keys.ts'
import { Identity } from './identity.schemas.ts'

const nexkit = useTestApp()

describe('200', () => {
  test('returns the key, its organization, its scopes and its limits under both base paths', async () => {
    const organization = await anOrganization(nexkit.database, { name: 'Toko Budi', slug: 'toko-budi' })
    const { token, key } = await aKey(nexkit.database, organization.id, { scopes: ['orders:read', 'chats:read'] })
    const bodies = await Promise.all(
      ['/api/public/v1/me', '/public/v1/me'].map(async (path) => (await nexkit.call(path, { token })).json()),
    )
    expect(bodies[0]).toEqual(bodies[1])
    expect(Identity.parse(bodies[0])).toMatchObject({
      object: 'identity',
      key: { id: key.id, name: 'Test key', key_prefix: token.slice(0, 13) },
      tenant: {
        id: organization.id,
        name: 'Toko Budi',
        slug: 'toko-budi',
        default_country: 'ID',
        currency: 'IDR',
        timezone: 'Asia/Jakarta',
      },
      scopes: ['chats:read', 'orders:read'],
      limits: { requests_per_second: 100, request_burst: 200, body_bytes: 262144, text_characters: 4096 },
    })
  })

  test('a key with its own limit says so, and one without any says null', async () => {
    const { id } = await anOrganization(nexkit.database)
    const own = await aKey(nexkit.database, id, { rateLimit: 7 })
    const none = await aKey(nexkit.database, id, { rateLimit: 'none' })
    const limitsOf = async (token: string) =>
      ((await (await nexkit.call('/public/v1/me', { token })).json()) as { limits: object }).limits
    expect(await limitsOf(own.token)).toMatchObject({ requests_per_second: 7, request_burst: 14 })
    expect(await limitsOf(none.token)).toMatchObject({ requests_per_second: null, request_burst: null })
  })

  test('a key with no scope at all may still ask who it is', async () => {
    const { id } = await anOrganization(nexkit.database)
    const { token } = await aKey(nexkit.database, id, { scopes: [] })
    expect((await nexkit.call('/public/v1/me', { token })).status).toBe(200)
  })

  test('callers who take turns each receive their own key, however often they ask', async () => {
    const { id } = await anOrganization(nexkit.database)
    const keys = [await aKey(nexkit.database, id), await aKey(nexkit.database, id)]
    for (const { token, key } of [...keys, ...keys.toReversed(), ...keys]) {
      const response = await nexkit.call('/public/v1/me', { token })
      expect(await response.json()).toMatchObject({ key: { id: key.id } })
    }
  })
})

describe('401', () => {
  test('nine kinds of bad key get the same bytes apart from the request id', async () => {
    const { id } = await anOrganization(nexkit.database)
    const good = await aKey(nexkit.database, id)
    const revoked = await aKey(nexkit.database, id)
    await revokeApiKey(testAccounts(nexkit.database), id, { id: revoked.key.id, revokedBy: 'test' })
    const expired = await aKey(nexkit.database, id, { expiresAt: new Date(Date.now() - 1000) })
    const elsewhere = await aKey(nexkit.database, id, { allowedIps: ['198.51.100.0/24'] })
    const lastCharacter = good.token.endsWith('0') ? '1' : '0'
    const authorizations = [
      null,
      'Bearer',
      `Basic ${Buffer.from(`${good.token}:`).toString('base64')}`,
      `Bearer ${good.key.key_prefix}`,
      `Bearer ${good.key.key_prefix}…`.replace('…', '%E2%80%A6'),
      `Bearer ${good.token.slice(0, -1)}${lastCharacter}`,
      `Bearer ${createToken('live').token}`,
      `Bearer ${revoked.token}`,
      `Bearer ${expired.token}`,
      `Bearer ${elsewhere.token}`,
      `Bearer ${good.token.toUpperCase()}`,
    ]
    const bodies = new Set<string>()
    for (const authorization of authorizations) {
      const response = await nexkit.call('/api/public/v1/me', {
        headers: authorization === null ? {} : { authorization },
      })
      expect([authorization, response.status]).toEqual([authorization, 401])
      const requestId = response.headers.get('x-request-id') as string
      bodies.add((await response.text()).replace(requestId, 'REQUEST_ID'))
    }
    expect(bodies.size).toBe(1)
    expect((await nexkit.call('/api/public/v1/me', { token: good.token })).status).toBe(200)
  })

  test('a key in the query or in another header is no key', async () => {
    const { id } = await anOrganization(nexkit.database)
    const { token } = await aKey(nexkit.database, id)
    expect((await nexkit.call(`/public/v1/me?token=${token}`)).status).toBe(401)
    expect((await nexkit.call('/public/v1/me', { headers: { 'x-api-key': token } })).status).toBe(401)
  })

  test('a key is refused by the dashboard API, whatever the method', async () => {
    const { id } = await anOrganization(nexkit.database)
    const { token } = await aKey(nexkit.database, id)
    for (const path of [
      '/api/auth/login',
      '/api/auth/session',
      '/api/proxy/anything',
      '/api/proxy/me',
      '/api/console/keys',
    ]) {
      for (const method of ['GET', 'POST']) expect((await nexkit.call(path, { token, method })).status).toBe(401)
    }
  })

  test('the owner finds the true reason in the request log', async () => {
    const { id } = await anOrganization(nexkit.database)
    const { token, key } = await aKey(nexkit.database, id, { expiresAt: new Date(Date.now() - 1000) })
    const response = await nexkit.call('/public/v1/me', { token })
    const requestId = response.headers.get('x-request-id')
    const find = () =>
      nexkit.database.maybeOne<{ kinds: string }>`
        select kinds from request_logs where org_id = ${id} and position(${requestId} in calls) > 0`
    await until(async () => (await find()) !== null)
    expect(JSON.parse((await find())?.kinds ?? '')).toMatchObject([{ auth_result: 'expired', caller_id: key.id }])
  })
})
