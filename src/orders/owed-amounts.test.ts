import { beforeEach, expect, test } from 'bun:test'
import { casesOf, known } from '../../test/support/order-cases.ts'
import { useOrders } from '../../test/support/orders.ts'
import { reportOf } from '../../test/support/scripted-payments.ts'
import type { Json } from '../../test/support/webhooks.ts'
import type { OrgId } from '../kernel/ids.ts'

/** What is asked for, and what counts as enough, is what is owed: whatever came and went back before. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
const { remoteOrg } = casesOf(shop)

const act = (orgId: OrgId, order: Json, action: string, json: object = {}) =>
  shop.call(orgId, 'POST', `/orders/${order.id}/${action}`, { json })

test('a new attempt asks for the rest where the end of the old one brought a part of the money to light', async () => {
  const orgId = await remoteOrg()
  const order = await shop.anOrder(orgId)
  const report = reportOf(known(order.payment), { state: 'paid', amountPaid: 10_000 })
  shop.remote.script.status = () => ({ kind: 'known', report, details: null })
  const reply = await act(orgId, order, 'payments', { method: 'cash' })
  expect([reply.status, reply.json.payment.amount]).toEqual([201, 15_000])
})

test('no attempt asks for more than is owed, also when money comes in the same moment', async () => {
  const orgId = await remoteOrg()
  for (let round = 0; round < 20; round++) {
    const order = await shop.anOrder(orgId, { billingType: 'cash' })
    const [, opened] = await Promise.all([
      act(orgId, order, 'mark-paid', { amount: 10_000 }),
      act(orgId, order, 'payments', { method: 'bank_transfer' }),
    ])
    const { payments, amount_paid } = await shop.getOrder(orgId, order.id)
    const live = payments.find(({ status }: Json) => status === 'pending')
    if (opened.status === 201) expect(live.amount - live.amount_paid).toBe(25_000 - amount_paid)
    else expect(opened.json.code).toBe('order_not_payable')
  }
})
