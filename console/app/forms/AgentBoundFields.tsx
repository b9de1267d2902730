import { MultiSelect, NumberInput, SimpleGrid, Stack, Switch, TagsInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Limits } from '../api/agents.ts'
import { labelsQuery } from '../api/chats.ts'
import { numbersQuery } from '../api/settings.ts'
import { useSay } from '../text/text.tsx'
import { MoneyField } from '../ui/MoneyField.tsx'
import type { AgentDraft } from './agent-draft.ts'

type Refused = (field: string) => string | undefined
const COUNT = { allowNegative: false, allowDecimal: false, hideControls: true, inputMode: 'numeric' } as const

/** Which conversations and orders exist for it at all. Empty is no bound. */
export function AgentReachFields(props: {
  draft: AgentDraft
  onChange: (change: Partial<AgentDraft>) => void
  refused: Refused
}) {
  const say = useSay()
  const { draft, onChange, refused } = props
  const numbers = useQuery(numbersQuery)
  const labels = useQuery(labelsQuery)
  const known = (numbers.data?.data ?? []).map(({ id, name, display_phone }) => ({
    value: id,
    label: `${name} · ${display_phone}`,
  }))
  const gone = draft.numbers.filter((id) => !known.some(({ value }) => value === id))
  return (
    <Stack gap="md">
      <MultiSelect
        label={say('agents.numbers')}
        placeholder={draft.numbers.length === 0 ? say('agents.allNumbers') : ''}
        data={[...known, ...gone.map((id) => ({ value: id, label: id }))]}
        value={draft.numbers}
        onChange={(chosen) => onChange({ numbers: chosen })}
        error={refused('reach/numbers')}
      />
      <TagsInput
        label={say('agents.labels')}
        description={say('agents.labelsHelp')}
        placeholder={draft.labels.length === 0 ? say('agents.allChats') : ''}
        data={labels.data?.data ?? []}
        value={draft.labels}
        onChange={(chosen) => onChange({ labels: chosen })}
        error={refused('reach/labels')}
      />
      <NumberInput
        label={say('agents.days')}
        description={say('agents.daysHelp')}
        placeholder={say('agents.noBound')}
        {...COUNT}
        value={draft.days}
        onChange={(days) => onChange({ days })}
        error={refused('reach/days')}
      />
      <Switch
        label={say('agents.hidesPhones')}
        description={say('agents.hidesPhonesHelp')}
        checked={draft.hidesPhones}
        onChange={(event) => onChange({ hidesPhones: event.currentTarget.checked })}
      />
    </Stack>
  )
}

const counts = ['messages_per_minute', 'recipients_per_day'] as const
const amounts = ['order_amount', 'order_amount_per_day'] as const

/** How much of it, whatever the rules allow. Empty is no bound. */
export function AgentLimitFields(props: {
  limits: AgentDraft['limits']
  onChange: (limits: AgentDraft['limits']) => void
  refused: Refused
}) {
  const say = useSay()
  const fieldOf = (name: keyof Limits) => ({
    label: say(`agents.limit.${name}`),
    placeholder: say('agents.noBound'),
    value: props.limits[name],
    onChange: (value: number | string) => props.onChange({ ...props.limits, [name]: value }),
    error: props.refused(`limits/${name}`),
  })
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      {counts.map((name) => (
        <NumberInput key={name} {...COUNT} {...fieldOf(name)} />
      ))}
      {amounts.map((name) => (
        <MoneyField key={name} {...fieldOf(name)} />
      ))}
    </SimpleGrid>
  )
}
