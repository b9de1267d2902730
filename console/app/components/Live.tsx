import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSay } from '../text/text.tsx'

/**
 * One stream of what happens in the organization. It says only that something of a kind is new; lists that show this kind
 * fetch it, or offer it ("12 new") where rows would move under the pointer. The browser connects again by itself.
 */
export type LiveKind = 'event' | 'request' | 'delivery' | 'message' | 'order'
export type LiveNotice = { kind: LiveKind; id: string; type?: string; subject?: string }

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
    const stream = new EventSource('/api/console/live')
    let timer: ReturnType<typeof setTimeout> | undefined
    stream.onopen = () => {
      clearTimeout(timer)
      timer = undefined
      setOffline((was) => {
        if (was) queries.invalidateQueries()
        return false
      })
    }
    stream.onerror = () => {
      timer ??= setTimeout(() => setOffline(true), OFFLINE_AFTER_MS)
    }
    stream.onmessage = ({ data }) => {
      const notice = JSON.parse(data as string) as LiveNotice
      for (const listener of listeners) listener(notice)
    }
    return () => {
      clearTimeout(timer)
      stream.close()
    }
  }, [queries])
  return isOffline ? (
    <div className="banner" role="status">
      {say('banner.offline')}
    </div>
  ) : null
}
