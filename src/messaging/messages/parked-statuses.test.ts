import { expect, test } from 'bun:test'
import { inventOrganization } from '../../../test/support/invented-organizations.ts'
import { quietLog } from '../../../test/support/log.ts'
import { aStatus, type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { accept } from '../../../test/support/scripted-channel.ts'
import { until } from '../../../test/support/until.ts'
import { fixedClock } from '../../kernel/clock.ts'
import type { newId } from '../../kernel/ids.ts'
import { parkReports } from './message-states.sql.ts'
import { createParkedSweep, createParkedWatch } from './parked-statuses.ts'

const bench = useMessaging()
const PROVIDER_ID = 'wamid.early'
const takeAs = (providerId: string) =>
  bench.channel.answerWith(({ to }) => ({ kind: 'accepted', providerId, recipient: to }))

/** What another process parked while this one was about to note the answer. */
const parkElsewhere = ({ orgId, numberId }: Shop) =>
  bench.database.transaction((tx) => {
    const report = { status: 'delivered', at: new Date().toISOString(), provider_id: PROVIDER_ID, failure: null }
    return parkReports(tx, orgId, [{ numberId, providerId: PROVIDER_ID, status: 'delivered', report }], new Date())
  })

async function send({ orgId }: Shop): Promise<() => Promise<string>> {
  takeAs(PROVIDER_ID)
  const { json } = await bench.call(orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: 'Halo' } })
  const statusOf = async () => (await bench.call(orgId, 'GET', `/messages/${json.id}`)).json.status
  await until(async () => (await statusOf()) !== 'queued')
  return statusOf
}

const parts = () => ({ database: bench.database, clock: bench.clock, log: quietLog })

test('a parked status moves its message when the process that parked it looks again', async () => {
  const shop = await bench.aShop()
  await parkElsewhere(shop)
  const statusOf = await send(shop)
  expect(await statusOf()).toBe('sent')
  const watch = createParkedWatch(parts())
  watch.note(shop.orgId, [{ numberId: shop.numberId, providerId: PROVIDER_ID }])
  await until(async () => (await statusOf()) === 'delivered')
  await until(async () => !watch.has(shop.orgId, { numberId: shop.numberId, providerId: PROVIDER_ID }))
  await watch.stop()
  const types = (await bench.eventsOf(shop.orgId)).map(({ type }) => type)
  expect(types.slice(-2)).toEqual(['message.sent', 'message.delivered'])
  bench.channel.answerWith(accept)
})

test('a parked status moves its message when the process that parked it died', async () => {
  const shop = await bench.aShop()
  await parkElsewhere(shop)
  const statusOf = await send(shop)
  expect(await createParkedSweep(parts()).sweep()).toBe(1)
  expect(await statusOf()).toBe('delivered')
  bench.channel.answerWith(accept)
})

test('a status moves its message when it was parked a moment before the answer is noted', async () => {
  const shop = await bench.aShop()
  await bench.report(shop, [aStatus({ providerId: PROVIDER_ID, status: 'delivered' })])
  const statusOf = await send(shop)
  expect(await statusOf()).toBe('delivered')
  bench.channel.answerWith(accept)
})

test('statuses whose message never came are forgotten after two days, of every organization, and younger ones stay', async () => {
  const clock = fixedClock(Date.UTC(2026, 10, 15))
  const park = (orgId: ReturnType<typeof newId<'org'>>, providerId: string, hoursAgo: number) =>
    bench.database.transaction((tx) =>
      parkReports(
        tx,
        orgId,
        [{ numberId: 'num_1', providerId, status: 'sent', report: {} }],
        new Date(clock.now() - hoursAgo * 3_600_000),
      ),
    )
  const [one, other] = [inventOrganization(), inventOrganization()]
  await park(one, 'old', 49)
  await park(one, 'young', 47)
  await park(other, 'old', 100)
  await createParkedSweep({ database: bench.database, clock, log: quietLog }).sweep()
  const left = await bench.database.many<{ org_id: string; provider_id: string }>`
    select org_id, provider_id from message_statuses_parked where org_id = any(${[one, other]})`
  expect(left).toEqual([{ org_id: one, provider_id: 'young' }])
})
