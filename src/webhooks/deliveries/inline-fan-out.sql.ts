import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { type EndpointRow, endpointColumns } from '../endpoints/endpoints.sql.ts'
import type { NewDelivery } from './deliveries.sql.ts'

type SubscriptionRow = { version: number | null } & { [Column in keyof EndpointRow]: EndpointRow[Column] | null }

export type Subscriptions = { version: number; endpoints: EndpointRow[] }

/** One statement, so that the version is that of the endpoints. */
export async function readSubscriptions(queries: Queries, orgId: OrgId): Promise<Subscriptions> {
  const rows = await queries.many<SubscriptionRow>`
    select (select subscriptions_version from event_counters where org_id = ${orgId}) as version, endpoint.*
    from (select ${orgId}::text as org_id) organization
    left join lateral (
      select ${endpointColumns(queries)} from webhook_endpoints
      where org_id = ${orgId} and deleted_at is null
    ) endpoint on true
    order by endpoint.id`
  return {
    version: rows[0]?.version ?? 0,
    endpoints: rows.filter((row) => row.id !== null) as unknown as EndpointRow[],
  }
}

/** As a part of the statement that records the events, with the numbers they are given there. */
export const recordedDeliveries = (
  queries: Queries,
  orgId: OrgId,
  { rows, now }: { rows: readonly NewDelivery[]; now: Date },
) => queries.part`
  insert into webhook_deliveries (org_id, id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status,
    reason, created_at, next_attempt_at)
  select ${orgId}, new.id, new.endpoint_id, new.event_id, new.type, new.subject, recorded.sequence, false,
    new.is_thin, new.status, new.reason, ${now}, case when new.status = 'pending' then ${now}::timestamptz end
  from counter, recorded, unnest(
    ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.endpoint_id)}::text[],
    ${rows.map((row) => row.event_id)}::text[], ${rows.map((row) => row.type)}::text[],
    ${rows.map((row) => row.subject)}::text[], ${rows.map((row) => row.is_thin)}::boolean[],
    ${rows.map((row) => row.status)}::text[], ${rows.map((row) => row.reason)}::text[]
  ) as new (id, endpoint_id, event_id, type, subject, is_thin, status, reason)
  where counter.is_followed and new.event_id = recorded.id`
