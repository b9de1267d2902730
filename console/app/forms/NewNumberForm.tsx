import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { connectorsQuery, createNumber, type FieldValues, numbersQuery } from '../api/settings.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { ConnectorFields, splitFields, useFieldWords, withoutSecrets } from './ConnectorFields.tsx'
import { useFormDraft } from './form-draft.ts'

/** What was generated for the number, by the name of its field. */
export type NamedSecret = { name: string; secret: string }

type NumberDraft = { kind: string; phoneNumberId: string; displayPhone: string; values: FieldValues }

/** Connects a business number: its two names, and what its connector asks for. */
export function NewNumberForm({ onCreated }: { onCreated: (secrets: NamedSecret[], webhookUrl: string) => void }) {
  const say = useSay()
  const queries = useQueryClient()
  const connectors = useQuery(connectorsQuery)
  const [{ kind, phoneNumberId, displayPhone, values }, set, clearDraft] = useFormDraft<NumberDraft>(
    'number',
    () => ({ kind: 'whatsapp-cloud', phoneNumberId: '', displayPhone: '', values: {} }),
    (draft) => ({ ...draft, values: withoutSecrets(connectors.data?.channels ?? [], draft.values) }),
  )
  const fields = connectors.data?.channels.find((one) => one.kind === kind)?.fields ?? []
  const wordsOf = useFieldWords(kind)
  const attempt = useMutation({
    mutationFn: () =>
      createNumber({
        connector: kind,
        phone_number_id: phoneNumberId.trim(),
        display_phone: displayPhone.trim(),
        ...splitFields(fields, values),
      }),
    onSuccess: ({ number, generated }) => {
      clearDraft()
      queries.invalidateQueries({ queryKey: numbersQuery.queryKey })
      // A simulator signs its own calls: its secret is of no use elsewhere.
      const labels = new Map(fields.map((field) => [field.name, wordsOf(field).label]))
      const secrets = Object.entries(generated).map(([name, secret]) => ({ name: labels.get(name) ?? name, secret }))
      onCreated(kind === 'simulator' ? [] : secrets, number.webhook_url)
    },
  })
  const refusal = useRefusal(attempt.error)
  const submit = submitting(() => attempt.mutate())
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Select
          label={say('numbers.connector')}
          data={(connectors.data?.channels ?? []).map((one) => ({ value: one.kind, label: one.name }))}
          value={kind}
          allowDeselect={false}
          onChange={(value) => set({ kind: value ?? kind })}
        />
        <TextInput
          label={say('numbers.phoneNumberId')}
          description={say('numbers.phoneNumberIdHelp')}
          required
          value={phoneNumberId}
          onChange={(event) => set({ phoneNumberId: event.currentTarget.value })}
          error={refusal?.at('phone_number_id')}
        />
        <TextInput
          label={say('numbers.displayPhone')}
          required
          placeholder="+62 21 5000 1000"
          value={displayPhone}
          onChange={(event) => set({ displayPhone: event.currentTarget.value })}
          error={refusal?.at('display_phone')}
        />
        <ConnectorFields
          connector={kind}
          fields={fields}
          values={values}
          onChange={(next) => set({ values: next })}
          refusal={refusal}
        />
        {refusal !== null && <ProblemMessage error={refusal} />}
        <Group>
          <Button type="submit" loading={attempt.isPending}>
            {say('numbers.connect')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
