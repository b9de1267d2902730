import { seekLeadership } from './leadership.ts'
import { isAhead, type LiveNews, type LiveNotice, openStream } from './live.ts'

/**
 * One stream for all tabs of a browser that show an organization. A browser opens six connections to a server that speaks HTTP/1.1;
 * with a stream in every tab the seventh page would never load.
 *
 *   following ── the lead is free, or its holder no longer answers ──▶ leading: holds the stream, passes on what it reports
 *   leading ── another tab took over ──▶ following
 *   both ── page left (it may wait in the back/forward cache) or frozen ──▶ away ── page shown or resumed ──▶ following
 *
 * A new leader continues at the last place it knows, and the server sends what happened since. A tab whose leader is ahead of it,
 * and one that comes back from being away, has missed something and reads everything again.
 */
export type LiveHandlers = {
  onNotice: (notice: LiveNotice) => void
  /** Everything on the screen may be old. */
  onMissed: () => void
  onOpen: () => void
  onDown: () => void
}

type TabMessage = LiveNews | { type: 'ask' } | { type: 'state'; isOpen: boolean; place: string }

const ASK_EVERY_MS = 3000
/** So many questions without an answer, and the leader counts as gone. */
const UNANSWERED_MAX = 2
const REMEMBERED_MAX = 1000

/** Returns the function that disconnects. */
export function connectLive({ name, place }: { name: string; place: string }, handlers: LiveHandlers): () => void {
  const listener = createListener(place, handlers)
  let leave: (() => void) | null = null
  const enter = () => {
    leave ??= 'BroadcastChannel' in window ? joinTabs(name, listener) : openStream(listener.place(), listener.hear)
  }
  const exit = () => {
    leave?.()
    leave = null
  }
  const comeBack = () => {
    if (leave !== null) return
    enter()
    handlers.onMissed()
  }
  const onShow = ({ persisted }: PageTransitionEvent) => persisted && comeBack()
  window.addEventListener('pagehide', exit)
  window.addEventListener('pageshow', onShow)
  document.addEventListener('freeze', exit)
  document.addEventListener('resume', comeBack)
  enter()
  return () => {
    window.removeEventListener('pagehide', exit)
    window.removeEventListener('pageshow', onShow)
    document.removeEventListener('freeze', exit)
    document.removeEventListener('resume', comeBack)
    exit()
  }
}

type Listener = {
  hear: (news: LiveNews) => void
  /** Of the leader we follow. */
  hearState: (state: { isOpen: boolean; place: string }) => void
  place: () => string
  isOpen: () => boolean
}

/** Passes on what a stream reports, wherever the stream is, and keeps the place. */
function createListener(from: string, handlers: LiveHandlers): Listener {
  const isNew = createMemory()
  let place = from
  let isOpen: boolean | null = null
  const setOpen = (isOpenNow: boolean) => {
    isOpen = isOpenNow
    if (isOpen) handlers.onOpen()
    else handlers.onDown()
  }
  return {
    hear(news) {
      if ('place' in news) place = news.place
      if (news.type === 'open' || news.type === 'down') setOpen(news.type === 'open')
      if (news.type === 'notice' && isNew(news.notice)) handlers.onNotice(news.notice)
      if (news.type === 'missed') handlers.onMissed()
    },
    hearState(state) {
      if (state.isOpen !== isOpen) setOpen(state.isOpen)
      if (!isAhead(state.place, place)) return
      place = state.place
      handlers.onMissed()
    },
    place: () => place,
    isOpen: () => isOpen === true,
  }
}

function joinTabs(name: string, { hear, hearState, place, isOpen }: Listener): () => void {
  const channel = new BroadcastChannel(name)
  const post = (message: TabMessage) => channel.postMessage(message)
  let closeStream: (() => void) | null = null
  let unanswered = 0
  const leadership = seekLeadership(name, {
    onLead() {
      unanswered = 0
      closeStream = openStream(place(), (news) => {
        hear(news)
        post(news)
      })
    },
    onLost() {
      closeStream?.()
      closeStream = null
    },
  })
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.type === 'ask') {
      if (closeStream !== null) post({ type: 'state', isOpen: isOpen(), place: place() })
      return
    }
    unanswered = 0
    // What a leader still had on its way when we took over.
    if (closeStream !== null) return
    if (data.type === 'state') hearState(data)
    else hear(data)
  }
  const check = () => {
    if (closeStream !== null || document.hidden) return
    if (unanswered < UNANSWERED_MAX) {
      unanswered += 1
      post({ type: 'ask' })
    } else {
      unanswered = 0
      leadership.takeOver()
    }
  }
  const timer = setInterval(check, ASK_EVERY_MS)
  document.addEventListener('visibilitychange', check)
  post({ type: 'ask' })
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', check)
    closeStream?.()
    closeStream = null
    leadership.resign()
    channel.close()
  }
}

/** What was cut off in the middle is sent again from its beginning; here it counts once. */
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
