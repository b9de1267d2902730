import { expect, test } from 'bun:test'
import { aText, useMessaging } from '../../test/support/messaging.ts'
import { PEOPLE_HITS_MAX } from './chats.sql.ts'

const bench = useMessaging()

/** Contacts with a chat each, as if they had written one after the other; the words are those that search stores. */
async function aCrowd(orgId: string, numberId: string, size: number): Promise<void> {
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

test('however many people a search means, it finds the liveliest first and pages through, and one of them by phone', async () => {
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

test('another organization’s crowd is not searched', async () => {
  const [one, other] = [await bench.aShop(), await bench.aShop()]
  await aCrowd(one.orgId, one.numberId, PEOPLE_HITS_MAX)
  expect((await bench.call(other.orgId, 'GET', '/chats?q=sari')).json.data).toEqual([])
})
