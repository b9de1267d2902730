import { ActionIcon } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useEffect } from 'react'
import { useSay } from '../text/text.tsx'
import { Icon } from './Icon.tsx'

/** Every row may have one, so its words are a plain title: a tooltip of the library costs as much as the rest of the row. */
export function CopyButton({ value, label, onCopied }: { value: string; label?: string; onCopied?: () => void }) {
  const say = useSay()
  const clipboard = useClipboard({ timeout: 1500 })
  const { copied } = clipboard
  useEffect(() => {
    if (copied) onCopied?.()
  }, [copied, onCopied])
  const words = clipboard.copied ? say('act.copied') : (label ?? say('act.copy'))
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={words}
      title={words}
      onClick={(event) => {
        event.stopPropagation()
        clipboard.copy(value)
      }}
    >
      <Icon name={clipboard.copied ? 'check' : 'copy'} size={15} />
    </ActionIcon>
  )
}

/** Shortened in the middle: the prefix tells the kind, the end tells one from another. */
export const shortId = (id: string) => (id.length <= 16 ? id : `${id.slice(0, id.indexOf('_') + 5)}…${id.slice(-5)}`)

export const Id = ({ id, isWhole = false }: { id: string; isWhole?: boolean }) => (
  <span className="mono" style={{ display: 'inline-flex', alignItems: 'center', gap: 2, fontSize: 12 }} title={id}>
    {isWhole ? id : shortId(id)}
    <CopyButton value={id} />
  </span>
)
