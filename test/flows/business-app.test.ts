import { beforeAll, describe, expect, test } from 'bun:test'
import {
  type Bot,
  fromSari,
  type Json,
  metadataOf,
  NOW,
  SARI,
  type Shop,
  useCloudBots,
  WABA,
} from '../support/cloud-bot.ts'
import { changeOf, KINDS, type World } from '../support/cloud-kinds.ts'
import { until } from '../support/until.ts'

/**
 * What Meta reports beside messages of customers and statuses: messages that the business writes in the WhatsApp Business app,
 * its chat history and address book, groups, and what happens to numbers and templates.
 */
const { nexkit, graph, aShop, api, aConnectedBot, postHook, postChange } = useCloudBots()

let shop: Shop
let world: World
beforeAll(async () => {
  shop = await aShop()
  const media = graph().addMedia({ bytes: Buffer.from('a picture'), mimeType: 'image/png' })
  world = { shop, theirs: '', token: '', known: '', media, echo: '' }
})

const post = (name: string, entry: object = {}) => postChange(shop, changeOf(KINDS[name] as never, world), entry)
const events = async (type: string): Promise<Json[]> =>
  (await api(shop, 'GET', `/events?types=${type}&limit=100`)).json.data
const chats = async (): Promise<Json[]> => (await api(shop, 'GET', '/chats')).json.data
const chatOf = async (value: string): Promise<Json> =>
  (await chats()).find(({ contact }) => contact.identities.some((one: Json) => one.value === value))
const messagesOf = async (chat: Json): Promise<Json[]> =>
  (await api(shop, 'GET', `/messages?chat=${chat.id}&limit=100`)).json.data
/** Everything that was posted is applied. */
const settled = () =>
  until(async () => {
    const { count } = await nexkit.database.one<{ count: number }>`
      select count(*)::int as count from channel_journal where org_id = ${shop.orgId} and applied_at is null`
    return count === 0
  })
const health = async (): Promise<Json> => {
  const row = await nexkit.database.one<Json>`
    select reports, last_error_code, last_error from channel_numbers where org_id = ${shop.orgId} and id = ${shop.number.id}`
  return row
}

describe('a message of the Business app', () => {
  test('is an outbound message of the chat, stored and recorded once, and never sent', async () => {
    await postHook(shop, { contacts: [SARI], messages: [fromSari({ type: 'text', text: { body: 'Halo' } })] })
    await settled()
    const change = changeOf(KINDS['echo of a text'] as never, world)
    for (let times = 0; times < 3; times++) await postChange(shop, change)
    await settled()
    const chat = await chatOf('+6281200000001')
    expect([chat.unread_count, chat.last_message.direction, chat.last_message.preview]).toEqual([
      1,
      'outbound',
      'Dari aplikasi',
    ])
    const sent = (await messagesOf(chat)).filter(({ direction }) => direction === 'outbound')
    expect(sent).toMatchObject([{ status: 'sent', sender: { type: 'business_app', id: null }, body: 'Dari aplikasi' }])
    expect((await events('message.sent')).map(({ data }) => data.id)).toEqual([sent[0].id])
    expect(graph().accepted).toEqual([])
    const status = { recipient_id: SARI.wa_id, status: 'read', timestamp: NOW, id: change.value.message_echoes[0].id }
    await postHook(shop, { statuses: [status] })
    await settled()
    expect((await api(shop, 'GET', `/messages/${sent[0].id}`)).json.status).toBe('read')
  })

  test('starts a chat with a customer who never wrote, whose reply window stays closed', async () => {
    const echo = {
      from: '1',
      to: '6281200000055',
      id: 'wamid.first',
      timestamp: NOW,
      type: 'text',
      text: { body: 'Hai' },
    }
    const value = { messaging_product: 'whatsapp', metadata: metadataOf(shop), message_echoes: [echo] }
    await postChange(shop, { field: 'smb_message_echoes', value })
    await settled()
    const chat = await chatOf('+6281200000055')
    expect([chat.unread_count, chat.reply_window.state]).toEqual([0, 'closed'])
    expect((await events('chat.created')).map(({ data }) => data.id)).toContain(chat.id)
  })
})

describe('the chat history of the Business app', () => {
  const BUDI = '+6281200000077'

  test('is imported once, in both directions, with statuses and times, and causes one event per hook', async () => {
    const before = (await api(shop, 'GET', '/events?limit=1')).json.data[0].sequence
    for (let times = 0; times < 2; times++) await post('history of chats')
    await settled()
    const chat = await chatOf(BUDI)
    const messages = (await messagesOf(chat)).reverse()
    expect(messages.map(({ direction, status, body, type }) => [direction, status, body, type])).toEqual([
      ['outbound', 'read', 'Lama', 'text'],
      ['inbound', 'received', 'Terima kasih', 'text'],
      ['inbound', 'received', null, 'image'],
      ['inbound', 'received', null, 'unsupported'],
    ])
    expect(messages[0].created_at).toBe('2025-02-10T23:42:35.000Z')
    expect(messages[1].reply_to).toBe(messages[0].id)
    expect([chat.unread_count, chat.reply_window.state, chat.last_activity_at.slice(0, 10)]).toEqual([
      0,
      'closed',
      '2025-02-10',
    ])
    const { json } = await api(shop, 'GET', `/events?after=${before}`)
    expect(json.data.map(({ type, data }: Json) => [type, data.field])).toEqual([['number.reported', 'history']])
  })

  test('gets its files when they follow', async () => {
    await post('history: a file that follows')
    await settled()
    const [last] = await messagesOf(await chatOf(BUDI))
    expect([last.type, typeof last.media?.id]).toEqual(['image', 'string'])
  })

  test('creates no order for a cart', async () => {
    const cart = {
      ...{ from: '6281200000077', id: 'wamid.h-cart', timestamp: '1739230980', type: 'order' },
      order: {
        catalog_id: '9',
        product_items: [{ product_retailer_id: 'KOPI', quantity: 1, item_price: 1, currency: 'IDR' }],
      },
    }
    const history = [{ threads: [{ id: '6281200000077', messages: [cart] }] }]
    await postChange(shop, { field: 'history', value: { metadata: metadataOf(shop), history } })
    await settled()
    expect((await messagesOf(await chatOf(BUDI)))[0].type).toBe('order')
    expect((await api(shop, 'GET', '/orders')).json.data).toEqual([])
  })

  test('is shown at the number when the business declines it', async () => {
    await post('history that was declined')
    await until(async () => (await health()).last_error_code === 'history_declined')
    expect((await health()).last_error).toBe('History sharing is turned off by the business')
  })
})

test('the address book of the Business app names contacts, and takes the name away', async () => {
  const contact = async () => (await api(shop, 'GET', '/contacts?q=Budi')).json.data
  await post('contact of the address book')
  await settled()
  expect(await contact()).toMatchObject([{ name: 'Budi Santoso', phone: '+6281200000077' }])
  const removed = { type: 'contact', action: 'remove', contact: { phone_number: '6281200000077' } }
  await postChange(shop, { field: 'smb_app_state_sync', value: { metadata: metadataOf(shop), state_sync: [removed] } })
  await settled()
  expect(await contact()).toEqual([])
})

describe('a group', () => {
  test('has a chat of its own, whose messages say who wrote them', async () => {
    const before = (await messagesOf(await chatOf('+6281200000001'))).length
    await post('group created')
    await post('text in a group')
    await settled()
    const chat = await chatOf('g-1@g.us')
    expect([chat.contact.name, chat.contact.phone, chat.unread_count]).toEqual(['Pelanggan', null, 1])
    const [message] = await messagesOf(chat)
    expect(message).toMatchObject({
      body: 'Halo semua',
      group: { id: 'g-1@g.us', from: { name: 'Sari ☕', phone: '+6281200000001', user_id: 'ID.91011' } },
    })
    expect(await messagesOf(await chatOf('+6281200000001'))).toHaveLength(before)
  })

  test('is renamed, and is not written to', async () => {
    await post('group renamed')
    await settled()
    const chat = await chatOf('g-1@g.us')
    expect(chat.contact.name).toBe('Reseller')
    for (const to of [chat.id, chat.contact.id]) {
      const { status, json } = await api(shop, 'POST', '/messages', { to, body: 'Halo' })
      expect([status, json.errors?.[0].code]).toEqual([409, 'recipient_is_group'])
    }
  })
})

describe('what happens to numbers and templates', () => {
  const latest = async (type: string): Promise<Json> => (await events(type))[0]?.data

  test('is recorded once, and kept with the number', async () => {
    const time = { time: 1_790_000_000 }
    for (let times = 0; times < 3; times++) await post('quality of a number', time)
    await post('template approved', time)
    await post('limits of the business', time)
    await settled()
    expect(await events('number.restricted')).toHaveLength(1)
    expect(await latest('number.restricted')).toMatchObject({
      ...{ object: 'number_report', number_id: shop.number.id, field: 'phone_number_quality_update', event: 'FLAGGED' },
      ...{ detail: 'FLAGGED, TIER_10K', reported_at: '2026-09-21T14:13:20.000Z' },
    })
    expect(await latest('template.updated')).toMatchObject({
      template: {
        id: '1689556908129832',
        name: 'order_ready',
        language: 'id',
        status: 'APPROVED',
        category: 'UTILITY',
      },
    })
    expect(await latest('number.updated')).toMatchObject({ field: 'business_capability_update' })
    await until(async () => (await health()).last_error_code === 'quality_low')
    expect((await health()).reports).toMatchObject({
      phone_number_quality_update: { event: 'FLAGGED', is_trouble: true },
      message_template_status_update: { event: 'APPROVED', is_trouble: false },
    })
  })

  test('happens again when the network reports it again later', async () => {
    await post('quality of a number', { time: 1_790_000_100 })
    await settled()
    expect(await events('number.restricted')).toHaveLength(2)
  })

  test('is no trouble any more when the network resolves it', async () => {
    await until(async () => (await health()).last_error_code === 'quality_low')
    const value = { display_phone_number: metadataOf(shop).display_phone_number, event: 'UNFLAGGED' }
    await postChange(shop, { field: 'phone_number_quality_update', value }, { time: 1_790_000_200 })
    await settled()
    expect(await health()).toMatchObject({
      last_error_code: null,
      reports: { phone_number_quality_update: { event: 'UNFLAGGED' } },
    })
  })

  test('reaches the bot as Meta sent it, from the journal when it is large', async () => {
    const other = await aShop()
    const bot: Bot = await aConnectedBot(other)
    const value = { event: 'LARGE', text: 'x'.repeat(100_000) }
    await postChange(other, { field: 'account_update', value }, { time: 1_790_000_000 })
    await until(() => bot.received.length === 1)
    expect(bot.received[0]?.json).toEqual({
      object: 'whatsapp_business_account',
      entry: [{ id: WABA, time: 1_790_000_000, changes: [{ field: 'account_update', value }] }],
    })
  })
})
