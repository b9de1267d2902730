import { z } from 'zod'
import { currencySchema } from '../../payments/payments.schemas.ts'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import { daySchema } from '../books/books.schemas.ts'
import { STATEMENT_LINES_MAX } from './statement-file.ts'

export const SUGGESTIONS_MAX = 5

export const statementStatuses = ['open', 'confirmed', 'ignored'] as const

const Suggestion = z.object({
  order_id: idSchema('ord'),
  order_number: textSchema(20),
  customer_name: textSchema(200).nullable(),
  amount_remaining: z.int().min(0),
  matches: z
    .array(z.enum(['amount', 'unique_amount', 'number', 'reference', 'name']))
    .max(5)
    .meta({
      description:
        'What the line and the order have in common. `unique_amount`: no other open transfer asks for this amount.',
    }),
})

export const StatementLine = z
  .object({
    object: z.literal('statement_line'),
    id: idSchema('stm'),
    date: daySchema,
    amount: z.int().min(1),
    currency: currencySchema,
    description: textSchema(500),
    status: z.enum(statementStatuses).meta({
      description: '`open`, `confirmed` as the payment of an order, or `ignored`.',
    }),
    order_id: idSchema('ord').nullable().meta({ description: 'The order that the line pays.' }),
    payment_id: idSchema('pay').nullable(),
    suggestions: z.array(Suggestion).max(SUGGESTIONS_MAX).meta({
      description: 'Orders that an open line may pay, the best first. Nothing is recorded until a line is confirmed.',
    }),
    created_at: timeSchema,
    updated_at: timeSchema,
  })
  .meta({ id: 'StatementLine', description: 'Money that arrived on your bank account, as its statement says.' })

export type StatementLineView = z.input<typeof StatementLine>

const count = z.int().min(0).max(STATEMENT_LINES_MAX)

export const StatementImport = z
  .object({
    object: z.literal('statement_import'),
    added: count,
    duplicates: count.meta({ description: 'Lines that were imported before.' }),
    outgoing: count.meta({ description: 'Lines about money that left the account. They are not stored.' }),
    failed: count,
    lines: z
      .array(
        z.object({
          line: z.int().min(1).meta({ description: 'The line in the file; the names of the columns are line 1.' }),
          result: z.enum(['added', 'duplicate', 'outgoing', 'failed']),
          statement_line_id: idSchema('stm').nullable(),
          code: textSchema(60).nullable(),
          detail: textSchema(1000).nullable(),
        }),
      )
      .max(STATEMENT_LINES_MAX),
  })
  .meta({ id: 'StatementImport', description: 'The result of an import, line by line.' })

export type StatementImportView = z.input<typeof StatementImport>

export const StatementConfirmation = z
  .strictObject({
    order_id: idSchema('ord').meta({ description: 'The order that the line pays.' }),
  })
  .meta({ id: 'StatementConfirmation', description: 'Which order a line pays.' })

const ID = '01k9x3m5q8e0t9v7a2b4c6d8fg'

export const statementLineExample: StatementLineView = {
  object: 'statement_line',
  id: `stm_${ID}`,
  date: '2026-11-14',
  amount: 65000,
  currency: 'IDR',
  description: 'TRSF E-BANKING CR 1001 BUDI',
  status: 'open',
  order_id: null,
  payment_id: null,
  suggestions: [
    {
      order_id: `ord_${ID}`,
      order_number: '1001',
      customer_name: 'Budi',
      amount_remaining: 65000,
      matches: ['amount', 'number', 'name'],
    },
  ],
  created_at: '2026-11-14T12:00:00.000Z',
  updated_at: '2026-11-14T12:00:00.000Z',
}

export const statementImportExample: StatementImportView = {
  object: 'statement_import',
  added: 1,
  duplicates: 0,
  outgoing: 1,
  failed: 0,
  lines: [
    { line: 2, result: 'added', statement_line_id: `stm_${ID}`, code: null, detail: null },
    { line: 3, result: 'outgoing', statement_line_id: null, code: null, detail: null },
  ],
}
