import { expect, test } from 'bun:test'
import { canBeSentAgain, type Message } from '../../../console/app/api/messages.ts'
import { TEST_APP_SECRET, TEST_VERIFY_TOKEN } from '../../../test/support/channels.ts'
import { loopbackEgress } from '../../../test/support/egress.ts'
import { GRAPH_TOKEN } from '../../../test/support/graph-server.ts'
import { aStatus, aText, type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { faultsOf } from '../../../test/support/published-schema.ts'
import { refuse } from '../../../test/support/scripted-channel.ts'
import { until } from '../../../test/support/until.ts'
import { createWhatsAppCloud } from '../../channels/connectors/whatsapp-cloud/whatsapp-cloud.ts'
import { storeMedia } from '../../channels/media/media-files.ts'
import { sendAgain } from '../sending/sending.ts'
import { messageStatuses } from './messages.states.ts'

/**
 * Messages, chats and contacts as they are shown, held against the published description: every type in both directions,
 * every status, and what a network says when it knows no measure.
 */
const bench = useMessaging({
  connectors: [createWhatsAppCloud({ egress: loopbackEgress, userAgent: 'Nexkit/test', timeoutMs: 60_000 })],
})

const shown = { message: 'Message', chat: 'Chat', contact: 'Contact' } as Record<string, string>

async function checkAll({ orgId }: Shop) {
  const faults: string[] = []
  const read = async (path: string) => (await bench.call(orgId, 'GET', path)).json
  const messages = (await read('/messages?limit=100')).data
  for (const message of messages) {
    faults.push(...faultsOf('Message', message))
    faults.push(...faultsOf('Message', await read(`/messages/${message.id}`)))
  }
  for (const chat of (await read('/chats?limit=100')).data) {
    faults.push(...faultsOf('Chat', chat))
    faults.push(...faultsOf('ChatWithMessages', await read(`/chats/${chat.id}?limit=100`)))
  }
  for (const contact of (await read('/contacts?limit=100')).data) {
    faults.push(...faultsOf('Contact', contact))
    faults.push(...faultsOf('Contact', await read(`/contacts/${contact.id}`)))
  }
  const events = await bench.eventsOf(orgId)
  const names = Object.keys(messages[0]).toSorted()
  for (const { type, data } of events) {
    faults.push(...faultsOf(shown[type.split('.')[0] as string] as string, data).map((fault) => `${type} ${fault}`))
    if (type.startsWith('message.')) expect(Object.keys(data).toSorted()).toEqual(names)
  }
  expect(events.length).toBeGreaterThan(0)
  expect([...new Set(faults.map((fault) => fault.replaceAll(/\d+/g, '#').slice(0, 200)))]).toEqual([])
  return messages as { type: string; status: string; direction: string }[]
}

const link = 'https://example.com/file'
const contents: object[] = [
  { body: 'x'.repeat(4096), preview_url: true },
  { type: 'image', media: { link }, body: 'é'.repeat(1024) },
  { type: 'video', media: { link } },
  { type: 'audio', media: { link, voice: true } },
  { type: 'document', media: { link, filename: 'f'.repeat(240) } },
  { type: 'sticker', media: { link } },
  { type: 'location', location: { latitude: -6.2, longitude: 106.8, name: 'n'.repeat(1000), address: 'a' } },
  { type: 'contacts', contacts: [{ name: { formatted_name: 'S', first_name: 'S' }, phones: [{ phone: '+62812' }] }] },
  {
    type: 'interactive',
    interactive: { type: 'location_request_message', body: { text: 'Where?' }, action: { name: 'send_location' } },
  },
  { type: 'template', template: { name: 'order_ready', language: { code: 'id' } } },
]

test('what is sent, of every type', async () => {
  const shop = await bench.aShop()
  const post = async (json: object) => {
    const reply = await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', ...json } })
    expect([reply.status, faultsOf('Message', reply.json)]).toEqual([201, []])
    return reply.json
  }
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, nth) => [`key ${nth}`, 'v'.repeat(500)]))
  const first = await post({ body: 'Halo', client_reference: 'r'.repeat(512), metadata })
  for (const content of contents) await post(content)
  await post({ type: 'reaction', reaction: { message_id: first.id, emoji: '👍🏽' } })
  await post({ body: 'Ya', reply_to: first.id })
  await post({ body: 'Besok', send_at: new Date(bench.clock.now() + 3_600_000).toISOString() })
  await bench.settle()
  const types = new Set((await checkAll(shop)).map(({ type }) => type))
  expect(types.size).toBe(contents.length + 1)
})

test('a message of any type can be sent once more, and carries all that the first one did', async () => {
  const { orgId } = await bench.aShop()
  const to = '+6281234567890'
  const post = async (json: object) => (await bench.call(orgId, 'POST', '/messages', { json })).json
  const first = await post({ to, body: 'Halo' })
  const bytes = new TextEncoder().encode('Kopi 18000')
  const { id: file } = await storeMedia(bench.channels.media, orgId, { bytes, mimeType: 'text/plain' })
  const all = [
    ...contents,
    { type: 'document', media: { id: file, filename: 'daftar.txt' }, body: 'Daftar harga' },
    { body: 'Ya', reply_to: first.id },
    { body: 'Noted', client_reference: 'struk 17', metadata: { kasir: '3' } },
    { type: 'reaction', reaction: { message_id: first.id, emoji: '👍🏽' } },
  ]
  // The fields that differ between the two: ids, status and times.
  const ofOneAlone = ['id', 'provider_id', 'status', 'status_history', 'created_at', 'sender']
  const sharedFields = (message: Message) => Object.entries(message).filter(([name]) => !ofOneAlone.includes(name))
  for (const content of all) {
    const message = await post({ to, ...content })
    expect(canBeSentAgain(message)).toBe(true)
    const sender = { type: 'user' as const, id: 'usr_1' }
    const again = await sendAgain(bench.messaging.context, { orgId, id: message.id, sender, requestId: null })
    expect(again.id).not.toBe(message.id)
    const shown: Message = (await bench.call(orgId, 'GET', `/messages/${again.id}`)).json
    expect([shown.sender, sharedFields(shown)]).toEqual([sender, sharedFields(message)])
  }
})

test('hidden fields of a message are sent as well when it is sent once more', async () => {
  const { orgId } = await bench.aShop()
  const sender = { type: 'system' as const, id: null }
  const first = await bench.messaging.send({
    orgId,
    to: { phone: '6281234567890' },
    from: null,
    content: { type: 'text', body: 'Tagihan' },
    identityKeyHash: 'DF2lS5v2W6x=',
    orderId: 'ord_01k9x3m5q8e0t9v7a2b4c6d8fg',
    sender,
  })
  const again = await sendAgain(bench.messaging.context, { orgId, id: first.id, sender })
  await bench.settle()
  const taken = bench.channel.taken.find(({ id }) => id === again.id)
  expect([taken?.identityKeyHash, again.order_id]).toEqual(['DF2lS5v2W6x=', first.order_id])
})

test('every status, and failures whose reasons have no end', async () => {
  const shop = await bench.aShop()
  const long = { code: 'refused', providerCode: '9'.repeat(5_000), detail: `${'d'.repeat(10_000)}\u0000` }
  const send = async (to: string) =>
    (await bench.call(shop.orgId, 'POST', '/messages', { json: { to, body: 'x' } })).json
  const ids: string[] = []
  for (const nth of [1, 2, 3, 4]) ids.push((await send(`+628120000000${nth}`)).id as string)
  await bench.settle()
  const status = (nth: number, name: string, more: object = {}) =>
    aStatus({ status: name, clientToken: ids[nth] as string, providerId: `wamid.${ids[nth]}.${nth + 1}`, ...more })
  const failure = { class: 'permanent', scope: 'recipient', retryAfterMs: null, ...long }
  await bench.report(shop, [
    status(1, 'delivered'),
    status(2, 'read'),
    status(2, 'played'),
    status(3, 'failed', { failure }),
  ])
  bench.channel.answerWith(refuse(long))
  await send('+6281200000009')
  await bench.settle()
  bench.channel.answerWith((_, { take }) => take())
  const later = new Date(bench.clock.now() + 3_600_000).toISOString()
  await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281200000008', body: 'x', send_at: later } })
  await bench.report(shop, [aText()])
  await bench.call(shop.orgId, 'PATCH', '/chats/+6281234567890', {
    json: { labels: ['l'.repeat(50), 'vip'], assignee: 'a'.repeat(100), status: 'closed' },
  })
  const throttled = { class: 'retry' as const, scope: 'number' as const, code: 'throttled', retryAfterMs: 3_600_000 }
  bench.channel.answerWith(refuse(throttled))
  await send('+6281200000007')
  await bench.settle()
  const messages = await checkAll(shop)
  expect(new Set(messages.map((message) => message.status))).toEqual(new Set(messageStatuses))
})

/** As Meta writes it, with everything longer than anybody would. */
const huge = 'ß'.repeat(70_000)
const inbound: Record<string, unknown>[] = [
  { type: 'text', text: { body: huge } },
  { type: 'image', image: { id: '1', mime_type: `image/${'x'.repeat(500)}`, sha256: 'z'.repeat(500), caption: huge } },
  { type: 'document', document: { id: '2', mime_type: 'application/pdf', sha256: 'eA==', filename: huge } },
  { type: 'audio', audio: { id: '3', mime_type: 'audio/ogg; codecs=opus', sha256: 'eA==', voice: true } },
  { type: 'sticker', sticker: { id: '4', mime_type: 'image/webp', sha256: 'eA==', animated: true } },
  { type: 'location', location: { latitude: 1e300, longitude: -5, name: huge, address: huge, url: huge } },
  {
    type: 'contacts',
    contacts: [{ name: { formatted_name: huge }, phones: [{ phone: huge, wa_id: '62812' }], vcard: huge }],
  },
  {
    type: 'contacts',
    contacts: [
      {
        name: { first_name: 5, last_name: null },
        org: null,
        phones: [null, { phone: 7 }],
        emails: 'none',
        birthday: 1,
      },
    ],
  },
  { type: 'contacts', contacts: Array.from({ length: 1500 }, () => ({ name: { formatted_name: 'S' } })) },
  {
    type: 'interactive',
    interactive: { type: 'list_reply', list_reply: { id: huge, title: huge, description: huge } },
  },
  { type: 'interactive', interactive: { type: huge, [huge]: huge } },
  {
    type: 'interactive',
    interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: huge } },
  },
  { type: 'button', button: { payload: huge, text: huge } },
  { type: 'reaction', reaction: { message_id: 'wamid.unknown', emoji: huge } },
  {
    type: 'order',
    order: {
      ...{ catalog_id: huge, text: huge },
      product_items: Array.from({ length: 1200 }, () => ({
        ...{ product_retailer_id: huge.slice(0, 20), quantity: 2, item_price: 9.5, currency: 'RUPIAH PER UNIT' },
      })),
    },
  },
  { type: 'system', system: { type: huge, body: huge, wa_id: '628' } },
  { type: 'unsupported', errors: [{ code: 131051, title: huge, error_data: { details: huge } }] },
  { type: huge, [huge]: { a: huge } },
]

test('what customers send, of every type, without measure', async () => {
  const shop = await bench.aShop({
    connector: 'whatsapp-cloud',
    credentials: { access_token: GRAPH_TOKEN, app_secret: TEST_APP_SECRET, verify_token: TEST_VERIFY_TOKEN },
    baseUrl: 'http://127.0.0.1:9',
  })
  const person = { profile: { name: huge, username: 'u'.repeat(400) }, wa_id: '6281234567890', user_id: 'ID.91' }
  const hook = (messages: object[]) => ({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '1',
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '62', phone_number_id: shop.phoneNumberId },
              contacts: [person],
              messages,
            },
          },
        ],
      },
    ],
  })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const from = { from: '6281234567890', from_user_id: 'ID.91', timestamp }
  for (const [index, message] of inbound.entries()) {
    const body = Buffer.from(JSON.stringify(hook([{ ...from, id: `wamid.${index}`, ...message }])))
    await bench.database.transaction((tx) =>
      bench.channels.appendToJournal(tx, { orgId: shop.orgId, id: shop.numberId }, body),
    )
  }
  const applied = () => bench.database.one<{ count: number; problem: string | null }>`
    select count(*)::int as count, max(problem) as problem from channel_journal
    where org_id = ${shop.orgId} and applied_at is not null`
  await until(async () => (await applied()).count === inbound.length)
  expect((await applied()).problem).toBeNull()
  const messages = await checkAll(shop)
  expect(messages.length).toBe(inbound.length)
})
