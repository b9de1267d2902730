import type {
  ChargeAttempt,
  ChargeOutcome,
  KnownAttempt,
  PaymentAccount,
  PaymentReport,
  ReportedPaymentState,
} from '../../payment-connector.ts'
import {
  cutText,
  type LooseRecord,
  lookUp,
  NO_DETAILS,
  type ProviderAnswer,
  type Refused,
  readStatedRupiah,
  readText,
  readTime,
  refused,
  rejected,
  unavailable,
  unknownBy,
  unreachable,
} from '../../provider-calls/provider-calls.ts'
import { getSession, postSession, postSessionCancel, type XenditCall } from './xendit.client.ts'
import { failureOf, isAbsent, isAmbiguous } from './xendit-failures.ts'

/**
 * Payment sessions, Xendit's hosted page for cards. A session ends with a payment request, under which its payment and refunds
 * are found. A refused card leaves the session open, so that the payer can use another one.
 */
const SESSION_STATES: Readonly<Record<string, ReportedPaymentState>> = {
  ACTIVE: 'pending',
  COMPLETED: 'paid',
  EXPIRED: 'expired',
  CANCELED: 'cancelled',
  CANCELLED: 'cancelled',
}

const EXPIRY_MS_MIN = 10 * 60_000

/** Xendit refuses an end sooner than in ten minutes; an attempt that ends earlier here is cancelled then. */
const sessionBody = (
  attempt: ChargeAttempt,
  { expiresAt, nowMs }: { expiresAt: Date; nowMs: number },
): LooseRecord => ({
  reference_id: attempt.id,
  session_type: 'PAY',
  mode: 'PAYMENT_LINK',
  amount: attempt.amount,
  currency: 'IDR',
  country: 'ID',
  capture_method: 'AUTOMATIC',
  allowed_payment_channels: ['CARDS'],
  expires_at: new Date(Math.max(expiresAt.getTime(), nowMs + EXPIRY_MS_MIN + 5_000)).toISOString(),
  locale: 'id',
  description: cutText(attempt.description, 1000),
  success_return_url: attempt.returnUrl,
  cancel_return_url: attempt.returnUrl,
  metadata: { order_id: attempt.orderId, order_number: attempt.orderNumber },
})

export async function chargeSession(
  account: PaymentAccount,
  attempt: ChargeAttempt,
  { expiresAt, nowMs, call }: { expiresAt: Date; nowMs: number; call: XenditCall },
): Promise<ChargeOutcome> {
  const body = sessionBody(attempt, { expiresAt, nowMs })
  const answer = await postSession(account, { key: attempt.id, body }, call)
  if (answer.kind === 'unsent') return refused(unreachable(answer))
  if (answer.kind === 'unknown') return answer
  if (answer.status === 200 || answer.status === 201)
    return payableFrom(attempt, { session: answer.body ?? {}, expiresAt })
  if (answer.status === 409) return refused(rejected('duplicate_attempt', 'Xendit has this session already.'))
  return isAmbiguous(answer) ? unknownBy(failureOf(answer)) : refused(failureOf(answer))
}

function payableFrom(
  attempt: ChargeAttempt,
  { session, expiresAt }: { session: LooseRecord; expiresAt: Date },
): ChargeOutcome {
  const [id, url] = [readText(session, 'payment_session_id'), readText(session, 'payment_link_url')]
  if (id === null || url === null) return { kind: 'unknown', detail: 'the answer holds no page' }
  const stated = {
    attemptId: readText(session, 'reference_id'),
    amount: readStatedRupiah(session.amount),
    currency: readText(session, 'currency')?.toUpperCase() ?? null,
  }
  const card = { channel: attempt.bank ?? '', redirectUrl: url }
  return { kind: 'payable', details: { ...NO_DETAILS, card, providerId: id, expiresAt, stated } }
}

export type SessionReading =
  | { kind: 'read'; state: ReportedPaymentState; requestId: string | null; session: LooseRecord }
  | { kind: 'absent' }
  | Refused

export async function readSession(
  account: PaymentAccount,
  { providerId }: Pick<KnownAttempt, 'providerId'>,
  call: XenditCall,
): Promise<SessionReading> {
  // Xendit documents no search for sessions; one whose answer was lost cannot be paid, because no one knows its address.
  if (providerId === null) return { kind: 'absent' }
  return readAnswer(await getSession(account, providerId, call))
}

function readAnswer(answer: ProviderAnswer): SessionReading {
  if (answer.kind !== 'answered') return refused(unreachable(answer))
  if (isAbsent(answer)) return { kind: 'absent' }
  if (answer.status !== 200 || answer.body === null) return refused(failureOf(answer))
  const state = lookUp(SESSION_STATES, (readText(answer.body, 'status') ?? '').toUpperCase())
  if (state === null) return refused(unavailable('answer_not_understood', 'Xendit answered with an unknown status.'))
  return { kind: 'read', state, requestId: readText(answer.body, 'payment_request_id'), session: answer.body }
}

export const cancelSession = async (account: PaymentAccount, id: string, call: XenditCall): Promise<SessionReading> =>
  readAnswer(await postSessionCancel(account, id, call))

/** The report of a session without a payment. */
export const sessionReport = (
  attempt: KnownAttempt,
  { state, session }: Extract<SessionReading, { kind: 'read' }>,
): PaymentReport => ({
  attemptId: attempt.id,
  providerId: attempt.providerId,
  state: state === 'paid' ? 'pending' : state,
  amountPaid: null,
  currency: (readText(session, 'currency') ?? 'IDR').toUpperCase(),
  occurredAt: readTime(readText(session, 'updated')),
  dedupKey: `${attempt.providerId}:${state}`,
  captureId: null,
  refunds: [],
  facts: {},
})
