import { Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { changePassword } from '../api/people.ts'
import { useSay } from '../text/text.tsx'
import { RefusalMessage } from '../ui/Message.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'

export function NewPasswordForm({ onDone }: { onDone: () => void }) {
  const say = useSay()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const attempt = useMutation({
    mutationFn: () => changePassword(current, next),
    onSuccess: () => {
      setCurrent('')
      setNext('')
      onDone()
    },
  })
  const refusal = useRefusal(attempt.error)
  const submit = submitting(() => attempt.mutate())
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={360}>
        <PasswordField
          label={say('account.current')}
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
          error={refusal?.at('current_password')}
        />
        <PasswordField
          label={say('reset.new')}
          autoComplete="new-password"
          required
          value={next}
          onChange={(event) => setNext(event.currentTarget.value)}
          error={refusal?.at('new_password')}
        />
        <RefusalMessage refusal={refusal} />
        <Group>
          <Button type="submit" loading={attempt.isPending}>
            {say('account.change')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
