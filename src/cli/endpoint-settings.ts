import { WebhookEndpointChange, type WebhookEndpointChangeInput } from '../webhooks/endpoints/endpoints.schemas.ts'
import { presentEndpoint, updateEndpoint, vetEndpointChange } from '../webhooks/management/management.ts'
import { type Command, type CommandValues, defineCommand, UsageError } from './framework/command.ts'
import { readEventFilters } from './framework/flags.ts'
import { printJson, printLine } from './framework/output.ts'
import { withWebhooks } from './webhooks.ts'

/** The settings of a webhook endpoint as options of a command. An empty text removes an optional setting. */
export const settingOptions = {
  description: { type: 'string', help: 'note about its purpose', placeholder: 'text' },
  payload: { type: 'string', help: 'full, or thin for ids only (default full)', placeholder: 'form' },
  ordering: { type: 'string', help: 'none, by_key or strict (default none)', placeholder: 'order' },
  'max-per-second': { type: 'string', help: 'rate limit, in requests per second', placeholder: 'n' },
  'timeout-ms': { type: 'string', help: 'time limit of an attempt, in milliseconds', placeholder: 'ms' },
  'retry-delays-seconds': {
    type: 'string',
    help: 'custom retry schedule: a comma list of seconds between attempts, or "none"',
    placeholder: 'list',
  },
  signing: { type: 'string', help: 'signatures: v1, v1a or both (default v1)', placeholder: 'kind' },
  'verify-token': {
    type: 'string',
    help: 'whatsapp_cloud: the token that the callback expects in the handshake',
    placeholder: 'token',
  },
  number: { type: 'string', help: 'whatsapp_cloud: only events of this business number', placeholder: 'number' },
} as const

type SettingName = keyof typeof settingOptions | 'url' | 'events'

const asIs = (text: string) => text

const readers: Record<SettingName, (text: string) => unknown> = {
  url: asIs,
  events: readEventFilters,
  description: (text) => (text === '' ? null : text),
  payload: asIs,
  ordering: asIs,
  'max-per-second': (text) => (text === '' ? null : Number(text)),
  'timeout-ms': Number,
  'retry-delays-seconds': readDelays,
  signing: asIs,
  'verify-token': asIs,
  number: (text) => (text === '' ? null : text),
}

function readDelays(text: string): number[] | null {
  if (text === '') return null
  return text === 'none' ? [] : text.split(',').map(Number)
}

/** Those that were given, checked as the API checks them. */
export function readSettings(values: CommandValues): WebhookEndpointChangeInput {
  const names = (Object.keys(readers) as SettingName[]).filter((name) => values[name] !== undefined)
  const given = names.map((name) => [name.replaceAll('-', '_'), readers[name](String(values[name]))])
  const parsed = WebhookEndpointChange.safeParse(Object.fromEntries(given))
  if (parsed.success) return parsed.data
  throw new UsageError(parsed.error.issues.map(sayIssue).join(' '))
}

const sayIssue = ({ path, message }: { path: readonly PropertyKey[]; message: string }) =>
  `--${String(path[0]).replaceAll('_', '-')}: ${message}`

/** `endpoint update`: changes the named settings and no others. */
type Parts = {
  org: Command['options'][string]
  json: Command['options'][string]
  endpoint: NonNullable<Command['arguments']>[number]
}

const changeOptions = {
  url: { type: 'string', help: 'URL that receives the events', placeholder: 'url' },
  events: { type: 'string', help: 'comma list of event types, such as order.*', placeholder: 'names' },
  ...settingOptions,
} as const

export const updateCommand = ({ org, json, endpoint }: Parts): Command =>
  defineCommand({
    name: 'endpoint update',
    summary: 'Change the settings of a webhook endpoint',
    details:
      'Options that you leave out stay unchanged. An empty text removes a description, rate limit, custom retry schedule or number. A new URL is checked with a ping (whatsapp_cloud: with the handshake), and pending deliveries go to it from their next attempt.',
    examples: [
      'npx nexkit endpoint update wep_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store --events "order.*,payment.*"',
    ],
    arguments: [endpoint],
    options: { org, ...changeOptions, json },
    async run({ values, arguments: [id] }) {
      const change = readSettings(values)
      const changed = Object.keys(change)
      if (changed.length === 0)
        throw new UsageError(`Give at least one setting to change: --${Object.keys(changeOptions).join(', --')}.`)
      const view = await withWebhooks(values, async (context, orgId, enter) => {
        await vetEndpointChange(context, orgId, { id: String(id), change })
        return context.database.transaction(async (tx) => {
          const endpoint = await updateEndpoint(context, tx, orgId, { id: String(id), change })
          await enter(tx, orgId, { command: 'endpoint update', act: 'updateWebhookEndpoint', subject: endpoint.id })
          return presentEndpoint(context, tx, endpoint)
        })
      })
      if (values.json) return printJson(view)
      printLine(`Endpoint ${view.id} (${view.url}) was updated: ${changed.join(', ')}.`)
    },
  })
