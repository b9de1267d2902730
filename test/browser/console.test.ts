import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { english } from '../../console/app/text/en.ts'
import { indonesian } from '../../console/app/text/id.ts'
import { authenticatorCode } from '../support/console.ts'
import { until } from '../support/until.ts'
import { describeInBrowser, findAccessProblems, useBrowser } from './browser.ts'
import { go, type Session, signIn, useConsoleServer, type VisitOptions, watchFetches } from './console-server.ts'

const PAGES: [path: string, title: keyof typeof english][] = [
  ['/', 'nav.home'],
  ['/chats', 'nav.chats'],
  ['/orders', 'nav.orders'],
  ['/payment-links', 'nav.links'],
  ['/payment-links?open=new', 'nav.links'],
  ['/replies', 'replies.saved'],
  ['/replies?open=new', 'replies.saved'],
  ['/templates', 'nav.templates'],
  ['/templates?open=new', 'nav.templates'],
  ['/books?tab=report', 'nav.books'],
  ['/books?tab=payments', 'nav.books'],
  ['/books?tab=refunds', 'nav.books'],
  ['/books?tab=settlements', 'nav.books'],
  ['/books?tab=statements', 'nav.books'],
  ['/broadcasts', 'nav.broadcasts'],
  ['/broadcasts?open=new', 'nav.broadcasts'],
  ['/orders/new', 'orders.create'],
  ['/products', 'nav.products'],
  ['/products?open=new', 'nav.products'],
  ['/customers', 'nav.customers'],
  ['/approvals', 'nav.approvals'],
  ['/keys', 'nav.keys'],
  ['/keys?open=new', 'nav.keys'],
  ['/webhooks', 'nav.webhooks'],
  ['/webhooks?tab=catalogue', 'nav.webhooks'],
  ['/deliveries', 'nav.deliveries'],
  ['/logs', 'nav.logs'],
  ['/events', 'nav.events'],
  ['/explorer', 'nav.explorer'],
  ['/people', 'nav.people'],
  ['/agents', 'nav.agents'],
  ['/agents?open=new', 'nav.agents'],
  ['/settings', 'nav.settings'],
  ['/settings?tab=hours', 'nav.settings'],
  ['/settings?tab=numbers', 'nav.settings'],
  ['/settings?tab=payments', 'nav.settings'],
  ['/audit', 'nav.audit'],
  ['/account', 'person.account'],
]

/** What the browser received, compressed. It is printed, because a limit alone does not show how far off it is. */
async function weightOf(page: Page): Promise<number> {
  const bytes = await page.evaluate(() =>
    performance.getEntries().reduce((sum, entry) => sum + ((entry as PerformanceResourceTiming).transferSize ?? 0), 0),
  )
  process.stderr.write(`${new URL(page.url()).pathname}: ${Math.round(bytes / 1000)} KB\n`)
  return bytes
}

/** The explorer reads the description of all operations. */
const weightMax = (path: string) => (path === '/explorer' ? 450_000 : 400_000)
const isWithin = (value: number, min: number, max: number) => min < value && value < max

/** The console as people use it: by what is written on the screen, in a real browser, against a real first start. */
describeInBrowser('the console', () => {
  const browser = useBrowser()
  const server = useConsoleServer(browser, { kind: 'installation' })
  const received: { headers: Record<string, string>; body: string }[] = []
  let receiver: Server
  let receiverUrl = ''
  /** The first hour: from the sign-in to a paid order that the endpoint has heard of, by clicks only. */
  let storyStartedMs = Number.NEGATIVE_INFINITY

  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      received.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString() })
      response.writeHead(204).end()
    })
    await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready))
    receiverUrl = `http://127.0.0.1:${(receiver.address() as { port: number }).port}/hooks`
  })
  afterAll(() => void receiver?.close())

  test('whoever is not signed in is asked to, and then comes where they wanted to', async () => {
    storyStartedMs = performance.now()
    const page = await server.visit('/keys', { isFresh: true })
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await weightOf(page)).toBeWithin(60_000, 120_000)
    const icon = await page.locator('link[rel=icon]').getAttribute('href')
    expect([icon, (await fetch(`${server.url}${icon}`)).status]).toEqual(['/console/icon.svg', 200])
    await signIn(page, { ...server.owner, password: 'not the password' })
    await page.getByText('Email or password is wrong').waitFor()
    await signIn(page, server.owner)
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    await page.waitForURL(`${server.url}/console/keys`)
  })

  test('a first visit of any page loads less than 400 KB with the typeface, the explorer less than 450 KB', async () => {
    const page = await server.visit('/chats', { session: await server.signIn(), isFresh: true })
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    await network.send('Network.setCacheDisabled', { cacheDisabled: true })
    const untilQuiet = watchFetches(page)
    const addresses = new Set(PAGES.map(([path]) => path.split('?')[0] ?? path))
    const tooHeavy: string[] = []
    for (const path of addresses) {
      await page.goto(`${server.url}/console${path}`)
      await page.locator('h1').first().waitFor()
      await untilQuiet()
      if (!isWithin(await weightOf(page), 100_000, weightMax(path))) tooHeavy.push(path)
    }
    expect(tooHeavy).toEqual([])
  })

  test('a key is shown once, works at once, and is gone from the screen afterwards', async () => {
    const page = await server.enter('/keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('Till')
    await page.getByText('Read only').click()
    expect(await page.getByRole('checkbox', { name: 'Send messages' }).isChecked()).toBe(false)
    await page.locator('form').getByRole('button', { name: 'Create key' }).click()
    const token = await secretOn(page, /^nxk_live_[0-9A-Za-z]{38}$/)
    const me = await fetch(`${server.url}/api/public/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    const { scopes, key } = (await me.json()) as { scopes: string[]; key: { expires_at: string } }
    const reading = ['chats:read', 'orders:read', 'products:read', 'events:read', 'webhooks:read', 'approvals:read']
    expect([me.status, scopes]).toEqual([200, reading])
    // A year is proposed: a key for ever has to be asked for.
    expect(Math.round((Date.parse(key.expires_at) - Date.now()) / (24 * 3600 * 1000))).toBe(365)
    // Copying it counts as having copied it.
    await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('checkbox', { name: 'I’ve copied it', checked: true }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('table').getByText('Till').waitFor()
    await page.reload()
    await page.getByRole('table').getByText('Till').waitFor()
    expect(await page.content()).not.toContain(token)
  })

  test('a double click on the button of a form makes one key', async () => {
    const page = await server.enter('/keys?open=new')
    await page.getByLabel('Name').fill('Clicked twice')
    await page.getByText('Read only').click()
    await page.locator('form').getByRole('button', { name: 'Create key' }).dblclick()
    await secretOn(page, /^nxk_live_[0-9A-Za-z]{38}$/)
    const keys = await page.evaluate(async () => (await fetch('/api/console/keys')).text())
    expect(keys.split('"Clicked twice"')).toHaveLength(2)
  })

  test('an endpoint is registered and an event arrives there, signed with the secret that was shown once', async () => {
    received.length = 0
    const page = await server.enter('/webhooks')
    // The page asks for the delivery before it is written down, as it may on a busy server.
    await page.route('**/api/proxy/deliveries/dlv_*', (route) => route.fulfill({ status: 404, body: '{}' }), {
      times: 1,
    })
    await page.getByRole('button', { name: 'Create endpoint' }).first().click()
    await page.getByLabel('URL').fill(receiverUrl)
    await page.locator('form').getByRole('button', { name: 'Create endpoint' }).click()
    const secret = await secretOn(page, /^whsec_/)
    await page.getByLabel('I’ve copied it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText(receiverUrl).first().click()
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
    await until(() => received.some(({ body }) => body.includes('"test":true')))
    const { headers, body } = received.find((request) =>
      request.body.includes('"test":true'),
    ) as (typeof received)[number]
    expect(new Webhook(secret).verify(body, headers)).toHaveProperty('type')
    await page.getByText('Your server responded 204').waitFor()
    await go(page, '/webhooks?tab=catalogue')
    await page.locator('code', { hasText: 'message.received' }).first().waitFor()
    expect(await page.locator('main').innerText()).not.toContain('`')
  })

  test('a customer writes, is answered, and the answer is read', async () => {
    const page = await server.enter('/')
    const start = page.getByRole('region', { name: 'Make your first sale' })
    for (const guide of await start.getByRole('link', { name: 'Read the guide' }).all())
      expect((await fetch(`${server.url}${await guide.getAttribute('href')}`)).status).toBe(200)
    await start.getByRole('link', { name: 'Play the customer' }).click()
    const dialog = page.getByRole('dialog', { name: 'New message' })
    await dialog.getByRole('button', { name: 'Send as customer' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Budi').first().click()
    const thread = page.getByRole('log')
    await page.getByPlaceholder('Write a message').fill('Buka jam tujuh, Kak Budi.')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await thread.getByText('Buka jam tujuh, Kak Budi.').waitFor()
    await page.getByPlaceholder('Write as the customer').fill('Siap, terima kasih!')
    await page.getByRole('button', { name: 'Send as customer' }).click()
    await thread.getByText('Siap, terima kasih!').waitFor()
    await thread.locator('.bubble', { hasText: 'Buka jam tujuh' }).locator('[data-status="read"]').waitFor()
  })

  test('an order is created and paid in the simulator, and the endpoint receives the event', async () => {
    const page = await server.enter('/orders')
    await page.getByRole('link', { name: 'Create order' }).first().click()
    const form = page.locator('form')
    await form.getByText('Amount', { exact: true }).first().click()
    await form.getByRole('textbox', { name: 'Amount' }).fill('25000')
    await form.getByRole('button', { name: 'Create order' }).click()
    await page.getByRole('img', { name: 'QRIS code' }).waitFor()
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await page.getByRole('main').getByText('Confirmed').first().waitFor()
    await until(() => received.some(({ body }) => body.includes('"order.paid"') && body.includes('25000')))
    expect(performance.now() - storyStartedMs).toBeLessThan(120_000)
    await go(page, '/')
    const sale = page.getByRole('region', { name: 'Your first sale is complete' })
    await sale.getByRole('button', { name: 'Close' }).click()
    await sale.waitFor({ state: 'detached' })
  })

  test('a call is found in the log by what was in it, with both sides', async () => {
    const marker = `tidak-ada-${Date.now()}`
    await fetch(`${server.url}/api/public/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: marker, body: 'x' }),
    })
    // A call is in the log within a second.
    const session = await server.signIn()
    const find = () => server.call<{ data: unknown[] }>(session, 'GET', `/api/console/request-logs?q=${marker}`)
    await until(async () => (await find()).data.length > 0)
    const page = await server.enter(`/logs?q=${marker}`)
    await page.getByRole('table').getByText('/messages').first().click()
    await page.locator('pre.code', { hasText: marker }).first().waitFor()
    await page.getByRole('tab', { name: 'PHP' }).click()
    await page.locator('pre.code', { hasText: 'curl_init' }).waitFor()
    await page.getByRole('link', { name: 'Edit and replay' }).click()
    // The logs have a field for bodies too.
    await page.getByRole('heading', { name: 'API explorer' }).waitFor()
    await page.getByLabel('Body').fill('{"to": "+6281311112222", "body": "Replayed"}')
    await page.getByRole('button', { name: 'Send request' }).click()
    await page.getByRole('link', { name: 'Open in request logs' }).waitFor()
    await page.locator('pre.code', { hasText: '"object": "message"' }).waitFor()
  })

  test('a second factor is asked for once it is on, and a wrong code does not pass', async () => {
    const person = await server.invite('developer')
    const page = await server.visit('/account', { session: await server.signIn(person) })
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Two-factor authentication' }) })
    await section.getByLabel('Current password').fill(person.password)
    await section.getByRole('button', { name: 'Turn on' }).click()
    const secret = await section.locator('pre.code').first().innerText()
    const qr = section.getByRole('img', { name: 'QR code for the authenticator app' })
    expect(await qr.evaluate((image: HTMLImageElement) => [image.complete, image.src.slice(0, 5)])).toEqual([
      true,
      'data:',
    ])
    const code = () => authenticatorCode(`otpauth://totp/nexkit?secret=${secret.trim()}`)
    await page.getByLabel('Code from your authenticator app').fill(code())
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('button', { name: 'Turn off' }).waitFor()

    const other = await server.visit('/')
    await signIn(other, person)
    await other.getByLabel('Code from your authenticator app').fill('000000')
    await other.getByRole('button', { name: 'Confirm' }).click()
    await other.getByText('The code is wrong').waitFor()
    await other.getByLabel('Code from your authenticator app').fill(code())
    await other.getByRole('button', { name: 'Confirm' }).click()
    await other.getByRole('heading', { name: 'Home' }).waitFor()

    await section.getByLabel('Current password').fill(person.password)
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('button', { name: 'Turn on' }).waitFor()
  })

  test('a passkey is added with the password, signs in without it, and is refused once deleted', async () => {
    const person = await server.invite('developer')
    const page = await browser.open({ locale: 'en-GB' })
    const device = await page.context().newCDPSession(page)
    await device.send('WebAuthn.enable')
    const options = { protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true } as const
    const abilities = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true }
    await device.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, ...abilities } })
    // A passkey belongs to a name; an address has none.
    await page.goto(`${server.url.replace('127.0.0.1', 'localhost')}/console/account`)
    await signIn(page, person)
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Passkeys' }) })
    await section.getByLabel('Passkey name').fill('Laptop')
    await section.getByLabel('Current password').fill('not the password')
    await section.getByRole('button', { name: 'Add passkey' }).click()
    await section.getByText('The current password is wrong.').waitFor()
    await section.getByLabel('Current password').fill(person.password)
    await section.getByRole('button', { name: 'Add passkey' }).click()
    await section.getByRole('cell', { name: 'Laptop' }).waitFor()
    await section.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByLabel('Passkey name').fill('Work laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await section.getByRole('cell', { name: 'Work laptop' }).waitFor()
    const signOut = async () => {
      await page.context().clearCookies()
      await page.goto(`${server.url.replace('127.0.0.1', 'localhost')}/console/account`)
    }
    await signOut()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await section.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await section.getByRole('cell', { name: 'Work laptop' }).waitFor({ state: 'detached' })
    await signOut()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('This passkey was not accepted.').waitFor()
    await device.detach()
  })

  test('a viewer who was invited sees no keys and cannot change anything', async () => {
    const page = await server.enter('/people')
    await page.getByLabel('Email').fill('viewer@example.com')
    await page.locator('form').getByLabel('Role').click()
    await page.getByRole('option', { name: 'Viewer' }).click()
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const invited = page.getByRole('status').filter({ hasText: 'No email was sent' })
    const link = (await invited.getByText('/console/invitations/').innerText()).trim()
    expect(await invited.innerText()).toContain('viewer@example.com')
    const guest = await server.visit(new URL(link).pathname.replace('/console', ''))
    await guest.getByLabel('Your name').fill('Vina')
    await guest.locator('input[type="password"]').fill('correct horse battery')
    await guest.getByRole('button', { name: 'Join' }).click()
    await guest.getByRole('heading', { name: 'Home' }).waitFor()
    await guest.getByRole('link', { name: 'Orders' }).first().waitFor()
    for (const name of ['API keys', 'Agents', 'Approvals'])
      await guest.getByRole('link', { name }).waitFor({ state: 'detached' })
    const refused = await guest.evaluate(async () => {
      const reply = await fetch('/api/console/keys')
      return [reply.status, ((await reply.json()) as { code: string }).code]
    })
    expect(refused).toEqual([403, 'power_missing'])
    await guest.goto(`${server.url}/console/keys?open=new`)
    await guest.getByRole('heading', { name: 'API keys' }).waitFor()
    await guest.getByText('Your role is Viewer. Ask an owner or admin to change it.').waitFor()
    expect(await guest.getByRole('button', { name: 'key' }).count()).toBe(0)
    expect(await guest.getByRole('alert').count()).toBe(0)
  })

  test('somebody who was removed signs in at a new invitation and is back', async () => {
    const person = await server.invite('agent')
    const page = await server.enter('/people')
    const last = page.getByRole('row', { name: server.owner.email }).getByRole('button', { name: 'Remove' })
    expect(await last.getAttribute('aria-disabled')).toBe('true')
    await last.click({ force: true })
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByText('This is the last owner.').waitFor()
    const remove = page.getByRole('row', { name: person.email }).getByRole('button', { name: 'Remove' })
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await remove.evaluate((button) => getComputedStyle(button).color)).toBe('rgb(248, 113, 113)')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByRole('row', { name: person.email }).getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('row', { name: person.email }).waitFor({ state: 'detached' })
    await page.getByLabel('Email').fill(person.email)
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = await page.getByRole('row', { name: person.email }).getByText('/console/invitations/').innerText()
    const guest = await server.visit(new URL(link).pathname.replace('/console', ''))
    await signIn(guest, person)
    await guest.getByRole('button', { name: 'Join' }).click()
    await guest.getByRole('heading', { name: 'Home' }).waitFor()
  })

  const looks: [string, VisitOptions, typeof english | typeof indonesian][] = [
    ['on a desk, in the light', {}, english],
    ['on a phone, in the dark, in Indonesian', { isDark: true, isPhone: true, language: 'id' }, indonesian],
  ]

  /** Pages of one thing, which have their list above the title, and what opens beside its list. */
  const addressesOf = async (session: Session): Promise<[string, keyof typeof english][]> => {
    const firstOf = async (path: string) =>
      (await server.call<{ data: { id: string }[] }>(session, 'GET', path)).data[0]?.id
    await server.call(session, 'POST', '/api/proxy/payment-links', { title: 'Kelas kopi', amount: 150_000 })
    await server.call(session, 'POST', '/api/console/agents', { name: 'Front desk', scopes: ['chats:read'] })
    return [
      [`/keys/${await firstOf('/api/console/keys')}`, 'nav.keys'],
      [`/webhooks/${await firstOf('/api/proxy/webhook-endpoints')}`, 'nav.webhooks'],
      [`/orders/${await firstOf('/api/proxy/orders')}`, 'nav.orders'],
      [`/customers/${await firstOf('/api/proxy/contacts')}`, 'nav.customers'],
      [`/payment-links/${await firstOf('/api/proxy/payment-links')}`, 'nav.links'],
      [`/agents/${await firstOf('/api/console/agents')}`, 'nav.agents'],
      [`/deliveries?test=true&open=${await firstOf('/api/proxy/deliveries?test=true')}`, 'nav.deliveries'],
      [`/logs?open=${await firstOf('/api/console/request-logs')}`, 'nav.logs'],
      [`/events?open=${await firstOf('/api/proxy/events')}`, 'nav.events'],
      ['/audit?open=1', 'nav.audit'],
    ]
  }

  test('every page is fit for everybody, on a desk and on a phone, in the light and in the dark', async () => {
    const session = await server.signIn()
    const lookAt = async ([look, options, words]: (typeof looks)[number]) => {
      const page = await server.visit('/account', { ...options, session })
      const untilQuiet = watchFetches(page)
      const pages: [string, keyof typeof english][] = [...PAGES]
      for (const [path, first] of await addressesOf(session)) pages.push([path, first])
      const problems: unknown[] = []
      for (const [path, title] of pages) {
        await go(page, path)
        await page.locator('h1, .page-parent', { hasText: words[title] }).first().waitFor()
        await untilQuiet()
        for (const problem of await findAccessProblems(page)) problems.push([look, path, problem])
        const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        if (tooWide > 1) problems.push([look, path, `${tooWide} px too wide`])
      }
      return problems
    }
    expect((await Promise.all(looks.map(lookAt))).flat()).toEqual([])
  }, 300_000)

  test('no page complained, and none asked anybody but this server', () => {
    expect(server.complaints).toEqual([])
  })
})

/** What is shown once, when it is there and looks as it should. */
async function secretOn(page: Page, pattern: RegExp): Promise<string> {
  return page.getByRole('dialog').locator('pre.code').filter({ hasText: pattern }).first().innerText()
}
