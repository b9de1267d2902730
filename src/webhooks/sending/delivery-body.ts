import { createHash } from 'node:crypto'
import type { EventBody } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../platform/telemetry/log.ts'

/**
 * The bytes of an attempt. Normally the stored body of the event, untouched. Where ids only are asked for, or the body is
 * too large to send, they are worked out of the stored body; always the same way, so all attempts carry the same bytes.
 */
export const BODY_BYTES_MAX = 256 * 1024
/** By the Standard Webhooks specification. More is sent all the same, but not every receiver takes it. */
export const BODY_BYTES_ADVISED = 20_000

export type DeliveryBody = {
  bytes: Buffer
  sha256: string /** Of the whole body, whatever is sent of it. */
  storedBytes: number
}

export function renderBody(
  stored: string,
  { isThin, eventsPath }: { isThin: boolean; eventsPath: string },
): DeliveryBody {
  const whole = Buffer.from(stored)
  const isTooLarge = whole.length > BODY_BYTES_MAX
  const bytes = isThin || isTooLarge ? Buffer.from(thinBody(stored, isTooLarge, eventsPath)) : whole
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), storedBytes: whole.length }
}

/** In another format than ours, whatever its size. */
export function bodyInFormat(text: string): DeliveryBody {
  const bytes = Buffer.from(text)
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), storedBytes: bytes.length }
}

const whole = new WeakMap<object, DeliveryBody>()

/** The same event goes to many endpoints, mostly whole: its bytes and their hash are worked out once for all of them. */
export function bodyOf(event: { body: string }, form: { isThin: boolean; eventsPath: string }): DeliveryBody {
  if (form.isThin) return renderBody(event.body, form)
  const known = whole.get(event)
  if (known !== undefined) return known
  const body = renderBody(event.body, form)
  whole.set(event, body)
  return body
}

type Envelope = { id: string; data: unknown; previous: unknown } & Record<string, unknown>

function thinBody(stored: string, isTruncated: boolean, eventsPath: string): string {
  const { data, previous: _, ...envelope }: Envelope = JSON.parse(stored)
  return JSON.stringify({
    ...envelope,
    ...(isTruncated && { truncated: true }),
    self: `${eventsPath}/${envelope.id}`,
    data: idsOf(data),
  })
}

/** What names the resource and its relations: enough to fetch it, nothing to read. */
function idsOf(data: unknown): Record<string, unknown> {
  if (typeof data !== 'object' || data === null) return {}
  return Object.fromEntries(
    Object.entries(data).filter(
      ([name, value]) => typeof value === 'string' && (name === 'object' || name === 'id' || name.endsWith('_id')),
    ),
  )
}

/** Warns of types of events that grow large: once a minute for each, so that a thousand of them are one line. */
export type BodySizeWatch = (event: EventBody, body: DeliveryBody) => void

const SAY_AGAIN_MS = 60_000

export function createBodySizeWatch({ clock, log }: { clock: Clock; log: Log }): BodySizeWatch {
  const saidAtMs = new Map<string, number>()
  return ({ org_id, id, type }, { storedBytes: bytes }) => {
    if (bytes <= BODY_BYTES_ADVISED) return
    const nowMs = clock.now()
    if (nowMs - (saidAtMs.get(type) ?? Number.NEGATIVE_INFINITY) < SAY_AGAIN_MS) return
    saidAtMs.set(type, nowMs)
    const isTruncated = bytes > BODY_BYTES_MAX
    log.warn(
      { org_id, event_id: id, type, bytes, is_truncated: isTruncated },
      isTruncated ? 'an event is too large to be sent whole; its ids are sent' : 'an event is larger than is advised',
    )
  }
}
