import { beforeAll, describe, expect, test } from 'bun:test'
import { quietLog } from '../../../test/support/log.ts'
import { type OrdersBench, useOrders } from '../../../test/support/orders.ts'
import { wordsOfPdf } from '../../../test/support/pdf.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import { changeOrganization } from '../../accounts/organizations/organizations.ts'
import { saveLogo } from '../../accounts/shop-details/shop-details.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { createPaySite, type PaySite } from '../../surfaces/pay/pay-site.ts'
import { createPayPageSource } from '../pay-page/pay-page.ts'
import { createLinkPageSource } from '../payment-links/payment-links.ts'
import { inspectLogo, LOGO_BYTES_MAX } from './logo-image.ts'

const bench: OrdersBench = useOrders()
let site: PaySite
let orgId: OrgId

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

const SHOP = {
  address: 'Jl. Melati 5\nBandung 40111',
  contact_phone: '+6281200000009',
  contact_email: 'halo@kopi.example',
  tax_number: '01.234.567.8-901.000',
}

beforeAll(async () => {
  const { clock, payments } = bench
  site = createPaySite({
    source: createPayPageSource(bench.orders.context),
    links: createLinkPageSource(bench.orders),
    tokens: payments.tokens,
    clock,
    log: quietLog,
  })
  orgId = await bench.anOrg(['manual'])
  await bench.database.transaction(async (tx) => {
    await changeOrganization(tx, orgId, { settings: SHOP })
    await saveLogo(tx, clock, orgId, { contentType: 'image/png', bytes: PIXEL })
  })
})

const open = async (url: string): Promise<Response> => {
  const answer = await site.fetch(new Request(url))
  if (answer === null) throw new Error(`${url} is not served`)
  return answer
}

const ITEMS = {
  items: [
    { name: 'Kopi susu <dingin> 🧋', quantity: 2, unit_price: 18_000 },
    { name: 'Roti bakar', quantity: 1, unit_price: 24_000 },
  ],
  amount: undefined,
  discount: 5000,
  shipping: 10_000,
  tax: 6000,
  customer: { name: 'Sari Dewi' },
}

const anOrder = (fields: Record<string, unknown> = {}) =>
  bench.anOrder(orgId, { billingType: 'cash', ...ITEMS, ...fields })
const markPaid = (id: string, body: Json = {}) => bench.call(orgId, 'POST', `/orders/${id}/mark-paid`, { json: body })
const documentOf = async (order: Json, kind: 'receipt' | 'invoice') =>
  (await bench.call(orgId, 'GET', `/orders/${order.id}/${kind}`)).json

describe('an invoice', () => {
  test('shows the shop, items, discount, shipping, tax, paid and remaining amount, as page and as PDF', async () => {
    const order = await anOrder({ due_at: new Date(bench.clock.now() + 86_400_000).toISOString() })
    await markPaid(order.id, { amount: 30_000 })
    const invoice = await documentOf(order, 'invoice')
    expect(invoice).toMatchObject({ object: 'order_document', kind: 'invoice', order_id: order.id })
    const page = await (await open(`${invoice.url}?lang=en`)).text()
    const pdf = await open(`${invoice.pdf_url}?lang=en`)
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    const words = wordsOfPdf(new Uint8Array(await pdf.arrayBuffer()))
    const shown = [...['Invoice', invoice.number, 'Jl. Melati 5', 'Bandung 40111', '01.234.567.8-901.000', 'Sari Dewi']]
    shown.push('Roti bakar', 'Discount', 'Shipping', 'Tax', 'Total', 'Paid', 'Remaining amount', 'Partially paid')
    for (const text of [...shown, 'Due date', 'halo@kopi.example'])
      for (const where of [page, words]) expect(where).toContain(text)
    for (const amount of ['60.000', '5.000', '10.000', '6.000', '71.000', '30.000', '41.000']) {
      expect(page).toContain(`Rp\u00a0${amount}`)
      expect(words).toContain(`Rp ${amount}`)
    }
    expect(page).toContain('Kopi susu &lt;dingin&gt;')
    expect(words).toContain('Kopi susu <dingin>')
  })

  test('has one number per order, without gaps, also when many ask at once', async () => {
    const shop = await bench.anOrg(['manual'])
    const orders = await Promise.all(
      [1000, 2000, 3000].map((amount) => bench.anOrder(shop, { billingType: 'cash', amount })),
    )
    const asked = await Promise.all(
      [...orders, ...orders, ...orders].map(({ id }) => bench.call(shop, 'GET', `/orders/${id}/invoice`)),
    )
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]))
    expect([...new Set(asked.map(({ json }) => json.number))].sort()).toEqual([
      'INV-000001',
      'INV-000002',
      'INV-000003',
    ])
    const [first] = orders
    await bench.call(shop, 'POST', `/orders/${first?.id}/mark-paid`, { json: {} })
    const receipt = await bench.call(shop, 'GET', `/orders/${first?.id}/receipt`)
    expect(receipt.json.number).toBe('RCP-000001')
  })

  test('is refused for an open amount, and for a cancelled order that never had one', async () => {
    const openAmount = await bench.anOrder(orgId, { billingType: 'cash', amount: undefined })
    const cancelled = await anOrder()
    await bench.call(orgId, 'POST', `/orders/${cancelled.id}/cancel`)
    for (const { id } of [openAmount, cancelled]) {
      const refusal = await bench.call(orgId, 'GET', `/orders/${id}/invoice`)
      expect([refusal.status, refusal.json.code]).toEqual([409, 'document_not_available'])
    }
    const kept = await anOrder()
    const before = await documentOf(kept, 'invoice')
    await bench.call(orgId, 'POST', `/orders/${kept.id}/cancel`)
    expect((await documentOf(kept, 'invoice')).number).toBe(before.number)
    expect(await (await open(`${before.url}?lang=en`)).text()).toContain('Cancelled')
  })
})

describe('a receipt', () => {
  test('exists once money was received, is linked from the payment page, and names the customer only by its own link', async () => {
    const order = await anOrder()
    const early = await bench.call(orgId, 'GET', `/orders/${order.id}/receipt`)
    expect([early.status, early.json.code]).toEqual([409, 'document_not_available'])
    const payUrl: string = order.pay_url
    expect((await open(`${payUrl}/receipt`)).status).toBe(302)
    await markPaid(order.id)
    const payPage = await (await open(`${payUrl}?lang=en`)).text()
    expect(payPage).toContain('/receipt?lang=en">View receipt</a>')
    expect(payPage).toContain('href="https://wa.me/6281200000009?text=Order%20')
    const logo = /src="([^"]+\/logo\?v=[^"]+)"/.exec(payPage)?.[1] ?? ''
    const image = await open(new URL(logo, payUrl).href)
    expect([image.headers.get('content-type'), (await image.arrayBuffer()).byteLength]).toEqual([
      'image/png',
      PIXEL.byteLength,
    ])
    const shared = await (await open(`${payUrl}/receipt?lang=id`)).text()
    for (const text of ['Kuitansi', 'RCP-', 'Lunas', 'Tunai', 'Unduh PDF']) expect(shared).toContain(text)
    expect(shared).not.toContain('Sari Dewi')
    const { url, pdf_url } = await documentOf(order, 'receipt')
    expect(await (await open(url)).text()).toContain('Sari Dewi')
    expect(wordsOfPdf(new Uint8Array(await (await open(pdf_url)).arrayBuffer()))).toContain('Sari Dewi')
    const own = new Uint8Array(await (await open(`${payUrl}/receipt.pdf`)).arrayBuffer())
    expect(wordsOfPdf(own)).not.toContain('Sari Dewi')
  })

  test('shows refunds', async () => {
    const order = await anOrder()
    await markPaid(order.id)
    await bench.call(orgId, 'POST', `/orders/${order.id}/refunds`, {
      json: { manual: true, amount: 11_000, note: 'cash' },
    })
    const { url } = await documentOf(order, 'receipt')
    const page = await (await open(`${url}?lang=en`)).text()
    for (const text of ['Partially refunded', '−Rp\u00a011.000', 'Refund']) expect(page).toContain(text)
  })

  test('is not sent for an order without a chat and a phone number', async () => {
    const order = await anOrder()
    await markPaid(order.id)
    const refusal = await bench.call(orgId, 'POST', `/orders/${order.id}/send-receipt`)
    expect([refusal.status, refusal.json.code]).toEqual([409, 'order_has_no_recipient'])
  })
})

test('a document is drawn on several pages, in words that the font has', async () => {
  const items = Array.from({ length: 100 }, (_, index) => ({
    name: `${'Panjang sekali '.repeat(6)}${'x'.repeat(90)} ${index} 李 👩‍🍳`,
    quantity: 1,
    unit_price: 1000,
  }))
  const order = await bench.anOrder(orgId, { billingType: 'cash', amount: undefined, items })
  const { pdf_url } = await documentOf(order, 'invoice')
  const answer = await open(`${pdf_url}?lang=en`)
  expect(answer.status).toBe(200)
  const words = wordsOfPdf(new Uint8Array(await answer.arrayBuffer()))
  expect(words).toMatch(/Page 1 of \d\d?/)
  expect(words).toContain('99 ?')
})

test('a logo is refused by what its bytes are: no image, too many bytes or pixels, or unreadable', async () => {
  const codeOf = async (bytes: Uint8Array) => {
    const result = await inspectLogo(bytes)
    return result.ok ? result.contentType : result.problem.code
  }
  const wide = Buffer.from(PIXEL)
  wide.writeUInt32BE(5000, 16)
  expect(
    await Promise.all([
      codeOf(PIXEL),
      codeOf(Buffer.from('GIF89a')),
      codeOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
      codeOf(Buffer.concat([PIXEL, Buffer.alloc(LOGO_BYTES_MAX)])),
      codeOf(wide),
      codeOf(PIXEL.subarray(0, 40)),
      codeOf(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    ]),
  ).toEqual([
    'image/png',
    'logo_type_unknown',
    'logo_type_unknown',
    'logo_too_large',
    'logo_too_large',
    'logo_unreadable',
    'logo_unreadable',
  ])
})
