import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from './database.ts'
import { fromHome, homeOrg } from './organization-filter.ts'

export type SummaryRow<Summary> = { hour: Date; summary: Summary; read_at: Date }

export const listSummaries = <Summary>(
  queries: Queries,
  orgId: OrgId,
  { kind, from, to }: { kind: string; from: Date; to: Date },
) => queries.many<SummaryRow<Summary>>`
  select hour, summary, read_at from hourly_summaries
  where org_id = ${orgId} and kind = ${kind} and hour >= ${from} and hour < ${to}`

export const upsertSummaries = (
  queries: Queries,
  orgId: OrgId,
  { kind, rows }: { kind: string; rows: readonly SummaryRow<unknown>[] },
) => queries.run`
  insert into hourly_summaries as kept (org_id, kind, hour, summary, read_at)
  select ${homeOrg(queries, orgId)}, ${kind}, given.hour, given.summary::jsonb, given.read_at
  from ${fromHome(queries, orgId)} unnest(${rows.map(({ hour }) => hour)}::timestamptz[], ${rows.map(({ summary }) => JSON.stringify(summary))}::text[],
    ${rows.map(({ read_at }) => read_at)}::timestamptz[]) as given (hour, summary, read_at)
  on conflict (org_id, kind, hour) do update set summary = excluded.summary, read_at = excluded.read_at
  where kept.read_at < excluded.read_at`

export const deleteSummariesBefore = (
  queries: Queries,
  orgId: OrgId,
  { kind, before }: { kind: string; before: Date },
) => queries.run`
  delete from hourly_summaries where org_id = ${orgId} and kind = ${kind} and hour < ${before}`
