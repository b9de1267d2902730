import { ActionIcon, Button, Collapse, Group, SegmentedControl, Title, Tooltip } from '@mantine/core'
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useRef, useState } from 'react'
import type { Chat } from '../api/chats.ts'
import { usePages } from '../api/pages.ts'
import { teamQuery } from '../api/people.ts'
import { sessionQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { Filters, type FilterValues } from '../ui/Filters.tsx'
import { Icon } from '../ui/Icon.tsx'
import { EmptyMessage, ProblemMessage } from '../ui/Message.tsx'
import { MoreRows } from '../ui/MoreRows.tsx'
import { ChatRow, SkeletonChats } from './ChatRow.tsx'
import { useLive } from './Live.tsx'

export type ChatFilters = { q?: string; unread?: string; status?: string; label?: string; assignee?: string }

/** Everybody who is talking to the organization, the liveliest first. */
export function ChatList({
  filters,
  chosenId,
  onFilter,
  onCreate,
}: {
  filters: ChatFilters
  chosenId: string | undefined
  onFilter: (values: FilterValues) => void
  onCreate: () => void
}) {
  const say = useSay()
  const rows = useRef<HTMLDivElement>(null)
  const chats = usePages<Chat>('/api/proxy/chats', filters)
  const news = useNews(rows, chats.refetch)
  useMoving(chats.items, chosenId)
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <section className="chat-list" aria-label={say('nav.chats')}>
      <div className="chat-tools">
        <Group justify="space-between" mb="sm">
          <Title order={1}>{say('nav.chats')}</Title>
          <Tooltip label={say('chats.new')}>
            <ActionIcon variant="default" size="lg" aria-label={say('chats.new')} onClick={onCreate}>
              <Icon name="plus" />
            </ActionIcon>
          </Tooltip>
        </Group>
        <ChatTools filters={filters} onFilter={onFilter} />
      </div>
      <div className="chat-rows" ref={rows}>
        <ProblemMessage error={chats.error} onRetry={() => chats.refetch()} />
        {news.count > 0 && (
          <Button fullWidth variant="light" radius={0} size="xs" onClick={news.show}>
            {say('list.new', { count: news.count })}
          </Button>
        )}
        {chats.items === undefined && chats.error === null && <SkeletonChats />}
        {chats.items?.map((chat) => (
          <ChatRow key={chat.id} chat={chat} isChosen={chat.id === chosenId} />
        ))}
        {chats.items?.length === 0 && (
          <div style={{ padding: '0 14px' }}>
            {isFiltered ? (
              <EmptyMessage title={say('list.noMatch')} />
            ) : (
              <EmptyMessage title={say('chats.empty')} detail={say('chats.emptyHelp')}>
                <Button onClick={onCreate}>{say('chats.new')}</Button>
              </EmptyMessage>
            )}
          </div>
        )}
        <MoreRows hasMore={chats.hasNextPage} isLoading={chats.isFetchingNextPage} onMore={chats.fetchNextPage} />
      </div>
    </section>
  )
}

function ChatTools({ filters, onFilter }: { filters: ChatFilters; onFilter: (values: FilterValues) => void }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const team = useQuery(teamQuery)
  const isAnySet = [filters.status, filters.label, filters.assignee].some((value) => value !== undefined)
  const [isOpen, setOpen] = useState(isAnySet)
  const mine = session?.person.email
  const kind = filters.unread === 'true' ? 'unread' : mine !== undefined && filters.assignee === mine ? 'mine' : 'all'
  const choose = (next: string) =>
    onFilter({
      ...filters,
      unread: next === 'unread' ? 'true' : undefined,
      assignee: next === 'mine' ? mine : kind === 'mine' ? undefined : filters.assignee,
    })
  return (
    <>
      <Filters
        values={filters}
        onChange={onFilter}
        filters={[{ name: 'q', label: say('chats.search'), kind: 'text', width: 290 }]}
      />
      <Group gap="sm" wrap="nowrap">
        <SegmentedControl
          size="xs"
          flex={1}
          aria-label={say('chats.which')}
          value={kind}
          onChange={choose}
          data={(['all', 'unread', 'mine'] as const).map((value) => ({ value, label: say(`chats.which.${value}`) }))}
        />
        <Tooltip label={say('chats.filters')}>
          <ActionIcon
            variant={isAnySet ? 'light' : 'default'}
            size="lg"
            aria-label={say('chats.filters')}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name="filter" />
          </ActionIcon>
        </Tooltip>
      </Group>
      <Collapse expanded={isOpen} mt="sm">
        <Filters
          values={filters}
          onChange={onFilter}
          filters={[
            {
              name: 'status',
              label: say('list.state'),
              kind: 'choice',
              choices: (['open', 'closed'] as const).map((value) => ({ value, label: say(`chats.status.${value}`) })),
              width: 140,
            },
            { name: 'label', label: say('chats.label'), kind: 'text', width: 140 },
            {
              name: 'assignee',
              label: say('chats.assignee'),
              kind: 'choice',
              choices: (team.data?.members ?? []).map(({ name, email }) => ({ value: email, label: name })),
              width: 290,
            },
          ]}
        />
      </Collapse>
    </>
  )
}

/** News come in bursts: one look answers all of them. */
const TOGETHER_MS = 60

/** New things come by themselves, unless they would move rows under the pointer: then they are counted and offered. */
function useNews(rows: React.RefObject<HTMLElement | null>, refetch: () => unknown) {
  const [count, setCount] = useState(0)
  const refetchSoon = useDebouncedCallback(refetch, TOGETHER_MS)
  const show = useCallback(() => {
    setCount(0)
    refetchSoon()
  }, [refetchSoon])
  useLive(
    'event',
    useCallback(
      ({ type = '' }) => {
        if (!type.startsWith('message.') && !type.startsWith('chat.')) return
        const isPointedAt = matchMedia('(hover: hover)').matches && rows.current?.matches(':hover') === true
        if (!isPointedAt) show()
        else if (type === 'message.received') setCount((now) => now + 1)
      },
      [rows, show],
    ),
  )
  return { count, show }
}

function useMoving(chats: readonly Chat[] | undefined, chosenId: string | undefined) {
  const navigate = useNavigate({ from: '/chats' })
  const move = (step: number) => {
    if (chats === undefined || chats.length === 0) return
    const now = chats.findIndex(({ id }) => id === chosenId)
    const next = chats[Math.min(Math.max(now + step, 0), chats.length - 1)]
    if (next !== undefined) navigate({ search: (before) => ({ ...before, open: next.id }) })
  }
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
  ])
}
