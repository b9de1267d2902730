import { ActionIcon, Button, Popover, Stack, TextInput, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'

const HOUR_MS = 3600 * 1000
/** As the field of a browser wants it: the local time, without a zone. */
const localTime = (ms: number) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

/** Sends what is typed at a chosen time. */
export function SendLater({ isDisabled, onChoose }: { isDisabled: boolean; onChoose: (sendAt: string) => void }) {
  const say = useSay()
  const [isOpen, setOpen] = useState(false)
  const [at, setAt] = useState('')
  const isGood = at !== '' && Date.parse(at) > Date.now()
  const choose = () => {
    onChoose(new Date(at).toISOString())
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
              setAt(localTime(Date.now() + HOUR_MS))
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
            min={localTime(Date.now())}
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
