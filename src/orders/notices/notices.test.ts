import { describe, expect, test } from 'bun:test'
import { aText } from '../../../test/support/messaging.ts'
import { wordsOfPdf } from '../../../test/support/pdf.ts'
import { useShop } from '../../../test/support/shop.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import { simulatorTemplates, templateProblem } from '../../channels/connectors/simulator/templates.ts'
import { readMedia } from '../../channels/media/media-files.ts'
import { createNumber, deleteNumber } from '../../channels/numbers/numbers.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import { qrisPng } from '../../payments/qris/qris.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import type { Order } from '../orders-context.ts'
import { languages } from './customer-language.ts'
import { type Notice, noticeKinds } from './due-notices.ts'
import { noticeTemplate } from './notice-texts.ts'

const shop = useShop()

let phones = 0
const aPhone = () => {
  phones += 1
  return `+62812345${String(60_000 + phones)}`
}

const kinds = (messages: Json[]) => messages.map(({ metadata }) => metadata.notice)
const chatOf = async (orgId: OrgId, phone: string) =>
  (await shop.call(orgId, 'GET', `/chats/${encodeURIComponent(phone)}`)).json

describe('payment instructions', () => {
  test('are sent once with image and amount when a QRIS order is created, and the chat shows the order', async () => {
    const orgId = await shop.aShop()
    const phone = aPhone()
    const order = await shop.anOrder(orgId, { amount: 65_000, customer: { name: 'Sari', phone } })
    const [message, ...others] = await shop.messagesTo(orgId, phone)
    expect(others).toEqual([])
    expect(message).toMatchObject({ type: 'image', order_id: order.id, sender: { type: 'system' }, status: 'sent' })
    for (const part of [`Pesanan ${order.number}`, 'Rp\u00a065.000', 'WIB', 'Warung Contoh', order.payment.pay_url])
      expect(message.body).toContain(part)
    const { bytes } = await readMedia(shop.channels.media, orgId, message.media.id)
    expect(Buffer.from(bytes).equals(qrisPng(order.payment.qris.string))).toBe(true)
    const chat = await chatOf(orgId, phone)
    expect(chat.contact.name).toBe('Sari')
    expect(chat.open_order).toEqual({
      id: order.id,
      number: order.number,
      total: 65_000,
      payment_status: 'pending',
      expires_at: order.payment.expires_at,
    })
    const linked = (await shop.call(orgId, 'GET', `/orders/${order.id}`)).json
    expect([linked.chat_id, linked.customer.contact_id]).toEqual([chat.id, chat.contact.id])
  })

  test('are sent again when an edit replaces the code, and say that they replace the earlier ones', async () => {
    const orgId = await shop.aShop()
    const [phone, other] = [aPhone(), aPhone()]
    const order = await shop.anOrder(orgId, { amount: 65_000, customer: { phone } })
    const edit = async (json: unknown) => {
      await shop.call(orgId, 'PATCH', `/orders/${order.id}`, { json })
      await shop.settle()
    }
    await edit({ note: 'Without sugar' })
    expect(await shop.messagesTo(orgId, phone)).toHaveLength(1)
    await edit({ amount: 70_000 })
    const replaced = (await shop.messagesTo(orgId, phone)).at(-1)
    for (const part of ['Rp\u00a070.000', 'menggantikan yang sebelumnya']) expect(replaced?.body).toContain(part)
    await edit({ customer: { phone: other } })
    expect(kinds(await shop.messagesTo(orgId, other))).toEqual(['instructions'])
    expect((await chatOf(orgId, phone)).open_order).toBeNull()
    expect((await chatOf(orgId, other)).open_order).toMatchObject({ id: order.id, total: 70_000 })
  })

  test('of a down payment say what was paid and what remains after it', async () => {
    const orgId = await shop.aShop()
    const phone = aPhone()
    const order = await shop.anOrder(orgId, { amount: 65_000, customer: { phone } })
    await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris', amount: 25_000 } })
    await shop.settle()
    const body = (await shop.messagesTo(orgId, phone)).map((message) => message.body).join()
    expect(body).toContain('Total Rp\u00a065.000 · sudah dibayar Rp\u00a00 · sisa setelah ini Rp\u00a040.000')
  })

  test('go to the chat that the order names, also when the customer hides the phone', async () => {
    const orgId = await shop.aShop()
    const userId = 'ID.13491208655302741918'
    await shop.report(orgId, [aText({ phone: null, userId, name: 'Budi' })])
    const chat = await chatOf(orgId, userId)
    const order = await shop.anOrder(orgId, { chat_id: chat.id })
    expect(order).toMatchObject({
      chat_id: chat.id,
      customer: { name: 'Budi', phone: null, contact_id: chat.contact.id },
    })
    const { messages, open_order } = await chatOf(orgId, userId)
    expect(messages.data[0]).toMatchObject({ type: 'image', order_id: order.id, direction: 'outbound' })
    expect(open_order.id).toBe(order.id)
    await shop.anOrder(orgId)
    const listed = async (id: string) => (await shop.call(orgId, 'GET', `/orders?chat_id=${id}`)).json.data
    expect((await listed(chat.id)).map(({ id }: Json) => id)).toEqual([order.id])
    for (const more of ['&q=Budi', '&status=pending_payment', '&phone=%2B6281200000001'])
      expect(await listed(`${chat.id}${more}`)).toHaveLength(more.includes('phone') ? 0 : 1)
    expect(await listed(newId('chat'))).toEqual([])
    expect(await listed(`${newId('chat')}&q=Budi`)).toEqual([])
  })

  test('of merged chats belong to the chat that remains', async () => {
    const orgId = await shop.aShop()
    const [phone, userId] = [aPhone(), 'ID.13491208655302741919']
    await shop.report(orgId, [aText({ phone: phone.slice(1) })])
    await shop.report(orgId, [aText({ phone: null, userId })])
    const [kept, hidden] = [await chatOf(orgId, phone), await chatOf(orgId, userId)]
    const order = await shop.anOrder(orgId, { chat_id: hidden.id })
    await shop.report(orgId, [aText({ phone: phone.slice(1), userId })])
    expect((await chatOf(orgId, userId)).id).toBe(kept.id)
    for (const id of [kept.id, hidden.id])
      expect((await shop.call(orgId, 'GET', `/orders?chat_id=${id}`)).json.data).toMatchObject([{ id: order.id }])
    expect(await shop.anOrder(orgId, { chat_id: hidden.id })).toMatchObject({ chat_id: kept.id })
  })

  test('use the customer name of the order before the name in the chat', async () => {
    const orgId = await shop.aShop()
    const [phone, other] = [aPhone(), aPhone()]
    await shop.report(orgId, [aText({ phone: phone.slice(1), name: 'Sari' })])
    const { id } = await chatOf(orgId, phone)
    expect(await shop.anOrder(orgId, { chat_id: id })).toMatchObject({ customer: { name: 'Sari', phone } })
    const order = await shop.anOrder(orgId, { chat_id: id, customer: { name: 'Toko Sari', phone: other } })
    expect(order).toMatchObject({ chat_id: id, customer: { name: 'Toko Sari', phone: other } })
    expect((await shop.messagesTo(orgId, phone)).map(({ order_id }) => order_id)).toContain(order.id)
    expect(await shop.messagesTo(orgId, other)).toEqual([])
  })

  test('are sent from another number when the number of the chat was disconnected', async () => {
    const orgId = await shop.aShop()
    const phone = aPhone()
    await shop.report(orgId, [aText({ phone: phone.slice(1) })])
    const { id, number } = await chatOf(orgId, phone)
    await shop.database.transaction(async (tx) => {
      await deleteNumber(shop.channels.context, tx, orgId, number)
      await createNumber(shop.channels.context, tx, orgId, {
        connector: 'scripted',
        phone_number_id: '100000000000088',
        display_phone: '+62 21 5000 2000',
        credentials: {},
      })
    })
    // A miss makes the cache read again, so it knows both numbers.
    await shop.messaging.context.directory.find(orgId, '100000000000088')
    const order = await shop.anOrder(orgId, { chat_id: id })
    expect(order.chat_id).toBe(id)
    expect(await shop.messagesTo(orgId, phone)).toMatchObject([{ order_id: order.id, status: 'sent' }])
  })

  test('are not created when the chat does not exist or belongs to another organization', async () => {
    const [orgId, otherShop] = [await shop.aShop(), await shop.aShop()]
    const phone = aPhone()
    await shop.report(otherShop, [aText({ phone: phone.slice(1) })])
    for (const chat_id of [(await chatOf(otherShop, phone)).id, newId('chat')]) {
      const { status, json } = await shop.call(orgId, 'POST', '/orders', { json: { billingType: 'qris', chat_id } })
      expect([status, json.errors[0].pointer, json.errors[0].code]).toEqual([409, '#/chat_id', 'chat_not_found'])
    }
    expect((await shop.call(orgId, 'GET', '/orders')).json.data).toEqual([])
  })

  test('change updated_at of the order when it is linked to its chat', async () => {
    const orgId = await shop.aShop()
    const json = { billingType: 'qris', amount: 65_000, customer: { phone: aPhone() } }
    const { json: order } = await shop.call(orgId, 'POST', '/orders', { json })
    expect(order.chat_id).toBeNull()
    const asked = new Date(Date.parse(order.updated_at) + 1000).toISOString()
    await shop.advance(60)
    const { data } = (await shop.call(orgId, 'GET', `/orders?updated_after=${asked}`)).json
    expect(data).toMatchObject([{ id: order.id, chat_id: expect.any(String), created_at: order.created_at }])
  })

  test('show a number to type alone on its line', async () => {
    const orgId = await shop.aShop({ providers: ['simulator', 'manual'] })
    const phone = aPhone()
    const customer = { phone }
    const account = await shop.anOrder(orgId, {
      billingType: 'virtual_account',
      payment: { method: 'virtual_account', bank: 'bri' },
      customer,
    })
    const bill = await shop.anOrder(orgId, {
      billingType: 'virtual_account',
      payment: { method: 'virtual_account', bank: 'mandiri' },
      customer,
    })
    await shop.anOrder(orgId, { billingType: 'bank_transfer', customer })
    const lines = (await shop.messagesTo(orgId, phone)).map(({ body }) => body.split('\n'))
    expect(lines[0]).toContain(account.payment.virtual_account.number)
    expect(lines[1]).toContain(bill.payment.bill.biller_code)
    expect(lines[1]).toContain(bill.payment.bill.bill_key)
    expect(lines[2]).toContain('1234567890')
    expect(lines[2]).toContain('Atas nama: Warung Contoh')
  })

  test('are in English with an open amount when the shop chose English', async () => {
    const orgId = await shop.aShop({ settings: { language: 'en' } })
    const phone = aPhone()
    await shop.anOrder(orgId, { amount: undefined, customer: { phone } })
    const [message] = await shop.messagesTo(orgId, phone)
    expect(message.body).toContain('Amount: *any amount*')
    expect(message.body).toContain('Pay before')
  })

  test('are sent again when another attempt is opened', async () => {
    const orgId = await shop.aShop()
    const phone = aPhone()
    const order = await shop.anOrder(orgId, { customer: { phone } })
    const reply = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, {
      json: { method: 'virtual_account', bank: 'bni' },
    })
    expect(reply.status).toBe(201)
    await shop.settle()
    const messages = await shop.messagesTo(orgId, phone)
    expect(kinds(messages)).toEqual(['instructions', 'instructions'])
    expect(messages[1].type).toBe('text')
  })

  test('announce an order with cash on delivery, and again when its total is edited', async () => {
    const orgId = await shop.aShop({ providers: ['simulator', 'manual'] })
    const phone = aPhone()
    const order = await shop.anOrder(orgId, { billingType: 'cod', amount: 25_000, customer: { phone } })
    const [message] = await shop.messagesTo(orgId, phone)
    expect([message?.metadata.notice, message?.type]).toEqual(['announced', 'text'])
    for (const part of [`Pesanan ${order.number}`, 'Rp\u00a025.000', 'COD']) expect(message?.body).toContain(part)
    await shop.call(orgId, 'PATCH', `/orders/${order.id}`, { json: { amount: 30_000 } })
    await shop.settle()
    expect(kinds(await shop.messagesTo(orgId, phone))).toEqual(['announced', 'announced'])
  })

  test('are followed by one reminder before the payment expires, and by one when the order is overdue', async () => {
    const orgId = await shop.aShop({ settings: { order_reminders: true } })
    const phone = aPhone()
    const due_at = new Date(shop.clock.now() + 5_400_000).toISOString()
    const payment = { expires_in_seconds: 7_200 }
    await shop.anOrder(orgId, { customer: { phone }, payment, due_at })
    await shop.advance(5_300)
    expect(kinds(await shop.messagesTo(orgId, phone))).toEqual(['instructions'])
    await shop.advance(150)
    expect(kinds(await shop.messagesTo(orgId, phone)).toSorted()).toEqual(['instructions', 'overdue', 'reminder'])
    await shop.advance(600)
    expect(await shop.messagesTo(orgId, phone)).toHaveLength(3)
  })

  test('are not followed by a reminder when the organization has not turned reminders on', async () => {
    const orgId = await shop.aShop()
    const phone = aPhone()
    await shop.anOrder(orgId, { customer: { phone }, payment: { expires_in_seconds: 7_200 } })
    await shop.advance(5_500)
    expect(kinds(await shop.messagesTo(orgId, phone))).toEqual(['instructions'])
  })

  test('are followed by courier and tracking number when the order is shipped, and by its delivery', async () => {
    const orgId = await shop.aShop()
    const phone = aPhone()
    const order = await shop.anOrder(orgId, { customer: { phone } })
    await shop.pay(orgId, order)
    const parcel = { courier: 'jne', service: 'REG', tracking_number: 'JX1', tracking_url: 'https://track.example/JX1' }
    await shop.call(orgId, 'POST', `/orders/${order.id}/ship`, { json: parcel })
    await shop.settle()
    const shipped = (await shop.messagesTo(orgId, phone)).at(-1)
    for (const part of ['JNE REG · JX1', 'https://track.example/JX1']) expect(shipped?.body).toContain(part)
    await shop.call(orgId, 'POST', `/orders/${order.id}/deliver`)
    await shop.settle()
    expect(kinds(await shop.messagesTo(orgId, phone))).toEqual(['instructions', 'paid', 'shipped', 'delivered'])
  })

  test('are not sent when the order has no customer', async () => {
    const orgId = await shop.aShop({ providers: ['simulator', 'manual'] })
    await shop.anOrder(orgId, { billingType: 'cash' })
    await shop.anOrder(orgId)
    expect(await shop.database.many`select 1 from messages where org_id = ${orgId}`).toEqual([])
  })
})

describe('notices about money', () => {
  test('confirm a payment once when the provider reports it repeatedly, and the chat shows no open order afterwards', async () => {
    const orgId = await shop.aShop()
    const phone = aPhone()
    const order = await shop.anOrder(orgId, { amount: 40_000, customer: { phone } })
    await shop.pay(orgId, order, 'duplicate')
    await shop.pay(orgId, order, 'reordered')
    const messages = await shop.messagesTo(orgId, phone)
    expect(kinds(messages)).toEqual(['instructions', 'paid'])
    expect(messages[1].body).toContain('Rp\u00a040.000')
    expect((await chatOf(orgId, phone)).open_order).toBeNull()
  })

  test('are sent when an order is underpaid, paid late, expired, cancelled or refunded', async () => {
    const orgId = await shop.aShop()
    const noticesAfter = async (work: (order: Json) => Promise<unknown>, fields: Record<string, unknown> = {}) => {
      const phone = aPhone()
      await work(await shop.anOrder(orgId, { ...fields, customer: { phone } }))
      await shop.settle()
      return shop.messagesTo(orgId, phone)
    }
    const soon = { payment: { expires_in_seconds: 60 } }
    const expired = await noticesAfter(() => shop.advance(300), soon)
    expect(kinds(expired)).toEqual(['instructions', 'expired'])
    const late = await noticesAfter(async (order) => {
      await shop.advance(300)
      await shop.pay(orgId, order, 'late')
    }, soon)
    expect(kinds(late)).toEqual(['instructions', 'expired', 'late'])
    const cancelled = await noticesAfter((order) => shop.call(orgId, 'POST', `/orders/${order.id}/cancel`))
    expect(kinds(cancelled)).toEqual(['instructions', 'cancelled'])
    const refunded = await noticesAfter(async (order) => {
      await shop.pay(orgId, order)
      for (const amount of [5_000, 7_000]) {
        await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount, reason: 'sold out' } })
        await shop.settle()
      }
    })
    expect(kinds(refunded)).toEqual(['instructions', 'paid', 'refunded', 'refunded'])
    expect(refunded.slice(2).map(({ body }) => body.match(/Rp.[\d.]+\d/)?.[0])).toEqual([
      'Rp\u00a05.000',
      'Rp\u00a07.000',
    ])
  })

  test('name the remaining amount when a payment is short', async () => {
    const orgId = await shop.aShop({ providers: ['manual'] })
    const phone = aPhone()
    const order = await shop.anOrder(orgId, { billingType: 'bank_transfer', amount: 50_000, customer: { phone } })
    await shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, { json: { amount: 20_000 } })
    await shop.settle()
    const messages = await shop.messagesTo(orgId, phone)
    expect(kinds(messages)).toEqual(['instructions', 'partly_paid'])
    expect(messages[1].body).toContain('Rp\u00a030.000')
    await shop.call(orgId, 'POST', `/orders/${order.id}/mark-paid`, { json: {} })
    await shop.settle()
    expect(kinds(await shop.messagesTo(orgId, phone))).toEqual(['instructions', 'partly_paid', 'paid'])
  })

  test('confirm the payment of a reversed amount, even when a part was refunded before', async () => {
    const orgId = await shop.aShop({ providers: ['simulator', 'manual'] })
    const phone = aPhone()
    const order = await shop.anOrder(orgId, { amount: 40_000, customer: { phone } })
    await shop.pay(orgId, order)
    await shop.call(orgId, 'POST', `/orders/${order.id}/refunds`, { json: { amount: 5_000, reason: 'sold out' } })
    await shop.settle()
    await shop.pay(orgId, order, 'reversed')
    const again = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
    await shop.settle()
    await shop.pay(orgId, again.json)
    const messages = await shop.messagesTo(orgId, phone)
    expect(kinds(messages)).toEqual(['instructions', 'paid', 'refunded', 'reversed', 'instructions', 'paid'])
    expect(messages[4].body).toContain('Rp\u00a035.000')
  })
})

describe('recipients of notices', () => {
  test('receive nothing with notify: false, and the existing chat shows the order', async () => {
    const orgId = await shop.aShop()
    const phone = aPhone()
    await shop.report(orgId, [aText({ phone: phone.slice(1) })])
    const order = await shop.anOrder(orgId, { customer: { phone }, notify: false })
    expect(await shop.messagesTo(orgId, phone)).toEqual([])
    expect((await chatOf(orgId, phone)).open_order.id).toBe(order.id)
    await shop.pay(orgId, order)
    expect((await chatOf(orgId, phone)).open_order).toBeNull()
    expect(await shop.messagesTo(orgId, phone)).toEqual([])
  })

  test('receive nothing when notices are off or no number is connected, and old notices are not sent later', async () => {
    for (const fields of [{ settings: { order_notices: false } }, { connector: null }]) {
      const orgId = await shop.aShop(fields)
      const phone = aPhone()
      const order = await shop.anOrder(orgId, { customer: { phone } })
      expect(await shop.messagesTo(orgId, phone)).toEqual([])
      await shop.pay(orgId, order)
      const notices = await shop.database.many<{ kind: string; message_id: string | null }>`
        select kind, message_id from order_notices where org_id = ${orgId} order by told_at`
      expect(notices).toEqual([
        { kind: 'instructions', message_id: null },
        { kind: 'paid', message_id: null },
      ])
    }
  })

  test('receive templates instead of texts outside the reply window', async () => {
    const orgId = await shop.aShop({ connector: 'strict' })
    const phone = aPhone()
    const order = await shop.anOrder(orgId, { amount: 40_000, customer: { phone } })
    await shop.pay(orgId, order)
    const messages = await shop.messagesTo(orgId, phone)
    const parameters = ({ template }: Json) => template.components[0].parameters.map(({ text }: Json) => text)
    expect(messages.map(({ template }) => [template.name, template.language.code])).toEqual([
      ['order_payment_instructions', 'id'],
      ['order_paid', 'id'],
    ])
    expect(parameters(messages[0])).toEqual([order.number, 'Rp\u00a040.000', order.payment.pay_url])
    expect(parameters(messages[1])).toEqual([order.number, 'Rp\u00a040.000'])
    // Within the reply window that a customer's message opens, the text and the image are sent.
    await shop.report(orgId, [aText({ phone: phone.slice(1) })])
    await shop.anOrder(orgId, { customer: { phone } })
    expect((await shop.messagesTo(orgId, phone)).at(-1).type).toBe('image')
  })

  test('receive templates for underpaid, late, expired, cancelled and refunded orders outside the reply window', async () => {
    const orgId = await shop.aShop({ connector: 'strict', providers: ['simulator', 'manual'] })
    const noticesAfter = async (fields: Record<string, unknown>, work: (order: Json) => Promise<unknown>) => {
      const phone = aPhone()
      const order = await shop.anOrder(orgId, { ...fields, customer: { phone } })
      await work(order)
      await shop.settle()
      const [, ...messages] = await shop.messagesTo(orgId, phone)
      expect(messages.every(({ type }) => type === 'template')).toBe(true)
      return messages.map(({ template: { name, components } }) => [
        name,
        ...components[0].parameters.map(({ text }: Json) => text.replace(order.number, '#').replace(/^http.*/, 'link')),
      ])
    }
    const soon = { payment: { expires_in_seconds: 60 } }
    const post = (order: Json, action: string, json = {}) =>
      shop.call(orgId, 'POST', `/orders/${order.id}/${action}`, { json })
    const short = await noticesAfter({ billingType: 'bank_transfer', amount: 50_000 }, (order) =>
      post(order, 'mark-paid', { amount: 20_000 }),
    )
    expect(short).toEqual([['order_partly_paid', '#', 'Rp\u00a020.000', 'Rp\u00a030.000', 'link']])
    const late = await noticesAfter(soon, async (order) => {
      await shop.advance(300)
      await shop.pay(orgId, order, 'late')
    })
    expect(late).toEqual([
      ['order_expired', '#'],
      ['order_paid_late', '#'],
    ])
    expect(await noticesAfter({}, (order) => post(order, 'cancel'))).toEqual([['order_cancelled', '#']])
    const back = await noticesAfter({ amount: 40_000 }, async (order) => {
      await shop.pay(orgId, order)
      await post(order, 'refunds', { amount: 5_000 })
    })
    expect(back.at(-1)).toEqual(['order_refunded', '#', 'Rp\u00a05.000'])
  })

  test('can be sent every template on the simulated network, with the same number of parameters', () => {
    const order = { number: 7, amount_paid: 5, amount_returned: 0, total: 9 } as Order
    const payment = { amount: 9, amount_paid: 0 } as PaymentRow
    for (const language of languages)
      for (const kind of noticeKinds) {
        const notice = { kind, subject: '', payment, amount: 1 } as unknown as Notice
        const { name, parameters } = noticeTemplate(notice, { order, language, shop: 's', payUrl: 'https://pay' })
        const components = [{ type: 'body', parameters: parameters.map((text) => ({ type: 'text', text })) }]
        const known = simulatorTemplates.find((one) => one.name === name && one.language === language) ?? null
        expect([name, templateProblem({ name, language: { code: language }, components }, known)]).toEqual([name, null])
      }
  })

  test('see the newer of two open orders in the chat, and then the older one', async () => {
    const orgId = await shop.aShop()
    const phone = aPhone()
    const first = await shop.anOrder(orgId, { customer: { phone } })
    const second = await shop.anOrder(orgId, { customer: { phone } })
    expect((await chatOf(orgId, phone)).open_order.id).toBe(second.id)
    await shop.pay(orgId, second)
    expect((await chatOf(orgId, phone)).open_order.id).toBe(first.id)
  })
})

describe('notices under load', () => {
  test('are sent once when the same job runs again and concurrently', async () => {
    const orgId = await shop.aShop()
    const phone = aPhone()
    const order = await shop.anOrder(orgId, { customer: { phone } })
    const again = Array.from({ length: 6 }, (_, index) => ({
      ...{ id: `again-${order.id}-${index}`, orgId, laneId: `${orgId}:notices`, job: 'orders.tell' },
      payload: { order: order.id },
    }))
    await shop.database.transaction((tx) => enqueue(tx, again))
    await shop.settle()
    expect(kinds(await shop.messagesTo(orgId, phone))).toEqual(['instructions'])
  })

  test('reach every customer without a deadlock when many orders are created while customers write', async () => {
    const orgId = await shop.aShop()
    const customers = Array.from({ length: 12 }, aPhone)
    await shop.report(
      orgId,
      customers.map((phone) => aText({ phone: phone.slice(1) })),
    )
    const work = customers.flatMap((phone) => [
      shop.call(orgId, 'POST', '/orders', { json: { billingType: 'qris', amount: 15_000, customer: { phone } } }),
      shop.report(orgId, [aText({ phone: phone.slice(1), text: 'masih ada?' })]),
      shop.call(orgId, 'POST', '/messages', { json: { to: phone, body: 'Sebentar ya' } }),
    ])
    await Promise.all(work)
    await shop.settle()
    for (const phone of customers) {
      const messages = await shop.messagesTo(orgId, phone)
      expect(kinds(messages).filter((kind) => kind === 'instructions')).toHaveLength(1)
    }
    const { deadlocks } = await shop.database.one<{ deadlocks: number }>`
      select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()`
    expect(deadlocks).toBe(0)
  })
})

describe('a receipt', () => {
  test('is sent as a document with the message that the order is paid, where the organization wants it', async () => {
    const orgId = await shop.aShop({ settings: { receipts_in_chat: true } })
    const phone = aPhone()
    const order = await shop.anOrder(orgId, { amount: 65_000, customer: { name: 'Sari', phone } })
    await shop.pay(orgId, order)
    const last = (await shop.messagesTo(orgId, phone)).at(-1)
    expect(last).toMatchObject({ type: 'document', metadata: { notice: 'paid' } })
    expect(last?.media.filename).toBe('RCP-000001.pdf')
    const { bytes } = await readMedia(shop.channels.media, orgId, last?.media.id)
    for (const text of ['Sari', 'Rp 65.000', 'Lunas']) expect(wordsOfPdf(bytes)).toContain(text)
  })

  test('is replaced by the template when the reply window is closed, and refused when it is asked for then', async () => {
    const orgId = await shop.aShop({ connector: 'strict', settings: { receipts_in_chat: true } })
    const phone = aPhone()
    const order = await shop.anOrder(orgId, { amount: 65_000, customer: { phone } })
    await shop.pay(orgId, order)
    expect((await shop.messagesTo(orgId, phone)).at(-1)?.template).toMatchObject({ name: 'order_paid' })
    const asked = await shop.call(orgId, 'POST', `/orders/${order.id}/send-receipt`)
    expect([asked.status, asked.json.code]).toEqual([409, 'reply_window_closed'])
  })

  test('is sent once for one idempotency key when it is asked for', async () => {
    const orgId = await shop.aShop()
    const phone = aPhone()
    const order = await shop.anOrder(orgId, { amount: 65_000, customer: { phone } })
    const send = () =>
      shop.call(orgId, 'POST', `/orders/${order.id}/send-receipt`, { headers: { 'Idempotency-Key': 'receipt' } })
    const early = await send()
    expect([early.status, early.json.code]).toEqual([409, 'document_not_available'])
    await shop.pay(orgId, order)
    const [first, again] = [await send(), await send()]
    expect([first.status, again.status, again.json.id]).toEqual([201, 201, first.json.id])
    expect(first.json).toMatchObject({ type: 'document', order_id: order.id, media: { filename: 'RCP-000001.pdf' } })
    await shop.settle()
    const sent = (await shop.messagesTo(orgId, phone)).filter(({ type }) => type === 'document')
    expect(sent).toHaveLength(1)
  })
})

describe('an invoice', () => {
  test('is sent as a document with the confirmation of an order by invoice, where the organization wants it', async () => {
    const orgId = await shop.aShop({ providers: ['manual'], settings: { invoices_in_chat: true } })
    const phone = aPhone()
    const items = [{ name: 'Katering', quantity: 1, unit_price: 500_000 }]
    const order = { billingType: 'invoice', amount: undefined, items, customer: { phone } }
    await shop.anOrder(orgId, order)
    // The payer of this order chooses the amount, so it has no invoice.
    await shop.anOrder(orgId, { ...order, items: undefined })
    await shop.anOrder(orgId, { ...order, billingType: 'cod' })
    await shop.settle()
    const sent = await shop.messagesTo(orgId, phone)
    expect(sent.map(({ type, metadata }) => [type, metadata.notice])).toEqual([
      ['document', 'announced'],
      ['text', 'announced'],
      ['text', 'announced'],
    ])
    expect(sent[0]?.media.filename).toBe('INV-000001.pdf')
    const { bytes } = await readMedia(shop.channels.media, orgId, sent[0]?.media.id)
    expect(wordsOfPdf(bytes)).toContain('Katering')
  })

  test('is sent when it is asked for, before anything was paid', async () => {
    const orgId = await shop.aShop()
    const order = await shop.anOrder(orgId, { amount: 65_000, customer: { phone: aPhone() } })
    const sent = await shop.call(orgId, 'POST', `/orders/${order.id}/send-invoice`)
    expect([sent.status, sent.json.type, sent.json.media.filename]).toEqual([201, 'document', 'INV-000001.pdf'])
    expect(sent.json.body).toContain('Invoice')
    expect(sent.headers.get('location')).toBe(`/api/public/v1/messages/${sent.json.id}`)
  })
})
