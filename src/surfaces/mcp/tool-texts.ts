/**
 * What a model reads about each tool. These texts are in the context of every conversation, so they are short and say only
 * what the names of the tool and its arguments do not; the documentation of the API is in the routes. Rules that hold for all
 * tools (approvals, customer text, pages) are in the instructions of the server, once.
 */
export type ToolText = { says: string; arguments?: Record<string, string> }

const CHAT = 'Chat id, phone, @username or user id.'
/** For parts that models know well, so that their members are not spelled out. */
const AS_CLOUD_API = 'As in the WhatsApp Cloud API.'
const DELIVERY = 'courier, service, tracking_number, tracking_url, address {name, phone, line, city …}.'
const PAYMENT =
  'method, or methods [] to choose from; bank, channel (e-wallet, shop), phone, amount (a part), expires_in_seconds.'
const AS_CREATE_ORDER = 'As in create_order.'
export const notSpelledOut: readonly string[] = [AS_CLOUD_API, DELIVERY, PAYMENT, AS_CREATE_ORDER]

export const toolTexts: Record<string, ToolText> = {
  getMe: { says: 'Your organization, scopes and limits.' },
  getOwnAgent: {
    says: 'What you may do without approval, what needs one, what is refused, and your reach and limits.',
  },
  listChats: {
    says: 'Chats by last activity, newest first, with unread count and reply window.',
    arguments: { q: 'Start of a name, start or end of a phone, or words of a message.' },
  },
  getChat: {
    says: 'One chat with its latest messages, newest first.',
    arguments: { phone: 'Chat id, phone, name, @username or user id.' },
  },
  updateChat: {
    says: 'Edit labels, assignee or status; fields left out keep their value.',
    arguments: { phone: CHAT, labels: 'Replaces all labels.', assignee: 'null for none.' },
  },
  markChatRead: { says: 'Mark a chat as read; the customer sees it.', arguments: { phone: CHAT } },
  sendMessage: {
    says: 'Send a WhatsApp message, now or at `send_at`. A text needs `to` and `body`; other types need `type` and the field of that name. While the reply window is closed, only a template is accepted.',
    arguments: {
      to: CHAT,
      from: 'Business number, if there are several.',
      reply_to: 'Message id to quote.',
      body: 'Text or caption, at most 4096 characters.',
      media: 'For image, video, audio, document, sticker: `id` or `link`.',
      contacts: AS_CLOUD_API,
      interactive: AS_CLOUD_API,
      template: AS_CLOUD_API,
    },
  },
  listMessages: {
    says: 'Search messages, newest first.',
    arguments: { q: 'Words, or how they begin.', chat: CHAT },
  },
  getMessage: { says: 'One message with its delivery status.' },
  cancelMessage: { says: 'Cancel a scheduled message.' },
  listContacts: { says: 'Customers, newest first.', arguments: { q: 'Start of a name or phone.' } },
  getContact: { says: 'One customer.' },
  listProducts: {
    says: 'Products for sale, newest first.',
    arguments: { q: 'Part of the name, or start of the sku.' },
  },
  getProduct: { says: 'One product.' },
  createOrder: {
    says: 'Create an order and its payment. Without `items` and `amount` the payer chooses the amount.',
    arguments: {
      billingType: 'Payment method, or `choice`: the customer chooses on the page.',
      payment: PAYMENT,
      amount: 'Instead of `items`.',
      discount: 'Rupiah, or {percent}.',
      tax: 'Rupiah, or {percent}.',
      chat_id: 'Chat to send payment details to.',
      delivery: DELIVERY,
      notify: 'false sends the customer nothing.',
    },
  },
  listOrders: {
    says: 'Orders, newest first; filters combine.',
    arguments: { q: 'Order number, name, phone or reference.' },
  },
  getOrder: { says: 'One order with payments and refunds.' },
  updateOrder: {
    says: 'Edit an order; fields left out keep their value. Amounts only while unpaid.',
    arguments: {
      items: AS_CREATE_ORDER,
      customer: AS_CREATE_ORDER,
      delivery: AS_CREATE_ORDER,
    },
  },
  cancelOrder: {
    says: 'Cancel an order; money received is refunded.',
  },
  processOrder: { says: 'Mark a confirmed order as processing.' },
  shipOrder: {
    says: 'Record that an order was sent, and notify the customer.',
    arguments: { courier: 'Such as jne.', address: AS_CREATE_ORDER },
  },
  deliverOrder: { says: 'Record that an order arrived, and notify the customer.' },
  completeOrder: { says: 'Mark a confirmed order as completed.' },
  createOrderPayment: {
    says: 'Replace the open payment of an order by a new one.',
    arguments: { amount: 'A part.', bank: 'For virtual_account.' },
  },
  createOrderRefund: {
    says: 'Refund an order; without `amount`, all of it.',
    arguments: { manual: 'Refunded by staff; needs `note`.' },
  },
  listWebhookEndpoints: { says: 'Webhook endpoints with health and backlog.' },
  getWebhookEndpoint: { says: 'One webhook endpoint with settings, health and last ping.' },
  listDeliveries: {
    says: 'Webhook deliveries, newest first.',
    arguments: { type: 'Event name.' },
  },
  getDelivery: { says: 'One delivery with its attempts.' },
  getWebhookCertification: { says: 'Report on how a receiver handles test deliveries.' },
  listWebhookRecoveries: { says: 'Recoveries of an endpoint, newest first.', arguments: { id: 'Endpoint id.' } },
  getWebhookRecovery: { says: 'Progress of a recovery.' },
  explainEvent: { says: 'Why an event was or was not delivered, and what to do.' },
  listApprovals: { says: 'Your requests that need a person, newest first.' },
  getApproval: { says: 'Status of one approval, and its result once it ran.' },
  waitForApproval: {
    says: 'Wait until an approval is decided and has run, then get its result. Call it repeatedly while it is pending.',
    arguments: { wait: 'Seconds, at most 25 (default).' },
  },
  listEvents: {
    says: 'Events of the organization, newest first; with `after`, oldest first from that sequence.',
    arguments: { types: 'Names or groups, such as order.paid or order.*.', subject: 'Id of the resource.' },
  },
  getEvent: { says: 'One event with its data.' },
  listEventTypes: { says: 'All event names; with `name`, one with an example.' },
}

/** Arguments that mean the same in every tool. An empty text is for a name that says enough. */
export const sharedArguments: Record<string, string> = {
  number: 'Business number, if there are several.',
}
