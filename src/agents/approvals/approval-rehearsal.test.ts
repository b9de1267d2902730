import { beforeAll, expect, test } from 'bun:test'
import { type AgentShop, anAgentShop, type TestAgent } from '../../../test/support/agents.ts'
import { useTestApp } from '../../../test/support/app.ts'
import { until } from '../../../test/support/until.ts'

/** An act that cannot succeed is refused before a person is asked about it. */
const app = useTestApp()
let shop: AgentShop
let agent: TestAgent

beforeAll(async () => {
  shop = await anAgentShop(app)
  agent = await shop.anAgent({ is_anchored: false })
})

const anOrder = async (fields: object = {}) =>
  (await shop.call('POST', '/orders', { billingType: 'cash', amount: 20_000, ...fields })).json
const aPaidOrder = async () => {
  const { id } = await anOrder()
  await shop.call('POST', `/orders/${id}/mark-paid`, { amount: 20_000 })
  return id
}
const aCancelledOrder = async () => {
  const { id } = await anOrder()
  await shop.call('POST', `/orders/${id}/cancel`)
  return id
}
const approvals = async () => (await shop.call('GET', '/approvals?limit=100')).json.data as { id: string }[]
const newestSequence = async () => (await shop.call('GET', '/events?limit=1')).json.data[0]?.sequence ?? 0

type Act = { path: string; body?: object }
const impossible: Record<string, () => Promise<Act & { code: string }>> = {
  'a refund above what is refundable': async () => ({
    path: `/orders/${await aPaidOrder()}/refunds`,
    body: { amount: 20_001, manual: true, note: 'Tunai' },
    code: 'refund_too_large',
  }),
  'a refund of an order without money': async () => ({
    path: `/orders/${(await anOrder()).id}/refunds`,
    body: { amount: 1000 },
    code: 'order_has_no_money',
  }),
  'the processing of a cancelled order': async () => ({
    path: `/orders/${await aCancelledOrder()}/process`,
    code: 'order_not_completable',
  }),
  'the cancellation of a cancelled order': async () => ({
    path: `/orders/${await aCancelledOrder()}/cancel`,
    code: 'order_not_cancellable',
  }),
  'a further payment of a paid order': async () => ({
    path: `/orders/${await aPaidOrder()}/payments`,
    body: { method: 'cash' },
    code: 'order_not_payable',
  }),
  'an order below the least amount of its method': async () => ({
    path: '/orders',
    body: { billingType: 'card', amount: 1000 },
    code: 'value_refused',
  }),
  'an order whose reference is taken': async () => {
    await anOrder({ reference: 'WEB-7' })
    return {
      path: '/orders',
      body: { billingType: 'cash', amount: 1000, reference: 'WEB-7' },
      code: 'order_reference_taken',
    }
  },
  'an act on an order that is not there': async () => ({
    path: '/orders/ord_01k9x3m5q8e0t9v7a2b4c6d8fg/process',
    code: 'order_not_found',
  }),
  'a template that does not exist': async () => ({
    path: '/messages',
    body: { to: '+6281366660001', type: 'template', template: { name: 'no_such', language: { code: 'id' } } },
    code: 'template_not_found',
  }),
  'a reply to a message that is not there': async () => ({
    path: '/messages',
    body: { to: '+6281366660002', body: 'Halo', reply_to: 'msg_01k9x3m5q8e0t9v7a2b4c6d8fg' },
    code: 'message_not_found',
  }),
}

test.each(Object.keys(impossible))('%s is refused without an approval', async (name) => {
  const { path, body, code } = await (impossible[name] as () => Promise<Act & { code: string }>)()
  const [before, sequence] = [await approvals(), await newestSequence()]
  const { status, json } = await agent.call('POST', path, body)
  expect([status >= 400, json.code]).toEqual([true, code])
  expect([await approvals(), await newestSequence()]).toEqual([before, sequence])
})

test('a possible act leaves nothing behind but its approval until a person approves', async () => {
  const { id } = await anOrder()
  const sequence = await newestSequence()
  const asked = await agent.call('POST', `/orders/${id}/process`)
  expect([asked.status, asked.json.status]).toEqual([202, 'pending'])
  const sent = await agent.call('POST', '/messages', { to: '+6281366660004', body: 'Halo' })
  expect(sent.status).toBe(202)
  expect((await shop.call('GET', `/orders/${id}`)).json.status).toBe('confirmed')
  expect((await shop.call('GET', '/contacts?q=%2B6281366660004')).json.data).toEqual([])
  const events = (await shop.call('GET', `/events?after=${sequence}`)).json.data as { type: string }[]
  expect(events.map(({ type }) => type)).toEqual(['approval.requested', 'approval.requested'])
  await shop.call('POST', `/approvals/${asked.json.id}/approve`)
  await until(async () => (await agent.call('GET', `/approvals/${asked.json.id}`)).json.status === 'done')
})

test('the same request is the same approval, also when it has become impossible meanwhile', async () => {
  const { id } = await anOrder()
  const first = await agent.call('POST', `/orders/${id}/process`)
  await shop.call('POST', `/orders/${id}/cancel`)
  const again = await agent.call('POST', `/orders/${id}/process`)
  expect([again.status, again.json.id]).toEqual([202, first.json.id])
})
