import type { ChannelReport } from '../channels/channel-connector.ts'
import type { MessageContent } from '../channels/message-content.ts'
import type { Applying, BatchApplying } from './applying.ts'
import { tellChatUpdated } from './chat-events.ts'
import { findChat, lockChat, setUnread } from './chats.sql.ts'
import { bodyOf, membersOf } from './message-view.ts'
import {
  countUnread,
  findByProviderId,
  lockMessage,
  type MessageRow,
  type ParkedReport,
  parkReports,
  updateContent,
} from './messages.sql.ts'
import { lockNames } from './name-locks.sql.ts'
import { providerLockName } from './parked-reports.ts'
import { vectorOf, wordsOfText } from './search-words.ts'
import { cleanJson } from './stored-json.ts'

/**
 * A customer edited a message or took it back. What was taken back is no longer shown to anybody, here as on the phone of
 * the customer. When the message itself has not come yet, the change is parked and waits for it.
 */
type Edited = Extract<ChannelReport, { kind: 'edited' }>
type Revoked = Extract<ChannelReport, { kind: 'revoked' }>

const REVOKED: MessageContent = {
  type: 'unsupported',
  unsupported: { type: 'revoked', detail: 'The customer took this message back.' },
}

export const editMessage = (applying: Applying, report: Edited): Promise<void> =>
  changeOriginal(applying, report.originalProviderId, { status: 'edited', content: cleanJson(report.content) })

export const revokeMessage = (applying: Applying, report: Revoked): Promise<void> =>
  changeOriginal(applying, report.originalProviderId, { status: 'revoked', content: REVOKED })

type Change = { status: 'edited' | 'revoked'; content: MessageContent }

async function changeOriginal(applying: Applying, providerId: string, change: Change): Promise<void> {
  const { tx, number, now } = applying
  const key = { numberId: number.id, providerId }
  await lockNames(tx, [providerLockName({ orgId: number.orgId, ...key })])
  const found = await findByProviderId(tx, number.orgId, key)
  if (found === null) {
    const report = { content: change.content }
    return void (await parkReports(tx, number.orgId, [{ ...key, status: change.status, report }], now))
  }
  await lockChat(tx, number.orgId, found.chat_id)
  const row = await lockMessage(tx, number.orgId, found.id)
  if (row !== null) await changeContent(applying, row, change)
}

/** For a message that has just been stored: changes of it that came first. What was taken back stays so. */
export async function applyParkedChanges(
  applying: BatchApplying,
  row: MessageRow,
  parked: readonly ParkedReport[],
): Promise<void> {
  const change = parked.find(({ status }) => status === 'revoked') ?? parked.find(({ status }) => status === 'edited')
  if (change === undefined) return
  const content = change.report.content as MessageContent
  await changeContent(applying, row, { status: change.status as Change['status'], content })
}

async function changeContent(applying: BatchApplying, row: MessageRow, { status, content }: Change): Promise<void> {
  const { tx } = applying
  const isRevoked = (row.content.unsupported as { type?: string } | undefined)?.type === 'revoked'
  if (isRevoked || row.direction === 'outbound') return
  const body = bodyOf(content)
  await updateContent(tx, row.org_id, {
    id: row.id,
    type: content.type,
    body,
    content: membersOf(content),
    words: vectorOf(wordsOfText(row.org_id, body ?? '')),
    isUnread: row.is_unread && status !== 'revoked',
  })
  if (row.is_unread && status === 'revoked') {
    const { count } = await countUnread(tx, row.org_id, row.chat_id)
    await setUnread(tx, row.org_id, { id: row.chat_id, unread: count })
  }
  const chat = await findChat(tx, row.org_id, row.chat_id)
  if (chat !== null) await tellChatUpdated(applying, chat, { actor: { type: 'contact', id: row.sender_id } })
}
