import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Chat, nameOf } from '../api/chats.ts'
import { type Message, messageQuery } from '../api/messages.ts'
import { teamQuery } from '../api/people.ts'
import { sessionQuery } from '../api/session.ts'
import { useFailureSay, useText } from '../text/text.tsx'
import { LinkText } from '../ui/Links.tsx'
import { exactTime } from '../ui/Time.tsx'
import { BubbleMenu } from './BubbleMenu.tsx'
import { clockTime } from './chat-times.ts'
import { MessageContent } from './MessageContent.tsx'
import { FailedMessage, MessageWarning, needsTemplate, ScheduledMessage, SendAgain, Ticks } from './MessageFate.tsx'
import { MessageOrigin } from './MessageOrigin.tsx'
import { isAside, wordsOf } from './Words.tsx'

export type BubbleProps = {
  message: Message
  chat: Chat
  isFirst: boolean
  quoted: Message | undefined
  reactions: string[]
  onReply: (message: Message) => void
  onTemplate: () => void
  isSimulated: boolean
}

/** One message as a messenger shows it. A notice of the network (a number that changed) is a line in the middle. */
export function Bubble(props: BubbleProps) {
  const { message, chat, isFirst, reactions } = props
  const { say, language } = useText()
  const failureSay = useFailureSay()
  if (isAside(message))
    return (
      <div className="aside-line">
        <span>
          {wordsOf(message, say)} · {clockTime(message.created_at, language)}
          {message.status === 'failed' && ` · ${say('message.notSent')} ${failureSay(message.error)}`}
        </span>
        <MessageOrigin message={message} />
        {message.status === 'failed' && !needsTemplate(message) && <SendAgain message={message} />}
      </div>
    )
  return (
    <div className="bubble-row" data-direction={message.direction} data-first={isFirst || undefined} id={message.id}>
      <div
        className="bubble"
        data-failed={message.status === 'failed' || undefined}
        data-scheduled={message.status === 'scheduled' || undefined}
      >
        <span className="hidden-words">
          {message.direction === 'inbound' ? nameOf(chat.contact) : say('chats.us')}:
        </span>
        {message.direction === 'outbound' && isFirst && <Sender message={message} />}
        {message.group !== null && (
          <Text size="xs" className="quiet" component="div">
            {message.group.from.name ?? message.group.from.phone}
          </Text>
        )}
        <MessageOrigin message={message} />
        {message.reply_to !== null && <Quote id={message.reply_to} quoted={props.quoted} chat={chat} />}
        <MessageContent message={message} chat={chat} isSimulated={props.isSimulated} />
        {message.status !== 'scheduled' && <Meta message={message} />}
        {message.warnings.map(({ code }) => (
          <MessageWarning key={code} code={code} />
        ))}
        {message.status === 'failed' && <FailedMessage message={message} onTemplate={props.onTemplate} />}
        {message.status === 'scheduled' && <ScheduledMessage message={message} />}
        {reactions.length > 0 && (
          <span className="reactions" role="img" aria-label={say('message.reactions', { emoji: reactions.join(' ') })}>
            {reactions.join(' ')}
          </span>
        )}
      </div>
      <BubbleMenu message={message} chat={chat} onReply={props.onReply} isSimulated={props.isSimulated} />
    </div>
  )
}

/** When it was written, and how far it got. */
function Meta({ message }: { message: Message }) {
  const { say, language } = useText()
  return (
    <div className="bubble-meta">
      {message.order_id !== null && (
        <LinkText to="/orders/$id" params={{ id: message.order_id }} size="xs">
          {say('orders.one')}
        </LinkText>
      )}
      {message.edited_at !== null && (
        <span title={exactTime(message.edited_at, language)}>{say('message.edited')}</span>
      )}
      <time dateTime={message.created_at} title={exactTime(message.created_at, language)}>
        {clockTime(message.created_at, language)}
      </time>
      <Ticks status={message.status} />
    </div>
  )
}

/** Who of us wrote it. Nothing when it was the reader. */
function Sender({ message: { sender } }: { message: Message }) {
  const { say } = useText()
  const { data: session } = useQuery(sessionQuery)
  const team = useQuery(teamQuery)
  if (sender.type === 'contact' || sender.id === session?.person.id) return null
  const name = team.data?.members.find(({ id }) => id === sender.id)?.name
  return (
    <Text size="xs" className="quiet" component="div">
      {name ?? say(`message.sender.${sender.type}`)}
    </Text>
  )
}

function Quote({ id, quoted, chat }: { id: string; quoted: Message | undefined; chat: Chat }) {
  const { say } = useText()
  const fetched = useQuery({ ...messageQuery(id), enabled: quoted === undefined })
  const message = quoted ?? fetched.data
  const show = () => document.getElementById(id)?.scrollIntoView({ block: 'center', behavior: 'smooth' })
  return (
    <Button unstyled className="quote" onClick={show}>
      <strong>{message?.direction === 'inbound' ? nameOf(chat.contact) : say('chats.us')}</strong>
      <br />
      {message === undefined ? '…' : wordsOf(message, say)}
    </Button>
  )
}
