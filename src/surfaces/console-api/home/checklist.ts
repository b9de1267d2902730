import type { z } from 'zod'
import { listApiKeys } from '../../../accounts/keys/keys.ts'
import { type Event, findLastSequence, listEvents } from '../../../events/events.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import { messageMoved } from '../../../messaging/messaging.events.ts'
import { orderEvents } from '../../../orders/orders.events.ts'
import type { Database } from '../../../platform/database/database.ts'
import { listDeliveries } from '../../../webhooks/deliveries/deliveries.ts'
import type { Checklist } from './statistics.schemas.ts'

/**
 * The progress of a new user, computed from recorded facts, and only from acts of people.
 *
 * The first start creates example chats and orders with the same key that it hands to the person, so neither the actor
 * nor the time distinguishes them from acts of the person. Examples that would tick a step are marked where they are
 * created (demo-content.ts): the message of the demo, and the order that is paid automatically. The other example order
 * is not marked, because only a person pays it. Order notices are sent by the system and count as no first message.
 */
type View = z.input<typeof Checklist>

export type ChecklistReader = (orgId: OrgId) => Promise<View>

/** Metadata that marks an example message or order. */
export const EXAMPLE_MARK = { demo: 'true' } as const

const step = (at: Date | null | undefined): View['key_made'] => ({
  done: at != null,
  at: at?.toISOString() ?? null,
})

const FIRST_START = 'first start'
/** The demo has ended by then, so a later use of its key is a person's. */
const DEMO_MS = 60_000

/** The key of the first start counts once a person uses it, because no person created it. */
async function keyCreatedAt(database: Database, orgId: OrgId): Promise<Date | null> {
  const times = (await listApiKeys(database, orgId)).flatMap(({ created_by, created_at, last_used_at }) => {
    if (created_by !== FIRST_START) return created_at
    const isUsed = last_used_at !== null && last_used_at.getTime() - created_at.getTime() > DEMO_MS
    return isUsed ? last_used_at : []
  })
  return times.length === 0 ? null : new Date(Math.min(...times.map((time) => time.getTime())))
}

/** How far the events of a type were looked through, and what was found. A step that is done stays done. */
type Search = { at: Date | null; lookedTo: number }

const EVENTS_PER_LOOK = 100
const SEARCHES_KEPT_MAX = 5000

export function createChecklistReader(database: Database): ChecklistReader {
  const searches = new Map<string, Search>()
  const firstOf = async (orgId: OrgId, type: string): Promise<Date | null> => {
    const name = `${orgId} ${type}`
    const search = searches.get(name) ?? { at: null, lookedTo: 0 }
    if (search.at !== null) return search.at
    const next = await lookFurther(database, orgId, { type, after: search.lookedTo })
    const [oldest] = searches.size >= SEARCHES_KEPT_MAX ? searches.keys() : []
    if (oldest !== undefined) searches.delete(oldest)
    searches.set(name, next)
    return next.at
  }
  return async (orgId) => {
    const [key, sent, paid, [delivered]] = await Promise.all([
      keyCreatedAt(database, orgId),
      firstOf(orgId, messageMoved.sent.name),
      firstOf(orgId, orderEvents.paid.name),
      listDeliveries(database, orgId, { statuses: ['succeeded'], limit: 1 }),
    ])
    return {
      key_made: step(key),
      message_sent: step(sent),
      order_paid: step(paid),
      webhook_delivered: step(delivered?.completed_at),
    }
  }
}

/** Continues where the last search ended, so no event is read twice. */
async function lookFurther(
  database: Database,
  orgId: OrgId,
  { type, after }: { type: string; after: number },
): Promise<Search> {
  const end = await findLastSequence(database, orgId)
  const events = await listEvents(database, orgId, { types: [type], after, limit: EVENTS_PER_LOOK })
  const found = events.find((event) => isOfPeople(event))
  const isMore = events.length === EVENTS_PER_LOOK
  return {
    at: found?.created_at ?? null,
    lookedTo: (isMore ? events.at(-1)?.sequence : undefined) ?? Math.max(end, after),
  }
}

function isOfPeople({ body }: Event): boolean {
  const { data }: { data: { metadata?: Record<string, string>; sender?: { type: string } } } = JSON.parse(body)
  return data.metadata?.demo !== EXAMPLE_MARK.demo && data.sender?.type !== 'system'
}
