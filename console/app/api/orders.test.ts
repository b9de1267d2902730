import { expect, test } from 'bun:test'
import { type Order, orderCan, orderStatuses } from './orders.ts'

const anOrder = (fields: Partial<Order>) => ({ total: 100, amount_remaining: 0, ...fields }) as Order

test('another attempt is offered when money that a bank reversed is due, in every state in which the order goes on', () => {
  const reversed = { payment_status: 'reversed', amount_remaining: 100 } as const
  expect(orderStatuses.filter((status) => orderCan.pay(anOrder({ status, ...reversed })))).toEqual([
    'draft',
    'pending_payment',
    'confirmed',
    'processing',
    'completed',
  ])
  const open = { total: null, amount_remaining: null, status: 'confirmed' } as const
  expect(orderCan.pay(anOrder({ ...open, payment_status: 'reversed' }))).toBe(true)
  expect(orderCan.pay(anOrder({ ...open, payment_status: 'partially_refunded' }))).toBe(false)
})

test('no attempt is offered when money was refunded on purpose', () => {
  expect(orderCan.pay(anOrder({ status: 'completed', payment_status: 'refunded' }))).toBe(false)
})

test('an order is completed only when a reversal was paid again or accepted', () => {
  const complete = (fields: Partial<Order>) => orderCan.complete(anOrder({ status: 'processing', ...fields }))
  expect(complete({ payment_status: 'reversed', amount_remaining: 40 })).toBe(false)
  expect(complete({ payment_status: 'reversed', amount_remaining: 0 })).toBe(true)
  expect(complete({ payment_status: 'paid' })).toBe(true)
})
