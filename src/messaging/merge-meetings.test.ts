import { expect, test } from 'bun:test'
import { aText, type Shop, useMessaging } from '../../test/support/messaging.ts'
import { until } from '../../test/support/until.ts'
import type { Id } from '../kernel/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { mergeContacts } from './contact-merge.ts'

const bench = useMessaging()

const [SARI, BUDI] = ['6281234567890', '6281298765432']

const isSomebodyWaiting = async () => {
  const { waiting } = await bench.database.one<{ waiting: number }>`
    select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query ~ 'contact'`
  return waiting > 0
}

/** Two people with a chat each, and the merge of the second into the first, which ends once somebody waits for it. */
async function aMerge() {
  const shop = await bench.aShop({ connector: 'strict' })
  const contactOf = async (name: string, phone: string) => {
    await bench.report(shop, [aText({ name, phone })])
    return (await bench.call(shop.orgId, 'GET', `/contacts?q=${name}`)).json.data[0].id as Id<'con'>
  }
  const people = [await contactOf('Budi', BUDI), await contactOf('Sari', SARI)]
  const isMerged = Promise.withResolvers<void>()
  const isOver = bench.database.transaction(async (tx: Tx) => {
    await mergeContacts(tx, shop.orgId, people, new Date())
    isMerged.resolve()
    await until(isSomebodyWaiting)
  })
  await isMerged.promise
  return { shop, isOver }
}

const chatOf = async ({ orgId }: Shop, phone: string) => (await bench.call(orgId, 'GET', `/chats/+${phone}`)).json

test('what somebody writes while they are merged into another is in the chat that goes on', async () => {
  for (const name of ['Sari', 'Sari Dewi']) {
    const { shop, isOver } = await aMerge()
    await bench.report(shop, [aText({ name, phone: SARI, text: 'Masih ada?' })])
    await isOver
    const chat = await chatOf(shop, BUDI)
    expect(chat.messages.data.map(({ body }: { body: string }) => body)).toContain('Masih ada?')
    expect((await chatOf(shop, SARI)).id).toBe(chat.id)
  }
})

test('a call of somebody who is merged into another meanwhile opens the window of the chat that goes on', async () => {
  const { shop, isOver } = await aMerge()
  const before = await chatOf(shop, BUDI)
  bench.advance(60_000)
  const from = { phone: SARI, userId: null, parentUserId: null, username: null, name: 'Sari' }
  const at = new Date(bench.clock.now()).toISOString()
  await bench.report(shop, [{ kind: 'call', phoneNumberId: null, raw: null, from, at }])
  await isOver
  const after = await chatOf(shop, SARI)
  expect(after.id).toBe(before.id)
  expect(Date.parse(after.reply_window.closes_at)).toBeGreaterThan(Date.parse(before.reply_window.closes_at))
})
