import type { OrgId } from '../../../kernel/ids.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Log } from '../../../platform/telemetry/log.ts'
import {
  findPosition,
  type LiveNotice,
  type LivePosition,
  positionText,
  readMissed,
  readNews,
  readPosition,
} from './live-news.ts'

/**
 * The news of an organization for its open consoles: server-sent events that name a kind and an id, never the resource.
 * Each organization is polled once a second, only while a console is open, and all its consoles share the poll.
 *
 *   idle ── first subscriber ──▶ polling (once a second) ── last one leaves ──▶ idle
 *
 * A stream ends when the browser disconnects, when it does not read what it is sent, when its session ends, and when
 * the server stops. A browser that is still open reconnects automatically and names the id of the last notice it
 * received. That id is a position:
 *
 *   away ── reconnects with a position ──▶ joining ── sent what it missed, at the next poll ──▶ polling with the others
 *                                          joining ── too much was missed ──▶ sent `missed`; the page reads its lists again
 */
export type { LiveNotice } from './live-news.ts'

export type LiveViewer = {
  orgId: OrgId
  signal: AbortSignal
  /** The position of its previous connection. */
  lastEventId?: string | null
  /** Checked regularly: a client that lost its session receives nothing more. */
  isStillAllowed: () => Promise<boolean>
}

export type LiveStreams = {
  open(viewer: LiveViewer): Response
  /** The number of open streams, and of polled organizations. */
  stats(): { streams: number; organizations: number }
  stop(): void
}

type Subscriber = {
  send(text: string): void
  end(): void
  isStillAllowed: () => Promise<boolean>
  pollsUntilCheck: number
}

type Watch = {
  subscribers: Set<Subscriber>
  /** Subscribers that have not received what they missed yet, with their position; null for an invalid position. */
  joining: Map<Subscriber, LivePosition | null>
  timer: ReturnType<typeof setTimeout> | null
  /** Null before the first poll, which only records the current position. */
  position: LivePosition | null
  seenRequests: Set<string>
  pollsUntilHeartbeat: number
}

const POLL_EVERY_MS = 1000
/**
 * Far below the minute after which the server closes a silent connection; proxies in front of it may be less patient.
 */
const HEARTBEAT_POLLS = 5
const CHECK_POLLS = 15
const REQUESTS_REMEMBERED = 2000
const STREAMS_PER_ORGANIZATION_MAX = 200
/** Upper bound on chunks that a browser has not read yet. */
const UNREAD_CHUNKS_MAX = 30

export type LiveStreamsOptions = { database: Database; log: Log; pollEveryMs?: number }

export function createLiveStreams({ database, log, pollEveryMs = POLL_EVERY_MS }: LiveStreamsOptions): LiveStreams {
  const watches = new Map<OrgId, Watch>()
  let isStopped = false
  const poll = async (orgId: OrgId, watch: Watch) => {
    try {
      sendToAll(watch, await pollNews(database, orgId, watch))
      await sendMissed(database, watch)
      await checkSubscribers(watch)
    } catch (error) {
      log.warn({ err: error, orgId }, 'could not read the news of the console')
    }
    if (countOf(watch) > 0) watch.timer = setTimeout(() => poll(orgId, watch), pollEveryMs)
    else watches.delete(orgId)
  }
  const subscribe = ({ orgId, lastEventId }: LiveViewer, subscriber: Subscriber) => {
    const watch = watches.get(orgId) ?? newWatch()
    if (lastEventId) watch.joining.set(subscriber, readPosition(lastEventId, orgId))
    else join(watch, subscriber)
    if (!watches.has(orgId)) {
      watches.set(orgId, watch)
      watch.timer = setTimeout(() => poll(orgId, watch), 0)
    }
    return () => {
      watch.subscribers.delete(subscriber)
      watch.joining.delete(subscriber)
    }
  }
  return {
    open(viewer) {
      const watch = watches.get(viewer.orgId)
      const isFull = watch !== undefined && countOf(watch) >= STREAMS_PER_ORGANIZATION_MAX
      if (isStopped || isFull) return new Response(null, { status: 503, headers: { 'Retry-After': '5' } })
      return streamTo(viewer, (subscriber) => subscribe(viewer, subscriber))
    },
    stats: () => ({
      streams: [...watches.values()].reduce((sum, watch) => sum + countOf(watch), 0),
      organizations: watches.size,
    }),
    stop() {
      isStopped = true
      for (const watch of watches.values()) {
        if (watch.timer !== null) clearTimeout(watch.timer)
        for (const subscriber of [...watch.subscribers, ...watch.joining.keys()]) subscriber.end()
      }
      watches.clear()
    },
  }
}

function streamTo({ signal, isStillAllowed }: LiveViewer, subscribe: (subscriber: Subscriber) => () => void): Response {
  const encoder = new TextEncoder()
  let leave = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const end = () => {
        leave()
        // A stream that the browser has cancelled is closed already, and close() throws.
        try {
          controller.close()
        } catch {}
      }
      controller.enqueue(encoder.encode('retry: 2000\n\n'))
      leave = subscribe({
        send: (text) => {
          if ((controller.desiredSize ?? 0) < -UNREAD_CHUNKS_MAX) end()
          else controller.enqueue(encoder.encode(text))
        },
        end,
        isStillAllowed,
        pollsUntilCheck: CHECK_POLLS,
      })
      signal.addEventListener('abort', () => leave(), { once: true })
    },
    cancel: () => leave(),
  })
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
  })
}

const newWatch = (): Watch => ({
  subscribers: new Set(),
  joining: new Map(),
  timer: null,
  position: null,
  seenRequests: new Set(),
  pollsUntilHeartbeat: HEARTBEAT_POLLS,
})

const countOf = ({ subscribers, joining }: Watch) => subscribers.size + joining.size

/** An event without a notice has a name: a position before the first notice, or `missed` when too much was missed. */
const namedText = (name: 'place' | 'missed', position: LivePosition) =>
  `event: ${name}\nid: ${positionText(position)}\ndata: {}\n\n`

/** The last notice carries the id, so a client that received only some of them receives all of them again. */
function newsText(notices: readonly LiveNotice[] | null, position: LivePosition): string {
  if (notices === null) return namedText('missed', position)
  if (notices.length === 0) return namedText('place', position)
  const [last, ...earlier] = notices.map((notice) => `data: ${JSON.stringify(notice)}\n\n`).toReversed()
  return `${earlier.toReversed().join('')}id: ${positionText(position)}\n${last}`
}

function join(watch: Watch, subscriber: Subscriber): void {
  watch.subscribers.add(subscriber)
  if (watch.position !== null) subscriber.send(namedText('place', watch.position))
}

/** The text for all subscribers, or null when there is no news. */
async function pollNews(database: Database, orgId: OrgId, watch: Watch): Promise<string | null> {
  if (watch.position === null) {
    const { position, requestIds } = await findPosition(database, orgId)
    watch.position = position
    for (const id of requestIds) watch.seenRequests.add(id)
    return namedText('place', position)
  }
  const { notices, position } = await readNews(database, watch.position)
  watch.position = position
  const fresh = notices?.filter(({ kind, id }) => kind !== 'request' || !watch.seenRequests.has(id)) ?? null
  for (const { kind, id } of notices ?? []) if (kind === 'request') watch.seenRequests.add(id)
  forgetOldest(watch.seenRequests)
  return fresh?.length === 0 ? null : newsText(fresh, position)
}

function sendToAll(watch: Watch, text: string | null): void {
  watch.pollsUntilHeartbeat -= 1
  if (text === null && watch.pollsUntilHeartbeat > 0) return
  watch.pollsUntilHeartbeat = HEARTBEAT_POLLS
  for (const subscriber of watch.subscribers) sendTo(watch, subscriber, text ?? ': still here\n\n')
}

function sendTo(watch: Watch, subscriber: Subscriber, text: string): void {
  try {
    subscriber.send(text)
  } catch {
    // The connection is gone; the client will reconnect.
    watch.subscribers.delete(subscriber)
  }
}

/** Runs right after a poll and before the next, so from here on they receive what the others receive. */
async function sendMissed(database: Database, watch: Watch): Promise<void> {
  const { position } = watch
  if (position === null) return
  for (const [subscriber, from] of watch.joining) {
    const missed = from === null ? null : await readMissed(database, from, position)
    // A client that disconnected during the read is skipped.
    if (!watch.joining.delete(subscriber)) continue
    watch.subscribers.add(subscriber)
    sendTo(watch, subscriber, newsText(missed, position))
  }
}

async function checkSubscribers(watch: Watch): Promise<void> {
  for (const subscriber of watch.subscribers) {
    subscriber.pollsUntilCheck -= 1
    if (subscriber.pollsUntilCheck > 0) continue
    subscriber.pollsUntilCheck = CHECK_POLLS
    if (!(await subscriber.isStillAllowed())) subscriber.end()
  }
}

function forgetOldest(seen: Set<string>): void {
  for (const id of seen) {
    if (seen.size <= REQUESTS_REMEMBERED) return
    seen.delete(id)
  }
}
