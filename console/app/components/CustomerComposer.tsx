import { ActionIcon, Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type Chat, nameOf } from '../api/chats.ts'
import { readAsCustomer, useSimulatedSender, writeAsCustomer } from '../api/simulator.ts'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { submitting } from '../ui/submission.ts'
import { AttachButton, AttachmentChip, DropHint } from './AttachmentChip.tsx'
import { isTakenBack, useAttachment, useFileDrop } from './attachment.ts'
import { WordsField } from './WordsField.tsx'

/** The other side of the table: what is written here comes from the customer. It looks different, so that the two are not confused. */
export function CustomerComposer({ chat }: { chat: Chat }) {
  const say = useSay()
  const from = useSimulatedSender(chat, true)
  const form = useRef<HTMLFormElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const { text, setText, attachment, write, send } = useWriting(chat, from ?? '')
  const read = useMutation({ mutationFn: () => readAsCustomer({ number: chat.number.id, from: from ?? '' }) })
  const isDraggedOver = useFileDrop(form, attachment.choose)
  if (from === null) return null
  return (
    <form
      ref={form}
      className="composer"
      data-customer
      aria-label={say('simulator.asCustomer', { name: nameOf(chat.contact) })}
      onSubmit={submitting(send)}
    >
      <Head chat={chat} isReading={read.isPending} onRead={() => read.mutate()} />
      {isDraggedOver && <DropHint />}
      <AttachmentChip attachment={attachment} onRemoved={() => field.current?.focus()} />
      <div className="composer-line">
        <WordsField
          field={field}
          label={say('simulator.text')}
          text={text}
          onText={setText}
          onFiles={attachment.choose}
          onSend={send}
        />
        <AttachButton attachment={attachment} />
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
      <ProblemMessage error={isTakenBack(write.error) ? read.error : (write.error ?? read.error)} />
    </form>
  )
}

/** What failed is put back where it was typed, or, with a file, was never taken away. */
function useWriting(chat: Chat, from: string) {
  const [text, setText] = useState('')
  const attachment = useAttachment(chat.number.id)
  const { chosen } = attachment
  const stage = { number: chat.number.id, from }
  const write = useMutation({
    mutationFn: async (words: string) => {
      if (chosen === null) return writeAsCustomer({ ...stage, text: words })
      const media = { type: chosen.kind, id: await attachment.upload(chosen) }
      return writeAsCustomer({ ...stage, media, ...(chosen.takesCaption && words !== '' && { text: words }) })
    },
    onMutate: () => chosen === null && setText(''),
    onSuccess: () => {
      if (chosen?.takesCaption) setText('')
      attachment.remove()
    },
    onError: (_error, words) => chosen === null && setText(words),
  })
  const send = () => {
    if ((text.trim() !== '' || chosen !== null) && !write.isPending) write.mutate(text.trim())
  }
  return { text, setText, attachment, write, send }
}

function Head({ chat, isReading, onRead }: { chat: Chat; isReading: boolean; onRead: () => void }) {
  const say = useSay()
  return (
    <Group justify="space-between" gap="sm" mb={4} wrap="nowrap">
      <Text size="xs" fw={600} truncate>
        {say('simulator.asCustomer', { name: nameOf(chat.contact) })}
      </Text>
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        styles={{ label: { color: 'var(--mantine-color-text)' } }}
        loading={isReading}
        onClick={onRead}
      >
        {say('simulator.read')}
      </Button>
    </Group>
  )
}
