import type { z } from 'zod'
import { type Id, newId, type OrgId } from '../kernel/ids.ts'
import type { Ending, Queries, Tx } from '../platform/database/database.ts'
import type { Caller } from '../platform/http/pipeline/caller.ts'
import { traceOfChange } from '../platform/telemetry/traces.ts'
import { EVENT_VERSION, type EventActor, type EventType, systemActor } from './event-catalogue.ts'
import {
  bumpSubscriptions,
  type EventRow,
  type FollowPlan,
  insertEvents,
  insertTestEvent,
  type PreparedEvent,
} from './events.sql.ts'

/**
 * Records events. They are written right before the commit and travel with it, whenever in the transaction they
 * are recorded: writing them takes the organization's counter row and holds it until the commit, and every other writer of
 * the organization waits for that.
 */
export type NewEvent<Data extends z.ZodType = z.ZodType> = Initiator & {
  type: EventType<Data>
  /** The id of the resource it is about. */
  subject: string
  data: z.input<Data>
  /** The fields that changed, as they were before. */
  previous?: Record<string, unknown>
  /** The trace it belongs to, where neither the request nor the work that is under way says so. */
  traceparent?: string | null
}

/** The actor and the request that cause a change, as events and the ledger record them. Without an actor, the system is the cause. */
export type Initiator = { actor?: EventActor; requestId?: Id<'req'> | null }

export const initiatorOf = ({ caller, requestId }: { caller: Caller; requestId: Id<'req'> }): Initiator => ({
  actor: { type: caller.type, id: caller.id },
  requestId,
})

export const prepareEvent = (orgId: OrgId, event: NewEvent, nowMs: number): PreparedEvent =>
  prepare(orgId, event, nowMs, {})

function prepare(orgId: OrgId, event: NewEvent, nowMs: number, mark: { test?: true }): PreparedEvent {
  const id = newId('evt', nowMs)
  const createdAt = new Date(nowMs)
  const head = JSON.stringify({ object: 'event', id, type: event.type.name })
  const tail = JSON.stringify({
    created_at: createdAt.toISOString(),
    timestamp: createdAt.toISOString(),
    version: EVENT_VERSION,
    tenant: orgId,
    ...mark,
    actor: event.actor ?? systemActor,
    data: event.data,
    previous: event.previous ?? null,
  })
  return {
    id,
    type: event.type.name,
    subject: event.subject,
    requestId: event.requestId ?? null,
    traceparent: event.traceparent ?? traceOfChange(event.requestId, event.subject),
    head: `${head.slice(0, -1)},"sequence":`,
    tail: `,${tail.slice(1)}`,
    createdAt,
  }
}

export async function recordEvents(
  tx: Tx,
  orgId: OrgId,
  events: readonly NewEvent[],
  nowMs: number,
): Promise<PreparedEvent[]> {
  const prepared = events.map((event) => prepareEvent(orgId, event, nowMs))
  recordPrepared(tx, orgId, prepared)
  return prepared
}

export function recordPrepared(tx: Tx, orgId: OrgId, events: readonly PreparedEvent[]): void {
  if (events.length > 0) tx.atEnd(writeRecorded, ...events.map((event) => ({ orgId, event })))
}

type TestEvent = Pick<EventRow, 'id' | 'type' | 'subject' | 'sequence' | 'is_test'>

/**
 * Records an event that did not happen, with `test: true` in its body and without a sequence. No follower reads it: the caller
 * creates its delivery in the same transaction.
 */
export async function recordTestEvent(tx: Tx, orgId: OrgId, event: NewEvent, nowMs: number): Promise<TestEvent> {
  const prepared = prepare(orgId, event, nowMs, { test: true })
  await insertTestEvent(tx, orgId, prepared)
  return { id: prepared.id, type: prepared.type, subject: prepared.subject, sequence: null, is_test: true }
}

/**
 * Writes what a transaction recorded, right before its commit, and lets the follower of this process take part: what
 * follows from the events (deliveries) is written by the same statement, so that nothing has to be read again to find out.
 *
 *   planned    the follower knows the organization's subscriptions, and says what to write
 *   followed   the counter row, which the statement locks, proves that what it knew is current and that no earlier event
 *              waits to be followed; then its parts are written with the events
 *   behind     otherwise: the organization is listed (event_backlog), and the follower comes by (followers.ts)
 *
 * A change of the subscriptions raises their version in the counter row of the same organization, so it lies before an
 * event or after it, never beside it.
 */
export type RecordingFollower = { plan(orgId: OrgId, events: readonly PreparedEvent[]): FollowPlan | null }

/** Poked when events were recorded and not followed. */
export const EVENTS_CHANNEL = 'nexkit_events'

const followers = new WeakMap<object, RecordingFollower>()

/** From now on this process follows what it records in the database. */
export const followRecording = (database: object, follower: RecordingFollower): void => {
  followers.set(database, follower)
}

type Recorded = { orgId: OrgId; event: PreparedEvent | null }

/** In a transaction that changes what follows from events. */
export const noteSubscriptionsChanged = (tx: Tx, orgId: OrgId): void => tx.atEnd(writeRecorded, { orgId, event: null })

/** The counters of several organizations are taken in one order by all transactions. */
async function writeRecorded(queries: Queries, recorded: Recorded[], ending: Ending): Promise<void> {
  const byOrg = Map.groupBy(recorded, ({ orgId }) => orgId)
  const orgIds = [...byOrg.keys()].sort()
  await Promise.all(orgIds.map((orgId) => writeOf(queries, orgId, byOrg.get(orgId) ?? [], ending)))
}

async function writeOf(queries: Queries, orgId: OrgId, recorded: Recorded[], ending: Ending): Promise<void> {
  const events = recorded.flatMap(({ event }) => event ?? [])
  const isChange = events.length < recorded.length
  if (events.length === 0) {
    await bumpSubscriptions(queries, orgId)
    return
  }
  const plan = isChange ? null : (followers.get(ending.database)?.plan(orgId, events) ?? null)
  try {
    const answer = await insertEvents(queries, orgId, { events, plan, isChange })
    if (!answer.is_followed) ending.poke(EVENTS_CHANNEL)
    plan?.onWritten(answer, ending)
  } catch (error) {
    plan?.onFailed()
    throw error
  }
}

/** Collects the events of one transaction and records them at its end, when their order and content are final. */
export class EventBuffer {
  readonly #events = new Map<OrgId, NewEvent[]>()

  add(orgId: OrgId, ...events: NewEvent[]): void {
    const known = this.#events.get(orgId)
    if (known === undefined) this.#events.set(orgId, events)
    else known.push(...events)
  }

  async record(tx: Tx, nowMs: number): Promise<void> {
    for (const [orgId, events] of this.#events) await recordEvents(tx, orgId, events, nowMs)
  }
}
