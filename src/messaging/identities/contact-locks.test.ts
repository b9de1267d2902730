import { expect, test } from 'bun:test'
import { aText, type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { isLockAwaited, until } from '../../../test/support/until.ts'
import { type Id, newId } from '../../kernel/ids.ts'
import type { Tx } from '../../platform/database/database.ts'
import { writeOutbound } from '../sending/acceptance.ts'
import type { Outbound } from '../sending/outbound-message.ts'
import { mergeContacts } from './identities.ts'

const bench = useMessaging()

const [SARI, BUDI] = ['6281234567890', '6281298765432']

const isContactAwaited = () => isLockAwaited(bench.database, 'contact')

/** Two people with a chat each. */
async function twoPeople() {
  const shop = await bench.aShop({ connector: 'strict' })
  const contactOf = async (name: string, phone: string) => {
    await bench.report(shop, [aText({ name, phone })])
    return (await bench.call(shop.orgId, 'GET', `/contacts?q=${name}`)).json.data[0].id as Id<'con'>
  }
  return { shop, people: [await contactOf('Budi', BUDI), await contactOf('Sari', SARI)] }
}

/** Merges the second contact into the first, in a transaction that ends once another one waits for it. */
async function aMerge({ shop, people }: Awaited<ReturnType<typeof twoPeople>>) {
  const isMerged = Promise.withResolvers<void>()
  const isOver = bench.database.transaction(async (tx: Tx) => {
    await mergeContacts(tx, shop.orgId, people, new Date())
    isMerged.resolve()
    await until(isContactAwaited)
  })
  await isMerged.promise
  return { shop, isOver }
}

const chatOf = async ({ orgId }: Shop, phone: string) => (await bench.call(orgId, 'GET', `/chats/+${phone}`)).json

test('a message is stored in the kept chat when its contact is merged at the same time', async () => {
  for (const name of ['Sari', 'Sari Dewi']) {
    const { shop, isOver } = await aMerge(await twoPeople())
    await bench.report(shop, [aText({ name, phone: SARI, text: 'Masih ada?' })])
    await isOver
    const chat = await chatOf(shop, BUDI)
    expect(chat.messages.data.map(({ body }: { body: string }) => body)).toContain('Masih ada?')
    expect((await chatOf(shop, SARI)).id).toBe(chat.id)
  }
})

test('a call opens the reply window of the kept chat when its contact is merged at the same time', async () => {
  const { shop, isOver } = await aMerge(await twoPeople())
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

const aMessage = ({ orgId, numberId, phoneNumberId }: Shop, phone: string): Outbound => ({
  id: newId('msg', bench.clock.now()),
  orgId,
  numbers: [
    {
      id: numberId,
      phoneNumberId,
      accountId: '100000000000000',
      displayPhone: '+62 21 5000 1000',
      connector: 'strict',
      version: 1,
      state: 'connected',
      isDefault: true,
      isLenient: false,
      traits: bench.channel.traits,
    },
  ],
  numberId,
  to: { kind: 'phone', value: phone },
  content: { type: 'text', body: `Untuk ${phone}` },
  isMarketing: false,
  outsideWindow: null,
  identityKeyHash: null,
  replyTo: null,
  sendAt: null,
  clientReference: null,
  metadata: {},
  orderId: null,
  sender: { type: 'key', id: null },
  requestId: null,
  claim: null,
  companion: null,
  location: null,
  nowMs: bench.clock.now(),
})

test('a batch sends to a contact that is merged while the batch creates new contacts', async () => {
  const { shop, people } = await twoPeople()
  const newPhone = '6281255555555'
  const isInserted = Promise.withResolvers<void>()
  const isMerging = Promise.withResolvers<void>()
  // Another transaction creates the new contact as well, so that the batch waits between finding Sari and writing to her.
  const otherLock = bench.database.transaction(async (tx) => {
    await tx.run`
      insert into contact_identities (org_id, kind, value, contact_id, created_at)
      values (${shop.orgId}, 'phone', ${newPhone}, ${people[0] as string}, now())`
    isInserted.resolve()
    await isMerging.promise
    throw new Error('undone')
  })
  await isInserted.promise
  const outcomes = writeOutbound(
    (work, how) => bench.database.transaction(work, how),
    [aMessage(shop, SARI), aMessage(shop, newPhone)],
  )
  await until(isContactAwaited)
  const isMerged = Promise.withResolvers<void>()
  const isAwaited = Promise.withResolvers<void>()
  const merging = bench.database.transaction(async (tx) => {
    await mergeContacts(tx, shop.orgId, people, new Date())
    isMerged.resolve()
    await isAwaited.promise
    await until(isContactAwaited)
  })
  await isMerged.promise
  isMerging.resolve()
  await expect(otherLock).rejects.toThrow('undone')
  isAwaited.resolve()
  expect((await outcomes).map(({ ok }) => ok)).toEqual([true, true])
  await merging
  expect((await chatOf(shop, SARI)).messages.data.map(({ body }: { body: string }) => body)).toContain(`Untuk ${SARI}`)
})
