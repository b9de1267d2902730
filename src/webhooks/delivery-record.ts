import { type NewEvent, recordEvents } from '../events/events.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Id, OrgId } from '../kernel/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { cancelEntries } from '../platform/outbox/entries.ts'
import type { JobResult, LaneReport } from '../platform/outbox/job.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { DisableReason } from './attempt-verdict.ts'
import { type AttemptRow, insertAttempts } from './attempts.sql.ts'
import { type DeliveryResult, listDeliveriesById, planAfresh, recordDeliveryResults } from './deliveries.sql.ts'
import type { DeliveryPayload } from './delivery-entry.ts'
import { presentDelivery } from './delivery-view.ts'
import { type Consequences, disableEndpoints, followHealth } from './endpoint-health.ts'
import { endpointOfLane, laneOf } from './endpoint-lanes.ts'
import { isOperational } from './fan-out.ts'
import type { WebhookFigures } from './webhook-figures.ts'
import { deliveryExhausted } from './webhooks.events.ts'

/**
 * What a batch of runs came to, written in the transaction in which the outbox acknowledges it: the attempts, the
 * deliveries, and, where it comes to that, endpoints that are disabled and events that tell of it. In good times it is two
 * statements, whatever the size of the batch.
 */
export type RunData = { attempt: AttemptRow; disable: DisableReason | null }
export type DeliveryRun = JobResult<DeliveryPayload, RunData>

export type RecordOptions = { clock: Clock; log: Log; figures: WebhookFigures }

export async function recordRuns(
  options: RecordOptions,
  tx: Tx,
  runs: DeliveryRun[],
  lanes: LaneReport[],
): Promise<string[]> {
  await Promise.all([planAfresh(tx), insertAttempts(tx, runs.flatMap(attemptOf)), ...writeResults(tx, runs)])
  await cancelOvertaken(tx, runs)
  const consequences: Consequences = { events: new Map(), laneIds: [] }
  await disableEndpoints(options, tx, findDisabled(runs), consequences)
  await followHealth(options, tx, lanes, consequences)
  await tellExhausted(options, tx, runs, consequences)
  await recordAll(tx, consequences.events, options.clock.now())
  return consequences.laneIds
}

/** When it comes next is known only now. */
const attemptOf = ({ outcome, nextDueAt }: DeliveryRun): AttemptRow[] =>
  outcome.data === undefined ? [] : [{ ...outcome.data.attempt, next_attempt_at: nextDueAt }]

const deliveryOf = ({ entry }: DeliveryRun) => (entry.payload.delivery ?? entry.id) as Id<'dlv'>
const isByHand = ({ entry }: DeliveryRun) => entry.payload.trigger === 'manual'

/** A resend may finish in one batch with the delivery's own attempt; a row takes one change per statement. */
function writeResults(tx: Tx, runs: DeliveryRun[]): Promise<number>[] {
  const ids = new Set<string>()
  const [first, again]: [DeliveryResult[], DeliveryResult[]] = [[], []]
  for (const run of runs) {
    const id = deliveryOf(run)
    ;(ids.has(id) ? again : first).push(resultOf(run))
    ids.add(id)
  }
  return [first, ...again.map((result) => [result])].flatMap((results) =>
    results.length === 0 ? [] : [recordDeliveryResults(tx, results)],
  )
}

function resultOf(run: DeliveryRun): DeliveryResult {
  const attempt = run.outcome.data?.attempt ?? null
  return {
    orgId: run.entry.orgId as OrgId,
    id: deliveryOf(run),
    ...statusOf(run),
    isAttempted: attempt !== null,
    startedAt: attempt?.started_at ?? null,
    nextAttemptAt: isByHand(run) ? null : run.nextDueAt,
    finishedAt: run.finishedAt,
    responseStatus: attempt?.response_status ?? null,
    errorClass: attempt?.error_class ?? null,
  }
}

function statusOf(run: DeliveryRun): Pick<DeliveryResult, 'status' | 'reason'> {
  const { disposition, outcome } = run
  const reason = 'reason' in outcome ? outcome.reason : null
  if (disposition === 'done') return { status: 'succeeded', reason: null }
  if (isByHand(run)) return { status: null, reason: null }
  if (disposition === 'exhausted') return { status: 'failed', reason: 'exhausted' }
  if (disposition === 'cancelled') return { status: 'cancelled', reason: 'cancelled_in_flight' }
  if (disposition !== 'failed') return { status: 'pending', reason }
  return { status: reason === 'endpoint_deleted' ? 'cancelled' : 'failed', reason }
}

/** What succeeded by hand is not sent again by itself. */
async function cancelOvertaken(tx: Tx, runs: DeliveryRun[]): Promise<void> {
  const overtaken = runs.filter((run) => isByHand(run) && run.disposition === 'done')
  for (const [laneId, ofLane] of Map.groupBy(overtaken, (run) => laneOf(endpointOfLane(run.entry.laneId))))
    await cancelEntries(tx, laneId, ofLane.map(deliveryOf), (ofLane[0] as DeliveryRun).finishedAt)
}

/** A test or a ping decides nothing about its endpoint. */
const findDisabled = (runs: DeliveryRun[]) =>
  runs.flatMap(({ entry, outcome }) => {
    const reason = entry.payload.trigger === 'test' ? null : (outcome.data?.disable ?? null)
    return reason === null ? [] : [{ orgId: entry.orgId as OrgId, endpointId: endpointOfLane(entry.laneId), reason }]
  })

/** No event about the delivery of an event that is itself about webhooks: two failing endpoints would talk for ever. */
async function tellExhausted(
  { figures }: RecordOptions,
  tx: Tx,
  runs: DeliveryRun[],
  { events }: Consequences,
): Promise<void> {
  const exhausted = runs.filter((run) => run.disposition === 'exhausted' && !isByHand(run))
  for (const [orgId, ofOrg] of Map.groupBy(exhausted, ({ entry }) => entry.orgId as OrgId)) {
    const rows = await listDeliveriesById(tx, orgId, ofOrg.map(deliveryOf))
    for (const row of rows) {
      figures.exhausted()
      // A repeat of what had arrived already, asked for by a recovery of everything, changes nothing.
      if (row.is_test || isOperational(row.type) || row.status === 'succeeded') continue
      const event = { type: deliveryExhausted, subject: row.endpoint_id, data: presentDelivery(row) }
      events.set(orgId, [...(events.get(orgId) ?? []), event])
    }
  }
}

/** In one order in every process: each takes a lock on the organization's counter until the commit. */
async function recordAll(tx: Tx, events: ReadonlyMap<OrgId, NewEvent[]>, nowMs: number): Promise<void> {
  for (const orgId of [...events.keys()].sort()) await recordEvents(tx, orgId, events.get(orgId) ?? [], nowMs)
}
