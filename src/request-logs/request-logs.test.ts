import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../test/support/database.ts'
import { anExchange } from '../../test/support/exchanges.ts'
import { firstIdAt, type Id, newId, type OrgId } from '../kernel/ids.ts'
import type { Exchange } from '../platform/http/pipeline/exchange.ts'
import { ensurePartitionsFor, prepareBatch, writeBatch } from './request-log-batch.ts'
import { createPages } from './request-log-pages.ts'
import { RequestLog, RequestLogSummary } from './request-logs.schemas.ts'
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

const callerOf = (orgId: OrgId, id: string): Exchange['caller'] => ({
  type: 'key',
  id,
  orgId,
  scopes: [],
  rateLimit: null,
  expiresAt: null,
})

type CallFields = Partial<Exchange> & { callerId?: string; route?: never; operation?: string }

const aCall = (orgId: OrgId, atMs: number, { callerId = 'key_a', operation = 'getMe', ...fields }: CallFields = {}) =>
  anExchange({
    requestId: idAt(atMs),
    startedAtMs: atMs,
    route: { id: operation, path: '/me' } as never,
    caller: callerOf(orgId, callerId),
    responseBytes: 10,
    ...fields,
  })

async function store(calls: Exchange[]): Promise<void> {
  const pages = createPages({ callsMax: 1e6, bytesMax: 1e9, pageCallsMax: 1e6 })
  for (const call of calls) pages.add(call)
  for (let page = pages.take(); page !== null; page = pages.take())
    expect(await writeBatch(db.database, await prepareBatch(page))).toMatchObject({ written: page.calls, refused: 0 })
}

describe('a list', () => {
  const orgId = newId('org')
  const calls = [
    aCall(orgId, noon, {
      path: '/chats/0812',
      fullPath: '/api/public/v1/chats/0812',
      query: 'limit=5',
      address: '198.51.100.1',
    }),
    aCall(orgId, noon + SECOND_MS, {
      method: 'POST',
      operation: 'sendMessage',
      status: 201,
      requestBody: '{"body":"Halo 100%_\\\\ kak"}',
    }),
    aCall(orgId, noon + 2 * SECOND_MS, {
      status: 404,
      errorCode: 'order_not_found',
      responseBody: '{"code":"order_not_found"}',
    }),
    aCall(orgId, noon + 3 * SECOND_MS, {
      status: 500,
      errorCode: 'internal_error',
      callerId: 'key_b',
      clientRequestId: 'mine-7',
    }),
    aCall(orgId, noon + 4 * SECOND_MS, { status: 304, userAgent: 'Other/2' }),
  ]
  const [chats, message, notFound, failed, notModified] = calls.map((call) => call.requestId) as [
    string,
    string,
    string,
    string,
    string,
  ]
  const everything = [notModified, failed, notFound, message, chats]

  beforeAll(() => store([...calls, aCall(newId('org'), noon + SECOND_MS, { status: 500, callerId: 'key_b' })]))

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

  test('is in one order although several processes wrote calls of the same moment', async () => {
    const shared = newId('org')
    const mixed = Array.from({ length: 40 }, (_, count) => aCall(shared, noon + 40 * count))
    await store(mixed.filter((_, index) => index % 2 === 0))
    await store(mixed.filter((_, index) => index % 2 === 1).toReversed())
    const seen: string[] = []
    for (let beforeId: string | null | undefined; beforeId !== null; ) {
      const page = await listRequestLogs(db.database, shared, {}, { limit: 3, ...(beforeId && { beforeId }) })
      seen.push(...page.logs.map((log) => log.id))
      beforeId = page.nextBeforeId
    }
    expect(seen).toEqual(mixed.map((call) => call.requestId as string).toReversed())
    const middle = mixed[17]?.requestId as string
    expect((await getRequestLog(db.database, shared, middle))?.id).toBe(middle)
  })

  test('shows what the schema promises and nothing else', async () => {
    const { logs } = await listRequestLogs(db.database, orgId, {}, { limit: 25 })
    for (const log of logs) expect(RequestLogSummary.strict().parse(log)).toEqual(log)
  })
})

describe('a search for something rare', () => {
  const orgId = newId('org')
  const rare = [50, 30_000, 44_000].map((second) =>
    aCall(orgId, noon - 50_000 * SECOND_MS + second * SECOND_MS, { callerId: 'key_rare', status: 409 }),
  )

  beforeAll(async () => {
    const common = Array.from({ length: 45_000 }, (_, second) =>
      aCall(orgId, noon - 50_000 * SECOND_MS + second * SECOND_MS),
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

  test('ends over any number of rows, and finds each match once', async () => {
    const expected = rare.map((call) => call.requestId).toReversed()
    expect(await searchToTheEnd({ callerId: 'key_rare' }, 25)).toEqual(expected)
    expect(await searchToTheEnd({ callerId: 'key_rare' }, 1)).toEqual(expected)
    expect(await searchToTheEnd({ status: 409 }, 2)).toEqual(expected)
    expect(await searchToTheEnd({ text: 'nowhere' }, 2)).toEqual([])
  })
})

describe('one call', () => {
  test('is shown with both sides, to its organization only', async () => {
    const orgId = newId('org')
    const call = aCall(orgId, noon, {
      method: 'POST',
      status: 422,
      requestBody: '{"a":1}',
      responseBody: '{"b":2}',
      errorDetail: 'why',
      requestBytes: 7,
    })
    await store([call])
    const log = await getRequestLog(db.database, orgId, call.requestId)
    expect(log).toMatchObject({
      id: call.requestId,
      at: '2026-11-14T12:00:00.000Z',
      caller: { type: 'key', id: 'key_a' },
      operation: 'getMe',
      error_detail: 'why',
      request: { bytes: 7, body: '{"a":1}', is_cut: false },
      response: { bytes: 10, body: '{"b":2}', is_cut: false },
    })
    expect(RequestLog.strict().parse(log)).toEqual(log as RequestLog)
    expect(await getRequestLog(db.database, newId('org'), call.requestId)).toBeNull()
    expect(await getRequestLog(db.database, orgId, 'req_nonsense')).toBeNull()
  })
})

describe('a live tail', () => {
  test('shows calls whose row came late, although a newer one was seen', async () => {
    const orgId = newId('org')
    const slow = aCall(orgId, noon + SECOND_MS)
    const quick = aCall(orgId, noon + 5 * SECOND_MS)
    const old = aCall(orgId, noon - 60 * SECOND_MS)
    await store([quick, old])
    const first = await latestRequestLogs(db.database, orgId, null)
    expect(first.map((log) => log.id)).toEqual([quick.requestId, old.requestId])
    await store([slow])
    const next = await latestRequestLogs(db.database, orgId, quick.requestId)
    expect(next.map((log) => log.id)).toEqual([quick.requestId, slow.requestId])
  })
})
