import { z } from 'zod'
import { CONNECTIONS } from '../../channels/connectors/simulator/simulator.ts'
import { MEDIA_TYPES } from '../../channels/content/content.ts'
import { ContactCards } from '../../channels/content/message-content.schemas.ts'
import { MONEY_MAX } from '../../kernel/money.ts'
import { Message, messageExample } from '../../messaging/messages/messages.schemas.ts'
import { BEYOND_SCHEMA } from '../../platform/http/pipeline/validation.ts'
import { idSchema, textSchema, timeSchema, visibleText } from '../../platform/http/schemas.ts'
import { ADVANCE_SECONDS_MAX } from '../../sandbox/sandbox.ts'

/** Simulating the customer, the phone network and the payment network: the input and the answers. */
const number = textSchema(64, 1).optional().meta({
  description:
    'The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest.',
})
const customer = {
  number,
  from: textSchema(40, 1).meta({ description: 'The phone number of the customer, in any usual spelling.' }),
  name: visibleText(100).optional().meta({ description: 'The profile name of the customer.' }),
  username: textSchema(100, 1).optional().meta({ description: 'The username of the customer.' }),
}
const messageId = textSchema(200, 1).meta({
  description: 'A message that the customer received: `msg_…` or `wamid.…`.',
})

const mediaType = z.enum(MEDIA_TYPES)
const isVoice = z.boolean().optional().meta({ description: 'An audio file as a voice note.' })

/** Bytes as text in JSON: enough for a picture that shows something. */
const MEDIA_CHARACTERS_MAX = 240_000

const CustomerMedia = z
  .union([
    z
      .strictObject({
        type: mediaType,
        id: idSchema('med').meta({ description: 'A file that was uploaded before.' }),
        voice: isVoice,
      })
      .meta({ id: 'CustomerUploadedMedia' }),
    z
      .strictObject({
        type: mediaType,
        mime_type: textSchema(100, 3),
        filename: textSchema(200, 1).optional(),
        base64: z
          .base64('This must be a file as base64.')
          .max(MEDIA_CHARACTERS_MAX)
          .meta({ description: 'The file, up to 180 kB.' }),
        voice: isVoice,
      })
      .meta({ id: 'CustomerInlineMedia' }),
  ])
  .meta({ id: 'CustomerMedia', description: 'A file that the customer sends.' })

export const CustomerMessage = z
  .strictObject({
    ...customer,
    text: visibleText(4096).optional().meta({ description: 'The text; with `media`, its caption.' }),
    location: z
      .strictObject({
        latitude: z.number().min(-90).max(90),
        longitude: z.number().min(-180).max(180),
        name: textSchema(200).optional(),
        address: textSchema(500).optional(),
      })
      .optional(),
    contacts: ContactCards.optional(),
    media: CustomerMedia.optional(),
    unsupported: textSchema(40, 1)
      .optional()
      .meta({ description: 'A kind of message that the Cloud API does not pass on, such as `poll`.' }),
    reply_to: messageId.optional().meta({ description: 'The message that this one quotes: `msg_…` or `wamid.…`.' }),
    forwarded: z.boolean().optional(),
    frequently_forwarded: z.boolean().optional(),
    ad: visibleText(200).optional().meta({ description: 'The headline of the ad that the customer came from.' }),
    product: textSchema(100, 1)
      .optional()
      .meta({ description: 'The product of the catalog that the message is about, by its retailer id.' }),
    hide_phone: z
      .boolean()
      .optional()
      .meta({ description: 'Whether the customer hides the phone number: the network then reports a user id only.' }),
  })
  .refine(
    (body) =>
      [body.text, body.location, body.contacts, body.media, body.unsupported].some((part) => part !== undefined),
    { message: 'Send a text, a location, contacts or a file.', path: ['text'], params: BEYOND_SCHEMA },
  )
  .meta({ id: 'CustomerMessage', description: 'What a simulated customer writes. Each part is a message.' })

export const CustomerReply = z
  .strictObject({
    ...customer,
    message_id: messageId,
    choice: textSchema(256, 1).optional().meta({
      description: 'The button, quick reply or list row: its id, its title, or its position from 1.',
    }),
    flow_response: z
      .record(z.string().max(100), z.unknown())
      .optional()
      .meta({ maxProperties: 100, description: 'The answers of a completed flow, instead of `choice`.' }),
  })
  .refine((body) => (body.choice === undefined) !== (body.flow_response === undefined), {
    message: 'Send `choice` or `flow_response`.',
    path: ['choice'],
    params: BEYOND_SCHEMA,
  })
  .meta({ id: 'CustomerReply', description: 'A simulated customer taps a button or a list row, or completes a flow.' })

export const CustomerCall = z
  .strictObject(customer)
  .meta({ id: 'CustomerCall', description: 'A simulated customer calls the business.' })

export const CustomerPreferences = z
  .strictObject({
    ...customer,
    marketing: z
      .enum(['stop', 'resume'])
      .optional()
      .meta({ description: 'Opts out of marketing messages, or in again. The network reports it.' }),
    blocked: z
      .boolean()
      .optional()
      .meta({ description: 'Whether the customer has blocked the business: messages are `sent` and never delivered.' }),
  })
  .refine((body) => body.marketing !== undefined || body.blocked !== undefined, {
    message: 'Send `marketing` or `blocked`.',
    path: ['marketing'],
    params: BEYOND_SCHEMA,
  })
  .meta({ id: 'CustomerPreferences', description: 'What a simulated customer opts out of.' })

export const CustomerReaction = z
  .strictObject({
    ...customer,
    message_id: messageId,
    emoji: textSchema(16).meta({ description: 'An empty text removes the reaction.' }),
  })
  .meta({ id: 'CustomerReaction', description: 'A simulated customer reacts to a message.' })

const writtenId = messageId.meta({ description: 'A message that the customer wrote: `msg_…` or `wamid.…`.' })

export const CustomerEdit = z
  .strictObject({
    ...customer,
    message_id: writtenId,
    text: visibleText(4096).meta({ description: 'The new text; of a file, its new caption.' }),
  })
  .meta({ id: 'CustomerEdit', description: 'A simulated customer edits a message.' })

export const CustomerDeletion = z
  .strictObject({ ...customer, message_id: writtenId })
  .meta({ id: 'CustomerDeletion', description: 'A simulated customer deletes a message for everyone.' })

export const CustomerReading = z
  .strictObject({
    ...customer,
    message_id: messageId.optional().meta({ description: 'Only this message; without it, all unread ones.' }),
  })
  .meta({ id: 'CustomerReading', description: 'A simulated customer reads messages.' })

export const CustomerNumberChange = z
  .strictObject({
    ...customer,
    new_phone: textSchema(40, 1).meta({ description: 'The new phone number, in any usual spelling.' }),
  })
  .meta({ id: 'CustomerNumberChange', description: 'A simulated customer changes the phone number.' })

const CART_ITEMS_MAX = 30

export const CustomerCart = z
  .strictObject({
    ...customer,
    items: z
      .array(
        z
          .strictObject({
            product_retailer_id: textSchema(100, 1),
            quantity: z.int().min(1).max(9999),
            item_price: z.int().min(0).max(MONEY_MAX),
          })
          .meta({ id: 'CustomerCartItem' }),
      )
      .min(1)
      .max(CART_ITEMS_MAX),
    text: textSchema(1024).optional(),
  })
  .meta({ id: 'CustomerCart', description: 'A simulated customer sends the cart of a catalog.' })

const Person = z
  .object({
    phone: textSchema(40).nullable().meta({ description: 'Digits; null where the customer hides it.' }),
    user_id: textSchema(200),
    username: textSchema(100).nullable(),
    name: textSchema(200),
  })
  .meta({ id: 'SimulatedPerson', description: 'A simulated customer, as the network reports them.' })

const PROVIDER_IDS_MAX = 10_000

export const Written = z
  .object({
    provider_ids: z
      .array(textSchema(300))
      .max(PROVIDER_IDS_MAX)
      .meta({ description: 'The ids of the network of what the customer sent.' }),
    person: Person,
  })
  .meta({ id: 'SimulatedAct', description: 'What a simulated customer sent.' })

const PEOPLE_MAX = 1000

export const People = z
  .object({
    data: z
      .array(
        Person.extend({ messages_written: z.int().min(0), last_wrote_at: timeSchema }).meta({
          id: 'SimulatedPersonEntry',
        }),
      )
      .max(PEOPLE_MAX),
  })
  .meta({ id: 'SimulatedPeople', description: 'The simulated customers of a number, the most recent first.' })

export const ReadMessages = z
  .object({ read: z.array(idSchema('msg')).max(100) })
  .meta({ id: 'SimulatedReading', description: 'The messages that were read.' })

export const SIMULATED_STATUSES = ['sent', 'delivered', 'read', 'played', 'failed'] as const

export const NetworkStatus = z
  .strictObject({
    number,
    message_id: messageId,
    status: z.enum(SIMULATED_STATUSES),
    error_code: z
      .int()
      .min(1)
      .max(9_999_999)
      .optional()
      .meta({ description: 'With `failed`: the error code of Meta. The default is 131026.' }),
  })
  .meta({ id: 'SimulatedStatus', description: 'A status that the simulated network reports.' })

const errorCode = z.int().min(1).max(9_999_999)

const RULE_STATUSES_MAX = 20
const HOUR_MS = 3_600_000

const refuseShape = {
  error_code: errorCode.meta({ description: 'The error code of Meta, such as 131056.' }),
  times: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'How often; then it is accepted. Without it, always.' }),
  retry_after_seconds: z.int().min(0).max(3600).optional(),
}
const statusShape = {
  status: z.enum(SIMULATED_STATUSES),
  after_ms: z.int().min(0).max(HOUR_MS).optional().meta({
    description: 'Milliseconds after acceptance. Without it, the usual time.',
  }),
  times: z.int().min(1).max(10).optional().meta({ description: 'How often it is reported.' }),
  error_code: errorCode.optional().meta({ description: 'With `failed`: the error code of Meta.' }),
}

/** What a rule says; requests are strict, answers are open. */
const ruleShape = <Refuse extends z.ZodType, Status extends z.ZodType>(refuse: Refuse, status: Status) => ({
  refuse: refuse.optional().meta({ description: 'Refuses the message at once.' }),
  connection: z.enum(CONNECTIONS).optional().meta({
    description: 'The response is lost, the request is lost, or the network takes three seconds.',
  }),
  statuses: z.array(status).max(RULE_STATUSES_MAX).optional().meta({
    description: 'The statuses in the sequence in which they are reported. What is not listed is never reported.',
  }),
})

export const NewRule = z
  .strictObject({
    number,
    to: textSchema(150, 1).optional().meta({
      description: 'The recipient: a phone number or a user id. Without it, the rule is for every recipient.',
    }),
    ...ruleShape(z.strictObject(refuseShape), z.strictObject(statusShape).meta({ id: 'NewSimulatorRuleStatus' })),
  })
  .meta({
    id: 'NewSimulatorRule',
    description: 'How the network treats messages. A rule without content removes the rule.',
  })

const RULES_MAX = 1000

export const Rules = z
  .object({
    data: z
      .array(
        z
          .object({
            to: textSchema(150).nullable().meta({ description: 'Null for every recipient.' }),
            ...ruleShape(z.object(refuseShape), z.object(statusShape).meta({ id: 'SimulatorRuleStatus' })),
          })
          .meta({ id: 'SimulatorRule' }),
      )
      .max(RULES_MAX),
  })
  .meta({ id: 'SimulatorRules', description: 'The rules of a simulator number.' })

export const ClockAdvance = z
  .strictObject({
    advance_seconds: z
      .int()
      .min(1)
      .max(ADVANCE_SECONDS_MAX)
      .meta({ description: 'By how much everything that waits comes nearer.' }),
  })
  .meta({ id: 'ClockAdvance', description: 'Moves the clock of a sandbox forward.' })

const seed = z
  .string()
  .max(64)
  .regex(/^[\x20-\x7e]{1,64}$/, 'This must be 1 to 64 characters of ASCII.')

export const NewSettings = z
  .strictObject({
    number,
    seed: seed.optional().meta({ description: 'Determines names, delays and ids of the network.' }),
    reply_window: z
      .boolean()
      .optional()
      .meta({ description: 'Whether the number has the limits of a real number. False makes it lenient.' }),
  })
  .meta({ id: 'NewSimulatorSettings', description: 'Changes settings of a simulator number.' })

export const SimulatorSettings = z
  .object({ number_id: idSchema('num'), seed, reply_window: z.boolean() })
  .meta({ id: 'SimulatorSettings', description: 'The settings of a simulator number.' })

export const NumberQuery = z.strictObject({ number })

const WAIT_SECONDS_MAX = 30
const LISTED_MAX = 100

/** What the network was asked to deliver. */
export const SentQuery = z.strictObject({
  number,
  to: textSchema(150, 1).optional().meta({
    description: 'Only messages for this customer: a phone number in any usual spelling, or a user id.',
  }),
  after: idSchema('msg').optional().meta({
    description: 'Only messages that are newer than this one. With `to`, no message can be missed this way.',
  }),
  count: z.int().min(1).max(LISTED_MAX).default(1).meta({ description: 'How many messages `wait` waits for.' }),
  wait: z.int().min(0).max(WAIT_SECONDS_MAX).default(0).meta({
    description: 'How many seconds to wait until `count` messages match. The answer comes as soon as they do.',
  }),
  limit: z.int().min(1).max(LISTED_MAX).default(LISTED_MAX).meta({
    description: 'How many to return, 1 to 100: the first after `after`, or without it the newest.',
  }),
})

const SentMessage = z
  .object({
    to: textSchema(150).meta({ description: 'The recipient: a phone number with a leading +, or a user id.' }),
    copies: z.int().min(1).meta({ description: 'How often the network accepted it. More than 1 is a duplicate.' }),
    accepted_at: timeSchema.meta({ description: 'When the network accepted it.' }),
    message: Message,
  })
  .meta({ id: 'SimulatedSentMessage', description: 'A message that the simulated network accepted for a customer.' })

export const SentMessages = z
  .object({ data: z.array(SentMessage).max(LISTED_MAX) })
  .meta({ id: 'SimulatedSentMessages', description: 'Messages in the order in which you sent them.' })

export const sentExample = {
  to: '+6281311112222',
  copies: 1,
  accepted_at: '2026-11-14T09:30:00.120Z',
  message: messageExample,
}
