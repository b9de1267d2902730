import type { CallOutcome } from '../channels/channel-connector.ts'
import type { ChannelsContext } from '../channels/channels-context.ts'
import { isSimulatedChannel } from '../channels/connectors/connectors.ts'
import { numberDisconnected } from '../channels/numbers/numbers.errors.ts'
import type { NumberView } from '../channels/numbers/numbers.schemas.ts'
import {
  type BusinessNumber,
  createNumber,
  createNumberHealth,
  createOpenedNumbers,
  deleteNumber,
  getNumber,
  listNumbers,
  pauseNumber,
  presentNumber,
  resumeNumber,
  updateNumber,
} from '../channels/numbers/numbers.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { createLog } from '../platform/telemetry/log.ts'
import { type CommandValues, defineCommand, jsonOption, orgOption } from './framework/command.ts'
import { adviseOn } from './framework/connection.ts'
import { countText, printFields, printJson, printLine, printList, printNote } from './framework/output.ts'
import { connectorNames, numberOptions, readFields, withNumbers } from './numbers.ts'

const numberArgument = { name: 'number', help: 'id of the business number, num_…', isRequired: true }

const commonOptions = {
  name: { type: 'string', help: 'display name', placeholder: 'text' },
  'base-url': { type: 'string', help: "API address in place of the network's own", placeholder: 'url' },
  default: { type: 'boolean', help: 'use it for messages that name no number' },
  ambiguous: {
    type: 'string',
    help: 'what happens to a message whose outcome is unknown: fail or resend (default fail)',
    placeholder: 'policy',
  },
  'messages-per-second': { type: 'string', help: 'sending limit of the number', placeholder: 'n' },
  'pair-gap-ms': { type: 'string', help: 'minimum time between two messages to one customer', placeholder: 'ms' },
  'reply-window': {
    type: 'string',
    help: 'reject free-form messages outside the 24-hour window before sending: on or off (off makes a simulator number lenient)',
    placeholder: 'on|off',
  },
} as const

const DETAILS =
  'Secrets are stored encrypted and never printed. Options that end in -env read a secret from an environment variable.'

const UPDATED = { command: 'number update', act: 'updateNumber', says: 'is updated' }
const PAUSED = { command: 'number pause', act: 'pauseNumber', says: 'is paused' }
const RESUMED = { command: 'number resume', act: 'resumeNumber', says: 'is connected' }
const DELETED = { command: 'number delete', act: 'deleteNumber', says: 'is disconnected' }

export const numberCommands = [
  defineCommand({
    name: 'number create',
    summary: 'Connect a business number and print its webhook address',
    details: `${DETAILS} A deleted number returns with its old id and its chats.`,
    examples: [
      'npx nexkit number create --org demo-store --connector simulator --phone-number-id 1002 --display-phone +622150001002',
    ],
    options: {
      org: orgOption,
      connector: { type: 'string', help: connectorNames, placeholder: 'name', isRequired: true },
      'phone-number-id': {
        type: 'string',
        help: "the network's id of the number, not the phone number",
        placeholder: 'id',
        isRequired: true,
      },
      'display-phone': {
        type: 'string',
        help: 'phone number in international format',
        placeholder: 'phone',
        isRequired: true,
      },
      ...numberOptions(),
      ...commonOptions,
      json: jsonOption,
    },
    async run({ values }) {
      const { view, generated } = await withNumbers(values, (context, orgId, enter) =>
        context.database.transaction(async (tx) => {
          const created = await createNumber(context, tx, orgId, readNew(values))
          await enter(tx, orgId, { command: 'number create', act: 'createNumber', subject: created.number.id })
          return { view: await presentNumber(context, tx, created.number), generated: created.generated }
        }),
      )
      printCreated(values, view, generated)
    },
  }),
  defineCommand({
    name: 'number list',
    summary: 'List the business numbers of an organization',
    examples: ['npx nexkit number list --org demo-store'],
    options: { org: orgOption, json: jsonOption },
    async run({ values }) {
      const numbers = await withNumbers(values, async (context, orgId) => {
        const rows = await listNumbers(context.database, orgId)
        return Promise.all(rows.map((row) => presentNumber(context, context.database, row)))
      })
      printList(values, {
        data: numbers,
        rows: numbers.map(rowOf),
        none: `There are no numbers yet. "npx nexkit help number create" explains how to connect one.`,
      })
    },
  }),
  defineCommand({
    name: 'number show',
    summary: 'Show a business number: settings and health, secrets masked',
    examples: ['npx nexkit number show num_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [numberArgument],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [id] }) {
      const view = await withNumbers(values, async (context, orgId) =>
        presentNumber(context, context.database, await getNumber(context.database, orgId, String(id))),
      )
      if (values.json) return printJson(view)
      printFields(fieldsOf(view))
    },
  }),
  defineCommand({
    name: 'number update',
    summary: 'Change a business number, for example replace its access token',
    details: `${DETAILS} Options that you leave out stay unchanged, but a new --base-url needs the credentials again. An empty text removes a setting. Changes apply from the next call.`,
    examples: [
      'npx nexkit number update num_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store --access-token-env META_TOKEN',
    ],
    arguments: [numberArgument],
    options: {
      org: orgOption,
      'display-phone': { type: 'string', help: 'phone number in international format', placeholder: 'phone' },
      ...numberOptions(),
      ...commonOptions,
      json: jsonOption,
    },
    run: ({ values, arguments: [id] }) =>
      change(values, UPDATED, (context, tx, orgId) =>
        updateNumber(context, tx, orgId, { id: String(id), change: readChange(values) }),
      ),
  }),
  defineCommand({
    name: 'number pause',
    summary: 'Pause sending from a business number; messages stay queued',
    examples: ['npx nexkit number pause num_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store --reason "Token expired"'],
    arguments: [numberArgument],
    options: {
      org: orgOption,
      reason: {
        type: 'string',
        help: 'reason that the console shows',
        placeholder: 'text',
        fallback: 'paused by hand',
      },
      json: jsonOption,
    },
    run: ({ values, arguments: [id] }) =>
      change(values, PAUSED, (context, tx, orgId) =>
        pauseNumber(context, tx, orgId, { id: String(id), reason: String(values.reason) }),
      ),
  }),
  defineCommand({
    name: 'number resume',
    summary: 'Resume sending from a business number, queued messages first',
    examples: ['npx nexkit number resume num_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [numberArgument],
    options: { org: orgOption, json: jsonOption },
    run: ({ values, arguments: [id] }) =>
      change(values, RESUMED, (context, tx, orgId) => resumeNumber(context, tx, orgId, { id: String(id) })),
  }),
  defineCommand({
    name: 'number delete',
    summary: 'Disconnect a business number and delete its credentials',
    details: 'Its chats stay.',
    examples: ['npx nexkit number delete num_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [numberArgument],
    options: { org: orgOption, json: jsonOption },
    run: ({ values, arguments: [id] }) =>
      change(values, DELETED, (context, tx, orgId) => deleteNumber(context, tx, orgId, { id: String(id) })),
  }),
  defineCommand({
    name: 'number probe',
    summary: 'Check the credentials of a business number at its network',
    examples: ['npx nexkit number probe num_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [numberArgument],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [id] }) {
      const outcome = await withNumbers(values, (context, orgId) => probe(context, orgId, String(id)))
      const failure = outcome.kind === 'refused' ? outcome.failure : null
      if (values.json)
        printJson({
          object: 'number_probe',
          number: id,
          ok: failure === null,
          code: failure?.code ?? null,
          detail: failure?.detail ?? null,
        })
      else
        printLine(
          failure === null ? `Number ${id} works.` : `Number ${id} does not work: ${failure.detail} (${failure.code})`,
        )
      if (failure !== null) process.exitCode = 1
    },
  }),
]

/** An empty text is the network's own address. */
const readBaseUrl = (values: CommandValues) =>
  typeof values['base-url'] === 'string' && { base_url: values['base-url'] === '' ? null : values['base-url'] }

const readNew = (values: CommandValues) => ({
  connector: String(values.connector),
  phone_number_id: String(values['phone-number-id']),
  display_phone: String(values['display-phone']),
  ...readChange(values),
})

const readChange = (values: CommandValues) => ({
  ...(typeof values['display-phone'] === 'string' && { display_phone: values['display-phone'] }),
  ...(typeof values.name === 'string' && { name: values.name }),
  ...readBaseUrl(values),
  ...(values.default === true && { is_default: true }),
  ...readFields(values),
})

type Change = { command: string; act: string; says: string }

async function change(
  values: CommandValues,
  { command, act, says }: Change,
  work: (context: ChannelsContext, tx: Tx, orgId: OrgId) => Promise<BusinessNumber>,
): Promise<void> {
  const view = await withNumbers(values, (context, orgId, enter) =>
    context.database.transaction(async (tx) => {
      const number = await work(context, tx, orgId)
      await enter(tx, orgId, { command, act, subject: number.id })
      return presentNumber(context, tx, number)
    }),
  )
  if (values.json) return printJson(view)
  printLine(`Number ${view.id} (${view.display_phone}) ${says}.`)
}

function printCreated(values: CommandValues, view: NumberView, generated: Record<string, string>): void {
  if (values.json) {
    printJson({ ...view, ...(Object.keys(generated).length > 0 && { generated }) })
    return
  }
  printLine(view.webhook_url)
  const isSimulated = isSimulatedChannel(view.connector)
  const nextStep = isSimulated
    ? 'Write to it with "npx nexkit simulate message".'
    : 'Enter the address above as the webhook URL at the network.'
  const secrets = Object.entries(generated).map(([name, secret]) => `${name} ${secret} (shown once)`)
  printNote(
    [
      `Number ${view.id} (${view.display_phone}) is connected. ${nextStep}`,
      ...(isSimulated ? [] : adviseOn(view.webhook_url)),
      ...secrets,
    ].join('\n'),
  )
}

const PROBE_TIMEOUT_MS = 15_000

/** What is wrong shows in the health of the number, too. */
async function probe(context: ChannelsContext, orgId: OrgId, id: string): Promise<CallOutcome> {
  const row = await getNumber(context.database, orgId, id)
  const opened = await createOpenedNumbers(context).open(orgId, row.id)
  if (opened === null) throw numberDisconnected({ params: { id } })
  const outcome = await opened.connector.probe(opened.number, AbortSignal.timeout(PROBE_TIMEOUT_MS))
  if (outcome.kind === 'refused') {
    const health = createNumberHealth({ ...context, log: createLog('warn') })
    health.failed(orgId, row.id, outcome.failure)
    await health.flush()
  }
  return outcome
}

const rowOf = (view: NumberView) => ({
  ID: view.id,
  PHONE: view.display_phone,
  NAME: view.name,
  CONNECTOR: view.connector,
  'PHONE NUMBER ID': view.phone_number_id,
  STATE: view.state_reason === null ? view.state : `${view.state} (${view.state_reason})`,
  DEFAULT: view.is_default ? 'yes' : '',
  QUEUED: countText(view.health.queued),
  'LAST EVENT': view.health.last_event_at ?? '-',
})

const fieldsOf = ({ health, credentials, settings, object, ...view }: NumberView): [string, string][] => [
  ...Object.entries({ ...view, ...settings }).map(([name, value]): [string, string] => [name, String(value ?? '-')]),
  ...Object.entries(credentials),
  ['queued', countText(health.queued)],
  ['last_event_at', health.last_event_at ?? '-'],
  [
    'last_error',
    health.last_error === null ? '-' : `${health.last_error.at} ${health.last_error.code}: ${health.last_error.detail}`,
  ],
]
