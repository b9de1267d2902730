import type { ChannelReport } from '../../channels/channel-connector.ts'
import type { MessageContent } from '../../channels/content/content.ts'
import { cleanJson, cleanText } from '../../platform/database/stored-json.ts'
import { findChat, lockChat, recordChatUpdated, setUnread } from '../chats/chats.ts'
import { lockNames } from '../contacts/contacts.ts'
import {
  bodyOf,
  countUnread,
  editsOf,
  findByProviderId,
  lockMessage,
  type MessageRow,
  membersOf,
  type NotedChange,
  type ParkedReport,
  parkEdit,
  parkReports,
  presentMessage,
  providerLockName,
  updateContent,
} from '../messages/messages.ts'
import { messageDeleted, messageEdited } from '../messaging.events.ts'
import { vectorOf, wordsOfText } from '../search/search.ts'
import type { Applying, BatchApplying } from './applying.ts'

/**
 * The author of a message edited or deleted it: a customer, or the business in the WhatsApp Business app. A deleted message
 * is no longer shown, neither here nor on the phone of the other side. When the message has not arrived yet, the change is
 * parked until it does.
 *
 * The latest edit counts, in whatever order edits arrive and however often: the message row lists the edits that were
 * applied.
 */
type Edited = Extract<ChannelReport, { kind: 'edited' }>
type Revoked = Extract<ChannelReport, { kind: 'revoked' }>

const deletedBy = (author: string): MessageContent => ({
  type: 'unsupported',
  unsupported: { type: 'revoked', detail: `${author} deleted this message.` },
})
const DELETED = { inbound: deletedBy('The customer'), outbound: deletedBy('The business') }

const notedOf = ({ providerId, at }: Edited | Revoked, now: Date): NotedChange => ({
  provider_id: cleanText(providerId),
  at: (at ?? now).toISOString(),
})

export const editMessage = (applying: Applying, report: Edited): Promise<void> =>
  changeOriginal(applying, report.originalProviderId, {
    content: cleanJson(report.content),
    edit: notedOf(report, applying.now),
  })

export const revokeMessage = (applying: Applying, report: Revoked): Promise<void> =>
  changeOriginal(applying, report.originalProviderId, {
    content: DELETED.inbound,
    edit: null,
    deletion: notedOf(report, applying.now),
  })

/** Without an edit, the author deleted the message. Parked by an earlier version, a deletion has no time. */
type Change = { content: MessageContent; edit: NotedChange | null; deletion?: NotedChange }

async function changeOriginal(applying: Applying, providerId: string, change: Change): Promise<void> {
  const { tx, number, now } = applying
  const key = { numberId: number.id, providerId }
  await lockNames(tx, [providerLockName({ orgId: number.orgId, ...key })])
  const found = await findByProviderId(tx, number.orgId, key)
  if (found === null) {
    if (change.edit !== null)
      await parkEdit(tx, number.orgId, { ...key, report: { ...change, edit: change.edit } }, now)
    else await parkReports(tx, number.orgId, [{ ...key, status: 'revoked', report: change }], now)
    return
  }
  await lockChat(tx, number.orgId, found.chat_id)
  const row = await lockMessage(tx, number.orgId, found.id)
  if (row !== null) await changeContent(applying, row, change)
}

/** Applies the changes that arrived before the message was stored. A deleted message stays deleted. */
export async function applyParkedChanges(
  applying: BatchApplying,
  row: MessageRow,
  parked: readonly ParkedReport[],
): Promise<void> {
  const change = parked.find(({ status }) => status === 'revoked') ?? parked.find(({ status }) => status === 'edited')
  if (change === undefined) return
  const { content, edit, deletion } = change.report as Partial<Change>
  await changeContent(applying, row, {
    content: content as MessageContent,
    edit: change.status === 'revoked' ? null : (edit ?? UNTOLD),
    ...(deletion !== undefined && { deletion }),
  })
}

/** Parked by an earlier version, which kept neither. */
const UNTOLD: NotedChange = { provider_id: '', at: '' }

/** Only what its author can change: what was sent through this server cannot be changed afterwards. */
const isChangeable = ({ content, direction, sender_type }: MessageRow): boolean =>
  (content.unsupported as { type?: string } | undefined)?.type !== 'revoked' &&
  (direction === 'inbound' || sender_type === 'business_app')

async function changeContent(applying: BatchApplying, row: MessageRow, change: Change): Promise<void> {
  if (!isChangeable(row) || (change.edit !== null && isOldNews(editsOf(row), change.edit))) return
  const after = changed(row, change, applying.now)
  await storeContent(applying, after, change.edit === null)
  const { tx, events } = applying
  const actor = row.direction === 'inbound' ? { type: 'contact' as const, id: row.sender_id } : undefined
  const type = change.edit === null ? messageDeleted : messageEdited
  events.add(row.org_id, { type, subject: row.id, data: presentMessage(after), ...(actor && { actor }) })
  const chat = await findChat(tx, row.org_id, row.chat_id)
  if (chat !== null) await recordChatUpdated(applying, chat, { ...(actor && { actor }) })
}

/** The message is locked. A deleted one is not unread any more. */
export async function storeContent({ tx, orgId }: BatchApplying, row: MessageRow, isDeleted: boolean): Promise<void> {
  const { id, type, body, content, raw } = row
  await updateContent(tx, orgId, {
    ...{ id, type, body, content, raw, isDeleted },
    words: vectorOf(wordsOfText(orgId, body ?? '')),
  })
  if (!row.is_unread || !isDeleted) return
  const { count } = await countUnread(tx, orgId, row.chat_id)
  await setUnread(tx, orgId, { id: row.chat_id, unread: count })
}

function changed(row: MessageRow, change: Change, now: Date): MessageRow {
  const content = change.edit === null ? DELETED[row.direction] : withFileOf(row, change.content)
  const edits = change.edit === null ? [] : [...editsOf(row), change.edit].slice(-EDITS_NOTED_MAX)
  const raw =
    change.edit === null
      ? {
          ...keptOf(row),
          deleted: { ...(change.deletion ?? { provider_id: '', at: now.toISOString() }), edits: editsOf(row) },
        }
      : { ...row.raw, applied_edits: edits }
  return { ...row, type: content.type, body: bodyOf(content), content: membersOf(content), raw }
}

/**
 * A deleted message keeps where it was written and the advertisement it came from: neither is content of its author, and the
 * advertisement was paid for.
 */
const keptOf = ({ raw }: MessageRow) =>
  Object.fromEntries(
    ['referral', 'group', 'history'].flatMap((name) => (raw?.[name] == null ? [] : [[name, raw[name]]])),
  )

/**
 * Upper bound on the edits kept per message: more edits than a customer sends in the 15 minutes in which it can be edited.
 */
const EDITS_NOTED_MAX = 100

const isOldNews = (edits: readonly NotedChange[], { provider_id, at }: NotedChange): boolean =>
  edits.some((edit) => edit.provider_id === provider_id || edit.at > at)

/** An edit of a file message changes its caption; the file stays the original one. */
const withFileOf = (row: MessageRow, content: MessageContent): MessageContent =>
  'media' in content && content.type === row.type
    ? { ...content, media: { ...(row.content.media as object), ...content.media } }
    : content
