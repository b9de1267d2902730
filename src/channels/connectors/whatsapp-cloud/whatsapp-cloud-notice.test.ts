import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { aBatch, signedHeaders, signedWebhook } from '../../../../test/support/graph-server.ts'
import { measureProcessorMs } from '../../../../test/support/processor-time.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import type { ChannelNumber, ChannelReport } from '../../channel-connector.ts'
import { readBatch, readHook } from './whatsapp-cloud.notice.ts'

const APP_SECRET = 'an app secret for tests'
const PHONE_NUMBER_ID = '106540352242922'
const TIME = '1790000000'
const AT = new Date(1_790_000_000_000)

const number: ChannelNumber = {
  orgId: 'org_test' as OrgId,
  id: 'num_test',
  phoneNumberId: PHONE_NUMBER_ID,
  displayPhone: '+6221500000',
  baseUrl: null,
  credentials: { app_secret: APP_SECRET, verify_token: 'a verify token' },
  settings: {},
}

const bytes = (value: unknown) => signedWebhook(value, APP_SECRET).body
const read = (value: Record<string, unknown>, field?: string): ChannelReport[] =>
  readBatch(bytes(aBatch(PHONE_NUMBER_ID, value, field)))

const SARI = { profile: { name: 'Sari', username: 'sari' }, wa_id: '6281200000001', user_id: 'ID.91abc' }
const base = { from: '6281200000001', id: 'wamid.in', timestamp: TIME }

const readOne = (message: object, contacts: unknown[] = [SARI]) => {
  const reports = read({ contacts, messages: [{ ...base, ...message }] })
  expect(reports.length).toBe(1)
  return reports[0] as ChannelReport
}
const contentOf = (message: object) => (readOne(message) as { content: unknown }).content

describe('the handshake', () => {
  const ask = (query: Record<string, string>) =>
    readHook(number, {
      method: 'GET',
      query: new URLSearchParams(query),
      headers: new Headers(),
      body: new Uint8Array(0),
    })
  const right = { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': 'a verify token' }

  test('is answered with the challenge when the word is right', () => {
    expect(ask(right)).toEqual({ kind: 'challenge', body: '1158201444' })
  })

  test.each([
    ['another word', { ...right, 'hub.verify_token': 'a verify tokeN' }, 403],
    ['no word', { 'hub.mode': 'subscribe', 'hub.challenge': '1' }, 403],
    ['another mode', { ...right, 'hub.mode': 'unsubscribe' }, 403],
    ['no mode', { 'hub.challenge': '1', 'hub.verify_token': 'a verify token' }, 403],
    ['no challenge', { 'hub.mode': 'subscribe', 'hub.verify_token': 'a verify token' }, 403],
    ['an endless challenge', { ...right, 'hub.challenge': '1'.repeat(1001) }, 403],
  ])('is refused with %s', (_, query, status) => {
    expect(ask(query as Record<string, string>)).toMatchObject({ kind: 'refused', status })
  })

  test('other methods are refused', () => {
    const hook = { method: 'PUT', query: new URLSearchParams(), headers: new Headers(), body: new Uint8Array(0) }
    expect(readHook(number, hook)).toMatchObject({ kind: 'refused', status: 405 })
  })
})

describe('the signature', () => {
  const post = (body: Uint8Array, headers: Headers) =>
    readHook(number, { method: 'POST', query: new URLSearchParams(), headers, body }).kind

  test('holds for the very bytes that were signed, and for no other form of the same JSON', () => {
    const { body, headers } = signedWebhook(aBatch(PHONE_NUMBER_ID, { messages: [{ text: 'é 😀 a@b' }] }), APP_SECRET)
    expect(new TextDecoder().decode(body)).toContain('\\u00e9 \\ud83d\\ude00 a\\u0040b')
    expect(post(body, headers)).toBe('genuine')
    const rewritten = new TextEncoder().encode(JSON.stringify(JSON.parse(new TextDecoder().decode(body))))
    expect(post(rewritten, headers)).toBe('refused')
  })

  test('of another secret, of SHA-1 alone, cut short or missing is refused', () => {
    const body = bytes({})
    const { 'x-hub-signature-256': right } = Object.fromEntries(signedHeaders(body, APP_SECRET))
    const wrong = [
      signedHeaders(body, 'another secret'),
      new Headers({ 'x-hub-signature': 'sha1=abcdef' }),
      new Headers({ 'x-hub-signature-256': String(right).slice(0, -1) }),
      new Headers({ 'x-hub-signature-256': String(right).slice('sha256='.length) }),
      new Headers(),
    ]
    expect(wrong.map((headers) => post(body, headers))).toEqual(wrong.map(() => 'refused'))
    expect(post(body, signedHeaders(body, APP_SECRET))).toBe('genuine')
  })
})

describe('messages', () => {
  test('name the sender by all that is known, the time by the network’s clock, and the number', () => {
    expect(readOne({ type: 'text', text: { body: 'Halo' } })).toMatchObject({
      kind: 'message',
      phoneNumberId: PHONE_NUMBER_ID,
      providerId: 'wamid.in',
      from: { phone: '6281200000001', userId: 'ID.91abc', parentUserId: null, username: 'sari', name: 'Sari' },
      at: AT,
      content: { type: 'text', body: 'Halo' },
      providerMediaId: null,
      replyToProviderId: null,
      isForwarded: false,
      referral: null,
      raw: { ...base, type: 'text' },
    })
  })

  test('of a customer without a phone number are named by user id and username', () => {
    const contacts = [{ profile: { username: '@budi.k' }, user_id: 'ID.77', parent_user_id: 'ID.ENT.5' }]
    const message = { from: undefined, from_user_id: 'ID.77', type: 'text', text: { body: 'Halo' } }
    expect(readOne(message, contacts)).toMatchObject({
      from: { phone: null, userId: 'ID.77', parentUserId: 'ID.ENT.5', username: 'budi.k', name: null },
    })
  })

  test('find their sender among several contacts by phone or by user id, and never take another’s name', () => {
    const budi = { profile: { name: 'Budi' }, user_id: 'ID.77' }
    const message = (more: object) => readOne({ type: 'text', text: { body: '' }, ...more }, [SARI, budi])
    expect(message({})).toMatchObject({ from: { name: 'Sari' } })
    expect(message({ from: undefined, from_user_id: 'ID.77' })).toMatchObject({ from: { name: 'Budi', phone: null } })
    expect(message({ from: '6281299999999' })).toMatchObject({ from: { name: null, phone: '6281299999999' } })
    const unlisted = { ...base, from: '6281299999999', type: 'text', text: { body: '' } }
    expect(read({ contacts: [SARI], messages: [unlisted] })).toMatchObject([{ from: { name: null, userId: null } }])
  })

  const sha256 = Buffer.alloc(32, 7)
  test.each([
    ['image', { caption: 'Ini' }, { body: 'Ini', media: { mime_type: 'a/b', sha256: sha256.toString('hex') } }],
    ['document', { filename: 'x.pdf' }, { media: { filename: 'x.pdf' } }],
    ['audio', { voice: true }, { media: { voice: true } }],
    ['sticker', { animated: true }, { media: { animated: true } }],
    ['video', {}, { media: { mime_type: 'a/b' } }],
  ])('with a file of type %s name the network’s id of it', (type, more, expected) => {
    const payload = { id: '555', mime_type: 'a/b', sha256: sha256.toString('base64'), ...more }
    expect(readOne({ type, [type]: payload })).toMatchObject({
      content: { type, ...expected },
      providerMediaId: '555',
    })
  })

  test.each<[string, object, object]>([
    [
      'location',
      { location: { latitude: '-6.2', longitude: 106.8, url: 'https://m.example' } },
      { type: 'location', location: { latitude: -6.2, longitude: 106.8, url: 'https://m.example' } },
    ],
    [
      'contacts',
      { contacts: [{ vcard: 'BEGIN:VCARD', phones: [{ phone: '+62812' }] }] },
      {
        type: 'contacts',
        contacts: [{ vcard: 'BEGIN:VCARD', phones: [{ phone: '+62812' }], name: { formatted_name: '+62812' } }],
      },
    ],
    [
      'interactive',
      { interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Ya' } } },
      {
        type: 'interactive',
        body: 'Ya',
        interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Ya' } },
      },
    ],
    [
      'interactive',
      { interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"a":1}' } } },
      {
        type: 'interactive',
        body: 'Sent',
        interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"a":1}' } },
      },
    ],
    [
      'button',
      { button: { payload: 'STOP', text: 'Berhenti' } },
      {
        type: 'interactive',
        body: 'Berhenti',
        interactive: { type: 'button', button: { payload: 'STOP', text: 'Berhenti' } },
      },
    ],
    [
      'order',
      {
        order: {
          catalog_id: '9',
          text: 'Tolong',
          product_items: [
            { product_retailer_id: 'sku', quantity: '2', item_price: 15_000, currency: 'IDR' },
            { quantity: 1 },
          ],
        },
      },
      {
        type: 'order',
        body: 'Tolong',
        order: {
          catalog_id: '9',
          text: 'Tolong',
          product_items: [{ product_retailer_id: 'sku', quantity: 2, item_price: 15_000, currency: 'IDR' }],
        },
      },
    ],
    [
      'system',
      { system: { type: 'customer_identity_changed', body: 'Changed' } },
      { type: 'system', body: 'Changed', system: { type: 'customer_identity_changed', body: 'Changed' } },
    ],
  ])('of type %s keep what they carry', (type, payload, expected) => {
    expect(contentOf({ type, ...payload })).toEqual(expected)
  })

  test('react to a message of the network; without an emoji they remove the reaction', () => {
    const message = (reaction: object) =>
      readOne({ type: 'reaction', reaction: { message_id: 'wamid.out', ...reaction } })
    expect(message({ emoji: '❤️' })).toMatchObject({
      content: { type: 'reaction', reaction: { message_id: null, emoji: '❤️' } },
      reactsToProviderId: 'wamid.out',
    })
    expect(message({})).toMatchObject({ content: { reaction: { emoji: '' } } })
  })

  test('say what they answer, whether they were forwarded, and which advertisement led here', () => {
    const text = { type: 'text', text: { body: 'x' } }
    expect(readOne({ ...text, context: { from: '1', id: 'wamid.out' } })).toMatchObject({
      replyToProviderId: 'wamid.out',
      isForwarded: false,
    })
    for (const context of [{ forwarded: true }, { frequently_forwarded: true }])
      expect(readOne({ ...text, context })).toMatchObject({ replyToProviderId: null, isForwarded: true })
    const referral = { source_type: 'ad', source_id: '1', ctwa_clid: 'x' }
    expect(readOne({ ...text, referral })).toMatchObject({ referral })
    const product = { catalog_id: '7', product_retailer_id: 'SKU-1' }
    const inquiry = { from: '1', id: 'wamid.out', referred_product: product }
    expect(readOne({ ...text, context: inquiry })).toMatchObject({ referredProduct: product })
  })

  test('of an unknown kind, or that cannot be made sense of, are kept as unsupported with their raw form', () => {
    const errors = [{ code: 131051, title: 'Unsupported', error_data: { details: 'Message type is not supported.' } }]
    expect(readOne({ type: 'unsupported', errors, unsupported: { type: 'poll' } })).toMatchObject({
      content: { type: 'unsupported', unsupported: { type: 'poll', detail: 'Message type is not supported.' } },
    })
    expect(readOne({ type: 'hologram', hologram: { x: 1 } })).toMatchObject({
      content: { type: 'unsupported', unsupported: { type: 'hologram' } },
      raw: { hologram: { x: 1 } },
    })
    const tooLarge = [
      { code: 131052, title: 'Media download error', error_data: { details: 'The file is too large.' } },
    ]
    for (const document of [undefined, {}])
      expect(contentOf({ type: 'document', document, errors: tooLarge })).toEqual({
        type: 'unsupported',
        unsupported: { type: 'document', detail: 'The file is too large.', provider_code: '131052' },
      })
    expect(contentOf({ type: 'text', text: 5 })).toMatchObject({ type: 'unsupported', unsupported: { type: 'text' } })
    for (const type of ['constructor', '__proto__', 7])
      expect(readOne({ type })).toMatchObject({ kind: 'message', content: { type: 'unsupported' } })
  })

  test('are edited and deleted by the id of the original', () => {
    const edit = { original_message_id: 'wamid.old', message: { type: 'text', text: { body: 'baru' } } }
    expect(readOne({ type: 'edit', edit })).toMatchObject({
      kind: 'edited',
      originalProviderId: 'wamid.old',
      content: { type: 'text', body: 'baru' },
      at: AT,
    })
    expect(readOne({ type: 'revoke', revoke: { original_message_id: 'wamid.old' } })).toMatchObject({
      kind: 'revoked',
      providerId: 'wamid.in',
      originalProviderId: 'wamid.old',
    })
  })

  test('of a group name the group beside the member who wrote', () => {
    const message = { group_id: 'g1', type: 'text', text: { body: 'x' } }
    expect(readOne(message)).toMatchObject({ kind: 'message', groupId: 'g1', from: { phone: '6281200000001' } })
    expect(readOne({ ...message, group_id: null })).toMatchObject({ kind: 'message', content: { body: 'x' } })
  })

  test('of the network itself may name whom they are about inside only', () => {
    const system = { type: 'customer_identity_changed', body: 'Kode keamanan berubah', wa_id: '6281200000001' }
    const notice = { from: undefined, type: 'system', system }
    expect(readOne(notice, [])).toMatchObject({ kind: 'message', from: { phone: '6281200000001' } })
  })

  test('lose what the database cannot hold, and nothing else', () => {
    expect(contentOf({ type: 'text', text: { body: 'a\0b\ud800c' } })).toEqual({ type: 'text', body: 'ab\ufffdc' })
  })
})

const readNotice = (message: object) => read({ messages: [{ ...base, ...message }] })

describe('a changed number or id', () => {
  test('is reported by a system message, whose sender is the person as they were', () => {
    const system = { type: 'user_changed_number', wa_id: '6281300000002', body: 'changed' }
    expect(readNotice({ type: 'system', system })).toMatchObject([
      {
        kind: 'identity',
        providerId: 'wamid.in',
        before: { phone: '6281200000001', userId: null },
        after: { phone: '6281300000002', userId: null },
        at: AT,
      },
      { kind: 'message', providerId: 'wamid.in', from: { phone: '6281300000002' }, content: { type: 'system' } },
    ])
  })

  test('is reported without a sender, then its text names both', () => {
    const system = {
      type: 'user_changed_user_id',
      user_id: 'ID.new',
      parent_user_id: 'ID.ENT.9',
      body: 'User Sari changed from ID.old to ID.new',
    }
    expect(readNotice({ from: undefined, type: 'system', system })[0]).toMatchObject({
      kind: 'identity',
      before: { phone: null, userId: 'ID.old' },
      after: { userId: 'ID.new', parentUserId: 'ID.ENT.9' },
    })
  })

  test('is reported by a separate field', () => {
    const update = { wa_id: '6281200000001', user_id: { previous: 'ID.old', current: 'ID.new' }, timestamp: TIME }
    expect(read({ contacts: [], user_id_update: [update] }, 'user_id_update')).toMatchObject([
      {
        kind: 'identity',
        providerId: null,
        before: { phone: '6281200000001', userId: 'ID.old' },
        after: { phone: '6281200000001', userId: 'ID.new' },
      },
      { kind: 'other', field: 'user_id_update' },
    ])
  })

  test('of no one is unreadable', () => {
    const system = { type: 'user_changed_number' }
    expect(readOne({ from: undefined, type: 'system', system }, [])).toMatchObject({ kind: 'unreadable' })
  })
})

describe('calls', () => {
  const aCall = (more: object) =>
    read(
      {
        contacts: [SARI],
        calls: [
          {
            id: 'wacid.1',
            from: '6281200000001',
            to: '622150000000',
            event: 'connect',
            direction: 'USER_INITIATED',
            timestamp: TIME,
            ...more,
          },
        ],
      },
      'calls',
    )[0]

  test('of a customer are reported when they begin', () => {
    expect(aCall({})).toMatchObject({ kind: 'call', from: { phone: '6281200000001' }, at: expect.any(Date) })
    expect(aCall({ event: 'terminate' })).toMatchObject({ kind: 'other' })
    expect(aCall({ direction: 'BUSINESS_INITIATED' })).toMatchObject({ kind: 'other' })
    expect(aCall({ event: undefined })).toMatchObject({ kind: 'unreadable' })
  })
})

describe('preferences', () => {
  const preference = (more: object) =>
    read(
      {
        contacts: [SARI],
        user_preferences: [
          {
            wa_id: '6281200000001',
            detail: 'x',
            category: 'marketing_messages',
            value: 'stop',
            timestamp: TIME,
            ...more,
          },
        ],
      },
      'user_preferences',
    )[0]

  test('tell who stops marketing messages, or wants them again, and when', () => {
    const person = { phone: '6281200000001' }
    expect(preference({})).toMatchObject({ kind: 'preference', isStopped: true, person, at: expect.any(Date) })
    expect(preference({ value: 'resume' })).toMatchObject({ kind: 'preference', isStopped: false, person })
    const byUserId = preference({ wa_id: undefined, user_id: 'ID.91' })
    expect(byUserId).toMatchObject({ kind: 'preference', person: { userId: 'ID.91' } })
  })

  test('of other kinds, or in words that are new, are kept and not guessed at', () => {
    expect(preference({ category: 'updates' })).toMatchObject({ kind: 'other' })
    expect(preference({ value: 'pause' })).toMatchObject({ kind: 'other' })
    expect(preference({ value: undefined })).toMatchObject({ kind: 'unreadable' })
  })
})

describe('statuses', () => {
  const status = (more: object, contacts: unknown[] = []) =>
    read({ contacts, statuses: [{ id: 'wamid.out', status: 'sent', timestamp: TIME, ...more }] })[0]

  test('name the message by both ids, the recipient by all that is known, and the price', () => {
    const pricing = { billable: true, category: 'utility' }
    const more = { recipient_id: '6281200000001', biz_opaque_callback_data: 'msg_1', pricing }
    expect(status(more, [SARI])).toMatchObject({
      kind: 'status',
      providerId: 'wamid.out',
      clientToken: 'msg_1',
      status: 'sent',
      at: AT,
      recipient: { phone: '6281200000001', userId: 'ID.91abc', name: 'Sari' },
      failure: null,
      facts: { pricing },
    })
  })

  test.each(['parent_recipient_user_id', 'recipient_parent_user_id', 'parent_user_id'])(
    'find the parent id under %s',
    (name) => {
      const report = status({ recipient_user_id: 'ID.1', [name]: 'ID.ENT.1' })
      expect(report).toMatchObject({ recipient: { phone: null, userId: 'ID.1', parentUserId: 'ID.ENT.1' } })
    },
  )

  test.each(['sent', 'delivered', 'read', 'played'] as const)('%s is taken over', (reached) => {
    expect(status({ status: reached })).toMatchObject({ kind: 'status', status: reached })
  })

  test('that failed say why, in our words', () => {
    const errors = [{ code: 131047, title: 'Re-engagement', error_data: { details: 'More than 24 hours' } }]
    expect(status({ status: 'failed', errors })).toMatchObject({
      failure: {
        class: 'window',
        code: 'reply_window_closed',
        providerCode: '131047',
        detail: 'More than 24 hours',
      },
    })
    expect(status({ status: 'failed' })).toMatchObject({ failure: { class: 'permanent', code: 'refused' } })
  })

  test('that are unknown, and those of groups, are handed on as they came', () => {
    for (const more of [{ status: 'warned' }, { recipient_type: 'group' }])
      expect(status(more)).toMatchObject({ kind: 'other', field: 'messages', raw: { value: { statuses: [more] } } })
  })

  test('without a time that makes sense still tell how far the message came', () => {
    expect(status({ status: 'delivered', timestamp: 'soon' })).toMatchObject({ status: 'delivered', at: null })
  })
})

describe('the time of a message', () => {
  test.each([
    ['none', undefined],
    ['no number', 'soon'],
    ['a moment before there was a network', '12'],
  ])('that is %s makes nothing else of it unreadable', (_, timestamp) => {
    const text = { type: 'text', text: { body: 'Halo' } }
    expect(readOne({ ...text, timestamp })).toMatchObject({ kind: 'message', providerId: 'wamid.in', at: null })
    const revoke = { type: 'revoke', revoke: { original_message_id: 'wamid.before' } }
    expect(readOne({ ...revoke, timestamp })).toMatchObject({ kind: 'revoked', at: null })
    const moved = { type: 'system', system: { type: 'user_changed_number', wa_id: '6281200000002' } }
    expect(readNotice({ ...moved, timestamp })[0]).toMatchObject({ kind: 'identity', at: null })
    expect(readOne({ ...text, timestamp, id: undefined })).toMatchObject({ kind: 'unreadable' })
    expect(readOne({ ...text, timestamp, from: undefined }, [])).toMatchObject({ kind: 'unreadable' })
  })
})

describe('a batch', () => {
  test('is read on all four levels', () => {
    const text = (id: string) => ({ ...base, id, type: 'text', text: { body: id } })
    const one = aBatch('1', {
      messages: [text('a'), text('b')],
      statuses: [{ id: 'c', status: 'read', timestamp: TIME }],
    })
    const other = aBatch('2', { messages: [text('d')] })
    const entry = [...one.entry, { changes: [...(other.entry[0]?.changes ?? []), ...(one.entry[0]?.changes ?? [])] }]
    const reports = readBatch(bytes({ object: 'x', entry }))
    expect(reports.map((report) => [report.phoneNumberId, 'providerId' in report && report.providerId])).toEqual([
      ['1', 'a'],
      ['1', 'b'],
      ['1', 'c'],
      ['2', 'd'],
      ['1', 'a'],
      ['1', 'b'],
      ['1', 'c'],
    ])
  })

  test('tells the operator of trouble with the account, also beside messages', () => {
    const errors = [{ code: 131042, title: 'Business eligibility payment issue' }]
    const messages = [{ ...base, type: 'text', text: { body: 'x' } }]
    expect(read({ errors, messages })).toMatchObject([
      { kind: 'message' },
      { kind: 'account_problem', failure: { class: 'account', code: 'billing_problem' } },
      { kind: 'other', field: 'messages', news: { topic: 'number', isTrouble: true, event: '131042' } },
    ])
  })

  test('of another field, or of nothing we know, is named and kept', () => {
    expect(read({ event: 'APPROVED' }, 'message_template_status_update')).toMatchObject([
      { kind: 'other', field: 'message_template_status_update', phoneNumberId: PHONE_NUMBER_ID },
    ])
    expect(read({ user_actions: [{}] })).toMatchObject([{ kind: 'other', field: 'messages' }])
  })

  test('of a thousand messages and a thousand contacts is read in a moment', () => {
    const contacts = Array.from({ length: 1000 }, (_, index) => ({ ...SARI, wa_id: `62812${1_000_000 + index}` }))
    const messages = contacts.map((contact) => ({ ...base, from: contact.wa_id, type: 'text', text: { body: 'x' } }))
    const takenMs = measureProcessorMs(() => expect(read({ contacts, messages }).length).toBe(1000))
    expect(takenMs).toBeLessThan(1500)
  })

  test('with any item put in the place of any other never throws and loses none of the others', () => {
    const good = { ...base, id: 'wamid.good', type: 'text', text: { body: 'tetap' } }
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (item, contact) => {
        const reports = read({ contacts: [contact], messages: [item, good], statuses: [item], errors: [item] })
        const kept = reports.filter((report) => report.kind === 'message' && report.providerId === 'wamid.good')
        expect(kept.length).toBe(1)
      }),
      { numRuns: 300 },
    )
  })

  test('that is cut anywhere never throws', () => {
    const whole = bytes(aBatch(PHONE_NUMBER_ID, { contacts: [SARI], messages: [{ ...base, type: 'text' }] }))
    for (let length = 0; length < whole.length; length += 3)
      expect(readBatch(whole.subarray(0, length)).map((report) => report.kind)).toEqual(['unreadable'])
  })
})

test('the largest batch is read at once, however many people and messages it names', () => {
  const contacts = Array.from({ length: 20_000 }, (_, index) => ({
    wa_id: `62812${100_000 + index}`,
    user_id: `ID.${index}`,
  }))
  const messages = Array.from({ length: 5_000 }, (_, index) => ({
    ...base,
    from: `62812${119_999 - index}`,
    id: `w${index}`,
    type: 'text',
  }))
  let reports: ChannelReport[] = []
  const takenMs = measureProcessorMs(() => {
    reports = read({ contacts, messages })
  })
  expect(takenMs).toBeLessThan(2000)
  expect(reports.at(-1)).toMatchObject({ kind: 'message', from: { phone: '62812115000', userId: 'ID.15000' } })
})
