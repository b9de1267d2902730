import { beforeAll, describe, expect, test } from 'bun:test'
import { quietLog } from '../../../test/support/log.ts'
import { known, paid } from '../../../test/support/order-cases.ts'
import { type OrdersBench, useOrders } from '../../../test/support/orders.ts'
import { reportOf } from '../../../test/support/scripted-payments.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import { createOrganizationProfiles } from '../../accounts/organizations/organizations.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { createPayPageSource } from '../../orders/pay-page/pay-page.ts'
import { createLinkPageSource } from '../../orders/payment-links/payment-links.ts'
import { simulatePay } from '../../payments/connectors/simulator/simulator.ts'
import { parseQris } from '../../payments/qris/qris.ts'
import { createPaySite, type PaySite } from './pay-site.ts'
import { createSimulatedPayer } from './simulated-payer.ts'

const bench: OrdersBench = useOrders()
let site: PaySite
let orgId: OrgId

beforeAll(async () => {
  const { clock, payments } = bench
  const source = createPayPageSource(bench.orders.context)
  const simulatedPayer = createSimulatedPayer(payments)
  site = createPaySite({
    source,
    links: createLinkPageSource(bench.orders),
    tokens: payments.tokens,
    simulatedPayer,
    clock,
    log: quietLog,
  })
  orgId = await bench.anOrg()
})

const get = async (url: string, headers: Record<string, string> = {}): Promise<Response> => {
  const answer = await site.fetch(new Request(url, { headers }))
  if (answer === null) throw new Error(`${url} is not served`)
  return answer
}

const pageOf = async (order: Json, headers?: Record<string, string>) =>
  (await get(order.payment.pay_url, headers)).text()
const stateOf = async (order: Json) => (await (await get(`${order.payment.pay_url}/status`)).json()).state

async function pay(order: Json, scenario: Parameters<typeof simulatePay>[1] = 'paid', amount?: number) {
  const payment = await bench.database.one<{ account_id: string; amount: number | null }>`
    select account_id, amount from payments where org_id = ${orgId} and id = ${order.payment.id}`
  const open = await bench.accounts.open(orgId, payment.account_id)
  if (open === null) throw new Error('no account')
  const attempt = { id: order.payment.id, amount: payment.amount }
  const now = new Date(bench.clock.now())
  for (const notice of simulatePay({ account: open.account, attempt, now, ...(amount && { amount }) }, scenario))
    await bench.payments.receiveNotice('simulator', payment.account_id, notice)
  await bench.settle()
}

describe('what is shown', () => {
  test('a QRIS order: picture, amount, time in WIB, shop and steps, with nothing of the customer', async () => {
    const order = await bench.anOrder(orgId, {
      amount: 1_265_000,
      customer: { name: 'Sari Dewi', phone: '+6281234567890' },
      note: 'leave it at the door',
      metadata: { secret: 'inner' },
    })
    const page = await pageOf(order)
    expect(page).toContain('Rp\u00a01.265.000')
    expect(page).toMatch(/\d{1,2} \w{3} 20\d\d, \d\d\.\d\d WIB/)
    expect(page).toContain(`Pesanan ${order.number}`)
    // Whom the code pays, as the payer's app will name them.
    for (const text of [parseQris(order.payment.qris.string).fields.merchantName, 'NMID']) expect(page).toContain(text)
    expect(page).toContain(order.payment.qris.image_url.replace('http://localhost:3900', '').replace('.png', '.svg'))
    for (const secret of ['Sari', '81234567890', 'at the door', 'inner', order.id, order.payment.id, orgId])
      expect(page).not.toContain(secret)
  })

  test('a virtual account, a Mandiri bill, a transfer and cash each show what their payer needs', async () => {
    const bni = await bench.anOrder(orgId, {
      billingType: 'virtual_account',
      payment: { bank: 'bni', method: 'virtual_account' },
    })
    const { number } = bni.payment.virtual_account
    expect(await pageOf(bni)).toContain(`data-copy="${number}"`)
    const mandiri = await bench.anOrder(orgId, {
      billingType: 'virtual_account',
      payment: { bank: 'mandiri', method: 'virtual_account' },
    })
    const bill = await pageOf(mandiri)
    expect(bill).toContain(`data-copy="${mandiri.payment.bill.biller_code}"`)
    expect(bill).toContain(`data-copy="${mandiri.payment.bill.bill_key}"`)
    expect(bill).toContain('Multipayment')
    const byHand = await bench.anOrg(['manual'])
    const transfer = await pageOf(await bench.anOrder(byHand, { billingType: 'bank_transfer' }))
    for (const text of ['BCA', 'data-copy="1234567890"', 'Warung Contoh']) expect(transfer).toContain(text)
    const cash = await pageOf(await bench.anOrder(byHand, { billingType: 'cash' }))
    expect(cash).toContain('Bayar langsung saat Anda menerima pesanan.')
    expect(cash).not.toContain('PIN')
  })

  test('a wallet opens its app on a phone and shows its code on a desk; a store has a code; a card has a page', async () => {
    const wallet = await bench.anOrder(orgId, { billingType: 'ewallet', payment: { channel: 'gopay' } })
    const { deeplink_url: link } = wallet.payment.ewallet
    const [phone, desk] = [
      await pageOf(wallet, { 'user-agent': 'Mozilla/5.0 (Linux; Android 15)' }),
      await pageOf(wallet),
    ]
    for (const page of [phone, desk]) expect(page).toContain(`href="${link}"`)
    expect([phone.includes('<details>'), desk.includes('<details>'), desk.includes('<img')]).toEqual([
      true,
      false,
      true,
    ])
    const customer = { phone: '0812-3456-7890' }
    const ovo = await bench.anOrder(orgId, { billingType: 'ewallet', payment: { channel: 'ovo' }, customer })
    expect(await pageOf(ovo)).toContain('permintaan pembayaran ke aplikasi OVO')
    const store = await bench.anOrder(orgId, { billingType: 'retail', payment: { channel: 'indomaret' } })
    expect(await pageOf(store)).toContain(`data-copy="${store.payment.retail.payment_code}"`)
    const card = await bench.anOrder(orgId, { billingType: 'card' })
    expect(await pageOf(card)).toContain(`href="${card.payment.card.redirect_url}"`)
  })

  test('a simulated wallet is paid on the page that its link opens', async () => {
    const order = await bench.anOrder(orgId, { billingType: 'ewallet', payment: { channel: 'dana' } })
    const url = order.payment.ewallet.web_url
    expect(await (await get(url)).text()).toContain('Bayar Rp\u00a025.000')
    const outcome = new URLSearchParams({ outcome: 'paid' })
    const answer = await site.fetch(new Request(url, { method: 'POST', body: outcome }))
    expect(answer?.headers.get('location')).toBe(new URL(order.payment.pay_url).pathname)
    await bench.settle()
    expect(await stateOf(order)).toBe('paid')
    expect((await get(url)).status).toBe(302)
  })

  test('an open amount says so and names none', async () => {
    const order = await bench.anOrder(orgId, { amount: undefined })
    const page = await pageOf(order)
    expect(page).toContain('Nominal bebas')
    expect(page).not.toContain('class="amount"')
  })

  test('the name of a shop is text, whatever it holds', async () => {
    await bench.database
      .run`update organizations set name = ${'<img src=x onerror=alert(1)> & "Co"'} where id = ${orgId}`
    const order = await bench.anOrder(orgId)
    const profiles = createOrganizationProfiles(bench.database)
    const source = createPayPageSource({ ...bench.orders.context, profiles })
    const fresh = createPaySite({
      source,
      links: createLinkPageSource(bench.orders),
      tokens: bench.payments.tokens,
      clock: bench.clock,
      log: quietLog,
    })
    const page = await (await fresh.fetch(new Request(order.payment.pay_url)))?.text()
    expect(page).not.toContain('<img src=x')
    expect(page).toContain('&lt;img src=x')
  })
})

describe('the remaining amount', () => {
  const open = async (order: Json, method: string): Promise<Response> => {
    const [url, body] = [`${order.payment.pay_url}/payments?lang=en`, new URLSearchParams({ method })]
    const answer = await site.fetch(new Request(url, { method: 'POST', body }))
    if (answer === null) throw new Error(`${url} is not served`)
    return answer
  }

  test('can be paid from the page by every enabled method when a part was received', async () => {
    const order = await bench.anOrder(orgId)
    expect(await pageOf(order)).not.toContain('<form')
    await pay(order, 'paid', 20_000)
    const page = await pageOf(order)
    for (const part of ['<form', 'value="qris"', 'value="virtual_account:bni"', 'Bayar Rp\u00a05.000'])
      expect(page).toContain(part)
    expect(page).not.toContain('value="cash"')
    const answer = await open(order, 'qris')
    const place = new URL(order.payment.pay_url).pathname
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${place}?lang=en`])
    const { payment, amount_remaining } = await bench.getOrder(orgId, order.id)
    expect([payment.amount, payment.status, amount_remaining]).toEqual([5_000, 'pending', 5_000])
    const opened = await pageOf(order)
    expect([opened.includes('<form'), opened.includes('<img'), await stateOf(order)]).toEqual([
      false,
      true,
      'partly_paid',
    ])
    await pay({ ...order, payment })
    expect([await stateOf(order), (await bench.getOrder(orgId, order.id)).status]).toEqual(['paid', 'confirmed'])
  })

  test('is opened once when the button is pressed twice, and not when nothing is due', async () => {
    const order = await bench.anOrder(orgId)
    await open(order, 'virtual_account')
    await pay(order, 'paid', 20_000)
    await Promise.all([open(order, 'qris'), open(order, 'qris'), open(order, 'virtual_account'), open(order, 'cash')])
    const { payments } = await bench.getOrder(orgId, order.id)
    expect(payments.map(({ amount }: Json) => amount)).toEqual([25_000, 5_000])
    const paidOrder = await bench.anOrder(orgId)
    await pay(paidOrder)
    await open(paidOrder, 'qris')
    expect((await bench.getOrder(orgId, paidOrder.id)).payments.length).toBe(1)
  })

  test('can be paid again when a bank reversed the payment, and names only methods that take the amount', async () => {
    const order = await bench.anOrder(orgId, { amount: 12_000 })
    await pay(order, 'reversed')
    expect([await stateOf(order), await pageOf(order)]).toEqual([
      'reversed',
      expect.stringContaining('value="card:credit_card"'),
    ])
    const small = await bench.anOrder(orgId, { amount: 5_000 })
    await pay(small, 'reversed')
    expect(await pageOf(small)).not.toContain('value="card')
  })

  test('is refused with another method than POST, and for an unknown token', async () => {
    const order = await bench.anOrder(orgId)
    expect((await get(`${order.payment.pay_url}/payments`)).status).toBe(405)
    const unknown = { payment: { pay_url: order.payment.pay_url.replace(/.{8}$/, 'AAAAAAAA') } }
    expect((await open(unknown, 'qris')).status).toBe(404)
  })
})

describe('the outcome', () => {
  test('paid: the code is gone, the version changes, and an open page sees it', async () => {
    const order = await bench.anOrder(orgId)
    const status = () => get(`${order.payment.pay_url}/status`)
    const before = await status()
    const tag = before.headers.get('etag') ?? ''
    expect((await get(`${order.payment.pay_url}/status`, { 'if-none-match': tag })).status).toBe(304)
    expect(await before.json()).toMatchObject({ state: 'payable', expires_at: order.payment.expires_at })
    await pay(order)
    expect((await get(`${order.payment.pay_url}/status`, { 'if-none-match': tag })).status).toBe(200)
    expect(await (await status()).json()).toMatchObject({ state: 'paid', expires_at: null })
    const page = await pageOf(order)
    expect(page).toContain('Lunas')
    for (const part of ['<img', 'data-status', 'http-equiv="refresh"']) expect(page).not.toContain(part)
  })

  test('paid in part: what came and what is missing', async () => {
    const order = await bench.anOrder(orgId, { amount: 50_000 })
    await pay(order, 'paid', 20_000)
    expect(await stateOf(order)).toBe('partly_paid')
    const page = await pageOf(order)
    expect(page).toContain('Rp\u00a020.000')
    expect(page).toContain('Rp\u00a030.000')
  })

  test('expired: from its second on, before the provider was asked; then late money is on record', async () => {
    const order = await bench.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
    bench.clock.advance(61_000)
    expect(await stateOf(order)).toBe('expired')
    expect(await pageOf(order)).not.toContain('<img')
    await bench.advance(180)
    expect(await pageOf(order)).toContain('Jangan membayar dengan kode ini lagi')
    await pay(order, 'late')
    expect(await stateOf(order)).toBe('late')
  })

  test('cancelled, failed and refunded', async () => {
    const cancelled = await bench.anOrder(orgId)
    await bench.call(orgId, 'POST', `/orders/${cancelled.id}/cancel`)
    expect(await stateOf(cancelled)).toBe('cancelled')
    const failed = await bench.anOrder(orgId)
    await pay(failed, 'failed')
    expect(await stateOf(failed)).toBe('failed')
    const refunded = await bench.anOrder(orgId)
    await pay(refunded)
    const reply = await bench.call(orgId, 'POST', `/orders/${refunded.id}/refunds`, { json: { reason: 'sold out' } })
    expect(reply.status).toBe(201)
    await bench.settle()
    expect(await stateOf(refunded)).toBe('refunded')
    expect(await pageOf(refunded)).toContain('Dana dikembalikan')
  })

  test('reversed by the bank: the page shows how to pay again', async () => {
    const remote = await bench.anOrg(['xendit'])
    const order = await bench.anOrder(remote)
    await bench.sendNotice(remote, paid(order.payment))
    await bench.sendNotice(remote, reportOf(known(order.payment), { state: 'reversed' }))
    expect(await stateOf(order)).toBe('reversed')
    const { json } = await bench.call(remote, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
    expect(await stateOf(order)).toBe('reversed')
    const page = await pageOf(order)
    for (const part of ['<img', 'data-status', 'Rp\u00a025.000']) expect(page).toContain(part)
    await bench.sendNotice(remote, paid(json.payment))
    expect(await stateOf(order)).toBe('paid')
  })

  test('of an open amount, reversed by the bank after a partial refund: payable again', async () => {
    const remote = await bench.anOrg(['xendit'])
    const order = await bench.anOrder(remote, { amount: undefined })
    await bench.sendNotice(remote, paid(order.payment, { amountPaid: 6_000 }))
    await bench.call(remote, 'POST', `/orders/${order.id}/refunds`, { json: { amount: 2_000 } })
    await bench.settle()
    await bench.sendNotice(remote, reportOf(known(order.payment), { state: 'reversed', amountPaid: 6_000 }))
    expect(await stateOf(order)).toBe('reversed')
    const { json } = await bench.call(remote, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
    expect(await stateOf(order)).toBe('reversed')
    await bench.sendNotice(remote, paid(json.payment, { amountPaid: 5_000 }))
    expect(await stateOf(order)).toBe('paid')
  })

  test('partly refunded: paid when the full amount was received, and still short when it was not', async () => {
    const byHand = await bench.anOrg(['manual'])
    const refund = { json: { amount: 5_000, manual: true, note: 'by transfer' } }
    for (const [received, state] of [
      [25_000, 'paid'],
      [10_000, 'partly_paid'],
    ]) {
      const order = await bench.anOrder(byHand, { billingType: 'bank_transfer' })
      await bench.call(byHand, 'POST', `/orders/${order.id}/mark-paid`, { json: { amount: received } })
      expect((await bench.call(byHand, 'POST', `/orders/${order.id}/refunds`, refund)).status).toBe(201)
      expect(await stateOf(order)).toBe(state)
    }
  })

  test('being prepared while a provider has not answered', async () => {
    const remote = await bench.anOrg(['xendit'])
    const order = await bench.anOrder(remote)
    await bench.database.run`update payments set status = 'created', details = null where id = ${order.payment.id}`
    expect(await stateOf(order)).toBe('preparing')
    expect(await pageOf(order)).toContain('Pembayaran disiapkan')
  })
})

describe('pictures', () => {
  test('of a payment: cached forever, identified by a tag, the same as PNG and SVG', async () => {
    const order = await bench.anOrder(orgId)
    const png = await get(order.payment.qris.image_url)
    expect(png.headers.get('content-type')).toBe('image/png')
    expect(png.headers.get('cache-control')).toContain('immutable')
    expect(new Uint8Array(await png.arrayBuffer()).slice(1, 4)).toEqual(new TextEncoder().encode('PNG'))
    const again = await get(order.payment.qris.image_url, { 'if-none-match': png.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
    const svg = await get(order.payment.qris.image_url.replace('.png', '.svg'))
    expect(await svg.text()).toStartWith('<svg')
  })

  test('of an order: whatever is current, so it is asked for again each time', async () => {
    const order = await bench.anOrder(orgId)
    const picture = await get(`${order.payment.pay_url}/qr.png`)
    expect([picture.status, picture.headers.get('cache-control')]).toEqual([200, 'no-cache'])
    const account = await bench.anOrder(orgId, { billingType: 'virtual_account' })
    expect((await get(`${account.payment.pay_url}/qr.png`)).status).toBe(404)
  })

  test('the address of a picture without its last part leads to the page', async () => {
    const order = await bench.anOrder(orgId)
    const answer = await get(order.payment.qris.image_url.replace('/qr.png', '?lang=en'))
    expect(answer.status).toBe(302)
    expect(`http://localhost:3900${answer.headers.get('location')}`).toBe(`${order.payment.pay_url}?lang=en`)
  })
})

describe('manners', () => {
  test('nothing is kept, framed, run or fetched that is not ours', async () => {
    const { headers } = await get((await bench.anOrder(orgId)).payment.pay_url)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-robots-tag')).toBe('noindex')
  })

  test('without a script the page still loads itself again while something is awaited', async () => {
    const page = await pageOf(await bench.anOrder(orgId))
    expect(page).toContain('<noscript><meta http-equiv="refresh" content="30"></noscript>')
    expect(page.match(/<script[^>]*>/g)).toEqual([expect.stringMatching(/src="\/pay\/assets\/[\w-]+\/pay\.js"/)])
    expect(page).not.toMatch(/ on\w+="| style="/)
  })

  test('style and script have addresses that change with them', async () => {
    const page = await pageOf(await bench.anOrder(orgId))
    for (const path of page.match(/\/pay\/assets\/[\w./-]+/g) ?? []) {
      const asset = await get(`http://localhost:3900${path}`)
      expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    }
    expect((await get('http://localhost:3900/pay/assets/another/pay.js')).status).toBe(404)
  })

  test('the payer chooses the language, then the browser, then the shop', async () => {
    const english = await bench.anOrg(['simulator'], { language: 'en' })
    const order = await bench.anOrder(english)
    const languageOf = async (query: string, accept?: string) =>
      (await get(`${order.payment.pay_url}${query}`, accept ? { 'accept-language': accept } : {})).headers.get(
        'content-language',
      )
    expect(await languageOf('')).toBe('en')
    expect(await languageOf('', 'fr, id-ID;q=0.8, en;q=0.5')).toBe('id')
    expect(await languageOf('?lang=en', 'id')).toBe('en')
    expect(await languageOf('?lang=fr', 'fr')).toBe('en')
  })

  test('a token that is not ours gets a page that helps, and nothing about why', async () => {
    const { payment } = await bench.anOrder(orgId)
    const forged = `${payment.pay_url.slice(0, -1)}${payment.pay_url.endsWith('A') ? 'B' : 'A'}`
    for (const url of [
      forged,
      `${payment.pay_url}x`,
      'http://localhost:3900/pay/',
      'http://localhost:3900/pay/1/qr.png',
    ]) {
      const answer = await get(url, { 'accept-language': 'en' })
      expect([url, answer.status]).toEqual([url, 404])
      expect(await answer.text()).toContain('ask the shop for a new link')
    }
    expect((await get(`${forged}/status`)).status).toBe(404)
  })

  test('nothing but reading is allowed, and other paths are left to others', async () => {
    const { payment } = await bench.anOrder(orgId)
    const posted = await site.fetch(new Request(payment.pay_url, { method: 'POST' }))
    expect([posted?.status, posted?.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(site.fetch(new Request('http://localhost:3900/payments'))).toBeNull()
    expect(site.fetch(new Request('http://localhost:3900/docs?next=/pay/'))).toBeNull()
  })
})
