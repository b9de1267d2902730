import { beforeEach, expect, test } from 'bun:test'
import { useOrders } from '../../test/support/orders.ts'
import { createRandom, type Random } from '../../test/support/random.ts'
import { reportOf } from '../../test/support/scripted-payments.ts'
import type { Json } from '../../test/support/webhooks.ts'
import type { Id, OrgId } from '../kernel/ids.ts'
import type { KnownAttempt, PaymentReport } from '../payments/payment-connector.ts'
import { applyReportAlone } from '../payments/payment-moves.ts'
import { paymentStatusOf } from './payment-status.ts'

/**
 * The same stories as in order-books.test.ts, in PostgreSQL and with several things happening to one order at once: what
 * providers say, what staff do, and time. When all is quiet again the books hold.
 */
const shop = useOrders()
beforeEach(() => shop.remote.reset())

const STORIES = 150
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

async function tell({ orgId, order }: Target, payment: Json, fields: Partial<PaymentReport>): Promise<number> {
  const place = { org_id: orgId, id: payment.id as Id<'pay'>, order_id: order.id }
  await applyReportAlone(shop.payments.context, place, { report: reportOf(known(payment), fields), source: 'notice' })
  return 200
}

function something(target: Target, payments: Json[]): Promise<unknown> {
  const { random } = target
  const payment = random.pick(payments)
  const amount = payment.amount ?? 5000
  switch (random.below(10)) {
    case 0:
      return tell(target, payment, { state: random.pick(['failed', 'expired', 'cancelled', 'pending'] as const) })
    case 1:
      return tell(target, payment, { state: 'paid', amountPaid: amount - 500 })
    case 2:
    case 3:
      return tell(target, payment, { state: 'paid', amountPaid: 4000, captureId: `c${random.below(3)}` })
    case 4:
      return tell(target, payment, { state: 'reversed', amountPaid: amount })
    case 5:
      return act(target, 'cancel')
    case 6:
      return act(
        target,
        'refunds',
        random.isLucky(0.5) ? { manual: true, note: 'by hand', amount: 1000 } : { amount: 2000 },
      )
    case 7:
      return act(target, 'payments', { method: random.pick(['qris', 'virtual_account', 'cash']) })
    default:
      return tell(target, payment, { state: 'paid' })
  }
}

async function play(orgId: OrgId, seed: number): Promise<string> {
  const random = createRandom(seed)
  const fields = { billingType: random.pick(['qris', 'virtual_account']), amount: 1000 * (10 + random.below(10)) }
  const target = { orgId, order: await shop.anOrder(orgId, fields), random }
  for (let round = 0; round < 2; round++) {
    const { payments } = await shop.getOrder(orgId, target.order.id)
    const remote = payments.filter((payment: Json) => payment.provider === 'simulator')
    const replies = await Promise.all(Array.from({ length: 3 }, () => something(target, remote)))
    for (const reply of replies) expect((reply as { status?: number }).status ?? 200).toBeLessThan(500)
  }
  return target.order.id
}

test('a hundred and fifty orders, each with several things happening at once, end with books that hold', async () => {
  const policies = ['accept', 'review', 'refund']
  const orgs = await Promise.all(policies.map((late_payment) => shop.anOrg(['simulator', 'manual'], { late_payment })))
  for (let first = 1; first <= STORIES; first += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => play(orgs[(first + index) % 3] as OrgId, first + index)),
    )
  await shop.settle()
  for (const orgId of orgs) {
    await shop.checkBooks(orgId)
    const rows = await shop.database.many<{
      number: number
      status: string
      total: number
      amount_paid: number
      amount_returned: number
      payment_status: string
      live: boolean
      promised: number
    }>`
      select number, status, total, amount_paid, amount_returned, payment_status,
        exists (select from payments where payments.org_id = orders.org_id and order_id = orders.id
          and payments.status in ('created', 'pending')) as live,
        (select coalesce(sum(amount), 0)::bigint from refunds where refunds.org_id = orders.org_id
          and order_id = orders.id and refunds.status = 'succeeded') as promised
      from orders where org_id = ${orgId} order by number`
    for (const row of rows) {
      const sums = { total: row.total, paid: row.amount_paid, returned: row.amount_returned, hasLiveAttempt: row.live }
      expect([row.number, row.payment_status]).toEqual([row.number, paymentStatusOf(sums)])
      expect(row.promised).toBeLessThanOrEqual(row.amount_paid)
      if (row.amount_paid > 0) expect(row.status).not.toBe('draft')
    }
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => 1001 + index))
    expect(rows.some(({ payment_status }) => payment_status === 'paid')).toBe(true)
  }
}, 60_000)
