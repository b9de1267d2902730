import { systemClock } from '../../kernel/clock.ts'
import type { Scope } from '../../kernel/scopes.ts'
import { nearestName } from '../../platform/http/pipeline/nearest-name.ts'
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
    const nearest = suggestion === null ? '.' : `; did you mean "${suggestion}"?`
    throw new UsageError(
      `There is no ${what} "${name}"${nearest} ${what[0]?.toUpperCase()}${what.slice(1)}s: ${known.join(', ')}.`,
    )
  })

export function readInteger(name: string, text: string, [min, max]: [number, number], otherwise = ''): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new UsageError(`--${name} must be a whole number from ${min} to ${max}${otherwise}.`)
  return value
}

const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86400 } as const

export function readExpiry(text: string): Date {
  const match = /^(\d{1,6})([smhd])$/.exec(text)
  if (match === null || Number(match[1]) === 0)
    throw new UsageError('--expires-in must be a time such as 30m, 12h or 90d.')
  return new Date(systemClock.now() + Number(match[1]) * UNIT_SECONDS[match[2] as 's' | 'm' | 'h' | 'd'] * 1000)
}
