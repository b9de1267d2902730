import type { Operation } from '../api/agents.ts'
import type { Approval } from '../api/approvals.ts'
import type { ChannelTemplate } from '../api/chats.ts'
import type { Message } from '../api/messages.ts'
import { paymentMethods } from '../api/orders.ts'
import type { Language, Say } from '../text/text.tsx'
import { rupiah } from '../ui/Money.tsx'
import { exactTime } from '../ui/Time.tsx'
import { headerGiven, membersOf } from './template-parts.ts'

/**
 * The request of an agent in words. The person who approves reads this and not the JSON below it, so it says nothing that is not
 * in the request, and what it cannot put into words is shown as it is.
 */

/** What is known of whom and what a request is about, beyond what it says. */
export type Known = {
  customer: string | null
  orderNumber: string | null
  /** What would be sent, or called off. */
  message: Message | null
  /** What the message says that this one answers or reacts to. */
  answered: string | null
  /** The template as the network has it. */
  definition: ChannelTemplate | null
}

type Fields = Record<string, unknown>
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const bodyOf = ({ request }: Approval): Fields => request.body ?? {}

/** "Kasir Bot wants to send a message to Budi (+62 812 …)". */
export function requestSentence(approval: Approval, known: Known, say: Say): string {
  const { operation, agent, amount } = approval
  const order = known.orderNumber === null ? (approval.order_id ?? '') : `#${known.orderNumber}`
  const values = { agent: agent.name, whom: whomOf(approval, known, say), order }
  if (amount === null) return say(`approvals.wants.${withoutAmount[operation] ?? operation}`, values)
  return say(`approvals.wants.${withAmount[operation] ?? operation}`, { ...values, amount: rupiah(amount) })
}

/** Where an amount, or that there is none, makes it another sentence. The server names one wherever money would move. */
const withoutAmount: Partial<Record<Operation, 'createOrder.open' | 'createOrderRefund.rest'>> = {
  createOrder: 'createOrder.open',
  createOrderRefund: 'createOrderRefund.rest',
}
const withAmount: Partial<Record<Operation, 'cancelOrder.paid' | 'createOrderPayment.first' | 'updateOrder.total'>> = {
  cancelOrder: 'cancelOrder.paid',
  createOrderPayment: 'createOrderPayment.first',
  updateOrder: 'updateOrder.total',
}

/** By the chat that the server found for it; else as the request names them. */
function whomOf(approval: Approval, { customer }: Known, say: Say): string {
  if (customer !== null) return customer
  const { request, operation } = approval
  if (operation === 'createOrder') {
    const { name, phone } = membersOf(bodyOf(approval).customer)
    return nameAndPhone(textOf(name), textOf(phone)) ?? say('approvals.unnamed')
  }
  return textOf(bodyOf(approval).to) ?? textOf(request.params.phone) ?? say('approvals.aCustomer')
}

export const nameAndPhone = (name: string | null, phone: string | null): string | null =>
  name !== null && phone !== null ? `${name} (${phone})` : (name ?? phone)

const hasItems = ({ operation }: Approval) => operation === 'createOrder' || operation === 'updateOrder'

/** The price is null if the product has it; the total of the approval contains it. */
export type RequestedItem = { name: string; quantity: number; unitPrice: number | null }

export const requestedItems = (approval: Approval): RequestedItem[] =>
  hasItems(approval)
    ? listOf(bodyOf(approval).items).map((item) => {
        const { sku, name, quantity, unit_price } = membersOf(item)
        const unitPrice = unit_price === undefined ? null : Number(unit_price)
        return { name: textOf(name) ?? textOf(sku) ?? '', quantity: Number(quantity), unitPrice }
      })
    : []

/** What is taken off the lines and put on top of them, in the order in which the total is made of it. */
export function requestedExtras(approval: Approval, say: Say): [string, string][] {
  if (!hasItems(approval)) return []
  const { discount, shipping, tax } = bodyOf(approval)
  const off = moneyOrShare(discount)
  return present([
    [say('orders.discount'), off && `− ${off}`],
    // A share of what was ordered, not of what it costs to bring it.
    [say('orders.tax'), moneyOrShare(tax)],
    [say('orders.shipping'), moneyOrShare(shipping)],
  ])
}

/** The rest of the request that matters for the decision: what it is called, and what it is. */
export function requestDetails(approval: Approval, known: Known, { say, language }: Reader): [string, string][] {
  const body = bodyOf(approval)
  // An order is named by its number; whose it is comes with it.
  const whose: Detail[] = approval.order_id === null ? [] : [[say('orders.customer'), known.customer]]
  const details: Partial<Record<Operation, () => Detail[]>> = {
    sendMessage: () => [...messageDetails(known, say, language), [say('approvals.from'), textOf(body.from)]],
    cancelMessage: () => messageDetails(known, say, language),
    updateChat: () => chatDetails(body, say),
    createOrder: () => orderDetails(body, known, say),
    updateOrder: () => editDetails(body, say),
    createOrderPayment: () => paymentDetails(body, say),
    createOrderRefund: () => refundDetails(body, say),
  }
  const own = details[approval.operation]?.() ?? []
  return present([...whose, ...own])
}

type Reader = { say: Say; language: Language }
type Detail = [string, string | null]
const present = (details: Detail[]) => details.filter((detail): detail is [string, string] => detail[1] !== null)

function messageDetails(known: Known, say: Say, language: Language): Detail[] {
  const { message, definition, answered } = known
  if (message === null) return []
  const { type, media, template, reaction, send_at: sendAt } = message
  const header = template === null ? null : headerGiven(template)
  const file = media ?? (header !== null && 'media' in header ? header.media : null)
  return [
    [say('message.kind.reaction'), type === 'reaction' ? reaction?.emoji || say('approvals.none') : null],
    [say('approvals.answers'), answered],
    // One of our own is shown; where another comes from is for the reader to judge.
    [say('approvals.file'), file?.link ?? null],
    [say('template.which'), definition === null ? templateWords(membersOf(template)) : null],
    [say('approvals.sendAt'), sendAt && !Number.isNaN(Date.parse(sendAt)) ? exactTime(sendAt, language) : sendAt],
  ]
}

/** Its name, and the words that are put into its blanks. */
function templateWords({ name, language, components }: Fields): string | null {
  if (textOf(name) === null) return null
  const blanks = parametersIn(components).flatMap((parameter) => textOf(parameter.text) ?? [])
  const title = [name, textOf(membersOf(language).code) ?? textOf(language)].filter(Boolean).join(', ')
  return blanks.length === 0 ? title : `${title}: ${blanks.join(' · ')}`
}

const parametersIn = (components: unknown): Fields[] =>
  listOf(components).flatMap((component) => listOf(membersOf(component).parameters).map(membersOf))

const chatDetails = ({ labels, status, assignee }: Fields, say: Say): Detail[] => [
  [say('chats.labels'), labels === undefined ? null : listOf(labels).join(', ') || say('approvals.none')],
  [say('list.state'), status === 'open' || status === 'closed' ? say(`chats.status.${status}`) : null],
  [say('chats.assignee'), assignee === null ? say('chats.unassigned') : textOf(assignee)],
]

function orderDetails(body: Fields, known: Known, say: Say): Detail[] {
  const { name, phone } = membersOf(body.customer)
  const customer = nameAndPhone(textOf(name), textOf(phone))
  return [
    [say('orders.billingType'), methodWord(body.billingType, say)],
    ...channelDetails(membersOf(body.payment), say),
    // Shown when the request names another customer than the one of the chat.
    [say('orders.customer'), known.customer === null || customer === known.customer ? null : customer],
    [say('orders.reference'), textOf(body.reference)],
    [say('orders.note'), textOf(body.note)],
    [say('orders.notify'), body.notify === false ? say('people.off') : null],
  ]
}

/** What an edit sets; null clears the field. */
function editDetails(body: Fields, say: Say): Detail[] {
  const { name, phone } = membersOf(body.customer)
  const edited = (value: unknown) => (value === null ? say('approvals.none') : textOf(value))
  return [
    [say('orders.amount'), typeof body.amount === 'number' ? rupiah(body.amount) : null],
    [say('orders.customerName'), edited(name)],
    [say('orders.phone'), edited(phone)],
    [say('orders.reference'), edited(body.reference)],
    [say('orders.note'), edited(body.note)],
    [say('orders.notify'), body.notify === false ? say('people.off') : null],
  ]
}

const channelDetails = ({ bank, channel }: Fields, say: Say): Detail[] => [
  [say('orders.bank'), textOf(bank)?.toUpperCase() ?? null],
  [say('orders.channel'), textOf(channel)?.toUpperCase() ?? null],
]

const paymentDetails = (body: Fields, say: Say): Detail[] => [
  [say('orders.amount'), typeof body.amount === 'number' ? rupiah(body.amount) : null],
  [say('orders.billingType'), methodWord(body.method, say)],
  ...channelDetails(body, say),
]

const refundDetails = ({ reason, note, manual, payment }: Fields, say: Say): Detail[] => [
  [say('refund.reason'), textOf(reason)],
  [say('approvals.refundBy'), manual === true ? say('approvals.refundBy.hand') : null],
  [say('refund.note'), textOf(note)],
  [say('orders.payment'), textOf(payment)],
]

function methodWord(value: unknown, say: Say): string | null {
  const method = paymentMethods.find((one) => one === value)
  return method === undefined ? textOf(value) : say(`method.${method}`)
}

function moneyOrShare(value: unknown): string | null {
  if (typeof value === 'number') return value === 0 ? null : rupiah(value)
  const { percent } = membersOf(value)
  return typeof percent === 'number' ? `${percent} %` : null
}

/** Where what came of it can be seen. */
export type Outcome = { chatId: string | null; orderId: string | null }

export function outcomeOf({ operation, result, chat_id, order_id }: Approval): Outcome {
  const body = result?.body ?? {}
  const isOrder = operation === 'createOrder'
  return {
    chatId: textOf(body.chat_id) ?? chat_id,
    orderId: isOrder ? (textOf(body.id) ?? order_id) : (order_id ?? textOf(body.order_id)),
  }
}
