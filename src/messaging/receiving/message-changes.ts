import type { ChannelReport } from '../../channels/channel-connector.ts'
import type { MessageContent } from '../../channels/content/content.ts'
import { cleanJson, cleanText } from '../../platform/database/stored-json.ts'
import { findChat, lockChat, recordChatUpdated, setUnread } from '../chats/chats.ts'
import { lockNames } from '../contacts/contacts.ts'
import {
  bodyOf,
  countUnread,
  findByProviderId,
  listEdits,
  lockMessage,
  type MessageRow,
  membersOf,
  type NotedEdit,
  type ParkedReport,
  parkEdit,
  parkReports,
  providerLockName,
  updateContent,
} from '../messages/messages.ts'
import { vectorOf, wordsOfText } from '../search/search.ts'
import type { Applying, BatchApplying } from './applying.ts'

/**
 * A customer edited or deleted a message. A deleted message is no longer shown, neither here nor on the phone of the
 * customer. When the message has not arrived yet, the change is parked until it does.
 *
 * The latest edit counts, in whatever order edits arrive and however often: the message row lists the edits that were
 * applied.
 */
type Edited = Extract<ChannelReport, { kind: 'edited' }>
type Revoked = Extract<ChannelReport, { kind: 'revoked' }>

const REVOKED: MessageContent = {
  type: 'unsupported',
  unsupported: { type: 'revoked', detail: 'The customer deleted this message.' },
}

export const editMessage = (
  applying: Applying,
  { originalProviderId, providerId, at, content }: Edited,
): Promise<void> =>
  changeOriginal(applying, originalProviderId, {
    content: cleanJson(content),
    edit: { provider_id: cleanText(providerId), at: (at ?? applying.now).toISOString() },
  })

export const revokeMessage = (applying: Applying, report: Revoked): Promise<void> =>
  changeOriginal(applying, report.originalProviderId, { content: REVOKED, edit: null })

/** Without an edit, the customer deleted the message. */
type Change = { content: MessageContent; edit: NotedEdit | null }

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
  const { content, edit } = change.report as Partial<Change>
  await changeContent(applying, row, {
    content: content as MessageContent,
    edit: change.status === 'revoked' ? null : (edit ?? UNTOLD),
  })
}

/** Parked by an earlier version, which kept neither. */
const UNTOLD: NotedEdit = { provider_id: '', at: '' }

async function changeContent(applying: BatchApplying, row: MessageRow, change: Change): Promise<void> {
  const { tx } = applying
  const isRevoked = (row.content.unsupported as { type?: string } | undefined)?.type === 'revoked'
  if (isRevoked || row.direction === 'outbound') return
  const edits = await listEdits(tx, row.org_id, row.id)
  if (change.edit !== null && isOldNews(edits, change.edit)) return
  const content = withFileOf(row, change.content)
  const body = bodyOf(content)
  const isTakenBack = change.edit === null
  await updateContent(tx, row.org_id, {
    id: row.id,
    type: content.type,
    body,
    content: membersOf(content),
    words: vectorOf(wordsOfText(row.org_id, body ?? '')),
    isTakenBack,
    edits: change.edit === null ? edits : [...edits, change.edit].slice(-EDITS_NOTED_MAX),
  })
  if (row.is_unread && isTakenBack) {
    const { count } = await countUnread(tx, row.org_id, row.chat_id)
    await setUnread(tx, row.org_id, { id: row.chat_id, unread: count })
  }
  const chat = await findChat(tx, row.org_id, row.chat_id)
  if (chat !== null) await recordChatUpdated(applying, chat, { actor: { type: 'contact', id: row.sender_id } })
}

/**
 * Upper bound on the edits kept per message: more edits than a customer sends in the 15 minutes in which it can be edited.
 */
const EDITS_NOTED_MAX = 100

const isOldNews = (edits: readonly NotedEdit[], { provider_id, at }: NotedEdit): boolean =>
  edits.some((edit) => edit.provider_id === provider_id || edit.at > at)

/** An edit of a file message changes its caption; the file stays the original one. */
const withFileOf = (row: MessageRow, content: MessageContent): MessageContent =>
  'media' in content && content.type === row.type
    ? { ...content, media: { ...(row.content.media as object), ...content.media } }
    : content
