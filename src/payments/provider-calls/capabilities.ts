import type { PaymentCapability, PaymentForm, PaymentMethod } from '../payment-connector.ts'

/**
 * One line of a provider's bill of facts. Validation, charges, refunds, the payment account, the pay page and
 * docs/reference/payment-methods.md are derived from these lines.
 */
export type ChannelFacts = readonly [
  method: PaymentMethod,
  /** Our code of the bank, wallet, store, card or pay later service. */
  channel: string,
  /** The provider's code. */
  code: string,
  shows: PaymentForm,
  amountMin: number,
  amountMax: number | null,
  expirySeconds: readonly [min: number, standard: number, max: number],
  refund: 'none' | 'full' | 'partial',
]

export const capabilityOf = ([
  method,
  bank,
  code,
  shows,
  min,
  max,
  expiry,
  refund,
]: ChannelFacts): PaymentCapability => ({
  method,
  bank,
  code,
  shows,
  needsPhone: shows === 'push',
  amountMin: min,
  amountMax: max,
  isOpenAmountPossible: false,
  expirySecondsMin: expiry[0],
  expirySecondsDefault: expiry[1],
  expirySecondsMax: expiry[2],
  isRefundable: refund !== 'none',
  isRefundableInPart: refund === 'partial',
  isManual: false,
})

/**
 * Checks before any call whether an account has the method and the bank, and whether amount and expiry are within its limits.
 * The provider would refuse the same, seconds later and in its own words.
 */
export type ChargeTerms = { amount: number | null; expirySeconds: number | null }

export type ChargeProblem = {
  field: 'amount' | 'expires_in_seconds'
  code: 'amount_required' | 'amount_too_low' | 'amount_too_high' | 'expiry_too_short' | 'expiry_too_long'
  says: string
  params: Record<string, unknown>
}

export function checkCharge(capability: PaymentCapability, terms: ChargeTerms): ChargeProblem | null {
  return checkAmount(capability, terms.amount) ?? checkExpiry(capability, terms.expirySeconds)
}

function checkAmount(capability: PaymentCapability, amount: number | null): ChargeProblem | null {
  const { amountMin, amountMax } = capability
  const params = { min: amountMin, max: amountMax, method: capability.method, bank: capability.bank }
  const what = capability.bank === null ? capability.method : `${capability.method} of ${capability.bank}`
  if (amount === null)
    return capability.isOpenAmountPossible
      ? null
      : problem('amount', 'amount_required', `${what} needs an amount. Send "items" or "amount".`, params)
  if (amount < amountMin)
    return problem('amount', 'amount_too_low', `The lowest amount for ${what} is ${rupiah(amountMin)}.`, params)
  if (amountMax !== null && amount > amountMax)
    return problem('amount', 'amount_too_high', `The highest amount for ${what} is ${rupiah(amountMax)}.`, params)
  return null
}

function checkExpiry(capability: PaymentCapability, seconds: number | null): ChargeProblem | null {
  if (seconds === null) return null
  const { expirySecondsMin: min, expirySecondsMax: max } = capability
  const params = { min, max }
  if (seconds < min)
    return problem(
      'expires_in_seconds',
      'expiry_too_short',
      `The payment must not expire before ${min} seconds.`,
      params,
    )
  if (seconds > max)
    return problem('expires_in_seconds', 'expiry_too_long', `The payment must expire within ${max} seconds.`, params)
  return null
}

const problem = (
  field: ChargeProblem['field'],
  code: ChargeProblem['code'],
  says: string,
  params: Record<string, unknown>,
): ChargeProblem => ({ field, code, says, params })

/** Formats an amount as in Indonesia: `Rp10.000.000`. */
export const rupiah = (amount: number): string => `Rp${String(amount).replaceAll(/\B(?=(\d{3})+$)/g, '.')}`

/** Lists the enabled capabilities of an account, in the connector's order. */
export const enabledCapabilities = (
  capabilities: readonly PaymentCapability[],
  methods: readonly PaymentMethod[] | null,
): PaymentCapability[] => capabilities.filter(({ method }) => methods === null || methods.includes(method))

/** Chooses the bank when none is named: the account's default bank if it is available, else the first. */
export function chooseCapability(
  capabilities: readonly PaymentCapability[],
  { method, bank, defaultBank }: { method: PaymentMethod; bank: string | null; defaultBank: string | null },
): PaymentCapability | null {
  const ofMethod = capabilities.filter((capability) => capability.method === method)
  const has = (wanted: string | null) => ofMethod.find((capability) => capability.bank === wanted) ?? null
  if (bank !== null) return has(bank)
  return (defaultBank === null ? null : has(defaultBank)) ?? ofMethod[0] ?? null
}
