import { type Id, newId, type OrgId } from '../src/kernel/ids.ts'
import type { Database } from '../src/platform/database/database.ts'
import {
  createSigningSecret,
  parseSigningKey,
  type SigningKey,
  signedHeaders,
} from '../src/webhooks/signing/signature.ts'

/** A sender without a database; with books, the least sender that loses nothing in a crash. */
const key = parseSigningKey(createSigningSecret()) as SigningKey

export async function postOnce(origin: string, eventId: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
  const content = { id: eventId, timestampSeconds: Math.floor(Date.now() / 1000), body }
  const headers = { 'content-type': 'application/json', ...signedHeaders([key], content), 'webhook-attempt': '1' }
  const response = await fetch(`${origin}/count`, { method: 'POST', headers, body })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`the sink answered ${response.status}`)
}

/**
 * The least a sender can do that loses nothing when it dies: pending deliveries are in a table, are read a thousand at a time,
 * and is booked a thousand at a time when it has arrived. One sender, one secret, no lanes, leases, caps, retries, guards or
 * time limits, and of each attempt only its times and its status.
 */
export const BARE_DELIVERY_TABLES = `
  create table bare_owed (
    id text collate "C" primary key, event_id text collate "C" not null, endpoint_id text collate "C" not null);
  create table bare_deliveries (
    org_id text collate "C", id text collate "C", endpoint_id text collate "C" not null, event_id text collate "C" not null,
    response_status int not null, started_at timestamptz not null, completed_at timestamptz not null,
    primary key (org_id, id));
  create index bare_deliveries_by_endpoint on bare_deliveries (org_id, endpoint_id, id);`

const AT_ONCE = 1_024
const READ_BELOW = 256

type Pending = { id: string; event_id: Id<'evt'>; endpoint_id: string }
type Sendable = Pending & { body: Uint8Array<ArrayBuffer> }
type Arrived = Pending & { startedMs: number; completedMs: number }

export type BareDeliverer = {
  owe(eventIds: readonly string[], endpoints: number): Promise<unknown>
  /** Until nothing is pending and all of it is booked. */
  work(posters: number): Promise<void>
}

export function createBareDeliverer(database: Database, orgId: OrgId, origin: string): BareDeliverer {
  const queue: Sendable[] = []
  let arrived: Arrived[] = []
  let booking: Promise<unknown> = Promise.resolve()
  let reading: Promise<void> | null = null
  let lastRead = ''
  let isAllRead = false

  const read = async () => {
    const rows = await database.many<Pending>`
      select id, event_id, endpoint_id from bare_owed where id > ${lastRead} order by id limit ${AT_ONCE}`
    isAllRead = rows.length === 0
    const eventIds = [...new Set(rows.map((row) => row.event_id))]
    const events = await database.many<{ id: string; body: string }>`
      select id, body from events where org_id = ${orgId} and id = any(${eventIds}::text[])`
    const bodies = new Map(events.map(({ id, body }) => [id, new TextEncoder().encode(body)]))
    for (const row of rows) queue.push({ ...row, body: bodies.get(row.event_id) as Sendable['body'] })
    lastRead = rows.at(-1)?.id ?? lastRead
  }
  const next = async (): Promise<Sendable | undefined> => {
    if (queue.length < READ_BELOW && !isAllRead)
      reading ??= read().finally(() => {
        reading = null
      })
    while (queue.length === 0 && reading !== null) await reading
    return queue.shift()
  }
  const book = (rows: readonly Arrived[]) => database.run`
    with gone as (delete from bare_owed where id = any(${rows.map(({ id }) => id)}::text[]))
    insert into bare_deliveries
    select ${orgId}, id, endpoint_id, event_id, 204, to_timestamp(started_ms / 1000), to_timestamp(completed_ms / 1000)
    from unnest(
      ${rows.map(({ id }) => id)}::text[], ${rows.map((row) => row.endpoint_id)}::text[],
      ${rows.map((row) => row.event_id)}::text[], ${rows.map(({ startedMs }) => startedMs)}::float8[],
      ${rows.map(({ completedMs }) => completedMs)}::float8[]
    ) as arrived (id, endpoint_id, event_id, started_ms, completed_ms)`
  const bookAll = () => {
    const rows = arrived
    arrived = []
    if (rows.length > 0) booking = booking.then(() => book(rows))
    return booking
  }
  const post = async () => {
    for (let one = await next(); one !== undefined; one = await next()) {
      const startedMs = Date.now()
      await postOnce(origin, one.event_id, one.body)
      arrived.push({ ...one, startedMs, completedMs: Date.now() })
      if (arrived.length >= AT_ONCE) void bookAll()
    }
  }
  return {
    owe(eventIds, endpoints) {
      isAllRead = false
      const pending = eventIds.flatMap((eventId) =>
        Array.from({ length: endpoints }, (_, nth) => ({ id: newId('dlv'), eventId, endpointId: `wep_${nth}` })),
      )
      return database.run`
        insert into bare_owed select * from unnest(
          ${pending.map(({ id }) => id)}::text[], ${pending.map(({ eventId }) => eventId)}::text[],
          ${pending.map(({ endpointId }) => endpointId)}::text[])`
    },
    async work(posters) {
      await Promise.all(Array.from({ length: posters }, post))
      await bookAll()
    },
  }
}
