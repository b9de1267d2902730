import { z } from 'zod'
import { ADDRESS_MAX, ID_MAX, TEXT_MAX, WORD_MAX } from './message-origin.ts'

/** How a message came to be, as answers and events show it. */
const text = (maxLength: number) => z.string().meta({ pattern: '^[^\\u0000]*$', maxLength })
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
