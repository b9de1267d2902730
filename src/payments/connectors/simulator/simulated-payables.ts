import { createHash } from 'node:crypto'
import type { PayableDetails, PaymentAccount, PaymentMethod } from '../../payment-connector.ts'
import { NO_DETAILS, plainText } from '../../provider-calls/provider-calls.ts'
import { entriesOf, sealQrisText, writeTlv } from '../../qris/qris.ts'

/**
 * Creates realistic payment details: a QRIS payload that every app can read (of a merchant that does not exist), and account
 * numbers with each bank's length. They are derived from the attempt's id, so the same attempt always has the same code.
 */
export type Payable = {
  id: string
  method: PaymentMethod
  bank: string | null
  amount: number | null
  expiresAt: Date | null
  merchantName: string | null
  orderNumber: string | null
  /** Null in an answer to a status query, which shows no link. */
  returnUrl: string | null
}

/** The lengths and biller prefixes of real account numbers. Mandiri has a biller code and a bill key instead. */
const NUMBER_FORMS: Readonly<Record<string, { prefix: string; digits: number }>> = {
  bca: { prefix: '39010', digits: 15 },
  bni: { prefix: '98829', digits: 16 },
  bri: { prefix: '92610', digits: 18 },
  permata: { prefix: '82150', digits: 16 },
  cimb: { prefix: '93490', digits: 16 },
  bsi: { prefix: '9347', digits: 12 },
  bjb: { prefix: '12340', digits: 16 },
  bnc: { prefix: '90120', digits: 16 },
  muamalat: { prefix: '87790', digits: 19 },
  bss: { prefix: '12050', digits: 13 },
  hana: { prefix: '97090', digits: 16 },
}

const MANDIRI = { bank: 'mandiri', billerCode: '70012', keyDigits: 12 }

/** Their account number is on a page of the provider, as it is at Midtrans. */
export const PAGE_BANKS = ['danamon', 'seabank', 'saqu']

export const SIMULATED_BANKS = [...Object.keys(NUMBER_FORMS), MANDIRI.bank, ...PAGE_BANKS]

export const simulatedIdOf = (attemptId: string): string => `sim_${attemptId.replace(/^pay_/, '')}`

export function makePayable(account: PaymentAccount, payable: Payable): PayableDetails {
  return {
    ...NO_DETAILS,
    providerId: simulatedIdOf(payable.id),
    expiresAt: payable.expiresAt,
    ...payWith(account, payable),
  }
}

function payWith(account: PaymentAccount, payable: Payable): Partial<PayableDetails> {
  switch (payable.method) {
    case 'qris':
      return { qrString: makeQris(account, payable) }
    case 'virtual_account':
      return makeNumber(account, payable)
    case 'ewallet':
      return makeWallet(account, payable)
    case 'card':
      return { card: { channel: payable.bank ?? '', redirectUrl: simulatedPageOf(payable) ?? '' } }
    case 'retail':
      return { retail: { store: payable.bank ?? '', paymentCode: digitsOf(payable.id, 'retail', 14) } }
    default:
      return { instructions: { pay_with: payable.method, reference: simulatedIdOf(payable.id) } }
  }
}

/** The page that plays the app of a wallet or the hosted page of a provider (surfaces/pay). */
const simulatedPageOf = ({ returnUrl }: Payable): string | null =>
  returnUrl === null ? null : `${returnUrl}/simulator`

/** GoPay adds a QR code for desks, and OVO asks in its app, as the real ones do. */
function makeWallet(account: PaymentAccount, payable: Payable): Partial<PayableDetails> {
  const channel = payable.bank ?? ''
  const url = channel === PUSH_WALLET ? null : simulatedPageOf(payable)
  return {
    ewallet: { channel, deeplinkUrl: url, webUrl: url },
    ...(channel === SCANNED_WALLET && { qrString: makeQris(account, payable) }),
  }
}

const PUSH_WALLET = 'ovo'
const SCANNED_WALLET = 'gopay'

function makeNumber(account: PaymentAccount, payable: Payable): Partial<PayableDetails> {
  const bank = payable.bank ?? ''
  if (bank === MANDIRI.bank) {
    const billKey = digitsOf(payable.id, bank, MANDIRI.keyDigits)
    return { bill: { billerCode: MANDIRI.billerCode, billKey } }
  }
  if (PAGE_BANKS.includes(bank)) return { accountPage: { bank, redirectUrl: simulatedPageOf(payable) ?? '' } }
  const form = NUMBER_FORMS[bank]
  if (form === undefined) throw new Error(`the simulator has no bank ${bank}`)
  const number = `${form.prefix}${digitsOf(payable.id, bank, form.digits - form.prefix.length)}`
  return { virtualAccount: { bank, number, name: merchantNameOf(account, payable) } }
}

/** Takes decimal digits from a hash, so that two attempts share a number only by chance. */
function digitsOf(attemptId: string, purpose: string, count: number): string {
  const hash = createHash('sha256').update(`${purpose} ${attemptId}`).digest('hex')
  return (BigInt(`0x${hash.slice(0, 32)}`) % 10n ** BigInt(count)).toString().padStart(count, '0')
}

const NAME_LENGTH_MAX = 25
const LABEL_LENGTH_MAX = 25
const FALLBACK_NAME = 'NEXKIT SIMULATOR'

function merchantNameOf(account: PaymentAccount, payable: Payable): string {
  const chosen = typeof account.settings.merchant_name === 'string' ? account.settings.merchant_name : null
  const name = plainText((chosen ?? payable.merchantName ?? '').replaceAll('|', ' '), NAME_LENGTH_MAX)
  return name === '' ? FALLBACK_NAME : name
}

/**
 * The constant part of every code. The acquirer number 93600999 and the merchant number are not assigned, so no app can send
 * money there.
 */
const MERCHANT = entriesOf({
  initiation: 'dynamic',
  accounts: [
    { tag: '26', domain: 'ID.CO.NEXKIT.WWW', pan: '936009990000000018', merchantId: '000000000001', criteria: 'UMI' },
  ],
  national: { domain: 'ID.CO.QRIS.WWW', nmid: 'ID1020999999999', criteria: 'UMI' },
  categoryCode: '5399',
  merchantName: FALLBACK_NAME,
  merchantCity: 'JAKARTA',
  postalCode: '10110',
  otherObjects: [],
})

const between = (first: string, last: string) => writeTlv(MERCHANT.filter(({ tag }) => tag >= first && tag <= last))

const BEFORE_AMOUNT = between('00', '53')
const COUNTRY = between('58', '58')
const PLACE = between('60', '61')

/** The code is not validated by reading it back, which would double the cost: every part is constant, cut to size or a number. */
function makeQris(account: PaymentAccount, payable: Payable): string {
  const billNumber = payable.orderNumber === null ? '' : plainText(payable.orderNumber, LABEL_LENGTH_MAX)
  const label = object('05', payable.id.slice(-LABEL_LENGTH_MAX))
  const amount = payable.amount === null ? '' : object('54', String(payable.amount))
  const name = object('59', merchantNameOf(account, payable))
  const more = object('62', billNumber === '' ? label : `${object('01', billNumber)}${label}`)
  return sealQrisText(`${BEFORE_AMOUNT}${amount}${COUNTRY}${name}${PLACE}${more}`)
}

/** Writes a data object of ASCII text with fewer than 100 characters. */
const object = (tag: string, value: string): string => `${tag}${value.length < 10 ? '0' : ''}${value.length}${value}`
