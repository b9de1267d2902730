import { organizationNotFound } from '../accounts/accounts.errors.ts'
import { bumpAccountRevision } from '../accounts/keys/keys.ts'
import {
  createOrganizationIn,
  findOrganizationById,
  findSandbox,
  getProfile,
  isSlugTaken,
  type Organization,
} from '../accounts/organizations/organizations.ts'
import type { ChannelsContext } from '../channels/channels-context.ts'
import { createNumber, listNumbers } from '../channels/numbers/numbers.ts'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import { restartSeededIds } from '../kernel/seeded-ids.ts'
import { NewPaymentAccount } from '../payments/accounts/accounts.schemas.ts'
import {
  createPaymentAccount,
  listPaymentAccounts,
  type PaymentAccountsContext,
} from '../payments/accounts/accounts.ts'
import type { Database, Queries, Tx } from '../platform/database/database.ts'
import { isUniqueViolation } from '../platform/database/database-errors.ts'
import { clearWork, hastenWork } from '../platform/outbox/organization-work.ts'
import type { Wake } from '../platform/outbox/outbox.ts'
import type { Storage } from '../platform/storage/storage.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { sandboxRequired } from './sandbox.errors.ts'
import {
  allowLongStatements,
  deleteRowsOf,
  levelCounter,
  listStoredFiles,
  lockData,
  lockReports,
  moveOpenOrders,
  moveTimes,
} from './sandbox.sql.ts'
import { deletedTables, movedTimes } from './sandbox-tables.ts'

/**
 * The sandbox of an organization is an organization with its own keys, chats, orders and endpoints, and with the people and roles of
 * the live one. Only simulators can be connected to it, so nothing in it reaches a customer or a bank.
 *
 *   (none) ── createSandbox ──▶ sandbox ── resetSandbox ──▶ as new, with its keys, agents, endpoints, numbers and accounts
 *                               sandbox ── advanceClock ──▶ everything that waits is nearer by that time
 */
export type SandboxContext = {
  database: Database
  clock: Clock
  log: Log
  numbers: ChannelsContext
  paymentAccounts: PaymentAccountsContext
  /** Where the files of messages are. */
  storage: Pick<Storage, 'delete'>
  wake: Wake
  /** Every table with rows of organizations. */
  tenantTables: readonly string[]
}

/** A year, like the longest life of a key that the console offers. */
export const ADVANCE_SECONDS_MAX = 366 * 24 * 3600

export { findSandbox } from '../accounts/organizations/organizations.ts'

/** Returns the sandbox that is there already; for a sandbox, itself. */
export async function createSandbox(context: SandboxContext, orgId: OrgId): Promise<Organization> {
  const { database } = context
  try {
    return await database.transaction(async (tx) => (await findSandbox(tx, orgId)) ?? insertSandbox(context, tx, orgId))
  } catch (error) {
    // Another call created it in the same moment.
    const created = isUniqueViolation(error) ? await findSandbox(database, orgId) : null
    if (created === null) throw error
    return created
  }
}

async function insertSandbox(context: SandboxContext, tx: Tx, orgId: OrgId): Promise<Organization> {
  const live = await findOrganizationById(tx, orgId)
  if (live === null) throw organizationNotFound({ params: { id: orgId } })
  const { settings } = await getProfile(tx, orgId)
  const sandbox = await createOrganizationIn(tx, context.clock, {
    name: live.name,
    slug: await freeSlug(tx, live.slug),
    defaultCountry: live.default_country,
    currency: live.currency,
    timezone: live.timezone,
    settings: Object.fromEntries(COPIED_SETTINGS.map((name) => [name, settings[name]])),
    sandboxOf: live.id,
  })
  await connectSimulators(context, tx, sandbox)
  return sandbox
}

const COPIED_SETTINGS = ['language', 'order_notices', 'order_reminders', 'late_payment', 'order_grace_seconds']

const SLUG_CHARACTERS_MAX = 63

async function freeSlug(tx: Tx, liveSlug: string): Promise<string> {
  for (let count = 1; ; count++) {
    const ending = count === 1 ? '-sandbox' : `-sandbox-${count}`
    const slug = `${liveSlug.slice(0, SLUG_CHARACTERS_MAX - ending.length)}${ending}`
    if (!(await isSlugTaken(tx, slug))) return slug
  }
}

const FIRST_NUMBER = {
  connector: 'simulator',
  phone_number_id: '100000000000001',
  display_phone: '+62 21 5000 1000',
  is_default: true,
} as const

/** What a sandbox starts with. Numbers and accounts that are connected stay as they are. */
async function connectSimulators(context: SandboxContext, tx: Tx, { id, name }: Organization): Promise<void> {
  const numbers = await listNumbers(tx, id)
  if (!numbers.some(({ state }) => state !== 'disconnected'))
    await createNumber(context.numbers, tx, id, { ...FIRST_NUMBER, name })
  const accounts = await listPaymentAccounts(tx, id)
  if (!accounts.some(({ provider }) => provider === 'simulator'))
    await createPaymentAccount(context.paymentAccounts, tx, id, NewPaymentAccount.parse({ provider: 'simulator' }))
}

/** The sandbox of a live organization; for a sandbox, itself. */
export async function getSandbox(queries: Queries, orgId: OrgId): Promise<Organization> {
  const sandbox = await findSandbox(queries, orgId)
  if (sandbox === null) throw sandboxRequired()
  return sandbox
}

/** A live organization is refused, also one that has a sandbox: the caller means this one. */
async function requireSandbox(queries: Queries, orgId: OrgId): Promise<Organization> {
  const sandbox = await getSandbox(queries, orgId)
  if (sandbox.id !== orgId) throw sandboxRequired()
  return sandbox
}

/**
 * Deletes all data of a sandbox and keeps its configuration (sandbox-tables.ts). A change at the same moment is deleted whole, or
 * waits for the reset and is kept whole. Work that is under way finishes without recording anything.
 */
export async function resetSandbox(context: SandboxContext, orgId: OrgId): Promise<Organization> {
  const { database, storage, log } = context
  const sandbox = await requireSandbox(database, orgId)
  const files = await database.transaction((tx) => deleteData(context, tx, sandbox))
  restartSeededIds()
  context.wake([orgId])
  for (const key of files)
    await storage.delete(key).catch((error) => log.warn({ err: error, key }, 'file of a sandbox could not be deleted'))
  return sandbox
}

async function deleteData(context: SandboxContext, tx: Tx, sandbox: Organization): Promise<string[]> {
  await allowLongStatements(tx)
  await lockReports(tx, sandbox.id)
  await clearWork(tx, sandbox.id)
  await lockData(tx, sandbox.id)
  await levelCounter(tx, sandbox.id)
  const files = await listStoredFiles(tx, sandbox.id)
  for (const table of deletedTables(context.tenantTables)) await deleteRowsOf(tx, sandbox.id, table)
  await connectSimulators(context, tx, sandbox)
  return files
}

/**
 * Moves the clock of a sandbox forward: everything that waits comes nearer by that many seconds, and what is due then starts at
 * once. The times of the server and of new records stay real, so no path has to ask an organization for its time.
 */
export async function advanceClock(context: SandboxContext, orgId: OrgId, seconds: number): Promise<Organization> {
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > ADVANCE_SECONDS_MAX)
    throw new RangeError(`the clock cannot be moved by ${seconds} seconds`)
  const sandbox = await requireSandbox(context.database, orgId)
  const advance = { seconds, now: new Date(context.clock.now()) }
  await context.database.transaction(async (tx) => {
    await allowLongStatements(tx)
    await hastenWork(tx, orgId, advance)
    for (const [table, times] of Object.entries(movedTimes)) await moveTimes(tx, orgId, { table, times, ...advance })
    await moveOpenOrders(tx, orgId, advance)
    // Cached keys contain their expiry.
    await bumpAccountRevision(tx, orgId)
  })
  context.wake([orgId])
  return sandbox
}
