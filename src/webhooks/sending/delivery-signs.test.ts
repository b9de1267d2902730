import { describe, expect, test } from 'bun:test'
import { answer, type ReceivedRequest } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'
import { type Json, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { explainEvent } from '../explain/explain.ts'

/** What a delivery shows of itself beside the event: its trace, its size, and that it came back after being given up. */
const warnings: Record<string, unknown>[] = []
const bench = useWebhooks({
  log: { debug() {}, info() {}, warn: (fields, message) => void warnings.push({ ...fields, message }), error() {} },
})
const aReceiver = useReceivers()

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const bodyOf = (request: ReceivedRequest | undefined) => JSON.parse(String(request?.body))
const deliveriesOf = async (orgId: OrgId, query: string) =>
  (await bench.call(orgId, 'GET', `/deliveries?${query}`)).json.data as Json[]

describe('the trace of the request that made it happen', () => {
  const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`

  test('goes with every attempt, each with its own span, shows in the log, and is in no body', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    await bench.anEndpoint(orgId, { url: receiver.url, events: ['endpoint.*'] })
    const json = { url: (await aReceiver()).url, events: ['hook_note.*'] }
    await bench.call(orgId, 'POST', '/webhook-endpoints', { json, headers: { traceparent } })
    await until(() => receiver.requests.length === 1)
    expect(receiver.requests[0]?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
    expect(receiver.requests[0]?.headers.traceparent).not.toBe(traceparent)
    const eventId = bodyOf(receiver.requests[0]).id
    const [{ id }] = await deliveriesOf(orgId, `event=${eventId}`)
    await until(async () => (await bench.call(orgId, 'GET', `/deliveries/${id}`)).json.attempts.length === 1)
    const [attempt] = (await bench.call(orgId, 'GET', `/deliveries/${id}`)).json.attempts
    expect(attempt.request_headers.traceparent).toBe(receiver.requests[0]?.headers.traceparent)
    await bench.call(orgId, 'POST', `/deliveries/${id}/resend`)
    await until(() => receiver.requests.length === 2)
    const [first, second] = receiver.requests.map(({ headers }) => String(headers.traceparent))
    expect(second).toContain(TRACE)
    expect(String(receiver.requests[0]?.body)).not.toContain(TRACE)
    expect(second).not.toBe(first as string)
  })

  test('is in no delivery of what happened without one', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    await bench.anEndpoint(orgId, { url: receiver.url })
    await bench.note(orgId, 'plain')
    await until(() => receiver.requests.length === 1)
    expect(receiver.requests[0]?.headers.traceparent).toBeUndefined()
  })
})

describe('a body', () => {
  const story = async (orgId: OrgId, eventId: string) => {
    const { stories } = await explainEvent(bench, orgId, { eventId, endpointId: undefined })
    return stories[0]?.steps ?? []
  }

  test('above 20 kB arrives whole; the log warns of its type once a minute, and its story says so', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    await bench.anEndpoint(orgId, { url: receiver.url })
    const { id } = await bench.note(orgId, 'x'.repeat(21_000), 'note_large')
    await bench.note(orgId, 'y'.repeat(21_000), 'note_large')
    await until(() => receiver.requests.length === 2)
    expect(bodyOf(receiver.requests[0]).data.text.length).toBe(21_000)
    const said = () => warnings.filter(({ type }) => type === 'hook_note.written')
    expect(said()).toMatchObject([{ type: 'hook_note.written', is_truncated: false }])
    expect(Number(said()[0]?.bytes)).toBeGreaterThan(21_000)
    bench.advance(61_000)
    await bench.note(orgId, 'z'.repeat(21_000), 'note_large')
    await until(() => receiver.requests.length === 3)
    expect(said().length).toBe(2)
    const steps = await story(orgId, id)
    expect(steps.find(({ code }) => code === 'body_large')?.details.bytes).toBeGreaterThan(21_000)
  })

  test('of the usual size is not worth a word', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    await bench.anEndpoint(orgId, { url: receiver.url })
    const { id } = await bench.note(orgId, 'small')
    await until(() => receiver.requests.length === 1)
    expect((await story(orgId, id)).filter(({ code }) => code.startsWith('body_'))).toEqual([])
  })

  test('above 256 KiB arrives as ids, says so, and can be fetched whole; it is never dropped', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver()
    await bench.anEndpoint(orgId, { url: receiver.url })
    const { id } = await bench.note(orgId, 'x'.repeat(300_000), 'note_huge')
    await until(() => receiver.requests.length === 1)
    expect(bodyOf(receiver.requests[0])).toMatchObject({
      id,
      type: 'hook_note.written',
      truncated: true,
      self: `/api/public/v1/events/${id}`,
      data: { object: 'hook_note', id: 'note_huge', author_id: 'author_1' },
    })
    expect(bodyOf(receiver.requests[0]).data.text).toBeUndefined()
    const steps = await story(orgId, id)
    expect(steps.find(({ code }) => code === 'body_truncated')?.says).toContain('only the ids')
  })
})

describe('delivery.recovered', () => {
  const aFailedDelivery = async () => {
    const orgId = await bench.anOrg()
    let status = 500
    const receiver = await aReceiver(() => answer(status))
    await bench.anEndpoint(orgId, { url: receiver.url, retry_delays_seconds: [] })
    const watcher = await aReceiver()
    await bench.anEndpoint(orgId, { url: watcher.url, events: ['delivery.*'] })
    await bench.note(orgId, 'missed')
    await until(async () => (await deliveriesOf(orgId, 'status=failed')).length === 1)
    const [delivery] = await deliveriesOf(orgId, 'status=failed')
    const recovered = () => watcher.requests.map(bodyOf).filter(({ type }) => type === 'delivery.recovered')
    const mend = () => {
      status = 200
    }
    return { orgId, delivery, recovered, mend, watcher }
  }

  /** Recorded together with the attempt, so once that shows, the events are there. */
  const recordedOf = (orgId: OrgId) => bench.database.many`
    select id from events where org_id = ${orgId} and type = 'delivery.recovered'`

  test('is recorded once when a failed delivery arrives by a resend, and not when the resend fails', async () => {
    const { orgId, delivery, recovered, mend, watcher } = await aFailedDelivery()
    const resend = () => bench.call(orgId, 'POST', `/deliveries/${delivery.id}/resend`)
    const attempts = async () => (await bench.call(orgId, 'GET', `/deliveries/${delivery.id}`)).json.attempts.length
    await resend()
    await until(async () => (await attempts()) === 2)
    mend()
    await resend()
    await until(() => recovered().length === 1)
    expect(recovered()[0].data).toMatchObject({ id: delivery.id, status: 'succeeded', attempt_count: 3, reason: null })
    // Arrived: one more changes nothing and records no event.
    await resend()
    await until(async () => (await attempts()) === 4)
    expect((await recordedOf(orgId)).length).toBe(1)
    expect(watcher.requests.map(bodyOf).filter(({ type }) => type === 'delivery.exhausted').length).toBe(1)
  })

  test('is not recorded for what arrives on a later automatic attempt', async () => {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver((_, nth) => answer(nth === 1 ? 500 : 200))
    await bench.anEndpoint(orgId, { url: receiver.url, retry_delays_seconds: [1] })
    await bench.note(orgId, 'late')
    await until(async () => (await deliveriesOf(orgId, 'status=pending')).some(({ attempt_count: n }) => n === 1))
    bench.advance(1500)
    await until(async () => (await deliveriesOf(orgId, 'status=succeeded')).length === 1)
    expect(await recordedOf(orgId)).toEqual([])
  })

  test('is not recorded for events about webhooks, so two endpoints cannot talk about each other for ever', async () => {
    const orgId = await bench.anOrg()
    let status = 500
    const receiver = await aReceiver(() => answer(status))
    await bench.anEndpoint(orgId, { url: receiver.url, events: ['endpoint.created'], retry_delays_seconds: [] })
    await bench.anEndpoint(orgId, { url: (await aReceiver()).url, events: ['hook_note.*'] })
    await until(async () => (await deliveriesOf(orgId, 'status=failed&type=endpoint.created')).length === 1)
    const [delivery] = await deliveriesOf(orgId, 'status=failed&type=endpoint.created')
    status = 200
    await bench.call(orgId, 'POST', `/deliveries/${delivery.id}/resend`)
    await until(async () => (await deliveriesOf(orgId, 'status=succeeded&type=endpoint.created')).length === 1)
    const rows = await bench.database.many`select from events where org_id = ${orgId} and type like 'delivery.%'`
    expect(rows.length).toBe(0)
  })
})
