import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { startXenditServer, type XenditServer } from '../../../../test/support/xendit-server.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { newId } from '../../../kernel/ids.ts'
import { findMismatch } from '../../attempts/charge-agreement.ts'
import {
  alteredCode,
  type Contradiction,
  describeRemoteConnector,
  failureOf,
  genuineReport,
  knownAs,
  never,
  payableOf,
  REPORTED_STATES,
  suiteAccount,
  suiteAttempt,
} from '../../payment-connector.suite.ts'
import type { KnownAttempt, PaymentAccount, RawNotice } from '../../payment-connector.ts'
import { createXenditConnector } from './xendit.ts'

const connector = createXenditConnector({ clock: systemClock, timeoutMs: 400 })
let [server, account] = [] as unknown as [XenditServer, PaymentAccount]

beforeAll(() => {
  server = startXenditServer()
  account = suiteAccount({
    provider: 'xendit',
    baseUrl: server.url,
    credentials: { secret_key: server.secretKey, callback_token: server.callbackToken },
  })
})
afterAll(() => server.stop())

const noticeOf = (message: object, token = server.callbackToken): RawNotice => ({
  method: 'POST',
  headers: new Headers({ 'x-callback-token': token }),
  query: new URLSearchParams(),
  body: new TextEncoder().encode(JSON.stringify(message)),
})

const eventOf = (event: string, data: object): RawNotice =>
  noticeOf({ event, business_id: 'b1', created: '2026-01-31T02:05:01.000Z', api_version: 'v3', data })

const contradicting = (body: Record<string, unknown>, what: Contradiction): Record<string, unknown> => {
  if (what === 'order') return { reference_id: newId('pay') }
  if (what === 'currency') return { currency: 'USD' }
  if (what === 'amount') return { request_amount: '2500' }
  if (what === 'fraction') return { request_amount: 25_000.5 }
  const actions = body.actions as { descriptor: string; value: string }[]
  return {
    actions: actions.map((action) =>
      action.descriptor === 'QR_STRING' ? { ...action, value: alteredCode(action.value, what) } : action,
    ),
  }
}

describeRemoteConnector('Xendit', () => ({
  connector,
  account,
  network: {
    pay: (attempt) => eventOf('payment.capture', server.pay(String(attempt.providerId))),
    forge: (notice) => ({ ...notice, headers: new Headers({ 'x-callback-token': `${server.callbackToken}!` }) }),
  },
  remote: {
    countCalls: () => server.requests.length,
    failNext: server.failNext,
    contradictNext: (what) => server.alterNext((body) => ({ ...body, ...contradicting(body, what) })),
    omitNext: () => server.alterNext(({ reference_id: _1, request_amount: _2, currency: _3, ...others }) => others),
    withWrongCredentials: { ...account, credentials: { secret_key: 'xnd_development_WRONG' } },
    unreachable: { ...account, baseUrl: 'http://127.0.0.1:1' },
  },
}))

const charge = async (fields: Parameters<typeof suiteAttempt>[0] = {}): Promise<KnownAttempt> => {
  const attempt = suiteAttempt(fields)
  return knownAs(attempt, payableOf(await connector.charge(account, attempt, never)))
}
const requestIdOf = (known: KnownAttempt): string => String(known.providerId)
const ask = (known: KnownAttempt) => connector.askStatus(account, known, never)
const read = (notice: RawNotice) => connector.readNotice(account, notice)
const lastRequest = () => server.requests.at(-1)

test('a charge is a v3 payment request with our reference, an expiry and an idempotency key', async () => {
  const expiresAt = new Date(Date.now() + 600_000)
  const attempt = suiteAttempt({ method: 'virtual_account', bank: 'bss', expiresAt })
  const details = payableOf(await connector.charge(account, attempt, never))
  expect(lastRequest()).toMatchObject({ method: 'POST', path: '/v3/payment_requests' })
  expect(lastRequest()?.headers.get('api-version')).toBe('2024-11-11')
  expect(lastRequest()?.headers.get('idempotency-key')).toBe(attempt.id)
  expect(lastRequest()?.body).toMatchObject({
    reference_id: attempt.id,
    type: 'PAY',
    country: 'ID',
    currency: 'IDR',
    request_amount: 25_000,
    channel_code: 'BSS_VIRTUAL_ACCOUNT',
    channel_properties: { display_name: 'Warung Contoh', expires_at: expiresAt.toISOString() },
  })
  expect(details.virtualAccount).toEqual({ bank: 'bss', number: '1328212345678901', name: 'Warung Contoh' })
  expect(details.expiresAt).toEqual(expiresAt)
})

test.each([[true], [false]])(
  'where idempotency keys are heeded (%p) or not, a repeated charge finds the first',
  async (heeds) => {
    server.heedsIdempotencyKey = heeds
    const attempt = suiteAttempt()
    server.failNext('hang_after')
    expect((await connector.charge(account, attempt, never)).kind).toBe('unknown')
    const details = payableOf(await connector.charge(account, attempt, never))
    server.heedsIdempotencyKey = true
    expect(await ask(knownAs(attempt, null))).toMatchObject({ report: { providerId: details.providerId } })
  },
)

test('a reference that is taken and cannot be listed is refused for good, not guessed', async () => {
  const attempt = suiteAttempt()
  await connector.charge(account, attempt, never)
  Object.assign(server, { heedsIdempotencyKey: false, isListed: false })
  const outcome = await connector.charge(account, attempt, never)
  expect(failureOf(outcome)).toMatchObject({ class: 'rejected', code: 'duplicate_attempt' })
  expect(await ask(knownAs(attempt, null))).toEqual({ kind: 'absent' })
  Object.assign(server, { heedsIdempotencyKey: true, isListed: true })
})

test.each([
  ['reference', { reference_id: newId('pay') }],
  ['amount', { request_amount: '24000' }],
  ['currency', { currency: 'PHP' }],
])('a request of another %s that is found by its reference is a mismatch', async (_, fields) => {
  const attempt = suiteAttempt()
  const { providerId } = payableOf(await connector.charge(account, attempt, never))
  server.confuse(String(providerId), fields)
  server.heedsIdempotencyKey = false
  const adopted = payableOf(await connector.charge(account, attempt, never))
  server.heedsIdempotencyKey = true
  expect(findMismatch(account, attempt, adopted)).toBeString()
  const status = await ask(knownAs(attempt, null))
  if (status.kind === 'known') expect(findMismatch(account, attempt, status.details ?? adopted)).toBeString()
  else expect(failureOf(status).code).toBe('answer_not_understood')
})

test('a request of another id than the one asked for is neither shown nor believed', async () => {
  const attempt = suiteAttempt()
  const { providerId } = payableOf(await connector.charge(account, attempt, never))
  server.confuse(String(providerId), { payment_request_id: 'pr-of-another' })
  expect(failureOf(await ask(knownAs(attempt, null)))).toMatchObject({ code: 'answer_not_understood' })
  server.heedsIdempotencyKey = false
  expect((await connector.charge(account, attempt, never)).kind).toBe('unknown')
  server.heedsIdempotencyKey = true
})

test('a foreign reference proves nothing about the owner of a request', async () => {
  const known = await charge()
  server.pay(requestIdOf(known))
  server.confuse(requestIdOf(known), { reference_id: 'example-reference' })
  expect(await ask(known)).toMatchObject({ report: { state: 'paid' } })
})

test('a server error after the effect is unknown', async () => {
  const attempt = suiteAttempt()
  server.failNext('status_500_after')
  expect((await connector.charge(account, attempt, never)).kind).toBe('unknown')
  expect((await ask(knownAs(attempt, null))).kind).toBe('known')
})

test('a "not found" of a proxy proves nothing about a payment', async () => {
  const known = await charge()
  server.failNext('status_404_page')
  expect(failureOf(await ask(known)).code).toBe('answer_unreadable')
  server.failNext('status_404_page')
  expect(failureOf(await connector.probe(account, never)).code).toBe('answer_unreadable')
  server.failNext('status_404_page')
  expect(failureOf(await connector.cancel(account, known, never)).class).toBe('unavailable')
})

test('what was paid is the sum of the captures, numbers as text included', async () => {
  const known = await charge()
  const data = server.pay(requestIdOf(known), { amounts: [20_000, 5000] })
  const notified = genuineReport(read(eventOf('payment.capture', data)))
  expect(notified).toMatchObject({ amountPaid: 25_000, occurredAt: new Date('2026-01-31T02:05:00.000Z') })
  expect(await ask(known)).toMatchObject({ report: { state: 'paid', amountPaid: 25_000 } })
  const without = genuineReport(read(eventOf('payment.capture', { ...data, captures: [], request_amount: '25000.00' })))
  expect(without.amountPaid).toBe(25_000)
  const broken = eventOf('payment.capture', { ...data, captures: [{ capture_amount: 20_000.5 }] })
  expect(read(broken)).toMatchObject({ kind: 'unreadable' })
})

test('another amount than requested is reported unchanged', async () => {
  const known = await charge()
  server.pay(requestIdOf(known), { amounts: [24_000] })
  expect(await ask(known)).toMatchObject({ report: { state: 'paid', amountPaid: 24_000 } })
})

test('an answer in another currency moves nothing', async () => {
  const known = await charge()
  const request = server.finish(requestIdOf(known), 'EXPIRED')
  Object.assign(request, { currency: 'PHP' })
  const refusal = { class: 'unavailable', code: 'answer_not_understood' }
  expect(failureOf(await ask(known))).toMatchObject(refusal)
  Object.assign(request, { currency: 'IDR' })
  Object.assign(server.pay(requestIdOf(known)), { currency: 'PHP' })
  expect(failureOf(await ask(known))).toMatchObject(refusal)
})

test('an answer about another request moves nothing', async () => {
  const [asked, other] = [await charge(), await charge()]
  server.pay(requestIdOf(asked))
  Object.assign(server.finish(requestIdOf(asked), 'EXPIRED'), { payment_request_id: other.providerId })
  expect(failureOf(await ask(asked))).toMatchObject({ class: 'unavailable', code: 'answer_not_understood' })
  // Nor does one that a notification named and that has the reference of another.
  server.pay(requestIdOf(other))
  const named = { ...asked, providerId: other.providerId }
  expect(failureOf(await ask(named))).toMatchObject({ class: 'unavailable', code: 'answer_not_understood' })
})

test('money after the expiry is found although the request stays expired', async () => {
  const known = await charge()
  const expired = eventOf('payment_request.expiry', server.finish(requestIdOf(known), 'EXPIRED'))
  expect(genuineReport(read(expired))).toMatchObject({
    state: 'expired',
    providerId: known.providerId,
    amountPaid: null,
  })
  expect(await ask(known)).toMatchObject({ report: { state: 'expired' } })
  server.pay(requestIdOf(known), { isLate: true })
  expect(await ask(known)).toMatchObject({ report: { state: 'paid', amountPaid: 25_000 } })
})

test('a payment that a notice names is found although the request does not know of it', async () => {
  const [known, other] = [await charge(), await charge()]
  server.finish(requestIdOf(known), 'EXPIRED')
  const data = server.pay(requestIdOf(known), { isLate: true, isUnlisted: true })
  const { paymentId } = genuineReport(read(eventOf('payment.capture', data)))
  expect(await ask(known)).toMatchObject({ report: { state: 'expired' } })
  const asked = { ...known, paymentId: paymentId as string }
  expect(await ask(asked)).toMatchObject({ report: { state: 'paid', amountPaid: 25_000, paymentId } })
  // Named for another request, it proves nothing about that one.
  expect(await ask({ ...other, paymentId: paymentId as string })).toMatchObject({ report: { state: 'pending' } })
})

test.each([
  ['not served', { paymentsHiddenBy: 404 }],
  ['not to be read', { paymentsHiddenBy: 405 }],
  ['not for this key', { isKeyTrusted: false }],
])(
  'where payments are %s, a request that says it was paid is enough, and what is over is known in part',
  async (_, less) => {
    const [sold, late, silent] = [await charge(), await charge(), await charge()]
    Object.assign(server, less)
    const { paymentId } = genuineReport(read(eventOf('payment.capture', server.pay(requestIdOf(sold)))))
    const whole = { report: { state: 'paid', amountPaid: 25_000 }, isPartial: true }
    expect(await ask(sold)).toMatchObject(whole)
    expect(await ask({ ...sold, paymentId: paymentId as string })).toMatchObject(whole)
    server.finish(requestIdOf(late), 'EXPIRED')
    expect(await ask({ ...late, paymentId: 'py-late' })).toMatchObject({
      report: { state: 'expired' },
      isPartial: true,
    })
    // It has a payment without a notification that cannot be read: only the request shows its state.
    server.finish(requestIdOf(silent), 'EXPIRED')
    server.pay(requestIdOf(silent), { isLate: true })
    expect(await ask(silent)).toMatchObject({ report: { state: 'expired' }, isPartial: true })
    const failed = await charge()
    server.finish(requestIdOf(failed), 'FAILED')
    expect(await ask({ ...failed, paymentId: 'py-1' })).toMatchObject({ report: { state: 'failed' } })
    expect(await ask(knownAs(suiteAttempt(), null))).toEqual({ kind: 'absent' })
    Object.assign(server, { paymentsHiddenBy: null, isKeyTrusted: true })
  },
)

test.each([['status_200_page'], ['status_403_page'], ['status_408_page'], ['status_502_page']] as const)(
  'a query is retried when a proxy answers (%s)',
  async (fault) => {
    const known = await charge()
    server.pay(requestIdOf(known))
    for (const path of ['/v3/payment_requests/', '/v3/payments/', '/v3/refunds?', '/payment_requests?']) {
      server.failNext(fault, { on: `GET ${path}` })
      const asked = path.startsWith('/payment') ? { ...known, providerId: null } : known
      expect([path, failureOf(await ask(asked)).class]).toEqual([path, 'unavailable'])
    }
    expect(await ask(known)).toMatchObject({ report: { state: 'paid' } })
  },
)

test('a charge or a refund is repeated when a proxy answered', async () => {
  const attempt = suiteAttempt()
  server.failNext('status_403_page')
  expect((await connector.charge(account, attempt, never)).kind).toBe('unknown')
  const known = knownAs(attempt, payableOf(await connector.charge(account, attempt, never)))
  server.pay(requestIdOf(known))
  server.failNext('status_408_page')
  const refund = { id: newId('rfd'), payment: known, amount: 5_000, reason: null }
  expect((await connector.refund(account, refund, never)).kind).toBe('unknown')
  expect((await connector.refund(account, refund, never)).kind).toBe('pending')
  server.failNext('status_403_page')
  expect(failureOf(await connector.probe(account, never)).code).toBe('answer_unreadable')
})

test('two payments of one request are two facts', async () => {
  const known = await charge()
  const [first, second] = [server.pay(requestIdOf(known)), server.pay(requestIdOf(known))]
  const notified = [first, second].map((data) => genuineReport(read(eventOf('payment.capture', data))))
  expect(notified[0]?.dedupKey).not.toBe(notified[1]?.dedupKey as string)
  for (const { paymentId } of notified)
    expect(await ask({ ...known, paymentId: paymentId as string })).toMatchObject({ report: { paymentId } })
})

test('a refund of the first of two payments is found, named by its notice or known from the books', async () => {
  const known = await charge()
  const [first, second] = [server.pay(requestIdOf(known)), server.pay(requestIdOf(known))].map(({ payment_id }) =>
    String(payment_id),
  ) as [string, string]
  const data = server.refundPayment(first, 5_000)
  const notified = genuineReport(read(eventOf('refund.succeeded', data)))
  expect(notified).toMatchObject({
    paymentId: first,
    amountPaid: null,
    refunds: [{ amount: 5_000, state: 'succeeded' }],
  })
  const found = { report: { state: 'paid', refunds: [{ providerRefundId: data.id, amount: 5_000 }] } }
  expect(await ask({ ...known, paymentId: first })).toMatchObject(found)
  expect(await ask({ ...known, paymentIds: [first, second] })).toMatchObject(found)
  expect(await ask({ ...known, paymentId: second, paymentIds: [first, second] })).toMatchObject(found)
  // Of another payment there is no list: what the other lists say is known all the same.
  server.unlistedRefundsOf = second
  expect(await ask({ ...known, paymentIds: [first, second] })).toMatchObject({ ...found, isPartial: true })
  server.unlistedRefundsOf = null
})

test('refunds of other payments do not count here, whatever Xendit lists', async () => {
  const [known, other] = [await charge(), await charge()]
  const [payment, another] = [server.pay(requestIdOf(known)), server.pay(requestIdOf(other))]
  const own = server.refundPayment(String(payment.payment_id), 5_000)
  const ofTheirs = server.refundPayment(String(another.payment_id), 6_000)
  server.isRefundListOfOne = false
  const namesOf = async () => {
    const answer = await ask({ ...known, paymentIds: [String(payment.payment_id)] })
    return answer.kind === 'known' && answer.report.refunds.map(({ providerRefundId }) => providerRefundId)
  }
  expect(await namesOf()).toEqual([String(own.id)])
  // By the payment alone, as some rows have it; one that names neither is of what was asked for.
  for (const row of [own, ofTheirs]) delete row.payment_request_id
  expect(await namesOf()).toEqual([String(own.id)])
  delete own.payment_id
  expect(await namesOf()).toEqual([String(own.id)])
  server.isRefundListOfOne = true
})

test.each([
  ['FAILED', 'failed'],
  ['CANCELED', 'cancelled'],
  ['EXPIRED', 'expired'],
] as const)('%s is %s, and counts as ended', async (status, state) => {
  const known = await charge()
  server.finish(requestIdOf(known), status)
  expect(await ask(known)).toMatchObject({ report: { state } })
  expect(await connector.cancel(account, known, never)).toEqual({ kind: 'ended' })
})

test('a refund is pending until a notice or a status query of Xendit settles it', async () => {
  const known = await charge()
  server.pay(requestIdOf(known))
  const refund = { id: newId('rfd'), payment: known, amount: 10_000, reason: 'sold out' }
  const outcome = await connector.refund(account, refund, never)
  expect(outcome.kind).toBe('pending')
  expect(lastRequest()?.body).toMatchObject({
    payment_request_id: known.providerId,
    reference_id: refund.id,
    amount: 10_000,
    currency: 'IDR',
    reason: 'REQUESTED_BY_CUSTOMER',
  })
  expect(await ask(known)).toMatchObject({ report: { refunds: [{ refundId: refund.id, state: 'pending' }] } })
  const rows = server.settleRefunds('SUCCEEDED').filter((row) => row.reference_id === refund.id)
  const notified = genuineReport(read(eventOf('refund.succeeded', rows[0] as object)))
  const expected = {
    refundId: refund.id,
    providerRefundId: String(rows[0]?.id),
    amount: 10_000,
    state: 'succeeded' as const,
  }
  expect([notified.providerId, notified.attemptId, notified.amountPaid]).toEqual([known.providerId, null, null])
  expect(notified.refunds).toEqual([expected])
  expect(await ask(known)).toMatchObject({
    report: { state: 'paid', refunds: [expected], dedupKey: notified.dedupKey },
  })
  expect((await connector.refund(account, refund, never)).kind).toBe('pending')
  const tooMuch = { ...refund, id: newId('rfd'), amount: 25_000 }
  expect(failureOf(await connector.refund(account, tooMuch, never)).code).toBe('refund_amount_exceeded')
})

test('the older shapes are understood: v2 payments, QR codes of two versions, flat virtual accounts', async () => {
  const known = await charge()
  const v2 = {
    id: 'py-1',
    payment_request_id: known.providerId,
    reference_id: 'foreign',
    amount: 25_000,
    status: 'SUCCEEDED',
  }
  const byRequest = genuineReport(read(eventOf('payment.succeeded', v2)))
  expect(byRequest).toMatchObject({ attemptId: null, providerId: known.providerId, state: 'paid', amountPaid: 25_000 })
  const qrOne = {
    event: 'qr.payment',
    id: 'qrpy_1',
    amount: 25_000,
    status: 'COMPLETED',
    created: '2026-01-31T02:05:00.000Z',
    qr_code: { id: 'qr_1', external_id: known.id, qr_string: '0002', type: 'DYNAMIC' },
    payment_details: { receipt_id: 'r1', source: 'GOPAY' },
  }
  expect(genuineReport(read(noticeOf(qrOne)))).toMatchObject({
    attemptId: known.id,
    state: 'paid',
    amountPaid: 25_000,
    facts: { issuer: 'GOPAY', receipt: 'r1' },
  })
  const qrTwo = eventOf('qr.payment', {
    id: 'qrpy_2',
    qr_id: 'qr_2',
    reference_id: known.id,
    amount: '25000',
    status: 'SUCCEEDED',
  })
  expect(genuineReport(read(qrTwo))).toMatchObject({ attemptId: known.id, state: 'paid', amountPaid: 25_000 })
  const virtualAccount = {
    id: '1',
    payment_id: 'p1',
    callback_virtual_account_id: 'v1',
    external_id: known.id,
    account_number: '9999000000001',
    bank_code: 'BNI',
    amount: 25_000,
    transaction_timestamp: '2026-01-31T02:05:00.000Z',
    merchant_code: '9999',
    sender_name: 'BUDI',
  }
  expect(genuineReport(read(noticeOf(virtualAccount)))).toMatchObject({
    attemptId: known.id,
    state: 'paid',
    amountPaid: 25_000,
    facts: { sender: 'BUDI' },
  })
  const created = { id: 'v1', external_id: known.id, account_number: '9999', bank_code: 'BNI', status: 'ACTIVE' }
  expect(read(noticeOf(created)).kind).toBe('irrelevant')
})

test('a failed payment under a request and an unknown event are read as what they are', async () => {
  const known = await charge()
  const data = {
    payment_request_id: known.providerId,
    reference_id: known.id,
    status: 'FAILED',
    failure_code: 'ISSUER_UNAVAILABLE',
    request_amount: 25_000,
  }
  expect(genuineReport(read(eventOf('payment.failure', data)))).toMatchObject({
    state: 'failed',
    amountPaid: null,
    facts: { failure: 'ISSUER_UNAVAILABLE' },
  })
  expect(read(eventOf('payout.succeeded', data)).kind).toBe('irrelevant')
  expect(read(eventOf('payment.capture', { reference_id: 'theirs', request_amount: 1 })).kind).toBe('irrelevant')
  expect(read(eventOf('payment.capture', { ...data, currency: 'PHP' }))).toMatchObject({
    kind: 'genuine',
    report: { currency: 'PHP' },
  })
})

test('a notice never proves its state: the token says nothing about the body', async () => {
  const known = await charge()
  expect(read(eventOf('payment.capture', server.pay(requestIdOf(known))))).toMatchObject({
    kind: 'genuine',
    isStateProven: false,
  })
})

test('texts of payers are cut between characters, because the database refuses half a character', async () => {
  const known = await charge()
  const sender_name = `${'a'.repeat(199)}🍜🍜`
  const payment = { ...server.pay(requestIdOf(known)), payment_details: { sender_name } }
  const { facts } = genuineReport(read(eventOf('payment.capture', payment)))
  expect([facts.sender?.isWellFormed(), [...(facts.sender ?? '')].length]).toEqual([true, 200])
})

test('reading any notice ends in a verdict', () => {
  const events = fc.constantFrom(
    'payment.capture',
    'payment.succeeded',
    'qr.payment',
    'refund.succeeded',
    'payment_request.expiry',
    'constructor',
    null,
    7,
  )
  const ids = fc.constantFrom(newId('pay'), 'pr-1', '', null, 7)
  const data = fc.record(
    {
      payment_request_id: ids,
      reference_id: ids,
      status: fc.jsonValue(),
      captures: fc.jsonValue(),
      request_amount: fc.jsonValue(),
      amount: fc.jsonValue(),
      id: fc.jsonValue(),
      payment_id: ids,
      external_id: ids,
      account_number: fc.jsonValue(),
      qr_code: fc.jsonValue(),
      payment_details: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(events, data, fc.boolean(), (event, fields, isFlat) => {
      const verdict = read(noticeOf({ ...(event !== null && { event }), ...(isFlat ? fields : { data: fields }) }))
      expect(['genuine', 'unreadable', 'irrelevant', 'refused']).toContain(verdict.kind)
      if (verdict.kind === 'genuine') expect(REPORTED_STATES).toContain(verdict.report.state)
      if (verdict.kind === 'genuine') expect(verdict.report.amountPaid ?? 0).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 500 },
  )
})
