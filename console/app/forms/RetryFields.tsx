import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { type Say, useText } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { useEventFilters } from './EventPicker.tsx'
import {
  type DraftProblems,
  type EventWaits,
  isProblem,
  type RetryDraft,
  type RowProblem,
  readWaits,
  STANDARD_WAITS,
  spanText,
  type WaitsProblem,
} from './retry-draft.ts'

type Refused = (field: string) => string | undefined

/** What happens when a receiver fails: the standard, or waits of one's own, and others for some events. */
export function RetryFields(props: {
  draft: RetryDraft
  onChange: (draft: RetryDraft) => void
  /** Null until the first attempt to save. */
  problems: DraftProblems | null
  refused: Refused
}) {
  const { say, language } = useText()
  const { draft, onChange, problems, refused } = props
  const standard = { count: STANDARD_WAITS.length + 1, time: spanText(STANDARD_WAITS, language) }
  return (
    <Stack gap="sm">
      <Select
        label={say('retries.title')}
        data={[
          { value: 'standard', label: say('retries.standard', standard) },
          { value: 'own', label: say('retries.own') },
        ]}
        value={draft.isOwn ? 'own' : 'standard'}
        allowDeselect={false}
        onChange={(value) => onChange({ ...draft, isOwn: value === 'own' })}
      />
      {draft.isOwn && (
        <TextInput
          label={say('retries.waits')}
          description={say('retries.waitsHelp')}
          placeholder={say('retries.example')}
          value={draft.waits}
          onChange={(event) => onChange({ ...draft, waits: event.currentTarget.value })}
          error={problemText(problems?.waits, say) ?? refused('retry_delays_seconds')}
        />
      )}
      {draft.isOwn && <Outcome waits={draft.waits} />}
      <ByEvent
        rows={draft.byEvent}
        problems={problems?.rows}
        refused={refused}
        onChange={(byEvent) => onChange({ ...draft, byEvent })}
      />
    </Stack>
  )
}

function problemText(problem: WaitsProblem | null | undefined, say: Say): string | undefined {
  return problem ? say(`retries.problem.${problem.code}`, { piece: problem.piece }) : undefined
}

/** What the waits come to, while they are typed. */
function Outcome({ waits }: { waits: string }) {
  const { say, language } = useText()
  const read = readWaits(waits)
  if (isProblem(read)) return null
  return (
    <Text size="xs" className="quiet" role="status">
      {read.length === 0
        ? say('retries.once')
        : say('retries.outcome', { count: read.length + 1, time: spanText(read, language) })}
    </Text>
  )
}

function ByEvent(props: {
  rows: EventWaits[]
  problems: Map<number, RowProblem> | undefined
  refused: Refused
  onChange: (rows: EventWaits[]) => void
}) {
  const { say } = useText()
  const { rows, problems, refused, onChange } = props
  const filters = useEventFilters()
  const change = (key: number, part: Partial<EventWaits>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)))
  const add = () =>
    onChange([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, filter: null, waits: '' }])
  return (
    <Stack gap="sm" role="group" aria-label={say('retries.byEvent')}>
      {rows.map((row) => {
        const problem = problems?.get(row.key)
        return (
          <Stack key={row.key} gap={4}>
            <div className="waits-row">
              <Select
                aria-label={say('deliveries.type')}
                placeholder={say('deliveries.type')}
                data={[...new Set([...filters, ...(row.filter === null ? [] : [row.filter])])]}
                searchable
                value={row.filter}
                onChange={(filter) => change(row.key, { filter })}
                error={problem?.filter && say(`retries.event.${problem.filter}`)}
              />
              <TextInput
                aria-label={say('retries.waits')}
                placeholder={say('retries.example')}
                value={row.waits}
                onChange={(event) => change(row.key, { waits: event.currentTarget.value })}
                error={problemText(problem?.waits, say) ?? refused(`retry_delays_by_event/${row.filter}`)}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={say('retries.remove', { name: row.filter ?? '' })}
                onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
              >
                <Icon name="close" size={16} />
              </ActionIcon>
            </div>
            {row.filter !== null && <Outcome waits={row.waits} />}
          </Stack>
        )
      })}
      <Group>
        <Button size="compact-sm" variant="default" leftSection={<Icon name="plus" size={14} />} onClick={add}>
          {say('retries.add')}
        </Button>
      </Group>
    </Stack>
  )
}
