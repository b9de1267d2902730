import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { Locator, Page } from 'playwright-core'
import { runCommand } from '../support/server.ts'
import { until } from '../support/until.ts'
import { describeInBrowser, useBrowser } from './browser.ts'
import { go, type Session, signIn, useConsoleServer } from './console-server.ts'

type Order = { id: string; reference: string | null }

/** The console on a bad day: a slow line, a server that is gone, a session that ended, a second tab, a link that is not one's own. */
describeInBrowser('the console on a bad day', () => {
  const browser = useBrowser()
  const server = useConsoleServer(browser, { kind: 'process' })
  let receiver: Server
  let receiverUrl = ''
  const received: string[] = []
  let session: Session

  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      received.push(Buffer.concat(chunks).toString())
      response.writeHead(204).end()
    })
    await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready))
    receiverUrl = `http://127.0.0.1:${(receiver.address() as { port: number }).port}/hooks`
    session = await server.signIn()
    // Three commands, made beside the first tests, which mostly wait; whoever needs the shop hears of a failure.
    aSecondShop().catch(() => {})
  })
  afterAll(() => void receiver?.close())

  const recovered = () => received.filter((body) => body.includes('"type":"message.received"'))

  const findOrders = async (reference: string) =>
    (await server.call<{ data: Order[] }>(session, 'GET', `/api/proxy/orders?reference=${reference}`)).data

  test('what an endpoint missed is counted first, then sent with progress, and arrives', async () => {
    const endpoint = await server.call<{ id: string }>(session, 'POST', '/api/proxy/webhook-endpoints', {
      url: receiverUrl,
      events: ['message.received'],
    })
    const page = await server.enter(`/deliveries?endpoint=${endpoint.id}`)
    await page.getByRole('button', { name: 'Recover deliveries' }).click()
    const drawer = page.getByRole('dialog', { name: 'Recover deliveries' })
    await drawer.getByText('No recoveries yet').waitFor()
    await drawer.getByRole('button', { name: 'Recover deliveries' }).click()
    const dialog = page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Estimate' }) })
    await dialog.getByLabel('Deliveries').click()
    await page.getByRole('option', { name: 'Never sent' }).click()
    await dialog.getByRole('button', { name: 'Estimate' }).click()
    const sentence = await page.getByText(/[1-9]\d* deliveries to send/).innerText()
    expect(recovered()).toEqual([])
    await page.getByRole('button', { name: 'Start recovery' }).click()
    const count = Number.parseInt(sentence, 10)
    await drawer.getByRole('progressbar', { name: 'Recovery progress' }).waitFor()
    await drawer.getByText('Completed').waitFor()
    await drawer.getByText(`${count} / ${count}`).waitFor()
    await until(() => recovered().length === count)
    await page.keyboard.press('Escape')
    await page.getByRole('table').getByText('Delivered').first().waitFor()
  })

  test('on a slow line a page says that something is on its way, and an order is not made twice', async () => {
    const page = await server.enter('/keys')
    await page.getByRole('table').getByText('Demo key').waitFor()
    const line = await page.context().newCDPSession(page)
    await line.send('Network.enable')
    const slow = { offline: false, latency: 500, downloadThroughput: 40_000, uploadThroughput: 40_000 }
    await line.send('Network.emulateNetworkConditions', slow)
    const showList = await hold(page, '**/api/proxy/orders?*')
    await page.getByRole('link', { name: 'Orders' }).click()
    await page.locator('table .skeleton').first().waitFor()
    showList()
    await page.locator('table .skeleton').first().waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Create order' }).first().click()
    await fillOrder(page, 'slow-line')
    const create = await hold(page, '**/api/proxy/orders')
    const submit = page.locator('form').getByRole('button', { name: 'Create order' })
    await submit.click()
    await page.locator('form button[type="submit"][data-loading]').waitFor()
    await submit.click({ force: true })
    await page.locator('form').getByLabel('Reference').press('Enter')
    create()
    await page.getByRole('img', { name: 'QRIS code' }).waitFor()
    expect(await findOrders('slow-line')).toHaveLength(1)
    await page.unrouteAll({ behavior: 'wait' })
    await line.detach()
  })

  test('when the session ends over a form, what was typed is kept and goes out after signing in', async () => {
    const page = await server.visit('/orders?open=new', { session: await server.signIn() })
    await fillOrder(page, 'session-ended')
    await page.context().clearCookies()
    await page.locator('form').getByRole('button', { name: 'Create order' }).click()
    await page.getByText('Your session has expired').waitFor()
    await signIn(page, server.owner)
    await page.getByText('Your session has expired').waitFor({ state: 'detached' })
    expect(await page.locator('form').getByLabel('Reference').inputValue()).toBe('session-ended')
    expect(await findOrders('session-ended')).toEqual([])
    await page.locator('form').getByRole('button', { name: 'Create order' }).click()
    await page.getByRole('img', { name: 'QRIS code' }).waitFor()
    expect(await findOrders('session-ended')).toHaveLength(1)
  })

  test('signing out in one tab is seen in the other at once, and so is signing in again', async () => {
    const here = await server.visit('/orders?open=new', { session: await server.signIn() })
    await fillOrder(here, 'second-tab')
    const there = await here.context().newPage()
    await there.goto(`${server.url}/console/`)
    await there.getByRole('button', { name: /Owner/ }).click()
    await there.getByRole('menuitem', { name: 'Sign out' }).click()
    await here.getByText('Your session has expired').waitFor()
    await signIn(there, server.owner)
    await there.getByRole('heading', { name: 'Home' }).waitFor()
    await here.getByText('Your session has expired').waitFor({ state: 'detached' })
    await here.locator('form').getByRole('button', { name: 'Create order' }).click()
    await here.getByRole('img', { name: 'QRIS code' }).waitFor()
  })

  test('changing the organization in one tab stops the other until somebody chooses', async () => {
    await aSecondShop()
    const here = await server.visit('/orders?open=new', { session: await server.signIn() })
    await fillOrder(here, 'which-shop')
    const there = await here.context().newPage()
    await there.goto(`${server.url}/console/`)
    await there.getByRole('button', { name: /Demo Store/ }).click()
    await there.getByRole('menuitem', { name: 'Second Shop' }).click()
    await there.getByRole('button', { name: /Second Shop/ }).waitFor()
    await here.getByText('You switched to Second Shop').waitFor()
    await here.getByRole('button', { name: 'Stay in Demo Store' }).click()
    await there.getByText('You switched to Demo Store').waitFor()
    await here.locator('form').getByRole('button', { name: 'Create order' }).click()
    await here.getByRole('img', { name: 'QRIS code' }).waitFor()
    expect(await findOrders('which-shop')).toHaveLength(1)
  })

  test('an address with the id of another organization finds nothing', async () => {
    await aSecondShop()
    const first = async (path: string) =>
      (await server.call<{ data: { id: string }[] }>(session, 'GET', path)).data[0]?.id as string
    const own = [
      ['orders', await first('/api/proxy/orders')],
      ['chats', await first('/api/proxy/chats')],
      ['events', await first('/api/proxy/events')],
      ['deliveries', await first('/api/proxy/deliveries')],
      ['logs', await first('/api/console/request-logs')],
      ['keys', await first('/api/console/keys')],
      ['webhooks', await first('/api/proxy/webhook-endpoints')],
    ] as const
    const other = await server.signIn({ email: 'second@example.com', password: PASSWORD })
    const page = await server.visit('/orders', { session: other, hasOwnClock: true })
    await page.getByText('No orders yet').first().waitFor()
    for (const [place, id] of own) {
      await go(page, `/${place}?open=${id}`)
      // What may only be late is asked for again before it is called absent.
      await passTimeUntil(page, page.getByRole('alert').filter({ hasText: 'Not found' }).first())
      await go(page, `/${place}`)
      await page.getByRole('alert').first().waitFor({ state: 'detached' })
    }
  })

  test('a shop with nothing connected is told what is missing before it writes or sells, and where that is set up', async () => {
    await aSecondShop()
    const other = await server.signIn({ email: 'second@example.com', password: PASSWORD })
    const page = await server.visit('/chats?create=chat', { session: other })
    await page.getByText('No numbers connected yet').waitFor()
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    await go(page, '/orders?open=new')
    await page.getByText('No payment accounts yet').waitFor()
    expect(await page.locator('form').getByRole('button', { name: 'Create order' }).isDisabled()).toBe(true)
    await page.getByRole('link', { name: 'Connect payment account' }).click()
    await page.waitForURL(`${server.url}/console/settings?tab=payments`)
  })

  test('a server that is gone is told in a sentence, keeps what was typed, and goes on when it is back', async () => {
    const page = await server.visit('/orders?open=new', { session: await server.signIn(), hasOwnClock: true })
    await fillOrder(page, 'power-cut')
    await server.kill()
    const submit = page.locator('form').getByRole('button', { name: 'Create order' })
    await submit.click()
    await page.getByRole('alert').filter({ hasText: 'The server did not answer' }).waitFor()
    await passTimeUntil(page, page.getByText('Can’t reach the server. Retrying…'))
    expect(await page.locator('form').getByLabel('Reference').inputValue()).toBe('power-cut')
    await server.restart()
    await passTimeUntil(page, page.getByText('Can’t reach the server. Retrying…'), false)
    await submit.click()
    await page.getByRole('img', { name: 'QRIS code' }).waitFor()
    expect(await findOrders('power-cut')).toHaveLength(1)
  })

  test('no page complained, and none asked anybody but this server', () => {
    expect(server.complaints).toEqual([])
  })

  const PASSWORD = 'correct horse battery'
  let secondShop: Promise<void> | undefined

  const aSecondShop = (): Promise<void> => {
    secondShop ??= makeSecondShop()
    return secondShop
  }

  /** The owner works there too; somebody else only there. */
  async function makeSecondShop(): Promise<void> {
    const { installation } = server
    Object.assign(installation.environment, { SECOND_PASSWORD: PASSWORD })
    const shop = ['--org', 'second-shop', '--role', 'owner']
    const second = ['--email', 'second@example.com', '--name', 'Second', '--password-env', 'SECOND_PASSWORD']
    const made = [
      await runCommand(installation, 'org', 'create', '--name', 'Second Shop'),
      ...(await Promise.all([
        runCommand(installation, 'person', 'create', ...shop, '--email', server.owner.email, '--name', 'Owner'),
        runCommand(installation, 'person', 'create', ...shop, ...second),
      ])),
    ]
    expect(made.map(({ code, stderr }) => [code, stderr])).toEqual(made.map(() => [0, '']))
  }
})

/** Lets the page wait no longer than it has to for what it looks at again and again. */
const passTimeUntil = (page: Page, place: Locator, isThere = true): Promise<void> =>
  until(async () => {
    await page.clock.fastForward(1_000)
    return (await place.isVisible()) === isThere
  })

/** In the drawer: an amount to be paid by QRIS, and a reference to find it by. */
async function fillOrder(page: Page, reference: string): Promise<void> {
  const form = page.locator('form')
  await form.getByText('Amount', { exact: true }).first().click()
  await form.getByRole('textbox', { name: 'Amount' }).fill('25000')
  await form.getByLabel('Reference').fill(reference)
}

/** Requests of this kind are on their way until they are let go, on a fast machine and on a slow one. */
async function hold(page: Page, pattern: string): Promise<() => void> {
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>()
  await page.route(pattern, (route) => gate.then(() => route.continue()))
  return letGo
}
