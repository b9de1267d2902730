import { PasswordInput, TextInput } from '@mantine/core'
import type { Problem } from '../api/problem.ts'
import type { ConnectorField, FieldValues } from '../api/settings.ts'
import { useText } from '../text/text.tsx'
import { BankSelect } from './MethodFields.tsx'

/** The fields that a connector declares, drawn as they are: what is secret is not shown while it is typed. */
export function ConnectorFields(props: {
  connector: string
  fields: readonly ConnectorField[]
  values: FieldValues
  onChange: (values: FieldValues) => void
  refusal: Problem | null
  /** A secret that is left empty stays as it is. */
  isChange?: boolean
}) {
  const wordsOf = useFieldWords(props.connector)
  return props.fields.map((field) => {
    const Input = field.is_secret ? PasswordInput : TextInput
    const place = field.is_secret ? 'credentials' : 'settings'
    const set = (value: string | null) => props.onChange({ ...props.values, [field.name]: value ?? '' })
    if (field.choices !== null)
      return (
        <BankSelect
          key={field.name}
          label={wordsOf(field).label}
          description={wordsOf(field).help}
          banks={field.choices}
          value={props.values[field.name] || null}
          onChange={set}
          error={props.refusal?.at(`${place}/${field.name}`)}
        />
      )
    return (
      <Input
        key={field.name}
        label={wordsOf(field).label}
        description={wordsOf(field).help}
        required={field.is_required && !field.is_generated && !props.isChange}
        placeholder={field.placeholder ?? undefined}
        autoComplete="off"
        value={props.values[field.name] ?? ''}
        onChange={(event) => set(event.currentTarget.value)}
        error={props.refusal?.at(`${place}/${field.name}`)}
      />
    )
  })
}

/** A field of a connector in the language of the reader: by its name, or as the connector calls it. */
export function useFieldWords(connector: string): (field: ConnectorField) => { label: string; help: string } {
  const { serverWords } = useText()
  return (field) => serverWords?.settings[`${connector}.${field.name}`] ?? field
}

/** What was typed, as the API wants it: secrets apart from the rest, what was left empty left out. */
export function splitFields(fields: readonly ConnectorField[], values: FieldValues) {
  const filled = (isSecret: boolean) =>
    Object.fromEntries(
      fields
        .filter((field) => field.is_secret === isSecret)
        .map((field) => [field.name, values[field.name] ?? ''] as const)
        .filter(([, value]) => value !== ''),
    )
  return { credentials: filled(true), settings: filled(false) }
}

/** Only what is known to be no secret. */
export function withoutSecrets(
  connectors: readonly { fields: readonly ConnectorField[] }[],
  values: FieldValues,
): FieldValues {
  const fields = connectors.flatMap((connector) => connector.fields)
  const isPublic = (name: string) => fields.filter((field) => field.name === name).every((field) => !field.is_secret)
  const known = Object.entries(values).filter(([name]) => fields.some((field) => field.name === name) && isPublic(name))
  return Object.fromEntries(known)
}
