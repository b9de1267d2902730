import { type Event, getEvent, listEvents, listTestEvents, namesMatching } from '../events/events.ts'
import { explainEvent, presentExplanation, type Step, type Story } from '../webhooks/explain/explain.ts'
import { type CommandValues, defineCommand, jsonOption, orgOption, UsageError } from './framework/command.ts'
import { limitOption, readEventFilters, readLimit } from './framework/flags.ts'
import { printFields, printJson, printLine, printList } from './framework/output.ts'
import { withWebhooks } from './webhooks.ts'

const eventArgument = { name: 'event', help: 'id of the event, evt_…', isRequired: true }

const LISTED_MAX = 200

export const eventCommands = [
  defineCommand({
    name: 'event list',
    summary: 'List the events of an organization, newest first',
    details: 'With --after, the oldest come first.',
    examples: ['npx nexkit event list --org demo-store --types "order.*"'],
    options: {
      org: orgOption,
      types: { type: 'string', help: 'comma list of event types, such as order.*', placeholder: 'names' },
      subject: { type: 'string', help: 'only events about this resource', placeholder: 'id' },
      after: { type: 'string', help: 'only events with a higher sequence, oldest first', placeholder: 'sequence' },
      test: { type: 'boolean', help: 'test events and pings instead of real events' },
      limit: limitOption(LISTED_MAX),
      json: jsonOption,
    },
    async run({ values }) {
      const page = readPage(values)
      if (values.test === true && page.after !== undefined)
        throw new UsageError('Test events have no sequence: give --test or --after, not both.')
      const events = await withWebhooks(values, ({ database }, orgId) =>
        values.test === true ? listTestEvents(database, orgId, page) : listEvents(database, orgId, page),
      )
      printList(values, { data: events.map(bodyOf), rows: events.map(rowOf), none: 'No events match.' })
    },
  }),
  defineCommand({
    name: 'event show',
    summary: 'Show an event as webhooks deliver it',
    examples: ['npx nexkit event show evt_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [eventArgument],
    options: { org: orgOption, json: jsonOption },
    async run({ values, arguments: [id] }) {
      const event = await withWebhooks(values, ({ database }, orgId) => getEvent(database, orgId, String(id)))
      if (values.json) printJson(bodyOf(event))
      else printEvent(event)
    },
  }),
  defineCommand({
    name: 'event explain',
    summary: 'Explain why an event did or did not reach a webhook endpoint',
    details:
      'Prints the timeline from the event to the last attempt and the next step, for every endpoint or for --endpoint.',
    examples: ['npx nexkit event explain evt_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store'],
    arguments: [eventArgument],
    options: {
      org: orgOption,
      endpoint: { type: 'string', help: 'only this endpoint, which may be deleted', placeholder: 'wep_…' },
      json: jsonOption,
    },
    async run({ values, arguments: [id] }) {
      const endpointId = values.endpoint === undefined ? undefined : String(values.endpoint)
      const explanation = await withWebhooks(values, (context, orgId) =>
        explainEvent(context, orgId, { eventId: String(id), endpointId }),
      )
      if (values.json) return printJson(presentExplanation(explanation))
      const { event, stories } = explanation
      printLine(`${event.type} ${event.id}, ${event.is_test ? 'a test' : `number ${event.sequence}`}`)
      if (stories.length === 0) printLine('\nThe organization has no webhook endpoints, so the event was not sent.')
      for (const story of stories) printStory(story)
    },
  }),
]

function readPage(values: CommandValues) {
  const types = values.types === undefined ? undefined : namesMatching(readEventFilters(String(values.types)))
  return {
    ...(types !== undefined && { types }),
    ...(values.subject !== undefined && { subject: String(values.subject) }),
    ...(values.after !== undefined && { after: readSequence(String(values.after)) }),
    limit: readLimit(String(values.limit), LISTED_MAX),
  }
}

function readSequence(text: string): number {
  const sequence = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(sequence)) return sequence
  throw new UsageError('--after must be the sequence of an event, a whole number.')
}

const bodyOf = ({ body }: Event) => JSON.parse(body)

const numberText = ({ is_test: isTest, sequence }: Event) => (isTest ? 'test' : String(sequence))

const rowOf = (event: Event) => ({
  SEQUENCE: numberText(event),
  ID: event.id,
  CREATED: event.created_at.toISOString(),
  TYPE: event.type,
  SUBJECT: event.subject,
})

function printEvent(event: Event): void {
  const { data, previous, actor, erased_at } = bodyOf(event)
  printFields([
    ['Event', event.id],
    ['Type', event.type],
    ['Sequence', numberText(event)],
    ['Created', event.created_at.toISOString()],
    ['Subject', event.subject],
    ['Actor', actor.id === null ? actor.type : `${actor.type} ${actor.id}`],
    ['Request', event.request_id ?? 'none'],
    ...(erased_at === undefined ? [] : [['Erased', erased_at] as [string, string]]),
  ])
  printLine(`\nData\n${JSON.stringify(data, null, 2)}`)
  if (previous !== null) printLine(`\nBefore\n${JSON.stringify(previous, null, 2)}`)
}

function printStory({ endpointId, url, verdict, says, nextStep, steps }: Story): void {
  printLine(`\n${endpointId} ${url}`)
  printLine(`  ${verdict}: ${says}`)
  if (nextStep !== null) printLine(`  next: ${nextStep}`)
  printLine()
  for (const step of steps) printLine(`  ${sayStep(step)}`)
}

const TIME_WIDTH = 24

const sayStep = ({ at, says }: Step) => `${(at?.toISOString() ?? '-').padEnd(TIME_WIDTH)}  ${says}`
