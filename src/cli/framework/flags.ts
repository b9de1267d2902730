import '../../app.ts'
import { findUnknownFilters } from '../../events/events.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { Scope } from '../../kernel/scopes.ts'
import { nearestName } from '../../kernel/text.ts'
import { momentOf, momentSchema } from '../../platform/http/schemas.ts'
import { UsageError } from './command.ts'

/** What a credential may do and for how long, as it is written on a command line: for keys and for agents. */
export function readScopes<Some extends Scope>(text: string, known: readonly Some[]): Some[] {
  return text === 'all' ? [...known] : readNames(text, { known, what: 'scope' })
}

export const readNames = <Name extends string>(
  text: string,
  { known, what }: { known: readonly Name[]; what: string },
): Name[] =>
  text.split(',').map((part) => {
    const name = part.trim()
    const found = known.find((one) => one === name)
    if (found !== undefined) return found
    const suggestion = nearestName(name, known)
    const nearest = suggestion === null ? '' : ` Did you mean "${suggestion}"?`
    throw new UsageError(
      `There is no ${what} "${name}".${nearest} ${what[0]?.toUpperCase()}${what.slice(1)}s: ${known.join(', ')}.`,
    )
  })

export const readExpiry = (text: string): Date => new Date(systemClock.now() + readDuration('expires-in', text))

/** In milliseconds. */
export function readDuration(option: string, text: string): number {
  const [, amount, unit] = AGO.exec(text) ?? []
  if (amount === undefined || unit === undefined || Number(amount) === 0)
    throw new UsageError(`--${option} must be a time such as 30m, 12h or 90d.`)
  return Number(amount) * (UNITS_MS[unit] ?? 0)
}

/** Times as people give them on a command line: a moment, or how long ago; and how many rows they want. */
const UNITS_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const AGO = /^(\d{1,6})([smhd])$/

export function readMoment(text: string, { option, nowMs }: { option: string; nowMs: number }): Date {
  const [, amount, unit] = AGO.exec(text) ?? []
  if (amount !== undefined && unit !== undefined) return new Date(nowMs - Number(amount) * (UNITS_MS[unit] ?? 0))
  const moment = momentSchema.safeParse(text)
  if (moment.success) return momentOf(moment.data)
  throw new UsageError(
    `--${option} must be a time such as 2026-11-14T09:30:00Z, or how long ago, such as 30m, 2h or 7d.`,
  )
}

const LISTED = 20

/** The maximum length of a list, and its default. */
export const limitOption = (max: number) =>
  ({ type: 'string', help: `number of rows, up to ${max}`, placeholder: 'n', fallback: `${LISTED}` }) as const

export function readLimit(text: string, max: number): number {
  const limit = Number(text)
  if (!/^\d+$/.test(text) || limit < 1 || limit > max)
    throw new UsageError(`--limit must be a whole number from 1 to ${max}.`)
  return limit
}

/** A comma list of event names and wildcards. The wiring is imported above because it declares all event types. */
export function readEventFilters(text: string): string[] {
  const filters = text.split(',').flatMap((part) => part.trim() || [])
  if (filters.length === 0) throw new UsageError('--events must name at least one event, or "*" for all.')
  const [unknown] = findUnknownFilters(filters)
  if (unknown !== undefined)
    throw new UsageError(
      `There is no event "${unknown.filter}".${unknown.suggestion === null ? '' : ` Did you mean "${unknown.suggestion}"?`}`,
    )
  return filters
}
