import { Text, UnstyledButton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import type { Chat } from '../api/chats.ts'
import { orderQuery } from '../api/orders.ts'
import { type SavedReply, savedRepliesQuery } from '../api/replies.ts'
import { may, sessionQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { LinkText } from '../ui/Links.tsx'
import { rupiah } from '../ui/Money.tsx'
import { fillReply, type ReplyVariable, type Slash, slashAt } from './reply-variables.ts'

type SlashProps = {
  chat: Chat
  field: RefObject<HTMLTextAreaElement | null>
  text: string
  onText: (text: string) => void
}

/** Saved replies by a slash: the list above the field, what the field says of it, and the keys that move in it. */
export function useSlashReplies({ chat, field, text, onText }: SlashProps) {
  const listId = useId()
  const slash = useSlash(field, text)
  const { replies, isPending } = useFound(slash.open?.word ?? null)
  const [index, setIndex] = useState(0)
  const [caret, setCaret] = useState<number | null>(null)
  const valuesOf = useReplyValues(chat)
  const word = slash.open?.word
  // biome-ignore lint/correctness/useExhaustiveDependencies: another word begins at the top.
  useEffect(() => setIndex(0), [word])
  useEffect(() => {
    if (caret === null) return
    field.current?.setSelectionRange(caret, caret)
    field.current?.focus()
    setCaret(null)
  }, [caret, field])
  const choose = async (reply: SavedReply) => {
    const { open } = slash
    if (open === null) return
    const filled = fillReply(reply.body, await valuesOf(reply.body))
    onText(text.slice(0, open.start) + filled + text.slice(open.end))
    setCaret(open.start + filled.length)
  }
  const onKey = (event: KeyboardEvent): boolean => {
    if (slash.open === null || event.nativeEvent.isComposing) return false
    const isTaken = moveBy(event, { count: replies.length, index, setIndex, onClose: slash.close })
    if (isTaken) return true
    if (event.key !== 'Enter' && event.key !== 'Tab') return false
    const chosen = replies[index]
    if (chosen !== undefined) void choose(chosen)
    // What is still being looked for is not sent as text.
    return chosen !== undefined || (event.key === 'Enter' && isPending)
  }
  const list =
    slash.open === null || isPending ? null : (
      <ReplyList id={listId} replies={replies} index={index} onChoose={choose} />
    )
  const isListed = list !== null && replies.length > 0
  return {
    list,
    onKey,
    attributes: isListed
      ? { 'aria-controls': listId, 'aria-activedescendant': `${listId}-${index}`, 'aria-autocomplete': 'list' as const }
      : {},
    insertSlash() {
      const at = field.current?.selectionStart ?? text.length
      const before = text.slice(0, at)
      const typed = before === '' || /\s$/.test(before) ? '/' : ' /'
      onText(before + typed + text.slice(at))
      setCaret(at + typed.length)
    },
  }
}

type Moving = { count: number; index: number; setIndex: (index: number) => void; onClose: () => void }

/** Whether the key was one that moves in the list or closes it. */
function moveBy(event: KeyboardEvent, { count, index, setIndex, onClose }: Moving): boolean {
  if (event.key === 'Escape') onClose()
  else if (event.key === 'ArrowDown' && count > 0) setIndex((index + 1) % count)
  else if (event.key === 'ArrowUp' && count > 0) setIndex((index + count - 1) % count)
  else return false
  return true
}

/** The slash before the caret, until it is closed; another one opens the list again. */
function useSlash(field: RefObject<HTMLTextAreaElement | null>, text: string) {
  const [closedAt, setClosedAt] = useState<number | null>(null)
  const found: Slash | null = slashAt(text, field.current?.selectionStart ?? text.length)
  const isClosed = found !== null && found.start === closedAt
  useEffect(() => {
    if (found === null) setClosedAt(null)
  }, [found])
  return { open: isClosed ? null : found, close: () => setClosedAt(found?.start ?? null) }
}

const SHOWN_MAX = 20

function useFound(word: string | null) {
  const all = useQuery(savedRepliesQuery(''))
  const isMore = all.data?.has_more === true && word !== null && word !== ''
  const some = useQuery({ ...savedRepliesQuery(word ?? ''), enabled: isMore })
  const { data, isPending } = isMore ? some : all
  const matching = (data?.data ?? []).filter(
    ({ shortcut, body }) => shortcut.includes(word ?? '') || body.toLowerCase().includes(word ?? ''),
  )
  // What begins with the word stands first.
  const rank = ({ shortcut }: SavedReply) => (shortcut.startsWith(word ?? '') ? 0 : 1)
  return { replies: matching.sort((one, other) => rank(one) - rank(other)).slice(0, SHOWN_MAX), isPending }
}

/** The values of this chat. The address of the payment page is asked for only where a reply contains it. */
function useReplyValues(chat: Chat) {
  const queries = useQueryClient()
  const { data: session } = useQuery(sessionQuery)
  return async (body: string): Promise<Partial<Record<ReplyVariable, string | null>>> => {
    const order = chat.open_order
    const isLinked = order !== null && body.includes('{{order_link}}') && may(session, 'orders:read')
    const link = isLinked
      ? await queries.fetchQuery(orderQuery(order.id)).then(
          ({ pay_url }) => pay_url,
          () => null,
        )
      : null
    return {
      customer_name: chat.contact.name,
      shop_name: session?.organization.name ?? null,
      order_number: order?.number ?? null,
      order_total: order?.total == null ? null : rupiah(order.total),
      order_link: link,
    }
  }
}

function ReplyList(props: {
  id: string
  replies: readonly SavedReply[]
  index: number
  onChoose: (reply: SavedReply) => void
}) {
  const say = useSay()
  const chosen = useRef<HTMLButtonElement>(null)
  const { index } = props
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the keys choose stays in view.
  useEffect(() => {
    chosen.current?.scrollIntoView({ block: 'nearest' })
  }, [index])
  if (props.replies.length === 0)
    return (
      <div className="slash-list">
        <Text size="sm" className="quiet" p={8}>
          {say('composer.noReplies')} <LinkText to="/replies">{say('replies.saved')}</LinkText>
        </Text>
      </div>
    )
  return (
    <div className="slash-list" role="listbox" id={props.id} aria-label={say('replies.saved')}>
      {props.replies.map((reply, nth) => (
        <UnstyledButton
          key={reply.id}
          id={`${props.id}-${nth}`}
          ref={nth === index ? chosen : undefined}
          role="option"
          tabIndex={-1}
          aria-selected={nth === index}
          className="slash-reply"
          // The field keeps the focus, and on a phone the keyboard stays.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => props.onChoose(reply)}
        >
          <strong>/{reply.shortcut}</strong>
          <span dir="auto">{reply.body}</span>
        </UnstyledButton>
      ))}
    </div>
  )
}
