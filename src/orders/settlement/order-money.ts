import { isLive } from '../../payments/attempts/payments.states.ts'
import { listMoney } from '../../payments/payments.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import type { Queries } from '../../platform/database/database.ts'
import type { OrderRow } from '../orders/orders.sql.ts'
import { leftAfter, type MoneyLine, type OrderBooks } from './settlement.ts'

/** Reads the books of an order. The ledger is read only when money was returned, because only then does the sequence matter. */
export async function readBooks(
  queries: Queries,
  order: Pick<OrderRow, 'org_id' | 'id' | 'total'>,
  payments: readonly PaymentRow[],
): Promise<OrderBooks> {
  const isReturned = payments.some(({ amount_refunded, amount_reversed }) => amount_refunded + amount_reversed > 0)
  return booksOf({ row: order, payments, ledger: isReturned ? await listMoney(queries, order.org_id, order.id) : [] })
}

type Money = { row: Pick<OrderRow, 'total'>; payments: readonly PaymentRow[]; ledger: readonly MoneyLine[] }

/** Uses the ledger only when money was returned. */
export function booksOf({ row: { total }, payments, ledger }: Money): OrderBooks {
  const sumOf = (amountOf: (payment: PaymentRow) => number) => payments.reduce((sum, one) => sum + amountOf(one), 0)
  const books = {
    total,
    paid: sumOf(({ amount_paid }) => amount_paid),
    refunded: sumOf(({ amount_refunded }) => amount_refunded),
    reversed: sumOf(({ amount_reversed }) => amount_reversed),
    standing: sumOf(({ status, amount_paid }) => (status === 'reversed' ? 0 : amount_paid)),
    hasLiveAttempt: payments.some(({ status }) => isLive(status)),
  }
  if (total === null) return { ...books, left: null }
  if (books.refunded + books.reversed === 0) return { ...books, left: total - books.paid }
  return { ...books, left: leftAfter(total, ledger) }
}
