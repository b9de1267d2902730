import type { OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'

export type AuditActorType = 'user' | 'key' | 'agent' | 'command'

export type AuditRow = {
  org_id: OrgId
  sequence: number
  at: Date
  actor_type: AuditActorType
  actor_id: string
  actor_name: string | null
  act: string
  subject: string | null
  request_id: string | null
  address: string | null
  previous_hash: string
  hash: string
}

const columns = (queries: Queries) => queries.part`
  org_id, sequence, at, actor_type, actor_id, actor_name, act, subject, request_id, address, previous_hash, hash`

export type AuditHead = { last_sequence: number; last_hash: string }

/** Made where there is none yet. From here to the commit nobody else appends. */
export const lockAuditHead = (tx: Tx, orgId: OrgId) => tx.one<AuditHead>`
  insert into audit_heads as head (org_id, last_sequence, last_hash) values (${orgId}, 0, '')
  on conflict (org_id) do update set last_sequence = head.last_sequence
  returning last_sequence, last_hash`

export const moveAuditHead = (tx: Tx, orgId: OrgId, { last_sequence, last_hash }: AuditHead) => tx.run`
  update audit_heads set last_sequence = ${last_sequence}, last_hash = ${last_hash} where org_id = ${orgId}`

export const findAuditHead = (queries: Queries, orgId: OrgId) => queries.maybeOne<AuditHead>`
  select last_sequence, last_hash from audit_heads where org_id = ${orgId}`

export const insertAuditEntries = (tx: Tx, orgId: OrgId, rows: readonly Omit<AuditRow, 'org_id'>[]) => tx.run`
  insert into audit_entries (org_id, sequence, at, actor_type, actor_id, actor_name, act, subject, request_id, address,
    previous_hash, hash)
  select ${orgId}, entry.* from unnest(
    ${rows.map((row) => row.sequence)}::bigint[], ${rows.map((row) => row.at)}::timestamptz[],
    ${rows.map((row) => row.actor_type)}::text[], ${rows.map((row) => row.actor_id)}::text[],
    ${rows.map((row) => row.actor_name)}::text[], ${rows.map((row) => row.act)}::text[],
    ${rows.map((row) => row.subject)}::text[], ${rows.map((row) => row.request_id)}::text[],
    ${rows.map((row) => row.address)}::text[], ${rows.map((row) => row.previous_hash)}::text[],
    ${rows.map((row) => row.hash)}::text[]) as entry`

export type AuditFilter = {
  actorId?: string
  act?: string
  subject?: string
  since?: Date
  until?: Date
  /** Exclusive. */
  before?: Pick<AuditRow, 'at' | 'sequence'>
  limit: number
}

/**
 * Newest first, by the time of each entry: the clocks of several servers may differ, so that is not quite the order of the
 * chain. Every filter has an index that goes on with the time, hence a page is one stretch of one index, wherever it lies.
 */
export const listAuditEntries = (queries: Queries, orgId: OrgId, filter: AuditFilter) => {
  const { part } = queries
  const { actorId, act, subject, since, until, before } = filter
  return queries.many<AuditRow>`
    select ${columns(queries)} from audit_entries where org_id = ${orgId}
      ${before === undefined ? part`` : part`and (at, sequence) < (${before.at}, ${before.sequence})`}
      ${actorId === undefined ? part`` : part`and actor_id = ${actorId}`}
      ${act === undefined ? part`` : part`and act = ${act}`}
      ${subject === undefined ? part`` : part`and subject = ${subject}`}
      ${since === undefined ? part`` : part`and at >= ${since}`}
      ${until === undefined ? part`` : part`and at < ${until}`}
    order by at desc, sequence desc limit ${filter.limit}`
}

export const findAuditEntry = (queries: Queries, orgId: OrgId, sequence: number) => queries.maybeOne<AuditRow>`
  select ${columns(queries)} from audit_entries where org_id = ${orgId} and sequence = ${sequence}`

/** 0 before the first. */
export const findLastSequence = async (queries: Queries, orgId: OrgId) =>
  (
    await queries.one<{ sequence: number }>`
      select coalesce(max(sequence), 0) as sequence from audit_entries where org_id = ${orgId}`
  ).sequence

/** Oldest first, step by step. */
export const listAuditEntriesAfter = (
  queries: Queries,
  orgId: OrgId,
  { after, limit }: { after: number; limit: number },
) => queries.many<AuditRow>`
  select ${columns(queries)} from audit_entries where org_id = ${orgId} and sequence > ${after}
  order by sequence limit ${limit}`
