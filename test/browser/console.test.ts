import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { until } from '../support/until.ts'
import { describeInBrowser, findAccessProblems, useBrowser } from './browser.ts'
import { signIn, useConsoleServer } from './console-server.ts'

const PAGES = [
  '/',
  '/chats',
  '/orders',
  '/keys',
  '/webhooks',
  '/webhooks?tab=catalogue',
  '/deliveries',
  '/logs',
  '/events',
  '/people',
  '/settings',
  '/settings?tab=numbers',
  '/settings?tab=payments',
  '/audit',
  '/account',
]

/** The console as people use it: by what is written on the screen, in a real browser, against a real first start. */
describeInBrowser('the console', () => {
  const server = useConsoleServer()
  const browser = useBrowser()
  const received: { headers: Record<string, string>; body: string }[] = []
  let receiver: Server
  let receiverUrl = ''

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
    const page = await server.visit(browser, '/keys')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn(page, { ...server.owner, password: 'not the password' })
    await page.getByText('E-mail or password is wrong').waitFor()
    await signIn(page, server.owner)
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/keys')
  }, 60_000)

  test('a key is shown once, works at once, and is gone from the screen afterwards', async () => {
    const page = await server.enter(browser, '/keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('Till')
    await page.getByText('Read only').click()
    await page.getByText('Cannot').waitFor()
    await page.locator('form').getByRole('button', { name: 'Create key' }).click()
    const token = await page.locator('pre.code').first().innerText()
    expect(token).toMatch(/^nxk_live_[0-9A-Za-z]{38}$/)
    const me = await fetch(`${server.url}/api/public/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    expect([me.status, ((await me.json()) as { scopes: string[] }).scopes]).toEqual([
      200,
      ['chats:read', 'orders:read', 'events:read', 'webhooks:read'],
    ])
    await page.getByLabel('I have copied it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('table').getByText('Till').waitFor()
    await page.reload()
    await page.getByRole('table').getByText('Till').waitFor()
    expect(await page.content()).not.toContain(token)
  }, 60_000)

  test('an endpoint is registered and an event arrives there, signed with the secret that was shown once', async () => {
    const page = await server.enter(browser, '/webhooks')
    await page.getByRole('button', { name: 'Add endpoint' }).first().click()
    await page.getByLabel('URL').fill(receiverUrl)
    await page.locator('form').getByRole('button', { name: 'Add endpoint' }).click()
    const secret = await page.locator('pre.code').first().innerText()
    expect(secret).toMatch(/^whsec_/)
    await page.getByLabel('I have copied it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText(receiverUrl).first().click()
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
    await until(() => received.some(({ body }) => body.includes('"test":true')))
    const { headers, body } = received.find((request) =>
      request.body.includes('"test":true'),
    ) as (typeof received)[number]
    expect(new Webhook(secret).verify(body, headers)).toHaveProperty('type')
    await page.getByText('Your server answered 204').waitFor()
  }, 60_000)

  test('a customer writes, is answered, and the answer is read', async () => {
    const page = await server.enter(browser, '/chats')
    await page.getByText('Budi').first().click()
    await page.getByPlaceholder('Write a message').fill('Buka jam tujuh, Kak Budi.')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Buka jam tujuh, Kak Budi.').first().waitFor()
    await page.getByPlaceholder('What the customer writes').fill('Siap, terima kasih!')
    await page.getByRole('button', { name: 'Write as the customer' }).click()
    await page.getByText('Siap, terima kasih!').first().waitFor()
  }, 60_000)

  test('an order is made, paid in the simulator, and the endpoint hears of it', async () => {
    const page = await server.enter(browser, '/orders')
    await page.getByRole('button', { name: 'Create order' }).first().click()
    const form = page.locator('form')
    await form.getByText('Amount', { exact: true }).first().click()
    await form.getByRole('textbox', { name: 'Amount' }).fill('25000')
    await form.getByRole('button', { name: 'Create order' }).click()
    await page.getByRole('img', { name: 'QRIS code to pay with' }).waitFor()
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await page.getByText('confirmed').first().waitFor()
    await until(() => received.some(({ body }) => body.includes('"order.paid"') && body.includes('25000')))
  }, 60_000)

  test('a call is found in the log by what was in it, with both sides', async () => {
    const marker = `tidak-ada-${Date.now()}`
    await fetch(`${server.url}/api/public/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: marker, body: 'x' }),
    })
    const page = await server.enter(browser, `/logs?q=${marker}`)
    // A call is in the log within a second.
    await until(async () => {
      await Promise.all([page.waitForResponse(/request-logs/), page.reload()])
      const rows = page.getByRole('table').getByText('/messages')
      return rows
        .first()
        .waitFor({ timeout: 1000 })
        .then(
          () => true,
          () => false,
        )
    })
    await page.getByRole('table').getByText('/messages').first().click()
    await page.getByText('As curl').waitFor()
    expect(await page.locator('pre.code').allInnerTexts()).toContainEqual(expect.stringContaining(marker))
  }, 60_000)

  test('a second factor is asked for once it is on, and a wrong code does not pass', async () => {
    const page = await server.enter(browser, '/account')
    await page.getByRole('heading', { name: 'Second factor' }).waitFor()
    await page.locator('form').nth(1).locator('input').fill(server.owner.password)
    await page.getByRole('button', { name: 'Switch on' }).click()
    const secret = await page.locator('pre.code').first().innerText()
    await page.getByLabel('Code from your authenticator app').fill(codeFor(secret))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('button', { name: 'Switch off' }).waitFor()

    const other = await server.visit(browser, '/')
    await signIn(other, server.owner)
    await other.getByLabel('Code from your authenticator app').fill('000000')
    await other.getByRole('button', { name: 'Confirm' }).click()
    await other.getByText('The code is wrong').waitFor()
    await other.getByLabel('Code from your authenticator app').fill(codeFor(secret))
    await other.getByRole('button', { name: 'Confirm' }).click()
    await other.getByRole('heading', { name: 'Home' }).waitFor()

    await page.locator('form').nth(1).locator('input').fill(server.owner.password)
    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.getByRole('button', { name: 'Switch on' }).waitFor()
    server.forgetSession()
  }, 90_000)

  test('a viewer who was invited sees no keys and cannot change anything', async () => {
    const page = await server.enter(browser, '/people')
    await page.getByLabel('E-mail').fill('viewer@example.com')
    await page.locator('form').getByLabel('Role').click()
    await page.getByRole('option', { name: 'Viewer' }).click()
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const link = await page.getByText('/console/invitations/').first().innerText()
    const guest = await server.visit(browser, new URL(link).pathname.replace('/console', ''))
    await guest.getByLabel('Your name').fill('Vina')
    await guest.locator('input[type="password"]').fill('correct horse battery')
    await guest.getByRole('button', { name: 'Join' }).click()
    await guest.getByRole('heading', { name: 'Home' }).waitFor()
    expect(await guest.getByRole('link', { name: 'API keys' }).count()).toBe(0)
    const refused = await guest.evaluate(async () => {
      const reply = await fetch('/api/console/keys')
      return [reply.status, ((await reply.json()) as { code: string }).code]
    })
    expect(refused).toEqual([403, 'power_missing'])
  }, 90_000)

  test('every page is fit for everybody, on a desk and on a phone, in the light and in the dark', async () => {
    for (const options of [{}, { isDark: true, isPhone: true, language: 'id' as const }]) {
      const page = await server.enter(browser, '/', options)
      for (const path of PAGES) {
        await page.goto(`${server.url}/console${path}`)
        await page.locator('h1').first().waitFor()
        await page.waitForLoadState('networkidle').catch(() => {})
        expect([path, options, await findAccessProblems(page)]).toEqual([path, options, []])
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        expect([path, options, overflow <= 1]).toEqual([path, options, true])
      }
    }
  }, 240_000)

  test('no page complained, and none asked anybody but this server', () => {
    expect(server.complaints).toEqual([])
  })
})

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 6238, as an authenticator app computes it. */
function codeFor(secret: string, nowMs = Date.now()): string {
  let bits = ''
  for (const letter of secret.trim().replace(/=+$/, '')) bits += BASE32.indexOf(letter).toString(2).padStart(5, '0')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = (digest[19] as number) & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
