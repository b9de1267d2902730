import { type Event, envelopeOf, findEventType, upgradeEvent } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../platform/telemetry/log.ts'

/**
 * Alarms when an event is not what its type promises: a bug of ours, which receivers would be the first to find. It is
 * delivered all the same. Of each type one is looked at every few seconds: looking at all of them would cost as much as
 * dealing them out, and a type that is wrong is seldom wrong once. What the event says stays out of the log.
 */
export type BodyShapeWatch = (events: readonly WatchedEvent[]) => void

export type WatchedEvent = Pick<Event, 'org_id' | 'id' | 'type' | 'body' | 'erased_at'>

const LOOK_AGAIN_MS = 10_000
const PROBLEMS_TOLD_MAX = 10

export function createBodyShapeWatch({ clock, log }: { clock: Clock; log: Log }): BodyShapeWatch {
  const lookedAtMs = new Map<string, number>()
  return (events) => {
    const nowMs = clock.now()
    for (const event of events) {
      if (nowMs - (lookedAtMs.get(event.type) ?? Number.NEGATIVE_INFINITY) < LOOK_AGAIN_MS) continue
      lookedAtMs.set(event.type, nowMs)
      const problems = problemsOf(event)
      if (problems.length === 0) continue
      const { org_id, id, type } = event
      log.error(
        { org_id, event_id: id, type, problems },
        'an event is not what its type promises; it is delivered as it is',
      )
    }
  }
}

/** An event of a type that this version does not know was recorded by another one. What was erased promises nothing. */
function problemsOf({ type: name, body, erased_at }: WatchedEvent): string[] {
  const type = erased_at === null ? findEventType(name) : null
  const result = type === null ? null : envelopeOf(type).safeParse(upgradeEvent(name, JSON.parse(body)))
  const issues = result?.error?.issues ?? []
  return issues.slice(0, PROBLEMS_TOLD_MAX).map(({ path, code }) => `${path.join('.')} ${code}`)
}
