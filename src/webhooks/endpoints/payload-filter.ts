/**
 * Limits an endpoint to events whose payload has certain values. Every path must have one of its values; a path that leads through a
 * list is met by any of its items. Values are compared as text, so `"140000"` meets the number and `"true"` the boolean.
 */
export type PayloadFilter = Record<string, string[]>

export const PATHS_MAX = 10
export const VALUES_MAX = 20
export const PATH_FORM = /^(?:data|previous|actor)(?:\.[A-Za-z0-9_]{1,64}){1,8}$/

/** An event as it is recorded has its body in two parts. */
export type ScopedEvent = { body: string } | { tail: string }

type Payload = Record<string, unknown>
const known = new WeakMap<object, Payload>()

/** The parsed body, without what is known only once the event has its number. */
export function payloadOf(event: ScopedEvent): Payload {
  const found = known.get(event)
  if (found !== undefined) return found
  const payload: Payload = JSON.parse('tail' in event ? `{${event.tail.slice(1)}` : event.body)
  known.set(event, payload)
  return payload
}

function valuesAt(value: unknown, [name, ...others]: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, name === undefined ? [] : [name, ...others]))
  if (name === undefined) return [value]
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
  return isObject ? valuesAt((value as Payload)[name], others) : []
}

const textsAt = (event: ScopedEvent, path: string): string[] =>
  valuesAt(payloadOf(event), path.split('.')).flatMap((value) => (typeof value === 'object' ? [] : [String(value)]))

/** The first path that leaves the event out, with what the event has there; null when none does. */
export function findUnmet(
  filter: PayloadFilter | null,
  event: ScopedEvent,
): { path: string; values: string[]; found: string[] } | null {
  for (const [path, values] of Object.entries(filter ?? {})) {
    const found = textsAt(event, path)
    if (!found.some((text) => values.includes(text))) return { path, values, found }
  }
  return null
}

/** Paths in one order, whatever the database made of it; null when it is empty. */
export function tidyFilter(filter: PayloadFilter | null | undefined): PayloadFilter | null {
  const paths = Object.entries(filter ?? {}).sort(([one], [other]) => (one < other ? -1 : 1))
  return paths.length === 0 ? null : Object.fromEntries(paths)
}
