import { listEvents } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { latestRequestLogs } from '../../request-logs/request-logs.ts'
import { listDeliveries } from '../../webhooks/deliveries.ts'

/**
 * What is new in an organization, for the consoles that are open on it: server-sent events that name a kind and an id, never the
 * thing itself. One look per second and organization, only while somebody is looking, shared by everybody who is.
 *
 *   nobody looks ── first subscriber ──▶ looking (once a second) ── last one leaves ──▶ nobody looks
 *
 * A stream ends when the browser goes, when it does not read what it is sent, when its session is over, and when the server
 * stops; a browser that is still there comes again by itself.
 */
export type LiveNotice = {
  kind: 'event' | 'request' | 'delivery' | 'message' | 'order'
  id: string
  type?: string
  subject?: string
}

export type LiveViewer = {
  orgId: OrgId
  signal: AbortSignal
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
  timer: ReturnType<typeof setTimeout> | null
  sequence: number | null
  seenRequests: Set<string>
  lastRequestId: string | null
  lastDeliveryId: string | null
  beatsUntilHeartbeat: number
}

const LOOK_EVERY_MS = 1000
/** Below the ten seconds after which the server closes a silent connection. */
const HEARTBEAT_LOOKS = 5
const CHECK_LOOKS = 15
const EVENTS_PER_LOOK = 100
const DELIVERIES_PER_LOOK = 20
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
      send(watch, await newsOf(database, orgId, watch))
      await checkSubscribers(watch)
    } catch (error) {
      log.warn({ err: error, orgId }, 'could not look for news of the console')
    }
    if (watch.subscribers.size > 0) watch.timer = setTimeout(() => look(orgId, watch), lookEveryMs)
    else watches.delete(orgId)
  }
  const subscribe = (orgId: OrgId, subscriber: Subscriber) => {
    const watch = watches.get(orgId) ?? newWatch()
    watch.subscribers.add(subscriber)
    if (!watches.has(orgId)) {
      watches.set(orgId, watch)
      watch.timer = setTimeout(() => look(orgId, watch), 0)
    }
    return () => void watch.subscribers.delete(subscriber)
  }
  return {
    open(viewer) {
      const isFull = (watches.get(viewer.orgId)?.subscribers.size ?? 0) >= STREAMS_PER_ORGANIZATION_MAX
      if (isStopped || isFull) return new Response(null, { status: 503, headers: { 'Retry-After': '5' } })
      return streamTo(viewer, (subscriber) => subscribe(viewer.orgId, subscriber))
    },
    stats: () => ({
      streams: [...watches.values()].reduce((sum, { subscribers }) => sum + subscribers.size, 0),
      organizations: watches.size,
    }),
    stop() {
      isStopped = true
      for (const watch of watches.values()) {
        if (watch.timer !== null) clearTimeout(watch.timer)
        for (const subscriber of watch.subscribers) subscriber.end()
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
  timer: null,
  sequence: null,
  seenRequests: new Set(),
  lastRequestId: null,
  lastDeliveryId: null,
  beatsUntilHeartbeat: HEARTBEAT_LOOKS,
})

function send(watch: Watch, notices: LiveNotice[]): void {
  watch.beatsUntilHeartbeat -= 1
  if (notices.length === 0 && watch.beatsUntilHeartbeat > 0) return
  watch.beatsUntilHeartbeat = HEARTBEAT_LOOKS
  const text = notices.map((notice) => `data: ${JSON.stringify(notice)}\n\n`).join('') || ': still here\n\n'
  for (const subscriber of watch.subscribers) {
    try {
      subscriber.send(text)
    } catch {
      // The connection is gone; whoever held it will come again.
      watch.subscribers.delete(subscriber)
    }
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

/** The first look only takes note of where things stand. */
async function newsOf(database: Database, orgId: OrgId, watch: Watch): Promise<LiveNotice[]> {
  const isFirst = watch.sequence === null
  const [events, requests, deliveries] = await Promise.all([
    watch.sequence === null
      ? listEvents(database, orgId, { limit: 1 })
      : listEvents(database, orgId, { after: watch.sequence, limit: EVENTS_PER_LOOK }),
    latestRequestLogs(database, orgId, watch.lastRequestId),
    listDeliveries(database, orgId, { limit: DELIVERIES_PER_LOOK }),
  ])
  const notices: LiveNotice[] = []
  for (const { id, type, subject } of events) {
    notices.push({ kind: 'event', id, type, subject })
    const group = type.slice(0, type.indexOf('.'))
    if (group === 'message' || group === 'order') notices.push({ kind: group, id, type, subject })
  }
  watch.sequence = Math.max(watch.sequence ?? 0, ...events.map(({ sequence }) => sequence))
  for (const { id } of requests.filter((request) => !watch.seenRequests.has(request.id))) {
    watch.seenRequests.add(id)
    notices.push({ kind: 'request', id })
  }
  watch.lastRequestId = requests[0]?.id ?? watch.lastRequestId
  forgetOldest(watch.seenRequests)
  for (const { id } of deliveries)
    if (watch.lastDeliveryId === null || id > watch.lastDeliveryId) notices.push({ kind: 'delivery', id })
  watch.lastDeliveryId = deliveries[0]?.id ?? watch.lastDeliveryId ?? ''
  return isFirst ? [] : notices
}

function forgetOldest(seen: Set<string>): void {
  for (const id of seen) {
    if (seen.size <= REQUESTS_REMEMBERED) return
    seen.delete(id)
  }
}
