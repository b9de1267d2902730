import { isRecord } from '../../kernel/records.ts'
import { soundText } from '../../kernel/text.ts'

/**
 * How a message of a customer came to be: the advertisement or post that led them here, the product of a catalogue that
 * they ask about, and whether the words are their own or were forwarded. The names are Meta's, as in message-content.ts.
 *
 * What the network tells is kept as it came. Here is read what can be shown of it: texts that are texts, ids that are
 * whole, addresses of the web. Anything else is left out; it never costs the message.
 */
export type MessageOrigin = {
  referral: MessageReferral | null
  forwarded: boolean
  frequently_forwarded: boolean
  referred_product: ReferredProduct | null
}

export type MessageReferral = {
  source_type?: string
  source_id?: string
  source_url?: string
  headline?: string
  body?: string
  media_type?: string
  image_url?: string
  video_url?: string
  thumbnail_url?: string
  ctwa_clid?: string
  welcome_message?: { text: string }
}

export type ReferredProduct = { catalog_id?: string; product_retailer_id?: string }

export const WORD_MAX = 200
export const TEXT_MAX = 65_536
export const ID_MAX = 512
export const ADDRESS_MAX = 4096

export function readReferral(value: unknown): MessageReferral | null {
  const referral = membersOf(value)
  const welcome = textOf(membersOf(referral.welcome_message).text, TEXT_MAX)
  return known<MessageReferral>({
    source_type: textOf(referral.source_type, WORD_MAX),
    source_id: idOf(referral.source_id),
    source_url: addressOf(referral.source_url),
    headline: textOf(referral.headline, TEXT_MAX),
    body: textOf(referral.body, TEXT_MAX),
    media_type: textOf(referral.media_type, WORD_MAX),
    image_url: addressOf(referral.image_url),
    video_url: addressOf(referral.video_url),
    thumbnail_url: addressOf(referral.thumbnail_url),
    ctwa_clid: idOf(referral.ctwa_clid),
    welcome_message: welcome === undefined ? undefined : { text: welcome },
  })
}

export function readReferredProduct(value: unknown): ReferredProduct | null {
  const { catalog_id, product_retailer_id } = membersOf(value)
  return known<ReferredProduct>({ catalog_id: idOf(catalog_id), product_retailer_id: idOf(product_retailer_id) })
}

const membersOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

const textOf = (value: unknown, charactersMax: number): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? soundText(value, charactersMax) : undefined

/** Whole or not at all: half an id finds nothing. */
const idOf = (value: unknown): string | undefined => {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' && text.length <= ID_MAX ? soundText(text) : undefined
}

/** Of the web: it will be shown as a link, and a script must not be one. */
const addressOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= ADDRESS_MAX && /^https?:\/\/\S+$/i.test(value) && URL.canParse(value)
    ? soundText(value)
    : undefined

/** Only what is there; null when nothing is. */
function known<Shape extends object>(shape: { [Name in keyof Shape]: Shape[Name] | undefined }): Shape | null {
  const entries = Object.entries(shape).filter(([, value]) => value !== undefined)
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Shape)
}
