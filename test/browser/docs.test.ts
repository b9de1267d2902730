import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { ensureDocsBuild } from '../../src/boot/site-build.ts'
import { type ListeningServer, listen } from '../../src/platform/runtime/server.ts'
import { useTestApp } from '../support/app.ts'
import { aKey, anOrganization } from '../support/makers.ts'
import { until } from '../support/until.ts'
import { DESKTOP, describeInBrowser, findAccessProblems, PHONE, useBrowser } from './browser.ts'

const BUILD_MS = 400_000

/** The docs as a reader sees them: in both themes, on a phone, searched, and tried with a key. */
describeInBrowser('the docs', () => {
  const docsFolder = ensureDocsBuild({ say: () => {}, isUrgent: true })
  const app = useTestApp({ docsFolder: () => docsFolder })
  const browser = useBrowser()
  const complaints: string[] = []
  let server: ListeningServer
  let token: string

  beforeAll(async () => {
    await docsFolder
    server = listen({
      host: '127.0.0.1',
      port: 0,
      bodyBytesMax: 1024,
      handle: (request, readSocketAddress) => app.app.fetch(request, readSocketAddress),
      onError: () => new Response(null, { status: 500 }),
    })
    const { id } = await anOrganization(app.database)
    token = (await aKey(app.database, id)).token
  }, BUILD_MS)
  afterAll(() => server?.drain(1_000))

  async function visit(path: string, options: Parameters<typeof browser.open>[0] = DESKTOP): Promise<Page> {
    const page = await browser.open(options)
    page.on('console', (message) => message.type() === 'error' && complaints.push(`${path}: ${message.text()}`))
    page.on('pageerror', (error) => complaints.push(`${path}: ${error.message}`))
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (origin !== server.url && protocol.startsWith('http')) complaints.push(`${path} asked ${request.url()}`)
    })
    await page.goto(server.url + path)
    await page.locator('h1').waitFor()
    return page
  }

  const PAGES = [
    '/docs/',
    '/docs/api/create-order',
    '/docs/objects/order',
    '/docs/events/order.paid',
    '/docs/errors',
    '/docs/id/',
  ]

  test.each([
    ['light', 'on a desktop', DESKTOP],
    ['dark', 'on a desktop', DESKTOP],
    ['light', 'on a phone', PHONE],
    ['dark', 'on a phone', PHONE],
  ] as const)(
    'pages have no serious access problem in %s colours %s, and no page scrolls sideways',
    async (colorScheme, _, size) => {
      const page = await visit('/docs/', { ...size, colorScheme })
      for (const path of PAGES) {
        await page.goto(server.url + path)
        await page.locator('h1').waitFor()
        expect([path, await findAccessProblems(page)]).toEqual([path, []])
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect([path, overflow]).toEqual([path, 0])
      }
    },
  )

  test.each([
    ['/docs/', 'webhook retry'],
    ['/docs/', 'refund'],
    ['/docs/', '401'],
    ['/docs/id/', 'bayar'],
  ])('search on %s finds "%s"', async (path, words) => {
    const page = await visit(path)
    await page.keyboard.press('Control+k')
    await page.locator('.VPLocalSearchBox input').fill(words)
    const first = page.locator('.VPLocalSearchBox .result').first()
    await first.waitFor()
    if (words === 'refund') expect(await findAccessProblems(page)).toEqual([])
    await first.click()
    await page.locator('.VPLocalSearchBox').waitFor({ state: 'detached' })
    // The box closes before the page that was found has replaced this one.
    const word = words.split(' ')[0] as string
    await until(async () => (await page.locator('main').innerText()).toLowerCase().includes(word))
  })

  test('a reader tries a call with a key, which stays in the tab', async () => {
    const page = await visit('/docs/api/get-me')
    await page.getByLabel('API key').fill(token)
    await page.getByRole('button', { name: 'Send' }).click()
    const form = page.locator('.try-it')
    await form.locator('.status', { hasText: '200 OK' }).waitFor()
    expect(await form.getByLabel('Body of the response').innerText()).toContain('"scopes"')
    await form.getByText('Headers').click()
    expect(await form.getByLabel('Headers of the response').innerText()).toContain('x-request-id: ')
    expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([token])
    expect(await page.evaluate(() => Object.values(localStorage))).not.toContain(token)
    expect(await findAccessProblems(page)).toEqual([])
  })

  test('a wrong key and an unknown id are answered as the API answers them', async () => {
    const page = await visit('/docs/api/get-order', PHONE)
    await page.getByLabel('API key').fill('nxk_live_wrong')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.try-it .status', { hasText: '401' }).waitFor()
    await page.getByLabel('API key').fill(token)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.try-it .status', { hasText: '404' }).waitFor()
    expect(await page.getByLabel('Body of the response').innerText()).toContain('order_not_found')
    // The browser reports answers of that kind too.
    complaints.splice(0)
  })

  test('the chosen language is shown in all tabs and on the next page', async () => {
    const page = await visit('/docs/api/create-order')
    await page.locator('.vp-code-group .tabs label', { hasText: 'Python' }).click()
    await page
      .locator('.vp-code-group .vp-adaptive-theme.active, .vp-code-group .active')
      .getByText('import requests')
      .waitFor()
    await page.getByRole('link', { name: 'List orders' }).first().click()
    await page.waitForURL('**/docs/api/list-orders')
    await page.locator('.vp-code-group .active').getByText('requests.get').waitFor()
  })

  test('a code is copied without its prompt or its language', async () => {
    const page = await browser.openFresh({ ...DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(`${server.url}/docs/`)
    const block = page.locator('div[class*="language-"]').first()
    await block.hover()
    await block.locator('button.copy').click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toStartWith('curl http://localhost:3900/api/public/v1/me')
  })

  test('nothing was asked of another host, and no policy was violated', () => {
    expect(complaints).toEqual([])
  })
})
