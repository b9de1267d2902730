import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Chat, templatesQuery } from '../api/chats.ts'
import { useIdempotencyKey } from '../api/idempotency.ts'
import { type Message, type NewMessage, sendMessage } from '../api/messages.ts'
import { isStoppedOn, useMarketingOptOuts } from '../components/MarketingWish.tsx'
import { blanksOf, fillTemplate, isBeyondWords, isNumbered, textOf } from '../components/TemplateView.tsx'
import { useFailureSay, useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { submitting } from '../ui/submitting.ts'

/** An approved template with its blanks, and how it will read. */
export function TemplateForm({
  chat,
  onSent,
  onCancel,
}: {
  chat: Pick<Chat, 'id' | 'number' | 'contact'>
  onSent: (message: Message) => void
  onCancel?: () => void
}) {
  const say = useSay()
  const templates = useQuery(templatesQuery(chat.number.id))
  const [key, setKey] = useState<string | null>(null)
  const [values, setValues] = useState<string[]>([])
  const approved = (templates.data?.data ?? []).filter(({ status }) => status.toUpperCase() === 'APPROVED')
  const chosen = approved.find(({ name, language }) => `${name}/${language}` === key)
  const text = chosen === undefined ? '' : textOf(chosen)
  const blanks = blanksOf(text)
  const { keyFor, hear } = useIdempotencyKey()
  const sending = useMutation({
    mutationFn: () => {
      const template = contentOf(chosen as Named, blanks, values)
      const message: NewMessage = { to: chat.id, type: 'template', template }
      return sendMessage(message, keyFor(message))
    },
    onSettled: (_message, error) => hear(error),
    onSuccess: onSent,
  })
  const isBeyond = chosen !== undefined && isBeyondWords(chosen)
  const isReady = chosen !== undefined && !isBeyond && blanks.every((_, index) => (values[index] ?? '').trim() !== '')
  const submit = submitting(() => {
    if (isReady) sending.mutate()
  })
  const optOuts = useMarketingOptOuts(chat)
  const isUnwanted = chosen?.category.toUpperCase() === 'MARKETING' && isStoppedOn(optOuts, chat)
  const failureSay = useFailureSay()
  const failure = templates.data?.ok === false ? failureSay(templates.data.failure) : ''
  return (
    <form onSubmit={submit} aria-label={say('composer.template')}>
      <Stack gap="sm">
        <Select
          label={say('template.which')}
          placeholder={say('template.choose')}
          searchable
          data={approved.map(({ name, language }) => ({
            value: `${name}/${language}`,
            label: `${name.replaceAll('_', ' ')} (${language})`,
          }))}
          value={key}
          onChange={(value) => {
            setKey(value)
            setValues([])
            sending.reset()
          }}
          error={failure}
          nothingFoundMessage={say('template.none')}
        />
        {(isBeyond ? [] : blanks).map((blank, index) => (
          <TextInput
            key={blank}
            label={say('template.blank', { name: blank })}
            required
            value={values[index] ?? ''}
            onChange={(event) => {
              const next = [...values]
              next[index] = event.currentTarget.value
              setValues(Array.from(next, (value) => value ?? ''))
            }}
          />
        ))}
        {text !== '' && (
          <Text size="sm" className="quote">
            {fillTemplate(text, values)}
          </Text>
        )}
        {isBeyond && (
          <Text size="sm" role="status">
            {say('template.beyond')}
          </Text>
        )}
        {isUnwanted && (
          <Text size="sm" role="status" c="var(--waiting)">
            {say('template.unwanted')}
          </Text>
        )}
        <ProblemMessage error={templates.error ?? sending.error} />
        <Group>
          <Button type="submit" loading={sending.isPending} disabled={!isReady}>
            {say('template.send')}
          </Button>
          {onCancel !== undefined && (
            <Button variant="default" onClick={onCancel}>
              {say('act.cancel')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

type Named = { name: string; language: string }

/** Blanks with names are filled by name, numbered ones by their place. */
const contentOf = ({ name, language }: Named, blanks: readonly string[], values: readonly string[]) => ({
  name,
  language: { code: language },
  ...(blanks.length > 0 && {
    components: [{ type: 'body', parameters: blanks.map((blank, index) => parameterOf(blank, values[index] ?? '')) }],
  }),
})

const parameterOf = (blank: string, text: string) => ({
  type: 'text',
  text: text.trim(),
  ...(!isNumbered(blank) && { parameter_name: blank }),
})
