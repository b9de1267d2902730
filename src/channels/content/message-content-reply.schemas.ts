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
    id: text(128)
      .optional()
      .meta({ description: 'The id of the file. `GET /v1/{media_id}` returns its download URL.' }),
    link: text(2048).optional().meta({ description: 'The URL that the channel downloads the file from.' }),
    filename: optionalText,
    voice: z.boolean().optional().meta({ description: 'Shown as a voice note.' }),
    animated: z.boolean().optional().meta({ description: 'True for an animated sticker.' }),
    mime_type: text(200).optional(),
    sha256: text(64).optional().meta({ description: 'Hexadecimal.' }),
    bytes: whole.optional(),
  })
  .meta({ id: 'MessageMedia', description: 'The file of a message. Fields appear as they become known.' })

const LocationReply = z
  .object({
    latitude: z.number(),
    longitude: z.number(),
    name: optionalText,
    address: optionalText,
    url: optionalText,
  })
  .meta({ id: 'MessageLocation', description: 'A location.' })

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
    vcard: optionalText.meta({ description: 'The same card as a vCard, if the network sends one.' }),
    origin: text(200).optional().meta({ description: 'Why the customer shared it, as the network reports it.' }),
  })
  .meta({ id: 'MessageContactCard', description: 'A contact card.' })

const InteractiveReply = z.looseObject({ type: text(200) }).meta({
  id: 'MessageInteractive',
  maxProperties: 50,
  description: 'What was offered (`header`, `body`, `footer`, `action`), or the customer’s choice under its name.',
})

export const TemplateReply = z
  .object({
    name: text(512),
    language: z.object({ code: text(20), policy: text(50).optional() }).meta({ id: 'MessageTemplateLanguage' }),
    components: arrayOf(anyMembers).optional(),
  })
  .meta({ id: 'MessageTemplate', description: 'The template with its parameters.' })

const ReactionReply = z
  .object({
    message_id: text(64)
      .nullable()
      .meta({ description: 'The message of the reaction; null if that message is unknown.' }),
    emoji: text(64).meta({ description: 'Empty if the reaction was removed.' }),
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
  .meta({ id: 'MessageCart', description: 'A cart that the customer filled from a catalogue.' })

const SystemReply = z
  .looseObject({ type: text(200) })
  .meta({ id: 'MessageSystemNotice', maxProperties: 50, description: 'A notice of the network about the customer.' })

const UnsupportedReply = z
  .object({
    type: text(200),
    detail: optionalText,
    provider_code: text(512).optional().meta({ description: 'The code of the network, such as `131051`.' }),
  })
  .meta({ id: 'MessageUnsupported', description: 'A message type that is not supported yet.' })

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
  body: text().nullable().meta({ description: 'The text or the caption.' }),
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
    source_type: optional(WORD_MAX, 'The source: `ad` or `post`.'),
    source_id: optional(ID_MAX, 'The id of the ad or post at Meta.'),
    source_url: address('The URL of the ad or post.'),
    headline: optional(TEXT_MAX, 'The headline of the ad or post.'),
    body: optional(TEXT_MAX, 'The text of the ad or post.'),
    media_type: optional(WORD_MAX, 'The media: `image` or `video`.'),
    image_url: address('The image of the ad or post.'),
    video_url: address('The video of the ad or post.'),
    thumbnail_url: address('The preview image of the video.'),
    ctwa_clid: optional(ID_MAX, 'The click id, to report a sale to Meta (Conversions API).'),
    welcome_message: z
      .object({ text: text(TEXT_MAX) })
      .optional()
      .meta({
        id: 'MessageReferralWelcome',
        description: 'The welcome message of the ad or post.',
      }),
  })
  .meta({
    id: 'MessageReferral',
    description: 'The ad or post that the customer came from. Fields that the network did not send are absent.',
  })

const ReferredProductReply = z
  .object({
    catalog_id: optional(ID_MAX, 'The catalogue at Meta.'),
    product_retailer_id: optional(ID_MAX, 'Your product id (SKU), as in the catalogue.'),
  })
  .meta({ id: 'MessageReferredProduct', description: 'A product of a catalogue.' })

export const originReplyShape = {
  referral: ReferralReply.nullable().meta({
    description: 'The ad or post that the customer tapped before writing this message.',
  }),
  forwarded: z.boolean().meta({ description: 'Whether the customer forwarded the message from another chat.' }),
  frequently_forwarded: z
    .boolean()
    .meta({ description: 'Whether the message was forwarded many times; `forwarded` is then also true.' }),
  referred_product: ReferredProductReply.nullable().meta({ description: 'The product the customer asks about.' }),
}
