import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from './Message.tsx'

/** Before something that cannot be taken back: names the thing and what stops working. The worst asks for the name. */
export type ConfirmProps = {
  isOpen: boolean
  title: string
  consequence: ReactNode
  act: string
  /** Has to be typed, where given. */
  nameToType?: string
  /** Nothing is lost by it. */
  isHarmless?: boolean
  isPending: boolean
  error: unknown
  onConfirm: () => void
  onClose: () => void
}

export function Confirm(props: ConfirmProps) {
  const say = useSay()
  const [typed, setTyped] = useState('')
  const isReady = props.nameToType === undefined || typed.trim() === props.nameToType
  return (
    <Modal
      opened={props.isOpen}
      onClose={props.onClose}
      title={props.title}
      closeButtonProps={{ 'aria-label': say('act.close') }}
    >
      <Stack gap="md">
        <Text size="sm" component="div">
          {props.consequence}
        </Text>
        {props.nameToType !== undefined && (
          <TextInput
            label={say('confirm.type', { name: props.nameToType })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <ProblemMessage error={props.error} />
        <Group gap="sm">
          <Button
            {...(!props.isHarmless && { color: 'red' })}
            disabled={!isReady}
            loading={props.isPending}
            onClick={props.onConfirm}
          >
            {props.act}
          </Button>
          <Button variant="default" onClick={props.onClose}>
            {say('act.back')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
