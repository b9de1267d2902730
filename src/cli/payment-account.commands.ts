import type { OrgId } from '../kernel/ids.ts'
import { nearestName } from '../kernel/text.ts'
import {
  NewPaymentAccount,
  PaymentAccountChange,
  type PaymentAccountView,
} from '../payments/accounts/accounts.schemas.ts'
import {
  createPaymentAccount,
  disablePaymentAccount,
  getPaymentAccount,
  listPaymentAccounts,
  noteAccountError,
  openPaymentAccount,
  type PaymentAccountsContext,
  presentPaymentAccount,
  type StoredPaymentAccount,
  updatePaymentAccount,
} from '../payments/accounts/accounts.ts'
import { paymentProviders } from '../payments/connectors/connectors.ts'
import { askAgain } from '../payments/notifications/notifications.ts'
import { type PaymentMethod, paymentMethods } from '../payments/payment-connector.ts'
import type { Tx } from '../platform/database/database.ts'
import { type CommandValues, defineCommand, jsonOption, orgOption, UsageError } from './framework/command.ts'
import type { CommandAct } from './framework/command-audit.ts'
import { adviseOn } from './framework/connection.ts'
import { printFields, printJson, printLine, printList, printNote } from './framework/output.ts'
import { paymentAccountOptions, providers, readFields, withPaymentAccounts } from './payment-accounts.ts'

const accountArgument = { name: 'account', help: 'id of the payment account, pac_…', isRequired: true }

const METHODS_HELP = `of ${paymentMethods.join(', ')}`

const commonOptions = {
  name: { type: 'string', help: 'display name', placeholder: 'text' },
  'base-url': {
    type: 'string',
    help: "API address in place of the provider's own, such as its sandbox",
    placeholder: 'url',
  },
  methods: { type: 'string', help: `methods it serves: a comma list ${METHODS_HELP}, or "all"`, placeholder: 'names' },
  'default-for': {
    type: 'string',
    help: 'methods it is the default for, as in --methods, or "none"',
    placeholder: 'names',
  },
} as const

export const paymentAccountCommands = [
  defineCommand({
    name: 'payment-account create',
    summary: 'Connect a payment account and print its webhook address',
    details:
      'Secrets are stored encrypted and never printed. Options that end in -env read a secret from an environment variable.',
    examples: [
      'npx nexkit payment-account create --org demo-store --provider simulator',
      'npx nexkit payment-account create --org demo-store --provider midtrans --server-key-env MIDTRANS_SERVER_KEY',
    ],
    options: {
      org: orgOption,
      provider: { type: 'string', help: paymentProviders.join(', '), placeholder: 'provider', isRequired: true },
      ...commonOptions,
      ...paymentAccountOptions(),
      json: jsonOption,
    },
    async run({ values }) {
      const input = readNewAccount(values)
      const view = await change(
        values,
        { command: 'payment-account create', act: 'createPaymentAccount' },
        (context, tx, orgId) => createPaymentAccount(context, tx, orgId, input),
      )
      if (values.json) return printJson(view)
      printLine(view.webhook_url ?? view.id)
      printNote(sayCreated(view, String(values.org)))
    },
  }),
  defineCommand({
    name: 'payment-account list',
    summary: 'List the payment accounts of an organization',
    examples: ['npx nexkit payment-account list --org demo-store'],
    options: { org: orgOption, json: jsonOption },
    async run({ values }) {
      const accounts = await withPaymentAccounts(values, async (context, orgId) =>
        (await listPaymentAccounts(context.database, orgId)).map((row) => presentPaymentAccount(context, row)),
      )
      printList(values, {
        data: accounts,
        rows: accounts.map(rowOf),
        none: `There are no payment accounts yet. Create one with: npx nexkit payment-account create --org ${values.org} --provider simulator`,
      })
    },
  }),
  defineCommand({
    name: 'payment-account show',
    summary: 'Show a payment account: methods and settings, secrets masked',
    examples: ['npx nexkit payment-account show pac_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [accountArgument],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [id] }) {
      const view = await withPaymentAccounts(values, async (context, orgId) =>
        presentPaymentAccount(context, await getPaymentAccount(context.database, orgId, String(id))),
      )
      if (values.json) return printJson(view)
      printFields(fieldsOf(view))
    },
  }),
  defineCommand({
    name: 'payment-account update',
    summary: 'Change a payment account, for example its credentials or state',
    details:
      'Options that you leave out stay unchanged, but a new --base-url needs the credentials again. An empty text removes a setting. Changes apply from the next call.',
    examples: ['npx nexkit payment-account update pac_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store --state paused'],
    arguments: [accountArgument],
    options: {
      org: orgOption,
      state: { type: 'string', help: 'active, paused (no new payments) or disabled', placeholder: 'state' },
      ...commonOptions,
      ...paymentAccountOptions(),
      json: jsonOption,
    },
    async run({ values, arguments: [id] }) {
      const input = readChange(values)
      const view = await change(
        values,
        { command: 'payment-account update', act: 'updatePaymentAccount' },
        (context, tx, orgId) => updatePaymentAccount(context, tx, orgId, { id: String(id), ...input }),
      )
      if (values.json) return printJson(view)
      printLine(`Payment account ${view.id} (${view.name}) was updated and is ${view.state}.`)
    },
  }),
  defineCommand({
    name: 'payment-account disable',
    summary: 'Disable a payment account: no payments, no notifications',
    details: '"payment-account update" with --state active enables it again; --state paused stops new payments only.',
    examples: ['npx nexkit payment-account disable pac_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [accountArgument],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [id] }) {
      const view = await change(
        values,
        { command: 'payment-account disable', act: 'updatePaymentAccount' },
        (context, tx, orgId) => disablePaymentAccount(context, tx, orgId, String(id)),
      )
      if (values.json) return printJson(view)
      printLine(`Payment account ${view.id} (${view.name}) is disabled.`)
    },
  }),
  defineCommand({
    name: 'payment-account probe',
    summary: 'Check the credentials of a payment account at its provider',
    examples: ['npx nexkit payment-account probe pac_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [accountArgument],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [id] }) {
      const outcome = await withPaymentAccounts(values, (context, orgId) => probe(context, orgId, String(id)))
      if (values.json) printJson(outcome)
      else
        printLine(
          outcome.ok
            ? `Payment account ${id} works.`
            : `Payment account ${id} does not work: ${outcome.detail} (${outcome.code})`,
        )
      if (!outcome.ok) process.exitCode = 1
    },
  }),
  defineCommand({
    name: 'payment-account ask-again',
    summary: 'Ask the provider again about unresolved notifications',
    details:
      'Use it after a key was wrong or the provider was unavailable for days: notifications that could not be confirmed are kept. A running server asks. Notifications that were already applied stay unchanged.',
    examples: ['npx nexkit payment-account ask-again pac_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [accountArgument],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [id] }) {
      const count = await askAllAgain(values, String(id))
      if (values.json) return printJson({ object: 'payment_account', id, notices: count })
      printLine(
        `Asking the provider about ${count} ${count === 1 ? 'notification' : 'notifications'} of payment account ${id}.`,
      )
    },
  }),
]

/** One that does not exist is refused as everywhere. */
const askAllAgain = (values: CommandValues, id: string): Promise<number> =>
  withPaymentAccounts(values, async ({ database }, orgId, enter) => {
    const account = await getPaymentAccount(database, orgId, id)
    return database.transaction(async (tx) => {
      const count = await askAgain(tx, orgId, account.id)
      await enter(tx, orgId, {
        command: 'payment-account ask-again',
        act: 'askPaymentAccountAgain',
        subject: account.id,
      })
      return count
    })
  })

const change = (
  values: CommandValues,
  act: Omit<CommandAct, 'subject'>,
  work: (context: PaymentAccountsContext, tx: Tx, orgId: OrgId) => Promise<StoredPaymentAccount>,
): Promise<PaymentAccountView> =>
  withPaymentAccounts(values, (context, orgId, enter) =>
    context.database.transaction(async (tx) => {
      const account = await work(context, tx, orgId)
      await enter(tx, orgId, { ...act, subject: account.id })
      return presentPaymentAccount(context, account)
    }),
  )

function readNewAccount(values: CommandValues) {
  const provider = paymentProviders.find((known) => known === values.provider)
  if (provider === undefined) {
    const suggestion = nearestName(String(values.provider), [...paymentProviders])
    const hint = suggestion === null ? `Use one of ${paymentProviders.join(', ')}.` : `Did you mean ${suggestion}?`
    throw new UsageError(`There is no provider "${values.provider}". ${hint}`)
  }
  return parse(NewPaymentAccount, { provider, ...readCommon(values) })
}

const readChange = (values: CommandValues) =>
  parse(PaymentAccountChange, { ...(values.state !== undefined && { state: values.state }), ...readCommon(values) })

function readCommon(values: CommandValues): Record<string, unknown> {
  const methods = readMethods(values.methods, 'all')
  const defaults = readMethods(values['default-for'], 'none')
  return {
    ...(values.name !== undefined && { name: values.name }),
    ...(values['base-url'] !== undefined && { base_url: values['base-url'] === '' ? null : values['base-url'] }),
    ...(methods !== undefined && { methods }),
    ...(defaults !== undefined && { default_methods: defaults ?? [] }),
    ...readFields(values),
  }
}

/** Returns null for the word that means no list. */
function readMethods(text: string | boolean | undefined, word: string): PaymentMethod[] | null | undefined {
  if (typeof text !== 'string') return undefined
  if (text === word) return null
  return text.split(',').map((part) => {
    const method = paymentMethods.find((known) => known === part.trim())
    if (method !== undefined) return method
    const suggestion = nearestName(part.trim(), [...paymentMethods])
    throw new UsageError(
      `There is no method "${part.trim()}"${suggestion === null ? '' : `; did you mean ${suggestion}?`}`,
    )
  })
}

type Schema<Output> = {
  safeParse(
    input: unknown,
  ): { success: true; data: Output } | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } }
}

function parse<Output>(schema: Schema<Output>, input: unknown): Output {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const sentences = parsed.error.issues.map(
    ({ path, message }) => `--${String(path.at(-1)).replaceAll('_', '-')}: ${message}`,
  )
  throw new UsageError(sentences.join(' '))
}

function sayCreated(view: PaymentAccountView, org: string): string {
  const what = `Payment account ${view.id} (${view.name}).`
  if (view.webhook_url === null) return `${what} Mark its payments as paid in the console.`
  if (providers[view.provider].isSimulated)
    return `${what} Simulate a payment with "npx nexkit simulate pay --order latest".`
  return [
    `${what} Enter the address above as the webhook URL at the provider. Check the credentials with: npx nexkit payment-account probe ${view.id} --org ${org}`,
    ...adviseOn(view.webhook_url),
  ].join('\n')
}

const rowOf = (view: PaymentAccountView) => ({
  ID: view.id,
  NAME: view.name,
  PROVIDER: view.provider,
  STATE: view.state,
  METHODS: view.methods.map(({ method, is_default }) => (is_default ? `${method}*` : method)).join(','),
  'LAST NOTIFICATION': view.last_notice_at ?? '-',
})

const fieldsOf = (view: PaymentAccountView): [string, string][] => [
  ['id', view.id],
  ['name', view.name],
  ['provider', view.provider],
  ['state', view.state],
  ['base_url', view.base_url ?? '-'],
  ['webhook_url', view.webhook_url ?? '-'],
  ...Object.entries({ ...view.credentials, ...view.settings }),
  ...view.methods.map(({ method, banks, is_default }): [string, string] => [
    `method ${method}${is_default ? ' *' : ''}`,
    banks.join(', ') || '-',
  ]),
  ['last_notice_at', view.last_notice_at ?? '-'],
  ['last_error', view.last_error === null ? '-' : `${view.last_error.at} ${view.last_error.detail}`],
]

const PROBE_TIMEOUT_MS = 15_000

type Probed = {
  object: 'payment_account_probe'
  account: string
  ok: boolean
  code: string | null
  detail: string | null
}

async function probe(context: PaymentAccountsContext, orgId: OrgId, id: string): Promise<Probed> {
  const row = await getPaymentAccount(context.database, orgId, id)
  const { connector } = context.providers[row.provider]
  const outcome = await connector.probe(openPaymentAccount(context, row), AbortSignal.timeout(PROBE_TIMEOUT_MS))
  const head = { object: 'payment_account_probe' as const, account: row.id }
  if (outcome.kind === 'done') return { ...head, ok: true, code: null, detail: null }
  const { code, detail } = outcome.failure
  const now = new Date(context.clock.now())
  await noteAccountError(context.database, orgId, { id: row.id, error: `${code}: ${detail}`, now })
  return { ...head, ok: false, code, detail }
}
