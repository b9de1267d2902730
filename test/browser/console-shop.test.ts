import { beforeAll, expect, test } from 'bun:test'
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
})
