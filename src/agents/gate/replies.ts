import { eventNotFound } from '../../events/events.errors.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { isRecord, membersOf } from '../../kernel/records.ts'
import { type ChatPlace, findChatPlaces } from '../../messaging/chats/chats.ts'
import { chatNotFound, contactNotFound, messageNotFound } from '../../messaging/messaging.errors.ts'
import { orderNotFound } from '../../orders/orders.errors.ts'
import type { Database } from '../../platform/database/database.ts'
import type { AgentRow } from '../records/records.ts'
import { hasUnplacedText } from './customer-text.ts'

/**
 * What an agent gets to see of an answer: only what lies within its reach, phones in part where they are hidden. Text of customers
 * that it has not read is in customer-text.ts.
 */
type Json = Record<string, unknown>

/**
 * How far an agent sees and writes: on which business numbers, in chats with which labels, how far back. What lies outside is
 * not there for it.
 */
export type Reach = Pick<AgentRow, 'reach_numbers' | 'reach_labels' | 'reach_days'>

const DAY_MS = 24 * 3600 * 1000

export const isNarrowed = ({ reach_numbers, reach_labels, reach_days }: Reach): boolean =>
  reach_numbers.length > 0 || reach_labels.length > 0 || reach_days !== null

export const isNumberReached = ({ reach_numbers }: Reach, numberId: string): boolean =>
  reach_numbers.length === 0 || reach_numbers.includes(numberId)

export const isRecent = ({ reach_days }: Reach, at: Date, nowMs: number): boolean =>
  reach_days === null || at.getTime() >= nowMs - reach_days * DAY_MS

type Place = Pick<ChatPlace, 'number_id' | 'labels' | 'last_activity_at'>

export const isChatReached = (reach: Reach, chat: Place, nowMs: number): boolean =>
  isNumberReached(reach, chat.number_id) &&
  (reach.reach_labels.length === 0 || chat.labels.some((label) => reach.reach_labels.includes(label))) &&
  isRecent(reach, chat.last_activity_at, nowMs)

const notFound = {
  chat: chatNotFound,
  message: messageNotFound,
  order: orderNotFound,
  contact: contactNotFound,
} as const

type Kind = keyof typeof notFound
const isKind = (name: unknown): name is Kind => typeof name === 'string' && Object.hasOwn(notFound, name)
const kindOf = ({ object }: Json): Kind | null => (isKind(object) ? object : null)

/** The path and query of the request. */
type Named = { params: Record<string, string>; query: unknown }

export async function narrowReply(
  { database, nowMs, named }: { database: Database; nowMs: number; named: Named },
  agent: AgentRow,
  body: Json,
): Promise<Json> {
  if (!isNarrowed(agent)) return body
  const items = itemsOf(body)
  const isSeen = await createSight(database, agent.org_id, { agent, items, nowMs })
  if (body.object === 'list') return endedOfNothing(named, { ...body, data: items.filter(isSeen) })
  const kind = kindOf(body)
  if (kind !== null && !isSeen(body)) throw missing(kind, named)
  return isRecord(body.messages) ? { ...body, messages: recentOnly(agent, body.messages, nowMs) } : body
}

/** A list of one chat that the agent does not see has no further page, because a further page would reveal the chat. */
function endedOfNothing({ query }: Named, list: Json): Json {
  const { chat, chat_id: chatId } = membersOf(query)
  const isOfOne = chat !== undefined || chatId !== undefined
  return isOfOne && dataOf(list).length === 0 ? { ...list, has_more: false, next_cursor: null } : list
}

/** Exactly the error of a missing resource, because any difference would reveal that this one exists. */
function missing(kind: Kind, { params, query }: Named) {
  if (kind !== 'chat') return notFound[kind]({ params })
  const { number } = membersOf(query)
  return notFound.chat({ params: { chat: params.phone, ...(number !== undefined && { number }) } })
}

const dataOf = ({ data }: Json): Json[] => (Array.isArray(data) ? data : [])

const itemsOf = (body: Json): Json[] => (body.object === 'list' ? dataOf(body) : [body])

const createdAt = (item: Json) => new Date(String(item.created_at))

/** The older messages of a chat that is seen for its newer ones. */
const recentOnly = (agent: AgentRow, list: Json, nowMs: number): Json => ({
  ...list,
  data: dataOf(list).filter((message) => isRecent(agent, createdAt(message), nowMs)),
})

type Sight = { agent: AgentRow; items: readonly Json[]; nowMs: number }

async function createSight(database: Database, orgId: OrgId, { agent, items, nowMs }: Sight) {
  const idsOf = (kind: Kind, member: string) =>
    items.flatMap((item) => (kindOf(item) === kind && item[member] ? [String(item[member])] : []))
  const { ofChat, ofContact } = await findChatPlaces(database, orgId, {
    chatIds: [...idsOf('chat', 'id'), ...idsOf('message', 'chat_id'), ...idsOf('order', 'chat_id')],
    contactIds: idsOf('contact', 'id'),
  })
  const isReached = (place: ChatPlace | undefined) => place !== undefined && isChatReached(agent, place, nowMs)
  const isInTime = (item: Json) => isRecent(agent, createdAt(item), nowMs)
  const seen: Record<Kind, (item: Json) => boolean> = {
    chat: (item) => isReached(ofChat.get(String(item.id))),
    message: (item) => isInTime(item) && isReached(ofChat.get(String(item.chat_id))),
    order: (item) => isInTime(item) && isReached(ofChat.get(String(item.chat_id))),
    contact: (item) => (ofContact.get(String(item.id)) ?? []).some(isReached),
  }
  return (item: Json) => {
    const kind = kindOf(item)
    return kind === null || seen[kind](item)
  }
}

/** An agent does not see the approvals of other agents. */
export function ownApprovals(agent: Pick<AgentRow, 'id'>, body: Json): Json {
  if (body.object === 'list') return { ...body, data: dataOf(body).filter((item) => !isOfOther(agent, item)) }
  if (isOfOther(agent, body)) throw eventNotFound({ params: { id: body.id } })
  return body
}

function isOfOther({ id }: Pick<AgentRow, 'id'>, item: Json): boolean {
  const data = item.object === 'event' ? membersOf(item.data) : null
  return data?.object === 'approval' && membersOf(data.agent).id !== id
}

/** Enough is left to distinguish two people and too little to call one. */
export const maskPhone = (phone: string): string =>
  phone.length < 9 ? '•'.repeat(phone.length) : `${phone.slice(0, 5)}${'•'.repeat(phone.length - 8)}${phone.slice(-3)}`

const PHONE_MEMBERS = ['phone', 'wa_id', 'customer_phone', 'to']
/** Other references to a person that are accepted in place of a phone. */
const OTHER_REFERENCE = /^\s*(?:(?:chat|con)_|@|[A-Z]{2}\.)/

/** Texts that come from outside, with phones in whatever spelling. */
const OUTSIDE_MEMBERS = ['vcard', 'system', 'response_body']
const PHONE_IN_TEXT = /\+?\d[\d ().-]{4,}\d/g

/** The ids that networks give to messages have the phone in them. */
export function hidePhones(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidePhones)
  if (typeof value !== 'object' || value === null) return value
  const isPhoneIdentity = 'type' in value && value.type === 'phone'
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isPhone = PHONE_MEMBERS.includes(name) || (isPhoneIdentity && name === 'value')
      if (isPhone && typeof member === 'string')
        return [name, OTHER_REFERENCE.test(member) ? member : maskPhone(member)]
      if (OUTSIDE_MEMBERS.includes(name)) return [name, hidePhonesInTexts(member)]
      return [name, name === 'provider_id' ? null : hidePhones(member)]
    }),
  )
}

function hidePhonesInTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(PHONE_IN_TEXT, maskPhone)
  if (Array.isArray(value)) return value.map(hidePhonesInTexts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, hidePhonesInTexts(member)]))
}

/** Every chat that something of the answer is from. Text of customers without a chat counts under the id of what holds it. */
export function chatIdsIn(value: unknown): string[] {
  const found = new Set<string>()
  collectChatIds(value, found)
  return [...found]
}

function collectChatIds(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collectChatIds(item, found)
  if (!isRecord(value)) return
  const { object, id, chat_id } = value
  if ((object === 'chat' || hasUnplacedText(value)) && typeof id === 'string') found.add(id)
  if (typeof chat_id === 'string') found.add(chat_id)
  for (const member of Object.values(value)) collectChatIds(member, found)
}
