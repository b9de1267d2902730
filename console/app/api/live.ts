import { queryText } from './client.ts'

/**
 * The stream of what happens in the organization. The browser comes again by itself and names the last notice it got, so that the
 * server tells what it missed in between. Where the browser gives up for good, because a proxy answered with an error of its own
 * or the session was over for a moment, we begin anew and name the place in the address.
 */
export type LiveKind = 'event' | 'request' | 'delivery' | 'message' | 'order'
export type LiveNotice = { kind: LiveKind; id: string; type?: string; subject?: string }

export type LiveHandlers = {
  onNotice: (notice: LiveNotice) => void
  /** Too much happened while we were away to be told one by one. */
  onMissed: () => void
  onOpen: () => void
  onDown: () => void
}

const AGAIN_MS_MIN = 2000
const AGAIN_MS_MAX = 30_000
const REMEMBERED_MAX = 1000

/** Answers with how to hang up. */
export function connectLive(handlers: LiveHandlers): () => void {
  const isNew = createMemory()
  let stream: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let place = ''
  let againMs = AGAIN_MS_MIN
  const begin = () => {
    const opened = new EventSource(`/api/console/live${queryText({ last_event_id: place })}`)
    stream = opened
    const stand = ({ lastEventId }: MessageEvent) => {
      place = lastEventId
    }
    opened.onopen = () => {
      againMs = AGAIN_MS_MIN
      handlers.onOpen()
    }
    opened.onmessage = (event: MessageEvent<string>) => {
      const notice = JSON.parse(event.data) as LiveNotice
      if (isNew(notice)) handlers.onNotice(notice)
      stand(event)
    }
    opened.addEventListener('place', stand)
    opened.addEventListener('missed', (event) => {
      stand(event)
      handlers.onMissed()
    })
    opened.onerror = () => {
      handlers.onDown()
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

/** What was cut off in the middle is told again from its beginning; here it counts once. */
function createMemory(): (notice: LiveNotice) => boolean {
  const known = new Set<string>()
  return ({ kind, id }) => {
    const name = `${kind} ${id}`
    if (known.has(name)) return false
    known.add(name)
    if (known.size > REMEMBERED_MAX) known.delete(known.values().next().value as string)
    return true
  }
}
