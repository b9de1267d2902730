import { z } from 'zod'
import { idSchema, timeSchema, visibleText } from '../../platform/http/schemas.ts'
import { paymentProviders } from '../connectors/connectors.ts'
import { paymentMethods } from '../payment-connector.ts'

/** Public schemas of payment accounts. The provider defines the names of credentials and settings. */
const fieldsSchema = z.record(z.string().max(64), z.string().max(2000).nullable())
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
  credentials: fieldsSchema.meta({ description: 'Stored encrypted, never shown again.' }),
  settings: fieldsSchema,
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
  .meta({ id: 'NewPaymentAccount' })

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
  .meta({ id: 'PaymentAccountChange' })

export const PaymentAccountShape = z
  .object({
    object: z.literal('payment_account'),
    id: idSchema('pac'),
    provider: z.enum(paymentProviders),
    name: settings.name,
    state: z.enum(['active', 'paused', 'disabled']),
    base_url: baseUrlSchema,
    credentials: z.record(z.string(), z.string()).meta({ description: 'By name, with the last characters only.' }),
    settings: z.record(z.string(), z.string()),
    methods: z.array(
      z.object({
        method: z.enum(paymentMethods),
        banks: z.array(z.string()).meta({ description: 'Of virtual accounts.' }),
        channels: z
          .array(
            z.object({
              channel: z.string().nullable().meta({ description: 'Null if the method has no channels.' }),
              amount_min: z.int(),
              amount_max: z.int().nullable(),
              expires_in_seconds: z.int().meta({ description: 'The default. 0 for none.' }),
              is_refundable: z.boolean(),
              needs_phone: z.boolean().meta({ description: 'The payer is asked in an app.' }),
            }),
          )
          .meta({ description: 'With their limits.' }),
        is_default: z.boolean(),
        is_manual: z.boolean().meta({ description: 'Staff say when it is paid.' }),
        is_refundable: z.boolean(),
      }),
    ),
    webhook_url: z
      .string()
      .nullable()
      .meta({ description: 'To be pasted at the provider. Null where it never calls.' }),
    last_notice_at: timeSchema.nullable(),
    last_error: z.object({ at: timeSchema, detail: z.string() }).nullable(),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: 'PaymentAccount' })

export type NewPaymentAccountInput = z.output<typeof NewPaymentAccount>
export type PaymentAccountChangeInput = z.output<typeof PaymentAccountChange>
export type PaymentAccountView = z.input<typeof PaymentAccountShape>
