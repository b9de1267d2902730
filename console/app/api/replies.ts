import { queryOptions } from '@tanstack/react-query'
import type * as Sdk from '../../../sdk/src/generated/types.ts'
import { call } from './client.ts'
import type { Closed } from './generated.ts'

export type SavedReply = Closed<Sdk.SavedReply>

export const REPLIES_KEY = ['saved-replies'] as const

/** The first hundred, or those that contain what is typed. */
export const savedRepliesQuery = (q: string) =>
  queryOptions({
    queryKey: [...REPLIES_KEY, q],
    queryFn: ({ signal }) =>
      call('GET /api/proxy/saved-replies', { query: { limit: 100, ...(q !== '' && { q }) }, signal }),
    staleTime: 30_000,
  })

export const createSavedReply = (body: Sdk.NewSavedReply, idempotencyKey: string) =>
  call('POST /api/proxy/saved-replies', { body, idempotencyKey })
export const updateSavedReply = (id: string, body: Sdk.SavedReplyChange) =>
  call('PATCH /api/proxy/saved-replies/{id}', { params: { id }, body })
export const deleteSavedReply = (id: string) => call('DELETE /api/proxy/saved-replies/{id}', { params: { id } })
