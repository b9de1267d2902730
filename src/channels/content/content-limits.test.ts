import { describe, expect, test } from 'bun:test'
import { checkContent, SENDABLE_TYPES } from './content-limits.ts'
import { INTERACTIVE_TYPES } from './interactive-limits.ts'
import { checkMediaFile, MEDIA_BYTES_MAX, mediaTypeOf } from './media-limits.ts'
import type { MessageContent } from './message-content.ts'

const letters = (count: number) => 'a'.repeat(count)
const emoji = (count: number) => '🎉'.repeat(count)

/** What was found, in short: `path code`. */
const found = (content: unknown) =>
  checkContent(content as MessageContent).map(({ path, code }) => `${path.join('.')} ${code}`)

const media = { link: 'https://example.com/a.jpg' }

const button = (id: string, title = id) => ({ type: 'reply', reply: { id, title } })
const buttons = (...items: unknown[]) => ({
  type: 'interactive',
  interactive: { type: 'button', body: { text: 'Choose' }, action: { buttons: items } },
})
const row = (id: string, more: object = {}) => ({ id, title: id, ...more })
const rows = (count: number, start = 0) => Array.from({ length: count }, (_, index) => row(`r${start + index}`))
const listOf = (sections: unknown[], more: object = {}) => ({
  type: 'interactive',
  interactive: { type: 'list', body: { text: 'Choose' }, action: { button: 'Open', sections }, ...more },
})
const interactive = (type: string, action: unknown, more: object = {}) => ({
  type: 'interactive',
  interactive: { type, body: { text: 'Look' }, action, ...more },
})
const template = (...components: unknown[]) => ({
  type: 'template',
  template: { name: 'order_ready', language: { code: 'en_US' }, components },
})
const urlButton = (display_text: string, url: string) =>
  interactive('cta_url', { name: 'cta_url', parameters: { display_text, url } })
const flow = (parameters: object) =>
  interactive('flow', { name: 'flow', parameters: { flow_message_version: '3', flow_cta: 'Book', ...parameters } })
const products = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ product_retailer_id: `sku-${index}` }))
const productList = (sections: unknown[], header: unknown = { type: 'text', text: 'Ours' }) =>
  interactive('product_list', { catalog_id: '1', sections }, { header })
const card = (name: object, more: object = {}) => ({ type: 'contacts', contacts: [{ name, ...more }] })
const text = (value: string) => ({ type: 'text', text: value })

/** Each of these may be sent. */
const accepted: Record<string, unknown> = {
  'the shortest text': { type: 'text', body: 'a' },
  'a text of 4096 characters': { type: 'text', body: letters(4096), preview_url: true },
  'a text of 4096 emoji, which are twice as many units': { type: 'text', body: emoji(4096) },
  'an image by link': { type: 'image', media, body: letters(1024) },
  'an image by id': { type: 'image', media: { id: 'med_1' } },
  'a video': { type: 'video', media: { link: 'http://example.com' } },
  'a document with its name': { type: 'document', media: { ...media, filename: 'Faktur Nº 1.pdf' }, body: '' },
  'a voice note': { type: 'audio', media: { id: '123', voice: true } },
  'a sticker': { type: 'sticker', media: { id: '123' } },
  'members with null as if they were absent': { type: 'image', media: { id: '1', link: null }, body: null },
  'a file that is known and fits': {
    type: 'image',
    media: { id: '1', mime_type: 'image/png', bytes: 5 * 1024 * 1024 },
  },
  'a type with parameters': { type: 'audio', media: { id: '1', mime_type: 'audio/ogg; codecs=opus' } },
  'the corner of the map': { type: 'location', location: { latitude: -90, longitude: 180, name: 'Here', address: '' } },
  'a contact card': card(
    { formatted_name: 'Sari', first_name: 'Sari' },
    { phones: [{ phone: '+62', type: 'CELL', wa_id: '62' }], birthday: '1990-12-31', org: { company: 'Toko' } },
  ),
  '257 contact cards': {
    type: 'contacts',
    contacts: Array.from({ length: 257 }, () => ({ name: { formatted_name: 'A', last_name: 'A' } })),
  },
  'a reaction': { type: 'reaction', reaction: { message_id: 'msg_1', emoji: '👍🏽' } },
  'a reaction of many code points': { type: 'reaction', reaction: { message_id: 'msg_1', emoji: '👨‍👩‍👧‍👦' } },
  'a flag': { type: 'reaction', reaction: { message_id: 'msg_1', emoji: '🇮🇩' } },
  'a keycap': { type: 'reaction', reaction: { message_id: 'msg_1', emoji: '1️⃣' } },
  'a heart': { type: 'reaction', reaction: { message_id: 'msg_1', emoji: '❤️' } },
  'a reaction that is removed': { type: 'reaction', reaction: { message_id: 'msg_1', emoji: '' } },
  'three buttons': buttons(button(letters(256), letters(20)), button('b'), button('c')),
  'buttons under a picture': {
    type: 'interactive',
    interactive: {
      type: 'button',
      header: { type: 'image', image: { id: '1' } },
      body: { text: letters(1024) },
      footer: { text: letters(60) },
      action: { buttons: [button('a')] },
    },
  },
  'a list of ten rows in one section without title': listOf([{ rows: rows(10) }]),
  'a list of ten sections': listOf(
    Array.from({ length: 10 }, (_, index) => ({ title: letters(24), rows: rows(1, index) })),
    { header: { type: 'text', text: letters(60) }, body: { text: letters(4096) } },
  ),
  'rows with equal titles': listOf([{ rows: [row('a', { title: 'Same' }), row('b', { title: 'Same' })] }]),
  'the longest row': listOf([{ rows: [{ id: letters(200), title: letters(24), description: letters(72) }] }]),
  'a link button': urlButton(letters(20), 'https://example.com/a?b=c#d'),
  'a request for a location': interactive('location_request_message', { name: 'send_location' }),
  'a flow by id': flow({ flow_id: '1', flow_action: 'navigate', flow_action_payload: { screen: 'S', data: {} } }),
  'a flow by name': flow({ flow_name: 'booking', mode: 'draft', flow_cta: letters(30) }),
  'a product without a body': {
    type: 'interactive',
    interactive: { type: 'product', action: { catalog_id: '1', product_retailer_id: '2' } },
  },
  'thirty products': productList([{ product_items: products(30) }]),
  'a catalogue': interactive('catalog_message', {
    name: 'catalog_message',
    parameters: { thumbnail_product_retailer_id: '1' },
  }),
  'a bill': interactive('order_details', { name: 'review_and_pay', parameters: { reference_id: 'A1', order: {} } }),
  'the status of a bill': interactive('order_status', { name: 'review_order', parameters: { reference_id: 'A1' } }),
  'a carousel of cards': interactive('carousel', { cards: [{ card_index: 0 }, { card_index: 1 }] }),
  'a form for an address': interactive('address_message', {
    name: 'address_message',
    parameters: { country: 'IN' },
  }),
  'a request to call': interactive('call_permission_request', { name: 'call_permission_request' }),
  'a button to call': interactive('voice_call', { name: 'voice_call', parameters: { display_text: 'Call' } }),
  'a request for a phone number': interactive('request_contact_info', { name: 'request_contact_info' }),
  'unknown members': { ...buttons({ ...button('a'), shine: true }), later: 1 },
  'a bare template': template(),
  'a template with everything': template(
    { type: 'header', parameters: [{ type: 'image', image: media }] },
    { type: 'BODY', parameters: [{ ...text('Budi'), parameter_name: 'customer' }] },
    { type: 'button', sub_type: 'URL', index: '0', parameters: [text('A-17')] },
    { type: 'button', sub_type: 'quick_reply', index: '1', parameters: [{ type: 'payload', payload: 'x' }] },
    { type: 'button', sub_type: 'copy_code', index: '2', parameters: [{ type: 'coupon_code', coupon_code: 'X' }] },
    { type: 'button', sub_type: 'flow', index: '9', parameters: [{ type: 'action', action: { flow_token: 't' } }] },
  ),
  'a template with a document that has a name': template({
    type: 'header',
    parameters: [{ type: 'document', document: { ...media, filename: 'Nota A-17.pdf' } }],
  }),
  'a template with money and a date': template({
    type: 'body',
    parameters: [
      { type: 'currency', currency: { fallback_value: 'Rp1', code: 'IDR', amount_1000: 1000 } },
      { type: 'date_time', date_time: { fallback_value: 'today' } },
    ],
  }),
  'a template with what is new': template(
    { type: 'button', sub_type: 'voice_call', index: '0', parameters: [{ type: 'ttl_minutes', ttl_minutes: 5 }] },
    { type: 'header', parameters: [{ type: 'product', product: { product_retailer_id: '1' } }] },
    { type: 'limited_time_offer', parameters: [{ type: 'limited_time_offer', limited_time_offer: {} }] },
    { type: 'tap_target_configuration', parameters: [{ type: 'tap_target_configuration' }] },
  ),
  'a carousel': template({
    type: 'carousel',
    cards: [{ card_index: 0, components: [{ type: 'header', parameters: [{ type: 'video', video: { id: '1' } }] }] }],
  }),
}

/** Each of these is refused, for exactly these reasons. */
const refused: Record<string, [unknown, string[]]> = {
  'an empty text': [{ type: 'text', body: '' }, ['body too_short']],
  'no text': [{ type: 'text' }, ['body required']],
  'a number for a text': [{ type: 'text', body: 5 }, ['body wrong_type']],
  'a text of 4097 characters': [{ type: 'text', body: letters(4097) }, ['body too_long']],
  'a text of 4097 emoji': [{ type: 'text', body: emoji(4097) }, ['body too_long']],
  'a preview that is not true or false': [{ type: 'text', body: 'a', preview_url: 'yes' }, ['preview_url wrong_type']],
  'an unknown type': [{ type: 'hologram' }, ['type unsupported']],
  'a type that only arrives': [{ type: 'order', order: { product_items: [] } }, ['type unsupported']],
  'the name of a member of every object as a type': [{ type: 'toString' }, ['type unsupported']],
  'no type': [{ body: 'a' }, ['type required']],
  'no content at all': [null, [' wrong_type']],
  'an image without file': [{ type: 'image' }, ['media required']],
  'a file from nowhere': [{ type: 'image', media: {} }, ['media required']],
  'a file from two places': [{ type: 'image', media: { id: '1', ...media } }, ['media not_allowed']],
  'a file that is a text': [{ type: 'image', media: 'x' }, ['media wrong_type']],
  'a link of another kind': [{ type: 'image', media: { link: 'ftp://example.com/a' } }, ['media.link wrong_format']],
  'a link without host': [{ type: 'image', media: { link: 'https:///a' } }, ['media.link wrong_format']],
  'a link with a password': [{ type: 'image', media: { link: 'https://a:b@c/d' } }, ['media.link wrong_format']],
  'a link with a space': [{ type: 'image', media: { link: 'https://a/b c' } }, ['media.link wrong_format']],
  'a link without end': [{ type: 'image', media: { link: `https://a/${letters(2048)}` } }, ['media.link too_long']],
  'a strange media id': [{ type: 'image', media: { id: '../secret' } }, ['media.id wrong_format']],
  'a long caption': [{ type: 'video', media, body: letters(1025) }, ['body too_long']],
  'a caption on a sound': [{ type: 'audio', media, body: 'a' }, ['body not_allowed']],
  'a caption on a sticker': [{ type: 'sticker', media, body: 'a' }, ['body not_allowed']],
  'a path as a file name': [
    { type: 'document', media: { ...media, filename: '../a.pdf' } },
    ['media.filename wrong_format'],
  ],
  'a file of the wrong type': [{ type: 'image', media: { id: '1', mime_type: 'image/gif' } }, ['media not_allowed']],
  'a file that is too large': [
    { type: 'image', media: { id: '1', mime_type: 'image/png', bytes: 5 * 1024 * 1024 + 1 } },
    ['media too_large'],
  ],
  'a still sticker of the size of a moving one': [
    { type: 'sticker', media: { id: '1', mime_type: 'image/webp', bytes: 200_000, animated: false } },
    ['media too_large'],
  ],
  'a place beyond the pole': [
    { type: 'location', location: { latitude: 90.1, longitude: -180.1 } },
    ['location.latitude too_large', 'location.longitude too_small'],
  ],
  'half a place': [{ type: 'location', location: { latitude: 1 } }, ['location.longitude required']],
  'a place without place': [{ type: 'location' }, ['location required']],
  'a place in words': [
    { type: 'location', location: { latitude: '1', longitude: Number.NaN } },
    ['location.latitude wrong_type', 'location.longitude wrong_type'],
  ],
  'no contact card': [{ type: 'contacts', contacts: [] }, ['contacts too_few']],
  '258 contact cards': [{ type: 'contacts', contacts: Array.from({ length: 258 }, () => ({})) }, ['contacts too_many']],
  'a card with no part of a name': [card({ formatted_name: 'Sari' }), ['contacts.0.name required']],
  'a card without whole name': [card({ first_name: 'Sari' }), ['contacts.0.name.formatted_name required']],
  'a birthday that is none': [
    card({ formatted_name: 'S', first_name: 'S' }, { birthday: '1990-13-01' }),
    ['contacts.0.birthday wrong_format'],
  ],
  'two emoji': [{ type: 'reaction', reaction: { message_id: 'm', emoji: '👍👍' } }, ['reaction.emoji wrong_format']],
  'a letter': [{ type: 'reaction', reaction: { message_id: 'm', emoji: 'a' } }, ['reaction.emoji wrong_format']],
  'a digit': [{ type: 'reaction', reaction: { message_id: 'm', emoji: '1' } }, ['reaction.emoji wrong_format']],
  'a reaction to nothing': [{ type: 'reaction', reaction: { emoji: '👍' } }, ['reaction.message_id required']],
  'no buttons': [buttons(), ['interactive.action.buttons too_few']],
  'four buttons': [
    buttons(button('a'), button('b'), button('c'), button('d')),
    ['interactive.action.buttons too_many'],
  ],
  'a long button': [
    buttons(button(letters(257), letters(21))),
    ['interactive.action.buttons.0.reply.id too_long', 'interactive.action.buttons.0.reply.title too_long'],
  ],
  'a button id that ends with a space': [
    buttons(button('a ', 'A')),
    ['interactive.action.buttons.0.reply.id wrong_format'],
  ],
  'two buttons with one id': [
    buttons(button('a', 'A'), button('a', 'B')),
    ['interactive.action.buttons.1.reply.id duplicate'],
  ],
  'two buttons with one title': [
    buttons(button('a', 'A'), button('b', 'A')),
    ['interactive.action.buttons.1.reply.title duplicate'],
  ],
  'a button of another kind': [
    buttons({ type: 'url', reply: { id: 'a', title: 'A' } }),
    ['interactive.action.buttons.0.type not_allowed'],
  ],
  'an interactive message without action': [
    { type: 'interactive', interactive: { type: 'button', body: { text: 'a' } } },
    ['interactive.action required'],
  ],
  'an interactive message without body': [
    { type: 'interactive', interactive: { type: 'button', action: { buttons: [button('a')] } } },
    ['interactive.body required'],
  ],
  'a long body, header and footer': [
    interactive(
      'button',
      { buttons: [button('a')] },
      {
        header: { type: 'text', text: letters(61) },
        body: { text: letters(1025) },
        footer: { text: letters(61) },
      },
    ),
    ['interactive.body.text too_long', 'interactive.header.text too_long', 'interactive.footer.text too_long'],
  ],
  'a header of another kind': [
    interactive('button', { buttons: [button('a')] }, { header: { type: 'audio', audio: media } }),
    ['interactive.header.type not_allowed'],
  ],
  'a header without its file': [
    interactive('button', { buttons: [button('a')] }, { header: { type: 'image' } }),
    ['interactive.header.image required'],
  ],
  'a picture above a list': [
    listOf([{ rows: rows(1) }], { header: { type: 'image', image: media } }),
    ['interactive.header.type not_allowed'],
  ],
  'a list without rows': [listOf([{ rows: [] }]), ['interactive.action.sections.0.rows too_few']],
  'a list without sections': [listOf([]), ['interactive.action.sections too_few']],
  'eleven rows in two sections': [
    listOf([
      { title: 'A', rows: rows(6) },
      { title: 'B', rows: rows(5, 6) },
    ]),
    ['interactive.action.sections too_many'],
  ],
  'eleven sections': [
    listOf(Array.from({ length: 11 }, (_, index) => ({ title: 'A', rows: rows(1, index) }))),
    ['interactive.action.sections too_many', 'interactive.action.sections too_many'],
  ],
  'two sections of which one has no title': [
    listOf([{ title: 'A', rows: rows(1) }, { rows: rows(1, 1) }]),
    ['interactive.action.sections.1.title required'],
  ],
  'two rows with one id in different sections': [
    listOf([
      { title: 'A', rows: rows(1) },
      { title: 'B', rows: rows(1) },
    ]),
    ['interactive.action.sections.1.rows.0.id duplicate'],
  ],
  'a long row': [
    listOf([{ rows: [{ id: letters(201), title: letters(25), description: letters(73) }] }]),
    [
      'interactive.action.sections.0.rows.0.id too_long',
      'interactive.action.sections.0.rows.0.title too_long',
      'interactive.action.sections.0.rows.0.description too_long',
    ],
  ],
  'a long list': [listOf([{ rows: rows(1) }], { body: { text: letters(4097) } }), ['interactive.body.text too_long']],
  'a link button with a long label': [
    urlButton(letters(21), 'https://a.example'),
    ['interactive.action.parameters.display_text too_long'],
  ],
  'a link button to nowhere': [urlButton('Go', 'javascript:x'), ['interactive.action.parameters.url wrong_format']],
  'a request for a location under a header': [
    interactive('location_request_message', { name: 'send_location' }, { header: { type: 'text', text: 'a' } }),
    ['interactive.header not_allowed'],
  ],
  'a request for something else': [
    interactive('location_request_message', { name: 'send_money' }),
    ['interactive.action.name not_allowed'],
  ],
  'a flow without name': [flow({}), ['interactive.action.parameters required']],
  'a flow with two names': [flow({ flow_id: '1', flow_name: 'a' }), ['interactive.action.parameters not_allowed']],
  'a flow with a long label': [
    flow({ flow_id: '1', flow_cta: letters(31) }),
    ['interactive.action.parameters.flow_cta too_long'],
  ],
  'a flow with an emoji on it': [
    flow({ flow_id: '1', flow_cta: 'Go 🚀' }),
    ['interactive.action.parameters.flow_cta wrong_format'],
  ],
  'a flow of another version': [
    flow({ flow_id: '1', flow_message_version: '9' }),
    ['interactive.action.parameters.flow_message_version not_allowed'],
  ],
  'a product under a header': [
    interactive('product', { catalog_id: '1', product_retailer_id: '2' }, { header: { type: 'text', text: 'a' } }),
    ['interactive.header not_allowed'],
  ],
  'products without header': [productList([{ product_items: products(1) }], null), ['interactive.header required']],
  'thirty-one products': [
    productList([
      { title: 'A', product_items: products(30) },
      { title: 'B', product_items: products(1) },
    ]),
    ['interactive.action.sections too_many'],
  ],
  'a carousel of one card': [interactive('carousel', { cards: [{}] }), ['interactive.action.cards too_few']],
  'a bill without reference': [
    interactive('order_details', { name: 'review_and_pay', parameters: {} }),
    ['interactive.action.parameters.reference_id required'],
  ],
  'a template without language': [{ type: 'template', template: { name: 'a' } }, ['template.language required']],
  'a template with a name that cannot be': [
    { type: 'template', template: { name: 'Order Ready', language: { code: 'english' } } },
    ['template.name wrong_format', 'template.language.code wrong_format'],
  ],
  'a component of another kind': [template({ type: 'sidebar' }), ['template.components.0.type not_allowed']],
  'a header parameter without its file': [
    template({ type: 'header', parameters: [{ type: 'image' }] }),
    ['template.components.0.parameters.0.image required'],
  ],
  'a path as the name of the document in a header': [
    template({ type: 'header', parameters: [{ type: 'document', document: { ...media, filename: '../a.pdf' } }] }),
    ['template.components.0.parameters.0.document.filename wrong_format'],
  ],
  'a picture in the body': [
    template({ type: 'body', parameters: [{ type: 'image', image: media }] }),
    ['template.components.0.parameters.0.type not_allowed'],
  ],
  'an empty parameter': [
    template({ type: 'body', parameters: [text('')] }),
    ['template.components.0.parameters.0.text too_short'],
  ],
  'a button without place': [
    template({ type: 'button', sub_type: 'url', parameters: [text('a')] }),
    ['template.components.0.index required'],
  ],
  'an eleventh button': [
    template({ type: 'button', sub_type: 'url', index: '10', parameters: [text('a')] }),
    ['template.components.0.index too_long'],
  ],
  'a button that does something else': [
    template({ type: 'button', sub_type: 'fly', index: '0' }),
    ['template.components.0.sub_type not_allowed'],
  ],
  'a reply button with a text for its payload': [
    template({ type: 'button', sub_type: 'quick_reply', index: '0', parameters: [text('a')] }),
    ['template.components.0.parameters.0.type not_allowed'],
  ],
  'a carousel without cards': [template({ type: 'carousel' }), ['template.components.0.cards required']],
}

describe('what may be sent is found without fault', () => {
  test.each(Object.entries(accepted))('%s', (_, content) => {
    expect(found(content)).toEqual([])
  })

  test('there is a case for every type and every interactive type', () => {
    const contents = Object.values(accepted) as { type: string; interactive?: { type: string } }[]
    expect(SENDABLE_TYPES.filter((type) => !contents.some((content) => content.type === type))).toEqual([])
    const types = contents.map((content) => content.interactive?.type)
    expect(INTERACTIVE_TYPES.filter((type) => !types.includes(type))).toEqual([])
  })
})

describe('what the channel would refuse is refused, and the place is named', () => {
  test.each(Object.entries(refused))('%s', (_, [content, problems]) => {
    expect(found(content)).toEqual(problems)
  })

  test('an unknown interactive type is unsupported', () => {
    expect(found(interactive('hologram', {}))).toEqual(['interactive.type unsupported'])
  })

  test('a sentence names the limit and the count, and the limit is data too', () => {
    const [problem] = checkContent(buttons() as unknown as MessageContent)
    expect(problem?.detail).toBe('This needs 1 to 3 items; you sent 0.')
    expect(problem?.params).toEqual({ min: 1, max: 3 })
  })
})

test('no content makes the check fail, whatever is put in the place of a part', () => {
  const strange: unknown[] = [null, 0, '', 'x', true, [], {}, [null], { toString: null }, [[[]]]]
  const visit = (node: unknown, replace: (value: unknown) => unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const name of Object.keys(node)) {
      const holder = node as Record<string, unknown>
      for (const value of strange) {
        const whole = replace({ ...(Array.isArray(node) ? {} : holder), [name]: value })
        expect(Array.isArray(checkContent(whole as MessageContent))).toBe(true)
      }
      visit(holder[name], (inner) => replace({ ...holder, [name]: inner }))
    }
  }
  for (const content of Object.values(accepted)) {
    if (JSON.stringify(content).length < 2000) visit(content, (value) => value)
  }
})

describe('files', () => {
  test.each([
    ['image/jpeg', 'image'],
    ['IMAGE/PNG', 'image'],
    ['image/webp', 'sticker'],
    ['audio/ogg; codecs=opus', 'audio'],
    ['video/3gpp', 'video'],
    ['application/pdf', 'document'],
    ['text/plain;charset=utf-8', 'document'],
    ['image/gif', null],
    ['', null],
  ] as const)('%s goes into a message of type %s', (mimeType, type) => {
    expect(mediaTypeOf(mimeType)).toBe(type)
  })

  test('each kind has its own limit, and the largest is that of documents', () => {
    const bytes = 16 * 1024 * 1024 + 1
    expect(checkMediaFile('video', { mimeType: 'video/mp4', bytes })).toHaveLength(1)
    expect(checkMediaFile('document', { mimeType: 'application/pdf', bytes })).toEqual([])
    expect(MEDIA_BYTES_MAX).toBe(100 * 1024 * 1024)
  })

  test('a moving sticker may be larger than a still one, and one of unknown kind as large as either', () => {
    const sticker = { mimeType: 'image/webp', bytes: 300_000 }
    expect(checkMediaFile('sticker', { ...sticker, isAnimated: false })).toHaveLength(1)
    expect(checkMediaFile('sticker', { ...sticker, isAnimated: true })).toEqual([])
    expect(checkMediaFile('sticker', sticker)).toEqual([])
  })
})
