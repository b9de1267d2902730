import { beforeEach, expect, test } from 'bun:test'
import { casesOf } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { faultsOf } from '../../../test/support/published-schema.ts'
import { payableOutcome, reportOf } from '../../../test/support/scripted-payments.ts'
import type { ChargeAttempt, ChargeOutcome } from '../../payments/payment-connector.ts'
import { qrisPng } from '../../payments/qris/qris.ts'

/** A QR string must be renderable: the pay page, the chat and integrators draw it. */
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
  await shop.sendNotice(orgId, reportOf({ id, method, bank, amount, providerId: `scripted_${id}` }, { state: 'paid' }))
  expect((await shop.getOrder(orgId, order.id)).payment_status).toBe('paid')
})

test('codes of the maximum length and in any script are rendered', () => {
  for (const code of ['0'.repeat(512), '漢'.repeat(512), '😀'.repeat(512), 'WARUNG É'])
    expect(qrisPng(code).length).toBeGreaterThan(100)
})
