import { z } from 'zod'

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
