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
  resolve(orgId: OrgId, wish: { method: PaymentMethod; bank: string | null }): Promise<Resolution>
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
    resolve: async (orgId, wish) => resolveAccount(await cache.accountsOf(orgId), wish),
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

type Wanted = Map<OrgId, PromiseWithResolvers<OpenPaymentAccount[]>>

type Kept = { versions: string; accounts: OpenPaymentAccount[] }

class AccountCache {
  readonly #options: SourceOptions
  /** Credentials are secrets in memory, and cheap to open again. */
  readonly #kept = new RecentMap<OrgId, Kept>({ sizeMax: ORGANIZATIONS_KEPT_MAX, unusedMsMax: KEPT_MS })
  #wanted: Wanted = new Map()
  #isFetching = false

  constructor(options: SourceOptions) {
    this.#options = options
  }

  accountsOf(orgId: OrgId): Promise<OpenPaymentAccount[]> {
    const waiting = this.#wanted.get(orgId)
    if (waiting !== undefined) return waiting.promise
    const settle = Promise.withResolvers<OpenPaymentAccount[]>()
    this.#wanted.set(orgId, settle)
    if (!this.#isFetching) {
      this.#isFetching = true
      setImmediate(() => this.#fetchAll())
    }
    return settle.promise
  }

  /** One question at a time: whoever comes while it is asked shares the next, which is younger than their request. */
  async #fetchAll(): Promise<void> {
    while (this.#wanted.size > 0) {
      const wanted = this.#wanted
      this.#wanted = new Map()
      await this.#fetch(wanted)
    }
    this.#isFetching = false
  }

  async #fetch(wanted: Wanted): Promise<void> {
    try {
      const versions = await this.#readVersions([...wanted.keys()])
      const stale = [...wanted.keys()].filter(
        (orgId) => this.#kept.get(orgId)?.versions !== (versions.get(orgId) ?? ''),
      )
      const rows = stale.length === 0 ? [] : await listPaymentAccountsOf(this.#options.database, stale)
      for (const [orgId, settle] of wanted) {
        const kept = stale.includes(orgId) ? null : this.#kept.get(orgId)
        // Only what belongs to this organization may fail on account of its credentials.
        try {
          settle.resolve(
            kept?.accounts ??
              this.#open(
                orgId,
                rows.filter((row) => row.org_id === orgId),
              ),
          )
        } catch (error) {
          settle.reject(error)
        }
      }
    } catch (error) {
      for (const settle of wanted.values()) settle.reject(error)
    }
  }

  async #readVersions(orgIds: OrgId[]): Promise<Map<OrgId, string>> {
    const versions = new Map<OrgId, string>()
    for (const { org_id, id, version } of await listPaymentAccountVersions(this.#options.database, orgIds))
      versions.set(org_id, `${versions.get(org_id) ?? ''}${id}:${version} `)
    return versions
  }

  /** Kept under the versions of the rows themselves, which may be newer than those that were asked for a moment ago. */
  #open(orgId: OrgId, rows: readonly StoredPaymentAccount[]): OpenPaymentAccount[] {
    const accounts = rows.map((row) => openOne(this.#options, row))
    const versions = rows.map(({ id, version }) => `${id}:${version} `).join('')
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
