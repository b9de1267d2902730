import { ActionIcon, Button, Popover, Stack, TextInput, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { clockOf, instantOf } from '../ui/Time.tsx'

const HOUR_MS = 3600 * 1000
const clockAt = (ms: number) => clockOf(new Date(ms).toISOString())

/** Sends what is typed at a chosen time, by the clock of the shop: the thread tells it by the same one. */
export function SendLater({ isDisabled, onChoose }: { isDisabled: boolean; onChoose: (sendAt: string) => void }) {
  const say = useSay()
  const [isOpen, setOpen] = useState(false)
  const [at, setAt] = useState('')
  const sendAt = instantOf(at)
  const isGood = sendAt !== '' && Date.parse(sendAt) > Date.now()
  const choose = () => {
    onChoose(sendAt)
    setOpen(false)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="top-end" trapFocus shadow="sm" withinPortal>
      <Popover.Target>
        <Tooltip label={say('composer.later')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={say('composer.later')}
            onClick={() => {
              setAt(clockAt(Date.now() + HOUR_MS))
              setOpen(!isOpen)
            }}
          >
            <Icon name="clock" />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={say('composer.later')}>
        <Stack gap="sm">
          <TextInput
            type="datetime-local"
            label={say('composer.sendAt')}
            min={clockAt(Date.now())}
            value={at}
            onChange={(event) => setAt(event.currentTarget.value)}
            error={at !== '' && !isGood ? say('composer.past') : undefined}
          />
          <Button disabled={!isGood || isDisabled} onClick={choose}>
            {say('composer.schedule')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
