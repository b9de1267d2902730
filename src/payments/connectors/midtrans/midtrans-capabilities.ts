import type { KnownAttempt, PaymentAccount, PaymentCapability } from '../../payment-connector.ts'
import { type ChannelFacts, capabilityOf } from '../../provider-calls/provider-calls.ts'
import { qrisLimitsOf } from '../../qris/qris-account.fields.ts'

/**
 * The methods of Midtrans with the documented limits (mid-2026; those of Saqu are not documented). Most are charged by the Core
 * API v2. Card data must not reach this server, and the Core API has neither DANA nor some banks, so these use Snap, Midtrans'
 * hosted page, restricted to one method. The page of a bank shows the account number.
 *
 * Missing: LinkAja, which pays by QRIS.
 */
const HOUR = 3_600
const DAY = 24 * HOUR
const CORE = [20, DAY, 180 * DAY] as const
const PAGE = [300, DAY, 7 * DAY] as const

const CHANNELS: readonly ChannelFacts[] = [
  ['virtual_account', 'bca', 'bca', 'number', 10_000, 20_000_000_000, CORE, 'none'],
  ['virtual_account', 'bni', 'bni', 'number', 1, null, CORE, 'none'],
  ['virtual_account', 'bri', 'bri', 'number', 1, 20_000_000_000, CORE, 'none'],
  ['virtual_account', 'permata', 'permata', 'number', 1, 9_999_999_999, CORE, 'none'],
  ['virtual_account', 'cimb', 'cimb', 'number', 1, 250_000_000, CORE, 'none'],
  ['virtual_account', 'mandiri', 'echannel', 'number', 1, 50_000_000_000, CORE, 'none'],
  ['virtual_account', 'bsi', 'bsi_va', 'link', 1_000, null, PAGE, 'none'],
  ['virtual_account', 'danamon', 'danamon_va', 'link', 1, null, PAGE, 'none'],
  ['virtual_account', 'seabank', 'seabank_va', 'link', 10_000, 100_000_000, PAGE, 'none'],
  ['virtual_account', 'saqu', 'saqu_va', 'link', 1, null, PAGE, 'none'],
  ['ewallet', 'gopay', 'gopay', 'link', 1, 20_000_000, [20, 900, 7 * DAY], 'partial'],
  // Midtrans' API page says that ShopeePay refunds in full only, its help page that it refunds parts: the stricter one holds.
  ['ewallet', 'shopeepay', 'shopeepay', 'link', 1, 20_000_000, [20, 900, 5 * DAY], 'full'],
  // The time of OVO is fixed.
  ['ewallet', 'ovo', 'ovo', 'push', 1, 99_999_999, [65, 65, 65], 'full'],
  ['ewallet', 'dana', 'dana', 'link', 1, 20_000_000, [900, 900, DAY], 'partial'],
  ['card', 'credit_card', 'credit_card', 'link', 10_000, 999_999_999, [300, HOUR, 7 * DAY], 'partial'],
  ['card', 'akulaku', 'akulaku', 'link', 5_000, null, [300, 2 * HOUR, 7 * DAY], 'partial'],
  ['card', 'kredivo', 'kredivo', 'link', 1, null, PAGE, 'partial'],
  ['retail', 'alfamart', 'alfamart', 'code', 1, 5_000_000, CORE, 'none'],
  ['retail', 'indomaret', 'indomaret', 'code', 10_000, 5_000_000, CORE, 'none'],
]

export const MIDTRANS_BANKS = CHANNELS.flatMap(([method, channel]) => (method === 'virtual_account' ? channel : []))

const SHOPEE_ACQUIRER = 'airpay shopee'
export const DANA = 'dana'

type Charged = Pick<KnownAttempt, 'method' | 'bank'>

const PAGE_BANKS = CHANNELS.flatMap(([method, channel, , shows]) =>
  method === 'virtual_account' && shows === 'link' ? channel : [],
)

const isOfPageBank = ({ method, bank }: Charged): boolean =>
  method === 'virtual_account' && PAGE_BANKS.includes(bank ?? '')

/** Whether the attempt is paid on the hosted page, which has no transaction until the payer has chosen to pay there. */
export const isHosted = (attempt: Charged): boolean =>
  attempt.method === 'card' || attempt.bank === DANA || isOfPageBank(attempt)

/** Whether Midtrans finds the payment by its own id only, because another interface than the Core API creates it. */
export const isFoundByItsId = (attempt: Charged): boolean => attempt.bank === DANA || isOfPageBank(attempt)

/** QRIS acquired by ShopeePay expires earlier and is refunded in full only. */
function qrisCapability(account: PaymentAccount): PaymentCapability {
  const isShopee = account.settings.qris_acquirer === SHOPEE_ACQUIRER
  return {
    method: 'qris',
    bank: null,
    code: 'qris',
    shows: 'qr',
    needsPhone: false,
    ...qrisLimitsOf(account),
    isOpenAmountPossible: false,
    expirySecondsMin: 20,
    expirySecondsMax: (isShopee ? 5 : 7) * DAY,
    expirySecondsDefault: 900,
    isRefundable: true,
    isRefundableInPart: !isShopee,
    isManual: false,
  }
}

const CAPABILITIES = CHANNELS.map(capabilityOf)

export const midtransCapabilities = (account: PaymentAccount): PaymentCapability[] => [
  qrisCapability(account),
  ...CAPABILITIES,
]
