import type { Clock } from '../../../kernel/clock.ts'
import type { OrgId } from '../../../kernel/ids.ts'

/**
 * Wakes the outbox for entries that are due later: once for each organization and due time, when that has come. A wake-up when they are
 * enqueued would be a claim that finds nothing. One that is lost with its process costs a second: the scout finds the entries.
 */
export type PulseWaker = { wakeAt(orgId: OrgId, dueAt: Date): void; stop(): void }

type Pulse = { orgIds: Set<OrgId>; timer: ReturnType<typeof setTimeout> }

export function createPulseWaker(options: { clock: Clock; wake: (orgIds: readonly OrgId[]) => void }): PulseWaker {
  const { clock, wake } = options
  const pulses = new Map<number, Pulse>()
  const start = (dueMs: number): Pulse => {
    const timer = setTimeout(
      () => {
        const orgIds = pulses.get(dueMs)?.orgIds ?? []
        pulses.delete(dueMs)
        wake([...orgIds])
      },
      Math.max(0, dueMs - clock.now()) + 1,
    )
    timer.unref()
    const pulse = { orgIds: new Set<OrgId>(), timer }
    pulses.set(dueMs, pulse)
    return pulse
  }
  return {
    wakeAt(orgId, dueAt) {
      const pulse = pulses.get(dueAt.getTime()) ?? start(dueAt.getTime())
      pulse.orgIds.add(orgId)
    },
    stop() {
      for (const { timer } of pulses.values()) clearTimeout(timer)
      pulses.clear()
    },
  }
}
