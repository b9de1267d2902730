import { changeOrganization, createOrganizationProfiles } from '../../src/accounts/organizations/organizations.ts'
import { listEvents } from '../../src/events/event-feed.ts'
import { newId, type OrgId } from '../../src/kernel/ids.ts'
import { allOrderRoutes, createOrders, type Orders } from '../../src/orders/orders.ts'
import {
  createPaymentAccount,
  createPaymentAccountSource,
  type PaymentAccountSource,
  type PaymentAccountsContext,
} from '../../src/payments/accounts/accounts.ts'
import {
  createPaymentProviders,
  type PaymentProvider,
  type PaymentProviders,
} from '../../src/payments/connectors/connectors.ts'
import { createPayments, type Payments } from '../../src/payments/payments.ts'
import { ensurePartitions } from '../../src/platform/database/daily-partitions.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { createSecretBox, deriveKey } from '../../src/platform/database/secret-box.ts'
import { createOutbox, type Outbox } from '../../src/platform/outbox/outbox.ts'
import type { Log } from '../../src/platform/telemetry/log.ts'
import { productRoutes } from '../../src/products/products.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { duringTests } from './during-tests.ts'
import { loopbackEgress } from './egress.ts'
import { quietLog } from './log.ts'
import { anOrganization } from './makers.ts'
import { createTestApi } from './public-api.ts'
import { createScriptedProvider, SCRIPTED_TOKEN, type ScriptedProvider, scriptedNotice } from './scripted-payments.ts'
import { until } from './until.ts'
import { type ApiReply, type CallOptions, type Json, type MovableClock, movableClock, readReply } from './webhooks.ts'

/**
 * Orders and payments as they run, without the other parts of the app: the public API with their routes, the outbox with their
 * jobs, real payment accounts for the simulator and for manual methods, and a scripted provider in the place of Xendit.
 */
export type OrdersBench = TestDatabase & {
  orders: Orders
  payments: Payments
  accounts: PaymentAccountSource
  outbox: Outbox
  clock: MovableClock
  remote: ScriptedProvider
  /** Every order whose status changed. */
  moves: { number: number; before: string | null; after: string }[]
  call(orgId: OrgId, method: string, path: string, options?: CallOptions): Promise<ApiReply>
  /** With these accounts, in this order. */
  anOrg(providers?: PaymentProvider[], settings?: Record<string, unknown>): Promise<OrgId>
  anAccount(orgId: OrgId, provider: PaymentProvider, settings?: Record<string, string>): Promise<string>
  /** Created through the API. */
  anOrder(orgId: OrgId, fields?: Record<string, unknown>): Promise<Json>
  getOrder(orgId: OrgId, id: string): Promise<Json>
  /** Delivers a notification of the scripted provider and waits until it was applied. */
  sendNotice(orgId: OrgId, ...notice: Parameters<typeof scriptedNotice>): Promise<{ status: number; body: string }>
  /** Time passes, and whatever became due is done. */
  advance(seconds: number): Promise<void>
  /** Everything that is due in the outbox has been done. */
  settle(): Promise<void>
  /** What the books say, checked against the rows: throws where they differ. */
  checkBooks(orgId: OrgId): Promise<void>
  eventTypes(orgId: OrgId): Promise<string[]>
  /** What the newest event of this type says of the time before it. */
  previousOf(orgId: OrgId, type: string): Promise<unknown>
}

const TRANSFER = {
  transfer_bank: 'BCA',
  transfer_account_number: '1234567890',
  transfer_account_holder: 'Warung Contoh',
}

export const useOrders = (options: { answerTimeoutMs?: number; daysAhead?: number } = {}): OrdersBench =>
  duringTests('orders', async () => {
    const db = await createTestDatabase()
    const { bench, stop } = await startOrders(db, options)
    return { value: bench, stop: () => stop().then(db.close) }
  })

const DAY_MS = 86_400_000

/** A failure of ours is never expected here, so its cause is shown. */
const errorLog: Log = { ...quietLog, error: (fields, message) => console.error(message, fields) }

async function startOrders(
  db: TestDatabase,
  { daysAhead = 6, answerTimeoutMs }: { daysAhead?: number; answerTimeoutMs?: number } = {},
) {
  const { database } = db
  const clock = movableClock()
  for (let day = 0; day <= daysAhead; day++)
    await ensurePartitions(
      database,
      { table: 'events', idPrefix: 'evt', retentionDays: 30 },
      clock.now() + day * DAY_MS,
    )
  const remote = createScriptedProvider()
  const providers: PaymentProviders = { ...createPaymentProviders({ clock }), xendit: remote, midtrans: remote }
  const secretBox = createSecretBox(deriveKey('a secret for tests', 'payment accounts'))
  const accountOptions = {
    database,
    clock,
    secretBox,
    providers,
    egress: loopbackEgress,
    publicUrl: 'http://localhost:3900',
  }
  const accounts = createPaymentAccountSource(accountOptions)
  const moves: OrdersBench['moves'] = []
  const payments = createPayments({
    database,
    clock,
    log: errorLog,
    accounts,
    follower: { lockOrder: (...of) => orders.follower.lockOrder(...of) },
    publicUrl: 'http://localhost:3900',
    payTokenKey: deriveKey('a secret for tests', 'pay pages'),
    wake: (orgIds) => outbox.wake(orgIds),
  })
  const orders: Orders = createOrders({
    database,
    clock,
    profiles: createOrganizationProfiles(database),
    payments,
    ...(answerTimeoutMs !== undefined && { answerTimeoutMs }),
    onOrderMoved: async (_, order, before) => {
      moves.push({ number: order.number, before: before?.status ?? null, after: order.status })
    },
  })
  const outbox = createOutbox({
    database,
    jobs: [...payments.jobs, ...orders.jobs],
    clock,
    log: errorLog,
    processId: newId('prc'),
    pace: { scoutEveryMs: 20, drainMs: 500 },
  })
  const parts = [payments, orders, outbox]
  for (const part of parts) await part.start()
  const own = { orders, payments, accounts, outbox, clock, remote, moves }
  return {
    bench: { ...db, ...own, ...makers(database, own, accountOptions) } satisfies OrdersBench,
    async stop() {
      for (const part of parts.toReversed()) await part.stop()
    },
  }
}

type Own = Pick<OrdersBench, 'orders' | 'payments' | 'accounts' | 'outbox' | 'clock'>

function makers(database: Database, own: Own, accountOptions: PaymentAccountsContext) {
  const { orders, payments, outbox, clock } = own
  const routes = [...allOrderRoutes(orders), ...productRoutes(orders.context)]
  const api = createTestApi({ database, clock, routes, log: errorLog })
  const call: OrdersBench['call'] = async (orgId, method, path, options = {}) =>
    readReply(await api(method, path, { orgId, ...options }))
  const anAccount = async (orgId: OrgId, provider: PaymentProvider, settings: Record<string, string> = {}) => {
    const credentials: Record<string, string> =
      provider === 'xendit' || provider === 'midtrans' ? { callback_token: SCRIPTED_TOKEN } : {}
    const account = await database.transaction((tx) =>
      createPaymentAccount(accountOptions, tx, orgId, {
        provider,
        credentials,
        settings: { ...(provider === 'manual' && TRANSFER), ...settings },
        default_methods: [],
      }),
    )
    return account.id
  }
  const getOrder = async (orgId: OrgId, id: string) => (await call(orgId, 'GET', `/orders/${id}`)).json
  const settle = async () => {
    outbox.wake()
    await until(async () => {
      // What became due in this very millisecond lies ahead of a clock that counts whole ones.
      const now = new Date(clock.now())
      const { due } = await database.one<{ due: number }>`
        select count(*)::int as due from outbox_entries where due_at <= greatest(${now}, clock_timestamp())`
      return due === 0
    })
  }
  return {
    call,
    anAccount,
    getOrder,
    settle,
    async anOrg(providers: PaymentProvider[] = ['simulator', 'manual'], settings: Record<string, unknown> = {}) {
      const orgId = (await anOrganization(database)).id as OrgId
      await database.transaction((tx) => changeOrganization(tx, orgId, { settings }))
      for (const provider of providers) await anAccount(orgId, provider)
      return orgId
    },
    async anOrder(orgId: OrgId, fields: Record<string, unknown> = {}) {
      const reply = await call(orgId, 'POST', '/orders', { json: { billingType: 'qris', amount: 25_000, ...fields } })
      if (reply.status !== 201) throw new Error(`no order: ${JSON.stringify(reply.json)}`)
      return reply.json
    },
    async sendNotice(orgId: OrgId, ...of: Parameters<typeof scriptedNotice>) {
      const { id } = await database.one<{ id: string }>`
        select id from payment_accounts where org_id = ${orgId} and provider = 'xendit'`
      const answer = await payments.receiveNotice('xendit', id, scriptedNotice(...of))
      await settle()
      return answer
    },
    async advance(seconds: number) {
      clock.advance(seconds * 1000)
      await settle()
    },
    checkBooks: (orgId: OrgId) => checkBooks(database, orgId),
    async eventTypes(orgId: OrgId) {
      const rows = await database.many<{ type: string }>`
        select type from events where org_id = ${orgId} order by sequence`
      return rows.map(({ type }) => type)
    },
    async previousOf(orgId: OrgId, type: string) {
      const [event] = await listEvents(database, orgId, { types: [type], limit: 1 })
      return event === undefined ? undefined : JSON.parse(event.body).previous
    },
  }
}

/** The equations: rows are the sums of the books, orders the sums of their payments, and nothing is refunded twice. */
async function checkBooks(database: Database, orgId: OrgId): Promise<void> {
  const wrong = await database.many`
    select payments.id, payments.order_id, amount_paid, amount_refunded, amount_reversed, booked.*
    from payments left join lateral (
      select coalesce(sum(amount) filter (where kind = 'capture'), 0)::bigint as captured,
        coalesce(-sum(amount) filter (where kind = 'refund'), 0)::bigint as refunded,
        coalesce(-sum(amount) filter (where kind = 'reversal'), 0)::bigint as reversed
      from payment_ledger ledger where ledger.org_id = payments.org_id and ledger.payment_id = payments.id) booked on true
    where payments.org_id = ${orgId}
      and (amount_paid, amount_refunded, amount_reversed) is distinct from (captured, refunded, reversed)`
  const unbalanced = await database.many`
    select orders.id, orders.amount_paid, orders.amount_returned, booked.*
    from orders left join lateral (
      select coalesce(sum(amount), 0)::bigint as ledger from payment_ledger ledger
      where ledger.org_id = orders.org_id and ledger.order_id = orders.id) booked on true
    where orders.org_id = ${orgId} and orders.amount_paid - orders.amount_returned <> booked.ledger`
  if (wrong.length + unbalanced.length > 0)
    throw new Error(`the books differ: ${JSON.stringify({ wrong, unbalanced })}`)
}
