import type { Id, OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { fromHome, homeOrg } from '../platform/database/organization-filter.ts'

export type Reservation = { order_id: string; product_id: Id<'prd'>; quantity: number }

/** Requires the locks of the products. */
export const saveStocks = (tx: Tx, orgId: OrgId, rows: readonly { id: string; stock: number }[], now: Date) => tx.run`
  update products set stock = counted.stock, updated_at = ${now}
  from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ stock }) => stock)}::bigint[]) as counted(id, stock)
  where products.org_id = ${orgId} and products.id = counted.id`

export const insertReservations = (tx: Tx, orgId: OrgId, rows: readonly Reservation[]) => tx.run`
  insert into stock_reservations (org_id, order_id, product_id, quantity)
  select ${homeOrg(tx, orgId)}, order_id, product_id, quantity
  from ${fromHome(tx, orgId)} unnest(${rows.map((row) => row.order_id)}::text[], ${rows.map((row) => row.product_id)}::text[],
    ${rows.map((row) => row.quantity)}::bigint[]) as taken(order_id, product_id, quantity)`

export const listReservations = (queries: Queries, orgId: OrgId, orderId: string) => queries.many<Reservation>`
  select order_id, product_id, quantity from stock_reservations where org_id = ${orgId} and order_id = ${orderId}`

/** Requires the lock of the order. */
export const deleteReservations = (tx: Tx, orgId: OrgId, orderId: string) => tx.many<Reservation>`
  delete from stock_reservations where org_id = ${orgId} and order_id = ${orderId}
  returning order_id, product_id, quantity`
