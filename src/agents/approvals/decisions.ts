import { initiatorOf, recordEvents } from '../../events/events.ts'
import { ProblemError } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/ids.ts'
import { findChatPlaces } from '../../messaging/chats/chats.ts'
import type { Tx } from '../../platform/database/database.ts'
import { scopeMissing } from '../../platform/http/http.errors.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import { ensureLane } from '../../platform/outbox/lanes.ts'
import { agentEnded, agentPaused, approvalNotFound, approvalNotPending, approvalOutdated } from '../agents.errors.ts'
import { agentState, findAgentRow } from '../records/records.ts'
import { factsOf, findTarget, ruleOf, type Target, type TargetWorld } from '../rules/rules.ts'
import { approvalDecided } from './approvals.events.ts'
import { APPROVAL_JOB, laneOf } from './approvals.jobs.ts'
import { type ApprovalRow, decideApproval, expireApprovals, lockApproval } from './approvals.sql.ts'
import { type Approval, type ApprovalsContext, presentApproval, statusAt } from './approvals.ts'

/** What a person decides about an approval. */
export type Decision = {
  id: string
  isApproved: boolean
  note: string | null
  caller: Caller
  requestId: Id<'req'>
}

/** Approving needs the scope that the agent needs, because the approver is responsible for the act. */
export async function decide(context: ApprovalsContext, tx: Tx, decision: Decision): Promise<Approval> {
  const { id, isApproved, note, caller } = decision
  const { orgId } = caller
  const now = new Date(context.clock.now())
  await expireApprovals(tx, orgId, now)
  const before = await lockApproval(tx, orgId, id)
  if (before === null) throw approvalNotFound({ params: { id } })
  const { scope } = factsOf(before.operation)
  if (!caller.scopes.includes(scope))
    throw scopeMissing({
      says: `To decide about this request you need its scope "${scope}". Use a key with that scope, or ask a person who has it.`,
      params: { required: scope, granted: caller.scopes },
    })
  // It may have expired while this transaction waited for the lock.
  const was = statusAt(before, now.getTime())
  if (was !== 'pending') throw approvalNotPending({ params: { status: was } })
  if (isApproved) await assertAgentWorks(context, tx, before)
  if (isApproved && !(await isStillMeant(context, tx, before))) throw approvalOutdated()
  const status = isApproved ? ('approved' as const) : ('refused' as const)
  const row = await decideApproval(tx, orgId, { id, status, at: now, by: deciderOf(caller), note })
  if (isApproved) await queueRun(context, tx, row)
  const data = presentApproval(row, now.getTime())
  const previous = { status: before.status }
  const event = { type: approvalDecided, subject: row.id, data, previous, ...initiatorOf(decision) }
  await recordEvents(tx, orgId, [event], now.getTime())
  return row
}

function deciderOf(caller: Caller) {
  const { type, id, name = null } = caller
  if (type === 'agent') throw new Error('an agent decides about nothing')
  return { type, id, name }
}

async function assertAgentWorks({ clock }: ApprovalsContext, tx: Tx, approval: Approval): Promise<void> {
  const { org_id, agent_id, operation } = approval
  const agent = await findAgentRow(tx, org_id, agent_id)
  const state = agent === null ? 'ended' : agentState(agent, clock.now())
  if (state === 'paused') throw agentPaused()
  if (state !== 'active')
    throw agentEnded({ says: 'The agent that asked was revoked or has expired, so its requests no longer run.' })
  // The rules of the agent take precedence over an approval.
  const { scopes = [], rules = {} } = agent ?? {}
  if (!scopes.includes(factsOf(operation).scope) || ruleOf(rules, operation).decision === 'deny')
    throw approvalOutdated({
      says: 'The agent is no longer permitted to do this. Refuse it, or change the rules of the agent.',
    })
}

async function queueRun({ wake }: ApprovalsContext, tx: Tx, { org_id: orgId, id }: Approval): Promise<void> {
  const laneId = laneOf(orgId)
  const plain = { isAdaptive: false, hasBreaker: false, ordering: 'none' as const }
  await ensureLane(tx, { id: laneId, orgId, kind: 'approvals', concurrencyMax: 4, ...plain })
  await enqueue(tx, [{ id, laneId, orgId, job: APPROVAL_JOB, payload: { approval: id } }])
  tx.afterCommit(() => wake([orgId]))
}

/**
 * A request stays the same while its effect may change: a full refund grows when the customer pays more, and a name may
 * lead to another chat. The person who decides has seen a chat and an amount, so an approval holds only for these.
 */
async function isStillMeant(world: Omit<TargetWorld, 'database'>, tx: Tx, approval: ApprovalRow) {
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
