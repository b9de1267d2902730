import { WebhookEndpointChange, type WebhookEndpointChangeInput } from '../webhooks/endpoints/endpoints.schemas.ts'
import { presentEndpoint, updateEndpoint } from '../webhooks/management/management.ts'
import { type Command, type CommandValues, defineCommand, UsageError } from './framework/command.ts'
import { readEventFilters } from './framework/flags.ts'
import { printJson, printLine } from './framework/output.ts'
import { withWebhooks } from './webhooks.ts'

/** The settings of a webhook endpoint as options of a command. An empty text takes away what can be taken away. */
export const settingOptions = {
  description: { type: 'string', help: 'what it is for', placeholder: 'text' },
  payload: { type: 'string', help: 'full, or thin for ids only', placeholder: 'form' },
  ordering: { type: 'string', help: 'none, by_key or strict', placeholder: 'order' },
  'max-per-second': { type: 'string', help: 'how fast the receiver can take them', placeholder: 'n' },
  'timeout-ms': { type: 'string', help: 'how long an attempt may take', placeholder: 'ms' },
  'retry-delays-seconds': {
    type: 'string',
    help: 'comma list of waits between attempts, or none',
    placeholder: 'list',
  },
  signing: { type: 'string', help: 'v1, v1a or both', placeholder: 'kind' },
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
  url: { type: 'string', help: 'where events are posted to', placeholder: 'url' },
  events: { type: 'string', help: 'comma list of events, such as order.*', placeholder: 'names' },
  ...settingOptions,
} as const

export const updateCommand = ({ org, json, endpoint }: Parts): Command =>
  defineCommand({
    name: 'endpoint update',
    summary: 'Change a webhook endpoint; what is not named stays as it is',
    details:
      'An empty text takes away a description, a rate or a schedule of its own. A new URL is tried with a ping. What is\nunder way goes to the new URL from its next attempt on.',
    arguments: [endpoint],
    options: { org, ...changeOptions, json },
    async run({ values, arguments: [id] }) {
      const change = readSettings(values)
      const changed = Object.keys(change)
      if (changed.length === 0)
        throw new UsageError(`Say what to change: --${Object.keys(changeOptions).join(', --')}.`)
      const view = await withWebhooks(values, (context, orgId, enter) =>
        context.database.transaction(async (tx) => {
          const endpoint = await updateEndpoint(context, tx, orgId, { id: String(id), change })
          await enter(tx, orgId, { command: 'endpoint update', act: 'updateWebhookEndpoint', subject: endpoint.id })
          return presentEndpoint(context, tx, endpoint)
        }),
      )
      if (values.json) return printJson(view)
      printLine(`Endpoint ${view.id} (${view.url}) is changed: ${changed.join(', ')}.`)
    },
  })
