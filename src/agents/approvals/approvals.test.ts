import { beforeAll, describe, expect, test } from 'bun:test'
import { type AgentShop, anAgentShop, type TestAgent } from '../../../test/support/agents.ts'
import { useTestApp } from '../../../test/support/app.ts'
import { until, untilLockIsAwaited } from '../../../test/support/until.ts'
import { enqueue } from '../../platform/outbox/entries.ts'
import { APPROVAL_JOB, laneOf } from './approvals.jobs.ts'

const app = useTestApp()
let shop: AgentShop
let agent: TestAgent

beforeAll(async () => {
  shop = await anAgentShop(app)
  agent = await shop.anAgent()
})

let counter = 0
async function asked(): Promise<{ id: string; text: string; phone: string }> {
  counter += 1
  const phone = `+62813222200${String(counter).padStart(2, '0')}`
  const text = `Pesan ${counter}`
  const { json } = await agent.call('POST', '/messages', { to: phone, body: text })
  return { id: json.id, text, phone }
}
const approve = (id: string) => shop.call('POST', `/approvals/${id}/approve`)
const statusOf = async (id: string) => (await shop.call('GET', `/approvals/${id}`)).json.status
const sentTo = async (phone: string) =>
  ((await shop.call('GET', `/messages?chat=${encodeURIComponent(phone)}`)).json.data as { body: string }[]).map(
    ({ body }) => body,
  )
const run = (id: string) => ({
  id,
  laneId: laneOf(shop.orgId),
  orgId: shop.orgId,
  job: APPROVAL_JOB,
  payload: { approval: id },
})
const expire = (id: string) => app.database.run`
  update approvals set expires_at = now() - interval '1 second' where org_id = ${shop.orgId} and id = ${id}`
const eventsOf = async (id: string) =>
  (
    (await shop.call('GET', '/events?limit=100')).json.data as { type: string; data: { id: string }; actor: object }[]
  ).filter(({ data }) => data.id === id)

describe('an approval', () => {
  test('emits an event when it is requested and when it is decided, with the person who decided', async () => {
    const { id } = await asked()
    await approve(id)
    expect(await eventsOf(id)).toMatchObject([
      {
        type: 'approval.decided',
        actor: { type: 'key' },
        data: { status: 'approved' },
        previous: { status: 'pending' },
      },
      { type: 'approval.requested', actor: { type: 'agent', id: agent.id }, data: { status: 'pending' } },
    ])
  })

  test('expires when it is not decided in time, and the same request creates a new one', async () => {
    const { id, text, phone } = await asked()
    await expire(id)
    expect(await statusOf(id)).toBe('expired')
    expect(await approve(id)).toMatchObject({ status: 409, json: { params: { status: 'expired' } } })
    const again = await agent.call('POST', '/messages', { to: phone, body: text })
    expect(again.status).toBe(202)
    expect(again.json.id).not.toBe(id)
    expect(await sentTo(phone)).toEqual([])
  })

  test('expires in time also for a caller that waits for another reader', async () => {
    const { id, phone } = await asked()
    await expire(id)
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
    const { promise: isWaitedFor, resolve: goOn } = Promise.withResolvers<void>()
    const looking = app.database.transaction(async (tx) => {
      await tx.run`select 1 from approvals where org_id = ${shop.orgId} and id = ${id} for update`
      hold()
      await isWaitedFor
    })
    await isHeld
    const deciding = approve(id)
    await untilLockIsAwaited(app.database)
    goOn()
    await looking
    expect(await deciding).toMatchObject({ status: 409, json: { params: { status: 'expired' } } })
    expect(await sentTo(phone)).toEqual([])
  })

  test('cannot be approved when its request has a new effect: more money, or another person', async () => {
    const { json: order } = await shop.call('POST', '/orders', { billingType: 'qris', amount: 50_000 })
    const { json: cancelling } = await agent.call('POST', `/orders/${order.id}/cancel`)
    const { json: inPart } = await shop.call('POST', '/orders', { billingType: 'cash', amount: 50_000 })
    await shop.call('POST', `/orders/${inPart.id}/mark-paid`, { amount: 20_000 })
    const all = { manual: true, note: 'Tunai' }
    const { json: refunding } = await agent.call('POST', `/orders/${inPart.id}/refunds`, all)
    expect([cancelling.amount, refunding.amount]).toEqual([null, 20_000])
    await shop.call('POST', `/orders/${inPart.id}/mark-paid`, { amount: 30_000 })
    await shop.owner.call('POST', `/api/proxy/simulator/payments/${order.payment.id}`, { scenario: 'paid' })
    await until(async () => (await shop.call('GET', `/orders/${order.id}`)).json.payment_status === 'paid')
    for (const { id } of [cancelling, refunding])
      expect(await approve(id)).toMatchObject({ status: 409, json: { code: 'approval_outdated' } })

    const [one, other] = [await shop.aChat('+6281322227771'), await shop.aChat('+6281322227772')]
    const { json: writing } = await agent.call('POST', '/messages', { to: '+6281322227771', body: 'Halo' })
    expect(writing.chat_id).toBe(one)
    await app.database.run`
      update approvals set chat_id = ${other} where org_id = ${shop.orgId} and id = ${writing.id}`
    expect((await approve(writing.id)).json.code).toBe('approval_outdated')
    expect((await shop.call('POST', `/approvals/${writing.id}/refuse`)).status).toBe(200)
  })

  test('runs once, also when its run is repeated because the result was not recorded', async () => {
    const { id, text, phone } = await asked()
    await approve(id)
    await until(async () => (await statusOf(id)) === 'done')
    await app.database.run`
      update approvals set status = 'approved', result_status = null, result_body = null
      where org_id = ${shop.orgId} and id = ${id}`
    await app.database.transaction((tx) => enqueue(tx, [run(id)]))
    await until(async () => (await statusOf(id)) === 'done')
    expect(await sentTo(phone)).toEqual([text])
  })

  test('does not run once its agent was stopped, and cannot be blocked by a caller who knows its id', async () => {
    const own = await shop.anAgent({ rules: [{ operation: 'sendMessage', decision: 'ask' }] })
    const { json } = await own.call('POST', '/messages', { to: '+6281322227777', body: 'Berhenti?' })
    const taken = { 'idempotency-key': `approval:${json.id}` }
    const squatting = await app.call('/api/public/v1/messages', {
      token: shop.token,
      headers: taken,
      json: { to: '+6281322226666', body: 'Lain' },
    })
    expect(squatting.status).toBe(201)
    await app.database.transaction(async (tx) => {
      await tx.run`
        update approvals set status = 'approved', decided_at = now(), decided_by_type = 'key', decided_by_id = 'key_1'
        where org_id = ${shop.orgId} and id = ${json.id}`
      await tx.run`update agents set paused_at = now() where org_id = ${shop.orgId} and id = ${own.id}`
      await enqueue(tx, [run(json.id)])
    })
    await until(async () => (await statusOf(json.id)) === 'failed')
    expect((await shop.call('GET', `/approvals/${json.id}`)).json.result).toMatchObject({
      body: { code: 'agent_paused' },
    })
    await shop.owner.call('POST', `/api/console/agents/${own.id}/resume`)
    const again = await own.call('POST', '/messages', { to: '+6281322227777', body: 'Berhenti?' })
    await shop.call('POST', `/approvals/${again.json.id}/approve`)
    await until(async () => (await statusOf(again.json.id)) === 'done')
    expect(await sentTo('+6281322227777')).toEqual(['Berhenti?'])
  })

  test('cannot be approved once its agent was denied it, or lost the scope', async () => {
    const own = await shop.anAgent()
    const { json } = await own.call('POST', '/messages', { to: '+6281322225555', body: 'Masih boleh?' })
    const change = (fields: object) => shop.owner.call('PATCH', `/api/console/agents/${own.id}`, fields)
    await change({ rules: [{ operation: 'sendMessage', decision: 'deny' }] })
    expect((await approve(json.id)).json.code).toBe('approval_outdated')
    await change({ rules: [{ operation: 'sendMessage', decision: 'ask' }], scopes: ['chats:read'] })
    expect((await approve(json.id)).json.code).toBe('approval_outdated')
    await change({ scopes: ['messages:send'] })
    expect((await approve(json.id)).status).toBe(200)
    await until(async () => (await statusOf(json.id)) === 'done')
  })

  test('is in the audit log: who decided, and what the agent then did', async () => {
    const { id } = await asked()
    const decided = await shop.owner.call('POST', `/api/proxy/approvals/${id}/approve`, { note: 'Baik' })
    expect(decided.status).toBe(200)
    await until(async () => (await statusOf(id)) === 'done')
    const { data } = (await (await shop.owner.call('GET', '/api/console/audit?limit=2')).json()) as { data: unknown[] }
    expect(data).toMatchObject([
      { act: 'sendMessage', actor: { type: 'agent', id: agent.id } },
      { act: 'approveRequest', subject: id, actor: { type: 'user' } },
    ])
  })

  test('of another organization is not there', async () => {
    const { id } = await asked()
    const other = await anAgentShop(app)
    for (const [method, path] of [
      ['GET', `/approvals/${id}`],
      ['POST', `/approvals/${id}/approve`],
      ['POST', `/approvals/${id}/refuse`],
    ] as const)
      expect((await other.call(method, path)).json.code).toBe('approval_not_found')
    expect((await other.call('GET', '/approvals')).json.data).toEqual([])
    expect((await other.owner.call('GET', `/api/console/agents/${agent.id}`)).status).toBe(404)
  })

  test('can be found by state and agent, page by page', async () => {
    const own = await shop.anAgent()
    const ids: string[] = []
    for (const nth of [1, 2, 3])
      ids.unshift((await own.call('POST', '/messages', { to: '+6281322229999', body: `Halaman ${nth}` })).json.id)
    await shop.call('POST', `/approvals/${ids[0]}/refuse`)
    const list = async (query: string) => (await shop.call('GET', `/approvals?agent=${own.id}${query}`)).json
    const first = await list('&limit=2')
    expect([first.data.map(({ id }: { id: string }) => id), first.has_more]).toEqual([ids.slice(0, 2), true])
    const second = await list(`&limit=2&cursor=${first.next_cursor}`)
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2))
    expect((await list('&status=refused')).data.map(({ id }: { id: string }) => id)).toEqual([ids[0]])
    expect((await list('&status=waiting')).code).toBe('parameter_invalid')
  })

  test('says what was meant: the exact request of every kind', async () => {
    const chatId = await shop.aChat('+6281322228888')
    const patched = await agent.call('PATCH', `/chats/${encodeURIComponent('+6281322228888')}`, { labels: ['baru'] })
    expect(patched.json).toMatchObject({
      operation: 'updateChat',
      chat_id: chatId,
      request: { params: { phone: '+6281322228888' }, body: { labels: ['baru'] } },
    })
    await approve(patched.json.id)
    await until(async () => (await statusOf(patched.json.id)) === 'done')
    expect((await shop.call('GET', `/chats/${chatId}`)).json.labels).toEqual(['baru'])
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const scheduled = await shop.call('POST', '/messages', { to: chatId, body: 'Nanti', send_at: later })
    const cancelled = await agent.call('DELETE', `/messages/${scheduled.json.id}`)
    expect(cancelled.json).toMatchObject({ operation: 'cancelMessage', chat_id: chatId, request: { body: null } })
    await approve(cancelled.json.id)
    await until(async () => (await statusOf(cancelled.json.id)) === 'done')
    expect((await shop.call('GET', `/messages/${scheduled.json.id}`)).status).toBe(404)
  })
})
