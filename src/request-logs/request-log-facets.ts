import { firstIdAt, idTime, type OrgId } from '../kernel/ids.ts'
import type { Queries } from '../platform/database/database.ts'
import type { StoredCall } from './request-log-calls.ts'
import { type RequestLogFilters, searchFor, takeStep } from './request-log-search.ts'
import type { RequestLogFacets } from './request-logs.schemas.ts'
import { durationBin, durationQuantile } from './request-statistics.ts'

/**
 * Counts the calls that match the filters: over time, and by what they have in common. It reads the same batch rows as the list, newest
 * first, and stops when its time is up: the reply says from when on the counts are complete.
 */
const TIME_MS = 150
const STEP_CALLS = 5000
const BUCKETS = 48
const VALUES_MAX = 12

export async function summarizeRequestLogs(
  queries: Queries,
  orgId: OrgId,
  filters: RequestLogFilters,
  { from, to }: { from: Date; to: Date },
): Promise<RequestLogFacets> {
  const search = searchFor(filters)
  const counts = new Counts({ from, to })
  const fromId = firstIdAt('req', from)
  let beforeId: string | null = firstIdAt('req', to)
  const deadline = performance.now() + TIME_MS
  while (beforeId !== null && performance.now() < deadline) {
    const range = { fromId, beforeId }
    const { calls, endsAt } = await takeStep(queries, orgId, { range, search, stepCalls: STEP_CALLS })
    for (const call of calls) counts.add(call)
    beforeId = endsAt
  }
  return { ...counts.view(), covered_from: (beforeId === null ? from : idTime(beforeId as never)).toISOString() }
}

const facets = ['status', 'error_code', 'method', 'operation', 'caller'] as const
type Facet = (typeof facets)[number]

const readFacet: Record<Facet, (call: StoredCall) => string | null> = {
  status: ({ status }) => String(status),
  error_code: ({ error_code }) => error_code,
  method: ({ method }) => method,
  operation: ({ route }) => route,
  caller: ({ caller_id }) => caller_id,
}

class Counts {
  readonly #fromMs: number
  readonly #bucketMs: number
  #total = 0
  readonly #buckets = Array.from({ length: BUCKETS }, () => ({ ok: 0, client_error: 0, server_error: 0 }))
  readonly #durations = Array.from({ length: BUCKETS }, (): number[] => [])
  readonly #values = new Map<Facet, Map<string, number>>(facets.map((facet) => [facet, new Map()]))

  constructor({ from, to }: { from: Date; to: Date }) {
    this.#fromMs = from.getTime()
    this.#bucketMs = Math.max(1, (to.getTime() - this.#fromMs) / BUCKETS)
  }

  add(call: StoredCall): void {
    this.#total += 1
    const index = Math.floor((idTime(call.id).getTime() - this.#fromMs) / this.#bucketMs)
    const bucket = this.#buckets[index]
    if (bucket !== undefined) {
      bucket[call.status >= 500 ? 'server_error' : call.status >= 400 ? 'client_error' : 'ok'] += 1
      this.#addDuration(index, call.duration_us / 1000)
    }
    for (const [facet, values] of this.#values) {
      const value = readFacet[facet](call)
      if (value !== null) values.set(value, (values.get(value) ?? 0) + 1)
    }
  }

  #addDuration(index: number, ms: number): void {
    const bins = this.#durations[index] ?? []
    const bin = durationBin(ms)
    // Without gaps, which would count as no bin at all.
    while (bins.length <= bin) bins.push(0)
    bins[bin] = (bins[bin] ?? 0) + 1
  }

  view(): Omit<RequestLogFacets, 'covered_from'> {
    const at = (index: number) => new Date(this.#fromMs + Math.round(index * this.#bucketMs)).toISOString()
    return {
      from: at(0),
      to: at(BUCKETS),
      total: this.#total,
      buckets: this.#buckets.map((bucket, index) => ({
        at: at(index),
        ...bucket,
        p50_ms: durationQuantile(this.#durations[index] ?? [], 0.5),
        p95_ms: durationQuantile(this.#durations[index] ?? [], 0.95),
      })),
      facets: facets.map((name) => ({ name, values: mostFrequent(this.#values.get(name) ?? new Map()) })),
    }
  }
}

const mostFrequent = (values: Map<string, number>) =>
  [...values]
    .sort(([, one], [, other]) => other - one)
    .slice(0, VALUES_MAX)
    .map(([value, count]) => ({ value, count }))
