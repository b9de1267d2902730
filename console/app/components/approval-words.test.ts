import { describe, expect, test } from 'bun:test'
import type { Approval } from '../api/approvals.ts'
import type { ChannelTemplate } from '../api/chats.ts'
import { english } from '../text/en.ts'
import type { Say } from '../text/text.tsx'
import {
  type Known,
  outcomeOf,
  requestDetails,
  requestedExtras,
  requestedItems,
  requestSentence,
} from './approval-words.ts'
import { requestedMessage } from './requested-message.ts'

const say: Say = (key, values = {}) => english[key].replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''))
const nothingKnown = { customer: null, orderNumber: null, message: null, answered: null, definition: null }
const definition: ChannelTemplate = {
  name: 'a',
  language: 'id',
  status: 'APPROVED',
  category: 'UTILITY',
  components: [],
}
const reader = { say, language: 'en' } as const

type Request = Partial<Omit<Approval, 'request'>> & { params?: object; body?: object | null }
const anApproval = ({ params = {}, body = null, ...fields }: Request) =>
  ({
    operation: 'sendMessage',
    agent: { id: 'agt_1', name: 'Kasir Bot' },
    request: { params, query: {}, body },
    amount: null,
    chat_id: null,
    order_id: null,
    result: null,
    ...fields,
  }) as Approval

describe('a request in words', () => {
  test.each([
    ['a message by whom it is sent to', { body: { to: '+628123', body: 'Halo' } }, 'send a message to +628123'],
    [
      'a chat by whose it is',
      { operation: 'markChatRead', params: { phone: '+628123' } },
      'mark the chat with +628123 as read',
    ],
    [
      'an order by its total and its customer',
      { operation: 'createOrder', amount: 150_000, body: { customer: { name: 'Sari', phone: '+628123' } } },
      'create an order of Rp 150.000 for Sari (+628123)',
    ],
    [
      'an order without an amount by who decides it',
      { operation: 'createOrder', body: {} },
      'create an order with an open amount for an unnamed customer',
    ],
    [
      'a refund by its amount',
      { operation: 'createOrderRefund', amount: 50_000, order_id: 'ord_1' },
      'refund Rp 50.000 of order ord_1',
    ],
    [
      'a refund without an amount as all that is left',
      { operation: 'createOrderRefund', order_id: 'ord_1' },
      'refund the remaining amount of order ord_1',
    ],
    [
      'an order that is cancelled before anything was paid for it',
      { operation: 'cancelOrder', order_id: 'ord_1' },
      'cancel order ord_1',
    ],
    [
      'one that was paid for by the money that goes back',
      { operation: 'cancelOrder', amount: 90_100, order_id: 'ord_1' },
      'cancel order ord_1 and refund Rp 90.100',
    ],
    [
      'another way to pay an order',
      { operation: 'createOrderPayment', order_id: 'ord_1' },
      'change the payment method of order ord_1',
    ],
    [
      'the first way to pay a draft by what is asked for',
      { operation: 'createOrderPayment', amount: 25_000, order_id: 'ord_1' },
      'request Rp 25.000 for order ord_1, which has no payment yet',
    ],
  ])('name %s', (_, request, words) => {
    expect(requestSentence(anApproval(request as Request), nothingKnown, say)).toBe(`Kasir Bot wants to ${words}`)
  })

  test('names customer and order as they are known here, whatever the request calls them', () => {
    const known = { ...nothingKnown, customer: 'Budi (+628999)', orderNumber: '12' }
    const message = anApproval({ body: { to: 'chat_1', body: 'Halo' } })
    const refund = anApproval({ operation: 'createOrderRefund', amount: 1000, order_id: 'ord_1' })
    expect(requestSentence(message, known, say)).toBe('Kasir Bot wants to send a message to Budi (+628999)')
    expect(requestSentence(refund, known, say)).toBe('Kasir Bot wants to refund Rp 1.000 of order #12')
    expect(requestDetails(refund, known, reader)).toEqual([['Customer', 'Budi (+628999)']])
  })
})

describe('what it comes with', () => {
  const detailsOf = (request: Request, known: Partial<Known> = {}) => {
    const approval = anApproval(request)
    return requestDetails(approval, { ...nothingKnown, message: requestedMessage(approval, null), ...known }, reader)
  }

  test('is where a file comes from that is not here, also that of a template', () => {
    const image = { link: 'https://a.example/1.png' }
    expect(detailsOf({ body: { type: 'image', media: image, body: 'Menu' } })).toEqual([['File', image.link]])
    expect(detailsOf({ body: { type: 'image', media: { id: 'med_1' } } })).toEqual([])
    const components = [{ type: 'header', parameters: [{ type: 'image', image }] }]
    const template = { name: 'order_picture', language: { code: 'id' }, components }
    expect(detailsOf({ body: { type: 'template', template } }, { definition })).toEqual([['File', image.link]])
  })

  test('is a template with what is put into it, where its own words are not known', () => {
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Sari' }, { text: '12' }] }]
    const template = { name: 'order_ready', language: { code: 'id' }, components }
    expect(detailsOf({ body: { type: 'template', template } })).toEqual([['Template', 'order_ready, id: Sari · 12']])
    expect(detailsOf({ body: { type: 'template', template } }, { definition })).toEqual([])
  })

  test('is what a message answers, and with which sign', () => {
    const answered = 'Buka jam berapa?'
    expect(detailsOf({ body: { body: 'Jam 9', reply_to: 'msg_1' } }, { answered })).toEqual([['In reply to', answered]])
    const reaction = { message_id: 'msg_1', emoji: '👍' }
    expect(detailsOf({ body: { type: 'reaction', reaction } }, { answered })).toEqual([
      ['Reaction', '👍'],
      ['In reply to', answered],
    ])
  })

  test('is when a message would have been sent that is called off', () => {
    const message = requestedMessage(anApproval({ body: { body: 'x', send_at: '2026-11-16T10:00:00Z' } }), null)
    expect(detailsOf({ operation: 'cancelMessage' }, { message })).toEqual([['Send at', '16 Nov 2026, 17:00:00 WIB']])
  })

  test('is when a message is to be sent, by the clock of the shop', () => {
    expect(detailsOf({ body: { body: 'x', send_at: '2026-11-16T10:00:00Z' } })).toEqual([
      ['Send at', '16 Nov 2026, 17:00:00 WIB'],
    ])
  })

  test('is what becomes of a chat, also where that is nothing', () => {
    const operation = 'updateChat'
    expect(detailsOf({ operation, body: { labels: ['vip', 'lunas'], status: 'closed' } })).toEqual([
      ['Labels', 'vip, lunas'],
      ['Status', 'Closed'],
    ])
    expect(detailsOf({ operation, body: { labels: [], assignee: null } })).toEqual([
      ['Labels', 'None'],
      ['Assigned to', 'Unassigned'],
    ])
  })

  test('is what is ordered, and what is taken off or put on top', () => {
    const items = [
      { name: 'Kopi', quantity: 2, unit_price: 18_000 },
      { sku: 'ROTI-1', quantity: 1 },
    ]
    const order = anApproval({
      operation: 'createOrder',
      body: { billingType: 'qris', items, discount: { percent: 10 } },
    })
    expect(requestedItems(order)).toEqual([
      { name: 'Kopi', quantity: 2, unitPrice: 18_000 },
      { name: 'ROTI-1', quantity: 1, unitPrice: null },
    ])
    expect(requestedExtras(order, say)).toEqual([['Discount', '− 10 %']])
    expect(requestDetails(order, nothingKnown, reader)).toEqual([['Payment method', 'QRIS']])
  })

  test('is between the lines and the total what leads from one to the other', () => {
    const body = { discount: 500_000, shipping: 10_000, tax: { percent: 11 } }
    expect(requestedExtras(anApproval({ operation: 'createOrder', body }), say)).toEqual([
      ['Discount', '− Rp 500.000'],
      ['Tax', '11 %'],
      ['Shipping', 'Rp 10.000'],
    ])
    expect(requestedExtras(anApproval({ operation: 'createOrder', body: { shipping: 0 } }), say)).toEqual([])
    expect(requestedExtras(anApproval({ body }), say)).toEqual([])
  })

  test('names a customer once, unless the request names another one than the chat', () => {
    const body = { customer: { name: 'Rina', phone: '+62812' } }
    expect(detailsOf({ operation: 'createOrder', body })).toEqual([])
    expect(detailsOf({ operation: 'createOrder', body }, { customer: 'Budi (+62813)' })).toEqual([
      ['Customer', 'Rina (+62812)'],
    ])
  })

  test('is that a refund was paid by hand, and how', () => {
    expect(detailsOf({ operation: 'createOrderRefund', body: { manual: true, note: 'Tunai' } })).toEqual([
      ['Refund method', 'Outside Nexkit, only recorded here'],
      ['How you refunded it', 'Tunai'],
    ])
  })
})

test('what came of it is the order that was made, or the chat that the message is in', () => {
  const made = { status: 201, body: { id: 'ord_9', chat_id: 'chat_1' } }
  expect(outcomeOf(anApproval({ operation: 'createOrder', result: made }))).toEqual({
    chatId: 'chat_1',
    orderId: 'ord_9',
  })
  const sent = { status: 201, body: { id: 'msg_1', chat_id: 'chat_2' } }
  expect(outcomeOf(anApproval({ result: sent }))).toEqual({ chatId: 'chat_2', orderId: null })
})
