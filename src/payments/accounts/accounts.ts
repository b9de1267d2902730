import { refuseInSandbox } from '../../accounts/organizations/organizations.ts'
import type { Clock } from '../../kernel/clock.ts'
import { isId, newId, type OrgId } from '../../kernel/ids.ts'
import type { Database, Queries, Tx } from '../../platform/database/database.ts'
import type { SecretBox } from '../../platform/database/secret-box.ts'
import { breaksSchema } from '../../platform/http/pipeline/validation.ts'
import { acceptBaseUrl, type Egress, leadsElsewhere } from '../../platform/outbound-http/egress.ts'
import { ensureLane } from '../../platform/outbox/lanes.ts'
import type { PaymentProviders } from '../connectors/connectors.ts'
import type { PaymentMethod } from '../payment-connector.ts'
import { enabledCapabilities } from '../provider-calls/provider-calls.ts'
import { acceptFields, refuseUnrepeated } from './account-fields.ts'
import {
  glancePaymentAccount,
  knownCredentials,
  noticeUrlOf,
  type StoredPaymentAccount,
  sealCredentials,
} from './account-opening.ts'
import { paymentAccountLimitReached, paymentAccountNotFound } from './accounts.errors.ts'
import type { NewPaymentAccountInput, PaymentAccountChangeInput, PaymentAccountView } from './accounts.schemas.ts'
import {
  findPaymentAccount,
  insertPaymentAccount,
  insertPaymentAccountRoute,
  listPaymentAccounts as listRows,
  lockPaymentAccounts,
  type NewPaymentAccountRow,
  notePaymentError,
  notePaymentNotice,
  releaseDefaultMethods,
  updatePaymentAccount as updateRow,
} from './accounts.sql.ts'

export { openPaymentAccount, type StoredPaymentAccount } from './account-opening.ts'
export {
  createPaymentAccountSource,
  type OpenPaymentAccount,
  type PaymentAccountSource,
} from './account-source.ts'

/**
 * Creates, reads and changes payment accounts. Charges read them through `createPaymentAccountSource`.
 *
 *   active   ── pause ──▶ paused                 no new attempts; notifications, status queries and refunds of earlier ones go on
 *   active, paused ── disable ──▶ disabled       also refuses notifications, as if it had never existed
 *   paused, disabled ── activate ──▶ active
 *
 * An account is never deleted, because payments refer to it for as long as they are kept. Its credentials can be replaced at
 * any time; the next charge on every machine uses the new ones.
 */
export type PaymentAccountsContext = {
  database: Database
  clock: Clock
  secretBox: SecretBox
  providers: PaymentProviders
  /** The guard for addresses that organizations set. */
  egress: Egress
  /** The address at which providers reach this server. */
  publicUrl: string
}

export const PAYMENT_ACCOUNTS_MAX = 20

export async function createPaymentAccount(
  context: PaymentAccountsContext,
  tx: Tx,
  orgId: OrgId,
  input: NewPaymentAccountInput,
): Promise<StoredPaymentAccount> {
  const { isSimulated, connector } = context.providers[input.provider]
  if (!isSimulated && !connector.isLocal) await refuseInSandbox(tx, orgId, input.provider)
  const row = newAccount(context, input)
  await lockPaymentAccounts(tx, orgId)
  if ((await listRows(tx, orgId)).length >= PAYMENT_ACCOUNTS_MAX)
    throw paymentAccountLimitReached({ params: { max: PAYMENT_ACCOUNTS_MAX } })
  await ensureLane(tx, laneOf(context, orgId, row))
  await releaseDefaultMethods(tx, orgId, { exceptId: row.id, methods: row.default_methods, now: row.created_at })
  await insertPaymentAccountRoute(tx, orgId, row.id)
  const created = await insertPaymentAccount(tx, orgId, row)
  refuseUnsupported(context, created, input.default_methods)
  return created
}

function newAccount(context: PaymentAccountsContext, input: NewPaymentAccountInput): NewPaymentAccountRow {
  const { fields, displayName } = context.providers[input.provider]
  const { credentials, settings } = acceptFields(fields, input)
  const nowMs = context.clock.now()
  const [id, now] = [newId('pac', nowMs), new Date(nowMs)]
  return {
    id,
    provider: input.provider,
    name: input.name ?? displayName,
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
  const detail = `It cannot be the default for ${unsupported.join(', ')}. It accepts ${supported.join(', ') || 'nothing yet'}.`
  throw breaksSchema([{ pointer: '#/default_methods', code: 'invalid', detail }])
}

export const disablePaymentAccount = (
  context: PaymentAccountsContext,
  tx: Tx,
  orgId: OrgId,
  id: string,
): Promise<StoredPaymentAccount> =>
  updatePaymentAccount(context, tx, orgId, { id, state: 'disabled', credentials: {}, settings: {} })

/** Records the last notification and the last error for display. A failure here fails no request, because nothing depends on it. */
export const noteAccountNotice = (queries: Queries, orgId: OrgId, seen: { id: string; now: Date }): Promise<unknown> =>
  notePaymentNotice(queries, orgId, seen)

export const noteAccountError = (
  queries: Queries,
  orgId: OrgId,
  seen: { id: string; error: string; now: Date },
): Promise<unknown> => notePaymentError(queries, orgId, seen)

/** The view of an account: its capabilities, its notification address, and only the last characters of its secrets. */
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
      banks: method === 'virtual_account' ? own.flatMap(({ bank }) => bank ?? []) : [],
      channels: own.map((one) => ({
        channel: one.bank,
        amount_min: one.amountMin,
        amount_max: one.amountMax,
        expires_in_seconds: one.expirySecondsDefault,
        is_refundable: one.isRefundable,
        needs_phone: one.needsPhone,
      })),
      is_default: row.default_methods.includes(method),
      is_manual: own.every(({ isManual }) => isManual),
      is_refundable: own.some(({ isRefundable }) => isRefundable),
    }
  })
}
