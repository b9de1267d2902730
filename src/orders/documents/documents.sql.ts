import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'

export const documentKinds = ['receipt', 'invoice'] as const
export type DocumentKind = (typeof documentKinds)[number]

export type DocumentRow = {
  org_id: OrgId
  id: Id<'doc'>
  kind: DocumentKind
  /** Without gaps within the organization and the kind. */
  number: number
  order_id: Id<'ord'>
  issued_at: Date
}

const columns = (queries: Queries) => queries.part`org_id, id, kind, number, order_id, issued_at`

export const findDocument = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<DocumentRow>`
  select ${columns(queries)} from order_documents where org_id = ${orgId} and id = ${id}`

export const findDocumentOf = (
  queries: Queries,
  orgId: OrgId,
  { orderId, kind }: { orderId: string; kind: DocumentKind },
) => queries.maybeOne<DocumentRow>`
  select ${columns(queries)} from order_documents where org_id = ${orgId} and order_id = ${orderId} and kind = ${kind}`

/** Locks the counter until the transaction ends, so that no other transaction issues a document of this kind. */
export const lockDocumentCounter = (tx: Tx, orgId: OrgId, kind: DocumentKind) => tx.one<{ last_number: number }>`
  insert into order_document_counters (org_id, kind, last_number) values (${orgId}, ${kind}, 0)
  on conflict (org_id, kind) do update set last_number = order_document_counters.last_number
  returning last_number`

export const saveDocumentCounter = (tx: Tx, orgId: OrgId, { kind, number }: Pick<DocumentRow, 'kind' | 'number'>) =>
  tx.run`
    update order_document_counters set last_number = ${number} where org_id = ${orgId} and kind = ${kind}`

export const insertDocument = (tx: Tx, row: DocumentRow) => tx.run`
  insert into order_documents (org_id, id, kind, number, order_id, issued_at)
  values (${row.org_id}, ${row.id}, ${row.kind}, ${row.number}, ${row.order_id}, ${row.issued_at})`
