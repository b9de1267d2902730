import { describe, expect, test } from 'bun:test'
import { aStatus, aText, type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { until } from '../../../test/support/until.ts'
import type { SendOutcome } from '../../channels/channel-connector.ts'

const bench = useMessaging()

const chatsOf = async ({ orgId }: Shop) => (await bench.call(orgId, 'GET', '/chats')).json.data
const contactsOf = async ({ orgId }: Shop) => (await bench.call(orgId, 'GET', '/contacts')).json.data

describe('one person', () => {
  test('has one chat when the phone is given in three spellings', async () => {
    const shop = await bench.aShop()
    for (const to of ['081234567890', '6281234567890', '+62 812-3456-7890', '6281234567890@s.whatsapp.net'])
      expect((await bench.call(shop.orgId, 'POST', '/messages', { json: { to, body: to } })).status).toBe(201)
    await bench.report(shop, [aText({ phone: '6281234567890' })])
    expect((await chatsOf(shop)).length).toBe(1)
    for (const phone of ['0812 3456 7890', '62812-3456-7890', '%2B6281234567890', '6281234567890@c.us'])
      expect([phone, (await bench.call(shop.orgId, 'GET', `/chats/${phone}`)).json.messages.data.length]).toEqual([
        phone,
        5,
      ])
  })

  test('has one chat when two first messages race', async () => {
    const shop = await bench.aShop()
    const number = { orgId: shop.orgId, id: shop.numberId }
    const inbound = Array.from({ length: 6 }, (_, nth) =>
      bench.database.transaction((tx) =>
        bench.channels.appendToJournal(tx, number, Buffer.from(JSON.stringify([aText({ text: `in ${nth}` })]))),
      ),
    )
    const outbound = Array.from({ length: 6 }, (_, nth) =>
      bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: `out ${nth}` } }),
    )
    await Promise.all([...inbound, ...outbound])
    await bench.settle()
    const chats = await chatsOf(shop)
    expect([chats.length, chats[0].unread_count, (await contactsOf(shop)).length]).toEqual([1, 6, 1])
    const created = (await bench.eventsOf(shop.orgId)).filter((event) => event.type === 'chat.created')
    expect(created.length).toBe(1)
  })

  test('is one contact with one chat when many new recipients are sent to at once, each twice and one in two forms', async () => {
    const shop = await bench.aShop()
    const phones = Array.from({ length: 12 }, (_, nth) => `+62812345678${10 + nth}`)
    const wanted = [...phones, '+5511981234567', ...phones, '+551181234567']
    const answers = await Promise.all(
      wanted.map((to) => bench.call(shop.orgId, 'POST', '/messages', { json: { to, body: 'Promo' } })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    const [chats, contacts] = [await chatsOf(shop), await contactsOf(shop)]
    expect([chats.length, contacts.length]).toEqual([13, 13])
    for (const phone of [...phones, '+5511981234567']) {
      const thread = (await bench.call(shop.orgId, 'GET', `/chats/${phone}`)).json
      expect([phone, thread.messages.data.length]).toEqual([phone, 2])
      expect((await bench.call(shop.orgId, 'GET', `/contacts?q=${phone.slice(1)}`)).json.data.length).toBe(1)
    }
    const created = (await bench.eventsOf(shop.orgId)).filter((event) => event.type === 'chat.created')
    expect(created.length).toBe(13)
  })

  test('is recognized when the network reports another form of the dialled phone (Brazil’s ninth digit, Mexico’s 1)', async () => {
    const shop = await bench.aShop()
    bench.channel.answerWith((message, { take }) => {
      const taken = take()
      return taken.kind === 'accepted'
        ? {
            ...taken,
            recipient: {
              phone: message.to.phone === '5511981234567' ? '551181234567' : message.to.phone,
              userId: null,
            },
          }
        : taken
    })
    await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+55 11 98123-4567', body: 'Oi' } })
    await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+52 55 1234 5678', body: 'Hola' } })
    await bench.settle()
    await bench.report(shop, [
      aText({ phone: '551181234567', name: null }),
      aText({ phone: '5215512345678', name: null }),
    ])
    bench.channel.answerWith((_, { take }) => take())
    expect((await chatsOf(shop)).length).toBe(2)
    const brazil = await bench.call(shop.orgId, 'GET', '/chats/+5511981234567')
    expect(brazil.json.contact.identities.map((identity: { value: string }) => identity.value)).toEqual([
      '+5511981234567',
      '+551181234567',
    ])
    expect(brazil.json.messages.data.length).toBe(2)
    expect((await bench.call(shop.orgId, 'GET', '/chats/+5215512345678')).json.messages.data.length).toBe(2)
  })

  test('has a chat that is found by user id and username when a message has no phone', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText(), aText({ phone: null, userId: 'ID.91abc', username: 'Sari_D', name: 'Sari' })])
    const chats = await chatsOf(shop)
    expect(chats.length).toBe(2)
    for (const name of ['ID.91abc', '@sari_d', '@Sari_D']) {
      const { json } = await bench.call(shop.orgId, 'GET', `/chats/${name}`)
      expect([json.contact.phone, json.messages.data.length]).toEqual([null, 1])
    }
    const sent = await bench.call(shop.orgId, 'POST', '/messages', { json: { to: 'ID.91abc', body: 'Halo' } })
    const taken = () => bench.channel.taken.find((message) => message.id === sent.json.id)
    await until(() => taken() !== undefined)
    expect(taken()?.to).toEqual({ phone: null, userId: 'ID.91abc' })
  })

  test('keeps the name that the team gave to either contact, the older one first, when two are merged', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [
      aText({ name: 'Sari' }),
      aText({ phone: null, userId: 'ID.77sari', name: 'S' }),
      aText({ phone: '6281298765432', name: 'Budi' }),
      aText({ phone: null, userId: 'ID.77budi', name: 'B' }),
    ])
    const rename = async (reference: string, name: string) => {
      const { contact } = (await bench.call(shop.orgId, 'GET', `/chats/${reference}`)).json
      await bench.call(shop.orgId, 'PATCH', `/contacts/${contact.id}`, { json: { name } })
    }
    const nameOf = async (reference: string) =>
      (await bench.call(shop.orgId, 'GET', `/chats/${reference}`)).json.contact.name
    await rename('ID.77sari', 'Bu Sari (langganan)')
    await rename('+6281298765432', 'Pak Budi')
    await rename('ID.77budi', 'Budi kantor')
    await bench.report(shop, [aText({ userId: 'ID.77sari', name: 'Sari' })])
    expect(await nameOf('+6281234567890')).toBe('Bu Sari (langganan)')
    await bench.report(shop, [aText({ name: 'Sari D' })])
    expect(await nameOf('ID.77sari')).toBe('Bu Sari (langganan)')
    await bench.report(shop, [aText({ phone: '6281298765432', userId: 'ID.77budi', name: 'Budi' })])
    expect(await nameOf('ID.77budi')).toBe('Pak Budi')
    const { data } = (await bench.call(shop.orgId, 'GET', '/contacts?q=langganan')).json
    expect(data.map(({ name }: { name: string }) => name)).toEqual(['Bu Sari (langganan)'])
  })

  test('causes contact.updated when the name or username changes, and not when it is reported again', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText({ name: 'Sari' })])
    await bench.report(shop, [aText({ name: 'Sari Dewi', username: 'sari' })])
    await bench.report(shop, [aText({ name: 'Sari Dewi', username: 'sari' })])
    const recorded = (await bench.eventsOf(shop.orgId)).filter((event) => event.type === 'contact.updated')
    expect(recorded.map((event) => event.data.name)).toEqual(['Sari Dewi'])
  })

  test('loses a username when another person takes it over, and the two are not linked', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [
      aText({ userId: 'ID.1', username: 'toko' }),
      aText({ phone: null, userId: 'ID.2', username: 'toko' }),
    ])
    expect((await chatsOf(shop)).length).toBe(2)
    const { json } = await bench.call(shop.orgId, 'GET', '/chats/@toko')
    expect(json.contact.identities.map((identity: { value: string }) => identity.value)).toContain('ID.2')
    const first = await bench.call(shop.orgId, 'GET', '/chats/+6281234567890')
    expect(first.json.contact.identities.map((identity: { type: string }) => identity.type)).toEqual([
      'phone',
      'user_id',
    ])
  })
})

describe('two contacts of one person', () => {
  const aPair = async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [
      aText({ text: 'lewat nomor' }),
      aText({ phone: null, userId: 'ID.7', text: 'lewat id', name: null }),
    ])
    const [one, other] = await Promise.all([
      bench.call(shop.orgId, 'GET', '/chats/+6281234567890'),
      bench.call(shop.orgId, 'GET', '/chats/ID.7'),
    ])
    return { shop, one: one.json, other: other.json }
  }

  test('are merged with their history when a message names both, and both ids lead to the result', async () => {
    const { shop, one, other } = await aPair()
    await bench.call(shop.orgId, 'PATCH', '/chats/ID.7', { json: { labels: ['vip'] } })
    await bench.report(shop, [aText({ userId: 'ID.7', text: 'keduanya' })])
    const chats = await chatsOf(shop)
    expect([chats.length, chats[0].id, chats[0].unread_count, chats[0].labels]).toEqual([1, one.id, 3, ['vip']])
    for (const reference of [one.id, other.id, 'ID.7', '+6281234567890']) {
      const { json } = await bench.call(shop.orgId, 'GET', `/chats/${reference}`)
      const bodies = json.messages.data.map((message: { body: string }) => message.body)
      expect([json.id, bodies]).toEqual([one.id, ['keduanya', 'lewat id', 'lewat nomor']])
    }
    for (const id of [one.contact.id, other.contact.id])
      expect((await bench.call(shop.orgId, 'GET', `/contacts/${id}`)).json.id).toBe(one.contact.id)
    expect((await contactsOf(shop)).length).toBe(1)
    expect((await bench.call(shop.orgId, 'GET', '/chats?label=vip')).json.data.length).toBe(1)
    const types = (await bench.eventsOf(shop.orgId)).map((event) => event.type)
    expect(types.slice(-3)).toEqual(['contact.updated', 'chat.updated', 'message.received'])
  })

  test('are merged when a status of a message names the other identity', async () => {
    const { shop, one } = await aPair()
    const sent = await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: 'Hai' } })
    const recipient = { phone: null, userId: 'ID.7', parentUserId: null, username: null, name: null }
    await bench.report(shop, [aStatus({ clientToken: sent.json.id, status: 'delivered', recipient })])
    expect((await chatsOf(shop)).map((chat: { id: string }) => chat.id)).toEqual([one.id])
  })

  const aNewNumber = (at = new Date()) => ({
    kind: 'identity',
    phoneNumberId: null,
    raw: null,
    providerId: null,
    before: { phone: '6281234567890', userId: null },
    after: { phone: '6281399999999', userId: null, parentUserId: null, username: null, name: null },
    at: at.toISOString(),
  })

  test('a customer keeps the chat when their number changes, and the old number is unlinked', async () => {
    const { shop, one } = await aPair()
    await bench.report(shop, [aNewNumber()])
    expect((await bench.call(shop.orgId, 'GET', '/chats/+6281399999999')).json.id).toBe(one.id)
    expect((await bench.call(shop.orgId, 'GET', '/chats/+6281234567890')).status).toBe(404)
  })

  test('a late status of a message to the old number links neither that number nor its new owner', async () => {
    const shop = await bench.aShop()
    const send = (to: string) => bench.call(shop.orgId, 'POST', '/messages', { json: { to, body: 'Hai' } })
    const lateStatus = (id: string) => {
      const recipient = { phone: '6281234567890', userId: null, parentUserId: null, username: null, name: null }
      return bench.report(shop, [aStatus({ clientToken: id, status: 'read', recipient })])
    }
    await bench.report(shop, [aText()])
    const [first, second] = [await send('+6281234567890'), await send('+6281234567890')]
    await bench.settle()
    await bench.report(shop, [aNewNumber()])
    await lateStatus(first.json.id)
    const phonesOf = async () =>
      (await chatsOf(shop)).map(({ contact }: { contact: { phone: string } }) => contact.phone).toSorted()
    expect(await phonesOf()).toEqual(['+6281399999999'])
    await bench.report(shop, [aText({ name: 'Budi' })])
    await lateStatus(second.json.id)
    expect(await phonesOf()).toEqual(['+6281234567890', '+6281399999999'])
    const after = await send('+6281399999999')
    expect(after.json.chat_id).toBe(first.json.chat_id)
    await until(() => bench.channel.taken.some(({ id }) => id === after.json.id))
    expect(bench.channel.taken.find(({ id }) => id === after.json.id)?.to.phone).toBe('6281399999999')
  })

  test('the new owner of the old number is not merged when the change is reported again', async () => {
    const shop = await bench.aShop()
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    await bench.report(shop, [aText({ text: 'lama', at: minutesAgo(9).toISOString() })])
    await bench.report(shop, [aNewNumber(minutesAgo(6))])
    await bench.report(shop, [aText({ text: 'orang lain', name: 'Budi', at: minutesAgo(3).toISOString() })])
    await bench.report(shop, [aNewNumber(minutesAgo(6))])
    const textsOf = async (phone: string) =>
      (await bench.call(shop.orgId, 'GET', `/chats/${phone}`)).json.messages.data.map(
        ({ body }: { body: string }) => body,
      )
    expect([await textsOf('+6281399999999'), await textsOf('+6281234567890')]).toEqual([['lama'], ['orang lain']])
  })
})

describe('the merge of two chats is recorded as chat.updated', () => {
  const [phone, userId] = ['6281234567890', 'ID.91'] as const
  const twoChats = async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText({ phone })])
    await bench.report(shop, [aText({ phone: null, userId })])
    const before = (await bench.eventsOf(shop.orgId)).length
    const recorded = async () =>
      (await bench.eventsOf(shop.orgId)).slice(before).map(({ type, previous }) => [type, previous?.status ?? null])
    return { shop, recorded }
  }

  test('once and before the message when a message causes it', async () => {
    const { shop, recorded } = await twoChats()
    await bench.report(shop, [aText({ phone, userId })])
    await bench.report(shop, [aText({ phone, userId })])
    expect(await recorded()).toEqual([
      ['contact.updated', null],
      ['chat.updated', null],
      ['message.received', null],
      ['message.received', null],
    ])
  })

  test('once when the message also reopens a closed chat', async () => {
    const { shop, recorded } = await twoChats()
    for (const reference of [`+${phone}`, userId])
      await bench.call(shop.orgId, 'PATCH', `/chats/${reference}`, { json: { status: 'closed' } })
    await bench.report(shop, [aText({ phone, userId })])
    expect((await recorded()).slice(2)).toEqual([
      ['contact.updated', null],
      ['chat.updated', 'closed'],
      ['message.received', null],
    ])
  })

  test('when the answer to an outbound message causes it', async () => {
    const { shop, recorded } = await twoChats()
    bench.channel.answerWith((_, { take }) => ({ ...take(), recipient: { phone, userId } }) as SendOutcome)
    await bench.call(shop.orgId, 'POST', '/messages', { json: { to: `+${phone}`, body: 'Halo' } })
    await bench.settle()
    expect((await recorded()).map(([type]) => type)).toEqual([
      'chat.updated',
      'contact.updated',
      'chat.updated',
      'message.sent',
    ])
    bench.channel.answerWith((_, { take }) => take())
  })
})
