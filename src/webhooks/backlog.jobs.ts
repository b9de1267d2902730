import { z } from 'zod'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database } from '../platform/database/database.ts'
import { defineJob } from '../platform/outbox/job.ts'
import { standardRetrySchedule } from '../platform/outbox/retry-schedule.ts'
import { continueSettling, SETTLE_JOB } from './backlog.ts'
import type { LaneBell } from './lane-bell.ts'

/** Works through the backlog of an endpoint, a step per run. A step that is lost with its process is simply done again. */
export const createSettleJob = ({ database, clock, bell }: { database: Database; clock: Clock; bell: LaneBell }) =>
  defineJob({
    name: SETTLE_JOB,
    payload: z.object({ endpoint: z.string() }),
    retry: standardRetrySchedule,
    async run(entry) {
      const now = new Date(clock.now())
      const { isDone, laneIds } = await database.transaction((tx) =>
        continueSettling(tx, entry.orgId as OrgId, { endpointId: entry.payload.endpoint, now }),
      )
      bell.ring(laneIds)
      return isDone ? { kind: 'done' } : { kind: 'repeat' }
    },
  })
