import { expect, test } from 'bun:test'
import { until } from '../../../test/support/until.ts'
import { textsOf, useReceivers, useWebhooks } from '../../../test/support/webhooks.ts'
import { eventsTable } from '../../events/events.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { dropOldPartitions } from '../../platform/database/daily-partitions.ts'
import { areDeliveriesPending } from '../webhooks.ts'

const bench = useWebhooks()
const aReceiver = useReceivers()

const events = eventsTable(areDeliveriesPending)
const dropAfterDays = (days: number) =>
  dropOldPartitions(bench.database, events, bench.clock.now() + days * 24 * 3600 * 1000)
const pauseOf = (orgId: OrgId, id: string, act: 'pause' | 'resume') =>
  bench.call(orgId, 'POST', `/webhook-endpoints/${id}/${act}`, act === 'resume' ? { json: {} } : {})
const statuses = async (orgId: OrgId) =>
  (
    await bench.database.many<{ status: string }>`
      select status from webhook_deliveries where org_id = ${orgId} and not is_test`
  ).map(({ status }) => status)

test('events with a pending delivery are kept beyond their retention, and arrive when the endpoint is resumed', async () => {
  const orgId = await bench.anOrg()
  const receiver = await aReceiver()
  const endpoint = await bench.anEndpoint(orgId, { url: receiver.url })
  await pauseOf(orgId, endpoint.id, 'pause')
  await bench.note(orgId, 'pending for long', 'one')
  await until(async () => (await statuses(orgId)).includes('held'))
  const today = `events_${new Date(bench.clock.now()).toISOString().slice(0, 10).replaceAll('-', '')}`

  expect((await dropAfterDays(45)).dropped).not.toContain(today)
  await pauseOf(orgId, endpoint.id, 'resume')
  await until(() => receiver.requests.length === 1)
  expect(textsOf(receiver.requests)).toEqual(['pending for long'])
  await until(async () => (await statuses(orgId)).every((status) => status === 'succeeded'))
  expect((await dropAfterDays(45)).dropped).toContain(today)
})
