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
