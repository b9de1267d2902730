import { Badge } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { type Chat, nameOf } from '../api/chats.ts'
import { useText } from '../text/text.tsx'
import { Face } from '../ui/Face.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { exactTime } from '../ui/Time.tsx'
import { clockTime, dayOf, shortDay } from './chat-times.ts'
import { Ticks } from './MessageFate.tsx'
import { withoutMarks } from './Words.tsx'

/** One chat of the list: who, when, the last words, and what is waiting. Chats that are added do not draw the others again. */
export const ChatRow = memo(OneChat)

function OneChat({ chat, isChosen }: { chat: Chat; isChosen: boolean }) {
  const { say, language } = useText()
  const last = chat.last_message
  const name = nameOf(chat.contact)
  return (
    <Link
      to="/chats"
      search={(before) => ({ ...before, open: chat.id, message: undefined, pane: undefined, create: undefined })}
      className="chat-row"
      data-chosen={isChosen || undefined}
      aria-current={isChosen || undefined}
    >
      <Face name={chat.contact.name} seed={chat.contact.id} radius="50%" size={38} />
      <div style={{ minWidth: 0 }}>
        <div className="chat-line">
          <strong className="grow" dir="auto" style={{ fontWeight: chat.unread_count > 0 ? 650 : 500 }}>
            {name}
          </strong>
          <time
            className="quiet figures"
            style={{ fontSize: 12 }}
            dateTime={chat.last_activity_at}
            title={exactTime(chat.last_activity_at, language)}
          >
            {dayOf(chat.last_activity_at) === dayOf(new Date().toISOString())
              ? clockTime(chat.last_activity_at, language)
              : shortDay(chat.last_activity_at, language)}
          </time>
        </div>
        <div className="chat-line quiet" style={{ fontSize: 13, minHeight: 22 }}>
          {last?.direction === 'outbound' && <Ticks status={last.status} />}
          <span className="grow" dir="auto">
            {last === null ? say('chats.nothingSent') : previewOf(last, say)}
          </span>
          {chat.open_order !== null && (
            <Badge size="sm" variant="default" tt="none">
              {say('chats.openOrder', { number: chat.open_order.number })}
            </Badge>
          )}
          {chat.status === 'closed' && (
            <Badge size="sm" variant="default" tt="none">
              {say('chats.status.closed')}
            </Badge>
          )}
          {chat.unread_count > 0 && (
            <span className="unread">
              {chat.unread_count}
              <span className="hidden-words"> {say('chats.unread')}</span>
            </span>
          )}
        </div>
      </div>
    </Link>
  )
}

/** A message without text is shown by its type, in the reader's language. */
const previewOf = ({ preview, type }: NonNullable<Chat['last_message']>, say: ReturnType<typeof useText>['say']) =>
  preview === `[${type}]` ? say(`message.kind.${type}`) : withoutMarks(preview)

export const SkeletonChats = () => (
  <div aria-hidden="true" data-waiting>
    {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
      <div key={key} className="chat-row">
        <Skeleton isRound height={38} />
        <div>
          <Skeleton height={12} width="60%" />
          <Skeleton height={10} />
        </div>
      </div>
    ))}
  </div>
)
