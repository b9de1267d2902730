import type { Id, OrgId } from '../kernel/ids.ts'
import type { PaymentMethod } from '../payments/payment-connector.ts'
import type { PaymentRow } from '../payments/payments-context.ts'
import type { Queries } from '../platform/database/database.ts'
import type { OrderStatus } from './orders.states.ts'
import type { MoneyLine, PaymentStatusOfOrder } from './payment-status.ts'

/** An order and one of its attempts, as far as the payer is concerned. */
export type PayPageRow = {
  org_id: OrgId
  order_id: Id<'ord'>
  number: number
  status: OrderStatus
  payment_status: PaymentStatusOfOrder
  total: number | null
  amount_paid: number
  amount_returned: number
  /** Of what came in, what no bank took back to the last rupiah. */
  amount_standing: number
  /** Only where money went back: all of its movements, as they happened. */
  movements: MoneyLine[]
  updated_at: Date
  payment: PayPageAttempt | null
}

export type PayPageAttempt = Pick<PaymentRow, 'id' | 'status' | 'bank' | 'amount' | 'is_manual' | 'details'> & {
  method: PaymentMethod
  /** What came in for it and did not go back. */
  amount_kept: number
  expires_at: Date | null
}

type Wanted = { orderId: Id<'ord'> } | { paymentId: Id<'pay'> }

type FlatRow = Omit<PayPageRow, 'payment'> & {
  attempt_id: PayPageAttempt['id'] | null
  attempt_status: PayPageAttempt['status']
  method: PaymentMethod
  bank: string | null
  amount: number | null
  amount_kept: number
  is_manual: boolean
  details: PayPageAttempt['details']
  expires_at: Date | null
}

/** By the order, with its newest attempt; or by an attempt, with that one. */
export async function findPayPage(queries: Queries, orgId: OrgId, wanted: Wanted): Promise<PayPageRow | null> {
  const row = await ('orderId' in wanted
    ? findByOrder(queries, orgId, wanted.orderId)
    : findByPayment(queries, orgId, wanted.paymentId))
  if (row === null) return null
  const {
    attempt_id: id,
    attempt_status: status,
    amount_kept,
    is_manual,
    method,
    bank,
    amount,
    details,
    expires_at,
    ...order
  } = row
  const attempt = { status, method, bank, amount, amount_kept, is_manual, details, expires_at }
  return { ...order, payment: id === null ? null : { id, ...attempt } }
}

const columns = (queries: Queries) => queries.part`
  orders.org_id, orders.id as order_id, orders.number, orders.status, orders.payment_status, orders.total,
  orders.amount_paid, orders.amount_returned,
  (select coalesce(sum(one.amount_paid), 0)::bigint from payments one
    where one.org_id = orders.org_id and one.order_id = orders.id and one.status <> 'reversed') as amount_standing,
  (select coalesce(jsonb_agg(jsonb_build_object('kind', line.kind, 'amount', line.amount)
      order by line.recorded_at, line.kind, line.key), '[]')
    from payment_ledger line where orders.amount_returned > 0
      and line.org_id = orders.org_id and line.order_id = orders.id) as movements,
  greatest(orders.updated_at, attempt.updated_at) as updated_at,
  attempt.id as attempt_id, attempt.status as attempt_status, attempt.method, attempt.bank, attempt.amount,
  attempt.amount_paid - attempt.amount_refunded - attempt.amount_reversed as amount_kept, attempt.is_manual,
  attempt.details, attempt.expires_at`

const findByOrder = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<FlatRow>`
  select ${columns(queries)}
  from orders left join payments attempt on attempt.org_id = orders.org_id and attempt.id = orders.payment_id
  where orders.org_id = ${orgId} and orders.id = ${id}`

const findByPayment = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<FlatRow>`
  select ${columns(queries)}
  from payments attempt join orders on orders.org_id = attempt.org_id and orders.id = attempt.order_id
  where attempt.org_id = ${orgId} and attempt.id = ${id}`
