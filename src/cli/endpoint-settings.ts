import { WebhookEndpointChange, type WebhookEndpointChangeInput } from '../webhooks/endpoints/endpoints.schemas.ts'
import { type CommandValues, UsageError } from './framework/command.ts'
import { readEventFilters } from './framework/event-filters.ts'

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
