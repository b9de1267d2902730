import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'

export type MediaSource = 'upload' | 'inbound' | 'system'
export type MediaState = 'pending' | 'stored' | 'failed'

export type MediaRow = {
  org_id: OrgId
  id: Id<'med'>
  number_id: Id<'num'> | null
  source: MediaSource
  state: MediaState
  mime_type: string
  filename: string | null
  bytes: number | null
  sha256: string | null
  storage_key: string | null
  provider_media_id: string | null
  problem: string | null
  created_at: Date
  stored_at: Date | null
}

const columns = (queries: Queries) => queries.part`
  org_id, id, number_id, source, state, mime_type, filename, bytes, sha256, storage_key, provider_media_id, problem,
  created_at, stored_at`

export const insertMedia = (queries: Queries, orgId: OrgId, row: Omit<MediaRow, 'org_id'>) => queries.one<MediaRow>`
  insert into media (org_id, id, number_id, source, state, mime_type, filename, bytes, sha256, storage_key,
    provider_media_id, problem, created_at, stored_at)
  values (${orgId}, ${row.id}, ${row.number_id}, ${row.source}, ${row.state}, ${row.mime_type}, ${row.filename},
    ${row.bytes}, ${row.sha256}, ${row.storage_key}, ${row.provider_media_id}, ${row.problem}, ${row.created_at},
    ${row.stored_at})
  returning ${columns(queries)}`

export const findMedia = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<MediaRow>`
  select ${columns(queries)} from media where org_id = ${orgId} and id = ${id}`

export const lockMedia = (tx: Tx, orgId: OrgId, id: string) => tx.maybeOne<MediaRow>`
  select ${columns(tx)} from media where org_id = ${orgId} and id = ${id} for update`

export const listMediaById = (queries: Queries, orgId: OrgId, ids: string[]) => queries.many<MediaRow>`
  select ${columns(queries)} from media where org_id = ${orgId} and id = any(${ids})`

export type StoredFile = { id: string; mimeType: string; bytes: number; sha256: string; storageKey: string }

/** The state in the where clause: a file that was deleted meanwhile stays deleted. */
export const markMediaStored = (queries: Queries, orgId: OrgId, file: StoredFile & { now: Date }) => queries.run`
  update media
  set state = 'stored', mime_type = ${file.mimeType}, bytes = ${file.bytes}, sha256 = ${file.sha256},
      storage_key = ${file.storageKey}, problem = null, stored_at = ${file.now}
  where org_id = ${orgId} and id = ${file.id} and state <> 'stored'`

export const markMediaFailed = (queries: Queries, orgId: OrgId, { id, problem }: { id: string; problem: string }) =>
  queries.run`
    update media set state = 'failed', problem = ${problem}
    where org_id = ${orgId} and id = ${id} and state = 'pending'`

export const deleteMedia = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<MediaRow>`
  delete from media where org_id = ${orgId} and id = ${id} returning ${columns(queries)}`
