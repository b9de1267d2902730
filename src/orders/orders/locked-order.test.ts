import { beforeEach, describe, expect, test } from 'bun:test'
import { paid } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'

/** Changes respond with the rows that they hold; a reader reads the database. */
const shop = useOrders()
beforeEach(() => shop.remote.reset())

const act = async (orgId: OrgId, order: Json, path: string, json: object = {}) => {
  shop.clock.advance(1_000)
  const { status, json: answer } = await shop.call(orgId, 'POST', `/orders/${order.id}/${path}`, { json })
  expect(status).toBeLessThan(300)
  return answer as Json
}

const CASES: [string, (orgId: OrgId) => Promise<{ order: Json; answer: Json }>][] = [
  [
    'marked as paid in two parts, and once more',
    async (orgId) => {
      const order = await shop.anOrder(orgId, { billingType: 'cash' })
      await act(orgId, order, 'mark-paid', { amount: 5_000, note: 'the first part' })
      await act(orgId, order, 'mark-paid')
      return { order, answer: await act(orgId, order, 'mark-paid', { again: true, amount: 3_000 }) }
    },
  ],
  [
    'paid through a provider and marked as paid once more',
    async (orgId) => {
      const order = await shop.anOrder(orgId)
      await shop.sendNotice(orgId, paid(order.payment))
      return { order, answer: await act(orgId, order, 'mark-paid', { again: true, amount: 3_000, method: 'cash' }) }
    },
  ],
  [
    'paid, refunded in part and completed',
    async (orgId) => {
      const order = await shop.anOrder(orgId, { billingType: 'cash' })
      await act(orgId, order, 'mark-paid')
      await act(orgId, order, 'refunds', { amount: 4_000, manual: true, note: 'by hand' })
      return { order, answer: await act(orgId, order, 'complete') }
    },
  ],
  [
    'paid through a provider and cancelled',
    async (orgId) => {
      const order = await shop.anOrder(orgId)
      await shop.sendNotice(orgId, paid(order.payment))
      return { order, answer: await act(orgId, order, 'cancel') }
    },
  ],
  [
    'paid in part and accepted',
    async (orgId) => {
      const order = await shop.anOrder(orgId)
      await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 20_000 }))
      await shop.advance(86_400)
      return { order, answer: await act(orgId, order, 'review', { decision: 'accept' }) }
    },
  ],
  [
    'paid in part and given another way to pay',
    async (orgId) => {
      const order = await shop.anOrder(orgId)
      await shop.sendNotice(orgId, paid(order.payment, { amountPaid: 20_000 }))
      return { order, answer: await act(orgId, order, 'payments', { method: 'cash' }) }
    },
  ],
]

describe('the answer to a change', () => {
  test.each(CASES)('shows what a reader sees right afterwards when an order was %s', async (_, play) => {
    const orgId = await shop.anOrg(['xendit', 'manual'])
    const { order, answer } = await play(orgId)
    expect(answer).toEqual(await shop.getOrder(orgId, order.id))
    await shop.settle()
    await shop.checkBooks(orgId)
  })
})
