import { beforeEach, expect, test } from 'bun:test'
import { casesOf } from '../../test/support/order-cases.ts'
import { useOrders } from '../../test/support/orders.ts'
import { faultsOf } from '../../test/support/published-schema.ts'
import { payableOutcome, reportOf } from '../../test/support/scripted-payments.ts'
import type { ChargeAttempt, ChargeOutcome } from '../payments/payment-connector.ts'
import { qrisPng } from '../payments/qris/qris-image.ts'

/** What a provider gives to be scanned must be something that can be drawn: on the pay page, in the chat, by integrators. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { untilCharged } = casesOf(shop)

type Payable = Extract<ChargeOutcome, { kind: 'payable' }>

const withCode = (
  attempt: Pick<ChargeAttempt, 'id' | 'method' | 'bank' | 'amount' | 'expiresAt'>,
  qrString: string,
): Payable => {
  const outcome = payableOutcome(attempt) as Payable
  return { ...outcome, details: { ...outcome.details, qrString } }
}

test('a code that cannot be drawn fails the attempt and says why, and another can be opened', async () => {
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

test('a code that cannot be drawn and is found only by asking fails the attempt as well', async () => {
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

test('a code that cannot be drawn but was paid all the same is paid', async () => {
  const orgId = await shop.anOrg(['xendit'])
  shop.remote.script.charge = (attempt) => withCode(attempt, 'two\nlines')
  const order = await shop.anOrder(orgId)
  const { id, method, bank, amount } = order.payment
  await shop.tell(orgId, reportOf({ id, method, bank, amount, providerId: `scripted_${id}` }, { state: 'paid' }))
  expect((await shop.getOrder(orgId, order.id)).payment_status).toBe('paid')
})

test('codes as long as they may be, and in any script, are drawn', () => {
  for (const code of ['0'.repeat(512), '漢'.repeat(512), '😀'.repeat(512), 'WARUNG É'])
    expect(qrisPng(code).length).toBeGreaterThan(100)
})
