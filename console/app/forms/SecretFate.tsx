import { Button, Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useId, useRef } from 'react'
import { type Say, type TextKey, useSay } from '../text/text.tsx'
import type { Fate } from './delivery-draft.ts'

type Standing = {
  kind: 'headers' | 'tls'
  /** What is set, in words; null where nothing is. */
  held: string | null
  fate: Fate
}

const SMALL = { size: 'compact-sm', variant: 'default' }

/** Something secret that is set or not: what is set is left alone, given anew, or taken away. Its value is never shown. */
export function SecretFate(props: Standing & { onFate: (fate: Fate) => void; children: ReactNode }) {
  const say = useSay()
  const id = useId()
  const turn = useRef<HTMLButtonElement>(null)
  const { kind, held, fate, onFate } = props
  return (
    <Stack gap="xs" role="group" aria-labelledby={id}>
      <div>
        <Text id={id} size="sm" fw={600}>
          {say(`delivery.${kind}`)}
        </Text>
        <Text size="xs" className="quiet">
          {say(`delivery.${kind}.help`)}
        </Text>
      </div>
      <Text size="sm" role="status">
        {standing(props, say)}
      </Text>
      <Group gap="sm">
        {/* The same button in both ways, so that the focus stays on it. */}
        <Button {...SMALL} ref={turn} onClick={() => onFate(fate === 'kept' ? 'replaced' : 'kept')}>
          {say(turnWord(props))}
        </Button>
        {fate === 'kept' && held !== null && (
          <Button
            {...SMALL}
            onClick={() => {
              turn.current?.focus()
              onFate('removed')
            }}
          >
            {say(`delivery.${kind}.remove`)}
          </Button>
        )}
      </Group>
      {fate === 'replaced' && props.children}
    </Stack>
  )
}

function standing({ kind, held, fate }: Standing, say: Say): string {
  if (fate === 'removed') return say('delivery.removed', { what: held ?? '' })
  if (held === null) return fate === 'kept' ? say(`delivery.${kind}.unset`) : ''
  return fate === 'kept' ? say('delivery.set', { what: held }) : say(`delivery.${kind}.together`)
}

function turnWord({ kind, held, fate }: Standing): TextKey {
  if (fate !== 'kept') return held === null ? 'delivery.none' : `delivery.${kind}.keep`
  return held === null ? `delivery.${kind}.add` : `delivery.${kind}.replace`
}
