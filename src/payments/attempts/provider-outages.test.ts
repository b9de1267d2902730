import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { paid } from '../../../test/support/order-cases.ts'
import { useOrders } from '../../../test/support/orders.ts'
import { payableOutcome, unavailableFailure } from '../../../test/support/scripted-payments.ts'
import { until } from '../../../test/support/until.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import { startXenditServer, type XenditServer } from '../../../test/support/xendit-server.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { createXenditConnector } from '../connectors/xendit/xendit.ts'
import { never, suiteAccount } from '../payment-connector.suite.ts'
import type { PaymentAccount } from '../payment-connector.ts'

/** A provider that is down, or asks for a pause, delays only its own payments. */

describe('an outage', () => {
  /** A provider outage, and its end. */
  const shop = useOrders({ answerTimeoutMs: 5_000 })

  beforeEach(() => shop.remote.reset())

  const charges = () => shop.remote.calls.filter((call) => call.startsWith('charge')).length

  /** Counts the calls of one shop, because entries of other tests may run meanwhile. */
  async function callsOf(orgId: OrgId): Promise<number> {
    const rows = await shop.database.many<{ id: string }>`select id from payments where org_id = ${orgId}`
    return shop.remote.calls.filter((call) => rows.some(({ id }) => call.endsWith(id))).length
  }

  /** The time until the breaker's next probe. */
  async function probeWaitMs(orgId: OrgId): Promise<number> {
    const { breaker, blocked_until } = await shop.database.one<{ breaker: string; blocked_until: Date | null }>`
      select breaker, blocked_until from outbox_lanes where org_id = ${orgId} and kind = 'payments'`
    return breaker === 'open' ? (blocked_until?.getTime() ?? 0) - shop.clock.now() : 0
  }

  /** Five failures in a row open the breaker for half a minute. Returns when the orders are answered. */
  async function anOutage(of?: OrgId) {
    const orgId = of ?? (await shop.anOrg(['xendit']))
    shop.remote.script.charge = () => ({ kind: 'refused', failure: unavailableFailure })
    const waiting = Array.from({ length: 5 }, () => shop.anOrder(orgId))
    await until(async () => (await probeWaitMs(orgId)) > 10_000)
    return { orgId, waiting }
  }

  /** Checks that waiting requests are answered before their wait times out. */
  async function providerIsBack(requests: Promise<unknown>[]): Promise<void> {
    shop.remote.reset()
    await shop.advance(31)
    await Promise.all(requests)
  }

  test('the next order is payable in its answer when a provider recovered, and earlier orders follow', async () => {
    const { orgId, waiting } = await anOutage()
    shop.remote.script.charge = payableOutcome
    const request = shop.anOrder(orgId)
    await until(async () => (await probeWaitMs(orgId)) <= 2_000)
    shop.clock.advance(2_000)
    expect((await request).payment.status).toBe('pending')
    await shop.advance(30)
    for (const { id } of await Promise.all(waiting))
      expect((await shop.getOrder(orgId, id)).payment.status).toBe('pending')
  })

  test('a provider that is still unavailable is probed once for all waiting requests', async () => {
    const { orgId, waiting } = await anOutage()
    const before = charges()
    const requests = Array.from({ length: 8 }, () => shop.anOrder(orgId))
    await until(async () => (await probeWaitMs(orgId)) <= 2_000)
    shop.clock.advance(2_000)
    await until(() => charges() > before)
    await until(async () => (await probeWaitMs(orgId)) > 0)
    expect(charges() - before).toBe(1)
    await providerIsBack([...waiting, ...requests])
  })

  test('an order of a long outage is payable at most half a minute after the provider recovered', async () => {
    const { orgId, waiting } = await anOutage()
    // The state that an outage of half an hour leaves: the next probe is in ten minutes.
    await shop.database.run`
      update outbox_lanes set blocked_until = ${new Date(shop.clock.now() + 600_000)}, health = health || '{"opens": 6}'
      where org_id = ${orgId} and kind = 'payments'`
    const before = charges()
    const request = shop.anOrder(orgId)
    await until(async () => (await probeWaitMs(orgId)) <= 2_000)
    shop.clock.advance(2_000)
    await until(() => charges() > before)
    await until(async () => (await probeWaitMs(orgId)) > 2_000)
    expect(await probeWaitMs(orgId)).toBeLessThanOrEqual(30_000)
    await providerIsBack([...waiting, request])
  })

  test('a Retry-After is honoured while the breaker is open', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const earlier = await shop.anOrder(orgId)
    const { waiting } = await anOutage(orgId)
    const failure = { ...unavailableFailure, code: 'throttled', retryAfterMs: 20_000 }
    shop.remote.script.cancel = () => ({ kind: 'refused', failure })
    const reply = await shop.call(orgId, 'POST', `/orders/${earlier.id}/cancel`)
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '20'])
    const before = await callsOf(orgId)
    expect((await shop.anOrder(orgId)).payment.status).toBe('created')
    expect(await probeWaitMs(orgId)).toBeGreaterThan(10_000)
    expect((await shop.call(orgId, 'POST', `/orders/${earlier.id}/cancel`)).status).toBe(503)
    expect(await callsOf(orgId)).toBe(before)
    await providerIsBack(waiting)
  })
})

describe('a provider that throttles', () => {
  /** A provider that throttles requests, with an error or a Retry-After. */
  const shop = useOrders()

  const connector = createXenditConnector({ clock: systemClock, timeoutMs: 60_000 })

  let [server, account] = [] as unknown as [XenditServer, PaymentAccount]

  beforeAll(() => {
    server = startXenditServer()
    const credentials = { secret_key: server.secretKey, callback_token: server.callbackToken }
    account = suiteAccount({ provider: 'xendit', baseUrl: server.url, credentials })
  })

  afterAll(() => server.stop())

  beforeEach(() => {
    shop.remote.reset()
    Object.assign(shop.remote.script, {
      charge: (attempt) => connector.charge(account, attempt, never),
      status: (attempt) => connector.askStatus(account, attempt, never),
      cancel: (attempt) => connector.cancel(account, attempt, never),
      expire: (attempt) => connector.expire(account, attempt, never),
      refund: (refund) => connector.refund(account, refund, never),
    } satisfies typeof shop.remote.script)
  })

  /** The remaining pause that the provider asked for. */
  async function pauseMs(orgId: OrgId): Promise<number> {
    const { until: end } = await shop.database.one<{ until: Date | null }>`
      select case when blocked_reason = 'retry_after' then blocked_until end as until
      from outbox_lanes where org_id = ${orgId} and kind = 'payments'`
    return Math.max((end?.getTime() ?? 0) - shop.clock.now(), 0)
  }

  const untilPaused = (orgId: OrgId) => until(async () => (await pauseMs(orgId)) > 0)

  async function callsOf(orgId: OrgId): Promise<number> {
    const rows = await shop.database.many<{ id: string }>`select id from payments where org_id = ${orgId}`
    return shop.remote.calls.filter((call) => rows.some(({ id }) => call.endsWith(id))).length
  }

  const callsFor = ({ payment }: Json) => shop.remote.calls.filter((call) => call.endsWith(payment.id)).length

  const untilPayable = (orgId: OrgId, { id }: Json) =>
    until(async () => (await shop.getOrder(orgId, id)).payment.status === 'pending')

  /** Entries of other tests may run meanwhile, so only the intended call gets this answer. */
  const throttleNext = (on: string, retryAfterSeconds = 60) => server.failNext('status_429', { on, retryAfterSeconds })

  const CHARGE = 'POST /v3/payment_requests'

  const questionAbout = (requestId: string) => `GET /v3/payment_requests/${requestId}`

  /** Uses a separate account, after the entries that were due before. */
  const anotherShopSells = async () =>
    expect((await shop.anOrder(await shop.anOrg(['xendit']))).payment.status).toBe('pending')

  test.each([['status_429'], ['status_503_page']] as const)(
    'an account pauses for as long as its provider asks after %s; orders created meanwhile are answered at once and payable afterwards',
    async (fault) => {
      const orgId = await shop.anOrg(['xendit'])
      server.failNext(fault, { on: CHARGE, retryAfterSeconds: 60 })
      let isFirstAnswered = false
      const first = shop.anOrder(orgId).finally(() => {
        isFirstAnswered = true
      })
      await untilPaused(orgId)
      const second = await shop.anOrder(orgId)
      expect([second.payment.status, isFirstAnswered]).toEqual(['created', false])
      shop.clock.advance(40_000)
      await anotherShopSells()
      expect([callsFor(second), await callsOf(orgId)]).toEqual([0, 1])
      shop.clock.advance(30_000)
      await untilPayable(orgId, await first)
      await untilPayable(orgId, second)
    },
  )

  test('an account pauses for five minutes when its provider asks for a day', async () => {
    const orgId = await shop.anOrg(['xendit'])
    throttleNext(CHARGE, 86_400)
    const first = shop.anOrder(orgId)
    await untilPaused(orgId)
    expect(await pauseMs(orgId)).toBeGreaterThan(240_000)
    expect(await pauseMs(orgId)).toBeLessThanOrEqual(300_000)
    shop.clock.advance(300_000)
    await untilPayable(orgId, await first)
  })

  /** Returns the payment with the id that the provider gave it. */
  async function aCharged(orgId: OrgId, fields: Record<string, unknown> = {}) {
    const order = await shop.anOrder(orgId, fields)
    const { providerId } = await shop.database.one<{ providerId: string }>`
      select provider_id as "providerId" from payments where org_id = ${orgId} and id = ${order.payment.id}`
    return { order, providerId }
  }

  async function aSale(orgId: OrgId) {
    const { order, providerId } = await aCharged(orgId)
    server.pay(providerId)
    await shop.sendNotice(orgId, paid(order.payment, { providerId }))
    return { order, providerId }
  }

  const refundOf = (orgId: OrgId, { id }: Json) =>
    shop.call(orgId, 'POST', `/orders/${id}/refunds`, { json: { amount: 5_000 } })

  test.each([
    [
      'a refund',
      async (orgId: OrgId) => {
        const { order } = await aSale(orgId)
        throttleNext('POST /refunds')
        await refundOf(orgId, order)
      },
    ],
    [
      'a query of a pending refund',
      async (orgId: OrgId) => {
        const { order, providerId } = await aSale(orgId)
        await refundOf(orgId, order)
        await shop.settle()
        throttleNext(questionAbout(providerId))
        shop.clock.advance(601_000)
      },
    ],
    [
      'a confirmation of a notice',
      async (orgId: OrgId) => {
        const { order, providerId } = await aCharged(orgId)
        throttleNext(questionAbout(providerId))
        await shop.sendNotice(orgId, paid(order.payment, { providerId }), { proven: false })
      },
    ],
    [
      'the end of an attempt',
      async (orgId: OrgId) => {
        const { providerId } = await aCharged(orgId, { payment: { method: 'qris', expires_in_seconds: 60 } })
        throttleNext(questionAbout(providerId))
        shop.clock.advance(61_000)
      },
    ],
    [
      'the cancellation of an order',
      async (orgId: OrgId) => {
        const { order, providerId } = await aCharged(orgId)
        throttleNext(questionAbout(providerId))
        const reply = await shop.call(orgId, 'POST', `/orders/${order.id}/cancel`)
        expect([reply.status, reply.json.code]).toEqual([503, 'payment_provider_unavailable'])
        expect(reply.headers.get('retry-after')).toBe('60')
      },
    ],
  ] as const)('%s that is throttled pauses new charges as well', async (_, ask) => {
    const orgId = await shop.anOrg(['xendit'])
    await ask(orgId)
    await untilPaused(orgId)
    const order = await shop.anOrder(orgId)
    await anotherShopSells()
    expect([order.payment.status, callsFor(order)]).toEqual(['created', 0])
    shop.clock.advance(61_000)
    await untilPayable(orgId, order)
  })

  test('a cancellation is refused without a call and with the remaining pause while the provider throttles', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const order = await shop.anOrder(orgId)
    throttleNext(CHARGE)
    const waiting = shop.anOrder(orgId)
    await untilPaused(orgId)
    shop.clock.advance(20_000)
    const before = callsFor(order)
    const reply = await shop.call(orgId, 'POST', `/orders/${order.id}/cancel`)
    expect([reply.status, reply.json.code, callsFor(order)]).toEqual([503, 'payment_provider_unavailable', before])
    expect(Number(reply.headers.get('retry-after'))).toBeWithin(1, 41)
    shop.clock.advance(41_000)
    await untilPayable(orgId, await waiting)
    expect((await shop.call(orgId, 'POST', `/orders/${order.id}/cancel`)).json.status).toBe('cancelled')
  })

  test('an account stays paused while its provider keeps asking for it, however many orders are created', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const failure = { ...unavailableFailure, code: 'throttled', retryAfterMs: 20_000 }
    shop.remote.script.status = () => ({ kind: 'refused', failure })
    shop.remote.script.charge = () => ({ kind: 'refused', failure })
    const waiting = shop.anOrder(orgId)
    for (let answers = 1; answers <= 5; answers++) {
      await until(async () => (await callsOf(orgId)) === answers)
      await untilPaused(orgId)
      // This exceeds the retry schedule of the charge as well.
      if (answers < 5) shop.clock.advance(40_000)
    }
    await shop.anOrder(orgId)
    expect(await pauseMs(orgId)).toBeGreaterThan(10_000)
    shop.remote.reset()
    shop.clock.advance(80_000)
    await untilPayable(orgId, await waiting)
  })

  test('a bank that is down delays no other bank, however often it is tried', async () => {
    const orgId = await shop.anOrg(['xendit'])
    const atTheBank = { billingType: 'virtual_account', payment: { method: 'virtual_account', bank: 'bni' } }
    const waiting: Promise<Json>[] = []
    for (let tries = 1; tries <= 6; tries++) {
      server.failNext('status_503', { on: CHARGE, retryAfterSeconds: 60 })
      waiting.push(shop.anOrder(orgId, atTheBank))
      await until(async () => (await callsOf(orgId)) === tries)
    }
    expect((await shop.anOrder(orgId)).payment.status).toBe('pending')
    const { breaker } = await shop.database.one<{ breaker: string }>`
      select breaker from outbox_lanes where org_id = ${orgId} and kind = 'payments'`
    expect(breaker).toBe('closed')
    shop.clock.advance(61_000)
    for (const order of await Promise.all(waiting)) await untilPayable(orgId, order)
  })
})
