import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type List, publicApi } from './client.ts'
import { isSoonThere } from './problem.ts'

export type Health = {
  breaker: 'closed' | 'open' | 'half_open'
  blocked_until: string | null
  blocked_reason: string | null
  failing_since: string | null
  failures_since_success: number
  last_success_at: string | null
  success_rate: number | null
  in_flight: number
  backlog: number
  held: number
}
export type Endpoint = {
  id: string
  url: string
  description: string | null
  events: string[]
  state: 'enabled' | 'degraded' | 'paused' | 'disabled'
  disabled_reason: 'no_success' | 'gone' | 'receiver_wish' | null
  payload: 'full' | 'thin'
  ordering: 'none' | 'by_key' | 'strict'
  max_per_second: number | null
  timeout_ms: number
  retry_delays_seconds: number[]
  retry_delays_by_event: Record<string, number[]>
  signing: 'v1' | 'v1a' | 'both'
  /** By name; their values are masked. */
  custom_headers: Record<string, string>
  /** Which of it is set. */
  tls: { ca: boolean; client_certificate: boolean }
  secret_hint: string
  public_keys: string[]
  health: Health
  last_ping: { delivery_id: string; status: string; response_status: number | null; error_class: string | null } | null
  created_at: string
}
/** Sent to, however it does; any other state was somebody's decision. */
export const isSentTo = ({ state }: Endpoint): boolean => state === 'enabled' || state === 'degraded'
/** While what waits is brought into a new order, nothing is sent. */
export const shownStateOf = ({ state, health }: Endpoint): string =>
  health.blocked_reason === 'endpoint_reordering' ? 'reordering' : state

export type EndpointWithSecret = Endpoint & { secret: string }
export type NewEndpoint = {
  url: string
  events: string[]
  description?: string | null
  payload?: Endpoint['payload']
  ordering?: Endpoint['ordering']
  max_per_second?: number | null
  timeout_ms?: number
  retry_delays_seconds?: number[] | null
  retry_delays_by_event?: Record<string, number[]> | null
  signing?: Endpoint['signing']
  custom_headers?: Record<string, string>
  tls?: { ca?: string; client_certificate?: string; client_key?: string } | null
}
/** What is left out stays as it is. */
export type EndpointChange = Partial<NewEndpoint>

export type Delivery = {
  id: string
  event_id: string
  endpoint_id: string
  type: string
  /** Null on test events. */
  sequence: number | null
  status: 'pending' | 'in_flight' | 'succeeded' | 'failed' | 'held' | 'cancelled' | 'skipped'
  reason: string | null
  test: boolean
  attempt_count: number
  last_response_status: number | null
  last_error_class: string | null
  created_at: string
  next_attempt_at: string | null
  completed_at: string | null
}
export type Attempt = {
  id: string
  number: number
  trigger: string
  outcome: 'succeeded' | 'failed'
  url: string
  ip: string | null
  request_headers: Record<string, string>
  request_bytes: number
  started_at: string
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  ttfb_ms: number | null
  total_ms: number
  throttled_ms: number
  response_status: number | null
  response_headers: Record<string, string> | null
  response_body: string | null
  response_truncated: boolean
  error_class: string | null
  error_detail: string | null
  next_attempt_at: string | null
}
export type EventType = { name: string; group: string; description: string; schema: JsonSchema; example: unknown }
export type JsonSchema = {
  type?: string | string[]
  description?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  enum?: unknown[]
  /** The values of today of a list that may grow. */
  'x-extensible-enum'?: string[]
  anyOf?: JsonSchema[]
  $ref?: string
  $defs?: Record<string, JsonSchema>
}

/** Of the object of an event, which most types share with others: one level down, what an integrator reads first. */
export function fieldsOf(schema: JsonSchema): [string, JsonSchema][] {
  const data = schema.properties?.data
  const named = data?.$ref === undefined ? data : schema.$defs?.[data.$ref.replace('#/$defs/', '')]
  return Object.entries(named?.properties ?? {})
}

export type StorySentence = { code: string; says: string; details: Record<string, unknown> }
export type Story = {
  endpoint_id: string
  url: string
  delivery_id: string | null
  verdict: string
  says: string
  answer: StorySentence[]
  advice: StorySentence[]
  steps: (StorySentence & { at: string | null })[]
}
export type Probe = {
  name: string
  title: string
  expected: string
  verdict: 'pass' | 'warn' | 'fail' | 'skipped'
  likely_bug: string | null
  detail: string | null
}
export type Certification = {
  id: string
  status: 'pending' | 'running' | 'completed' | 'failed'
  failure: string | null
  grade: string | null
  summary: string | null
  likely_bugs: { code: string; says: string; fix?: string }[]
  probes: Probe[]
}
export type Recovery = {
  id: string
  endpoint_id: string
  mode: string
  since: string
  until: string
  status: 'counting' | 'running' | 'completed' | 'cancelled'
  reason: string | null
  progress: { total: number | null; done: number; queued: number }
  created_at: string
  finished_at: string | null
}
export type RecoveryEstimate = { total: number; is_exact: boolean; counts: { type: string; total: number }[] }

export const endpointsQuery = queryOptions({
  queryKey: ['endpoints'],
  queryFn: ({ signal }) => publicApi.get<List<Endpoint>>('/webhook-endpoints', { limit: 100 }, signal),
})
export const eventTypesQuery = queryOptions({
  queryKey: ['event-types'],
  queryFn: ({ signal }) => publicApi.get<List<EventType>>('/event-types', {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
})
export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['delivery', id],
    queryFn: ({ signal }) => publicApi.get<Delivery & { attempts: Attempt[] }>(`/deliveries/${id}`, {}, signal),
    retry: isSoonThere,
  })
export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: ['event', id],
    queryFn: ({ signal }) => publicApi.get<Record<string, unknown>>(`/events/${id}`, {}, signal),
  })
/** What is told depends on how far the delivery is, so it is asked for anew when that changes. */
export const explainQuery = (eventId: string, progress = '') =>
  queryOptions({
    queryKey: ['explain', eventId, progress],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => publicApi.get<{ stories: Story[] }>(`/events/${eventId}/explain`, {}, signal),
  })

/** For good. `isGivenUp`: what endpoints have yet to get is not sent any more. */
export const eraseEvent = (id: string, isGivenUp: boolean) =>
  publicApi.remove<void>(`/events/${id}/payload${isGivenUp ? '?unfinished=cancel' : ''}`)

export const createEndpoint = (input: NewEndpoint) => publicApi.post<EndpointWithSecret>('/webhook-endpoints', input)
export const changeEndpoint = (id: string, change: EndpointChange) =>
  publicApi.patch<Endpoint>(`/webhook-endpoints/${id}`, change)
export const deleteEndpoint = (id: string) => publicApi.remove<void>(`/webhook-endpoints/${id}`)
export const pauseEndpoint = (id: string) => publicApi.post<Endpoint>(`/webhook-endpoints/${id}/pause`)
export type ResumeMode = 'recover_held' | 'from_now'
export const resumeEndpoint = (id: string, mode: ResumeMode) =>
  publicApi.post<Endpoint>(`/webhook-endpoints/${id}/resume`, { mode })
export const rotateEndpointSecret = (id: string, overlapSeconds: number) =>
  publicApi.post<EndpointWithSecret>(`/webhook-endpoints/${id}/rotate-secret`, { overlap_seconds: overlapSeconds })
export const testEndpoint = (id: string, type: string) =>
  publicApi.post<{ delivery_id?: string; id?: string }>(`/webhook-endpoints/${id}/test`, { type })
export const certifyEndpoint = (id: string) => publicApi.post<Certification>(`/webhook-endpoints/${id}/certify`, {})
export const certificationQuery = (endpointId: string, id: string) =>
  queryOptions({
    queryKey: ['certification', id],
    queryFn: ({ signal }) =>
      publicApi.get<Certification>(`/webhook-endpoints/${endpointId}/certifications/${id}`, {}, signal),
    refetchInterval: ({ state }) =>
      state.data?.status === 'pending' || state.data?.status === 'running' ? 500 : false,
  })
export type RecoverInput = { since: string; until?: string; mode: string; include_before_creation?: boolean }
export const estimateRecovery = (id: string, input: RecoverInput) =>
  publicApi.post<RecoveryEstimate>(`/webhook-endpoints/${id}/recover`, { ...input, dry_run: true })
export const startRecovery = (id: string, input: RecoverInput) =>
  publicApi.post<Recovery>(`/webhook-endpoints/${id}/recover`, input)
export const recoveriesQuery = (id: string) =>
  queryOptions({
    queryKey: ['recoveries', id],
    queryFn: ({ signal }) =>
      publicApi.get<List<Recovery>>(`/webhook-endpoints/${id}/recoveries`, { limit: 10 }, signal),
    refetchInterval: ({ state }) => (state.data?.data.some(({ finished_at }) => finished_at === null) ? 1000 : false),
  })
export const cancelRecovery = (endpointId: string, id: string) =>
  publicApi.post<Recovery>(`/webhook-endpoints/${endpointId}/recoveries/${id}/cancel`)
export const resendDelivery = (id: string) => publicApi.post<{ attempt_id: string }>(`/deliveries/${id}/resend`)
