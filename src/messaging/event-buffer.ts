import { type NewEvent, recordEvents } from '../events/events.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Tx } from '../platform/database/database.ts'

/** Collects the events of one transaction and records them at its end, when their order and content are final. */
export class EventBuffer {
  readonly #events = new Map<OrgId, NewEvent[]>()

  add(orgId: OrgId, ...events: NewEvent[]): void {
    const known = this.#events.get(orgId)
    if (known === undefined) this.#events.set(orgId, events)
    else known.push(...events)
  }

  async record(tx: Tx, nowMs: number): Promise<void> {
    for (const [orgId, events] of this.#events) await recordEvents(tx, orgId, events, nowMs)
  }
}
