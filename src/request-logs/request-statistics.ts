import { firstIdAt, type OrgId } from '../kernel/ids.ts'
import { itemAt } from '../kernel/lists.ts'
import type { Database, Queries } from '../platform/database/database.ts'
import type { Hour, SummarySource } from '../platform/database/hourly-summaries.ts'
import { NUMBERS_PER_CALL } from './request-log-calls.ts'
import { countCalls, type IdRange, listSampleRows } from './request-logs.sql.ts'

/**
 * Statistics of an hour: how many calls there were, how they ended and how long they took.
 *
 * Calls and errors are counted in SQL; the split into client and server errors, and the durations, are read from batch rows. For
 * an hour with very many calls only a sample of the rows is read, evenly over the hour, and scaled up.
 */
export type RequestSummary = {
  calls: number
  client_errors: number
  server_errors: number
  /** Calls per duration bin (`durationBin`); empty bins at the end are omitted. */
  durations: number[]
}

/** A call gets its id when it begins and is stored after it ends, so rows of an hour appear late. */
const SETTLES_AFTER_MS = 5 * 60_000
const SAMPLED_CALLS_MAX = 2000

export const requestSummaries = (database: Database): SummarySource<RequestSummary> => ({
  kind: 'requests',
  settlesAfterMs: SETTLES_AFTER_MS,
  async summarize(orgId, hours) {
    const ranges = hours.map(rangeOf)
    const counts = await countCalls(database, orgId, ranges)
    const summaries: RequestSummary[] = []
    for (const [index, range] of ranges.entries()) {
      const count = itemAt(counts, index)
      summaries.push(count.calls === 0 ? NO_CALLS : await summarizeHour(database, orgId, { range, ...count }))
    }
    return summaries
  },
})

const NO_CALLS: RequestSummary = { calls: 0, client_errors: 0, server_errors: 0, durations: [] }

const rangeOf = ({ from, to }: Hour): IdRange => ({ fromId: firstIdAt('req', from), beforeId: firstIdAt('req', to) })

async function summarizeHour(
  queries: Queries,
  orgId: OrgId,
  { range, calls, errors }: { range: IdRange; calls: number; errors: number },
): Promise<RequestSummary> {
  const every = Math.max(1, Math.ceil(calls / SAMPLED_CALLS_MAX))
  const sample = await readSample(queries, orgId, { ...range, every })
  const serverShare = sample.errors === 0 ? 0 : sample.serverErrors / sample.errors
  const server_errors = Math.round(errors * serverShare)
  const scale = sample.calls === 0 ? 0 : calls / sample.calls
  return {
    calls,
    client_errors: errors - server_errors,
    server_errors,
    durations: sample.durations.map((count) => Math.round(count * scale)),
  }
}

type Sample = { calls: number; errors: number; serverErrors: number; durations: number[] }

async function readSample(queries: Queries, orgId: OrgId, range: IdRange & { every: number }): Promise<Sample> {
  const rows = await listSampleRows(queries, orgId, range)
  const sample: Sample = { calls: 0, errors: 0, serverErrors: 0, durations: [] }
  for (const { kinds, calls } of rows) addRow(sample, statusesOf(kinds), numbersOf(calls))
  for (let bin = 0; bin < sample.durations.length; bin += 1) sample.durations[bin] ??= 0
  return sample
}

const statusesOf = (kinds: string): number[] => JSON.parse(kinds).map(({ status }: { status: number }) => status)

/** Parses only the numbers of the text: the ids beside them are five times as long. */
function numbersOf(calls: string): number[] {
  const start = calls.indexOf('"figures":[') + '"figures":'.length
  return JSON.parse(calls.slice(start, calls.indexOf(']', start) + 1))
}

function addRow(sample: Sample, statuses: readonly number[], numbers: readonly number[]): void {
  for (let at = 0; at < numbers.length; at += NUMBERS_PER_CALL) {
    const status = statuses[numbers[at] ?? 0] ?? 0
    const bin = durationBin((numbers[at + 1] ?? 0) / 1000)
    sample.calls += 1
    if (status >= 400) sample.errors += 1
    if (status >= 500) sample.serverErrors += 1
    sample.durations[bin] = (sample.durations[bin] ?? 0) + 1
  }
}

/** Bins grow by a fifth each, from a twentieth of a millisecond on, so a quantile is exact to within a tenth. */
const FIRST_BIN_MS = 0.05
const GROWTH = 1.2
const BINS = 90

export const durationBin = (ms: number): number =>
  ms <= FIRST_BIN_MS ? 0 : Math.min(BINS, Math.ceil(Math.log(ms / FIRST_BIN_MS) / Math.log(GROWTH)))

/** Returns null when there was no call. */
export function durationQuantile(bins: readonly number[], quantile: number): number | null {
  const total = bins.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let seen = 0
  const bin = bins.findIndex((count) => {
    seen += count
    return seen >= total * quantile
  })
  // The middle of the bin.
  return FIRST_BIN_MS * GROWTH ** (bin - 0.5)
}

export const addDurations = (one: readonly number[], other: readonly number[]): number[] =>
  Array.from({ length: Math.max(one.length, other.length) }, (_, bin) => (one[bin] ?? 0) + (other[bin] ?? 0))
