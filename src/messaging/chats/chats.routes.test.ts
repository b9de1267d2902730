import { describe, expect, test } from 'bun:test'
import { type ApiReply, aText, type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { untilLockIsAwaited } from '../../../test/support/until.ts'
import { mergeContacts } from '../identities/identities.ts'

const bench = useMessaging()

const phoneOf = (nth: number) => `62812345${10_000 + nth}`
const list = async ({ orgId }: Shop, query = '') => (await bench.call(orgId, 'GET', `/chats${query}`)).json
const phones = async (shop: Shop, query = '') =>
  (await list(shop, query)).data.map((chat: { contact: { phone: string } }) => chat.contact.phone.slice(1))

/** One report at a time, so that their order is the order of their activity. */
const chatWith = async (shop: Shop, count: number) => {
  for (let nth = 0; nth < count; nth++)
    await bench.report(shop, [aText({ phone: phoneOf(nth), name: `Pelanggan ${nth}`, text: `pesan ${nth}` })])
}

describe('GET /chats', () => {
  test('lists chats by last activity, and pages stay correct when chats change meanwhile', async () => {
    const shop = await bench.aShop()
    await chatWith(shop, 7)
    const first = await list(shop, '?limit=3')
    expect(first.data.map((chat: { contact: { phone: string } }) => chat.contact.phone.slice(1))).toEqual(
      [6, 5, 4].map(phoneOf),
    )
    expect(first.has_more).toBe(true)
    await bench.report(shop, [aText({ phone: phoneOf(6) }), aText({ phone: phoneOf(50) })])
    const second = await list(shop, `?limit=3&cursor=${first.next_cursor}`)
    expect(second.data.map((chat: { contact: { phone: string } }) => chat.contact.phone.slice(1))).toEqual(
      [3, 2, 1].map(phoneOf),
    )
    const third = await list(shop, `?limit=3&cursor=${second.next_cursor}`)
    expect([third.data.length, third.has_more, third.next_cursor]).toEqual([1, false, null])
    expect((await phones(shop)).slice(0, 2)).toEqual([phoneOf(50), phoneOf(6)])
  })

  test('filters by unread, status, label, assignee, number and time, alone and together', async () => {
    const shop = await bench.aShop()
    await chatWith(shop, 4)
    const other = await bench.aNumber(shop.orgId, { phoneNumberId: '600700' })
    await bench.call(shop.orgId, 'POST', '/messages', { json: { to: `+${phoneOf(0)}`, body: 'x', from: other } })
    await bench.call(shop.orgId, 'PATCH', `/chats/${phoneOf(1)}`, {
      json: { labels: ['vip', 'toko'], assignee: 'dewi' },
    })
    await bench.call(shop.orgId, 'PATCH', `/chats/${phoneOf(2)}`, { json: { labels: ['vip'], status: 'closed' } })
    await bench.call(shop.orgId, 'POST', `/chats/${phoneOf(3)}/read`)
    expect(await phones(shop, '?unread=true')).toEqual([2, 1, 0].map(phoneOf))
    expect(await phones(shop, '?unread=false')).toEqual([phoneOf(0), phoneOf(3)])
    expect(await phones(shop, '?status=closed')).toEqual([phoneOf(2)])
    expect((await phones(shop, '?status=open')).length).toBe(4)
    expect(await phones(shop, '?label=vip')).toEqual([2, 1].map(phoneOf))
    expect(await phones(shop, '?label=vip&status=open')).toEqual([phoneOf(1)])
    expect(await phones(shop, '?assignee=dewi')).toEqual([phoneOf(1)])
    expect(await phones(shop, '?number=600700')).toEqual([phoneOf(0)])
    expect(await phones(shop, '?number=num_01k9x3m5q8e0t9v7a2b4c6d8fg')).toEqual([])
    const since = (await list(shop)).data[1].last_activity_at
    expect(await phones(shop, `?since=${since}`)).toEqual([phoneOf(0), phoneOf(3)])
    expect((await phones(shop, '?since=0000-01-01T00:00:00Z')).length).toBe(5)
    expect(await phones(shop, '?since=9999-12-31T23:59:59-05:00')).toEqual([])
    await bench.call(shop.orgId, 'PATCH', `/chats/${phoneOf(1)}`, { json: { labels: ['toko'] } })
    expect(await phones(shop, '?label=vip')).toEqual([phoneOf(2)])
  })

  test('finds by name, by phone in any spelling, and by the text of messages', async () => {
    const shop = await bench.aShop()
    await chatWith(shop, 3)
    await bench.report(shop, [aText({ phone: phoneOf(9), name: 'Budi Santoso', text: 'mau pesan nasi goreng' })])
    expect(await phones(shop, '?q=santo')).toEqual([phoneOf(9)])
    expect(await phones(shop, `?q=0${phoneOf(1).slice(2)}`)).toEqual([phoneOf(1)])
    expect(await phones(shop, `?q=${phoneOf(2).slice(-5)}`)).toEqual([phoneOf(2)])
    expect(await phones(shop, '?q=goreng')).toEqual([phoneOf(9)])
    expect(await phones(shop, '?q=pelanggan')).toEqual([2, 1, 0].map(phoneOf))
    expect(await phones(shop, '?q=tidak%20ada')).toEqual([])
    expect(await phones(shop, '?q=%22%26%7C')).toEqual([])
  })

  test('answers 400 for a bad limit, a forged cursor, and a cursor of other filters', async () => {
    const shop = await bench.aShop()
    await chatWith(shop, 2)
    const { next_cursor: cursor } = await list(shop, '?limit=1')
    for (const query of [
      '?limit=0',
      '?limit=101',
      '?cursor=abc',
      `?limit=1&unread=true&cursor=${cursor}`,
      '?colour=red',
    ])
      expect([query, (await bench.call(shop.orgId, 'GET', `/chats${query}`)).status]).toEqual([query, 400])
  })

  test('walks one index, however many chats there are', async () => {
    const plan = await bench.database.many<{ 'QUERY PLAN': string }>`
      explain select id from chats where org_id = 'org_x' and merged_into is null
      order by last_activity_at desc, id desc limit 25`
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('chats_activity_idx')
  })
})

describe('GET /chats/{phone}', () => {
  test('pages back through the thread, newest first, and pages survive new messages', async () => {
    const shop = await bench.aShop()
    for (let nth = 0; nth < 5; nth++) await bench.report(shop, [aText({ text: `${nth}` })])
    const page = async (query: string) => {
      const { json } = await bench.call(shop.orgId, 'GET', `/chats/081234567890${query}`)
      return {
        bodies: json.messages.data.map((message: { body: string }) => message.body),
        cursor: json.messages.next_cursor,
      }
    }
    const first = await page('?limit=2')
    await bench.report(shop, [aText({ text: 'baru' })])
    const second = await page(`?limit=2&cursor=${first.cursor}`)
    const third = await page(`?limit=2&cursor=${second.cursor}`)
    expect([first.bodies, second.bodies, third.bodies, third.cursor]).toEqual([['4', '3'], ['2', '1'], ['0'], null])
  })

  test('answers 404 when there is no such chat, or none on that number', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText()])
    for (const path of [
      '/chats/+6281200000009',
      '/chats/12',
      '/chats/chat_01k9x3m5q8e0t9v7a2b4c6d8fg',
      '/chats/@unknown',
      '/chats/+6281234567890?number=1',
    ])
      expect([path, (await bench.call(shop.orgId, 'GET', path)).json.code]).toEqual([path, 'chat_not_found'])
  })
})

describe('PATCH /chats/{phone}', () => {
  test('changes the given fields, records their previous values, and records no event when nothing changed', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText()])
    const patch = (json: unknown) => bench.call(shop.orgId, 'PATCH', '/chats/+6281234567890', { json })
    const before = (await bench.eventsOf(shop.orgId)).length
    expect((await patch({ labels: ['vip'], assignee: 'dewi' })).json).toMatchObject({
      labels: ['vip'],
      assignee: 'dewi',
      status: 'open',
    })
    await patch({ labels: ['vip'] })
    expect((await patch({ assignee: null })).json).toMatchObject({ labels: ['vip'], assignee: null })
    const recorded = (await bench.eventsOf(shop.orgId)).slice(before)
    expect(recorded.map((event) => [event.type, event.previous])).toEqual([
      ['chat.updated', { labels: [], assignee: null }],
      ['chat.updated', { assignee: 'dewi' }],
    ])
  })

  test.each([
    [{ labels: ['a', 'a'] }],
    [{ labels: ['a,b'] }],
    [{ labels: [''] }],
    [{ status: 'gone' }],
    [{ name: 'x' }],
  ])('%j is 422', async (json) => {
    const shop = await bench.aShop()
    expect((await bench.call(shop.orgId, 'PATCH', '/chats/+6281234567890', { json })).status).toBe(422)
  })
})

describe('two organizations that hold the same phones and numbers', () => {
  test('see nothing of each other, by any route', async () => {
    const [one, other] = [await bench.aShop({ phoneNumberId: '4711' }), await bench.aShop({ phoneNumberId: '4711' })]
    const shared = aText({ userId: 'ID.same', username: 'same', name: 'Sama', text: 'rahasia toko' })
    await bench.report(one, [shared])
    const chat = (await list(one)).data[0]
    const message = (await bench.call(one.orgId, 'GET', '/messages')).json.data[0]
    const references = ['+6281234567890', chat.id, 'ID.same', '@same']
    for (const reference of references) {
      expect((await bench.call(one.orgId, 'GET', `/chats/${reference}`)).status).toBe(200)
      expect((await bench.call(other.orgId, 'GET', `/chats/${reference}`)).status).toBe(404)
      expect(
        (await bench.call(other.orgId, 'PATCH', `/chats/${reference}`, { json: { status: 'closed' } })).status,
      ).toBe(404)
      expect((await bench.call(other.orgId, 'POST', `/chats/${reference}/read`)).status).toBe(404)
    }
    for (const path of [`/messages/${message.id}`, `/contacts/${chat.contact.id}`]) {
      expect((await bench.call(one.orgId, 'GET', path)).status).toBe(200)
      expect((await bench.call(other.orgId, 'GET', path)).status).toBe(404)
    }
    expect((await bench.call(other.orgId, 'DELETE', `/messages/${message.id}`)).status).toBe(404)
    for (const path of [
      '/chats',
      '/chats?q=rahasia',
      '/chats?q=sama',
      '/messages',
      '/messages?q=rahasia',
      `/messages?chat=${chat.id}`,
      '/contacts',
      '/contacts?q=sama',
    ])
      expect([path, (await bench.call(other.orgId, 'GET', path)).json.data]).toEqual([path, []])
    const foreign = [
      { to: chat.id, body: 'x' },
      { to: '@same', body: 'x' },
      { to: '+6281234567890', body: 'x', reply_to: message.id },
      { to: '+6281234567890', body: 'x', from: one.numberId },
    ]
    for (const json of foreign)
      expect([404, 409]).toContain((await bench.call(other.orgId, 'POST', '/messages', { json })).status)
    // The same id of the same network is another message for another organization.
    await bench.report(other, [shared])
    expect((await list(other)).data[0].id).not.toBe(chat.id)
    expect((await bench.call(one.orgId, 'GET', '/messages')).json.data.length).toBe(1)
    expect((await bench.eventsOf(one.orgId)).length).toBe(2)
  })
})

describe('a chat that is merged into another while it is changed', () => {
  /** The merge is done and not committed yet; the change waits for the row of the chat. */
  const during = async (change: (shop: Shop, goneId: string) => Promise<ApiReply>) => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText({ phone: '6281200000041' })])
    await bench.report(shop, [aText({ phone: null, userId: 'ID.41' })])
    const [gone, kept] = (await list(shop)).data
    const [merged, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const merging = bench.database.transaction(async (tx) => {
      await mergeContacts(tx, shop.orgId, [kept.contact.id, gone.contact.id], new Date())
      merged.resolve()
      await commit.promise
    })
    await merged.promise
    const changing = change(shop, gone.id)
    await untilLockIsAwaited(bench.database)
    commit.resolve()
    await merging
    return { reply: await changing, keptId: kept.id, chat: (await list(shop)).data[0] }
  }

  test('keeps the change in the chat it was merged into', async () => {
    const json = { labels: ['vip'], assignee: 'dewi', status: 'closed' }
    const { reply, keptId, chat } = await during((shop, id) =>
      bench.call(shop.orgId, 'PATCH', `/chats/${id}`, { json }),
    )
    expect([reply.status, reply.json.id]).toEqual([200, keptId])
    expect(chat).toMatchObject({ id: keptId, ...json })
  })

  test('is marked as read in the chat it was merged into', async () => {
    const { reply, chat } = await during((shop, id) => bench.call(shop.orgId, 'POST', `/chats/${id}/read`))
    expect([reply.status, reply.json.unread_count, chat.unread_count]).toEqual([200, 0, 0])
  })
})
