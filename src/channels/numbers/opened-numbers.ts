import { Batches } from '../../kernel/batches.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Id, isId, type OrgId } from '../../kernel/ids.ts'
import { firstOf } from '../../kernel/lists.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Database } from '../../platform/database/database.ts'
import type { SecretBox } from '../../platform/database/secret-box.ts'
import type { ChannelConnector, ChannelNumber } from '../channel-connector.ts'
import type { ConnectorMap } from '../channels-context.ts'
import { openCredentials } from './number-input.ts'
import { findNumberOwner, listNumbersById, listNumberVersions, type NumberRow } from './numbers.sql.ts'

/**
 * Numbers with their credentials opened, for those who send and receive. A claim starts many runs at once, so what is
 * asked for within one turn of the event loop is looked up together, by organization. An opened number is used only while the version in
 * the database is the one it was opened at: a rotated token or a removed number counts from the next call on, on every
 * machine, with no message that could be lost.
 */
export type OpenedNumber = { row: NumberRow; number: ChannelNumber; connector: ChannelConnector }

export type OpenedNumbers = {
  /**
   * Null when there is none, it is disconnected, or it belongs to another organization. With the version that the caller has
   * just read in the database, a number that was opened at it is not looked up again.
   */
  open(orgId: OrgId, id: string, version?: number | null): Promise<OpenedNumber | null>
  /** For hooks, which name a number and nothing else. */
  openById(id: string): Promise<OpenedNumber | null>
}

export type OpenedNumbersOptions = {
  database: Database
  clock: Clock
  secretBox: SecretBox
  connectors: ConnectorMap
}

const NUMBERS_KEPT_MAX = 2000
const KEPT_MS = 5 * 60_000

export function createOpenedNumbers(options: OpenedNumbersOptions): OpenedNumbers {
  const cache = new NumberCache(options)
  const batches = new Batches<{ orgId: OrgId; id: string }, OpenedNumber | null>({
    keyOf: ({ orgId }) => orgId,
    async work(asked) {
      const opened = await cache.fetch(firstOf(asked).orgId, [...new Set(asked.map(({ id }) => id))])
      return asked.map(({ id }) => opened.get(id) ?? null)
    },
  })
  /** A number belongs to one organization for good, so the first look is the last. */
  const owners = new RecentMap<string, OrgId>({ sizeMax: NUMBERS_KEPT_MAX, unusedMsMax: KEPT_MS })
  const ownerOf = async (id: string): Promise<OrgId | null> => {
    const owner = owners.get(id) ?? (await findNumberOwner(options.database, id))
    if (owner !== null) owners.set(id, owner)
    return owner
  }
  return {
    async openById(id) {
      const orgId = isId('num', id) ? await ownerOf(id) : null
      return orgId === null ? null : batches.submit({ orgId, id })
    },
    async open(orgId, id, version = null) {
      const kept = cache.find(id, version)
      if (kept !== null) return kept.row.org_id === orgId ? kept : null
      return isId('num', id) ? batches.submit({ orgId, id }) : null
    },
  }
}

class NumberCache {
  readonly #options: OpenedNumbersOptions
  /** Credentials are secrets in memory, and cheap to open again. */
  readonly #kept = new RecentMap<string, OpenedNumber>({ sizeMax: NUMBERS_KEPT_MAX, unusedMsMax: KEPT_MS })

  constructor(options: OpenedNumbersOptions) {
    this.#options = options
  }

  find(id: string, version: number | null): OpenedNumber | null {
    const known = version === null ? undefined : this.#kept.get(id)
    return known?.row.version === version ? known : null
  }

  async fetch(orgId: OrgId, ids: string[]): Promise<Map<string, OpenedNumber>> {
    const versions = await listNumberVersions(this.#options.database, orgId, ids)
    const stale = versions.filter(({ id, version }) => this.#kept.get(id)?.row.version !== version)
    const opened = await this.#open(
      orgId,
      stale.map(({ id }) => id),
    )
    return new Map(
      versions.flatMap(({ id }) => {
        const number = opened.get(id) ?? this.#kept.get(id)
        return number === undefined ? [] : [[id, number] as const]
      }),
    )
  }

  async #open(orgId: OrgId, stale: Id<'num'>[]): Promise<Map<string, OpenedNumber>> {
    const opened = new Map<string, OpenedNumber>()
    if (stale.length === 0) return opened
    for (const id of stale) this.#kept.delete(id)
    for (const row of await listNumbersById(this.#options.database, orgId, stale)) {
      const number = this.#openOne(row)
      if (number === null) continue
      opened.set(row.id, number)
      this.#kept.set(row.id, number)
    }
    return opened
  }

  /** A connector that is not there (an older process, say) cannot do anything with the number either. */
  #openOne(row: NumberRow): OpenedNumber | null {
    const connector = this.#options.connectors.get(row.connector)
    if (connector === undefined || row.sealed_credentials === null) return null
    const number = {
      orgId: row.org_id,
      id: row.id,
      phoneNumberId: row.phone_number_id,
      displayPhone: row.display_phone,
      baseUrl: row.base_url,
      credentials: openCredentials(this.#options.secretBox, row.id, row.sealed_credentials),
      settings: row.settings,
    }
    return { row, number, connector }
  }
}
