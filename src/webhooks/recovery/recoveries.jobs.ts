import { defineJob, type Outcome } from '../../platform/outbox/job.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { RECOVER_JOB, type RecoveriesContext } from './recoveries.ts'
import { abandonRecovery, type RecoveryStep, stepRecovery } from './recovery-step.ts'

/**
 * Drives a recovery: steps for a while, then lets others have the slot. The position is in the recovery's own row, so
 * nothing is lost when a run ends in the middle, and nothing is repeated when its acknowledgement is.
 */
const TURN_MS = 250

/** The steps only talk to our own database, so whatever fails there passes. After two days of trying it is a bug. */
const retry = {
  delaysMs: [1, 5, 30, 60, ...Array<number>(48).fill(3600)].map((seconds) => seconds * 1000),
  jitter: 0.2,
}

type Touched = { laneId: string | null }

export const createRecoverJob = (context: RecoveriesContext & { log: Log }) =>
  defineJob<unknown, Touched>({
    name: RECOVER_JOB,
    retry,
    async run(entry, { signal }): Promise<Outcome<Touched>> {
      const untilMs = performance.now() + TURN_MS
      let step: RecoveryStep = { next: 'more', laneId: null }
      while (step.next === 'more' && performance.now() < untilMs && !signal.aborted)
        step = await stepRecovery(context, entry.orgId, entry.id)
      const data = { laneId: step.laneId }
      if (step.next === 'end') {
        context.log.info({ org_id: entry.orgId, recovery_id: entry.id }, 'webhook recovery finished')
        return { kind: 'done', data }
      }
      return { kind: 'repeat', ...(step.next === 'later' && { at: step.at }), data }
    },
    async record(tx, results) {
      for (const { entry, disposition, finishedAt } of results)
        if (disposition === 'exhausted') await abandonRecovery(tx, entry.orgId, { id: entry.id, now: finishedAt })
      return results.some(({ outcome }) => typeof outcome.data?.laneId === 'string')
    },
  })
