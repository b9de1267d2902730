import { Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ProbeResult } from '../api/settings.ts'
import { useFailureSay, useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { State } from '../ui/State.tsx'

type Acts = {
  isOn: boolean
  probe: () => Promise<ProbeResult>
  /** Pauses what is on, and resumes what is not. */
  flip: () => Promise<unknown>
  onFlipped: () => void
  children?: ReactNode
}

/** What can be done with anything that is connected: try its credentials, pause it, resume it. */
export function ConnectionActs({ isOn, probe, flip, onFlipped, children }: Acts) {
  const say = useSay()
  const failureSay = useFailureSay()
  const flipping = useMutation({ mutationFn: flip, onSettled: onFlipped })
  const probing = useMutation({ mutationFn: probe })
  const found = probing.data
  return (
    <Stack gap="sm" mt="md">
      <Group gap="sm">
        <Button size="xs" variant="default" loading={probing.isPending} onClick={() => probing.mutate()}>
          {say('numbers.probe')}
        </Button>
        <Button size="xs" variant="default" loading={flipping.isPending} onClick={() => flipping.mutate()}>
          {say(isOn ? 'webhooks.pause' : 'webhooks.resume')}
        </Button>
        {children}
        {found !== undefined && (
          <State
            state={found.ok ? 'succeeded' : 'failed'}
            word={found.ok ? say('numbers.works', { ms: Math.round(found.took_ms) }) : failureSay(found.failure)}
          />
        )}
      </Group>
      <ProblemMessage error={flipping.error ?? probing.error} />
    </Stack>
  )
}
