import { beforeEach, expect, test } from 'bun:test'
import { useOrders } from '../../../test/support/orders.ts'
import { holdCharges } from '../../../test/support/scripted-payments.ts'
import { until } from '../../../test/support/until.ts'

/** Longer than a test may take, so that a request that is not woken fails the test. */
const shop = useOrders({ answerTimeoutMs: 60_000 })
beforeEach(() => shop.remote.reset())

test('requests that wait for a charge are answered when another process stores the answers', async () => {
  const orgId = await shop.anOrg(['xendit'])
  const release = holdCharges(shop.remote)
  const json = { billingType: 'virtual_account', amount: 9_000 }
  const requests = [1, 2].map(() => shop.call(orgId, 'POST', '/orders', { json }))
  await until(() => shop.remote.calls.filter((call) => call.startsWith('charge')).length === 2)
  await shop.database.run`
    update payments set status = 'failed', error = '{"code": "rejected", "detail": "no", "provider_code": null}'
    where org_id = ${orgId}`
  const replies = await Promise.all(requests)
  expect(replies.map((reply) => reply.json.payment.status)).toEqual(['failed', 'failed'])
  release()
  await shop.settle()
})
