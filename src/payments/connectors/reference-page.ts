import { systemClock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { PaymentAccount, PaymentCapability, PaymentForm } from '../payment-connector.ts'
import { rupiah } from '../provider-calls/provider-calls.ts'
import { createPaymentProviders, type PaymentProvider } from './connectors.ts'

/** Writes docs/reference/payment-methods.md from the capabilities of every provider. */
const SECTIONS: readonly { provider: PaymentProvider; title: string; says: string }[] = [
  {
    provider: 'midtrans',
    title: 'Midtrans',
    says: 'Cards, pay later, DANA and the banks BSI, Danamon, SeaBank and Saqu are paid on Snap, the page of Midtrans; the others by its Core API. LinkAja pays by QRIS.',
  },
  {
    provider: 'xendit',
    title: 'Xendit',
    says: 'Cards are paid on a payment session, the page of Xendit; the others by its payments API v3.',
  },
  { provider: 'simulator', title: 'Simulator', says: 'No money. The limits are close to those of the providers.' },
  { provider: 'manual', title: 'Manual', says: 'Staff record the payment, because no provider reports it.' },
]

/** Complete settings, so that every method of the account is listed. */
const accountOf = (provider: PaymentProvider): PaymentAccount => ({
  orgId: 'org_1' as OrgId,
  id: 'pac_1',
  provider,
  baseUrl: null,
  noticeUrl: '',
  fetch: () => Promise.reject(new Error('no calls here')),
  credentials: {},
  settings: { static_qris: 'given', transfer_account_number: 'given' },
})

const FORMS: Readonly<Record<PaymentForm, string>> = {
  qr: 'QR code',
  number: 'account number',
  code: 'payment code',
  link: 'link to an app or page',
  push: 'request in the app',
  instructions: 'instructions of the shop',
}

function amountsOf({ amountMin, amountMax, isOpenAmountPossible }: PaymentCapability): string {
  const range = amountMax === null ? `from ${rupiah(amountMin)}` : `${rupiah(amountMin)} – ${rupiah(amountMax)}`
  return `${amountMax === 0 ? rupiah(0) : range}${isOpenAmountPossible ? ', open' : ''}`
}

const UNITS: readonly [seconds: number, name: string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
]

function timeOf(seconds: number): string {
  const unit = UNITS.find(([size]) => seconds % size === 0)
  return unit === undefined ? `${seconds} s` : `${seconds / unit[0]} ${unit[1]}`
}

function expiryOf({ expirySecondsDefault: standard, expirySecondsMin: min, expirySecondsMax: max }: PaymentCapability) {
  if (min === max) return `${timeOf(standard)}, fixed`
  return `${standard === 0 ? 'none' : timeOf(standard)} (${timeOf(min)} – ${timeOf(max)})`
}

const refundOf = ({ isRefundable, isRefundableInPart }: PaymentCapability): string =>
  isRefundable ? (isRefundableInPart ? 'yes' : 'in full only') : 'no'

const rowOf = (one: PaymentCapability): string =>
  [
    '',
    `\`${one.method}\``,
    one.bank === null ? '–' : `\`${one.bank}\``,
    one.code === null ? '–' : `\`${one.code}\``,
    amountsOf(one),
    expiryOf(one),
    refundOf(one),
    FORMS[one.shows],
    '',
  ]
    .join(' | ')
    .trim()

const HEAD = `| \`method\` | \`channel\` | Code at the provider | Amount | Expiry | Refund | The payer gets |
|---|---|---|---|---|---|---|`

export function paymentMethodsPage(): string {
  const providers = createPaymentProviders({ clock: systemClock })
  const sections = SECTIONS.map(({ provider, title, says }) => {
    const rows = providers[provider].connector.capabilities(accountOf(provider)).map(rowOf)
    return `## ${title}\n\n${says}\n\n${HEAD}\n${rows.join('\n')}\n`
  })
  return `${INTRODUCTION}\n${sections.join('\n')}`
}

const INTRODUCTION = `# Payment methods

Every method and channel of every provider: limits, expiry, refunds, and what the payer gets. This page is generated from the code.

- **Amount**: rupiah per payment. *open* means that an order without an amount is possible. An amount outside the limits is 409 \`value_refused\` with \`min\` and \`max\` in \`params\`, before anything is created.
- **Expiry**: the default, and the range of \`payment.expires_in_seconds\`.
- **Refund**: through the provider. Otherwise refund by transfer and record it.
- \`channel\` is the bank of a virtual account (also \`bank\`), the wallet, the store, or the card or pay later service. Without one, the default bank of the account or the first channel is used.
- OVO sends a request to the payer's phone: \`payment.phone\`, or the phone number of the customer, must be an Indonesian number.
`
