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
]

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
  /** A window of its own, with cookies and storage of its own, closed when the test is over. */
  open(options?: BrowserContextOptions): Promise<Page>
  /** The same, open until the last test is over. */
  openForAll(options?: BrowserContextOptions): Promise<Page>
}

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const
export const DESKTOP = { viewport: { width: 1280, height: 800 } } as const

/** Inside `describeInBrowser`: one browser for all its tests, a fresh window for each that asks. */
export function useBrowser(): TestBrowser {
  const held: { browser?: Browser; contexts: BrowserContext[] } = { contexts: [] }
  beforeAll(async () => {
    held.browser = await chromium.launch({ executablePath: findChromium() as string, args: ARGUMENTS })
  }, 60_000)
  // A window that nobody looks at any more still counts down, asks and draws.
  afterEach(async () => {
    await Promise.all(held.contexts.splice(0).map((context) => context.close()))
  })
  afterAll(() => held.browser?.close())
  const openContext = (options: BrowserContextOptions) =>
    (held.browser as Browser).newContext({ locale: 'id-ID', reducedMotion: 'reduce', ...options })
  return {
    async open(options = {}) {
      const context = await openContext(options)
      held.contexts.push(context)
      return context.newPage()
    },
    openForAll: async (options = {}) => (await openContext(options)).newPage(),
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export type AccessProblem = { id: string; impact: string; help: string; targets: string[] }
type Violation = { id: string; impact: string; help: string; nodes: { target: string[] }[] }

/** What axe finds, serious or worse unless told otherwise. The page's own policy forbids inline scripts, so it goes in by the debugger. */
export async function findAccessProblems(page: Page, impacts = ['serious', 'critical']): Promise<AccessProblem[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  const violations = await page.evaluate(async (): Promise<Violation[]> => {
    // What is in order needs no report: that is a third of its work.
    const result = await Reflect.get(window, 'axe').run(document, { resultTypes: ['violations'] })
    return result.violations
  })
  return violations
    .filter(({ impact }) => impacts.includes(impact))
    .map(({ id, impact, help, nodes }) => ({ id, impact, help, targets: nodes.map(({ target }) => target.join(' ')) }))
}
