import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { describeInBrowser, findAccessProblems, useBrowser } from './browser.ts'
import { go, type Session, useConsoleServer } from './console-server.ts'

type Order = { id: string; number: string; status: string; payment_status: string; total: number | null }

/** The console for those who keep the shop: payment links, the books, and what is done to many orders. */
describeInBrowser('the console of a shop', () => {
  const browser = useBrowser()
  const server = useConsoleServer(browser)
  let session: Session
  beforeAll(async () => {
    session = await server.signIn()
  }, 60_000)

  const call = <Reply>(method: string, path: string, body?: unknown) => server.call<Reply>(session, method, path, body)

  test('a payment link is created, shown as a QR code, lists its orders, and takes none once deactivated', async () => {
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
    const pay = () => fetch(`${address}/orders`, { method: 'POST', body: new URLSearchParams({ name: 'Rina' }) })
    await pay()
    await page.getByRole('button', { name: '1 new' }).click()
    await page.getByRole('row', { name: /Rina/ }).waitFor()
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
    await page.getByRole('button', { name: 'Activate', exact: true }).waitFor()
    await pay()
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
  }, 60_000)

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
    const order = await call<Order>('POST', '/api/proxy/orders', {
      billingType: 'bank_transfer',
      amount: 87_650,
      customer: { name: 'Budi' },
    })
    const page = await server.enter('/books?tab=statements')
    await page.getByText('No bank statement yet').waitFor()
    const rows = ['Tanggal;Keterangan;Mutasi', '14/11/2026;TRSF BUDI;"87,650.00 CR"', '14/11/2026;BUNGA;"1,200.00 CR"']
    await upload(page, 'Import statement', 'statement.csv', `${rows.join('\n')}\nnever;SALAH;"1 CR"\n`)
    await page.getByText('2 added, 0 imported before, 0 outgoing and left out, 1 failed.').waitFor()
    await page.getByText('Line 4').waitFor()
    const line = page.getByRole('article', { name: 'TRSF BUDI' })
    await line.getByText('same amount, name in the text').waitFor()
    await line.getByRole('button', { name: 'Confirm payment' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm payment' }).click()
    await line.getByText('Confirmed').waitFor()
    expect((await call<Order>('GET', `/api/proxy/orders/${order.id}`)).payment_status).toBe('paid')
    await page.getByRole('article', { name: 'BUNGA' }).getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('article', { name: 'BUNGA' }).getByText('Dismissed').waitFor()

    const { data } = await call<{ data: { payment_id: string }[] }>('GET', '/api/proxy/settlements')
    await page.getByRole('tab', { name: 'Settlements' }).click()
    const report = ['Order ID,Fee,Settlement Date', `${data[0]?.payment_id},4321,15/11/2026`, 'INV-1,455,15/11/2026']
    await upload(page, 'Import report', 'settlements.csv', report.join('\n'))
    await page.getByText('1 recorded, 0 unchanged, 1 failed.').waitFor()
    await page.getByRole('cell', { name: 'Rp 4.321' }).waitFor()

    await page.getByRole('tab', { name: 'Report' }).click()
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Jakarta' }).format(new Date())
    const { totals } = await call<{ totals: { net: number } }>(
      'GET',
      `/api/proxy/reports/sales?from=${today.slice(0, 8)}01&to=${today}`,
    )
    expect(totals.net).toBeGreaterThanOrEqual(87_650)
    await page
      .getByRole('cell', { name: `Rp ${totals.net.toLocaleString('id-ID')}` })
      .first()
      .waitFor()
    await page.getByText('By month').click()
    await page.waitForURL(/by=month/)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    expect((await saving).suggestedFilename()).toMatch(/^sales-.*\.csv$/)
  }, 60_000)
})
