import type { EventBody } from '../../events/events.ts'
import type { Id } from '../../kernel/ids.ts'
import { firstOf } from '../../kernel/lists.ts'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import {
  answersOf,
  type ClaimedEntry,
  type Disposition,
  defineJob,
  drawRetryWaitMs,
  type Job,
  type JobResult,
  type LaneReport,
  type Outcome,
} from '../../platform/outbox/job.ts'
import {
  BUNDLE_JOB,
  type BundlePayload,
  bundlePayload,
  createLeftover,
  deliveryIdFor,
  dissolveBundles,
  entryFor,
  type Leftover,
  listDeliveriesById,
  scheduleOf,
} from '../deliveries/deliveries.ts'
import { endpointOfLane, findAnyEndpoint } from '../endpoints/endpoints.ts'
import type { EndpointWatch, SendableEndpoint, WatchedEndpoint } from './attempt-source.ts'
import { RUN_TIMEOUT_MS } from './delivery.jobs.ts'
import { type AttemptOptions, type DeliveryEntry, type MadeAttempt, makeAttempt } from './delivery-attempt.ts'
import { type DeliveryRun, recordRunEvents, writeRuns } from './delivery-results.ts'
import { type ArrivedDelivery, copyArrived, copyAttempts, listExisting } from './results.sql.ts'

/**
 * Sends a bundle (bundles.ts): one event after the other, until one fails or the time is up. What was sent is recorded as
 * if each had been a separate run; what was not sent is left over and dissolved.
 *
 * Each run is the only one of its bundle. One that ends without a word (the process died, the handler threw) may have sent
 * any part of it; it is not run again but dissolved, and each of its deliveries then counts one attempt as made.
 */
type BundleOptions = AttemptOptions & { watch: EndpointWatch }

type BundleEntry = ClaimedEntry<BundlePayload>
type Sent = MadeAttempt & { entry: DeliveryEntry; finishedAt: Date }
type BundleData = {
  sent: Sent[]
  unsent: Id<'evt'>[]
  /** Cut off in the middle: it is not known whether it arrived. */
  interrupted: Id<'evt'>[]
}

/**
 * A receiver that takes longer over a bundle is a slow one: its deliveries should be seen waiting. Not less, because a process
 * with all its slots full takes a second or two itself when its machine is busy, and writing everything down one by one is
 * the last thing it needs then. With the longest timeout of an endpoint on top it is still within the time of a run.
 */
const SENDING_MS = 4_000

export const createBundleJob = (options: BundleOptions): Job =>
  defineJob<BundlePayload, BundleData>({
    name: BUNDLE_JOB,
    payload: bundlePayload,
    retry: { delaysMs: [], jitter: 0 },
    lostRunsMax: 0,
    timeoutMs: RUN_TIMEOUT_MS,
    run: (entry, { signal }) => deliverBundle(options, entry, signal),
    record: async (tx, results, lanes) => (await recordBundles(options, tx, results, lanes)).length > 0,
  })

async function deliverBundle(
  options: BundleOptions,
  entry: BundleEntry,
  signal: AbortSignal,
): Promise<Outcome<BundleData>> {
  const endpointId = endpointOfLane(entry.laneId)
  const { events, endpoint } = await options.source.loadAll(entry.orgId, entry.payload.events, endpointId)
  const data: BundleData = { sent: [], unsent: [], interrupted: [] }
  const isThere = endpoint !== null && endpoint.row.deleted_at === null
  if (isThere) {
    const watched = options.watch.start(endpoint.row)
    try {
      await sendAll(options, { entry, events, endpoint, watched, data }, signal)
    } finally {
      watched.end()
    }
  }
  const done = data.sent.length + data.interrupted.length
  data.unsent = events.slice(done).map((event) => event.id)
  const last = data.sent.at(-1)?.verdict.outcome
  return {
    kind: 'done',
    answers: data.sent.flatMap(({ verdict }) => answersOf(verdict.outcome)),
    ...(last?.pauseLane && { pauseLane: last.pauseLane }),
    data,
  }
}

type Sending = {
  entry: BundleEntry
  events: EventBody[]
  endpoint: SendableEndpoint
  watched: WatchedEndpoint
  data: BundleData
}

/** Until one fails, the run is aborted, the endpoint is changed or the time is up. */
async function sendAll(options: BundleOptions, sending: Sending, signal: AbortSignal): Promise<void> {
  const { entry, events, endpoint, watched, data } = sending
  const startedMs = performance.now()
  for (const event of events) {
    if (watched.isChanged || signal.aborted || performance.now() - startedMs > SENDING_MS) break
    const own = entryOf(entry, event.id)
    try {
      const made = await makeAttempt(options, own, { event, endpoint }, signal)
      const { verdict } = made
      data.sent.push({ verdict, data: made.data, entry: own, finishedAt: new Date(options.clock.now()) })
      if (!verdict.isDelivered || verdict.disable !== null) break
    } catch (error) {
      if (!signal.aborted && data.sent.length === 0) throw error
      data.interrupted.push(event.id)
      break
    }
  }
}

/** The entry that this delivery would have had alone. Written out, because it is created for every delivery. */
function entryOf(bundle: BundleEntry, eventId: Id<'evt'>): DeliveryEntry {
  const { is_thin, retry_delays_seconds } = bundle.payload
  return {
    id: deliveryIdFor(eventId, endpointOfLane(bundle.laneId)),
    laneId: bundle.laneId,
    orgId: bundle.orgId,
    job: bundle.job,
    class: bundle.class,
    orderKey: null,
    payload: {
      event: eventId,
      trigger: 'auto',
      ...(is_thin !== undefined && { is_thin }),
      ...(retry_delays_seconds !== undefined && { retry_delays_seconds }),
    },
    attempt: bundle.attempt,
    leaseNumber: bundle.leaseNumber,
    isProbe: bundle.isProbe,
    enqueuedAt: bundle.enqueuedAt,
    dueAt: bundle.dueAt,
    claimedAt: bundle.claimedAt,
    leaseMs: bundle.leaseMs,
    traceparent: bundle.traceparent,
    throttledMs: bundle.throttledMs,
    isGranted: false,
    isLent: false,
  }
}

type BundleResult = JobResult<BundlePayload, BundleData>

async function recordBundles(
  options: AttemptOptions,
  tx: Tx,
  results: BundleResult[],
  lanes: LaneReport[],
): Promise<string[]> {
  const known = await findKnown(tx, results)
  const [smooth, others] = [
    results.filter((result) => isSmooth(result, known)),
    results.filter((result) => !isSmooth(result, known)),
  ]
  await copySmooth(tx, smooth)
  const runs = others.flatMap(({ outcome }) => (outcome.data?.sent ?? []).map(runOf))
  const consequences = await writeRuns(options, tx, runs, lanes)
  const retrying = runs.filter(({ disposition }) => disposition === 'retrying')
  for (const run of retrying) consequences.laneIds.push(...(await requeueFailed(tx, run)))
  const now = new Date(options.clock.now())
  for (const leftover of results.flatMap(leftoversOf)) {
    const waiting = await dissolveBundles(tx, 'waiting', { ...leftover, now })
    consequences.laneIds.push(...waiting, ...(await createLeftover(tx, leftover, now)))
  }
  return recordRunEvents(options, tx, runs, consequences)
}

const endsOf = ({ outcome }: BundleResult): string[] => {
  const sent = outcome.data?.sent ?? []
  const [first, last] = [sent[0], sent.at(-1)]
  return first === undefined || last === undefined ? [] : [first.entry.id, last.entry.id]
}

/** A bundle that is dissolved while it is sent is recorded as a whole, so its first and last delivery speak for all of it. */
async function findKnown(tx: Tx, results: BundleResult[]): Promise<Set<string>> {
  const rows = await listExisting(tx, firstOf(results).entry.orgId, results.flatMap(endsOf))
  return new Set(rows.map((row) => row.id))
}

/** Everything it sent has arrived, and none of it has a row yet. */
const isSmooth = (result: BundleResult, known: ReadonlySet<string>): boolean => {
  const sent = result.outcome.data?.sent ?? []
  return (
    sent.every(({ verdict }) => verdict.isDelivered && verdict.disable === null) &&
    !endsOf(result).some((id) => known.has(id))
  )
}

/** Some bundles at a time: with thousands of lines in one text, half the time goes into memory that is out of the cache. */
const COPIED_AT_ONCE = 20

async function copySmooth(tx: Tx, results: BundleResult[]): Promise<void> {
  const bundles = results.flatMap(({ outcome }) => (outcome.data?.sent.length ? [outcome.data.sent] : []))
  for (let start = 0; start < bundles.length; start += COPIED_AT_ONCE) {
    const some = bundles.slice(start, start + COPIED_AT_ONCE).flat()
    await copyAttempts(
      tx,
      some.map(({ data }) => data.attempt),
    )
    await copyArrived(tx, some.map(arrivedOf))
  }
}

const arrivedOf = ({ entry, finishedAt, data: { attempt, about } }: Sent): ArrivedDelivery => ({
  type: about.type,
  subject: about.subject,
  sequence: about.sequence,
  is_test: about.is_test,
  is_thin: about.is_thin,
  org_id: attempt.org_id,
  id: attempt.delivery_id,
  endpoint_id: attempt.endpoint_id,
  event_id: attempt.event_id,
  last_response_status: attempt.response_status,
  created_at: entry.enqueuedAt,
  first_attempt_at: attempt.started_at,
  completed_at: finishedAt,
})

/** Gets a separate entry for its further attempts, unless the endpoint was paused or deleted meanwhile. */
async function requeueFailed(tx: Tx, { entry, nextDueAt }: DeliveryRun): Promise<string[]> {
  const orgId = entry.orgId
  const [endpoint, [row]] = await Promise.all([
    findAnyEndpoint(tx, orgId, endpointOfLane(entry.laneId)),
    listDeliveriesById(tx, orgId, [entry.id]),
  ])
  if (endpoint === null || row?.status !== 'pending') return []
  const { retry_delays_seconds = null } = entry.payload
  const recipient = { ...endpoint, retry_delays_seconds, retry_delays_by_event: null }
  const options = { class: 'retry' as const, attempt: entry.attempt, dueAt: nextDueAt as Date }
  await enqueue(tx, [entryFor(recipient, { ...row, attempts: 0 }, options)])
  return [entry.laneId]
}

function runOf({ entry, verdict, data, finishedAt }: Sent): DeliveryRun {
  const outcome = { ...verdict.outcome, data }
  const { disposition, nextDueAt } = fateOf(entry, verdict.outcome, finishedAt)
  return { entry, outcome, disposition, finishedAt, nextDueAt }
}

function fateOf(
  entry: DeliveryEntry,
  outcome: Outcome,
  at: Date,
): { disposition: Disposition; nextDueAt: Date | null } {
  if (outcome.kind !== 'retry') return { disposition: outcome.kind === 'done' ? 'done' : 'failed', nextDueAt: null }
  const { attempt, payload } = entry
  const waitMs = drawRetryWaitMs(scheduleOf(payload), { attempt, afterMs: outcome.afterMs }, Math.random)
  if (waitMs === null) return { disposition: 'exhausted', nextDueAt: null }
  return { disposition: 'retrying', nextDueAt: new Date(at.getTime() + waitMs) }
}

function leftoversOf({ entry, outcome }: BundleResult): Leftover[] {
  const { data } = outcome
  const place = { orgId: entry.orgId, endpointId: endpointOfLane(entry.laneId), bundle: entry.payload }
  if (data === undefined) return [{ ...place, eventIds: entry.payload.events, attempt: 1 }]
  return [
    { ...place, eventIds: data.unsent, attempt: 0 },
    { ...place, eventIds: data.interrupted, attempt: 1 },
  ].filter(({ eventIds }) => eventIds.length > 0)
}
