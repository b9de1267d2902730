import type { OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue, rescheduleEntries } from '../../platform/outbox/entries.ts'
import { defineJob, type Outcome } from '../../platform/outbox/job.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import {
  createDeliveries,
  entryFor,
  hastenDeliveries,
  listDeliveriesById,
  requeueDeliveries,
} from '../deliveries/deliveries.ts'
import { type EndpointRow, findEndpoint, laneOf, lockSubscriptions } from '../endpoints/endpoints.ts'
import {
  countUntried,
  lockRecovery,
  markHastened,
  type RecoveryProgress,
  saveProgress,
  type TypeCounts,
} from './recovery.sql.ts'
import { COUNT_PAGE_ROWS, endRecovery, RECOVER_JOB, type RecoveriesContext, type Recovery } from './recovery.ts'
import { type Chosen, selectPage } from './recovery-selection.ts'

/**
 * One step of a recovery, in one short transaction: a page is counted, or a page is handed to the outbox, and the position
 * moves with it. A process that dies in between leaves either both or neither, and two processes that believe to be at it take
 * turns at the row's lock and do different pages.
 *
 * The lock on subscriptions is shared with fan-out: while a page is handed over, the endpoint is not paused and nothing settles its
 * backlog. Lanes are locked before deliveries, as acknowledgements do.
 */
type Next = { next: 'more' } | { next: 'later'; at: Date } | { next: 'end' }
export type RecoveryStep = Next & { /** May have new work. */ laneId: string | null }

export const SEND_PAGE_ROWS = 500
/** No more untried deliveries of recovery than this are in the outbox for an endpoint. */
export const QUEUED_MAX = 2000
const FULL_WAIT_MS = 500
const RESTING_WAIT_MS = 15_000
/** Greater than every id: nothing is left to hand over. */
const THE_END = '~'

export function stepRecovery(context: RecoveriesContext, orgId: OrgId, id: string): Promise<RecoveryStep> {
  const now = new Date(context.clock.now())
  return context.database.transaction(async (tx) => {
    await lockSubscriptions(tx, orgId, 'shared')
    const recovery = await lockRecovery(tx, orgId, id)
    if (recovery === null || recovery.finished_at !== null) return { next: 'end', laneId: null }
    const next = await moveOn(tx, recovery, now)
    return { ...next, laneId: laneOf(recovery.endpoint_id) }
  })
}

async function moveOn(tx: Tx, recovery: Recovery, now: Date): Promise<Next> {
  const endpoint = await findEndpoint(tx, recovery.org_id, recovery.endpoint_id)
  if (endpoint === null) return end(tx, recovery, { status: 'cancelled', reason: 'endpoint_deleted', finished_at: now })
  if (endpoint.disabled_reason === 'gone') return endWithBacklog(tx, recovery, now)
  if (recovery.status === 'counting') return countPage(tx, recovery, endpoint, now)
  return endpoint.is_holding ? rest(tx, recovery, endpoint, now) : sendPage(tx, recovery, endpoint, now)
}

/** Its deliveries are cancelled, and that ends the recovery too, if it happens first. */
async function endWithBacklog(tx: Tx, { org_id: orgId, endpoint_id: endpointId }: Recovery, now: Date): Promise<Next> {
  await endRecovery(tx, orgId, { endpointId, reason: 'endpoint_disabled', now })
  return { next: 'end' }
}

/** For a recovery whose job gave up: it must not stand in the way of the next. */
export async function abandonRecovery(tx: Tx, orgId: OrgId, { id, now }: { id: string; now: Date }): Promise<void> {
  const recovery = await lockRecovery(tx, orgId, id)
  if (recovery === null || recovery.finished_at !== null) return
  await end(tx, recovery, { status: 'cancelled', reason: 'internal_error', finished_at: now })
}

const save = (tx: Tx, recovery: Recovery, change: Partial<RecoveryProgress>) =>
  saveProgress(tx, recovery.org_id, { ...recovery, ...change })

async function end(tx: Tx, recovery: Recovery, change: Partial<RecoveryProgress>): Promise<Next> {
  await save(tx, recovery, change)
  return { next: 'end' }
}

async function countPage(tx: Tx, recovery: Recovery, endpoint: EndpointRow, now: Date): Promise<Next> {
  const { position } = recovery
  const page = await selectPage(tx, endpoint, recovery, { position, limit: COUNT_PAGE_ROWS, now })
  const total = recovery.total + page.chosen.length
  const counts = tally(recovery.counts, page.chosen, 'total')
  if (page.isLast) await save(tx, recovery, { status: 'running', position: '', total, counts })
  else await save(tx, recovery, { position: page.position, total, counts })
  return { next: 'more' }
}

/** It continues once the endpoint is resumed and its backlog is dealt with. */
async function rest(tx: Tx, recovery: Recovery, endpoint: EndpointRow, now: Date): Promise<Next> {
  await save(tx, recovery, {
    reason: endpoint.state === 'enabled' ? 'endpoint_resuming' : `endpoint_${endpoint.state}`,
  })
  return { next: 'later', at: new Date(now.getTime() + RESTING_WAIT_MS) }
}

async function sendPage(tx: Tx, recovery: Recovery, endpoint: EndpointRow, now: Date): Promise<Next> {
  const { position } = recovery
  const untried = await countUntried(tx, { orgId: endpoint.org_id, id: laneOf(endpoint.id) }, QUEUED_MAX)
  if (position === THE_END && untried === 0) return end(tx, recovery, completion(recovery, now))
  if (position === THE_END || untried + SEND_PAGE_ROWS > QUEUED_MAX) return letDrain(tx, recovery, now)
  const page = await selectPage(tx, endpoint, recovery, { position, limit: SEND_PAGE_ROWS, now })
  const handed = await handOver(tx, endpoint, page.chosen, now)
  await save(tx, recovery, {
    reason: null,
    position: page.isLast ? THE_END : page.position,
    done: recovery.done + handed.length,
    counts: tally(recovery.counts, handed, 'done'),
  })
  return { next: 'more' }
}

async function letDrain(tx: Tx, recovery: Recovery, now: Date): Promise<Next> {
  if (recovery.reason !== null) await save(tx, recovery, { reason: null })
  return { next: 'later', at: new Date(now.getTime() + FULL_WAIT_MS) }
}

/** Between the count and the end some arrive without the recovery and others fail; the final count is exact. */
const completion = (recovery: Recovery, now: Date): Partial<RecoveryProgress> => ({
  status: 'completed',
  reason: null,
  total: recovery.done,
  counts: Object.fromEntries(
    Object.entries(recovery.counts).flatMap(([type, { done }]) => (done === 0 ? [] : [[type, { total: done, done }]])),
  ),
  finished_at: now,
})

const BULK = { trigger: 'recover', class: 'bulk' } as const

/** Answers with those that really went: a delivery that changed meanwhile is left alone. */
async function handOver(tx: Tx, endpoint: EndpointRow, chosen: Chosen[], now: Date): Promise<Chosen[]> {
  const hastened = await hasten(tx, endpoint, idsOf(chosen, 'hasten'), now)
  const requeued = await requeueDeliveries(tx, endpoint, {
    ids: idsOf(chosen, 'requeue'),
    from: ['failed', 'cancelled', 'skipped', 'held'],
    now,
    ...BULK,
  })
  await replay(tx, endpoint, idsOf(chosen, 'replay'), now)
  // A recovery overrides an earlier skip.
  const asked = { ...endpoint, skipped_until: null }
  const missing = chosen.flatMap((one) => (one.act === 'create' ? [{ endpoint: asked, event: one.event }] : []))
  await createDeliveries(tx, endpoint.org_id, missing, { now, ...BULK })
  const moved = new Set<string>([...hastened, ...requeued.map((row) => row.id)])
  return chosen.filter((one) => one.act === 'create' || one.act === 'replay' || moved.has(one.id))
}

const idsOf = (chosen: Chosen[], act: Exclude<Chosen['act'], 'create'>): string[] =>
  chosen.flatMap((one) => (one.act === act ? [one.id] : []))

async function hasten(tx: Tx, endpoint: EndpointRow, ids: string[], now: Date): Promise<string[]> {
  if (ids.length === 0) return []
  const lane = { orgId: endpoint.org_id, id: laneOf(endpoint.id) }
  const { changed } = await rescheduleEntries(tx, lane, { ids, dueAt: now, class: 'bulk' })
  await markHastened(tx, lane, changed)
  await hastenDeliveries(tx, endpoint.org_id, { ids: changed, now })
  return changed
}

/** The row is not touched: it arrived, and a failure of the replay does not change that. */
async function replay(tx: Tx, endpoint: EndpointRow, ids: string[], now: Date): Promise<void> {
  if (ids.length === 0) return
  const rows = await listDeliveriesById(tx, endpoint.org_id, ids)
  await enqueue(
    tx,
    rows.map((row) => entryFor(endpoint, row, { ...BULK, dueAt: now })),
  )
}

function tally(counts: TypeCounts, chosen: Chosen[], what: 'total' | 'done'): TypeCounts {
  const tallied = { ...counts }
  for (const { type } of chosen) {
    const count = tallied[type] ?? { total: 0, done: 0 }
    tallied[type] = { ...count, [what]: count[what] + 1 }
  }
  return tallied
}

/**
 * Drives a recovery: steps for a while, then lets others have the slot. The position is in the recovery's own row, so
 * nothing is lost when a run ends in the middle, and nothing is repeated when its acknowledgement is.
 */
const TURN_MS = 250

/** The steps only talk to our own database, so whatever fails there passes. After two days of trying it is a bug. */
const retry = {
  delaysMs: [1, 5, 30, 60, ...Array<number>(48).fill(3600)].map((seconds) => seconds * 1000),
  jitter: 0.2,
}

type Touched = { laneId: string | null }

export const createRecoverJob = (context: RecoveriesContext & { log: Log }) =>
  defineJob<unknown, Touched>({
    name: RECOVER_JOB,
    retry,
    async run(entry, { signal }): Promise<Outcome<Touched>> {
      const untilMs = performance.now() + TURN_MS
      let step: RecoveryStep = { next: 'more', laneId: null }
      while (step.next === 'more' && performance.now() < untilMs && !signal.aborted)
        step = await stepRecovery(context, entry.orgId, entry.id)
      const data = { laneId: step.laneId }
      if (step.next === 'end') {
        context.log.info({ org_id: entry.orgId, recovery_id: entry.id }, 'webhook recovery finished')
        return { kind: 'done', data }
      }
      return { kind: 'repeat', ...(step.next === 'later' && { at: step.at }), data }
    },
    async record(tx, results) {
      for (const { entry, disposition, finishedAt } of results)
        if (disposition === 'exhausted') await abandonRecovery(tx, entry.orgId, { id: entry.id, now: finishedAt })
      return results.some(({ outcome }) => typeof outcome.data?.laneId === 'string')
    },
  })
