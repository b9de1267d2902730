import type { MessageContent } from '../../channels/content/content.ts'
import { expectMedia } from '../../channels/media/media.ts'
import { type Id, idTime, newId, newPartId } from '../../kernel/ids.ts'
import { itemAt, storedValue } from '../../kernel/lists.ts'
import { seededId } from '../../kernel/seeded-ids.ts'
import { cleanJson } from '../../platform/database/stored-json.ts'
import {
  type ChatKey,
  type ChatRow,
  insertChats,
  listChatsById,
  lockChat,
  lockChatsOf,
  type PlacedChat,
  placeOfReport,
  recordChatCreated,
  recordChatUpdated,
} from '../chats/chats.ts'
import { groupOf, type Person, personOf } from '../contacts/contacts.ts'
import { type Resolution, recordResolution } from '../identities/identities.ts'
import { statusOfReport } from '../messages/messages.states.ts'
import {
  bodyOf,
  findByProviderId,
  type LearnedReport,
  learnedOf,
  lockMessage,
  type MessageFailure,
  type MessageRow,
  membersOf,
  moveByReport,
  movedEvent,
  type ParkedReport,
  presentMessage,
  takeParkedOf,
} from '../messages/messages.ts'
import { messageReceived } from '../messaging.events.ts'
import { vectorOf, wordsOfText } from '../search/search.ts'
import { type BatchApplying, ProviderNames, type ReportItem } from './applying.ts'
import { type InboundBump, insertInbound, type NewInbound } from './inbound-messages.sql.ts'
import { applyParkedChanges, storeContent } from './message-changes.ts'
import { handOverReceived } from './received-messages.ts'
import type { People } from './senders.ts'

/**
 * What customers wrote, and what the business wrote in the WhatsApp Business app, stored with the chats that it changes:
 *
 *                     direction, sender       status          chat                            events
 *   of a customer     inbound, contact        received        unread, reopened, window open   chat.created, message.received
 *   of the app        outbound, business_app  sent            newest message                  chat.created, message.sent
 *   of the past       either                  as it was       its place in the thread         none
 *
 Each message is known to be new: its provider's id was
 * looked for under its lock (applying.ts), and who wrote it was found out (senders.ts).
 */
export type InboundItem = ReportItem<'message'>

type Writing = { item: InboundItem; id: Id<'msg'>; person: Person }

/** The messages of a batch that are stored, with their ids. A message that the batch reports twice is stored once. */
export function plannedMessages(items: readonly InboundItem[], names: ProviderNames): Writing[] {
  return items.flatMap((item) => {
    if (names.idOf(item.number, item.report.providerId) !== null) return []
    const id = seededId(newPartId('msg', item.journalId, item.position), 'from', item.report.providerId)
    names.note(item.number, item.report.providerId, id)
    return [{ item, id, person: partnerOf(item.report) }]
  })
}

/** The other side of the chat: a person, or the group. */
const partnerOf = ({ from, groupId }: InboundItem['report']): Person =>
  groupId == null ? personOf(from) : groupOf(groupId, null)

type Placed = Writing & { resolution: Resolution; chat: OpenedChat }

export async function storeMessages(
  applying: BatchApplying,
  planned: readonly Writing[],
  { names, people }: { names: ProviderNames; people: People },
): Promise<void> {
  if (planned.length === 0) return
  const { tx, orgId } = applying
  const written = planned.map((writing) => ({ ...writing, resolution: people.of(writing.person) }))
  const chats = await openChats(
    applying,
    written.map(({ resolution, item }) => ({ contactId: resolution.contact.id, numberId: item.number.id })),
    (contactId) => people.holds(contactId),
  )
  const placed = written.map(
    (writing): Placed => ({
      ...writing,
      chat: storedValue(chats, chatName(writing.resolution.contact.id, writing.item.number.id)),
    }),
  )
  const rows: NewInbound[] = []
  for (const one of placed) rows.push(await rowOf(applying, one, names))
  await insertInbound(tx, orgId, { rows, bumps: bumpsOf(placed, rows) })
  const parked = await takeParkedOf(
    tx,
    orgId,
    placed.map(({ item }) => ({ numberId: item.number.id, providerId: item.report.providerId })),
  )
  await recordReceived(applying, placed, rows)
  await handOverReceived(
    applying,
    rows.map(({ message }, index) => ({ message, item: itemAt(placed, index).item })),
  )
  for (const { message } of rows) await applyParked(applying, message, parkedOf(message, parked))
}

async function applyParked(
  applying: BatchApplying,
  message: MessageRow,
  parked: readonly ParkedReport[],
): Promise<void> {
  let row = message
  if (message.direction === 'outbound')
    for (const { status, report } of parked)
      if (status !== 'edited' && status !== 'revoked')
        row = await moveByReport(applying.tx, row, learnedOf(report as LearnedReport), applying.events)
  await applyParkedChanges(applying, row, parked)
}

const parkedOf = (
  { number_id, provider_id }: MessageRow,
  parked: readonly (ParkedReport & { number_id: string; provider_id: string })[],
) => parked.filter((one) => one.number_id === number_id && one.provider_id === provider_id)

type OpenedChat = PlacedChat & { isNew: boolean }

const chatName = (contactId: string, numberId: string) => `${contactId} ${numberId}`

/**
 * Rolls the transaction back so that it starts again: a contact was merged meanwhile, or its row has to be locked first
 * because a chat has to be created for it.
 */
export class PeopleMoved extends Error {
  readonly contactIds: readonly Id<'con'>[]

  constructor(contactIds: readonly Id<'con'>[]) {
    super('a chat is missing and cannot be created')
    this.contactIds = contactIds
  }
}

/**
 * Locks the chats of these people on these numbers. A missing chat is created only for people whose rows this transaction
 * holds.
 */
export async function openChats(
  { tx, orgId, now }: BatchApplying,
  places: ChatKey[],
  isHeld: (contactId: Id<'con'>) => boolean,
): Promise<Map<string, OpenedChat>> {
  const wanted = new Map(places.map((place) => [chatName(place.contactId, place.numberId), place]))
  const opened = new Map<string, OpenedChat>()
  const keep = (chats: readonly PlacedChat[], isNew: boolean) => {
    for (const chat of chats) opened.set(chatName(chat.contact_id, chat.number_id), { ...chat, isNew })
  }
  const missing = () => [...wanted].filter(([name]) => !opened.has(name)).map(([, place]) => place)
  keep(await lockChatsOf(tx, orgId, [...wanted.values()]), false)
  if (missing().length === 0) return opened
  const people = new Set(missing().map(({ contactId }) => contactId))
  if (![...people].every(isHeld)) throw new PeopleMoved([...people])
  const created = missing().map((place) => ({ ...place, id: newId('chat', now.getTime()) }))
  keep(await insertChats(tx, orgId, created, now), true)
  // Another transaction created them a moment before.
  if (missing().length > 0) keep(await lockChatsOf(tx, orgId, missing()), false)
  if (missing().length > 0) throw new PeopleMoved([...people])
  return opened
}

/** A report without a time counts as written when it reached us. */
const writtenAt = ({ report, journalId }: InboundItem): Date => report.at ?? idTime(journalId)

/** Reactions and notices of the network are no messages that wait for an answer. */
const isCounted = (type: MessageContent['type']) => type !== 'reaction' && type !== 'system'

async function rowOf(applying: BatchApplying, placed: Placed, names: ProviderNames): Promise<NewInbound> {
  const { id, chat, resolution } = placed
  const { number, report, journalId } = placed.item
  const content = await localContent(applying, placed.item, names)
  const body = bodyOf(content)
  const replyTo = names.idOf(number, report.replyToProviderId)
  const at = writtenAt(placed.item)
  const isPast = report.past !== undefined
  const message: MessageRow = {
    org_id: applying.orgId,
    id,
    chat_id: chat.id,
    number_id: number.id,
    ...fateOf(report, { at, contactId: resolution.contact.id }),
    type: content.type,
    body,
    content: membersOf(content),
    reply_to: replyTo,
    provider_id: report.providerId,
    client_reference: null,
    order_id: null,
    send_at: null,
    metadata: {},
    is_unread: isCounted(content.type) && !isPast && report.isEcho !== true,
    happened_at: placeOfReport(at, idTime(journalId)),
    created_at: isPast ? at : applying.now,
    settled_lease: 0,
    unknown_since: null,
    is_resent: false,
    raw: rawExtras(report, {
      context: replyTo === null && report.replyToProviderId !== null ? (report.context ?? null) : null,
      reacts_to: isReactionToUnknown(content) ? report.reactsToProviderId : null,
      parent_user_id: report.from.parentUserId,
      group: memberOf(report),
      history: isPast || null,
      ...noticedOf(report),
    }),
  }
  return { message, words: vectorOf(wordsOfText(applying.orgId, body ?? '')) }
}

type Fate = Pick<MessageRow, 'direction' | 'sender_type' | 'sender_id' | 'status' | 'error' | 'status_history'>

/** Of the past, only the time of the message is known, and not when it was delivered or read. */
function fateOf({ isEcho, past }: InboundItem['report'], { at, contactId }: { at: Date; contactId: Id<'con'> }): Fate {
  const first = (status: 'received' | 'sent') => [{ status, at: at.toISOString() }]
  if (isEcho !== true)
    return {
      ...{ direction: 'inbound', sender_type: 'contact', sender_id: contactId },
      ...{ status: 'received', error: null, status_history: first('received') },
    }
  const status = statusOfReport(past?.status ?? 'sent')
  return {
    ...{ direction: 'outbound', sender_type: 'business_app', sender_id: null, status },
    ...{ error: status === 'failed' ? PAST_FAILURE : null, status_history: first('sent') },
  }
}

const PAST_FAILURE: MessageFailure = {
  code: 'undeliverable',
  provider_code: null,
  detail: 'The WhatsApp Business app could not deliver this message.',
  retryable: false,
}

/** Who wrote it in a group, as it is shown. */
function memberOf({ groupId, from }: InboundItem['report']) {
  if (groupId == null) return null
  const { phone, userId, username, name } = personOf(from)
  const id = groupOf(groupId, null).groupId
  return { id, from: { name, phone: phone === null ? null : `+${phone}`, user_id: userId, username } }
}

/** A notice names the person as they were, which may be about to change. */
function noticedOf({ content, raw }: InboundItem['report']) {
  if (content.type !== 'system') return {}
  const { from = null, from_user_id = null } = (raw ?? {}) as Record<string, unknown>
  return { from, from_user_id }
}

/** The customer's words with our ids in them: of the file that is to be fetched, of the message reacted to. */
async function localContent(
  { tx, now, wake }: BatchApplying,
  { number, report }: InboundItem,
  names: ProviderNames,
): Promise<MessageContent> {
  const content = cleanJson(report.content)
  if (content.type === 'reaction')
    return { ...content, reaction: { ...content.reaction, message_id: names.idOf(number, report.reactsToProviderId) } }
  if (!('media' in content) || report.providerMediaId === null) return content
  const media = await expectMedia(tx, number, {
    providerMediaId: report.providerMediaId,
    mimeType: content.media.mime_type ?? 'application/octet-stream',
    filename: content.media.filename ?? null,
    now,
  })
  tx.afterCommit(() => wake([number.orgId]))
  return { ...content, media: { ...content.media, id: media.id } }
}

const isReactionToUnknown = (content: MessageContent) =>
  content.type === 'reaction' && content.reaction.message_id === null

/** What the message itself has no place for: what is quoted and not known here, the group, the parent of the sender's user id. */
type Unplaced = Record<string, unknown>

/**
 * Unsupported content is kept as it arrived. Of all other content, only the fields that `content` has no place for are
 * kept.
 */
function rawExtras(report: InboundItem['report'], unplaced: Unplaced): Record<string, unknown> | null {
  const extras = originExtras(report)
  const further = Object.entries(unplaced).filter(([, value]) => value !== null)
  return further.length === 0 ? extras : cleanJson({ ...extras, ...Object.fromEntries(further) })
}

function originExtras(report: InboundItem['report']): Record<string, unknown> | null {
  const { referral, isForwarded, isFrequentlyForwarded = false, referredProduct = null } = report
  const whole = report.content.type === 'unsupported' ? (report.raw as Record<string, unknown> | null) : null
  if (referral === null && !isForwarded && referredProduct === null) return whole === null ? null : cleanJson(whole)
  return cleanJson({
    ...whole,
    referral,
    is_forwarded: isForwarded,
    is_frequently_forwarded: isFrequentlyForwarded,
    referred_product: referredProduct,
  })
}

const later = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other > one) ? other : one

/** Every arriving message counts as activity of its chat, also an old one; a message of the past only at its time. */
function bumpsOf(placed: readonly Placed[], rows: readonly NewInbound[]): InboundBump[] {
  const bumps = new Map<string, InboundBump>()
  for (const [index, { message }] of rows.entries()) {
    const { item } = itemAt(placed, index)
    const [sentAt, arrivedAt] = [writtenAt(item), idTime(item.journalId)]
    const isInbound = message.direction === 'inbound'
    const isPast = item.report.past !== undefined
    // A notice of the network is no word of the customer, and a clock ahead of ours opens no window for longer.
    const reportedAt = message.type === 'system' || !isInbound ? null : sentAt < arrivedAt ? sentAt : arrivedAt
    const before = bumps.get(message.chat_id)
    const isNewest =
      before === undefined ||
      message.happened_at > before.at ||
      (+message.happened_at === +before.at && message.id > before.messageId)
    bumps.set(message.chat_id, {
      chatId: message.chat_id,
      messageId: isNewest ? message.id : before.messageId,
      at: isNewest ? message.happened_at : before.at,
      activityAt: later(
        isPast ? message.happened_at : later(message.happened_at, arrivedAt),
        before?.activityAt ?? null,
      ) as Date,
      unread: (before?.unread ?? 0) + (message.is_unread ? 1 : 0),
      reportedAt: later(reportedAt, before?.reportedAt ?? null),
      isReopened: (isInbound && !isPast) || (before?.isReopened ?? false),
      isPast: isPast && (before?.isPast ?? true),
    })
  }
  return [...bumps.values()]
}

/** Records events in the order of the journal. The event of a new or reopened chat comes before its first message. */
async function recordReceived(
  applying: BatchApplying,
  placed: readonly Placed[],
  rows: readonly NewInbound[],
): Promise<void> {
  const { tx, orgId, events } = applying
  const changedIds = new Set(
    placed
      .filter(({ chat, item }) => item.report.past === undefined && (chat.isNew || isReopening(chat, item)))
      .map(({ chat }) => chat.id),
  )
  const found = changedIds.size === 0 ? [] : await listChatsById(tx, orgId, [...changedIds])
  const changed = new Map<string, ChatRow>(found.map((chat) => [chat.id, chat]))
  const resolutions = new Set<Resolution>()
  for (const [index, { message }] of rows.entries()) {
    const { chat, resolution, item } = itemAt(placed, index)
    const row = changed.get(chat.id)
    if (!resolutions.has(resolution)) await recordResolution(applying, resolution, row?.id)
    resolutions.add(resolution)
    if (item.report.past !== undefined) continue
    changed.delete(chat.id)
    const by = message.direction === 'inbound' ? { actor: { type: 'contact' as const, id: message.sender_id } } : {}
    if (row !== undefined && chat.isNew) await recordChatCreated(applying, row, by)
    else if (row !== undefined) await recordChatUpdated(applying, row, { ...by, previous: { status: 'closed' } })
    if (message.direction === 'outbound') events.add(orgId, movedEvent(message))
    else events.add(orgId, { type: messageReceived, subject: message.id, data: presentMessage(message), ...by })
  }
}

const isReopening = ({ status }: OpenedChat, { report }: InboundItem) => status === 'closed' && report.isEcho !== true

/**
 * Files of the past that follow later: the history has a placeholder in their place. Each message is locked as for any other
 * change of its content.
 */
export async function fillPlaceholders(applying: BatchApplying, items: readonly InboundItem[]): Promise<void> {
  const { tx, orgId } = applying
  for (const item of items) {
    const { number, report } = item
    const found = await findByProviderId(tx, orgId, { numberId: number.id, providerId: report.providerId })
    if (found === null) continue
    await lockChat(tx, orgId, found.chat_id)
    const row = await lockMessage(tx, orgId, found.id)
    if ((row?.content.unsupported as { type?: string } | undefined)?.type !== 'media_placeholder') continue
    const content = await localContent(applying, item, new ProviderNames())
    const changed = { type: content.type, body: bodyOf(content), content: membersOf(content), raw: { history: true } }
    if (row !== null) await storeContent(applying, { ...row, ...changed }, false)
  }
}

export const isFileOfPast = ({ report }: InboundItem): boolean =>
  report.past !== undefined && report.providerMediaId !== null
