import { momentOf, momentSchema } from '../../platform/http/schemas.ts'
import { UsageError } from './command.ts'

/** Times as people give them on a command line: a moment, or how long ago; and how many rows they want. */
const UNITS_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const AGO = /^(\d{1,6})([smhd])$/

export function readMoment(text: string, { option, nowMs }: { option: string; nowMs: number }): Date {
  const [, amount, unit] = AGO.exec(text) ?? []
  if (amount !== undefined && unit !== undefined) return new Date(nowMs - Number(amount) * (UNITS_MS[unit] as number))
  const moment = momentSchema.safeParse(text)
  if (moment.success) return momentOf(moment.data)
  throw new UsageError(
    `--${option} must be a time such as 2026-11-14T09:30:00Z, or how long ago, such as 30m, 2h or 7d.`,
  )
}

const LISTED = 20

/** The maximum length of a list, and its default. */
export const limitOption = (max: number) =>
  ({ type: 'string', help: `at most this many, up to ${max}`, placeholder: 'n', fallback: `${LISTED}` }) as const

export function readLimit(text: string, max: number): number {
  const limit = Number(text)
  if (!/^\d+$/.test(text) || limit < 1 || limit > max)
    throw new UsageError(`--limit must be a whole number from 1 to ${max}.`)
  return limit
}
