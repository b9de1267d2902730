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
    // The time of OVO is fixed, and Midtrans refuses another.
    ...(attempt.bank !== OVO && {
      custom_expiry: { order_time: writeWibTime(now), expiry_duration: seconds, unit: 'second' },
    }),
  }
}

const OVO = 'ovo'
const PAGE_MINUTES_MIN = 5

/**
 * A hosted page for one method. Items and customer are required by the pay later services. Without `start_time` the time would
 * start when the payer chooses, and without `secure` a card would be charged without 3-D Secure.
 */
export function pageBody(
  attempt: ChargeAttempt,
  { now, code, expirySecondsDefault }: { now: Date; code: string; expirySecondsDefault: number },
): LooseRecord {
  const expiresAt = attempt.expiresAt ?? new Date(now.getTime() + expirySecondsDefault * 1000)
  const duration = Math.max(PAGE_MINUTES_MIN, Math.ceil((expiresAt.getTime() - now.getTime()) / 60_000))
  const name = cutText(attempt.description, 50)
  return {
    transaction_details: { order_id: attempt.id, gross_amount: attempt.amount },
    enabled_payments: [code],
    credit_card: { secure: true },
    item_details: [{ id: attempt.orderNumber, price: attempt.amount, quantity: 1, name }],
    ...customerDetails(attempt),
    ...(isSecure(attempt.returnUrl) && { callbacks: { finish: attempt.returnUrl, error: attempt.returnUrl } }),
    expiry: { start_time: writeWibTime(now), duration, unit: 'minute' },
    page_expiry: { duration, unit: 'minute' },
  }
}

const PAGE_PREFIX = 'snap-'

/** The token of a page in the provider id of an attempt; null for a charge of the Core API. */
export const pageTokenOf = (providerId: string | null): string | null =>
  providerId?.startsWith(PAGE_PREFIX) ? providerId.slice(PAGE_PREFIX.length) : null

/** Returns null when the answer contains no page. */
export function readPage(attempt: ChargeAttempt, body: LooseRecord): PayableDetails | null {
  const [token, url] = [readText(body, 'token'), readText(body, 'redirect_url')]
  if (token === null || url === null) return null
  return {
    ...NO_DETAILS,
    ...pageMeans(attempt, url),
    providerId: `${PAGE_PREFIX}${token}`,
    expiresAt: attempt.expiresAt,
  }
}

function pageMeans({ method, bank }: ChargeAttempt, url: string): Partial<PayableDetails> {
  const channel = bank ?? ''
  if (method === 'virtual_account') return { accountPage: { bank: channel, redirectUrl: url } }
  if (method === 'card') return { card: { channel, redirectUrl: url } }
  return { ewallet: { channel, deeplinkUrl: null, webUrl: url } }
}

/** Midtrans accepts only https as an address to return to; without one it uses that of the dashboard. */
const isSecure = (url: string): boolean => url.startsWith('https://')

function paymentType(account: PaymentAccount, attempt: ChargeAttempt): LooseRecord {
  if (attempt.method === 'qris') {
    const acquirer = account.settings.qris_acquirer
    return { payment_type: 'qris', ...(typeof acquirer === 'string' && { qris: { acquirer } }) }
  }
  if (attempt.method === 'ewallet') return walletType(attempt)
  if (attempt.method === 'retail') return { payment_type: 'cstore', cstore: storeOf(attempt) }
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

function walletType({ bank, customer, returnUrl }: ChargeAttempt): LooseRecord {
  const callback = isSecure(returnUrl) ? { callback_url: returnUrl } : {}
  if (bank === 'gopay') return { payment_type: bank, gopay: { enable_callback: isSecure(returnUrl), ...callback } }
  if (bank === OVO) return { payment_type: bank, ovo: { payer_phone_number: localPhone(customer.phone ?? '') } }
  return { payment_type: bank, [bank ?? '']: callback }
}

/** `+62812…` as `0812…`. */
const localPhone = (phone: string): string => phone.replace(/^\+62/, '0')

/** The text on the display or the receipt of the store. The receipt of Alfamart separates its fields with a bar. */
function storeOf({ bank, merchantName, orderNumber }: ChargeAttempt): LooseRecord {
  const name = plainText(merchantName.replaceAll('|', ' '), 40)
  if (bank === 'alfamart')
    return {
      store: bank,
      ...(name !== '' && { alfamart_free_text_1: name }),
      alfamart_free_text_2: plainText(`Order ${orderNumber}`, 40),
    }
  return { store: bank, ...(name !== '' && { message: name.slice(0, 20) }) }
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
  return readOtherMeans(account, body)
}

function readOtherMeans(account: PaymentAccount, body: LooseRecord): Partial<PayableDetails> | null {
  const type = readLowerText(body, 'payment_type') ?? ''
  if (type === 'qris') return readQr(account, body)
  const code = readText(body, 'payment_code')
  if (type === 'cstore')
    return code === null ? null : { retail: { store: readLowerText(body, 'store') ?? '', paymentCode: code } }
  return WALLETS.includes(type) ? readWallet(account, body, type) : null
}

const WALLETS = ['gopay', 'shopeepay', OVO]

/** OVO asks in its app, so its answer has no address. A status answer has none either, but shows that OVO was asked. */
function readWallet(account: PaymentAccount, body: LooseRecord, channel: string): Partial<PayableDetails> | null {
  const actions = asRecords(body.actions)
  const link = actions.find((action) => readText(action, 'name') === 'deeplink-redirect')
  const deeplinkUrl = link === undefined ? null : readText(link, 'url')
  if (deeplinkUrl === null && channel !== OVO) return null
  const qr = channel === 'gopay' ? readQr(account, body) : null
  return { ...qr, ewallet: { channel, deeplinkUrl, webUrl: null } }
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
  const product = readLowerText(body, 'payment_type') === 'gopay' ? 'gopay' : 'qris'
  const derived =
    transaction === null ? null : `${midtransUrl(account)}/v2/${product}/${encodeURIComponent(transaction)}/qr-code`
  const qrImageUrl = urls.find(isWebAddress) ?? derived
  return qrImageUrl === null ? null : { qrImageUrl }
}

const isWebAddress = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text)
