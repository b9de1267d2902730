import type { Id, OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import { findFollowerProgress } from './event-feed.ts'
import { type ErasableEvent, emptyEvents, listErasable, listNaming } from './events.sql.ts'

/**
 * Erases the payload of events. Row, number and envelope stay: sequences keep having no gaps, and a reader of the feed sees that
 * an event existed. The fan-out (webhooks) decides whether a payload may be erased.
 */

/** Returns the events that exist, with whether they are followed. */
export async function listErasableEvents(
  queries: Queries,
  orgId: OrgId,
  ids: readonly Id<'evt'>[],
): Promise<(ErasableEvent & { isFollowedUp: boolean })[]> {
  const { position } = await findFollowerProgress(queries, orgId)
  const events = await listErasable(queries, orgId, ids)
  return events.map((event) => ({ ...event, isFollowedUp: event.sequence === null || event.sequence <= position }))
}

/** Leaves a payload that is already empty unchanged. */
export async function eraseBodies(tx: Tx, orgId: OrgId, events: readonly ErasableEvent[], now: Date): Promise<void> {
  const full = events.filter(({ erased_at }) => erased_at === null)
  if (full.length > 0)
    await emptyEvents(
      tx,
      orgId,
      full.map((event) => ({ id: event.id, body: emptied(event, now) })),
      now,
    )
}

/** Keeps the form of an event, so that every reader of bodies still works. Removes the id of the actor, who may be a customer. */
function emptied({ body }: ErasableEvent, now: Date): string {
  const event: Record<string, unknown> & { actor: object } = JSON.parse(body)
  const actor = { ...event.actor, id: null }
  return JSON.stringify({ ...event, actor, data: {}, previous: null, erased_at: now.toISOString() })
}

type Naming = {
  ids: Id<'evt'>[]
  examined: number
  /** Where to go on; null at the end of the log. */
  nextAfter: number | null
}

/** Searches a piece of the log for events that are about one of the subjects or name it. */
export async function findNaming(
  queries: Queries,
  orgId: OrgId,
  { subjects, after, examinedMax, foundMax }: { subjects: readonly string[]; after: number } & Bounds,
): Promise<Naming> {
  const rows = await listNaming(queries, orgId, { subjects, after, limit: examinedMax })
  const named = rows.filter((row) => row.is_named)
  const tooMany = named[foundMax]
  const examined = tooMany === undefined ? rows : rows.slice(0, rows.indexOf(tooMany))
  const isEnd = tooMany === undefined && rows.length < examinedMax
  return {
    ids: named.slice(0, foundMax).map(({ id }) => id),
    examined: examined.length,
    nextAfter: isEnd ? null : (examined.at(-1)?.sequence ?? after),
  }
}

/** How much of the log is looked at, and how much is found, at most. */
type Bounds = { examinedMax: number; foundMax: number }
