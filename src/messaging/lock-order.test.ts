import { describe, expect, test } from 'bun:test'
import { aText, type Shop, useMessaging } from '../../test/support/messaging.ts'
import { untilLockIsAwaited } from '../../test/support/until.ts'
import type { Id } from '../kernel/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { lockLinkedContacts } from './contact-locks.ts'
import { mergeContacts } from './contact-merge.ts'

/**
 * People, then chats, then messages, each in the order of their ids: then nobody waits in a ring. Whoever waits for one
 * holds none that comes after it, which is tried here by taking that one without waiting.
 */
const bench = useMessaging()

const PHONES = ['6281200000001', '6281200000002', '6281200000003', '6281200000004'] as const

type Somebody = { contact_id: Id<'con'>; chat_id: Id<'chat'>; phone: string; userId: string }

/** In the order of their ids: four people, each with a chat of one message. */
async function fourPeople() {
  const shop = await bench.aShop()
  for (const phone of PHONES) await bench.report(shop, [aText({ phone, name: null, text: 'Halo' })])
  const people = await bench.database.many<Somebody>`
    select chat.contact_id, chat.id as chat_id, identity.value as phone, 'ID.' || identity.value as "userId"
    from contact_identities identity
    join chats chat on chat.org_id = identity.org_id and chat.contact_id = identity.contact_id
    where identity.org_id = ${shop.orgId} order by identity.value`
  return { shop, people: people as [Somebody, Somebody, Somebody, Somebody] }
}

/** Under names that are known as those of two. */
const asBoth = ({ phone, userId }: Somebody) => aText({ phone, userId, name: null })
const asAnother = ({ userId }: Somebody) => aText({ phone: null, userId, name: null })
const asBefore = ({ phone }: Somebody) => aText({ phone, name: null })

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

describe('nobody who waits for one holds another that comes after it', () => {
  test('of a batch that makes two people one, the chats of all who wrote', async () => {
    const { shop, people } = await fourPeople()
    const [one, , three, four] = people
    await bench.report(shop, [asAnother(four)])
    await expectOneOrder(shop, {
      table: 'chats',
      ids: [one, three, four].map(({ chat_id }) => chat_id),
      work: () => bench.report(shop, [asBoth(four), asBefore(three), asBefore(one)]),
    })
  })

  test('of a batch that makes two people one, the chats of those whose name is another by now', async () => {
    const { shop, people } = await fourPeople()
    const [one, , three, four] = people
    await bench.report(shop, [asAnother(four)])
    await expectOneOrder(shop, {
      table: 'chats',
      ids: [one, three, four].map(({ chat_id }) => chat_id),
      work: () => bench.report(shop, [asBoth(four), asBefore(three), aText({ phone: one.phone, name: 'Ibu Sari' })]),
    })
  })

  test('of a batch that makes several people one, the chats of all of them', async () => {
    const { shop, people } = await fourPeople()
    const [one, , three] = people
    await bench.report(shop, [asAnother(one), asAnother(three)])
    await expectOneOrder(shop, {
      table: 'chats',
      ids: [one.chat_id, three.chat_id],
      work: () => bench.report(shop, [asBoth(three), asBoth(one)]),
    })
  })

  test('of a batch that tells other names of several people, the people', async () => {
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

  test('of a chat that is taken in by another, the messages', async () => {
    const { shop, people } = await fourPeople()
    const [one, two] = people
    await bench.report(shop, [asBefore(two)])
    const messages = await bench.database.many<{ id: string }>`
      select id from messages where org_id = ${shop.orgId} and chat_id = ${two.chat_id} order by id`
    const ids = messages.map(({ id }) => id)
    await bench.database.run`
      update messages set happened_at = happened_at + interval '1 hour'
      where org_id = ${shop.orgId} and id = ${ids[0] as string}`
    const merge = (tx: Tx) => mergeContacts(tx, shop.orgId, [one.contact_id, two.contact_id], new Date())
    await expectOneOrder(shop, { table: 'messages', ids, work: () => bench.database.transaction(merge) })
  })
})

test('people are locked before chats also of an organization in which nobody is linked', async () => {
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

describe('who is merged while a chat is made for them', () => {
  /** Two people on one number, and another number on which nobody has a chat yet. */
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

  test('has written in a chat of the person they became', async () => {
    await duringMerge((other, phone) => bench.report(other, [aText({ phone, name: null })]))
  })

  test('is written to in a chat of the person they became', async () => {
    await duringMerge(async ({ orgId, numberId }, phone) => {
      const sent = await bench.call(orgId, 'POST', '/messages', {
        json: { to: `+${phone}`, body: 'Halo', from: numberId },
      })
      expect(sent.status).toBe(201)
    })
  })
})
