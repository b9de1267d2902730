/**
 * What the answers of the other side do to a lane. Pure: the acknowledgement hands in the lane as it was locked and writes
 * back what comes out.
 *
 * Breaker, by lane:
 *
 *   closed ── 5 failures in a row, or half of at least 20 within 2 minutes ──▶ open
 *   open ── after 30 s, then 1, 2, 4, 8, 10 minutes, the oldest due entry is claimed as a probe ──▶ half_open
 *   half_open ── the probe fails ──▶ open (next longer wait)
 *   half_open ── a second probe in a row succeeds ──▶ closed
 *
 * While it is not closed the lane has one slot. Waiting entries are delayed and spend no attempts. Answers that arrive
 * while it is open belong to attempts from before and change nothing.
 *
 * Concurrency, additive increase and multiplicative decrease: starts at 2, rises by one after as many successes as its
 * current value, and is halved on overload. Attempts that were already running at a halving do not halve it again: eight
 * requests that time out together are one piece of news, not eight.
 */
export type Breaker = 'closed' | 'open' | 'half_open'

/** What one answer says about the other side, not about the entry. `neutral` says nothing (a refusal of this one item). */
export type Verdict = 'up' | 'down' | 'neutral'

type Tally = { total: number; failed: number }

export type HealthMemory = {
  failuresInRow: number
  minuteStartedMs: number
  minute: Tally
  minuteBefore: Tally
  /** How often it opened without closing in between. */
  opens: number
  probesPassed: number
  successesAtLimit: number
  halvedMs: number
  /** Since when there were only failures, how many, and the last success: what an automatic disabling decides on. */
  failingSinceMs: number | null
  failuresSinceSuccess: number
  lastSuccessMs: number | null
  /** Until when the other side asked to be left alone. A breaker may wait for longer, and be hurried, but not beyond this. */
  leftAloneUntilMs: number | null
}

export type LaneCondition = {
  breaker: Breaker
  concurrency: number
  blockedUntil: Date | null
  blockedReason: string | null
  memory: HealthMemory
}

export type LaneGuards = { concurrencyMax: number; isAdaptive: boolean; hasBreaker: boolean }

export type Answer = { verdict: Verdict; isOverload: boolean; claimedAt: Date }

const CONCURRENCY_AT_START = 2
const FAILURES_IN_ROW_MAX = 5
const WINDOW_TOTAL_MIN = 20
const WINDOW_FAILED_SHARE = 0.5
const BUCKET_MS = 60_000
const PROBES_TO_CLOSE = 2
const PROBE_WAITS_MS = [30_000, 60_000, 120_000, 240_000, 480_000, 600_000]

const EMPTY: Tally = { total: 0, failed: 0 }

const FIRST_MEMORY: HealthMemory = {
  failuresInRow: 0,
  minuteStartedMs: 0,
  minute: EMPTY,
  minuteBefore: EMPTY,
  opens: 0,
  probesPassed: 0,
  successesAtLimit: 0,
  halvedMs: 0,
  failingSinceMs: null,
  failuresSinceSuccess: 0,
  lastSuccessMs: null,
  leftAloneUntilMs: null,
}

export const readMemory = (stored: Partial<HealthMemory>): HealthMemory => ({ ...FIRST_MEMORY, ...stored })

/** The reason of a pause that the other side asked for. */
export const RETRY_AFTER = 'retry_after'

export type Pause = { until: Date; reason: string }

/** The later of two blocks holds. What was asked for is remembered beside it. */
export function blockUntil(condition: LaneCondition, { until, reason }: Pause): LaneCondition {
  const { memory, blockedUntil } = condition
  const leftAloneUntilMs = Math.max(memory.leftAloneUntilMs ?? 0, until.getTime())
  const remembered = reason === RETRY_AFTER ? { ...condition, memory: { ...memory, leftAloneUntilMs } } : condition
  if (blockedUntil !== null && blockedUntil >= until) return remembered
  return { ...remembered, blockedUntil: until, blockedReason: reason }
}

export const firstConcurrency = (guards: LaneGuards) =>
  guards.isAdaptive ? Math.min(CONCURRENCY_AT_START, guards.concurrencyMax) : guards.concurrencyMax

export const slotsOf = (condition: { breaker: Breaker; concurrency: number }) =>
  condition.breaker === 'closed' ? condition.concurrency : 1

export function applyAnswer(
  condition: LaneCondition,
  answer: Answer,
  { guards, now }: { guards: LaneGuards; now: Date },
): LaneCondition {
  const adapted = guards.isAdaptive ? adaptConcurrency(condition, answer, { guards, now }) : condition
  if (answer.verdict === 'neutral') return adapted
  const remembered = { ...adapted, memory: rememberAnswer(adapted.memory, answer.verdict, now) }
  if (!guards.hasBreaker) return remembered
  return moveBreaker(remembered, answer.verdict, { guards, now })
}

function adaptConcurrency(
  condition: LaneCondition,
  answer: Answer,
  { guards, now }: { guards: LaneGuards; now: Date },
): LaneCondition {
  const { memory, concurrency } = condition
  if (answer.isOverload) {
    if (answer.claimedAt.getTime() <= memory.halvedMs) return condition
    return {
      ...condition,
      concurrency: Math.max(1, Math.floor(concurrency / 2)),
      memory: { ...memory, halvedMs: now.getTime(), successesAtLimit: 0 },
    }
  }
  if (answer.verdict !== 'up' || concurrency >= guards.concurrencyMax) return condition
  const successes = memory.successesAtLimit + 1
  if (successes < concurrency) return { ...condition, memory: { ...memory, successesAtLimit: successes } }
  return { ...condition, concurrency: concurrency + 1, memory: { ...memory, successesAtLimit: 0 } }
}

function rememberAnswer(memory: HealthMemory, verdict: 'up' | 'down', now: Date): HealthMemory {
  const nowMs = now.getTime()
  const turned = turnMinute(memory, nowMs)
  const failed = verdict === 'down' ? 1 : 0
  const minute = { total: turned.minute.total + 1, failed: turned.minute.failed + failed }
  if (verdict === 'up') {
    const cleared = { failuresInRow: 0, failingSinceMs: null, failuresSinceSuccess: 0, lastSuccessMs: nowMs }
    return { ...turned, ...cleared, minute }
  }
  return {
    ...turned,
    minute,
    failuresInRow: memory.failuresInRow + 1,
    failingSinceMs: memory.failingSinceMs ?? nowMs,
    failuresSinceSuccess: memory.failuresSinceSuccess + 1,
  }
}

/** Two minutes are kept as this minute and the one before: two tallies instead of a list of moments. */
function turnMinute(memory: HealthMemory, nowMs: number): HealthMemory {
  const age = nowMs - memory.minuteStartedMs
  if (age < BUCKET_MS) return memory
  const minuteBefore = age < 2 * BUCKET_MS ? memory.minute : EMPTY
  return { ...memory, minuteStartedMs: nowMs, minute: EMPTY, minuteBefore }
}

function moveBreaker(
  condition: LaneCondition,
  verdict: 'up' | 'down',
  { guards, now }: { guards: LaneGuards; now: Date },
): LaneCondition {
  if (condition.breaker === 'open') return condition
  if (condition.breaker === 'closed') return mustOpen(condition.memory) ? openBreaker(condition, now) : condition
  if (verdict === 'down') return openBreaker(condition, now)
  const probesPassed = condition.memory.probesPassed + 1
  if (probesPassed < PROBES_TO_CLOSE) return { ...condition, memory: { ...condition.memory, probesPassed } }
  return closeBreaker(condition, guards)
}

function mustOpen({ failuresInRow, minute, minuteBefore }: HealthMemory): boolean {
  if (failuresInRow >= FAILURES_IN_ROW_MAX) return true
  const total = minute.total + minuteBefore.total
  const failed = minute.failed + minuteBefore.failed
  return failuresInRow > 0 && total >= WINDOW_TOTAL_MIN && failed >= total * WINDOW_FAILED_SHARE
}

function openBreaker(condition: LaneCondition, now: Date): LaneCondition {
  const { memory } = condition
  const waitMs = PROBE_WAITS_MS[Math.min(memory.opens, PROBE_WAITS_MS.length - 1)] as number
  const until = new Date(now.getTime() + waitMs)
  const longer = condition.blockedUntil !== null && condition.blockedUntil > until
  return {
    ...condition,
    breaker: 'open',
    blockedUntil: longer ? condition.blockedUntil : until,
    blockedReason: longer ? condition.blockedReason : 'breaker_open',
    memory: { ...memory, opens: memory.opens + 1, probesPassed: 0 },
  }
}

/** A lane that recovers starts small again, and with a clean window: the failures that opened it are not held against it. */
function closeBreaker(condition: LaneCondition, guards: LaneGuards): LaneCondition {
  const cleared = { opens: 0, probesPassed: 0, successesAtLimit: 0, minute: EMPTY, minuteBefore: EMPTY }
  return {
    ...condition,
    breaker: 'closed',
    concurrency: firstConcurrency(guards),
    memory: { ...condition.memory, ...cleared },
  }
}
