import { z } from 'zod'
import { idSchema, textSchema, timeSchema } from '../platform/http/schemas.ts'

const LogSide = z.object({
  headers: z
    .record(textSchema(500), textSchema(2048))
    .nullable()
    .meta({ description: 'Kept for writes and for errors. Credentials are masked; null when they were not kept.' }),
  bytes: z.int().min(0).max(2_147_483_647).meta({ description: 'The size of the body on the wire.' }),
  body: textSchema(8192)
    .nullable()
    .meta({ description: 'Kept for writes and for errors. Secrets are masked; null when it was not kept.' }),
  is_cut: z.boolean().meta({ description: 'Whether the body was longer than what is kept of it.' }),
})

/** One line of the list: everything but the bodies. */
export const RequestLogSummary = z
  .object({
    object: z.literal('request_log'),
    id: idSchema('req'),
    at: timeSchema,
    caller: z
      .object({ type: z.enum(['key', 'agent', 'user', 'hook']), id: textSchema(40) })
      .nullable()
      .meta({ description: 'Whose credential it was, also when it was refused; null when it is not known.' }),
    auth_result: textSchema(40).meta({
      description: '`ok`, `none` when no credential was needed, or why it was refused.',
      examples: ['ok', 'expired'],
    }),
    method: textSchema(20),
    operation: textSchema(100).nullable().meta({ description: 'The operation id; null when no endpoint matched.' }),
    base_path: textSchema(200),
    path: textSchema(2048).meta({ description: 'Without the base path.' }),
    query: textSchema(4096).nullable(),
    status: z.int().min(0).max(999),
    error_code: textSchema(100).nullable(),
    duration_ms: z.number().min(0).max(86_400_000),
    address: textSchema(100),
    user_agent: textSchema(500).nullable(),
    client_request_id: textSchema(128).nullable(),
    idempotency_key: textSchema(255).nullable(),
    is_replayed: z.boolean().meta({ description: 'Answered from the stored reply of an earlier call.' }),
    request_bytes: z.int().min(0).max(2_147_483_647),
    response_bytes: z.int().min(0).max(2_147_483_647),
  })
  .meta({ id: 'RequestLogSummary', description: 'One API call, without its bodies.' })

export const RequestLog = RequestLogSummary.omit({ request_bytes: true, response_bytes: true })
  .extend({
    error_detail: textSchema(2048).nullable().meta({ description: 'More about the failure than the response says.' }),
    request: LogSide,
    response: LogSide,
  })
  .meta({ id: 'RequestLog', description: 'One API call with both sides.' })

const count = z.int().min(0).max(2_147_483_647)

export const RequestLogFacets = z
  .object({
    from: timeSchema,
    to: timeSchema,
    covered_from: timeSchema.meta({
      description: 'Counts are complete from here on; later than `from` with very many calls.',
    }),
    total: count,
    buckets: z
      .array(
        z.object({
          at: timeSchema,
          ok: count,
          client_error: count,
          server_error: count,
          p50_ms: z.number().nullable(),
          p95_ms: z.number().nullable(),
        }),
      )
      .max(100),
    facets: z
      .array(
        z.object({
          name: z.enum(['status', 'error_code', 'method', 'operation', 'caller']),
          values: z.array(z.object({ value: textSchema(100), count })).max(50),
        }),
      )
      .max(10),
  })
  .meta({ id: 'RequestLogFacets' })

export type RequestLogFacets = z.output<typeof RequestLogFacets>
export type RequestLogSummary = z.output<typeof RequestLogSummary>
export type RequestLog = z.output<typeof RequestLog>
