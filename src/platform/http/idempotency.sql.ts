import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Database, Queries, Tx } from '../database/database.ts'

export type IdempotencyClaim = { operation: string; key: string; fingerprint: string; requestId: Id<'req'> }

export type StoredReply = {
  status: number
  body: string
  location: string | null
  requestId: Id<'req'>
  fingerprint: string
}

export type FreshReply = { status: number; body: string; location: string | null }

/** Held until the transaction ends; a second request does not wait but is told to come back. */
export const lockIdempotencyKey = async (tx: Tx, orgId: OrgId, { operation, key }: IdempotencyClaim) =>
  (
    await tx.one<{ is_locked: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${`${orgId} ${operation} ${key}`}, 1)) as is_locked`
  ).is_locked

export const findStoredReply = (queries: Queries, orgId: OrgId, { operation, key }: IdempotencyClaim) =>
  queries.maybeOne<StoredReply>`
    select status, body, location, request_id as "requestId", fingerprint
    from idempotency_keys
    where org_id = ${orgId} and operation = ${operation} and key = ${key}`

export const insertStoredReply = (tx: Tx, orgId: OrgId, claim: IdempotencyClaim, reply: FreshReply) =>
  tx.run`
    insert into idempotency_keys (org_id, operation, key, fingerprint, status, body, location, request_id, created_at)
    values (${orgId}, ${claim.operation}, ${claim.key}, ${claim.fingerprint}, ${reply.status}, ${reply.body},
      ${reply.location}, ${claim.requestId}, now())`

/** A bounded bite of one organization's answers that are past their day. */
export const deleteOldReplies = (
  database: Database,
  orgId: OrgId,
  { before, rowsMax }: { before: Date; rowsMax: number },
) =>
  database.run`
    delete from idempotency_keys
    where org_id = ${orgId} and (operation, key) in (
      select operation, key from idempotency_keys
      where org_id = ${orgId} and created_at < ${before}
      order by created_at limit ${rowsMax})`

/** Hops from one organization to the next along the index instead of reading every row. */
export const listOrganizationsWithReplies = (database: Database) =>
  database.many<{ org_id: OrgId }>`
    with recursive hop as (
      (select org_id from idempotency_keys order by org_id limit 1)
      union all
      select (select later.org_id from idempotency_keys later where later.org_id > hop.org_id order by later.org_id limit 1)
      from hop where hop.org_id is not null)
    select org_id from hop where org_id is not null`
