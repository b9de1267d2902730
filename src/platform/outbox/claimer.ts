import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from '../database/database.ts'
import type { Log } from '../telemetry/log.ts'
import { type Claim, claimEntries } from './claim.ts'
import type { Job } from './job.ts'
import { OrganizationQueue } from './organization-queue.ts'
import { fullPools, isCrowded, measureRoom, type ProcessRoom, pools, type RunPlace } from './pools.ts'
import { Alarm } from './wake-ups.ts'

/**
 * Claims for one organization after the other, a few at the same time, as long as this process has room. Whose turn it is
 * comes from the queue (organization-queue.ts); how much each gets, from what is free and how many wait for it.
 */
export type ClaimerOptions = {
  database: Database
  clock: Clock
  log: Log
  processId: string
  jobs: ReadonlyMap<string, Job>
  caps: { inFlightMax: number; tenantInFlightMax: number }
  running: () => Iterable<RunPlace & { startedMs: number }>
  onClaimed: (claim: Claim) => void
}

/** Of organizations, at the same time. */
const CLAIMS_MAX = 4
const CLAIM_ENTRIES_MAX = 256
/** When many organizations have work, what is free is shared out among them, but not in smaller pieces. */
const CLAIM_ENTRIES_MIN = 16
const CLAIM_LANES_MAX = 128
/** Another process claims for an organization, or a lane is locked: again after the first, doubling, to the second. */
const CONTENDED_WAIT_MS = { min: 3, max: 250 }
/** A process with hardly any room left waits this long for more of it, instead of claiming for every slot that frees. */
const CROWDED_SHARE = 1 / 16
const CROWDED_WAIT_MS = 20
const FAILED_WAIT_MS = 500
/** With nothing to do: new work sets off the alarm. */
const IDLE_WAIT_MS = 60_000
const NO_LANES: ReadonlySet<string> = new Set()

type Limits = { room: ProcessRoom; entriesMax: number }

export class Claimer {
  readonly #options: ClaimerOptions
  readonly #alarm = new Alarm()
  readonly #queue = new OrganizationQueue()
  /** How long the next wait is, where claims met others. */
  readonly #contendedMs = new Map<string, number>()
  readonly #clogged = new Map<string, ReadonlySet<string>>()
  readonly #claims = new Set<Promise<void>>()
  /** Entries that the claims under way may bring. */
  #reserved = 0
  #pausedUntilMs = 0
  #claimedMs = Number.NEGATIVE_INFINITY
  #isOver = false
  #loop: Promise<void> = Promise.resolve()

  constructor(options: ClaimerOptions) {
    this.#options = options
  }

  start(): void {
    this.#loop = this.#claimAll()
  }

  async stop(): Promise<void> {
    this.#isOver = true
    this.#alarm.ring()
    await this.#loop
  }

  /** These organizations have work that is due. */
  noteDue(orgIds: readonly OrgId[]): void {
    for (const orgId of orgIds) this.#queue.noteDue(orgId)
    this.#alarm.ring()
  }

  noteLater(due: readonly { orgId: OrgId; dueAt: Date }[]): void {
    for (const { orgId, dueAt } of due) this.#queue.noteLater(orgId, dueAt.getTime())
    if (due.length > 0) this.#alarm.ring()
  }

  /** So many runs of an organization ended. */
  noteRoom(orgId: OrgId, count: number): void {
    this.#queue.noteRoom(orgId, count)
    this.#alarm.ring()
  }

  async #claimAll(): Promise<void> {
    while (!this.#isOver) {
      const waitMs = this.#startClaims()
      await this.#alarm.wait(waitMs)
    }
    await Promise.all(this.#claims)
  }

  /** For as many organizations as there is room. Answers how long to wait, unless the alarm is rung. */
  #startClaims(): number {
    const pausedMs = this.#pausedUntilMs - performance.now()
    if (pausedMs > 0) return pausedMs
    while (this.#claims.size < CLAIMS_MAX) {
      const room = this.#room()
      const crowdedMs = this.#crowdedMs(room)
      if (crowdedMs > 0) return crowdedMs
      const free = pools.reduce((sum, pool) => sum + room.pools[pool], -this.#reserved)
      if (free <= 0) return IDLE_WAIT_MS
      const orgId = this.#queue.take(this.#options.clock.now())
      if (orgId === null) return Math.min(IDLE_WAIT_MS, this.#queue.waitMs(this.#options.clock.now()))
      const share = Math.ceil(free / (this.#queue.size + 1))
      this.#startClaim(orgId, {
        room,
        entriesMax: Math.min(free, CLAIM_ENTRIES_MAX, Math.max(share, CLAIM_ENTRIES_MIN)),
      })
    }
    return IDLE_WAIT_MS
  }

  #startClaim(orgId: OrgId, limits: Limits): void {
    this.#reserved += limits.entriesMax
    this.#claimedMs = performance.now()
    const claim = this.#claim(orgId, limits).then(() => {
      this.#reserved -= limits.entriesMax
      this.#queue.endClaim(orgId)
      this.#claims.delete(claim)
      this.#alarm.ring()
    })
    this.#claims.add(claim)
  }

  #room(): ProcessRoom {
    const { running, caps } = this.#options
    return measureRoom(running(), { inFlightMax: caps.inFlightMax, nowMs: performance.now() })
  }

  /** How long to wait for room in this process; 0 when there is enough. */
  #crowdedMs(room: ProcessRoom): number {
    if (fullPools(room).length === pools.length) return IDLE_WAIT_MS
    if (!isCrowded(room, this.#options.caps.inFlightMax, CROWDED_SHARE)) return 0
    return Math.max(0, this.#claimedMs + CROWDED_WAIT_MS - performance.now())
  }

  async #claim(orgId: OrgId, { room, entriesMax }: Limits): Promise<void> {
    const { database, jobs, processId, caps, clock, log, onClaimed } = this.#options
    try {
      const claim = await claimEntries(database, {
        orgId,
        jobs,
        processId,
        entriesMax,
        lanesMax: Math.min(CLAIM_LANES_MAX, Math.max(entriesMax, 4)),
        tenantInFlightMax: caps.tenantInFlightMax,
        room,
        cloggedLaneIds: this.#clogged.get(orgId) ?? NO_LANES,
        now: new Date(clock.now()),
      })
      this.#note(orgId, claim)
      onClaimed(claim)
    } catch (error) {
      log.warn({ err: error }, 'outbox claim failed')
      this.#pausedUntilMs = performance.now() + FAILED_WAIT_MS
      this.#queue.noteDue(orgId)
    }
  }

  #note(orgId: OrgId, claim: Claim): void {
    if (claim.cloggedLaneIds.length > 0) this.#clogged.set(orgId, new Set(claim.cloggedLaneIds))
    else this.#clogged.delete(orgId)
    if (claim.isContended) this.#noteContended(orgId)
    else this.#contendedMs.delete(orgId)
    if (claim.isMoreLikely) this.#queue.noteDue(orgId)
    else if (claim.isHeldBack) this.#queue.holdBack(orgId)
    if (claim.nextAt !== null) this.#queue.noteLater(orgId, claim.nextAt.getTime())
  }

  #noteContended(orgId: OrgId): void {
    const waitMs = this.#contendedMs.get(orgId) ?? CONTENDED_WAIT_MS.min
    this.#contendedMs.set(orgId, Math.min(2 * waitMs, CONTENDED_WAIT_MS.max))
    this.#queue.noteLater(orgId, this.#options.clock.now() + waitMs)
  }
}
