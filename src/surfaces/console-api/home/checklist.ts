import type { z } from 'zod'
import { type Event, findLastSequence, listEvents } from '../../../events/events.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import { messageReceived } from '../../../messaging/messaging.events.ts'
import { orderEvents } from '../../../orders/orders.events.ts'
import type { Database } from '../../../platform/database/database.ts'
import { listDeliveries } from '../../../webhooks/deliveries/deliveries.ts'
import type { Checklist } from './statistics.schemas.ts'

/**
 * The steps of a first sale, computed from recorded facts, and only from acts of people.
 *
 * The first start creates example chats and orders with the key that it hands to the person, so neither the actor nor the
 * time distinguishes them from acts of the person. Example orders are marked where they are created (demo-content.ts);
 * messages of customers carry no mark and are recognised by their text. Paying the open example order counts as a payment,
 * because only a person pays it.
 */
type View = z.input<typeof Checklist>

export type ChecklistReader = (orgId: OrgId) => Promise<View>

/** Metadata that marks an example order that is paid automatically, and one that a person may pay. */
export const EXAMPLE_MARK = { demo: 'true' } as const
export const OPEN_EXAMPLE_MARK = { demo: 'open' } as const

/** What the example customers write. */
export const EXAMPLE_TEXTS = {
  sariAsks: 'Halo, kopi susu gula aren masih ada?',
  sariOrders: 'Dua ya, sama satu roti bakar',
  dewiAsks: 'Pagi, paket sarapan untuk kantor bisa diantar?',
  budiAsks: 'Kak, besok buka jam berapa?',
} as const

type Facts = { id?: string; body?: string | null; metadata?: Record<string, string> }
/** An event that ends a step, and whether an act of a person caused it. */
type Sign = { type: string; counts: (facts: Facts) => boolean }

const exampleTexts: readonly string[] = Object.values(EXAMPLE_TEXTS)
const signs = {
  received: { type: messageReceived.name, counts: ({ body }) => !exampleTexts.includes(body ?? '') },
  created: { type: orderEvents.created.name, counts: ({ metadata }) => metadata?.demo === undefined },
  paid: { type: orderEvents.paid.name, counts: ({ metadata }) => metadata?.demo !== EXAMPLE_MARK.demo },
} satisfies Record<string, Sign>

/** How far the events of a type were read, and what was found. A step that is done stays done. */
type Search = { found: Found | null; readTo: number }
type Found = { at: Date; id: string | null }

const EVENTS_PER_LOOK = 100
const SEARCHES_KEPT_MAX = 5000

export function createChecklistReader(database: Database): ChecklistReader {
  const searches = new Map<string, Search>()
  const find = async (orgId: OrgId, sign: Sign): Promise<Found | null> => {
    const name = `${orgId} ${sign.type}`
    const search = searches.get(name) ?? { found: null, readTo: 0 }
    if (search.found !== null) return search.found
    const next = await lookFurther(database, orgId, { sign, after: search.readTo })
    const [oldest] = searches.size >= SEARCHES_KEPT_MAX ? searches.keys() : []
    if (oldest !== undefined) searches.delete(oldest)
    searches.set(name, next)
    return next.found
  }
  return async (orgId) => {
    const [received, created, paid, [delivered]] = await Promise.all([
      find(orgId, signs.received),
      find(orgId, signs.created),
      find(orgId, signs.paid),
      listDeliveries(database, orgId, { statuses: ['succeeded'], limit: 1 }),
    ])
    return {
      message_received: step(received?.at),
      order_created: { ...step(created?.at), order_id: created?.id ?? null },
      order_paid: step(paid?.at),
      webhook_delivered: step(delivered?.completed_at),
    }
  }
}

const step = (at: Date | null | undefined): View['order_paid'] => ({
  done: at != null,
  at: at?.toISOString() ?? null,
})

/** Continues where the last search ended, so no event is read twice. */
async function lookFurther(
  database: Database,
  orgId: OrgId,
  { sign, after }: { sign: Sign; after: number },
): Promise<Search> {
  const end = await findLastSequence(database, orgId)
  const events = await listEvents(database, orgId, { types: [sign.type], after, limit: EVENTS_PER_LOOK })
  const found = events.find((event) => sign.counts(factsOf(event)))
  const isMore = events.length === EVENTS_PER_LOOK
  return {
    found: found === undefined ? null : { at: found.created_at, id: factsOf(found).id ?? null },
    readTo: (isMore ? events.at(-1)?.sequence : undefined) ?? Math.max(end, after),
  }
}

const factsOf = ({ body }: Event): Facts => (JSON.parse(body) as { data: Facts }).data
