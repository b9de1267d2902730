import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'

export type SavedReplyRow = {
  org_id: OrgId
  id: Id<'srp'>
  shortcut: string
  body: string
  created_at: Date
  updated_at: Date
}

const columns = (queries: Pick<Queries, 'part'>) => queries.part`org_id, id, shortcut, body, created_at, updated_at`

const LOCK_SPACE = 7_314

/** Waits for other edits of saved replies, so that a shortcut that is free stays free. */
export const lockSavedReplies = (tx: Tx, orgId: OrgId) =>
  tx.run`select pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${orgId}))`

export const findSavedReply = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<SavedReplyRow>`
  select ${columns(queries)} from saved_replies where org_id = ${orgId} and id = ${id}`

export const findByShortcut = (queries: Queries, orgId: OrgId, shortcut: string) => queries.maybeOne<SavedReplyRow>`
  select ${columns(queries)} from saved_replies where org_id = ${orgId} and shortcut = ${shortcut}`

export const insertSavedReply = (tx: Tx, orgId: OrgId, row: SavedReplyRow) => tx.run`
  insert into saved_replies (org_id, id, shortcut, body, created_at, updated_at)
  values (${orgId}, ${row.id}, ${row.shortcut}, ${row.body}, ${row.created_at}, ${row.updated_at})`

export const saveSavedReply = (tx: Tx, orgId: OrgId, row: SavedReplyRow) => tx.run`
  update saved_replies set shortcut = ${row.shortcut}, body = ${row.body}, updated_at = ${row.updated_at}
  where org_id = ${orgId} and id = ${row.id}`

export const deleteSavedReply = (tx: Tx, orgId: OrgId, id: string) => tx.run`
  delete from saved_replies where org_id = ${orgId} and id = ${id}`

export type SavedReplyFilter = { search: string | null; after: string | null; limit: number }

const escapePattern = (text: string) => text.toLowerCase().replaceAll(/[\\%_]/g, (character) => `\\${character}`)

/** By shortcut. A search reads all of the organization, which are few. */
export function listSavedReplies(queries: Queries, orgId: OrgId, { search, after, limit }: SavedReplyFilter) {
  const { part } = queries
  const pattern = search === null ? null : `%${escapePattern(search.trim())}%`
  return queries.many<SavedReplyRow>`
    select ${columns(queries)} from saved_replies
    where org_id = ${orgId}
      ${after === null ? part`` : part`and shortcut > ${after}`}
      ${pattern === null ? part`` : part`and (shortcut like ${pattern} or lower(body) like ${pattern})`}
    order by shortcut limit ${limit}`
}
