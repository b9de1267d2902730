import { queryOptions } from '@tanstack/react-query'
import type * as Sdk from '../../../sdk/src/generated/types.ts'
import { call } from './client.ts'
import type { ChannelTemplates, Closed } from './generated.ts'

export type Chat = Closed<Sdk.Chat>
export type ChatPage = Closed<Sdk.ChatWithMessages>
export type { ChatChange, MarketingOptOut } from '../../../sdk/src/generated/types.ts'

type ChatContact = Chat['contact']
type IdentityType = ChatContact['identities'][number]['type']

export const contactQuery = (id: string) =>
  queryOptions({
    queryKey: ['contact', id],
    queryFn: ({ signal }) => call('GET /api/proxy/contacts/{id}', { params: { id }, signal }),
  })

export const getChat = (id: string, query: Sdk.GetChatQuery, signal?: AbortSignal) =>
  call('GET /api/proxy/chats/{phone}', { params: { phone: id }, query, signal })
export const changeChat = (id: string, body: Sdk.ChatChange) =>
  call('PATCH /api/proxy/chats/{phone}', { params: { phone: id }, body })
export const markChatRead = (id: string) => call('POST /api/proxy/chats/{phone}/read', { params: { phone: id } })

/** The name of the customer; without one, what the network reports about them. */
export const nameOf = ({ name, phone, identities }: ChatContact): string =>
  name ?? phone ?? (identities.find(({ type }) => type === 'username') ?? identities[0])?.value ?? '—'

export const identityOf = (contact: ChatContact, type: IdentityType) =>
  contact.identities.find((identity) => identity.type === type)?.value ?? null

export type ChannelTemplate = ChannelTemplates['data'][number]

export const templatesQuery = (numberId: string) =>
  queryOptions({
    queryKey: ['templates', numberId],
    queryFn: ({ signal }) => call('GET /api/console/numbers/{id}/templates', { params: { id: numberId }, signal }),
    staleTime: 60_000,
  })

export const labelsQuery = queryOptions({
  queryKey: ['labels'],
  queryFn: ({ signal }) => call('GET /api/console/labels', { signal }),
  staleTime: 30_000,
})
