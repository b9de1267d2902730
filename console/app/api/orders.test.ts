import { expect, test } from 'bun:test'
import { isPaidOnce as isPaidOnceByServer, paymentStatusOf } from '../../../src/orders/payment-status.ts'
import { isPaidOnce, type OrderWithPayments, orderCan, orderStatuses, type Payment } from './orders.ts'

type Money = { total: number | null; paid: number; refunded: number; reversed: number }

const anOrder = (status: OrderWithPayments['status'], { total, paid, refunded, reversed }: Money) =>
  ({
    status,
    total,
    payment_status: paymentStatusOf({ total, paid, returned: refunded + reversed, hasLiveAttempt: false }),
    amount_paid: paid,
    amount_returned: refunded + reversed,
    payments: [{ amount_reversed: reversed } as Payment],
  }) as OrderWithPayments

const AMOUNTS = [0, 40, 60, 100, 160]

/** Every way in which some of it came, was given back, and was taken back. */
const cases = [null, 0, 100].flatMap((total) =>
  AMOUNTS.flatMap((paid) =>
    AMOUNTS.flatMap((refunded) => AMOUNTS.map((reversed) => ({ total, paid, refunded, reversed }))),
  ).filter(({ paid, refunded, reversed }) => refunded + reversed <= paid),
)

test('whether an order has been paid once is judged as the server does', () => {
  for (const money of cases) {
    const { total, paid, refunded, reversed } = money
    const byServer = isPaidOnceByServer({ total, paid, returned: refunded + reversed, reversed })
    expect([money, isPaidOnce(anOrder('confirmed', money))]).toEqual([money, byServer])
  }
})

test('another attempt is offered for money that a bank took back, in every state in which the order still stands', () => {
  const takenBack = { total: 100, paid: 100, refunded: 0, reversed: 100 }
  expect(orderStatuses.filter((status) => orderCan.pay(anOrder(status, takenBack)))).toEqual([
    'draft',
    'pending_payment',
    'confirmed',
    'processing',
    'completed',
  ])
})

test('none is offered for money that was given back on purpose', () => {
  expect(orderCan.pay(anOrder('completed', { total: 100, paid: 100, refunded: 100, reversed: 0 }))).toBe(false)
  expect(orderCan.pay(anOrder('confirmed', { total: 100, paid: 160, refunded: 60, reversed: 0 }))).toBe(false)
})
