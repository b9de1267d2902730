import type { z } from 'zod'
import type { Clock } from '../../kernel/clock.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { savedReplyNotFound, savedReplyShortcutTaken } from '../messaging.errors.ts'
import type { NewSavedReply, SavedReply, SavedReplyChange } from './saved-replies.schemas.ts'
import {
  deleteSavedReply,
  findByShortcut,
  findSavedReply,
  insertSavedReply,
  lockSavedReplies,
  type SavedReplyRow,
  saveSavedReply,
} from './saved-replies.sql.ts'

/** Creates, edits and deletes saved replies. */
export const presentSavedReply = (row: SavedReplyRow): z.input<typeof SavedReply> => ({
  object: 'saved_reply',
  id: row.id,
  shortcut: row.shortcut,
  body: row.body,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

export async function getSavedReply(queries: Queries, orgId: OrgId, id: string): Promise<SavedReplyRow> {
  const row = await findSavedReply(queries, orgId, id)
  if (row === null) throw savedReplyNotFound({ params: { id } })
  return row
}

/** The lock that every edit takes first. */
export async function lockForEdit(tx: Tx, orgId: OrgId, id: string): Promise<SavedReplyRow | null> {
  await lockSavedReplies(tx, orgId)
  return findSavedReply(tx, orgId, id)
}

export async function createSavedReply(
  clock: Clock,
  tx: Tx,
  orgId: OrgId,
  input: z.output<typeof NewSavedReply>,
): Promise<SavedReplyRow> {
  await lockSavedReplies(tx, orgId)
  const now = new Date(clock.now())
  const row = { org_id: orgId, id: newId('srp', now.getTime()), ...input, created_at: now, updated_at: now }
  await refuseTaken(tx, orgId, row)
  await insertSavedReply(tx, orgId, row)
  return row
}

export async function updateSavedReply(
  clock: Clock,
  tx: Tx,
  orgId: OrgId,
  { id, input }: { id: string; input: z.output<typeof SavedReplyChange> },
): Promise<SavedReplyRow> {
  const before = await lockForEdit(tx, orgId, id)
  if (before === null) throw savedReplyNotFound({ params: { id } })
  const { shortcut = before.shortcut, body = before.body } = input
  if (shortcut === before.shortcut && body === before.body) return before
  const row = { ...before, shortcut, body, updated_at: new Date(clock.now()) }
  await refuseTaken(tx, orgId, row)
  await saveSavedReply(tx, orgId, row)
  return row
}

export async function removeSavedReply(tx: Tx, orgId: OrgId, id: string): Promise<void> {
  if ((await lockForEdit(tx, orgId, id)) === null) throw savedReplyNotFound({ params: { id } })
  await deleteSavedReply(tx, orgId, id)
}

/** Requires the lock. */
async function refuseTaken(tx: Tx, orgId: OrgId, { id, shortcut }: SavedReplyRow): Promise<void> {
  const other = await findByShortcut(tx, orgId, shortcut)
  if (other !== null && other.id !== id)
    throw savedReplyShortcutTaken({ params: { saved_reply_id: other.id, shortcut } })
}
