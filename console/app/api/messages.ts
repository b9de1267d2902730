import { queryOptions } from '@tanstack/react-query'
import { publicApi } from './client.ts'
import type { MediaKind } from './media.ts'

type Texts<Name extends string> = { [Key in Name]?: string }

export type Media = {
  id?: string
  link?: string
  filename?: string
  voice?: boolean
  animated?: boolean
  mime_type?: string
  bytes?: number
}
export type Template = {
  name: string
  language: { code: string }
  components?: Record<string, unknown>[]
}
export type Interactive = Record<string, unknown> & { type: string }
export type ContactCard = {
  name?: Texts<'formatted_name' | 'first_name' | 'last_name'>
  phones?: Texts<'phone' | 'type'>[]
  emails?: Texts<'email' | 'type'>[]
  org?: Texts<'company' | 'department' | 'title'>
}
export type MessageStatus = 'scheduled' | 'queued' | 'sent' | 'failed' | 'delivered' | 'read' | 'received'
export type Message = {
  id: string
  chat_id: string
  direction: 'inbound' | 'outbound'
  type:
    | 'text'
    | 'image'
    | 'audio'
    | 'video'
    | 'document'
    | 'sticker'
    | 'location'
    | 'contacts'
    | 'interactive'
    | 'template'
    | 'reaction'
    | 'order'
    | 'system'
    | 'unsupported'
  body: string | null
  media: Media | null
  template: Template | null
  interactive: Interactive | null
  location: { latitude: number; longitude: number; name?: string; address?: string } | null
  contacts: ContactCard[] | null
  reaction: { message_id: string | null; emoji: string } | null
  order: {
    text?: string
    product_items: { product_retailer_id: string; quantity: number; item_price: number; currency: string }[]
  } | null
  system: (Record<string, unknown> & { type: string }) | null
  unsupported: { type: string; detail?: string } | null
  reply_to: string | null
  order_id: string | null
  sender: { type: 'key' | 'agent' | 'user' | 'contact' | 'system'; id: string | null }
  status: MessageStatus
  error: { code: string; provider_code: string | null; detail: string; retryable: boolean } | null
  status_history: { status: MessageStatus | 'played'; at: string }[]
  send_at: string | null
  created_at: string
}

export type NewMessage = {
  to: string
  from?: string
  reply_to?: string
  send_at?: string
} & (
  | { type?: 'text'; body: string }
  | { type: 'template'; template: Template }
  | { type: MediaKind; media: Pick<Media, 'id' | 'link' | 'filename' | 'voice'>; body?: string }
  | { type: 'location'; location: NonNullable<Message['location']> }
  | { type: 'contacts'; contacts: ContactCard[] }
  | { type: 'interactive'; interactive: Interactive }
  | { type: 'reaction'; reaction: { message_id: string; emoji: string } }
)

/** The same once more, to the same chat. Null for what only ever arrives, and for what is no longer whole. */
export function copyOf(message: Message): NewMessage | null {
  const content = contentOf(message)
  if (content === null) return null
  return { to: message.chat_id, ...content, ...(message.reply_to !== null && { reply_to: message.reply_to }) }
}

function contentOf({ type, body, media, template, location, contacts, interactive, reaction }: Message) {
  switch (type) {
    case 'text':
      return body === null ? null : { body }
    case 'image':
    case 'video':
    case 'document':
    case 'audio':
    case 'sticker':
      return media === null ? null : { type, media: sourceOf(type, media), ...(body !== null && { body }) }
    case 'template':
      return template && { type, template }
    case 'location':
      return location && { type, location }
    case 'contacts':
      return contacts && { type, contacts }
    case 'interactive':
      return interactive && { type, interactive }
    case 'reaction':
      return reaction?.message_id ? { type, reaction: { ...reaction, message_id: reaction.message_id } } : null
    default:
      return null
  }
}

/** What is known of a file by now (its size, its type) is told in answers and not taken in requests. */
const sourceOf = (type: MediaKind, { id, link, filename, voice }: Media) => ({
  ...(id !== undefined && { id }),
  ...(id === undefined && link !== undefined && { link }),
  ...(type === 'document' && filename !== undefined && { filename }),
  ...(type === 'audio' && voice !== undefined && { voice }),
})

export const sendMessage = (message: NewMessage, key?: string) => publicApi.post<Message>('/messages', message, key)
export const cancelMessage = (id: string) => publicApi.remove<void>(`/messages/${id}`)
export const getMessage = (id: string) => publicApi.get<Message>(`/messages/${id}`)

/** A message that is quoted but not on the screen. */
export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: ['message', id],
    queryFn: ({ signal }) => publicApi.get<Message>(`/messages/${id}`, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Where the bytes of a file are, for the person who is signed in. */
export const mediaUrl = (id: string) => `/api/console/media/${encodeURIComponent(id)}`
