import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { unreachableStates } from '../../kernel/states.ts'
import { isPaymentMove, paymentStates, refundStates } from '../../payments/payments.states.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import type { MoneyLine, OrderBooks } from './order-books.ts'
import { type OrderStatus, orderStates } from './orders.states.ts'
import { bookCases, booksAfter, effectText, orderStatesPage, settlementPage } from './reference-pages.ts'
import {
  applies,
  chooseCurrent,
  decideAcceptance,
  decideChange,
  findRow,
  isReversalOpen,
  isSettled,
  type ReviewReason,
  type Row,
  reachesTotal,
  reviewReasons,
  settle,
  settlementTable,
  stageOf,
} from './settlement.ts'
import { type Fact, facts, type Situation } from './situation.ts'

const received = (amount: number): MoneyLine => ({ kind: 'capture', amount })
const refunded = (amount: number): MoneyLine => ({ kind: 'refund', amount: -amount })
const reversed = (amount: number): MoneyLine => ({ kind: 'reversal', amount: -amount })

const orderOf = (books: OrderBooks, { isAccepted = false, status = 'confirmed' as OrderStatus } = {}) => ({
  ...settle(books, isAccepted),
  accepted_at: isAccepted ? new Date(0) : null,
  status,
})

/** Every combination of the values of the facts, whether it can occur or not. */
const situations = (Object.keys(facts) as Fact[]).reduce<Partial<Situation>[]>(
  (some, fact) => some.flatMap((one) => Object.keys(facts[fact]).map((value) => ({ ...one, [fact]: value }))),
  [{}],
) as Situation[]

const isDefault = ({ when }: Row) => when === undefined

describe('the settlement table', () => {
  const parts = Object.entries(settlementTable)

  test.each(parts)('has exactly one row of "%s" for every situation', (_, { rows }) => {
    expect(situations).toHaveLength(4 * 5 * 9 * 4 * 4 * 2)
    expect(rows.map(isDefault)).toEqual(rows.map((_row, index) => index === rows.length - 1))
    const counts = situations.map((one) => rows.filter((row) => !isDefault(row) && applies(row, one)).length)
    expect(Math.max(...counts)).toBe(1)
  })

  test('has these rows, each for so many situations', () => {
    const lines = parts.flatMap(([part, { rows }]) =>
      rows.map((row) => {
        const covered = situations.filter((one) => findRow(rows, one) === row)
        return `${part}, ${row.name}, ${covered.length}: ${effectText(row.does)}`
      }),
    )
    expect(lines).toEqual([
      'report, problem, 2880: review the problem',
      'report, paid twice, 576: review `duplicate_payment`',
      'report, paid too much, 192: review `overpaid`',
      'report, lapsed with a part, 4: review `underpaid`',
      'report, as it should be, 2108: –',
      'order, paid, 640: confirm the order',
      'order, paid by an ended attempt, 128: confirm the order, review `late_payment`',
      'order, paid by an ended attempt, with a problem, 128: confirm the order',
      'order, overpaid by an ended attempt, 64: confirm the order',
      'order, part paid by an ended attempt, 32: review `late_payment`',
      'order, paid after a refund, 576: confirm the order, review `late_payment`',
      'order, lapsed, 24: expire the order',
      'order, lapsed, and paid in vain, 32: expire the order',
      'order, refund of late money, 576: refund the money',
      'order, refund of late money by hand, 576: review `late_payment`, review `refund_due`',
      'order, late money accepted, 48: confirm the order, close the review `late_payment`',
      'order, late money with a problem, 48: review `late_payment`',
      'order, late money that is not enough, 192: review `late_payment`',
      'order, late money reviewed, 288: review `late_payment`',
      'order, money for a cancelled order, 576: review `late_payment`',
      'order, no change, 1832: –',
      'attempt, paid, 384: end the attempt',
      'attempt, asks for too much, 1024: end the attempt',
      'attempt, asks for too much, with a part received, 32: review `underpaid`, end the attempt',
      'attempt, asks for too much, on account, 96: end the attempt',
      'attempt, no change, 4224: –',
      'accept, less is enough, 480: confirm the order, nothing is due any more, end the attempt, close all reviews',
      'accept, loss, 160: nothing is due any more, end the attempt, close all reviews',
      'accept, money as it is, 1920: confirm the order, close all reviews',
      'accept, nothing to accept, 3200: close all reviews',
    ])
  })

  test('never confirms or expires an order but along the table of states, and keeps every review that nothing closes', () => {
    for (const status of orderStates.all)
      for (const { problem: _, ...situation } of situations) {
        const given = { status, review_reasons: [...reviewReasons] }
        for (const { status: next, reasons } of [
          decideChange(given, situation, null),
          decideAcceptance(given, situation),
        ]) {
          if (next !== status)
            expect(orderStates.moves.some(({ from, to }) => from === status && to === next)).toBe(true)
          expect(reasons.every((reason: ReviewReason) => reviewReasons.includes(reason))).toBe(true)
        }
        expect(decideChange(given, situation, null).reasons).toContain('amount_unknown')
      }
  })

  test('lets a cancelled order stay cancelled, whatever happens', () => {
    for (const { problem: _, ...situation } of situations)
      expect(
        decideChange({ status: 'cancelled', review_reasons: [] }, { ...situation, order: 'cancelled' }, null).status,
      ).toBe('cancelled')
  })

  test('keeps late money for an expired order under review unless the organization accepts it or it is refunded', () => {
    for (const { problem: _, ...situation } of situations) {
      if (situation.order !== 'expired' || situation.payment === 'nothing' || situation.policy !== 'review') continue
      const { status, reasons } = decideChange({ status: 'expired', review_reasons: [] }, situation, null)
      const isHeld = !['nothing', 'lost', 'returned', 'free'].includes(situation.money)
      expect([status, reasons.includes('late_payment')]).toEqual(['expired', isHeld])
    }
  })

  test('and the states are printed in the reference', () => {
    const page = (name: string) => readFileSync(new URL(`../../../docs/reference/${name}.md`, import.meta.url), 'utf8')
    expect(page('settlement')).toBe(settlementPage())
    expect(page('order-states')).toBe(orderStatesPage())
  })
})

describe('settlement of an order', () => {
  test('is decided once for all readers', () => {
    const lines = bookCases.map(({ total, lines }) => {
      const order = orderOf(booksAfter(total, lines))
      expect(isReversalOpen(order)).toBe(order.payment_status === 'reversed')
      return [total, lines.map(({ amount }) => amount), order.payment_status, order.amount_remaining, stageOf(order)]
    })
    expect(lines).toEqual([
      [25_000, [], 'unpaid', 25_000, 'awaiting'],
      [25_000, [1], 'partially_paid', 24_999, 'partly_paid'],
      [25_000, [20_000, 5_000], 'paid', 0, 'paid'],
      [25_000, [25_000], 'paid', 0, 'paid'],
      [25_000, [25_001], 'overpaid', 0, 'paid'],
      [25_000, [25_001, -1], 'paid', 0, 'paid'],
      [25_000, [25_000, -1], 'partially_refunded', 0, 'paid'],
      [25_000, [25_000, -25_000], 'refunded', 0, 'refunded'],
      [25_000, [20_000, -5_000], 'partially_refunded', 10_000, 'partly_paid'],
      [25_000, [20_000, -20_000], 'refunded', 25_000, 'awaiting'],
      [25_000, [25_000, -25_000], 'reversed', 25_000, 'reversed'],
      [25_000, [25_000, -10_000], 'reversed', 10_000, 'reversed'],
      [25_000, [25_000, -10_000, -15_000], 'reversed', 15_000, 'reversed'],
      [25_000, [25_000, -25_000, 25_000], 'paid', 0, 'paid'],
      [25_000, [25_000, -25_000, 20_000], 'reversed', 5_000, 'reversed'],
      [25_000, [50_000, -25_000], 'paid', 0, 'paid'],
      [25_000, [50_000, -25_000, -25_000], 'reversed', 25_000, 'reversed'],
      [null, [], 'unpaid', null, 'awaiting'],
      [null, [1], 'paid', null, 'paid'],
      [null, [2, -1], 'partially_refunded', null, 'paid'],
      [null, [2, -2], 'refunded', null, 'refunded'],
      [null, [2, -1], 'paid', null, 'paid'],
      [null, [2, -2], 'reversed', null, 'reversed'],
      [null, [2, -1, -1], 'reversed', null, 'reversed'],
    ])
  })

  test('is pending when an attempt can be paid, and paid when the total is 0', () => {
    expect(settle(booksAfter(25_000, [], true), false).payment_status).toBe('pending')
    expect(settle(booksAfter(0, [], true), false).payment_status).toBe('paid')
  })

  test('has a remaining amount of 0 when a person accepted less, and stays reversed after a reversal', () => {
    const short = orderOf(booksAfter(25_000, [received(20_000)]), { isAccepted: true })
    expect([short.payment_status, short.amount_remaining, isSettled(short), stageOf(short)]).toEqual([
      'partially_paid',
      0,
      true,
      'paid',
    ])
    const loss = orderOf(booksAfter(25_000, [received(25_000), reversed(25_000)]), { isAccepted: true })
    expect([loss.payment_status, loss.amount_remaining, isSettled(loss), stageOf(loss), isReversalOpen(loss)]).toEqual([
      'reversed',
      0,
      true,
      'reversed',
      false,
    ])
  })

  test('shows an order that expired or was cancelled as such, with late money as late', () => {
    const expired = (...lines: MoneyLine[]) => stageOf(orderOf(booksAfter(25_000, lines), { status: 'expired' }))
    expect([
      expired(),
      expired(received(1)),
      expired(received(1), refunded(1)),
      expired(received(1), reversed(1)),
    ]).toEqual(['expired', 'late', 'refunded', 'expired'])
    expect(stageOf(orderOf(booksAfter(25_000, [received(25_000)]), { status: 'cancelled' }))).toBe('cancelled')
  })
})

test('the total is reached until a bank reverses a part of it', () => {
  const isReached = (lines: MoneyLine[]) => reachesTotal(booksAfter(25_000, lines))
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
