import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Chat, templatesQuery } from '../api/chats.ts'
import type { Message, Template } from '../api/messages.ts'
import { DropHint, useLocalPicture } from '../components/AttachmentChip.tsx'
import type { Attachment } from '../components/attachment.ts'
import { isStoppedOn, useMarketingOptOuts } from '../components/MarketingOptOuts.tsx'
import { Place } from '../components/MediaView.tsx'
import { NotSent } from '../components/MessageFate.tsx'
import { TemplateLook } from '../components/TemplateView.tsx'
import { headerGiven, type TemplateParts } from '../components/template-parts.ts'
import { useFailureSay, useSay } from '../text/text.tsx'
import { Icon } from '../ui/Icon.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { TemplateFields, TemplateFileFields } from './TemplateFields.tsx'
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

type AskedOf = Pick<
  ReturnType<typeof useTemplateSending>,
  'parts' | 'fields' | 'draft' | 'setDraft' | 'attachment' | 'problemAt' | 'isDraggedOver' | 'forgive'
>

/** From the header to the buttons, in the order in which the customer sees them. */
export function Asked({ filling }: { filling: AskedOf }) {
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

type PreviewProps = { parts: TemplateParts; template: Template; file: Attachment | null }

/** The whole message as it will be, with what is still open to be seen. */
export function TemplatePreview(props: PreviewProps) {
  const say = useSay()
  return (
    <figure style={{ margin: 0 }}>
      <Text component="figcaption" size="xs" className="quiet" mb={4}>
        {say('template.preview')}
      </Text>
      <div className="bubble template-preview">
        <TemplateLook parts={props.parts} template={props.template} header={<Header {...props} />} />
      </div>
    </figure>
  )
}

function Header({ parts: { header }, template, file }: PreviewProps) {
  const say = useSay()
  const picture = useLocalPicture(file?.file ?? null, file?.kind === 'image')
  const given = headerGiven(template)
  if (given?.type === 'location' && Number.isFinite(given.location.latitude + given.location.longitude))
    return <Place location={given.location} />
  if (header.kind === 'place') return <Line icon="place" words={say('message.kind.location')} />
  if (header.kind !== 'file') return null
  if (picture !== null) return <img className="picture" src={picture} alt={say('message.kind.image')} />
  const media = given !== null && 'media' in given ? given.media : {}
  const words = media.filename || media.link || file?.file.name
  return <Line icon="file" words={words || say(`message.kind.${header.type}`)} />
}

const Line = ({ icon, words }: { icon: 'file' | 'place'; words: string }) => (
  <div className="file-line">
    <Icon name={icon} />
    <Text size="sm" style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
      {words}
    </Text>
  </div>
)
