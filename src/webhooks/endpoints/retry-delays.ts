import { matchesEvent } from '../../events/events.ts'

/** How long to wait after each failed attempt, by filter (`order.paid`, `order.*`). */
export type DelaysByEvent = Record<string, number[]>

export type RetryWishes = {
  /** Null is the standard schedule. */
  retry_delays_seconds: number[] | null
  retry_delays_by_event: DelaysByEvent | null
}

/** For an event of this type: what the filter says that names it most closely, else what the endpoint says of all. */
export function delaysFor({ retry_delays_seconds, retry_delays_by_event }: RetryWishes, type: string): number[] | null {
  if (retry_delays_by_event === null) return retry_delays_seconds
  let closest: string | null = null
  for (const filter in retry_delays_by_event) {
    if (!matchesEvent([filter], type)) continue
    if (filter === type) return retry_delays_by_event[filter] as number[]
    if (closest === null || filter.length > closest.length) closest = filter
  }
  return closest === null ? retry_delays_seconds : (retry_delays_by_event[closest] as number[])
}

/** Sorted, so that equal settings are stored equally; null when empty. */
export function tidyDelays(delays: DelaysByEvent | null | undefined): DelaysByEvent | null {
  const given = Object.entries(delays ?? {})
  return given.length === 0 ? null : Object.fromEntries(given.sort(([one], [other]) => (one < other ? -1 : 1)))
}
