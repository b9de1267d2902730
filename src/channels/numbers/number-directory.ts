import type { Id, OrgId } from '../../kernel/ids.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Database } from '../../platform/database/database.ts'
import { parsePhone } from '../../platform/phone/phone-numbers.ts'
import type { ChannelTraits } from '../channel-connector.ts'
import type { ConnectorMap } from '../channels-context.ts'
import { accountIdOf } from './number-account.ts'
import { traitsOf } from './number-traits.ts'
import { listNumbers, type NumberRow } from './numbers.sql.ts'

/**
 * Caches the business numbers of each organization, without their credentials, for a second: every message and every chat
 * that is shown needs them. A number created within that second is found all the same, because a miss is looked up again; a
 * number removed within it accepts messages that then fail.
 */
export type NumberEntry = {
  id: Id<'num'>
  phoneNumberId: string
  displayPhone: string
  /** Of the WhatsApp Business account, as Meta's dialect names it. */
  accountId: string
  connector: string
  /** Rises when its credentials or settings change. */
  version: number
  state: NumberRow['state']
  isDefault: boolean
  traits: ChannelTraits
  /** Whether it takes free-form messages that the network of its channel allows within the reply window only. */
  isLenient: boolean
}

export type NumberDirectory = {
  /** Oldest first, disconnected ones too: their chats are still shown. */
  list(orgId: OrgId): NumberEntry[] | Promise<NumberEntry[]>
  /** Finds a number by its id, its phone_number_id or its phone in any spelling; without a reference, the default one. */
  find(orgId: OrgId, reference: string | null): Promise<NumberEntry | null>
}

const KEPT_MS = 1_000
const ORGANIZATIONS_MAX = 10_000

/** The traits of a number whose connector this process does not have. */
const UNKNOWN_TRAITS: ChannelTraits = {
  hasReplyWindow: true,
  messagesPerSecondMax: 1,
  pairGapMs: 0,
  isNumberIdGlobal: false,
}

export type NumberDirectoryOptions = {
  database: Database
  connectors: ConnectorMap
  /** The country in whose spelling the organization writes phone numbers. */
  homeCountry: (orgId: OrgId) => string | Promise<string>
}

export function createNumberDirectory(options: NumberDirectoryOptions): NumberDirectory {
  const { database, connectors, homeCountry } = options
  const kept = new RecentMap<OrgId, { entries: NumberEntry[]; atMs: number }>({ sizeMax: ORGANIZATIONS_MAX })
  const loading = new Map<OrgId, Promise<NumberEntry[]>>()

  const read = async (orgId: OrgId): Promise<NumberEntry[]> => {
    const atMs = performance.now()
    const rows = await listNumbers(database, orgId)
    const entries = rows.map((row) => entryOf(row, connectors)).sort((one, other) => (one.id < other.id ? -1 : 1))
    kept.set(orgId, { entries, atMs })
    return entries
  }
  /** When the second is over, the first to ask reads them for all who ask meanwhile. */
  const load = (orgId: OrgId): Promise<NumberEntry[]> => {
    const already = loading.get(orgId)
    if (already !== undefined) return already
    const reading = read(orgId).finally(() => loading.delete(orgId))
    loading.set(orgId, reading)
    return reading
  }
  const peek = (orgId: OrgId): NumberEntry[] | null => {
    const known = kept.get(orgId)
    return known !== undefined && performance.now() - known.atMs < KEPT_MS ? known.entries : null
  }
  return {
    list: (orgId) => peek(orgId) ?? load(orgId),
    async find(orgId, reference) {
      const found = choose(peek(orgId) ?? (await load(orgId)), reference)
      // A read that is under way may be older than a number that was just created.
      if (found !== null) return found
      const entries = await read(orgId)
      return choose(entries, reference) ?? chooseByPhone(entries, reference, await homeCountry(orgId))
    },
  }
}

function entryOf(row: NumberRow, connectors: ConnectorMap): NumberEntry {
  const channel = connectors.get(row.connector) ?? { traits: UNKNOWN_TRAITS }
  const traits = traitsOf(channel, row.settings)
  return {
    id: row.id,
    phoneNumberId: row.phone_number_id,
    displayPhone: row.display_phone,
    accountId: accountIdOf(row),
    connector: row.connector,
    version: row.version,
    state: row.state,
    isDefault: row.is_default,
    traits,
    isLenient: channel.traits.hasReplyWindow && !traits.hasReplyWindow,
  }
}

function choose(entries: readonly NumberEntry[], reference: string | null): NumberEntry | null {
  if (reference === null) {
    const connected = entries.filter(({ state }) => state !== 'disconnected')
    return connected.find(({ isDefault }) => isDefault) ?? connected[0] ?? null
  }
  const digits = digitsOf(reference)
  return (
    entries.find(({ id, phoneNumberId }) => id === reference || phoneNumberId === reference) ??
    (digits === '' ? null : numberWith(entries, digits))
  )
}

/** A disconnected number may have had the phone before; the connected one is used. */
function numberWith(entries: readonly NumberEntry[], digits: string): NumberEntry | null {
  const had = entries.filter(({ displayPhone }) => digitsOf(displayPhone) === digits)
  return had.find(({ state }) => state !== 'disconnected') ?? had[0] ?? null
}

/** Finds a number by its phone, as it is written in the country of the organization. */
function chooseByPhone(entries: readonly NumberEntry[], reference: string | null, country: string): NumberEntry | null {
  const phone = reference === null ? null : parsePhone(reference, country)
  return phone === null ? null : numberWith(entries, phone.digits)
}

const digitsOf = (text: string) => (/^[\d\s()+.-]+$/.test(text) ? text.replaceAll(/\D/g, '') : '')
