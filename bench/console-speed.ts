import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { systemClock } from '../src/kernel/clock.ts'
import { type Id, newId, type OrgId } from '../src/kernel/ids.ts'
import { type Database, openDatabase } from '../src/platform/database/database.ts'
import { findRunningPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import type { Exchange } from '../src/platform/http/pipeline/exchange.ts'
import { createRequestLogWriter } from '../src/request-logs/request-log-writer.ts'
import { findChromium } from '../test/browser/browser.ts'
import { quietLog } from '../test/support/log.ts'
import { anInstallation, startServer, untilReady } from '../test/support/server.ts'
import { until } from '../test/support/until.ts'
import { fillShop } from './console-shop.ts'
import { median, round } from './question.ts'

/**
 * How fast the console feels, on loopback, in a real browser:
 *
 *   first page     from the address to a home page with its figures, nothing cached
 *   route change   from a click to the next page with its rows
 *   log filter     from a filter to its rows, with a million calls in the request log
 *   list filter    the same with a million orders, payments, customers and messages
 *   sales report   two months of that shop, as Home asks for them
 *
 * Run: node bin/bun.mjs bench/console-speed.ts [calls]. Takes about ten minutes with a million rows of each. Each figure is the
 * median of several tries, taken inside the page, so that the remote control does not count. The exit code is 1 when a bar
 * is missed. The machine decides much: look at its load, which is printed too.
 */
const CALLS = Number(process.argv[2] ?? 1_000_000)
const TRIES = 7
const DAYS = 14
const RARE_EVERY = Math.ceil(CALLS / 20)
const CALLS_PER_FLUSH = 4_000
const TRY_MS_MAX = 10_000
const BUILD_MS_MAX = 60_000
const FILL_MS_MAX = 600_000

type Row = { measure: string; medianMs: number; fastestMs: number; slowestMs: number; barMs: number }
const rows: Row[] = []

const executablePath = findChromium()
if (executablePath === null)
  throw new Error('no Chromium found; install one, or "npx playwright-core install chromium"')
const folder = await mkdtemp(join(tmpdir(), 'nexkit-console-speed-'))
const installation = await anInstallation({ NEXKIT_DATA_DIR: folder })
const server = startServer(installation)
let browser: Browser | null = null

async function run(): Promise<void> {
  await untilReady(installation, server)
  await until(async () => (await fetch(`${installation.url}/console`)).ok, BUILD_MS_MAX)
  await fill()
  browser = await chromium.launch({ executablePath: executablePath as string, args: ['--no-sandbox', '--disable-gpu'] })
  const cookies = await signIn()
  await measureFirstPage(browser, cookies)
  const context = await openWindow(browser, cookies)
  const page = await context.newPage()
  await page.goto(`${installation.url}/console/`)
  await page.locator('h1').first().waitFor()
  await measureRoutes(page)
  await measureFilters(page)
  await measureLists(page)
  await measureReport(page)
  print()
}

type Cookies = { name: string; value: string; url: string }[]

async function signIn(): Promise<Cookies> {
  const said = server.stdout()
  const [, email] = /Email\s+(\S+)/.exec(said) ?? []
  const [, password] = /Password\s+(\S+)/.exec(said) ?? []
  const response = await fetch(`${installation.url}/api/auth/login`, {
    method: 'POST',
    headers: { origin: installation.url, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  if (!response.ok) throw new Error(`could not sign in: ${await response.text()}`)
  return response.headers.getSetCookie().map((line) => {
    const [pair = ''] = line.split(';')
    const at = pair.indexOf('=')
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url: installation.url }
  })
}

async function openWindow(opened: Browser, cookies: Cookies): Promise<BrowserContext> {
  const context = await opened.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 } })
  await context.addCookies(cookies)
  return context
}

/**
 * A new window for each try: nothing is cached, neither files nor compiled code. It is not inspected: a browser that
 * is watched notes where every request came from, which took a tenth of the time. So the page is served with one more
 * script, which tells when the charts are there.
 */
async function measureFirstPage(opened: Browser, cookies: Cookies): Promise<void> {
  const reporter = startReporter()
  const control = await opened.newBrowserCDPSession()
  const times: number[] = []
  for (let nth = 0; nth < TRIES; nth += 1) {
    const { browserContextId } = await control.send('Target.createBrowserContext')
    const ownCookies = cookies.map(({ name, value }) => ({ name, value, url: reporter.url }))
    await control.send('Storage.setCookies', { browserContextId, cookies: ownCookies })
    const reported = reporter.next()
    await control.send('Target.createTarget', { url: `${reporter.url}/console/`, browserContextId })
    times.push(await reported)
    await control.send('Target.disposeBrowserContext', { browserContextId })
  }
  await reporter.stop()
  note('first page, nothing cached', times, 1000)
}

const REPORT_PATH = '/console/report'
const REPORTING = `const look = () => document.querySelector('.chart') === null
  ? requestAnimationFrame(look)
  : navigator.sendBeacon('${REPORT_PATH}', String(performance.now()))
look()`

/** The server itself, seen through a door that adds the script to its pages. */
function startReporter() {
  let tell: (milliseconds: number) => void = () => {}
  const door = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      if (pathname === REPORT_PATH && request.method === 'POST') {
        tell(Number(await request.text()))
        return new Response()
      }
      if (pathname === REPORT_PATH) return new Response(REPORTING, { headers: { 'content-type': 'text/javascript' } })
      const { headers, signal } = request
      const isPage = pathname === '/console/'
      const answer = await fetch(installation.url + pathname + search, { headers, signal, decompress: isPage })
      if (!isPage) return answer
      const link = { link: answer.headers.get('link') ?? '', 'content-type': 'text/html' }
      const page = (await answer.text()).replace('</head>', `<script src="${REPORT_PATH}"></script></head>`)
      return new Response(page, { headers: link })
    },
  })
  return {
    url: door.url.origin,
    next: () => new Promise<number>((resolve) => (tell = resolve)),
    stop: () => door.stop(true),
  }
}

const ROUTES = [
  ['Orders', 'table tbody tr'],
  ['API keys', 'table tbody tr'],
  ['Request logs', 'table tbody tr'],
  ['Events', 'table tbody tr'],
  ['Chats', '.chat-row'],
  ['People', 'table tbody tr'],
  ['Settings', 'form input'],
] as const

/** By a click in the rail; the first time through warms up nothing but the compiler, and counts like the others. */
async function measureRoutes(page: Page): Promise<void> {
  const byRoute = new Map<string, number[]>()
  for (let nth = 0; nth < TRIES; nth += 1)
    for (const [name, sign] of ROUTES) {
      const ms = await timeInPage(page, { click: name, title: name, sign })
      byRoute.set(name, [...(byRoute.get(name) ?? []), ms])
    }
  for (const [name, times] of byRoute) note(`to ${name}, with its rows`, times, 100)
}

/**
 * The last one is the worst there is: words that stand on twenty calls of all. A search answers after 60 ms with what it
 * has found, and the page goes on by itself, so its first row comes with a later answer; hence a bar of its own.
 */
const FILTERS = [
  ['status 4xx', 'status=4xx', 1, '^4', 150],
  ['status 500, one call in 2,000', 'status=500', 1, '^500$', 150],
  ['method POST', 'method=POST', 2, '^POST$', 150],
  ['one operation', 'operation=createOrder', 3, '^/orders', 150],
  ['words in a body', 'q=qris', 3, '^/orders', 150],
  ['words that hardly occur', 'q=rare-path', 3, 'rare-path', 1000],
] as const

async function measureFilters(page: Page): Promise<void> {
  for (const [name, query, column, pattern, barMs] of FILTERS) {
    const times: number[] = []
    for (let nth = 0; nth < TRIES; nth += 1) {
      await timeInPage(page, { path: '/logs', title: 'Request logs', sign: 'table tbody tr' })
      // A part of the address that is not read makes it another list, so that none is answered from memory.
      const since = new Date(Date.now() - 10 * 86_400_000 - nth * 1000).toISOString()
      const path = `/logs?${query}&since=${since}`
      times.push(await timeInPage(page, { path, title: 'Request logs', sign: 'table tbody tr', column, pattern }))
    }
    note(`log filter at ${CALLS.toLocaleString('en')} calls: ${name}`, times, barMs)
  }
}

/** The column and the pattern that every row then shows; the path of the page, its title, and the query. */
const LISTS = [
  ['orders', '/orders', 'Orders', 'status=pending_payment', 4, '^Awaiting payment$'],
  ['orders', '/orders', 'Orders', 'needs_review=true', 4, 'Needs review'],
  ['orders', '/orders', 'Orders', 'q=Pelanggan 512', 3, '^Pelanggan 512'],
  ['payments', '/books?tab=payments', 'Books', 'status=pending', 3, '^Awaiting payment'],
  ['payments', '/books?tab=payments', 'Books', 'method=virtual_account', 1, '^Virtual account'],
  ['customers', '/customers', 'Customers', 'q=77123', 1, '77123'],
] as const

async function measureLists(page: Page): Promise<void> {
  const sign = 'table tbody tr'
  for (const [what, path, title, query, column, pattern] of LISTS) {
    const times: number[] = []
    for (let nth = 0; nth < TRIES; nth += 1) {
      await timeInPage(page, { path, title, sign })
      // A part of the address that is not read makes it another list, so that none is answered from memory.
      const asked = `${path}${path.includes('?') ? '&' : '?'}${query}&nth=${nth}`
      times.push(await timeInPage(page, { path: asked, title, sign, column, pattern }))
    }
    note(`${what} filter at ${CALLS.toLocaleString('en')} rows: ${query}`, times, 150)
  }
}

/** As the page asks for it: with the session, and read whole. */
async function measureReport(page: Page): Promise<void> {
  const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
  const address = `/api/proxy/reports/sales?from=${dayBefore(59)}&to=${dayBefore(0)}&by=day`
  const times: number[] = []
  for (let nth = 0; nth < TRIES; nth += 1)
    times.push(
      await page.evaluate(async (asked) => {
        const startedAt = performance.now()
        const response = await fetch(asked)
        if (!response.ok) throw new Error(await response.text())
        await response.json()
        return performance.now() - startedAt
      }, address),
    )
  note(`sales of 60 days at ${CALLS.toLocaleString('en')} orders in a year`, times, 150)
}

type Step = { click?: string; path?: string; title: string; sign: string; column?: number; pattern?: string }

/** From the act to the frame in which title and rows are there, by the clock of the page. */
const timeInPage = (page: Page, step: Step): Promise<number> =>
  page.evaluate(
    async ({ click, path, title, sign, column, pattern, msMax }) => {
      // Some links end with the number of what is unread or waits.
      const nameOf = (one: HTMLElement) => one.textContent?.replace(/\d+\+?$/, '')
      const link = [...document.querySelectorAll<HTMLElement>('.rail a')].find((one) => nameOf(one) === click)
      const isThere = () => {
        const found = [...document.querySelectorAll(sign)]
        if (document.querySelector('h1')?.textContent !== title || found.length === 0) return false
        if (document.querySelector('main .mantine-Skeleton-root') !== null) return false
        if (pattern === undefined) return true
        const expected = new RegExp(pattern)
        return found.every((row) => expected.test(row.querySelector(`td:nth-child(${column})`)?.textContent ?? ''))
      }
      const startedAt = performance.now()
      if (path === undefined) link?.click()
      else {
        history.pushState(null, '', `/console${path}`)
        dispatchEvent(new PopStateEvent('popstate'))
      }
      while (!isThere()) {
        if (performance.now() - startedAt > msMax) throw new Error(`not there after ${msMax} ms: ${path ?? click}`)
        await new Promise((next) => requestAnimationFrame(next))
      }
      return performance.now() - startedAt
    },
    { ...step, msMax: TRY_MS_MAX },
  )

function note(measure: string, times: number[], barMs: number): void {
  const [fastestMs, slowestMs] = [Math.min(...times), Math.max(...times)].map((ms) => round(ms, 0)) as [number, number]
  rows.push({ measure, medianMs: round(median(times), 0), fastestMs, slowestMs, barMs })
}

function print(): void {
  const [one, five] = loadavg().map((load) => round(load, 1))
  console.log(`\n${TRIES} tries each, load of the machine ${one} (1 min) and ${five} (5 min)\n`)
  for (const { measure, medianMs, fastestMs, slowestMs, barMs } of rows) {
    const verdict = medianMs < barMs ? 'ok' : 'MISSED'
    const range = `${fastestMs} to ${slowestMs}`.padStart(14)
    console.log(`${measure.padEnd(62)} ${String(medianMs).padStart(6)} ms ${range}   bar ${barMs} ms  ${verdict}`)
  }
  if (rows.some(({ medianMs, barMs }) => medianMs >= barMs)) process.exitCode = 1
}

async function fill(): Promise<void> {
  const postgres = await findRunningPostgres(folder)
  if (postgres === null) throw new Error('the server has no PostgreSQL of its own')
  const database = openDatabase({ url: postgres.url, statementTimeoutMs: FILL_MS_MAX })
  try {
    await fillLog(database)
    await fillShop(database, (await findCaller(database)).orgId, CALLS)
  } finally {
    await database.close()
  }
}

/** Through the writer of the server itself, spread over two weeks, with bodies where the server keeps them. */
async function fillLog(database: Database): Promise<void> {
  const writer = createRequestLogWriter({ database, clock: systemClock, log: quietLog })
  const caller = await findCaller(database)
  const stepMs = (DAYS * 86_400_000) / CALLS
  const firstMs = Date.now() - DAYS * 86_400_000
  for (let nth = 0; nth < CALLS; nth += 1) {
    writer.record(callAt(firstMs + nth * stepMs, nth, caller))
    if (nth % CALLS_PER_FLUSH === CALLS_PER_FLUSH - 1) await writer.flush()
  }
  await writer.stop()
  if (writer.stats().dropped > 0) throw new Error(`${writer.stats().dropped} calls were dropped while filling`)
  await database.script('vacuum analyze request_logs')
}

type FilledCaller = { orgId: OrgId; keyId: Id<'key'> }

async function findCaller(database: Database): Promise<FilledCaller> {
  const row = await database.one<{ org_id: OrgId; id: Id<'key'> }>`select org_id, id from api_keys limit 1`
  return { orgId: row.org_id, keyId: row.id }
}

/** One in ten is an order, one in twenty is refused, one in 2,000 fails, twenty have a path that no other has. */
function callAt(timeMs: number, nth: number, { orgId, keyId }: FilledCaller): Exchange {
  const isOrder = nth % 10 === 0
  const status = nth % 2_000 === 10 ? 500 : nth % 20 === 10 ? 422 : isOrder ? 201 : 200
  const path = nth % RARE_EVERY === 1 ? `/chats/rare-path-${nth}` : isOrder ? '/orders' : '/chats'
  const isKept = isOrder || status >= 400
  return {
    requestId: newId('req', timeMs),
    startedAtMs: timeMs,
    startedTickMs: 0,
    durationMs: 1 + (nth % 17),
    method: isOrder ? 'POST' : 'GET',
    route: { id: isOrder ? 'createOrder' : 'listChats', path: isOrder ? '/orders' : '/chats' } as never,
    path,
    fullPath: `/api/public/v1${path}`,
    query: '',
    address: '203.0.113.7',
    userAgent: 'bench',
    clientRequestId: null,
    caller: { type: 'key', orgId, id: keyId } as never,
    failedKey: null,
    authenticationFailure: null,
    idempotencyKey: null,
    isReplayed: false,
    requestBytes: isKept ? 120 : 0,
    requestBody: isKept ? `{"billingType":"qris","amount":${25_000 + nth},"reference":"INV-${nth}"}` : null,
    responseBytes: 400,
    requestHeaders: null,
    responseHeaders: null,
    responseBody: isKept ? `{"object":"order","number":"${nth}","status":"pending_payment"}` : null,
    status,
    errorCode: status >= 400 ? 'validation_failed' : null,
    errorDetail: null,
    span: null,
  }
}

try {
  await run()
} finally {
  await (browser as Browser | null)?.close()
  await server.stop()
  await installation.remove()
  await rm(folder, { recursive: true, force: true })
}
