import { expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { describeInBrowser, useBrowser } from './browser.ts'
import { type Session, useConsoleServer, type VisitOptions } from './console-server.ts'

const PAGES = ['/', '/chats', '/orders', '/keys', '/webhooks', '/logs', '/events?types=key.created', '/people'] as const

/** Events that only the test creates. */
const KEYS = '/events?types=key.created'

/** A browser opens six connections to one server. */
describeInBrowser('many tabs of one browser', () => {
  const browser = useBrowser({ hasPageCache: true })
  const server = useConsoleServer(browser)
  const isolated: VisitOptions = { otherBrowser: useBrowser({ hasProcessPerTab: true }), isFresh: true }

  test('the console loads and works when eight tabs show it', async () => {
    const { pages, streams } = await openTabs(PAGES)
    await Promise.all(pages.map((page) => page.locator('main h1').first().waitFor()))
    await until(() => streams().length === 1)
    const last = pages.at(-1) as Page
    await last.getByRole('link', { name: 'API keys' }).click()
    await last.getByRole('table').getByText('nxk_live_').first().waitFor()
    await last.goto(`${server.url}/docs`)
    await last.getByRole('heading').first().waitFor()
    expect(streams().length).toBe(1)
  })

  test('the console loads when seven addresses are typed in one tab and pages wait in the back/forward cache', async () => {
    const { pages, streams } = await openTabs(['/account'])
    const [page] = pages as [Page]
    for (const path of PAGES) {
      await page.goto(`${server.url}/console${path}`)
      await page.locator('main h1').first().waitFor()
    }
    await until(() => streams().length === 1)
    await page.goBack({ waitUntil: 'commit' })
    await page.getByRole('heading', { name: 'Events' }).waitFor()
    const count = await page.locator('tbody tr').count()
    expect(count).toBeGreaterThan(0)
    await createKey('Back')
    await page.getByRole('button', { name: '1 new' }).waitFor()
  })

  test('the console loads when eight payment pages are open', async () => {
    const session = await ownSession()
    const orders = await Promise.all(
      Array.from({ length: 8 }, () =>
        server.call<{ payment: { pay_url: string } }>(session, 'POST', '/api/proxy/orders', {
          billingType: 'qris',
          amount: 10_000,
        }),
      ),
    )
    const { pages, context } = await openTabs(['/orders'])
    for (const { payment } of orders) {
      const page = await context.newPage()
      await page.goto(payment.pay_url)
      await page.getByRole('heading').first().waitFor()
    }
    const [page] = pages as [Page]
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('table').getByText('nxk_live_').first().waitFor()
  })

  for (const [how, go, visit] of [
    ['is closed', (page: Page) => page.close(), {}],
    ['goes to another site', (page: Page) => page.goto('about:blank'), {}],
    ['is frozen', (page: Page) => setState(page, 'frozen'), { isFresh: true }],
    ['crashes', (page: Page) => void page.goto('chrome://crash').catch(() => {}), isolated],
    ['no longer answers', hang, isolated],
  ] as const)
    test(`every other tab hears what happens when the tab with the stream ${how}`, async () => {
      const { pages, leader } = await openTabs([KEYS, KEYS, KEYS], visit)
      await Promise.all(pages.map((page) => page.getByRole('table').getByText('key.created').first().waitFor()))
      const first = await leader()
      await go(first)
      await createKey('Meanwhile')
      const others = pages.filter((page) => page !== first)
      await Promise.all(others.map((page) => page.getByRole('button', { name: '1 new' }).waitFor()))
      await createKey('Afterwards')
      await Promise.all(others.map((page) => page.getByRole('button', { name: '2 new' }).waitFor()))
    })

  test('a tab that was frozen shows what happened meanwhile when it is resumed', async () => {
    const { pages } = await openTabs([KEYS, KEYS], { isFresh: true })
    const [page] = pages as [Page]
    await page.getByRole('table').getByText('key.created').first().waitFor()
    await setState(page, 'frozen')
    await createKey('Unseen')
    await setState(page, 'active')
    await page.getByRole('button', { name: '1 new' }).waitFor()
  })

  test('tabs share one stream over plain http, where the browser has no locks', async () => {
    const { pages, streams, leader } = await openTabs([KEYS, KEYS, KEYS], { isFresh: true }, async (context) => {
      await context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'locks'))
    })
    expect(await pages[0]?.evaluate(() => 'locks' in navigator)).toBe(false)
    await Promise.all(pages.map((page) => page.getByRole('table').getByText('key.created').first().waitFor()))
    await until(() => streams().length === 1)
    const first = await leader()
    await first.close()
    await createKey('Without locks')
    const others = pages.filter((page) => page !== first)
    await Promise.all(others.map((page) => page.getByRole('button', { name: '1 new' }).waitFor()))
    expect(streams().length).toBe(1)
  })

  test('the others ask to sign in and continue after it when the tab with the stream signs out', async () => {
    const session = await server.signIn()
    const { pages, leader } = await openTabs([KEYS, KEYS], { session })
    await Promise.all(pages.map((page) => page.getByRole('table').getByText('key.created').first().waitFor()))
    const first = await leader()
    const other = pages.find((page) => page !== first) as Page
    await first.getByRole('button', { name: /Owner/ }).click()
    await first.getByRole('menuitem', { name: 'Sign out' }).click()
    const dialog = other.getByRole('dialog', { name: 'Sign in' })
    await dialog.locator('input[autocomplete="username"]').fill(server.owner.email)
    await dialog.locator('input[autocomplete="current-password"]').fill(server.owner.password)
    // A key created before the list is read again would be in it, and not be announced as new.
    const listed = other.waitForResponse((response) => /\/api\/proxy\/events/.test(response.url()) && response.ok())
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'detached' })
    await listed
    await createKey('Signed in again')
    await other.getByRole('button', { name: /new$/ }).waitFor()
  })

  let session: Promise<Session> | undefined
  const ownSession = () => {
    session ??= server.signIn()
    return session
  }
  const createKey = async (name: string) =>
    server.call(await ownSession(), 'POST', '/api/console/keys', { name, scopes: ['events:read'] })

  /** Tabs of one window, and which of them hold a stream. */
  async function openTabs(
    paths: readonly string[],
    options: VisitOptions = {},
    prepare: (context: BrowserContext) => Promise<void> = async () => {},
  ) {
    const first = await server.visit('/sign-in', { session: await ownSession(), ...options })
    const context = first.context()
    await prepare(context)
    const open = new Map<unknown, Page>()
    const pages: Page[] = []
    for (const path of paths) {
      const page = pages.length === 0 ? first : await context.newPage()
      page.on('request', (request) => {
        if (request.url().includes('/api/console/live')) open.set(request, page)
      })
      page.on('requestfinished', (request) => open.delete(request))
      page.on('requestfailed', (request) => open.delete(request))
      page.on('close', () => {
        for (const [request, owner] of open) if (owner === page) open.delete(request)
      })
      await page.goto(`${server.url}/console${path}`)
      pages.push(page)
    }
    const streams = () => [...open.values()]
    const leader = async () => {
      await until(() => streams().length === 1)
      return streams()[0] as Page
    }
    return { context, pages, streams, leader }
  }
})

async function setState(page: Page, state: 'frozen' | 'active'): Promise<void> {
  const line = await page.context().newCDPSession(page)
  await line.send('Page.setWebLifecycleState', { state })
}

/** The page stands still without having been asked to leave. */
async function hang(page: Page): Promise<void> {
  const line = await page.context().newCDPSession(page)
  await line.send('Debugger.enable')
  await line.send('Debugger.pause')
  page.evaluate(() => 1).catch(() => {})
}
