import { beforeEach, describe, expect, test } from 'bun:test'
import { type OrdersBench, useOrders } from '../../../test/support/orders.ts'
import { holdCharges, unavailableFailure } from '../../../test/support/scripted-payments.ts'
import { until } from '../../../test/support/until.ts'
import type { OrgId } from '../../kernel/ids.ts'

/** The answers to a repeated request while a provider is slow, and afterwards. A request waits for it as long as a test may take. */
const shop = useOrders({ answerTimeoutMs: 60_000 })
beforeEach(() => shop.remote.reset())

const body = { billingType: 'virtual_account', amount: 9_000 }

const requestsOf = (bench: OrdersBench) => ({
  post: (orgId: OrgId, key: string, json: object = body, path = '/orders') =>
    bench.call(orgId, 'POST', path, { json, headers: { 'idempotency-key': key } }),
  /** What a crash between the commit and the answer leaves: a moment ago, however long the machine takes for the test. */
  leaveUnsent: (orgId: OrgId, key: string, operation: string) => bench.database.run`
    update idempotency_keys set operation = ${`${operation} (answering)`}, created_at = now() + interval '1 hour'
    where org_id = ${orgId} and key = ${key}`,
  /** As if its request had waited for longer than any request does. */
  makeLate: (orgId: OrgId, key: string) => bench.database.run`
    update idempotency_keys set created_at = now() - interval '2 minutes' where org_id = ${orgId} and key = ${key}`,
  countOrders: async (orgId: OrgId) => (await bench.call(orgId, 'GET', '/orders')).json.data.length,
})
const { post, leaveUnsent, makeLate, countOrders } = requestsOf(shop)

const isCharging = () => until(() => shop.remote.calls.some((call) => call.startsWith('charge')))

describe('POST /orders with a provider that answers too late', () => {
  const shop = useOrders({ answerTimeoutMs: 400 })
  beforeEach(() => shop.remote.reset())
  const { post, leaveUnsent, makeLate, countOrders } = requestsOf(shop)

  test('repeats the stored answer with "created", even when the provider has answered since', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const answer = holdCharges(shop.remote)
    const first = await post(orgId, 'slow')
    expect([first.status, first.json.payment.status, first.json.payment.virtual_account]).toEqual([
      201,
      'created',
      null,
    ])
    answer()
    await shop.settle()
    const now = await shop.getOrder(orgId, first.json.id)
    expect(now.payment).toMatchObject({ status: 'pending', virtual_account: { number: '8808123456789012' } })
    const repeat = await post(orgId, 'slow')
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(JSON.stringify(repeat.json)).toBe(JSON.stringify(first.json))
    expect(repeat.headers.get('location')).toBe(first.headers.get('location'))
    expect(await countOrders(orgId)).toBe(1)
  })

  test('finishes the answer of a process that died with "created" when no request waits for the provider any more', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const answer = holdCharges(shop.remote)
    const { json } = await post(orgId, 'orphan')
    await leaveUnsent(orgId, 'orphan', 'createOrder')
    expect((await post(orgId, 'orphan')).json.code).toBe('idempotency_key_in_use')
    await makeLate(orgId, 'orphan')
    const repeat = await post(orgId, 'orphan')
    expect([repeat.status, repeat.json, await countOrders(orgId)]).toEqual([201, json, 1])
    answer()
    await shop.settle()
  })
})

describe('POST /orders', () => {
  test('refuses a repeat while the first request waits, and then repeats its answer', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const answer = holdCharges(shop.remote)
    const first = post(orgId, 'hasty')
    await isCharging()
    const early = await post(orgId, 'hasty')
    expect([early.status, early.json.code, early.headers.get('retry-after')]).toEqual([
      409,
      'idempotency_key_in_use',
      '1',
    ])
    answer()
    const { json } = await first
    expect(json.payment.status).toBe('pending')
    const repeat = await post(orgId, 'hasty')
    expect([repeat.status, JSON.stringify(repeat.json)]).toEqual([201, JSON.stringify(json)])
    expect((await post(orgId, 'hasty', { ...body, amount: 1 })).json.code).toBe('idempotency_key_reused')
    expect(await countOrders(orgId)).toBe(1)
  })

  test('finishes the answer of a process that died by a repeat, as soon as the provider has answered', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const { json } = await post(orgId, 'orphan')
    await shop.settle()
    await leaveUnsent(orgId, 'orphan', 'createOrder')
    const repeat = await post(orgId, 'orphan')
    expect([repeat.status, repeat.json.id, await countOrders(orgId)]).toEqual([201, json.id, 1])
    expect(repeat.json.payment).toMatchObject({ status: 'pending', virtual_account: { number: '8808123456789012' } })
    expect(JSON.stringify((await post(orgId, 'orphan')).json)).toBe(JSON.stringify(repeat.json))
  })

  test('gives a request that was frozen the answer that a repeat has received', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const answer = holdCharges(shop.remote)
    const first = post(orgId, 'frozen')
    await isCharging()
    await makeLate(orgId, 'frozen')
    const repeat = await post(orgId, 'frozen')
    expect([repeat.status, repeat.json.payment.status]).toEqual([201, 'created'])
    answer()
    expect(JSON.stringify((await first).json)).toBe(JSON.stringify(repeat.json))
  })
})

describe('POST /orders/{id}/payments', () => {
  const other = { method: 'virtual_account', bank: 'bni' }

  test('refuses a repeat while the first request waits, then repeats its answer byte for byte', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const order = await shop.anOrder(orgId)
    shop.remote.calls.length = 0
    const answer = holdCharges(shop.remote)
    const path = `/orders/${order.id}/payments`
    const first = post(orgId, 'again', other, path)
    await isCharging()
    expect((await post(orgId, 'again', other, path)).json.code).toBe('idempotency_key_in_use')
    answer()
    const { json } = await first
    expect(json.payment.status).toBe('pending')
    expect(JSON.stringify((await post(orgId, 'again', other, path)).json)).toBe(JSON.stringify(json))
    expect((await shop.getOrder(orgId, order.id)).payments.length).toBe(2)
  })

  test('finishes the answer of a process that died by a repeat, as soon as the provider has answered', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const path = `/orders/${(await shop.anOrder(orgId)).id}/payments`
    const { json } = await post(orgId, 'orphan', other, path)
    await shop.settle()
    await leaveUnsent(orgId, 'orphan', 'createOrderPayment')
    const repeat = await post(orgId, 'orphan', other, path)
    expect([repeat.status, repeat.json.payment.id, repeat.json.payments.length]).toEqual([201, json.payment.id, 2])
  })

  test('opens one attempt, and no repeat ends it, when many requests with one key arrive at once', async () => {
    const orgId = await shop.anOrg(['simulator'])
    for (let round = 0; round < 5; round++) {
      const order = await shop.anOrder(orgId)
      const path = `/orders/${order.id}/payments`
      const replies = await Promise.all(Array.from({ length: 8 }, () => post(orgId, `many-${round}`, other, path)))
      const after = await shop.getOrder(orgId, order.id)
      expect(after.payments.map(({ status }: { status: string }) => status)).toEqual(['cancelled', 'pending'])
      const created = replies.filter(({ status }) => status === 201)
      expect(new Set(created.map(({ json }) => json.payment.id))).toEqual(new Set([after.payment.id]))
      const refused = replies.filter(({ status }) => status !== 201)
      expect(refused.map(({ json }) => json.code)).toEqual(refused.map(() => 'idempotency_key_in_use'))
    }
  })

  test('opens an attempt of one of two orders when both receive one key at once', async () => {
    const orgId = await shop.anOrg(['simulator'])
    for (let round = 0; round < 5; round++) {
      const orders = [await shop.anOrder(orgId), await shop.anOrder(orgId)]
      const replies = await Promise.all(
        orders.map(({ id }) => post(orgId, `shared-${round}`, other, `/orders/${id}/payments`)),
      )
      const [created, refused] = replies.toSorted((one, another) => one.status - another.status)
      expect(created?.status).toBe(201)
      expect(['idempotency_key_in_use', 'idempotency_key_reused']).toContain(refused?.json.code)
    }
  })

  test('opens no second attempt when a repeat was delayed by the provider, even if the first attempt failed', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const order = await shop.anOrder(orgId)
    const path = `/orders/${order.id}/payments`
    const gate = Promise.withResolvers<void>()
    const answer = shop.remote.script.status
    // The first query is the slow one.
    shop.remote.script.status = async (attempt) => {
      shop.remote.script.status = answer
      await gate.promise
      return answer(attempt)
    }
    shop.remote.calls.length = 0
    const slow = post(orgId, 'held-up', other, path)
    await until(() => shop.remote.calls.length > 0)
    shop.remote.script.charge = () => ({ kind: 'refused', failure: { ...unavailableFailure, class: 'rejected' } })
    const first = await post(orgId, 'held-up', other, path)
    expect([first.status, first.json.payment.status]).toEqual([201, 'failed'])
    gate.resolve()
    const repeat = await slow
    expect([repeat.status, JSON.stringify(repeat.json)]).toEqual([201, JSON.stringify(first.json)])
    expect((await shop.getOrder(orgId, order.id)).payments.length).toBe(2)
  })
})
