import type { Event, FollowerProgress } from '../../events/events.ts'
import type { EntryExplanation } from '../../platform/outbox/entries.ts'
import type { Attempt, Delivery } from '../deliveries/deliveries.ts'
import type { Endpoint } from '../endpoints/endpoints.ts'
import type { VERDICTS } from './explain.schemas.ts'

/**
 * Every sentence that an explanation is made of, by its code. Translations go by these: a code is never
 * renamed or reused, and a new one needs its sentence in every language (console/app/text/).
 */
const steps = [
  'event_recorded',
  'payload_erased',
  'bundled',
  'test_of_another',
  'before_endpoint',
  'endpoint_deleted',
  'about_itself',
  'not_subscribed',
  'other_number',
  'more_specific_callback',
  'payload_filtered',
  'filters_changed',
  'fan_out_behind',
  'delivery_missing',
  'delivery_owed',
  'body_large',
  'body_truncated',
  'attempt_succeeded',
  'attempt_failed',
] as const

/** What it waits for, as the outbox says. */
const waits = [
  'outbox_in_flight',
  'outbox_held',
  'outbox_lane_missing',
  'outbox_lane_paused',
  'outbox_lane_closed',
  'outbox_breaker_open',
  'outbox_lane_blocked',
  'outbox_throttled',
  'outbox_behind_other',
  'outbox_not_due',
  'outbox_lane_full',
  'outbox_ready',
  'outbox_empty',
] as const

const answers = [
  'arrived',
  'arrived_then_failed',
  'sent_once_more',
  'not_tried_yet',
  'tried_in_vain',
  'all_attempts_failed',
  'only_attempt_failed',
  'receiver_gone',
  'aborted_by_receiver',
  'event_expired',
  'failed_endpoint_deleted',
  'failed_erased',
  'last_attempt_answered',
  'last_attempt_unanswered',
  'held_paused',
  'held_disabled',
  'held_resuming',
  'cancelled_endpoint_deleted',
  'cancelled_endpoint_disabled',
  'cancelled_in_flight',
  'cancelled_erased',
  'cancelled_recovery',
  'cancelled',
  'skipped',
  'resend_under_way',
  'happened_before_endpoint',
  'unsubscribed',
  'unsubscribed_then',
  'unsubscribed_since',
  'fan_out_soon',
  'no_trace',
] as const

const advices = [
  'resume',
  'ask_again_or_resend',
  'tried_again_by_itself',
  'then_resend',
  'resend_or_recover',
  'resend_or_resume_and_recover',
  'recover_missing',
  'resume_and_recover_missing',
  'subscribe_and_recover_missing',
  'subscribe_resume_and_recover_missing',
  'change_filter_and_recover_missing',
  'watch_from_another',
  'wait_a_moment',
  'wait_for_worker',
  'check_endpoint',
  'check_receiver',
  'check_host_name',
  'give_public_address',
  'check_running',
  'look_at_early_closing',
  'repair_certificate',
  'check_overload',
  'answer_first',
  'set_url_of_redirect',
  'check_protocol',
  'shorten_answer',
  'check_signature',
  'check_path',
  'give_other_url',
  'set_rate',
  'look_in_log',
] as const

export const sentenceCodes = [...steps, ...waits, ...answers, ...advices] as const
type SentenceCode = (typeof sentenceCodes)[number]

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

type Verdict = (typeof VERDICTS)[number]
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
