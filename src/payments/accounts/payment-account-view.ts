import { enabledCapabilities } from '../payment-capabilities.ts'
import type { PaymentMethod } from '../payment-connector.ts'
import type { PaymentAccountView } from './payment-accounts.schemas.ts'
import {
  glancePaymentAccount,
  noticeUrlOf,
  type PaymentAccountsContext,
  type StoredPaymentAccount,
} from './payment-accounts.ts'

/** The view of an account: its capabilities, its notice address, and only the last characters of its secrets. */
const HINT_CHARACTERS = 4

export function presentPaymentAccount(context: PaymentAccountsContext, row: StoredPaymentAccount): PaymentAccountView {
  const { hasNotices } = context.providers[row.provider]
  const credentials = Object.entries(glancePaymentAccount(context, row).credentials)
  return {
    object: 'payment_account',
    id: row.id,
    provider: row.provider,
    name: row.name,
    state: row.state,
    base_url: row.base_url,
    credentials: Object.fromEntries(credentials.map(([name, value]) => [name, maskSecret(value)])),
    settings: row.settings,
    methods: presentMethods(context, row),
    webhook_url: hasNotices ? noticeUrlOf(context.publicUrl, row) : null,
    last_notice_at: row.last_notice_at?.toISOString() ?? null,
    last_error:
      row.last_error_at === null ? null : { at: row.last_error_at.toISOString(), detail: row.last_error ?? '' },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** A short secret is masked completely, because its end would reveal half of it. */
const maskSecret = (value: string): string =>
  value.length < HINT_CHARACTERS * 4 ? '…' : `…${value.slice(-HINT_CHARACTERS)}`

function presentMethods(context: PaymentAccountsContext, row: StoredPaymentAccount): PaymentAccountView['methods'] {
  const { connector } = context.providers[row.provider]
  const enabled = enabledCapabilities(connector.capabilities(glancePaymentAccount(context, row)), row.methods)
  return [...new Set(enabled.map(({ method }) => method))].map((method: PaymentMethod) => {
    const own = enabled.filter((capability) => capability.method === method)
    return {
      method,
      banks: own.flatMap(({ bank }) => bank ?? []),
      is_default: row.default_methods.includes(method),
      is_manual: own.every(({ isManual }) => isManual),
      is_refundable: own.some(({ isRefundable }) => isRefundable),
    }
  })
}
