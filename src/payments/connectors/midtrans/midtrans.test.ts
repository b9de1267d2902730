import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type MidtransServer, startMidtransServer } from '../../../../test/support/midtrans-server.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { newId } from '../../../kernel/ids.ts'
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
import { signatureOf } from './midtrans.notice.ts'
import { createMidtransConnector } from './midtrans.ts'

const TIMEOUT_MS = 400
const connector = createMidtransConnector({ clock: systemClock, timeoutMs: TIMEOUT_MS })
let [server, account] = [] as unknown as [MidtransServer, PaymentAccount]

beforeAll(() => {
  server = startMidtransServer()
  account = suiteAccount({ provider: 'midtrans', baseUrl: server.url, credentials: { server_key: server.serverKey } })
})
afterAll(() => server.stop())

function noticeOf(fields: Record<string, unknown>, serverKey = server.serverKey): RawNotice {
  const { order_id: orderId, status_code: statusCode, gross_amount: grossAmount } = fields as Record<string, string>
  const signature = signatureOf(serverKey, {
    orderId: String(orderId),
    statusCode: String(statusCode),
    grossAmount: String(grossAmount),
  })
  const body = new TextEncoder().encode(JSON.stringify({ ...fields, signature_key: signature }))
  return { method: 'POST', headers: new Headers(), query: new URLSearchParams(), body }
}

const edited = (notice: RawNotice, change: Record<string, unknown>): RawNotice => ({
  ...notice,
  body: new TextEncoder().encode(JSON.stringify({ ...JSON.parse(new TextDecoder().decode(notice.body)), ...change })),
})

const contradicting = (body: Record<string, unknown>, what: Contradiction): Record<string, unknown> => {
  if (what === 'order') return { order_id: newId('pay') }
  if (what === 'currency') return { currency: 'USD' }
  if (what === 'amount') return { gross_amount: '2500.00' }
  return what === 'fraction' ? { gross_amount: '25000.50' } : { qr_string: alteredCode(body.qr_string, what) }
}

describeRemoteConnector('Midtrans', () => ({
  connector,
  account,
  network: {
    pay: (attempt) => noticeOf(server.move(attempt.id, 'settlement')),
    forge: (notice) => noticeOf(JSON.parse(new TextDecoder().decode(notice.body)), 'another key'),
  },
  remote: {
    countCalls: () => server.requests.length,
    failNext: server.failNext,
    contradictNext: (what) => server.alterNext((body) => ({ ...body, ...contradicting(body, what) })),
    omitNext: () => server.alterNext(({ order_id: _1, gross_amount: _2, currency: _3, ...others }) => others),
    withWrongCredentials: { ...account, credentials: { server_key: 'SB-Mid-server-WRONG' } },
    unreachable: { ...account, baseUrl: 'http://127.0.0.1:1' },
  },
}))

const charge = async (fields: Parameters<typeof suiteAttempt>[0] = {}): Promise<KnownAttempt> => {
  const attempt = suiteAttempt(fields)
  return knownAs(attempt, payableOf(await connector.charge(account, attempt, never)))
}

const lastRequest = () => server.requests.at(-1)

test('the signature reproduces the documented and our own vector, and not the reformatted amount', () => {
  const documented = { orderId: '1111', statusCode: '200', grossAmount: '100000.00' }
  expect(signatureOf('askvnoibnosifnboseofinbofinfgbiufglnbfg', documented)).toBe(
    'edc076b21793ebe3e17926350f5b8ae67d902fe657b3d0aa31b932d5c127e2375d308a2bc94f3265ac2d80a1f181a79b997ac178a236fcff35af263fc4d4c231',
  )
  const own = { orderId: 'ord_01J-1', statusCode: '200', grossAmount: '25000.00' }
  const key = 'SB-Mid-server-EXAMPLE-0000'
  expect(signatureOf(key, own)).toBe(
    '56656af2c450a383a24e312e99357ec116d7f314c3a0b33f96b1a0b52b752defa724b9415d38b91ff4bb897cb87e4dfbfdb71684ba94f87c79b16259606a2837',
  )
  expect(signatureOf(key, { ...own, grossAmount: '25000' }).slice(0, 8)).toBe('c4d52596')
})

test('a charge carries our id, whole rupiah, an expiry in WIB, an idempotency key and where to send notices', async () => {
  const attempt = suiteAttempt({ expiresAt: new Date(Date.now() + 600_000) })
  await connector.charge(account, attempt, never)
  expect(lastRequest()?.body).toMatchObject({
    payment_type: 'qris',
    transaction_details: { order_id: attempt.id, gross_amount: 25_000 },
    customer_details: { first_name: 'Budi', phone: '+6281234567890' },
    custom_expiry: {
      expiry_duration: 600,
      unit: 'second',
      order_time: expect.stringMatching(/^[\d-]{10} [\d:]{8} \+0700$/),
    },
  })
  const headers = lastRequest()?.headers
  expect(headers?.get('idempotency-key')).toBe(attempt.id)
  expect(headers?.get('x-override-notification')).toBe(account.noticeUrl)
})

test('an address that Midtrans cannot reach is not sent', async () => {
  const local = { ...account, noticeUrl: 'http://127.0.0.1:3900/hooks/midtrans/pac_1' }
  await connector.charge(local, suiteAttempt(), never)
  expect(lastRequest()?.headers.get('x-override-notification')).toBeNull()
})

test('Mandiri is a bill with two lines, Permata has a separate field, times are WIB', async () => {
  const mandiri = suiteAttempt({ method: 'virtual_account', bank: 'mandiri', orderNumber: `N${'9'.repeat(40)}` })
  const bill = payableOf(await connector.charge(account, mandiri, never))
  expect(bill).toMatchObject({ bill: { billerCode: '70012', billKey: '030012345678' }, virtualAccount: null })
  expect(bill.expiresAt?.toISOString()).toBe('2026-02-01T02:00:00.000Z')
  expect(lastRequest()?.body).toMatchObject({ echannel: { bill_info1: 'Order:', bill_info2: `N${'9'.repeat(29)}` } })
  const permata = suiteAttempt({
    method: 'virtual_account',
    bank: 'permata',
    merchantName: 'A very long name of a merchant',
  })
  const number = payableOf(await connector.charge(account, permata, never))
  expect(number.virtualAccount).toEqual({ bank: 'permata', number: '0850012345678901', name: null })
  expect(lastRequest()?.body).toMatchObject({ bank_transfer: { permata: { recipient_name: 'A VERY LONG NAME OF' } } })
})

test('the image is used when there is no QR string, and QRIS has expire_time', async () => {
  server.isWithoutQrString = true
  const details = payableOf(await connector.charge(account, suiteAttempt(), never))
  server.isWithoutQrString = false
  expect(details.qrString).toBeNull()
  expect(details.qrImageUrl).toMatch(/^https:\/\/api\.sandbox\.midtrans\.com\/v2\/qris\/[\w-]{36}\/qr-code$/)
  expect(details.expiresAt?.toISOString()).toBe('2026-01-31T02:15:00.000Z')
})

test('the image is used when the QR string cannot be rendered', async () => {
  server.isWithBrokenQrString = true
  const details = payableOf(await connector.charge(account, suiteAttempt(), never))
  server.isWithBrokenQrString = false
  expect([details.qrString, details.qrImageUrl?.endsWith('/qr-code')]).toEqual([null, true])
})

test('a duplicate inside HTTP 200 is adopted while it can be paid, and refused once it is over', async () => {
  const attempt = suiteAttempt({ method: 'virtual_account', bank: 'bni' })
  const first = payableOf(await connector.charge(account, attempt, never))
  const again = payableOf(await connector.charge(account, attempt, never))
  expect([again.providerId, again.virtualAccount]).toEqual([first.providerId, first.virtualAccount])
  server.move(attempt.id, 'expire')
  expect(failureOf(await connector.charge(account, attempt, never))).toMatchObject({
    class: 'rejected',
    code: 'duplicate_attempt',
  })
})

test('trouble after the effect is unknown, and the second charge finds the first', async () => {
  const attempt = suiteAttempt()
  server.failNext('status_500_after')
  expect((await connector.charge(account, attempt, never)).kind).toBe('unknown')
  // Without the string the attempt is not payable yet: the charge is repeated under its key.
  const status = await connector.askStatus(account, knownAs(attempt, null), never)
  expect(status).toMatchObject({ kind: 'known', report: { state: 'pending' }, details: null })
  const details = payableOf(await connector.charge(account, { ...attempt, attemptNumber: 2 }, never))
  expect(details.qrImageUrl).toBe(`${server.url}/v2/qris/${details.providerId}/qr-code`)
})

test.each(['hang_before', 'status_429'] as const)(
  'a charge that cannot be repeated (%s) is payable by its image from the third call on',
  async (fault) => {
    const attempt = suiteAttempt()
    server.failNext('status_500_after')
    await connector.charge(account, attempt, never)
    const chargeAgain = (attemptNumber: number) => {
      server.failNext(fault)
      return connector.charge(account, { ...attempt, attemptNumber }, never)
    }
    expect((await chargeAgain(2)).kind).not.toBe('payable')
    expect(payableOf(await chargeAgain(3)).qrImageUrl).toEndWith('/qr-code')
    const unmade = { ...suiteAttempt(), attemptNumber: 3 }
    server.failNext(fault)
    expect((await connector.charge(account, unmade, never)).kind).not.toBe('payable')
  },
)

test('a page of a proxy in between is unknown', async () => {
  server.failNext('status_502_page')
  expect((await connector.charge(account, suiteAttempt(), never)).kind).toBe('unknown')
})

test('a "not found" of a proxy proves nothing about a payment', async () => {
  const known = await charge()
  for (const fault of ['status_404_page', 'garbage'] as const) {
    server.failNext(fault)
    expect(failureOf(await connector.askStatus(account, known, never)).code).toBe('answer_unreadable')
    server.failNext(fault)
    expect(failureOf(await connector.probe(account, never)).code).toBe('answer_unreadable')
    server.failNext(fault)
    expect(failureOf(await connector.cancel(account, known, never)).class).toBe('unavailable')
  }
})

test('an attempt whose time is over is not charged', async () => {
  const calls = server.requests.length
  const outcome = await connector.charge(account, suiteAttempt({ expiresAt: new Date(Date.now() - 1000) }), never)
  expect(failureOf(outcome).code).toBe('payment_expired')
  expect(server.requests.length).toBe(calls)
})

test.each([
  ['settlement', {}, 'paid'],
  ['SETTLEMENT', {}, 'paid'],
  ['capture', {}, 'paid'],
  ['capture', { fraud_status: 'challenge' }, 'pending'],
  ['PENDING', {}, 'pending'],
  ['authorize', {}, 'pending'],
  ['deny', {}, 'failed'],
  ['failure', {}, 'failed'],
  ['cancel', {}, 'cancelled'],
  ['expire', {}, 'expired'],
  ['chargeback', {}, 'reversed'],
])('%s %o is %s', async (status, more, state) => {
  const known = await charge()
  server.move(known.id, status, more)
  const outcome = await connector.askStatus(account, known, never)
  expect(outcome).toMatchObject({ kind: 'known', report: { state, attemptId: known.id, currency: 'IDR' } })
})

test('a denial undoes even a payment, an expiry does not', async () => {
  const known = await charge()
  server.move(known.id, 'deny')
  expect(await connector.askStatus(account, known, never)).toMatchObject({ report: { undoesPayment: true } })
  server.move(known.id, 'expire')
  const expired = await connector.askStatus(account, known, never)
  expect(expired.kind === 'known' && expired.report.undoesPayment).toBeFalsy()
})

test.each(['201', '202', '407'])(
  'money with the status code %s contradicts itself and is not believed',
  async (code) => {
    const known = await charge()
    server.move(known.id, 'settlement', { status_code: code })
    expect(failureOf(await connector.askStatus(account, known, never))).toMatchObject({
      class: 'unavailable',
      code: 'answer_contradictory',
    })
  },
)

test('an answer in another currency moves nothing', async () => {
  const known = await charge()
  server.move(known.id, 'settlement', { currency: 'USD' })
  const failure = failureOf(await connector.askStatus(account, known, never))
  expect(failure).toMatchObject({ class: 'unavailable', code: 'answer_not_understood' })
})

test('a partial chargeback reports the reversed amount, and refunds beside it stay refunds', async () => {
  const known = await charge()
  server.move(known.id, 'partial_chargeback', { refund_amount: '15000.00' })
  const alone = await connector.askStatus(account, known, never)
  expect(alone).toMatchObject({
    report: { state: 'reversed', amountPaid: 25_000, amountReversed: 15_000, refunds: [] },
  })
  const refunds = [
    { refund_key: 'rfd_ours', refund_amount: '5000.00', bank_confirmed_at: '2026-02-01 10:00:00' },
    { refund_chargeback_id: 7, refund_amount: '10000.00' },
  ]
  server.move(known.id, 'partial_chargeback', { refund_amount: '15000.00', refunds })
  expect(await connector.askStatus(account, known, never)).toMatchObject({
    report: { amountReversed: 10_000, refunds: [{ refundId: 'rfd_ours', amount: 5_000, state: 'succeeded' }] },
  })
})

test('a second partial chargeback has another key than the first', async () => {
  const known = await charge()
  const keys = ['5000.00', '9000.00', '9000.00'].map((refund_amount) => {
    const notice = noticeOf(server.move(known.id, 'partial_chargeback', { refund_amount }))
    const verdict = connector.readNotice(account, notice)
    return verdict.kind === 'genuine' ? verdict.report.dedupKey : verdict.kind
  })
  expect(new Set(keys).size).toBe(2)
  expect(keys[1]).toBe(keys[2])
})

test('a full chargeback without a row reverses all remaining money, even beside a full refund', async () => {
  const known = await charge()
  const refunds = [{ refund_key: 'rfd_ours', refund_amount: '25000.00' }]
  server.move(known.id, 'chargeback', { refund_amount: '25000.00', refunds })
  const outcome = await connector.askStatus(account, known, never)
  expect(outcome).toMatchObject({ report: { state: 'reversed', refunds: [{ state: 'pending' }] } })
  expect(outcome.kind === 'known' && outcome.report.amountReversed).toBeUndefined()
})

test.each(['25000.50', '25,000.00', '-1.00', '', 'abc', '1e4', '25000.000'])(
  'the amount "%s" is not read as one',
  async (grossAmount) => {
    const known = await charge()
    server.move(known.id, 'settlement', { gross_amount: grossAmount })
    expect(failureOf(await connector.askStatus(account, known, never)).code).toBe('answer_not_understood')
    const notice = noticeOf({ ...server.notices(known.id), status_code: '200', gross_amount: grossAmount || '0.5' })
    expect(connector.readNotice(account, notice)).toMatchObject({
      kind: 'unreadable',
      report: { attemptId: known.id },
    })
  },
)

test('an expire that answers 407 has succeeded', async () => {
  const known = await charge()
  expect(await connector.expire(account, known, never)).toEqual({ kind: 'ended' })
  expect(await connector.askStatus(account, known, never)).toMatchObject({ report: { state: 'expired' } })
})

test('an end whose answer was lost is settled by a status query', async () => {
  const known = await charge()
  server.failNext('hang_after')
  expect(await connector.cancel(account, known, never)).toEqual({ kind: 'ended' })
  const other = await charge()
  server.failNext('hang_before')
  expect(failureOf(await connector.cancel(account, other, never)).class).toBe('unavailable')
})

test('a refund is pending until the bank confirms it, and those are two facts', async () => {
  const known = await charge()
  server.move(known.id, 'settlement')
  const refund = { id: newId('rfd'), payment: known, amount: 10_000, reason: 'sold out' }
  expect(await connector.refund(account, refund, never)).toEqual({ kind: 'pending', providerRefundId: '1' })
  expect(lastRequest()?.body).toEqual({ refund_key: refund.id, amount: 10_000, reason: 'sold out' })
  const notified = genuineReport(connector.readNotice(account, noticeOf(server.notices(known.id))))
  expect(notified).toMatchObject({
    state: 'paid',
    amountPaid: 25_000,
    refunds: [{ refundId: refund.id, amount: 10_000, state: 'pending' }],
  })
  const confirmed = genuineReport(connector.readNotice(account, noticeOf(server.confirmRefunds(known.id))))
  expect(confirmed.refunds).toEqual([
    { refundId: refund.id, providerRefundId: '1', amount: 10_000, state: 'succeeded' },
  ])
  expect(confirmed.dedupKey).not.toBe(notified.dedupKey)
})

test('the same refund twice is one refund; too much, too early and ShopeePay in part are refused', async () => {
  const known = await charge()
  const refund = { id: newId('rfd'), payment: known, amount: 10_000, reason: null }
  expect(failureOf(await connector.refund(account, refund, never)).code).toBe('state_conflict')
  server.move(known.id, 'settlement')
  await connector.refund(account, refund, never)
  expect((await connector.refund(account, refund, never)).kind).toBe('pending')
  const tooMuch = { ...refund, id: newId('rfd'), amount: 20_000 }
  expect(failureOf(await connector.refund(account, tooMuch, never))).toMatchObject({
    class: 'rejected',
    code: 'refund_refused',
  })
  const shopee = { ...account, settings: { qris_acquirer: 'airpay shopee' } }
  expect(failureOf(await connector.refund(shopee, refund, never)).code).toBe('refund_partial_not_supported')
})

test('a refund whose answer was lost is unknown', async () => {
  const known = await charge()
  server.move(known.id, 'settlement')
  const refund = { id: newId('rfd'), payment: known, amount: 25_000, reason: null }
  server.failNext('hang_after')
  expect((await connector.refund(account, refund, never)).kind).toBe('unknown')
  expect((await connector.refund(account, refund, never)).kind).toBe('pending')
})

test('a notice never proves its state', async () => {
  const known = await charge()
  const verdict = connector.readNotice(account, noticeOf(server.move(known.id, 'settlement')))
  expect(verdict).toMatchObject({ kind: 'genuine', isStateProven: false })
})

test('a pending notice edited to settlement does not take the place of the true one', async () => {
  const known = await charge()
  const pending = noticeOf(server.notices(known.id))
  const forged = genuineReport(connector.readNotice(account, edited(pending, { transaction_status: 'settlement' })))
  const genuine = genuineReport(connector.readNotice(account, noticeOf(server.move(known.id, 'settlement'))))
  expect(forged.dedupKey).not.toBe(genuine.dedupKey)
})

test('an edited amount, order or status code breaks the signature', async () => {
  const known = await charge()
  const notice = noticeOf(server.move(known.id, 'settlement'))
  for (const change of [
    { gross_amount: '1.00' },
    { order_id: newId('pay') },
    { status_code: '201' },
    { gross_amount: 25_000 },
  ])
    expect(connector.readNotice(account, edited(notice, change))).toMatchObject({ kind: 'refused', status: 401 })
})

test('the test button of the dashboard is answered well; an unknown order is refused, and an unknown state is kept', async () => {
  const known = await charge()
  const fields = server.move(known.id, 'settlement')
  const test = noticeOf({ ...fields, order_id: 'payment_notif_test_G000000001' })
  expect(connector.readNotice(account, test).kind).toBe('irrelevant')
  const unknown = noticeOf({ ...fields, order_id: 'WEB-2291' })
  expect(connector.readNotice(account, unknown)).toMatchObject({ kind: 'refused', status: 404 })
  expect(connector.readNotice(account, noticeOf({ ...fields, currency: 'SGD' }))).toMatchObject({
    report: { currency: 'SGD' },
  })
  expect(connector.readNotice(account, noticeOf({ ...fields, transaction_status: 'melted' }))).toMatchObject({
    kind: 'unreadable',
  })
})

test('an answer about another order moves nothing', async () => {
  const [asked, other] = [await charge(), await charge()]
  server.move(asked.id, 'settlement', { order_id: other.id })
  expect(failureOf(await connector.askStatus(account, asked, never))).toMatchObject({ code: 'answer_not_understood' })
  server.move(asked.id, 'pending', { order_id: other.id })
  // Nor is its code shown to a payer.
  expect((await connector.charge(account, { ...suiteAttempt(), id: asked.id }, never)).kind).toBe('unknown')
})

test('the key decides between sandbox and production', async () => {
  const { midtransUrl } = await import('./midtrans.client.ts')
  const at = (key: string) => midtransUrl(suiteAccount({ provider: 'midtrans', credentials: { server_key: key } }))
  expect([at('SB-Mid-server-x'), at('Mid-server-x')]).toEqual([
    'https://api.sandbox.midtrans.com',
    'https://api.midtrans.com',
  ])
})

test('texts of payers are cut between characters, because the database refuses half a character', async () => {
  const known = await charge()
  const notice = noticeOf({ ...server.move(known.id, 'settlement'), status_message: `${'a'.repeat(199)}🍜🍜` })
  const { status_message: text = '' } = genuineReport(connector.readNotice(account, notice)).facts
  expect([text.isWellFormed(), [...text].length]).toEqual([true, 200])
})

test('reading any signed notice ends in a verdict', () => {
  const fields = fc.record(
    {
      order_id: fc.constantFrom(newId('pay'), 'theirs'),
      status_code: fc.constantFrom('200', '201', '202', '999'),
      gross_amount: fc.constantFrom('25000.00', '25000', '1.5', 'x'),
      transaction_status: fc.oneof(fc.constantFrom('settlement', 'refund', 'constructor', '__proto__'), fc.jsonValue()),
      refunds: fc.jsonValue(),
      refund_amount: fc.jsonValue(),
      transaction_id: fc.jsonValue(),
      settlement_time: fc.jsonValue(),
      currency: fc.jsonValue(),
    },
    { requiredKeys: ['order_id', 'status_code', 'gross_amount'] },
  )
  fc.assert(
    fc.property(fields, (notice) => {
      const verdict = connector.readNotice(account, noticeOf(notice))
      expect(['genuine', 'unreadable', 'irrelevant', 'refused']).toContain(verdict.kind)
      if (verdict.kind === 'genuine') expect(REPORTED_STATES).toContain(verdict.report.state)
      if (verdict.kind === 'genuine') expect(verdict.report.amountPaid ?? 25_000).toBe(25_000)
    }),
    { numRuns: 500 },
  )
})
