import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ChannelTemplate } from '../api/chats.ts'
import { deleteTemplate } from '../api/templates.ts'
import { exampleMessage } from '../forms/new-template.ts'
import { isTextKey, useSay, useText } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Icon } from '../ui/Icon.tsx'
import { languageName } from '../ui/languages.ts'
import { useRefusal } from '../ui/submission.ts'
import { TemplateState, useCategoryWord } from './TemplateState.tsx'
import { TemplateLook } from './TemplateView.tsx'
import { partsOf } from './template-parts.ts'

/** One template with what its status means, and the way to delete it. */
export function TemplateDetail(props: {
  template: ChannelTemplate
  numberId: string
  mayWrite: boolean
  onDeleted: () => void
}) {
  const { say, language } = useText()
  const categoryWord = useCategoryWord()
  const { template } = props
  const meaning = `templates.meaning.${template.status.toLowerCase()}`
  return (
    <Stack gap="md">
      <Group gap="md">
        <TemplateState status={template.status} />
        <Text size="sm" className="quiet">
          {categoryWord(template.category)} · {languageName(template.language, language)}
        </Text>
      </Group>
      {isTextKey(meaning) && <Text size="sm">{say(meaning)}</Text>}
      <TemplatePreview template={template} />
      {props.mayWrite && <DeleteTemplate {...props} />}
    </Stack>
  )
}

/** With the words of WhatsApp, where it gave any: they say what to correct. */
export function useNetworkRefusal(error: unknown) {
  const refusal = useRefusal(error)
  const { detail } = refusal?.params ?? {}
  const isOfNetwork = refusal?.code === 'template_refused' || refusal?.code === 'templates_unavailable'
  if (refusal === null || !isOfNetwork || typeof detail !== 'string' || refusal.message.includes(detail)) return refusal
  return refusal.saying(`${refusal.message.replace(/ `params\.detail`.*$/, '')} ${detail}`, refusal.fields)
}

/** As the customer gets it, with the examples in place of the variables. */
export function TemplatePreview({
  template,
  picture = null,
}: {
  template: Pick<ChannelTemplate, 'name' | 'language' | 'components'>
  /** The address of the picture of the header, where one is chosen. */
  picture?: string | null
}) {
  const say = useSay()
  const parts = partsOf(template)
  const { header } = parts
  const file =
    header.kind === 'file' &&
    (picture === null ? (
      <div className="file-line">
        <Icon name="file" />
        <Text size="sm">{say(`message.kind.${header.type}`)}</Text>
      </div>
    ) : (
      <img className="picture" src={picture} alt={say('message.kind.image')} />
    ))
  return (
    <figure style={{ margin: 0 }}>
      <Text component="figcaption" size="xs" className="quiet" mb={4}>
        {say('templates.preview')}
      </Text>
      <div className="bubble template-preview">
        <TemplateLook parts={parts} template={exampleMessage(template.name, template.language, parts)} header={file} />
      </div>
    </figure>
  )
}

function DeleteTemplate({
  template: { name, language },
  numberId,
  onDeleted,
}: {
  template: ChannelTemplate
  numberId: string
  onDeleted: () => void
}) {
  const say = useSay()
  const [isAsking, setAsking] = useState(false)
  const removal = useMutation({
    mutationFn: () => deleteTemplate(name, { language, number: numberId }),
    onSuccess: onDeleted,
  })
  const refusal = useNetworkRefusal(removal.error)
  return (
    <Group>
      <Button variant="light" color="red" onClick={() => setAsking(true)}>
        {say('templates.delete')}
      </Button>
      <Confirm
        isOpen={isAsking}
        title={say('templates.sure', { name, language })}
        consequence={say('templates.consequence')}
        act={say('templates.delete')}
        isPending={removal.isPending}
        error={refusal}
        onConfirm={() => removal.mutate()}
        onClose={() => setAsking(false)}
      />
    </Group>
  )
}
