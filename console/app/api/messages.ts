import { queryOptions } from '@tanstack/react-query'
import { consoleApi, publicApi } from './client.ts'
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
export type Referral = Texts<'source_type' | 'source_id' | 'source_url' | 'headline' | 'body'>
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
  unsupported: { type: string; detail?: string; provider_code?: string } | null
  reply_to: string | null
  referral: Referral | null
  forwarded: boolean
  frequently_forwarded: boolean
  referred_product: Texts<'catalog_id' | 'product_retailer_id'> | null
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

/** Not what only ever arrives, nor what is no longer whole. */
export function canBeSentAgain({ type, body, media, template, location, contacts, interactive, reaction }: Message) {
  const contents = { text: body, template, location, contacts, interactive, reaction: reaction?.message_id ?? null }
  if (isMediaKind(type)) return media !== null
  return type in contents && contents[type as keyof typeof contents] !== null
}

const isMediaKind = (type: Message['type']): type is MediaKind =>
  ['image', 'video', 'document', 'audio', 'sticker'].includes(type)

export const sendMessage = (message: NewMessage, key?: string) => publicApi.post<Message>('/messages', message, key)
/** With all that it carried, also what is not shown here. The one that failed stays where it is. */
export const sendAgain = (id: string, key: string) => consoleApi.post<Message>(`/messages/${id}/again`, {}, key)
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
