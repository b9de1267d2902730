// Made from the routes of the server by `npm run openapi`. Changes made here are lost.

import type * as Sdk from '../../../sdk/src/generated/types.ts'

/** The same without the values that may be added later: the console is as new as the server that answers it. */
export type Closed<T> = T extends readonly (infer Item)[]
  ? ClosedValue<Item>[]
  : T extends object
    ? { [Name in keyof T]: ClosedValue<T[Name]> }
    : T
type ClosedValue<T> = [Listed<T>] extends [never] ? Closed<T> : Listed<T> | Closed<Exclude<T, string>>
type Listed<T> = T extends string ? (string extends T ? never : T) : never

/** The scopes of keys. */
export const scopeNames = [
  'chats:read',
  'chats:write',
  'messages:send',
  'orders:read',
  'orders:write',
  'products:read',
  'products:write',
  'events:read',
  'events:erase',
  'webhooks:read',
  'webhooks:write',
  'approvals:read',
  'approvals:decide',
  'settings:read',
  'settings:write',
  'keys:read',
  'keys:write',
  'agents:read',
  'agents:write',
  'people:read',
  'people:write',
  'contacts:erase',
] as const

/** The scopes that an agent may have. */
export const agentScopes = [
  'chats:read',
  'chats:write',
  'messages:send',
  'orders:read',
  'orders:write',
  'products:read',
  'events:read',
  'webhooks:read',
] as const

/** The roles of people. */
export const roleNames = ['owner', 'admin', 'developer', 'agent', 'viewer'] as const

/** The scopes and powers of each role. */
export const roleRights = {
  owner: [
    'chats:read',
    'chats:write',
    'messages:send',
    'orders:read',
    'orders:write',
    'products:read',
    'products:write',
    'events:read',
    'events:erase',
    'webhooks:read',
    'webhooks:write',
    'approvals:read',
    'approvals:decide',
    'settings:read',
    'settings:write',
    'keys:read',
    'keys:write',
    'agents:read',
    'agents:write',
    'people:read',
    'people:write',
    'contacts:erase',
    'keys:manage',
    'agents:manage',
    'logs:read',
    'people:manage',
    'owners:manage',
    'settings:manage',
    'simulator:use',
    'sandbox:advance',
    'audit:read',
  ],
  admin: [
    'chats:read',
    'chats:write',
    'messages:send',
    'orders:read',
    'orders:write',
    'products:read',
    'products:write',
    'events:read',
    'events:erase',
    'webhooks:read',
    'webhooks:write',
    'approvals:read',
    'approvals:decide',
    'settings:read',
    'settings:write',
    'keys:read',
    'keys:write',
    'agents:read',
    'agents:write',
    'people:read',
    'people:write',
    'contacts:erase',
    'keys:manage',
    'agents:manage',
    'logs:read',
    'people:manage',
    'settings:manage',
    'simulator:use',
    'sandbox:advance',
    'audit:read',
  ],
  developer: [
    'chats:read',
    'chats:write',
    'messages:send',
    'orders:read',
    'orders:write',
    'products:read',
    'products:write',
    'events:read',
    'events:erase',
    'webhooks:read',
    'webhooks:write',
    'approvals:read',
    'approvals:decide',
    'settings:read',
    'keys:read',
    'keys:write',
    'agents:read',
    'agents:write',
    'people:read',
    'keys:manage',
    'agents:manage',
    'logs:read',
    'simulator:use',
    'sandbox:advance',
  ],
  agent: [
    'chats:read',
    'chats:write',
    'messages:send',
    'orders:read',
    'orders:write',
    'products:read',
    'products:write',
    'approvals:read',
    'approvals:decide',
    'simulator:use',
  ],
  viewer: [
    'chats:read',
    'orders:read',
    'products:read',
    'events:read',
    'webhooks:read',
    'approvals:read',
    'settings:read',
    'people:read',
  ],
} as const

/** What a role can allow beside the scopes. */
export const powerNames = [
  'keys:manage',
  'agents:manage',
  'logs:read',
  'people:manage',
  'owners:manage',
  'settings:manage',
  'simulator:use',
  'sandbox:advance',
  'audit:read',
] as const

/** How an order can be paid. */
export const paymentMethods = [
  'qris',
  'virtual_account',
  'bank_transfer',
  'cash',
  'cod',
  'ewallet',
  'card',
  'retail',
  'invoice',
  'free',
] as const

/** Of the payment of an order. */
export const paymentStatuses = [
  'unpaid',
  'pending',
  'partially_paid',
  'paid',
  'overpaid',
  'partially_refunded',
  'refunded',
  'reversed',
] as const

/** The types of messages that are files. */
export const mediaKinds = ['image', 'video', 'audio', 'document', 'sticker'] as const

/** The times that statistics can be of. */
export const statisticsRanges = ['24h', '7d', '30d'] as const

/** What agents can change. `decision` is the default; an amount may limit it. */
export const agentOperations = {
  sendMessage: { scope: 'messages:send', decision: 'ask', hasAmount: false },
  cancelMessage: { scope: 'messages:send', decision: 'ask', hasAmount: false },
  markChatRead: { scope: 'chats:write', decision: 'allow', hasAmount: false },
  updateChat: { scope: 'chats:write', decision: 'ask', hasAmount: false },
  createOrder: { scope: 'orders:write', decision: 'ask', hasAmount: true },
  updateOrder: { scope: 'orders:write', decision: 'ask', hasAmount: true },
  createOrderPayment: { scope: 'orders:write', decision: 'ask', hasAmount: false },
  processOrder: { scope: 'orders:write', decision: 'ask', hasAmount: false },
  shipOrder: { scope: 'orders:write', decision: 'ask', hasAmount: false },
  deliverOrder: { scope: 'orders:write', decision: 'ask', hasAmount: false },
  completeOrder: { scope: 'orders:write', decision: 'ask', hasAmount: false },
  cancelOrder: { scope: 'orders:write', decision: 'ask', hasAmount: false },
  createOrderRefund: { scope: 'orders:write', decision: 'ask', hasAmount: true },
} as const

/** Of an endpoint that is created without them. */
export const endpointDefaults = {
  ordering: 'none',
  payload: 'full',
  signing: 'v1',
  max_per_second: null,
  timeout_ms: 15000,
  retry_delays_seconds: [5, 30, 120, 600, 1800, 7200, 18000, 36000, 50400, 72000, 86400],
} as const

/** Of an endpoint. */
export const timeoutMsLimits = { min: 5000, max: 30000 } as const

/** How many waits a retry schedule may have. */
export const retryDelaysMax = 20 as const

/** The longest of them. */
export const retryDelaySecondsMax = 86400 as const

/** How long an expired order may wait for money. */
export const orderGraceSecondsMax = 604800 as const

/** Characters. */
export const passkeyNameMax = 100 as const

export type AlertSettings = {
  endpoint: boolean
  number: boolean
  key: boolean
  approval: boolean
  /** False if this server sends no mail. */
  is_mail_on: boolean
}

export type AuditEntry = {
  object: 'audit_entry'
  sequence: number
  /** RFC 3339, UTC, with milliseconds. */
  at: string
  actor: {
    type: string
    id: string
    name: string | null
  }
  act: string
  subject: string | null
  request_id: string | null
  address: string | null
  /** What an edit changed. */
  changes: Array<{
    field: string
    before: string
    after: string
  }>
  /** In the chain. Null until the entry is linked. */
  hash: string | null
}

export type AuditEntryList = {
  object: 'list'
  data: AuditEntry[]
  /** Whether there is another page. */
  has_more: boolean
  /** Pass as `cursor` for the next page; null on the last. */
  next_cursor: string | null
  /** The path of this list. */
  url: string
}

export type ChannelTemplates = {
  ok: boolean
  failure: {
    class: string
    code: string
    provider_code: string | null
    detail: string
  } | null
  data: Array<{
    name: string
    language: string
    status: string
    category: string
    components: Array<Record<string, unknown>>
  }>
}

export type Checklist = {
  message_received: {
    done: boolean
    at: string | null
  }
  order_created: {
    done: boolean
    at: string | null
    order_id: string | null
  }
  order_paid: {
    done: boolean
    at: string | null
  }
  webhook_delivered: {
    done: boolean
    at: string | null
  }
}

export type ConnectingProgram = {
  name: string
  host: string
  is_described_there: boolean
  answered_at: string
}

export type ConnectionRequest = {
  request: string | null
  program: ConnectingProgram | null
  scopes: Array<
    | 'chats:read'
    | 'chats:write'
    | 'messages:send'
    | 'orders:read'
    | 'orders:write'
    | 'products:read'
    | 'events:read'
    | 'webhooks:read'
  >
  agent_name: string | null
  redirect_url: string | null
}

export type ConnectorField = {
  name: string
  label: string
  help: string
  /** Goes into `credentials`; everything else into `settings`. */
  is_secret: boolean
  is_required: boolean
  /** Generated if empty. */
  is_generated: boolean
  placeholder: string | null
  /** The values it can have, where they are known. */
  choices: string[] | null
}

export type Connectors = {
  channels: Array<{
    kind: string
    name: string
    fields: ConnectorField[]
  }>
  payments: Array<{
    provider: string
    name: string
    has_notices: boolean
    fields: ConnectorField[]
  }>
}

export type CreatedAgent = {
  agent: Closed<Sdk.AgentDetails>
  token: string
}

export type CreatedKey = {
  key: KeyView
  token: string
}

export type DeliveryPayload = {
  /** Null when the event was erased or has expired. */
  body: string | null
}

export type EndpointStatistics = {
  buckets: Array<{
    /** RFC 3339, UTC, with milliseconds. */
    at: string
    succeeded: number
    failed: number
    p50_ms: number | null
    p95_ms: number | null
  }>
}

export type Found = {
  type: string
  id: string
  title: string
  detail: string | null
  order_status?: string
  /** In the console. */
  path: string
}

export type Invitation = {
  id: string
  email: string
  role: 'owner' | 'admin' | 'developer' | 'agent' | 'viewer'
  /** False if this server sends no mail: send the link yourself. */
  is_mailed: boolean
  /** For those who may invite into this role. */
  link: string | null
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
}

export type InvitationView = {
  organization: string
  email: string
  role: 'owner' | 'admin' | 'developer' | 'agent' | 'viewer'
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string
  is_known_person: boolean
}

export type KeyView = {
  /** Id that begins with `key_`. Treat it as opaque; ids sort by creation time. */
  id: string
  name: string
  key_prefix: string
  state: 'active' | 'retiring' | 'expired' | 'revoked'
  scopes: Array<
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
  allowed_ips: string[]
  rate_limit: number | null
  is_rate_limited: boolean
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  created_by: string
  last_used_at: string | null
  expires_at: string | null
  revoked_at: string | null
  rotated_to: string | null
}

export type LogDetail = {
  log: RequestLog
  caused: {
    events: Array<{
      /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
      id: string
      type: string
      /** RFC 3339, UTC, with milliseconds. */
      created_at: string
    }>
    deliveries: Array<{
      /** Id that begins with `dlv_`. Treat it as opaque; ids sort by creation time. */
      id: string
      /** Id that begins with `evt_`. Treat it as opaque; ids sort by creation time. */
      event_id: string
      /** Id that begins with `wep_`. Treat it as opaque; ids sort by creation time. */
      endpoint_id: string
      status: string
    }>
  }
}

export type MediaLimits = {
  caption_characters_max: number
  kinds: Array<{
    type: 'image' | 'video' | 'audio' | 'document' | 'sticker'
    mime_types: string[]
    bytes_max: number
    takes_caption: boolean
  }>
  /** The types of files by the endings of their names, for browsers that do not know them. */
  endings: Record<string, string>
}

export type Member = {
  id: string
  name: string
  email: string
  role: 'owner' | 'admin' | 'developer' | 'agent' | 'viewer'
  is_two_factor_on: boolean
  /** RFC 3339, UTC, with milliseconds. */
  joined_at: string
  last_seen_at: string | null
}

export type NewKey = {
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
  expires_at?: string | null | undefined
  allowed_ips?: readonly string[] | undefined
  rate_limit?: number | null | undefined
}

export type OpenSession = {
  id: string
  is_current: boolean
  address: string | null
  user_agent: string | null
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  /** RFC 3339, UTC, with milliseconds. */
  last_seen_at: string
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string
}

export type PasskeyView = {
  id: string
  name: string
  is_synced: boolean
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
  last_used_at: string | null
}

export type ProbeResult = {
  ok: boolean
  failure: {
    class: string
    code: string
    provider_code: string | null
    detail: string
  } | null
  took_ms: number
}

/** One API call with both sides. */
export type RequestLog = {
  object: 'request_log'
  /** Id that begins with `req_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** RFC 3339, UTC, with milliseconds. */
  at: string
  /** Whose credential it was, also when it was refused; null when it is not known. */
  caller: {
    type: 'key' | 'agent' | 'user' | 'hook'
    id: string
  } | null
  /** `ok`, `none` when no credential was needed, or why it was refused. */
  auth_result: string
  method: string
  /** The operation id; null when no endpoint matched. */
  operation: string | null
  base_path: string
  /** Without the base path. */
  path: string
  query: string | null
  status: number
  error_code: string | null
  duration_ms: number
  address: string
  user_agent: string | null
  client_request_id: string | null
  idempotency_key: string | null
  /** Answered from the stored reply of an earlier call. */
  is_replayed: boolean
  /** More about the failure than the response says. */
  error_detail: string | null
  request: {
    /** Kept for writes and for errors. Credentials are masked; null when they were not kept. */
    headers: Record<string, string> | null
    /** The size of the body on the wire. */
    bytes: number
    /** Kept for writes and for errors. Secrets are masked; null when it was not kept. */
    body: string | null
    /** Whether the body was longer than what is kept of it. */
    is_cut: boolean
  }
  response: {
    /** Kept for writes and for errors. Credentials are masked; null when they were not kept. */
    headers: Record<string, string> | null
    /** The size of the body on the wire. */
    bytes: number
    /** Kept for writes and for errors. Secrets are masked; null when it was not kept. */
    body: string | null
    /** Whether the body was longer than what is kept of it. */
    is_cut: boolean
  }
}

export type RequestLogFacets = {
  /** RFC 3339, UTC, with milliseconds. */
  from: string
  /** RFC 3339, UTC, with milliseconds. */
  to: string
  /** Counts are complete from here on; later than `from` with very many calls. */
  covered_from: string
  total: number
  buckets: Array<{
    /** RFC 3339, UTC, with milliseconds. */
    at: string
    ok: number
    client_error: number
    server_error: number
    p50_ms: number | null
    p95_ms: number | null
  }>
  facets: Array<{
    name: 'status' | 'error_code' | 'method' | 'operation' | 'caller'
    values: Array<{
      value: string
      count: number
    }>
  }>
}

/** One API call, without its bodies. */
export type RequestLogSummary = {
  object: 'request_log'
  /** Id that begins with `req_`. Treat it as opaque; ids sort by creation time. */
  id: string
  /** RFC 3339, UTC, with milliseconds. */
  at: string
  /** Whose credential it was, also when it was refused; null when it is not known. */
  caller: {
    type: 'key' | 'agent' | 'user' | 'hook'
    id: string
  } | null
  /** `ok`, `none` when no credential was needed, or why it was refused. */
  auth_result: string
  method: string
  /** The operation id; null when no endpoint matched. */
  operation: string | null
  base_path: string
  /** Without the base path. */
  path: string
  query: string | null
  status: number
  error_code: string | null
  duration_ms: number
  address: string
  user_agent: string | null
  client_request_id: string | null
  idempotency_key: string | null
  /** Answered from the stored reply of an earlier call. */
  is_replayed: boolean
  request_bytes: number
  response_bytes: number
}

export type RestoredWork = {
  /** Nothing is sent until "npx nexkit resume" is run. */
  is_paused: boolean
}

export type Sandbox = {
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  id: string
  name: string
  slug: string
  /** RFC 3339, UTC, with milliseconds. */
  created_at: string
}

export type SandboxAdvance = {
  /** By how much everything that waits in the sandbox comes nearer. */
  seconds: number
}

export type SavedViews = {
  data: Array<{
    name: string
    filters: Record<string, string>
  }>
}

export type SessionView = {
  person: {
    id: string
    name: string
    email: string
    is_two_factor_on: boolean
  }
  organizations: Array<{
    id: string
    name: string
    slug: string
    role: 'owner' | 'admin' | 'developer' | 'agent' | 'viewer'
    /** The live organization of a sandbox. */
    sandbox_of: string | null
  }>
  organization: {
    id: string
    name: string
    slug: string
    role: 'owner' | 'admin' | 'developer' | 'agent' | 'viewer'
    sandbox_of: string | null
    scopes: string[]
    powers: string[]
    is_simulated: boolean
  }
  /** Where the live stream continues, so that it sends what happens from now on. */
  live_place: string
  version: string
}

export type SettingChoices = {
  countries: Array<{
    code: string
    calling_code: string
  }>
  timezones: string[]
}

export type Settings = {
  /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
  id: string
  slug: string
  currency: string
  name: string
  /** The country of phone numbers without a country code. */
  default_country: string
  timezone: string
  /** The language for customers. */
  language: 'id' | 'en'
  /** Whether customers receive order notices in the chat. */
  order_notices: boolean
  /** Whether customers are reminded before a payment expires and when an order is overdue. */
  order_reminders: boolean
  /** What happens to a payment received after the order has expired. */
  late_payment: 'accept' | 'review' | 'refund'
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
      day: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday'
      from: string
      to: string
    }>
  } | null
  /** The tax number (NPWP) on receipts and invoices. */
  tax_number: string | null
  /** The logo on payment pages, receipts and invoices. `hash` changes with the image. */
  logo: Closed<Sdk.OrganizationLogo> | null
}

export type SettingsChange = {
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

export type SignInOptions = {
  /** Null when single sign-on is not set up. */
  sso: {
    name: string
  } | null
}

export type SignInResult = {
  needs: 'second_factor' | null
}

export type Statistics = {
  range: '24h' | '7d' | '30d'
  bucket_seconds: number
  /** RFC 3339, UTC, with milliseconds. */
  from: string
  /** RFC 3339, UTC, with milliseconds. */
  to: string
  /** There was more to read than there is time for. Ask again: what was read is kept. */
  is_partial: boolean
  /** Figures are complete from here on. */
  covered_from: string
  requests: {
    total: number
    buckets: Array<{
      /** RFC 3339, UTC, with milliseconds. */
      at: string
      ok: number
      client_error: number
      server_error: number
    }>
  } | null
  latency: {
    p50_ms: number | null
    p99_ms: number | null
    buckets: Array<{
      /** RFC 3339, UTC, with milliseconds. */
      at: string
      p50_ms: number | null
      p99_ms: number | null
    }>
  } | null
  deliveries: {
    total: number
    buckets: Array<{
      /** RFC 3339, UTC, with milliseconds. */
      at: string
      succeeded: number
      failed: number
      pending: number
    }>
  } | null
  messages: {
    total_in: number
    total_out: number
    buckets: Array<{
      /** RFC 3339, UTC, with milliseconds. */
      at: string
      in: number
      out: number
    }>
  } | null
  orders: {
    paid_count: number
    paid_sum: number
    buckets: Array<{
      /** RFC 3339, UTC, with milliseconds. */
      at: string
      paid_count: number
      paid_sum: number
    }>
  } | null
}

export type AgentChange = Closed<Sdk.AgentChange>

export type AgentDetails = Closed<Sdk.AgentDetails>

export type BusinessNumber = Closed<Sdk.BusinessNumber>

export type GroupMember = Closed<Sdk.GroupMember>

export type Message = Closed<Sdk.Message>

export type MessageCart = Closed<Sdk.MessageCart>

export type MessageCartItem = Closed<Sdk.MessageCartItem>

export type MessageContactAddress = Closed<Sdk.MessageContactAddress>

export type MessageContactCard = Closed<Sdk.MessageContactCard>

export type MessageContactEmail = Closed<Sdk.MessageContactEmail>

export type MessageContactName = Closed<Sdk.MessageContactName>

export type MessageContactOrganization = Closed<Sdk.MessageContactOrganization>

export type MessageContactPhone = Closed<Sdk.MessageContactPhone>

export type MessageContactUrl = Closed<Sdk.MessageContactUrl>

export type MessageConversation = Closed<Sdk.MessageConversation>

export type MessageError = Closed<Sdk.MessageError>

export type MessageGroup = Closed<Sdk.MessageGroup>

export type MessageInteractive = Closed<Sdk.MessageInteractive>

export type MessageLocation = Closed<Sdk.MessageLocation>

export type MessageMedia = Closed<Sdk.MessageMedia>

export type MessagePricing = Closed<Sdk.MessagePricing>

export type MessageReaction = Closed<Sdk.MessageReaction>

export type MessageReferral = Closed<Sdk.MessageReferral>

export type MessageReferralWelcome = Closed<Sdk.MessageReferralWelcome>

export type MessageReferredProduct = Closed<Sdk.MessageReferredProduct>

export type MessageSender = Closed<Sdk.MessageSender>

export type MessageStatusChange = Closed<Sdk.MessageStatusChange>

export type MessageSystemNotice = Closed<Sdk.MessageSystemNotice>

export type MessageTemplate = Closed<Sdk.MessageTemplate>

export type MessageTemplateLanguage = Closed<Sdk.MessageTemplateLanguage>

export type MessageUnsupported = Closed<Sdk.MessageUnsupported>

export type MessageWarning = Closed<Sdk.MessageWarning>

export type NewAgent = Closed<Sdk.NewAgent>

export type NewNumber = Closed<Sdk.NewNumber>

export type NewPaymentAccount = Closed<Sdk.NewPaymentAccount>

export type NumberChange = Closed<Sdk.NumberChange>

export type OrganizationLogo = Closed<Sdk.OrganizationLogo>

export type PaymentAccount = Closed<Sdk.PaymentAccount>

export type PaymentAccountChange = Closed<Sdk.PaymentAccountChange>

/** By method and path. */
export type Routes = {
  'POST /api/auth/login': {
    body: {
      email: string
      password: string
    }
    reply: SignInResult
  }
  'POST /api/auth/second-factor': {
    body: {
      code?: string | undefined
      backup_code?: string | undefined
    }
    reply: SignInResult
  }
  'POST /api/auth/logout': {
    reply: void
  }
  'POST /api/auth/passkey-login/options': {
    reply: Record<string, unknown>
  }
  'POST /api/auth/passkey-login': {
    body: {
      response: Record<string, unknown>
    }
    reply: SignInResult
  }
  'GET /api/auth/passkeys': {
    reply: {
      data: PasskeyView[]
    }
  }
  'POST /api/auth/passkeys/options': {
    body: {
      password: string
    }
    reply: Record<string, unknown>
  }
  'POST /api/auth/passkeys': {
    body: {
      name: string
      response: Record<string, unknown>
    }
    reply: PasskeyView
  }
  'PATCH /api/auth/passkeys/{id}': {
    params: { id: string }
    body: {
      name: string
    }
    reply: void
  }
  'DELETE /api/auth/passkeys/{id}': {
    params: { id: string }
    reply: void
  }
  'GET /api/auth/sign-in-options': {
    reply: SignInOptions
  }
  'POST /api/auth/sso/start': {
    reply: {
      url: string
    }
  }
  'POST /api/auth/sso': {
    body: {
      state: string
      code?: string | undefined
      iss?: string | undefined
      error?: string | undefined
    }
    reply: {
      /** Whether the person joined an organization by an open invitation. */
      has_joined: boolean
    }
  }
  'GET /api/auth/session': {
    reply: SessionView
  }
  'POST /api/auth/organization': {
    body: {
      id: string
    }
    reply: {
      id: string
    }
  }
  'GET /api/auth/sessions': {
    reply: {
      data: OpenSession[]
    }
  }
  'DELETE /api/auth/sessions/{id}': {
    params: { id: string }
    reply: void
  }
  'POST /api/auth/password': {
    body: {
      current_password: string
      new_password: string
    }
    reply: void
  }
  'POST /api/auth/password-reset': {
    body: {
      email: string
    }
    reply: void
  }
  'POST /api/auth/password-reset/confirm': {
    body: {
      token: string
      new_password: string
    }
    reply: void
  }
  'POST /api/auth/two-factor': {
    body: {
      password: string
    }
    reply: {
      uri: string
      backup_codes: string[]
    }
  }
  'POST /api/auth/two-factor/confirm': {
    body: {
      code: string
    }
    reply: void
  }
  'POST /api/auth/two-factor/off': {
    body: {
      password: string
    }
    reply: void
  }
  'GET /api/auth/invitations/{token}': {
    params: { token: string }
    reply: InvitationView
  }
  'POST /api/auth/invitations/{token}': {
    params: { token: string }
    body: {
      name: string
      password: string
    }
    reply: {
      email: string
    }
  }
  'POST /api/auth/invitations/{token}/join': {
    params: { token: string }
    reply: {
      id: string
    }
  }
  'GET /api/auth/alerts': {
    reply: AlertSettings
  }
  'POST /api/auth/alerts': {
    body: {
      endpoint: boolean
      number: boolean
      key: boolean
      approval: boolean
    }
    reply: AlertSettings
  }
  'GET /api/console/keys': {
    reply: {
      data: KeyView[]
    }
  }
  'POST /api/console/keys': {
    body: NewKey
    reply: CreatedKey
  }
  'POST /api/console/keys/{id}/rotate': {
    params: { id: string }
    body: {
      overlap_seconds?: number | undefined
    }
    reply: {
      key: KeyView
      token: string
      predecessor: KeyView
    }
  }
  'POST /api/console/keys/{id}/revoke': {
    params: { id: string }
    reply: KeyView
  }
  'GET /api/console/agents': {
    reply: {
      data: Array<Closed<Sdk.AgentDetails>>
    }
  }
  'POST /api/console/agents': {
    body: Closed<Sdk.NewAgent>
    reply: CreatedAgent
  }
  'GET /api/console/agents/{id}': {
    params: { id: string }
    reply: Closed<Sdk.AgentDetails>
  }
  'PATCH /api/console/agents/{id}': {
    params: { id: string }
    body: Closed<Sdk.AgentChange>
    reply: Closed<Sdk.AgentDetails>
  }
  'POST /api/console/agents/pause-all': {
    reply: {
      paused: number
    }
  }
  'POST /api/console/agents/{id}/pause': {
    params: { id: string }
    reply: Closed<Sdk.AgentDetails>
  }
  'POST /api/console/agents/{id}/resume': {
    params: { id: string }
    reply: Closed<Sdk.AgentDetails>
  }
  'POST /api/console/agents/{id}/end': {
    params: { id: string }
    reply: Closed<Sdk.AgentDetails>
  }
  'POST /api/console/agents/{id}/rotate-token': {
    params: { id: string }
    reply: CreatedAgent
  }
  'GET /api/console/connection-address': {
    reply: {
      url: string
    }
  }
  'GET /api/console/connection-request': {
    query: {
      request: string
    }
    reply: ConnectionRequest
  }
  'POST /api/console/connections': {
    body: {
      request: string
      /** Id that begins with `org_`. Treat it as opaque; ids sort by creation time. */
      organization_id: string
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
    }
    reply: {
      agent: Closed<Sdk.AgentDetails>
      redirect_url: string
    }
  }
  'POST /api/console/connections/refuse': {
    body: {
      request: string
    }
    reply: {
      redirect_url: string
    }
  }
  'GET /api/console/people': {
    reply: {
      members: Member[]
      invitations: Invitation[]
    }
  }
  'POST /api/console/invitations': {
    body: {
      email: string
      role: 'owner' | 'admin' | 'developer' | 'agent' | 'viewer'
    }
    reply: Invitation
  }
  'DELETE /api/console/invitations/{id}': {
    params: { id: string }
    reply: void
  }
  'PATCH /api/console/people/{id}': {
    params: { id: string }
    body: {
      role: 'owner' | 'admin' | 'developer' | 'agent' | 'viewer'
    }
    reply: Member
  }
  'DELETE /api/console/people/{id}': {
    params: { id: string }
    reply: void
  }
  'GET /api/console/request-logs': {
    query?: {
      /** How many to return, 1 to 100. */
      limit?: number | undefined
      /** `next_cursor` of the previous page. */
      cursor?: string | undefined
      status?: string | undefined
      error_code?: string | undefined
      caller?: string | undefined
      operation?: string | undefined
      method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | undefined
      q?: string | undefined
      /** RFC 3339, with Z or an offset. */
      since?: string | undefined
      /** RFC 3339, with Z or an offset. */
      until?: string | undefined
    }
    reply: {
      object: 'list'
      data: RequestLogSummary[]
      /** Whether there is another page. */
      has_more: boolean
      /** Pass as `cursor` for the next page; null on the last. */
      next_cursor: string | null
      /** The path of this list. */
      url: string
      searched_to: string | null
    }
  }
  'GET /api/console/request-log-facets': {
    query?: {
      status?: string | undefined
      error_code?: string | undefined
      caller?: string | undefined
      operation?: string | undefined
      method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | undefined
      q?: string | undefined
      /** RFC 3339, with Z or an offset. */
      since?: string | undefined
      /** RFC 3339, with Z or an offset. */
      until?: string | undefined
    }
    reply: RequestLogFacets
  }
  'GET /api/console/request-logs/{id}': {
    params: { id: string }
    reply: LogDetail
  }
  'GET /api/console/settings': {
    reply: Settings
  }
  'GET /api/console/settings/choices': {
    reply: SettingChoices
  }
  'PATCH /api/console/settings': {
    body: SettingsChange
    reply: Settings
  }
  'GET /api/console/restored-work': {
    reply: RestoredWork
  }
  'GET /api/console/sandbox': {
    reply: {
      sandbox: Sandbox | null
    }
  }
  'POST /api/console/sandbox': {
    reply: Sandbox
  }
  'POST /api/console/sandbox/reset': {
    reply: Sandbox
  }
  'POST /api/console/sandbox/advance': {
    body: SandboxAdvance
    reply: Sandbox
  }
  'GET /api/console/connectors': {
    reply: Connectors
  }
  'GET /api/console/numbers': {
    reply: {
      data: Array<Closed<Sdk.BusinessNumber>>
    }
  }
  'GET /api/console/numbers/{id}': {
    params: { id: string }
    reply: Closed<Sdk.BusinessNumber>
  }
  'POST /api/console/numbers': {
    body: Closed<Sdk.NewNumber>
    reply: {
      number: Closed<Sdk.BusinessNumber>
      generated: Record<string, string>
    }
  }
  'PATCH /api/console/numbers/{id}': {
    params: { id: string }
    body: Closed<Sdk.NumberChange>
    reply: Closed<Sdk.BusinessNumber>
  }
  'POST /api/console/numbers/{id}/pause': {
    params: { id: string }
    reply: Closed<Sdk.BusinessNumber>
  }
  'POST /api/console/numbers/{id}/resume': {
    params: { id: string }
    reply: Closed<Sdk.BusinessNumber>
  }
  'DELETE /api/console/numbers/{id}': {
    params: { id: string }
    reply: Closed<Sdk.BusinessNumber>
  }
  'POST /api/console/numbers/{id}/probe': {
    params: { id: string }
    reply: ProbeResult
  }
  'GET /api/console/numbers/{id}/templates': {
    params: { id: string }
    reply: ChannelTemplates
  }
  'GET /api/console/numbers/{id}/media-limits': {
    params: { id: string }
    reply: MediaLimits
  }
  'GET /api/console/labels': {
    reply: {
      data: string[]
      /** There are more than are listed. */
      is_cut: boolean
    }
  }
  'GET /api/console/views/{page}': {
    params: { page: string }
    reply: SavedViews
  }
  'PUT /api/console/views/{page}': {
    params: { page: string }
    body: SavedViews
    reply: SavedViews
  }
  'POST /api/console/messages/{id}/again': {
    params: { id: string }
    body: {
    }
    reply: Closed<Sdk.Message>
  }
  'GET /api/console/payment-accounts': {
    reply: {
      data: Array<Closed<Sdk.PaymentAccount>>
    }
  }
  'GET /api/console/payment-accounts/{id}': {
    params: { id: string }
    reply: Closed<Sdk.PaymentAccount>
  }
  'POST /api/console/payment-accounts': {
    body: Closed<Sdk.NewPaymentAccount>
    reply: Closed<Sdk.PaymentAccount>
  }
  'PATCH /api/console/payment-accounts/{id}': {
    params: { id: string }
    body: Closed<Sdk.PaymentAccountChange>
    reply: Closed<Sdk.PaymentAccount>
  }
  'POST /api/console/payment-accounts/{id}/probe': {
    params: { id: string }
    reply: ProbeResult
  }
  'GET /api/console/figures': {
    query?: {
      range?: '24h' | '7d' | '30d' | undefined
    }
    reply: Statistics
  }
  'GET /api/console/checklist': {
    reply: Checklist
  }
  'GET /api/console/search': {
    query: {
      q: string
    }
    reply: {
      data: Found[]
    }
  }
  'GET /api/console/deliveries/{id}/payload': {
    params: { id: string }
    reply: DeliveryPayload
  }
  'GET /api/console/webhook-endpoints/{id}/statistics': {
    params: { id: string }
    query?: {
      range?: '24h' | '7d' | '30d' | undefined
    }
    reply: EndpointStatistics
  }
  'POST /api/console/webhook-endpoints/{id}/reveal-secret': {
    params: { id: string }
    body: {
      password: string
    }
    reply: {
      secret: string
    }
  }
  'GET /api/console/audit': {
    query?: {
      /** How many to return, 1 to 100. */
      limit?: number | undefined
      /** `next_cursor` of the previous page. */
      cursor?: string | undefined
      actor?: string | undefined
      act?: string | undefined
      subject?: string | undefined
      /** RFC 3339, with Z or an offset. */
      since?: string | undefined
      /** RFC 3339, with Z or an offset. */
      until?: string | undefined
    }
    reply: AuditEntryList
  }
  'GET /api/console/audit/verification': {
    reply: {
      is_intact: boolean
      /** Number of entries verified. */
      entries: number
      /** The sequence at which the chain is broken. */
      broken_at: number | null
      /** There are more entries than could be verified in time. */
      is_partial: boolean
    }
  }
  'GET /api/proxy/agent': {
    reply: Closed<Sdk.OwnAgent>
  }
  'GET /api/proxy/agents': {
    query?: Sdk.ListAgentsQuery
    reply: Closed<Sdk.AgentDetailsList>
  }
  'POST /api/proxy/agents': {
    body: Sdk.NewAgent
    reply: Closed<Sdk.AgentWithToken>
  }
  'POST /api/proxy/agents/pause-all': {
    reply: Closed<Sdk.PausedAgents>
  }
  'GET /api/proxy/agents/{id}': {
    params: { id: string }
    reply: Closed<Sdk.AgentDetails>
  }
  'PATCH /api/proxy/agents/{id}': {
    params: { id: string }
    body: Sdk.AgentChange
    reply: Closed<Sdk.AgentDetails>
  }
  'POST /api/proxy/agents/{id}/pause': {
    params: { id: string }
    reply: Closed<Sdk.AgentDetails>
  }
  'POST /api/proxy/agents/{id}/resume': {
    params: { id: string }
    reply: Closed<Sdk.AgentDetails>
  }
  'POST /api/proxy/agents/{id}/revoke': {
    params: { id: string }
    reply: Closed<Sdk.AgentDetails>
  }
  'POST /api/proxy/agents/{id}/rotate-token': {
    params: { id: string }
    reply: Closed<Sdk.AgentWithToken>
  }
  'GET /api/proxy/api-keys': {
    query?: Sdk.ListKeysQuery
    reply: Closed<Sdk.ManagedApiKeyList>
  }
  'POST /api/proxy/api-keys': {
    body: Sdk.NewApiKey
    reply: Closed<Sdk.CreatedApiKey>
  }
  'GET /api/proxy/api-keys/{id}': {
    params: { id: string }
    reply: Closed<Sdk.ManagedApiKey>
  }
  'PATCH /api/proxy/api-keys/{id}': {
    params: { id: string }
    body: Sdk.ApiKeyChange
    reply: Closed<Sdk.ManagedApiKey>
  }
  'POST /api/proxy/api-keys/{id}/revoke': {
    params: { id: string }
    reply: Closed<Sdk.ManagedApiKey>
  }
  'POST /api/proxy/api-keys/{id}/rotate': {
    params: { id: string }
    body?: Sdk.ApiKeyRotation
    reply: Closed<Sdk.RotatedApiKey>
  }
  'GET /api/proxy/approvals': {
    query?: Sdk.ListApprovalsQuery
    reply: Closed<Sdk.ApprovalList>
  }
  'GET /api/proxy/approvals/{id}': {
    params: { id: string }
    query?: Sdk.GetApprovalQuery
    reply: Closed<Sdk.Approval>
  }
  'POST /api/proxy/approvals/{id}/approve': {
    params: { id: string }
    body?: Sdk.ApprovalDecision
    reply: Closed<Sdk.Approval>
  }
  'POST /api/proxy/approvals/{id}/refuse': {
    params: { id: string }
    body?: Sdk.ApprovalDecision
    reply: Closed<Sdk.Approval>
  }
  'GET /api/proxy/broadcasts': {
    query?: Sdk.ListBroadcastsQuery
    reply: Closed<Sdk.BroadcastList>
  }
  'POST /api/proxy/broadcasts': {
    body: Sdk.NewBroadcast
    reply: Closed<Sdk.Broadcast>
  }
  'GET /api/proxy/broadcasts/{id}': {
    params: { id: string }
    reply: Closed<Sdk.Broadcast>
  }
  'POST /api/proxy/broadcasts/{id}/cancel': {
    params: { id: string }
    reply: Closed<Sdk.Broadcast>
  }
  'POST /api/proxy/broadcasts/{id}/pause': {
    params: { id: string }
    reply: Closed<Sdk.Broadcast>
  }
  'GET /api/proxy/broadcasts/{id}/recipients': {
    params: { id: string }
    query?: Sdk.ListBroadcastRecipientsQuery
    reply: Closed<Sdk.BroadcastRecipientList>
  }
  'POST /api/proxy/broadcasts/{id}/resume': {
    params: { id: string }
    reply: Closed<Sdk.Broadcast>
  }
  'POST /api/proxy/broadcasts/{id}/start': {
    params: { id: string }
    reply: Closed<Sdk.Broadcast>
  }
  'GET /api/proxy/chats': {
    query?: Sdk.ListChatsQuery
    reply: Closed<Sdk.ChatList>
  }
  'GET /api/proxy/chats/{phone}': {
    params: { phone: string }
    query?: Sdk.GetChatQuery
    reply: Closed<Sdk.ChatWithMessages>
  }
  'PATCH /api/proxy/chats/{phone}': {
    params: { phone: string }
    query?: Sdk.UpdateChatQuery
    body: Sdk.ChatChange
    reply: Closed<Sdk.Chat>
  }
  'POST /api/proxy/chats/{phone}/read': {
    params: { phone: string }
    query?: Sdk.MarkChatReadQuery
    reply: Closed<Sdk.Chat>
  }
  'GET /api/proxy/contacts': {
    query?: Sdk.ListContactsQuery
    reply: Closed<Sdk.ContactList>
  }
  'GET /api/proxy/contacts/{id}': {
    params: { id: string }
    reply: Closed<Sdk.Contact>
  }
  'PATCH /api/proxy/contacts/{id}': {
    params: { id: string }
    body: Sdk.ContactChange
    reply: Closed<Sdk.Contact>
  }
  'POST /api/proxy/contacts/{id}/erase': {
    params: { id: string }
    reply: Closed<Sdk.ContactErasure>
  }
  'GET /api/proxy/contacts/{id}/notes': {
    params: { id: string }
    query?: Sdk.ListContactNotesQuery
    reply: Closed<Sdk.NoteList>
  }
  'POST /api/proxy/contacts/{id}/notes': {
    params: { id: string }
    body: Sdk.NewNote
    reply: Closed<Sdk.Note>
  }
  'DELETE /api/proxy/contacts/{id}/notes/{note_id}': {
    params: { id: string; note_id: string }
    reply: void
  }
  'POST /api/proxy/contacts/{id}/opt-in': {
    params: { id: string }
    body: Sdk.NewOptIn
    reply: Closed<Sdk.ContactConsent>
  }
  'POST /api/proxy/contacts/{id}/opt-out': {
    params: { id: string }
    body: Sdk.NewOptIn
    reply: Closed<Sdk.ContactConsent>
  }
  'GET /api/proxy/deliveries': {
    query?: Sdk.ListDeliveriesQuery
    reply: Closed<Sdk.WebhookDeliveryList>
  }
  'GET /api/proxy/deliveries/{id}': {
    params: { id: string }
    reply: Closed<Sdk.WebhookDeliveryWithAttempts>
  }
  'POST /api/proxy/deliveries/{id}/resend': {
    params: { id: string }
    reply: Closed<Sdk.WebhookResend>
  }
  'GET /api/proxy/erasures': {
    query?: Sdk.ListErasuresQuery
    reply: Closed<Sdk.ContactErasureList>
  }
  'GET /api/proxy/erasures/{id}': {
    params: { id: string }
    reply: Closed<Sdk.ContactErasure>
  }
  'GET /api/proxy/event-types': {
    query?: Sdk.ListEventTypesQuery
    reply: Closed<Sdk.EventTypeList>
  }
  'GET /api/proxy/events': {
    query?: Sdk.ListEventsQuery
    reply: Closed<Sdk.EventList>
  }
  'POST /api/proxy/events/erase': {
    body: Sdk.EventErasureRequest
    reply: Closed<Sdk.EventErasure>
  }
  'GET /api/proxy/events/{id}': {
    params: { id: string }
    reply: Closed<Sdk.Event>
  }
  'GET /api/proxy/events/{id}/explain': {
    params: { id: string }
    query?: Sdk.ExplainEventQuery
    reply: Closed<Sdk.WebhookExplanation>
  }
  'DELETE /api/proxy/events/{id}/payload': {
    params: { id: string }
    query?: Sdk.EraseEventPayloadQuery
    reply: void
  }
  'GET /api/proxy/invitations': {
    query?: Sdk.ListInvitationsQuery
    reply: Closed<Sdk.PendingInvitationList>
  }
  'POST /api/proxy/invitations': {
    body: Sdk.NewInvitation
    reply: Closed<Sdk.CreatedInvitation>
  }
  'DELETE /api/proxy/invitations/{id}': {
    params: { id: string }
    reply: void
  }
  'GET /api/proxy/me': {
    reply: Closed<Sdk.Identity>
  }
  'GET /api/proxy/media/{id}': {
    params: { id: string }
    reply: Closed<Sdk.MediaFile>
  }
  'DELETE /api/proxy/media/{id}': {
    params: { id: string }
    reply: void
  }
  'GET /api/proxy/messages': {
    query?: Sdk.ListMessagesQuery
    reply: Closed<Sdk.MessageList>
  }
  'POST /api/proxy/messages': {
    body: Sdk.NewMessage
    reply: Closed<Sdk.Message>
  }
  'GET /api/proxy/messages/{id}': {
    params: { id: string }
    reply: Closed<Sdk.Message>
  }
  'DELETE /api/proxy/messages/{id}': {
    params: { id: string }
    reply: void
  }
  'GET /api/proxy/numbers': {
    query?: Sdk.ListNumbersQuery
    reply: Closed<Sdk.BusinessNumberList>
  }
  'POST /api/proxy/numbers': {
    body: Sdk.NewNumber
    reply: Closed<Sdk.ConnectedNumber>
  }
  'GET /api/proxy/numbers/{id}': {
    params: { id: string }
    reply: Closed<Sdk.BusinessNumber>
  }
  'PATCH /api/proxy/numbers/{id}': {
    params: { id: string }
    body: Sdk.NumberChange
    reply: Closed<Sdk.BusinessNumber>
  }
  'DELETE /api/proxy/numbers/{id}': {
    params: { id: string }
    reply: Closed<Sdk.BusinessNumber>
  }
  'POST /api/proxy/numbers/{id}/pause': {
    params: { id: string }
    reply: Closed<Sdk.BusinessNumber>
  }
  'POST /api/proxy/numbers/{id}/resume': {
    params: { id: string }
    reply: Closed<Sdk.BusinessNumber>
  }
  'GET /api/proxy/orders': {
    query?: Sdk.ListOrdersQuery
    reply: Closed<Sdk.OrderList>
  }
  'POST /api/proxy/orders': {
    body: Sdk.NewOrder
    reply: Closed<Sdk.Order>
  }
  'GET /api/proxy/orders/{id}': {
    params: { id: string }
    reply: Closed<Sdk.OrderWithPayments>
  }
  'PATCH /api/proxy/orders/{id}': {
    params: { id: string }
    body: Sdk.OrderChanges
    reply: Closed<Sdk.OrderWithPayments>
  }
  'POST /api/proxy/orders/{id}/cancel': {
    params: { id: string }
    reply: Closed<Sdk.OrderWithPayments>
  }
  'POST /api/proxy/orders/{id}/complete': {
    params: { id: string }
    reply: Closed<Sdk.OrderWithPayments>
  }
  'POST /api/proxy/orders/{id}/deliver': {
    params: { id: string }
    reply: Closed<Sdk.OrderWithPayments>
  }
  'GET /api/proxy/orders/{id}/invoice': {
    params: { id: string }
    reply: Closed<Sdk.OrderDocument>
  }
  'POST /api/proxy/orders/{id}/mark-paid': {
    params: { id: string }
    body: Sdk.OrderPaid
    reply: Closed<Sdk.OrderWithPayments>
  }
  'POST /api/proxy/orders/{id}/payments': {
    params: { id: string }
    body: Sdk.NewOrderPayment
    reply: Closed<Sdk.OrderWithPayments>
  }
  'POST /api/proxy/orders/{id}/process': {
    params: { id: string }
    reply: Closed<Sdk.OrderWithPayments>
  }
  'GET /api/proxy/orders/{id}/receipt': {
    params: { id: string }
    reply: Closed<Sdk.OrderDocument>
  }
  'POST /api/proxy/orders/{id}/refunds': {
    params: { id: string }
    body?: Sdk.NewRefund
    reply: Closed<Sdk.CreatedRefund>
  }
  'POST /api/proxy/orders/{id}/review': {
    params: { id: string }
    body: Sdk.OrderReview
    reply: Closed<Sdk.OrderWithPayments>
  }
  'POST /api/proxy/orders/{id}/send-invoice': {
    params: { id: string }
    reply: Closed<Sdk.Message>
  }
  'POST /api/proxy/orders/{id}/send-receipt': {
    params: { id: string }
    reply: Closed<Sdk.Message>
  }
  'POST /api/proxy/orders/{id}/ship': {
    params: { id: string }
    body?: Sdk.NewDelivery
    reply: Closed<Sdk.OrderWithPayments>
  }
  'GET /api/proxy/organization': {
    reply: Closed<Sdk.OrganizationDetails>
  }
  'PATCH /api/proxy/organization': {
    body: Sdk.OrganizationChange
    reply: Closed<Sdk.OrganizationDetails>
  }
  'GET /api/proxy/organization/logo': {
    reply: Closed<Sdk.Logo>
  }
  'PUT /api/proxy/organization/logo': {
    body: Sdk.NewLogo
    reply: Closed<Sdk.Logo>
  }
  'DELETE /api/proxy/organization/logo': {
    reply: void
  }
  'GET /api/proxy/organizations': {
    query?: Sdk.ListOrganizationsQuery
    reply: Closed<Sdk.OrganizationDetailsList>
  }
  'POST /api/proxy/organizations': {
    body: Sdk.NewOrganization
    reply: Closed<Sdk.CreatedOrganization>
  }
  'GET /api/proxy/organizations/{id}': {
    params: { id: string }
    reply: Closed<Sdk.OrganizationDetails>
  }
  'PATCH /api/proxy/organizations/{id}': {
    params: { id: string }
    body: Sdk.OrganizationChange
    reply: Closed<Sdk.OrganizationDetails>
  }
  'POST /api/proxy/organizations/{id}/resume': {
    params: { id: string }
    reply: Closed<Sdk.OrganizationDetails>
  }
  'POST /api/proxy/organizations/{id}/suspend': {
    params: { id: string }
    body?: Sdk.Suspension
    reply: Closed<Sdk.OrganizationDetails>
  }
  'GET /api/proxy/payment-accounts': {
    query?: Sdk.ListPaymentAccountsQuery
    reply: Closed<Sdk.PaymentAccountList>
  }
  'POST /api/proxy/payment-accounts': {
    body: Sdk.NewPaymentAccount
    reply: Closed<Sdk.PaymentAccount>
  }
  'GET /api/proxy/payment-accounts/{id}': {
    params: { id: string }
    reply: Closed<Sdk.PaymentAccount>
  }
  'PATCH /api/proxy/payment-accounts/{id}': {
    params: { id: string }
    body: Sdk.PaymentAccountChange
    reply: Closed<Sdk.PaymentAccount>
  }
  'GET /api/proxy/payment-links': {
    query?: Sdk.ListPaymentLinksQuery
    reply: Closed<Sdk.PaymentLinkList>
  }
  'POST /api/proxy/payment-links': {
    body: Sdk.NewPaymentLink
    reply: Closed<Sdk.PaymentLink>
  }
  'GET /api/proxy/payment-links/{id}': {
    params: { id: string }
    reply: Closed<Sdk.PaymentLink>
  }
  'PATCH /api/proxy/payment-links/{id}': {
    params: { id: string }
    body: Sdk.PaymentLinkChange
    reply: Closed<Sdk.PaymentLink>
  }
  'GET /api/proxy/payments': {
    query?: Sdk.ListPaymentsQuery
    reply: Closed<Sdk.PaymentList>
  }
  'GET /api/proxy/payments/{id}': {
    params: { id: string }
    reply: Closed<Sdk.Payment>
  }
  'POST /api/proxy/payments/{id}/proofs': {
    params: { id: string }
    body: Sdk.PaymentProofRequest
    reply: Closed<Sdk.Payment>
  }
  'GET /api/proxy/people': {
    query?: Sdk.ListPeopleQuery
    reply: Closed<Sdk.PersonList>
  }
  'PATCH /api/proxy/people/{id}': {
    params: { id: string }
    body: Sdk.RoleChange
    reply: Closed<Sdk.Person>
  }
  'DELETE /api/proxy/people/{id}': {
    params: { id: string }
    reply: void
  }
  'GET /api/proxy/products': {
    query?: Sdk.ListProductsQuery
    reply: Closed<Sdk.ProductList>
  }
  'POST /api/proxy/products': {
    body: Sdk.NewProduct
    reply: Closed<Sdk.Product>
  }
  'GET /api/proxy/products/{id}': {
    params: { id: string }
    reply: Closed<Sdk.Product>
  }
  'PATCH /api/proxy/products/{id}': {
    params: { id: string }
    body: Sdk.ProductChange
    reply: Closed<Sdk.Product>
  }
  'DELETE /api/proxy/products/{id}': {
    params: { id: string }
    reply: void
  }
  'GET /api/proxy/refunds': {
    query?: Sdk.ListRefundsQuery
    reply: Closed<Sdk.RefundList>
  }
  'GET /api/proxy/refunds/{id}': {
    params: { id: string }
    reply: Closed<Sdk.Refund>
  }
  'GET /api/proxy/reports/sales': {
    query: Sdk.GetSalesReportQuery
    reply: Closed<Sdk.SalesReport>
  }
  'GET /api/proxy/saved-replies': {
    query?: Sdk.ListSavedRepliesQuery
    reply: Closed<Sdk.SavedReplyList>
  }
  'POST /api/proxy/saved-replies': {
    body: Sdk.NewSavedReply
    reply: Closed<Sdk.SavedReply>
  }
  'GET /api/proxy/saved-replies/{id}': {
    params: { id: string }
    reply: Closed<Sdk.SavedReply>
  }
  'PATCH /api/proxy/saved-replies/{id}': {
    params: { id: string }
    body: Sdk.SavedReplyChange
    reply: Closed<Sdk.SavedReply>
  }
  'DELETE /api/proxy/saved-replies/{id}': {
    params: { id: string }
    reply: void
  }
  'GET /api/proxy/settlements': {
    query?: Sdk.ListSettlementsQuery
    reply: Closed<Sdk.SettlementList>
  }
  'POST /api/proxy/simulator/calls': {
    body: Sdk.CustomerCall
    reply: Closed<Sdk.SimulatedAct>
  }
  'POST /api/proxy/simulator/carts': {
    body: Sdk.CustomerCart
    reply: Closed<Sdk.SimulatedAct>
  }
  'POST /api/proxy/simulator/clock': {
    body: Sdk.ClockAdvance
    reply: void
  }
  'POST /api/proxy/simulator/deletions': {
    body: Sdk.CustomerDeletion
    reply: Closed<Sdk.SimulatedAct>
  }
  'POST /api/proxy/simulator/edits': {
    body: Sdk.CustomerEdit
    reply: Closed<Sdk.SimulatedAct>
  }
  'GET /api/proxy/simulator/messages': {
    query?: Sdk.ListSimulatedMessagesQuery
    reply: Closed<Sdk.SimulatedSentMessages>
  }
  'POST /api/proxy/simulator/messages': {
    body: Sdk.CustomerMessage
    reply: Closed<Sdk.SimulatedAct>
  }
  'POST /api/proxy/simulator/number-changes': {
    body: Sdk.CustomerNumberChange
    reply: Closed<Sdk.SimulatedAct>
  }
  'POST /api/proxy/simulator/payments/{id}': {
    params: { id: string }
    body?: Sdk.SimulatedPaying
    reply: Closed<Sdk.SimulatedNotices>
  }
  'GET /api/proxy/simulator/people': {
    query?: Sdk.ListSimulatedPeopleQuery
    reply: Closed<Sdk.SimulatedPeople>
  }
  'POST /api/proxy/simulator/preferences': {
    body: Sdk.CustomerPreferences
    reply: void
  }
  'POST /api/proxy/simulator/reactions': {
    body: Sdk.CustomerReaction
    reply: Closed<Sdk.SimulatedAct>
  }
  'POST /api/proxy/simulator/reads': {
    body: Sdk.CustomerReading
    reply: Closed<Sdk.SimulatedReading>
  }
  'POST /api/proxy/simulator/refunds/{id}': {
    params: { id: string }
    body?: Sdk.SimulatedRefunding
    reply: Closed<Sdk.SimulatedNotices>
  }
  'POST /api/proxy/simulator/replies': {
    body: Sdk.CustomerReply
    reply: Closed<Sdk.SimulatedAct>
  }
  'POST /api/proxy/simulator/reset': {
    reply: void
  }
  'GET /api/proxy/simulator/rules': {
    query?: Sdk.ListSimulatorRulesQuery
    reply: Closed<Sdk.SimulatorRules>
  }
  'POST /api/proxy/simulator/rules': {
    body: Sdk.NewSimulatorRule
    reply: Closed<Sdk.SimulatorRules>
  }
  'POST /api/proxy/simulator/settings': {
    body?: Sdk.NewSimulatorSettings
    reply: Closed<Sdk.SimulatorSettings>
  }
  'POST /api/proxy/simulator/statuses': {
    body: Sdk.SimulatedStatus
    reply: void
  }
  'GET /api/proxy/statements': {
    query?: Sdk.ListStatementLinesQuery
    reply: Closed<Sdk.StatementLineList>
  }
  'POST /api/proxy/statements/{id}/confirm': {
    params: { id: string }
    body: Sdk.StatementConfirmation
    reply: Closed<Sdk.OrderWithPayments>
  }
  'POST /api/proxy/statements/{id}/ignore': {
    params: { id: string }
    reply: Closed<Sdk.StatementLine>
  }
  'GET /api/proxy/templates': {
    query?: Sdk.ListTemplatesQuery
    reply: Closed<Sdk.TemplateList>
  }
  'POST /api/proxy/templates': {
    body: Sdk.NewTemplate
    reply: Closed<Sdk.Template>
  }
  'DELETE /api/proxy/templates/{name}': {
    params: { name: string }
    query?: Sdk.DeleteTemplateQuery
    reply: void
  }
  'GET /api/proxy/templates/{name}/{language}': {
    params: { name: string; language: string }
    query?: Sdk.GetTemplateQuery
    reply: Closed<Sdk.Template>
  }
  'GET /api/proxy/webhook-endpoints': {
    query?: Sdk.ListWebhookEndpointsQuery
    reply: Closed<Sdk.WebhookEndpointList>
  }
  'POST /api/proxy/webhook-endpoints': {
    body: Sdk.NewWebhookEndpoint
    reply: Closed<Sdk.WebhookEndpointWithSecret>
  }
  'GET /api/proxy/webhook-endpoints/{id}': {
    params: { id: string }
    reply: Closed<Sdk.WebhookEndpoint>
  }
  'PATCH /api/proxy/webhook-endpoints/{id}': {
    params: { id: string }
    body: Sdk.WebhookEndpointChange
    reply: Closed<Sdk.WebhookEndpoint>
  }
  'DELETE /api/proxy/webhook-endpoints/{id}': {
    params: { id: string }
    reply: void
  }
  'GET /api/proxy/webhook-endpoints/{id}/certifications/{certification_id}': {
    params: { id: string; certification_id: string }
    reply: Closed<Sdk.WebhookCertification>
  }
  'POST /api/proxy/webhook-endpoints/{id}/certify': {
    params: { id: string }
    reply: Closed<Sdk.WebhookCertification>
  }
  'POST /api/proxy/webhook-endpoints/{id}/pause': {
    params: { id: string }
    reply: Closed<Sdk.WebhookEndpoint>
  }
  'POST /api/proxy/webhook-endpoints/{id}/ping': {
    params: { id: string }
    reply: Closed<Sdk.WebhookTestReply>
  }
  'POST /api/proxy/webhook-endpoints/{id}/recover': {
    params: { id: string }
    body: Sdk.WebhookRecover
    reply: Closed<Sdk.WebhookRecoverReply>
  }
  'GET /api/proxy/webhook-endpoints/{id}/recoveries': {
    params: { id: string }
    query?: Sdk.ListWebhookRecoveriesQuery
    reply: Closed<Sdk.WebhookRecoveryList>
  }
  'GET /api/proxy/webhook-endpoints/{id}/recoveries/{recovery_id}': {
    params: { id: string; recovery_id: string }
    reply: Closed<Sdk.WebhookRecovery>
  }
  'POST /api/proxy/webhook-endpoints/{id}/recoveries/{recovery_id}/cancel': {
    params: { id: string; recovery_id: string }
    reply: Closed<Sdk.WebhookRecovery>
  }
  'POST /api/proxy/webhook-endpoints/{id}/resume': {
    params: { id: string }
    body?: Sdk.WebhookResume
    reply: Closed<Sdk.WebhookEndpoint>
  }
  'POST /api/proxy/webhook-endpoints/{id}/rotate-secret': {
    params: { id: string }
    body?: Sdk.WebhookSecretRotation
    reply: Closed<Sdk.WebhookEndpointWithSecret>
  }
  'POST /api/proxy/webhook-endpoints/{id}/test': {
    params: { id: string }
    body: Sdk.WebhookTest
    reply: Closed<Sdk.WebhookTestReply>
  }
}
