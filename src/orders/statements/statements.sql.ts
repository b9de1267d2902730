import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { fromHome, homeOrg } from '../../platform/database/organization-filter.ts'

export type StatementStatus = 'open' | 'confirmed' | 'ignored'

export type StatementRow = {
  id: Id<'stm'>
  /** Such as 2026-11-14. */
  day: string
  amount: number
  description: string
  status: StatementStatus
  order_id: Id<'ord'> | null
  payment_id: Id<'pay'> | null
  created_at: Date
  updated_at: Date
}

export type NewStatementRow = Pick<StatementRow, 'id' | 'day' | 'amount' | 'description'> & { fingerprint: string }

const columns = (queries: Queries) => queries.part`
  id, to_char(day, 'YYYY-MM-DD') as day, amount, description, status, order_id, payment_id, created_at, updated_at`

/** Returns the ids of the lines that are new. */
export const insertLines = (tx: Tx, orgId: OrgId, rows: readonly NewStatementRow[], now: Date) => tx.many<{
  id: string
}>`
  insert into statement_lines (org_id, id, day, amount, description, status, fingerprint, created_at, updated_at)
  select ${homeOrg(tx, orgId)}, id, day, amount, description, 'open', fingerprint, ${now}::timestamptz, ${now}::timestamptz
  from ${fromHome(tx, orgId)} unnest(
    ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.day)}::text[]::date[],
    ${rows.map((row) => row.amount)}::bigint[], ${rows.map((row) => row.description)}::text[],
    ${rows.map((row) => row.fingerprint)}::text[]
  ) as fresh(id, day, amount, description, fingerprint)
  on conflict (org_id, fingerprint) do nothing
  returning id`

export const listKnown = (queries: Queries, orgId: OrgId, fingerprints: readonly string[]) =>
  queries.many<{ id: Id<'stm'>; fingerprint: string }>`
    select id, fingerprint from statement_lines
    where org_id = ${orgId} and fingerprint = any(${[...fingerprints]}::text[])`

export type StatementFilter = { status: StatementStatus | null; beforeId: string | null; limit: number }

export const listLines = (queries: Queries, orgId: OrgId, { status, beforeId, limit }: StatementFilter) => {
  const { part } = queries
  return queries.many<StatementRow>`
    select ${columns(queries)} from statement_lines
    where org_id = ${orgId}
      ${status === null ? part`` : part`and status = ${status}`}
      ${beforeId === null ? part`` : part`and id < ${beforeId}`}
    order by id desc limit ${limit}`
}

export const lockLine = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<StatementRow>`
  select ${columns(tx)} from statement_lines where org_id = ${orgId} and id = ${id} for update`

export const saveLine = (
  tx: Tx,
  orgId: OrgId,
  line: Pick<StatementRow, 'id' | 'status' | 'order_id' | 'payment_id' | 'updated_at'>,
) => tx.run`
  update statement_lines set status = ${line.status}, order_id = ${line.order_id}, payment_id = ${line.payment_id},
    updated_at = ${line.updated_at}
  where org_id = ${orgId} and id = ${line.id}`

export type Payable = {
  order_id: Id<'ord'>
  number: number
  customer_name: string | null
  reference: string | null
  remaining: number
  /** No other open transfer to the account asks for this amount. */
  is_unique: boolean
}

/** Upper bound on the orders that lines of a page are compared with, newest first. */
const PAYABLES_MAX = 5_000

/** Orders with an open payment that staff record, of one of these amounts or with one of these numbers. */
export const listPayables = (
  queries: Queries,
  orgId: OrgId,
  { amounts, numbers }: { amounts: readonly number[]; numbers: readonly number[] },
) => queries.many<Payable>`
  select orders.id as order_id, orders.number, orders.customer_name, orders.reference,
    payments.amount - payments.amount_paid as remaining, payments.unique_amount > 0 as is_unique
  from payments
  join orders on orders.org_id = ${orgId} and orders.id = payments.order_id
  where payments.org_id = ${orgId} and payments.status in ('created', 'pending') and payments.is_manual
    and payments.amount > payments.amount_paid
    and (payments.amount - payments.amount_paid = any(${[...amounts]}::bigint[]) or orders.number = any(${[...numbers]}::bigint[]))
  order by payments.id desc limit ${PAYABLES_MAX}`
