import { z } from 'zod'
import { messageReference, newMessageSchema } from '../../channels/content/message-content.schemas.ts'
import { contentReplyShape, originReplyShape } from '../../channels/content/message-content-reply.schemas.ts'
import {
  idSchema,
  METADATA_KEYS_MAX,
  METADATA_VALUE_MAX,
  momentSchema,
  textSchema,
  timeSchema,
  visibleText,
} from '../../platform/http/schemas.ts'
import { PHONE_FORM, PHONE_SAYS } from '../../platform/phone/phone-numbers.ts'
import { messageStatuses } from './messages.states.ts'

/** Meta's biz_opaque_callback_data, which is stored here as well, may be this long. */
const CLIENT_REFERENCE_MAX = 512
const METADATA_KEY = /^[\S ]{1,40}$/u

const metadataSchema = z
  .record(
    z
      .string()
      .regex(METADATA_KEY, 'A key of metadata is 1 to 40 characters.')
      .meta({ pattern: '^(?:[^\\s\\u0000]| ){1,40}$', maxLength: 40 }),
    textSchema(METADATA_VALUE_MAX),
  )
  .refine((metadata) => Object.keys(metadata).length <= METADATA_KEYS_MAX, {
    message: `At most ${METADATA_KEYS_MAX} keys.`,
    params: { code: 'too_many', params: { max: METADATA_KEYS_MAX } },
  })
  .meta({ maxProperties: METADATA_KEYS_MAX, description: 'Your data: up to 50 keys with strings.' })

const reportedText = (maxLength: number) => z.string().meta({ pattern: '^[^\\u0000]*$', maxLength })
const nullableText = (maxLength: number) => reportedText(maxLength).nullable()

const MessageError = z
  .object({
    code: z
      .string()
      .meta({ pattern: '^[a-z0-9_]+$', maxLength: 100, description: 'Stable code, such as `reply_window_closed`.' }),
    provider_code: nullableText(100).meta({ description: 'The error code of the network, if it reported one.' }),
    detail: reportedText(2000),
    retryable: z.boolean().meta({ description: 'Whether a resend of the same message can succeed.' }),
  })
  .meta({ id: 'MessageError', description: 'Why a message was not sent or not delivered.' })

const MessagePricing = z
  .object({
    billable: z.boolean().nullable(),
    pricing_model: nullableText(200).meta({ description: 'Such as `PMP`, per message.' }),
    type: nullableText(200).meta({ description: 'Such as `regular` or `free_customer_service`.' }),
    category: nullableText(200).meta({ description: 'Such as `marketing`, `utility` or `service`.' }),
  })
  .meta({ id: 'MessagePricing', description: 'The price category of a message, as the network reported it.' })

const MessageConversation = z
  .object({
    id: nullableText(200),
    origin: nullableText(200).meta({ description: 'The category of the conversation, such as `utility`.' }),
    expires_at: timeSchema.nullable(),
  })
  .meta({ id: 'MessageConversation', description: 'A conversation, as the network bills it.' })

const MessageGroup = z
  .object({
    id: reportedText(512).meta({ description: 'The id of the group at the network.' }),
    from: z
      .object({
        name: nullableText(1000),
        phone: nullableText(21),
        user_id: nullableText(300),
        username: nullableText(300),
      })
      .meta({ id: 'GroupMember', description: 'The member of the group who wrote it.' }),
  })
  .meta({ id: 'MessageGroup', description: 'The group that a message was written in, and by whom.' })

const MessageWarning = z
  .object({
    code: z
      .string()
      .meta({ pattern: '^[a-z0-9_]+$', maxLength: 100, description: 'Stable code, such as `reply_window_closed`.' }),
    detail: reportedText(2000),
  })
  .meta({ id: 'MessageWarning', description: 'Why a real number would have refused a message that was accepted.' })

export const Message = z
  .object({
    object: z.literal('message'),
    id: idSchema('msg'),
    chat_id: idSchema('chat'),
    number_id: idSchema('num')
      .nullable()
      .meta({ description: 'The business number of its chat. Null only in events from before version 0.2.' }),
    direction: z.enum(['inbound', 'outbound']),
    ...contentReplyShape,
    reply_to: idSchema('msg').nullable().meta({ description: 'The message that this one replies to.' }),
    ...originReplyShape,
    group: MessageGroup.nullable().meta({
      description: 'The group it was written in; null in a chat with one person.',
    }),
    provider_id: nullableText(512).meta({ description: 'The message id of the network.' }),
    client_reference: nullableText(CLIENT_REFERENCE_MAX).meta({
      description: 'Your reference, as you sent it.',
    }),
    order_id: nullableText(40).meta({ description: 'The order of this message.' }),
    sender: z
      .object({
        type: z.enum(['key', 'agent', 'user', 'contact', 'system', 'business_app']).meta({
          description: '`business_app`: the business wrote it in the WhatsApp Business app.',
        }),
        id: nullableText(64),
      })
      .meta({ id: 'MessageSender' }),
    status: z.enum(messageStatuses).meta({ description: 'Never moves backwards. Inbound messages are `received`.' }),
    error: MessageError.nullable(),
    warnings: z.array(MessageWarning).meta({
      maxItems: 10,
      description: 'What a real number would have refused. Only messages from a lenient number have any.',
    }),
    status_history: z
      .array(
        z
          .object({ status: z.enum([...messageStatuses, 'played']), at: timeSchema })
          .meta({ id: 'MessageStatusChange' }),
      )
      .meta({ maxItems: 20, description: 'The time of each status, oldest first.' }),
    pricing: MessagePricing.nullable().meta({ description: 'What the network charges; null until it reports it.' }),
    conversation: MessageConversation.nullable().meta({
      description: 'The conversation that the network counts the message to; null if it reports none.',
    }),
    edited_at: timeSchema.nullable().meta({ description: 'When its author last edited it.' }),
    deleted_at: timeSchema
      .nullable()
      .meta({ description: 'When its author deleted it. Its content is then `unsupported`, of type `revoked`.' }),
    send_at: timeSchema.nullable(),
    metadata: z.record(z.string().max(40), textSchema(METADATA_VALUE_MAX)).meta({ maxProperties: METADATA_KEYS_MAX }),
    created_at: timeSchema,
  })
  .meta({ id: 'Message', description: 'One message of a chat, in either direction.' })

export type MessageView = z.input<typeof Message>

export const messageExample: MessageView = {
  object: 'message',
  id: 'msg_01k9x3m5q8e0t9v7a2b4c6d8fg',
  chat_id: 'chat_01k9x3m5q8e0t9v7a2b4c6d8fg',
  number_id: 'num_01k9x3m5q8e0t9v7a2b4c6d8fg',
  direction: 'outbound',
  type: 'text',
  body: 'Halo Kak, pesanan sudah siap.',
  media: null,
  template: null,
  interactive: null,
  location: null,
  contacts: null,
  reaction: null,
  order: null,
  system: null,
  unsupported: null,
  reply_to: null,
  referral: null,
  forwarded: false,
  frequently_forwarded: false,
  referred_product: null,
  group: null,
  provider_id: null,
  client_reference: null,
  order_id: null,
  sender: { type: 'key', id: 'key_01k9x3m5q8e0t9v7a2b4c6d8fg' },
  status: 'queued',
  error: null,
  warnings: [],
  status_history: [{ status: 'queued', at: '2026-11-14T09:30:00.000Z' }],
  pricing: null,
  conversation: null,
  edited_at: null,
  deleted_at: null,
  send_at: null,
  metadata: {},
  created_at: '2026-11-14T09:30:00.000Z',
}

/** One line. NUL, which the description has to name, never gets past the reader of bodies. */
export const LINE = /^[\S ]+$/
export const PUBLISHED_LINE = '^(?:[^\\s\\u0000]| )+$'

/** A phone in any spelling, a chat, a user id of the business, or a username. The form decides which. */
export const recipientText = z.string().min(1).max(150).regex(LINE, PHONE_SAYS).meta({ pattern: PUBLISHED_LINE })

/** The same where one is written to: what has none of these forms is refused by the form. */
const RECIPIENT = new RegExp(`^ *(?:${PHONE_FORM}|@[^\\s\\u0000]+|(?:chat|con)_[0-9a-z]+|[A-Z]{2}\\.[A-Za-z0-9.]+) *$`)
const recipient = z.string().min(1).max(150).regex(RECIPIENT, PHONE_SAYS)

export const NewMessage = newMessageSchema({
  to: recipient.meta({
    description:
      'The customer: an existing phone number, preferably in international format with a leading +. Also accepted: a chat id, a business-scoped user id, or the @username of a customer who has written before.',
    examples: ['+6281234567890'],
  }),
  from: z.string().min(1).max(64).regex(LINE).optional().meta({
    pattern: PUBLISHED_LINE,
    description:
      'The business number to send from, by its id, its `phone_number_id` or its phone. Needed only if you have several.',
  }),
  reply_to: messageReference
    .optional()
    .meta({ description: 'The message of the same chat to reply to, by its id or `wamid`.' }),
  send_at: momentSchema
    .optional()
    .meta({ description: 'Send it at this time instead of now, up to a year ahead. Until then it can be cancelled.' }),
  client_reference: visibleText(CLIENT_REFERENCE_MAX)
    .optional()
    .meta({ description: 'Your reference. It is returned with the message and its events.' }),
  metadata: metadataSchema.optional(),
}).meta({ id: 'NewMessage', description: 'A message to send. A text needs only `to` and `body`.' })
