import { z } from 'zod'
import { ADDRESS_MAX, ID_MAX, TEXT_MAX, WORD_MAX } from './message-origin.ts'

/**
 * The contents of messages as answers and events show them. Looser than what requests may give, because much of it comes
 * from outside: a customer's card may hold anything, and an answer must never fail over it. Bounds are therefore stated
 * here but not enforced; what enforces them is the size of an inbound webhook.
 */
const text = (maxLength = 65_536) => z.string().meta({ pattern: '^[^\\u0000]*$', maxLength })
const optionalText = text().optional()
const arrayOf = <Item extends z.ZodType>(item: Item) => z.array(item).meta({ maxItems: 1000 })
const texts = <Name extends string>(...names: Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, optionalText])) as Record<Name, typeof optionalText>)

/** Handed on as it came. */
const anyMembers = z.record(z.string().max(65_536), z.unknown()).meta({ maxProperties: 1000 })
const whole = z.number().meta({ type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const MediaReply = z
  .object({
    id: text(128).optional().meta({ description: 'The file here. `GET /v1/{media_id}` tells where its bytes are.' }),
    link: text(2048).optional().meta({ description: 'Where the channel fetches the file from.' }),
    filename: optionalText,
    voice: z.boolean().optional().meta({ description: 'Shown as a voice note.' }),
    animated: z.boolean().optional().meta({ description: 'A sticker that moves.' }),
    mime_type: text(200).optional(),
    sha256: text(64).optional().meta({ description: 'Hexadecimal.' }),
    bytes: whole.optional(),
  })
  .meta({ id: 'MessageMedia', description: 'The file of a message. Members appear as they become known.' })

const LocationReply = z
  .object({
    latitude: z.number(),
    longitude: z.number(),
    name: optionalText,
    address: optionalText,
    url: optionalText,
  })
  .meta({ id: 'MessageLocation', description: 'A place on the map.' })

const ContactCardReply = z
  .object({
    name: texts('formatted_name', 'first_name', 'last_name', 'middle_name', 'prefix', 'suffix')
      .meta({ id: 'MessageContactName' })
      .optional(),
    phones: arrayOf(texts('phone', 'type', 'wa_id').meta({ id: 'MessageContactPhone' })).optional(),
    emails: arrayOf(texts('email', 'type').meta({ id: 'MessageContactEmail' })).optional(),
    addresses: arrayOf(
      texts('street', 'city', 'state', 'zip', 'country', 'country_code', 'type').meta({ id: 'MessageContactAddress' }),
    ).optional(),
    org: texts('company', 'department', 'title').meta({ id: 'MessageContactOrganization' }).optional(),
    urls: arrayOf(texts('url', 'type').meta({ id: 'MessageContactUrl' })).optional(),
    birthday: optionalText,
    vcard: optionalText.meta({ description: 'The same card as a vCard, where the network sends one.' }),
    origin: text(200).optional().meta({ description: 'What made the customer share it, in the word of the network.' }),
  })
  .meta({ id: 'MessageContactCard', description: 'An entry of an address book.' })

const InteractiveReply = z.looseObject({ type: text(200) }).meta({
  id: 'MessageInteractive',
  maxProperties: 50,
  description: 'What was offered (`header`, `body`, `footer`, `action`), or what was chosen, under its own name.',
})

const TemplateReply = z
  .object({
    name: text(512),
    language: z.object({ code: text(20), policy: text(50).optional() }).meta({ id: 'MessageTemplateLanguage' }),
    components: arrayOf(anyMembers).optional(),
  })
  .meta({ id: 'MessageTemplate', description: 'The template that was sent, and what filled its blanks.' })

const ReactionReply = z
  .object({
    message_id: text(64)
      .nullable()
      .meta({ description: 'The message it is about; null when that message is not known here.' }),
    emoji: text(64).meta({ description: 'Empty when the reaction was taken back.' }),
  })
  .meta({ id: 'MessageReaction', description: 'An emoji on another message.' })

const CartReply = z
  .object({
    catalog_id: optionalText,
    text: optionalText,
    product_items: arrayOf(
      z
        .object({ product_retailer_id: text(), quantity: z.number(), item_price: z.number(), currency: text(10) })
        .meta({ id: 'MessageCartItem' }),
    ),
  })
  .meta({ id: 'MessageCart', description: 'A cart that the customer put together from a catalogue.' })

const SystemReply = z
  .looseObject({ type: text(200) })
  .meta({ id: 'MessageSystemNotice', maxProperties: 50, description: 'What the network says about the customer.' })

const UnsupportedReply = z
  .object({
    type: text(200),
    detail: optionalText,
    provider_code: text(512).optional().meta({ description: 'The code of the network, such as `131051`.' }),
  })
  .meta({ id: 'MessageUnsupported', description: 'A kind of message that is not known here yet.' })

export const messageTypeSchema = z.enum([
  'text',
  'image',
  'audio',
  'video',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'template',
  'reaction',
  'order',
  'system',
  'unsupported',
])

/** The members of a message that tell its content; all are there, null where they do not apply. */
export const contentReplyShape = {
  type: messageTypeSchema,
  body: text().nullable().meta({ description: 'The text, or the caption of a file.' }),
  media: MediaReply.nullable(),
  template: TemplateReply.nullable(),
  interactive: InteractiveReply.nullable(),
  location: LocationReply.nullable(),
  contacts: arrayOf(ContactCardReply).nullable(),
  reaction: ReactionReply.nullable(),
  order: CartReply.nullable(),
  system: SystemReply.nullable(),
  unsupported: UnsupportedReply.nullable(),
}

type ContentReply = z.input<z.ZodObject<typeof contentReplyShape>>

/** A content as the members of an answer, and of nothing else that it may hold: events show what answers show. */
export const contentReply = (content: { type: ContentReply['type'] } & Partial<ContentReply>): ContentReply => ({
  type: content.type,
  body: content.body ?? null,
  media: content.media ?? null,
  template: content.template ?? null,
  interactive: content.interactive ?? null,
  location: content.location ?? null,
  contacts: content.contacts ?? null,
  reaction: content.reaction ?? null,
  order: content.order ?? null,
  system: content.system ?? null,
  unsupported: content.unsupported ?? null,
})

/** How a message came to be, as answers and events show it. */
const optional = (maxLength: number, description: string) => text(maxLength).optional().meta({ description })
const address = (description: string) =>
  z
    .string()
    .optional()
    .meta({ pattern: '^[Hh][Tt]{2}[Pp][Ss]?://[^\\s\\u0000]+$', maxLength: ADDRESS_MAX, description })

const ReferralReply = z
  .object({
    source_type: optional(WORD_MAX, 'What it was: `ad` or `post`.'),
    source_id: optional(ID_MAX, 'The id of the advertisement or post at Meta.'),
    source_url: address('Where it can be seen.'),
    headline: optional(TEXT_MAX, 'Its headline.'),
    body: optional(TEXT_MAX, 'Its text.'),
    media_type: optional(WORD_MAX, 'What it showed: `image` or `video`.'),
    image_url: address('The picture that it showed.'),
    video_url: address('The video that it showed.'),
    thumbnail_url: address('A picture of the video.'),
    ctwa_clid: optional(ID_MAX, 'The id of the click, for reporting a sale back to Meta (Conversions API).'),
    welcome_message: z
      .object({ text: text(TEXT_MAX) })
      .optional()
      .meta({
        id: 'MessageReferralWelcome',
        description: 'What greeted the customer before they wrote.',
      }),
  })
  .meta({
    id: 'MessageReferral',
    description:
      'The advertisement or post that led the customer here. Members that the network did not tell are absent.',
  })

const ReferredProductReply = z
  .object({
    catalog_id: optional(ID_MAX, 'The catalogue at Meta.'),
    product_retailer_id: optional(ID_MAX, 'Your own id of the product (SKU), as in the catalogue.'),
  })
  .meta({ id: 'MessageReferredProduct', description: 'A product of a catalogue.' })

export const originReplyShape = {
  referral: ReferralReply.nullable().meta({
    description: 'The advertisement or post that the customer tapped on before they wrote this.',
  }),
  forwarded: z.boolean().meta({ description: 'Whether the customer forwarded it from another chat.' }),
  frequently_forwarded: z
    .boolean()
    .meta({ description: 'Whether it was forwarded many times before; `forwarded` is true then as well.' }),
  referred_product: ReferredProductReply.nullable().meta({ description: 'The product that the customer asks about.' }),
}
