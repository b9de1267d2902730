import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createWhatsAppCloud } from '../../src/channels/connectors/whatsapp-cloud/whatsapp-cloud.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { type ListeningServer, listen } from '../../src/platform/runtime/server.ts'
import { createHooksSite, HOOK_BYTES_MAX } from '../../src/surfaces/hooks/hooks-site.ts'
import { TEST_APP_SECRET, TEST_VERIFY_TOKEN } from '../support/channels.ts'
import { loopbackEgress } from '../support/egress.ts'
import { aBatch, GRAPH_TOKEN, signedWebhook } from '../support/graph-server.ts'
import { quietLog } from '../support/log.ts'
import { type Shop, useMessaging } from '../support/messaging.ts'
import { faultsOf } from '../support/published-schema.ts'
import { until } from '../support/until.ts'

/** What Meta posts about messages of customers, over a real socket, up to what the API and its events show of it. */
const bench = useMessaging({
  connectors: [createWhatsAppCloud({ egress: loopbackEgress, userAgent: 'Nexkit/test', timeoutMs: 60_000 })],
})
let server = {} as ListeningServer

beforeAll(() => {
  const { channels } = bench
  const site = createHooksSite({
    receivers: channels.hooks,
    clock: systemClock,
    log: quietLog,
    bodyBytesMax: HOOK_BYTES_MAX,
    readClientAddress: (address) => address,
    onExchange: () => {},
  })
  server = listen({
    host: '127.0.0.1',
    port: 0,
    bodyBytesMax: 2 * HOOK_BYTES_MAX,
    handle: (request, address) => site.fetch(request, address) ?? new Response('', { status: 404 }),
    onError: () => new Response('', { status: 500 }),
  })
})
afterAll(() => server.drain(1_000))

const aShop = () =>
  bench.aShop({
    connector: 'whatsapp-cloud',
    credentials: { access_token: GRAPH_TOKEN, app_secret: TEST_APP_SECRET, verify_token: TEST_VERIFY_TOKEN },
    baseUrl: 'http://127.0.0.1:9',
  })

const SARI = { profile: { name: 'Sari', username: 'Sari.Kopi' }, wa_id: '6281234567890', user_id: 'ID.9127' }

async function post(shop: Shop, value: Record<string, unknown>): Promise<void> {
  const { body, headers } = signedWebhook(aBatch(shop.phoneNumberId, value), TEST_APP_SECRET)
  const url = `${server.url}/hooks/whatsapp-cloud/${shop.numberId}`
  expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(200)
}

let written = 0
const anId = () => {
  written += 1
  return `wamid.${process.pid}.${written}`
}

/** A message with these members, as the thread, the message itself and its event show it, which is the same thrice. */
async function received(shop: Shop, members: Record<string, unknown>, contacts: unknown[] = [SARI]) {
  const id = anId()
  const frame = { from: '6281234567890', from_user_id: 'ID.9127', id, timestamp: String(Math.floor(Date.now() / 1000)) }
  await post(shop, { contacts, messages: [{ ...frame, type: 'text', text: { body: 'Halo' }, ...members }] })
  return shownOf(shop, id)
}

async function shownOf({ orgId }: Shop, providerId: string) {
  const find = async () =>
    (await bench.call(orgId, 'GET', '/messages?limit=100')).json.data.find(
      (message: { provider_id: string }) => message.provider_id === providerId,
    )
  await until(async () => (await find()) !== undefined)
  const message = (await bench.call(orgId, 'GET', `/messages/${(await find()).id}`)).json
  const thread = (await bench.call(orgId, 'GET', `/chats/${message.chat_id}?limit=100`)).json.messages.data
  expect(thread.find(({ id }: { id: string }) => id === message.id)).toEqual(message)
  expect(faultsOf('Message', message)).toEqual([])
  return message
}

const eventOf = async ({ orgId }: Shop, messageId: string) =>
  (await bench.eventsOf(orgId)).find(({ type, data }) => type === 'message.received' && data.id === messageId)?.data

const plain = { referral: null, forwarded: false, frequently_forwarded: false, referred_product: null }
const ad = {
  source_url: 'https://fb.me/3cr4Wqqkv',
  source_id: '120210000000000001',
  source_type: 'ad',
  headline: 'Kopi susu gula aren',
  body: 'Pesan sekarang lewat WhatsApp.',
  media_type: 'video',
  video_url: 'https://scontent.xx.fbcdn.net/kopi.mp4?oh=1',
  thumbnail_url: 'https://scontent.xx.fbcdn.net/kopi.jpg?oh=1',
  ctwa_clid: 'ARAkLkA8rmlFeiCktEJQ-QTwRiyYHAFDLMNDBH0CD3qpjd0HR4irJ6LEkR7JwFF4XvnO2E4N',
  welcome_message: { text: 'Halo! Ada yang bisa kami bantu?' },
}

describe('the origin of a message is shown with it', () => {
  test('the advertisement that led the customer here, in the message, the thread and the event', async () => {
    const shop = await aShop()
    const message = await received(shop, { referral: ad })
    expect(message).toMatchObject({ ...plain, referral: ad, body: 'Halo' })
    expect(await eventOf(shop, message.id)).toEqual(message)
    const post = { source_type: 'post', source_id: 42, image_url: 'https://scontent.xx.fbcdn.net/a.jpg' }
    expect((await received(shop, { referral: post })).referral).toEqual({ ...post, source_id: '42' })
    expect(await received(shop, {})).toMatchObject(plain)
  })

  test('that it was forwarded, once or many times, and that it replies to nothing then', async () => {
    const shop = await aShop()
    const forwarded = await received(shop, { context: { forwarded: true } })
    expect(forwarded).toMatchObject({ ...plain, forwarded: true, reply_to: null })
    const often = await received(shop, { context: { frequently_forwarded: true } })
    expect(often).toMatchObject({ ...plain, forwarded: true, frequently_forwarded: true })
    expect(await eventOf(shop, often.id)).toEqual(often)
    expect(await received(shop, { context: { forwarded: 'yes', frequently_forwarded: 1 } })).toMatchObject(plain)
  })

  test('the product that the customer asks about, beside what they reply to', async () => {
    const shop = await aShop()
    const first = await received(shop, {})
    const product = { catalog_id: '1940', product_retailer_id: 'KOPI-AREN' }
    const context = { from: '622150001000', id: first.provider_id, referred_product: product }
    const message = await received(shop, { context })
    expect(message).toMatchObject({ ...plain, referred_product: product, reply_to: first.id })
    expect(await eventOf(shop, message.id)).toEqual(message)
  })

  test('also of a message that cannot be shown, with the code and the words of the network', async () => {
    const shop = await aShop()
    const errors = [
      {
        code: 131051,
        title: 'Message type unknown',
        message: 'Message type unknown',
        error_data: { details: 'Message type is currently not supported.' },
      },
    ]
    const unsupported = { type: 'unsupported', text: undefined, unsupported: { type: 'poll' }, errors }
    expect(await received(shop, { ...unsupported, referral: ad, context: { forwarded: true } })).toMatchObject({
      ...plain,
      type: 'unsupported',
      unsupported: { type: 'poll', detail: 'Message type is currently not supported.', provider_code: '131051' },
      referral: ad,
      forwarded: true,
    })
    const [row] = await bench.database.many<{ raw: unknown }>`
      select raw from messages where org_id = ${shop.orgId} and type = 'unsupported'`
    expect(row?.raw).toMatchObject({ errors, referral: ad, unsupported: { type: 'poll' } })
    const late = [{ code: 131052, title: 'Media download error' }]
    expect(await received(shop, { type: 'image', image: {}, errors: late })).toMatchObject({
      unsupported: { type: 'image', detail: 'Media download error', provider_code: '131052' },
    })
  })

  test('after an edit as before; for a deleted message, the advertisement alone', async () => {
    const shop = await aShop()
    const product = { catalog_id: '1940', product_retailer_id: 'KOPI-AREN' }
    const context = { forwarded: true, referred_product: product }
    const first = await received(shop, { referral: ad, context })
    const show = async () => (await bench.call(shop.orgId, 'GET', `/messages/${first.id}`)).json
    const change = (type: string, rest: object) => {
      const original = { original_message_id: first.provider_id, ...rest }
      return post(shop, { contacts: [SARI], messages: [{ from: SARI.wa_id, id: anId(), type, [type]: original }] })
    }
    await change('edit', { message: { type: 'text', text: { body: 'Halo kak' } } })
    await until(async () => (await show()).body === 'Halo kak')
    expect(await show()).toMatchObject({ referral: ad, forwarded: true, referred_product: product })
    await change('revoke', {})
    await until(async () => (await show()).type === 'unsupported')
    expect(await show()).toMatchObject({ ...plain, referral: ad })
  })
})

test('the valid parts of an invalid origin are shown, and the message is never lost', async () => {
  const shop = await aShop()
  const huge = 'ß'.repeat(70_000)
  const odd: [referral: unknown, shown: unknown][] = [
    ['an advertisement', null],
    [[ad], null],
    [{}, null],
    [7, null],
    [{ headline: '', source_id: ' ', welcome_message: 'Halo' }, null],
    [{ source_url: 'javascript:alert(1)', source_type: 'ad' }, { source_type: 'ad' }],
    [{ source_url: 'java\nscript:alert(1)', image_url: 'data:text/html,x', video_url: 'ftp://a/b' }, null],
    [{ source_url: 'https://', thumbnail_url: '//evil.example/x' }, null],
    [
      { source_url: `https://fb.me/${huge}`, source_id: 'x'.repeat(600), ctwa_clid: huge, headline: 'A' },
      { headline: 'A' },
    ],
    [{ headline: { text: 'A' }, body: 5, source_id: { id: 1 }, source_type: ['ad'], ctwa_clid: true }, null],
    [{ headline: 'A', discount: 5, nested: { deep: [1] } }, { headline: 'A' }],
    [{ headline: 'A\u0000B\ud800' }, { headline: 'AB\ufffd' }],
  ]
  for (const [referral, shown] of odd) {
    const context = { referred_product: referral, forwarded: referral }
    const message = await received(shop, { referral, context })
    expect(message).toMatchObject({ ...plain, body: 'Halo', referral: shown })
  }
  const long = await received(shop, { referral: { headline: huge, body: huge, source_type: huge } })
  expect(Object.values<string>(long.referral).map((text) => [...text].length)).toEqual([200, 65_536, 65_536])
  const rows = await bench.database.many<{ referral: unknown }>`
    select raw -> 'referral' as referral from messages where org_id = ${shop.orgId} order by id`
  const kept = rows.map(({ referral }) => referral)
  expect(kept).toContain('an advertisement')
  expect(kept).toContainEqual({ headline: 'A', discount: 5, nested: { deep: [1] } })
  expect(kept).toContainEqual({ source_url: 'javascript:alert(1)', source_type: 'ad' })
})

describe('the person that a payload names', () => {
  const contactOf = async (shop: Shop, message: { sender: { id: string } }) =>
    (await bench.call(shop.orgId, 'GET', `/contacts/${message.sender.id}`)).json

  test('is a contact with their name, phone, user id and username', async () => {
    const shop = await aShop()
    const contact = await contactOf(shop, await received(shop, {}))
    expect(contact).toMatchObject({ name: 'Sari', phone: '+6281234567890' })
    expect(contact.identities).toEqual([
      { type: 'phone', value: '+6281234567890' },
      { type: 'user_id', value: 'ID.9127' },
      { type: 'username', value: 'sari.kopi' },
    ])
  })

  test('may have no phone, and is the same person once a phone is known', async () => {
    const shop = await aShop()
    const { wa_id, ...hidden } = SARI
    const first = await received(shop, { from: undefined }, [hidden])
    expect(await contactOf(shop, first)).toMatchObject({ name: 'Sari', phone: null })
    const second = await received(shop, {}, [{ ...SARI, profile: { name: 'Sari Dewi' } }])
    expect([second.chat_id, second.sender]).toEqual([first.chat_id, first.sender])
    expect(await contactOf(shop, second)).toMatchObject({ name: 'Sari Dewi', phone: `+${wa_id}` })
  })
})

test('a card says why the customer shared it', async () => {
  const shop = await aShop()
  const card = { name: { formatted_name: 'Budi' }, phones: [{ phone: '+62 813', type: 'CELL', wa_id: '62813' }] }
  const contacts = [{ ...card, origin: 'contact_request', vcard: 'BEGIN:VCARD' }]
  const message = await received(shop, { type: 'contacts', text: undefined, contacts })
  expect(message.contacts).toEqual(contacts)
})
