import { Batches } from '../../kernel/batches.ts'
import type { Clock } from '../../kernel/clock.ts'
import { isId, type OrgId } from '../../kernel/ids.ts'
import { firstOf } from '../../kernel/lists.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Database } from '../../platform/database/database.ts'
import type { SecretBox } from '../../platform/database/secret-box.ts'
import type { Egress } from '../../platform/outbound-http/egress.ts'
import type { PaymentProvider, PaymentProviders } from '../connectors/connectors.ts'
import {
  type PaymentAccount,
  type PaymentCapability,
  type PaymentConnector,
  type PaymentMethod,
  paymentMethods,
} from '../payment-connector.ts'
import { chooseCapability, enabledCapabilities } from '../provider-calls/provider-calls.ts'
import { openPaymentAccount, type StoredPaymentAccount } from './account-opening.ts'
import {
  findPaymentAccountOwner,
  listPaymentAccounts,
  listPaymentAccountVersions,
  type PaymentAccountState,
} from './accounts.sql.ts'

/**
 * Provides opened accounts with their connector for charges, and chooses the account for a method.
 *
 * Opened accounts are cached and used only while their versions in the database are unchanged. So new credentials or a pause
 * take effect with the next charge on every machine, without a message that could be lost. Reads within one turn of the event
 * loop are batched: a hundred orders cost one small statement.
 */
export type OpenPaymentAccount = {
  account: PaymentAccount
  provider: PaymentProvider
  connector: PaymentConnector
  name: string
  state: PaymentAccountState
  version: number
  /** Only the enabled capabilities. */
  capabilities: PaymentCapability[]
  defaultMethods: readonly PaymentMethod[]
}

export type Resolution =
  | { kind: 'resolved'; open: OpenPaymentAccount; capability: PaymentCapability }
  | { kind: 'method_not_configured'; enabledMethods: PaymentMethod[] }
  | { kind: 'bank_not_available'; banks: string[] }

export type PaymentAccountSource = {
  /** Opens an account in any state, because payments are finished with the account that created them. */
  open(orgId: OrgId, accountId: string): Promise<OpenPaymentAccount | null>
  /** Opens the account of an incoming notification. Returns null, which is answered with 404, when it is unknown, of another provider, or disabled. */
  openForNotice(provider: string, accountId: string): Promise<OpenPaymentAccount | null>
  /** Chooses the account for a method: its default account, else the oldest active account that supports it. */
  resolve(orgId: OrgId, terms: { method: PaymentMethod; bank: string | null }): Promise<Resolution>
  listEnabledMethods(orgId: OrgId): Promise<PaymentMethod[]>
}

export type SourceOptions = {
  database: Database
  clock: Clock
  secretBox: SecretBox
  providers: PaymentProviders
  egress: Egress
  publicUrl: string
}

export function createPaymentAccountSource(options: SourceOptions): PaymentAccountSource {
  const cache = new AccountCache(options)
  return {
    open: async (orgId, accountId) =>
      (await cache.accountsOf(orgId)).find(({ account }) => account.id === accountId) ?? null,
    async openForNotice(provider, accountId) {
      if (!isId('pac', accountId)) return null
      const owner = await findPaymentAccountOwner(options.database, accountId)
      if (owner === null) return null
      const open = (await cache.accountsOf(owner.org_id)).find(({ account }) => account.id === accountId)
      return open === undefined || open.provider !== provider || open.state === 'disabled' ? null : open
    },
    resolve: async (orgId, terms) => resolveAccount(await cache.accountsOf(orgId), terms),
    listEnabledMethods: async (orgId) => enabledMethods(await cache.accountsOf(orgId)),
  }
}

function resolveAccount(
  accounts: readonly OpenPaymentAccount[],
  { method, bank }: { method: PaymentMethod; bank: string | null },
): Resolution {
  const able = accounts.filter((open) => open.state === 'active' && has(open, method))
  const isFirst = (open: OpenPaymentAccount) => open.defaultMethods.includes(method)
  const inOrder = [...able.filter(isFirst), ...able.filter((open) => !isFirst(open))]
  if (inOrder.length === 0) return { kind: 'method_not_configured', enabledMethods: enabledMethods(accounts) }
  for (const open of inOrder) {
    const capability = chooseCapability(open.capabilities, { method, bank, defaultBank: defaultBankOf(open) })
    if (capability !== null) return { kind: 'resolved', open, capability }
  }
  const banks = able.flatMap((open) =>
    open.capabilities.flatMap((one) => (one.method === method ? (one.bank ?? []) : [])),
  )
  return { kind: 'bank_not_available', banks: [...new Set(banks)].sort() }
}

const has = (open: OpenPaymentAccount, method: PaymentMethod) =>
  open.capabilities.some((capability) => capability.method === method)

/** Lists the methods in the order of the API. */
const enabledMethods = (accounts: readonly OpenPaymentAccount[]): PaymentMethod[] =>
  paymentMethods.filter((method) => accounts.some((open) => open.state === 'active' && has(open, method)))

const defaultBankOf = ({ account }: OpenPaymentAccount): string | null =>
  typeof account.settings.default_bank === 'string' ? account.settings.default_bank : null

const ORGANIZATIONS_KEPT_MAX = 2000
const KEPT_MS = 5 * 60_000

type Kept = { versions: string; accounts: OpenPaymentAccount[] }
type Found = { kept: Kept } | { rows: StoredPaymentAccount[] }

class AccountCache {
  readonly #options: SourceOptions
  /** The cache is small and short-lived, because it holds credentials in clear, and they are cheap to open again. */
  readonly #kept = new RecentMap<OrgId, Kept>({ sizeMax: ORGANIZATIONS_KEPT_MAX, unusedMsMax: KEPT_MS })
  readonly #batches = new Batches<OrgId, Found>({
    keyOf: (orgId) => orgId,
    work: async (asked) => {
      const found = await this.#fetch(firstOf(asked))
      return asked.map(() => found)
    },
  })

  constructor(options: SourceOptions) {
    this.#options = options
  }

  /** Credentials that cannot be opened fail only the requests of their organization. */
  async accountsOf(orgId: OrgId): Promise<OpenPaymentAccount[]> {
    const found = await this.#batches.submit(orgId)
    return 'kept' in found ? found.kept.accounts : this.#open(orgId, found.rows)
  }

  /** Requests of an organization at the same time share the look. */
  async #fetch(orgId: OrgId): Promise<Found> {
    const { database } = this.#options
    const kept = this.#findKept(orgId, versionsOf(await listPaymentAccountVersions(database, orgId)))
    return kept === null ? { rows: await listPaymentAccounts(database, orgId) } : { kept }
  }

  #findKept(orgId: OrgId, versions: string): Kept | null {
    const kept = this.#kept.get(orgId)
    return kept?.versions === versions ? kept : null
  }

  /** Caches under the versions of the rows, which may be newer than the versions read a moment ago. */
  #open(orgId: OrgId, rows: readonly StoredPaymentAccount[]): OpenPaymentAccount[] {
    const versions = versionsOf(rows)
    // A concurrent request may have opened them.
    const kept = this.#findKept(orgId, versions)
    if (kept !== null) return kept.accounts
    const accounts = rows.map((row) => openOne(this.#options, row))
    this.#kept.set(orgId, { versions, accounts })
    return accounts
  }
}

const versionsOf = (rows: readonly { id: string; version: number }[]): string =>
  rows.map(({ id, version }) => `${id}:${version} `).join('')

function openOne(options: SourceOptions, row: StoredPaymentAccount): OpenPaymentAccount {
  const account = openPaymentAccount(options, row)
  const { connector } = options.providers[row.provider]
  return {
    account,
    provider: row.provider,
    connector,
    name: row.name,
    state: row.state,
    version: row.version,
    capabilities: enabledCapabilities(connector.capabilities(account), row.methods),
    defaultMethods: row.default_methods,
  }
}
