import type { Clock } from '../../kernel/clock.ts'
import { type Id, isId, newId, type OrgId } from '../../kernel/ids.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import { type SecretBox, tryOpen } from '../../platform/database/secret-box.ts'
import { breaksSchema } from '../../platform/http/pipeline/field-refusals.ts'
import { acceptBaseUrl, type Egress, leadsElsewhere } from '../../platform/outbound-http/egress.ts'
import { ensureLane } from '../../platform/outbox/lanes.ts'
import { enabledCapabilities } from '../payment-capabilities.ts'
import type { PaymentAccount, PaymentMethod, PaymentProvider } from '../payment-connector.ts'
import { acceptFields, type PaymentProviderParts, refuseUnrepeated } from '../payment-fields.ts'
import { paymentAccountLimitReached, paymentAccountNotFound } from './payment-accounts.errors.ts'
import type { NewPaymentAccountInput, PaymentAccountChangeInput } from './payment-accounts.schemas.ts'
import {
  findPaymentAccount,
  insertPaymentAccount,
  listPaymentAccounts as listRows,
  lockPaymentAccounts,
  type NewPaymentAccountRow,
  notePaymentError,
  notePaymentNotice,
  type PaymentAccountRow,
  releaseDefaultMethods,
  updatePaymentAccount as updateRow,
} from './payment-accounts.sql.ts'

/**
 * Creates, reads and changes payment accounts. Charges read them through payment-account-source.ts.
 *
 *   active   ── pause ──▶ paused                 no new attempts; notices, status queries and refunds of earlier ones go on
 *   active, paused ── disable ──▶ disabled       also refuses notices, as if it had never existed
 *   paused, disabled ── activate ──▶ active
 *
 * An account is never deleted, because payments refer to it for as long as they are kept. Its credentials can be replaced at
 * any time; the next charge on every machine uses the new ones.
 */
export type PaymentAccountsContext = {
  database: Database
  clock: Clock
  secretBox: SecretBox
  providers: PaymentProviderParts
  /** The guard for addresses that organizations set. */
  egress: Egress
  /** The address at which providers reach this server. */
  publicUrl: string
}

export type StoredPaymentAccount = PaymentAccountRow

type AccountOpening = Pick<PaymentAccountsContext, 'secretBox' | 'publicUrl' | 'egress'>

export const PAYMENT_ACCOUNTS_MAX = 20

const PROVIDER_NAMES: Record<PaymentProvider, string> = {
  simulator: 'Simulator',
  midtrans: 'Midtrans',
  xendit: 'Xendit',
  manual: 'Manual',
}

export async function createPaymentAccount(
  context: PaymentAccountsContext,
  tx: Tx,
  orgId: OrgId,
  input: NewPaymentAccountInput,
): Promise<StoredPaymentAccount> {
  const row = newAccount(context, input)
  await lockPaymentAccounts(tx, orgId)
  if ((await listRows(tx, orgId)).length >= PAYMENT_ACCOUNTS_MAX)
    throw paymentAccountLimitReached({ params: { max: PAYMENT_ACCOUNTS_MAX } })
  await ensureLane(tx, laneOf(context, orgId, row))
  await releaseDefaultMethods(tx, orgId, { exceptId: row.id, methods: row.default_methods, now: row.created_at })
  const created = await insertPaymentAccount(tx, orgId, row)
  refuseUnsupported(context, created, input.default_methods)
  return created
}

function newAccount(context: PaymentAccountsContext, input: NewPaymentAccountInput): NewPaymentAccountRow {
  const { fields } = context.providers[input.provider]
  const { credentials, settings } = acceptFields(fields, input)
  const nowMs = context.clock.now()
  const [id, now] = [newId('pac', nowMs), new Date(nowMs)]
  return {
    id,
    provider: input.provider,
    name: input.name ?? PROVIDER_NAMES[input.provider],
    state_changed_at: now,
    base_url: acceptBaseUrl(input.base_url ?? null, urlRules(context)),
    sealed_credentials: sealCredentials(context.secretBox, id, credentials),
    settings,
    methods: input.methods ?? null,
    default_methods: [...new Set(input.default_methods)],
    created_at: now,
    updated_at: now,
  }
}

const urlRules = ({ egress }: PaymentAccountsContext) => ({ egress, example: 'https://api.sandbox.midtrans.com' })

/** Upper bound on concurrent calls to one provider account; the outbox starts lower and adapts. */
const IN_FLIGHT_MAX = 8

/** The lane of an account, in order per payment. A local account calls no provider, so it needs no breaker. */
const laneOf = ({ providers }: PaymentAccountsContext, orgId: OrgId, row: NewPaymentAccountRow) => ({
  id: row.id,
  orgId,
  kind: 'payments',
  pool: 'payments' as const,
  destination: row.provider,
  concurrencyMax: IN_FLIGHT_MAX,
  isAdaptive: !providers[row.provider].connector.isLocal,
  hasBreaker: !providers[row.provider].connector.isLocal,
  ordering: 'by_key' as const,
})

export const listPaymentAccounts = (queries: Queries, orgId: OrgId): Promise<StoredPaymentAccount[]> =>
  listRows(queries, orgId)

export async function getPaymentAccount(queries: Queries, orgId: OrgId, id: string): Promise<StoredPaymentAccount> {
  const row = isId('pac', id) ? await findPaymentAccount(queries, orgId, id) : null
  if (row === null) throw paymentAccountNotFound({ says: `There is no payment account ${id}.`, params: { id } })
  return row
}

/** Locks the accounts for a caller that reads them before it changes one. */
export const holdPaymentAccounts = (tx: Tx, orgId: OrgId): Promise<unknown> => lockPaymentAccounts(tx, orgId)

/**
 * Changes only the named credentials and settings, so a rotation names only the new key. A changed base URL requires all
 * credentials again, so that they cannot be read by redirecting the account.
 */
export async function updatePaymentAccount(
  context: PaymentAccountsContext,
  tx: Tx,
  orgId: OrgId,
  { id, ...change }: PaymentAccountChangeInput & { id: string },
): Promise<StoredPaymentAccount> {
  await lockPaymentAccounts(tx, orgId)
  const before = await getPaymentAccount(tx, orgId, id)
  const baseUrl = change.base_url === undefined ? before.base_url : acceptBaseUrl(change.base_url, urlRules(context))
  const { fields } = context.providers[before.provider]
  const kept = { credentials: knownCredentials(context.secretBox, before), settings: before.settings }
  if (leadsElsewhere(before.base_url, baseUrl)) refuseUnrepeated(fields, kept.credentials, change.credentials)
  const { credentials, settings } = acceptFields(fields, change, kept)
  const now = new Date(context.clock.now())
  const defaults = [...new Set(change.default_methods ?? before.default_methods)]
  await releaseDefaultMethods(tx, orgId, { exceptId: before.id, methods: defaults, now })
  const after = await updateRow(tx, orgId, {
    id: before.id,
    name: change.name ?? before.name,
    state: change.state ?? before.state,
    base_url: baseUrl,
    sealed_credentials: sealCredentials(context.secretBox, before.id, credentials),
    settings,
    methods: change.methods === undefined ? before.methods : change.methods,
    default_methods: defaults,
    now,
  })
  refuseUnsupported(context, after, change.default_methods)
  return after
}

/** Refuses a default method that the account does not support: it would only disable the method of another account. */
function refuseUnsupported(
  context: PaymentAccountsContext,
  row: StoredPaymentAccount,
  wanted: readonly PaymentMethod[] = [],
): void {
  const { connector } = context.providers[row.provider]
  const able = enabledCapabilities(connector.capabilities(glancePaymentAccount(context, row)), row.methods)
  const supported = [...new Set(able.map(({ method }) => method))]
  const unsupported = wanted.filter((method) => !supported.includes(method))
  if (unsupported.length === 0) return
  const detail = `It cannot be the first choice for ${unsupported.join(', ')}. It takes ${supported.join(', ') || 'nothing yet'}.`
  throw breaksSchema([{ pointer: '#/default_methods', code: 'invalid', detail }])
}

export const disablePaymentAccount = (
  context: PaymentAccountsContext,
  tx: Tx,
  orgId: OrgId,
  id: string,
): Promise<StoredPaymentAccount> =>
  updatePaymentAccount(context, tx, orgId, { id, state: 'disabled', credentials: {}, settings: {} })

const credentialsContext = (id: string) => `payment_accounts.sealed_credentials ${id}`

const sealCredentials = (box: SecretBox, id: Id<'pac'>, credentials: Record<string, string>): string | null =>
  Object.keys(credentials).length === 0 ? null : box.seal(JSON.stringify(credentials), credentialsContext(id))

const openCredentials = (box: SecretBox, row: StoredPaymentAccount): Record<string, string> =>
  row.sealed_credentials === null ? {} : JSON.parse(box.open(row.sealed_credentials, credentialsContext(row.id)))

/** Returns the credentials that the current key opens. Credentials sealed with a lost key must be set again. */
const knownCredentials = (box: SecretBox, row: StoredPaymentAccount): Record<string, string> =>
  row.sealed_credentials === null
    ? {}
    : JSON.parse(tryOpen(box, row.sealed_credentials, credentialsContext(row.id)) ?? '{}')

/** Opens an account with its credentials in clear, for a connector. Callers keep it only briefly. */
export const openPaymentAccount = (
  { secretBox, publicUrl, egress }: AccountOpening,
  row: StoredPaymentAccount,
): PaymentAccount => describeAccount({ publicUrl, egress }, row, openCredentials(secretBox, row))

/** Opens an account for display only, never for charges or notices: credentials that do not open are left out. */
export const glancePaymentAccount = (
  { secretBox, publicUrl, egress }: AccountOpening,
  row: StoredPaymentAccount,
): PaymentAccount => describeAccount({ publicUrl, egress }, row, knownCredentials(secretBox, row))

const describeAccount = (
  { publicUrl, egress }: Pick<PaymentAccountsContext, 'publicUrl' | 'egress'>,
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

/** Records the last notice and the last error for display. A failure here fails no request, because nothing depends on it. */
export const noteAccountNotice = (queries: Queries, orgId: OrgId, seen: { id: string; now: Date }): Promise<unknown> =>
  notePaymentNotice(queries, orgId, seen)

export const noteAccountError = (
  queries: Queries,
  orgId: OrgId,
  seen: { id: string; error: string; now: Date },
): Promise<unknown> => notePaymentError(queries, orgId, seen)
