import { describe, expect, test } from 'bun:test'
import { aText, type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { until, untilLockIsAwaited } from '../../../test/support/until.ts'
import type { MessageContent } from '../../channels/content/message-content.ts'
import { storeMedia } from '../../channels/media/media-files.ts'
import { deleteNumber } from '../../channels/numbers/numbers.ts'
import { newId } from '../../kernel/ids.ts'
import { deriveKey } from '../../platform/database/secret-box.ts'
import { createCursorCodec } from '../../platform/http/pipeline/cursor.ts'
import { wireIdOf } from './wire-ids.ts'

const bench = useMessaging()
const TO = '+6281234567890'

const send = ({ orgId }: Shop, json: Record<string, unknown>, headers: Record<string, string> = {}) =>
  bench.call(orgId, 'POST', '/messages', { json: { to: TO, ...json }, headers })
const get = async ({ orgId }: Shop, id: string) => (await bench.call(orgId, 'GET', `/messages/${id}`)).json
const isSent = (shop: Shop, id: string) => until(async () => (await get(shop, id)).status === 'sent')
const errorOf = (json: { errors: { pointer: string; code: string }[] }) => [
  json.errors[0]?.pointer,
  json.errors[0]?.code,
]

describe('201', () => {
  test('the keys of metadata are counted in characters, and a refusal says what is wrong with one', async () => {
    const shop = await bench.aShop()
    const metadata = { ['😀'.repeat(40)]: 'as many as there may be' }
    const sent = await send(shop, { body: 'Halo', metadata })
    expect([sent.status, sent.json.metadata]).toEqual([201, metadata])
    const refused = await send(shop, { body: 'Halo', metadata: { ['😀'.repeat(41)]: 'one more' } })
    expect(refused.json.errors[0].detail).toBe('The name of this member: A key of metadata is 1 to 40 characters.')
  })

  test('a text is accepted, sent, and shown in its chat', async () => {
    const shop = await bench.aShop()
    const { status, json, headers } = await send(shop, {
      body: 'Halo',
      client_reference: 'ref-1',
      metadata: { order: '7' },
    })
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`/api/public/v1/messages/${json.id}`)
    expect([json.status, json.direction, json.type, json.body, json.sender]).toEqual([
      'queued',
      'outbound',
      'text',
      'Halo',
      { type: 'key', id: 'key_test' },
    ])
    await isSent(shop, json.id)
    const taken = bench.channel.taken.find((message) => message.id === json.id)
    expect([taken?.to, taken?.content]).toEqual([
      { phone: '6281234567890', userId: null },
      { type: 'text', body: 'Halo' },
    ])
    const chat = await bench.call(shop.orgId, 'GET', `/chats/${TO}`)
    expect(chat.json.last_message).toMatchObject({
      id: json.id,
      preview: 'Halo',
      status: 'sent',
      direction: 'outbound',
    })
    expect(chat.json.messages.data[0]).toMatchObject({ client_reference: 'ref-1', metadata: { order: '7' } })
    const events = await bench.eventsOf(shop.orgId)
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['chat.created', 1],
      ['message.sent', 2],
    ])
    expect(events[0]?.data.last_message.preview).toBe('Halo')
  })

  test.each([
    [{ type: 'image', media: { link: 'https://example.com/a.png' }, body: 'ini' }, 'ini'],
    [{ type: 'document', media: { link: 'https://example.com/a.pdf', filename: 'a.pdf' } }, '[document]'],
    [{ type: 'location', location: { latitude: -6.2, longitude: 106.8, name: 'Monas' } }, 'Monas'],
    [{ type: 'contacts', contacts: [{ name: { formatted_name: 'Budi S', first_name: 'Budi' } }] }, 'Budi S'],
    [
      {
        type: 'interactive',
        interactive: {
          type: 'button',
          body: { text: 'Pilih' },
          action: { buttons: [{ type: 'reply', reply: { id: 'a', title: 'A' } }] },
        },
      },
      'Pilih',
    ],
    [{ type: 'template', template: { name: 'order_ready', language: { code: 'id' } } }, '[template]'],
  ])('%j is sent as it is', async (content, preview) => {
    const shop = await bench.aShop()
    const { status, json } = await send(shop, content)
    expect([status, json.errors]).toEqual([201, undefined])
    await isSent(shop, json.id)
    const taken = bench.channel.taken.find((message) => message.id === json.id)
    expect(taken?.content).toMatchObject(content)
    expect((await bench.call(shop.orgId, 'GET', '/chats')).json.data[0].last_message.preview).toBe(preview)
  })

  test('a reply and a reaction carry the network’s ids of the messages they are about', async () => {
    const shop = await bench.aShop()
    const text = aText()
    await bench.report(shop, [text])
    const [inbound] = (await bench.call(shop.orgId, 'GET', '/messages')).json.data
    const reply = await send(shop, { body: 'ya', reply_to: inbound.id })
    const reaction = await send(shop, { type: 'reaction', reaction: { message_id: inbound.id, emoji: '❤️' } })
    await isSent(shop, reaction.json.id)
    const taken = (id: string) => bench.channel.taken.find((message) => message.id === id)
    expect(taken(reply.json.id)?.replyToProviderId).toBe(text.providerId)
    expect(taken(reaction.json.id)?.reactsToProviderId).toBe(text.providerId)
  })

  test('a reply and a reaction may name their message by a wamid, the network’s or ours', async () => {
    const shop = await bench.aShop()
    const text = { ...aText(), providerId: 'wamid.HBgNNjI4MTIzNDU2Nzg5MBUCABIYIDNBOTc' }
    await bench.report(shop, [text])
    const [inbound] = (await bench.call(shop.orgId, 'GET', '/messages')).json.data
    for (const name of [text.providerId, wireIdOf(inbound.id)]) {
      expect((await send(shop, { body: 'ya', reply_to: name })).json.reply_to).toBe(inbound.id)
      const reaction = await send(shop, { type: 'reaction', reaction: { message_id: name, emoji: '❤️' } })
      expect(reaction.json.reaction.message_id).toBe(inbound.id)
    }
    for (const unknown of ['wamid.UNKNOWN', wireIdOf('msg_01k9x3m5q8e0t9v7a2b4c6d8fg')])
      expect((await send(shop, { body: 'ya', reply_to: unknown })).json.code).toBe('message_not_found')
  })

  test('a template may be written short: its language as a code, its variables as a list or by name', async () => {
    const shop = await bench.aShop()
    const short = { name: 'order_ready', language: 'id' }
    const taken = async (template: object) => {
      const { json } = await send(shop, { type: 'template', template })
      return json.template
    }
    expect(await taken(short)).toEqual({ name: 'order_ready', language: { code: 'id' } })
    expect(await taken({ ...short, variables: ['Sari', 'ORD-1'] })).toMatchObject({
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Sari' },
            { type: 'text', text: 'ORD-1' },
          ],
        },
      ],
    })
    expect(await taken({ ...short, variables: { nama: 'Sari' } })).toMatchObject({
      components: [{ type: 'body', parameters: [{ type: 'text', parameter_name: 'nama', text: 'Sari' }] }],
    })
    const twice = { ...short, variables: ['Sari'], components: [{ type: 'body', parameters: [] }] }
    const { status, json } = await send(shop, { type: 'template', template: twice })
    expect([status, json.errors[0].pointer]).toEqual([409, '#/template/variables'])
  })

  test('a recipient may be written with its channel', async () => {
    const shop = await bench.aShop()
    const plain = await send(shop, { to: '+6281234567890', body: 'satu' })
    for (const to of ['whatsapp:+6281234567890', 'whatsapp:081234567890', 'WhatsApp:+62 812-3456-7890'])
      expect((await send(shop, { to, body: 'dua' })).json.chat_id).toBe(plain.json.chat_id)
    const read = await bench.call(shop.orgId, 'GET', `/chats/${encodeURIComponent('whatsapp:+6281234567890')}`)
    expect(read.json.id).toBe(plain.json.chat_id)
  })

  test('messages of one chat leave in the order they were accepted', async () => {
    const shop = await bench.aShop()
    bench.channel.answerWith(async (_, { take, nth }) => {
      await new Promise((resolve) => setTimeout(resolve, nth % 3))
      return take()
    })
    const ids: string[] = []
    for (let nth = 0; nth < 12; nth++) ids.push((await send(shop, { body: `${nth}` })).json.id)
    await isSent(shop, ids.at(-1) as string)
    const left = bench.channel.taken.filter((message) => ids.includes(message.id)).map((message) => message.id)
    expect(left).toEqual(ids)
    bench.channel.answerWith((_, { take }) => take())
  })

  test('concurrent messages to many customers of several shops all arrive, with gap-free events for each', async () => {
    const shops = [await bench.aShop(), await bench.aShop(), await bench.aShop()]
    const replies = await Promise.all(
      Array.from({ length: 120 }, (_, nth) =>
        send(shops[nth % 3] as Shop, { to: `+62812000${10_000 + (nth % 40)}`, body: `${nth}` }),
      ),
    )
    expect(replies.filter(({ status }) => status !== 201)).toEqual([])
    await bench.settle()
    for (const shop of shops) {
      const events = await bench.eventsOf(shop.orgId)
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
      const count = (type: string) => events.filter((event) => event.type === type).length
      expect(count('message.sent')).toBe(40)
      expect(count('chat.created') + count('chat.updated')).toBe(40)
    }
  })

  test('a chat that is changed while the message waits for it keeps the change and gets the message', async () => {
    const shop = await bench.aShop()
    await send(shop, { body: 'first' })
    const changed = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const change = bench.database.transaction(async (tx) => {
      await tx.run`update chats set assignee = 'Sari' where org_id = ${shop.orgId}`
      changed.resolve()
      await release.promise
    })
    await changed.promise
    const second = send(shop, { body: 'second' })
    await untilLockIsAwaited(bench.database)
    release.resolve()
    await change
    expect((await second).status).toBe(201)
    const { json } = await bench.call(shop.orgId, 'GET', `/chats/${TO}`)
    expect([json.assignee, json.last_message.preview, json.messages.data.length]).toEqual(['Sari', 'second', 2])
  })

  test('with several numbers, from picks one by id, phone_number_id or phone', async () => {
    const shop = await bench.aShop()
    const other = await bench.aNumber(shop.orgId, { phoneNumberId: '777001' })
    for (const from of [other, '777001']) await send(shop, { body: 'x', from })
    await send(shop, { body: 'default' })
    const { json } = await bench.call(shop.orgId, 'GET', '/chats')
    expect(json.data.map((chat: { number: { id: string } }) => chat.number.id).toSorted()).toEqual(
      [shop.numberId, other].toSorted(),
    )
    const thread = await bench.call(shop.orgId, 'GET', `/chats/${TO}?number=777001`)
    expect(thread.json.messages.data.length).toBe(2)
  })

  test('from takes the phone of a number in any spelling of the organization’s country, and no other phone', async () => {
    const shop = await bench.aShop()
    for (const from of ['+622150001000', '62 21 5000-1000', '021 5000 1000', '(021) 50001000'])
      expect([from, (await send(shop, { body: 'x', from })).status]).toEqual([from, 201])
    for (const from of ['021 5000 1001', '5000 1000']) {
      const { status, json } = await send(shop, { body: 'x', from })
      expect([from, status, json.code]).toEqual([from, 409, 'number_not_connected'])
    }
    expect((await bench.call(shop.orgId, 'GET', `/chats/${TO}?number=02150001000`)).status).toBe(200)
  })

  test('from means the number that has the phone now, not one that was disconnected before', async () => {
    const shop = await bench.aShop()
    await bench.database.transaction((tx) =>
      deleteNumber(bench.channels.context, tx, shop.orgId, { id: shop.numberId }),
    )
    await bench.aNumber(shop.orgId)
    for (const from of ['+622150001000', '021 5000 1000']) {
      expect([from, (await send(shop, { body: 'x', from })).status]).toEqual([from, 201])
    }
  })

  test('a stored file is uploaded to the network before it is sent', async () => {
    const shop = await bench.aShop()
    const files = new Map<string, Uint8Array>()
    const storage = {
      put: async (key: string, bytes: Uint8Array) => void files.set(key, bytes),
      get: async (key: string) => files.get(key) ?? null,
      stream: async () => null,
      delete: async () => {},
    }
    Object.assign(bench.channels.media.storage, storage)
    const media = await storeMedia(bench.channels.media, shop.orgId, {
      bytes: new Uint8Array([1]),
      mimeType: 'image/png',
    })
    const uploadsBefore = bench.channel.uploads.length
    const { json } = await send(shop, { type: 'image', media: { id: media.id } })
    await isSent(shop, json.id)
    expect(bench.channel.uploads.length).toBe(uploadsBefore + 1)
    const taken = bench.channel.taken.find((message) => message.id === json.id)
    expect(taken?.providerMediaId).toBe(`provider-media-${bench.channel.uploads.length}`)
  })
})

describe('Idempotency-Key', () => {
  const key = (name: string) => ({ 'idempotency-key': name })

  test('the same request again is answered the same and sent once', async () => {
    const shop = await bench.aShop()
    const first = await send(shop, { body: 'sekali' }, key('k1'))
    const second = await send(shop, { body: 'sekali' }, key('k1'))
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true'])
    expect(second.json).toEqual(first.json)
    expect(second.headers.get('location')).toBe(first.headers.get('location'))
    expect((await bench.call(shop.orgId, 'GET', '/messages')).json.data.length).toBe(1)
  })

  test('another body under the same key is 422', async () => {
    const shop = await bench.aShop()
    await send(shop, { body: 'a' }, key('k2'))
    const other = await send(shop, { body: 'b' }, key('k2'))
    expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('twenty at once with one key send one message', async () => {
    const shop = await bench.aShop()
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(shop, { body: 'sekali' }, key('k3'))))
    expect(new Set(replies.map(({ status }) => status)).isSubsetOf(new Set([201, 409]))).toBe(true)
    expect((await bench.call(shop.orgId, 'GET', '/messages')).json.data.length).toBe(1)
  })

  test('a refusal leaves the key free', async () => {
    const shop = await bench.aShop({ connector: 'strict' })
    expect((await send(shop, { body: 'a' }, key('k4'))).status).toBe(409)
    await bench.report(shop, [aText()])
    expect((await send(shop, { body: 'a' }, key('k4'))).status).toBe(201)
  })
})

describe('send_at', () => {
  test('a scheduled message leaves at its time, and only then is it the chat’s newest', async () => {
    const shop = await bench.aShop()
    const sendAt = new Date(bench.clock.now() + 3_600_000)
    const { json } = await send(shop, { body: 'nanti', send_at: sendAt.toISOString() })
    expect([json.status, json.send_at]).toEqual(['scheduled', sendAt.toISOString()])
    const now = await send(shop, { body: 'sekarang' })
    await isSent(shop, now.json.id)
    expect((await bench.call(shop.orgId, 'GET', '/chats')).json.data[0].last_message.id).toBe(now.json.id)
    expect((await get(shop, json.id)).status).toBe('scheduled')
    bench.advance(3_600_001)
    await isSent(shop, json.id)
    const chat = await bench.call(shop.orgId, 'GET', `/chats/${TO}`)
    expect(chat.json.last_message.id).toBe(json.id)
    expect(chat.json.messages.data.map((message: { body: string }) => message.body)).toEqual(['nanti', 'sekarang'])
  })

  test('a scheduled message can be canceled until then, and is deleted', async () => {
    const shop = await bench.aShop()
    const { json } = await send(shop, { body: 'x', send_at: new Date(bench.clock.now() + 60_000).toISOString() })
    expect((await bench.call(shop.orgId, 'DELETE', `/messages/${json.id}`)).status).toBe(204)
    expect((await bench.call(shop.orgId, 'GET', `/messages/${json.id}`)).status).toBe(404)
    const calls = bench.channel.calls.length
    bench.advance(120_000)
    await bench.settle()
    expect(bench.channel.calls.length).toBe(calls)
  })

  test('a sent message cannot be canceled', async () => {
    const shop = await bench.aShop()
    const { json } = await send(shop, { body: 'x' })
    const reply = await bench.call(shop.orgId, 'DELETE', `/messages/${json.id}`)
    expect([reply.status, reply.json.code]).toEqual([409, 'message_not_scheduled'])
  })

  test('a past time is refused', async () => {
    const shop = await bench.aShop()
    const past = await send(shop, { body: 'x', send_at: '2020-01-01T00:00:00Z' })
    expect([past.status, ...errorOf(past.json)]).toEqual([409, '#/send_at', 'in_the_past'])
  })
})

describe('the reply window', () => {
  test('closed: a text is refused with the fix named, a template is taken', async () => {
    const shop = await bench.aShop({ connector: 'strict' })
    const text = await send(shop, { body: 'Halo' })
    expect([text.status, text.json.code]).toEqual([409, 'reply_window_closed'])
    expect(text.json.detail).toContain('template')
    for (const list of ['/messages', '/chats', '/contacts'])
      expect([list, (await bench.call(shop.orgId, 'GET', list)).json.data]).toEqual([list, []])
    const template = await send(shop, { type: 'template', template: { name: 'a', language: { code: 'id' } } })
    expect(template.status).toBe(201)
  })

  test('closed: a rehearsal of a text is refused as the text is, and of a template it stores nothing', async () => {
    const shop = await bench.aShop({ connector: 'strict' })
    const { sender } = bench.messaging.context
    const rehearse = (content: MessageContent) =>
      sender.rehearse({
        orgId: shop.orgId,
        to: { text: TO },
        from: null,
        content,
        sender: { type: 'agent', id: 'agt_1' },
      })
    const refused = rehearse({ type: 'text', body: 'Halo', preview_url: false })
    await expect(refused).rejects.toMatchObject({ code: 'reply_window_closed' })
    await rehearse({ type: 'template', template: { name: 'a', language: { code: 'id' } } })
    for (const list of ['/messages', '/chats', '/contacts'])
      expect([list, (await bench.call(shop.orgId, 'GET', list)).json.data]).toEqual([list, []])
  })

  test('opens with a message of the customer and closes a day later', async () => {
    const shop = await bench.aShop({ connector: 'strict' })
    await bench.report(shop, [aText()])
    expect((await send(shop, { body: 'Halo' })).status).toBe(201)
    bench.advance(25 * 3_600_000)
    expect((await send(shop, { body: 'Halo' })).status).toBe(409)
    expect((await bench.call(shop.orgId, 'GET', `/chats/${TO}`)).json.reply_window.state).toBe('closed')
  })

  const aCall = (at: number, phone = TO.slice(1)) => ({
    kind: 'call',
    phoneNumberId: null,
    raw: null,
    from: { phone, userId: null, parentUserId: null, username: null, name: 'Sari' },
    at: new Date(at).toISOString(),
  })

  test('opens with a call of the customer as with a message, also when the customer is new', async () => {
    const shop = await bench.aShop({ connector: 'strict' })
    const [day, now] = [86_400_000, bench.clock.now()]
    await bench.report(shop, [aCall(now)])
    expect((await bench.eventsOf(shop.orgId)).map(({ type }) => type)).toEqual(['chat.created'])
    const chat = (await bench.call(shop.orgId, 'GET', `/chats/${TO}`)).json
    expect([chat.reply_window.state, chat.contact.name, chat.messages.data]).toEqual(['open', 'Sari', []])
    expect(Date.parse(chat.reply_window.closes_at)).toBeLessThanOrEqual(bench.clock.now() + day)
    expect((await send(shop, { body: 'Halo' })).status).toBe(201)
    bench.advance(day + 1)
    expect((await send(shop, { body: 'Halo' })).status).toBe(409)
    await bench.report(shop, [aCall(now), aCall(bench.clock.now())])
    expect((await send(shop, { body: 'Halo' })).status).toBe(201)
    const recorded = (await bench.eventsOf(shop.orgId)).filter(({ type }) => type.startsWith('chat.'))
    expect(recorded.map(({ type }) => type)).toEqual(['chat.created', 'chat.updated', 'chat.updated', 'chat.updated'])
  })

  test('is unlimited where the channel has none', async () => {
    const shop = await bench.aShop()
    await send(shop, { body: 'Halo' })
    const { json } = await bench.call(shop.orgId, 'GET', `/chats/${TO}`)
    expect(json.reply_window).toEqual({ state: 'unlimited', closes_at: null })
  })
})

test('a customer whom the network reported is found and sent to when no phone table knows the number', async () => {
  const shop = await bench.aShop()
  await bench.report(shop, [aText({ phone: '15551234567' })])
  const [known] = (await bench.call(shop.orgId, 'GET', '/chats')).json.data
  for (const to of ['+15551234567', '15551234567', '+1 (555) 123-4567']) {
    const sent = await send(shop, { to, body: 'Halo' })
    expect([to, sent.status, sent.json.chat_id]).toEqual([to, 201, known.id])
    const found = await bench.call(shop.orgId, 'GET', `/chats/${encodeURIComponent(to)}`)
    expect([to, found.json.id]).toEqual([to, known.id])
  }
  const unknownPhone = await send(shop, { to: '+15551234568', body: 'Halo' })
  expect([unknownPhone.status, ...errorOf(unknownPhone.json)]).toEqual([422, '#/to', 'phone_impossible'])
  const other = await send(await bench.aShop(), { to: '+15551234567', body: 'Halo' })
  expect([other.status, ...errorOf(other.json)]).toEqual([422, '#/to', 'phone_impossible'])
})

describe('what cannot be sent', () => {
  test.each([
    [{ to: 'Budi', body: 'x' }, '#/to', 'wrong_format'],
    [{ to: '+62 8', body: 'x' }, '#/to', 'wrong_format'],
    [{ body: '' }, '#/body', 'too_short'],
    [{ body: ' \n\t ' }, '#/body', 'blank'],
    [{ body: '\u200b\u3000\u2800' }, '#/body', 'blank'],
    [{ body: 'x', client_reference: ' ' }, '#/client_reference', 'blank'],
    [{ type: 'image', media: { link: 'https://example.com/a' }, body: '  ' }, '#/body', 'blank'],
    [{ to: '+62812', body: 'x' }, '#/to', 'phone_impossible'],
    [{ body: 'x'.repeat(4097) }, '#/body', 'too_long'],
    [{ body: 'x', colour: 'red' }, '#/colour', 'field_unknown'],
    [{ type: 'image', media: { id: 'a', link: 'https://example.com/a' } }, '#/media', 'not_allowed'],
    [{ type: 'audio', media: { link: 'https://example.com/a' }, body: 'no caption' }, '#/body', 'field_unknown'],
    [
      { body: 'x', metadata: Object.fromEntries(Array.from({ length: 51 }, (_, nth) => [`k${nth}`, 'v'])) },
      '#/metadata',
      'too_many',
    ],
    [{ body: 'x', metadata: { ['k'.repeat(41)]: 'v' } }, `#/metadata/${'k'.repeat(41)}`, 'wrong_format'],
  ])('a bad field is 422: %#', async (body, pointer, code) => {
    const shop = await bench.aShop()
    const { status, json } = await send(shop, body)
    expect([status, ...errorOf(json)]).toEqual([422, pointer, code])
  })

  const button = (id: string, title: string) => ({ type: 'reply', reply: { id, title } })
  const buttons = { buttons: [button('a', 'Ya'), button('a', 'Tidak')] }

  test.each([
    [
      { type: 'interactive', interactive: { type: 'button', body: { text: 'Jadi?' }, action: buttons } },
      '#/interactive/action/buttons/1/reply/id',
      'duplicate',
    ],
    [
      { type: 'reaction', reaction: { message_id: 'msg_01k9x3m5q8e0t9v7a2b4c6d8fg', emoji: 'ok' } },
      '#/reaction/emoji',
      'wrong_format',
    ],
  ])('what no schema can say is 409: %#', async (body, pointer, code) => {
    const shop = await bench.aShop()
    const { status, json } = await send(shop, body)
    expect([status, json.code, ...errorOf(json)]).toEqual([409, 'value_refused', pointer, code])
  })

  test.each([
    [{ to: 'chat_01k9x3m5q8e0t9v7a2b4c6d8fg', body: 'x' }, 'chat_not_found'],
    [{ to: '@unknown', body: 'x' }, 'chat_not_found'],
    [{ body: 'x', reply_to: 'msg_01k9x3m5q8e0t9v7a2b4c6d8fg' }, 'message_not_found'],
    [{ type: 'image', media: { id: 'med_01k9x3m5q8e0t9v7a2b4c6d8fg' } }, 'media_not_found'],
  ])('%j is 404', async (body, code) => {
    const shop = await bench.aShop()
    const { status, json } = await send(shop, body)
    expect([status, json.code]).toEqual([404, code])
  })

  test('a message to the number that would send it is 409, however it is named', async () => {
    const shop = await bench.aShop()
    for (const to of ['+622150001000', '021 5000 1000']) {
      const { status, json } = await send(shop, { to, body: 'x' })
      expect([to, status, ...errorOf(json)]).toEqual([to, 409, '#/to', 'recipient_is_sender'])
    }
    await bench.report(shop, [aText({ phone: '622150001000' })])
    const [chat] = (await bench.call(shop.orgId, 'GET', '/chats')).json.data
    const { status, json } = await send(shop, { to: chat.id, body: 'x' })
    expect([status, ...errorOf(json)]).toEqual([409, '#/to', 'recipient_is_sender'])
  })

  test('without a connected number it is 409', async () => {
    const orgId = await bench.anOrg()
    const { status, json } = await bench.call(orgId, 'POST', '/messages', { json: { to: TO, body: 'x' } })
    expect([status, json.code]).toEqual([409, 'number_not_connected'])
  })

  test('without the scope it is 403', async () => {
    const shop = await bench.aShop()
    const { status } = await bench.call(shop.orgId, 'POST', '/messages', {
      json: { to: TO, body: 'x' },
      scopes: ['chats:read'],
    })
    expect(status).toBe(403)
  })
})

describe('search', () => {
  test('finds messages by the beginnings of their words, page by page and by chat', async () => {
    const shop = await bench.aShop()
    await bench.report(
      shop,
      Array.from({ length: 5 }, (_, nth) => aText({ text: `nasi goreng ${nth}`, phone: `62812000000${10 + nth}` })),
    )
    await send(shop, { body: 'mie ayam' })
    const first = await bench.call(shop.orgId, 'GET', '/messages?q=nas%20GOR&limit=3')
    expect([first.json.data.length, first.json.has_more]).toEqual([3, true])
    const rest = await bench.call(shop.orgId, 'GET', `/messages?q=nas%20GOR&limit=3&cursor=${first.json.next_cursor}`)
    expect([rest.json.data.length, rest.json.has_more]).toEqual([2, false])
    const ofChat = await bench.call(shop.orgId, 'GET', `/messages?q=goreng&chat=${first.json.data[0].chat_id}`)
    expect(ofChat.json.data.length).toBe(1)
    for (const chat of ['081200000010', '+6281200000010', '%2B62%20812-0000-0010'])
      expect((await bench.call(shop.orgId, 'GET', `/messages?chat=${chat}`)).json.data).toMatchObject([
        { body: 'nasi goreng 0' },
      ])
    for (const unknown of ['081200000099', '12', newId('chat')])
      expect((await bench.call(shop.orgId, 'GET', `/messages?chat=${unknown}`)).json.data).toEqual([])
    expect((await bench.call(shop.orgId, 'GET', '/messages?q=%21%21')).json.data).toEqual([])
  })

  test('lists the messages of a chat in the order of its thread, page by page, also when some were reported late', async () => {
    const shop = await bench.aShop()
    const [first, second] = ['2026-11-10T08:00:00.000Z', '2026-11-11T08:00:00.000Z']
    await bench.report(shop, [aText({ text: 'dua', at: second })])
    await bench.report(shop, [aText({ text: 'satu', at: first })])
    await send(shop, { body: 'tiga' })
    const bodies: string[] = []
    for (let cursor = ''; ; ) {
      const page = (await bench.call(shop.orgId, 'GET', `/messages?chat=081234567890&limit=1${cursor}`)).json
      bodies.push(page.data[0].body)
      if (!page.has_more) break
      cursor = `&cursor=${page.next_cursor}`
    }
    expect(bodies).toEqual(['tiga', 'dua', 'satu'])
  })

  test('continues behind the message of an old cursor without a place, wherever the message is in the thread', async () => {
    const shop = await bench.aShop()
    const [first, second] = ['2026-11-10T08:00:00.000Z', '2026-11-11T08:00:00.000Z']
    await bench.report(shop, [aText({ text: 'satu', at: first })])
    await bench.report(shop, [aText({ text: 'dua', at: second })])
    const path = '/messages?chat=081234567890'
    const [last] = (await bench.call(shop.orgId, 'GET', path)).json.data
    const cursor = createCursorCodec(deriveKey('a secret for tests', 'cursors')).encode({
      ...{ list: 'messages', sort: '-id', filters: { chat: '081234567890', org: shop.orgId } },
      position: [last.id, last.chat_id],
    })
    const rest = (await bench.call(shop.orgId, 'GET', `${path}&cursor=${cursor}`)).json.data
    expect([last.body, ...rest.map(({ body }: { body: string }) => body)]).toEqual(['dua', 'satu'])
  })

  test('keeps all pages in one chat when another chat of the contact becomes the most recently active one', async () => {
    const shop = await bench.aShop()
    const other = { ...shop, numberId: await bench.aNumber(shop.orgId) }
    const write = (on: Shop, text: string) => bench.report(on, [aText({ text, phone: '6281200000010' })])
    await write(other, 'lama')
    await write(shop, 'satu')
    await write(shop, 'dua')
    const pageOf = async (cursor: string) =>
      (await bench.call(shop.orgId, 'GET', `/messages?chat=081200000010&limit=1${cursor}`)).json
    const first = await pageOf('')
    await write(other, 'baru')
    const second = await pageOf(`&cursor=${first.next_cursor}`)
    expect([first, second].map(({ data }) => data[0].body)).toEqual(['dua', 'satu'])
    expect(second.has_more).toBe(false)
  })
})
