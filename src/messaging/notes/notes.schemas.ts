import { z } from 'zod'
import { idSchema, textSchema, timeSchema, visibleText } from '../../platform/http/schemas.ts'

const BODY_MAX = 4000

export const Note = z
  .object({
    object: z.literal('note'),
    id: idSchema('nte'),
    contact_id: idSchema('con'),
    body: textSchema(BODY_MAX),
    author: z
      .object({ type: z.enum(['key', 'user', 'agent']), id: textSchema(64), name: textSchema(200).nullable() })
      .meta({ id: 'NoteAuthor', description: 'Who wrote the note.' }),
    created_at: timeSchema,
  })
  .meta({ id: 'Note', description: 'A note of the team about a customer. It is never sent.' })

export const NewNote = z
  .strictObject({ body: visibleText(BODY_MAX).meta({ description: 'The text, which only the team sees.' }) })
  .meta({ id: 'NewNote', description: 'A note to add.' })

export type NoteView = z.input<typeof Note>

export const noteExample = {
  object: 'note' as const,
  id: 'nte_01k9x3m5q8e0t9v7a2b4c6d8fg' as const,
  contact_id: 'con_01k9x3m5q8e0t9v7a2b4c6d8fg' as const,
  body: 'Minta diantar setelah jam lima.',
  author: { type: 'user' as const, id: 'usr_01k9x3m5q8e0t9v7a2b4c6d8fg', name: 'Rina' },
  created_at: '2026-11-14T09:30:00.000Z',
}
