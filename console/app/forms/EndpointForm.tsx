import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { FieldProblem, Problem } from '../api/problem.ts'
import { changeEndpoint, createEndpoint, type Endpoint, type EndpointWithSecret } from '../api/webhooks.ts'
import { EventPicker } from '../components/EventPicker.tsx'
import { useText } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { useRefusal } from '../ui/refusal.ts'
import { submitting } from '../ui/submitting.ts'
import { RetryFields } from './RetryFields.tsx'
import { changedRetries, draftOf, isSound, problemsOf } from './retry-draft.ts'

type FormProps = { endpoint?: Endpoint | undefined; onDone: (made: EndpointWithSecret | null) => void }

/** Makes an endpoint, or changes one. */
export function EndpointForm({ endpoint, onDone }: FormProps) {
  const { say } = useText()
  const { draft, set, problems, saving, submit } = useEndpointDraft({ endpoint, onDone })
  const refusal = useRefusal(saving.error)
  const isElsewhere = refusal !== null && (refusal.fields.length === 0 || !refusal.fields.every(isShown))
  const eventsProblem = problemWithin(refusal, 'events')
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={say('webhooks.url')}
          description={say('webhooks.urlHelp')}
          placeholder="https://shop.example.com/hooks/nexkit"
          required
          data-autofocus
          value={draft.url}
          onChange={(event) => set({ url: event.currentTarget.value })}
          error={refusal?.at('url')}
        />
        <EventPicker
          label={say('webhooks.events')}
          value={draft.events}
          onChange={(events) => set({ events })}
          {...(eventsProblem && { error: eventsProblem })}
        />
        <TextInput
          label={say('webhooks.description')}
          value={draft.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
          error={refusal?.at('description')}
        />
        <RetryFields
          draft={draft.retries}
          onChange={(retries) => set({ retries })}
          problems={problems}
          refused={(field) => problemWithin(refusal, field)}
        />
        {isElsewhere && <ProblemMessage error={refusal} />}
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={draft.events.length === 0}>
            {say(endpoint === undefined ? 'webhooks.create' : 'act.save')}
          </Button>
          {saving.isSuccess && endpoint !== undefined && (
            <Text size="sm" role="status">
              {say('settings.saved')}
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  )
}

/** What is typed, and the way it is kept. What it lacks is told once somebody wanted to save it. */
function useEndpointDraft({ endpoint, onDone }: FormProps) {
  const { language } = useText()
  const queries = useQueryClient()
  const [draft, setDraft] = useState(() => ({
    url: endpoint?.url ?? '',
    events: endpoint?.events ?? ['*'],
    description: endpoint?.description ?? '',
    retries: draftOf(endpoint, language),
  }))
  const [isChecked, setChecked] = useState(false)
  const problems = problemsOf(draft.retries)
  const saving = useMutation({
    mutationFn: async () => {
      const { url, events, description, retries } = draft
      const plain = { url: url.trim(), events, description: description.trim() || null }
      const input = { ...plain, ...changedRetries(retries, endpoint) }
      if (endpoint === undefined) return createEndpoint(input)
      await changeEndpoint(endpoint.id, input)
      return null
    },
    onSuccess: (made) => {
      queries.invalidateQueries({ queryKey: ['endpoints'] })
      if (endpoint !== undefined) queries.invalidateQueries({ queryKey: ['endpoint', endpoint.id] })
      onDone(made)
    },
  })
  const set = (change: Partial<typeof draft>) => {
    setDraft((before) => ({ ...before, ...change }))
    if (saving.isSuccess) saving.reset()
  }
  const submit = submitting(() => {
    setChecked(true)
    if (isSound(problems)) saving.mutate()
  })
  return { draft, set, problems: isChecked ? problems : null, saving, submit }
}

const SHOWN = ['url', 'events', 'description', 'retry_delays_seconds', 'retry_delays_by_event']

const isWithin = ({ pointer }: FieldProblem, field: string) =>
  pointer === `#/${field}` || pointer?.startsWith(`#/${field}/`) === true
const isShown = (problem: FieldProblem) => SHOWN.some((field) => isWithin(problem, field))

/** What is wrong with a field or with a part of it. */
const problemWithin = (refusal: Problem | null, field: string): string | undefined =>
  refusal?.fields.find((problem) => isWithin(problem, field))?.detail
