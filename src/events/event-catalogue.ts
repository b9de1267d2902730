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
  /** The resource, as the API returns it. */
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
    type: z.enum(['key', 'agent', 'user', 'contact', 'system']).meta({ description: 'The kind of actor.' }),
    id: z
      .string()
      .max(64)
      .regex(/^[A-Za-z0-9_-]*$/)
      .nullable(),
  })
  .meta({
    id: 'Actor',
    description: 'The actor that caused the event: a key, an agent, a person, a customer, or Nexkit.',
  })

export type EventActor = z.infer<typeof Actor>

export const systemActor: EventActor = { type: 'system', id: null }

/** The members of every event body. */
const shared = {
  object: z.literal('event'),
  id: idSchema('evt'),
  sequence: z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullable().meta({
    description: 'Increases by one per organization, without gaps. Null for test events.',
  }),
  created_at: timeSchema,
  timestamp: timeSchema.meta({
    description: 'The same as `created_at`, under the name that Standard Webhooks defines.',
  }),
  version: z
    .string()
    .max(10)
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .meta({ description: 'Version of the schema of `data`, as a date.' }),
  tenant: idSchema('org'),
  test: z
    .literal(true)
    .optional()
    .meta({ description: 'Present only on test events, which have no real cause. Check it before you act.' }),
  actor: Actor,
}

const previous = z.record(z.string().max(100), z.unknown()).nullable().meta({
  description:
    'The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`.',
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
    data: z.record(z.string().max(100), z.unknown()).meta({ description: 'The resource, as the API returns it.' }),
    previous,
    erased_at: timeSchema.optional().meta({
      description: 'Present if the payload was erased; `data` is then empty and `previous` is null.',
    }),
  })
  .meta({ id: 'Event', description: 'An event. Webhook endpoints receive the same bytes.' })

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
    truncated: z.literal(true).optional().meta({ description: 'Present if the full event was too large to send.' }),
    self: z
      .string()
      .max(200)
      .regex(/^\/[A-Za-z0-9_/-]+$/)
      .meta({ description: 'The path of the full event.' }),
    data: z
      .record(z.string().max(100), textSchema(1000))
      .meta({ description: 'Only `object`, `id`, and other ids such as `chat_id`.' }),
  })
  .meta({
    id: 'ThinEvent',
    description:
      'An event with only ids: for endpoints with `payload: thin`, and for all endpoints if the full event is larger than 256 KiB.',
  })

const payloadOf = (type: EventType) =>
  z.union([envelopeOf(type), ThinEvent]).meta({
    id: `${pascalCase(type.name)}Payload`,
    description: `\`${type.name}\` as an endpoint receives it: the full event, or only its ids.`,
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
