import type { PaymentAccount, PaymentCapability } from '../../payment-connector.ts'
import { qrisLimitsOf } from '../../qris/qris-account.fields.ts'

/** The Indonesian channels of the payments API v3, with the documented limits (mid-2026). Limits of Hana are not documented. */
const DAY_SECONDS = 86_400

type Channel = { bank: string; channelCode: string; amountMin: number; amountMax: number | null }

const channel = (bank: string, amountMin: number, amountMax: number | null): Channel => ({
  bank,
  channelCode: `${bank.toUpperCase()}_VIRTUAL_ACCOUNT`,
  amountMin,
  amountMax,
})

const VIRTUAL_ACCOUNTS: readonly Channel[] = [
  channel('bca', 10_000, 50_000_000),
  channel('bni', 1, 50_000_000_000),
  channel('bri', 1, 50_000_000_000),
  channel('mandiri', 1, 50_000_000_000),
  channel('permata', 1, 9_999_999_999),
  channel('cimb', 1, 50_000_000),
  channel('bsi', 1, 50_000_000_000),
  channel('bjb', 1, 2_000_000_000),
  channel('bss', 1, 50_000_000_000),
  channel('bnc', 10_000, 50_000_000_000),
  channel('muamalat', 10_000, 50_000_000_000),
  channel('hana', 1, null),
]

export const XENDIT_BANKS = VIRTUAL_ACCOUNTS.map(({ bank }) => bank)

export const channelCodeOf = (bank: string | null): string =>
  bank === null ? 'QRIS' : (VIRTUAL_ACCOUNTS.find((known) => known.bank === bank)?.channelCode ?? '')

export const bankOfChannel = (channelCode: string | null): string | null =>
  VIRTUAL_ACCOUNTS.find((known) => known.channelCode === channelCode)?.bank ?? null

/** Xendit publishes no minimum expiry, and refuses one that is too short. */
const FIXED = { isOpenAmountPossible: false, expirySecondsMin: 1, isManual: false }

/** Xendit refunds QRIS for about a week and for certain issuers, and never virtual accounts. */
export const xenditCapabilities = (account: PaymentAccount): PaymentCapability[] => [
  {
    ...FIXED,
    method: 'qris',
    bank: null,
    ...qrisLimitsOf(account),
    expirySecondsMax: 2 * DAY_SECONDS,
    expirySecondsDefault: 900,
    isRefundable: true,
  },
  ...VIRTUAL_ACCOUNTS.map(({ bank, amountMin, amountMax }) => ({
    ...FIXED,
    method: 'virtual_account' as const,
    bank,
    amountMin,
    amountMax,
    expirySecondsMax: 180 * DAY_SECONDS,
    expirySecondsDefault: DAY_SECONDS,
    isRefundable: false,
  })),
]
