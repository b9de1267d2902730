import { beginSpan, EVERY, isTracing, type SharedTraces, traceOfWork } from '../telemetry/spans.ts'
import { traceIdOf } from '../telemetry/traces.ts'
import type { ClaimedEntry, JobResult } from './job.ts'

/**
 * The trace of an entry: a span when it is enqueued, whose `traceparent` is stored with the entry, and a child of it for each run, in
 * whichever process and however much later. Nothing is stored while tracing is off.
 */
type Traced = { id: string; job: string; traceparent?: string | null }

/** Returns what is stored. Work that belongs to no trace begins none: its run does. */
export function traceEnqueued({ id, job, traceparent }: Traced): string | null {
  const parent = isTracing() ? (traceparent ?? traceOfWork(id)) : null
  if (parent === null) return null
  const span = beginSpan(`enqueue ${job}`, { kind: 'producer', parent, attributes: attributesOf(id, job) })
  span?.end()
  return span?.traceparent ?? null
}

export function beginRun({ id, job, orgId, laneId, attempt, traceparent }: ClaimedEntry) {
  if (!isTracing()) return null
  const attributes = { ...attributesOf(id, job), 'nexkit.organization_id': orgId, 'nexkit.lane_id': laneId }
  return beginSpan(`run ${job}`, {
    kind: 'consumer',
    parent: traceparent,
    attributes: { ...attributes, 'nexkit.attempt': attempt },
  })
}

const attributesOf = (id: string, job: string) => ({
  'messaging.system': 'nexkit',
  'messaging.destination.name': job,
  'messaging.message.id': id,
})

/** By the entry, and by its order key, which is the id of a chat or an order. */
export function tracesOf(results: readonly JobResult[]): SharedTraces {
  const traces = new Map<string, string>()
  const ids = new Set<string | null>()
  for (const { entry } of results) {
    ids.add(entry.traceparent === null ? null : traceIdOf(entry.traceparent))
    if (entry.traceparent === null) continue
    traces.set(entry.id, entry.traceparent)
    if (entry.orderKey !== null) traces.set(entry.orderKey, entry.traceparent)
  }
  const [first] = traces.values()
  if (ids.size === 1 && first !== undefined) traces.set(EVERY, first)
  return traces
}
