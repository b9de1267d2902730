import { setTimeout as pause } from 'node:timers/promises'
import { assertJoins, type Event, listEvents, matchesEvent } from '../events/events.ts'
import type { Clock } from '../kernel/clock.ts'
import { messageOf, ProblemError } from '../kernel/errors.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database } from '../platform/database/database.ts'
import type { OutboundClient, OutboundResult } from '../platform/outbound-http/outbound-client.ts'
import { Alarm } from '../platform/outbox/wake-ups.ts'
import { type SigningKey, signedHeaders } from '../webhooks/signing/signing.ts'
import { UsageError } from './framework/command.ts'
import { chooseOrganization } from './framework/connection.ts'

/**
 * Sends every new event of an organization to one URL, in order, one at a time, each once: for the developer whose machine
 * no webhook can reach. It reads the feed and needs no endpoint.
 *
 *   seeking ── a database answers ──▶ following, from the newest event at the first time, else from where it was
 *   following ── nothing new ──▶ waits for a notification, or looks again after a second
 *   following ── the database is gone (the server restarts) ──▶ seeking
 *   any ── the signal ──▶ (over)
 */
export type ForwarderOptions = {
  /** Null while no database is reachable, for example because the server is not running. */
  openFeed: () => Promise<Feed | null>
  /** Undefined for the only one there is. */
  slug: string | undefined
  url: string
  filters: readonly string[]
  key: SigningKey
  client: Pick<OutboundClient, 'send'>
  clock: Clock
  signal: AbortSignal
  /** One for each event that was sent. */
  onForwarded: (event: Event, result: OutboundResult) => void
  /** Reports the state: once per change, not once per try. */
  onState: (state: ForwarderState) => void
}

export type Feed = { database: Database; close(): Promise<void> }
export type ForwarderState = { name: 'seeking' | 'following'; reason?: string }

const SEEK_MS = 500
const POLL_MS = 250
const PAGE_EVENTS = 100
const TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 5_000

/** Rejects when there is no such organization, or one has to be named; whatever else goes wrong is waited out. */
export async function forwardEvents(options: ForwarderOptions): Promise<void> {
  const { signal, onState } = options
  const place: Place = { slug: options.slug, sequence: null }
  let state: ForwarderState['name'] | null = null
  const enter = (name: ForwarderState['name'], reason?: string) => {
    if (state !== name) onState({ name, ...(reason !== undefined && { reason }) })
    state = name
  }
  while (!signal.aborted) {
    const feed = await options.openFeed().catch(() => null)
    try {
      if (feed !== null) await followFeed(feed.database, place, { ...options, onReady: () => enter('following') })
      else enter('seeking')
    } catch (error) {
      if (error instanceof ProblemError || error instanceof UsageError) throw error
      if (!signal.aborted) enter('seeking', messageOf(error))
    } finally {
      await feed?.close().catch(() => {})
    }
    await pause(SEEK_MS, undefined, { signal }).catch(() => {})
  }
}

/** The chosen organization, which organizations created later do not change, and the last event that was sent. */
type Place = { slug: string | undefined; sequence: number | null }

async function followFeed(
  database: Database,
  place: Place,
  options: ForwarderOptions & { onReady: () => void },
): Promise<void> {
  const { signal } = options
  const { id: orgId, slug } = await chooseOrganization(database, place.slug)
  place.slug = slug
  const alarm = new Alarm()
  const ring = () => alarm.ring()
  signal.addEventListener('abort', ring)
  try {
    place.sequence ??= await findNewest(database, orgId)
    options.onReady()
    while (!signal.aborted) {
      const events = await listEvents(database, orgId, { after: place.sequence, limit: PAGE_EVENTS })
      for (const event of events) {
        if (signal.aborted) return
        await forward(event, options)
        place.sequence = event.sequence
      }
      if (events.length > 0) continue
      if (place.sequence > 0) await assertJoins(database, orgId, place.sequence)
      await alarm.wait(POLL_MS)
    }
  } finally {
    signal.removeEventListener('abort', ring)
  }
}

/** Events become visible in the order of their numbers, so the newest that can be seen has nothing unseen before it. */
async function findNewest(database: Database, orgId: OrgId): Promise<number> {
  const [newest] = await listEvents(database, orgId, { limit: 1 })
  return newest?.sequence ?? 0
}

/** What was erased is not sent. */
async function forward(event: Event, options: ForwarderOptions): Promise<void> {
  if (event.erased_at !== null || !matchesEvent(options.filters, event.type)) return
  const body = Buffer.from(event.body)
  const content = { id: event.id, timestampSeconds: Math.floor(options.clock.now() / 1000), body }
  const result = await options.client.send({
    url: options.url,
    headers: { 'content-type': 'application/json', ...signedHeaders([options.key], content), 'webhook-attempt': '1' },
    body,
    timeoutMs: TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    signal: options.signal,
  })
  options.onForwarded(event, result)
}
