import type { PaymentAccount, RefundAttempt, RefundOutcome } from '../../payment-connector.ts'
import {
  chooseCapability,
  cutText,
  type LooseRecord,
  readText,
  refundProblem,
  refused,
  rejected,
  unknownBy,
  unreachable,
} from '../../provider-calls/provider-calls.ts'
import { postRefund, type XenditCall } from './xendit.client.ts'
import { isSession, xenditCapabilities } from './xendit-capabilities.ts'
import { type Answered, failureOf, isAmbiguous } from './xendit-failures.ts'
import { readSession } from './xendit-session.ts'

/** Refunds at Xendit, which go by the payment request. */
export async function makeRefund(
  account: PaymentAccount,
  refund: RefundAttempt,
  call: XenditCall,
): Promise<RefundOutcome> {
  const { payment } = refund
  const choice = { method: payment.method, bank: payment.bank, defaultBank: null }
  const problem = refundProblem(chooseCapability(xenditCapabilities(account), choice), refund)
  if (problem !== null) return refused(problem)
  const reading = isSession(payment) ? await readSession(account, payment, call) : null
  if (reading?.kind === 'refused') return reading
  const requestId = reading === null ? payment.providerId : reading.kind === 'read' ? reading.requestId : null
  if (requestId === null)
    return refused(rejected('payment_not_found', 'The payment has no id at Xendit, so it cannot be refunded there.'))
  const answer = await postRefund(account, { key: refund.id, body: refundBody(refund, requestId) }, call)
  if (answer.kind === 'unsent') return refused(unreachable(answer))
  if (answer.kind === 'unknown') return answer
  return readRefundAnswer(answer)
}

const refundBody = (refund: RefundAttempt, requestId: string): LooseRecord => ({
  payment_request_id: requestId,
  reference_id: refund.id,
  amount: refund.amount,
  currency: 'IDR',
  reason: 'REQUESTED_BY_CUSTOMER',
  ...(refund.reason !== null && { metadata: { note: cutText(refund.reason, 255) } }),
})

function readRefundAnswer(answer: Answered): RefundOutcome {
  if (answer.status === 200 || answer.status === 201) {
    const providerRefundId = readText(answer.body ?? {}, 'id') ?? readText(answer.body ?? {}, 'refund_id')
    const status = readText(answer.body ?? {}, 'status')?.toUpperCase()
    if (status === 'FAILED') {
      const providerCode = readText(answer.body ?? {}, 'failure_code')
      return refused(rejected('refund_refused', 'Xendit could not make the refund.', { providerCode }))
    }
    return { kind: status === 'SUCCEEDED' ? 'succeeded' : 'pending', providerRefundId }
  }
  // The reference was used by an earlier call of ours.
  if (answer.status === 409) return { kind: 'pending', providerRefundId: null }
  if (isAmbiguous(answer)) return unknownBy(failureOf(answer))
  return refused(failureOf(answer))
}
