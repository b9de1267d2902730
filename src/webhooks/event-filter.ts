import { allEventTypes } from '../events/event-types.ts'
import { nearestName } from '../platform/http/nearest-name.ts'

/**
 * Which events an endpoint wants: exact names, everything about a resource (`order.*`), or everything (`*`). A filter that
 * could never match is refused when it is saved; a misspelt one would silently deliver nothing.
 */
export const EVERYTHING = '*'
const WILDCARD_END = '.*'

export function matchesEvent(filters: readonly string[], type: string): boolean {
  return filters.some(
    (filter) =>
      filter === type ||
      filter === EVERYTHING ||
      (filter.endsWith(WILDCARD_END) && type.startsWith(filter.slice(0, -1))),
  )
}

export type FilterProblem = { index: number; filter: string; suggestion: string | null }

/** The filters that match no type of the catalogue, each with the one most likely meant. */
export function findUnknownFilters(filters: readonly string[]): FilterProblem[] {
  const names = allEventTypes().map((type) => type.name)
  return filters.flatMap((filter, index) =>
    names.some((name) => matchesEvent([filter], name))
      ? []
      : [{ index, filter, suggestion: nearestName(filter, knownLike(filter, names)) }],
  )
}

/** A misspelt wildcard is compared with wildcards: the name of one event would be another wish. */
function knownLike(filter: string, names: string[]): string[] {
  if (!filter.includes('*')) return names
  return [EVERYTHING, ...new Set(names.map((name) => `${name.slice(0, name.lastIndexOf('.'))}${WILDCARD_END}`))]
}
