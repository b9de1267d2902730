import type { EgressFetch } from '../../platform/outbound-http/egress.ts'
import { traceFetch } from '../../platform/telemetry/call-span.ts'
import type {
  ChargeAttempt,
  PayableDetails,
  PaymentCapability,
  PaymentFailure,
  RefundAttempt,
  StatedCharge,
  Unknown,
} from '../payment-connector.ts'
import { checkCharge, chooseCapability } from './capabilities.ts'
import { asRecord, type LooseRecord } from './provider-values.ts'

export {
  type ChannelFacts,
  type ChargeProblem,
  capabilityOf,
  checkCharge,
  chooseCapability,
  enabledCapabilities,
  rupiah,
} from './capabilities.ts'
export {
  asRecord,
  asRecords,
  cutText,
  type LooseRecord,
  lookUp,
  plainText,
  readJsonObject,
  readLowerText,
  readRupiah,
  readStatedRupiah,
  readText,
  readTime,
  readWibTime,
  writeWibTime,
} from './provider-values.ts'

/**
 * Makes one HTTP call to a provider: bounded in time and size, without redirects, and always with certificate checks.
 *
 *   answered   there is a status, and a body that is JSON or null
 *   unsent     surely without effect: no connection was opened
 *   unknown    sent, with an unknown outcome
 *
 * A redirect, and a page where a call that changes something expects JSON, do not come from the provider: a proxy or a
 * maintenance page answered. They decide nothing and are `unknown`.
 *
 * There is no retry here, because the caller knows whether a call may be repeated.
 */
export type ProviderCall = {
  fetch: EgressFetch
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: unknown
  signal: AbortSignal
  timeoutMs: number
}

export type ProviderAnswer =
  | { kind: 'answered'; status: number; body: LooseRecord | null; list: unknown[] | null; retryAfterMs: number | null }
  | { kind: 'unsent'; detail: string }
  | { kind: 'unknown'; detail: string }

export const CALL_TIMEOUT_MS = 12_000
const BODY_BYTES_MAX = 512 * 1024

export async function callProvider(call: ProviderCall): Promise<ProviderAnswer> {
  const timeout = AbortSignal.timeout(call.timeoutMs)
  try {
    const response = await traceFetch({ peer: 'payment-provider', method: call.method, url: call.url }, () =>
      call.fetch(call.url, {
        method: call.method,
        headers: {
          accept: 'application/json',
          ...(call.body !== undefined && { 'content-type': 'application/json' }),
          ...call.headers,
        },
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        signal: AbortSignal.any([call.signal, timeout]),
      }),
    )
    const text = await readBounded(response)
    if (text === null) return { kind: 'unknown', detail: `the answer is larger than ${BODY_BYTES_MAX} bytes` }
    const { status } = response
    if (status >= 300 && status < 400) return { kind: 'unknown', detail: `a redirect (${status}) instead of an answer` }
    const json = readJson(text)
    if (call.method === 'POST' && json === null && text !== '' && status < 500 && status !== 429)
      return { kind: 'unknown', detail: `a page (${status}) instead of an answer` }
    return { kind: 'answered', status, ...(json ?? NOTHING_READ), retryAfterMs: readRetryAfter(response) }
  } catch (error) {
    if (timeout.aborted) return { kind: 'unknown', detail: NO_ANSWER }
    return isUnsent(error)
      ? { kind: 'unsent', detail: describe(error) }
      : { kind: 'unknown', detail: call.signal.aborted ? 'the call was given up' : describe(error) }
  }
}

async function readBounded(response: Response): Promise<string | null> {
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > BODY_BYTES_MAX) return null
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

const NOTHING_READ = { body: null, list: null }

/** Returns null when the text is not JSON. */
function readJson(text: string): { body: LooseRecord | null; list: unknown[] | null } | null {
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value)) return { body: null, list: value }
    return { body: typeof value === 'object' && value !== null ? asRecord(value) : null, list: null }
  } catch {
    return null
  }
}

/** Reads seconds only, because no provider of ours sends a date. */
function readRetryAfter(response: Response): number | null {
  const text = response.headers.get('retry-after')
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : null
}

/** Errors before the first byte is sent: no address, a refused connection, or an invalid certificate. */
const UNSENT_CODES = [
  'ADDRESS_NOT_ALLOWED',
  'ConnectionRefused',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'FailedToOpenSocket',
  'DNSResolveFailed',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]

const codeOf = (error: unknown): string | null =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : null

const isUnsent = (error: unknown): boolean => UNSENT_CODES.includes(codeOf(error) ?? '')

/**
 * Returns the code of an invalid certificate, and one sentence for any other error: refused, reset and silent connections look
 * the same, so that an account cannot be used to scan for open ports. The message is never used, because it may contain an
 * address with secrets.
 */
const describe = (error: unknown): string => {
  const code = codeOf(error) ?? ''
  return code.includes('CERT') || code.includes('VERIFY') ? code : NO_ANSWER
}

const NO_ANSWER = 'the address does not answer'

export const basicAuthorization = (userName: string): string =>
  `Basic ${Buffer.from(`${userName}:`).toString('base64')}`

type FailureDetails = Partial<Pick<PaymentFailure, 'providerCode' | 'retryAfterMs'>>

const failure =
  (failureClass: PaymentFailure['class']) =>
  (code: string, detail: string, more: FailureDetails = {}): PaymentFailure => ({
    class: failureClass,
    code,
    providerCode: more.providerCode ?? null,
    detail,
    retryAfterMs: more.retryAfterMs ?? null,
  })

export const rejected = failure('rejected')
export const declined = failure('declined')
export const unavailable = failure('unavailable')

export type Refused = { kind: 'refused'; failure: PaymentFailure }

export const refused = (failure: PaymentFailure): Refused => ({ kind: 'refused', failure })

/** Turns a failure that may follow an effect into an unknown outcome. */
export const unknownBy = ({ detail, retryAfterMs }: PaymentFailure): Unknown => ({
  kind: 'unknown',
  detail,
  retryAfterMs,
})

/** Turns a missing answer into a failure, for queries, which are safe to repeat. */
export const unreachable = (answer: Exclude<ProviderAnswer, { kind: 'answered' }>): PaymentFailure =>
  unavailable('provider_unreachable', answer.detail)

/** An amount in another currency is never read as rupiah, so such an answer moves no money. */
export const inAnotherCurrency = ({ currency }: { currency: string }): PaymentFailure =>
  unavailable('answer_not_understood', `The provider answered in ${currency.slice(0, 10)}, not in IDR.`)

/** Refuses refunds that the provider is known to refuse, without a call. The provider checks its time limits. */
export function refundProblem(
  capability: PaymentCapability | null,
  { payment, amount }: Pick<RefundAttempt, 'payment' | 'amount'>,
): PaymentFailure | null {
  const what = [payment.method, payment.bank].filter((part) => part !== null).join(' ')
  if (capability === null || !capability.isRefundable)
    return rejected('refund_not_supported', `The provider cannot refund a payment by ${what}. Pay it back by transfer.`)
  const isPartial = payment.amount !== null && amount !== payment.amount
  return isPartial && !capability.isRefundableInPart
    ? rejected('refund_partial_not_supported', `A payment by ${what} can be refunded in full only.`)
    : null
}

/**
 * Refuses charges without calling the provider: a method or bank that it does not have, an amount outside its limits, or an
 * expiry that passed while the attempt waited.
 */
export function checkAttempt(
  capabilities: readonly PaymentCapability[],
  attempt: ChargeAttempt,
  { provider, nowMs }: { provider: string; nowMs: number },
): { kind: 'possible'; capability: PaymentCapability } | Refused {
  const capability = chooseCapability(capabilities, { ...attempt, defaultBank: null })
  if (capability === null || capability.bank !== attempt.bank)
    return refused(rejected('method_not_supported', `${provider} has no ${attempt.method} ${attempt.bank ?? ''}.`))
  const problem = checkCharge(capability, { amount: attempt.amount, expirySeconds: null })
  if (problem !== null) return refused(rejected(problem.code, problem.says))
  if (attempt.expiresAt !== null && attempt.expiresAt.getTime() <= nowMs)
    return refused(rejected('payment_expired', 'It expired before it could be made payable.'))
  return { kind: 'possible', capability }
}

const NOT_STATED: StatedCharge = { attemptId: null, amount: null, currency: null }

/** Empty payment details; each connector fills in those of the method. */
export const NO_DETAILS: PayableDetails = {
  providerId: null,
  qrString: null,
  qrImageUrl: null,
  virtualAccount: null,
  bill: null,
  accountPage: null,
  ewallet: null,
  retail: null,
  card: null,
  instructions: null,
  expiresAt: null,
  stated: NOT_STATED,
}
