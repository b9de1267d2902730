import {
  type ChargeAttempt,
  type ChargeOutcome,
  definePaymentProvider,
  type KnownAttempt,
  type PayableDetails,
  type PaymentAccount,
  type PaymentCapability,
  type PaymentConnector,
  type PaymentMethod,
  type StatusOutcome,
} from '../../payment-connector.ts'
import { checkCharge, chooseCapability, NO_DETAILS, plainText, rejected } from '../../provider-calls/provider-calls.ts'
import { makeDynamic, QrisError } from '../../qris/qris.ts'
import { qrisLimitsOf } from '../../qris/qris-account.fields.ts'
import { manualFields } from './manual.fields.ts'

/**
 * Payments that no provider handles: cash, cash on delivery, a transfer to the shop's own account, an invoice, the static
 * QRIS code on the counter. Staff record them ("mark as paid"), because no provider reports, ends or refunds them. Only the
 * wait for the money expires: a static QRIS code with an amount stays payable for ever.
 */
const DAY_SECONDS = 86_400

const byHand = (method: PaymentMethod, more: Partial<PaymentCapability> = {}): PaymentCapability => ({
  method,
  bank: null,
  amountMin: 1,
  amountMax: null,
  isOpenAmountPossible: true,
  expirySecondsMin: 1,
  expirySecondsMax: 365 * DAY_SECONDS,
  expirySecondsDefault: 0,
  code: null,
  shows: 'instructions',
  needsPhone: false,
  isRefundable: false,
  isRefundableInPart: false,
  isManual: true,
  ...more,
})

const textSetting = (account: PaymentAccount, name: string): string | null => {
  const value = account.settings[name]
  return typeof value === 'string' && value !== '' ? value : null
}

function capabilities(account: PaymentAccount): PaymentCapability[] {
  const hasQris = textSetting(account, 'static_qris') !== null
  const hasAccount = textSetting(account, 'transfer_account_number') !== null
  return [
    ...(hasQris ? [byHand('qris', { ...qrisLimitsOf(account), shows: 'qr', expirySecondsDefault: DAY_SECONDS })] : []),
    ...(hasAccount ? [byHand('bank_transfer', { expirySecondsDefault: DAY_SECONDS, ...uniqueAmountOf(account) })] : []),
    byHand('cash'),
    byHand('cod'),
    byHand('invoice'),
    // A free order has a total of 0, so its amount is never open.
    byHand('free', { amountMin: 0, amountMax: 0, isOpenAmountPossible: false }),
  ]
}

/** An amount of three digits is small enough to pay, and 999 open transfers over one sum are rare. */
const UNIQUE_AMOUNT_MAX = 999

const uniqueAmountOf = (account: PaymentAccount): Partial<PaymentCapability> =>
  textSetting(account, 'transfer_unique_amount') === 'on' ? { uniqueAmountMax: UNIQUE_AMOUNT_MAX } : {}

export const manualConnector: PaymentConnector = {
  isLocal: true,
  capabilities,
  charge: async (account, attempt) => chargeLocally(account, attempt),
  chargeLocally,
  askStatus: async (_account, attempt) => askStatus(attempt),
  cancel: async () => ({ kind: 'ended' }),
  expire: async () => ({ kind: 'ended' }),
  refund: async () => ({
    kind: 'refused',
    failure: rejected('refund_by_hand', 'Pay it back by hand and record the refund with a note.'),
  }),
  readNotice: () => ({ kind: 'refused', status: 404, detail: 'manual payments have no notices' }),
  probe: async () => ({ kind: 'done' }),
}

function chargeLocally(account: PaymentAccount, attempt: ChargeAttempt): ChargeOutcome {
  const capability = chooseCapability(capabilities(account), { ...attempt, defaultBank: null })
  if (capability === null) return refuse('method_not_activated', `This account is not set up for ${attempt.method}.`)
  const problem = checkCharge(capability, { amount: attempt.amount, expirySeconds: null })
  if (problem !== null) return refuse(problem.code, problem.says)
  try {
    const details = { ...NO_DETAILS, expiresAt: attempt.expiresAt, ...payWith(account, attempt) }
    return { kind: 'payable', details }
  } catch (error) {
    if (error instanceof QrisError) return refuse('qris_unusable', error.message)
    throw error
  }
}

const refuse = (code: string, detail: string): ChargeOutcome => ({ kind: 'refused', failure: rejected(code, detail) })

function payWith(account: PaymentAccount, attempt: ChargeAttempt): Partial<PayableDetails> {
  if (attempt.method === 'qris') return { qrString: qrisWithAmount(account, attempt) }
  if (attempt.method === 'bank_transfer') return { instructions: transferInstructions(account, attempt) }
  return { instructions: { pay_with: attempt.method, reference: attempt.orderNumber } }
}

/** Returns the static code unchanged for an open amount: the payer types the amount. */
function qrisWithAmount(account: PaymentAccount, attempt: ChargeAttempt): string {
  const sticker = textSetting(account, 'static_qris') ?? ''
  if (attempt.amount === null) return sticker
  const billNumber = plainText(attempt.orderNumber, 25)
  return makeDynamic(sticker, {
    amount: attempt.amount,
    limits: qrisLimitsOf(account),
    ...(billNumber !== '' && { billNumber }),
  }).text
}

function transferInstructions(account: PaymentAccount, attempt: ChargeAttempt): Record<string, string> {
  const note = textSetting(account, 'transfer_note')
  return {
    bank: textSetting(account, 'transfer_bank') ?? '',
    account_number: textSetting(account, 'transfer_account_number') ?? '',
    account_holder: textSetting(account, 'transfer_account_holder') ?? '',
    reference: attempt.orderNumber,
    ...(note !== null && { note }),
  }
}

const askStatus = (attempt: KnownAttempt): StatusOutcome => ({
  kind: 'known',
  report: {
    attemptId: attempt.id,
    providerId: null,
    state: 'pending',
    amountPaid: null,
    currency: 'IDR',
    occurredAt: null,
    dedupKey: `manual:${attempt.id}:pending`,
    captureId: null,
    refunds: [],
    facts: {},
  },
  details: null,
})

export const manual = definePaymentProvider({
  name: 'manual',
  displayName: 'Manual',
  isSimulated: false,
  hasNotices: false,
  fields: manualFields,
  create: () => manualConnector,
})
