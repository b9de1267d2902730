import { describe, expect, test } from 'bun:test'
import { aText, type Shop, useMessaging } from '../../test/support/messaging.ts'
import { untilLockIsAwaited } from '../../test/support/until.ts'
import type { Id } from '../kernel/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { lockLinkedContacts } from './identities/contact-locks.ts'
import { mergeContacts } from './identities/identities.ts'

/**
 * Locks are taken on people, then chats, then messages, each in the order of their ids, so that transactions never
 * deadlock. A transaction that waits for a lock holds no later one: the tests show it by locking the later row without
 * waiting.
 */
const bench = useMessaging()

const PHONES = ['6281200000001', '6281200000002', '6281200000003', '6281200000004'] as const

type KnownPerson = { contact_id: Id<'con'>; chat_id: Id<'chat'>; phone: string; userId: string }

/** In the order of their ids: four people, each with a chat of one message. */
async function fourPeople() {
  const shop = await bench.aShop()
  for (const phone of PHONES) await bench.report(shop, [aText({ phone, name: null, text: 'Halo' })])
  const people = await bench.database.many<KnownPerson>`
    select chat.contact_id, chat.id as chat_id, identity.value as phone, 'ID.' || identity.value as "userId"
    from contact_identities identity
    join chats chat on chat.org_id = identity.org_id and chat.contact_id = identity.contact_id
    where identity.org_id = ${shop.orgId} order by identity.value`
  return { shop, people: people as [KnownPerson, KnownPerson, KnownPerson, KnownPerson] }
}

/** Under names that are known as those of two. */
const asBoth = ({ phone, userId }: KnownPerson) => aText({ phone, userId, name: null })
const asAnother = ({ userId }: KnownPerson) => aText({ phone: null, userId, name: null })
const asBefore = ({ phone }: KnownPerson) => aText({ phone, name: null })

type Table = 'contacts' | 'chats' | 'messages'

const lock = (tx: Tx, { orgId }: Shop, table: Table, ids: readonly string[]) => {
  const rows = tx.part`where org_id = ${orgId} and id = any(${[...ids]}::text[]) for no key update nowait`
  if (table === 'contacts') return tx.run`select from contacts ${rows}`
  return table === 'chats' ? tx.run`select from chats ${rows}` : tx.run`select from messages ${rows}`
}

/** Work that waits for the first of these holds none of the others. */
async function expectOneOrder(
  shop: Shop,
  { table, ids: [first, ...later], work }: { table: Table; ids: string[]; work: () => Promise<unknown> },
): Promise<void> {
  const isHeld = Promise.withResolvers<void>()
  const holding = bench.database.transaction(async (tx) => {
    await lock(tx, shop, table, [first as string])
    isHeld.resolve()
    await untilLockIsAwaited(bench.database)
    await lock(tx, shop, table, later)
  })
  await isHeld.promise
  const working = work()
  await expect(holding).resolves.toBeUndefined()
  await working
}

describe('a transaction that waits for a lock holds no later lock', () => {
  test('on the chats of all who wrote when a batch merges two people', async () => {
    const { shop, people } = await fourPeople()
    const [one, , three, four] = people
    await bench.report(shop, [asAnother(four)])
    await expectOneOrder(shop, {
      table: 'chats',
      ids: [one, three, four].map(({ chat_id }) => chat_id),
      work: () => bench.report(shop, [asBoth(four), asBefore(three), asBefore(one)]),
    })
  })

  test('on the chats of renamed people when a batch merges two people', async () => {
    const { shop, people } = await fourPeople()
    const [one, , three, four] = people
    await bench.report(shop, [asAnother(four)])
    await expectOneOrder(shop, {
      table: 'chats',
      ids: [one, three, four].map(({ chat_id }) => chat_id),
      work: () => bench.report(shop, [asBoth(four), asBefore(three), aText({ phone: one.phone, name: 'Ibu Sari' })]),
    })
  })

  test('on the chats of all merged people when a batch merges several', async () => {
    const { shop, people } = await fourPeople()
    const [one, , three] = people
    await bench.report(shop, [asAnother(one), asAnother(three)])
    await expectOneOrder(shop, {
      table: 'chats',
      ids: [one.chat_id, three.chat_id],
      work: () => bench.report(shop, [asBoth(three), asBoth(one)]),
    })
  })

  test('on people when a batch reports other names of several', async () => {
    const { shop, people } = await fourPeople()
    await expectOneOrder(shop, {
      table: 'contacts',
      ids: people.map(({ contact_id }) => contact_id),
      work: () =>
        bench.report(
          shop,
          people.toReversed().map(({ phone }) => aText({ phone, name: `Ibu ${phone}` })),
        ),
    })
  })

  test('on messages when a chat is merged into another', async () => {
    const { shop, people } = await fourPeople()
    const [one, two] = people
    await bench.report(shop, [asBefore(two)])
    const messages = await bench.database.many<{ id: string }>`
      select id from messages where org_id = ${shop.orgId} and chat_id = ${two.chat_id} order by id`
    const ids = messages.map(({ id }) => id)
    await bench.database.run`
      update messages set happened_at = now() + interval '1 hour'
      where org_id = ${shop.orgId} and id = ${ids[0] as string}`
    const merge = (tx: Tx) => mergeContacts(tx, shop.orgId, [one.contact_id, two.contact_id], new Date())
    await expectOneOrder(shop, { table: 'messages', ids, work: () => bench.database.transaction(merge) })
  })
})

test('people are locked before chats when an organization of the batch has no links', async () => {
  const [mine, theirs] = [await fourPeople(), await fourPeople()]
  const [{ contact_id: contactId, phone }] = mine.people
  const [{ contact_id: wishing }] = theirs.people
  const person = { phone, userId: null, username: null, name: null }
  await bench.database.transaction(async (tx) => {
    await lockLinkedContacts(tx, {
      links: [{ orgId: mine.shop.orgId, person, contactId }],
      besides: [{ orgId: theirs.shop.orgId, contactId: wishing }],
      messages: [],
    })
    const another = bench.database.transaction((other) => lock(other, theirs.shop, 'contacts', [wishing]))
    await expect(another).rejects.toThrow('could not obtain lock')
  })
})

describe('a contact that is merged while a chat is created for it', () => {
  /** Two people on one number, and another number without chats. */
  async function duringMerge(work: (other: Shop, phone: string) => Promise<unknown>) {
    const { shop, people } = await fourPeople()
    const [one, two] = people
    const phoneNumberId = '106500000000002'
    const numberId = await bench.aNumber(shop.orgId, { phoneNumberId })
    const isMerged = Promise.withResolvers<void>()
    const merging = bench.database.transaction(async (tx) => {
      await mergeContacts(tx, shop.orgId, [one.contact_id, two.contact_id], new Date())
      isMerged.resolve()
      await untilLockIsAwaited(bench.database)
    })
    await isMerged.promise
    await work({ orgId: shop.orgId, numberId, phoneNumberId }, two.phone)
    await merging
    const chats = await bench.database.many<{ contact_id: string }>`
      select contact_id from chats where org_id = ${shop.orgId} and number_id = ${numberId}`
    expect(chats).toEqual([{ contact_id: one.contact_id }])
  }

  test('has its message in a chat of the kept contact', async () => {
    await duringMerge((other, phone) => bench.report(other, [aText({ phone, name: null })]))
  })

  test('is sent to in a chat of the kept contact', async () => {
    await duringMerge(async ({ orgId, numberId }, phone) => {
      const sent = await bench.call(orgId, 'POST', '/messages', {
        json: { to: `+${phone}`, body: 'Halo', from: numberId },
      })
      expect(sent.status).toBe(201)
    })
  })
})
