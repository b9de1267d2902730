import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Chat, templatesQuery } from '../api/chats.ts'
import type { Message } from '../api/messages.ts'
import { DropHint } from '../components/AttachmentChip.tsx'
import { isStoppedOn, useMarketingOptOuts } from '../components/MarketingWish.tsx'
import { NotSent } from '../components/NotSent.tsx'
import { useFailureSay, useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { TemplateFields, TemplateFileFields } from './TemplateFields.tsx'
import { TemplatePreview } from './TemplatePreview.tsx'
import { withPlace } from './template-draft.ts'
import { useTemplateSending } from './template-sending.ts'

type FormProps = {
  chat: Pick<Chat, 'id' | 'number' | 'contact'>
  onSent: (message: Message) => void
  onCancel?: () => void
}

/** An approved template with all it asks for, and how it will read. */
export function TemplateForm({ chat, onSent, onCancel }: FormProps) {
  const say = useSay()
  const templates = useQuery(templatesQuery(chat.number.id))
  const [key, setKey] = useState<string | null>(null)
  const approved = (templates.data?.data ?? []).filter(({ status }) => status.toUpperCase() === 'APPROVED')
  const chosen = approved.find(({ name, language }) => `${name}/${language}` === key)
  const filling = useTemplateSending({
    chat,
    chosen,
    onSent: (message) => {
      choose(null)
      onSent(message)
    },
  })
  const choose = (value: string | null) => {
    setKey(value)
    filling.reset()
  }
  const { parts } = filling
  const optOuts = useMarketingOptOuts(chat)
  const isUnwanted = chosen?.category.toUpperCase() === 'MARKETING' && isStoppedOn(optOuts, chat)
  const failureSay = useFailureSay()
  const failure = templates.data?.ok === false ? failureSay(templates.data.failure) : ''
  return (
    <form ref={filling.form} onSubmit={filling.submit} noValidate aria-label={say('composer.template')}>
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
          onChange={choose}
          disabled={filling.isPending}
          error={failure}
          nothingFoundMessage={say('template.none')}
        />
        {parts.beyond === null && <Asked filling={filling} />}
        {filling.template !== null && <TemplatePreview parts={parts} template={filling.template} file={filling.file} />}
        {parts.beyond !== null && (
          <Text size="sm" role="status">
            {say(`template.beyond.${parts.beyond.what}`, { kind: parts.beyond.kind })}
          </Text>
        )}
        {isUnwanted && (
          <Text size="sm" role="status" c="var(--waiting)">
            {say('template.unwanted')}
          </Text>
        )}
        <ProblemMessage error={templates.error} />
        <NotSent error={filling.error} />
        <Group>
          <Button type="submit" loading={filling.isPending} disabled={!filling.isReady}>
            {say('template.send')}
          </Button>
          {onCancel !== undefined && (
            <Button
              variant="default"
              onClick={() => {
                filling.attachment.remove()
                onCancel()
              }}
            >
              {say('act.cancel')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

/** From the header to the buttons, in the order in which the customer sees them. */
function Asked({ filling }: { filling: ReturnType<typeof useTemplateSending> }) {
  const { parts, fields, draft, setDraft, attachment, problemAt } = filling
  const { header } = parts
  const setSource = (isLink: boolean) => setDraft({ ...draft, isLink })
  const shared = {
    values: draft.values,
    onChange: (key: string, text: string) => setDraft({ ...draft, values: withPlace(draft.values, key, text) }),
    problemAt,
  }
  return (
    <>
      {filling.isDraggedOver && <DropHint />}
      {header.kind === 'file' ? (
        <TemplateFileFields
          {...shared}
          fields={fields.header}
          type={header.type}
          attachment={attachment}
          isLink={draft.isLink}
          onSource={setSource}
          onRemoved={filling.forgive}
        />
      ) : (
        <TemplateFields {...shared} fields={fields.header} />
      )}
      <TemplateFields {...shared} fields={[...fields.body, ...fields.buttons]} />
    </>
  )
}
