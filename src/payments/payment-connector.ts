import type { Clock } from '../kernel/clock.ts'
import type { Id, OrgId } from '../kernel/ids.ts'
import type { EgressFetch } from '../platform/outbound-http/egress.ts'

/**
 * The contract of a payment provider: charge an attempt, read the provider's notifications, and query its status. The provider's
 * vocabulary ends here. Every implementation passes payment-connector.suite.ts.
 *
 *   charge ──▶ payable | refused | unavailable | unknown         outside any transaction, under the attempt's id
 *   notification ──▶ readNotice: refused | genuine ──▶ journal, 200
 *     ──▶ (askStatus when the signature does not cover the state) ──▶ PaymentReport
 *
 * A local connector (the simulator, cash, a merchant's own static QRIS) answers `charge` without a call, so an order and its
 * payment details are written in one transaction.
 */
export type PaymentConnector = {
  /** Whether `charge` makes no outbound call and answers at once (see `chargeLocally`). */
  isLocal: boolean
  /** The methods of this account with their limits, which are checked before any call. */
  capabilities(account: PaymentAccount): PaymentCapability[]
  charge(account: PaymentAccount, attempt: ChargeAttempt, signal: AbortSignal): Promise<ChargeOutcome>
  /** Local connectors only: the same answer, synchronously. */
  chargeLocally?(account: PaymentAccount, attempt: ChargeAttempt): ChargeOutcome
  /**
   * Local connectors only: notifications that follow a charge and are put into the journal at their time. Only the simulator has
   * any, for its published test values.
   */
  plannedNotices?(account: PaymentAccount, attempt: ChargeAttempt, now: Date): PlannedNotice[]
  askStatus(account: PaymentAccount, attempt: KnownAttempt, signal: AbortSignal): Promise<StatusOutcome>
  /** Ends an unpaid attempt. If money was received first, the outcome contains it. */
  cancel(account: PaymentAccount, attempt: KnownAttempt, signal: AbortSignal): Promise<EndOutcome>
  expire(account: PaymentAccount, attempt: KnownAttempt, signal: AbortSignal): Promise<EndOutcome>
  refund(account: PaymentAccount, refund: RefundAttempt, signal: AbortSignal): Promise<RefundOutcome>
  /** Pure. It takes the raw bytes, because signatures cover them. */
  readNotice(account: PaymentAccount, notice: RawNotice): NoticeVerdict
  /** Makes a harmless call that shows whether the credentials work. */
  probe(account: PaymentAccount, signal: AbortSignal): Promise<CallOutcome>
}

/**
 * A payment provider as one value. A new provider is a folder with such a value and one line in connectors/connectors.ts: the
 * API's enum, the console's forms and names, the CLI's flags and the hooks are derived from that list.
 */
export type PaymentProviderDefinition<Name extends string = string> = {
  /** As the API, the database and the path of its notifications name it. */
  name: Name
  displayName: string
  /** Whether it moves no real money. */
  isSimulated: boolean
  /** Whether the provider sends notifications, so that an operator needs the notification address. */
  hasNotices: boolean
  fields: readonly PaymentField[]
  create(options: { clock: Clock }): PaymentConnector
}

export const definePaymentProvider = <const Name extends string>(
  definition: PaymentProviderDefinition<Name>,
): PaymentProviderDefinition<Name> => definition

/**
 * The configuration fields of a provider's accounts, declared once beside its connector. The console form, the CLI flags, the
 * validation and the masking are derived from them. All values are text.
 */
export type PaymentField = {
  name: string
  label: string
  /** A sentence that says what the value is and where to find it. */
  help: string
  isSecret: boolean
  isRequired: boolean
  placeholder?: string
  /** The allowed values, when they are known. */
  choices?: readonly string[]
  lengthMax?: number
  /** Normalizes the text for storage. */
  clean?: (text: string) => string
  /** Returns a sentence about the problem of the normalized text, or null. */
  check?: (text: string) => string | null
  /** Generates the value when none is given. */
  generate?: () => string
  /** Fields that have no meaning without each other. */
  needs?: readonly string[]
}

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

/** An account with its credentials in clear. It is never logged or stored in this form. */
export type PaymentAccount = {
  orgId: OrgId
  id: Id<'pac'>
  provider: string
  baseUrl: string | null
  /** The address for notifications, and the address that payers return to. */
  noticeUrl: string
  /** Calls the provider through the address guard. */
  fetch: EgressFetch
  credentials: Readonly<Record<string, string>>
  /** Values that are not secret: the merchant's static QRIS, name and city, bank account, default bank, … */
  settings: Readonly<Record<string, unknown>>
}

/**
 * What the payer gets.
 *
 *   qr            a code to scan
 *   number        an account number or a bill key
 *   code          a payment code for a store counter
 *   link          an app or a page of the provider opens; a wallet may add a QR code for desks
 *   push          a request appears in the payer's app
 *   instructions  words of the shop
 */
export type PaymentForm = 'qr' | 'number' | 'code' | 'link' | 'push' | 'instructions'

export type PaymentCapability = {
  method: PaymentMethod
  /**
   * Our code of the channel, each with its own limits: the bank of a virtual account (`bca`), the wallet of an e-wallet payment
   * (`gopay`), the store of a retail payment (`alfamart`), the card or pay later service of a hosted page (`credit_card`). Null
   * when the method has no channels. The column and the contract keep the name of the first kind of channel.
   */
  bank: string | null
  /** What the provider calls it; null for connectors without a provider. */
  code: string | null
  shows: PaymentForm
  /** The payer's phone number is part of the charge. */
  needsPhone: boolean
  amountMin: number
  /** Null when the provider has no limit. */
  amountMax: number | null
  isOpenAmountPossible: boolean
  expirySecondsMin: number
  expirySecondsMax: number
  /** 0 when an attempt never expires unless the request sets an expiry. */
  expirySecondsDefault: number
  isRefundable: boolean
  /** False when the provider refunds only the full amount. */
  isRefundableInPart: boolean
  /** Staff record the payment, because no provider reports it. */
  isManual: boolean
  /** The highest unique amount that is added to an attempt (attempts/unique-amounts.ts); absent when none is. */
  uniqueAmountMax?: number
}

export type ChargeAttempt = {
  /** Our id (`pay_…`), which is the provider's order id or reference. It is the same on every retry. */
  id: string
  orderId: string
  orderNumber: string
  method: PaymentMethod
  bank: string | null
  /** Whole rupiah; null for an open amount. */
  amount: number | null
  expiresAt: Date | null
  /** The name that the provider shows to the payer. */
  merchantName: string
  customer: { name: string | null; phone: string | null }
  description: string
  /** The pay page, to which hosted pages and apps return the payer. A return proves no payment. */
  returnUrl: string
  /** The number of the call for this attempt, from 1. */
  attemptNumber: number
}

/** The payment details that a payer needs. Members that the method does not have are null. */
export type PayableDetails = {
  providerId: string | null
  qrString: string | null
  /** Only when the provider returns an image and no string. */
  qrImageUrl: string | null
  virtualAccount: { bank: string; number: string; name: string | null } | null
  bill: { billerCode: string; billKey: string } | null
  /** A page of the provider that shows the account number of a bank, where the provider does not return the number. */
  accountPage: { bank: string; redirectUrl: string } | null
  ewallet: WalletDetails | null
  retail: { store: string; paymentCode: string } | null
  /** A page of the provider, on which the payer enters the card or signs in to the pay later service. */
  card: { channel: string; redirectUrl: string } | null
  /** For transfers to the merchant's own account and the like. */
  instructions: Record<string, string> | null
  expiresAt: Date | null
  /** The charge that the answer describes. It is compared with the request before details are shown (charge-agreement.ts). */
  stated: StatedCharge
}

/** A wallet without any address asks the payer in its app. */
export type WalletDetails = {
  channel: string
  /** Opens the app on a phone. */
  deeplinkUrl: string | null
  /** A page of the wallet or the provider, for any device. */
  webUrl: string | null
}

/** Members are null when the answer leaves them out. */
export type StatedCharge = {
  attemptId: string | null
  /** Whole rupiah; NaN when the answer names an amount that is not whole rupiah. */
  amount: number | null
  /** In upper case. */
  currency: string | null
}

/**
 * rejected     our mistake, or never acceptable: not retried
 * declined     the payer or the bank declined
 * unavailable  a failure of the provider, surely without effect: retried
 */
export type PaymentFailure = {
  class: 'rejected' | 'declined' | 'unavailable'
  /** Our stable code: amount_too_low, method_not_activated, credentials_refused, provider_unavailable, throttled, … */
  code: string
  providerCode: string | null
  detail: string
  /** The pause that the provider asked for. With `throttled` and `provider_unavailable` it pauses the whole account. */
  retryAfterMs: number | null
}

/** A failure as it is stored and shown, with the provider's words cut to the published length. */
export type StoredFailure = { code: string; detail: string; provider_code: string | null }

/** The outcome of the call is not known. */
export type Unknown = { kind: 'unknown'; detail: string; retryAfterMs?: number | null }

export type ChargeOutcome =
  | { kind: 'payable'; details: PayableDetails }
  | { kind: 'refused'; failure: PaymentFailure }
  /** The charge may exist: query the status under our id before a retry with the same id. */
  | Unknown

export type KnownAttempt = {
  id: string
  providerId: string | null
  /** The payment id in a notification, when the provider has ids for payments too. */
  paymentId?: string
  /** The provider's id in the newest notification, when an attempt is ended. A transaction on a hosted page has another one than the page. */
  notifiedId?: string
  /** The recorded payment ids, because refunds may be listed per payment. */
  paymentIds?: readonly string[]
  method: PaymentMethod
  bank: string | null
  amount: number | null
}

export type StatusOutcome =
  | {
      kind: 'known'
      report: PaymentReport
      /** Null when the answer contains no details. */
      details: PayableDetails | null
      /** The provider hides a part from this account: money or refunds may be missing from the report. */
      isPartial?: boolean
    }
  /** The provider does not know the attempt. */
  | { kind: 'absent' }
  | { kind: 'refused'; failure: PaymentFailure }

export type EndOutcome =
  | { kind: 'ended' }
  /** The attempt can no longer be ended; the report contains its state. */
  | { kind: 'overtaken'; report: PaymentReport | null }
  | { kind: 'refused'; failure: PaymentFailure }

export type RefundAttempt = {
  /** Our id (`rfd_…`), which is the provider's refund key. */
  id: string
  payment: KnownAttempt
  amount: number
  reason: string | null
}

export type RefundOutcome =
  | { kind: 'succeeded'; providerRefundId: string | null }
  /** Accepted; a notification reports the result. */
  | { kind: 'pending'; providerRefundId: string | null }
  | { kind: 'refused'; failure: PaymentFailure }
  | Unknown

export type CallOutcome = { kind: 'done' } | { kind: 'refused'; failure: PaymentFailure }

/** Providers never report `created`, which is a state of ours. */
export type ReportedPaymentState = 'pending' | 'paid' | 'failed' | 'expired' | 'cancelled' | 'reversed'

/** The facts about one attempt in a notification or in an answer to a status query. */
export type PaymentReport = {
  /** Our attempt id; null when the provider names only its own id. */
  attemptId: string | null
  providerId: string | null
  state: ReportedPaymentState
  /** The received amount in whole rupiah; null when the report names none. */
  amountPaid: number | null
  /** Any currency but IDR moves no money and flags the order for review. */
  currency: string
  occurredAt: Date | null
  /** Unique per fact: a repeated fact has the same key. */
  dedupKey: string
  /** One payment of a code that can be paid several times (open virtual accounts, static QRIS). Null for one-time attempts. */
  captureId: string | null
  /**
   * The provider's id of a payment of a single-use attempt. It distinguishes a second payment from a repeated report of the
   * first.
   */
  paymentId?: string
  refunds: ReportedRefund[]
  /**
   * Set on a `failed` that also undoes a completed payment: some banks reverse a transfer minutes later, and the provider
   * reports it as denied. After `paid` such a report means `reversed`; any other `failed` is stale.
   */
  undoesPayment?: true
  /** Set on a partial `reversed`: the total reversed so far, or 0 when the provider does not report the amount. */
  amountReversed?: number
  /** Facts for display: issuer, sender's name, failure text. */
  facts: Record<string, string>
}

export type ReportedRefund = {
  /** The refund key of the request: our id, or that of another client. Null when the provider does not report it. */
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
      /** Whether the signature covers the state. If not, the provider is queried before anything changes. */
      isStateProven: boolean
    }
  /** Genuine, but its amount is not whole rupiah or its status is unknown: it is stored, and the order is flagged for review at once. */
  | { kind: 'unreadable'; report: Pick<PaymentReport, 'attemptId' | 'providerId'>; detail: string }
  /** Genuine, but not about a payment of ours (a test ping, an unused product): it is stored and answered 200. */
  | { kind: 'irrelevant'; detail: string }
  | { kind: 'refused'; status: 400 | 401 | 403 | 404 | 405 | 422; detail: string }
