import { expect, test } from 'bun:test'
import { leftAfter, paymentStatusOf } from '../../../src/orders/payment-status.ts'
import { leftOf, type Movement, type OrderWithPayments, orderCan, orderStatuses, type Payment } from './orders.ts'

type Money = { total: number | null; paid: number; refunded: number; reversed: number }

const movement = (kind: Movement['kind'], amount: number): Movement => ({
  payment_id: 'pay_1',
  kind,
  amount: kind === 'capture' ? amount : -amount,
  note: null,
})

const anOrder = (status: OrderWithPayments['status'], { total, paid, refunded, reversed }: Money) =>
  ({
    status,
    total,
    payment_status: paymentStatusOf({ total, paid, returned: refunded + reversed, hasLiveAttempt: false }),
    amount_paid: paid,
    amount_returned: refunded + reversed,
    payments: [{ amount_reversed: reversed } as Payment],
    ledger: [movement('capture', paid), movement('refund', refunded), movement('reversal', reversed)],
  }) as OrderWithPayments

const AMOUNTS = [40, 60, 100]

/** Every story of up to four movements. */
const stories = Array.from({ length: 4 }).reduce<Movement[][]>(
  (known) => [
    ...known,
    ...known.flatMap((story) =>
      (['capture', 'refund', 'reversal'] as const).flatMap((kind) =>
        AMOUNTS.map((amount) => [...story, movement(kind, amount)]),
      ),
    ),
  ],
  [[]],
)

test('what is left to be paid is reckoned as the server does', () => {
  for (const ledger of stories)
    expect([ledger, leftOf({ total: 100, ledger })]).toEqual([ledger, leftAfter(100, ledger)])
  expect(leftOf({ total: null, ledger: [movement('capture', 40)] })).toBeNull()
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
