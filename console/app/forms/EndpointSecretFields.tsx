import { ActionIcon, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type ReactNode, useId, useRef } from 'react'
import type { FieldProblem, Problem } from '../api/problem.ts'
import type { Endpoint } from '../api/webhooks.ts'
import { type Say, type TextKey, useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'
import {
  type Fate,
  type HeaderProblem,
  type HeaderRow,
  type HeadersDraft,
  rowsOf,
  TLS_PARTS,
  type TlsDraft,
  withRow,
} from './endpoint-draft.ts'

/** Headers that are sent along. Their names are shown and their values are not, so all are given anew or none. */
export function HeaderFields(props: {
  /** Those that are set. */
  names: string[]
  draft: HeadersDraft
  onChange: (draft: HeadersDraft) => void
  problems: Map<number, HeaderProblem> | undefined
  refusal: Problem | null
}) {
  const say = useSay()
  const { names, draft, onChange, problems, refusal } = props
  const setRows = (rows: HeaderRow[]) => onChange({ ...draft, rows })
  const turn = (fate: Fate) => onChange({ fate, rows: names.length === 0 ? withRow([]) : rowsOf(names) })
  const takeOut = (row: HeaderRow) => {
    if (draft.rows.length === 1) turn(names.length === 0 ? 'kept' : 'removed')
    else setRows(draft.rows.filter(({ key }) => key !== row.key))
  }
  return (
    <SecretFate kind="headers" held={names.join(', ') || null} fate={draft.fate} onFate={turn}>
      <Stack gap="xs">
        {draft.rows.map((row) => (
          <Row
            key={row.key}
            row={row}
            problem={problems?.get(row.key)}
            refused={refusedOf(refusal, row)}
            onChange={(part) => setRows(draft.rows.map((one) => (one.key === row.key ? { ...one, ...part } : one)))}
            onRemove={() => takeOut(row)}
          />
        ))}
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => setRows(withRow(draft.rows))}
          >
            {say('delivery.header.add')}
          </Button>
        </Group>
        {refusal?.at('custom_headers') && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {refusal.at('custom_headers')}
          </Text>
        )}
      </Stack>
    </SecretFate>
  )
}

function Row(props: {
  row: HeaderRow
  problem: HeaderProblem | undefined
  refused: FieldProblem | undefined
  onChange: (part: Partial<HeaderRow>) => void
  onRemove: () => void
}) {
  const say = useSay()
  const { row, problem, refused, onChange } = props
  const isAboutName = refused?.code.startsWith('header_name') === true
  return (
    <div className="waits-row">
      <TextInput
        aria-label={say('delivery.header.name')}
        placeholder={say('delivery.header.name')}
        autoComplete="off"
        value={row.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={(problem?.name && say(`delivery.header.${problem.name}`)) ?? (isAboutName && refused?.detail)}
      />
      <PasswordField
        aria-label={say('delivery.header.value')}
        placeholder={say('delivery.header.value')}
        autoComplete="new-password"
        value={row.value}
        onChange={(event) => onChange({ value: event.currentTarget.value })}
        error={(problem?.value && say('delivery.header.valueRequired')) ?? (!isAboutName && refused?.detail)}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={say('delivery.header.remove', { name: row.name })}
        onClick={props.onRemove}
      >
        <Icon name="close" size={16} />
      </ActionIcon>
    </div>
  )
}

/** A name may hold what a pointer has signs of its own for. */
const refusedOf = (refusal: Problem | null, { name }: HeaderRow): FieldProblem | undefined => {
  const pointer = `#/custom_headers/${name.trim().replaceAll('~', '~0').replaceAll('/', '~1')}`
  return refusal?.fields.find((problem) => problem.pointer === pointer)
}

const PRESENT = ['ca', 'client_certificate'] as const

/** What TLS material is there, in words. */
export function useTlsWords(): (tls: Endpoint['tls'] | undefined) => string | null {
  const say = useSay()
  return (tls) =>
    PRESENT.filter((part) => tls?.[part])
      .map((part) => say(`delivery.tls.${part}`))
      .join(', ') || null
}

/** Authorities to trust, and who we are to the receiver. What is set is replaced as a whole. */
export function TlsFields(props: {
  set: Endpoint['tls'] | undefined
  draft: TlsDraft
  onChange: (draft: TlsDraft) => void
  refusal: Problem | null
}) {
  const say = useSay()
  const { draft, onChange, refusal } = props
  const held = useTlsWords()(props.set)
  const turn = (fate: Fate) => onChange({ fate, ca: '', client_certificate: '', client_key: '' })
  return (
    <SecretFate kind="tls" held={held} fate={draft.fate} onFate={turn}>
      <Stack gap="xs">
        {TLS_PARTS.map((part) => (
          <Textarea
            key={part}
            label={say(`delivery.tls.${part}`)}
            placeholder={`-----BEGIN ${part === 'client_key' ? 'PRIVATE KEY' : 'CERTIFICATE'}-----`}
            rows={3}
            autoComplete="off"
            spellCheck={false}
            classNames={{ input: 'mono' }}
            value={draft[part]}
            onChange={(event) => onChange({ ...draft, [part]: event.currentTarget.value })}
            error={refusal?.at(`tls.${part}`)}
          />
        ))}
        {refusal?.at('tls') && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {refusal.at('tls')}
          </Text>
        )}
      </Stack>
    </SecretFate>
  )
}

type Standing = {
  kind: 'headers' | 'tls'
  /** What is set, in words; null where nothing is. */
  held: string | null
  fate: Fate
}

const SMALL = { size: 'compact-sm', variant: 'default' }

/** Something secret that is set or not: what is set is left alone, given anew, or taken away. Its value is never shown. */
function SecretFate(props: Standing & { onFate: (fate: Fate) => void; children: ReactNode }) {
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
