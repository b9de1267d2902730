import { afterAll, expect, test } from 'bun:test'
import { noteReceiver, useRecoveries } from '../../../test/support/recoveries.ts'
import { until } from '../../../test/support/until.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'

const bench = useRecoveries()
const closers: (() => unknown)[] = []
afterAll(() => Promise.all(closers.map((close) => close())))

async function duplicates(): Promise<number> {
  const metric = bench.webhooks.metrics().find(({ name }) => name === 'nexkit_webhook_duplicates_sent_total')
  return metric?.kind === 'counter' ? Number(await metric.read()) : Number.NaN
}

async function anOwedEvent(answer?: Parameters<typeof noteReceiver>[0]) {
  const target = await noteReceiver(answer)
  closers.push(target.stop)
  const orgId = await bench.anOrg()
  const endpoint = await bench.anEndpoint(orgId, { url: target.url })
  const [eventId] = (await bench.events(orgId, 1)) as [Id<'evt'>]
  await bench.fanOut()
  return { target, orgId, id: bench.deliveryId(eventId, endpoint.id) }
}

const deliveryIn = (orgId: OrgId, id: string) => bench.call(orgId, 'GET', `/deliveries/${id}`)

test('a duplicate is what is sent again after it arrived, and what follows an attempt that left no record', async () => {
  const arrived = await anOwedEvent()
  const failed = await anOwedEvent((_, nth) => (nth === 1 ? 500 : 200))
  const lost = await anOwedEvent()
  await bench.database.run`update outbox_entries set attempt = 1 where id = ${lost.id}`
  const before = await duplicates()
  const worker = await bench.startWorker()
  closers.push(worker.stop)
  const untilStatus = (of: { orgId: OrgId; id: string }, status: string) =>
    until(async () => (await deliveryIn(of.orgId, of.id)).json.status === status)
  await Promise.all([untilStatus(arrived, 'succeeded'), untilStatus(lost, 'succeeded')])
  expect((await duplicates()) - before).toBe(1)

  const resend = async ({ orgId, id }: typeof arrived) => {
    const { json } = await bench.call(orgId, 'POST', `/deliveries/${id}/resend`)
    await until(async () =>
      (await deliveryIn(orgId, id)).json.attempts.some((attempt: { id: string }) => attempt.id === json.attempt_id),
    )
  }
  await until(() => failed.target.ids().length === 1)
  await resend(failed)
  await untilStatus(failed, 'succeeded')
  expect((await duplicates()) - before).toBe(1)
  await resend(arrived)
  expect((await duplicates()) - before).toBe(2)
})
