import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type FieldProblem, Problem } from '../api/problem.ts'
import { changeEndpoint, createEndpoint, type Endpoint, type EndpointWithSecret } from '../api/webhooks.ts'
import { useSay, useText } from '../text/text.tsx'
import { Fold } from '../ui/Fields.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { DeliveryFields } from './DeliveryFields.tsx'
import { EventPicker } from './EventPicker.tsx'
import {
  changesOf,
  deliveryDraftOf,
  type EndpointDraft,
  endpointDraftOf,
  endpointProblemsOf,
  isEndpointSound,
} from './endpoint-draft.ts'
import { FormatFields } from './FormatFields.tsx'
import { useFormDraft } from './form-draft.ts'
import { RetryFields } from './RetryFields.tsx'

type FormProps = { endpoint?: Endpoint | undefined; onDone: (made: EndpointWithSecret | null) => void }

/** Makes an endpoint, or changes one. */
export function EndpointForm({ endpoint, onDone }: FormProps) {
  const say = useSay()
  const { draft, base, set, problems, saving, submit, fold } = useEndpointDraft({ endpoint, onDone })
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
        <FormatFields endpoint={base} draft={draft} onChange={set} refusal={refusal} />
        {draft.format === 'standard' && (
          <EventPicker
            label={say('webhooks.events')}
            value={draft.events}
            onChange={(events) => set({ events })}
            {...(eventsProblem && { error: eventsProblem })}
          />
        )}
        {draft.format === 'standard' && (
          <Textarea
            label={say('webhooks.filter')}
            description={say('webhooks.filterHelp')}
            placeholder="data.payment.method = qris, cash"
            autosize
            minRows={1}
            value={draft.filter}
            onChange={(event) => set({ filter: event.currentTarget.value })}
            error={problems?.isFilterBad ? say('webhooks.filterBad') : problemWithin(refusal, 'filter')}
          />
        )}
        <TextInput
          label={say('webhooks.description')}
          value={draft.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
          error={refusal?.at('description')}
        />
        <Fold title={say('delivery.title')} help={say('delivery.titleHelp')} {...fold}>
          <RetryFields
            draft={draft.retries}
            onChange={(retries) => set({ retries })}
            problems={problems?.retries ?? null}
            refused={(field) => problemWithin(refusal, field)}
          />
          <DeliveryFields
            endpoint={base}
            isCloudFormat={draft.format === 'whatsapp_cloud'}
            draft={draft.delivery}
            onChange={(delivery) => set({ delivery })}
            problems={problems?.delivery ?? null}
            refusal={refusal}
          />
        </Fold>
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

type FormState = { base: Endpoint | undefined; draft: EndpointDraft }

/** Values of headers, certificates and keys are not kept over a reload. */
const withoutSecrets = ({ base, draft }: FormState): FormState => {
  const { headers, tls } = deliveryDraftOf(base)
  return { base, draft: { ...draft, verifyToken: '', delivery: { ...draft.delivery, headers, tls } } }
}

/** What is typed, and the way it is kept. Missing values are shown after the first attempt to save. */
function useEndpointDraft({ endpoint, onDone }: FormProps) {
  const { language } = useText()
  const queries = useQueryClient()
  // The endpoint that the form was filled from, which is not followed: what others change is not taken for a change made here.
  const name = `endpoint ${endpoint?.id ?? ''}`
  const first = () => ({ base: endpoint, draft: endpointDraftOf(endpoint, language) })
  const [{ base, draft }, setState, clearDraft] = useFormDraft<FormState>(name, first, withoutSecrets)
  const latest = useRef(draft)
  latest.current = draft
  const [isChecked, setChecked] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const problems = endpointProblemsOf(draft)
  const saving = useMutation({
    mutationFn: () => save(draft, base),
    onSuccess: (saved) => {
      queries.invalidateQueries({ queryKey: ['endpoints'] })
      if (endpoint !== undefined) queries.invalidateQueries({ queryKey: ['endpoint', endpoint.id] })
      // What was typed meanwhile stays, to be saved with the rest of it once more.
      const fresh = { base: saved, draft: endpointDraftOf(saved, language) }
      const isWhole = latest.current === draft
      if (isWhole && endpoint !== undefined) setState(fresh)
      if (isWhole) clearDraft()
      setChecked(false)
      onDone('secret' in saved ? saved : null)
    },
    onError: (error) => {
      if (error instanceof Problem && error.fields.some(isFolded)) setOpen(true)
    },
  })
  const set = (change: Partial<EndpointDraft>) => {
    setState((before) => ({ draft: { ...before.draft, ...change } }))
    if (saving.isSuccess) saving.reset()
  }
  const submit = submitting(() => {
    setChecked(true)
    if (isEndpointSound(problems)) saving.mutate()
    else if (!problems.isFilterBad) setOpen(true)
  })
  const fold = { isOpen, onTurn: () => setOpen(!isOpen) }
  return { draft, base, set, problems: isChecked ? problems : null, saving, submit, fold }
}

async function save(draft: EndpointDraft, base: Endpoint | undefined): Promise<Endpoint | EndpointWithSecret> {
  const changes = changesOf(draft, base)
  if (base === undefined)
    return createEndpoint({
      url: draft.url.trim(),
      ...changes,
      ...(draft.format !== 'standard' && { format: draft.format }),
    })
  return Object.keys(changes).length === 0 ? base : changeEndpoint(base.id, changes)
}

const FOLDED = [
  'retry_delays_seconds',
  'retry_delays_by_event',
  'ordering',
  'payload',
  'max_per_second',
  'timeout_ms',
  'signing',
  'custom_headers',
  'tls',
]

const isWithin = ({ pointer }: FieldProblem, field: string) =>
  pointer === `#/${field}` || pointer?.startsWith(`#/${field}/`) === true
const isFolded = (problem: FieldProblem) => FOLDED.some((field) => isWithin(problem, field))
const isShown = (problem: FieldProblem) =>
  isFolded(problem) ||
  ['url', 'format', 'verify_token', 'number', 'events', 'filter', 'description'].some((field) =>
    isWithin(problem, field),
  )

/** What is wrong with a field or with a part of it. */
const problemWithin = (refusal: Problem | null, field: string): string | undefined =>
  refusal?.fields.find((problem) => isWithin(problem, field))?.detail
