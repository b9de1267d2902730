import { drawStates, type States } from '../../kernel/states.ts'
import { paymentStates, refundStates } from '../../payments/attempts/payments.states.ts'
import { reviewReasons } from './order-decision.ts'
import { orderStates } from './orders.states.ts'
import { paymentStatuses } from './settlement.ts'

/** The reference page of states, drawn from the tables of states. `npm run openapi` writes it. */
const INTRODUCTION = `# States of orders, payments and refunds

Drawn from the tables in \`src/orders/settlement/orders.states.ts\` and \`src/payments/attempts/payments.states.ts\` by \`npm run openapi\`. What the words mean is told in [the guide to orders](../guides/orders.md).`

const section = (title: string, text: string, states: States) => `## ${title}\n\n${text}\n\n${drawStates(states)}`

const list = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ')

export const orderStatesPage = (): string =>
  `${[
    INTRODUCTION,
    section('Order', '`status` of an order: the seller’s side of it.', orderStates as States),
    section(
      'Payment',
      '`status` of one attempt to pay. Reports come in any order; an attempt never moves to a state of the same or a lower rank: created, pending, then failed, expired or cancelled, then paid, then reversed.',
      paymentStates as States,
    ),
    section('Refund', '`status` of a refund.', refundStates as States),
    `## Payment status of an order\n\nNot a state but a function of what came in, what went back and the total: ${list(paymentStatuses)}.`,
    `## Reasons for a review\n\n\`needs_review\` of an order: ${list(reviewReasons)}.`,
  ].join('\n\n')}\n`
