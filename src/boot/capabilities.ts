import type { AuditContext } from '../accounts/audit/audit.ts'
import { createOrganizationProfiles, type OrganizationProfiles } from '../accounts/organizations/organizations.ts'
import { type Agents, createAgents, type RunApproved } from '../agents/agents.ts'
import { type Alerts, createAlerts } from '../alerts/alerts.ts'
import { type BroadcastsContext, createBroadcastJob } from '../broadcasts/broadcasts.ts'
import { type Channels, channelTables, createChannels } from '../channels/channels.ts'
import { createConnectors } from '../channels/connectors/connectors.ts'
import { type Customers, createCustomers } from '../channels/connectors/simulator/simulator.ts'
import { storeMedia } from '../channels/media/media.ts'
import { findNumberByReference, listNumbers } from '../channels/numbers/numbers.ts'
import { createErasureJob, type ErasureContext } from '../erasure/erasure.ts'
import { createFollowers, type Follower } from '../events/events.ts'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import { findContactById } from '../messaging/contacts/contacts.ts'
import { createMessaging, type Messaging } from '../messaging/messaging.ts'
import { createDocumentSender, renderForCustomer } from '../orders/documents/documents.ts'
import { createOrderNotices } from '../orders/notices/notices.ts'
import { type CartDrafts, createCartDrafts } from '../orders/orders/orders.ts'
import { createOrders, type Orders } from '../orders/orders.ts'
import { createProofs, type Proofs } from '../orders/proofs/proofs.ts'
import {
  createPaymentAccountSource,
  type PaymentAccountSource,
  type PaymentAccountsContext,
} from '../payments/accounts/accounts.ts'
import { createPaymentProviders } from '../payments/connectors/connectors.ts'
import { createPayments, type Payments } from '../payments/payments.ts'
import type { PartitionedTable } from '../platform/database/daily-partitions.ts'
import type { Database, Queries } from '../platform/database/database.ts'
import { deriveKey } from '../platform/database/secret-box.ts'
import type { Mailer } from '../platform/mail/mail.ts'
import type { Egress } from '../platform/outbound-http/egress.ts'
import { type HandOver, lateHandOver } from '../platform/outbox/grants.ts'
import { createOutbox, type Outbox, type Wake } from '../platform/outbox/outbox.ts'
import type { Storage } from '../platform/storage/storage.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { SandboxContext } from '../sandbox/sandbox.ts'
import type { EmulatedApp } from '../surfaces/cloud-api/cloud-api-context.ts'
import { createHookRendering } from '../surfaces/cloud-api/webhook-rendering.ts'
import { deliveryTables } from '../webhooks/deliveries/deliveries.ts'
import { createWebhooks, type Webhooks } from '../webhooks/webhooks.ts'
import type { FindNumber } from '../webhooks/webhooks-context.ts'
import { channelSecretBox, paymentSecretBox, webhookSecretBox } from './settings.ts'
import { tenantTables } from './tables.ts'

/**
 * The wiring, part one: creates every capability, connector and job and passes each its dependencies. app.ts serves them.
 *
 * Arrows between capabilities point one way, so where a lower one must move a higher one it is handed a function here: a
 * payment moves its order, an order writes into its chat.
 */
export type CapabilitiesOptions = {
  database: Database
  /** Processes compare due times, so they go by one clock. */
  clock: Clock
  log: Log
  audit: AuditContext
  secretKey: string
  publicUrl: string
  version: string
  processId: string
  /** The guard for addresses that tenants set. */
  egress: Egress
  mediaStorage: Storage
  /** Where the public API serves events. */
  eventsPath: string
  /** What an agent was allowed by a person, sent through the API. */
  runApproved: RunApproved
  emulatedApp?: EmulatedApp | null
  /** Sends alerts; null sends none. */
  mailer: Mailer | null
}

export type Capabilities = {
  agents: Agents
  webhooks: Webhooks
  channels: Channels
  /** The customers that are played with numbers of the simulator. */
  customers: Customers
  messaging: Messaging
  payments: Payments
  paymentAccounts: PaymentAccountSource
  orders: Orders
  sandbox: SandboxContext
  erasure: ErasureContext
  broadcasts: BroadcastsContext
  profiles: OrganizationProfiles
  outbox: Outbox
  /** In the order of their start. */
  parts: Part[]
  /** What works behind the API: not in a process that only serves. */
  background: Part[]
}

export type Part = { start(): Promise<void>; stop(): Promise<void> }

/** Tables of capabilities that are partitioned by day. */
export const capabilityTables: PartitionedTable[] = [...channelTables, ...deliveryTables]

export function createCapabilities(options: CapabilitiesOptions): Capabilities {
  const { database, clock, log, publicUrl, processId, audit } = options
  const wake = (orgIds: readonly OrgId[]) => outbox.wake(orgIds)
  const handOver = lateHandOver(processId, () => outbox)

  const alerts = createAlerts({ database, clock, log, wake, mailer: options.mailer, publicUrl })
  const webhooks = createWebhooks({
    ...{ database, clock, log, processId, wake, handOver, isFollowedElsewhere: alerts.isFollowed },
    ...{ egress: options.egress, eventsPath: options.eventsPath, userAgent: `Nexkit/${options.version}` },
    secretBox: webhookSecretBox(options.secretKey),
    cloudApi: {
      renderBody: (event) => renderHook(event),
      findNumber: findNumberId,
      appSecret: options.emulatedApp?.secret ?? null,
    },
  })
  const { channels, customers } = createChannelParts(options, { wake, handOver, alerts })
  const messaging = createMessaging({
    ...{ database, clock, log, channels, wake, handOver },
    onMessageForOrders: (tx, orgId, { id, isCart }) =>
      isCart ? carts.onCartReceived(tx, orgId, id) : proofs.onFileReceived(tx, orgId, id),
  })
  const { directory } = messaging.context
  const renderHook = createHookRendering({ database, directory, connectors: channels.connectors })
  const profiles = createOrganizationProfiles(database)
  const accountsContext = paymentAccountsContext(options)
  const paymentAccounts = createPaymentAccountSource(accountsContext)
  const payments = createPayments({
    database,
    clock,
    log,
    accounts: paymentAccounts,
    follower: { lockOrder: (...of) => orders.follower.lockOrder(...of) },
    publicUrl,
    payTokenKey: deriveKey(options.secretKey, 'pay pages'),
    wake,
  })
  const notices = createOrderNotices({
    ...{ database, clock, log, profiles, payments, messaging, wake },
    storePicture: (orgId, picture) => storeMedia(channels.media, orgId, picture),
    renderDocument: (orgId, named) => renderForCustomer(orders.context, orgId, named),
  })
  const orders: Orders = createOrders({
    ...{ database, clock, profiles, payments, onOrderMoved: notices.onOrderMoved },
    ...channelsOfOrders({ database, messaging, channels }),
  })
  const carts: CartDrafts = createCartDrafts({
    ...{ database, orders, messaging, clock, log, wake },
    findContact: findCustomer,
  })

  const proofs: Proofs = createProofs({ database, orders, messaging, wake })
  const agents = createAgents({ database, clock, log, audit, messaging, wake, runApproved: options.runApproved })

  const erasure: ErasureContext = { database, clock, media: channels.media, wake }
  const broadcasts: BroadcastsContext = { database, clock, messaging, wake }
  const workers = [
    { jobs: [createErasureJob(erasure), createBroadcastJob(broadcasts)] },
    webhooks,
    channels,
    messaging,
    ...[payments, orders, notices, carts, proofs],
    ...[agents, alerts],
  ]
  const outbox: Outbox = createOutbox({ database, clock, log, processId, jobs: workers.flatMap(({ jobs }) => jobs) })
  const followers = createFollowers({ database, clock, log, follower: followedBoth(webhooks.follower, alerts) })
  return {
    agents,
    webhooks,
    channels,
    customers,
    messaging,
    ...{ payments, paymentAccounts, orders },
    sandbox: {
      ...{ database, clock, log, wake, numbers: channels.context, paymentAccounts: accountsContext },
      ...{ storage: options.mediaStorage, tenantTables },
    },
    ...{ erasure, broadcasts, profiles, outbox },
    parts: [webhooks, channels, messaging, payments, orders, agents],
    background: [followers, outbox],
  }
}

/** For webhook endpoints that are limited to one number, in the server and in the commands. */
export const findNumberId: FindNumber = async (queries, orgId, reference) =>
  (await findNumberByReference(queries, orgId, reference))?.id ?? null

/** How orders reach chats and the numbers of the shop. */
const channelsOfOrders = (parts: { database: Database; messaging: Messaging; channels: Channels }) => ({
  findChat: (orgId: OrgId, id: string) => parts.messaging.findChatById(parts.database, orgId, id),
  findShopPhone: (orgId: OrgId) => findShopPhone(parts.database, orgId),
  sendDocument: createDocumentSender({
    messaging: parts.messaging,
    storeFile: (orgId, file) => storeMedia(parts.channels.media, orgId, file),
  }),
})

/** The sender of a cart, with the phone in E.164. */
async function findCustomer(queries: Queries, orgId: OrgId, id: string) {
  const contact = await findContactById(queries, orgId, id)
  return contact && { name: contact.name, phone: contact.phone === null ? null : `+${contact.phone}` }
}

/** The default number of the organization, which a payer can write to. */
async function findShopPhone(database: Database, orgId: OrgId): Promise<string | null> {
  const connected = (await listNumbers(database, orgId)).filter(({ state }) => state === 'connected')
  const number = connected.find(({ is_default }) => is_default) ?? connected[0]
  const digits = number?.display_phone.replaceAll(/\D/g, '') ?? ''
  return digits === '' ? null : `+${digits}`
}

/** Webhooks first: what they leave for later is left by both. */
const followedBoth = ({ name, handle }: Follower, alerts: Alerts): Follower => ({
  name,
  async handle(tx, orgId, events) {
    if ((await handle(tx, orgId, events)) === false) return false
    await alerts.follow(tx, orgId, events)
    return true
  },
})

type ChannelGround = { wake: Wake; handOver: HandOver; alerts: Alerts }

/** A simulated network posts its hooks to the channels that the real ones post to. */
function createChannelParts(options: CapabilitiesOptions, parts: ChannelGround) {
  const { database, clock, log, publicUrl, egress } = options
  const { wake, handOver, alerts } = parts
  const sender = (): Channels => channels
  const channels: Channels = createChannels({
    database,
    clock,
    log,
    secretBox: channelSecretBox(options.secretKey),
    storage: options.mediaStorage,
    connectors: createConnectors({ database, clock, userAgent: `Nexkit/${options.version}`, egress, sender, wake }),
    egress,
    publicUrl,
    wake,
    handOver,
    onNumberPaused: alerts.onNumberPaused,
  })
  return { channels, customers: createCustomers({ database, clock, sender }) }
}

/** For the operations on payment accounts, in the server and in the commands. */
export const paymentAccountsContext = ({
  database,
  clock,
  secretKey,
  publicUrl,
  egress,
}: Pick<CapabilitiesOptions, 'database' | 'clock' | 'secretKey' | 'publicUrl' | 'egress'>): PaymentAccountsContext => ({
  database,
  clock,
  publicUrl,
  egress,
  secretBox: paymentSecretBox(secretKey),
  providers: createPaymentProviders({ clock }),
})
