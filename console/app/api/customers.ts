import { queryOptions } from '@tanstack/react-query'
import type * as Sdk from '../../../sdk/src/generated/types.ts'
import { call } from './client.ts'
import type { Closed } from './generated.ts'

export type Customer = Closed<Sdk.Contact>

/** As they are typed: by the beginning of the name, or the beginning or end of the phone number. */
export const customersFoundQuery = (q: string) =>
  queryOptions({
    queryKey: ['customers-found', q],
    queryFn: ({ signal }) => call('GET /api/proxy/contacts', { query: { q, limit: 8 }, signal }),
    staleTime: 30_000,
  })

/** The chat in which the customer was active last. */
export const lastChatQuery = (reference: string) =>
  queryOptions({
    queryKey: ['last-chat', reference],
    queryFn: ({ signal }) =>
      call('GET /api/proxy/chats/{phone}', { params: { phone: reference }, query: { limit: 1 }, signal }),
    retry: false,
  })

/** Everything about a customer, for one who asks to be forgotten. */
export const eraseCustomer = (id: string) => call('POST /api/proxy/contacts/{id}/erase', { params: { id } })

const LOOK_AGAIN_MS = 1000

/** Its report, read again until it is complete. */
export const erasureQuery = (id: string) =>
  queryOptions({
    queryKey: ['erasure', id],
    queryFn: ({ signal }) => call('GET /api/proxy/erasures/{id}', { params: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'completed' ? false : LOOK_AGAIN_MS),
  })
