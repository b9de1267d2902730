import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { PaymentMethod } from '../payment-connector.ts'

export type LedgerKind = 'capture' | 'refund' | 'reversal'

export type LedgerRow = {
  payment_id: Id<'pay'>
  kind: LedgerKind
  key: string
  order_id: Id<'ord'>
  amount: number
  reported_amount: number
  source: string
  actor_type: string
  actor_id: string | null
  note: string | null
  facts: Record<string, string>
  occurred_at: Date
  recorded_at: Date
}

export const listLedgerLines = (queries: Queries, orgId: OrgId, paymentId: string) =>
  queries.many<{ kind: LedgerKind; key: string; amount: number; reported: number }>`
    select kind, key, amount, reported_amount as reported from payment_ledger
    where org_id = ${orgId} and payment_id = ${paymentId}`

const ledgerColumns = (queries: Queries) => queries.part`
  payment_id, kind, key, order_id, amount, reported_amount, source, actor_type, actor_id, note, facts, occurred_at, recorded_at`

/** Upper bound on the ledger lines that are shown. */
export const LEDGER_SHOWN_MAX = 1000

/** Leaves out lines of repeated reports; sorts in the sequence in which the remaining amount is computed. */
export const listLedgerOfOrder = (queries: Queries, orgId: OrgId, orderId: string) => queries.many<LedgerRow>`
  select ${ledgerColumns(queries)}
  from payment_ledger where org_id = ${orgId} and order_id = ${orderId} and amount <> 0
  order by recorded_at, kind, key limit ${LEDGER_SHOWN_MAX}`

export const listWholeLedger = (queries: Queries, orgId: OrgId, orderId: string) => queries.many<LedgerRow>`
  select ${ledgerColumns(queries)}
  from payment_ledger where org_id = ${orgId} and order_id = ${orderId}
  order by recorded_at, kind, key`

/** Sorts by report; within one report first captures, then refunds, then reversals. */
export const listMoneyOfOrder = (queries: Queries, orgId: OrgId, orderId: string) =>
  queries.many<Pick<LedgerRow, 'kind' | 'amount'>>`
    select kind, amount from payment_ledger where org_id = ${orgId} and order_id = ${orderId}
    order by recorded_at, kind, key`

/** A duplicate line is a bug, because all lines are read under the order's lock. */
export const insertLedgerLine = (tx: Tx, orgId: OrgId, row: LedgerRow & { method: PaymentMethod }) => tx.run`
  insert into payment_ledger (org_id, payment_id, kind, key, order_id, amount, reported_amount, source, actor_type, actor_id,
    note, facts, occurred_at, recorded_at, method)
  values (${orgId}, ${row.payment_id}, ${row.kind}, ${row.key}, ${row.order_id}, ${row.amount}, ${row.reported_amount},
    ${row.source}, ${row.actor_type}, ${row.actor_id}, ${row.note}, ${JSON.stringify(row.facts)}::text::jsonb,
    ${row.occurred_at}, ${row.recorded_at}, ${row.method})`

export type LedgerSum = {
  /** The first day of the period, where the organization is. */
  period: string
  method: PaymentMethod
  received: number
  refunded: number
  reversed: number
  payments: number
}

export type LedgerSpan = { from: string; to: string; by: 'day' | 'month'; timezone: string }

/**
 * Sums what happened on these days, both included, per period and payment method. Each period is one range of an index that
 * holds all it reads, so that no line is joined with its payment: bench/README.md has the times. Periods before the first line and
 * after the last one are not looked at, or a report from the year 1 would look at 700,000 of them.
 */
export const sumLedger = (queries: Queries, orgId: OrgId, { from, to, by, timezone }: LedgerSpan) =>
  queries.many<LedgerSum>`
    with kept as (
      select (min(occurred_at) at time zone ${timezone})::date as oldest, (max(occurred_at) at time zone ${timezone})::date as newest
      from payment_ledger where org_id = ${orgId})
    select to_char(span.period, 'YYYY-MM-DD') as period, sums.*
    from kept
    cross join lateral generate_series(date_trunc(${by}, greatest(${from}::date, kept.oldest)::timestamp),
      least(${to}::date, kept.newest)::timestamp, ('1 ' || ${by})::interval) as span (period)
    cross join lateral (
      select line.method,
        coalesce(sum(line.amount) filter (where line.kind = 'capture'), 0)::bigint as received,
        coalesce(-sum(line.amount) filter (where line.kind = 'refund'), 0)::bigint as refunded,
        coalesce(-sum(line.amount) filter (where line.kind = 'reversal'), 0)::bigint as reversed,
        count(*) filter (where line.kind = 'capture')::bigint as payments
      from payment_ledger line
      where line.org_id = ${orgId} and line.amount <> 0
        and line.occurred_at >= greatest(span.period, ${from}::date::timestamp) at time zone ${timezone}
        and line.occurred_at < least(span.period + ('1 ' || ${by})::interval, (${to}::date + 1)::timestamp)
          at time zone ${timezone}
      group by line.method) as sums
    where kept.oldest is not null
    order by 1, 2`
