import type { OrgId } from '../kernel/ids.ts'
import type { Queries } from '../platform/database/database.ts'
import type { BatchRow, IdRange } from './request-logs.sql.ts'

export type CountRow = { batch_rows: number; calls: number; errors: number }

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
