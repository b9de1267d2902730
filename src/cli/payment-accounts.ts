import '../app.ts'
import { getOrganizationBySlug } from '../accounts/organizations/organizations.ts'
import { paymentAccountsContext } from '../boot/capabilities.ts'
import { loadSecretKey } from '../boot/secret-key.ts'
import { configuredEgress } from '../boot/settings.ts'
import { systemClock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { PaymentAccountsContext } from '../payments/accounts/accounts.ts'
import { createPaymentProviders } from '../payments/connectors/connectors.ts'
import type { PaymentField } from '../payments/payment-connector.ts'
import { vetBaseUrl } from '../platform/outbound-http/egress.ts'
import type { CommandValues, OptionDeclaration } from './framework/command.ts'
import { createCommandAudit, type EnterAct } from './framework/command-audit.ts'
import { findPublicUrl, withDatabase } from './framework/connection.ts'
import { baseUrlIn, explainFields, fieldOptions, givenFields } from './framework/field-flags.ts'

/** Payment accounts for a command: the context, and the flags that come from the fields of the providers. */
export type PaymentAccountsWork<Result> = (
  context: PaymentAccountsContext,
  orgId: OrgId,
  enter: EnterAct,
) => Promise<Result>

export const providers = createPaymentProviders({ clock: systemClock })

export function withPaymentAccounts<Result>(values: CommandValues, work: PaymentAccountsWork<Result>): Promise<Result> {
  return withDatabase(async (database, config) => {
    const organization = await getOrganizationBySlug(database, String(values.org))
    const secretKey = await loadSecretKey(database, config)
    const publicUrl = await findPublicUrl(database, config)
    const context = paymentAccountsContext({
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

const allFields = (): PaymentField[] => Object.values(providers).flatMap(({ fields }) => fields)

const providersOf = (name: string): string[] =>
  Object.entries(providers).flatMap(([provider, { fields }]) =>
    fields.some((field) => field.name === name) ? [provider] : [],
  )

export const paymentAccountOptions = (): Record<string, OptionDeclaration> =>
  fieldOptions(allFields(), ({ name, help }) => `${providersOf(name).join(', ')}: ${help.replace(/\.$/, '')}`)

export type GivenFields = { credentials: Record<string, string | null>; settings: Record<string, string | null> }

/** What was given, by field. An empty text takes a value away. */
export function readFields(values: CommandValues): GivenFields {
  const given: GivenFields = { credentials: {}, settings: {} }
  for (const { field, text } of givenFields(values, allFields()))
    given[field.isSecret ? 'credentials' : 'settings'][field.name] = text === '' ? null : text
  return given
}
