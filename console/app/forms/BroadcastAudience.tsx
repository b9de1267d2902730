import { Button, FileButton, Group, SegmentedControl, Select, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { labelsQuery } from '../api/chats.ts'
import type { Problem } from '../api/problem.ts'
import { useSay } from '../text/text.tsx'
import { readRecipients, unusableLines } from './broadcast-list.ts'

const audiences = ['label', 'list'] as const
export type Audience = { kind: (typeof audiences)[number]; label: string | null; list: string; source: string }
export const emptyAudience: Audience = { kind: 'label', label: null, list: '', source: '' }

/** Who receives a broadcast, as the API asks for it; null when no one was named yet. */
export function audienceOf({ kind, label, list, source }: Audience) {
  if (kind === 'label') return label === null ? null : { label }
  const recipients = readRecipients(list, source.trim())
  return recipients.length === 0 ? null : { recipients }
}

type FieldsProps = { audience: Audience; set: (change: Partial<Audience>) => void; refusal: Problem | null }

export function AudienceFields({ audience, set, refusal }: FieldsProps) {
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
          onChange={(kind) => set({ kind: kind as Audience['kind'] })}
          data={audiences.map((value) => ({ value, label: say(`broadcasts.audience.${value}`) }))}
        />
      </div>
      {audience.kind === 'label' ? (
        <LabelField value={audience.label} onChange={(label) => set({ label })} error={refusal?.at('label')} />
      ) : (
        <ListFields audience={audience} set={set} refusal={refusal} />
      )}
    </>
  )
}

function ListFields({ audience: { list, source }, set, refusal }: FieldsProps) {
  const say = useSay()
  return (
    <>
      <Textarea
        label={say('broadcasts.list')}
        description={say('broadcasts.listHelp')}
        required
        autosize
        minRows={4}
        maxRows={12}
        value={list}
        onChange={(event) => set({ list: event.currentTarget.value })}
        error={refusal?.fields.find((field) => field.pointer?.startsWith('#/recipients'))?.detail}
      />
      <Group justify="space-between" align="flex-start">
        <FileButton
          accept=".csv,.txt,text/csv,text/plain"
          onChange={(file) => file !== null && void file.text().then((text) => set({ list: text }))}
        >
          {(props) => (
            <Button {...props} variant="default" size="xs">
              {say('broadcasts.file')}
            </Button>
          )}
        </FileButton>
        <ListReport list={list} />
      </Group>
      <TextInput
        label={say('broadcasts.source')}
        description={say('broadcasts.sourceHelp')}
        value={source}
        onChange={(event) => set({ source: event.currentTarget.value })}
      />
    </>
  )
}

const LINES_SHOWN_MAX = 5

/** How many people the list names, and the lines that no message can be sent to. */
function ListReport({ list }: { list: string }) {
  const say = useSay()
  const count = readRecipients(list, '').length
  const unusable = unusableLines(list)
  if (count === 0) return null
  const lines = unusable.slice(0, LINES_SHOWN_MAX).map(({ line, text }) => `${line} “${text}”`)
  const more = unusable.length - lines.length
  return (
    <Text size="sm" role="status" className="quiet" style={{ overflowWrap: 'anywhere' }}>
      {say('broadcasts.listed', { count })}
      {lines.length > 0 && (
        <Text span size="sm" c="var(--bad)">
          {' '}
          {say('broadcasts.unusable', { lines: [...lines, ...(more > 0 ? [`+${more}`] : [])].join(', ') })}
        </Text>
      )}
    </Text>
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
