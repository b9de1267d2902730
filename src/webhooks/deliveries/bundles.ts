import { z } from 'zod'
import { listEventHeadsById, type NumberedEvent } from '../../events/events.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import type { Queries, Tx } from '../../platform/database/database.ts'
import {
  cancelEntries,
  type Entry,
  listKeyEntries,
  listLeasedEntries,
  type NewEntry,
} from '../../platform/outbox/entries.ts'
import { storedId } from '../../platform/outbox/job.ts'
import { delaysFor, type EndpointRow, findAnyEndpoint, laneOf } from '../endpoints/endpoints.ts'
import { createDeliveries, type DeliverableEvent } from './delivery-creation.ts'

/**
 * A bundle: several events for one endpoint that travel as one entry of the outbox. A delivery written down one by one
 * costs six row writes before it is over; in a bundle it costs two, its own row and that of its attempt, both written when
 * it has arrived. A bundle is a piece of fan-out that is not written down in full yet, and it stays that only while all
 * goes well.
 *
 *   (fan-out) ──▶ bundled     there are more events than the endpoint has slots, in a lane that flows; only without order and rate
 *   bundled ── claimed, sent one after the other ──▶ succeeded, one by one
 *   bundled ── dissolved ──▶ pending, held, skipped or cancelled, as if fan-out had just come to it
 *
 * Dissolved is: what a run did not get to, because one of its events failed, its time was up or it was interrupted; with it
 * everything that is still bundled in that lane; a bundle whose process died; and all bundles of an endpoint that is paused,
 * disabled or deleted, or that now wants order or a rate. So one that stays bundled is about to be sent.
 */
export const BUNDLE_JOB = 'webhooks.deliver-bundle'

/** As a lane's own cap: each slot takes one bundle, so nothing is sent later for being bundled. */
const BUNDLES_AT_ONCE = 8
const EVENTS_MAX = 24
/** Order keys mean nothing in a lane without order; this one finds the bundles of a lane among any number of entries. */
const BUNDLE_KEY = 'bundle'
/** Far more than a lane that flows ever has. */
const BUNDLES_LISTED_MAX = 1_000

export const bundlePayload = z.object({
  events: z.array(storedId('evt')),
  is_thin: z.boolean().optional(),
  retry_delays_seconds: z.array(z.number()).optional(),
})

export type BundlePayload = z.output<typeof bundlePayload>

/** Whether this many events for an endpoint are worth bundling, as far as its settings say. */
export const isBundleable = (endpoint: EndpointRow, events: number): boolean =>
  events > BUNDLES_AT_ONCE &&
  endpoint.ordering === 'none' &&
  endpoint.max_per_second === null &&
  endpoint.state === 'enabled' &&
  !endpoint.is_holding

/** All of a bundle have one schedule. */
export function bundleEntries(endpoint: EndpointRow, events: readonly DeliverableEvent[], now: Date): NewEntry[] {
  if (endpoint.retry_delays_by_event === null) return bundlesOf(endpoint, events, now)
  const bySchedule = Map.groupBy(events, ({ type }) => JSON.stringify(delaysFor(endpoint, type)))
  return [...bySchedule.values()].flatMap((alike) => {
    const [first] = alike
    if (first === undefined) return []
    const retry_delays_seconds = delaysFor(endpoint, first.type)
    return bundlesOf({ ...endpoint, retry_delays_seconds }, alike, now)
  })
}

function bundlesOf(endpoint: EndpointRow, events: readonly DeliverableEvent[], now: Date): NewEntry[] {
  const size = Math.min(EVENTS_MAX, Math.ceil(events.length / BUNDLES_AT_ONCE))
  const entries: NewEntry[] = []
  for (let start = 0; start < events.length; start += size) {
    const bundled = events.slice(start, start + size)
    entries.push({
      id: newId('job', now.getTime()),
      laneId: laneOf(endpoint.id),
      orgId: endpoint.org_id,
      job: BUNDLE_JOB,
      orderKey: BUNDLE_KEY,
      position: (bundled[0] as NumberedEvent).sequence,
      payload: {
        events: bundled.map((event) => event.id),
        ...(endpoint.payload === 'thin' && { is_thin: true }),
        ...(endpoint.retry_delays_seconds && { retry_delays_seconds: endpoint.retry_delays_seconds }),
      },
    })
  }
  return entries
}

const payloadOf = ({ payload }: Entry) => bundlePayload.parse(payload)

type Bundled = { orgId: OrgId; endpointId: Id<'wep'> }

const bundleLane = ({ orgId, endpointId }: Bundled) => ({ orgId, id: laneOf(endpointId) })

const listBundles = (queries: Queries, at: Bundled): Promise<Entry[]> =>
  listKeyEntries(queries, bundleLane(at), { orderKey: BUNDLE_KEY, limit: BUNDLES_LISTED_MAX })

/**
 * The events that are on their way to an endpoint in bundles, without a delivery yet. What is being
 * sent when the endpoint begins to want order has the key of that from then on (reordering.ts).
 */
export async function listBundledEvents(queries: Queries, at: Bundled): Promise<Set<string>> {
  const keyed = await listBundles(queries, at)
  const leased = (await listLeasedEntries(queries, bundleLane(at))).filter(({ job }) => job === BUNDLE_JOB)
  return new Set([...keyed, ...leased].flatMap((entry) => payloadOf(entry).events))
}

type Dissolving = { orgId: OrgId; endpointId: Id<'wep'>; now: Date }

/**
 * Writes down one by one what is bundled for an endpoint, in the state the endpoint has now. `all` takes what is being sent
 * as well: such a delivery may still succeed, and is not tried again. Answers with the lanes to ring. The caller holds the
 * lane: a bundle that is claimed meanwhile must not be taken for one that waits.
 */
export async function dissolveBundles(tx: Tx, which: 'waiting' | 'all', at: Dissolving): Promise<string[]> {
  const bundles = await listBundles(tx, at)
  const chosen = bundles.filter(({ state }) => which === 'all' || state !== 'leased')
  if (chosen.length === 0) return []
  const ids = chosen.map(({ id }) => id)
  const { changed, inFlight } = await cancelEntries(tx, bundleLane(at), ids)
  const taken = new Set(which === 'all' ? [...changed, ...inFlight] : changed)
  const laneIds: string[] = []
  for (const bundle of chosen.filter(({ id }) => taken.has(id)))
    laneIds.push(...(await createLeftover(tx, leftoverOf(bundle, at), at.now)))
  return laneIds
}

const leftoverOf = (entry: Entry, { orgId, endpointId }: Dissolving): Leftover => {
  const bundle = payloadOf(entry)
  return { orgId, endpointId, bundle, eventIds: bundle.events, attempt: 0 }
}

/** `attempt` is 1 where it is not known whether it was sent. */
export type Leftover = {
  orgId: OrgId
  endpointId: Id<'wep'>
  bundle: Omit<BundlePayload, 'events'>
  eventIds: Id<'evt'>[]
  attempt: number
}

/** What a bundle did not send becomes single deliveries, with the form and the schedule the bundle had. */
export async function createLeftover(tx: Tx, { orgId, endpointId, ...left }: Leftover, now: Date): Promise<string[]> {
  const row = await findAnyEndpoint(tx, orgId, endpointId)
  if (row === null) return []
  const payload = left.bundle.is_thin ? ('thin' as const) : ('full' as const)
  const { retry_delays_seconds = null } = left.bundle
  const endpoint = { ...row, payload, retry_delays_seconds, retry_delays_by_event: null }
  const events = await listEventHeadsById(tx, orgId, left.eventIds)
  const due = events.map((event) => ({ endpoint, event }))
  const { laneIds } = await createDeliveries(tx, orgId, due, { now, attempt: left.attempt })
  return [...laneIds]
}
