import { queryText } from './client.ts'

/**
 * The stream of what happens in the organization. The browser reconnects and names the last notice it got, so that the server
 * sends what was missed in between. Where the browser stops reconnecting, because a proxy answered with an error or the session
 * was over for a moment, we open a new stream and name the place in the address.
 */
export type LiveKind = 'event' | 'request' | 'delivery' | 'message' | 'order'
export type LiveNotice = { kind: LiveKind; id: string; type?: string; subject?: string }

/** What a stream reports. The place is where a later stream continues without loss. */
export type LiveNews =
  | { type: 'open' }
  | { type: 'down' }
  | { type: 'notice'; notice: LiveNotice; place: string }
  | { type: 'place'; place: string }
  /** Too much happened to be listed one by one: everything on the screen may be old. */
  | { type: 'missed'; place: string }

/** A place names the last event, call and delivery of an organization, and none of them goes back. */
export function isAhead(place: string, other: string): boolean {
  const [, sequence = '', ...ids] = place.split('.')
  const [, otherSequence = '', ...otherIds] = other.split('.')
  return Number(sequence) > Number(otherSequence) || ids.some((id, index) => id > (otherIds[index] ?? ''))
}

const AGAIN_MS_MIN = 2000
const AGAIN_MS_MAX = 30_000

/** Returns the function that closes it. */
export function openStream(from: string, onNews: (news: LiveNews) => void): () => void {
  let stream: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let place = from
  let againMs = AGAIN_MS_MIN
  const report = (news: LiveNews) => {
    if ('place' in news) place = news.place
    onNews(news)
  }
  const begin = () => {
    const opened = new EventSource(`/api/console/live${queryText({ last_event_id: place })}`)
    stream = opened
    opened.onopen = () => {
      againMs = AGAIN_MS_MIN
      report({ type: 'open' })
    }
    opened.onmessage = ({ data, lastEventId }: MessageEvent<string>) =>
      report({ type: 'notice', notice: JSON.parse(data) as LiveNotice, place: lastEventId })
    opened.addEventListener('place', ({ lastEventId }) => report({ type: 'place', place: lastEventId }))
    opened.addEventListener('missed', ({ lastEventId }) => report({ type: 'missed', place: lastEventId }))
    opened.onerror = () => {
      report({ type: 'down' })
      if (opened.readyState !== EventSource.CLOSED) return
      timer = setTimeout(begin, againMs)
      againMs = Math.min(againMs * 2, AGAIN_MS_MAX)
    }
  }
  begin()
  return () => {
    clearTimeout(timer)
    stream?.close()
  }
}
