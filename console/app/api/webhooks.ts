import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type * as Sdk from '../../../sdk/src/generated/types.ts'
import { call, type List } from './client.ts'
import type { Closed } from './generated.ts'
import { isSoonThere } from './problem.ts'

export type Endpoint = Closed<Sdk.WebhookEndpoint>
export type EndpointWithSecret = Closed<Sdk.WebhookEndpointWithSecret>
export type {
  NewWebhookEndpoint as NewEndpoint,
  WebhookEndpointChange as EndpointChange,
} from '../../../sdk/src/generated/types.ts'
export type EventRecord = Closed<Sdk.EventRecord>
export type Delivery = Closed<Sdk.WebhookDelivery>
export type Attempt = Closed<Sdk.WebhookAttempt>
export type Story = Closed<Sdk.WebhookExplanationStory>
export type StorySentence = Story['answer'][number]
export type Certification = Closed<Sdk.WebhookCertification>

/** Events are sent to it; any other state was a decision. */
export const isSentTo = ({ state }: Endpoint): boolean => state === 'enabled' || state === 'degraded'
/** While what waits is brought into a new order, nothing is sent. */
export const shownStateOf = ({ state, health }: Endpoint): string =>
  health.blocked_reason === 'endpoint_reordering' ? 'reordering' : state

export type EventName = Sdk.WebhookTest['type']
/** As the catalogue lists it. */
export type EventType = Sdk.EventType & { name: EventName; schema: JsonSchema }
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

export const endpointsQuery = queryOptions({
  queryKey: ['endpoints'],
  queryFn: ({ signal }) => call('GET /api/proxy/webhook-endpoints', { query: { limit: 100 }, signal }),
})
export const eventTypesQuery = queryOptions({
  queryKey: ['event-types'],
  queryFn: async ({ signal }) => (await call('GET /api/proxy/event-types', { signal })) as List<EventType>,
  staleTime: Number.POSITIVE_INFINITY,
})
export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['delivery', id],
    queryFn: ({ signal }) => call('GET /api/proxy/deliveries/{id}', { params: { id }, signal }),
    retry: isSoonThere,
  })
/** The newest events about one thing. */
export const subjectEventsQuery = (subject: string) =>
  queryOptions({
    queryKey: ['events-of', subject],
    queryFn: ({ signal }) => call('GET /api/proxy/events', { query: { subject, limit: 100 }, signal }),
  })
/** What the endpoint gets does not change while its settings do not. */
export const payloadQuery = (id: string) =>
  queryOptions({
    queryKey: ['delivery', id, 'payload'],
    queryFn: ({ signal }) => call('GET /api/console/deliveries/{id}/payload', { params: { id }, signal }),
  })
export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: ['event', id],
    queryFn: ({ signal }) => call('GET /api/proxy/events/{id}', { params: { id }, signal }),
  })
/** The explanation depends on the progress of the delivery, so it is fetched anew when that changes. */
export const explainQuery = (eventId: string, progress = '') =>
  queryOptions({
    queryKey: ['explain', eventId, progress],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call('GET /api/proxy/events/{id}/explain', { params: { id: eventId }, signal }),
  })

/** For good. `isGivenUp`: what endpoints have yet to get is not sent any more. */
export const eraseEvent = (id: string, isGivenUp: boolean) =>
  call('DELETE /api/proxy/events/{id}/payload', { params: { id }, query: isGivenUp ? { unfinished: 'cancel' } : {} })

export const createEndpoint = (body: Sdk.NewWebhookEndpoint) => call('POST /api/proxy/webhook-endpoints', { body })
export const changeEndpoint = (id: string, body: Sdk.WebhookEndpointChange) =>
  call('PATCH /api/proxy/webhook-endpoints/{id}', { params: { id }, body })
export const deleteEndpoint = (id: string) => call('DELETE /api/proxy/webhook-endpoints/{id}', { params: { id } })
export const pauseEndpoint = (id: string) => call('POST /api/proxy/webhook-endpoints/{id}/pause', { params: { id } })
export type ResumeMode = NonNullable<Sdk.WebhookResume['mode']>
export const resumeEndpoint = (id: string, mode: ResumeMode) =>
  call('POST /api/proxy/webhook-endpoints/{id}/resume', { params: { id }, body: { mode } })
export const rotateEndpointSecret = (id: string, overlapSeconds: number) =>
  call('POST /api/proxy/webhook-endpoints/{id}/rotate-secret', {
    params: { id },
    body: { overlap_seconds: overlapSeconds },
  })
export const testEndpoint = (id: string, type: EventName) =>
  call('POST /api/proxy/webhook-endpoints/{id}/test', { params: { id }, body: { type } })
export const certifyEndpoint = (id: string) =>
  call('POST /api/proxy/webhook-endpoints/{id}/certify', { params: { id } })
export const certificationQuery = (endpointId: string, id: string) =>
  queryOptions({
    queryKey: ['certification', id],
    queryFn: ({ signal }) =>
      call('GET /api/proxy/webhook-endpoints/{id}/certifications/{certification_id}', {
        params: { id: endpointId, certification_id: id },
        signal,
      }),
    refetchInterval: ({ state }) =>
      state.data?.status === 'pending' || state.data?.status === 'running' ? 500 : false,
  })
export type RecoverInput = Omit<Sdk.WebhookRecover, 'dry_run'>
export const estimateRecovery = (id: string, input: RecoverInput) =>
  recover(id, { ...input, dry_run: true }) as Promise<Closed<Sdk.WebhookRecoveryEstimate>>
export const startRecovery = (id: string, input: RecoverInput) => recover(id, input)
const recover = (id: string, body: Sdk.WebhookRecover) =>
  call('POST /api/proxy/webhook-endpoints/{id}/recover', { params: { id }, body })
export const recoveriesQuery = (id: string) =>
  queryOptions({
    queryKey: ['recoveries', id],
    queryFn: ({ signal }) =>
      call('GET /api/proxy/webhook-endpoints/{id}/recoveries', { params: { id }, query: { limit: 10 }, signal }),
    refetchInterval: ({ state }) => (state.data?.data.some(({ finished_at }) => finished_at === null) ? 1000 : false),
  })
export const cancelRecovery = (endpointId: string, id: string) =>
  call('POST /api/proxy/webhook-endpoints/{id}/recoveries/{recovery_id}/cancel', {
    params: { id: endpointId, recovery_id: id },
  })
export const resendDelivery = (id: string) => call('POST /api/proxy/deliveries/{id}/resend', { params: { id } })

export const endpointStatisticsQuery = (id: string, range: '24h' | '7d' | '30d') =>
  queryOptions({
    queryKey: ['endpoint-statistics', id, range],
    queryFn: ({ signal }) =>
      call('GET /api/console/webhook-endpoints/{id}/statistics', { params: { id }, query: { range }, signal }),
  })

export const revealSecret = (id: string, password: string) =>
  call('POST /api/console/webhook-endpoints/{id}/reveal-secret', { params: { id }, body: { password } })
