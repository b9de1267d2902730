import { checkCharge, chooseCapability } from '../payment-capabilities.ts'
import type { ChargeAttempt, PaymentCapability } from '../payment-connector.ts'
import { type Refused, refused, rejected } from './provider-call.ts'

/**
 * Refuses charges without calling the provider: a method or bank that it does not have, an amount outside its limits, or an
 * expiry that passed while the attempt waited.
 */
export function checkAttempt(
  capabilities: readonly PaymentCapability[],
  attempt: ChargeAttempt,
  { provider, nowMs }: { provider: string; nowMs: number },
): { kind: 'possible'; capability: PaymentCapability } | Refused {
  const capability = chooseCapability(capabilities, { ...attempt, defaultBank: null })
  if (capability === null || capability.bank !== attempt.bank)
    return refused(rejected('method_not_supported', `${provider} has no ${attempt.method} ${attempt.bank ?? ''}.`))
  const problem = checkCharge(capability, { amount: attempt.amount, expirySeconds: null })
  if (problem !== null) return refused(rejected(problem.code, problem.says))
  if (attempt.expiresAt !== null && attempt.expiresAt.getTime() <= nowMs)
    return refused(rejected('payment_expired', 'It expired before it could be made payable.'))
  return { kind: 'possible', capability }
}
