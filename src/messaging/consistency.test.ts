import { expect, test } from 'bun:test'
import { aStatus, aText, useMessaging } from '../../test/support/messaging.ts'
import { batchOf } from '../../test/support/scripted-channel.ts'

const problems: unknown[] = []
const complain = (fields: object) => problems.push(fields)
const bench = useMessaging({ log: { debug() {}, info() {}, warn: complain, error: complain } })

const PHONES = Array.from({ length: 6 }, (_, nth) => `628123450${1000 + nth}`)

/** Everything that can happen to a chat, at the same time and to the same few people, under two names each. */
test('counts are exact, the newest message is right, and events have no gaps when everything happens concurrently', async () => {
  const shop = await bench.aShop()
  const { orgId } = shop
  const number = { orgId, id: shop.numberId }
  const inbound = (reports: unknown[]) =>
    bench.database.transaction((tx) => bench.channels.appendToJournal(tx, number, batchOf(reports)))
  const acts: ((nth: number, phone: string) => Promise<unknown>)[] = [
    (nth, phone) => inbound([aText({ phone, text: `in ${nth}` }), aText({ phone: PHONES[(nth + 1) % 6] as string })]),
    (nth, phone) => inbound([aText({ phone, userId: `ID.${phone}`, name: `Nama ${nth % 3}` })]),
    (nth, phone) => inbound([aText({ phone: null, userId: `ID.${phone}`, text: `id ${nth}` })]),
    (nth, phone) => bench.call(orgId, 'POST', '/messages', { json: { to: `+${phone}`, body: `out ${nth}` } }),
    (nth, phone) => bench.call(orgId, 'POST', '/messages', { json: { to: `+${phone}`, body: `out ${nth}` } }),
    (_, phone) => bench.call(orgId, 'POST', `/chats/${phone}/read`),
    (nth, phone) =>
      bench.call(orgId, 'PATCH', `/chats/${phone}`, { json: { labels: [`l${nth % 3}`], status: 'closed' } }),
    async (nth, phone) => {
      const { json } = await bench.call(orgId, 'POST', '/messages', { json: { to: `+${phone}`, body: `sent ${nth}` } })
      await inbound([
        aStatus({ clientToken: json.id, status: 'delivered' }),
        aStatus({ clientToken: json.id, status: 'read' }),
      ])
    },
  ]
  const results = await Promise.all(
    Array.from({ length: 160 }, (_, nth) =>
      (acts[nth % acts.length] as (typeof acts)[0])(nth, PHONES[Math.floor(nth / acts.length) % 6] as string),
    ),
  )
  await bench.settle()
  const statuses = results.flatMap((result) =>
    result !== null && typeof result === 'object' && 'status' in result ? [result.status] : [],
  )
  expect(statuses.filter((status) => ![200, 201, 404].includes(status as number))).toEqual([])
  expect(problems).toEqual([])

  const chats = await bench.database.many<{
    id: string
    unread_count: number
    counted: number
    last_message_id: string
    newest: string
  }>`
    select id, unread_count,
      (select count(*)::int from message_states s where s.org_id = chat.org_id and s.unread_chat_id = chat.id) as counted,
      last_message_id,
      (select m.id from messages m where m.org_id = chat.org_id and m.chat_id = chat.id
        order by m.happened_at desc, m.id desc limit 1) as newest
    from chats chat where org_id = ${orgId} and merged_into is null`
  expect(chats.length).toBe(PHONES.length)
  expect(chats.filter((chat) => chat.unread_count !== chat.counted)).toEqual([])
  expect(chats.filter((chat) => chat.last_message_id !== chat.newest)).toEqual([])
  const stray = await bench.database.many`
    select m.id from messages m join chats c on c.org_id = m.org_id and c.id = m.chat_id
    where m.org_id = ${orgId} and c.merged_into is not null`
  expect(stray).toEqual([])
  const unreadElsewhere = await bench.database.many`
    select m.id from messages m join message_states s on s.org_id = m.org_id and s.message_id = m.id
    where m.org_id = ${orgId} and s.unread_chat_id <> m.chat_id`
  expect(unreadElsewhere).toEqual([])
  const sequences = await bench.database.many<{ sequence: number }>`
    select sequence from events where org_id = ${orgId} order by sequence`
  expect(sequences.map(({ sequence }) => sequence)).toEqual(sequences.map((_, index) => index + 1))
})
