import { presentEndpoint, updateEndpoint } from '../webhooks/management/management.ts'
import { readSettings, settingOptions } from './endpoint-settings.ts'
import { type Command, defineCommand, UsageError } from './framework/command.ts'
import { printJson, printLine } from './framework/output.ts'
import { withWebhooks } from './webhooks.ts'

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
