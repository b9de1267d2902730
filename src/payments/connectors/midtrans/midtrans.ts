import type { Clock } from '../../../kernel/clock.ts'
import {
  type ChargeAttempt,
  type ChargeOutcome,
  definePaymentProvider,
  type EndOutcome,
  type KnownAttempt,
  type PayableDetails,
  type PaymentAccount,
  type PaymentConnector,
  type PaymentFailure,
  type RefundAttempt,
  type RefundOutcome,
  type StatusOutcome,
} from '../../payment-connector.ts'
import {
  CALL_TIMEOUT_MS,
  checkAttempt,
  cutText,
  inAnotherCurrency,
  type LooseRecord,
  readText,
  refused,
  rejected,
  unavailable,
  unknownBy,
  unreachable,
} from '../../provider-calls/provider-calls.ts'
import {
  getStatus,
  type MidtransAnswer,
  type MidtransCall,
  postCharge,
  postEnd,
  postRefund,
} from './midtrans.client.ts'
import { midtransFields } from './midtrans.fields.ts'
import { readMidtransNotice } from './midtrans.notice.ts'
import { midtransCapabilities, SHOPEE_ACQUIRER } from './midtrans-capabilities.ts'
import { chargeBody, readDetails } from './midtrans-charge.ts'
import { failureOf, isAmbiguous } from './midtrans-failures.ts'
import { isConsistent, readReport } from './midtrans-report.ts'

/**
 * Midtrans Core API v2. Our attempt id is their order id, which they accept once. So a charge whose answer was lost can be
 * repeated, and the refusal of the second call (406) leads to the first.
 */
export type MidtransOptions = { clock: Clock; timeoutMs?: number }

export function createMidtransConnector({ clock, timeoutMs = CALL_TIMEOUT_MS }: MidtransOptions): PaymentConnector {
  const within = (signal: AbortSignal): MidtransCall => ({ signal, timeoutMs })
  return {
    isLocal: false,
    capabilities: midtransCapabilities,
    charge: (account, attempt, signal) => charge(account, attempt, { clock, call: within(signal) }),
    askStatus: (account, attempt, signal) => askStatus(account, attempt.id, within(signal)),
    cancel: (account, attempt, signal) => end(account, { attempt, action: 'cancel' }, within(signal)),
    expire: (account, attempt, signal) => end(account, { attempt, action: 'expire' }, within(signal)),
    refund: (account, refund, signal) => makeRefund(account, refund, within(signal)),
    readNotice: readMidtransNotice,
    async probe(account, signal) {
      const answer = await getStatus(account, 'nexkit-probe', within(signal))
      if (answer.kind !== 'answered') return refused(unreachable(answer))
      // Midtrans answers "no such order" only to a valid key.
      return answer.code === '404' || answer.code === '200' ? { kind: 'done' } : refused(failureOf(answer))
    },
  }
}

async function charge(
  account: PaymentAccount,
  attempt: ChargeAttempt,
  { clock, call }: { clock: Clock; call: MidtransCall },
): Promise<ChargeOutcome> {
  const nowMs = clock.now()
  const check = checkAttempt(midtransCapabilities(account), attempt, { provider: 'Midtrans', nowMs })
  if (check.kind === 'refused') return check
  const { expirySecondsDefault } = check.capability
  const body = chargeBody(account, attempt, { now: new Date(nowMs), expirySecondsDefault })
  const answer = await postCharge(account, { orderId: attempt.id, body }, call)
  const outcome = await readCharge(account, attempt, { answer, call })
  if (attempt.attemptNumber <= STRING_ATTEMPTS || !isUnanswered(outcome)) return outcome
  const adopted = await adopt(account, attempt, call)
  return adopted.kind === 'payable' ? adopted : outcome
}

/** How often the QR string of a charge with a lost answer is requested; after that its image is used. */
const STRING_ATTEMPTS = 2

const isUnanswered = (outcome: ChargeOutcome): boolean =>
  outcome.kind === 'unknown' || (outcome.kind === 'refused' && outcome.failure.class === 'unavailable')

async function readCharge(
  account: PaymentAccount,
  attempt: ChargeAttempt,
  { answer, call }: { answer: MidtransAnswer; call: MidtransCall },
): Promise<ChargeOutcome> {
  if (answer.kind === 'unsent') return refused(unreachable(answer))
  if (answer.kind === 'unknown') return answer
  const { code, body } = answer
  if (code === '406') return adopt(account, attempt, call)
  if (code === '201' || code === '200') return payableFrom(account, body)
  // This is the answer to a repeat while the first call under our key still runs: it has no transaction yet.
  if (code === '202' && readText(body, 'transaction_status') === null)
    return { kind: 'unknown', detail: 'an earlier call for this payment is still running' }
  if (isAmbiguous(code)) return unknownBy(failureOf(answer))
  return refused(failureOf(answer))
}

function payableFrom(account: PaymentAccount, body: LooseRecord): ChargeOutcome {
  const details = readDetails(account, body)
  return details === null
    ? { kind: 'unknown', detail: 'the answer holds neither a code nor a number' }
    : { kind: 'payable', details }
}

/** Adopts the transaction under our id, which an earlier call with a lost answer created. */
async function adopt(account: PaymentAccount, attempt: ChargeAttempt, call: MidtransCall): Promise<ChargeOutcome> {
  const status = await getStatus(account, attempt.id, call)
  if (status.kind !== 'answered') return { kind: 'unknown', detail: status.detail }
  const reading = readReport(status.body)
  if (!reading.ok) return unknownBy(failureOf(status))
  const { state, attemptId } = reading.report
  if (attemptId !== null && attemptId !== attempt.id) return { kind: 'unknown', detail: ANOTHER_ORDER }
  if (state === 'pending' || state === 'paid') return payableFrom(account, status.body)
  return refused(
    rejected('duplicate_attempt', `Midtrans has this payment already, as ${state}.`, { providerCode: '406' }),
  )
}

const KNOWN_CODES = ['200', '201', '202', '407']

async function askStatus(account: PaymentAccount, orderId: string, call: MidtransCall): Promise<StatusOutcome> {
  const answer = await getStatus(account, orderId, call)
  if (answer.kind !== 'answered') return refused(unreachable(answer))
  if (answer.code === '404') return { kind: 'absent' }
  if (!KNOWN_CODES.includes(answer.code)) return refused(failureOf(answer))
  const reading = readReport(answer.body)
  if (!reading.ok) return refused(unavailable('answer_not_understood', reading.detail, { providerCode: answer.code }))
  const { report } = reading
  if (report.attemptId !== null && report.attemptId !== orderId)
    return refused(unavailable('answer_not_understood', ANOTHER_ORDER, { providerCode: answer.code }))
  if (report.currency !== 'IDR') return refused(inAnotherCurrency(report))
  // A report of money is refused when code and state disagree; an end is reported with several codes.
  const isMoney = report.state === 'paid' || report.state === 'reversed'
  if (isMoney && !isConsistent(answer.body, report.state))
    return refused(unavailable('answer_contradictory', CONTRADICTORY, { providerCode: answer.code }))
  return { kind: 'known', report, details: statedDetails(account, answer.body) }
}

/**
 * A status answer has no QR string, only the address of its image. Repeating the charge under its key returns the string for
 * some minutes; afterwards the charge is adopted with the image.
 */
function statedDetails(account: PaymentAccount, body: LooseRecord): PayableDetails | null {
  const details = readDetails(account, body)
  return details?.qrImageUrl == null ? details : null
}

const ANOTHER_ORDER = 'The response of Midtrans is about another order.'
const CONTRADICTORY = 'The response of Midtrans has a status_code and a transaction_status that contradict each other.'

/** Midtrans reports a successful expire as 407 with `expire`; 404 means that the attempt cannot be paid either. */
async function end(
  account: PaymentAccount,
  { attempt, action }: { attempt: KnownAttempt; action: 'cancel' | 'expire' },
  call: MidtransCall,
): Promise<EndOutcome> {
  const answer = await postEnd(account, { orderId: attempt.id, action }, call)
  if (answer.kind === 'unsent') return refused(unreachable(answer))
  if (answer.kind === 'answered' && ['200', '404', '407'].includes(answer.code)) return { kind: 'ended' }
  if (answer.kind === 'answered' && answer.code !== '412') return refused(failureOf(answer))
  // The attempt ended before, or the outcome is unknown: a status query decides.
  const status = await askStatus(account, attempt.id, call)
  if (status.kind === 'known') return endedOrOvertaken(status)
  if (status.kind === 'absent') return { kind: 'ended' }
  return answer.kind === 'answered' ? { kind: 'overtaken', report: null } : status
}

const OVER_STATES = ['cancelled', 'expired', 'failed']

function endedOrOvertaken({ report }: Extract<StatusOutcome, { kind: 'known' }>): EndOutcome {
  if (OVER_STATES.includes(report.state)) return { kind: 'ended' }
  if (report.state === 'pending')
    return refused(unavailable('still_open', 'Midtrans did not end it, and it is still pending.'))
  return { kind: 'overtaken', report }
}

const REASON_LENGTH_MAX = 255

async function makeRefund(account: PaymentAccount, refund: RefundAttempt, call: MidtransCall): Promise<RefundOutcome> {
  const problem = refundProblem(account, refund)
  if (problem !== null) return refused(problem)
  const reason = cutText(refund.reason ?? 'Requested by the merchant', REASON_LENGTH_MAX)
  const answer = await postRefund(
    account,
    { orderId: refund.payment.id, refundKey: refund.id, amount: refund.amount, reason },
    call,
  )
  if (answer.kind === 'unsent') return refused(unreachable(answer))
  if (answer.kind === 'unknown') return answer
  const { code, body } = answer
  // 406 means that this refund key was used, by an earlier call of ours.
  if (code === '200' || code === '201' || code === '406')
    return { kind: 'pending', providerRefundId: readText(body, 'refund_chargeback_id') }
  if (isAmbiguous(code)) return unknownBy(failureOf(answer))
  return refused(failureOf(answer))
}

/** Known refusals of Midtrans are decided without a call. Midtrans checks the time limits of a refund. */
function refundProblem(account: PaymentAccount, { payment, amount }: RefundAttempt): PaymentFailure | null {
  if (payment.method !== 'qris')
    return rejected('refund_not_supported', `Midtrans cannot refund a ${payment.method}. Pay it back by transfer.`)
  const isPartial = payment.amount !== null && amount !== payment.amount
  return isPartial && account.settings.qris_acquirer === SHOPEE_ACQUIRER
    ? rejected('refund_partial_not_supported', 'A QRIS payment acquired by ShopeePay can be refunded in full only.')
    : null
}

export const midtrans = definePaymentProvider({
  name: 'midtrans',
  displayName: 'Midtrans',
  isSimulated: false,
  hasNotices: true,
  fields: midtransFields,
  create: createMidtransConnector,
})
