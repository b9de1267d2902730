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
