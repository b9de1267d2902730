import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'

/** Counts the notices about a payment that are not applied yet. */
export const countWaitingNotices = (queries: Queries, orgId: OrgId, paymentId: string) =>
  queries.one<{ count: number }>`
    select count(*)::int as count from payment_notices
    where org_id = ${orgId} and payment_id = ${paymentId} and status = 'waiting'`
