import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { fromHome, homeOrg } from '../../platform/database/organization-filter.ts'

export type AuditActorType = 'user' | 'key' | 'agent' | 'command'

/** The entry as the act stores it. The database numbers it. */
export type AuthenticatedEntry = {
  org_id: OrgId
  at: Date
  actor_type: AuditActorType
  actor_id: string
  actor_name: string | null
  act: string
  subject: string | null
  request_id: string | null
  address: string | null
  /** JSON of `AuditChange[]`; null where nothing was edited. */
  changes: string | null
  /** Null on entries that were chained by version 0.1. */
  mac: string | null
}

export type AuditRow = AuthenticatedEntry & {
  sequence: number
  /** Both are null until the entry is linked. */
  previous_hash: string | null
  hash: string | null
}

const columns = (queries: Queries) => queries.part`
  org_id, sequence, at, actor_type, actor_id, actor_name, act, subject, request_id, address, changes, mac, previous_hash, hash`

export type AuditHead = {
  /** Of the newest entry. */
  last_sequence: number
  /** Of the newest entry that is in the chain, with its hash. */
  linked_sequence: number
  linked_hash: string
}

export const EMPTY_HEAD: AuditHead = { last_sequence: 0, linked_sequence: 0, linked_hash: '' }

export const findAuditHead = (queries: Queries, orgId: OrgId) => queries.maybeOne<AuditHead>`
  select last_sequence, linked_sequence, linked_hash from audit_heads where org_id = ${orgId}`

/** Numbers and entries in one statement: the head is locked for no longer than this statement and the commit. */
export const insertAuditEntries = (queries: Queries, orgId: OrgId, rows: readonly AuthenticatedEntry[]) => queries.run`
  with head as (
    insert into audit_heads as head (org_id, last_sequence, linked_hash, has_unlinked)
    values (${orgId}, ${rows.length}, '', true)
    on conflict (org_id) do update set last_sequence = head.last_sequence + ${rows.length}, has_unlinked = true
    returning last_sequence - ${rows.length} as already),
  entries as (
  insert into audit_entries (org_id, sequence, at, actor_type, actor_id, actor_name, act, subject, request_id, address, changes, mac)
  select ${homeOrg(queries, orgId)}, head.already + entry.position, entry.at, entry.actor_type, entry.actor_id, entry.actor_name, entry.act,
    entry.subject, entry.request_id, entry.address, entry.changes, entry.mac
  from ${fromHome(queries, orgId)} head, unnest(
    ${rows.map((row) => row.at)}::timestamptz[],
    ${rows.map((row) => row.actor_type)}::text[], ${rows.map((row) => row.actor_id)}::text[],
    ${rows.map((row) => row.actor_name)}::text[], ${rows.map((row) => row.act)}::text[],
    ${rows.map((row) => row.subject)}::text[], ${rows.map((row) => row.request_id)}::text[],
    ${rows.map((row) => row.address)}::text[], ${rows.map((row) => row.changes)}::text[],
    ${rows.map((row) => row.mac)}::text[]
  ) with ordinality as entry (at, actor_type, actor_id, actor_name, act, subject, request_id, address, changes, mac, position))
  select already from head`

/** The first half of advisory locks on the audit log of an organization, which is the other half. */
const LINKER_LOCK = 7_310_044
const ENTER_ONCE_LOCK = 7_310_045

/** Serializes transactions that look for an entry before they add it, until the transaction ends. */
export const lockEnteringOnce = (tx: Tx, orgId: OrgId) =>
  tx.run`select pg_advisory_xact_lock(${ENTER_ONCE_LOCK}, hashtext(${orgId}))`

/**
 * False when another process links this log. The transaction need not wait for the disk: links that a crash loses are computed again,
 * and come out the same.
 */
export const lockLinker = async (tx: Tx, orgId: OrgId): Promise<boolean> =>
  (
    await tx.one<{ is_locked: boolean }>`
      select pg_try_advisory_xact_lock(${LINKER_LOCK}, hashtext(${orgId})) as is_locked
      from set_config('synchronous_commit', 'off', true)`
  ).is_locked

export type UnlinkedRow = AuditRow & { is_copy: boolean }

/** Oldest first. A copy is an entry that was in the log before: its mac is right, its place is not. */
export const listUnlinked = (tx: Tx, orgId: OrgId, limit: number) => tx.many<UnlinkedRow>`
  select ${columns(tx)}, exists (
    select from audit_entries known
    where known.org_id = ${orgId} and known.at = entry.at and known.sequence < entry.sequence and known.mac = entry.mac
  ) as is_copy
  from audit_entries entry
  where org_id = ${orgId} and sequence > (select linked_sequence from audit_heads where org_id = ${orgId})
  order by sequence limit ${limit}`

export type Link = { sequence: number; previous_hash: string; hash: string }

export const saveLinks = (tx: Tx, orgId: OrgId, links: readonly Link[]) => tx.run`
  update audit_entries set previous_hash = link.previous_hash, hash = link.hash
  from unnest(${links.map((link) => link.sequence)}::bigint[], ${links.map((link) => link.previous_hash)}::text[],
    ${links.map((link) => link.hash)}::text[]) as link(sequence, previous_hash, hash)
  where audit_entries.org_id = ${orgId} and audit_entries.sequence = link.sequence`

/** Entries with their new macs, unlinked. */
export const saveMacs = (tx: Tx, orgId: OrgId, macs: readonly { sequence: number; mac: string }[]) => tx.run`
  update audit_entries set mac = entry.mac, previous_hash = null, hash = null
  from unnest(${macs.map(({ sequence }) => sequence)}::bigint[], ${macs.map(({ mac }) => mac)}::text[]) as entry(sequence, mac)
  where audit_entries.org_id = ${orgId} and audit_entries.sequence = entry.sequence`

export const unlinkLog = (tx: Tx, orgId: OrgId) => tx.run`
  update audit_heads set linked_sequence = 0, linked_hash = '', has_unlinked = last_sequence > 0 where org_id = ${orgId}`

export const moveLinkedHead = (
  tx: Tx,
  orgId: OrgId,
  { linked_sequence, linked_hash }: Pick<AuditHead, 'linked_sequence' | 'linked_hash'>,
) => tx.run`
  update audit_heads set linked_sequence = ${linked_sequence}, linked_hash = ${linked_hash},
    has_unlinked = last_sequence > ${linked_sequence}
  where org_id = ${orgId}`

export const listUnlinkedLogs = (queries: Queries, { after, limit }: { after: string; limit: number }) =>
  queries.many<{ org_id: OrgId }>`
    select org_id from audit_heads where has_unlinked and org_id > ${after} order by org_id limit ${limit}`

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

export type CheckpointRow = { org_id: OrgId; sequence: number; hash: string; at: Date; signature: string }

export const findCheckpoint = (queries: Queries, orgId: OrgId) => queries.maybeOne<CheckpointRow>`
  select org_id, sequence, hash, at, signature from audit_checkpoints where org_id = ${orgId}`

/** Never replaces a checkpoint by one that covers less. */
export const saveCheckpoint = (queries: Queries, orgId: OrgId, { sequence, hash, at, signature }: CheckpointRow) =>
  queries.run`
  insert into audit_checkpoints as known (org_id, sequence, hash, at, signature)
  values (${orgId}, ${sequence}, ${hash}, ${at}, ${signature})
  on conflict (org_id) do update set
    sequence = excluded.sequence, hash = excluded.hash, at = excluded.at, signature = excluded.signature
  where known.sequence < excluded.sequence`

export type UncoveredLog = { org_id: OrgId; linked_sequence: number; linked_hash: string }

/** Logs of all organizations that are longer than their checkpoint says, or shorter. */
export const listUncoveredLogs = (queries: Queries, { after, limit }: { after: string; limit: number }) =>
  queries.many<UncoveredLog>`
  select org_id, coalesce(head.linked_sequence, 0) as linked_sequence, coalesce(head.linked_hash, '') as linked_hash
  from audit_heads head full join audit_checkpoints using (org_id)
  where org_id > ${after} and coalesce(head.linked_sequence, 0) <> coalesce(audit_checkpoints.sequence, 0)
  order by org_id limit ${limit}`
