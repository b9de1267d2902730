import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { NoteView } from './notes.schemas.ts'

export type NoteRow = {
  org_id: OrgId
  id: Id<'nte'>
  contact_id: Id<'con'>
  body: string
  author: NoteView['author']
  created_at: Date
}

const columns = (queries: Pick<Queries, 'part'>) => queries.part`org_id, id, contact_id, body, author, created_at`

export const insertNote = (tx: Tx, orgId: OrgId, row: NoteRow) => tx.run`
  insert into contact_notes (org_id, id, contact_id, body, author, created_at)
  values (${orgId}, ${row.id}, ${row.contact_id}, ${row.body}, ${JSON.stringify(row.author)}::text::jsonb, ${row.created_at})`

export const deleteNoteRow = (tx: Tx, orgId: OrgId, note: { id: string; contactId: string }) => tx.maybeOne<NoteRow>`
  delete from contact_notes where org_id = ${orgId} and id = ${note.id} and contact_id = ${note.contactId}
  returning ${columns(tx)}`

/** Newest first. */
export const listNotes = (
  queries: Queries,
  orgId: OrgId,
  { contactId, before, limit }: { contactId: string; before: string | null; limit: number },
) => queries.many<NoteRow>`
  select ${columns(queries)} from contact_notes
  where org_id = ${orgId} and contact_id = ${contactId}
    ${before === null ? queries.part`` : queries.part`and id < ${before}`}
  order by id desc limit ${limit}`

/** When contacts are merged. */
export const moveNotes = (tx: Tx, orgId: OrgId, { from, to }: { from: readonly string[]; to: string }) => tx.run`
  update contact_notes set contact_id = ${to} where org_id = ${orgId} and contact_id = any(${[...from]}::text[])`
