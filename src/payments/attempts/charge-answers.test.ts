import { beforeEach, describe, expect, test } from 'bun:test'
import { casesOf, paid, summary } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { faultsOf } from '../../../test/support/published-schema.ts'
import {
  holdCharges,
  payableOutcome,
  reportOf,
  scriptedCode,
  unavailableFailure,
} from '../../../test/support/scripted-payments.ts'
import { until } from '../../../test/support/until.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { ChargeAttempt, ChargeOutcome, PayableDetails, ReportedPaymentState } from '../payment-connector.ts'
import { qrisPng } from '../qris/qris.ts'

/** What a provider answers to a charge is shown only when it agrees with the request, and a lost answer charges once. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg, summaryOf, untilCharged } = casesOf(shop)

describe('a charge', () => {
  test('is queried under the same id before it is created again when its answer was lost', async () => {
    const orgId = await remoteOrg()
    const asked = new Set<string>()
    shop.remote.script.charge = (attempt): ChargeOutcome => {
      if (asked.has(attempt.id)) return payableOutcome(attempt)
      asked.add(attempt.id)
      return { kind: 'unknown', detail: 'timed out' }
    }
    const request = shop.anOrder(orgId)
    await untilCharged(orgId)
    await shop.advance(2)
    const order = await request
    expect(order.payment.status).toBe('pending')
    const { id } = order.payment
    const calls = shop.remote.calls.filter((call) => call.endsWith(id))
    expect(calls).toEqual([`charge ${id}`, `status ${id}`, `charge ${id}`])
  })

  test('is adopted instead of created again when it exists at the provider', async () => {
    const orgId = await remoteOrg()
    shop.remote.script.charge = () => ({ kind: 'unknown', detail: 'timed out' })
    const request = shop.anOrder(orgId)
    await untilCharged(orgId)
    shop.remote.script.status = (attempt) => {
      const outcome = payableOutcome({ ...attempt, expiresAt: null })
      const details = outcome.kind === 'payable' ? outcome.details : null
      return { kind: 'known', report: reportOf(attempt), details }
    }
    await shop.advance(2)
    const order = await request
    expect([order.payment.status, order.payment.qris.string]).toEqual(['pending', scriptedCode(order.payment)])
    expect(shop.remote.calls.filter((call) => call.startsWith('charge'))).toHaveLength(1)
  })

  test('fails the attempt and leaves the order open for another when it is refused', async () => {
    const orgId = await remoteOrg()
    const failure = { ...unavailableFailure, class: 'rejected' as const, code: 'method_not_activated' }
    shop.remote.script.charge = () => ({ kind: 'refused', failure })
    const order = await shop.anOrder(orgId)
    expect(summary(order)).toEqual(['pending_payment', 'unpaid', 'failed', []])
    expect(order.payment.error.code).toBe('method_not_activated')
    shop.remote.reset()
    const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
    expect(summary(json)).toEqual(['pending_payment', 'pending', 'pending', []])
  })

  test('is ended at the provider when it is answered after the order was cancelled', async () => {
    const orgId = await remoteOrg()
    const answer = holdCharges(shop.remote)
    const request = shop.anOrder(orgId)
    await untilCharged(orgId)
    const { id } = await shop.database.one<{ id: string }>`select id from orders where org_id = ${orgId}`
    const { json } = await shop.call(orgId, 'POST', `/orders/${id}/cancel`)
    expect(summary(json)).toEqual(['cancelled', 'unpaid', 'failed', []])
    answer()
    const order = await request
    await until(() => shop.remote.calls.includes(`cancel ${order.payment.id}`))
    expect((await shop.getOrder(orgId, id)).status).toBe('cancelled')
  })

  test('lets the order expire when it failed for good and its time is over', async () => {
    const orgId = await remoteOrg()
    const failure = { ...unavailableFailure, class: 'declined' as const, code: 'payer_blocked' }
    shop.remote.script.charge = () => ({ kind: 'refused', failure })
    const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: 60 } })
    await shop.advance(61)
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'failed', []])
  })
})

test('the old attempt is ended at the provider before a new one is opened when the customer changes the method', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  shop.remote.calls.length = 0
  const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, {
    json: { method: 'virtual_account', bank: 'bni' },
  })
  const ids = json.payments.map(({ id }: Json) => id)
  const calls = shop.remote.calls.filter((call) => ids.some((id: string) => call.endsWith(id)))
  expect(calls).toEqual([`status ${order.payment.id}`, `cancel ${order.payment.id}`, `charge ${json.payment.id}`])
  expect(json.payments.map((payment: Json) => payment.status)).toEqual(['cancelled', 'pending'])
})

test('no second attempt is opened when the provider of the old one is unavailable', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  shop.remote.script.status = () => ({ kind: 'refused', failure: unavailableFailure })
  const calls: [string, unknown][] = [
    ['/payments', { method: 'cash' }],
    ['/cancel', undefined],
  ]
  for (const [path, json] of calls) {
    const options = json === undefined ? {} : { json }
    const reply = await shop.call(orgId, 'POST', `/orders/${order.id}${path}`, options)
    expect([reply.status, reply.json.code]).toEqual([503, 'payment_provider_unavailable'])
    expect(reply.headers.get('retry-after')).toBe('10')
  }
  expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'pending', 'pending', []])
})

describe('an answer that contradicts the request', () => {
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
        detailsWith(attempt, {
          qrString: null,
          virtualAccount: { bank: 'bni', number: '8808123456789012', name: null },
        }),
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
})

describe('a code that cannot be rendered', () => {
  type Payable = Extract<ChargeOutcome, { kind: 'payable' }>

  const withCode = (
    attempt: Pick<ChargeAttempt, 'id' | 'method' | 'bank' | 'amount' | 'expiresAt'>,
    qrString: string,
  ): Payable => {
    const outcome = payableOutcome(attempt) as Payable
    return { ...outcome, details: { ...outcome.details, qrString } }
  }

  test('an attempt fails with the reason when its code cannot be rendered, and another can be opened', async () => {
    const orgId = await shop.anOrg(['xendit'])
    for (const code of ['0'.repeat(513), '漢'.repeat(513), 'two\nlines', 'a\ttab']) {
      shop.remote.script.charge = (attempt) => withCode(attempt, code)
      const order = await shop.anOrder(orgId)
      expect(faultsOf('Order', order)).toEqual([])
      expect(order.payment).toMatchObject({ status: 'failed', qris: null, error: { code: 'qris_unusable' } })
      shop.remote.reset()
      const { json } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
      expect(json.payment.status).toBe('pending')
    }
    expect(await shop.eventTypes(orgId)).toContain('payment.failed')
  })

  test('an attempt fails when a code found by a query cannot be rendered', async () => {
    const orgId = await shop.anOrg(['xendit'])
    shop.remote.script.charge = () => ({ kind: 'unknown', detail: 'the answer was lost' })
    shop.remote.script.status = (attempt) => ({
      kind: 'known',
      report: reportOf(attempt),
      details: withCode({ ...attempt, expiresAt: null }, 'two\nlines').details,
    })
    const request = shop.anOrder(orgId)
    await untilCharged(orgId)
    await shop.advance(2)
    expect((await request).payment).toMatchObject({ status: 'failed', error: { code: 'qris_unusable' } })
  })

  test('an attempt is paid when its code cannot be rendered but was paid', async () => {
    const orgId = await shop.anOrg(['xendit'])
    shop.remote.script.charge = (attempt) => withCode(attempt, 'two\nlines')
    const order = await shop.anOrder(orgId)
    const { id, method, bank, amount } = order.payment
    await shop.sendNotice(
      orgId,
      reportOf({ id, method, bank, amount, providerId: `scripted_${id}` }, { state: 'paid' }),
    )
    expect((await shop.getOrder(orgId, order.id)).payment_status).toBe('paid')
  })

  test('codes of the maximum length and in any script are rendered', () => {
    for (const code of ['0'.repeat(512), '漢'.repeat(512), '😀'.repeat(512), 'WARUNG É'])
      expect(qrisPng(code).length).toBeGreaterThan(100)
  })
})

describe('a charge without an answer', () => {
  const shop = useOrders({ answerTimeoutMs: 200 })
  const { remoteOrg, summaryOf, untilCharged } = casesOf(shop)
  beforeEach(() => shop.remote.reset())
  const providerSays = (state: ReportedPaymentState) => {
    shop.remote.script.status = (attempt) => ({ kind: 'known', report: reportOf(attempt, { state }), details: null })
  }
  const anUnansweredOrder = async (expiresInSeconds: number) => {
    const orgId = await remoteOrg()
    shop.remote.script.charge = () => ({ kind: 'unknown', detail: 'timed out' })
    const order = await shop.anOrder(orgId, { payment: { expires_in_seconds: expiresInSeconds } })
    expect(summary(order)).toEqual(['pending_payment', 'pending', 'created', []])
    // The answer waits for 200 ms, in which a busy machine may not have sent the charge yet.
    await untilCharged(orgId)
    return { orgId, order }
  }

  test.each(['expired', 'cancelled'] as const)(
    'fails the attempt and leaves the order open for another when it was created and is %s by now',
    async (state) => {
      const { orgId, order } = await anUnansweredOrder(600)
      providerSays(state)
      // Past the second retry too: on a busy machine the first may have come before the provider said this.
      await shop.advance(60)
      expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'unpaid', 'failed', []])
      shop.remote.reset()
      const { status } = await shop.call(orgId, 'POST', `/orders/${order.id}/payments`, { json: { method: 'qris' } })
      expect(status).toBe(201)
      await shop.settle()
      expect(await summaryOf(orgId, order)).toEqual(['pending_payment', 'pending', 'pending', []])
    },
  )

  test('lets the order expire when its time is over before the provider is asked', async () => {
    const { orgId, order } = await anUnansweredOrder(60)
    providerSays('expired')
    await shop.advance(61)
    await shop.advance(1)
    expect(await summaryOf(orgId, order)).toEqual(['expired', 'unpaid', 'failed', []])
  })

  test('does not prevent the cancellation of the order when it has ended at the provider', async () => {
    const { orgId, order } = await anUnansweredOrder(600)
    providerSays('expired')
    const { status, json } = await shop.call(orgId, 'POST', `/orders/${order.id}/cancel`)
    expect([status, ...summary(json)]).toEqual([200, 'cancelled', 'unpaid', 'failed', []])
  })
})
