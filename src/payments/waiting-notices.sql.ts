import type { OrgId } from '../kernel/ids.ts'
import type { Queries } from '../platform/database/database.ts'

/** Whether something that was told about a payment has not been acted upon yet. */
export const countWaitingNotices = (queries: Queries, orgId: OrgId, paymentId: string) =>
  queries.one<{ count: number }>`
    select count(*)::int as count from payment_notices
    where org_id = ${orgId} and payment_id = ${paymentId} and status = 'waiting'`
