import type { Delivery, Story } from '../api/webhooks.ts'

/**
 * When a delivery is tried next. Its own time is only the earliest: while its endpoint keeps failing or is throttled, the story says
 * until when everything there waits, and the later of both is true.
 */
export function nextTryAt({ status, next_attempt_at: at }: NextTryFacts, story: Pick<Story, 'answer'> | undefined) {
  if (status !== 'pending' || at === null) return status === 'in_flight' ? null : at
  const waits = (story?.answer ?? []).map(({ details }) => details.until).filter((until) => typeof until === 'string')
  return [at, ...waits].reduce((latest, one) => (Date.parse(one) > Date.parse(latest) ? one : latest))
}

type NextTryFacts = Pick<Delivery, 'status' | 'next_attempt_at'>
