import type { Id, OrgId } from '../../kernel/ids.ts'
import type { PaymentMethod } from '../../payments/payment-connector.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import type { Queries } from '../../platform/database/database.ts'
import type { BillingType } from '../orders/orders.schemas.ts'
import type { Delivery, OrderItem } from '../orders/orders.ts'
import type { SettledOrder } from '../settlement/settlement.ts'

/** The columns of an order and of one attempt that the pay page needs. */
export type PayPageRow = SettledOrder & {
  org_id: OrgId
  order_id: Id<'ord'>
  number: number
  billing_type: BillingType | null
  choice_methods: PaymentMethod[] | null
  choice_expires_at: Date | null
  items: OrderItem[]
  subtotal: number | null
  discount: number
  shipping: number
  tax: number
  tax_included: number
  unique_amount: number
  total: number | null
  amount_reversed: number
  updated_at: Date
  due_at: Date | null
  delivery: Delivery | null
  payment: PayPageAttempt | null
}

export type PayPageAttempt = Pick<
  PaymentRow,
  'id' | 'provider' | 'status' | 'bank' | 'amount' | 'unique_amount' | 'is_manual' | 'details'
> & {
  method: PaymentMethod
  /** Received by this attempt and not returned. */
  amount_kept: number
  expires_at: Date | null
  paid_at: Date | null
}

type Wanted = { orderId: Id<'ord'> } | { paymentId: Id<'pay'> }

type FlatRow = Omit<PayPageRow, 'payment'> & {
  attempt_id: PayPageAttempt['id'] | null
  attempt_status: PayPageAttempt['status']
  provider: PayPageAttempt['provider']
  method: PaymentMethod
  bank: string | null
  amount: number | null
  attempt_unique: number
  amount_kept: number
  is_manual: boolean
  details: PayPageAttempt['details']
  expires_at: Date | null
  paid_at: Date | null
}

/** Finds an order with its current attempt, or an attempt with its order. */
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
    provider,
    method,
    bank,
    amount,
    attempt_unique: unique_amount,
    details,
    expires_at,
    paid_at,
    ...order
  } = row
  const attempt = {
    provider,
    status,
    method,
    bank,
    amount,
    unique_amount,
    amount_kept,
    is_manual,
    details,
    expires_at,
    paid_at,
  }
  return { ...order, payment: id === null ? null : { id, ...attempt } }
}

const columns = (queries: Queries, orgId: OrgId) => queries.part`
  orders.org_id, orders.id as order_id, orders.number, orders.status, orders.payment_status, orders.total,
  orders.billing_type, orders.choice_methods, orders.choice_expires_at, orders.items, orders.subtotal, orders.discount,
  orders.shipping, orders.tax, orders.tax_included, orders.unique_amount,
  orders.amount_paid, orders.amount_returned, orders.amount_remaining, orders.accepted_at, orders.due_at, orders.delivery,
  (select coalesce(sum(one.amount_reversed), 0)::bigint from payments one
    where orders.amount_returned > 0 and one.org_id = ${orgId} and one.order_id = orders.id) as amount_reversed,
  greatest(orders.updated_at, attempt.updated_at) as updated_at,
  attempt.id as attempt_id, attempt.status as attempt_status, attempt.provider, attempt.method, attempt.bank, attempt.amount, attempt.unique_amount as attempt_unique,
  attempt.amount_paid - attempt.amount_refunded - attempt.amount_reversed as amount_kept, attempt.is_manual,
  attempt.details, attempt.expires_at, attempt.paid_at`

const findByOrder = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<FlatRow>`
  select ${columns(queries, orgId)}
  from orders left join payments attempt on attempt.org_id = orders.org_id and attempt.id = orders.payment_id
  where orders.org_id = ${orgId} and orders.id = ${id}`

const findByPayment = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<FlatRow>`
  select ${columns(queries, orgId)}
  from payments attempt join orders on orders.org_id = attempt.org_id and orders.id = attempt.order_id
  where attempt.org_id = ${orgId} and attempt.id = ${id}`
