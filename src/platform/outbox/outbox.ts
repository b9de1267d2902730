import type { Clock } from '../../kernel/clock.ts'
import { createProcessLock } from '../cluster/process-lock.ts'
import type { Database, Listener } from '../database/database.ts'
import type { Log } from '../telemetry/log.ts'
import { type Ack, ackRuns, endRuns, endsAlone, type FinishedRun, isPlainSuccess } from './ack.ts'
import { AckWriters } from './ack-writers.ts'
import { Alarm } from './alarm.ts'
import { type Claim, claimEntries } from './claim.ts'
import { type Doorbell, listenForRings, openDoorbell } from './doorbell.ts'
import { Grants, type HandOver } from './grants.ts'
import { type ClaimedEntry, indexJobs, type Job, type JobResult } from './job.ts'
import { type HeldLease, Keeper, type KeeperPace } from './keeper.ts'
import { LockedLanes } from './locked-lanes.ts'
import { pools } from './pools.ts'
import { fullPools, isCrowded, measureRoom, type ProcessRoom, type RunPlace } from './process-room.ts'
import { type RunAbort, runEntry } from './run.ts'
import { type OutboxCounters, type OutboxStats, readStats } from './stats.ts'

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
 * A lane (a row of outbox_lanes; open, paused or closed, see lanes.ts) is for an open lane one of:
 *
 *   ready      has due entries; in the queue of lanes by when it was last served, unless all its slots are in flight
 *   sleeping   has entries, the next of them due at wakes_at, or is blocked until then (rate, breaker, Retry-After)
 *   idle       has nothing; a ring (doorbell.ts) or the scout makes it ready
 *
 * What an acknowledgement does to breaker and concurrency is told in lane-health.ts.
 *
 * Exactly one lease: (id, lease_number) is the fence. It rises with every claim, and an acknowledgement that does not bring
 * the current one changes nothing and records nothing. So an entry is finished once, though its handler may run twice.
 *
 * Caps: per lane in its row, per tenant and pool by summing its lanes under a lock only claims take, and for this process by
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

type Pace = KeeperPace & {
  /** How long to wait before looking again when nobody rings: from the first, doubling, to the second. */
  pollMsMin: number
  pollMsMax: number
  /** How long a drain lets runs finish before it aborts and releases them. */
  drainMs: number
}

export type Outbox = {
  start(): Promise<void>
  /** Drains: claims nothing more, lets runs finish for a while, releases the rest. Safe to call twice. */
  stop(): Promise<void>
  /** After a commit that enqueued to these lanes, here and in every other process. Without ids: look everywhere. */
  wake(laneIds?: readonly string[]): void
  stats(): Promise<OutboxStats>
  /** For work that this process records and may run itself. */
  handOver: HandOver
}

const CAPS = { inFlightMax: 512, tenantInFlightMax: 64 }
const PACE: Pace = {
  pollMsMin: 50,
  pollMsMax: 1_000,
  scoutEveryMs: 1_000,
  reapEveryMs: 2_500,
  recountEveryMs: 60_000,
  tidyAfterAcks: 5_000,
  drainMs: 15_000,
}
const CLAIM_ENTRIES_MAX = 256
/** A claim starts with this many lanes and takes several entries from each; with little in each it asks for more lanes. */
const CLAIM_LANES_MIN = 32
const CLAIM_LANES_MAX = 256
const CONTENDED_WAIT_MS = 3
/** A process with hardly any room left waits this long for more of it, instead of claiming for every slot that frees. */
const CROWDED_SHARE = 1 / 16
const CROWDED_WAIT_MS = 20
/** Below this share of its caps a process is quiet: no cap is what anything waits for. */
const QUIET_SHARE = 1 / 4
const FAILED_WAIT_MS = 500
const RELEASE_LOCK_MS = 1_000
/** For a run whose lane this process holds no longer. */
const ANYWHERE: RunPlace = { pool: 'messages', destination: null }

export const createOutbox = (options: OutboxOptions): Outbox => new Engine(options)

type Running = HeldLease & RunPlace & { startedMs: number; controller: AbortController }

const sumOf = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0)

class Engine implements Outbox {
  readonly #options: OutboxOptions
  readonly #jobs: Map<string, Job>
  readonly #caps: typeof CAPS
  readonly #pace: Pace
  readonly #doorbell: Doorbell
  readonly #acks: AckWriters
  readonly #keeper: Keeper
  readonly #grants: Grants
  readonly handOver: HandOver
  readonly #alarm = new Alarm()
  readonly #idle = new Alarm()
  readonly #locked = new LockedLanes((laneId) => this.#hear([laneId], false))
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
  #told = new Set<string>()
  #skipShares = new Set<string>()
  #cloggedLaneIds: ReadonlySet<string> = new Set()
  #lanesMax = CLAIM_LANES_MIN
  #claimedMs = Number.NEGATIVE_INFINITY
  #isStarted = false
  #isStopping = false
  #isDrained = false
  #claiming: Promise<void> = Promise.resolve()
  #listener: Listener | null = null
  #stopped: Promise<void> | null = null

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#jobs = indexJobs(options.jobs)
    this.#caps = { ...CAPS, ...options.caps }
    this.#pace = { ...PACE, ...options.pace }
    this.#doorbell = openDoorbell(options)
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
      reserve: (laneId, count) => this.#grants.reserve(laneId, count),
      holds: (laneId) => this.#grants.holds(laneId),
      release: (laneId, count) => this.#grants.release(laneId, count),
      start: (entries) => this.#startHandedOver(entries),
    }
    this.#keeper = new Keeper({
      database: options.database,
      clock: options.clock,
      log: options.log,
      pace: this.#pace,
      leases: () => this.#running.values(),
      onFound: () => this.#alarm.ring(),
      acked: () => this.#counters.acked,
      onCounted: ({ reaped = 0, recounted = 0 }) => {
        this.#counters.reaped += reaped
        this.#counters.recounted += recounted
      },
    })
  }

  async start(): Promise<void> {
    const { database, processId } = this.#options
    this.#listener = await listenForRings(database, {
      onRing: (ring) => ring.processId !== processId && this.#hear(ring.laneIds, ring.isEveryLane),
      onMissed: () => this.#hear([], true),
      session: createProcessLock(database, processId),
    })
    this.#isStarted = true
    this.#keeper.start()
    this.#claiming = this.#claimLoop()
  }

  wake(laneIds?: readonly string[]): void {
    this.#hear(laneIds ?? [], laneIds === undefined)
    this.#doorbell.ring(laneIds)
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

  #hear(laneIds: readonly string[], isEveryLane: boolean): void {
    for (const laneId of laneIds) this.#told.add(laneId)
    if (isEveryLane) this.#keeper.scoutSoon()
    this.#alarm.ring()
  }

  async #claimLoop(): Promise<void> {
    let waitMs = this.#pace.pollMsMin
    while (!this.#isStopping) {
      const room = this.#room()
      const crowdedMs = this.#crowdedMs(room)
      const claim = crowdedMs > 0 ? null : await this.#claim(room)
      if (claim?.isMoreLikely) {
        waitMs = this.#pace.pollMsMin
        continue
      }
      const wasRung = await this.#alarm.wait(crowdedMs || this.#waitAfter(claim, waitMs))
      waitMs = wasRung ? this.#pace.pollMsMin : Math.min(2 * waitMs, this.#pace.pollMsMax)
    }
  }

  #room(): ProcessRoom {
    return measureRoom(this.#running.values(), { inFlightMax: this.#caps.inFlightMax, nowMs: performance.now() })
  }

  /** How long to wait for room in this process; 0 when there is enough. */
  #crowdedMs(room: ProcessRoom): number {
    if (fullPools(room).length === pools.length) return this.#pace.pollMsMax
    if (!isCrowded(room, this.#caps.inFlightMax, CROWDED_SHARE)) return 0
    return Math.max(0, this.#claimedMs + CROWDED_WAIT_MS - performance.now())
  }

  #waitAfter(claim: Claim | null, waitMs: number): number {
    if (claim === null) return FAILED_WAIT_MS
    if (claim.isContended) return CONTENDED_WAIT_MS
    if (claim.nextWakeAt === null) return waitMs
    return Math.max(1, Math.min(waitMs, claim.nextWakeAt.getTime() - this.#options.clock.now()))
  }

  /** Null when the database did not answer. */
  async #claim(room: ProcessRoom): Promise<Claim | null> {
    const { database, processId, log } = this.#options
    const entriesMax = Math.min(sumOf(Object.values(room.pools)), CLAIM_ENTRIES_MAX)
    const toldLaneIds = [...this.#told]
    this.#told = new Set()
    this.#claimedMs = performance.now()
    try {
      const claim = await claimEntries(database, {
        jobs: this.#jobs,
        processId,
        entriesMax,
        lanesMax: Math.min(this.#lanesMax, Math.max(entriesMax, CLAIM_LANES_MIN / 8)),
        tenantInFlightMax: this.#caps.tenantInFlightMax,
        toldLaneIds,
        room,
        skipShares: [...this.#skipShares],
        cloggedLaneIds: this.#cloggedLaneIds,
        now: this.#now(),
      })
      this.#startRuns(claim, entriesMax)
      this.#locked.note(toldLaneIds, claim.lockedLaneIds)
      return claim
    } catch (error) {
      for (const laneId of toldLaneIds) this.#told.add(laneId)
      log.warn({ err: error }, 'outbox claim failed')
      return null
    }
  }

  #startRuns(claim: Claim, entriesMax: number): void {
    this.#counters.claims += 1
    this.#counters.claimed += claim.entries.length
    this.#cloggedLaneIds = new Set(claim.cloggedLaneIds)
    if (claim.cutShares.length === 0) this.#skipShares.clear()
    else for (const share of claim.cutShares) this.#skipShares.add(share)
    const isFull = claim.entries.length >= entriesMax
    if (isFull) this.#lanesMax = Math.max(CLAIM_LANES_MIN, this.#lanesMax / 2)
    else if (claim.lanes === this.#lanesMax) this.#lanesMax = Math.min(CLAIM_LANES_MAX, this.#lanesMax * 2)
    for (const entry of claim.entries) void this.#run(entry, claim.places.get(entry.laneId) as RunPlace)
  }

  #startHandedOver(entries: readonly ClaimedEntry[]): void {
    if (this.#isDrained) return void this.#releaseAll(entries)
    this.#counters.claimed += entries.length
    this.#counters.handedOver += entries.length
    for (const entry of entries) void this.#run(entry, this.#grants.placeOf(entry) ?? ANYWHERE)
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
    if (plain.length > 0) this.#onEnded(await endRuns(database, { jobs, processId, runs: plain }))
    // What ended is noted at once, so a batch that is sent again finds it gone.
    const runs = plain.length > 0 ? finished.filter(({ entry }) => this.#isRunning(entry)) : finished
    if (runs.length === 0) return { results: [], lostLeases: [], toldLaneIds: [], isMoreReady: false }
    return ackRuns(database, { jobs, runs, random: random ?? Math.random, now: this.#now(), lockMs })
  }

  #onEnded(results: JobResult[]): void {
    for (const result of results) this.#note(result)
    this.#counters.acked += results.length
  }

  #onAcked(ack: Ack): void {
    for (const result of ack.results) this.#note(result)
    for (const entry of ack.lostLeases) this.#forget(entry)
    this.#counters.acked += ack.results.length
    this.#counters.lostLeases += ack.lostLeases.length
    if (ack.toldLaneIds.length > 0) this.wake(ack.toldLaneIds)
    if (this.#isClaimWorthwhile(ack)) this.#alarm.ring()
    this.#idle.ring()
  }

  /**
   * Where little is in flight and nothing came back or waits in these lanes, a claim would find nothing. With more in
   * flight what ended may have made room for others.
   */
  #isClaimWorthwhile(ack: Ack): boolean {
    const isBusy = this.#isBusy(this.#running.size + ack.results.length)
    return isBusy || ack.isMoreReady || ack.lostLeases.length > 0 || ack.results.some((each) => each.nextDueAt !== null)
  }

  #isBusy(inFlight: number): boolean {
    return inFlight > Math.min(this.#caps.inFlightMax, this.#caps.tenantInFlightMax) * QUIET_SHARE
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
    this.#alarm.ring()
    await this.#claiming
    await this.#waitUntilIdle(this.#pace.drainMs)
    for (const { controller } of this.#running.values()) controller.abort('draining' satisfies RunAbort)
    await this.#waitUntilIdle(Math.min(this.#pace.drainMs, 2_000))
    await this.#releaseRest()
    await this.#grants.close()
    await this.#keeper.stop()
    await Promise.all([this.#doorbell.close(), this.#listener?.close()])
  }

  async #waitUntilIdle(limitMs: number): Promise<void> {
    const untilMs = performance.now() + limitMs
    while (this.#running.size > 0 && performance.now() < untilMs) await this.#idle.wait(untilMs - performance.now())
  }

  /** What did not stop when told to. Its lease is given back now; the reaper would do it later. */
  async #releaseRest(): Promise<void> {
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
    try {
      this.#onAcked(await this.#ack(runs, RELEASE_LOCK_MS))
    } catch (error) {
      this.#options.log.warn({ runs: runs.length, err: error }, 'outbox leases left to expire')
    }
  }
}
