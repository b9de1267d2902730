import { randomUUID } from 'node:crypto'
import { makeDynamic, QRIS_LIMITS_DEFAULT } from '../../src/payments/qris/qris.ts'
import { type Answer, type ProviderRequest, type ProviderServer, startProviderServer } from './provider-server.ts'
import { staticQris } from './qris-samples.ts'

/**
 * Midtrans Core API v2 as documented, oddities included: codes in the body that the HTTP status does not have, times in
 * WIB without saying so, amounts with decimals, Permata and Mandiri with fields of their own.
 */
export type MidtransServer = ProviderServer & {
  serverKey: string
  /** The payer pays, or something else happens; answers with the fields of a notification. */
  move(orderId: string, status: string, more?: Record<string, unknown>): Record<string, unknown>
  /** Confirms all refunds of a transaction. */
  confirmRefunds(orderId: string): Record<string, unknown>
  /** Leaves the QR string out of answers to a charge. */
  isWithoutQrString: boolean
  /** Breaks the QR string in answers to a charge in two. */
  isWithBrokenQrString: boolean
  /** When what is charged next runs out; a moment of long ago unless said. */
  expiryTime: string | null
  notices(orderId: string): Record<string, unknown>
  /** The payer chooses to pay on a hosted page, which creates the transaction. */
  choose(orderId: string): void
  /** Whether OVO knows no account with the phone number of a charge. */
  isPayerUnknown: boolean
  /** Whether the payer is in the middle of paying on a page, so that it cannot be cancelled. */
  isPageBusy: boolean
}

type Transaction = Record<string, unknown> & { transaction_status: string; order_id: string }

const PAGE_BANKS = ['bsi', 'danamon', 'seabank', 'saqu']

const isFoundByItsId = ({ payment_type: type, va_numbers: numbers }: Transaction) =>
  type === 'dana' || (Array.isArray(numbers) && PAGE_BANKS.includes(numbers[0].bank))

const STATUS_CODES: Record<string, string> = {
  pending: '201',
  settlement: '200',
  capture: '200',
  refund: '200',
  partial_refund: '200',
  chargeback: '200',
  partial_chargeback: '200',
  expire: '407',
}

export function startMidtransServer(serverKey = 'SB-Mid-server-EXAMPLE-0000'): MidtransServer {
  const transactions = new Map<string, Transaction>()
  const isOurs = (request: ProviderRequest) =>
    request.headers.get('authorization') === `Basic ${Buffer.from(`${serverKey}:`).toString('base64')}`
  const answer = (code: string, message: string, more: object = {}, status = Number(code)): Answer => ({
    status,
    body: { status_code: code, status_message: message, ...more },
  })
  const handle = (request: ProviderRequest): Answer => {
    if (!isOurs(request)) return answer('401', 'Access denied due to unauthorized transaction')
    if (request.path === '/v2/charge') return charge(request)
    if (request.path.startsWith('/snap/v1/transactions')) return page(request)
    const [, orderId = '', action = ''] = /^\/v2\/([^/]+)\/(\w+)$/.exec(request.path) ?? []
    const named = decodeURIComponent(orderId)
    const transaction =
      transactions.get(named) ?? [...transactions.values()].find((row) => row.transaction_id === named)
    // Payments by DANA and on the pages of banks are found by their own ids only.
    if (transaction === undefined || (isFoundByItsId(transaction) && named === transaction.order_id))
      return answer('404', "Transaction doesn't exist.")
    if (action === 'status') return { status: 200, body: shown(transaction) }
    if (action === 'refund') return refund(transaction, request.body)
    return end(transaction, action)
  }
  const pages = new Map<string, { body: Record<string, unknown>; orderId: string }>()
  const refusePage = (status: number, message: string): Answer => ({ status, body: { error_messages: [message] } })
  const page = ({ path, body }: ProviderRequest): Answer => {
    const [, token] = /^\/snap\/v1\/transactions\/([^/]+)\/cancel$/.exec(path) ?? []
    if (token !== undefined) {
      const found = pages.get(token)
      if (found === undefined) return refusePage(404, 'Transaction is not found')
      if (server.isPageBusy || transactions.has(found.orderId)) return refusePage(400, 'Transaction is on progress')
      pages.delete(token)
      return { status: 200, body: { canceled_at: '2026-01-31 09:01:00' } }
    }
    const { order_id: orderId } = body.transaction_details as { order_id: string }
    if ([...pages.values()].some((known) => known.orderId === orderId) || transactions.has(orderId))
      return refusePage(400, 'transaction_details.order_id has already been taken')
    const fresh = randomUUID()
    pages.set(fresh, { body, orderId })
    return {
      status: 201,
      body: { token: fresh, redirect_url: `https://app.sandbox.midtrans.com/snap/v4/redirection/${fresh}` },
    }
  }
  const choose = (orderId: string) => {
    const found = [...pages.values()].find((known) => known.orderId === orderId)
    if (found === undefined || transactions.has(orderId)) return
    const { transaction_details: details, enabled_payments: enabled } = found.body
    const type = String((enabled as string[])[0])
    const bank = PAGE_BANKS.find((one) => type === `${one}_va`)
    const body =
      bank === undefined ? { payment_type: type } : { payment_type: 'bank_transfer', bank_transfer: { bank } }
    transactions.set(orderId, newTransaction(body, details as { order_id: string; gross_amount: number }))
  }
  const charge = ({ body }: ProviderRequest): Answer => {
    const details = body.transaction_details as { order_id: string; gross_amount: number }
    if (!/^[\w~.-]{1,50}$/.test(details.order_id)) return answer('400', 'One or more parameters are invalid.')
    if (!Number.isInteger(details.gross_amount))
      return answer('400', 'One or more parameters are invalid.', { validation_messages: ['gross_amount is invalid'] })
    if (body.payment_type === 'ovo' && server.isPayerUnknown) return answer('404', 'Customer is not found.', {}, 200)
    // Documented inside HTTP 200.
    if (transactions.has(details.order_id)) return answer('406', 'The request could not be completed.', {}, 200)
    const expiry = server.expiryTime === null ? {} : { expire_time: server.expiryTime, expiry_time: server.expiryTime }
    const transaction: Transaction = Object.assign(newTransaction(body, details), expiry)
    transactions.set(details.order_id, transaction)
    const { qr_string: qrString, ...rest } = transaction
    const withoutQr = server.isWithoutQrString || qrString === undefined
    const shown = server.isWithBrokenQrString ? `${qrString}\n${qrString}` : qrString
    return { status: 200, body: { status_code: '201', ...rest, ...(!withoutQr && { qr_string: shown }) } }
  }
  const end = (transaction: Transaction, action: string): Answer => {
    if (transaction.transaction_status !== 'pending')
      return answer('412', 'Transaction status cannot be updated.', {}, 200)
    transaction.transaction_status = action
    return action === 'expire'
      ? answer('407', 'Success, transaction is expired', shown(transaction), 200)
      : answer('200', 'Success, transaction is canceled', { ...shown(transaction), status_code: '200' })
  }
  const refund = (transaction: Transaction, body: Record<string, unknown>): Answer => {
    const refunds = (transaction.refunds ?? []) as Record<string, unknown>[]
    if (refunds.some((row) => row.refund_key === body.refund_key)) return answer('406', 'Refund key is used.', {}, 200)
    if (!['settlement', 'capture', 'partial_refund', 'partial_chargeback'].includes(transaction.transaction_status))
      return answer('412', 'Transaction status cannot be updated.', {}, 200)
    const amount = Number(body.amount)
    const refunded = refunds.reduce((sum, row) => sum + Number(row.refund_amount), amount)
    if (refunded > Number(transaction.gross_amount)) return answer('414', 'Refund amount exceeds the payment.', {}, 200)
    const row = { refund_chargeback_id: refunds.length + 1, refund_amount: `${amount}.00`, refund_key: body.refund_key }
    transaction.refunds = [...refunds, row]
    transaction.transaction_status = refunded === Number(transaction.gross_amount) ? 'refund' : 'partial_refund'
    transaction.refund_amount = `${refunded}.00`
    return answer('200', 'Success, refund request is approved', {
      ...row,
      transaction_status: transaction.transaction_status,
    })
  }
  const base = startProviderServer({
    handle,
    trouble: (status) => answer(String(status), 'Sorry, we encountered internal server error.'),
  })
  const server: MidtransServer = Object.assign(base, {
    serverKey,
    isWithoutQrString: false,
    isWithBrokenQrString: false,
    expiryTime: null as string | null,
    move(orderId: string, status: string, more: Record<string, unknown> = {}) {
      choose(orderId)
      const transaction = transactions.get(orderId) as Transaction
      Object.assign(transaction, { transaction_status: status, settlement_time: '2026-01-31 09:05:00', ...more })
      return shown(transaction)
    },
    confirmRefunds(orderId: string) {
      const transaction = transactions.get(orderId) as Transaction
      const rows = (transaction.refunds ?? []) as object[]
      transaction.refunds = rows.map((row) => ({ ...row, bank_confirmed_at: '2026-02-01 10:00:00' }))
      return shown(transaction)
    },
    choose,
    isPayerUnknown: false,
    isPageBusy: false,
    notices: (orderId: string) => shown(transactions.get(orderId) as Transaction),
  })
  return server
}

function newTransaction(
  body: Record<string, unknown>,
  details: { order_id: string; gross_amount: number },
): Transaction {
  const id = randomUUID()
  return {
    status_message: 'Success',
    transaction_id: id,
    order_id: details.order_id,
    merchant_id: 'G000000001',
    gross_amount: `${details.gross_amount}.00`,
    currency: 'IDR',
    payment_type: body.payment_type,
    transaction_time: '2026-01-31 09:00:00',
    transaction_status: 'pending',
    fraud_status: 'accept',
    ...means(body, { id, amount: details.gross_amount }),
  }
}

function means(body: Record<string, unknown>, { id, amount }: { id: string; amount: number }): object {
  if (body.payment_type === 'qris')
    return {
      acquirer: 'gopay',
      expire_time: '2026-01-31 09:15:00',
      qr_string: makeDynamic(staticQris, { amount, limits: QRIS_LIMITS_DEFAULT }).text,
      actions: [
        { name: 'generate-qr-code', method: 'GET', url: `https://api.sandbox.midtrans.com/v2/qris/${id}/qr-code` },
      ],
    }
  const expiry = { expiry_time: '2026-02-01 09:00:00' }
  const type = String(body.payment_type)
  const link = (url: string) => ({ name: 'deeplink-redirect', method: 'GET', url })
  if (type === 'gopay')
    return {
      actions: [
        { name: 'generate-qr-code', method: 'GET', url: `https://api.sandbox.midtrans.com/v2/gopay/${id}/qr-code` },
        link(`https://gopay.co.id/app/merchanttransfer?tref=${id}`),
        { name: 'cancel', method: 'POST', url: `https://api.sandbox.midtrans.com/v2/${id}/cancel` },
      ],
    }
  if (type === 'shopeepay')
    return { actions: [link(`https://wsa.wallet.airpay.co.id/universal-link/wallet/pay?id=${id}`)] }
  if (type === 'ovo') return { ...expiry, ...(body.ovo as object) }
  if (type === 'cstore')
    return { ...expiry, payment_code: '832401000000003', store: (body.cstore as { store: string }).store }
  if (body.bank_transfer === undefined && type !== 'echannel') return {}
  if (body.payment_type === 'echannel') return { ...expiry, biller_code: '70012', bill_key: '030012345678' }
  const { bank } = body.bank_transfer as { bank: string }
  if (bank === 'permata') return { ...expiry, permata_va_number: '0850012345678901' }
  return { ...expiry, va_numbers: [{ bank, va_number: '08330012345678901' }] }
}

/** A status answer, which is also what a notification holds. It has no QR string. */
function shown(transaction: Transaction): Record<string, unknown> {
  const { qr_string: _string, actions: _actions, ...rest } = transaction
  const code = STATUS_CODES[transaction.transaction_status.toLowerCase()] ?? '202'
  return { status_code: code, ...rest }
}
