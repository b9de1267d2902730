import { randomUUID } from 'node:crypto'
import { makeDynamic, QRIS_LIMITS_DEFAULT } from '../../src/payments/qris/qris.ts'
import { type Answer, type ProviderRequest, type ProviderServer, startProviderServer } from './provider-server.ts'
import { staticQris } from './qris-samples.ts'

/** Xendit's payments API v3 as documented, with the list of the generation before it, and amounts as numeric strings at times. */
type PayingMore = { amounts?: number[]; isLate?: boolean; isUnlisted?: boolean }

export type XenditServer = ProviderServer & {
  secretKey: string
  callbackToken: string
  /** Whether the same idempotency key gives the same answer; without, a reference may not be used again (409). */
  heedsIdempotencyKey: boolean
  isListed: boolean
  /** The status of a foreign page that is served instead of anything but payment requests; null when all is served. */
  paymentsHiddenBy: number | null
  /** Whether this key may read anything but payment requests; without, Xendit itself says that it may not. */
  isKeyTrusted: boolean
  /** The payment whose refunds are not listed, as those of older ones are not. */
  unlistedRefundsOf: string | null
  /** Whether the list contains the refunds of one payment, or of all payments. */
  isRefundListOfOne: boolean
  /** The payer pays; answers with the `data` of the notification. */
  pay(requestId: string, more?: PayingMore): Record<string, unknown>
  finish(requestId: string, status: 'EXPIRED' | 'FAILED' | 'CANCELED'): Record<string, unknown>
  /** The request says this of itself from now on; the list knows it as it was. */
  confuse(requestId: string, fields: Record<string, unknown>): void
  settleRefunds(status: 'SUCCEEDED' | 'FAILED'): Record<string, unknown>[]
  /** A completed refund by staff at Xendit; answers with the `data` of the notification. */
  refundPayment(paymentId: string, amount: number): Record<string, unknown>
  listRefunds(): Record<string, unknown>[]
  listRequests(): Record<string, unknown>[]
}

type Row = Record<string, unknown>

const API_VERSION = '2024-11-11'

export function startXenditServer(): XenditServer {
  const [secretKey, callbackToken] = ['xnd_development_EXAMPLE0000', 'token-for-tests-of-notices']
  const requests = new Map<string, Row>()
  const payments = new Map<string, Row>()
  const refunds: Row[] = []
  const byKey = new Map<string, Answer>()
  const listed = new Map<unknown, Row>()
  const fail = (status: number, code: string, message = code): Answer => ({
    status,
    body: { error_code: code, message },
  })

  const handle = (request: ProviderRequest): Answer => {
    if (request.headers.get('authorization') !== `Basic ${Buffer.from(`${secretKey}:`).toString('base64')}`)
      return fail(401, 'INVALID_API_KEY')
    if (request.path.startsWith('/v3/') && request.headers.get('api-version') !== API_VERSION)
      return fail(400, 'API_VALIDATION_ERROR', 'api-version is required')
    if (request.method === 'POST' && request.path === '/v3/payment_requests') return create(request)
    if (request.method === 'POST' && request.path === '/refunds') return refund(request)
    if (request.path.startsWith('/sessions')) return session(request)
    if (request.method === 'GET' && !request.path.startsWith('/v3/payment_requests/')) {
      if (server.paymentsHiddenBy !== null) return { status: server.paymentsHiddenBy, body: 'Not here' }
      if (!server.isKeyTrusted) return fail(403, 'REQUEST_FORBIDDEN_ERROR')
    }
    if (request.path.startsWith('/payment_requests?')) return list(request.path)
    if (request.path.startsWith('/v3/refunds?')) return listRefunds(request.path)
    const [, kind = '', id = '', action = ''] =
      /^\/v3\/(payment_requests|payments)\/([^/]+)(?:\/(\w+))?$/.exec(request.path) ?? []
    const found = (kind === 'payments' ? payments : requests).get(id)
    if (found === undefined) return fail(404, 'DATA_NOT_FOUND')
    return action === 'cancel' ? cancel(found) : { status: 200, body: found }
  }
  const sessions = new Map<string, Row>()
  const session = (request: ProviderRequest): Answer => {
    const [, id, action] = /^\/sessions\/([^/]+)(?:\/(cancel))?$/.exec(request.path) ?? []
    if (id === undefined) {
      const key = request.headers.get('idempotency-key') ?? ''
      const earlier = byKey.get(key)
      if (earlier !== undefined) return earlier
      const row = newSession(request.body)
      sessions.set(String(row.payment_session_id), row)
      byKey.set(key, { status: 201, body: row })
      return { status: 201, body: row }
    }
    const found = sessions.get(id)
    if (found === undefined) return fail(404, 'DATA_NOT_FOUND')
    if (action === 'cancel') {
      if (found.status !== 'ACTIVE') return fail(400, 'SESSION_NOT_ACTIVE')
      found.status = 'CANCELED'
    }
    return { status: 200, body: found }
  }
  /** The payer enters a card on the page, which creates a payment request. */
  const requestOf = (id: string): Row => {
    const found = sessions.get(id)
    if (found === undefined) return requests.get(id) as Row
    if (found.payment_request_id === undefined) {
      const row = newRequest({ ...found, request_amount: found.amount, channel_code: 'CARDS' })
      requests.set(String(row.payment_request_id), row)
      found.payment_request_id = row.payment_request_id
    }
    return requests.get(String(found.payment_request_id)) as Row
  }
  const create = (request: ProviderRequest): Answer => {
    const key = request.headers.get('idempotency-key') ?? ''
    const earlier = byKey.get(key)
    if (server.heedsIdempotencyKey && earlier !== undefined) return earlier
    const { reference_id } = request.body
    if (listed.has(reference_id) || [...requests.values()].some((row) => row.reference_id === reference_id))
      return fail(409, 'DUPLICATE_ERROR')
    const row = newRequest(request.body)
    requests.set(String(row.payment_request_id), row)
    byKey.set(key, { status: 201, body: row })
    return { status: 201, body: row }
  }
  const list = (path: string): Answer => {
    if (!server.isListed) return fail(403, 'REQUEST_FORBIDDEN_ERROR')
    const reference = new URLSearchParams(path.split('?')[1]).get('reference_id')
    const asItWas = listed.get(reference)
    const found = [...requests.values()].filter((row) => row.reference_id === reference)
    const data = asItWas === undefined ? found : [asItWas]
    return { status: 200, body: { data: data.map((row) => ({ ...row, id: row.payment_request_id })), has_more: false } }
  }
  const listRefunds = (path: string): Answer => {
    const paymentId = new URLSearchParams(path.split('?')[1]).get('payment_id')
    if (paymentId !== null && paymentId === server.unlistedRefundsOf) return fail(404, 'DATA_NOT_FOUND')
    const isListed = (row: Row) => !server.isRefundListOfOne || row.payment_id === paymentId
    return { status: 200, body: refunds.filter(isListed) }
  }
  const cancel = (row: Row): Answer => {
    if (row.status !== 'REQUIRES_ACTION') return fail(400, 'INACTIVE_PAYMENT_REQUEST')
    row.status = 'CANCELED'
    return { status: 200, body: row }
  }
  const refund = ({ body }: ProviderRequest): Answer => {
    const request = requests.get(String(body.payment_request_id))
    if (request?.status !== 'SUCCEEDED') return fail(400, 'INELIGIBLE_TRANSACTION_STATUS')
    if (refunds.some((row) => row.reference_id === body.reference_id)) return fail(409, 'DUPLICATE_ERROR')
    const sum = refunds
      .filter((row) => row.payment_request_id === body.payment_request_id)
      .reduce((total, row) => total + Number(row.amount), Number(body.amount))
    if (sum > Number(request.request_amount)) return fail(400, 'REFUND_AMOUNT_EXCEEDED')
    const row = { ...body, id: `rfd-${randomUUID()}`, payment_id: request.latest_payment_id, status: 'PENDING' }
    refunds.push(row)
    return { status: 200, body: row }
  }
  const base = startProviderServer({
    handle,
    trouble: (status) =>
      status === 503
        ? fail(503, 'CHANNEL_UNAVAILABLE')
        : status === 429
          ? fail(429, 'RATE_LIMIT_EXCEEDED')
          : fail(500, 'SERVER_ERROR'),
  })
  const server: XenditServer = Object.assign(base, {
    secretKey,
    callbackToken,
    heedsIdempotencyKey: true,
    isListed: true,
    paymentsHiddenBy: null,
    isKeyTrusted: true,
    unlistedRefundsOf: null as string | null,
    isRefundListOfOne: true,
    pay(requestId: string, { amounts, isLate, isUnlisted }: PayingMore = {}) {
      const request = requestOf(requestId)
      const payment = newPayment(request, amounts ?? [Number(request.request_amount)])
      payments.set(String(payment.payment_id), payment)
      // What came late, or was overtaken, the request need not know of.
      if (!isUnlisted) request.latest_payment_id = payment.payment_id
      // Late money leaves the request expired.
      if (!isLate) request.status = 'SUCCEEDED'
      const page = sessions.get(requestId)
      if (page !== undefined) Object.assign(page, { status: 'COMPLETED', payment_id: payment.payment_id })
      return payment
    },
    finish(requestId: string, status: 'EXPIRED' | 'FAILED' | 'CANCELED') {
      const request = requestOf(requestId)
      request.status = status
      return request
    },
    confuse(requestId: string, fields: Row) {
      const request = requests.get(requestId) as Row
      listed.set(request.reference_id, { ...request })
      Object.assign(request, fields)
    },
    settleRefunds(status: 'SUCCEEDED' | 'FAILED') {
      for (const row of refunds) row.status = status
      return refunds
    },
    listRefunds: () => refunds,
    listRequests: () => [...requests.values()],
    refundPayment(paymentId: string, amount: number) {
      const { payment_request_id, currency } = payments.get(paymentId) as Row
      const more = { payment_request_id, payment_id: paymentId, currency, amount, status: 'SUCCEEDED' }
      const row: Row = { id: `rfd-${randomUUID()}`, reference_id: 'by hand', ...more }
      refunds.push(row)
      return row
    },
  })
  return server
}

const newSession = (body: Row): Row => {
  const id = `ps-${randomUUID().replaceAll('-', '').slice(0, 24)}`
  return { ...body, payment_session_id: id, status: 'ACTIVE', payment_link_url: `https://xen.to/${id}` }
}

const WALLETS = ['GOPAY', 'SHOPEEPAY', 'DANA', 'LINKAJA', 'ASTRAPAY']

/** The actions of channels that open something or ask in an app. Null for those that show a number or a code. */
function linksOf(channel: string): Row[] | null {
  const link = (descriptor: string, value: string) => ({ type: 'REDIRECT_CUSTOMER', descriptor, value })
  if (channel === 'OVO') return []
  if (['AKULAKU', 'KREDIVO', 'CARDS'].includes(channel)) return [link('WEB_URL', `https://web.xendit.co/${channel}`)]
  if (!WALLETS.includes(channel)) return null
  return [link('WEB_URL', `https://web.xendit.co/${channel}`), link('DEEPLINK_URL', `${channel.toLowerCase()}://pay`)]
}

function newRequest(body: Row): Row {
  const channel = String(body.channel_code)
  const amount = Number(body.request_amount)
  const value =
    channel === 'QRIS'
      ? makeDynamic(staticQris, { amount, limits: QRIS_LIMITS_DEFAULT }).text
      : channel.startsWith('MANDIRI')
        ? '8860812345678'
        : '1328212345678901'
  const isStore = ['ALFAMART', 'INDOMARET'].includes(channel)
  const descriptor = channel === 'QRIS' ? 'QR_STRING' : isStore ? 'PAYMENT_CODE' : 'VIRTUAL_ACCOUNT_NUMBER'
  return {
    ...body,
    payment_request_id: `pr-${randomUUID()}`,
    // Numbers come as text at times.
    request_amount: String(amount),
    status: 'REQUIRES_ACTION',
    actions: linksOf(channel) ?? [
      { type: 'REDIRECT_CUSTOMER', descriptor: 'WEB_URL', value: 'https://example.com/' },
      { type: 'PRESENT_TO_CUSTOMER', descriptor, value },
    ],
    created: '2026-01-31T02:00:00.000Z',
    updated: '2026-01-31T02:00:00.000Z',
  }
}

const newPayment = (request: Row, amounts: number[]): Row => ({
  payment_id: `py-${randomUUID()}`,
  payment_request_id: request.payment_request_id,
  reference_id: request.reference_id,
  currency: 'IDR',
  request_amount: request.request_amount,
  channel_code: request.channel_code,
  status: 'SUCCEEDED',
  captures: amounts.map((amount, index) => ({
    capture_id: `cptr-${index}`,
    capture_amount: amount,
    capture_timestamp: '2026-01-31T02:05:00.000Z',
  })),
})
