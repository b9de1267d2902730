import { endpointDefaults, timeoutMsLimits } from '../api/generated.ts'
import type { Endpoint, EndpointChange, NewEndpoint } from '../api/webhooks.ts'
import type { Language } from '../text/text.tsx'
import { filterText, parseFilter } from './payload-filter.ts'
import { changedRetries, type DraftProblems, draftOf, isSound, problemsOf, type RetryDraft } from './retry-draft.ts'

/** An endpoint as it is typed, and what of it is to be another. */
export type EndpointDraft = {
  url: string
  format: Endpoint['format']
  /** Empty to keep the one that is set. */
  verifyToken: string
  /** Empty for all numbers. */
  number: string
  events: string[]
  /** A line for each path. */
  filter: string
  description: string
  retries: RetryDraft
  delivery: DeliveryDraft
}

export const endpointDraftOf = (endpoint: Endpoint | undefined, language: Language): EndpointDraft => ({
  url: endpoint?.url ?? '',
  format: endpoint?.format ?? 'standard',
  verifyToken: '',
  number: endpoint?.number ?? '',
  events: endpoint?.events ?? ['*'],
  filter: filterText(endpoint?.filter ?? null),
  description: endpoint?.description ?? '',
  retries: draftOf(endpoint, language),
  delivery: deliveryDraftOf(endpoint),
})

export type EndpointProblems = { retries: DraftProblems; delivery: DeliveryProblems; isFilterBad: boolean }

export const endpointProblemsOf = ({ retries, delivery, filter }: EndpointDraft): EndpointProblems => ({
  isFilterBad: parseFilter(filter) === undefined,
  retries: problemsOf(retries),
  delivery: deliveryProblemsOf(delivery),
})

export const isEndpointSound = ({ retries, delivery, isFilterBad }: EndpointProblems): boolean =>
  !isFilterBad && isSound(retries) && isDeliverySound(delivery)

/**
 * Of an endpoint that is there, what differs from what it was when the form was filled from it, and not from what it is by
 * now: whatever others changed meanwhile stays.
 */
export function changesOf(draft: EndpointDraft, base: Endpoint | undefined): EndpointChange {
  const url = draft.url.trim()
  const description = draft.description.trim() || null
  // Meta's format has its own events.
  const areEventsKept = draft.format === 'whatsapp_cloud' || draft.events.join() === base?.events.join()
  const isFilterChanged = draft.format === 'standard' && draft.filter.trim() !== filterText(base?.filter ?? null)
  return {
    ...(url !== base?.url && { url }),
    ...(draft.verifyToken !== '' && { verify_token: draft.verifyToken }),
    ...(draft.number !== (base?.number ?? '') && { number: draft.number === '' ? null : draft.number }),
    ...(!areEventsKept && { events: draft.events as EndpointChange['events'] }),
    ...(isFilterChanged && { filter: parseFilter(draft.filter) ?? null }),
    ...(description !== (base?.description ?? null) && { description }),
    ...changedRetries(draft.retries, base),
    ...changedDelivery(draft.delivery, base),
  }
}

/** How events are sent to an endpoint, as it is typed and as the API takes it. */
export type DeliveryDraft = Pick<Endpoint, 'ordering' | 'payload' | 'signing'> & {
  /** Both as they are typed; empty for the standard. */
  maxPerSecond: number | string
  timeoutSeconds: number | string
  headers: HeadersDraft
  tls: TlsDraft
}

/** What becomes of a secret that is set: the server shows none again, so it is left alone, or given anew as a whole. */
export type Fate = 'kept' | 'replaced' | 'removed'
export type HeaderRow = { key: number; name: string; value: string }
export type HeadersDraft = { fate: Fate; rows: HeaderRow[] }
export const TLS_PARTS = ['ca', 'client_certificate', 'client_key'] as const
export type TlsDraft = { fate: Fate } & Record<(typeof TLS_PARTS)[number], string>

export const TIMEOUT_SECONDS = {
  min: timeoutMsLimits.min / 1000,
  standard: endpointDefaults.timeout_ms / 1000,
  max: timeoutMsLimits.max / 1000,
}

export function deliveryDraftOf(endpoint: Endpoint | undefined): DeliveryDraft {
  const { ordering, payload, signing, max_per_second, timeout_ms } = endpoint ?? endpointDefaults
  return {
    ordering,
    payload,
    signing,
    maxPerSecond: max_per_second ?? '',
    timeoutSeconds: timeout_ms === endpointDefaults.timeout_ms ? '' : timeout_ms / 1000,
    headers: { fate: 'kept', rows: [] },
    tls: { fate: 'kept', ca: '', client_certificate: '', client_key: '' },
  }
}

/** The names stay in the rows; their values have to be given again. */
export const rowsOf = (names: readonly string[]): HeaderRow[] =>
  names.map((name, index) => ({ key: index, name, value: '' }))

export const withRow = (rows: readonly HeaderRow[]): HeaderRow[] => [
  ...rows,
  { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, name: '', value: '' },
]

export type HeaderProblem = { name?: 'required' | 'repeated'; value?: 'required' }
export type DeliveryProblems = { isTimeoutOut: boolean; headers: Map<number, HeaderProblem> }

function deliveryProblemsOf({ timeoutSeconds, headers }: DeliveryDraft): DeliveryProblems {
  const timeout = timeoutSeconds === '' ? TIMEOUT_SECONDS.standard : Number(timeoutSeconds)
  const found = headers.fate === 'replaced' ? headers.rows.map((row) => [row.key, headerProblem(row, headers)]) : []
  return {
    isTimeoutOut: timeout < TIMEOUT_SECONDS.min || timeout > TIMEOUT_SECONDS.max,
    headers: new Map(found.filter((each): each is [number, HeaderProblem] => each[1] !== null)),
  }
}

/** A name that is there twice would silently be there once, and whatever is set under it would go. */
function headerProblem(row: HeaderRow, { rows }: HeadersDraft): HeaderProblem | null {
  const name = nameOf(row)
  const isRepeated = rows.slice(0, rows.indexOf(row)).some((other) => nameOf(other) === name)
  const wrong = name === '' ? 'required' : isRepeated ? 'repeated' : null
  const isEmpty = row.value.trim() === ''
  if (wrong === null && !isEmpty) return null
  return { ...(wrong !== null && { name: wrong }), ...(isEmpty && { value: 'required' }) }
}

const nameOf = ({ name }: HeaderRow) => name.trim().toLowerCase()

const isDeliverySound = ({ isTimeoutOut, headers }: DeliveryProblems): boolean => !isTimeoutOut && headers.size === 0

type Delivery = Pick<
  NewEndpoint,
  'ordering' | 'payload' | 'signing' | 'max_per_second' | 'timeout_ms' | 'custom_headers' | 'tls'
>

/** Only what is to be another than it was when it was read. */
function changedDelivery(draft: DeliveryDraft, endpoint: Endpoint | undefined): Delivery {
  const before: Record<string, unknown> = plainOf(deliveryDraftOf(endpoint))
  const changed = Object.entries(plainOf(draft)).filter(([name, value]) => value !== before[name])
  return { ...Object.fromEntries(changed), ...changedHeaders(draft.headers, endpoint), ...changedTls(draft.tls) }
}

const plainOf = ({ ordering, payload, signing, maxPerSecond, timeoutSeconds }: DeliveryDraft) => ({
  ordering,
  payload,
  signing,
  max_per_second: maxPerSecond === '' ? null : Number(maxPerSecond),
  timeout_ms: timeoutSeconds === '' ? endpointDefaults.timeout_ms : Math.round(Number(timeoutSeconds) * 1000),
})

function changedHeaders({ fate, rows }: HeadersDraft, endpoint: Endpoint | undefined): Delivery {
  if (fate === 'kept') return {}
  if (fate === 'removed') return { custom_headers: {} }
  const isNothing = rows.length === 0 && Object.keys(endpoint?.custom_headers ?? {}).length === 0
  if (isNothing) return {}
  return { custom_headers: Object.fromEntries(rows.map(({ name, value }) => [name.trim(), value.trim()])) }
}

/** Replaced by nothing is not removed: that is said on purpose. */
function changedTls({ fate, ...texts }: TlsDraft): Delivery {
  if (fate === 'removed') return { tls: null }
  const given = TLS_PARTS.map((part) => [part, texts[part].trim()] as const).filter(([, text]) => text !== '')
  return fate === 'kept' || given.length === 0 ? {} : { tls: Object.fromEntries(given) }
}
