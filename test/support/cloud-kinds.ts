import { createHmac } from 'node:crypto'
import { frameOf, fromSari, type Json, metadataOf, NOW, SARI, type Shop } from './cloud-bot.ts'

/**
 * Every kind of payload that Meta's webhooks have, once: what Meta posts, as one change. The test posts each and compares what
 * the bot receives. `FIELDS`, `MESSAGE_TYPES` and `STATUSES` list what Meta documents; a kind that is missing in the table
 * fails the test.
 */
export type World = {
  shop: Shop
  /** A message that was sent through the API, as the network calls it, and its token. */
  theirs: string
  token: string
  /** A message of Sari that is known, and a file of the network. */
  known: string
  media: string
}

export type Change = { field: string; value: Json }

export const MESSAGE_TYPES = [
  ...['text', 'image', 'video', 'document', 'audio', 'sticker', 'location', 'contacts', 'interactive', 'button'],
  ...['reaction', 'order', 'system', 'edit', 'revoke', 'unsupported'],
]
export const STATUSES = ['sent', 'delivered', 'read', 'played', 'failed']

const sha256 = createHmac('sha256', 'x').update('y').digest('base64')
const PRICING = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' }
const ERRORS = [
  {
    code: 131026,
    title: 'Message undeliverable',
    message: 'Message undeliverable',
    error_data: { details: 'No.' },
    href: 'https://x.example.com',
  },
]

/** A message of Sari. Notices of the network come without contacts. */
const message = (content: Json) => ({
  field: 'messages',
  ...{ contacts: content.type === 'system' ? undefined : [SARI], messages: [fromSari(content)] },
})

const status = ({ theirs, token }: World, fields: object) => ({
  field: 'messages',
  contacts: [SARI],
  statuses: [
    {
      ...{ id: theirs, timestamp: NOW, recipient_id: SARI.wa_id, recipient_user_id: SARI.user_id },
      ...{ biz_opaque_callback_data: token, ...fields },
    },
  ],
})

type Kind = (world: World) => { field: string } & Record<string, Json>

export const KINDS: Record<string, Kind> = {
  text: () => message({ type: 'text', text: { body: 'Kopi ☕ @toko "dua" /\u007f' } }),
  image: ({ media }) =>
    message({ type: 'image', image: { caption: 'Ini', mime_type: 'image/png', sha256, id: media } }),
  video: ({ media }) => message({ type: 'video', video: { mime_type: 'video/mp4', sha256, id: media } }),
  audio: ({ media }) =>
    message({ type: 'audio', audio: { mime_type: 'audio/ogg; codecs=opus', sha256, id: media, voice: true } }),
  document: ({ media }) =>
    message({
      type: 'document',
      document: { caption: 'Nota', filename: 'nota.pdf', mime_type: 'application/pdf', sha256, id: media },
    }),
  sticker: ({ media }) =>
    message({ type: 'sticker', sticker: { mime_type: 'image/webp', sha256, id: media, animated: false } }),
  location: () =>
    message({
      type: 'location',
      location: {
        latitude: -6.2,
        longitude: 106.8,
        name: 'Monas',
        address: 'Jakarta',
        url: 'https://maps.example.com',
      },
    }),
  contacts: () =>
    message({
      type: 'contacts',
      contacts: [
        {
          name: { formatted_name: 'Budi S', first_name: 'Budi' },
          phones: [{ phone: '+62 813', type: 'CELL', wa_id: '62813' }],
          emails: [{ email: 'b@example.com', type: 'HOME' }],
          addresses: [{ city: 'Bandung', type: 'HOME' }],
          org: { company: 'Toko' },
          urls: [{ url: 'https://b.example.com', type: 'HOME' }],
          birthday: '1990-01-01',
        },
      ],
    }),
  'interactive button_reply': ({ shop, theirs }) =>
    message({
      type: 'interactive',
      context: { from: metadataOf(shop).display_phone_number, id: theirs },
      interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Ya' } },
    }),
  'interactive list_reply': () =>
    message({
      type: 'interactive',
      interactive: { type: 'list_reply', list_reply: { id: 'k1', title: 'Tubruk', description: 'Panas' } },
    }),
  'interactive nfm_reply': () =>
    message({
      type: 'interactive',
      interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"a":1}' } },
    }),
  'interactive call_permission_reply': () =>
    message({
      type: 'interactive',
      interactive: { type: 'call_permission_reply', call_permission_reply: { response: 'accept' } },
    }),
  button: ({ shop, theirs }) =>
    message({
      type: 'button',
      context: { from: metadataOf(shop).display_phone_number, id: theirs },
      button: { payload: 'stop', text: 'Berhenti' },
    }),
  reaction: ({ theirs }) => message({ type: 'reaction', reaction: { message_id: theirs, emoji: '👍' } }),
  'reaction that is removed': ({ theirs }) => message({ type: 'reaction', reaction: { message_id: theirs } }),
  'reaction to an unknown message': () =>
    message({ type: 'reaction', reaction: { message_id: 'wamid.before', emoji: '👍' } }),
  order: () =>
    message({
      type: 'order',
      order: {
        catalog_id: '99',
        text: 'Cepat ya',
        product_items: [{ product_retailer_id: 'KOPI', quantity: 2, item_price: 18_000, currency: 'IDR' }],
      },
    }),
  system: () =>
    message({
      type: 'system',
      system: { body: 'Sari changed their security code', type: 'customer_identity_changed', wa_id: SARI.wa_id },
    }),
  unsupported: () =>
    message({
      type: 'unsupported',
      unsupported: { type: 'poll' },
      errors: [
        {
          code: 131051,
          title: 'Message type unknown',
          message: 'Message type unknown',
          error_data: { details: 'Message type is currently not supported.' },
        },
      ],
    }),
  'a kind of the future': () => message({ type: 'hologram', hologram: { depth: 3 } }),
  'text that quotes an unknown message': () =>
    message({ type: 'text', context: { from: SARI.wa_id, id: 'wamid.before' }, text: { body: 'Ini' } }),
  'text that was forwarded': () => message({ type: 'text', context: { forwarded: true }, text: { body: 'Ini' } }),
  'text that was forwarded often': () =>
    message({ type: 'text', context: { frequently_forwarded: true }, text: { body: 'Ini' } }),
  'text about a product': ({ shop, theirs }) =>
    message({
      type: 'text',
      context: {
        from: metadataOf(shop).display_phone_number,
        id: theirs,
        referred_product: { catalog_id: '9', product_retailer_id: 'KOPI' },
      },
      text: { body: 'Ada?' },
    }),
  'text after an advertisement': () =>
    message({
      type: 'text',
      referral: {
        source_url: 'https://fb.me/x',
        source_id: '12',
        source_type: 'ad',
        headline: 'Kopi',
        body: 'Pesan',
        media_type: 'image',
        image_url: 'https://x.example.com/a.jpg',
        ctwa_clid: 'AR',
        welcome_message: { text: 'Hai' },
        new_member: 1,
      },
      text: { body: 'Halo' },
    }),

  'edit of a text': ({ known }) =>
    message({
      type: 'edit',
      edit: { original_message_id: known, message: { type: 'text', text: { body: 'Halo kak' } } },
    }),
  revoke: ({ known }) => message({ type: 'revoke', revoke: { original_message_id: known } }),
  'status sent': (world) =>
    status(world, {
      status: 'sent',
      pricing: PRICING,
      conversation: { id: 'c0ffee', expiration_timestamp: '1790000000', origin: { type: 'utility' } },
    }),
  'status delivered': (world) => status(world, { status: 'delivered', pricing: PRICING }),
  'status read': (world) => status(world, { status: 'read' }),
  'status played': (world) => status(world, { status: 'played' }),
  'status failed': (world) => status(world, { status: 'failed', errors: ERRORS }),
}

/** The change that Meta posts. */
export function changeOf(kind: Kind, world: World): Change {
  const { field, ...value } = kind(world)
  return { field, value: JSON.parse(JSON.stringify({ ...frameOf(world.shop), ...value })) }
}
