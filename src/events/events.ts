import type { z } from 'zod'
import { firstIdAt, type Id, newId, type OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { traceOf } from '../platform/telemetry/traces.ts'
import { EVENT_VERSION, type EventActor, type EventType, systemActor } from './event-types.ts'
import { currentBody } from './event-upgrade.ts'
import { eventNotFound, eventsExpired, sequenceAhead } from './events.errors.ts'
import {
  type EventRow,
  findEvent,
  findNextSequence,
  insertTestEvent,
  listEventsAfter,
  listEventsBefore,
  listEventsOfRequest as listRows,
  listSubjects,
  listTestEvents as listTestRows,
  type NumberedEvent,
  type PreparedEvent,
} from './events.sql.ts'
import { writeRecorded } from './recording.ts'

/**
 * Records events. They are written right before the commit and travel with it, whenever in the transaction they
 * are recorded: writing them takes the organization's counter row and holds it until the commit, and every other writer of
 * the organization waits for that.
 */
export type NewEvent<Data extends z.ZodType = z.ZodType> = {
  type: EventType<Data>
  /** The id of the resource it is about. */
  subject: string
  data: z.input<Data>
  /** The fields that changed, as they were before. */
  previous?: Record<string, unknown>
  actor?: EventActor
  requestId?: Id<'req'> | null
}

export type Event = EventRow
export type { NumberedEvent, PreparedEvent, RecordedEvents } from './events.sql.ts'

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
    traceparent: traceOf(event.requestId),
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

export type TestEvent = Pick<EventRow, 'id' | 'type' | 'subject' | 'sequence' | 'is_test'>

/**
 * Records an event that did not happen, with `test: true` in its body and without a sequence. No follower reads it: the caller
 * creates its delivery in the same transaction.
 */
export async function recordTestEvent(tx: Tx, orgId: OrgId, event: NewEvent, nowMs: number): Promise<TestEvent> {
  const prepared = prepare(orgId, event, nowMs, { test: true })
  await insertTestEvent(tx, orgId, prepared)
  return { id: prepared.id, type: prepared.type, subject: prepared.subject, sequence: null, is_test: true }
}

export async function getEvent(database: Queries, orgId: OrgId, id: string): Promise<Event> {
  const row = await findEvent(database, orgId, id)
  if (row === null) throw eventNotFound({ params: { id } })
  return current(row)
}

/** In the shape that is published now, whichever version recorded it. */
const current = <Row extends Event>(row: Row): Row => ({ ...row, body: currentBody(row) })

export type EventFilter = { types?: readonly string[]; subject?: string }

/** Real events only. */
export async function listEvents(
  database: Queries,
  orgId: OrgId,
  page: { after?: number; before?: number; limit: number } & EventFilter,
): Promise<NumberedEvent[]> {
  const rows = await (page.after !== undefined
    ? listEventsAfter(database, orgId, { ...page, after: page.after })
    : listEventsBefore(database, orgId, page))
  return rows.map(current)
}

export const listTestEvents = async (
  database: Queries,
  orgId: OrgId,
  page: { beforeId?: string; limit: number } & EventFilter,
): Promise<Event[]> => (await listTestRows(database, orgId, page)).map(current)

/** What a reader has seen must exist and join what is kept, or it would go on without knowing that it missed something. */
export async function assertJoins(database: Queries, orgId: OrgId, after: number): Promise<void> {
  const { next } = await findNextSequence(database, orgId, after)
  const newest = (next ?? 1) - 1
  if (newest < after)
    throw sequenceAhead({
      says: `The newest event has the sequence ${newest}, and events after ${after} were asked for. Go on with after=${newest}.`,
      params: { after, newest },
    })
  if (newest > after) throw eventsExpired({ params: { after, missed: newest - after, resume_after: newest } })
}

const EVENTS_OF_REQUEST_MAX = 100

/** Processes may share the work and not the clock. */
const CLOCKS_APART_MS = 1_000

/** The events that one API call caused while it ran. */
export const listEventsOfRequest = (
  queries: Queries,
  orgId: OrgId,
  { requestId, startedAtMs, durationMs }: { requestId: string; startedAtMs: number; durationMs: number },
): Promise<Event[]> =>
  listRows(queries, orgId, {
    requestId,
    fromId: firstIdAt('evt', new Date(startedAtMs - CLOCKS_APART_MS)),
    beforeId: firstIdAt('evt', new Date(startedAtMs + durationMs + CLOCKS_APART_MS)),
    limit: EVENTS_OF_REQUEST_MAX,
  })

const SUBJECTS_MAX = 50_000

/** The subjects of events of a type, oldest first. */
export const listSubjectsOf = (
  queries: Queries,
  orgId: OrgId,
  { type, from, to }: { type: string; from: Date; to: Date },
): Promise<{ id: Id<'evt'>; subject: string }[]> =>
  listSubjects(queries, orgId, {
    type,
    fromId: firstIdAt('evt', from),
    beforeId: firstIdAt('evt', to),
    limit: SUBJECTS_MAX,
  })
