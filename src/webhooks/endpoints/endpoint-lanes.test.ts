import { describe, expect, test } from 'bun:test'
import { answer } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'
import { type Json, noteErased, noteWritten, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import { recordEvents } from '../../events/recording.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { delaysFor } from './endpoint-lanes.ts'

test('the name that fits most closely counts, then what the endpoint says of all, then the standard', () => {
  const settings = {
    retry_delays_seconds: [1],
    retry_delays_by_event: { '*': [2], 'order.*': [3], 'order.paid': [4], 'order.item.*': [5] },
  }
  expect(delaysFor(settings, 'order.paid')).toEqual([4])
  expect(delaysFor(settings, 'order.expired')).toEqual([3])
  expect(delaysFor(settings, 'order.item.sold')).toEqual([5])
  expect(delaysFor(settings, 'message.sent')).toEqual([2])
  const few = { ...settings, retry_delays_by_event: { 'order.paid': [] } }
  expect([delaysFor(few, 'order.paid'), delaysFor(few, 'order.expired')]).toEqual([[], [1]])
  expect(delaysFor({ retry_delays_seconds: null, retry_delays_by_event: null }, 'order.paid')).toBeNull()
})

const bench = useWebhooks()
const aReceiver = useReceivers()

const record = (orgId: OrgId, count: number) => {
  const written = { object: 'hook_note' as const, id: 'n', text: 'x', author_id: 'a' }
  const events = Array.from({ length: count }, (_, nth) =>
    nth % 2 === 0
      ? { type: noteWritten, subject: 'n', data: written }
      : { type: noteErased, subject: 'n', data: { id: 'n' } },
  )
  return bench.database.transaction((tx) => recordEvents(tx, orgId, events, bench.clock.now()))
}
const deliveriesOf = async (orgId: OrgId): Promise<Json[]> =>
  (await bench.call(orgId, 'GET', '/deliveries?limit=100')).json.data

describe('an endpoint', () => {
  const url = 'https://hooks.example.com/nexkit'

  test('shows its waits by event; a change replaces them, null takes them away', async () => {
    const orgId = await bench.anOrg()
    const delays = { 'hook_note.*': [10, 20], 'hook_note.erased': [] }
    const { id, ...made } = await bench.anEndpoint(orgId, { url, retry_delays_by_event: delays })
    expect(made.retry_delays_by_event).toEqual(delays)
    const change = async (json: object) =>
      (await bench.call(orgId, 'PATCH', `/webhook-endpoints/${id}`, { json })).json.retry_delays_by_event
    expect(await change({ description: 'x' })).toEqual(delays)
    expect(await change({ retry_delays_by_event: { 'hook_note.written': [5] } })).toEqual({ 'hook_note.written': [5] })
    expect(await change({ retry_delays_by_event: null })).toEqual({})
    expect((await bench.anEndpoint(orgId, { url })).retry_delays_by_event).toEqual({})
  })

  test('422: an event that there is not, with the one most likely meant, and a wait of no length', async () => {
    const orgId = await bench.anOrg()
    const make = (delays: object) =>
      bench.call(orgId, 'POST', '/webhook-endpoints', { json: { url, retry_delays_by_event: delays } })
    const unknown = await make({ 'hook_note.writen': [5] })
    expect([unknown.status, JSON.stringify(unknown.json)]).toEqual([422, expect.stringContaining('hook_note.written')])
    expect((await make({ 'hook_note.written': [0] })).status).toBe(422)
  })
})

test('each delivery is tried again by the waits of its event, also after it was sent with others', async () => {
  for (const count of [2, 40]) {
    const orgId = await bench.anOrg()
    const receiver = await aReceiver(() => answer(500))
    await bench.anEndpoint(orgId, {
      url: receiver.url,
      retry_delays_seconds: [3600, 3600],
      retry_delays_by_event: { 'hook_note.erased': [] },
    })
    await record(orgId, count)
    // The breaker opens after some failures; what was tried by then is enough.
    await until(async () => (await deliveriesOf(orgId)).filter(({ attempt_count }) => attempt_count > 0).length > 1)
    const entries = await bench.database.many<{ id: string; delays: number[] }>`
      select id, payload -> 'retry_delays_seconds' as delays from outbox_entries
      where org_id = ${orgId} and job = 'webhooks.deliver'`
    const deliveries = await deliveriesOf(orgId)
    const typeOf = (id: string) => deliveries.find((delivery) => delivery.id === id)?.type
    for (const { id, delays } of entries) expect([typeOf(id), delays]).toEqual([typeOf(id), delaysOf(typeOf(id))])
    const tried = deliveries.filter(({ attempt_count }) => attempt_count > 0)
    for (const { type, status } of tried)
      expect([type, status]).toEqual([type, type === noteErased.name ? 'failed' : 'pending'])
  }
})

const delaysOf = (type: string) => (type === noteErased.name ? [] : [3600, 3600])
