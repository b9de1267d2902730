import { describe, expect, test } from 'bun:test'
import { quietLog } from '../../../test/support/log.ts'
import { answer } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'
import { type Json, textsOf, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { LaneReport } from '../../platform/outbox/job.ts'
import { STEP_DELIVERIES } from '../deliveries/backlog.ts'
import { createDeliveryMetrics } from './delivery-metrics.ts'
import { type Consequences, followHealth } from './endpoint-health.ts'

const bench = useWebhooks({ daysAhead: 3 })
const aReceiver = useReceivers()
const HOUR_MS = 3_600_000

const eventsOf = async (orgId: OrgId) =>
  (await bench.database.many<{ body: string }>`select body from events where org_id = ${orgId} order by sequence`)
    .map(({ body }) => JSON.parse(body))
    .filter(({ type }) => /degraded|recovered|disabled/.test(type))

async function anEndpoint() {
  const orgId = await bench.anOrg()
  const { id } = await bench.anEndpoint(orgId, { url: 'https://shop.example.com/' })
  return { orgId, id: id as Id<'wep'> }
}

/** As an acknowledgement would report it, this long after the first failure. */
async function report({ orgId, id }: { orgId: OrgId; id: Id<'wep'> }, lane: Partial<LaneReport> & { hours?: number }) {
  const { hours, ...rest } = lane
  const consequences: Consequences = { events: new Map(), laneIds: [] }
  const options = { clock: bench.clock, log: quietLog, metrics: createDeliveryMetrics() }
  const reported: LaneReport = {
    laneId: id,
    orgId,
    breakerBefore: 'open',
    breakerAfter: 'open',
    blockedUntil: null,
    failingSinceBefore: null,
    failingSince: hours === undefined ? null : new Date(bench.clock.now() - hours * HOUR_MS),
    failuresSinceSuccess: hours === undefined ? 0 : 25,
    ...rest,
  }
  await bench.database.transaction((tx) => followHealth(options, tx, [reported], consequences))
  return (consequences.events.get(orgId) ?? []).map(({ type, data }) => [type.name, (data as Json).state])
}

const stateOf = async ({ orgId, id }: { orgId: OrgId; id: string }) =>
  (await bench.call(orgId, 'GET', `/webhook-endpoints/${id}`)).json

describe('an endpoint that keeps failing', () => {
  /** Its breaker is open; `repair` has it answer well from then on. */
  async function aDegraded() {
    const orgId = await bench.anOrg()
    let status = 500
    const receiver = await aReceiver(() => answer(status))
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    for (let index = 0; index < 6; index++) await bench.note(orgId, `${index}`)
    await until(async () => (await stateOf({ orgId, id: endpoint.id })).state === 'degraded')
    const repair = () => {
      status = 200
    }
    return { orgId, receiver, endpoint, repair }
  }

  test('is degraded when its breaker opens and recovered when it closes, each recorded once', async () => {
    const { orgId, endpoint, repair } = await aDegraded()
    expect((await stateOf({ orgId, id: endpoint.id })).health.failing_since).not.toBeNull()
    repair()
    await until(async () => {
      bench.advance(31_000)
      return (await stateOf({ orgId, id: endpoint.id })).state === 'enabled'
    })
    expect((await eventsOf(orgId)).map(({ type, data }) => [type, data.id, data.state])).toEqual([
      ['endpoint.degraded', endpoint.id, 'degraded'],
      ['endpoint.recovered', endpoint.id, 'enabled'],
    ])
  })

  test('is shown as failing in every event about it, as in the API', async () => {
    const { orgId, endpoint } = await aDegraded()
    const { failing_since, failures_since_success } = (await stateOf({ orgId, id: endpoint.id })).health
    const path = `/webhook-endpoints/${endpoint.id}`
    await bench.call(orgId, 'PATCH', path, { json: { description: 'changed' } })
    await bench.call(orgId, 'POST', `${path}/rotate-secret`, { json: {} })
    await bench.call(orgId, 'POST', `${path}/ping`)
    await bench.call(orgId, 'POST', `${path}/pause`)
    await bench.call(orgId, 'DELETE', path)
    const bodies = await bench.database.many<{ body: string }>`
      select body from events where org_id = ${orgId} and type like 'endpoint.%' order by created_at, sequence`
    const events = bodies.map(({ body }) => JSON.parse(body)).slice(3)
    expect(events.map(({ type, data }) => [type, data.state])).toEqual([
      ['endpoint.updated', 'degraded'],
      ['endpoint.updated', 'degraded'],
      ['endpoint.pinged', 'degraded'],
      ['endpoint.updated', 'paused'],
      ['endpoint.deleted', 'paused'],
    ])
    for (const { data } of events) expect(data).toMatchObject({ failing_since, failures_since_success })
    expect(events[3].previous).toEqual({ state: 'degraded' })
  })

  test('is recorded with its failures when its receiver disables it', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((_, nth) => answer(nth === 1 ? 500 : 410))
    const { id } = await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'fails')
    await until(async () => (await stateOf({ orgId, id })).health.failures_since_success === 1)
    await bench.note(orgId, 'gone')
    await until(async () => (await eventsOf(orgId)).length === 1)
    const [{ type, data }] = await eventsOf(orgId)
    expect([type, data.disabled_reason, data.failures_since_success]).toEqual(['endpoint.disabled', 'gone', 2])
  })

  test('is tried at once when it is resumed after a repair', async () => {
    const { orgId, receiver, endpoint, repair } = await aDegraded()
    const before = receiver.requests.length
    repair()
    await bench.claimsPass()
    expect(receiver.requests.length).toBe(before)
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/resume`, { json: {} })
    await until(() => receiver.requests.length > before)
  })

  test('is tried at once when it is resumed, also when all deliveries wait as long as it asked for', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((_, nth) => answer(nth === 1 ? 503 : 200, '', { 'retry-after': '3600' }))
    const { id } = await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'one')
    await until(async () => (await stateOf({ orgId, id })).health.blocked_reason === 'retry_after')
    await bench.call(orgId, 'POST', `/webhook-endpoints/${id}/resume`, { json: {} })
    await until(() => receiver.requests.length === 2)
  })

  test('has all retries that wait made now when it is resumed, however many they are', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(500))
    const { id } = await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'one')
    await until(async () => (await stateOf({ orgId, id })).health.failures_since_success === 1)
    // As many more, that wait until tomorrow.
    const count = STEP_DELIVERIES + 100
    await bench.database.run`
      insert into webhook_deliveries (org_id, id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status,
        attempts, created_at, next_attempt_at)
      select org_id, left(id, -4) || lpad(number::text, 4, '0'), endpoint_id, event_id || number, type, subject, sequence,
        false, false, 'pending', 1, now(), now() + interval '1 day'
      from webhook_deliveries, generate_series(1, ${count}::int) number where org_id = ${orgId} and not is_test`
    await bench.database.run`
      insert into outbox_entries (id, lane_id, org_id, job, class, attempt, due_at, payload)
      select id, endpoint_id, org_id, 'webhooks.deliver', 1, 1, next_attempt_at,
        jsonb_build_object('event', event_id, 'trigger', 'auto')
      from webhook_deliveries where org_id = ${orgId} and not is_test on conflict do nothing`
    await bench.call(orgId, 'POST', `/webhook-endpoints/${id}/resume`, { json: {} })
    const left = () => bench.database.many`
      select id from outbox_entries where lane_id = ${id} and due_at > now() + interval '1 hour'`
    await until(async () => (await left()).length === 0)
    const { json } = await bench.call(orgId, 'GET', '/deliveries?status=pending&limit=1')
    expect(Date.parse(json.data[0].next_attempt_at)).toBeLessThanOrEqual(bench.clock.now() + 60_000)
    expect((await stateOf({ orgId, id })).state).toBe('enabled')
  })

  test('is sent nothing of what waits when it is resumed from now', async () => {
    const { orgId, receiver, endpoint, repair } = await aDegraded()
    const before = receiver.requests.length
    repair()
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/resume`, { json: { mode: 'from_now' } })
    const statuses = async () =>
      (await bench.call(orgId, 'GET', '/deliveries?limit=100')).json.data.map((delivery: Json) => delivery.status)
    expect(await statuses()).toEqual(Array(6).fill('skipped'))
    await bench.note(orgId, 'new')
    await until(async () => (await statuses()).includes('succeeded'))
    await bench.claimsPass()
    expect(receiver.requests.length).toBe(before + 1)
    const last = await bench.database.one<{ body: string }>`
      select body from events where org_id = ${orgId} and type like 'endpoint.%' and not is_test order by sequence desc limit 1`
    expect(JSON.parse(last.body)).toMatchObject({ type: 'endpoint.updated', previous: { state: 'degraded' } })
  })

  test('is recorded again after 24 and 72 hours, once each', async () => {
    const endpoint = await anEndpoint()
    expect(await report(endpoint, { hours: 1, breakerBefore: 'closed' })).toEqual([['endpoint.degraded', 'degraded']])
    expect(await report(endpoint, { hours: 23 })).toEqual([])
    expect(await report(endpoint, { hours: 25 })).toEqual([['endpoint.degraded', 'degraded']])
    expect(await report(endpoint, { hours: 26 })).toEqual([])
    expect(await report(endpoint, { hours: 73 })).toEqual([['endpoint.degraded', 'degraded']])
    expect(await report(endpoint, { hours: 119 })).toEqual([])
    expect(await report(endpoint, { breakerAfter: 'closed' })).toEqual([['endpoint.recovered', 'enabled']])
    expect(await report(endpoint, { breakerAfter: 'closed' })).toEqual([])
  })

  test('is recorded after 24 hours again when one success in between did not close its breaker', async () => {
    const endpoint = await anEndpoint()
    const degraded = [['endpoint.degraded', 'degraded']]
    expect(await report(endpoint, { hours: 1, breakerBefore: 'closed' })).toEqual(degraded)
    expect(await report(endpoint, { hours: 73 })).toEqual(degraded)
    const failingSinceBefore = new Date(bench.clock.now() - 74 * HOUR_MS)
    expect(await report(endpoint, { breakerAfter: 'half_open', failingSinceBefore })).toEqual([])
    expect(await report(endpoint, { hours: 1, breakerBefore: 'half_open' })).toEqual([])
    expect(await report(endpoint, { hours: 25 })).toEqual(degraded)
  })

  test('is recovered when it answers again, also when it was tried too seldom for its breaker to open', async () => {
    const orgId = await bench.anOrg()
    let status = 503
    const receiver = await aReceiver(() => answer(status, '', { 'retry-after': '86400' }))
    const { id } = await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'one')
    await until(async () => (await stateOf({ orgId, id })).health.blocked_reason === 'retry_after')
    bench.advance(25 * HOUR_MS)
    await until(async () => (await eventsOf(orgId)).length === 1)
    status = 200
    bench.advance(25 * HOUR_MS)
    await until(async () => (await eventsOf(orgId)).length === 2)
    expect(receiver.requests.length).toBe(3)
    expect((await eventsOf(orgId)).map(({ type, data }) => [type, data.state])).toEqual([
      ['endpoint.degraded', 'enabled'],
      ['endpoint.recovered', 'enabled'],
    ])
  })

  test('is disabled after five days without a success, and its pending deliveries are kept', async () => {
    const endpoint = await anEndpoint()
    expect(await report(endpoint, { hours: 121, failuresSinceSuccess: 19 })).not.toContainEqual([
      'endpoint.disabled',
      'disabled',
    ])
    expect(await report(endpoint, { hours: 121 })).toEqual([['endpoint.disabled', 'disabled']])
    expect(await stateOf(endpoint)).toMatchObject({ state: 'disabled', disabled_reason: 'no_success' })
    await bench.note(endpoint.orgId, 'pending')
    await until(async () => (await stateOf(endpoint)).health.held === 1)
    expect(await report(endpoint, { hours: 130 })).toEqual([])
  })
})

describe('an answer that comes late', () => {
  test.each([
    [
      'from the URL before the present one',
      async (path: string, orgId: OrgId, url: string) => {
        await bench.call(orgId, 'PATCH', path, { json: { url } })
      },
    ],
    [
      'from before a resume',
      async (path: string, orgId: OrgId) => {
        await bench.call(orgId, 'POST', `${path}/pause`)
        await bench.call(orgId, 'POST', `${path}/resume`, { json: {} })
      },
    ],
  ])('%s does not disable the endpoint, and its event is sent again', async (_, change) => {
    const orgId = await bench.anOrg()
    const late = Promise.withResolvers<string>()
    const [old, young] = [await aReceiver((_, nth) => (nth === 1 ? late.promise : answer(200))), await aReceiver()]
    const { id } = await bench.anEndpoint(orgId, { url: old.url })
    await bench.note(orgId, 'late')
    await until(() => old.requests.length === 1)
    await change(`/webhook-endpoints/${id}`, orgId, young.url)
    late.resolve(answer(410))
    const arrived = async () =>
      (await bench.call(orgId, 'GET', '/deliveries?status=succeeded&type=hook_note.written')).json
    await until(async () => (await arrived()).data.length === 1)
    expect(textsOf([...old.requests.slice(1), ...young.requests])).toContain('late')
    expect(await stateOf({ orgId, id })).toMatchObject({ state: 'enabled', disabled_reason: null })
    expect(await eventsOf(orgId)).toEqual([])
  })
})
