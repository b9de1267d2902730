import { isRecord } from '../../kernel/records.ts'
import {
  all,
  type Check,
  type ContentProblem,
  choice,
  exactlyOneOf,
  findProblems,
  flag,
  list,
  number,
  object,
  someOf,
  type TextLimits,
  text,
} from './content-checks.ts'
import { interactiveCheck } from './interactive-limits.ts'
import { checkMediaFile } from './media-limits.ts'
import { MEDIA_TYPES, type MediaType, type MessageContent } from './message-content.ts'
import { templateCheck } from './template-limits.ts'

/**
 * What WhatsApp allows of a message that is sent, checked before it is accepted: a refusal that comes back minutes later
 * by webhook comes too late. Lengths are in characters. The description of our API says the same limits as far as a schema
 * can; what it cannot say (names that must differ, sums over lists) is found only here.
 */
export type { ContentProblem }

export const TEXT_MAX = 4096
export const CAPTION_MAX = 1024
const LINK_MAX = 2048
const FILENAME_MAX = 240
export const CONTACTS_MAX = 257
export const PLACE_TEXT_MAX = 1000
export const CARD_TEXT_MAX = 500
export const CARD_LIST_MAX = 50

/** http or https, a host, and no user name in front of it. */
const LINK_PATTERN = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/?#@\\]+(?:[/?#]\S*)?$/
const LINK_SAYS = 'This must be an address that begins with http:// or https://.'

export const linkLimits: TextLimits = { max: LINK_MAX, pattern: LINK_PATTERN, says: LINK_SAYS }
/** An id of ours or of another installation of the API: opaque. */
export const mediaIdLimits: TextLimits = {
  max: 128,
  pattern: /^[A-Za-z0-9_.-]+$/,
  says: 'This must be the id of an uploaded file.',
}
/** A name, not a path. */
export const filenameLimits: TextLimits = {
  max: FILENAME_MAX,
  pattern: /^[^/\\\p{Cc}]+$/u,
  says: 'This must be the name of a file, without folders and control characters.',
}

const captionCheck = text({ min: 0, max: CAPTION_MAX, mayBeBlank: false })
const link = text(linkLimits)
const mediaId = text(mediaIdLimits)

const sourceOf = (optional: Record<string, Check> = {}) =>
  all(object({ optional: { id: mediaId, link, ...optional } }), exactlyOneOf('id', 'link'))

const mediaSourceCheck = sourceOf()
const documentSourceCheck = sourceOf({ filename: text(filenameLimits) })

/** What is known of the file: nothing yet for a link, and everything for one that was uploaded. */
const knownFileCheck =
  (type: MediaType): Check =>
  (value, path, report) => {
    if (!isRecord(value)) return
    const { mime_type: mimeType, bytes, animated } = value
    const file = {
      mimeType: typeof mimeType === 'string' ? mimeType : undefined,
      bytes: typeof bytes === 'number' ? bytes : undefined,
      isAnimated: typeof animated === 'boolean' ? animated : undefined,
    }
    for (const { path: at, code, detail, params } of checkMediaFile(type, file, path)) report(at, code, detail, params)
  }

const media = (type: MediaType, optional?: Record<string, Check>): Check =>
  all(sourceOf(optional), knownFileCheck(type))

const captioned = (type: MediaType, optional?: Record<string, Check>) =>
  object({ required: { media: media(type, optional) }, optional: { body: captionCheck } })
const uncaptioned = (type: MediaType, optional?: Record<string, Check>) =>
  object({ required: { media: media(type, optional) }, forbidden: ['body'] })

const placeText = text({ min: 0, max: PLACE_TEXT_MAX })
const locationCheck = object({
  required: { latitude: number(-90, 90), longitude: number(-180, 180) },
  optional: { name: placeText, address: placeText },
})

const cardText = text({ min: 0, max: CARD_TEXT_MAX })
const cardTexts = (...names: string[]) =>
  object({ optional: Object.fromEntries(names.map((name) => [name, cardText])) })
const cardList = (...names: string[]) => list({ max: CARD_LIST_MAX, of: cardTexts(...names) })
const NAME_PARTS = ['first_name', 'last_name', 'middle_name', 'prefix', 'suffix'] as const

export const BIRTHDAY_PATTERN = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$/

const contactCheck = object({
  required: {
    name: all(
      object({ required: { formatted_name: text({ max: CARD_TEXT_MAX }) } }),
      cardTexts(...NAME_PARTS),
      someOf(...NAME_PARTS),
    ),
  },
  optional: {
    phones: cardList('phone', 'type', 'wa_id'),
    emails: cardList('email', 'type'),
    addresses: cardList('street', 'city', 'state', 'zip', 'country', 'country_code', 'type'),
    org: cardTexts('company', 'department', 'title'),
    urls: cardList('url', 'type'),
    birthday: text({ max: 10, pattern: BIRTHDAY_PATTERN, says: 'This must be a date such as 1990-12-31.' }),
  },
})

const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3/u
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
export const EMOJI_LENGTH_MAX = 32

/** One emoji as a person sees it, however many code points it is made of; none at all takes the reaction back. */
function isEmojiOrEmpty(value: string): boolean {
  if (value === '') return true
  return value.length <= EMOJI_LENGTH_MAX && [...graphemes.segment(value)].length === 1 && EMOJI.test(value)
}

const emojiCheck: Check = (value, path, report) => {
  if (typeof value !== 'string') return report(path, 'wrong_type', 'This must be a string.', { expected: 'string' })
  if (!isEmojiOrEmpty(value)) report(path, 'wrong_format', 'This must be one emoji, or empty to remove the reaction.')
}

const reactionCheck = object({ required: { message_id: text({ max: 512 }), emoji: emojiCheck } })

const headerChecks = { media: mediaSourceCheck, document: documentSourceCheck, location: locationCheck }

/** What can be sent. The other types only ever arrive. */
const contentCheck = choice(
  'type',
  {
    text: object({ required: { body: text({ max: TEXT_MAX }) }, optional: { preview_url: flag } }),
    image: captioned('image'),
    video: captioned('video'),
    document: captioned('document', { filename: text(filenameLimits) }),
    audio: uncaptioned('audio', { voice: flag }),
    sticker: uncaptioned('sticker'),
    location: object({ required: { location: locationCheck } }),
    contacts: object({ required: { contacts: list({ min: 1, max: CONTACTS_MAX, of: contactCheck }) } }),
    interactive: object({ required: { interactive: interactiveCheck(mediaSourceCheck, link) } }),
    template: object({ required: { template: templateCheck(headerChecks) } }),
    reaction: object({ required: { reaction: reactionCheck } }),
  },
  'unsupported',
)

/** Everything that the channel would refuse, with its place in the content. Empty when it may be sent. */
export const checkContent = (content: MessageContent): ContentProblem[] => findProblems(contentCheck, content)

export const SENDABLE_TYPES = [
  'text',
  ...MEDIA_TYPES,
  'location',
  'contacts',
  'interactive',
  'template',
  'reaction',
] as const satisfies readonly MessageContent['type'][]
