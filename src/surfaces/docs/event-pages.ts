import { addressOf, objectPath } from './api-pages.ts'
import { type ApiDescription, type EventDescription, type Schema, schemaName } from './description.ts'
import type { DocsPage } from './docs-page.ts'
import { describeFields, type SchemaReader } from './schema-text.ts'

/** The events reference: a page per type, with an example as an endpoint receives it. */
export type EventPagesOptions = { api: ApiDescription; events: EventDescription; objects: ReadonlySet<string> }

const eventPath = (type: string) => `events/${type}`

export function eventPages(options: EventPagesOptions): DocsPage[] {
  const types = Object.keys(options.events.components.messages)
  return [overviewPage(options, types), ...types.map((type) => eventPage(options, type))]
}

/** What `data` of an event is, by the schema of the whole event. */
function dataSchema({ events }: Pick<EventPagesOptions, 'events'>, type: string): Schema | undefined {
  const { messages, schemas } = events.components
  const payload = schemas[schemaName(messages[type]?.payload) ?? '']
  return whole(payload, schemas)?.properties?.data
}

/** The payload is the whole event, or its ids alone for endpoints that ask for that. */
const whole = (payload: Schema | undefined, schemas: Record<string, Schema>): Schema | undefined =>
  [payload, ...(payload?.anyOf ?? []).map((variant) => schemas[schemaName(variant) ?? ''])].find(
    (schema) => schema?.properties?.data !== undefined,
  )

/** Objects that events carry. */
export const eventObjects = (events: EventDescription): string[] => [
  ...new Set(Object.keys(events.components.messages).flatMap((type) => schemaName(dataSchema({ events }, type)) ?? [])),
]

const groupOf = (type: string) => type.slice(0, type.indexOf('.'))

function overviewPage({ events }: EventPagesOptions, types: string[]): DocsPage {
  const groups = [...Map.groupBy(types, groupOf)].map(([group, own]) => {
    const rows = own.map(
      (type) => `| [\`${type}\`](${addressOf(eventPath(type))}) | ${events.components.messages[type]?.summary} |`,
    )
    return `## ${group}\n\n| Event | When |\n|---|---|\n${rows.join('\n')}`
  })
  const summary = 'Every event that Nexkit records and sends to webhook endpoints, with an example of each.'
  return {
    path: 'events',
    title: 'Events',
    summary,
    group: '',
    markdown: `# Events\n\n${summary}\n\n${groups.join('\n\n')}\n`,
  }
}

function eventPage(options: EventPagesOptions, type: string): DocsPage {
  const { events, objects } = options
  const message = events.components.messages[type]
  const example = message?.examples[0]
  const headers = Object.entries(example?.headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  const summary = message?.summary ?? ''
  const parts = [
    `# ${type}`,
    summary,
    '## Example',
    `\`\`\`http\nPOST /your/endpoint HTTP/1.1\nContent-Type: application/json\n${headers.join('\n')}\n\`\`\``,
    `\`\`\`json\n${JSON.stringify(example?.payload, null, 2)}\n\`\`\``,
    '## Data',
    dataText(options, type, objects),
  ]
  return { path: eventPath(type), title: type, summary, group: groupOf(type), markdown: `${parts.join('\n\n')}\n` }
}

function dataText(options: EventPagesOptions, type: string, objects: ReadonlySet<string>): string {
  const schema = dataSchema(options, type)
  const name = schemaName(schema)
  if (schema === undefined) return '`data` is empty.'
  const link = (of: string) => (objects.has(of) ? addressOf(objectPath(of)) : null)
  if (name !== null && link(name) !== null) return `\`data\` is [${name}](${link(name)}).`
  const reader: SchemaReader = { schemas: options.events.components.schemas, linkTo: link }
  return `Fields of \`data\`:\n\n${describeFields(schema, reader)}`
}
