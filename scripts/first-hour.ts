import { createServer } from 'node:http'
import { chromium, type Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { findChromium } from '../test/browser/browser.ts'
import { anInstallation, startServer, untilReady } from '../test/support/server.ts'
import { until } from '../test/support/until.ts'

/**
 * The first hour of a new user, played by clicks in a browser on a fresh installation: sign in, set up the organization, connect a simulated
 * number, send a message, take an order that is paid, register an endpoint whose delivery verifies, create a key. Prints the clicks and the
 * time of every step, and fails above the limits. Run: npm run first-hour
 */
const CLICKS_MAX = 40
const MINUTES_MAX = 6
const WAIT_MS = 60_000

const executablePath = findChromium()
if (executablePath === null)
  throw new Error('no Chromium found; install one, or "npx playwright-core install chromium"')
const received: { headers: Record<string, string>; body: string }[] = []
const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  received.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString() })
  response.writeHead(204).end()
})
await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready))
const receiverUrl = `http://127.0.0.1:${(receiver.address() as { port: number }).port}/hooks`
const installation = await anInstallation({ NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.1/32' })
const server = startServer(installation)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
let clicks = 0
async function openPage(): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Asia/Jakarta' })
  context.setDefaultTimeout(WAIT_MS)
  await context.exposeFunction('noteClick', () => {
    clicks += 1
  })
  // Every press of the mouse, on whatever.
  await context.addInitScript(`addEventListener('pointerdown', () => noteClick(), { capture: true })`)
  return context.newPage()
}

async function playFirstHour(page: Page): Promise<void> {
  const startedMs = performance.now()
  for (const [name, play] of Object.entries(steps)) {
    const [clicksBefore, beganMs] = [clicks, performance.now()]
    await play(page)
    const seconds = ((performance.now() - beganMs) / 1000).toFixed(1)
    console.log(`${name.padEnd(24)} ${String(clicks - clicksBefore).padStart(3)} clicks  ${seconds.padStart(6)} s`)
  }
  const minutes = (performance.now() - startedMs) / 60_000
  console.log(`${'in all'.padEnd(24)} ${String(clicks).padStart(3)} clicks  ${(minutes * 60).toFixed(1).padStart(6)} s`)
  if (clicks >= CLICKS_MAX || minutes >= MINUTES_MAX) {
    console.error(`The first hour must take fewer than ${CLICKS_MAX} clicks and ${MINUTES_MAX} minutes.`)
    process.exitCode = 1
  }
}

const wordAfter = (name: string) => new RegExp(`${name}\\s+(\\S+)`).exec(server.stdout())?.[1] ?? ''
/** Beside some names stands what is counted there. */
const goTo = (page: Page, name: string) =>
  page
    .getByRole('navigation')
    .getByRole('link', { name: new RegExp(`^${name}`) })
    .first()
    .click()
const secretOn = (page: Page, pattern: RegExp) =>
  page.getByRole('dialog').locator('pre.code').filter({ hasText: pattern }).first().innerText()
const inForm = (page: Page, name: string) => page.locator('form').getByRole('button', { name }).click()

/** What was shown once is copied, which counts as having kept it. */
async function keepShown(page: Page): Promise<void> {
  await page.getByRole('dialog').getByLabel('I’ve copied it').check()
  await page.getByRole('button', { name: 'Done' }).click()
}

const steps: Record<string, (page: Page) => Promise<void>> = {
  async 'sign in'(page) {
    await page.goto(`${installation.url}/console/`)
    await page.locator('input[autocomplete="username"]').fill(wordAfter('Email'))
    await page.locator('input[autocomplete="current-password"]').fill(wordAfter('Password'))
    await page.locator('form button[type="submit"]').click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  },
  async organization(page) {
    await goTo(page, 'Settings')
    await page.getByLabel('Name').first().fill('Kopi Senja')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByText('Saved.').waitFor()
  },
  async 'simulated number'(page) {
    await page.getByRole('tab', { name: 'Business numbers' }).click()
    await page.getByRole('button', { name: 'Connect number' }).click()
    const form = page.getByRole('dialog', { name: 'Connect number' })
    await form.getByRole('combobox', { name: 'Connector' }).click()
    await page.getByRole('option', { name: 'Simulator' }).click()
    await form.getByLabel('Phone number ID').fill('200300400')
    await form.getByPlaceholder('+62 21 5000 1000').fill('+62 21 5000 2000')
    await form.getByRole('button', { name: 'Connect number' }).click()
    await form.waitFor({ state: 'detached' })
  },
  async 'first message'(page) {
    await goTo(page, 'Chats')
    await page.getByRole('button', { name: 'New message' }).click()
    const dialog = page.getByRole('dialog', { name: 'New message' })
    await dialog.getByLabel('Customer’s phone number').fill('0813 5555 0001')
    await dialog.getByLabel('Message').fill('Halo, kopi susu hari ini Rp 18.000.')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('log').getByText('Halo, kopi susu hari ini').waitFor()
  },
  async 'first order, paid'(page) {
    await goTo(page, 'Orders')
    await page.getByRole('link', { name: 'Create order' }).first().click()
    const form = page.locator('form')
    await form.getByText('Amount', { exact: true }).first().click()
    await form.getByRole('textbox', { name: 'Amount' }).fill('25000')
    await inForm(page, 'Create order')
    await page.getByRole('img', { name: 'QRIS code' }).waitFor()
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await page.getByRole('main').getByText('Confirmed').first().waitFor()
  },
  async 'verified delivery'(page) {
    await goTo(page, 'Webhooks')
    await page.getByRole('button', { name: 'Create endpoint' }).first().click()
    await page.getByLabel('URL').fill(receiverUrl)
    await inForm(page, 'Create endpoint')
    const secret = await secretOn(page, /^whsec_/)
    await keepShown(page)
    await page.getByText(receiverUrl).first().click()
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByText('Your server responded 204').waitFor()
    const { headers, body } = received.findLast((request) => request.body.includes('"test":true')) ?? received[0] ?? {}
    new Webhook(secret).verify(body ?? '', headers ?? {})
  },
  async 'API key'(page) {
    await goTo(page, 'API keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('Till')
    await page.getByText('Read only').click()
    await inForm(page, 'Create key')
    const token = await secretOn(page, /^nxk_live_/)
    const me = await fetch(`${installation.url}/api/public/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    if (me.status !== 200) throw new Error(`the new key was answered with ${me.status}`)
    await keepShown(page)
  },
}

try {
  await untilReady(installation, server)
  await until(async () => (await fetch(`${installation.url}/console`)).ok, 3 * WAIT_MS)
  await playFirstHour(await openPage())
} finally {
  await browser.close()
  receiver.close()
  await server.stop()
  await installation.remove()
}
