import { expect, test } from 'bun:test'
import { aText, useMessaging } from '../../../test/support/messaging.ts'
import { until } from '../../../test/support/until.ts'
import { fixedClock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { listChats } from '../chats/chat-list.sql.ts'
import type { ChatRow } from '../chats/chats.sql.ts'
import { findMessage, type MessageRow } from '../messages/messages.sql.ts'
import { createSendSource } from './sendable.ts'

const bench = useMessaging()

/** A message that was accepted and is in no table, so that whatever is known of it was handed over. */
async function anAccepted(changes: Partial<MessageRow> = {}) {
  const shop = await bench.aShop()
  await bench.report(shop, [aText()])
  const { json } = await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: 'Halo' } })
  await until(async () => (await findMessage(bench.database, shop.orgId, json.id))?.status === 'sent')
  const [{ contact }] = (await listChats(bench.database, shop.orgId, { limit: 1 })) as [ChatRow]
  const sent = (await findMessage(bench.database, shop.orgId, json.id)) as MessageRow
  const row: MessageRow = { ...sent, id: newId('msg'), status: 'queued', settled_lease: 0, ...changes }
  const clock = { ...fixedClock(0), nowMs: 0, now: () => clock.nowMs }
  const source = createSendSource({ database: bench.database, clock })
  const load = (leaseNumber: number) => source.load({ orgId: shop.orgId, id: row.id, leaseNumber })
  await load(1)
  source.keep({ row, contact, entry: null, numberVersion: 7 })
  return { load, clock, row, contact }
}

test('the first run of a message reuses what acceptance read when both are in one process', async () => {
  const { load, row, contact } = await anAccepted()
  const known = { id: row.id, body: 'Halo', status: 'queued', contact_id: contact.id }
  expect(await load(1)).toMatchObject({ row: known, numberVersion: 7 })
  expect(await load(1)).toBeNull()
})

test('the version of a number is no longer known when its message has waited for a second', async () => {
  const { load, clock, row } = await anAccepted()
  clock.nowMs = 1_000
  expect(await load(1)).toMatchObject({ row: { id: row.id }, numberVersion: null })
})

test('a run looks its message up when it is not the first', async () => {
  const { load } = await anAccepted()
  expect(await load(2)).toBeNull()
})

test('a run looks its message up when that has waited for ten seconds', async () => {
  const { load, clock } = await anAccepted()
  clock.nowMs = 10_000
  expect(await load(1)).toBeNull()
})

test('a run looks its message up when it replies to another', async () => {
  const { load } = await anAccepted({ reply_to: newId('msg') })
  expect(await load(1)).toBeNull()
})
