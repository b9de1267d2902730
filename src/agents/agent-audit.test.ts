import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type AgentShop, anAgentShop, type TestAgent } from '../../test/support/agents.ts'
import { useTestApp } from '../../test/support/app.ts'
import { TEST_SECRET_KEY } from '../../test/support/secret-key.ts'
import { auditContext } from '../accounts/audit/audit-log.ts'
import { verifyChain } from '../accounts/audit/audit-verification.ts'
import { systemClock } from '../kernel/clock.ts'

/** An act of an agent and its entry in the audit log commit together, also where requests share a transaction. */
const app = useTestApp()
let shop: AgentShop
let agent: TestAgent

const OPERATIONS = ['sendMessage', 'createOrder', 'createOrderPayment', 'cancelOrder', 'updateChat', 'processOrder']

beforeAll(async () => {
  shop = await anAgentShop(app)
  agent = await shop.anAgent({
    rules: OPERATIONS.map((operation) => ({ operation, decision: 'allow' })),
    limits: { messages_per_minute: null, recipients_per_day: null },
    is_anchored: false,
  })
})

const refuseEntries = () =>
  app.database.script(`alter table audit_entries add constraint refused check (org_id <> '${shop.orgId}') not valid`)
const acceptEntries = () => app.database.script('alter table audit_entries drop constraint if exists refused')

afterEach(acceptEntries)

const countMessages = async () =>
  (
    await app.database.one<{ count: number }>`
    select count(*)::int as count from messages where org_id = ${shop.orgId} and sender_type = 'agent'`
  ).count
const countOrders = async () =>
  (await app.database.one<{ count: number }>`select count(*)::int as count from orders where org_id = ${shop.orgId}`)
    .count
const actsOn = async (subject: string) =>
  await app.database.many<{ act: string; actor_id: string }>`
    select act, actor_id from audit_entries where org_id = ${shop.orgId} and subject = ${subject} order by sequence`

describe('an act of an agent whose entry cannot be written', () => {
  test('does not happen when it is a message', async () => {
    await refuseEntries()
    const before = await countMessages()
    const [refused, ofTheShop] = await Promise.all([
      agent.call('POST', '/messages', { to: '+6281355550001', body: 'Halo' }, { 'Idempotency-Key': 'm-1' }),
      shop.call('POST', '/messages', { to: '+6281355550002', body: 'Halo' }),
    ])
    expect([refused.status, ofTheShop.status]).toEqual([500, 201])
    expect(await countMessages()).toBe(before)
    await acceptEntries()
    const sent = await agent.call(
      'POST',
      '/messages',
      { to: '+6281355550001', body: 'Halo' },
      { 'Idempotency-Key': 'm-1' },
    )
    expect(sent.status).toBe(201)
    expect(await actsOn(sent.json.id)).toEqual([{ act: 'sendMessage', actor_id: agent.id }])
  })

  test('does not happen when it is an order', async () => {
    await refuseEntries()
    const before = await countOrders()
    const [refused, ofTheShop] = await Promise.all([
      agent.call('POST', '/orders', { billingType: 'qris', amount: 1000 }),
      shop.call('POST', '/orders', { billingType: 'qris', amount: 1000 }),
    ])
    expect([refused.status, ofTheShop.status]).toEqual([500, 201])
    expect(await countOrders()).toBe(before + 1)
  })

  test('does not happen when it is a further payment or a cancellation', async () => {
    const { json: order } = await shop.call('POST', '/orders', { billingType: 'qris', amount: 1000 })
    await refuseEntries()
    const paid = await agent.call('POST', `/orders/${order.id}/payments`, { method: 'cash' })
    const cancelled = await agent.call('POST', `/orders/${order.id}/cancel`)
    expect([paid.status, cancelled.status]).toEqual([500, 500])
    const { json: after } = await shop.call('GET', `/orders/${order.id}`)
    expect([after.status, after.payments]).toEqual(['pending_payment', [expect.objectContaining({ method: 'qris' })]])
  })
})

test('acts of agents are entered once each when many of them share transactions', async () => {
  const messages = Array.from({ length: 20 }, (_, index) =>
    agent.call('POST', '/messages', { to: `+62813555510${String(index).padStart(2, '0')}`, body: 'Halo' }),
  )
  const orders = Array.from({ length: 20 }, () => agent.call('POST', '/orders', { billingType: 'qris', amount: 1000 }))
  const created = await Promise.all([...messages, ...orders])
  for (const { status, json } of created) {
    expect(status).toBe(201)
    expect(await actsOn(json.id)).toHaveLength(1)
  }
  const audit = auditContext({ database: app.database, clock: systemClock, secretKey: TEST_SECRET_KEY })
  expect(await verifyChain(audit, shop.orgId)).toMatchObject({ isIntact: true })
})

test('acts of an agent on an order are entered under the order', async () => {
  const { json: order } = await agent.call('POST', '/orders', { billingType: 'qris', amount: 1000 })
  await agent.call('POST', `/orders/${order.id}/payments`, { method: 'cash' }, { 'Idempotency-Key': 'p-1' })
  await agent.call('POST', `/orders/${order.id}/payments`, { method: 'cash' }, { 'Idempotency-Key': 'p-1' })
  await agent.call('POST', `/orders/${order.id}/cancel`)
  expect((await actsOn(order.id)).map(({ act }) => act)).toEqual(['createOrder', 'createOrderPayment', 'cancelOrder'])
})
