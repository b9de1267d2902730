import { describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { openDatabase } from '../database/database.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { createOperatingSite, type OperatingSiteOptions } from './operating-site.ts'

const db = useTestDatabase()

const site = (overrides: Partial<OperatingSiteOptions> = {}) =>
  createOperatingSite({
    database: db.database,
    migrations: db.migrations,
    metrics: createMetrics(),
    metricsToken: null,
    docsUrl: 'http://localhost/docs',
    version: '1.2.3',
    ...overrides,
  })

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Request(`http://localhost${path}`, { headers, method })

describe('health', () => {
  test('a process that is up is healthy, whatever its database does', async () => {
    const response = await site().fetch(get('/healthz'), '203.0.113.1')
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok', version: '1.2.3' }])
  })

  test('ready needs a reachable, migrated database', async () => {
    expect((await site().fetch(get('/readyz'), '')).status).toBe(200)
    const away = openDatabase({ url: 'postgres://unknown@127.0.0.1:1/nothing', connectTimeoutSeconds: 1 })
    const response = await site({ database: away }).fetch(get('/readyz'), '')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await response.json()).toEqual({ status: 'database_unreachable' })
    const newer = [
      ...db.migrations,
      { version: 9999, name: '9999_new', text: '', checksum: '', isBreaking: false, isBaseline: false },
    ]
    expect(await (await site({ migrations: newer }).fetch(get('/readyz'), '')).json()).toEqual({
      status: 'not_migrated',
      pending: ['9999_new'],
    })
    await away.close()
  })

  test('ready needs a database that takes writes', async () => {
    const url = new URL(db.url)
    url.searchParams.set('default_transaction_read_only', 'on')
    const readOnly = openDatabase({ url: url.href, connectionsMax: 1 })
    const response = await site({ database: readOnly }).fetch(get('/readyz'), '')
    expect([response.status, await response.json()]).toEqual([503, { status: 'database_read_only' }])
    await readOnly.close()
  })

  test('a process that drains is not ready, but healthy', async () => {
    const draining = site()
    draining.beginDrain()
    expect((await draining.fetch(get('/readyz'), '')).status).toBe(503)
    expect((await draining.fetch(get('/healthz'), '')).status).toBe(200)
  })

  test('a process that a balancer checks serves on until the balancer was refused three times, and one that none checks does not', async () => {
    const [watched, alone] = [site(), site()]
    for (let check = 0; check < 4; check++) await watched.fetch(get('/readyz'), '')
    await alone.fetch(get('/readyz'), '')
    const startedMs = performance.now()
    let isNoticed = false
    const noticed = watched.beginDrain().then(() => {
      isNoticed = true
    })
    await alone.beginDrain()
    expect(isNoticed).toBe(false)
    for (let check = 0; check < 3; check++) expect((await watched.fetch(get('/readyz'), '')).status).toBe(503)
    await noticed
    expect(performance.now() - startedMs).toBeGreaterThan(1_000)
  })
})

describe('metrics', () => {
  test('are for loopback only, unless a token is set and sent', async () => {
    const token = 'a-token-of-some-length'
    const status = async (address: string, headers: Record<string, string> = {}, metricsToken: string | null = token) =>
      (await site({ metricsToken }).fetch(get('/metrics', headers), address)).status
    expect(await status('127.0.0.1')).toBe(200)
    expect(await status('::1')).toBe(200)
    expect(await status('203.0.113.1')).toBe(401)
    expect(await status('203.0.113.1', { authorization: `Bearer ${token}` })).toBe(200)
    expect(await status('203.0.113.1', { authorization: 'Bearer wrong' })).toBe(401)
    expect(await status('203.0.113.1', { authorization: 'Bearer null' }, null)).toBe(401)
    expect(await status('127.0.0.1', { 'x-forwarded-for': '203.0.113.1' })).toBe(401)
  })

  test('count requests by operation and status', async () => {
    const metrics = createMetrics()
    metrics.requestFinished('getMe', 200, 3)
    metrics.requestFinished('getMe', 401, 1)
    const text = await (await site({ metrics }).fetch(get('/metrics'), '127.0.0.1')).text()
    expect(text).toContain('nexkit_http_requests_total{route="getMe",status="200"} 1')
    expect(text).toContain('nexkit_http_request_duration_seconds_count{route="getMe"} 2')
    expect(text).toContain('process_resident_memory_bytes')
  })
})

test('another path is a problem document, another method a 405', async () => {
  expect((await site().fetch(get('/nothing'), '')).status).toBe(404)
  const response = await site().fetch(get('/healthz', {}, 'POST'), '')
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})
