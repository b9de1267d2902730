import type { OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'

export type LogoRow = { content_type: string; hash: string; bytes: Buffer; created_at: Date }

export const findLogo = (queries: Queries, orgId: OrgId) => queries.maybeOne<LogoRow>`
  select content_type, hash, bytes, created_at from organization_logos where org_id = ${orgId}`

export const upsertLogo = (tx: Tx, orgId: OrgId, row: LogoRow) => tx.run`
  insert into organization_logos (org_id, content_type, hash, bytes, created_at)
  values (${orgId}, ${row.content_type}, ${row.hash}, ${row.bytes}, ${row.created_at})
  on conflict (org_id) do update set content_type = excluded.content_type, hash = excluded.hash, bytes = excluded.bytes,
    created_at = excluded.created_at`

export const deleteLogo = (tx: Tx, orgId: OrgId) => tx.run`
  delete from organization_logos where org_id = ${orgId}`
