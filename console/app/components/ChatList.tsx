import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core'
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useRef } from 'react'
import type { Chat } from '../api/chats.ts'
import { useNews, usePages } from '../api/pages.ts'
import { useSay } from '../text/text.tsx'
import type { FilterValues } from '../ui/Filters.tsx'
import { Icon } from '../ui/Icon.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { MoreRows, NewsButton } from '../ui/MoreRows.tsx'
import { useRowsInSteps } from '../ui/rows-in-steps.ts'
import { ChatRow, SkeletonChats } from './ChatRow.tsx'
import { type ChatFilters, ChatTools } from './ChatTools.tsx'
import { useLive, useMissed } from './Live.tsx'
import { MessageHits } from './MessageHits.tsx'

/** All chats of the organization, the most recently active first. */
export function ChatList({
  filters,
  chosenId,
  onFilter,
  onCreate,
}: {
  filters: ChatFilters
  chosenId: string | undefined
  onFilter: (values: FilterValues) => void
  /** Null for who may only look. */
  onCreate: (() => void) | null
}) {
  const say = useSay()
  return (
    <section className="chat-list" aria-label={say('nav.chats')}>
      <div className="chat-tools">
        <Group justify="space-between" mb="sm">
          <Text fz={20} fw={600}>
            {say('nav.chats')}
          </Text>
          {onCreate !== null && (
            <Tooltip label={say('chats.new')}>
              <ActionIcon variant="default" size="lg" aria-label={say('chats.new')} onClick={onCreate}>
                <Icon name="plus" />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
        <ChatTools filters={filters} onFilter={onFilter} />
      </div>
      <ChatRows filters={filters} chosenId={chosenId} onCreate={onCreate} />
    </section>
  )
}

function ChatRows(props: { filters: ChatFilters; chosenId: string | undefined; onCreate: (() => void) | null }) {
  const say = useSay()
  const { filters, chosenId, onCreate } = props
  const rows = useRef<HTMLDivElement>(null)
  const chats = usePages('/api/proxy/chats', filters)
  const drawn = useRowsInSteps(chats.items)
  const news = useNews(chats, hasWritten)
  useLiveList(rows, { refetch: chats.refetch, ...news })
  useMoving(chats.items, chosenId)
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <>
      {news.hasAny && <NewsButton count={news.count} onShow={news.show} />}
      <div className="chat-rows" ref={rows}>
        <ProblemMessage error={chats.error} onRetry={() => chats.refetch()} />
        {chats.items === undefined && chats.error === null && <SkeletonChats />}
        {drawn?.map((chat) => (
          <ChatRow key={chat.id} chat={chat} isChosen={chat.id === chosenId} />
        ))}
        {chats.items?.length === 0 && (
          <div style={{ padding: '0 14px' }}>
            {isFiltered ? (
              <EmptyMessage title={say('list.noMatch')} />
            ) : (
              <EmptyMessage
                picture="chat"
                guide="send-a-message"
                title={say('chats.empty')}
                detail={say('chats.emptyHelp')}
              >
                {onCreate !== null && <Button onClick={onCreate}>{say('chats.new')}</Button>}
              </EmptyMessage>
            )}
          </div>
        )}
        <MoreRows pages={chats} />
        {filters.q !== undefined && <MessageHits q={filters.q} chats={chats.items ?? []} />}
      </div>
    </>
  )
}

/** News come in bursts: one look answers all of them. */
const TOGETHER_MS = 60

type News = { hasAny: boolean; refetch: () => unknown; look: () => unknown; show: () => unknown }

/** The list is read again, unless that would move rows under the pointer: then they are updated where they are, and new ones offered. */
function useLiveList(rows: React.RefObject<HTMLElement | null>, { hasAny, refetch, look, show }: News) {
  const update = useDebouncedCallback(() => {
    const isPointedAt = matchMedia('(hover: hover)').matches && rows.current?.matches(':hover') === true
    if (isPointedAt) look()
    else if (hasAny) show()
    else refetch()
  }, TOGETHER_MS)
  useLive(
    'event',
    useCallback(
      ({ type = '' }) => {
        if (/^(message|chat|contact|order)\./.test(type)) update()
      },
      [update],
    ),
  )
  useMissed(update)
}

/** A chat is new to the reader when its customer has the last word, and it is another than before. */
const hasWritten = ({ last_message }: Chat, shown: Chat | undefined) =>
  last_message?.direction === 'inbound' && last_message.id !== shown?.last_message?.id

function useMoving(chats: readonly Chat[] | undefined, chosenId: string | undefined) {
  const navigate = useNavigate({ from: '/chats' })
  const move = (step: number) => {
    if (chats === undefined || chats.length === 0) return
    const now = chats.findIndex(({ id }) => id === chosenId)
    const next = chats[Math.min(Math.max(now + step, 0), chats.length - 1)]
    if (next !== undefined) navigate({ search: (before) => ({ ...before, open: next.id, message: undefined }) })
  }
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
  ])
}
