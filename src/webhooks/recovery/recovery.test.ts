import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { noteReceiver, useRecoveries } from '../../../test/support/recoveries.ts'
import { until } from '../../../test/support/until.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { updateLane } from '../../platform/outbox/lanes.ts'

/** Recoveries as they run: through the API, with workers that really send. */
const bench = useRecoveries()
const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})
const workers: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const running of workers.splice(0)) await running.stop()
})

async function receiver(answer?: Parameters<typeof noteReceiver>[0]) {
  const started = await noteReceiver(answer)
  closers.push(started.stop)
  return started
}

async function worker() {
  const started = await bench.startWorker()
  workers.push(started)
  return started
}

const HOUR_AGO = () => new Date(Date.now() - 3_600_000).toISOString()

const recover = (orgId: OrgId, endpointId: string, fields: Record<string, unknown> = {}) =>
  bench.call(orgId, 'POST', `/webhook-endpoints/${endpointId}/recover`, { json: { since: HOUR_AGO(), ...fields } })

const read = async (orgId: OrgId, { endpoint_id, id }: { endpoint_id: string; id: string }) =>
  (await bench.call(orgId, 'GET', `/webhook-endpoints/${endpoint_id}/recoveries/${id}`)).json

async function untilFinished(orgId: OrgId, recovery: { endpoint_id: string; id: string }) {
  await until(async () => (await read(orgId, recovery)).finished_at !== null)
  return read(orgId, recovery)
}

/** The cap is tested separately; where many have to go through, it is lifted. */
const liftCap = (orgId: OrgId, endpointId: Id<'wep'>) =>
  bench.database.transaction((tx) =>
    updateLane(
      tx,
      { orgId, id: endpointId },
      { concurrencyMax: 64, bulkConcurrencyMax: 64, isAdaptive: false },
      new Date(bench.clock.now()),
    ),
  )

describe('a recovery of what failed', () => {
  test('sends page after page, each once, the same bytes under the same id, and does what its dry run said', async () => {
    const orgId = await bench.anOrg()
    const target = await receiver()
    const endpoint = await bench.anEndpoint(orgId, { url: target.url })
    const ids = await bench.events(orgId, 1200)
    await bench.fanOut()
    await bench.endDeliveries(orgId, endpoint.id)
    await liftCap(orgId, endpoint.id)
    const dry = await recover(orgId, endpoint.id, { dry_run: true })
    expect([dry.status, dry.json.object, dry.json.total, dry.json.is_exact]).toEqual([
      200,
      'webhook_recovery_estimate',
      1200,
      true,
    ])
    expect(await bench.statuses(orgId, endpoint.id)).toEqual({ failed: 1200 })

    const started = await recover(orgId, endpoint.id)
    expect([started.status, started.json.status, started.json.progress.total]).toEqual([202, 'counting', null])
    expect(started.headers.get('location')).toBe(
      `/api/public/v1/webhook-endpoints/${endpoint.id}/recoveries/${started.json.id}`,
    )
    await worker()
    const finished = await untilFinished(orgId, started.json)
    expect(finished).toMatchObject({ status: 'completed', progress: { total: 1200, done: 1200, queued: 0 } })
    expect(finished.counts.map(({ type, total }: { type: string; total: number }) => ({ type, total }))).toEqual(
      dry.json.counts,
    )
    expect(finished.counts).toEqual([
      { type: 'hook_note.erased', total: 300, done: 300 },
      { type: 'hook_note.written', total: 900, done: 900 },
    ])
    await until(async () => (await bench.statuses(orgId, endpoint.id)).succeeded === 1200)
    expect(target.ids().length).toBe(1200)
    expect(target.ids().toSorted()).toEqual(ids.toSorted())
    const stored = await bench.database.many<{ id: string; body: string }>`
      select id, body from events where org_id = ${orgId}`
    const bodies = new Map(stored.map(({ id, body }) => [id, body]))
    const differing = target.received.filter(
      ({ headers, body }) => bodies.get(String(headers['webhook-id'])) !== body.toString(),
    )
    expect(differing).toEqual([])
  })

  test('is recorded as such on every attempt, with the number that follows the earlier ones', async () => {
    const orgId = await bench.anOrg()
    const target = await receiver()
    const endpoint = await bench.anEndpoint(orgId, { url: target.url })
    const [eventId] = (await bench.events(orgId, 1)) as [Id<'evt'>]
    await bench.fanOut()
    await bench.endDeliveries(orgId, endpoint.id)
    const started = await recover(orgId, endpoint.id)
    await worker()
    await untilFinished(orgId, started.json)
    // A recovery ends when all of it was tried, which includes what is in flight.
    await until(async () => (await bench.statuses(orgId, endpoint.id)).succeeded === 1)
    const delivery = await bench.call(orgId, 'GET', `/deliveries/${bench.deliveryId(eventId, endpoint.id)}`)
    expect(delivery.json).toMatchObject({ status: 'succeeded', attempt_count: 13 })
    expect(delivery.json.attempts).toMatchObject([{ trigger: 'recover', number: 13, outcome: 'succeeded' }])
  })

  test('never has more in flight than the cap of its class, and lets new events go first', async () => {
    const orgId = await bench.anOrg()
    const gate = Promise.withResolvers<void>()
    let [now, most] = [0, 0]
    const target = await receiver(async () => {
      now += 1
      most = Math.max(most, now)
      await gate.promise
      await new Promise((resolve) => setTimeout(resolve, 2))
      now -= 1
      return 200
    })
    const endpoint = await bench.anEndpoint(orgId, { url: target.url })
    const ids = await bench.events(orgId, 40)
    await bench.fanOut()
    await bench.endDeliveries(orgId, endpoint.id)
    await bench.database.transaction((tx) =>
      updateLane(
        tx,
        { orgId, id: endpoint.id },
        { concurrencyMax: 8, bulkConcurrencyMax: 2, isAdaptive: false },
        new Date(bench.clock.now()),
      ),
    )
    const started = await recover(orgId, endpoint.id)
    await worker()
    await until(async () => (await read(orgId, started.json)).progress.done === 40)
    await until(() => now === 2)
    const [fresh] = (await bench.events(orgId, 1)) as [Id<'evt'>]
    // Both slots of recovery hang, and yet what is new is sent.
    await until(() => target.ids().includes(fresh))
    gate.resolve()
    await untilFinished(orgId, started.json)
    expect(most).toBe(3)
    expect(target.ids().toSorted()).toEqual([...ids, fresh].toSorted())
  })

  test('brings forward what waits for its next attempt', async () => {
    const orgId = await bench.anOrg()
    let status = 500
    const target = await receiver(() => status)
    const endpoint = await bench.anEndpoint(orgId, { url: target.url, retry_delays_seconds: [86_400] })
    await bench.events(orgId, 1)
    await worker()
    await until(() => target.ids().length === 1)
    await until(
      async () => (await bench.call(orgId, 'GET', '/deliveries?status=pending')).json.data[0]?.attempt_count === 1,
    )
    status = 200
    const started = await recover(orgId, endpoint.id)
    await untilFinished(orgId, started.json)
    await until(async () => (await bench.statuses(orgId, endpoint.id)).succeeded === 1)
    expect(target.ids().length).toBe(2)
  })

  test('is done by whichever worker is there when one stops in the middle', async () => {
    const orgId = await bench.anOrg()
    const target = await receiver()
    const endpoint = await bench.anEndpoint(orgId, { url: target.url })
    const ids = await bench.events(orgId, 700)
    await bench.fanOut()
    await bench.endDeliveries(orgId, endpoint.id)
    await liftCap(orgId, endpoint.id)
    const started = await recover(orgId, endpoint.id)
    const first = await worker()
    await until(() => target.ids().length > 100)
    await first.stop()
    expect((await read(orgId, started.json)).finished_at).toBeNull()
    await worker()
    const finished = await untilFinished(orgId, started.json)
    expect(finished.progress).toEqual({ total: 700, done: 700, queued: 0 })
    // The last ones are under way when nothing waits any more.
    await until(() => target.ids().length >= ids.length)
    expect(target.ids().toSorted()).toEqual(ids.toSorted())
  })
})

test('a recovery ends with an endpoint that says it is gone, and is not called completed', async () => {
  const orgId = await bench.anOrg()
  const target = await receiver(() => 410)
  const endpoint = await bench.anEndpoint(orgId, { url: target.url })
  await bench.events(orgId, 40)
  await bench.fanOut()
  await bench.endDeliveries(orgId, endpoint.id)
  const started = await recover(orgId, endpoint.id)
  await worker()
  const finished = await untilFinished(orgId, started.json)
  expect(finished).toMatchObject({ status: 'cancelled', reason: 'endpoint_disabled' })
  expect(finished.progress).toMatchObject({ total: 40, queued: 0 })
  expect(finished.progress.done).toBeLessThan(40)
  await until(() => target.ids().length === finished.progress.done)
})

test('what a recovery repeats goes with an endpoint that says it is gone, and does not come when that is resumed', async () => {
  const orgId = await bench.anOrg()
  const target = await receiver((_, nth) => (nth <= 2 ? 500 : 410))
  const endpoint = await bench.anEndpoint(orgId, { url: target.url })
  await bench.events(orgId, 40)
  await bench.fanOut()
  await bench.endDeliveries(orgId, endpoint.id, 'succeeded', null)
  const started = await recover(orgId, endpoint.id, { mode: 'all' })
  await worker()
  expect(await untilFinished(orgId, started.json)).toMatchObject({ status: 'cancelled', reason: 'endpoint_disabled' })
  const left = () => bench.database.many`select id from outbox_entries where lane_id = ${endpoint.id}`
  await until(async () => (await left()).length === 0)
  expect(target.ids().length).toBeLessThan(40)
  expect(await bench.statuses(orgId, endpoint.id)).toEqual({ succeeded: 40 })
})

describe('other modes', () => {
  test('missing sends what matches the subscription and has no delivery, and finds nothing the second time', async () => {
    const orgId = await bench.anOrg()
    const target = await receiver()
    const ids = await bench.events(orgId, 8)
    const endpoint = await bench.anEndpoint(orgId, { url: target.url, events: ['hook_note.written', 'endpoint.*'] })
    await bench.fanOut()
    const started = await recover(orgId, endpoint.id, { mode: 'missing' })
    await worker()
    const finished = await untilFinished(orgId, started.json)
    await until(async () => (await bench.statuses(orgId, endpoint.id)).succeeded === 6)
    // Six of eight notes were written, two erased; and the events about the endpoint itself are not for it.
    expect(finished.counts).toEqual([{ type: 'hook_note.written', total: 6, done: 6 }])
    expect(target.ids().toSorted()).toEqual(ids.filter((_, index) => index % 4 !== 3).toSorted())
    expect((await recover(orgId, endpoint.id, { mode: 'missing', dry_run: true })).json.total).toBe(0)
  })

  test('missing leaves alone what fan-out has not come to', async () => {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId)
    await bench.events(orgId, 4)
    expect((await recover(orgId, endpoint.id, { mode: 'missing', dry_run: true })).json.total).toBe(0)
  })

  test('held sends what was skipped when the endpoint was resumed from now', async () => {
    const orgId = await bench.anOrg()
    const target = await receiver()
    const endpoint = await bench.anEndpoint(orgId, { url: target.url })
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/pause`)
    const ids = await bench.events(orgId, 5)
    await bench.fanOut()
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/resume`, { json: { mode: 'from_now' } })
    expect(await bench.statuses(orgId, endpoint.id)).toEqual({ skipped: 5 })
    const started = await recover(orgId, endpoint.id, { mode: 'held' })
    await worker()
    await untilFinished(orgId, started.json)
    expect(target.ids().toSorted()).toEqual(ids.toSorted())
  })

  test('all sends again what arrived, and a failure of the repeat leaves it a success', async () => {
    const orgId = await bench.anOrg()
    const target = await receiver(() => 500)
    const endpoint = await bench.anEndpoint(orgId, { url: target.url })
    const ids = await bench.events(orgId, 3)
    await bench.fanOut()
    await bench.endDeliveries(orgId, endpoint.id, 'succeeded', null)
    expect((await recover(orgId, endpoint.id, { dry_run: true })).json.total).toBe(0)
    const started = await recover(orgId, endpoint.id, { mode: 'all' })
    await worker()
    const finished = await untilFinished(orgId, started.json)
    expect(finished.progress.total).toBe(3)
    expect(target.ids().toSorted()).toEqual(ids.toSorted())
    expect(await bench.statuses(orgId, endpoint.id)).toEqual({ succeeded: 3 })
  })

  test('types, statuses and the window narrow it down', async () => {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId)
    await bench.events(orgId, 8)
    await bench.fanOut()
    await bench.endDeliveries(orgId, endpoint.id)
    const total = async (fields: Record<string, unknown>) =>
      (await recover(orgId, endpoint.id, { dry_run: true, ...fields })).json.total
    expect(await total({ types: ['hook_note.erased'] })).toBe(2)
    expect(await total({ types: ['hook_note.*'] })).toBe(8)
    expect(await total({ status: 'cancelled' })).toBe(0)
    expect(await total({ status: ['cancelled', 'failed'] })).toBe(8)
    expect(await total({ until: new Date(Date.now() - 1_800_000).toISOString() })).toBe(0)
    expect(await total({ mode: 'held' })).toBe(0)
    expect(await total({ mode: 'all' })).toBe(8)
  })
})

describe('a recovery of everything', () => {
  test('leaves out events from before the endpoint was created when include_before_creation is not given', async () => {
    const orgId = await bench.anOrg()
    await bench.events(orgId, 3)
    const target = await receiver()
    const endpoint = await bench.anEndpoint(orgId, { url: target.url })
    const ids = await bench.events(orgId, 2)
    await bench.fanOut()
    await bench.endDeliveries(orgId, endpoint.id)
    const total = async (fields: Record<string, unknown>) =>
      (await recover(orgId, endpoint.id, { dry_run: true, types: ['hook_note.*'], ...fields })).json.total
    expect(await total({ mode: 'all' })).toBe(2)
    expect(await total({ mode: 'all', include_before_creation: true })).toBe(5)
    expect(await total({ mode: 'missing' })).toBe(3)
    await worker()
    const started = await recover(orgId, endpoint.id, { mode: 'all', types: ['hook_note.*'] })
    expect(started.json.include_before_creation).toBe(false)
    await untilFinished(orgId, started.json)
    expect(target.ids().toSorted()).toEqual(ids.toSorted())
  })
})

describe('delivery.recovered', () => {
  const recovered = (orgId: OrgId) => bench.database.many<{ body: string }>`
    select body from events where org_id = ${orgId} and type = 'delivery.recovered'`

  test('is recorded for each that had failed and now arrived, not for what is merely sent once more', async () => {
    const orgId = await bench.anOrg()
    const target = await receiver()
    const endpoint = await bench.anEndpoint(orgId, { url: target.url })
    const ids = await bench.events(orgId, 3)
    await bench.fanOut()
    await bench.endDeliveries(orgId, endpoint.id)
    await worker()
    const started = await recover(orgId, endpoint.id)
    await untilFinished(orgId, started.json)
    const events = (await recovered(orgId)).map(({ body }) => JSON.parse(body).data)
    expect(events.map((delivery) => delivery.event_id).toSorted()).toEqual(ids.toSorted())
    expect(events).toMatchObject(ids.map(() => ({ status: 'succeeded', attempt_count: 13 })))

    const again = await recover(orgId, endpoint.id, { mode: 'all', types: ['hook_note.*'] })
    await untilFinished(orgId, again.json)
    expect(target.ids().length).toBe(6)
    expect((await recovered(orgId)).length).toBe(3)
  })

  test('is not recorded for what was held and never failed', async () => {
    const orgId = await bench.anOrg()
    const target = await receiver()
    const endpoint = await bench.anEndpoint(orgId, { url: target.url })
    await bench.events(orgId, 2)
    await bench.fanOut()
    await bench.endDeliveries(orgId, endpoint.id, 'skipped', 'resumed_from_now')
    await worker()
    const started = await recover(orgId, endpoint.id)
    await untilFinished(orgId, started.json)
    expect([target.ids().length, await recovered(orgId)]).toEqual([2, []])
  })
})
