import type { KnownAttempt, PaymentAccount, PaymentCapability } from '../../payment-connector.ts'
import { type ChannelFacts, capabilityOf } from '../../provider-calls/provider-calls.ts'
import { qrisLimitsOf } from '../../qris/qris-account.fields.ts'

/**
 * The Indonesian channels of Xendit's payments API v3 with the documented limits (mid-2026). Where Xendit's pages differ, the
 * stricter value holds. Limits of Hana are not documented. Card data must not reach this server, so cards use a payment
 * session, Xendit's hosted page. Xendit publishes no minimum expiry, and refuses one that is too short.
 */
const HOUR = 3_600
const DAY = 24 * HOUR
const NUMBER = [1, DAY, 180 * DAY] as const
/** The time of wallets is Xendit's own; what is requested only ends an attempt earlier here. */
const WALLET = [1, HOUR / 2, HOUR / 2] as const
const PAGE = [1, DAY, DAY] as const

const bank = (channel: string, amountMin: number, amountMax: number | null): ChannelFacts => [
  ...(['virtual_account', channel, `${channel.toUpperCase()}_VIRTUAL_ACCOUNT`, 'number'] as const),
  ...([amountMin, amountMax, NUMBER, 'none'] as const),
]

const CHANNELS: readonly ChannelFacts[] = [
  bank('bca', 10_000, 50_000_000),
  bank('bni', 1, 50_000_000_000),
  bank('bri', 1, 50_000_000_000),
  bank('mandiri', 1, 50_000_000_000),
  bank('permata', 1, 9_999_999_999),
  bank('cimb', 1, 50_000_000),
  bank('bsi', 1, 50_000_000_000),
  bank('bjb', 1, 2_000_000_000),
  bank('bss', 1, 50_000_000_000),
  bank('bnc', 10_000, 50_000_000_000),
  bank('muamalat', 10_000, 50_000_000_000),
  bank('hana', 1, null),
  ['ewallet', 'gopay', 'GOPAY', 'link', 1, 20_000_000, WALLET, 'partial'],
  ['ewallet', 'shopeepay', 'SHOPEEPAY', 'link', 1, 20_000_000, WALLET, 'partial'],
  ['ewallet', 'dana', 'DANA', 'link', 100, 20_000_000, PAGE, 'partial'],
  ['ewallet', 'linkaja', 'LINKAJA', 'link', 100, 10_000_000, WALLET, 'full'],
  ['ewallet', 'astrapay', 'ASTRAPAY', 'link', 100, 20_000_000, WALLET, 'none'],
  ['ewallet', 'ovo', 'OVO', 'push', 100, 20_000_000, [55, 55, 55], 'partial'],
  ['card', 'credit_card', 'CARDS', 'link', 5_000, 200_000_000, [600, HOUR, 7 * DAY], 'partial'],
  ['card', 'akulaku', 'AKULAKU', 'link', 1_000, 25_000_000, PAGE, 'partial'],
  ['card', 'kredivo', 'KREDIVO', 'link', 1_000, 30_000_000, PAGE, 'full'],
  ['retail', 'alfamart', 'ALFAMART', 'code', 10_000, 5_000_000, NUMBER, 'none'],
  ['retail', 'indomaret', 'INDOMARET', 'code', 10_000, 2_500_000, NUMBER, 'none'],
]

export const XENDIT_BANKS = CHANNELS.flatMap(([method, channel]) => (method === 'virtual_account' ? channel : []))

const QRIS = 'QRIS'
const CARDS = 'CARDS'

type Charged = Pick<KnownAttempt, 'method' | 'bank'>

export const channelCodeOf = ({ method, bank }: Charged): string =>
  bank === null ? QRIS : (CHANNELS.find((known) => known[0] === method && known[1] === bank)?.[2] ?? '')

/** The method and our code of a channel of Xendit; null for QRIS and unknown ones. */
export function chargedBy(code: string | null): Charged | null {
  const found = CHANNELS.find((known) => known[2] === code)
  return found === undefined ? null : { method: found[0], bank: found[1] }
}

/** Whether the attempt is a payment session, Xendit's hosted page. */
export const isSession = (attempt: Charged): boolean => channelCodeOf(attempt) === CARDS

const CAPABILITIES = CHANNELS.map(capabilityOf)

export const xenditCapabilities = (account: PaymentAccount): PaymentCapability[] => [
  {
    method: 'qris',
    bank: null,
    code: QRIS,
    shows: 'qr',
    needsPhone: false,
    ...qrisLimitsOf(account),
    isOpenAmountPossible: false,
    expirySecondsMin: 1,
    expirySecondsMax: 2 * DAY,
    expirySecondsDefault: 900,
    // For about a week, and for certain issuers.
    isRefundable: true,
    isRefundableInPart: true,
    isManual: false,
  },
  ...CAPABILITIES,
]
