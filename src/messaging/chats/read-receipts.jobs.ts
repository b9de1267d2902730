import { inboundLaneOf, numberOfLane, type OpenedNumbers } from '../../channels/numbers/numbers.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import { defineJob, type Job } from '../../platform/outbox/job.ts'

/**
 * Sends read receipts to the network, so that the customer sees the blue ticks. This is best effort: the chat is read here
 * whatever the network answers, and an old receipt is not worth many attempts.
 */
const READ_JOB = 'messages.mark_read'

type Payload = { provider_id: string; is_typing: boolean }

const RETRY = { delaysMs: [2_000, 20_000], jitter: 0.2 }

export type Receipt = {
  orgId: OrgId
  numberId: Id<'num'>
  messageId: string
  providerId: string
  isTyping: boolean
}

/** Beside the messages that are sent, not behind them. Answers with the lane to ring. */
export async function queueReceipt(
  tx: Tx,
  { orgId, numberId, messageId, providerId, isTyping }: Receipt,
): Promise<void> {
  const laneId = inboundLaneOf(numberId)
  const payload: Payload = { provider_id: providerId, is_typing: isTyping }
  await enqueue(tx, [{ id: `${messageId}:read${isTyping ? ':typing' : ''}`, laneId, orgId, job: READ_JOB, payload }])
}

export const createReadJob = ({ numbers }: { numbers: OpenedNumbers }): Job =>
  defineJob<Payload>({
    name: READ_JOB,
    retry: RETRY,
    async run({ orgId, laneId, payload }, { signal }) {
      const opened = await numbers.open(orgId, numberOfLane(laneId))
      if (opened === null) return { kind: 'done' }
      const receipt = { providerId: payload.provider_id, isTyping: payload.is_typing }
      const outcome = await opened.connector.markRead(opened.number, receipt, signal)
      if (outcome.kind === 'done') return { kind: 'done' }
      const { class: kind, code } = outcome.failure
      return kind === 'retry' ? { kind: 'retry', reason: code, verdict: 'neutral' } : { kind: 'failed', reason: code }
    },
  })
