import { ProblemError } from '../../kernel/errors.ts'
import { findChatPlaces } from '../../messaging/chats/chats.ts'
import type { Tx } from '../../platform/database/database.ts'
import { findTarget, type Target, type TargetWorld } from '../gate/agent-targets.ts'
import type { ApprovalRow } from './approvals.sql.ts'

/**
 * A request stays the same while its effect may change: a full refund grows when the customer pays more, and a name may
 * lead to another chat. The person who decides has seen a chat and an amount, so an approval holds only for these.
 */
export async function isStillMeant(world: Omit<TargetWorld, 'database'>, tx: Tx, approval: ApprovalRow) {
  const target = await targetOf({ ...world, database: tx }, approval)
  if (target === null) return true
  const amount = typeof target.amount === 'number' ? target.amount : null
  return amount === approval.amount && (await isSameChat(tx, approval, target))
}

/** Null when the request would be refused: then nothing runs, and the answer explains why. */
async function targetOf(world: TargetWorld, { org_id, operation, params, query, body }: ApprovalRow) {
  const asked = {
    operation,
    params,
    query: Object.fromEntries(new URLSearchParams(query)),
    body: body === null ? undefined : JSON.parse(body),
  }
  try {
    return await findTarget(world, org_id, asked)
  } catch (error) {
    if (error instanceof ProblemError) return null
    throw error
  }
}

/** A chat that did not exist yet belongs to the person in the request; a merged chat is replaced by its target. */
async function isSameChat(tx: Tx, { org_id, chat_id: chatId }: ApprovalRow, { places }: Target): Promise<boolean> {
  if (chatId === null) return true
  const { ofChat } = await findChatPlaces(tx, org_id, { chatIds: [chatId], contactIds: [] })
  return places[0]?.id === ofChat.get(chatId)?.id
}
