import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import { isDatabaseUnavailable } from '../platform/database/database-errors.ts'

/**
 * Finds the event that a follower cannot handle. After a page has failed, the events of its organization are taken one by
 * one, so that the others pass. One that goes on failing for a while is to be parked: it would hold up all that come after
 * it. A database in trouble fails events of any kind, and counts for nothing.
 */
export type PoisonWatch = {
  /** How many events to take at once. */
  pageOf(name: string, orgId: OrgId): number
  passed(name: string, orgId: OrgId, events: number): void
  /** Whether the next event is to be parked. */
  failed(name: string, orgId: OrgId, error: unknown): boolean
}

export type PoisonLimits = { pageEvents: number; triesMax: number; failingMsMin: number }

type Failing = { tries: number; sinceMs: number; left: number }

export function createPoisonWatch(clock: Clock, { pageEvents, triesMax, failingMsMin }: PoisonLimits): PoisonWatch {
  const failing = new Map<string, Failing>()
  const keyOf = (name: string, orgId: OrgId) => `${name} ${orgId}`
  return {
    pageOf: (name, orgId) => (failing.has(keyOf(name, orgId)) ? 1 : pageEvents),
    passed(name, orgId, events) {
      const state = failing.get(keyOf(name, orgId))
      if (state === undefined) return
      state.left -= events
      state.tries = 0
      if (events === 0 || state.left <= 0) failing.delete(keyOf(name, orgId))
    },
    failed(name, orgId, error) {
      if (isDatabaseUnavailable(error)) return false
      const key = keyOf(name, orgId)
      const state = failing.get(key)
      if (state === undefined) {
        failing.set(key, { tries: 0, sinceMs: clock.now(), left: pageEvents })
        return false
      }
      if (state.tries === 0) state.sinceMs = clock.now()
      state.tries += 1
      return state.tries >= triesMax && clock.now() - state.sinceMs >= failingMsMin
    },
  }
}
