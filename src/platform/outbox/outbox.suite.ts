import { fixedClock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { shiftTime } from '../cluster/time-shifts.ts'
import type { Database } from '../database/database.ts'
import { type Ack, ackRuns } from './ack.ts'
import { type Claim, type ClaimRequest, claimEntries } from './claim.ts'
import { enqueue, type NewEntry } from './entries.ts'
import { type ClaimedEntry, defineJob, indexJobs, type Job, type Outcome } from './job.ts'
import { ensureLane, type LaneOptions } from './lanes.ts'
import { measureRoom } from './pools.ts'

/**
 * The engine's steps one at a time, with a clock that stands still: what the loops of outbox.ts do, at the pace of a test.
 * The clock starts in the future, so that rows stamped by the database itself lie in the past.
 */
export const START_MS = Date.UTC(2040, 0, 1)

export const DONE: Outcome = { kind: 'done' }
export const FAILS: Outcome = { kind: 'retry', reason: 'status_500' }

const testRetry = { delaysMs: [5_000, 30_000], jitter: 0 }

export const testJob = (fields: Partial<Parameters<typeof defineJob>[0]> = {}): Job =>
  defineJob({ name: 'test.work', retry: testRetry, run: async () => DONE, ...fields })

export function ageLeases(database: Database, ms: number) {
  const { part } = database
  const earlier = (time: ReturnType<typeof part>) => shiftTime(database, time, part`${-ms}::int * interval '1 ms'`)
  return database.run`
    with grants as (update outbox_grants set until = ${earlier(part`until`)})
    update outbox_entries set lease_until = ${earlier(part`lease_until`)} where state = 'leased'`
}

export function stepper(databaseOf: () => Database, jobs: Job[] = [testJob()]) {
  const clock = fixedClock(START_MS)
  const byName = indexJobs(jobs)
  const now = () => new Date(clock.now())
  let created = 0

  /** By lane. */
  const orgIds = new Map<string, OrgId>()
  const orgOf = (laneId: string) => orgIds.get(laneId) ?? 'org_one'

  const addLane = (fields: Partial<LaneOptions> & { id: string }) => {
    const orgId = fields.orgId ?? 'org_one'
    orgIds.set(fields.id, orgId)
    return ensureLane(databaseOf(), { kind: 'test', isAdaptive: false, hasBreaker: false, ...fields, orgId })
  }

  /** Lets time pass, also for the leases, whose time is the database's own. */
  async function pass(ms: number): Promise<void> {
    clock.advance(ms)
    await ageLeases(databaseOf(), ms)
  }

  /** Entries as given, in order, each a little later than the one before. */
  async function add(laneId: string, count: number, fields: Partial<NewEntry> = {}): Promise<string[]> {
    const entries = Array.from({ length: count }, (): NewEntry => {
      created += 1
      const dueAt = new Date(clock.now() - 1_000 + (created % 1_000))
      const id = `ent_${String(created).padStart(8, '0')}`
      return { id, laneId, orgId: orgOf(laneId), job: 'test.work', dueAt, ...fields }
    })
    await enqueue(databaseOf(), entries)
    return entries.map((entry) => entry.id)
  }

  const claim = (fields: Partial<ClaimRequest> = {}): Promise<Claim> =>
    claimEntries(databaseOf(), {
      orgId: 'org_one',
      jobs: byName,
      processId: 'prc_one',
      entriesMax: 100,
      lanesMax: 100,
      tenantInFlightMax: 1_000,
      room: measureRoom([], { inFlightMax: 10_000, nowMs: 0 }),
      cloggedLaneIds: new Set(),
      now: now(),
      ...fields,
    })

  const ack = (entries: ClaimedEntry[], outcome: Outcome | ((entry: ClaimedEntry) => Outcome) = DONE): Promise<Ack> =>
    ackRuns(databaseOf(), {
      orgId: entries[0]?.orgId ?? 'org_one',
      jobs: byName,
      runs: entries.map((entry) => ({
        entry,
        outcome: typeof outcome === 'function' ? outcome(entry) : outcome,
        finishedAt: now(),
      })),
      random: () => 0.5,
      now: now(),
      lockMs: 500,
    })

  /** Runs what is due once, with one outcome for all, and answers with the ids in the order they were claimed. */
  async function turn(outcome: Outcome = DONE, fields: Partial<ClaimRequest> = {}): Promise<string[]> {
    const { entries } = await claim(fields)
    if (entries.length > 0) await ack(entries, outcome)
    return entries.map((entry) => entry.id)
  }

  const clear = () => databaseOf().script('truncate outbox_entries, outbox_lanes, outbox_grants, outbox_key_gaps')
  return { clock, now, pass, addLane, add, claim, ack, turn, clear }
}
