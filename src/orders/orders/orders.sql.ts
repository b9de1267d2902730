import type { Id, OrgId } from '../../kernel/ids.ts'
import type { PaymentMethod } from '../../payments/payment-connector.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { fromHome, homeOrg } from '../../platform/database/organization-filter.ts'
import { jsonList } from '../../platform/database/plain-lists.ts'
import { type IdempotencyClaim, isRemembered } from '../../platform/http/pipeline/idempotency.ts'
import type { OrderStatus } from '../settlement/orders.states.ts'
import type { PaymentStatusOfOrder, ReviewReason } from '../settlement/settlement.ts'
import type { BillingType, OrderView } from './orders.schemas.ts'
import type { OrderItem } from './totals.ts'

export type OrderRow = {
  org_id: OrgId
  id: Id<'ord'>
  number: number
  status: OrderStatus
  billing_type: BillingType | null
  /** The methods that the payer may choose from; null for all that the page offers, and for other orders. */
  choice_methods: PaymentMethod[] | null
  /** Until when the payer can choose. Null for other orders. */
  choice_expires_at: Date | null
  customer_name: string | null
  customer_phone: string | null
  contact_id: Id<'con'> | null
  chat_id: Id<'chat'> | null
  items: OrderItem[]
  subtotal: number | null
  discount: number
  shipping: number
  tax: number
  tax_included: number
  /** What was received of the unique amount of a manual bank transfer. It is part of the total. */
  unique_amount: number
  total: number | null
  payment_status: PaymentStatusOfOrder
  amount_paid: number
  amount_returned: number
  /** Null for an open amount. */
  amount_remaining: number | null
  /** When a person accepted the received amount as enough, or the loss after a reversal. */
  accepted_at: Date | null
  payment_id: Id<'pay'> | null
  /** The payment link that the order was created by. */
  payment_link_id: Id<'plk'> | null
  /** Opened by the payer of a payment link, and hidden from the shop until it becomes an order (checkouts.ts). */
  is_checkout: boolean
  review_reasons: ReviewReason[]
  review_since: Date | null
  notify: boolean
  reference: string | null
  note: string | null
  metadata: Record<string, string>
  /** Null while nothing is known about the delivery. */
  delivery: Delivery | null
  due_at: Date | null
  /** When the due date had passed unpaid. */
  overdue_at: Date | null
  created_at: Date
  updated_at: Date
}

/** Stored as the API shows it. */
export type Delivery = NonNullable<OrderView['delivery']>

export const orderColumns = (queries: Queries) => queries.part`
  org_id, id, number, status, billing_type, choice_methods, choice_expires_at, customer_name, customer_phone, contact_id, chat_id, items, subtotal, discount,
  shipping, tax, tax_included, unique_amount, total, payment_status, amount_paid, amount_returned, amount_remaining, accepted_at, payment_id, payment_link_id, is_checkout, review_reasons,
  review_since, notify, reference, note, metadata, delivery, due_at, overdue_at, created_at, updated_at`

const FIRST_NUMBER = 1000

/**
 * Locks the counter until the transaction ends, so that no other transaction creates orders of the organization. Only its first
 * use writes a row.
 */
export const lockCounter = async (tx: Tx, orgId: OrgId): Promise<number> =>
  ((await findCounter(tx, orgId)) ?? (await insertCounter(tx, orgId))).last_number

type Counter = { last_number: number }

const findCounter = (tx: Tx, orgId: OrgId) => tx.maybeOne<Counter>`
  select last_number from order_counters where org_id = ${orgId} for update`

const insertCounter = (tx: Tx, orgId: OrgId) => tx.one<Counter>`
  insert into order_counters (org_id, last_number) values (${orgId}, ${FIRST_NUMBER})
  on conflict (org_id) do update set last_number = order_counters.last_number
  returning last_number`

export const saveCounter = (tx: Tx, orgId: OrgId, lastNumber: number) => tx.run`
  update order_counters set last_number = ${lastNumber} where org_id = ${orgId}`

/** Requires the counter's lock, so that no other transaction uses one of the references meanwhile. */
export const listTakenReferences = (tx: Tx, orgId: OrgId, references: readonly string[]) =>
  tx.many<{ reference: string; id: Id<'ord'> }>`
    select orders.reference, orders.id
    from unnest(${[...references]}::text[]) as wanted(reference)
    join orders on orders.org_id = ${orgId} and orders.reference = wanted.reference`

export type ClaimRow = { claim: IdempotencyClaim; body: string; location: string }

/** The suffix of the operation while a stored answer is not sent yet (order-answers.ts). */
export const ANSWERING = ' (answering)'

/** Under the counter's lock, two requests with one key are never both new. Answers that are not sent yet count as used. */
export const listUsedClaims = (queries: Queries, orgId: OrgId, claims: readonly IdempotencyClaim[]) =>
  queries.many<{ operation: string; key: string }>`
    select wanted.operation, wanted.key
    from unnest(${claims.map(({ operation }) => operation)}::text[], ${claims.map(({ key }) => key)}::text[])
      as wanted(operation, key)
    join idempotency_keys stored
      on stored.org_id = ${orgId} and stored.operation in (wanted.operation, wanted.operation || ${ANSWERING})
        and stored.key = wanted.key
    where ${isRemembered(queries)}`

export const insertClaims = (tx: Tx, orgId: OrgId, rows: readonly ClaimRow[], status: number) => tx.run`
  insert into idempotency_keys (org_id, operation, key, fingerprint, status, body, location, request_id, created_at)
  select ${homeOrg(tx, orgId)}, operation, key, fingerprint, ${status}, body, location, request_id, now()
  from ${fromHome(tx, orgId)} unnest(
    ${rows.map((row) => row.claim.operation)}::text[],
    ${rows.map((row) => row.claim.key)}::text[], ${rows.map((row) => row.claim.fingerprint)}::text[],
    ${rows.map((row) => row.body)}::text[], ${rows.map((row) => row.location)}::text[],
    ${rows.map((row) => row.claim.requestId)}::text[]
  ) as answered(operation, key, fingerprint, body, location, request_id)`

export const moveAnswer = (
  queries: Queries,
  orgId: OrgId,
  { from, to, body }: { from: IdempotencyClaim; to: string; body: string },
) => queries.run`
  update idempotency_keys set operation = ${to}, body = ${body}
  where org_id = ${orgId} and operation = ${from.operation} and key = ${from.key} and request_id = ${from.requestId}
    and ${isRemembered(queries)}`

/** The location of a stored answer ends with the id of the order. */
export const findUnsent = (queries: Queries, orgId: OrgId, { operation, key }: IdempotencyClaim, lateMs: number) =>
  queries.maybeOne<{ order_id: string; request_id: Id<'req'>; is_late: boolean }>`
    select substring(location from '[^/]+$') as order_id, request_id,
      created_at < now() - make_interval(secs => ${lateMs} / 1000.0) as is_late
    from idempotency_keys
    where org_id = ${orgId} and operation = ${operation} and key = ${key} and ${isRemembered(queries)}`

/** Inserts orders of an organization in one statement, for group commit. */
export const insertOrders = (tx: Tx, orgId: OrgId, rows: readonly OrderRow[]) => tx.run`
  insert into orders (org_id, id, number, status, billing_type, choice_methods, choice_expires_at, customer_name, customer_phone, contact_id, chat_id, items,
    subtotal, discount, shipping, tax, tax_included, total, amount_remaining, payment_status, payment_id, notify, reference, note,
    metadata, delivery, due_at, payment_link_id, is_checkout, created_at, updated_at)
  select ${homeOrg(tx, orgId)}, id, number, status, billing_type, choice_methods::jsonb, choice_expires_at, customer_name, customer_phone, contact_id, chat_id, items::jsonb,
    subtotal, discount, shipping, tax, tax_included, total, total, payment_status, payment_id, notify, reference, note, metadata::jsonb,
    delivery::jsonb, due_at, payment_link_id, is_checkout, created_at, created_at
  from ${fromHome(tx, orgId)} unnest(
    ${rows.map((row) => row.id)}::text[],
    ${rows.map((row) => row.number)}::bigint[], ${rows.map((row) => row.status)}::text[],
    ${rows.map((row) => row.billing_type)}::text[], ${jsonList(tx, rows, (row) => row.choice_methods)},
    ${rows.map((row) => row.choice_expires_at)}::timestamptz[], ${rows.map((row) => row.customer_name)}::text[],
    ${rows.map((row) => row.customer_phone)}::text[], ${rows.map((row) => row.contact_id)}::text[],
    ${rows.map((row) => row.chat_id)}::text[], ${jsonList(tx, rows, (row) => row.items)},
    ${rows.map((row) => row.subtotal)}::bigint[], ${rows.map((row) => row.discount)}::bigint[],
    ${rows.map((row) => row.shipping)}::bigint[], ${rows.map((row) => row.tax)}::bigint[],
    ${rows.map((row) => row.tax_included)}::bigint[],
    ${rows.map((row) => row.total)}::bigint[], ${rows.map((row) => row.payment_status)}::text[],
    ${rows.map((row) => row.payment_id)}::text[], ${rows.map((row) => row.notify)}::boolean[],
    ${rows.map((row) => row.reference)}::text[], ${rows.map((row) => row.note)}::text[],
    ${jsonList(tx, rows, (row) => row.metadata)}, ${jsonList(tx, rows, (row) => row.delivery)},
    ${rows.map((row) => row.due_at)}::timestamptz[], ${rows.map((row) => row.payment_link_id)}::text[],
    ${rows.map((row) => row.is_checkout)}::boolean[],
    ${rows.map((row) => row.created_at)}::timestamptz[]
  ) as fresh(id, number, status, billing_type, choice_methods, choice_expires_at, customer_name, customer_phone, contact_id, chat_id, items, subtotal,
    discount, shipping, tax, tax_included, total, payment_status, payment_id, notify, reference, note, metadata, delivery, due_at, payment_link_id, is_checkout, created_at)`

/** A new order is inserted without a review. */
export const flagOrder = (
  tx: Tx,
  orgId: OrgId,
  row: Pick<OrderRow, 'id' | 'review_reasons' | 'review_since'>,
) => tx.run`
  update orders set review_reasons = ${row.review_reasons}::text[], review_since = ${row.review_since}
  where org_id = ${orgId} and id = ${row.id}`

export const findOrder = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<OrderRow>`
  select ${orderColumns(queries)} from orders where org_id = ${orgId} and id = ${id}`

export const lockOrder = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<OrderRow>`
  select ${orderColumns(tx)} from orders where org_id = ${orgId} and id = ${id} for update`

export type OrderChange = Pick<
  OrderRow,
  | 'id'
  | 'status'
  | 'billing_type'
  | 'unique_amount'
  | 'total'
  | 'payment_status'
  | 'amount_paid'
  | 'amount_returned'
  | 'amount_remaining'
  | 'accepted_at'
  | 'payment_id'
  | 'is_checkout'
  | 'review_reasons'
  | 'review_since'
  | 'overdue_at'
  | 'updated_at'
>

/** Requires the row's lock and a check against the table of states. `paid_told_at` keeps the time of the first `order.paid`. */
export const saveOrder = (tx: Tx, orgId: OrgId, row: OrderChange & { paid_told_at: Date | null }) => tx.run`
  update orders set status = ${row.status}, billing_type = ${row.billing_type},
    unique_amount = ${row.unique_amount}, total = ${row.total}, payment_status = ${row.payment_status},
    amount_paid = ${row.amount_paid}, amount_returned = ${row.amount_returned},
    amount_remaining = ${row.amount_remaining}, accepted_at = ${row.accepted_at}, payment_id = ${row.payment_id},
    is_checkout = ${row.is_checkout}, review_reasons = ${row.review_reasons}::text[], review_since = ${row.review_since}, overdue_at = ${row.overdue_at}, updated_at = ${row.updated_at},
    paid_told_at = coalesce(paid_told_at, ${row.paid_told_at})
  where org_id = ${orgId} and id = ${row.id}`

/** The columns that a request may edit. */
export type OrderDetails = Pick<
  OrderRow,
  | 'customer_name'
  | 'customer_phone'
  | 'contact_id'
  | 'chat_id'
  | 'items'
  | 'subtotal'
  | 'discount'
  | 'shipping'
  | 'tax'
  | 'tax_included'
  | 'total'
  | 'notify'
  | 'reference'
  | 'note'
  | 'metadata'
  | 'delivery'
  | 'due_at'
>

/** Requires the row's lock. The remaining amount follows the total at once; `saveOrder` writes the settlement afterwards. */
export const saveDetails = (tx: Tx, orgId: OrgId, row: OrderDetails & { id: string }) => tx.run`
  update orders set customer_name = ${row.customer_name}, customer_phone = ${row.customer_phone},
    contact_id = ${row.contact_id}, chat_id = ${row.chat_id}, items = ${JSON.stringify(row.items)}::text::jsonb, subtotal = ${row.subtotal},
    discount = ${row.discount}, shipping = ${row.shipping}, tax = ${row.tax}, tax_included = ${row.tax_included},
    total = ${row.total},
    amount_remaining = case when ${row.total}::bigint is null then null else coalesce(amount_remaining, ${row.total}::bigint) end,
    notify = ${row.notify}, reference = ${row.reference}, note = ${row.note}, metadata = ${JSON.stringify(row.metadata)}::text::jsonb,
    delivery = ${row.delivery && JSON.stringify(row.delivery)}::text::jsonb, due_at = ${row.due_at}
  where org_id = ${orgId} and id = ${row.id}`

export const saveDelivery = (tx: Tx, orgId: OrgId, { id, delivery }: Pick<OrderRow, 'id' | 'delivery'>) => tx.run`
  update orders set delivery = ${delivery && JSON.stringify(delivery)}::text::jsonb where org_id = ${orgId} and id = ${id}`

export const findPaidRecorded = (tx: Tx, orgId: OrgId, id: string) => tx.one<{ paid_told_at: Date | null }>`
  select paid_told_at from orders where org_id = ${orgId} and id = ${id}`

export const findOrderByNumber = (queries: Queries, orgId: OrgId, number: number) => queries.maybeOne<OrderRow>`
  select ${orderColumns(queries)} from orders where org_id = ${orgId} and number = ${number}`

/** Ids sort by time of creation. */
export const findNewestOrder = (queries: Queries, orgId: OrgId) => queries.maybeOne<OrderRow>`
  select ${orderColumns(queries)} from orders where org_id = ${orgId} order by id desc limit 1`

export const listAmountsPaid = (queries: Queries, orgId: OrgId, ids: readonly string[]) => queries.many<{
  id: string
  amount_paid: number
}>`
  select id, amount_paid from orders where org_id = ${orgId} and id = any(${[...ids]})`

/** Links an order to its chat once. No event reports the link, so `updated_at` changes for callers that poll for changes. */
export const linkOrderToChat = (
  tx: Tx,
  orgId: OrgId,
  { id, chatId, contactId, now }: { id: string; chatId: string; contactId: string | null; now: Date },
) => tx.run`
  update orders set chat_id = ${chatId}, contact_id = coalesce(contact_id, ${contactId}), updated_at = ${now}
  where org_id = ${orgId} and id = ${id} and chat_id is null`

export type OpenOrderRow = {
  id: Id<'ord'>
  number: number
  total: number | null
  payment_status: PaymentStatusOfOrder
  expires_at: Date | null
}

/** Finds the newest order of these chats that awaits payment, or that is still a draft. */
export const findOpenOrder = (queries: Queries, orgId: OrgId, chatIds: readonly string[]) =>
  queries.maybeOne<OpenOrderRow>`
    select orders.id, orders.number, orders.total, orders.payment_status, attempt.expires_at
    from orders left join payments attempt on attempt.org_id = orders.org_id and attempt.id = orders.payment_id
    where orders.org_id = ${orgId} and orders.chat_id = any(${[...chatIds]}::text[])
      and orders.status in ('draft', 'pending_payment')
    order by orders.id desc limit 1`
