import '../app.ts'
import { getOrganizationBySlug, listOrganizations, type Organization } from '../accounts/organizations/organizations.ts'
import { paymentAccountsContext } from '../boot/capabilities.ts'
import { loadSecretKey } from '../boot/secret-key.ts'
import { configuredEgress } from '../boot/settings.ts'
import type { Config } from '../config.ts'
import { systemClock } from '../kernel/clock.ts'
import { StartError } from '../kernel/errors.ts'
import { newId, type OrgId } from '../kernel/ids.ts'
import { publicUrlOf } from '../main.ts'
import { findNewestOrder, findOrderByName } from '../orders/orders/orders.ts'
import type { Order } from '../orders/orders-context.ts'
import { createPaymentAccountSource } from '../payments/accounts/accounts.ts'
import { countWaitingNotices } from '../payments/notifications/notifications.ts'
import type { PaymentAccount, RawNotice } from '../payments/payment-connector.ts'
import { createPayments, listPayments, listRefunds, type Payments } from '../payments/payments.ts'
import type { PaymentRow, RefundRow } from '../payments/payments-context.ts'
import type { Database } from '../platform/database/database.ts'
import { deriveKey } from '../platform/database/secret-box.ts'
import { openWakeUps } from '../platform/outbox/wake-ups.ts'
import { createLog } from '../platform/telemetry/log.ts'
import { type CommandValues, UsageError } from './framework/command.ts'
import { withDatabase } from './framework/connection.ts'

/**
 * The simulated payment network for a command. Its notifications take the same path as those of a real provider: they are verified and
 * journaled, and a running server is woken and applies them like any other notification.
 */
export type PaymentStage = {
  organization: Organization
  payment: PaymentRow
  account: PaymentAccount
  /** Returns the answer that the provider would have received. */
  post(notice: RawNotice): Promise<NoticeResult>
  look(): Promise<Seen>
  /** Waits until every notification was applied, or until it is clear that no server runs. */
  wait(): Promise<Seen>
}

export type NoticeResult = { status: number; answer: string }
/** The state at that moment. */
export type Seen = { order: Order; payment: PaymentRow; refunds: RefundRow[]; isWaiting: boolean }

export function withPaymentStage<Result>(
  values: CommandValues,
  work: (stage: PaymentStage) => Promise<Result>,
): Promise<Result> {
  return withDatabase(async (database, config) => {
    const wakeUps = openWakeUps({ database, processId: newId('prc'), log: createLog('warn') })
    try {
      const payments = await createNotifications(database, config, (orgIds) => wakeUps.send(orgIds))
      return await work(await setStage(database, payments, values))
    } finally {
      await wakeUps.close()
    }
  })
}

/** Notifications are only journaled here; the server that applies them moves the order. */
async function createNotifications(
  database: Database,
  config: Config,
  wake: (orgIds: readonly OrgId[]) => void,
): Promise<Payments> {
  const secretKey = await loadSecretKey(database, config)
  const common = { database, clock: systemClock, publicUrl: publicUrlOf(config), egress: configuredEgress(config) }
  const accounts = createPaymentAccountSource(paymentAccountsContext({ ...common, secretKey }))
  const notHere = () => {
    throw new Error('a command moves no payment')
  }
  return createPayments({
    ...{ ...common, accounts, wake, log: createLog('silent') },
    follower: { lockOrder: notHere },
    payTokenKey: deriveKey(secretKey, 'pay pages'),
  })
}

async function setStage(database: Database, payments: Payments, values: CommandValues): Promise<PaymentStage> {
  const { organization, order } = await chooseOrder(database, values)
  const { id: orgId } = organization
  const payment = choosePayment(await listPayments(database, orgId, order.id), order, values.payment)
  const open = await payments.context.accounts.open(orgId, payment.account_id)
  if (open === null) throw new StartError(`The payment account ${payment.account_id} no longer exists.`)
  const { account } = open
  // Pending notifications are counted first, so that what is read afterwards is not older than the count.
  const look = async (): Promise<Seen> => {
    const { count } = await countWaitingNotices(database, orgId, payment.id)
    return {
      isWaiting: count > 0,
      order: (await findOrderByName(database, orgId, order.id)) ?? order,
      payment: (await listPayments(database, orgId, order.id)).find(({ id }) => id === payment.id) ?? payment,
      refunds: await listRefunds(database, orgId, order.id),
    }
  }
  return {
    ...{ organization, payment, account, look },
    async post(notice) {
      const { status, body } = await payments.receiveNotice('simulator', account.id, notice)
      return { status, answer: JSON.parse(body).status }
    },
    wait: () => waitUntilApplied(look),
  }
}

const WAIT_MS_MAX = 5_000
const LOOK_EVERY_MS = 50

async function waitUntilApplied(look: () => Promise<Seen>): Promise<Seen> {
  const deadline = performance.now() + WAIT_MS_MAX
  let seen = await look()
  while (seen.isWaiting && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    seen = await look()
  }
  return seen
}

type Chosen = { organization: Organization; order: Order }

const LATEST = 'latest'

/** An id is unique everywhere; a number only within its organization. The latest order is that of all organizations. */
async function chooseOrder(database: Database, values: CommandValues): Promise<Chosen> {
  const name = String(values.order)
  const organizations =
    values.org === undefined
      ? await listOrganizations(database)
      : [await getOrganizationBySlug(database, String(values.org))]
  const found: Chosen[] = []
  for (const organization of organizations) {
    const order = await (name === LATEST
      ? findNewestOrder(database, organization.id)
      : findOrderByName(database, organization.id, name))
    if (order !== null) found.push({ organization, order })
  }
  if (name === LATEST) found.sort((one, other) => (one.order.id < other.order.id ? 1 : -1)).splice(1)
  const [first, ...others] = found
  if (first === undefined)
    throw new StartError(
      name === LATEST
        ? 'There are no orders yet. Create one with POST /orders.'
        : `There is no order ${name}. Give its id (ord_…), its number, or "latest".`,
    )
  if (others.length === 0) return first
  const slugs = found.map(({ organization }) => organization.slug).slice(0, 10)
  throw new UsageError(`Several organizations have an order ${name}. Choose one with --org ${slugs.join(' | ')}`)
}

function choosePayment(payments: readonly PaymentRow[], order: Order, wanted: CommandValues[string]): PaymentRow {
  const id = wanted ?? order.payment_id
  const payment = payments.find((one) => one.id === id)
  if (payment === undefined)
    throw new StartError(
      wanted === undefined
        ? `Order ${order.number} has no payment yet. Create one with POST /orders/${order.id}/payments.`
        : `Order ${order.number} has no payment ${wanted}. Its payments: ${payments.map((one) => one.id).join(', ') || 'none'}.`,
    )
  if (payment.provider === 'simulator') return payment
  const instead = payment.provider === 'manual' ? ` Use POST /orders/${order.id}/mark-paid.` : ''
  throw new StartError(
    `Order ${order.number} is paid through ${payment.provider}. Only payments of the simulator can be simulated.${instead}`,
  )
}
