import { ActionIcon, Group, Text, Textarea, Tooltip } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Chat } from '../api/chats.ts'
import { useIdempotencyKey } from '../api/idempotency.ts'
import { type Message, type NewMessage, sendMessage } from '../api/messages.ts'
import { Problem } from '../api/problem.ts'
import { addMessage } from '../api/thread.ts'
import { TemplateForm } from '../forms/TemplateForm.tsx'
import { useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { wordsOf } from './message-words.ts'
import { useIsWindowClosed } from './ReplyWindow.tsx'
import { SendLater } from './SendLater.tsx'
import { isSendingKey } from './sending-key.ts'

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

/** Words while the customer can be answered freely; a template otherwise, or when one is wanted. */
export function Composer(props: ComposerProps) {
  const say = useSay()
  const queries = useQueryClient()
  const isClosed = useIsWindowClosed(props.chat)
  const [isTemplate, setTemplate] = useState(false)
  if (!isClosed && !isTemplate) return <TextComposer {...props} onTemplate={() => setTemplate(true)} />
  const sent = (message: Message) => {
    addMessage(queries, message)
    setTemplate(false)
    props.onSent()
  }
  return (
    <div className="composer">
      {isClosed && (
        <Text size="sm" mb="sm">
          {say('composer.closed')}
        </Text>
      )}
      <TemplateForm chat={props.chat} onSent={sent} {...(!isClosed && { onCancel: () => setTemplate(false) })} />
    </div>
  )
}

/** What failed is put back where it was typed. */
function useSending({ chat, onReplied, onSent }: ComposerProps, setText: (text: string) => void) {
  const queries = useQueryClient()
  const idempotency = useIdempotencyKey()
  return useMutation({
    mutationFn: (words: { body: string; reply_to?: string; send_at?: string }) => {
      const message: NewMessage = { to: chat.id, ...words }
      return sendMessage(message, idempotency.keyFor(message))
    },
    onMutate: () => setText(''),
    onSuccess: (message) => {
      idempotency.forget()
      addMessage(queries, message)
      onReplied()
      onSent()
    },
    onError: (_error, { body }) => setText(body),
  })
}

function TextComposer(props: ComposerProps & { onTemplate: () => void }) {
  const say = useSay()
  const { chat, replyTo } = props
  const [text, setText] = useDraft(chat.id)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (replyTo !== null) field.current?.focus()
  }, [replyTo])
  const sending = useSending(props, setText)
  const send = (sendAt?: string) => {
    if (text.trim() === '' || sending.isPending) return
    const quote = replyTo === null ? {} : { reply_to: replyTo.id }
    sending.mutate({ body: text.trim(), ...quote, ...(sendAt !== undefined && { send_at: sendAt }) })
  }
  return (
    <form
      className="composer"
      aria-label={say('composer.label')}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {replyTo !== null && <ReplyBar message={replyTo} onClose={props.onReplied} />}
      <NotSent error={sending.error} />
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
            onClick={props.onTemplate}
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

function NotSent({ error }: { error: Error | null }) {
  const say = useSay()
  if (!(error instanceof Problem) || error.status !== 0) return <ProblemMessage error={error} />
  return (
    <Text size="sm" role="alert" mb={6} style={{ color: 'var(--bad)' }}>
      {say('composer.offline')}
    </Text>
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
