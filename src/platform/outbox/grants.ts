import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Database, Tx } from '../database/database.ts'
import { isTimeout } from '../database/database-errors.ts'
import { limitLockWaits } from '../database/queries.ts'
import type { Log } from '../telemetry/log.ts'
import { lockTenant, sumInFlight } from './claim.sql.ts'
import { countTokens, type LaneRate } from './claim-policy.ts'
import { isHoldable, rateToHold, slotsToHold } from './grant-policy.ts'
import { type GrantLaneRow, type GrantWrite, listGrantLanes, revokeGrants, writeGrants } from './grants.sql.ts'
import type { ClaimedEntry } from './job.ts'
import { applyAnswer, readMemory, slotsOf } from './lane-health.ts'
import { type Lane, lockLanes } from './lanes.sql.ts'
import { refreshLanes } from './maintenance.sql.ts'
import type { RunPlace } from './pools.ts'

/**
 * Slots of lanes that this process holds for a while. Work that it records for such a lane is born leased and handed to its
 * own workers after the commit: no claim finds it, and neither its start nor its success writes the lane's row.
 *
 *   (this process records work for the lane) ──▶ wanted
 *   wanted ── the lane is well and has room (grant-policy.ts) ──▶ held
 *   held ── once a second while in use: the lane learns of successes, the number of slots follows its own ──▶ held
 *   held ── nothing handed over for a while; something failed or is silent; the lane is paused or changed ──▶ (gone)
 *
 * A grant is a row, so that all processes together keep to the slots of the lane, and it is only good while the row is there:
 * the statement that records work looks. With the grant of a process that died its work goes back to the lane.
 *
 * In good times only: as soon as anything fails, what is in flight counts in the lane again and everything takes the way of
 * the claim, with its breaker and its fairness. A process that dies forgets the successes of a second.
 */
export type HandOver = {
  processId: string
  /** Takes up to `count` places in the lane, on a slot or in the short line for one; answers with how many. */
  reserve(lane: Lane, count: number): number
  /** Whether this process holds slots of the lane at all. */
  holds(laneId: string): boolean
  /** Whether an entry of the lane, which this process does not hold, may take a slot while it is recorded. */
  mayBorrow(lane: Lane): boolean
  /** Until a pool of the organization has this many in flight. */
  borrowMax(): number
  /** What was reserved and not used: the transaction failed, or the work was stored as waiting. */
  release(laneId: string, count: number): void
  /** Runs entries that were stored as leased by this process, each on its slot, once they are committed. */
  start(entries: readonly ClaimedEntry[], place?: RunPlace): void
}

/** For code that is created before its outbox. */
export const lateHandOver = (processId: string, outbox: () => { handOver: HandOver } | null): HandOver => ({
  processId,
  reserve: (lane, count) => outbox()?.handOver.reserve(lane, count) ?? 0,
  holds: (laneId) => outbox()?.handOver.holds(laneId) ?? false,
  mayBorrow: (lane) => outbox()?.handOver.mayBorrow(lane) ?? false,
  borrowMax: () => outbox()?.handOver.borrowMax() ?? 0,
  release: (laneId, count) => outbox()?.handOver.release(laneId, count),
  start: (entries, place) => outbox()?.handOver.start(entries, place),
})

/** Where nothing is run. */
export const NO_HAND_OVER = lateHandOver('', () => null)

type Held = {
  orgId: OrgId
  place: RunPlace
  slots: number
  /** Its part of the lane's rate. */
  bucket: LaneRate
  used: number
  usedMs: number
  /** When its row was last seen, and when it was last looked at. */
  seenMs: number
  tendedMs: number
  successes: number
  /** When each of its runs began. */
  running: Map<ClaimedEntry, number>
  /** Those whose turn has not come. */
  line: { entry: ClaimedEntry; begin: (hasTurn: boolean) => void }[]
}

export type GrantsOptions = {
  database: Database
  clock: Clock
  log: Log
  processId: string
  tenantInFlightMax: number
  /** Whether so little runs in this process that no cap of it can be reached. */
  isQuiet: () => boolean
  /** How many may wait for a slot of a lane. */
  lineMax?: number
  /** How long a grant waits for a claim or an acknowledgement to end; a busy lane would otherwise never be granted. */
  lockMs?: number
  /** Null for a test that calls `tend` itself. */
  pace?: typeof PACE | null
}

/** What is wanted is asked for soon, but not for every event of a burst. */
const PACE = { tendMs: 1_000, wantedMs: 10, busyMs: 100, refusedMs: 2_000, soonMs: 2_000 }
const LANES_WANTED_MAX = 1_000
/** Born leased beyond the slots, these wait in memory for one that is about to be free, instead of being claimed later. */
const LINE_MAX = 16
const LOCK_MS = 100
/** A lane that is locked or gone for this long is held no longer; before its grant runs out. */
const UNSEEN_MS_MAX = 30_000

export class Grants {
  readonly #options: GrantsOptions
  readonly #held = new Map<string, Held>()
  /** By id, with their organization. */
  readonly #wanted = new Map<string, OrgId>()
  /** When something was last recorded for a lane that is not held. */
  readonly #recordedMs = new RecentMap<string, number>({ sizeMax: LANES_WANTED_MAX })
  readonly #refusedUntilMs = new Map<string, number>()
  #timer: ReturnType<typeof setTimeout> | null = null
  #nextMs = Number.POSITIVE_INFINITY
  #tending: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: GrantsOptions) {
    this.#options = options
  }

  reserve(lane: Lane, count: number): number {
    if (this.#isClosed || !this.#options.isQuiet()) return 0
    const held = this.#held.get(lane.id)
    if (held === undefined) this.#want(lane)
    if (held === undefined) return 0
    const now = new Date(this.#options.clock.now())
    const tokens = countTokens(held.bucket, now)
    const places = held.slots + (this.#options.lineMax ?? LINE_MAX) - held.used
    const taken = Math.max(0, Math.min(count, places, Math.floor(tokens)))
    if (held.bucket.ratePerSecond !== null) held.bucket = { ...held.bucket, tokens: tokens - taken, measuredAt: now }
    held.used += taken
    held.usedMs = performance.now()
    return taken
  }

  holds(laneId: string): boolean {
    return this.#held.has(laneId)
  }

  release(laneId: string, count: number): void {
    const held = this.#held.get(laneId)
    if (held === undefined) return
    held.used = Math.max(0, held.used - count)
    if (held.bucket.tokens !== null) held.bucket = { ...held.bucket, tokens: held.bucket.tokens + count }
  }

  /** Where its run counts; null when the grant is gone meanwhile. */
  placeOf(entry: ClaimedEntry): RunPlace | null {
    return this.#held.get(entry.laneId)?.place ?? null
  }

  /** When a slot is free for it. False where the lane is held no longer: it has not been run, and goes back. */
  turn(entry: ClaimedEntry): Promise<boolean> {
    const held = this.#held.get(entry.laneId)
    if (held === undefined) return Promise.resolve(false)
    if (held.running.size < held.slots) {
      held.running.set(entry, performance.now())
      return Promise.resolve(true)
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    held.line.push({ entry, begin: resolve })
    return promise
  }

  #nextTurns(held: Held): void {
    while (held.running.size < held.slots) {
      const next = held.line.shift()
      if (next === undefined) return
      held.running.set(next.entry, performance.now())
      next.begin(true)
    }
  }

  end(entry: ClaimedEntry, isSuccess: boolean): void {
    const held = this.#held.get(entry.laneId)
    if (held === undefined || !held.running.delete(entry)) return
    held.used = Math.max(0, held.used - 1)
    if (isSuccess) held.successes += 1
    this.#nextTurns(held)
    this.#schedule('tendMs')
  }

  /** Something of the lane failed here. */
  forget(laneId: string): void {
    const held = this.#held.get(laneId)
    this.#held.delete(laneId)
    this.#wanted.delete(laneId)
    for (const { begin } of held?.line ?? []) begin(false)
  }

  /** More of the lane may come, if this was not the first in a while. One that was refused is not asked for again at once. */
  #want({ orgId, id }: Lane): void {
    const nowMs = performance.now()
    const { pace = PACE } = this.#options
    const beforeMs = this.#recordedMs.get(id) ?? Number.NEGATIVE_INFINITY
    this.#recordedMs.set(id, nowMs)
    if (pace !== null && nowMs - beforeMs > pace.soonMs) return
    if (this.#wanted.size >= LANES_WANTED_MAX || nowMs < (this.#refusedUntilMs.get(id) ?? 0)) return
    this.#wanted.set(id, orgId)
    this.#schedule('wantedMs')
  }

  /** Gives everything back; nothing is handed over any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#tending
    const held = [...this.#held].map(([id, { orgId }]) => ({ orgId, id }))
    for (const { id } of held) this.forget(id)
    const { database, processId, log, lockMs = LOCK_MS } = this.#options
    for (const [orgId, lanes] of Map.groupBy(held, (lane) => lane.orgId))
      await database
        .transaction(async (tx) => {
          await limitLockWaits(tx, lockMs)
          const laneIds = lanes.map(({ id }) => id)
          await lockLanes(tx, orgId, laneIds)
          await revokeGrants(tx, orgId, { laneIds, processId })
          await refreshLanes(tx, orgId, laneIds)
        })
        .catch((error) => log.warn({ err: error }, 'outbox grants are left to run out'))
  }

  #schedule(when: 'tendMs' | 'wantedMs'): void {
    const { pace = PACE } = this.#options
    if (pace === null) return
    const inMs = pace[when]
    const atMs = performance.now() + inMs
    if (this.#isClosed || atMs >= this.#nextMs) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#nextMs = atMs
    this.#timer = setTimeout(() => {
      this.#nextMs = Number.POSITIVE_INFINITY
      this.#timer = null
      this.#tending = this.#tending.then(() => this.tend())
    }, inMs)
  }

  /** Renews what is in use, ends what is not, and asks for what is wanted: one organization after the other. */
  async tend(database = this.#options.database): Promise<void> {
    const nowMs = performance.now()
    const { pace = PACE } = this.#options
    const isTurn = ({ tendedMs }: Held) => pace === null || nowMs - tendedMs >= pace.tendMs / 2
    const held = [...this.#held].filter(([, each]) => isTurn(each)).map(([id, { orgId }]) => ({ orgId, id }))
    const wanted = [...this.#wanted].map(([id, orgId]) => ({ orgId, id })).filter(({ id }) => !this.#held.has(id))
    this.#wanted.clear()
    for (const [orgId, lanes] of Map.groupBy([...held, ...wanted], (lane) => lane.orgId))
      await this.#tendOf(
        database,
        orgId,
        lanes.map(({ id }) => id),
      )
    for (const [laneId, { seenMs }] of this.#held) if (performance.now() - seenMs > UNSEEN_MS_MAX) this.forget(laneId)
    if (this.#held.size > 0) this.#schedule('tendMs')
  }

  async #tendOf(database: Database, orgId: OrgId, laneIds: string[]): Promise<void> {
    try {
      const granted = await database.transaction((tx) => this.#settle(tx, orgId, laneIds))
      const now = new Date(this.#options.clock.now())
      const unfit = new Set(granted.filter(({ lane }) => !isHoldable(lane, now)).map(({ lane }) => lane.id))
      for (const laneId of laneIds) this.#refuse(laneId, unfit.has(laneId) ? 'refusedMs' : 'busyMs')
      for (const { lane, slots } of granted) this.#hold(lane, slots)
    } catch (error) {
      if (isTimeout(error)) for (const laneId of laneIds) this.#refuse(laneId, 'busyMs')
      else this.#options.log.warn({ err: error }, 'outbox grants could not be renewed')
    }
  }

  /** A lane that is locked or full at the moment is mostly free soon. */
  #refuse(laneId: string, forMs: 'busyMs' | 'refusedMs'): void {
    if (this.#refusedUntilMs.size >= LANES_WANTED_MAX) this.#refusedUntilMs.clear()
    const { pace = PACE } = this.#options
    this.#refusedUntilMs.set(laneId, performance.now() + (pace?.[forMs] ?? 0))
  }

  #hold(lane: GrantLaneRow, slots: number): void {
    const held = this.#held.get(lane.id)
    if (slots === 0) this.forget(lane.id)
    else if (held !== undefined) {
      held.slots = slots
      held.bucket = { ...held.bucket, ratePerSecond: rateToHold(lane) }
      held.seenMs = performance.now()
      held.tendedMs = held.seenMs
      this.#nextTurns(held)
    } else
      this.#held.set(lane.id, {
        orgId: lane.org_id,
        place: { pool: lane.pool, destination: lane.destination },
        slots,
        // Empty at first: what the lane had saved up stays with the claim.
        bucket: { ratePerSecond: rateToHold(lane), tokens: 0, measuredAt: new Date(this.#options.clock.now()) },
        used: 0,
        usedMs: performance.now(),
        seenMs: performance.now(),
        tendedMs: performance.now(),
        successes: 0,
        running: new Map(),
        line: [],
      })
  }

  async #settle(tx: Tx, orgId: OrgId, laneIds: string[]): Promise<{ lane: GrantLaneRow; slots: number }[]> {
    const { processId, tenantInFlightMax, clock, lockMs = LOCK_MS } = this.#options
    const now = new Date(clock.now())
    const [, , lanes, , sums] = await Promise.all([
      limitLockWaits(tx, lockMs),
      lockLanes(tx, orgId, laneIds),
      listGrantLanes(tx, orgId, { laneIds, processId, now }),
      lockTenant(tx, orgId),
      sumInFlight(tx, orgId, now),
    ])
    const loads = new Map(sums.map((sum) => [sum.pool, sum]))
    const settled = lanes.map((lane) => {
      const load = loads.get(lane.pool) ?? { pool: lane.pool, active: 0, silent: 0 }
      loads.set(lane.pool, load)
      const slots = slotsToHold(lane, this.#useOf(lane), {
        inFlight: load.active + load.silent,
        tenantInFlightMax,
        now,
      })
      load.active += slots - (lane.own_slots ?? 0)
      return { lane, slots }
    })
    const ended = settled.filter(({ lane, slots }) => slots === 0 && lane.own_slots !== null).map(({ lane }) => lane.id)
    const kept = settled.filter(({ lane, slots }) => slots > 0 || this.#held.has(lane.id))
    if (kept.length > 0)
      await writeGrants(tx, orgId, {
        processId,
        grants: kept.map(({ lane, slots }) => this.#writeOf(lane, slots, now)),
        now,
      })
    if (ended.length > 0) {
      await revokeGrants(tx, orgId, { laneIds: ended, processId })
      await refreshLanes(tx, orgId, ended)
    }
    return settled
  }

  #useOf(lane: GrantLaneRow) {
    const held = this.#held.get(lane.id)
    // The row is gone: what this process believes to hold was taken from it.
    if (held === undefined || lane.own_slots === null) return { used: 0, idleMs: 0, silentMs: 0 }
    const nowMs = performance.now()
    const oldestMs = Math.min(nowMs, ...held.running.values())
    return { used: held.running.size, idleMs: nowMs - held.usedMs, silentMs: nowMs - oldestMs }
  }

  #writeOf(lane: GrantLaneRow, slots: number, now: Date): GrantWrite {
    const held = this.#held.get(lane.id)
    const successes = held?.successes ?? 0
    const rate = slots === 0 ? null : rateToHold(lane)
    if (held !== undefined) held.successes = 0
    const guards = { concurrencyMax: lane.concurrency_max, isAdaptive: lane.is_adaptive, hasBreaker: lane.has_breaker }
    let condition = {
      breaker: lane.breaker,
      concurrency: lane.concurrency,
      blockedUntil: lane.blocked_until,
      blockedReason: lane.blocked_reason,
      memory: readMemory(lane.health),
    }
    for (let nth = 0; nth < successes; nth++)
      condition = applyAnswer(condition, { verdict: 'up', isOverload: false, claimedAt: now }, { guards, now })
    return {
      laneId: lane.id,
      slots,
      change: slots - (lane.own_slots ?? 0),
      rate,
      rateChange: (rate ?? 0) - (lane.own_rate ?? 0),
      hasAnswered: successes > 0,
      concurrency: condition.concurrency,
      laneSlots: slotsOf(condition),
      memory: condition.memory,
    }
  }
}
