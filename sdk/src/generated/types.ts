// Made from openapi.json by `npm run openapi`. Changes made here are lost.

/** One of these today; others may be added within v1. */
export type Open<T extends string> = T | (string & {})

/** One value of a filter, or several of which any may fit. */
export type OneOrMore<T> = T | readonly T[]

/** The actor that caused the event: a key, an agent, a person, a customer, or Nexkit. */
export type Actor = {
  /** The kind of actor. */
  type: Open<'key' | 'agent' | 'user' | 'contact' | 'system'>
  id: string | null
}

/** Changes of an AI agent. What is absent stays. */
export type AgentChange = {
  name?: string | undefined
  purpose?: string | null | undefined
  scopes?: ReadonlyArray<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'events:read'
    | 'webhooks:read'
  > | undefined
  /** RFC 3339, with Z or an offset. */
  expires_at?: string | null | undefined
  reach?: {
    numbers?: readonly string[] | undefined
    labels?: readonly string[] | undefined
    days?: number | null | undefined
    hides_phones?: boolean | undefined
  } | undefined
  limits?: {
    messages_per_minute?: number | null | undefined
    recipients_per_day?: number | null | undefined
    order_amount?: number | null | undefined
    order_amount_per_day?: number | null | undefined
  } | undefined
  rules?: ReadonlyArray<{
    operation:
      | 'sendMessage'
      | 'cancelMessage'
      | 'markChatRead'
      | 'updateChat'
      | 'createOrder'
      | 'updateOrder'
      | 'createOrderPayment'
      | 'processOrder'
      | 'shipOrder'
      | 'deliverOrder'
      | 'completeOrder'
      | 'cancelOrder'
      | 'createOrderRefund'
    decision: 'allow' | 'ask' | 'deny'
    ask_above?: number | null | undefined
  }> | undefined
  is_anchored?: boolean | undefined
}

/** An AI agent. */
export type AgentDetails = {
  object: 'agent'
  /** Id that begins with `agt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  name: string
  purpose: string | null
  state: Open<'active' | 'paused' | 'expired' | 'ended'>
  owner: {
    id: string
    name: string
    email: string
  } | null
  key_prefix: string | null
  connection: {
    client_name: string
    client_host: string
    connected_by: string
    /** RFC 3339, UTC, with milliseconds. */
    connected_at: string
  } | null
  scopes: Array<Open<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'events:read'
    | 'webhooks:read'
  >>
  reach: {
    numbers: string[]
    labels: string[]
    days: number | null
    hides_phones: boolean
  }
  limits: {
    messages_per_minute: number | null
    recipients_per_day: number | null
    order_amount: number | null
    order_amount_per_day: number | null
  }
  rules: Array<{
    operation: Open<
      | 'sendMessage'
      | 'cancelMessage'
      | 'markChatRead'
      | 'updateChat'
      | 'createOrder'
      | 'updateOrder'
      | 'createOrderPayment'
      | 'processOrder'
      | 'shipOrder'
      | 'deliverOrder'
      | 'completeOrder'
      | 'cancelOrder'
      | 'createOrderRefund'
    >
    decision: Open<'allow' | 'ask' | 'deny'>
    ask_above: number | null
  }>
  is_anchored: boolean
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  created_by: string
  /** RFC 3339, UTC, with milliseconds. */
  last_used_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  paused_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  ended_at: string | null
}

export type AgentDetailsList = {
  object: 'list'
  data: AgentDetails[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** Limits for what it does without approval; null for no limit. Approved requests do not count. */
export type AgentLimits = {
  messages_per_minute: number | null
  recipients_per_day: number | null
  order_amount: number | null
  order_amount_per_day: number | null
}

/** What the agent can access. Empty lists and null mean everything. */
export type AgentReach = {
  numbers: string[]
  labels: string[]
  days: number | null
  hides_phones: boolean
}

/** Whether an operation runs at once (`allow`), needs an approval (`ask`) or is refused (`deny`). With `ask_above`, higher amounts in rupiah need an approval. */
export type AgentRule = {
  operation: Open<
    | 'sendMessage'
    | 'cancelMessage'
    | 'markChatRead'
    | 'updateChat'
    | 'createOrder'
    | 'updateOrder'
    | 'createOrderPayment'
    | 'processOrder'
    | 'shipOrder'
    | 'deliverOrder'
    | 'completeOrder'
    | 'cancelOrder'
    | 'createOrderRefund'
  >
  decision: Open<'allow' | 'ask' | 'deny'>
  ask_above: number | null
}

/** An agent with its token. */
export type AgentWithToken = {
  object: 'agent'
  /** Id that begins with `agt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  name: string
  purpose: string | null
  state: Open<'active' | 'paused' | 'expired' | 'ended'>
  owner: {
    id: string
    name: string
    email: string
  } | null
  key_prefix: string | null
  connection: {
    client_name: string
    client_host: string
    connected_by: string
    /** RFC 3339, UTC, with milliseconds. */
    connected_at: string
  } | null
  scopes: Array<Open<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'events:read'
    | 'webhooks:read'
  >>
  reach: {
    numbers: string[]
    labels: string[]
    days: number | null
    hides_phones: boolean
  }
  limits: {
    messages_per_minute: number | null
    recipients_per_day: number | null
    order_amount: number | null
    order_amount_per_day: number | null
  }
  rules: Array<{
    operation: Open<
      | 'sendMessage'
      | 'cancelMessage'
      | 'markChatRead'
      | 'updateChat'
      | 'createOrder'
      | 'updateOrder'
      | 'createOrderPayment'
      | 'processOrder'
      | 'shipOrder'
      | 'deliverOrder'
      | 'completeOrder'
      | 'cancelOrder'
      | 'createOrderRefund'
    >
    decision: Open<'allow' | 'ask' | 'deny'>
    ask_above: number | null
  }>
  is_anchored: boolean
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  created_by: string
  /** RFC 3339, UTC, with milliseconds. */
  last_used_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  paused_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  ended_at: string | null
  /** The token. It is only in this response. */
  token: string
}

/** An API key in an event, without its token. */
export type ApiKey = {
  object: 'api_key'
  /** Id that begins with `key_`. Treat it as opaque; ids sort by creation time. */
  id: string
  name: string
  key_prefix: string
  scopes: Array<Open<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'events:read'
    | 'events:erase'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'approvals:read'
    | 'approvals:decide'
    | 'settings:read'
    | 'settings:write'
    | 'keys:read'
    | 'keys:write'
    | 'agents:read'
    | 'agents:write'
    | 'people:read'
    | 'people:write'
    | 'contacts:erase'
  >>
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  revoked_at: string | null
  /** Id that begins with `key_`. Treat it as opaque; ids sort by creation time. */
  rotated_to: string | null
}

/** Fields you leave out keep their value. */
export type ApiKeyChange = {
  name?: string | undefined
  scopes?: ReadonlyArray<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'events:read'
    | 'events:erase'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'approvals:read'
    | 'approvals:decide'
    | 'settings:read'
    | 'settings:write'
    | 'keys:read'
    | 'keys:write'
    | 'agents:read'
    | 'agents:write'
    | 'people:read'
    | 'people:write'
    | 'contacts:erase'
  > | undefined
  /** Replaces all ranges; an empty list allows all. */
  allowed_ips?: readonly string[] | undefined
}

/** How to rotate an API key. */
export type ApiKeyRotation = {
  /** How long the old key keeps working; 0 ends it now. When absent: `86400`. */
  overlap_seconds?: number | undefined
}

/** A request of an agent that needs the approval of a person. */
export type Approval = {
  object: 'approval'
  /** Id that begins with `apr_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** `approved`: about to run. `done`: ran successfully. `failed`: ran with an error. `expired`: not decided in time. */
  status: Open<'pending' | 'approved' | 'refused' | 'expired' | 'done' | 'failed'>
  agent: ApprovalAgent
  /** The operation id. */
  operation: Open<
    | 'sendMessage'
    | 'cancelMessage'
    | 'markChatRead'
    | 'updateChat'
    | 'createOrder'
    | 'updateOrder'
    | 'createOrderPayment'
    | 'processOrder'
    | 'shipOrder'
    | 'deliverOrder'
    | 'completeOrder'
    | 'cancelOrder'
    | 'createOrderRefund'
  >
  request: ApprovalRequest
  /** Amount in rupiah, if the request has one. */
  amount: number | null
  /** The chat of the request. */
  chat_id: string | null
  /** The order of the request. */
  order_id: string | null
  /** Why it needs an approval: a rule of the operation, its amount, a missing amount, or because the agent has read another conversation. */
  reason: Open<'rule' | 'amount' | 'open_amount' | 'anchor'>
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string
  /** RFC 3339, UTC, with milliseconds. */
  decided_at: string | null
  decided_by: ApprovalDecider | null
  /** The note of the person who decided. */
  note: string | null
  result: ApprovalResult | null
}

export type ApprovalAgent = {
  /** Id that begins with `agt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  name: string
}

/** A person, or a key on their behalf, approved or refused the request of an agent. */
export type ApprovalDecidedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'approval.decided'
  data: Approval
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `approval.decided` as an endpoint receives it: the full event, or only its ids. */
export type ApprovalDecidedPayload = ApprovalDecidedEvent | ThinEvent

export type ApprovalDecider = {
  type: Open<'user' | 'key'>
  id: string
  name: string | null
}

export type ApprovalDecision = {
  /** Shown to the agent and stored. */
  note?: string | undefined
}

export type ApprovalList = {
  object: 'list'
  data: Approval[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** The request that runs when it is approved. */
export type ApprovalRequest = {
  /** The path parameters. */
  params: Record<string, string>
  query: Record<string, string>
  body: Record<string, unknown> | null
}

/** An agent sent a request that needs the approval of a person. */
export type ApprovalRequestedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'approval.requested'
  data: Approval
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `approval.requested` as an endpoint receives it: the full event, or only its ids. */
export type ApprovalRequestedPayload = ApprovalRequestedEvent | ThinEvent

/** The response of the request when it ran. */
export type ApprovalResult = {
  status: number
  body: Record<string, unknown> | null
}

/** An audio file: exactly one of `id` and `link`. */
export type AudioSource = {
  /** Show it as a voice note. Needs OGG with Opus, mono. */
  voice?: boolean | undefined
} & ({
  /** The id of an uploaded or received file. */
  id: string
  link?: undefined
} | {
  /** A public URL that the channel downloads the file from. */
  link: string
  id?: undefined
})

/** One template to many people, each at most once. */
export type Broadcast = {
  object: 'broadcast'
  /** Id that begins with `brd_`. Treat it as opaque; ids sort by creation time. */
  id: string
  name: string
  status: Open<'draft' | 'running' | 'paused' | 'completed' | 'cancelled'>
  /** `requested` if a person or program paused it; `quality_low`, `number_paused` or `number_not_connected` if the number did; or the error code that refuses the template. */
  paused_reason: string | null
  /** Id that begins with `num_`. Treat it as opaque; ids sort by creation time. */
  number_id: string
  template: MessageTemplate
  label: string | null
  per_minute: number
  daily_max: number | null
  counts: BroadcastCounts
  /** How many people were left out, by reason. */
  skipped: Record<string, number>
  /** Of all who are or will be sent it. Null without `unit_price`. */
  estimated_cost: BroadcastCost | null
  /** RFC 3339, UTC, with milliseconds. */
  send_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  started_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  ended_at: string | null
}

/** Everyone in a broadcast was sent it or left out. Deliveries and failures are still reported by `message.*`. */
export type BroadcastCompletedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'broadcast.completed'
  data: Broadcast
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `broadcast.completed` as an endpoint receives it: the full event, or only its ids. */
export type BroadcastCompletedPayload = BroadcastCompletedEvent | ThinEvent

/** The cost of all messages of a broadcast. */
export type BroadcastCost = {
  amount: number
  currency: 'IDR'
}

/** People. `delivered`, `read` and `failed` are of those in `sent`, and a message that was read also counts as delivered. */
export type BroadcastCounts = {
  pending: number
  sent: number
  delivered: number
  read: number
  failed: number
  skipped: number
}

export type BroadcastList = {
  object: 'list'
  data: Broadcast[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** A broadcast was paused, by a person, a program or the state of its number; `paused_reason` says why. */
export type BroadcastPausedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'broadcast.paused'
  data: Broadcast
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `broadcast.paused` as an endpoint receives it: the full event, or only its ids. */
export type BroadcastPausedPayload = BroadcastPausedEvent | ThinEvent

/** One person of a broadcast, and what was sent to them. */
export type BroadcastRecipient = {
  object: 'broadcast_recipient'
  /** The phone number. Null for a person without one. */
  to: string | null
  /** Id that begins with `con_`. Treat it as opaque; ids sort by creation time. */
  contact_id: string | null
  status: Open<'pending' | 'sent' | 'skipped' | 'cancelled'>
  /** `opt_in_missing`, `opted_out`, `phone_impossible`, `other_number` (a person without a phone who writes to another number of yours), `duplicate` (in the list before), `erased`, or an error code of `POST /messages`. */
  reason: string | null
  /** Id that begins with `msg_`. Treat it as opaque; ids sort by creation time. */
  message_id: string | null
  /** As `status` of the message. */
  message_status: string | null
  /** The `error.code` of a message that failed. */
  message_error: string | null
  opt_in: {
    source: string
    /** RFC 3339, UTC, with milliseconds. */
    at: string
  } | null
  /** RFC 3339, UTC, with milliseconds. */
  sent_at: string | null
}

export type BroadcastRecipientList = {
  object: 'list'
  data: BroadcastRecipient[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** A number that messages are sent from. */
export type BusinessNumber = {
  object: 'number'
  /** Id that begins with `num_`. Treat it as opaque; ids sort by creation time. */
  id: string
  connector: string
  phone_number_id: string
  display_phone: string
  name: string
  base_url: string | null
  is_default: boolean
  state: Open<'connected' | 'paused' | 'disconnected'>
  state_reason: string | null
  credentials: Record<string, Open<'set' | 'not set'>>
  settings: Record<string, unknown>
  /** Where the network posts what happens. Register it there. */
  webhook_url: string
  health: {
    /** RFC 3339, UTC, with milliseconds. */
    last_event_at: string | null
    last_error: {
      code: string
      detail: string
      /** RFC 3339, UTC, with milliseconds. */
      at: string
    } | null
    /** Messages that wait to be sent. */
    queued: number
    /** What the network last reported about the number, newest first. */
    reports: Array<{
      field: string
      event: string | null
      detail: string
      is_trouble: boolean
      /** RFC 3339, UTC, with milliseconds. */
      at: string
    }>
  }
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
}

export type BusinessNumberList = {
  object: 'list'
  data: BusinessNumber[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** The chat of one customer with one business number. */
export type Chat = {
  object: 'chat'
  /** Id that begins with `chat_`. Treat it as opaque; ids sort by creation time. */
  id: string
  contact: ChatContact
  number: ChatNumber
  /** A message of the customer reopens a closed chat. */
  status: Open<'open' | 'closed'>
  /** Exact count. */
  unread_count: number
  labels: string[]
  assignee: string | null
  /** Null if all messages are scheduled for later. */
  last_message: ChatLastMessage | null
  reply_window: ChatReplyWindow
  open_order: ChatOpenOrder | null
  /** RFC 3339, UTC, with milliseconds. */
  last_activity_at: string
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
}

/** The fields to change. Others keep their value. */
export type ChatChange = {
  /** Replaces all labels of the chat. */
  labels?: readonly string[] | undefined
  /** The person responsible for the chat; null for none. */
  assignee?: string | null | undefined
  status?: 'open' | 'closed' | undefined
}

/** The customer on the other side of a chat. */
export type ChatContact = {
  /** Id that begins with `con_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** The name that the team gave, otherwise the one that was reported last: by the customer, or by the address book of the business. Null until then. */
  name: string | null
  /** Null if the network reports none. */
  phone: string | null
  identities: ContactIdentity[]
}

/** A chat with a new customer started, from either side. */
export type ChatCreatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'chat.created'
  data: Chat
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `chat.created` as an endpoint receives it: the full event, or only its ids. */
export type ChatCreatedPayload = ChatCreatedEvent | ThinEvent

export type ChatLastMessage = {
  /** Id that begins with `msg_`. Treat it as opaque; ids sort by creation time. */
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
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** The business number of a chat. */
export type ChatNumber = {
  /** Id that begins with `num_`. Treat it as opaque; ids sort by creation time. */
  id: string
  phone_number_id: string
  display_phone: string
}

/** The newest order of this customer that is a draft or awaiting payment. */
export type ChatOpenOrder = {
  /** Id that begins with `ord_`. Treat it as opaque; ids sort by creation time. */
  id: string
  number: string
  total: number | null
  payment_status: string
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
}

/** Until when you can send free-form messages; templates can always be sent. `unlimited` on channels without this rule. */
export type ChatReplyWindow = {
  state: Open<'open' | 'closed' | 'unlimited'>
  /** RFC 3339, UTC, with milliseconds. */
  closes_at: string | null
}

/** A chat changed: a message was accepted for sending, it was marked as read, the customer edited or deleted a message, its labels, assignee, status or open order changed, or another chat of the same customer was merged into it. A received message is reported by `message.received`, and by this event only if it reopens a closed chat. */
export type ChatUpdatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'chat.updated'
  data: Chat
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `chat.updated` as an endpoint receives it: the full event, or only its ids. */
export type ChatUpdatedPayload = ChatUpdatedEvent | ThinEvent

/** A chat with a page of its messages. */
export type ChatWithMessages = {
  object: 'chat'
  /** Id that begins with `chat_`. Treat it as opaque; ids sort by creation time. */
  id: string
  contact: ChatContact
  number: ChatNumber
  /** A message of the customer reopens a closed chat. */
  status: Open<'open' | 'closed'>
  /** Exact count. */
  unread_count: number
  labels: string[]
  assignee: string | null
  /** Null if all messages are scheduled for later. */
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

/** Moves the clock of a sandbox forward. */
export type ClockAdvance = {
  /** By how much everything that waits comes nearer. */
  advance_seconds: number
}

/** A business number that was just connected. */
export type ConnectedNumber = {
  object: 'number'
  /** Id that begins with `num_`. Treat it as opaque; ids sort by creation time. */
  id: string
  connector: string
  phone_number_id: string
  display_phone: string
  name: string
  base_url: string | null
  is_default: boolean
  state: Open<'connected' | 'paused' | 'disconnected'>
  state_reason: string | null
  credentials: Record<string, Open<'set' | 'not set'>>
  settings: Record<string, unknown>
  /** Where the network posts what happens. Register it there. */
  webhook_url: string
  health: {
    /** RFC 3339, UTC, with milliseconds. */
    last_event_at: string | null
    last_error: {
      code: string
      detail: string
      /** RFC 3339, UTC, with milliseconds. */
      at: string
    } | null
    /** Messages that wait to be sent. */
    queued: number
    /** What the network last reported about the number, newest first. */
    reports: Array<{
      field: string
      event: string | null
      detail: string
      is_trouble: boolean
      /** RFC 3339, UTC, with milliseconds. */
      at: string
    }>
  }
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
  /** Credentials that the server generated, such as a verify token. Only in this response. */
  generated: Record<string, string>
}

/** A customer with all their identities on the network. */
export type Contact = {
  object: 'contact'
  /** Id that begins with `con_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** The name that the team gave, otherwise the one that was reported last: by the customer, or by the address book of the business. Null until then. */
  name: string | null
  /** Null if the network reports none. */
  phone: string | null
  identities: ContactIdentity[]
  /** The business numbers whose marketing messages the customer has stopped. */
  marketing_opt_outs: MarketingOptOut[]
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
}

/** The fields to change. */
export type ContactChange = {
  /** The name that the team uses. Null returns to the name that the customer reports next. */
  name?: string | null | undefined
}

/** Whether a customer agreed to receive broadcasts. */
export type ContactConsent = {
  object: 'contact_consent'
  /** Id that begins with `con_`. Treat it as opaque; ids sort by creation time. */
  contact_id: string
  opted_in: boolean
  source: string
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

/** The erasure of a customer, and its report. */
export type ContactErasure = {
  object: 'contact_erasure'
  /** Id that begins with `era_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Id that begins with `con_`. Treat it as opaque; ids sort by creation time. */
  contact_id: string
  status: Open<'running' | 'completed'>
  /** How many rows were erased or reduced, by kind. */
  counts: Record<string, number>
  /** What stays, and why. */
  kept: Array<{
    what: string
    why: string
  }>
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  completed_at: string | null
}

export type ContactErasureList = {
  object: 'list'
  data: ContactErasure[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** One identity of a customer on the network. */
export type ContactIdentity = {
  type: Open<'phone' | 'user_id' | 'username' | 'group_id'>
  /** A phone number in E.164, the business-scoped user id, the username without @, or the id of a group. */
  value: string
}

export type ContactList = {
  object: 'list'
  data: Contact[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** A name changed, an identity was added, or two contacts were merged. */
export type ContactUpdatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'contact.updated'
  data: Contact
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `contact.updated` as an endpoint receives it: the full event, or only its ids. */
export type ContactUpdatedPayload = ContactUpdatedEvent | ThinEvent

/** An API key that was just created, with its token. */
export type CreatedApiKey = {
  object: 'api_key'
  /** Id that begins with `key_`. Treat it as opaque; ids sort by creation time. */
  id: string
  name: string
  /** For display. It is no credential. */
  key_prefix: string
  state: Open<'active' | 'retiring' | 'expired' | 'revoked'>
  scopes: Array<Open<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'events:read'
    | 'events:erase'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'approvals:read'
    | 'approvals:decide'
    | 'settings:read'
    | 'settings:write'
    | 'keys:read'
    | 'keys:write'
    | 'agents:read'
    | 'agents:write'
    | 'people:read'
    | 'people:write'
    | 'contacts:erase'
  >>
  /** IP ranges that may use the key; empty for all. */
  allowed_ips: string[]
  /** Requests per second; null for the limit of the server. */
  rate_limit: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  created_by: string
  /** RFC 3339, UTC, with milliseconds. */
  last_used_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  revoked_at: string | null
  /** The key that replaces this one. */
  rotated_to: string | null
  /** The token. It is only in this response. */
  token: string
}

/** An invitation that was just created, with its link. */
export type CreatedInvitation = {
  object: 'invitation'
  /** Id that begins with `inv_`. Treat it as opaque; ids sort by creation time. */
  id: string
  email: string
  /** What the person may do in the organization. */
  role: Open<'owner' | 'admin' | 'developer' | 'agent' | 'viewer'>
  /** False if this server sends no mail: send the link yourself. */
  is_mailed: boolean
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** Its holder can join. It is only in this response. */
  link: string
}

/** An organization that was just created. */
export type CreatedOrganization = {
  object: 'organization'
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  id: string
  slug: string
  currency: string
  /** Whether this is the sandbox of an organization. */
  sandbox: boolean
  /** Since when its keys and agents are refused, and why. Null if they are not. */
  suspended: {
    /** RFC 3339, UTC, with milliseconds. */
    since: string
    reason: string | null
  } | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  name: string
  /** The country of phone numbers without a country code. */
  default_country: string
  timezone: string
  /** The language for customers. */
  language: Open<'id' | 'en'>
  /** Whether customers receive order notices in the chat. */
  order_notices: boolean
  /** Whether customers are reminded before a payment expires and when an order is overdue. */
  order_reminders: boolean
  /** What happens to a payment received after the order has expired. */
  late_payment: Open<'accept' | 'review' | 'refund'>
  order_grace_seconds: number
  /** Whether customers receive the receipt as a PDF in the chat when an order is paid. */
  receipts_in_chat: boolean
  /** Whether customers receive the invoice as a PDF in the chat when an order is to be paid by invoice. */
  invoices_in_chat: boolean
  /** The address of the shop, on receipts and invoices. May have several lines. */
  address: string | null
  /** The number on WhatsApp that payers can ask, in any usual spelling. Null for the first connected number. */
  contact_phone: string | null
  /** On receipts and invoices. */
  contact_email: string | null
  /** The automatic answer to customers who write outside of business hours, once per chat and closed period. An end that is not after its start is on the next day. */
  auto_reply: {
    enabled: boolean
    /** What customers read. */
    message: string
    /** When you are open, in the time zone of the organization. */
    hours: Array<{
      day: Open<'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday'>
      from: string
      to: string
    }>
  } | null
  /** The tax number (NPWP) on receipts and invoices. */
  tax_number: string | null
  /** The logo on payment pages, receipts and invoices. `hash` changes with the image. */
  logo: OrganizationLogo | null
  /** The key that was asked for, with its token. It is only in this response. */
  api_key: {
    /** Id that begins with `key_`. Treat it as opaque; ids sort by creation time. */
    id: string
    token: string
  } | null
}

/** A refund, with the other refunds of the same request. */
export type CreatedRefund = {
  object: 'refund'
  /** Id that begins with `rfd_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Id that begins with `ord_`. Treat it as opaque; ids sort by creation time. */
  order_id: string
  /** Id that begins with `pay_`. Treat it as opaque; ids sort by creation time. */
  payment_id: string
  status: Open<'requested' | 'pending' | 'failed' | 'succeeded'>
  amount: number
  currency: 'IDR'
  /** True for a refund by staff, not through the provider. */
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
  /** All refunds of this request, one for each payment, this one first. */
  parts: Refund[]
}

/** All rows that match the filters, from the cursor on, with `Accept: text/csv`. The first line names the columns: a member of an object is `customer.phone`, and lists are JSON. */
export type Csv = string

/** A simulated customer calls the business. */
export type CustomerCall = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
  /** The phone number of the customer, in any usual spelling. */
  from: string
  /** The profile name of the customer. */
  name?: string | undefined
  /** The username of the customer. */
  username?: string | undefined
}

/** A simulated customer sends the cart of a catalog. */
export type CustomerCart = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
  /** The phone number of the customer, in any usual spelling. */
  from: string
  /** The profile name of the customer. */
  name?: string | undefined
  /** The username of the customer. */
  username?: string | undefined
  items: readonly CustomerCartItem[]
  text?: string | undefined
}

export type CustomerCartItem = {
  product_retailer_id: string
  quantity: number
  item_price: number
}

/** A simulated customer deletes a message for everyone. */
export type CustomerDeletion = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
  /** The phone number of the customer, in any usual spelling. */
  from: string
  /** The profile name of the customer. */
  name?: string | undefined
  /** The username of the customer. */
  username?: string | undefined
  /** A message that the customer wrote: `msg_…` or `wamid.…`. */
  message_id: string
}

/** A simulated customer edits a message. */
export type CustomerEdit = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
  /** The phone number of the customer, in any usual spelling. */
  from: string
  /** The profile name of the customer. */
  name?: string | undefined
  /** The username of the customer. */
  username?: string | undefined
  /** A message that the customer wrote: `msg_…` or `wamid.…`. */
  message_id: string
  /** The new text; of a file, its new caption. */
  text: string
}

export type CustomerInlineMedia = {
  type: 'image' | 'video' | 'audio' | 'document' | 'sticker'
  mime_type: string
  filename?: string | undefined
  /** The file, up to 180 kB. */
  base64: string
  /** An audio file as a voice note. */
  voice?: boolean | undefined
}

/** A file that the customer sends. */
export type CustomerMedia = CustomerUploadedMedia | CustomerInlineMedia

/** What a simulated customer writes. Each part is a message. */
export type CustomerMessage = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
  /** The phone number of the customer, in any usual spelling. */
  from: string
  /** The profile name of the customer. */
  name?: string | undefined
  /** The username of the customer. */
  username?: string | undefined
  /** The text; with `media`, its caption. */
  text?: string | undefined
  location?: {
    latitude: number
    longitude: number
    name?: string | undefined
    address?: string | undefined
  } | undefined
  contacts?: readonly NewContactCard[] | undefined
  media?: CustomerMedia | undefined
  /** A kind of message that the Cloud API does not pass on, such as `poll`. */
  unsupported?: string | undefined
  /** The message that this one quotes: `msg_…` or `wamid.…`. */
  reply_to?: string | undefined
  forwarded?: boolean | undefined
  frequently_forwarded?: boolean | undefined
  /** The headline of the ad that the customer came from. */
  ad?: string | undefined
  /** The product of the catalog that the message is about, by its retailer id. */
  product?: string | undefined
  /** Whether the customer hides the phone number: the network then reports a user id only. */
  hide_phone?: boolean | undefined
}

/** A simulated customer changes the phone number. */
export type CustomerNumberChange = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
  /** The phone number of the customer, in any usual spelling. */
  from: string
  /** The profile name of the customer. */
  name?: string | undefined
  /** The username of the customer. */
  username?: string | undefined
  /** The new phone number, in any usual spelling. */
  new_phone: string
}

/** What a simulated customer opts out of. */
export type CustomerPreferences = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
  /** The phone number of the customer, in any usual spelling. */
  from: string
  /** The profile name of the customer. */
  name?: string | undefined
  /** The username of the customer. */
  username?: string | undefined
  /** Opts out of marketing messages, or in again. The network reports it. */
  marketing?: 'stop' | 'resume' | undefined
  /** Whether the customer has blocked the business: messages are `sent` and never delivered. */
  blocked?: boolean | undefined
}

/** A simulated customer reacts to a message. */
export type CustomerReaction = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
  /** The phone number of the customer, in any usual spelling. */
  from: string
  /** The profile name of the customer. */
  name?: string | undefined
  /** The username of the customer. */
  username?: string | undefined
  /** A message that the customer received: `msg_…` or `wamid.…`. */
  message_id: string
  /** An empty text removes the reaction. */
  emoji: string
}

/** A simulated customer reads messages. */
export type CustomerReading = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
  /** The phone number of the customer, in any usual spelling. */
  from: string
  /** The profile name of the customer. */
  name?: string | undefined
  /** The username of the customer. */
  username?: string | undefined
  /** Only this message; without it, all unread ones. */
  message_id?: string | undefined
}

/** A simulated customer taps a button or a list row, or completes a flow. */
export type CustomerReply = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
  /** The phone number of the customer, in any usual spelling. */
  from: string
  /** The profile name of the customer. */
  name?: string | undefined
  /** The username of the customer. */
  username?: string | undefined
  /** A message that the customer received: `msg_…` or `wamid.…`. */
  message_id: string
  /** The button, quick reply or list row: its id, its title, or its position from 1. */
  choice?: string | undefined
  /** The answers of a completed flow, instead of `choice`. */
  flow_response?: Record<string, unknown> | undefined
}

export type CustomerUploadedMedia = {
  type: 'image' | 'video' | 'audio' | 'document' | 'sticker'
  /** A file that was uploaded before. */
  id: string
  /** An audio file as a voice note. */
  voice?: boolean | undefined
}

/** Where to deliver. `line` is street, number and RT/RW; `village` the kelurahan or desa, `district` the kecamatan, `city` the kota or kabupaten; `note` a landmark (patokan). */
export type DeliveryAddress = {
  name: string | null
  phone: string | null
  line: string | null
  village: string | null
  district: string | null
  city: string | null
  province: string | null
  postal_code: string | null
  note: string | null
}

/** All attempts to deliver an event to an endpoint failed; it is not retried automatically any more. */
export type DeliveryExhaustedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'delivery.exhausted'
  data: WebhookDelivery
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `delivery.exhausted` as an endpoint receives it: the full event, or only its ids. */
export type DeliveryExhaustedPayload = DeliveryExhaustedEvent | ThinEvent

/** An event whose delivery had failed was delivered after all, by a recovery or a resend. */
export type DeliveryRecoveredEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'delivery.recovered'
  data: WebhookDelivery
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `delivery.recovered` as an endpoint receives it: the full event, or only its ids. */
export type DeliveryRecoveredPayload = DeliveryRecoveredEvent | ThinEvent

export type DiscountPercentage = {
  percent: number
}

/** A document: exactly one of `id` and `link`. */
export type DocumentSource = {
  /** Shown to the customer; its extension decides the icon. */
  filename?: string | undefined
} & ({
  /** The id of an uploaded or received file. */
  id: string
  link?: undefined
} | {
  /** A public URL that the channel downloads the file from. */
  link: string
  id?: undefined
})

/** A webhook endpoint was created. */
export type EndpointCreatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'endpoint.created'
  data: WebhookEndpointSummary
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `endpoint.created` as an endpoint receives it: the full event, or only its ids. */
export type EndpointCreatedPayload = EndpointCreatedEvent | ThinEvent

/** A webhook endpoint keeps failing, and deliveries to it are delayed. The event is repeated after 24 and 72 hours of failure. */
export type EndpointDegradedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'endpoint.degraded'
  data: WebhookEndpointSummary
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `endpoint.degraded` as an endpoint receives it: the full event, or only its ids. */
export type EndpointDegradedPayload = EndpointDegradedEvent | ThinEvent

/** A webhook endpoint was deleted. */
export type EndpointDeletedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'endpoint.deleted'
  data: WebhookEndpointSummary
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `endpoint.deleted` as an endpoint receives it: the full event, or only its ids. */
export type EndpointDeletedPayload = EndpointDeletedEvent | ThinEvent

/** A webhook endpoint was disabled: after five days without a success, or at the request of its receiver. */
export type EndpointDisabledEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'endpoint.disabled'
  data: WebhookEndpointSummary
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `endpoint.disabled` as an endpoint receives it: the full event, or only its ids. */
export type EndpointDisabledPayload = EndpointDisabledEvent | ThinEvent

/** Sent only to a new URL, to test it. */
export type EndpointPingedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'endpoint.pinged'
  data: WebhookEndpointSummary
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `endpoint.pinged` as an endpoint receives it: the full event, or only its ids. */
export type EndpointPingedPayload = EndpointPingedEvent | ThinEvent

/** A webhook endpoint that kept failing works again. */
export type EndpointRecoveredEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'endpoint.recovered'
  data: WebhookEndpointSummary
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `endpoint.recovered` as an endpoint receives it: the full event, or only its ids. */
export type EndpointRecoveredPayload = EndpointRecoveredEvent | ThinEvent

/** A webhook endpoint was edited, paused, resumed, or got a new secret. */
export type EndpointUpdatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'endpoint.updated'
  data: WebhookEndpointSummary
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `endpoint.updated` as an endpoint receives it: the full event, or only its ids. */
export type EndpointUpdatedPayload = EndpointUpdatedEvent | ThinEvent

/** An event. Webhook endpoints receive the same bytes. */
export type EventRecord = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: string
  /** The resource, as the API returns it. */
  data: Record<string, unknown>
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
  /** Present if the payload was erased; `data` is then empty and `previous` is null. */
  erased_at?: string
}

/** An event of the catalogue as this version of the SDK knows it, whole: `type` says what is in `data`. */
export type KnownEvent =
  | ApprovalDecidedEvent
  | ApprovalRequestedEvent
  | BroadcastCompletedEvent
  | BroadcastPausedEvent
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
  | KeyUpdatedEvent
  | MessageDeletedEvent
  | MessageDeliveredEvent
  | MessageEditedEvent
  | MessageFailedEvent
  | MessagePlayedEvent
  | MessageReadEvent
  | MessageReceivedEvent
  | MessageSentEvent
  | NoteCreatedEvent
  | NoteDeletedEvent
  | NumberReportedEvent
  | NumberRestrictedEvent
  | NumberUpdatedEvent
  | OrderCancelledEvent
  | OrderCompletedEvent
  | OrderCreatedEvent
  | OrderDeliveredEvent
  | OrderExpiredEvent
  | OrderNeedsReviewEvent
  | OrderOverdueEvent
  | OrderPaidEvent
  | OrderRefundedEvent
  | OrderShippedEvent
  | OrderUpdatedEvent
  | PaymentExpiredEvent
  | PaymentFailedEvent
  | PaymentLateEvent
  | PaymentPaidEvent
  | PaymentPendingEvent
  | PaymentProofReceivedEvent
  | PaymentRefundedEvent
  | PaymentReversedEvent
  | ProductCreatedEvent
  | ProductDeletedEvent
  | ProductOutOfStockEvent
  | ProductUpdatedEvent
  | TemplateUpdatedEvent

/** Something that happened, as the feed shows it. `isKnown` tells those apart whose `data` has a type. */
export type Event = KnownEvent | EventRecord

/** The same as an endpoint gets it: whole, or its ids alone. `isKnown` and `isThin` distinguish them. */
export type WebhookEvent = KnownEvent | EventRecord | ThinEvent

/** The result of one request. */
export type EventErasure = {
  object: 'event_erasure'
  /** Number of events examined. */
  examined: number
  erased: number
  /** Number of events that were not erased because a delivery is pending. */
  unfinished: number
  /** Repeat the request with this as `after`. Null at the end of the log. */
  next_after: number | null
}

/** What to erase. */
export type EventErasureRequest = {
  /** Ids of contacts, chats, messages, orders or other resources, and phone numbers as `+6281…`. */
  subjects: readonly string[]
  /** `keep` skips events with pending deliveries; `cancel` cancels those deliveries. Events in flight are always skipped. When absent: `keep`. */
  unfinished?: 'keep' | 'cancel' | undefined
  /** `next_after` of the previous response. When absent: `0`. */
  after?: number | undefined
}

export type EventList = {
  object: 'list'
  data: Event[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** An event type that webhook endpoints can subscribe to. */
export type EventType = {
  object: 'event_type'
  name: string
  description: string
  /** The resource of the event. */
  group: string
  version: string
  /** Still sent, but not for new integrations. */
  deprecated: boolean
  /** JSON Schema of the event. */
  schema: Record<string, unknown>
  example: Record<string, unknown>
}

export type EventTypeList = {
  object: 'list'
  data: EventType[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** One invalid field. Exactly one of `pointer`, `parameter` and `header` names it. */
export type FieldProblem = {
  /** For the body: a JSON Pointer as URI fragment. */
  pointer?: string
  /** For the path or query: the name of the parameter. */
  parameter?: string
  /** For a header: its name. */
  header?: string
  /** Stable name of the error, for programs. */
  code: string
  /** What the field must be, for people. */
  detail: string
  /** The values of `detail` as data, such as `allowed`, `min` or `max`. */
  params?: Record<string, unknown>
}

/** An API key to create with the organization. */
export type FirstApiKey = {
  name: string
  scopes: ReadonlyArray<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'events:read'
    | 'events:erase'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'approvals:read'
    | 'approvals:decide'
    | 'settings:read'
    | 'settings:write'
    | 'keys:read'
    | 'keys:write'
    | 'agents:read'
    | 'agents:write'
    | 'people:read'
    | 'people:write'
    | 'contacts:erase'
  >
}

/** The member of the group who wrote it. */
export type GroupMember = {
  name: string | null
  phone: string | null
  user_id: string | null
  username: string | null
}

/** The key of the request, its organization and permissions. */
export type Identity = {
  object: 'identity'
  key: {
    /** Id that begins with `key_`, or with `pky_` for a platform key. Treat it as opaque. */
    id: string
    name: string
    /** The start of the token, to recognize the key. Not a credential. */
    key_prefix: string
    /** RFC 3339, UTC, with milliseconds. */
    created_at: string
    /** RFC 3339, UTC, with milliseconds. */
    expires_at: string | null
    /** RFC 3339, UTC, with milliseconds. */
    last_used_at: string | null
  }
  tenant: {
    /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
    id: string
    name: string
    slug: string
    /** ISO 3166-1. Phone numbers without a country code belong to this country. */
    default_country: string
    /** ISO 4217. Amounts are whole rupiah. */
    currency: string
    /** IANA time zone. */
    timezone: string
    /** Whether this is the sandbox of an organization. Keys of a sandbox begin with `nxk_test_`. */
    sandbox: boolean
  }
  /** The agent of this token; null for API keys. */
  agent: IdentityAgent | null
  scopes: Array<Open<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'events:read'
    | 'events:erase'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'approvals:read'
    | 'approvals:decide'
    | 'settings:read'
    | 'settings:write'
    | 'keys:read'
    | 'keys:write'
    | 'agents:read'
    | 'agents:write'
    | 'people:read'
    | 'people:write'
    | 'contacts:erase'
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
  /** Id that begins with `agt_`. Treat it as opaque; ids sort by creation time. */
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
    /** One to three buttons with different ids and titles. */
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

/** A line of text or a file. */
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
    /** The label of the button that opens the list. */
    button: string
    /** At most ten rows in all sections together, with different ids. Several sections need titles. */
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
    /** At most thirty products in all sections together. Several sections need titles. */
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

/** An API key was created. */
export type KeyCreatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'key.created'
  data: ApiKey
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `key.created` as an endpoint receives it: the full event, or only its ids. */
export type KeyCreatedPayload = KeyCreatedEvent | ThinEvent

/** An API key was revoked and no longer works. */
export type KeyRevokedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'key.revoked'
  data: ApiKey
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `key.revoked` as an endpoint receives it: the full event, or only its ids. */
export type KeyRevokedPayload = KeyRevokedEvent | ThinEvent

/** An API key was rotated: a new key replaces it, and it stops working at `expires_at`. */
export type KeyRotatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'key.rotated'
  data: ApiKey
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `key.rotated` as an endpoint receives it: the full event, or only its ids. */
export type KeyRotatedPayload = KeyRotatedEvent | ThinEvent

/** The name, the scopes or the addresses of an API key were changed. */
export type KeyUpdatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'key.updated'
  data: ApiKey
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `key.updated` as an endpoint receives it: the full event, or only its ids. */
export type KeyUpdatedPayload = KeyUpdatedEvent | ThinEvent

/** The logo of the organization. */
export type Logo = {
  object: 'logo'
  content_type: Open<'image/png' | 'image/jpeg'>
  /** Changes with the image. */
  hash: string
  /** The image in base64. */
  data: string
}

/** An API key, without its token. */
export type ManagedApiKey = {
  object: 'api_key'
  /** Id that begins with `key_`. Treat it as opaque; ids sort by creation time. */
  id: string
  name: string
  /** For display. It is no credential. */
  key_prefix: string
  state: Open<'active' | 'retiring' | 'expired' | 'revoked'>
  scopes: Array<Open<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'events:read'
    | 'events:erase'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'approvals:read'
    | 'approvals:decide'
    | 'settings:read'
    | 'settings:write'
    | 'keys:read'
    | 'keys:write'
    | 'agents:read'
    | 'agents:write'
    | 'people:read'
    | 'people:write'
    | 'contacts:erase'
  >>
  /** IP ranges that may use the key; empty for all. */
  allowed_ips: string[]
  /** Requests per second; null for the limit of the server. */
  rate_limit: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  created_by: string
  /** RFC 3339, UTC, with milliseconds. */
  last_used_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  revoked_at: string | null
  /** The key that replaces this one. */
  rotated_to: string | null
}

export type ManagedApiKeyList = {
  object: 'list'
  data: ManagedApiKey[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** A business number whose marketing messages the customer has stopped. */
export type MarketingOptOut = {
  /** Id that begins with `num_`. Treat it as opaque; ids sort by creation time. */
  number_id: string
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

/** A file that is sent or was received in a message. */
export type MediaFile = {
  object: 'media'
  /** For `media.id` of a message. */
  id: string
  /** `pending`: a file of a customer is being fetched from the network. `failed`: the network does not have it. */
  status: Open<'pending' | 'stored' | 'failed'>
  mime_type: string
  filename: string | null
  bytes: number | null
  sha256: string | null
  /** Why a file is `failed`. */
  problem: string | null
  /** The file, for 5 minutes. Send the key with the request. Null unless it is `stored`. */
  download_url: string | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
}

/** A file: exactly one of `id` and `link`. */
export type MediaSource = ({
  /** The id of an uploaded or received file. */
  id: string
  link?: undefined
} | {
  /** A public URL that the channel downloads the file from. */
  link: string
  id?: undefined
})

/** One message of a chat, in either direction. */
export type Message = {
  object: 'message'
  /** Id that begins with `msg_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Id that begins with `chat_`. Treat it as opaque; ids sort by creation time. */
  chat_id: string
  /** The business number of its chat. Null only in events from before version 0.2. */
  number_id: string | null
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
  /** The text or the caption. */
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
  /** The ad or post that the customer tapped before writing this message. */
  referral: MessageReferral | null
  /** Whether the customer forwarded the message from another chat. */
  forwarded: boolean
  /** Whether the message was forwarded many times; `forwarded` is then also true. */
  frequently_forwarded: boolean
  /** The product the customer asks about. */
  referred_product: MessageReferredProduct | null
  /** The group it was written in; null in a chat with one person. */
  group: MessageGroup | null
  /** The message id of the network. */
  provider_id: string | null
  /** Your reference, as you sent it. */
  client_reference: string | null
  /** The order of this message. */
  order_id: string | null
  sender: MessageSender
  /** Never moves backwards. Inbound messages are `received`. */
  status: Open<'scheduled' | 'queued' | 'sent' | 'failed' | 'delivered' | 'read' | 'received'>
  error: MessageError | null
  /** What a real number would have refused. Only messages from a lenient number have any. */
  warnings: MessageWarning[]
  /** The time of each status, oldest first. */
  status_history: MessageStatusChange[]
  /** What the network charges; null until it reports it. */
  pricing: MessagePricing | null
  /** The conversation that the network counts the message to; null if it reports none. */
  conversation: MessageConversation | null
  /** When its author last edited it. */
  edited_at: string | null
  /** When its author deleted it. Its content is then `unsupported`, of type `revoked`. */
  deleted_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  send_at: string | null
  metadata: Record<string, string>
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
}

/** A cart that the customer filled from a catalogue. */
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

/** A contact card. */
export type MessageContactCard = {
  name?: MessageContactName
  phones?: MessageContactPhone[]
  emails?: MessageContactEmail[]
  addresses?: MessageContactAddress[]
  org?: MessageContactOrganization
  urls?: MessageContactUrl[]
  birthday?: string
  /** The same card as a vCard, if the network sends one. */
  vcard?: string
  /** Why the customer shared it, as the network reports it. */
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

/** A conversation, as the network bills it. */
export type MessageConversation = {
  id: string | null
  /** The category of the conversation, such as `utility`. */
  origin: string | null
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
}

/** The author of a message deleted it for everyone. Its content is no longer stored. */
export type MessageDeletedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'message.deleted'
  data: Message
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `message.deleted` as an endpoint receives it: the full event, or only its ids. */
export type MessageDeletedPayload = MessageDeletedEvent | ThinEvent

/** A message reached the phone of the customer. */
export type MessageDeliveredEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'message.delivered'
  data: Message
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `message.delivered` as an endpoint receives it: the full event, or only its ids. */
export type MessageDeliveredPayload = MessageDeliveredEvent | ThinEvent

/** The author of a message edited it: a customer, or the business in the WhatsApp Business app. */
export type MessageEditedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'message.edited'
  data: Message
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `message.edited` as an endpoint receives it: the full event, or only its ids. */
export type MessageEditedPayload = MessageEditedEvent | ThinEvent

/** Why a message was not sent or not delivered. */
export type MessageError = {
  /** Stable code, such as `reply_window_closed`. */
  code: string
  /** The error code of the network, if it reported one. */
  provider_code: string | null
  detail: string
  /** Whether a resend of the same message can succeed. */
  retryable: boolean
}

/** A message could not be sent or delivered; `error` says why. A message that failed with `outcome_unknown` may be reported again with the reason from the network. */
export type MessageFailedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'message.failed'
  data: Message
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `message.failed` as an endpoint receives it: the full event, or only its ids. */
export type MessageFailedPayload = MessageFailedEvent | ThinEvent

/** The group that a message was written in, and by whom. */
export type MessageGroup = {
  /** The id of the group at the network. */
  id: string
  from: GroupMember
}

/** What was offered (`header`, `body`, `footer`, `action`), or the customer’s choice under its name. */
export type MessageInteractive = {
  type: string
  [name: string]: unknown
}

export type MessageList = {
  object: 'list'
  data: Message[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** A location. */
export type MessageLocation = {
  latitude: number
  longitude: number
  name?: string
  address?: string
  url?: string
}

/** The file of a message. Fields appear as they become known. */
export type MessageMedia = {
  /** The id of the file. `GET /v1/{media_id}` returns its download URL. */
  id?: string
  /** The URL that the channel downloads the file from. */
  link?: string
  filename?: string
  /** Shown as a voice note. */
  voice?: boolean
  /** True for an animated sticker. */
  animated?: boolean
  mime_type?: string
  /** Hexadecimal. */
  sha256?: string
  bytes?: number
}

/** The customer played a voice note that they had read before. One that is played at once is only `message.read`. */
export type MessagePlayedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'message.played'
  data: Message
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `message.played` as an endpoint receives it: the full event, or only its ids. */
export type MessagePlayedPayload = MessagePlayedEvent | ThinEvent

/** The price category of a message, as the network reported it. */
export type MessagePricing = {
  billable: boolean | null
  /** Such as `PMP`, per message. */
  pricing_model: string | null
  /** Such as `regular` or `free_customer_service`. */
  type: string | null
  /** Such as `marketing`, `utility` or `service`. */
  category: string | null
}

/** An emoji on another message. */
export type MessageReaction = {
  /** The message of the reaction; null if that message is unknown. */
  message_id: string | null
  /** Empty if the reaction was removed. */
  emoji: string
}

/** The customer read a message. */
export type MessageReadEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'message.read'
  data: Message
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `message.read` as an endpoint receives it: the full event, or only its ids. */
export type MessageReadPayload = MessageReadEvent | ThinEvent

/** A customer sent a message. */
export type MessageReceivedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'message.received'
  data: Message
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `message.received` as an endpoint receives it: the full event, or only its ids. */
export type MessageReceivedPayload = MessageReceivedEvent | ThinEvent

/** The ad or post that the customer came from. Fields that the network did not send are absent. */
export type MessageReferral = {
  /** The source: `ad` or `post`. */
  source_type?: string
  /** The id of the ad or post at Meta. */
  source_id?: string
  /** The URL of the ad or post. */
  source_url?: string
  /** The headline of the ad or post. */
  headline?: string
  /** The text of the ad or post. */
  body?: string
  /** The media: `image` or `video`. */
  media_type?: string
  /** The image of the ad or post. */
  image_url?: string
  /** The video of the ad or post. */
  video_url?: string
  /** The preview image of the video. */
  thumbnail_url?: string
  /** The click id, to report a sale to Meta (Conversions API). */
  ctwa_clid?: string
  welcome_message?: MessageReferralWelcome
}

/** The welcome message of the ad or post. */
export type MessageReferralWelcome = {
  text: string
}

/** A product of a catalogue. */
export type MessageReferredProduct = {
  /** The catalogue at Meta. */
  catalog_id?: string
  /** Your product id (SKU), as in the catalogue. */
  product_retailer_id?: string
}

export type MessageSender = {
  /** `business_app`: the business wrote it in the WhatsApp Business app. */
  type: Open<'key' | 'agent' | 'user' | 'contact' | 'system' | 'business_app'>
  id: string | null
}

/** The network accepted a message. */
export type MessageSentEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'message.sent'
  data: Message
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `message.sent` as an endpoint receives it: the full event, or only its ids. */
export type MessageSentPayload = MessageSentEvent | ThinEvent

export type MessageStatusChange = {
  status: Open<'scheduled' | 'queued' | 'sent' | 'failed' | 'delivered' | 'read' | 'received' | 'played'>
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

/** A notice of the network about the customer. */
export type MessageSystemNotice = {
  type: string
  [name: string]: unknown
}

/** The template with its parameters. */
export type MessageTemplate = {
  name: string
  language: MessageTemplateLanguage
  components?: Array<Record<string, unknown>>
}

export type MessageTemplateLanguage = {
  code: string
  policy?: string
}

/** A message type that is not supported yet. */
export type MessageUnsupported = {
  type: string
  detail?: string
  /** The code of the network, such as `131051`. */
  provider_code?: string
}

/** Why a real number would have refused a message that was accepted. */
export type MessageWarning = {
  /** Stable code, such as `reply_window_closed`. */
  code: string
  detail: string
}

/** One entry of the ledger of an order. */
export type Movement = {
  /** Id that begins with `pay_`. Treat it as opaque; ids sort by creation time. */
  payment_id: string
  /** A payment received, a refund, or a reversal. */
  kind: Open<'capture' | 'refund' | 'reversal'>
  /** Whole rupiah; negative for refunds and reversals. */
  amount: number
  /** The source: `notice` (the provider reported it), `question` (the provider was queried), `staff`, … */
  source: string
  actor: {
    type: string
    id: string | null
  }
  /** The note of staff. */
  note: string | null
  /** RFC 3339, UTC, with milliseconds. */
  occurred_at: string
  /** RFC 3339, UTC, with milliseconds. */
  recorded_at: string
}

/** The template that a report is about. */
export type NetworkTemplate = {
  /** The id of the template at the network. */
  id: string | null
  name: string | null
  language: string | null
  /** Such as `APPROVED`, `REJECTED` or `PAUSED`; null if it did not change. */
  status: string | null
  /** Such as `UTILITY`; null if it did not change. */
  category: string | null
  /** Such as `GREEN`; null if it did not change. */
  quality: string | null
}

/** An AI agent to create. */
export type NewAgent = {
  name: string
  purpose?: string | null | undefined
  scopes: ReadonlyArray<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'events:read'
    | 'webhooks:read'
  >
  /** RFC 3339, with Z or an offset. */
  expires_at?: string | null | undefined
  reach?: {
    numbers?: readonly string[] | undefined
    labels?: readonly string[] | undefined
    days?: number | null | undefined
    hides_phones?: boolean | undefined
  } | undefined
  limits?: {
    messages_per_minute?: number | null | undefined
    recipients_per_day?: number | null | undefined
    order_amount?: number | null | undefined
    order_amount_per_day?: number | null | undefined
  } | undefined
  rules?: ReadonlyArray<{
    operation:
      | 'sendMessage'
      | 'cancelMessage'
      | 'markChatRead'
      | 'updateChat'
      | 'createOrder'
      | 'updateOrder'
      | 'createOrderPayment'
      | 'processOrder'
      | 'shipOrder'
      | 'deliverOrder'
      | 'completeOrder'
      | 'cancelOrder'
      | 'createOrderRefund'
    decision: 'allow' | 'ask' | 'deny'
    ask_above?: number | null | undefined
  }> | undefined
  is_anchored?: boolean | undefined
}

/** An API key to create. */
export type NewApiKey = {
  /** Says what the key is for. */
  name: string
  /** Only scopes that the calling key has. */
  scopes: ReadonlyArray<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'events:read'
    | 'events:erase'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'approvals:read'
    | 'approvals:decide'
    | 'settings:read'
    | 'settings:write'
    | 'keys:read'
    | 'keys:write'
    | 'agents:read'
    | 'agents:write'
    | 'people:read'
    | 'people:write'
    | 'contacts:erase'
  >
  /** Not later than the expiry of the calling key, which is the default. */
  expires_at?: string | null | undefined
  allowed_ips?: readonly string[] | undefined
  rate_limit?: number | null | undefined
}

/** Audio up to 16 MB, without caption. */
export type NewAudioMessage = {
  /** The customer: an existing phone number, preferably in international format with a leading +. Also accepted: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only if you have several. */
  from?: string | undefined
  /** The message of the same chat to reply to, by its id or `wamid`. */
  reply_to?: string | undefined
  /** Send it at this time instead of now, up to a year ahead. Until then it can be cancelled. */
  send_at?: string | undefined
  /** Your reference. It is returned with the message and its events. */
  client_reference?: string | undefined
  /** Your data: up to 50 keys with strings. */
  metadata?: Record<string, string> | undefined
  type: 'audio'
  media: AudioSource
}

/** One template to a label or a list of people. */
export type NewBroadcast = {
  /** For you. Customers do not see it. */
  name: string
  /** The number to send from. The default number if absent. */
  from?: string | undefined
  template: NewTemplateContent
  /** At most this many messages a minute. When absent: `300`. */
  per_minute?: number | undefined
  /** At most this many people of all broadcasts of the number in 24 hours. If absent, the limit that WhatsApp last reported for the number. */
  daily_max?: number | undefined
  /** What Meta charges you for one message, in rupiah, for the estimate. */
  unit_price?: number | undefined
  /** When started, nothing is sent before. */
  send_at?: string | undefined
} & ({
  /** Everyone whose chat has this label. */
  label: string
  recipients?: undefined
} | {
  /** These people. Give either `label` or `recipients`. */
  recipients: readonly NewBroadcastRecipient[]
  label?: undefined
})

export type NewBroadcastRecipient = {
  /** A phone number. */
  to: string
  /** Fills the variables of the body for this person, in place of `template.variables`. */
  variables?: readonly string[] | Record<string, string> | undefined
  /** Recorded with the contact when the message is sent. */
  opt_in?: NewOptIn | undefined
}

/** A contact card. */
export type NewContactCard = {
  /** The full name, and at least one of its parts. */
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

/** One or more contact cards. */
export type NewContactsMessage = {
  /** The customer: an existing phone number, preferably in international format with a leading +. Also accepted: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only if you have several. */
  from?: string | undefined
  /** The message of the same chat to reply to, by its id or `wamid`. */
  reply_to?: string | undefined
  /** Send it at this time instead of now, up to a year ahead. Until then it can be cancelled. */
  send_at?: string | undefined
  /** Your reference. It is returned with the message and its events. */
  client_reference?: string | undefined
  /** Your data: up to 50 keys with strings. */
  metadata?: Record<string, string> | undefined
  type: 'contacts'
  contacts: readonly NewContactCard[]
}

/** Where and how to deliver. An address replaces the one before. */
export type NewDelivery = {
  address?: NewDeliveryAddress | null | undefined
  /** Free text, usually a code: `jne`, `jnt`, `sicepat`, `gojek`. */
  courier?: string | null | undefined
  /** The service of the courier, such as `REG`. */
  service?: string | null | undefined
  /** The nomor resi. */
  tracking_number?: string | null | undefined
  /** A page that shows where the parcel is. */
  tracking_url?: string | null | undefined
}

/** Where to deliver. `line` is street, number and RT/RW; `village` the kelurahan or desa, `district` the kecamatan, `city` the kota or kabupaten; `note` a landmark (patokan). */
export type NewDeliveryAddress = {
  name?: string | null | undefined
  phone?: string | null | undefined
  line?: string | null | undefined
  village?: string | null | undefined
  district?: string | null | undefined
  city?: string | null | undefined
  province?: string | null | undefined
  postal_code?: string | null | undefined
  note?: string | null | undefined
}

/** A document, up to 100 MB. */
export type NewDocumentMessage = {
  /** The customer: an existing phone number, preferably in international format with a leading +. Also accepted: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only if you have several. */
  from?: string | undefined
  /** The message of the same chat to reply to, by its id or `wamid`. */
  reply_to?: string | undefined
  /** Send it at this time instead of now, up to a year ahead. Until then it can be cancelled. */
  send_at?: string | undefined
  /** Your reference. It is returned with the message and its events. */
  client_reference?: string | undefined
  /** Your data: up to 50 keys with strings. */
  metadata?: Record<string, string> | undefined
  type: 'document'
  media: DocumentSource
  /** The caption. */
  body?: string | undefined
}

/** An image, JPEG or PNG up to 5 MB. */
export type NewImageMessage = {
  /** The customer: an existing phone number, preferably in international format with a leading +. Also accepted: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only if you have several. */
  from?: string | undefined
  /** The message of the same chat to reply to, by its id or `wamid`. */
  reply_to?: string | undefined
  /** Send it at this time instead of now, up to a year ahead. Until then it can be cancelled. */
  send_at?: string | undefined
  /** Your reference. It is returned with the message and its events. */
  client_reference?: string | undefined
  /** Your data: up to 50 keys with strings. */
  metadata?: Record<string, string> | undefined
  type: 'image'
  media: MediaSource
  /** The caption. */
  body?: string | undefined
}

/** A message with buttons, a list or other choices. */
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
  /** The customer: an existing phone number, preferably in international format with a leading +. Also accepted: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only if you have several. */
  from?: string | undefined
  /** The message of the same chat to reply to, by its id or `wamid`. */
  reply_to?: string | undefined
  /** Send it at this time instead of now, up to a year ahead. Until then it can be cancelled. */
  send_at?: string | undefined
  /** Your reference. It is returned with the message and its events. */
  client_reference?: string | undefined
  /** Your data: up to 50 keys with strings. */
  metadata?: Record<string, string> | undefined
  type: 'interactive'
  interactive: NewInteractive
}

/** A person to invite. */
export type NewInvitation = {
  /** Where the invitation goes. The person joins with this address. */
  email: string
  /** What the person may do in the organization. */
  role: 'owner' | 'admin' | 'developer' | 'agent' | 'viewer'
}

/** A location. */
export type NewLocation = {
  latitude: number
  longitude: number
  name?: string | undefined
  address?: string | undefined
}

/** A location. */
export type NewLocationMessage = {
  /** The customer: an existing phone number, preferably in international format with a leading +. Also accepted: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only if you have several. */
  from?: string | undefined
  /** The message of the same chat to reply to, by its id or `wamid`. */
  reply_to?: string | undefined
  /** Send it at this time instead of now, up to a year ahead. Until then it can be cancelled. */
  send_at?: string | undefined
  /** Your reference. It is returned with the message and its events. */
  client_reference?: string | undefined
  /** Your data: up to 50 keys with strings. */
  metadata?: Record<string, string> | undefined
  type: 'location'
  location: NewLocation
}

/** An image. */
export type NewLogo = {
  /** The image in base64: PNG or JPEG, at most 131072 bytes and 2000 pixels on each side. */
  data: string
}

/** A message to send. A text needs only `to` and `body`. */
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

/** A note to add. */
export type NewNote = {
  /** The text, which only the team sees. */
  body: string
}

/** A business number to connect. */
export type NewNumber = {
  /** The network: `whatsapp-cloud` or `simulator`. */
  connector: string
  /** The id that the network gave the number. */
  phone_number_id: string
  /** The phone number, as customers see it. */
  display_phone: string
  name?: string | undefined
  /** Another address than the network's own: a stand-in, or a proxy. */
  base_url?: string | null | undefined
  /** Whether messages that name no number leave from it. */
  is_default?: boolean | undefined
  /** Stored encrypted, never shown again. When absent: `{}`. */
  credentials?: Record<string, string> | undefined
  /** Settings of every number, such as `messages_per_second`, and those of the connector. When absent: `{}`. */
  settings?: Record<string, unknown> | undefined
}

/** That a person agreed to receive such messages. */
export type NewOptIn = {
  /** Where the person agreed, such as `checkout form`. */
  source: string
  /** When. Now if absent. */
  at?: string | undefined
}

/** Only `billingType` is required. */
export type NewOrder = {
  /** The payment method, or `choice` if the payer chooses on the payment page. */
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
    | 'choice'
  payment?: PaymentChoice | undefined
  items?: readonly NewOrderItem[] | undefined
  /** The amount to pay. With `items` it must equal their total. Without both, the payer chooses the amount. */
  amount?: number | undefined
  /** Whole rupiah, or a percentage, rounded half up to the rupiah. */
  discount?: number | DiscountPercentage | undefined
  shipping?: number | undefined
  /** Whole rupiah, or a percentage, rounded half up to the rupiah. Default: what the products of the items say. */
  tax?: number | TaxPercentage | undefined
  customer?: NewOrderCustomer | undefined
  /** The chat of the order, which receives the payment instructions. Use it for customers who hide their phone number, or to choose between chats with several business numbers. Name and phone number are those of the contact unless `customer` has others. */
  chat_id?: string | null | undefined
  /** Whether Nexkit sends payment instructions and receipts to the chat. */
  notify?: boolean | undefined
  /** Your reference, for example the order number of your shop. Unique within the organization. */
  reference?: string | null | undefined
  note?: string | null | undefined
  delivery?: NewDelivery | null | undefined
  /** Until when the order is to be paid, in the future. `order.overdue` is sent if it passes unpaid. */
  due_at?: string | null | undefined
  /** Your data: at most 50 keys with strings of at most 500 characters. */
  metadata?: Record<string, string> | undefined
}

/** The customer. */
export type NewOrderCustomer = {
  name?: string | null | undefined
  /** An existing phone number in any usual spelling. Without a country code it belongs to the country of the organization. */
  phone?: string | null | undefined
}

/** An item of the order: the `sku` of a product, or a `name` and a `unit_price`. */
export type NewOrderItem = {
  /** The sku of a product fills in the name, the price and the tax, and takes pieces from its stock. */
  sku?: string | null | undefined
  /** Default: the name of the product. */
  name?: string | undefined
  quantity: number
  /** Default: the price of the product. */
  unit_price?: number | undefined
}

/** A new payment for the order. */
export type NewOrderPayment = {
  method: 'qris' | 'virtual_account' | 'bank_transfer' | 'cash' | 'cod' | 'ewallet' | 'card' | 'retail' | 'invoice'
  /** For a down payment or an instalment: a part of the remaining amount. The order stays open for what remains. Default: the remaining amount. */
  amount?: number | undefined
  /** For virtual accounts. Default: the default bank of the payment account. */
  bank?: string | undefined
  /** The wallet (`gopay`), store (`alfamart`), card or pay later service (`credit_card`, `akulaku`), or bank. Default: the first that the payment account has. */
  channel?: string | undefined
  /** The phone number of the payer, for wallets that ask in their app (OVO). Default: that of the customer. */
  phone?: string | undefined
  /** Seconds until the payment expires. Default: that of the provider. */
  expires_in_seconds?: number | undefined
}

/** An organization to create. */
export type NewOrganization = {
  name: string
  /** Short name for commands and URLs. Derived from the name by default, and never changed. */
  slug?: string | undefined
  /** The country of phone numbers without a country code. */
  default_country?: string | undefined
  timezone?: string | undefined
  /** The language for customers. */
  language?: 'id' | 'en' | undefined
  /** Creates a key for the shop as well. */
  api_key?: FirstApiKey | undefined
}

/** A payment account to connect. */
export type NewPaymentAccount = {
  provider: 'simulator' | 'midtrans' | 'xendit' | 'manual'
  /** For people. */
  name?: string | undefined
  /** Another address than the provider's own: its sandbox, or a local stand-in. */
  base_url?: string | null | undefined
  /** Stored encrypted, never shown again. When absent: `{}`. */
  credentials?: Record<string, string | null> | undefined
  /** Settings of the provider. When absent: `{}`. */
  settings?: Record<string, string | null> | undefined
  /** What it serves. Null for all that the provider can. */
  methods?: ReadonlyArray<
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
  > | null | undefined
  /** What it is the first choice for. When absent: `[]`. */
  default_methods?: ReadonlyArray<
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
  > | undefined
}

/** A payment link to create. */
export type NewPaymentLink = {
  /** What is paid. The page and the order show it. */
  title: string
  /** Shown on the page. */
  description?: string | null | undefined
  /** The amount to pay. Without it, the payer chooses the amount. */
  amount?: number | undefined
  /** The lowest amount that a payer can choose. */
  amount_min?: number | undefined
  /** The highest amount that a payer can choose. */
  amount_max?: number | undefined
  /** Whether the link takes one payment only. Default: false. */
  single_use?: boolean | undefined
  /** The methods to choose from. Default: all that the page can offer. */
  methods?: ReadonlyArray<
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
  > | undefined
  /** When the link expires, in the future. */
  expires_at?: string | null | undefined
  /** Your data: at most 50 keys with strings of at most 500 characters. */
  metadata?: Record<string, string> | undefined
}

/** Only `sku`, `name` and `price` are required. */
export type NewProduct = {
  /** Your code of the product. Unique within the organization. */
  sku: string
  name: string
  /** The price of one piece, in whole rupiah. */
  price: number
  /** The tax in percent of the price before tax. Null if no tax is shown. */
  tax_rate?: number | null | undefined
  /** Whether `price` contains the tax. Otherwise orders add it to the total. */
  tax_included?: boolean | undefined
  /** The address of a picture. Nexkit does not fetch it. */
  image_url?: string | null | undefined
  /** Whether orders can contain the product. */
  active?: boolean | undefined
  /** How many pieces can still be sold. Null, the default, if they are not counted. */
  stock?: number | null | undefined
  /** The id of the product in a WhatsApp catalogue, unique within the organization. Default: the sku. */
  retailer_id?: string | undefined
  /** Your data: at most 50 keys with strings of at most 500 characters. */
  metadata?: Record<string, string> | undefined
}

/** A reaction to a received message. */
export type NewReaction = {
  /** The message of the customer to react to, by its id or `wamid`. */
  message_id: string
  /** One emoji; empty removes the reaction. */
  emoji: string
}

/** An emoji on a message of the customer. */
export type NewReactionMessage = {
  /** The customer: an existing phone number, preferably in international format with a leading +. Also accepted: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only if you have several. */
  from?: string | undefined
  /** The message of the same chat to reply to, by its id or `wamid`. */
  reply_to?: string | undefined
  /** Send it at this time instead of now, up to a year ahead. Until then it can be cancelled. */
  send_at?: string | undefined
  /** Your reference. It is returned with the message and its events. */
  client_reference?: string | undefined
  /** Your data: up to 50 keys with strings. */
  metadata?: Record<string, string> | undefined
  type: 'reaction'
  reaction: NewReaction
}

export type NewRefund = {
  /** Default: everything that can be refunded. */
  amount?: number | undefined
  /** The payment to refund. Default: the newest that is paid. */
  payment?: string | undefined
  reason?: string | null | undefined
  /** True if staff refunded the customer without the provider; `note` says how. */
  manual?: boolean | undefined
  note?: string | null | undefined
}

/** A saved reply to create. */
export type NewSavedReply = {
  /** What is typed after the slash. Unique. */
  shortcut: string
  /** The text. It may contain `{{customer_name}}`, `{{shop_name}}`, `{{order_number}}`, `{{order_total}}`, `{{order_link}}`. */
  body: string
}

/** How the network treats messages. A rule without content removes the rule. */
export type NewSimulatorRule = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
  /** The recipient: a phone number or a user id. Without it, the rule is for every recipient. */
  to?: string | undefined
  /** Refuses the message at once. */
  refuse?: {
    /** The error code of Meta, such as 131056. */
    error_code: number
    /** How often; then it is accepted. Without it, always. */
    times?: number | undefined
    retry_after_seconds?: number | undefined
  } | undefined
  /** The response is lost, the request is lost, or the network takes three seconds. */
  connection?: 'response_lost' | 'request_lost' | 'slow' | undefined
  /** The statuses in the sequence in which they are reported. What is not listed is never reported. */
  statuses?: readonly NewSimulatorRuleStatus[] | undefined
}

export type NewSimulatorRuleStatus = {
  status: 'sent' | 'delivered' | 'read' | 'played' | 'failed'
  /** Milliseconds after acceptance. Without it, the usual time. */
  after_ms?: number | undefined
  /** How often it is reported. */
  times?: number | undefined
  /** With `failed`: the error code of Meta. */
  error_code?: number | undefined
}

/** Changes settings of a simulator number. */
export type NewSimulatorSettings = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
  /** Determines names, delays and ids of the network. */
  seed?: string | undefined
  /** Whether the number has the limits of a real number. False makes it lenient. */
  reply_window?: boolean | undefined
}

/** A sticker, WebP of 512 × 512 up to 500 KB, without caption. */
export type NewStickerMessage = {
  /** The customer: an existing phone number, preferably in international format with a leading +. Also accepted: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only if you have several. */
  from?: string | undefined
  /** The message of the same chat to reply to, by its id or `wamid`. */
  reply_to?: string | undefined
  /** Send it at this time instead of now, up to a year ahead. Until then it can be cancelled. */
  send_at?: string | undefined
  /** Your reference. It is returned with the message and its events. */
  client_reference?: string | undefined
  /** Your data: up to 50 keys with strings. */
  metadata?: Record<string, string> | undefined
  type: 'sticker'
  media: MediaSource
}

/** A template to be approved by the network. */
export type NewTemplate = {
  /** The business number; the default one if left out. */
  number?: string | undefined
  /** The name of the template. */
  name: string
  /** Such as `id` or `en_US`. */
  language: string
  category: 'utility' | 'marketing' | 'authentication'
  /** The components as the network defines them: header, body, footer, buttons. `header_handle` also takes the id of a file of `POST /media`. */
  components: ReadonlyArray<Record<string, unknown>>
}

/** The name and language of a template, and its parameters. */
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

/** An approved template with its parameters. Can be sent while the reply window is closed. */
export type NewTemplateMessage = {
  /** The customer: an existing phone number, preferably in international format with a leading +. Also accepted: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only if you have several. */
  from?: string | undefined
  /** The message of the same chat to reply to, by its id or `wamid`. */
  reply_to?: string | undefined
  /** Send it at this time instead of now, up to a year ahead. Until then it can be cancelled. */
  send_at?: string | undefined
  /** Your reference. It is returned with the message and its events. */
  client_reference?: string | undefined
  /** Your data: up to 50 keys with strings. */
  metadata?: Record<string, string> | undefined
  type: 'template'
  template: NewTemplateContent
}

/** A text message. */
export type NewTextMessage = {
  /** The customer: an existing phone number, preferably in international format with a leading +. Also accepted: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only if you have several. */
  from?: string | undefined
  /** The message of the same chat to reply to, by its id or `wamid`. */
  reply_to?: string | undefined
  /** Send it at this time instead of now, up to a year ahead. Until then it can be cancelled. */
  send_at?: string | undefined
  /** Your reference. It is returned with the message and its events. */
  client_reference?: string | undefined
  /** Your data: up to 50 keys with strings. */
  metadata?: Record<string, string> | undefined
  /** When absent: `text`. */
  type?: 'text' | undefined
  /** The text, up to 4096 characters. */
  body: string
  /** Show a preview of the first URL in the text. */
  preview_url?: boolean | undefined
}

/** A video, MP4 or 3GPP up to 16 MB. */
export type NewVideoMessage = {
  /** The customer: an existing phone number, preferably in international format with a leading +. Also accepted: a chat id, a business-scoped user id, or the @username of a customer who has written before. */
  to: string
  /** The business number to send from, by its id, its `phone_number_id` or its phone. Needed only if you have several. */
  from?: string | undefined
  /** The message of the same chat to reply to, by its id or `wamid`. */
  reply_to?: string | undefined
  /** Send it at this time instead of now, up to a year ahead. Until then it can be cancelled. */
  send_at?: string | undefined
  /** Your reference. It is returned with the message and its events. */
  client_reference?: string | undefined
  /** Your data: up to 50 keys with strings. */
  metadata?: Record<string, string> | undefined
  type: 'video'
  media: MediaSource
  /** The caption. */
  body?: string | undefined
}

/** A new webhook endpoint. Only `url` is required. */
export type NewWebhookEndpoint = {
  /** The URL that receives events: public, https, without user name or fragment. */
  url: string
  /** `standard` follows Standard Webhooks. `whatsapp_cloud` sends messages and statuses as Meta’s Cloud API does, signed with `X-Hub-Signature-256`, after a handshake with `verify_token`. It cannot be changed. When absent: `standard`. */
  format?: 'standard' | 'whatsapp_cloud' | undefined
  /** For `whatsapp_cloud`: the token that your callback expects in `hub.verify_token`. Stored encrypted, never shown. */
  verify_token?: string | undefined
  /** For `whatsapp_cloud`: only events of this business number, by its id, its `phone_number_id` or its phone. Null for all numbers. */
  number?: string | null | undefined
  /** Event types: names, all of a resource as `order.*`, or `*` for all. When absent: `["*"]`. */
  events?: ReadonlyArray<
    | '*'
    | 'approval.*'
    | 'broadcast.*'
    | 'chat.*'
    | 'contact.*'
    | 'delivery.*'
    | 'endpoint.*'
    | 'key.*'
    | 'message.*'
    | 'note.*'
    | 'number.*'
    | 'order.*'
    | 'payment.*'
    | 'product.*'
    | 'template.*'
    | 'approval.decided'
    | 'approval.requested'
    | 'broadcast.completed'
    | 'broadcast.paused'
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
    | 'key.updated'
    | 'message.deleted'
    | 'message.delivered'
    | 'message.edited'
    | 'message.failed'
    | 'message.played'
    | 'message.read'
    | 'message.received'
    | 'message.sent'
    | 'note.created'
    | 'note.deleted'
    | 'number.reported'
    | 'number.restricted'
    | 'number.updated'
    | 'order.cancelled'
    | 'order.completed'
    | 'order.created'
    | 'order.delivered'
    | 'order.expired'
    | 'order.needs_review'
    | 'order.overdue'
    | 'order.paid'
    | 'order.refunded'
    | 'order.shipped'
    | 'order.updated'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.paid'
    | 'payment.pending'
    | 'payment.proof_received'
    | 'payment.refunded'
    | 'payment.reversed'
    | 'product.created'
    | 'product.deleted'
    | 'product.out_of_stock'
    | 'product.updated'
    | 'template.updated'
  > | undefined
  /** Only events whose payload matches: dotted paths, each with the values it may have, compared as text. All paths must match; in a list, any item. Null or empty for all events. */
  filter?: Record<string, readonly string[]> | null | undefined
  description?: string | null | undefined
  /** `thin` sends only ids; fetch the resource for the details. When absent: `full`. */
  payload?: 'full' | 'thin' | undefined
  /** `strict` sends one event at a time in order of `sequence`; `by_key` does so per resource (per chat for `whatsapp_cloud`, where it is the least). A failing event delays the ones after it. When absent: `none`. */
  ordering?: 'none' | 'by_key' | 'strict' | undefined
  /** Null for no limit. */
  max_per_second?: number | null | undefined
  /** Timeout of the request, including the response. When absent: `15000`. */
  timeout_ms?: number | undefined
  /** Seconds to wait after each failed attempt, for new deliveries. Null for the standard schedule: 12 attempts in 3 days. */
  retry_delays_seconds?: readonly number[] | null | undefined
  /** Custom retry schedules by event type or `order.*`; the most specific name applies. An empty list means one attempt. */
  retry_delays_by_event?: Record<string, readonly number[]> | null | undefined
  /** `v1` is HMAC-SHA256 with the secret, `v1a` Ed25519 with a public key. Official libraries do not support `v1a`. When absent: `v1`. */
  signing?: 'v1' | 'v1a' | 'both' | undefined
  /** Headers sent with every attempt, for example an authorization. Stored encrypted, shown masked. */
  custom_headers?: Record<string, string> | undefined
  tls?: WebhookTls | null | undefined
}

/** A note of the team about a customer. It is never sent. */
export type Note = {
  object: 'note'
  /** Id that begins with `nte_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Id that begins with `con_`. Treat it as opaque; ids sort by creation time. */
  contact_id: string
  body: string
  author: NoteAuthor
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
}

/** Who wrote the note. */
export type NoteAuthor = {
  type: Open<'key' | 'user' | 'agent'>
  id: string
  name: string | null
}

/** The team added a note about a customer. It was not sent to the customer. */
export type NoteCreatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'note.created'
  data: Note
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `note.created` as an endpoint receives it: the full event, or only its ids. */
export type NoteCreatedPayload = NoteCreatedEvent | ThinEvent

/** A note about a customer was deleted. */
export type NoteDeletedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'note.deleted'
  data: Note
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `note.deleted` as an endpoint receives it: the full event, or only its ids. */
export type NoteDeletedPayload = NoteDeletedEvent | ThinEvent

export type NoteList = {
  object: 'list'
  data: Note[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** Changes of a business number. What is absent stays. */
export type NumberChange = {
  /** The phone number, as customers see it. */
  display_phone?: string | undefined
  name?: string | undefined
  /** Another address than the network's own: a stand-in, or a proxy. */
  base_url?: string | null | undefined
  /** Whether messages that name no number leave from it. */
  is_default?: boolean | undefined
  /** Stored encrypted, never shown again. When absent: `{}`. */
  credentials?: Record<string, string | null> | undefined
  /** Settings of every number, such as `messages_per_second`, and those of the connector. When absent: `{}`. */
  settings?: Record<string, unknown> | undefined
}

/** What the network reported about a business number, its account or its templates. */
export type NumberReport = {
  object: 'number_report'
  /** The same as `number_id`: reports have no id. */
  id: string
  /** The number that the report names, or whose webhook received it. */
  number_id: string
  phone_number_id: string
  display_phone: string
  /** The field of the webhook of the network, such as `account_update`. */
  field: string
  /** The word of the network, such as `FLAGGED`. */
  event: string | null
  /** The report in a sentence; empty if only `value` says it. */
  detail: string
  template: NetworkTemplate | null
  /** What the network sent. Null for a chat history and for a report over 64 KiB. */
  value: Record<string, unknown> | null
  source: ReportSource | null
  /** RFC 3339, UTC, with milliseconds. */
  reported_at: string
}

/** The network reported something that has no other event: a call, a preference, a changed user id, a contact of the Business app, a part of its chat history, a group, or a kind that is new. */
export type NumberReportedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'number.reported'
  data: NumberReport
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `number.reported` as an endpoint receives it: the full event, or only its ids. */
export type NumberReportedPayload = NumberReportedEvent | ThinEvent

/** The network restricts a number or its account, or is about to: a violation, a ban, low quality, a declined name. The health of the number shows it too. */
export type NumberRestrictedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'number.restricted'
  data: NumberReport
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `number.restricted` as an endpoint receives it: the full event, or only its ids. */
export type NumberRestrictedPayload = NumberRestrictedEvent | ThinEvent

/** The network changed something about a number or its account: quality, limits, name, review, settings. */
export type NumberUpdatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'number.updated'
  data: NumberReport
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `number.updated` as an endpoint receives it: the full event, or only its ids. */
export type NumberUpdatedPayload = NumberUpdatedEvent | ThinEvent

/** An order: goods or services to be paid and fulfilled. */
export type Order = {
  object: 'order'
  /** Id that begins with `ord_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** The order number for people. Increases by one within the organization. */
  number: string
  status: Open<'draft' | 'pending_payment' | 'confirmed' | 'processing' | 'expired' | 'completed' | 'cancelled'>
  /** The payment method, or `choice` if the payer chooses it. Null for a draft without a payment method. */
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
    | 'choice'
  > | null
  /** What the payer can choose from, and until when. Null unless `billingType` is `choice`. */
  choice: OrderChoice | null
  /** The payment page of the order. Null for drafts and free orders. */
  pay_url: string | null
  customer: OrderCustomer
  /** Id that begins with `chat_`. Treat it as opaque; ids sort by creation time. */
  chat_id: string | null
  items: OrderItem[]
  subtotal: number | null
  discount: number
  shipping: number
  tax: number
  /** The tax that the item prices contain. It is part of `subtotal` and not added. */
  tax_included: number
  /** What was received of the unique amount of a manual bank transfer. */
  unique_amount: number
  /** `subtotal` − `discount` + `shipping` + `tax` + `unique_amount`. Null if the payer chooses the amount. */
  total: number | null
  currency: 'IDR'
  /** Computed from what was received, refunded and reversed, and the total; never set by hand. `refunded`: you refunded the money. `reversed`: a bank reversed the payment, and the amount is due again. */
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
  /** The sum of all payments received. */
  amount_paid: number
  /** The sum of all refunds and reversals. */
  amount_returned: number
  /** The amount still to be paid, including reversed amounts. 0 if a person accepted less, and for a cancelled or expired order. Null if the payer chooses the amount. */
  amount_remaining: number | null
  /** Received above the total and not refunded yet. */
  amount_overpaid: number
  /** The current payment: the one that paid the order, otherwise the open one. Null if there is nothing to pay. */
  payment: Payment | null
  /** The payment link that the order was created by. */
  payment_link_id: string | null
  /** Oldest first. */
  refunds: Refund[]
  needs_review: OrderDoubt | null
  /** Null while nothing is known about the delivery. */
  delivery: OrderDelivery | null
  /** Until when the order is to be paid, such as the date of an invoice. A single payment has `expires_at`. */
  due_at: string | null
  /** True if the due date has passed and an amount remains to be paid. */
  overdue: boolean
  /** Whether Nexkit sends payment instructions and receipts to the chat. */
  notify: boolean
  reference: string | null
  note: string | null
  metadata: Record<string, string>
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
}

/** An order was cancelled. */
export type OrderCancelledEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'order.cancelled'
  data: Order
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.cancelled` as an endpoint receives it: the full event, or only its ids. */
export type OrderCancelledPayload = OrderCancelledEvent | ThinEvent

/** Fields you leave out keep their value. */
export type OrderChanges = {
  /** Replaces all items. An empty list needs an `amount`. */
  items?: readonly NewOrderItem[] | undefined
  /** The amount to pay. With items it must equal their total. */
  amount?: number | undefined
  /** Whole rupiah, or a percentage, rounded half up to the rupiah. */
  discount?: number | DiscountPercentage | undefined
  shipping?: number | undefined
  /** Whole rupiah, or a percentage, rounded half up to the rupiah. */
  tax?: number | TaxPercentage | undefined
  /** Fields you leave out keep their value. With another phone number the order belongs to that customer: the open payment is replaced, and the new one is sent to them. */
  customer?: NewOrderCustomer | undefined
  /** Whether Nexkit sends payment instructions and receipts to the chat. */
  notify?: boolean | undefined
  /** Unique within the organization. */
  reference?: string | null | undefined
  note?: string | null | undefined
  /** Null removes address, courier and tracking. */
  delivery?: NewDelivery | null | undefined
  /** Until when the order is to be paid, in the future. `order.overdue` is sent if it passes unpaid. */
  due_at?: string | null | undefined
  /** Your data: at most 50 keys with strings of at most 500 characters. */
  metadata?: Record<string, string> | undefined
}

export type OrderChoice = {
  /** Null for all methods that the organization has enabled. */
  methods: Array<Open<
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
  >> | null
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string
}

/** An order was completed. */
export type OrderCompletedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'order.completed'
  data: Order
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.completed` as an endpoint receives it: the full event, or only its ids. */
export type OrderCompletedPayload = OrderCompletedEvent | ThinEvent

/** An order was created. */
export type OrderCreatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'order.created'
  data: Order
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.created` as an endpoint receives it: the full event, or only its ids. */
export type OrderCreatedPayload = OrderCreatedEvent | ThinEvent

/** The customer, as far as known. */
export type OrderCustomer = {
  name: string | null
  /** E.164. */
  phone: string | null
  /** Id that begins with `con_`. Treat it as opaque; ids sort by creation time. */
  contact_id: string | null
}

/** An order has reached the customer. */
export type OrderDeliveredEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'order.delivered'
  data: Order
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.delivered` as an endpoint receives it: the full event, or only its ids. */
export type OrderDeliveredPayload = OrderDeliveredEvent | ThinEvent

/** How the order reaches the customer, separate from its `status`. */
export type OrderDelivery = {
  status: Open<'pending' | 'shipped' | 'delivered'>
  address: DeliveryAddress | null
  /** Free text, usually a code: `jne`, `jnt`, `sicepat`, `gojek`. */
  courier: string | null
  /** The service of the courier, such as `REG`. */
  service: string | null
  /** The nomor resi. */
  tracking_number: string | null
  /** A page that shows where the parcel is. */
  tracking_url: string | null
  /** RFC 3339, UTC, with milliseconds. */
  shipped_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  delivered_at: string | null
}

/** A receipt or an invoice of an order. It shows the order and its payments as they are now. */
export type OrderDocument = {
  object: 'order_document'
  /** Id that begins with `doc_`. Treat it as opaque; ids sort by creation time. */
  id: string
  kind: Open<'receipt' | 'invoice'>
  /** Without gaps within the organization and the kind: `INV-000012`. */
  number: string
  /** Id that begins with `ord_`. Treat it as opaque; ids sort by creation time. */
  order_id: string
  /** A page with the document. It needs no sign-in, cannot be guessed and names the customer. */
  url: string
  /** The same as PDF. Add `?lang=en` or `?lang=id` for a language. */
  pdf_url: string
  /** RFC 3339, UTC, with milliseconds. */
  issued_at: string
}

/** Why the order needs review: the first reason, and all of them. */
export type OrderDoubt = {
  reason: Open<
    | 'amount_mismatch'
    | 'amount_unknown'
    | 'duplicate_payment'
    | 'late_payment'
    | 'out_of_stock'
    | 'overpaid'
    | 'price_mismatch'
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
    | 'out_of_stock'
    | 'overpaid'
    | 'price_mismatch'
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

/** An order was not paid in time. */
export type OrderExpiredEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'order.expired'
  data: Order
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.expired` as an endpoint receives it: the full event, or only its ids. */
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
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** A person should check the payments of an order; `needs_review` says why. */
export type OrderNeedsReviewEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'order.needs_review'
  data: Order
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.needs_review` as an endpoint receives it: the full event, or only its ids. */
export type OrderNeedsReviewPayload = OrderNeedsReviewEvent | ThinEvent

/** The due date of an order passed, and an amount remains to be paid. Sent once for a due date. */
export type OrderOverdueEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'order.overdue'
  data: Order
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.overdue` as an endpoint receives it: the full event, or only its ids. */
export type OrderOverduePayload = OrderOverdueEvent | ThinEvent

/** A payment that staff received. */
export type OrderPaid = {
  /** The amount received. Default: the remaining amount. With less, the order stays open. */
  amount?: number | undefined
  /** True to record a second payment of a paid order, with its `amount`; the order then needs review. Without it the request fails for a paid order, so that a repeated request does not count twice. */
  again?: boolean | undefined
  /** The method of a second payment (`cash`, `bank_transfer`, …) for an order without a manual payment, such as one paid through a provider. It is recorded as a separate payment. Only with `again` and `amount`. */
  method?: 'qris' | 'virtual_account' | 'bank_transfer' | 'cash' | 'cod' | 'ewallet' | 'card' | 'retail' | 'invoice' | undefined
  note?: string | null | undefined
}

/** An order is paid: its total was received, in one or more payments, or a person accepted the amount received. You can ship the goods. A payment for an expired or cancelled order is reported as `order.needs_review` first. */
export type OrderPaidEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'order.paid'
  data: Order
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.paid` as an endpoint receives it: the full event, or only its ids. */
export type OrderPaidPayload = OrderPaidEvent | ThinEvent

/** An order was refunded, fully or partially. */
export type OrderRefundedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'order.refunded'
  data: Order
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.refunded` as an endpoint receives it: the full event, or only its ids. */
export type OrderRefundedPayload = OrderRefundedEvent | ThinEvent

export type OrderReview = {
  /** `accept` accepts the amount received and confirms the order, or accepts the loss after a reversal. `dismiss` only closes the review. */
  decision: 'accept' | 'dismiss'
}

/** An order was handed to its courier, or is on its way. */
export type OrderShippedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'order.shipped'
  data: Order
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.shipped` as an endpoint receives it: the full event, or only its ids. */
export type OrderShippedPayload = OrderShippedEvent | ThinEvent

/** A person or program edited an order; `previous` has the fields as they were. When the amount changed, a new payment has replaced the open one. */
export type OrderUpdatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'order.updated'
  data: Order
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `order.updated` as an endpoint receives it: the full event, or only its ids. */
export type OrderUpdatedPayload = OrderUpdatedEvent | ThinEvent

/** An order with all its payments and its ledger. */
export type OrderWithPayments = {
  object: 'order'
  /** Id that begins with `ord_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** The order number for people. Increases by one within the organization. */
  number: string
  status: Open<'draft' | 'pending_payment' | 'confirmed' | 'processing' | 'expired' | 'completed' | 'cancelled'>
  /** The payment method, or `choice` if the payer chooses it. Null for a draft without a payment method. */
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
    | 'choice'
  > | null
  /** What the payer can choose from, and until when. Null unless `billingType` is `choice`. */
  choice: OrderChoice | null
  /** The payment page of the order. Null for drafts and free orders. */
  pay_url: string | null
  customer: OrderCustomer
  /** Id that begins with `chat_`. Treat it as opaque; ids sort by creation time. */
  chat_id: string | null
  items: OrderItem[]
  subtotal: number | null
  discount: number
  shipping: number
  tax: number
  /** The tax that the item prices contain. It is part of `subtotal` and not added. */
  tax_included: number
  /** What was received of the unique amount of a manual bank transfer. */
  unique_amount: number
  /** `subtotal` − `discount` + `shipping` + `tax` + `unique_amount`. Null if the payer chooses the amount. */
  total: number | null
  currency: 'IDR'
  /** Computed from what was received, refunded and reversed, and the total; never set by hand. `refunded`: you refunded the money. `reversed`: a bank reversed the payment, and the amount is due again. */
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
  /** The sum of all payments received. */
  amount_paid: number
  /** The sum of all refunds and reversals. */
  amount_returned: number
  /** The amount still to be paid, including reversed amounts. 0 if a person accepted less, and for a cancelled or expired order. Null if the payer chooses the amount. */
  amount_remaining: number | null
  /** Received above the total and not refunded yet. */
  amount_overpaid: number
  /** The current payment: the one that paid the order, otherwise the open one. Null if there is nothing to pay. */
  payment: Payment | null
  /** The payment link that the order was created by. */
  payment_link_id: string | null
  /** Oldest first. */
  refunds: Refund[]
  needs_review: OrderDoubt | null
  /** Null while nothing is known about the delivery. */
  delivery: OrderDelivery | null
  /** Until when the order is to be paid, such as the date of an invoice. A single payment has `expires_at`. */
  due_at: string | null
  /** True if the due date has passed and an amount remains to be paid. */
  overdue: boolean
  /** Whether Nexkit sends payment instructions and receipts to the chat. */
  notify: boolean
  reference: string | null
  note: string | null
  metadata: Record<string, string>
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
  /** All payments, oldest first. */
  payments: Payment[]
  /** Payments received, refunds and reversals, oldest first; the first 1,000. */
  ledger: Movement[]
}

export type OrganizationChange = {
  name?: string | undefined
  /** The country of phone numbers without a country code. */
  default_country?: string | undefined
  timezone?: string | undefined
  /** The language for customers. */
  language?: 'id' | 'en' | undefined
  /** Whether customers receive order notices in the chat. */
  order_notices?: boolean | undefined
  /** Whether customers are reminded before a payment expires and when an order is overdue. */
  order_reminders?: boolean | undefined
  /** What happens to a payment received after the order has expired. */
  late_payment?: 'accept' | 'review' | 'refund' | undefined
  order_grace_seconds?: number | undefined
  /** Whether customers receive the receipt as a PDF in the chat when an order is paid. */
  receipts_in_chat?: boolean | undefined
  /** Whether customers receive the invoice as a PDF in the chat when an order is to be paid by invoice. */
  invoices_in_chat?: boolean | undefined
  /** The address of the shop, on receipts and invoices. May have several lines. */
  address?: string | null | undefined
  /** The number on WhatsApp that payers can ask, in any usual spelling. Null for the first connected number. */
  contact_phone?: string | null | undefined
  /** On receipts and invoices. */
  contact_email?: string | null | undefined
  /** The automatic answer to customers who write outside of business hours, once per chat and closed period. An end that is not after its start is on the next day. */
  auto_reply?: {
    enabled: boolean
    /** What customers read. */
    message: string
    /** When you are open, in the time zone of the organization. */
    hours: ReadonlyArray<{
      day: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday'
      from: string
      to: string
    }>
  } | null | undefined
  /** The tax number (NPWP) on receipts and invoices. */
  tax_number?: string | null | undefined
}

/** An organization and its settings. */
export type OrganizationDetails = {
  object: 'organization'
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  id: string
  slug: string
  currency: string
  /** Whether this is the sandbox of an organization. */
  sandbox: boolean
  /** Since when its keys and agents are refused, and why. Null if they are not. */
  suspended: {
    /** RFC 3339, UTC, with milliseconds. */
    since: string
    reason: string | null
  } | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  name: string
  /** The country of phone numbers without a country code. */
  default_country: string
  timezone: string
  /** The language for customers. */
  language: Open<'id' | 'en'>
  /** Whether customers receive order notices in the chat. */
  order_notices: boolean
  /** Whether customers are reminded before a payment expires and when an order is overdue. */
  order_reminders: boolean
  /** What happens to a payment received after the order has expired. */
  late_payment: Open<'accept' | 'review' | 'refund'>
  order_grace_seconds: number
  /** Whether customers receive the receipt as a PDF in the chat when an order is paid. */
  receipts_in_chat: boolean
  /** Whether customers receive the invoice as a PDF in the chat when an order is to be paid by invoice. */
  invoices_in_chat: boolean
  /** The address of the shop, on receipts and invoices. May have several lines. */
  address: string | null
  /** The number on WhatsApp that payers can ask, in any usual spelling. Null for the first connected number. */
  contact_phone: string | null
  /** On receipts and invoices. */
  contact_email: string | null
  /** The automatic answer to customers who write outside of business hours, once per chat and closed period. An end that is not after its start is on the next day. */
  auto_reply: {
    enabled: boolean
    /** What customers read. */
    message: string
    /** When you are open, in the time zone of the organization. */
    hours: Array<{
      day: Open<'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday'>
      from: string
      to: string
    }>
  } | null
  /** The tax number (NPWP) on receipts and invoices. */
  tax_number: string | null
  /** The logo on payment pages, receipts and invoices. `hash` changes with the image. */
  logo: OrganizationLogo | null
}

export type OrganizationDetailsList = {
  object: 'list'
  data: OrganizationDetails[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

export type OrganizationLogo = {
  content_type: Open<'image/png' | 'image/jpeg'>
  hash: string
}

/** The AI agent of this token. */
export type OwnAgent = {
  object: 'agent'
  /** Id that begins with `agt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  name: string
  purpose: string | null
  scopes: Array<Open<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'events:read'
    | 'webhooks:read'
  >>
  /** One rule for each operation within its scopes that changes something. */
  rules: AgentRule[]
  limits: AgentLimits
  reach: AgentReach
  /** Whether messages to other customers than the one whose chat it has read need an approval. */
  is_anchored: boolean
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
}

export type PausedAgents = {
  paused: number
}

/** A payment of an order. An order has at most one open payment. */
export type Payment = {
  object: 'payment'
  /** Id that begins with `pay_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Id that begins with `ord_`. Treat it as opaque; ids sort by creation time. */
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
  /** The bank of a virtual account. */
  bank: string | null
  /** The bank of a virtual account, the wallet of an e-wallet payment, the store of a retail payment, or the card or pay later service of a hosted page. */
  channel: string | null
  provider: Open<'simulator' | 'midtrans' | 'xendit' | 'manual'>
  status: Open<'created' | 'pending' | 'failed' | 'expired' | 'cancelled' | 'paid' | 'reversed'>
  /** Null if the payer chooses the amount. */
  amount: number | null
  /** The part of `amount` that identifies a manual bank transfer, on top of what is due. 0 for other payments. */
  unique_amount: number
  amount_paid: number
  amount_refunded: number
  /** The amount that the bank or network reversed. */
  amount_reversed: number
  currency: 'IDR'
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  paid_at: string | null
  qris: PaymentQris | null
  virtual_account: PaymentVirtualAccount | null
  /** For Mandiri bill payment, instead of a virtual account. */
  bill: PaymentBill | null
  /** For a virtual account whose number only a page of the provider shows, instead of `virtual_account`: BSI, Danamon, SeaBank and Saqu at Midtrans. */
  account_page: PaymentAccountPage | null
  /** For e-wallets. A wallet that can also be scanned has `qris` besides. */
  ewallet: PaymentEwallet | null
  retail: PaymentRetail | null
  card: PaymentCard | null
  /** For payments without a provider, such as the bank account to transfer to. */
  instructions: Record<string, string> | null
  /** The payment page for the customer. Needs no key. */
  pay_url: string
  error: PaymentFailure | null
  /** Files by which the customer shows that they paid, oldest first. They mark nothing as paid. */
  proofs: PaymentProof[]
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
}

/** An account of a payment provider. */
export type PaymentAccount = {
  object: 'payment_account'
  /** Id that begins with `pac_`. Treat it as opaque; ids sort by creation time. */
  id: string
  provider: Open<'simulator' | 'midtrans' | 'xendit' | 'manual'>
  /** For people. */
  name: string
  state: Open<'active' | 'paused' | 'disabled'>
  /** Another address than the provider's own: its sandbox, or a local stand-in. */
  base_url: string | null
  /** By name, with the last characters only. */
  credentials: Record<string, string>
  settings: Record<string, string>
  methods: Array<{
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
    /** Of virtual accounts. */
    banks: string[]
    /** With their limits. */
    channels: Array<{
      /** Null if the method has no channels. */
      channel: string | null
      amount_min: number
      amount_max: number | null
      /** The default. 0 for none. */
      expires_in_seconds: number
      is_refundable: boolean
      /** The payer is asked in an app. */
      needs_phone: boolean
    }>
    is_default: boolean
    /** Staff say when it is paid. */
    is_manual: boolean
    is_refundable: boolean
  }>
  /** To be pasted at the provider. Null where it never calls. */
  webhook_url: string | null
  /** RFC 3339, UTC, with milliseconds. */
  last_notice_at: string | null
  last_error: {
    /** RFC 3339, UTC, with milliseconds. */
    at: string
    detail: string
  } | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
}

/** Changes of a payment account. What is absent stays. */
export type PaymentAccountChange = {
  /** For people. */
  name?: string | undefined
  state?: 'active' | 'paused' | 'disabled' | undefined
  /** Another address than the provider's own: its sandbox, or a local stand-in. */
  base_url?: string | null | undefined
  /** Stored encrypted, never shown again. When absent: `{}`. */
  credentials?: Record<string, string | null> | undefined
  /** Settings of the provider. When absent: `{}`. */
  settings?: Record<string, string | null> | undefined
  /** What it serves. Null for all that the provider can. */
  methods?: ReadonlyArray<
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
  > | null | undefined
  /** What it is the first choice for. */
  default_methods?: ReadonlyArray<
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
  > | undefined
}

export type PaymentAccountList = {
  object: 'list'
  data: PaymentAccount[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

export type PaymentAccountPage = {
  bank: string
  redirect_url: string
}

export type PaymentBill = {
  biller_code: string
  bill_key: string
}

export type PaymentCard = {
  channel: string
  /** The page of the provider, on which the payer enters the card. Nexkit never sees card data. */
  redirect_url: string
}

/** Details of the payment method in `billingType`. */
export type PaymentChoice = {
  /** The same as `billingType`; optional. */
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
  /** The methods that the payer chooses from, with `billingType` `choice` or one of them. Default: all that the page can offer. */
  methods?: ReadonlyArray<
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
  > | undefined
  /** A down payment: the first payment asks for this part of the total. Default: the total. */
  amount?: number | undefined
  /** For virtual accounts. Default: the default bank of the payment account. */
  bank?: string | undefined
  /** The wallet (`gopay`), store (`alfamart`), card or pay later service (`credit_card`, `akulaku`), or bank. Default: the first that the payment account has. */
  channel?: string | undefined
  /** The phone number of the payer, for wallets that ask in their app (OVO). Default: that of the customer. */
  phone?: string | undefined
  /** Seconds until the payment expires. Default: that of the provider. */
  expires_in_seconds?: number | undefined
}

export type PaymentEwallet = {
  /** The wallet, such as `gopay`. */
  channel: string
  /** Opens the app of the wallet on a phone. Null for a wallet that asks in its app. */
  deeplink_url: string | null
  /** A page for any device. */
  web_url: string | null
}

/** A payment expired before it was paid. */
export type PaymentExpiredEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'payment.expired'
  data: Payment
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.expired` as an endpoint receives it: the full event, or only its ids. */
export type PaymentExpiredPayload = PaymentExpiredEvent | ThinEvent

/** A payment failed: the provider refused it or could not be reached, or the customer could not pay. */
export type PaymentFailedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'payment.failed'
  data: Payment
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.failed` as an endpoint receives it: the full event, or only its ids. */
export type PaymentFailedPayload = PaymentFailedEvent | ThinEvent

/** Why it failed, with the reason of the provider. */
export type PaymentFailure = {
  code: string
  detail: string
  provider_code: string | null
}

/** Money was received for a payment that had expired, failed or was cancelled. A setting of the organization decides what happens to it. */
export type PaymentLateEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'payment.late'
  data: Payment
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.late` as an endpoint receives it: the full event, or only its ids. */
export type PaymentLatePayload = PaymentLateEvent | ThinEvent

/** A page to pay on without an order. Each payer who pays gets an order. */
export type PaymentLink = {
  object: 'payment_link'
  /** Id that begins with `plk_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** The page for payers. It needs no sign-in. */
  url: string
  /** `paid` for a single-use link that was paid. Only an `active` link can be opened by more payers. */
  status: Open<'active' | 'inactive' | 'expired' | 'paid'>
  title: string
  description: string | null
  /** Null if the payer chooses the amount. */
  amount: number | null
  amount_min: number | null
  amount_max: number | null
  currency: 'IDR'
  single_use: boolean
  /** Null for all methods that the organization has enabled. */
  methods: Array<Open<
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
  >> | null
  active: boolean
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
  /** Orders of this link with money. */
  paid_count: number
  /** What these orders received, without refunds and reversals. */
  amount_received: number
  metadata: Record<string, string>
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
}

/** What to change. The amounts stay. */
export type PaymentLinkChange = {
  /** What is paid. The page and the order show it. */
  title?: string | undefined
  /** Shown on the page. */
  description?: string | null | undefined
  /** False deactivates the link; true activates it again. */
  active?: boolean | undefined
  /** When the link expires, in the future. */
  expires_at?: string | null | undefined
  /** Your data: at most 50 keys with strings of at most 500 characters. */
  metadata?: Record<string, string> | undefined
}

export type PaymentLinkList = {
  object: 'list'
  data: PaymentLink[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

export type PaymentList = {
  object: 'list'
  data: Payment[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** Money was received for a payment: the full amount, or a part where partial payments are possible. */
export type PaymentPaidEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'payment.paid'
  data: Payment
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.paid` as an endpoint receives it: the full event, or only its ids. */
export type PaymentPaidPayload = PaymentPaidEvent | ThinEvent

/** The customer can pay now: the QRIS code, virtual account or other instructions are ready. */
export type PaymentPendingEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'payment.pending'
  data: Payment
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.pending` as an endpoint receives it: the full event, or only its ids. */
export type PaymentPendingPayload = PaymentPendingEvent | ThinEvent

/** A picture or document of a message, as proof of a payment. */
export type PaymentProof = {
  /** Id that begins with `msg_`. Treat it as opaque; ids sort by creation time. */
  message_id: string
  /** Id that begins with `chat_`. Treat it as opaque; ids sort by creation time. */
  chat_id: string
  /** The file. It may be deleted like any other. */
  media_id: string
  mime_type: string | null
  filename: string | null
  /** RFC 3339, UTC, with milliseconds. */
  added_at: string
}

/** A picture or document was attached to a payment as proof. Look at it and at your account before you mark the order as paid. */
export type PaymentProofReceivedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'payment.proof_received'
  data: Payment
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.proof_received` as an endpoint receives it: the full event, or only its ids. */
export type PaymentProofReceivedPayload = PaymentProofReceivedEvent | ThinEvent

/** Which message proves the payment. */
export type PaymentProofRequest = {
  /** A message with a picture or a document. */
  message_id: string
}

export type PaymentQris = {
  /** The content of the QR code. */
  string: string | null
  /** The QR code as an image. Needs no key. */
  image_url: string
}

/** A payment was refunded, fully or partially. */
export type PaymentRefundedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'payment.refunded'
  data: Payment
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.refunded` as an endpoint receives it: the full event, or only its ids. */
export type PaymentRefundedPayload = PaymentRefundedEvent | ThinEvent

export type PaymentRetail = {
  store: string
  /** The code that the payer names at the counter. */
  payment_code: string
}

/** A bank or the network reversed a payment, fully or partially (a chargeback). The amount is due again; `amount_remaining` of the order is how much. */
export type PaymentReversedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'payment.reversed'
  data: Payment
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `payment.reversed` as an endpoint receives it: the full event, or only its ids. */
export type PaymentReversedPayload = PaymentReversedEvent | ThinEvent

export type PaymentVirtualAccount = {
  bank: string
  number: string
  name: string | null
}

/** An invitation that was not accepted yet. */
export type PendingInvitation = {
  object: 'invitation'
  /** Id that begins with `inv_`. Treat it as opaque; ids sort by creation time. */
  id: string
  email: string
  /** What the person may do in the organization. */
  role: Open<'owner' | 'admin' | 'developer' | 'agent' | 'viewer'>
  /** False if this server sends no mail: send the link yourself. */
  is_mailed: boolean
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
}

export type PendingInvitationList = {
  object: 'list'
  data: PendingInvitation[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** A member of the organization. */
export type Person = {
  object: 'person'
  /** Id that begins with `usr_`. Treat it as opaque; ids sort by creation time. */
  id: string
  name: string
  email: string
  /** What the person may do in the organization. */
  role: Open<'owner' | 'admin' | 'developer' | 'agent' | 'viewer'>
  is_two_factor_on: boolean
  /** RFC 3339, UTC, with milliseconds. */
  joined_at: string
  /** RFC 3339, UTC, with milliseconds. */
  last_seen_at: string | null
}

export type PersonList = {
  object: 'list'
  data: Person[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** An error (RFC 9457). Branch on `code`, and on `status` for codes you do not know: new codes may be added at any time. */
export type Problem = {
  /** A URI for the error code; the same on every installation. */
  type: string
  /** The error in a few words; the same for every occurrence of a code. */
  title: string
  /** The HTTP status. */
  status: number
  /** What is wrong and what to do, for people. The wording may change. */
  detail: string
  /** The path of the request. */
  instance: string
  /** Stable name of the error, for programs. */
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
    | 'broadcast_empty'
    | 'broadcast_not_found'
    | 'broadcast_status_conflict'
    | 'certification_not_found'
    | 'certification_running'
    | 'chat_not_found'
    | 'connection_request_invalid'
    | 'connection_request_stale'
    | 'contact_erasure_not_found'
    | 'contact_not_found'
    | 'csv_invalid'
    | 'cursor_invalid'
    | 'delivery_not_found'
    | 'delivery_not_sendable'
    | 'document_not_available'
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
    | 'logo_not_found'
    | 'media_not_found'
    | 'media_not_ready'
    | 'media_type_unsupported'
    | 'media_unavailable'
    | 'message_not_found'
    | 'message_not_scheduled'
    | 'method_not_allowed'
    | 'not_acceptable'
    | 'note_not_found'
    | 'number_already_connected'
    | 'number_disconnected'
    | 'number_missing'
    | 'number_not_connected'
    | 'number_not_found'
    | 'order_already_paid'
    | 'order_changed'
    | 'order_has_no_money'
    | 'order_has_no_recipient'
    | 'order_limit_reached'
    | 'order_not_cancellable'
    | 'order_not_completable'
    | 'order_not_editable'
    | 'order_not_found'
    | 'order_not_manual'
    | 'order_not_payable'
    | 'order_not_shippable'
    | 'order_payment_reversed'
    | 'order_reference_taken'
    | 'order_review_not_needed'
    | 'organization_header_missing'
    | 'organization_not_found'
    | 'organization_slug_taken'
    | 'organization_suspended'
    | 'out_of_stock'
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
    | 'payment_link_not_found'
    | 'payment_method_not_configured'
    | 'payment_not_endable'
    | 'payment_not_found'
    | 'payment_provider_unavailable'
    | 'person_already_member'
    | 'person_not_found'
    | 'platform_key_not_found'
    | 'platform_key_required'
    | 'power_missing'
    | 'product_inactive'
    | 'product_not_found'
    | 'product_retailer_id_taken'
    | 'product_sku_taken'
    | 'rate_limited'
    | 'recipient_opted_out'
    | 'recovery_endpoint_resting'
    | 'recovery_finished'
    | 'recovery_not_found'
    | 'recovery_running'
    | 'recovery_status_mismatch'
    | 'recovery_window_empty'
    | 'recovery_window_expired'
    | 'refund_not_found'
    | 'refund_not_possible'
    | 'refund_only_in_full'
    | 'refund_too_large'
    | 'reply_window_closed'
    | 'request_log_not_found'
    | 'request_timeout'
    | 'reset_link_invalid'
    | 'route_not_found'
    | 'same_origin_required'
    | 'sandbox_people'
    | 'sandbox_required'
    | 'sandbox_simulators_only'
    | 'saved_reply_not_found'
    | 'saved_reply_shortcut_taken'
    | 'scope_missing'
    | 'scope_not_grantable'
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
    | 'sso_email_unverified'
    | 'sso_person_unknown'
    | 'sso_refused'
    | 'sso_unavailable'
    | 'statement_line_confirmed'
    | 'statement_line_not_found'
    | 'template_not_approved'
    | 'template_not_found'
    | 'template_parameters_wrong'
    | 'template_refused'
    | 'templates_unavailable'
    | 'unauthenticated'
    | 'unavailable'
    | 'upload_invalid'
    | 'url_too_long'
    | 'validation_failed'
    | 'value_refused'
    | 'version_conflict'
    | 'webhook_callback_unverified'
    | 'webhook_endpoint_limit_reached'
    | 'webhook_endpoint_not_enabled'
    | 'webhook_endpoint_not_found'
    | 'webhook_format_unsupported'
  >
  /** Every invalid field, in the order of the request. */
  errors?: FieldProblem[]
  /** The values of `detail` as data. */
  params?: Record<string, unknown>
  /** As in `X-Request-Id`. */
  request_id: string
  /** The documentation of this code on this server. */
  doc_url: string
}

/** A product that orders can name by its `sku`. */
export type Product = {
  object: 'product'
  /** Id that begins with `prd_`. Treat it as opaque; ids sort by creation time. */
  id: string
  sku: string
  name: string
  /** The price of one piece, in whole rupiah. */
  price: number
  currency: 'IDR'
  /** The tax in percent of the price before tax. Null if no tax is shown. */
  tax_rate: number | null
  /** Whether `price` contains the tax. Otherwise orders add it to the total. */
  tax_included: boolean
  image_url: string | null
  /** Whether orders can contain the product. */
  active: boolean
  /** How many pieces can still be sold. Null if they are not counted. Negative after a late payment confirmed an order whose pieces were sold meanwhile. */
  stock: number | null
  /** The id of the product in a WhatsApp catalogue. */
  retailer_id: string
  metadata: Record<string, string>
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
}

/** The fields to change. */
export type ProductChange = {
  /** Your code of the product. Unique within the organization. */
  sku?: string | undefined
  name?: string | undefined
  /** The price of one piece, in whole rupiah. */
  price?: number | undefined
  /** The tax in percent of the price before tax. Null if no tax is shown. */
  tax_rate?: number | null | undefined
  /** Whether `price` contains the tax. Otherwise orders add it to the total. */
  tax_included?: boolean | undefined
  /** The address of a picture. Nexkit does not fetch it. */
  image_url?: string | null | undefined
  /** Whether orders can contain the product. */
  active?: boolean | undefined
  /** How many pieces can still be sold. Null, the default, if they are not counted. */
  stock?: number | null | undefined
  /** The id of the product in a WhatsApp catalogue, unique within the organization. Default: the sku. */
  retailer_id?: string | undefined
  /** Your data: at most 50 keys with strings of at most 500 characters. */
  metadata?: Record<string, string> | undefined
}

/** A product was created. */
export type ProductCreatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'product.created'
  data: Product
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `product.created` as an endpoint receives it: the full event, or only its ids. */
export type ProductCreatedPayload = ProductCreatedEvent | ThinEvent

/** A product was deleted. */
export type ProductDeletedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'product.deleted'
  data: Product
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `product.deleted` as an endpoint receives it: the full event, or only its ids. */
export type ProductDeletedPayload = ProductDeletedEvent | ThinEvent

/** The result of an import, line by line. */
export type ProductImport = {
  object: 'product_import'
  /** Whether the file was only checked. */
  dry_run: boolean
  created: number
  updated: number
  unchanged: number
  failed: number
  /** Columns that no field of a product has. */
  ignored_columns: string[]
  lines: Array<{
    /** The line in the file; the names of the columns are line 1. */
    line: number
    sku: string | null
    result: Open<'created' | 'updated' | 'unchanged' | 'failed'>
    /** Id that begins with `prd_`. Treat it as opaque; ids sort by creation time. */
    product_id: string | null
    /** What is wrong with the line; null if it was imported. */
    code: string | null
    /** What to correct. */
    detail: string | null
  }>
}

export type ProductList = {
  object: 'list'
  data: Product[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** The last piece of a product was sold. */
export type ProductOutOfStockEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'product.out_of_stock'
  data: Product
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `product.out_of_stock` as an endpoint receives it: the full event, or only its ids. */
export type ProductOutOfStockPayload = ProductOutOfStockEvent | ThinEvent

/** A product was edited; `previous` has the old values. Pieces that orders take from the stock are not reported by this event. */
export type ProductUpdatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'product.updated'
  data: Product
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `product.updated` as an endpoint receives it: the full event, or only its ids. */
export type ProductUpdatedPayload = ProductUpdatedEvent | ThinEvent

/** A refund. */
export type Refund = {
  object: 'refund'
  /** Id that begins with `rfd_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Id that begins with `ord_`. Treat it as opaque; ids sort by creation time. */
  order_id: string
  /** Id that begins with `pay_`. Treat it as opaque; ids sort by creation time. */
  payment_id: string
  status: Open<'requested' | 'pending' | 'failed' | 'succeeded'>
  amount: number
  currency: 'IDR'
  /** True for a refund by staff, not through the provider. */
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

export type RefundList = {
  object: 'list'
  data: Refund[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** The request of the network that Nexkit keeps for 14 days, and the place in it. */
export type ReportSource = {
  /** Id that begins with `jrn_`. Treat it as opaque; ids sort by creation time. */
  journal_id: string
  entry: number
  change: number
}

/** A role to assign. */
export type RoleChange = {
  /** What the person may do in the organization. */
  role: 'owner' | 'admin' | 'developer' | 'agent' | 'viewer'
}

/** The new API key with its token, and the key that it replaces. */
export type RotatedApiKey = {
  object: 'api_key'
  /** Id that begins with `key_`. Treat it as opaque; ids sort by creation time. */
  id: string
  name: string
  /** For display. It is no credential. */
  key_prefix: string
  state: Open<'active' | 'retiring' | 'expired' | 'revoked'>
  scopes: Array<Open<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'products:write'
    | 'events:read'
    | 'events:erase'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'approvals:read'
    | 'approvals:decide'
    | 'settings:read'
    | 'settings:write'
    | 'keys:read'
    | 'keys:write'
    | 'agents:read'
    | 'agents:write'
    | 'people:read'
    | 'people:write'
    | 'contacts:erase'
  >>
  /** IP ranges that may use the key; empty for all. */
  allowed_ips: string[]
  /** Requests per second; null for the limit of the server. */
  rate_limit: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  created_by: string
  /** RFC 3339, UTC, with milliseconds. */
  last_used_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string | null
  /** RFC 3339, UTC, with milliseconds. */
  revoked_at: string | null
  /** The key that replaces this one. */
  rotated_to: string | null
  /** The token. It is only in this response. */
  token: string
  predecessor: ManagedApiKey
}

/** What was received and returned, per day or month. The sums are those of the ledger. Periods without payments, refunds and reversals are left out. */
export type SalesReport = {
  object: 'sales_report'
  /** A day in the time zone of the organization. */
  from: string
  /** A day in the time zone of the organization. */
  to: string
  by: Open<'day' | 'month'>
  /** The time zone of the organization, in which days begin. */
  timezone: string
  currency: 'IDR'
  totals: {
    /** Payments received. */
    received: number
    /** Refunds that succeeded. */
    refunded: number
    /** Payments that a bank reversed. */
    reversed: number
    /** `received` less `refunded` and `reversed`. Fees of the provider are not included. */
    net: number
    /** The number of payments received. */
    payments: number
  }
  periods: Array<{
    /** The day, or the first day of the month. */
    period: string
    /** Payments received. */
    received: number
    /** Refunds that succeeded. */
    refunded: number
    /** Payments that a bank reversed. */
    reversed: number
    /** `received` less `refunded` and `reversed`. Fees of the provider are not included. */
    net: number
    /** The number of payments received. */
    payments: number
    methods: Array<{
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
      /** Payments received. */
      received: number
      /** Refunds that succeeded. */
      refunded: number
      /** Payments that a bank reversed. */
      reversed: number
      /** `received` less `refunded` and `reversed`. Fees of the provider are not included. */
      net: number
      /** The number of payments received. */
      payments: number
    }>
  }>
}

/** A text that the team sends often. */
export type SavedReply = {
  object: 'saved_reply'
  /** Id that begins with `srp_`. Treat it as opaque; ids sort by creation time. */
  id: string
  shortcut: string
  body: string
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
}

/** The fields to change. */
export type SavedReplyChange = {
  /** What is typed after the slash. Unique. */
  shortcut?: string | undefined
  /** The text. It may contain `{{customer_name}}`, `{{shop_name}}`, `{{order_number}}`, `{{order_total}}`, `{{order_link}}`. */
  body?: string | undefined
}

export type SavedReplyList = {
  object: 'list'
  data: SavedReply[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** What the provider pays out for a payment: the amount less the fee. */
export type Settlement = {
  object: 'settlement'
  /** Id that begins with `stl_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Id that begins with `pay_`. Treat it as opaque; ids sort by creation time. */
  payment_id: string
  /** Id that begins with `ord_`. Treat it as opaque; ids sort by creation time. */
  order_id: string
  provider: string
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
  channel: string | null
  /** Whether the provider has reported the fee of the payment. */
  status: Open<'reported' | 'unreported'>
  /** What was received for the payment, as the ledger has it. */
  amount: number
  /** The fee of the provider with tax; null until it is reported. */
  fee: number | null
  /** `amount` less `fee`. Refunds and reversals are not subtracted. */
  net: number | null
  /** The gross amount in the report less `amount`. Not 0 means that report and ledger disagree. */
  difference: number | null
  currency: 'IDR'
  /** The day on which the money reached your balance. */
  settled_on: string | null
  /** How the report calls the payout. */
  reference: string | null
  /** RFC 3339, UTC, with milliseconds. */
  paid_at: string | null
}

/** The result of an import, line by line. */
export type SettlementImport = {
  object: 'settlement_import'
  /** Whether the file was only checked. */
  dry_run: boolean
  recorded: number
  unchanged: number
  failed: number
  lines: Array<{
    /** The line in the file; the names of the columns are line 1. */
    line: number
    /** Id that begins with `pay_`. Treat it as opaque; ids sort by creation time. */
    payment_id: string | null
    result: Open<'recorded' | 'unchanged' | 'failed'>
    /** What is wrong with the line, or `amount_differs` on a line that was recorded. */
    code: string | null
    detail: string | null
  }>
}

export type SettlementList = {
  object: 'list'
  data: Settlement[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** What a simulated customer sent. */
export type SimulatedAct = {
  /** The ids of the network of what the customer sent. */
  provider_ids: string[]
  person: SimulatedPerson
}

export type SimulatedNotice = {
  status: number
}

/** The HTTP statuses with which the server answered the notifications. */
export type SimulatedNotices = {
  notices: SimulatedNotice[]
}

/** What the simulated payer does. */
export type SimulatedPaying = {
  /** When absent: `paid`. */
  scenario?:
    | 'paid'
    | 'duplicate'
    | 'reordered'
    | 'short'
    | 'excess'
    | 'twice'
    | 'late'
    | 'forged'
    | 'tampered'
    | 'failed'
    | 'expired'
    | 'cancelled'
    | 'reversed'
    | 'partly_reversed' | undefined
  /** What the payer pays; the amount of the payment by default. */
  amount?: number | undefined
}

/** The simulated customers of a number, the most recent first. */
export type SimulatedPeople = {
  data: SimulatedPersonEntry[]
}

/** A simulated customer, as the network reports them. */
export type SimulatedPerson = {
  /** Digits; null where the customer hides it. */
  phone: string | null
  user_id: string
  username: string | null
  name: string
}

export type SimulatedPersonEntry = {
  /** Digits; null where the customer hides it. */
  phone: string | null
  user_id: string
  username: string | null
  name: string
  messages_written: number
  /** RFC 3339, UTC, with milliseconds. */
  last_wrote_at: string
}

/** The messages that were read. */
export type SimulatedReading = {
  read: string[]
}

/** How the simulated network ends a refund. */
export type SimulatedRefunding = {
  /** When absent: `succeeded`. */
  outcome?: 'succeeded' | 'failed' | undefined
}

/** A message that the simulated network accepted for a customer. */
export type SimulatedSentMessage = {
  /** The recipient: a phone number with a leading +, or a user id. */
  to: string
  /** How often the network accepted it. More than 1 is a duplicate. */
  copies: number
  /** When the network accepted it. */
  accepted_at: string
  message: Message
}

/** Messages in the order in which you sent them. */
export type SimulatedSentMessages = {
  data: SimulatedSentMessage[]
}

/** A status that the simulated network reports. */
export type SimulatedStatus = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
  /** A message that the customer received: `msg_…` or `wamid.…`. */
  message_id: string
  status: 'sent' | 'delivered' | 'read' | 'played' | 'failed'
  /** With `failed`: the error code of Meta. The default is 131026. */
  error_code?: number | undefined
}

export type SimulatorRule = {
  /** Null for every recipient. */
  to: string | null
  /** Refuses the message at once. */
  refuse?: {
    /** The error code of Meta, such as 131056. */
    error_code: number
    /** How often; then it is accepted. Without it, always. */
    times?: number
    retry_after_seconds?: number
  }
  /** The response is lost, the request is lost, or the network takes three seconds. */
  connection?: Open<'response_lost' | 'request_lost' | 'slow'>
  /** The statuses in the sequence in which they are reported. What is not listed is never reported. */
  statuses?: SimulatorRuleStatus[]
}

export type SimulatorRuleStatus = {
  status: Open<'sent' | 'delivered' | 'read' | 'played' | 'failed'>
  /** Milliseconds after acceptance. Without it, the usual time. */
  after_ms?: number
  /** How often it is reported. */
  times?: number
  /** With `failed`: the error code of Meta. */
  error_code?: number
}

/** The rules of a simulator number. */
export type SimulatorRules = {
  data: SimulatorRule[]
}

/** The settings of a simulator number. */
export type SimulatorSettings = {
  /** Id that begins with `num_`. Treat it as opaque; ids sort by creation time. */
  number_id: string
  seed: string
  reply_window: boolean
}

/** Which order a line pays. */
export type StatementConfirmation = {
  /** The order that the line pays. */
  order_id: string
}

/** The result of an import, line by line. */
export type StatementImport = {
  object: 'statement_import'
  added: number
  /** Lines that were imported before. */
  duplicates: number
  /** Lines about money that left the account. They are not stored. */
  outgoing: number
  failed: number
  lines: Array<{
    /** The line in the file; the names of the columns are line 1. */
    line: number
    result: Open<'added' | 'duplicate' | 'outgoing' | 'failed'>
    /** Id that begins with `stm_`. Treat it as opaque; ids sort by creation time. */
    statement_line_id: string | null
    code: string | null
    detail: string | null
  }>
}

/** Money that arrived on your bank account, as its statement says. */
export type StatementLine = {
  object: 'statement_line'
  /** Id that begins with `stm_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** A day in the time zone of the organization. */
  date: string
  amount: number
  currency: 'IDR'
  description: string
  /** `open`, `confirmed` as the payment of an order, or `ignored`. */
  status: Open<'open' | 'confirmed' | 'ignored'>
  /** The order that the line pays. */
  order_id: string | null
  /** Id that begins with `pay_`. Treat it as opaque; ids sort by creation time. */
  payment_id: string | null
  /** Orders that an open line may pay, the best first. Nothing is recorded until a line is confirmed. */
  suggestions: Array<{
    /** Id that begins with `ord_`. Treat it as opaque; ids sort by creation time. */
    order_id: string
    order_number: string
    customer_name: string | null
    amount_remaining: number
    /** What the line and the order have in common. `unique_amount`: no other open transfer asks for this amount. */
    matches: Array<Open<'amount' | 'unique_amount' | 'number' | 'reference' | 'name'>>
  }>
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
}

export type StatementLineList = {
  object: 'list'
  data: StatementLine[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** Why an organization is suspended. */
export type Suspension = {
  /** Why, for people of the platform. */
  reason?: string | undefined
}

export type TaxPercentage = {
  percent: number
}

/** A message template of a business number. */
export type Template = {
  object: 'template'
  /** Id that begins with `num_`. Treat it as opaque; ids sort by creation time. */
  number_id: string
  name: string
  language: string
  /** `approved`, `pending`, `rejected`, … in lower case. */
  status: string
  /** `utility`, `marketing` or `authentication`. */
  category: string
  /** The components as the network defines them: header, body, footer, buttons. */
  components: Array<Record<string, unknown>>
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
  /** Only for templates with named placeholders; otherwise the order decides. */
  parameter_name?: string | undefined
}

export type TemplateDateTimeParameter = {
  type: 'date_time'
  date_time: {
    fallback_value: string
    [name: string]: unknown
  }
  /** Only for templates with named placeholders; otherwise the order decides. */
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

export type TemplateList = {
  object: 'list'
  data: Template[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
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
  /** Only for templates with named placeholders; otherwise the order decides. */
  parameter_name?: string | undefined
}

/** The network changed a template: it was approved, rejected, paused or disabled, or has another category or quality. */
export type TemplateUpdatedEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: 'template.updated'
  data: NumberReport
  /** The previous values of the status, amounts and settings that changed, without `updated_at` and without fields of other resources. Null if the resource is new, or if the event type alone says what changed, as in `message.sent`. */
  previous: Record<string, unknown> | null
}

/** `template.updated` as an endpoint receives it: the full event, or only its ids. */
export type TemplateUpdatedPayload = TemplateUpdatedEvent | ThinEvent

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

/** An event with only ids: for endpoints with `payload: thin`, and for all endpoints if the full event is larger than 256 KiB. */
export type ThinEvent = {
  object: 'event'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Increases by one per organization, without gaps. Null for test events. */
  sequence: number | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** The same as `created_at`, under the name that Standard Webhooks defines. */
  timestamp: string
  /** Version of the schema of `data`, as a date. */
  version: string
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  tenant: string
  /** Present only on test events, which have no real cause. Check it before you act. */
  test?: true
  actor: Actor
  type: string
  /** Present if the full event was too large to send. */
  truncated?: true
  /** The path of the full event. */
  self: string
  /** Only `object`, `id`, and other ids such as `chat_id`. */
  data: Record<string, string>
}

/** One HTTP request of a delivery. */
export type WebhookAttempt = {
  object: 'webhook_attempt'
  /** Id that begins with `att_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** As sent in `webhook-attempt`. */
  number: number
  trigger: Open<'auto' | 'manual' | 'recover' | 'test' | 'probe'>
  outcome: Open<'succeeded' | 'failed'>
  /** The URL of the attempt, with secrets masked. */
  url: string
  /** The IP address of the receiver. */
  ip: string | null
  http_version: string | null
  request_headers: Record<string, string>
  request_bytes: number
  /** SHA-256 of the request body, which is the event. */
  body_sha256: string
  /** RFC 3339, UTC, with milliseconds. */
  started_at: string
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  ttfb_ms: number | null
  total_ms: number
  /** How long the rate limit of the endpoint delayed it. */
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

/** The graded test of a receiver, with its likely bugs. */
export type WebhookCertification = {
  object: 'webhook_certification'
  /** Id that begins with `job_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Id that begins with `wep_`. Treat it as opaque; ids sort by creation time. */
  endpoint_id: string
  status: Open<'pending' | 'running' | 'completed' | 'failed'>
  /** Why there is no report. */
  failure: string | null
  /** A: correct. B: minor issues. C: one serious bug. D: several serious bugs. F: accepts forged events, or rejects genuine ones. */
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

/** One event for one endpoint. */
export type WebhookDelivery = {
  object: 'webhook_delivery'
  /** Id that begins with `dlv_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Also the `webhook-id` of every attempt. */
  event_id: string
  /** Id that begins with `wep_`. Treat it as opaque; ids sort by creation time. */
  endpoint_id: string
  type: string
  /** Null on test events. */
  sequence: number | null
  /** `held`: waits until the endpoint is resumed. `skipped` and `cancelled`: not sent unless you recover or resend it. */
  status: Open<'pending' | 'in_flight' | 'succeeded' | 'failed' | 'held' | 'cancelled' | 'skipped'>
  /** The reason for the status; null if there is none. */
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
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** A delivery with its attempts. */
export type WebhookDeliveryWithAttempts = {
  object: 'webhook_delivery'
  /** Id that begins with `dlv_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Also the `webhook-id` of every attempt. */
  event_id: string
  /** Id that begins with `wep_`. Treat it as opaque; ids sort by creation time. */
  endpoint_id: string
  type: string
  /** Null on test events. */
  sequence: number | null
  /** `held`: waits until the endpoint is resumed. `skipped` and `cancelled`: not sent unless you recover or resend it. */
  status: Open<'pending' | 'in_flight' | 'succeeded' | 'failed' | 'held' | 'cancelled' | 'skipped'>
  /** The reason for the status; null if there is none. */
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
  /** Oldest first, at most the newest 100; `attempt_count` is the total number. */
  attempts: WebhookAttempt[]
}

/** A URL that receives events, signed with its secret. */
export type WebhookEndpoint = {
  object: 'webhook_endpoint'
  /** Id that begins with `wep_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** The URL that receives events: public, https, without user name or fragment. */
  url: string
  description: string | null
  /** `standard` follows Standard Webhooks. `whatsapp_cloud` sends messages and statuses as Meta’s Cloud API does, signed with `X-Hub-Signature-256`, after a handshake with `verify_token`. It cannot be changed. */
  format: Open<'standard' | 'whatsapp_cloud'>
  /** The one business number whose events are sent; null for all. */
  number: string | null
  events: string[]
  /** Values that the payload of an event must have; null for any. */
  filter: Record<string, string[]> | null
  /** `degraded`: active, but failing, so its breaker is not closed. `paused`: by a person. `disabled`: by Nexkit or the receiver. */
  state: Open<'enabled' | 'degraded' | 'paused' | 'disabled'>
  disabled_reason: Open<'no_success' | 'gone' | 'receiver_wish'> | null
  /** `thin` sends only ids; fetch the resource for the details. */
  payload: Open<'full' | 'thin'>
  /** `strict` sends one event at a time in order of `sequence`; `by_key` does so per resource (per chat for `whatsapp_cloud`, where it is the least). A failing event delays the ones after it. */
  ordering: Open<'none' | 'by_key' | 'strict'>
  /** Null for no limit. */
  max_per_second: number | null
  /** Timeout of the request, including the response. */
  timeout_ms: number
  retry_delays_seconds: number[]
  /** Custom retry schedules by event type. */
  retry_delays_by_event: Record<string, number[]>
  /** `v1` is HMAC-SHA256 with the secret, `v1a` Ed25519 with a public key. Official libraries do not support `v1a`. */
  signing: Open<'v1' | 'v1a' | 'both'>
  /** The custom headers, their values masked. */
  custom_headers: Record<string, string>
  tls: WebhookTlsPresence
  /** The end of the current secret, to recognize it. */
  secret_hint: string
  /** The keys for `v1a`, newest first. Also as a JWK set at `/.well-known/webhook-keys.json`. */
  public_keys: string[]
  health: WebhookHealth
  last_ping: WebhookPing | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
}

/** Fields you leave out keep their value. */
export type WebhookEndpointChange = {
  /** The URL that receives events: public, https, without user name or fragment. */
  url?: string | undefined
  /** For `whatsapp_cloud`: the token that your callback expects in `hub.verify_token`. Stored encrypted, never shown. */
  verify_token?: string | undefined
  /** For `whatsapp_cloud`: only events of this business number, by its id, its `phone_number_id` or its phone. Null for all numbers. */
  number?: string | null | undefined
  /** Event types: names, all of a resource as `order.*`, or `*` for all. */
  events?: ReadonlyArray<
    | '*'
    | 'approval.*'
    | 'broadcast.*'
    | 'chat.*'
    | 'contact.*'
    | 'delivery.*'
    | 'endpoint.*'
    | 'key.*'
    | 'message.*'
    | 'note.*'
    | 'number.*'
    | 'order.*'
    | 'payment.*'
    | 'product.*'
    | 'template.*'
    | 'approval.decided'
    | 'approval.requested'
    | 'broadcast.completed'
    | 'broadcast.paused'
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
    | 'key.updated'
    | 'message.deleted'
    | 'message.delivered'
    | 'message.edited'
    | 'message.failed'
    | 'message.played'
    | 'message.read'
    | 'message.received'
    | 'message.sent'
    | 'note.created'
    | 'note.deleted'
    | 'number.reported'
    | 'number.restricted'
    | 'number.updated'
    | 'order.cancelled'
    | 'order.completed'
    | 'order.created'
    | 'order.delivered'
    | 'order.expired'
    | 'order.needs_review'
    | 'order.overdue'
    | 'order.paid'
    | 'order.refunded'
    | 'order.shipped'
    | 'order.updated'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.paid'
    | 'payment.pending'
    | 'payment.proof_received'
    | 'payment.refunded'
    | 'payment.reversed'
    | 'product.created'
    | 'product.deleted'
    | 'product.out_of_stock'
    | 'product.updated'
    | 'template.updated'
  > | undefined
  /** Only events whose payload matches: dotted paths, each with the values it may have, compared as text. All paths must match; in a list, any item. Null or empty for all events. */
  filter?: Record<string, readonly string[]> | null | undefined
  description?: string | null | undefined
  /** `thin` sends only ids; fetch the resource for the details. */
  payload?: 'full' | 'thin' | undefined
  /** `strict` sends one event at a time in order of `sequence`; `by_key` does so per resource (per chat for `whatsapp_cloud`, where it is the least). A failing event delays the ones after it. */
  ordering?: 'none' | 'by_key' | 'strict' | undefined
  /** Null for no limit. */
  max_per_second?: number | null | undefined
  /** Timeout of the request, including the response. */
  timeout_ms?: number | undefined
  /** Seconds to wait after each failed attempt, for new deliveries. Null for the standard schedule: 12 attempts in 3 days. */
  retry_delays_seconds?: readonly number[] | null | undefined
  /** Replaces all custom schedules; null removes them. */
  retry_delays_by_event?: Record<string, readonly number[]> | null | undefined
  /** `v1` is HMAC-SHA256 with the secret, `v1a` Ed25519 with a public key. Official libraries do not support `v1a`. */
  signing?: 'v1' | 'v1a' | 'both' | undefined
  /** Replaces all custom headers. */
  custom_headers?: Record<string, string> | undefined
  /** Replaces all TLS settings; null removes them. */
  tls?: WebhookTls | null | undefined
}

export type WebhookEndpointList = {
  object: 'list'
  data: WebhookEndpoint[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** A webhook endpoint in an event. */
export type WebhookEndpointSummary = {
  object: 'webhook_endpoint'
  /** Id that begins with `wep_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Secrets in it are masked. */
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
  /** Id that begins with `wep_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** The URL that receives events: public, https, without user name or fragment. */
  url: string
  description: string | null
  /** `standard` follows Standard Webhooks. `whatsapp_cloud` sends messages and statuses as Meta’s Cloud API does, signed with `X-Hub-Signature-256`, after a handshake with `verify_token`. It cannot be changed. */
  format: Open<'standard' | 'whatsapp_cloud'>
  /** The one business number whose events are sent; null for all. */
  number: string | null
  events: string[]
  /** Values that the payload of an event must have; null for any. */
  filter: Record<string, string[]> | null
  /** `degraded`: active, but failing, so its breaker is not closed. `paused`: by a person. `disabled`: by Nexkit or the receiver. */
  state: Open<'enabled' | 'degraded' | 'paused' | 'disabled'>
  disabled_reason: Open<'no_success' | 'gone' | 'receiver_wish'> | null
  /** `thin` sends only ids; fetch the resource for the details. */
  payload: Open<'full' | 'thin'>
  /** `strict` sends one event at a time in order of `sequence`; `by_key` does so per resource (per chat for `whatsapp_cloud`, where it is the least). A failing event delays the ones after it. */
  ordering: Open<'none' | 'by_key' | 'strict'>
  /** Null for no limit. */
  max_per_second: number | null
  /** Timeout of the request, including the response. */
  timeout_ms: number
  retry_delays_seconds: number[]
  /** Custom retry schedules by event type. */
  retry_delays_by_event: Record<string, number[]>
  /** `v1` is HMAC-SHA256 with the secret, `v1a` Ed25519 with a public key. Official libraries do not support `v1a`. */
  signing: Open<'v1' | 'v1a' | 'both'>
  /** The custom headers, their values masked. */
  custom_headers: Record<string, string>
  tls: WebhookTlsPresence
  /** The end of the current secret, to recognize it. */
  secret_hint: string
  /** The keys for `v1a`, newest first. Also as a JWK set at `/.well-known/webhook-keys.json`. */
  public_keys: string[]
  health: WebhookHealth
  last_ping: WebhookPing | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  updated_at: string
  /** The secret for `v1`. Returned only once: store it now. For `whatsapp_cloud` the whole text, `whsec_` included, is the app secret. */
  secret: string
}

/** Why an event was or was not delivered to its endpoints. */
export type WebhookExplanation = {
  object: 'webhook_explanation'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  event_id: string
  type: string
  /** Null on test events. */
  sequence: number | null
  /** One per endpoint, oldest endpoint first. */
  stories: WebhookExplanationStory[]
}

/** A sentence with a stable code and its values as data, so that programs can use them. */
export type WebhookExplanationSentence = {
  /** Stable, for programs. */
  code: string
  says: string
  /** The values of the sentence as data. */
  details: Record<string, unknown>
}

/** One step of the delivery, or a fact about its current state. */
export type WebhookExplanationStep = {
  /** The time of the step; null if it describes the current state. */
  at: string | null
  /** Stable, for programs. */
  code: string
  says: string
  /** The values of the sentence as data. */
  details: Record<string, unknown>
}

/** The explanation for one endpoint. */
export type WebhookExplanationStory = {
  /** Id that begins with `wep_`. Treat it as opaque; ids sort by creation time. */
  endpoint_id: string
  /** Secrets in it are masked. */
  url: string
  /** Id that begins with `dlv_`. Treat it as opaque; ids sort by creation time. */
  delivery_id: string | null
  /** `not_owed`: the endpoint does not receive this event. `unknown`: it should have been sent, but no delivery exists. */
  verdict: Open<'delivered' | 'in_flight' | 'pending' | 'failed' | 'held' | 'cancelled' | 'skipped' | 'not_owed' | 'unknown'>
  /** The explanation. */
  says: string
  /** What to do; null if nothing needs to be done. */
  next_step: string | null
  /** `says`, sentence by sentence. */
  answer: WebhookExplanationSentence[]
  /** `next_step`, sentence by sentence. */
  advice: WebhookExplanationSentence[]
  /** Every step in order. */
  steps: WebhookExplanationStep[]
}

/** The health of the receiver and its backlog. */
export type WebhookHealth = {
  /** `open` delays deliveries without using up their attempts. */
  breaker: Open<'closed' | 'open' | 'half_open'>
  /** Nothing is sent before this time, because of the breaker, the rate limit or `Retry-After`. */
  blocked_until: string | null
  /** `endpoint_reordering`: pending deliveries are being sorted for a new `ordering`; nothing is sent meanwhile. */
  blocked_reason: string | null
  /** RFC 3339, UTC, with milliseconds. */
  failing_since: string | null
  failures_since_success: number
  /** RFC 3339, UTC, with milliseconds. */
  last_success_at: string | null
  /** Share of successful deliveries among the last 100, without pending ones. */
  success_rate: number | null
  in_flight: number
  /** Pending deliveries, including retries; counted up to 10,000. */
  backlog: number
  /** Held deliveries; counted up to 10,000. */
  held: number
}

/** A bug of the receiver that explains the results. */
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

/** The result of the last ping of the URL; null once it is older than the retention period of deliveries. */
export type WebhookPing = {
  /** Id that begins with `dlv_`. Treat it as opaque; ids sort by creation time. */
  delivery_id: string
  status: Open<'pending' | 'succeeded' | 'failed'>
  response_status: number | null
  error_class: string | null
  /** RFC 3339, UTC, with milliseconds. */
  at: string | null
}

/** One test of the receiver. */
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
  /** What a correct receiver does. */
  expected: string
  verdict: Open<'pass' | 'warn' | 'fail' | 'skipped'>
  likely_bug: string | null
  detail: string | null
  exchanges: WebhookProbeExchange[]
}

/** One request of a probe and its response. */
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
    /** Why there was no complete response. */
    error_class: string | null
    error_detail: string | null
    /** Where a redirect points to. */
    location: string | null
    /** The first characters of the response. */
    body: string | null
    total_ms: number
  }
}

/** What to recover. Only `since` is required. */
export type WebhookRecover = {
  /** Events at this time or later, within the retention period of events. */
  since: string
  /** Events before this time. Default: now. */
  until?: string | undefined
  /** Event types: names, `order.*`, or `*`. */
  types?: ReadonlyArray<
    | '*'
    | 'approval.*'
    | 'broadcast.*'
    | 'chat.*'
    | 'contact.*'
    | 'delivery.*'
    | 'endpoint.*'
    | 'key.*'
    | 'message.*'
    | 'note.*'
    | 'number.*'
    | 'order.*'
    | 'payment.*'
    | 'product.*'
    | 'template.*'
    | 'approval.decided'
    | 'approval.requested'
    | 'broadcast.completed'
    | 'broadcast.paused'
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
    | 'key.updated'
    | 'message.deleted'
    | 'message.delivered'
    | 'message.edited'
    | 'message.failed'
    | 'message.played'
    | 'message.read'
    | 'message.received'
    | 'message.sent'
    | 'note.created'
    | 'note.deleted'
    | 'number.reported'
    | 'number.restricted'
    | 'number.updated'
    | 'order.cancelled'
    | 'order.completed'
    | 'order.created'
    | 'order.delivered'
    | 'order.expired'
    | 'order.needs_review'
    | 'order.overdue'
    | 'order.paid'
    | 'order.refunded'
    | 'order.shipped'
    | 'order.updated'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.paid'
    | 'payment.pending'
    | 'payment.proof_received'
    | 'payment.refunded'
    | 'payment.reversed'
    | 'product.created'
    | 'product.deleted'
    | 'product.out_of_stock'
    | 'product.updated'
    | 'template.updated'
  > | undefined
  /** One or more statuses of deliveries. Default: all that the mode includes. */
  status?:
    | 'failed' | 'cancelled' | 'skipped' | 'held' | 'pending' | 'succeeded'
    | ReadonlyArray<'failed' | 'cancelled' | 'skipped' | 'held' | 'pending' | 'succeeded'> | undefined
  /** `failed`: deliveries that did not succeed, including those that wait for a retry. `missing`: events that match the subscription but have no delivery, for example from before the endpoint was created. `held`: deliveries that were held or skipped while the endpoint was paused or disabled. `all`: every event, including delivered ones, so the receiver gets duplicates; events from before the endpoint was created only with `include_before_creation`. When absent: `failed`. */
  mode?: 'failed' | 'missing' | 'held' | 'all' | undefined
  /** With mode `all`: also events from before the endpoint was created. Mode `missing` always includes them. When absent: `false`. */
  include_before_creation?: boolean | undefined
  /** Only count. When absent: `false`. */
  dry_run?: boolean | undefined
}

/** The recovery; for a dry run, the events it would send. */
export type WebhookRecoverReply = WebhookRecovery | WebhookRecoveryEstimate

/** A job that sends the events an endpoint missed. */
export type WebhookRecovery = {
  object: 'webhook_recovery'
  /** Id that begins with `job_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** Id that begins with `wep_`. Treat it as opaque; ids sort by creation time. */
  endpoint_id: string
  mode: Open<'failed' | 'missing' | 'held' | 'all'>
  include_before_creation: boolean
  /** RFC 3339, UTC, with milliseconds. */
  since: string
  /** RFC 3339, UTC, with milliseconds. */
  until: string
  /** Null for all. */
  types: string[] | null
  /** Null for all that the mode includes. */
  statuses: Array<Open<'failed' | 'cancelled' | 'skipped' | 'held' | 'pending' | 'succeeded'>> | null
  /** `completed`: everything was attempted at least once; failures are retried on the usual schedule. */
  status: Open<'counting' | 'running' | 'completed' | 'cancelled'>
  /** Why it does not progress (`endpoint_paused`, `endpoint_disabled`, `endpoint_resuming`), or why it was cancelled (`by_request`, `resumed_from_now`, `endpoint_disabled`, `endpoint_deleted`, `internal_error`). */
  reason: string | null
  progress: WebhookRecoveryProgress
  /** By event type, in alphabetical order. */
  counts: WebhookRecoveryCount[]
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  finished_at: string | null
}

/** The count of one event type. */
export type WebhookRecoveryCount = {
  type: string
  total: number
  done: number
}

/** The events that a recovery would send. Nothing was sent. */
export type WebhookRecoveryEstimate = {
  object: 'webhook_recovery_estimate'
  /** Id that begins with `wep_`. Treat it as opaque; ids sort by creation time. */
  endpoint_id: string
  mode: Open<'failed' | 'missing' | 'held' | 'all'>
  include_before_creation: boolean
  /** RFC 3339, UTC, with milliseconds. */
  since: string
  /** RFC 3339, UTC, with milliseconds. */
  until: string
  /** Null for all. */
  types: string[] | null
  /** Null for all that the mode includes. */
  statuses: Array<Open<'failed' | 'cancelled' | 'skipped' | 'held' | 'pending' | 'succeeded'>> | null
  total: number
  /** False if counting stopped early: there are at least this many. */
  is_exact: boolean
  counts: WebhookRecoveryEstimateCount[]
}

/** The count of one event type. */
export type WebhookRecoveryEstimateCount = {
  type: string
  total: number
}

export type WebhookRecoveryList = {
  object: 'list'
  data: WebhookRecovery[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

/** The progress of a recovery. */
export type WebhookRecoveryProgress = {
  /** Null while counting. Exact once completed. */
  total: number | null
  /** Queued for sending. */
  done: number
  /** Of those, not attempted yet; counted up to 10,000. */
  queued: number
}

/** The accepted resend. */
export type WebhookResend = {
  object: 'webhook_resend'
  /** The id of the attempt in the log of the delivery. */
  attempt_id: string
  /** Id that begins with `dlv_`. Treat it as opaque; ids sort by creation time. */
  delivery_id: string
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  event_id: string
  /** Id that begins with `wep_`. Treat it as opaque; ids sort by creation time. */
  endpoint_id: string
}

/** How to resume. */
export type WebhookResume = {
  /** `recover_held` sends all held and pending deliveries; `from_now` marks them as skipped and sends only new events. When absent: `recover_held`. */
  mode?: 'from_now' | 'recover_held' | undefined
}

/** How to rotate the secret. */
export type WebhookSecretRotation = {
  /** How long requests are also signed with the old secret. 0 revokes it at once, for example after a leak. When absent: `86400`. */
  overlap_seconds?: number | undefined
}

/** The example to send. */
export type WebhookTest = {
  /** The event type of the example. */
  type:
    | 'approval.decided'
    | 'approval.requested'
    | 'broadcast.completed'
    | 'broadcast.paused'
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
    | 'key.updated'
    | 'message.deleted'
    | 'message.delivered'
    | 'message.edited'
    | 'message.failed'
    | 'message.played'
    | 'message.read'
    | 'message.received'
    | 'message.sent'
    | 'note.created'
    | 'note.deleted'
    | 'number.reported'
    | 'number.restricted'
    | 'number.updated'
    | 'order.cancelled'
    | 'order.completed'
    | 'order.created'
    | 'order.delivered'
    | 'order.expired'
    | 'order.needs_review'
    | 'order.overdue'
    | 'order.paid'
    | 'order.refunded'
    | 'order.shipped'
    | 'order.updated'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.paid'
    | 'payment.pending'
    | 'payment.proof_received'
    | 'payment.refunded'
    | 'payment.reversed'
    | 'product.created'
    | 'product.deleted'
    | 'product.out_of_stock'
    | 'product.updated'
    | 'template.updated'
}

/** The accepted test. */
export type WebhookTestReply = {
  object: 'webhook_test'
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  event_id: string
  /** Get this delivery for the result. */
  delivery_id: string
  /** Id that begins with `wep_`. Treat it as opaque; ids sort by creation time. */
  endpoint_id: string
  type: string
}

/** Additional certificate authorities, and a client certificate with its key. Stored encrypted, never shown. */
export type WebhookTls = {
  /** Additional certificate authorities to trust. */
  ca?: string | undefined
  client_certificate?: string | undefined
  client_key?: string | undefined
}

/** Which TLS settings are set. */
export type WebhookTlsPresence = {
  ca: boolean
  client_certificate: boolean
}

/** A message signed as a receiver with a certain bug would expect it. */
export type WebhookTrial = {
  /** The bug with which a receiver would accept this message. */
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

/** The query of `listAgents`. */
export type ListAgentsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
}

/** The query of `listKeys`. */
export type ListKeysQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
}

/** The query of `listApprovals`. */
export type ListApprovalsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Filter by status. */
  status?: 'pending' | 'approved' | 'refused' | 'expired' | 'done' | 'failed' | undefined
  /** Filter by agent. */
  agent?: string | undefined
}

/** The query of `getApproval`. */
export type GetApprovalQuery = {
  /** Wait up to this many seconds until it is done, failed, refused or expired. Without it, the response is sent at once. */
  wait?: number | undefined
}

/** The query of `listBroadcasts`. */
export type ListBroadcastsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Only broadcasts with this status. */
  status?: 'draft' | 'running' | 'paused' | 'completed' | 'cancelled' | undefined
}

/** The query of `listBroadcastRecipients`. */
export type ListBroadcastRecipientsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Only people with this status. */
  status?: 'pending' | 'sent' | 'skipped' | 'cancelled' | undefined
}

/** The query of `listChats`. */
export type ListChatsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Only chats with unread messages, or only those without. */
  unread?: boolean | undefined
  /** Only open chats, or only closed ones. */
  status?: 'open' | 'closed' | undefined
  /** Only chats with this label. */
  label?: string | undefined
  /** Only chats of this assignee. */
  assignee?: string | undefined
  /** Only chats with an assignee, or only those without. */
  assigned?: boolean | undefined
  /** The business number, by its id, its `phone_number_id` or its phone. */
  number?: string | undefined
  /** Search by the start of the customer’s name, the start or end of their phone number, or words in messages (all of them must match). A word in more than 10,000 messages finds only some of their chats. */
  q?: string | undefined
  /** Only chats with activity at this time or later. */
  since?: string | undefined
}

/** The query of `getChat`. */
export type GetChatQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
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
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Search by the start of the name, or the start or end of the phone number. */
  q?: string | undefined
}

/** The query of `listContactNotes`. */
export type ListContactNotesQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
}

/** The query of `listDeliveries`. */
export type ListDeliveriesQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Id that begins with `wep_`. Treat it as opaque; ids sort by creation time. */
  endpoint?: string | undefined
  /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
  event?: string | undefined
  /** Filter by event type. */
  type?: 
    | 'approval.decided'
    | 'approval.requested'
    | 'broadcast.completed'
    | 'broadcast.paused'
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
    | 'key.updated'
    | 'message.deleted'
    | 'message.delivered'
    | 'message.edited'
    | 'message.failed'
    | 'message.played'
    | 'message.read'
    | 'message.received'
    | 'message.sent'
    | 'note.created'
    | 'note.deleted'
    | 'number.reported'
    | 'number.restricted'
    | 'number.updated'
    | 'order.cancelled'
    | 'order.completed'
    | 'order.created'
    | 'order.delivered'
    | 'order.expired'
    | 'order.needs_review'
    | 'order.overdue'
    | 'order.paid'
    | 'order.refunded'
    | 'order.shipped'
    | 'order.updated'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.paid'
    | 'payment.pending'
    | 'payment.proof_received'
    | 'payment.refunded'
    | 'payment.reversed'
    | 'product.created'
    | 'product.deleted'
    | 'product.out_of_stock'
    | 'product.updated'
    | 'template.updated' | undefined
  /** One or more statuses, joined with commas. `pending` includes deliveries in flight; `held` includes retries of a paused or disabled endpoint. */
  status?: OneOrMore<'pending' | 'succeeded' | 'failed' | 'held' | 'cancelled' | 'skipped'> | undefined
  /** Only deliveries of events at this time or later. */
  since?: string | undefined
  /** List test deliveries and pings instead of real ones. Not needed with `event`. */
  test?: boolean | undefined
}

/** The query of `listErasures`. */
export type ListErasuresQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
}

/** The query of `listEventTypes`. */
export type ListEventTypesQuery = {
  /** Only the event type with this name. */
  name?: string | undefined
}

/** The query of `listEvents`. */
export type ListEventsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Only events with a higher sequence, oldest first; use it to catch up. 0 starts at the oldest event that is kept. Without it, the newest events come first. */
  after?: number | undefined
  /** Event types, joined with commas: names, or all of a resource as `order.*`. */
  types?: OneOrMore<
    | '*'
    | 'approval.*'
    | 'broadcast.*'
    | 'chat.*'
    | 'contact.*'
    | 'delivery.*'
    | 'endpoint.*'
    | 'key.*'
    | 'message.*'
    | 'note.*'
    | 'number.*'
    | 'order.*'
    | 'payment.*'
    | 'product.*'
    | 'template.*'
    | 'approval.decided'
    | 'approval.requested'
    | 'broadcast.completed'
    | 'broadcast.paused'
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
    | 'key.updated'
    | 'message.deleted'
    | 'message.delivered'
    | 'message.edited'
    | 'message.failed'
    | 'message.played'
    | 'message.read'
    | 'message.received'
    | 'message.sent'
    | 'note.created'
    | 'note.deleted'
    | 'number.reported'
    | 'number.restricted'
    | 'number.updated'
    | 'order.cancelled'
    | 'order.completed'
    | 'order.created'
    | 'order.delivered'
    | 'order.expired'
    | 'order.needs_review'
    | 'order.overdue'
    | 'order.paid'
    | 'order.refunded'
    | 'order.shipped'
    | 'order.updated'
    | 'payment.expired'
    | 'payment.failed'
    | 'payment.late'
    | 'payment.paid'
    | 'payment.pending'
    | 'payment.proof_received'
    | 'payment.refunded'
    | 'payment.reversed'
    | 'product.created'
    | 'product.deleted'
    | 'product.out_of_stock'
    | 'product.updated'
    | 'template.updated'
  > | undefined
  /** Only events about the resource with this id. */
  subject?: string | undefined
  /** List test events (tests and pings of endpoints) instead of real ones, newest first. Not allowed with `after`, because they have no sequence. */
  test?: boolean | undefined
}

/** The query of `explainEvent`. */
export type ExplainEventQuery = {
  /** Only this endpoint, which may be deleted. */
  endpoint?: string | undefined
}

/** The query of `eraseEventPayload`. */
export type EraseEventPayloadQuery = {
  /** `cancel` cancels its pending deliveries. A delivery in flight is never cancelled. */
  unfinished?: 'keep' | 'cancel' | undefined
}

/** The query of `listInvitations`. */
export type ListInvitationsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
}

/** The query of `listMessages`. */
export type ListMessagesQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Search by the start of words; all of them must match. */
  q?: string | undefined
  /** Filter by chat: a phone number in any usual spelling, or any other name that `GET /chats/{phone}` accepts. */
  chat?: string | undefined
}

/** The query of `listNumbers`. */
export type ListNumbersQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
}

/** The query of `listOrders`. */
export type ListOrdersQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** One or more, joined with commas. */
  status?: OneOrMore<'draft' | 'pending_payment' | 'confirmed' | 'processing' | 'expired' | 'completed' | 'cancelled'> | undefined
  /** One or more, joined with commas. */
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
  /** Phone number of the customer, in any usual spelling. */
  phone?: string | undefined
  /** Filter by chat, including chats merged into it. */
  chat_id?: string | undefined
  /** Exact match. */
  reference?: string | undefined
  /** Filter by payment link. */
  payment_link_id?: string | undefined
  /** Only orders that need review, or only the others. */
  needs_review?: boolean | undefined
  /** Created at this time or later. */
  created_after?: string | undefined
  /** Created before this time. */
  created_before?: string | undefined
  /** Changed at this time or later. */
  updated_after?: string | undefined
  /** Changed before this time. */
  updated_before?: string | undefined
  /** Search by order number, reference, phone number, or the start of the customer’s name. */
  q?: string | undefined
}

/** The query of `listOrganizations`. */
export type ListOrganizationsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
}

/** The query of `listPaymentAccounts`. */
export type ListPaymentAccountsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
}

/** The query of `listPaymentLinks`. */
export type ListPaymentLinksQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Only active links, or only the others. */
  active?: boolean | undefined
}

/** The query of `listPayments`. */
export type ListPaymentsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Filter by order. */
  order_id?: string | undefined
  /** Created at this time or later. */
  created_after?: string | undefined
  /** Created before this time. */
  created_before?: string | undefined
  /** One or more, joined with commas. */
  status?: OneOrMore<'created' | 'pending' | 'failed' | 'expired' | 'cancelled' | 'paid' | 'reversed'> | undefined
  /** One or more, joined with commas. */
  method?: OneOrMore<
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
  > | undefined
}

/** The query of `listPeople`. */
export type ListPeopleQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
}

/** The query of `listProducts`. */
export type ListProductsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Search by a part of the name, or the start of the sku. */
  q?: string | undefined
  /** Exact match. */
  sku?: string | undefined
  /** Only active products, or only the others. */
  active?: boolean | undefined
  /** Only products with pieces left or without a counted stock, or only those that are sold out. */
  in_stock?: boolean | undefined
}

/** The query of `importProducts`. */
export type ImportProductsQuery = {
  /** Check the file and change nothing. */
  dry_run?: boolean | undefined
}

/** The query of `listRefunds`. */
export type ListRefundsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Filter by order. */
  order_id?: string | undefined
  /** Created at this time or later. */
  created_after?: string | undefined
  /** Created before this time. */
  created_before?: string | undefined
  /** One or more, joined with commas. */
  status?: OneOrMore<'requested' | 'pending' | 'failed' | 'succeeded'> | undefined
}

/** The query of `getSalesReport`. */
export type GetSalesReportQuery = {
  /** The first day. */
  from: string
  /** The last day. */
  to: string
  /** One sum per day or per month. */
  by?: 'day' | 'month' | undefined
}

/** The query of `listSavedReplies`. */
export type ListSavedRepliesQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Search by a part of the shortcut or the text. */
  q?: string | undefined
}

/** The query of `listSettlements`. */
export type ListSettlementsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Filter by order. */
  order_id?: string | undefined
  /** Created at this time or later. */
  created_after?: string | undefined
  /** Created before this time. */
  created_before?: string | undefined
  /** Whether the fee is known. */
  status?: 'reported' | 'unreported' | undefined
  /** Filter by provider. */
  provider?: string | undefined
}

/** The query of `importSettlements`. */
export type ImportSettlementsQuery = {
  /** Check the file and record nothing. */
  dry_run?: boolean | undefined
}

/** The query of `listSimulatedMessages`. */
export type ListSimulatedMessagesQuery = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
  /** Only messages for this customer: a phone number in any usual spelling, or a user id. */
  to?: string | undefined
  /** Only messages that are newer than this one. With `to`, no message can be missed this way. */
  after?: string | undefined
  /** How many messages `wait` waits for. */
  count?: number | undefined
  /** How many seconds to wait until `count` messages match. The answer comes as soon as they do. */
  wait?: number | undefined
  /** How many to return, 1 to 100: the first after `after`, or without it the newest. */
  limit?: number | undefined
}

/** The query of `listSimulatedPeople`. */
export type ListSimulatedPeopleQuery = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
}

/** The query of `listSimulatorRules`. */
export type ListSimulatorRulesQuery = {
  /** The simulator number, by its id, its `phone_number_id` or its phone. Without it, the default number, or the oldest. */
  number?: string | undefined
}

/** The query of `listStatementLines`. */
export type ListStatementLinesQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** Filter by status. */
  status?: 'open' | 'confirmed' | 'ignored' | undefined
}

/** The query of `listTemplates`. */
export type ListTemplatesQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The business number; the default one if left out. */
  number?: string | undefined
  /** Filter by name. */
  name?: string | undefined
}

/** The query of `deleteTemplate`. */
export type DeleteTemplateQuery = {
  /** The business number; the default one if left out. */
  number?: string | undefined
  /** Only this language, such as `id`. */
  language?: string | undefined
}

/** The query of `getTemplate`. */
export type GetTemplateQuery = {
  /** The business number; the default one if left out. */
  number?: string | undefined
}

/** The query of `listWebhookEndpoints`. */
export type ListWebhookEndpointsQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
}

/** The query of `listWebhookRecoveries`. */
export type ListWebhookRecoveriesQuery = {
  /** How many to return, 1 to 100. */
  limit?: number | undefined
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined
}
