import type { ChannelFailure } from '../../channel-connector.ts'
import { idOf, type Json, objectOf, textOf } from './json-reading.ts'

/**
 * What an error of Graph means for us. Meta's advice is to branch on the code, not on the HTTP status, which differs from
 * report to report; the status decides only where no code is known.
 */
type Meaning = Pick<ChannelFailure, 'class' | 'code'> & { scope?: 'recipient'; retryAfterMs?: number }

const account = (code: string): Meaning => ({ class: 'account', code })
const retry = (code: string, retryAfterMs?: number): Meaning => ({
  class: 'retry',
  code,
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})
const permanent = (code: string): Meaning => ({ class: 'permanent', code })

const MINUTE = 60_000

const MEANINGS = new Map<number, Meaning>([
  [0, account('credentials_refused')],
  [190, account('credentials_refused')],
  [104, account('credentials_refused')],
  [3, account('permission_missing')],
  [10, account('permission_missing')],
  [131005, account('permission_missing')],
  [33, account('number_unknown')],
  [368, account('account_restricted')],
  [131031, account('account_restricted')],
  [131042, account('billing_problem')],
  [131045, account('number_not_registered')],
  [133010, account('number_not_registered')],
  [131037, account('display_name_missing')],
  [131048, account('spam_restricted')],
  [131064, account('messaging_limit_reached')],

  [1, retry('unavailable')],
  [2, retry('unavailable')],
  [131000, retry('unavailable')],
  [131016, retry('unavailable')],
  [133004, retry('unavailable')],
  [131057, retry('unavailable', MINUTE)],
  [4, retry('throttled')],
  [80007, retry('throttled')],
  [130429, retry('throttled')],
  [131056, { class: 'retry', code: 'recipient_throttled', scope: 'recipient' }],
  [133016, retry('throttled', 60 * MINUTE)],
  // One flow, ten times an hour: nothing else that the number sends has to wait for it.
  [132069, { ...retry('throttled', 6 * MINUTE), scope: 'recipient' }],

  [2593109, permanent('history_declined')],

  [131047, { class: 'window', code: 'reply_window_closed' }],

  [100, permanent('parameter_invalid')],
  [131008, permanent('parameter_invalid')],
  [131009, permanent('parameter_invalid')],
  [135000, permanent('parameter_invalid')],
  [131021, permanent('recipient_is_sender')],
  [131026, permanent('recipient_unreachable')],
  [131030, permanent('recipient_not_allowed')],
  [130497, permanent('recipient_country_restricted')],
  [130403, permanent('recipient_blocked')],
  [131049, permanent('marketing_limit_reached')],
  [131050, permanent('recipient_opted_out')],
  [130472, permanent('recipient_in_experiment')],
  [131063, permanent('marketing_disabled')],
  [131051, permanent('type_unsupported')],
  [131052, permanent('media_unusable')],
  [131053, permanent('media_unusable')],
  [131062, permanent('recipient_unreachable')],
  [132000, permanent('template_parameters_wrong')],
  [132012, permanent('template_parameters_wrong')],
  [132018, permanent('template_parameters_wrong')],
  [132001, permanent('template_not_found')],
  [132005, permanent('template_text_too_long')],
  [132007, permanent('template_rejected')],
  [132015, permanent('template_paused')],
  [132016, permanent('template_disabled')],
  [132068, permanent('flow_blocked')],
  [137000, permanent('identity_changed')],
])

const NUMBER_UNKNOWN_SUBCODE = 33
const PERMISSION_FIRST = 200
const PERMISSION_LAST = 299

export type GraphError = {
  code: number | null
  subcode: number | null
  detail: string
  isTransient: boolean
  traceId: string | null
}

const DETAIL_CHARACTERS_MAX = 500

/** From an answer's `error`, or from one of the `errors` of a webhook, which differ in little. Null when it is neither. */
export function readGraphError(value: Json): GraphError | null {
  const error = objectOf(value)
  if (error === null) return null
  const data = error.error_data
  const said = [
    textOf(objectOf(data)?.details),
    typeof data === 'string' ? data : null,
    textOf(error.error_user_msg),
    textOf(error.message),
    textOf(error.title),
  ]
  const code = codeOf(error.code)
  const detail = said.find((text) => text !== null && text !== '')
  if (code === null && detail === undefined) return null
  return {
    code,
    subcode: codeOf(error.error_subcode),
    detail: (detail ?? 'The network reported no reason.').slice(0, DETAIL_CHARACTERS_MAX),
    isTransient: error.is_transient === true,
    traceId: idOf(error.fbtrace_id),
  }
}

const codeOf = (value: Json): number | null => {
  const code = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  return typeof code === 'number' && Number.isSafeInteger(code) ? code : null
}

/** `httpStatus` is null for what a webhook reports. */
export function failureOf(error: GraphError, httpStatus: number | null, retryAfterMs: number | null): ChannelFailure {
  const meaning = meaningOf(error, httpStatus)
  return {
    class: meaning.class,
    scope: meaning.scope ?? 'number',
    code: meaning.code,
    providerCode: error.code === null ? null : String(error.code),
    detail: error.detail,
    retryAfterMs: meaning.class === 'retry' ? (retryAfterMs ?? meaning.retryAfterMs ?? null) : null,
    ...(error.traceId !== null && { traceId: error.traceId }),
  }
}

function meaningOf({ code, subcode, isTransient }: GraphError, httpStatus: number | null): Meaning {
  if (code === 100 && subcode === NUMBER_UNKNOWN_SUBCODE) return account('number_unknown')
  const known = code === null ? undefined : MEANINGS.get(code)
  if (known !== undefined) return known
  if (code !== null && code >= PERMISSION_FIRST && code <= PERMISSION_LAST) return account('permission_missing')
  if (isTransient) return retry('unavailable')
  return meaningOfStatus(httpStatus)
}

/** An answer without a code we know: an intermediary, or a code that is newer than this table. */
function meaningOfStatus(httpStatus: number | null): Meaning {
  if (httpStatus === null) return permanent('refused')
  if (httpStatus === 401) return account('credentials_refused')
  if (httpStatus === 403) return account('permission_missing')
  if (httpStatus === 429) return retry('throttled')
  if (httpStatus === 408 || httpStatus >= 500) return retry('unavailable')
  if (httpStatus >= 300 && httpStatus < 400) return account('base_url_wrong')
  return permanent('refused')
}

export const failureOfStatus = (httpStatus: number, retryAfterMs: number | null): ChannelFailure =>
  failureOf(
    {
      code: null,
      subcode: null,
      isTransient: false,
      traceId: null,
      detail: `The network responded with status ${httpStatus}.`,
    },
    httpStatus,
    retryAfterMs,
  )

/** For what never reached the network. */
export const notReached = (detail: string): ChannelFailure => ({
  class: 'retry',
  scope: 'number',
  code: 'unavailable',
  providerCode: null,
  detail,
  retryAfterMs: null,
})

/** For what we can tell without asking. */
export const refusedHere = (code: string, detail: string): ChannelFailure => ({
  class: 'permanent',
  scope: 'number',
  code,
  providerCode: null,
  detail,
  retryAfterMs: null,
})

const RETRY_AFTER_MS_MAX = 24 * 60 * MINUTE

/** Retry-After in seconds, rarely sent; else the minutes in X-Business-Use-Case-Usage, a JSON object by account. */
export function readRetryAfterMs(headers: Headers): number | null {
  const seconds = headers.get('retry-after')
  if (seconds !== null && /^\d{1,8}$/.test(seconds.trim())) return Math.min(Number(seconds) * 1000, RETRY_AFTER_MS_MAX)
  const minutes = usageMinutes(headers.get('x-business-use-case-usage'))
  return minutes === 0 ? null : Math.min(minutes * MINUTE, RETRY_AFTER_MS_MAX)
}

function usageMinutes(header: string | null): number {
  if (header === null) return 0
  try {
    const usages = Object.values<Json>(JSON.parse(header)).flat()
    const minutes = usages.map((usage) => objectOf(usage)?.estimated_time_to_regain_access)
    return Math.max(0, ...minutes.filter((value): value is number => typeof value === 'number' && value > 0))
  } catch {
    return 0
  }
}
