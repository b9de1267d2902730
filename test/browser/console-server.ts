import { afterAll, beforeAll } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { anInstallation, type Installation, type Running, startServer, tokenIn, untilReady } from '../support/server.ts'
import { until } from '../support/until.ts'
import { PHONE, type TestBrowser } from './browser.ts'

/** A first start as a new user has it: the demo organization, its owner, the built console. */
export type ConsoleServer = {
  url: string
  token: string
  owner: { email: string; password: string }
  installation: Installation
  /** Everything the pages complained about, and every address outside of this server that they asked for. */
  complaints: string[]
  /** A window of somebody who is not signed in. */
  visit(browser: TestBrowser, path: string, options?: VisitOptions): Promise<Page>
  /** A window of the owner. */
  enter(browser: TestBrowser, path: string, options?: VisitOptions): Promise<Page>
  /** The next to enter signs in anew: what was there before is no longer good. */
  forgetSession(): void
}

export type VisitOptions = { isPhone?: boolean; isDark?: boolean; language?: 'en' | 'id'; session?: Session }
type Session = Awaited<ReturnType<BrowserContext['storageState']>>

const BUILD_WAIT_MS = 60_000

export function useConsoleServer(): ConsoleServer {
  const held = {} as {
    installation: Installation
    running: Running
    url: string
    token: string
    owner: ConsoleServer['owner']
  }
  const complaints: string[] = []
  let session: Session | null = null
  beforeAll(async () => {
    held.installation = await anInstallation({ NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.1/32' })
    held.running = startServer(held.installation)
    await untilReady(held.installation, held.running)
    held.url = held.installation.url
    await until(() => held.running.stdout().includes('Password'))
    const said = held.running.stdout()
    held.token = tokenIn(said)
    held.owner = {
      email: /E-mail\s+(\S+)/.exec(said)?.[1] ?? '',
      password: /Password\s+(\S+)/.exec(said)?.[1] ?? '',
    }
    await until(async () => (await fetch(`${held.url}/console`)).ok, BUILD_WAIT_MS)
  }, 120_000)
  afterAll(async () => {
    await held.running?.stop()
    await held.installation?.remove()
  }, 60_000)

  const visit: ConsoleServer['visit'] = async (browser, path, options = {}) => {
    const page = await browser.open({
      locale: options.language === 'id' ? 'id-ID' : 'en-GB',
      colorScheme: options.isDark ? 'dark' : 'light',
      ...(options.session && { storageState: { cookies: options.session.cookies, origins: [] } }),
      ...(options.isPhone ? PHONE : { viewport: { width: 1440, height: 900 } }),
    })
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`))
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (origin !== held.url && protocol.startsWith('http')) complaints.push(`asked ${request.url()}`)
    })
    await page.goto(`${held.url}/console${path}`)
    return page
  }
  return {
    get url() {
      return held.url
    },
    get token() {
      return held.token
    },
    get owner() {
      return held.owner
    },
    get installation() {
      return held.installation
    },
    complaints,
    visit,
    forgetSession() {
      session = null
    },
    async enter(browser, path, options = {}) {
      // Once for all windows: more sign-ins in a minute than a person needs would be refused.
      if (session === null) {
        const first = await visit(browser, '/')
        await signIn(first, held.owner)
        await first.getByRole('heading', { name: 'Home' }).waitFor()
        session = await first.context().storageState()
      }
      return visit(browser, path, { ...options, session })
    },
  }
}

/** In either language: fields are found by what browsers fill in by themselves. */
export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.locator('input[autocomplete="username"]').fill(email)
  await page.locator('input[autocomplete="current-password"]').fill(password)
  await page.locator('form button[type="submit"]').click()
}
