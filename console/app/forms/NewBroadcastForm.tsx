import { Button, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Broadcast, createBroadcast, type NewBroadcast } from '../api/broadcasts.ts'
import { templatesQuery } from '../api/chats.ts'
import { useIdempotencyKey } from '../api/client.ts'
import { numbersQuery } from '../api/settings.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage, RefusalMessage } from '../ui/Message.tsx'
import { MoneyField } from '../ui/MoneyField.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { type Audience, AudienceFields, audienceOf, emptyAudience } from './BroadcastAudience.tsx'
import { useFormDraft } from './form-draft.ts'
import { Asked, TemplatePreview } from './TemplateForm.tsx'
import { templateOf } from './template-draft.ts'
import { useTemplateFilling } from './template-sending.ts'

const PER_MINUTE = 300

type BroadcastDraft = {
  name: string
  numberId: string | null
  audience: Audience
  perMinute: number | string
  price: number | string
}
const emptyBroadcast: BroadcastDraft = {
  name: '',
  numberId: null,
  audience: emptyAudience,
  perMinute: PER_MINUTE,
  price: '',
}

/** Creates a draft, which sends nothing: its page says who would receive it. */
export function NewBroadcastForm({ onCreated }: { onCreated: (broadcast: Broadcast) => void }) {
  const say = useSay()
  const [draft, set, clearDraft] = useFormDraft('broadcast', () => emptyBroadcast)
  const { name, audience, perMinute, price } = draft
  const numbers = (useQuery(numbersQuery).data?.data ?? []).filter(({ state }) => state !== 'disconnected')
  const number = numbers.find(({ id }) => id === draft.numberId) ?? numbers.find((one) => one.is_default) ?? numbers[0]
  const given = audienceOf(audience)
  const isFilledByList = given?.recipients?.every(({ variables }) => variables !== undefined) ?? false
  const choice = useTemplateChoice(number?.id ?? null, isFilledByList)
  const { keyFor, hear } = useIdempotencyKey()
  const creating = useMutation({
    mutationFn: async () => {
      const body = {
        name: name.trim(),
        ...(number !== undefined && { from: number.id }),
        template: await choice.fillIn(),
        ...given,
        ...(typeof perMinute === 'number' && { per_minute: perMinute }),
        ...(typeof price === 'number' && { unit_price: price }),
      } as NewBroadcast
      return createBroadcast(body, keyFor(body))
    },
    onSettled: (_broadcast, error) => hear(error),
    onSuccess: (created) => {
      clearDraft()
      onCreated(created)
    },
  })
  const refusal = useRefusal(creating.error)
  const submit = submitting(() => {
    if (choice.check() && given !== null && !creating.isPending) creating.mutate()
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={say('broadcasts.name')}
          description={say('broadcasts.nameHelp')}
          required
          data-autofocus
          value={name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={refusal?.at('name')}
        />
        {numbers.length > 1 && (
          <Select
            label={say('broadcasts.number')}
            allowDeselect={false}
            value={number?.id ?? null}
            onChange={(numberId) => set({ numberId })}
            data={numbers.map(({ id, name: of, display_phone }) => ({ value: id, label: `${of} (${display_phone})` }))}
          />
        )}
        <TemplateChoice choice={choice} />
        <AudienceFields
          audience={audience}
          set={(change) => set((now) => ({ audience: { ...now.audience, ...change } }))}
          refusal={refusal}
        />
        <Group grow align="flex-start">
          <NumberInput
            label={say('broadcasts.perMinute')}
            description={say('broadcasts.perMinuteHelp')}
            min={1}
            max={4800}
            allowDecimal={false}
            value={perMinute}
            onChange={(value) => set({ perMinute: value })}
            error={refusal?.at('per_minute')}
          />
          <MoneyField
            label={say('broadcasts.price')}
            description={say('broadcasts.priceHelp')}
            value={price}
            onChange={(value) => set({ price: value })}
            error={refusal?.at('unit_price')}
          />
        </Group>
        <RefusalMessage refusal={refusal} />
        <Text size="sm" className="quiet">
          {say('broadcasts.draftHelp')}
        </Text>
        <Group>
          <Button
            type="submit"
            loading={creating.isPending}
            disabled={!choice.isReady || given === null || name.trim() === ''}
          >
            {say('broadcasts.createDraft')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** An approved template and what fills it. Values of the body may come with the list instead, person by person. */
function useTemplateChoice(numberId: string | null, isBodyGiven: boolean) {
  const say = useSay()
  const templates = useQuery({ ...templatesQuery(numberId ?? ''), enabled: numberId !== null })
  const [key, setKey] = useState<string | null>(null)
  const [isChecked, setChecked] = useState(false)
  const approved = (templates.data?.data ?? []).filter(({ status }) => status.toUpperCase() === 'APPROVED')
  const chosen = approved.find(({ name, language }) => `${name}/${language}` === key)
  const filling = useTemplateFilling(numberId ?? '', chosen)
  const problems = Object.entries(filling.problems).filter(([field]) => !(isBodyGiven && field.startsWith('body.')))
  return {
    ...{ filling, approved, key, error: templates.error },
    choose(next: string | null) {
      setKey(next)
      setChecked(false)
      filling.clear()
    },
    isReady: chosen !== undefined && filling.parts.beyond === null,
    /** Shows what is missing from now on. */
    check() {
      setChecked(true)
      return problems.length === 0
    },
    async fillIn() {
      if (chosen === undefined) throw new Error('no template is chosen')
      return templateOf(chosen, await filling.fillIn(filling.draft))
    },
    asked: {
      ...filling,
      isDraggedOver: false,
      forgive: () => setChecked(false),
      problemAt(field: string) {
        const problem = isChecked ? problems.find(([of]) => of === field)?.[1] : undefined
        return problem === undefined ? undefined : say(problem.says, problem.values)
      },
    },
  }
}

function TemplateChoice({ choice }: { choice: ReturnType<typeof useTemplateChoice> }) {
  const say = useSay()
  const { parts, template, file } = choice.filling
  return (
    <>
      <Select
        label={say('template.which')}
        required
        searchable
        value={choice.key}
        onChange={choice.choose}
        nothingFoundMessage={say('template.none')}
        data={choice.approved.map(({ name, language }) => ({
          value: `${name}/${language}`,
          label: `${name.replaceAll('_', ' ')} (${language})`,
        }))}
      />
      <ProblemMessage error={choice.error} />
      {parts.beyond === null && <Asked filling={choice.asked} />}
      {parts.beyond !== null && (
        <Text size="sm" role="status">
          {say(`template.beyond.${parts.beyond.what}`, { kind: parts.beyond.kind })}
        </Text>
      )}
      {template !== null && <TemplatePreview parts={parts} template={template} file={file} />}
    </>
  )
}
