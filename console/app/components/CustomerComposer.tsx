import { ActionIcon, Button, Group, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Chat, nameOf } from '../api/chats.ts'
import { readAsCustomer, useSimulatedSender, writeAsCustomer } from '../api/simulator.ts'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { isSendingKey } from './sending-key.ts'

/** The other side of the table: what is written here comes from the customer. Looks different, so that nobody mixes them up. */
export function CustomerComposer({ chat }: { chat: Chat }) {
  const say = useSay()
  const from = useSimulatedSender(chat, true)
  const [text, setText] = useState('')
  const stage = { number_id: chat.number.id, from: from ?? '' }
  const write = useMutation({
    mutationFn: (words: string) => writeAsCustomer({ ...stage, text: words }),
    onMutate: () => setText(''),
    onError: (_error, words) => setText(words),
  })
  const read = useMutation({ mutationFn: () => readAsCustomer(stage) })
  if (from === null) return null
  const send = () => text.trim() !== '' && !write.isPending && write.mutate(text)
  return (
    <form
      className="composer"
      data-customer
      aria-label={say('simulator.asCustomer', { name: nameOf(chat.contact) })}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Group justify="space-between" gap="sm" mb={4} wrap="nowrap">
        <Text size="xs" fw={600} truncate>
          {say('simulator.asCustomer', { name: nameOf(chat.contact) })}
        </Text>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          styles={{ label: { color: 'var(--mantine-color-text)' } }}
          loading={read.isPending}
          onClick={() => read.mutate()}
        >
          {say('simulator.read')}
        </Button>
      </Group>
      <div className="composer-line">
        <Textarea
          autosize
          minRows={1}
          maxRows={4}
          aria-label={say('simulator.text')}
          placeholder={say('simulator.text')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (!isSendingKey(event)) return
            event.preventDefault()
            send()
          }}
        />
        <ActionIcon
          type="submit"
          size={36}
          color="yellow"
          autoContrast
          loading={write.isPending}
          aria-label={say('simulator.write')}
        >
          <Icon name="send" />
        </ActionIcon>
      </div>
      <ProblemMessage error={write.error ?? read.error} />
    </form>
  )
}
