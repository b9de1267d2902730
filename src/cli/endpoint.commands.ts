import type { Id, OrgId } from '../kernel/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { isCutOff } from '../platform/outbound-http/outbound-client.ts'
import { getDelivery, presentDelivery } from '../webhooks/deliveries/deliveries.ts'
import { NewWebhookEndpoint } from '../webhooks/endpoints/endpoints.schemas.ts'
import { type Endpoint, getEndpoint, listEndpoints } from '../webhooks/endpoints/endpoints.ts'
import {
  createEndpoint,
  deleteEndpoint,
  type EndpointView,
  pauseEndpoint,
  pingEndpoint,
  presentEndpoint,
  presentEndpoints,
  type ResumeMode,
  resumeEndpoint,
  rotateSecret,
  type SentTest,
  sendTest,
  vetNewEndpoint,
} from '../webhooks/management/management.ts'
import type { WebhooksContext } from '../webhooks/webhooks-context.ts'
import { certifyCommand } from './certify.ts'
import { readSettings, settingOptions, updateCommand } from './endpoint-settings.ts'
import { type CommandValues, defineCommand, jsonOption, orgOption, UsageError } from './framework/command.ts'
import { countText, printFields, printJson, printLine, printList, printNote } from './framework/output.ts'
import { withWebhooks } from './webhooks.ts'

const endpointArgument = { name: 'endpoint', help: 'id of the endpoint, wep_…', isRequired: true }

const PAUSED = { command: 'endpoint pause', act: 'pauseWebhookEndpoint', says: 'is paused' }
const RESUMED = { command: 'endpoint resume', act: 'resumeWebhookEndpoint', says: 'is enabled' }

const LISTED_MAX = 100
const ROTATION_OVERLAP_SECONDS = 86_400
const ROTATION_OVERLAP_SECONDS_MAX = 604_800
const RESUME_MODES: readonly ResumeMode[] = ['recover_held', 'from_now']

export const endpointCommands = [
  defineCommand({
    name: 'endpoint create',
    summary: 'Create a webhook endpoint and print its secret once',
    examples: [
      'npx nexkit endpoint create --org demo-store --url http://127.0.0.1:8080/hooks',
      'npx nexkit endpoint create --org demo-store --url https://shop.example.com/hooks --events "order.*"',
      'npx nexkit endpoint create --org demo-store --url https://bot.example.com/webhook --format whatsapp_cloud --verify-token my-token',
    ],
    options: {
      org: orgOption,
      url: { type: 'string', help: 'URL that receives the events', placeholder: 'url', isRequired: true },
      events: {
        type: 'string',
        help: 'comma list of event types, such as order.*',
        placeholder: 'names',
        fallback: '*',
      },
      format: { type: 'string', help: 'standard, or whatsapp_cloud (default standard)', placeholder: 'name' },
      ...settingOptions,
      json: jsonOption,
    },
    async run({ values }) {
      const input = readNewEndpoint(values)
      const { view, secret } = await withWebhooks(values, async (context, orgId, enter) => {
        await vetNewEndpoint(context, input)
        return context.database.transaction(async (tx) => {
          const created = await createEndpoint(context, tx, orgId, input)
          const view = await presentEndpoint(context, tx, created.endpoint)
          await enter(tx, orgId, { command: 'endpoint create', act: 'createWebhookEndpoint', subject: view.id })
          return { view, secret: created.secret }
        })
      })
      printSecret(values, secret, view)
    },
  }),
  defineCommand({
    name: 'endpoint list',
    summary: 'List the webhook endpoints of an organization',
    examples: ['npx nexkit endpoint list --org demo-store'],
    options: { org: orgOption, json: jsonOption },
    async run({ values }) {
      const endpoints = await withWebhooks(values, async (context, orgId) => {
        const rows = await listEndpoints(context.database, orgId, { limit: LISTED_MAX })
        return presentEndpoints(context, context.database, orgId, rows)
      })
      printList(values, {
        data: endpoints,
        rows: endpoints.map(rowOf),
        none: `There are no webhook endpoints yet. Create one with: npx nexkit endpoint create --org ${values.org} --url https://shop.example.com/hooks`,
      })
    },
  }),
  defineCommand({
    name: 'endpoint show',
    summary: 'Show a webhook endpoint: settings, health and backlog',
    examples: ['npx nexkit endpoint show wep_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [endpointArgument],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [id] }) {
      const view = await withWebhooks(values, async (context, orgId) =>
        presentEndpoint(context, context.database, await getEndpoint(context.database, orgId, String(id))),
      )
      if (values.json) printJson(view)
      else printFields(fieldsOf(view))
    },
  }),
  updateCommand({ org: orgOption, json: jsonOption, endpoint: endpointArgument }),
  defineCommand({
    name: 'endpoint pause',
    summary: 'Pause a webhook endpoint; its events are held until it resumes',
    examples: ['npx nexkit endpoint pause wep_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [endpointArgument],
    options: { org: orgOption, json: jsonOption },
    run: ({ values, arguments: [id] }) =>
      change(values, PAUSED, (context, tx, orgId) => pauseEndpoint(context, tx, orgId, { id: String(id) })),
  }),
  defineCommand({
    name: 'endpoint resume',
    summary: 'Resume a paused, disabled or failing webhook endpoint',
    examples: ['npx nexkit endpoint resume wep_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [endpointArgument],
    options: {
      org: orgOption,
      mode: {
        type: 'string',
        help: 'recover_held sends the held and pending deliveries, from_now skips them',
        placeholder: 'mode',
        fallback: 'recover_held',
      },
      json: jsonOption,
    },
    run({ values, arguments: [id] }) {
      const mode = RESUME_MODES.find((known) => known === values.mode)
      if (mode === undefined) throw new UsageError(`--mode must be one of ${RESUME_MODES.join(', ')}.`)
      return change(values, RESUMED, (context, tx, orgId) =>
        resumeEndpoint(context, tx, orgId, { id: String(id), mode }),
      )
    },
  }),
  defineCommand({
    name: 'endpoint test',
    summary: 'Send a test event to a webhook endpoint and print the result',
    details: 'The event is marked as a test and goes to this endpoint only. A running server delivers it.',
    examples: ['npx nexkit endpoint test wep_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store --type order.paid'],
    arguments: [endpointArgument],
    options: {
      org: orgOption,
      type: { type: 'string', help: 'event type of the example', placeholder: 'event', fallback: 'key.created' },
      json: jsonOption,
    },
    async run({ values, arguments: [id] }) {
      const delivery = await withWebhooks(values, (context, orgId, enter) =>
        sendAndWait(context, orgId, async (tx) => {
          const sent = await sendTest(context, tx, orgId, { id: String(id), type: String(values.type) })
          await enter(tx, orgId, { command: 'endpoint test', act: 'testWebhookEndpoint', subject: String(id) })
          return sent
        }),
      )
      printDelivery(values, delivery)
    },
  }),
  defineCommand({
    name: 'endpoint ping',
    summary: 'Ping the URL of a webhook endpoint and print the result',
    details: 'Every new endpoint gets the same ping. A running server sends it, also while the endpoint is paused.',
    examples: ['npx nexkit endpoint ping wep_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [endpointArgument],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [id] }) {
      const delivery = await withWebhooks(values, (context, orgId, enter) =>
        sendAndWait(context, orgId, async (tx) => {
          const sent = await pingEndpoint(context, tx, orgId, { id: String(id) })
          await enter(tx, orgId, { command: 'endpoint ping', act: 'pingWebhookEndpoint', subject: String(id) })
          return sent
        }),
      )
      printDelivery(values, delivery)
    },
  }),
  defineCommand({
    name: 'endpoint rotate-secret',
    summary: 'Rotate the secret of a webhook endpoint and print the new one once',
    details:
      'During the overlap every request is signed with both secrets, so that the receiver can switch without a gap.',
    examples: ['npx nexkit endpoint rotate-secret wep_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [endpointArgument],
    options: {
      org: orgOption,
      'overlap-seconds': {
        type: 'string',
        help: 'seconds that the old secret stays valid; 0 revokes it now',
        placeholder: 'n',
        fallback: String(ROTATION_OVERLAP_SECONDS),
      },
      json: jsonOption,
    },
    async run({ values, arguments: [id] }) {
      const overlapSeconds = readOverlap(String(values['overlap-seconds']))
      const { view, secret } = await withWebhooks(values, (context, orgId, enter) =>
        context.database.transaction(async (tx) => {
          const rotated = await rotateSecret(context, tx, orgId, { id: String(id), overlapSeconds })
          const view = await presentEndpoint(context, tx, rotated.endpoint)
          await enter(tx, orgId, { command: 'endpoint rotate-secret', act: 'rotateWebhookSecret', subject: view.id })
          return { view, secret: rotated.secret }
        }),
      )
      printSecret(values, secret, view)
    },
  }),
  defineCommand({
    name: 'endpoint delete',
    summary: 'Delete a webhook endpoint and cancel its pending deliveries',
    examples: ['npx nexkit endpoint delete wep_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [endpointArgument],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [id] }) {
      await withWebhooks(values, (context, orgId, enter) =>
        context.database.transaction(async (tx) => {
          await deleteEndpoint(context, tx, orgId, { id: String(id) })
          await enter(tx, orgId, { command: 'endpoint delete', act: 'deleteWebhookEndpoint', subject: String(id) })
        }),
      )
      if (values.json) return printJson({ object: 'webhook_endpoint', id, deleted: true })
      printLine(`Endpoint ${id} is deleted.`)
    },
  }),
  certifyCommand({ org: orgOption, json: jsonOption, endpoint: endpointArgument }),
]

/** Each setting was checked before; this checks how they combine. */
function readNewEndpoint(values: CommandValues) {
  const format = values.format === undefined ? {} : { format: values.format }
  const parsed = NewWebhookEndpoint.safeParse({ ...readSettings(values), ...format })
  if (parsed.success) return parsed.data
  throw new UsageError(parsed.error.issues.map((issue) => issue.message).join(' '))
}

function readOverlap(text: string): number {
  const seconds = Number(text)
  if (!/^\d+$/.test(text) || seconds > ROTATION_OVERLAP_SECONDS_MAX)
    throw new UsageError(`--overlap-seconds must be a whole number from 0 to ${ROTATION_OVERLAP_SECONDS_MAX}.`)
  return seconds
}

type Change = { command: string; act: string; says: string }

async function change(
  values: CommandValues,
  { command, act, says }: Change,
  work: (context: WebhooksContext, tx: Tx, orgId: OrgId) => Promise<Endpoint>,
): Promise<void> {
  const view = await withWebhooks(values, async (context, orgId, enter) => {
    const endpoint = await context.database.transaction(async (tx) => {
      const changed = await work(context, tx, orgId)
      await enter(tx, orgId, { command, act, subject: changed.id })
      return changed
    })
    return presentEndpoint(context, context.database, endpoint)
  })
  if (values.json) return printJson(view)
  printLine(`Endpoint ${view.id} (${view.url}) ${says}.`)
}

function printSecret(values: CommandValues, secret: string, view: EndpointView): void {
  if (values.json) {
    printJson({ ...view, secret })
    return
  }
  printLine(secret)
  printNote(
    `Endpoint ${view.id} (${view.url}). Copy the secret above to the receiver now. You won't be able to see it again.`,
  )
}

const rowOf = (view: EndpointView) => ({
  ID: view.id,
  URL: view.url,
  STATE: view.state,
  EVENTS: view.events.join(','),
  BACKLOG: countText(view.health.backlog + view.health.held),
  SUCCESS: view.health.success_rate === null ? '-' : `${Math.round(view.health.success_rate * 100)}%`,
  DESCRIPTION: view.description ?? '',
})

const fieldsOf = ({ health, last_ping: ping, object: _, ...settings }: EndpointView): [string, string][] => [
  ...Object.entries({ ...settings, ...health }).map(([name, value]): [string, string] => [name, textOf(value)]),
  [
    'last_ping',
    ping === null ? '-' : `${ping.status} (${ping.response_status ?? ping.error_class ?? 'no response yet'})`,
  ],
]

function textOf(value: unknown): string {
  if (value === null || value === '') return '-'
  if (Array.isArray(value)) return value.join(', ') || '-'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const TEST_WAIT_MS = 20_000
const TEST_POLL_MS = 100

type Sent = ReturnType<typeof presentDelivery> | { id: Id<'dlv'>; status: 'pending'; event_id: Id<'evt'> }

/** The server creates the delivery when it follows the event; the delivery ends with its one attempt. */
async function sendAndWait(context: WebhooksContext, orgId: OrgId, send: (tx: Tx) => Promise<SentTest>): Promise<Sent> {
  const { database, clock } = context
  const { deliveryId, eventId } = await database.transaction(send)
  const untilMs = clock.now() + TEST_WAIT_MS
  while (clock.now() < untilMs) {
    const delivery = await getDelivery(database, orgId, deliveryId).catch(() => null)
    if (delivery !== null && delivery.completed_at !== null) return presentDelivery(delivery)
    await new Promise((resolve) => setTimeout(resolve, TEST_POLL_MS))
  }
  return { id: deliveryId, event_id: eventId, status: 'pending' }
}

function printDelivery(values: CommandValues, delivery: Sent): void {
  if (values.json) printJson(delivery)
  else printLine(sayDelivery(delivery, String(values.org)))
  if (delivery.status !== 'succeeded') process.exitCode = 1
}

function sayDelivery(delivery: Sent, org: string): string {
  if (!('last_response_status' in delivery))
    return `Event ${delivery.event_id} was not delivered within ${TEST_WAIT_MS / 1000} s. Check that a server is running.`
  const { last_response_status: status, last_error_class: errorClass } = delivery
  const answer = status == null || isCutOff(errorClass ?? null) ? errorClass : `status ${status}`
  return `Event ${delivery.event_id}: ${delivery.status} (${answer}). Details: npx nexkit delivery show ${delivery.id} --org ${org}`
}
