import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTestApi } from '../../../test/support/public-api.ts'
import { until } from '../../../test/support/until.ts'
import { type Json, noteWritten, readReply, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import { exampleOf } from '../../events/event-catalogue.ts'
import { findLastSequence } from '../../events/event-feed.ts'
import { eventRoutes } from '../../events/events.routes.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { deliveryIdFor } from '../deliveries/delivery-entry.ts'
import { explainEvent, presentExplanation } from '../explain/explain.ts'

const bench = useWebhooks()
const aReceiver = useReceivers()

const feed = async (orgId: OrgId, query: string) => {
  const call = createTestApi({ database: bench.database, clock: bench.clock, routes: eventRoutes(bench) })
  return readReply(await call('GET', `/events${query}`, { orgId }))
}
const sequencesIn = async (orgId: OrgId, query: string): Promise<(number | null)[]> =>
  (await feed(orgId, query)).json.data.map(({ sequence }: Json) => sequence)

const bodiesOf = ({ requests }: { requests: readonly { body: Buffer }[] }): Json[] =>
  requests.map(({ body }) => JSON.parse(body.toString()))

test('the sequence of real events has no gap when an endpoint is created, pinged and tested in between', async () => {
  const orgId = await bench.anOrg()
  const receiver = await aReceiver()
  const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
  await bench.note(orgId, 'before')
  await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/ping`)
  await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/test`, { json: { type: noteWritten.name } })
  await bench.note(orgId, 'after')
  await until(() => receiver.requests.length === 3)
  expect(await sequencesIn(orgId, '?after=0')).toEqual([1, 2, 3])
  expect(await findLastSequence(bench.database, orgId)).toBe(3)
  const received = bodiesOf(receiver).map(({ type, test: isTest, sequence }) => [type, isTest, sequence])
  expect(received).toContainEqual([noteWritten.name, true, null])
  // An endpoint without an order may get them in any.
  const sequences = received.filter(([, isTest]) => isTest === undefined).map(([, , sequence]) => sequence)
  expect(sequences.toSorted()).toEqual([2, 3])
})

test('a test event is explained, shown with its delivery and sent again when asked for', async () => {
  const orgId = await bench.anOrg()
  const receiver = await aReceiver()
  const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
  const sent = await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/test`, {
    json: { type: noteWritten.name },
  })
  const path = `/deliveries/${sent.json.delivery_id}`
  await until(async () => (await bench.call(orgId, 'GET', path)).json.status === 'succeeded')
  expect((await bench.call(orgId, 'GET', path)).json).toMatchObject({ test: true, sequence: null })
  const asked = { eventId: sent.json.event_id, endpointId: endpoint.id }
  const explained = presentExplanation(await explainEvent(bench, orgId, asked))
  expect(explained).toMatchObject({ sequence: null, stories: [{ verdict: 'delivered' }] })
  await bench.call(orgId, 'POST', `${path}/resend`)
  await until(() => receiver.requests.length === 2)
  const [first, again] = receiver.requests
  expect(again?.body.toString()).toBe(first?.body.toString() as string)
})

/** Rows as version 0.1 wrote them: a test with a number among real events. */
async function recordAsBefore(orgId: OrgId, endpointId: string) {
  const [id, now] = [newId('evt', bench.clock.now()), new Date(bench.clock.now())]
  const { counter } = await bench.database.one<{ counter: number }>`
    update event_counters set last_sequence = last_sequence + 1 where org_id = ${orgId} returning last_sequence as counter`
  const body = JSON.stringify({ ...exampleOf(noteWritten), id, sequence: counter, test: true })
  await bench.database.run`
    insert into events (org_id, id, sequence, type, subject, is_test, body, created_at)
    values (${orgId}, ${id}, ${counter}, ${noteWritten.name}, ${endpointId}, true, ${body}, ${now})`
  return { id, sequence: counter }
}

const upgrade = () => {
  const file = join(import.meta.dirname, '../../../migrations/earlier/0038_test_events_without_sequence.sql')
  const updates = readFileSync(file, 'utf8').match(/^update .*;$/gm) ?? []
  return bench.database.script(updates.join('\n'))
}

test('a test event that version 0.1 recorded leaves the feed when the schema is upgraded, and no reader misses an event', async () => {
  const orgId = await bench.anOrg()
  const receiver = await aReceiver()
  const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
  const moveLane = (state: string) =>
    bench.database.run`update outbox_lanes set state = ${state} where org_id = ${orgId} and id = ${endpoint.id}`
  // Nothing leaves while the older version stands.
  await moveLane('paused')
  await bench.note(orgId, 'before')
  // At once, because an upgrade stops every process first, and here one could read the event in between.
  const old = await recordAsBefore(orgId, endpoint.id)
  await upgrade()
  await bench.note(orgId, 'after')
  await moveLane('open')
  bench.outbox.wake([orgId])
  expect(old.sequence).toBe(3)
  expect(await sequencesIn(orgId, '?after=0')).toEqual([1, 2, 4])
  expect(await feed(orgId, '?after=2')).toMatchObject({ status: 200, json: { data: [{ sequence: 4 }] } })
  expect((await feed(orgId, '?test=true')).json.data.map(({ id }: Json) => id)).toContain(old.id)
  await until(() => receiver.requests.length === 3)
  expect(bodiesOf(receiver).find(({ id }) => id === old.id)).toMatchObject({ test: true, sequence: null })
  const delivery = await bench.call(orgId, 'GET', `/deliveries/${deliveryIdFor(old.id, endpoint.id)}`)
  expect(delivery.json).toMatchObject({ test: true, sequence: null })
})
