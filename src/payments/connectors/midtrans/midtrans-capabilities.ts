import type { PaymentAccount, PaymentCapability } from '../../payment-connector.ts'
import { qrisLimitsOf } from '../../qris/qris-account.fields.ts'

/**
 * The capabilities of the Core API v2, with its documented limits (mid-2026). Midtrans offers BSI, Danamon, SeaBank and Saqu
 * only through its SNAP interface or its hosted page, so they are missing here.
 */
const DAY_SECONDS = 86_400

const VIRTUAL_ACCOUNTS: readonly { bank: string; amountMin: number; amountMax: number | null }[] = [
  { bank: 'bca', amountMin: 10_000, amountMax: 20_000_000_000 },
  { bank: 'bni', amountMin: 1, amountMax: null },
  { bank: 'bri', amountMin: 1, amountMax: 20_000_000_000 },
  { bank: 'permata', amountMin: 1, amountMax: 9_999_999_999 },
  { bank: 'cimb', amountMin: 1, amountMax: 250_000_000 },
  { bank: 'mandiri', amountMin: 1, amountMax: 50_000_000_000 },
]

export const MIDTRANS_BANKS = VIRTUAL_ACCOUNTS.map(({ bank }) => bank)

export const SHOPEE_ACQUIRER = 'airpay shopee'

const FIXED = {
  isOpenAmountPossible: false,
  expirySecondsMin: 20,
  expirySecondsMax: 180 * DAY_SECONDS,
  isManual: false,
}

/** Midtrans does not refund virtual accounts; staff refund them by transfer. */
export const midtransCapabilities = (account: PaymentAccount): PaymentCapability[] => [
  {
    ...FIXED,
    method: 'qris',
    bank: null,
    ...qrisLimitsOf(account),
    expirySecondsMax: (account.settings.qris_acquirer === SHOPEE_ACQUIRER ? 5 : 180) * DAY_SECONDS,
    expirySecondsDefault: 900,
    isRefundable: true,
  },
  ...VIRTUAL_ACCOUNTS.map((limits) => ({
    ...FIXED,
    ...limits,
    method: 'virtual_account' as const,
    expirySecondsDefault: DAY_SECONDS,
    isRefundable: false,
  })),
]
