import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeEndpoint, createEndpoint, type Endpoint, type EndpointWithSecret } from '../api/webhooks.ts'
import { EventPicker } from '../components/EventPicker.tsx'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { useRefusal } from '../ui/refusal.ts'
import { submitting } from '../ui/submitting.ts'

/** Makes an endpoint, or changes one. */
export function EndpointForm({
  endpoint,
  onDone,
}: {
  endpoint?: Endpoint
  onDone: (made: EndpointWithSecret | null) => void
}) {
  const say = useSay()
  const queries = useQueryClient()
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [events, setEvents] = useState<string[]>(endpoint?.events ?? ['*'])
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const attempt = useMutation({
    mutationFn: async () => {
      const input = { url: url.trim(), events, description: description.trim() || null }
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
  const refusal = useRefusal(attempt.error)
  const eventsProblem = refusal?.fields.find((field) => field.pointer?.startsWith('#/events'))?.detail
  const submit = submitting(() => attempt.mutate())
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={say('webhooks.url')}
          description={say('webhooks.urlHelp')}
          placeholder="https://shop.example.com/hooks/nexkit"
          required
          data-autofocus
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={refusal?.at('url')}
        />
        <EventPicker
          label={say('webhooks.events')}
          value={events}
          onChange={setEvents}
          {...(eventsProblem && { error: eventsProblem })}
        />
        <TextInput
          label={say('webhooks.description')}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={refusal?.at('description')}
        />
        {refusal !== null && refusal.at('url') === undefined && eventsProblem === undefined && (
          <ProblemMessage error={refusal} />
        )}
        <Group>
          <Button type="submit" loading={attempt.isPending} disabled={events.length === 0}>
            {say(endpoint === undefined ? 'webhooks.create' : 'act.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
