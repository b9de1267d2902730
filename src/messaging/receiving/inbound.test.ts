import { describe, expect, test } from 'bun:test'
import { aStatus, aText, type Shop, useMessaging } from '../../../test/support/messaging.ts'
import { until } from '../../../test/support/until.ts'
import { getNumber } from '../../channels/numbers/numbers.ts'

const bench = useMessaging()

const typesOf = async (orgId: Parameters<typeof bench.eventsOf>[0]) =>
  (await bench.eventsOf(orgId)).map((event) => event.type)

describe('a message from a customer', () => {
  test('is one message, one chat and one event when it is delivered three times', async () => {
    const shop = await bench.aShop()
    const text = aText()
    for (let nth = 0; nth < 3; nth++) expect(await bench.report(shop, [text])).toBeNull()
    const chats = await bench.call(shop.orgId, 'GET', '/chats')
    expect(chats.json.data.length).toBe(1)
    expect(chats.json.data[0].unread_count).toBe(1)
    const messages = await bench.call(shop.orgId, 'GET', '/messages')
    expect(messages.json.data.length).toBe(1)
    expect(await typesOf(shop.orgId)).toEqual(['chat.created', 'message.received'])
  })

  test('is stored once when it is delivered three times within one batch and concurrently', async () => {
    const shop = await bench.aShop()
    const text = aText()
    const batches = Array.from({ length: 4 }, () =>
      bench.database.transaction((tx) =>
        bench.channels.appendToJournal(
          tx,
          { orgId: shop.orgId, id: shop.numberId },
          Buffer.from(JSON.stringify([text, text])),
        ),
      ),
    )
    await Promise.all(batches)
    await bench.settle()
    expect((await bench.call(shop.orgId, 'GET', '/messages')).json.data.length).toBe(1)
    expect((await bench.call(shop.orgId, 'GET', '/chats')).json.data[0].unread_count).toBe(1)
    expect(await typesOf(shop.orgId)).toEqual(['chat.created', 'message.received'])
  })

  test('is stored with the other when a batch has two', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText({ text: 'satu' }), aText({ text: 'dua', phone: '6281300000002' })])
    const { json } = await bench.call(shop.orgId, 'GET', '/messages')
    expect(json.data.map((message: { body: string }) => message.body).toSorted()).toEqual(['dua', 'satu'])
    expect((await bench.call(shop.orgId, 'GET', '/chats')).json.data.length).toBe(2)
  })

  test('is stored when the third item of its batch is garbage', async () => {
    const shop = await bench.aShop()
    const broken = aText({ content: { type: 'no such type that any table allows', media: 7 }, at: 'not a time' })
    const problem = await bench.report(shop, [
      aText(),
      aText({ phone: '6281300000002' }),
      broken,
      'garbage',
      aText({ phone: '6281300000003' }),
    ])
    expect((await bench.call(shop.orgId, 'GET', '/messages')).json.data.length).toBe(3)
    expect(problem).toContain('report 3:')
    expect(problem).toContain('report 4: not an object')
  })

  test('is stored with a replacement for characters that PostgreSQL rejects', async () => {
    const shop = await bench.aShop()
    expect(await bench.report(shop, [aText({ text: 'a\u0000b\ud800c', name: 'Sa\u0000ri' })])).toBeNull()
    const { json } = await bench.call(shop.orgId, 'GET', '/messages')
    expect(json.data[0].body).toBe('a\ufffdb\ufffdc')
  })

  test('counts as unread, and reading the chat sets 0 and sends a read receipt', async () => {
    const shop = await bench.aShop()
    const texts = ['a', 'b', 'c'].map((text) => aText({ text }))
    await bench.report(shop, texts)
    expect((await bench.call(shop.orgId, 'GET', '/chats')).json.data[0].unread_count).toBe(3)
    const unread = await bench.call(shop.orgId, 'GET', '/chats?unread=true')
    expect(unread.json.data.length).toBe(1)
    const reads = bench.channel.reads.length
    const read = await bench.call(shop.orgId, 'POST', '/chats/+6281234567890/read')
    expect([read.status, read.json.unread_count]).toEqual([200, 0])
    expect((await bench.call(shop.orgId, 'GET', '/chats?unread=true')).json.data).toEqual([])
    await until(() => bench.channel.reads.length > reads)
    expect(bench.channel.reads.at(-1)).toEqual({ providerId: texts[2]?.providerId as string, isTyping: false })
    const [event] = (await bench.eventsOf(shop.orgId)).slice(-1)
    expect([event?.type, event?.data.unread_count, event?.previous]).toEqual(['chat.updated', 0, { unread_count: 3 }])
  })

  test('is shown and not counted as unread when it is a reaction or a notice of the network', async () => {
    const shop = await bench.aShop()
    const text = aText()
    await bench.report(shop, [text])
    await bench.report(shop, [
      aText({
        content: { type: 'reaction', reaction: { message_id: null, emoji: '👍' } },
        reactsToProviderId: text.providerId,
      }),
      aText({ content: { type: 'system', body: 'changed', system: { type: 'customer_identity_changed' } } }),
    ])
    const { json } = await bench.call(shop.orgId, 'GET', '/chats/+6281234567890')
    expect(json.unread_count).toBe(1)
    expect(json.messages.data.map((message: { type: string }) => message.type)).toEqual(['system', 'reaction', 'text'])
    expect(json.messages.data[1].reaction).toEqual({ message_id: json.messages.data[2].id, emoji: '👍' })
  })

  test('reopens a closed chat and records chat.updated', async () => {
    const shop = await bench.aShop()
    await bench.report(shop, [aText()])
    const closed = await bench.call(shop.orgId, 'PATCH', '/chats/+6281234567890', { json: { status: 'closed' } })
    expect(closed.json.status).toBe('closed')
    await bench.report(shop, [aText()])
    expect((await bench.call(shop.orgId, 'GET', '/chats/+6281234567890')).json.status).toBe('open')
    const reopened = (await bench.eventsOf(shop.orgId)).filter((event) => event.previous?.status === 'closed')
    expect(reopened.map((event) => [event.type, event.data.status])).toEqual([['chat.updated', 'open']])
  })

  test('sets the end of the reply window by the reported time, and does not move it back when it is late', async () => {
    const shop = await bench.aShop({ connector: 'strict' })
    const at = new Date(Date.now() - 3_600_000)
    await bench.report(shop, [
      aText({ at: at.toISOString() }),
      aText({ at: new Date(at.getTime() - 7_200_000).toISOString() }),
    ])
    const { json } = await bench.call(shop.orgId, 'GET', '/chats/+6281234567890')
    const closesAt = new Date(at.getTime() + 24 * 3_600_000).toISOString()
    expect(json.reply_window).toEqual({ state: 'open', closes_at: closesAt })
  })

  test('is stored at once when it has a file, and the file is queued for download', async () => {
    const shop = await bench.aShop()
    const picture = aText({
      content: { type: 'image', body: 'struk', media: { mime_type: 'image/png' } },
      providerMediaId: 'm-1',
    })
    await bench.report(shop, [picture])
    const { json } = await bench.call(shop.orgId, 'GET', '/messages')
    expect([json.data[0].type, json.data[0].body, json.data[0].media.id.slice(0, 4)]).toEqual([
      'image',
      'struk',
      'med_',
    ])
  })

  test('shows that it was edited or deleted, also when the change arrives first', async () => {
    const shop = await bench.aShop()
    const [kept, late] = [aText({ text: 'salah' }), aText({ text: 'rahasia' })]
    const edit = { kind: 'edited', phoneNumberId: null, raw: null, at: new Date().toISOString() }
    await bench.report(shop, [
      kept,
      { ...edit, kind: 'revoked', providerId: 'r1', originalProviderId: late.providerId },
      { ...edit, providerId: 'e1', originalProviderId: kept.providerId, content: { type: 'text', body: 'benar' } },
      late,
    ])
    const { json } = await bench.call(shop.orgId, 'GET', '/chats/+6281234567890')
    expect(json.messages.data.map((message: { type: string; body: string }) => [message.type, message.body])).toEqual([
      ['unsupported', null],
      ['text', 'benar'],
    ])
    expect(json.unread_count).toBe(1)
    expect((await bench.call(shop.orgId, 'GET', '/messages?q=rahasia')).json.data).toEqual([])
  })

  describe('that is edited', () => {
    const second = (nth: number) => new Date(Date.now() - 60_000 + nth * 1000).toISOString()
    const anEdit = (originalProviderId: string, body: string, nth: number) => ({
      kind: 'edited',
      phoneNumberId: null,
      raw: null,
      providerId: `${originalProviderId}.edit${nth}`,
      originalProviderId,
      content: { type: 'text', body },
      at: second(nth),
    })
    const bodyIn = async ({ orgId }: Shop) => (await bench.call(orgId, 'GET', '/messages')).json.data[0].body

    test('several times shows the latest edit, in whatever order and however often edits arrive', async () => {
      const text = aText({ at: second(0) })
      const [first, last] = [anEdit(text.providerId, 'pertama', 1), anEdit(text.providerId, 'terakhir', 2)]
      for (const reports of [
        [text, first, last, first],
        [text, last, first],
        [first, last, first, text],
        [last, first, text, first],
      ]) {
        const shop = await bench.aShop()
        for (const report of reports) expect(await bench.report(shop, [report])).toBeNull()
        expect(await bodyIn(shop)).toBe('terakhir')
      }
    })

    test('is recorded once, however often the edit is delivered', async () => {
      const shop = await bench.aShop()
      const text = aText({ at: second(0) })
      const edit = anEdit(text.providerId, 'baru', 1)
      for (const report of [text, edit, edit, edit]) await bench.report(shop, [report])
      expect(await typesOf(shop.orgId)).toEqual(['chat.created', 'message.received', 'message.edited', 'chat.updated'])
      const [message] = (await bench.call(shop.orgId, 'GET', '/messages')).json.data
      expect([message.edited_at, message.deleted_at]).toEqual([edit.at, null])
    })

    test('keeps its file when the caption is edited', async () => {
      const shop = await bench.aShop()
      const content = (body: string) => ({ type: 'image', body, media: { mime_type: 'image/png' } })
      const picture = aText({ content: content('struk'), providerMediaId: 'm-2', at: second(0) })
      await bench.report(shop, [picture])
      const [before] = (await bench.call(shop.orgId, 'GET', '/messages')).json.data
      await bench.report(shop, [{ ...anEdit(picture.providerId, '', 1), content: content('struk transfer') }])
      const [after] = (await bench.call(shop.orgId, 'GET', '/messages')).json.data
      expect([after.body, after.media.id]).toEqual(['struk transfer', before.media.id])
    })

    test('stays deleted when it is deleted afterwards', async () => {
      const shop = await bench.aShop()
      const text = aText({ at: second(0) })
      const edit = anEdit(text.providerId, 'baru', 1)
      await bench.report(shop, [text, edit, { ...edit, kind: 'revoked', providerId: 'r2' }, edit])
      const { json } = await bench.call(shop.orgId, 'GET', '/chats')
      expect([await bodyIn(shop), json.data[0].unread_count]).toEqual([null, 0])
      const [message] = (await bench.call(shop.orgId, 'GET', '/messages')).json.data
      expect([message.edited_at, message.deleted_at]).toEqual([null, edit.at])
      expect((await typesOf(shop.orgId)).filter((type) => type === 'message.deleted')).toHaveLength(1)
    })
  })

  test('belongs to the number that the report names', async () => {
    const shop = await bench.aShop()
    const other = await bench.aNumber(shop.orgId, { phoneNumberId: '555000111' })
    expect(await bench.report(shop, [aText({ phoneNumberId: '555000111' })])).toBeNull()
    expect(await bench.report(shop, [aText({ phoneNumberId: '999' })])).toContain('not connected here')
    const { json } = await bench.call(shop.orgId, 'GET', '/chats')
    expect(json.data.map((chat: { number: { id: string } }) => chat.number.id)).toEqual([other])
  })
})

describe('a status', () => {
  const aSent = async () => {
    const shop = await bench.aShop()
    const sent = await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: 'Hai' } })
    const get = async () => (await bench.call(shop.orgId, 'GET', `/messages/${sent.json.id}`)).json
    await until(async () => (await get()).status === 'sent')
    return { shop, id: sent.json.id as string, providerId: (await get()).provider_id as string, get }
  }

  test('moves a message only forward, whatever the order, and each move is recorded once', async () => {
    const { shop, providerId, get } = await aSent()
    const at = (second: number) => new Date(Date.now() + second * 1000).toISOString()
    await bench.report(shop, [
      aStatus({ providerId, status: 'read', at: at(3) }),
      aStatus({ providerId, status: 'delivered', at: at(2) }),
      aStatus({ providerId, status: 'read', at: at(3) }),
      aStatus({ providerId, status: 'failed', at: at(4) }),
      aStatus({ providerId, status: 'played', at: at(5) }),
    ])
    const message = await get()
    expect([message.status, message.error]).toEqual(['read', null])
    expect(message.status_history.map((entry: { status: string }) => entry.status)).toEqual([
      'queued',
      'sent',
      'delivered',
      'read',
      'failed',
      'played',
    ])
    expect(await typesOf(shop.orgId)).toEqual(['chat.created', 'message.sent', 'message.read', 'message.played'])
  })

  test('has the time of arrival when the network reports no time', async () => {
    const { shop, id, get } = await aSent()
    const before = Date.now()
    expect(await bench.report(shop, [aStatus({ clientToken: id, status: 'delivered', at: null })])).toBeNull()
    const { status, status_history } = await get()
    expect([status, Date.parse(status_history.at(-1).at) >= before]).toEqual(['delivered', true])
  })

  test('gives the reason when it reports a failure', async () => {
    const { shop, id, get } = await aSent()
    const failure = {
      class: 'permanent',
      scope: 'recipient',
      code: 'recipient_unreachable',
      providerCode: '131026',
      detail: 'Undeliverable.',
      retryAfterMs: null,
    }
    await bench.report(shop, [aStatus({ clientToken: id, status: 'failed', failure })])
    const error = { code: 'recipient_unreachable', provider_code: '131026', detail: 'Undeliverable.', retryable: false }
    expect([(await get()).status, (await get()).error]).toEqual(['failed', error])
    expect((await bench.eventsOf(shop.orgId)).at(-1)?.data.error).toEqual(error)
  })

  test('is shown at the number when the account causes the failure', async () => {
    const { shop, id, get } = await aSent()
    const failure = {
      class: 'account',
      scope: 'number',
      code: 'billing_problem',
      providerCode: '131042',
      detail: 'There was an error related to the payment method.',
      retryAfterMs: null,
    }
    await bench.report(shop, [aStatus({ clientToken: id, status: 'failed', failure })])
    await bench.channels.health.flush()
    expect((await get()).status).toBe('failed')
    const { last_error_code, last_error } = await getNumber(bench.database, shop.orgId, shop.numberId)
    expect([last_error_code, last_error]).toEqual([failure.code, failure.detail])
  })

  test('waits for its message when it arrives first', async () => {
    const shop = await bench.aShop()
    const gate = Promise.withResolvers<void>()
    bench.channel.answerWith(async (message) => {
      await gate.promise
      return { kind: 'accepted', providerId: `wamid.early.${message.id}`, recipient: message.to }
    })
    const sent = await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: 'Hai' } })
    await bench.report(shop, [aStatus({ providerId: `wamid.early.${sent.json.id}`, status: 'delivered' })])
    gate.resolve()
    await until(
      async () => (await bench.call(shop.orgId, 'GET', `/messages/${sent.json.id}`)).json.status === 'delivered',
    )
    bench.channel.answerWith((_, { take }) => take())
  })

  test('leaves the history in order when it arrives before the answer of the network is recorded', async () => {
    const shop = await bench.aShop()
    const gate = Promise.withResolvers<void>()
    bench.channel.answerWith(async (message) => {
      await gate.promise
      return { kind: 'accepted', providerId: `wamid.held.${message.id}`, recipient: message.to }
    })
    const sent = await bench.call(shop.orgId, 'POST', '/messages', { json: { to: '+6281234567890', body: 'Hai' } })
    const get = async () => (await bench.call(shop.orgId, 'GET', `/messages/${sent.json.id}`)).json
    const at = new Date(Date.now() + 60_000).toISOString()
    await bench.report(shop, [aStatus({ clientToken: sent.json.id, status: 'delivered', at })])
    expect((await get()).status).toBe('delivered')
    gate.resolve()
    await bench.settle()
    const history = (await get()).status_history.map((entry: { status: string }) => entry.status)
    expect(history).toEqual(['queued', 'sent', 'delivered'])
    bench.channel.answerWith((_, { take }) => take())
  })

  test('is parked without effect when its message belongs to another sender', async () => {
    const shop = await bench.aShop()
    expect(await bench.report(shop, [aStatus({ status: 'sent' }), aText()])).toBeNull()
    expect((await bench.call(shop.orgId, 'GET', '/messages')).json.data.length).toBe(1)
  })
})

test('a message keeps the advertisement and the product that the network reports with it', async () => {
  const shop = await bench.aShop()
  const referral = { source_type: 'ad', source_id: '1' }
  const referredProduct = { catalog_id: '7', product_retailer_id: 'SKU-1' }
  const notForwarded = { is_forwarded: false, is_frequently_forwarded: false }
  await bench.report(shop, [
    aText({ text: 'plain' }),
    aText({ text: 'ad', referral }),
    aText({ text: 'ask', referredProduct }),
  ])
  const rows = await bench.database.many<{ body: string; raw: unknown }>`
    select body, raw from messages where org_id = ${shop.orgId} order by id`
  expect(rows.map(({ body, raw }) => [body, raw])).toEqual([
    ['plain', null],
    ['ad', { referral, ...notForwarded, referred_product: null }],
    ['ask', { referral: null, ...notForwarded, referred_product: referredProduct }],
  ])
})
