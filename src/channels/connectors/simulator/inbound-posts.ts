import type { Clock } from '../../../kernel/clock.ts'
import { isId } from '../../../kernel/ids.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ChannelNumber, HookSender } from '../../channel-connector.ts'
import type { MessageContent } from '../../content/content.ts'
import { contactItem, type InboundFrame, messageItem } from './hook-items.ts'
import { type GraphItem, type NumberPlace, post } from './hooks.ts'
import { inboundIdOf, nameOf, outboundIdOf, readOutboundId, seedOf, userIdOf } from './seeded.ts'
import { simulationImpossible } from './simulator.errors.ts'
import { findReceived, noteWriter, type PersonRow, type Writer } from './simulator.sql.ts'
import { behaviourOf } from './test-numbers.ts'

/** The simulated customer: a phone, or a user id where nothing else is known. */
export type Customer = {
  number: NumberPlace
  /** In international form, however it is spelled; null with a user id. */
  from: string | null
  name?: string
  username?: string
  userId?: string
  /** Has a phone, but does not show it: the network names a user id only. */
  isPhoneHidden?: boolean
}

export type Identity = {
  /** What the simulator knows them by. */
  id: string
  phone: string | null
  userId: string
  /** Everything that a message for them may have been addressed to. */
  addresses: string[]
}

const PHONE = /^[1-9]\d{6,14}$/
const USER_ID = /^[A-Z]{2}\.[A-Za-z0-9.]{1,140}$/

export function identityOf({ from, userId, isPhoneHidden }: Omit<Customer, 'number'>): Identity {
  if (userId !== undefined && !USER_ID.test(userId))
    throw simulationImpossible({ says: `"${userId}" is not a user id; one looks like ID.134911234567890.` })
  if (from === null) {
    if (userId === undefined) throw simulationImpossible({ says: 'Name the sender: a phone number or a user id.' })
    return { id: userId, phone: null, userId, addresses: [userId] }
  }
  const digits = from.replaceAll(/\D/g, '')
  if (!PHONE.test(digits))
    throw simulationImpossible({ says: `"${from}" is not a phone number in international form.` })
  const behaviour = behaviourOf({ phone: digits, userId: null })
  const known = userId ?? userIdOf(digits)
  const reported = behaviour.reportedPhone ?? digits
  const isHidden = isPhoneHidden ?? behaviour.isPhoneHidden ?? false
  return { id: digits, phone: isHidden ? null : reported, userId: known, addresses: [digits, known, reported] }
}

/** Everything that a message for the customer with this phone may have been addressed to. */
export const addressesOf = (phone: string): string[] => identityOf({ from: phone }).addresses

const writerOf = (
  number: ChannelNumber,
  { id, phone, userId }: Identity,
  { name, username, messages, now }: Pick<Customer, 'name' | 'username'> & { messages: number; now: Date },
): Writer => ({
  numberId: number.id,
  id,
  phone,
  user_id: userId,
  username: username?.replace(/^@/, '') ?? null,
  name: name ?? null,
  fallbackName: nameOf(seedOf(number), id),
  messages,
  now,
})

/** What customers write, on its way into the server: the person is noted, and the network posts a hook about it. */
export type PostOptions = { database: Database; clock: Clock; sender: () => HookSender }

export type InboundPost = {
  number: ChannelNumber
  customer: Customer
  /** Each becomes a separate message. */
  payloads: readonly GraphItem[]
  frame?: Omit<InboundFrame, 'providerId' | 'atMs'> & {
    /** System messages come without the contact. */
    isContactLeftOut?: boolean
    /** Where it must be the same when it is written again. */
    providerId?: string
  }
}

/** What came of it: the network's ids of what was written, and who it was. */
export type Written = { provider_ids: string[]; person: PersonRow }

/** Meta puts up to a thousand updates into one hook. */
const ITEMS_PER_HOOK_MAX = 100

export async function postMessages(
  options: PostOptions,
  { number, customer, payloads, frame = {} }: InboundPost,
): Promise<Written> {
  const { isContactLeftOut, providerId, ...rest } = frame
  const { person, providerIds, atMs } = await noteActs(options, number, { customer, count: payloads.length })
  const items = payloads.map((payload, index) => {
    const id = providerId ?? (providerIds[index] as string)
    return { id, item: messageItem(person, { ...rest, providerId: id, atMs }, payload) }
  })
  const contacts = isContactLeftOut ? {} : { contacts: [contactItem(person)] }
  for (let start = 0; start < items.length; start += ITEMS_PER_HOOK_MAX) {
    const messages = items.slice(start, start + ITEMS_PER_HOOK_MAX).map(({ item }) => item)
    await post(options.sender(), number, { ...contacts, messages })
  }
  return { provider_ids: items.map(({ id }) => id), person }
}

/** Notes that the customer wrote or called now. The ids of what they did follow from the seed and their earlier acts. */
export async function noteActs(
  { database, clock }: PostOptions,
  number: ChannelNumber,
  { customer, count }: { customer: Customer; count: number },
): Promise<{ person: PersonRow; providerIds: string[]; atMs: number }> {
  const identity = identityOf(customer)
  const now = new Date(clock.now())
  const writer = writerOf(number, identity, { ...customer, messages: count, now })
  const person = await noteWriter(database, number.orgId, writer)
  const first = person.messages_written - count + 1
  const idOf = (nth: number) => inboundIdOf(seedOf(number), number.phoneNumberId, identity.id, String(nth))
  const providerIds = Array.from({ length: count }, (_, index) => idOf(first + index))
  return { person, providerIds, atMs: now.getTime() }
}

export type ReceivedMessage = { providerId: string; content: MessageContent | null }

/** A message as the person sees it: they can only point to what they were sent, or to what they wrote themselves. */
export async function getReceived(
  { database }: PostOptions,
  number: ChannelNumber,
  { customer, messageId }: { customer: Customer; messageId: string },
): Promise<ReceivedMessage> {
  const outbound = isId('msg', messageId) ? { messageId } : readOutboundId(messageId)
  if (outbound === null) {
    if (messageId.startsWith('wamid.')) return { providerId: messageId, content: null }
    throw simulationImpossible({ says: `"${messageId}" is not the id of a message; one begins with msg_ or wamid.` })
  }
  const row = await findReceived(database, number.orgId, {
    numberId: number.id,
    recipients: identityOf(customer).addresses,
    messageId: outbound.messageId,
  })
  if (row === null)
    throw simulationImpossible({ says: `This customer never received the message ${outbound.messageId}.` })
  return {
    providerId: outboundIdOf(seedOf(number), row.message_id, row.copies),
    content: row.content as MessageContent | null,
  }
}
