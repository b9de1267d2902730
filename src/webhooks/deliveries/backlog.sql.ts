import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'

/**
 * What is in the lane under a key of another order: what had arrived and is sent again by a recovery, which is not found among
 * what is pending. For each entry its delivery is looked up: joined, PostgreSQL may choose to read all deliveries there are.
 */
export const listMisplaced = (
  queries: Queries,
  orgId: OrgId,
  { laneId, strictKey, isStrict, limit }: { laneId: string; strictKey: string; isStrict: boolean; limit: number },
) => {
  const isMisplaced = isStrict
    ? queries.part`order_key is distinct from ${strictKey}`
    : queries.part`(order_key is null or order_key = ${strictKey})`
  return queries.many<{ id: Id<'dlv'>; subject: string }>`
    select delivery.id, delivery.subject
    from (
      select id from outbox_entries
      where ${isMisplaced} and (
        (org_id = ${orgId} and lane_id = ${laneId} and state = 'waiting')
        or (org_id = ${orgId} and lane_id = ${laneId} and state = 'leased')
        or (org_id = ${orgId} and lane_id = ${laneId} and state = 'behind' and order_key is not null))
    ) entry
    cross join lateral (
      select id, subject from webhook_deliveries where org_id = ${orgId} and id = entry.id offset 0
    ) delivery
    limit ${limit}`
}

/**
 * Of an endpoint's lane: what had arrived and is sent once more by a recovery of everything, tried since or not. No status
 * shows it. For each entry its delivery is looked up, as above.
 */
export const listRepeats = (queries: Queries, orgId: OrgId, { laneId, limit }: { laneId: string; limit: number }) =>
  queries.many<{ id: Id<'dlv'> }>`
    select entry.id
    from (
      select id from outbox_entries
      where class = 2 and (
        (org_id = ${orgId} and lane_id = ${laneId} and state = 'waiting')
        or (org_id = ${orgId} and lane_id = ${laneId} and state = 'leased')
        or (org_id = ${orgId} and lane_id = ${laneId} and state = 'behind' and order_key is not null))
    ) entry
    cross join lateral (
      select from webhook_deliveries where org_id = ${orgId} and id = entry.id and status = 'succeeded' offset 0
    ) arrived
    limit ${limit}`
