import { Button, Group } from '@mantine/core'
import { useDeferredValue, useEffect, useRef } from 'react'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from './Message.tsx'

type Pages = {
  items: readonly unknown[] | undefined
  hasNextPage: boolean
  isFetchingNextPage: boolean
  restError: Error | null
  fetchNextPage: (options?: { cancelRefetch: boolean }) => unknown
}

/** A list asks for its next page when its end is this close below the window. */
const NEAR_PX = 600

/** The end of a list that goes on: comes by itself when it is seen, or on a click. What was refused comes on a click only. */
export function MoreRows({ pages }: { pages: Pages }) {
  const say = useSay()
  // Above rows that are still to be drawn, the end is not where it will be.
  const count = pages.items?.length
  const isDrawn = useDeferredValue(count) === count
  const end = useRef<HTMLDivElement>(null)
  const { hasNextPage, isFetchingNextPage, restError, fetchNextPage } = pages
  const isWanted = isDrawn && hasNextPage && !isFetchingNextPage && restError === null
  useEffect(() => {
    if (!isWanted || end.current === null) return
    return onNear(end.current, () => fetchNextPage({ cancelRefetch: false }))
  }, [isWanted, fetchNextPage])
  if (!hasNextPage) return null
  if (restError !== null) return <ProblemMessage error={restError} onRetry={() => fetchNextPage()} />
  return (
    <Group ref={end} justify="center" py="md">
      <Button variant="subtle" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
        {say('act.more')}
      </Button>
    </Group>
  )
}

/** Asks whenever the end is near, and returns how to stop. A scroll is known before the observer reports it, which is after the drawing. */
function onNear(end: HTMLElement, ask: () => void): () => void {
  const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && ask(), { rootMargin: `${NEAR_PX}px` })
  const look = () => {
    const isNear = end.getBoundingClientRect().top < window.innerHeight + NEAR_PX
    if (isNear && end.checkVisibility()) ask()
  }
  observer.observe(end)
  window.addEventListener('scroll', look, { capture: true, passive: true })
  return () => {
    observer.disconnect()
    window.removeEventListener('scroll', look, { capture: true })
  }
}

/** Offers rows that are new. It lies over what stands above the rows, so that its appearance moves none of them. */
export function NewsButton({ count, onShow }: { count: string; onShow: () => void }) {
  const say = useSay()
  return (
    <div className="news">
      <Button size="compact-sm" radius="xl" onClick={onShow}>
        {say('list.new', { count })}
      </Button>
    </div>
  )
}
