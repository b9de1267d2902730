import type { Clock } from '../../../kernel/clock.ts'
import { isId } from '../../../kernel/ids.ts'
import {
  type ChargeAttempt,
  type ChargeOutcome,
  definePaymentProvider,
  type EndOutcome,
  type KnownAttempt,
  type PaymentAccount,
  type PaymentConnector,
  type StatusOutcome,
} from '../../payment-connector.ts'
import {
  asRecord,
  asRecords,
  CALL_TIMEOUT_MS,
  checkAttempt,
  cutText,
  inAnotherCurrency,
  type LooseRecord,
  type ProviderAnswer,
  plainText,
  type Refused,
  readText,
  refused,
  rejected,
  unavailable,
  unknownBy,
  unreachable,
} from '../../provider-calls/provider-calls.ts'
import {
  findPaymentRequests,
  getPayment,
  getPaymentRequest,
  listRefunds,
  postCancel,
  postPaymentRequest,
  type XenditCall,
} from './xendit.client.ts'
import { xenditFields } from './xendit.fields.ts'
import { readXenditNotice } from './xendit.notice.ts'
import { channelCodeOf, isSession, xenditCapabilities } from './xendit-capabilities.ts'
import {
  type Answered,
  declinedWith,
  errorCodeOf,
  failureOf,
  isAbsent,
  isAmbiguous,
  isHidden,
} from './xendit-failures.ts'
import { makeRefund } from './xendit-refund.ts'
import { readDetails, readRequestReport, stateOfRequest } from './xendit-report.ts'
import { cancelSession, chargeSession, readSession, sessionReport } from './xendit-session.ts'

/**
 * Xendit's payments API v3. It does not document whether it honours an idempotency key, and a reference may be used twice. So a
 * charge whose answer was lost is searched by its reference and repeated when it is not found. If two charges result, the
 * first was never shown and cannot be paid.
 */
export type XenditOptions = { clock: Clock; timeoutMs?: number }

export function createXenditConnector({ clock, timeoutMs = CALL_TIMEOUT_MS }: XenditOptions): PaymentConnector {
  const within = (signal: AbortSignal): XenditCall => ({ signal, timeoutMs })
  return {
    isLocal: false,
    capabilities: xenditCapabilities,
    charge: (account, attempt, signal) => charge(account, attempt, { clock, call: within(signal) }),
    askStatus: (account, attempt, signal) => askStatus(account, attempt, within(signal)),
    cancel: (account, attempt, signal) => end(account, attempt, within(signal)),
    // Xendit expires requests; ending one early is a cancel.
    expire: (account, attempt, signal) => end(account, attempt, within(signal)),
    refund: (account, refund, signal) => makeRefund(account, refund, within(signal)),
    readNotice: readXenditNotice,
    async probe(account, signal) {
      const answer = await getPaymentRequest(account, PROBED_ID, within(signal))
      if (answer.kind !== 'answered') return refused(unreachable(answer))
      // Xendit answers "no such request" only to a valid key.
      return isAbsent(answer) ? { kind: 'done' } : refused(failureOf(answer))
    },
  }
}

const PROBED_ID = 'pr-00000000-0000-0000-0000-000000000000'

async function charge(
  account: PaymentAccount,
  attempt: ChargeAttempt,
  { clock, call }: { clock: Clock; call: XenditCall },
): Promise<ChargeOutcome> {
  const nowMs = clock.now()
  const check = checkAttempt(xenditCapabilities(account), attempt, { provider: 'Xendit', nowMs })
  if (check.kind === 'refused') return check
  const expiresAt = attempt.expiresAt ?? new Date(nowMs + check.capability.expirySecondsDefault * 1000)
  if (isSession(attempt)) return chargeSession(account, attempt, { expiresAt, nowMs, call })
  const answer = await postPaymentRequest(account, { key: attempt.id, body: chargeBody(attempt, expiresAt) }, call)
  return readCharge(account, attempt, { answer, call })
}

const chargeBody = (attempt: ChargeAttempt, expiresAt: Date): LooseRecord => ({
  reference_id: attempt.id,
  type: 'PAY',
  country: 'ID',
  currency: 'IDR',
  request_amount: attempt.amount,
  capture_method: 'AUTOMATIC',
  channel_code: channelCodeOf(attempt),
  channel_properties: propertiesOf(attempt, expiresAt),
  ...(attempt.method === 'card' && partiesOf(attempt)),
  ...(attempt.description !== '' && { description: cutText(attempt.description, 1000) }),
  metadata: { order_id: attempt.orderId, order_number: attempt.orderNumber },
})

/** Codes and numbers always have an expiry: without one, an account number is payable for decades. That of wallets is fixed. */
function propertiesOf(attempt: ChargeAttempt, expiresAt: Date): LooseRecord {
  const { method, bank, customer, returnUrl } = attempt
  const expiry = { expires_at: expiresAt.toISOString() }
  const returns = { success_return_url: returnUrl, failure_return_url: returnUrl, cancel_return_url: returnUrl }
  const name = plainText(attempt.merchantName, 50)
  switch (method) {
    case 'virtual_account':
      return { ...(name !== '' && { display_name: name }), ...expiry }
    case 'retail':
      return { payer_name: cutText(customer.name ?? attempt.description, 250), ...expiry }
    case 'ewallet':
      return bank === 'ovo' ? { account_mobile_number: customer.phone } : returns
    case 'card':
      return returns
    default:
      return expiry
  }
}

/** Pay later services ask for the goods and the customer, whose reference is letters and digits only. */
const partiesOf = ({ id, customer, description, amount }: ChargeAttempt): LooseRecord => ({
  customer: {
    type: 'INDIVIDUAL',
    reference_id: id.replaceAll('_', ''),
    individual_detail: { given_names: cutText(customer.name ?? 'Customer', 50) },
    ...(customer.phone !== null && { mobile_number: customer.phone }),
  },
  items: [
    {
      reference_id: id,
      type: 'PHYSICAL_PRODUCT',
      name: cutText(description, 255),
      net_unit_amount: amount,
      quantity: 1,
      category: 'ORDER',
      currency: 'IDR',
    },
  ],
})

async function readCharge(
  account: PaymentAccount,
  attempt: ChargeAttempt,
  { answer, call }: { answer: ProviderAnswer; call: XenditCall },
): Promise<ChargeOutcome> {
  if (answer.kind === 'unsent') return refused(unreachable(answer))
  if (answer.kind === 'unknown') return answer
  if (answer.status === 200 || answer.status === 201) return payableFrom(answer.body ?? {})
  if (answer.status === 409) return adopt(account, attempt, call)
  if (isAmbiguous(answer)) return unknownBy(failureOf(answer))
  return refused(failureOf(answer))
}

function payableFrom(request: LooseRecord): ChargeOutcome {
  const state = stateOfRequest(readText(request, 'status'))
  if (state === 'failed') return refused(declinedWith(readText(request, 'failure_code')))
  const details = readDetails(request)
  return details === null || details.providerId === null
    ? { kind: 'unknown', detail: 'the answer holds neither a code nor a number' }
    : { kind: 'payable', details }
}

/** Adopts the request with our reference, which an earlier call with a lost answer created. */
async function adopt(account: PaymentAccount, attempt: ChargeAttempt, call: XenditCall): Promise<ChargeOutcome> {
  const found = await findRequestId(account, attempt.id, call)
  if (typeof found !== 'string') {
    if (found.kind === 'refused') return unknownBy(found.failure)
    return refused(rejected('duplicate_attempt', 'Xendit has this reference already, but does not show it.'))
  }
  const answer = await getPaymentRequest(account, found, call)
  if (answer.kind !== 'answered') return { kind: 'unknown', detail: answer.detail }
  if (answer.status !== 200) return unknownBy(failureOf(answer))
  const request = answer.body ?? {}
  if (!hasId(request, found)) return { kind: 'unknown', detail: ANOTHER_REQUEST }
  return payableFrom(request)
}

const hasId = (request: LooseRecord, id: string): boolean => (readText(request, 'payment_request_id') ?? id) === id

/** Whether the request has the reference of another attempt of ours. A foreign reference proves nothing. */
function isOfAnother(request: LooseRecord, { id }: { id: string }): boolean {
  const reference = readText(request, 'reference_id')
  return reference !== null && reference !== id && isId('pay', reference)
}

const ANOTHER_REQUEST = 'The response of Xendit is about another payment request.'

/**
 * Finds a request by our reference when its id was lost with the answer. A key without access to the list, or a list without
 * the newer requests, counts as not found; an unavailable provider does not.
 */
async function findRequestId(
  account: PaymentAccount,
  referenceId: string,
  call: XenditCall,
): Promise<string | { kind: 'absent' } | Refused> {
  const answer = await findPaymentRequests(account, referenceId, call)
  if (answer.kind !== 'answered') return refused(unreachable(answer))
  const rows = rowsOf(answer)
  if (rows === null) return isHidden(answer) && answer.status !== 401 ? { kind: 'absent' } : refused(failureOf(answer))
  const match = rows.find((row) => readText(row, 'reference_id') === referenceId)
  const id = match === undefined ? null : (readText(match, 'payment_request_id') ?? readText(match, 'id'))
  return id ?? { kind: 'absent' }
}

/** Returns null when the answer is not a list, because the page of a proxy is not an empty list. */
const rowsOf = ({ status, list, body }: Answered): LooseRecord[] | null =>
  status === 200 && (list !== null || body !== null) ? asRecords(list ?? asRecord(body).data) : null

async function askStatus(account: PaymentAccount, attempt: KnownAttempt, call: XenditCall): Promise<StatusOutcome> {
  if (isSession(attempt)) return askSession(account, attempt, call)
  const id = attempt.providerId ?? (await findRequestId(account, attempt.id, call))
  if (typeof id !== 'string') return id
  const answer = await getPaymentRequest(account, id, call)
  if (answer.kind !== 'answered') return refused(unreachable(answer))
  if (isAbsent(answer)) return { kind: 'absent' }
  if (answer.status !== 200 || answer.body === null) return refused(failureOf(answer))
  if (!hasId(answer.body, id) || isOfAnother(answer.body, attempt))
    return refused(unavailable('answer_not_understood', ANOTHER_REQUEST))
  const { paymentId: notified = null, paymentIds: booked = [] } = attempt
  return readStatus(account, { request: answer.body, notified, booked }, call)
}

/** The payment request of a session shows its payment and refunds. The attempt keeps the id of its session. */
async function askSession(account: PaymentAccount, attempt: KnownAttempt, call: XenditCall): Promise<StatusOutcome> {
  const reading = await readSession(account, attempt, call)
  if (reading.kind !== 'read') return reading
  if (reading.requestId === null) return { kind: 'known', report: sessionReport(attempt, reading), details: null }
  const answer = await getPaymentRequest(account, reading.requestId, call)
  if (answer.kind !== 'answered') return refused(unreachable(answer))
  if (answer.status !== 200 || answer.body === null) return refused(failureOf(answer))
  if (!hasId(answer.body, reading.requestId) || isOfAnother(answer.body, attempt))
    return refused(unavailable('answer_not_understood', ANOTHER_REQUEST))
  const { paymentId: notified = null, paymentIds: booked = [] } = attempt
  const status = await readStatus(account, { request: answer.body, notified, booked }, call)
  if (status.kind !== 'known') return status
  const { report } = status
  // A refused card is not the end of the session.
  const isPaid = report.state === 'paid' || report.state === 'reversed'
  const shown = isPaid ? report : { ...sessionReport(attempt, reading), refunds: report.refunds }
  return { ...status, report: { ...shown, attemptId: attempt.id, providerId: attempt.providerId }, details: null }
}

type Asked = { request: LooseRecord; notified: string | null; booked: readonly string[] }

/**
 * Reads the latest payment of a request, because the request shows neither the received amount nor late money nor refunds. A
 * notification may name an earlier payment, or a late one that the request does not know. Refunds are listed by payment, so the
 * refunds of every known payment are read. If payments are hidden, the state of the request is used: a paid request was paid
 * with its amount. Such an answer is partial.
 */
async function readStatus(
  account: PaymentAccount,
  { request, notified, booked }: Asked,
  call: XenditCall,
): Promise<StatusOutcome> {
  const latest = readText(request, 'latest_payment_id')
  let found: { id: string; payment: LooseRecord } | null = null
  let isPartial = false
  for (const id of new Set([notified, latest])) {
    const read: ReadPayment | null = id === null || found !== null ? null : await readPayment(account, id, call)
    if (read?.kind === 'refused') return read
    isPartial ||= read?.kind === 'hidden'
    const payment: LooseRecord | null = read?.kind === 'read' ? read.payment : null
    if (id !== null && payment !== null && (id === latest || belongsTo(request, payment))) found = { id, payment }
  }
  const paymentIds = new Set([...(found === null ? [] : [found.id]), ...booked])
  const refunds = await readRefunds(account, paymentIds, call)
  if ('kind' in refunds) return refunds
  const own = refunds.rows.filter((row) => isRefundOf(row, request, paymentIds))
  const report = readRequestReport(request, found?.payment ?? null, own)
  if (report === null)
    return refused(
      unavailable('answer_not_understood', 'Xendit answered with a status or an amount that cannot be read.'),
    )
  if (report.currency !== 'IDR') return refused(inAnotherCurrency(report))
  isPartial ||= refunds.isPartial
  return { kind: 'known', report, details: readDetails(request), ...(isPartial && { isPartial }) }
}

type ReadPayment =
  | { kind: 'read'; payment: LooseRecord | null }
  /** Hidden from this key, or not served at this address. */
  | { kind: 'hidden' }
  | Refused

async function readPayment(account: PaymentAccount, id: string, call: XenditCall): Promise<ReadPayment> {
  const answer = await getPayment(account, id, call)
  if (answer.kind !== 'answered') return refused(unreachable(answer))
  if (answer.status === 200 && readText(answer.body ?? {}, 'status') !== null)
    return { kind: 'read', payment: answer.body }
  if (isAbsent(answer)) return { kind: 'read', payment: null }
  return isHidden(answer) ? { kind: 'hidden' } : refused(failureOf(answer))
}

/** Checks a payment that a notification named: it must belong to the request and be completed. */
const belongsTo = (request: LooseRecord, payment: LooseRecord): boolean =>
  readText(payment, 'payment_request_id') === readText(request, 'payment_request_id') &&
  readText(payment, 'status')?.toUpperCase() === 'SUCCEEDED'

/**
 * Xendit does not document that it applies the payment filter of the list, and refunds of other payments must not count
 * here. So a row that names a request or a payment counts only for that one.
 */
function isRefundOf(row: LooseRecord, request: LooseRecord, paymentIds: ReadonlySet<string>): boolean {
  const [requestId, named] = [readText(request, 'payment_request_id'), readText(row, 'payment_request_id')]
  if (named !== null) return named === requestId
  const paymentId = readText(row, 'payment_id')
  return paymentId === null || paymentId === requestId || paymentIds.has(paymentId)
}

async function readRefunds(
  account: PaymentAccount,
  paymentIds: ReadonlySet<string>,
  call: XenditCall,
): Promise<{ rows: LooseRecord[]; isPartial: boolean } | Refused> {
  const lists: (LooseRecord[] | null)[] = []
  for (const id of paymentIds) {
    const read = await readRefundList(account, id, call)
    if (read !== null && !Array.isArray(read)) return read
    lists.push(read)
  }
  return { rows: lists.flatMap((list) => list ?? []), isPartial: lists.includes(null) }
}

/** Returns null when there is no such list, for older payments or for this key. */
async function readRefundList(
  account: PaymentAccount,
  paymentId: string,
  call: XenditCall,
): Promise<LooseRecord[] | null | Refused> {
  const answer = await listRefunds(account, paymentId, call)
  if (answer.kind !== 'answered') return refused(unreachable(answer))
  return rowsOf(answer) ?? (isHidden(answer) ? null : refused(failureOf(answer)))
}

const OVER_STATES = ['cancelled', 'expired', 'failed']

async function end(account: PaymentAccount, attempt: KnownAttempt, call: XenditCall): Promise<EndOutcome> {
  if (isSession(attempt)) return endSession(account, attempt, call)
  const id = attempt.providerId ?? (await findRequestId(account, attempt.id, call))
  if (typeof id !== 'string') return id.kind === 'absent' ? { kind: 'ended' } : id
  const answer = await postCancel(account, id, call)
  if (answer.kind === 'unsent') return refused(unreachable(answer))
  if (answer.kind === 'answered') {
    if (isAbsent(answer)) return { kind: 'ended' }
    const state = answer.status === 200 ? stateOfRequest(readText(answer.body ?? {}, 'status')) : null
    if (state !== null && OVER_STATES.includes(state)) return { kind: 'ended' }
    if (answer.status !== 200 && errorCodeOf(answer) !== 'INACTIVE_PAYMENT_REQUEST') return refused(failureOf(answer))
  }
  return endByStatus(account, { ...attempt, providerId: id }, call)
}

async function endSession(account: PaymentAccount, attempt: KnownAttempt, call: XenditCall): Promise<EndOutcome> {
  if (attempt.providerId === null) return { kind: 'ended' }
  const reading = await cancelSession(account, attempt.providerId, call)
  if (reading.kind === 'absent') return { kind: 'ended' }
  if (reading.kind === 'read' && OVER_STATES.includes(reading.state)) return { kind: 'ended' }
  return endByStatus(account, attempt, call)
}

/** The attempt ended before, or the outcome is unknown: a status query decides. */
async function endByStatus(account: PaymentAccount, attempt: KnownAttempt, call: XenditCall): Promise<EndOutcome> {
  const status = await askStatus(account, attempt, call)
  if (status.kind === 'refused') return status
  if (status.kind === 'absent' || OVER_STATES.includes(status.report.state)) return { kind: 'ended' }
  if (status.report.state === 'pending')
    return refused(unavailable('still_open', 'Xendit did not end it, and it is still pending.'))
  return { kind: 'overtaken', report: status.report }
}

export const xendit = definePaymentProvider({
  name: 'xendit',
  displayName: 'Xendit',
  isSimulated: false,
  hasNotices: true,
  fields: xenditFields,
  create: createXenditConnector,
})
