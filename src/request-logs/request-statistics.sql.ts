import type { OrgId } from '../kernel/ids.ts'
import type { Queries } from '../platform/database/database.ts'
import type { IdRange, SheetRow } from './request-logs.sql.ts'

export type CountRow = { sheets: number; calls: number; errors: number }

/** For each range, in their order. */
export const countCalls = (queries: Queries, orgId: OrgId, ranges: readonly IdRange[]) => queries.many<CountRow>`
  select counted.sheets, counted.calls, counted.errors
  from unnest(${ranges.map(({ fromId }) => fromId)}::text[], ${ranges.map(({ beforeId }) => beforeId)}::text[])
    with ordinality as wanted (from_id, before_id, position)
  cross join lateral (
    select count(*)::int as sheets, coalesce(sum(call_count), 0)::int as calls, coalesce(sum(error_count), 0)::int as errors
    from request_logs where org_id = ${orgId} and id >= wanted.from_id and id < wanted.before_id
  ) as counted
  order by wanted.position`

/** Every so manieth sheet of a range. */
export const listSampleSheets = (
  queries: Queries,
  orgId: OrgId,
  { fromId, beforeId, every }: IdRange & { every: number },
) => queries.many<Pick<SheetRow, 'kinds' | 'calls'>>`
  select kinds, calls from (
    select kinds, calls, row_number() over (order by id) as position
    from request_logs where org_id = ${orgId} and id >= ${fromId} and id < ${beforeId}
  ) as numbered
  where position % ${every} = 0`
