import { describe, expect, test } from 'bun:test'
import { isPaidOnce, type OrderMoney, type OrderSums, paymentStatusOf } from './payment-status.ts'

const sums = (fields: Partial<OrderSums>): OrderSums => ({
  total: 25_000,
  paid: 0,
  returned: 0,
  hasLiveAttempt: false,
  ...fields,
})

describe('how much of an order is paid', () => {
  test.each([
    [{}, 'unpaid'],
    [{ hasLiveAttempt: true }, 'pending'],
    [{ paid: 1 }, 'partially_paid'],
    [{ paid: 1, hasLiveAttempt: true }, 'partially_paid'],
    [{ paid: 24_999 }, 'partially_paid'],
    [{ paid: 25_000 }, 'paid'],
    [{ paid: 25_001 }, 'overpaid'],
    [{ paid: 25_001, returned: 1 }, 'paid'],
    [{ paid: 25_000, returned: 1 }, 'partially_refunded'],
    [{ paid: 25_000, returned: 24_999 }, 'partially_refunded'],
    [{ paid: 25_000, returned: 25_000 }, 'refunded'],
    [{ paid: 25_000, returned: 25_001 }, 'refunded'],
    [{ total: 0 }, 'paid'],
    [{ total: 0, hasLiveAttempt: true }, 'paid'],
    [{ total: null }, 'unpaid'],
    [{ total: null, paid: 1 }, 'paid'],
    [{ total: null, paid: 2, returned: 1 }, 'partially_refunded'],
    [{ total: null, paid: 2, returned: 2 }, 'refunded'],
  ] as const)('is told to the rupiah: %p is %s', (fields, status) => {
    expect(paymentStatusOf(sums(fields))).toBe(status)
  })
})

describe('what had come in full', () => {
  const money = (fields: Partial<OrderMoney>): OrderMoney => ({
    total: 25_000,
    paid: 0,
    returned: 0,
    reversed: 0,
    ...fields,
  })
  test.each([
    [{ paid: 24_999 }, false],
    [{ paid: 25_000 }, true],
    [{ paid: 25_000, returned: 25_000 }, true],
    [{ paid: 25_000, returned: 1, reversed: 1 }, false],
    [{ paid: 30_000, returned: 5_000 }, true],
    [{ paid: 30_000, returned: 5_001, reversed: 5_001 }, false],
    [{ total: null, paid: 1 }, true],
    [{ total: null, paid: 1, returned: 1, reversed: 1 }, false],
  ] as const)('is owed again only as far as a bank took it back: %p is %p', (fields, isPaid) => {
    expect(isPaidOnce(money(fields))).toBe(isPaid)
  })
})
