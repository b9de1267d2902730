import { describe, expect, test } from 'bun:test'
import { onOnePostgres } from '../../../test/support/cluster.ts'
import { answer } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'
import { type Json, textsOf, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import { firstIdAt, newId, type OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { insertAttempts } from '../sending/results.sql.ts'
import { type AttemptRow, listAttempts } from './attempts.sql.ts'
import { type DeliveryQuery, listDeliveries } from './delivery-log.ts'

const bench = useWebhooks()
const aReceiver = useReceivers()

const list = async (orgId: OrgId, query = '') => (await bench.call(orgId, 'GET', `/deliveries${query}`)).json
const idsOf = (page: Json): string[] => page.data.map((delivery: Json) => delivery.id)
const eventsOf = (page: Json): string[] => page.data.map((delivery: Json) => delivery.event_id)

describe('the list', () => {
  test('is newest first and pages by cursor without a gap or a double', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    await bench.anEndpoint(orgId, { url: receiver.url })
    const events = await bench.notes(orgId, 5)
    await until(() => receiver.requests.length === 5)
    const first = await list(orgId, '?limit=3')
    const rest = await list(orgId, `?limit=3&cursor=${first.next_cursor}`)
    expect([...eventsOf(first), ...eventsOf(rest)]).toEqual(events.toReversed())
    expect([first.has_more, rest.has_more]).toEqual([true, false])
    expect((await bench.call(orgId, 'GET', `/deliveries?limit=3&type=a.b&cursor=${first.next_cursor}`)).status).toBe(
      400,
    )
  })

  test('filters by endpoint, event, type, status and time', async () => {
    const orgId = await bench.anOrg()
    const [good, bad] = [await aReceiver(), await aReceiver(() => answer(500))]
    const healthy = await bench.anEndpoint(orgId, { url: good.url })
    const failing = await bench.anEndpoint(orgId, { url: bad.url })
    const [one, two] = await bench.notes(orgId, 2)
    await until(async () => {
      const { data } = await list(orgId)
      return data.length === 4 && data.every((delivery: Json) => delivery.attempt_count === 1)
    })
    expect(eventsOf(await list(orgId, `?endpoint=${healthy.id}`))).toEqual([two, one] as string[])
    const ofOne = await list(orgId, `?event=${one}`)
    expect(ofOne.data.map((delivery: Json) => delivery.endpoint_id).sort()).toEqual([healthy.id, failing.id].sort())
    const pending = await list(orgId, '?status=pending,failed')
    expect(pending.data.map((delivery: Json) => delivery.endpoint_id)).toEqual([failing.id, failing.id])
    expect(idsOf(await list(orgId, `?status=pending&endpoint=${failing.id}`))).toEqual(idsOf(pending))
    expect(idsOf(await list(orgId, `?status=pending&endpoint=${healthy.id}`))).toEqual([])
    expect((await list(orgId, '?status=succeeded')).data).toHaveLength(2)
    expect((await list(orgId, '?type=hook_note.written')).data).toHaveLength(4)
    expect((await list(orgId, '?type=hook_note.erased')).data).toHaveLength(0)
    const later = new Date(bench.clock.now() + 1000).toISOString()
    expect((await list(orgId, `?since=${later}`)).data).toHaveLength(0)
    expect((await list(orgId, `?since=${new Date(bench.clock.now() - 60_000).toISOString()}`)).data).toHaveLength(4)
    expect((await list(orgId, '?since=0001-01-01T00:00:00Z')).data).toHaveLength(4)
  })

  test('answers 400 to a type that no event has, with the one most likely meant', async () => {
    const reply = await bench.call(await bench.anOrg(), 'GET', '/deliveries?type=hook_note.writen')
    expect(reply.status).toBe(400)
    expect(JSON.stringify(reply.json)).toContain('did you mean \\"hook_note.written\\"?')
  })

  test('and its deliveries are hidden from other organizations', async () => {
    const [owner, otherOrg] = [await bench.anOrg(), await bench.anOrg()]
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(owner, { url: receiver.url })
    const event = await bench.note(owner, 'mine')
    await until(() => receiver.requests.length === 1)
    const [id] = idsOf(await list(owner))
    expect(idsOf(await list(otherOrg, `?endpoint=${endpoint.id}`))).toEqual([])
    expect(idsOf(await list(otherOrg, `?event=${event.id}`))).toEqual([])
    expect((await bench.call(otherOrg, 'GET', `/deliveries/${id}`)).status).toBe(404)
    expect((await bench.call(otherOrg, 'POST', `/deliveries/${id}/resend`)).status).toBe(404)
    await bench.claimsPass()
    expect(receiver.requests).toHaveLength(1)
  })
})

/** Deliveries of one moment, to two endpoints in turn: nearly all alike, and arrived. The oldest few are not. */
async function aLongLog(orgId: OrgId, endpointIds: readonly string[], size: number): Promise<void> {
  const first = firstIdAt('dlv', new Date(bench.clock.now()))
  await bench.database.run`
    insert into webhook_deliveries (org_id, id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status,
      created_at)
    select ${orgId}, left(${first}, 14) || lpad(nth::text, 16, '0'), (${endpointIds}::text[])[1 + nth % 2],
      ${newId('evt')}, case when nth = 11 then 'hook_note.erased' else 'hook_note.written' end, 'n', nth, nth = 12, false,
      case when nth = 13 then 'skipped' when nth % 10 = 0 then 'failed' else 'succeeded' end, now()
    from generate_series(1, ${size}::int) as nth`
  await bench.database.script('analyze webhook_deliveries')
}

/** Rows of deliveries that this transaction has fetched, by whatever way. */
const rowsFetched = async (tx: Queries) =>
  (
    await tx.one<{ count: number }>`
      select sum(pg_stat_get_xact_tuples_returned(inhrelid) + pg_stat_get_xact_tuples_fetched(inhrelid))::int as count
      from pg_inherits where inhparent = 'webhook_deliveries'::regclass`
  ).count

const onOneNode = onOnePostgres('counts rows of one node, and Citus has no generic plan for every list')
onOneNode('what is rare in a long log is found without fetching all that is not', async () => {
  const orgId = await bench.anOrg()
  const fields = { url: 'https://shop.example.com/hooks', events: ['hook_note.erased'] }
  const endpointIds = [(await bench.anEndpoint(orgId, fields)).id, (await bench.anEndpoint(orgId, fields)).id]
  const [endpointId] = endpointIds
  await aLongLog(orgId, endpointIds, 15_000)
  for (const mode of ['force_generic_plan', 'force_custom_plan'])
    for (const [query, sequences] of [
      [{ type: 'hook_note.erased', isTest: false }, [11]],
      [{ type: 'chat.created', isTest: false }, []],
      [{ type: 'chat.created', isTest: false, endpointId }, []],
      [{ type: 'hook_note.written', isTest: true }, [12]],
      [{ type: 'hook_note.written', isTest: true, endpointId, statuses: ['succeeded'] }, [12]],
      [{ statuses: ['skipped'], isTest: false }, [13]],
      [{ statuses: ['held'], isTest: false }, []],
    ] satisfies [Omit<DeliveryQuery, 'limit'>, number[]][]) {
      const { found, fetched } = await bench.database.transaction(async (tx) => {
        await tx.script(`set local plan_cache_mode to ${mode}`)
        const before = await rowsFetched(tx)
        const rows = await listDeliveries(tx, orgId, { ...query, limit: 10 })
        return { found: rows.map(({ sequence }) => sequence), fetched: (await rowsFetched(tx)) - before }
      })
      expect([query, found]).toEqual([query, sequences])
      expect([query, fetched < 5_100]).toEqual([query, true])
    }
})

describe('a delivery', () => {
  test('that is being sent is in flight', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => null)
    await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'hangs')
    await until(() => receiver.requests.length === 1)
    const [listed] = (await list(orgId, '?status=pending')).data
    expect(listed.status).toBe('in_flight')
    expect((await bench.call(orgId, 'GET', `/deliveries/${listed.id}`)).json).toEqual({ ...listed, attempts: [] })
    receiver.stop()
  })

  test('that waits for a retry is held while its endpoint is paused, and pending before and after', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(500))
    const other = await bench.anEndpoint(orgId, { url: receiver.url })
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'retried')
    await until(
      async () => (await list(orgId)).data.filter((delivery: Json) => delivery.attempt_count === 1).length === 2,
    )
    const whose = async (status: string) =>
      (await list(orgId, `?status=${status}`)).data.map((delivery: Json) => delivery.endpoint_id).toSorted()
    const both = [other.id, endpoint.id].toSorted()
    expect([await whose('pending'), await whose('held')]).toEqual([both, []])
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/pause`)
    expect([await whose('pending'), await whose('held')]).toEqual([[other.id], [endpoint.id]])
    expect([await whose('pending,held'), await whose('held,failed')]).toEqual([both, [endpoint.id]])
    const [held] = (await list(orgId, `?status=held&endpoint=${endpoint.id}`)).data
    expect(held).toMatchObject({ status: 'held', reason: 'endpoint_paused', next_attempt_at: null })
    const { attempts, ...one } = (await bench.call(orgId, 'GET', `/deliveries/${held.id}`)).json
    expect([attempts.length, one]).toEqual([1, held])
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/resume`, { json: {} })
    await until(async () => (await whose('pending')).length === 2)
    expect((await bench.call(orgId, 'GET', `/deliveries/${held.id}`)).json.next_attempt_at).not.toBeNull()
  })

  test('in flight when its endpoint is paused is in flight', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => null)
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'hangs')
    await until(() => receiver.requests.length === 1)
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/pause`)
    const [listed] = (await list(orgId, '?status=held')).data
    expect(listed.status).toBe('in_flight')
    expect((await bench.call(orgId, 'GET', `/deliveries/${listed.id}`)).json.status).toBe('in_flight')
    receiver.stop()
  })

  test('with more attempts than are shown shows the newest, oldest first', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(500))
    await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'often')
    await until(async () => (await list(orgId)).data[0]?.attempt_count === 1)
    const [id] = idsOf(await list(orgId))
    const find = { deliveryId: String(id), fromId: '', limit: 1 }
    const [first] = (await listAttempts(bench.database, orgId, find)) as [AttemptRow]
    const later = Array.from({ length: 104 }, (_, index) => {
      const startedMs = first.started_at.getTime() + 1000 * (index + 1)
      return { ...first, id: newId('att', startedMs), number: index + 2, started_at: new Date(startedMs) }
    })
    await bench.database.transaction((tx) => insertAttempts(tx, orgId, later))
    const { attempts } = (await bench.call(orgId, 'GET', `/deliveries/${id}`)).json
    expect(attempts.map(({ number }: Json) => number)).toEqual(Array.from({ length: 100 }, (_, index) => index + 6))
  })

  test('is never shown with an attempt but without what the attempt did to it', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(500))
    await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'seen')
    await until(async () => (await list(orgId)).data[0]?.attempt_count === 1)
    const [id] = idsOf(await list(orgId)) as [string]
    const [first] = (await listAttempts(bench.database, orgId, { deliveryId: id, fromId: '', limit: 1 })) as [
      AttemptRow,
    ]
    const watcher = await bench.database.reserve()
    const isReaderWaiting = async () =>
      (await watcher.many`select 1 from pg_locks where relation = 'webhook_attempts'::regclass and not granted`)
        .length > 0
    const { reading } = await bench.database.transaction(async (tx) => {
      await tx.run`lock table webhook_attempts in access exclusive mode`
      const reply = bench.call(orgId, 'GET', `/deliveries/${id}`)
      await until(isReaderWaiting)
      await insertAttempts(tx, orgId, [{ ...first, id: newId('att'), number: 2 }])
      await tx.run`update webhook_deliveries set status = 'succeeded' where org_id = ${orgId} and id = ${id}`
      return { reading: reply }
    })
    watcher.release()
    const { status, attempts } = (await reading).json
    expect([status, attempts.length]).toEqual(['pending', 1])
  })
})

describe('a resend', () => {
  test('sends the same bytes under the same id once more, and its success cancels the pending retry', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((_, nth) => answer(nth === 1 ? 500 : 200))
    await bench.anEndpoint(orgId, { url: receiver.url })
    const event = await bench.note(orgId, 'again')
    await until(async () => (await list(orgId)).data[0]?.attempt_count === 1)
    const [id] = idsOf(await list(orgId))
    const reply = await bench.call(orgId, 'POST', `/deliveries/${id}/resend`)
    expect([reply.status, reply.json.delivery_id, reply.json.event_id]).toEqual([202, id, event.id])
    await until(async () => (await list(orgId)).data[0].status === 'succeeded')
    const { json } = await bench.call(orgId, 'GET', `/deliveries/${id}`)
    expect(json.next_attempt_at).toBeNull()
    expect(
      json.attempts.map(({ id: attempt, number, trigger, outcome }: Json) => [
        attempt === reply.json.attempt_id,
        number,
        trigger,
        outcome,
      ]),
    ).toEqual([
      [false, 1, 'auto', 'failed'],
      [true, 2, 'manual', 'succeeded'],
    ])
    bench.advance(60_000)
    await bench.claimsPass()
    expect(receiver.requests).toHaveLength(2)
    expect(receiver.requests[1]?.body).toEqual(receiver.requests[0]?.body as Buffer)
    expect(receiver.requests[1]?.headers['webhook-id']).toBe(event.id)
  })

  test('that fails neither uses up nor resets the automatic attempts', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(500))
    await bench.anEndpoint(orgId, { url: receiver.url, retry_delays_seconds: [100, 100] })
    await bench.note(orgId, 'never')
    await until(async () => (await list(orgId)).data[0]?.attempt_count === 1)
    const [before] = (await list(orgId)).data
    await bench.call(orgId, 'POST', `/deliveries/${before.id}/resend`)
    await until(async () => (await list(orgId)).data[0].attempt_count === 2)
    const [after] = (await list(orgId)).data
    expect(after).toMatchObject({ status: 'pending', next_attempt_at: before.next_attempt_at })
    for (const attempts of [3, 4]) {
      bench.advance(121_000)
      await until(async () => (await list(orgId)).data[0].attempt_count === attempts)
    }
    expect((await list(orgId)).data[0]).toMatchObject({ status: 'failed', reason: 'exhausted' })
    const { json } = await bench.call(orgId, 'GET', `/deliveries/${before.id}`)
    expect(json.attempts.map(({ trigger }: Json) => trigger)).toEqual(['auto', 'manual', 'auto', 'auto'])
    expect(json.attempts.map(({ number }: Json) => number)).toEqual([1, 2, 3, 4])
    expect(receiver.requests.map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2', '3', '4'])
  })

  test('of a delivery that was not tried yet takes number 1, and its first automatic attempt number 2', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((_, nth) => answer(nth === 1 ? 503 : 500, '', { 'retry-after': '120' }))
    await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'blocks')
    await until(async () => (await list(orgId)).data[0]?.attempt_count === 1)
    await bench.note(orgId, 'waits')
    await until(async () => (await list(orgId)).data.length === 2)
    const [id] = idsOf(await list(orgId))
    const attemptsOf = async () => (await bench.call(orgId, 'GET', `/deliveries/${id}`)).json.attempts
    await bench.call(orgId, 'POST', `/deliveries/${id}/resend`)
    await until(async () => (await attemptsOf()).length === 1)
    bench.advance(121_000)
    await until(async () => (await attemptsOf()).length === 2)
    const numbers = (await attemptsOf()).map(({ number, trigger }: Json) => [number, trigger])
    expect(numbers).toEqual([
      [1, 'manual'],
      [2, expect.stringMatching(/auto|probe/)],
    ])
  })

  test('never repeats a number on record, also when an attempt was lost with its process', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(500))
    await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'lost')
    await until(async () => (await list(orgId)).data[0]?.attempt_count === 1)
    const [id] = idsOf(await list(orgId))
    // As after two runs of which only the second is on record.
    await bench.database.run`update webhook_attempts set number = 2 where org_id = ${orgId} and delivery_id = ${id}`
    await bench.call(orgId, 'POST', `/deliveries/${id}/resend`)
    await until(async () => (await list(orgId)).data[0].attempt_count === 2)
    const { attempts } = (await bench.call(orgId, 'GET', `/deliveries/${id}`)).json
    expect(attempts.map(({ number }: Json) => number)).toEqual([2, 3])
  })

  test('goes out although the endpoint is paused, and marks a held delivery as succeeded', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/pause`)
    await bench.note(orgId, 'held')
    await until(async () => (await list(orgId)).data[0]?.status === 'held')
    await bench.call(orgId, 'POST', `/deliveries/${idsOf(await list(orgId))[0]}/resend`)
    await until(async () => (await list(orgId)).data[0].status === 'succeeded')
    await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/resume`, { json: {} })
    await bench.note(orgId, 'next')
    await until(() => receiver.requests.length === 2)
    expect(textsOf(receiver.requests)).toEqual(['held', 'next'])
  })

  test('of an event that has expired is refused', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    await bench.anEndpoint(orgId, { url: receiver.url })
    const event = await bench.note(orgId, 'old')
    await until(async () => (await list(orgId)).data[0]?.status === 'succeeded')
    await bench.database.run`delete from events where org_id = ${orgId} and id = ${event.id}`
    const reply = await bench.call(orgId, 'POST', `/deliveries/${idsOf(await list(orgId))[0]}/resend`)
    expect([reply.status, reply.json.params]).toEqual([409, { reason: 'event_expired' }])
  })
})
