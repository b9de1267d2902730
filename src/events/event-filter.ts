import type { z } from 'zod'
import { nearestName } from '../kernel/text.ts'
import { allEventTypes } from './event-catalogue.ts'

/**
 * Selects events by exact names, everything about a resource (`order.*`), or everything (`*`). A filter that
 * could never match is refused; a misspelt one would silently deliver or list nothing.
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

/** The names that a list of filters matches. */
export const namesMatching = (filters: readonly string[]): string[] =>
  allEventTypes().flatMap(({ name }) => (matchesEvent(filters, name) ? name : []))

const allNames = (): string[] => allEventTypes().map(({ name }) => name)

const wildcardsOf = (names: readonly string[]): string[] => [
  EVERYTHING,
  ...new Set(names.map((name) => `${name.slice(0, name.lastIndexOf('.'))}${WILDCARD_END}`)),
]

/** For the schema of a name or of a filter. Called when the description is generated, when the catalogue is complete. */
export const publishedNames = {
  get enum(): string[] {
    return allNames()
  },
}
export const publishedFilters = {
  get enum(): string[] {
    return [...wildcardsOf(allNames()), ...allNames()]
  },
}

type FilterProblem = { index: number; filter: string; suggestion: string | null }

/** The filters that match no type of the catalogue, each with the one most likely meant. */
export function findUnknownFilters(filters: readonly string[]): FilterProblem[] {
  const names = allNames()
  return filters.flatMap((filter, index) =>
    names.some((name) => matchesEvent([filter], name))
      ? []
      : [{ index, filter, suggestion: nearestName(filter, knownLike(filter, names)) }],
  )
}

export const filterForm = /^(\*|[a-z0-9_]+(\.[a-z0-9_]+)*(\.\*)?)$/
export const FILTER_FORM_SAYS = 'This must be an event name such as order.paid, order.* or *.'

type Refinement<Value> = z.core.$RefinementCtx<Value>

/** For a schema of filters: each that matches nothing is an issue, with the one most likely meant. */
export function refuseUnknownFilters(filters: readonly string[], context: Refinement<string[]>): void {
  for (const problem of findUnknownFilters(filters))
    context.addIssue({ ...unknownIssue(problem), path: [problem.index] })
}

/** The same for a schema of something by filter. */
export function refuseUnknownKeys<Value>(
  byFilter: Record<string, Value>,
  context: Refinement<Record<string, Value>>,
): void {
  for (const problem of findUnknownFilters(Object.keys(byFilter)))
    context.addIssue({ ...unknownIssue(problem), path: [problem.filter] })
}

/** The same for a schema of one name. */
export function refuseUnknownName(name: string, context: Refinement<string>): void {
  for (const problem of findUnknownFilters([name])) context.addIssue(unknownIssue(problem))
}

const unknownIssue = ({ filter, suggestion }: FilterProblem) => ({
  code: 'custom' as const,
  message: `There is no event "${filter}"${suggestion === null ? '.' : `; did you mean "${suggestion}"?`} See GET /event-types.`,
  params: { code: 'event_unknown', params: suggestion === null ? {} : { suggestion } },
})

/** A misspelt wildcard is compared with wildcards: suggesting the name of one event would change the meaning. */
function knownLike(filter: string, names: string[]): string[] {
  return filter.includes('*') ? wildcardsOf(names) : names
}
