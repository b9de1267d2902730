import { Kbd, Modal, ScrollArea, Text, TextInput } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { consoleApi } from '../api/client.ts'
import type { OrderStatus } from '../api/orders.ts'
import { sessionQuery } from '../api/session.ts'
import { type Say, useSay } from '../text/text.tsx'
import { Icon, type IconName } from '../ui/Icon.tsx'
import { allowedGroups } from './navigation.ts'

/** ⌘K: go to a page, or find one thing by id, phone, order number, request id or e-mail. */
type Found = {
  type: string
  id: string
  title: string
  detail: string | null
  order_status?: OrderStatus
  path: string
}
type Entry = { key: string; icon: IconName; title: string; detail: string | null; path: string }

const iconOf: Record<string, IconName> = {
  chat: 'chat',
  message: 'chat',
  contact: 'people',
  order: 'order',
  payment: 'order',
  request: 'log',
  event: 'event',
  delivery: 'delivery',
  endpoint: 'webhook',
  key: 'key',
  agent: 'agent',
  approval: 'approval',
  person: 'people',
}

export function CommandPalette({ isOpen, setOpen }: { isOpen: boolean; setOpen(isOpen: boolean): void }) {
  useHotkeys([['mod+K', () => setOpen(true)]], [], true)
  return (
    <Modal
      opened={isOpen}
      onClose={() => setOpen(false)}
      withCloseButton={false}
      size="lg"
      padding={0}
      yOffset="12vh"
      transitionProps={{ duration: 0 }}
    >
      <Search onDone={() => setOpen(false)} />
    </Modal>
  )
}

function Search({ onDone }: { onDone: () => void }) {
  const say = useSay()
  const navigate = useNavigate()
  const [words, setWords] = useState('')
  const [chosen, setChosen] = useState(0)
  const entries = useEntries(words)
  const go = (entry: Entry | undefined) => {
    if (entry === undefined) return
    onDone()
    navigate({ to: entry.path })
  }
  const move = (step: number) => setChosen((now) => (now + step + entries.length) % Math.max(entries.length, 1))
  return (
    <>
      <TextInput
        data-autofocus
        size="md"
        variant="unstyled"
        px="md"
        placeholder={say('nav.search')}
        aria-label={say('nav.search')}
        leftSection={<Icon name="search" />}
        value={words}
        onChange={(event) => {
          setWords(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') move(1)
          if (event.key === 'ArrowUp') move(-1)
          if (event.key === 'Enter') go(entries[chosen])
        }}
      />
      <ScrollArea.Autosize mah="50vh" type="auto" style={{ borderTop: '1px solid var(--line)' }}>
        {entries.map((entry, index) => (
          <button
            type="button"
            key={entry.key}
            className="found"
            data-chosen={index === chosen || undefined}
            onClick={() => go(entry)}
            onMouseMove={() => setChosen(index)}
          >
            <Icon name={entry.icon} />
            <Text size="sm" truncate>
              {entry.title}
            </Text>
            <Text size="xs" className="quiet" truncate ml="auto">
              {entry.detail}
            </Text>
          </button>
        ))}
        {entries.length === 0 && (
          <Text size="sm" className="quiet" p="md">
            {say('list.noMatch')}
          </Text>
        )}
      </ScrollArea.Autosize>
      <Text size="xs" className="quiet" px="md" py={6} style={{ borderTop: '1px solid var(--line)' }}>
        <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> <Kbd size="xs">Enter</Kbd> <Kbd size="xs">Esc</Kbd>
      </Text>
    </>
  )
}

function useEntries(words: string): Entry[] {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const [settled] = useDebouncedValue(words.trim(), 120)
  const found = useQuery({
    queryKey: ['search', settled],
    queryFn: ({ signal }) => consoleApi.get<{ data: Found[] }>('/search', { q: settled }, signal),
    enabled: settled.length >= 3,
  })
  return useMemo(() => {
    const pages = allowedGroups(session)
      .flatMap((group) => group.items)
      .map((item) => ({ key: item.to, icon: item.icon, title: say(item.text), detail: null, path: item.to }))
      .filter((item) => item.title.toLowerCase().includes(words.trim().toLowerCase()))
    const things = (found.data?.data ?? []).map((item) => ({
      key: item.id,
      icon: iconOf[item.type] ?? 'search',
      title: item.title,
      detail: detailOf(item, say),
      path: item.path,
    }))
    return [...things, ...pages]
  }, [words, found.data, session, say])
}

const detailOf = ({ detail, order_status }: Found, say: Say): string | null =>
  order_status === undefined ? detail : [detail, say(`order.status.${order_status}`)].filter(Boolean).join(', ')
