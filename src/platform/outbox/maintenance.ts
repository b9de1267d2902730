import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { listReachableOrganizations } from '../cluster/distribution.sql.ts'
import { LOST_MS_MAX } from '../cluster/live-processes.sql.ts'
import type { Database } from '../database/database.ts'
import type { Log } from '../telemetry/log.ts'
import type { ClaimedEntry } from './job.ts'
import { isAnyLate } from './later.sql.ts'
import { type DueRow, deleteKeyGaps, listDue, vacuumOutbox } from './maintenance.sql.ts'
import { moveLater, reapLeases, recountLanes, renewEntries } from './maintenance-tasks.ts'
import { Alarm } from './wake-ups.ts'

/**
 * Looks after the outbox beside the claims: renews the leases of runs that last, reclaims those that expired, finds work
 * that no wake-up announced, and checks the counters. A task that fails is tried again at its next turn.
 */
export type MaintenancePace = {
  scoutEveryMs: number
  reapEveryMs: number
  recountEveryMs: number
  /** Vacuum once this many entries were acknowledged here since the last time. */
  tidyAfterAcks: number
}

/** `renewedMs` is of the process's monotonic timer: no step of a clock delays a renewal. */
export type HeldLease = { entry: ClaimedEntry; renewedMs: number; abandon: () => void }

export type MaintenanceOptions = {
  database: Database
  clock: Clock
  log: Log
  pace: MaintenancePace
  leases: () => Iterable<HeldLease>
  /** These organizations have something to claim, from then on. */
  onDue: (due: readonly { orgId: OrgId; dueAt: Date }[]) => void
  onCounted: (counted: { reaped?: number; recounted?: number }) => void
  /** How many entries were acknowledged since the start. */
  acked: () => number
}

const TICK_MS = 250
/** A lease is renewed when a sixth of it is gone, so five renewals may fail before it is lost. */
const RENEW_SHARE = 1 / 6
/** What grows dear with the size of the outbox, the scout and the vacuum, may take at most this share of the time. */
const TIME_SHARE = 0.05
const TIDY_EVERY_MS = 5_000
const LATER_EVERY_MS = 60_000
/** The scout looks ahead by this many of its rounds, so that nothing is due before its next one. */
const SCOUT_AHEAD = 2
/** However dear it is: what no wake-up announced waits for it. */
const SCOUT_WAIT_MS_MAX = 5_000
const REACHABLE_MAX = 1_000

export class Maintenance {
  readonly #options: MaintenanceOptions
  readonly #alarm = new Alarm()
  readonly #nextMs = { scout: 0, reap: 0, recount: 0, later: 0, tidy: 0 }
  /** How long the scout took last, and how long it waits. */
  #scoutTookMs = 0
  #scoutWaitMs: number
  #ackedWhenTidied = 0
  #isScoutWanted = false
  #isOver = false
  #loop: Promise<void> = Promise.resolve()

  constructor(options: MaintenanceOptions) {
    this.#options = options
    this.#scoutWaitMs = options.pace.scoutEveryMs
  }

  start(): void {
    this.#loop = this.#keep()
  }

  async stop(): Promise<void> {
    this.#isOver = true
    this.#alarm.ring()
    await this.#loop
  }

  scoutSoon(): void {
    this.#isScoutWanted = true
    this.#alarm.ring()
  }

  async #keep(): Promise<void> {
    while (!this.#isOver) {
      await this.#attempt('renew', () => this.#renew())
      if (this.#isTurn('reap', this.#options.pace.reapEveryMs)) await this.#attempt('reap', () => this.#reap())
      if (this.#isTurn('recount', this.#options.pace.recountEveryMs))
        await this.#attempt('recount', () => this.#recount())
      if (this.#isScoutWanted || performance.now() >= this.#nextMs.scout)
        await this.#attempt('scout', () => this.#scout())
      if (performance.now() >= this.#nextMs.later) await this.#attempt('later', () => this.#moveLater())
      if (this.#isUntidy()) await this.#attempt('tidy', () => this.#tidy())
      await this.#alarm.wait(TICK_MS)
    }
  }

  #isTurn(task: 'reap' | 'recount', everyMs: number): boolean {
    if (performance.now() < this.#nextMs[task]) return false
    this.#nextMs[task] = performance.now() + everyMs
    return true
  }

  async #attempt(task: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#options.log.warn({ task, err: error }, 'outbox maintenance failed')
    }
  }

  #now(): Date {
    return new Date(this.#options.clock.now())
  }

  async #renew(): Promise<void> {
    const nowMs = performance.now()
    const ageing = [...this.#options.leases()].filter(
      (lease) => nowMs - lease.renewedMs >= lease.entry.leaseMs * RENEW_SHARE,
    )
    const entries = ageing.map((lease) => lease.entry)
    const lost = new Set(await renewEntries(this.#options.database, entries))
    for (const lease of ageing) {
      if (lost.has(lease.entry)) lease.abandon()
      else lease.renewedMs = nowMs
    }
  }

  async #reap(): Promise<void> {
    const { reaped, orgIds, suspects } = await reapLeases(this.#options.database, this.#now())
    if (suspects > 0) this.#nextMs.reap = Math.min(this.#nextMs.reap, performance.now() + LOST_MS_MAX + 1)
    if (reaped === 0) return
    this.#options.log.warn({ reaped }, 'outbox leases were released')
    this.#options.onCounted({ reaped })
    this.#options.onDue(orgIds.map((orgId) => ({ orgId, dueAt: this.#now() })))
  }

  async #recount(): Promise<void> {
    const recounted = await recountLanes(this.#options.database)
    if (recounted > 0) this.#options.log.error({ recounted }, 'outbox lanes had counted wrong')
    this.#options.onCounted({ recounted })
    await deleteKeyGaps(this.#options.database, this.#now())
  }

  async #scout(): Promise<void> {
    this.#isScoutWanted = false
    const startedMs = performance.now()
    const rows = await this.#listDue(new Date(this.#now().getTime() + SCOUT_AHEAD * this.#scoutWaitMs))
    this.#paceScout(performance.now() - startedMs)
    const missing = rows.flatMap((row) => row.missing_lane_ids ?? [])
    if (missing.length > 0)
      this.#options.log.error({ lane_ids: missing }, 'outbox entries wait in lanes that do not exist')
    this.#options.onDue(rows.flatMap((row) => (row.due_at === null ? [] : [{ orgId: row.org_id, dueAt: row.due_at }])))
  }

  /** By the shorter of two looks: a machine or a database that stood still for a moment makes one long, not the outbox large. */
  #paceScout(tookMs: number): void {
    const dearMs = Math.min(tookMs, this.#scoutTookMs) / TIME_SHARE
    this.#scoutTookMs = tookMs
    this.#scoutWaitMs = Math.max(this.#options.pace.scoutEveryMs, Math.min(dearMs, SCOUT_WAIT_MS_MAX))
    this.#nextMs.scout = performance.now() + this.#scoutWaitMs
  }

  /** While a node of a cluster is away, all organizations of the others are claimed for, whether they have work or not. */
  async #listDue(until: Date): Promise<DueRow[]> {
    const { database } = this.#options
    try {
      if (await isAnyLate(database, this.#now())) await this.#moveLater()
      return await listDue(database, until)
    } catch (error) {
      if (!database.isSharded()) throw error
      const reachable = await listReachableOrganizations(database, { after: '', limit: REACHABLE_MAX })
      return reachable.map(({ org_id }) => ({ org_id, due_at: this.#now(), missing_lane_ids: null }))
    }
  }

  /** What did not fit into one turn follows soon, but never takes more than a small part of the time. */
  async #moveLater(): Promise<void> {
    const startedMs = performance.now()
    const isMore = await moveLater(this.#options.database, this.#now())
    this.#nextMs.later = nextTurnMs(startedMs, isMore ? LATER_EVERY_MS / 60 : LATER_EVERY_MS)
  }

  #isUntidy(): boolean {
    const isChurned = this.#options.acked() - this.#ackedWhenTidied >= this.#options.pace.tidyAfterAcks
    return isChurned && performance.now() >= this.#nextMs.tidy
  }

  /**
   * Every entry leaves three dead rows and its lane two more, and every claim steps over those at the front of its indexes
   * until a vacuum takes them away. The server's own comes by once a minute at most, which at 2,000 entries a second is
   * 600,000 rows too late.
   */
  async #tidy(): Promise<void> {
    this.#ackedWhenTidied = this.#options.acked()
    const startedMs = performance.now()
    await vacuumOutbox(this.#options.database)
    this.#nextMs.tidy = nextTurnMs(startedMs, TIDY_EVERY_MS)
  }
}

const nextTurnMs = (startedMs: number, everyMs: number) => {
  const nowMs = performance.now()
  return nowMs + Math.max(everyMs, (nowMs - startedMs) / TIME_SHARE)
}
