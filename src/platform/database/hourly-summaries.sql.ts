import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from './database.ts'

export type SummaryRow<Summary> = { hour: Date; summary: Summary }

export const listSummaries = <Summary>(
  queries: Queries,
  orgId: OrgId,
  { kind, from, to }: { kind: string; from: Date; to: Date },
) => queries.many<SummaryRow<Summary>>`
  select hour, summary from hourly_summaries
  where org_id = ${orgId} and kind = ${kind} and hour >= ${from} and hour < ${to}`

export const insertSummaries = (
  queries: Queries,
  orgId: OrgId,
  { kind, rows }: { kind: string; rows: readonly SummaryRow<unknown>[] },
) => queries.run`
  insert into hourly_summaries (org_id, kind, hour, summary)
  select ${orgId}, ${kind}, given.hour, given.summary::jsonb
  from unnest(${rows.map(({ hour }) => hour)}::timestamptz[], ${rows.map(({ summary }) => JSON.stringify(summary))}::text[])
    as given (hour, summary)
  on conflict (org_id, kind, hour) do nothing`

export const deleteSummariesBefore = (
  queries: Queries,
  orgId: OrgId,
  { kind, before }: { kind: string; before: Date },
) => queries.run`
  delete from hourly_summaries where org_id = ${orgId} and kind = ${kind} and hour < ${before}`
