import type { Id, OrgId } from '../../../kernel/ids.ts'
import type { PartitionedTable } from '../../database/daily-partitions.ts'
import type { Queries, Tx } from '../../database/database.ts'

export type IdempotencyClaim = { operation: string; key: string; fingerprint: string; requestId: Id<'req'> }

export type StoredReply = {
  status: number
  body: string
  location: string | null
  requestId: Id<'req'>
  fingerprint: string
}

export type FreshReply = { status: number; body: string; location: string | null }

/** Held until the transaction ends; a second request does not wait but is refused with Retry-After. */
export const lockIdempotencyKey = async (tx: Tx, orgId: OrgId, { operation, key }: IdempotencyClaim) =>
  (
    await tx.one<{ is_locked: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${`${orgId} ${operation} ${key}`}, 1)) as is_locked`
  ).is_locked

/** Partitioned by `created_at`. The day before yesterday is kept for the first hour, because an answer is kept for 25. */
export const idempotencyTable: PartitionedTable = {
  table: 'idempotency_keys',
  retentionDays: 1,
  isNeeded: async (queries, { before }) =>
    (
      await queries.one<{ is_needed: boolean }>`
      select ${before}::timestamptz > now() - interval '25 hours' as is_needed`
    ).is_needed,
}

/**
 * For every look at stored answers: those of the 24 hours that are guaranteed and one more, because a caller counts from the
 * answer. By PostgreSQL's clock, which is also what they are stamped with. The upper bound leaves the partitions of the
 * coming days aside.
 */
export const isRemembered = (queries: Queries) => queries.part`
  created_at > now() - interval '25 hours' and created_at < now() + interval '1 hour'`

export const findStoredReply = (queries: Queries, orgId: OrgId, { operation, key }: IdempotencyClaim) =>
  queries.maybeOne<StoredReply>`
    select status, body, location, request_id as "requestId", fingerprint
    from idempotency_keys
    where org_id = ${orgId} and operation = ${operation} and key = ${key} and ${isRemembered(queries)}
    order by created_at desc limit 1`

export const insertStoredReply = (tx: Tx, orgId: OrgId, claim: IdempotencyClaim, reply: FreshReply) =>
  tx.run`
    insert into idempotency_keys (org_id, operation, key, fingerprint, status, body, location, request_id, created_at)
    values (${orgId}, ${claim.operation}, ${claim.key}, ${claim.fingerprint}, ${reply.status}, ${reply.body},
      ${reply.location}, ${claim.requestId}, now())`
