import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { fieldProblems, inBody } from '../../platform/http/pipeline/validation.ts'
import { textSchema } from '../../platform/http/schemas.ts'
import { checkContent, SENDABLE_TYPES } from './content-limits.ts'
import { contentOf, newMessageSchema } from './message-content.schemas.ts'
import { contentReply, contentReplyShape } from './message-content-reply.schemas.ts'

const NewMessage = newMessageSchema({ to: textSchema(64, 1), client_reference: textSchema(512).optional() })
const Reply = z.object(contentReplyShape)

const to = '+6281200000001'

/** What a caller gets: `pointer code`. */
const problems = (body: unknown) => {
  const result = NewMessage.safeParse(body)
  if (result.success) return []
  return fieldProblems(NewMessage, body, result.error, inBody).map(({ pointer, code }) => `${pointer} ${code}`)
}

const link = 'https://example.com/a.pdf'
const id = 'msg_01k9x3m5q8e0t9v7a2b4c6d8fg'
const look = { text: 'Look' }

const contents: Record<string, object> = {
  text: { type: 'text', body: 'Halo', preview_url: true },
  image: { type: 'image', media: { link }, body: 'A picture' },
  video: { type: 'video', media: { id: 'med_1' } },
  document: { type: 'document', media: { link, filename: 'Faktur.pdf' }, body: '' },
  audio: { type: 'audio', media: { id: 'med_1', voice: true } },
  sticker: { type: 'sticker', media: { id: 'med_1' } },
  location: { type: 'location', location: { latitude: -6.2, longitude: 106.8, name: 'Monas' } },
  contacts: {
    type: 'contacts',
    contacts: [{ name: { formatted_name: 'Sari', first_name: 'Sari' }, phones: [{ phone: '+62' }] }],
  },
  buttons: {
    type: 'interactive',
    interactive: {
      type: 'button',
      header: { type: 'document', document: { link } },
      body: look,
      footer: look,
      action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
    },
  },
  list: {
    type: 'interactive',
    interactive: {
      type: 'list',
      header: { type: 'text', text: 'Menu' },
      body: look,
      action: { button: 'Open', sections: [{ title: 'A', rows: [{ id: 'a', title: 'A', description: 'a' }] }] },
    },
  },
  'link button': {
    type: 'interactive',
    interactive: {
      type: 'cta_url',
      body: look,
      action: { name: 'cta_url', parameters: { display_text: 'Open', url: link } },
    },
  },
  'location request': {
    type: 'interactive',
    interactive: { type: 'location_request_message', body: look, action: { name: 'send_location' } },
  },
  flow: {
    type: 'interactive',
    interactive: {
      type: 'flow',
      body: look,
      action: {
        name: 'flow',
        parameters: {
          flow_message_version: '3',
          flow_id: '1',
          flow_cta: 'Book',
          flow_action_payload: { screen: 'S', data: { deep: { er: 1 } } },
        },
      },
    },
  },
  product: {
    type: 'interactive',
    interactive: { type: 'product', action: { catalog_id: '1', product_retailer_id: '2' } },
  },
  'product list': {
    type: 'interactive',
    interactive: {
      type: 'product_list',
      header: { type: 'text', text: 'Ours' },
      body: look,
      action: { catalog_id: '1', sections: [{ product_items: [{ product_retailer_id: '2' }] }] },
    },
  },
  catalogue: {
    type: 'interactive',
    interactive: { type: 'catalog_message', body: look, action: { name: 'catalog_message' } },
  },
  bill: {
    type: 'interactive',
    interactive: {
      type: 'order_details',
      body: look,
      action: { name: 'review_and_pay', parameters: { reference_id: 'A1', total_amount: { value: 1, offset: 100 } } },
    },
  },
  carousel: {
    type: 'interactive',
    interactive: { type: 'carousel', body: look, action: { cards: [{ card_index: 0 }, { card_index: 1 }] } },
  },
  'call button': {
    type: 'interactive',
    interactive: { type: 'voice_call', body: look, action: { name: 'voice_call', parameters: { ttl_minutes: 5 } } },
  },
  template: {
    type: 'template',
    template: {
      name: 'order_ready',
      language: { code: 'id', policy: 'deterministic' },
      components: [
        { type: 'header', parameters: [{ type: 'location', location: { latitude: 1, longitude: 2 } }] },
        { type: 'body', parameters: [{ type: 'text', text: 'Budi', parameter_name: 'customer' }] },
        { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'A-17' }] },
        { type: 'carousel', cards: [{ card_index: 0, components: [{ type: 'body', parameters: [] }] }] },
      ],
    },
  },
  'template with a document': {
    type: 'template',
    template: {
      name: 'invoice',
      language: { code: 'id' },
      components: [
        { type: 'header', parameters: [{ type: 'document', document: { link, filename: 'Nota A-17.pdf' } }] },
      ],
    },
  },
  reaction: { type: 'reaction', reaction: { message_id: id, emoji: '👍' } },
}

describe.each(Object.entries(contents))('%s', (_, content) => {
  test('passes the schema, and comes out as the content that was put in', () => {
    const message = NewMessage.parse({ to, client_reference: 'A1', ...content })
    expect(contentOf(message)).toEqual(content as never)
    expect(checkContent(contentOf(message))).toEqual([])
  })

  test('is shown whole in an answer', () => {
    const { preview_url: _, ...shown } = content as { preview_url?: boolean }
    expect(Reply.parse(contentReply(content as never))).toMatchObject(shown)
  })
})

test('a message without type is a text', () => {
  expect(contentOf(NewMessage.parse({ to, body: 'Halo' }))).toEqual({ type: 'text', body: 'Halo' })
})

const refused: Record<string, [object, string[]]> = {
  'no body': [{ to }, ['#/body required']],
  'a misspelt member': [{ to, body: 'a', clientReference: 'x' }, ['#/clientReference field_unknown']],
  'a member of another type': [{ to, body: 'a', media: { link } }, ['#/media field_unknown']],
  'a caption on a sticker': [{ to, type: 'sticker', media: { link }, body: 'a' }, ['#/body field_unknown']],
  'an unknown type': [{ to, type: 'hologram', body: 'a' }, ['#/type not_allowed']],
  'a text that is too long': [{ to, body: 'a'.repeat(4097) }, ['#/body too_long']],
  'no file': [{ to, type: 'image' }, ['#/media required']],
  'a file from nowhere': [{ to, type: 'image', media: {} }, ['#/media required']],
  'a file from two places': [{ to, type: 'image', media: { id: 'a', link } }, ['#/media not_allowed']],
  'a link of another kind': [{ to, type: 'image', media: { link: 'ftp://a/b' } }, ['#/media/link wrong_format']],
  'an unknown interactive type': [
    { to, type: 'interactive', interactive: { type: 'hologram' } },
    ['#/interactive/type not_allowed'],
  ],
  'two buttons with one id': [
    {
      to,
      type: 'interactive',
      interactive: {
        type: 'button',
        body: look,
        action: {
          buttons: ['A', 'B'].map((title) => ({ type: 'reply', reply: { id: 'same', title } })),
        },
      },
    },
    ['#/interactive/action/buttons/1/reply/id duplicate'],
  ],
  'a reaction to an id of another kind': [
    { to, type: 'reaction', reaction: { message_id: 'ord_01k9x3m5q8e0t9v7a2b4c6d8fg', emoji: '👍' } },
    ['#/reaction/message_id wrong_format'],
  ],
  'a reaction with a word': [
    { to, type: 'reaction', reaction: { message_id: id, emoji: 'ok' } },
    ['#/reaction/emoji wrong_format'],
  ],
  'a card without any part of a name': [
    { to, type: 'contacts', contacts: [{ name: { formatted_name: 'Sari' } }] },
    ['#/contacts/0/name required'],
  ],
}

describe('a caller gets the place and the fault', () => {
  test.each(Object.entries(refused))('%s', (_, [body, expected]) => {
    expect(problems(body)).toEqual(expected)
  })

  test('the known types, when the type is not among them', () => {
    const body = { to, type: 'hologram' }
    const { error } = NewMessage.safeParse(body)
    const [problem] = fieldProblems(NewMessage, body, error as z.ZodError, inBody)
    expect(problem?.params).toEqual({ allowed: [...SENDABLE_TYPES] })
    expect(problem?.detail).toBe(
      'This must be one of: text, image, video, audio, document, sticker, location, contacts, interactive, template, reaction.',
    )
  })
})

describe('an answer never fails over what came from outside', () => {
  test.each([
    ['a card with hardly a name', { type: 'contacts', contacts: [{ name: { formatted_name: '' }, vcard: 'x' }] }],
    ['a reply that was chosen', { type: 'interactive', interactive: { type: 'later_reply', later_reply: { a: 1 } } }],
    ['a place beyond the map', { type: 'location', location: { latitude: 91, longitude: 0 } }],
    ['a very long text', { type: 'text', body: 'a'.repeat(100_000) }],
    ['a file of which little is known', { type: 'document', media: {} }],
    ['a reaction to no message', { type: 'reaction', reaction: { message_id: null, emoji: 'abc' } }],
    ['a cart', { type: 'order', order: { product_items: [] } }],
    ['a notice', { type: 'system', system: { type: 'user_changed_number', wa_id: '62' } }],
    ['something new', { type: 'unsupported', unsupported: { type: 'hologram' } }],
  ])('%s', (_, content) => {
    expect(Reply.safeParse(contentReply(content as never)).success).toBe(true)
  })

  test('members of interactive messages that are not named here are kept', () => {
    const interactive = { type: 'nfm_reply', nfm_reply: { name: 'flow', response_json: '{}' } }
    expect(Reply.parse(contentReply({ type: 'interactive', interactive })).interactive).toEqual(interactive)
  })
})

describe('an unknown member inside of one of several forms', () => {
  const to = '+6281234567890'
  const problemsOf = (body: object) => {
    const { error } = NewMessage.safeParse({ to, ...body })
    return fieldProblems(NewMessage, { to, ...body }, error as z.ZodError, inBody)
  }

  test.each<[string, object, string, string[]]>([
    [
      'a button',
      {
        type: 'interactive',
        interactive: {
          type: 'button',
          body: { text: 'Mau?' },
          action: { buttons: [{ type: 'reply', reply: { id: 'a', title: 'Ya', colour: 'x' } }] },
        },
      },
      '#/interactive/action/buttons/0/reply/colour',
      ['id', 'title'],
    ],
    [
      'a parameter of a template',
      {
        type: 'template',
        template: {
          name: 'a',
          language: { code: 'id' },
          components: [{ type: 'body', parameters: [{ type: 'text', text: 'x', colour: 'x' }] }],
        },
      },
      '#/template/components/0/parameters/0/colour',
      ['type', 'text', 'parameter_name'],
    ],
    [
      'a file',
      { type: 'image', media: { link: 'https://a.example/b.png', colour: 'x' } },
      '#/media/colour',
      ['id', 'link'],
    ],
  ])('of %s is answered with those that this form has', (_, body, pointer, allowed) => {
    const problem = problemsOf(body).find((one) => one.code === 'field_unknown')
    expect(problem).toMatchObject({ pointer, params: { allowed } })
    expect(problem?.detail).toBe(`There is no field "colour" here. Allowed: ${allowed.join(', ')}.`)
  })

  test('at the top is answered with those of the chosen type alone', () => {
    const [problem] = problemsOf({ type: 'location', location: { latitude: 1, longitude: 2 }, boddy: 'x' })
    expect(problem?.params).toEqual({
      allowed: ['to', 'client_reference', 'type', 'location'],
    })
  })
})
