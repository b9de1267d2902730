import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from '../test/browser/browser.ts'
import { anInstallation, runCommand, startServer, tokenIn, untilReady } from '../test/support/server.ts'
import { until } from '../test/support/until.ts'

/** Pictures of the main pages for the README and the guides, of a first start with its demo. Run: npm run screenshots */
const FOLDER = resolve(import.meta.dirname, '..', 'docs', 'images')
const DESK = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5 }
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
/** Tall enough for a short conversation with its QR code. */
const PANEL = { ...PHONE, viewport: { width: 390, height: 1060 }, deviceScaleFactor: 1.5 }
const SETTLING_MS = 1500
const PAGES = ['home', 'chats', 'orders', 'approvals', 'keys', 'webhooks', 'logs'] as const

const executablePath = findChromium()
if (executablePath === null)
  throw new Error('no Chromium found; install one, or "npx playwright-core install chromium"')
await mkdir(FOLDER, { recursive: true })
const installation = await anInstallation({ NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.1/32' })
const server = startServer(installation)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  await untilReady(installation, server)
  await until(async () => (await fetch(`${installation.url}/console`)).ok, 60_000)
  const orders = await settledOrders()
  const cookies = await signIn()
  await askAsAgent(cookies, orders)
  for (const name of PAGES) await take(name, { ...DESK, storageState: cookies }, pathOf(name, orders))
  await take('chats-phone', { ...PHONE, storageState: cookies }, pathOf('chats', orders))
  await take('home-dark', { ...DESK, storageState: cookies, colorScheme: 'dark' }, '/console/')
  await takeStrip(cookies)
  await take(
    'pay-page',
    PHONE,
    new URL(orders.find((order) => order.payment_status === 'pending')?.payment.pay_url ?? '').pathname,
  )
} finally {
  await browser.close()
  await server.stop()
  await installation.remove()
}

type Order = { id: string; chat_id: string | null; payment_status: string; payment: { pay_url: string } }

/** The demo is played in the background: it is over when its second order is paid. */
async function settledOrders(): Promise<Order[]> {
  let orders: Order[] = []
  const authorization = `Bearer ${tokenIn(server.stdout())}`
  await until(async () => {
    const reply = await fetch(`${installation.url}/api/public/v1/orders`, { headers: { authorization } })
    orders = ((await reply.json()) as { data?: Order[] }).data ?? []
    return orders.length === 2 && orders.some((order) => order.payment_status === 'paid')
  }, 30_000)
  return orders
}

function pathOf(name: (typeof PAGES)[number], orders: Order[]): string {
  const pending = orders.find((order) => order.payment_status === 'pending')
  if (name === 'home') return '/console/'
  if (name === 'chats') return `/console/chats?open=${pending?.chat_id}`
  if (name === 'orders') return `/console/orders/${pending?.id}`
  return `/console/${name}`
}

async function signIn() {
  const page = await open(DESK)
  await page.goto(`${installation.url}/console/`)
  const [, email = ''] = /Email\s+(\S+)/.exec(server.stdout()) ?? []
  const [, password = ''] = /Password\s+(\S+)/.exec(server.stdout()) ?? []
  await page.locator('input[autocomplete="username"]').fill(email)
  await page.locator('input[autocomplete="current-password"]').fill(password)
  await page.locator('form button[type="submit"]').click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  const { cookies } = await page.context().storageState()
  return { cookies, origins: [] }
}

/** An agent that wants two things of the customer who has not paid yet. */
async function askAsAgent({ cookies }: Awaited<ReturnType<typeof signIn>>, orders: Order[]): Promise<void> {
  const chatId = orders.find((order) => order.payment_status === 'pending')?.chat_id
  const post = (path: string, headers: Record<string, string>, body: object) =>
    fetch(installation.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const agent = { name: 'Front desk', scopes: ['chats:read', 'messages:send', 'orders:write'] }
  const made = await post('/api/console/agents', { cookie, origin: installation.url }, agent)
  const authorization = `Bearer ${((await made.json()) as { token: string }).token}`
  const items = [
    { name: 'Kopi susu', quantity: 2, unit_price: 18_000 },
    { name: 'Roti bakar', quantity: 1, unit_price: 22_000 },
  ]
  await post('/api/public/v1/messages', { authorization }, { to: chatId, body: 'Kami buka sampai pukul 21, Kak.' })
  await post('/api/public/v1/orders', { authorization }, { billingType: 'qris', items, chat_id: chatId })
}

async function open(options: BrowserContextOptions): Promise<Page> {
  return (await browser.newContext({ locale: 'en-GB', timezoneId: 'Asia/Jakarta', ...options })).newPage()
}

async function take(name: string, options: BrowserContextOptions, path: string): Promise<void> {
  await writeFile(join(FOLDER, `${name}.png`), await shoot(options, path))
  console.log(`wrote docs/images/${name}.png`)
}

async function shoot(options: BrowserContextOptions, path: string): Promise<Buffer> {
  const page = await open(options)
  await page.goto(installation.url + path)
  // Grey blocks stand for data that is still loading; images follow it.
  await page.waitForFunction(() => document.querySelector('h1') && !document.querySelector('.skeleton'))
  await page.waitForTimeout(SETTLING_MS)
  await page.waitForFunction(() => [...document.images].every((image) => image.complete))
  const picture = await page.screenshot()
  await page.context().close()
  return picture
}

/** The picture at the top of the README: a customer asks, gets an order to pay, and has paid it. */
async function takeStrip(storageState: Awaited<ReturnType<typeof signIn>>): Promise<void> {
  const rina = { name: 'Rina', phone: '+6281344445555' }
  await run('simulate', 'message', '--from', rina.phone, '--name', rina.name, '--text', 'Dua kopi susu ya, Kak')
  const items = [{ name: 'Kopi susu', quantity: 2, unit_price: 18_000 }]
  const order = await postOrder({ billingType: 'qris', items, customer: rina })
  const chat = await shoot({ ...PANEL, storageState }, `/console/chats?open=${order.chat_id}`)
  const payPage = await shoot(PANEL, new URL(order.payment.pay_url).pathname)
  await run('simulate', 'pay', '--order', order.id)
  const paid = await shoot({ ...PANEL, storageState }, `/console/orders/${order.id}`)
  await composeStrip([
    ['1. The order arrives in the chat', chat],
    ['2. The customer pays by QRIS', payPage],
    ['3. The order is paid', paid],
  ])
}

async function composeStrip(panels: readonly (readonly [title: string, picture: Buffer])[]): Promise<void> {
  const { width, height } = PANEL.viewport
  const figures = panels.map(
    ([title, picture]) =>
      `<figure><figcaption>${title}</figcaption><img src="data:image/png;base64,${picture.toString('base64')}"></figure>`,
  )
  const page = await open({ viewport: { width: 3 * width + 160, height: height + 120 }, deviceScaleFactor: 1.5 })
  await page.setContent(`<style>
    body { margin: 0; padding: 24px 40px 40px; display: flex; gap: 40px; background: #e7f2ef; font: 600 19px system-ui, sans-serif; color: #14322c }
    figure { margin: 0 } figcaption { padding: 0 0 14px 4px }
    img { display: block; width: ${width}px; border-radius: 24px; box-shadow: 0 6px 24px #0003 }
  </style>${figures.join('')}`)
  await page.locator('body').screenshot({ path: join(FOLDER, 'chat-order-paid.png') })
  console.log('wrote docs/images/chat-order-paid.png')
  await page.context().close()
}

async function run(...words: string[]): Promise<void> {
  const { code, stderr } = await runCommand(installation, ...words)
  if (code !== 0) throw new Error(`nexkit ${words.join(' ')}: ${stderr}`)
}

async function postOrder(body: object): Promise<Order> {
  const reply = await fetch(`${installation.url}/api/public/v1/orders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenIn(server.stdout())}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const order = (await reply.json()) as Order
  await until(async () => (await readOrder(order.id)).chat_id !== null)
  return readOrder(order.id)
}

async function readOrder(id: string): Promise<Order> {
  const authorization = `Bearer ${tokenIn(server.stdout())}`
  const reply = await fetch(`${installation.url}/api/public/v1/orders/${id}`, { headers: { authorization } })
  return (await reply.json()) as Order
}
