import { momentSchema } from '../platform/http/schemas.ts'
import { UsageError } from './command.ts'

/** Times as people give them on a command line: a moment, or how long ago. */
const UNITS_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const AGO = /^(\d{1,6})([smhd])$/

export function readMoment(text: string, { option, nowMs }: { option: string; nowMs: number }): Date {
  const [, amount, unit] = AGO.exec(text) ?? []
  if (amount !== undefined && unit !== undefined) return new Date(nowMs - Number(amount) * (UNITS_MS[unit] as number))
  const moment = momentSchema.safeParse(text)
  if (moment.success) return new Date(moment.data)
  throw new UsageError(
    `--${option} must be a time such as 2026-11-14T09:30:00Z, or how long ago, such as 30m, 2h or 7d.`,
  )
}

export function readLimit(text: string, max: number): number {
  const limit = Number(text)
  if (!/^\d+$/.test(text) || limit < 1 || limit > max)
    throw new UsageError(`--limit must be a whole number from 1 to ${max}.`)
  return limit
}
