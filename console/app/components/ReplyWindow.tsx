import type { Chat } from '../api/chats.ts'
import { useText } from '../text/text.tsx'
import { remainingText, useNow } from '../ui/Countdown.tsx'
import { exactTime } from '../ui/Time.tsx'

const HOUR_MS = 3600 * 1000

/** Whether only a template reaches the customer. The clock goes on here between two looks at the server. */
export function useIsWindowClosed({ reply_window }: Pick<Chat, 'reply_window'>): boolean {
  const nowMs = useNow(5000)
  if (reply_window.state === 'unlimited') return false
  return reply_window.closes_at === null || Date.parse(reply_window.closes_at) <= nowMs
}

export function ReplyWindow({ chat }: { chat: Chat }) {
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
