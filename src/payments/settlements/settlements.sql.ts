import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { fromHome, homeOrg } from '../../platform/database/organization-filter.ts'
import type { PaymentMethod } from '../payment-connector.ts'

export type SettlementRow = {
  id: Id<'pay'>
  order_id: Id<'ord'>
  provider: string
  method: PaymentMethod
  bank: string | null
  amount_paid: number
  paid_at: Date | null
  /** Null until a report names the payment. */
  reported_amount: number | null
  fee: number | null
  /** A day such as 2026-11-14. */
  settled_on: string | null
  reference: string | null
}

export type SettlementFilter = {
  isReported: boolean | null
  provider: string | null
  orderId: string | null
  fromId: string | null
  beforeId: string | null
  limit: number
  timezone: string
}

/**
 * Payments through providers with money in the ledger, newest first. The fee is that of the provider's report, or else that of the
 * notification, which the ledger keeps among the facts of a line.
 */
export const listSettlements = (queries: Queries, orgId: OrgId, filter: SettlementFilter) => {
  const { part } = queries
  const when = (isGiven: boolean, condition: ReturnType<typeof part>) => (isGiven ? condition : part``)
  return queries.many<SettlementRow>`
    select payment.id, payment.order_id, payment.provider, payment.method, payment.bank, payment.amount_paid, payment.paid_at,
      coalesce(report.amount, notified.amount) as reported_amount, coalesce(report.fee, notified.fee) as fee,
      case when report.fee is null then to_char(notified.settled_at at time zone ${filter.timezone}, 'YYYY-MM-DD')
        else to_char(report.settled_on, 'YYYY-MM-DD') end as settled_on, report.reference
    from payments payment
    left join payment_settlements report on report.org_id = ${orgId} and report.payment_id = payment.id
    left join lateral (
      select sum((line.facts ->> 'fee')::bigint)::bigint as fee, sum(line.amount)::bigint as amount,
        max(line.occurred_at) as settled_at
      from payment_ledger line
      where line.org_id = ${orgId} and line.payment_id = payment.id and line.kind = 'capture' and line.facts ? 'fee'
    ) notified on true
    where payment.org_id = ${orgId} and payment.amount_paid > 0 and not payment.is_manual
      ${when(filter.provider !== null, part`and payment.provider = ${filter.provider}`)}
      ${when(filter.orderId !== null, part`and payment.order_id = ${filter.orderId}`)}
      ${when(filter.isReported !== null, part`and (coalesce(report.fee, notified.fee) is not null) = ${filter.isReported}`)}
      ${when(filter.fromId !== null, part`and payment.id >= ${filter.fromId}`)}
      ${when(filter.beforeId !== null, part`and payment.id < ${filter.beforeId}`)}
    order by payment.id desc limit ${filter.limit}`
}

export type NamedPayment = { id: Id<'pay'>; provider_id: string | null; amount_paid: number; is_manual: boolean }

/** Payments by our id or by that of their provider. */
export const listPaymentsNamed = (queries: Queries, orgId: OrgId, names: readonly string[]) =>
  queries.many<NamedPayment>`
    select id, provider_id, amount_paid, is_manual from payments
    where org_id = ${orgId} and (id = any(${[...names]}::text[]) or provider_id = any(${[...names]}::text[]))`

export type ReportedSettlement = {
  payment_id: Id<'pay'>
  amount: number
  fee: number
  /** A day such as 2026-11-14. */
  settled_on: string | null
  reference: string | null
}

export const listReported = (queries: Queries, orgId: OrgId, paymentIds: readonly string[]) =>
  queries.many<ReportedSettlement>`
    select payment_id, amount, fee, to_char(settled_on, 'YYYY-MM-DD') as settled_on, reference from payment_settlements
    where org_id = ${orgId} and payment_id = any(${[...paymentIds]}::text[])`

/** The latest report of a payment replaces the one before. */
export const saveSettlements = (tx: Tx, orgId: OrgId, rows: readonly ReportedSettlement[], now: Date) => tx.run`
  insert into payment_settlements (org_id, payment_id, amount, fee, settled_on, reference, created_at, updated_at)
  select ${homeOrg(tx, orgId)}, payment_id, amount, fee, settled_on, reference, ${now}::timestamptz, ${now}::timestamptz
  from ${fromHome(tx, orgId)} unnest(
    ${rows.map((row) => row.payment_id)}::text[], ${rows.map((row) => row.amount)}::bigint[],
    ${rows.map((row) => row.fee)}::bigint[], ${rows.map((row) => row.settled_on)}::text[]::date[],
    ${rows.map((row) => row.reference)}::text[]
  ) as fresh(payment_id, amount, fee, settled_on, reference)
  on conflict (org_id, payment_id) do update set amount = excluded.amount, fee = excluded.fee,
    settled_on = excluded.settled_on, reference = excluded.reference, updated_at = excluded.updated_at`
