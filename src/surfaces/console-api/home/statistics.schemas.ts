import { z } from 'zod'
import { timeSchema } from '../../../platform/http/schemas.ts'

/** The charts of the first page. Buckets are complete, oldest first, with zeros where nothing happened. */
export const ranges = ['24h', '7d', '30d'] as const

const at = { at: timeSchema }
const count = z.int().min(0)
const milliseconds = z.number().min(0).nullable()

export const Statistics = z
  .object({
    range: z.enum(ranges),
    bucket_seconds: z.int(),
    from: timeSchema,
    to: timeSchema,
    is_partial: z.boolean().meta({
      description: 'There was more to read than there is time for. Ask again: what was read is kept.',
    }),
    covered_from: timeSchema.meta({ description: 'Figures are complete from here on.' }),
    requests: z
      .object({
        total: count,
        buckets: z.array(z.object({ ...at, ok: count, client_error: count, server_error: count })),
      })
      .nullable(),
    latency: z
      .object({
        p50_ms: milliseconds,
        p99_ms: milliseconds,
        buckets: z.array(z.object({ ...at, p50_ms: milliseconds, p99_ms: milliseconds })),
      })
      .nullable(),
    deliveries: z
      .object({
        total: count,
        buckets: z.array(z.object({ ...at, succeeded: count, failed: count, pending: count })),
      })
      .nullable(),
    messages: z
      .object({
        total_in: count,
        total_out: count,
        buckets: z.array(z.object({ ...at, in: count, out: count })),
      })
      .nullable(),
    orders: z
      .object({
        paid_count: count,
        paid_sum: count,
        buckets: z.array(z.object({ ...at, paid_count: count, paid_sum: count })),
      })
      .nullable(),
  })
  .meta({ id: 'Statistics' })

const Step = z.object({ done: z.boolean(), at: timeSchema.nullable() })
export const Checklist = z
  .object({
    message_received: Step,
    order_created: Step.extend({ order_id: z.string().nullable() }),
    order_paid: Step,
    webhook_delivered: Step,
  })
  .meta({ id: 'Checklist' })
