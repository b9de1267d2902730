import type { z } from 'zod'
import type { OrgId } from '../../../kernel/ids.ts'
import { type MessageCounts, messageSummaries } from '../../../messaging/messages/messages.ts'
import { type PaidOrders, paidOrderSummaries } from '../../../orders/orders/orders.ts'
import type { Database } from '../../../platform/database/database.ts'
import {
  type HourlySummaries,
  readHourlySummaries,
  type SummarySource,
  startOfHour,
} from '../../../platform/database/hourly-summaries.ts'
import type { Log } from '../../../platform/telemetry/log.ts'
import {
  addDurations,
  durationQuantile,
  type RequestSummary,
  requestSummaries,
} from '../../../request-logs/request-logs.ts'
import { type DeliveryCounts, deliverySummaries } from '../../../webhooks/deliveries/deliveries.ts'
import type { ranges, Statistics } from './statistics.schemas.ts'

/** The charts of the first page, from hourly summaries of four capabilities. */
export type StatisticsRange = (typeof ranges)[number]
type View = z.input<typeof Statistics>

const HOUR_MS = 3_600_000
const SHAPES: Record<StatisticsRange, { buckets: number; hours: number }> = {
  '24h': { buckets: 24, hours: 1 },
  '7d': { buckets: 28, hours: 6 },
  '30d': { buckets: 30, hours: 24 },
}
/** Time limit for each of the four reads, which run in parallel while a person waits. */
const TIME_MS_MAX = 300
/** Reads that exceed that limit continue afterwards, for the next request. */
const READING_ON_MS_MAX = 10_000

/** Which groups the person may see. */
export type StatisticsRights = { requests: boolean; deliveries: boolean; messages: boolean; orders: boolean }

export type StatisticsRequest = { orgId: OrgId; range: StatisticsRange; now: Date; may: StatisticsRights }

export type StatisticsReader = (request: StatisticsRequest) => Promise<View>

export function createStatisticsReader({ database, log }: { database: Database; log: Log }): StatisticsReader {
  let isReadingOn = false
  const readOn = (request: StatisticsRequest) => {
    if (isReadingOn) return
    isReadingOn = true
    readGroups(database, request, READING_ON_MS_MAX)
      .catch((error) => log.warn({ err: error, orgId: request.orgId }, 'statistics could not be read on'))
      .finally(() => {
        isReadingOn = false
      })
  }
  return async (request) => {
    const frame = frameOf(request)
    const groups = await readGroups(database, request, TIME_MS_MAX)
    const covered = Object.values(groups).flatMap((group) => group?.coveredFrom.getTime() ?? [])
    const coveredFrom = new Date(Math.max(frame.from.getTime(), ...covered))
    if (coveredFrom > frame.from) readOn(request)
    return statisticsView(request, groups, { ...frame, coveredFrom })
  }
}

type Frame = { from: Date; to: Date; buckets: number; hours: number }

function frameOf({ range, now }: StatisticsRequest): Frame {
  const { buckets, hours } = SHAPES[range]
  const to = new Date(startOfHour(now.getTime()) + HOUR_MS)
  return { from: new Date(to.getTime() - buckets * hours * HOUR_MS), to, buckets, hours }
}

type Groups = {
  requests: HourlySummaries<RequestSummary> | null
  deliveries: HourlySummaries<DeliveryCounts> | null
  messages: HourlySummaries<MessageCounts> | null
  orders: HourlySummaries<PaidOrders> | null
}

async function readGroups(database: Database, request: StatisticsRequest, timeMsMax: number): Promise<Groups> {
  const { orgId, now, may } = request
  const { from, to } = frameOf(request)
  const read = <Summary>(isSeen: boolean, source: SummarySource<Summary>) =>
    isSeen ? readHourlySummaries(database, source, { orgId, from, to, now, timeMsMax }) : null
  const [requests, deliveries, messages, orders] = await Promise.all([
    read(may.requests, requestSummaries(database)),
    read(may.deliveries, deliverySummaries(database)),
    read(may.messages, messageSummaries(database)),
    read(may.orders, paidOrderSummaries(database)),
  ])
  return { requests, deliveries, messages, orders }
}

const statisticsView = (
  { range }: StatisticsRequest,
  { requests, deliveries, messages, orders }: Groups,
  frame: Frame & { coveredFrom: Date },
): View => ({
  range,
  bucket_seconds: frame.hours * 3600,
  from: frame.from.toISOString(),
  to: frame.to.toISOString(),
  is_partial: frame.coveredFrom > frame.from,
  covered_from: frame.coveredFrom.toISOString(),
  requests: requests && requestView(inBuckets(requests, frame)),
  latency: requests && latencyView(inBuckets(requests, frame)),
  deliveries: deliveries && deliveryView(inBuckets(deliveries, frame)),
  messages: messages && messageView(inBuckets(messages, frame)),
  orders: orders && orderView(inBuckets(orders, frame)),
})

type Bucket<Summary> = { at: string; hours: Summary[] }

function inBuckets<Summary>(
  { byHour }: HourlySummaries<Summary>,
  { from, buckets, hours }: { from: Date; buckets: number; hours: number },
): Bucket<Summary>[] {
  return Array.from({ length: buckets }, (_, bucket) => {
    const startMs = from.getTime() + bucket * hours * HOUR_MS
    const within = Array.from({ length: hours }, (_, hour) => byHour.get(startMs + hour * HOUR_MS))
    return { at: new Date(startMs).toISOString(), hours: within.filter((summary) => summary !== undefined) }
  })
}

const sumOf = <Summary>(hours: readonly Summary[], read: (hour: Summary) => number): number =>
  hours.reduce((sum, hour) => sum + read(hour), 0)

const totalOf = <Summary>(buckets: readonly Bucket<Summary>[], read: (hour: Summary) => number): number =>
  sumOf(buckets, ({ hours }) => sumOf(hours, read))

const requestView = (buckets: Bucket<RequestSummary>[]): View['requests'] => ({
  total: totalOf(buckets, ({ calls }) => calls),
  buckets: buckets.map(({ at, hours }) => ({
    at,
    ok: sumOf(hours, (hour) => hour.calls - hour.client_errors - hour.server_errors),
    client_error: sumOf(hours, (hour) => hour.client_errors),
    server_error: sumOf(hours, (hour) => hour.server_errors),
  })),
})

function latencyView(buckets: Bucket<RequestSummary>[]): View['latency'] {
  const quantiles = (hours: readonly RequestSummary[]) => {
    const bins = hours.reduce<number[]>((sum, { durations }) => addDurations(sum, durations), [])
    return { p50_ms: rounded(durationQuantile(bins, 0.5)), p99_ms: rounded(durationQuantile(bins, 0.99)) }
  }
  return {
    ...quantiles(buckets.flatMap(({ hours }) => hours)),
    buckets: buckets.map(({ at, hours }) => ({ at, ...quantiles(hours) })),
  }
}

const rounded = (ms: number | null) => (ms === null ? null : Number(ms.toPrecision(3)))

const deliveryView = (buckets: Bucket<DeliveryCounts>[]): View['deliveries'] => ({
  total: totalOf(buckets, ({ succeeded, failed, pending }) => succeeded + failed + pending),
  buckets: buckets.map(({ at, hours }) => ({
    at,
    succeeded: sumOf(hours, (hour) => hour.succeeded),
    failed: sumOf(hours, (hour) => hour.failed),
    pending: sumOf(hours, (hour) => hour.pending),
  })),
})

const messageView = (buckets: Bucket<MessageCounts>[]): View['messages'] => ({
  total_in: totalOf(buckets, ({ inbound }) => inbound),
  total_out: totalOf(buckets, ({ outbound }) => outbound),
  buckets: buckets.map(({ at, hours }) => ({
    at,
    in: sumOf(hours, (hour) => hour.inbound),
    out: sumOf(hours, (hour) => hour.outbound),
  })),
})

const orderView = (buckets: Bucket<PaidOrders>[]): View['orders'] => ({
  paid_count: totalOf(buckets, ({ count }) => count),
  paid_sum: totalOf(buckets, ({ sum }) => sum),
  buckets: buckets.map(({ at, hours }) => ({
    at,
    paid_count: sumOf(hours, (hour) => hour.count),
    paid_sum: sumOf(hours, (hour) => hour.sum),
  })),
})
