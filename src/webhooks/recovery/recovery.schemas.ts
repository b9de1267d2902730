import { z } from 'zod'
import { idSchema, momentSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import { WebhookEndpointChange } from '../endpoints/endpoints.schemas.ts'

/** Public shapes of recoveries, in and out. */
const MODES = ['failed', 'missing', 'held', 'all'] as const
const STATUSES = ['failed', 'cancelled', 'skipped', 'held', 'pending', 'succeeded'] as const

const status = z.enum(STATUSES)
const modeSchema = z.enum(MODES).meta({
  description:
    '`failed`: deliveries that did not succeed, including those that wait for a retry. `missing`: events that match the subscription but have no delivery, for example from before the endpoint was created. `held`: deliveries that were held or skipped while the endpoint was paused or disabled. `all`: every event, including delivered ones, so the receiver gets duplicates; events from before the endpoint was created only with `include_before_creation`.',
})
const typesSchema = WebhookEndpointChange.shape.events.unwrap()

export const RecoverRequest = z
  .strictObject({
    since: momentSchema.meta({ description: 'Events at this time or later, within the retention period of events.' }),
    until: momentSchema.optional().meta({ description: 'Events before this time. Default: now.' }),
    types: typesSchema.optional().meta({ description: 'Event types: names, `order.*`, or `*`.' }),
    status: z
      .union([status, z.array(status).min(1).max(STATUSES.length)])
      .optional()
      .meta({ description: 'One or more statuses of deliveries. Default: all that the mode includes.' }),
    mode: modeSchema.default('failed'),
    include_before_creation: z.boolean().default(false).meta({
      description:
        'With mode `all`: also events from before the endpoint was created. Mode `missing` always includes them.',
    }),
    dry_run: z.boolean().default(false).meta({ description: 'Only count.' }),
  })
  .meta({ id: 'WebhookRecover', description: 'What to recover. Only `since` is required.' })

export type RecoverInput = z.output<typeof RecoverRequest>

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER)
const eventName = z
  .string()
  .max(100)
  .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/)

const selection = {
  endpoint_id: idSchema('wep'),
  mode: z.enum(MODES),
  include_before_creation: z.boolean(),
  since: timeSchema,
  until: timeSchema,
  types: z.array(textSchema(100)).max(100).nullable().meta({ description: 'Null for all.' }),
  statuses: z
    .array(status)
    .max(STATUSES.length)
    .nullable()
    .meta({ description: 'Null for all that the mode includes.' }),
}

const RecoveryCount = z
  .object({ type: eventName, total: count, done: count })
  .meta({ id: 'WebhookRecoveryCount', description: 'The count of one event type.' })

const RecoveryProgress = z
  .object({
    total: count.nullable().meta({ description: 'Null while counting. Exact once completed.' }),
    done: count.meta({ description: 'Queued for sending.' }),
    queued: count.meta({ description: 'Of those, not attempted yet; counted up to 10,000.' }),
  })
  .meta({ id: 'WebhookRecoveryProgress', description: 'The progress of a recovery.' })

export const WebhookRecovery = z
  .object({
    object: z.literal('webhook_recovery'),
    id: idSchema('job'),
    ...selection,
    status: z.enum(['counting', 'running', 'completed', 'cancelled']).meta({
      description: '`completed`: everything was attempted at least once; failures are retried on the usual schedule.',
    }),
    reason: textSchema(100).nullable().meta({
      description:
        'Why it does not progress (`endpoint_paused`, `endpoint_disabled`, `endpoint_resuming`), or why it was cancelled (`by_request`, `resumed_from_now`, `endpoint_disabled`, `endpoint_deleted`, `internal_error`).',
    }),
    progress: RecoveryProgress,
    counts: z.array(RecoveryCount).max(1000).meta({ description: 'By event type, in alphabetical order.' }),
    created_at: timeSchema,
    finished_at: timeSchema.nullable(),
  })
  .meta({ id: 'WebhookRecovery', description: 'A job that sends the events an endpoint missed.' })

export const WebhookRecoveryEstimate = z
  .object({
    object: z.literal('webhook_recovery_estimate'),
    ...selection,
    total: count,
    is_exact: z.boolean().meta({ description: 'False if counting stopped early: there are at least this many.' }),
    counts: z
      .array(
        z
          .object({ type: eventName, total: count })
          .meta({ id: 'WebhookRecoveryEstimateCount', description: 'The count of one event type.' }),
      )
      .max(1000),
  })
  .meta({ id: 'WebhookRecoveryEstimate', description: 'The events that a recovery would send. Nothing was sent.' })

export const RecoverReply = z
  .discriminatedUnion('object', [WebhookRecovery, WebhookRecoveryEstimate])
  .meta({ id: 'WebhookRecoverReply', description: 'The recovery; for a dry run, the events it would send.' })

export const recoveryExample = {
  object: 'webhook_recovery' as const,
  id: 'job_01k9x3m5q8e0t9v7a2b4c6d8fg',
  endpoint_id: 'wep_01k9x3m5q8e0t9v7a2b4c6d8fg',
  mode: 'failed' as const,
  include_before_creation: false,
  since: '2026-11-13T00:00:00.000Z',
  until: '2026-11-14T09:30:00.000Z',
  types: null,
  statuses: null,
  status: 'running' as const,
  reason: null,
  progress: { total: 1200, done: 700, queued: 180 },
  counts: [{ type: 'key.created', total: 1200, done: 700 }],
  created_at: '2026-11-14T09:30:00.000Z',
  finished_at: null,
}
