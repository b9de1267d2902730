import { expect, test } from 'bun:test'
import { anExchange } from '../../test/support/exchanges.ts'
import { firstIdAt, type Id, newId } from '../kernel/ids.ts'
import type { Exchange } from '../platform/http/pipeline/exchange.ts'
import { prepareBatch } from './request-log-batch.ts'
import { selectCalls } from './request-log-calls.ts'
import { createPages, type Page, type Pages } from './request-log-pages.ts'

const aCall = (fields: Partial<Exchange> = {}) => anExchange({ startedAtMs: 0, userAgent: null, ...fields })

const everyId = { fromId: '', beforeId: '~' }
const everyCall = { isKindWanted: () => true, isCallWanted: () => true }

/** The batch rows that PostgreSQL would store for a page. */
async function rowsOf(page: Page | null) {
  const { lines } = await prepareBatch(page as Page)
  return lines.map(({ text }) => {
    expect(text.endsWith('\n')).toBe(true)
    const fields = text.slice(0, -1).split('\t')
    expect(fields).toHaveLength(7)
    const [orgId, id, callCount, , kinds, calls, bodies] = fields.map((field) =>
      field === '\\N' ? null : field.replaceAll('\\\\', '\\'),
    ) as [string, string, string, string, string, string, string | null]
    const stored = selectCalls({ kinds, calls, bodies }, everyId, everyCall)
    expect(stored).toHaveLength(Number(callCount))
    return { orgId, id, kinds: JSON.parse(kinds) as object[], calls: stored }
  })
}

const idsOn = async (page: Page | null): Promise<string[]> =>
  (await rowsOf(page)).flatMap(({ calls }) => calls.map((call) => call.id))

const addMany = (pages: Pages, count: number, fields: Partial<Exchange> = {}) => {
  const calls = Array.from({ length: count }, () => aCall(fields))
  const dropped = calls.map((call) => pages.add(call)).reduce((sum, next) => sum + next, 0)
  return { ids: calls.map((call): string => call.requestId), dropped }
}

test('calls are turned over in order, a page at a time', async () => {
  const pages = createPages({ callsMax: 100, bytesMax: 1e9, pageCallsMax: 4 })
  const { ids, dropped } = addMany(pages, 10)
  expect({ dropped, calls: pages.calls, count: pages.count, full: pages.fullCount }).toEqual({
    dropped: 0,
    calls: 10,
    count: 3,
    full: 2,
  })
  const taken = [await idsOn(pages.take()), await idsOn(pages.take()), await idsOn(pages.take())]
  expect(taken.flat()).toEqual(ids)
  expect(pages.take()).toBeNull()
  expect(pages.calls).toBe(0)
})

test('the oldest pages are dropped and counted when more calls wait than allowed', async () => {
  const pages = createPages({ callsMax: 12, bytesMax: 1e9, pageCallsMax: 4 })
  const { ids, dropped } = addMany(pages, 1000)
  expect(dropped).toBe(1000 - pages.calls)
  expect(pages.calls).toBeGreaterThan(8)
  expect(pages.calls).toBeLessThanOrEqual(12)
  expect(await idsOn(pages.take())).toEqual(ids.slice(dropped, dropped + 4))
})

test('old pages are dropped when the bodies that wait exceed the allowed bytes', () => {
  const pages = createPages({ callsMax: 1000, bytesMax: 4_000_000, pageCallsMax: 2 })
  const { dropped } = addMany(pages, 20, { method: 'POST', requestBody: 'x'.repeat(500_000) })
  expect(dropped).toBe(14)
})

test('a body that will not be stored does not wait either', () => {
  const pages = createPages({ callsMax: 1000, bytesMax: 1_000_000, pageCallsMax: 2 })
  expect(addMany(pages, 100, { query: 'a=1', responseBody: 'x'.repeat(500_000) }).dropped).toBe(0)
})

test('a page with much in it is full before its calls are', () => {
  const pages = createPages({ callsMax: 10_000, bytesMax: 1e9, pageCallsMax: 10_000 })
  addMany(pages, 30, { method: 'POST', requestBody: 'x'.repeat(200_000) })
  expect(pages.fullCount).toBe(2)
  addMany(pages, 5000, { query: 'é'.repeat(4000) })
  expect(pages.fullCount).toBeGreaterThan(4)
})

test('a batch row holds calls of one organization and one slot, and each of their kinds once', async () => {
  const pages = createPages({ callsMax: 1000, bytesMax: 1e9, pageCallsMax: 1000 })
  const at = (ms: number, count: number) => `${firstIdAt('req', new Date(ms)).slice(0, -2)}${count}0` as Id<'req'>
  const failedKey = { orgId: newId('org'), caller: { type: 'key' as const, id: newId('key') } }
  const slow = aCall({ requestId: at(1_024_000, 1) })
  const slower = aCall({ requestId: at(1_024_000, 2) })
  const quick = Array.from({ length: 5 }, (_, count) => aCall({ requestId: at(2_048_000, count) }))
  const refused = aCall({ requestId: at(2_048_000, 6), failedKey })
  const failed = aCall({ requestId: at(2_048_000, 7), status: 500 })
  for (const call of [...quick, slow, refused, slower, failed]) pages.add(call)
  const rows = await rowsOf(pages.take())
  expect(rows.map(({ orgId, id, kinds, calls }) => [orgId, id, kinds.length, calls.length])).toEqual([
    ['org_none', failed.requestId, 2, 6],
    ['org_none', slower.requestId, 1, 2],
    [failedKey.orgId, refused.requestId, 1, 1],
  ])
})

test('a long run of calls is spread over batch rows', async () => {
  const pages = createPages({ callsMax: 10_000, bytesMax: 1e9, pageCallsMax: 10_000 })
  const requestId = newId('req')
  addMany(pages, 1200, { requestId })
  expect((await rowsOf(pages.take())).map(({ calls }) => calls.length)).toEqual([500, 500, 200])
})

test('every call comes back as it was, whatever it holds', async () => {
  const pages = createPages({ callsMax: 100_000, bytesMax: 1e9, pageCallsMax: 100_000 })
  const odd = 'a\t"\\b\n\u0800\\N'
  addMany(pages, 3, {
    path: odd,
    fullPath: `/v1${odd}`,
    query: 'é',
    userAgent: odd,
    clientRequestId: odd,
    errorDetail: odd,
  })
  const [row] = await rowsOf(pages.take())
  expect(row?.calls).toHaveLength(3)
  for (const call of row?.calls ?? [])
    expect(call).toMatchObject({
      base_path: '/v1',
      path: odd,
      query: 'é',
      user_agent: odd,
      client_request_id: odd,
      error_detail: odd,
      status: 200,
    })
})

test('a page does not grow after it was taken', async () => {
  const pages = createPages({ callsMax: 100, bytesMax: 1e9, pageCallsMax: 100 })
  const before = addMany(pages, 3)
  const page = pages.take()
  const after = addMany(pages, 2)
  expect(await idsOn(page)).toEqual(before.ids)
  expect(await idsOn(pages.take())).toEqual(after.ids)
})
