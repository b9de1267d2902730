import type { Id, OrgId } from '../kernel/ids.ts'
import type { Database, Queries } from '../platform/database/database.ts'

export type SheetRow = {
  /** Of the newest call on it. */
  id: Id<'req'>
  kinds: string
  calls: string
  /** Null when there are none, or when they were not asked for. */
  bodies: string | null
}

/**
 * A log row may be lost in a crash of the database, a request may not wait for the disk because of one; hence the commit
 * does not. Of the ways to write many rows at once COPY costs least.
 */
export const copyRequestLogs = (database: Database, lines: string) =>
  database.copy(
    `set local synchronous_commit = off;
    copy request_logs (org_id, id, call_count, error_count, kinds, calls, bodies) from stdin`,
    lines,
  )

/** Ids sort by time, so a range of ids is a range of time. */
export type IdRange = { fromId: string; beforeId: string }

/** What a sheet must hold to be worth reading. The calls on it have to be looked at all the same. */
export type SheetConditions = {
  hasErrors: boolean
  /** Pieces of JSON that stand in what calls have in common. */
  inKinds: readonly string[]
  /** The same for the calls themselves. */
  inCalls: readonly string[]
  /** A pattern for `ilike` that something on the sheet must match; the bodies are then read too. */
  textPattern: string | null
  withBodies: boolean
}

const onlyErrors = (queries: Queries, { hasErrors }: SheetConditions) =>
  hasErrors ? queries.part`and error_count > 0` : queries.part``

function holding(queries: Queries, wanted: SheetConditions) {
  const { part } = queries
  const { textPattern } = wanted
  const none = part``
  return part`
    ${onlyErrors(queries, wanted)}
    ${wanted.inKinds.length === 0 ? none : part`and (select bool_and(position(piece in kinds) > 0) from unnest(${[...wanted.inKinds]}::text[]) as piece)`}
    ${wanted.inCalls.length === 0 ? none : part`and (select bool_and(position(piece in calls) > 0) from unnest(${[...wanted.inCalls]}::text[]) as piece)`}
    ${
      textPattern === null
        ? none
        : part`and (kinds ilike ${textPattern} or calls ilike ${textPattern} or bodies ilike ${textPattern})`
    }`
}

/** Newest first, by their newest call. */
export const listSheets = (queries: Queries, orgId: OrgId, range: IdRange, wanted: SheetConditions) =>
  queries.many<SheetRow>`
    select id, kinds, calls, ${wanted.withBodies ? queries.part`bodies` : queries.part`null as bodies`}
    from request_logs
    where org_id = ${orgId} and id >= ${range.fromId} and id < ${range.beforeId} ${holding(queries, wanted)}
    order by id desc`

/**
 * The sheet on which the next so many calls end, of all sheets or of those with errors; null when there are fewer. So many
 * calls stand on that many sheets at most, which keeps PostgreSQL from adding up all that follow.
 */
export const findStepEnd = async (
  queries: Queries,
  orgId: OrgId,
  range: IdRange,
  { wanted, calls }: { wanted: SheetConditions; calls: number },
): Promise<string | null> =>
  (
    await queries.maybeOne<{ id: string }>`
      select id from (
        select id, sum(call_count) over (order by id desc) as calls_so_far from (
          select id, call_count from request_logs
          where org_id = ${orgId} and id >= ${range.fromId} and id < ${range.beforeId} ${onlyErrors(queries, wanted)}
          order by id desc limit ${calls}
        ) as next_sheets
      ) as counted
      where calls_so_far >= ${calls} order by id desc limit 1`
  )?.id ?? null
