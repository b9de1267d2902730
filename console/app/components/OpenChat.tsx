import { ActionIcon, Button, Group, SegmentedControl, Text } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { type Chat, identityOf, markChatRead, nameOf } from '../api/chats.ts'
import { getMessage, type Message } from '../api/messages.ts'
import { may, sessionQuery } from '../api/session.ts'
import { useSimulatorNumbers } from '../api/simulator.ts'
import { patchChat, patchMessage, replaceChat, useThread } from '../api/thread.ts'
import { useSay } from '../text/text.tsx'
import { useFormGuard } from '../ui/form-guard.tsx'
import { Icon } from '../ui/Icon.tsx'
import { ProblemMessage, Waiting } from '../ui/Message.tsx'
import { ChatHead } from './ChatHead.tsx'
import { Composer } from './Composer.tsx'
import { CustomerComposer } from './CustomerComposer.tsx'
import { useLive } from './Live.tsx'
import { useJump } from './MessageHits.tsx'
import { NoteComposer, useNotes } from './Notes.tsx'
import { Thread } from './Thread.tsx'

/** Loaded when they are opened, because most visits of a chat only read and write. */
const NewOrderForm = lazy(async () => ({ default: (await import('../forms/NewOrderForm.tsx')).NewOrderForm }))
const PersonPane = lazy(async () => ({ default: (await import('./PersonPane.tsx')).PersonPane }))

/** One chat: its thread in the middle, its person at the right. */
export function OpenChat({
  id,
  messageId,
  isOrdering,
  onBack,
  onPane,
  onOrdering,
}: {
  id: string
  /** The message to bring into sight. */
  messageId: string | undefined
  isOrdering: boolean
  onBack: () => void
  onPane: (pane: string | undefined) => void
  onOrdering: (isOrdering: boolean) => void
}) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const thread = useThread(id)
  const { chat, messages, refresh } = thread
  const [replyTo, setReplyTo] = useState<Message | null>(null)
  const [templateAsked, setTemplateAsked] = useState(0)
  const isSimulated = useSimulatorNumbers().some((number) => number.id === chat?.number.id)
  const notes = useNotes(may(session, 'chats:read') ? chat?.contact.id : undefined)
  const [isNote, setNote] = useState(false)
  useJump(messageId, thread)
  useLiveThread(id, messages, refresh)
  useMarkingRead(chat, may(session, 'chats:write'))
  if (chat === undefined || messages === undefined)
    return (
      <section className="chat-thread" aria-label={say('chats.thread')} aria-busy={thread.error === null}>
        <div style={{ padding: 14 }}>
          <ProblemMessage error={thread.error} onRetry={() => thread.refetch()} />
          {thread.error !== null && (
            <Button variant="default" size="xs" mt="sm" onClick={onBack}>
              {say('act.back')}
            </Button>
          )}
        </div>
      </section>
    )
  const mayOrder = may(session, 'orders:write')
  const isGroup = identityOf(chat.contact, 'group_id') !== null
  return (
    <>
      <section className="chat-thread" aria-label={say('chats.thread')}>
        <ChatHead
          chat={chat}
          onBack={onBack}
          onPerson={() => onPane('person')}
          {...(mayOrder && { onOrder: () => onOrdering(true) })}
        />
        <Thread
          chat={chat}
          messages={messages}
          notes={notes}
          hasOlder={thread.hasNextPage}
          isLoadingOlder={thread.isFetchingNextPage}
          olderError={thread.isFetchNextPageError ? thread.error : null}
          onOlder={thread.fetchNextPage}
          onReply={(message) => {
            setNote(false)
            setReplyTo(message)
          }}
          onTemplate={() => {
            setNote(false)
            setTemplateAsked((count) => count + 1)
          }}
          isSimulated={isSimulated}
        />
        {isGroup && <div className="aside-line">{say('chats.group')}</div>}
        {may(session, 'chats:write') && !isGroup && <ComposerMode isNote={isNote} onChange={setNote} />}
        {isNote && (
          <div className="composer note-composer">
            <NoteComposer contactId={chat.contact.id} isFocused />
          </div>
        )}
        {may(session, 'messages:send') && !isGroup && !isNote && (
          <Composer
            chat={chat}
            replyTo={replyTo}
            templateAsked={templateAsked}
            onReplied={() => setReplyTo(null)}
            onSent={refresh}
          />
        )}
        {isSimulated && <CustomerComposer chat={chat} />}
      </section>
      {isOrdering && mayOrder ? (
        <OrderPane
          chat={chat}
          onClose={() => onOrdering(false)}
          onCreated={() => {
            onOrdering(false)
            refresh()
          }}
        />
      ) : (
        <Suspense fallback={<Waiting error={null} />}>
          <PersonPane chat={chat} onBack={() => onPane(undefined)} onOrder={mayOrder ? () => onOrdering(true) : null} />
        </Suspense>
      )}
    </>
  )
}

function ComposerMode({ isNote, onChange }: { isNote: boolean; onChange: (isNote: boolean) => void }) {
  const say = useSay()
  return (
    <div className="composer-mode">
      <SegmentedControl
        size="xs"
        aria-label={say('composer.mode')}
        value={isNote ? 'note' : 'message'}
        onChange={(value) => onChange(value === 'note')}
        data={(['message', 'note'] as const).map((value) => ({ value, label: say(`composer.mode.${value}`) }))}
      />
    </div>
  )
}

/** A new order beside the chat that it is read from; on a phone instead of it. */
function OrderPane({ chat, onClose, onCreated }: { chat: Chat; onClose: () => void; onCreated: () => void }) {
  const say = useSay()
  const { tryClose, watch } = useFormGuard(onClose)
  return (
    <section className="person order-pane" aria-label={say('orders.create')}>
      <Group justify="space-between" mb="md" wrap="nowrap">
        <Text component="h2" size="lg" fw={600} m={0}>
          {say('orders.create')}
        </Text>
        <ActionIcon variant="subtle" color="gray" onClick={tryClose} aria-label={say('act.close')}>
          <Icon name="close" />
        </ActionIcon>
      </Group>
      {watch(
        <Suspense fallback={<Waiting error={null} />}>
          <NewOrderForm customer={customerOf(chat)} chatId={chat.id} onCreated={onCreated} />
        </Suspense>,
      )}
    </section>
  )
}

/** A phone is no name. A contact without a name is distinguished by what else the network says of them. */
const customerOf = ({ contact }: Chat) =>
  contact.phone === null ? { name: nameOf(contact), phone: '' } : { name: contact.name ?? '', phone: contact.phone }

/** What happens in this chat appears by itself: the newest page at once, an older message on its own. */
function useLiveThread(chatId: string, messages: Message[] | undefined, refresh: () => Promise<void>) {
  const queries = useQueryClient()
  const newest = messages?.slice(-LOOKED_AT)
  const isOlder = (id: string) =>
    messages?.some((message) => message.id === id) === true && newest?.some((message) => message.id === id) === false
  const refreshSoon = useDebouncedCallback(refresh, TOGETHER_MS)
  useLive('event', ({ type = '', subject = '' }) => {
    if (type.startsWith('message.') && isOlder(subject))
      getMessage(subject).then(
        (message) => patchMessage(queries, message),
        () => refreshSoon(),
      )
    else if (type.startsWith('message.') || subject === chatId) refreshSoon()
  })
}

/** News come in bursts: one look answers all of them. */
const TOGETHER_MS = 60

/** Fewer than a page holds, so that what the newest page covers is surely covered. */
const LOOKED_AT = 30

/** A chat on the screen is marked as read, which the customer sees. */
function useMarkingRead(chat: Chat | undefined, mayWrite: boolean) {
  const queries = useQueryClient()
  const id = chat?.id
  const unread = chat?.unread_count ?? 0
  const mark = useCallback(() => {
    if (id === undefined || unread === 0 || !mayWrite || document.visibilityState !== 'visible') return
    markChatRead(id).then(
      (after) => {
        patchChat(queries, after)
        replaceChat(queries, after)
      },
      // The count stays, and the next message or visit tries again.
      () => {},
    )
  }, [id, unread, mayWrite, queries])
  useEffect(() => {
    mark()
    document.addEventListener('visibilitychange', mark)
    return () => document.removeEventListener('visibilitychange', mark)
  }, [mark])
}
