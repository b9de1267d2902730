import {
  type Approval,
  type ErrorCode,
  isKnown,
  isThin,
  type Message,
  type Nexkit,
  NexkitError,
  type Order,
  type Page,
  type WebhookEvent,
} from '../../sdk/src/nexkit.ts'

/**
 * What the compiler must accept and what it must refuse. Never run: `npm run check:types` reads it, and so does a program that
 * installed the package.
 */
declare const nexkit: Nexkit
declare const event: WebhookEvent
declare const take: <T>(value: T) => void

// A call gives what the API answers, and is a promise like any other.
take<Order>(await nexkit.orders.create({ billingType: 'qris' }))
take<Promise<Message>>(nexkit.messages.send({ to: '+6281311112222', body: 'Halo' }))
take<string | null>((await nexkit.me.get().withResponse()).response.requestId)
take<void>(await nexkit.messages.cancel('msg_1'))
take<Page<Order>>(await nexkit.orders.list({ status: ['confirmed', 'processing'], payment_status: 'paid' }))
for await (const message of nexkit.chats.messages('+6281311112222')) take<Message>(message)

// What we send is checked to the last word.
// @ts-expect-error billingType is required
await nexkit.orders.create({ amount: 1000 })
// @ts-expect-error not a way to pay
await nexkit.orders.create({ billingType: 'barter' })
// @ts-expect-error not a field of an order
await nexkit.orders.create({ billingType: 'qris', ammount: 1000 })
// @ts-expect-error not a status of an order
nexkit.orders.list({ status: 'lost' })
// @ts-expect-error a text has no picture
await nexkit.messages.send({ to: '+628131', type: 'text', body: 'x', media: { link: 'https://a.example' } })
await nexkit.messages.send({ to: '+628131', type: 'audio', media: { link: 'https://a.example' } })
// @ts-expect-error one of id and link, not both
await nexkit.messages.send({ to: '+628131', type: 'audio', media: { id: '1', link: 'https://a.example' } })
// @ts-expect-error an Idempotency-Key is for operations that create something
await nexkit.orders.get('ord_1', { idempotencyKey: 'k' })
// @ts-expect-error ifMatch is for what changes something
await nexkit.orders.cancel('ord_1', { ifMatch: '*' })

// An omitted member may be undefined, also for a compiler that distinguishes the two.
await nexkit.orders.create({ billingType: 'qris', amount: undefined })
nexkit.orders.list({ cursor: undefined })

// What we answer may have values that are not known yet.
declare const order: Order
if (order.status === 'confirmed') take<number | null>(order.total)
take<string>(order.status)
const isOf: (status: 'draft' | 'confirmed') => void = take
// @ts-expect-error so there is no list of them that is complete
isOf(order.status)

// The type of an event says what is in it, once it is known to be whole.
if (isKnown(event)) {
  if (event.type === 'order.paid') take<Order>(event.data)
  if (event.type === 'message.received') take<Message>(event.data)
  if (event.type === 'approval.requested') take<Approval>(event.data)
  // @ts-expect-error not in the catalogue
  if (event.type === 'parcel.shipped') take(event)
} else if (isThin(event)) take<string>(event.self)
else take<Record<string, unknown>>(event.data)
// @ts-expect-error it may be thin, erased or unknown
if (event.type === 'order.paid') take<Order>(event.data)

// Codes are offered, and others are possible.
declare const error: unknown
if (error instanceof NexkitError) {
  take<ErrorCode | null>(error.code)
  if (error.code === 'order_not_payable' || error.code === 'a_code_of_tomorrow') take<string>(error.detail)
}
