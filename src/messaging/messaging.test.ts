import { describe, expect, test } from 'bun:test'
import { aText, useMessaging } from '../../test/support/messaging.ts'
import { until, untilLockIsAwaited } from '../../test/support/until.ts'

const bench = useMessaging()
const sender = { type: 'system' as const, id: null }
const text = (body: string) => ({ type: 'text' as const, body })
const template = { type: 'template' as const, template: { name: 'order_paid', language: { code: 'id' } } }

describe('the interface for orders', () => {
  test('a message is sent when the transaction of the caller commits', async () => {
    const { orgId } = await bench.aShop()
    const message = await bench.database.transaction((tx) =>
      bench.messaging.queueMessage(tx, {
        orgId,
        to: { phone: '+6281234567890' },
        content: text('Bayar ya'),
        orderId: 'ord_1',
        sender,
      }),
    )
    await until(() => bench.channel.taken.some(({ id }) => id === message.id))
    const { json } = await bench.call(orgId, 'GET', `/messages/${message.id}`)
    expect([json.order_id, json.sender]).toEqual(['ord_1', sender])
  })

  test('a message is not stored when the transaction of the caller is rolled back', async () => {
    const { orgId } = await bench.aShop()
    const undone = bench.database.transaction(async (tx) => {
      await bench.messaging.queueMessage(tx, { orgId, to: { phone: '+6281234567890' }, content: text('x'), sender })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    for (const list of ['/messages', '/chats', '/contacts'])
      expect((await bench.call(orgId, 'GET', list)).json.data).toEqual([])
    expect(await bench.eventsOf(orgId)).toEqual([])
  })

  test('the template is sent outside the reply window, and the text inside it', async () => {
    const shop = await bench.aShop({ connector: 'strict' })
    const queue = () =>
      bench.database.transaction((tx) =>
        bench.messaging.queueMessage(tx, {
          orgId: shop.orgId,
          to: { phone: '+6281234567890' },
          content: text('Lunas'),
          outsideWindow: template,
          sender,
        }),
      )
    expect((await queue()).type).toBe('template')
    await bench.report(shop, [aText()])
    expect((await queue()).type).toBe('text')
  })

  test('the open order of a chat is shown, recorded as chat.updated, and removed', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText()])
    const chat = await bench.messaging.findChatByPhone(bench.database, shop.orgId, '0812-3456-7890')
    const order = {
      id: 'ord_01k9x3m5q8e0t9v7a2b4c6d8fg',
      number: 'A-1',
      total: 50_000,
      payment_status: 'pending',
      expires_at: null,
    }
    const set = (open: typeof order | null) =>
      bench.database.transaction((tx) =>
        bench.messaging.showOpenOrder(tx, shop.orgId, chat?.id ?? '', async () => open),
      )
    await set(order)
    expect((await bench.call(shop.orgId, 'GET', '/chats')).json.data[0].open_order).toEqual(order)
    await set(order)
    await set(null)
    expect((await bench.call(shop.orgId, 'GET', '/chats')).json.data[0].open_order).toBeNull()
    const recorded = (await bench.eventsOf(shop.orgId)).filter((event) => event.type === 'chat.updated')
    expect(recorded.map((event) => event.data.open_order?.number ?? null)).toEqual(['A-1', null])
  })

  test('a chat represents all chats merged into it, in the list of messages and for its open order, which is looked up under its lock', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText({ phone: '6281200000021' }), aText({ phone: null, userId: 'ID.21' })])
    const before = (await bench.call(shop.orgId, 'GET', '/chats')).json.data.map(({ id }: { id: string }) => id)
    await bench.report(shop, [aText({ phone: '6281200000021', userId: 'ID.21' })])
    const [live] = (await bench.call(shop.orgId, 'GET', '/chats')).json.data
    const gone = before.find((id: string) => id !== live.id)
    const listed = async (id: string) => (await bench.call(shop.orgId, 'GET', `/messages?chat=${id}`)).json.data.length
    expect([await listed(live.id), await listed(gone)]).toEqual([3, 3])
    let asked: readonly string[] | null = null
    const holding = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holder = bench.database.transaction(async (tx) => {
      await tx.run`select from chats where org_id = ${shop.orgId} and id = ${live.id} for update`
      holding.resolve()
      await release.promise
    })
    await holding.promise
    const showing = bench.database.transaction((tx) =>
      bench.messaging.showOpenOrder(tx, shop.orgId, gone, async (chatIds) => {
        asked = chatIds
        return null
      }),
    )
    await untilLockIsAwaited(bench.database)
    expect(asked).toBeNull()
    release.resolve()
    await Promise.all([holder, showing])
    expect(asked as unknown as string[]).toEqual([live.id, gone])
  })

  test('a contact is created once, and keeps the name that the network reported', async () => {
    const shop = await bench.aShop()
    const ensure = (phone: string, name: string) =>
      bench.database.transaction((tx) => bench.messaging.ensureContact(tx, shop.orgId, { phone, name }))
    const all = await Promise.all([
      ensure('+6281200000001', 'Ani'),
      ensure('+6281200000001', 'Ani'),
      ensure('+6281200000001', 'Ani'),
    ])
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect(all[0]).toEqual({ id: all[0]?.id as never, name: 'Ani', phone: '+6281200000001' })
    await bench.report(shop, [aText({ phone: '6281200000001', name: 'Ani K' })])
    expect((await ensure('+6281200000001', 'Anita')).name).toBe('Ani K')
  })
})

test('stop waits for accepted work, and then accepts no more', async () => {
  const { orgId } = await bench.aShop()
  const sends = Array.from({ length: 20 }, (_, nth) =>
    bench.messaging.send({ orgId, to: { text: `+62812000000${10 + nth}` }, from: null, content: text('x'), sender }),
  )
  await Promise.all(sends)
  await bench.messaging.stop()
  await expect(
    bench.messaging.send({ orgId, to: { text: '+6281234567890' }, from: null, content: text('x'), sender }),
  ).rejects.toThrow()
  expect((await bench.call(orgId, 'GET', '/messages?limit=100')).json.data.length).toBe(20)
})
