// Made from openapi.json by `npm run openapi`. Changes made here are lost.

/** One of these today; others may be added within v1. */
export type Open<T extends string> = T | (string & {})

/** One value of a filter, or several of which any may fit. */
export type OneOrMore<T> = T | readonly T[]

/** Who made it happen: a key, an agent, a person, a customer, or Nexkit itself. */
export type Actor = {
  /** Who made it happen. */
  type: Open<'key' | 'agent' | 'user' | 'contact' | 'system'>
  id: string | null
}

/** How much it does by itself; null for no limit. What a person approved is not counted. */
export type AgentLimits = {
  messages_per_minute: number | null
  recipients_per_day: number | null
  order_amount: number | null
  order_amount_per_day: number | null
}

/** What exists for it: empty lists and null mean everything. */
export type AgentReach = {
  numbers: string[]
  labels: string[]
  days: number | null
  hides_phones: boolean
}

/** Whether an operation is done at once (`allow`), asked of a person first (`ask`), or refused (`deny`); with `ask_above`, what is worth more rupiah than this is asked. */
export type AgentRule = {
  operation: Open<
    | 'sendMessage'
    | 'cancelMessage'
    | 'markChatRead'
    | 'updateChat'
    | 'createOrder'
    | 'createOrderPayment'
    | 'processOrder'
    | 'completeOrder'
    | 'cancelOrder'
    | 'createOrderRefund'
  >
  decision: Open<'allow' | 'ask' | 'deny'>
  ask_above: number | null
}

/** An API key as events tell of it. The token is never part of it. */
export type ApiKey = {
  object: 'api_key'
  /** Identifier that begins with `key_`. Opaque, sortable by creation. */
  id: string
  name: string
  key_prefix: string
  scopes: Array<Open<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'events:read'
    | 'events:erase'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'approvals:read'
    | 'approvals:decide'
  >>
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  revoked_at: string | null
  /** Identifier that begins with `key_`. Opaque, sortable by creation. */
  rotated_to: string | null
}

/** Something an agent wants to do, for which a person is asked first. */
export type Approval = {
  object: 'approval'
  /** Identifier that begins with `apr_`. Opaque, sortable by creation. */
  id: string
  /** `approved` is about to run. `done` and `failed` ran: with success, and with any other answer. `expired`: nobody decided in time. */
  status: Open<'pending' | 'approved' | 'refused' | 'expired' | 'done' | 'failed'>
  agent: ApprovalAgent
  /** The operation id. */
  operation: Open<
    | 'sendMessage'
    | 'cancelMessage'
    | 'markChatRead'
    | 'updateChat'
    | 'createOrder'
    | 'createOrderPayment'
    | 'processOrder'
    | 'completeOrder'
    | 'cancelOrder'
    | 'createOrderRefund'
  >
  request: ApprovalRequest
  /** Rupiah, where it names any. */
  amount: number | null
  /** The chat that it would reach. */
  chat_id: string | null
  /** The order that it is about. */
  order_id: string | null
  /** Why a person is asked: always for this operation, because of the amount, because there is none yet, or because the agent has read another conversation. */
  reason: Open<'rule' | 'amount' | 'open_amount' | 'anchor'>
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string
  /** RFC 3339, UTC, with milliseconds. */
  decided_at: string | null
  decided_by: ApprovalDecider | null
  /** What was said with the decision. */
  note: string | null
  result: ApprovalResult | null
}

export type ApprovalAgent = {
  /** Identifier that begins with `agt_`. Opaque, sortable by creation. */
  id: string
  name: string
}

/** A person, or a key on behalf of one, approved or refused what an agent asked for. */
export type ApprovalDecidedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'approval.decided'
  data: Approval
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `approval.decided` as an endpoint gets it: the whole event, or its ids alone. */
export type ApprovalDecidedPayload = ApprovalDecidedEvent | ThinEvent

export type ApprovalDecider = {
  type: Open<'user' | 'key'>
  id: string
  name: string | null
}

export type ApprovalDecision = {
  /** For the agent, and for the record. */
  note?: string | undefined
}

export type ApprovalList = {
  object: 'list'
  data: Approval[]
  /** Whether there are more after this page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** What runs once it is approved, and nothing else. */
export type ApprovalRequest = {
  /** The values of the path. */
  params: Record<string, string>
  query: Record<string, string>
  body: Record<string, unknown> | null
}

/** An agent wants to do something for which a person is asked first. */
export type ApprovalRequestedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'approval.requested'
  data: Approval
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `approval.requested` as an endpoint gets it: the whole event, or its ids alone. */
export type ApprovalRequestedPayload = ApprovalRequestedEvent | ThinEvent

/** What the request answered when it ran. */
export type ApprovalResult = {
  status: number
  body: Record<string, unknown> | null
}

/** A sound: exactly one of `id` and `link`. */
export type AudioSource = {
  /** Show it as a voice note. Needs OGG with Opus, mono. */
  voice?: boolean | undefined
} & ({
  /** A file that was uploaded or received before. */
  id: string
  link?: undefined
} | {
  /** A public address that the channel fetches the file from. */
  link: string
  id?: undefined
})

/** One customer on one business number. */
export type Chat = {
  object: 'chat'
  /** Identifier that begins with `chat_`. Opaque, sortable by creation. */
  id: string
  contact: ChatContact
  number: ChatNumber
  /** A message of the customer opens a closed chat again. */
  status: Open<'open' | 'closed'>
  /** Exact. */
  unread_count: number
  labels: string[]
  assignee: string | null
  /** Null when everything so far is scheduled for later. */
  last_message: ChatLastMessage | null
  reply_window: ChatReplyWindow
  open_order: ChatOpenOrder | null
  /** RFC 3339, UTC, with milliseconds. */
  last_activity_at: string
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
}

/** What is to change; the rest stays. */
export type ChatChange = {
  /** All labels of the chat from now on. */
  labels?: readonly string[] | undefined
  /** Who takes care of it; null for nobody. */
  assignee?: string | null | undefined
  status?: 'open' | 'closed' | undefined
}

/** The customer on the other side of a chat. */
export type ChatContact = {
  /** Identifier that begins with `con_`. Opaque, sortable by creation. */
  id: string
  /** As the customer gives it; null until the network tells it. */
  name: string | null
  /** Null when the network tells none. */
  phone: string | null
  identities: ContactIdentity[]
}

/** A chat with a new customer began, from either side. */
export type ChatCreatedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'chat.created'
  data: Chat
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `chat.created` as an endpoint gets it: the whole event, or its ids alone. */
export type ChatCreatedPayload = ChatCreatedEvent | ThinEvent

export type ChatLastMessage = {
  /** Identifier that begins with `msg_`. Opaque, sortable by creation. */
  id: string
  direction: Open<'inbound' | 'outbound'>
  type: Open<
    | 'text'
    | 'image'
    | 'audio'
    | 'video'
    | 'document'
    | 'sticker'
    | 'location'
    | 'contacts'
    | 'interactive'
    | 'template'
    | 'reaction'
    | 'order'
    | 'system'
    | 'unsupported'
  >
  preview: string
  status: Open<'scheduled' | 'queued' | 'sent' | 'failed' | 'delivered' | 'read' | 'received'>
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

export type ChatList = {
  object: 'list'
  data: Chat[]
  /** Whether there are more after this page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** The business number of a chat. */
export type ChatNumber = {
  /** Identifier that begins with `num_`. Opaque, sortable by creation. */
  id: string
  phone_number_id: string
  display_phone: string
}

/** The newest order of this customer that waits to be paid, or, as a draft, to be looked at. */
export type ChatOpenOrder = {
  /** Identifier that begins with `ord_`. Opaque, sortable by creation. */
  id: string
  number: string
  total: number | null
  payment_status: string
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
}

/** Until when free-form messages reach the customer; templates always do. `unlimited` on channels without such a rule. */
export type ChatReplyWindow = {
  state: Open<'open' | 'closed' | 'unlimited'>
  /** RFC 3339, UTC, with milliseconds. */
  closes_at: string | null
}

/** A message was accepted for sending; labels, assignee, status or open order of a chat changed; it was marked as read, or a customer edited or took back a message; or it took in another chat of the same person. An arriving message is told by `message.received`, and by this event only when it opens a closed chat again. */
export type ChatUpdatedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'chat.updated'
  data: Chat
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `chat.updated` as an endpoint gets it: the whole event, or its ids alone. */
export type ChatUpdatedPayload = ChatUpdatedEvent | ThinEvent

/** A chat with a page of its messages. */
export type ChatWithMessages = {
  object: 'chat'
  /** Identifier that begins with `chat_`. Opaque, sortable by creation. */
  id: string
  contact: ChatContact
  number: ChatNumber
  /** A message of the customer opens a closed chat again. */
  status: Open<'open' | 'closed'>
  /** Exact. */
  unread_count: number
  labels: string[]
  assignee: string | null
  /** Null when everything so far is scheduled for later. */
  last_message: ChatLastMessage | null
  reply_window: ChatReplyWindow
  open_order: ChatOpenOrder | null
  /** RFC 3339, UTC, with milliseconds. */
  last_activity_at: string
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** Newest first; pass `next_cursor` as `cursor` to go back. */
  messages: MessageList
}

/** A person, with everything the network knows them by. */
export type Contact = {
  object: 'contact'
  /** Identifier that begins with `con_`. Opaque, sortable by creation. */
  id: string
  /** As the customer gives it; null until the network tells it. */
  name: string | null
  /** Null when the network tells none. */
  phone: string | null
  identities: ContactIdentity[]
  /** The numbers from which this person has stopped marketing messages. */
  marketing_opt_outs: MarketingOptOut[]
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
}

/** Something that the network knows a person by. */
export type ContactIdentity = {
  type: Open<'phone' | 'user_id' | 'username'>
  /** A phone in E.164, the user id that only this business sees, or the username without @. */
  value: string
}

export type ContactList = {
  object: 'list'
  data: Contact[]
  /** Whether there are more after this page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** A name changed, an identity was added, or two contacts turned out to be one person. */
export type ContactUpdatedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'contact.updated'
  data: Contact
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `contact.updated` as an endpoint gets it: the whole event, or its ids alone. */
export type ContactUpdatedPayload = ContactUpdatedEvent | ThinEvent

/** A refund, with the others that the same call opened. */
export type CreatedRefund = {
  object: 'refund'
  /** Identifier that begins with `rfd_`. Opaque, sortable by creation. */
  id: string
  /** Identifier that begins with `ord_`. Opaque, sortable by creation. */
  order_id: string
  /** Identifier that begins with `pay_`. Opaque, sortable by creation. */
  payment_id: string
  status: Open<'requested' | 'pending' | 'failed' | 'succeeded'>
  amount: number
  currency: 'IDR'
  /** Paid back by staff, not by the provider. */
  manual: boolean
  reason: string | null
  note: string | null
  error: PaymentFailure | null
  actor: Actor
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
  /** RFC 3339, UTC, with milliseconds. */
  succeeded_at: string | null
  /** All refunds of this call: one for each payment that money is taken from, this one first. */
  parts: Refund[]
}

/** All attempts to deliver an event to an endpoint failed; there will be no further one by itself. */
export type DeliveryExhaustedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'delivery.exhausted'
  data: WebhookDelivery
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `delivery.exhausted` as an endpoint gets it: the whole event, or its ids alone. */
export type DeliveryExhaustedPayload = DeliveryExhaustedEvent | ThinEvent

/** An event that had been given up for an endpoint arrived there after all: recovered, or sent again by hand. */
export type DeliveryRecoveredEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'delivery.recovered'
  data: WebhookDelivery
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `delivery.recovered` as an endpoint gets it: the whole event, or its ids alone. */
export type DeliveryRecoveredPayload = DeliveryRecoveredEvent | ThinEvent

export type DiscountPercentage = {
  percent: number
}

/** A document: exactly one of `id` and `link`. */
export type DocumentSource = {
  /** Shown to the customer; its ending decides the icon. */
  filename?: string | undefined
} & ({
  /** A file that was uploaded or received before. */
  id: string
  link?: undefined
} | {
  /** A public address that the channel fetches the file from. */
  link: string
  id?: undefined
})

/** A webhook endpoint was made. */
export type EndpointCreatedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'endpoint.created'
  data: WebhookEndpointSummary
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `endpoint.created` as an endpoint gets it: the whole event, or its ids alone. */
export type EndpointCreatedPayload = EndpointCreatedEvent | ThinEvent

/** A webhook endpoint keeps failing and deliveries to it are delayed. Sent again after 24 and 72 hours of failure. */
export type EndpointDegradedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'endpoint.degraded'
  data: WebhookEndpointSummary
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `endpoint.degraded` as an endpoint gets it: the whole event, or its ids alone. */
export type EndpointDegradedPayload = EndpointDegradedEvent | ThinEvent

/** A webhook endpoint was deleted. */
export type EndpointDeletedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'endpoint.deleted'
  data: WebhookEndpointSummary
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `endpoint.deleted` as an endpoint gets it: the whole event, or its ids alone. */
export type EndpointDeletedPayload = EndpointDeletedEvent | ThinEvent

/** A webhook endpoint was disabled: after five days without a success, or because its receiver said so. */
export type EndpointDisabledEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'endpoint.disabled'
  data: WebhookEndpointSummary
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `endpoint.disabled` as an endpoint gets it: the whole event, or its ids alone. */
export type EndpointDisabledPayload = EndpointDisabledEvent | ThinEvent

/** Sent to a new URL, and to it alone, to try it. */
export type EndpointPingedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'endpoint.pinged'
  data: WebhookEndpointSummary
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `endpoint.pinged` as an endpoint gets it: the whole event, or its ids alone. */
export type EndpointPingedPayload = EndpointPingedEvent | ThinEvent

/** A webhook endpoint that kept failing works again. */
export type EndpointRecoveredEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'endpoint.recovered'
  data: WebhookEndpointSummary
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `endpoint.recovered` as an endpoint gets it: the whole event, or its ids alone. */
export type EndpointRecoveredPayload = EndpointRecoveredEvent | ThinEvent

/** A webhook endpoint was changed, paused, resumed, or got a new secret. */
export type EndpointUpdatedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'endpoint.updated'
  data: WebhookEndpointSummary
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `endpoint.updated` as an endpoint gets it: the whole event, or its ids alone. */
export type EndpointUpdatedPayload = EndpointUpdatedEvent | ThinEvent

/** Something that happened. The same bytes are delivered to webhook endpoints. */
export type EventRecord = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: string
  /** The resource as the API returns it. */
  data: Record<string, unknown>
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
  /** Present when the payload was erased: `data` is empty then and `previous` null, for good. */
  erased_at?: string
}

/** An event of the catalogue as this version of the SDK knows it, whole: `type` says what is in `data`. */
export type KnownEvent =
  | ApprovalDecidedEvent
  | ApprovalRequestedEvent
  | ChatCreatedEvent
  | ChatUpdatedEvent
  | ContactUpdatedEvent
  | DeliveryExhaustedEvent
  | DeliveryRecoveredEvent
  | EndpointCreatedEvent
  | EndpointDegradedEvent
  | EndpointDeletedEvent
  | EndpointDisabledEvent
  | EndpointPingedEvent
  | EndpointRecoveredEvent
  | EndpointUpdatedEvent
  | KeyCreatedEvent
  | KeyRevokedEvent
  | KeyRotatedEvent
  | MessageDeliveredEvent
  | MessageFailedEvent
  | MessageReadEvent
  | MessageReceivedEvent
  | MessageSentEvent
  | OrderCancelledEvent
  | OrderCompletedEvent
  | OrderCreatedEvent
  | OrderExpiredEvent
  | OrderNeedsReviewEvent
  | OrderPaidEvent
  | OrderRefundedEvent
  | PaymentExpiredEvent
  | PaymentFailedEvent
  | PaymentLateEvent
  | PaymentPaidEvent
  | PaymentPendingEvent
  | PaymentRefundedEvent
  | PaymentReversedEvent

/** Something that happened, as the feed shows it. `isKnown` tells those apart whose `data` has a type. */
export type Event = KnownEvent | EventRecord

/** The same as an endpoint gets it: whole, or its ids alone. `isKnown` and `isThin` distinguish them. */
export type WebhookEvent = KnownEvent | EventRecord | ThinEvent

/** What came of a piece of the log. */
export type EventErasure = {
  object: 'event_erasure'
  /** How many events were looked at. */
  examined: number
  erased: number
  /** How many were left alone, because they are not finished. */
  unfinished: number
  /** The log goes on: ask again with this as `after`. Null at its end. */
  next_after: number | null
}

/** Whom the erasure is about. */
export type EventErasureRequest = {
  /** Ids of contacts, chats, messages, orders or anything else that events tell of, and phones as `+6281…`. */
  subjects: readonly string[]
  /** `keep` leaves events alone that an endpoint has yet to get; `cancel` gives those deliveries up. What is being sent at the moment is left alone in either case. When absent: `keep`. */
  unfinished?: 'keep' | 'cancel' | undefined
  /** Where to begin: `next_after` of the answer before. When absent: `0`. */
  after?: number | undefined
}

export type EventList = {
  object: 'list'
  data: Event[]
  /** Whether there are more after this page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** A kind of event that webhook endpoints can subscribe to. */
export type EventType = {
  object: 'event_type'
  name: string
  description: string
  /** The resource it is about. */
  group: string
  version: string
  /** Still recorded and delivered, but not for new integrations. */
  deprecated: boolean
  /** JSON Schema of the whole event. */
  schema: Record<string, unknown>
  example: Record<string, unknown>
}

export type EventTypeList = {
  object: 'list'
  data: EventType[]
  /** Whether there are more after this page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** One field and what is wrong with it. Exactly one of `pointer`, `parameter` and `header` says where it is. */
export type FieldProblem = {
  /** In the body: a JSON Pointer as URI fragment. */
  pointer?: string
  /** In the path or query: the name of the parameter. */
  parameter?: string
  /** The name of the header. */
  header?: string
  /** Stable name of what is wrong with the field. */
  code: string
  /** What the field must be. For people. */
  detail: string
  /** The same as data, such as `allowed`, `min` or `max`. */
  params?: Record<string, unknown>
}

/** The key that made the call, the organization it belongs to, and what it may do. */
export type Identity = {
  object: 'identity'
  key: {
    /** Identifier that begins with `key_`. Opaque, sortable by creation. */
    id: string
    name: string
    /** The beginning of the token, to recognise it by. Never valid as a credential. */
    key_prefix: string
    /** RFC 3339, UTC, with milliseconds. */
    created_at: string
    /** RFC 3339, UTC, with milliseconds. */
    expires_at: string | null
    /** RFC 3339, UTC, with milliseconds. */
    last_used_at: string | null
  }
  tenant: {
    /** Identifier that begins with `org_`. Opaque, sortable by creation. */
    id: string
    name: string
    slug: string
    /** ISO 3166-1; phone numbers without a country are read as from here. */
    default_country: string
    /** ISO 4217. Amounts are whole rupiah. */
    currency: string
    /** IANA time zone. */
    timezone: string
  }
  /** The agent whose key it is; null for any other key. */
  agent: IdentityAgent | null
  scopes: Array<Open<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'events:read'
    | 'events:erase'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'approvals:read'
    | 'approvals:decide'
  >>
  limits: {
    /** Per key; null for no limit. */
    requests_per_second: number | null
    request_burst: number | null
    body_bytes: number
    text_characters: number
    order_items: number
    metadata_keys: number
    metadata_value_characters: number
  }
}

export type IdentityAgent = {
  /** Identifier that begins with `agt_`. Opaque, sortable by creation. */
  id: string
  name: string
}

export type InteractiveAddressMessage = {
  type: 'address_message'
  header?: InteractiveHeader | undefined
  body: InteractiveBody
  footer?: InteractiveFooter | undefined
  action: {
    name: 'address_message'
    parameters: Record<string, unknown>
  }
}

export type InteractiveBody = {
  text: string
}

export type InteractiveButton = {
  type: 'button'
  header?: InteractiveHeader | undefined
  body: InteractiveBody
  footer?: InteractiveFooter | undefined
  action: {
    /** One to three; their ids differ, and so do their titles. */
    buttons: ReadonlyArray<{
      type: 'reply'
      reply: {
        id: string
        title: string
      }
    }>
  }
}

export type InteractiveCallPermissionRequest = {
  type: 'call_permission_request'
  body?: InteractiveBody | undefined
  footer?: InteractiveFooter | undefined
  action: {
    name: 'call_permission_request'
    parameters?: Record<string, unknown> | undefined
  }
}

export type InteractiveCarousel = {
  type: 'carousel'
  body: InteractiveBody
  footer?: InteractiveFooter | undefined
  action: {
    cards: ReadonlyArray<Record<string, unknown>>
  }
}

export type InteractiveCatalogMessage = {
  type: 'catalog_message'
  body: InteractiveBody
  footer?: InteractiveFooter | undefined
  action: {
    name: 'catalog_message'
    parameters?: {
      thumbnail_product_retailer_id?: string | undefined
    } | undefined
  }
}

export type InteractiveCtaUrl = {
  type: 'cta_url'
  header?: InteractiveHeader | undefined
  body: InteractiveBody
  footer?: InteractiveFooter | undefined
  action: {
    name: 'cta_url'
    parameters: {
      display_text: string
      url: string
    }
  }
}

export type InteractiveDocumentHeader = {
  type: 'document'
  document: MediaSource
}

export type InteractiveFlow = {
  type: 'flow'
  header?: InteractiveHeader | undefined
  body: InteractiveBody
  footer?: InteractiveFooter | undefined
  action: {
    name: 'flow'
    parameters: {
      flow_message_version: '3'
      flow_cta: string
      flow_token?: string | undefined
      flow_action?: 'navigate' | 'data_exchange' | undefined
      flow_action_payload?: {
        screen?: string | undefined
        data?: Record<string, unknown> | undefined
      } | undefined
      mode?: 'draft' | 'published' | undefined
    } & ({
      flow_id: string
      flow_name?: undefined
    } | {
      flow_name: string
      flow_id?: undefined
    })
  }
}

export type InteractiveFooter = {
  text: string
}

/** A line of text, or a file. */
export type InteractiveHeader = InteractiveTextHeader | InteractiveImageHeader | InteractiveVideoHeader | InteractiveDocumentHeader

export type InteractiveImageHeader = {
  type: 'image'
  image: MediaSource
}

export type InteractiveList = {
  type: 'list'
  header?: InteractiveTextHeader | undefined
  body: InteractiveListBody
  footer?: InteractiveFooter | undefined
  action: {
    /** What opens the list. */
    button: string
    /** At most ten rows over all sections, with different ids; several sections need titles. */
    sections: ReadonlyArray<{
      title?: string | undefined
      rows: ReadonlyArray<{
        id: string
        title: string
        description?: string | undefined
      }>
    }>
  }
}

export type InteractiveListBody = {
  text: string
}

export type InteractiveLocationRequestMessage = {
  type: 'location_request_message'
  body: InteractiveBody
  footer?: InteractiveFooter | undefined
  action: {
    name: 'send_location'
  }
}

export type InteractiveOrderDetails = {
  type: 'order_details'
  header?: InteractiveHeader | undefined
  body: InteractiveBody
  footer?: InteractiveFooter | undefined
  action: {
    name: 'review_and_pay'
    parameters: {
      reference_id: string
      [name: string]: unknown
    }
  }
}

export type InteractiveOrderStatus = {
  type: 'order_status'
  body: InteractiveBody
  footer?: InteractiveFooter | undefined
  action: {
    name: 'review_order'
    parameters: {
      reference_id: string
      [name: string]: unknown
    }
  }
}

export type InteractiveProduct = {
  type: 'product'
  body?: InteractiveBody | undefined
  footer?: InteractiveFooter | undefined
  action: {
    catalog_id: string
    product_retailer_id: string
  }
}

export type InteractiveProductList = {
  type: 'product_list'
  header: InteractiveTextHeader
  body: InteractiveBody
  footer?: InteractiveFooter | undefined
  action: {
    catalog_id: string
    /** At most thirty products over all sections; several sections need titles. */
    sections: ReadonlyArray<{
      title?: string | undefined
      product_items: ReadonlyArray<{
        product_retailer_id: string
      }>
    }>
  }
}

export type InteractiveRequestContactInfo = {
  type: 'request_contact_info'
  body: InteractiveBody
  footer?: InteractiveFooter | undefined
  action: {
    name: 'request_contact_info'
    parameters?: Record<string, unknown> | undefined
  }
}

export type InteractiveTextHeader = {
  type: 'text'
  text: string
}

export type InteractiveVideoHeader = {
  type: 'video'
  video: MediaSource
}

export type InteractiveVoiceCall = {
  type: 'voice_call'
  header?: InteractiveHeader | undefined
  body: InteractiveBody
  footer?: InteractiveFooter | undefined
  action: {
    name: 'voice_call'
    parameters?: Record<string, unknown> | undefined
  }
}

/** An API key was made. */
export type KeyCreatedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'key.created'
  data: ApiKey
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `key.created` as an endpoint gets it: the whole event, or its ids alone. */
export type KeyCreatedPayload = KeyCreatedEvent | ThinEvent

/** An API key was revoked and no longer works. */
export type KeyRevokedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'key.revoked'
  data: ApiKey
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `key.revoked` as an endpoint gets it: the whole event, or its ids alone. */
export type KeyRevokedPayload = KeyRevokedEvent | ThinEvent

/** An API key was replaced by a successor and stops working at `expires_at`. */
export type KeyRotatedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'key.rotated'
  data: ApiKey
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `key.rotated` as an endpoint gets it: the whole event, or its ids alone. */
export type KeyRotatedPayload = KeyRotatedEvent | ThinEvent

/** A business number whose marketing messages somebody has stopped. */
export type MarketingOptOut = {
  /** Identifier that begins with `num_`. Opaque, sortable by creation. */
  number_id: string
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

/** A file: exactly one of `id` and `link`. */
export type MediaSource = ({
  /** A file that was uploaded or received before. */
  id: string
  link?: undefined
} | {
  /** A public address that the channel fetches the file from. */
  link: string
  id?: undefined
})

/** One message of a chat, in either direction. */
export type Message = {
  object: 'message'
  /** Identifier that begins with `msg_`. Opaque, sortable by creation. */
  id: string
  /** Identifier that begins with `chat_`. Opaque, sortable by creation. */
  chat_id: string
  direction: Open<'inbound' | 'outbound'>
  type: Open<
    | 'text'
    | 'image'
    | 'audio'
    | 'video'
    | 'document'
    | 'sticker'
    | 'location'
    | 'contacts'
    | 'interactive'
    | 'template'
    | 'reaction'
    | 'order'
    | 'system'
    | 'unsupported'
  >
  /** The text, or the caption of a file. */
  body: string | null
  media: MessageMedia | null
  template: MessageTemplate | null
  interactive: MessageInteractive | null
  location: MessageLocation | null
  contacts: MessageContactCard[] | null
  reaction: MessageReaction | null
  order: MessageCart | null
  system: MessageSystemNotice | null
  unsupported: MessageUnsupported | null
  /** The message that this one replies to. */
  reply_to: string | null
  /** The advertisement or post that the customer tapped on before they wrote this. */
  referral: MessageReferral | null
  /** Whether the customer forwarded it from another chat. */
  forwarded: boolean
  /** Whether it was forwarded many times before; `forwarded` is true then as well. */
  frequently_forwarded: boolean
  /** The product that the customer asks about. */
  referred_product: MessageReferredProduct | null
  /** The id that the network gave it. */
  provider_id: string | null
  /** Your own reference, as given when sending. */
  client_reference: string | null
  /** The order that this message is about. */
  order_id: string | null
  sender: MessageSender
  /** Never moves back. Inbound messages are `received`. */
  status: Open<'scheduled' | 'queued' | 'sent' | 'failed' | 'delivered' | 'read' | 'received'>
  error: MessageError | null
  /** When it reached which status, oldest first. */
  status_history: MessageStatusChange[]
  /** RFC 3339, UTC, with milliseconds. */
  send_at: string | null
  metadata: Record<string, string>
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
}

/** A cart that the customer put together from a catalogue. */
export type MessageCart = {
  catalog_id?: string
  text?: string
  product_items: MessageCartItem[]
}

export type MessageCartItem = {
  product_retailer_id: string
  quantity: number
  item_price: number
  currency: string
}

export type MessageContactAddress = {
  street?: string
  city?: string
  state?: string
  zip?: string
  country?: string
  country_code?: string
  type?: string
}

/** An entry of an address book. */
export type MessageContactCard = {
  name?: MessageContactName
  phones?: MessageContactPhone[]
  emails?: MessageContactEmail[]
  addresses?: MessageContactAddress[]
  org?: MessageContactOrganization
  urls?: MessageContactUrl[]
  birthday?: string
  /** The same card as a vCard, where the network sends one. */
  vcard?: string
  /** What made the customer share it, in the word of the network. */
  origin?: string
}

export type MessageContactEmail = {
  email?: string
  type?: string
}

export type MessageContactName = {
  formatted_name?: string
  first_name?: string
  last_name?: string
  middle_name?: string
  prefix?: string
  suffix?: string
}

export type MessageContactOrganization = {
  company?: string
  department?: string
  title?: string
}

export type MessageContactPhone = {
  phone?: string
  type?: string
  wa_id?: string
}

export type MessageContactUrl = {
  url?: string
  type?: string
}

/** A message reached the phone of the customer. */
export type MessageDeliveredEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'message.delivered'
  data: Message
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `message.delivered` as an endpoint gets it: the whole event, or its ids alone. */
export type MessageDeliveredPayload = MessageDeliveredEvent | ThinEvent

/** Why a message was not sent or not delivered. */
export type MessageError = {
  /** Ours, stable: `reply_window_closed`, … */
  code: string
  /** The code of the network, where it gave one. */
  provider_code: string | null
  detail: string
  /** Whether sending the same message again can succeed. */
  retryable: boolean
}

/** A message was not sent, or could not be delivered; `error` says why. One that failed as `outcome_unknown` may be told of again, with the reason that the network gave later. */
export type MessageFailedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'message.failed'
  data: Message
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `message.failed` as an endpoint gets it: the whole event, or its ids alone. */
export type MessageFailedPayload = MessageFailedEvent | ThinEvent

/** What was offered (`header`, `body`, `footer`, `action`), or what was chosen, under its own name. */
export type MessageInteractive = {
  type: string
  [name: string]: unknown
}

export type MessageList = {
  object: 'list'
  data: Message[]
  /** Whether there are more after this page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** A place on the map. */
export type MessageLocation = {
  latitude: number
  longitude: number
  name?: string
  address?: string
  url?: string
}

/** The file of a message. Members appear as they become known. */
export type MessageMedia = {
  /** The file here. `GET /v1/{media_id}` tells where its bytes are. */
  id?: string
  /** Where the channel fetches the file from. */
  link?: string
  filename?: string
  /** Shown as a voice note. */
  voice?: boolean
  /** A sticker that moves. */
  animated?: boolean
  mime_type?: string
  /** Hexadecimal. */
  sha256?: string
  bytes?: number
}

/** An emoji on another message. */
export type MessageReaction = {
  /** The message it is about; null when that message is not known here. */
  message_id: string | null
  /** Empty when the reaction was taken back. */
  emoji: string
}

/** The customer read a message. */
export type MessageReadEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'message.read'
  data: Message
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `message.read` as an endpoint gets it: the whole event, or its ids alone. */
export type MessageReadPayload = MessageReadEvent | ThinEvent

/** A customer sent a message. */
export type MessageReceivedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'message.received'
  data: Message
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `message.received` as an endpoint gets it: the whole event, or its ids alone. */
export type MessageReceivedPayload = MessageReceivedEvent | ThinEvent

/** The advertisement or post that led the customer here. Members that the network did not tell are absent. */
export type MessageReferral = {
  /** What it was: `ad` or `post`. */
  source_type?: string
  /** The id of the advertisement or post at Meta. */
  source_id?: string
  /** Where it can be seen. */
  source_url?: string
  /** Its headline. */
  headline?: string
  /** Its text. */
  body?: string
  /** What it showed: `image` or `video`. */
  media_type?: string
  /** The picture that it showed. */
  image_url?: string
  /** The video that it showed. */
  video_url?: string
  /** A picture of the video. */
  thumbnail_url?: string
  /** The id of the click, for reporting a sale back to Meta (Conversions API). */
  ctwa_clid?: string
  welcome_message?: MessageReferralWelcome
}

/** What greeted the customer before they wrote. */
export type MessageReferralWelcome = {
  text: string
}

/** A product of a catalogue. */
export type MessageReferredProduct = {
  /** The catalogue at Meta. */
  catalog_id?: string
  /** Your own id of the product (SKU), as in the catalogue. */
  product_retailer_id?: string
}

export type MessageSender = {
  type: Open<'key' | 'agent' | 'user' | 'contact' | 'system'>
  id: string | null
}

/** The network took a message. */
export type MessageSentEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'message.sent'
  data: Message
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `message.sent` as an endpoint gets it: the whole event, or its ids alone. */
export type MessageSentPayload = MessageSentEvent | ThinEvent

export type MessageStatusChange = {
  status: Open<'scheduled' | 'queued' | 'sent' | 'failed' | 'delivered' | 'read' | 'received' | 'played'>
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

/** What the network says about the customer. */
export type MessageSystemNotice = {
  type: string
  [name: string]: unknown
}

/** The template that was sent, and what filled its blanks. */
export type MessageTemplate = {
  name: string
  language: MessageTemplateLanguage
  components?: Array<Record<string, unknown>>
}

export type MessageTemplateLanguage = {
  code: string
  policy?: string
}

/** A kind of message that is not known here yet. */
export type MessageUnsupported = {
  type: string
  detail?: string
  /** The code of the network, such as `131051`. */
  provider_code?: string
}

/** One movement of an order’s money, as it stands in the books. */
export type Movement = {
  /** Identifier that begins with `pay_`. Opaque, sortable by creation. */
  payment_id: string
  /** Came in, was given back, was taken back. */
  kind: Open<'capture' | 'refund' | 'reversal'>
  /** Whole rupiah, below nought where money went. */
  amount: number
  /** Who says so: `notice`, `question` (the provider was asked), `staff`, … */
  source: string
  actor: {
    type: string
    id: string | null
  }
  /** As staff wrote it. */
  note: string | null
  /** RFC 3339, UTC, with milliseconds. */
  occurred_at: string
  /** RFC 3339, UTC, with milliseconds. */
  recorded_at: string
}

/** A sound, up to 16 MB, without caption. */
export type NewAudioMessage = {
  /** The customer: a phone number that exists, best in international format with a leading +. Also taken: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only when there are several. */
  from?: string | undefined
  /** Quote this message of the same chat, by its id or its `wamid`. */
  reply_to?: string | undefined
  /** Send it then instead of now; up to a year ahead. Until then it can be deleted. */
  send_at?: string | undefined
  /** Your own reference. It comes back everywhere. */
  client_reference?: string | undefined
  /** Your own data: up to 50 keys with texts. */
  metadata?: Record<string, string> | undefined
  type: 'audio'
  media: AudioSource
}

/** An entry for the address book of the customer. */
export type NewContactCard = {
  /** The whole name, and at least one of its parts. */
  name: {
    formatted_name: string
  } & ({
    first_name: string
    last_name?: string | undefined
    middle_name?: string | undefined
    prefix?: string | undefined
    suffix?: string | undefined
  } | {
    last_name: string
    first_name?: string | undefined
    middle_name?: string | undefined
    prefix?: string | undefined
    suffix?: string | undefined
  } | {
    middle_name: string
    first_name?: string | undefined
    last_name?: string | undefined
    prefix?: string | undefined
    suffix?: string | undefined
  } | {
    prefix: string
    first_name?: string | undefined
    last_name?: string | undefined
    middle_name?: string | undefined
    suffix?: string | undefined
  } | {
    suffix: string
    first_name?: string | undefined
    last_name?: string | undefined
    middle_name?: string | undefined
    prefix?: string | undefined
  })
  phones?: ReadonlyArray<{
    phone?: string | undefined
    type?: string | undefined
    wa_id?: string | undefined
  }> | undefined
  emails?: ReadonlyArray<{
    email?: string | undefined
    type?: string | undefined
  }> | undefined
  addresses?: ReadonlyArray<{
    street?: string | undefined
    city?: string | undefined
    state?: string | undefined
    zip?: string | undefined
    country?: string | undefined
    country_code?: string | undefined
    type?: string | undefined
  }> | undefined
  org?: {
    company?: string | undefined
    department?: string | undefined
    title?: string | undefined
  } | undefined
  urls?: ReadonlyArray<{
    url?: string | undefined
    type?: string | undefined
  }> | undefined
  birthday?: string | undefined
}

/** One or more entries for an address book. */
export type NewContactsMessage = {
  /** The customer: a phone number that exists, best in international format with a leading +. Also taken: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only when there are several. */
  from?: string | undefined
  /** Quote this message of the same chat, by its id or its `wamid`. */
  reply_to?: string | undefined
  /** Send it then instead of now; up to a year ahead. Until then it can be deleted. */
  send_at?: string | undefined
  /** Your own reference. It comes back everywhere. */
  client_reference?: string | undefined
  /** Your own data: up to 50 keys with texts. */
  metadata?: Record<string, string> | undefined
  type: 'contacts'
  contacts: readonly NewContactCard[]
}

/** A document, up to 100 MB. */
export type NewDocumentMessage = {
  /** The customer: a phone number that exists, best in international format with a leading +. Also taken: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only when there are several. */
  from?: string | undefined
  /** Quote this message of the same chat, by its id or its `wamid`. */
  reply_to?: string | undefined
  /** Send it then instead of now; up to a year ahead. Until then it can be deleted. */
  send_at?: string | undefined
  /** Your own reference. It comes back everywhere. */
  client_reference?: string | undefined
  /** Your own data: up to 50 keys with texts. */
  metadata?: Record<string, string> | undefined
  type: 'document'
  media: DocumentSource
  /** The caption. */
  body?: string | undefined
}

/** A picture, JPEG or PNG up to 5 MB. */
export type NewImageMessage = {
  /** The customer: a phone number that exists, best in international format with a leading +. Also taken: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only when there are several. */
  from?: string | undefined
  /** Quote this message of the same chat, by its id or its `wamid`. */
  reply_to?: string | undefined
  /** Send it then instead of now; up to a year ahead. Until then it can be deleted. */
  send_at?: string | undefined
  /** Your own reference. It comes back everywhere. */
  client_reference?: string | undefined
  /** Your own data: up to 50 keys with texts. */
  metadata?: Record<string, string> | undefined
  type: 'image'
  media: MediaSource
  /** The caption. */
  body?: string | undefined
}

/** A message that the customer answers with a tap. */
export type NewInteractive =
  | InteractiveButton
  | InteractiveList
  | InteractiveCtaUrl
  | InteractiveLocationRequestMessage
  | InteractiveFlow
  | InteractiveProduct
  | InteractiveProductList
  | InteractiveCatalogMessage
  | InteractiveOrderDetails
  | InteractiveOrderStatus
  | InteractiveCarousel
  | InteractiveAddressMessage
  | InteractiveCallPermissionRequest
  | InteractiveVoiceCall
  | InteractiveRequestContactInfo

/** Buttons, a list, a link button, a flow, products. */
export type NewInteractiveMessage = {
  /** The customer: a phone number that exists, best in international format with a leading +. Also taken: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only when there are several. */
  from?: string | undefined
  /** Quote this message of the same chat, by its id or its `wamid`. */
  reply_to?: string | undefined
  /** Send it then instead of now; up to a year ahead. Until then it can be deleted. */
  send_at?: string | undefined
  /** Your own reference. It comes back everywhere. */
  client_reference?: string | undefined
  /** Your own data: up to 50 keys with texts. */
  metadata?: Record<string, string> | undefined
  type: 'interactive'
  interactive: NewInteractive
}

/** A place on the map. */
export type NewLocation = {
  latitude: number
  longitude: number
  name?: string | undefined
  address?: string | undefined
}

/** A place. */
export type NewLocationMessage = {
  /** The customer: a phone number that exists, best in international format with a leading +. Also taken: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only when there are several. */
  from?: string | undefined
  /** Quote this message of the same chat, by its id or its `wamid`. */
  reply_to?: string | undefined
  /** Send it then instead of now; up to a year ahead. Until then it can be deleted. */
  send_at?: string | undefined
  /** Your own reference. It comes back everywhere. */
  client_reference?: string | undefined
  /** Your own data: up to 50 keys with texts. */
  metadata?: Record<string, string> | undefined
  type: 'location'
  location: NewLocation
}

/** A message to be sent. `to` and `body` are enough. */
export type NewMessage =
  | NewTextMessage
  | NewImageMessage
  | NewVideoMessage
  | NewAudioMessage
  | NewDocumentMessage
  | NewStickerMessage
  | NewLocationMessage
  | NewContactsMessage
  | NewInteractiveMessage
  | NewTemplateMessage
  | NewReactionMessage

/** Only `billingType` is required. */
export type NewOrder = {
  /** How it is to be paid. */
  billingType:
    | 'qris'
    | 'virtual_account'
    | 'bank_transfer'
    | 'cash'
    | 'cod'
    | 'ewallet'
    | 'card'
    | 'retail'
    | 'invoice'
    | 'free'
  payment?: PaymentChoice | undefined
  items?: readonly NewOrderItem[] | undefined
  /** What there is to pay. With `items` it must be what they come to. With neither, the payer decides. */
  amount?: number | undefined
  /** Whole rupiah, or a percentage, rounded half up to the rupiah. */
  discount?: number | DiscountPercentage | undefined
  shipping?: number | undefined
  /** Whole rupiah, or a percentage, rounded half up to the rupiah. */
  tax?: number | TaxPercentage | undefined
  customer?: NewOrderCustomer | undefined
  /** The chat that it belongs to: how to pay it goes there. For customers who hide their phone, and to choose among chats with several business numbers. Name and phone are those of the contact unless `customer` gives others. */
  chat_id?: string | null | undefined
  /** False keeps Nexkit from telling the customer in the chat. */
  notify?: boolean | undefined
  /** Yours, for example the number in your shop. Unique within the organization. */
  reference?: string | null | undefined
  note?: string | null | undefined
  /** Your own: at most 50 members with texts of at most 500 characters. */
  metadata?: Record<string, string> | undefined
}

/** Who ordered. */
export type NewOrderCustomer = {
  name?: string | null | undefined
  /** A number that exists, in any usual spelling; without a country it is read as of the organization’s. */
  phone?: string | null | undefined
}

/** Something that is ordered. */
export type NewOrderItem = {
  sku?: string | null | undefined
  name: string
  quantity: number
  unit_price: number
}

/** Another way to pay the order, or another try. */
export type NewOrderPayment = {
  method: 'qris' | 'virtual_account' | 'bank_transfer' | 'cash' | 'cod' | 'ewallet' | 'card' | 'retail' | 'invoice'
  /** For virtual accounts. The account’s default bank when absent. */
  bank?: string | undefined
  /** How long it can be paid. The provider’s usual time when absent. */
  expires_in_seconds?: number | undefined
}

/** A reaction to a message that was received. */
export type NewReaction = {
  /** The message of the customer that the reaction is about, by its id or its `wamid`. */
  message_id: string
  /** One emoji; empty takes the reaction back. */
  emoji: string
}

/** An emoji on a message of the customer. */
export type NewReactionMessage = {
  /** The customer: a phone number that exists, best in international format with a leading +. Also taken: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only when there are several. */
  from?: string | undefined
  /** Quote this message of the same chat, by its id or its `wamid`. */
  reply_to?: string | undefined
  /** Send it then instead of now; up to a year ahead. Until then it can be deleted. */
  send_at?: string | undefined
  /** Your own reference. It comes back everywhere. */
  client_reference?: string | undefined
  /** Your own data: up to 50 keys with texts. */
  metadata?: Record<string, string> | undefined
  type: 'reaction'
  reaction: NewReaction
}

export type NewRefund = {
  /** All that is left when absent. */
  amount?: number | undefined
  /** Which payment; the newest with money when absent. */
  payment?: string | undefined
  reason?: string | null | undefined
  /** True when the customer was paid back by other means: then `note` says how. */
  manual?: boolean | undefined
  note?: string | null | undefined
}

/** A sticker, WebP of 512 × 512 up to 500 KB, without caption. */
export type NewStickerMessage = {
  /** The customer: a phone number that exists, best in international format with a leading +. Also taken: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only when there are several. */
  from?: string | undefined
  /** Quote this message of the same chat, by its id or its `wamid`. */
  reply_to?: string | undefined
  /** Send it then instead of now; up to a year ahead. Until then it can be deleted. */
  send_at?: string | undefined
  /** Your own reference. It comes back everywhere. */
  client_reference?: string | undefined
  /** Your own data: up to 50 keys with texts. */
  metadata?: Record<string, string> | undefined
  type: 'sticker'
  media: MediaSource
}

/** The name and language of a template, and what fills its blanks. */
export type NewTemplateContent = {
  name: string
  /** The code alone, such as `id`, or as Meta writes it. */
  language: string | TemplateLanguage
  /** Fills the variables of the body: a list in their order, or an object by their names. Short for a `body` component of texts. */
  variables?: readonly string[] | Record<string, string> | undefined
  components?: ReadonlyArray<
    | TemplateHeader
    | TemplateBody
    | TemplateButton
    | TemplateCarousel
    | TemplateLimitedTimeOffer
    | TemplateTapTargetConfiguration
  > | undefined
}

/** A template that was approved, with its blanks filled in. Needs no open reply window. */
export type NewTemplateMessage = {
  /** The customer: a phone number that exists, best in international format with a leading +. Also taken: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only when there are several. */
  from?: string | undefined
  /** Quote this message of the same chat, by its id or its `wamid`. */
  reply_to?: string | undefined
  /** Send it then instead of now; up to a year ahead. Until then it can be deleted. */
  send_at?: string | undefined
  /** Your own reference. It comes back everywhere. */
  client_reference?: string | undefined
  /** Your own data: up to 50 keys with texts. */
  metadata?: Record<string, string> | undefined
  type: 'template'
  template: NewTemplateContent
}

/** A text. */
export type NewTextMessage = {
  /** The customer: a phone number that exists, best in international format with a leading +. Also taken: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only when there are several. */
  from?: string | undefined
  /** Quote this message of the same chat, by its id or its `wamid`. */
  reply_to?: string | undefined
  /** Send it then instead of now; up to a year ahead. Until then it can be deleted. */
  send_at?: string | undefined
  /** Your own reference. It comes back everywhere. */
  client_reference?: string | undefined
  /** Your own data: up to 50 keys with texts. */
  metadata?: Record<string, string> | undefined
  /** When absent: `text`. */
  type?: 'text' | undefined
  /** The text, up to 4096 characters. */
  body: string
  /** Show a preview of the first address in the text. */
  preview_url?: boolean | undefined
}

/** A video, MP4 or 3GPP up to 16 MB. */
export type NewVideoMessage = {
  /** The customer: a phone number that exists, best in international format with a leading +. Also taken: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only when there are several. */
  from?: string | undefined
  /** Quote this message of the same chat, by its id or its `wamid`. */
  reply_to?: string | undefined
  /** Send it then instead of now; up to a year ahead. Until then it can be deleted. */
  send_at?: string | undefined
  /** Your own reference. It comes back everywhere. */
  client_reference?: string | undefined
  /** Your own data: up to 50 keys with texts. */
  metadata?: Record<string, string> | undefined
  type: 'video'
  media: MediaSource
  /** The caption. */
  body?: string | undefined
}

/** A webhook endpoint to be made. Only `url` is required. */
export type NewWebhookEndpoint = {
  /** Where events are posted to. Public, https, without user name or fragment. */
  url: string
  /** Names of events, everything of a resource as `order.*`, or `*` for all. When absent: `["*"]`. */
  events?: ReadonlyArray<
    | '*'
    | 'approval.*'
    | 'chat.*'
    | 'contact.*'
    | 'delivery.*'
    | 'endpoint.*'
    | 'key.*'
    | 'message.*'
    | 'order.*'
    | 'payment.*'
    | 'approval.decided'
    | 'approval.requested'
    | 'chat.created'
    | 'chat.updated'
    | 'contact.updated'
    | 'delivery.exhausted'
    | 'delivery.recovered'
    | 'endpoint.created'
    | 'endpoint.degraded'
    | 'endpoint.deleted'
    | 'endpoint.disabled'
    | 'endpoint.pinged'
    | 'endpoint.recovered'
    | 'endpoint.updated'
    | 'key.created'
    | 'key.revoked'
    | 'key.rotated'
    | 'message.delivered'
    | 'message.failed'
    | 'message.read'
    | 'message.received'
    | 'message.sent'
    | 'order.cancelled'
    | 'order.completed'
    | 'order.created'
    | 'order.expired'
    | 'order.needs_review'
    | 'order.paid'
    | 'order.refunded'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.paid'
    | 'payment.pending'
    | 'payment.refunded'
    | 'payment.reversed'
  > | undefined
  description?: string | null | undefined
  /** `thin` sends ids only; fetch the resource for the rest. When absent: `full`. */
  payload?: 'full' | 'thin' | undefined
  /** `strict` sends one at a time in order of `sequence`; `by_key` does so per resource. Either waits behind what fails. When absent: `none`. */
  ordering?: 'none' | 'by_key' | 'strict' | undefined
  /** Null for no limit. */
  max_per_second?: number | null | undefined
  /** For the whole request, response included. When absent: `15000`. */
  timeout_ms?: number | undefined
  /** Seconds to wait after each failed attempt, for deliveries from now on. Null for the standard schedule: 12 attempts in 3 days. */
  retry_delays_seconds?: readonly number[] | null | undefined
  /** Other waits for some events, by name or as `order.*`; the name that fits most closely counts. An empty list means one attempt. */
  retry_delays_by_event?: Record<string, readonly number[]> | null | undefined
  /** `v1` is HMAC-SHA256 with the secret, `v1a` Ed25519 with a public key. No official library reads `v1a`. When absent: `v1`. */
  signing?: 'v1' | 'v1a' | 'both' | undefined
  /** Sent with every attempt, for example an authorization of the receiver. Stored encrypted, shown masked. */
  custom_headers?: Record<string, string> | undefined
  tls?: WebhookTls | null | undefined
}

/** Something to be paid and fulfilled. */
export type Order = {
  object: 'order'
  /** Identifier that begins with `ord_`. Opaque, sortable by creation. */
  id: string
  /** For people: counts up within the organization without gaps. */
  number: string
  status: Open<'draft' | 'pending_payment' | 'confirmed' | 'processing' | 'expired' | 'completed' | 'cancelled'>
  /** Null for a draft that nobody has chosen a way to pay for. */
  billingType: Open<
    | 'qris'
    | 'virtual_account'
    | 'bank_transfer'
    | 'cash'
    | 'cod'
    | 'ewallet'
    | 'card'
    | 'retail'
    | 'invoice'
    | 'free'
  > | null
  customer: OrderCustomer
  /** Identifier that begins with `chat_`. Opaque, sortable by creation. */
  chat_id: string | null
  items: OrderItem[]
  subtotal: number | null
  discount: number
  shipping: number
  tax: number
  /** Null for an open amount: the payer says how much. */
  total: number | null
  currency: 'IDR'
  /** Computed from what was received, refunded and reversed, and the total; never set by hand. `refunded` is money that was refunded on purpose; `reversed` is money that a bank took back and that is due again. */
  payment_status: Open<
    | 'unpaid'
    | 'pending'
    | 'partially_paid'
    | 'paid'
    | 'overpaid'
    | 'partially_refunded'
    | 'refunded'
    | 'reversed'
  >
  /** All that came in. */
  amount_paid: number
  /** All that went back: refunds, and what a bank took back. */
  amount_returned: number
  /** Still to be paid: what is missing of the total, a reversal included; 0 once a person accepted less, and for an order that was cancelled or has expired. Null for an open amount. */
  amount_remaining: number | null
  /** Received above the total and not refunded yet. */
  amount_overpaid: number
  /** The attempt that counts: the one that paid the order, else the open one. Null where there is nothing to pay. */
  payment: Payment | null
  /** Oldest first. */
  refunds: Refund[]
  needs_review: OrderDoubt | null
  /** Whether the customer is told in the chat. */
  notify: boolean
  reference: string | null
  note: string | null
  metadata: Record<string, string>
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
}

/** An order was called off. */
export type OrderCancelledEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'order.cancelled'
  data: Order
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.cancelled` as an endpoint gets it: the whole event, or its ids alone. */
export type OrderCancelledPayload = OrderCancelledEvent | ThinEvent

/** An order was fulfilled. */
export type OrderCompletedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'order.completed'
  data: Order
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.completed` as an endpoint gets it: the whole event, or its ids alone. */
export type OrderCompletedPayload = OrderCompletedEvent | ThinEvent

/** An order was made. */
export type OrderCreatedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'order.created'
  data: Order
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.created` as an endpoint gets it: the whole event, or its ids alone. */
export type OrderCreatedPayload = OrderCreatedEvent | ThinEvent

/** Who ordered, as far as it is known. */
export type OrderCustomer = {
  name: string | null
  /** E.164. */
  phone: string | null
  /** Identifier that begins with `con_`. Opaque, sortable by creation. */
  contact_id: string | null
}

/** Why a person should look at it: the first reason, and all of them. */
export type OrderDoubt = {
  reason: Open<
    | 'amount_mismatch'
    | 'amount_unknown'
    | 'duplicate_payment'
    | 'late_payment'
    | 'overpaid'
    | 'provider_silent'
    | 'refund_due'
    | 'refund_failed'
    | 'refund_mismatch'
    | 'reversed'
    | 'underpaid'
  >
  reasons: Array<Open<
    | 'amount_mismatch'
    | 'amount_unknown'
    | 'duplicate_payment'
    | 'late_payment'
    | 'overpaid'
    | 'provider_silent'
    | 'refund_due'
    | 'refund_failed'
    | 'refund_mismatch'
    | 'reversed'
    | 'underpaid'
  >>
  /** RFC 3339, UTC, with milliseconds. */
  since: string
}

/** Nobody paid in time. */
export type OrderExpiredEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'order.expired'
  data: Order
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.expired` as an endpoint gets it: the whole event, or its ids alone. */
export type OrderExpiredPayload = OrderExpiredEvent | ThinEvent

export type OrderItem = {
  sku: string | null
  name: string
  quantity: number
  unit_price: number
  subtotal: number
}

export type OrderList = {
  object: 'list'
  data: Order[]
  /** Whether there are more after this page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** Something about the money of an order needs a person to look at it. */
export type OrderNeedsReviewEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'order.needs_review'
  data: Order
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.needs_review` as an endpoint gets it: the whole event, or its ids alone. */
export type OrderNeedsReviewPayload = OrderNeedsReviewEvent | ThinEvent

/** Money that staff have seen. */
export type OrderPaid = {
  /** What came in; what was still to be paid when absent. May be less: then the order stays open. */
  amount?: number | undefined
  /** True for a payment that nobody owed any more: the customer paid a second time. It is recorded with its `amount`, and the order is marked for a person to look at. Without it a paid order is refused, so that the same call made twice does not count twice. */
  again?: boolean | undefined
  /** How a second payment came (`cash`, `bank_transfer`, …), for an order that nothing was to be paid by hand for, such as one paid through a provider: it gets an attempt of its own. Only with `again` and `amount`. */
  method?: 'qris' | 'virtual_account' | 'bank_transfer' | 'cash' | 'cod' | 'ewallet' | 'card' | 'retail' | 'invoice' | undefined
  note?: string | null | undefined
}

/** The total of an order was received, in however many parts, or a person accepted what was received: its goods may be sent. Money for an order that had expired or was cancelled comes as `order.needs_review` first. */
export type OrderPaidEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'order.paid'
  data: Order
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.paid` as an endpoint gets it: the whole event, or its ids alone. */
export type OrderPaidPayload = OrderPaidEvent | ThinEvent

/** Money of an order was given back, all or some of it. */
export type OrderRefundedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'order.refunded'
  data: Order
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.refunded` as an endpoint gets it: the whole event, or its ids alone. */
export type OrderRefundedPayload = OrderRefundedEvent | ThinEvent

export type OrderReview = {
  /** `accept` takes what was received as enough and confirms the order, or accepts the loss after a reversal; `dismiss` only takes the mark away. */
  decision: 'accept' | 'dismiss'
}

/** An order with every attempt to pay it and its books. */
export type OrderWithPayments = {
  object: 'order'
  /** Identifier that begins with `ord_`. Opaque, sortable by creation. */
  id: string
  /** For people: counts up within the organization without gaps. */
  number: string
  status: Open<'draft' | 'pending_payment' | 'confirmed' | 'processing' | 'expired' | 'completed' | 'cancelled'>
  /** Null for a draft that nobody has chosen a way to pay for. */
  billingType: Open<
    | 'qris'
    | 'virtual_account'
    | 'bank_transfer'
    | 'cash'
    | 'cod'
    | 'ewallet'
    | 'card'
    | 'retail'
    | 'invoice'
    | 'free'
  > | null
  customer: OrderCustomer
  /** Identifier that begins with `chat_`. Opaque, sortable by creation. */
  chat_id: string | null
  items: OrderItem[]
  subtotal: number | null
  discount: number
  shipping: number
  tax: number
  /** Null for an open amount: the payer says how much. */
  total: number | null
  currency: 'IDR'
  /** Computed from what was received, refunded and reversed, and the total; never set by hand. `refunded` is money that was refunded on purpose; `reversed` is money that a bank took back and that is due again. */
  payment_status: Open<
    | 'unpaid'
    | 'pending'
    | 'partially_paid'
    | 'paid'
    | 'overpaid'
    | 'partially_refunded'
    | 'refunded'
    | 'reversed'
  >
  /** All that came in. */
  amount_paid: number
  /** All that went back: refunds, and what a bank took back. */
  amount_returned: number
  /** Still to be paid: what is missing of the total, a reversal included; 0 once a person accepted less, and for an order that was cancelled or has expired. Null for an open amount. */
  amount_remaining: number | null
  /** Received above the total and not refunded yet. */
  amount_overpaid: number
  /** The attempt that counts: the one that paid the order, else the open one. Null where there is nothing to pay. */
  payment: Payment | null
  /** Oldest first. */
  refunds: Refund[]
  needs_review: OrderDoubt | null
  /** Whether the customer is told in the chat. */
  notify: boolean
  reference: string | null
  note: string | null
  metadata: Record<string, string>
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
  /** Every attempt, oldest first. */
  payments: Payment[]
  /** What came in and what went back, oldest first; the first thousand. */
  ledger: Movement[]
}

/** An AI agent, as it sees itself. */
export type OwnAgent = {
  object: 'agent'
  /** Identifier that begins with `agt_`. Opaque, sortable by creation. */
  id: string
  name: string
  purpose: string | null
  scopes: Array<Open<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'events:read'
    | 'webhooks:read'
  >>
  /** For every operation within its scopes that changes something. */
  rules: AgentRule[]
  limits: AgentLimits
  reach: AgentReach
  /** Whether a person is asked before it writes to anybody but the customer whose chat it has read. */
  is_anchored: boolean
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
}

/** One attempt to have an order paid. */
export type Payment = {
  object: 'payment'
  /** Identifier that begins with `pay_`. Opaque, sortable by creation. */
  id: string
  /** Identifier that begins with `ord_`. Opaque, sortable by creation. */
  order_id: string
  method: Open<
    | 'qris'
    | 'virtual_account'
    | 'bank_transfer'
    | 'cash'
    | 'cod'
    | 'ewallet'
    | 'card'
    | 'retail'
    | 'invoice'
    | 'free'
  >
  bank: string | null
  provider: Open<'simulator' | 'midtrans' | 'xendit' | 'manual'>
  status: Open<'created' | 'pending' | 'failed' | 'expired' | 'cancelled' | 'paid' | 'reversed'>
  /** Null for an open amount: the payer says how much. */
  amount: number | null
  amount_paid: number
  amount_refunded: number
  /** Taken back by the bank or the network. */
  amount_reversed: number
  currency: 'IDR'
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  paid_at: string | null
  qris: PaymentQris | null
  virtual_account: PaymentVirtualAccount | null
  /** For Mandiri bill payment, in place of a virtual account. */
  bill: PaymentBill | null
  /** For payments without a provider: the account to transfer to, and the like. */
  instructions: Record<string, string> | null
  /** A page for the payer. Needs no key. */
  pay_url: string
  error: PaymentFailure | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
}

export type PaymentBill = {
  biller_code: string
  bill_key: string
}

/** The details of the way that `billingType` names. */
export type PaymentChoice = {
  /** The same as `billingType`; may be left out. */
  method?:
    | 'qris'
    | 'virtual_account'
    | 'bank_transfer'
    | 'cash'
    | 'cod'
    | 'ewallet'
    | 'card'
    | 'retail'
    | 'invoice'
    | 'free' | undefined
  /** For virtual accounts. The account’s default bank when absent. */
  bank?: string | undefined
  /** How long it can be paid. The provider’s usual time when absent. */
  expires_in_seconds?: number | undefined
}

/** An attempt ran out of time and nobody had paid. */
export type PaymentExpiredEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'payment.expired'
  data: Payment
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.expired` as an endpoint gets it: the whole event, or its ids alone. */
export type PaymentExpiredPayload = PaymentExpiredEvent | ThinEvent

/** The provider refused an attempt or could not be reached for it, or the payer tried and failed. */
export type PaymentFailedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'payment.failed'
  data: Payment
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.failed` as an endpoint gets it: the whole event, or its ids alone. */
export type PaymentFailedPayload = PaymentFailedEvent | ThinEvent

/** Why it did not work, and what the provider called it. */
export type PaymentFailure = {
  code: string
  detail: string
  provider_code: string | null
}

/** Money came in for an attempt that was over: expired, cancelled or failed. What becomes of it is the organization’s setting. */
export type PaymentLateEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'payment.late'
  data: Payment
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.late` as an endpoint gets it: the whole event, or its ids alone. */
export type PaymentLatePayload = PaymentLateEvent | ThinEvent

/** Money came in for an attempt: all that it asked for, or a part where it can be paid in parts. */
export type PaymentPaidEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'payment.paid'
  data: Payment
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.paid` as an endpoint gets it: the whole event, or its ids alone. */
export type PaymentPaidPayload = PaymentPaidEvent | ThinEvent

/** A payer has something to pay with. */
export type PaymentPendingEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'payment.pending'
  data: Payment
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.pending` as an endpoint gets it: the whole event, or its ids alone. */
export type PaymentPendingPayload = PaymentPendingEvent | ThinEvent

export type PaymentQris = {
  /** What the QR code says. */
  string: string | null
  /** The QR code as a picture. Needs no key. */
  image_url: string
}

/** Money of a payment was refunded on purpose, all or some of it. */
export type PaymentRefundedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'payment.refunded'
  data: Payment
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.refunded` as an endpoint gets it: the whole event, or its ids alone. */
export type PaymentRefundedPayload = PaymentRefundedEvent | ThinEvent

/** A bank or the network reversed a payment, all or some of it: a chargeback. The amount is due again; `amount_remaining` of the order says how much. */
export type PaymentReversedEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: 'payment.reversed'
  data: Payment
  /** State, money and settings of the resource that changed, as they were before. What it shows of other resources and `updated_at` are left out. Null where nothing existed before, and where the type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.reversed` as an endpoint gets it: the whole event, or its ids alone. */
export type PaymentReversedPayload = PaymentReversedEvent | ThinEvent

export type PaymentVirtualAccount = {
  bank: string
  number: string
  name: string | null
}

/** What went wrong, as RFC 9457 wants it. Decide by `code`, and by `status` for a code you do not know: new codes may appear at any time. */
export type Problem = {
  /** Names the kind of problem; the same on every installation. */
  type: string
  /** The kind of problem in a few words; never changes for a code. */
  title: string
  /** The HTTP status again. */
  status: number
  /** What is wrong this time and what to do next. For people; the words may change. */
  detail: string
  /** The path that was called. */
  instance: string
  /** Stable name of the problem. */
  code: Open<
    | 'agent_amount_exceeded'
    | 'agent_connected'
    | 'agent_ended'
    | 'agent_limit_reached'
    | 'agent_not_found'
    | 'agent_not_permitted'
    | 'agent_paused'
    | 'agent_session_invalid'
    | 'api_key_not_active'
    | 'api_key_not_found'
    | 'approval_mismatch'
    | 'approval_not_found'
    | 'approval_not_pending'
    | 'approval_outdated'
    | 'approval_refused'
    | 'body_too_large'
    | 'certification_not_found'
    | 'certification_running'
    | 'chat_not_found'
    | 'connection_request_invalid'
    | 'connection_request_stale'
    | 'contact_not_found'
    | 'cursor_invalid'
    | 'delivery_not_found'
    | 'delivery_not_sendable'
    | 'event_not_found'
    | 'event_unfinished'
    | 'events_expired'
    | 'file_content_mismatch'
    | 'file_incomplete'
    | 'file_too_large'
    | 'file_type_not_sendable'
    | 'idempotency_key_in_use'
    | 'idempotency_key_invalid'
    | 'idempotency_key_reused'
    | 'if_match_invalid'
    | 'if_none_match_too_long'
    | 'internal_error'
    | 'invitation_invalid'
    | 'json_duplicate_member'
    | 'json_invalid'
    | 'json_member_forbidden'
    | 'json_number_unsafe'
    | 'json_text_invalid'
    | 'json_too_deep'
    | 'json_too_large'
    | 'media_not_found'
    | 'media_not_ready'
    | 'media_type_unsupported'
    | 'media_unavailable'
    | 'message_not_found'
    | 'message_not_scheduled'
    | 'method_not_allowed'
    | 'not_acceptable'
    | 'number_already_connected'
    | 'number_disconnected'
    | 'number_missing'
    | 'number_not_connected'
    | 'number_not_found'
    | 'order_already_paid'
    | 'order_has_no_money'
    | 'order_limit_reached'
    | 'order_not_cancellable'
    | 'order_not_completable'
    | 'order_not_found'
    | 'order_not_manual'
    | 'order_not_payable'
    | 'order_payment_reversed'
    | 'order_reference_taken'
    | 'order_review_not_needed'
    | 'organization_not_found'
    | 'organization_slug_taken'
    | 'owner_required'
    | 'parameter_invalid'
    | 'passkey_limit_reached'
    | 'passkey_not_found'
    | 'passkey_refused'
    | 'password_too_short'
    | 'password_wrong'
    | 'path_invalid'
    | 'payment_account_limit_reached'
    | 'payment_account_not_found'
    | 'payment_method_not_configured'
    | 'payment_not_endable'
    | 'payment_provider_unavailable'
    | 'person_already_member'
    | 'person_not_found'
    | 'power_missing'
    | 'rate_limited'
    | 'recipient_opted_out'
    | 'recovery_endpoint_resting'
    | 'recovery_finished'
    | 'recovery_not_found'
    | 'recovery_running'
    | 'recovery_status_mismatch'
    | 'recovery_window_empty'
    | 'recovery_window_expired'
    | 'refund_not_possible'
    | 'refund_too_large'
    | 'reply_window_closed'
    | 'request_log_not_found'
    | 'request_timeout'
    | 'reset_link_invalid'
    | 'route_not_found'
    | 'same_origin_required'
    | 'scope_missing'
    | 'second_factor_already_on'
    | 'second_factor_refused'
    | 'sequence_ahead'
    | 'server_busy'
    | 'session_not_found'
    | 'session_required'
    | 'sign_in_refused'
    | 'sign_in_throttled'
    | 'simulated_payment_not_found'
    | 'simulation_impossible'
    | 'simulator_number_not_found'
    | 'template_not_approved'
    | 'template_not_found'
    | 'template_parameters_wrong'
    | 'unauthenticated'
    | 'unavailable'
    | 'url_too_long'
    | 'validation_failed'
    | 'value_refused'
    | 'version_conflict'
    | 'webhook_endpoint_limit_reached'
    | 'webhook_endpoint_not_enabled'
    | 'webhook_endpoint_not_found'
  >
  /** Every field that needs attention, in the order of the request. */
  errors?: FieldProblem[]
  /** Every changing value of `detail`, as data. */
  params?: Record<string, unknown>
  /** As in `X-Request-Id`. */
  request_id: string
  /** The page about this code on the running server. */
  doc_url: string
}

/** Money that was refunded on purpose. */
export type Refund = {
  object: 'refund'
  /** Identifier that begins with `rfd_`. Opaque, sortable by creation. */
  id: string
  /** Identifier that begins with `ord_`. Opaque, sortable by creation. */
  order_id: string
  /** Identifier that begins with `pay_`. Opaque, sortable by creation. */
  payment_id: string
  status: Open<'requested' | 'pending' | 'failed' | 'succeeded'>
  amount: number
  currency: 'IDR'
  /** Paid back by staff, not by the provider. */
  manual: boolean
  reason: string | null
  note: string | null
  error: PaymentFailure | null
  actor: Actor
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
  /** RFC 3339, UTC, with milliseconds. */
  succeeded_at: string | null
}

export type TaxPercentage = {
  percent: number
}

export type TemplateActionParameter = {
  type: 'action'
  action: Record<string, unknown>
}

export type TemplateBody = {
  type: 'body'
  parameters?: ReadonlyArray<TemplateTextParameter | TemplateCurrencyParameter | TemplateDateTimeParameter> | undefined
}

export type TemplateButton =
  | TemplateQuickReplyButton
  | TemplateUrlButton
  | TemplateCopyCodeButton
  | TemplateFlowButton
  | TemplateCatalogButton
  | TemplateMpmButton
  | TemplateOtpButton
  | TemplateOrderDetailsButton
  | TemplateSpmButton
  | TemplateVoiceCallButton

export type TemplateCard = {
  card_index?: number | undefined
  components: ReadonlyArray<TemplateHeader | TemplateBody | TemplateButton>
}

export type TemplateCarousel = {
  type: 'carousel'
  cards: readonly TemplateCard[]
}

export type TemplateCatalogButton = {
  type: 'button'
  sub_type: 'catalog'
  /** The position of the button, from 0. */
  index: string
  parameters?: readonly TemplateActionParameter[] | undefined
}

export type TemplateCopyCodeButton = {
  type: 'button'
  sub_type: 'copy_code'
  /** The position of the button, from 0. */
  index: string
  parameters?: readonly TemplateCouponCodeParameter[] | undefined
}

export type TemplateCouponCodeParameter = {
  type: 'coupon_code'
  coupon_code: string
}

export type TemplateCurrencyParameter = {
  type: 'currency'
  currency: {
    fallback_value: string
    code: string
    amount_1000: number
  }
  /** Only for templates whose blanks have names; otherwise order decides. */
  parameter_name?: string | undefined
}

export type TemplateDateTimeParameter = {
  type: 'date_time'
  date_time: {
    fallback_value: string
    [name: string]: unknown
  }
  /** Only for templates whose blanks have names; otherwise order decides. */
  parameter_name?: string | undefined
}

export type TemplateDocumentParameter = {
  type: 'document'
  document: DocumentSource
}

export type TemplateFlowButton = {
  type: 'button'
  sub_type: 'flow'
  /** The position of the button, from 0. */
  index: string
  parameters?: readonly TemplateActionParameter[] | undefined
}

export type TemplateHeader = {
  type: 'header'
  parameters?: ReadonlyArray<
    | TemplateTextParameter
    | TemplateImageParameter
    | TemplateVideoParameter
    | TemplateDocumentParameter
    | TemplateLocationParameter
    | TemplateProductParameter
    | TemplateCurrencyParameter
    | TemplateDateTimeParameter
  > | undefined
}

export type TemplateImageParameter = {
  type: 'image'
  image: MediaSource
}

export type TemplateLanguage = {
  code: string
  policy?: 'deterministic' | undefined
}

export type TemplateLimitedTimeOffer = {
  type: 'limited_time_offer'
  parameters?: ReadonlyArray<Record<string, unknown>> | undefined
}

export type TemplateLocationParameter = {
  type: 'location'
  location: NewLocation
}

export type TemplateMpmButton = {
  type: 'button'
  sub_type: 'mpm'
  /** The position of the button, from 0. */
  index: string
  parameters?: readonly TemplateActionParameter[] | undefined
}

export type TemplateOrderDetailsButton = {
  type: 'button'
  sub_type: 'order_details'
  /** The position of the button, from 0. */
  index: string
  parameters?: ReadonlyArray<Record<string, unknown>> | undefined
}

export type TemplateOtpButton = {
  type: 'button'
  sub_type: 'otp'
  /** The position of the button, from 0. */
  index: string
  parameters?: ReadonlyArray<Record<string, unknown>> | undefined
}

export type TemplatePayloadParameter = {
  type: 'payload'
  payload: string
}

export type TemplateProductParameter = {
  type: 'product'
  product: Record<string, unknown>
}

export type TemplateQuickReplyButton = {
  type: 'button'
  sub_type: 'quick_reply'
  /** The position of the button, from 0. */
  index: string
  parameters?: readonly TemplatePayloadParameter[] | undefined
}

export type TemplateSpmButton = {
  type: 'button'
  sub_type: 'spm'
  /** The position of the button, from 0. */
  index: string
  parameters?: ReadonlyArray<Record<string, unknown>> | undefined
}

export type TemplateTapTargetConfiguration = {
  type: 'tap_target_configuration'
  parameters?: ReadonlyArray<Record<string, unknown>> | undefined
}

export type TemplateTextParameter = {
  type: 'text'
  text: string
  /** Only for templates whose blanks have names; otherwise order decides. */
  parameter_name?: string | undefined
}

export type TemplateUrlButton = {
  type: 'button'
  sub_type: 'url'
  /** The position of the button, from 0. */
  index: string
  parameters?: readonly TemplateTextParameter[] | undefined
}

export type TemplateVideoParameter = {
  type: 'video'
  video: MediaSource
}

export type TemplateVoiceCallButton = {
  type: 'button'
  sub_type: 'voice_call'
  /** The position of the button, from 0. */
  index: string
  parameters?: ReadonlyArray<Record<string, unknown>> | undefined
}

/** An event with ids only: to an endpoint with `payload: thin`, and to every endpoint where the whole would be more than 256 KiB. */
export type ThinEvent = {
  object: 'event'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  id: string
  /** Rises by one per organization, without gaps. Null on test events, which have no place in that order. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks gives it. */
  timestamp: string
  /** Date of the schema of `data`. */
  version: string
  /** Identifier that begins with `org_`. Opaque, sortable by creation. */
  tenant: string
  /** Present on test events only: nothing happened. Receivers check it before they act. */
  test?: true
  actor: Actor
  type: string
  /** Present where the whole event was too large to be sent. */
  truncated?: true
  /** The path to fetch the whole event from. */
  self: string
  /** What names things alone: `object`, `id`, and other ids such as `chat_id`. */
  data: Record<string, string>
}

/** One HTTP request made for a delivery. */
export type WebhookAttempt = {
  object: 'webhook_attempt'
  /** Identifier that begins with `att_`. Opaque, sortable by creation. */
  id: string
  /** As sent in `webhook-attempt`. */
  number: number
  trigger: Open<'auto' | 'manual' | 'recover' | 'test' | 'probe'>
  outcome: Open<'succeeded' | 'failed'>
  /** As called; whatever may be a secret in it is masked. */
  url: string
  /** The address dialled. */
  ip: string | null
  http_version: string | null
  request_headers: Record<string, string>
  request_bytes: number
  /** Of the body as sent; the body itself is the event. */
  body_sha256: string
  /** RFC 3339, UTC, with milliseconds. */
  started_at: string
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  ttfb_ms: number | null
  total_ms: number
  /** How long the rate of the endpoint held it back before. */
  throttled_ms: number
  response_status: number | null
  response_headers: Record<string, string> | null
  /** The first 16 KiB. */
  response_body: string | null
  response_encoding: Open<'utf8' | 'base64'>
  response_truncated: boolean
  error_class: string | null
  error_detail: string | null
  retry_after_ms: number | null
  /** RFC 3339, UTC, with milliseconds. */
  next_attempt_at: string | null
  worker_id: string
  /** For support. */
  lease_token: string
}

/** A graded trial of the receiver behind a webhook endpoint, with the likely bugs named. */
export type WebhookCertification = {
  object: 'webhook_certification'
  /** Identifier that begins with `job_`. Opaque, sortable by creation. */
  id: string
  /** Identifier that begins with `wep_`. Opaque, sortable by creation. */
  endpoint_id: string
  status: Open<'pending' | 'running' | 'completed' | 'failed'>
  /** Why there is no report. */
  failure: string | null
  /** A: all right. B: small things. C: one serious bug. D: several. F: forged events get in, or genuine ones do not. */
  grade: Open<'A' | 'B' | 'C' | 'D' | 'F'> | null
  summary: string | null
  /** Worst first. */
  likely_bugs: WebhookLikelyBug[]
  probes: WebhookProbe[]
  /** Sent only when a plain event was refused, to find out why. */
  trials: WebhookTrial[]
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  started_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  completed_at: string | null
}

/** One event owed to one endpoint. */
export type WebhookDelivery = {
  object: 'webhook_delivery'
  /** Identifier that begins with `dlv_`. Opaque, sortable by creation. */
  id: string
  /** Also the `webhook-id` of every attempt. */
  event_id: string
  /** Identifier that begins with `wep_`. Opaque, sortable by creation. */
  endpoint_id: string
  type: string
  /** Null on test events. */
  sequence: number | null
  /** `held` waits for its endpoint to be resumed; `skipped` and `cancelled` will not be sent unless recovered or resent. */
  status: Open<'pending' | 'in_flight' | 'succeeded' | 'failed' | 'held' | 'cancelled' | 'skipped'>
  /** Why it is where it is; null where there is nothing to say. */
  reason: string | null
  test: boolean
  attempt_count: number
  last_response_status: number | null
  last_error_class: string | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  first_attempt_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  next_attempt_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  completed_at: string | null
}

export type WebhookDeliveryList = {
  object: 'list'
  data: WebhookDelivery[]
  /** Whether there are more after this page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** A delivery with its attempts. */
export type WebhookDeliveryWithAttempts = {
  object: 'webhook_delivery'
  /** Identifier that begins with `dlv_`. Opaque, sortable by creation. */
  id: string
  /** Also the `webhook-id` of every attempt. */
  event_id: string
  /** Identifier that begins with `wep_`. Opaque, sortable by creation. */
  endpoint_id: string
  type: string
  /** Null on test events. */
  sequence: number | null
  /** `held` waits for its endpoint to be resumed; `skipped` and `cancelled` will not be sent unless recovered or resent. */
  status: Open<'pending' | 'in_flight' | 'succeeded' | 'failed' | 'held' | 'cancelled' | 'skipped'>
  /** Why it is where it is; null where there is nothing to say. */
  reason: string | null
  test: boolean
  attempt_count: number
  last_response_status: number | null
  last_error_class: string | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  first_attempt_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  next_attempt_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  completed_at: string | null
  /** Oldest first. Of more than 100 the newest 100; `attempt_count` tells how many there were. */
  attempts: WebhookAttempt[]
}

/** A URL that events are sent to, signed with its own secret. */
export type WebhookEndpoint = {
  object: 'webhook_endpoint'
  /** Identifier that begins with `wep_`. Opaque, sortable by creation. */
  id: string
  /** Where events are posted to. Public, https, without user name or fragment. */
  url: string
  description: string | null
  events: string[]
  /** `degraded` is enabled with a breaker that is not closed. Paused by a person, disabled by Nexkit or the receiver. */
  state: Open<'enabled' | 'degraded' | 'paused' | 'disabled'>
  disabled_reason: Open<'no_success' | 'gone' | 'receiver_wish'> | null
  /** `thin` sends ids only; fetch the resource for the rest. */
  payload: Open<'full' | 'thin'>
  /** `strict` sends one at a time in order of `sequence`; `by_key` does so per resource. Either waits behind what fails. */
  ordering: Open<'none' | 'by_key' | 'strict'>
  /** Null for no limit. */
  max_per_second: number | null
  /** For the whole request, response included. */
  timeout_ms: number
  retry_delays_seconds: number[]
  /** Other waits for some events. */
  retry_delays_by_event: Record<string, number[]>
  /** `v1` is HMAC-SHA256 with the secret, `v1a` Ed25519 with a public key. No official library reads `v1a`. */
  signing: Open<'v1' | 'v1a' | 'both'>
  /** The custom headers, their values masked. */
  custom_headers: Record<string, string>
  tls: WebhookTlsPresence
  /** The end of the current secret, to tell it from others. */
  secret_hint: string
  /** For `v1a`, newest first. Also as JWK set at `/.well-known/webhook-keys.json`. */
  public_keys: string[]
  health: WebhookHealth
  last_ping: WebhookPing | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
}

/** What is left out stays as it is. */
export type WebhookEndpointChange = {
  /** Where events are posted to. Public, https, without user name or fragment. */
  url?: string | undefined
  /** Names of events, everything of a resource as `order.*`, or `*` for all. */
  events?: ReadonlyArray<
    | '*'
    | 'approval.*'
    | 'chat.*'
    | 'contact.*'
    | 'delivery.*'
    | 'endpoint.*'
    | 'key.*'
    | 'message.*'
    | 'order.*'
    | 'payment.*'
    | 'approval.decided'
    | 'approval.requested'
    | 'chat.created'
    | 'chat.updated'
    | 'contact.updated'
    | 'delivery.exhausted'
    | 'delivery.recovered'
    | 'endpoint.created'
    | 'endpoint.degraded'
    | 'endpoint.deleted'
    | 'endpoint.disabled'
    | 'endpoint.pinged'
    | 'endpoint.recovered'
    | 'endpoint.updated'
    | 'key.created'
    | 'key.revoked'
    | 'key.rotated'
    | 'message.delivered'
    | 'message.failed'
    | 'message.read'
    | 'message.received'
    | 'message.sent'
    | 'order.cancelled'
    | 'order.completed'
    | 'order.created'
    | 'order.expired'
    | 'order.needs_review'
    | 'order.paid'
    | 'order.refunded'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.paid'
    | 'payment.pending'
    | 'payment.refunded'
    | 'payment.reversed'
  > | undefined
  description?: string | null | undefined
  /** `thin` sends ids only; fetch the resource for the rest. */
  payload?: 'full' | 'thin' | undefined
  /** `strict` sends one at a time in order of `sequence`; `by_key` does so per resource. Either waits behind what fails. */
  ordering?: 'none' | 'by_key' | 'strict' | undefined
  /** Null for no limit. */
  max_per_second?: number | null | undefined
  /** For the whole request, response included. */
  timeout_ms?: number | undefined
  /** Seconds to wait after each failed attempt, for deliveries from now on. Null for the standard schedule: 12 attempts in 3 days. */
  retry_delays_seconds?: readonly number[] | null | undefined
  /** Replaces all of them; null removes them. */
  retry_delays_by_event?: Record<string, readonly number[]> | null | undefined
  /** `v1` is HMAC-SHA256 with the secret, `v1a` Ed25519 with a public key. No official library reads `v1a`. */
  signing?: 'v1' | 'v1a' | 'both' | undefined
  /** Replaces all custom headers. */
  custom_headers?: Record<string, string> | undefined
  /** Replaces all TLS material; null removes it. */
  tls?: WebhookTls | null | undefined
}

export type WebhookEndpointList = {
  object: 'list'
  data: WebhookEndpoint[]
  /** Whether there are more after this page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** A webhook endpoint as events tell of it. */
export type WebhookEndpointSummary = {
  object: 'webhook_endpoint'
  /** Identifier that begins with `wep_`. Opaque, sortable by creation. */
  id: string
  /** Whatever may be a secret in it is masked. */
  url: string
  description: string | null
  events: string[]
  state: Open<'enabled' | 'degraded' | 'paused' | 'disabled'>
  disabled_reason: string | null
  /** RFC 3339, UTC, with milliseconds. */
  failing_since: string | null
  failures_since_success: number
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
}

/** A webhook endpoint with its new secret. */
export type WebhookEndpointWithSecret = {
  object: 'webhook_endpoint'
  /** Identifier that begins with `wep_`. Opaque, sortable by creation. */
  id: string
  /** Where events are posted to. Public, https, without user name or fragment. */
  url: string
  description: string | null
  events: string[]
  /** `degraded` is enabled with a breaker that is not closed. Paused by a person, disabled by Nexkit or the receiver. */
  state: Open<'enabled' | 'degraded' | 'paused' | 'disabled'>
  disabled_reason: Open<'no_success' | 'gone' | 'receiver_wish'> | null
  /** `thin` sends ids only; fetch the resource for the rest. */
  payload: Open<'full' | 'thin'>
  /** `strict` sends one at a time in order of `sequence`; `by_key` does so per resource. Either waits behind what fails. */
  ordering: Open<'none' | 'by_key' | 'strict'>
  /** Null for no limit. */
  max_per_second: number | null
  /** For the whole request, response included. */
  timeout_ms: number
  retry_delays_seconds: number[]
  /** Other waits for some events. */
  retry_delays_by_event: Record<string, number[]>
  /** `v1` is HMAC-SHA256 with the secret, `v1a` Ed25519 with a public key. No official library reads `v1a`. */
  signing: Open<'v1' | 'v1a' | 'both'>
  /** The custom headers, their values masked. */
  custom_headers: Record<string, string>
  tls: WebhookTlsPresence
  /** The end of the current secret, to tell it from others. */
  secret_hint: string
  /** For `v1a`, newest first. Also as JWK set at `/.well-known/webhook-keys.json`. */
  public_keys: string[]
  health: WebhookHealth
  last_ping: WebhookPing | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
  /** Signs with `v1`. Shown this once: keep it now. */
  secret: string
}

/** Why an event did or did not reach its endpoints. */
export type WebhookExplanation = {
  object: 'webhook_explanation'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  event_id: string
  type: string
  /** Null on test events. */
  sequence: number | null
  /** One per endpoint, oldest endpoint first. */
  stories: WebhookExplanationStory[]
}

/** A sentence, with a stable code and what it says as data: to tell it in other words. */
export type WebhookExplanationSentence = {
  /** Stable, for programs. */
  code: string
  says: string
  /** What the sentence says, as data. */
  details: Record<string, unknown>
}

/** One thing that happened, or that holds now. */
export type WebhookExplanationStep = {
  /** When it happened; null for what holds in general or now. */
  at: string | null
  /** Stable, for programs. */
  code: string
  says: string
  /** What the sentence says, as data. */
  details: Record<string, unknown>
}

/** What became of an event at one endpoint. */
export type WebhookExplanationStory = {
  /** Identifier that begins with `wep_`. Opaque, sortable by creation. */
  endpoint_id: string
  /** Whatever may be a secret in it is masked. */
  url: string
  /** Identifier that begins with `dlv_`. Opaque, sortable by creation. */
  delivery_id: string | null
  /** `not_owed`: by rule it was never to be sent there. `unknown`: it should have been, and there is no trace of it. */
  verdict: Open<'delivered' | 'in_flight' | 'pending' | 'failed' | 'held' | 'cancelled' | 'skipped' | 'not_owed' | 'unknown'>
  /** The answer in a sentence. */
  says: string
  /** What to do about it; null when nothing needs doing. */
  next_step: string | null
  /** `says`, sentence by sentence. */
  answer: WebhookExplanationSentence[]
  /** `next_step`, sentence by sentence. */
  advice: WebhookExplanationSentence[]
  /** The whole story in order. */
  steps: WebhookExplanationStep[]
}

/** How the receiver does, and what waits for it. */
export type WebhookHealth = {
  /** `open` delays deliveries, it spends none. */
  breaker: Open<'closed' | 'open' | 'half_open'>
  /** Nothing is sent before: breaker, rate or Retry-After. */
  blocked_until: string | null
  /** `endpoint_reordering` while what waits is brought into a new `ordering`; nothing is sent until it is. */
  blocked_reason: string | null
  /** RFC 3339, UTC, with milliseconds. */
  failing_since: string | null
  failures_since_success: number
  /** RFC 3339, UTC, with milliseconds. */
  last_success_at: string | null
  /** Of those among the last 100 deliveries that have finished. */
  success_rate: number | null
  in_flight: number
  /** Waiting to be sent, or sent again; counted up to 10,000. */
  backlog: number
  /** Kept until the endpoint is resumed; counted up to 10,000. */
  held: number
}

/** A mistake of the receiver that explains what was seen. */
export type WebhookLikelyBug = {
  code: Open<
    | 'not_reached'
    | 'not_answered'
    | 'redirects'
    | 'url_not_found'
    | 'does_not_verify'
    | 'accepts_unsigned'
    | 'body_not_covered'
    | 'secret_as_text'
    | 'secret_prefix_decoded'
    | 'digest_as_hex'
    | 'version_not_removed'
    | 'body_alone_hashed'
    | 'milliseconds_expected'
    | 'v1a_not_supported'
    | 'clock_off'
    | 'handler_fails'
    | 'genuine_refused'
    | 'no_timestamp_check'
    | 'body_reserialized'
    | 'body_reencoded'
    | 'header_compared_whole'
    | 'first_signature_only'
    | 'large_body_refused'
    | 'large_body_not_answered'
    | 'duplicate_refused'
    | 'order_assumed'
    | 'unknown_type_fails'
    | 'unknown_members_refused'
    | 'answers_unsteadily'
    | 'very_slow'
    | 'slow'
    | 'future_timestamp_accepted'
    | 'unknown_type_refused'
    | 'forgery_fails'
    | 'forgery_not_answered'
    | 'rate_limited'
    | 'not_finished'
  >
  severity: Open<'critical' | 'serious' | 'minor'>
  /** What is probably wrong and what to do. */
  says: string
  /** The probes that showed it. */
  probes: Array<Open<
    | 'plain'
    | 'forged_signature'
    | 'missing_signature'
    | 'tampered_body'
    | 'old_timestamp'
    | 'future_timestamp'
    | 'duplicate'
    | 'reordered_pair'
    | 'unknown_type'
    | 'unknown_members'
    | 'unicode_body'
    | 'unusual_spelling'
    | 'large_body'
    | 'rotated_known_last'
    | 'rotated_known_first'
    | 'response_time'
  >>
}

/** What came of trying the URL, when it was saved or since; null once that is longer ago than deliveries are kept. */
export type WebhookPing = {
  /** Identifier that begins with `dlv_`. Opaque, sortable by creation. */
  delivery_id: string
  status: Open<'pending' | 'succeeded' | 'failed'>
  response_status: number | null
  error_class: string | null
  /** RFC 3339, UTC, with milliseconds. */
  at: string | null
}

/** One question put to the receiver. */
export type WebhookProbe = {
  name: Open<
    | 'plain'
    | 'forged_signature'
    | 'missing_signature'
    | 'tampered_body'
    | 'old_timestamp'
    | 'future_timestamp'
    | 'duplicate'
    | 'reordered_pair'
    | 'unknown_type'
    | 'unknown_members'
    | 'unicode_body'
    | 'unusual_spelling'
    | 'large_body'
    | 'rotated_known_last'
    | 'rotated_known_first'
    | 'response_time'
  >
  /** What was sent. */
  title: string
  /** What a sound receiver does with it. */
  expected: string
  verdict: Open<'pass' | 'warn' | 'fail' | 'skipped'>
  likely_bug: string | null
  detail: string | null
  exchanges: WebhookProbeExchange[]
}

/** One message of a probe and what came back. */
export type WebhookProbeExchange = {
  sent: {
    /** The signed headers as they were sent. */
    signed_headers: Record<string, string>
    body_bytes: number
    /** The first characters of the body. */
    body: string
  }
  received: {
    status: number | null
    /** Why there was no complete answer. */
    error_class: string | null
    error_detail: string | null
    /** Where a redirect points to. */
    location: string | null
    /** The first characters of the answer. */
    body: string | null
    total_ms: number
  }
}

/** What to recover. Only `since` is required. */
export type WebhookRecover = {
  /** Events from this time on. At most as long ago as events are kept. */
  since: string
  /** Events before this time; now by default. */
  until?: string | undefined
  /** Only these events: names, `order.*`, or `*`. */
  types?: ReadonlyArray<
    | '*'
    | 'approval.*'
    | 'chat.*'
    | 'contact.*'
    | 'delivery.*'
    | 'endpoint.*'
    | 'key.*'
    | 'message.*'
    | 'order.*'
    | 'payment.*'
    | 'approval.decided'
    | 'approval.requested'
    | 'chat.created'
    | 'chat.updated'
    | 'contact.updated'
    | 'delivery.exhausted'
    | 'delivery.recovered'
    | 'endpoint.created'
    | 'endpoint.degraded'
    | 'endpoint.deleted'
    | 'endpoint.disabled'
    | 'endpoint.pinged'
    | 'endpoint.recovered'
    | 'endpoint.updated'
    | 'key.created'
    | 'key.revoked'
    | 'key.rotated'
    | 'message.delivered'
    | 'message.failed'
    | 'message.read'
    | 'message.received'
    | 'message.sent'
    | 'order.cancelled'
    | 'order.completed'
    | 'order.created'
    | 'order.expired'
    | 'order.needs_review'
    | 'order.paid'
    | 'order.refunded'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.paid'
    | 'payment.pending'
    | 'payment.refunded'
    | 'payment.reversed'
  > | undefined
  /** Only deliveries of this status, one or several; all that the mode covers by default. */
  status?:
    | 'failed' | 'cancelled' | 'skipped' | 'held' | 'pending' | 'succeeded'
    | ReadonlyArray<'failed' | 'cancelled' | 'skipped' | 'held' | 'pending' | 'succeeded'> | undefined
  /** `failed`: what was owed and did not arrive, also what waits for its next attempt. `missing`: what matches the subscription but was never owed, for example from before the endpoint was made. `held`: what was held or skipped while the endpoint rested. `all`: everything again, also what arrived; duplicates by design. Events from before the endpoint was created only with `include_before_creation`. When absent: `failed`. */
  mode?: 'failed' | 'missing' | 'held' | 'all' | undefined
  /** With mode `all`: also events from before the endpoint was created, which it never had to get. Mode `missing` always includes them. When absent: `false`. */
  include_before_creation?: boolean | undefined
  /** Only count. When absent: `false`. */
  dry_run?: boolean | undefined
}

/** The recovery that has begun; for a dry run, what it would do. */
export type WebhookRecoverReply = WebhookRecovery | WebhookRecoveryEstimate

/** A job that sends what an endpoint did not get. */
export type WebhookRecovery = {
  object: 'webhook_recovery'
  /** Identifier that begins with `job_`. Opaque, sortable by creation. */
  id: string
  /** Identifier that begins with `wep_`. Opaque, sortable by creation. */
  endpoint_id: string
  mode: Open<'failed' | 'missing' | 'held' | 'all'>
  include_before_creation: boolean
  /** RFC 3339, UTC, with milliseconds. */
  since: string
  /** RFC 3339, UTC, with milliseconds. */
  until: string
  /** Null for all. */
  types: string[] | null
  /** Null for all that the mode covers. */
  statuses: Array<Open<'failed' | 'cancelled' | 'skipped' | 'held' | 'pending' | 'succeeded'>> | null
  /** `completed` once everything was tried at least once; what failed is retried on the usual schedule. */
  status: Open<'counting' | 'running' | 'completed' | 'cancelled'>
  /** Why it does not move now (`endpoint_paused`, `endpoint_disabled`, `endpoint_resuming`), or why it was cancelled (`by_request`, `resumed_from_now`, `endpoint_disabled`, `endpoint_deleted`, `internal_error`). */
  reason: string | null
  progress: WebhookRecoveryProgress
  /** By type of event, in alphabetical order. */
  counts: WebhookRecoveryCount[]
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  finished_at: string | null
}

/** How many of one type of event. */
export type WebhookRecoveryCount = {
  type: string
  total: number
  done: number
}

/** What a recovery would send. Nothing was done. */
export type WebhookRecoveryEstimate = {
  object: 'webhook_recovery_estimate'
  /** Identifier that begins with `wep_`. Opaque, sortable by creation. */
  endpoint_id: string
  mode: Open<'failed' | 'missing' | 'held' | 'all'>
  include_before_creation: boolean
  /** RFC 3339, UTC, with milliseconds. */
  since: string
  /** RFC 3339, UTC, with milliseconds. */
  until: string
  /** Null for all. */
  types: string[] | null
  /** Null for all that the mode covers. */
  statuses: Array<Open<'failed' | 'cancelled' | 'skipped' | 'held' | 'pending' | 'succeeded'>> | null
  total: number
  /** False when there is so much that counting was stopped: at least that many. */
  is_exact: boolean
  counts: WebhookRecoveryEstimateCount[]
}

/** How many of one type of event. */
export type WebhookRecoveryEstimateCount = {
  type: string
  total: number
}

export type WebhookRecoveryList = {
  object: 'list'
  data: WebhookRecovery[]
  /** Whether there are more after this page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** How far a recovery has come. */
export type WebhookRecoveryProgress = {
  /** Null while counting. Exact once completed. */
  total: number | null
  /** Handed over for sending. */
  done: number
  /** Of those, not tried yet; counted up to 10,000. */
  queued: number
}

/** The resend is on its way. */
export type WebhookResend = {
  object: 'webhook_resend'
  /** The attempt appears under this id in the log of the delivery. */
  attempt_id: string
  /** Identifier that begins with `dlv_`. Opaque, sortable by creation. */
  delivery_id: string
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  event_id: string
  /** Identifier that begins with `wep_`. Opaque, sortable by creation. */
  endpoint_id: string
}

/** How to go on. */
export type WebhookResume = {
  /** `recover_held` sends all that was held or waited, `from_now` marks it skipped and starts afresh. When absent: `recover_held`. */
  mode?: 'from_now' | 'recover_held' | undefined
}

/** How to replace the secret. */
export type WebhookSecretRotation = {
  /** How long the old secret signs along. 0 revokes it now, after a leak. When absent: `86400`. */
  overlap_seconds?: number | undefined
}

/** Which example to send. */
export type WebhookTest = {
  /** The event to send an example of. */
  type:
    | 'approval.decided'
    | 'approval.requested'
    | 'chat.created'
    | 'chat.updated'
    | 'contact.updated'
    | 'delivery.exhausted'
    | 'delivery.recovered'
    | 'endpoint.created'
    | 'endpoint.degraded'
    | 'endpoint.deleted'
    | 'endpoint.disabled'
    | 'endpoint.pinged'
    | 'endpoint.recovered'
    | 'endpoint.updated'
    | 'key.created'
    | 'key.revoked'
    | 'key.rotated'
    | 'message.delivered'
    | 'message.failed'
    | 'message.read'
    | 'message.received'
    | 'message.sent'
    | 'order.cancelled'
    | 'order.completed'
    | 'order.created'
    | 'order.expired'
    | 'order.needs_review'
    | 'order.paid'
    | 'order.refunded'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.paid'
    | 'payment.pending'
    | 'payment.refunded'
    | 'payment.reversed'
}

/** The test is on its way. */
export type WebhookTestReply = {
  object: 'webhook_test'
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  event_id: string
  /** Get this delivery for what came of it. */
  delivery_id: string
  /** Identifier that begins with `wep_`. Opaque, sortable by creation. */
  endpoint_id: string
  type: string
}

/** Extra authorities, and a client certificate with its key. Stored encrypted, never shown. */
export type WebhookTls = {
  /** Further authorities to trust. */
  ca?: string | undefined
  client_certificate?: string | undefined
  client_key?: string | undefined
}

/** Which TLS material is there. */
export type WebhookTlsPresence = {
  ca: boolean
  client_certificate: boolean
}

/** A message signed as a receiver with a certain mistake would expect it. */
export type WebhookTrial = {
  /** The mistake with which this message would be accepted. */
  bug: Open<
    | 'not_reached'
    | 'not_answered'
    | 'redirects'
    | 'url_not_found'
    | 'does_not_verify'
    | 'accepts_unsigned'
    | 'body_not_covered'
    | 'secret_as_text'
    | 'secret_prefix_decoded'
    | 'digest_as_hex'
    | 'version_not_removed'
    | 'body_alone_hashed'
    | 'milliseconds_expected'
    | 'v1a_not_supported'
    | 'clock_off'
    | 'handler_fails'
    | 'genuine_refused'
    | 'no_timestamp_check'
    | 'body_reserialized'
    | 'body_reencoded'
    | 'header_compared_whole'
    | 'first_signature_only'
    | 'large_body_refused'
    | 'large_body_not_answered'
    | 'duplicate_refused'
    | 'order_assumed'
    | 'unknown_type_fails'
    | 'unknown_members_refused'
    | 'answers_unsteadily'
    | 'very_slow'
    | 'slow'
    | 'future_timestamp_accepted'
    | 'unknown_type_refused'
    | 'forgery_fails'
    | 'forgery_not_answered'
    | 'rate_limited'
    | 'not_finished'
  >
  title: string
  is_accepted: boolean
  exchange: WebhookProbeExchange
}

/** The query of `listApprovals`. */
export type ListApprovalsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** Where to go on: `next_cursor` of the page before. */
  cursor?: string | undefined
  /** Only those in this state. */
  status?: 'pending' | 'approved' | 'refused' | 'expired' | 'done' | 'failed' | undefined
  /** Only those of this agent. */
  agent?: string | undefined
}

/** The query of `getApproval`. */
export type GetApprovalQuery = {
  /** Wait up to this many seconds for the end of it: done, failed, refused or expired. Without it, answer at once. */
  wait?: number | undefined
}

/** The query of `listChats`. */
export type ListChatsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** Where to go on: `next_cursor` of the page before. */
  cursor?: string | undefined
  /** Only chats with unread messages, or only those without. */
  unread?: boolean | undefined
  /** Only open chats, or only closed ones. */
  status?: 'open' | 'closed' | undefined
  /** Only chats with this label. */
  label?: string | undefined
  /** Only chats of this assignee. */
  assignee?: string | undefined
  /** The business number, by its id, its `phone_number_id` or its phone. */
  number?: string | undefined
  /** Only chats with people whose name begins like this or whose phone begins or ends like this, and chats with messages that hold all these words. A word that is in more than 10,000 messages finds some of their chats only. */
  q?: string | undefined
  /** Only chats in which something happened from then on. */
  since?: string | undefined
}

/** The query of `getChat`. */
export type GetChatQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** Where to go on: `next_cursor` of the page before. */
  cursor?: string | undefined
  /** The business number, by its id, its `phone_number_id` or its phone. */
  number?: string | undefined
}

/** The query of `updateChat`. */
export type UpdateChatQuery = {
  /** The business number, by its id, its `phone_number_id` or its phone. */
  number?: string | undefined
}

/** The query of `markChatRead`. */
export type MarkChatReadQuery = {
  /** The business number, by its id, its `phone_number_id` or its phone. */
  number?: string | undefined
}

/** The query of `listContacts`. */
export type ListContactsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** Where to go on: `next_cursor` of the page before. */
  cursor?: string | undefined
  /** Only people whose name begins like this, or whose phone begins or ends like this. */
  q?: string | undefined
}

/** The query of `listDeliveries`. */
export type ListDeliveriesQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** Where to go on: `next_cursor` of the page before. */
  cursor?: string | undefined
  /** Identifier that begins with `wep_`. Opaque, sortable by creation. */
  endpoint?: string | undefined
  /** Identifier that begins with `evt_`. Opaque, sortable by creation. */
  event?: string | undefined
  /** Only deliveries of this type of event. */
  type?: 
    | 'approval.decided'
    | 'approval.requested'
    | 'chat.created'
    | 'chat.updated'
    | 'contact.updated'
    | 'delivery.exhausted'
    | 'delivery.recovered'
    | 'endpoint.created'
    | 'endpoint.degraded'
    | 'endpoint.deleted'
    | 'endpoint.disabled'
    | 'endpoint.pinged'
    | 'endpoint.recovered'
    | 'endpoint.updated'
    | 'key.created'
    | 'key.revoked'
    | 'key.rotated'
    | 'message.delivered'
    | 'message.failed'
    | 'message.read'
    | 'message.received'
    | 'message.sent'
    | 'order.cancelled'
    | 'order.completed'
    | 'order.created'
    | 'order.expired'
    | 'order.needs_review'
    | 'order.paid'
    | 'order.refunded'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.paid'
    | 'payment.pending'
    | 'payment.refunded'
    | 'payment.reversed' | undefined
  /** Any of these, joined with commas. `pending` includes what is in flight, `held` what waits for a retry at an endpoint that is paused or disabled. */
  status?: OneOrMore<'pending' | 'succeeded' | 'failed' | 'held' | 'cancelled' | 'skipped'> | undefined
  /** Only deliveries of events that happened from then on. */
  since?: string | undefined
  /** Test deliveries and pings instead of real ones. Not needed with `event`. */
  test?: boolean | undefined
}

/** The query of `listEventTypes`. */
export type ListEventTypesQuery = {
  /** Only the type of this name. */
  name?: string | undefined
}

/** The query of `listEvents`. */
export type ListEventsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** Where to go on: `next_cursor` of the page before. */
  cursor?: string | undefined
  /** Only events with a higher sequence, oldest first: the way to close a gap. 0 is the oldest that is kept. Without it the newest come first. */
  after?: number | undefined
  /** Only these events, joined with commas: names, or everything of a resource as `order.*`. */
  types?: OneOrMore<
    | '*'
    | 'approval.*'
    | 'chat.*'
    | 'contact.*'
    | 'delivery.*'
    | 'endpoint.*'
    | 'key.*'
    | 'message.*'
    | 'order.*'
    | 'payment.*'
    | 'approval.decided'
    | 'approval.requested'
    | 'chat.created'
    | 'chat.updated'
    | 'contact.updated'
    | 'delivery.exhausted'
    | 'delivery.recovered'
    | 'endpoint.created'
    | 'endpoint.degraded'
    | 'endpoint.deleted'
    | 'endpoint.disabled'
    | 'endpoint.pinged'
    | 'endpoint.recovered'
    | 'endpoint.updated'
    | 'key.created'
    | 'key.revoked'
    | 'key.rotated'
    | 'message.delivered'
    | 'message.failed'
    | 'message.read'
    | 'message.received'
    | 'message.sent'
    | 'order.cancelled'
    | 'order.completed'
    | 'order.created'
    | 'order.expired'
    | 'order.needs_review'
    | 'order.paid'
    | 'order.refunded'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.paid'
    | 'payment.pending'
    | 'payment.refunded'
    | 'payment.reversed'
  > | undefined
  /** Only events about this resource id. */
  subject?: string | undefined
  /** Test events (tests and pings of endpoints) instead of real ones, newest first. They have no sequence, so not together with `after`. */
  test?: boolean | undefined
}

/** The query of `explainEvent`. */
export type ExplainEventQuery = {
  /** Only this endpoint; it may be a deleted one. */
  endpoint?: string | undefined
}

/** The query of `eraseEventPayload`. */
export type EraseEventPayloadQuery = {
  /** `cancel` gives up the deliveries that wait. What is being sent at the moment is never given up. */
  unfinished?: 'keep' | 'cancel' | undefined
}

/** The query of `listMessages`. */
export type ListMessagesQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** Where to go on: `next_cursor` of the page before. */
  cursor?: string | undefined
  /** Only messages with words that begin like these; all of them have to be there. */
  q?: string | undefined
  /** Only messages of this chat: a phone in any spelling, or what else `GET /chats/{phone}` takes. */
  chat?: string | undefined
}

/** The query of `listOrders`. */
export type ListOrdersQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** Where to go on: `next_cursor` of the page before. */
  cursor?: string | undefined
  /** Any of these, joined with commas. */
  status?: OneOrMore<'draft' | 'pending_payment' | 'confirmed' | 'processing' | 'expired' | 'completed' | 'cancelled'> | undefined
  /** Any of these, joined with commas. */
  payment_status?: OneOrMore<
    | 'unpaid'
    | 'pending'
    | 'partially_paid'
    | 'paid'
    | 'overpaid'
    | 'partially_refunded'
    | 'refunded'
    | 'reversed'
  > | undefined
  /** Of the customer, in any usual spelling. */
  phone?: string | undefined
  /** Of this chat, and of those that went into it. */
  chat_id?: string | undefined
  /** Exactly this one. */
  reference?: string | undefined
  /** Only those that a person should look at, or only others. */
  needs_review?: boolean | undefined
  /** Made at this time or later. */
  created_after?: string | undefined
  /** Made before this time. */
  created_before?: string | undefined
  /** Changed at this time or later. */
  updated_after?: string | undefined
  /** Changed before this time. */
  updated_before?: string | undefined
  /** The number, the reference, the phone, or the beginning of the customer’s name. */
  q?: string | undefined
}

/** The query of `listWebhookEndpoints`. */
export type ListWebhookEndpointsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** Where to go on: `next_cursor` of the page before. */
  cursor?: string | undefined
}

/** The query of `listWebhookRecoveries`. */
export type ListWebhookRecoveriesQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** Where to go on: `next_cursor` of the page before. */
  cursor?: string | undefined
}
