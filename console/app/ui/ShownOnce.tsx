import { Alert, Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { useSay } from '../text/text.tsx'
import { Code } from './Code.tsx'

/**
 * A secret that is on the screen this once. It is not closed by accident, and leaving the page asks first. Copying
 * it counts as having copied it.
 */
export function ShownOnce({
  title,
  secret,
  onDone,
  children,
}: {
  title: string
  secret: string | null
  onDone: () => void
  children?: ReactNode
}) {
  const say = useSay()
  const [isKept, setKept] = useState(false)
  const keep = useCallback(() => setKept(true), [])
  useEffect(() => {
    if (secret === null) return
    setKept(false)
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [secret])
  return (
    <Modal
      opened={secret !== null}
      onClose={() => isKept && onDone()}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={isKept}
    >
      <Stack gap="md">
        <Alert color="yellow" variant="light">
          <Text size="sm">{say('secret.once')}</Text>
        </Alert>
        <Code text={secret ?? ''} isWrapped onCopied={keep} />
        {children}
        <Group justify="space-between">
          <Checkbox
            label={say('secret.kept')}
            checked={isKept}
            onChange={(event) => setKept(event.currentTarget.checked)}
          />
          <Button disabled={!isKept} onClick={onDone}>
            {say('secret.done')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
