import { Input, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useId, useRef } from 'react'
import { AttachmentChip, ChooseFileButton } from '../components/AttachmentChip.tsx'
import { type AttachmentState, allowedEndings, sizeText } from '../components/attachment.ts'
import type { HeaderFile } from '../components/template-parts.ts'
import { useSay } from '../text/text.tsx'
import { FILE, type TemplateField } from './template-draft.ts'

type FieldsProps = {
  fields: readonly TemplateField[]
  values: Readonly<Record<string, string>>
  onChange: (key: string, text: string) => void
  /** What is wrong with a field, by its key. */
  problemAt: (key: string) => string | undefined
}

/** What a template asks for in words, each with what it is for and how long it may be. */
export const TemplateFields = ({ fields, ...rest }: FieldsProps) =>
  fields.map((field) => <WordsAsked key={field.key} field={field} {...rest} />)

function WordsAsked({ field, values, onChange, problemAt }: Omit<FieldsProps, 'fields'> & { field: TemplateField }) {
  const say = useSay()
  const { key, label, name, help, example = '', beginning = '', isOptional = false, charactersMax, shape } = field
  const hints = [
    help === undefined ? '' : say(help, { beginning }),
    example === '' ? '' : say('template.example', { example }),
    charactersMax === undefined ? '' : say('template.limit', { max: charactersMax }),
  ]
  const shared = {
    label: say(label, { name: name || say('template.copyCode') }),
    description: hints.filter(Boolean).join(' ') || null,
    required: !isOptional,
    value: values[key] ?? '',
    error: problemAt(key),
    onChange: (event: { currentTarget: { value: string } }) => onChange(key, event.currentTarget.value),
  }
  if (shape === 'json' || shape === 'lines') return <Textarea {...shared} autosize minRows={2} maxRows={8} />
  return <TextInput {...shared} {...(shape === 'link' && { type: 'url', placeholder: 'https://' })} />
}

type FileProps = FieldsProps & {
  type: HeaderFile
  attachment: AttachmentState
  isLink: boolean
  onSource: (isLink: boolean) => void
  onRemoved: () => void
}

/** The file of a header: one of the browser's, or an address that the network fetches it from. */
export function TemplateFileFields({ type, attachment, isLink, onSource, onRemoved, ...fields }: FileProps) {
  const say = useSay()
  const titleId = useId()
  const group = useRef<HTMLDivElement>(null)
  const problem = fields.problemAt(FILE)
  const removed = () => {
    onRemoved()
    group.current?.focus()
  }
  return (
    <Stack
      ref={group}
      gap={6}
      role="group"
      aria-labelledby={titleId}
      tabIndex={-1}
      data-problem={problem !== undefined || undefined}
    >
      <Input.Label labelElement="div" required id={titleId}>
        {say(`template.header.${type}`)}
      </Input.Label>
      <SegmentedControl
        aria-label={say('template.source')}
        value={isLink ? 'link' : 'file'}
        onChange={(source) => onSource(source === 'link')}
        disabled={attachment.progress !== null}
        data={[
          { value: 'file', label: say('template.sourceFile') },
          { value: 'link', label: say('template.sourceLink') },
        ]}
      />
      {!isLink && (
        <div>
          <Taken attachment={attachment} />
          <AttachmentChip attachment={attachment} onRemoved={removed} />
          <ChooseFileButton attachment={attachment} />
          {problem !== undefined && (
            <Text size="sm" role="alert" mt={4} style={{ color: 'var(--bad)' }}>
              {problem}
            </Text>
          )}
        </div>
      )}
      <TemplateFields {...fields} />
    </Stack>
  )
}

/** What fits, before anything is chosen. */
function Taken({ attachment: { limits } }: { attachment: AttachmentState }) {
  const say = useSay()
  const [limit] = limits?.kinds ?? []
  if (limits === undefined || limit === undefined) return null
  return (
    <Text size="xs" className="quiet" mb={4}>
      {say('template.takes', { allowed: allowedEndings(limits), max: sizeText(limit.bytes_max) })}
    </Text>
  )
}
