import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { LiveKind, LiveNotice } from '../api/live.ts'
import { connectLive } from '../api/live-tabs.ts'
import { signedOutQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'

/**
 * One stream of what happens in the organization. It says only that something of a kind is new; lists that show this kind
 * fetch it, or offer it ("12 new") where rows would move under the pointer. What happened while the connection was down comes
 * when it is back; where that is too much, everything on the screen is read again, and lists look for themselves.
 */
export type { LiveKind, LiveNotice } from '../api/live.ts'

type Listener = (notice: LiveNotice) => void
const listeners = new Set<Listener>()
const missedListeners = new Set<() => void>()

export function useLive(kind: LiveKind, onNotice: Listener): void {
  useEffect(() => {
    const listener: Listener = (notice) => notice.kind === kind && onNotice(notice)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }, [kind, onNotice])
}

/** Called when notices may have been lost. */
export function useMissed(onMissed: () => void): void {
  useEffect(() => {
    missedListeners.add(onMissed)
    return () => {
      missedListeners.delete(onMissed)
    }
  }, [onMissed])
}

const OFFLINE_AFTER_MS = 3000

/** Reading a list again would move its rows; lists listen with `useMissed` instead. */
const isNoList = ({ queryKey }: { queryKey: QueryKey }) => queryKey[0] !== 'list'

export function Live({ organizationId, place }: { organizationId: string; place: string }) {
  const say = useSay()
  const queries = useQueryClient()
  const [isOffline, setOffline] = useState(false)
  const begin = useRef(place)
  const { data: isSignedOut } = useQuery(signedOutQuery)
  useEffect(() => {
    if (isSignedOut) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const readAgain = () => {
      queries.invalidateQueries({ predicate: isNoList })
      for (const onMissed of missedListeners) onMissed()
    }
    const disconnect = connectLive(
      { name: `nexkit-live ${organizationId}`, place: begin.current },
      {
        onOpen() {
          clearTimeout(timer)
          timer = undefined
          setOffline((was) => {
            // What is not on the stream may be old by now, too.
            if (was) readAgain()
            return false
          })
        },
        onDown() {
          timer ??= setTimeout(() => setOffline(true), OFFLINE_AFTER_MS)
        },
        onNotice(notice) {
          for (const listener of listeners) listener(notice)
        },
        onMissed: readAgain,
      },
    )
    return () => {
      clearTimeout(timer)
      disconnect()
    }
  }, [queries, organizationId, isSignedOut])
  return isOffline ? (
    <div className="banner" role="status">
      {say('banner.offline')}
    </div>
  ) : null
}
