import type { Clock } from '../../../kernel/clock.ts'

/**
 * GCRA in memory. A partition (a key, an address) holds one number per policy: the theoretical arrival time, the
 * moment at which all that was taken has been paid back. Its distance from now is the debt; each unit costs one
 * emission interval (window ÷ quota), and a call passes while the debt with it stays within burst × interval.
 *
 *   no entry ──call──▶ in debt ──time──▶ paid back (the entry says nothing any more and may be dropped)
 *
 * Dropping is done by a hand that moves over a few entries whenever a new one is added, so the table needs no timer
 * and stays at about the number of partitions in debt. When it is full of debtors all the same, the one with the
 * least debt among the next few is forgotten.
 */
export type RateLimitPolicy = {
  /** A short constant such as `key`; partitions of different policies are apart. */
  name: string
  quota: number
  windowSeconds: number
  /** How many units may pass at once after a pause; at least 1. */
  burst: number
}

export type RateLimitResult = {
  allowed: boolean
  /** Units that would pass now. */
  remaining: number
  /** Seconds until one more unit would. */
  resetSeconds: number
  /** Seconds after which this call would pass; 0 when it did. */
  retryAfterSeconds: number
}

export type RateLimiter = {
  check(partition: string, policy: RateLimitPolicy, cost?: number): RateLimitResult
  /** Gives one unit back, for an answer that cost nothing (304). */
  refund(partition: string, policy: RateLimitPolicy): void
  /** The part of every quota and burst that this process may give out: 1 ÷ number of processes. */
  setShare(fraction: number): void
  /** How many partitions are remembered, over all policies. */
  entryCount(): number
}

export type RateLimiterOptions = {
  clock: Clock
  /** Per policy name. */
  entriesMax: number
  random?: () => number
}

export function createRateLimiter({ clock, entriesMax, random = Math.random }: RateLimiterOptions): RateLimiter {
  // Times count from here: milliseconds since 1970 would leave a double too few digits for short intervals.
  const originMs = clock.now()
  const tables = new Map<string, ArrivalTable>()
  let share = 1

  function tableOf(policyName: string): ArrivalTable {
    let table = tables.get(policyName)
    if (table === undefined) {
      table = new ArrivalTable(entriesMax)
      tables.set(policyName, table)
    }
    return table
  }

  return {
    check(partition, policy, cost = 1) {
      const nowMs = clock.now() - originMs
      const table = tableOf(policy.name)
      const limit = limitOf(policy, share)
      const before = table.debtMs(partition, nowMs, limit.capacityMs)
      const after = before + Math.min(cost, limit.burst) * limit.intervalMs
      const allowed = after <= limit.capacityMs + limit.intervalMs * ROUNDING
      if (allowed) table.set(partition, nowMs + after, nowMs)
      const waitMs = allowed ? 0 : after - limit.capacityMs
      return describe(limit, allowed ? after : before, allowed, waitMs === 0 ? 0 : retryAfter(waitMs, random))
    },
    refund(partition, policy) {
      const nowMs = clock.now() - originMs
      const table = tableOf(policy.name)
      const limit = limitOf(policy, share)
      const debtMs = table.debtMs(partition, nowMs, limit.capacityMs)
      if (debtMs > 0) table.set(partition, nowMs + Math.max(0, debtMs - limit.intervalMs), nowMs)
    },
    setShare(fraction) {
      if (!(fraction > 0 && fraction <= 1)) throw new RangeError(`a share lies above 0 and up to 1, not ${fraction}`)
      share = fraction
    },
    entryCount() {
      let entries = 0
      for (const table of tables.values()) entries += table.size
      return entries
    },
  }
}

/** Sums of intervals carry a rounding error; a millionth of a unit never decides. */
const ROUNDING = 1e-6

type Limit = { burst: number; intervalMs: number; capacityMs: number }

function limitOf(policy: RateLimitPolicy, share: number): Limit {
  const burst = Math.max(1, Math.floor(policy.burst * share))
  const intervalMs = (policy.windowSeconds * 1_000) / (policy.quota * share)
  return { burst, intervalMs, capacityMs: burst * intervalMs }
}

function describe(limit: Limit, debtMs: number, allowed: boolean, retryAfterSeconds: number): RateLimitResult {
  const remaining = Math.max(0, Math.floor((limit.capacityMs - debtMs) / limit.intervalMs + ROUNDING))
  const untilNextMs = debtMs - (limit.burst - remaining - 1) * limit.intervalMs
  const resetSeconds = remaining >= limit.burst ? 0 : Math.max(1, Math.ceil(untilNextMs / 1_000))
  return { allowed, remaining, resetSeconds, retryAfterSeconds }
}

const LONG_WAIT_SECONDS = 10

/** Long waits are spread by up to a tenth, so that those refused together do not come back together. */
function retryAfter(waitMs: number, random: () => number): number {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return seconds > LONG_WAIT_SECONDS ? seconds + Math.floor(random() * 0.1 * seconds) : seconds
}

/** Steps per new entry: with two, the hand moves faster than the table can grow. */
const SWEEP_STEPS = 2
const EVICTION_CANDIDATES = 8

class ArrivalTable {
  private readonly arrivals = new Map<string, number>()
  private readonly entriesMax: number
  private hand = this.arrivals.entries()

  constructor(entriesMax: number) {
    this.entriesMax = entriesMax
  }

  get size(): number {
    return this.arrivals.size
  }

  /**
   * Never exceeds the capacity, and corrects an arrival beyond it at once: after a clock was set back or a quota was reduced, no
   * caller is locked out for longer than a full burst takes.
   */
  debtMs(partition: string, nowMs: number, capacityMs: number): number {
    const arrivalMs = this.arrivals.get(partition)
    if (arrivalMs === undefined || arrivalMs <= nowMs) return 0
    const debtMs = arrivalMs - nowMs
    if (debtMs <= capacityMs) return debtMs
    this.arrivals.set(partition, nowMs + capacityMs)
    return capacityMs
  }

  set(partition: string, arrivalMs: number, nowMs: number): void {
    const sizeBefore = this.arrivals.size
    this.arrivals.set(partition, arrivalMs)
    if (this.arrivals.size === sizeBefore) return
    for (let step = 0; step < SWEEP_STEPS; step++) this.dropPaidBack(nowMs)
    if (this.arrivals.size > this.entriesMax) this.evict(partition)
  }

  private dropPaidBack(nowMs: number): void {
    const entry = this.advance()
    if (entry !== undefined && entry[1] <= nowMs) this.arrivals.delete(entry[0])
  }

  private evict(newcomer: string): void {
    let least: [string, number] | undefined
    for (let candidate = 0; candidate < EVICTION_CANDIDATES; candidate++) {
      const entry = this.advance()
      if (entry === undefined || entry[0] === newcomer) continue
      if (least === undefined || entry[1] < least[1]) least = entry
    }
    if (least !== undefined) this.arrivals.delete(least[0])
  }

  /** The entry under the hand, which then moves on; undefined once per round, at the end of the table. */
  private advance(): [string, number] | undefined {
    const next = this.hand.next()
    if (!next.done) return next.value
    this.hand = this.arrivals.entries()
    return undefined
  }
}

/** Structured fields (RFC 9651) of the RateLimit draft; the burst is our own parameter and bears our prefix. */
export function rateLimitHeaders(policy: RateLimitPolicy, result: RateLimitResult) {
  const burst = policy.burst === policy.quota ? '' : `;nx-burst=${policy.burst}`
  return {
    'RateLimit-Policy': `"${policy.name}";q=${policy.quota};w=${policy.windowSeconds}${burst}`,
    RateLimit: `"${policy.name}";r=${result.remaining};t=${result.resetSeconds}`,
  }
}
