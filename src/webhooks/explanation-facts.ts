import type { FollowerProgress } from '../events/event-log.ts'
import type { Event } from '../events/events.ts'
import type { EntryExplanation } from '../platform/outbox/entries.ts'
import type { Attempt, Delivery } from './deliveries.ts'
import type { Endpoint } from './endpoints.ts'
import type { VERDICTS } from './explanations.schemas.ts'

/** All that is known about one event and one endpoint. */
export type Facts = {
  event: Event
  endpoint: Endpoint
  fanOut: FollowerProgress
  delivery: Delivery | null
  /** On its way together with others, before there is a delivery to show for it. */
  isBundled: boolean
  attempts: Attempt[]
  /** What the outbox says of the delivery's own entry. */
  waiting: EntryExplanation | null
  /** A resend by hand that is on its way. */
  isResending: boolean
  /** What the endpoint subscribed to when the event came, if that was something else than now. */
  filtersBefore: { filters: string[]; changedAt: Date } | null
}

/** And what is told of it. */
export type Verdict = (typeof VERDICTS)[number]
export type Step = { at: Date | null; code: string; says: string; details: Record<string, unknown> }
export type Ending = { verdict: Verdict; says: string; nextStep: string | null }
export type Story = Ending & { endpointId: string; url: string; deliveryId: string | null; steps: Step[] }
