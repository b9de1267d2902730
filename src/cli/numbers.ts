import '../app.ts'
import { getOrganizationBySlug } from '../accounts/organizations/organizations.ts'
import { numbersContext } from '../boot/contexts.ts'
import { loadSecretKey } from '../boot/secret-key.ts'
import { configuredEgress } from '../boot/settings.ts'
import type { ChannelField } from '../channels/channel-connector.ts'
import type { ChannelsContext } from '../channels/channels-context.ts'
import { channelDefinitions } from '../channels/connectors/connectors.ts'
import { systemClock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import { vetBaseUrl } from '../platform/outbound-http/egress.ts'
import type { CommandValues, OptionDeclaration } from './framework/command.ts'
import { createCommandAudit, type EnterAct } from './framework/command-audit.ts'
import { findPublicUrl, withDatabase } from './framework/connection.ts'
import { baseUrlIn, explainFields, fieldOptions, givenFields, optionOf } from './framework/field-flags.ts'

/** Business numbers for a command: the context, and the flags that come from the fields of the connectors. */
export type NumbersWork<Result> = (context: ChannelsContext, orgId: OrgId, enter: EnterAct) => Promise<Result>

export function withNumbers<Result>(values: CommandValues, work: NumbersWork<Result>): Promise<Result> {
  return withDatabase(async (database, config) => {
    const organization = await getOrganizationBySlug(database, String(values.org))
    const secretKey = await loadSecretKey(database, config)
    const publicUrl = await findPublicUrl(database, config)
    const context = numbersContext({
      database,
      clock: systemClock,
      secretKey,
      egress: configuredEgress(config),
      publicUrl,
    })
    const enter = await createCommandAudit(database, config)
    return vetBaseUrl(baseUrlIn(values), context.egress)
      .then(() => work(context, organization.id, enter))
      .catch(explainFields)
  })
}

const allFields = (): ChannelField[] => channelDefinitions.flatMap(({ fields }) => fields)

/** Of every connector that has the field. */
const helpOf = (wanted: string): string =>
  channelDefinitions
    .flatMap(({ name, fields }) =>
      fields.filter((field) => field.name === wanted).map((field) => `${name}: ${field.help}`),
    )
    .join(' | ')

/** For the help of commands. */
export const connectorNames = channelDefinitions
  .map(({ name }) => name)
  .toSorted()
  .join(' or ')

export const numberOptions = (): Record<string, OptionDeclaration> =>
  fieldOptions(allFields(), ({ name }) => helpOf(name))

export type GivenFields = { credentials: Record<string, string>; settings: Record<string, unknown> }

/** Settings that every number has, and how their text is read. */
const commonSettings: Record<string, (text: string) => unknown> = {
  ambiguous: (text) => text,
  messages_per_second: Number,
  pair_gap_ms: Number,
  reply_window: (text) => ({ on: true, off: false })[text] ?? text,
}

/** What was given, by field. An empty text takes a setting away. */
export function readFields(values: CommandValues): GivenFields {
  const credentials: GivenFields['credentials'] = {}
  const settings: GivenFields['settings'] = {}
  for (const { field, text } of givenFields(values, allFields())) {
    if (field.isSecret) credentials[field.name] = text
    else settings[field.name] = text === '' ? null : text
  }
  for (const [name, read] of Object.entries(commonSettings)) {
    const text = values[optionOf(name)]
    if (typeof text === 'string') settings[name] = text === '' ? null : read(text)
  }
  return { credentials, settings }
}
