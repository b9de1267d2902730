import { findLastSequence } from '../../events/event-log.ts'
import { type Event, listEvents } from '../../events/events.ts'
import { isId, type OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { latestRequestLogs } from '../../request-logs/request-logs.ts'
import { listDeliveries } from '../../webhooks/deliveries.ts'

/**
 * What is new in an organization, read from where somebody stood. A position is of the database and not of a process: whoever
 * comes back to another process, or after a restart, goes on from the same place.
 */
export type LiveNotice = {
  kind: 'event' | 'request' | 'delivery' | 'message' | 'order'
  id: string
  type?: string
  subject?: string
}

export type LivePosition = {
  orgId: OrgId
  /** Of the last event. */
  sequence: number
  /** Of the newest call and the newest delivery; empty where there was none. */
  requestId: string
  deliveryId: string
}

/** More than that within one look, or while somebody was away, is not told one by one: then the lists are read again. */
export const EVENTS_MAX = 200
const DELIVERIES_MAX = 100
/** As many as the log gives of its newest. */
const REQUESTS_MAX = 200

/** Null for too many to be told one by one. */
export type News = { notices: LiveNotice[] | null; position: LivePosition }

export const positionText = ({ orgId, sequence, requestId, deliveryId }: LivePosition): string =>
  [orgId, sequence, requestId, deliveryId].join('.')

/** Null for what is not a position in this organization. */
export function readPosition(text: string, orgId: OrgId): LivePosition | null {
  const [org, sequence = '', requestId = '', deliveryId = '', ...more] = text.split('.')
  const isWhole = org === orgId && /^\d{1,15}$/.test(sequence) && more.length === 0
  const isNamed = (requestId === '' || isId('req', requestId)) && (deliveryId === '' || isId('dlv', deliveryId))
  return isWhole && isNamed ? { orgId, sequence: Number(sequence), requestId, deliveryId } : null
}

/** Where things stand now, and the calls that are known there. */
export async function findPosition(
  database: Database,
  orgId: OrgId,
): Promise<{ position: LivePosition; requestIds: string[] }> {
  const [sequence, requests, [delivery]] = await Promise.all([
    findLastSequence(database, orgId),
    latestRequestLogs(database, orgId, null),
    listDeliveries(database, orgId, { limit: 1 }),
  ])
  const position = { orgId, sequence, requestId: requests[0]?.id ?? '', deliveryId: delivery?.id ?? '' }
  return { position, requestIds: requests.map(({ id }) => id) }
}

/** Calls of a few seconds before the position are told once more, because they are written when they are over. */
export async function readNews(database: Database, from: LivePosition): Promise<News> {
  const { orgId } = from
  const [events, requests, deliveries] = await Promise.all([
    listEvents(database, orgId, { after: from.sequence, limit: EVENTS_MAX + 1 }),
    latestRequestLogs(database, orgId, from.requestId === '' ? null : from.requestId),
    listDeliveries(database, orgId, { limit: DELIVERIES_MAX + 1 }),
  ])
  const isTooMuch = events.length > EVENTS_MAX
  const newDeliveries = deliveries.filter(({ id }) => id > from.deliveryId)
  const position = {
    orgId,
    sequence: isTooMuch ? await findLastSequence(database, orgId) : (events.at(-1)?.sequence ?? from.sequence),
    requestId: requests[0]?.id ?? from.requestId,
    deliveryId: newDeliveries[0]?.id ?? from.deliveryId,
  }
  if (isTooMuch || newDeliveries.length > DELIVERIES_MAX) return { notices: null, position }
  const notices: LiveNotice[] = [
    ...events.flatMap(noticesOf),
    ...requests.map(({ id }) => ({ kind: 'request' as const, id })),
    ...newDeliveries.map(({ id }) => ({ kind: 'delivery' as const, id })),
  ]
  return { notices, position }
}

/**
 * What somebody missed who stood at a place, up to where everybody else stands; null when it is too much. Somebody who comes from
 * a process that looked a moment later is a little ahead of everybody here, and has missed nothing.
 */
export async function readMissed(
  database: Database,
  from: LivePosition,
  to: LivePosition,
): Promise<LiveNotice[] | null> {
  if (Math.abs(to.sequence - from.sequence) > EVENTS_MAX) return null
  const { notices } = await readNews(database, from)
  const isTooMuch = notices === null || notices.filter(({ kind }) => kind === 'request').length >= REQUESTS_MAX
  return isTooMuch ? null : notices
}

function noticesOf({ id, type, subject }: Event): LiveNotice[] {
  const group = type.slice(0, type.indexOf('.'))
  const notice: LiveNotice = { kind: 'event', id, type, subject }
  return group === 'message' || group === 'order' ? [notice, { ...notice, kind: group }] : [notice]
}
