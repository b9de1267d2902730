import { z } from 'zod'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database } from '../platform/database/database.ts'
import { defineJob } from '../platform/outbox/job.ts'
import { standardRetrySchedule } from '../platform/outbox/retry-schedule.ts'
import { continueSettling, REORDER_JOB, SETTLE_JOB } from './backlog.ts'
import type { LaneBell } from './lane-bell.ts'

/** Works through the backlog of an endpoint, a step per run. A step that is lost with its process is simply done again. */
export const createSettleJobs = (options: SettleOptions) =>
  [SETTLE_JOB, REORDER_JOB].map((name) => createSettleJob(name, options))

type SettleOptions = { database: Database; clock: Clock; bell: LaneBell }

const createSettleJob = (name: string, { database, clock, bell }: SettleOptions) =>
  defineJob({
    name,
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
