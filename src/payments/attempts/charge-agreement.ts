import type { ChargeAttempt, PayableDetails, PaymentAccount, PaymentMethod } from '../payment-connector.ts'
import { checksumProblem, QrisError, type QrisReading, readAmount, readStructure } from '../qris/qris.ts'
import { NMID_SETTING } from '../qris/qris-account.fields.ts'

/**
 * Checks that the answer to a charge agrees with the request. Members that the provider leaves out are not checked. An answer
 * that contradicts the request is not shown at all: the payer would pay another amount, order or merchant.
 */
type Requested = Pick<ChargeAttempt, 'id' | 'method' | 'bank' | 'amount'>

/** Returns a sentence about the first contradiction, or null. */
export function findMismatch(account: PaymentAccount, attempt: Requested, details: PayableDetails): string | null {
  const { stated, qrString } = details
  return (
    (isAboutAnother(attempt, details) ? 'The provider answered about another order than the one requested.' : null) ??
    amountMismatch(attempt, stated.amount) ??
    (stated.currency === null || stated.currency === CURRENCY
      ? null
      : `The provider answered in ${stated.currency.slice(0, 10)}, and ${CURRENCY} was requested.`) ??
    methodMismatch(attempt, details) ??
    addressMismatch(account, details) ??
    (qrString === null ? null : codeMismatch(account, attempt, qrString))
  )
}

const CURRENCY = 'IDR'

export const isAboutAnother = ({ id }: Pick<Requested, 'id'>, { stated }: PayableDetails): boolean =>
  stated.attemptId !== null && stated.attemptId !== id

function amountMismatch({ amount }: Requested, stated: number | null): string | null {
  if (stated === null || stated === (amount ?? 0)) return null
  const named = Number.isNaN(stated) ? 'an amount that is not whole rupiah' : `an amount of ${stated}`
  return `The provider answered with ${named}, and ${amount ?? 'an open amount'} was requested.`
}

function methodMismatch({ method, bank }: Requested, details: PayableDetails): string | null {
  if (methodsIn(details).some((stated) => stated !== method))
    return `The provider answered with another payment method than ${method}.`
  const stated = channelIn(details)
  if (stated === '' || stated === bank) return null
  return details.virtualAccount === null
    ? `The provider answered with a payment by another channel than ${bank}.`
    : `The provider answered with an account of another bank than ${bank}.`
}

/** A wallet may have a QR code besides. */
function methodsIn({ qrString, qrImageUrl, virtualAccount, bill, accountPage, ewallet, retail, card }: PayableDetails) {
  const isCode = (qrString !== null || qrImageUrl !== null) && ewallet === null
  const methods: [PaymentMethod, boolean][] = [
    ['qris', isCode],
    ['virtual_account', virtualAccount !== null || bill !== null || accountPage !== null],
    ['ewallet', ewallet !== null],
    ['retail', retail !== null],
    ['card', card !== null],
  ]
  return methods.flatMap(([method, isStated]) => (isStated ? method : []))
}

const channelIn = ({ virtualAccount, accountPage, ewallet, retail, card }: PayableDetails): string =>
  virtualAccount?.bank ?? accountPage?.bank ?? ewallet?.channel ?? retail?.store ?? card?.channel ?? ''

/** A payer follows these addresses, so an unsafe one is never shown. A simulated page is on this server. */
function addressMismatch(account: PaymentAccount, { accountPage, ewallet, card }: PayableDetails): string | null {
  const pages = [accountPage?.redirectUrl, ewallet?.webUrl, card?.redirectUrl].filter((url) => url != null)
  const isSafe = pages.every((url) => isSafePage(account, url)) && isSafeLink(account, ewallet?.deeplinkUrl ?? null)
  return isSafe ? null : 'The provider answered with an address that is not safe to open.'
}

const ADDRESS_LENGTH_MAX = 2048

const isSafePage = ({ noticeUrl }: PaymentAccount, url: string): boolean =>
  url.length <= ADDRESS_LENGTH_MAX &&
  URL.canParse(url) &&
  (new URL(url).protocol === 'https:' || new URL(url).origin === new URL(noticeUrl).origin)

/** The scheme of an app has no meaning to a browser; these have. */
const BROWSER_SCHEMES = [
  'about:',
  'blob:',
  'data:',
  'file:',
  'ftp:',
  'http:',
  'javascript:',
  'vbscript:',
  'ws:',
  'wss:',
]

const isSafeLink = (account: PaymentAccount, url: string | null): boolean =>
  url === null ||
  isSafePage(account, url) ||
  (url.length <= ADDRESS_LENGTH_MAX && URL.canParse(url) && !BROWSER_SCHEMES.includes(new URL(url).protocol))

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

/** The ISO 4217 number of the rupiah, which tag 53 carries. */
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
