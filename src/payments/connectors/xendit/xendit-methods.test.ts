import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startXenditServer, type XenditServer } from '../../../../test/support/xendit-server.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { newId } from '../../../kernel/ids.ts'
import { findMismatch } from '../../attempts/charge-agreement.ts'
import {
  failureOf,
  genuineReport,
  knownAs,
  never,
  payableOf,
  suiteAccount,
  suiteAttempt,
} from '../../payment-connector.suite.ts'
import type { ChargeAttempt, KnownAttempt, PaymentAccount, RawNotice } from '../../payment-connector.ts'
import { createXenditConnector } from './xendit.ts'

/** E-wallets, stores, cards and pay later. The suite in xendit.test.ts covers what they share with the other methods. */
const connector = createXenditConnector({ clock: systemClock, timeoutMs: 60_000 })
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

const charge = async (fields: Partial<ChargeAttempt>) => {
  const attempt = suiteAttempt(fields)
  const details = payableOf(await connector.charge(account, attempt, never))
  const request = server.requests.at(-1) as { path: string; body: Record<string, unknown> }
  return { details, known: knownAs(attempt, details), request, attempt }
}

const askStatus = async (known: KnownAttempt) => {
  const status = await connector.askStatus(account, known, never)
  if (status.kind !== 'known') throw new Error(`not known: ${JSON.stringify(status)}`)
  return status.report
}

const noticeOf = (event: string, data: object): RawNotice => ({
  method: 'POST',
  headers: new Headers({ 'x-callback-token': server.callbackToken }),
  query: new URLSearchParams(),
  body: new TextEncoder().encode(JSON.stringify({ event, created: '2026-01-31T02:05:01.000Z', data })),
})

test('a wallet has a page and a link to its app, and returns to the pay page', async () => {
  const { details, request } = await charge({ method: 'ewallet', bank: 'shopeepay' })
  expect(details.ewallet).toEqual({
    channel: 'shopeepay',
    webUrl: 'https://web.xendit.co/SHOPEEPAY',
    deeplinkUrl: 'shopeepay://pay',
  })
  expect(request.body.channel_properties).toMatchObject({ success_return_url: 'https://pay.example.com/pay/token' })
})

test('OVO is asked with the phone number, a store with the name of the payer', async () => {
  const ovo = await charge({ method: 'ewallet', bank: 'ovo' })
  expect(ovo.details.ewallet).toEqual({ channel: 'ovo', webUrl: null, deeplinkUrl: null })
  expect(ovo.request.body.channel_properties).toEqual({ account_mobile_number: '+6281234567890' })
  const store = await charge({ method: 'retail', bank: 'indomaret' })
  expect(store.details.retail?.store).toBe('indomaret')
  expect(store.request.body.channel_properties).toMatchObject({ payer_name: 'Budi' })
})

test('an answer with another wallet or an unsafe address is a mismatch', async () => {
  const { details, attempt } = await charge({ method: 'ewallet', bank: 'dana' })
  const ewallet = details.ewallet ?? { channel: '', webUrl: null, deeplinkUrl: null }
  expect(findMismatch(account, attempt, details)).toBeNull()
  for (const change of [
    { channel: 'gopay' },
    { webUrl: 'http://example.com/' },
    { deeplinkUrl: 'javascript:alert(1)' },
  ])
    expect(findMismatch(account, attempt, { ...details, ewallet: { ...ewallet, ...change } })).toBeString()
  expect(findMismatch(account, { ...attempt, method: 'card' }, details)).toBeString()
})

test('a card is entered on the page of Xendit; a refused card leaves the session open', async () => {
  const { details, known, request } = await charge({ method: 'card', bank: 'credit_card' })
  expect(request).toMatchObject({ path: '/sessions', body: { allowed_payment_channels: ['CARDS'] } })
  expect(details.card?.redirectUrl).toStartWith('https://xen.to/')
  expect(await askStatus(known)).toMatchObject({ state: 'pending', providerId: known.providerId })
  server.finish(String(known.providerId), 'FAILED')
  expect(await askStatus(known)).toMatchObject({ state: 'pending', attemptId: known.id })
})

test('the payment of a session counts once, by either of its notifications, and is refunded by its request', async () => {
  const { known } = await charge({ method: 'card', bank: 'credit_card' })
  const payment = server.pay(String(known.providerId))
  const session = { payment_session_id: known.providerId, reference_id: known.id, status: 'COMPLETED', amount: 25_000 }
  const { payment_request_id, payment_id } = payment
  const reports = [
    genuineReport(connector.readNotice(account, noticeOf('payment.capture', payment))),
    genuineReport(
      connector.readNotice(
        account,
        noticeOf('payment_session.completed', { ...session, payment_request_id, payment_id }),
      ),
    ),
  ]
  for (const report of reports)
    expect(report).toMatchObject({ attemptId: known.id, state: 'paid', amountPaid: 25_000, paymentId: payment_id })
  const report = await askStatus(known)
  expect(report).toMatchObject({
    state: 'paid',
    amountPaid: 25_000,
    paymentId: payment_id,
    providerId: known.providerId,
  })
  const refund = { id: newId('rfd'), payment: known, amount: 10_000, reason: null }
  expect((await connector.refund(account, refund, never)).kind).toBe('pending')
  expect(server.requests.at(-1)?.body.payment_request_id).toBe(payment_request_id)
  expect(await connector.cancel(account, known, never)).toMatchObject({ kind: 'overtaken' })
})

test('an open session is cancelled, and ended again', async () => {
  const { known } = await charge({ method: 'card', bank: 'credit_card' })
  for (const how of ['cancel', 'expire'] as const)
    expect(await connector[how](account, known, never)).toEqual({ kind: 'ended' })
})

test('AstraPay is not refunded, and LinkAja only in full', async () => {
  for (const [bank, code] of [
    ['astrapay', 'refund_not_supported'],
    ['linkaja', 'refund_partial_not_supported'],
  ]) {
    const { known } = await charge({ method: 'ewallet', bank: bank ?? '' })
    server.pay(String(known.providerId))
    const outcome = await connector.refund(
      account,
      { id: newId('rfd'), payment: known, amount: 1_000, reason: null },
      never,
    )
    expect(failureOf(outcome).code).toBe(code ?? '')
  }
})
