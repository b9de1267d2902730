import { expect, test } from 'bun:test'
import { aText, type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { until } from '../../../test/support/until.ts'
import { changeOrganization } from '../../accounts/organizations/organizations.ts'
import { weekdays } from './business-hours.ts'

const bench = useMessaging()

const PHONE = '6281234500009'
const HOUR_MS = 3_600_000
const message = 'Kami tutup. Besok pagi kami balas.'

/** Open for one hour of each day, which starts in two hours. */
async function aClosedShop(): Promise<Shop> {
  const shop = await bench.aShop()
  const from = new Date(bench.clock.now() + 2 * HOUR_MS).toISOString().slice(11, 16)
  const to = new Date(bench.clock.now() + 3 * HOUR_MS).toISOString().slice(11, 16)
  const hours = weekdays.map((day) => ({ day, from, to }))
  const settings = { auto_reply: { enabled: true, message, hours } }
  await bench.database.transaction((tx) => changeOrganization(tx, shop.orgId, { timezone: 'UTC', settings }))
  return shop
}

const answers = async ({ orgId }: Shop) => {
  const { json } = await bench.call(orgId, 'GET', `/chats/+${PHONE}`)
  return json.messages.data.filter((one: { body: string }) => one.body === message)
}

test('a chat gets one automatic answer per closed period, and none while the shop is open', async () => {
  const shop = await aClosedShop()
  await bench.report(shop, [aText({ phone: PHONE, text: 'Halo' }), aText({ phone: PHONE, text: 'Ada orang?' })])
  await until(async () => (await answers(shop)).length === 1)
  expect((await answers(shop))[0]).toMatchObject({ direction: 'outbound', sender: { type: 'system' } })
  await bench.report(shop, [aText({ phone: PHONE, text: 'Halo lagi' })])
  await bench.settle()
  expect(await answers(shop)).toHaveLength(1)
  bench.advance(2.5 * HOUR_MS)
  await bench.report(shop, [aText({ phone: PHONE, text: 'Sudah buka?' })])
  await bench.settle()
  expect(await answers(shop)).toHaveLength(1)
  bench.advance(HOUR_MS)
  await bench.report(shop, [aText({ phone: PHONE, text: 'Tutup lagi?' })])
  await until(async () => (await answers(shop)).length === 2)
})
