import { z } from 'zod'
import { MEDIA_TYPES } from '../../channels/content/content.ts'
import { MONEY_MAX } from '../../kernel/money.ts'
import { simulatedScenarios } from '../../payments/connectors/simulator/simulator.ts'
import { idSchema, textSchema, timeSchema, visibleText } from '../../platform/http/schemas.ts'

/** Simulating the customer and the payment network: the input and the answers. */
const stage = {
  number_id: idSchema('num'),
  from: textSchema(40, 1).meta({ description: 'The phone of the customer, in any spelling.' }),
  name: visibleText(100).optional(),
}
const messageId = textSchema(200, 1).meta({ description: 'msg_… or wamid.…' })

const mediaType = z.enum(MEDIA_TYPES)

/** Bytes as text in JSON: enough for a picture that shows something. */
const MEDIA_CHARACTERS_MAX = 240_000

export const CustomerMessage = z
  .strictObject({
    ...stage,
    text: visibleText(4096).optional(),
    location: z
      .strictObject({
        latitude: z.number().min(-90).max(90),
        longitude: z.number().min(-180).max(180),
        name: textSchema(200).optional(),
        address: textSchema(500).optional(),
      })
      .optional(),
    media: z
      .union([
        z.strictObject({
          type: mediaType,
          id: idSchema('med').meta({ description: 'A file that was uploaded before.' }),
        }),
        z.strictObject({
          type: mediaType,
          mime_type: textSchema(100, 3),
          filename: textSchema(200, 1).optional(),
          base64: z.base64('This must be a file as base64.').max(MEDIA_CHARACTERS_MAX),
        }),
      ])
      .optional(),
    reply_to: messageId.optional(),
  })
  .refine((body) => [body.text, body.location, body.media].some((part) => part !== undefined), {
    message: 'Send a text, a location or a file.',
    path: ['text'],
  })
  .meta({ id: 'CustomerMessage' })

export const CustomerReply = z.strictObject({
  ...stage,
  message_id: messageId,
  choice: textSchema(256, 1).meta({ description: 'Id or title of what they tap on, or its place from 1 on.' }),
})
export const CustomerReaction = z.strictObject({ ...stage, message_id: messageId, emoji: textSchema(16) })
export const CustomerReading = z.strictObject({ ...stage, message_id: messageId.optional() })

const CART_ITEMS_MAX = 30

export const CustomerCart = z.strictObject({
  ...stage,
  items: z
    .array(
      z.strictObject({
        product_retailer_id: textSchema(100, 1),
        quantity: z.int().min(1).max(9999),
        item_price: z.int().min(0).max(MONEY_MAX),
      }),
    )
    .min(1)
    .max(CART_ITEMS_MAX),
  text: textSchema(1024).optional(),
})

const Person = z
  .object({
    phone: textSchema(40).nullable(),
    user_id: textSchema(200),
    username: textSchema(100).nullable(),
    name: textSchema(200),
  })
  .meta({ id: 'SimulatedPerson' })
export const Written = z.object({ provider_ids: z.array(textSchema(300)), person: Person })
export const People = z.object({
  data: z.array(Person.extend({ messages_written: z.int(), last_wrote_at: timeSchema })),
})
export const ReadMessages = z.object({ read: z.array(textSchema(40)) })

export const SimulatedPaying = z.strictObject({
  scenario: z.enum(simulatedScenarios),
  amount: z
    .int()
    .min(1)
    .max(MONEY_MAX)
    .optional()
    .meta({ description: 'What the payer pays; the amount asked for by default.' }),
})
export const SimulatedRefunding = z.strictObject({ outcome: z.enum(['succeeded', 'failed']) })
export const TakenNotices = z.object({ notices: z.array(z.object({ status: z.int() })) })
