import { isId, type OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { orderNotFound } from '../orders.errors.ts'
import type { Order } from '../orders-context.ts'
import { findOrderByNumber } from './named-orders.sql.ts'
import { findOrder } from './orders.sql.ts'

const NUMBER = /^#?(\d{1,15})$/

/** Finds an order by its id or by its printed number, with or without the #. */
export async function findOrderByName(queries: Queries, orgId: OrgId, name: string): Promise<Order | null> {
  if (isId('ord', name)) return findOrder(queries, orgId, name)
  const digits = NUMBER.exec(name)?.[1]
  return digits === undefined ? null : findOrderByNumber(queries, orgId, Number(digits))
}

/** Resolves the id in a path. Ids are not looked up here, because the caller looks them up anyway. */
export async function resolveOrderId(queries: Queries, orgId: OrgId, name: string): Promise<string> {
  if (isId('ord', name)) return name
  const order = await findOrderByName(queries, orgId, name)
  if (order === null) throw orderNotFound({ params: { id: name } })
  return order.id
}
