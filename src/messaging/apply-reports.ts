import type {
  ChannelPerson,
  ChannelReport,
  IdentityReport,
  InboundMessageReport,
  StatusReport,
} from '../channels/channel-connector.ts'
import { expectMedia } from '../channels/media.ts'
import type { MessageContent } from '../channels/message-content.ts'
import type { NumberHealth } from '../channels/number-health.ts'
import { mediaLaneOf } from '../channels/number-lanes.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Id, isId, newId } from '../kernel/ids.ts'
import type { Database } from '../platform/database/database.ts'
import { applyParkedChanges, editMessage, revokeMessage } from './apply-changes.ts'
import type { Applying, ApplyingNumber } from './applying.ts'
import { contactChanged, tellChatCreated, tellChatUpdated } from './chat-events.ts'
import { type ChatRow, findChat, insertChat, type LockedChat, lockChatOfContact } from './chats.sql.ts'
import {
  changeIdentity,
  findUnchanged,
  isNamed,
  linkToContact,
  personOf,
  type Resolution,
  resolveContact,
} from './contacts.ts'
import { Happenings } from './happenings.ts'
import { moveByReport } from './message-moves.ts'
import { bodyOf, membersOf, presentMessage } from './message-view.ts'
import {
  findByProviderId,
  findRecipient,
  insertInbound,
  lockMessage,
  type MessageRow,
  parkReport,
  takeParked,
} from './messages.sql.ts'
import { messageReceived } from './messaging.events.ts'
import { lockNames } from './name-locks.sql.ts'
import type { NumberDirectory } from './number-directory.ts'
import { learnedOf, parkedFormOf, providerLockName } from './parked-reports.ts'
import { vectorOf, wordsOfText } from './search-words.ts'
import { cleanJson } from './stored-json.ts'
import { placeAfter, type ThreadEnd } from './thread-place.ts'

/**
 * What the network reported, applied report by report, each in a transaction of its own: one that cannot be applied keeps
 * no other back. Reports come twice and in any order, so each is applied as if it were the only one:
 *
 *   a message          stored once, whoever tells of it how often; the unique key on the provider's id decides
 *   a status           moves its message up or not at all; of a message not known yet it is parked until it is
 *   edited, revoked    the same, for messages of the customer
 *   another identity   linked, or people are merged
 */
export type ApplyOptions = {
  database: Database
  clock: Clock
  directory: NumberDirectory
  health: NumberHealth
  wake: (laneIds: readonly string[]) => void
}

export async function applyReport(options: ApplyOptions, number: ApplyingNumber, report: ChannelReport): Promise<void> {
  const { database, clock, directory } = options
  if (report.kind === 'other' || report.kind === 'unreadable') return
  if (report.kind === 'account_problem') return options.health.failed(number.orgId, number.id, report.failure)
  await database.transaction(async (tx) => {
    const happenings = new Happenings()
    const now = new Date(clock.now())
    await applyIn({ tx, number, now, directory, clock, happenings, wake: options.wake }, report)
    await happenings.record(tx, now.getTime())
  })
}

type Applicable = Exclude<ChannelReport, { kind: 'other' | 'unreadable' | 'account_problem' }>

function applyIn(applying: Applying, report: Applicable): Promise<void> {
  switch (report.kind) {
    case 'message':
      return receiveMessage(applying, report, report.raw)
    case 'status':
      return applyStatus(applying, report)
    case 'identity':
      return applyIdentity(applying, report)
    case 'edited':
      return editMessage(applying, report)
    case 'revoked':
      return revokeMessage(applying, report)
  }
}

async function receiveMessage(applying: Applying, report: InboundMessageReport, raw: unknown): Promise<void> {
  const { tx, number, now } = applying
  const person = personOf(report.from)
  const key = { numberId: number.id, providerId: report.providerId }
  const [, known, unchanged] = await Promise.all([
    lockNames(tx, [providerLockName({ orgId: number.orgId, ...key })]),
    findByProviderId(tx, number.orgId, key),
    findUnchanged(tx, number.orgId, person),
  ])
  if (known !== null) return
  const resolution = unchanged ?? (await resolveContact(tx, number.orgId, person, now))
  const chat = await openChat(applying, resolution.contact.id)
  const placed = { chat, contactId: resolution.contact.id, raw }
  const [message, parked] = await Promise.all([
    storeMessage(applying, report, placed),
    takeParked(tx, number.orgId, key),
  ])
  if (message === null) return
  await tellResolution(applying, resolution, chat.id)
  await tellReceived(applying, message, chat)
  await applyParkedChanges(applying, message, parked)
}

type OpenedChat = ThreadEnd & { id: Id<'chat'>; isNew: boolean; wasClosed: boolean }

const opened = (chat: LockedChat): OpenedChat => ({ ...chat, isNew: false, wasClosed: chat.status === 'closed' })

/** The chat of this person on this number, with its row locked. */
async function openChat({ tx, number, now }: Applying, contactId: Id<'con'>): Promise<OpenedChat> {
  const place = { contactId, numberId: number.id }
  const known = await lockChatOfContact(tx, number.orgId, place)
  if (known !== null) return opened(known)
  const inserted = await insertChat(tx, number.orgId, { id: newId('chat', now.getTime()), ...place, now })
  if (inserted !== null)
    return { id: inserted.id, isNew: true, wasClosed: false, last_activity_at: now, last_message_id: null }
  const other = await lockChatOfContact(tx, number.orgId, place)
  if (other === null) throw new Error('a chat is there and cannot be read')
  return opened(other)
}

/** Reactions and notices of the network are no messages that wait for an answer. */
const isCounted = (type: MessageContent['type']) => type !== 'reaction' && type !== 'system'

type Placed = { chat: OpenedChat; contactId: Id<'con'>; raw: unknown }

async function storeMessage(
  applying: Applying,
  report: InboundMessageReport,
  { chat, contactId, raw }: Placed,
): Promise<MessageRow | null> {
  const { tx, number, now } = applying
  const content = await localContent(applying, report)
  const body = bodyOf(content)
  const isFromCustomer = content.type !== 'system'
  const id = newId('msg', now.getTime())
  return insertInbound(tx, number.orgId, {
    id,
    chat_id: chat.id,
    number_id: number.id,
    type: content.type,
    body,
    content: membersOf(content),
    reply_to: await findOurs(applying, report.replyToProviderId),
    provider_id: report.providerId,
    sender_id: contactId,
    status_history: [{ status: 'received', at: report.at.toISOString() }],
    is_unread: isCounted(content.type),
    happened_at: placeAfter(chat, id, now),
    created_at: now,
    raw: rawOf(report, raw),
    words: vectorOf(wordsOfText(number.orgId, body ?? '')),
    reportedAt: isFromCustomer ? new Date(Math.min(report.at.getTime(), now.getTime())) : null,
  })
}

/** The customer's words with our ids in them: of the file that is to be fetched, of the message reacted to. */
async function localContent(applying: Applying, report: InboundMessageReport): Promise<MessageContent> {
  const { tx, number, now } = applying
  const content = cleanJson(report.content)
  if (content.type === 'reaction') {
    const messageId = await findOurs(applying, report.reactsToProviderId)
    return { ...content, reaction: { ...content.reaction, message_id: messageId } }
  }
  if (!('media' in content) || report.providerMediaId === null) return content
  const media = await expectMedia(tx, number, {
    providerMediaId: report.providerMediaId,
    mimeType: content.media.mime_type ?? 'application/octet-stream',
    filename: content.media.filename ?? null,
    now,
  })
  tx.afterCommit(() => applying.wake([mediaLaneOf(number.id)]))
  return { ...content, media: { ...content.media, id: media.id } }
}

async function findOurs({ tx, number }: Applying, providerId: string | null): Promise<Id<'msg'> | null> {
  if (providerId === null) return null
  return (await findByProviderId(tx, number.orgId, { numberId: number.id, providerId }))?.id ?? null
}

/** What is not understood is kept as it came; of the rest, what has no place in the content. */
function rawOf(report: InboundMessageReport, raw: unknown): unknown {
  if (report.content.type === 'unsupported') return cleanJson(raw ?? null)
  if (report.referral === null && !report.isForwarded) return null
  return cleanJson({ referral: report.referral, is_forwarded: report.isForwarded })
}

async function tellReceived(applying: Applying, message: MessageRow, { isNew, wasClosed }: OpenedChat): Promise<void> {
  const actor = { type: 'contact' as const, id: message.sender_id }
  if (isNew || wasClosed) {
    const chat = (await findChat(applying.tx, message.org_id, message.chat_id)) as ChatRow
    if (isNew) await tellChatCreated(applying, chat, { actor })
    else await tellChatUpdated(applying, chat, { actor, previous: { status: 'closed' } })
  }
  applying.happenings.add(message.org_id, {
    type: messageReceived,
    subject: message.id,
    data: presentMessage(message),
    actor,
  })
}

async function tellResolution(applying: Applying, resolution: Resolution, besides?: Id<'chat'>): Promise<void> {
  const { tx, number, happenings } = applying
  if (resolution.isChanged) happenings.add(number.orgId, contactChanged(resolution.contact))
  for (const id of resolution.changedChatIds) {
    const chat = id === besides ? null : await findChat(tx, number.orgId, id)
    if (chat !== null) await tellChatUpdated(applying, chat)
  }
}

/** Ours by the token that travelled along, else by the network's own id. */
async function findReported({ tx, number }: Applying, report: StatusReport): Promise<Id<'msg'> | null> {
  const { clientToken, providerId } = report
  if (clientToken !== null && isId('msg', clientToken)) return clientToken
  const key = { numberId: number.id, providerId }
  const known = await findByProviderId(tx, number.orgId, key)
  if (known !== null) return known.id
  await lockNames(tx, [providerLockName({ orgId: number.orgId, ...key })])
  return (await findByProviderId(tx, number.orgId, key))?.id ?? null
}

async function applyStatus(applying: Applying, report: StatusReport): Promise<void> {
  const { tx, number, now, happenings } = applying
  const id = await findReported(applying, report)
  if (id !== null) await linkReached(applying, id, report.recipient)
  const row = id === null ? null : await lockMessage(tx, number.orgId, id)
  const parked = parkedFormOf(report)
  if (row === null || row.number_id !== number.id) {
    const key = { numberId: number.id, providerId: report.providerId }
    await parkReport(tx, number.orgId, { ...key, status: report.status, report: cleanJson(parked), now })
    return
  }
  if (row.direction === 'outbound') await moveByReport(tx, row, learnedOf(cleanJson(parked)), happenings)
}

/** Whoever a message of ours reached is the person of its chat, under all names the network gives them. */
async function linkReached(applying: Applying, id: Id<'msg'>, recipient: ChannelPerson): Promise<void> {
  const { tx, number, now } = applying
  const person = personOf(recipient)
  if (person.phone === null && person.userId === null) return
  const recipientHere = await findRecipient(tx, number.orgId, id)
  if (recipientHere === null || isNamed(recipientHere, person)) return
  const linked = await linkToContact(tx, number.orgId, { contactId: recipientHere.id, person, now })
  if (linked !== null) await tellResolution(applying, linked)
}

async function applyIdentity(applying: Applying, report: IdentityReport): Promise<void> {
  const { tx, number, now } = applying
  const before = personOf(report.before)
  const resolution = await changeIdentity(tx, number.orgId, { before, after: personOf(report.after), now })
  if (resolution !== null) await tellResolution(applying, resolution)
}
