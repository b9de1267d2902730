import type { Channels } from '../channels/channels.ts'
import { createNumberDirectory } from '../channels/numbers/numbers.ts'
import { type EventActor, systemActor } from '../events/events.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Id, OrgId } from '../kernel/ids.ts'
import type { Database, Queries, Tx } from '../platform/database/database.ts'
import type { Route } from '../platform/http/define-route.ts'
import { type HandOver, NO_HAND_OVER } from '../platform/outbox/grants.ts'
import { DEFAULT_LEASE_MS, type Job } from '../platform/outbox/job.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { Metric } from '../platform/telemetry/metrics.ts'
import { createAutoReplies } from './auto-replies/auto-replies.ts'
import { chatRoutes } from './chats/chats.routes.ts'
import { type ChatRow, listMergedChats } from './chats/chats.sql.ts'
import {
  type FindOpenOrder,
  findChatId,
  findLiveChat,
  findReferredChats,
  markRead,
  type Reading,
  showOpenOrder,
} from './chats/chats.ts'
import { createReadJob } from './chats/read-receipts.jobs.ts'
import { contactRoutes } from './contacts/contacts.routes.ts'
import { ensureContacts, findContactById, lockPeople } from './contacts/people.ts'
import { createHomeCountry, findReference } from './contacts/references.ts'
import { findByProviderId } from './messages/message-states.sql.ts'
import { messageRoutes } from './messages/messages.routes.ts'
import { findMessage, type MessageRow, type OrderLink } from './messages/messages.sql.ts'
import { linkToOrder } from './messages/messages.ts'
import { createParkedSweep, createParkedWatch } from './messages/parked-statuses.ts'
import type { MessagingContext } from './messaging-context.ts'
import { createMessagingMetrics } from './messaging-metrics.ts'
import { noteRoutes } from './notes/notes.routes.ts'
import type { MessageForOrders } from './receiving/applying.ts'
import { createApplyJob } from './receiving/batches.jobs.ts'
import { savedReplyRoutes } from './saved-replies/saved-replies.routes.ts'
import { createSender } from './sending/acceptance.ts'
import type { NewOutboundMessage } from './sending/outbound-message.ts'
import { createSendJob } from './sending/send.jobs.ts'
import { createSendSource } from './sending/sendable.ts'
import { sendRoutes } from './sending/sending.routes.ts'
import { createSettleJob } from './sending/settle.jobs.ts'

/**
 * Messaging as one piece for the wiring, and the face that orders and other ways in use.
 *
 *   out   send, queueMessage ──▶ message + outbox entry (one commit) ──▶ messages.send ──▶ connector ──▶ status, event
 *   in    journal ──▶ messages.apply ──▶ contact, chat, message or status, event
 */
export type MessagingOptions = {
  database: Database
  /** The clock that the outbox uses. */
  clock: Clock
  log: Log
  channels: Channels
  /** Wakes the outbox for organizations with new work, after the commit. */
  wake: (orgIds: readonly OrgId[]) => void
  /** Lets this process send messages that it accepts. */
  handOver?: HandOver
  /** Called in the transaction that stores a cart which a customer sent from a catalogue. */
  onMessageForOrders?: MessageForOrders
  /** How long a status is waited for before a decision falls about a message that may have been sent. */
  unknownWaitMs?: number
}

export type { OpenOrderView } from './chats/chats.schemas.ts'
export type { ChatRow } from './chats/chats.sql.ts'
export type { MessageRow } from './messages/messages.sql.ts'
export type { NewOutboundMessage } from './sending/outbound-message.ts'

export type Messaging = {
  context: MessagingContext
  jobs: Job[]
  /** For /metrics. */
  metrics(): Metric[]
  /** Durable when it resolves; concurrent ones share a commit. */
  send(message: NewOutboundMessage): Promise<MessageRow>
  /**
   * Queues a message in the transaction of the caller. Call it late: it takes the counter of events and holds it until the
   * commit.
   */
  queueMessage(tx: Tx, message: QueuedMessage): Promise<MessageRow>
  /**
   * Shows the order that `find` returns, which runs under the lock of the chat; null removes it. Records chat.updated.
   */
  showOpenOrder(tx: Tx, orgId: OrgId, chatId: string, find: FindOpenOrder): Promise<void>
  /**
   * Links a customer's message to the order that it became, unless it has one already. Locks the chat of the message, so it
   * must run before anything that takes the counter of events.
   */
  linkToOrder(tx: Tx, orgId: OrgId, link: OrderLink): Promise<boolean>
  findMessage(queries: Queries, orgId: OrgId, id: string): Promise<MessageRow | null>
  /** Finds a chat by a phone in any spelling; the most recently active one when there are several. */
  findChatByPhone(queries: Queries, orgId: OrgId, phone: string): Promise<ChatRow | null>
  /** Finds a chat by its id, also by the id of a chat that was merged into it. */
  findChatById(queries: Queries, orgId: OrgId, id: string): Promise<FoundChat | null>
  /** Finds the person with this phone, or creates it. */
  ensureContact(tx: Tx, orgId: OrgId, person: { phone: string; name?: string | null }): Promise<EnsuredContact>
  markRead(tx: Tx, reading: Reading): Promise<ChatRow>
  /** A message by the id that its network gave it. */
  findMessageByProviderId(
    queries: Queries,
    orgId: OrgId,
    key: { numberId: string; providerId: string },
  ): Promise<{ id: Id<'msg'>; chat_id: Id<'chat'> } | null>
  start(): Promise<void>
  stop(): Promise<void>
}

/** A message that orders queue. */
export type QueuedMessage = Omit<NewOutboundMessage, 'from' | 'claim' | 'location' | 'to'> & {
  to: { phone: string } | { chatId: string }
  numberId?: string
}

/** A chat with the phone in E.164, and the chats that were merged into it. */
export type FoundChat = { id: Id<'chat'>; contact: EnsuredContact; mergedIds: Id<'chat'>[] }

export type EnsuredContact = { id: Id<'con'>; name: string | null; phone: string | null }

const UNKNOWN_WAIT_MS = 5 * 60_000

export const messagingRoutes = (context: MessagingContext): Route[] => [
  ...chatRoutes(context),
  ...sendRoutes(context),
  ...messageRoutes(context),
  ...contactRoutes(context),
  ...noteRoutes(context),
  ...savedReplyRoutes(context),
]

export function createMessaging(options: MessagingOptions): Messaging {
  const { database, clock, log, channels, wake, onMessageForOrders = async () => {} } = options
  const { connectors, numbers, health, media, templates } = channels
  const homeCountry = createHomeCountry(database)
  const directory = createNumberDirectory({ database, connectors, homeCountry })
  const source = createSendSource({ database, clock })
  const sending = { handOver: options.handOver ?? NO_HAND_OVER, leaseMs: DEFAULT_LEASE_MS }
  const sender = createSender({ database, clock, directory, templates, homeCountry, source, wake, sending })
  const context: MessagingContext = {
    ...{ database, clock, directory, wake, homeCountry, sender },
    findChatId: async (orgId, text) => findChatId(database, orgId, text, await homeCountry(orgId)),
  }
  const autoReplies = createAutoReplies({ database, clock, sender })
  const { onReceived } = autoReplies
  const unknownWaitMs = options.unknownWaitMs ?? UNKNOWN_WAIT_MS
  const metrics = createMessagingMetrics()
  const watch = createParkedWatch({ database, clock, log })
  const recording = { context: channels.context, directory, health, clock, log, unknownWaitMs, metrics, watch }
  const sweep = createParkedSweep({ database, clock, log })
  return {
    context,
    jobs: [
      createSendJob({ ...recording, source, numbers, media }),
      createSettleJob({ database, numbers, directory, clock }),
      createApplyJob({
        database,
        clock,
        directory,
        health,
        wake,
        onMessageForOrders,
        onReceived,
        watch,
        connectors,
        log,
        metrics,
      }),
      createReadJob({ numbers }),
      autoReplies.job,
    ],
    metrics: () => metrics.list(() => sender.stats().itemsWritten),
    send: sender.send,
    queueMessage: (tx, { numberId, ...message }) => sender.queue(tx, { ...message, from: numberId ?? null }),
    showOpenOrder: (tx, orgId, chatId, find) => showOpenOrder(context, tx, orgId, { chatId, find, change: bySystem }),
    linkToOrder,
    findMessage,
    async findChatByPhone(queries, orgId, phone) {
      const reference = await findReference(queries, orgId, phone, await homeCountry(orgId))
      if (reference === null || reference.kind !== 'phone') return null
      return (await findReferredChats(queries, orgId, reference))[0] ?? null
    },
    async findChatById(queries, orgId, id) {
      const chat = await findLiveChat(queries, orgId, id)
      if (chat === null) return null
      const merged = await listMergedChats(queries, orgId, chat.id)
      return { id: chat.id, contact: shownContact(chat.contact), mergedIds: merged.map(({ id: mergedId }) => mergedId) }
    },
    ensureContact: (tx, orgId, person) => ensureKnown(tx, orgId, person, new Date(clock.now())),
    markRead: (tx, reading) => markRead(context, tx, reading),
    findMessageByProviderId: findByProviderId,
    start: sweep.start,
    async stop() {
      await sender.drain()
      await watch.stop()
      await sweep.stop()
    },
  }
}

const shownContact = ({ id, name, phone }: EnsuredContact): EnsuredContact => ({
  id,
  name,
  phone: phone === null ? null : `+${phone}`,
})

const bySystem: { actor: EventActor; requestId: null } = { actor: systemActor, requestId: null }

/**
 * The phone in E.164 or as digits. The given name is used only for a new person; a name from the network takes precedence.
 */
async function ensureKnown(
  tx: Tx,
  orgId: OrgId,
  { phone, name }: { phone: string; name?: string | null },
  now: Date,
): Promise<EnsuredContact> {
  const person = { phone: phone.replaceAll(/\D/g, ''), userId: null, username: null, name: name ?? null }
  await lockPeople(tx, [{ orgId, person }])
  const [id] = (await ensureContacts(tx, orgId, [person], now)) as [Id<'con'>]
  const contact = await findContactById(tx, orgId, id)
  return shownContact({ id, name: contact?.name ?? null, phone: contact?.phone ?? null })
}
