import { z } from 'zod'
import { INTERACTIVE_TYPES, SENDABLE_TYPES } from '../../channels/content/content.ts'
import { KEY_HASH } from './send-request.ts'

/**
 * Meta's shapes, for the description. They are open, because the dialect ignores what it does not know; the enforced limits
 * are in src/channels/content/content-limits.ts, the same for both ways of sending.
 */
const text = (maxLength: number) => z.string().meta({ pattern: '^[^\\u0000]*$', maxLength })
const open = <Shape extends z.ZodRawShape>(shape: Shape) => z.looseObject(shape).meta({ maxProperties: 50 })
const anything = open({})

const messageId = text(512).meta({ description: 'A `wamid.…` or `msg_…` id.' })

const media = open({
  id: text(128).optional().meta({ description: 'The id of an uploaded file.' }),
  link: text(2048).optional().meta({ description: 'A public URL.' }),
  caption: text(1024).optional(),
  filename: text(240).optional(),
  voice: z.boolean().optional(),
}).meta({ id: 'CloudApiFile', description: 'Exactly one of `id` and `link`.', maxProperties: 50 })

const contents = {
  text: open({ body: text(4096), preview_url: z.boolean().optional() }).optional(),
  image: media.optional(),
  video: media.optional(),
  audio: media.optional(),
  document: media.optional(),
  sticker: media.optional(),
  location: open({
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(180),
    name: text(1000).optional(),
    address: text(1000).optional(),
  }).optional(),
  contacts: z.array(anything).max(257).optional(),
  interactive: open({ type: z.enum(INTERACTIVE_TYPES), action: anything }).optional(),
  template: open({
    name: text(512),
    language: open({ code: text(20) }),
    components: z.array(anything).max(20).optional(),
  }).optional(),
  reaction: open({ message_id: messageId, emoji: text(32) }).optional(),
}

const sending = SENDABLE_TYPES.map((type) => ({
  required: type === 'text' ? ['to', type] : ['to', 'type', type],
  properties: { type: { const: type } },
}))

export const CloudApiMessage = z
  .looseObject({
    messaging_product: z.literal('whatsapp'),
    recipient_type: z.literal('individual').optional(),
    to: text(200).optional().meta({ description: 'The phone number of the customer in international format.' }),
    recipient: text(200)
      .optional()
      .meta({ description: 'The business-scoped user id of the customer, instead of `to`.' }),
    type: z
      .enum(SENDABLE_TYPES)
      .optional()
      .meta({ description: 'The message type, which is also the name of the field with the content.' }),
    ...contents,
    context: open({ message_id: messageId }).optional().meta({ description: 'The message this one replies to.' }),
    biz_opaque_callback_data: text(512)
      .optional()
      .meta({ description: 'Returned as `client_reference` in every event of the message.' }),
    recipient_identity_key_hash: z.string().max(256).meta({ pattern: KEY_HASH.source }).optional().meta({
      description:
        'The message fails with `identity_changed` (137000) if the identity key of the customer has changed.',
    }),
    status: z.literal('read').optional().meta({ description: 'With `message_id`: marks that message as read.' }),
    message_id: messageId.optional(),
    typing_indicator: open({ type: z.literal('text') })
      .optional()
      .meta({ description: 'With `status`: shows a typing indicator.' }),
  })
  .meta({
    id: 'CloudApiMessage',
    maxProperties: 50,
    description: 'A message in the format of Meta’s Cloud API, or a read receipt. Unknown fields are ignored.',
    anyOf: [...sending, { required: ['recipient'] }, { required: ['status', 'message_id'] }],
  })

const Sent = z
  .object({
    messaging_product: z.literal('whatsapp'),
    contacts: z
      .array(
        z.object({
          input: text(200).meta({ description: 'As sent.' }),
          wa_id: text(20).optional().meta({ description: 'Digits.' }),
          user_id: text(200).optional(),
        }),
      )
      .max(1),
    messages: z
      .array(
        z.object({
          id: text(512).meta({ description: '`wamid.…`, to reply to or react to.' }),
          message_status: z.literal('accepted').optional(),
        }),
      )
      .max(1),
  })
  .meta({ id: 'CloudApiSentMessage' })

export const CloudApiSuccess = z
  .object({ success: z.literal(true) })
  .meta({ id: 'CloudApiSuccess', description: 'Done.' })

export const CloudApiFields = z
  .looseObject({})
  .meta({ id: 'CloudApiFields', maxProperties: 100, description: 'Members as the Graph API names them.' })

export const CloudApiSent = z
  .union([Sent, CloudApiSuccess])
  .meta({ id: 'CloudApiSent', description: 'The accepted message; for a read receipt, `success`.' })

export const CloudApiUpload = z
  .looseObject({
    messaging_product: z.literal('whatsapp').optional(),
    type: text(200).optional().meta({ description: 'The MIME type. Taken from the file if it declares one.' }),
    file: z.string().meta({ format: 'binary', pattern: '^[\\s\\S]*$', maxLength: 104_857_600 }),
  })
  .meta({ id: 'CloudApiUpload', maxProperties: 20, description: 'A multipart form with a file.' })

export const CloudApiMediaId = z.object({ id: text(128) }).meta({ id: 'CloudApiMediaId', description: 'The file.' })

const StoredMedia = z
  .object({
    messaging_product: z.literal('whatsapp'),
    url: text(2048).meta({ description: 'The download URL. Valid for five minutes, with the same key.' }),
    mime_type: text(200),
    sha256: text(64).meta({ description: 'Hexadecimal.' }),
    file_size: z.int().min(0).max(104_857_600),
    id: text(128),
  })
  .meta({ id: 'CloudApiMedia' })

const BusinessNumber = z
  .object({
    id: text(64),
    display_phone_number: text(64).optional(),
    verified_name: text(200).optional(),
    quality_rating: text(20).optional(),
    code_verification_status: text(20).optional(),
    platform_type: text(20).optional(),
    throughput: z.object({ level: text(20) }).optional(),
  })
  .meta({ id: 'CloudApiNumber' })

export const CloudApiObject = z
  .union([StoredMedia, BusinessNumber])
  .meta({ id: 'CloudApiObject', description: 'A file, or a business number.' })

export const CloudApiTemplates = z
  .object({
    data: z
      .array(
        z.object({
          name: text(512),
          language: text(20),
          status: text(50),
          category: text(50),
          components: z.array(z.record(z.string().max(200), z.unknown()).meta({ maxProperties: 50 })).max(50),
        }),
      )
      .max(1000),
    paging: z.object({}),
  })
  .meta({ id: 'CloudApiTemplates', description: 'The templates of the business account of a number.' })

export const phoneNumberIdSchema = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9_-]+$/)
  .meta({ description: 'The `phone_number_id` of a connected number, or its id (`num_…`).' })

export const objectIdSchema = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9_-]+$/)
  .meta({ description: 'The id of a file, or the `phone_number_id` of a number.' })

export const tokenSchema = text(512)

const tokenRequest = {
  client_id: text(64).meta({ description: 'The id of the app.' }),
  client_secret: text(1024).meta({ description: 'The secret of the app.' }),
  grant_type: z
    .enum(['client_credentials', 'fb_exchange_token'])
    .meta({ description: 'Which token to return: that of the app, or one that is exchanged.' }),
  fb_exchange_token: tokenSchema.optional().meta({ description: 'With `fb_exchange_token`: the token to exchange.' }),
}

export const CloudApiTokenQuery = z.strictObject(tokenRequest)

export const CloudApiTokenRequest = open(tokenRequest).meta({
  id: 'CloudApiTokenRequest',
  maxProperties: 50,
  description: 'An app that proves its secret.',
})

export const CloudApiAccessToken = z
  .object({ access_token: tokenSchema, token_type: z.literal('bearer') })
  .meta({ id: 'CloudApiAccessToken', description: 'The access token of the app.' })

const metaId = z.string().meta({ pattern: '^\\d{5,64}$', maxLength: 64 })
const seconds = z.int().min(0).max(99_999_999_999).meta({ description: 'Unix time in seconds; 0 for never.' })

export const CloudApiInspectedToken = z
  .object({
    data: z.object({
      app_id: metaId.optional(),
      type: z.enum(['SYSTEM_USER', 'APP']).optional(),
      application: text(200).optional(),
      data_access_expires_at: seconds.optional(),
      expires_at: seconds.optional(),
      is_valid: z.boolean(),
      scopes: z.array(text(64)).max(10),
      granular_scopes: z
        .array(z.object({ scope: text(64), target_ids: z.array(metaId).max(1000) }))
        .max(10)
        .optional(),
      user_id: metaId.optional(),
      error: z
        .object({ code: z.int().min(0).max(1_000_000), message: text(2000) })
        .optional()
        .meta({ description: 'Why the token is not valid.' }),
    }),
  })
  .meta({ id: 'CloudApiInspectedToken', description: 'What a token may do, or that it is not valid.' })
