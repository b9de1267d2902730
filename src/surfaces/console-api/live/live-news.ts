import { type Event, findLastSequence, listEvents } from '../../../events/events.ts'
import { isId, type OrgId } from '../../../kernel/ids.ts'
import type { Database } from '../../../platform/database/database.ts'
import { latestRequestLogs } from '../../../request-logs/request-logs.ts'
import { listDeliveries } from '../../../webhooks/deliveries/deliveries.ts'

/**
 * The news of an organization since a position. A position belongs to the database and not to a process, so a client
 * that reconnects to another process, or after a restart, continues from the same place.
 */
export type LiveNotice = {
  kind: 'event' | 'request' | 'delivery' | 'message' | 'order'
  id: string
  type?: string
  subject?: string
}

export type LivePosition = {
  orgId: OrgId
  /** The sequence of the last event. */
  sequence: number
  /** The ids of the newest call and the newest delivery; empty when there is none. */
  requestId: string
  deliveryId: string
}

/** Beyond this many events in one poll or one absence, no single notices are sent: the lists are read again. */
export const EVENTS_MAX = 200
const DELIVERIES_MAX = 100
/** Equal to the number of newest requests that the log returns. */
const REQUESTS_MAX = 200

/** Null when there are too many to send. */
export type News = { notices: LiveNotice[] | null; position: LivePosition }

export const positionText = ({ orgId, sequence, requestId, deliveryId }: LivePosition): string =>
  [orgId, sequence, requestId, deliveryId].join('.')

/** Null when the text is not a position in this organization. */
export function readPosition(text: string, orgId: OrgId): LivePosition | null {
  const [org, sequence = '', requestId = '', deliveryId = '', ...more] = text.split('.')
  const isWhole = org === orgId && /^\d{1,15}$/.test(sequence) && more.length === 0
  const isNamed = (requestId === '' || isId('req', requestId)) && (deliveryId === '' || isId('dlv', deliveryId))
  return isWhole && isNamed ? { orgId, sequence: Number(sequence), requestId, deliveryId } : null
}

/** The current position, and the calls that are known there. */
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

/** Calls of the last seconds before the position are sent again, because a call is written when it ends. */
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
 * The notices between a client's position and the position of the other clients; null when there are too many. A client
 * that comes from a process that polled a moment later is slightly ahead and has missed nothing.
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
