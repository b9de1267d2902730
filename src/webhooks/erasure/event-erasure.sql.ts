import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { DeliveryRow } from '../deliveries/deliveries.sql.ts'

/** What the delivery of an event whose payload was erased says of itself, unless it arrived. */
export const EVENT_ERASED = 'event_erased'

export type ErasableDelivery = Pick<DeliveryRow, 'id' | 'endpoint_id' | 'event_id' | 'status'>

/** Those of an event lie side by side: asked for range by range, which leads to the days in question. */
export const listDeliveriesIn = (
  queries: Queries,
  orgId: OrgId,
  ranges: readonly { from: string; to: string }[],
) => queries.many<ErasableDelivery>`
  select found.id, found.endpoint_id, found.event_id, found.status
  from unnest(${ranges.map(({ from }) => from)}::text[], ${ranges.map(({ to }) => to)}::text[]) as wanted(from_id, before_id)
  cross join lateral (
    select id, endpoint_id, event_id, status from webhook_deliveries
    where org_id = ${orgId} and id >= wanted.from_id and id < wanted.before_id
  ) as found`

/** A separate reason, by which a recovery leaves them alone. */
export const markErased = (tx: Tx, orgId: OrgId, ids: readonly string[]) => {
  const sorted = ids.toSorted()
  return tx.run`
    update webhook_deliveries set reason = ${EVENT_ERASED}
    where org_id = ${orgId} and id = any(${sorted}) and id >= ${sorted[0] ?? ''} and id <= ${sorted.at(-1) ?? ''}
      and status <> 'succeeded'`
}

/** What receivers answered, which may repeat the event. The detail of a redirect says where they pointed to. */
export const emptyResponses = (
  tx: Tx,
  orgId: OrgId,
  { deliveryIds, fromId }: { deliveryIds: readonly string[]; fromId: string },
) => tx.run`
  update webhook_attempts
  set response_body = null, response_headers = null, is_response_base64 = false, is_response_truncated = false,
      error_detail = case when error_class = 'redirect' then null else error_detail end
  where org_id = ${orgId} and delivery_id = any(${[...deliveryIds]}) and id >= ${fromId}
    and (response_body is not null or response_headers is not null)`
