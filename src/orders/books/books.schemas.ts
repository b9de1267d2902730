import { z } from 'zod'
import { paymentMethods } from '../../payments/payment-connector.ts'
import { currencySchema } from '../../payments/payments.schemas.ts'
import { textSchema } from '../../platform/http/schemas.ts'

export const daySchema = z.iso
  .date({ error: 'This must be a day such as 2026-11-14.' })
  .max(10)
  .meta({ format: 'date', description: 'A day in the time zone of the organization.' })

const sums = {
  received: z.int().meta({ description: 'Payments received.' }),
  refunded: z.int().meta({ description: 'Refunds that succeeded.' }),
  reversed: z.int().meta({ description: 'Payments that a bank reversed.' }),
  net: z
    .int()
    .meta({ description: '`received` less `refunded` and `reversed`. Fees of the provider are not included.' }),
  payments: z.int().min(0).meta({ description: 'The number of payments received.' }),
}

/** More days than a shop has records of. */
const PERIODS_MAX = 20_000

export const SalesReport = z
  .object({
    object: z.literal('sales_report'),
    from: daySchema,
    to: daySchema,
    by: z.enum(['day', 'month']),
    timezone: textSchema(60).meta({ description: 'The time zone of the organization, in which days begin.' }),
    currency: currencySchema,
    totals: z.object(sums),
    periods: z
      .array(
        z.object({
          period: daySchema.meta({ description: 'The day, or the first day of the month.' }),
          ...sums,
          methods: z.array(z.object({ method: z.enum(paymentMethods), ...sums })).max(paymentMethods.length),
        }),
      )
      .max(PERIODS_MAX),
  })
  .meta({
    id: 'SalesReport',
    description:
      'What was received and returned, per day or month. The sums are those of the ledger. Periods without payments, refunds and reversals are left out.',
  })

/** A line of the report as CSV. */
export const SalesReportRow = z.object({
  period: daySchema,
  method: z.enum(paymentMethods),
  currency: currencySchema,
  ...sums,
})

export type SalesReportView = z.input<typeof SalesReport>

const exampleSums = { received: 130000, refunded: 15000, reversed: 0, net: 115000, payments: 2 }

export const salesReportExample = {
  object: 'sales_report' as const,
  from: '2026-11-01',
  to: '2026-11-30',
  by: 'day' as const,
  timezone: 'Asia/Jakarta',
  currency: 'IDR' as const,
  totals: exampleSums,
  periods: [{ period: '2026-11-14', ...exampleSums, methods: [{ method: 'qris' as const, ...exampleSums }] }],
}
