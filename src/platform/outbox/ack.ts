import type { OrgId } from '../../kernel/ids.ts'
import { firstOf, itemAt, storedValue } from '../../kernel/lists.ts'
import type { Database, Queries, Tx } from '../database/database.ts'
import { limitLockWaits } from '../database/queries.ts'
import { withTraces } from '../telemetry/spans.ts'
import {
  type AckLaneRow,
  deleteEntries,
  type EntryReturn,
  endFenced,
  endGranted,
  endLent,
  type FencedRow,
  findFenced,
  type LaneAcked,
  lockAckLanes,
  moveAckedLanes,
  returnEntries,
  unparkKeys,
} from './ack.sql.ts'
import { tracesOf } from './entry-traces.ts'
import { revokeGrants } from './grants.sql.ts'
import {
  answersOf,
  type ClaimedEntry,
  classNumber,
  type Disposition,
  drawRetryWaitMs,
  type Job,
  type JobResult,
  type LaneReport,
  type Outcome,
} from './job.ts'
import { applyAnswer, blockUntil, type LaneCondition, readMemory, slotsOf } from './lane-health.ts'
import { refreshLanes } from './maintenance.sql.ts'

/**
 * One acknowledgement of a batch: the outcome of each entry, what that says about each lane, and the capability's own
 * rows, in one transaction. An entry whose lease was lost is left out of all of it. Sending a batch twice is harmless: the
 * second time no lease matches.
 */
export type FinishedRun = { entry: ClaimedEntry; outcome: Outcome | Released; finishedAt: Date }

/** Given up before it came to an outcome; or not begun, and then it is not counted as an attempt. */
export type Released = { kind: 'released'; isBegun: boolean }

export type AckRequest = {
  /** All runs are of this organization. */
  orgId: OrgId
  jobs: ReadonlyMap<string, Job>
  runs: FinishedRun[]
  random: () => number
  now: Date
  /** How long it waits for a lock that is held elsewhere. */
  lockMs: number
}

export type Ack = {
  orgId: OrgId
  results: JobResult[]
  lostLeases: ClaimedEntry[]
  /** Whether the organization has more that is due: in one of the lanes, or enqueued while recording. */
  isMoreDue: boolean
}

type Settled = { result: JobResult; orderKey: string | null; entryReturn: EntryReturn | null; isGranted: boolean }

export function ackRuns(database: Database, request: AckRequest): Promise<Ack> {
  const { orgId, runs, now } = request
  const ids = runs.map((run) => run.entry.id)
  const leaseNumbers = runs.map((run) => run.entry.leaseNumber)
  const laneIds = new Set(runs.map((run) => run.entry.laneId))
  const others = runs.flatMap(({ entry }) => request.jobs.get(entry.job)?.alsoLocks(entry) ?? [])
  return database.transaction(async (tx) => {
    const isEnd = runs.every(endsEntry)
    const limiting = tx.isSharded() ? limitLockWaits(tx, request.lockMs) : undefined
    const [locked, rows] = await Promise.all([
      lockAckLanes(tx, orgId, { laneIds: [...laneIds.union(new Set(others))], lockMs: request.lockMs }),
      isEnd ? endFenced(tx, orgId, { ids, leaseNumbers }) : findFenced(tx, orgId, { ids, leaseNumbers }),
      limiting,
    ])
    const lanes = locked.filter(({ id }) => laneIds.has(id))
    const fenced = new Map(rows.map((row) => [row.id, row]))
    // By both numbers: a batch may hold an old run of an entry that this process has claimed again since.
    const isLost = ({ entry }: FinishedRun) => fenced.get(entry.id)?.lease_number !== entry.leaseNumber
    const settled = runs
      .filter((run) => !isLost(run))
      .map((run) => settleRun(run, storedValue(fenced, run.entry.id), request))
    const byLane = Map.groupBy(settled, ({ result }) => result.entry.laneId)
    const moved = lanes.map((lane) => settleLane(lane, byLane.get(lane.id) ?? [], now))
    const isCalm = ({ laneId }: LaneAcked) => byLane.get(laneId)?.every(isGrantedSuccess) ?? false
    const stirred = moved.filter((lane) => !isCalm(lane))
    const isMoreLeft = await writeSettled(tx, isEnd ? [] : settled, { orgId, lanes: stirred, now })
    await endGrants(tx, settled, { orgId, lanes: stirred })
    const results = settled.map(({ result }) => result)
    const hasEnqueued = await recordResults(tx, results, reportLanes(lanes, moved), request.jobs)
    return {
      orgId,
      results,
      lostLeases: runs.filter(isLost).map((run) => run.entry),
      isMoreDue: isMoreLeft || hasEnqueued || rows.some((row) => 'has_unparked' in row && row.has_unparked),
    }
  })
}

/** Whether its entry is gone whatever the database says, unless the lease is lost. */
const endsEntry = ({ outcome }: FinishedRun): boolean => outcome.kind === 'done' || outcome.kind === 'failed'

export type EndRequest = { jobs: ReadonlyMap<string, Job>; processId: string; runs: FinishedRun[]; now: Date }
export type Ended = { results: JobResult[]; isMoreDue: boolean }

/** Whether there is nothing for its lane to hear but that it answered well. */
export const isPlainSuccess = ({ outcome }: Pick<FinishedRun, 'outcome'>): boolean =>
  outcome.kind === 'done' && !outcome.pauseLane && answersOf(outcome).every(({ verdict }) => verdict === 'up')

/** Whether one statement ends it: born leased, a success, and nothing waits for its key. */
export const endsAlone = (run: FinishedRun): boolean =>
  (run.entry.isGranted || run.entry.isLent) && run.entry.orderKey === null && isPlainSuccess(run)

/**
 * Ends runs that were born leased and simply succeeded: one statement for those of a job and an organization, with the rows of
 * the capability. Answers with those that ended; the others are for `ackRuns`.
 */
export async function endRuns(database: Queries, { jobs, processId, runs, now }: EndRequest): Promise<Ended> {
  const groups = Map.groupBy(runs, ({ entry }) => `${entry.orgId} ${entry.job} ${entry.isLent}`)
  const ended = await Promise.all(
    [...groups.values()].map(async (group) => {
      const { job: jobName, orgId, isLent } = firstOf(group).entry
      const job = jobs.get(jobName)
      const results = group.map(doneResult)
      const recorded = job?.recordDone?.(database, results) ?? null
      if (recorded === null && job?.record !== null) return NONE_ENDED
      const ids = results.map(({ entry }) => entry.id)
      const laneIds = [...new Set(results.map(({ entry }) => entry.laneId))]
      const rows = isLent
        ? await endLent(database, { orgId, laneIds, ids, processId, recorded, now })
        : await endGranted(database, { orgId, ids, processId, recorded })
      const endedIds = new Set(rows.map(({ id }) => id))
      return {
        results: results.filter(({ entry }) => endedIds.has(entry.id)),
        isMoreDue: rows.some((row) => 'has_more' in row && row.has_more),
      }
    }),
  )
  return { results: ended.flatMap(({ results }) => results), isMoreDue: ended.some(({ isMoreDue }) => isMoreDue) }
}

const NONE_ENDED: Ended = { results: [], isMoreDue: false }

const doneResult = ({ entry, outcome, finishedAt }: FinishedRun): JobResult => ({
  entry,
  outcome: outcome as Outcome,
  disposition: 'done',
  finishedAt,
  nextDueAt: null,
})

/**
 * What is not written yet, sent together; PostgreSQL runs it in this order. Answers whether a lane is left with something that
 * is due.
 */
async function writeSettled(
  tx: Tx,
  settled: Settled[],
  { orgId, lanes, now }: { orgId: OrgId; lanes: LaneAcked[]; now: Date },
): Promise<boolean> {
  const finishedIds = settled.flatMap(({ entryReturn, result }) => (entryReturn ? [] : [result.entry.id]))
  const returned = settled.flatMap(({ entryReturn }) => (entryReturn ? [entryReturn] : []))
  const keys = settled.flatMap(({ orderKey, result }) =>
    orderKey === null ? [] : [{ laneId: result.entry.laneId, orderKey }],
  )
  const writes: Promise<number>[] = []
  if (finishedIds.length > 0) writes.push(deleteEntries(tx, orgId, finishedIds))
  if (returned.length > 0) writes.push(returnEntries(tx, orgId, returned))
  if (keys.length > 0) writes.push(unparkKeys(tx, orgId, keys))
  const moving = lanes.length === 0 ? [] : moveAckedLanes(tx, orgId, { lanes, now })
  const [moved] = await Promise.all([moving, ...writes])
  return moved.some((lane) => lane.has_more)
}

/** The lane hears of these later, by the grant they ran on (grants.ts). */
const isGrantedSuccess = ({ isGranted, result }: Settled): boolean => isGranted && isPlainSuccess(result)

/** Work that was handed over did not simply succeed: from here on the lane is the claim's, in all processes. */
async function endGrants(
  tx: Tx,
  settled: Settled[],
  { orgId, lanes }: { orgId: OrgId; lanes: LaneAcked[] },
): Promise<void> {
  const granted = new Set(settled.filter(({ isGranted }) => isGranted).map(({ result }) => result.entry.laneId))
  const laneIds = lanes.map(({ laneId }) => laneId).filter((laneId) => granted.has(laneId))
  if (laneIds.length === 0) return
  await revokeGrants(tx, orgId, { laneIds })
  await refreshLanes(tx, orgId, laneIds)
}

/** Sequential: two jobs' records must not interleave their statements. Answers whether any of them enqueued more. */
async function recordResults(
  tx: Tx,
  results: JobResult[],
  lanes: LaneReport[],
  jobs: ReadonlyMap<string, Job>,
): Promise<boolean> {
  let hasEnqueued = false
  const recorded = results.filter(({ entry, disposition }) => disposition !== 'released' && jobs.get(entry.job)?.record)
  for (const [name, ofJob] of Map.groupBy(recorded, (result) => result.entry.job)) {
    const record = jobs.get(name)?.record
    if (!record) continue
    const touched = new Set(ofJob.map((result) => result.entry.laneId))
    const reports = lanes.filter((lane) => touched.has(lane.laneId))
    const recorded = withTraces(
      () => tracesOf(ofJob),
      () => record(tx, ofJob, reports),
    )
    if (await recorded) hasEnqueued = true
  }
  return hasEnqueued
}

function settleRun(run: FinishedRun, fenced: FencedRow, request: AckRequest): Settled {
  const { disposition, back } = decide(run, request)
  const isCancelled = back !== null && fenced.on_release === 'cancel'
  const state = fenced.on_release === 'hold' ? ('held' as const) : ('waiting' as const)
  const entryReturn = back === null || isCancelled ? null : { ...back, state }
  const outcome = run.outcome.kind === 'released' ? RELEASED : run.outcome
  const result = {
    entry: run.entry,
    outcome,
    disposition: isCancelled ? ('cancelled' as const) : disposition,
    finishedAt: run.finishedAt,
    nextDueAt: entryReturn?.dueAt ?? null,
  }
  return { result, orderKey: fenced.order_key, entryReturn, isGranted: fenced.is_granted }
}

/** Never seen by a handler's `record`; the verdict keeps it from counting for or against the lane. */
const RELEASED: Outcome = { kind: 'failed', reason: 'released', verdict: 'neutral' }

type Decision = { disposition: Disposition; back: Omit<EntryReturn, 'state'> | null }

/** What the outcome means for the entry, before a request to cancel or hold it. */
function decide({ entry, outcome }: FinishedRun, request: AckRequest): Decision {
  const same = { id: entry.id, class: classNumber(entry.class), attempt: entry.attempt, reason: null, payload: null }
  switch (outcome.kind) {
    case 'done':
    case 'failed':
      return { disposition: outcome.kind, back: null }
    case 'retry':
      return decideRetry(entry, outcome, request)
    case 'defer':
      return {
        disposition: 'deferred',
        back: {
          ...same,
          dueAt: outcome.until,
          attempt: entry.attempt - 1,
          reason: outcome.reason,
          payload: payloadText(outcome),
        },
      }
    case 'repeat': {
      const dueAt = outcome.at ?? request.now
      const ownClass = entry.class === 'retry' ? classNumber('fresh') : same.class
      return {
        disposition: 'repeated',
        back: { ...same, class: ownClass, attempt: 0, dueAt, payload: payloadText(outcome) },
      }
    }
    case 'released':
      return {
        disposition: 'released',
        back: {
          ...same,
          attempt: outcome.isBegun ? entry.attempt : entry.attempt - 1,
          dueAt: request.now,
          reason: 'released',
        },
      }
  }
}

const payloadText = ({ payload }: { payload?: unknown }) => (payload === undefined ? null : JSON.stringify(payload))

function decideRetry(entry: ClaimedEntry, outcome: Outcome & { kind: 'retry' }, request: AckRequest): Decision {
  const job = request.jobs.get(entry.job)
  const { attempt } = entry
  const waitMs = job
    ? drawRetryWaitMs(job.scheduleFor(entry), { attempt, afterMs: outcome.afterMs }, request.random)
    : null
  if (waitMs === null) return { disposition: 'exhausted', back: null }
  return {
    disposition: 'retrying',
    back: {
      id: entry.id,
      class: classNumber(entry.class === 'bulk' ? 'bulk' : 'retry'),
      attempt: entry.attempt,
      dueAt: new Date(request.now.getTime() + waitMs),
      reason: outcome.reason,
      payload: null,
    },
  }
}

function settleLane(lane: AckLaneRow, settled: Settled[], now: Date): LaneAcked {
  const guards = { concurrencyMax: lane.concurrency_max, isAdaptive: lane.is_adaptive, hasBreaker: lane.has_breaker }
  let condition = conditionOf(lane)
  for (const { result } of settled) {
    const { claimedAt } = result.entry
    for (const answer of answersOf(result.outcome))
      condition = applyAnswer(condition, { ...answer, claimedAt }, { guards, now })
    if (result.outcome.pauseLane) condition = blockUntil(condition, result.outcome.pauseLane)
  }
  const released = settled.filter(({ isGranted }) => !isGranted)
  const bulkReleased = released.filter(({ result }) => result.entry.class === 'bulk').length
  return {
    laneId: lane.id,
    released: released.length,
    bulkReleased,
    hasBulkRoom: lane.bulk_in_flight - bulkReleased < lane.bulk_concurrency_max,
    hasAnswered: settled.some(({ result }) => answersOf(result.outcome).some(({ verdict }) => verdict === 'up')),
    concurrency: condition.concurrency,
    slots: slotsOf(condition),
    breaker: condition.breaker,
    memory: condition.memory,
    blockedUntil: condition.blockedUntil,
    blockedReason: condition.blockedReason,
  }
}

const conditionOf = (lane: AckLaneRow): LaneCondition => ({
  breaker: lane.breaker,
  concurrency: lane.concurrency,
  blockedUntil: lane.blocked_until,
  blockedReason: lane.blocked_reason,
  memory: readMemory(lane.health),
})

function reportLanes(lanes: AckLaneRow[], moved: LaneAcked[]): LaneReport[] {
  return lanes.map((lane, index) => {
    const after = itemAt(moved, index)
    const { failingSinceMs, failuresSinceSuccess } = after.memory
    const failingBeforeMs = readMemory(lane.health).failingSinceMs
    return {
      laneId: lane.id,
      orgId: lane.org_id,
      breakerBefore: lane.breaker,
      breakerAfter: after.breaker,
      blockedUntil: after.blockedUntil,
      failingSinceBefore: failingBeforeMs === null ? null : new Date(failingBeforeMs),
      failingSince: failingSinceMs === null ? null : new Date(failingSinceMs),
      failuresSinceSuccess,
    }
  })
}
