import { type NumberDirectory, type OpenedNumbers, sendLaneOf } from '../../channels/numbers/numbers.ts'
import { EventBuffer } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import { defineJob, type Job, type JobResult, type RetrySchedule, unseenOr } from '../../platform/outbox/job.ts'
import { failMessage, lockThreads } from '../chats/chats.ts'
import { lockMessagesOf } from '../identities/identities.ts'
import { isUnsent, OUTCOME_UNKNOWN } from '../messages/messages.states.ts'
import { findMessage, forgetAttempts, lockMessage, type MessageRow } from '../messages/messages.ts'
import { SEND_JOB } from './acceptance-plan.ts'

/**
 * Decides about a message whose outcome is unknown, once the wait for a status is over:
 *
 *   fail (default)   the message fails with `outcome_unknown`; the customer has it at most once
 *   resend           it is sent once more; the customer may have it twice. A second unknown outcome is a failure
 *
 * The number's setting `ambiguous` says which. A status that arrives later still counts: what the network reports replaces
 * the guess.
 */
export const SETTLE_JOB = 'messages.settle'

/** Each attempt has one entry: a message that is sent again may need another decision. */
export const settleEntryId = ({ id, leaseNumber }: { id: string; leaseNumber: number }) => `${id}:settle:${leaseNumber}`

export type SettlingOptions = { database: Queries; numbers: OpenedNumbers; directory: NumberDirectory; clock: Clock }

type Payload = { message_id: string }
type Decision = { policy: 'fail' | 'resend' }

const RETRY: RetrySchedule = { delaysMs: [1_000, 10_000, 60_000, 600_000, 3_600_000], jitter: 0.2 }

const GIVEN_UP = {
  code: OUTCOME_UNKNOWN,
  provider_code: null,
  detail:
    'The network did not respond, and no status of the message has arrived. The customer may have received it; a resend may deliver it twice.',
  retryable: false,
}

export const createSettleJob = (options: SettlingOptions): Job =>
  defineJob<Payload, Decision>({
    name: SETTLE_JOB,
    retry: RETRY,
    async run(entry) {
      const { orgId, payload } = entry
      const row = await findMessage(options.database, orgId, payload.message_id)
      if (row === null) return unseenOr(entry, { kind: 'done' })
      if (row.unknown_since === null) return { kind: 'done' }
      const opened = await options.numbers.open(orgId, row.number_id)
      const policy = opened?.number.settings.ambiguous
      return { kind: 'done', data: { policy: policy === 'resend' && !row.is_resent ? 'resend' : 'fail' } }
    },
    record: async (tx, results) => (await decide(options, tx, results)).length > 0,
  })

async function decide(
  { clock, directory }: SettlingOptions,
  tx: Tx,
  results: JobResult<Payload, Decision>[],
): Promise<string[]> {
  const events = new EventBuffer()
  const lanesToWake: string[] = []
  const messages = results.map(({ entry }) => ({ orgId: entry.orgId, id: entry.payload.message_id }))
  await lockThreads(tx, messages)
  await lockMessagesOf(tx, messages)
  for (const { entry, outcome, finishedAt } of results) {
    if (outcome.data === undefined) continue
    const row = await lockMessage(tx, entry.orgId, entry.payload.message_id)
    if (row === null || row.unknown_since === null || !isUnsent(row.status)) continue
    if (outcome.data.policy === 'resend') lanesToWake.push(await sendAgain(tx, row))
    else await failMessage({ tx, directory, clock, events }, row, { at: finishedAt, error: GIVEN_UP })
  }
  await events.record(tx, clock.now())
  return lanesToWake
}

async function sendAgain(tx: Tx, row: MessageRow): Promise<string> {
  const laneId = sendLaneOf(row.number_id)
  await forgetAttempts(tx, row.org_id, row.id)
  await enqueue(tx, [{ id: row.id, laneId, orgId: row.org_id, job: SEND_JOB, orderKey: row.chat_id }])
  return laneId
}
