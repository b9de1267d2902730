import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { answer, startReceiver } from '../../../test/support/receiver.ts'
import { noteReceiver, useRecoveries } from '../../../test/support/recoveries.ts'
import { until } from '../../../test/support/until.ts'
import { noteWritten } from '../../../test/support/webhooks.ts'
import { recordEvents } from '../../events/recording.ts'
import { type Id, newId, type OrgId } from '../../kernel/ids.ts'
import { pauseLane, updateLane } from '../../platform/outbox/lanes.ts'

/** "Why did event X not reach endpoint Y?": one true story for every way it can go. */
const bench = useRecoveries()
const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})
const workers: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const running of workers.splice(0)) await running.stop()
})

const startWorker = async () => workers.push(await bench.startWorker())

async function receiver(answer?: Parameters<typeof noteReceiver>[0]) {
  const started = await noteReceiver(answer)
  closers.push(started.stop)
  return started
}

const explain = (orgId: OrgId, eventId: string, endpointId?: string) =>
  bench.call(orgId, 'GET', `/events/${eventId}/explain${endpointId === undefined ? '' : `?endpoint=${endpointId}`}`)

async function storyOf(orgId: OrgId, eventId: string, endpointId: string) {
  const { status, json } = await explain(orgId, eventId, endpointId)
  if (status !== 200) throw new Error(JSON.stringify(json))
  expect(json.stories.length).toBe(1)
  const [story] = json.stories
  expect(paragraph(story.answer)).toBe(story.says)
  expect(paragraph(story.advice)).toBe(story.next_step ?? '')
  return { ...story, codes: story.steps.map(({ code }: { code: string }) => code), last: story.steps.at(-1) }
}

const paragraph = (sentences: { says: string }[]) => sentences.map(({ says }) => says).join(' ')

const aNote = async (orgId: OrgId, subject = 'note_1'): Promise<Id<'evt'>> => {
  const data = { object: 'hook_note' as const, id: subject, text: 'café ☕', author_id: 'a' }
  const [event] = await bench.database.transaction((tx) =>
    recordEvents(tx, orgId, [{ type: noteWritten, subject, data }], bench.clock.now()),
  )
  return (event as { id: Id<'evt'> }).id
}

const act = (orgId: OrgId, endpointId: string, action: string, json?: object) =>
  bench.call(orgId, 'POST', `/webhook-endpoints/${endpointId}/${action}`, json === undefined ? {} : { json })

const withLane = (change: (tx: Parameters<typeof pauseLane>[0], now: Date) => Promise<void>) =>
  bench.database.transaction((tx) => change(tx, new Date(bench.clock.now())))

const soon = () => new Date(bench.clock.now() + 60_000)

describe('without a delivery', () => {
  test('to an endpoint that does not subscribe: its filters and the nearest are named', async () => {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId, { events: ['endpoint.*', 'hook_note.erased'] })
    const eventId = await aNote(orgId)
    await bench.fanOut()
    const story = await storyOf(orgId, eventId, endpoint.id)
    expect(story).toMatchObject({ verdict: 'not_owed', delivery_id: null, codes: ['event_recorded', 'not_subscribed'] })
    expect(story.last.details).toEqual({ filters: ['endpoint.*', 'hook_note.erased'], nearest: 'hook_note.erased' })
    expect(story.says).toBe('The endpoint did not subscribe to hook_note.written.')
    expect(story.next_step).toContain('hook_note.*')
  })

  test('to an endpoint that subscribed later: the story names its earlier subscription', async () => {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId, { events: ['hook_note.erased'] })
    const eventId = await aNote(orgId)
    await bench.fanOut()
    const json = { events: ['hook_note.*'] }
    await bench.call(orgId, 'PATCH', `/webhook-endpoints/${endpoint.id}`, { json })
    await bench.fanOut()
    const story = await storyOf(orgId, eventId, endpoint.id)
    expect(story.codes).toEqual(['event_recorded', 'not_subscribed', 'filters_changed'])
    expect(story.says).toBe('The endpoint did not subscribe to hook_note.written at that time.')
    expect(story.next_step).toContain('mode "missing"')
  })

  test('to an endpoint that unsubscribed before the event was dealt out, and that is known before it is', async () => {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId)
    const eventId = await aNote(orgId)
    const subscribe = (events: string[]) =>
      bench.call(orgId, 'PATCH', `/webhook-endpoints/${endpoint.id}`, { json: { events } })
    await subscribe(['hook_note.erased'])
    const waiting = await storyOf(orgId, eventId, endpoint.id)
    expect(waiting.codes).toEqual(['event_recorded', 'not_subscribed'])
    expect(waiting.says).toBe('The endpoint does not subscribe to hook_note.written any more.')
    await bench.fanOut()
    const dealtOut = await storyOf(orgId, eventId, endpoint.id)
    expect(dealtOut).toMatchObject({ verdict: 'not_owed', says: waiting.says, codes: waiting.codes })
    await subscribe(['hook_note.*'])
    await bench.fanOut()
    const again = await storyOf(orgId, eventId, endpoint.id)
    expect(again.codes).toEqual(['event_recorded', 'not_subscribed', 'filters_changed'])
    expect(again.says).toBe('The endpoint did not subscribe to hook_note.written at that time.')
  })

  test('to an endpoint that was made later', async () => {
    const orgId = await bench.anOrg()
    const eventId = await aNote(orgId)
    const endpoint = await bench.anEndpoint(orgId)
    await bench.fanOut()
    const story = await storyOf(orgId, eventId, endpoint.id)
    expect(story).toMatchObject({ verdict: 'not_owed', codes: ['event_recorded', 'before_endpoint'] })
    expect(story.says).toBe('The event happened before the endpoint was created.')
    const since = /since "([^"]+)"/.exec(story.next_step)?.[1]
    // What it says to do really does it.
    const advised = await act(orgId, endpoint.id, 'recover', { since, mode: 'missing', dry_run: true })
    expect(advised.json.total).toBe(1)
  })

  test('to the endpoint that the event is about', async () => {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId, { events: ['*'] })
    await bench.call(orgId, 'PATCH', `/webhook-endpoints/${endpoint.id}`, { json: { description: 'changed' } })
    await bench.fanOut()
    const { id } = await bench.database.one<{ id: string }>`
      select id from events where org_id = ${orgId} and type = 'endpoint.updated'`
    const story = await storyOf(orgId, id, endpoint.id)
    expect(story).toMatchObject({ verdict: 'not_owed', codes: ['event_recorded', 'about_itself'] })
  })

  test('to another endpoint than the one a test was made for', async () => {
    const orgId = await bench.anOrg()
    const [endpoint, other] = [await bench.anEndpoint(orgId), await bench.anEndpoint(orgId)]
    const { json } = await act(orgId, endpoint.id, 'test', { type: 'hook_note.written' })
    await bench.fanOut()
    const story = await storyOf(orgId, json.event_id, other.id)
    expect(story).toMatchObject({ verdict: 'not_owed', codes: ['event_recorded', 'test_of_another'] })
    expect((await storyOf(orgId, json.event_id, endpoint.id)).verdict).toBe('pending')
  })

  test('to an endpoint that was deleted before', async () => {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId)
    await bench.call(orgId, 'DELETE', `/webhook-endpoints/${endpoint.id}`)
    const eventId = await aNote(orgId)
    await bench.fanOut()
    const story = await storyOf(orgId, eventId, endpoint.id)
    expect(story).toMatchObject({ verdict: 'not_owed', codes: ['event_recorded', 'endpoint_deleted'], next_step: null })
  })
})

describe('pending', () => {
  async function aDelivery(fields: Record<string, unknown> = {}) {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId, fields)
    const eventId = await aNote(orgId)
    await bench.fanOut()
    return { orgId, endpointId: endpoint.id, eventId }
  }

  test('while fan-out has not come to it: number x of y', async () => {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId)
    await bench.fanOut()
    await aNote(orgId)
    const eventId = await aNote(orgId)
    const story = await storyOf(orgId, eventId, endpoint.id)
    expect(story).toMatchObject({ verdict: 'pending', codes: ['event_recorded', 'fan_out_behind'] })
    expect(story.last.details).toEqual({ position: 1, last_sequence: 3 })
    expect(story.says).toContain('sequence 1 of 3')
  })

  test('while fan-out has not come to it, to an endpoint that subscribed since: it will be dealt out', async () => {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId, { events: ['hook_note.erased'] })
    const eventId = await aNote(orgId)
    const json = { events: ['hook_note.*'] }
    await bench.call(orgId, 'PATCH', `/webhook-endpoints/${endpoint.id}`, { json })
    expect(await storyOf(orgId, eventId, endpoint.id)).toMatchObject({
      verdict: 'pending',
      codes: ['event_recorded', 'fan_out_behind'],
    })
    await bench.fanOut()
    expect((await storyOf(orgId, eventId, endpoint.id)).codes).toContain('delivery_owed')
  })

  test('when it is its turn', async () => {
    const { orgId, endpointId, eventId } = await aDelivery()
    const story = await storyOf(orgId, eventId, endpointId)
    expect(story).toMatchObject({ verdict: 'pending', codes: ['event_recorded', 'delivery_owed', 'outbox_ready'] })
    expect(story.delivery_id).toBe(bench.deliveryId(eventId, endpointId))
  })

  test('while the receiver asked for a pause, is throttled, or kept failing: until when', async () => {
    const { orgId, endpointId, eventId } = await aDelivery()
    const until_ = soon()
    for (const [reason, code] of [
      ['retry_after', 'outbox_lane_blocked'],
      ['throttled', 'outbox_throttled'],
      ['breaker_open', 'outbox_breaker_open'],
    ] as const) {
      await bench.database.run`update outbox_lanes set blocked_until = null where id = ${endpointId}`
      await withLane((tx) => pauseLane(tx, { orgId, id: endpointId }, { reason, until: until_ }))
      const story = await storyOf(orgId, eventId, endpointId)
      expect([story.verdict, story.last.code, story.last.details.until]).toEqual([
        'pending',
        code,
        until_.toISOString(),
      ])
      expect(story.says).toContain(until_.toISOString())
    }
  })

  test('while another of the same order key comes first: which one', async () => {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId, { ordering: 'by_key' })
    const [first, second] = [await aNote(orgId, 'note_7'), await aNote(orgId, 'note_7')]
    await bench.fanOut()
    const story = await storyOf(orgId, second, endpoint.id)
    expect(story.last).toMatchObject({
      code: 'outbox_behind_other',
      details: { behind_delivery_id: bench.deliveryId(first, endpoint.id) },
    })
  })

  test('while all slots of the endpoint are taken', async () => {
    const { orgId, endpointId, eventId } = await aDelivery()
    await bench.database.run`update outbox_lanes set in_flight = slots where id = ${endpointId}`
    expect((await storyOf(orgId, eventId, endpointId)).last.code).toBe('outbox_lane_full')
  })

  test('after a failed attempt: the attempt, the next one, and what is wrong with the receiver', async () => {
    const orgId = await bench.anOrg()
    const target = await receiver(() => 401)
    const endpoint = await bench.anEndpoint(orgId, { url: `${target.url}?token=secret`, retry_delays_seconds: [3600] })
    const eventId = await aNote(orgId)
    await startWorker()
    await until(async () => (await storyOf(orgId, eventId, endpoint.id)).codes.includes('attempt_failed'))
    const story = await storyOf(orgId, eventId, endpoint.id)
    expect(story).toMatchObject({
      verdict: 'pending',
      codes: ['event_recorded', 'delivery_owed', 'attempt_failed', 'outbox_not_due'],
    })
    expect(story.steps[2].details).toMatchObject({
      number: 1,
      trigger: 'auto',
      response_status: 401,
      error_class: 'status',
    })
    expect(story.steps[2].details.total_ms).toBeGreaterThan(0)
    expect(story.last.details.until).toBe(story.steps[2].details.next_attempt_at)
    expect(story.next_step).toContain('signature')
    expect(JSON.stringify(story)).not.toContain('token=secret')
  })

  test('when the outbox has lost it', async () => {
    const { orgId, endpointId, eventId } = await aDelivery()
    await bench.database.run`delete from outbox_entries where lane_id = ${endpointId}`
    const story = await storyOf(orgId, eventId, endpointId)
    expect([story.verdict, story.last.code]).toEqual(['pending', 'outbox_empty'])
    expect(story.next_step).toContain('/resend')
  })
})

describe('in flight and delivered', () => {
  test('while the attempt runs, and when it was answered', async () => {
    const orgId = await bench.anOrg()
    const gate = Promise.withResolvers<void>()
    const target = await receiver(() => gate.promise.then(() => 204))
    const endpoint = await bench.anEndpoint(orgId, { url: target.url })
    const eventId = await aNote(orgId)
    await startWorker()
    await until(() => target.ids().length === 1)
    const before = await storyOf(orgId, eventId, endpoint.id)
    expect([before.verdict, before.last.code]).toEqual(['in_flight', 'outbox_in_flight'])
    gate.resolve()
    await until(async () => (await storyOf(orgId, eventId, endpoint.id)).verdict === 'delivered')
    const after = await storyOf(orgId, eventId, endpoint.id)
    expect(after.codes).toEqual(['event_recorded', 'delivery_owed', 'attempt_succeeded', 'delivery_succeeded'])
    expect(after.says).toContain('with the first attempt, which got status 204')
    expect(after.next_step).toBeNull()
  })

  async function anArrival(answer: (nth: number) => number) {
    const orgId = await bench.anOrg()
    const target = await receiver((_, nth) => answer(nth))
    const endpoint = await bench.anEndpoint(orgId, { url: target.url })
    const eventId = await aNote(orgId)
    await bench.fanOut()
    const id = bench.deliveryId(eventId, endpoint.id)
    const look = async () => (await bench.call(orgId, 'GET', `/deliveries/${id}`)).json
    return {
      id,
      look,
      story: () => storyOf(orgId, eventId, endpoint.id),
      async resend() {
        const { attempt_count: before } = await look()
        await bench.call(orgId, 'POST', `/deliveries/${id}/resend`)
        await until(async () => (await look()).attempt_count === before + 1)
      },
    }
  }

  test('after a process died over the first attempt: by which attempt it arrived', async () => {
    const arrival = await anArrival(() => 200)
    await bench.database.run`update outbox_entries set attempt = 1 where id = ${arrival.id}`
    await startWorker()
    await until(async () => (await arrival.story()).verdict === 'delivered')
    const { says, steps } = await arrival.story()
    expect(steps[2].says).toContain('Attempt 2 (auto)')
    expect(says).toContain('with attempt 2, which got status 200')
  })

  test('and sent again in vain: by which attempt it arrived and when, in the order of time', async () => {
    const arrival = await anArrival((nth) => (nth === 1 ? 204 : 500))
    await startWorker()
    await until(async () => (await arrival.story()).verdict === 'delivered')
    await arrival.resend()
    const { says, codes } = await arrival.story()
    expect(says).toContain('with the first attempt, which got status 204; a later attempt failed')
    expect(codes.slice(2)).toEqual(['attempt_succeeded', 'delivery_succeeded', 'attempt_failed'])
  })

  test('and sent again with success: it arrived when it arrived first', async () => {
    const arrival = await anArrival(() => 200)
    await startWorker()
    await until(async () => (await arrival.look()).status === 'succeeded')
    const { completed_at: arrivedAt } = await arrival.look()
    await arrival.resend()
    expect((await arrival.look()).completed_at).toBe(arrivedAt)
    const { says, codes } = await arrival.story()
    expect(says).toContain(`It was delivered at ${arrivedAt} with the first attempt`)
    expect(codes.slice(2)).toEqual(['attempt_succeeded', 'delivery_succeeded', 'attempt_succeeded'])
  })
})

describe('ended', () => {
  async function ended(status: string, reason: string | null) {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId)
    const eventId = await aNote(orgId)
    await bench.fanOut()
    await bench.endDeliveries(orgId, endpoint.id, status, reason)
    return { orgId, endpointId: endpoint.id, eventId, story: await storyOf(orgId, eventId, endpoint.id) }
  }

  test('failed: after the last attempt, or because the receiver wanted no more', async () => {
    const { story } = await ended('failed', 'exhausted')
    expect(story).toMatchObject({ verdict: 'failed', codes: ['event_recorded', 'delivery_owed', 'delivery_failed'] })
    expect(story.says).toContain('All 12 attempts failed')
    expect(story.next_step).toContain(`POST /deliveries/${story.delivery_id}/resend`)
    expect((await ended('failed', 'aborted_by_receiver')).story.says).toContain('abort-message')
    expect((await ended('failed', 'gone')).story.says).toContain('410')
  })

  test('failed, with an answer that was not finished: that it was cut off, not that it was answered', async () => {
    const orgId = await bench.anOrg()
    const target = await startReceiver({
      onRequest: (socket, { body }) => {
        if (body.includes('endpoint.pinged')) socket.write(answer())
        else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf of it')
      },
    })
    closers.push(target.stop)
    const endpoint = await bench.anEndpoint(orgId, { url: target.url, retry_delays_seconds: [] })
    const eventId = await aNote(orgId)
    await startWorker()
    await until(async () => (await storyOf(orgId, eventId, endpoint.id)).verdict === 'failed')
    const story = await storyOf(orgId, eventId, endpoint.id)
    const attempt = story.steps.find(({ code }: { code: string }) => code === 'attempt_failed')
    for (const { says } of [story, attempt]) {
      expect(says).toContain('got no complete response (reset: The receiver closed the connection')
      expect(says).not.toContain('was answered')
    }
    expect(attempt.details).toMatchObject({ response_status: null, unfinished_status: 200, error_class: 'reset' })
  })

  test('failed, with a resend by hand on its way', async () => {
    const { orgId, endpointId, eventId, story } = await ended('failed', 'exhausted')
    await bench.call(orgId, 'POST', `/deliveries/${story.delivery_id}/resend`)
    expect((await storyOf(orgId, eventId, endpointId)).says).toContain('A resend is in progress.')
  })

  test('cancelled: by deletion, or with a recovery', async () => {
    expect((await ended('cancelled', 'recovery_cancelled')).story).toMatchObject({ verdict: 'cancelled' })
    const { orgId, endpointId, eventId } = await ended('failed', 'exhausted')
    await bench.database.run`update webhook_deliveries set status = 'held' where endpoint_id = ${endpointId}`
    await bench.call(orgId, 'DELETE', `/webhook-endpoints/${endpointId}`)
    const story = await storyOf(orgId, eventId, endpointId)
    expect(story).toMatchObject({ verdict: 'cancelled', next_step: null })
    expect(story.says).toBe('The endpoint was deleted before it was delivered.')
  })

  test.each([
    ['skipped', 'resumed_from_now'],
    ['cancelled', 'endpoint_deleted'],
    ['cancelled', 'endpoint_disabled'],
    ['cancelled', 'recovery_cancelled'],
    ['cancelled', 'event_erased'],
  ])('%s (%s) after attempts that failed: the story does not say that it was not sent', async (status, reason) => {
    const { orgId, endpointId, eventId } = await ended(status, reason)
    await bench.database.run`update webhook_deliveries set attempts = 3 where endpoint_id = ${endpointId}`
    const { verdict, says } = await storyOf(orgId, eventId, endpointId)
    expect(verdict).toBe(status)
    expect(says).not.toMatch(/not sent|be sent|was sent|another event/)
  })

  test('held while the endpoint is paused, and skipped when it is resumed from now', async () => {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId)
    await act(orgId, endpoint.id, 'pause')
    const eventId = await aNote(orgId)
    await bench.fanOut()
    const held = await storyOf(orgId, eventId, endpoint.id)
    expect(held).toMatchObject({ verdict: 'held', next_step: 'Resume the endpoint with mode "recover_held".' })
    expect(held.says).toBe('It is held: the endpoint is paused.')
    await act(orgId, endpoint.id, 'resume', { mode: 'from_now' })
    const skipped = await storyOf(orgId, eventId, endpoint.id)
    expect(skipped.verdict).toBe('skipped')
    expect(skipped.next_step).toContain('mode "held"')
  })

  /** One of a backlog so long that the work on it has not come to this one yet, as it is held or waits for its turn. */
  async function inBacklog(isHeld: boolean, settle: (orgId: OrgId, id: Id<'wep'>) => Promise<unknown>) {
    const orgId = await bench.anOrg()
    const { id } = await bench.anEndpoint(orgId)
    if (isHeld) await act(orgId, id, 'pause')
    const eventId = await aNote(orgId)
    await bench.fanOut()
    await settle(orgId, id)
    return storyOf(orgId, eventId, id)
  }

  const settling = (change: object) => (orgId: OrgId, id: Id<'wep'>) =>
    bench.database.run`
    update webhook_endpoints endpoint set (state, disabled_reason, is_holding, settling, skipped_until, deleted_at) = (
      select state, disabled_reason, true, settling, skipped_until, deleted_at
      from jsonb_populate_record(endpoint, ${JSON.stringify(change)}::text::jsonb))
    where org_id = ${orgId} and id = ${id}`

  test.each([true, false])('in a long backlog that is given up: its outcome (held: %p)', async (isHeld) => {
    const gone = { state: 'disabled', disabled_reason: 'gone', settling: 'cancel' }
    const cancelled = await inBacklog(isHeld, settling(gone))
    expect([cancelled.verdict, cancelled.answer[0].code]).toEqual(['cancelled', 'cancelled_endpoint_disabled'])
    const deleted = await inBacklog(isHeld, settling({ settling: 'cancel', deleted_at: new Date().toISOString() }))
    expect([deleted.verdict, deleted.answer[0].code]).toEqual(['cancelled', 'cancelled_endpoint_deleted'])
    expect(deleted.next_step).toBeNull()
    const skipped = await inBacklog(isHeld, settling({ state: 'enabled', settling: 'skip', skipped_until: 1000 }))
    expect([skipped.verdict, skipped.answer[0].code]).toEqual(['skipped', 'skipped'])
  })

  test('held in a long backlog that is let go: it follows automatically', async () => {
    const story = await inBacklog(true, settling({ state: 'enabled', settling: 'release' }))
    expect([story.verdict, story.answer[0].code, story.next_step]).toEqual(['held', 'held_resuming', null])
  })

  test('unknown, when there should be a delivery and is none', async () => {
    const { orgId, endpointId, eventId } = await ended('failed', 'exhausted')
    await bench.database.run`delete from webhook_deliveries where org_id = ${orgId}`
    const story = await storyOf(orgId, eventId, endpointId)
    expect([story.verdict, story.last.code]).toEqual(['unknown', 'delivery_missing'])
  })

  test('held in the lane of an endpoint that was paused or disabled since: which of the two', async () => {
    const orgId = await bench.anOrg()
    const endpoint = await bench.anEndpoint(orgId)
    const eventId = await aNote(orgId)
    await bench.fanOut()
    await act(orgId, endpoint.id, 'pause')
    const paused = await storyOf(orgId, eventId, endpoint.id)
    expect([paused.verdict, paused.last.code]).toEqual(['held', 'outbox_lane_paused'])
    expect(paused.says).toBe('It was not attempted yet. The endpoint is paused; nothing is sent to it.')
    expect(paused.next_step).toBe('Resume the endpoint with mode "recover_held".')
    await withLane((tx) => pauseLane(tx, { orgId, id: endpoint.id }, { reason: 'endpoint_disabled' }))
    const disabled = await storyOf(orgId, eventId, endpoint.id)
    expect(disabled.verdict).toBe('held')
    expect(disabled.says).toBe('It was not attempted yet. The endpoint is disabled; nothing is sent to it.')
  })
})

describe('the route', () => {
  test('without an endpoint answers with one story for each, oldest first', async () => {
    const orgId = await bench.anOrg()
    const endpoints = [
      await bench.anEndpoint(orgId),
      await bench.anEndpoint(orgId, { events: ['hook_note.erased'] }),
      await bench.anEndpoint(orgId),
    ]
    const eventId = await aNote(orgId)
    await bench.fanOut()
    await withLane((tx, now) =>
      updateLane(tx, { orgId, id: (endpoints[2] as { id: string }).id }, { ratePerSecond: 1 }, now),
    )
    const { json } = await explain(orgId, eventId)
    expect(json).toMatchObject({ object: 'webhook_explanation', event_id: eventId, type: 'hook_note.written' })
    expect(
      json.stories.map((story: { endpoint_id: string; verdict: string }) => [story.endpoint_id, story.verdict]),
    ).toEqual([
      [endpoints[0]?.id, 'pending'],
      [endpoints[1]?.id, 'not_owed'],
      [endpoints[2]?.id, 'pending'],
    ])
  })

  test('answers 404 for events and endpoints of others, 400 for what is no id, 403 without webhooks:read', async () => {
    const [orgId, otherOrg] = [await bench.anOrg(), await bench.anOrg()]
    const endpoint = await bench.anEndpoint(orgId)
    const foreign = await bench.anEndpoint(otherOrg)
    const eventId = await aNote(orgId)
    expect((await explain(otherOrg, eventId)).json.code).toBe('event_not_found')
    expect((await explain(orgId, eventId, foreign.id)).json.code).toBe('webhook_endpoint_not_found')
    expect((await explain(orgId, newId('evt'), endpoint.id)).status).toBe(404)
    expect((await explain(orgId, eventId, 'nonsense')).status).toBe(400)
    const path = `/events/${eventId}/explain`
    expect((await bench.call(orgId, 'GET', path, { scopes: ['events:read'] })).status).toBe(403)
    expect((await bench.call(orgId, 'GET', path, { scopes: ['webhooks:read'] })).status).toBe(200)
  })
})
