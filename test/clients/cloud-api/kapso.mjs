import { buildTemplatePayload, buildTemplateSendPayload, WhatsAppClient } from '@kapso/whatsapp-cloud-api'
import { inbound, link, phoneNumberId, picture, run, settings, to } from './client-run.mjs'

/** Every type that the client can send, with nothing set but the address and the token. */
const client = new WhatsAppClient({ baseUrl: settings.baseUrl, accessToken: settings.token })
const base = { phoneNumberId, to }
const { messages } = client
const image = { type: 'image', image: { link } }

const upload = async () => {
  const file = new Blob([picture], { type: 'image/png' })
  return (await client.media.upload({ phoneNumberId, type: 'image', file, fileName: 'a.png' })).id
}

await run('@kapso/whatsapp-cloud-api', {
  text: () => messages.sendText({ ...base, body: 'Halo', previewUrl: true }),
  'text as a reply': () => messages.sendText({ ...base, body: 'Ya', contextMessageId: inbound }),
  'raw payload': () =>
    messages.sendRaw({
      phoneNumberId,
      payload: {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to,
        type: 'text',
        text: { body: 'Raw' },
        biz_opaque_callback_data: 'order:1',
      },
    }),
  image: () => messages.sendImage({ ...base, image: { link, caption: 'A picture' } }),
  video: () => messages.sendVideo({ ...base, video: { link: 'https://example.com/a.mp4', caption: 'A video' } }),
  audio: () => messages.sendAudio({ ...base, audio: { link: 'https://example.com/a.mp3' } }),
  document: () =>
    messages.sendDocument({ ...base, document: { link, filename: 'invoice.pdf', caption: 'An invoice' } }),
  sticker: () => messages.sendSticker({ ...base, sticker: { link: 'https://example.com/a.webp' } }),
  location: () =>
    messages.sendLocation({
      ...base,
      location: { latitude: -6.2, longitude: 106.8, name: 'Monas', address: 'Jakarta' },
    }),
  contacts: () =>
    messages.sendContacts({
      ...base,
      contacts: [
        {
          name: { formattedName: 'Sari Dewi', firstName: 'Sari' },
          phones: [{ phone: '+6281200000009', type: 'WORK' }],
        },
      ],
    }),
  reaction: () => messages.sendReaction({ ...base, reaction: { messageId: inbound, emoji: '😀' } }),
  'mark as read': () => messages.markRead({ phoneNumberId, messageId: inbound }),
  'mark as read, typing': () =>
    messages.markRead({ phoneNumberId, messageId: inbound, typingIndicator: { type: 'text' } }),
  'reply buttons': () =>
    messages.sendInteractiveButtons({
      ...base,
      header: image,
      bodyText: 'Pick one',
      footerText: 'Footer',
      buttons: [
        { id: 'yes', title: 'Yes' },
        { id: 'no', title: 'No' },
      ],
    }),
  list: () =>
    messages.sendInteractiveList({
      ...base,
      bodyText: 'Pick one',
      buttonText: 'Open',
      sections: [{ title: 'Food', rows: [{ id: 'nasi', title: 'Nasi goreng', description: 'Rp25.000' }] }],
    }),
  'link button': () =>
    messages.sendInteractiveCtaUrl({
      ...base,
      header: image,
      bodyText: 'Pay here',
      parameters: { displayText: 'Pay', url: 'https://example.com/pay?x=1' },
    }),
  'location request': () =>
    messages.sendInteractiveLocationRequest({
      ...base,
      bodyText: 'Where are you?',
      parameters: { requestMessage: 'Where are you?' },
    }),
  flow: () =>
    messages.sendInteractiveFlow({
      ...base,
      bodyText: 'Book a table',
      parameters: {
        flowId: '1234567890',
        flowCta: 'Book',
        flowToken: 'token',
        flowAction: 'navigate',
        flowActionPayload: { screen: 'WELCOME' },
      },
    }),
  'single product': () =>
    messages.sendInteractiveProduct({ ...base, bodyText: 'This one', catalogId: '1', productRetailerId: 'SKU-1' }),
  'product list': () =>
    messages.sendInteractiveProductList({
      ...base,
      header: { type: 'text', text: 'Ours' },
      bodyText: 'All of them',
      catalogId: '1',
      sections: [{ title: 'Food', productItems: [{ productRetailerId: 'SKU-1' }] }],
    }),
  catalogue: () =>
    messages.sendInteractiveCatalogMessage({
      ...base,
      bodyText: 'Browse',
      parameters: { thumbnailProductRetailerId: 'SKU-1' },
    }),
  carousel: () =>
    messages.sendInteractiveCarousel({
      ...base,
      bodyText: 'Choose',
      cards: [0, 1].map((cardIndex) => ({
        cardIndex,
        header: image,
        bodyText: 'A card',
        action: { type: 'cta_url', displayText: 'View', url: 'https://example.com/one' },
      })),
    }),
  'call permission': () =>
    messages.sendInteractiveCallPermission({ ...base, bodyText: 'May we call?', parameters: { phoneNumber: to } }),
  template: () =>
    messages.sendTemplate({
      ...base,
      template: buildTemplatePayload({
        name: 'order_paid',
        language: 'id',
        components: [{ type: 'body', parameters: ['A-1042', 'Rp 75.000'].map((text) => ({ type: 'text', text })) }],
      }),
    }),
  'template with a flow button': () =>
    messages.sendTemplate({
      ...base,
      template: buildTemplateSendPayload({
        name: 'visit_confirmation',
        language: 'en_US',
        body: [{ type: 'text', text: 'Sari' }],
        buttons: [
          {
            type: 'button',
            subType: 'flow',
            index: 0,
            parameters: [{ type: 'action', action: { flow_token: 'FT', flow_action_data: { step: 'one' } } }],
          },
        ],
      }),
    }),
  'image by id': async () => messages.sendImage({ ...base, image: { id: await upload(), caption: 'Uploaded' } }),
  'upload, describe, download and delete a file': async () => {
    const id = await upload()
    const { url, mimeType } = await client.media.get({ mediaId: id, phoneNumberId })
    const bytes = await client.media.download({ mediaId: id, phoneNumberId, auth: 'always' })
    if (url === undefined || mimeType !== 'image/png' || Buffer.from(bytes).compare(picture) !== 0)
      throw new Error('the file came back changed')
    return client.media.delete({ mediaId: id, phoneNumberId })
  },
  'a refusal is understood': async () => {
    const error = await messages.sendText({ ...base, body: 'a'.repeat(4097) }).catch((caught) => caught)
    if (error.code !== 131009) throw error
    return { code: error.code, category: error.category, details: error.details }
  },
})
