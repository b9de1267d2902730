import { entriesOf } from '../../kernel/records.ts'
import { type OrderStatus, orderStates } from './orders.states.ts'
import type { Fact, Money, Situation } from './situation.ts'

export {
  asksTooMuch,
  booksOf,
  chooseCurrent,
  isFixedCode,
  isPaidUp,
  isReversalOpen,
  isSettled,
  leftAfter,
  type OrderBooks,
  type PaymentStatusOfOrder,
  paymentStatuses,
  paymentStatusOf,
  reachesTotal,
  type SettledOrder,
  settle,
  stageOf,
} from './order-books.ts'
export { type LatePolicy, latePolicies, moneyOf, orderFact, situationOf } from './situation.ts'

/**
 * The settlement of an order: one decision table. What the books say and what happened decide the next status, the reviews,
 * the refunds and the attempts to end. It is pure: `orders/` reads the books, asks the table and writes the result.
 * `docs/reference/settlement.md` is generated from it.
 *
 *   the books of an order (order-books.ts) ─┐
 *   a change of one of its payments ────────┴▶ facts (situation.ts) ─▶ one row of each part ─▶ decision
 */
export const reviewReasons = [
  'amount_mismatch',
  'amount_unknown',
  'duplicate_payment',
  'late_payment',
  'out_of_stock',
  'overpaid',
  'price_mismatch',
  'provider_silent',
  'refund_due',
  'refund_failed',
  'refund_mismatch',
  'reversed',
  'underpaid',
] as const

export type ReviewReason = (typeof reviewReasons)[number]

export type Effect = {
  /** A move of the table of states; the status stays where that table has none. */
  move?: 'confirm' | 'expire'
  /** `problem` stands for the problem that the report names. */
  reviews?: readonly (ReviewReason | 'problem')[]
  /** Reviews that this settles, besides those that the books close. */
  closes?: readonly ReviewReason[] | 'all'
  /** Refund the money that was just received. */
  refunds?: true
  /** End the open attempt, so that the customer cannot pay twice or more than the remaining amount. */
  endsAttempt?: true
  /** The received amount counts as enough, or the loss is accepted: nothing is due any more. */
  settles?: true
}

/** `when` lists the allowed values of each fact; a row without it applies where no other row of its part does. */
export type Row = {
  name: string
  says: string
  when?: { readonly [Name in Fact]?: readonly Situation[Name][] }
  does: Effect
}

const RECEIVED = ['expected', 'late', 'again', 'unexpected'] as const
const OPEN_ORDER = ['awaiting', 'active'] as const
const GIVEN_UP = ['expired', 'cancelled'] as const
const FULL = ['exact', 'any_amount', 'surplus'] as const
const NOTHING_DUE = [...FULL, 'reduced', 'returned'] as const
const STILL_DUE = ['nothing', 'lost', 'part'] as const

export const settlementTable = {
  report: {
    title: 'Reviews raised by the change',
    rows: [
      {
        name: 'problem',
        says: 'A problem in the report is reviewed.',
        when: { problem: ['named'] },
        does: { reviews: ['problem'] },
      },
      {
        name: 'paid twice',
        says: 'Money for an order that was paid in full is reviewed as a duplicate.',
        when: { problem: ['none'], payment: ['again'] },
        does: { reviews: ['duplicate_payment'] },
      },
      {
        name: 'paid too much',
        says: 'A payment above the total is reviewed.',
        when: { problem: ['none'], payment: ['expected', 'late', 'unexpected'], money: ['surplus'] },
        does: { reviews: ['overpaid'] },
      },
      {
        name: 'lapsed with a part',
        says: 'When the time to pay is over and a part was received, staff decide about the remaining amount.',
        when: { problem: ['none'], payment: ['nothing'], order: ['awaiting'], money: ['part'], attempt: ['lapsed'] },
        does: { reviews: ['underpaid'] },
      },
      { name: 'as it should be', says: 'Nothing to review.', does: {} },
    ],
  },
  order: {
    title: 'What happens to the order, and to late money',
    rows: [
      {
        name: 'paid',
        says: 'The payment that leaves nothing due confirms the order, even if the same report contains a refund.',
        when: { order: OPEN_ORDER, payment: ['expected', 'again'], money: NOTHING_DUE },
        does: { move: 'confirm' },
      },
      {
        name: 'paid by an ended attempt',
        says: 'An old code that the customer kept pays the order, and the payment is reviewed.',
        when: {
          order: OPEN_ORDER,
          payment: ['late'],
          money: ['exact', 'any_amount', 'reduced', 'returned'],
          problem: ['none'],
        },
        does: { move: 'confirm', reviews: ['late_payment'] },
      },
      {
        name: 'paid by an ended attempt, with a problem',
        says: 'The review of the problem covers the late payment.',
        when: {
          order: OPEN_ORDER,
          payment: ['late'],
          money: ['exact', 'any_amount', 'reduced', 'returned'],
          problem: ['named'],
        },
        does: { move: 'confirm' },
      },
      {
        name: 'overpaid by an ended attempt',
        says: 'The review of the surplus covers the late payment.',
        when: { order: OPEN_ORDER, payment: ['late'], money: ['surplus'] },
        does: { move: 'confirm' },
      },
      {
        name: 'part paid by an ended attempt',
        says: 'A part that an ended attempt received is reviewed.',
        when: { order: OPEN_ORDER, payment: ['late'], money: ['part'], problem: ['none'] },
        does: { reviews: ['late_payment'] },
      },
      {
        name: 'paid after a refund',
        says: 'Money after a full refund is reviewed, so that the goods are not shipped twice.',
        when: { order: OPEN_ORDER, payment: ['unexpected'] },
        does: { move: 'confirm', reviews: ['late_payment'] },
      },
      {
        name: 'lapsed',
        says: 'An order expires when the time to pay is over and nothing is held.',
        when: {
          order: ['awaiting'],
          payment: ['nothing'],
          money: ['nothing', 'lost', 'returned'],
          attempt: ['lapsed'],
        },
        does: { move: 'expire' },
      },
      {
        name: 'lapsed, and paid in vain',
        says: 'A part that the same report returns does not keep the order open after its time.',
        when: {
          order: ['awaiting'],
          payment: ['expected', 'late'],
          money: ['nothing', 'lost'],
          attempt: ['lapsed'],
        },
        does: { move: 'expire' },
      },
      {
        name: 'refund of late money',
        says: 'Money for an expired or cancelled order is refunded.',
        when: { order: GIVEN_UP, payment: RECEIVED, policy: ['refund'] },
        does: { refunds: true },
      },
      {
        name: 'refund of late money by hand',
        says: 'Staff refund money for an expired or cancelled order if the provider cannot.',
        when: { order: GIVEN_UP, payment: RECEIVED, policy: ['refund_by_hand'] },
        does: { reviews: ['late_payment', 'refund_due'] },
      },
      {
        name: 'late money accepted',
        says: 'Late money that pays an expired order in full confirms it.',
        when: { order: ['expired'], payment: RECEIVED, policy: ['accept'], money: FULL, problem: ['none'] },
        does: { move: 'confirm', closes: ['late_payment'] },
      },
      {
        name: 'late money with a problem',
        says: 'Late money with a problem is reviewed before it is accepted.',
        when: { order: ['expired'], payment: RECEIVED, policy: ['accept'], money: FULL, problem: ['named'] },
        does: { reviews: ['late_payment'] },
      },
      {
        name: 'late money that is not enough',
        says: 'Late money that does not pay an expired order in full is reviewed before it is accepted.',
        when: {
          order: ['expired'],
          payment: RECEIVED,
          policy: ['accept'],
          money: ['nothing', 'lost', 'part', 'reduced', 'returned', 'free'],
        },
        does: { reviews: ['late_payment'] },
      },
      {
        name: 'late money reviewed',
        says: 'Staff decide about late money for an expired order.',
        when: { order: ['expired'], payment: RECEIVED, policy: ['review'] },
        does: { reviews: ['late_payment'] },
      },
      {
        name: 'money for a cancelled order',
        says: 'Money never confirms a cancelled order.',
        when: { order: ['cancelled'], payment: RECEIVED, policy: ['accept', 'review'] },
        does: { reviews: ['late_payment'] },
      },
      { name: 'no change', says: 'The order stays as it is.', does: {} },
    ],
  },
  attempt: {
    title: 'What happens to the open attempt',
    rows: [
      {
        name: 'paid',
        says: 'An attempt for an open amount ends once any amount was received another way.',
        when: { payment: RECEIVED, money: FULL, attempt: ['open'] },
        does: { endsAttempt: true },
      },
      {
        name: 'asks for too much',
        says: 'A code has a fixed amount, so it is ended.',
        when: {
          payment: RECEIVED,
          money: ['nothing', 'lost', ...NOTHING_DUE, 'free'],
          attempt: ['too_high'],
        },
        does: { endsAttempt: true },
      },
      {
        name: 'asks for too much, with a part received',
        says: 'A code has a fixed amount, so it is ended. Nothing is open for the remaining amount until a new attempt is opened.',
        when: { order: ['awaiting'], payment: RECEIVED, money: ['part'], attempt: ['too_high'] },
        does: { endsAttempt: true, reviews: ['underpaid'] },
      },
      {
        name: 'asks for too much, on account',
        says: 'A code has a fixed amount, so it is ended. The order does not wait for the remaining amount.',
        when: {
          order: ['active', 'expired', 'cancelled'],
          payment: RECEIVED,
          money: ['part'],
          attempt: ['too_high'],
        },
        does: { endsAttempt: true },
      },
      { name: 'no change', says: 'The attempt stays open, or none is.', does: {} },
    ],
  },
  accept: {
    title: 'What happens when a person accepts the order as it is',
    rows: [
      {
        name: 'less is enough',
        says: 'The part counts as the whole amount. The order is confirmed, and the open attempt is ended.',
        when: { order: ['awaiting', 'active', 'expired'], money: ['part'] },
        does: { move: 'confirm', settles: true, endsAttempt: true, closes: 'all' },
      },
      {
        name: 'loss',
        says: 'The order may be completed without the money that a bank reversed.',
        when: { order: ['active'], money: ['lost'] },
        does: { settles: true, endsAttempt: true, closes: 'all' },
      },
      {
        name: 'money as it is',
        says: 'Late, duplicate or surplus money is accepted, and an order that had expired is confirmed.',
        when: { order: ['awaiting', 'active', 'expired'], money: [...FULL, 'reduced'] },
        does: { move: 'confirm', closes: 'all' },
      },
      { name: 'nothing to accept', says: 'Only the reviews are closed.', does: { closes: 'all' } },
    ],
  },
} satisfies Record<string, { title: string; rows: Row[] }>

/** The reviews that the books close: the surplus was refunded, the short payment completed, or the money is gone. */
export const closedBy: { readonly [Reason in ReviewReason]?: readonly Money[] } = {
  amount_mismatch: [...NOTHING_DUE, 'free'],
  late_payment: ['nothing', 'lost', 'returned', 'free'],
  refund_due: ['nothing', 'lost', 'returned', 'free'],
  refund_failed: ['nothing', 'lost', 'returned', 'free'],
  underpaid: ['nothing', 'lost', ...NOTHING_DUE, 'free'],
  overpaid: [...STILL_DUE, 'exact', 'reduced', 'returned', 'free'],
  duplicate_payment: [...STILL_DUE, 'exact', 'reduced', 'returned', 'free'],
}

const isClosed = (reason: ReviewReason, money: Money): boolean => closedBy[reason]?.includes(money) ?? false

export type Decision = {
  status: OrderStatus
  reasons: ReviewReason[]
  refunds: boolean
  endsAttempt: boolean
  settles: boolean
}

type SettlingOrder = { status: OrderStatus; review_reasons: readonly ReviewReason[] }

/** Decides about an order after a change of one of its payments. Money is always recorded, whatever the decision is. */
export function decideChange(
  order: SettlingOrder,
  situation: Omit<Situation, 'problem'>,
  problem: ReviewReason | null,
): Decision {
  const named = problem === null || isClosed(problem, situation.money) ? null : problem
  const whole: Situation = { ...situation, problem: named === null ? 'none' : 'named' }
  const { report, order: ofOrder, attempt } = settlementTable
  const effects = [report, ofOrder, attempt].map(({ rows }) => findRow(rows, whole).does)
  return decisionOf(order, effects, { money: situation.money, problem: named })
}

/** Decides about an order whose review a person closes by accepting what was received. */
export const decideAcceptance = (order: SettlingOrder, situation: Pick<Situation, 'order' | 'money'>): Decision =>
  decisionOf(order, [findRow(settlementTable.accept.rows, situation).does], { money: situation.money, problem: null })

function decisionOf(
  { status, review_reasons: before }: SettlingOrder,
  effects: readonly Effect[],
  { money, problem }: { money: Money; problem: ReviewReason | null },
): Decision {
  const raised = effects.flatMap(({ reviews = [] }) =>
    reviews.flatMap((one) => (one === 'problem' ? (problem ?? []) : one)),
  )
  const isOver = (reason: ReviewReason) =>
    isClosed(reason, money) || effects.some(({ closes }) => closes === 'all' || closes?.includes(reason))
  const move = effects.find((effect) => effect.move !== undefined)?.move
  return {
    status: (move === undefined ? null : orderStates.next(status, move)) ?? status,
    reasons: [...new Set([...before, ...raised])].filter((reason) => !isOver(reason)),
    refunds: effects.some((effect) => effect.refunds),
    endsAttempt: effects.some((effect) => effect.endsAttempt),
    settles: effects.some((effect) => effect.settles),
  }
}

/** The first row that applies; the last row of a part applies everywhere. */
export function findRow(rows: readonly Row[], situation: Partial<Situation>): Row {
  const found = rows.find((row) => applies(row, situation))
  if (found === undefined) throw new Error(`the settlement table has no row for ${JSON.stringify(situation)}`)
  return found
}

export const applies = ({ when = {} }: Row, situation: Partial<Situation>): boolean =>
  entriesOf(when).every(([fact, values]) => values?.some((value) => value === situation[fact]))
