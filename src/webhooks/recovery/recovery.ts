import type { z } from 'zod'
import { EVENT_RETENTION_DAYS } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, isId, newId, type OrgId } from '../../kernel/ids.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { cancelEntries, enqueue } from '../../platform/outbox/entries.ts'
import { ensureLane, type LaneOptions } from '../../platform/outbox/lanes.ts'
import { OUTBOX_CHANNEL } from '../../platform/outbox/wake-ups.ts'
import { type Delivery, listDeliveriesById, moveDeliveries } from '../deliveries/deliveries.ts'
import { type Endpoint, getEndpoint, laneOf } from '../endpoints/endpoints.ts'
import {
  recoveryEndpointResting,
  recoveryFinished,
  recoveryNotFound,
  recoveryRunning,
  recoveryStatusMismatch,
  recoveryWindowEmpty,
  recoveryWindowExpired,
} from './recovery.errors.ts'
import type { RecoverInput, WebhookRecovery, WebhookRecoveryEstimate } from './recovery.schemas.ts'
import {
  countUntried,
  findRecovery,
  findRunningRecovery,
  insertRecovery,
  listRecoveryRows,
  listUntried,
  lockRecovery,
  type RecoveryRow,
  saveProgress,
  unmarkHastened,
} from './recovery.sql.ts'
import { type Selector, selectPage, statusesOfMode } from './recovery-selection.ts'

/**
 * A recovery sends what an endpoint did not get over a stretch of time: events that failed, were skipped, or were never
 * due to it. It is a job that works in pages; recovery.jobs.ts does one page, this file starts, reads and stops it.
 *
 *   (start) ──▶ counting ── every page looked through ──▶ running
 *   running ── every page handed to the outbox, and all of it tried once ──▶ completed
 *   counting, running ── cancel, or the endpoint is gone or resumed from now ──▶ cancelled
 *
 * Deliveries go into the endpoint's own lane in class `bulk`, which has a separate cap there, so new events go first;
 * and only so many at a time that the outbox stays small. While the endpoint is paused or disabled the recovery waits.
 * Same event id, same bytes, a new timestamp and signature per attempt.
 */
export type Recovery = RecoveryRow

export type RecoveriesContext = {
  database: Database
  clock: Clock
}

export const RECOVER_JOB = 'webhooks.recover'

/** One lane per organization: its recoveries take turns, and none of its deliveries wait behind them. */
const recoveryLane = (orgId: OrgId): LaneOptions => ({
  id: `${orgId}:recoveries`,
  orgId,
  kind: RECOVER_JOB,
  concurrencyMax: 2,
  isAdaptive: false,
  hasBreaker: false,
  ordering: 'none',
})

export type RecoveryRequest = Omit<RecoverInput, 'dry_run'> & { endpointId: string }

export async function startRecovery(
  context: RecoveriesContext,
  tx: Tx,
  orgId: OrgId,
  request: RecoveryRequest,
): Promise<Recovery> {
  const now = new Date(context.clock.now())
  const endpoint = await getEndpoint(tx, orgId, request.endpointId)
  const selector = acceptSelector(request, now)
  if (endpoint.state !== 'enabled') {
    throw recoveryEndpointResting({
      says: `This webhook endpoint is ${endpoint.state}, so nothing can be sent to it. Resume it first.`,
      params: { state: endpoint.state },
    })
  }
  const id = newId('job', now.getTime())
  const row = await insertRecovery(tx, orgId, { ...selector, id, endpoint_id: endpoint.id, created_at: now })
  if (row === null) throw await runningAlready(tx, orgId, endpoint)
  const lane = recoveryLane(orgId)
  await ensureLane(tx, lane)
  await enqueue(tx, [{ id, laneId: lane.id, orgId, job: RECOVER_JOB, dueAt: now }])
  tx.poke(OUTBOX_CHANNEL)
  return row
}

async function runningAlready(tx: Tx, orgId: OrgId, endpoint: Endpoint) {
  const running = await findRunningRecovery(tx, orgId, endpoint.id)
  return running === null
    ? recoveryRunning()
    : recoveryRunning({
        says: `The recovery ${running.id} for this webhook endpoint is still running. Wait for it, or cancel it.`,
        params: { recovery_id: running.id },
      })
}

const DAY_MS = 24 * 3600 * 1000

/** Whole days are dropped, so the earliest kept moment is the beginning of one. */
const earliestKept = (now: Date) => new Date((Math.floor(now.getTime() / DAY_MS) - EVENT_RETENTION_DAYS) * DAY_MS)

function acceptSelector(request: RecoveryRequest, now: Date): Selector {
  const since = new Date(request.since)
  const until = new Date(
    Math.min(now.getTime(), request.until === undefined ? now.getTime() : Date.parse(request.until)),
  )
  const earliest = earliestKept(now)
  if (since < earliest) {
    throw recoveryWindowExpired({
      says: `Events are kept for ${EVENT_RETENTION_DAYS} days. Choose a \`since\` of ${earliest.toISOString()} or later.`,
      params: { since: since.toISOString(), earliest: earliest.toISOString(), retention_days: EVENT_RETENTION_DAYS },
    })
  }
  if (since >= until) throw recoveryWindowEmpty({ params: { since: since.toISOString(), until: until.toISOString() } })
  return {
    mode: request.mode,
    include_before_creation: request.include_before_creation,
    since,
    until,
    types: request.types ?? null,
    statuses: acceptStatuses(request),
  }
}

function acceptStatuses({ mode, status }: RecoveryRequest): Selector['statuses'] {
  if (status === undefined) return null
  const wanted = [...new Set([status].flat())]
  const covered = statusesOfMode[mode]
  const strange = wanted.filter((one) => !covered.includes(one))
  if (strange.length === 0) return wanted
  const says =
    covered.length === 0
      ? 'The mode "missing" is for events without a delivery. Leave `status` out.'
      : `The mode "${mode}" includes ${covered.join(', ')}, not ${strange.join(', ')}. Choose another mode or status.`
  throw recoveryStatusMismatch({ says, params: { mode, status: strange, covered } })
}

type Estimate = Selector & { endpoint_id: Id<'wep'>; isExact: boolean; counts: Map<string, number> }

export const COUNT_PAGE_ROWS = 5000
const ESTIMATE_MS_MAX = 8000

/** The dry run: in any state of the endpoint, beside a running recovery, and without changing anything. */
export async function estimateRecovery(
  context: RecoveriesContext,
  orgId: OrgId,
  request: RecoveryRequest,
): Promise<Estimate> {
  const { database, clock } = context
  const now = new Date(clock.now())
  const endpoint = await getEndpoint(database, orgId, request.endpointId)
  const selector = acceptSelector(request, now)
  const counts = new Map<string, number>()
  const startedMs = performance.now()
  let page = { position: '', isLast: false }
  while (!page.isLast && performance.now() - startedMs < ESTIMATE_MS_MAX) {
    const looked = await selectPage(database, endpoint, selector, { ...page, limit: COUNT_PAGE_ROWS, now })
    for (const { type } of looked.chosen) counts.set(type, (counts.get(type) ?? 0) + 1)
    page = looked
  }
  return { ...selector, endpoint_id: endpoint.id, isExact: page.isLast, counts }
}

export async function getRecovery(
  queries: Queries,
  orgId: OrgId,
  { endpointId, id }: { endpointId: string; id: string },
): Promise<Recovery> {
  const endpoint = await getEndpoint(queries, orgId, endpointId)
  const row = isId('job', id) ? await findRecovery(queries, orgId, id) : null
  if (row === null || row.endpoint_id !== endpoint.id) throw recoveryNotFound({ params: { id } })
  return row
}

export async function listRecoveries(
  queries: Queries,
  orgId: OrgId,
  page: { endpointId: string; before?: string; limit: number },
): Promise<Recovery[]> {
  const endpoint = await getEndpoint(queries, orgId, page.endpointId)
  return listRecoveryRows(queries, orgId, { ...page, endpointId: endpoint.id })
}

const UNTRIED_COUNTED_MAX = 10_000

/** Only one recovery of an endpoint runs at a time, so whatever of its lane recovery put there is of that one. */
const countQueued = async (queries: Queries, recovery: Recovery): Promise<number> =>
  recovery.finished_at === null ? countUntried(queries, laneOfRecovery(recovery), UNTRIED_COUNTED_MAX) : 0

/** Queued deliveries without an attempt are cancelled; those with one, or merely brought forward, keep their schedule. */
export async function cancelRecovery(
  { clock }: RecoveriesContext,
  tx: Tx,
  orgId: OrgId,
  target: { endpointId: string; id: string },
): Promise<Recovery> {
  const { id } = await getRecovery(tx, orgId, target)
  const recovery = await lockRecovery(tx, orgId, id)
  if (recovery === null) throw recoveryNotFound({ params: { id } })
  if (recovery.finished_at !== null) throw recoveryFinished({ params: { status: recovery.status } })
  const now = new Date(clock.now())
  await cancelEntries(tx, recoveryLane(orgId), [id])
  const { taken } = await takeBack(tx, recovery)
  const move = { ids: taken, to: 'cancelled' as const, reason: 'recovery_cancelled', now }
  await moveDeliveries(tx, orgId, { ...move, from: ['pending'] })
  return end(tx, recovery, { reason: 'by_request', untried: taken, now })
}

/**
 * For an endpoint whose backlog is given up, because it is resumed from now or gone: what a recovery has queued for it goes
 * with it, so the recovery is over, and counts as done only what was tried. Before the lane is locked, as recoveries
 * do it.
 */
export async function endRecovery(
  tx: Tx,
  orgId: OrgId,
  { endpointId, reason, now }: { endpointId: string; reason: string; now: Date },
): Promise<void> {
  const running = await findRunningRecovery(tx, orgId, endpointId)
  const recovery = running === null ? null : await lockRecovery(tx, orgId, running.id)
  if (recovery === null || recovery.finished_at !== null) return
  await cancelEntries(tx, recoveryLane(orgId), [recovery.id])
  const { taken, hastened } = await takeBack(tx, recovery)
  await end(tx, recovery, { reason, untried: [...taken, ...hastened], now })
}

const laneOfRecovery = ({ org_id: orgId, endpoint_id: endpointId }: Recovery) => ({ orgId, id: laneOf(endpointId) })

type TakenBack = { taken: Id<'dlv'>[]; hastened: Id<'dlv'>[] }

/** What was brought forward stays where it is; only the mark goes, or the next recovery would wait for it too. */
async function takeBack(tx: Tx, recovery: Recovery): Promise<TakenBack> {
  const lane = laneOfRecovery(recovery)
  const untried = await listUntried(tx, lane, UNTRIED_COUNTED_MAX)
  const idsOf = (isHastened: boolean) => untried.flatMap((row) => (row.is_hastened === isHastened ? row.id : []))
  const { changed } = await cancelEntries(tx, lane, idsOf(false))
  const hastened = idsOf(true)
  await unmarkHastened(tx, lane, hastened)
  return { taken: changed as Id<'dlv'>[], hastened }
}

type EarlyEnd = { reason: string; untried: string[]; now: Date }

/** As done counts only what it still stands for. */
async function end(tx: Tx, recovery: Recovery, { reason, untried, now }: EarlyEnd): Promise<Recovery> {
  const { org_id: orgId } = recovery
  const tally = subtractDone(recovery, await listDeliveriesById(tx, orgId, untried))
  return saveProgress(tx, orgId, { ...recovery, ...tally, status: 'cancelled', reason, finished_at: now })
}

function subtractDone({ done, counts }: Recovery, taken: Delivery[]): Pick<Recovery, 'done' | 'counts'> {
  const left = structuredClone(counts)
  for (const { type } of taken) {
    const count = left[type]
    if (count !== undefined) count.done -= 1
  }
  return { done: done - taken.length, counts: left }
}

/** Recoveries as the API shows them. */
export type RecoveryView = z.input<typeof WebhookRecovery>
export type EstimateView = z.input<typeof WebhookRecoveryEstimate>

const presentSelection = (selection: Recovery | Estimate) => ({
  endpoint_id: selection.endpoint_id,
  mode: selection.mode,
  include_before_creation: selection.include_before_creation,
  since: selection.since.toISOString(),
  until: selection.until.toISOString(),
  types: selection.types,
  statuses: selection.statuses,
})

export async function presentRecovery(queries: Queries, row: Recovery): Promise<RecoveryView> {
  return {
    object: 'webhook_recovery' as const,
    id: row.id,
    ...presentSelection(row),
    status: row.status,
    reason: row.reason,
    progress: {
      total: row.status === 'counting' ? null : row.total,
      done: row.done,
      queued: await countQueued(queries, row),
    },
    counts: inOrder(Object.entries(row.counts)).map(([type, { total, done }]) => ({ type, total, done })),
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }
}

export function presentEstimate(estimate: Estimate): EstimateView {
  const counts = inOrder([...estimate.counts]).map(([type, total]) => ({ type, total }))
  return {
    object: 'webhook_recovery_estimate' as const,
    ...presentSelection(estimate),
    total: counts.reduce((sum, { total }) => sum + total, 0),
    is_exact: estimate.isExact,
    counts,
  }
}

const inOrder = <Value>(entries: [string, Value][]) => entries.sort(([one], [other]) => (one < other ? -1 : 1))
