import type { OrgId } from '../../kernel/ids.ts'
import { itemAt, lastOf } from '../../kernel/lists.ts'
import type { Database } from './database.ts'
import { deleteSummariesBefore, listSummaries, type SummaryRow, upsertSummaries } from './hourly-summaries.sql.ts'

/**
 * Statistics per hour, computed when requested and stored when the hour is over.
 *
 *   asked for ── kept and fresh ──▶ read from the table
 *   asked for ── not kept, or stale; time left ──▶ summarized, newest first ──▶ kept
 *   asked for ── not kept, or stale; time over ──▶ missing; the next one who asks goes on from there
 *
 * Fresh is what was read when the hour could change no more; before that, what was read lately for its age: an hour of this
 * morning is read again after some minutes, one of two days ago after some hours. So an answer takes about as long as it
 * may, however much there is to read, says from where on it is complete, and the next one gets further.
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
/** Hours that are looked at in one go: more while that is quick, fewer when it is not. */
const CHUNK_HOURS_MAX = 96
const CHUNK_GROWTH = 3
const CHUNK_MS = 40
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
  const fresh = kept.filter((row) => isFresh(source, row, now))
  const byHour = new Map(fresh.map(({ hour, summary }) => [hour.getTime(), summary]))
  let chunkHours = 1
  for (let chunk = 0; ; chunk += 1) {
    const hours = nextMissing(byHour, { from, to, limit: chunkHours })
    if (hours.length === 0) return { byHour, coveredFrom: from }
    const startedAt = performance.now()
    // Reads a little beyond the current hour, which every request has to read.
    if (chunk >= CHUNKS_MIN && startedAt > deadline) return { byHour, coveredFrom: lastOf(hours).to }
    const summaries = await source.summarize(orgId, hours)
    const rows = hours.map((hour, index) => ({ hour: hour.from, summary: itemAt(summaries, index), read_at: now }))
    for (const { hour, summary } of rows) byHour.set(hour.getTime(), summary)
    await keep(database, kind, { orgId, rows, now })
    const isQuick = performance.now() - startedAt < CHUNK_MS
    chunkHours = isQuick ? Math.min(chunkHours * CHUNK_GROWTH, CHUNK_HOURS_MAX) : Math.ceil(chunkHours / 2)
  }
}

const CHUNKS_MIN = 2

/** The share of its age for which a reading of an hour that may still change is good enough. */
const STALE_SHARE = 0.1

function isFresh(
  { settlesAfterMs }: SummarySource<unknown>,
  { hour, read_at }: Omit<SummaryRow<unknown>, 'summary'>,
  now: Date,
): boolean {
  const endMs = hour.getTime() + HOUR_MS
  const isSettled = read_at.getTime() >= endMs + settlesAfterMs
  return isSettled || now.getTime() - read_at.getTime() < (now.getTime() - endMs) * STALE_SHARE
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

/** The hour that is not over is not worth keeping. */
async function keep(
  database: Database,
  kind: string,
  { orgId, rows, now }: { orgId: OrgId; rows: readonly SummaryRow<unknown>[]; now: Date },
): Promise<void> {
  const over = rows.filter(({ hour }) => hour.getTime() + HOUR_MS <= now.getTime())
  if (over.length === 0) return
  await upsertSummaries(database, orgId, { kind, rows: over })
  const before = new Date(now.getTime() - KEPT_DAYS * 24 * HOUR_MS)
  await deleteSummariesBefore(database, orgId, { kind, before })
}
