import { currentBody, type EventBody, listEventBodies } from '../../events/events.ts'
import { Batches } from '../../kernel/batches.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { firstOf } from '../../kernel/lists.ts'
import type { Database } from '../../platform/database/database.ts'
import type { SecretBox } from '../../platform/database/secret-box.ts'
import type { TlsMaterial } from '../../platform/outbound-http/outbound-client.ts'
import { firstAttemptIdOf, listLastNumbers, type RememberedDelivery } from '../deliveries/deliveries.ts'
import {
  type EndpointRow,
  listEndpointsById,
  listEndpointVersions,
  maskHeaders,
  maskUrl,
  openHeaders,
  openTls,
  openVerifyToken,
} from '../endpoints/endpoints.ts'
import { type LiveKey, listSecrets, openSigningKeys } from '../signing/signing.ts'
import { credentialsIn } from './echoes.ts'

/**
 * What an attempt is made of: the event as stored, and the endpoint with its secrets opened. A claim starts many runs at
 * once, so what they ask for within one turn of the event loop is fetched together, by organization: one statement for the events, one for
 * the versions of the endpoints. Opened endpoints are kept and used only while the version in the database is still the
 * one they were opened at; so a new secret, URL or header counts from the next attempt on, on every machine, with no
 * message that could be lost.
 */
export type SendableEndpoint = {
  row: EndpointRow
  keys: LiveKey[]
  headers: Record<string, string>
  /** As the log may show them. */
  maskedHeaders: Record<string, string>
  /** The values among them that are taken out of an answer that repeats them, before it is kept. */
  credentials: readonly string[]
  maskedUrl: string
  tls: TlsMaterial | null
  /** Of the handshake, in the format that has one. */
  verifyToken: string | null
}

/** Null where it is not there any more. */
type AttemptMaterial = {
  event: EventBody | null
  endpoint: SendableEndpoint | null
  /** The highest number an attempt of the delivery has on record; 0 where it was not asked for. */
  lastNumber: number
}

type AttemptQuestion = {
  orgId: OrgId
  eventId: Id<'evt'>
  endpointId: Id<'wep'>
  /** Where earlier attempts may be on record. */
  deliveryId: Id<'dlv'> | null
  /** The delivery, where it was handed over by the process that recorded it. */
  handedOver: string | null
}

/** Without the events that are not there any more. */
type BundleMaterial = { events: EventBody[]; endpoint: SendableEndpoint | null }

export type AttemptSource = {
  /** For one question about this delivery, which then need not be asked of the database. */
  remember(deliveryId: string, remembered: RememberedDelivery): void
  load(question: AttemptQuestion): Promise<AttemptMaterial>
  /** Several events for one endpoint, in the order asked for. */
  loadAll(orgId: OrgId, eventIds: Id<'evt'>[], endpointId: Id<'wep'>): Promise<BundleMaterial>
}

type Wanted = {
  orgId: OrgId
  eventIds: Id<'evt'>[]
  endpointId: Id<'wep'>
  deliveryId: Id<'dlv'> | null
}

type Loaded = BundleMaterial & Pick<AttemptMaterial, 'lastNumber'>

const ENDPOINTS_KEPT_MAX = 2000
const KEPT_MS = 5 * 60_000

export function createAttemptSource(options: {
  database: Database
  clock: Clock
  secretBox: SecretBox
}): AttemptSource {
  const endpoints = new EndpointCache(options)
  const remembered = new Map<string, RememberedDelivery>()
  const batches = new Batches<Wanted, Loaded>({
    keyOf: ({ orgId }) => orgId,
    async work(wanted) {
      const { orgId } = firstOf(wanted)
      const [events, sendable, numbers] = await Promise.all([
        fetchEvents(options.database, orgId, wanted),
        endpoints.fetch(orgId, distinct(wanted.map(({ endpointId }) => endpointId))),
        fetchLastNumbers(options.database, orgId, wanted),
      ])
      return wanted.map(({ eventIds, endpointId, deliveryId }) => {
        return {
          events: eventIds.flatMap((id) => events.get(id) ?? []),
          endpoint: sendable.get(endpointId) ?? null,
          lastNumber: deliveryId === null ? 0 : (numbers.get(deliveryId) ?? 0),
        }
      })
    },
  })
  return {
    loadAll: (orgId, eventIds, endpointId) => batches.submit({ orgId, eventIds, endpointId, deliveryId: null }),
    remember: (deliveryId, known) => remembered.set(deliveryId, known),
    async load({ eventId, handedOver, ...place }) {
      const known = handedOver === null ? undefined : remembered.get(handedOver)
      if (handedOver !== null) remembered.delete(handedOver)
      const endpointKnown = known && endpoints.findKept(known.endpoint)
      if (known && endpointKnown) return { event: known.event, endpoint: endpointKnown, lastNumber: 0 }
      const { events, endpoint, lastNumber } = await batches.submit({ ...place, eventIds: [eventId] })
      return { event: events[0] ?? null, endpoint, lastNumber }
    },
  }
}

const distinct = <Value>(values: Value[]): Value[] => [...new Set(values)]

async function fetchEvents(
  database: Database,
  orgId: OrgId,
  batch: readonly Wanted[],
): Promise<Map<Id<'evt'>, EventBody>> {
  const ids = distinct(batch.flatMap(({ eventIds }) => eventIds))
  const rows = await listEventBodies(database, orgId, ids)
  return new Map(rows.map((row) => [row.id, Object.assign(row, { body: currentBody(row) })]))
}

async function fetchLastNumbers(
  database: Database,
  orgId: OrgId,
  batch: readonly Wanted[],
): Promise<Map<Id<'dlv'>, number>> {
  const asked = batch.flatMap(({ deliveryId }) =>
    deliveryId === null ? [] : [{ deliveryId, fromId: firstAttemptIdOf(deliveryId) }],
  )
  if (asked.length === 0) return new Map()
  return new Map((await listLastNumbers(database, orgId, asked)).map((row) => [row.delivery_id, row.number]))
}

class EndpointCache {
  readonly #options: { database: Database; clock: Clock; secretBox: SecretBox }
  readonly #kept = new Map<Id<'wep'>, SendableEndpoint & { openedMs: number }>()

  constructor(options: { database: Database; clock: Clock; secretBox: SecretBox }) {
    this.#options = options
  }

  /** Opened at this very version of its row. */
  findKept(row: EndpointRow): SendableEndpoint | undefined {
    const kept = this.#kept.get(row.id)
    return kept?.row.version === row.version && kept.row.org_id === row.org_id ? kept : undefined
  }

  async fetch(orgId: OrgId, ids: Id<'wep'>[]): Promise<Map<Id<'wep'>, SendableEndpoint>> {
    const { database, clock } = this.#options
    const versions = await listEndpointVersions(database, orgId, ids)
    this.#forgetBefore(clock.now() - KEPT_MS)
    const stale = versions.filter(({ id, version }) => this.#kept.get(id)?.row.version !== version)
    const opened = await this.#open(
      orgId,
      stale.map(({ id }) => id),
    )
    return new Map(
      versions.flatMap(({ id }) => {
        const endpoint = opened.get(id) ?? this.#kept.get(id)
        return endpoint === undefined ? [] : [[id, endpoint] as const]
      }),
    )
  }

  /** The secrets after the rows, never before: paired with a newer version they would pass for current. */
  async #open(orgId: OrgId, ids: Id<'wep'>[]): Promise<Map<Id<'wep'>, SendableEndpoint>> {
    const opened = new Map<Id<'wep'>, SendableEndpoint>()
    if (ids.length === 0) return opened
    const { database, clock, secretBox } = this.#options
    const rows = await listEndpointsById(database, orgId, ids)
    const secrets = await listSecrets(database, orgId, { endpointIds: ids, now: new Date(clock.now()) })
    for (const row of rows) {
      const own = secrets.filter((secret) => secret.endpoint_id === row.id)
      const headers = openHeaders(secretBox, row.id, row.sealed_headers)
      const endpoint = {
        row,
        keys: openSigningKeys(secretBox, own, row.signing),
        headers,
        maskedHeaders: maskHeaders(headers),
        credentials: credentialsIn(headers),
        maskedUrl: maskUrl(row.url),
        tls: openTls(secretBox, row.id, row.sealed_tls),
        verifyToken: openVerifyToken(secretBox, row.id, row.sealed_verify_token),
      }
      opened.set(row.id, endpoint)
      this.#keep(endpoint)
    }
    return opened
  }

  #keep(endpoint: SendableEndpoint): void {
    this.#kept.delete(endpoint.row.id)
    const [oldest] = this.#kept.size >= ENDPOINTS_KEPT_MAX ? this.#kept.keys() : []
    if (oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(endpoint.row.id, { ...endpoint, openedMs: this.#options.clock.now() })
  }

  /** They are secrets in memory, and cheap to open again. The map is in the order of opening. */
  #forgetBefore(ms: number): void {
    for (const [id, { openedMs }] of this.#kept) {
      if (openedMs >= ms) return
      this.#kept.delete(id)
    }
  }
}

/**
 * Notifies runs that send to an endpoint for a while that it was changed meanwhile: paused, deleted, or given another secret
 * or URL. However many they are, all that is watched is asked for in one statement, every so often and only while there is
 * watches. When the database does not answer, everything counts as changed.
 */
export type WatchedEndpoint = { isChanged: boolean; end(): void }

export type EndpointWatch = { start(endpoint: EndpointRow): WatchedEndpoint }

/** For how long after a change a run may still send with the earlier settings. */
export const NOTICED_MS_MAX = 50

type Watched = WatchedEndpoint & { endpoint: EndpointRow }

export function createEndpointWatch(database: Database): EndpointWatch {
  const watched = new Set<Watched>()
  let isLooking = false
  const look = async () => {
    const asked = [...watched]
    const byOrg = Map.groupBy(asked, ({ endpoint }) => endpoint.org_id)
    const found = await Promise.all(
      [...byOrg].map(([orgId, ofOrg]) =>
        listEndpointVersions(database, orgId, distinct(ofOrg.map(({ endpoint }) => endpoint.id))).catch(() => []),
      ),
    )
    const versions = new Map(found.flat().map((row) => [row.id, row.version]))
    for (const each of asked) each.isChanged ||= versions.get(each.endpoint.id) !== each.endpoint.version
  }
  const lookUntilNobodyWatches = async () => {
    isLooking = true
    while (watched.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, NOTICED_MS_MAX))
      if (watched.size > 0) await look()
    }
    isLooking = false
  }
  return {
    start(endpoint) {
      const each: Watched = { endpoint, isChanged: false, end: () => watched.delete(each) }
      watched.add(each)
      if (!isLooking) void lookUntilNobodyWatches()
      return each
    },
  }
}
