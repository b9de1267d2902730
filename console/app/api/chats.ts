import { queryOptions } from '@tanstack/react-query'
import { consoleApi, type List, publicApi } from './client.ts'
import type { Message } from './messages.ts'

export type ContactIdentity = { type: 'phone' | 'user_id' | 'username'; value: string }
export type ChatContact = { id: string; name: string | null; phone: string | null; identities: ContactIdentity[] }
export type OpenOrder = {
  id: string
  number: string
  total: number | null
  payment_status: string
  expires_at: string | null
}
export type Chat = {
  id: string
  contact: ChatContact
  number: { id: string; phone_number_id: string; display_phone: string }
  status: 'open' | 'closed'
  unread_count: number
  labels: string[]
  assignee: string | null
  last_message: {
    id: string
    direction: 'inbound' | 'outbound'
    type: Message['type']
    preview: string
    status: Message['status']
    at: string
  } | null
  reply_window: { state: 'open' | 'closed' | 'unlimited'; closes_at: string | null }
  open_order: OpenOrder | null
  last_activity_at: string
  created_at: string
}
export type ChatPage = Chat & { messages: List<Message> }
export type ChatChange = { labels?: string[]; assignee?: string | null; status?: 'open' | 'closed' }

/** Since when marketing messages from which of our numbers are stopped. */
export type MarketingOptOut = { number_id: string; at: string }
export const contactQuery = (id: string) =>
  queryOptions({
    queryKey: ['contact', id],
    queryFn: ({ signal }) => publicApi.get<{ marketing_opt_outs: MarketingOptOut[] }>(`/contacts/${id}`, {}, signal),
  })

type ThreadQuery = { limit?: number; cursor?: string | undefined; number?: string }
export const getChat = (id: string, query: ThreadQuery, signal?: AbortSignal) =>
  publicApi.get<ChatPage>(`/chats/${encodeURIComponent(id)}`, query, signal)
export const changeChat = (id: string, change: ChatChange) => publicApi.patch<Chat>(`/chats/${id}`, change)
export const markChatRead = (id: string) => publicApi.post<Chat>(`/chats/${id}/read`)

/** What the customer is called: by the name they gave, else by what the network tells of them. */
export const nameOf = ({ name, phone, identities }: ChatContact): string =>
  name ?? phone ?? (identities.find(({ type }) => type === 'username') ?? identities[0])?.value ?? '—'

export const identityOf = (contact: ChatContact, type: ContactIdentity['type']) =>
  contact.identities.find((identity) => identity.type === type)?.value ?? null

export type ChannelTemplate = {
  name: string
  language: string
  status: string
  category: string
  components: Record<string, unknown>[]
}
export type TemplateList = { ok: boolean; failure: { code: string; detail: string } | null; data: ChannelTemplate[] }

export const templatesQuery = (numberId: string) =>
  queryOptions({
    queryKey: ['templates', numberId],
    queryFn: ({ signal }) => consoleApi.get<TemplateList>(`/numbers/${numberId}/templates`, {}, signal),
    staleTime: 60_000,
  })

export const labelsQuery = queryOptions({
  queryKey: ['labels'],
  queryFn: ({ signal }) => consoleApi.get<{ data: string[]; is_cut: boolean }>('/labels', {}, signal),
  staleTime: 30_000,
})
