import { afterAll, afterEach, beforeAll, describe, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { IN_VAIN_MS } from '../support/until.ts'

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
/** Windows of one kind share a process. */
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
   * A window for this test, without cookies and storage of earlier ones. A window of the same kind that an earlier test of this
   * worker used is used again: what its process has loaded and compiled is most of what a new window costs.
   */
  open(options?: BrowserContextOptions): Promise<Page>
  /** The same for what stays with a window for ever, such as a clock of its own: closed when the test is over. */
  openFresh(options?: BrowserContextOptions): Promise<Page>
  /** As `open`, until the last test is over. */
  openForAll(options?: BrowserContextOptions): Promise<Page>
}

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const
export const DESKTOP = { viewport: { width: 1280, height: 800 } } as const

export type BrowserOptions = {
  /** A process for every tab, as in a browser outside of tests: one that crashes or hangs leaves the others alone. */
  hasProcessPerTab?: boolean
  /** Pages that were left wait in the back/forward cache, as in a browser outside of tests. */
  hasPageCache?: boolean
}

/** Browsers that run, by their options. A worker keeps them for its later files; they end when their pipe to the worker closes. */
const launched = new Map<string, Promise<Browser>>()

async function launchBrowser({ hasProcessPerTab = false, hasPageCache = false }: BrowserOptions): Promise<Browser> {
  const kind = JSON.stringify([hasProcessPerTab, hasPageCache])
  const running = await launched.get(kind)?.catch(() => null)
  if (running?.isConnected()) return running
  const browser = chromium.launch({
    // A signal that a test of another file sends itself must not end the worker.
    handleSIGINT: false,
    executablePath: findChromium() as string,
    args: hasProcessPerTab ? ARGUMENTS : [...ARGUMENTS, ONE_PROCESS],
    ...(hasPageCache && { ignoreDefaultArgs: [NO_PAGE_CACHE] }),
  })
  launched.set(kind, browser)
  return browser
}

/** Inside `describeInBrowser`: one browser for all its tests, a window for each that asks. */
export function useBrowser(options: BrowserOptions = {}): TestBrowser {
  const held: { browser?: Browser; fresh: BrowserContext[]; used: Window[]; usedByAll: Window[] } = {
    ...{ fresh: [], used: [], usedByAll: [] },
  }
  beforeAll(async () => {
    held.browser = await launchBrowser(options)
  })
  // A window that is still open counts down, asks and draws.
  afterEach(async () => {
    await Promise.all([...held.fresh.splice(0).map((context) => context.close()), ...held.used.splice(0).map(giveUp)])
  })
  afterAll(async () => {
    await Promise.all(held.usedByAll.splice(0).map(giveUp))
  })
  const openContext = async (kind: BrowserContextOptions) => {
    const context = await (held.browser as Browser).newContext({ locale: 'id-ID', reducedMotion: 'reduce', ...kind })
    context.setDefaultTimeout(IN_VAIN_MS)
    return context
  }
  const openWindow = async ({ storageState, ...kind }: BrowserContextOptions, used: Window[]) => {
    const free = freePages(held.browser as Browser, JSON.stringify(kind))
    const page = free.pop() ?? (await (await openContext(kind)).newPage())
    used.push({ page, free, viewport: page.viewportSize() })
    if (typeof storageState === 'object') await page.context().addCookies(storageState.cookies)
    return page
  }
  return {
    open: (kind = {}) => openWindow(kind, held.used),
    async openFresh(kind = {}) {
      const context = await openContext(kind)
      held.fresh.push(context)
      return context.newPage()
    },
    openForAll: (kind = {}) => openWindow(kind, held.usedByAll),
  }
}

/** A window in use, and where it goes afterwards. */
type Window = { page: Page; free: Page[]; viewport: { width: number; height: number } | null }

/** Windows that no test uses, of each browser by their size, language and colours. */
const windows = new WeakMap<Browser, Map<string, Page[]>>()

function freePages(browser: Browser, kind: string): Page[] {
  const kinds = windows.get(browser) ?? new Map<string, Page[]>()
  windows.set(browser, kinds)
  const pages = kinds.get(kind) ?? []
  kinds.set(kind, pages)
  return pages
}

const EVENTS = ['request', 'requestfinished', 'requestfailed', 'response', 'console', 'pageerror', 'dialog']

/**
 * Empties a window for the next test. It stays at a page of the same server that does nothing, which keeps its process. One that cannot
 * go there, because it has crashed or its server is gone, is closed.
 */
async function giveUp({ page: opened, free, viewport }: Window): Promise<void> {
  const context = opened.context()
  try {
    const page = [opened, ...context.pages()].find((each) => !each.isClosed() && each.url().startsWith('http'))
    if (page === undefined) throw new Error('none of its pages shows anything')
    for (const event of EVENTS) page.removeAllListeners(event)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await Promise.all(context.pages().map((other) => other !== page && other.close()))
    await page.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    })
    await page.goto(new URL('/healthz', page.url()).href, { timeout: 5_000 })
    await context.clearCookies()
    if (viewport !== null) await page.setViewportSize(viewport)
    free.push(page)
  } catch {
    await context.close()
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export type AccessProblem = { id: string; impact: string; help: string; targets: string[] }
type Violation = { id: string; impact: string; help: string; nodes: { target: string[] }[] }

/** What axe finds, serious or worse unless told otherwise. The page's own policy forbids inline scripts, so it goes in by the debugger. */
export async function findAccessProblems(page: Page, impacts = ['serious', 'critical']): Promise<AccessProblem[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  const violations = await page.evaluate(async (): Promise<Violation[]> => {
    // A colour that is on its way to another is neither. What turns for ever is not waited for.
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY)
    await Promise.allSettled(ending.map(({ finished }) => finished))
    // What is in order needs no report: that is a third of its work. Another quarter is fetching style sheets and sounds
    // beforehand, for a rule that is not in force and one about sounds, of which there are none.
    const result = await Reflect.get(window, 'axe').run(document, { resultTypes: ['violations'], preload: false })
    return result.violations
  })
  return violations
    .filter(({ impact }) => impacts.includes(impact))
    .map(({ id, impact, help, nodes }) => ({ id, impact, help, targets: nodes.map(({ target }) => target.join(' ')) }))
}
