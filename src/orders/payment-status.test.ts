import { describe, expect, test } from 'bun:test'
import { isPaidOnce, leftAfter, type OrderSums, paymentStatusOf } from './payment-status.ts'

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
  const came = (amount: number) => ({ kind: 'capture', amount }) as const
  const gave = (amount: number) => ({ kind: 'refund', amount: -amount }) as const
  const took = (amount: number) => ({ kind: 'reversal', amount: -amount }) as const
  test.each([
    [[came(24_999)], false],
    [[came(25_000)], true],
    [[came(25_000), gave(25_000)], true],
    [[came(25_000), took(1)], false],
    [[came(30_000), gave(5_000)], true],
    [[came(30_000), took(5_000)], true],
    [[came(30_000), took(5_001)], false],
  ] as const)('is owed again only as far as a bank took it back: %j is %p', (lines, isPaid) => {
    expect(isPaidOnce({ standing: 30_000, left: leftAfter(25_000, lines) })).toBe(isPaid)
  })

  test('of an open amount is whatever a bank left', () => {
    expect(isPaidOnce({ standing: 1, left: null })).toBe(true)
    expect(isPaidOnce({ standing: 0, left: null })).toBe(false)
  })
})
