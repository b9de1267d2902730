import { Button, Group } from '@mantine/core'
import { useIntersection } from '@mantine/hooks'
import { useEffect } from 'react'
import { useSay } from '../text/text.tsx'

/** The end of a list that goes on: comes by itself when it is seen, or on a click. */
export function MoreRows({ hasMore, isLoading, onMore }: { hasMore: boolean; isLoading: boolean; onMore: () => void }) {
  const say = useSay()
  const { ref, entry } = useIntersection({ rootMargin: '300px' })
  const isSeen = entry?.isIntersecting === true
  useEffect(() => {
    if (isSeen && hasMore && !isLoading) onMore()
  }, [isSeen, hasMore, isLoading, onMore])
  if (!hasMore) return null
  return (
    <Group ref={ref} justify="center" py="md">
      <Button variant="subtle" loading={isLoading} onClick={onMore}>
        {say('act.more')}
      </Button>
    </Group>
  )
}
