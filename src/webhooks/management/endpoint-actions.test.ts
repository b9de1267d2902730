import { describe, expect, test } from 'bun:test'
import { answer } from '../../../test/support/receiver.ts'
import { until, untilLockIsAwaited } from '../../../test/support/until.ts'
import { type Json, noteWritten, textsOf, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import { recordEvents } from '../../events/recording.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { deleteEndpoint } from './endpoint-actions.ts'

const bench = useWebhooks()
const aReceiver = useReceivers()

const act = (orgId: OrgId, id: string, action: string, json?: unknown) =>
  bench.call(orgId, 'POST', `/webhook-endpoints/${id}/${action}`, json === undefined ? {} : { json })
const deliveriesOf = async (orgId: OrgId, query = '?limit=100') =>
  (await bench.call(orgId, 'GET', `/deliveries${query}`)).json.data as Json[]
const endpointOf = async (orgId: OrgId, id: string) => (await bench.call(orgId, 'GET', `/webhook-endpoints/${id}`)).json
const countStatus = async (orgId: OrgId, status: string) =>
  (
    await bench.database.one<{ count: number }>`
      select count(*)::int as count from webhook_deliveries where org_id = ${orgId} and status = ${status} and not is_test`
  ).count

/** Many events at once, as one transaction. */
const manyNotes = (orgId: OrgId, from: number, to: number) =>
  bench.database.transaction((tx) =>
    recordEvents(
      tx,
      orgId,
      Array.from({ length: to - from }, (_, index) => ({
        type: noteWritten,
        subject: 'one',
        data: { object: 'hook_note' as const, id: 'one', text: `${from + index}`, author_id: 'a' },
      })),
      bench.clock.now(),
    ),
  )

describe('a paused endpoint', () => {
  test('gets nothing; new deliveries are held, and recovered in order when it is resumed', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url, ordering: 'strict' })
    expect((await act(orgId, endpoint.id, 'pause')).json.state).toBe('paused')
    await manyNotes(orgId, 0, 20)
    await until(async () => (await countStatus(orgId, 'held')) === 20)
    await bench.claimsPass()
    expect(receiver.requests).toEqual([])
    expect((await endpointOf(orgId, endpoint.id)).health.held).toBe(20)
    expect((await deliveriesOf(orgId))[0]).toMatchObject({ status: 'held', reason: 'endpoint_paused' })
    const resumed = await act(orgId, endpoint.id, 'resume', { mode: 'recover_held' })
    expect(resumed.json.state).toBe('enabled')
    await bench.note(orgId, '20', 'one')
    await until(() => receiver.requests.length === 21)
    expect(textsOf(receiver.requests)).toEqual(Array.from({ length: 21 }, (_, index) => `${index}`))
  })

  test('with a backlog of several steps has all of it put in the outbox, while events keep coming', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => null)
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await act(orgId, endpoint.id, 'pause')
    await manyNotes(orgId, 0, 2300)
    await until(async () => (await countStatus(orgId, 'held')) === 2300)
    const resuming = act(orgId, endpoint.id, 'resume', {})
    // So few that none of them travels in a bundle, which has no deliveries to count yet.
    await manyNotes(orgId, 2300, 2304)
    await resuming
    await manyNotes(orgId, 2304, 2308)
    await until(async () => (await countStatus(orgId, 'pending')) === 2308)
    const { entries } = await bench.database.one<{ entries: number }>`
      select count(*)::int as entries from outbox_entries where lane_id = ${endpoint.id}`
    expect(entries).toBe(2308)
    const after = await endpointOf(orgId, endpoint.id)
    expect(after).toMatchObject({ state: 'enabled', health: { held: 0 } })
    expect(after.health.backlog + after.health.in_flight).toBe(2308)
    receiver.stop()
  })

  test('resumed from now skips what waited and what was held, and sends what is new', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((_, nth) => answer(nth === 1 ? 500 : 200))
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'waits for a retry')
    await until(async () => (await deliveriesOf(orgId))[0]?.attempt_count === 1)
    await act(orgId, endpoint.id, 'pause')
    await manyNotes(orgId, 0, 5)
    await until(async () => (await countStatus(orgId, 'held')) === 5)
    await act(orgId, endpoint.id, 'resume', { mode: 'from_now' })
    await bench.note(orgId, 'new')
    bench.advance(60_000)
    await until(() => receiver.requests.length === 2)
    await bench.claimsPass()
    expect(textsOf(receiver.requests)).toEqual(['waits for a retry', 'new'])
    expect(await countStatus(orgId, 'skipped')).toBe(6)
  })

  test('is shown with its last success after it was resumed, too', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((_, nth) => answer(nth === 1 ? 200 : 500))
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'arrives')
    await until(async () => (await countStatus(orgId, 'succeeded')) === 1)
    const before = (await endpointOf(orgId, endpoint.id)).health.last_success_at
    await bench.note(orgId, 'fails')
    await until(async () => (await endpointOf(orgId, endpoint.id)).health.failures_since_success === 1)
    await act(orgId, endpoint.id, 'pause')
    await act(orgId, endpoint.id, 'resume', { mode: 'from_now' })
    const { health } = await endpointOf(orgId, endpoint.id)
    expect([typeof before, health.last_success_at]).toEqual(['string', before])
    expect(health).toMatchObject({ failing_since: null, failures_since_success: 0, breaker: 'closed' })
  })

  test('resumed from now lets a test that is under way end as it ends', async () => {
    const orgId = await bench.anOrg()
    const late = Promise.withResolvers<string>()
    const receiver = await aReceiver(() => late.promise)
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await act(orgId, endpoint.id, 'pause')
    const { json } = await act(orgId, endpoint.id, 'test', { type: 'hook_note.written' })
    await until(() => receiver.requests.length === 1)
    await act(orgId, endpoint.id, 'resume', { mode: 'from_now' })
    late.resolve(answer(500))
    const delivery = async () => (await bench.call(orgId, 'GET', `/deliveries/${json.delivery_id}`)).json
    await until(async () => (await delivery()).attempt_count === 1)
    expect(await delivery()).toMatchObject({ status: 'failed', reason: 'status_500' })
  })

  test('does not count in the metrics for how long its events waited for it to be resumed', async () => {
    const count = () => {
      const metric = bench.webhooks.metrics().find(({ name }) => name === 'nexkit_webhook_first_attempt_seconds')
      return metric?.kind === 'histogram' ? metric.read().samples('waited').at(-1)?.value : undefined
    }
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url, ordering: 'strict' })
    await act(orgId, endpoint.id, 'pause')
    await bench.note(orgId, 'waits')
    await until(async () => (await countStatus(orgId, 'held')) === 1)
    const before = count()
    await act(orgId, endpoint.id, 'resume', {})
    await until(async () => (await countStatus(orgId, 'succeeded')) === 1)
    expect(count()).toBe(before)
    await bench.note(orgId, 'comes after')
    await until(async () => (await countStatus(orgId, 'succeeded')) === 2)
    expect(count()).toBe(Number(before) + 1)
  })

  test('has retries that waited for their time made when it is resumed', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((_, nth) => answer(nth <= 2 ? 500 : 200, '', { 'retry-after': '3600' }))
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await manyNotes(orgId, 0, 2)
    await until(async () => (await deliveriesOf(orgId)).filter(({ attempt_count: made }) => made === 1).length === 2)
    await act(orgId, endpoint.id, 'pause')
    expect((await deliveriesOf(orgId, '?status=held')).length).toBe(2)
    expect((await endpointOf(orgId, endpoint.id)).health).toMatchObject({ held: 2, backlog: 0 })
    await act(orgId, endpoint.id, 'resume', {})
    await until(async () => (await countStatus(orgId, 'succeeded')) === 2)
    expect(receiver.requests.length).toBe(4)
  })

  test('cannot be paused once it is disabled, and pausing or resuming twice changes nothing', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(410))
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    expect((await act(orgId, endpoint.id, 'resume', {})).status).toBe(200)
    await act(orgId, endpoint.id, 'pause')
    const again = await act(orgId, endpoint.id, 'pause')
    expect([again.status, again.json.state]).toEqual([200, 'paused'])
    await act(orgId, endpoint.id, 'resume', {})
    await bench.note(orgId, 'gone')
    await until(async () => (await endpointOf(orgId, endpoint.id)).state === 'disabled')
    const refused = await act(orgId, endpoint.id, 'pause')
    expect([refused.status, refused.json.code]).toEqual([409, 'webhook_endpoint_not_enabled'])
    expect((await act(orgId, endpoint.id, 'resume', {})).json).toMatchObject({
      state: 'enabled',
      disabled_reason: null,
    })
  })
})

describe('a deleted endpoint', () => {
  test('is gone from the API, gets nothing more, and its log stays', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(500))
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'pending')
    await until(async () => (await deliveriesOf(orgId))[0]?.attempt_count === 1)
    expect((await bench.call(orgId, 'DELETE', `/webhook-endpoints/${endpoint.id}`)).status).toBe(204)
    expect((await bench.call(orgId, 'GET', `/webhook-endpoints/${endpoint.id}`)).status).toBe(404)
    await bench.note(orgId, 'after')
    bench.advance(60_000)
    await bench.claimsPass()
    expect(receiver.requests).toHaveLength(1)
    const [delivery] = await deliveriesOf(orgId)
    expect(delivery).toMatchObject({ status: 'cancelled', reason: 'endpoint_deleted', next_attempt_at: null })
    expect((await bench.call(orgId, 'GET', `/deliveries/${delivery.id}`)).json.attempts).toHaveLength(1)
    const left = await bench.database.many`select id from outbox_lanes where id like ${`${endpoint.id}%`}`
    const secrets = await bench.database.many`
      select version from webhook_secrets where org_id = ${orgId} and endpoint_id = ${endpoint.id}`
    expect([left.length, secrets.length]).toEqual([0, 0])
    const resend = await bench.call(orgId, 'POST', `/deliveries/${delivery.id}/resend`)
    expect([resend.status, resend.json.code]).toEqual([409, 'delivery_not_sendable'])
  })
})

describe('an endpoint that is being deleted', () => {
  test('refuses a resend that is asked for in that moment, and nothing of it is left behind', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(500))
    const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'pending')
    await until(async () => (await deliveriesOf(orgId))[0]?.attempt_count === 1)
    const [delivery] = await deliveriesOf(orgId)
    const { resend } = await bench.database.transaction(async (tx) => {
      await deleteEndpoint(bench.webhooks.context, tx, orgId, { id: endpoint.id })
      let isAnswered = false
      const resend = bench.call(orgId, 'POST', `/deliveries/${delivery.id}/resend`).finally(() => {
        isAnswered = true
      })
      await Promise.race([untilLockIsAwaited(bench.database), until(() => isAnswered)])
      return { resend }
    })
    const { status, json } = await resend
    expect([status, json.code]).toEqual([409, 'delivery_not_sendable'])
    const left = await bench.database.many`select id from outbox_entries where lane_id like ${`${endpoint.id}%`}`
    expect(left).toEqual([])
  })
})

describe('order', () => {
  test('strict: one at a time in order of sequence, and nothing passes what fails', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((_, nth) => answer(nth === 2 ? 500 : 200))
    await bench.anEndpoint(orgId, { url: receiver.url, ordering: 'strict' })
    await manyNotes(orgId, 0, 4)
    await until(async () => (await deliveriesOf(orgId)).filter((delivery) => delivery.attempt_count > 0).length === 2)
    await bench.claimsPass()
    expect(textsOf(receiver.requests)).toEqual(['0', '1'])
    bench.advance(10_000)
    await until(() => receiver.requests.length === 5)
    expect(textsOf(receiver.requests)).toEqual(['0', '1', '1', '2', '3'])
  })

  test('by key: a failing resource holds up only itself', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((request) => answer(request.body.includes('bad') ? 500 : 200))
    await bench.anEndpoint(orgId, { url: receiver.url, ordering: 'by_key' })
    for (const [text, subject] of [
      ['bad 1', 'x'],
      ['bad 2', 'x'],
      ['good 1', 'y'],
      ['good 2', 'y'],
    ] as const)
      await bench.note(orgId, text, subject)
    await until(async () => (await countStatus(orgId, 'succeeded')) === 2)
    await bench.claimsPass()
    expect(textsOf(receiver.requests).filter((text) => text.startsWith('good'))).toEqual(['good 1', 'good 2'])
    expect(textsOf(receiver.requests)).not.toContain('bad 2')
  })
})

describe('an endpoint whose order is switched', () => {
  test.each(['strict', 'none'])(
    'from %s to by_key keeps what waits of a key ahead of what comes later',
    async (before) => {
      const orgId = await bench.anOrg()
      const receiver = await aReceiver((_, nth) => answer(nth === 1 ? 500 : 200))
      const endpoint = await bench.anEndpoint(orgId, { url: receiver.url, ordering: before })
      await bench.note(orgId, 'a1', 'a')
      await until(() => receiver.requests.length === 1)
      await until(async () => (await deliveriesOf(orgId, '?status=pending'))[0]?.attempt_count === 1)
      await bench.call(orgId, 'PATCH', `/webhook-endpoints/${endpoint.id}`, { json: { ordering: 'by_key' } })
      await bench.note(orgId, 'a2', 'a')
      await bench.note(orgId, 'b1', 'b')
      await until(() => receiver.requests.length >= 2)
      await bench.claimsPass()
      expect(textsOf(receiver.requests)).toEqual(['a1', 'b1'])
      bench.advance(10_000)
      await until(() => receiver.requests.length === 4)
      expect(textsOf(receiver.requests)).toEqual(['a1', 'b1', 'a1', 'a2'])
    },
  )
})
