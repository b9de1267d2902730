import { describe, expect, test } from 'bun:test'
import { quietLog } from '../../../test/support/log.ts'
import { noteReceiver, useRecoveries } from '../../../test/support/recoveries.ts'
import { until, untilLockIsAwaited } from '../../../test/support/until.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { stepRecovery } from '../recovery/recovery.jobs.ts'
import { createDeliveryMetrics } from '../sending/delivery-metrics.ts'
import { disableEndpoints } from '../sending/endpoint-health.ts'
import { continueSettling, SETTLE_JOB, STEP_DELIVERIES } from './backlog.ts'

/** A new order step by step, without a worker: what each step does, and what may happen in between. */
const bench = useRecoveries()

const EVENTS = 2 * STEP_DELIVERIES + 200

type Place = { orgId: OrgId; id: Id<'wep'> }

async function aBacklog(ordering: string, url?: string): Promise<Place> {
  const orgId = await bench.anOrg()
  const { id } = await bench.anEndpoint(orgId, { ordering, ...(url !== undefined && { url }) })
  await bench.events(orgId, EVENTS)
  await bench.fanOut()
  // The ping travels by hand and would be counted as one of a step.
  await bench.database.run`update webhook_deliveries set status = 'succeeded' where org_id = ${orgId} and is_test`
  return { orgId, id }
}

const change = ({ orgId, id }: Place, ordering: string) =>
  bench.call(orgId, 'PATCH', `/webhook-endpoints/${id}`, { json: { ordering } })
const act = ({ orgId, id }: Place, action: string, json?: unknown) =>
  bench.call(orgId, 'POST', `/webhook-endpoints/${id}/${action}`, json === undefined ? {} : { json })
const read = async ({ orgId, id }: Place) => (await bench.call(orgId, 'GET', `/webhook-endpoints/${id}`)).json
const step = ({ orgId, id }: Place) =>
  bench.database.transaction((tx) => continueSettling(tx, orgId, { endpointId: id, now: new Date(bench.clock.now()) }))
const laneState = async ({ id }: Place) =>
  (await bench.database.one<{ state: string }>`select state from outbox_lanes where id = ${id}`).state

/** How many entries have which key. */
async function keysOf({ id }: Place): Promise<Record<string, number>> {
  const rows = await bench.database.many<{ order_key: string; count: number }>`
    select coalesce(order_key, 'none') as order_key, count(*)::int as count
    from outbox_entries where lane_id = ${id} group by order_key`
  return Object.fromEntries(rows.map(({ order_key, count }) => [order_key, count]))
}

describe('another order for a long backlog', () => {
  test('is answered after one bounded step, and nothing is sent until all of it is in the new order', async () => {
    const place = await aBacklog('none')
    const { status, json } = await change(place, 'strict')
    expect([status, json.ordering, json.health.blocked_reason]).toEqual([200, 'strict', 'endpoint_reordering'])
    expect(await keysOf(place)).toEqual({ strict: STEP_DELIVERIES, none: EVENTS - STEP_DELIVERIES })
    expect(await laneState(place)).toBe('paused')
    await bench.events(place.orgId, 3)
    await bench.fanOut()
    expect(await keysOf(place)).toEqual({ strict: STEP_DELIVERIES + 3, none: EVENTS - STEP_DELIVERIES })
    expect((await step(place)).isDone).toBe(false)
    expect(await keysOf(place)).toEqual({ strict: 2 * STEP_DELIVERIES + 3, none: EVENTS - 2 * STEP_DELIVERIES })
    expect([(await step(place)).isDone, await laneState(place)]).toEqual([true, 'open'])
    expect(await keysOf(place)).toEqual({ strict: EVENTS + 3 })
    expect((await read(place)).health.blocked_reason).toBeNull()
  })

  test('of a short one is there when the request is answered, and nothing is said to wait', async () => {
    const orgId = await bench.anOrg()
    const { id } = await bench.anEndpoint(orgId)
    const { json } = await change({ orgId, id }, 'strict')
    expect([json.ordering, json.health.blocked_reason]).toEqual(['strict', null])
  })

  test('goes on in another process and then sends from the oldest on', async () => {
    const receiver = await noteReceiver()
    const place = await aBacklog('none', receiver.url)
    await change(place, 'strict')
    const worker = await bench.startWorker()
    await until(() => receiver.ids().length >= 40)
    await worker.stop()
    const oldest = await bench.database.many<{ id: string }>`
      select id from events where org_id = ${place.orgId} and type like 'hook_note.%' order by sequence limit 40`
    expect(receiver.ids().slice(0, 40)).toEqual(oldest.map(({ id }) => id))
    await receiver.stop()
  })

  test.each(['by_key', 'none'])('from strict to %s frees what stood behind', async (ordering) => {
    const place = await aBacklog('strict')
    await bench.database.run`update outbox_entries set state = 'behind' where lane_id = ${place.id} and position > 60`
    await change(place, ordering)
    for (let isDone = false; !isDone; ) ({ isDone } = await step(place))
    const keys = await keysOf(place)
    expect(Object.keys(keys)).toHaveLength(ordering === 'none' ? 1 : 50)
    expect(Object.values(keys).reduce((sum, count) => sum + count, 0)).toBe(EVENTS)
    const lane = await bench.database.one<{ ordering: string; behind: number }>`
      select ordering, (select count(*)::int from outbox_entries where lane_id = ${place.id} and state = 'behind') as behind
      from outbox_lanes where id = ${place.id}`
    expect(lane).toEqual({ ordering, behind: 0 })
  })

  test.each([
    ['none', 'strict', 1],
    ['strict', 'by_key', 50],
    ['by_key', 'strict', 1],
  ])('from %s to %s is that of what a recovery sends again, too', async (before, after, keys) => {
    const place = await aBacklog(before)
    await bench.endDeliveries(place.orgId, place.id, 'succeeded', null)
    const json = { since: new Date(bench.clock.now() - 3_600_000).toISOString(), mode: 'all' }
    const { json: recovery } = await act(place, 'recover', json)
    while ((await stepRecovery(bench.context, place.orgId, recovery.id)).next === 'more');
    const waiting = Object.values(await keysOf(place)).reduce((sum, count) => sum + count, 0)
    expect(waiting).toBeGreaterThan(STEP_DELIVERIES)
    await change(place, after)
    expect(await laneState(place)).toBe('paused')
    while (!(await step(place)).isDone);
    const counts = await keysOf(place)
    expect([await laneState(place), Object.keys(counts).length]).toEqual(['open', keys])
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(waiting)
    expect(counts).not.toHaveProperty(before)
  })

  test('is left to a process that knows of it by one of an earlier version', async () => {
    const place = await aBacklog('none')
    await change(place, 'strict')
    const jobs = await bench.database.many<{
      job: string
    }>`select job from outbox_entries where lane_id = ${`${place.orgId}:webhooks`}`
    // What an earlier version knows as this ends, as it sees nothing to do.
    expect(jobs.map(({ job }) => job)).not.toContain(SETTLE_JOB)
    const worker = await bench.startWorker()
    await until(async () => (await laneState(place)) === 'open')
    await worker.stop()
  })

  test('is not cut short by a pause and a resume', async () => {
    const place = await aBacklog('none')
    await change(place, 'strict')
    await act(place, 'pause')
    await act(place, 'resume', { mode: 'recover_held' })
    expect([await laneState(place), (await keysOf(place)).none]).toEqual(['paused', EVENTS - 2 * STEP_DELIVERIES])
    while (!(await step(place)).isDone);
    expect([await laneState(place), await keysOf(place)]).toEqual(['open', { strict: EVENTS }])
  })

  test('leaves an endpoint that was paused meanwhile paused', async () => {
    const place = await aBacklog('none')
    await change(place, 'strict')
    await act(place, 'pause')
    while (!(await step(place)).isDone);
    expect([await laneState(place), await keysOf(place)]).toEqual(['paused', { strict: EVENTS }])
  })

  test('leaves an endpoint still that is disabled in the moment of the last step', async () => {
    const place = await aBacklog('none')
    await change(place, 'strict')
    await step(place)
    const options = { clock: bench.clock, log: quietLog, metrics: createDeliveryMetrics() }
    const disabling = { orgId: place.orgId, endpointId: place.id, reason: 'receiver_wish' as const }
    // An acknowledgement has the lane, and the step stands behind it.
    const last = await bench.database.transaction(async (tx) => {
      await disableEndpoints(options, tx, [disabling], { events: new Map(), laneIds: [] })
      const stepping = step(place)
      await untilLockIsAwaited(bench.database)
      return { stepping }
    })
    expect((await last.stepping).isDone).toBe(true)
    expect([(await read(place)).state, await laneState(place)]).toEqual(['disabled', 'paused'])
    expect(await keysOf(place)).toEqual({ strict: EVENTS })
  })

  test('that is reverted half-way leaves all in the old order', async () => {
    const place = await aBacklog('none')
    await change(place, 'strict')
    await change(place, 'none')
    while (!(await step(place)).isDone);
    expect([await laneState(place), await keysOf(place)]).toEqual(['open', { none: EVENTS }])
  })

  test('leaves an open breaker open', async () => {
    const place = await aBacklog('none')
    await bench.database.run`update outbox_lanes set breaker = 'open', slots = 1 where id = ${place.id}`
    await change(place, 'strict')
    while (!(await step(place)).isDone);
    expect((await read(place)).health.breaker).toBe('open')
  })

  test('ends with the endpoint when it is deleted', async () => {
    const place = await aBacklog('none')
    await change(place, 'strict')
    await bench.call(place.orgId, 'DELETE', `/webhook-endpoints/${place.id}`)
    while (!(await step(place)).isDone);
    expect(await step(place)).toMatchObject({ isDone: true })
    expect(await bench.statuses(place.orgId, place.id)).toEqual({ cancelled: EVENTS })
  })

  test('is what explain says an event waits for', async () => {
    const place = await aBacklog('none')
    const [event] = await bench.database.many<{ id: string }>`
      select id from events where org_id = ${place.orgId} and type like 'hook_note.%' order by sequence limit 1`
    await change(place, 'strict')
    const { json } = await bench.call(place.orgId, 'GET', `/events/${event?.id}/explain?endpoint=${place.id}`)
    const says =
      'It was not attempted yet. The ordering of the endpoint was changed, and pending deliveries are sorted first.'
    expect(json.stories[0]).toMatchObject({ verdict: 'pending', says, next_step: null })
  })
})
