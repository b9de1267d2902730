import { systemClock } from '../../src/kernel/clock.ts'
import type { PaymentProvider } from '../../src/payments/connectors/connectors.ts'
import { createPaymentProviders } from '../../src/payments/connectors/connectors.ts'
import {
  CHARGE_TROUBLES,
  FOLLOW_UPS,
  OVERTAKEN_AMOUNT,
  REFUND_TROUBLES,
  SILENT_AMOUNT,
} from '../../src/payments/connectors/simulator/simulated-values.ts'
import { suiteAccount } from '../../src/payments/payment-connector.suite.ts'
import type { PaymentCapability } from '../../src/payments/payment-connector.ts'
import { rupiah } from '../../src/payments/provider-calls/provider-calls.ts'
import { staticQris } from './qris-samples.ts'

/** The tables of docs/concepts/payments.md and docs/concepts/simulator.md as the code would write them: a test compares, so the guide cannot go stale. */
const PROVIDERS: PaymentProvider[] = ['midtrans', 'xendit', 'simulator', 'manual']
const FULL_SETTINGS = { static_qris: staticQris, transfer_account_number: '1234567890' }

function capabilitiesOf(provider: PaymentProvider): PaymentCapability[] {
  const { connector } = createPaymentProviders({ clock: systemClock })[provider]
  return connector.capabilities(suiteAccount({ provider, settings: FULL_SETTINGS }))
}

const nameOf = ({ method, bank }: PaymentCapability): string =>
  bank === null ? `\`${method}\`` : `\`${method}\` \`${bank}\``

function limitsOf({ amountMin, amountMax, isOpenAmountPossible }: PaymentCapability): string {
  const range = amountMax === null ? `from ${rupiah(amountMin)}` : `${rupiah(amountMin)} – ${rupiah(amountMax)}`
  return `${amountMax === 0 ? rupiah(0) : range}${isOpenAmountPossible ? ', open' : ''}`
}

export function limitRows(): string[] {
  const all = PROVIDERS.map((provider) => new Map(capabilitiesOf(provider).map((one) => [nameOf(one), limitsOf(one)])))
  const names = [...new Set(all.flatMap((capabilities) => [...capabilities.keys()]))]
  return names.map((name) => `| ${name} | ${all.map((capabilities) => capabilities.get(name) ?? '–').join(' | ')} |`)
}

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
