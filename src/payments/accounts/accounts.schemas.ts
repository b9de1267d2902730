import { z } from 'zod'
import { idSchema, textSchema, timeSchema, visibleText } from '../../platform/http/schemas.ts'
import { paymentProviders } from '../connectors/connectors.ts'
import { paymentMethods } from '../payment-connector.ts'

/** Public schemas of payment accounts. The provider defines the names of credentials and settings. */
const FIELDS_MAX = 50
const fieldsSchema = z.record(textSchema(64), textSchema(2000).nullable())
const methodsSchema = z.array(z.enum(paymentMethods)).max(paymentMethods.length)

const baseUrlSchema = z
  .string()
  .max(500)
  .regex(/^https?:\/\//, 'The base URL must begin with https://.')
  .nullable()
  .meta({ format: 'uri', description: "Another address than the provider's own: its sandbox, or a local stand-in." })

const settings = {
  name: visibleText(200).meta({ description: 'For people.' }),
  base_url: baseUrlSchema,
  credentials: fieldsSchema.meta({ maxProperties: FIELDS_MAX, description: 'Stored encrypted, never shown again.' }),
  settings: fieldsSchema.meta({ maxProperties: FIELDS_MAX, description: 'Settings of the provider.' }),
  methods: methodsSchema.min(1).nullable().meta({ description: 'What it serves. Null for all that the provider can.' }),
  default_methods: methodsSchema.meta({ description: 'What it is the first choice for.' }),
}

export const NewPaymentAccount = z
  .strictObject({
    provider: z.enum(paymentProviders),
    name: settings.name.optional(),
    base_url: settings.base_url.optional(),
    credentials: settings.credentials.default({}),
    settings: settings.settings.default({}),
    methods: settings.methods.optional(),
    default_methods: settings.default_methods.default([]),
  })
  .meta({ id: 'NewPaymentAccount', description: 'A payment account to connect.' })

export const PaymentAccountChange = z
  .strictObject({
    name: settings.name.optional(),
    state: z.enum(['active', 'paused', 'disabled']).optional(),
    base_url: settings.base_url.optional(),
    credentials: settings.credentials.default({}),
    settings: settings.settings.default({}),
    methods: settings.methods.optional(),
    default_methods: settings.default_methods.optional(),
  })
  .meta({ id: 'PaymentAccountChange', description: 'Changes of a payment account. What is absent stays.' })

export const PaymentAccountShape = z
  .object({
    object: z.literal('payment_account'),
    id: idSchema('pac'),
    provider: z.enum(paymentProviders),
    name: settings.name,
    state: z.enum(['active', 'paused', 'disabled']),
    base_url: baseUrlSchema,
    credentials: z
      .record(textSchema(64), textSchema(2000))
      .meta({ maxProperties: FIELDS_MAX, description: 'By name, with the last characters only.' }),
    settings: z.record(textSchema(64), textSchema(2000)).meta({ maxProperties: FIELDS_MAX }),
    methods: z
      .array(
        z.object({
          method: z.enum(paymentMethods),
          banks: z.array(textSchema(40)).max(100).meta({ description: 'Of virtual accounts.' }),
          channels: z
            .array(
              z.object({
                channel: textSchema(40).nullable().meta({ description: 'Null if the method has no channels.' }),
                amount_min: z.int().min(0).max(1_000_000_000_000),
                amount_max: z.int().min(0).max(1_000_000_000_000).nullable(),
                expires_in_seconds: z.int().min(0).max(1_000_000_000).meta({ description: 'The default. 0 for none.' }),
                is_refundable: z.boolean(),
                needs_phone: z.boolean().meta({ description: 'The payer is asked in an app.' }),
              }),
            )
            .max(100)
            .meta({ description: 'With their limits.' }),
          is_default: z.boolean(),
          is_manual: z.boolean().meta({ description: 'Staff say when it is paid.' }),
          is_refundable: z.boolean(),
        }),
      )
      .max(paymentMethods.length),
    webhook_url: textSchema(1000)
      .nullable()
      .meta({ description: 'To be pasted at the provider. Null where it never calls.' }),
    last_notice_at: timeSchema.nullable(),
    last_error: z.object({ at: timeSchema, detail: textSchema(4000) }).nullable(),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: 'PaymentAccount', description: 'An account of a payment provider.' })

export type NewPaymentAccountInput = z.output<typeof NewPaymentAccount>
export type PaymentAccountChangeInput = z.output<typeof PaymentAccountChange>
export type PaymentAccountView = z.input<typeof PaymentAccountShape>
