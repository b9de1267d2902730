import { expect, test } from 'bun:test'
import { newId } from '../kernel/ids.ts'
import type { RequestLogEntry } from './request-log-entry.ts'
import { createPages, type Page, type Pages } from './request-log-pages.ts'

const anEntry = (fields: Partial<RequestLogEntry> = {}): RequestLogEntry => ({
  id: newId('req'),
  orgId: 'org_none',
  callerType: null,
  callerId: null,
  authResult: 'none',
  method: 'GET',
  route: null,
  path: '/me',
  fullPath: '/api/public/v1/me',
  isFixedPath: false,
  query: '',
  status: 200,
  errorCode: null,
  errorDetail: null,
  durationUs: 1000,
  address: '203.0.113.7',
  userAgent: null,
  clientRequestId: null,
  requestBytes: 0,
  responseBytes: 0,
  idempotencyKey: null,
  isReplayed: false,
  requestBody: null,
  responseBody: null,
  ...fields,
})

const linesOn = (page: Page | null) => page?.lines.toString('utf8', 0, page.linesBytes) ?? ''
const idsOn = (page: Page | null): string[] => linesOn(page).match(/req_\w{26}/g) ?? []

const addMany = (pages: Pages, count: number, fields: Partial<RequestLogEntry> = {}) => {
  const entries = Array.from({ length: count }, () => anEntry(fields))
  const dropped = entries.map((entry) => pages.add(entry)).reduce((sum, next) => sum + next, 0)
  return { ids: entries.map((entry): string => entry.id), dropped }
}

test('rows are turned over in order, a page at a time', () => {
  const pages = createPages({ rowsMax: 100, bytesMax: 1e9, pageRowsMax: 4 })
  const { ids, dropped } = addMany(pages, 10)
  expect({ dropped, rows: pages.rows, count: pages.count, full: pages.fullCount }).toEqual({
    dropped: 0,
    rows: 10,
    count: 3,
    full: 2,
  })
  expect([idsOn(pages.take()), idsOn(pages.take()), idsOn(pages.take())].flat()).toEqual(ids)
  expect(pages.take()).toBeNull()
  expect(pages.rows).toBe(0)
})

test('beyond the rows that may wait, the oldest pages give way and are counted', () => {
  const pages = createPages({ rowsMax: 12, bytesMax: 1e9, pageRowsMax: 4 })
  const { ids, dropped } = addMany(pages, 1000)
  expect(dropped).toBe(1000 - pages.rows)
  expect(pages.rows).toBeGreaterThan(8)
  expect(pages.rows).toBeLessThanOrEqual(12)
  expect(idsOn(pages.take())).toEqual(ids.slice(dropped, dropped + 4))
})

test('bodies are held unmasked and count by their length; beyond the bytes that may wait, old pages give way', () => {
  const pages = createPages({ rowsMax: 1000, bytesMax: 4_000_000, pageRowsMax: 2 })
  const { dropped } = addMany(pages, 20, { method: 'POST', requestBody: 'x'.repeat(500_000) })
  expect(dropped).toBe(16)
  const page = pages.take()
  expect(page?.unmasked.map((entry) => entry.requestBody?.length)).toEqual([500_000, 500_000])
  expect(linesOn(page)).toBe('')
})

test('a page with much in it is full before its rows are', () => {
  const pages = createPages({ rowsMax: 10_000, bytesMax: 1e9, pageRowsMax: 10_000 })
  addMany(pages, 30, { method: 'POST', requestBody: 'x'.repeat(200_000) })
  expect(pages.fullCount).toBe(2)
  addMany(pages, 300, { query: 'é'.repeat(4000) })
  expect(pages.fullCount).toBeGreaterThan(4)
})

test('every line is whole, however long its fields are', () => {
  const pages = createPages({ rowsMax: 100_000, bytesMax: 1e9, pageRowsMax: 100_000 })
  const long = '\u0800\\'.repeat(4000)
  addMany(pages, 200, {
    path: long,
    fullPath: long,
    query: long,
    userAgent: long,
    clientRequestId: long,
    errorDetail: long,
  })
  for (let page = pages.take(); page !== null; page = pages.take()) {
    const lines = linesOn(page).split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.length + page.unmasked.length).toBe(page.rows)
    for (const line of lines) expect(line.endsWith('\tf\t\\N\tf')).toBe(true)
  }
})

test('a buffer that is used again shows nothing of what it held', () => {
  const pages = createPages({ rowsMax: 100, bytesMax: 1e9, pageRowsMax: 4 })
  addMany(pages, 4)
  const first = pages.take() as Page
  pages.release(first)
  const { ids } = addMany(pages, 1)
  const second = pages.take() as Page
  expect(second.lines).toBe(first.lines)
  expect(idsOn(second)).toEqual(ids)
})
