import { z } from 'zod'
import type { Id, IdPrefix, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../database/database.ts'
import type { Answer, Breaker, Verdict } from './lane-health.ts'

/** The work behind an entry's job name: what to do with it, how long it may take, and what to write when it is over. */
export type EntryClass = 'fresh' | 'retry' | 'bulk'

/** In the order of the smallint column. */
export const entryClasses: readonly EntryClass[] = ['fresh', 'retry', 'bulk']

export const classAt = (number: number) => entryClasses[number] as EntryClass

export const classNumber = (entryClass: EntryClass) => entryClasses.indexOf(entryClass)

export type ClaimedEntry<Payload = unknown> = {
  id: string
  laneId: string
  orgId: OrgId
  job: string
  class: EntryClass
  orderKey: string | null
  payload: Payload
  /** 1 for the first. A lease that ran out counts: the attempt may have been made. */
  attempt: number
  leaseNumber: number
  /** The one entry a lane sends to see whether its other side is back. */
  isProbe: boolean
  enqueuedAt: Date
  dueAt: Date
  claimedAt: Date
  leaseMs: number
  /** The part of the wait that was the lane's own rate limit, so that latency can be reported with and without it. */
  throttledMs: number
  /** Born leased, on a slot that this process holds (grants.ts). */
  isGranted: boolean
  /** Born leased, on a slot that was taken while it was recorded. */
  isLent: boolean
  /** Who enqueued it, and from the beginning of its run on the run itself. Null unless that was traced. */
  traceparent: string | null
}

/** An id in a payload: this program wrote it, so its form is not checked again. */
export const storedId = <Prefix extends IdPrefix>(_prefix: Prefix) =>
  z.custom<Id<Prefix>>((value) => typeof value === 'string')

/** What a handler answers with. It never throws on purpose; what it throws is our bug, retried and logged. */
export type Outcome<Data = unknown> = (
  | { kind: 'done' }
  /** Try again on the job's schedule, not before `afterMs`. After the last attempt this is `exhausted`. */
  | { kind: 'retry'; reason: string; afterMs?: number; isOverload?: boolean }
  /** Will never succeed: no further attempt. */
  | { kind: 'failed'; reason: string }
  /** Not now, and not counted as an attempt: throttled, waiting for something. */
  | { kind: 'defer'; until: Date; reason: string; payload?: unknown }
  /** This step is done and the entry comes back for the next: a sweep, a long copy. Its attempts start again. */
  | { kind: 'repeat'; at?: Date; payload?: unknown }
) & {
  /** Nothing of this lane before then (Retry-After). */
  pauseLane?: { until: Date; reason: string }
  /** What this says about the other side. By default: done and repeat `up`, retry `down`, the others `neutral`. */
  verdict?: Verdict
  /** Instead, from a run that asked the other side several times: each of its answers, in the order they came. */
  answers?: readonly LaneAnswer[]
  /** For `record`. */
  data?: Data
}

/** For this long after it was enqueued, the row that an entry is about may not be visible yet. */
const UNSEEN_MS = 60_000

/**
 * Whether a row that is not there may still appear: where entries and rows lie on several machines, an entry can be seen
 * before its row. Such a run is repeated; later, what is not there is gone.
 */
export const mayBeUnseen = ({ claimedAt, enqueuedAt }: Pick<ClaimedEntry, 'claimedAt' | 'enqueuedAt'>): boolean =>
  claimedAt.getTime() - enqueuedAt.getTime() < UNSEEN_MS

/** For runs that begin from the start: the outcome while the row may still appear, and the other one later. */
export const unseenOr = <Result extends Outcome>(
  entry: Pick<ClaimedEntry, 'claimedAt' | 'enqueuedAt'>,
  gone: Result,
): Result | RowUnseen => (mayBeUnseen(entry) ? ROW_UNSEEN : gone)

type RowUnseen = { kind: 'retry'; reason: string; verdict: 'neutral' }
const ROW_UNSEEN: RowUnseen = { kind: 'retry', reason: 'row_unseen', verdict: 'neutral' }

export type LaneAnswer = Pick<Answer, 'verdict' | 'isOverload'>

export const answersOf = (outcome: Outcome): readonly LaneAnswer[] =>
  outcome.answers ?? [
    { verdict: verdictOf(outcome), isOverload: outcome.kind === 'retry' && outcome.isOverload === true },
  ]

const verdictOf = (outcome: Outcome): Verdict => {
  if (outcome.verdict) return outcome.verdict
  if (outcome.kind === 'done' || outcome.kind === 'repeat') return 'up'
  return outcome.kind === 'retry' ? 'down' : 'neutral'
}

/** The outcome of the entry: the first four are final. */
export type Disposition =
  | 'done'
  | 'failed'
  | 'exhausted'
  | 'cancelled'
  | 'retrying'
  | 'deferred'
  | 'repeated'
  | 'released'

export type JobResult<Payload = unknown, Data = unknown> = {
  entry: ClaimedEntry<Payload>
  outcome: Outcome<Data>
  disposition: Disposition
  finishedAt: Date
  /** When it comes back; null when it does not. */
  nextDueAt: Date | null
}

/** How the batch left a lane it touched. */
export type LaneReport = {
  laneId: string
  orgId: OrgId
  breakerBefore: Breaker
  breakerAfter: Breaker
  blockedUntil: Date | null
  /** Null when it is not failing: before the batch, and after it. */
  failingSinceBefore: Date | null
  failingSince: Date | null
  failuresSinceSuccess: number
}

export type RunContext = {
  /** Aborted at the job's timeout, when the lease is lost, and when a drain runs out of time. */
  signal: AbortSignal
}

export type JobDefinition<Payload, Data> = {
  name: string
  /** A schema, or anything that throws on a payload it does not understand. */
  payload?: { parse(value: unknown): Payload }
  retry: RetrySchedule | ((entry: ClaimedEntry<Payload>) => RetrySchedule)
  /** How long one run may take. */
  timeoutMs?: number
  /** How long a claim is ours without renewal. Renewed while the run lasts. */
  leaseMs?: number
  /** How many runs there are beyond the schedule because others ended without a word; 0 where none may be repeated. */
  lostRunsMax?: number
  /**
   * Other lanes that `record` may change. They are locked together with the lanes of the batch, in the order of their ids:
   * taken later, they could be waited for in a ring.
   */
  alsoLocks?: (entry: ClaimedEntry<Payload>) => string[]
  /** Outside any transaction. May be called twice for one entry, never at the same time with a live lease. */
  run: (entry: ClaimedEntry<Payload>, context: RunContext) => Promise<Outcome<Data>>
  /**
   * Writes the capability's own rows in the transaction of the acknowledgement: both hold, or neither. Called once per
   * batch, only with results whose lease still held, all of one organization. True when it enqueued more work.
   */
  record?: Recorder<Payload, Data, void> | Recorder<Payload, Data, boolean>
  /**
   * The same for runs that are done and were handed over, as parts of the statement that ends their entries: for those whose
   * ids are among `acked (id)`. Null where there is more to it; then they take the way of `record`.
   */
  recordDone?: (queries: Queries, results: JobResult<Payload, Data>[]) => unknown | null
}

type Recorder<Payload, Data, HasEnqueued> = (
  tx: Tx,
  results: JobResult<Payload, Data>[],
  lanes: LaneReport[],
) => Promise<HasEnqueued>

export type Job = {
  name: string
  timeoutMs: number
  leaseMs: number
  lostRunsMax: number
  scheduleFor: (entry: ClaimedEntry) => RetrySchedule
  alsoLocks: (entry: ClaimedEntry) => string[]
  run: (entry: ClaimedEntry, context: RunContext) => Promise<Outcome>
  record: Recorder<unknown, unknown, boolean> | null
  recordDone: ((queries: Queries, results: JobResult[]) => unknown | null) | null
}

const TIMEOUT_MS = 30_000
export const DEFAULT_LEASE_MS = 60_000
/** A restart or two in the wrong moment must not be the end of it; a payload that crashes its process must not be retried for ever. */
const LOST_RUNS_MAX = 3

export function defineJob<Payload, Data = unknown>(definition: JobDefinition<Payload, Data>): Job {
  const { retry, record, recordDone, payload, alsoLocks } = definition
  const typed = (entry: ClaimedEntry) => entry as ClaimedEntry<Payload>
  return {
    name: definition.name,
    timeoutMs: definition.timeoutMs ?? TIMEOUT_MS,
    leaseMs: definition.leaseMs ?? DEFAULT_LEASE_MS,
    lostRunsMax: definition.lostRunsMax ?? LOST_RUNS_MAX,
    scheduleFor: (entry) => (typeof retry === 'function' ? retry(typed(entry)) : retry),
    alsoLocks: (entry) => alsoLocks?.(typed(entry)) ?? [],
    run: async (entry, context) => {
      if (payload) entry.payload = payload.parse(entry.payload)
      return definition.run(typed(entry), context)
    },
    record: record
      ? async (tx, results, lanes) => (await record(tx, results as JobResult<Payload, Data>[], lanes)) === true
      : null,
    recordDone: recordDone ? (queries, results) => recordDone(queries, results as JobResult<Payload, Data>[]) : null,
  }
}

/** Jobs by name; two with one name is a mistake of the wiring. */
export function indexJobs(jobs: readonly Job[]): Map<string, Job> {
  const byName = new Map<string, Job>()
  for (const job of jobs) {
    if (byName.has(job.name)) throw new Error(`job ${job.name} is defined twice`)
    byName.set(job.name, job)
  }
  return byName
}

/** How long to wait after each failed attempt. One attempt more than there are waits. */
export type RetrySchedule = {
  delaysMs: readonly number[]
  /** 0.2 draws each wait between 80 and 120 per cent of its step, so that what failed together does not return together. */
  jitter: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** No wait is longer than this, whatever the other side asks for. */
const RETRY_AFTER_MS_MAX = 24 * HOUR

/** Twelve attempts over three days: a short fault is bridged at once, a weekend outage too. */
export const standardRetrySchedule: RetrySchedule = {
  delaysMs: [
    5 * SECOND,
    30 * SECOND,
    2 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ],
  jitter: 0.2,
}

export const attemptsMax = (schedule: RetrySchedule) => schedule.delaysMs.length + 1

/** The wait after the given attempt (1 is the first), or null when that was the last one. */
export function drawRetryDelayMs(schedule: RetrySchedule, attempt: number, random: () => number): number | null {
  const step = schedule.delaysMs[Math.max(attempt, 1) - 1]
  if (step === undefined) return null
  return Math.round(step * (1 + schedule.jitter * (2 * random() - 1)))
}

/** The same, but not less than the other side asked for; at most a day. */
export function drawRetryWaitMs(
  schedule: RetrySchedule,
  { attempt, afterMs = 0 }: { attempt: number; afterMs?: number | undefined },
  random: () => number,
): number | null {
  const delayMs = drawRetryDelayMs(schedule, attempt, random)
  return delayMs === null ? null : Math.min(RETRY_AFTER_MS_MAX, Math.max(delayMs, afterMs))
}
