import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { firstOf, storedValue } from '../../kernel/lists.ts'
import { createProcessLock } from '../cluster/process-lock.ts'
import type { Database, Listener } from '../database/database.ts'
import type { Log } from '../telemetry/log.ts'
import { type Ack, ackRuns, type Ended, endRuns, endsAlone, type FinishedRun, isPlainSuccess } from './ack.ts'
import { AckWriters } from './ack-batch.ts'
import type { Claim } from './claim.ts'
import { Claimer } from './claimer.ts'
import { Grants, type HandOver } from './grants.ts'
import { type ClaimedEntry, indexJobs, type Job, type JobResult } from './job.ts'
import type { Lane } from './lanes.sql.ts'
import { type HeldLease, Maintenance, type MaintenancePace } from './maintenance.ts'
import { type OutboxCounters, type OutboxStats, readStats } from './metrics.ts'
import { halfOf, type RunPlace } from './pools.ts'
import { type RunAbort, runEntry } from './run.ts'
import { Alarm, listenForWakeUps, openWakeUps, type WakeUps } from './wake-ups.ts'

/**
 * The one engine for outbound work. It claims entries fairly from lanes, runs their handlers outside any transaction, and
 * acknowledges what came of it in batches. All state is in PostgreSQL; any number of processes run this side by side and
 * any of them may die at any instant.
 *
 * An entry (a row of outbox_entries; finished work has no row):
 *
 *   (enqueue) ──▶ waiting        in the transaction that needs the work done
 *   waiting ── claim, once due, when lane, tenant and process have room ──▶ leased
 *   waiting ── claim meets it behind an earlier one of its order key ──▶ behind
 *   behind ── the earlier one is finished, or comes back ──▶ waiting
 *   leased ── done, failed, exhausted ──▶ (gone)
 *   leased ── retry: after the schedule's wait; defer, repeat: at the time given ──▶ waiting
 *   leased ── the lease runs out, or its process dies, and the reaper finds it; or a drain releases it ──▶ waiting
 *   waiting, behind ── hold ──▶ held ── release ──▶ waiting
 *   waiting, behind, held ── cancel ──▶ (gone)
 *
 * Cancelling or holding what is leased marks it: if its run does not finish it, it is gone or held instead of waiting.
 *
 * Work is claimed for one organization at a time: which of them have some is a hint in memory (organization-queue.ts), fed by
 * the commits of this process, by notifications of others (wake-ups.ts), and once a second by a look at all (maintenance.ts). Which of
 * its lanes have work that is due, the claim reads from the entries.
 *
 * Lanes: see lanes.ts. What an acknowledgement does to breaker and concurrency: see lane-health.ts.
 *
 * Exactly one lease: (id, lease_number) is the fence. It rises with every claim, and an acknowledgement that does not bring
 * the current one changes nothing and records nothing. So an entry is finished once, though its handler may run twice.
 *
 * Caps: per lane in its row, per organization and pool by summing its lanes under a lock only claims take, and for this process by
 * pool and destination from what it has in flight (pools.ts). An overall cap over all processes is that times their
 * number: a shared counter would be one row that every claim and every acknowledgement queue for. What is decided from
 * the caps is in claim-policy.ts.
 *
 * Due times come from the clock that is passed in, as a parameter of every statement. In production it is a DatabaseClock, so
 * processes agree on it to a millisecond or two. Leases are stamped and judged by PostgreSQL's own clock, in SQL: no
 * process can mistake another's live lease for one that ran out, whatever its clock says. A process that stood still (a
 * suspended machine) may run an entry that another one has claimed meanwhile; the fence decides whose answer counts.
 */
export type OutboxOptions = {
  database: Database
  jobs: readonly Job[]
  clock: Clock
  log: Log
  processId: string
  random?: () => number
  /** Of this process over all pools, and of an organization in each pool. */
  caps?: { inFlightMax?: number; tenantInFlightMax?: number }
  pace?: Partial<Pace>
}

type Pace = MaintenancePace & {
  /** How long a drain lets runs finish before it aborts and releases them. */
  drainMs: number
}

/** After a commit that enqueued work of these organizations. */
export type Wake = (orgIds: readonly OrgId[]) => void

export type Outbox = {
  start(): Promise<void>
  /** Drains: claims nothing more, lets runs finish for a while, then releases what still runs. Safe to call twice. */
  stop(): Promise<void>
  /** After a commit that enqueued work of these organizations, here and in every other process. Without ids: of any. */
  wake(orgIds?: readonly OrgId[]): void
  stats(): Promise<OutboxStats>
  /** For work that this process records and may run itself. */
  handOver: HandOver
}

const CAPS = { inFlightMax: 512, tenantInFlightMax: 64 }
const PACE: Pace = {
  scoutEveryMs: 1_000,
  reapEveryMs: 2_500,
  recountEveryMs: 60_000,
  tidyAfterAcks: 5_000,
  drainMs: 15_000,
}
/** Below this share of its caps a process is quiet: no cap is what anything waits for. */
const QUIET_SHARE = 1 / 4
const RELEASE_LOCK_MS = 1_000
/** For a run whose lane this process holds no longer. */
const ANYWHERE: RunPlace = { pool: 'messages', destination: null }

export const createOutbox = (options: OutboxOptions): Outbox => new Engine(options)

type Running = HeldLease & RunPlace & { startedMs: number; controller: AbortController }

class Engine implements Outbox {
  readonly #options: OutboxOptions
  readonly #jobs: Map<string, Job>
  readonly #caps: typeof CAPS
  readonly #pace: Pace
  readonly #wakeUps: WakeUps
  readonly #acks: AckWriters
  readonly #maintenance: Maintenance
  readonly #grants: Grants
  readonly handOver: HandOver
  readonly #claimer: Claimer
  readonly #idle = new Alarm()
  readonly #running = new Map<string, Running>()
  /** Of those that run, the ones that are no longer in line. */
  readonly #begun = new WeakSet<ClaimedEntry>()
  readonly #counters: OutboxCounters = {
    claims: 0,
    claimed: 0,
    handedOver: 0,
    acked: 0,
    dispositions: {},
    lostLeases: 0,
    reaped: 0,
    recounted: 0,
    abandoned: 0,
    handlerMs: 0,
  }
  #isStarted = false
  #isStopping = false
  #isDrained = false
  #listener: Listener | null = null
  #stopped: Promise<void> | null = null

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#jobs = indexJobs(options.jobs)
    this.#caps = { ...CAPS, ...options.caps }
    this.#pace = { ...PACE, ...options.pace }
    this.#wakeUps = openWakeUps(options)
    this.#acks = new AckWriters({
      ack: (runs, lockMs) => this.#ack(runs, lockMs),
      onAcked: (ack) => this.#onAcked(ack),
      onAbandoned: (runs) => this.#onAbandoned(runs),
      log: options.log,
    })
    this.#grants = new Grants({
      database: options.database,
      clock: options.clock,
      log: options.log,
      processId: options.processId,
      tenantInFlightMax: this.#caps.tenantInFlightMax,
      isQuiet: () => this.#isStarted && !this.#isStopping && this.#running.size < this.#caps.inFlightMax * QUIET_SHARE,
    })
    this.handOver = {
      processId: options.processId,
      reserve: (lane, count) => this.#grants.reserve(lane, count),
      holds: (laneId) => this.#grants.holds(laneId),
      release: (laneId, count) => this.#grants.release(laneId, count),
      mayBorrow: (lane) => this.#mayBorrow(lane),
      borrowMax: () => halfOf(this.#caps.tenantInFlightMax),
      start: (entries, place) => this.#startHandedOver(entries, place),
    }
    this.#claimer = new Claimer({
      ...options,
      jobs: this.#jobs,
      caps: this.#caps,
      running: () => this.#running.values(),
      onClaimed: (claim) => this.#startClaimed(claim),
    })
    this.#maintenance = new Maintenance({
      database: options.database,
      clock: options.clock,
      log: options.log,
      pace: this.#pace,
      leases: () => this.#running.values(),
      onDue: (due) => this.#claimer.noteLater(due),
      acked: () => this.#counters.acked,
      onCounted: ({ reaped = 0, recounted = 0 }) => {
        this.#counters.reaped += reaped
        this.#counters.recounted += recounted
      },
    })
  }

  async start(): Promise<void> {
    const { database, processId } = this.#options
    this.#listener = await listenForWakeUps(database, {
      onWakeUp: (wakeUp) => wakeUp.processId !== processId && this.#hear(wakeUp.orgIds, wakeUp.isEveryOrg),
      onMissed: () => this.#hear([], true),
      session: createProcessLock(database, processId),
    })
    this.#isStarted = true
    this.#maintenance.start()
    this.#claimer.start()
  }

  wake(orgIds?: readonly OrgId[]): void {
    this.#hear(orgIds ?? [], orgIds === undefined)
    this.#wakeUps.send(orgIds)
  }

  stats(): Promise<OutboxStats> {
    const { database, clock } = this.#options
    return readStats(database, { counters: this.#counters, running: this.#running.size, now: new Date(clock.now()) })
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#drain()
    return this.#stopped
  }

  #now(): Date {
    return new Date(this.#options.clock.now())
  }

  #hear(orgIds: readonly OrgId[], isEveryOrg: boolean): void {
    this.#claimer.noteDue(orgIds)
    if (isEveryOrg) this.#maintenance.scoutSoon()
  }

  #startClaimed({ entries, places }: Claim): void {
    this.#counters.claims += 1
    this.#counters.claimed += entries.length
    for (const entry of entries) void this.#run(entry, storedValue(places, entry.laneId))
  }

  #mayBorrow({ id }: Lane): boolean {
    return (
      this.#isStarted &&
      !this.#isStopping &&
      !this.#grants.holds(id) &&
      this.#running.size < this.#caps.inFlightMax * QUIET_SHARE
    )
  }

  #startHandedOver(entries: readonly ClaimedEntry[], place?: RunPlace): void {
    if (this.#isDrained) return void this.#releaseAll(entries)
    this.#counters.claimed += entries.length
    this.#counters.handedOver += entries.length
    for (const entry of entries) void this.#run(entry, this.#grants.placeOf(entry) ?? place ?? ANYWHERE)
  }

  async #run(entry: ClaimedEntry, place: RunPlace): Promise<void> {
    const controller = new AbortController()
    const abandon = () => controller.abort('lease_lost' satisfies RunAbort)
    if (!this.#running.has(entry.id)) this.#acks.begin(entry)
    const startedMs = performance.now()
    const running = { ...place, entry, controller, startedMs, renewedMs: startedMs, abandon }
    this.#running.set(entry.id, running)
    const hasTurn = !entry.isGranted || (await this.#grants.turn(entry))
    if (hasTurn) this.#begun.add(entry)
    const outcome = hasTurn
      ? await runEntry({ entry, job: this.#jobs.get(entry.job), controller, log: this.#options.log })
      : ({ kind: 'released', isBegun: false } as const)
    this.#counters.handlerMs += performance.now() - startedMs
    if (entry.isGranted && !isPlainSuccess({ outcome })) this.#grants.forget(entry.laneId)
    if (this.#running.get(entry.id) !== running) return
    this.#acks.add({ entry, outcome, finishedAt: this.#now() })
  }

  async #ack(finished: FinishedRun[], lockMs: number): Promise<Ack> {
    const { database, random, processId } = this.#options
    const jobs = this.#jobs
    const plain = finished.filter(endsAlone)
    if (plain.length > 0) this.#onEnded(await endRuns(database, { jobs, processId, runs: plain, now: this.#now() }))
    // What ended is noted at once, so a batch that is sent again finds it gone.
    const runs = plain.length > 0 ? finished.filter(({ entry }) => this.#isRunning(entry)) : finished
    const { orgId } = firstOf(finished).entry
    if (runs.length === 0) return { orgId, results: [], lostLeases: [], isMoreDue: false }
    return ackRuns(database, { orgId, jobs, runs, random: random ?? Math.random, now: this.#now(), lockMs })
  }

  #onEnded({ results, isMoreDue }: Ended): void {
    for (const result of results) this.#note(result)
    this.#counters.acked += results.length
    const [first] = results
    if (isMoreDue && first !== undefined) this.wake([first.entry.orgId])
  }

  #onAcked(ack: Ack): void {
    for (const result of ack.results) this.#note(result)
    for (const entry of ack.lostLeases) this.#forget(entry)
    this.#counters.acked += ack.results.length
    this.#counters.lostLeases += ack.lostLeases.length
    this.#noteAcked(ack)
    this.#idle.ring()
  }

  /** What ended may have made room for others, and what came back may be due. */
  #noteAcked({ orgId, results, lostLeases, isMoreDue }: Ack): void {
    if (isMoreDue || lostLeases.length > 0) this.#claimer.noteDue([orgId])
    this.#claimer.noteLater(results.flatMap(({ nextDueAt: dueAt }) => (dueAt === null ? [] : [{ orgId, dueAt }])))
    this.#claimer.noteRoom(orgId, results.length + lostLeases.length)
    if (isMoreDue) this.#wakeUps.send([orgId])
  }

  #note({ entry, disposition, finishedAt, nextDueAt }: JobResult): void {
    const { dispositions } = this.#counters
    dispositions[disposition] = (dispositions[disposition] ?? 0) + 1
    this.#forget(entry, disposition === 'done')
    this.#options.log.debug(
      {
        entry_id: entry.id,
        lane_id: entry.laneId,
        org_id: entry.orgId,
        job: entry.job,
        attempt: entry.attempt,
        disposition,
        duration_ms: finishedAt.getTime() - entry.claimedAt.getTime(),
        next_due_at: nextDueAt,
      },
      'outbox run finished',
    )
  }

  /** Not by id alone: this process may have lost the entry and claimed it again. */
  #forget(entry: ClaimedEntry, isSuccess = false): void {
    if (entry.isGranted) this.#grants.end(entry, isSuccess)
    if (!this.#isRunning(entry)) return
    this.#running.delete(entry.id)
    this.#acks.end(entry)
  }

  #isRunning(entry: ClaimedEntry): boolean {
    return this.#running.get(entry.id)?.entry === entry
  }

  #onAbandoned(runs: FinishedRun[]): void {
    for (const { entry } of runs) this.#forget(entry)
    this.#counters.abandoned += runs.length
    this.#idle.ring()
  }

  async #drain(): Promise<void> {
    this.#isStopping = true
    await this.#claimer.stop()
    await this.#waitUntilIdle(this.#pace.drainMs)
    for (const { controller } of this.#running.values()) controller.abort('draining' satisfies RunAbort)
    await this.#waitUntilIdle(Math.min(this.#pace.drainMs, 2_000))
    await this.#releaseRunning()
    await this.#grants.close()
    await this.#maintenance.stop()
    await Promise.all([this.#wakeUps.close(), this.#listener?.close()])
  }

  async #waitUntilIdle(limitMs: number): Promise<void> {
    const untilMs = performance.now() + limitMs
    while (this.#running.size > 0 && performance.now() < untilMs) await this.#idle.wait(untilMs - performance.now())
  }

  /** Releases the leases of runs that did not stop; the reaper would do it later. */
  async #releaseRunning(): Promise<void> {
    this.#acks.giveUp()
    await this.#acks.flush()
    const entries = [...this.#running.values()].map(({ entry }) => entry)
    this.#running.clear()
    this.#isDrained = true
    await this.#releaseAll(entries)
  }

  async #releaseAll(entries: readonly ClaimedEntry[]): Promise<void> {
    if (entries.length === 0) return
    const runs = entries.map((entry): FinishedRun => {
      return { entry, outcome: { kind: 'released', isBegun: this.#begun.has(entry) }, finishedAt: this.#now() }
    })
    for (const ofOrg of Map.groupBy(runs, ({ entry }) => entry.orgId).values())
      try {
        this.#onAcked(await this.#ack(ofOrg, RELEASE_LOCK_MS))
      } catch (error) {
        this.#options.log.warn({ runs: ofOrg.length, err: error }, 'outbox leases left to expire')
      }
  }
}
