import { Select, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Problem } from '../api/problem.ts'
import { numbersQuery } from '../api/settings.ts'
import type { Endpoint } from '../api/webhooks.ts'
import { useSay } from '../text/text.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'
import type { EndpointDraft } from './endpoint-draft.ts'

const FORMATS = ['standard', 'whatsapp_cloud'] as const

type FormatDraft = Pick<EndpointDraft, 'format' | 'verifyToken' | 'number'>

/** The format of an endpoint, which is chosen once, and what Meta's format asks for. */
export function FormatFields(props: {
  endpoint: Endpoint | undefined
  draft: FormatDraft
  onChange: (change: Partial<FormatDraft>) => void
  refusal: Problem | null
}) {
  const say = useSay()
  const { endpoint, draft, onChange, refusal } = props
  const isNew = endpoint === undefined
  return (
    <Stack gap="md">
      <Select
        label={say('webhooks.format')}
        description={say(`webhooks.formatHelp.${draft.format}`)}
        data={FORMATS.map((one) => ({ value: one, label: say(`webhooks.format.${one}`) }))}
        value={draft.format}
        allowDeselect={false}
        disabled={!isNew}
        onChange={(chosen) => onChange({ format: FORMATS.find((one) => one === chosen) ?? draft.format })}
        error={refusal?.at('format')}
      />
      {draft.format === 'whatsapp_cloud' && (
        <>
          <PasswordField
            label={say('webhooks.verifyToken')}
            description={say(isNew ? 'webhooks.verifyTokenHelp' : 'webhooks.verifyTokenKept')}
            required={isNew}
            autoComplete="off"
            value={draft.verifyToken}
            onChange={(event) => onChange({ verifyToken: event.currentTarget.value })}
            error={refusal?.at('verify_token')}
          />
          <NumberChoice
            number={draft.number}
            onChange={(number) => onChange({ number })}
            error={refusal?.at('number')}
          />
        </>
      )}
    </Stack>
  )
}

function NumberChoice(props: { number: string; onChange: (number: string) => void; error: string | undefined }) {
  const say = useSay()
  const { data } = useQuery(numbersQuery)
  const numbers = (data?.data ?? []).filter(({ id, state }) => state !== 'disconnected' || id === props.number)
  return (
    <Select
      label={say('webhooks.number')}
      description={say('webhooks.numberHelp')}
      data={[
        { value: '', label: say('webhooks.allNumbers') },
        ...numbers.map(({ id, name, display_phone }) => ({ value: id, label: `${name} ${display_phone}`.trim() })),
      ]}
      value={props.number}
      allowDeselect={false}
      onChange={(chosen) => props.onChange(chosen ?? '')}
      error={props.error}
    />
  )
}
