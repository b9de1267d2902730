import { ConnectionError, NexkitError } from './errors.ts'

/** What docs/concepts/errors.md calls worth repeating, besides `idempotency_key_in_use`. 502 and 504 come from proxies. */
const REPEATED_STATUSES = [408, 429, 500, 502, 503, 504]

/** The server refused before it looked at what was asked. */
const UNTOUCHED_STATUSES = [408, 429]

const FIRST_WAIT_MS = 500
const WAIT_MS_MAX = 8000
/** Clients that got the same time do not all come back at the same instant. */
const SPREAD_MS = 250

export type RetryLimits = {
  retryAfterSecondsMax: number
  /** Done twice it has the effect of once: a read, a POST with its key, a change without `ifMatch`. */
  isRepeatable: boolean
}

/** How long to wait before the same request is sent again; null when that would not help, or could do harm. */
export function retryDelayMs(error: unknown, failures: number, limits: RetryLimits): number | null {
  if (!(error instanceof NexkitError) || !isWorthRepeating(error)) return null
  if (!limits.isRepeatable && !UNTOUCHED_STATUSES.includes(error.status ?? 0)) return null
  const { retryAfterSeconds } = error
  if (retryAfterSeconds === null) return backoffMs(failures)
  if (retryAfterSeconds > limits.retryAfterSecondsMax) return null
  return retryAfterSeconds * 1000 + Math.random() * SPREAD_MS
}

export const isWorthRepeating = (error: NexkitError): boolean =>
  error instanceof ConnectionError ||
  REPEATED_STATUSES.includes(error.status ?? 0) ||
  error.code === 'idempotency_key_in_use'

/** Twice as long each time, and anything between half of that and all of it. */
export const backoffMs = (failures: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), WAIT_MS_MAX) * (0.5 + Math.random() / 2)
