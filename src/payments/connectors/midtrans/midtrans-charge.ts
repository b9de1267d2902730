import type { ChargeAttempt, PayableDetails, PaymentAccount } from '../../payment-connector.ts'
import {
  asRecords,
  cutText,
  type LooseRecord,
  NO_DETAILS,
  plainText,
  readLowerText,
  readStatedRupiah,
  readText,
  readWibTime,
  writeWibTime,
} from '../../provider-calls/provider-calls.ts'
import { isDrawable } from '../../qris/qris.ts'
import { midtransUrl } from './midtrans.client.ts'

/** Writes a charge for Midtrans, and reads the payment details from its answer. */
const MANDIRI = 'mandiri'
const EXPIRY_SECONDS_MIN = 20

export function chargeBody(
  account: PaymentAccount,
  attempt: ChargeAttempt,
  { now, expirySecondsDefault }: { now: Date; expirySecondsDefault: number },
): LooseRecord {
  const expiresAt = attempt.expiresAt ?? new Date(now.getTime() + expirySecondsDefault * 1000)
  const seconds = Math.max(EXPIRY_SECONDS_MIN, Math.ceil((expiresAt.getTime() - now.getTime()) / 1000))
  return {
    ...paymentType(account, attempt),
    transaction_details: { order_id: attempt.id, gross_amount: attempt.amount },
    ...customerDetails(attempt),
    custom_expiry: { order_time: writeWibTime(now), expiry_duration: seconds, unit: 'second' },
  }
}

function paymentType(account: PaymentAccount, attempt: ChargeAttempt): LooseRecord {
  if (attempt.method === 'qris') {
    const acquirer = account.settings.qris_acquirer
    return { payment_type: 'qris', ...(typeof acquirer === 'string' && { qris: { acquirer } }) }
  }
  // Mandiri uses bills instead of virtual accounts; label and value are cut to 10 and 30 characters.
  if (attempt.bank === MANDIRI)
    return {
      payment_type: 'echannel',
      echannel: { bill_info1: 'Order:', bill_info2: plainText(attempt.orderNumber, 30) || '-' },
    }
  const name = plainText(attempt.merchantName, 20)
  const permata = attempt.bank === 'permata' && name !== '' ? { permata: { recipient_name: name.toUpperCase() } } : {}
  return { payment_type: 'bank_transfer', bank_transfer: { bank: attempt.bank, ...permata } }
}

function customerDetails({ customer }: ChargeAttempt): LooseRecord {
  const details = {
    ...(customer.name !== null && { first_name: cutText(customer.name, 50) }),
    ...(customer.phone !== null && { phone: customer.phone }),
  }
  return Object.keys(details).length === 0 ? {} : { customer_details: details }
}

/** Returns null when the answer contains no payment details. */
export function readDetails(account: PaymentAccount, body: LooseRecord): PayableDetails | null {
  const means = readMeans(account, body)
  if (means === null) return null
  return {
    ...NO_DETAILS,
    ...means,
    providerId: readText(body, 'transaction_id'),
    // The name of the field depends on the method.
    expiresAt: readWibTime(readText(body, 'expiry_time')) ?? readWibTime(readText(body, 'expire_time')),
    stated: {
      attemptId: readText(body, 'order_id'),
      amount: readStatedRupiah(body.gross_amount),
      currency: readText(body, 'currency')?.toUpperCase() ?? null,
    },
  }
}

function readMeans(account: PaymentAccount, body: LooseRecord): Partial<PayableDetails> | null {
  const [billerCode, billKey] = [readText(body, 'biller_code'), readText(body, 'bill_key')]
  if (billerCode !== null && billKey !== null) return { bill: { billerCode, billKey } }
  const permata = readText(body, 'permata_va_number')
  if (permata !== null) return { virtualAccount: { bank: 'permata', number: permata, name: null } }
  const [first] = asRecords(body.va_numbers)
  const number = first === undefined ? null : readText(first, 'va_number')
  if (first !== undefined && number !== null)
    return { virtualAccount: { bank: readLowerText(first, 'bank') ?? '', number, name: null } }
  return readLowerText(body, 'payment_type') === 'qris' ? readQr(account, body) : null
}

const QR_ACTIONS = ['generate-qr-code', 'generate-qr-code-v2']

/**
 * Prefers the QR string, which we render, and uses Midtrans' image when the string is missing or cannot be rendered. A status
 * answer has neither, but the address of the image follows from the transaction id, so that a charge whose answer was lost
 * can still be paid.
 */
function readQr(account: PaymentAccount, body: LooseRecord): Partial<PayableDetails> | null {
  const qrString = readText(body, 'qr_string')
  if (qrString !== null && isDrawable(qrString)) return { qrString }
  const actions = asRecords(body.actions)
  const urls = QR_ACTIONS.map((name) => actions.find((action) => readText(action, 'name') === name)).flatMap(
    (action) => (action === undefined ? [] : (readText(action, 'url') ?? [])),
  )
  const transaction = readText(body, 'transaction_id')
  const derived =
    transaction === null ? null : `${midtransUrl(account)}/v2/qris/${encodeURIComponent(transaction)}/qr-code`
  const qrImageUrl = urls.find(isWebAddress) ?? derived
  return qrImageUrl === null ? null : { qrImageUrl }
}

const isWebAddress = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text)
