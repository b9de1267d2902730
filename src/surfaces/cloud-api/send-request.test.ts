import { describe, expect, test } from 'bun:test'
import { CloudApiProblem } from './cloud-api-problem.ts'
import { readMessagesRequest } from './send-request.ts'

const base = { messaging_product: 'whatsapp', to: '+62 812-0000-0001' }
const text = { ...base, type: 'text', text: { body: 'Halo' } }
const link = 'https://example.com/a.jpg'

const read = (body: unknown) => {
  const request = readMessagesRequest(body)
  if (request.kind !== 'send') throw new Error('not a message')
  return request
}

/** The code and the details of the refusal. */
function refusal(body: unknown): [number, string] {
  try {
    readMessagesRequest(body)
  } catch (error) {
    if (!(error instanceof CloudApiProblem)) throw error
    return [error.answer.code, error.answer.details ?? error.answer.title]
  }
  throw new Error('accepted')
}

describe('the recipient', () => {
  test('is echoed as given, and known by digits', () => {
    expect(read(text)).toMatchObject({ input: '+62 812-0000-0001', to: { phone: '6281200000001' } })
    expect(read({ ...text, to: '(62) 812 0000 0001' }).to).toEqual({ phone: '6281200000001' })
    expect(read({ ...text, to: 6281200000001 })).toMatchObject({
      input: '6281200000001',
      to: { phone: '6281200000001' },
    })
  })

  test('loses a trunk zero that does not belong to the number', () => {
    expect(read({ ...text, to: '+62 (0)812-0000-0001' }).to).toEqual({ phone: '6281200000001' })
  })

  test('is never given a country: digits are a whole international number', () => {
    expect(read({ ...text, to: '16505551234' }).to).toEqual({ phone: '16505551234' })
    expect(refusal({ ...text, to: '081200000001' })[0]).toBe(131009)
  })

  test.each(['+', '12345', '1'.repeat(16), '62812abc0001', '6281200000001@s.whatsapp.net', 'x'.repeat(300)])(
    'is refused as "%s"',
    (to) => {
      expect(refusal({ ...text, to })[0]).toBe(131009)
    },
  )

  test('may be a business-scoped user id, over which a phone wins', () => {
    const { to: _, ...without } = text
    expect(read({ ...without, recipient: 'ID.13491208' })).toMatchObject({
      input: 'ID.13491208',
      to: { userId: 'ID.13491208' },
    })
    expect(read({ ...text, recipient: 'ID.13491208' }).to).toEqual({ phone: '6281200000001' })
    expect(refusal({ ...without, recipient: '@sari' })[0]).toBe(131009)
    expect(refusal(without)).toEqual([131008, 'to: "to" or "recipient" is required.'])
  })

  test('is one person', () => {
    expect(read({ ...text, recipient_type: 'individual' }).input).toBe(base.to)
    expect(refusal({ ...text, recipient_type: 'group' })[0]).toBe(131051)
    const toGroup = { ...text, recipient_type: 'group', to: 'Y2FwaV9ncm91cDox' }
    expect(refusal(toGroup)).toEqual([131051, 'recipient_type: Only "individual" is supported.'])
  })
})

const aTemplateAt = (latitude: unknown, longitude: unknown) => ({
  name: 'a',
  language: { code: 'id' },
  components: [
    {
      type: 'header',
      parameters: [{ type: 'location', location: { latitude, longitude, name: 'Monas', address: 'Jakarta' } }],
    },
  ],
})

describe('the content', () => {
  test.each<[string, object, object]>([
    ['a text', { text: { body: 'Halo' } }, { type: 'text', body: 'Halo' }],
    [
      'a text with preview',
      { type: 'text', text: { preview_url: 'true', body: 'x' } },
      { type: 'text', body: 'x', preview_url: true },
    ],
    [
      'a picture',
      { type: 'image', image: { link, caption: 'Look', filename: 'ignored' } },
      { type: 'image', media: { link }, body: 'Look' },
    ],
    ['a picture by a numeric id', { type: 'image', image: { id: 123 } }, { type: 'image', media: { id: '123' } }],
    ['a video', { type: 'video', video: { id: '1', link: null } }, { type: 'video', media: { id: '1' } }],
    [
      'a document',
      { type: 'document', document: { link, filename: 'a.pdf', caption: 'A' } },
      { type: 'document', media: { link, filename: 'a.pdf' }, body: 'A' },
    ],
    [
      'a voice note',
      { type: 'audio', audio: { id: '1', voice: true } },
      { type: 'audio', media: { id: '1', voice: true } },
    ],
    ['a sticker', { type: 'sticker', sticker: { id: '1' } }, { type: 'sticker', media: { id: '1' } }],
    [
      'a place in words',
      { type: 'location', location: { latitude: '-6.2', longitude: '106.8', name: 'Monas', url: 'x' } },
      { type: 'location', location: { latitude: -6.2, longitude: 106.8, name: 'Monas' } },
    ],
    [
      'a place as a program writes small numbers',
      { type: 'location', location: { latitude: '1.0E-5', longitude: '+106.8' } },
      { type: 'location', location: { latitude: 0.00001, longitude: 106.8 } },
    ],
    [
      'a template with a place in words',
      { type: 'template', template: aTemplateAt('-6.2', '106.8') },
      { type: 'template', template: aTemplateAt(-6.2, 106.8) },
    ],
    [
      'a card',
      { type: 'contacts', contacts: [{ name: { formatted_name: 'S', first_name: 'S' }, birthday: null }] },
      { type: 'contacts', contacts: [{ name: { formatted_name: 'S', first_name: 'S' } }] },
    ],
    [
      'a card as JSON in a string',
      { type: 'contacts', contacts: '[{"name":{"formatted_name":"S","first_name":"S"}}]' },
      { type: 'contacts', contacts: [{ name: { formatted_name: 'S', first_name: 'S' } }] },
    ],
    [
      'a reaction',
      { type: 'reaction', reaction: { message_id: 'wamid.X', emoji: '👍' } },
      { type: 'reaction', reaction: { message_id: 'wamid.X', emoji: '👍' } },
    ],
    [
      'a template with a numeric index',
      {
        type: 'template',
        template: {
          name: 'a',
          language: { code: 'id' },
          components: [
            { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: 17 }] },
            {
              type: 'body',
              parameters: [{ type: 'currency', currency: { fallback_value: 'Rp1', code: 'IDR', amount_1000: 1000 } }],
            },
          ],
        },
      },
      {
        type: 'template',
        template: {
          name: 'a',
          language: { code: 'id' },
          components: [
            { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '17' }] },
            {
              type: 'body',
              parameters: [{ type: 'currency', currency: { fallback_value: 'Rp1', code: 'IDR', amount_1000: 1000 } }],
            },
          ],
        },
      },
    ],
    [
      'buttons with unknown members',
      {
        type: 'interactive',
        interactive: {
          type: 'button',
          body: { text: 'a' },
          later: true,
          action: { buttons: [{ type: 'reply', reply: { id: 1, title: 'A' } }] },
        },
      },
      {
        type: 'interactive',
        interactive: {
          type: 'button',
          body: { text: 'a' },
          later: true,
          action: { buttons: [{ type: 'reply', reply: { id: '1', title: 'A' } }] },
        },
      },
    ],
  ])('%s', (_, given, content) => {
    expect(read({ unknown: 1, ...given, ...base }).content).toEqual(content as never)
  })

  test.each<[object, number, string]>([
    [{ type: 'text' }, 131008, 'text'],
    [{ type: 'text', text: {} }, 131008, 'text.body'],
    [{ type: 'text', text: 'Halo' }, 131009, 'text'],
    [{ type: 'text', text: '{"body":' }, 131009, 'text'],
    [{ type: 'text', text: { body: 'a'.repeat(4097) } }, 131009, 'text.body'],
    [{ type: 'text', text: { body: '' } }, 131008, 'text.body'],
    [{ type: 'image', image: { link, caption: 'a'.repeat(1025) } }, 131009, 'image.caption'],
    [{ type: 'image', image: { id: '1', link } }, 131009, 'image'],
    [{ type: 'image', image: {} }, 131008, 'image'],
    [{ type: 'image', image: { link: 'nowhere' } }, 131009, 'image.link'],
    [{ type: 'audio', audio: { link, caption: 'a' } }, 131009, 'audio.caption'],
    [{ type: 'location', location: { latitude: 'north', longitude: 1 } }, 131009, 'location.latitude'],
    [{ type: 'hologram', hologram: {} }, 131051, 'type'],
    [{ type: 'order', order: {} }, 131051, 'type'],
    [{ type: 'interactive', interactive: { type: 'hologram', action: {} } }, 131051, 'interactive.type'],
    [
      { type: 'interactive', interactive: { type: 'button', body: { text: 'a' }, action: { buttons: [] } } },
      131009,
      'interactive.action.buttons',
    ],
    [{ type: 'template', template: { name: 'a' } }, 131008, 'template.language'],
    [{ type: 7 }, 131009, 'type'],
  ])('%j is refused with %i at %s', (given, code, place) => {
    const [found, details] = refusal({ ...base, ...given })
    expect([found, details.slice(0, place.length + 1)]).toEqual([code, `${place}:`])
  })
})

test('a refusal speaks of a member by the name that Meta gives it', () => {
  const audio = { type: 'audio', audio: { link, caption: 'a' } }
  expect(refusal({ ...base, ...audio })).toEqual([
    131009,
    'audio.caption: "caption" is not allowed here. Leave it out.',
  ])
  const text = { type: 'text', text: {} }
  expect(refusal({ ...base, ...text })).toEqual([131008, 'text.body: "body" is required.'])
})

describe('the frame', () => {
  test('is an object and nothing else', () => {
    for (const body of [undefined, null, 5, 'x', [], [text]]) expect(refusal(body)[0]).toBe(100)
  })

  test('must name the product, in Meta’s own words', () => {
    const { messaging_product: _, ...without } = text
    expect(refusal(without)).toEqual([100, 'The parameter messaging_product is required.'])
    expect(refusal({ ...text, messaging_product: 'telegram' })[0]).toBe(100)
  })

  test('carries the reply and the reference', () => {
    expect(read({ ...text, context: { message_id: 'wamid.X' }, biz_opaque_callback_data: 'order:1' })).toMatchObject({
      replyTo: 'wamid.X',
      clientReference: 'order:1',
    })
    expect(read(text)).toMatchObject({ replyTo: null, clientReference: null })
    expect(refusal({ ...text, biz_opaque_callback_data: 'a'.repeat(513) })[0]).toBe(131009)
    expect(read({ ...text, recipient_identity_key_hash: 'DF2lS5v2W6x=' })).toMatchObject({
      identityKeyHash: 'DF2lS5v2W6x=',
    })
    for (const hash of [undefined, null, ''])
      expect(read({ ...text, recipient_identity_key_hash: hash })).toMatchObject({ identityKeyHash: null })
    for (const hash of [12, 'a'.repeat(257), 'a\u0000b', 'a b'])
      expect(refusal({ ...text, recipient_identity_key_hash: hash })[0]).toBe(131009)
    for (const context of [{}, { message_id: '' }, null])
      expect(read({ ...text, context })).toMatchObject({ replyTo: null })
    expect(refusal({ ...text, context: { message_id: 7 } })[0]).toBe(131009)
  })
})

describe('a request is read as the graph reads it', () => {
  test('enumerations are taken in any letter case, and free text stays as it is', () => {
    const loud = { messaging_product: 'WHATSAPP', recipient_type: 'INDIVIDUAL', to: '6281200000001' }
    expect(read({ ...loud, type: 'TEXT', text: { body: 'HALO' } })).toMatchObject({
      content: { type: 'text', body: 'HALO' },
    })
    const buttons = [{ type: 'REPLY', reply: { id: 'YES', title: 'Ya' } }]
    expect(
      read({
        ...loud,
        type: 'INTERACTIVE',
        interactive: { type: 'BUTTON', body: { text: 'OK?' }, action: { buttons } },
      }),
    ).toMatchObject({
      content: { interactive: { type: 'button', action: { buttons: [{ type: 'reply', reply: { id: 'YES' } }] } } },
    })
    const phones = [{ phone: '+6281200000002', type: 'WORK' }]
    expect(
      read({ ...loud, type: 'contacts', contacts: [{ name: { formatted_name: 'Budi', first_name: 'Budi' }, phones }] }),
    ).toMatchObject({
      content: { contacts: [{ phones: [{ type: 'WORK' }] }] },
    })
  })

  test('empty optional members count as absent', () => {
    const image = { link: 'https://example.com/a.jpg', caption: '', filename: null }
    expect(read({ ...base, type: 'image', image, context: {}, biz_opaque_callback_data: '' })).toMatchObject({
      ...{ replyTo: null, clientReference: null },
      content: { type: 'image', media: { link: 'https://example.com/a.jpg' } },
    })
    const interactive = {
      ...{ type: 'button', header: {}, footer: { text: '' }, body: { text: 'OK?' } },
      action: { buttons: [{ type: 'reply', reply: { id: 'a', title: 'Ya' } }] },
    }
    const { content } = read({ ...base, type: 'interactive', interactive })
    expect(content).toMatchObject({ interactive: { type: 'button', body: { text: 'OK?' } } })
    expect(JSON.stringify(content)).not.toMatch(/header|footer/)
  })

  test('members of a form are JSON in strings', () => {
    expect(read({ ...base, type: 'text', text: '{"body":"Halo"}' })).toMatchObject({ content: { body: 'Halo' } })
  })
})

describe('a receipt', () => {
  const receipt = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.X' }

  test('needs neither recipient nor type', () => {
    expect(readMessagesRequest(receipt)).toEqual({ kind: 'read', messageId: 'wamid.X', isTyping: false })
  })

  test('may show that an answer is being written', () => {
    expect(readMessagesRequest({ ...receipt, typing_indicator: { type: 'text' } })).toMatchObject({ isTyping: true })
  })

  test('is about a message', () => {
    expect(refusal({ ...receipt, message_id: undefined })[0]).toBe(131008)
  })
})
