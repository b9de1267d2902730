import { Button } from '@mantine/core'
import { useThrottledCallback } from '@mantine/hooks'
import { type Pages, useNews } from '../api/pages.ts'
import { useSay } from '../text/text.tsx'
import { type LiveKind, useLive } from './Live.tsx'

/** However much happens, it is looked at once in this time. */
const LOOK_MS = 1000

/** Says how many are new instead of moving rows under the pointer: those that the list would show as it is filtered. */
export function NewRows({ kind, pages }: { kind: LiveKind; pages: Pages<{ id: string }> }) {
  const say = useSay()
  const news = useNews(pages)
  useLive(
    kind,
    useThrottledCallback(() => news.look(), LOOK_MS),
  )
  if (!news.hasAny) return null
  return (
    <Button size="xs" variant="light" mb="sm" onClick={() => news.show()}>
      {say('list.new', { count: news.count })}
    </Button>
  )
}
