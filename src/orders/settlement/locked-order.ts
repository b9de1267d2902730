import { isId, type OrgId } from '../../kernel/ids.ts'
import { readHeldMoney } from '../../payments/payments.ts'
import type { PaymentFollower } from '../../payments/payments-context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { lockOrder } from '../orders/orders.sql.ts'
import { orderNotFound } from '../orders.errors.ts'
import type { LockedOrder, OrdersContext } from '../orders-context.ts'
import { followPayment } from './order-follower.ts'

/**
 * Locks an order and reads it with its money, in one round trip. Functions that change the order in this transaction take this
 * value and keep it current, so nothing is read twice.
 */
export async function findLockedOrder(
  context: OrdersContext,
  tx: Tx,
  orgId: OrgId,
  id: string,
): Promise<LockedOrder | null> {
  const [row, money] = await Promise.all([lockOrder(tx, orgId, id), readHeldMoney(tx, orgId, id)])
  if (row === null) return null
  const order: LockedOrder = { row, ...money, onPaymentMoved: (move) => followPayment(context, tx, order, move) }
  return order
}

export async function getLockedOrder(context: OrdersContext, tx: Tx, orgId: OrgId, id: string): Promise<LockedOrder> {
  const order = isId('ord', id) ? await findLockedOrder(context, tx, orgId, id) : null
  if (order === null) throw orderNotFound({ params: { id } })
  return order
}

export const createOrderFollower = (context: OrdersContext): PaymentFollower => ({
  async lockOrder(tx, orgId, orderId) {
    const order = await findLockedOrder(context, tx, orgId, orderId)
    if (order === null) throw new Error(`there is no order ${orderId}`)
    return order
  },
})
