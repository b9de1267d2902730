import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'

/**
 * From label to label along the primary key, one look-up each: `select distinct` would read every labelled chat, and a shop may
 * have a million of them under a handful of labels.
 */
export const listLabels = (queries: Queries, orgId: OrgId, limit: number) => queries.many<{ label: string }>`
  with recursive used as (
    (select label from chat_labels where org_id = ${orgId} order by label limit 1)
    union all
    select next.label from used
    cross join lateral (
      select label from chat_labels where org_id = ${orgId} and label > used.label order by label limit 1) next)
  select label from used limit ${limit}`
