import { getOrganizationBySlug } from '../accounts/organizations.ts'
import '../app.ts'
import { numbersContext } from '../channel-settings.ts'
import type { ChannelField } from '../channels/channel-connector.ts'
import type { ChannelsContext } from '../channels/channels-context.ts'
import { simulatorFields } from '../channels/connectors/simulator/simulator.fields.ts'
import { whatsAppCloudFields } from '../channels/connectors/whatsapp-cloud/whatsapp-cloud.fields.ts'
import { systemClock } from '../kernel/clock.ts'
import { ProblemError } from '../kernel/errors.ts'
import type { OrgId } from '../kernel/ids.ts'
import { publicUrlOf } from '../main.ts'
import { loadSecretKey } from '../secret-key.ts'
import { type CommandValues, type OptionDeclaration, UsageError } from './command.ts'
import { createCommandAudit, type EnterAct } from './command-audit.ts'
import { withDatabase } from './connection.ts'

/** Business numbers for a command: the context, and the flags that come from the fields of the connectors. */
export type NumbersWork<Result> = (context: ChannelsContext, orgId: OrgId, enter: EnterAct) => Promise<Result>

export function withNumbers<Result>(values: CommandValues, work: NumbersWork<Result>): Promise<Result> {
  return withDatabase(async (database, config) => {
    const organization = await getOrganizationBySlug(database, String(values.org))
    const secretKey = await loadSecretKey(config)
    const context = numbersContext({ database, clock: systemClock, secretKey, publicUrl: publicUrlOf(config) })
    const enter = await createCommandAudit(database, config)
    return work(context, organization.id, enter).catch(explainFields)
  })
}

const connectorFields: Record<string, readonly ChannelField[]> = {
  'whatsapp-cloud': whatsAppCloudFields,
  simulator: simulatorFields,
}

const allFields = (): ChannelField[] => Object.values(connectorFields).flat()
const optionOf = (name: string): string => name.replaceAll('_', '-')

/** The sentence of a problem points to its fields, which on a terminal nobody sees; and there they are called flags. */
function explainFields(error: unknown): never {
  const fields = error instanceof ProblemError ? (error.options.errors ?? []) : []
  if (fields.length === 0) throw error
  const asFlag = (_: string, name: string) => `--${optionOf(name)}`
  throw new UsageError(
    fields
      .map(({ pointer, detail }) => {
        const named = detail.replaceAll(/"([a-z]+(?:_[a-z]+)+)"/g, asFlag)
        return named === detail && pointer !== undefined
          ? `--${optionOf(pointer.split('/').at(-1) ?? '')}: ${detail}`
          : named
      })
      .join(' '),
  )
}

/** Of every connector that has the field. */
const helpOf = (name: string): string =>
  Object.entries(connectorFields)
    .flatMap(([connector, fields]) =>
      fields.filter((field) => field.name === name).map((field) => `${connector}: ${field.help}`),
    )
    .join(' | ')

/** One flag per field, whichever connectors have it. A secret can also be named by a variable, which no process list shows. */
export function fieldOptions(): Record<string, OptionDeclaration> {
  return Object.fromEntries(
    allFields().flatMap((field) => {
      const option = { type: 'string' as const, help: helpOf(field.name), placeholder: 'text' }
      const fromEnvironment = { type: 'string' as const, help: 'the same, from a variable', placeholder: 'NAME' }
      return [
        [optionOf(field.name), option] as const,
        ...(field.isSecret ? [[`${optionOf(field.name)}-env`, fromEnvironment] as const] : []),
      ]
    }),
  )
}

export type GivenFields = { credentials: Record<string, string>; settings: Record<string, unknown> }

/** Settings that every number has, and how their text is read. */
const commonSettings: Record<string, (text: string) => unknown> = {
  ambiguous: (text) => text,
  messages_per_second: Number,
  pair_gap_ms: Number,
  reply_window: (text) => ({ on: true, off: false })[text] ?? text,
}

/** What was given, by field. An empty text takes a setting away. Whether the connector has such a field is checked later. */
export function readFields(values: CommandValues): GivenFields {
  const credentials: GivenFields['credentials'] = {}
  const settings: GivenFields['settings'] = {}
  for (const field of allFields()) {
    const text = field.isSecret ? readSecret(values, field.name) : values[optionOf(field.name)]
    if (typeof text !== 'string') continue
    if (field.isSecret) credentials[field.name] = text
    else settings[field.name] = text === '' ? null : text
  }
  for (const [name, read] of Object.entries(commonSettings)) {
    const text = values[optionOf(name)]
    if (typeof text === 'string') settings[name] = text === '' ? null : read(text)
  }
  return { credentials, settings }
}

function readSecret(values: CommandValues, name: string): string | undefined {
  const option = optionOf(name)
  const [given, variable] = [values[option], values[`${option}-env`]]
  if (variable === undefined) return given === undefined ? undefined : String(given)
  if (given !== undefined) throw new UsageError(`Give --${option} or --${option}-env, not both.`)
  const text = process.env[String(variable)]
  if (text === undefined || text === '') throw new UsageError(`The variable ${variable} is not set (--${option}-env).`)
  return text
}
