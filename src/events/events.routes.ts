import { z } from 'zod'
import type { OrgId } from '../kernel/ids.ts'
import type { Database } from '../platform/database/database.ts'
import { defineList } from '../platform/http/define-list.ts'
import { defineRoute, key } from '../platform/http/define-route.ts'
import { jsonSchemaOf, openEnums } from '../platform/http/openapi/openapi-schemas.ts'
import { cursorParameter, idSchema, limitParameter, listOf, textSchema } from '../platform/http/schemas.ts'
import { allEventTypes, bodyShapeOf, EVENT_VERSION, EventShape, type EventType, exampleOf } from './event-catalogue.ts'
import { assertJoins, type Event, getEvent, listEvents, listTestEvents } from './event-feed.ts'
import {
  EVERYTHING,
  FILTER_FORM_SAYS,
  filterForm,
  namesMatching,
  publishedFilters,
  refuseUnknownFilters,
} from './event-filter.ts'
import { eventNotFound, eventsExpired, sequenceAhead } from './events.errors.ts'

const eventName = z
  .string()
  .max(100)
  .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/, 'This must be an event name such as order.paid.')

const EventTypeShape = z
  .object({
    object: z.literal('event_type'),
    name: eventName,
    description: textSchema(1000),
    group: z
      .string()
      .max(50)
      .regex(/^[a-z0-9_]+$/)
      .meta({ description: 'The resource of the event.' }),
    version: z
      .string()
      .max(10)
      .regex(/^\d{4}-\d{2}-\d{2}$/),
    deprecated: z.boolean().meta({ description: 'Still sent, but not for new integrations.' }),
    schema: z.record(z.string().max(100), z.unknown()).meta({ description: 'JSON Schema of the event.' }),
    example: z.record(z.string().max(100), z.unknown()),
  })
  .meta({ id: 'EventType', description: 'An event type that webhook endpoints can subscribe to.' })

const eventExample = () => {
  const [first] = allEventTypes()
  return first === undefined ? {} : exampleOf(first)
}

const eventQuery = z
  .strictObject({
    limit: limitParameter,
    cursor: cursorParameter,
    after: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional().meta({
      description:
        'Only events with a higher sequence, oldest first; use it to catch up. 0 starts at the oldest event that is kept. Without it, the newest events come first.',
    }),
    types: z
      .array(z.string().min(1).max(100).regex(filterForm, FILTER_FORM_SAYS).meta(publishedFilters))
      .min(1)
      .max(50)
      .superRefine(refuseUnknownFilters)
      .optional()
      .meta({ description: 'Event types, joined with commas: names, or all of a resource as `order.*`.' }),
    subject: z
      .string()
      .max(64)
      .regex(/^[A-Za-z0-9_+-]+$/, 'This must be the id of a resource, such as ord_… or wep_….')
      .optional()
      .meta({ description: 'Only events about the resource with this id.' }),
    test: z.boolean().optional().meta({
      description:
        'List test events (tests and pings of endpoints) instead of real ones, newest first. Not allowed with `after`, because they have no sequence.',
    }),
  })
  .superRefine(({ test, after }, context) => {
    if (test && after !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['after'],
        message: 'Test events have no sequence. Leave out this parameter or "test".',
      })
  })

/** `*` also matches types that are no longer in the catalogue. */
const typesOf = ({ types }: Pick<z.output<typeof eventQuery>, 'types'>) =>
  types === undefined || types.includes(EVERYTHING) ? {} : { types: namesMatching(types) }

type EventQuery = z.output<typeof eventQuery>

const sortOf = ({ test, after }: Pick<EventQuery, 'test' | 'after'>) =>
  test ? '-id' : after === undefined ? '-sequence' : 'sequence'

/** Tests are listed apart, by id: they have no sequence. `from` is the place that a cursor names. */
async function pageOf(
  database: Database,
  orgId: OrgId,
  { limit, after, subject, test, ...filters }: EventQuery,
  from: string | number | null | undefined,
): Promise<Event[]> {
  const wanted = { limit, ...typesOf(filters), ...(subject !== undefined && { subject }) }
  if (test) return listTestEvents(database, orgId, { ...wanted, ...(from !== undefined && { beforeId: String(from) }) })
  const place = from === undefined ? undefined : Number(from)
  const rows = await listEvents(database, orgId, {
    ...wanted,
    ...(after === undefined ? place !== undefined && { before: place } : { after: place ?? after }),
  })
  const seen = place === undefined ? (after ?? 0) : 0
  if (seen > 0 && rows[0]?.sequence !== seen + 1) await assertJoins(database, orgId, seen)
  return rows
}

export const eventRoutes = ({ database }: { database: Database }, catalogue = createCatalogue()) => [
  defineList({
    id: 'listEvents',
    path: '/events',
    tag: 'Events',
    summary: 'List events',
    description:
      'Returns events, newest first; with `after`, the events after that sequence, oldest first. Sequences have no gaps, so a reader that stores the last sequence it read misses nothing. If it was away for longer than events are kept, or the server was restored from a backup, the response is 410 `events_expired`; if the sequence does not exist yet, 409 `sequence_ahead`. Bodies are the same bytes that webhooks deliver. Test events are listed only with `test=true`.',
    access: key('events:read'),
    agentTool: { reads: 'customer_text' },
    query: eventQuery,
    item: EventShape,
    errors: [eventsExpired, sequenceAhead],
    example: { items: [eventExample()] },
    list: 'events',
    sort: sortOf,
    read: ({ caller, filters, limit, position }) =>
      pageOf(database, caller.orgId, { ...filters, limit }, position?.[0]),
    place: ({ id, sequence }, { filters }) => [filters.test ? id : sequence],
    present: (rows) => rows.map(({ body }) => JSON.parse(body)),
  }),
  defineRoute({
    id: 'getEvent',
    method: 'GET',
    path: '/events/{id}',
    tag: 'Events',
    summary: 'Get an event',
    description: 'Returns one event. Its id is also the `webhook-id` of its deliveries.',
    access: key('events:read'),
    agentTool: { reads: 'customer_text' },
    params: z.object({ id: idSchema('evt') }),
    reply: { status: 200, body: EventShape },
    errors: [eventNotFound],
    example: { params: { id: 'evt_01k9x3m5q8e0t9v7a2b4c6d8fg' }, reply: eventExample() },
    handle: async ({ caller, params }) => JSON.parse((await getEvent(database, caller.orgId, params.id)).body),
  }),
  defineRoute({
    id: 'listEventTypes',
    method: 'GET',
    path: '/event-types',
    tag: 'Events',
    summary: 'List event types',
    description: 'Every event type with its description, JSON Schema and an example; with `name`, only that one.',
    access: key('events:read'),
    agentTool: { reads: 'catalogue' },
    query: z.strictObject({ name: eventName.optional().meta({ description: 'Only the event type with this name.' }) }),
    reply: { status: 200, body: listOf(EventTypeShape) },
    example: {
      reply: {
        object: 'list',
        data: allEventTypes()
          .slice(0, 1)
          .map((type) => ({ ...catalogueEntry(type), schema: { type: 'object' } })),
        has_more: false,
        next_cursor: null,
        url: '/api/public/v1/event-types',
      },
    },
    handle: ({ path, query: { name } }) => ({
      object: 'list' as const,
      data: catalogue().filter((type) => name === undefined || type.name === name),
      has_more: false,
      next_cursor: null,
      url: path,
    }),
  }),
]

const catalogueEntry = (type: EventType) => ({
  object: 'event_type' as const,
  name: type.name,
  description: type.description,
  group: type.name.slice(0, type.name.indexOf('.')),
  version: EVENT_VERSION,
  deprecated: type.isDeprecated ?? false,
  schema: openEnums(jsonSchemaOf(bodyShapeOf(type), 'output')),
  example: exampleOf(type),
})

/** Written when first asked for: by then every capability has declared its events, and schemas of all of them take a while. */
function createCatalogue() {
  let catalogue: ReturnType<typeof catalogueEntry>[] | null = null
  return () => {
    catalogue ??= allEventTypes().map(catalogueEntry)
    return catalogue
  }
}
