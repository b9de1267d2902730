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
import { countText, printFields, printJson, printLine, printList } from './framework/output.ts'
import { connectorNames, numberOptions, readFields, withNumbers } from './numbers.ts'

const numberArgument = { name: 'number', help: 'id of the business number, num_…', isRequired: true }

const commonOptions = {
  name: { type: 'string', help: 'what people call it', placeholder: 'text' },
  'base-url': { type: 'string', help: "another address than the network's own", placeholder: 'url' },
  default: { type: 'boolean', help: 'messages that name no number leave from this one' },
  ambiguous: {
    type: 'string',
    help: 'what becomes of a message nobody knows to be sent: fail or resend',
    placeholder: 'policy',
  },
  'messages-per-second': { type: 'string', help: 'what the number may send', placeholder: 'n' },
  'pair-gap-ms': { type: 'string', help: 'least time between two messages to one person', placeholder: 'ms' },
  'reply-window': {
    type: 'string',
    help: 'refuse free-form messages outside the 24-hour window early: on or off',
    placeholder: 'on|off',
  },
} as const

const DETAILS =
  'Secrets are stored encrypted and never printed. Each can be named by a variable instead, with --…-env NAME.'

const UPDATED = { command: 'number update', act: 'updateNumber', says: 'is updated' }
const PAUSED = { command: 'number pause', act: 'pauseNumber', says: 'is paused' }
const RESUMED = { command: 'number resume', act: 'resumeNumber', says: 'is connected' }
const DELETED = { command: 'number delete', act: 'deleteNumber', says: 'is disconnected' }

export const numberCommands = [
  defineCommand({
    name: 'number create',
    summary: 'Connect a business number and print where its network shall report to',
    details: `${DETAILS} A number that was deleted comes back under its old id, with its chats.`,
    options: {
      org: orgOption,
      connector: { type: 'string', help: connectorNames, placeholder: 'name', isRequired: true },
      'phone-number-id': {
        type: 'string',
        help: "the network's id of the number, not the phone",
        placeholder: 'id',
        isRequired: true,
      },
      'display-phone': {
        type: 'string',
        help: 'the phone number, in international form',
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
    options: { org: orgOption, json: jsonOption },
    async run({ values }) {
      const numbers = await withNumbers(values, async (context, orgId) => {
        const rows = await listNumbers(context.database, orgId)
        return Promise.all(rows.map((row) => presentNumber(context, context.database, row)))
      })
      printList(values, {
        data: numbers,
        rows: numbers.map(rowOf),
        none: `There is no number yet. Connect one with "npx nexkit number create --org ${values.org} --connector …".`,
      })
    },
  }),
  defineCommand({
    name: 'number show',
    summary: 'Show one business number: its settings and health, secrets masked',
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
    summary: 'Change a business number, for example to replace its access token',
    details: `${DETAILS} What is not named stays as it is; only a new --base-url wants the credentials again. An empty text takes a setting away. It counts from the next call on.`,
    arguments: [numberArgument],
    options: {
      org: orgOption,
      'display-phone': { type: 'string', help: 'the phone number, in international form', placeholder: 'phone' },
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
    summary: 'Send nothing more from a business number until it is resumed; what is to be sent waits',
    arguments: [numberArgument],
    options: {
      org: orgOption,
      reason: { type: 'string', help: 'why, for whoever looks', placeholder: 'text', fallback: 'paused by hand' },
      json: jsonOption,
    },
    run: ({ values, arguments: [id] }) =>
      change(values, PAUSED, (context, tx, orgId) =>
        pauseNumber(context, tx, orgId, { id: String(id), reason: String(values.reason) }),
      ),
  }),
  defineCommand({
    name: 'number resume',
    summary: 'Send from a paused business number again, beginning with what waited',
    arguments: [numberArgument],
    options: { org: orgOption, json: jsonOption },
    run: ({ values, arguments: [id] }) =>
      change(values, RESUMED, (context, tx, orgId) => resumeNumber(context, tx, orgId, { id: String(id) })),
  }),
  defineCommand({
    name: 'number delete',
    summary: 'Disconnect a business number; its credentials are forgotten, its chats stay',
    arguments: [numberArgument],
    options: { org: orgOption, json: jsonOption },
    run: ({ values, arguments: [id] }) =>
      change(values, DELETED, (context, tx, orgId) => deleteNumber(context, tx, orgId, { id: String(id) })),
  }),
  defineCommand({
    name: 'number probe',
    summary: 'Ask the network something harmless, to see whether the credentials work',
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
        printLine(failure === null ? `Number ${id} works.` : `It does not work: ${failure.detail} (${failure.code}).`)
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
  const secrets = Object.entries(generated).map(([name, secret]) => `${name} ${secret} (shown this once)`)
  console.error(
    [
      `Number ${view.id} (${view.display_phone}) is connected. The network reports to the address above.`,
      ...(isSimulatedChannel(view.connector) ? [] : adviseOn(view.webhook_url)),
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
