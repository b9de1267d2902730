import { z } from 'zod'
import { defineEvent } from '../../events/events.ts'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import { maskUrl } from './endpoint-secrets.ts'
import type { EndpointRow } from './endpoints.sql.ts'

/**
 * Events about webhooks themselves. They are deliverable like any other, but never to the endpoint they are about, which
 * is their subject; and no delivery of one of them is itself the subject of an event.
 */
const EndpointShape = z
  .object({
    object: z.literal('webhook_endpoint'),
    id: idSchema('wep'),
    url: textSchema(8192).meta({ description: 'Secrets in it are masked.' }),
    description: textSchema(500).nullable(),
    events: z.array(textSchema(100)).max(100),
    state: z.enum(['enabled', 'degraded', 'paused', 'disabled']),
    disabled_reason: textSchema(50).nullable(),
    failing_since: timeSchema.nullable(),
    failures_since_success: z.int().min(0).max(1_000_000_000),
    created_at: timeSchema,
  })
  .meta({ id: 'WebhookEndpointSummary', description: 'A webhook endpoint in an event.' })

const example = {
  object: 'webhook_endpoint' as const,
  id: 'wep_01k9x3m5q8e0t9v7a2b4c6d8fg',
  url: 'https://shop.example.com/hooks/nexkit',
  description: 'Shop backend',
  events: ['key.*'],
  state: 'enabled' as const,
  disabled_reason: null,
  failing_since: null,
  failures_since_success: 0,
  created_at: '2026-11-01T02:00:00.000Z',
}
const failing = { failing_since: '2026-11-14T09:30:00.000Z', failures_since_success: 5 }

const endpointEvent = (name: string, description: string, difference: Partial<z.input<typeof EndpointShape>> = {}) =>
  defineEvent({ name, description, data: EndpointShape, example: { ...example, ...difference }, isOperational: true })

export const endpointEvents = {
  created: endpointEvent('endpoint.created', 'A webhook endpoint was created.'),
  updated: endpointEvent('endpoint.updated', 'A webhook endpoint was edited, paused, resumed, or got a new secret.'),
  deleted: endpointEvent('endpoint.deleted', 'A webhook endpoint was deleted.'),
  pinged: endpointEvent('endpoint.pinged', 'Sent only to a new URL, to test it.'),
  degraded: endpointEvent(
    'endpoint.degraded',
    'A webhook endpoint keeps failing, and deliveries to it are delayed. The event is repeated after 24 and 72 hours of failure.',
    { state: 'degraded', ...failing },
  ),
  recovered: endpointEvent('endpoint.recovered', 'A webhook endpoint that kept failing works again.'),
  disabled: endpointEvent(
    'endpoint.disabled',
    'A webhook endpoint was disabled: after five days without a success, or at the request of its receiver.',
    {
      state: 'disabled',
      disabled_reason: 'no_success',
      failing_since: '2026-11-09T09:30:00.000Z',
      failures_since_success: 64,
    },
  ),
}

export type EndpointFailure = { failingSince: Date | null; failuresSinceSuccess: number; isDegraded: boolean }

const WELL: EndpointFailure = { failingSince: null, failuresSinceSuccess: 0, isDegraded: false }

export type EndpointSummary = z.input<typeof EndpointShape>

type Summarized = Pick<
  EndpointRow,
  'id' | 'url' | 'description' | 'events' | 'state' | 'disabled_reason' | 'created_at'
>

export const summarizeEndpoint = (row: Summarized, failure: EndpointFailure = WELL): EndpointSummary => ({
  object: 'webhook_endpoint',
  id: row.id,
  url: maskUrl(row.url),
  description: row.description,
  events: row.events,
  state: row.state === 'enabled' && failure.isDegraded ? 'degraded' : row.state,
  disabled_reason: row.disabled_reason,
  failing_since: failure.failingSince?.toISOString() ?? null,
  failures_since_success: failure.failuresSinceSuccess,
  created_at: row.created_at.toISOString(),
})

/** What has changed, as it was: `previous` of an event. */
export const changedFields = (before: EndpointSummary, after: EndpointSummary): Partial<EndpointSummary> =>
  Object.fromEntries(
    Object.entries(before).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(after[name as keyof EndpointSummary]),
    ),
  )
