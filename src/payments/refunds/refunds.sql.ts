import type { EventActor } from '../../events/events.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { orgAs } from '../../platform/database/organization-filter.ts'
import type { StoredFailure } from '../payment-connector.ts'
import type { RefundStatus } from '../payments.states.ts'

export type RefundRow = {
  org_id: OrgId
  id: Id<'rfd'>
  order_id: Id<'ord'>
  payment_id: Id<'pay'>
  status: RefundStatus
  amount: number
  reason: string | null
  note: string | null
  is_manual: boolean
  provider_refund_id: string | null
  error: StoredFailure | null
  actor_type: EventActor['type']
  actor_id: string | null
  created_at: Date
  updated_at: Date
  succeeded_at: Date | null
}

/** The actor who requested the refund. Its events and its ledger line name this actor, whenever the provider answers. */
export const actorOf = ({ actor_type: type, actor_id: id }: RefundRow): EventActor => ({ type, id })

const columns = (queries: Queries) => queries.part`
  org_id, id, order_id, payment_id, status, amount, reason, note, is_manual, provider_refund_id, error, actor_type, actor_id,
  created_at, updated_at, succeeded_at`

export const insertRefund = (tx: Tx, orgId: OrgId, row: RefundRow) => tx.one<RefundRow>`
  insert into refunds (org_id, id, order_id, payment_id, status, amount, reason, note, is_manual, provider_refund_id,
    actor_type, actor_id, created_at, updated_at, succeeded_at)
  values (${orgId}, ${row.id}, ${row.order_id}, ${row.payment_id}, ${row.status}, ${row.amount}, ${row.reason}, ${row.note},
    ${row.is_manual}, ${row.provider_refund_id}, ${row.actor_type}, ${row.actor_id}, ${row.created_at}, ${row.updated_at},
    ${row.succeeded_at})
  returning ${columns(tx)}`

export const findRefund = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<RefundRow>`
  select ${columns(queries)} from refunds where org_id = ${orgId} and id = ${id}`

/** Callers that write these rows hold the order's lock, as every writer of its refunds does. */
export const listRefundsOfPayment = (queries: Queries, orgId: OrgId, paymentId: string) => queries.many<RefundRow>`
  select ${columns(queries)} from refunds where org_id = ${orgId} and payment_id = ${paymentId} order by id`

export const listRefundsOfOrder = (queries: Queries, orgId: OrgId, orderId: string) => queries.many<RefundRow>`
  select ${columns(queries)} from refunds where org_id = ${orgId} and order_id = ${orderId} order by id`

export type RefundFilter = {
  orderId: string | null
  statuses: readonly RefundStatus[] | null
  /** Bounds of the creation time, which ids carry: `fromId` is inclusive, `beforeId` exclusive. */
  fromId: string | null
  beforeId: string | null
  limit: number
}

/** A page, newest first. */
export const listRefundPage = (queries: Queries, orgId: OrgId, filter: RefundFilter) => {
  const { part } = queries
  const when = (isGiven: boolean, condition: ReturnType<typeof part>) => (isGiven ? condition : part``)
  return queries.many<RefundRow>`
    select ${columns(queries)} from refunds
    where org_id = ${orgId}
      ${when(filter.orderId !== null, part`and order_id = ${filter.orderId}`)}
      ${when(filter.statuses !== null, part`and status = any(${[...(filter.statuses ?? [])]}::text[])`)}
      ${when(filter.fromId !== null, part`and id >= ${filter.fromId}`)}
      ${when(filter.beforeId !== null, part`and id < ${filter.beforeId}`)}
    order by id desc limit ${filter.limit}`
}

/** Uses full index keys, because a partial key would read all refunds of an organization. */
export const listRefundsByOrders = (
  queries: Queries,
  orgId: OrgId,
  orderIds: readonly string[],
) => queries.many<RefundRow>`
  select refund.*
  from unnest(${orderIds.map(() => orgId)}::text[], ${[...orderIds]}::text[]) as wanted (org_id, order_id)
  cross join lateral (
    select ${columns(queries)} from refunds
    where org_id = ${orgAs(queries, orgId, queries.part`wanted.org_id`)} and order_id = wanted.order_id order by id) refund
  order by refund.id`

export type RefundChange = Pick<
  RefundRow,
  'id' | 'status' | 'provider_refund_id' | 'error' | 'updated_at' | 'succeeded_at'
>

export const saveRefund = (tx: Tx, orgId: OrgId, row: RefundChange) => tx.one<RefundRow>`
  update refunds set status = ${row.status}, provider_refund_id = ${row.provider_refund_id},
    error = ${row.error === null ? null : JSON.stringify(row.error)}::text::jsonb, updated_at = ${row.updated_at},
    succeeded_at = ${row.succeeded_at}
  where org_id = ${orgId} and id = ${row.id}
  returning ${columns(tx)}`
