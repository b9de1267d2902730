import { z } from 'zod'
import { pascalCase } from '../platform/http/openapi/openapi-errors.ts'
import { idSchema, textSchema, timeSchema } from '../platform/http/schemas.ts'

/**
 * The catalogue: every type of event is declared once with `defineEvent`, by the capability that records it. Payload
 * type, validation, the entry at /event-types, the OpenAPI webhook and the example in the docs come from that value.
 */
export type EventType<Data extends z.ZodType = z.ZodType> = {
  /** resource.past_tense */
  name: string
  description: string
  /** The resource as the API returns it. */
  data: Data
  example: z.input<Data>
  /** About webhooks themselves: never delivered to the endpoint it is about, so nothing can feed on itself. */
  isOperational?: boolean
  /** Deprecated: still recorded and delivered, but not for new integrations. The description says what to use instead. */
  isDeprecated?: boolean
}

const NAME = /^[a-z0-9_]+(\.[a-z0-9_]+)+$/
const declared = new Map<string, EventType>()

export function defineEvent<Data extends z.ZodType>(type: EventType<Data>): EventType<Data> {
  if (!NAME.test(type.name)) throw new Error(`"${type.name}" is not an event name`)
  if (declared.has(type.name)) throw new Error(`event ${type.name} is declared twice`)
  declared.set(type.name, type as unknown as EventType)
  return type
}

export const allEventTypes = (): EventType[] =>
  [...declared.values()].sort((one, other) => (one.name < other.name ? -1 : 1))

export const findEventType = (name: string): EventType | null => declared.get(name) ?? null

/** The schema date of all event bodies; a change that is not additive is a new type. */
export const EVENT_VERSION = '2026-11-01'

export const Actor = z
  .object({
    type: z.enum(['key', 'agent', 'user', 'contact', 'system']).meta({ description: 'Who made it happen.' }),
    id: z
      .string()
      .max(64)
      .regex(/^[A-Za-z0-9_-]*$/)
      .nullable(),
  })
  .meta({ id: 'Actor', description: 'Who made it happen: a key, an agent, a person, a customer, or Nexkit itself.' })

export type EventActor = z.infer<typeof Actor>

export const systemActor: EventActor = { type: 'system', id: null }

/** The members of every event body. */
const shared = {
  object: z.literal('event'),
  id: idSchema('evt'),
  sequence: z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullable().meta({
    description: 'Rises by one per organization, without gaps. Null on test events, which have no place in that order.',
  }),
  created_at: timeSchema,
  timestamp: timeSchema.meta({
    description: 'The same as `created_at`, under the name that Standard Webhooks gives it.',
  }),
  version: z
    .string()
    .max(10)
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .meta({ description: 'Date of the schema of `data`.' }),
  tenant: idSchema('org'),
  test: z
    .literal(true)
    .optional()
    .meta({ description: 'Present on test events only: nothing happened. Receivers check it before they act.' }),
  actor: Actor,
}

const previous = z.record(z.string().max(100), z.unknown()).nullable().meta({
  description:
    'State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`.',
})

const anyType = z
  .string()
  .max(100)
  .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/)

/** Any event, as the feed returns it. */
export const EventShape = z
  .object({
    ...shared,
    type: anyType,
    data: z.record(z.string().max(100), z.unknown()).meta({ description: 'The resource as the API returns it.' }),
    previous,
    erased_at: timeSchema.optional().meta({
      description: 'Present when the payload was erased: `data` is empty then and `previous` null, for good.',
    }),
  })
  .meta({ id: 'Event', description: 'Something that happened. The same bytes are delivered to webhook endpoints.' })

/** Without a name: the schema of something that has one is only a reference to it. */
export const bodyShapeOf = (type: EventType) =>
  z.object({ ...shared, type: z.literal(type.name), data: type.data, previous })

export const envelopeOf = (type: EventType) =>
  bodyShapeOf(type).meta({ id: `${pascalCase(type.name)}Event`, description: type.description })

/** The other form in which any event may reach an endpoint; webhooks/ holds its setting and the code that produces it. */
const ThinEvent = z
  .object({
    ...shared,
    type: anyType,
    truncated: z
      .literal(true)
      .optional()
      .meta({ description: 'Present where the whole event was too large to be sent.' }),
    self: z
      .string()
      .max(200)
      .regex(/^\/[A-Za-z0-9_/-]+$/)
      .meta({ description: 'The path to fetch the whole event from.' }),
    data: z
      .record(z.string().max(100), textSchema(1000))
      .meta({ description: 'What names things alone: `object`, `id`, and other ids such as `chat_id`.' }),
  })
  .meta({
    id: 'ThinEvent',
    description:
      'An event with ids only: to an endpoint with `payload: thin`, and to every endpoint where the whole would be more than 256 KiB.',
  })

const payloadOf = (type: EventType) =>
  z.union([envelopeOf(type), ThinEvent]).meta({
    id: `${pascalCase(type.name)}Payload`,
    description: `\`${type.name}\` as an endpoint gets it: the whole event, or its ids alone.`,
  })

export const exampleOf = (type: EventType) => ({
  object: 'event',
  id: 'evt_01k9x3m5q8e0t9v7a2b4c6d8fg',
  type: type.name,
  sequence: 4711,
  created_at: '2026-11-14T09:30:00.000Z',
  timestamp: '2026-11-14T09:30:00.000Z',
  version: EVENT_VERSION,
  tenant: 'org_01k9x3m5q8e0t9v7a2b4c6d8fg',
  actor: { type: 'system', id: null },
  data: type.example,
  previous: null,
})

export const webhookDescriptions = () =>
  allEventTypes().map((type) => ({
    type: type.name,
    summary: type.description,
    description: type.description,
    isDeprecated: type.isDeprecated ?? false,
    schema: payloadOf(type),
    example: exampleOf(type),
  }))
