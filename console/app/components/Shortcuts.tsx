import { Group, Kbd, Modal, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { sessionQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { allowedGroups } from './navigation.ts'

/** How long the second key of `g h` may take. */
const SECOND_KEY_MS = 1500

/** After `g`, by the address of the page. */
const letters: Partial<Record<string, string>> = {
  '/': 'h',
  '/chats': 'c',
  '/orders': 'o',
  '/payment-links': 'y',
  '/replies': 'r',
  '/templates': 'm',
  '/books': 'f',
  '/broadcasts': 'b',
  '/products': 'p',
  '/customers': 'u',
  '/approvals': 'a',
  '/keys': 'k',
  '/webhooks': 'w',
  '/deliveries': 'd',
  '/logs': 'l',
  '/events': 'e',
  '/explorer': 'x',
  '/people': 't',
  '/agents': 'i',
  '/settings': 's',
  '/audit': 'j',
}

/** Keys that a field, a dialog or the browser has a use for are left to it. */
const isTaken = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof HTMLElement && (target.isContentEditable || target.closest('input, textarea, select') !== null)) ||
  document.querySelector('[role="dialog"]') !== null

/** The keys that work on every page: `g` and a letter goes to a page, `?` shows the map of all keys. */
export function Shortcuts({ isOpen, setOpen }: { isOpen: boolean; setOpen(isOpen: boolean): void }) {
  const say = useSay()
  const navigate = useNavigate()
  const { data: session } = useQuery(sessionQuery)
  const pages = allowedGroups(session).flatMap(({ items }) =>
    items.flatMap(({ to, text }) => (letters[to] === undefined ? [] : [{ to, text, letter: letters[to] }])),
  )
  const latest = useRef({ pages, setOpen, navigate })
  latest.current = { pages, setOpen, navigate }
  useEffect(() => {
    // Moments count from the load of the page, so 0 would be a moment ago.
    let goneAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if (isTaken(event)) return
      const isSecond = event.timeStamp - goneAt < SECOND_KEY_MS
      goneAt = event.key === 'g' && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY
      const page = isSecond ? latest.current.pages.find(({ letter }) => letter === event.key) : undefined
      if (page !== undefined) void latest.current.navigate({ to: page.to })
      else if (event.key === '?') latest.current.setOpen(true)
      else return
      // Lists have keys of their own, such as k.
      event.preventDefault()
      event.stopPropagation()
    }
    window.addEventListener('keydown', onKey, { capture: true })
    return () => window.removeEventListener('keydown', onKey, { capture: true })
  }, [])
  return (
    <Modal
      opened={isOpen}
      onClose={() => setOpen(false)}
      title={say('shortcuts.title')}
      size="lg"
      closeButtonProps={{ 'aria-label': say('act.close') }}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
        <Stack gap="lg">
          <Keys title={say('shortcuts.everywhere')}>
            <Line text={say('nav.search')} keys={[isApple() ? '⌘' : 'Ctrl', 'K']} />
            <Line text={say('shortcuts.filter')} keys={['/']} />
            <Line text={say('shortcuts.map')} keys={['?']} />
            <Line text={say('shortcuts.close')} keys={['Esc']} />
          </Keys>
          <Keys title={say('shortcuts.lists')}>
            <Line text={say('shortcuts.next')} keys={['j']} />
            <Line text={say('shortcuts.previous')} keys={['k']} />
            <Line text={say('shortcuts.open')} keys={['Enter']} />
          </Keys>
          <Keys title={say('shortcuts.writing')}>
            <Line text={say('shortcuts.send')} keys={['Enter']} />
            <Line text={say('shortcuts.line')} keys={['Shift', 'Enter']} />
          </Keys>
        </Stack>
        <Keys title={say('shortcuts.goTo')}>
          {pages.map(({ to, text, letter }) => (
            <Line key={to} text={say(text)} keys={['g', letter]} />
          ))}
        </Keys>
      </SimpleGrid>
    </Modal>
  )
}

const isApple = () => /Mac|iPhone|iPad/.test(navigator.platform)

const Keys = ({ title, children }: { title: string; children: ReactNode }) => (
  <Stack gap={6}>
    <Title order={3} size="sm">
      {title}
    </Title>
    {children}
  </Stack>
)

const Line = ({ text, keys }: { text: string; keys: string[] }) => (
  <Group justify="space-between" wrap="nowrap">
    <Text size="sm">{text}</Text>
    <Group gap={4} wrap="nowrap">
      {keys.map((key) => (
        <Kbd key={key} size="xs">
          {key}
        </Kbd>
      ))}
    </Group>
  </Group>
)
