import { firstIdAt, type Id, type OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { currentBody } from './event-upgrade.ts'
import { eventNotFound, eventsExpired, sequenceAhead } from './events.errors.ts'
import {
  type EventRow,
  findEvent,
  findNextSequence,
  listEventsAfter,
  listEventsBefore,
  listRowsOfRequest,
  listSubjects,
  listTestRows,
  type NumberedEvent,
} from './events.sql.ts'
import { epochOf } from './feed-epoch.ts'
import { type FollowerProgress, findCounter, findFollower, insertCounter, lockCounter } from './followers.sql.ts'

/** Reads recorded events: one, a page of them, those of a request or of a type, and where the log of an organization ends. */
export type Event = EventRow

export async function getEvent(database: Queries, orgId: OrgId, id: string): Promise<Event> {
  const row = await findEvent(database, orgId, id)
  if (row === null) throw eventNotFound({ params: { id } })
  return current(row)
}

/** In the shape that is published now, whichever version recorded it. */
const current = <Row extends Event>(row: Row): Row => ({ ...row, body: currentBody(row) })

type EventFilter = { types?: readonly string[]; subject?: string }

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
      says: `The newest event has the sequence ${newest}, which is before ${after}. Continue with after=${newest}.`,
      params: { after, newest },
    })
  if (epochOf(newest) > epochOf(after))
    throw eventsExpired({
      says: `Events after this sequence may be lost, because the server was restored from a backup. Continue with after=${newest}.`,
      params: { after, missed: null, resume_after: newest },
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
  listRowsOfRequest(queries, orgId, {
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

/** The sequence of the last event, kept still until the commit: nothing gets a number in between. */
export async function lockLastSequence(tx: Tx, orgId: OrgId): Promise<number> {
  await insertCounter(tx, orgId)
  return (await lockCounter(tx, orgId)).last_sequence
}

/** Without holding anyone up: for a line drawn at about this moment. */
export const findLastSequence = async (queries: Queries, orgId: OrgId): Promise<number> =>
  (await findCounter(queries, orgId))?.last_sequence ?? 0

/** How far the events of an organization are followed, and how far there is to go. */
export const findFollowerProgress = async (queries: Queries, orgId: OrgId): Promise<FollowerProgress> =>
  (await findFollower(queries, orgId)) ?? { position: 0, last: 0 }
