import type { Event, FollowerProgress } from '../../events/events.ts'
import type { EntryExplanation } from '../../platform/outbox/entries.ts'
import type { Attempt, Delivery } from '../deliveries/deliveries.ts'
import type { Endpoint } from '../endpoints/endpoints.ts'
import type { SentenceCode } from './explanation-codes.ts'
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
  /** What the endpoint subscribed to since the event came, before what it subscribes to now; oldest first. */
  earlierFilters: { filters: string[]; until: Date }[]
}

export type Verdict = (typeof VERDICTS)[number]
export type Sentence = { code: SentenceCode; says: string; details: Record<string, unknown> }
/** The whole answer explains how a delivery ended. */
export type Step = Omit<Sentence, 'code'> & { at: Date | null; code: SentenceCode | `delivery_${Delivery['status']}` }
export type Ending = { verdict: Verdict; answer: Sentence[]; advice: Sentence[] }
/** The answer and the advice also as one piece of text. */
export type Story = Ending & {
  says: string
  nextStep: string | null
  endpointId: string
  url: string
  deliveryId: string | null
  steps: Step[]
}

export const sentence = (code: SentenceCode, says: string, details: Sentence['details'] = {}): Sentence => ({
  code,
  says,
  details,
})

export const paragraph = (sentences: readonly Sentence[]): string => sentences.map(({ says }) => says).join(' ')
