import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { Page, Route } from 'playwright-core'
import { until } from '../support/until.ts'
import { describeInBrowser, findAccessProblems, useBrowser } from './browser.ts'
import { go, type Session, useConsoleServer } from './console-server.ts'

type Chat = {
  id: string
  labels: string[]
  contact: { id: string; name: string; phone: string }
  number: { id: string }
}
type Order = {
  id: string
  payment_status: string
  payments: { method: string; amount_paid: number }[]
  refunds: { amount: number }[]
}
type Settings = { name: string; late_payment: string }

const HOUR_MS = 3600_000

/** The console over a long working day: chats left and come back to, answers that got lost, lists that do not go on, two people at once. */
describeInBrowser('the console over a working day', () => {
  const browser = useBrowser()
  const server = useConsoleServer(browser)
  let session: Session
  let chats: Chat[]
  let receiver: Server
  let receiverUrl = ''
  let answer = 204

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      request.resume()
      response.writeHead(answer).end()
    })
    await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready))
    receiverUrl = `http://127.0.0.1:${(receiver.address() as { port: number }).port}/hooks`
    session = await server.signIn()
    chats = (await call<{ data: Chat[] }>('GET', '/api/proxy/chats')).data
  })
  afterAll(() => void receiver?.close())

  const call = <Reply>(method: string, path: string, body?: unknown) => server.call<Reply>(session, method, path, body)
  const chatOf = (name: string) => chats.find(({ contact }) => contact.name === name) as Chat
  const write = ({ number, contact }: Chat, text: string) =>
    call('POST', '/api/proxy/simulator/messages', { number: number.id, from: contact.phone, text })

  test('a chat that is come back to shows what was written meanwhile, and is read', async () => {
    const sari = chatOf('Sari')
    const page = await server.enter(`/chats?open=${sari.id}`)
    await page.getByRole('log').locator('.bubble').first().waitFor()
    await page.getByRole('link', { name: /Budi/ }).click()
    await page.getByRole('heading', { name: 'Budi' }).first().waitFor()
    await write(sari, 'Jadi dua gelas, ya')
    // The pointer is on the list, where nothing moves by itself.
    await page.getByRole('button', { name: '1 new' }).waitFor()
    const read = page.waitForResponse(`**/api/proxy/chats/${sari.id}/read`)
    await page.getByRole('link', { name: /Sari/ }).click()
    await page.getByRole('log').getByText('Jadi dua gelas, ya').waitFor()
    expect((await (await read).json()).unread_count).toBe(0)
  })

  test('a saved reply is inserted by a slash with the keyboard, and not sent while a variable has no value', async () => {
    const body = 'Halo {{customer_name}}, terima kasih dari {{shop_name}}.'
    await call('POST', '/api/proxy/saved-replies', { shortcut: 'thanks', body })
    await call('POST', '/api/proxy/saved-replies', { shortcut: 'track', body: 'Resi: {{order_link}}' })
    const page = await server.enter(`/chats?open=${chatOf('Budi').id}`)
    const field = page.getByRole('textbox', { name: 'Write a message' })
    await field.pressSequentially('/t')
    const list = page.getByRole('listbox', { name: 'Saved replies' })
    await list.getByRole('option', { name: /thanks/, selected: true }).waitFor()
    await field.press('ArrowDown')
    await list.getByRole('option', { name: /track/, selected: true }).waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    await field.press('Escape')
    await list.waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe('/t')
    await field.fill('')
    await field.pressSequentially('/tha')
    await list.waitFor()
    await field.press('Enter')
    await until(async () => (await field.inputValue()) === 'Halo Budi, terima kasih dari Demo Store.')
    await field.press('Enter')
    await page.getByRole('log').getByText('Halo Budi, terima kasih dari Demo Store.').waitFor()
    await field.fill('{{order_link}}')
    await field.press('Enter')
    await page.getByText('Replace {{order_link}} before you send').waitFor()
    expect(await field.inputValue()).toBe('{{order_link}}')
    await field.fill('')
  })

  test('a note is written in the chat, seen by the team there and at the customer, and not sent', async () => {
    const budi = chatOf('Budi')
    const page = await server.enter(`/chats?open=${budi.id}`)
    await page.locator('.composer-mode').getByText('Note').click()
    await page.getByRole('textbox', { name: /only your team sees it/ }).fill('Titip ke satpam')
    await page.getByRole('button', { name: 'Add note' }).click()
    const note = page.getByRole('log').locator('.note', { hasText: 'Titip ke satpam' })
    await note.getByText(/Note · Owner/).waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    const { messages } = await call<{ messages: { data: { body: string }[] } }>('GET', `/api/proxy/chats/${budi.id}`)
    expect(messages.data.map(({ body }) => body)).not.toContain('Titip ke satpam')
    await go(page, `/customers/${budi.contact.id}`)
    await page.getByText('Titip ke satpam').waitFor()
    await page.getByRole('button', { name: 'Edit Name' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Pak Budi RT 5')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Pak Budi RT 5' }).waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    await call('PATCH', `/api/proxy/contacts/${budi.contact.id}`, { name: 'Budi' })
  })

  test('chats without an assignee are one click away, and their filters can be saved for every browser', async () => {
    await call('PATCH', `/api/proxy/chats/${chatOf('Sari').id}`, { assignee: server.owner.email })
    const page = await server.enter('/chats')
    const rows = page.getByRole('link', { name: /Sari/ })
    await rows.first().waitFor()
    await page.getByLabel('Filter chats').getByText('Unassigned').click()
    await rows.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('Antrean')
    await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('button', { name: 'Antrean', pressed: true }).waitFor()
    const elsewhere = await server.visit('/chats', { session, isFresh: true })
    await elsewhere.getByRole('button', { name: 'Antrean' }).click()
    await elsewhere.waitForURL(/assigned=false/)
    await call('PATCH', `/api/proxy/chats/${chatOf('Sari').id}`, { assignee: null })
  })

  test('a message that is searched for is opened in its chat, also far back, and marked', async () => {
    const budi = chatOf('Budi')
    await write(budi, 'Pesan jeruk nipis')
    for (let nth = 0; nth < 60; nth++)
      await call('POST', '/api/proxy/messages', { to: budi.id, body: `Kabar nomor ${nth}` })
    const page = await server.enter('/chats?q=nipis')
    await page
      .getByRole('region', { name: 'Messages' })
      .getByRole('link', { name: /jeruk nipis/ })
      .press('Enter')
    const found = page.locator('.bubble-row[data-found]', { hasText: 'Pesan jeruk nipis' })
    await found.waitFor()
    await until(() => found.evaluate((row) => row === document.activeElement && row.getBoundingClientRect().top > 0))
  })

  test('what is new is counted as the list is filtered', async () => {
    const page = await server.enter('/events?types=key.created')
    await page.getByRole('table').getByText('key.created').first().waitFor()
    const looked = page.waitForResponse(/\/api\/proxy\/events\?.*types=key\.created/)
    await write(chatOf('Budi'), 'Bukan kunci')
    await looked
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))))
    expect(await page.getByRole('button', { name: / new$/ }).count()).toBe(0)
    const rows = await page.locator('tbody tr').count()
    await call('POST', '/api/console/keys', { name: 'One more', scopes: ['events:read'] })
    await page.getByRole('button', { name: '1 new' }).click()
    await page.locator('tbody tr').nth(rows).waitFor()
    await page.getByRole('button', { name: '1 new' }).waitFor({ state: 'detached' })
  })

  test('a pause between two words of a search takes nothing away, and going back brings the old words', async () => {
    const page = await server.enter('/chats')
    const field = page.getByPlaceholder('Name, phone or text')
    await field.focus()
    await page.keyboard.insertText('masih ')
    await page.waitForURL(/q=masih$/)
    await page.keyboard.insertText('ada')
    await page.waitForURL(/q=masih(\+|%20)ada$/)
    expect(await field.inputValue()).toBe('masih ada')
    await page.goBack()
    await until(async () => (await field.inputValue()) === 'masih')
    await page.goForward()
    await until(async () => (await field.inputValue()) === 'masih ada')
  })

  test('words that could not be sent come back to their chat, before what was typed since', async () => {
    const sari = chatOf('Sari')
    const page = await server.enter(`/chats?open=${sari.id}`)
    const field = page.getByRole('form', { name: 'Reply' }).getByRole('textbox')
    const fail = async (meanwhile: () => Promise<void>) => {
      const { promise: gate, resolve: letGo } = Promise.withResolvers<void>()
      await page.route(
        '**/api/proxy/messages',
        async (route) => {
          await gate
          await route.abort()
        },
        { times: 1 },
      )
      const asked = page.waitForRequest('**/api/proxy/messages')
      const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/proxy/messages'))
      await field.press('Enter')
      await asked
      await until(async () => (await field.inputValue()) === '')
      await meanwhile()
      letGo()
      await failed
    }
    await field.fill('Masih, kak')
    await fail(() => field.fill('Mau berapa?'))
    await until(async () => (await field.inputValue()) === 'Masih, kak\nMau berapa?')
    await fail(async () => {
      await page.getByRole('link', { name: /Budi/ }).click()
      await page.getByRole('heading', { name: 'Budi' }).first().waitFor()
    })
    expect(await field.inputValue()).toBe('')
    await page.getByRole('link', { name: /Sari/ }).click()
    await page.getByRole('heading', { name: 'Sari' }).first().waitFor()
    expect(await field.inputValue()).toBe('Masih, kak\nMau berapa?')
    await field.fill('')
  })

  test('a message for later goes by the clock of the shop, as it is told afterwards, wherever it is written', async () => {
    const page = await server.visit(`/chats?open=${chatOf('Sari').id}`, { session })
    const line = await page.context().newCDPSession(page)
    await line.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Jayapura' })
    await page.getByRole('form', { name: 'Reply' }).getByRole('textbox').fill('Kami buka lagi')
    await page.getByRole('button', { name: 'Send later' }).click()
    const field = page.getByLabel('Send at (WIB)')
    const leftMs = Date.parse(`${await field.inputValue()}:00+07:00`) - Date.now()
    expect(Math.abs(leftMs - HOUR_MS)).toBeLessThan(HOUR_MS / 4)
    const tomorrow = new Date(Date.now() + 31 * HOUR_MS).toISOString().slice(0, 10)
    await field.fill(`${tomorrow}T09:00`)
    await page.getByRole('button', { name: 'Schedule' }).click()
    await page
      .getByRole('log')
      .getByText(/^Scheduled for .* 09:00:00 WIB$/)
      .waitFor()
    await page.getByRole('button', { name: 'Cancel message' }).click()
    await line.detach()
  })

  test('a row of orders is a link that the keyboard opens here and a middle click in a new tab', async () => {
    const page = await server.enter('/orders')
    const row = page.locator('.row-link').first()
    await row.waitFor()
    await page.keyboard.press('j')
    await until(() => row.evaluate((element) => element === document.activeElement))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Order #/ }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/orders\/ord_/)
    await page.goBack()
    const [tab] = await Promise.all([page.context().waitForEvent('page'), row.click({ button: 'middle' })])
    await tab.getByRole('heading', { name: /^Order #/ }).waitFor()
    await tab.close()
    expect(new URL(page.url()).pathname).toBe('/console/orders')
  })

  test('a cart of a customer is made payable by the first button, which does not speak of another way', async () => {
    const { number, contact } = chatOf('Dewi')
    const cart = {
      number: number.id,
      from: contact.phone,
      items: [{ product_retailer_id: 'KOPI', quantity: 2, item_price: 18_000 }],
    }
    await call('POST', '/api/proxy/simulator/carts', cart)
    const drafts = () => call<{ data: Order[] }>('GET', '/api/proxy/orders?status=draft')
    await until(async () => (await drafts()).data.length === 1)
    const page = await server.enter(`/orders?open=${(await drafts()).data[0]?.id}`)
    const drawer = page.getByRole('main')
    await drawer.getByRole('button', { name: 'Request payment' }).click()
    const dialog = page.getByRole('dialog', { name: 'Request payment' })
    await dialog.getByRole('combobox', { name: 'Payment method' }).click()
    await page.getByRole('option', { name: 'QRIS' }).click()
    await dialog.getByRole('button', { name: 'Request payment' }).click()
    await drawer.getByRole('img', { name: 'QRIS code' }).waitFor()
    await drawer.getByRole('button', { name: 'Change payment method' }).waitFor()
  })

  test('in either language nobody has to choose between cancelling and cancelling', async () => {
    const { id } = await call<Order>('POST', '/api/proxy/orders', { billingType: 'qris', amount: 10_000 })
    const page = await server.visit(`/orders?open=${id}`, { session, language: 'id' })
    await page.getByText('Kedaluwarsa dalam').waitFor()
    await page.getByRole('button', { name: 'Batalkan pesanan' }).click()
    const dialog = page.getByRole('dialog', { name: /^Batalkan pesanan/ })
    await dialog.getByRole('button', { name: 'Kembali' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Menunggu pembayaran').first().waitFor()
  })

  test('an order from the chat of somebody whose name is not known has no name', async () => {
    await call('POST', '/api/proxy/messages', { to: '+6281255550001', body: 'Pesanan Anda siap' })
    const { id } = await call<Chat>('GET', '/api/proxy/chats/+6281255550001')
    const page = await server.enter(`/chats?open=${id}&create=order`)
    const form = page.getByRole('region', { name: 'Create order' })
    await form.getByText('Open amount').click()
    await form.getByRole('button', { name: 'Create order' }).click()
    await form.waitFor({ state: 'detached' })
    const orders = await call<{ data: { customer: object }[] }>('GET', '/api/proxy/orders?phone=%2B6281255550001')
    expect(orders.data.map(({ customer }) => customer)).toMatchObject([{ name: null, phone: '+6281255550001' }])
  })

  test('a template is filled in with its file and its button, refused at its fields, and sent once', async () => {
    const { id } = chatOf('Sari')
    const page = await server.enter(`/chats?open=${id}`)
    await page.getByRole('button', { name: 'Send a template' }).click()
    const form = page.getByRole('form', { name: 'Send a template' })
    const choose = async (name: string) => {
      await form.getByRole('combobox', { name: 'Template' }).click()
      await page.getByRole('option', { name, exact: true }).click()
    }
    const send = form.getByRole('button', { name: 'Send template' })
    await choose('menu (id)')
    await form.getByText('has a carousel').waitFor()
    expect(await send.isDisabled()).toBe(true)

    await choose('invoice (id)')
    await send.click()
    await form.getByText('Choose a file.').waitFor()
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      form.getByRole('button', { name: 'Choose a file' }).click(),
    ])
    await chooser.setFiles({ name: 'nota.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') })
    await form.getByRole('textbox', { name: 'Variable 1' }).fill('A-1042')
    await form.getByRole('textbox', { name: 'File name' }).fill('../nota.pdf')
    expect(await findAccessProblems(page)).toEqual([])
    await send.click()
    await form.getByText('without folders').waitFor()
    await form.getByRole('textbox', { name: 'File name' }).fill('Nota A-1042.pdf')
    const loseAnswer = async (route: Route) => {
      await route.fetch()
      await route.abort()
    }
    await page.route('**/api/proxy/messages', loseAnswer, { times: 1 })
    await send.click()
    await form.getByText('can’t reach the server').waitFor()
    await send.click()
    await page.getByRole('log').getByText('Nota untuk pesanan A-1042.').waitFor()

    await page.getByRole('button', { name: 'Send a template' }).click()
    await choose('parcel sent (en)')
    for (const [name, words] of [
      ['Header variable 1', 'A-1042'],
      ['Variable 1', 'JP-77'],
      ['Variable 2', 'JNE'],
      ['URL suffix of button “Track it”', 'jp-77'],
    ] as const)
      await form.getByRole('textbox', { name, exact: true }).fill(words)
    await send.click()
    await page.getByRole('log').getByText('https://shop.example/parcels/jp-77').waitFor()
    const { messages } = await call<{ messages: { data: { template: { name: string } | null }[] } }>(
      'GET',
      `/api/proxy/chats/${id}`,
    )
    const names = messages.data.flatMap(({ template }) => template?.name ?? [])
    expect(names.toSorted()).toEqual(['invoice', 'parcel_sent'])
  })

  test('who searches for an order is told its state in words, by number as by id', async () => {
    const order = { billingType: 'qris', amount: 10_000, customer: { name: 'Wulan' } }
    const { id, number } = await call<Order & { number: string }>('POST', '/api/proxy/orders', order)
    const page = await server.visit('/orders', { session, language: 'id' })
    await page.getByRole('heading', { name: 'Pesanan' }).waitFor()
    await page.keyboard.press('Control+k')
    for (const words of [number, id]) {
      await page.getByRole('dialog').getByRole('combobox').fill(words)
      await page
        .getByRole('dialog')
        .getByRole('option', { name: `#${number} Wulan, Menunggu pembayaran` })
        .waitFor()
    }
  })

  test('labels that are typed one right after the other all stay', async () => {
    const { id } = chatOf('Dewi')
    const page = await server.enter(`/chats?open=${id}`)
    // By its name: the words in it go when the first label is there, which may come by the live stream before the answer.
    const field = page.getByRole('region', { name: 'Customer' }).getByLabel('Labels')
    await field.waitFor()
    const answers = holdAnswers(page, 'PATCH', `/api/proxy/chats/${id}`)
    await field.fill('vip')
    await field.press('Enter')
    await answers.held
    const saved = page.waitForResponse((response) => response.request().postData()?.includes('grosir') === true)
    await field.fill('grosir')
    await field.press('Enter')
    answers.letGo()
    await saved
    expect((await call<Chat>('GET', `/api/proxy/chats/${id}`)).labels.toSorted()).toEqual(['grosir', 'vip'])
    await page.unrouteAll()
  })

  test('a reaction that did not get there stands beside the message with the reason, not on it', async () => {
    const closed = { ...chatOf('Sari'), contact: { id: '', name: 'Tutup', phone: '+6281200000106' } }
    const page = await server.enter('/chats?q=6281200000106')
    // Away from the list, so that the chat comes into it by itself.
    await page.mouse.move(1000, 400)
    await write(closed, 'Masih buka?')
    await page.locator('a.chat-row').click()
    await page.getByRole('log').getByText('Masih buka?').waitFor()
    await page.getByRole('log').hover()
    await page.getByRole('button', { name: 'Message actions' }).click()
    await page.getByRole('menuitem', { name: '👍' }).click()
    await page.locator('.aside-line').filter({ hasText: 'Not delivered.' }).waitFor()
    expect(await page.locator('.reactions').count()).toBe(0)
    // Outside the reply window the same words would be refused again.
    await page.getByRole('textbox', { name: 'Message' }).fill('Kami buka sampai jam 9.')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const refused = page.locator('.bubble', { hasText: 'Kami buka sampai jam 9.' })
    await refused.getByText('131047').waitFor()
    expect(await refused.getByRole('button', { name: 'Resend' }).count()).toBe(0)
    await refused.getByRole('button', { name: 'Choose a template' }).click()
    await page.locator('.template-composer input:focus').waitFor()
  })

  test('a refund whose answer is lost and that is sent again gives the money back once', async () => {
    const { page, order, dialog } = await openRefund()
    await dialog.getByLabel('Refund amount').fill('1000')
    await dialog.getByLabel('I’ve already refunded the customer myself').check()
    await dialog.getByLabel('How you refunded it').fill('In cash')
    await page.route(
      '**/refunds',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    await dialog.getByRole('button', { name: 'Refund Rp 1.000' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('button', { name: 'Refund Rp 1.000' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await call<Order>('GET', `/api/proxy/orders/${order.id}`)).refunds.map(({ amount }) => amount)).toEqual([
      1000,
    ])
  })

  test('a second payment of a paid order is recorded by the way it came, and the order is marked', async () => {
    const order = await call<Order>('POST', '/api/proxy/orders', { billingType: 'cash', amount: 20_000 })
    const page = await server.enter(`/orders?open=${order.id}`)
    const again = page.getByRole('button', { name: 'Record second payment' })
    await page.getByRole('button', { name: 'Mark as paid' }).waitFor()
    expect(await again.count()).toBe(0)
    await call('POST', `/api/proxy/orders/${order.id}/mark-paid`, {})
    await again.click()
    const dialog = page.getByRole('dialog', { name: 'Record second payment' })
    const way = dialog.getByRole('combobox', { name: 'Payment method' })
    // As it came last time, unless somebody says otherwise.
    expect(await way.inputValue()).toBe('Cash')
    await way.click()
    expect(await page.getByRole('option').allTextContents()).not.toContain('Free')
    await page.getByRole('option', { name: 'Cash on delivery' }).click()
    await dialog.getByLabel('Amount received').fill('5000')
    await dialog.getByRole('button', { name: 'Record Rp 5.000' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Overpaid').first().waitFor()
    const after = await call<Order>('GET', `/api/proxy/orders/${order.id}`)
    expect(after.payments.map(({ method, amount_paid }) => [method, amount_paid])).toEqual([
      ['cash', 20_000],
      ['cod', 5_000],
    ])
  })

  test('Esc closes the dialog over an order, and the order stays', async () => {
    const { page, dialog } = await openRefund()
    const give = page.getByRole('button', { name: 'Refund', exact: true })
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await give.waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: /^Order #/ }).waitFor()
  })

  test('an amount that cannot be is refused, and never taken for all there is', async () => {
    const { order, dialog } = await openRefund()
    await dialog.getByLabel('I’ve already refunded the customer myself').check()
    await dialog.getByLabel('How you refunded it').fill('In cash')
    for (const [typed, place] of [
      ['99999999999999999999', dialog.getByRole('alert')],
      ['0', dialog.locator('.mantine-NumberInput-error')],
    ] as const) {
      await dialog.getByLabel('Refund amount').fill(typed)
      await dialog.locator('button[type="submit"]').click()
      await place.waitFor()
    }
    expect((await call<Order>('GET', `/api/proxy/orders/${order.id}`)).refunds).toHaveLength(1)
  })

  test('the rest of a list that does not come is asked for once, told where it is missing, and comes on a click', async () => {
    const headers = { authorization: `Bearer ${server.token}` }
    await Promise.all(Array.from({ length: 60 }, () => fetch(`${server.url}/api/public/v1/me`, { headers })))
    let asked = 0
    const page = await server.enter('/account')
    await page.route(/request-logs\?.*cursor=/, (route) => {
      asked++
      return route.fulfill({ status: 500, json: { status: 500, code: 'internal_error', detail: 'Not today.' } })
    })
    // Calls are written down within a second.
    await until(async () => {
      asked = 0
      await page.goto(`${server.url}/console/logs`)
      await page.locator('tbody tr').getByText('/me').first().waitFor()
      return (await page.locator('tbody tr').count()) === 50
    })
    await page.locator('tbody tr').nth(49).scrollIntoViewIfNeeded()
    const alert = page.getByRole('alert').filter({ hasText: 'Not today.' })
    await alert.scrollIntoViewIfNeeded()
    for (let frame = 0; frame < 10; frame++) await page.evaluate(() => new Promise(requestAnimationFrame))
    expect([asked, await alert.count()]).toEqual([1, 1])
    await page.unrouteAll()
    await alert.getByRole('button', { name: 'Retry' }).click()
    await page.locator('tbody tr').nth(50).waitFor()
  })

  test('filters of the log can be typed into the address, and a time is one of them', async () => {
    await fetch(`${server.url}/api/public/v1/me`)
    const page = await server.enter('/logs?status=200')
    await page.getByRole('table').getByText('200').first().waitFor()
    expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('200')
    await page.getByLabel('From (WIB)').fill('2099-12-31T23:30')
    await page.getByText('No results match').waitFor()
    await page.waitForURL(/since=2099-12-31T16%3A30%3A00\.000Z/)
    await page.reload()
    expect(await page.getByLabel('From (WIB)').inputValue()).toBe('2099-12-31T23:30')
  })

  test('what is set on a page and looks like a number or a yes in the address is still set after a reload', async () => {
    const page = await server.enter('/logs')
    const live = page.getByRole('switch', { name: 'Live' })
    await live.check({ force: true })
    await page.waitForURL(/live=1$/)
    await page.reload()
    await live.waitFor({ state: 'attached' })
    expect(await live.isChecked()).toBe(true)
    await go(page, '/deliveries')
    const kind = page.getByRole('combobox', { name: 'Kind' })
    await kind.click()
    await page.getByRole('option', { name: 'Test events' }).click()
    await page.waitForURL(/test=true$/)
    await page.reload()
    await kind.waitFor()
    expect(await kind.inputValue()).toBe('Test events')
  })

  test('a recovery is started only as it was counted', async () => {
    const endpoint = await anEndpoint()
    const page = await server.enter(`/deliveries?open=recover&endpoint=${endpoint.id}`)
    const drawer = page.getByRole('dialog', { name: 'Recover deliveries' })
    await drawer.getByRole('button', { name: 'Recover deliveries' }).click()
    const dialog = page.getByRole('dialog').filter({ has: page.getByLabel('Deliveries') })
    await dialog.getByLabel('Deliveries').click()
    await page.getByRole('option', { name: 'All' }).click()
    await dialog.getByRole('button', { name: 'Estimate' }).click()
    await dialog.getByRole('button', { name: 'Start recovery' }).waitFor()
    await dialog.getByLabel('Deliveries').click()
    await page.getByRole('option', { name: 'Failed' }).click()
    await dialog.getByRole('button', { name: 'Estimate' }).waitFor()
    expect(await dialog.getByText('deliveries to send').count()).toBe(0)
  })

  test('a delivery that is sent again has succeeded in the list and in its explanation too', async () => {
    const endpoint = await anEndpoint()
    answer = 500
    const { delivery_id } = await call<{ delivery_id: string }>(
      'POST',
      `/api/proxy/webhook-endpoints/${endpoint.id}/test`,
      { type: 'message.received' },
    )
    const page = await server.enter(`/deliveries?test=true&endpoint=${endpoint.id}&open=${delivery_id}`)
    const drawer = page.getByRole('dialog', { name: 'Delivery' })
    await drawer.getByText('Your server responded 500').first().waitFor()
    await page.reload()
    const row = page.getByRole('table').getByRole('row').nth(1)
    await row.getByText('500', { exact: true }).waitFor()
    await drawer.locator('.mantine-Timeline-root').getByText('500').first().waitFor()
    const said = await drawer.innerText()
    expect(said).not.toMatch(/\.\./)
    expect(said).not.toMatch(/POST|mode "/)
    answer = 204
    await drawer.getByRole('button', { name: 'Resend' }).click()
    const newest = drawer.getByRole('button', { name: /204/ })
    await newest.waitFor()
    expect(await newest.getAttribute('aria-expanded')).toBe('true')
    expect(await drawer.getByRole('button', { name: /500/ }).getAttribute('aria-expanded')).toBe('false')
    await drawer
      .getByText(/It was delivered at/)
      .first()
      .waitFor()
    expect(await drawer.getByText(/It was delivered at/).count()).toBe(1)
    await row.getByText('Delivered').waitFor()
    await drawer.locator('.mantine-Timeline-root').getByText('204').first().waitFor()
  })

  test('saving one setting leaves what somebody else has changed meanwhile', async () => {
    const page = await server.enter('/settings')
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Demo Store Dua')
    await call('PATCH', '/api/console/settings', { late_payment: 'accept' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    const { name: saved, late_payment } = await call<Settings>('GET', '/api/console/settings')
    expect([saved, late_payment]).toEqual(['Demo Store Dua', 'accept'])
    await name.fill('Demo Store')
    await page.getByText('Saved.').waitFor({ state: 'detached' })
  })

  test('a connected number gets another name and a new secret without being disconnected', async () => {
    const { number } = await call<{ number: { id: string } }>('POST', '/api/console/numbers', {
      connector: 'simulator',
      phone_number_id: '100000000000777',
      display_phone: '+6281200009777',
      credentials: { app_secret: 'old-secret-777' },
      settings: {},
    })
    const page = await server.enter('/settings?tab=numbers')
    await page.getByRole('button', { name: 'Edit' }).last().click()
    const drawer = page.getByRole('dialog', { name: 'Edit: +6281200009777' })
    await drawer.getByRole('textbox', { name: 'Name' }).fill('Kasir dua')
    await drawer.getByLabel('App secret').fill('new-secret-777')
    await drawer.getByLabel('Use as default sender').check()
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await drawer.getByRole('button', { name: 'Save' }).click()
    expect((await sent).postDataJSON()).toEqual({
      name: 'Kasir dua',
      is_default: true,
      credentials: { app_secret: 'new-secret-777' },
      settings: {},
    })
    await page.getByText('Kasir dua').waitFor()
    expect(await call<Record<string, unknown>>('GET', `/api/console/numbers/${number.id}`)).toMatchObject({
      name: 'Kasir dua',
      is_default: true,
      state: 'connected',
    })
  })

  test('the tab that an address names is in sight on a phone, where not all have room', async () => {
    const page = await server.visit('/settings?tab=sandbox', { session, isPhone: true })
    const tab = page.getByRole('tab', { selected: true })
    await tab.waitFor()
    await until(async () => {
      const box = await tab.boundingBox()
      return box !== null && box.x >= 0 && box.x + box.width <= 390
    })
    expect(await tab.textContent()).toBe('Sandbox')
  })

  test('of two numbers the one that was asked for last is changed, and so it is with payment accounts', async () => {
    const page = await server.enter('/settings?tab=numbers')
    for (const tab of ['Business numbers', 'Payments']) {
      await page.getByRole('tab', { name: tab }).click()
      const change = page.getByRole('tabpanel', { name: tab }).getByRole('button', { name: 'Edit' })
      await change.last().click()
      const drawer = page.getByRole('dialog')
      const name = drawer.getByRole('textbox', { name: 'Name', exact: true })
      const last = await name.inputValue()
      await change.first().click()
      await until(async () => (await name.inputValue()) !== last)
      expect(await drawer.count()).toBe(1)
      await page.keyboard.press('Escape')
      await drawer.waitFor({ state: 'detached' })
    }
  })

  test('a setting of a payment account is set, and taken away by emptying it', async () => {
    const page = await server.enter('/settings?tab=payments')
    const drawer = page.getByRole('dialog', { name: /Edit/ })
    for (const [typed, sent] of [
      ['Toko Sari', 'Toko Sari'],
      ['', null],
    ] as const) {
      await page.getByRole('button', { name: 'Edit' }).first().click()
      await drawer.getByLabel('Merchant name').fill(typed)
      const change = page.waitForResponse((response) => response.request().method() === 'PATCH')
      await drawer.getByRole('button', { name: 'Save' }).click()
      expect((await change).request().postDataJSON()).toEqual({ credentials: {}, settings: { merchant_name: sent } })
      await drawer.waitFor({ state: 'detached' })
      await until(async () => {
        const { data } = await call<{ data: { settings: object }[] }>('GET', '/api/console/payment-accounts')
        return data.some(({ settings }) => 'merchant_name' in settings) === (sent !== null)
      })
      await page.reload()
    }
  })

  test('the first message of a chat goes out from the number that was chosen', async () => {
    const page = await server.enter('/chats')
    await page.getByRole('button', { name: 'New message' }).click()
    const dialog = page.getByRole('dialog', { name: 'New message' })
    await dialog.getByRole('combobox', { name: 'From' }).click()
    const other = page.getByRole('option').filter({ hasNotText: 'Kasir dua' }).first()
    const phone = (await other.textContent())?.split(' · ')[1]
    await other.click()
    await dialog.getByLabel('Customer’s phone number').fill('0813 5555 0001')
    await dialog.getByLabel('Message').fill('Halo dari nomor lain')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('log').getByText('Halo dari nomor lain').waitFor()
    const chat = await call<{ number: { display_phone: string } }>('GET', '/api/proxy/chats/+6281355550001')
    expect(chat.number.display_phone).toBe(phone as string)
  })

  test('what a customer writes to another number is opened there, not in the chat they have already', async () => {
    const { contact, number } = chatOf('Budi')
    const page = await server.enter('/chats')
    await page.getByRole('button', { name: 'New message' }).click()
    const dialog = page.getByRole('dialog', { name: 'New message' })
    await dialog.getByText('Customer (simulator)').click()
    await dialog.getByRole('combobox', { name: 'To' }).click()
    await page.getByRole('option', { name: 'Kasir dua' }).click()
    await dialog.getByLabel('Customer’s phone number').fill(contact.phone)
    await dialog.getByLabel('Message', { exact: false }).last().fill('Ini nomor yang lain?')
    await dialog.getByRole('button', { name: 'Send as customer' }).click()
    await page.getByRole('log').getByText('Ini nomor yang lain?').waitFor()
    const opened = await call<Chat>('GET', `/api/proxy/chats/${new URL(page.url()).searchParams.get('open')}`)
    expect(opened.number.id).not.toBe(number.id)
  })

  test('the secret of a new number is shown once, and not closed by accident', async () => {
    const page = await server.enter('/settings?tab=numbers')
    await page.getByRole('button', { name: 'Connect number' }).click()
    const drawer = page.getByRole('dialog', { name: 'Connect number' })
    await drawer.getByLabel('Phone number ID').fill('100000000000778')
    await drawer.getByPlaceholder('+62 21 5000 1000').fill('+6281200009778')
    await drawer.getByLabel('Access token').fill('EAAtoken')
    await drawer.getByLabel('App secret').fill('0123456789abcdef')
    await drawer.getByRole('button', { name: 'Connect number' }).click()
    const shown = page.getByRole('dialog', { name: 'Number connected: Verify token' })
    await shown.getByText('/hooks/whatsapp-cloud/').waitFor()
    await page.keyboard.press('Escape')
    await shown.getByLabel('I’ve copied it').check()
    await shown.getByRole('button', { name: 'Done' }).click()
    await shown.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Connect number' }).click()
    await drawer.getByLabel('Phone number ID').waitFor()
  })

  test('who reads Indonesian is told in Indonesian what the server says: refusals, fields, names of secrets', async () => {
    const page = await server.visit('/people', { session, language: 'id' })
    await page.getByLabel('Email').fill(server.owner.email)
    await page.getByRole('button', { name: 'Undang', exact: true }).click()
    await page.getByText('Orang dengan email ini sudah menjadi anggota tim.').waitFor()

    await go(page, '/orders?open=ord_01k9x3m5q8e0t9v7a2b4c6d8fg')
    await page.getByRole('alert').filter({ hasText: 'Tidak ada pesanan dengan ID ini.' }).waitFor()

    await go(page, '/webhooks?open=new')
    const form = page.locator('form')
    await form.getByLabel('URL').fill('https://nama:sandi@contoh.id/hooks')
    await form.locator('button[type="submit"]').click()
    await form.getByText('URL tidak boleh memuat nama pengguna atau kata sandi.').waitFor()

    await go(page, '/settings?tab=numbers')
    await page.getByRole('button', { name: 'Hubungkan nomor' }).click()
    const drawer = page.getByRole('dialog', { name: 'Hubungkan nomor' })
    await drawer.getByLabel('ID nomor telepon').fill('100000000000779')
    await drawer.getByPlaceholder('+62 21 5000 1000').fill('+6281200009779')
    await drawer.getByLabel('Token akses').fill('EAAtoken')
    await drawer.getByLabel('App secret').fill('0123456789abcdef')
    await drawer.getByRole('button', { name: 'Hubungkan nomor' }).click()
    await page.getByRole('dialog', { name: 'Nomor terhubung: Token verifikasi' }).waitFor()
  })

  test('somebody of the support is led to no page that their role does not reach, and there is told why', async () => {
    const page = await server.visit(`/chats?open=${chatOf('Sari').id}`, {
      session: await server.signIn(await server.invite('agent')),
    })
    await page.getByRole('region', { name: 'Customer' }).getByPlaceholder('Add label').waitFor()
    expect(await page.getByRole('link', { name: /Events/ }).count()).toBe(0)
    await go(page, '/events')
    await page.getByText('Your role is Support. Ask an owner or admin to change it.').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.locator('.skeleton').count()).toBe(0)
    expect(await page.getByRole('navigation').getByText('Developers').count()).toBe(0)
    await go(page, '/')
    await page.getByRole('heading', { name: 'Service status' }).waitFor()
    expect(await page.locator('a[href$="/keys"], a[href$="/webhooks"]').count()).toBe(0)
  })

  test('names, addresses and paths of any length can be read whole on a phone', async () => {
    const long = 'x'.repeat(80)
    const { key } = await call<{ key: { id: string } }>('POST', '/api/console/keys', {
      name: long,
      scopes: ['events:read'],
    })
    const { id } = await call<{ id: string }>('POST', '/api/proxy/webhook-endpoints', {
      url: `${receiverUrl}/${long}`,
      events: ['key.rotated'],
    })
    await fetch(`${server.url}/api/public/v1/${long}`, { headers: { authorization: `Bearer ${server.token}` } })
    const find = () => call<{ data: { id: string }[] }>('GET', `/api/console/request-logs?q=${long}`)
    await until(async () => (await find()).data.length > 0)
    const page = await server.visit('/account', { session, isPhone: true })
    for (const path of [
      `/keys/${key.id}`,
      `/webhooks/${id}`,
      `/logs?open=${(await find()).data[0]?.id}`,
      '/keys',
      '/logs',
    ]) {
      await go(page, path)
      const place = path.includes('open') ? page.getByRole('dialog') : page.locator('main')
      const words = place.getByText(long).first()
      await words.waitFor()
      expect([path, await words.evaluate(isWhole)]).toEqual([path, true])
    }
  })

  test('a list without any rows is no wider than a phone', async () => {
    const page = await server.visit('/orders', { session, isPhone: true })
    const nothing = { object: 'list', data: [], has_more: false, next_cursor: null, url: '/orders' }
    await page.route('**/api/proxy/orders?*', (route) => route.fulfill({ json: nothing }))
    await page.reload()
    await page.locator('pre.code').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  })

  test('no page complained, and none asked anybody but this server', () => {
    expect(server.complaints).toEqual([])
  })

  async function openRefund() {
    const { data } = await call<{ data: Order[] }>('GET', '/api/proxy/orders')
    const order = data.find(({ payment_status }) => ['paid', 'partially_refunded'].includes(payment_status)) as Order
    const page = await server.enter(`/orders?open=${order.id}`)
    await page.getByRole('button', { name: 'Refund', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Refund' })
    await dialog.getByLabel('Refund amount').waitFor()
    return { page, order, dialog }
  }

  /** Hears of nothing but what it is sent by hand. */
  const anEndpoint = () =>
    call<{ id: string }>('POST', '/api/proxy/webhook-endpoints', { url: receiverUrl, events: ['key.rotated'] })
})

/** Nothing of it is cut off, and nothing stands beside the screen. */
const isWhole = (element: Element) =>
  element.scrollWidth <= element.clientWidth + 1 && element.getBoundingClientRect().right <= window.innerWidth

/** The server does what it is asked, and its answers wait until they are let go. */
function holdAnswers(page: Page, method: string, path: string) {
  const { promise: held, resolve: isHeld } = Promise.withResolvers<void>()
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>()
  void page.route(`**${path}`, async (route) => {
    if (route.request().method() !== method) return route.fallback()
    const response = await route.fetch()
    isHeld()
    await gate
    return route.fulfill({ response })
  })
  return { held, letGo }
}
