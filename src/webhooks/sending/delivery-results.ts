import { type NewEvent, recordEvents } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { firstOf } from '../../kernel/lists.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { cancelEntries } from '../../platform/outbox/entries.ts'
import type { JobResult, LaneReport } from '../../platform/outbox/job.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { deliveryExhausted, deliveryRecovered } from '../deliveries/deliveries.events.ts'
import {
  type AttemptRow,
  type DeliveryRow as Delivery,
  type DeliveryPayload,
  deliveryOf as deliveryOfEntry,
  dissolveBundles,
  isOperational,
  listDeliveriesById,
  presentDelivery,
} from '../deliveries/deliveries.ts'
import { endpointOfLane, isHandLane, laneOf } from '../endpoints/endpoints.ts'
import { ABORTED, type DisableReason } from './attempt-verdict.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import { type Consequences, disableEndpoints, followHealth, type SentTo } from './endpoint-health.ts'
import {
  type AttemptedDelivery,
  attemptedUpsert,
  attemptInsert,
  insertAttempts,
  recordAttempted,
  recordUnattempted,
  recordUndecided,
} from './results.sql.ts'

/**
 * What a batch of runs came to, written in the transaction in which the outbox acknowledges it: the attempts, the
 * deliveries, and, where needed, disabled endpoints and their events. In good times it is two
 * statements, whatever the size of the batch.
 */
export type RunData = {
  attempt: AttemptRow
  disable: { reason: DisableReason; sentTo: SentTo } | null
  about: Pick<AttemptedDelivery, 'type' | 'subject' | 'sequence' | 'is_test' | 'is_thin'>
}
export type DeliveryRun = JobResult<DeliveryPayload, RunData>

type RecordOptions = { clock: Clock; log: Log; metrics: DeliveryMetrics }

export async function recordRuns(
  options: RecordOptions,
  tx: Tx,
  runs: DeliveryRun[],
  lanes: LaneReport[],
): Promise<string[]> {
  const consequences = await writeRuns(options, tx, runs, lanes)
  return recordRunEvents(options, tx, runs, consequences)
}

/**
 * For runs that were handed over and arrived: automatic ones, at their first attempt, whose receiver asked for nothing.
 * Attempts and deliveries are written by the statement that ends the entries.
 */
export function recordArrived(queries: Queries, runs: DeliveryRun[]): unknown | null {
  const isPlain = ({ entry, outcome }: DeliveryRun) =>
    entry.payload.trigger === 'auto' && outcome.data !== undefined && outcome.data.disable === null
  if (!runs.every(isPlain)) return null
  const { orgId } = firstOf(runs).entry
  const isAcked = (column: unknown) => queries.part`${column} in (select id from acked)`
  return queries.part`
    attempts as (
      ${attemptInsert(queries, orgId, runs.flatMap(attemptOf))} where ${isAcked(queries.part`delivery_id`)}),
    arrived as (
      ${attemptedUpsert(queries, orgId, {
        rows: runs.flatMap((run) => decidedBy(run) ?? []),
        where: isAcked(queries.part`ran.id`),
      })})`
}

/** Everything but the events. */
export async function writeRuns(
  options: RecordOptions,
  tx: Tx,
  runs: DeliveryRun[],
  lanes: LaneReport[],
): Promise<Consequences> {
  const givenUp = await listGivenUp(options, tx, runs)
  if (runs.length > 0)
    await Promise.all([
      insertAttempts(tx, firstOf(runs).entry.orgId, runs.flatMap(attemptOf)),
      ...writeResults(tx, runs),
    ])
  await cancelOvertaken(tx, runs)
  const consequences: Consequences = { events: new Map(), laneIds: [] }
  await disableEndpoints(options, tx, findDisabled(runs), consequences)
  await followHealth(options, tx, lanes, consequences)
  await dissolveTroubled(options, tx, runs, consequences)
  await noteRecovered(options, tx, givenUp, consequences)
  return consequences
}

/** The last thing of the acknowledgement, because it takes the counters of the organizations. */
export async function recordRunEvents(
  options: RecordOptions,
  tx: Tx,
  runs: DeliveryRun[],
  consequences: Consequences,
): Promise<string[]> {
  await recordExhausted(options, tx, runs, consequences)
  await recordAll(tx, consequences.events, options.clock.now())
  return consequences.laneIds
}

/** Where something failed, what is bundled may wait: from now on it should be seen waiting. */
async function dissolveTroubled(
  { clock }: RecordOptions,
  tx: Tx,
  runs: DeliveryRun[],
  consequences: Consequences,
): Promise<void> {
  const failed = runs.filter(({ entry, disposition }) => disposition !== 'done' && !isHandLane(entry.laneId))
  const now = new Date(clock.now())
  for (const [laneId, [run]] of Map.groupBy(failed, ({ entry }) => entry.laneId)) {
    if (run === undefined) continue
    const at = { orgId: run.entry.orgId, endpointId: endpointOfLane(laneId), now }
    consequences.laneIds.push(...(await dissolveBundles(tx, 'waiting', at)))
  }
}

/** When it comes next is known only now. */
const attemptOf = ({ outcome, nextDueAt }: DeliveryRun): AttemptRow[] =>
  outcome.data === undefined ? [] : [{ ...outcome.data.attempt, next_attempt_at: nextDueAt }]

const deliveryOf = ({ entry }: DeliveryRun) => deliveryOfEntry(entry)
const isRecovering = ({ entry }: DeliveryRun) => entry.payload.trigger === 'recover'
const isByHand = ({ entry }: DeliveryRun) => entry.payload.trigger === 'manual'

/** A resend decides about its delivery when it arrives, or when the receiver asks for no more of it. */
const isDecisive = ({ disposition, outcome }: DeliveryRun) =>
  disposition === 'done' || ('reason' in outcome && outcome.reason === ABORTED)

/** A resend may finish in one batch with the delivery's own attempt; a row takes one change per statement. */
function writeResults(tx: Tx, runs: DeliveryRun[]): Promise<number>[] {
  const batches: AttemptedDelivery[][] = []
  const changes = new Map<string, number>()
  const others: DeliveryRun[] = []
  for (const run of runs) {
    const decided = decidedBy(run)
    if (decided === null) {
      others.push(run)
      continue
    }
    const nth = changes.get(decided.id) ?? 0
    changes.set(decided.id, nth + 1)
    batches[nth] ??= []
    batches[nth].push(decided)
  }
  return [
    ...batches.map((rows) => recordAttempted(tx, firstOf(rows).org_id, rows)),
    ...others.map((run) => writeOther(tx, run)),
  ]
}

const placeOf = (run: DeliveryRun) => ({ org_id: run.entry.orgId, id: deliveryOf(run) })

const responseOf = (attempt: AttemptRow) => ({
  first_attempt_at: attempt.started_at,
  last_response_status: attempt.response_status,
  last_error_class: attempt.error_class,
})

function decidedBy(run: DeliveryRun): AttemptedDelivery | null {
  const { data } = run.outcome
  if (data === undefined || (isByHand(run) && !isDecisive(run))) return null
  const { endpoint_id, event_id } = data.attempt
  return { ...placeOf(run), endpoint_id, event_id, ...data.about, ...statusOf(run), ...responseOf(data.attempt) }
}

/** Rare, so one by one. */
function writeOther(tx: Tx, run: DeliveryRun): Promise<number> {
  const { data } = run.outcome
  if (data !== undefined) return recordUndecided(tx, { ...placeOf(run), ...responseOf(data.attempt) })
  return isByHand(run) ? Promise.resolve(0) : recordUnattempted(tx, { ...placeOf(run), ...statusOf(run) })
}

type Decided = Pick<AttemptedDelivery, 'status' | 'reason' | 'next_attempt_at' | 'completed_at'>

function statusOf({ disposition, outcome, finishedAt, nextDueAt }: DeliveryRun): Decided {
  const reason = 'reason' in outcome ? outcome.reason : null
  const ended = { next_attempt_at: null, completed_at: finishedAt }
  if (disposition === 'done') return { status: 'succeeded', reason: null, ...ended }
  if (disposition === 'exhausted') return { status: 'failed', reason: 'exhausted', ...ended }
  if (disposition === 'cancelled') return { status: 'cancelled', reason: 'cancelled_in_flight', ...ended }
  if (disposition === 'failed')
    return { status: reason === 'endpoint_deleted' ? 'cancelled' : 'failed', reason, ...ended }
  return { status: 'pending', reason, next_attempt_at: nextDueAt, completed_at: null }
}

/** A delivery that a resend has decided is not sent again automatically. */
async function cancelOvertaken(tx: Tx, runs: DeliveryRun[]): Promise<void> {
  const overtaken = runs.filter((run) => isByHand(run) && isDecisive(run))
  for (const [laneId, ofLane] of Map.groupBy(overtaken, (run) => laneOf(endpointOfLane(run.entry.laneId)))) {
    const [first] = ofLane
    if (first !== undefined) await cancelEntries(tx, { orgId: first.entry.orgId, id: laneId }, ofLane.map(deliveryOf))
  }
}

/** A test or a ping decides nothing about its endpoint. */
const findDisabled = (runs: DeliveryRun[]) =>
  runs.flatMap((run) => {
    const { entry, outcome } = run
    if (entry.payload.trigger === 'test' || outcome.data === undefined || outcome.data.disable === null) return []
    const { disable, about } = outcome.data
    const answered = {
      sentTo: disable.sentTo,
      deliveryId: deliveryOf(run),
      sequence: about.sequence,
      isByHand: isByHand(run),
    }
    const endpointId = endpointOfLane(entry.laneId)
    return [{ orgId: entry.orgId, endpointId, reason: disable.reason, answered }]
  })

/** No event about the delivery of an event that is itself about webhooks: two failing endpoints would talk for ever. */
async function recordExhausted(
  { metrics }: RecordOptions,
  tx: Tx,
  runs: DeliveryRun[],
  { events }: Consequences,
): Promise<void> {
  const exhausted = runs.filter((run) => run.disposition === 'exhausted' && !isByHand(run))
  for (const [orgId, ofOrg] of Map.groupBy(exhausted, ({ entry }) => entry.orgId)) {
    const rows = await listDeliveriesById(tx, orgId, ofOrg.map(deliveryOf))
    for (const row of rows) {
      metrics.exhausted()
      // A repeat of what had arrived already, asked for by a recovery of everything, changes nothing.
      if (row.is_test || isOperational(row.type) || row.status === 'succeeded') continue
      const event = { type: deliveryExhausted, subject: row.endpoint_id, data: presentDelivery(row) }
      events.set(orgId, [...(events.get(orgId) ?? []), event])
    }
  }
}

/**
 * What is about to be written as arrived although it had been given up: asked before it is written, because afterwards all
 * that arrived looks alike. Only a resend can be such, so in good times this asks nothing. What a recovery
 * took up is pending again; what it merely repeats had arrived, and is counted as a duplicate.
 */
async function listGivenUp({ metrics }: RecordOptions, tx: Tx, runs: DeliveryRun[]): Promise<Delivery[]> {
  const again = runs.filter((run) => run.disposition === 'done' && (isByHand(run) || isRecovering(run)))
  const recovering = new Set(again.filter(isRecovering).map(deliveryOf))
  const givenUp: Delivery[] = []
  for (const [orgId, ofOrg] of Map.groupBy(again, ({ entry }) => entry.orgId)) {
    const rows = await listDeliveriesById(tx, orgId, [...new Set(ofOrg.map(deliveryOf))])
    for (const { status } of rows) if (status === 'succeeded') metrics.repeated()
    const isGivenUp = ({ id, status, attempts }: Delivery) =>
      attempts > 0 && (status === 'failed' || (status === 'pending' && recovering.has(id)))
    givenUp.push(...rows.filter((row) => !row.is_test && !isOperational(row.type) && isGivenUp(row)))
  }
  return givenUp
}

async function noteRecovered(
  { metrics }: RecordOptions,
  tx: Tx,
  givenUp: Delivery[],
  { events }: Consequences,
): Promise<void> {
  for (const [orgId, ofOrg] of Map.groupBy(givenUp, ({ org_id }) => org_id)) {
    const ids = ofOrg.map(({ id }) => id)
    for (const row of await listDeliveriesById(tx, orgId, ids)) {
      metrics.recovered()
      const event = { type: deliveryRecovered, subject: row.endpoint_id, data: presentDelivery(row) }
      events.set(orgId, [...(events.get(orgId) ?? []), event])
    }
  }
}

async function recordAll(tx: Tx, events: ReadonlyMap<OrgId, NewEvent[]>, nowMs: number): Promise<void> {
  for (const [orgId, ofOrg] of events) await recordEvents(tx, orgId, ofOrg, nowMs)
}
