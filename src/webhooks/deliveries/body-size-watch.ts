import type { EventBody } from '../../events/events.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { BODY_BYTES_ADVISED, BODY_BYTES_MAX, type DeliveryBody } from './delivery-body.ts'

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
