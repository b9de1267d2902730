import { matchesEvent } from '../../events/events.ts'
import type { EndpointRow } from './endpoints.sql.ts'
import { payloadOf, type ScopedEvent } from './payload-filter.ts'

/**
 * What an endpoint in the format of Meta's Cloud API differs in. It gets the events that Meta has webhooks for, each as one
 * request in Meta's shape, which the wiring renders; `X-Hub-Signature-256` in place of the headers of Standard Webhooks; and
 * the requests of one chat in order. Everything else about it is the one webhook engine.
 */
const CLOUD_EVENTS = [
  ...['message.received', 'message.edited', 'message.deleted'],
  ...['message.sent', 'message.delivered', 'message.read', 'message.played', 'message.failed'],
  ...['number.reported', 'number.restricted', 'number.updated', 'template.updated'],
]

type Format = Pick<EndpointRow, 'format'>

export const isCloudFormat = ({ format }: Format): boolean => format === 'whatsapp_cloud'

/** Those of the format that the filters name, by their names; empty when they name none. */
export const cloudEventsOf = (filters: readonly string[]): string[] =>
  CLOUD_EVENTS.filter((type) => matchesEvent([...filters], type))

/** At least the events of a chat stay in order. */
export const orderingFor = (format: Format, ordering: EndpointRow['ordering']): EndpointRow['ordering'] =>
  isCloudFormat(format) && ordering === 'none' ? 'by_key' : ordering

/** The business number that an event is about, and the chat that its deliveries are kept in order by. */
export type EventScope = { numberId: string | null; chatId: string | null }

/** Read out of the body, for endpoints of this format alone. A test has no scope. */
export function scopeOf(event: ScopedEvent): EventScope {
  const data = (payloadOf(event).data ?? {}) as { number_id?: unknown; chat_id?: unknown }
  return { numberId: textOf(data.number_id), chatId: textOf(data.chat_id) }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
