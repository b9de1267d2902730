import { describe, expect, test } from 'bun:test'
import { createTestDatabase, useTestDatabase } from '../../../test/support/database.ts'
import { quietLog } from '../../../test/support/log.ts'
import { aKey, anOrganization, testAccounts } from '../../../test/support/makers.ts'
import { until } from '../../../test/support/until.ts'
import { fixedClock, systemClock } from '../../kernel/clock.ts'
import { openDatabase } from '../../platform/database/database.ts'
import { readMigrations } from '../../platform/database/migrate.ts'
import { createApiKeyCache } from './api-key-cache.ts'
import { createToken } from './api-key-token.ts'
import { apiKeyState, getApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './api-keys.ts'
import { createKeyAuthenticator } from './authenticate.ts'
import { createLastUsed } from './last-used.ts'

const db = useTestDatabase()

const requestWith = (token: string) =>
  new Request('http://localhost/', { headers: { authorization: `Bearer ${token}` } })

/** One process as far as keys are concerned: its own connections, cache and listener. */
async function aProcess(options: { url?: string; clock?: typeof systemClock; quietMs?: number } = {}) {
  const database = openDatabase({ url: options.url ?? db.url, connectionsMax: 3 })
  const clock = options.clock ?? systemClock
  const cache = createApiKeyCache({
    database,
    log: quietLog,
    ...(options.quietMs !== undefined && { quietMs: options.quietMs }),
  })
  const lastUsed = createLastUsed({ database, clock, log: quietLog })
  await cache.start()
  const authenticate = createKeyAuthenticator({
    cache,
    lastUsed,
    clock,
    defaultRateLimit: { perSecond: 100, burst: 200 },
  })
  return {
    database,
    cache,
    lastUsed,
    verdict: async (token: string, address = '127.0.0.1') => {
      const result = await authenticate(requestWith(token), address)
      return result.ok ? 'accepted' : result.failure
    },
    async stop() {
      await cache.stop()
      await database.close()
    },
  }
}

describe('a key', () => {
  test('is stored as a hash: the token is in no column', async () => {
    const { id } = await anOrganization(db.database)
    const { token } = await aKey(db.database, id)
    const rows = await db.database.many<{ row: string }>`select api_keys::text as row from api_keys`
    expect(rows.some(({ row }) => row.includes(token) || row.includes(token.slice(-20)))).toBe(false)
  })

  test('works until it expires, to the moment', async () => {
    const { id } = await anOrganization(db.database)
    const clock = fixedClock(Date.now())
    const { token } = await aKey(db.database, id, { expiresAt: new Date(clock.now() + 1000) })
    const process = await aProcess({ clock })
    expect(await process.verdict(token)).toBe('accepted')
    clock.advance(1000)
    expect(await process.verdict(token)).toBe('expired')
    await process.stop()
  })

  test('may be bound to addresses', async () => {
    const { id } = await anOrganization(db.database)
    const { token } = await aKey(db.database, id, { allowedIps: ['203.0.113.0/24', '2001:db8::/32'] })
    const process = await aProcess()
    expect(await process.verdict(token, '203.0.113.7')).toBe('accepted')
    expect(await process.verdict(token, '2001:db8::1')).toBe('accepted')
    expect(await process.verdict(token, '198.51.100.7')).toBe('address_not_allowed')
    await process.stop()
  })

  test('of another organization is neither found nor revoked', async () => {
    const [one, other] = [await anOrganization(db.database), await anOrganization(db.database)]
    const { key } = await aKey(db.database, one.id)
    await expect(getApiKey(db.database, other.id, key.id)).rejects.toThrow('no API key')
    await expect(revokeApiKey(testAccounts(db.database), other.id, { id: key.id, revokedBy: 'test' })).rejects.toThrow(
      'no API key',
    )
    expect(await listApiKeys(db.database, other.id)).toEqual([])
  })
})

describe('rotation', () => {
  test('creates a successor with the same rights and keeps the old key for the overlap only', async () => {
    const { id } = await anOrganization(db.database)
    const clock = fixedClock(Date.now())
    const old = await aKey(db.database, id, {
      name: 'Shop',
      scopes: ['orders:read'],
      rateLimit: 7,
      allowedIps: ['127.0.0.0/8'],
    })
    const { token, key, predecessor } = await rotateApiKey(testAccounts(db.database, clock), id, {
      id: old.key.id,
      overlapSeconds: 60,
      createdBy: 'test',
    })
    expect(key).toMatchObject({ name: 'Shop', scopes: ['orders:read'], rate_limit: 7, allowed_ips: ['127.0.0.0/8'] })
    expect(apiKeyState(predecessor, clock.now())).toBe('retiring')
    const process = await aProcess({ clock })
    expect([await process.verdict(old.token), await process.verdict(token)]).toEqual(['accepted', 'accepted'])
    clock.advance(60_000)
    expect([await process.verdict(old.token), await process.verdict(token)]).toEqual(['expired', 'accepted'])
    await process.stop()
  })

  test('without overlap stops the old key now', async () => {
    const { id } = await anOrganization(db.database)
    const old = await aKey(db.database, id)
    await rotateApiKey(testAccounts(db.database, systemClock), id, {
      id: old.key.id,
      overlapSeconds: 0,
      createdBy: 'test',
    })
    const process = await aProcess()
    expect(await process.verdict(old.token)).toBe('expired')
    await process.stop()
  })

  test('never lengthens the life of the old key', async () => {
    const { id } = await anOrganization(db.database)
    const expiresAt = new Date(Date.now() + 10_000)
    const old = await aKey(db.database, id, { expiresAt })
    const { predecessor } = await rotateApiKey(testAccounts(db.database, systemClock), id, {
      id: old.key.id,
      overlapSeconds: 3600,
      createdBy: 'test',
    })
    expect(predecessor.expires_at).toEqual(expiresAt)
    expect((await getApiKey(db.database, id, old.key.id)).expires_at).toEqual(expiresAt)
  })

  test('of a key that was rotated or revoked is refused; of two at once one succeeds', async () => {
    const { id } = await anOrganization(db.database)
    const { key } = await aKey(db.database, id)
    const rotate = () =>
      rotateApiKey(testAccounts(db.database, systemClock), id, { id: key.id, overlapSeconds: 0, createdBy: 'test' })
    const outcomes = await Promise.allSettled([rotate(), rotate()])
    expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('revocation', () => {
  test('reaches another process within a second, by notification', async () => {
    const { id } = await anOrganization(db.database)
    const { token, key } = await aKey(db.database, id)
    const other = await aProcess()
    expect(await other.verdict(token)).toBe('accepted')
    await revokeApiKey(testAccounts(db.database), id, { id: key.id, revokedBy: 'test' })
    const revokedAt = performance.now()
    await until(async () => (await other.verdict(token)) === 'revoked')
    expect(performance.now() - revokedAt).toBeLessThan(1000)
    await other.stop()
  })

  test('reaches another process within a second although its notifications are lost', async () => {
    const { id } = await anOrganization(db.database)
    const { token, key } = await aKey(db.database, id)
    const other = await aProcess()
    expect(await other.verdict(token)).toBe('accepted')
    // A change without a notification: only the revision shows it.
    await db.database.transaction(async (tx) => {
      await tx.run`update api_keys set revoked_at = now() where org_id = ${id} and id = ${key.id}`
      await tx.run`update account_revisions set revision = revision + 1`
    })
    const revokedAt = performance.now()
    await until(async () => (await other.verdict(token)) === 'revoked')
    expect(performance.now() - revokedAt).toBeLessThan(1000)
    await other.stop()
  })

  test('a cache that cannot prove itself is not used', async () => {
    const own = await createTestDatabase()
    const { id } = await anOrganization(own.database)
    const { token } = await aKey(own.database, id)
    const other = await aProcess({ url: own.url })
    expect(await other.verdict(token)).toBe('accepted')
    expect(other.cache.stats().isProven).toBe(true)
    await own.database.script('alter table account_revisions rename to account_revisions_gone')
    await until(() => !other.cache.stats().isProven)
    const missesBefore = other.cache.stats().misses
    expect(await other.verdict(token)).toBe('accepted')
    expect(other.cache.stats().misses).toBe(missesBefore + 1)
    await other.stop()
    await own.close()
  })

  test('is seen by the first request after a quiet time, when nothing was compared', async () => {
    const { id } = await anOrganization(db.database)
    const { token, key } = await aKey(db.database, id)
    const other = await aProcess({ quietMs: 0 })
    expect(await other.verdict(token)).toBe('accepted')
    await until(() => !other.cache.stats().isProven)
    await db.database.transaction(async (tx) => {
      await tx.run`update api_keys set revoked_at = now() where org_id = ${id} and id = ${key.id}`
      await tx.run`update account_revisions set revision = revision + 1`
    })
    expect(await other.verdict(token)).toBe('revoked')
    await until(() => other.cache.stats().isProven)
    await other.stop()
  })

  test('twice is the same as once', async () => {
    const { id } = await anOrganization(db.database)
    const { key } = await aKey(db.database, id)
    const first = await revokeApiKey(testAccounts(db.database), id, { id: key.id, revokedBy: 'test' })
    const second = await revokeApiKey(testAccounts(db.database), id, { id: key.id, revokedBy: 'test' })
    expect(second.revoked_at).toEqual(first.revoked_at)
  })
})

test('a known key costs no query', async () => {
  const { id } = await anOrganization(db.database)
  const { token } = await aKey(db.database, id)
  const process = await aProcess()
  await process.verdict(token)
  const { misses } = process.cache.stats()
  for (let round = 0; round < 100; round++) await process.verdict(token)
  expect(process.cache.stats().misses).toBe(misses)
  await process.stop()
})

test('a known key costs no query when a key of another organization was revoked', async () => {
  const [busy, other] = [await anOrganization(db.database), await anOrganization(db.database)]
  const { token } = await aKey(db.database, busy.id)
  const process = await aProcess()
  await process.verdict(token)
  const missesAfterChange = async () => {
    const revoked = await aKey(db.database, other.id)
    expect(await process.verdict(revoked.token)).toBe('accepted')
    await revokeApiKey(testAccounts(db.database), other.id, { id: revoked.key.id, revokedBy: 'test' })
    await until(async () => (await process.verdict(revoked.token)) === 'revoked')
    const { misses } = process.cache.stats()
    await process.verdict(token)
    return process.cache.stats().misses - misses
  }
  // Where the poll reads the revision before the notification arrives, all keys are dropped.
  await until(async () => (await missesAfterChange()) === 0)
  await process.stop()
})

test('a key works in a process that refused its token just before the key was created', async () => {
  const process = await aProcess()
  const { id } = await anOrganization(db.database)
  const { token } = await aKey(db.database, id)
  expect(await process.verdict(createToken('live').token)).toBe('unknown')
  await until(async () => (await process.verdict(token)) === 'accepted')
  await process.stop()
})

test('last use is written later, and never moves back', async () => {
  const { id } = await anOrganization(db.database)
  const { token, key } = await aKey(db.database, id)
  const clock = fixedClock(Date.now())
  const process = await aProcess({ clock })
  await process.verdict(token, '203.0.113.5')
  expect((await getApiKey(db.database, id, key.id)).last_used_at).toBeNull()
  await process.lastUsed.flush()
  expect((await getApiKey(db.database, id, key.id)).last_used_at).toEqual(new Date(clock.now()))
  const slower = createLastUsed({ database: db.database, clock: fixedClock(clock.now() - 5000), log: quietLog })
  slower.note(id, key.id, '203.0.113.6')
  await slower.flush()
  expect((await getApiKey(db.database, id, key.id)).last_used_at).toEqual(new Date(clock.now()))
  await process.stop()
})

test('a program older than agents refuses to start because it would accept agent tokens as plain keys', async () => {
  const migrations = await readMigrations('migrations')
  expect(migrations.find(({ text }) => text.includes('add column agent_id'))).toMatchObject({ isBreaking: true })
})
