import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ConnectionChange, ConnectorField, FieldValues } from '../api/settings.ts'
import { useSay } from '../text/text.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { useRefusal } from '../ui/submission.ts'
import { ConnectorFields, splitFields } from './ConnectorFields.tsx'

/** A number or a payment account that is there already: a new name, or a token in place of one that is no longer good. */
export function ConnectionForm(props: {
  name: string
  connector: string
  fields: readonly ConnectorField[]
  settings: Record<string, unknown>
  /** Said where one of several can be the one that is used unless another is named. */
  isDefault?: boolean
  save: (change: ConnectionChange) => Promise<unknown>
  onDone: () => void
}) {
  const say = useSay()
  const kept = Object.fromEntries(Object.entries(props.settings).map(([key, value]) => [key, String(value ?? '')]))
  const [name, setName] = useState(props.name)
  const [isDefault, setDefault] = useState(props.isDefault ?? false)
  const [values, setValues] = useState<FieldValues>(kept)
  const saving = useMutation({
    mutationFn: () => {
      const changed = Object.entries(values).filter(([key, value]) => value !== (kept[key] ?? ''))
      const { credentials, settings } = splitFields(props.fields, Object.fromEntries(changed))
      const emptied = changed.filter(([key, value]) => value === '' && kept[key] !== undefined)
      return props.save({
        ...(name.trim() !== props.name && { name: name.trim() }),
        ...(isDefault && props.isDefault === false && { is_default: true }),
        credentials,
        // What stood there and was emptied is taken away; a secret never stands there.
        settings: { ...settings, ...Object.fromEntries(emptied.map(([key]) => [key, null])) },
      })
    },
    onSuccess: props.onDone,
  })
  const refusal = useRefusal(saving.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={say('keys.name')}
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={refusal?.at('name')}
        />
        {props.isDefault === false && (
          <Checkbox
            label={say('numbers.makeDefault')}
            checked={isDefault}
            onChange={(event) => setDefault(event.currentTarget.checked)}
          />
        )}
        {props.fields.some((field) => field.is_secret) && <Text size="sm">{say('settings.keepEmpty')}</Text>}
        <ConnectorFields
          connector={props.connector}
          fields={props.fields}
          values={values}
          onChange={setValues}
          refusal={refusal}
          isChange
        />
        {refusal !== null && <ProblemMessage error={refusal} />}
        <Group>
          <Button type="submit" loading={saving.isPending}>
            {say('act.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
