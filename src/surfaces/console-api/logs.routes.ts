import { z } from 'zod'
import { listEventsOfRequest } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { readCursor } from '../../platform/http/define-list.ts'
import { defineRoute, type Route } from '../../platform/http/define-route.ts'
import {
  cursorParameter,
  idSchema,
  limitParameter,
  listOf,
  momentOf,
  momentSchema,
  textSchema,
  timeSchema,
} from '../../platform/http/schemas.ts'
import { RequestLog, RequestLogFacets, RequestLogSummary } from '../../request-logs/request-logs.schemas.ts'
import {
  getRequestLog,
  listRequestLogs,
  type RequestLogFilters,
  summarizeRequestLogs,
} from '../../request-logs/request-logs.ts'
import { listDeliveries } from '../../webhooks/deliveries/deliveries.ts'
import { requestLogNotFound } from './console.errors.ts'
import { session } from './sign-in/session-caller.ts'

/** The API traffic of the organization: what came, what was answered, and what it caused. */
const Filters = z.object({
  limit: limitParameter,
  cursor: cursorParameter,
  status: z
    .string()
    .regex(/^([1-5]\d\d|[1-5]xx)$/, 'A status such as 404, or a class such as 4xx.')
    .optional(),
  error_code: textSchema(100).optional(),
  caller: textSchema(40).optional(),
  operation: textSchema(100).optional(),
  method: z.enum(['GET', 'POST', 'PATCH', 'PUT', 'DELETE']).optional(),
  q: textSchema(200).optional(),
  since: momentSchema.optional(),
  until: momentSchema.optional(),
})

const Caused = z.object({
  events: z.array(z.object({ id: idSchema('evt'), type: textSchema(100), created_at: timeSchema })),
  deliveries: z.array(
    z.object({ id: idSchema('dlv'), event_id: idSchema('evt'), endpoint_id: idSchema('wep'), status: textSchema(20) }),
  ),
})
const LogDetail = z.object({ log: RequestLog, caused: Caused }).meta({ id: 'LogDetail' })

const shared = { tag: 'Request logs', description: 'Of the console.', access: session('logs:read') } as const
const DELIVERIES_SHOWN = 50

const side = { headers: null, bytes: 0, body: null, is_cut: false }
const detailExample = {
  log: {
    object: 'request_log',
    id: 'req_01kmz3v7n2e0a8tq9fj6hx5c4d',
    at: '2026-11-14T09:30:00.000Z',
    caller: { type: 'key', id: 'key_01kmz3v7n2e0a8tq9fj6hx5c4d' },
    auth_result: 'ok',
    method: 'GET',
    operation: 'getMe',
    base_path: '/api/public/v1',
    path: '/me',
    query: null,
    status: 200,
    error_code: null,
    duration_ms: 0.2,
    address: '203.0.113.7',
    user_agent: null,
    client_request_id: null,
    idempotency_key: null,
    is_replayed: false,
    error_detail: null,
    request: side,
    response: side,
  },
  caused: { events: [], deliveries: [] },
}

/** The time that the chart shows when the filters name none. */
const SUMMARY_MS = 24 * 3_600_000

export const logRoutes = ({ database, clock }: { database: Database; clock: Clock }): Route[] => [
  defineRoute({
    ...shared,
    id: 'listRequestLogs',
    method: 'GET',
    path: '/request-logs',
    summary: 'API calls, newest first',
    query: Filters,
    reply: {
      status: 200,
      body: listOf(RequestLogSummary).extend({ searched_to: timeSchema.nullable() }),
    },
    example: {
      reply: {
        object: 'list',
        data: [],
        has_more: false,
        next_cursor: null,
        url: '/api/console/request-logs',
        searched_to: null,
      },
    },
    async handle({ query: { limit, cursor, ...filters }, caller, cursors, path }) {
      const scope = { list: 'request_logs', sort: 'newest', filters }
      const position = cursor === undefined ? null : readCursor(cursors, cursor, scope)
      const page = await listRequestLogs(database, caller.orgId, filtersOf(filters), {
        limit,
        ...(position !== null && { beforeId: String(position[0]) }),
      })
      const next = page.nextBeforeId
      return {
        object: 'list' as const,
        data: page.logs,
        has_more: next !== null,
        next_cursor: next === null ? null : cursors.encode({ ...scope, position: [next] }),
        url: path,
        searched_to: page.searchedTo?.toISOString() ?? null,
      }
    },
  }),
  defineRoute({
    ...shared,
    id: 'getRequestLogFacets',
    method: 'GET',
    path: '/request-log-facets',
    summary: 'How many API calls match, over time and by what they share',
    query: Filters.omit({ limit: true, cursor: true }),
    reply: { status: 200, body: RequestLogFacets },
    example: {
      reply: {
        from: '2026-11-13T10:00:00.000Z',
        to: '2026-11-14T10:00:00.000Z',
        covered_from: '2026-11-13T10:00:00.000Z',
        total: 0,
        buckets: [],
        facets: [],
      },
    },
    handle({ query, caller }) {
      const filters = filtersOf(query)
      const to = filters.until ?? new Date(clock.now() + 1)
      const from = filters.since ?? new Date(to.getTime() - SUMMARY_MS)
      return summarizeRequestLogs(database, caller.orgId, filters, { from, to })
    },
  }),
  defineRoute({
    ...shared,
    id: 'getRequestLog',
    method: 'GET',
    path: '/request-logs/{id}',
    summary: 'Get an API request with its response and effects',
    params: z.object({ id: idSchema('req') }),
    reply: { status: 200, body: LogDetail },
    errors: [requestLogNotFound],
    example: { params: { id: 'req_01kmz3v7n2e0a8tq9fj6hx5c4d' }, reply: detailExample },
    async handle({ params: { id }, caller }) {
      const log = await getRequestLog(database, caller.orgId, id)
      if (log === null) throw requestLogNotFound({ params: { id } })
      return { log, caused: await causedBy(database, caller.orgId, log) }
    },
  }),
]

type FilterValues = Omit<z.output<typeof Filters>, 'limit' | 'cursor'>

const filtersOf = (query: FilterValues): RequestLogFilters => ({
  ...(query.status !== undefined && {
    status: query.status.endsWith('xx') ? (query.status as '4xx') : Number(query.status),
  }),
  ...(query.error_code !== undefined && { errorCode: query.error_code }),
  ...(query.caller !== undefined && { callerId: query.caller }),
  ...(query.operation !== undefined && { route: query.operation }),
  ...(query.method !== undefined && { method: query.method }),
  ...(query.q !== undefined && { text: query.q }),
  ...(query.since !== undefined && { since: momentOf(query.since) }),
  ...(query.until !== undefined && { until: momentOf(query.until) }),
})

async function causedBy(
  database: Database,
  orgId: OrgId,
  { id, at, duration_ms }: z.output<typeof RequestLog>,
): Promise<z.input<typeof Caused>> {
  const run = { requestId: id, startedAtMs: Date.parse(at), durationMs: duration_ms }
  const events = await listEventsOfRequest(database, orgId, run)
  const deliveries = await Promise.all(
    events.map(({ id }) => listDeliveries(database, orgId, { eventId: id, limit: DELIVERIES_SHOWN })),
  )
  return {
    events: events.map(({ id, type, created_at }) => ({ id, type, created_at: created_at.toISOString() })),
    deliveries: deliveries
      .flat()
      .slice(0, DELIVERIES_SHOWN)
      .map(({ id, event_id, endpoint_id, status }) => ({ id, event_id, endpoint_id, status })),
  }
}
