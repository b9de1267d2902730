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
  /** A message that the business wrote in the app. */
  echo: string
}

export type Change = { field: string; value: Json }

export const MESSAGE_TYPES = [
  ...['text', 'image', 'video', 'document', 'audio', 'sticker', 'location', 'contacts', 'interactive', 'button'],
  ...['reaction', 'order', 'system', 'edit', 'revoke', 'unsupported'],
]
export const FIELDS = [
  ...['messages', 'smb_message_echoes', 'smb_app_state_sync', 'history', 'calls', 'user_preferences', 'user_id_update'],
  ...['group_lifecycle_update', 'group_participants_update', 'group_settings_update', 'group_status_update'],
  ...['account_update', 'account_alerts', 'account_review_update', 'account_settings_update'],
  ...['phone_number_quality_update', 'phone_number_name_update', 'business_capability_update', 'security'],
  ...['message_template_status_update', 'message_template_quality_update', 'message_template_components_update'],
  ...['template_category_update', 'template_correct_category_detection', 'flows', 'partner_solutions'],
  ...['payment_configuration_update', 'automatic_events', 'tracking_events', 'business_status_update'],
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

const BUDI = '6281200000077'

/** What the business wrote in the WhatsApp Business app, to Sari. */
const echo = ({ shop }: World, content: object) => ({
  field: 'smb_message_echoes',
  message_echoes: [
    {
      ...{ from: metadataOf(shop).display_phone_number, to: SARI.wa_id, to_user_id: SARI.user_id },
      ...{ id: `wamid.in-echo${counter++}`, timestamp: NOW, ...content },
    },
  ],
})
let counter = 0

const group = (field: string, ...groups: object[]) => ({
  field,
  groups: [{ timestamp: NOW, group_id: 'g-1@g.us', ...groups[0] }],
})

/** About the account: such a change names no number. */
const ofAccount = (field: string, value: object) => ({ field, isOfAccount: true, ...value })

const TEMPLATE = {
  message_template_id: 1689556908129832,
  message_template_name: 'order_ready',
  message_template_language: 'id',
}

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
  'status in a group': (world) => ({
    ...status(world, {}),
    statuses: [
      {
        ...{ id: 'wamid.of-a-group', status: 'delivered', timestamp: NOW, recipient_id: 'g-1@g.us' },
        ...{ recipient_type: 'group', recipient_participant_id: SARI.wa_id },
      },
    ],
  }),
  'errors of the account': () => ({ field: 'messages', errors: ERRORS }),
  'a click that has no place here': () => ({
    field: 'messages',
    user_actions: [{ action_type: 'click', timestamp: NOW }],
  }),
  'system: the customer has another number': () =>
    message({
      ...{ from: BUDI, from_user_id: undefined, type: 'system' },
      system: {
        body: `User B changed from ${BUDI} to 6281200000078`,
        type: 'user_changed_number',
        wa_id: '6281200000078',
      },
    }),
  'system: the customer has another user id': () =>
    message({
      ...{ from: '6281200000079', from_user_id: 'ID.79', type: 'system' },
      system: { body: 'User C changed from ID.79 to ID.80', type: 'user_changed_user_id', user_id: 'ID.80' },
    }),
  'text in a group': () => message({ group_id: 'g-1@g.us', type: 'text', text: { body: 'Halo semua' } }),
  'image in a group': ({ media }) =>
    message({ group_id: 'g-1@g.us', type: 'image', image: { mime_type: 'image/png', sha256, id: media } }),
  'echo of a text': (world) => echo(world, { type: 'text', text: { body: 'Dari aplikasi' } }),
  'echo of a reply': (world) =>
    echo(world, {
      context: { from: SARI.wa_id, from_user_id: SARI.user_id, id: world.known },
      type: 'text',
      text: { body: 'Ya' },
    }),
  'echo of an image': (world) =>
    echo(world, { type: 'image', image: { caption: 'Ini', mime_type: 'image/png', sha256, id: world.media } }),
  'echo of an edit': (world) =>
    echo(world, {
      type: 'edit',
      edit: { original_message_id: world.echo, message: { type: 'text', text: { body: 'Baru' } } },
    }),
  'echo of a revoke': (world) => echo(world, { type: 'revoke', revoke: { original_message_id: world.echo } }),
  'history of chats': ({ shop, media }) => ({
    field: 'history',
    history: [
      {
        metadata: { phase: 0, chunk_order: 1, progress: 55 },
        threads: [
          {
            id: BUDI,
            messages: [
              {
                ...{
                  from: metadataOf(shop).display_phone_number,
                  to: BUDI,
                  id: 'wamid.in-h1',
                  timestamp: '1739230955',
                },
                ...{ type: 'text', text: { body: 'Lama' }, history_context: { status: 'READ' } },
              },
              {
                ...{
                  from: BUDI,
                  id: 'wamid.in-h2',
                  timestamp: '1739230970',
                  type: 'text',
                  text: { body: 'Terima kasih' },
                },
                ...{ context: { from: metadataOf(shop).display_phone_number, id: 'wamid.in-h1' } },
                history_context: { status: 'READ' },
              },
              {
                ...{ from: BUDI, id: 'wamid.in-h3', timestamp: '1739230971', type: 'image' },
                ...{ image: { mime_type: 'image/png', sha256, id: media }, history_context: { status: 'PENDING' } },
              },
              {
                from: BUDI,
                id: 'wamid.in-h4',
                timestamp: '1739230972',
                type: 'media_placeholder',
                history_context: { status: 'READ' },
              },
            ],
          },
        ],
      },
    ],
  }),
  'history: a file that follows': ({ media }) => ({
    field: 'history',
    messages: [
      {
        from: BUDI,
        id: 'wamid.in-h4',
        timestamp: '1739230972',
        type: 'image',
        image: { mime_type: 'image/png', sha256, id: media },
      },
    ],
  }),
  'history that was declined': () => ({
    field: 'history',
    history: [
      {
        errors: [
          {
            ...{ code: 2593109, title: 'History sync is turned off', message: 'History sync is turned off' },
            error_data: { details: 'History sharing is turned off by the business' },
          },
        ],
      },
    ],
  }),
  'contact of the address book': () => ({
    field: 'smb_app_state_sync',
    state_sync: [
      {
        ...{ type: 'contact', action: 'add', metadata: { timestamp: NOW } },
        contact: { full_name: 'Budi Santoso', first_name: 'Budi', phone_number: BUDI },
      },
    ],
  }),
  'group created': () =>
    group('group_lifecycle_update', {
      type: 'group_create',
      subject: 'Pelanggan',
      invite_link: 'https://x.example.com',
    }),
  'group joined': () =>
    group('group_participants_update', { type: 'group_participants_add', added_participants: [{ wa_id: SARI.wa_id }] }),
  'group renamed': () =>
    group('group_settings_update', {
      type: 'group_settings_update',
      group_subject: { text: 'Reseller', update_successful: true },
    }),
  'group suspended': () => group('group_status_update', { type: 'group_suspend' }),
  'call of a customer': ({ shop }) => ({
    field: 'calls',
    contacts: [SARI],
    calls: [
      {
        ...{ id: 'wacid.1', to: metadataOf(shop).display_phone_number, from: SARI.wa_id, event: 'connect' },
        ...{ direction: 'USER_INITIATED', timestamp: NOW, session: { sdp_type: 'offer', sdp: 'v=0' } },
      },
    ],
  }),
  'marketing that is stopped': () => ({
    field: 'user_preferences',
    contacts: [SARI],
    user_preferences: [
      {
        wa_id: SARI.wa_id,
        detail: 'User requested to stop',
        category: 'marketing_messages',
        value: 'stop',
        timestamp: NOW,
      },
    ],
  }),
  'another user id': () => ({
    field: 'user_id_update',
    user_id_update: [{ wa_id: '6281200000081', user_id: { previous: 'ID.81', current: 'ID.82' }, timestamp: NOW }],
  }),
  'account that is disabled': () =>
    ofAccount('account_update', {
      event: 'DISABLED_UPDATE',
      ban_info: { waba_ban_state: 'DISABLE', waba_ban_date: 'April 17, 2026' },
    }),
  'account alert': () =>
    ofAccount('account_alerts', {
      ...{ entity_type: 'PHONE_NUMBER', entity_id: '1' },
      alert_info: {
        alert_severity: 'CRITICAL',
        alert_status: 'ACTIVE',
        alert_type: 'OBA_REJECTED',
        alert_description: 'No.',
      },
    }),
  'account review': () => ofAccount('account_review_update', { decision: 'APPROVED' }),
  'account settings': () => ofAccount('account_settings_update', { type: 'phone_number_settings', timestamp: NOW }),
  'quality of a number': ({ shop }) =>
    ofAccount('phone_number_quality_update', {
      ...{ display_phone_number: metadataOf(shop).display_phone_number, event: 'FLAGGED', current_limit: 'TIER_10K' },
    }),
  'name of a number': ({ shop }) =>
    ofAccount('phone_number_name_update', {
      ...{ display_phone_number: metadataOf(shop).display_phone_number, decision: 'APPROVED' },
      ...{ requested_verified_name: 'Kopi', rejection_reason: 'NONE' },
    }),
  'limits of the business': () =>
    ofAccount('business_capability_update', {
      max_daily_conversation_per_phone: 1000,
      max_phone_numbers_per_business: 25,
    }),
  'status of the business': () =>
    ofAccount('business_status_update', { event: 'BUSINESS_VERIFICATION', business_id: '2' }),
  'PIN of a number': ({ shop }) =>
    ofAccount('security', {
      display_phone_number: metadataOf(shop).display_phone_number,
      event: 'PIN_CHANGED',
      requester: '3',
    }),
  'template approved': () =>
    ofAccount('message_template_status_update', {
      event: 'APPROVED',
      ...TEMPLATE,
      reason: 'NONE',
      message_template_category: 'UTILITY',
    }),
  'template of lower quality': () =>
    ofAccount('message_template_quality_update', {
      previous_quality_score: 'GREEN',
      new_quality_score: 'YELLOW',
      ...TEMPLATE,
    }),
  'template with other components': () =>
    ofAccount('message_template_components_update', { ...TEMPLATE, message_template_element: 'Halo {{1}}' }),
  'template of another category': () =>
    ofAccount('template_category_update', { ...TEMPLATE, previous_category: 'MARKETING', new_category: 'UTILITY' }),
  'template with a wrong category': () =>
    ofAccount('template_correct_category_detection', {
      ...TEMPLATE,
      category: 'UTILITY',
      correct_category: 'MARKETING',
    }),
  'flow that changed': () =>
    ofAccount('flows', { event: 'FLOW_STATUS_CHANGE', flow_id: '4', old_status: 'DRAFT', new_status: 'PUBLISHED' }),
  'partner solution': () =>
    ofAccount('partner_solutions', { event: 'SOLUTION_CREATED', solution_id: '5', solution_status: 'INITIATED' }),
  'payment configuration': () =>
    ofAccount('payment_configuration_update', { configuration_name: 'p', status: 'ACTIVE' }),
  'automatic event': () => ({
    field: 'automatic_events',
    automatic_events: [{ id: 'wamid.unknown', event_name: 'LeadSubmitted', timestamp: NOW, ctwa_clid: 'AR' }],
  }),
  'tracking event': () => ofAccount('tracking_events', { event: 'click', tracking_data: 'x' }),
  'a field of the future': () => ofAccount('holograms', { depth: 3 }),
}

/** The change that Meta posts. */
export function changeOf(kind: Kind, world: World): Change {
  const { field, isOfAccount, ...value } = kind(world)
  const frame = isOfAccount === true ? {} : frameOf(world.shop)
  return { field, value: JSON.parse(JSON.stringify({ ...frame, ...value })) }
}
