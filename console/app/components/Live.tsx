import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { connectLive, type LiveKind, type LiveNotice } from '../api/live.ts'
import { useSay } from '../text/text.tsx'

/**
 * One stream of what happens in the organization. It says only that something of a kind is new; lists that show this kind
 * fetch it, or offer it ("12 new") where rows would move under the pointer. What happened while the connection was down comes
 * when it is back; where that is too much, everything on the screen is read again.
 */
export type { LiveKind, LiveNotice } from '../api/live.ts'

type Listener = (notice: LiveNotice) => void
const listeners = new Set<Listener>()

export function useLive(kind: LiveKind, onNotice: Listener): void {
  useEffect(() => {
    const listener: Listener = (notice) => notice.kind === kind && onNotice(notice)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }, [kind, onNotice])
}

const OFFLINE_AFTER_MS = 3000

export function Live() {
  const say = useSay()
  const queries = useQueryClient()
  const [isOffline, setOffline] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const hangUp = connectLive({
      onOpen() {
        clearTimeout(timer)
        timer = undefined
        setOffline((was) => {
          // What is not on the stream may be old by now, too.
          if (was) queries.invalidateQueries()
          return false
        })
      },
      onDown() {
        timer ??= setTimeout(() => setOffline(true), OFFLINE_AFTER_MS)
      },
      onNotice(notice) {
        for (const listener of listeners) listener(notice)
      },
      onMissed: () => void queries.invalidateQueries(),
    })
    return () => {
      clearTimeout(timer)
      hangUp()
    }
  }, [queries])
  return isOffline ? (
    <div className="banner" role="status">
      {say('banner.offline')}
    </div>
  ) : null
}
