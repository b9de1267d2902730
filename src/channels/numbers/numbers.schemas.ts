import { z } from 'zod'
import { idSchema, timeSchema, visibleText } from '../../platform/http/schemas.ts'
import { baseUrlProblem, plainBaseUrl } from '../../platform/outbound-http/egress.ts'

/**
 * In Meta's dialect a path begins with a version or the phone_number_id, and beside it stand our own collections: a number
 * of such a name could never be called. A test holds this against the published paths.
 */
const RESERVED_NAMES = [
  ...['agent', 'approvals'],
  ...[
    'chats',
    'contacts',
    'deliveries',
    'event-types',
    'events',
    'me',
    'messages',
    'orders',
    'simulator',
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

/** With or without plus, blanks and hyphens; kept with the plus and without the rest. */
const DisplayPhone = z
  .string()
  .transform((text) => `+${text.replaceAll(/[\s().-]/g, '').replace(/^\+/, '')}`)
  .refine(
    (text) => /^\+[1-9][0-9]{6,14}$/.test(text),
    'This must be the phone number in international form, such as +6281200000001.',
  )

const BaseUrl = z
  .string()
  .max(500)
  .superRefine((text, { addIssue }) => {
    const problem = baseUrlProblem(text, 'https://graph.facebook.com')
    if (problem !== null) addIssue({ code: 'custom', message: problem })
  })
  .transform(plainBaseUrl)

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

export const NewNumber = z
  .object({
    connector: z.string().min(1).max(64),
    phone_number_id: PhoneNumberId,
    display_phone: DisplayPhone,
    name: visibleText(200).optional(),
    base_url: BaseUrl.nullable().optional(),
    is_default: z.boolean().optional(),
    credentials: z.record(z.string(), z.string()).default({}),
    settings: z.record(z.string(), z.unknown()).default({}),
  })
  .meta({ id: 'NewNumber' })
export type NewNumberInput = z.input<typeof NewNumber>

/** What is absent stays. A credential or setting that is null is taken away. */
export const NumberChange = z
  .object({
    display_phone: DisplayPhone.optional(),
    name: visibleText(200).optional(),
    base_url: BaseUrl.nullable().optional(),
    is_default: z.boolean().optional(),
    credentials: z.record(z.string(), z.string().nullable()).default({}),
    settings: z.record(z.string(), z.unknown()).default({}),
  })
  .meta({ id: 'NumberChange' })
export type NumberChangeInput = z.input<typeof NumberChange>

const numberStates = ['connected', 'paused', 'disconnected'] as const
export type NumberState = (typeof numberStates)[number]

/** As shown to people and programs: credentials only by whether they are set. */
export const NumberShape = z
  .object({
    object: z.literal('number'),
    id: idSchema('num'),
    connector: z.string().max(64),
    phone_number_id: z.string().max(64),
    display_phone: z.string().max(32),
    name: z.string().max(200),
    base_url: z.string().max(500).nullable(),
    is_default: z.boolean(),
    state: z.enum(numberStates),
    state_reason: z.string().nullable(),
    credentials: z.record(z.string(), z.enum(['set', 'not set'])),
    settings: z.record(z.string(), z.unknown()),
    webhook_url: z.string().max(1000),
    health: z.object({
      last_event_at: timeSchema.nullable(),
      last_error: z.object({ code: z.string(), detail: z.string(), at: timeSchema }).nullable(),
      queued: z.number().int(),
      reports: z.array(
        z.object({
          field: z.string(),
          event: z.string().nullable(),
          detail: z.string(),
          is_trouble: z.boolean(),
          at: timeSchema,
        }),
      ),
    }),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: 'BusinessNumber' })
export type NumberView = z.input<typeof NumberShape>
