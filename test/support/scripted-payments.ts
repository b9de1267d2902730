import type { CreatedProvider } from '../../src/payments/connectors/connectors.ts'
import type {
  ChargeAttempt,
  ChargeOutcome,
  EndOutcome,
  KnownAttempt,
  PaymentCapability,
  PaymentConnector,
  PaymentFailure,
  PaymentReport,
  RawNotice,
  RefundAttempt,
  RefundOutcome,
  StatusOutcome,
} from '../../src/payments/payment-connector.ts'
import { makeDynamic, QRIS_LIMITS_DEFAULT } from '../../src/payments/qris/qris.ts'
import { staticQris } from './qris-samples.ts'

/**
 * A provider far away that says what a test wants it to say: the outside world, with a little memory of what it was asked.
 * Its notifications are JSON of the report itself; the token proves the sender, and `proven` says whether it proves the state.
 */
export type Script = {
  charge: (attempt: ChargeAttempt) => ChargeOutcome | Promise<ChargeOutcome>
  status: (attempt: KnownAttempt) => StatusOutcome | Promise<StatusOutcome>
  cancel: (attempt: KnownAttempt) => EndOutcome | Promise<EndOutcome>
  expire: (attempt: KnownAttempt) => EndOutcome | Promise<EndOutcome>
  refund: (refund: RefundAttempt) => RefundOutcome | Promise<RefundOutcome>
}

export type ScriptedProvider = CreatedProvider & {
  script: Script
  /** Every call, in order: `charge pay_…`. */
  calls: string[]
  /** Back to a provider that simply works. */
  reset(): void
}

export const SCRIPTED_TOKEN = 'a callback token for tests'

export const unavailableFailure: PaymentFailure = {
  class: 'unavailable',
  code: 'provider_unavailable',
  providerCode: '503',
  detail: 'down',
  retryAfterMs: null,
}

export const reportOf = (attempt: KnownAttempt, fields: Partial<PaymentReport> = {}): PaymentReport => ({
  attemptId: attempt.id,
  providerId: `scripted_${attempt.id}`,
  state: 'pending',
  amountPaid: fields.state === 'paid' || fields.state === 'reversed' ? attempt.amount : null,
  currency: 'IDR',
  occurredAt: null,
  dedupKey: `${attempt.id}:${fields.state ?? 'pending'}:${fields.captureId ?? ''}:${fields.amountPaid ?? ''}`,
  captureId: null,
  refunds: [],
  facts: {},
  ...fields,
})

/** A code that names its attempt: a payment reads it back. */
export const scriptedCode = ({ id, amount }: Pick<ChargeAttempt, 'id' | 'amount'>): string =>
  amount === null
    ? staticQris
    : makeDynamic(staticQris, { amount, limits: QRIS_LIMITS_DEFAULT, billNumber: id.slice(-25) }).text

export const payableOutcome = (
  attempt: Pick<ChargeAttempt, 'id' | 'method' | 'bank' | 'amount' | 'expiresAt'>,
): ChargeOutcome => ({
  kind: 'payable',
  details: {
    providerId: `scripted_${attempt.id}`,
    qrString: attempt.method === 'qris' ? scriptedCode(attempt) : null,
    qrImageUrl: null,
    virtualAccount:
      attempt.method === 'virtual_account'
        ? { bank: attempt.bank ?? 'bni', number: '8808123456789012', name: null }
        : null,
    bill: null,
    accountPage: null,
    ewallet: null,
    retail: null,
    card: null,
    instructions: null,
    expiresAt: attempt.expiresAt,
    stated: { attemptId: attempt.id, amount: attempt.amount, currency: 'IDR' },
  },
})

/** Charges wait until what is answered is called; then all of them are payable. */
export function holdCharges({ script }: Pick<ScriptedProvider, 'script'>): () => void {
  const gate = Promise.withResolvers<void>()
  script.charge = async (attempt) => {
    await gate.promise
    return payableOutcome(attempt)
  }
  return gate.resolve
}

export function scriptedNotice(report: PaymentReport, { proven = true, token = SCRIPTED_TOKEN } = {}): RawNotice {
  return {
    method: 'POST',
    headers: new Headers({ 'x-callback-token': token, 'x-proven': String(proven) }),
    query: new URLSearchParams(),
    body: new TextEncoder().encode(JSON.stringify(report)),
  }
}

const capability = (fields: Partial<PaymentCapability>): PaymentCapability => ({
  method: 'qris',
  bank: null,
  amountMin: 1,
  amountMax: 10_000_000,
  isOpenAmountPossible: true,
  expirySecondsMin: 1,
  expirySecondsMax: 86_400,
  expirySecondsDefault: 900,
  code: null,
  shows: 'qr',
  needsPhone: false,
  isRefundable: true,
  isRefundableInPart: true,
  isManual: false,
  ...fields,
})

const CAPABILITIES = [
  capability({}),
  capability({ method: 'virtual_account', bank: 'bni', isRefundable: false, amountMax: 50_000_000 }),
  capability({ method: 'virtual_account', bank: 'mandiri', isRefundable: false, amountMax: 50_000_000 }),
  capability({ method: 'ewallet', bank: 'ovo', isRefundableInPart: false }),
]

export function createScriptedProvider(): ScriptedProvider {
  const calls: string[] = []
  const charged = new Set<string>()
  const working: Script = {
    charge: payableOutcome,
    status: (attempt) =>
      charged.has(attempt.id) || attempt.providerId !== null
        ? { kind: 'known', report: reportOf(attempt), details: null }
        : { kind: 'absent' },
    cancel: () => ({ kind: 'ended' }),
    expire: () => ({ kind: 'ended' }),
    refund: ({ id }) => ({ kind: 'succeeded', providerRefundId: `scripted_${id}` }),
  }
  const script = { ...working }
  const connector: PaymentConnector = {
    isLocal: false,
    capabilities: () => CAPABILITIES,
    async charge(_, attempt) {
      calls.push(`charge ${attempt.id}`)
      const outcome = await script.charge(attempt)
      if (outcome.kind === 'payable') charged.add(attempt.id)
      return outcome
    },
    async askStatus(_, attempt) {
      calls.push(`status ${attempt.id}`)
      return script.status(attempt)
    },
    async cancel(_, attempt) {
      calls.push(`cancel ${attempt.id}`)
      return script.cancel(attempt)
    },
    async expire(_, attempt) {
      calls.push(`expire ${attempt.id}`)
      return script.expire(attempt)
    },
    async refund(_, refund) {
      calls.push(`refund ${refund.id}`)
      return script.refund(refund)
    },
    readNotice: readScriptedNotice,
    probe: async () => ({ kind: 'done' }),
  }
  const secret = { label: 'Token', help: 'for tests', isSecret: true, isRequired: false }
  return {
    connector,
    name: 'xendit',
    displayName: 'Scripted',
    isSimulated: false,
    fields: [{ name: 'callback_token', ...secret }],
    hasNotices: true,
    create: () => connector,
    script,
    calls,
    reset() {
      Object.assign(script, working)
      calls.length = 0
    },
  }
}

const readScriptedNotice: PaymentConnector['readNotice'] = (account, notice) => {
  if (notice.headers.get('x-callback-token') !== account.credentials.callback_token)
    return { kind: 'refused', status: 401, detail: 'the token does not match' }
  const report = JSON.parse(new TextDecoder().decode(notice.body)) as PaymentReport & { occurredAt: string | null }
  if (report.state === ('ping' as never)) return { kind: 'irrelevant', detail: 'a ping' }
  const occurredAt = report.occurredAt === null ? null : new Date(report.occurredAt)
  return {
    kind: 'genuine',
    report: { ...report, occurredAt },
    isStateProven: notice.headers.get('x-proven') === 'true',
  }
}
