import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from './database.ts'
import { deleteSummariesBefore, insertSummaries, listSummaries } from './hourly-summaries.sql.ts'

/**
 * Figures per hour, made when somebody looks and kept once the hour can change no more.
 *
 *   asked for ── kept ──▶ read from the table
 *   asked for ── not kept, time left ──▶ summarized, newest first ──▶ kept when settled
 *   asked for ── not kept, time over ──▶ missing; the next one who asks goes on from there
 *
 * So an answer takes about as long as it may, however much there is to read, and says from where on it is complete.
 */
export type Hour = { from: Date; to: Date }

export type SummarySource<Summary> = {
  kind: string
  /** How long after its end an hour may still change. */
  settlesAfterMs: number
  /** Hours that lie side by side, oldest first; one summary for each. */
  summarize(orgId: OrgId, hours: readonly Hour[]): Promise<Summary[]>
}

export type SummaryRequest = {
  orgId: OrgId
  /** On whole hours. */
  from: Date
  to: Date
  now: Date
  timeMsMax: number
}

export type HourlySummaries<Summary> = {
  byHour: Map<number, Summary>
  /** Everything from here on is in it. */
  coveredFrom: Date
}

const HOUR_MS = 3_600_000
/** Looked at in one go; with little in an hour that is a day. */
const CHUNK_HOURS_MAX = 24
const KEPT_DAYS = 40

export const startOfHour = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS

export async function readHourlySummaries<Summary>(
  database: Database,
  source: SummarySource<Summary>,
  { orgId, from, to, now, timeMsMax }: SummaryRequest,
): Promise<HourlySummaries<Summary>> {
  const deadline = performance.now() + timeMsMax
  const { kind } = source
  const kept = await listSummaries<Summary>(database, orgId, { kind, from, to })
  const byHour = new Map(kept.map(({ hour, summary }) => [hour.getTime(), summary]))
  let chunkHours = 1
  for (;;) {
    const hours = nextMissing(byHour, { from, to, limit: chunkHours })
    if (hours.length === 0) return { byHour, coveredFrom: from }
    if (performance.now() > deadline) return { byHour, coveredFrom: (hours.at(-1) as Hour).to }
    const summaries = await source.summarize(orgId, hours)
    const rows = hours.map((hour, index) => ({ hour: hour.from, summary: summaries[index] as Summary }))
    for (const { hour, summary } of rows) byHour.set(hour.getTime(), summary)
    await keep(database, source, { orgId, rows, now })
    chunkHours = Math.min(chunkHours * 2, CHUNK_HOURS_MAX)
  }
}

/** The newest stretch of hours without a summary, oldest first, at most so many. */
function nextMissing(byHour: ReadonlyMap<number, unknown>, range: { from: Date; to: Date; limit: number }): Hour[] {
  const hours: Hour[] = []
  for (let ms = range.to.getTime() - HOUR_MS; ms >= range.from.getTime(); ms -= HOUR_MS) {
    if (!byHour.has(ms)) hours.unshift({ from: new Date(ms), to: new Date(ms + HOUR_MS) })
    if (hours.length === range.limit || (hours.length > 0 && byHour.has(ms))) break
  }
  return hours
}

type Keeping<Summary> = { orgId: OrgId; rows: { hour: Date; summary: Summary }[]; now: Date }

async function keep<Summary>(
  database: Database,
  { kind, settlesAfterMs }: SummarySource<Summary>,
  { orgId, rows, now }: Keeping<Summary>,
): Promise<void> {
  const isSettled = ({ hour }: { hour: Date }) => hour.getTime() + HOUR_MS + settlesAfterMs <= now.getTime()
  const settled = rows.filter(isSettled)
  if (settled.length === 0) return
  await insertSummaries(database, orgId, { kind, rows: settled })
  const before = new Date(now.getTime() - KEPT_DAYS * 24 * HOUR_MS)
  await deleteSummariesBefore(database, orgId, { kind, before })
}
