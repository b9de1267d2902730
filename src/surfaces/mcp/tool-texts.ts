/**
 * What a model reads about each tool. These texts are in the context of every conversation, so they are short and say only
 * what the names of the tool and its arguments do not; the documentation of the API is in the routes. Rules that hold for all
 * tools (approvals, customer text, pages) are in the instructions of the server, once.
 */
export type ToolText = { says: string; arguments?: Record<string, string> }

const ORDER = 'Order id or number.'
const CHAT = 'Chat id, phone, @username or user id.'
/** For parts that models know well, so that their members are not spelled out. */
export const AS_CLOUD_API = 'As in the WhatsApp Cloud API.'
const MOMENT = 'ISO 8601.'

export const toolTexts: Record<string, ToolText> = {
  getMe: { says: 'Who you are: organization, scopes, limits.' },
  getOwnAgent: { says: 'What you may do alone, what a person approves first, what is refused, your reach and limits.' },
  listChats: {
    says: 'Chats by last activity, newest first, with unread count and reply window.',
    arguments: { q: 'Start of a name, start or end of a phone, or words of a message.', since: MOMENT },
  },
  getChat: {
    says: 'One chat with its latest messages, newest first.',
    arguments: { phone: 'Chat id, phone, name, @username or user id.' },
  },
  updateChat: {
    says: 'Set labels, assignee or status; what is left out stays.',
    arguments: { phone: CHAT, labels: 'Replaces all labels.', assignee: 'null for none.' },
  },
  markChatRead: { says: 'Mark a chat as read; the customer sees it.', arguments: { phone: CHAT } },
  sendMessage: {
    says: 'Send a WhatsApp message, now or at `send_at`. A text needs `to` and `body`; other kinds need `type` and the member of that name. Outside the reply window only a template is accepted.',
    arguments: {
      to: CHAT,
      from: 'Business number, if there are several.',
      reply_to: 'Message id to quote.',
      body: 'Text or caption, at most 4096 characters.',
      media: 'For image, video, audio, document, sticker: `id` or `link`.',
      contacts: AS_CLOUD_API,
      interactive: AS_CLOUD_API,
      template: AS_CLOUD_API,
      send_at: MOMENT,
    },
  },
  listMessages: {
    says: 'Search messages, newest first.',
    arguments: { q: 'Words, or their beginnings.', chat: CHAT },
  },
  getMessage: { says: 'One message with its delivery status.' },
  cancelMessage: { says: 'Cancel a scheduled message.' },
  listContacts: { says: 'Customers, newest first.', arguments: { q: 'Start of a name or phone.' } },
  getContact: { says: 'One customer.' },
  createOrder: {
    says: 'Create an order with a way to pay it. Without `items` and `amount` the payer chooses the amount.',
    arguments: {
      billingType: 'Payment method.',
      amount: 'Instead of `items`.',
      discount: 'Rupiah, or {percent}.',
      tax: 'Rupiah, or {percent}.',
      chat_id: 'Chat to send payment details to.',
      notify: 'false sends the customer nothing.',
    },
  },
  listOrders: {
    says: 'Orders, newest first; filters combine.',
    arguments: { q: 'Order number, name, phone or reference.', created_after: MOMENT },
  },
  getOrder: { says: 'One order with payments and refunds.', arguments: { id: ORDER } },
  cancelOrder: { says: 'Cancel an order; money received is refunded.', arguments: { id: ORDER } },
  processOrder: { says: 'A confirmed order is being prepared.', arguments: { id: ORDER } },
  completeOrder: { says: 'A confirmed order was fulfilled.', arguments: { id: ORDER } },
  createOrderPayment: {
    says: 'Replace the open payment of an order by a new one.',
    arguments: { id: ORDER, bank: 'For virtual_account.' },
  },
  createOrderRefund: {
    says: 'Refund an order; without `amount`, all of it.',
    arguments: { id: ORDER, payment: 'Payment id.', manual: 'Staff paid it back; needs `note`.' },
  },
  listWebhookEndpoints: { says: 'Webhook endpoints with health and backlog.' },
  getWebhookEndpoint: { says: 'One webhook endpoint with settings, health and last ping.' },
  listDeliveries: {
    says: 'Webhook deliveries, newest first.',
    arguments: { endpoint: 'Endpoint id.', event: 'Event id.', type: 'Event name.', since: MOMENT },
  },
  getDelivery: { says: 'One delivery with its attempts.' },
  getWebhookCertification: { says: 'Report on how a receiver handles test deliveries.' },
  listWebhookRecoveries: { says: 'Recoveries of an endpoint, newest first.', arguments: { id: 'Endpoint id.' } },
  getWebhookRecovery: { says: 'Progress of a recovery.' },
  explainEvent: {
    says: 'Why an event did or did not reach an endpoint, and what to do.',
    arguments: { endpoint: 'Endpoint id.' },
  },
  listApprovals: { says: 'Your requests that need a person, newest first.' },
  getApproval: { says: 'State of one approval, and its result once it ran.' },
  waitForApproval: {
    says: 'Wait until an approval is decided and carried out, then get its result. Call again while it is pending.',
    arguments: { wait: 'Seconds, at most 25 (default).' },
  },
  listEvents: {
    says: 'What happened in the organization, newest first; with `after`, oldest first from that sequence.',
    arguments: { types: 'Names or groups, such as order.paid or order.*.', subject: 'Id of what it is about.' },
  },
  getEvent: { says: 'One event with its data.' },
  listEventTypes: { says: 'All event names; with `name`, one with an example.' },
}

/** Arguments that mean the same in every tool. An empty text is for a name that says enough. */
export const sharedArguments: Record<string, string> = {
  limit: 'Default 10.',
  cursor: '`next_cursor` of the last answer.',
  number: 'Business number, if there are several.',
  idempotency_key: 'Repeat a call safely: same key, same answer.',
}
