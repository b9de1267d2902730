import type { PaymentAccount } from '../../payment-connector.ts'
import {
  basicAuthorization,
  CALL_TIMEOUT_MS,
  callProvider,
  type LooseRecord,
  type ProviderAnswer,
  readText,
} from '../../provider-calls/provider-calls.ts'

/** The HTTP client of Midtrans Core API v2. The HTTP status of an answer is never used alone; see `codeOf`. */
const PRODUCTION_URL = 'https://api.midtrans.com'
const SANDBOX_URL = 'https://api.sandbox.midtrans.com'
const SANDBOX_KEY_PREFIX = 'SB-'

/** Midtrans silently ignores longer keys. */
const IDEMPOTENCY_KEY_LENGTH_MAX = 46

export type MidtransCall = { timeoutMs?: number; signal: AbortSignal }

export type MidtransAnswer =
  | { kind: 'answered'; code: string; body: LooseRecord; retryAfterMs: number | null }
  | Exclude<ProviderAnswer, { kind: 'answered' }>

/** A key without the sandbox prefix may belong to either environment; the wrong one answers 401 without an effect. */
export const midtransUrl = (account: PaymentAccount): string =>
  account.baseUrl ??
  ((account.credentials.server_key ?? '').startsWith(SANDBOX_KEY_PREFIX) ? SANDBOX_URL : PRODUCTION_URL)

/**
 * The body's `status_code` decides: duplicates, conflicts and successful expires arrive with HTTP 200. Without it, the answer
 * comes from a proxy, whose success or "not found" proves nothing about a payment.
 */
function codeOf(status: number, body: LooseRecord | null): string {
  const code = readText(body ?? {}, 'status_code')
  if (code !== null) return code
  return status < 300 || status === 404 ? UNREADABLE : String(status)
}

export const UNREADABLE = 'unreadable'

async function call(
  account: PaymentAccount,
  {
    method,
    path,
    body,
    headers = {},
  }: { method: 'GET' | 'POST'; path: string; body?: unknown; headers?: Record<string, string> },
  { signal, timeoutMs = CALL_TIMEOUT_MS }: MidtransCall,
): Promise<MidtransAnswer> {
  const answer = await callProvider({
    fetch: account.fetch,
    method,
    url: `${midtransUrl(account)}${path}`,
    headers: { authorization: basicAuthorization(account.credentials.server_key ?? ''), ...headers },
    ...(body !== undefined && { body }),
    signal,
    timeoutMs,
  })
  if (answer.kind !== 'answered') return answer
  const { status, body: json, retryAfterMs } = answer
  return { kind: 'answered', code: codeOf(status, json), body: json ?? {}, retryAfterMs }
}

const idempotencyKey = (key: string): Record<string, string> =>
  key.length <= IDEMPOTENCY_KEY_LENGTH_MAX ? { 'idempotency-key': key } : {}

/**
 * Overrides the notification address of the dashboard for this transaction. Midtrans calls only ports 80 and 443 with a valid
 * certificate, so an address without https is left to the dashboard (for example a tunnel).
 */
const noticeHeader = ({ noticeUrl }: PaymentAccount): Record<string, string> =>
  noticeUrl.startsWith('https://') ? { 'x-override-notification': noticeUrl } : {}

const pathOf = (orderId: string, action: string): string => `/v2/${encodeURIComponent(orderId)}/${action}`

export const postCharge = (
  account: PaymentAccount,
  { orderId, body }: { orderId: string; body: unknown },
  more: MidtransCall,
) =>
  call(
    account,
    { method: 'POST', path: '/v2/charge', body, headers: { ...idempotencyKey(orderId), ...noticeHeader(account) } },
    more,
  )

export const getStatus = (account: PaymentAccount, orderId: string, more: MidtransCall) =>
  call(account, { method: 'GET', path: pathOf(orderId, 'status') }, more)

export const postEnd = (
  account: PaymentAccount,
  { orderId, action }: { orderId: string; action: 'cancel' | 'expire' },
  more: MidtransCall,
) => call(account, { method: 'POST', path: pathOf(orderId, action), body: {} }, more)

export type MidtransRefund = {
  orderId: string
  refundKey: string
  amount: number
  reason: string
  /** Payments by DANA are made by another interface, which the call has to name. */
  isBySnapApi: boolean
}

export const postRefund = (
  account: PaymentAccount,
  { orderId, refundKey, amount, reason, isBySnapApi }: MidtransRefund,
  more: MidtransCall,
) =>
  call(
    account,
    {
      method: 'POST',
      path: pathOf(orderId, 'refund'),
      body: { refund_key: refundKey, amount, reason },
      headers: { ...idempotencyKey(refundKey), ...(isBySnapApi && { 'transaction-source': 'SNAP_API' }) },
    },
    more,
  )

/** Midtrans serves the hosted page on another host than the API. A base URL that is not Midtrans' serves both. */
const snapUrl = (account: PaymentAccount): string =>
  `${midtransUrl(account).replace(/^https:\/\/api\./, 'https://app.')}/snap/v1/transactions`

/** Answers of the hosted page have no `status_code`: their HTTP status decides, and errors are listed in `error_messages`. */
const callSnap = (
  account: PaymentAccount,
  { path, body, headers = {} }: { path: string; body: unknown; headers?: Record<string, string> },
  { signal, timeoutMs = CALL_TIMEOUT_MS }: MidtransCall,
): Promise<ProviderAnswer> =>
  callProvider({
    fetch: account.fetch,
    method: 'POST',
    url: `${snapUrl(account)}${path}`,
    headers: { authorization: basicAuthorization(account.credentials.server_key ?? ''), ...headers },
    body,
    signal,
    timeoutMs,
  })

export const postPage = (account: PaymentAccount, body: unknown, more: MidtransCall) =>
  callSnap(account, { path: '', body, headers: noticeHeader(account) }, more)

export const postPageCancel = (account: PaymentAccount, token: string, more: MidtransCall) =>
  callSnap(account, { path: `/${encodeURIComponent(token)}/cancel`, body: {} }, more)
