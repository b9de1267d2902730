import { ActionIcon, Button, Group, TextInput } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { sessionQuery } from '../api/session.ts'
import { useSay } from '../text/text.tsx'
import { FormModal } from '../ui/form-guard.tsx'
import { Icon } from '../ui/Icon.tsx'
import { submitting } from '../ui/submission.ts'

type Filters = Record<string, string | undefined>
type View = { name: string; filters: Filters }

const keyOf = (filters: Filters) =>
  JSON.stringify(
    Object.entries(filters)
      .filter(([, value]) => value !== undefined)
      .sort(),
  )

/** Filters under a name: those that a page comes with, and those that a person saved in this browser. */
export function SavedViews(props: {
  page: string
  builtIn: readonly View[]
  filters: Filters
  onChoose: (filters: Filters) => void
}) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const [saved, setSaved] = useLocalStorage<View[]>({
    key: `nexkit-views ${session?.organization.id} ${props.page}`,
    defaultValue: [],
  })
  const [isNaming, setNaming] = useState(false)
  const now = keyOf(props.filters)
  const isKnown = [...props.builtIn, ...saved].some(({ filters }) => keyOf(filters) === now)
  return (
    <Group gap={6} mb="sm" role="group" aria-label={say('views.label')}>
      {[...props.builtIn, ...saved].map(({ name, filters }, index) => {
        const isChosen = keyOf(filters) === now
        const isOwn = index >= props.builtIn.length
        return (
          <Group key={name} gap={0} wrap="nowrap">
            <Button
              size="compact-sm"
              variant={isChosen ? 'light' : 'subtle'}
              color={isChosen ? 'teal' : 'gray'}
              aria-pressed={isChosen}
              onClick={() => props.onChoose(filters)}
            >
              {name}
            </Button>
            {isOwn && isChosen && (
              <ActionIcon
                size="sm"
                variant="subtle"
                color="gray"
                aria-label={say('views.remove', { name })}
                onClick={() => setSaved((views) => views.filter((view) => view.name !== name))}
              >
                <Icon name="close" size={12} />
              </ActionIcon>
            )}
          </Group>
        )
      })}
      {!isKnown && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Icon name="star" size={14} />}
          onClick={() => setNaming(true)}
        >
          {say('views.save')}
        </Button>
      )}
      <FormModal opened={isNaming} onClose={() => setNaming(false)} title={say('views.save')}>
        <NameForm
          onName={(name) => {
            setSaved((views) => [...views.filter((view) => view.name !== name), { name, filters: props.filters }])
            setNaming(false)
          }}
        />
      </FormModal>
    </Group>
  )
}

function NameForm({ onName }: { onName: (name: string) => void }) {
  const say = useSay()
  const [name, setName] = useState('')
  return (
    <form onSubmit={submitting(() => name.trim() !== '' && onName(name.trim()))}>
      <TextInput
        label={say('views.name')}
        description={say('views.help')}
        required
        maxLength={40}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" mt="md">
        {say('views.save')}
      </Button>
    </form>
  )
}
