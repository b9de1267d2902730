import { Kbd, Modal, ScrollArea, Text, TextInput, useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useId, useState } from 'react'
import { call } from '../api/client.ts'
import type { Found } from '../api/generated.ts'
import { orderStatuses } from '../api/orders.ts'
import { may, type Right, type Session, sessionQuery } from '../api/session.ts'
import { type Say, useSay, useText } from '../text/text.tsx'
import { Icon, type IconName } from '../ui/Icon.tsx'
import { allowedGroups } from './navigation.ts'
import { leave } from './OtherTabs.tsx'

/** ⌘K: go to a page, do something, or find one thing by name, id, phone, order number, request id or email. */
type Entry = { key: string; icon: IconName; title: string; detail: string | null; run: () => void }

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
  const say = useSay()
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
      attributes={{ content: { 'aria-label': say('nav.search') } }}
    >
      <Search onDone={() => setOpen(false)} />
    </Modal>
  )
}

function Search({ onDone }: { onDone: () => void }) {
  const say = useSay()
  const listId = useId()
  const [words, setWords] = useState('')
  const [chosen, setChosen] = useState(0)
  const entries = useEntries(words)
  const go = (entry: Entry | undefined) => {
    if (entry === undefined) return
    onDone()
    entry.run()
  }
  const move = (step: number) => setChosen((now) => (now + step + entries.length) % Math.max(entries.length, 1))
  const idOf = (entry: Entry) => `${listId}-${entry.key}`
  const chosenEntry = entries[chosen]
  const chosenId = chosenEntry && idOf(chosenEntry)
  useEffect(() => {
    if (chosenId !== undefined) document.getElementById(chosenId)?.scrollIntoView({ block: 'nearest' })
  }, [chosenId])
  return (
    <>
      <TextInput
        data-autofocus
        size="md"
        variant="unstyled"
        px="md"
        placeholder={say('nav.search')}
        aria-label={say('nav.search')}
        role="combobox"
        aria-expanded={entries.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={chosenId}
        autoComplete="off"
        leftSection={<Icon name="search" />}
        value={words}
        onChange={(event) => {
          setWords(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') move(1)
          else if (event.key === 'ArrowUp') move(-1)
          else if (event.key === 'Enter') go(chosenEntry)
          else return
          event.preventDefault()
        }}
      />
      <ScrollArea.Autosize mah="50vh" type="auto" style={{ borderTop: '1px solid var(--line)' }}>
        <div role="listbox" id={listId} aria-label={say('nav.search')}>
          {entries.map((entry, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the field, which keeps the focus.
            <div
              role="option"
              tabIndex={-1}
              key={entry.key}
              id={idOf(entry)}
              aria-selected={index === chosen}
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
            </div>
          ))}
        </div>
        {entries.length === 0 && (
          <Text size="sm" className="quiet" p="md" role="status">
            {say('palette.nothing')}
          </Text>
        )}
      </ScrollArea.Autosize>
      <Text size="xs" className="quiet" px="md" py={6} style={{ borderTop: '1px solid var(--line)' }}>
        <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> <Kbd size="xs">Enter</Kbd> <Kbd size="xs">Esc</Kbd>
        {' · '}
        <Kbd size="xs">?</Kbd> {say('shortcuts.title')}
      </Text>
    </>
  )
}

/** What can be done from anywhere, for those who may. */
function useActions(session: Session | undefined): Entry[] {
  const { say, language, setLanguage } = useText()
  const navigate = useNavigate()
  const { toggleColorScheme } = useMantineColorScheme()
  const go = (path: string) => () => void navigate({ to: path })
  const actions: (Omit<Entry, 'key' | 'detail'> & { right?: Right })[] = [
    { title: say('orders.create'), icon: 'plus', run: go('/orders/new'), right: 'orders:write' },
    { title: say('chats.new'), icon: 'plus', run: go('/chats?create=chat'), right: 'messages:send' },
    { title: say('keys.create'), icon: 'plus', run: go('/keys?open=new'), right: 'keys:manage' },
    { title: say('webhooks.create'), icon: 'plus', run: go('/webhooks?open=new'), right: 'webhooks:write' },
    { title: say('palette.theme'), icon: 'sun', run: toggleColorScheme },
    { title: say('person.language'), icon: 'settings', run: () => setLanguage(language === 'en' ? 'id' : 'en') },
    { title: say('person.account'), icon: 'people', run: go('/account') },
    { title: say('person.signOut'), icon: 'people', run: leave },
  ]
  return actions
    .filter(({ right }) => right === undefined || may(session, right))
    .map((action, index) => ({ ...action, key: `action-${index}`, detail: null }))
}

function useEntries(words: string): Entry[] {
  const say = useSay()
  const navigate = useNavigate()
  const { data: session } = useQuery(sessionQuery)
  const actions = useActions(session)
  const wanted = words.trim()
  const [settled] = useDebouncedValue(wanted, 120)
  const found = useQuery({
    queryKey: ['search', settled],
    queryFn: ({ signal }) => call('GET /api/console/search', { query: { q: settled }, signal }),
    enabled: settled.length >= WORDS_MIN,
  })
  const go = (path: string) => () => void navigate({ to: path })
  const pages = allowedGroups(session)
    .flatMap((group) => group.items)
    .map((item) => ({ key: item.to, icon: item.icon, title: say(item.text), detail: null, run: go(item.to) }))
  const things = (found.data?.data ?? []).map((item) => ({
    key: item.id,
    icon: iconOf[item.type] ?? 'search',
    title: item.title,
    detail: detailOf(item, say),
    run: go(item.path),
  }))
  const isMeant = ({ title }: Entry) => title.toLowerCase().includes(wanted.toLowerCase())
  return [...(wanted.length >= WORDS_MIN ? things : []), ...[...pages, ...actions].filter(isMeant)]
}

const WORDS_MIN = 2

function detailOf({ detail, order_status }: Found, say: Say): string | null {
  const status = orderStatuses.find((one) => one === order_status)
  return status === undefined ? detail : [detail, say(`order.status.${status}`)].filter(Boolean).join(', ')
}
