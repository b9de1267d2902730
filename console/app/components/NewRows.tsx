import { useThrottledCallback } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { type Pages, REREAD_MS, useNews } from '../api/pages.ts'
import { NewsButton } from '../ui/MoreRows.tsx'
import { type LiveKind, type LiveNotice, useLive, useMissed } from './Live.tsx'

/** However much happens, the list is looked at once in this time. */
const LOOK_MS = 500

export type NewRowsProps<Item> = {
  kind: LiveKind
  /** Only notices of these events concern the list. */
  types?: RegExp
  pages: Pages<Item>
  /** Rows that change without a notice. They make the list look again and again, for as long as it is on the screen. */
  isUnderWay?: (row: Item) => boolean
}

/**
 * Keeps the rows of a list up to date where they are, and says how many are new instead of moving rows under the pointer: those
 * that the list would show as it is filtered.
 */
export function NewRows<Item extends { id: string }>({ kind, types, pages, isUnderWay }: NewRowsProps<Item>) {
  const news = useNews(pages)
  const changedIds = useRef(new Set<string>())
  const underWayIds = () => (isUnderWay === undefined ? [] : (pages.items ?? []).filter(isUnderWay).map(({ id }) => id))
  const look = useThrottledCallback(() => {
    const ids = [...changedIds.current, ...underWayIds()]
    changedIds.current.clear()
    news.look(ids)
  }, LOOK_MS)
  useLive(kind, ({ type = '', subject }: LiveNotice) => {
    if (types?.test(type) === false) return
    if (subject !== undefined) changedIds.current.add(subject)
    look()
  })
  useMissed(look)
  usePolling(isUnderWay !== undefined, look)
  if (!news.hasAny) return null
  return <NewsButton count={news.count} onShow={news.show} />
}

function usePolling(isOn: boolean, look: () => void) {
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => document.hidden || look(), REREAD_MS)
    return () => clearInterval(timer)
  }, [isOn, look])
}
