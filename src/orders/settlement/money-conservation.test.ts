import { expect, test } from 'bun:test'
import { createRandom, type Random } from '../../../test/support/random.ts'
import {
  applyReport,
  type BookProblem,
  type Books,
  type LedgerLine,
  refundLine,
  sumsOf,
} from '../../payments/ledger/ledger.ts'
import type { PaymentReport } from '../../payments/payment-connector.ts'
import { isLive, isPaymentMove, type PaymentStatus, paymentStates } from '../../payments/payments.states.ts'
import type { PaymentRow } from '../../payments/payments-context.ts'
import { type OrderStatus, orderStates } from './orders.states.ts'
import {
  decideChange,
  isPaidUp,
  isSettled,
  latePolicies,
  leftAfter,
  type OrderBooks,
  paymentStatusOf,
  type ReviewReason,
  settle,
  situationOf,
} from './settlement.ts'

/**
 * Checks the rules of money without a database: ten thousand random sequences of notices, repetitions, captures, wrong
 * amounts, expiry, cancellation, refunds and reversals. The books are checked after every step.
 */
type Attempt = { status: PaymentStatus; amount: number | null; lines: LedgerLine[] }

type Story = {
  order: { status: OrderStatus; reasons: ReviewReason[]; total: number | null }
  attempts: Attempt[]
  /** All lines, in the sequence in which they were written. */
  ledger: LedgerLine[]
  reports: { attempt: Attempt; report: Report }[]
  refunds: number
  /** The settlement that the order's row would store. */
  settled: ReturnType<typeof settlementOf>
}

type Report = Pick<PaymentReport, 'state' | 'amountPaid' | 'captureId' | 'paymentId' | 'refunds' | 'amountReversed'>

const booksOf = ({ status, amount, lines }: Attempt): Books => ({ status, amount, lines })

const booksOfStory = ({ order, attempts, ledger }: Pick<Story, 'order' | 'attempts' | 'ledger'>): OrderBooks => {
  const standing = attempts.reduce(
    (sum, { status, lines }) => sum + (status === 'reversed' ? 0 : sumsOf(lines).paid),
    0,
  )
  const left = order.total === null ? null : leftAfter(order.total, ledger)
  const hasLiveAttempt = attempts.some(({ status }) => isLive(status))
  return { total: order.total, ...sumsOf(ledger), standing, left, hasLiveAttempt }
}

const returnedOf = ({ refunded, reversed }: OrderBooks) => refunded + reversed

function aStory(random: Random): Story {
  const total = random.isLucky(0.2) ? null : 1000 * (1 + random.below(50))
  const attempt: Attempt = { status: random.pick(['created', 'pending']), amount: total, lines: [] }
  const order = { status: 'pending_payment' as const, reasons: [], total }
  const story = { order, attempts: [attempt], ledger: [], reports: [], refunds: 0 }
  const settled = { ...settle(booksOfStory(story), false), accepted_at: null, total }
  return { ...story, settled }
}

/** The attempts as rows, with the columns that the settlement reads. */
const rowsOf = ({ attempts }: Story): PaymentRow[] =>
  attempts.map(({ status, amount, lines }, index) => {
    const { paid, refunded, reversed } = sumsOf(lines)
    const sums = { amount_paid: paid, amount_refunded: refunded, amount_reversed: reversed }
    const row = { id: `pay_${index}`, status, amount, ...sums, is_manual: false, details: null, expires_at: null }
    return row as unknown as PaymentRow
  })

const settlementOf = (story: Story) => ({
  ...settle(booksOfStory(story), false),
  accepted_at: null,
  total: story.order.total,
})

type News = { attempt: Attempt; before: number; isLapsed: boolean; problem: BookProblem | null; isLate: boolean }

/** Does what the callers of the pure functions do: sums, then the decision about the order. */
function follow(story: Story, random: Random, news: News) {
  const payments = rowsOf(story)
  const after = payments[story.attempts.indexOf(news.attempt)] as PaymentRow
  const moneyIn = after.amount_paid - news.before
  const settlement = settlementOf(story)
  const { isLapsed, isLate, problem } = news
  const decision = decideChange(
    { status: story.order.status, review_reasons: story.order.reasons },
    situationOf({
      before: { ...story.order, ...story.settled },
      after: settlement,
      books: booksOfStory(story),
      payments,
      move: {
        ...{ before: { ...after, amount_paid: news.before }, moneyIn, moneyBack: 0, isLapsed, isLate, problem },
        ...{ after: { ...after, is_refundable: random.isLucky(0.5) }, initiator: {}, now: new Date(0) },
      },
      latePolicy: random.pick(latePolicies),
    }),
    problem,
  )
  expectOrderMove(story.order.status, decision.status)
  if (story.order.status === 'pending_payment' && decision.status === 'confirmed')
    expect([isSettled(settlement), decision.reasons.includes('amount_mismatch')]).toEqual([true, false])
  if (moneyIn > 0 && isSettled(settlement)) expect(decision.status).not.toBe('pending_payment')
  const kept = settlement.amount_paid - settlement.amount_returned
  if (decision.status === 'expired' && story.order.status !== 'expired') expect(kept).toBe(0)
  story.order = { ...story.order, status: decision.status, reasons: decision.reasons }
  story.settled = settlement
}

const expectOrderMove = (from: OrderStatus, to: OrderStatus) =>
  from === to || expect(orderStates.moves.some((move) => move.from === from && move.to === to)).toBe(true)

function applyTo(story: Story, random: Random, attempt: Attempt, report: Report) {
  const before = sumsOf(attempt.lines).paid
  const change = applyReport(booksOf(attempt), report)
  const isMove = change.status !== attempt.status
  const wasReversedAtOnce = change.status === 'reversed' && attempt.status !== 'paid'
  if (isMove && !wasReversedAtOnce) expect(isPaymentMove(attempt.status, change.status)).toBe(true)
  const keys = [...attempt.lines, ...change.lines].map(({ kind, key }) => `${kind} ${key}`)
  expect(new Set(keys).size).toBe(keys.length)
  const isLapsed = isMove && change.status === 'expired'
  attempt.status = change.status
  attempt.lines = [...attempt.lines, ...change.lines]
  story.ledger.push(...change.lines)
  // A repeated report changes nothing.
  const again = applyReport(booksOf(attempt), report)
  expect([again.status, again.lines]).toEqual([attempt.status, []])
  if (isMove || change.lines.length > 0 || change.problem !== null)
    follow(story, random, { attempt, before, isLapsed, problem: change.problem, isLate: change.isLate })
}

const EMPTY = { amountPaid: null, captureId: null, refunds: [] }

function aReport(random: Random, { amount }: Attempt): Report {
  const asked = amount ?? 5000
  switch (random.below(10)) {
    case 0:
      return { ...EMPTY, state: 'pending' }
    case 1:
      return { ...EMPTY, state: random.pick(['failed', 'expired', 'cancelled']) }
    case 2:
      return { ...EMPTY, state: 'reversed', amountPaid: asked }
    case 3:
      return { ...EMPTY, state: 'paid', amountPaid: asked + random.pick([-500, 500, 0]) }
    case 8:
      return { ...EMPTY, state: 'reversed', amountPaid: asked, amountReversed: 500 * (1 + random.below(6)) }
    case 9:
      return { ...EMPTY, state: 'paid', amountPaid: asked, paymentId: `p${random.below(3)}` }
    case 4:
    case 5:
      return { ...EMPTY, state: 'paid', amountPaid: 500 * (1 + random.below(20)), captureId: `c${random.below(4)}` }
    default:
      return { ...EMPTY, state: 'paid', amountPaid: amount === null ? asked : amount }
  }
}

function refund(story: Story, random: Random) {
  const attempt = random.pick(story.attempts)
  const { paid, refunded, reversed } = sumsOf(attempt.lines)
  const left = paid - refunded - reversed
  if (left <= 0) return
  story.refunds += 1
  const before = paid
  // Sometimes a provider reports a refund of more than was received.
  const amount = random.isLucky(0.1) ? left + 1 : 1 + random.below(left)
  const { line, problem } = refundLine(attempt.lines, { id: `r${story.refunds}`, amount })
  attempt.lines = [...attempt.lines, line as LedgerLine]
  story.ledger.push(line as LedgerLine)
  follow(story, random, { attempt, before, isLapsed: false, problem, isLate: false })
}

function step(story: Story, random: Random): void {
  const { order, attempts, reports } = story
  const choice = random.below(12)
  if (choice === 0 && orderStates.can(order.status, 'cancel')) {
    for (const attempt of attempts) if (attempt.status === 'pending') attempt.status = 'cancelled'
    order.status = 'cancelled'
  } else if (choice === 1) refund(story, random)
  else if (choice === 2 && attempts.every(({ status }) => !isLive(status)) && order.status === 'pending_payment') {
    const { left: due } = booksOfStory(story)
    if (due === null || due > 0) attempts.push({ status: 'pending', amount: due, lines: [] })
    story.settled = settlementOf(story)
  } else if (choice === 3 && reports.length > 0) {
    const earlier = random.pick(reports)
    applyTo(story, random, earlier.attempt, earlier.report)
  } else {
    const attempt = random.pick(attempts)
    const report = aReport(random, attempt)
    reports.push({ attempt, report })
    applyTo(story, random, attempt, report)
  }
}

function expectSound(story: Story, before: { paid: number; returned: number; wasPaid: boolean }) {
  const books = booksOfStory(story)
  const { paid } = books
  const returned = returnedOf(books)
  for (const { lines } of story.attempts) {
    const sums = sumsOf(lines)
    expect(lines.reduce((sum, line) => sum + line.amount, 0)).toBe(sums.paid - sums.refunded - sums.reversed)
    expect(sums.refunded + sums.reversed).toBeLessThanOrEqual(sums.paid)
  }
  // Received money is never lost, and a paid order becomes unpaid only when money was returned.
  expect(paid).toBeGreaterThanOrEqual(before.paid)
  const status = paymentStatusOf(books)
  if (before.wasPaid && returned === before.returned) expect(isPaidUp(status)).toBe(true)
  if (before.wasPaid) expect(['unpaid', 'pending']).not.toContain(status)
  if (story.order.status === 'confirmed' && returned === 0) expect(isPaidUp(status)).toBe(true)
}

const STORIES = 10_000

test('the books add up and a paid order never becomes unpaid in ten thousand random sequences', () => {
  let confirmed = 0
  for (let seed = 1; seed <= STORIES; seed++) {
    const random = createRandom(seed)
    const story = aStory(random)
    const steps = 4 + random.below(10)
    for (let count = 0; count < steps; count++) {
      const books = booksOfStory(story)
      const wasPaid = isPaidUp(paymentStatusOf(books))
      step(story, random)
      expectSound(story, { paid: books.paid, returned: returnedOf(books), wasPaid })
    }
    if (story.order.status === 'confirmed') confirmed += 1
  }
  // The stories are not all about nothing.
  expect(confirmed).toBeGreaterThan(STORIES / 10)
})

test('the received amount does not depend on the sequence or the number of reports', () => {
  for (let seed = 1; seed <= 2000; seed++) {
    const random = createRandom(seed)
    const amount = random.isLucky(0.5) ? null : 10_000
    const reports = Array.from({ length: 1 + random.below(6) }, () =>
      aReport(random, { status: 'pending', amount, lines: [] }),
    ).filter(({ state, amountPaid }) => state === 'paid' && amountPaid !== null)
    // One capture has one amount in every report.
    const facts = [...new Map(reports.map((report) => [report.captureId ?? report.amountPaid, report])).values()]
    const receivedAfter = (sequence: Report[]) => {
      let books: Books = { status: 'pending', amount, lines: [] }
      for (const report of sequence) {
        const { status, lines } = applyReport(books, report)
        books = { ...books, status, lines: [...books.lines, ...lines] }
      }
      return sumsOf(books.lines).paid
    }
    expect(receivedAfter(random.shuffle([...facts, ...facts]))).toBe(receivedAfter(facts))
  }
})

test('every status of a payment appears in the random sequences', () => {
  const seen = new Set<PaymentStatus>()
  for (let seed = 1; seed <= 300; seed++) {
    const random = createRandom(seed)
    const story = aStory(random)
    for (let count = 0; count < 10; count++) {
      step(story, random)
      for (const { status } of story.attempts) seen.add(status)
    }
  }
  expect([...seen].sort()).toEqual(paymentStates.all.toSorted())
})
