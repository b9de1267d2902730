import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { FieldProblem, Problem } from '../api/problem.ts'
import { useSay } from '../text/text.tsx'
import { PasswordField } from '../ui/Fields.tsx'
import { Icon } from '../ui/Icon.tsx'
import { type Fate, type HeaderProblem, type HeaderRow, type HeadersDraft, rowsOf, withRow } from './delivery-draft.ts'
import { SecretFate } from './SecretFate.tsx'

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
