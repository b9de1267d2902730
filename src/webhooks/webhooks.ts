import { type Follower, followRecording } from '../events/events.ts'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { PartitionedTable } from '../platform/database/daily-partitions.ts'
import type { Database } from '../platform/database/database.ts'
import type { SecretBox } from '../platform/database/secret-box.ts'
import type { Route } from '../platform/http/define-route.ts'
import type { Egress } from '../platform/outbound-http/egress.ts'
import { createOutboundClient, type OutboundClient } from '../platform/outbound-http/outbound-client.ts'
import type { HandOver } from '../platform/outbox/grants.ts'
import type { Job } from '../platform/outbox/job.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { Metric } from '../platform/telemetry/metrics.ts'
import { createAttemptSource } from './deliveries/attempt-source.ts'
import { CONTROL_HEADER } from './deliveries/attempt-verdict.ts'
import { createBodyShapeWatch } from './deliveries/body-shape-watch.ts'
import { createBodySizeWatch } from './deliveries/body-size-watch.ts'
import { createBundleJob } from './deliveries/bundle.jobs.ts'
import { deliveryRoutes } from './deliveries/deliveries.routes.ts'
import { isAnyPending } from './deliveries/deliveries.sql.ts'
import { DELIVERY_RETENTION_DAYS } from './deliveries/deliveries.ts'
import { createDeliverJob } from './deliveries/delivery.jobs.ts'
import { createFanOut } from './deliveries/fan-out.ts'
import { createInlineFanOut } from './deliveries/inline-fan-out.ts'
import { createEndpointWatch } from './endpoints/endpoint-watch.ts'
import { endpointRoutes } from './endpoints/endpoints.routes.ts'
import { eventErasureRoutes } from './erasure/event-erasure.routes.ts'
import { createSettleJobs } from './health/backlog.jobs.ts'
import { endpointActionRoutes } from './management/endpoint-actions.routes.ts'
import { createWellKnownKeys, type WellKnownKeys } from './signing/well-known-keys.ts'
import { createWebhookMetrics } from './webhook-metrics.ts'
import type { WebhooksContext } from './webhooks-context.ts'

export { allRecoveryRoutes } from './recovery-module.ts'

/**
 * Webhooks as one piece for the wiring: what it serves, follows and runs.
 *
 *   something happens → event → fan-out (follower) → delivery + outbox entry → deliver (job) → attempt → next state, event
 */
export type WebhooksOptions = {
  database: Database
  clock: Clock
  log: Log
  secretBox: SecretBox
  /** Where webhooks may go, as the operator has it. */
  egress: Egress
  userAgent: string
  processId: string
  /** After the commit that enqueued work. */
  wake: (orgIds: readonly OrgId[]) => void
  /** For deliveries that this process records and may send itself. */
  handOver: HandOver
  /** Where the public API serves events. */
  eventsPath: string
  client?: OutboundClient
}

export type Webhooks = {
  context: WebhooksContext
  client: OutboundClient
  follower: Follower
  jobs: Job[]
  wellKnownKeys: WellKnownKeys
  partitionedTables: PartitionedTable[]
  metrics: () => Metric[]
  start(): Promise<void>
  stop(): Promise<void>
}

const ATTEMPT_RETENTION_DAYS = 30

/** Deliveries are kept at least as long as events: one that is created late lies on the day of its event. */
export const webhookTables: PartitionedTable[] = [
  { table: 'webhook_deliveries', idPrefix: 'dlv', retentionDays: DELIVERY_RETENTION_DAYS },
  { table: 'webhook_attempts', idPrefix: 'att', retentionDays: ATTEMPT_RETENTION_DAYS },
]

/** Pending deliveries keep their events beyond their time, until they succeed or their rows end too. */
export const areDeliveriesPending: NonNullable<PartitionedTable['isNeeded']> = isAnyPending

export const webhookRoutes = (context: WebhooksContext): Route[] => [
  ...endpointRoutes(context),
  ...endpointActionRoutes(context),
  ...deliveryRoutes(context),
  ...eventErasureRoutes(context),
]

export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { database, clock, log, secretBox, egress, userAgent, processId, eventsPath } = options
  const { wake, handOver } = options
  const context = { database, clock, secretBox, egress, wake }
  const client =
    options.client ??
    createOutboundClient({
      allowedRanges: egress.policy.allowedRanges,
      clock,
      userAgent,
      controlHeader: CONTROL_HEADER,
    })
  const metrics = createWebhookMetrics()
  const source = createAttemptSource({ database, clock, secretBox })
  const watchShape = createBodyShapeWatch({ clock, log })
  const watchSize = createBodySizeWatch({ clock, log })
  const attempts = { source, client, clock, log, metrics, processId, userAgent, eventsPath, watchSize }
  const deliver = createDeliverJob(attempts)
  const inline = { database, clock, log, wake, handOver, watchShape, remember: source.remember }
  return {
    context,
    client,
    follower: createFanOut({ clock, wake, watchShape }),
    jobs: [
      deliver,
      createBundleJob({ ...attempts, watch: createEndpointWatch(database) }),
      ...createSettleJobs({ database, clock, wake }),
    ],
    wellKnownKeys: createWellKnownKeys({ database, clock }),
    partitionedTables: webhookTables,
    metrics: metrics.list,
    async start() {
      followRecording(database, createInlineFanOut({ ...inline, leaseMs: deliver.leaseMs }))
    },
    async stop() {
      client.close()
    },
  }
}
