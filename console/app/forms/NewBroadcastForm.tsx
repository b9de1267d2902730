import { Button, Group, NumberInput, SegmentedControl, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Broadcast, createBroadcast, type NewBroadcast } from '../api/broadcasts.ts'
import { labelsQuery, templatesQuery } from '../api/chats.ts'
import { useIdempotencyKey } from '../api/client.ts'
import type { Problem } from '../api/problem.ts'
import { numbersQuery } from '../api/settings.ts'
import { TemplateLook } from '../components/TemplateView.tsx'
import { partsOf } from '../components/template-parts.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage, RefusalMessage } from '../ui/Message.tsx'
import { MoneyField } from '../ui/MoneyField.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { readRecipients } from './broadcast-list.ts'
import { TemplateFields } from './TemplateFields.tsx'
import { emptyDraft, fieldsOf, fill, type TemplateDraft, templateOf, withPlace } from './template-draft.ts'

const PER_MINUTE = 300
const AUDIENCES = ['label', 'list'] as const

/** Creates a draft, which sends nothing: its page says who would receive it. */
export function NewBroadcastForm({ onCreated }: { onCreated: (broadcast: Broadcast) => void }) {
  const say = useSay()
  const [name, setName] = useState('')
  const [numberId, setNumberId] = useState<string | null>(null)
  const audience = useAudience()
  const [perMinute, setPerMinute] = useState<number | string>(PER_MINUTE)
  const [price, setPrice] = useState<number | string>('')
  const numbers = (useQuery(numbersQuery).data?.data ?? []).filter(({ state }) => state !== 'disconnected')
  const number = numbers.find(({ id }) => id === numberId) ?? numbers.find((one) => one.is_default) ?? numbers[0]
  const choice = useTemplateChoice(number?.id ?? null)
  const { keyFor, hear } = useIdempotencyKey()
  const creating = useMutation({
    mutationFn: (body: NewBroadcast) => createBroadcast(body, keyFor(body)),
    onSettled: (_broadcast, error) => hear(error),
    onSuccess: onCreated,
  })
  const refusal = useRefusal(creating.error)
  const isReady = choice.template !== null && audience.given !== null
  const submit = submitting(() => {
    if (choice.template === null || audience.given === null) return
    creating.mutate({
      name: name.trim(),
      ...(number !== undefined && { from: number.id }),
      template: choice.template as NewBroadcast['template'],
      ...audience.given,
      ...(typeof perMinute === 'number' && { per_minute: perMinute }),
      ...(typeof price === 'number' && { unit_price: price }),
    })
  })
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={say('broadcasts.name')}
          description={say('broadcasts.nameHelp')}
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={refusal?.at('name')}
        />
        {numbers.length > 1 && (
          <Select
            label={say('broadcasts.number')}
            allowDeselect={false}
            value={number?.id ?? null}
            onChange={setNumberId}
            data={numbers.map(({ id, name: of, display_phone }) => ({ value: id, label: `${of} (${display_phone})` }))}
          />
        )}
        <TemplateChoice choice={choice} />
        <AudienceFields audience={audience} refusal={refusal} />
        <Group grow align="flex-start">
          <NumberInput
            label={say('broadcasts.perMinute')}
            min={1}
            max={4800}
            allowDecimal={false}
            value={perMinute}
            onChange={setPerMinute}
            error={refusal?.at('per_minute')}
          />
          <MoneyField
            label={say('broadcasts.price')}
            description={say('broadcasts.priceHelp')}
            value={price}
            onChange={setPrice}
            error={refusal?.at('unit_price')}
          />
        </Group>
        <RefusalMessage refusal={refusal} />
        <Text size="sm" className="quiet">
          {say('broadcasts.draftHelp')}
        </Text>
        <Group>
          <Button type="submit" loading={creating.isPending} disabled={!isReady || name.trim() === ''}>
            {say('broadcasts.createDraft')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type Given = { label: string } | { recipients: ReturnType<typeof readRecipients> }

function useAudience() {
  const [kind, setKind] = useState<string>('label')
  const [label, setLabel] = useState<string | null>(null)
  const [list, setList] = useState('')
  const [source, setSource] = useState('')
  const recipients = kind === 'list' ? readRecipients(list, source.trim()) : []
  const ofLabel: Given | null = label === null ? null : { label }
  const ofList: Given | null = recipients.length === 0 ? null : { recipients }
  return {
    ...{ kind, setKind, label, setLabel, list, setList, source, setSource },
    given: kind === 'label' ? ofLabel : ofList,
  }
}

type AudienceProps = { audience: ReturnType<typeof useAudience>; refusal: Problem | null }

function AudienceFields({ audience, refusal }: AudienceProps) {
  const say = useSay()
  return (
    <>
      <div>
        <Text size="sm" fw={600} mb={4} id="audience">
          {say('broadcasts.audience')}
        </Text>
        <SegmentedControl
          fullWidth
          aria-labelledby="audience"
          value={audience.kind}
          onChange={audience.setKind}
          data={AUDIENCES.map((value) => ({ value, label: say(`broadcasts.audience.${value}`) }))}
        />
      </div>
      {audience.kind === 'label' ? (
        <LabelField value={audience.label} onChange={audience.setLabel} error={refusal?.at('label')} />
      ) : (
        <>
          <Textarea
            label={say('broadcasts.list')}
            description={say('broadcasts.listHelp')}
            required
            autosize
            minRows={4}
            maxRows={12}
            value={audience.list}
            onChange={(event) => audience.setList(event.currentTarget.value)}
            error={refusal?.fields.find((field) => field.pointer?.startsWith('#/recipients'))?.detail}
          />
          <TextInput
            label={say('broadcasts.source')}
            description={say('broadcasts.sourceHelp')}
            value={audience.source}
            onChange={(event) => audience.setSource(event.currentTarget.value)}
          />
        </>
      )}
    </>
  )
}

/** Templates that need words only: a file of a header would have to be uploaded first. */
function useTemplateChoice(numberId: string | null) {
  const templates = useQuery({ ...templatesQuery(numberId ?? ''), enabled: numberId !== null })
  const [key, setKey] = useState<string | null>(null)
  const [draft, setDraft] = useState<TemplateDraft>(emptyDraft)
  const fitting = (templates.data?.data ?? []).filter((template) => {
    const { header, beyond } = partsOf(template)
    return template.status.toUpperCase() === 'APPROVED' && beyond === null && !['file', 'place'].includes(header.kind)
  })
  const chosen = fitting.find(({ name, language }) => `${name}/${language}` === key)
  const parts = chosen === undefined ? null : partsOf(chosen)
  return {
    ...{ error: templates.error, fitting, key, draft, setDraft, parts },
    choose(next: string | null) {
      setKey(next)
      setDraft(emptyDraft)
    },
    fields: parts === null ? [] : Object.values(fieldsOf(parts, draft)).flat(),
    template: chosen === undefined || parts === null ? null : templateOf(chosen, fill(parts, draft, null)),
  }
}

function TemplateChoice({ choice }: { choice: ReturnType<typeof useTemplateChoice> }) {
  const say = useSay()
  const { draft, setDraft, parts, template } = choice
  return (
    <>
      <Select
        label={say('template.which')}
        required
        searchable
        value={choice.key}
        onChange={choice.choose}
        nothingFoundMessage={say('template.none')}
        data={choice.fitting.map(({ name, language }) => ({
          value: `${name}/${language}`,
          label: `${name} (${language})`,
        }))}
      />
      <ProblemMessage error={choice.error} />
      <TemplateFields
        fields={choice.fields}
        values={draft.values}
        onChange={(key, text) => setDraft({ ...draft, values: withPlace(draft.values, key, text) })}
        problemAt={() => undefined}
      />
      {parts !== null && template !== null && (
        <div className="bubble template-preview">
          <TemplateLook parts={parts} template={template} header={null} />
        </div>
      )}
    </>
  )
}

type LabelProps = { value: string | null; onChange: (label: string | null) => void; error: string | undefined }

function LabelField({ value, onChange, error }: LabelProps) {
  const say = useSay()
  const labels = useQuery(labelsQuery)
  return (
    <Select
      label={say('broadcasts.label')}
      description={say('broadcasts.labelHelp')}
      required
      searchable
      value={value}
      onChange={onChange}
      error={error}
      nothingFoundMessage={say('broadcasts.noLabels')}
      data={labels.data?.data ?? []}
    />
  )
}
