import { expect, test } from 'bun:test'
import { until } from '../../../test/support/until.ts'
import { useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import { getEvent } from '../../events/event-feed.ts'
import { expectOlderEvents } from '../../events/event-upgrade.ts'

const bench = useWebhooks()
const aReceiver = useReceivers()

test('an event that lacks a member of its schema is delivered and shown with it, the same on every attempt', async () => {
  expectOlderEvents()
  const orgId = await bench.anOrg()
  const receiver = await aReceiver()
  const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
  await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/pause`)
  const { id } = await bench.note(orgId, 'old')
  await bench.database.run`
    update events set body = replace(body, ',"previous":null', '') where org_id = ${orgId} and id = ${id}`
  await bench.call(orgId, 'POST', `/webhook-endpoints/${endpoint.id}/resume`, { json: {} })
  await until(() => receiver.requests.length === 1)
  const [delivery] = (await bench.call(orgId, 'GET', `/deliveries?event=${id}`)).json.data
  await until(async () => (await bench.call(orgId, 'GET', `/deliveries/${delivery.id}`)).json.status === 'succeeded')
  await bench.call(orgId, 'POST', `/deliveries/${delivery.id}/resend`)
  await until(() => receiver.requests.length === 2)
  const [first, again] = receiver.requests.map(({ body }) => body.toString())
  expect(JSON.parse(first as string)).toMatchObject({ id, data: { text: 'old' }, previous: null })
  expect(again).toBe(first as string)
  expect((await getEvent(bench.database, orgId, id)).body).toBe(first as string)
})
