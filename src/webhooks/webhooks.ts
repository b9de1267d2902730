import { type Follower, followRecording } from '../events/events.ts'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database } from '../platform/database/database.ts'
import type { SecretBox } from '../platform/database/secret-box.ts'
import type { Route } from '../platform/http/define-route.ts'
import type { Egress } from '../platform/outbound-http/egress.ts'
import { createOutboundClient, type OutboundClient } from '../platform/outbound-http/outbound-client.ts'
import type { HandOver } from '../platform/outbox/grants.ts'
import type { Job } from '../platform/outbox/job.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { Metric } from '../platform/telemetry/metrics.ts'
import { certifyJob } from './certification/certification.jobs.ts'
import { certificationRoutes } from './certification/certification.routes.ts'
import { createSettleJobs } from './deliveries/backlog.ts'
import { deliveryRoutes } from './deliveries/deliveries.routes.ts'
import { createBodyShapeWatch, createFanOut } from './deliveries/fan-out.ts'
import { createInlineFanOut } from './deliveries/inline-fan-out.ts'
import { createHandshake } from './endpoints/endpoints.ts'
import { erasureRoutes } from './erasure/erasure.routes.ts'
import { explanationRoutes } from './explain/explain.routes.ts'
import { endpointActionRoutes } from './management/endpoint-actions.routes.ts'
import { endpointRoutes } from './management/endpoints.routes.ts'
import { createRecoverJob } from './recovery/recovery.jobs.ts'
import { recoveryRoutes } from './recovery/recovery.routes.ts'
import { endRecovery } from './recovery/recovery.ts'
import { createAttemptSource, createEndpointWatch } from './sending/attempt-source.ts'
import { CONTROL_HEADER } from './sending/attempt-verdict.ts'
import { createBundleJob } from './sending/bundle.jobs.ts'
import { createDeliverJob, type RenderCloudBody } from './sending/delivery.jobs.ts'
import { createBodySizeWatch } from './sending/delivery-body.ts'
import { createDeliveryMetrics } from './sending/delivery-metrics.ts'
import { createPayloadReader, type ReadPayload } from './sending/shown-payload.ts'
import { createWellKnownKeys, type WellKnownKeys } from './signing/signing.ts'
import type { FindNumber, WebhooksContext } from './webhooks-context.ts'

export { areDeliveriesPending, deliveryTables } from './deliveries/deliveries.ts'

/**
 * Webhooks as one piece for the wiring: what it serves, follows and runs.
 *
 *   something happens → event → fan-out (follower) → delivery + outbox entry → deliver (job) → attempt → next state, event
 *
 * Its rooms, each importing those before it only: signing, endpoints, deliveries, sending, then recovery, erasure, explain and
 * certification, and management on top.
 */
type WebhooksOptions = {
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
  /** What endpoints in Meta's format need of messages and numbers. */
  cloudApi: { renderBody: RenderCloudBody; findNumber: FindNumber; appSecret?: string | null }
  client?: OutboundClient
  /** Types of events that something else follows too. */
  isFollowedElsewhere?: (type: string) => boolean
}

export type Webhooks = {
  context: WebhooksContext
  follower: Follower
  jobs: Job[]
  wellKnownKeys: WellKnownKeys
  readPayload: ReadPayload
  metrics: () => Metric[]
  start(): Promise<void>
  stop(): Promise<void>
}

export const webhookRoutes = (context: WebhooksContext): Route[] => [
  ...endpointRoutes(context),
  ...endpointActionRoutes(context),
  ...deliveryRoutes(context),
  ...erasureRoutes(context),
  ...certificationRoutes(context),
  ...recoveryRoutes(context),
  ...explanationRoutes(context),
]

export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { database, clock, log, secretBox, egress, userAgent, processId, eventsPath } = options
  const { wake, handOver, cloudApi } = options
  const shakeHands = createHandshake({ egress, clock, userAgent })
  const { findNumber, appSecret = null } = cloudApi
  const context = { database, clock, secretBox, egress, wake, shakeHands, findNumber, appSecret }
  const client =
    options.client ??
    createOutboundClient({
      allowedRanges: egress.policy.allowedRanges,
      clock,
      userAgent,
      controlHeader: CONTROL_HEADER,
    })
  const metrics = createDeliveryMetrics()
  const source = createAttemptSource({ database, clock, secretBox })
  const watchShape = createBodyShapeWatch({ clock, log })
  const watchSize = createBodySizeWatch({ clock, log })
  const attempts = { source, client, clock, log, metrics, processId, userAgent, eventsPath, watchSize, shakeHands }
  const deliver = createDeliverJob({ ...attempts, renderCloudBody: cloudApi.renderBody })
  const inline = {
    database,
    clock,
    log,
    wake,
    handOver,
    watchShape,
    remember: source.remember,
    isLeft: options.isFollowedElsewhere ?? (() => false),
  }
  return {
    context,
    follower: createFanOut({ clock, wake, watchShape }),
    jobs: [
      deliver,
      createBundleJob({ ...attempts, watch: createEndpointWatch(database) }),
      ...createSettleJobs({ database, clock, wake, endRecovery }),
      createRecoverJob({ database, clock, log }),
      certifyJob({ database, clock, secretBox, client }),
    ],
    wellKnownKeys: createWellKnownKeys({ database, clock }),
    readPayload: createPayloadReader({ database, eventsPath, renderCloudBody: cloudApi.renderBody }),
    metrics: metrics.list,
    async start() {
      followRecording(database, createInlineFanOut({ ...inline, leaseMs: deliver.leaseMs }))
    },
    async stop() {
      client.close()
      shakeHands.close()
    },
  }
}
