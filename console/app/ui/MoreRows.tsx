import { Button, Group } from '@mantine/core'
import { useIntersection } from '@mantine/hooks'
import { useDeferredValue, useEffect } from 'react'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from './Message.tsx'

type Pages = {
  items: readonly unknown[] | undefined
  hasNextPage: boolean
  isFetchingNextPage: boolean
  restError: Error | null
  fetchNextPage: () => unknown
}

/** The end of a list that goes on: comes by itself when it is seen, or on a click. What was refused comes on a click only. */
export function MoreRows({ pages }: { pages: Pages }) {
  const say = useSay()
  const { ref, entry } = useIntersection({ rootMargin: '600px' })
  // Above rows that are still to be drawn, the end is not where it will be.
  const count = pages.items?.length
  const isDrawn = useDeferredValue(count) === count
  const { hasNextPage, isFetchingNextPage, restError, fetchNextPage } = pages
  const isWanted = isDrawn && entry?.isIntersecting === true && hasNextPage && !isFetchingNextPage && restError === null
  useEffect(() => {
    if (isWanted) fetchNextPage()
  }, [isWanted, fetchNextPage])
  if (!hasNextPage) return null
  if (restError !== null) return <ProblemMessage error={restError} onRetry={() => fetchNextPage()} />
  return (
    <Group ref={isDrawn ? ref : undefined} justify="center" py="md">
      <Button variant="subtle" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
        {say('act.more')}
      </Button>
    </Group>
  )
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
