import { describe, expect, test } from 'bun:test'
import { answer, type ReceivedRequest } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'
import { type Json, noteWritten, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import { recordEvents } from '../../events/recording.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { getEndpoint } from '../endpoints/endpoints.ts'
import { explainEvent } from '../explain/explain.ts'
import { selectPage } from '../recovery/recovery-selection.ts'
import { NOTICED_MS_MAX } from '../sending/attempt-source.ts'
import { BUNDLE_JOB } from './bundles.ts'

const bench = useWebhooks()
const aReceiver = useReceivers()

const COUNT = 40

/** More at once than an endpoint has slots. */
const burst = async (orgId: OrgId, count = COUNT) => {
  const data = { object: 'hook_note' as const, id: 'one', text: 'burst', author_id: 'a' }
  const events = Array.from({ length: count }, () => ({ type: noteWritten, subject: 'one', data }))
  const recorded = await bench.database.transaction((tx) => recordEvents(tx, orgId, events, bench.clock.now()))
  return recorded.map((event) => event.id)
}
const deliveriesOf = async (orgId: OrgId) =>
  (await bench.call(orgId, 'GET', '/deliveries?limit=100')).json.data.filter(
    ({ type }: Json) => type === noteWritten.name,
  ) as Json[]
const statusesOf = async (orgId: OrgId) => {
  const statuses = (await deliveriesOf(orgId)).map(({ status }) => status)
  return Object.fromEntries([...new Set(statuses)].map((one) => [one, statuses.filter((each) => each === one).length]))
}
const act = (orgId: OrgId, id: string, action: string, json = {}) =>
  bench.call(orgId, 'POST', `/webhook-endpoints/${id}/${action}`, { json })
const countBundles = async (laneId: string) =>
  (
    await bench.database.one<{ count: number }>`
      select count(*)::int as count from outbox_entries where lane_id = ${laneId} and job = ${BUNDLE_JOB}`
  ).count
const idOf = ({ headers }: ReceivedRequest) => String(headers['webhook-id'])

/** So long after a change that a running bundle has noticed it. */
async function untilNoticed(): Promise<void> {
  const sinceMs = performance.now()
  await until(() => performance.now() - sinceMs > 4 * NOTICED_MS_MAX)
}

/** Holds back its answers until released. */
function gate(status = 200) {
  const opened = Promise.withResolvers<void>()
  return { open: () => opened.resolve(), wait: () => opened.promise.then(() => answer(status)) }
}

/** Bundles whose first requests have come, to a receiver that holds back its answers. */
async function aBurstUnderWay() {
  const orgId = await bench.anOrg()
  const held = gate()
  const receiver = await aReceiver(() => held.wait())
  const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
  const eventIds = await burst(orgId)
  await until(() => receiver.requests.length >= 2)
  return { orgId, endpoint, receiver, held, eventIds }
}

test('an endpoint that is resumed from now in the middle of a burst is sent no more of it', async () => {
  const { orgId, endpoint, receiver, held } = await aBurstUnderWay()
  await act(orgId, endpoint.id, 'resume', { mode: 'from_now' })
  expect(await statusesOf(orgId)).toEqual({ skipped: COUNT })
  const underWay = receiver.requests.length
  await untilNoticed()
  held.open()
  await until(async () => (await statusesOf(orgId)).succeeded === underWay)
  await bench.claimsPass()
  expect([await statusesOf(orgId), receiver.requests.length]).toEqual([
    { succeeded: underWay, skipped: COUNT - underWay },
    underWay,
  ])
})

describe('a burst', () => {
  test('is acknowledged a bundle at a time, and every event of it ends as a delivery with its attempt', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    await bench.anEndpoint(orgId, { url: receiver.url })
    await until(async () => (await bench.outbox.stats()).inFlight === 0)
    const ackedBefore = (await bench.outbox.stats()).process.acked
    const eventIds = await burst(orgId)
    await until(async () => (await statusesOf(orgId)).succeeded === COUNT)
    expect((await bench.outbox.stats()).process.acked - ackedBefore).toBeLessThanOrEqual(10)
    expect(receiver.requests.map(idOf).sort()).toEqual([...eventIds].sort())
    const [delivery] = await deliveriesOf(orgId)
    expect(delivery).toMatchObject({ status: 'succeeded', attempt_count: 1 })
    const { json } = await bench.call(orgId, 'GET', `/deliveries/${delivery.id}`)
    expect(json.attempts).toHaveLength(1)
  })

  test('shows what was sent and answered for each of its events when answers hold tabs, line ends and backslashes', async () => {
    const orgId = await bench.anOrg()
    const answered = 'ok\ta\\b\\N\r\n"'
    const receiver = await aReceiver(() => answer(200, answered))
    const { url } = await bench.anEndpoint(orgId, { url: receiver.url })
    await burst(orgId)
    await until(async () => (await statusesOf(orgId)).succeeded === COUNT)
    for (const { id, event_id: eventId } of await deliveriesOf(orgId)) {
      const { attempts } = (await bench.call(orgId, 'GET', `/deliveries/${id}`)).json
      const sent = receiver.requests.find((request) => idOf(request) === eventId) as ReceivedRequest
      expect(attempts).toMatchObject([{ number: 1, outcome: 'succeeded', url, response_status: 200 }])
      expect(attempts[0].response_body).toBe(answered)
      expect(attempts[0].request_headers['webhook-signature']).toBe(String(sent.headers['webhook-signature']))
    }
  })

  test('to an endpoint that keeps order or has a rate is written down one by one', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => null)
    await bench.anEndpoint(orgId, { url: receiver.url, ordering: 'by_key' })
    await bench.anEndpoint(orgId, { url: receiver.url, max_per_second: 1 })
    await burst(orgId)
    await until(async () => {
      const { pending = 0, in_flight: inFlight = 0 } = await statusesOf(orgId)
      return pending + inFlight === 2 * COUNT
    })
  })
})

describe('an event of a bundle that fails', () => {
  test('is tried again under the same id, and the others go on one by one', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((_, nth) => answer(nth === 2 ? 500 : 200))
    await bench.anEndpoint(orgId, { url: receiver.url })
    await burst(orgId)
    await until(async () => {
      const { succeeded = 0, pending = 0 } = await statusesOf(orgId)
      return succeeded === COUNT - 1 && pending === 1
    })
    const failed = idOf(receiver.requests[1] as ReceivedRequest)
    expect(receiver.requests).toHaveLength(COUNT)
    bench.advance(10_000)
    await until(async () => (await statusesOf(orgId)).succeeded === COUNT)
    const again = receiver.requests.at(-1) as ReceivedRequest
    expect([idOf(again), again.headers['webhook-attempt']]).toEqual([failed, '2'])
    expect(receiver.requests).toHaveLength(COUNT + 1)
  })

  test('for good disables the endpoint, and nothing of the bundles is lost', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(410))
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await burst(orgId)
    await until(async () => {
      const { failed = 0, cancelled = 0 } = await statusesOf(orgId)
      return failed + cancelled === COUNT
    })
    await until(async () => (await countBundles(endpoint.id)) === 0)
  })
})

describe('an endpoint with bundles under way', () => {
  test('that is paused gets no further request, holds what is left, and gets all of it once when resumed', async () => {
    const { orgId, endpoint, receiver, held } = await aBurstUnderWay()
    await act(orgId, endpoint.id, 'pause')
    await untilNoticed()
    const started = receiver.requests.length
    expect((await statusesOf(orgId)).held).toBe(COUNT)
    held.open()
    await until(async () => (await countBundles(endpoint.id)) === 0)
    expect(receiver.requests).toHaveLength(started)
    expect(await statusesOf(orgId)).toEqual({ held: COUNT - started, succeeded: started })
    await act(orgId, endpoint.id, 'resume', { mode: 'recover_held' })
    await until(async () => (await statusesOf(orgId)).succeeded === COUNT)
    expect(receiver.requests).toHaveLength(COUNT)
  })

  test('that is deleted leaves none of them behind', async () => {
    const { orgId, endpoint, receiver, held } = await aBurstUnderWay()
    await bench.call(orgId, 'DELETE', `/webhook-endpoints/${endpoint.id}`)
    await untilNoticed()
    const started = receiver.requests.length
    held.open()
    await until(async () => (await countBundles(endpoint.id)) === 0)
    expect(receiver.requests).toHaveLength(started)
    const { cancelled = 0, succeeded = 0 } = await statusesOf(orgId)
    expect(cancelled + succeeded).toBe(COUNT)
  })

  test('that is switched to strict order has what still waits written down and sent', async () => {
    const { orgId, endpoint, receiver, held } = await aBurstUnderWay()
    await bench.call(orgId, 'PATCH', `/webhook-endpoints/${endpoint.id}`, { json: { ordering: 'strict' } })
    expect(await countBundles(endpoint.id)).toBe(2)
    held.open()
    await until(async () => (await statusesOf(orgId)).succeeded === COUNT)
    expect(receiver.requests).toHaveLength(COUNT)
  })
})

test('a bundle whose process died is dissolved, and each of its deliveries counts one attempt as made', async () => {
  const orgId = await bench.anOrg()
  const held = gate()
  const receiver = await aReceiver((_, nth) => (nth <= 2 ? held.wait() : answer(200)))
  await bench.anEndpoint(orgId, { url: receiver.url })
  await burst(orgId)
  await until(() => receiver.requests.length >= 2)
  // As if the leases had run out and another process had the entries.
  await bench.database.run`
    update outbox_entries set state = 'waiting', lease_until = null, leased_by = null, lease_number = lease_number + 1
    where org_id = ${orgId} and state = 'leased'`
  await bench.database.run`update outbox_lanes set in_flight = 0 where org_id = ${orgId}`
  bench.outbox.wake()
  await until(async () => (await statusesOf(orgId)).succeeded === COUNT)
  held.open()
  const repeated = receiver.requests.filter(({ headers }) => headers['webhook-attempt'] === '2')
  expect(repeated).toHaveLength(10)
  expect(new Set(receiver.requests.map(idOf)).size).toBe(COUNT)
})

test('an event in a bundle is said to be on its way, and is not missing to a recovery', async () => {
  const { orgId, endpoint, held, eventIds } = await aBurstUnderWay()
  const explain = () => explainEvent(bench, orgId, { eventId: eventIds[COUNT - 1] as string, endpointId: endpoint.id })
  const [story] = (await explain()).stories
  expect([story?.verdict, story?.steps.at(-1)?.code]).toEqual(['pending', 'bundled'])
  expect(await missingOf(orgId, endpoint.id)).toEqual([])
  held.open()
  await until(async () => (await statusesOf(orgId)).succeeded === COUNT)
  expect((await explain()).stories[0]?.verdict).toBe('delivered')
  expect(await missingOf(orgId, endpoint.id)).toEqual([])
})

/** What a recovery of everything missing would send. */
async function missingOf(orgId: OrgId, endpointId: string) {
  const row = await getEndpoint(bench.database, orgId, endpointId)
  const nowMs = bench.clock.now()
  const span = { since: new Date(nowMs - 60_000), until: new Date(nowMs + 60_000) }
  const selector = { mode: 'missing' as const, include_before_creation: false, ...span, types: null, statuses: null }
  const page = { position: '', limit: 200, now: new Date(nowMs) }
  return (await selectPage(bench.database, row, selector, page)).chosen
}

test('a bundle of what arrived before, because fan-out was turned back, is recorded as further attempts', async () => {
  const orgId = await bench.anOrg()
  const receiver = await aReceiver()
  await bench.anEndpoint(orgId, { url: receiver.url })
  await burst(orgId)
  await until(async () => (await statusesOf(orgId)).succeeded === COUNT)
  await bench.database.run`update event_counters set followed_until = 0 where org_id = ${orgId}`
  await bench.note(orgId, 'looks again')
  await until(async () => (await deliveriesOf(orgId)).filter((each) => each.attempt_count === 2).length >= COUNT)
  expect((await statusesOf(orgId)).succeeded).toBe(COUNT + 1)
})
