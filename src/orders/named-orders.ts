import { isId, type OrgId } from '../kernel/ids.ts'
import type { Queries } from '../platform/database/database.ts'
import { findOrderByNumber } from './named-orders.sql.ts'
import { findOrder } from './orders.sql.ts'
import type { Order } from './orders-context.ts'

const NUMBER = /^\d{1,15}$/

/** An order as people name it: by its id, or by the number that is printed on it. */
export async function findOrderByName(queries: Queries, orgId: OrgId, name: string): Promise<Order | null> {
  if (isId('ord', name)) return findOrder(queries, orgId, name)
  return NUMBER.test(name) ? findOrderByNumber(queries, orgId, Number(name)) : null
}
