import type { PaymentAccount } from '../../payment-connector.ts'
import {
  basicAuthorization,
  CALL_TIMEOUT_MS,
  callProvider,
  type ProviderAnswer,
} from '../../provider-calls/provider-calls.ts'

/** The HTTP client of Xendit's payments API v3. Test and live share one host; the key decides. */
const BASE_URL = 'https://api.xendit.co'
const API_VERSION = '2024-11-11'

export type XenditCall = { timeoutMs?: number; signal: AbortSignal }

function call(
  account: PaymentAccount,
  { method, path, body, key }: { method: 'GET' | 'POST'; path: string; body?: unknown; key?: string },
  { signal, timeoutMs = CALL_TIMEOUT_MS }: XenditCall,
): Promise<ProviderAnswer> {
  return callProvider({
    fetch: account.fetch,
    method,
    url: `${account.baseUrl ?? BASE_URL}${path}`,
    headers: {
      authorization: basicAuthorization(account.credentials.secret_key ?? ''),
      // Only v3 has versions by date; the calls shared with the previous API version take none.
      ...(path.startsWith('/v3/') && { 'api-version': API_VERSION }),
      // The published schema of v3 does not contain this header, and it is harmless when it is ignored.
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body }),
    signal,
    timeoutMs,
  })
}

const segment = encodeURIComponent

export const postPaymentRequest = (
  account: PaymentAccount,
  { key, body }: { key: string; body: unknown },
  more: XenditCall,
) => call(account, { method: 'POST', path: '/v3/payment_requests', body, key }, more)

export const getPaymentRequest = (account: PaymentAccount, id: string, more: XenditCall) =>
  call(account, { method: 'GET', path: `/v3/payment_requests/${segment(id)}` }, more)

/** The list belongs to the previous API version; v3 has none. */
export const findPaymentRequests = (account: PaymentAccount, referenceId: string, more: XenditCall) =>
  call(account, { method: 'GET', path: `/payment_requests?reference_id=${segment(referenceId)}&limit=1` }, more)

export const postCancel = (account: PaymentAccount, id: string, more: XenditCall) =>
  call(account, { method: 'POST', path: `/v3/payment_requests/${segment(id)}/cancel`, body: {} }, more)

/** A hosted page. */
export const postSession = (account: PaymentAccount, { key, body }: { key: string; body: unknown }, more: XenditCall) =>
  call(account, { method: 'POST', path: '/sessions', body, key }, more)

export const getSession = (account: PaymentAccount, id: string, more: XenditCall) =>
  call(account, { method: 'GET', path: `/sessions/${segment(id)}` }, more)

export const postSessionCancel = (account: PaymentAccount, id: string, more: XenditCall) =>
  call(account, { method: 'POST', path: `/sessions/${segment(id)}/cancel`, body: {} }, more)

export const getPayment = (account: PaymentAccount, paymentId: string, more: XenditCall) =>
  call(account, { method: 'GET', path: `/v3/payments/${segment(paymentId)}` }, more)

export const listRefunds = (account: PaymentAccount, paymentId: string, more: XenditCall) =>
  call(account, { method: 'GET', path: `/v3/refunds?payment_id=${segment(paymentId)}` }, more)

export const postRefund = (account: PaymentAccount, { key, body }: { key: string; body: unknown }, more: XenditCall) =>
  call(account, { method: 'POST', path: '/refunds', body, key }, more)
