import { getProfile } from '../../accounts/organizations/organizations.ts'
import { inboundLaneOf } from '../../channels/numbers/numbers.ts'
import type { Clock } from '../../kernel/clock.ts'
import { ProblemError } from '../../kernel/errors.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import { defineJob, type Job } from '../../platform/outbox/job.ts'
import type { MessageRow } from '../messages/messages.ts'
import type { Sender } from '../sending/sending.ts'
import { claimPeriod } from './auto-replies.sql.ts'
import { type AutoReply, autoReplyOf, closedPeriodAt } from './business-hours.ts'

export { type AutoReply, type OpenHours, storedAutoReply, weekdays } from './business-hours.ts'

/**
 * Answers customers who write outside of business hours, once per chat and closed period:
 *
 *   a message is stored ──▶ closed? ──▶ job, in the same transaction ──▶ answer, unless the chat got one in this period
 *
 * The customer has just written, so the reply window is open. An answer that cannot be sent any more is given up.
 */
const AUTO_REPLY_JOB = 'messages.auto_reply'

type Payload = { chat_id: string }
type Rule = { autoReply: AutoReply; timezone: string }

const RETRY = { delaysMs: [1_000, 10_000, 60_000], jitter: 0.2 }
const KEPT_MS = 10_000
const ORGANIZATIONS_MAX = 10_000

export type AutoReplies = {
  /** Within the transaction that stores the messages. */
  onReceived(tx: Tx, orgId: OrgId, messages: readonly MessageRow[]): Promise<void>
  job: Job
}

export function createAutoReplies({
  database,
  clock,
  sender,
}: {
  database: Database
  clock: Clock
  sender: Pick<Sender, 'queue'>
}): AutoReplies {
  const kept = new RecentMap<OrgId, { rule: Rule | null; atMs: number }>({ sizeMax: ORGANIZATIONS_MAX })
  const ruleOf = async (queries: Queries, orgId: OrgId): Promise<Rule | null> => {
    const known = kept.get(orgId)
    if (known !== undefined && performance.now() - known.atMs < KEPT_MS) return known.rule
    const rule = await readRule(queries, orgId)
    kept.set(orgId, { rule, atMs: performance.now() })
    return rule
  }
  return {
    async onReceived(tx, orgId, messages) {
      const rule = messages.length === 0 ? null : await ruleOf(tx, orgId)
      if (rule === null || periodOf(rule, clock) === null) return
      const lastOfChat = new Map(messages.map((message) => [message.chat_id, message]))
      const entries = [...lastOfChat.values()].map(({ id, chat_id, number_id }) => ({
        id: `${id}:auto`,
        laneId: inboundLaneOf(number_id),
        orgId,
        job: AUTO_REPLY_JOB,
        payload: { chat_id } satisfies Payload,
      }))
      await enqueue(tx, entries)
    },
    job: defineJob<Payload>({
      name: AUTO_REPLY_JOB,
      retry: RETRY,
      async run({ orgId, payload }) {
        const rule = await readRule(database, orgId)
        const period = rule === null ? null : periodOf(rule, clock)
        if (rule === null || period === null) return { kind: 'done' }
        try {
          await database.transaction(async (tx) => {
            if (!(await claimPeriod(tx, orgId, { chatId: payload.chat_id, period }))) return
            await sender.queue(tx, answerOf(orgId, payload.chat_id, rule))
          })
        } catch (error) {
          // The window closed meanwhile, or the number was disconnected.
          if (!(error instanceof ProblemError)) throw error
          return { kind: 'failed', reason: error.code }
        }
        return { kind: 'done' }
      },
    }),
  }
}

async function readRule(queries: Queries, orgId: OrgId): Promise<Rule | null> {
  const { settings, timezone } = await getProfile(queries, orgId)
  const autoReply = autoReplyOf(settings)
  return autoReply === null ? null : { autoReply, timezone }
}

const periodOf = ({ autoReply, timezone }: Rule, clock: Clock) => closedPeriodAt(autoReply.hours, timezone, clock.now())

const answerOf = (orgId: OrgId, chatId: string, { autoReply }: Rule) => ({
  orgId,
  to: { chatId },
  from: null,
  content: { type: 'text' as const, body: autoReply.message },
  sender: { type: 'system' as const, id: null },
  metadata: { notice: 'auto_reply' },
})
