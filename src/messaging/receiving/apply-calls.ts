import { idTime } from '../../kernel/ids.ts'
import { recordChatCreated, recordChatUpdated } from '../chats/chat-events.ts'
import { findChat, noteCall } from '../chats/chats.sql.ts'
import { personOf, resolveContact } from '../contacts/contacts.ts'
import { openChats } from './apply-messages.ts'
import { recordResolution } from './apply-people.ts'
import type { BatchApplying, ReportItem } from './applying.ts'

/** A customer called: nothing is added to the thread, but the reply window is open from then on. */
export async function applyCall(
  applying: BatchApplying,
  { number, report, journalId }: ReportItem<'call'>,
): Promise<void> {
  const { tx, orgId, now } = applying
  const resolution = await resolveContact(tx, orgId, personOf(report.from), now)
  // `resolveContact` has created or locked this contact.
  const chats = await openChats(applying, [{ contactId: resolution.contact.id, numberId: number.id }], () => true)
  const [opened] = [...chats.values()]
  if (opened === undefined) return
  // A clock ahead of ours opens no window for longer.
  const arrivedAt = idTime(journalId)
  const at = report.at !== null && report.at < arrivedAt ? report.at : arrivedAt
  const isLater = (await noteCall(tx, orgId, { id: opened.id, at })) === 1
  const chat = isLater || opened.isNew ? await findChat(tx, orgId, opened.id) : null
  await recordResolution(applying, resolution, chat?.id ?? null)
  const actor = { type: 'contact' as const, id: resolution.contact.id }
  if (chat !== null && opened.isNew) await recordChatCreated(applying, chat, { actor })
  else if (chat !== null) await recordChatUpdated(applying, chat, { actor })
}
