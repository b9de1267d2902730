import { noteSubscriptionsChanged } from '../../events/events.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import type { Signing } from '../signing/signing.ts'
import type { PayloadFilter } from './payload-filter.ts'

type EndpointState = 'enabled' | 'paused' | 'disabled'
/** Days without a success; an answer 410; an answer that asks for it. */
export type DisabledReason = 'no_success' | 'gone' | 'receiver_wish'
type Settling = 'release' | 'skip' | 'cancel'
type PayloadForm = 'full' | 'thin'
type EndpointOrdering = 'none' | 'by_key' | 'strict'
/** `whatsapp_cloud`: requests as Meta's Cloud API sends them (cloud-format.ts). */
export type EndpointFormat = 'standard' | 'whatsapp_cloud'
/** How long to wait after each failed attempt, by filter (`order.paid`, `order.*`). */
export type DelaysByEvent = Record<string, number[]>

/** The callback of a number or an account takes the events of its numbers. */
export type Override = Pick<EndpointRow, 'number_id' | 'number_ids'>

export type EndpointRow = {
  org_id: OrgId
  id: Id<'wep'>
  url: string
  description: string | null
  format: EndpointFormat
  /** The one business number whose events are sent; null for all. Only with a format that is about numbers. */
  number_id: Id<'num'> | null
  /** The same for several of them: the callback of a business account. Null where `number_id` says all. */
  number_ids: Id<'num'>[] | null
  /** What it was registered as in Meta's way, such as `app 1234`. */
  subscription: string | null
  /** More specific callbacks, which take what is theirs; read with all endpoints of the organization. */
  overrides?: readonly Override[]
  events: string[]
  /** Null for events of any content. */
  payload_filter: PayloadFilter | null
  state: EndpointState
  state_changed_at: Date
  disabled_reason: DisabledReason | null
  is_holding: boolean
  settling: Settling | null
  skipped_until: number | null
  /**
   * While what waits is brought into a new order: the last delivery that has it, empty at the beginning. Null
   * otherwise.
   */
  reordered_until: string | null
  payload: PayloadForm
  ordering: EndpointOrdering
  max_per_second: number | null
  timeout_ms: number
  retry_delays_seconds: number[] | null
  retry_delays_by_event: DelaysByEvent | null
  signing: Signing
  sealed_headers: string | null
  sealed_tls: string | null
  /** Of the handshake, in formats that have one. */
  sealed_verify_token: string | null
  subscribed_after: number
  ping_event_id: Id<'evt'> | null
  degraded_at: Date | null
  warned_hours: number
  version: number
  created_at: Date
  updated_at: Date
  deleted_at: Date | null
}

const endpointColumns = (queries: Pick<Queries, 'part'>) => queries.part`
  org_id, id, url, description, format, number_id, number_ids, subscription, events, payload_filter, state, state_changed_at, disabled_reason, is_holding, settling, skipped_until,
  reordered_until, payload, ordering, max_per_second, timeout_ms, retry_delays_seconds, retry_delays_by_event, signing,
  sealed_headers, sealed_tls, sealed_verify_token, subscribed_after, ping_event_id, degraded_at, warned_hours, version,
  created_at, updated_at, deleted_at`

const LOCK_SPACE = 7_311

/**
 * Fan-out holds this shared; a transaction that changes which endpoints there are, or lets
 * go of what was held, holds it alone. An advisory lock, because sharing a row lock would write to every endpoint row on
 * every page of events.
 *
 * The order of locks in everything that touches webhooks: this one, then lanes, deliveries, the row of the endpoint, and
 * last the organization's event counter. An acknowledgement, which begins with lanes, never takes this one.
 */
export const lockSubscriptions = (tx: Tx, orgId: OrgId, mode: 'shared' | 'alone') =>
  mode === 'shared'
    ? tx.run`select pg_advisory_xact_lock_shared(${LOCK_SPACE}, hashtext(${orgId}))`
    : tx.run`select pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${orgId}))`

/** Shared, if it can be had at once: as a condition of a statement that does something else. */
export const sharesSubscriptions = (queries: Pick<Queries, 'part'>, orgId: OrgId) =>
  queries.part`pg_try_advisory_xact_lock_shared(${LOCK_SPACE}, hashtext(${orgId}))`

/**
 * For a caller that has others to look after: does not wait. A step of the work on a large backlog takes a while, and no other
 * organization should wait for it.
 */
export const tryLockSubscriptions = async (tx: Tx, orgId: OrgId): Promise<boolean> =>
  (await tx.one<{ is_locked: boolean }>`select ${sharesSubscriptions(tx, orgId)} as is_locked`).is_locked

export type NewEndpointRow = Omit<
  EndpointRow,
  | 'org_id'
  | 'number_ids'
  | 'subscription'
  | 'overrides'
  | 'state'
  | 'disabled_reason'
  | 'is_holding'
  | 'settling'
  | 'skipped_until'
  | 'reordered_until'
  | 'degraded_at'
  | 'warned_hours'
  | 'version'
  | 'deleted_at'
>

/** For statements that change what is sent where: what processes know of the subscriptions is out of date from then on. */
function changing(tx: Tx, orgId: OrgId): Tx {
  noteSubscriptionsChanged(tx, orgId)
  return tx
}

const json = (value: object | null) => (value === null ? null : JSON.stringify(value))

export const insertEndpoint = (tx: Tx, orgId: OrgId, row: NewEndpointRow) => changing(tx, orgId).one<EndpointRow>`
  insert into webhook_endpoints (org_id, id, url, description, format, number_id, events, payload_filter, state_changed_at, payload, ordering,
    max_per_second, timeout_ms, retry_delays_seconds, retry_delays_by_event, signing, sealed_headers, sealed_tls,
    sealed_verify_token, subscribed_after, ping_event_id, created_at, updated_at)
  values (${orgId}, ${row.id}, ${row.url}, ${row.description}, ${row.format}, ${row.number_id}, ${row.events}, ${json(row.payload_filter)}::text::jsonb,
    ${row.state_changed_at}, ${row.payload},
    ${row.ordering}, ${row.max_per_second}, ${row.timeout_ms}, ${row.retry_delays_seconds},
    ${json(row.retry_delays_by_event)}::text::jsonb, ${row.signing}, ${row.sealed_headers}, ${row.sealed_tls},
    ${row.sealed_verify_token}, ${row.subscribed_after}, ${row.ping_event_id}, ${row.created_at},
    ${row.updated_at})
  returning ${endpointColumns(tx)}`

export const countEndpoints = async (queries: Queries, orgId: OrgId): Promise<number> =>
  (
    await queries.one<{ count: number }>`
      select count(*)::int as count from webhook_endpoints where org_id = ${orgId} and deleted_at is null`
  ).count

export const findEndpoint = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<EndpointRow>`
  select ${endpointColumns(queries)} from webhook_endpoints where org_id = ${orgId} and id = ${id} and deleted_at is null`

/** Deleted ones too: for the log, and for work on what they leave behind. */
export const findAnyEndpoint = (queries: Queries, orgId: OrgId, id: string) => queries.maybeOne<EndpointRow>`
  select ${endpointColumns(queries)} from webhook_endpoints where org_id = ${orgId} and id = ${id}`

/** The endpoint that is registered under the name, else one of Meta's format with the URL that is registered as nothing. */
export const findSubscribed = (
  queries: Queries,
  orgId: OrgId,
  { name, url }: { name: string; url: string | null },
) => queries.maybeOne<EndpointRow>`
  select ${endpointColumns(queries)} from webhook_endpoints
  where org_id = ${orgId} and deleted_at is null
    and (subscription = ${name} or (subscription is null and format = 'whatsapp_cloud' and url = ${url}))
  order by subscription nulls last, id limit 1`

export const setSubscription = (
  tx: Tx,
  orgId: OrgId,
  { id, name, numberIds }: { id: string; name: string; numberIds: readonly string[] | null },
) => changing(tx, orgId).run`
  update webhook_endpoints set subscription = ${name}, number_ids = ${numberIds === null ? null : [...numberIds]}::text[]
  where org_id = ${orgId} and id = ${id}`

export const listEndpointRows = (queries: Queries, orgId: OrgId, page: { before?: string; limit: number }) =>
  queries.many<EndpointRow>`
    select ${endpointColumns(queries)} from webhook_endpoints
    where org_id = ${orgId} and deleted_at is null
      ${page.before === undefined ? queries.part`` : queries.part`and id < ${page.before}`}
    order by id desc limit ${page.limit}`

/** All that may get events, oldest first. */
export const listSubscribers = async (queries: Queries, orgId: OrgId): Promise<EndpointRow[]> =>
  withOverrides(
    await queries.many<EndpointRow>`
      select ${endpointColumns(queries)} from webhook_endpoints where org_id = ${orgId} and deleted_at is null order by id`,
  )

/** One of them as fan-out sees it. */
export const asSubscriber = async (queries: Queries, endpoint: EndpointRow): Promise<EndpointRow> =>
  endpoint.subscription === null
    ? endpoint
    : ((await listSubscribers(queries, endpoint.org_id)).find(({ id }) => id === endpoint.id) ?? endpoint)

/** As with Meta, the callback of a number is used in place of that of its account, and this in place of that of the app. */
const LEVELS = ['app', 'account', 'number']

const levelOf = ({ subscription }: EndpointRow): number => LEVELS.indexOf(subscription?.split(' ')[0] ?? '')

const withOverrides = (endpoints: EndpointRow[]): EndpointRow[] =>
  endpoints.every(({ subscription }) => subscription === null)
    ? endpoints
    : endpoints.map((endpoint) => ({ ...endpoint, overrides: overridesOf(endpoint, endpoints) }))

const overridesOf = (endpoint: EndpointRow, endpoints: readonly EndpointRow[]): Override[] =>
  levelOf(endpoint) < 0 ? [] : endpoints.filter((other) => levelOf(other) > levelOf(endpoint))

export type InactiveEndpoint = Pick<EndpointRow, 'id' | 'state'>

/**
 * Those that get nothing at the moment: paused, disabled, or resumed with their backlog not dealt with yet. Not those whose
 * backlog is being cancelled: nothing of it is kept for later.
 */
export const listInactive = (queries: Queries, orgId: OrgId) => queries.many<InactiveEndpoint>`
  select id, state from webhook_endpoints
  where org_id = ${orgId} and is_holding and deleted_at is null and settling is distinct from 'cancel'`

/** For the cache of those who send. */
export const listEndpointVersions = (queries: Queries, orgId: OrgId, ids: string[]) =>
  queries.many<{ id: Id<'wep'>; version: number }>`
    select id, version from webhook_endpoints where org_id = ${orgId} and id = any(${ids})`

export const listEndpointsById = (queries: Queries, orgId: OrgId, ids: string[]) => queries.many<EndpointRow>`
  select ${endpointColumns(queries)} from webhook_endpoints where org_id = ${orgId} and id = any(${ids})`

export type EndpointSettings = Pick<
  EndpointRow,
  | 'url'
  | 'description'
  | 'number_id'
  | 'events'
  | 'payload_filter'
  | 'payload'
  | 'ordering'
  | 'max_per_second'
  | 'timeout_ms'
  | 'retry_delays_seconds'
  | 'retry_delays_by_event'
  | 'signing'
  | 'sealed_headers'
  | 'sealed_tls'
  | 'sealed_verify_token'
>

export const updateEndpointSettings = (
  tx: Tx,
  orgId: OrgId,
  { id, settings, now }: { id: string; settings: EndpointSettings; now: Date },
) => changing(tx, orgId).one<EndpointRow>`
  update webhook_endpoints
  set reordered_until = case when ordering = ${settings.ordering} then reordered_until else '' end,
      url = ${settings.url}, description = ${settings.description}, number_id = ${settings.number_id},
      events = ${settings.events}, payload_filter = ${json(settings.payload_filter)}::text::jsonb,
      payload = ${settings.payload}, ordering = ${settings.ordering}, max_per_second = ${settings.max_per_second},
      timeout_ms = ${settings.timeout_ms}, retry_delays_seconds = ${settings.retry_delays_seconds},
      retry_delays_by_event = ${json(settings.retry_delays_by_event)}::text::jsonb,
      signing = ${settings.signing}, sealed_headers = ${settings.sealed_headers}, sealed_tls = ${settings.sealed_tls},
      sealed_verify_token = ${settings.sealed_verify_token},
      version = version + 1, updated_at = ${now}
  where org_id = ${orgId} and id = ${id} and deleted_at is null
  returning ${endpointColumns(tx)}`

export const setPingEvent = (tx: Tx, orgId: OrgId, { id, eventId }: { id: string; eventId: Id<'evt'> }) =>
  tx.one<EndpointRow>`
    update webhook_endpoints set ping_event_id = ${eventId} where org_id = ${orgId} and id = ${id}
    returning ${endpointColumns(tx)}`

type EndpointMove = {
  id: string
  from: EndpointState[]
  to: EndpointState
  reason: DisabledReason | null
  isHolding: boolean
  settling: Settling | null
  /** Null leaves it as it was. */
  skippedUntil: number | null
  now: Date
}

/** The state in the where clause is the lock: of two callers, one gets a row. A new state is a clean slate for warnings. */
export const moveEndpoint = (tx: Tx, orgId: OrgId, move: EndpointMove) => changing(tx, orgId).maybeOne<EndpointRow>`
  update webhook_endpoints
  set state = ${move.to}, disabled_reason = ${move.reason}, state_changed_at = ${move.now}, updated_at = ${move.now},
      is_holding = ${move.isHolding}, settling = ${move.settling},
      skipped_until = coalesce(${move.skippedUntil}::bigint, skipped_until),
      degraded_at = null, warned_hours = 0, version = version + 1
  where org_id = ${orgId} and id = ${move.id} and state = any(${move.from}) and deleted_at is null
  returning ${endpointColumns(tx)}`

export const markEndpointDeleted = (tx: Tx, orgId: OrgId, { id, now }: { id: string; now: Date }) =>
  changing(tx, orgId).maybeOne<EndpointRow>`
    update webhook_endpoints
    set deleted_at = ${now}, updated_at = ${now}, is_holding = true, settling = 'cancel', reordered_until = null,
        sealed_headers = null, sealed_tls = null, sealed_verify_token = null, version = version + 1
    where org_id = ${orgId} and id = ${id} and deleted_at is null
    returning ${endpointColumns(tx)}`

/** The backlog is dealt with. What is enabled and not deleted is sent to again. */
export const endSettling = (tx: Tx, orgId: OrgId, { id, now }: { id: string; now: Date }) => changing(tx, orgId)
  .one<EndpointRow>`
  update webhook_endpoints
  set settling = null, is_holding = state <> 'enabled' or deleted_at is not null,
      updated_at = ${now}
  where org_id = ${orgId} and id = ${id}
  returning ${endpointColumns(tx)}`

/** How far the new order has come. */
export const moveReordering = (tx: Tx, orgId: OrgId, { id, until }: { id: string; until: string | null }) => changing(
  tx,
  orgId,
).run`
  update webhook_endpoints set reordered_until = ${until} where org_id = ${orgId} and id = ${id}`

/** Which health events were recorded: nothing else about the endpoint changes. */
export const noteEndpointHealth = (
  tx: Tx,
  orgId: OrgId,
  { id, degradedAt, warnedHours }: { id: string; degradedAt: Date | null; warnedHours: number },
) => tx.run`
  update webhook_endpoints set degraded_at = ${degradedAt}, warned_hours = ${warnedHours}
  where org_id = ${orgId} and id = ${id}`

export const bumpEndpointVersion = (tx: Tx, orgId: OrgId, { id, now }: { id: string; now: Date }) =>
  changing(tx, orgId).maybeOne<EndpointRow>`
    update webhook_endpoints set version = version + 1, updated_at = ${now}
    where org_id = ${orgId} and id = ${id} and deleted_at is null
    returning ${endpointColumns(tx)}`

type SubscriptionRow = { version: number | null } & { [Column in keyof EndpointRow]: EndpointRow[Column] | null }

export type Subscriptions = { version: number; endpoints: EndpointRow[] }

/** One statement, so that the version is that of the endpoints. */
export async function readSubscriptions(queries: Queries, orgId: OrgId): Promise<Subscriptions> {
  const rows = await queries.many<SubscriptionRow>`
    select (select subscriptions_version from event_counters where org_id = ${orgId}) as version, endpoint.*
    from (select ${orgId}::text as org_id) organization
    left join lateral (
      select ${endpointColumns(queries)} from webhook_endpoints
      where org_id = ${orgId} and deleted_at is null
    ) endpoint on true
    order by endpoint.id`
  return {
    version: rows[0]?.version ?? 0,
    endpoints: withOverrides(rows.filter((row) => row.id !== null) as unknown as EndpointRow[]),
  }
}
