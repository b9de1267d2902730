import { Batches } from '../kernel/batches.ts'
import type { Clock } from '../kernel/clock.ts'
import { isId, type OrgId } from '../kernel/ids.ts'
import { RecentMap } from '../kernel/recent-map.ts'
import type { Database } from '../platform/database/database.ts'
import type { SecretBox } from '../platform/database/secret-box.ts'
import type { Egress } from '../platform/egress/egress.ts'
import {
  findPaymentAccountOwner,
  listPaymentAccountsOf,
  listPaymentAccountVersions,
  type PaymentAccountState,
} from './payment-accounts.sql.ts'
import { openPaymentAccount, type StoredPaymentAccount } from './payment-accounts.ts'
import { chooseCapability, enabledCapabilities } from './payment-capabilities.ts'
import {
  type PaymentAccount,
  type PaymentCapability,
  type PaymentConnector,
  type PaymentMethod,
  paymentMethods,
} from './payment-connector.ts'
import type { PaymentProviderParts } from './payment-fields.ts'

/**
 * The accounts as those who charge need them: opened, with their connector, and the choice of one for a method.
 *
 * Opened accounts are kept and used only while the versions in the database are still those they were opened at; so new
 * credentials or a pause count from the next charge on, on every machine, with no message that could be lost. What is
 * asked for within one turn of the event loop is asked together: a hundred orders cost one small statement.
 */
export type OpenPaymentAccount = {
  account: PaymentAccount
  connector: PaymentConnector
  name: string
  state: PaymentAccountState
  version: number
  /** Those that are switched on. */
  capabilities: PaymentCapability[]
  defaultMethods: readonly PaymentMethod[]
}

export type Resolution =
  | { kind: 'resolved'; open: OpenPaymentAccount; capability: PaymentCapability }
  | { kind: 'method_not_configured'; enabledMethods: PaymentMethod[] }
  | { kind: 'bank_not_available'; banks: string[] }

export type PaymentAccountSource = {
  /** Whatever its state: what was begun with an account is ended with it. */
  open(orgId: OrgId, accountId: string): Promise<OpenPaymentAccount | null>
  /** For a provider that calls. Null is answered with 404: unknown, of another provider, or disabled. */
  openForNotice(provider: string, accountId: string): Promise<OpenPaymentAccount | null>
  /** Which account serves a method: the first choice for it, else the oldest active one that can. */
  resolve(orgId: OrgId, terms: { method: PaymentMethod; bank: string | null }): Promise<Resolution>
  listEnabledMethods(orgId: OrgId): Promise<PaymentMethod[]>
}

export type SourceOptions = {
  database: Database
  clock: Clock
  secretBox: SecretBox
  providers: PaymentProviderParts
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
      return open === undefined || open.account.provider !== provider || open.state === 'disabled' ? null : open
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

/** In the order in which the API lists methods. */
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
  /** Credentials are secrets in memory, and cheap to open again. */
  readonly #kept = new RecentMap<OrgId, Kept>({ sizeMax: ORGANIZATIONS_KEPT_MAX, unusedMsMax: KEPT_MS })
  readonly #batches = new Batches<OrgId, Found>({ work: (orgIds) => this.#fetch(orgIds) })

  constructor(options: SourceOptions) {
    this.#options = options
  }

  /** Credentials that cannot be opened fail those who ask for this organization, and no others. */
  async accountsOf(orgId: OrgId): Promise<OpenPaymentAccount[]> {
    const found = await this.#batches.submit(orgId)
    return 'kept' in found ? found.kept.accounts : this.#open(orgId, found.rows)
  }

  async #fetch(asked: OrgId[]): Promise<Found[]> {
    const orgIds = [...new Set(asked)]
    const versions = await this.#readVersions(orgIds)
    const kept = new Map(orgIds.map((orgId) => [orgId, this.#findKept(orgId, versions.get(orgId) ?? '')]))
    const stale = orgIds.filter((orgId) => kept.get(orgId) === null)
    const rows = stale.length === 0 ? [] : await listPaymentAccountsOf(this.#options.database, stale)
    const rowsOf = Map.groupBy(rows, (row) => row.org_id)
    return asked.map((orgId) => {
      const known = kept.get(orgId) ?? null
      return known === null ? { rows: rowsOf.get(orgId) ?? [] } : { kept: known }
    })
  }

  #findKept(orgId: OrgId, versions: string): Kept | null {
    const kept = this.#kept.get(orgId)
    return kept?.versions === versions ? kept : null
  }

  async #readVersions(orgIds: OrgId[]): Promise<Map<OrgId, string>> {
    const versions = new Map<OrgId, string>()
    for (const { org_id, id, version } of await listPaymentAccountVersions(this.#options.database, orgIds))
      versions.set(org_id, `${versions.get(org_id) ?? ''}${id}:${version} `)
    return versions
  }

  /** Kept under the versions of the rows themselves, which may be newer than those that were asked for a moment ago. */
  #open(orgId: OrgId, rows: readonly StoredPaymentAccount[]): OpenPaymentAccount[] {
    const versions = rows.map(({ id, version }) => `${id}:${version} `).join('')
    // Others that asked at the same time may have opened them.
    const kept = this.#findKept(orgId, versions)
    if (kept !== null) return kept.accounts
    const accounts = rows.map((row) => openOne(this.#options, row))
    this.#kept.set(orgId, { versions, accounts })
    return accounts
  }
}

function openOne(options: SourceOptions, row: StoredPaymentAccount): OpenPaymentAccount {
  const account = openPaymentAccount(options, row)
  const { connector } = options.providers[row.provider]
  return {
    account,
    connector,
    name: row.name,
    state: row.state,
    version: row.version,
    capabilities: enabledCapabilities(connector.capabilities(account), row.methods),
    defaultMethods: row.default_methods,
  }
}
