import type { Clock } from '../../kernel/clock.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { agentAmountExceeded, agentLimitReached, agentPaused } from '../agents.errors.ts'
import { type AgentRow, lockAgent } from '../records/records.ts'
import type { Amount, Recipient } from '../rules/rules.ts'
import { type Act, type ActSums, deleteAct, deleteActsBefore, insertAct, renameRecipient, sumActs } from './gate.sql.ts'

/**
 * The limits of what an agent does without approval: messages per minute, different people and rupiah per day. An act
 * is recorded before it runs, under the lock of the agent, so that of two simultaneous acts the second counts the
 * first; it is released when it fails. Approved acts are not counted.
 */
const MINUTE_MS = 60_000
const DAY_MS = 24 * 3600 * 1000

export type LimitedAct = { requestId: Id<'req'>; isMessage: boolean; recipient: Recipient | null; amount: Amount }

/** Requests that need approval are checked too: no person is asked about a request beyond the limit. */
export function assertAmount(agent: AgentRow, amount: Amount): void {
  for (const limit of ['order_amount', 'order_amount_per_day'] as const) {
    const most = agent[limit]
    if (amount === null || most === null) continue
    const params = { limit, amount_max: most, amount: amount === 'open' ? null : amount }
    if (amount === 'open')
      throw agentAmountExceeded({
        says: `This agent may request at most ${most} rupiah, so the order needs an amount.`,
        params,
      })
    if (amount > most) throw agentAmountExceeded({ params })
  }
}

export const reserveAct = (
  { database, clock }: { database: Database; clock: Clock },
  agent: AgentRow,
  act: LimitedAct,
): Promise<void> =>
  database.transaction(async (tx) => {
    const { org_id: orgId, id } = agent
    const now = clock.now()
    // Calls wait here for the lock. A call that gets it after a pause does not run.
    const held = await lockAgent(tx, orgId, id)
    if (held === null || held.paused_at !== null || held.ended_at !== null) throw agentPaused()
    const amount = typeof act.amount === 'number' ? act.amount : 0
    if (!act.isMessage && amount === 0) return
    await deleteActsBefore(tx, orgId, id, new Date(now - DAY_MS))
    const lately = new Date(now - MINUTE_MS)
    if (act.recipient !== null) await renameRecipient(tx, orgId, id, act.recipient)
    const { requestId, isMessage } = act
    const recipient = act.recipient?.id ?? null
    const sums = await sumActs(tx, orgId, id, { lately, recipient })
    assertRoom(held, sums, { isMessage, recipient, amount, now })
    const row: Act = { requestId, at: new Date(now), isMessage, recipient, amount }
    await insertAct(tx, orgId, id, row)
  })

type Wanted = { isMessage: boolean; recipient: string | null; amount: number; now: number }

function assertRoom(agent: AgentRow, sums: ActSums, { isMessage, recipient, amount, now }: Wanted): void {
  const { messages_per_minute, recipients_per_day, order_amount_per_day } = agent
  const refuse = (limit: string, max: number, since: Date | null, windowMs: number) => {
    const waitMs = (since?.getTime() ?? now) + windowMs - now
    return agentLimitReached({
      params: { limit, max },
      headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) },
    })
  }
  if (isMessage && messages_per_minute !== null && sums.messages_lately >= messages_per_minute)
    throw refuse('messages_per_minute', messages_per_minute, sums.first_message_at, MINUTE_MS)
  const isNew = isMessage && recipient !== null && !sums.is_recipient_known
  if (isNew && recipients_per_day !== null && sums.recipients >= recipients_per_day)
    throw refuse('recipients_per_day', recipients_per_day, sums.first_recipient_at, DAY_MS)
  if (amount > 0 && order_amount_per_day !== null && sums.amount + amount > order_amount_per_day)
    throw refuse('order_amount_per_day', order_amount_per_day, sums.first_amount_at, DAY_MS)
}

export const releaseAct = (database: Database, { org_id, id }: AgentRow, requestId: string): Promise<unknown> =>
  deleteAct(database, org_id, id, requestId)
