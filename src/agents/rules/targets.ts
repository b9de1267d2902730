import { isId, type OrgId } from '../../kernel/ids.ts'
import { membersOf } from '../../kernel/records.ts'
import { type ChatPlace, findChatPlaces } from '../../messaging/chats/chats.ts'
import { findContactById, findReference, findReferredContact } from '../../messaging/contacts/contacts.ts'
import { getMessage } from '../../messaging/messages/messages.ts'
import { chatNotFound } from '../../messaging/messaging.errors.ts'
import type { Messaging } from '../../messaging/messaging.ts'
import type { NewOrderInput, OrderChangesInput } from '../../orders/orders/order-requests.schemas.ts'
import { editedTotal, getOrder, previewTotals } from '../../orders/orders/orders.ts'
import type { Queries } from '../../platform/database/database.ts'
import { type Amount, factsOf } from './operations.ts'

/**
 * The people that a request would reach, and its amount, determined before it runs. A request that names a missing
 * resource is refused here with the error of its handler.
 */
export type Target = {
  /** All chats of each person that the request names; empty for a new person. */
  people: ChatPlace[][]
  /** The chat that each person would be reached in; null if it does not exist yet. */
  places: (ChatPlace | null)[]
  /** The message or order that is changed. An agent that does not see it must not change it. */
  thing: { createdAt: Date; hasChat: boolean } | null
  /** The business number that a new person would be written from. */
  numberId: string | null
  /** The person to count among the recipients; null when no one is notified. */
  recipient: Recipient | null
  /** True for an order without a known customer. */
  isAboutUnknown: boolean
  orderId: string | null
  amount: Amount
  /** A further operation that it performs, whose rule applies as well. */
  alsoDoes: string | null
}

/**
 * A contact by its id, with all names that it may have been counted under before; a new person by the name in the
 * request.
 */
export type Recipient = { id: string; names: readonly string[] }

export type TargetWorld = { database: Queries; messaging: Pick<Messaging, 'context'> }

export type Asked = { params: Record<string, string>; query: unknown; body: unknown }

const NO_TARGET: Target = {
  people: [],
  places: [],
  thing: null,
  numberId: null,
  recipient: null,
  isAboutUnknown: false,
  orderId: null,
  amount: null,
  alsoDoes: null,
}

type Find = (world: TargetWorld, orgId: OrgId, asked: Asked) => Promise<Target>

export const findTarget = (
  world: TargetWorld,
  orgId: OrgId,
  { operation, ...asked }: Asked & { operation: string },
): Promise<Target> => finderOf(factsOf(operation).target)(world, orgId, asked)

/** The path of every message and order names its id. */
const idIn = ({ params }: Asked): string => params.id ?? ''

const toMessage: Find = async (world, orgId, { body }) => {
  const { to, from = null } = body as { to: string; from?: string }
  const chats = await chatsOf(world, orgId, to)
  const isChat = isId('chat', to.trim())
  if (isChat && chats.length === 0) throw chatNotFound({ params: { chat: to } })
  const named = isChat && from === null ? chats[0]?.number_id : undefined
  const number = await world.messaging.context.directory.find(orgId, named ?? from)
  const place = chats.find(({ number_id }) => number_id === number?.id) ?? null
  return {
    ...NO_TARGET,
    people: [chats],
    places: [place],
    numberId: number?.id ?? null,
    recipient: await recipientOf(world, orgId, { chats, text: to }),
  }
}

const toChat: Find = async (world, orgId, { params, query }) => {
  const { phone: text = '' } = params
  const { number } = membersOf(query)
  const chats = await chatsOf(world, orgId, text)
  const on = typeof number === 'string' ? await world.messaging.context.directory.find(orgId, number) : null
  const meant = number === undefined ? chats.slice(0, 1) : chats.filter(({ number_id }) => number_id === on?.id)
  if (meant.length === 0) throw chatNotFound({ params: { chat: text } })
  return { ...NO_TARGET, people: [meant], places: meant.slice(0, 1) }
}

const toMessageOf: Find = async ({ database }, orgId, asked) => {
  const { chat_id, created_at: createdAt } = await getMessage(database, orgId, idIn(asked))
  const chats = await placeOf(database, orgId, chat_id)
  return { ...NO_TARGET, people: [chats], places: [chats[0] ?? null], thing: { createdAt, hasChat: true } }
}

const toNewOrder: Find = async (world, orgId, { body }) => {
  const input = body as NewOrderInput
  const references = [input.chat_id, input.customer?.phone].filter((text) => text !== undefined && text !== null)
  const people = await Promise.all(references.map((text) => chatsOf(world, orgId, text)))
  const number = await world.messaging.context.directory.find(orgId, null)
  const [first] = input.notify === false ? [] : references
  const recipient =
    first === undefined ? null : await recipientOf(world, orgId, { chats: people[0] ?? [], text: first })
  const places = people.map((chats) => chats[0] ?? null)
  return {
    ...NO_TARGET,
    people,
    places,
    numberId: number?.id ?? null,
    recipient,
    amount: await amountOf(world, orgId, input),
  }
}

/** An order whose total cannot be computed is refused by its handler. */
async function amountOf({ database }: TargetWorld, orgId: OrgId, input: NewOrderInput): Promise<Amount> {
  if (input.billingType === 'free') return 0
  const totals = await previewTotals(database, orgId, input)
  return totals === null ? null : (totals.total ?? 'open')
}

const toOrder: Find = async (world, orgId, asked) => {
  const order = await getOrder(world.database, orgId, idIn(asked))
  const text = order.chat_id ?? order.customer_phone
  const chats = text === null ? [] : await chatsOf(world, orgId, text)
  const known = text === null ? {} : { people: [chats], places: [chats[0] ?? null] }
  const recipient = text !== null && order.notify ? await recipientOf(world, orgId, { chats, text }) : null
  const thing = { createdAt: order.created_at, hasChat: order.chat_id !== null }
  return { ...NO_TARGET, ...known, thing, recipient, isAboutUnknown: text === null, orderId: order.id }
}

/** The amount is the total after the edit, where the edit changes what is to be paid. */
const toEditedOrder: Find = async (world, orgId, asked) => {
  const target = await toOrder(world, orgId, asked)
  const changes = asked.body as OrderChangesInput
  const total = await editedTotal(world.database, await getOrder(world.database, orgId, idIn(asked)), changes)
  const amount = total === undefined ? null : (total ?? 'open')
  const phone = changes.customer?.phone
  if (phone == null) return { ...target, amount }
  const chats = await chatsOf(world, orgId, phone)
  const recipient = target.recipient && (await recipientOf(world, orgId, { chats, text: phone }))
  const people = [...target.people, chats]
  return { ...target, amount, people, places: [...target.places, chats[0] ?? null], recipient, isAboutUnknown: false }
}

/** No customer has been asked to pay a draft yet, so its first payment counts as creating the order. */
const toOrderPayment: Find = async (world, orgId, asked) => {
  const target = await toOrder(world, orgId, asked)
  const { status, total } = await getOrder(world.database, orgId, idIn(asked))
  return status === 'draft' ? { ...target, amount: total ?? 'open', alsoDoes: 'createOrder' } : target
}

/** Without an amount, everything that was paid is refunded. */
const toRefund: Find = async (world, orgId, asked) => {
  const target = await toOrder(world, orgId, asked)
  const { amount } = membersOf(asked.body)
  return { ...target, amount: typeof amount === 'number' ? amount : await moneyIn(world, orgId, asked) }
}

/** Cancelling an order refunds what was paid for it. */
const toCancelledOrder: Find = async (world, orgId, asked) => {
  const target = await toOrder(world, orgId, asked)
  const amount = await moneyIn(world, orgId, asked)
  return amount === 0 ? target : { ...target, amount, alsoDoes: 'createOrderRefund' }
}

async function moneyIn({ database }: TargetWorld, orgId: OrgId, asked: Asked): Promise<number> {
  const { amount_paid: paid, amount_returned: returned } = await getOrder(database, orgId, idIn(asked))
  return Math.max(0, paid - returned)
}

/** By the names that routes declare as their target. */
const finders: Record<string, Find> = {
  recipient: toMessage,
  message: toMessageOf,
  chat: toChat,
  new_order: toNewOrder,
  order: toOrder,
  edited_order: toEditedOrder,
  order_payment: toOrderPayment,
  cancelled_order: toCancelledOrder,
  refund: toRefund,
}

export const finderNames = Object.keys(finders)

export function finderOf(target: string): Find {
  const find = finders[target]
  if (find === undefined) throw new Error(`no target is called ${target}`)
  return find
}

async function recipientOf(
  { database, messaging }: TargetWorld,
  orgId: OrgId,
  { chats, text }: { chats: readonly ChatPlace[]; text: string },
): Promise<Recipient> {
  const contactId = chats[0]?.contact_id
  if (contactId !== undefined) {
    const contact = await findContactById(database, orgId, contactId)
    return { id: contactId, names: contact?.identities.map(({ value }) => value) ?? [] }
  }
  const reference = await findReference(database, orgId, text, await messaging.context.homeCountry(orgId))
  if (reference === null) return { id: text.trim(), names: [] }
  // The format of contact identities.
  return { id: reference.kind === 'phone' ? `+${reference.value}` : reference.value, names: [] }
}

const newestFirst = (one: ChatPlace, other: ChatPlace) =>
  other.last_activity_at.getTime() - one.last_activity_at.getTime() || (one.id < other.id ? 1 : -1)

/** All chats of the named person, the most recently active first. A chat id selects that chat. */
async function chatsOf({ database, messaging }: TargetWorld, orgId: OrgId, text: string): Promise<ChatPlace[]> {
  const reference = await findReference(database, orgId, text, await messaging.context.homeCountry(orgId))
  if (reference === null) return []
  if (reference.kind === 'chat') return placeOf(database, orgId, reference.value)
  const contactId = await findReferredContact(database, orgId, reference)
  if (contactId === null) return []
  const { ofContact } = await findChatPlaces(database, orgId, { chatIds: [], contactIds: [contactId] })
  return (ofContact.get(contactId) ?? []).toSorted(newestFirst)
}

async function placeOf(database: Queries, orgId: OrgId, chatId: string): Promise<ChatPlace[]> {
  const { ofChat } = await findChatPlaces(database, orgId, { chatIds: [chatId], contactIds: [] })
  const place = ofChat.get(chatId)
  return place === undefined ? [] : [place]
}
