import { beforeAll, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import type { OrgId } from '../../src/kernel/ids.ts'
import { openDatabase } from '../../src/platform/database/database.ts'
import { pauseRestoredLanes, resumeRestoredLanes } from '../../src/platform/outbox/restored-lanes.ts'
import { until } from '../support/until.ts'
import { describeInBrowser, findAccessProblems, useBrowser } from './browser.ts'
import { go, type Session, useConsoleServer } from './console-server.ts'

type Payment = { id: string; method: string; status: string; amount: number }
type Endpoint = {
  id: string
  url: string
  state: string
  retry_delays_seconds: number[]
  retry_delays_by_event: Record<string, number[]>
  custom_headers: Record<string, string>
  health: { blocked_reason: string | null; held: number }
}
type Order = { id: string; payment_status: string; payment: Payment; payments: Payment[] }

/** Words that no sentence in English goes without. */
const ENGLISH = /\b(the|was|with|and)\b/i
/** Nobody listens there. */
const nowhere = 'http://127.0.0.1:9/hooks'
const now = () => String(Math.floor(Date.now() / 1000))

/** The console for whoever answers when something did not go as it should: money that went back, receivers that fail. */
describeInBrowser('the console when something went wrong', () => {
  const browser = useBrowser()
  const server = useConsoleServer(browser)
  let session: Session
  beforeAll(async () => {
    session = await server.signIn()
  })

  const call = <Reply>(method: string, path: string, body?: unknown) => server.call<Reply>(session, method, path, body)
  const orderOf = (id: string) => call<Order>('GET', `/api/proxy/orders/${id}`)
  const isOrder = (id: string, status: string) => until(async () => (await orderOf(id)).payment_status === status)

  const endpointOf = (id: string) => call<Endpoint>('GET', `/api/proxy/webhook-endpoints/${id}`)
  const endpoints = async () => (await call<{ data: Endpoint[] }>('GET', '/api/proxy/webhook-endpoints')).data

  test('an admin creates the sandbox, sees on every page that they are in it, and goes back to live', async () => {
    const admin = await server.signIn(await server.invite('admin'))
    const page = await server.visit('/settings?tab=sandbox', { session: admin })
    await page.getByRole('button', { name: 'Create sandbox' }).click()
    const banner = page.getByRole('complementary', { name: 'Sandbox' })
    await banner.waitFor()
    await go(page, '/orders')
    await banner.getByText('Nothing here reaches customers or banks.').waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    await banner.getByRole('button', { name: 'Advance clock' }).click()
    const dialog = page.getByRole('dialog', { name: 'Advance clock' })
    await dialog.getByRole('button', { name: 'Advance clock' }).click()
    await dialog.getByText('What was due is running now.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    await go(page, '/settings?tab=sandbox')
    await page.getByRole('button', { name: 'Reset sandbox' }).click()
    const question = page.getByRole('dialog', { name: 'Delete all data of the sandbox?' })
    await question.getByRole('textbox').fill('demo-store-sandbox')
    await question.getByRole('button', { name: 'Reset sandbox' }).click()
    await page.getByText('The data was deleted.').waitFor()
    const toggle = page.getByRole('navigation').getByRole('switch', { name: 'Sandbox' })
    expect(await toggle.isChecked()).toBe(true)
    await toggle.click()
    await banner.waitFor({ state: 'detached' })
    await page.getByRole('complementary', { name: 'Simulator' }).waitFor()
    expect(await toggle.isChecked()).toBe(false)
  })

  test('a restore that left work paused is shown to admins on every page until it is resumed', async () => {
    const database = openDatabase({ url: server.installation.environment.DATABASE_URL ?? '', connectionsMax: 1 })
    const { organization } = await call<{ organization: { id: OrgId } }>('GET', '/api/auth/session')
    await database.transaction((tx) => pauseRestoredLanes(tx, organization.id))
    const page = await server.enter('/orders')
    const banner = page.getByRole('complementary', { name: 'Paused work' })
    await banner.getByText('npx nexkit resume').waitFor()
    await go(page, '/webhooks')
    await banner.waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    const member = await server.visit('/', { session: await server.signIn(await server.invite('agent')) })
    await member.getByRole('main').waitFor()
    expect(await member.getByRole('complementary', { name: 'Paused work' }).count()).toBe(0)
    await database.transaction((tx) => resumeRestoredLanes(tx, organization.id))
    await banner.waitFor({ state: 'detached', timeout: 10_000 })
    await database.close()
  })

  test('money that the bank took back is still to be paid, and can be asked for another way', async () => {
    const made = await call<Order>('POST', '/api/proxy/orders', { billingType: 'qris', amount: 30_000 })
    const play = (scenario: string) => call('POST', `/api/proxy/simulator/payments/${made.payment.id}`, { scenario })
    await play('paid')
    await isOrder(made.id, 'paid')
    await call('POST', `/api/proxy/orders/${made.id}/complete`)
    const page = await server.enter(`/orders?open=${made.id}`)
    const drawer = page.getByRole('main')
    await drawer.getByRole('button', { name: 'Refund', exact: true }).waitFor()
    expect(await drawer.getByRole('button', { name: 'Change payment method' }).count()).toBe(0)
    await play('reversed')
    await drawer.getByRole('row', { name: 'Remaining Rp 30.000' }).waitFor()
    await drawer.getByRole('button', { name: 'Change payment method' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change payment method' })
    await dialog.getByRole('combobox', { name: 'Payment method' }).click()
    await page.getByRole('option', { name: 'Cash', exact: true }).click()
    await dialog.getByRole('button', { name: 'Change payment method' }).click()
    await dialog.waitFor({ state: 'detached' })
    await drawer.getByRole('button', { name: 'Mark as paid' }).waitFor()
    expect((await orderOf(made.id)).payment).toMatchObject({ method: 'cash', status: 'pending', amount: 30_000 })
  })

  test('what staff are to take in after a refund and a chargeback is what the books say is still to be paid', async () => {
    const { id, payment } = await call<Order>('POST', '/api/proxy/orders', { billingType: 'qris', amount: 30_000 })
    const play = (scenario: string) => call('POST', `/api/proxy/simulator/payments/${payment.id}`, { scenario })
    await play('paid')
    await isOrder(id, 'paid')
    await call('POST', `/api/proxy/orders/${id}/refunds`, { amount: 10_000 })
    await isOrder(id, 'partially_refunded')
    await play('reversed')
    await isOrder(id, 'reversed')
    await call('POST', `/api/proxy/orders/${id}/payments`, { method: 'cash' })
    const page = await server.enter(`/orders?open=${id}`)
    await page.getByRole('row', { name: 'Remaining Rp 20.000' }).waitFor()
    // A refund names the person who asked for it.
    await page
      .getByText(/Payment refunded/)
      .first()
      .waitFor()
    await page.getByText('Payment reversed').waitFor()
    await page.getByRole('button', { name: 'Mark as paid' }).click()
    const dialog = page.getByRole('dialog', { name: 'Mark as paid' })
    await dialog.getByRole('button', { name: 'Record Rp 20.000' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: 'Remaining' }).waitFor({ state: 'detached' })
  })

  test('an endpoint that keeps failing says why it waits, and can be paused', async () => {
    const { id } = await call<Endpoint>('POST', '/api/proxy/webhook-endpoints', { url: nowhere, events: ['key.*'] })
    for (const name of ['one', 'two', 'three', 'four', 'five'])
      await call('POST', '/api/console/keys', { name, scopes: ['events:read'] })
    const page = await server.enter(`/webhooks/${id}`)
    const drawer = page.getByRole('main')
    await drawer.getByText('Degraded').waitFor()
    await drawer.getByText('Repeated failures').waitFor()
    await drawer.getByRole('tab', { name: 'Edit' }).click()
    await drawer.getByRole('button', { name: 'Pause', exact: true }).click()
    await drawer.getByText('Paused').waitFor()
    expect((await endpointOf(id)).state).toBe('paused')
  })

  test('an endpoint whose ordering is being changed says so, on Home too', async () => {
    const { id } = await call<Endpoint>('POST', '/api/proxy/webhook-endpoints', { url: nowhere, events: ['key.*'] })
    const page = await server.visit('/account', { session })
    // With little that waits it is over before anybody could look.
    await page.route('**/api/proxy/webhook-endpoints?*', async (route) => {
      const response = await route.fetch()
      const list = (await response.json()) as { data: Endpoint[] }
      for (const endpoint of list.data) if (endpoint.id === id) endpoint.health.blocked_reason = 'endpoint_reordering'
      await route.fulfill({ response, json: list })
    })
    await go(page, `/webhooks/${id}`)
    const drawer = page.getByRole('main')
    await drawer.getByText('Reordering').waitFor()
    await drawer.getByText('Pending deliveries are being reordered').waitFor()
    await go(page, '/')
    await page.getByRole('link', { name: /Reordering/ }).waitFor()
  })

  test('waits between attempts are set, refused where they cannot be, and given back to the standard', async () => {
    const { id } = await call<Endpoint>('POST', '/api/proxy/webhook-endpoints', {
      url: nowhere,
      events: ['key.rotated'],
    })
    const retries = async () => {
      const { retry_delays_seconds, retry_delays_by_event } = await endpointOf(id)
      return [retry_delays_seconds, retry_delays_by_event]
    }
    const before = await retries()
    const page = await server.enter(`/webhooks/${id}`)
    const drawer = page.getByRole('main')
    await drawer.getByText('12 attempts, the last 3 d 3 h after the first.').waitFor()
    await drawer.getByRole('tab', { name: 'Edit' }).click()
    await drawer.getByRole('button', { name: 'Delivery settings' }).click()
    const choose = async (name: string) => {
      await drawer.getByRole('combobox', { name: 'Retries' }).click()
      await page.getByRole('option', { name }).click()
    }
    await choose('Custom retry schedule')
    const waits = drawer.getByRole('textbox', { name: 'Delays between attempts' })
    await waits.first().fill('10 s, tomorrow')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.getByText('“tomorrow” isn’t a duration.').waitFor()
    await waits.first().fill('10 s, 5m')
    await drawer.getByText('3 attempts, the last 5 min 10 s after the first.').waitFor()
    await drawer.getByRole('button', { name: 'Add a schedule for an event' }).click()
    await drawer.getByPlaceholder('Event type').fill('order.paid')
    await page.getByRole('option', { name: 'order.paid' }).click()
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.getByText('Saved.').waitFor()
    await drawer.getByText('Custom schedule for order.paid.').waitFor()
    expect(await retries()).toEqual([[10, 300], { 'order.paid': [] }])
    await choose('Default: 12 attempts')
    await drawer.getByRole('button', { name: 'Remove the schedule for order.paid' }).click()
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.getByText('Saved.').waitFor()
    expect(await retries()).toEqual(before)
  })

  test('how an endpoint is sent to is set here, refused at its field, and leaves what others changed', async () => {
    const { id } = await call<Endpoint>('POST', '/api/proxy/webhook-endpoints', {
      url: nowhere,
      events: ['key.rotated'],
      custom_headers: { authorization: 'Bearer first', 'x-team': 'payments' },
    })
    const page = await server.enter(`/webhooks/${id}`)
    const drawer = page.getByRole('main')
    await drawer.getByText('authorization, x-team').waitFor()
    await drawer.getByRole('tab', { name: 'Edit' }).click()
    await drawer.getByRole('button', { name: 'Delivery settings' }).press('Enter')
    const choose = async (field: string, name: string) => {
      await drawer.getByRole('combobox', { name: field, exact: true }).click()
      await page.getByRole('option', { name }).click()
    }
    await choose('Ordering', 'Strict order')
    await drawer.getByText('A failed delivery blocks all later ones').waitFor()
    await choose('Signature', 'v1 and v1a')
    await drawer.getByRole('textbox', { name: 'Rate limit (per second)' }).fill('5000')
    await drawer.getByRole('textbox', { name: 'Timeout (seconds)' }).fill('3')
    await drawer.getByRole('button', { name: 'Replace headers' }).click()
    const values = drawer.getByRole('textbox', { name: 'Header value' })
    await values.first().fill('Bearer second')
    await drawer.getByRole('textbox', { name: 'Header name' }).last().fill('host')
    const save = () => drawer.getByRole('button', { name: 'Save' }).click()
    await save()
    await drawer.getByText('Enter 5 to 30 seconds.').waitFor()
    await drawer.getByText('Saved values can’t be read back').waitFor()
    await values.last().fill('elsewhere')
    await drawer.getByRole('textbox', { name: 'Timeout (seconds)' }).fill('10')
    await save()
    await drawer.getByText('At most 1000.').waitFor()
    await drawer.getByText('The header host is set by the sender').waitFor()
    // In the dark, where what is refused is hardest to read.
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await findAccessProblems(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
    await drawer.getByRole('textbox', { name: 'Rate limit (per second)' }).fill('5')
    await drawer.getByRole('button', { name: 'Remove header host' }).click()
    await call('PATCH', `/api/proxy/webhook-endpoints/${id}`, { payload: 'thin', description: 'By somebody else' })
    await save()
    await drawer.getByText('Saved.').waitFor()
    expect(await endpointOf(id)).toMatchObject({
      ordering: 'strict',
      signing: 'both',
      max_per_second: 5,
      timeout_ms: 10_000,
      payload: 'thin',
      description: 'By somebody else',
    })
    expect(Object.keys((await endpointOf(id)).custom_headers)).toEqual(['authorization'])
    await drawer.getByText('Set: authorization.').waitFor()
    await drawer.getByText('5 per second').waitFor()
    await drawer.getByText(/^whpk_/).waitFor()
    expect(await page.content()).not.toContain('Bearer second')
  })

  test('whoever resumes an endpoint says what becomes of what was held, and a new secret is asked about first', async () => {
    const url = `${nowhere}/resumed`
    const { id } = await call<Endpoint>('POST', '/api/proxy/webhook-endpoints', { url, events: ['key.created'] })
    await call('POST', `/api/proxy/webhook-endpoints/${id}/pause`)
    for (const name of ['six', 'seven']) await call('POST', '/api/console/keys', { name, scopes: ['events:read'] })
    await until(async () => (await endpointOf(id)).health.held === 2)
    const page = await server.enter(`/webhooks/${id}`)
    const drawer = page.getByRole('main')
    await drawer.getByText('0 pending, 2 held').waitFor()
    await drawer.getByRole('tab', { name: 'Edit' }).click()
    await drawer.getByRole('button', { name: 'Resume', exact: true }).click()
    const resume = page.getByRole('dialog', { name: 'Resume this endpoint?' })
    await resume.getByText('2 deliveries are held').waitFor()
    await resume.getByRole('button', { name: 'Send 2 held deliveries' }).waitFor()
    await resume.getByRole('button', { name: 'Skip them' }).click()
    await drawer.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    const skipped = () =>
      call<{ data: unknown[] }>('GET', `/api/proxy/deliveries?endpoint=${id}&status=skipped&limit=10`)
    await until(async () => (await skipped()).data.length === 2)
    await drawer.getByRole('button', { name: 'Rotate secret' }).click()
    const rotate = page.getByRole('dialog', { name: 'Rotate the signing secret?' })
    expect(await rotate.getByRole('combobox').inputValue()).toBe('24 hours (default)')
    await rotate.getByText('requests are signed with both secrets').waitFor()
    await rotate.getByRole('button', { name: 'Rotate secret' }).click()
    const shown = page.getByRole('dialog', { name: 'Signing secret' })
    await shown.getByText(/^whsec_/).waitFor()
    await shown.getByRole('checkbox').check()
    await shown.getByRole('button').last().click()
    await shown.waitFor({ state: 'detached' })
  })

  test('of two endpoints the one that was opened last is changed', async () => {
    const [first, second] = [`${nowhere}/first`, `${nowhere}/second`]
    const make = (url: string) =>
      call<Endpoint>('POST', '/api/proxy/webhook-endpoints', { url, events: ['key.rotated'] })
    const { id } = await make(first)
    await make(second)
    const page = await server.enter(`/webhooks/${id}`)
    await page.getByRole('main').getByRole('tab', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'URL' }).waitFor()
    await go(page, `/webhooks/${(await endpoints()).find(({ url }) => url === second)?.id}`)
    const drawer = page.getByRole('main')
    await drawer.getByRole('tab', { name: 'Edit' }).click()
    expect(await drawer.getByRole('textbox', { name: 'URL' }).inputValue()).toBe(second)
  })

  test('who reads Indonesian is told in Indonesian what became of an event, and how a receiver did', async () => {
    const { id } = await call<Endpoint>('POST', '/api/proxy/webhook-endpoints', {
      url: nowhere,
      events: ['key.rotated'],
    })
    const path = `/api/proxy/webhook-endpoints/${id}/test`
    const { delivery_id } = await call<{ delivery_id: string }>('POST', path, { type: 'key.created' })
    const page = await server.visit(`/deliveries?open=${delivery_id}`, { session, language: 'id' })
    const story = page.locator('.mantine-Timeline-root')
    await story.getByText('key.created dicatat sebagai uji').waitFor()
    await story.getByText('tidak mendapat respons').first().waitFor()
    const delivery = page.getByRole('dialog', { name: 'Delivery webhook' })
    await delivery.getByText('Gagal · Koneksi ditolak').waitFor()
    await delivery.getByRole('button', { name: /Koneksi ditolak/ }).waitFor()
    expect(await delivery.innerText()).not.toMatch(ENGLISH)
    await go(page, `/webhooks/${id}`)
    const drawer = page.getByRole('main')
    await drawer.getByRole('tab', { name: 'Sertifikasi' }).click()
    await drawer.getByRole('button', { name: 'Jalankan sertifikasi' }).click()
    await drawer.getByText('Penerima belum siap menerima event.').waitFor()
    await drawer.getByText('Penerima tidak bisa dihubungi di URL ini').waitFor()
    expect(await drawer.innerText()).not.toMatch(ENGLISH)
  })

  test('why a number is paused is told in Indonesian too, on Home as in the settings', async () => {
    const { data } = await call<{ data: { id: string }[] }>('GET', '/api/console/numbers')
    const act = (name: string) => call('POST', `/api/console/numbers/${data[0]?.id}/${name}`, {})
    await act('pause')
    const page = await server.visit('/settings?tab=numbers', { session, language: 'id' })
    await page.getByText('Dijeda · Dijeda di konsol').waitFor()
    await go(page, '/')
    await page.getByRole('link', { name: /Dijeda di konsol/ }).waitFor()
    await act('resume')
  })

  test('who has stopped marketing messages is known beside the chat, from the moment they say so', async () => {
    const shop = await aCloudNumber('100000000000888')
    await shop.post('messages', {
      contacts: [{ profile: { name: 'Rina' }, wa_id: '6281234500077' }],
      messages: [{ from: '6281234500077', id: 'wamid.rina', timestamp: now(), type: 'text', text: { body: 'Halo' } }],
    })
    const chats = () => call<{ data: { id: string }[] }>('GET', '/api/proxy/chats?q=Rina')
    await until(async () => (await chats()).data.length === 1)
    const page = await server.enter(`/chats?open=${(await chats()).data[0]?.id}`)
    const person = page.getByRole('region', { name: 'Customer' })
    await person.getByText('+6281234500077').waitFor()
    expect(await person.getByText('Marketing messages').count()).toBe(0)
    const wish = { category: 'marketing_messages', value: 'stop', wa_id: '6281234500077', timestamp: now() }
    await shop.post('user_preferences', { user_preferences: [wish] })
    await person.getByText('Opted out for this number').waitFor()
  })

  test('how a message came to be is told above it, and only an address of the web is a link', async () => {
    const shop = await aCloudNumber('100000000000889')
    const from = '6281234500078'
    const ad = { source_type: 'ad', source_id: '1202', source_url: 'https://fb.me/kopi', headline: 'Kopi gula aren' }
    const long = { source_type: 'post', headline: 'Promo '.repeat(2000), source_url: 'javascript:alert(1)' }
    const product = { catalog_id: '1', product_retailer_id: 'KOPI-AREN' }
    const errors = [{ code: 131051, title: 'Unsupported', error_data: { details: 'Not supported.' } }]
    const write = (id: string, more: object) => ({
      ...{ from, id: `wamid.ad.${id}`, timestamp: now(), type: 'text', text: { body: id } },
      ...more,
    })
    await shop.post('messages', {
      contacts: [{ profile: { name: 'Tono' }, wa_id: from }],
      messages: [
        write('first', { referral: ad }),
        write('second', { referral: long, context: { frequently_forwarded: true } }),
        write('third', { context: { forwarded: true, referred_product: product } }),
        write('fourth', { referral: 'an advertisement' }),
        write('fifth', { type: 'unsupported', text: undefined, errors, referral: ad }),
      ],
    })
    const chats = () => call<{ data: { id: string; unread_count: number }[] }>('GET', '/api/proxy/chats?q=Tono')
    await until(async () => (await chats()).data[0]?.unread_count === 5)
    const page = await server.visit(`/chats?open=${(await chats()).data[0]?.id}`, { session, isPhone: true })
    const thread = page.getByRole('log')
    const bubble = (text: string) => thread.locator('.bubble', { has: page.getByText(text, { exact: true }) })
    await bubble('first').getByText('From an ad:').waitFor()
    const link = bubble('first').getByRole('link', { name: 'Kopi gula aren' })
    expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([
      'https://fb.me/kopi',
      'noopener noreferrer',
    ])
    await bubble('second').getByText('From a post: Promo').waitFor()
    await bubble('second').getByText('Forwarded many times').waitFor()
    expect(await bubble('second').getByRole('link').count()).toBe(0)
    expect((await bubble('second').boundingBox())?.height).toBeLessThan(160)
    await bubble('third').getByText('Forwarded', { exact: true }).waitFor()
    await bubble('third').getByText('About product KOPI-AREN').waitFor()
    expect(await bubble('fourth').locator('.origin').count()).toBe(0)
    const aside = thread.locator('.aside-line', { hasText: 'Not supported. (131051)' })
    await aside.getByRole('link', { name: 'Kopi gula aren' }).waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(width).toBeLessThanOrEqual(0)
  })

  test('no page complained, and none asked anybody but this server', () => {
    expect(server.complaints).toEqual([])
  })

  /** A number as Meta reports on it, and the door at which it does. */
  async function aCloudNumber(phone_number_id: string) {
    const number = {
      connector: 'whatsapp-cloud',
      phone_number_id,
      display_phone: '+6281200009888',
      credentials: { access_token: 'EAAtoken', app_secret: '0123456789abcdef' },
      settings: {},
    }
    const made = await call<{ number: { id: string } }>('POST', '/api/console/numbers', number)
    const metadata = { display_phone_number: '6281200009888', phone_number_id: number.phone_number_id }
    return {
      async post(field: string, value: object) {
        const change = { field, value: { messaging_product: 'whatsapp', metadata, ...value } }
        const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [change] }] })
        const digest = createHmac('sha256', number.credentials.app_secret).update(body).digest('hex')
        const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${digest}` }
        const hook = `${server.url}/hooks/whatsapp-cloud/${made.number.id}`
        expect((await fetch(hook, { method: 'POST', headers, body })).status).toBe(200)
      },
    }
  }
})
