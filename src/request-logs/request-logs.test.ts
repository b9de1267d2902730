import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../test/support/database.ts'
import { firstIdAt, type Id, newId } from '../kernel/ids.ts'
import type { RequestLogEntry } from './request-log-entry.ts'
import { lineOf } from './request-log-line.ts'
import { ensurePartitionsFor } from './request-log-partitions.ts'
import { RequestLog, RequestLogSummary } from './request-logs.schemas.ts'
import { copyRequestLogs } from './request-logs.sql.ts'
import { getRequestLog, latestRequestLogs, listRequestLogs, type RequestLogFilters } from './request-logs.ts'

const db = useTestDatabase()
const noon = Date.parse('2026-11-14T12:00:00Z')
const SECOND_MS = 1000

beforeAll(() => ensurePartitionsFor(db.database, [firstIdAt('req', new Date(noon))]))

let counter = 0
const idAt = (ms: number): Id<'req'> => {
  counter += 1
  return `${firstIdAt('req', new Date(ms)).slice(0, 14)}${String(counter).padStart(16, '0')}` as Id<'req'>
}

const anEntry = (orgId: string, atMs: number, fields: Partial<RequestLogEntry> = {}): RequestLogEntry => ({
  id: idAt(atMs),
  orgId,
  callerType: 'key',
  callerId: 'key_a',
  authResult: 'ok',
  method: 'GET',
  route: 'getMe',
  path: '/me',
  fullPath: '/api/public/v1/me',
  isFixedPath: false,
  query: '',
  status: 200,
  errorCode: null,
  errorDetail: null,
  durationUs: 2000,
  address: '203.0.113.7',
  userAgent: 'shop/1.0',
  clientRequestId: null,
  requestBytes: 0,
  responseBytes: 10,
  idempotencyKey: null,
  isReplayed: false,
  requestBody: null,
  responseBody: null,
  ...fields,
})

const store = (entries: RequestLogEntry[]) => copyRequestLogs(db.database, entries.map(lineOf).join(''))

describe('a list', () => {
  const orgId = newId('org')
  const entries = [
    anEntry(orgId, noon, { path: '/chats/0812', query: 'limit=5', address: '198.51.100.1' }),
    anEntry(orgId, noon + SECOND_MS, {
      method: 'POST',
      route: 'sendMessage',
      status: 201,
      requestBody: '{"body":"Halo 100%_\\\\ kak"}',
    }),
    anEntry(orgId, noon + 2 * SECOND_MS, {
      status: 404,
      errorCode: 'order_not_found',
      responseBody: '{"code":"order_not_found"}',
    }),
    anEntry(orgId, noon + 3 * SECOND_MS, {
      status: 500,
      errorCode: 'internal_error',
      callerId: 'key_b',
      clientRequestId: 'mine-7',
    }),
    anEntry(orgId, noon + 4 * SECOND_MS, { status: 304, userAgent: 'Other/2' }),
  ]
  const [chats, message, notFound, failed, notModified] = entries.map((entry) => entry.id) as [
    string,
    string,
    string,
    string,
    string,
  ]
  const everything = [notModified, failed, notFound, message, chats]

  beforeAll(() => store([...entries, anEntry(newId('org'), noon + SECOND_MS, { status: 500, callerId: 'key_b' })]))

  const ids = async (filters: RequestLogFilters, asOrg = orgId) =>
    (await listRequestLogs(db.database, asOrg, filters, { limit: 25 })).logs.map((log) => log.id as string)

  test('is newest first, and of one organization alone', async () => {
    expect(await ids({})).toEqual(everything)
    expect(await ids({}, newId('org'))).toEqual([])
  })

  test('is filtered by each field', async () => {
    const cases: [RequestLogFilters, string[]][] = [
      [{ status: 404 }, [notFound]],
      [{ status: '2xx' }, [message, chats]],
      [{ status: '5xx' }, [failed]],
      [{ statusMin: 400 }, [failed, notFound]],
      [{ statusMin: 300 }, [notModified, failed, notFound]],
      [{ status: '4xx', statusMin: 500 }, []],
      [{ errorCode: 'order_not_found' }, [notFound]],
      [{ callerId: 'key_b' }, [failed]],
      [{ route: 'sendMessage' }, [message]],
      [{ method: 'post' }, [message]],
      [{ address: '198.51.100.1' }, [chats]],
      [{ requestId: notFound }, [notFound]],
      [{ requestId: 'mine-7' }, [failed]],
      [{ callerId: 'key_a', status: '4xx' }, [notFound]],
      [{ since: new Date(noon + 3 * SECOND_MS) }, [notModified, failed]],
      [{ since: new Date(noon), until: new Date(noon + SECOND_MS) }, [chats]],
    ]
    for (const [filters, expected] of cases)
      expect({ filters, ids: await ids(filters) }).toEqual({ filters, ids: expected })
  })

  test('is searched for text in path, query, user agent and bodies, taken literally', async () => {
    const cases: [string, string[]][] = [
      ['/CHATS/', [chats]],
      ['limit=5', [chats]],
      ['other/', [notModified]],
      ['halo', [message]],
      ['100%_\\\\', [message]],
      ['1%k', []],
      ['ORDER_not_found', [notFound]],
      ['order-not', []],
      ['nul \0', []],
      ['', everything],
    ]
    for (const [text, expected] of cases) expect({ text, ids: await ids({ text }) }).toEqual({ text, ids: expected })
  })

  test('goes on from page to page without gap or repetition', async () => {
    const seen: string[] = []
    let beforeId: string | null = null
    do {
      const page = await listRequestLogs(db.database, orgId, {}, { limit: 2, ...(beforeId !== null && { beforeId }) })
      expect(page.logs.length).toBeLessThanOrEqual(2)
      seen.push(...page.logs.map((log) => log.id))
      beforeId = page.nextBeforeId
    } while (beforeId !== null)
    expect(seen).toEqual(everything)
  })

  test('shows what the schema promises and nothing else', async () => {
    const { logs } = await listRequestLogs(db.database, orgId, {}, { limit: 25 })
    for (const log of logs) expect(RequestLogSummary.strict().parse(log)).toEqual(log)
  })
})

describe('a search for something rare', () => {
  const orgId = newId('org')
  const rare = [50, 30_000, 44_000].map((second) =>
    anEntry(orgId, noon - 50_000 * SECOND_MS + second * SECOND_MS, { callerId: 'key_rare', status: 409 }),
  )

  beforeAll(async () => {
    const common = Array.from({ length: 45_000 }, (_, second) =>
      anEntry(orgId, noon - 50_000 * SECOND_MS + second * SECOND_MS),
    )
    await store([...common, ...rare])
  })

  const searchToTheEnd = async (filters: RequestLogFilters, limit: number) => {
    const found: string[] = []
    let beforeId: string | null = null
    do {
      const page = await listRequestLogs(db.database, orgId, filters, { limit, ...(beforeId !== null && { beforeId }) })
      found.push(...page.logs.map((log) => log.id))
      if (page.nextBeforeId !== null) expect(page.searchedTo?.getTime()).toBeLessThan(noon)
      beforeId = page.nextBeforeId
    } while (beforeId !== null)
    return found
  }

  test('comes to its end over any number of rows, and finds each once', async () => {
    const expected = rare.map((entry) => entry.id).toReversed()
    expect(await searchToTheEnd({ callerId: 'key_rare' }, 25)).toEqual(expected)
    expect(await searchToTheEnd({ callerId: 'key_rare' }, 1)).toEqual(expected)
    expect(await searchToTheEnd({ status: 409 }, 2)).toEqual(expected)
    expect(await searchToTheEnd({ text: 'nowhere' }, 2)).toEqual([])
  })
})

describe('one call', () => {
  test('is shown with both sides, to its organization only', async () => {
    const orgId = newId('org')
    const entry = anEntry(orgId, noon, {
      method: 'POST',
      status: 422,
      requestBody: '{"a":1}',
      responseBody: '{"b":2}',
      errorDetail: 'why',
      requestBytes: 7,
    })
    await store([entry])
    const log = await getRequestLog(db.database, orgId, entry.id)
    expect(log).toMatchObject({
      id: entry.id,
      at: '2026-11-14T12:00:00.000Z',
      caller: { type: 'key', id: 'key_a' },
      operation: 'getMe',
      error_detail: 'why',
      request: { bytes: 7, body: '{"a":1}', is_cut: false },
      response: { bytes: 10, body: '{"b":2}', is_cut: false },
    })
    expect(RequestLog.strict().parse(log)).toEqual(log as RequestLog)
    expect(await getRequestLog(db.database, newId('org'), entry.id)).toBeNull()
    expect(await getRequestLog(db.database, orgId, 'req_nonsense')).toBeNull()
  })
})

describe('a live tail', () => {
  test('shows calls whose row came late, although a newer one was seen', async () => {
    const orgId = newId('org')
    const slow = anEntry(orgId, noon + SECOND_MS)
    const quick = anEntry(orgId, noon + 5 * SECOND_MS)
    const old = anEntry(orgId, noon - 60 * SECOND_MS)
    await store([quick, old])
    const first = await latestRequestLogs(db.database, orgId, null)
    expect(first.map((log) => log.id)).toEqual([quick.id, old.id])
    await store([slow])
    const next = await latestRequestLogs(db.database, orgId, quick.id)
    expect(next.map((log) => log.id)).toEqual([quick.id, slow.id])
  })
})
