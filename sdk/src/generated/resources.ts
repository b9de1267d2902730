// Made from openapi.json by `npm run openapi`. Changes made here are lost.

import { type CallOptions, type ChangeOptions, type PostOptions, pathValue, type Transport } from '../transport.ts'
import type { List } from '../list.ts'
import type { Reply } from '../reply.ts'
import type {
  Approval,
  ApprovalDecision,
  Chat,
  ChatChange,
  ChatWithMessages,
  Contact,
  CreatedRefund,
  EraseEventPayloadQuery,
  Event,
  EventErasure,
  EventErasureRequest,
  EventType,
  ExplainEventQuery,
  GetApprovalQuery,
  GetChatQuery,
  Identity,
  ListApprovalsQuery,
  ListChatsQuery,
  ListContactsQuery,
  ListDeliveriesQuery,
  ListEventTypesQuery,
  ListEventsQuery,
  ListMessagesQuery,
  ListOrdersQuery,
  ListWebhookEndpointsQuery,
  ListWebhookRecoveriesQuery,
  MarkChatReadQuery,
  Message,
  NewMessage,
  NewOrder,
  NewOrderPayment,
  NewRefund,
  NewWebhookEndpoint,
  Order,
  OrderPaid,
  OrderReview,
  OrderWithPayments,
  OwnAgent,
  UpdateChatQuery,
  WebhookCertification,
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  WebhookEndpoint,
  WebhookEndpointChange,
  WebhookEndpointWithSecret,
  WebhookExplanation,
  WebhookRecover,
  WebhookRecoverReply,
  WebhookRecovery,
  WebhookResend,
  WebhookResume,
  WebhookSecretRotation,
  WebhookTest,
  WebhookTestReply,
} from './types.ts'

/** Where the operations are, below the address of a server. */
export const BASE_PATH = '/api/public/v1'

export class Agent {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * What may this agent do.
   *
   * For the token of an agent: what it does by itself, what a person is asked about first, what is refused, and how far and how much. Any other key is answered with 404.
   *
   * Scope: any valid key.
   *
   * Operation: `getOwnAgent`.
   */
  getOwn(options: CallOptions = {}): Reply<OwnAgent> {
    return this.#transport.call<OwnAgent>({ method: 'GET', path: '/agent' }, options)
  }
}

export class Approvals {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List approvals.
   *
   * What agents want to do and a person is asked about first, newest first. An agent sees its own.
   *
   * Scope: `approvals:read`.
   *
   * Operation: `listApprovals`.
   */
  list(query: ListApprovalsQuery = {}, options: CallOptions = {}): List<Approval> {
    return this.#transport.list<Approval>({ method: 'GET', path: '/approvals', query }, options)
  }

  /**
   * Get an approval.
   *
   * Whether it was decided, and what came of it. An agent asks here what became of its request; with `wait`, the answer comes as soon as there is one.
   *
   * Scope: `approvals:read`.
   *
   * Operation: `getApproval`.
   */
  get(id: string, query: GetApprovalQuery = {}, options: CallOptions = {}): Reply<Approval> {
    return this.#transport.call<Approval>({ method: 'GET', path: `/approvals/${pathValue(id)}`, query }, options)
  }

  /**
   * Approve what an agent wants to do.
   *
   * The request runs right afterwards, exactly as it is shown, once. Whoever decides needs the scope of the operation as well, because it is as if they did it themselves. Agents cannot decide.
   *
   * Scope: `approvals:decide`.
   *
   * Operation: `approveRequest`.
   */
  approveRequest(id: string, body?: ApprovalDecision, options: PostOptions = {}): Reply<Approval> {
    return this.#transport.call<Approval>({ method: 'POST', path: `/approvals/${pathValue(id)}/approve`, body }, options)
  }

  /**
   * Refuse what an agent wants to do.
   *
   * Nothing happens, and the agent is told. Whoever decides needs the scope of the operation as well, because it is as if they did it themselves. Agents cannot decide.
   *
   * Scope: `approvals:decide`.
   *
   * Operation: `refuseRequest`.
   */
  refuseRequest(id: string, body?: ApprovalDecision, options: PostOptions = {}): Reply<Approval> {
    return this.#transport.call<Approval>({ method: 'POST', path: `/approvals/${pathValue(id)}/refuse`, body }, options)
  }
}

export class Chats {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List chats.
   *
   * Chats by their last activity, newest first, with exact unread counts and the end of the reply window.
   *
   * Scope: `chats:read`.
   *
   * Operation: `listChats`.
   */
  list(query: ListChatsQuery = {}, options: CallOptions = {}): List<Chat> {
    return this.#transport.list<Chat>({ method: 'GET', path: '/chats', query }, options)
  }

  /**
   * Get a chat with its messages.
   *
   * One chat with a page of its messages, newest first. Where a customer has chats with several business numbers, the liveliest is taken unless `number` names one.
   *
   * Scope: `chats:read`.
   *
   * Operation: `getChat`.
   */
  get(phone: string, query: GetChatQuery = {}, options: CallOptions = {}): Reply<ChatWithMessages> {
    return this.#transport.call<ChatWithMessages>({ method: 'GET', path: `/chats/${pathValue(phone)}`, query }, options)
  }

  /**
   * All pages of `messages` of what `get` answers.
   *
   * Operation: `getChat`.
   */
  messages(phone: string, query: GetChatQuery = {}, options: CallOptions = {}): List<Message> {
    return this.#transport.listWithin<Message>('messages', { method: 'GET', path: `/chats/${pathValue(phone)}`, query }, options)
  }

  /**
   * Change a chat.
   *
   * Labels, assignee and status. What is not named stays as it is. Where a customer has chats with several business numbers, the liveliest is taken unless `number` names one.
   *
   * Scope: `chats:write`.
   *
   * Operation: `updateChat`.
   */
  update(phone: string, body: ChatChange, query: UpdateChatQuery = {}, options: ChangeOptions = {}): Reply<Chat> {
    return this.#transport.call<Chat>({ method: 'PATCH', path: `/chats/${pathValue(phone)}`, body, query }, options)
  }

  /**
   * Mark a chat as read.
   *
   * Sets the unread count to zero and tells the customer that the messages were read. Where a customer has chats with several business numbers, the liveliest is taken unless `number` names one.
   *
   * Scope: `chats:write`.
   *
   * Operation: `markChatRead`.
   */
  markRead(phone: string, query: MarkChatReadQuery = {}, options: PostOptions = {}): Reply<Chat> {
    return this.#transport.call<Chat>({ method: 'POST', path: `/chats/${pathValue(phone)}/read`, query }, options)
  }
}

export class Contacts {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List contacts.
   *
   * Everybody who has written or was written to, newest first.
   *
   * Scope: `chats:read`.
   *
   * Operation: `listContacts`.
   */
  list(query: ListContactsQuery = {}, options: CallOptions = {}): List<Contact> {
    return this.#transport.list<Contact>({ method: 'GET', path: '/contacts', query }, options)
  }

  /**
   * Get a contact.
   *
   * One person. The id of a contact that turned out to be somebody else leads to that person.
   *
   * Scope: `chats:read`.
   *
   * Operation: `getContact`.
   */
  get(id: string, options: CallOptions = {}): Reply<Contact> {
    return this.#transport.call<Contact>({ method: 'GET', path: `/contacts/${pathValue(id)}` }, options)
  }
}

export class Deliveries {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List deliveries.
   *
   * What was owed to webhook endpoints and what became of it, newest first.
   *
   * Scope: `webhooks:read`.
   *
   * Operation: `listDeliveries`.
   */
  list(query: ListDeliveriesQuery = {}, options: CallOptions = {}): List<WebhookDelivery> {
    return this.#transport.list<WebhookDelivery>({ method: 'GET', path: '/deliveries', query }, options)
  }

  /**
   * Get a delivery.
   *
   * One delivery with its attempts: address, timings, headers both ways and the start of the response.
   *
   * Scope: `webhooks:read`.
   *
   * Operation: `getDelivery`.
   */
  get(id: string, options: CallOptions = {}): Reply<WebhookDeliveryWithAttempts> {
    return this.#transport.call<WebhookDeliveryWithAttempts>({ method: 'GET', path: `/deliveries/${pathValue(id)}` }, options)
  }

  /**
   * Resend a delivery.
   *
   * One more attempt now: same `webhook-id`, same bytes, new timestamp and signature, also to an endpoint that is paused. It does not use up the attempts made by themselves; if it succeeds, none of those follow.
   *
   * Scope: `webhooks:write`.
   *
   * Operation: `resendDelivery`.
   */
  resend(id: string, options: PostOptions = {}): Reply<WebhookResend> {
    return this.#transport.call<WebhookResend>({ method: 'POST', path: `/deliveries/${pathValue(id)}/resend` }, options)
  }
}

export class EventTypes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List event types.
   *
   * The catalogue: every type of event with its description, JSON Schema and an example; with `name`, that one alone.
   *
   * Scope: `events:read`.
   *
   * Operation: `listEventTypes`.
   */
  list(query: ListEventTypesQuery = {}, options: CallOptions = {}): List<EventType> {
    return this.#transport.list<EventType>({ method: 'GET', path: '/event-types', query }, options)
  }
}

export class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List events.
   *
   * Everything that happened, newest first (test events only with `test=true`); with `after`, oldest first from that sequence on. Sequences have no gaps, so a reader that remembers the last one it saw misses nothing; if it was away for longer than events are kept, it is told so (410 `events_expired`), and likewise when the sequence was never given out here (409 `sequence_ahead`). Bodies are the bytes that webhooks deliver.
   *
   * Scope: `events:read`.
   *
   * Operation: `listEvents`.
   */
  list(query: ListEventsQuery = {}, options: CallOptions = {}): List<Event> {
    return this.#transport.list<Event>({ method: 'GET', path: '/events', query }, options)
  }

  /**
   * Erase all events about somebody.
   *
   * For a customer who asks to be forgotten: the payload of every event that is about one of the `subjects` or names it is erased, as `DELETE /events/{id}/payload` does. It cannot be undone. Each call goes through some thousands of events, oldest first; repeat it with `next_after` until that is null. Contacts, chats, messages and orders themselves are not touched.
   *
   * Scope: `events:erase`.
   *
   * Operation: `eraseEvents`.
   */
  erase(body: EventErasureRequest, options: PostOptions = {}): Reply<EventErasure> {
    return this.#transport.call<EventErasure>({ method: 'POST', path: '/events/erase', body }, options)
  }

  /**
   * Get an event.
   *
   * One event by its id, which is also the `webhook-id` of its deliveries.
   *
   * Scope: `events:read`.
   *
   * Operation: `getEvent`.
   */
  get(id: string, options: CallOptions = {}): Reply<Event> {
    return this.#transport.call<Event>({ method: 'GET', path: `/events/${pathValue(id)}` }, options)
  }

  /**
   * Explain an event.
   *
   * Why an event did or did not reach an endpoint: every step from the event to the last attempt and what it waits for now, with a verdict and what to do next. Without `endpoint`, for every endpoint of the organization.
   *
   * Scope: `webhooks:read`.
   *
   * Operation: `explainEvent`.
   */
  explain(id: string, query: ExplainEventQuery = {}, options: CallOptions = {}): Reply<WebhookExplanation> {
    return this.#transport.call<WebhookExplanation>({ method: 'GET', path: `/events/${pathValue(id)}/explain`, query }, options)
  }

  /**
   * Erase the payload of an event.
   *
   * Empties `data` and `previous` of the event and what receivers answered when they were told of it. It cannot be undone. The event keeps its id, type and sequence, and shows `erased_at`; it can no longer be sent. While an endpoint has yet to get it, this is 409 `event_unfinished`, unless `unfinished` is `cancel`. Erasing what is erased changes nothing.
   *
   * Scope: `events:erase`.
   *
   * Operation: `eraseEventPayload`.
   */
  erasePayload(id: string, query: EraseEventPayloadQuery = {}, options: CallOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'DELETE', path: `/events/${pathValue(id)}/payload`, query }, options)
  }
}

export class Me {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Who am I.
   *
   * Verifies the key and returns the key, the organization it belongs to, its scopes and the limits that apply. Any valid key may call it.
   *
   * Scope: any valid key.
   *
   * Operation: `getMe`.
   */
  get(options: CallOptions = {}): Reply<Identity> {
    return this.#transport.call<Identity>({ method: 'GET', path: '/me' }, options)
  }
}

export class Messages {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Search messages.
   *
   * Messages in both directions, newest first; those of a `chat` in the order of its thread. With `q`, those whose text holds words that begin like the ones asked for.
   *
   * Scope: `chats:read`.
   *
   * Operation: `listMessages`.
   */
  list(query: ListMessagesQuery = {}, options: CallOptions = {}): List<Message> {
    return this.#transport.list<Message>({ method: 'GET', path: '/messages', query }, options)
  }

  /**
   * Send a message.
   *
   * Accepts a message for sending, now or at `send_at`. 201 means that it is stored and will leave in the order of its chat; whether it was sent, delivered and read is told by its `status` and by the events `message.*`. `to` and `body` are enough for a text; other kinds name their `type` and bring the member of the same name.
   *
   * Scope: `messages:send`.
   *
   * Operation: `sendMessage`.
   */
  send(body: NewMessage, options: PostOptions = {}): Reply<Message> {
    return this.#transport.call<Message>({ method: 'POST', path: '/messages', body }, options)
  }

  /**
   * Get a message.
   *
   * One message with its status and the history of it.
   *
   * Scope: `chats:read`.
   *
   * Operation: `getMessage`.
   */
  get(id: string, options: CallOptions = {}): Reply<Message> {
    return this.#transport.call<Message>({ method: 'GET', path: `/messages/${pathValue(id)}` }, options)
  }

  /**
   * Call a scheduled message back.
   *
   * Takes back a message that is still scheduled. It is gone as if it had never been written.
   *
   * Scope: `messages:send`.
   *
   * Operation: `cancelMessage`.
   */
  cancel(id: string, options: ChangeOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'DELETE', path: `/messages/${pathValue(id)}` }, options)
  }
}

export class Orders {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List orders.
   *
   * Newest first. All filters can be combined.
   *
   * Scope: `orders:read`.
   *
   * Operation: `listOrders`.
   */
  list(query: ListOrdersQuery = {}, options: CallOptions = {}): List<Order> {
    return this.#transport.list<Order>({ method: 'GET', path: '/orders', query }, options)
  }

  /**
   * Create an order.
   *
   * Makes an order and, with it, something to pay with: a QRIS code, a virtual account number, or whatever `billingType` says. Only `billingType` is required; without `items` and `amount` the payer decides how much. A provider that is slow leaves `payment.status` at `created`; read the order again, or wait for `payment.pending`.
   *
   * Scope: `orders:write`.
   *
   * Operation: `createOrder`.
   */
  create(body: NewOrder, options: PostOptions = {}): Reply<Order> {
    return this.#transport.call<Order>({ method: 'POST', path: '/orders', body }, options)
  }

  /**
   * Get an order.
   *
   * One order with every attempt to pay it and every refund.
   *
   * Scope: `orders:read`.
   *
   * Operation: `getOrder`.
   */
  get(id: string, options: CallOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'GET', path: `/orders/${pathValue(id)}` }, options)
  }

  /**
   * Cancel an order.
   *
   * Ends the open attempt at the provider, then calls the order off. Money that is in is given back where the provider can; where it cannot, the order is marked `refund_due`.
   *
   * Scope: `orders:write`.
   *
   * Operation: `cancelOrder`.
   */
  cancel(id: string, options: PostOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'POST', path: `/orders/${pathValue(id)}/cancel` }, options)
  }

  /**
   * Complete an order.
   *
   * A confirmed order, one that is being processed, or a draft that comes to nothing, was fulfilled. Refused while money that a bank reversed is neither paid again nor accepted as a loss (`POST /orders/{id}/review`).
   *
   * Scope: `orders:write`.
   *
   * Operation: `completeOrder`.
   */
  complete(id: string, options: PostOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'POST', path: `/orders/${pathValue(id)}/complete` }, options)
  }

  /**
   * Mark an order as paid.
   *
   * For methods that nobody reports: cash, cash on delivery, transfers to your own account, your own static QRIS, invoices. Who, when, how much and the note are kept. Less than the remaining amount is possible: the order stays open. So is more than that, and with `again` and `amount` a second payment of an order that is paid already, also of one that was paid through a provider (then with its `method`): it is recorded, and a person has to look. In the same way record what a bank had taken back and gave back after a dispute.
   *
   * Scope: `orders:write`.
   *
   * Operation: `markOrderPaid`.
   */
  markPaid(id: string, body: OrderPaid, options: PostOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'POST', path: `/orders/${pathValue(id)}/mark-paid`, body }, options)
  }

  /**
   * Pay an order another way.
   *
   * Opens a new attempt for what is still to be paid, by the same method or another. The open attempt is ended at its provider first. A draft becomes an order with its first attempt.
   *
   * Scope: `orders:write`.
   *
   * Operation: `createOrderPayment`.
   */
  createPayment(id: string, body: NewOrderPayment, options: PostOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'POST', path: `/orders/${pathValue(id)}/payments`, body }, options)
  }

  /**
   * Begin to process an order.
   *
   * A confirmed order, or a draft that comes to nothing, is being prepared from now on.
   *
   * Scope: `orders:write`.
   *
   * Operation: `processOrder`.
   */
  process(id: string, options: PostOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'POST', path: `/orders/${pathValue(id)}/process` }, options)
  }

  /**
   * Refund an order.
   *
   * Refunds through the provider, or records that staff did it (`manual` with a `note`). Without a body all that was received is refunded. An amount that spans several payments is split over those that hold money, the newest first; `parts` lists the refund of each. All refunds of a payment together never exceed what was received for it. The answer comes before the provider’s: `order.refunded` is sent when it is done.
   *
   * Scope: `orders:write`.
   *
   * Operation: `createOrderRefund`.
   */
  createRefund(id: string, body?: NewRefund, options: PostOptions = {}): Reply<CreatedRefund> {
    return this.#transport.call<CreatedRefund>({ method: 'POST', path: `/orders/${pathValue(id)}/refunds`, body }, options)
  }

  /**
   * Settle the review of an order.
   *
   * Takes `needs_review` away after a person has looked. `accept` takes what was received as enough: an order that waited for more, or had expired, is confirmed, and one whose payment a bank reversed may be completed without that money.
   *
   * Scope: `orders:write`.
   *
   * Operation: `reviewOrder`.
   */
  review(id: string, body: OrderReview, options: PostOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'POST', path: `/orders/${pathValue(id)}/review`, body }, options)
  }
}

export class WebhookEndpoints {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List webhook endpoints.
   *
   * All webhook endpoints of the organization, newest first, each with its health and backlog.
   *
   * Scope: `webhooks:read`.
   *
   * Operation: `listWebhookEndpoints`.
   */
  list(query: ListWebhookEndpointsQuery = {}, options: CallOptions = {}): List<WebhookEndpoint> {
    return this.#transport.list<WebhookEndpoint>({ method: 'GET', path: '/webhook-endpoints', query }, options)
  }

  /**
   * Create a webhook endpoint.
   *
   * Registers a URL that events are posted to, signed by the Standard Webhooks specification. The secret is shown in this answer and never again. The URL is tried with a ping right away; what came of it is shown as `last_ping` and never keeps the endpoint from being made.
   *
   * Scope: `webhooks:write`.
   *
   * Operation: `createWebhookEndpoint`.
   */
  create(body: NewWebhookEndpoint, options: PostOptions = {}): Reply<WebhookEndpointWithSecret> {
    return this.#transport.call<WebhookEndpointWithSecret>({ method: 'POST', path: '/webhook-endpoints', body }, options)
  }

  /**
   * Get a webhook endpoint.
   *
   * One webhook endpoint with its health, its backlog and what came of the last ping.
   *
   * Scope: `webhooks:read`.
   *
   * Operation: `getWebhookEndpoint`.
   */
  get(id: string, options: CallOptions = {}): Reply<WebhookEndpoint> {
    return this.#transport.call<WebhookEndpoint>({ method: 'GET', path: `/webhook-endpoints/${pathValue(id)}` }, options)
  }

  /**
   * Change a webhook endpoint.
   *
   * Changes what is given and leaves the rest. A new URL is tried with a ping. Deliveries that are under way go to the new URL from their next attempt on; the form of their body stays as it was.
   *
   * Scope: `webhooks:write`.
   *
   * Operation: `updateWebhookEndpoint`.
   */
  update(id: string, body: WebhookEndpointChange, options: ChangeOptions = {}): Reply<WebhookEndpoint> {
    return this.#transport.call<WebhookEndpoint>({ method: 'PATCH', path: `/webhook-endpoints/${pathValue(id)}`, body }, options)
  }

  /**
   * Delete a webhook endpoint.
   *
   * Nothing more is sent to it and what was owed is cancelled. Its deliveries stay in the log for as long as they are kept.
   *
   * Scope: `webhooks:write`.
   *
   * Operation: `deleteWebhookEndpoint`.
   */
  delete(id: string, options: ChangeOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'DELETE', path: `/webhook-endpoints/${pathValue(id)}` }, options)
  }

  /**
   * Get a certification.
   *
   * The state of a certification and, once it is completed, its report: every probe with what was sent, what was expected and what came back, and the likely bugs, worst first.
   *
   * Scope: `webhooks:read`.
   *
   * Operation: `getWebhookCertification`.
   */
  getCertification(id: string, certificationId: string, options: CallOptions = {}): Reply<WebhookCertification> {
    return this.#transport.call<WebhookCertification>({ method: 'GET', path: `/webhook-endpoints/${pathValue(id)}/certifications/${pathValue(certificationId)}` }, options)
  }

  /**
   * Certify a webhook endpoint.
   *
   * Sends the receiver about a dozen signed probes, good and bad, and grades what it does with them: forged and missing signatures, old and future timestamps, duplicates, reordered, large and unusual events, rotated secrets. The report names the likely bug. Probes carry `"test": true`, are recorded nowhere else and change nothing about the endpoint, which may be paused. Poll the certification for its report; it takes a few seconds.
   *
   * Scope: `webhooks:write`.
   *
   * Operation: `certifyWebhookEndpoint`.
   */
  certify(id: string, options: PostOptions = {}): Reply<WebhookCertification> {
    return this.#transport.call<WebhookCertification>({ method: 'POST', path: `/webhook-endpoints/${pathValue(id)}/certify` }, options)
  }

  /**
   * Pause a webhook endpoint.
   *
   * No further attempt starts until it is resumed. What becomes owed meanwhile is recorded as `held`. Pausing a paused endpoint changes nothing.
   *
   * Scope: `webhooks:write`.
   *
   * Operation: `pauseWebhookEndpoint`.
   */
  pause(id: string, options: PostOptions = {}): Reply<WebhookEndpoint> {
    return this.#transport.call<WebhookEndpoint>({ method: 'POST', path: `/webhook-endpoints/${pathValue(id)}/pause` }, options)
  }

  /**
   * Ping a webhook endpoint.
   *
   * Tries the URL as it is tried when an endpoint is made: with one `endpoint.pinged` event, signed as usual and marked with `"test": true`, whether or not the endpoint is paused. What comes of it is shown as `last_ping`.
   *
   * Scope: `webhooks:write`.
   *
   * Operation: `pingWebhookEndpoint`.
   */
  ping(id: string, options: PostOptions = {}): Reply<WebhookTestReply> {
    return this.#transport.call<WebhookTestReply>({ method: 'POST', path: `/webhook-endpoints/${pathValue(id)}/ping` }, options)
  }

  /**
   * Recover events.
   *
   * Sends again what the endpoint did not get, in the background and after new events. Same `webhook-id` and the same bytes, so a receiver that looks at ids sees no duplicate. With `dry_run` it only counts.
   *
   * Scope: `webhooks:write`.
   *
   * Operation: `recoverWebhookEndpoint`.
   */
  recover(id: string, body: WebhookRecover, options: PostOptions = {}): Reply<WebhookRecoverReply> {
    return this.#transport.call<WebhookRecoverReply>({ method: 'POST', path: `/webhook-endpoints/${pathValue(id)}/recover`, body }, options)
  }

  /**
   * List recoveries.
   *
   * The recoveries of a webhook endpoint, newest first.
   *
   * Scope: `webhooks:read`.
   *
   * Operation: `listWebhookRecoveries`.
   */
  listRecoveries(id: string, query: ListWebhookRecoveriesQuery = {}, options: CallOptions = {}): List<WebhookRecovery> {
    return this.#transport.list<WebhookRecovery>({ method: 'GET', path: `/webhook-endpoints/${pathValue(id)}/recoveries`, query }, options)
  }

  /**
   * Get a recovery.
   *
   * How far a recovery has come.
   *
   * Scope: `webhooks:read`.
   *
   * Operation: `getWebhookRecovery`.
   */
  getRecovery(id: string, recoveryId: string, options: CallOptions = {}): Reply<WebhookRecovery> {
    return this.#transport.call<WebhookRecovery>({ method: 'GET', path: `/webhook-endpoints/${pathValue(id)}/recoveries/${pathValue(recoveryId)}` }, options)
  }

  /**
   * Cancel a recovery.
   *
   * Stops it. Deliveries that were handed over and not tried yet are taken back; those that were tried go on by their schedule.
   *
   * Scope: `webhooks:write`.
   *
   * Operation: `cancelWebhookRecovery`.
   */
  cancelRecovery(id: string, recoveryId: string, options: PostOptions = {}): Reply<WebhookRecovery> {
    return this.#transport.call<WebhookRecovery>({ method: 'POST', path: `/webhook-endpoints/${pathValue(id)}/recoveries/${pathValue(recoveryId)}/cancel` }, options)
  }

  /**
   * Resume a webhook endpoint.
   *
   * Enables a paused or disabled endpoint. By default everything that was held or waited is sent; with `from_now` it is marked `skipped` and only new events are sent. Resuming an enabled endpoint that failed lets it be tried at once, instead of waiting for its breaker, its `Retry-After` or the time of a retry; with `from_now` what waits for it is skipped.
   *
   * Scope: `webhooks:write`.
   *
   * Operation: `resumeWebhookEndpoint`.
   */
  resume(id: string, body?: WebhookResume, options: PostOptions = {}): Reply<WebhookEndpoint> {
    return this.#transport.call<WebhookEndpoint>({ method: 'POST', path: `/webhook-endpoints/${pathValue(id)}/resume`, body }, options)
  }

  /**
   * Rotate the secret of a webhook endpoint.
   *
   * Makes a new secret and shows it once. For the overlap every request carries signatures by both, so that the receiver can change over without losing one; 0 revokes the old secret now.
   *
   * Scope: `webhooks:write`.
   *
   * Operation: `rotateWebhookSecret`.
   */
  rotateSecret(id: string, body?: WebhookSecretRotation, options: PostOptions = {}): Reply<WebhookEndpointWithSecret> {
    return this.#transport.call<WebhookEndpointWithSecret>({ method: 'POST', path: `/webhook-endpoints/${pathValue(id)}/rotate-secret`, body }, options)
  }

  /**
   * Send a test event.
   *
   * Sends the example of an event type, signed as usual and marked with `"test": true`, to this endpoint alone, whatever it subscribed to and whether or not it is paused. It is tried once. Test deliveries are listed apart, with `test=true`.
   *
   * Scope: `webhooks:write`.
   *
   * Operation: `testWebhookEndpoint`.
   */
  test(id: string, body: WebhookTest, options: PostOptions = {}): Reply<WebhookTestReply> {
    return this.#transport.call<WebhookTestReply>({ method: 'POST', path: `/webhook-endpoints/${pathValue(id)}/test`, body }, options)
  }
}

/** Every group of operations, as a client has them. */
export class Resources {
  readonly agent: Agent
  readonly approvals: Approvals
  readonly chats: Chats
  readonly contacts: Contacts
  readonly deliveries: Deliveries
  readonly eventTypes: EventTypes
  readonly events: Events
  readonly me: Me
  readonly messages: Messages
  readonly orders: Orders
  readonly webhookEndpoints: WebhookEndpoints

  constructor(transport: Transport) {
    this.agent = new Agent(transport)
    this.approvals = new Approvals(transport)
    this.chats = new Chats(transport)
    this.contacts = new Contacts(transport)
    this.deliveries = new Deliveries(transport)
    this.eventTypes = new EventTypes(transport)
    this.events = new Events(transport)
    this.me = new Me(transport)
    this.messages = new Messages(transport)
    this.orders = new Orders(transport)
    this.webhookEndpoints = new WebhookEndpoints(transport)
  }
}
