import type { Id, OrgId } from '../kernel/ids.ts'
import type { Database, Queries } from '../platform/database/database.ts'

export type BatchRow = {
  /** The id of its newest call. */
  id: Id<'req'>
  kinds: string
  calls: string
  /** Null when no call has bodies, or when bodies were not requested. */
  bodies: string | null
}

const UNSYNCED = 'set local synchronous_commit = off'
const COPY = 'copy request_logs (org_id, id, call_count, error_count, kinds, calls, bodies) from stdin'

/**
 * Commits without waiting for the disk: a log row may be lost in a crash of the database, but no request may wait for one. COPY
 * is the cheapest way to write many rows at once. Citus hands the text of a setting to the nodes, so nothing else may be in it.
 */
export const copyRequestLogs = (database: Database, lines: string): Promise<void> =>
  database.isSharded()
    ? database.transaction(async (tx) => {
        await tx.script(UNSYNCED)
        await tx.copy(COPY, lines)
      })
    : database.copy(`${UNSYNCED}; ${COPY}`, lines)

/** Ids sort by time, so a range of ids is a range of time. */
export type IdRange = { fromId: string; beforeId: string }

/** Conditions that a batch row must meet to be read. Its calls still have to be tested one by one. */
export type BatchRowConditions = {
  hasErrors: boolean
  /** Pieces of JSON that the kinds must contain. */
  inKinds: readonly string[]
  /** The same for the calls. */
  inCalls: readonly string[]
  /** A pattern for `ilike` that a column of the row must match; the bodies are then read too. */
  textPattern: string | null
  withBodies: boolean
}

const onlyErrors = (queries: Queries, { hasErrors }: BatchRowConditions) =>
  hasErrors ? queries.part`and error_count > 0` : queries.part``

function holding(queries: Queries, wanted: BatchRowConditions) {
  const { part } = queries
  const { textPattern } = wanted
  const none = part``
  return part`
    ${onlyErrors(queries, wanted)}
    ${wanted.inKinds.reduce((before, piece) => part`${before} and position(${piece} in kinds) > 0`, none)}
    ${wanted.inCalls.reduce((before, piece) => part`${before} and position(${piece} in calls) > 0`, none)}
    ${
      textPattern === null
        ? none
        : part`and (kinds ilike ${textPattern} or calls ilike ${textPattern} or bodies ilike ${textPattern})`
    }`
}

/** Lists batch rows, newest first, by their newest call. */
export const listBatchRows = (queries: Queries, orgId: OrgId, range: IdRange, wanted: BatchRowConditions) =>
  queries.many<BatchRow>`
    select id, kinds, calls, ${wanted.withBodies ? queries.part`bodies` : queries.part`null as bodies`}
    from request_logs
    where org_id = ${orgId} and id >= ${range.fromId} and id < ${range.beforeId} ${holding(queries, wanted)}
    order by id desc`

/**
 * Finds the batch row with which the next `calls` calls end, among all rows or those with errors; null when there are fewer calls.
 * That many calls need at most as many rows, so the limit keeps PostgreSQL from adding up all rows that follow.
 */
export const findStepEnd = async (
  queries: Queries,
  orgId: OrgId,
  range: IdRange,
  { wanted, calls }: { wanted: BatchRowConditions; calls: number },
): Promise<string | null> =>
  (
    await queries.maybeOne<{ id: string }>`
      select id from (
        select id, sum(call_count) over (order by id desc rows unbounded preceding) as calls_so_far from (
          select id, call_count from request_logs
          where org_id = ${orgId} and id >= ${range.fromId} and id < ${range.beforeId} ${onlyErrors(queries, wanted)}
          order by id desc limit ${calls}
        ) as next_rows
      ) as counted
      where calls_so_far >= ${calls} order by id desc limit 1`
  )?.id ?? null

type CountRow = { batch_rows: number; calls: number; errors: number }

/** Counts the calls of each range, in the order of the ranges. */
export const countCalls = (queries: Queries, orgId: OrgId, ranges: readonly IdRange[]) => queries.many<CountRow>`
  select counted.batch_rows, counted.calls, counted.errors
  from unnest(${ranges.map(({ fromId }) => fromId)}::text[], ${ranges.map(({ beforeId }) => beforeId)}::text[])
    with ordinality as wanted (from_id, before_id, position)
  cross join lateral (
    select count(*)::int as batch_rows, coalesce(sum(call_count), 0)::int as calls, coalesce(sum(error_count), 0)::int as errors
    from request_logs where org_id = ${orgId} and id >= wanted.from_id and id < wanted.before_id
  ) as counted
  order by wanted.position`

/** Lists every nth batch row of a range. */
export const listSampleRows = (
  queries: Queries,
  orgId: OrgId,
  { fromId, beforeId, every }: IdRange & { every: number },
) => queries.many<Pick<BatchRow, 'kinds' | 'calls'>>`
  select kinds, calls from (
    select kinds, calls, row_number() over (order by id) as position
    from request_logs where org_id = ${orgId} and id >= ${fromId} and id < ${beforeId}
  ) as numbered
  where position % ${every} = 0`
