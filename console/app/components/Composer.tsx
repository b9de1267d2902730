import { ActionIcon, Group, Text, Textarea, Tooltip } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Chat } from '../api/chats.ts'
import { type Message, type NewMessage, sendMessage } from '../api/messages.ts'
import { addMessage } from '../api/thread.ts'
import { TemplateForm } from '../forms/TemplateForm.tsx'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { wordsOf } from './MessageContent.tsx'
import { useIsWindowClosed } from './ReplyWindow.tsx'
import { SendLater } from './SendLater.tsx'

/** Enter sends where there is a keyboard; on a touch screen it begins a new line, and the button sends. */
export const isSendingKey = (event: KeyboardEvent) =>
  event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing && !matchMedia('(pointer: coarse)').matches

/** What is typed stays with its chat, also over a reload, until it is sent. */
const draftKey = (chatId: string) => `nexkit-draft-${chatId}`

function useDraft(chatId: string) {
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey(chatId)) ?? '')
  useEffect(() => {
    if (text === '') sessionStorage.removeItem(draftKey(chatId))
    else sessionStorage.setItem(draftKey(chatId), text)
  }, [chatId, text])
  return [text, setText] as const
}

export type ComposerProps = { chat: Chat; replyTo: Message | null; onReplied: () => void; onSent: () => void }

export function Composer({ chat, replyTo, onReplied, onSent }: ComposerProps) {
  const say = useSay()
  const queries = useQueryClient()
  const isClosed = useIsWindowClosed(chat)
  const [isTemplate, setTemplate] = useState(false)
  const [text, setText] = useDraft(chat.id)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (replyTo !== null) field.current?.focus()
  }, [replyTo])
  const sending = useMutation({
    mutationFn: (message: NewMessage) => sendMessage(message),
    onSuccess: (message) => {
      addMessage(queries, message)
      onReplied()
      onSent()
    },
    onError: (_error, message) => 'body' in message && setText(message.body),
  })
  const send = (sendAt?: string) => {
    if (text.trim() === '' || sending.isPending) return
    const quote = replyTo === null ? {} : { reply_to: replyTo.id }
    sending.mutate({ to: chat.id, body: text.trim(), ...quote, ...(sendAt !== undefined && { send_at: sendAt }) })
    setText('')
  }
  if (isClosed || isTemplate)
    return (
      <div className="composer">
        {isClosed && (
          <Text size="sm" mb="sm">
            {say('composer.closed')}
          </Text>
        )}
        <TemplateForm
          chat={chat}
          onSent={(message) => {
            addMessage(queries, message)
            setTemplate(false)
            onSent()
          }}
          {...(!isClosed && { onCancel: () => setTemplate(false) })}
        />
      </div>
    )
  return (
    <form
      className="composer"
      aria-label={say('composer.label')}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {replyTo !== null && <ReplyBar message={replyTo} onClose={onReplied} />}
      <ProblemMessage error={sending.error} />
      <div className="composer-line">
        <Textarea
          ref={field}
          autosize
          minRows={1}
          maxRows={6}
          aria-label={say('composer.text')}
          placeholder={say('composer.text')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (!isSendingKey(event)) return
            event.preventDefault()
            send()
          }}
        />
        <Tooltip label={say('composer.template')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            aria-label={say('composer.template')}
            onClick={() => setTemplate(true)}
          >
            <Icon name="template" />
          </ActionIcon>
        </Tooltip>
        <SendLater isDisabled={text.trim() === ''} onChoose={send} />
        <ActionIcon type="submit" size={36} loading={sending.isPending} aria-label={say('composer.send')}>
          <Icon name="send" />
        </ActionIcon>
      </div>
    </form>
  )
}

function ReplyBar({ message, onClose }: { message: Message; onClose: () => void }) {
  const say = useSay()
  return (
    <Group wrap="nowrap" gap="sm" mb={6}>
      <div className="quote" style={{ flex: 1 }}>
        <strong>{say('composer.replyTo')}</strong>
        <Text size="xs" truncate>
          {wordsOf(message, say)}
        </Text>
      </div>
      <ActionIcon variant="subtle" color="gray" aria-label={say('composer.noReply')} onClick={onClose}>
        <Icon name="close" />
      </ActionIcon>
    </Group>
  )
}
