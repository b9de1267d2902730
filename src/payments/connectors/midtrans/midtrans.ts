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
  type RefundAttempt,
  type RefundOutcome,
  type StatusOutcome,
} from '../../payment-connector.ts'
import {
  CALL_TIMEOUT_MS,
  checkAttempt,
  chooseCapability,
  cutText,
  declined,
  inAnotherCurrency,
  type LooseRecord,
  type ProviderAnswer,
  readText,
  refundProblem,
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
  postPage,
  postPageCancel,
  postRefund,
} from './midtrans.client.ts'
import { midtransFields } from './midtrans.fields.ts'
import { readMidtransNotice } from './midtrans.notice.ts'
import { DANA, isFoundByItsId, isHosted, midtransCapabilities } from './midtrans-capabilities.ts'
import { chargeBody, pageBody, pageTokenOf, readDetails, readPage } from './midtrans-charge.ts'
import { failureOf, isAmbiguous } from './midtrans-failures.ts'
import { isConsistent, readReport } from './midtrans-report.ts'

/**
 * Midtrans Core API v2. Our attempt id is their order id, which they accept once. So a charge whose answer was lost can be
 * repeated, and the refusal of the second call (406) leads to the first. Cards, pay later services, DANA and some banks are paid
 * on Snap, Midtrans' hosted page, under the same order id and with the same notifications.
 */
export type MidtransOptions = { clock: Clock; timeoutMs?: number }

export function createMidtransConnector({ clock, timeoutMs = CALL_TIMEOUT_MS }: MidtransOptions): PaymentConnector {
  const within = (signal: AbortSignal): MidtransCall => ({ signal, timeoutMs })
  return {
    isLocal: false,
    capabilities: midtransCapabilities,
    charge: (account, attempt, signal) => charge(account, attempt, { clock, call: within(signal) }),
    askStatus: (account, attempt, signal) => askStatus(account, attempt, within(signal)),
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
  const { expirySecondsDefault, code } = check.capability
  const now = new Date(nowMs)
  if (isHosted(attempt)) {
    const body = pageBody(attempt, { now, expirySecondsDefault, code: code ?? '' })
    return readPageAnswer(attempt, await postPage(account, body, call))
  }
  const body = chargeBody(account, attempt, { now, expirySecondsDefault })
  const answer = await postCharge(account, { orderId: attempt.id, body }, call)
  const outcome = await readCharge(account, attempt, { answer, call })
  if (attempt.attemptNumber <= STRING_ATTEMPTS || !isUnanswered(outcome)) return outcome
  const adopted = await adopt(account, attempt, call)
  return adopted.kind === 'payable' ? adopted : outcome
}

/**
 * A page whose answer was lost cannot be found again: its order id is used, and its address is unknown. The attempt fails, and
 * that page cannot be paid, because no one knows its address.
 */
function readPageAnswer(attempt: ChargeAttempt, answer: ProviderAnswer): ChargeOutcome {
  if (answer.kind === 'unsent') return refused(unreachable(answer))
  if (answer.kind === 'unknown') return answer
  const { status, body, retryAfterMs } = answer
  const failed = { kind: 'answered', code: String(status), body: body ?? {}, retryAfterMs } as const
  if (status < 300) {
    const details = readPage(attempt, body ?? {})
    return details === null ? { kind: 'unknown', detail: 'the answer holds no page' } : { kind: 'payable', details }
  }
  if (isAmbiguous(failed.code)) return unknownBy(failureOf(failed))
  const failure = failureOf(failed)
  return refused(failure.detail.includes(ORDER_ID_TAKEN) ? rejected('duplicate_attempt', failure.detail) : failure)
}

const ORDER_ID_TAKEN = 'already been taken'

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
  if (code === '404' && attempt.bank === 'ovo') return refused(declined('payer_unknown', PAYER_UNKNOWN))
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

const PAYER_UNKNOWN = 'OVO has no account with this phone number.'

/** Adopts the transaction under our id, which an earlier call with a lost answer created. */
async function adopt(account: PaymentAccount, attempt: ChargeAttempt, call: MidtransCall): Promise<ChargeOutcome> {
  const status = await getStatus(account, attempt.id, call)
  if (status.kind !== 'answered') return { kind: 'unknown', detail: status.detail }
  const reading = readReport(status.body)
  if (!reading.ok) return unknownBy(failureOf(status))
  const { state, attemptId } = reading.report
  if (attemptId !== null && attemptId !== attempt.id) return { kind: 'unknown', detail: ANOTHER_ORDER }
  if (state === 'pending' || state === 'paid') {
    const outcome = payableFrom(account, status.body)
    return attempt.method === 'ewallet' && outcome.kind === 'unknown'
      ? refused(rejected('duplicate_attempt', LINK_LOST, { providerCode: '406' }))
      : outcome
  }
  return refused(
    rejected('duplicate_attempt', `Midtrans has this payment already, as ${state}.`, { providerCode: '406' }),
  )
}

const LINK_LOST = 'Midtrans has this payment already, but does not show its link again. Open another payment.'

const KNOWN_CODES = ['200', '201', '202', '407']

/** The id by which Midtrans finds a payment: ours, or its own, which a notification names. */
function transactionOf(attempt: KnownAttempt): string {
  const { id, paymentId, paymentIds = [], notifiedId } = attempt
  return isFoundByItsId(attempt) ? (paymentId ?? paymentIds.at(-1) ?? notifiedId ?? id) : id
}

async function askStatus(account: PaymentAccount, attempt: KnownAttempt, call: MidtransCall): Promise<StatusOutcome> {
  const answer = await getStatus(account, transactionOf(attempt), call)
  if (answer.kind !== 'answered') return refused(unreachable(answer))
  if (answer.code === '404')
    return pageTokenOf(attempt.providerId) === null ? { kind: 'absent' } : untouchedPage(attempt)
  if (!KNOWN_CODES.includes(answer.code)) return refused(failureOf(answer))
  const reading = readReport(answer.body)
  if (!reading.ok) return refused(unavailable('answer_not_understood', reading.detail, { providerCode: answer.code }))
  const { report } = reading
  if (report.attemptId !== null && report.attemptId !== attempt.id)
    return refused(unavailable('answer_not_understood', ANOTHER_ORDER, { providerCode: answer.code }))
  if (report.currency !== 'IDR') return refused(inAnotherCurrency(report))
  // A report of money is refused when code and state disagree; an end is reported with several codes.
  const isMoney = report.state === 'paid' || report.state === 'reversed'
  if (isMoney && !isConsistent(answer.body, report.state))
    return refused(unavailable('answer_contradictory', CONTRADICTORY, { providerCode: answer.code }))
  return { kind: 'known', report, details: statedDetails(account, answer.body) }
}

/** A hosted page has no transaction until the payer has chosen to pay there. */
const untouchedPage = ({ id, providerId }: KnownAttempt): StatusOutcome => ({
  kind: 'known',
  report: {
    attemptId: id,
    providerId,
    state: 'pending',
    amountPaid: null,
    currency: 'IDR',
    occurredAt: null,
    dedupKey: `${providerId}:untouched`,
    captureId: null,
    refunds: [],
    facts: {},
  },
  details: null,
})

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

type Ending = { attempt: KnownAttempt; action: 'cancel' | 'expire' }

async function end(account: PaymentAccount, ending: Ending, call: MidtransCall): Promise<EndOutcome> {
  const token = pageTokenOf(ending.attempt.providerId)
  if (token === null) return endTransaction(account, { ...ending, isPageOver: true }, call)
  const answer = await postPageCancel(account, token, call)
  if (answer.kind === 'unsent') return refused(unreachable(answer))
  if (answer.kind === 'answered' && answer.status < 300 && answer.body !== null) return { kind: 'ended' }
  // The payer has chosen to pay on the page, or the time of the page is over: the transaction decides, if there is one.
  const isGone = answer.kind === 'answered' && answer.status === 404 && answer.body !== null
  return endTransaction(account, { ...ending, isPageOver: isGone || ending.action === 'expire' }, call)
}

/**
 * Midtrans reports a successful expire as 407 with `expire`. 404 means that the attempt cannot be paid either, unless its page
 * is still open.
 */
async function endTransaction(
  account: PaymentAccount,
  { attempt, action, isPageOver }: Ending & { isPageOver: boolean },
  call: MidtransCall,
): Promise<EndOutcome> {
  const answer = await postEnd(account, { orderId: transactionOf(attempt), action }, call)
  if (answer.kind === 'unsent') return refused(unreachable(answer))
  if (answer.kind === 'answered' && answer.code === '404' && !isPageOver)
    return refused(unavailable('still_open', PAGE_OPEN))
  if (answer.kind === 'answered' && ['200', '404', '407'].includes(answer.code)) return { kind: 'ended' }
  if (answer.kind === 'answered' && answer.code !== '412') return refused(failureOf(answer))
  // The attempt ended before, or the outcome is unknown: a status query decides.
  const status = await askStatus(account, attempt, call)
  if (status.kind === 'known') return endedOrOvertaken(status)
  if (status.kind === 'absent') return { kind: 'ended' }
  return answer.kind === 'answered' ? { kind: 'overtaken', report: null } : status
}

const PAGE_OPEN = 'The payer is paying on the page of Midtrans, so it cannot be ended now.'

const OVER_STATES = ['cancelled', 'expired', 'failed']

function endedOrOvertaken({ report }: Extract<StatusOutcome, { kind: 'known' }>): EndOutcome {
  if (OVER_STATES.includes(report.state)) return { kind: 'ended' }
  if (report.state === 'pending')
    return refused(unavailable('still_open', 'Midtrans did not end it, and it is still pending.'))
  return { kind: 'overtaken', report }
}

const REASON_LENGTH_MAX = 255

async function makeRefund(account: PaymentAccount, refund: RefundAttempt, call: MidtransCall): Promise<RefundOutcome> {
  const { payment } = refund
  const choice = { method: payment.method, bank: payment.bank, defaultBank: null }
  const problem = refundProblem(chooseCapability(midtransCapabilities(account), choice), refund)
  if (problem !== null) return refused(problem)
  const reason = cutText(refund.reason ?? 'Requested by the merchant', REASON_LENGTH_MAX)
  const answer = await postRefund(
    account,
    {
      orderId: transactionOf(payment),
      refundKey: refund.id,
      amount: refund.amount,
      reason,
      isBySnapApi: payment.bank === DANA,
    },
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

export const midtrans = definePaymentProvider({
  name: 'midtrans',
  displayName: 'Midtrans',
  isSimulated: false,
  hasNotices: true,
  fields: midtransFields,
  create: createMidtransConnector,
})
