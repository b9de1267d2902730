import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import type { OrgId } from '../../src/kernel/ids.ts'
import { createPayPageSource } from '../../src/orders/pay-page/pay-page.ts'
import { createLinkPageSource } from '../../src/orders/payment-links/payment-links.ts'
import { simulatePay } from '../../src/payments/connectors/simulator/simulator.ts'
import { type ListeningServer, listen } from '../../src/platform/runtime/server.ts'
import { createPaySite } from '../../src/surfaces/pay/pay-site.ts'
import { createSimulatedPayer } from '../../src/surfaces/pay/simulated-payer.ts'
import { quietLog } from '../support/log.ts'
import { useOrders } from '../support/orders.ts'
import { wordsOfPdf } from '../support/pdf.ts'
import { until } from '../support/until.ts'
import type { Json } from '../support/webhooks.ts'
import { DESKTOP, describeInBrowser, findAccessProblems, PHONE, useBrowser } from './browser.ts'

/** How often a page looks whether the money has come. */
const POLL_MS = 3_000

/** Decoded by the browser itself, in a window without the page's policy. */
async function readPixels(page: Page, png: Buffer): Promise<{ width: number; height: number; data: Uint8Array }> {
  const { width, height, dark } = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
    const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D
    context.drawImage(bitmap, 0, 0)
    const image = context.getImageData(0, 0, bitmap.width, bitmap.height)
    let dark = ''
    for (let at = 0; at < image.data.length; at += 4) dark += (image.data[at] as number) < 128 ? '1' : '0'
    return { width: image.width, height: image.height, dark }
  }, png.toString('base64'))
  const data = Uint8Array.from({ length: dark.length * 4 }, (_, at) => (at % 4 < 3 && dark[at >> 2] === '1' ? 0 : 255))
  return { width, height, data }
}

/** The pay page as a payer sees it: on a phone first, in the dark too, alive without being loaded again. */
describeInBrowser('the pay page', () => {
  const bench = useOrders()
  const browser = useBrowser()
  let server: ListeningServer
  let orgId: OrgId
  const problems: string[] = []

  beforeAll(async () => {
    const { clock, payments } = bench
    const source = createPayPageSource(bench.orders.context)
    const simulatedPayer = createSimulatedPayer(payments)
    const site = createPaySite({
      source,
      links: createLinkPageSource(bench.orders),
      tokens: payments.tokens,
      simulatedPayer,
      clock,
      log: quietLog,
    })
    server = listen({
      host: '127.0.0.1',
      port: 0,
      bodyBytesMax: 1024,
      handle: (request) => site.fetch(request) ?? new Response('not a payment page', { status: 404 }),
      onError: () => new Response(null, { status: 500 }),
    })
    orgId = await bench.anOrg()
  })
  afterAll(() => server?.drain(1_000))

  const urlOf = (order: Json, query = '') => `${order.pay_url.replace('http://localhost:3900', server.url)}${query}`

  type Window = Parameters<typeof browser.open>[0] & { hasOwnClock?: boolean }

  async function openWindow({ hasOwnClock = false, ...options }: Window = PHONE): Promise<Page> {
    const page = await (hasOwnClock ? browser.openFresh(options) : browser.open(options))
    if (hasOwnClock) await page.clock.install()
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    return page
  }

  async function showIn(page: Page, order: Json, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    await page.emulateMedia({ colorScheme })
    await page.goto(urlOf(order))
    // Drawn by the server, then dressed by the script, which the copy buttons wait for.
    await page.locator('h1').waitFor()
    return page
  }

  const show = async (order: Json, options?: Window): Promise<Page> => showIn(await openWindow(options), order)

  /** The code is there and can be seen. */
  const untilDrawn = (page: Page) =>
    until(() => page.getByRole('img', { name: /QRIS/ }).evaluate((image: HTMLImageElement) => image.naturalWidth > 0))

  async function pay(order: Json, amount?: number) {
    const { account_id: accountId } = await bench.database.one<{ account_id: string }>`
      select account_id from payments where org_id = ${orgId} and id = ${order.payment.id}`
    const open = await bench.accounts.open(orgId, accountId)
    if (open === null) throw new Error('no account')
    const attempt = { id: order.payment.id, amount: order.payment.amount }
    const payment = { account: open.account, attempt, now: new Date(bench.clock.now()), ...(amount && { amount }) }
    for (const notice of simulatePay(payment)) await bench.payments.receiveNotice('simulator', accountId, notice)
    await bench.settle()
  }

  const account = { billingType: 'virtual_account', payment: { method: 'virtual_account', bank: 'bri' } }

  const methods = [{}, account, { ...account, payment: { ...account.payment, bank: 'mandiri' } }]

  test('fits a phone: nothing to scroll sideways, a code that is large enough, buttons for a thumb', async () => {
    const page = await openWindow()
    for (const fields of methods) {
      await showIn(page, await bench.anOrder(orgId, { amount: 9_345_678, ...fields }))
      const controls = page.locator('button:visible, a.button:visible')
      await controls.first().waitFor()
      const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth])
      expect(widths[0]).toBeLessThanOrEqual(widths[1] as number)
      const card = await page.locator('main').boundingBox()
      const edge = (card?.x ?? 0) + (card?.width ?? 0)
      for (const control of await controls.all()) {
        const box = await control.boundingBox()
        expect(box?.height).toBeGreaterThanOrEqual(44)
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(edge - 12)
      }
    }
    await showIn(page, await bench.anOrder(orgId, { amount: 9_345_678 }))
    await untilDrawn(page)
    expect((await page.getByRole('img', { name: /QRIS/ }).boundingBox())?.width).toBeGreaterThan(280)
  })

  test('the code can be read off the screen, by day and at night', async () => {
    const order = await bench.anOrder(orgId, { amount: 9_345_678 })
    const [reader, page] = [await browser.open(), await openWindow()]
    for (const colorScheme of ['light', 'dark'] as const) {
      await showIn(page, order, colorScheme)
      await untilDrawn(page)
      expect(decodeQR(await readPixels(reader, await page.locator('.qr').screenshot()))).toBe(order.payment.qris.string)
    }
  })

  const paidOrder = async () => {
    const order = await bench.anOrder(orgId)
    await pay(order)
    return order
  }
  const cancelledOrder = async () => {
    const order = await bench.anOrder(orgId)
    await bench.call(orgId, 'POST', `/orders/${order.id}/cancel`)
    return order
  }

  const items = [{ name: 'Kopi susu gula aren', quantity: 2, unit_price: 18_000 }]
  const choice = { billingType: 'choice', amount: undefined, items, shipping: 9_000 }

  const sights = [
    ['a code by day on a phone', () => bench.anOrder(orgId), 'phone', 'light'],
    ['a code at night on a phone', () => bench.anOrder(orgId), 'phone', 'dark'],
    ['a number by day on a desk', () => bench.anOrder(orgId, account), 'desk', 'light'],
    ['what is paid, at night', paidOrder, 'phone', 'dark'],
    ['what is cancelled, by day', cancelledOrder, 'phone', 'light'],
    ['a choice at night', () => bench.anOrder(orgId, choice), 'phone', 'dark'],
    ['a wallet by day', () => bench.anOrder(orgId, { billingType: 'ewallet' }), 'phone', 'light'],
  ] as const

  test('axe finds nothing, whatever there is to see: by day and at night, on a phone and on a desk', async () => {
    const windows = { phone: await openWindow(PHONE), desk: await openWindow(DESKTOP) }
    const found: [string, unknown[]][] = []
    for (const [sight, make, window, colorScheme] of sights) {
      const page = await showIn(windows[window], await make(), colorScheme)
      found.push([sight, await findAccessProblems(page, ['minor', 'moderate', 'serious', 'critical'])])
    }
    expect(found).toEqual(sights.map(([sight]) => [sight, []]))
  })

  /** The next look of the page comes at once instead of after its usual wait. */
  const passTime = (page: Page) => page.clock.runFor(POLL_MS)

  test('offers the remaining amount with a button when a part was received, on a phone and without scripts', async () => {
    for (const options of [PHONE, { ...PHONE, javaScriptEnabled: false }]) {
      const order = await bench.anOrder(orgId, { amount: 25_000 })
      await pay(order, 20_000)
      const page = await show(order, options)
      await page.getByText('Virtual account', { exact: true }).click()
      await page.getByLabel('BNI').check()
      const button = page.getByRole('button', { name: /^Bayar Rp/ })
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44)
      const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth])
      expect(widths[0]).toBeLessThanOrEqual(widths[1] as number)
      await button.click()
      await page.getByText('Nomor virtual account').first().waitFor()
      expect((await bench.getOrder(orgId, order.id)).payment).toMatchObject({
        method: 'virtual_account',
        amount: 5_000,
      })
    }
  })

  test('lets the payer choose, change their mind and pay, on a phone with and without scripts', async () => {
    for (const options of [PHONE, { ...PHONE, javaScriptEnabled: false }]) {
      const order = await bench.anOrder(orgId, choice)
      const page = await show(order, options)
      const fits = async () => {
        const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth])
        expect(widths[0]).toBeLessThanOrEqual(widths[1] as number)
      }
      await page.getByText('2 × Kopi susu gula aren').waitFor()
      await fits()
      await page.getByLabel('QRIS').check()
      await page.getByRole('button', { name: 'Lanjutkan' }).click()
      await page.getByRole('img', { name: /QRIS/ }).waitFor()
      await page.getByText('Ganti metode pembayaran').click()
      await page.getByText('E-wallet', { exact: true }).click()
      await page.getByLabel('GoPay').check()
      await fits()
      await page.getByRole('button', { name: 'Lanjutkan' }).click()
      const link = page.getByRole('link', { name: 'Buka GoPay' })
      await link.waitFor()
      const { payments } = await bench.getOrder(orgId, order.id)
      expect(payments.map(({ method, status }: Json) => [method, status])).toEqual([
        ['qris', 'cancelled'],
        ['ewallet', 'pending'],
      ])
      // The link names the public address of the server, which is another one here.
      await page.goto((await link.getAttribute('href'))?.replace('http://localhost:3900', server.url) ?? '')
      await page.getByRole('button', { name: /^Bayar Rp/ }).click()
      await bench.settle()
      await page.goto(urlOf(order))
      await page.getByRole('heading', { name: 'Lunas' }).waitFor()
      await page.getByText('Dibayar dengan').waitFor()
      await fits()
    }
  })

  test('follows an order from its down payment to its delivery, on a phone', async () => {
    const order = await bench.anOrder(orgId, { amount: 250_000 })
    const post = async (path: string, json?: unknown) =>
      (await bench.call(orgId, 'POST', `/orders/${order.id}/${path}`, json === undefined ? {} : { json })).json
    const page = await openWindow()
    const see = async (...parts: string[]) => {
      await showIn(page, order)
      const text = (await page.locator('main').innerText()).replaceAll('\u00a0', ' ')
      for (const part of parts) expect(text).toContain(part)
      const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth])
      expect(widths[0]).toBeLessThanOrEqual(widths[1] as number)
      expect(await findAccessProblems(page)).toEqual([])
    }
    const deposit = await post('payments', { method: 'qris', amount: 100_000 })
    await see('Rp 100.000', 'Total pesanan', 'Rp 250.000', 'Sisa yang harus dibayar')
    await pay(deposit)
    await see('Sudah diterima', 'Rp 100.000', 'Rp 150.000')
    await pay(await post('payments', { method: 'qris' }))
    await see('Rp 250.000')
    await post('ship', { courier: 'JNE', service: 'REG', tracking_number: 'JX1234567890' })
    await see('Pesanan dikirim', 'JNE REG', 'JX1234567890')
    await post('deliver')
    await see('Pesanan sampai', 'JX1234567890')
    const after = await bench.getOrder(orgId, order.id)
    expect([after.status, after.payment_status, after.delivery.status]).toEqual(['confirmed', 'paid', 'delivered'])
    await bench.checkBooks(orgId)
  })

  test('updates when the payment arrives, and announces it to screen readers', async () => {
    const order = await bench.anOrder(orgId)
    const page = await show(order, { ...PHONE, hasOwnClock: true })
    await page.evaluate(() => {
      Object.assign(window, { isSamePage: true })
    })
    await page.getByRole('heading', { name: 'Menunggu pembayaran' }).waitFor()
    await pay(order)
    await passTime(page)
    await page.getByRole('heading', { name: 'Lunas' }).waitFor()
    await page.locator('#said', { hasText: 'Lunas' }).waitFor({ state: 'attached' })
    await page.locator('img').first().waitFor({ state: 'detached' })
    expect(await page.evaluate(() => Reflect.get(window, 'isSamePage'))).toBe(true)
  })

  test('copies the number without its spaces', async () => {
    const order = await bench.anOrder(orgId, account)
    const page = await show(order, { ...PHONE, permissions: ['clipboard-read', 'clipboard-write'] })
    const button = page.getByRole('button', { name: /Salin: Nomor virtual account/ })
    await button.click()
    await button.filter({ hasText: /^Tersalin$/ }).waitFor()
    const { number } = order.payment.virtual_account
    await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === number)
  })

  test('counts down by the clock of the server, and shows the end when it comes', async () => {
    const order = await bench.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
    const page = await show(order, { ...PHONE, hasOwnClock: true })
    await page.locator('.countdown', { hasText: /Sisa waktu (01:00|00:[0-5]\d)/ }).waitFor()
    await page.clock.runFor(10_000)
    await page.locator('.countdown', { hasText: /Sisa waktu 00:[0-4]\d/ }).waitFor()
    bench.clock.advance(61_000)
    await passTime(page)
    await page.getByRole('heading', { name: 'Pembayaran kedaluwarsa' }).waitFor()
  })

  test('without scripts it says all that is needed', async () => {
    const page = await show(await bench.anOrder(orgId, account), { ...PHONE, javaScriptEnabled: false })
    const text = await page.locator('main').innerText()
    for (const part of ['Rp', 'WIB', 'BRI', 'Cara membayar']) expect(text).toContain(part)
    // Nothing can change here any more, so one look is enough.
    expect(await page.locator('button:visible').count()).toBe(0)
  })

  test('speaks English on request', async () => {
    const page = await show(await bench.anOrder(orgId))
    await page.getByRole('link', { name: 'English' }).click()
    await page.locator('html[lang="en"]').getByRole('heading', { name: 'Awaiting payment' }).waitFor()
  })

  test('breaks no rule of its policy', () => {
    expect(problems).toEqual([])
  })

  test('leads from a cart of a WhatsApp catalogue to the payment and to the receipt as PDF', async () => {
    const items = [{ sku: 'KOPI-1', name: 'Kopi susu', quantity: 2, unit_price: 18_000 }]
    const cart = { items, customer: { name: 'Sari', phone: null }, contactId: null, chatId: null, note: null }
    const draft = await bench.database.transaction((tx) => bench.orders.createDraftFromCart(tx, orgId, cart))
    await bench.call(orgId, 'POST', `/orders/${draft.id}/payments`, { json: { method: 'qris' } })
    const order = await bench.getOrder(orgId, draft.id)
    const page = await openWindow()
    await page.goto(urlOf(order, '?lang=en'))
    await pay(order)
    await page.getByRole('link', { name: 'View receipt' }).click()
    await page.getByRole('heading', { name: 'Receipt' }).waitFor()
    const href = await page.getByRole('link', { name: 'Download PDF' }).getAttribute('href')
    const pdf = await fetch(new URL(href ?? '', server.url))
    const words = wordsOfPdf(new Uint8Array(await pdf.arrayBuffer()))
    for (const text of ['Receipt', 'Kopi susu', 'Rp 36.000', 'QRIS', 'Paid']) expect(words).toContain(text)
    expect(await findAccessProblems(page)).toEqual([])
  })
})
