import { beforeAll, describe, expect, test } from 'bun:test'
import { type AgentShop, anAgentShop } from '../../../test/support/agents.ts'
import { useTestApp } from '../../../test/support/app.ts'
import { until, untilLockIsAwaited } from '../../../test/support/until.ts'

/** Limits that hold even when the agent, or its instructions, look for a way around them. */
const app = useTestApp()
let shop: AgentShop

const allow = (...operations: string[]) => operations.map((operation) => ({ operation, decision: 'allow' }))

beforeAll(async () => {
  shop = await anAgentShop(app)
})

async function aPaidOrder(amount: number): Promise<string> {
  const { json: order } = await shop.call('POST', '/orders', { billingType: 'qris', amount })
  await shop.owner.call('POST', `/api/proxy/simulator/payments/${order.payment.id}`, { scenario: 'paid' })
  await until(async () => (await shop.call('GET', `/orders/${order.id}`)).json.payment_status === 'paid')
  return order.id
}

describe('cancelling an order that was paid', () => {
  const cancelled = (id: string) => `/orders/${id}/cancel`

  test('refunds money, so the rule of refunds applies as well', async () => {
    const id = await aPaidOrder(40_000)
    const denied = await shop.anAgent({
      rules: [...allow('cancelOrder'), { operation: 'createOrderRefund', decision: 'deny' }],
    })
    expect(await denied.call('POST', cancelled(id))).toMatchObject({
      status: 403,
      json: { params: { reason: 'rule' } },
    })
    const asking = await shop.anAgent({
      rules: [...allow('cancelOrder'), { operation: 'createOrderRefund', decision: 'allow', ask_above: 39_999 }],
    })
    expect(await asking.call('POST', cancelled(id))).toMatchObject({
      status: 202,
      json: { operation: 'cancelOrder', reason: 'amount', amount: 40_000 },
    })
    expect((await shop.call('GET', `/orders/${id}`)).json).toMatchObject({ status: 'confirmed', refunds: [] })
  })

  test('counts towards the rupiah limit of the agent, and an unpaid order does not', async () => {
    const id = await aPaidOrder(40_000)
    const rules = allow('cancelOrder', 'createOrderRefund')
    const poor = await shop.anAgent({ rules, limits: { order_amount: 30_000 } })
    expect((await poor.call('POST', cancelled(id))).json.code).toBe('agent_amount_exceeded')
    const { json: unpaid } = await shop.call('POST', '/orders', { billingType: 'qris', amount: 40_000 })
    expect((await poor.call('POST', cancelled(unpaid.id))).status).toBe(200)
    const rich = await shop.anAgent({ rules, limits: { order_amount_per_day: 40_000 } })
    expect((await rich.call('POST', cancelled(id))).status).toBe(200)
    const another = await aPaidOrder(1000)
    expect((await rich.call('POST', `/orders/${another}/refunds`, {})).json.params).toMatchObject({
      limit: 'order_amount_per_day',
    })
  })
})

describe('a pause', () => {
  test('also stops what was under way when it came', async () => {
    const agent = await shop.anAgent({ rules: allow('sendMessage'), is_anchored: false })
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
    const { promise: isWaitedFor, resolve: goOn } = Promise.withResolvers<void>()
    const pausing = app.database.transaction(async (tx) => {
      await tx.run`update agents set paused_at = now() where org_id = ${shop.orgId} and id = ${agent.id}`
      hold()
      await isWaitedFor
    })
    await isHeld
    const sending = agent.call('POST', '/messages', { to: '+6281344440001', body: 'Terlambat' })
    await untilLockIsAwaited(app.database)
    goOn()
    await pausing
    expect(await sending).toMatchObject({ status: 403, json: { code: 'agent_paused' } })
  })
})

describe('what is counted', () => {
  test('includes the notices that customers receive about their orders', async () => {
    const agent = await shop.anAgent({
      rules: allow('createOrder', 'createOrderPayment'),
      limits: { messages_per_minute: 3, recipients_per_day: 1 },
    })
    const order = (phone: string, more: object = {}) =>
      agent.call('POST', '/orders', { billingType: 'qris', amount: 1000, customer: { phone }, ...more })
    const { json: created } = await order('+6281344440002')
    expect((await order('+6281344440003')).json.params).toMatchObject({ limit: 'recipients_per_day' })
    expect((await order('+6281344440003', { notify: false })).status).toBe(201)
    const again = () => agent.call('POST', `/orders/${created.id}/payments`, { method: 'qris' })
    await until(async () => (await shop.call('GET', `/chats/${encodeURIComponent('+6281344440002')}`)).status === 200)
    expect([(await again()).status, (await again()).status]).toEqual([201, 201])
    expect((await again()).json.params).toMatchObject({ limit: 'messages_per_minute' })
  })

  test('is one person, however they are called and whether or not anybody has written with them before', async () => {
    const agent = await shop.anAgent({ rules: allow('sendMessage'), limits: { recipients_per_day: 1 } })
    const send = (to: string) => agent.call('POST', '/messages', { to, body: 'Halo' })
    const first = await send('+6281344440005')
    expect(first.status).toBe(201)
    for (const to of ['+6281344440005', '0813-4444-0005', first.json.chat_id]) expect((await send(to)).status).toBe(201)
    expect((await send('+6281344440006')).json.params).toMatchObject({ limit: 'recipients_per_day' })
  })

  test('leaves no trace of what has no limit', async () => {
    const chatId = await shop.aChat('+6281344440004')
    const agent = await shop.anAgent()
    expect((await agent.call('POST', `/chats/${chatId}/read`)).status).toBe(200)
    const acts = await app.database
      .many`select 1 from agent_acts where org_id = ${shop.orgId} and agent_id = ${agent.id}`
    expect(acts).toEqual([])
  })
})
