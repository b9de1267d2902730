import { z } from 'zod'
import { NewTemplate } from '../channels/content/message-content.schemas.ts'
import { TemplateReply } from '../channels/content/message-content-reply.schemas.ts'
import { idSchema, momentSchema, textSchema, timeSchema, visibleText } from '../platform/http/schemas.ts'

export const broadcastStatuses = ['draft', 'running', 'paused', 'completed', 'cancelled'] as const
export type BroadcastStatus = (typeof broadcastStatuses)[number]

/** Why a person is not sent a broadcast, beside the codes of `POST /messages`. */
export const SKIPPED = {
  optInMissing: 'opt_in_missing',
  optedOut: 'opted_out',
  phoneImpossible: 'phone_impossible',
  otherNumber: 'other_number',
  duplicate: 'duplicate',
} as const

const RECIPIENTS_MAX = 5_000
export const AUDIENCE_MAX = 100_000
const PER_MINUTE_MAX = 4_800
const PER_MINUTE_DEFAULT = 300
const PRICE_MAX = 1_000_000
const COUNT_MAX = 1_000_000_000

const reasonSchema = textSchema(100).meta({
  description:
    '`opt_in_missing`, `opted_out`, `phone_impossible`, `other_number` (a person without a phone who writes to another number of yours), `duplicate` (in the list before), `erased`, or an error code of `POST /messages`.',
})

const variablesSchema = z
  .union([
    z.array(textSchema(1024)).max(100),
    z.record(textSchema(100, 1), textSchema(1024)).meta({ maxProperties: 100 }),
  ])
  .meta({
    description: 'Fills the variables of the body for this person, in place of `template.variables`.',
  })

const OptIn = z
  .strictObject({
    source: visibleText(200).meta({ description: 'Where the person agreed, such as `checkout form`.' }),
    at: momentSchema.optional().meta({ description: 'When. Now if absent.' }),
  })
  .meta({ id: 'NewOptIn', description: 'That a person agreed to receive such messages.' })

const BroadcastRecipientInput = z
  .strictObject({
    to: visibleText(100).meta({ description: 'A phone number.' }),
    variables: variablesSchema.optional(),
    opt_in: OptIn.optional().meta({ description: 'Recorded with the contact when the message is sent.' }),
  })
  .meta({ id: 'NewBroadcastRecipient' })

export const NewBroadcast = z
  .strictObject({
    name: visibleText(200).meta({ description: 'For you. Customers do not see it.' }),
    from: visibleText(100).optional().meta({ description: 'The number to send from. The default number if absent.' }),
    template: NewTemplate,
    label: visibleText(64).optional().meta({ description: 'Everyone whose chat has this label.' }),
    recipients: z
      .array(BroadcastRecipientInput)
      .min(1)
      .max(RECIPIENTS_MAX)
      .optional()
      .meta({ description: 'These people. Give either `label` or `recipients`.' }),
    per_minute: z.int().min(1).max(PER_MINUTE_MAX).default(PER_MINUTE_DEFAULT).meta({
      description: 'At most this many messages a minute.',
    }),
    daily_max: z.int().min(1).max(AUDIENCE_MAX).optional().meta({
      description:
        'At most this many people of all broadcasts of the number in 24 hours. If absent, the limit that WhatsApp last reported for the number.',
    }),
    unit_price: z.int().min(0).max(PRICE_MAX).optional().meta({
      description: 'What Meta charges you for one message, in rupiah, for the estimate.',
    }),
    send_at: momentSchema.optional().meta({ description: 'When started, nothing is sent before.' }),
  })
  .refine(({ label, recipients }) => (label === undefined) !== (recipients === undefined), {
    message: 'Give either label or recipients.',
    path: ['recipients'],
  })
  .meta({
    id: 'NewBroadcast',
    description: 'One template to a label or a list of people.',
    oneOf: [{ required: ['label'] }, { required: ['recipients'] }],
  })

export type NewBroadcastInput = z.output<typeof NewBroadcast>

const count = z.int().min(0).max(COUNT_MAX)

export const Broadcast = z
  .object({
    object: z.literal('broadcast'),
    id: idSchema('brd'),
    name: textSchema(200),
    status: z.enum(broadcastStatuses),
    paused_reason: textSchema(100).nullable().meta({
      description:
        '`requested` if a person or program paused it; `quality_low`, `number_paused` or `number_not_connected` if the number did; or the error code that refuses the template.',
    }),
    number_id: idSchema('num'),
    template: TemplateReply,
    label: textSchema(64).nullable(),
    per_minute: z.int().min(1).max(PER_MINUTE_MAX),
    daily_max: z.int().min(1).max(AUDIENCE_MAX).nullable(),
    counts: z
      .object({ pending: count, sent: count, delivered: count, read: count, failed: count, skipped: count })
      .meta({
        id: 'BroadcastCounts',
        description:
          'People. `delivered`, `read` and `failed` are of those in `sent`, and a message that was read also counts as delivered.',
      }),
    skipped: z
      .record(textSchema(100), count)
      .meta({ maxProperties: 100, description: 'How many people were left out, by reason.' }),
    estimated_cost: z
      .object({ amount: z.int().min(0).max(Number.MAX_SAFE_INTEGER), currency: z.literal('IDR') })
      .meta({ id: 'BroadcastCost', description: 'The cost of all messages of a broadcast.' })
      .nullable()
      .meta({ description: 'Of all who are or will be sent it. Null without `unit_price`.' }),
    send_at: timeSchema.nullable(),
    created_at: timeSchema,
    started_at: timeSchema.nullable(),
    ended_at: timeSchema.nullable(),
  })
  .meta({ id: 'Broadcast', description: 'One template to many people, each at most once.' })

export type BroadcastView = z.input<typeof Broadcast>

export const recipientStatuses = ['pending', 'sent', 'skipped', 'cancelled'] as const

export const BroadcastRecipient = z
  .object({
    object: z.literal('broadcast_recipient'),
    to: textSchema(100).nullable().meta({ description: 'The phone number. Null for a person without one.' }),
    contact_id: idSchema('con').nullable(),
    status: z.enum(recipientStatuses),
    reason: reasonSchema.nullable(),
    message_id: idSchema('msg').nullable(),
    message_status: textSchema(50).nullable().meta({ description: 'As `status` of the message.' }),
    message_error: textSchema(100).nullable().meta({ description: 'The `error.code` of a message that failed.' }),
    opt_in: z.object({ source: textSchema(200), at: timeSchema }).nullable(),
    sent_at: timeSchema.nullable(),
  })
  .meta({ id: 'BroadcastRecipient', description: 'One person of a broadcast, and what was sent to them.' })

export const NewConsent = OptIn
export const ContactConsent = z
  .object({
    object: z.literal('contact_consent'),
    contact_id: idSchema('con'),
    opted_in: z.boolean(),
    source: textSchema(200),
    at: timeSchema,
  })
  .meta({ id: 'ContactConsent', description: 'Whether a customer agreed to receive broadcasts.' })

export const consentExample = {
  object: 'contact_consent' as const,
  contact_id: 'con_01k9x3m5q8e0t9v7a2b4c6d8fg',
  opted_in: true,
  source: 'checkout form',
  at: '2026-11-14T09:30:00.000Z',
}

const templateExample = { name: 'order_ready', language: 'id' }

export const newBroadcastExample = {
  name: 'New coffee',
  template: templateExample,
  label: 'regular',
  unit_price: 650,
}

export const broadcastExample: BroadcastView = {
  object: 'broadcast',
  id: 'brd_01k9x3m5q8e0t9v7a2b4c6d8fg',
  name: 'New coffee',
  status: 'draft',
  paused_reason: null,
  number_id: 'num_01k9x3m5q8e0t9v7a2b4c6d8fg',
  template: {
    name: 'order_ready',
    language: { code: 'id' },
  },
  label: 'regular',
  per_minute: 300,
  daily_max: 1000,
  counts: { pending: 120, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 14 },
  skipped: { opt_in_missing: 12, opted_out: 2 },
  estimated_cost: { amount: 78000, currency: 'IDR' },
  send_at: null,
  created_at: '2026-11-14T09:30:00.000Z',
  started_at: null,
  ended_at: null,
}

export const recipientExample = {
  object: 'broadcast_recipient' as const,
  to: '+6281234567890',
  contact_id: 'con_01k9x3m5q8e0t9v7a2b4c6d8fg',
  status: 'sent' as const,
  reason: null,
  message_id: 'msg_01k9x3m5q8e0t9v7a2b4c6d8fg',
  message_status: 'read',
  message_error: null,
  opt_in: null,
  sent_at: '2026-11-14T09:31:00.000Z',
}
