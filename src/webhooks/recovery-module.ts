import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Route } from '../platform/http/define-route.ts'
import type { Job } from '../platform/outbox/job.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { explanationRoutes } from './explain/explanations.routes.ts'
import { createRecoverJob } from './recovery/recoveries.jobs.ts'
import { recoveryRoutes } from './recovery/recoveries.routes.ts'

/** Getting back what an endpoint did not get, and finding out why it did not. */
export type RecoveriesOptions = {
  database: Database
  clock: Clock
  log: Log
  /** How many days events are kept: nothing older can be recovered. */
  eventRetentionDays: number
}

export type Recoveries = { context: RecoveriesOptions; jobs: Job[] }

export const createRecoveries = (context: RecoveriesOptions): Recoveries => ({
  context,
  jobs: [createRecoverJob(context)],
})

export const allRecoveryRoutes = (context: RecoveriesOptions): Route[] => [
  ...recoveryRoutes(context),
  ...explanationRoutes(context),
]
