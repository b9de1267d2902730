import {
  type ChargeAttempt,
  type ChargeOutcome,
  definePaymentProvider,
  type EndOutcome,
  type KnownAttempt,
  type PaymentAccount,
  type PaymentCapability,
  type PaymentConnector,
  type PaymentMethod,
  type PaymentReport,
  type PlannedNotice,
  type RefundAttempt,
  type RefundOutcome,
  type StatusOutcome,
} from '../../payment-connector.ts'
import { checkCharge, chooseCapability, refundProblem, rejected } from '../../provider-calls/provider-calls.ts'
import { qrisLimitsOf } from '../../qris/qris-account.fields.ts'
import { simulatedRefundIdOf, simulatePay } from './simulated-notices.ts'
import { makePayable, PAGE_BANKS, type Payable, SIMULATED_BANKS, simulatedIdOf } from './simulated-payables.ts'
import {
  followUpOf,
  OVERTAKEN_AMOUNT,
  REFUND_TROUBLES,
  refusalOf,
  SILENT_AMOUNT,
  type SimulatedTrouble,
  troubleOf,
} from './simulated-values.ts'
import { simulatorFields } from './simulator.fields.ts'
import { readSimulatorNotice } from './simulator.notice.ts'

export {
  type SimulatedScenario,
  simulatedScenarios,
  simulatePay,
  simulateRefund,
} from './simulated-notices.ts'

/**
 * A simulated payment network without state. Its answers are derived from the attempt and the published test values
 * (simulated-values.ts), so it works in any process and after any crash. Only notifications report payments
 * (simulated-notices.ts), and their signature proves them.
 */
const DAY_SECONDS = 86_400
const EXPIRY = { expirySecondsMin: 1, expirySecondsMax: 180 * DAY_SECONDS }
const SLOW_MS = 3000
const FOLLOW_UP_MS = 2000
const LATE_MS = 60_000

const capability = (method: PaymentMethod, more: Partial<PaymentCapability>): PaymentCapability => ({
  method,
  bank: null,
  amountMin: 1,
  amountMax: 50_000_000_000,
  isOpenAmountPossible: false,
  ...EXPIRY,
  expirySecondsDefault: DAY_SECONDS,
  code: null,
  shows: 'number',
  needsPhone: false,
  isRefundable: more.isRefundableInPart ?? false,
  isRefundableInPart: false,
  isManual: false,
  ...more,
})

const REFUNDED = { isRefundableInPart: true }
const IN_FULL = { isRefundable: true }
/** Refunds are as at the stricter provider, so that what is tried here is possible there. */
const WALLETS = [
  { bank: 'gopay', ...REFUNDED },
  { bank: 'shopeepay', ...IN_FULL },
  { bank: 'dana', ...REFUNDED },
  { bank: 'linkaja', ...IN_FULL },
  { bank: 'astrapay' },
]
/** The limits of the real ones are those of their providers; these are close to them. */
const WALLET = { shows: 'link', amountMax: 20_000_000, expirySecondsDefault: 900 } as const
const HOSTED = { shows: 'link', amountMin: 10_000, amountMax: 200_000_000, expirySecondsDefault: 900 } as const

const OTHER_CAPABILITIES: PaymentCapability[] = [
  ...SIMULATED_BANKS.map((bank) =>
    capability('virtual_account', {
      bank,
      ...(PAGE_BANKS.includes(bank) ? { shows: 'link' } : { isOpenAmountPossible: true }),
      amountMin: bank === 'bca' || bank === 'seabank' ? 10_000 : 1,
    }),
  ),
  ...WALLETS.map((wallet) => capability('ewallet', { ...WALLET, ...wallet })),
  // As the real one: about a minute to answer in the app, and refunds in full only.
  capability('ewallet', {
    ...WALLET,
    bank: 'ovo',
    shows: 'push',
    needsPhone: true,
    expirySecondsDefault: 65,
    ...IN_FULL,
  }),
  ...['credit_card', 'akulaku', 'kredivo'].map((bank) => capability('card', { ...HOSTED, ...REFUNDED, bank })),
  ...['alfamart', 'indomaret'].map((bank) =>
    capability('retail', {
      bank,
      shows: 'code',
      amountMin: 10_000,
      amountMax: 5_000_000,
      expirySecondsDefault: 2 * DAY_SECONDS,
    }),
  ),
]

const capabilitiesOf = (account: PaymentAccount): PaymentCapability[] => [
  capability('qris', {
    ...qrisLimitsOf(account),
    shows: 'qr',
    isOpenAmountPossible: true,
    expirySecondsDefault: 900,
    ...REFUNDED,
  }),
  ...OTHER_CAPABILITIES,
]

/** Caches the capabilities, because every charge reads them and an opened account does not change. */
const known = new WeakMap<PaymentAccount, PaymentCapability[]>()

function capabilities(account: PaymentAccount): PaymentCapability[] {
  const found = known.get(account) ?? capabilitiesOf(account)
  known.set(account, found)
  return found
}

export const simulatorConnector: PaymentConnector = {
  isLocal: true,
  capabilities,
  charge: chargeSlowly,
  chargeLocally,
  plannedNotices,
  askStatus: async (account, attempt) => askStatus(account, attempt),
  cancel: async (_account, attempt) => end(attempt),
  expire: async (_account, attempt) => end(attempt),
  refund: async (account, refund) => refundLocally(account, refund),
  readNotice: readSimulatorNotice,
  probe: async () => ({ kind: 'done' }),
}

const HIDDEN_AT_FIRST: readonly (SimulatedTrouble | null)[] = ['timeout_before', 'timeout_after', 'slow']

function chargeLocally(account: PaymentAccount, attempt: ChargeAttempt): ChargeOutcome {
  const capable = chooseCapability(capabilities(account), { ...attempt, defaultBank: null })
  if (capable === null || capable.bank !== attempt.bank)
    return {
      kind: 'refused',
      failure: rejected('method_not_supported', `The simulator has no ${attempt.method} here.`),
    }
  const problem = checkCharge(capable, { amount: attempt.amount, expirySeconds: null })
  if (problem !== null) return { kind: 'refused', failure: rejected(problem.code, problem.says) }
  const trouble = troubleOf(attempt)
  const refusal = refusalOf(trouble, attempt.attemptNumber)
  if (refusal !== null) return { kind: 'refused', failure: refusal }
  if (HIDDEN_AT_FIRST.includes(trouble) && attempt.attemptNumber === 1)
    return { kind: 'unknown', detail: `no answer (test value for ${trouble})` }
  return { kind: 'payable', details: makePayable(account, attempt) }
}

/** The asynchronous charge, which also plays the slow test values. */
async function chargeSlowly(
  account: PaymentAccount,
  attempt: ChargeAttempt,
  signal: AbortSignal,
): Promise<ChargeOutcome> {
  if (troubleOf(attempt) !== 'slow') return chargeLocally(account, attempt)
  if (!(await hasWaited(SLOW_MS, signal))) return { kind: 'unknown', detail: 'the call was given up' }
  return chargeLocally(account, { ...attempt, attemptNumber: attempt.attemptNumber + 1 })
}

const hasWaited = (ms: number, signal: AbortSignal) =>
  new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(true), ms)
    const stop = () => {
      clearTimeout(timer)
      resolve(false)
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

function plannedNotices(account: PaymentAccount, attempt: ChargeAttempt, now: Date): PlannedNotice[] {
  const followUp = followUpOf(attempt.amount)
  if (followUp === null) return []
  const expiryMs = attempt.expiresAt === null ? 0 : attempt.expiresAt.getTime() - now.getTime()
  const dueAt = new Date(now.getTime() + (followUp === 'late' ? expiryMs + LATE_MS : FOLLOW_UP_MS))
  return simulatePay({ account, attempt, now: dueAt }, followUp).map((notice) => ({ dueAt, notice }))
}

/** An attempt without a provider id exists only when the answer to its charge was lost after the effect. */
function askStatus(account: PaymentAccount, attempt: KnownAttempt): StatusOutcome {
  const trouble = troubleOf({ amount: attempt.amount, customer: { name: null } })
  if (attempt.providerId === null && trouble !== 'timeout_after' && trouble !== 'slow') return { kind: 'absent' }
  const payable: Payable = { ...attempt, expiresAt: null, merchantName: null, orderNumber: null, returnUrl: null }
  const state = attempt.amount === SILENT_AMOUNT ? 'paid' : 'pending'
  const hasLink = capabilityOf(account, attempt)?.shows === 'link'
  const details = hasLink ? null : makePayable(account, payable)
  return { kind: 'known', report: reportOf(attempt, state), details }
}

function reportOf(attempt: KnownAttempt, state: 'pending' | 'paid'): PaymentReport {
  const transaction = simulatedIdOf(attempt.id)
  return {
    attemptId: attempt.id,
    providerId: transaction,
    state,
    amountPaid: state === 'paid' ? attempt.amount : null,
    currency: 'IDR',
    occurredAt: null,
    dedupKey: `${transaction}:payment.${state}`,
    captureId: null,
    refunds: [],
    facts: { issuer: 'Simulator' },
  }
}

const end = (attempt: KnownAttempt): EndOutcome =>
  attempt.amount === OVERTAKEN_AMOUNT || attempt.amount === SILENT_AMOUNT
    ? { kind: 'overtaken', report: reportOf(attempt, 'paid') }
    : { kind: 'ended' }

const capabilityOf = (account: PaymentAccount, { method, bank }: Pick<KnownAttempt, 'method' | 'bank'>) =>
  chooseCapability(capabilities(account), { method, bank, defaultBank: null })

function refundLocally(account: PaymentAccount, { id, payment, amount }: RefundAttempt): RefundOutcome {
  const problem = refundProblem(capabilityOf(account, payment), { payment, amount })
  if (problem !== null) return { kind: 'refused', failure: problem }
  if (amount === REFUND_TROUBLES.refused.amount)
    return { kind: 'refused', failure: rejected('balance_insufficient', 'The balance does not suffice (test value).') }
  if (amount === REFUND_TROUBLES.unknown.amount) return { kind: 'unknown', detail: 'no answer (test value)' }
  const isPending = amount === REFUND_TROUBLES.pending.amount
  return { kind: isPending ? 'pending' : 'succeeded', providerRefundId: simulatedRefundIdOf(id) }
}

export const simulator = definePaymentProvider({
  name: 'simulator',
  displayName: 'Simulator',
  isSimulated: true,
  hasNotices: true,
  fields: simulatorFields,
  create: () => simulatorConnector,
})
