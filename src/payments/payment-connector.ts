import type { OrgId } from '../kernel/ids.ts'
import type { EgressFetch } from '../platform/egress/pinned-fetch.ts'

/**
 * The contract of a payment provider: make an attempt payable, read what the provider reports about it, and ask. Provider
 * words stop here. Every implementation passes payment-connector.suite.ts.
 *
 *   charge ──▶ payable | refused | unavailable | unknown         outside any transaction, under the attempt's id
 *   notice ──▶ readNotice: refused | genuine ──▶ journal, 200 ──▶ (askStatus where a notice proves too little) ──▶ PaymentReport
 *
 * A local connector (the simulator, cash, a merchant's own static QRIS) answers `charge` without any call, so an order and
 * what it is paid with are written in one transaction.
 */
export type PaymentConnector = {
  provider: PaymentProvider
  /** Whether `charge` makes no outbound call and answers at once (see `chargeLocally`). */
  isLocal: boolean
  /** Method by method what this account can do: checked before any call. Open amounts only where isOpenAmount. */
  capabilities(account: PaymentAccount): PaymentCapability[]
  charge(account: PaymentAccount, attempt: ChargeAttempt, signal: AbortSignal): Promise<ChargeOutcome>
  /** Local connectors only: the same answer without waiting for anything. Pure but for the attempt's own id. */
  chargeLocally?(account: PaymentAccount, attempt: ChargeAttempt): ChargeOutcome
  /**
   * Local connectors only: notices that come by themselves after a charge, to be fed into the journal at their time. Only
   * the simulator has any, for its published test values.
   */
  plannedNotices?(account: PaymentAccount, attempt: ChargeAttempt, now: Date): PlannedNotice[]
  askStatus(account: PaymentAccount, attempt: KnownAttempt, signal: AbortSignal): Promise<StatusOutcome>
  /** Ends an attempt that nobody has paid. Where money came first the outcome says so. */
  cancel(account: PaymentAccount, attempt: KnownAttempt, signal: AbortSignal): Promise<EndOutcome>
  expire(account: PaymentAccount, attempt: KnownAttempt, signal: AbortSignal): Promise<EndOutcome>
  refund(account: PaymentAccount, refund: RefundAttempt, signal: AbortSignal): Promise<RefundOutcome>
  /** Pure. The raw bytes, because signatures cover them. */
  readNotice(account: PaymentAccount, notice: RawNotice): NoticeVerdict
  /** Asks for something harmless, to tell an operator whether the credentials work. */
  probe(account: PaymentAccount, signal: AbortSignal): Promise<CallOutcome>
}

export const paymentProviders = ['simulator', 'midtrans', 'xendit', 'manual'] as const
export type PaymentProvider = (typeof paymentProviders)[number]

export const paymentMethods = [
  'qris',
  'virtual_account',
  'bank_transfer',
  'cash',
  'cod',
  'ewallet',
  'card',
  'retail',
  'invoice',
  'free',
] as const
export type PaymentMethod = (typeof paymentMethods)[number]

/** With its credentials opened. Never logged and never stored in this form. */
export type PaymentAccount = {
  orgId: OrgId
  id: string
  provider: PaymentProvider
  baseUrl: string | null
  /** Where the provider is told to send notices, and where payers are sent back to. */
  noticeUrl: string
  /** Reaches the provider through the guard on addresses. */
  fetch: EgressFetch
  credentials: Readonly<Record<string, string>>
  /** Not secret: the merchant's static QRIS, name and city, bank account to transfer to, default bank, … */
  settings: Readonly<Record<string, unknown>>
}

export type PaymentCapability = {
  method: PaymentMethod
  /** For virtual accounts: ours (`bca`, `bni`, …), each with its own limits. Null where the method has no bank. */
  bank: string | null
  amountMin: number
  /** Null where the provider names none. */
  amountMax: number | null
  isOpenAmountPossible: boolean
  expirySecondsMin: number
  expirySecondsMax: number
  /** 0 where it does not end by itself unless somebody asks for an end. */
  expirySecondsDefault: number
  isRefundable: boolean
  /** Staff say when it is paid: nothing ever reports it. */
  isManual: boolean
}

export type ChargeAttempt = {
  /** Ours (`pay_…`): the provider's order id or reference. The same on every retry. */
  id: string
  orderId: string
  orderNumber: string
  method: PaymentMethod
  bank: string | null
  /** Integer rupiah; null for an open amount. */
  amount: number | null
  expiresAt: Date | null
  /** Shown to the payer where the provider shows anything. */
  merchantName: string
  customer: { name: string | null; phone: string | null }
  description: string
  /** Rises with every call for this attempt: 1 is the first. */
  attemptNumber: number
}

/** What a payer needs: exactly what the method has, null elsewhere. */
export type PayableDetails = {
  providerId: string | null
  qrString: string | null
  /** Only where the provider gives a picture and no string. */
  qrImageUrl: string | null
  virtualAccount: { bank: string; number: string; name: string | null } | null
  bill: { billerCode: string; billKey: string } | null
  /** For transfers to the merchant's own account and the like. */
  instructions: Record<string, string> | null
  expiresAt: Date | null
  /** What the answer says that it is about. Compared with the request before anything is shown (charge-agreement.ts). */
  stated: StatedCharge
}

/** Null where the answer does not say. */
export type StatedCharge = {
  attemptId: string | null
  /** Integer rupiah; NaN where the answer names an amount that is not whole rupiah. */
  amount: number | null
  /** In upper case. */
  currency: string | null
}

/**
 * rejected     ours to fix or never to be accepted: not tried again
 * declined     the payer's or the bank's no
 * unavailable  theirs, and surely without effect: tried again
 */
export type PaymentFailure = {
  class: 'rejected' | 'declined' | 'unavailable'
  /** Ours, stable: amount_too_low, method_not_activated, credentials_refused, provider_unavailable, throttled, … */
  code: string
  providerCode: string | null
  detail: string
  /** As the provider asked for it; `throttled` and `provider_unavailable` then hold up all that the account asks. */
  retryAfterMs: number | null
}

/** Nobody can say what became of the call. */
export type Unknown = { kind: 'unknown'; detail: string; retryAfterMs?: number | null }

export type ChargeOutcome =
  | { kind: 'payable'; details: PayableDetails }
  | { kind: 'refused'; failure: PaymentFailure }
  /** May have been made: ask for the status under our id before trying again with the same id. */
  | Unknown

export type KnownAttempt = {
  id: string
  providerId: string | null
  /** The payment that a notice named, where the provider has ids for payments too. */
  paymentId?: string
  /** Those that are in the books already: refunds may be told of payment by payment. */
  paymentIds?: readonly string[]
  method: PaymentMethod
  bank: string | null
  amount: number | null
}

export type StatusOutcome =
  | {
      kind: 'known'
      report: PaymentReport
      /** Where the answer carries them. */
      details: PayableDetails | null
      /** The provider does not show everything to this account: money or refunds may be missing from the report. */
      isPartial?: boolean
    }
  /** The provider has never heard of it. */
  | { kind: 'absent' }
  | { kind: 'refused'; failure: PaymentFailure }

export type EndOutcome =
  | { kind: 'ended' }
  /** It can no longer be ended; the report says what it is instead. */
  | { kind: 'overtaken'; report: PaymentReport | null }
  | { kind: 'refused'; failure: PaymentFailure }

export type RefundAttempt = {
  /** Ours (`rfd_…`), the provider's refund key. */
  id: string
  payment: KnownAttempt
  amount: number
  reason: string | null
}

export type RefundOutcome =
  | { kind: 'succeeded'; providerRefundId: string | null }
  /** Accepted; a notice will tell. */
  | { kind: 'pending'; providerRefundId: string | null }
  | { kind: 'refused'; failure: PaymentFailure }
  | Unknown

export type CallOutcome = { kind: 'done' } | { kind: 'refused'; failure: PaymentFailure }

/** Never `created`: that is only ever ours. */
export type ReportedPaymentState = 'pending' | 'paid' | 'failed' | 'expired' | 'cancelled' | 'reversed'

/** What a provider says about one attempt, whoever asked. */
export type PaymentReport = {
  /** Our attempt id as the provider knows it; null when it names only its own. */
  attemptId: string | null
  providerId: string | null
  state: ReportedPaymentState
  /** Integer rupiah that came in; null where the report names no amount. */
  amountPaid: number | null
  /** Anything but IDR moves nothing and marks the order for review. */
  currency: string
  occurredAt: Date | null
  /** Unique per fact: the same fact told twice has the same key. */
  dedupKey: string
  /** One payment of a code that can be paid several times (open virtual accounts, static QRIS). Null for one-time attempts. */
  captureId: string | null
  /**
   * The provider's id of a payment that should have been the only one and the whole amount. Where it is known, a second
   * payment is told from the first told again.
   */
  paymentId?: string
  refunds: ReportedRefund[]
  /**
   * Set on a `failed` that is the last word even about a payment already made: some banks take a transfer back minutes
   * later and their provider calls it denied. After `paid` such a report means `reversed`; any other `failed` is stale.
   */
  undoesPayment?: true
  /** On a `reversed` that is about a part of the money: all that was taken back so far, 0 where that is not told. */
  amountReversed?: number
  /** For people: issuer, sender's name, failure text. */
  facts: Record<string, string>
}

export type ReportedRefund = {
  /** What the provider was asked with: our id, or that of somebody else. Null where it does not say. */
  refundId: string | null
  providerRefundId: string | null
  amount: number
  state: 'pending' | 'succeeded' | 'failed'
}

export type RawNotice = { method: string; headers: Headers; query: URLSearchParams; body: Uint8Array }

export type PlannedNotice = { dueAt: Date; notice: RawNotice }

export type NoticeVerdict =
  | {
      kind: 'genuine'
      report: PaymentReport
      /** Whether the proof covers the state. If not, the provider is asked before anything moves. */
      isStateProven: boolean
    }
  /** Genuine, but its amount is not whole rupiah: recorded, and the order is marked for review at once. */
  | { kind: 'unreadable'; report: Pick<PaymentReport, 'attemptId' | 'providerId'>; detail: string }
  /** Genuine, but about nothing we keep (a test ping, a product we do not use): answered 200 and journaled. */
  | { kind: 'irrelevant'; detail: string }
  | { kind: 'refused'; status: 400 | 401 | 403 | 404 | 405 | 422; detail: string }
