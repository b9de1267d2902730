import { describe, expect, test } from 'bun:test'
import { aText, useSimulator } from '../../../../test/support/simulator.ts'
import { until } from '../../../../test/support/until.ts'
import type { ChannelReport } from '../../channel-connector.ts'
import type { MessageContent } from '../../content/message-content.ts'
import type { InboundOrigin } from './hook-items.ts'
import { outboundIdOf, userIdOf } from './seeded.ts'
import { FILE_BYTES_MAX } from './sending.ts'

/** Playing the customer: what comes out of the journal is what a person did. */
const bench = useSimulator()

const FROM = '+6281300000001'
const text = (body: string): MessageContent => ({ type: 'text', body })
const customers = () => bench.simulator.customers
const customer = (from: string | null = FROM) => ({ number: bench.number, from })

const find = async <Kind extends ChannelReport['kind']>(kind: Kind, providerId: string) => {
  type Found = Extract<ChannelReport, { kind: Kind; providerId: unknown }>
  const look = () =>
    bench.reports().find((report) => report.kind === kind && 'providerId' in report && report.providerId === providerId)
  await until(() => look() !== undefined)
  return look() as Found
}
const messageOf = async (written: Promise<{ provider_ids: string[] }>) =>
  find('message', (await written).provider_ids[0] as string)

/** A message that this person was sent. */
const aReceived = async (content: MessageContent = text('Halo'), from = FROM) => {
  const message = aText(from, { content })
  await bench.simulator.connector.send(bench.number, message, AbortSignal.timeout(5_000))
  return message
}

const BUTTONS: MessageContent = {
  type: 'interactive',
  interactive: {
    type: 'button',
    body: { text: 'Jadi?' },
    action: {
      buttons: [
        { type: 'reply', reply: { id: 'yes', title: 'Ya' } },
        { type: 'reply', reply: { id: 'no', title: 'Tidak' } },
      ],
    },
  },
}
const LIST: MessageContent = {
  type: 'interactive',
  interactive: {
    type: 'list',
    body: { text: 'Pilih' },
    action: {
      button: 'Menu',
      sections: [{ title: 'Kopi', rows: [{ id: 'k1', title: 'Tubruk', description: 'Panas' }] }],
    },
  },
}

describe('a customer who writes', () => {
  test('is named, by phone, user id, name and username', async () => {
    const written = customers().customerWrites({
      ...customer(),
      name: 'Sari',
      username: '@sari',
      content: text('Halo 👋'),
    })
    expect(await messageOf(written)).toMatchObject({
      from: { phone: '6281300000001', userId: userIdOf('6281300000001'), name: 'Sari', username: 'sari' },
      content: { type: 'text', body: 'Halo 👋' },
      phoneNumberId: bench.number.phoneNumberId,
    })
    const again = await messageOf(customers().customerWrites({ ...customer(), content: text('Lagi') }))
    expect(again.from).toMatchObject({ name: 'Sari', username: 'sari' })
    expect((await customers().listPeople(bench.number))[0]).toMatchObject({ name: 'Sari', messages_written: 2 })
  })

  test('gets the same name and ids in every story with the same seed', async () => {
    const settings = { seed: 'story' }
    const tell = async () => {
      const number = await bench.aNumber({ settings, phone_number_id: '777000111' })
      const first = await customers().customerWrites({
        number,
        from: '+6281300000007',
        content: [text('a'), text('b')],
      })
      const second = await customers().customerWrites({ number, from: '+6281300000007', content: text('c') })
      return [first.person.name, ...first.provider_ids, ...second.provider_ids]
    }
    const story = await tell()
    expect(new Set(story).size).toBe(4)
    expect(await tell()).toEqual(story)
  })

  test('without a phone is known by a user id alone', async () => {
    const hidden = await messageOf(customers().customerWrites({ ...customer('+6281200000119'), content: text('a') }))
    expect(hidden.from).toMatchObject({ phone: null, userId: userIdOf('6281200000119') })
    const asked = { ...customer('+6281300000009'), isPhoneHidden: true }
    expect((await messageOf(customers().customerWrites({ ...asked, content: text('b') }))).from.phone).toBeNull()
    const only = { ...customer(null), userId: 'ID.134911', name: 'Budi' }
    const written = await messageOf(customers().customerWrites({ ...only, content: text('c') }))
    expect(written.from).toMatchObject({ phone: null, userId: 'ID.134911', name: 'Budi' })
  })

  test('writes many at once in few hooks, each once', async () => {
    const number = await bench.aNumber()
    const content = Array.from({ length: 250 }, (_, index) => text(String(index)))
    const { provider_ids } = await customers().customerWrites({ number, from: FROM, content })
    await until(() => bench.reports(number).length === 250)
    expect([bench.hooks(number), new Set(provider_ids).size]).toEqual([3, 250])
  })

  test('answers, forwards, comes from an advertisement, asks about a product', async () => {
    const { id } = await aReceived()
    const replied = await messageOf(customers().customerWrites({ ...customer(), content: text('Ya'), replyTo: id }))
    expect(replied.replyToProviderId).toBe(outboundIdOf('nexkit', id, 1))
    const referral = { source_type: 'ad', source_id: '12' }
    const referredProduct = { catalog_id: '1', product_retailer_id: 'KOPI' }
    const came = (origin: InboundOrigin) =>
      messageOf(customers().customerWrites({ ...customer(), content: text('Halo'), origin }))
    expect(await came({ isForwarded: true, referral })).toMatchObject({ isForwarded: true, referral })
    expect(await came({ isFrequentlyForwarded: true })).toMatchObject({ isFrequentlyForwarded: true, referral: null })
    expect(await came({ referredProduct })).toMatchObject({ isForwarded: false, referredProduct })
  })

  test.each([
    ['a place', { type: 'location', location: { latitude: -6.2, longitude: 106.8, name: 'Monas' } }],
    ['a card', { type: 'contacts', contacts: [{ name: { formatted_name: 'Budi', first_name: 'Budi' } }] }],
    ['something new', { type: 'unsupported', unsupported: { type: 'poll' } }],
  ] as [string, MessageContent][])('sends other things than words: %s', async (_, content) => {
    const { content: read } = await messageOf(customers().customerWrites({ ...customer(), content }))
    expect(read).toMatchObject(content)
  })

  test('who sends a cart is read with its items', async () => {
    const cart = {
      catalog_id: '99',
      product_items: [{ product_retailer_id: 'KOPI', quantity: 2, item_price: 18_000, currency: 'IDR' }],
    }
    const { content } = await messageOf(customers().customerSendsOrder({ ...customer(), cart }))
    expect(content).toEqual({ type: 'order', order: cart })
  })
})

describe('a customer who sends a file', () => {
  test('leaves its bytes with the network, under the id that was reported', async () => {
    const bytes = Uint8Array.from({ length: 5_000 }, (_, index) => index % 256)
    const file = {
      type: 'document',
      bytes,
      mimeType: 'application/pdf',
      filename: 'nota.pdf',
      caption: 'Nota',
    } as const
    const { providerMediaId, content } = await messageOf(customers().customerSendsMedia({ ...customer(), ...file }))
    expect(content).toMatchObject({ type: 'document', body: 'Nota', media: { filename: 'nota.pdf' } })
    const signal = AbortSignal.timeout(5_000)
    const outcome = await bench.simulator.connector.downloadMedia(bench.number, providerMediaId as string, signal)
    expect(outcome).toMatchObject({ kind: 'done', mimeType: 'application/pdf' })
    expect(outcome.kind === 'done' && Buffer.from(outcome.bytes).equals(Buffer.from(bytes))).toBe(true)
    const elsewhere = await bench.aNumber()
    expect(await bench.simulator.connector.downloadMedia(elsewhere, providerMediaId as string, signal)).toMatchObject({
      kind: 'refused',
      failure: { class: 'permanent' },
    })
  })

  test('of more than the network keeps is refused', async () => {
    const file = { type: 'video', bytes: new Uint8Array(FILE_BYTES_MAX + 1), mimeType: 'video/mp4' } as const
    await expect(customers().customerSendsMedia({ ...customer(), ...file })).rejects.toThrow('16 MB')
    expect(
      await bench.simulator.connector.uploadMedia(bench.number, { ...file, filename: null }, AbortSignal.any([])),
    ).toMatchObject({ kind: 'refused', failure: { class: 'permanent' } })
  })
})

describe('a customer who was sent something', () => {
  test('reads all of it, once', async () => {
    const from = '+6281200000115'
    const messages = [await aReceived(text('a'), from), await aReceived(text('b'), from)]
    expect(await customers().customerReads(customer(from))).toEqual(messages.map(({ id }) => id))
    expect(await customers().customerReads(customer(from))).toEqual([])
    for (const { id } of messages) {
      const isRead = (report: ChannelReport) =>
        report.kind === 'status' && report.clientToken === id && report.status === 'read'
      await until(() => bench.reports().some(isRead))
    }
  })

  test('reacts to it, and takes that back', async () => {
    const { id } = await aReceived()
    const providerId = outboundIdOf('nexkit', id, 1)
    for (const emoji of ['👍', '']) {
      const reacted = await messageOf(customers().customerReacts({ ...customer(), messageId: id, emoji }))
      expect(reacted).toMatchObject({ reactsToProviderId: providerId, content: { reaction: { emoji } } })
    }
  })

  test.each([
    ['buttons', BUTTONS, 'no', { type: 'button_reply', button_reply: { id: 'no', title: 'Tidak' } }],
    ['buttons', BUTTONS, 'ya', { type: 'button_reply', button_reply: { id: 'yes', title: 'Ya' } }],
    ['buttons', BUTTONS, '2', { type: 'button_reply', button_reply: { id: 'no', title: 'Tidak' } }],
    ['a list', LIST, 'k1', { type: 'list_reply', list_reply: { id: 'k1', title: 'Tubruk', description: 'Panas' } }],
  ])('chooses from %s', async (_, content, choice, interactive) => {
    const { id } = await aReceived(content)
    const replied = await messageOf(customers().customerReplies({ ...customer(), messageId: id, choice }))
    expect([replied.content, replied.replyToProviderId]).toEqual([
      expect.objectContaining({ type: 'interactive', interactive }),
      outboundIdOf('nexkit', id, 1),
    ])
  })

  test('answers automatically at the number that does', async () => {
    const from = '+6281200000120'
    const [words, buttons] = [await aReceived(text('Apa kabar?'), from), await aReceived(BUTTONS, from)]
    const repliedTo = (id: string) =>
      bench
        .reports()
        .find((report) => report.kind === 'message' && report.replyToProviderId === outboundIdOf('nexkit', id, 1))
    await until(() => repliedTo(words.id) !== undefined && repliedTo(buttons.id) !== undefined)
    expect(repliedTo(words.id)).toMatchObject({ content: { type: 'text', body: 'Apa kabar?' } })
    expect(repliedTo(buttons.id)).toMatchObject({ content: { interactive: { button_reply: { id: 'yes' } } } })
  })

  test('changes their number, and the network says from which to which', async () => {
    const change = { ...customer('+6281300000050'), to: '+6281300000051' }
    const { provider_ids } = await customers().customerChangesNumber(change)
    expect(await find('identity', provider_ids[0] as string)).toMatchObject({
      before: { phone: '6281300000050', userId: userIdOf('6281300000050') },
      after: { phone: '6281300000051', userId: userIdOf('6281300000051') },
    })
  })

  test('can be reported about out of turn', async () => {
    const { id } = await aReceived(text('a'), '+6281200000115')
    await customers().networkReports({ number: bench.number, messageId: id, status: 'failed', errorCode: 131049 })
    const failed = () =>
      bench.reports().find((one) => one.kind === 'status' && one.clientToken === id && one.failure !== null)
    await until(() => failed() !== undefined)
    expect(failed()).toMatchObject({ status: 'failed', failure: { code: 'marketing_limit_reached' } })
  })
})

describe('what cannot be is refused with a sentence', () => {
  test.each([
    [
      'a phone that is none',
      () => customers().customerWrites({ ...customer('12'), content: text('a') }),
      'not a phone',
    ],
    ['no customer', () => customers().customerWrites({ ...customer(null), content: text('a') }), 'Name the sender'],
    [
      'a user id that is none',
      () => customers().customerWrites({ ...customer(null), userId: 'x', content: text('a') }),
      'user id',
    ],
    [
      'a template from a customer',
      () =>
        customers().customerWrites({
          ...customer(),
          content: { type: 'template', template: { name: 'a', language: { code: 'id' } } },
        }),
      'cannot send',
    ],
    [
      'a reaction to nothing',
      () => customers().customerReacts({ ...customer(), messageId: 'msg_01k9x3m5q8e0t9v7a2b4c6d8fg', emoji: '👍' }),
      'never received',
    ],
    [
      'an id that is none',
      () => customers().customerReacts({ ...customer(), messageId: 'x', emoji: '👍' }),
      'not the id',
    ],
    [
      'a report on nothing',
      () =>
        customers().networkReports({
          number: bench.number,
          messageId: 'msg_01k9x3m5q8e0t9v7a2b4c6d8fg',
          status: 'read',
        }),
      'never received',
    ],
    [
      'a number that is none',
      () => customers().customerReads({ number: { ...bench.number, id: 'num_x' }, from: FROM }),
      'no connected simulator number',
    ],
  ])('%s', async (_, work, sentence) => {
    await expect(work()).rejects.toThrow(sentence)
  })

  test('a choice that was not offered, with those that were', async () => {
    const { id } = await aReceived(BUTTONS)
    const reply = (messageId: string, choice: string) =>
      customers().customerReplies({ ...customer(), messageId, choice })
    await expect(reply(id, 'maybe')).rejects.toThrow('"yes", "no"')
    const plain = await aReceived()
    await expect(reply(plain.id, 'yes')).rejects.toThrow('nothing to choose')
  })

  test('what another person was sent', async () => {
    const { id } = await aReceived()
    const other = { ...customer('+6281300000099'), messageId: id, emoji: '👍' }
    await expect(customers().customerReacts(other)).rejects.toThrow('never received')
  })
})
