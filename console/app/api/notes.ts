import { queryOptions } from '@tanstack/react-query'
import type * as Sdk from '../../../sdk/src/generated/types.ts'
import { call } from './client.ts'
import type { Closed } from './generated.ts'

export type Note = Closed<Sdk.Note>

/** The latest hundred notes about a customer, newest first. */
export const notesQuery = (contactId: string) =>
  queryOptions({
    queryKey: ['notes', contactId],
    queryFn: ({ signal }) =>
      call('GET /api/proxy/contacts/{id}/notes', { params: { id: contactId }, query: { limit: 100 }, signal }),
    staleTime: 30_000,
  })

export const createNote = (contactId: string, body: string, idempotencyKey: string) =>
  call('POST /api/proxy/contacts/{id}/notes', { params: { id: contactId }, body: { body }, idempotencyKey })
export const deleteNote = ({ contact_id, id }: Note) =>
  call('DELETE /api/proxy/contacts/{id}/notes/{note_id}', { params: { id: contact_id, note_id: id } })

export const renameContact = (id: string, name: string | null) =>
  call('PATCH /api/proxy/contacts/{id}', { params: { id }, body: { name } })
