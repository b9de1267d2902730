import type { PaymentFailure } from '../../payment-connector.ts'
import {
  declined,
  lookUp,
  type ProviderAnswer,
  readText,
  rejected,
  unavailable,
} from '../../provider-calls/provider-calls.ts'

/** Maps Xendit's errors to our codes: by error code if it is known, else by HTTP status. */
const REJECTIONS: Readonly<Record<string, string>> = {
  API_VALIDATION_ERROR: 'request_rejected',
  INVALID_VALUE_ERROR: 'request_rejected',
  INVALID_API_KEY: 'credentials_refused',
  REQUEST_FORBIDDEN_ERROR: 'credentials_refused',
  UNAUTHORIZED: 'credentials_refused',
  INVALID_MERCHANT_SETTINGS: 'method_not_activated',
  CHANNEL_NOT_ACTIVATED: 'method_not_activated',
  INACTIVE_PAYMENT_REQUEST: 'state_conflict',
  DATA_NOT_FOUND: 'payment_not_found',
  REFUND_AMOUNT_EXCEEDED: 'refund_amount_exceeded',
  INELIGIBLE_TRANSACTION_STATUS: 'refund_refused',
  INELIGIBLE_TRANSACTION: 'refund_refused',
  REFUND_NOT_SUPPORTED: 'refund_not_supported',
  PARTIAL_REFUND_NOT_SUPPORTED: 'refund_partial_not_supported',
  PARTIAL_REFUND_COUNTS_EXCEEDED: 'refund_refused',
  INSUFFICIENT_BALANCE: 'balance_insufficient',
  DUPLICATE_ERROR: 'duplicate_attempt',
}

const RETRYABLE: Readonly<Record<string, string>> = {
  PAYMENT_REQUEST_RATE_LIMITED: 'throttled',
  RATE_LIMIT_EXCEEDED: 'throttled',
  // These concern one bank or one issuer; the others may work.
  CHANNEL_UNAVAILABLE: 'channel_unavailable',
  ISSUER_UNAVAILABLE: 'channel_unavailable',
  SERVER_ERROR: 'provider_unavailable',
  REFUND_IN_PROGRESS: 'refund_in_progress',
  TEMPORARILY_UNAVAILABLE: 'channel_unavailable',
}

const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'request_rejected',
  401: 'credentials_refused',
  403: 'credentials_refused',
  409: 'duplicate_attempt',
}

/** Refusals that are trusted without an error code of Xendit. 403 and 404 are not, because a proxy may send them. */
const BELIEVED = [400, 401, 409]

const DETAIL_LENGTH_MAX = 500

export type Answered = Extract<ProviderAnswer, { kind: 'answered' }>

export const errorCodeOf = ({ body }: Answered): string | null => readText(body ?? {}, 'error_code')

export function failureOf(answer: Answered): PaymentFailure {
  const { status, body, retryAfterMs } = answer
  const errorCode = errorCodeOf(answer)
  const providerCode = errorCode ?? String(status)
  const detail = (readText(body ?? {}, 'message') ?? `Xendit responded with status ${status}.`).slice(
    0,
    DETAIL_LENGTH_MAX,
  )
  const more = { providerCode, retryAfterMs }
  const retryable = lookUp(RETRYABLE, providerCode) ?? (status === 429 ? 'throttled' : null)
  if (retryable !== null) return unavailable(retryable, detail, more)
  if (status >= 500 || (status === 408 && errorCode !== null)) return unavailable('provider_unavailable', detail, more)
  if (errorCode === null && !BELIEVED.includes(status))
    return unavailable('answer_unreadable', 'The answer does not come from Xendit.', more)
  return rejected(lookUp(REJECTIONS, providerCode) ?? BY_STATUS[status] ?? 'answer_unexpected', detail, more)
}

/** Errors that state that nothing was created. */
const HARMLESS_TROUBLE = ['CHANNEL_UNAVAILABLE', 'ISSUER_UNAVAILABLE']

/** A server error may follow an effect. */
export const isAmbiguous = (answer: Answered): boolean =>
  answer.status >= 500 && !HARMLESS_TROUBLE.includes(errorCodeOf(answer) ?? '')

/** Requires an error code of Xendit, because a "not found" of a proxy proves nothing about a payment. */
export const isAbsent = (answer: Answered): boolean => answer.status === 404 && errorCodeOf(answer) !== null

/** The server does not offer this resource, or not for reading. */
const NOT_SERVED = [404, 405]

/**
 * The resource is hidden from this key or not served at this address, and a retry does not help. Only an error code of Xendit
 * proves that a key lacks access. A compatible server with fewer resources answers 404 without such a code; it is trusted,
 * because it has answered the main request before.
 */
export const isHidden = (answer: Answered): boolean =>
  NOT_SERVED.includes(answer.status) || (errorCodeOf(answer) !== null && failureOf(answer).class === 'rejected')

export const declinedWith = (failureCode: string | null): PaymentFailure =>
  declined('payment_denied', 'Xendit could not make it payable.', { providerCode: failureCode })
