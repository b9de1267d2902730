import { entriesOf } from '../../../kernel/records.ts'
import type { PaymentFailure } from '../../payment-connector.ts'
import { declined, rejected, unavailable } from '../../provider-calls/provider-calls.ts'

/**
 * The published test values: amounts, and customer names for open amounts, that cause simulated failures. They are documented
 * in docs/concepts/simulator.md, which a test compares with this table, so that tests, docs and demos cause failures in the same
 * way. Every other amount works.
 */
export type SimulatedTrouble =
  | 'refused'
  | 'declined'
  | 'unavailable'
  | 'throttled'
  | 'timeout_before'
  | 'timeout_after'
  | 'slow'

/** The notifications that follow a charge without a further call. */
export type SimulatedFollowUp = 'paid' | 'duplicate' | 'reordered' | 'short' | 'excess' | 'late' | 'reversed' | 'failed'

export const CHARGE_TROUBLES: Readonly<
  Record<SimulatedTrouble, { amount: number; name: string | null; says: string }>
> = {
  refused: { amount: 90_001, name: 'Simulate Refused', says: 'the method is not activated; not retried' },
  declined: { amount: 90_002, name: 'Simulate Declined', says: 'the payer is blocked; not retried' },
  unavailable: { amount: 90_003, name: 'Simulate Unavailable', says: 'the provider is down twice, then it works' },
  throttled: { amount: 90_004, name: 'Simulate Throttled', says: 'too many requests once, then it works' },
  timeout_before: { amount: 90_005, name: null, says: 'no answer, and nothing was created; the second call works' },
  timeout_after: { amount: 90_006, name: null, says: 'no answer, but it was created; a status query finds it' },
  slow: { amount: 90_007, name: null, says: 'payable only after some seconds' },
}

export const FOLLOW_UPS: Readonly<Record<SimulatedFollowUp, { amount: number; says: string }>> = {
  paid: { amount: 90_100, says: 'paid automatically after two seconds' },
  duplicate: { amount: 90_101, says: 'paid, and reported three times' },
  reordered: { amount: 90_102, says: 'paid, and reported before an older notification that says pending' },
  short: { amount: 90_103, says: 'paid Rp1.000 too little' },
  excess: { amount: 90_104, says: 'paid Rp1.000 too much' },
  late: { amount: 90_105, says: 'paid one minute after it expired' },
  reversed: { amount: 90_106, says: 'paid, and reversed by the bank' },
  failed: { amount: 90_107, says: 'the payer tries and fails' },
}

/** The attempt is paid without a notification: only a status query reveals it. */
export const SILENT_AMOUNT = 90_110
/** The payment is received in the moment in which the attempt is cancelled or expires. */
export const OVERTAKEN_AMOUNT = 90_111

/** Failures of refunds, by the amount of the refund. */
export const REFUND_TROUBLES = {
  pending: { amount: 90_201, says: 'accepted; a notification reports the result later' },
  refused: { amount: 90_202, says: 'refused because the balance is too low' },
  unknown: { amount: 90_203, says: 'no answer' },
} as const

type Charged = { amount: number | null; customer: { name: string | null } }

const TROUBLES = entriesOf(CHARGE_TROUBLES)

export function troubleOf({ amount, customer }: Charged): SimulatedTrouble | null {
  const found = TROUBLES.find(
    ([, trouble]) => trouble.amount === amount || (trouble.name !== null && trouble.name === customer.name),
  )
  return found?.[0] ?? null
}

const FOLLOW_UP_OF_AMOUNT = new Map(
  entriesOf(FOLLOW_UPS).map(([name, { amount }]): [number | null, SimulatedFollowUp] => [amount, name]),
)

export const followUpOf = (amount: number | null): SimulatedFollowUp | null => FOLLOW_UP_OF_AMOUNT.get(amount) ?? null

const CALLS_UNTIL_AVAILABLE = 3
const CALLS_UNTIL_UNTHROTTLED = 2
const RETRY_AFTER_MS = 1000

/** Returns null after the failure has passed, and for failures that are not refusals. */
export function refusalOf(trouble: SimulatedTrouble | null, attemptNumber: number): PaymentFailure | null {
  if (trouble === 'refused') return rejected('method_not_activated', 'This method is not activated (test value).')
  if (trouble === 'declined') return declined('payer_blocked', 'This payer is blocked (test value).')
  if (trouble === 'unavailable' && attemptNumber < CALLS_UNTIL_AVAILABLE)
    return unavailable('provider_unavailable', 'The provider is down (test value).')
  if (trouble === 'throttled' && attemptNumber < CALLS_UNTIL_UNTHROTTLED)
    return unavailable('throttled', 'Too many requests (test value).', { retryAfterMs: RETRY_AFTER_MS })
  return null
}
