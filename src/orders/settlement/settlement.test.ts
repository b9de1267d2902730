import { describe, expect, test } from 'bun:test'
import type { PaymentRow } from '../../payments/payments-context.ts'
import type { OrderStatus } from './orders.states.ts'
import {
  chooseCurrent,
  isReversalOpen,
  isSettled,
  leftAfter,
  type MoneyLine,
  type OrderBooks,
  reachesTotal,
  settle,
  stageOf,
} from './settlement.ts'

const received = (amount: number): MoneyLine => ({ kind: 'capture', amount })
const refunded = (amount: number): MoneyLine => ({ kind: 'refund', amount: -amount })
const reversed = (amount: number): MoneyLine => ({ kind: 'reversal', amount: -amount })

const sumOf = (lines: readonly MoneyLine[], kind: MoneyLine['kind']) =>
  lines.reduce((sum, line) => (line.kind === kind ? sum + Math.abs(line.amount) : sum), 0)

/** Books of an order with one attempt. */
function booksOf(total: number | null, lines: readonly MoneyLine[], hasLiveAttempt = false): OrderBooks {
  const paid = sumOf(lines, 'capture')
  const gone = { refunded: sumOf(lines, 'refund'), reversed: sumOf(lines, 'reversal') }
  const isReversed = gone.reversed > 0 && gone.refunded + gone.reversed === paid
  const left = total === null ? null : leftAfter(total, lines)
  return { total, paid, ...gone, standing: isReversed ? 0 : paid, left, hasLiveAttempt }
}

const orderOf = (books: OrderBooks, { isAccepted = false, status = 'confirmed' as OrderStatus } = {}) => ({
  ...settle(books, isAccepted),
  accepted_at: isAccepted ? new Date(0) : null,
  status,
})

type Row = [lines: MoneyLine[], status: string, remaining: number | null, stage: string]

describe('settlement of an order', () => {
  test.each<Row>([
    [[], 'unpaid', 25_000, 'awaiting'],
    [[received(1)], 'partially_paid', 24_999, 'partly_paid'],
    [[received(20_000), received(5_000)], 'paid', 0, 'paid'],
    [[received(25_000)], 'paid', 0, 'paid'],
    [[received(25_001)], 'overpaid', 0, 'paid'],
    [[received(25_001), refunded(1)], 'paid', 0, 'paid'],
    [[received(25_000), refunded(1)], 'partially_refunded', 0, 'paid'],
    [[received(25_000), refunded(25_000)], 'refunded', 0, 'refunded'],
    [[received(20_000), refunded(5_000)], 'partially_refunded', 10_000, 'partly_paid'],
    [[received(20_000), refunded(20_000)], 'refunded', 25_000, 'awaiting'],
    [[received(25_000), reversed(25_000)], 'reversed', 25_000, 'reversed'],
    [[received(25_000), reversed(10_000)], 'reversed', 10_000, 'reversed'],
    [[received(25_000), refunded(10_000), reversed(15_000)], 'reversed', 15_000, 'reversed'],
    [[received(25_000), reversed(25_000), received(25_000)], 'paid', 0, 'paid'],
    [[received(25_000), reversed(25_000), received(20_000)], 'reversed', 5_000, 'reversed'],
    [[received(50_000), reversed(25_000)], 'paid', 0, 'paid'],
    [[received(50_000), refunded(25_000), reversed(25_000)], 'reversed', 25_000, 'reversed'],
  ])('of 25,000 is decided once for all readers when the books are %j: %s', (lines, status, remaining, stage) => {
    const order = orderOf(booksOf(25_000, lines))
    expect([order.payment_status, order.amount_remaining, stageOf(order)]).toEqual([status, remaining, stage] as never)
    expect(isReversalOpen(order)).toBe(status === 'reversed')
  })

  test.each<Row>([
    [[], 'unpaid', null, 'awaiting'],
    [[received(1)], 'paid', null, 'paid'],
    [[received(2), refunded(1)], 'partially_refunded', null, 'paid'],
    [[received(2), refunded(2)], 'refunded', null, 'refunded'],
    [[received(2), reversed(1)], 'paid', null, 'paid'],
    [[received(2), reversed(2)], 'reversed', null, 'reversed'],
    [[received(2), refunded(1), reversed(1)], 'reversed', null, 'reversed'],
  ])(
    'of an open amount takes any money that was not reversed when the books are %j: %s',
    (lines, status, remaining, stage) => {
      const order = orderOf(booksOf(null, lines))
      expect([order.payment_status, order.amount_remaining, stageOf(order)]).toEqual([
        status,
        remaining,
        stage,
      ] as never)
    },
  )

  test('is pending when an attempt can be paid, and paid when the total is 0', () => {
    expect(settle(booksOf(25_000, [], true), false).payment_status).toBe('pending')
    expect(settle(booksOf(0, [], true), false).payment_status).toBe('paid')
  })

  test('has a remaining amount of 0 when a person accepted less, and stays reversed after a reversal', () => {
    const short = orderOf(booksOf(25_000, [received(20_000)]), { isAccepted: true })
    expect([short.payment_status, short.amount_remaining, isSettled(short), stageOf(short)]).toEqual([
      'partially_paid',
      0,
      true,
      'paid',
    ])
    const loss = orderOf(booksOf(25_000, [received(25_000), reversed(25_000)]), { isAccepted: true })
    expect([loss.payment_status, loss.amount_remaining, isSettled(loss), stageOf(loss), isReversalOpen(loss)]).toEqual([
      'reversed',
      0,
      true,
      'reversed',
      false,
    ])
  })

  test('shows an order that expired or was cancelled as such, with late money as late', () => {
    const expired = (...lines: MoneyLine[]) => stageOf(orderOf(booksOf(25_000, lines), { status: 'expired' }))
    expect([
      expired(),
      expired(received(1)),
      expired(received(1), refunded(1)),
      expired(received(1), reversed(1)),
    ]).toEqual(['expired', 'late', 'refunded', 'expired'])
    expect(stageOf(orderOf(booksOf(25_000, [received(25_000)]), { status: 'cancelled' }))).toBe('cancelled')
  })
})

test('the total is reached until a bank reverses a part of it', () => {
  const isReached = (lines: MoneyLine[]) => reachesTotal(booksOf(25_000, lines))
  expect([isReached([received(24_999)]), isReached([received(25_000), refunded(25_000)])]).toEqual([false, true])
  expect([isReached([received(30_000), reversed(5_000)]), isReached([received(30_000), reversed(5_001)])]).toEqual([
    true,
    false,
  ])
})

describe('the attempt that counts', () => {
  const attempt = (id: string, status: PaymentRow['status'], amount_paid = 0, amount_reversed = 0) =>
    ({ id, status, amount_paid, amount_refunded: 0, amount_reversed }) as unknown as PaymentRow
  test.each([
    ['the paid one when a replaced code was paid', [attempt('a', 'paid', 5), attempt('b', 'pending')], true, 'a'],
    ['the open one when more is due', [attempt('a', 'paid', 5), attempt('b', 'pending')], false, 'b'],
    ['the paid part when the open one expired', [attempt('a', 'paid', 5), attempt('b', 'expired')], false, 'a'],
    ['the last one when no money was received', [attempt('a', 'cancelled'), attempt('b', 'expired')], false, 'b'],
    [
      'not a replaced one when the payment was reversed',
      [attempt('a', 'reversed', 5, 5), attempt('b', 'cancelled')],
      false,
      'a',
    ],
  ])('is %s', (_, payments, isComplete, id) => {
    expect(chooseCurrent(payments as PaymentRow[], isComplete as boolean)?.id as string).toBe(id as string)
  })

  test('is null when there are no attempts', () => expect(chooseCurrent([], false)).toBeNull())
})
