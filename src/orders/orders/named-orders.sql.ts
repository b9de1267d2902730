import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { type OrderRow, orderColumns } from './orders.sql.ts'

export const findOrderByNumber = (queries: Queries, orgId: OrgId, number: number) => queries.maybeOne<OrderRow>`
  select ${orderColumns(queries)} from orders where org_id = ${orgId} and number = ${number}`
