import { drawStates } from '../../kernel/states.ts'
import { paymentStates, refundStates } from '../../payments/payments.states.ts'
import { leftAfter, type MoneyLine, type OrderBooks, settle, stageOf } from './order-books.ts'
import { orderStates } from './orders.states.ts'
import { closedBy, type Effect, paymentStatuses, type Row, reviewReasons, settlementTable } from './settlement.ts'
import { facts } from './situation.ts'

/** The reference pages of states and of the settlement, drawn from their tables. `npm run openapi` writes them. */
const INTRODUCTION = `# States of orders, payments and refunds

Drawn from the tables in \`src/orders/settlement/orders.states.ts\` and \`src/payments/payments.states.ts\` by \`npm run openapi\`. What the words mean is told in [the guide to orders](../concepts/orders.md).`

const section = (title: string, text: string, states: Parameters<typeof drawStates>[0]) =>
  `## ${title}\n\n${text}\n\n${drawStates(states)}`

const list = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ')

export const orderStatesPage = (): string =>
  `${[
    INTRODUCTION,
    section('Order', '`status` of an order: the seller’s side of it.', orderStates),
    section(
      'Payment',
      '`status` of one attempt to pay. Reports come in any order; an attempt never moves to a state of the same or a lower rank: created, pending, then failed, expired or cancelled, then paid, then reversed.',
      paymentStates,
    ),
    section('Refund', '`status` of a refund.', refundStates),
    `## Payment status of an order\n\nNot a state but a function of what came in, what went back and the total: ${list(paymentStatuses)}.`,
    `## Reasons for a review\n\n\`needs_review\` of an order: ${list(reviewReasons)}.`,
  ].join('\n\n')}\n`

const received = (amount: number): MoneyLine => ({ kind: 'capture', amount })
const refunded = (amount: number): MoneyLine => ({ kind: 'refund', amount: -amount })
const reversed = (amount: number): MoneyLine => ({ kind: 'reversal', amount: -amount })

/** Books of an order with one attempt, whose amount is 25,000 or open. */
export const bookCases: readonly { total: number | null; lines: readonly MoneyLine[] }[] = [
  ...[
    [],
    [received(1)],
    [received(20_000), received(5_000)],
    [received(25_000)],
    [received(25_001)],
    [received(25_001), refunded(1)],
    [received(25_000), refunded(1)],
    [received(25_000), refunded(25_000)],
    [received(20_000), refunded(5_000)],
    [received(20_000), refunded(20_000)],
    [received(25_000), reversed(25_000)],
    [received(25_000), reversed(10_000)],
    [received(25_000), refunded(10_000), reversed(15_000)],
    [received(25_000), reversed(25_000), received(25_000)],
    [received(25_000), reversed(25_000), received(20_000)],
    [received(50_000), reversed(25_000)],
    [received(50_000), refunded(25_000), reversed(25_000)],
  ].map((lines) => ({ total: 25_000, lines })),
  ...[
    [],
    [received(1)],
    [received(2), refunded(1)],
    [received(2), refunded(2)],
    [received(2), reversed(1)],
    [received(2), reversed(2)],
    [received(2), refunded(1), reversed(1)],
  ].map((lines) => ({ total: null, lines })),
]

/** The books after these movements of one attempt. */
export function booksAfter(total: number | null, lines: readonly MoneyLine[], hasLiveAttempt = false): OrderBooks {
  const sumOf = (wanted: MoneyLine['kind']) =>
    lines.reduce((sum, { kind, amount }) => (kind === wanted ? sum + Math.abs(amount) : sum), 0)
  const [paid, refunded, reversed] = [sumOf('capture'), sumOf('refund'), sumOf('reversal')]
  const isReversed = reversed > 0 && refunded + reversed === paid
  const left = total === null ? null : leftAfter(total, lines)
  return { total, paid, refunded, reversed, standing: isReversed ? 0 : paid, left, hasLiveAttempt }
}

const VERBS: Record<MoneyLine['kind'], string> = { capture: 'received', refund: 'refunded', reversal: 'reversed' }

function bookLine({ total, lines }: (typeof bookCases)[number]): string {
  const settlement = settle(booksAfter(total, lines), false)
  const stage = stageOf({ ...settlement, accepted_at: null, status: 'confirmed' })
  const money = lines.map(({ kind, amount }) => `${VERBS[kind]} ${Math.abs(amount)}`).join(', ') || 'nothing received'
  return tableLine([
    total ?? 'open',
    money,
    `\`${settlement.payment_status}\``,
    settlement.amount_remaining ?? '–',
    stage,
  ])
}

const tableLine = (cells: readonly unknown[]): string => `| ${cells.join(' | ')} |`

const tableOf = (heads: readonly string[], lines: readonly string[]): string =>
  [tableLine(heads), `|${'---|'.repeat(heads.length)}`, ...lines].join('\n')

function whenText({ when }: Row): string {
  if (when === undefined) return 'in every other case'
  return Object.entries(when)
    .map(([fact, values]) => `${fact}: ${values.join(', ')}`)
    .join('; ')
}

/** The effect of a row in words. */
export function effectText({ move, reviews = [], closes = [], refunds, endsAttempt, settles }: Effect): string {
  const effects = [
    ...(move === undefined ? [] : [`${move} the order`]),
    ...reviews.map((reason) => (reason === 'problem' ? 'review the problem' : `review \`${reason}\``)),
    ...(refunds ? ['refund the money'] : []),
    ...(settles ? ['nothing is due any more'] : []),
    ...(endsAttempt ? ['end the attempt'] : []),
    ...(closes === 'all' ? ['close all reviews'] : closes.map((reason) => `close the review \`${reason}\``)),
  ]
  return effects.join(', ') || '–'
}

const rowLines = (rows: readonly Row[]): string[] =>
  rows.map((row) => tableLine([row.name, whenText(row), effectText(row.does), row.says]))

const SETTLEMENT_INTRODUCTION = `# Settlement of an order

Drawn from \`src/orders/settlement/settlement.ts\` by \`npm run openapi\`. Whenever a payment of an order changes, the money is recorded first. Then this table decides what happens to the order: its status, its reviews, refunds, and attempts to end. Exactly one row of each part applies. The states are on [their page](order-states.md).`

export const settlementPage = (): string =>
  `${[
    SETTLEMENT_INTRODUCTION,
    `## What the books say\n\n${tableOf(['total', 'money, in this sequence', 'payment_status', 'amount_remaining', 'shown as'], bookCases.map(bookLine))}`,
    `## Facts\n\n${tableOf(
      ['fact', 'value', 'meaning'],
      Object.entries(facts).flatMap(([fact, values]) =>
        Object.entries(values).map(([value, meaning]) => tableLine([fact, value, meaning])),
      ),
    )}`,
    ...Object.values(settlementTable).map(
      ({ title, rows }) => `## ${title}\n\n${tableOf(['row', 'when', 'does', 'in words'], rowLines(rows))}`,
    ),
    `## Reviews that the books close\n\nThe other reviews stay open until a person closes them.\n\n${tableOf(
      ['review', 'closed when money is'],
      Object.entries(closedBy).map(([reason, money]) => tableLine([`\`${reason}\``, money.join(', ')])),
    )}`,
  ].join('\n\n')}\n`
