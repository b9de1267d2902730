import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { fromHome, homeOrg } from '../../platform/database/organization-filter.ts'
import { jsonList } from '../../platform/database/plain-lists.ts'
import type { PaymentProvider } from '../connectors/connectors.ts'
import type { PaymentMethod, StoredFailure } from '../payment-connector.ts'
import type { PaymentStatus } from '../payments.states.ts'

/** The payment details as stored. */
export type StoredDetails = {
  qr_string: string | null
  qr_image_url: string | null
  virtual_account: { bank: string; number: string; name: string | null } | null
  bill: { biller_code: string; bill_key: string } | null
  /** Absent in rows from before these methods existed, as are `ewallet`, `retail` and `card`. */
  account_page?: { bank: string; redirect_url: string } | null
  ewallet?: { channel: string; deeplink_url: string | null; web_url: string | null } | null
  retail?: { store: string; payment_code: string } | null
  card?: { channel: string; redirect_url: string } | null
  instructions: Record<string, string> | null
}

/** A file by which the customer shows that they paid, as the API shows it. */
export type PaymentProof = {
  message_id: Id<'msg'>
  chat_id: Id<'chat'>
  media_id: string
  mime_type: string | null
  filename: string | null
  added_at: string
}

export type PaymentRow = {
  org_id: OrgId
  id: Id<'pay'>
  order_id: Id<'ord'>
  account_id: Id<'pac'>
  provider: PaymentProvider
  method: PaymentMethod
  bank: string | null
  status: PaymentStatus
  amount: number | null
  amount_paid: number
  amount_refunded: number
  amount_reversed: number
  /** The part of `amount` on top of what is due, which identifies a manual bank transfer. */
  unique_amount: number
  is_manual: boolean
  is_refundable: boolean
  provider_id: string | null
  details: StoredDetails | null
  error: StoredFailure | null
  proofs: PaymentProof[]
  expires_at: Date | null
  paid_at: Date | null
  created_at: Date
  updated_at: Date
}

const columns = (queries: Queries) => queries.part`
  org_id, id, order_id, account_id, provider, method, bank, status, amount, amount_paid, amount_refunded, amount_reversed,
  unique_amount, is_manual, is_refundable, provider_id, details, error, proofs, expires_at, paid_at, created_at, updated_at`

const jsonOf = (value: unknown) => (value === null ? null : JSON.stringify(value))

/** Inserts payments of an organization in one statement, for group commit. */
export const insertPayments = (tx: Tx, orgId: OrgId, rows: readonly PaymentRow[]) => tx.run`
  insert into payments (org_id, id, order_id, account_id, provider, method, bank, status, amount, unique_amount, is_manual, is_refundable,
    provider_id, details, error, expires_at, created_at, updated_at)
  select ${homeOrg(tx, orgId)}, id, order_id, account_id, provider, method, bank, status, amount, unique_amount, is_manual, is_refundable,
    provider_id, details::jsonb, error::jsonb, expires_at, created_at, created_at
  from ${fromHome(tx, orgId)} unnest(
    ${rows.map((row) => row.id)}::text[],
    ${rows.map((row) => row.order_id)}::text[], ${rows.map((row) => row.account_id)}::text[],
    ${rows.map((row) => row.provider)}::text[], ${rows.map((row) => row.method)}::text[],
    ${rows.map((row) => row.bank)}::text[], ${rows.map((row) => row.status)}::text[],
    ${rows.map((row) => row.amount)}::bigint[], ${rows.map((row) => row.unique_amount)}::bigint[],
    ${rows.map((row) => row.is_manual)}::boolean[],
    ${rows.map((row) => row.is_refundable)}::boolean[], ${rows.map((row) => row.provider_id)}::text[],
    ${jsonList(tx, rows, (row) => row.details)}, ${jsonList(tx, rows, (row) => row.error)},
    ${rows.map((row) => row.expires_at)}::timestamptz[], ${rows.map((row) => row.created_at)}::timestamptz[]
  ) as fresh(id, order_id, account_id, provider, method, bank, status, amount, unique_amount, is_manual, is_refundable,
    provider_id, details, error, expires_at, created_at)`

export const findPayment = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<PaymentRow>`
  select ${columns(queries)} from payments where org_id = ${orgId} and id = ${id}`

export const findPaymentByProviderId = (
  queries: Queries,
  orgId: OrgId,
  { accountId, providerId }: { accountId: string; providerId: string },
) => queries.maybeOne<PaymentRow>`
  select ${columns(queries)} from payments
  where org_id = ${orgId} and account_id = ${accountId} and provider_id = ${providerId}`

/** The provider's id in the newest notification about a payment. */
export const findNotifiedId = async (queries: Queries, orgId: OrgId, paymentId: string): Promise<string | null> =>
  (
    await queries.maybeOne<{ provider_id: string | null }>`
      select report->>'providerId' as provider_id from payment_notices
      where org_id = ${orgId} and payment_id = ${paymentId} order by id desc limit 1`
  )?.provider_id ?? null

export const listPaymentsOfOrder = (queries: Queries, orgId: OrgId, orderId: string) => queries.many<PaymentRow>`
  select ${columns(queries)} from payments where org_id = ${orgId} and order_id = ${orderId} order by id`

export const listPaymentsById = (queries: Queries, orgId: OrgId, ids: readonly string[]) => queries.many<PaymentRow>`
  select ${columns(queries)} from payments where org_id = ${orgId} and id = any(${[...ids]}::text[])`

/** Amounts of transfers to an account are chosen one after another. */
export const lockAccounts = (tx: Tx, orgId: OrgId, accountIds: readonly string[]) => tx.run`
  select id from payment_accounts
  where org_id = ${orgId} and id = any(${[...accountIds]}::text[]) order by id for no key update`

/** What the open transfers ask for, with a unique amount or, from before the setting was on, without. */
export const listTransferAmounts = (tx: Tx, orgId: OrgId, accountIds: readonly string[]) =>
  tx.many<{ account_id: string; amount: number }>`
    select account_id, amount - amount_paid as amount from payments
    where org_id = ${orgId} and account_id = any(${[...accountIds]}::text[])
      and is_manual and method = 'bank_transfer' and amount > amount_paid and status in ('created', 'pending')`

export type PaymentFilter = {
  orderId: string | null
  statuses: readonly PaymentStatus[] | null
  methods: readonly PaymentMethod[] | null
  /** Bounds of the creation time, which ids carry: `fromId` is inclusive, `beforeId` exclusive. */
  fromId: string | null
  beforeId: string | null
  limit: number
  /** Which payments are shown at all, as a condition on their rows. */
  shown: ReturnType<Queries['part']>
}

/**
 * A page, newest first. Rare states and each method have an index, so that a page of them is not searched among all payments:
 * one short range of the index per method, merged.
 */
export const listPaymentPage = (queries: Queries, orgId: OrgId, filter: PaymentFilter) => {
  const { part } = queries
  const when = (isGiven: boolean, condition: ReturnType<typeof part>) => (isGiven ? condition : part``)
  const page = (condition: ReturnType<typeof part>) => part`
    select ${columns(queries)} from payments
    where org_id = ${orgId} ${condition} ${filter.shown}
      ${when(filter.orderId !== null, part`and order_id = ${filter.orderId}`)}
      ${when(filter.statuses !== null, part`and status = any(${[...(filter.statuses ?? [])]}::text[])`)}
      ${when(filter.fromId !== null, part`and id >= ${filter.fromId}`)}
      ${when(filter.beforeId !== null, part`and id < ${filter.beforeId}`)}
    order by id desc limit ${filter.limit}`
  if (filter.methods === null) return queries.many<PaymentRow>`${page(part``)}`
  return queries.many<PaymentRow>`
    select page.* from unnest(${[...new Set(filter.methods)]}::text[]) as wanted(method)
      cross join lateral (${page(part`and payments.method = wanted.method`)}) as page
    order by page.id desc limit ${filter.limit}`
}

/** Lists the payments whose charge has been answered. */
export const listAnswered = (queries: Queries, orgId: OrgId, ids: readonly string[]) =>
  queries.many<{ id: string }>`
    select id from payments where org_id = ${orgId} and id = any(${[...ids]}::text[])
      and status <> 'created'`

export type PaymentChange = Pick<
  PaymentRow,
  | 'id'
  | 'status'
  | 'amount_paid'
  | 'amount_refunded'
  | 'amount_reversed'
  | 'provider_id'
  | 'details'
  | 'error'
  | 'expires_at'
  | 'paid_at'
  | 'updated_at'
>

/** Requires the order's lock and a check against the table of states. */
export const savePayment = (tx: Tx, orgId: OrgId, row: PaymentChange) => tx.run`
  update payments set status = ${row.status}, amount_paid = ${row.amount_paid}, amount_refunded = ${row.amount_refunded},
    amount_reversed = ${row.amount_reversed}, provider_id = ${row.provider_id},
    details = ${jsonOf(row.details)}::text::jsonb, error = ${jsonOf(row.error)}::text::jsonb,
    expires_at = ${row.expires_at}, paid_at = ${row.paid_at}, updated_at = ${row.updated_at}
  where org_id = ${orgId} and id = ${row.id}`

/** Requires the order's lock. */
export const saveProofs = (
  tx: Tx,
  orgId: OrgId,
  { id, proofs, now }: { id: string; proofs: readonly PaymentProof[]; now: Date },
) => tx.run`
  update payments set proofs = ${JSON.stringify(proofs)}::text::jsonb, updated_at = ${now}
  where org_id = ${orgId} and id = ${id}`
