import { getOrganizationBySlug } from '../accounts/organizations.ts'
import '../app.ts'
import { systemClock } from '../kernel/clock.ts'
import { ProblemError } from '../kernel/errors.ts'
import type { OrgId } from '../kernel/ids.ts'
import { publicUrlOf } from '../main.ts'
import { paymentProviderParts, paymentSecretBox } from '../payment-settings.ts'
import type { PaymentAccountsContext } from '../payments/payment-accounts.ts'
import type { PaymentField } from '../payments/payment-fields.ts'
import { loadSecretKey } from '../secret-key.ts'
import { type CommandValues, type OptionDeclaration, UsageError } from './command.ts'
import { createCommandAudit, type EnterAct } from './command-audit.ts'
import { withDatabase } from './connection.ts'

/** Payment accounts for a command: the context, and the flags that come from the fields of the providers. */
export type PaymentAccountsWork<Result> = (
  context: PaymentAccountsContext,
  orgId: OrgId,
  enter: EnterAct,
) => Promise<Result>

const providerParts = paymentProviderParts(systemClock)

export function withPaymentAccounts<Result>(values: CommandValues, work: PaymentAccountsWork<Result>): Promise<Result> {
  return withDatabase(async (database, config) => {
    const organization = await getOrganizationBySlug(database, String(values.org))
    const context = {
      database,
      clock: systemClock,
      secretBox: paymentSecretBox(await loadSecretKey(config)),
      providers: providerParts,
      publicUrl: publicUrlOf(config),
    }
    const enter = await createCommandAudit(database, config)
    return work(context, organization.id, enter).catch(explainFields)
  })
}

/** The sentence of a problem points to its fields, which on a terminal nobody sees; and there they are called flags. */
function explainFields(error: unknown): never {
  const fields = error instanceof ProblemError ? (error.options.errors ?? []) : []
  if (fields.length === 0) throw error
  throw new UsageError(fields.map((field) => field.detail.replaceAll(/"([a-z]+(?:_[a-z]+)+)"/g, asFlag)).join(' '))
}

const asFlag = (_: string, name: string): string => flagOf({ name })

const flagOf = ({ name }: Pick<PaymentField, 'name'>): string => `--${optionOf(name)}`
const optionOf = (name: string): string => name.replaceAll('_', '-')
const environmentOptionOf = (name: string): string => `${optionOf(name)}-env`

const providersOf = (name: string): string[] =>
  Object.entries(providerParts).flatMap(([provider, { fields }]) =>
    fields.some((field) => field.name === name) ? [provider] : [],
  )

/** One flag per field, whichever providers have it. A secret can also be named by a variable, which no process list shows. */
export function fieldOptions(): Record<string, OptionDeclaration> {
  const fields = Object.values(providerParts).flatMap(({ fields }) => fields)
  return Object.fromEntries(
    fields.flatMap((field) => {
      const help = `${providersOf(field.name).join(', ')}: ${field.help.replace(/\.$/, '')}`
      const option = [optionOf(field.name), { type: 'string' as const, help, placeholder: 'text' }] as const
      if (!field.isSecret) return [option]
      const fromEnvironment = { type: 'string' as const, help: 'the same, from a variable', placeholder: 'NAME' }
      return [option, [environmentOptionOf(field.name), fromEnvironment] as const]
    }),
  )
}

export type GivenFields = { credentials: Record<string, string | null>; settings: Record<string, string | null> }

/** What was given, by field. An empty text takes a value away. Whether the provider has such a field is checked later. */
export function readFields(values: CommandValues): GivenFields {
  const given: GivenFields = { credentials: {}, settings: {} }
  for (const field of Object.values(providerParts).flatMap(({ fields }) => fields)) {
    const text = field.isSecret ? readSecret(values, field) : values[optionOf(field.name)]
    if (typeof text !== 'string') continue
    given[field.isSecret ? 'credentials' : 'settings'][field.name] = text === '' ? null : text
  }
  return given
}

function readSecret(values: CommandValues, field: PaymentField): string | undefined {
  const [given, variable] = [values[optionOf(field.name)], values[environmentOptionOf(field.name)]]
  if (variable === undefined) return given === undefined ? undefined : String(given)
  if (given !== undefined) throw new UsageError(`Give ${flagOf(field)} or ${flagOf(field)}-env, not both.`)
  const text = process.env[String(variable)]
  if (text === undefined || text === '')
    throw new UsageError(`The variable ${variable} is not set (${flagOf(field)}-env).`)
  return text
}
