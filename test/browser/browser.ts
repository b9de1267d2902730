import { afterAll, beforeAll, describe, test } from 'bun:test'
import { existsSync } from 'node:fs'
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
  /** A window of its own, with cookies and storage of its own. */
  open(options?: BrowserContextOptions): Promise<Page>
}

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const
export const DESKTOP = { viewport: { width: 1280, height: 800 } } as const

/** Inside `describeInBrowser`: one browser for all its tests, a fresh window for each that asks. */
export function useBrowser(): TestBrowser {
  const held: { browser?: Browser; contexts: BrowserContext[] } = { contexts: [] }
  beforeAll(async () => {
    held.browser = await chromium.launch({ executablePath: findChromium() as string, args: ARGUMENTS })
  }, 60_000)
  afterAll(async () => {
    for (const context of held.contexts) await context.close()
    await held.browser?.close()
  })
  return {
    async open(options = {}) {
      const context = await (held.browser as Browser).newContext({ locale: 'id-ID', ...options })
      held.contexts.push(context)
      return context.newPage()
    },
  }
}

const axeSource = () => createRequire(import.meta.url).resolve('axe-core/axe.min.js')

export type AccessProblem = { id: string; impact: string; help: string; targets: string[] }

/** What axe finds, serious or worse unless told otherwise. The page's own policy forbids inline scripts, so it goes in by the debugger. */
export async function findAccessProblems(page: Page, impacts = ['serious', 'critical']): Promise<AccessProblem[]> {
  const source = await import('node:fs/promises').then((files) => files.readFile(axeSource(), 'utf8'))
  await page.evaluate(source)
  const violations = await page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe puts itself there
    const result = await (window as any).axe.run(document)
    return result.violations as { id: string; impact: string; help: string; nodes: { target: string[] }[] }[]
  })
  return violations
    .filter(({ impact }) => impacts.includes(impact))
    .map(({ id, impact, help, nodes }) => ({ id, impact, help, targets: nodes.map(({ target }) => target.join(' ')) }))
}
