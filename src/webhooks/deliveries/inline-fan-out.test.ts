import { describe, expect, test } from 'bun:test'
import { answer } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'
import { noteWritten, textsOf, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import { recordEvents } from '../../events/recording.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { BUNDLE_JOB } from './bundles.ts'

const bench = useWebhooks()
const aReceiver = useReceivers()

/** Until the process knows the subscriptions and holds slots of the lane. */
async function warmUp(orgId: OrgId, endpointId: string): Promise<void> {
  await until(async () => {
    await bench.note(orgId, 'warm up')
    return bench.outbox.handOver.holds(endpointId)
  })
  await until(async () => (await entriesOf(orgId)).length === 0)
}

const entriesOf = (orgId: OrgId) => bench.database.many`select id from outbox_entries where org_id = ${orgId}`
const backlogOf = (orgId: OrgId) => bench.database.many`select 1 from event_backlog where org_id = ${orgId}`
const statusOf = async (orgId: OrgId, eventId: string) =>
  (await bench.call(orgId, 'GET', `/deliveries?event=${eventId}`)).json.data

describe('an event whose subscriptions the process knows', () => {
  test('has its deliveries when its transaction commits, without the follower', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await warmUp(orgId, endpoint.id)
    const event = await bench.note(orgId, 'fresh')
    expect(await backlogOf(orgId)).toEqual([])
    expect(await statusOf(orgId, event.id)).toHaveLength(1)
  })

  test('is sent by the process that recorded it, without a claim', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await warmUp(orgId, endpoint.id)
    const handedOver = async () => (await bench.outbox.stats()).process.handedOver
    let id = ''
    // A claim that meets what is left of the warm-up may have ended the grant; another is there soon.
    await until(async () => {
      const before = await handedOver()
      id = (await bench.note(orgId, 'handed over')).id
      return (await handedOver()) > before
    })
    await until(async () => (await statusOf(orgId, id))[0].status === 'succeeded')
    expect((await statusOf(orgId, id))[0]).toMatchObject({ attempt_count: 1 })
    await until(async () => (await entriesOf(orgId)).length === 0)
  })

  test('is sent without a claim when it is the first of its endpoint in a while', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url, events: ['hook_note.written'] })
    const stats = async () => (await bench.outbox.stats()).process
    // The first one has the process read the subscriptions.
    await bench.note(orgId, 'first')
    await until(async () => (await entriesOf(orgId)).length === 0 && receiver.requests.length === 1)
    const before = await stats()
    const { id } = await bench.note(orgId, 'second')
    await until(async () => (await statusOf(orgId, id))[0]?.status === 'succeeded')
    const after = await stats()
    expect([after.claimed - before.claimed, after.handedOver - before.handedOver]).toEqual([1, 1])
    const [lane] = await bench.database.many`
      select in_flight, granted from outbox_lanes where org_id = ${orgId} and id = ${endpoint.id}`
    expect(lane).toEqual({ in_flight: 0, granted: 0 })
  })

  test('follows a change of its endpoint that another process made', async () => {
    const orgId = await bench.anOrg()
    const [before, after] = [await aReceiver(), await aReceiver()]
    const endpoint = await bench.anEndpoint(orgId, { url: before.url })
    await warmUp(orgId, endpoint.id)
    // As another process would: nothing here hears of it.
    await bench.database.transaction(async (tx) => {
      await tx.run`update webhook_endpoints set url = ${after.url}, version = version + 1 where id = ${endpoint.id}`
      await tx.run`update event_counters set subscriptions_version = subscriptions_version + 1 where org_id = ${orgId}`
    })
    await bench.note(orgId, 'moved')
    await until(() => textsOf(after.requests).includes('moved'))
    expect(textsOf(before.requests)).not.toContain('moved')
  })

  test('is not sent to an endpoint that is paused in the same moment', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await warmUp(orgId, endpoint.id)
    const [paused] = await Promise.all([
      bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/pause`),
      ...Array.from({ length: 10 }, (_, nth) => bench.note(orgId, `during ${nth}`)),
    ])
    expect(paused.status).toBe(200)
    await until(async () => {
      const leased = await bench.database.many`
        select 1 from outbox_entries where lane_id = ${endpoint.id} and state = 'leased'`
      return leased.length === 0
    })
    const sent = receiver.requests.length
    const after = await Promise.all(Array.from({ length: 10 }, (_, nth) => bench.note(orgId, `after ${nth}`)))
    await until(async () => (await backlogOf(orgId)).length === 0)
    for (const { id } of after) expect((await statusOf(orgId, id))[0].status).toBe('held')
    expect(receiver.requests.length).toBe(sent)
  })
})

test('each event has one delivery for each endpoint while endpoints are created, changed and removed', async () => {
  const orgId = await bench.anOrg()
  const receiver = await aReceiver()
  const first = await bench.anEndpoint(orgId, { url: receiver.url })
  await warmUp(orgId, first.id)
  const events: string[] = []
  const record = async (worker: number) => {
    for (let nth = 0; nth < 25; nth++) events.push((await bench.note(orgId, `${worker} ${nth}`)).id)
  }
  const change = async () => {
    for (let nth = 0; nth < 5; nth++) {
      const { id } = await bench.anEndpoint(orgId, { url: receiver.url })
      await bench.call(orgId, 'PATCH', `/webhook-endpoints/${first.id}`, { json: { description: `change ${nth}` } })
      await bench.call(orgId, 'DELETE', `/webhook-endpoints/${id}`)
    }
  }
  await Promise.all([change(), ...Array.from({ length: 4 }, (_, worker) => record(worker))])
  // What the follower took up in bundles has its deliveries when they have arrived.
  await until(async () => (await backlogOf(orgId)).length === 0 && (await entriesOf(orgId)).length === 0)
  const rows = await bench.database.many<{ event_id: string; count: number }>`
    select event_id, count(*)::int as count from webhook_deliveries
    where org_id = ${orgId} and endpoint_id = ${first.id} and event_id = any(${events}) group by event_id`
  expect(rows.length).toBe(events.length)
  expect(rows.every(({ count }) => count === 1)).toBe(true)
  const lost = await bench.database.many`
    select 1 from webhook_endpoints endpoint join events event on event.org_id = endpoint.org_id
    where endpoint.org_id = ${orgId} and endpoint.deleted_at is null and event.sequence > endpoint.subscribed_after
      and event.type = 'hook_note.written' and not exists (
        select from webhook_deliveries delivery
        where delivery.org_id = ${orgId} and delivery.endpoint_id = endpoint.id and delivery.event_id = event.id)`
  expect(lost).toEqual([])
})

test('a burst travels in bundles when the process knows the subscriptions and holds no slots of the lane', async () => {
  const orgId = await bench.anOrg()
  const [released, held] = [Promise.withResolvers<void>(), { isOn: false }]
  const receiver = await aReceiver(() => (held.isOn ? released.promise.then(() => answer()) : answer()))
  const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
  await warmUp(orgId, endpoint.id)
  // A lane with a low rate is never held.
  await bench.database.run`update outbox_lanes set rate_per_second = 19 where id = ${endpoint.id}`
  await until(() => !bench.outbox.handOver.holds(endpoint.id))
  // Looked at while no answer comes: a bundle that takes too long on a busy machine is dissolved.
  held.isOn = true
  const data = { object: 'hook_note' as const, id: 'one', text: 'burst', author_id: 'a' }
  const events = Array.from({ length: 40 }, () => ({ type: noteWritten, subject: 'one', data }))
  const recorded = await bench.database.transaction((tx) => recordEvents(tx, orgId, events, bench.clock.now()))
  await until(async () => (await entriesOf(orgId)).length > 0 && (await backlogOf(orgId)).length === 0)
  const entries = await bench.database.many<{ job: string; payload: { events?: string[] } }>`
    select job, payload from outbox_entries where org_id = ${orgId}`
  expect(new Set(entries.map(({ job }) => job))).toEqual(new Set([BUNDLE_JOB]))
  expect(entries.length).toBeLessThanOrEqual(10)
  expect(entries.flatMap(({ payload }) => payload.events ?? []).sort()).toEqual(recorded.map(({ id }) => id).sort())
  released.resolve()
  await until(async () => (await entriesOf(orgId)).length === 0)
  for (const { id } of recorded) expect((await statusOf(orgId, id))[0].status).toBe('succeeded')
})

test('a delivery that was handed over and fails is retried by the claim, and the lane is held no longer', async () => {
  const orgId = await bench.anOrg()
  let isFailing = false
  const receiver = await aReceiver(() => (isFailing ? answer(500) : answer()))
  const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
  await warmUp(orgId, endpoint.id)
  isFailing = true
  const event = await bench.note(orgId, 'fails')
  await until(async () => (await statusOf(orgId, event.id))[0].next_attempt_at !== null && receiver.requests.length > 0)
  await until(async () => (await statusOf(orgId, event.id))[0].attempt_count === 1)
  expect(await bench.database.many`select 1 from outbox_grants where lane_id = ${endpoint.id}`).toEqual([])
  const [lane] = await bench.database.many`select in_flight, granted from outbox_lanes where id = ${endpoint.id}`
  expect(lane).toEqual({ in_flight: 0, granted: 0 })
  isFailing = false
  bench.advance(60_000)
  await until(async () => (await statusOf(orgId, event.id))[0].status === 'succeeded')
})
