import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { asJson } from '../../platform/database/stored-json.ts'
import type { NotedEdit, ProviderKey } from './messages.sql.ts'

export type ParkedReport = { status: string; report: Record<string, unknown> }

export type NewParked = ProviderKey & ParkedReport

export const parkReports = (tx: Tx, orgId: OrgId, parked: readonly NewParked[], now: Date) => tx.run`
  insert into message_statuses_parked (org_id, number_id, provider_id, status, report, parked_at)
  select ${orgId}, number_id, provider_id, status, report::jsonb, ${now}
  from unnest(${parked.map(({ numberId }) => numberId)}::text[], ${parked.map(({ providerId }) => providerId)}::text[],
    ${parked.map(({ status }) => status)}::text[], ${parked.map(({ report }) => asJson(report))}::text[])
    as given (number_id, provider_id, status, report)
  on conflict do nothing`

/** Keeps the last of several edits of one message. */
export const parkEdit = (
  tx: Tx,
  orgId: OrgId,
  { numberId, providerId, report }: ProviderKey & { report: Record<string, unknown> & { edit: NotedEdit } },
  now: Date,
) => tx.run`
  insert into message_statuses_parked (org_id, number_id, provider_id, status, report, parked_at)
  values (${orgId}, ${numberId}, ${providerId}, 'edited', ${asJson(report)}::text::jsonb, ${now})
  on conflict (org_id, number_id, provider_id, status) do update set report = excluded.report
  where excluded.report #>> '{edit,at}' >= message_statuses_parked.report #>> '{edit,at}'`

export const takeParkedOf = (tx: Tx, orgId: OrgId, keys: readonly ProviderKey[]) =>
  tx.many<ParkedReport & { number_id: string; provider_id: string }>`
    delete from message_statuses_parked parked
    using unnest(${keys.map(({ numberId }) => numberId)}::text[], ${keys.map(({ providerId }) => providerId)}::text[])
      as sent (number_id, provider_id)
    where parked.org_id = ${orgId} and parked.number_id = sent.number_id and parked.provider_id = sent.provider_id
    returning parked.number_id, parked.provider_id, parked.status, parked.report`

/**
 * Deletes old parked reports of all organizations, the oldest first. Rows that another transaction is applying are left for
 * the next run.
 */
export const deleteOldParked = (tx: Tx, { before, rowsMax }: { before: Date; rowsMax: number }) => tx.run`
  delete from message_statuses_parked parked
  using (
    select org_id, number_id, provider_id, status from message_statuses_parked
    where parked_at < ${before} order by parked_at limit ${rowsMax} for update skip locked) old
  where parked.org_id = old.org_id and parked.number_id = old.number_id and parked.provider_id = old.provider_id
    and parked.status = old.status`

/** Lists parked reports of all organizations whose messages are known by now. */
export const listParkedKnown = (queries: Queries, rowsMax: number) => queries.many<ProviderKey & { orgId: OrgId }>`
  select distinct parked.org_id as "orgId", parked.number_id as "numberId", parked.provider_id as "providerId"
  from (
    select * from message_statuses_parked where status not in ('edited', 'revoked')
    order by parked_at limit ${rowsMax}) parked
  cross join lateral (
    select from message_states
    where org_id = parked.org_id and number_id = parked.number_id and provider_id = parked.provider_id offset 0) known`
