import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'

export type DeliveryCounts = { succeeded: number; failed: number; pending: number }

/** For each range of ids, in their order. What was skipped on purpose is not counted, nor are tests. */
export const countDeliveries = (
  queries: Queries,
  orgId: OrgId,
  ranges: readonly { fromId: string; beforeId: string }[],
) => queries.many<DeliveryCounts>`
  select counted.succeeded, counted.failed, counted.pending
  from unnest(${ranges.map(({ fromId }) => fromId)}::text[], ${ranges.map(({ beforeId }) => beforeId)}::text[])
    with ordinality as wanted (from_id, before_id, position)
  cross join lateral (
    select count(*) filter (where status = 'succeeded')::int as succeeded,
      count(*) filter (where status = 'failed')::int as failed,
      count(*) filter (where status in ('pending', 'held'))::int as pending
    from webhook_deliveries
    where org_id = ${orgId} and id >= wanted.from_id and id < wanted.before_id and not is_test
  ) as counted
  order by wanted.position`
