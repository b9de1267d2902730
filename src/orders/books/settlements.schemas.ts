import { z } from 'zod'
import { paymentMethods } from '../../payments/payment-connector.ts'
import { currencySchema } from '../../payments/payments.schemas.ts'
import { SETTLEMENT_LINES_MAX } from '../../payments/settlements/settlements.ts'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import { daySchema } from './books.schemas.ts'

const amount = z.int().min(0)

export const Settlement = z
  .object({
    object: z.literal('settlement'),
    id: idSchema('stl'),
    payment_id: idSchema('pay'),
    order_id: idSchema('ord'),
    provider: textSchema(40),
    method: z.enum(paymentMethods),
    channel: textSchema(30).nullable(),
    status: z
      .enum(['reported', 'unreported'])
      .meta({ description: 'Whether the provider has reported the fee of the payment.' }),
    amount: amount.meta({ description: 'What was received for the payment, as the ledger has it.' }),
    fee: amount.nullable().meta({ description: 'The fee of the provider with tax; null until it is reported.' }),
    net: z.int().nullable().meta({ description: '`amount` less `fee`. Refunds and reversals are not subtracted.' }),
    difference: z.int().nullable().meta({
      description: 'The gross amount in the report less `amount`. Not 0 means that report and ledger disagree.',
    }),
    currency: currencySchema,
    settled_on: daySchema.nullable().meta({ description: 'The day on which the money reached your balance.' }),
    reference: textSchema(1000).nullable().meta({ description: 'How the report calls the payout.' }),
    paid_at: timeSchema.nullable(),
  })
  .meta({ id: 'Settlement', description: 'What the provider pays out for a payment: the amount less the fee.' })

export type SettlementView = z.input<typeof Settlement>

const count = z.int().min(0).max(SETTLEMENT_LINES_MAX)

export const SettlementImport = z
  .object({
    object: z.literal('settlement_import'),
    dry_run: z.boolean().meta({ description: 'Whether the file was only checked.' }),
    recorded: count,
    unchanged: count,
    failed: count,
    lines: z
      .array(
        z.object({
          line: z.int().min(1).meta({ description: 'The line in the file; the names of the columns are line 1.' }),
          payment_id: idSchema('pay').nullable(),
          result: z.enum(['recorded', 'unchanged', 'failed']),
          code: textSchema(60).nullable().meta({
            description: 'What is wrong with the line, or `amount_differs` on a line that was recorded.',
          }),
          detail: textSchema(2000).nullable(),
        }),
      )
      .max(SETTLEMENT_LINES_MAX),
  })
  .meta({ id: 'SettlementImport', description: 'The result of an import, line by line.' })

export const settlementExample: SettlementView = {
  object: 'settlement',
  id: 'stl_01k9x3m5q8e0t9v7a2b4c6d8fg',
  payment_id: 'pay_01k9x3m5q8e0t9v7a2b4c6d8fg',
  order_id: 'ord_01k9x3m5q8e0t9v7a2b4c6d8fg',
  provider: 'midtrans',
  method: 'qris',
  channel: null,
  status: 'reported',
  amount: 65000,
  fee: 455,
  net: 64545,
  difference: 0,
  currency: 'IDR',
  settled_on: '2026-11-15',
  reference: 'SETTLE-1511',
  paid_at: '2026-11-14T09:31:12.000Z',
}

export const settlementImportExample: z.input<typeof SettlementImport> = {
  object: 'settlement_import',
  dry_run: false,
  recorded: 1,
  unchanged: 0,
  failed: 1,
  lines: [
    { line: 2, payment_id: 'pay_01k9x3m5q8e0t9v7a2b4c6d8fg', result: 'recorded', code: null, detail: null },
    {
      line: 3,
      payment_id: null,
      result: 'failed',
      code: 'payment_unknown',
      detail: 'No payment through a provider has the id INV-1.',
    },
  ],
}
