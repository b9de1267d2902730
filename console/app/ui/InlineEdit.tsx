import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSay } from '../text/text.tsx'
import { Icon } from './Icon.tsx'
import { ProblemMessage } from './Message.tsx'
import { submitting } from './submission.ts'

/** A value that is edited where it stands: Enter saves, Esc leaves it as it was. */
export function InlineEdit({
  label,
  value,
  onSave,
}: {
  label: string
  value: string | null
  /** Null where the person may only read. */
  onSave: ((value: string | null) => Promise<void>) | null
}) {
  const say = useSay()
  const [typed, setTyped] = useState<string | null>(null)
  const saving = useMutation({
    mutationFn: async (text: string) => onSave?.(text.trim() || null),
    onSuccess: () => setTyped(null),
  })
  if (typed === null)
    return (
      <Group gap={4} wrap="nowrap" justify="space-between" align="flex-start">
        <span>{value ?? '—'}</span>
        {onSave !== null && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={say('edit.start', { label })}
            onClick={() => setTyped(value ?? '')}
          >
            <Icon name="edit" size={14} />
          </ActionIcon>
        )}
      </Group>
    )
  return (
    <form onSubmit={submitting(() => saving.mutate(typed))}>
      <Stack gap={6}>
        <TextInput
          size="xs"
          aria-label={label}
          autoFocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && setTyped(null)}
        />
        <Group gap={6}>
          <Button type="submit" size="compact-xs" loading={saving.isPending}>
            {say('edit.save')}
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => setTyped(null)}>
            {say('edit.cancel')}
          </Button>
        </Group>
        <ProblemMessage error={saving.error} />
      </Stack>
    </form>
  )
}
