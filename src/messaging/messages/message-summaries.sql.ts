import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'

export type MessageCounts = { inbound: number; outbound: number }

/** Counts the messages of each range of ids, in the order of the ranges. */
export const countMessages = (
  queries: Queries,
  orgId: OrgId,
  ranges: readonly { fromId: string; beforeId: string }[],
) => queries.many<MessageCounts>`
  select counted.inbound, counted.outbound
  from unnest(${ranges.map(({ fromId }) => fromId)}::text[], ${ranges.map(({ beforeId }) => beforeId)}::text[])
    with ordinality as wanted (from_id, before_id, position)
  cross join lateral (
    select count(*) filter (where direction = 'inbound')::int as inbound,
      count(*) filter (where direction = 'outbound')::int as outbound
    from messages where org_id = ${orgId} and id >= wanted.from_id and id < wanted.before_id
  ) as counted
  order by wanted.position`
