import { defineEvent } from '../../events/events.ts'
import { Note, noteExample } from './notes.schemas.ts'

export const noteEvents = {
  created: defineEvent({
    name: 'note.created',
    description: 'The team added a note about a customer. It was not sent to the customer.',
    data: Note,
    example: noteExample,
  }),
  deleted: defineEvent({
    name: 'note.deleted',
    description: 'A note about a customer was deleted.',
    data: Note,
    example: noteExample,
  }),
}
