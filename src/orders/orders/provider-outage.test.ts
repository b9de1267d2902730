import { beforeEach, expect, test } from 'bun:test'
import { useOrders } from '../../../test/support/orders.ts'
import { payableOutcome, unavailableFailure } from '../../../test/support/scripted-payments.ts'
import { until } from '../../../test/support/until.ts'
import type { OrgId } from '../../kernel/ids.ts'

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
