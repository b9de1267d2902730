import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { onOnePostgres } from '../../test/support/cluster.ts'
import { useTestDatabase } from '../../test/support/database.ts'
import { anExchange } from '../../test/support/exchanges.ts'
import { quietLog } from '../../test/support/log.ts'
import { measureProcessorMs } from '../../test/support/processor-time.ts'
import { createTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.ts'
import { until } from '../../test/support/until.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId, type OrgId } from '../kernel/ids.ts'
import { type Database, openDatabase } from '../platform/database/database.ts'
import type { Exchange } from '../platform/http/pipeline/exchange.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { ensurePartitionsFor } from './request-log-batch.ts'
import { type StoredCall, selectCalls } from './request-log-calls.ts'
import { NO_ORGANIZATION } from './request-log-pages.ts'
import { createRequestLogWriter, type RequestLogWriterOptions } from './request-log-writer.ts'
import type { BatchRow } from './request-logs.sql.ts'

const db = useTestDatabase()
const orgId = newId('org')
const keyId = newId('key')

type StoredRow = StoredCall & { org_id: OrgId }

beforeAll(() => ensurePartitionsFor(db.database, [newId('req')]))
beforeEach(() => db.database.script('truncate request_logs'))

const aWriter = (options: Partial<RequestLogWriterOptions> = {}) =>
  createRequestLogWriter({ database: db.database, clock: systemClock, log: quietLog, ...options })

const caller = { type: 'key', id: keyId, orgId, scopes: [], rateLimit: null, expiresAt: null } as const

const aCall = (fields: Partial<Exchange> = {}) =>
  anExchange({ caller, responseBytes: 12, responseBody: '{"ok":true}', ...fields })

const everyId = { fromId: '', beforeId: '~' }
const everyCall = { isKindWanted: () => true, isCallWanted: () => true }

async function rows(): Promise<StoredRow[]> {
  const batchRows = await db.database.many<BatchRow & { org_id: OrgId; call_count: number; error_count: number }>`
    select org_id, id, call_count, error_count, kinds, calls, bodies from request_logs`
  const stored = batchRows.flatMap((row) => {
    const calls = selectCalls(row, everyId, everyCall)
    expect(row).toMatchObject({
      call_count: calls.length,
      error_count: calls.filter((call) => call.status >= 400).length,
      id: calls
        .map((call) => call.id)
        .toSorted()
        .at(-1) as string,
    })
    return calls.map((call) => ({ ...call, org_id: row.org_id }))
  })
  return stored.sort((one, other) => (one.id < other.id ? -1 : 1))
}

async function store(...exchanges: Exchange[]): Promise<StoredRow[]> {
  const writer = aWriter()
  for (const exchange of exchanges) writer.record(exchange)
  await writer.flush()
  return rows()
}

function recordingLog() {
  const lines: string[] = []
  const note = (level: string) => (_: object, message: string) => void lines.push(`${level}: ${message}`)
  return { lines, log: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') } as Log }
}

describe('a stored call', () => {
  test('has every field in its place', async () => {
    const exchange = aCall({
      method: 'POST',
      route: { id: 'sendMessage' } as never,
      path: '/messages',
      fullPath: '/public/v1/messages',
      query: 'a=1',
      status: 422,
      errorCode: 'validation_failed',
      errorDetail: 'two\tfields\nare \\ wrong',
      clientRequestId: 'client-1',
      idempotencyKey: 'idem-1',
      isReplayed: true,
      requestBytes: 17,
      responseBytes: 99,
      requestHeaders: new Headers({
        Authorization: 'Bearer nxk_live_abcdefgh',
        'X-Functions-Key': 'k',
        'Idempotency-Key': 'idem-1',
      }),
      requestBody: '{"to":"+62812"}',
      responseHeaders: new Headers({ 'Content-Type': 'application/problem+json', 'Set-Cookie': 'session=1' }),
      responseBody: '{"code":"validation_failed"}',
    })
    expect(await store(exchange)).toEqual([
      {
        org_id: orgId,
        id: exchange.requestId,
        caller_type: 'key',
        caller_id: keyId,
        auth_result: 'ok',
        method: 'POST',
        route: 'sendMessage',
        base_path: '/public/v1',
        path: '/messages',
        query: 'a=1',
        status: 422,
        error_code: 'validation_failed',
        error_detail: 'two\tfields\nare \\ wrong',
        duration_us: 1500,
        address: '203.0.113.7',
        user_agent: 'shop/1.0',
        client_request_id: 'client-1',
        request_bytes: 17,
        response_bytes: 99,
        idempotency_key: 'idem-1',
        is_replayed: true,
        request_headers: { authorization: '[masked]', 'idempotency-key': 'idem-1', 'x-functions-key': '[masked]' },
        request_body: '{"to":"+62812"}',
        is_request_body_cut: false,
        response_headers: { 'content-type': 'application/problem+json', 'set-cookie': '[masked]' },
        response_body: '{"code":"validation_failed"}',
        is_response_body_cut: false,
      },
    ])
  })

  test('belongs to the owner of a refused key, or to no organization when there is no key', async () => {
    const refused = { caller: null, status: 401, errorCode: 'unauthenticated' } as const
    const [expired, unknown, open] = await store(
      aCall({ ...refused, authenticationFailure: 'expired', failedKey: { orgId, caller } }),
      aCall({ ...refused, authenticationFailure: 'unknown' }),
      aCall({ caller: null, route: null, status: 404 }),
    )
    expect(expired).toMatchObject({ org_id: orgId, caller_type: 'key', caller_id: keyId, auth_result: 'expired' })
    expect(unknown).toMatchObject({
      org_id: NO_ORGANIZATION,
      caller_type: null,
      caller_id: null,
      auth_result: 'unknown',
    })
    expect(open).toMatchObject({ org_id: NO_ORGANIZATION, auth_result: 'none', route: null })
  })

  test('has bodies if it was a write or an error, and otherwise none', async () => {
    const bodies = { requestBody: '{"a":1}', responseBody: '{"b":2}' }
    const stored = await store(
      aCall({ ...bodies, method: 'GET', status: 200 }),
      aCall({ ...bodies, method: 'GET', status: 404 }),
      aCall({ ...bodies, method: 'POST', status: 201 }),
      aCall({ ...bodies, method: 'DELETE', status: 204, responseBody: null }),
    )
    expect(stored.map((row) => [row.request_body, row.response_body])).toEqual([
      [null, null],
      ['{"a":1}', '{"b":2}'],
      ['{"a":1}', '{"b":2}'],
      ['{"a":1}', null],
    ])
  })

  test('has at most 8 KiB of a body, and says when that is not all', async () => {
    const stored = await store(
      aCall({ method: 'POST', requestBody: 'é'.repeat(4096), responseBody: `x${'é'.repeat(4096)}` }),
      aCall({ method: 'POST', requestBody: '🙂'.repeat(100_000), responseBody: `"${'a'.repeat(8191)}` }),
    )
    const bytes = (text: string | null) => Buffer.byteLength(text ?? '')
    expect(stored.map((row) => [bytes(row.request_body), row.is_request_body_cut])).toEqual([
      [8192, false],
      [8192, true],
    ])
    expect(stored.map((row) => [bytes(row.response_body), row.is_response_body_cut])).toEqual([
      [8191, true],
      [8192, false],
    ])
  })

  test('shows no secret, not even one that the cut goes through', async () => {
    const secret = 'Ab3dQWXZQWXZQWXZQWXZQWXZQWXZQWXZQWXZQW'
    const token = `nxk_live_${secret}`
    const padding = (length: number) => JSON.stringify({ pad: 'p'.repeat(length) }).slice(0, -1)
    const exchanges = [8150, 8165, 8180, 12_270, 12_280].flatMap((length) => [
      aCall({
        method: 'POST',
        requestBody: `${padding(length)},"password":"${secret}"}`,
        responseBody: `${padding(length)},"x":"${token}"}`,
      }),
    ])
    exchanges.push(
      aCall({
        path: `/chats/${token}`,
        fullPath: `/api/public/v1/chats/${token}`,
        query: `q=${token}&secret=${secret}`,
        userAgent: `agent Bearer ${token}`,
        clientRequestId: token,
        idempotencyKey: token,
        errorDetail: `token=${secret}`,
        status: 500,
      }),
    )
    await store(...exchanges)
    const leaks = await db.database.many`select id from request_logs where request_logs::text ~ 'QW'`
    expect(leaks.length).toBe(0)
    expect((await rows()).length).toBe(exchanges.length)
  })

  test('may hold NUL and broken characters', async () => {
    const [row] = await store(
      aCall({ method: 'POST', requestBody: 'nul \u0000 lone \ud800 \\N', userAgent: '\\.', status: 400 }),
    )
    expect(row).toMatchObject({ request_body: 'nul \ufffd lone \ufffd \\N', user_agent: '\\.' })
  })
})

describe('writing', () => {
  test('starts without a flush: in full batches under load, otherwise after a moment', async () => {
    const writer = aWriter({ flushMs: 20 })
    writer.start()
    for (let count = 0; count < 4500; count++) writer.record(aCall())
    await until(() => writer.stats().written === 4500)
    writer.record(aCall())
    await until(() => writer.stats().written === 4501)
    await writer.stop()
    expect((await rows()).length).toBe(4501)
    expect(writer.stats()).toEqual({ queued: 0, written: 4501, dropped: 0 })
  })

  test('is finished by stop', async () => {
    const writer = aWriter({ flushMs: 60_000 })
    writer.start()
    for (let count = 0; count < 10; count++) writer.record(aCall())
    await writer.stop()
    expect((await rows()).length).toBe(10)
  })

  test('creates the partition that is missing', async () => {
    const dayMs = Date.parse('2031-03-01T12:00:00Z')
    const stored = await store(aCall({ requestId: 'req_01wdvm10r0e008000000000000', startedAtMs: dayMs }), aCall())
    expect(stored.length).toBe(2)
  })

  test('gives up what the database refuses, and nothing else', async () => {
    const { lines, log } = recordingLog()
    const writer = aWriter({ log })
    const bad = [3, 77].map(() => aCall({ caller: { ...caller, orgId: 'org_\0' } }))
    const other = { ...caller, orgId: newId('org') }
    for (let count = 0; count < 100; count++) writer.record(aCall())
    for (const exchange of bad) writer.record(exchange)
    for (let count = 0; count < 50; count++) writer.record(aCall({ caller: other }))
    await writer.flush()
    expect((await rows()).length).toBe(150)
    expect(writer.stats()).toEqual({ queued: 0, written: 150, dropped: 2 })
    expect(lines.length).toBe(1)
  })

  onOnePostgres('its copy is part of a transaction')(
    'stores a call once although the connection broke after the commit',
    async () => {
      let copies = 0
      const database: Database = {
        ...db.database,
        async copy(text, lines) {
          await db.database.copy(text, lines)
          copies += 1
          if (copies === 1) throw Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' })
        },
      }
      const writer = aWriter({ database })
      for (let count = 0; count < 5; count++) writer.record(aCall())
      await writer.flush()
      expect(writer.stats()).toEqual({ queued: 5, written: 0, dropped: 0 })
      await writer.flush()
      expect(writer.stats()).toEqual({ queued: 0, written: 5, dropped: 0 })
      expect((await rows()).length).toBe(5)
    },
  )
})

describe('while the database is away', () => {
  /** Connected, and aware of a cluster, as the database of a server is. */
  async function openThrough({ url }: TcpProxy): Promise<Database> {
    const database = openDatabase({ url, connectionsMax: 2 })
    await database.lookForShards()
    return database
  }

  test('the newest calls are kept, the log reports it once, and writing resumes afterwards', async () => {
    const proxy = await createTcpProxy(db.url)
    const database = await openThrough(proxy)
    const { lines, log } = recordingLog()
    const writer = aWriter({ database, log, flushMs: 5, queueCallsMax: 20, batchCallsMax: 10 })
    writer.start()
    writer.record(aCall())
    await until(() => writer.stats().written === 1)
    await proxy.cut()
    const lost = Array.from({ length: 60 }, () => aCall())
    for (const exchange of lost) {
      writer.record(exchange)
      await Promise.resolve()
    }
    await until(() => lines.length > 0)
    expect(writer.stats().queued).toBeLessThanOrEqual(30)
    await proxy.restore()
    await until(() => writer.stats().queued === 0)
    const { written, dropped } = writer.stats()
    expect(written + dropped).toBe(61)
    expect(dropped).toBeGreaterThanOrEqual(30)
    const stored = (await rows()).map((row) => row.id)
    expect(stored).toHaveLength(written)
    expect(stored.slice(-20)).toEqual(lost.slice(-20).map((exchange) => exchange.requestId))
    expect(lines).toEqual([
      'warn: request logs cannot be written as they come; the newest are kept in memory and the oldest dropped',
      'info: request logs are written again',
    ])
    await writer.stop()
    await database.close()
    await proxy.cut()
  })

  test('recording costs no time and stopping takes no longer than it may', async () => {
    const proxy = await createTcpProxy(db.url)
    const database = await openThrough(proxy)
    proxy.silence()
    const writer = aWriter({ database, stopMsMax: 100 })
    writer.start()
    const exchanges = Array.from({ length: 1500 }, () => aCall())
    const recordingMs = measureProcessorMs(() => {
      for (const exchange of exchanges) writer.record(exchange)
    })
    const recordedAt = performance.now()
    await writer.stop()
    expect(recordingMs).toBeLessThan(100)
    // Without its limit a stop waits for the write until it counts as failed, which takes 30 s.
    expect(performance.now() - recordedAt).toBeLessThan(10_000)
    expect(writer.stats().dropped).toBe(1500)
    await proxy.cut()
    await writer.flush()
    await database.close()
  })
})
