import { ProblemError } from '../kernel/errors.ts'
import { findChatPlaces } from '../messaging/chats.ts'
import type { Tx } from '../platform/database/database.ts'
import { findTarget, type Target, type TargetWorld } from './agent-targets.ts'
import type { ApprovalRow } from './approvals.sql.ts'

/**
 * A request stays the same to the letter while what it means may change: a refund of all that is left is more once the customer
 * has paid, and a name may lead to another chat. Whoever decides has seen a chat and an amount, and decides about these.
 */
export async function isStillMeant(world: Omit<TargetWorld, 'database'>, tx: Tx, approval: ApprovalRow) {
  const target = await targetOf({ ...world, database: tx }, approval)
  if (target === null) return true
  const amount = typeof target.amount === 'number' ? target.amount : null
  return amount === approval.amount && (await isSameChat(tx, approval, target))
}

/** Null for what would be refused: then nothing happens, and the answer tells why. */
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

/** One that was not there yet is of whoever the request names; one that was merged is where it went. */
async function isSameChat(tx: Tx, { org_id, chat_id: chatId }: ApprovalRow, { places }: Target): Promise<boolean> {
  if (chatId === null) return true
  const { ofChat } = await findChatPlaces(tx, org_id, { chatIds: [chatId], contactIds: [] })
  return places[0]?.id === ofChat.get(chatId)?.id
}
