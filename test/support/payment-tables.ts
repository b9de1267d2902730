import {
  CHARGE_TROUBLES,
  FOLLOW_UPS,
  OVERTAKEN_AMOUNT,
  REFUND_TROUBLES,
  SILENT_AMOUNT,
} from '../../src/payments/connectors/simulator/simulated-values.ts'

/** The table of docs/concepts/simulator.md as the code would write it: a test compares, so the guide cannot go stale. */
export const valueRows = (): string[] => [
  ...Object.values(CHARGE_TROUBLES).map(({ amount, name, says }) =>
    row(amount, name === null ? says : `${says}; also for a customer named "${name}"`),
  ),
  ...Object.values(FOLLOW_UPS).map(({ amount, says }) => row(amount, says)),
  row(SILENT_AMOUNT, 'paid, but no notification ever reports it; only polling does'),
  row(OVERTAKEN_AMOUNT, 'paid in the very moment in which it is cancelled or expired'),
  ...Object.values(REFUND_TROUBLES).map(({ amount, says }) => row(amount, `as the amount of a refund: ${says}`)),
]

const row = (amount: number, says: string): string => `| ${amount} | ${says} |`
