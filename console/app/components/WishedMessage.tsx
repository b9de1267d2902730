import type { ChannelTemplate } from '../api/chats.ts'
import type { Message } from '../api/messages.ts'
import { MessageContent } from './MessageContent.tsx'
import { TemplateMessage } from './TemplateView.tsx'
import { hasLook } from './wished-message.ts'

type WishedProps = { message: Message; definition: ChannelTemplate | null }

/** What would reach the customer, or no longer would: its exact words, or how it would look. */
export function WishedMessage({ message, definition }: WishedProps) {
  if (hasLook(message, definition))
    return (
      <blockquote className="wish-words wish-look">
        {message.type === 'template' ? (
          <TemplateMessage message={message} definition={definition} />
        ) : (
          <MessageContent message={message} chat={null} isSimulated={false} />
        )}
      </blockquote>
    )
  return message.body !== null && <blockquote className="wish-words">{message.body}</blockquote>
}
