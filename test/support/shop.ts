import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { changeOrganization, createOrganizationProfiles } from '../../src/accounts/organizations/organizations.ts'
import { type Channels, channelTables, createChannels } from '../../src/channels/channels.ts'
import { storeMedia } from '../../src/channels/media/media-files.ts'
import { createNumber } from '../../src/channels/numbers/numbers.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newId, type OrgId } from '../../src/kernel/ids.ts'
import { findContactById } from '../../src/messaging/contacts/people.ts'
import { createMessaging, type Messaging, messagingRoutes } from '../../src/messaging/messaging.ts'
import { createDocumentSender, renderForCustomer } from '../../src/orders/documents/documents.ts'
import { createOrderNotices } from '../../src/orders/notices/notices.ts'
import { type CartDrafts, type CartDraftsOptions, createCartDrafts } from '../../src/orders/orders/orders.ts'
import { allOrderRoutes, createOrders, type Orders } from '../../src/orders/orders.ts'
import { createProofs, type Proofs } from '../../src/orders/proofs/proofs.ts'
import { createPaymentAccount, createPaymentAccountSource } from '../../src/payments/accounts/accounts.ts'
import type { PaymentProvider } from '../../src/payments/connectors/connectors.ts'
import { createPaymentProviders } from '../../src/payments/connectors/connectors.ts'
import { type SimulatedScenario, simulatePay } from '../../src/payments/connectors/simulator/simulator.ts'
import { createPayments, type Payments } from '../../src/payments/payments.ts'
import { ensurePartitions } from '../../src/platform/database/daily-partitions.ts'
import { createSecretBox, deriveKey } from '../../src/platform/database/secret-box.ts'
import { lateHandOver } from '../../src/platform/outbox/grants.ts'
import { createOutbox, type Outbox } from '../../src/platform/outbox/outbox.ts'
import { createFileStorage } from '../../src/platform/storage/file-storage.ts'
import { productRoutes } from '../../src/products/products.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { duringTests } from './during-tests.ts'
import { loopbackEgress } from './egress.ts'
import { quietLog } from './log.ts'
import { anOrganization } from './makers.ts'
import { createTestApi } from './public-api.ts'
import { batchOf, createScriptedChannel, type ScriptedChannel } from './scripted-channel.ts'
import { until } from './until.ts'
import { type ApiReply, type CallOptions, type Json, type MovableClock, movableClock, readReply } from './webhooks.ts'

/**
 * A whole shop without the other parts of the app: chats, orders, payments and their notices, on one outbox. The
 * network of messages is scripted, with and without a reply window; money comes from the payment simulator.
 */
export type ShopBench = TestDatabase & {
  channel: ScriptedChannel
  /** With a reply window. */
  strictChannel: ScriptedChannel
  channels: Channels
  messaging: Messaging
  payments: Payments
  orders: Orders
  outbox: Outbox
  clock: MovableClock
  call(orgId: OrgId, method: string, path: string, options?: CallOptions): Promise<ApiReply>
  aShop(fields?: ShopFields): Promise<OrgId>
  anOrder(orgId: OrgId, fields?: Record<string, unknown>): Promise<Json>
  pay(orgId: OrgId, order: Json, scenario?: SimulatedScenario, amount?: number): Promise<void>
  /** As if the network had posted it. */
  report(orgId: OrgId, reports: readonly unknown[]): Promise<void>
  advance(seconds: number): Promise<void>
  /** Everything that is due has been done. */
  settle(): Promise<void>
  /** What was said to this customer, oldest first. */
  messagesTo(orgId: OrgId, phone: string): Promise<Json[]>
}

export type ShopFields = {
  /** Null connects none. */
  connector?: 'scripted' | 'strict' | null
  providers?: PaymentProvider[]
  settings?: Record<string, unknown>
}

const PUBLIC_URL = 'http://localhost:3900'
const secret = (purpose: string) => deriveKey('a secret for tests', purpose)
const TRANSFER = {
  transfer_bank: 'BCA',
  transfer_account_number: '1234567890',
  transfer_account_holder: 'Warung Contoh',
}

export const useShop = (): ShopBench =>
  duringTests('the shop', async () => {
    const db = await createTestDatabase()
    const { bench, stop } = await startShop(db)
    return { value: bench, stop: () => stop().then(db.close) }
  })

async function startShop(db: TestDatabase) {
  const { database } = db
  const clock = movableClock()
  const log = quietLog
  for (const table of [{ table: 'events', idPrefix: 'evt' as const, retentionDays: 30 }, ...channelTables])
    for (const days of [0, 2]) await ensurePartitions(database, table, clock.now() + days * 86_400_000)
  const folder = mkdtempSync(join(tmpdir(), 'nexkit-shop-'))
  const channel = createScriptedChannel()
  const strictChannel = createScriptedChannel({ name: 'strict', traits: { hasReplyWindow: true } })
  const processId = newId('prc')
  const wake = (orgIds: readonly OrgId[]) => outbox.wake(orgIds)
  const channels = createChannels({
    ...{ database, clock, log, wake, publicUrl: PUBLIC_URL },
    secretBox: createSecretBox(secret('numbers')),
    storage: createFileStorage(folder),
    connectors: [channel, strictChannel],
    egress: loopbackEgress,
    handOver: lateHandOver(processId, () => outbox),
  })
  const messaging = createMessaging({
    ...{ database, clock, log, channels, wake },
    handOver: lateHandOver(processId, () => outbox),
    onMessageForOrders: (tx, orgId, { id, isCart }) =>
      isCart ? carts.onCartReceived(tx, orgId, id) : proofs.onFileReceived(tx, orgId, id),
  })
  const accountOptions = {
    ...{ database, clock, publicUrl: PUBLIC_URL },
    secretBox: createSecretBox(secret('payment accounts')),
    providers: createPaymentProviders({ clock: systemClock }),
    egress: loopbackEgress,
  }
  const accounts = createPaymentAccountSource(accountOptions)
  const payments = createPayments({
    ...{ database, clock, log, accounts, wake, publicUrl: PUBLIC_URL },
    follower: { lockOrder: (...of) => orders.follower.lockOrder(...of) },
    payTokenKey: secret('pay pages'),
  })
  const profiles = createOrganizationProfiles(database)
  const notices = createOrderNotices({
    ...{ database, clock, log, profiles, payments, messaging, wake },
    storePicture: (orgId, picture) => storeMedia(channels.media, orgId, picture),
    renderDocument: (orgId, named) => renderForCustomer(orders.context, orgId, named),
  })
  const orders: Orders = createOrders({
    ...{ database, clock, profiles, payments },
    onOrderMoved: notices.onOrderMoved,
    findChat: (orgId, id) => messaging.findChatById(database, orgId, id),
    sendDocument: createDocumentSender({
      messaging,
      storeFile: (orgId, file) => storeMedia(channels.media, orgId, file),
    }),
  })
  const carts: CartDrafts = createCartDrafts({
    ...{ database, orders, messaging, clock, log, wake },
    findContact: findCustomer,
  })
  const proofs: Proofs = createProofs({ database, orders, messaging, wake })
  const outbox: Outbox = createOutbox({
    database,
    jobs: [
      ...proofs.jobs,
      ...channels.jobs,
      ...messaging.jobs,
      ...payments.jobs,
      ...orders.jobs,
      ...notices.jobs,
      ...carts.jobs,
    ],
    clock,
    log,
    processId,
    pace: { scoutEveryMs: 20, drainMs: 500 },
  })
  const parts = [channels, messaging, payments, orders, outbox]
  for (const part of parts) await part.start()
  const own = { channel, strictChannel, channels, messaging, payments, orders, outbox, clock }
  const makers = makersOf(db, own, accountOptions)
  return {
    bench: { ...db, ...own, ...makers } satisfies ShopBench,
    async stop() {
      for (const part of parts.toReversed()) await part.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** As src/boot/capabilities.ts finds them. */
const findCustomer: CartDraftsOptions['findContact'] = async (queries, orgId, id) => {
  const contact = await findContactById(queries, orgId, id)
  return contact === null
    ? null
    : { name: contact.name, phone: contact.phone === null ? null : `+${contact.phone.replace(/^\+/, '')}` }
}

type Own = Pick<
  ShopBench,
  'channel' | 'strictChannel' | 'channels' | 'messaging' | 'payments' | 'orders' | 'outbox' | 'clock'
>

function makersOf({ database }: TestDatabase, own: Own, accountOptions: Parameters<typeof createPaymentAccount>[0]) {
  const { channels, messaging, payments, orders, outbox, clock } = own
  const api = createTestApi({
    database,
    clock,
    routes: [...messagingRoutes(messaging.context), ...allOrderRoutes(orders), ...productRoutes(orders.context)],
  })
  const call: ShopBench['call'] = async (orgId, method, path, options = {}) =>
    readReply(await api(method, path, { orgId, ...options }))
  const settle = async () => {
    outbox.wake()
    await until(async () => {
      const { due } = await database.one<{ due: number }>`
        select count(*)::int as due from outbox_entries where due_at <= greatest(${new Date(clock.now())}, clock_timestamp())`
      return due === 0
    })
  }
  return {
    call,
    settle,
    async aShop({ connector = 'scripted', providers = ['simulator'], settings = {} }: ShopFields = {}) {
      const orgId = (await anOrganization(database, { name: 'Warung Contoh' })).id
      await database.transaction((tx) => changeOrganization(tx, orgId, { settings }))
      await database.transaction(async (tx) => {
        if (connector !== null)
          await createNumber(channels.context, tx, orgId, {
            connector,
            phone_number_id: String(Math.floor(Math.random() * 1e14)),
            display_phone: '+62 21 5000 1000',
            credentials: {},
          })
        for (const provider of providers)
          await createPaymentAccount(accountOptions, tx, orgId, {
            provider,
            credentials: {},
            settings: provider === 'manual' ? TRANSFER : {},
            default_methods: [],
          })
      })
      return orgId
    },
    async anOrder(orgId: OrgId, fields: Record<string, unknown> = {}) {
      const json = { billingType: 'qris', amount: 25_000, ...fields }
      const reply = await call(orgId, 'POST', '/orders', { json })
      if (reply.status !== 201) throw new Error(`no order: ${JSON.stringify(reply.json)}`)
      await settle()
      return reply.json
    },
    async pay(orgId: OrgId, order: Json, scenario: SimulatedScenario = 'paid', amount?: number) {
      const { account_id: accountId } = await database.one<{ account_id: string }>`
        select account_id from payments where org_id = ${orgId} and id = ${order.payment.id}`
      const open = await payments.context.accounts.open(orgId, accountId)
      if (open === null) throw new Error('no payment account')
      const attempt = { id: order.payment.id, amount: order.payment.amount }
      const paying = { account: open.account, attempt, now: new Date(clock.now()), ...(amount && { amount }) }
      for (const notice of simulatePay(paying, scenario)) await payments.receiveNotice('simulator', accountId, notice)
      await settle()
    },
    async report(orgId: OrgId, reports: readonly unknown[]) {
      const { id } = await database.one<{ id: string }>`select id from channel_numbers where org_id = ${orgId}`
      await database.transaction((tx) => channels.appendToJournal(tx, { orgId, id }, batchOf(reports)))
      await settle()
    },
    async advance(seconds: number) {
      clock.advance(seconds * 1000)
      await settle()
    },
    async messagesTo(orgId: OrgId, phone: string) {
      const { status, json } = await call(orgId, 'GET', `/chats/${encodeURIComponent(phone)}`)
      const messages: Json[] = status === 404 ? [] : json.messages.data
      return messages.filter(({ direction }: Json) => direction === 'outbound').toReversed()
    },
  }
}
