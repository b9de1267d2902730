import { z } from 'zod'
import { initiatorOf } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineChange, defineRoute, key } from '../../platform/http/define-route.ts'
import { cursorParameter, idSchema, limitParameter } from '../../platform/http/schemas.ts'
import { contactNotFound, noteNotFound } from '../messaging.errors.ts'
import { NewNote, Note, type NoteView, noteExample } from './notes.schemas.ts'
import { listNotes } from './notes.sql.ts'
import { createNote, deleteNote, getNotedContact, presentNote } from './notes.ts'

const TAG = 'Contacts'
const params = z.object({ id: idSchema('con') })
const paramsExample = { id: noteExample.contact_id }

export const noteRoutes = ({ database, clock }: { database: Database; clock: Clock }) => [
  defineList({
    id: 'listContactNotes',
    path: '/contacts/{id}/notes',
    tag: TAG,
    summary: 'List notes about a customer',
    description: 'Notes of the team, newest first. Customers never see them.',
    access: key('chats:read'),
    params,
    query: z.strictObject({ limit: limitParameter, cursor: cursorParameter }),
    item: Note,
    errors: [contactNotFound],
    example: { params: paramsExample, items: [noteExample] },
    list: 'contact_notes',
    sort: '-id',
    scopeOf: ({ caller, params: { id } }) => ({ orgId: caller.orgId, id }),
    async read({ caller: { orgId }, params: { id }, limit, position }) {
      const contact = await getNotedContact(database, orgId, id)
      const before = position === null ? null : String(position[0])
      return listNotes(database, orgId, { contactId: contact.id, before, limit })
    },
    place: placeById,
    present: (rows) => rows.map(presentNote),
  }),
  defineRoute({
    id: 'createContactNote',
    method: 'POST',
    path: '/contacts/{id}/notes',
    tag: TAG,
    summary: 'Add a note about a customer',
    description: 'The note appears in the chats of the customer, for the team alone. It is never sent.',
    access: key('chats:write'),
    idempotency: 'transaction',
    params,
    body: NewNote,
    reply: { status: 201, body: Note },
    errors: [contactNotFound],
    example: { params: paramsExample, body: { body: noteExample.body }, reply: noteExample },
    async handle({ tx, params: { id }, body: { body }, ...request }) {
      const { type, id: callerId, name = null, displayName = name, orgId } = request.caller
      const author = { type: type as NoteView['author']['type'], id: callerId, name: displayName }
      const note = { contactId: id, body, author, initiator: initiatorOf(request) }
      return presentNote(await createNote(clock, tx, orgId, note))
    },
  }),
  defineChange({
    id: 'deleteContactNote',
    method: 'DELETE',
    path: '/contacts/{id}/notes/{note_id}',
    tag: TAG,
    summary: 'Delete a note',
    description: 'Deletes the note for good.',
    access: key('chats:write'),
    params: z.object({ id: idSchema('con'), note_id: idSchema('nte') }),
    reply: { status: 204, body: null },
    errors: [contactNotFound, noteNotFound],
    example: { params: { ...paramsExample, note_id: noteExample.id }, reply: null },
    async handle({ tx, params: { id, note_id }, ...request }) {
      await deleteNote(clock, tx, request.caller.orgId, { contactId: id, id: note_id, initiator: initiatorOf(request) })
      return undefined
    },
  }),
]
