import { Button } from '@mantine/core'
import { useSay } from '../text/text.tsx'

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
