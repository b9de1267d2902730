import { afterAll, afterEach, beforeAll, describe, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/**
 * A real Chromium for tests that have to be looked at. Where none is installed they are skipped with a sentence; with
 * NEXKIT_REQUIRE_BROWSER=1 that is a failure instead.
 */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // Optimizing compilers pay off in pages that run for minutes. Without them the same tests take a fifth less of the processor.
  '--js-flags=--no-opt --no-maglev',
]
/** Windows of one kind share a process, see `empty`. */
const ONE_PROCESS = '--process-per-site'
/** Set by the driver. */
const NO_PAGE_CACHE = '--disable-back-forward-cache'

/** Also the one that `npx playwright-core install chromium` downloads. */
export function findChromium(): string | null {
  const places = [...PLACES, chromium.executablePath()]
  return places.find((path) => path !== '' && existsSync(path)) ?? null
}

const isRequired = process.env.NEXKIT_REQUIRE_BROWSER === '1'

/** As `describe`, when there is a browser. */
export function describeInBrowser(title: string, work: () => void): void {
  if (findChromium() !== null) {
    describe(title, work)
    return
  }
  const sentence = `no Chromium found: "${title}" cannot be looked at (install one, or "npx playwright-core install chromium")`
  if (isRequired) {
    test(title, () => {
      throw new Error(`${sentence}; NEXKIT_REQUIRE_BROWSER is 1`)
    })
    return
  }
  process.stderr.write(`${sentence}\n`)
  describe.skip(title, work)
}

export type TestBrowser = {
  /**
   * A window of its own, with cookies and storage of its own, closed when the test is over. What was loaded by an earlier one
   * of its kind need not be loaded and compiled again, which is most of what a new window costs.
   */
  open(options?: BrowserContextOptions): Promise<Page>
  /** The same for what stays with a window for ever, such as a clock of its own. */
  openFresh(options?: BrowserContextOptions): Promise<Page>
  /** The same, open until the last test is over. */
  openForAll(options?: BrowserContextOptions): Promise<Page>
}

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const
export const DESKTOP = { viewport: { width: 1280, height: 800 } } as const

export type BrowserOptions = {
  /** A process for every tab, and pages that were left wait in the back/forward cache, as in a browser outside of tests. */
  isOrdinary?: boolean
}

/** Browsers that run, by their options. A worker keeps them for its later files; they end when their pipe to the worker closes. */
const launched = new Map<boolean, Promise<Browser>>()

async function launchBrowser(isOrdinary: boolean): Promise<Browser> {
  const running = await launched.get(isOrdinary)?.catch(() => null)
  if (running?.isConnected()) return running
  const browser = chromium.launch({
    // A signal that a test of another file sends itself must not end the worker.
    handleSIGINT: false,
    executablePath: findChromium() as string,
    args: isOrdinary ? ARGUMENTS : [...ARGUMENTS, ONE_PROCESS],
    ...(isOrdinary && { ignoreDefaultArgs: [NO_PAGE_CACHE] }),
  })
  launched.set(isOrdinary, browser)
  return browser
}

/** Inside `describeInBrowser`: one browser for all its tests, a fresh window for each that asks. */
export function useBrowser({ isOrdinary = false }: BrowserOptions = {}): TestBrowser {
  const held: { browser?: Browser; fresh: BrowserContext[] } = { fresh: [] }
  const kinds = new Map<string, Kind>()
  beforeAll(async () => {
    held.browser = await launchBrowser(isOrdinary)
  }, 60_000)
  // A window that nobody looks at any more still counts down, asks and draws.
  afterEach(async () => {
    await Promise.all([
      ...held.fresh.splice(0).map((context) => context.close()),
      ...[...kinds.values()].map(async ({ used, free }) => {
        const contexts = used.splice(0)
        await Promise.all(contexts.map(empty))
        free.push(...contexts)
      }),
    ])
  })
  afterAll(async () => {
    await Promise.all((held.browser?.contexts() ?? []).map((context) => context.close()))
  })
  const openContext = (options: BrowserContextOptions) =>
    (held.browser as Browser).newContext({ locale: 'id-ID', reducedMotion: 'reduce', ...options })
  return {
    async open({ storageState, ...options } = {}) {
      const name = JSON.stringify(options)
      const kind = kinds.get(name) ?? { used: [], free: [] }
      kinds.set(name, kind)
      const context = kind.free.pop() ?? (await openContext(options))
      kind.used.push(context)
      if (typeof storageState === 'object') await context.addCookies(storageState.cookies)
      return context.newPage()
    },
    async openFresh(options = {}) {
      const context = await openContext(options)
      held.fresh.push(context)
      return context.newPage()
    },
    openForAll: async (options = {}) => (await openContext(options)).newPage(),
  }
}

/** Windows with the same size, language and colours: those that a test has, and those that the next may have. */
type Kind = { used: BrowserContext[]; free: BrowserContext[] }

/**
 * Nothing of whoever had it is left but what was loaded. A process ends with its last window, and what it had compiled with it,
 * so one that shows nothing stays: the next window costs half of what it does in a new process.
 */
async function empty(context: BrowserContext): Promise<void> {
  const pages = context.pages().filter((page) => page !== quietPages.get(context))
  if (!quietPages.has(context)) await keepProcess(context, pages)
  await Promise.all(
    pages.map(async (page) => {
      if (page.url().startsWith('http')) await page.evaluate(() => localStorage.clear()).catch(() => {})
      await page.close()
    }),
  )
  await context.clearCookies()
}

const quietPages = new WeakMap<BrowserContext, Page>()

/** Opened while the others are, to be in their process. Where the server has gone meanwhile, the next test tries again. */
async function keepProcess(context: BrowserContext, pages: readonly Page[]): Promise<void> {
  const shown = pages.find((page) => page.url().startsWith('http'))
  if (shown === undefined) return
  const page = await context.newPage()
  try {
    await page.goto(new URL('/healthz', shown.url()).href)
    quietPages.set(context, page)
  } catch {
    await page.close()
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export type AccessProblem = { id: string; impact: string; help: string; targets: string[] }
type Violation = { id: string; impact: string; help: string; nodes: { target: string[] }[] }

/** What axe finds, serious or worse unless told otherwise. The page's own policy forbids inline scripts, so it goes in by the debugger. */
export async function findAccessProblems(page: Page, impacts = ['serious', 'critical']): Promise<AccessProblem[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  const violations = await page.evaluate(async (): Promise<Violation[]> => {
    // What is in order needs no report: that is a third of its work. Another quarter is fetching style sheets and sounds
    // beforehand, for a rule that is not in force and one about sounds, of which there are none.
    const result = await Reflect.get(window, 'axe').run(document, { resultTypes: ['violations'], preload: false })
    return result.violations
  })
  return violations
    .filter(({ impact }) => impacts.includes(impact))
    .map(({ id, impact, help, nodes }) => ({ id, impact, help, targets: nodes.map(({ target }) => target.join(' ')) }))
}
