import { ActionIcon, Button, Collapse, Group, SegmentedControl, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { labelsQuery } from '../api/chats.ts'
import { teamQuery } from '../api/people.ts'
import { sessionQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { type Filter, Filters, type FilterValues } from '../ui/Filters.tsx'
import { Icon } from '../ui/Icon.tsx'
import { SavedViews } from './SavedViews.tsx'

export type ChatFilters = {
  q?: string
  unread?: string
  status?: string
  label?: string
  assignee?: string
  assigned?: string
}

/** Searching, and the few questions that are asked all day: what is mine, what has no one, what is unread. */
export function ChatTools({ filters, onFilter }: { filters: ChatFilters; onFilter: (values: FilterValues) => void }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const team = useQuery(teamQuery)
  const labels = useQuery(labelsQuery)
  const isAnySet = [filters.status, filters.label, filters.assignee].some((value) => value !== undefined)
  const [isOpen, setOpen] = useState(isAnySet)
  const mine = session?.person.email
  const inbox =
    filters.assigned === 'false' ? 'unassigned' : mine !== undefined && filters.assignee === mine ? 'mine' : 'all'
  const choose = (next: string) =>
    onFilter({
      ...filters,
      assigned: next === 'unassigned' ? 'false' : undefined,
      assignee: next === 'mine' ? mine : undefined,
    })
  const isUnread = filters.unread === 'true'
  return (
    <>
      <Filters
        values={filters}
        onChange={onFilter}
        filters={[{ name: 'q', label: say('chats.search'), kind: 'text', width: '100%' }]}
      />
      <Group gap="sm" wrap="nowrap">
        <SegmentedControl
          size="xs"
          flex={1}
          aria-label={say('chats.which')}
          value={inbox}
          onChange={choose}
          data={(['all', 'mine', 'unassigned'] as const).map((value) => ({
            value,
            label: say(`chats.which.${value}`),
          }))}
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
      <Group gap={6} align="flex-start" wrap="nowrap" mt="sm">
        <Button
          size="compact-sm"
          flex="none"
          variant={isUnread ? 'light' : 'subtle'}
          color={isUnread ? 'teal' : 'gray'}
          aria-pressed={isUnread}
          onClick={() => onFilter({ ...filters, unread: isUnread ? undefined : 'true' })}
        >
          {say('chats.which.unread')}
        </Button>
        <SavedViews page="chats" builtIn={[]} filters={filters} onChoose={onFilter} />
      </Group>
      <Collapse expanded={isOpen} mt="sm">
        <Filters
          isMore
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
            labelFilter(say('chats.label'), labels.data),
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

/** A choice of the labels that are in use, or, where there are more than can be listed, a word to type. */
function labelFilter(label: string, inUse: { data: string[]; is_cut: boolean } | undefined): Filter {
  if (inUse?.is_cut) return { name: 'label', label, kind: 'text', width: 140 }
  return {
    name: 'label',
    label,
    kind: 'choice',
    choices: (inUse?.data ?? []).map((value) => ({ value, label: value })),
    width: 140,
  }
}
