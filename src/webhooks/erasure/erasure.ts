import { eventNotFound } from '../../events/events.errors.ts'
import { type ErasableEvent, eraseBodies, findNaming, listErasableEvents } from '../../events/events.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { cancelEntries, type Entry, listLaneEntries, lockEntries } from '../../platform/outbox/entries.ts'
import {
  deliveryIdRange,
  type ErasableDelivery,
  EVENT_ERASED,
  emptyResponses,
  firstAttemptIdOf,
  listBundledEvents,
  listDeliveriesIn,
  markErased,
  moveDeliveries,
  resentDeliveryOf,
} from '../deliveries/deliveries.ts'
import { handLaneOf, laneOf, listSubscribers, lockSubscriptions } from '../endpoints/endpoints.ts'
import type { WebhooksContext } from '../webhooks-context.ts'
import { eventUnfinished } from './erasure.errors.ts'

/**
 * Erases what events say, for good: the body of the event, and what receivers answered to it. The rows
 * stay, of events, deliveries and attempts.
 *
 * Unfinished work keeps its payload, unless the caller gives it up. What is in flight cannot be given up: its answer is
 * written down after us. Nor can an event that is not fanned out yet.
 *
 * Fan-out and recoveries are locked out meanwhile, and lanes are locked before deliveries, as everywhere. So nothing becomes
 * created between the look and the erasure; a resend asked for in that moment finds the event empty and sends nothing.
 */
export type Unfinished = 'keep' | 'cancel'
type Obstacle = 'not_dealt_out' | 'in_flight' | 'deliveries_unfinished'
type Erasing = Pick<WebhooksContext, 'clock' | 'wake'>
type ErasureRequest = { ids: readonly Id<'evt'>[]; unfinished: Unfinished }

/** Erasing what is erased changes nothing. */
export async function eraseEvent(
  context: Erasing,
  tx: Tx,
  orgId: OrgId,
  { id, unfinished }: { id: Id<'evt'>; unfinished: Unfinished },
): Promise<void> {
  const { erased, left } = await eraseSome(context, tx, orgId, { ids: [id], unfinished })
  const reason = left.get(id)
  if (reason !== undefined) throw eventUnfinished({ params: { id, reason } })
  if (erased === 0) throw eventNotFound({ params: { id } })
}

/** An id of ours, or a phone as bodies spell it. A mere word would be found in everything. */
export const SUBJECT_FORM = /^(?:[a-z]{3,4}_[0-7][0-9a-hjkmnp-tv-z]{25}|\+[1-9][0-9]{6,14})$/
export const SUBJECT_FORM_SAYS = 'This must be an id such as con_…, or a phone such as +6281311112222.'

/** As many as one transaction takes without holding up an organization. */
const EXAMINED_MAX = 5_000
const ERASED_MAX = 500

export type Erasure = { examined: number; erased: number; unfinished: number; nextAfter: number | null }

/** What is about one of the subjects or names it, in a piece of the log. What is unfinished is left as it is, and counted. */
export async function eraseNaming(
  context: Erasing,
  tx: Tx,
  orgId: OrgId,
  { unfinished, ...naming }: { subjects: readonly string[]; after: number; unfinished: Unfinished },
): Promise<Erasure> {
  const bounds = { examinedMax: EXAMINED_MAX, foundMax: ERASED_MAX }
  const { ids, examined, nextAfter } = await findNaming(tx, orgId, { ...naming, ...bounds })
  const { erased, left } = await eraseSome(context, tx, orgId, { ids, unfinished })
  return { examined, erased, unfinished: left.size, nextAfter }
}

async function eraseSome(
  { clock, wake }: Erasing,
  tx: Tx,
  orgId: OrgId,
  { ids, unfinished }: ErasureRequest,
): Promise<{ erased: number; left: Map<Id<'evt'>, Obstacle> }> {
  if (ids.length === 0) return { erased: 0, left: new Map() }
  await lockSubscriptions(tx, orgId, 'alone')
  const facts = await gatherFacts(tx, orgId, ids)
  const left = new Map(
    facts.events.flatMap((event) => {
      const obstacle = obstacleTo(event, facts, unfinished)
      return obstacle === null ? [] : [[event.id, obstacle] as const]
    }),
  )
  const now = new Date(clock.now())
  const events = facts.events.filter(({ id }) => !left.has(id))
  const deliveries = facts.deliveries.filter(({ event_id: id }) => events.some((event) => event.id === id))
  await giveUp(tx, orgId, { deliveries, entries: facts.entries }, now)
  tx.afterCommit(() => wake([orgId]))
  await eraseAnswers(tx, orgId, deliveries)
  await eraseBodies(tx, orgId, events, now)
  return { erased: events.length, left }
}

type Facts = {
  events: (ErasableEvent & { isFollowedUp: boolean })[]
  /** On their way in bundles, without a delivery yet. */
  bundled: ReadonlySet<string>
  deliveries: ErasableDelivery[]
  entries: OwnEntry[]
}

/** An entry of the outbox for a delivery: its own, or a resend. */
type OwnEntry = Pick<Entry, 'id' | 'laneId' | 'state'> & { deliveryId: string }

async function gatherFacts(tx: Tx, orgId: OrgId, ids: readonly Id<'evt'>[]): Promise<Facts> {
  const events = await listErasableEvents(tx, orgId, ids)
  // The bundles first: what leaves one has a delivery from that moment on.
  const subscribers = (await listSubscribers(tx, orgId)).map(({ id }) => id)
  const bundled = await listBundledFor(tx, orgId, subscribers)
  const found = await listDeliveriesIn(
    tx,
    orgId,
    events.map(({ id }) => deliveryIdRange(id)),
  )
  const wanted = new Set(events.map(({ id }) => id))
  const deliveries = found.filter(({ event_id }) => wanted.has(event_id))
  // Of an endpoint that was deleted a bundle may still be under way; its deliveries are there since.
  const deleted = new Set(deliveries.map(({ endpoint_id }) => endpoint_id)).difference(new Set(subscribers))
  const underWay = await listBundledFor(tx, orgId, [...deleted])
  return { events, bundled: bundled.union(underWay), deliveries, entries: await lockOwnEntries(tx, orgId, deliveries) }
}

async function listBundledFor(tx: Tx, orgId: OrgId, endpointIds: readonly Id<'wep'>[]): Promise<Set<string>> {
  const bundled = new Set<string>()
  for (const endpointId of endpointIds)
    for (const eventId of await listBundledEvents(tx, { orgId, endpointId })) bundled.add(eventId)
  return bundled
}

const RESENDS_LOOKED_AT_MAX = 1_000

async function lockOwnEntries(tx: Tx, orgId: OrgId, deliveries: readonly ErasableDelivery[]): Promise<OwnEntry[]> {
  const endpointIds = [...new Set(deliveries.map(({ endpoint_id }) => endpoint_id))]
  const ids = deliveries.map(({ id }) => id)
  const laneIds = endpointIds.flatMap((id) => [laneOf(id), handLaneOf(id)])
  const own = (await lockEntries(tx, orgId, { laneIds, ids })).map((entry) => ({ ...entry, deliveryId: entry.id }))
  const wanted = new Set<string>(ids)
  const resends: OwnEntry[] = []
  for (const endpointId of endpointIds) {
    for (const entry of await listLaneEntries(tx, { orgId, id: handLaneOf(endpointId) }, RESENDS_LOOKED_AT_MAX)) {
      const deliveryId = resentDeliveryOf(entry)
      if (deliveryId !== undefined && wanted.has(deliveryId)) resends.push({ ...entry, deliveryId })
    }
  }
  return [...own, ...resends]
}

function obstacleTo(event: Facts['events'][number], facts: Facts, unfinished: Unfinished): Obstacle | null {
  if (!event.isFollowedUp) return 'not_dealt_out'
  const deliveries = facts.deliveries.filter(({ event_id }) => event_id === event.id)
  const entries = facts.entries.filter(({ deliveryId }) => deliveries.some(({ id }) => id === deliveryId))
  if (facts.bundled.has(event.id) || entries.some(({ state }) => state === 'leased')) return 'in_flight'
  const isUnfinished = entries.length > 0 || deliveries.some(isWaiting)
  return isUnfinished && unfinished === 'keep' ? 'deliveries_unfinished' : null
}

const isWaiting = ({ status }: ErasableDelivery) => status === 'pending' || status === 'held'

/** What is behind it may be next: the caller rings. */
async function giveUp(
  tx: Tx,
  orgId: OrgId,
  { deliveries, entries }: Pick<Facts, 'deliveries' | 'entries'>,
  now: Date,
): Promise<void> {
  const chosen = new Set<string>(deliveries.map(({ id }) => id))
  const byLane = Map.groupBy(
    entries.filter(({ deliveryId }) => chosen.has(deliveryId)),
    ({ laneId }) => laneId,
  )
  for (const laneId of [...byLane.keys()].sort()) {
    const ids = (byLane.get(laneId) ?? []).map(({ id }) => id)
    await cancelEntries(tx, { orgId, id: laneId }, ids)
  }
  const ids = deliveries.filter(isWaiting).map(({ id }) => id)
  if (ids.length > 0)
    await moveDeliveries(tx, orgId, { ids, from: ['pending', 'held'], to: 'cancelled', reason: EVENT_ERASED, now })
}

async function eraseAnswers(tx: Tx, orgId: OrgId, deliveries: readonly ErasableDelivery[]): Promise<void> {
  const deliveryIds = deliveries.map(({ id }) => id).sort()
  const [first] = deliveryIds
  if (first === undefined) return
  await markErased(tx, orgId, deliveryIds)
  await emptyResponses(tx, orgId, { deliveryIds, fromId: firstAttemptIdOf(first) })
}
