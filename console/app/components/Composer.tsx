import { ActionIcon, Group, Text, Tooltip } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Chat } from '../api/chats.ts'
import { useIdempotencyKey } from '../api/client.ts'
import { type Message, type NewMessage, sendMessage } from '../api/messages.ts'
import { addMessage } from '../api/thread.ts'
import { TemplateForm } from '../forms/TemplateForm.tsx'
import { type Say, useSay } from '../text/text.tsx'
import { Icon, type IconName } from '../ui/Icon.tsx'
import { submitting } from '../ui/submission.ts'
import { AttachButton, AttachmentChip, DropHint } from './AttachmentChip.tsx'
import { type Attachment, type AttachmentState, shownName, useAttachment, useFileDrop } from './attachment.ts'
import { useIsWindowClosed } from './ChatHead.tsx'
import { NotSent } from './MessageFate.tsx'
import { unfilledIn } from './reply-variables.ts'
import { SendLater } from './SendLater.tsx'
import { useSlashReplies } from './SlashReplies.tsx'
import { wordsOf } from './Words.tsx'
import { WordsField } from './WordsField.tsx'

export type ComposerProps = {
  chat: Chat
  replyTo: Message | null
  /** Counts how often a template was asked for from the thread. */
  templateAsked: number
  onReplied: () => void
  onSent: () => void
}

/** Words while the customer can be answered freely; a template otherwise, or when one is wanted. */
export function Composer(props: ComposerProps) {
  const say = useSay()
  const queries = useQueryClient()
  const isClosed = useIsWindowClosed(props.chat)
  const [isTemplate, setTemplate] = useState(false)
  const form = useRef<HTMLDivElement>(null)
  const { templateAsked } = props
  useEffect(() => {
    if (templateAsked > 0) setTemplate(true)
  }, [templateAsked])
  useEffect(() => {
    // Its first field is the choice of a template.
    if (templateAsked > 0 && isTemplate) form.current?.querySelector('input')?.focus()
  }, [templateAsked, isTemplate])
  if (!isClosed && !isTemplate) return <TextComposer {...props} onTemplate={() => setTemplate(true)} />
  const sent = (message: Message) => {
    addMessage(queries, message)
    setTemplate(false)
    props.onSent()
  }
  return (
    <div className="composer template-composer" ref={form}>
      {isClosed && (
        <Text size="sm" mb="sm">
          {say('composer.closed')}
        </Text>
      )}
      <TemplateForm chat={props.chat} onSent={sent} {...(!isClosed && { onCancel: () => setTemplate(false) })} />
    </div>
  )
}

type Words = { body: string; reply_to?: string; send_at?: string }

/** With a file, the words are its caption; a kind that has none leaves them where they are. */
async function messageOf(chat: Chat, words: Words, attachment: AttachmentState): Promise<NewMessage> {
  const { chosen } = attachment
  if (chosen === null) return { to: chat.id, ...words }
  const { body, ...rest } = words
  const id = await attachment.upload(chosen)
  const media = chosen.kind === 'document' ? { id, filename: shownName(chosen.file) } : { id }
  return { to: chat.id, type: chosen.kind, media, ...(isCaption(chosen, body) && { body }), ...rest }
}

const isCaption = (chosen: Attachment | null, body: string) => chosen?.takesCaption === true && body !== ''

/** What failed is put back where it was typed, before what was typed since; with a file, it was never taken away. */
function useSending({ chat, onReplied, onSent }: ComposerProps, attachment: AttachmentState, setText: SetDraft) {
  const queries = useQueryClient()
  const idempotency = useIdempotencyKey()
  const isBare = attachment.chosen === null
  return useMutation({
    mutationFn: async (words: Words) => {
      const message = await messageOf(chat, words, attachment)
      return sendMessage(message, idempotency.keyFor(message))
    },
    onMutate: () => isBare && setText(''),
    onSuccess: (message, { body }) => {
      idempotency.forget()
      if (isCaption(attachment.chosen, body)) setText((now) => (now.trim() === body ? '' : now))
      attachment.remove()
      addMessage(queries, message)
      onReplied()
      onSent()
    },
    onError: (_error, { body }) => isBare && setText((now) => (now.trim() === '' ? body : `${body}\n${now}`)),
  })
}

function TextComposer(props: ComposerProps & { onTemplate: () => void }) {
  const say = useSay()
  const { chat, replyTo } = props
  const [text, setText] = useDraft(chat.id)
  const field = useRef<HTMLTextAreaElement>(null)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (replyTo !== null) field.current?.focus()
  }, [replyTo])
  const attachment = useAttachment(chat.number.id)
  const choose = (files: FileList) => {
    attachment.choose(files)
    field.current?.focus()
  }
  const isDraggedOver = useFileDrop(form, choose)
  const sending = useSending(props, attachment, setText)
  const { chosen } = attachment
  const slash = useSlashReplies({ chat, field, text, onText: setText })
  const problem = captionProblemOf(chosen, text.trim(), say) ?? unfilledProblemOf(text, say)
  const isNothing = text.trim() === '' && chosen === null
  const send = (sendAt?: string) => {
    if (isNothing || problem !== null || sending.isPending) return
    const quote = replyTo === null ? {} : { reply_to: replyTo.id }
    sending.mutate({ body: text.trim(), ...quote, ...(sendAt !== undefined && { send_at: sendAt }) })
  }
  return (
    <form ref={form} className="composer" aria-label={say('composer.label')} onSubmit={submitting(send)}>
      {replyTo !== null && <ReplyBar message={replyTo} onClose={props.onReplied} />}
      <NotSent error={sending.error} />
      {isDraggedOver && <DropHint />}
      <AttachmentChip attachment={attachment} onRemoved={() => field.current?.focus()} />
      {slash.list}
      <div className="composer-line">
        <WordsField
          field={field}
          label={say(chosen?.takesCaption ? 'attach.caption' : 'composer.text')}
          text={text}
          problem={problem}
          onText={setText}
          {...(chosen === null && { hint: say('composer.hint') })}
          onKey={slash.onKey}
          attributes={slash.attributes}
          onFiles={choose}
          onSend={send}
        />
        <Tool label={say('composer.replies')} icon="slash" visibleFrom="sm" onClick={slash.insertSlash} />
        <AttachButton attachment={attachment} />
        <Tool label={say('composer.template')} icon="template" onClick={props.onTemplate} />
        <SendLater isDisabled={isNothing || problem !== null} onChoose={send} />
        <ActionIcon type="submit" size={36} loading={sending.isPending} aria-label={say('composer.send')}>
          <Icon name="send" />
        </ActionIcon>
      </div>
    </form>
  )
}

type ToolProps = { label: string; icon: IconName; visibleFrom?: 'sm'; onClick: () => void }

const Tool = ({ label, icon, ...rest }: ToolProps) => (
  <Tooltip label={label}>
    <ActionIcon variant="subtle" color="gray" size={36} aria-label={label} {...rest}>
      <Icon name={icon} />
    </ActionIcon>
  </Tooltip>
)

function captionProblemOf(chosen: Attachment | null, text: string, say: Say): string | null {
  const count = [...text].length
  if (chosen === null || !chosen.takesCaption || count <= chosen.captionMax) return null
  return say('attach.captionLong', { count, max: chosen.captionMax })
}

/** A variable that has no value in this chat must not reach the customer. */
function unfilledProblemOf(text: string, say: Say): string | null {
  const unfilled = unfilledIn(text)
  return unfilled.length === 0 ? null : say('composer.unfilled', { variables: unfilled.join(', ') })
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

/**
 * What is typed stays with its chat, also over a reload, until it is sent. It is kept by the chat and not by the field, so that
 * words which could not be sent find their way back when another chat is open by then.
 */
const keyOf = (chatId: string) => `nexkit-draft-${chatId}`
const read = (chatId: string): string => sessionStorage.getItem(keyOf(chatId)) ?? ''

const listeners = new Set<() => void>()
function listen(callback: () => void): () => void {
  listeners.add(callback)
  return () => void listeners.delete(callback)
}

export type SetDraft = (change: string | ((now: string) => string)) => void

function useDraft(chatId: string): readonly [string, SetDraft] {
  const text = useSyncExternalStore(listen, () => read(chatId))
  const setText: SetDraft = useCallback(
    (change) => {
      const after = typeof change === 'string' ? change : change(read(chatId))
      if (after === '') sessionStorage.removeItem(keyOf(chatId))
      else sessionStorage.setItem(keyOf(chatId), after)
      for (const notify of listeners) notify()
    },
    [chatId],
  )
  return [text, setText]
}
