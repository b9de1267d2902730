// Made from openapi.json by `npm run openapi`. Changes made here are lost.

import { type CallOptions, type ChangeOptions, type PostOptions, pathValue, type Transport } from '../transport.ts'
import type { FileInput } from '../files.ts'
import type { List } from '../list.ts'
import type { Reply } from '../reply.ts'
import type {
  AgentChange,
  AgentDetails,
  AgentWithToken,
  ApiKeyChange,
  ApiKeyRotation,
  Approval,
  ApprovalDecision,
  Broadcast,
  BroadcastRecipient,
  BusinessNumber,
  Chat,
  ChatChange,
  ChatWithMessages,
  ClockAdvance,
  ConnectedNumber,
  Contact,
  ContactChange,
  ContactConsent,
  ContactErasure,
  CreatedApiKey,
  CreatedInvitation,
  CreatedOrganization,
  CreatedRefund,
  CustomerCall,
  CustomerCart,
  CustomerDeletion,
  CustomerEdit,
  CustomerMessage,
  CustomerNumberChange,
  CustomerPreferences,
  CustomerReaction,
  CustomerReading,
  CustomerReply,
  DeleteTemplateQuery,
  EraseEventPayloadQuery,
  Event,
  EventErasure,
  EventErasureRequest,
  EventType,
  ExplainEventQuery,
  GetApprovalQuery,
  GetChatQuery,
  GetSalesReportQuery,
  GetTemplateQuery,
  Identity,
  ImportProductsQuery,
  ImportSettlementsQuery,
  ListAgentsQuery,
  ListApprovalsQuery,
  ListBroadcastRecipientsQuery,
  ListBroadcastsQuery,
  ListChatsQuery,
  ListContactNotesQuery,
  ListContactsQuery,
  ListDeliveriesQuery,
  ListErasuresQuery,
  ListEventTypesQuery,
  ListEventsQuery,
  ListInvitationsQuery,
  ListKeysQuery,
  ListMessagesQuery,
  ListNumbersQuery,
  ListOrdersQuery,
  ListOrganizationsQuery,
  ListPaymentAccountsQuery,
  ListPaymentLinksQuery,
  ListPaymentsQuery,
  ListPeopleQuery,
  ListProductsQuery,
  ListRefundsQuery,
  ListSavedRepliesQuery,
  ListSettlementsQuery,
  ListSimulatedMessagesQuery,
  ListSimulatedPeopleQuery,
  ListSimulatorRulesQuery,
  ListStatementLinesQuery,
  ListTemplatesQuery,
  ListWebhookEndpointsQuery,
  ListWebhookRecoveriesQuery,
  Logo,
  ManagedApiKey,
  MarkChatReadQuery,
  MediaFile,
  Message,
  NewAgent,
  NewApiKey,
  NewBroadcast,
  NewDelivery,
  NewInvitation,
  NewLogo,
  NewMessage,
  NewNote,
  NewNumber,
  NewOptIn,
  NewOrder,
  NewOrderPayment,
  NewOrganization,
  NewPaymentAccount,
  NewPaymentLink,
  NewProduct,
  NewRefund,
  NewSavedReply,
  NewSimulatorRule,
  NewSimulatorSettings,
  NewTemplate,
  NewWebhookEndpoint,
  Note,
  NumberChange,
  Order,
  OrderChanges,
  OrderDocument,
  OrderPaid,
  OrderReview,
  OrderWithPayments,
  OrganizationChange,
  OrganizationDetails,
  OwnAgent,
  PausedAgents,
  Payment,
  PaymentAccount,
  PaymentAccountChange,
  PaymentLink,
  PaymentLinkChange,
  PaymentProofRequest,
  PendingInvitation,
  Person,
  Product,
  ProductChange,
  ProductImport,
  Refund,
  RoleChange,
  RotatedApiKey,
  SalesReport,
  SavedReply,
  SavedReplyChange,
  Settlement,
  SettlementImport,
  SimulatedAct,
  SimulatedNotices,
  SimulatedPaying,
  SimulatedPeople,
  SimulatedReading,
  SimulatedRefunding,
  SimulatedSentMessages,
  SimulatedStatus,
  SimulatorRules,
  SimulatorSettings,
  StatementConfirmation,
  StatementImport,
  StatementLine,
  Suspension,
  Template,
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
   * Get the permissions of this agent.
   *
   * With the token of an agent, returns what it may do without approval, what needs an approval, what is refused, and its reach and limits. With any other key, returns 404.
   *
   * Scope: any valid key.
   *
   * Operation: `getOwnAgent`.
   */
  getOwn(options: CallOptions = {}): Reply<OwnAgent> {
    return this.#transport.call<OwnAgent>({ method: 'GET', path: '/agent' }, options)
  }
}

export class Agents {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List agents.
   *
   * All AI agents of the organization, newest first, with their rules, reach and limits.
   *
   * Scope: `agents:read`.
   *
   * Operation: `listAgents`.
   */
  list(query: ListAgentsQuery = {}, options: CallOptions = {}): List<AgentDetails> {
    return this.#transport.list<AgentDetails>({ method: 'GET', path: '/agents', query }, options)
  }

  /**
   * List agents, as CSV with a first line of names.
   *
   * Operation: `listAgents`.
   */
  listCsv(query: ListAgentsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/agents', query }, options)
  }

  /**
   * Create an agent.
   *
   * Creates an AI agent and returns its token, once. `rules` decide which operations run at once, need an approval or are refused. A key cannot create an agent with a scope that it does not have.
   *
   * Scope: `agents:write`.
   *
   * Operation: `createAgent`.
   */
  create(body: NewAgent, options: PostOptions = {}): Reply<AgentWithToken> {
    return this.#transport.call<AgentWithToken>({ method: 'POST', path: '/agents', body }, options)
  }

  /**
   * Pause all agents.
   *
   * Pauses every active agent. Their next request is 403 `agent_paused`.
   *
   * Scope: `agents:write`.
   *
   * Operation: `pauseAllAgents`.
   */
  pauseAll(options: PostOptions = {}): Reply<PausedAgents> {
    return this.#transport.call<PausedAgents>({ method: 'POST', path: '/agents/pause-all' }, options)
  }

  /**
   * Get an agent.
   *
   * Returns one AI agent. `GET /agent` returns the agent of a token.
   *
   * Scope: `agents:read`.
   *
   * Operation: `getAgent`.
   */
  get(id: string, options: CallOptions = {}): Reply<AgentDetails> {
    return this.#transport.call<AgentDetails>({ method: 'GET', path: `/agents/${pathValue(id)}` }, options)
  }

  /**
   * Edit an agent.
   *
   * Changes the fields you send. `rules` changes the named operations. The next request of the agent sees it.
   *
   * Scope: `agents:write`.
   *
   * Operation: `updateAgent`.
   */
  update(id: string, body: AgentChange, options: ChangeOptions = {}): Reply<AgentDetails> {
    return this.#transport.call<AgentDetails>({ method: 'PATCH', path: `/agents/${pathValue(id)}`, body }, options)
  }

  /**
   * Pause an agent.
   *
   * The next request of the agent is 403 `agent_paused`.
   *
   * Scope: `agents:write`.
   *
   * Operation: `pauseAgent`.
   */
  pause(id: string, options: PostOptions = {}): Reply<AgentDetails> {
    return this.#transport.call<AgentDetails>({ method: 'POST', path: `/agents/${pathValue(id)}/pause` }, options)
  }

  /**
   * Resume an agent.
   *
   * Lets a paused agent work again.
   *
   * Scope: `agents:write`.
   *
   * Operation: `resumeAgent`.
   */
  resume(id: string, options: PostOptions = {}): Reply<AgentDetails> {
    return this.#transport.call<AgentDetails>({ method: 'POST', path: `/agents/${pathValue(id)}/resume` }, options)
  }

  /**
   * Revoke an agent.
   *
   * Ends the agent: its token stops working everywhere within a second. This is final.
   *
   * Scope: `agents:write`.
   *
   * Operation: `endAgent`.
   */
  end(id: string, options: PostOptions = {}): Reply<AgentDetails> {
    return this.#transport.call<AgentDetails>({ method: 'POST', path: `/agents/${pathValue(id)}/revoke` }, options)
  }

  /**
   * Rotate the token of an agent.
   *
   * Replaces the token of the agent at once and returns the new one, once.
   *
   * Scope: `agents:write`.
   *
   * Operation: `rotateAgentToken`.
   */
  rotateToken(id: string, options: PostOptions = {}): Reply<AgentWithToken> {
    return this.#transport.call<AgentWithToken>({ method: 'POST', path: `/agents/${pathValue(id)}/rotate-token` }, options)
  }
}

export class ApiKeys {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List API keys.
   *
   * All API keys of the organization, newest first. The tokens of agents are not among them.
   *
   * Scope: `keys:read`.
   *
   * Operation: `listKeys`.
   */
  list(query: ListKeysQuery = {}, options: CallOptions = {}): List<ManagedApiKey> {
    return this.#transport.list<ManagedApiKey>({ method: 'GET', path: '/api-keys', query }, options)
  }

  /**
   * List API keys, as CSV with a first line of names.
   *
   * Operation: `listKeys`.
   */
  listCsv(query: ListKeysQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/api-keys', query }, options)
  }

  /**
   * Create an API key.
   *
   * Creates a key and returns its token, once. A key cannot create a key with a scope that it does not have, or with a later expiry than its own.
   *
   * Scope: `keys:write`.
   *
   * Operation: `createKey`.
   */
  create(body: NewApiKey, options: PostOptions = {}): Reply<CreatedApiKey> {
    return this.#transport.call<CreatedApiKey>({ method: 'POST', path: '/api-keys', body }, options)
  }

  /**
   * Get an API key.
   *
   * Returns one API key. `GET /me` returns the key of the request.
   *
   * Scope: `keys:read`.
   *
   * Operation: `getKey`.
   */
  get(id: string, options: CallOptions = {}): Reply<ManagedApiKey> {
    return this.#transport.call<ManagedApiKey>({ method: 'GET', path: `/api-keys/${pathValue(id)}` }, options)
  }

  /**
   * Edit an API key.
   *
   * Changes the fields you send; the token stays. The next request with the key sees it, within a second everywhere. A scope can be added only by a caller who has it.
   *
   * Scope: `keys:write`.
   *
   * Operation: `updateKey`.
   */
  update(id: string, body: ApiKeyChange, options: ChangeOptions = {}): Reply<ManagedApiKey> {
    return this.#transport.call<ManagedApiKey>({ method: 'PATCH', path: `/api-keys/${pathValue(id)}`, body }, options)
  }

  /**
   * Revoke an API key.
   *
   * The key stops working everywhere within a second. Revoking a revoked key changes nothing.
   *
   * Scope: `keys:write`.
   *
   * Operation: `revokeKey`.
   */
  revoke(id: string, options: PostOptions = {}): Reply<ManagedApiKey> {
    return this.#transport.call<ManagedApiKey>({ method: 'POST', path: `/api-keys/${pathValue(id)}/revoke` }, options)
  }

  /**
   * Rotate an API key.
   *
   * Creates a key with the same name, scopes, limits and expiry, and returns its token, once. The old key keeps working during the overlap. A key can rotate itself.
   *
   * Scope: `keys:write`.
   *
   * Operation: `rotateKey`.
   */
  rotate(id: string, body?: ApiKeyRotation, options: PostOptions = {}): Reply<RotatedApiKey> {
    return this.#transport.call<RotatedApiKey>({ method: 'POST', path: `/api-keys/${pathValue(id)}/rotate`, body }, options)
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
   * Requests of agents that need the approval of a person, newest first. An agent sees only its own.
   *
   * Scope: `approvals:read`.
   *
   * Operation: `listApprovals`.
   */
  list(query: ListApprovalsQuery = {}, options: CallOptions = {}): List<Approval> {
    return this.#transport.list<Approval>({ method: 'GET', path: '/approvals', query }, options)
  }

  /**
   * List approvals, as CSV with a first line of names.
   *
   * Operation: `listApprovals`.
   */
  listCsv(query: ListApprovalsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/approvals', query }, options)
  }

  /**
   * Get an approval.
   *
   * Returns the decision and, once the request has run, its result. With `wait`, the response is sent as soon as the approval is finished.
   *
   * Scope: `approvals:read`.
   *
   * Operation: `getApproval`.
   */
  get(id: string, query: GetApprovalQuery = {}, options: CallOptions = {}): Reply<Approval> {
    return this.#transport.call<Approval>({ method: 'GET', path: `/approvals/${pathValue(id)}`, query }, options)
  }

  /**
   * Approve a request of an agent.
   *
   * The request runs at once, exactly as shown, and only once. The key also needs the scope of the requested operation. Agents cannot decide.
   *
   * Scope: `approvals:decide`.
   *
   * Operation: `approveRequest`.
   */
  approveRequest(id: string, body?: ApprovalDecision, options: PostOptions = {}): Reply<Approval> {
    return this.#transport.call<Approval>({ method: 'POST', path: `/approvals/${pathValue(id)}/approve`, body }, options)
  }

  /**
   * Refuse a request of an agent.
   *
   * The request does not run, and the agent sees the refusal. The key also needs the scope of the requested operation. Agents cannot decide.
   *
   * Scope: `approvals:decide`.
   *
   * Operation: `refuseRequest`.
   */
  refuseRequest(id: string, body?: ApprovalDecision, options: PostOptions = {}): Reply<Approval> {
    return this.#transport.call<Approval>({ method: 'POST', path: `/approvals/${pathValue(id)}/refuse`, body }, options)
  }
}

export class Broadcasts {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List broadcasts.
   *
   * Broadcasts, newest first.
   *
   * Scope: `chats:read`.
   *
   * Operation: `listBroadcasts`.
   */
  list(query: ListBroadcastsQuery = {}, options: CallOptions = {}): List<Broadcast> {
    return this.#transport.list<Broadcast>({ method: 'GET', path: '/broadcasts', query }, options)
  }

  /**
   * List broadcasts, as CSV with a first line of names.
   *
   * Operation: `listBroadcasts`.
   */
  listCsv(query: ListBroadcastsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/broadcasts', query }, options)
  }

  /**
   * Create a broadcast.
   *
   * Creates a draft: one template to a label or a list of people. Nothing is sent. The answer says who would be sent it, who is left out and why, and what it costs. Only people with an opt-in are sent it, each once.
   *
   * Scope: `messages:send`.
   *
   * Operation: `createBroadcast`.
   */
  create(body: NewBroadcast, options: PostOptions = {}): Reply<Broadcast> {
    return this.#transport.call<Broadcast>({ method: 'POST', path: '/broadcasts', body }, options)
  }

  /**
   * Get a broadcast.
   *
   * Returns a broadcast with its counts.
   *
   * Scope: `chats:read`.
   *
   * Operation: `getBroadcast`.
   */
  get(id: string, options: CallOptions = {}): Reply<Broadcast> {
    return this.#transport.call<Broadcast>({ method: 'GET', path: `/broadcasts/${pathValue(id)}` }, options)
  }

  /**
   * Cancel a broadcast.
   *
   * Ends the broadcast. Those who are still `pending` are never sent it.
   *
   * Scope: `messages:send`.
   *
   * Operation: `cancelBroadcast`.
   */
  cancel(id: string, options: PostOptions = {}): Reply<Broadcast> {
    return this.#transport.call<Broadcast>({ method: 'POST', path: `/broadcasts/${pathValue(id)}/cancel` }, options)
  }

  /**
   * Pause a broadcast.
   *
   * Stops sending until the broadcast is resumed. Messages that are queued already are still sent.
   *
   * Scope: `messages:send`.
   *
   * Operation: `pauseBroadcast`.
   */
  pause(id: string, options: PostOptions = {}): Reply<Broadcast> {
    return this.#transport.call<Broadcast>({ method: 'POST', path: `/broadcasts/${pathValue(id)}/pause` }, options)
  }

  /**
   * List the people of a broadcast.
   *
   * The report: everyone in the audience, in its order, with what was sent to them or why nothing was.
   *
   * Scope: `chats:read`.
   *
   * Operation: `listBroadcastRecipients`.
   */
  listRecipients(id: string, query: ListBroadcastRecipientsQuery = {}, options: CallOptions = {}): List<BroadcastRecipient> {
    return this.#transport.list<BroadcastRecipient>({ method: 'GET', path: `/broadcasts/${pathValue(id)}/recipients`, query }, options)
  }

  /**
   * List the people of a broadcast, as CSV with a first line of names.
   *
   * Operation: `listBroadcastRecipients`.
   */
  listRecipientsCsv(id: string, query: ListBroadcastRecipientsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: `/broadcasts/${pathValue(id)}/recipients`, query }, options)
  }

  /**
   * Resume a broadcast.
   *
   * Sends the broadcast to those who are still `pending`.
   *
   * Scope: `messages:send`.
   *
   * Operation: `resumeBroadcast`.
   */
  resume(id: string, options: PostOptions = {}): Reply<Broadcast> {
    return this.#transport.call<Broadcast>({ method: 'POST', path: `/broadcasts/${pathValue(id)}/resume` }, options)
  }

  /**
   * Start a broadcast.
   *
   * Sends the draft to everyone who is `pending`, now or at `send_at`. People who opted out since are left out.
   *
   * Scope: `messages:send`.
   *
   * Operation: `startBroadcast`.
   */
  start(id: string, options: PostOptions = {}): Reply<Broadcast> {
    return this.#transport.call<Broadcast>({ method: 'POST', path: `/broadcasts/${pathValue(id)}/start` }, options)
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
   * Chats by last activity, newest first, with exact unread counts and the end of the reply window.
   *
   * Scope: `chats:read`.
   *
   * Operation: `listChats`.
   */
  list(query: ListChatsQuery = {}, options: CallOptions = {}): List<Chat> {
    return this.#transport.list<Chat>({ method: 'GET', path: '/chats', query }, options)
  }

  /**
   * List chats, as CSV with a first line of names.
   *
   * Operation: `listChats`.
   */
  listCsv(query: ListChatsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/chats', query }, options)
  }

  /**
   * Get a chat with its messages.
   *
   * Returns one chat with a page of its messages, newest first. If a customer has chats with several business numbers, the most recently active one is used unless you send `number`.
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
   * Edit a chat.
   *
   * Changes labels, assignee and status. Fields you leave out keep their value. If a customer has chats with several business numbers, the most recently active one is used unless you send `number`.
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
   * Sets the unread count to 0 and shows the customer that the messages were read. If a customer has chats with several business numbers, the most recently active one is used unless you send `number`.
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
   * Every customer you have exchanged messages with, newest first.
   *
   * Scope: `chats:read`.
   *
   * Operation: `listContacts`.
   */
  list(query: ListContactsQuery = {}, options: CallOptions = {}): List<Contact> {
    return this.#transport.list<Contact>({ method: 'GET', path: '/contacts', query }, options)
  }

  /**
   * List contacts, as CSV with a first line of names.
   *
   * Operation: `listContacts`.
   */
  listCsv(query: ListContactsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/contacts', query }, options)
  }

  /**
   * Get a contact.
   *
   * Returns one customer. If contacts were merged, every old id returns the merged contact.
   *
   * Scope: `chats:read`.
   *
   * Operation: `getContact`.
   */
  get(id: string, options: CallOptions = {}): Reply<Contact> {
    return this.#transport.call<Contact>({ method: 'GET', path: `/contacts/${pathValue(id)}` }, options)
  }

  /**
   * Rename a contact.
   *
   * Sets the name that the team uses. It stays when the customer reports another one; `null` removes it.
   *
   * Scope: `chats:write`.
   *
   * Operation: `updateContact`.
   */
  update(id: string, body: ContactChange, options: ChangeOptions = {}): Reply<Contact> {
    return this.#transport.call<Contact>({ method: 'PATCH', path: `/contacts/${pathValue(id)}`, body }, options)
  }

  /**
   * Erase a customer.
   *
   * Starts to erase everything about a customer: chats, messages, files and identities are deleted, orders are reduced to what the books need, and payloads of events, logs and notifications are erased. Waiting webhook deliveries about the customer are cancelled. It cannot be undone. Read the report until its status is `completed`. A later message from the same phone starts a new contact.
   *
   * Scope: `contacts:erase`.
   *
   * Operation: `eraseContact`.
   */
  erase(id: string, options: PostOptions = {}): Reply<ContactErasure> {
    return this.#transport.call<ContactErasure>({ method: 'POST', path: `/contacts/${pathValue(id)}/erase` }, options)
  }

  /**
   * List notes about a customer.
   *
   * Notes of the team, newest first. Customers never see them.
   *
   * Scope: `chats:read`.
   *
   * Operation: `listContactNotes`.
   */
  listNotes(id: string, query: ListContactNotesQuery = {}, options: CallOptions = {}): List<Note> {
    return this.#transport.list<Note>({ method: 'GET', path: `/contacts/${pathValue(id)}/notes`, query }, options)
  }

  /**
   * List notes about a customer, as CSV with a first line of names.
   *
   * Operation: `listContactNotes`.
   */
  listNotesCsv(id: string, query: ListContactNotesQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: `/contacts/${pathValue(id)}/notes`, query }, options)
  }

  /**
   * Add a note about a customer.
   *
   * The note appears in the chats of the customer, for the team alone. It is never sent.
   *
   * Scope: `chats:write`.
   *
   * Operation: `createContactNote`.
   */
  createNote(id: string, body: NewNote, options: PostOptions = {}): Reply<Note> {
    return this.#transport.call<Note>({ method: 'POST', path: `/contacts/${pathValue(id)}/notes`, body }, options)
  }

  /**
   * Delete a note.
   *
   * Deletes the note for good.
   *
   * Scope: `chats:write`.
   *
   * Operation: `deleteContactNote`.
   */
  deleteNote(id: string, noteId: string, options: CallOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'DELETE', path: `/contacts/${pathValue(id)}/notes/${pathValue(noteId)}` }, options)
  }

  /**
   * Record an opt-in.
   *
   * Records that a customer agreed to receive broadcasts. The latest of opt-in and opt-out counts.
   *
   * Scope: `messages:send`.
   *
   * Operation: `optInContact`.
   */
  optIn(id: string, body: NewOptIn, options: PostOptions = {}): Reply<ContactConsent> {
    return this.#transport.call<ContactConsent>({ method: 'POST', path: `/contacts/${pathValue(id)}/opt-in`, body }, options)
  }

  /**
   * Record an opt-out.
   *
   * Records that a customer does not want broadcasts. Opt-outs in WhatsApp are recorded without it. The latest of opt-in and opt-out counts.
   *
   * Scope: `messages:send`.
   *
   * Operation: `optOutContact`.
   */
  optOut(id: string, body: NewOptIn, options: PostOptions = {}): Reply<ContactConsent> {
    return this.#transport.call<ContactConsent>({ method: 'POST', path: `/contacts/${pathValue(id)}/opt-out`, body }, options)
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
   * Deliveries of events to webhook endpoints and their results, newest first.
   *
   * Scope: `webhooks:read`.
   *
   * Operation: `listDeliveries`.
   */
  list(query: ListDeliveriesQuery = {}, options: CallOptions = {}): List<WebhookDelivery> {
    return this.#transport.list<WebhookDelivery>({ method: 'GET', path: '/deliveries', query }, options)
  }

  /**
   * List deliveries, as CSV with a first line of names.
   *
   * Operation: `listDeliveries`.
   */
  listCsv(query: ListDeliveriesQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/deliveries', query }, options)
  }

  /**
   * Get a delivery.
   *
   * Returns one delivery with its attempts: address, timings, request and response headers, and the start of the response body.
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
   * Sends the delivery now, even if the endpoint is paused: same `webhook-id` and body, new timestamp and signature. It does not count as one of the automatic attempts; if it succeeds, no more of those follow.
   *
   * Scope: `webhooks:write`.
   *
   * Operation: `resendDelivery`.
   */
  resend(id: string, options: PostOptions = {}): Reply<WebhookResend> {
    return this.#transport.call<WebhookResend>({ method: 'POST', path: `/deliveries/${pathValue(id)}/resend` }, options)
  }
}

export class Erasures {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List erasures.
   *
   * All erasures of customers, newest first.
   *
   * Scope: `contacts:erase`.
   *
   * Operation: `listErasures`.
   */
  list(query: ListErasuresQuery = {}, options: CallOptions = {}): List<ContactErasure> {
    return this.#transport.list<ContactErasure>({ method: 'GET', path: '/erasures', query }, options)
  }

  /**
   * List erasures, as CSV with a first line of names.
   *
   * Operation: `listErasures`.
   */
  listCsv(query: ListErasuresQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/erasures', query }, options)
  }

  /**
   * Get an erasure.
   *
   * Returns the report of an erasure: its status, what was erased, and what was kept.
   *
   * Scope: `contacts:erase`.
   *
   * Operation: `getErasure`.
   */
  get(id: string, options: CallOptions = {}): Reply<ContactErasure> {
    return this.#transport.call<ContactErasure>({ method: 'GET', path: `/erasures/${pathValue(id)}` }, options)
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
   * Every event type with its description, JSON Schema and an example; with `name`, only that one.
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
   * Returns events, newest first; with `after`, the events after that sequence, oldest first. Sequences have no gaps, so a reader that stores the last sequence it read misses nothing. If it was away for longer than events are kept, or the server was restored from a backup, the response is 410 `events_expired`; if the sequence does not exist yet, 409 `sequence_ahead`. Bodies are the same bytes that webhooks deliver. Test events are listed only with `test=true`.
   *
   * Scope: `events:read`.
   *
   * Operation: `listEvents`.
   */
  list(query: ListEventsQuery = {}, options: CallOptions = {}): List<Event> {
    return this.#transport.list<Event>({ method: 'GET', path: '/events', query }, options)
  }

  /**
   * List events, as CSV with a first line of names.
   *
   * Operation: `listEvents`.
   */
  listCsv(query: ListEventsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/events', query }, options)
  }

  /**
   * Erase all events about a customer.
   *
   * Erases the payload of every event that is about one of the `subjects` or mentions it, as `DELETE /events/{id}/payload` does. Use it when a customer asks to be forgotten. It cannot be undone. Each call examines some thousands of events, oldest first; repeat it with `next_after` until that is null. Contacts, chats, messages and orders are not changed.
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
   * Returns one event. Its id is also the `webhook-id` of its deliveries.
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
   * Explains why an event was or was not delivered to an endpoint: every step up to the last attempt, what it waits for now, a verdict and what to do next. Without `endpoint`, for every endpoint of the organization.
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
   * Erases `data` and `previous` of the event, and the responses of receivers to it. It cannot be undone. The event keeps its id, type and sequence, gets `erased_at`, and can no longer be sent. While a delivery of it is pending, the response is 409 `event_unfinished`, unless `unfinished` is `cancel`. Erasing it twice changes nothing.
   *
   * Scope: `events:erase`.
   *
   * Operation: `eraseEventPayload`.
   */
  erasePayload(id: string, query: EraseEventPayloadQuery = {}, options: CallOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'DELETE', path: `/events/${pathValue(id)}/payload`, query }, options)
  }
}

export class Invitations {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List invitations.
   *
   * Invitations that were not accepted yet and have not expired, newest first.
   *
   * Scope: `people:read`.
   *
   * Operation: `listInvitations`.
   */
  list(query: ListInvitationsQuery = {}, options: CallOptions = {}): List<PendingInvitation> {
    return this.#transport.list<PendingInvitation>({ method: 'GET', path: '/invitations', query }, options)
  }

  /**
   * List invitations, as CSV with a first line of names.
   *
   * Operation: `listInvitations`.
   */
  listCsv(query: ListInvitationsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/invitations', query }, options)
  }

  /**
   * Invite a person.
   *
   * Creates an invitation for a week and returns its link, once. Where the server sends mail, the link is mailed as well. A newer invitation to the same address replaces it.
   *
   * Scope: `people:write`.
   *
   * Operation: `invitePerson`.
   */
  invitePerson(body: NewInvitation, options: PostOptions = {}): Reply<CreatedInvitation> {
    return this.#transport.call<CreatedInvitation>({ method: 'POST', path: '/invitations', body }, options)
  }

  /**
   * Revoke an invitation.
   *
   * The link stops working.
   *
   * Scope: `people:write`.
   *
   * Operation: `withdrawInvitation`.
   */
  withdraw(id: string, options: CallOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'DELETE', path: `/invitations/${pathValue(id)}` }, options)
  }
}

export class Me {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Get the current key.
   *
   * Verifies the key and returns it with its organization, scopes and limits. Works with any valid key.
   *
   * Scope: any valid key.
   *
   * Operation: `getMe`.
   */
  get(options: CallOptions = {}): Reply<Identity> {
    return this.#transport.call<Identity>({ method: 'GET', path: '/me' }, options)
  }
}

export class Media {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Upload a file.
   *
   * Stores a file of up to 16 MB, to send it in a message by its id. Send it as it is, or as the part `file` of a form. Larger documents: `POST /v1/{phone_number_id}/media`.
   *
   * Scope: `messages:send`.
   *
   * Operation: `uploadMedia`.
   */
  upload(file: FileInput, options: PostOptions = {}): Reply<MediaFile> {
    return this.#transport.call<MediaFile>({ method: 'POST', path: '/media', file }, options)
  }

  /**
   * Get a file.
   *
   * Returns the facts of a file and an address to download it.
   *
   * Scope: `chats:read`.
   *
   * Operation: `getMedia`.
   */
  get(id: string, options: CallOptions = {}): Reply<MediaFile> {
    return this.#transport.call<MediaFile>({ method: 'GET', path: `/media/${pathValue(id)}` }, options)
  }

  /**
   * Delete a file.
   *
   * Deletes a file. Messages that show it stay, without the file.
   *
   * Scope: `messages:send`.
   *
   * Operation: `deleteMedia`.
   */
  delete(id: string, options: ChangeOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'DELETE', path: `/media/${pathValue(id)}` }, options)
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
   * Messages in both directions, newest first; with `chat`, in the order of that chat. With `q`, only messages with words that begin with the words you search for.
   *
   * Scope: `chats:read`.
   *
   * Operation: `listMessages`.
   */
  list(query: ListMessagesQuery = {}, options: CallOptions = {}): List<Message> {
    return this.#transport.list<Message>({ method: 'GET', path: '/messages', query }, options)
  }

  /**
   * Search messages, as CSV with a first line of names.
   *
   * Operation: `listMessages`.
   */
  listCsv(query: ListMessagesQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/messages', query }, options)
  }

  /**
   * Send a message.
   *
   * Accepts a message to be sent now or at `send_at`. 201 means that it is stored; messages of a chat are sent in order. Its `status` and the events `message.*` report when it is sent, delivered and read. A text needs only `to` and `body`; other types need `type` and the field of the same name.
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
   * Returns one message with its status and status history.
   *
   * Scope: `chats:read`.
   *
   * Operation: `getMessage`.
   */
  get(id: string, options: CallOptions = {}): Reply<Message> {
    return this.#transport.call<Message>({ method: 'GET', path: `/messages/${pathValue(id)}` }, options)
  }

  /**
   * Cancel a scheduled message.
   *
   * Cancels and deletes a message that is still scheduled.
   *
   * Scope: `messages:send`.
   *
   * Operation: `cancelMessage`.
   */
  cancel(id: string, options: ChangeOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'DELETE', path: `/messages/${pathValue(id)}` }, options)
  }
}

export class Numbers {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List business numbers.
   *
   * All business numbers of the organization, newest first. Disconnected numbers stay listed.
   *
   * Scope: `settings:read`.
   *
   * Operation: `listNumbers`.
   */
  list(query: ListNumbersQuery = {}, options: CallOptions = {}): List<BusinessNumber> {
    return this.#transport.list<BusinessNumber>({ method: 'GET', path: '/numbers', query }, options)
  }

  /**
   * List business numbers, as CSV with a first line of names.
   *
   * Operation: `listNumbers`.
   */
  listCsv(query: ListNumbersQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/numbers', query }, options)
  }

  /**
   * Connect a business number.
   *
   * Connects a number of WhatsApp (`whatsapp-cloud`) or of the simulator. Which `credentials` and `settings` it takes depends on the connector; a missing or wrong one is 409 `value_refused`. Register `webhook_url` at the network.
   *
   * Scope: `settings:write`.
   *
   * Operation: `createNumber`.
   */
  create(body: NewNumber, options: PostOptions = {}): Reply<ConnectedNumber> {
    return this.#transport.call<ConnectedNumber>({ method: 'POST', path: '/numbers', body }, options)
  }

  /**
   * Get a business number.
   *
   * Returns one business number with its state, settings and health.
   *
   * Scope: `settings:read`.
   *
   * Operation: `getNumber`.
   */
  get(id: string, options: CallOptions = {}): Reply<BusinessNumber> {
    return this.#transport.call<BusinessNumber>({ method: 'GET', path: `/numbers/${pathValue(id)}` }, options)
  }

  /**
   * Edit a business number.
   *
   * Changes the fields you send. Credentials and settings are replaced one by one, and `null` removes one. Another `base_url` needs all credentials again.
   *
   * Scope: `settings:write`.
   *
   * Operation: `updateNumber`.
   */
  update(id: string, body: NumberChange, options: ChangeOptions = {}): Reply<BusinessNumber> {
    return this.#transport.call<BusinessNumber>({ method: 'PATCH', path: `/numbers/${pathValue(id)}`, body }, options)
  }

  /**
   * Disconnect a business number.
   *
   * Deletes the credentials of the number and fails its queued messages. Its chats stay. Connecting the same `phone_number_id` again continues them.
   *
   * Scope: `settings:write`.
   *
   * Operation: `deleteNumber`.
   */
  delete(id: string, options: ChangeOptions = {}): Reply<BusinessNumber> {
    return this.#transport.call<BusinessNumber>({ method: 'DELETE', path: `/numbers/${pathValue(id)}` }, options)
  }

  /**
   * Pause a business number.
   *
   * Stops sending from the number. Messages stay queued, and incoming messages still arrive.
   *
   * Scope: `settings:write`.
   *
   * Operation: `pauseNumber`.
   */
  pause(id: string, options: PostOptions = {}): Reply<BusinessNumber> {
    return this.#transport.call<BusinessNumber>({ method: 'POST', path: `/numbers/${pathValue(id)}/pause` }, options)
  }

  /**
   * Resume a business number.
   *
   * Sends from the number again, beginning with the messages that are queued.
   *
   * Scope: `settings:write`.
   *
   * Operation: `resumeNumber`.
   */
  resume(id: string, options: PostOptions = {}): Reply<BusinessNumber> {
    return this.#transport.call<BusinessNumber>({ method: 'POST', path: `/numbers/${pathValue(id)}/resume` }, options)
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
   * Orders, newest first. All filters can be combined.
   *
   * Scope: `orders:read`.
   *
   * Operation: `listOrders`.
   */
  list(query: ListOrdersQuery = {}, options: CallOptions = {}): List<Order> {
    return this.#transport.list<Order>({ method: 'GET', path: '/orders', query }, options)
  }

  /**
   * List orders, as CSV with a first line of names.
   *
   * Operation: `listOrders`.
   */
  listCsv(query: ListOrdersQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/orders', query }, options)
  }

  /**
   * Create an order.
   *
   * Creates an order and its payment: a QRIS code, a virtual account number, or what `billingType` names. Only `billingType` is required; without `items` and `amount` the payer chooses the amount. If the provider is slow, `payment.status` is `created`: fetch the order again, or wait for the event `payment.pending`.
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
   * Returns one order with all its payments and refunds.
   *
   * Scope: `orders:read`.
   *
   * Operation: `getOrder`.
   */
  get(id: string, options: CallOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'GET', path: `/orders/${pathValue(id)}` }, options)
  }

  /**
   * Edit an order.
   *
   * Changes an order; fields you leave out keep their value. Items and amounts can be changed while nothing was received: the total is computed again, and the open payment is ended at its provider and replaced by one for the new amount, with the same method and time to pay. The other fields can be changed at any time.
   *
   * Scope: `orders:write`.
   *
   * Operation: `updateOrder`.
   */
  update(id: string, body: OrderChanges, options: ChangeOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'PATCH', path: `/orders/${pathValue(id)}`, body }, options)
  }

  /**
   * Cancel an order.
   *
   * Ends the open payment at the provider, then cancels the order. Money that was received is refunded if the provider can; otherwise the order needs review with `refund_due`. An order can be cancelled until it is completed: while it is a draft, awaiting payment, confirmed or processing.
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
   * Marks an order as completed. It must be confirmed or processing, or a draft with a total of 0. Fails after a reversal until the money is paid again or the loss is accepted (`POST /orders/{id}/review`).
   *
   * Scope: `orders:write`.
   *
   * Operation: `completeOrder`.
   */
  complete(id: string, options: PostOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'POST', path: `/orders/${pathValue(id)}/complete` }, options)
  }

  /**
   * Mark an order as delivered.
   *
   * Records that the goods have reached the customer, and notifies them. Also possible without shipping before, for goods that were collected. `status` stays; complete the order when nothing is left to do.
   *
   * Scope: `orders:write`.
   *
   * Operation: `deliverOrder`.
   */
  deliver(id: string, options: PostOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'POST', path: `/orders/${pathValue(id)}/deliver` }, options)
  }

  /**
   * Get the invoice of an order.
   *
   * Returns the links to the invoice as page and PDF. The first request numbers it. A draft, and an order whose payer chooses the amount, has no invoice.
   *
   * Scope: `orders:read`.
   *
   * Operation: `getOrderInvoice`.
   */
  getInvoice(id: string, options: CallOptions = {}): Reply<OrderDocument> {
    return this.#transport.call<OrderDocument>({ method: 'GET', path: `/orders/${pathValue(id)}/invoice` }, options)
  }

  /**
   * Mark an order as paid.
   *
   * Records a payment that no provider reports: cash, cash on delivery, a transfer to your own account, your own static QRIS, or an invoice. The person, time, amount and note are stored. With less than the remaining amount the order stays open. To record a second payment of a paid order, send `again` with `amount`, and `method` if the order was paid through a provider; the order then needs review. Use the same for money that a bank returned to you after a dispute.
   *
   * Scope: `orders:write`.
   *
   * Operation: `markOrderPaid`.
   */
  markPaid(id: string, body: OrderPaid, options: PostOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'POST', path: `/orders/${pathValue(id)}/mark-paid`, body }, options)
  }

  /**
   * Open a new payment.
   *
   * Opens a new payment for the remaining amount, with the same method or another. With `amount` it is a down payment or an instalment: a part of the remaining amount, after which the order stays open for what remains. The open payment is ended at its provider first. The first payment of a draft submits it.
   *
   * Scope: `orders:write`.
   *
   * Operation: `createOrderPayment`.
   */
  createPayment(id: string, body: NewOrderPayment, options: PostOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'POST', path: `/orders/${pathValue(id)}/payments`, body }, options)
  }

  /**
   * Start processing an order.
   *
   * Marks an order as processing. It must be confirmed, or a draft with a total of 0.
   *
   * Scope: `orders:write`.
   *
   * Operation: `processOrder`.
   */
  process(id: string, options: PostOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'POST', path: `/orders/${pathValue(id)}/process` }, options)
  }

  /**
   * Get the receipt of an order.
   *
   * Returns the links to the receipt as page and PDF. The first request numbers it. There is a receipt once money was received.
   *
   * Scope: `orders:read`.
   *
   * Operation: `getOrderReceipt`.
   */
  getReceipt(id: string, options: CallOptions = {}): Reply<OrderDocument> {
    return this.#transport.call<OrderDocument>({ method: 'GET', path: `/orders/${pathValue(id)}/receipt` }, options)
  }

  /**
   * Refund an order.
   *
   * Refunds through the provider, or records a refund by staff (`manual` with a `note`). Without a body everything received is refunded. An amount that exceeds one payment is split over several, newest first; `parts` lists each refund. The refunds of a payment never exceed the amount received for it. The provider may take longer than this request: the event `order.refunded` reports when it is done.
   *
   * Scope: `orders:write`.
   *
   * Operation: `createOrderRefund`.
   */
  createRefund(id: string, body?: NewRefund, options: PostOptions = {}): Reply<CreatedRefund> {
    return this.#transport.call<CreatedRefund>({ method: 'POST', path: `/orders/${pathValue(id)}/refunds`, body }, options)
  }

  /**
   * Close the review of an order.
   *
   * Closes the review after a person has checked the order. `accept` accepts the amount received: an order that is awaiting payment or expired is confirmed, and an order with a reversal may be completed without that money. `dismiss` only closes the review.
   *
   * Scope: `orders:write`.
   *
   * Operation: `reviewOrder`.
   */
  review(id: string, body: OrderReview, options: PostOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'POST', path: `/orders/${pathValue(id)}/review`, body }, options)
  }

  /**
   * Send the invoice of an order.
   *
   * Sends the invoice as a PDF document into the chat of the order, while the reply window is open. Returns the message.
   *
   * Scope: `orders:write`.
   *
   * Operation: `sendOrderInvoice`.
   */
  sendInvoice(id: string, options: PostOptions = {}): Reply<Message> {
    return this.#transport.call<Message>({ method: 'POST', path: `/orders/${pathValue(id)}/send-invoice` }, options)
  }

  /**
   * Send the receipt of an order.
   *
   * Sends the receipt as a PDF document into the chat of the order, while the reply window is open. Returns the message.
   *
   * Scope: `orders:write`.
   *
   * Operation: `sendOrderReceipt`.
   */
  sendReceipt(id: string, options: PostOptions = {}): Reply<Message> {
    return this.#transport.call<Message>({ method: 'POST', path: `/orders/${pathValue(id)}/send-receipt` }, options)
  }

  /**
   * Ship an order.
   *
   * Records that the goods are on their way, with courier and tracking, and notifies the customer. The order must be confirmed, processing or completed; its `status` stays. Fields you leave out keep their value.
   *
   * Scope: `orders:write`.
   *
   * Operation: `shipOrder`.
   */
  ship(id: string, body?: NewDelivery, options: PostOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'POST', path: `/orders/${pathValue(id)}/ship`, body }, options)
  }
}

export class Organization {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Get the organization.
   *
   * Returns the organization of the key with its settings.
   *
   * Scope: `settings:read`.
   *
   * Operation: `getOrganization`.
   */
  get(options: CallOptions = {}): Reply<OrganizationDetails> {
    return this.#transport.call<OrganizationDetails>({ method: 'GET', path: '/organization' }, options)
  }

  /**
   * Edit the organization.
   *
   * Changes the settings you send. They apply within a second. The slug and the currency do not change.
   *
   * Scope: `settings:write`.
   *
   * Operation: `updateOrganization`.
   */
  update(body: OrganizationChange, options: ChangeOptions = {}): Reply<OrganizationDetails> {
    return this.#transport.call<OrganizationDetails>({ method: 'PATCH', path: '/organization', body }, options)
  }

  /**
   * Get the logo.
   *
   * Returns the logo of the organization.
   *
   * Scope: `settings:read`.
   *
   * Operation: `getOrganizationLogo`.
   */
  getLogo(options: CallOptions = {}): Reply<Logo> {
    return this.#transport.call<Logo>({ method: 'GET', path: '/organization/logo' }, options)
  }

  /**
   * Set the logo.
   *
   * Stores a PNG or JPEG image as the logo on payment pages, receipts and invoices, in place of the one before.
   *
   * Scope: `settings:write`.
   *
   * Operation: `setOrganizationLogo`.
   */
  setLogo(body: NewLogo, options: ChangeOptions = {}): Reply<Logo> {
    return this.#transport.call<Logo>({ method: 'PUT', path: '/organization/logo', body }, options)
  }

  /**
   * Delete the logo.
   *
   * Removes the logo. Payment pages and documents show the name alone.
   *
   * Scope: `settings:write`.
   *
   * Operation: `deleteOrganizationLogo`.
   */
  deleteLogo(options: ChangeOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'DELETE', path: '/organization/logo' }, options)
  }
}

export class Organizations {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List organizations.
   *
   * The organizations that this platform key may act for, newest first. Needs a platform key.
   *
   * Scope: any valid key.
   *
   * Operation: `listOrganizations`.
   */
  list(query: ListOrganizationsQuery = {}, options: CallOptions = {}): List<OrganizationDetails> {
    return this.#transport.list<OrganizationDetails>({ method: 'GET', path: '/organizations', query }, options)
  }

  /**
   * List organizations, as CSV with a first line of names.
   *
   * Operation: `listOrganizations`.
   */
  listCsv(query: ListOrganizationsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/organizations', query }, options)
  }

  /**
   * Create an organization.
   *
   * Creates an organization, and a first API key if you ask for one. Connect numbers and payment accounts and invite its owner by naming it in `Nexkit-Organization`. Needs a platform key.
   *
   * Scope: any valid key.
   *
   * Operation: `createOrganization`.
   */
  create(body: NewOrganization, options: PostOptions = {}): Reply<CreatedOrganization> {
    return this.#transport.call<CreatedOrganization>({ method: 'POST', path: '/organizations', body }, options)
  }

  /**
   * Get an organization.
   *
   * Returns one organization with its settings. Needs a platform key.
   *
   * Scope: any valid key.
   *
   * Operation: `getOrganizationById`.
   */
  getById(id: string, options: CallOptions = {}): Reply<OrganizationDetails> {
    return this.#transport.call<OrganizationDetails>({ method: 'GET', path: `/organizations/${pathValue(id)}` }, options)
  }

  /**
   * Edit an organization.
   *
   * Changes the settings you send, as `PATCH /organization` does. Needs a platform key.
   *
   * Scope: any valid key.
   *
   * Operation: `updateOrganizationById`.
   */
  updateById(id: string, body: OrganizationChange, options: ChangeOptions = {}): Reply<OrganizationDetails> {
    return this.#transport.call<OrganizationDetails>({ method: 'PATCH', path: `/organizations/${pathValue(id)}`, body }, options)
  }

  /**
   * Resume an organization.
   *
   * Accepts the keys and agents of a suspended organization again, within a second. Needs a platform key.
   *
   * Scope: any valid key.
   *
   * Operation: `resumeOrganization`.
   */
  resume(id: string, options: PostOptions = {}): Reply<OrganizationDetails> {
    return this.#transport.call<OrganizationDetails>({ method: 'POST', path: `/organizations/${pathValue(id)}/resume` }, options)
  }

  /**
   * Suspend an organization.
   *
   * Refuses the keys and agents of the organization and of its sandbox with 403 `organization_suspended`, within a second. Payments and messages that arrive are recorded, webhooks are delivered, and its people can sign in. Needs a platform key.
   *
   * Scope: any valid key.
   *
   * Operation: `suspendOrganization`.
   */
  suspend(id: string, body?: Suspension, options: PostOptions = {}): Reply<OrganizationDetails> {
    return this.#transport.call<OrganizationDetails>({ method: 'POST', path: `/organizations/${pathValue(id)}/suspend`, body }, options)
  }
}

export class PaymentAccounts {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List payment accounts.
   *
   * All payment accounts of the organization, newest first, with the methods that each one serves.
   *
   * Scope: `settings:read`.
   *
   * Operation: `listPaymentAccounts`.
   */
  list(query: ListPaymentAccountsQuery = {}, options: CallOptions = {}): List<PaymentAccount> {
    return this.#transport.list<PaymentAccount>({ method: 'GET', path: '/payment-accounts', query }, options)
  }

  /**
   * List payment accounts, as CSV with a first line of names.
   *
   * Operation: `listPaymentAccounts`.
   */
  listCsv(query: ListPaymentAccountsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/payment-accounts', query }, options)
  }

  /**
   * Connect a payment account.
   *
   * Connects an account of a payment provider. Which `credentials` and `settings` it takes depends on the provider; a missing or wrong one is 409 `value_refused`. Register `webhook_url` at the provider. `default_methods` are the methods for which this account is used first.
   *
   * Scope: `settings:write`.
   *
   * Operation: `createPaymentAccount`.
   */
  create(body: NewPaymentAccount, options: PostOptions = {}): Reply<PaymentAccount> {
    return this.#transport.call<PaymentAccount>({ method: 'POST', path: '/payment-accounts', body }, options)
  }

  /**
   * Get a payment account.
   *
   * Returns one payment account with its methods.
   *
   * Scope: `settings:read`.
   *
   * Operation: `getPaymentAccount`.
   */
  get(id: string, options: CallOptions = {}): Reply<PaymentAccount> {
    return this.#transport.call<PaymentAccount>({ method: 'GET', path: `/payment-accounts/${pathValue(id)}` }, options)
  }

  /**
   * Edit a payment account.
   *
   * Changes the fields you send. Credentials and settings are replaced one by one, and `null` removes one. With `state`, `paused` ends new payments, and `disabled` also refuses notifications. Another `base_url` needs all credentials again.
   *
   * Scope: `settings:write`.
   *
   * Operation: `updatePaymentAccount`.
   */
  update(id: string, body: PaymentAccountChange, options: ChangeOptions = {}): Reply<PaymentAccount> {
    return this.#transport.call<PaymentAccount>({ method: 'PATCH', path: `/payment-accounts/${pathValue(id)}`, body }, options)
  }
}

export class PaymentLinks {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List payment links.
   *
   * Payment links, newest first, with what they received.
   *
   * Scope: `orders:read`.
   *
   * Operation: `listPaymentLinks`.
   */
  list(query: ListPaymentLinksQuery = {}, options: CallOptions = {}): List<PaymentLink> {
    return this.#transport.list<PaymentLink>({ method: 'GET', path: '/payment-links', query }, options)
  }

  /**
   * List payment links, as CSV with a first line of names.
   *
   * Operation: `listPaymentLinks`.
   */
  listCsv(query: ListPaymentLinksQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/payment-links', query }, options)
  }

  /**
   * Create a payment link.
   *
   * Creates a page that anyone with its `url` can pay on. The order is created when it is paid, and its `payment_link_id` names the link.
   *
   * Scope: `orders:write`.
   *
   * Operation: `createPaymentLink`.
   */
  create(body: NewPaymentLink, options: PostOptions = {}): Reply<PaymentLink> {
    return this.#transport.call<PaymentLink>({ method: 'POST', path: '/payment-links', body }, options)
  }

  /**
   * Get a payment link.
   *
   * Returns one payment link with what it received.
   *
   * Scope: `orders:read`.
   *
   * Operation: `getPaymentLink`.
   */
  get(id: string, options: CallOptions = {}): Reply<PaymentLink> {
    return this.#transport.call<PaymentLink>({ method: 'GET', path: `/payment-links/${pathValue(id)}` }, options)
  }

  /**
   * Edit a payment link.
   *
   * Changes the fields you send. `{"active": false}` deactivates the link: payers who had opened it can still pay until their hour is over.
   *
   * Scope: `orders:write`.
   *
   * Operation: `updatePaymentLink`.
   */
  update(id: string, body: PaymentLinkChange, options: ChangeOptions = {}): Reply<PaymentLink> {
    return this.#transport.call<PaymentLink>({ method: 'PATCH', path: `/payment-links/${pathValue(id)}`, body }, options)
  }
}

export class Payments {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List payments.
   *
   * Payments of all orders, newest first. All filters can be combined.
   *
   * Scope: `orders:read`.
   *
   * Operation: `listPayments`.
   */
  list(query: ListPaymentsQuery = {}, options: CallOptions = {}): List<Payment> {
    return this.#transport.list<Payment>({ method: 'GET', path: '/payments', query }, options)
  }

  /**
   * List payments, as CSV with a first line of names.
   *
   * Operation: `listPayments`.
   */
  listCsv(query: ListPaymentsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/payments', query }, options)
  }

  /**
   * Get a payment.
   *
   * Returns one payment.
   *
   * Scope: `orders:read`.
   *
   * Operation: `getPayment`.
   */
  get(id: string, options: CallOptions = {}): Reply<Payment> {
    return this.#transport.call<Payment>({ method: 'GET', path: `/payments/${pathValue(id)}` }, options)
  }

  /**
   * Attach a proof of payment.
   *
   * Attaches the picture or document of a message to a payment. The same message again changes nothing, and nothing is marked as paid. Files that customers send while they have an open manual transfer are attached automatically.
   *
   * Scope: `orders:write`.
   *
   * Operation: `addPaymentProof`.
   */
  addProof(id: string, body: PaymentProofRequest, options: PostOptions = {}): Reply<Payment> {
    return this.#transport.call<Payment>({ method: 'POST', path: `/payments/${pathValue(id)}/proofs`, body }, options)
  }
}

export class People {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List people.
   *
   * All members of the organization.
   *
   * Scope: `people:read`.
   *
   * Operation: `listPeople`.
   */
  list(query: ListPeopleQuery = {}, options: CallOptions = {}): List<Person> {
    return this.#transport.list<Person>({ method: 'GET', path: '/people', query }, options)
  }

  /**
   * List people, as CSV with a first line of names.
   *
   * Operation: `listPeople`.
   */
  listCsv(query: ListPeopleQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/people', query }, options)
  }

  /**
   * Change the role of a person.
   *
   * The new role applies to the next request of the person. Owners are changed by owners only.
   *
   * Scope: `people:write`.
   *
   * Operation: `changeRole`.
   */
  changeRole(id: string, body: RoleChange, options: CallOptions = {}): Reply<Person> {
    return this.#transport.call<Person>({ method: 'PATCH', path: `/people/${pathValue(id)}`, body }, options)
  }

  /**
   * Remove a person.
   *
   * Removes the person from the organization. Their account and their other organizations stay.
   *
   * Scope: `people:write`.
   *
   * Operation: `removePerson`.
   */
  removePerson(id: string, options: CallOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'DELETE', path: `/people/${pathValue(id)}` }, options)
  }
}

export class Products {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List products.
   *
   * Products, newest first. All filters can be combined.
   *
   * Scope: `products:read`.
   *
   * Operation: `listProducts`.
   */
  list(query: ListProductsQuery = {}, options: CallOptions = {}): List<Product> {
    return this.#transport.list<Product>({ method: 'GET', path: '/products', query }, options)
  }

  /**
   * List products, as CSV with a first line of names.
   *
   * Operation: `listProducts`.
   */
  listCsv(query: ListProductsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/products', query }, options)
  }

  /**
   * Create a product.
   *
   * Adds a product to the catalogue. Orders can then name it by its `sku` alone.
   *
   * Scope: `products:write`.
   *
   * Operation: `createProduct`.
   */
  create(body: NewProduct, options: PostOptions = {}): Reply<Product> {
    return this.#transport.call<Product>({ method: 'POST', path: '/products', body }, options)
  }

  /**
   * Import products.
   *
   * Creates and changes products from CSV. The first line names the columns: `sku` and any of `name, price, tax_rate, tax_included, image_url, active, stock, retailer_id, metadata`. A line with a known `sku` changes that product, and an empty cell leaves its field as it is. A line that cannot be used is reported; the others are imported. At most 5000 lines.
   *
   * Scope: `products:write`.
   *
   * Operation: `importProducts`.
   */
  import(file: FileInput, query: ImportProductsQuery = {}, options: PostOptions = {}): Reply<ProductImport> {
    return this.#transport.call<ProductImport>({ method: 'POST', path: '/products/import', file, query }, options)
  }

  /**
   * Get a product.
   *
   * Returns one product.
   *
   * Scope: `products:read`.
   *
   * Operation: `getProduct`.
   */
  get(id: string, options: CallOptions = {}): Reply<Product> {
    return this.#transport.call<Product>({ method: 'GET', path: `/products/${pathValue(id)}` }, options)
  }

  /**
   * Edit a product.
   *
   * Changes the fields you send. Orders that exist keep their names and prices. To set `stock` while orders come in, send `If-Match`: a piece that was sold meanwhile then makes the request fail with 412.
   *
   * Scope: `products:write`.
   *
   * Operation: `updateProduct`.
   */
  update(id: string, body: ProductChange, options: ChangeOptions = {}): Reply<Product> {
    return this.#transport.call<Product>({ method: 'PATCH', path: `/products/${pathValue(id)}`, body }, options)
  }

  /**
   * Delete a product.
   *
   * Removes the product from the catalogue. Orders that contain it stay as they are.
   *
   * Scope: `products:write`.
   *
   * Operation: `deleteProduct`.
   */
  delete(id: string, options: ChangeOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'DELETE', path: `/products/${pathValue(id)}` }, options)
  }
}

export class Refunds {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List refunds.
   *
   * Refunds of all orders, newest first. All filters can be combined.
   *
   * Scope: `orders:read`.
   *
   * Operation: `listRefunds`.
   */
  list(query: ListRefundsQuery = {}, options: CallOptions = {}): List<Refund> {
    return this.#transport.list<Refund>({ method: 'GET', path: '/refunds', query }, options)
  }

  /**
   * List refunds, as CSV with a first line of names.
   *
   * Operation: `listRefunds`.
   */
  listCsv(query: ListRefundsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/refunds', query }, options)
  }

  /**
   * Get a refund.
   *
   * Returns one refund.
   *
   * Scope: `orders:read`.
   *
   * Operation: `getRefund`.
   */
  get(id: string, options: CallOptions = {}): Reply<Refund> {
    return this.#transport.call<Refund>({ method: 'GET', path: `/refunds/${pathValue(id)}` }, options)
  }
}

export class Reports {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Get the sales of a period.
   *
   * Sums what was received and returned per day or month, by payment method. A payment counts on the day on which the provider received it, in the time zone of the organization.
   *
   * Scope: `orders:read`.
   *
   * Operation: `getSalesReport`.
   */
  getSales(query: GetSalesReportQuery, options: CallOptions = {}): Reply<SalesReport> {
    return this.#transport.call<SalesReport>({ method: 'GET', path: '/reports/sales', query }, options)
  }

  /**
   * Get the sales of a period, as CSV with a first line of names.
   *
   * Operation: `getSalesReport`.
   */
  getSalesCsv(query: GetSalesReportQuery, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/reports/sales', query }, options)
  }
}

export class SavedReplies {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List saved replies.
   *
   * Saved replies in the order of their shortcuts.
   *
   * Scope: `chats:read`.
   *
   * Operation: `listSavedReplies`.
   */
  list(query: ListSavedRepliesQuery = {}, options: CallOptions = {}): List<SavedReply> {
    return this.#transport.list<SavedReply>({ method: 'GET', path: '/saved-replies', query }, options)
  }

  /**
   * List saved replies, as CSV with a first line of names.
   *
   * Operation: `listSavedReplies`.
   */
  listCsv(query: ListSavedRepliesQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/saved-replies', query }, options)
  }

  /**
   * Create a saved reply.
   *
   * Saves a text that people in the console insert by typing a slash and its shortcut.
   *
   * Scope: `chats:write`.
   *
   * Operation: `createSavedReply`.
   */
  create(body: NewSavedReply, options: PostOptions = {}): Reply<SavedReply> {
    return this.#transport.call<SavedReply>({ method: 'POST', path: '/saved-replies', body }, options)
  }

  /**
   * Get a saved reply.
   *
   * Returns one saved reply.
   *
   * Scope: `chats:read`.
   *
   * Operation: `getSavedReply`.
   */
  get(id: string, options: CallOptions = {}): Reply<SavedReply> {
    return this.#transport.call<SavedReply>({ method: 'GET', path: `/saved-replies/${pathValue(id)}` }, options)
  }

  /**
   * Edit a saved reply.
   *
   * Changes the fields you send. Messages that were sent stay as they are.
   *
   * Scope: `chats:write`.
   *
   * Operation: `updateSavedReply`.
   */
  update(id: string, body: SavedReplyChange, options: ChangeOptions = {}): Reply<SavedReply> {
    return this.#transport.call<SavedReply>({ method: 'PATCH', path: `/saved-replies/${pathValue(id)}`, body }, options)
  }

  /**
   * Delete a saved reply.
   *
   * Messages that were sent stay as they are.
   *
   * Scope: `chats:write`.
   *
   * Operation: `deleteSavedReply`.
   */
  delete(id: string, options: ChangeOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'DELETE', path: `/saved-replies/${pathValue(id)}` }, options)
  }
}

export class Settlements {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List settlements.
   *
   * Payments received through providers, newest first, with the fee and the net amount where the provider has reported them. The amounts are those of the ledger.
   *
   * Scope: `orders:read`.
   *
   * Operation: `listSettlements`.
   */
  list(query: ListSettlementsQuery = {}, options: CallOptions = {}): List<Settlement> {
    return this.#transport.list<Settlement>({ method: 'GET', path: '/settlements', query }, options)
  }

  /**
   * List settlements, as CSV with a first line of names.
   *
   * Operation: `listSettlements`.
   */
  listCsv(query: ListSettlementsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/settlements', query }, options)
  }

  /**
   * Import a settlement report.
   *
   * Reads the settlement report of a provider as CSV and records the fee of each payment. A line names the payment by its id (`payment_id`, `order id`, `reference`) or the id of the provider (`transaction id`), and has two of gross amount, fee and net amount. Usual names of columns are recognised. The ledger does not change; a report that disagrees with it is recorded with `amount_differs`.
   *
   * Scope: `orders:write`.
   *
   * Operation: `importSettlements`.
   */
  import(file: FileInput, query: ImportSettlementsQuery = {}, options: PostOptions = {}): Reply<SettlementImport> {
    return this.#transport.call<SettlementImport>({ method: 'POST', path: '/settlements/import', file, query }, options)
  }
}

export class Simulator {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Call as a customer.
   *
   * A simulated customer calls the business. No one can answer; the call opens the reply window as a message does.
   *
   * Scope: `messages:send`.
   *
   * Operation: `simulateCall`.
   */
  simulateCall(body: CustomerCall, options: PostOptions = {}): Reply<SimulatedAct> {
    return this.#transport.call<SimulatedAct>({ method: 'POST', path: '/simulator/calls', body }, options)
  }

  /**
   * Send a cart as a customer.
   *
   * A simulated customer sends the cart of a catalog. It becomes an order in `draft`.
   *
   * Scope: `messages:send`.
   *
   * Operation: `simulateCart`.
   */
  simulateCart(body: CustomerCart, options: PostOptions = {}): Reply<SimulatedAct> {
    return this.#transport.call<SimulatedAct>({ method: 'POST', path: '/simulator/carts', body }, options)
  }

  /**
   * Move the clock of the sandbox.
   *
   * Everything that waits comes nearer by that time: expiry of payments, reply windows, scheduled messages, retries. What is due then happens at once. Only with a key of a sandbox.
   *
   * Scope: `messages:send`.
   *
   * Operation: `advanceSimulatorClock`.
   */
  advanceClock(body: ClockAdvance, options: PostOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'POST', path: '/simulator/clock', body }, options)
  }

  /**
   * Delete a message as a customer.
   *
   * A simulated customer deletes a message that they wrote, for everyone.
   *
   * Scope: `messages:send`.
   *
   * Operation: `simulateDeletion`.
   */
  simulateDeletion(body: CustomerDeletion, options: PostOptions = {}): Reply<SimulatedAct> {
    return this.#transport.call<SimulatedAct>({ method: 'POST', path: '/simulator/deletions', body }, options)
  }

  /**
   * Edit a message as a customer.
   *
   * A simulated customer edits the text or the caption of a message that they wrote.
   *
   * Scope: `messages:send`.
   *
   * Operation: `simulateEdit`.
   */
  simulateEdit(body: CustomerEdit, options: PostOptions = {}): Reply<SimulatedAct> {
    return this.#transport.call<SimulatedAct>({ method: 'POST', path: '/simulator/edits', body }, options)
  }

  /**
   * List messages that customers received.
   *
   * The messages that you sent from a simulator number and the network accepted, oldest first. With `wait` the answer comes as soon as `count` messages match, so a test needs no sleep; when the time is over, it has fewer.
   *
   * Scope: `chats:read`.
   *
   * Operation: `listSimulatedMessages`.
   */
  listSimulatedMessages(query: ListSimulatedMessagesQuery = {}, options: CallOptions = {}): Reply<SimulatedSentMessages> {
    return this.#transport.call<SimulatedSentMessages>({ method: 'GET', path: '/simulator/messages', query }, options)
  }

  /**
   * Write as a customer.
   *
   * A simulated customer writes to a simulator number. The server receives the message as it receives those of a real customer, within a moment.
   *
   * Scope: `messages:send`.
   *
   * Operation: `simulateMessage`.
   */
  simulateMessage(body: CustomerMessage, options: PostOptions = {}): Reply<SimulatedAct> {
    return this.#transport.call<SimulatedAct>({ method: 'POST', path: '/simulator/messages', body }, options)
  }

  /**
   * Change the phone number of a customer.
   *
   * A simulated customer changes the phone number. The chat moves with them.
   *
   * Scope: `messages:send`.
   *
   * Operation: `simulateNumberChange`.
   */
  simulateNumberChange(body: CustomerNumberChange, options: PostOptions = {}): Reply<SimulatedAct> {
    return this.#transport.call<SimulatedAct>({ method: 'POST', path: '/simulator/number-changes', body }, options)
  }

  /**
   * Pay as the payer.
   *
   * The simulated payment network reports what a payer does, with signed notifications: `paid` by default, or another scenario.
   *
   * Scope: `orders:write`.
   *
   * Operation: `simulatePayment`.
   */
  simulatePayment(id: string, body?: SimulatedPaying, options: PostOptions = {}): Reply<SimulatedNotices> {
    return this.#transport.call<SimulatedNotices>({ method: 'POST', path: `/simulator/payments/${pathValue(id)}`, body }, options)
  }

  /**
   * List simulated customers.
   *
   * The customers who have written to a simulator number, the most recent first.
   *
   * Scope: `chats:read`.
   *
   * Operation: `listSimulatedPeople`.
   */
  listSimulatedPeople(query: ListSimulatedPeopleQuery = {}, options: CallOptions = {}): Reply<SimulatedPeople> {
    return this.#transport.call<SimulatedPeople>({ method: 'GET', path: '/simulator/people', query }, options)
  }

  /**
   * Opt out or block as a customer.
   *
   * A simulated customer opts out of marketing messages, or blocks the business. Templates of the category MARKETING then fail with 131050.
   *
   * Scope: `messages:send`.
   *
   * Operation: `simulatePreferences`.
   */
  simulatePreferences(body: CustomerPreferences, options: PostOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'POST', path: '/simulator/preferences', body }, options)
  }

  /**
   * React as a customer.
   *
   * A simulated customer reacts to a message, or removes the reaction.
   *
   * Scope: `messages:send`.
   *
   * Operation: `simulateReaction`.
   */
  simulateReaction(body: CustomerReaction, options: PostOptions = {}): Reply<SimulatedAct> {
    return this.#transport.call<SimulatedAct>({ method: 'POST', path: '/simulator/reactions', body }, options)
  }

  /**
   * Read messages as a customer.
   *
   * A simulated customer reads one message, or all that are unread. The network reports `read`.
   *
   * Scope: `messages:send`.
   *
   * Operation: `simulateRead`.
   */
  simulateRead(body: CustomerReading, options: PostOptions = {}): Reply<SimulatedReading> {
    return this.#transport.call<SimulatedReading>({ method: 'POST', path: '/simulator/reads', body }, options)
  }

  /**
   * End a pending refund.
   *
   * The simulated payment network reports that a pending refund succeeded or failed.
   *
   * Scope: `orders:write`.
   *
   * Operation: `simulateRefund`.
   */
  simulateRefund(id: string, body?: SimulatedRefunding, options: PostOptions = {}): Reply<SimulatedNotices> {
    return this.#transport.call<SimulatedNotices>({ method: 'POST', path: `/simulator/refunds/${pathValue(id)}`, body }, options)
  }

  /**
   * Tap a button or list row as a customer.
   *
   * A simulated customer taps a button, a quick reply or a list row of a message that they received, or completes its flow.
   *
   * Scope: `messages:send`.
   *
   * Operation: `simulateReply`.
   */
  simulateReply(body: CustomerReply, options: PostOptions = {}): Reply<SimulatedAct> {
    return this.#transport.call<SimulatedAct>({ method: 'POST', path: '/simulator/replies', body }, options)
  }

  /**
   * Delete the data of the sandbox.
   *
   * Deletes chats, messages, orders, events, rules and everything else, and keeps keys, numbers, payment accounts and webhook endpoints. Only with a key of a sandbox.
   *
   * Scope: `messages:send`.
   *
   * Operation: `resetSimulator`.
   */
  reset(options: PostOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'POST', path: '/simulator/reset' }, options)
  }

  /**
   * List rules of the network.
   *
   * What was set for a simulator number and its recipients.
   *
   * Scope: `chats:read`.
   *
   * Operation: `listSimulatorRules`.
   */
  listRules(query: ListSimulatorRulesQuery = {}, options: CallOptions = {}): Reply<SimulatorRules> {
    return this.#transport.call<SimulatorRules>({ method: 'GET', path: '/simulator/rules', query }, options)
  }

  /**
   * Decide what the network does.
   *
   * Sets how the network treats messages from a simulator number, for one recipient or for all: refuses them, loses them, or reports statuses late, in another order, repeatedly, not at all or as failed. A rule for the recipient takes precedence over the meaning of a test number.
   *
   * Scope: `messages:send`.
   *
   * Operation: `setSimulatorRule`.
   */
  setRule(body: NewSimulatorRule, options: PostOptions = {}): Reply<SimulatorRules> {
    return this.#transport.call<SimulatorRules>({ method: 'POST', path: '/simulator/rules', body }, options)
  }

  /**
   * Change the seed or the limits of a number.
   *
   * Changes settings of a simulator number, within a second. Without a change it answers with the present ones.
   *
   * Scope: `messages:send`.
   *
   * Operation: `updateSimulatorSettings`.
   */
  updateSettings(body?: NewSimulatorSettings, options: PostOptions = {}): Reply<SimulatorSettings> {
    return this.#transport.call<SimulatorSettings>({ method: 'POST', path: '/simulator/settings', body }, options)
  }

  /**
   * Report a status as the network.
   *
   * The network reports a status of a message that it accepted: any status, in any order, as often as you like.
   *
   * Scope: `messages:send`.
   *
   * Operation: `simulateStatus`.
   */
  simulateStatus(body: SimulatedStatus, options: PostOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'POST', path: '/simulator/statuses', body }, options)
  }
}

export class Statements {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List statement lines.
   *
   * Lines of imported bank statements, newest first, with the orders that each open line may pay.
   *
   * Scope: `orders:read`.
   *
   * Operation: `listStatementLines`.
   */
  listLines(query: ListStatementLinesQuery = {}, options: CallOptions = {}): List<StatementLine> {
    return this.#transport.list<StatementLine>({ method: 'GET', path: '/statements', query }, options)
  }

  /**
   * List statement lines, as CSV with a first line of names.
   *
   * Operation: `listStatementLines`.
   */
  listLinesCsv(query: ListStatementLinesQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/statements', query }, options)
  }

  /**
   * Import a bank statement.
   *
   * Reads a bank statement as CSV: date, description and amount, with the usual names of columns of Indonesian banks. Stores money that arrived, each line once, however often a file is imported. Nothing is marked as paid: `GET /statements` suggests orders, and you confirm each line.
   *
   * Scope: `orders:write`.
   *
   * Operation: `importStatement`.
   */
  import(file: FileInput, options: PostOptions = {}): Reply<StatementImport> {
    return this.#transport.call<StatementImport>({ method: 'POST', path: '/statements', file }, options)
  }

  /**
   * Confirm a statement line.
   *
   * Records the line as a payment of the order, as `POST /orders/{id}/mark-paid` does with its amount, and returns the order. A line pays one order.
   *
   * Scope: `orders:write`.
   *
   * Operation: `confirmStatementLine`.
   */
  confirmLine(id: string, body: StatementConfirmation, options: PostOptions = {}): Reply<OrderWithPayments> {
    return this.#transport.call<OrderWithPayments>({ method: 'POST', path: `/statements/${pathValue(id)}/confirm`, body }, options)
  }

  /**
   * Ignore a statement line.
   *
   * Marks a line that pays no order, so that it is no longer listed as open.
   *
   * Scope: `orders:write`.
   *
   * Operation: `ignoreStatementLine`.
   */
  ignoreLine(id: string, options: PostOptions = {}): Reply<StatementLine> {
    return this.#transport.call<StatementLine>({ method: 'POST', path: `/statements/${pathValue(id)}/ignore` }, options)
  }
}

export class Templates {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List templates.
   *
   * The templates of a business number with their status at the network, by name and language.
   *
   * Scope: `settings:read`.
   *
   * Operation: `listTemplates`.
   */
  list(query: ListTemplatesQuery = {}, options: CallOptions = {}): List<Template> {
    return this.#transport.list<Template>({ method: 'GET', path: '/templates', query }, options)
  }

  /**
   * List templates, as CSV with a first line of names.
   *
   * Operation: `listTemplates`.
   */
  listCsv(query: ListTemplatesQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/templates', query }, options)
  }

  /**
   * Create a template.
   *
   * Hands a template to the network of the number for approval. `template.updated` reports the result; the simulator approves at once.
   *
   * Scope: `settings:write`.
   *
   * Operation: `createTemplate`.
   */
  create(body: NewTemplate, options: PostOptions = {}): Reply<Template> {
    return this.#transport.call<Template>({ method: 'POST', path: '/templates', body }, options)
  }

  /**
   * Delete a template.
   *
   * Deletes a template at the network: in one `language`, or in all. Messages that were sent with it stay.
   *
   * Scope: `settings:write`.
   *
   * Operation: `deleteTemplate`.
   */
  delete(name: string, query: DeleteTemplateQuery = {}, options: CallOptions = {}): Reply<void> {
    return this.#transport.call<void>({ method: 'DELETE', path: `/templates/${pathValue(name)}`, query }, options)
  }

  /**
   * Get a template.
   *
   * Returns one template with its status at the network.
   *
   * Scope: `settings:read`.
   *
   * Operation: `getTemplate`.
   */
  get(name: string, language: string, query: GetTemplateQuery = {}, options: CallOptions = {}): Reply<Template> {
    return this.#transport.call<Template>({ method: 'GET', path: `/templates/${pathValue(name)}/${pathValue(language)}`, query }, options)
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
   * List webhook endpoints, as CSV with a first line of names.
   *
   * Operation: `listWebhookEndpoints`.
   */
  listCsv(query: ListWebhookEndpointsQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: '/webhook-endpoints', query }, options)
  }

  /**
   * Create a webhook endpoint.
   *
   * Registers a URL that receives events as signed POST requests (Standard Webhooks). The secret is returned only in this response. A ping is sent to the URL at once; its result is `last_ping`. The endpoint is created even if the ping fails. With `format: "whatsapp_cloud"` the callback must pass a handshake instead, before anything is saved.
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
   * Returns one webhook endpoint with its health, backlog and the result of the last ping.
   *
   * Scope: `webhooks:read`.
   *
   * Operation: `getWebhookEndpoint`.
   */
  get(id: string, options: CallOptions = {}): Reply<WebhookEndpoint> {
    return this.#transport.call<WebhookEndpoint>({ method: 'GET', path: `/webhook-endpoints/${pathValue(id)}` }, options)
  }

  /**
   * Edit a webhook endpoint.
   *
   * Changes the fields you send. A ping is sent to a new URL. Pending deliveries go to the new URL from their next attempt on; their payload format does not change. With the format `whatsapp_cloud`, a new URL or verify token must pass the handshake before anything is saved.
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
   * Deletes the endpoint and cancels its pending deliveries. Its deliveries stay in the log until the end of the retention period.
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
   * Returns the status of a certification and, once completed, its report: every probe with the request, the expected behaviour and the response, and the likely bugs, worst first.
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
   * Sends about a dozen signed probes to the receiver, valid and invalid, and grades its behaviour: forged and missing signatures, old and future timestamps, duplicates, reordered, large and unusual events, rotated secrets. The report names the likely bug. Probes have `"test": true`, appear in no other log and do not affect the endpoint, which may be paused. Poll the certification for its report; it takes a few seconds.
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
   * Stops all attempts until the endpoint is resumed. New deliveries are `held` in the meantime. Pausing a paused endpoint changes nothing.
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
   * Sends one signed `endpoint.pinged` event with `"test": true` to the URL, even if the endpoint is paused. The result is `last_ping`. With the format `whatsapp_cloud` the ping is the handshake.
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
   * Sends the events that the endpoint missed, in the background and with lower priority than new events. The `webhook-id` and body are the same as before, so a receiver that checks ids handles no event twice. With `dry_run` it only counts.
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
   * List recoveries, as CSV with a first line of names.
   *
   * Operation: `listWebhookRecoveries`.
   */
  listRecoveriesCsv(id: string, query: ListWebhookRecoveriesQuery = {}, options: CallOptions = {}): Reply<string> {
    return this.#transport.csv({ method: 'GET', path: `/webhook-endpoints/${pathValue(id)}/recoveries`, query }, options)
  }

  /**
   * Get a recovery.
   *
   * Returns a recovery with its progress.
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
   * Cancels the recovery. Deliveries that it queued and that were not attempted yet are cancelled; the others are retried on their schedule.
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
   * Activates a paused or disabled endpoint. By default all held and pending deliveries are sent; with `from_now` they are marked `skipped` and only new events are sent. On an active endpoint that is failing, pending deliveries are attempted at once instead of waiting for the breaker, `Retry-After` or the next retry.
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
   * Creates a new secret and returns it once. During the overlap every request is signed with both secrets, so that the receiver can switch without rejecting one; 0 revokes the old secret at once. With the format `whatsapp_cloud` the new secret signs at once, because there is room for one signature.
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
   * Sends the example of an event type with `"test": true` to this endpoint, whatever its subscriptions and even if it is paused. There is one attempt. Test deliveries are listed separately, with `test=true`.
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
  readonly agents: Agents
  readonly apiKeys: ApiKeys
  readonly approvals: Approvals
  readonly broadcasts: Broadcasts
  readonly chats: Chats
  readonly contacts: Contacts
  readonly deliveries: Deliveries
  readonly erasures: Erasures
  readonly eventTypes: EventTypes
  readonly events: Events
  readonly invitations: Invitations
  readonly me: Me
  readonly media: Media
  readonly messages: Messages
  readonly numbers: Numbers
  readonly orders: Orders
  readonly organization: Organization
  readonly organizations: Organizations
  readonly paymentAccounts: PaymentAccounts
  readonly paymentLinks: PaymentLinks
  readonly payments: Payments
  readonly people: People
  readonly products: Products
  readonly refunds: Refunds
  readonly reports: Reports
  readonly savedReplies: SavedReplies
  readonly settlements: Settlements
  readonly simulator: Simulator
  readonly statements: Statements
  readonly templates: Templates
  readonly webhookEndpoints: WebhookEndpoints

  constructor(transport: Transport) {
    this.agent = new Agent(transport)
    this.agents = new Agents(transport)
    this.apiKeys = new ApiKeys(transport)
    this.approvals = new Approvals(transport)
    this.broadcasts = new Broadcasts(transport)
    this.chats = new Chats(transport)
    this.contacts = new Contacts(transport)
    this.deliveries = new Deliveries(transport)
    this.erasures = new Erasures(transport)
    this.eventTypes = new EventTypes(transport)
    this.events = new Events(transport)
    this.invitations = new Invitations(transport)
    this.me = new Me(transport)
    this.media = new Media(transport)
    this.messages = new Messages(transport)
    this.numbers = new Numbers(transport)
    this.orders = new Orders(transport)
    this.organization = new Organization(transport)
    this.organizations = new Organizations(transport)
    this.paymentAccounts = new PaymentAccounts(transport)
    this.paymentLinks = new PaymentLinks(transport)
    this.payments = new Payments(transport)
    this.people = new People(transport)
    this.products = new Products(transport)
    this.refunds = new Refunds(transport)
    this.reports = new Reports(transport)
    this.savedReplies = new SavedReplies(transport)
    this.settlements = new Settlements(transport)
    this.simulator = new Simulator(transport)
    this.statements = new Statements(transport)
    this.templates = new Templates(transport)
    this.webhookEndpoints = new WebhookEndpoints(transport)
  }
}
