import type { PaymentAccount, PaymentField } from '../payment-connector.ts'
import { readRupiah } from '../provider-calls/provider-calls.ts'
import { AMOUNT_WRITABLE_MAX } from './qris-amount.ts'
import { QRIS_LIMITS_DEFAULT, type QrisLimits } from './qris-dynamic.ts'

/** An account may set its limit, because Bank Indonesia has raised it twice and grants other limits to some merchants. */
const SETTING = 'qris_amount_max'

export const qrisLimitField: PaymentField = {
  name: SETTING,
  label: 'Highest QRIS amount',
  help: `highest amount of a QRIS payment, in rupiah (default ${QRIS_LIMITS_DEFAULT.amountMax}).`,
  isSecret: false,
  isRequired: false,
  check(text) {
    const amount = readRupiah(text)
    return amount !== null && amount >= 1 && amount <= AMOUNT_WRITABLE_MAX
      ? null
      : 'The highest QRIS amount must be whole rupiah, digits only.'
  },
}

/** The setting with the NMID that the codes of an account must carry (charge-agreement.ts). */
export const NMID_SETTING = 'qris_nmid'

/** The merchant in the national repository, as tag 51 of a code names it (see charge-agreement.ts). */
export const nmidField: PaymentField = {
  name: NMID_SETTING,
  label: 'NMID',
  help: 'national merchant id on your QRIS sticker. When set, QR codes of other merchants are refused.',
  isSecret: false,
  isRequired: false,
  placeholder: 'ID…',
  clean: (text) => text.trim().toUpperCase(),
  check: (text) => (/^[A-Z0-9]{5,20}$/.test(text) ? null : 'The NMID is letters and digits, such as ID1020999999999.'),
}

export const qrisLimitsOf = (account: PaymentAccount): QrisLimits => ({
  amountMin: QRIS_LIMITS_DEFAULT.amountMin,
  amountMax: readRupiah(account.settings[SETTING]) ?? QRIS_LIMITS_DEFAULT.amountMax,
})
