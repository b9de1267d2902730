import { Button, Loader } from '@mantine/core'
import { Fragment, useEffect, useMemo, useRef } from 'react'
import type { Chat } from '../api/chats.ts'
import type { Message } from '../api/messages.ts'
import type { Note } from '../api/notes.ts'
import { useSay, useText } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { Bubble } from './Bubble.tsx'
import { dayName, dayOf } from './chat-times.ts'
import { NoteBox } from './Notes.tsx'
import { useReadingPosition } from './reading-position.ts'

export type ThreadProps = {
  chat: Chat
  messages: Message[]
  notes: Note[]
  hasOlder: boolean
  isLoadingOlder: boolean
  olderError: Error | null
  onOlder: () => void
  onReply: (message: Message) => void
  onTemplate: () => void
  isSimulated: boolean
}

const NEAR_TOP_PX = 300

/**
 * The messages, oldest at the top. Who reads at the bottom sees new ones come; who reads further up keeps the place, both
 * when older ones come in above and when new ones come in below.
 */
export function Thread(props: ThreadProps) {
  const say = useSay()
  const { messages, hasOlder, isLoadingOlder, olderError, onOlder } = props
  const box = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const { unseen, toBottom, onScroll } = useReadingPosition(box, content, messages)
  const lookForOlder = () => {
    // What was refused is asked for again on a click, not by itself for ever.
    if (hasOlder && !isLoadingOlder && olderError === null && (box.current?.scrollTop ?? NEAR_TOP_PX) < NEAR_TOP_PX)
      onOlder()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page that does not fill the box brings no scrolling, so each one is looked at.
  useEffect(lookForOlder, [messages, hasOlder, isLoadingOlder])
  return (
    <div className="thread-body">
      <div
        className="thread-scroll"
        ref={box}
        role="log"
        aria-label={say('chats.messages')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        onScroll={() => {
          onScroll()
          lookForOlder()
        }}
      >
        {isLoadingOlder && (
          <div style={{ display: 'grid', placeItems: 'center', height: 32 }}>
            <Loader size="xs" aria-label={say('chats.loadingOlder')} />
          </div>
        )}
        {!isLoadingOlder && <ProblemMessage error={olderError} onRetry={() => onOlder()} />}
        <div ref={content}>
          <Messages {...props} />
        </div>
      </div>
      {unseen !== null && (
        <Button
          className="thread-new"
          size="xs"
          radius="xl"
          leftSection={<Icon name="down" size={14} />}
          onClick={toBottom}
        >
          {unseen > 0 ? say('list.new', { count: unseen }) : say('chats.toBottom')}
        </Button>
      )}
    </div>
  )
}

function Messages({ chat, messages, notes, hasOlder, onReply, onTemplate, isSimulated }: ThreadProps) {
  const { language } = useText()
  const { shown, reactionsOf, byId } = useMemo(() => arrange(messages), [messages])
  // A note older than what is loaded comes with the messages of its time.
  const since = hasOlder ? (messages[0]?.created_at ?? '') : ''
  const oldestFirst = notes.filter(({ created_at }) => created_at >= since).toReversed()
  const before = (at: string) => oldestFirst.splice(0, oldestFirst.filter(({ created_at }) => created_at < at).length)
  return (
    <>
      {shown.map((message, index) => {
        const last = shown[index - 1]
        const isNewDay = last === undefined || dayOf(last.created_at) !== dayOf(message.created_at)
        const isFirst = isNewDay || last.direction !== message.direction || last.sender.id !== message.sender.id
        const written = message.status === 'scheduled' ? [] : before(message.created_at)
        return (
          <Fragment key={message.id}>
            {written.map((note) => (
              <NoteBox key={note.id} note={note} isDated={isNewDay} />
            ))}
            {isNewDay && (
              <div className="day">
                <span>{dayName(message.created_at, language)}</span>
              </div>
            )}
            <Bubble
              message={message}
              chat={chat}
              isFirst={isFirst}
              quoted={message.reply_to === null ? undefined : byId.get(message.reply_to)}
              reactions={reactionsOf.get(message.id) ?? []}
              onReply={onReply}
              onTemplate={onTemplate}
              isSimulated={isSimulated}
            />
          </Fragment>
        )
      })}
      {oldestFirst.map((note) => (
        <NoteBox key={note.id} note={note} isDated={dayOf(note.created_at) !== dayOf(new Date().toISOString())} />
      ))}
    </>
  )
}

/** A reaction stands on the message it is about, unless it did not get there; what waits for its time stands last. */
function arrange(messages: readonly Message[]) {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const latest = new Map<string, Map<string, string>>()
  for (const { reaction, direction, status } of messages) {
    if (reaction === null || reaction.message_id === null || status === 'failed') continue
    const own = latest.get(reaction.message_id) ?? new Map<string, string>()
    latest.set(reaction.message_id, own.set(direction, reaction.emoji))
  }
  const reactionsOf = new Map([...latest].map(([id, own]) => [id, [...own.values()].filter((emoji) => emoji !== '')]))
  const isOnBubble = ({ reaction, status }: Message) =>
    reaction?.message_id != null && status !== 'failed' && byId.has(reaction.message_id)
  const visible = messages.filter((message) => !isOnBubble(message))
  const isLater = ({ status }: Message) => status === 'scheduled'
  return { shown: [...visible.filter((one) => !isLater(one)), ...visible.filter(isLater)], reactionsOf, byId }
}
