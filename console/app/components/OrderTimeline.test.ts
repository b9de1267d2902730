import { expect, test } from 'bun:test'
import { moneyIn } from './OrderTimeline.tsx'

test('a part that came in counts by itself, not with what had come before', () => {
  const event = (amount_paid: number, before: number) => ({
    type: 'payment.paid',
    data: { amount_paid },
    previous: { amount_paid: before },
  })
  expect([moneyIn(event(25_000, 0)), moneyIn(event(50_000, 25_000))]).toEqual([25_000, 25_000])
  expect(moneyIn({ type: 'payment.paid', data: { amount_paid: 7_000 }, previous: null })).toBe(7_000)
  expect(moneyIn({ type: 'order.paid', data: { amount_paid: 7_000 }, previous: null })).toBeNull()
})
