import type { Id } from '../../kernel/ids.ts'
import { type SecretBox, tryOpen } from '../../platform/database/secret-box.ts'
import type { Egress } from '../../platform/outbound-http/egress.ts'
import type { PaymentAccount } from '../payment-connector.ts'
import type { PaymentAccountRow } from './accounts.sql.ts'

/** Opens stored accounts: their credentials are sealed in the database and in clear only for a connector. */
export type StoredPaymentAccount = PaymentAccountRow

type AccountOpening = {
  secretBox: SecretBox
  /** The address at which providers reach this server. */
  publicUrl: string
  egress: Egress
}

const credentialsContext = (id: string) => `payment_accounts.sealed_credentials ${id}`

export const sealCredentials = (box: SecretBox, id: Id<'pac'>, credentials: Record<string, string>): string | null =>
  Object.keys(credentials).length === 0 ? null : box.seal(JSON.stringify(credentials), credentialsContext(id))

const openCredentials = (box: SecretBox, row: StoredPaymentAccount): Record<string, string> =>
  row.sealed_credentials === null ? {} : JSON.parse(box.open(row.sealed_credentials, credentialsContext(row.id)))

/** Returns the credentials that the current key opens. Credentials sealed with a lost key must be set again. */
export const knownCredentials = (box: SecretBox, row: StoredPaymentAccount): Record<string, string> =>
  row.sealed_credentials === null
    ? {}
    : JSON.parse(tryOpen(box, row.sealed_credentials, credentialsContext(row.id)) ?? '{}')

/** Opens an account with its credentials in clear, for a connector. Callers keep it only briefly. */
export const openPaymentAccount = (
  { secretBox, publicUrl, egress }: AccountOpening,
  row: StoredPaymentAccount,
): PaymentAccount => describeAccount({ publicUrl, egress }, row, openCredentials(secretBox, row))

/** Opens an account for display only, never for charges or notifications: credentials that do not open are left out. */
export const glancePaymentAccount = (
  { secretBox, publicUrl, egress }: AccountOpening,
  row: StoredPaymentAccount,
): PaymentAccount => describeAccount({ publicUrl, egress }, row, knownCredentials(secretBox, row))

const describeAccount = (
  { publicUrl, egress }: Omit<AccountOpening, 'secretBox'>,
  row: StoredPaymentAccount,
  credentials: Record<string, string>,
): PaymentAccount => ({
  orgId: row.org_id,
  id: row.id,
  provider: row.provider,
  baseUrl: row.base_url,
  noticeUrl: noticeUrlOf(publicUrl, row),
  fetch: egress.fetch,
  credentials,
  settings: row.settings,
})

export const noticeUrlOf = (publicUrl: string, row: Pick<StoredPaymentAccount, 'provider' | 'id'>): string =>
  `${publicUrl}/hooks/${row.provider}/${row.id}`
