import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/telemetry/log.ts'
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
 * What is new in an organization, for the consoles that are open on it: server-sent events that name a kind and an id, never the
 * thing itself. One look per second and organization, only while somebody is looking, shared by everybody who is.
 *
 *   nobody looks ── first subscriber ──▶ looking (once a second) ── last one leaves ──▶ nobody looks
 *
 * A stream ends when the browser goes, when it does not read what it is sent, when its session is over, and when the server
 * stops; a browser that is still there comes again by itself, and names the id of the last notice it got. That id is a position:
 *
 *   away ── comes back with a position ──▶ joining ── told what it missed, at the next look ──▶ looking on with the others
 *                                          joining ── too much was missed ──▶ told `missed`; the page reads its lists again
 */
export type { LiveNotice } from './live-news.ts'

export type LiveViewer = {
  orgId: OrgId
  signal: AbortSignal
  /** Where it stood when it was here before. */
  lastEventId?: string | null
  /** Asked now and then: whoever lost the session sees nothing more. */
  isStillAllowed: () => Promise<boolean>
}

export type LiveStreams = {
  open(viewer: LiveViewer): Response
  /** How many streams are open, and how many organizations are looked at. */
  stats(): { streams: number; organizations: number }
  stop(): void
}

type Subscriber = {
  send(text: string): void
  end(): void
  isStillAllowed: () => Promise<boolean>
  looksUntilCheck: number
}

type Watch = {
  subscribers: Set<Subscriber>
  /** Those who are still to be told what they missed, and since when; null for a position that is none. */
  joining: Map<Subscriber, LivePosition | null>
  timer: ReturnType<typeof setTimeout> | null
  /** Null before the first look, which only takes note of where things stand. */
  position: LivePosition | null
  seenRequests: Set<string>
  beatsUntilHeartbeat: number
}

const LOOK_EVERY_MS = 1000
/**
 * Far below the minute after which the server closes a silent connection; proxies in front of it may be less patient.
 */
const HEARTBEAT_LOOKS = 5
const CHECK_LOOKS = 15
const REQUESTS_REMEMBERED = 2000
const STREAMS_PER_ORGANIZATION_MAX = 200
/** Chunks that a browser has not taken yet. */
const UNREAD_CHUNKS_MAX = 30

export type LiveStreamsOptions = { database: Database; log: Log; lookEveryMs?: number }

export function createLiveStreams({ database, log, lookEveryMs = LOOK_EVERY_MS }: LiveStreamsOptions): LiveStreams {
  const watches = new Map<OrgId, Watch>()
  let isStopped = false
  const look = async (orgId: OrgId, watch: Watch) => {
    try {
      tellAll(watch, await lookFor(database, orgId, watch))
      await tellJoining(database, watch)
      await checkSubscribers(watch)
    } catch (error) {
      log.warn({ err: error, orgId }, 'could not look for news of the console')
    }
    if (countOf(watch) > 0) watch.timer = setTimeout(() => look(orgId, watch), lookEveryMs)
    else watches.delete(orgId)
  }
  const subscribe = ({ orgId, lastEventId }: LiveViewer, subscriber: Subscriber) => {
    const watch = watches.get(orgId) ?? newWatch()
    if (lastEventId) watch.joining.set(subscriber, readPosition(lastEventId, orgId))
    else join(watch, subscriber)
    if (!watches.has(orgId)) {
      watches.set(orgId, watch)
      watch.timer = setTimeout(() => look(orgId, watch), 0)
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
        // A stream that the browser has given up is closed already, and says so.
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
        looksUntilCheck: CHECK_LOOKS,
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
  beatsUntilHeartbeat: HEARTBEAT_LOOKS,
})

const countOf = ({ subscribers, joining }: Watch) => subscribers.size + joining.size

/** What is no notice has a name of its own: a place to come back to before anything has happened, or that too much was missed. */
const namedText = (name: 'place' | 'missed', position: LivePosition) =>
  `event: ${name}\nid: ${positionText(position)}\ndata: {}\n\n`

/** The id comes with the last of the notices: whoever got only some of them is told all of them again. */
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

/** What to tell everybody, or null for nothing. */
async function lookFor(database: Database, orgId: OrgId, watch: Watch): Promise<string | null> {
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

function tellAll(watch: Watch, text: string | null): void {
  watch.beatsUntilHeartbeat -= 1
  if (text === null && watch.beatsUntilHeartbeat > 0) return
  watch.beatsUntilHeartbeat = HEARTBEAT_LOOKS
  for (const subscriber of watch.subscribers) tell(watch, subscriber, text ?? ': still here\n\n')
}

function tell(watch: Watch, subscriber: Subscriber, text: string): void {
  try {
    subscriber.send(text)
  } catch {
    // The connection is gone; whoever held it will come again.
    watch.subscribers.delete(subscriber)
  }
}

/** Right after a look, before the next: from here on they hear what the others hear. */
async function tellJoining(database: Database, watch: Watch): Promise<void> {
  const { position } = watch
  if (position === null) return
  for (const [subscriber, from] of watch.joining) {
    const missed = from === null ? null : await readMissed(database, from, position)
    // Whoever left while we were reading is not taken in.
    if (!watch.joining.delete(subscriber)) continue
    watch.subscribers.add(subscriber)
    tell(watch, subscriber, newsText(missed, position))
  }
}

async function checkSubscribers(watch: Watch): Promise<void> {
  for (const subscriber of watch.subscribers) {
    subscriber.looksUntilCheck -= 1
    if (subscriber.looksUntilCheck > 0) continue
    subscriber.looksUntilCheck = CHECK_LOOKS
    if (!(await subscriber.isStillAllowed())) subscriber.end()
  }
}

function forgetOldest(seen: Set<string>): void {
  for (const id of seen) {
    if (seen.size <= REQUESTS_REMEMBERED) return
    seen.delete(id)
  }
}
