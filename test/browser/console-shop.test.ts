import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { wordsOfPdf } from '../support/pdf.ts'
import { until } from '../support/until.ts'
import { describeInBrowser, findAccessProblems, useBrowser } from './browser.ts'
import { go, type Session, useConsoleServer } from './console-server.ts'

type Order = { id: string; number: string; status: string; payment_status: string; total: number | null }

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The console for those who keep the shop: payment links, the books, and what is done to many orders. */
describeInBrowser('the console of a shop', () => {
  const browser = useBrowser()
  const server = useConsoleServer(browser)
  let session: Session
  beforeAll(async () => {
    session = await server.signIn()
  })

  const call = <Reply>(method: string, path: string, body?: unknown) => server.call<Reply>(session, method, path, body)

  test('a payment link is created, shown as a QR code, lists the order of a payer who paid, and takes none once deactivated', async () => {
    const page = await server.enter('/payment-links')
    await page.getByText('No payment links yet').waitFor()
    await page.getByRole('button', { name: 'Create payment link' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create payment link' })
    await form.getByLabel('Title').fill('Kelas barista')
    await form.getByText('Payer chooses').click()
    await form.getByLabel('Lowest amount').fill('90000')
    await form.getByLabel('Highest amount').fill('80000')
    await form.getByRole('button', { name: 'Create payment link' }).click()
    await form.getByText('above the highest').waitFor()
    await form.getByText('Fixed amount').click()
    await form.getByRole('textbox', { name: 'Amount' }).fill('150000')
    await form.getByRole('button', { name: 'Create payment link' }).click()
    await page.waitForURL(/\/payment-links\/plk_\w+$/)
    const address = await page.getByRole('link', { name: 'Open payment page' }).getAttribute('href')
    await page.getByRole('button', { name: 'QR code' }).click()
    await page.getByRole('img', { name: 'QR code that opens Kelas barista' }).waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Close' }).click()
    const visit = () => fetch(`${address}/orders`, { method: 'POST', body: new URLSearchParams({ name: 'Rina' }) })
    await visit()
    const payer = await page.context().newPage()
    await payer.goto(`${address}?lang=en`)
    await payer.getByLabel('Name').fill('Rina')
    await payer.getByRole('button', { name: 'Continue to payment' }).click()
    await payer.getByLabel('QRIS').check()
    await payer.getByRole('button', { name: 'Continue' }).click()
    await payer.getByRole('link', { name: 'Pay with the simulator' }).click()
    await payer.getByRole('button', { name: /150/ }).click()
    await payer.locator('main[data-state=paid]').waitFor()
    await page.getByRole('button', { name: '1 new' }).click()
    await page.getByRole('row', { name: /Rina/ }).waitFor()
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
    await page.getByRole('button', { name: 'Activate', exact: true }).waitFor()
    await visit()
    const { data } = await call<{ data: Order[] }>(
      'GET',
      `/api/proxy/orders?payment_link_id=${page.url().split('/').pop()}`,
    )
    expect(data).toHaveLength(1)
    await go(page, '/payment-links?active=false')
    await page
      .getByRole('row', { name: /Kelas barista/ })
      .getByText('Inactive')
      .waitFor()
  })

  test('a cart of a WhatsApp catalogue is priced by the products, paid on a phone, and gets its receipt as PDF', async () => {
    const product = { sku: 'TERATAI-1', retailer_id: 'catalogue-7', name: 'Teh teratai', price: 22_000 }
    await call('POST', '/api/proxy/products', product)
    const items = [{ product_retailer_id: 'catalogue-7', quantity: 2, item_price: 22_000 }]
    await call('POST', '/api/proxy/simulator/carts', { from: '6281311117777', items })
    const drafts = () => call<{ data: Order[] }>('GET', '/api/proxy/orders?status=draft&q=6281311117777')
    await until(async () => (await drafts()).data.length === 1)
    const [draft] = (await drafts()).data as [Order]
    expect(draft.total).toBe(44_000)
    type Payable = { pay_url: string; payment: { id: string } }
    const { pay_url, payment } = await call<Payable>('POST', `/api/proxy/orders/${draft.id}/payments`, {
      method: 'qris',
    })
    const page = await server.visit('/', { session, isPhone: true })
    await page.goto(`${pay_url}?lang=en`)
    await page.getByRole('img', { name: /QRIS/ }).waitFor()
    await page.getByText('Order details').click()
    await page.getByText('2 × Teh teratai').waitFor()
    await call('POST', `/api/proxy/simulator/payments/${payment.id}`, {})
    await page.getByRole('heading', { name: 'Paid' }).waitFor()
    await page.getByRole('link', { name: 'View receipt' }).click()
    await page.getByRole('heading', { name: 'Receipt' }).waitFor()
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth] as const)
    expect(widths[0]).toBeLessThanOrEqual(widths[1])
    const href = await page.getByRole('link', { name: 'Download PDF' }).getAttribute('href')
    const pdf = await fetch(new URL(href ?? '', page.url()))
    const words = wordsOfPdf(new Uint8Array(await pdf.arrayBuffer()))
    for (const text of ['Receipt', 'Teh teratai', 'Rp 44.000', 'QRIS']) expect(words).toContain(text)
    type Sent = { type: string; media: { filename: string } }
    const sent = await call<Sent>('POST', `/api/proxy/orders/${draft.id}/send-receipt`)
    expect([sent.type, sent.media.filename]).toEqual(['document', expect.stringMatching(/^RCP-\d{6}\.pdf$/)])
  })

  test('a template is written beside its preview, submitted with a picture, and deleted', async () => {
    const page = await server.enter('/templates')
    await page
      .getByRole('row', { name: /order_paid/ })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Create template' }).click()
    const form = page.getByRole('dialog', { name: 'Create template' })
    const submit = () => form.getByRole('button', { name: 'Submit for approval' }).click()
    await form.getByLabel('Name').fill('Pickup ready')
    await form.getByLabel('Body').fill('Halo {{1}}')
    await submit()
    await form.getByText('Write a word before the first').waitFor()
    await form.getByLabel('Body').fill('Halo {{1}}, pesanan Anda siap.')
    await form.getByLabel('Example for {{1}}').fill('Sari')
    await form.getByText('Image', { exact: true }).click()
    const picture = { name: 'kopi.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') }
    await form.locator('input[type="file"]').setInputFiles(picture)
    await form.getByRole('button', { name: 'Link' }).click()
    await form.getByPlaceholder('Label').fill('Lihat pesanan')
    await form.getByLabel('URL', { exact: true }).fill('https://toko.example/pesanan')
    const preview = form.getByRole('figure', { name: 'What your customer sees' })
    await preview.getByText('Halo Sari, pesanan Anda siap.').waitFor()
    await preview.getByRole('img').waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    await form.getByLabel('Name').fill('order_paid')
    await submit()
    await form.getByText('already exists').waitFor()
    await form.getByLabel('Name').fill('Pickup ready')
    await submit()
    const row = page.getByRole('row', { name: /pickup_ready/ })
    await row.getByText('Approved').waitFor()
    await row.click()
    await page.getByRole('dialog', { name: 'pickup_ready' }).getByRole('button', { name: 'Delete' }).click()
    await page
      .getByRole('dialog', { name: /^Delete pickup_ready/ })
      .getByRole('button', { name: 'Delete' })
      .click()
    await row.waitFor({ state: 'detached' })
    expect(await call<{ data: unknown[] }>('GET', '/api/proxy/templates?name=pickup_ready')).toMatchObject({ data: [] })
  })

  test('a broadcast with a picture names bad lines of its list, sends one message to each with an opt-in, and reports', async () => {
    const phones = ['+6281355550101', '+6281355550102']
    for (const to of phones) await call('POST', '/api/proxy/messages', { to, body: 'Halo' })
    const { data } = await call<{ data: { id: string; phone: string | null }[] }>(
      'GET',
      '/api/proxy/contacts?q=5550101',
    )
    await call('POST', `/api/proxy/contacts/${data[0]?.id}/opt-in`, { source: 'form' })
    const page = await server.enter('/broadcasts?open=new')
    const form = page.getByRole('dialog', { name: 'Create broadcast' })
    const choose = async (name: string) => {
      await form.getByRole('combobox', { name: 'Template' }).fill(name)
      await page.getByRole('option', { name: new RegExp(name) }).click()
    }
    await form.getByLabel('Name').fill('Menu baru')
    await choose('menu')
    await form.getByText('carousel').waitFor()
    await choose('order link')
    await form.getByText('List', { exact: true }).click()
    const choosing = page.waitForEvent('filechooser')
    await form.getByRole('button', { name: 'Choose a CSV file' }).click()
    const csv = Buffer.from(`phone\n${phones.join('\n')}\nBudi\n`)
    await (await choosing).setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: csv })
    await form.getByText('3 people.').waitFor()
    await form.getByText('does not begin with a phone number: 4 “Budi”.').waitFor()
    await form.getByLabel('Price of one message').fill('500')
    await page.reload()
    expect(await form.getByLabel('Name').inputValue()).toBe('Menu baru')
    await choose('order link')
    await form.getByRole('button', { name: 'Create draft' }).click()
    await form.getByText('Choose a file.', { exact: true }).waitFor()
    const picture = { name: 'kopi.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') }
    await form.locator('input[type="file"][accept*="png"]').setInputFiles(picture)
    for (const field of await form.getByRole('textbox', { name: /^(Variable|URL suffix)/ }).all())
      await field.fill('1042')
    await form.getByRole('button', { name: 'Create draft' }).click()
    await page.waitForURL(/\/broadcasts\/brd_\w+$/)
    for (const reason of ['no opt-in (1)', 'not a phone number (1)']) await page.getByText(reason).waitFor()
    await page.getByText('Rp 500').waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click()
    await page.getByText('Completed').waitFor()
    const { data: sent } = await call<{ data: { type: string; template: unknown }[] }>(
      'GET',
      `/api/proxy/messages?chat=${encodeURIComponent('+6281355550101')}`,
    )
    expect(sent.filter(({ type }) => type === 'template')).toHaveLength(1)
    expect(JSON.stringify(sent)).toContain('"type":"image"')
  })

  const upload = async (page: Page, button: string, name: string, text: string) => {
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: button }).click()
    await (await choosing).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  }

  test('the books match a transfer with its order, record fees line by line, and sum what the report says', async () => {
    await call('POST', '/api/console/payment-accounts', {
      provider: 'manual',
      settings: { transfer_bank: 'BCA', transfer_account_number: '1234567890', transfer_account_holder: 'Demo Store' },
    })
    const transfer = (name: string, amount: number) =>
      call<Order>('POST', '/api/proxy/orders', { billingType: 'bank_transfer', amount, customer: { name } })
    const [order, part] = [await transfer('Budi', 87_650), await transfer('Citra', 45_000)]
    const page = await server.enter('/books?tab=statements')
    await page.getByText('No bank statement yet').waitFor()
    const rows = ['Tanggal;Keterangan;Mutasi', '14/11/2026;TRSF BUDI;"87,650.00 CR"', '14/11/2026;BUNGA;"1,200.00 CR"']
    rows.push('14/11/2026;SETORAN TUNAI;"40,000.00 CR"')
    await upload(page, 'Import statement', 'statement.csv', `${rows.join('\n')}\nnever;SALAH;"1 CR"\n`)
    await page.getByText('3 added, 0 imported before, 0 outgoing and left out, 1 failed.').waitFor()
    await page.getByText('Line 5').waitFor()
    const line = page.getByRole('article', { name: 'TRSF BUDI' })
    await line.getByText('same amount, name in the text').waitFor()
    await line.getByRole('button', { name: 'Confirm payment' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm payment' }).click()
    await line.getByText('Confirmed').waitFor()
    expect((await call<Order>('GET', `/api/proxy/orders/${order.id}`)).payment_status).toBe('paid')
    const deposit = page.getByRole('article', { name: 'SETORAN TUNAI' })
    await deposit.getByRole('combobox', { name: 'Another order' }).fill('Citra')
    await page.getByRole('option', { name: /Citra · Rp 45\.000 remaining/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm payment' }).click()
    await deposit.getByText('Confirmed').waitFor()
    expect((await call<Order>('GET', `/api/proxy/orders/${part.id}`)).payment_status).toBe('partially_paid')
    await page.getByRole('article', { name: 'BUNGA' }).getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('article', { name: 'BUNGA' }).getByText('Dismissed').waitFor()

    const { data } = await call<{ data: { payment_id: string }[] }>('GET', '/api/proxy/settlements')
    await page.getByRole('tab', { name: 'Settlements' }).click()
    const report = ['Order ID,Fee,Settlement Date', `${data[0]?.payment_id},4321,15/11/2026`, 'INV-1,455,15/11/2026']
    await upload(page, 'Import report', 'settlements.csv', report.join('\n'))
    await page.getByText('1 recorded, 0 unchanged, 1 failed.').waitFor()
    await page.getByRole('cell', { name: 'Rp 4.321' }).waitFor()

    await page.getByRole('tab', { name: 'Report' }).click()
    // A month that ends today: midnight, and the end of a calendar month, may pass between two steps of this test.
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Jakarta' })
    const [from, to] = [Date.now() - 30 * 24 * 3600 * 1000, Date.now()].map((time) => day.format(time))
    const { totals } = await call<{ totals: { net: number } }>('GET', `/api/proxy/reports/sales?from=${from}&to=${to}`)
    expect(totals.net).toBeGreaterThanOrEqual(87_650)
    await go(page, `/books?tab=report&from=${from}&to=${to}`)
    const total = page.locator('div:has(> p:text-is("Net received"))')
    await total.getByText(`Rp ${totals.net.toLocaleString('id-ID')}`).waitFor()
    await page.getByText('By month').click()
    await page.waitForURL(/by=month/)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    expect((await saving).suggestedFilename()).toMatch(/^sales-.*\.csv$/)
  })

  test('cancelling several orders asks first and reports the order that stays', async () => {
    const anOrder = (name: string, order = {}) =>
      call<Order>('POST', '/api/proxy/orders', { billingType: 'qris', amount: 21_000, customer: { name }, ...order })
    const [one, other] = [await anOrder('Massal Satu'), await anOrder('Massal Dua')]
    const closed = await anOrder('Massal Tiga', { billingType: 'free', amount: undefined })
    await call('POST', `/api/proxy/orders/${closed.id}/complete`)
    const page = await server.enter('/orders?q=Massal')
    for (const { number } of [one, other, closed]) await page.getByLabel(`Select order #${number}`).check()
    await page.getByRole('button', { name: 'Cancel orders' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This can’t be undone').waitFor()
    await dialog.getByRole('button', { name: 'Cancel orders' }).click()
    const report = page.getByRole('status').filter({ hasText: '2 of 3 orders done.' })
    await report.getByText(`because their state does not allow it: #${closed.number}.`).waitFor()
    const statusOf = async ({ id }: Order) => (await call<Order>('GET', `/api/proxy/orders/${id}`)).status
    expect(await Promise.all([one, other, closed].map(statusOf))).toEqual(['cancelled', 'cancelled', 'completed'])

    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByLabel('Name of the view').fill('Massal')
    await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click()
    const views = page.getByRole('group', { name: 'Views' })
    await views.getByRole('button', { name: 'All', exact: true }).click()
    await page.waitForURL(/\/orders$/)
    await page.reload()
    await views.getByRole('button', { name: 'Massal', exact: true }).click()
    await page.waitForURL(/q=Massal/)
    await views.getByRole('button', { name: 'Delete view Massal' }).click()
    await views.getByRole('button', { name: 'Massal', exact: true }).waitFor({ state: 'detached' })
  })

  test('an import of products creates what is right and lists the line that is not', async () => {
    const page = await server.enter('/products')
    await upload(page, 'Import CSV', 'products.csv', 'sku,name,price\nTEH-1,Teh manis,8000\nTEH-2,Teh tawar,gratis\n')
    await page.getByText('1 created, 0 updated, 0 unchanged, 1 failed.').waitFor()
    await page.getByText('Line 3 TEH-2:').waitFor()
    await page.getByRole('row', { name: /Teh manis/ }).waitFor()
  })

  test('alerts that are switched on stay on in this browser after a reload', async () => {
    const page = await server.enter('/account')
    const sound = page.getByRole('switch', { name: 'New message: Sound' })
    const before = await sound.isChecked()
    await sound.setChecked(!before, { force: true })
    await page.reload()
    await until(async () => (await sound.isChecked()) === !before)
  })

  test('alerts are asked for once, then a message shows a notification and counts in the title when no one looks', async () => {
    const page = await server.visit('/', { session, isFresh: true })
    await page.context().grantPermissions(['notifications'])
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('Get alerts about new messages').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    expect(await page.getByText('Get alerts about new messages').count()).toBe(0)
    await page.evaluate(() => {
      const shown: string[] = []
      const Shown = Object.assign(
        function Shown(title: string) {
          shown.push(title)
        },
        { permission: 'granted' },
      )
      Object.assign(window, { shown, Notification: Shown })
      document.hasFocus = () => false
    })
    const { data: numbers } = await call<{ data: { id: string }[] }>('GET', '/api/console/numbers')
    const message = { number: numbers[0]?.id, from: '+6281355550201', text: 'Masih buka?' }
    await call('POST', '/api/proxy/simulator/messages', message)
    await until(async () => (await page.evaluate(() => Reflect.get(window, 'shown'))).includes('New message'))
    await until(async () => /^\(\d+\)/.test(await page.title()))
    await page
      .getByRole('link', { name: /Chats/ })
      .getByLabel(/unread/)
      .waitFor()
  })

  test('erasing a customer asks for the name, reports what went and what stays, and is not offered to support', async () => {
    await call('POST', '/api/proxy/messages', { to: '+6281355550001', body: 'Kami akan menghapus data Anda.' })
    const { data } = await call<{ data: { id: string }[] }>('GET', '/api/proxy/contacts?q=5550001')
    const id = data[0]?.id ?? ''
    const support = await server.visit(`/customers/${id}`, {
      session: await server.signIn(await server.invite('agent')),
    })
    await support.getByRole('heading', { name: '+6281355550001' }).waitFor()
    expect(await support.getByRole('button', { name: 'Erase customer' }).count()).toBe(0)
    const page = await server.enter(`/customers/${id}`)
    await page.getByRole('button', { name: 'Erase customer' }).click()
    const dialog = page.getByRole('dialog', { name: 'Erase +6281355550001?' })
    await dialog.getByText('Your books stay').waitFor()
    expect(await dialog.getByRole('button', { name: 'Erase customer' }).isDisabled()).toBe(true)
    await dialog.getByLabel('to confirm').fill('+6281355550001')
    await dialog.getByRole('button', { name: 'Erase customer' }).click()
    await page.getByText('Everything about this customer is erased.').waitFor()
    await page.getByText('The audit log: it contains ids only').waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    await page.reload()
    await page.getByText('Everything about this customer is erased.').waitFor()
    expect((await call<{ data: unknown[] }>('GET', '/api/proxy/contacts?q=5550001')).data).toEqual([])
  })
})
