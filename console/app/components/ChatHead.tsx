import { ActionIcon, Button, Text, UnstyledButton } from '@mantine/core'
import { type Chat, nameOf } from '../api/chats.ts'
import { useSay, useText } from '../text/text.tsx'
import { Face } from '../ui/Face.tsx'
import { Icon } from '../ui/Icon.tsx'
import { exactTime, remainingText, useNow } from '../ui/Time.tsx'

/** Who it is, on which number, and how long they can be answered freely. */
export function ChatHead({
  chat,
  onBack,
  onPerson,
  onOrder,
}: {
  chat: Chat
  onBack: () => void
  onPerson: () => void
  onOrder?: () => void
}) {
  const say = useSay()
  return (
    <header className="thread-head">
      <ActionIcon hiddenFrom="sm" variant="subtle" color="gray" size="xl" aria-label={say('act.back')} onClick={onBack}>
        <Icon name="back" size={22} />
      </ActionIcon>
      <Face name={chat.contact.name} seed={chat.contact.id} radius="50%" size={36} visibleFrom="sm" />
      <div style={{ minWidth: 0, flex: 1 }}>
        <Text component="h2" size="md" fw={600} m={0} truncate dir="auto" ta="left">
          {nameOf(chat.contact)}
        </Text>
        <Text size="xs" className="quiet" component="div" truncate>
          <ReplyWindow chat={chat} />
        </Text>
      </div>
      {onOrder !== undefined && (
        <>
          <Button visibleFrom="sm" variant="default" leftSection={<Icon name="order" size={16} />} onClick={onOrder}>
            {say('chats.order')}
          </Button>
          <ActionIcon
            hiddenFrom="sm"
            variant="subtle"
            color="gray"
            size="xl"
            aria-label={say('orders.create')}
            onClick={onOrder}
          >
            <Icon name="order" size={22} />
          </ActionIcon>
        </>
      )}
      <UnstyledButton className="only-narrow" p={8} aria-label={say('chats.person')} onClick={onPerson}>
        <Icon name="people" size={22} />
      </UnstyledButton>
    </header>
  )
}

const HOUR_MS = 3600 * 1000

/** Whether only a template reaches the customer. The clock goes on here between two looks at the server. */
export function useIsWindowClosed({ reply_window }: Pick<Chat, 'reply_window'>): boolean {
  const nowMs = useNow(5000)
  if (reply_window.state === 'unlimited') return false
  return reply_window.closes_at === null || Date.parse(reply_window.closes_at) <= nowMs
}

function ReplyWindow({ chat }: { chat: Chat }) {
  const { say, language } = useText()
  const nowMs = useNow(1000)
  const { state, closes_at } = chat.reply_window
  if (state === 'unlimited') return <span>{chat.contact.phone ?? chat.number.display_phone}</span>
  const leftMs = closes_at === null ? 0 : Date.parse(closes_at) - nowMs
  if (closes_at === null || leftMs <= 0) return <span>{say('chats.windowClosed')}</span>
  return (
    <span
      className="figures"
      title={exactTime(closes_at, language)}
      style={leftMs < HOUR_MS ? { color: 'var(--waiting)' } : undefined}
    >
      {say('chats.windowOpen', { time: remainingText(leftMs, language) })}
    </span>
  )
}
