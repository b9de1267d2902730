import type { AuditEntry } from '../api/generated.ts'

/** What an entry changed: the fields that an event of the same actor about the same thing, at the same moment, says were other before. */
export type Change = { field: string; before: string; after: string }

type ChangeEvent = {
  created_at: string
  actor: { id: string | null }
  data?: unknown
  previous?: unknown
}

/** An event is recorded in the transaction of the act, a moment before or after its entry. */
const APART_MS = 5000

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '—'))
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

export function changesBy({ at, actor }: Pick<AuditEntry, 'at' | 'actor'>, events: readonly ChangeEvent[]): Change[] {
  const isOfEntry = (event: ChangeEvent) =>
    event.actor.id === actor.id && Math.abs(Date.parse(event.created_at) - Date.parse(at)) < APART_MS
  const changes = new Map<string, Change>()
  for (const { data, previous } of events.filter(isOfEntry)) {
    if (!isRecord(previous) || !isRecord(data)) continue
    for (const [field, before] of Object.entries(previous))
      if (!changes.has(field)) changes.set(field, { field, before: textOf(before), after: textOf(data[field]) })
  }
  return [...changes.values()]
}
