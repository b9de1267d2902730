import { beforeAll, beforeEach, expect, test } from 'bun:test'
import { useOrders } from '../../../test/support/orders.ts'
import { createRandom, type Random } from '../../../test/support/random.ts'
import { reportOf } from '../../../test/support/scripted-payments.ts'
import type { Json } from '../../../test/support/webhooks.ts'
import { getProfile } from '../../accounts/organizations/organizations.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { applyReportAlone } from '../../payments/attempts/attempts.ts'
import type { KnownAttempt, PaymentReport } from '../../payments/payment-connector.ts'
import { listMoney, listPayments, listRefunds } from '../../payments/payments.ts'
import { viewPayPage } from '../../surfaces/pay/pay-view.ts'
import { dueNotices } from '../notices/due-notices.ts'
import { type OrderRow, orderColumns } from '../orders/orders.sql.ts'
import { findPayPage } from '../pay-page/pay-page.sql.ts'
import { createPayPageSource, type PayPageSource } from '../pay-page/pay-page.ts'
import { booksOf, isSettled, settle } from './settlement.ts'

/**
 * Random sequences as in money-conservation.test.ts, in PostgreSQL and with several concurrent changes of one order: reports of
 * providers, actions of staff, and time. The books are checked when all changes are done.
 */
const shop = useOrders()
beforeEach(() => shop.remote.reset())
let page: PayPageSource
beforeAll(() => {
  page = createPayPageSource(shop.orders.context)
})

/** `NEXKIT_INTERLEAVINGS=10000` runs as many. */
const STORIES = Number(process.env.NEXKIT_INTERLEAVINGS ?? 150)
const AT_ONCE = 10

type Target = { orgId: OrgId; order: Json; random: Random }

const known = (payment: Json): KnownAttempt => ({
  id: payment.id,
  providerId: `scripted_${payment.id}`,
  method: payment.method,
  bank: payment.bank,
  amount: payment.amount,
})

const act = ({ orgId, order }: Target, action: string, json?: unknown) =>
  shop.call(orgId, 'POST', `/orders/${order.id}/${action}`, json === undefined ? {} : { json })

async function report({ orgId, order }: Target, payment: Json, fields: Partial<PaymentReport>): Promise<number> {
  const place = { org_id: orgId, id: payment.id as Id<'pay'>, order_id: order.id }
  await applyReportAlone(shop.payments.context, place, { report: reportOf(known(payment), fields), source: 'notice' })
  return 200
}

const METHODS = ['qris', 'virtual_account', 'ewallet', 'card', 'retail', 'cash']
const WAYS = ['qris', 'virtual_account:bni', 'ewallet:gopay', 'ewallet:dana', 'card:credit_card', 'retail:indomaret']

/** The payer chooses on the page, or changes their mind. */
function choose({ orgId, order, random }: Target): Promise<unknown> {
  const [method = '', channel = null] = random.pick(WAYS).split(':')
  return page.pay({ orgId, id: order.id }, { method, channel, phone: null })
}

const BY_HAND = { manual: true, note: 'by hand' }

function something(target: Target, payments: Json[]): Promise<unknown> {
  const { random } = target
  const payment = random.pick(payments)
  const amount = payment.amount ?? 5000
  switch (random.below(14)) {
    case 0:
      return report(target, payment, { state: random.pick(['failed', 'expired', 'cancelled', 'pending'] as const) })
    case 1:
      return report(target, payment, { state: 'paid', amountPaid: amount + random.pick([-500, 500]) })
    case 2:
    case 3:
      return report(target, payment, { state: 'paid', amountPaid: 4000, captureId: `c${random.below(3)}` })
    case 4:
      return report(target, payment, { state: 'reversed', amountPaid: amount })
    case 5:
      return act(target, 'cancel')
    case 6:
      return act(target, 'refunds', random.pick([{ ...BY_HAND, amount: 1000 }, { amount: 2000 }, BY_HAND, BY_HAND]))
    case 7:
    case 8:
      return target.order.billingType === 'choice'
        ? choose(target)
        : act(target, 'payments', { method: random.pick(METHODS) })
    case 9:
      return report(target, payment, { state: 'reversed', amountPaid: amount, amountReversed: 1000 * random.below(6) })
    case 10:
      return report(target, payment, { state: 'paid', amountPaid: amount, paymentId: `p${random.below(2)}` })
    case 11:
      return act(target, 'review', { decision: random.pick(['accept', 'dismiss']) })
    case 12:
      return act(target, random.pick(['process', 'complete']))
    default:
      return report(target, payment, { state: 'paid' })
  }
}

const BILLING_TYPES = ['qris', 'virtual_account', 'ewallet', 'card', 'retail', 'choice', 'choice']

async function play(orgId: OrgId, seed: number): Promise<string> {
  const random = createRandom(seed)
  const fields = { billingType: random.pick(BILLING_TYPES), amount: 1000 * (10 + random.below(10)) }
  const target = { orgId, order: await shop.anOrder(orgId, fields), random }
  for (let round = 0; round < 3; round++) {
    const { payments } = await shop.getOrder(orgId, target.order.id)
    const remote = payments.filter((payment: Json) => payment.provider === 'simulator')
    // Nothing can be reported before the payer has chosen.
    if (remote.length === 0) {
      await Promise.all([choose(target), choose(target)])
      continue
    }
    const replies = await Promise.all(Array.from({ length: 3 }, () => something(target, remote)))
    for (const reply of replies) expect((reply as { status?: number } | null)?.status ?? 200).toBeLessThan(500)
  }
  return target.order.id
}

/** The notice about money that the chat would send now, with no notice sent before. */
async function chatOf(order: OrderRow): Promise<string | null> {
  const [payments, refunds] = await Promise.all([
    listPayments(shop.database, order.org_id, order.id),
    listRefunds(shop.database, order.org_id, order.id),
  ])
  const due = dueNotices({ order, payments, refunds, sent: [], hasReminders: false, nowMs: shop.clock.now() })
  return due.map(({ kind }) => kind).find((kind) => !['instructions', 'announced', 'refunded'].includes(kind)) ?? null
}

async function pageOf({ org_id: orgId, id }: OrderRow): Promise<string> {
  const row = await findPayPage(shop.database, orgId, { orderId: id })
  if (row === null) throw new Error(`${id} has no pay page`)
  return viewPayPage({ row, ways: [], profile: await getProfile(shop.database, orgId) }, shop.clock.now()).state
}

const eventsOf = async ({ org_id, id }: OrderRow): Promise<Json[]> =>
  (
    await shop.database.many<{ body: string }>`
      select body from events where org_id = ${org_id} and subject = ${id} order by sequence`
  ).map(({ body }) => JSON.parse(body))

/** The states of the pay page that each notice allows. Null means that no notice about money is due. */
const PAGES: Record<string, readonly string[]> = {
  partly_paid: ['partly_paid'],
  paid: ['paid'],
  reversed: ['reversed'],
  late: ['late', 'cancelled'],
  expired: ['expired'],
  null: ['preparing', 'choosing', 'payable', 'failed', 'expired', 'refunded', 'reversed', 'cancelled', 'late'],
}

/** Chat, pay page, order and events never contradict each other. */
async function expectAgreement(order: OrderRow): Promise<string> {
  const [chat, page, events, shown] = await Promise.all([
    chatOf(order),
    pageOf(order),
    eventsOf(order),
    shop.getOrder(order.org_id, order.id),
  ])
  const names = events.map(({ type }) => type)
  const about = { number: order.number, status: order.status, payment_status: order.payment_status, chat, page, names }
  const isPaid = ['paid', 'overpaid', 'partially_paid', 'partially_refunded'].includes(order.payment_status)
  expect([about, PAGES[String(chat)]?.includes(page)]).toEqual([about, true])
  if (page === 'paid') expect([about, isPaid, names.includes('order.paid')]).toEqual([about, true, true])
  if (page === 'paid') expect(['confirmed', 'processing', 'completed']).toContain(order.status)
  if (page === 'partly_paid') expect([about, (order.amount_remaining ?? 0) > 0]).toEqual([about, true])
  // An order is confirmed when its payments reach the total, in any number of parts.
  if (order.status === 'pending_payment') expect([about, isSettled(order)]).toEqual([about, false])
  if (page === 'reversed') expect([about, order.payment_status]).toEqual([about, 'reversed'])
  expect([about, shown.payment_status]).toEqual([about, order.payment_status])
  if (page === 'paid') expect([about, shown.payment.amount_paid > 0]).toEqual([about, true])
  for (const { status, amount_paid, amount_refunded, amount_reversed } of shown.payments)
    if (amount_paid > amount_refunded + amount_reversed) expect([about, status]).not.toEqual([about, 'cancelled'])
  return page
}

test(
  'chat, pay page, order and events agree when orders of every method receive several concurrent changes',
  async () => {
    const policies = ['accept', 'review', 'refund']
    const orgs = await Promise.all(
      policies.map((late_payment) => shop.anOrg(['simulator', 'manual'], { late_payment })),
    )
    for (let first = 1; first <= STORIES; first += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) => play(orgs[(first + index) % 3] as OrgId, first + index)),
      )
    await shop.settle()
    const pages = new Set<string>()
    for (const orgId of orgs) {
      await shop.checkBooks(orgId)
      const rows = await shop.database.many<OrderRow>`
      select ${orderColumns(shop.database)} from orders where org_id = ${orgId} order by number`
      for (const row of rows) {
        const payments = await listPayments(shop.database, orgId, row.id)
        const refunds = await listRefunds(shop.database, orgId, row.id)
        const books = booksOf({ row, payments, ledger: await listMoney(shop.database, orgId, row.id) })
        const settlement = settle(books, row.accepted_at !== null)
        expect(row).toMatchObject(settlement)
        const given = refunds
          .filter(({ status }) => status === 'succeeded')
          .reduce((sum, { amount }) => sum + amount, 0)
        expect(given).toBeLessThanOrEqual(row.amount_paid)
        if (row.amount_paid > 0) expect(row.status).not.toBe('draft')
        pages.add(await expectAgreement(row))
      }
      expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => 1001 + index))
      expect(rows.some(({ payment_status }) => payment_status === 'paid')).toBe(true)
    }
    // Enough sequences confirm or pay an order.
    for (const page of ['paid', 'partly_paid', 'reversed', 'refunded']) expect([...pages]).toContain(page)
  },
  60_000 + STORIES * 200,
)
