import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'

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
