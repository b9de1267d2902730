import { existsSync, readFileSync } from 'node:fs'
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
import { fillShop } from './console-shop.ts'
import { buildSites } from './nexkit-server.ts'
import { median, round } from './question.ts'

/**
 * How fast the console feels, on loopback, in a real browser:
 *
 *   first page     from the address to a home page with its figures, nothing cached
 *   route change   from a click to the next page with its rows
 *   list filter    from the choice of a filter, or the last key of a word, to its rows: a million request logs, orders, payments,
 *                  customers and messages
 *   list scroll    from the end of a list in sight to the rows that follow, twenty pages deep
 *   sales report   two months of that shop, as Home asks for them
 *
 * Run: node bin/bun.mjs bench/console-speed.ts [rows]. Takes about ten minutes with a million rows of each. Each figure is the
 * median of several tries, taken inside the page, so that the remote control does not count. The exit code is 1 when a bar
 * is missed. The machine decides much: look at its load, which is printed too.
 */
const CALLS = Number(process.argv[2] ?? 1_000_000)
const TRIES = 7
const DAYS = 14
const ROWS = CALLS.toLocaleString('en')
const RARE_EVERY = Math.ceil(CALLS / 20)
const CALLS_PER_FLUSH = 4_000
const PAGES_DEEP = 20
const PAGE_ROWS = 50
const TRY_MS_MAX = 10_000
const FILTER_BAR_MS = 150
/** A text field waits this long for the next key before it asks. */
const TYPING_MS = 200
const FILL_MS_MAX = 600_000
/** With fewer, some filters have no row to show. */
const CALLS_MIN = 20_000
const HOST_LOOK_MS = 3000

if (!(CALLS >= CALLS_MIN)) throw new Error(`say a number of rows of at least ${CALLS_MIN.toLocaleString('en')}`)
const executablePath = findChromium()
if (executablePath === null)
  throw new Error('no Chromium found; install one, or "npx playwright-core install chromium"')
await buildSites()
const folder = await mkdtemp(join(tmpdir(), 'nexkit-console-speed-'))
const installation = await anInstallation({ NEXKIT_DATA_DIR: folder })
const server = startServer(installation)
let browser: Browser | null = null

async function run(): Promise<void> {
  await untilReady(installation, server)
  await fill()
  await printLoad()
  browser = await chromium.launch({ executablePath: executablePath as string, args: ['--no-sandbox', '--disable-gpu'] })
  const cookies = await signIn()
  await untilSummed(cookies)
  await measureFirstPage(browser, cookies)
  const context = await openWindow(browser, cookies)
  const page = await context.newPage()
  await page.goto(`${installation.url}/console/`)
  await page.locator('h1').first().waitFor()
  await measureRoutes(page)
  await measureFilters(page)
  await measureScrolling(page)
  await measureReport(page)
  await printLoad()
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

/**
 * The rows were written without their hourly summaries. The server sums them up once, when Home is opened for the first time, which is
 * not to be measured.
 */
async function untilSummed(cookies: Cookies): Promise<void> {
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const deadline = Date.now() + FILL_MS_MAX
  for (const range of ['24h', '30d']) {
    let isPartial = true
    while (isPartial) {
      if (Date.now() > deadline) throw new Error(`the hours of ${range} were not summed up in time`)
      const response = await fetch(`${installation.url}/api/console/figures?range=${range}`, { headers: { cookie } })
      if (!response.ok) throw new Error(`Home does not answer: ${await response.text()}`)
      isPartial = ((await response.json()) as { is_partial: boolean }).is_partial
      await Bun.sleep(250)
    }
  }
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
      await untilIdle(page)
      const ms = await timeInPage(page, { act: { follow: name }, title: name, sign })
      byRoute.set(name, [...(byRoute.get(name) ?? []), ms])
    }
  for (const [name, times] of byRoute) note(`to ${name}, with its rows`, times, 100)
}

/** A page with its title, what a row of it looks like, and the cell that shows what a filter asks for. */
const LOGS = { path: '/logs', title: 'Request logs', sign: 'table tbody tr', last: '.chart canvas' }
const ORDERS = { path: '/orders', title: 'Orders', sign: 'table tbody tr' }
const PAYMENTS = { path: '/books?tab=payments', title: 'Books', sign: 'table tbody tr' }
const CUSTOMERS = { path: '/customers', title: 'Customers', sign: 'table tbody tr' }
const CHATS = { path: '/chats', title: 'Chats', sign: '.chat-row:not(.message-hit)' }
const MESSAGES = { ...CHATS, sign: '.message-hit' }

/** `last` is what comes after the first rows. */
type List = { path: string; title: string; sign: string; last?: string }
const LOG_TEXT = 'Search path or body'
const CHAT_TEXT = 'Name, phone or text'
const AWAITING = 'Awaiting payment'
const cell = (column: number) => `td:nth-child(${column})`
const choose = (of: string, option: string): Act => ({ choose: option, of })
const type = (into: string, words: string): Act => ({ type: words, into })
type Filter = { what: string; list: List; act: Act; cell?: string; pattern: string; barMs?: number }

/**
 * Words of twenty calls of all are the worst there is: a search of the log answers after 60 ms with what it has found, and the page
 * goes on by itself, so its first row comes with a later answer; hence a bar of its own.
 */
const FILTERS: Filter[] = [
  { what: 'log, status 4xx', list: LOGS, act: choose('Status', '4xx'), cell: cell(1), pattern: '^4' },
  { what: 'log, status 500, one in 2,000', list: LOGS, act: choose('Status', '500'), cell: cell(1), pattern: '^500$' },
  { what: 'log, method POST', list: LOGS, act: choose('Method', 'POST'), cell: cell(2), pattern: '^POST$' },
  { what: 'log, one operation', list: LOGS, act: type('Operation', 'createOrder'), cell: cell(3), pattern: '^/orders' },
  { what: 'log, words in a body', list: LOGS, act: type(LOG_TEXT, 'qris'), cell: cell(3), pattern: '^/orders' },
  {
    ...{ what: 'log, words that hardly occur', list: LOGS, act: type(LOG_TEXT, 'rare-path') },
    ...{ cell: cell(3), pattern: 'rare-path', barMs: 1000 },
  },
  {
    what: 'orders, awaiting payment',
    list: ORDERS,
    act: choose('Status', AWAITING),
    cell: cell(4),
    pattern: '^Awaiting',
  },
  { what: 'orders, to review', list: ORDERS, act: { press: 'Needs review' }, cell: cell(4), pattern: 'Needs review' },
  {
    what: 'orders, a name',
    list: ORDERS,
    act: type('Search orders', 'Pelanggan 512'),
    cell: cell(3),
    pattern: '^Pelanggan 512',
  },
  {
    what: 'payments, awaiting payment',
    list: PAYMENTS,
    act: choose('Status', AWAITING),
    cell: cell(3),
    pattern: '^Awaiting',
  },
  {
    what: 'payments, a method',
    list: PAYMENTS,
    act: choose('Method', 'Virtual account'),
    cell: cell(1),
    pattern: '^Virtual',
  },
  {
    what: 'customers, a phone',
    list: CUSTOMERS,
    act: type('Search by name or phone', '10077'),
    cell: cell(2),
    pattern: '10077',
  },
  { what: 'chats, unread', list: CHATS, act: { press: 'Unread' }, pattern: 'unread$' },
  { what: 'messages, a word of all', list: MESSAGES, act: type(CHAT_TEXT, 'kopi'), pattern: '[Kk]opi' },
  { what: 'messages, a word of twenty', list: MESSAGES, act: type(CHAT_TEXT, 'cendol'), pattern: 'cendol' },
]

/** Each try on a page that was just loaded, so that no list is answered from memory. */
async function measureFilters(page: Page): Promise<void> {
  for (const { what, list, act, cell: shown, pattern, barMs = FILTER_BAR_MS } of FILTERS) {
    const isTyped = 'type' in act
    const times: number[] = []
    for (let nth = 0; nth < TRIES; nth += 1) {
      await openList(page, list === MESSAGES ? CHATS : list)
      if ('choose' in act) await page.getByRole('combobox', { name: act.of, exact: true }).click()
      times.push(await timeInPage(page, { ...list, act, cell: shown, pattern }))
    }
    const name = `filter of ${ROWS}: ${what}${isTyped ? `, and ${TYPING_MS} ms for the next key` : ''}`
    note(name, times, isTyped ? barMs + TYPING_MS : barMs)
  }
}

const SCROLLED = [
  ['request logs', LOGS],
  ['orders', ORDERS],
  ['payments', PAYMENTS],
  ['customers', CUSTOMERS],
  ['chats', CHATS],
] as const

async function measureScrolling(page: Page): Promise<void> {
  for (const [what, list] of SCROLLED) {
    await openList(page, list)
    const times: number[] = []
    for (let nth = 1; nth <= PAGES_DEEP; nth += 1) {
      // The rest of the page that has come is drawn after its first rows, and its end is in sight when it is painted.
      const isWhole = ({ sign, count }: { sign: string; count: number }) =>
        document.querySelectorAll(sign).length === count
      await page.waitForFunction(isWhole, { sign: list.sign, count: nth * PAGE_ROWS })
      await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => setTimeout(painted))))
      times.push(await timeInPage(page, { ...list, act: { scroll: 'Show more' } }))
    }
    note(`scroll through ${ROWS}: ${what}, ${PAGES_DEEP} pages`, times, FILTER_BAR_MS)
  }
}

/** With its first rows, and everything else that it asked for. */
async function openList(page: Page, { path, sign, last = sign }: List): Promise<void> {
  await page.goto(`${installation.url}/console${path}`)
  await page.locator(sign).first().waitFor()
  await page.locator(last).first().waitFor()
  await untilIdle(page)
}

/** A person does not click while the page before is still being drawn. */
async function untilIdle(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('main .skeleton') === null)
  await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle, { timeout: 1000 })))
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
  note(`sales of 60 days at ${ROWS} orders in a year`, times, 150)
}

type Act =
  | { follow: string }
  | { press: string }
  | { choose: string; of: string }
  | { type: string; into: string }
  | { scroll: string }
type Step = { act: Act; title: string; sign: string; cell?: string | undefined; pattern?: string }

/**
 * From the act to the frame in which title and rows are painted, by the clock of the page. Of a list that is scrolled, the rows are
 * there when there are more than before.
 */
const timeInPage = (page: Page, step: Step): Promise<number> =>
  page.evaluate(
    async ({ act, title, sign, cell: shown, pattern, msMax }) => {
      // Some links end with the number of what is unread or waits.
      const named = (selector: string, name: string): HTMLElement => {
        const found = [...document.querySelectorAll<HTMLElement>(selector)].find((one) =>
          [one.getAttribute('aria-label'), one.innerText, one.innerText.replace(/\s*\d+\+?$/, '')].includes(name),
        )
        if (found === undefined) throw new Error(`nothing is named "${name}" among ${selector}`)
        return found
      }
      const rows = () => [...document.querySelectorAll<HTMLElement>(sign)]
      const countRows = () => document.querySelectorAll(sign).length
      const expected = new RegExp(pattern ?? '')
      const textOf = (row: HTMLElement) =>
        (shown === undefined ? row : row.querySelector<HTMLElement>(shown))?.innerText.trim() ?? ''
      const countBefore = 'scroll' in act ? countRows() : 0
      const isThere = () =>
        document.querySelector('h1')?.textContent === title &&
        countRows() > countBefore &&
        document.querySelector('main .skeleton') === null &&
        (pattern === undefined || rows().every((row) => expected.test(textOf(row))))
      const target =
        'follow' in act
          ? named('.rail a', act.follow)
          : 'choose' in act
            ? named('[role=option]', act.choose)
            : 'into' in act
              ? named('input', act.into)
              : named('button', 'press' in act ? act.press : act.scroll)
      const perform = (): void => {
        if ('scroll' in act) target.scrollIntoView()
        else if (!('type' in act)) target.click()
        else {
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(target, act.type)
          target.dispatchEvent(new Event('input', { bubbles: true }))
        }
      }
      const nextFrame = () => new Promise((next) => requestAnimationFrame(next))
      const startedAt = performance.now()
      perform()
      for (await nextFrame(); !isThere(); await nextFrame())
        if (performance.now() - startedAt > msMax)
          throw new Error(`not there after ${msMax} ms: ${JSON.stringify(act)}`)
      // What is there when a frame begins is painted at its end, and a task that is asked for in between runs after that.
      await new Promise((next) => setTimeout(next))
      return performance.now() - startedAt
    },
    { ...step, msMax: TRY_MS_MAX },
  )

function note(measure: string, times: number[], barMs: number): void {
  const [medianMs, fastestMs, slowestMs] = [median(times), Math.min(...times), Math.max(...times)].map((ms) =>
    round(ms, 0),
  )
  const range = `${fastestMs} to ${slowestMs}`.padStart(14)
  const isMissed = Number(medianMs) >= barMs
  console.log(
    `${measure.padEnd(90)} ${String(medianMs).padStart(6)} ms ${range}   bar ${barMs} ms  ${isMissed ? 'MISSED' : 'ok'}`,
  )
  if (isMissed) process.exitCode = 1
}

/** An idle virtual machine can be slow: its host gives the processors to others, which Linux counts. */
async function printLoad(): Promise<void> {
  const [one, five] = loadavg().map((load) => round(load, 1))
  const before = processorTimes()
  await Bun.sleep(HOST_LOOK_MS)
  const after = processorTimes()
  const stolen = (100 * (after.stolen - before.stolen)) / Math.max(after.all - before.all, 1)
  console.log(
    `load of the machine ${one} (1 min) and ${five} (5 min), ${round(stolen, 0)} % of its time taken by its host`,
  )
  console.log(`${TRIES} tries each unless it says otherwise\n`)
}

function processorTimes(): { all: number; stolen: number } {
  const [first = ''] = existsSync('/proc/stat') ? readFileSync('/proc/stat', 'utf8').split('\n') : []
  const ticks = first.split(/\s+/).slice(1, 9).map(Number)
  return { all: ticks.reduce((sum, count) => sum + count, 0), stolen: ticks[7] ?? 0 }
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
