import { type Initiator, recordEvents } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import { type ContactRow, findContactById, lockPersons } from '../contacts/contacts.ts'
import { contactNotFound, noteNotFound } from '../messaging.errors.ts'
import { noteEvents } from './notes.events.ts'
import type { NoteView } from './notes.schemas.ts'
import { deleteNoteRow, insertNote, type NoteRow } from './notes.sql.ts'

/** Notes of the team about a customer: in all chats of the customer, for the team alone. A merge takes them along. */
export const presentNote = ({ id, contact_id, body, author, created_at }: NoteRow): NoteView => ({
  object: 'note',
  id,
  contact_id,
  body,
  author,
  created_at: created_at.toISOString(),
})

export async function getNotedContact(queries: Queries, orgId: OrgId, id: string): Promise<ContactRow> {
  const contact = await findContactById(queries, orgId, id)
  if (contact === null) throw contactNotFound({ params: { id } })
  return contact
}

type Change = { contactId: string; initiator: Initiator }

export async function createNote(
  clock: Clock,
  tx: Tx,
  orgId: OrgId,
  { contactId, body, author, initiator }: Change & { body: string; author: NoteView['author'] },
): Promise<NoteRow> {
  const contact = await lockContact(tx, orgId, contactId)
  const now = new Date(clock.now())
  const row = { org_id: orgId, id: newId('nte', now.getTime()), contact_id: contact, body, author, created_at: now }
  await insertNote(tx, orgId, row)
  await recordEvents(
    tx,
    orgId,
    [{ type: noteEvents.created, subject: contact, data: presentNote(row), ...initiator }],
    now.getTime(),
  )
  return row
}

export async function deleteNote(
  clock: Clock,
  tx: Tx,
  orgId: OrgId,
  { contactId, id, initiator }: Change & { id: string },
): Promise<void> {
  const contact = await lockContact(tx, orgId, contactId)
  const row = await deleteNoteRow(tx, orgId, { id, contactId: contact })
  if (row === null) throw noteNotFound({ params: { id } })
  const data = presentNote(row)
  await recordEvents(tx, orgId, [{ type: noteEvents.deleted, subject: contact, data, ...initiator }], clock.now())
}

export { moveNotes } from './notes.sql.ts'

/** The contact is not merged before the note is stored. */
async function lockContact(tx: Tx, orgId: OrgId, id: string): Promise<Id<'con'>> {
  const [contact] = await lockPersons(tx, orgId, [id as Id<'con'>])
  if (contact === undefined) throw contactNotFound({ params: { id } })
  return contact.id
}
