import { assertJoins, type Event, listEvents } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { UsageError } from '../framework/command.ts'
import { chooseOrganization } from '../framework/connection.ts'

/** Where `nexkit listen` reads events: the database of a server on this machine, or the public API of any server. */
export type FeedEvent = Pick<Event, 'id' | 'type' | 'body' | 'erased_at'> & { sequence: number }

export type Feed = {
  /** 0 when there is none. */
  findNewest(): Promise<number>
  /** Oldest first. Rejects with a problem when some in between are gone. */
  listAfter(sequence: number): Promise<FeedEvent[]>
  /** How long to wait when there is nothing new. */
  pollMs: number
  close(): Promise<void>
}

/** Null while the source is not reachable, for example because the server is not running. */
export type OpenFeed = () => Promise<Feed | null>

const PAGE_EVENTS = 100

export type OpenConnection = () => Promise<{ database: Database; close(): Promise<void> } | null>

/** The organization is chosen once: those created later do not change it. */
export function databaseFeeds(slug: string | undefined, connect: OpenConnection): OpenFeed {
  let chosen = slug
  return async () => {
    const connection = await connect().catch(() => null)
    if (connection === null) return null
    const { database } = connection
    let orgId: OrgId | null = null
    const choose = async () => {
      if (orgId !== null) return orgId
      const organization = await chooseOrganization(database, chosen)
      chosen = organization.slug
      orgId = organization.id
      return orgId
    }
    return {
      pollMs: 250,
      // Events become visible in the order of their numbers, so the newest that can be seen has nothing unseen before it.
      findNewest: async () => (await listEvents(database, await choose(), { limit: 1 }))[0]?.sequence ?? 0,
      async listAfter(sequence) {
        const org = await choose()
        const events = await listEvents(database, org, { after: sequence, limit: PAGE_EVENTS })
        if (events.length === 0 && sequence > 0) await assertJoins(database, org, sequence)
        return events.flatMap((event) => (event.sequence === null ? [] : [{ ...event, sequence: event.sequence }]))
      },
      close: connection.close,
    }
  }
}

const CALL_TIMEOUT_MS = 15_000

type ListedEvent = { id: FeedEvent['id']; type: string; sequence: number; erased_at?: string }

/** By API key, from any machine. A refusal ends it; a server that is away is waited for. */
export function apiFeeds({ url, token, signal }: { url: string; token: string; signal: AbortSignal }): OpenFeed {
  const read = async (query: string): Promise<ListedEvent[]> => {
    const response = await fetch(`${url}/events?${query}`, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
    })
    const body = (await response.json().catch(() => null)) as { data?: ListedEvent[]; detail?: string } | null
    if (response.ok && Array.isArray(body?.data)) return body.data
    const reason = body?.detail ?? `the server answered ${response.status}`
    const isFinal = response.status >= 400 && response.status < 500 && ![408, 429].includes(response.status)
    throw isFinal ? new UsageError(reason) : new Error(reason)
  }
  const feed: Feed = {
    pollMs: 1000,
    findNewest: async () => (await read('limit=1'))[0]?.sequence ?? 0,
    listAfter: async (sequence) =>
      (await read(`after=${sequence}&limit=${PAGE_EVENTS}`)).map((event) => ({
        ...{ id: event.id, type: event.type, sequence: event.sequence, body: JSON.stringify(event) },
        erased_at: event.erased_at === undefined ? null : new Date(event.erased_at),
      })),
    close: async () => {},
  }
  return async () => feed
}
