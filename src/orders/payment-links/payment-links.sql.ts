import type { Id, OrgId } from '../../kernel/ids.ts'
import type { PaymentMethod } from '../../payments/payment-connector.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'

export type PaymentLinkRow = {
  org_id: OrgId
  id: Id<'plk'>
  title: string
  description: string | null
  /** Null when the payer chooses the amount. */
  amount: number | null
  amount_min: number | null
  amount_max: number | null
  single_use: boolean
  methods: PaymentMethod[] | null
  expires_at: Date | null
  active: boolean
  metadata: Record<string, string>
  created_at: Date
  updated_at: Date
}

const linkColumns = (queries: Queries) => queries.part`
  org_id, id, title, description, amount, amount_min, amount_max, single_use, methods, expires_at, active, metadata,
  created_at, updated_at`

export const insertLink = (tx: Tx, row: PaymentLinkRow) => tx.run`
  insert into payment_links (org_id, id, title, description, amount, amount_min, amount_max, single_use, methods,
    expires_at, active, metadata, created_at, updated_at)
  values (${row.org_id}, ${row.id}, ${row.title}, ${row.description}, ${row.amount}, ${row.amount_min},
    ${row.amount_max}, ${row.single_use}, ${row.methods && JSON.stringify(row.methods)}::text::jsonb, ${row.expires_at},
    ${row.active}, ${JSON.stringify(row.metadata)}::text::jsonb, ${row.created_at}, ${row.updated_at})`

export const findLink = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<PaymentLinkRow>`
  select ${linkColumns(queries)} from payment_links where org_id = ${orgId} and id = ${id}`

export const lockLink = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<PaymentLinkRow>`
  select ${linkColumns(tx)} from payment_links where org_id = ${orgId} and id = ${id} for update`

export const saveLink = (tx: Tx, row: PaymentLinkRow) => tx.run`
  update payment_links set title = ${row.title}, description = ${row.description}, expires_at = ${row.expires_at},
    active = ${row.active}, metadata = ${JSON.stringify(row.metadata)}::text::jsonb, updated_at = ${row.updated_at}
  where org_id = ${row.org_id} and id = ${row.id}`

export const listLinks = (
  queries: Queries,
  orgId: OrgId,
  { active, beforeId, limit }: { active: boolean | null; beforeId: string | null; limit: number },
) => queries.many<PaymentLinkRow>`
  select ${linkColumns(queries)} from payment_links
  where org_id = ${orgId}
    ${beforeId === null ? queries.part`` : queries.part`and id < ${beforeId}`}
    ${active === null ? queries.part`` : queries.part`and active = ${active}`}
  order by id desc limit ${limit}`

export type LinkUse = { payment_link_id: string; paid_count: number; amount_received: number }

/** What was received through these links. An order counts when money is held for it. */
export const listLinkUses = (queries: Queries, orgId: OrgId, ids: readonly string[]) => queries.many<LinkUse>`
  select payment_link_id, count(*)::integer as paid_count,
    sum(amount_paid - amount_returned)::bigint as amount_received
  from orders
  where org_id = ${orgId} and payment_link_id = any(${[...ids]}::text[]) and amount_paid > amount_returned
  group by payment_link_id`

/** The orders of a single-use link, oldest first. */
export const listLinkOrders = (queries: Queries, orgId: OrgId, linkId: string) => queries.many<{
  id: Id<'ord'>
  status: string
}>`
  select id, status from orders where org_id = ${orgId} and payment_link_id = ${linkId} order by id limit 100`
