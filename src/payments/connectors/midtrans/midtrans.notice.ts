import { createHash } from 'node:crypto'
import { isId } from '../../../kernel/ids.ts'
import { isSameSecret } from '../../../kernel/same-secret.ts'
import type { NoticeVerdict, PaymentAccount, RawNotice } from '../../payment-connector.ts'
import { type LooseRecord, readJsonObject, readText } from '../../provider-calls/provider-calls.ts'
import { isConsistent, readReport } from './midtrans-report.ts'

/**
 * A notification carries SHA-512 over order_id, status_code, gross_amount and the server key, each exactly as in the body. That
 * proves the sender and the amount, but covers neither transaction_status nor fraud_status nor transaction_id. So every
 * notification is confirmed with Midtrans before it is applied (isStateProven is never true).
 */
export const signatureOf = (
  serverKey: string,
  { orderId, statusCode, grossAmount }: { orderId: string; statusCode: string; grossAmount: string },
): string => createHash('sha512').update(`${orderId}${statusCode}${grossAmount}${serverKey}`).digest('hex')

/** The prefix of order ids of the dashboard's test button, which counts any answer but 200 as a failure. */
const TEST_ORDER = 'payment_notif_test'

const refuse = (status: 400 | 401 | 404 | 405, detail: string): NoticeVerdict => ({
  kind: 'refused',
  status,
  detail,
})

export function readMidtransNotice(account: PaymentAccount, notice: RawNotice): NoticeVerdict {
  if (notice.method !== 'POST') return refuse(405, 'notices are sent with POST')
  const body = readJsonObject(notice.body)
  if (body === null) return refuse(400, 'the body is not a JSON object')
  const orderId = exactText(body, 'order_id')
  if (orderId === null || !isSigned(account, body, orderId)) return refuse(401, 'the signature does not match')
  if (orderId.startsWith(TEST_ORDER)) return { kind: 'irrelevant', detail: "the dashboard's test button" }
  // The merchant may use the same account in another system.
  if (!isId('pay', orderId)) return refuse(404, 'an order id that is not ours')
  const reading = readReport(body)
  // A status that is not known here is kept and flagged, never guessed.
  if (!reading.ok) {
    const report = { attemptId: orderId, providerId: readText(body, 'transaction_id') }
    return { kind: 'unreadable', report, detail: reading.detail }
  }
  const { report } = reading
  // A notification that contradicts itself must not share the key of the genuine fact.
  const dedupKey = isConsistent(body, report.state) ? report.dedupKey : `${report.dedupKey}:doubtful`
  return { kind: 'genuine', report: { ...report, dedupKey }, isStateProven: false }
}

function isSigned(account: PaymentAccount, body: LooseRecord, orderId: string): boolean {
  const serverKey = account.credentials.server_key
  const [statusCode, grossAmount, given] = ['status_code', 'gross_amount', 'signature_key'].map((name) =>
    exactText(body, name),
  )
  if (serverKey === undefined || statusCode == null || grossAmount == null || given == null) return false
  return isSameSecret(given.toLowerCase(), signatureOf(serverKey, { orderId, statusCode, grossAmount }))
}

/** Accepts only strings: a number would have to be formatted again, and 25000.00 would lose its zeros. */
const exactText = (body: LooseRecord, name: string): string | null => {
  const value = Object.hasOwn(body, name) ? body[name] : null
  return typeof value === 'string' && value !== '' ? value : null
}
