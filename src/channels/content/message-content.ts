/**
 * What a message carries, in the one form that the API, the chats and every connector share. Where WhatsApp has a shape of
 * its own that integrators already write (templates, interactive messages, contact cards), it is taken over as it is, so
 * that nothing has to be translated twice. What a channel allows of it (lengths, counts, file types) is stated in
 * content-limits.ts.
 */
export type MessageContent =
  | { type: 'text'; body: string; preview_url?: boolean }
  | { type: 'image' | 'video' | 'audio' | 'document' | 'sticker'; body?: string; media: MediaReference }
  | { type: 'location'; location: LocationContent }
  | { type: 'contacts'; contacts: ContactCard[] }
  | { type: 'interactive'; body?: string; interactive: InteractiveContent }
  | { type: 'template'; body?: string; template: TemplateContent }
  | { type: 'reaction'; reaction: ReactionContent }
  /** Inbound only: a catalogue cart that the customer sent. */
  | { type: 'order'; body?: string; order: CartContent }
  /** Inbound only: something the network says about the customer ("changed their number"). */
  | { type: 'system'; body?: string; system: { type: string; [member: string]: unknown } }
  /** Inbound only: an unknown kind. Its raw form stays in the journal and on the message. */
  | { type: 'unsupported'; body?: string; unsupported: UnsupportedContent }

export type MessageType = MessageContent['type']
export type MediaType = 'image' | 'video' | 'audio' | 'document' | 'sticker'

export const MEDIA_TYPES = ['image', 'video', 'audio', 'document', 'sticker'] as const satisfies readonly MediaType[]

export const isMediaType = (name: string): name is MediaType => MEDIA_TYPES.some((type) => type === name)

/** Exactly one of `id` (uploaded to or received by us) and `link` (fetched by the channel) in what is sent. */
export type MediaReference = {
  id?: string
  link?: string
  filename?: string
  /** An audio file that is shown as a voice note. */
  voice?: boolean
  animated?: boolean
  mime_type?: string
  /** Hexadecimal. */
  sha256?: string
  bytes?: number
}

export type LocationContent = { latitude: number; longitude: number; name?: string; address?: string; url?: string }

export type ContactCard = {
  name: {
    formatted_name: string
    first_name?: string
    last_name?: string
    middle_name?: string
    prefix?: string
    suffix?: string
  }
  phones?: { phone?: string; type?: string; wa_id?: string }[]
  emails?: { email?: string; type?: string }[]
  addresses?: {
    street?: string
    city?: string
    state?: string
    zip?: string
    country?: string
    country_code?: string
    type?: string
  }[]
  org?: { company?: string; department?: string; title?: string }
  urls?: { url?: string; type?: string }[]
  birthday?: string
  /** Inbound only: the same as a file. */
  vcard?: string
  /** Inbound only: what made the customer share it, in the network's word. */
  origin?: string
}

/** Outbound: a frame of header, body, footer and action. Inbound: the reply that was chosen, under its own name. */
export type InteractiveContent = {
  type: string
  header?: Record<string, unknown>
  body?: { text: string }
  footer?: { text: string }
  action?: Record<string, unknown>
  button_reply?: { id: string; title: string }
  list_reply?: { id: string; title: string; description?: string }
  nfm_reply?: { name?: string; body?: string; response_json: string }
  [member: string]: unknown
}

export type TemplateContent = {
  name: string
  language: { code: string; policy?: string }
  components?: TemplateComponent[]
}

export type TemplateComponent = {
  type: string
  sub_type?: string
  index?: string
  parameters?: Record<string, unknown>[]
  cards?: Record<string, unknown>[]
  [member: string]: unknown
}

/** `provider_code` is the network's own code for what is wrong with it, such as 131051. */
export type UnsupportedContent = { type: string; detail?: string; provider_code?: string }

/** `message_id` is ours; the connector is handed the provider's id of the same message beside it. An empty emoji removes. */
export type ReactionContent = { message_id: string | null; emoji: string }

export type CartContent = {
  catalog_id?: string
  text?: string
  product_items: { product_retailer_id: string; quantity: number; item_price: number; currency: string }[]
}
