import { Button } from '@mantine/core'
import { useCallback, useState } from 'react'
import { useSay } from '../text/text.tsx'
import { type LiveKind, useLive } from './Live.tsx'

/** Says how many are new instead of moving rows under the pointer. */
export function NewRows({ kind, onShow }: { kind: LiveKind; onShow: () => void }) {
  const say = useSay()
  const [count, setCount] = useState(0)
  useLive(
    kind,
    useCallback(() => setCount((now) => now + 1), []),
  )
  if (count === 0) return null
  return (
    <Button
      size="xs"
      variant="light"
      mb="sm"
      onClick={() => {
        setCount(0)
        onShow()
      }}
    >
      {say('list.new', { count })}
    </Button>
  )
}
