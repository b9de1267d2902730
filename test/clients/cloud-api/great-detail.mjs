import Client from '@great-detail/whatsapp'
import { inbound, link, phoneNumberId, picture, run, settings, to } from './client-run.mjs'

/** Every type that the client has a shape for, with nothing set but the address and the token. */
const headers = { Authorization: `Bearer ${settings.token}` }
const sdk = new Client({ prefixUrl: settings.baseUrl, request: { headers } })

const send = (content) => () => sdk.message.createMessage({ phoneNumberID: phoneNumberId, to, ...content }).json()
const interactive = (content) => send({ type: 'interactive', interactive: { body: { text: 'Look' }, ...content } })

const upload = async () => {
  const file = new Blob([picture], { type: 'image/png' })
  const form = { phoneNumberID: phoneNumberId, mimeType: 'image/png', file, filename: 'a.png' }
  return (await sdk.media.upload(form).json()).id
}

await run('@great-detail/whatsapp', {
  text: send({ type: 'text', text: { body: 'Halo', preview_url: false } }),
  'text as a reply': send({ type: 'text', text: { body: 'Ya' }, context: { message_id: inbound } }),
  image: send({ type: 'image', image: { link, caption: 'A picture' } }),
  video: send({ type: 'video', video: { link: 'https://example.com/a.mp4' } }),
  audio: send({ type: 'audio', audio: { link: 'https://example.com/a.ogg' } }),
  document: send({ type: 'document', document: { link, filename: 'a.pdf', caption: 'A document' } }),
  sticker: send({ type: 'sticker', sticker: { link: 'https://example.com/a.webp' } }),
  location: send({ type: 'location', location: { latitude: '-6.2', longitude: '106.8', name: 'Monas', address: 'x' } }),
  contacts: send({
    type: 'contacts',
    contacts: [{ name: { formatted_name: 'Sari Dewi', last_name: 'Dewi' }, phones: [{ phone: '+6281200000009' }] }],
  }),
  reaction: send({ type: 'reaction', reaction: { message_id: inbound, emoji: '👍' } }),
  'reply buttons': interactive({
    type: 'button',
    header: { type: 'text', text: 'Header' },
    footer: { text: 'Footer' },
    action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
  }),
  list: interactive({
    type: 'list',
    action: { button: 'Open', sections: [{ title: 'Food', rows: [{ id: 'nasi', title: 'Nasi' }] }] },
  }),
  'link button': interactive({
    type: 'cta_url',
    action: { name: 'cta_url', parameters: { display_text: 'Pay', url: 'https://example.com/pay' } },
  }),
  'location request': interactive({ type: 'location_request_message', action: { name: 'send_location' } }),
  flow: interactive({
    type: 'flow',
    action: {
      name: 'flow',
      parameters: {
        flow_message_version: '3',
        flow_token: 't',
        flow_id: '1',
        flow_cta: 'Book',
        flow_action: 'navigate',
      },
    },
  }),
  product: interactive({ type: 'product', action: { catalog_id: '1', product_retailer_id: 'SKU-1' } }),
  'product list': interactive({
    type: 'product_list',
    header: { type: 'text', text: 'Ours' },
    action: { catalog_id: '1', sections: [{ title: 'Food', product_items: [{ product_retailer_id: 'SKU-1' }] }] },
  }),
  template: send({
    type: 'template',
    template: {
      name: 'order_paid',
      language: { code: 'id' },
      components: [{ type: 'body', parameters: ['A-1042', 'Rp 75.000'].map((text) => ({ type: 'text', text })) }],
    },
  }),
  'template with a picture and a button': send({
    type: 'template',
    template: {
      name: 'order_picture',
      language: { code: 'id', policy: 'deterministic' },
      components: [
        { type: 'header', parameters: [{ type: 'image', image: { link } }] },
        { type: 'button', sub_type: 'quick_reply', index: 0, parameters: [{ type: 'payload', payload: 'x' }] },
      ],
    },
  }),
  'mark as read, typing': () =>
    sdk.message
      .createStatus({
        phoneNumberID: phoneNumberId,
        status: 'read',
        message_id: inbound,
        typing_indicator: { type: 'text' },
      })
      .json(),
  'phone number': async () => {
    const number = await sdk.phoneNumbers.getPhoneNumber({ phoneNumberID: phoneNumberId }).json()
    if (number.id !== phoneNumberId || number.display_phone_number === undefined)
      throw new Error(JSON.stringify(number))
    return { verified_name: number.verified_name }
  },
  'image by id': async () => send({ type: 'image', image: { id: await upload() } })(),
  'upload, describe, download and delete a file': async () => {
    const id = await upload()
    const { url, sha256 } = await sdk.media.getURL({ mediaID: id, phoneNumberID: phoneNumberId }).json()
    const bytes = await sdk.media.download({ mediaURL: url, request: { headers } }).arrayBuffer()
    if (sha256 === undefined || Buffer.from(bytes).compare(picture) !== 0) throw new Error('the file came back changed')
    return sdk.media.delete({ mediaID: id }).json()
  },
  'a refusal is understood': async () => {
    const error = await send({ type: 'text', text: {} })().catch((caught) => caught)
    const body = error.data ?? (await error.response.json())
    if (body.error?.code !== 131008) throw new Error(JSON.stringify(body))
    return { code: body.error.code, details: body.error.error_data.details }
  },
})
