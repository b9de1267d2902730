import { z } from 'zod'
import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { defineJob, standardRetrySchedule } from '../../platform/outbox/job.ts'
import type { Wake } from '../../platform/outbox/outbox.ts'
import { findEndpoint, lockSubscriptions } from '../endpoints/endpoints.sql.ts'
import { endRecovery } from '../recovery/recoveries.ts'
import { continueSettling, REORDER_JOB, SETTLE_JOB, type Settled } from './backlog.ts'

/** Works through the backlog of an endpoint, a step per run. A step that is lost with its process is simply done again. */
export const createSettleJobs = (options: SettleOptions) =>
  [SETTLE_JOB, REORDER_JOB].map((name) => createSettleJob(name, options))

type SettleOptions = { database: Database; clock: Clock; wake: Wake }

const createSettleJob = (name: string, { database, clock, wake }: SettleOptions) =>
  defineJob({
    name,
    payload: z.object({ endpoint: z.string() }),
    retry: standardRetrySchedule,
    async run(entry) {
      const at = { endpointId: entry.payload.endpoint, now: new Date(clock.now()) }
      const { isDone, isMoreDue } = await database.transaction((tx) => settle(tx, entry.orgId, at))
      if (isMoreDue) wake([entry.orgId])
      return isDone ? { kind: 'done' } : { kind: 'repeat' }
    },
  })

/** What disables an endpoint that is gone is an acknowledgement, which holds its lane and cannot end its recovery. */
async function settle(tx: Tx, orgId: OrgId, { endpointId, now }: { endpointId: string; now: Date }): Promise<Settled> {
  await lockSubscriptions(tx, orgId, 'alone')
  const endpoint = await findEndpoint(tx, orgId, endpointId)
  if (endpoint?.settling === 'cancel') await endRecovery(tx, orgId, { endpointId, reason: 'endpoint_disabled', now })
  return continueSettling(tx, orgId, { endpointId, now })
}
