import { beforeEach, expect, test } from 'bun:test'
import { casesOf, paid } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { payableOutcome, reportOf, scriptedCode, scriptedNotice } from '../../../test/support/scripted-payments.ts'
import { SIGNATURE_HEADER, signNotice } from '../../payments/connectors/simulator/simulator.notice.ts'
import type { ChargeAttempt, ChargeOutcome, PayableDetails } from '../../payments/payment-connector.ts'

/** What a provider answers to a charge is compared with the request, and what it reports without a usable amount is reviewed. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg, summaryOf, untilCharged } = casesOf(shop)

type Charged = Pick<ChargeAttempt, 'id' | 'method' | 'bank' | 'amount' | 'expiresAt'>

const detailsWith = (attempt: Charged, change: Partial<PayableDetails>): PayableDetails => ({
  ...(payableOutcome(attempt) as Extract<ChargeOutcome, { kind: 'payable' }>).details,
  ...change,
})

const withCode = (amount: number | null) => (attempt: Charged) =>
  detailsWith(attempt, { qrString: scriptedCode({ id: attempt.id, amount }) })

const stating = (change: Partial<PayableDetails['stated']>) => (attempt: Charged) =>
  detailsWith(attempt, { stated: { attemptId: attempt.id, amount: attempt.amount, currency: 'IDR', ...change } })

const ANOTHER = 'pay_01k9x3m5q8e0t9v7a2b4c6d8fg'

test.each<[string, (attempt: Charged) => PayableDetails]>([
  ['another order', stating({ attemptId: ANOTHER })],
  ['another amount', stating({ amount: 2_500 })],
  ['an amount with a fraction', stating({ amount: Number.NaN })],
  ['another currency', stating({ currency: 'USD' })],
  ['a code over another amount', withCode(2_500)],
  ['a code without an amount', withCode(null)],
  ['a QR string that is not a QRIS code', (attempt) => detailsWith(attempt, { qrString: 'no code at all' })],
  [
    'an account number for a code',
    (attempt) =>
      detailsWith(attempt, { qrString: null, virtualAccount: { bank: 'bni', number: '8808123456789012', name: null } }),
  ],
])('an attempt fails with provider_mismatch and shows nothing when the answer has %s', async (_, answer) => {
  const orgId = await remoteOrg()
  shop.remote.script.charge = (attempt) => ({ kind: 'payable', details: answer(attempt) })
  const order = await shop.anOrder(orgId)
  expect(order.payment).toMatchObject({
    status: 'failed',
    qris: null,
    virtual_account: null,
    error: { code: 'provider_mismatch' },
  })
  await shop.settle()
  expect(shop.remote.calls).toContain(`cancel ${order.payment.id}`)
  shop.remote.reset()
  const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
  expect(json.payment.status).toBe('pending')
})

test('the id of another order at the provider is not adopted by the attempt that it was given for', async () => {
  const orgId = await remoteOrg()
  const cancelled: (string | null)[] = []
  shop.remote.script.cancel = ({ providerId }) => {
    cancelled.push(providerId)
    return { kind: 'ended' }
  }
  shop.remote.script.charge = (attempt) => ({ kind: 'payable', details: stating({ attemptId: ANOTHER })(attempt) })
  await shop.anOrder(orgId)
  await shop.settle()
  expect(cancelled).toEqual([null])
})

test('an attempt fails with provider_mismatch when the contradiction is found by asking', async () => {
  const orgId = await remoteOrg()
  shop.remote.script.charge = () => ({ kind: 'unknown', detail: 'the answer was lost' })
  shop.remote.script.status = (attempt) => ({
    kind: 'known',
    report: reportOf(attempt),
    details: withCode(2_500)({ ...attempt, expiresAt: null }),
  })
  const request = shop.anOrder(orgId)
  await untilCharged(orgId)
  await shop.advance(2)
  expect((await request).payment).toMatchObject({ status: 'failed', error: { code: 'provider_mismatch' } })
})

test('the end of a mismatched charge is retried when the provider is unavailable', async () => {
  const orgId = await remoteOrg()
  shop.remote.script.charge = (attempt) => ({ kind: 'payable', details: withCode(2_500)(attempt) })
  const failure = { class: 'unavailable', code: 'provider_unavailable', providerCode: null, detail: 'down' } as const
  shop.remote.script.cancel = () => ({ kind: 'refused', failure: { ...failure, retryAfterMs: null } })
  const order = await shop.anOrder(orgId)
  await shop.settle()
  shop.remote.script.cancel = () => ({ kind: 'overtaken', report: paid(order.payment, { amountPaid: 2_500 }) })
  await shop.advance(10)
  const [, , status, reasons] = await summaryOf(orgId, order)
  expect([status, reasons]).toEqual(['paid', expect.arrayContaining(['amount_mismatch'])])
})

test('a genuine notice in another currency marks its order at once and once, and moves no money', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  const report = paid(order.payment, { currency: 'USD' })
  for (let time = 0; time < 2; time++) expect((await shop.sendNotice(orgId, report)).status).toBe(200)
  expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'pending', 'pending', ['amount_unknown']])
  const types = await shop.eventTypes(orgId)
  expect(types.filter((type) => type === 'order.needs_review')).toHaveLength(1)
  await shop.sendNotice(orgId, paid(order.payment))
  expect((await summaryOf(orgId, order)).slice(0, 3)).toEqual(['confirmed', 'paid', 'paid'])
})

test('a genuine notice with a fraction of a rupiah marks its order at once', async () => {
  const orgId = await shop.anOrg(['simulator'])
  const order = await shop.anOrder(orgId)
  const [account] = await shop.database.many<{ id: string }>`select id from payment_accounts where org_id = ${orgId}`
  const open = await shop.accounts.openForNotice('simulator', account?.id ?? '')
  const payment = { reference: order.payment.id, transaction: 'sim_1', amount: '25000.50', currency: 'IDR' }
  const body = new TextEncoder().encode(JSON.stringify({ type: 'payment.paid', payment }))
  const signature = signNotice(open?.account.credentials.notice_key ?? '', body)
  const headers = new Headers({ [SIGNATURE_HEADER]: signature })
  const notice = { ...scriptedNotice(paid(order.payment)), headers, body }
  expect(await shop.payments.receiveNotice('simulator', account?.id ?? '', notice)).toMatchObject({ status: 200 })
  expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'pending', 'pending', ['amount_unknown']])
})
