import { z } from 'zod'
import { idSchema, textSchema, timeSchema, visibleText } from '../../platform/http/schemas.ts'
import { baseUrlProblem, plainBaseUrl } from '../../platform/outbound-http/egress.ts'

/**
 * In Meta's dialect a path begins with a version or the phone_number_id, and beside it stand our own collections: a number
 * of such a name could never be called. A test holds this against the published paths.
 */
const RESERVED_NAMES = [
  ...['agent', 'agents', 'api-keys', 'approvals'],
  ...[
    'broadcasts',
    'chats',
    'contacts',
    'deliveries',
    'erasures',
    'event-types',
    'events',
    'invitations',
    'me',
    'messages',
    'numbers',
    'orders',
    'organization',
    'organizations',
    'payment-accounts',
    'payment-links',
    'payments',
    'people',
    'products',
    'refunds',
    'reports',
    'saved-replies',
    'settlements',
    'simulator',
    'statements',
    'templates',
    'webhook-endpoints',
  ],
  ...['content', 'debug_token', 'media', 'message_templates', 'oauth'],
]
const VERSION = /^v\d{1,3}(?:\.\d{1,3})?$/i

const reserved = (what: string) => ({
  error: `This ${what}. Use the id that the network assigned to the number, usually digits.`,
  params: { code: 'reserved' },
  abort: true,
})

/** The settings of a number with any connector; the connector's own fields come on top. */
const PhoneNumberId = z
  .string()
  .refine((text) => !VERSION.test(text), reserved('is a version of the API and not a number'))
  .refine((text) => !RESERVED_NAMES.includes(text), reserved('is a path of the API and not a number'))
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'This must be the id the network gave the number: digits, as a rule. Not the phone.')
  .meta({ pattern: '^[0-9]{5,64}$', maxLength: 64, description: 'The id that the network gave the number.' })

/** With or without plus, blanks and hyphens; kept with the plus and without the rest. */
const DisplayPhone = z
  .string()
  .transform((text) => `+${text.replaceAll(/[\s().-]/g, '').replace(/^\+/, '')}`)
  .refine(
    (text) => /^\+[1-9][0-9]{6,14}$/.test(text),
    'This must be the phone number in international form, such as +6281200000001.',
  )
  .meta({ pattern: '^\\+[1-9][0-9]{6,14}$', maxLength: 40, description: 'The phone number, as customers see it.' })

const BaseUrl = z
  .string()
  .max(500)
  .superRefine((text, { addIssue }) => {
    const problem = baseUrlProblem(text, 'https://graph.facebook.com')
    if (problem !== null) addIssue({ code: 'custom', message: problem, params: { code: 'url_invalid' } })
  })
  .transform(plainBaseUrl)
  .meta({
    format: 'uri',
    pattern: '^https://',
    description: "Another address than the network's own: a stand-in, or a proxy.",
  })

/** Settings of every number. Absent means the connector's own. */
export const NumberSettings = z.object({
  /** The outcome of a message whose sending may or may not have succeeded, once waiting for a sign of it is over. */
  ambiguous: z.enum(['fail', 'resend'], 'This must be "fail" or "resend".').optional(),
  messages_per_second: z.number().min(0.1).max(1000).optional(),
  /** Least time between two messages to one person, for numbers that are throttled per person all the time. */
  pair_gap_ms: z.number().int().min(0).max(60_000).optional(),
  /** Whether free-form messages outside the 24-hour window are refused before they are sent. False makes a simulator number lenient. */
  reply_window: z.boolean('This must be true or false; "on" or "off" in a command.').optional(),
})

const FIELDS_MAX = 50
const fieldName = textSchema(64, 1)
const credentialText = textSchema(4000)

const isDefault = z.boolean().optional().meta({ description: 'Whether messages that name no number leave from it.' })
const credentialsMeta = { maxProperties: FIELDS_MAX, description: 'Stored encrypted, never shown again.' }
const settingsMeta = {
  maxProperties: FIELDS_MAX,
  description: 'Settings of every number, such as `messages_per_second`, and those of the connector.',
}

export const NewNumber = z
  .strictObject({
    connector: textSchema(64, 1).meta({ description: 'The network: `whatsapp-cloud` or `simulator`.' }),
    phone_number_id: PhoneNumberId,
    display_phone: DisplayPhone,
    name: visibleText(200).optional(),
    base_url: BaseUrl.nullable().optional(),
    is_default: isDefault,
    credentials: z.record(fieldName, credentialText).default({}).meta(credentialsMeta),
    settings: z.record(fieldName, z.unknown()).default({}).meta(settingsMeta),
  })
  .meta({ id: 'NewNumber', description: 'A business number to connect.' })
export type NewNumberInput = z.input<typeof NewNumber>

/** What is absent stays. A credential or setting that is null is taken away. */
export const NumberChange = z
  .strictObject({
    display_phone: DisplayPhone.optional(),
    name: visibleText(200).optional(),
    base_url: BaseUrl.nullable().optional(),
    is_default: isDefault,
    credentials: z.record(fieldName, credentialText.nullable()).default({}).meta(credentialsMeta),
    settings: z.record(fieldName, z.unknown()).default({}).meta(settingsMeta),
  })
  .meta({ id: 'NumberChange', description: 'Changes of a business number. What is absent stays.' })
export type NumberChangeInput = z.input<typeof NumberChange>

const numberStates = ['connected', 'paused', 'disconnected'] as const
export type NumberState = (typeof numberStates)[number]

/** As shown to people and programs: credentials only by whether they are set. */
export const NumberShape = z
  .object({
    object: z.literal('number'),
    id: idSchema('num'),
    connector: textSchema(64),
    phone_number_id: textSchema(64),
    display_phone: textSchema(32),
    name: textSchema(200),
    base_url: textSchema(500).nullable(),
    is_default: z.boolean(),
    state: z.enum(numberStates),
    state_reason: textSchema(500).nullable(),
    credentials: z.record(textSchema(64), z.enum(['set', 'not set'])).meta({ maxProperties: FIELDS_MAX }),
    settings: z.record(textSchema(64), z.unknown()).meta({ maxProperties: FIELDS_MAX }),
    webhook_url: textSchema(1000).meta({ description: 'Where the network posts what happens. Register it there.' }),
    health: z.object({
      last_event_at: timeSchema.nullable(),
      last_error: z.object({ code: textSchema(200), detail: textSchema(4000), at: timeSchema }).nullable(),
      queued: z.int().min(0).max(1_000_000_000).meta({ description: 'Messages that wait to be sent.' }),
      reports: z
        .array(
          z.object({
            field: textSchema(200),
            event: textSchema(200).nullable(),
            detail: textSchema(4000),
            is_trouble: z.boolean(),
            at: timeSchema,
          }),
        )
        .max(100)
        .meta({ description: 'What the network last reported about the number, newest first.' }),
    }),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: 'BusinessNumber', description: 'A number that messages are sent from.' })
export type NumberView = z.input<typeof NumberShape>
