import { ActionIcon, Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type SavedViewPage, useSavedViews, type SavedView as View } from '../api/saved-views.ts'
import { useSay } from '../text/text.tsx'
import { FormModal } from '../ui/form-guard.tsx'
import { Icon } from '../ui/Icon.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { submitting } from '../ui/submission.ts'

type Filters = Record<string, string | undefined>

const keyOf = (filters: Filters) =>
  JSON.stringify(
    Object.entries(filters)
      .filter(([, value]) => value !== undefined)
      .sort(),
  )

/** Filters under a name: those that a page comes with, and those that a person saved. */
export function SavedViews(props: {
  page: SavedViewPage
  builtIn: readonly View[]
  filters: Filters
  onChoose: (filters: Filters) => void
}) {
  const say = useSay()
  const { saved, setSaved, error } = useSavedViews(props.page)
  const [isNaming, setNaming] = useState(false)
  const now = keyOf(props.filters)
  const isKnown = now === '[]' || [...props.builtIn, ...saved].some(({ filters }) => keyOf(filters) === now)
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
                onClick={() => setSaved(saved.filter((view) => view.name !== name))}
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
      <ProblemMessage error={error} />
      <FormModal opened={isNaming} onClose={() => setNaming(false)} title={say('views.save')}>
        <NameForm
          onName={(name) => {
            setSaved([...saved.filter((view) => view.name !== name), { name, filters: props.filters }])
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
