import type { NumberDirectory } from '../../channels/numbers/numbers.ts'
import { type EventActor, EventBuffer } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, isId, type OrgId } from '../../kernel/ids.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import {
  type ContactRow,
  findReference,
  findReferredContact,
  listContacts,
  type Reference,
} from '../contacts/contacts.ts'
import { countUnread, findLastInbound, markMessagesRead } from '../messages/messages.ts'
import { chatNotFound } from '../messaging.errors.ts'
import { contactQuery } from '../search/search.ts'
import { listLabels } from './chat-list.sql.ts'
import { lockChat } from './chat-locks.sql.ts'
import { recordChatUpdated } from './chat-view.ts'
import type { ChatChangeInput, OpenOrderView } from './chats.schemas.ts'
import {
  type ChatPlace,
  type ChatRow,
  findChat,
  listChatPlaces,
  listChatsOfContact,
  listMergedChats,
  replaceLabels,
  setUnread,
  updateChatDetails,
  updateOpenOrder,
} from './chats.sql.ts'
import { queueReceipt } from './read-receipts.jobs.ts'

export type { ChatPlace } from './chats.sql.ts'

/**
 * Chats: one per contact and business number, with its thread of messages (thread.ts). Each operation changes the row under
 * its lock and records the change as an event. Chats are found by whom a caller names, listed and searched
 * (chat-list.sql.ts), locked in one order (chat-locks.sql.ts) and merged when contacts are (chat-merge.sql.ts).
 */
export type ChatsContext = {
  database: Database
  clock: Clock
  directory: NumberDirectory
  /** Rings the outbox, after the commit. */
  wake: (orgIds: readonly OrgId[]) => void
}

export type Change = { actor: EventActor; requestId: Id<'req'> | null }

export type ChatReference = { text: string; number: string | null; defaultCountry: string }

/** The most recently active chat with the customer, or the one on the named number. */
export async function getChat(
  { directory }: Pick<ChatsContext, 'directory'>,
  queries: Queries,
  orgId: OrgId,
  { text, number, defaultCountry }: ChatReference,
): Promise<ChatRow> {
  const reference = await findReference(queries, orgId, text, defaultCountry)
  const chats = reference === null ? [] : await findReferredChats(queries, orgId, reference)
  const on = number === null ? null : await directory.find(orgId, number)
  const chat = number === null ? chats[0] : chats.find(({ number_id }) => number_id === on?.id)
  if (chat === undefined) throw chatNotFound({ params: { chat: text, ...(number !== null && { number }) } })
  return chat
}

/** Locks the row of the chat and reads it. */
async function lockAndRead(tx: Tx, orgId: OrgId, id: string): Promise<ChatRow> {
  const chat = await lockLiveChat(tx, orgId, id)
  if (chat === null) throw chatNotFound({ params: { chat: id } })
  return chat
}

async function recordChange(
  context: ChatsContext,
  tx: Tx,
  { before, change }: { before: ChatRow; change: Change },
): Promise<ChatRow> {
  const after = await findChat(tx, before.org_id, before.id)
  if (after === null) throw chatNotFound({ params: { chat: before.id } })
  const names = ['status', 'labels', 'assignee', 'unread_count', 'open_order'] as const
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  if (changed.length === 0) return after
  const events = new EventBuffer()
  const previous = Object.fromEntries(changed.map((name) => [name, before[name]]))
  await recordChatUpdated({ ...context, events }, after, { previous, ...change })
  await events.record(tx, context.clock.now())
  return after
}

export async function updateChat(
  context: ChatsContext,
  tx: Tx,
  { chat, details, change }: { chat: ChatRow; details: ChatChangeInput; change: Change },
): Promise<ChatRow> {
  const { org_id: orgId } = chat
  const before = await lockAndRead(tx, orgId, chat.id)
  const { id } = before
  const labels = details.labels === undefined ? before.labels : [...details.labels]
  const assignee = details.assignee === undefined ? before.assignee : details.assignee
  await updateChatDetails(tx, orgId, { id, status: details.status ?? before.status, labels, assignee })
  if (details.labels !== undefined) await replaceLabels(tx, orgId, { id, labels }, before.labels)
  return recordChange(context, tx, { before, change })
}

export type Reading = {
  chat: ChatRow
  /** Up to and including this message; all of them without. */
  upTo: string | null
  isTyping: boolean
  change: Change
}

/** Sends a read receipt for the newest message that was read: networks take earlier messages as read with it. */
export async function markRead(
  context: ChatsContext,
  tx: Tx,
  { chat, upTo, isTyping, change }: Reading,
): Promise<ChatRow> {
  const { org_id: orgId } = chat
  const before = await lockAndRead(tx, orgId, chat.id)
  const { id } = before
  const marked = await markMessagesRead(tx, orgId, { chatId: id, upTo })
  const { count } = await countUnread(tx, orgId, id)
  if (count !== before.unread_count) await setUnread(tx, orgId, { id, unread: count })
  const newest = marked[0] ?? (isTyping ? await findLastInbound(tx, orgId, id) : null)
  if (newest?.provider_id) {
    const receipt = {
      orgId,
      numberId: before.number_id,
      messageId: newest.id,
      providerId: newest.provider_id,
      isTyping,
    }
    await queueReceipt(tx, receipt)
    tx.afterCommit(() => context.wake([orgId]))
  }
  return recordChange(context, tx, { before, change })
}

/** Which order a chat shows is asked under its lock: of two that look at the same moment, the later one is right. */
export type FindOpenOrder = (chatIds: readonly Id<'chat'>[]) => Promise<OpenOrderView | null>

/** Sets the open order that the chat shows. Orders of chats that were merged into this one count too. */
export async function showOpenOrder(
  context: ChatsContext,
  tx: Tx,
  orgId: OrgId,
  { chatId, find, change }: { chatId: string; find: FindOpenOrder; change: Change },
): Promise<void> {
  const before = await lockLiveChat(tx, orgId, chatId)
  if (before === null) return
  const merged = await listMergedChats(tx, orgId, before.id)
  const openOrder = await find([before.id, ...merged.map(({ id }) => id)])
  await updateOpenOrder(tx, orgId, { id: before.id, openOrder })
  await recordChange(context, tx, { before, change })
}

/** The places of chats by the requested ids; for a merged chat, the place of the chat it was merged into. */
export async function findChatPlaces(
  queries: Queries,
  orgId: OrgId,
  wanted: { chatIds: readonly string[]; contactIds: readonly string[] },
): Promise<{ ofChat: Map<string, ChatPlace>; ofContact: Map<string, ChatPlace[]> }> {
  if (wanted.chatIds.length + wanted.contactIds.length === 0) return { ofChat: new Map(), ofContact: new Map() }
  const found = await listChatPlaces(queries, orgId, wanted)
  const places = new Map<string, ChatPlace>(found.map((place) => [place.id, place]))
  const elsewhere = found.flatMap(({ merged_into }) => (merged_into && !places.has(merged_into) ? [merged_into] : []))
  if (elsewhere.length > 0)
    for (const place of await listChatPlaces(queries, orgId, { chatIds: elsewhere, contactIds: [] }))
      places.set(place.id, place)
  const ofChat = new Map<string, ChatPlace>()
  for (const id of wanted.chatIds) {
    const place = places.get(id)
    const live = place?.merged_into ? places.get(place.merged_into) : place
    if (live !== undefined) ofChat.set(id, live)
  }
  const living = [...places.values()].filter(({ merged_into }) => merged_into === null)
  return { ofChat, ofContact: Map.groupBy(living, ({ contact_id }): string => contact_id) }
}

export async function findLiveChat(queries: Queries, orgId: OrgId, id: string): Promise<ChatRow | null> {
  const chat = isId('chat', id) ? await findChat(queries, orgId, id) : null
  return chat?.merged_into ? findChat(queries, orgId, chat.merged_into) : chat
}

/** It may be merged into another while its lock is waited for; a merge never leads to one that was merged itself. */
export async function lockLiveChat(tx: Tx, orgId: OrgId, id: string): Promise<ChatRow | null> {
  if (!isId('chat', id)) return null
  let chat = await findChat(tx, orgId, id)
  while (chat !== null) {
    const live = chat.merged_into ?? chat.id
    await lockChat(tx, orgId, live)
    chat = await findChat(tx, orgId, live)
    if (chat?.merged_into === null) return chat
  }
  return null
}

/** The referenced chats, the most recently active first; a merged chat leads to the one it was merged into. */
export async function findReferredChats(queries: Queries, orgId: OrgId, reference: Reference): Promise<ChatRow[]> {
  if (reference.kind === 'chat') {
    const chat = await findChat(queries, orgId, reference.value)
    const live = chat === null || chat.merged_into === null ? chat : await findChat(queries, orgId, chat.merged_into)
    return live === null ? [] : [live]
  }
  const contactId = await findReferredContact(queries, orgId, reference)
  return contactId === null ? [] : listChatsOfContact(queries, orgId, contactId)
}

/** People by the beginning of a name, or by a part of their phone, newest first, each with their chats. */
export async function findNamedContacts(
  queries: Queries,
  orgId: OrgId,
  { words, country, limit }: { words: string; country: string; limit: number },
): Promise<{ contact: ContactRow; chats: ChatRow[] }[]> {
  const query = contactQuery(orgId, words, country)
  const contacts = query === null ? [] : await listContacts(queries, orgId, { query, before: null, limit })
  return Promise.all(
    contacts.map(async (contact) => ({ contact, chats: await listChatsOfContact(queries, orgId, contact.id) })),
  )
}

/** The chat that now holds the messages of the given chat, also after a merge. Null when there is no such chat. */
export async function findChatId(
  queries: Queries,
  orgId: OrgId,
  text: string,
  defaultCountry: string,
): Promise<string | null> {
  const reference = await findReference(queries, orgId, text, defaultCountry)
  const chats = reference === null ? [] : await findReferredChats(queries, orgId, reference)
  return chats[0]?.id ?? null
}

/** Upper bound on listed labels: with more, users type the one they look for. */
const LABELS_LISTED_MAX = 200

export type LabelsInUse = { labels: string[]; isCut: boolean }

/** Every label that some chat has, in the order of the alphabet. */
export async function listLabelsInUse(queries: Queries, orgId: OrgId): Promise<LabelsInUse> {
  const rows = await listLabels(queries, orgId, LABELS_LISTED_MAX + 1)
  const labels = rows.slice(0, LABELS_LISTED_MAX).map(({ label }) => label)
  return { labels, isCut: rows.length > LABELS_LISTED_MAX }
}

export {
  type Ahead,
  type ChatKey,
  insertChats,
  listUnplaced,
  lockChat,
  lockChatsAhead,
  lockChatsOf,
  lockMessagesOfPeople,
  type PlacedChat,
} from './chat-locks.sql.ts'
export { listWrittenAfter, mergeChatsOf } from './chat-merge.sql.ts'
export {
  type ChatEventContext,
  isWindowClosed,
  presentChat,
  recordChatCreated,
  recordChatUpdated,
} from './chat-view.ts'
export {
  type ChatRow,
  chatColumns,
  contactColumns,
  type FlatChatRow,
  findChat,
  findRecipient,
  listChatsById,
  noteCall,
  setUnread,
  unflattenChat,
} from './chats.sql.ts'
export { enterThread, failMessage, hasLeft, leftAtOf, lockThreads, placeAfter, placeOfReport } from './thread.ts'
