import type { z } from 'zod'
import type { FieldProblem } from '../../kernel/errors.ts'
import { nearestName } from '../../kernel/text.ts'
import { type SecretBox, tryOpen } from '../../platform/database/secret-box.ts'
import { breaksSchema, fieldProblems, inBody } from '../../platform/http/pipeline/validation.ts'
import { givenForAnother } from '../../platform/outbound-http/egress.ts'
import type { ChannelConnector, ChannelField } from '../channel-connector.ts'
import type { ConnectorMap } from '../channels-context.ts'
import { NumberSettings } from './numbers.schemas.ts'

/** The settings of a number, checked against the fields of its connector. Everything wrong is named at once. */
export type Credentials = Record<string, string>
export type Settings = Record<string, unknown>

/** The input as its schema says, or a refusal by field. */
export function acceptInput<Schema extends z.ZodType>(schema: Schema, input: z.input<Schema>): z.output<Schema> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw breaksSchema(fieldProblems(schema, input, parsed.error, inBody))
}

export function acceptConnector(connectors: ConnectorMap, named: string): ChannelConnector {
  const connector = connectors.get(named)
  if (connector !== undefined) return connector
  const known = [...connectors.keys()]
  const suggestion = nearestName(named, known)
  const hint = suggestion === null ? ` Known are ${known.join(', ')}.` : ` Did you mean "${suggestion}"?`
  throw breaksSchema([
    {
      pointer: '#/connector',
      code: 'connector_unknown',
      detail: `There is no connector "${named}".${hint}`,
      params: { allowed: known },
    },
  ])
}

/** Both at once, so that everything that is missing is named. */
export function acceptFields(
  connector: ChannelConnector,
  given: { credentials: Credentials; settings: Settings },
): { credentials: Credentials; settings: Settings } {
  const generic = NumberSettings.safeParse(given.settings)
  const problems = [
    ...(generic.success ? [] : fieldProblems(NumberSettings, given.settings, generic.error, settingsPlace)),
    ...unknownNames(connector, given),
    ...connector.fields.flatMap((field) => problemsOfField(field, givenValue(field, given))),
  ]
  if (problems.length > 0) throw breaksSchema(problems)
  return given
}

const settingsPlace = (path: PropertyKey[]) => inBody(['settings', ...path])

const givenValue = (field: ChannelField, given: { credentials: Credentials; settings: Settings }): unknown =>
  (field.isSecret ? given.credentials : given.settings)[field.name]

const placeOf = ({ name, isSecret }: Pick<ChannelField, 'name' | 'isSecret'>) =>
  inBody([isSecret ? 'credentials' : 'settings', name])

function problemsOfField(field: ChannelField, value: unknown): FieldProblem[] {
  if (value === undefined)
    return field.isRequired
      ? [{ ...placeOf(field), code: 'required', detail: `"${field.name}" (${field.label}) is required.` }]
      : []
  const parsed = field.schema.safeParse(value)
  if (parsed.success) return []
  const says = parsed.error.issues.map((issue) => issue.message).join(' ')
  return [{ ...placeOf(field), code: 'value_invalid', detail: `"${field.name}" (${field.label}): ${says}` }]
}

function unknownNames(
  connector: ChannelConnector,
  given: { credentials: Credentials; settings: Settings },
): FieldProblem[] {
  const namesOf = (isSecret: boolean) =>
    connector.fields.filter((field) => field.isSecret === isSecret).map((field) => field.name)
  const strange = (isSecret: boolean, names: string[], known: string[]): FieldProblem[] =>
    names
      .filter((name) => !known.includes(name))
      .map((name) => ({
        ...placeOf({ name, isSecret }),
        code: 'field_unknown',
        detail: `A number of ${connector.name} has no "${name}".`,
        params: { allowed: known },
      }))
  return [
    ...strange(true, Object.keys(given.credentials), namesOf(true)),
    ...strange(false, Object.keys(given.settings), [...namesOf(false), ...Object.keys(NumberSettings.shape)]),
  ]
}

/** For a number that goes elsewhere: all that was given for the old address, except what we made up ourselves. */
export function refuseUnrepeated(
  { fields }: ChannelConnector,
  { known, given }: { known: Credentials; given: Record<string, unknown> },
): void {
  const unrepeated = fields.filter(
    ({ name, isSecret, generate }) => isSecret && !generate && name in known && !(name in given),
  )
  if (unrepeated.length > 0)
    throw breaksSchema(
      unrepeated.map((field) => ({ ...placeOf(field), code: 'required', detail: givenForAnother(field.name) })),
    )
}

/** What the connector generates where nothing was given; shown once by the caller. */
export function generateMissing(connector: ChannelConnector, credentials: Credentials): Credentials {
  const missing = connector.fields.filter(({ isSecret, name }) => isSecret && credentials[name] === undefined)
  return Object.fromEntries(missing.flatMap(({ name, generate }) => (generate ? [[name, generate()]] : [])))
}

const credentialsContext = (numberId: string) => `channel_numbers.sealed_credentials ${numberId}`

export const sealCredentials = (box: SecretBox, numberId: string, credentials: Credentials): string =>
  box.seal(JSON.stringify(credentials), credentialsContext(numberId))

/** As far as the key of today opens them: what was sealed with a lost one has to be given again. */
export const knownCredentials = (box: SecretBox, numberId: string, sealed: string): Credentials =>
  JSON.parse(tryOpen(box, sealed, credentialsContext(numberId)) ?? '{}')

export const openCredentials = (box: SecretBox, numberId: string, sealed: string): Credentials =>
  JSON.parse(box.open(sealed, credentialsContext(numberId)))
