import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type MidtransServer, startMidtransServer } from '../../../../test/support/midtrans-server.ts'
import { systemClock } from '../../../kernel/clock.ts'
import { newId } from '../../../kernel/ids.ts'
import { failureOf, knownAs, never, payableOf, suiteAccount, suiteAttempt } from '../../payment-connector.suite.ts'
import type { ChargeAttempt, KnownAttempt, PaymentAccount } from '../../payment-connector.ts'
import { createMidtransConnector } from './midtrans.ts'
import { readReport } from './midtrans-report.ts'

/** E-wallets, stores, cards and pay later. The suite in midtrans.test.ts covers what they share with the other methods. */
const connector = createMidtransConnector({ clock: systemClock, timeoutMs: 60_000 })
let [server, account] = [] as unknown as [MidtransServer, PaymentAccount]

beforeAll(() => {
  server = startMidtransServer()
  account = suiteAccount({ provider: 'midtrans', baseUrl: server.url, credentials: { server_key: server.serverKey } })
})
afterAll(() => server.stop())

const charge = async (fields: Partial<ChargeAttempt>) => {
  const attempt = suiteAttempt(fields)
  const details = payableOf(await connector.charge(account, attempt, never))
  const { body } = server.requests.at(-1) as { body: Record<string, unknown> }
  return { details, known: knownAs(attempt, details), body, attempt }
}

const askState = async (known: KnownAttempt) => {
  const status = await connector.askStatus(account, known, never)
  return status.kind === 'known' ? status.report.state : status.kind
}

test('GoPay has a link for phones and a QR code for desks, and is asked to return to the pay page', async () => {
  const { details, body } = await charge({ method: 'ewallet', bank: 'gopay' })
  expect(details.ewallet).toMatchObject({
    channel: 'gopay',
    deeplinkUrl: expect.stringContaining('https://gopay.co.id'),
  })
  expect(details.qrImageUrl).toContain('/v2/gopay/')
  const callback = 'https://pay.example.com/pay/token'
  expect(body).toMatchObject({ payment_type: 'gopay', gopay: { enable_callback: true, callback_url: callback } })
})

test('OVO is asked with the local phone number and without an expiry, and an unknown payer is declined', async () => {
  const { details, body } = await charge({ method: 'ewallet', bank: 'ovo' })
  expect(details.ewallet).toEqual({ channel: 'ovo', deeplinkUrl: null, webUrl: null })
  expect([body.ovo, 'custom_expiry' in body]).toEqual([{ payer_phone_number: '081234567890' }, false])
  server.isPayerUnknown = true
  const outcome = await connector.charge(account, suiteAttempt({ method: 'ewallet', bank: 'ovo' }), never)
  server.isPayerUnknown = false
  expect(failureOf(outcome)).toMatchObject({ class: 'declined', code: 'payer_unknown' })
})

test('a store gets a payment code, with the name of the shop on its receipt', async () => {
  const { details, body } = await charge({ method: 'retail', bank: 'alfamart', merchantName: 'Warung | Contoh' })
  expect(details.retail).toEqual({ store: 'alfamart', paymentCode: '832401000000003' })
  expect(body.cstore).toMatchObject({ store: 'alfamart', alfamart_free_text_1: 'Warung Contoh' })
})

test('a card is entered on the page of Midtrans, with 3-D Secure and no other method', async () => {
  const { details, body, known } = await charge({ method: 'card', bank: 'credit_card' })
  expect(details.card?.redirectUrl).toStartWith('https://app.sandbox.midtrans.com/')
  expect(body).toMatchObject({ enabled_payments: ['credit_card'], credit_card: { secure: true } })
  expect(await askState(known)).toBe('pending')
  server.choose(known.id)
  server.move(known.id, 'deny')
  // The payer may use another card.
  expect(await askState(known)).toBe('pending')
  server.move(known.id, 'capture', { fraud_status: 'challenge' })
  expect(await askState(known)).toBe('pending')
  server.move(known.id, 'capture', { fraud_status: 'accept' })
  expect(await askState(known)).toBe('paid')
})

test('an untouched page is cancelled, and a page on which the payer pays is not', async () => {
  const untouched = await charge({ method: 'card', bank: 'credit_card' })
  expect(await connector.cancel(account, untouched.known, never)).toEqual({ kind: 'ended' })
  const busy = await charge({ method: 'card', bank: 'akulaku' })
  server.isPageBusy = true
  expect(failureOf(await connector.cancel(account, busy.known, never))).toMatchObject({ code: 'still_open' })
  // After its time a page can no longer be paid.
  expect(await connector.expire(account, busy.known, never)).toEqual({ kind: 'ended' })
  server.isPageBusy = false
  const chosen = await charge({ method: 'card', bank: 'kredivo' })
  server.choose(chosen.known.id)
  expect(await connector.cancel(account, chosen.known, never)).toEqual({ kind: 'ended' })
  const paid = await charge({ method: 'card', bank: 'credit_card' })
  server.move(paid.known.id, 'settlement')
  expect(await connector.cancel(account, paid.known, never)).toMatchObject({
    kind: 'overtaken',
    report: { state: 'paid' },
  })
})

test('a page whose answer was lost fails the attempt, because its address is unknown', async () => {
  const { attempt } = await charge({ method: 'card', bank: 'credit_card' })
  const again = await connector.charge(account, { ...attempt, attemptNumber: 2 }, never)
  expect(failureOf(again)).toMatchObject({ class: 'rejected', code: 'duplicate_attempt' })
})

test('a bank without an account number in the API is paid on its page, and found by the id of its transaction', async () => {
  const { details, body, known } = await charge({ method: 'virtual_account', bank: 'seabank' })
  expect(details).toMatchObject({ virtualAccount: null, accountPage: { bank: 'seabank' } })
  expect(details.accountPage?.redirectUrl).toStartWith('https://app.sandbox.midtrans.com/')
  expect(body).toMatchObject({ enabled_payments: ['seabank_va'] })
  expect(await askState(known)).toBe('pending')
  server.choose(known.id)
  // Our id does not find the transaction, so the page cannot be ended until a notification has named its id.
  expect(failureOf(await connector.cancel(account, known, never))).toMatchObject({ code: 'still_open' })
  const notified = { ...known, notifiedId: String(server.notices(known.id).transaction_id) }
  expect(await askState(notified)).toBe('pending')
  expect(await connector.cancel(account, notified, never)).toEqual({ kind: 'ended' })
  expect(await askState(notified)).toBe('cancelled')
  const paid = await charge({ method: 'virtual_account', bank: 'bsi' })
  const fields = server.move(paid.known.id, 'settlement')
  expect(readReport(fields)).toMatchObject({
    report: { state: 'paid', amountPaid: 25_000, paymentId: fields.transaction_id },
  })
})

test('DANA is asked and refunded by the id of its transaction', async () => {
  const { known } = await charge({ method: 'ewallet', bank: 'dana' })
  const fields = server.move(known.id, 'settlement')
  const transaction = String(fields.transaction_id)
  const reading = readReport(fields)
  expect(reading).toMatchObject({ ok: true, report: { paymentId: transaction } })
  expect(await askState({ ...known, paymentId: transaction })).toBe('paid')
  const payment = { ...known, paymentIds: [transaction] }
  const refund = { id: newId('rfd'), payment, amount: 25_000, reason: null }
  expect((await connector.refund(account, refund, never)).kind).toBe('pending')
  const request = server.requests.at(-1)
  expect([request?.path, request?.headers.get('transaction-source')]).toEqual([`/v2/${transaction}/refund`, 'SNAP_API'])
})

test('a part of a payment by OVO or ShopeePay is not refunded, and no call is made for it', async () => {
  for (const bank of ['ovo', 'shopeepay']) {
    const { known } = await charge({ method: 'ewallet', bank })
    server.move(known.id, 'settlement')
    const calls = server.requests.length
    const outcome = await connector.refund(
      account,
      { id: newId('rfd'), payment: known, amount: 1_000, reason: null },
      never,
    )
    expect([failureOf(outcome).code, server.requests.length]).toEqual(['refund_partial_not_supported', calls])
  }
})
