import { z } from 'zod'
import { MONEY_MAX } from '../../kernel/money.ts'
import { paymentMethods } from '../../payments/payment-connector.ts'
import { currencySchema, moneySchema } from '../../payments/payments.schemas.ts'
import {
  idSchema,
  METADATA_VALUE_MAX,
  metadataSchema,
  momentSchema,
  textSchema,
  timeSchema,
  visibleText,
} from '../../platform/http/schemas.ts'

const linkStatuses = ['active', 'inactive', 'expired', 'paid'] as const

export const PaymentLink = z
  .object({
    object: z.literal('payment_link'),
    id: idSchema('plk'),
    url: textSchema(2048).meta({ description: 'The page for payers. It needs no sign-in.' }),
    status: z.enum(linkStatuses).meta({
      description: '`paid` for a single-use link that was paid. Only an `active` link can be opened by more payers.',
    }),
    title: textSchema(200),
    description: textSchema(1000).nullable(),
    amount: moneySchema.nullable().meta({ description: 'Null if the payer chooses the amount.' }),
    amount_min: moneySchema.nullable(),
    amount_max: moneySchema.nullable(),
    currency: currencySchema,
    single_use: z.boolean(),
    methods: z
      .array(z.enum(paymentMethods))
      .max(paymentMethods.length)
      .nullable()
      .meta({ description: 'Null for all methods that the organization has enabled.' }),
    active: z.boolean(),
    expires_at: timeSchema.nullable(),
    paid_count: z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ description: 'Orders of this link with money.' }),
    amount_received: moneySchema.meta({ description: 'What these orders received, without refunds and reversals.' }),
    metadata: z.record(z.string().max(40), textSchema(METADATA_VALUE_MAX)),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: 'PaymentLink', description: 'A page to pay on without an order. Each payer who pays gets an order.' })

export type PaymentLinkView = z.input<typeof PaymentLink>

const title = visibleText(200).meta({ description: 'What is paid. The page and the order show it.' })
const description = textSchema(1000).nullable().meta({ description: 'Shown on the page.' })
const limit = z.int().min(1).max(MONEY_MAX).optional()
const expiresAt = momentSchema.nullable().meta({ description: 'When the link expires, in the future.' })

export const NewPaymentLink = z
  .strictObject({
    title,
    description: description.optional(),
    amount: limit.meta({ description: 'The amount to pay. Without it, the payer chooses the amount.' }),
    amount_min: limit.meta({ description: 'The lowest amount that a payer can choose.' }),
    amount_max: limit.meta({ description: 'The highest amount that a payer can choose.' }),
    single_use: z
      .boolean()
      .optional()
      .meta({ description: 'Whether the link takes one payment only. Default: false.' }),
    methods: z
      .array(z.enum(paymentMethods))
      .min(1)
      .max(paymentMethods.length)
      .optional()
      .meta({ description: 'The methods to choose from. Default: all that the page can offer.' }),
    expires_at: expiresAt.optional(),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'NewPaymentLink', description: 'A payment link to create.' })

export type NewLinkInput = z.output<typeof NewPaymentLink>

export const PaymentLinkChange = z
  .strictObject({
    title: title.optional(),
    description: description.optional(),
    active: z.boolean().optional().meta({ description: 'False deactivates the link; true activates it again.' }),
    expires_at: expiresAt.optional(),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'PaymentLinkChange', description: 'What to change. The amounts stay.' })

export type LinkChangeInput = z.output<typeof PaymentLinkChange>

export const paymentLinkExample: PaymentLinkView = {
  object: 'payment_link',
  id: 'plk_01k9x3m5q8e0t9v7a2b4c6d8fg',
  url: 'http://127.0.0.1:3900/pay/BAmhzT_rB9gUEhh0K3YWFK0BnoG0t3TgDpHkqL0N0I2eWp9c3Lw8Sx5mJd2Q1vTq',
  status: 'active',
  title: 'Kelas barista',
  description: 'Sabtu, pukul 10.00',
  amount: 150000,
  amount_min: null,
  amount_max: null,
  currency: 'IDR',
  single_use: false,
  methods: null,
  active: true,
  expires_at: null,
  paid_count: 3,
  amount_received: 450000,
  metadata: {},
  created_at: '2026-11-14T09:30:00.000Z',
  updated_at: '2026-11-14T09:30:00.000Z',
}
