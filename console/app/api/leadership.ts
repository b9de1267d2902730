/**
 * One tab of a browser leads, the others follow. Web Locks decide where they exist: the browser releases the lock of a tab that is
 * closed or killed. They exist over https and on localhost only, so over plain http a name in the local storage decides, and a
 * leader that was killed is replaced once it no longer answers.
 */
export type Leadership = {
  /** Takes the lead from a tab that does not answer. */
  takeOver(): void
  /** Leaves the lead, or the queue for it. */
  resign(): void
}

export type LeadershipHandlers = {
  onLead: () => void
  /** Another tab took over. */
  onLost: () => void
}

export const seekLeadership = (name: string, handlers: LeadershipHandlers): Leadership =>
  'locks' in navigator ? seekLock(name, handlers) : seekName(name, handlers)

function seekLock(name: string, { onLead, onLost }: LeadershipHandlers): Leadership {
  let isOver = false
  let leave = () => {}
  const hold = () =>
    new Promise<void>((release) => {
      leave = release
      if (isOver) release()
      else onLead()
    })
  const queue = () => {
    const waiting = new AbortController()
    leave = () => waiting.abort()
    navigator.locks.request(name, { signal: waiting.signal }, hold).catch(() => {
      // Aborted by ourselves, or stolen by another tab.
      if (isOver || waiting.signal.aborted) return
      onLost()
      queue()
    })
  }
  queue()
  return {
    takeOver() {
      leave()
      navigator.locks.request(name, { steal: true }, hold).catch(() => {
        if (isOver) return
        onLost()
        queue()
      })
    },
    resign() {
      isOver = true
      leave()
    },
  }
}

function seekName(name: string, { onLead, onLost }: LeadershipHandlers): Leadership {
  const ownName = crypto.getRandomValues(new Uint32Array(2)).join('-')
  let isLeading = false
  let isOver = false
  const settle = () => {
    if (isOver) return
    if (localStorage.getItem(name) === null) localStorage.setItem(name, ownName)
    const isNamed = localStorage.getItem(name) === ownName
    if (isNamed === isLeading) return
    isLeading = isNamed
    if (isNamed) onLead()
    else onLost()
  }
  const hear = ({ key }: StorageEvent) => (key === name || key === null) && settle()
  window.addEventListener('storage', hear)
  // Not before the caller has what we return.
  queueMicrotask(settle)
  return {
    takeOver() {
      localStorage.setItem(name, ownName)
      settle()
    },
    resign() {
      window.removeEventListener('storage', hear)
      isOver = true
      if (localStorage.getItem(name) === ownName) localStorage.removeItem(name)
    },
  }
}
