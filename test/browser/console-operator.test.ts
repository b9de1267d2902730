import { beforeAll, expect, test } from 'bun:test'
import { until } from '../support/until.ts'
import { describeInBrowser, useBrowser } from './browser.ts'
import { type Session, useConsoleServer } from './console-server.ts'

type Payment = { id: string; method: string; status: string; amount: number }
type Order = { id: string; payment_status: string; payment: Payment; payments: Payment[] }

/** The console for whoever answers when something did not go as it should: money that went back, receivers that fail. */
describeInBrowser('the console when something went wrong', () => {
  const browser = useBrowser()
  const server = useConsoleServer(browser)
  let session: Session
  beforeAll(async () => {
    session = await server.signIn()
  }, 60_000)

  const call = <Reply>(method: string, path: string, body?: unknown) => server.call<Reply>(session, method, path, body)
  const orderOf = (id: string) => call<Order>('GET', `/api/proxy/orders/${id}`)
  const isOrder = (id: string, status: string) => until(async () => (await orderOf(id)).payment_status === status)

  test('money that the bank took back is still to be paid, and can be asked for another way', async () => {
    const made = await call<Order>('POST', '/api/proxy/orders', { billingType: 'qris', amount: 30_000 })
    const play = (scenario: string) => call('POST', `/api/console/simulator/payments/${made.payment.id}`, { scenario })
    await play('paid')
    await isOrder(made.id, 'paid')
    await call('POST', `/api/proxy/orders/${made.id}/complete`)
    const page = await server.enter(`/orders?open=${made.id}`)
    const drawer = page.getByRole('dialog', { name: /Order/ })
    await drawer.getByRole('button', { name: 'Refund', exact: true }).waitFor()
    expect(await drawer.getByRole('button', { name: 'Pay another way' }).count()).toBe(0)
    await play('reversed')
    await drawer.getByRole('row', { name: 'Still to be paid Rp 30.000' }).waitFor()
    await drawer.getByRole('button', { name: 'Pay another way' }).click()
    const dialog = page.getByRole('dialog', { name: 'Pay another way' })
    await dialog.getByRole('combobox', { name: 'Paid by' }).click()
    await page.getByRole('option', { name: 'Cash', exact: true }).click()
    await dialog.getByRole('button', { name: 'Pay another way' }).click()
    await dialog.waitFor({ state: 'detached' })
    await drawer.getByRole('button', { name: 'Mark as paid' }).waitFor()
    expect((await orderOf(made.id)).payment).toMatchObject({ method: 'cash', status: 'pending', amount: 30_000 })
  }, 60_000)

  test('no page complained, and none asked anybody but this server', () => {
    expect(server.complaints).toEqual([])
  })
})
