import { ActionIcon, Drawer, Group, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useEffect } from 'react'
import { useSay } from '../text/text.tsx'
import { useFormGuard } from './form-guard.tsx'
import { Icon } from './Icon.tsx'

/** One row beside its list, or instead of it on a small screen. The URL names it; Esc closes it. */
export function Detail({
  title,
  isOpen,
  onClose,
  children,
}: {
  title: ReactNode
  isOpen: boolean
  onClose: () => void
  children: ReactNode
}) {
  const say = useSay()
  const isWide = useMediaQuery('(min-width: 1100px)') ?? true
  const { tryClose, watch } = useFormGuard(onClose)
  useOneScrollbar(isOpen && isWide)
  return (
    <Drawer
      opened={isOpen}
      onClose={() => isUnderDialog() || tryClose()}
      position="right"
      size={isWide ? 640 : '100%'}
      withCloseButton={false}
      withOverlay={!isWide}
      lockScroll={!isWide}
      trapFocus={!isWide}
      closeOnClickOutside={!isWide}
      transitionProps={{ duration: 0 }}
      padding="md"
      styles={{ content: { borderLeft: '1px solid var(--line)' } }}
      {...(typeof title === 'string' && { attributes: { content: { 'aria-label': title } } })}
    >
      <Group justify="space-between" align="flex-start" mb="md" wrap="nowrap">
        {/* Whole, however long: it may be the only place that tells an address or a name. */}
        <Text
          component="h2"
          ref={isWide ? takeFocus : undefined}
          tabIndex={-1}
          fw={600}
          size="lg"
          m={0}
          style={{ overflowWrap: 'anywhere', minWidth: 0, outline: 'none' }}
        >
          {title}
        </Text>
        <ActionIcon variant="subtle" color="gray" onClick={tryClose} aria-label={say('act.close')}>
          <Icon name="close" />
        </ActionIcon>
      </Group>
      {watch(children)}
    </Drawer>
  )
}

/** The list beside it can still be scrolled, but shows no scrollbar next to the one of the drawer. Nothing moves when it goes. */
function useOneScrollbar(isOn: boolean) {
  useEffect(() => {
    if (!isOn) return
    const { documentElement: page, body } = document
    const width = window.innerWidth - page.clientWidth
    page.style.scrollbarWidth = 'none'
    body.style.paddingRight = `${width}px`
    return () => {
      page.style.scrollbarWidth = ''
      body.style.paddingRight = ''
    }
  }, [isOn])
}

/**
 * Beside its list the pane traps no focus, but takes it, because a keyboard user would otherwise have to pass the whole list.
 * Closing it returns the focus to where it was.
 */
function takeFocus(title: HTMLElement | null) {
  const before = document.activeElement
  title?.focus({ preventScroll: true })
  return () => {
    const isInside = title?.closest('[role="dialog"]')?.contains(document.activeElement)
    if (isInside && before instanceof HTMLElement) before.focus({ preventScroll: true })
  }
}

/** A dialog that stands over it takes Esc for itself, and both hear the key. */
const isUnderDialog = (): boolean => document.querySelector('.mantine-Modal-content') !== null

export type Fact = [name: string, value: ReactNode]

/** Facts in two columns: what, and what it is. What is false does not apply. */
export const Facts = ({ facts }: { facts: (Fact | false)[] }) => (
  <dl className="facts">
    {facts
      .filter((fact) => fact !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
