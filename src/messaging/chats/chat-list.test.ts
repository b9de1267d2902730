import { expect, test } from 'bun:test'
import { onOnePostgres } from '../../../test/support/cluster.ts'
import { aText, useMessaging } from '../../../test/support/messaging.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'
import { listContacts } from '../contacts/contacts.sql.ts'
import { searchMessages } from '../messages/messages.sql.ts'
import { NEWEST_LOOKED_AT, textQuery } from '../search/search.ts'
import { listChats, PEOPLE_HITS_MAX } from './chat-list.sql.ts'
import type { ChatRow } from './chats.sql.ts'

const bench = useMessaging()

/** Contacts with a chat each, as if they had written one after the other; the words are those that search stores. */
async function aCrowd(orgId: OrgId, numberId: string, size: number): Promise<void> {
  const tag = `${orgId.slice(-10)}|`
  await bench.database.run`
    insert into contacts (org_id, id, name, phone, words, created_at, updated_at)
    select ${orgId}, 'con_' || lpad(nth::text, 26, '0'), 'Sari', '62812' || lpad(nth::text, 8, '0'),
      array_to_tsvector(array[${tag} || 'sari', ${tag} || '#62812' || lpad(nth::text, 8, '0')]), now(), now()
    from generate_series(1, ${size}::int) as nth`
  await bench.database.run`
    insert into chats (org_id, id, number_id, contact_id, last_activity_at, created_at)
    select ${orgId}, 'chat_' || lpad(nth::text, 26, '0'), ${numberId}, 'con_' || lpad(nth::text, 26, '0'),
      now() - nth * interval '1 second', now()
    from generate_series(1, ${size}::int) as nth`
}

test('a search lists the most recently active chats first, page by page, when very many people match, and finds one by phone', async () => {
  const shop = await bench.aShop()
  await aCrowd(shop.orgId, shop.numberId, PEOPLE_HITS_MAX + 500)
  await bench.report(shop, [aText({ phone: '6281399999999', name: 'Budi', text: 'salam untuk sari' })])
  const search = async (query: string) => (await bench.call(shop.orgId, 'GET', `/chats?${query}`)).json
  const first = await search('q=sari&limit=3')
  const phones = (page: { data: { contact: { phone: string } }[] }) => page.data.map(({ contact }) => contact.phone)
  expect(phones(first)).toEqual(['+6281399999999', '+6281200000001', '+6281200000002'])
  const second = await search(`q=sari&limit=3&cursor=${first.next_cursor}`)
  expect(phones(second)).toEqual(['+6281200000003', '+6281200000004', '+6281200000005'])
  expect(phones(await search('q=62812000034'))).toHaveLength(25)
  expect(phones(await search('q=6281200003499'))).toEqual(['+6281200003499'])
  expect(phones(await search('q=budi'))).toEqual(['+6281399999999'])
})

test('a search does not read another organization when that has very many matches', async () => {
  const [one, other] = [await bench.aShop(), await bench.aShop()]
  await aCrowd(one.orgId, one.numberId, PEOPLE_HITS_MAX)
  expect((await bench.call(other.orgId, 'GET', '/chats?q=sari')).json.data).toEqual([])
})

/** A chat of so many messages, the oldest of which holds the word `unikorn`; and so many contacts, the oldest called so. */
async function aLongHistory(orgId: OrgId, numberId: string, size: number): Promise<void> {
  const tag = `${orgId.slice(-10)}|`
  await aCrowd(orgId, numberId, size)
  await bench.database.run`
    update contacts set words = array_to_tsvector(array[${tag} || 'unikorn'])
    where org_id = ${orgId} and id = 'con_' || lpad('1', 26, '0')`
  await bench.database.run`
    insert into messages (org_id, id, chat_id, number_id, direction, type, sender_type, happened_at,
      created_at, words)
    select ${orgId}, 'msg_' || lpad(nth::text, 26, '0'), 'chat_' || lpad('2', 26, '0'), ${numberId}, 'inbound', 'text',
      'contact', date_trunc('milliseconds', now()), now(),
      array_to_tsvector(array[${tag} || case nth when 1 then 'unikorn' else 'kopi' end])
    from generate_series(1, ${size}::int) as nth`
}

/** Entries that this transaction has read in the indexes of contacts and messages. */
const entriesRead = async (tx: Queries) =>
  (
    await tx.one<{ count: number }>`
      select sum(pg_stat_get_xact_tuples_returned(indexrelid))::int as count
      from pg_index where indrelid in ('contacts'::regclass, 'messages'::regclass)`
  ).count

onOnePostgres('it reads a plan of one node')(
  'a rare word is found without reading other messages, also when the connection has searched often',
  async () => {
    const { orgId, numberId } = await bench.aShop()
    await aLongHistory(orgId, numberId, 5 * NEWEST_LOOKED_AT)
    const query = textQuery(orgId, 'unikorn') as string
    const { chats, contacts, messages, read } = await bench.database.transaction(async (tx) => {
      // PostgreSQL may choose a generic plan from the sixth search of a connection on.
      await tx.run`set local plan_cache_mode to force_generic_plan`
      const before = await entriesRead(tx)
      const chats = await listChats(tx, orgId, { contactQuery: query, textQuery: query, limit: 10 })
      const contacts = await listContacts(tx, orgId, { query, before: null, limit: 10 })
      const messages = await searchMessages(tx, orgId, { query, chatId: null, before: null, limit: 10 })
      return { chats, contacts, messages, read: (await entriesRead(tx)) - before }
    })
    expect(chats.map(({ id }) => id.slice(-1))).toEqual(['1', '2'])
    expect(contacts.map(({ id }) => id.slice(-1))).toEqual(['1'])
    expect(messages.map(({ id }) => id.slice(-1))).toEqual(['1'])
    expect(read).toBeLessThan(2 * NEWEST_LOOKED_AT + 1_100)
  },
)

test('a word of nearly all messages is found among the newest, page after page', async () => {
  const { orgId, numberId } = await bench.aShop()
  await aLongHistory(orgId, numberId, NEWEST_LOOKED_AT + 100)
  const search = async (query: string) => (await bench.call(orgId, 'GET', query)).json
  const ids = (page: { data: { id: string }[] }) => page.data.map(({ id }) => Number(id.slice(-6)))
  const first = await search('/messages?q=kopi&limit=2')
  expect(ids(first)).toEqual([NEWEST_LOOKED_AT + 100, NEWEST_LOOKED_AT + 99])
  expect(ids(await search(`/messages?q=kopi&limit=2&cursor=${first.next_cursor}`))).toEqual([
    NEWEST_LOOKED_AT + 98,
    NEWEST_LOOKED_AT + 97,
  ])
  expect(ids(await search('/contacts?q=sari&limit=2'))).toEqual([NEWEST_LOOKED_AT + 100, NEWEST_LOOKED_AT + 99])
  expect(ids(await search('/messages?q=unikorn'))).toEqual([1])
  expect(ids(await search('/contacts?q=unikorn'))).toEqual([1])
})

onOnePostgres('it reads a plan of one node')(
  'a page of a long chat reads no other messages of it, wherever it begins, also when a frequent word is searched',
  async () => {
    const { orgId, numberId } = await bench.aShop()
    await aLongHistory(orgId, numberId, 2 * NEWEST_LOOKED_AT)
    const idOf = (prefix: string, nth: number) => `${prefix}_${String(nth).padStart(26, '0')}`
    const { happened_at: at } = await bench.database.one<{ happened_at: Date }>`
    select happened_at from messages where org_id = ${orgId} limit 1`
    await bench.database.transaction(async (tx) => {
      await tx.run`set local plan_cache_mode to force_generic_plan`
      const page = { query: null, chatId: idOf('chat', 2), before: null, limit: 10 }
      for (const [asked, newest] of [
        [page, 2 * NEWEST_LOOKED_AT],
        [{ ...page, before: { at, id: idOf('msg', 5_001) } }, 5_000],
        [{ ...page, query: textQuery(orgId, 'kopi') }, 2 * NEWEST_LOOKED_AT],
      ] as const) {
        const before = await entriesRead(tx)
        const found = await searchMessages(tx, orgId, asked)
        expect(found.map(({ id }) => id)).toEqual(
          Array.from({ length: 10 }, (_, nth) => idOf('msg', newest - nth) as Id<'msg'>),
        )
        expect((await entriesRead(tx)) - before).toBeLessThan(50)
      }
    })
  },
)

onOnePostgres('it reads a plan of one node')(
  'a word of very many messages is found in the most recently active chats, page after page, without looking up all messages',
  async () => {
    const { orgId, numberId } = await bench.aShop()
    const size = 12_000
    await aCrowd(orgId, numberId, size)
    await bench.database.run`
    insert into messages (org_id, id, chat_id, number_id, direction, type, sender_type, happened_at,
      created_at, words)
    select ${orgId}, 'msg_' || lpad(nth::text, 26, '0'), 'chat_' || lpad((${size}::int + 1 - nth)::text, 26, '0'), ${numberId},
      'inbound', 'text', 'contact', now(), now(),
      array_to_tsvector(array[${orgId.slice(-10)} || '|' || case nth % 3 when 0 then 'teh' else 'kopi' end])
    from generate_series(1, ${size}::int) as nth`
    await bench.database.script('analyze messages')
    const query = textQuery(orgId, 'kopi') as string
    const filter = { contactQuery: query, textQuery: query, limit: 4 }
    const nthOf = ({ id }: { id: string }) => Number(id.slice(-6))
    await bench.database.transaction(async (tx) => {
      await tx.run`set local plan_cache_mode to force_generic_plan`
      const before = await entriesRead(tx)
      const first = await listChats(tx, orgId, filter)
      expect(first.map(nthOf)).toEqual([2, 3, 5, 6])
      const { last_activity_at: at, id } = first.at(-1) as ChatRow
      const second = await listChats(tx, orgId, { ...filter, before: { at, id } })
      expect(second.map(nthOf)).toEqual([8, 9, 11, 12])
      expect((await entriesRead(tx)) - before).toBeLessThan(5_000)
    })
  },
)

test('a recently active chat is listed when it holds a word that is frequent only in old chats', async () => {
  const { orgId, numberId } = await bench.aShop()
  const size = 2_500
  await aCrowd(orgId, numberId, size)
  const tag = `${orgId.slice(-10)}|`
  const write = (chat: number, from: number, count: number) => bench.database.run`
    insert into messages (org_id, id, chat_id, number_id, direction, type, sender_type, happened_at,
      created_at, words)
    select ${orgId}, 'msg_' || lpad(nth::text, 26, '0'), 'chat_' || lpad(${chat}::int::text, 26, '0'), ${numberId}, 'inbound',
      'text', 'contact', now(), now(), array_to_tsvector(array[${tag} || 'kopi'])
    from generate_series(${from}::int, ${from + count - 1}::int) as nth`
  await write(size, 1, 10_000)
  await write(7, 10_001, 1)
  const query = textQuery(orgId, 'kopi') as string
  const found = await listChats(bench.database, orgId, { contactQuery: query, textQuery: query, limit: 4 })
  expect(found.map(({ id }) => Number(id.slice(-6)))).toEqual([7, size])
})
