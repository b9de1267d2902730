import { defineEvent } from '../events/events.ts'
import { Chat, chatExample } from './chats/chats.schemas.ts'
import { Contact, contactExample } from './contacts/contacts.schemas.ts'
import { Message, messageExample } from './messages/messages.schemas.ts'

const at = (second: number) => `2026-11-14T09:30:0${second}.000Z`
const sentExample = {
  ...messageExample,
  provider_id: 'wamid.HBgNNjI4MTIzNDU2Nzg5MBUCABEYEjQ1',
  status: 'sent' as const,
  status_history: [...messageExample.status_history, { status: 'sent' as const, at: at(1) }],
}

export const messageReceived = defineEvent({
  name: 'message.received',
  description: 'A customer sent a message.',
  data: Message,
  example: {
    ...messageExample,
    direction: 'inbound',
    body: 'Apakah masih ada stok?',
    referral: {
      source_type: 'ad',
      source_id: '120210000000000001',
      source_url: 'https://fb.me/2AbCdEfGh',
      headline: 'Kopi susu gula aren',
      body: 'Pesan sekarang lewat WhatsApp.',
      media_type: 'image',
      image_url: 'https://scontent.example.com/kopi.jpg',
      ctwa_clid: 'ARAkLkA8rmlFeiCktEJQ-QTwRiyYHAFDLMNDBH0CD3qpjd0HR4irJ6LEkR7JwFF4XvnO2E4N',
    },
    provider_id: 'wamid.HBgNNjI4MTIzNDU2Nzg5MBUCABEYEjQ2',
    sender: { type: 'contact', id: 'con_01k9x3m5q8e0t9v7a2b4c6d8fg' },
    status: 'received',
    status_history: [{ status: 'received', at: at(0) }],
  },
})

export const messageMoved = {
  sent: defineEvent({
    name: 'message.sent',
    description: 'The network accepted a message.',
    data: Message,
    example: sentExample,
  }),
  delivered: defineEvent({
    name: 'message.delivered',
    description: 'A message reached the phone of the customer.',
    data: Message,
    example: {
      ...sentExample,
      status: 'delivered',
      status_history: [...sentExample.status_history, { status: 'delivered', at: at(2) }],
    },
  }),
  read: defineEvent({
    name: 'message.read',
    description: 'The customer read a message.',
    data: Message,
    example: {
      ...sentExample,
      status: 'read',
      status_history: [...sentExample.status_history, { status: 'read', at: at(3) }],
    },
  }),
  failed: defineEvent({
    name: 'message.failed',
    description:
      'A message could not be sent or delivered; `error` says why. A message that failed with `outcome_unknown` may be reported again with the reason from the network.',
    data: Message,
    example: {
      ...messageExample,
      status: 'failed',
      error: {
        code: 'recipient_unreachable',
        provider_code: '131026',
        detail: 'The customer is not on WhatsApp or cannot receive this message.',
        retryable: false,
      },
      status_history: [...messageExample.status_history, { status: 'failed', at: at(1) }],
    },
  }),
}

const receivedExample = messageReceived.example

export const messageEdited = defineEvent({
  name: 'message.edited',
  description: 'The author of a message edited it: a customer, or the business in the WhatsApp Business app.',
  data: Message,
  example: { ...receivedExample, referral: null, body: 'Apakah masih ada stok ukuran M?', edited_at: at(5) },
})

export const messageDeleted = defineEvent({
  name: 'message.deleted',
  description: 'The author of a message deleted it for everyone. Its content is no longer stored.',
  data: Message,
  example: {
    ...receivedExample,
    type: 'unsupported',
    body: null,
    referral: null,
    unsupported: { type: 'revoked', detail: 'The customer deleted this message.' },
    deleted_at: at(6),
  },
})

export const messagePlayed = defineEvent({
  name: 'message.played',
  description:
    'The customer played a voice note that they had read before. One that is played at once is only `message.read`.',
  data: Message,
  example: {
    ...sentExample,
    type: 'audio',
    body: null,
    media: { id: 'med_01k9x3m5q8e0t9v7a2b4c6d8fg', mime_type: 'audio/ogg', voice: true },
    status: 'read',
    status_history: [...sentExample.status_history, { status: 'read', at: at(3) }, { status: 'played', at: at(4) }],
  },
})

export const chatCreated = defineEvent({
  name: 'chat.created',
  description: 'A chat with a new customer started, from either side.',
  data: Chat,
  example: chatExample,
})

export const chatUpdated = defineEvent({
  name: 'chat.updated',
  description:
    'A chat changed: a message was accepted for sending, it was marked as read, the customer edited or deleted a message, its labels, assignee, status or open order changed, or another chat of the same customer was merged into it. A received message is reported by `message.received`, and by this event only if it reopens a closed chat.',
  data: Chat,
  example: { ...chatExample, status: 'closed', unread_count: 0 },
})

export const contactUpdated = defineEvent({
  name: 'contact.updated',
  description: 'A name changed, an identity was added, or two contacts were merged.',
  data: Contact,
  example: contactExample,
})
