import '../../app.ts'
import { findUnknownFilters } from '../../events/events.ts'
import { UsageError } from './command.ts'

/** A comma list of event names and wildcards. The wiring is imported above because it declares all event types. */
export function readEventFilters(text: string): string[] {
  const filters = text.split(',').flatMap((part) => part.trim() || [])
  if (filters.length === 0) throw new UsageError('--events must name at least one event, or "*" for all.')
  const [unknown] = findUnknownFilters(filters)
  if (unknown !== undefined)
    throw new UsageError(
      `There is no event "${unknown.filter}"${unknown.suggestion === null ? '.' : `; did you mean "${unknown.suggestion}"?`}`,
    )
  return filters
}
