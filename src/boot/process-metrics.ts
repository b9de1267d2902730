import { countParkedEvents } from '../events/events.ts'
import type { Database } from '../platform/database/database.ts'
import { outboxMetrics } from '../platform/outbox/metrics.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { Capabilities } from './capabilities.ts'

type Measured = {
  database: Database
  keyCache: { stats(): { entries: number; misses: number } }
  requestLog: { stats(): { queued: number; dropped: number } }
  capabilities: Capabilities
}

/** What /metrics shows beside the requests: the caches and queues of this process, and the work of its capabilities. */
export function addProcessMetrics(metrics: Metrics, { database, keyCache, requestLog, capabilities }: Measured): void {
  metrics.gauge('nexkit_key_cache_entries', 'API keys held in memory', () => keyCache.stats().entries)
  metrics.counter(
    'nexkit_key_cache_misses_total',
    'API key look-ups that queried the database',
    () => keyCache.stats().misses,
  )
  metrics.gauge(
    'nexkit_events_parked',
    'Events of the last 30 days that could not be handed to webhooks and were skipped',
    () => countParkedEvents(database),
  )
  metrics.gauge('nexkit_request_log_queued', 'Request log rows waiting to be written', () => requestLog.stats().queued)
  metrics.counter(
    'nexkit_request_log_dropped_total',
    'Request log rows that could not be written and were dropped',
    () => requestLog.stats().dropped,
  )
  const { webhooks, channels, messaging, outbox } = capabilities
  const ofCapabilities = [webhooks, channels, messaging].flatMap((part) => part.metrics())
  for (const metric of [...ofCapabilities, ...outboxMetrics(outbox)]) metrics.add(metric)
}
