import type { ChargeAttempt, PayableDetails, PaymentAccount } from './payment-connector.ts'
import { readAmount } from './qris/qris-amount.ts'
import { QrisError } from './qris/qris-problem.ts'
import { checksumProblem, type QrisReading, readStructure } from './qris/qris-reading.ts'

/**
 * Whether the answer to a charge agrees with the request. A member that the provider leaves out proves nothing. One that
 * contradicts the request would have the payer pay another amount, another order or another merchant, so nothing of such
 * an answer is shown.
 */
type Requested = Pick<ChargeAttempt, 'id' | 'method' | 'bank' | 'amount'>

/** The NMID that the codes of an account must carry, where its owner gave one. */
export const NMID_SETTING = 'qris_nmid'

/** A sentence about the first contradiction; null where there is none. */
export function findMismatch(account: PaymentAccount, attempt: Requested, details: PayableDetails): string | null {
  const { stated, qrString } = details
  return (
    (isAboutAnother(attempt, details) ? 'The provider answered about another order than the one requested.' : null) ??
    amountMismatch(attempt, stated.amount) ??
    (stated.currency === null || stated.currency === CURRENCY
      ? null
      : `The provider answered in ${stated.currency.slice(0, 10)}, and ${CURRENCY} was requested.`) ??
    methodMismatch(attempt, details) ??
    (qrString === null ? null : codeMismatch(account, attempt, qrString))
  )
}

const CURRENCY = 'IDR'

export const isAboutAnother = ({ id }: Pick<Requested, 'id'>, { stated }: PayableDetails): boolean =>
  stated.attemptId !== null && stated.attemptId !== id

function amountMismatch({ amount }: Requested, stated: number | null): string | null {
  if (stated === null || stated === (amount ?? 0)) return null
  const told = Number.isNaN(stated) ? 'an amount that is not whole rupiah' : `an amount of ${stated}`
  return `The provider answered with ${told}, and ${amount ?? 'an open amount'} was requested.`
}

function methodMismatch({ method, bank }: Requested, details: PayableDetails): string | null {
  const { qrString, qrImageUrl, virtualAccount, bill } = details
  const hasNumber = virtualAccount !== null || bill !== null
  const hasCode = qrString !== null || qrImageUrl !== null
  const isOfAnotherMethod = method === 'qris' ? hasNumber : method === 'virtual_account' && hasCode
  if (isOfAnotherMethod) return `The provider answered with another payment method than ${method}.`
  const told = virtualAccount?.bank ?? ''
  return told === '' || told === bank ? null : `The provider answered with an account of another bank than ${bank}.`
}

function codeMismatch(account: PaymentAccount, { amount }: Requested, qrString: string): string | null {
  const reading = readCode(qrString)
  if (reading === null || checksumProblem(reading) !== null)
    return 'The QRIS code of the provider cannot be read, or its checksum is wrong.'
  const currency = reading.root.get('53')?.value
  if (currency !== undefined && currency !== RUPIAH) return 'The QRIS code of the provider is in another currency.'
  const stated = reading.root.get('54')?.value
  if ((stated === undefined ? null : amountIn(stated)) !== amount)
    return `The QRIS code of the provider is over ${stated ?? 'no amount'}, and ${amount ?? 'an open amount'} was requested.`
  const [expected, nmid] = [account.settings[NMID_SETTING], reading.templates.get('51')?.get('02')?.value]
  return typeof expected === 'string' && nmid !== undefined && nmid !== expected
    ? `The QRIS code of the provider pays another merchant (NMID ${nmid}) than the one of the account.`
    : null
}

/** ISO 4217, as tag 53 writes it. */
const RUPIAH = '360'

function amountIn(text: string): number {
  const reading = readAmount(text)
  return reading.ok ? reading.amount : Number.NaN
}

function readCode(qrString: string): QrisReading | null {
  try {
    return readStructure(qrString)
  } catch (error) {
    if (error instanceof QrisError) return null
    throw error
  }
}
