import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { type Chat, nameOf } from '../api/chats.ts'
import { foundMessagesQuery, type Message } from '../api/messages.ts'
import { useText } from '../text/text.tsx'
import { exactTime } from '../ui/Time.tsx'
import { clockTime, shortDay } from './chat-times.ts'
import { wordsOf } from './Words.tsx'

/** Messages with the words that are searched for. Each leads to its place in its chat. */
export function MessageHits({ q, chats }: { q: string; chats: readonly Chat[] }) {
  const { say, language } = useText()
  const found = useQuery(foundMessagesQuery(q))
  if (found.data === undefined || found.data.data.length === 0) return null
  return (
    <section aria-label={say('chats.messageHits')}>
      <Text size="xs" className="quiet" component="h2" fw={600} m={0} px={14} pt="sm" pb={4}>
        {say('chats.messageHits')}
      </Text>
      {found.data.data.map((message) => {
        const chat = chats.find(({ id }) => id === message.chat_id)
        return (
          <Link
            key={message.id}
            to="/chats"
            search={(before) => ({
              ...before,
              ...{ open: message.chat_id, message: message.id, pane: undefined, create: undefined },
            })}
            className="chat-row message-hit"
          >
            <div className="chat-line">
              <strong className="grow" dir="auto">
                {message.direction === 'outbound' ? say('chats.us') : chat === undefined ? '' : nameOf(chat.contact)}
              </strong>
              <time
                className="quiet figures"
                dateTime={message.created_at}
                title={exactTime(message.created_at, language)}
              >
                {shortDay(message.created_at, language)} {clockTime(message.created_at, language)}
              </time>
            </div>
            <div className="chat-line quiet">
              <span className="grow" dir="auto">
                {wordsOf(message, say)}
              </span>
            </div>
          </Link>
        )
      })}
    </section>
  )
}

type Thread = {
  messages: Message[] | undefined
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

/** Reads back until the message is there, brings it into sight once, and marks it. */
export function useJump(messageId: string | undefined, thread: Thread) {
  const done = useRef<string | null>(null)
  const { messages, hasNextPage, isFetchingNextPage, fetchNextPage } = thread
  const isThere = messages?.some(({ id }) => id === messageId) === true
  useEffect(() => {
    if (messageId === undefined || messages === undefined || done.current === messageId) return
    if (!isThere) {
      if (hasNextPage && !isFetchingNextPage) fetchNextPage()
      return
    }
    done.current = messageId
    const frame = requestAnimationFrame(() => showMessage(messageId))
    return () => cancelAnimationFrame(frame)
  }, [messageId, messages, isThere, hasNextPage, isFetchingNextPage, fetchNextPage])
}

function showMessage(id: string) {
  for (const shown of document.querySelectorAll('.bubble-row[data-found]')) shown.removeAttribute('data-found')
  const row = document.getElementById(id)
  if (row === null) return
  row.dataset.found = ''
  row.tabIndex = -1
  row.scrollIntoView({ block: 'center' })
  // The browser reports the scrolling a frame later. Until then the thread believes to be at its bottom, and returns there when it grows.
  row.closest('.thread-scroll')?.dispatchEvent(new Event('scroll'))
  row.focus({ preventScroll: true })
}
