import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'

export const listAmountsPaid = (queries: Queries, orgId: OrgId, ids: readonly string[]) => queries.many<{
  id: string
  amount_paid: number
}>`
  select id, amount_paid from orders where org_id = ${orgId} and id = any(${[...ids]})`
