import { z } from 'zod'
import { BEYOND_SCHEMA } from '../../platform/http/pipeline/validation.ts'
import { textSchema, visibleText } from '../../platform/http/schemas.ts'
import { type ContentProblemCode, countCharacters, type TextLimits } from './content-checks.ts'
import {
  BIRTHDAY_PATTERN,
  CAPTION_MAX,
  CARD_LIST_MAX,
  CARD_TEXT_MAX,
  CONTACTS_MAX,
  checkContent,
  EMOJI_LENGTH_MAX,
  filenameLimits,
  linkLimits,
  mediaIdLimits,
  PLACE_TEXT_MAX,
  SENDABLE_TYPES,
  TEXT_MAX,
} from './content-limits.ts'
import { withOwnFileIds } from './content-media.ts'
import { interactiveRequest } from './interactive.schemas.ts'
import type { MessageContent } from './message-content.ts'
import { fillsBodyTwice, templateRequest, writeOutTemplate } from './template.schemas.ts'

/**
 * The contents of messages as requests give them: one closed shape per type, so that the description says exactly what
 * goes with what. Limits that a schema can say are said; the others are found by `checkContent`, which runs on every body
 * that passes the schema.
 */

/** A text with a pattern, where the description's pattern may have to be spelled for readers without Unicode classes. */
const patternedText = ({ min = 1, max, pattern, says }: TextLimits, published = pattern?.source as string) =>
  z
    .string()
    .refine((value) => value.length <= max || countCharacters(value) <= max, {
      message: `At most ${max} characters.`,
      params: { code: 'too_long', params: { max } },
    })
    .regex(pattern as RegExp, says)
    .meta({ pattern: published, minLength: min, maxLength: max })

const linkSchema = patternedText(linkLimits).meta({ format: 'uri' })
const mediaIdSchema = patternedText(mediaIdLimits)

/** Exactly one of two members, for the reader of the schema; `checkContent` says it to the caller. */
const exactlyOne = (one: string, other: string) => ({ oneOf: [{ required: [one] }, { required: [other] }] })

const source = {
  id: mediaIdSchema.optional().meta({ description: 'The id of an uploaded or received file.' }),
  link: linkSchema.optional().meta({ description: 'A public URL that the channel downloads the file from.' }),
}

const MediaSource = z
  .strictObject(source)
  .meta({ id: 'MediaSource', description: 'A file: exactly one of `id` and `link`.', ...exactlyOne('id', 'link') })

const DocumentSource = z
  .strictObject({
    ...source,
    filename: patternedText(filenameLimits, '^[^/\\\\\\u0000-\\u001f\\u007f-\\u009f]+$')
      .optional()
      .meta({ description: 'Shown to the customer; its extension decides the icon.' }),
  })
  .meta({
    id: 'DocumentSource',
    description: 'A document: exactly one of `id` and `link`.',
    ...exactlyOne('id', 'link'),
  })

const AudioSource = z
  .strictObject({
    ...source,
    voice: z.boolean().optional().meta({ description: 'Show it as a voice note. Needs OGG with Opus, mono.' }),
  })
  .meta({
    id: 'AudioSource',
    description: 'An audio file: exactly one of `id` and `link`.',
    ...exactlyOne('id', 'link'),
  })

const placeText = textSchema(PLACE_TEXT_MAX)

const LocationRequest = z
  .strictObject({
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(180),
    name: placeText.optional(),
    address: placeText.optional(),
  })
  .meta({ id: 'NewLocation', description: 'A location.' })

const cardText = textSchema(CARD_TEXT_MAX)
const cardTexts = <Name extends string>(...names: Name[]) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, cardText.optional()])) as Record<Name, OptionalText>)
const cardList = <Name extends string>(...names: Name[]) =>
  z
    .array(cardTexts(...names))
    .max(CARD_LIST_MAX)
    .optional()

type OptionalText = z.ZodOptional<typeof cardText>

const NAME_PARTS = ['first_name', 'last_name', 'middle_name', 'prefix', 'suffix'] as const

const ContactCardRequest = z
  .strictObject({
    name: z
      .strictObject({
        formatted_name: visibleText(CARD_TEXT_MAX),
        first_name: cardText.optional(),
        last_name: cardText.optional(),
        middle_name: cardText.optional(),
        prefix: cardText.optional(),
        suffix: cardText.optional(),
      })
      .meta({
        description: 'The full name, and at least one of its parts.',
        anyOf: NAME_PARTS.map((part) => ({ required: [part] })),
      }),
    phones: cardList('phone', 'type', 'wa_id'),
    emails: cardList('email', 'type'),
    addresses: cardList('street', 'city', 'state', 'zip', 'country', 'country_code', 'type'),
    org: cardTexts('company', 'department', 'title').optional(),
    urls: cardList('url', 'type'),
    birthday: z.string().max(10).regex(BIRTHDAY_PATTERN, 'This must be a date such as 1990-12-31.').optional(),
  })
  .meta({ id: 'NewContactCard', description: 'A contact card.' })

export const ContactCards = z.array(ContactCardRequest).min(1).max(CONTACTS_MAX)

/** A message by our id, or by the one that WhatsApp and the Cloud API know it by. */
export const messageReference = z
  .string()
  .max(512)
  .regex(
    /^(?:msg_[0-7][0-9a-hjkmnp-tv-z]{25}|wamid\.[A-Za-z0-9+/=_-]{1,500})$/,
    'This must be the id of a message: one that begins with "msg_", or a wamid.',
  )

const ReactionRequest = z
  .strictObject({
    message_id: messageReference.meta({
      description: 'The message of the customer to react to, by its id or `wamid`.',
    }),
    emoji: textSchema(EMOJI_LENGTH_MAX).meta({ description: 'One emoji; empty removes the reaction.' }),
  })
  .meta({ id: 'NewReaction', description: 'A reaction to a received message.' })

const caption = visibleText(CAPTION_MAX, 0).optional().meta({ description: 'The caption.' })

export const NewTemplate = templateRequest({ media: MediaSource, document: DocumentSource, location: LocationRequest })

/** What each type takes besides the members that all messages share. */
const contentShapes = {
  text: {
    type: z.literal('text').default('text'),
    body: visibleText(TEXT_MAX).meta({ description: `The text, up to ${TEXT_MAX} characters.` }),
    preview_url: z.boolean().optional().meta({ description: 'Show a preview of the first URL in the text.' }),
  },
  image: { type: z.literal('image'), media: MediaSource, body: caption },
  video: { type: z.literal('video'), media: MediaSource, body: caption },
  document: { type: z.literal('document'), media: DocumentSource, body: caption },
  audio: { type: z.literal('audio'), media: AudioSource },
  sticker: { type: z.literal('sticker'), media: MediaSource },
  location: { type: z.literal('location'), location: LocationRequest },
  contacts: { type: z.literal('contacts'), contacts: ContactCards },
  interactive: { type: z.literal('interactive'), interactive: interactiveRequest(MediaSource, linkSchema) },
  template: {
    type: z.literal('template'),
    template: NewTemplate,
  },
  reaction: { type: z.literal('reaction'), reaction: ReactionRequest },
}

type ContentShapes = typeof contentShapes
export type ContentType = keyof ContentShapes

const pascalCase = (type: string) => `${type[0]?.toUpperCase()}${type.slice(1)}`

/**
 * The body of a request that sends a message: `shared` (to, from, …) with the content of one type beside it. Which type
 * follows from `type`; without it, it is a text.
 */
export function newMessageSchema<Shared extends z.ZodRawShape>(shared: Shared) {
  const variant = <Type extends ContentType>(type: Type, description: string) =>
    z
      .strictObject({ ...shared, ...contentShapes[type] } as Shared & ContentShapes[Type])
      .meta({ id: `New${pascalCase(type)}Message`, description })
  return z
    .discriminatedUnion(
      'type',
      [
        variant('text', 'A text message.'),
        variant('image', 'An image, JPEG or PNG up to 5 MB.'),
        variant('video', 'A video, MP4 or 3GPP up to 16 MB.'),
        variant('audio', 'Audio up to 16 MB, without caption.'),
        variant('document', 'A document, up to 100 MB.'),
        variant('sticker', 'A sticker, WebP of 512 × 512 up to 500 KB, without caption.'),
        variant('location', 'A location.'),
        variant('contacts', 'One or more contact cards.'),
        variant('interactive', 'Buttons, a list, a link button, a flow, products.'),
        variant('template', 'An approved template with its parameters. Can be sent while the reply window is closed.'),
        variant('reaction', 'An emoji on a message of the customer.'),
      ],
      { error: (issue) => (issue.code === 'invalid_union' ? TYPE_SAYS : undefined) },
    )
    .superRefine((body, context) => {
      const message = body as NewContent
      // What the schema has found already is not said twice.
      if (context.issues.length > 0) return
      if (message.template !== undefined && fillsBodyTwice(message.template))
        context.addIssue({
          code: 'custom',
          path: ['template', 'variables'],
          message: 'The body is filled twice. Give either "variables" or a component of type "body".',
          params: { code: 'not_allowed', ...BEYOND_SCHEMA },
        })
      for (const { path, code, detail, params } of checkContent(givenContent(message)))
        context.addIssue({
          code: 'custom',
          path,
          message: detail,
          params: { code, ...(params && { params }), ...(SAID_BY_SCHEMA.includes(code) ? {} : BEYOND_SCHEMA) },
        })
    })
}

/** What is missing or too much; that names differ and sums stay below a limit is not for a schema to say. */
const SAID_BY_SCHEMA: readonly ContentProblemCode[] = ['required', 'not_allowed']

const TYPE_SAYS = `This must be one of: ${SENDABLE_TYPES.join(', ')}.`

type NewContent = { type: ContentType; template?: Parameters<typeof writeOutTemplate>[0] | undefined } & Partial<
  Record<(typeof CONTENT_MEMBERS)[number], unknown>
>

const CONTENT_MEMBERS = [
  'body',
  'preview_url',
  'media',
  'location',
  'contacts',
  'interactive',
  'template',
  'reaction',
] as const

/** The content alone, out of a body that has passed the schema. */
export const contentOf = (message: NewContent): MessageContent => withOwnFileIds(givenContent(message))

function givenContent(message: NewContent): MessageContent {
  const given = CONTENT_MEMBERS.filter((name) => message[name] !== undefined)
  const members = Object.fromEntries(given.map((name) => [name, message[name]]))
  const template = message.template === undefined ? {} : { template: writeOutTemplate(message.template) }
  return { type: message.type, ...members, ...template } as MessageContent
}
