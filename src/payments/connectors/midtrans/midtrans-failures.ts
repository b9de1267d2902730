import type { PaymentFailure } from '../../payment-connector.ts'
import {
  declined,
  type LooseRecord,
  lookUp,
  readText,
  rejected,
  unavailable,
} from '../../provider-calls/provider-calls.ts'
import { type MidtransAnswer, UNREADABLE } from './midtrans.client.ts'

/** Maps the codes of Midtrans to ours. 429, 5xx and 900 are retried; any other answer would be the same later. */
const REJECTIONS: Readonly<Record<string, string>> = {
  '400': 'request_rejected',
  '401': 'credentials_refused',
  '402': 'method_not_activated',
  '403': 'credentials_refused',
  '404': 'payment_not_found',
  '405': 'request_rejected',
  '406': 'duplicate_attempt',
  '407': 'payment_expired',
  '408': 'request_rejected',
  '411': 'request_rejected',
  '412': 'state_conflict',
  '413': 'request_rejected',
  '414': 'refund_refused',
}

const DETAIL_LENGTH_MAX = 500

type Answered = Extract<MidtransAnswer, { kind: 'answered' }>

const isTrouble = (code: string): boolean => code === '900' || /^5\d\d$/.test(code)

/** 503 means that the bank is down and nothing was created; any other server error may follow an effect. */
export const isAmbiguous = (code: string): boolean => code === UNREADABLE || (isTrouble(code) && code !== '503')

export function failureOf({ code, body, retryAfterMs }: Answered): PaymentFailure {
  const detail = detailOf(body) || `Midtrans responded with status ${code}.`
  const more = { providerCode: code, retryAfterMs }
  if (code === UNREADABLE) return unavailable('answer_unreadable', 'The answer does not come from Midtrans.', more)
  if (code === '429') return unavailable('throttled', detail, more)
  if (isTrouble(code)) return unavailable('provider_unavailable', detail, more)
  if (code === '410') return declined('payer_blocked', detail, more)
  if (code === '202') return declined('payment_denied', detail, more)
  return rejected(lookUp(REJECTIONS, code) ?? 'answer_unexpected', detail, more)
}

/** Validation messages name the field; the hosted page calls them `error_messages`. */
function detailOf(body: LooseRecord): string {
  const lists = [body.validation_messages, body.error_messages].flatMap((list) => (Array.isArray(list) ? list : []))
  const texts = [readText(body, 'status_message'), ...lists.filter((item) => typeof item === 'string')]
  return texts
    .filter((text) => text !== null)
    .join(' ')
    .slice(0, DETAIL_LENGTH_MAX)
}
