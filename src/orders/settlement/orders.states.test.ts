import { expect, test } from 'bun:test'
import { unreachableStates } from '../../kernel/states.ts'
import { isPaymentMove, paymentStates, refundStates } from '../../payments/attempts/payments.states.ts'
import { orderStates } from './orders.states.ts'

test('every state of an order is reachable, and only the intended states are final', () => {
  for (const states of [orderStates, paymentStates, refundStates]) expect(unreachableStates(states)).toEqual([])
  expect(orderStates.final).toEqual(['completed', 'cancelled'])
  expect(paymentStates.final).toEqual(['reversed'])
  expect(refundStates.final).toEqual(['succeeded'])
})

test('a paid payment can only be reversed, and no payment moves to a lower rank', () => {
  expect(paymentStates.all.filter((to) => isPaymentMove('paid', to))).toEqual(['reversed'])
  expect(paymentStates.all.filter((to) => isPaymentMove('reversed', to))).toEqual([])
  for (const over of ['failed', 'expired', 'cancelled'] as const)
    expect(paymentStates.all.filter((to) => isPaymentMove(over, to))).toEqual(['paid'])
  expect(paymentStates.all.filter((to) => isPaymentMove('created', to))).toEqual(['pending', 'failed', 'paid'])
})

test('an order moves exactly as the reference page shows', () => {
  expect(orderStates.moves.map(({ from, to }) => `${from} → ${to}`)).toEqual([
    'draft → pending_payment',
    'draft → cancelled',
    'pending_payment → confirmed',
    'pending_payment → expired',
    'pending_payment → cancelled',
    'confirmed → processing',
    'confirmed → cancelled',
    'processing → completed',
    'processing → cancelled',
    'expired → confirmed',
  ])
})
