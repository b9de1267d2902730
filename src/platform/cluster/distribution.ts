import { StartError } from '../../kernel/errors.ts'
import type { Database, Tx } from '../database/database.ts'
import {
  type ClusterNode,
  countShards,
  createDistributedTable,
  createReferenceTable,
  doesPropagateSettings,
  type ForeignKey,
  findCitusVersion,
  listForeignKeys,
  listNodeSizes,
  listNodes,
  listPlacedOrganizations,
  listTableStates,
  listTablesWithLocalRows,
  lockDistribution,
  type PlacedOrganization,
  type TableState,
  truncateLocalRows,
} from './distribution.sql.ts'

/**
 * Spreads the tables over the nodes of a Citus cluster:
 *
 *   local ──▶ distributed, rows copied (one transaction) ──▶ rows removed from the coordinator
 *
 * Tables that foreign keys connect move together: a key can neither be kept nor created while one side is local and the other is
 * not. All other tables move one by one. Each step is a transaction and asks the catalog what is left to do, so a run that was
 * killed is continued by the next one, and a run with nothing to do changes nothing.
 */
export type Place = TableState['place']

export type DistributionOptions = {
  placeOf: (table: string) => Place
  shards: number
  onStep?: (step: DistributionStep) => void
}

/** Tables that move in one transaction. */
export type DistributionStep = { tables: TableState[]; number: number; count: number }

/** Enough for as many workers. Each day of each partitioned table is a table on every shard, so more is not better. */
export const SHARDS_DEFAULT = 16

const CITUS_VERSION_MIN = 13

/** The tables that are not where they belong, in the order in which they move. */
export async function planDistribution(
  database: Database,
  { placeOf }: Pick<DistributionOptions, 'placeOf'>,
): Promise<TableState[][]> {
  const states = await listTableStates(database)
  const keys = await listForeignKeys(database)
  const misplaced = states.filter(({ name, place }) => placeOf(name) !== 'local' && placeOf(name) !== place)
  const isConnected = ({ name }: TableState) => keys.some(({ from, to }) => from === name || to === name)
  const connected = misplaced.filter(isConnected)
  const alone = misplaced.filter((state) => !isConnected(state)).map((state) => [state])
  return connected.length === 0 ? alone : [connected, ...alone]
}

/** The nodes, their shards, and the organizations on the largest shards. */
export type ClusterReport = {
  version: string
  shards: number
  nodes: (ClusterNode & { shards: number; bytes: number })[]
  organizations: PlacedOrganization[]
  /** Tables that are not where they belong: `distribute` moves them. */
  misplaced: string[]
  /** Whether a limit that a transaction sets holds on the workers too. `distribute` sets it; a copy of the database lacks it. */
  propagates_settings: boolean
}

const ORGANIZATIONS_LISTED_MAX = 20

/** Null when the tables are not distributed. */
export async function reportCluster(
  database: Database,
  { placeOf }: Pick<DistributionOptions, 'placeOf'>,
): Promise<ClusterReport | null> {
  const version = await findCitusVersion(database)
  const anchor = version === null ? undefined : (await listTableStates(database)).find(isDistributed)
  if (version === null || anchor === undefined) return null
  const sizes = await listNodeSizes(database)
  const nodes = (await listNodes(database)).map((node) => {
    const size = sizes.find(({ name, port }) => name === node.name && port === node.port)
    return { ...node, shards: size?.shards ?? 0, bytes: size?.bytes ?? 0 }
  })
  const misplaced = (await planDistribution(database, { placeOf })).flat().map(({ name }) => name)
  const organizations = await listPlacedOrganizations(database, {
    table: anchor.name,
    limit: ORGANIZATIONS_LISTED_MAX,
  })
  const shards = await countShards(database)
  return {
    version,
    shards,
    nodes,
    organizations,
    misplaced,
    propagates_settings: await doesPropagateSettings(database),
  }
}

const isDistributed = ({ place }: TableState): boolean => place === 'organization'

/**
 * Places tables that a migration created. Also finishes a distribution that was interrupted: while some tables are distributed and
 * others are not, statements fail.
 */
export async function placeNewTables(database: Database, placeOf: DistributionOptions['placeOf']): Promise<void> {
  if (!database.isSharded()) return
  const steps = await planDistribution(database, { placeOf })
  if (steps.length > 0) await distribute(database, { placeOf, shards: SHARDS_DEFAULT })
}

/** Why this database cannot be distributed; null when it can. */
export async function distributionRefusal(database: Database): Promise<string | null> {
  const version = await findCitusVersion(database)
  if (version === null)
    return 'The extension citus is missing in this database. Install Citus on every node, then run "create extension citus".'
  if (Number.parseInt(version, 10) < CITUS_VERSION_MIN)
    return `Citus ${version} is too old. Use version ${CITUS_VERSION_MIN} or newer.`
  const nodes = await listNodes(database)
  if (!nodes.some((node) => node.is_coordinator))
    return 'The cluster does not know its coordinator. Run "select citus_set_coordinator_host(…)" on it.'
  if (!nodes.some((node) => node.has_shards && node.is_active))
    return 'The cluster has no worker. Add one with "select citus_add_node(…)" on the coordinator.'
  return null
}

export async function distribute(database: Database, options: DistributionOptions): Promise<string[]> {
  const refusal = await distributionRefusal(database)
  if (refusal !== null) throw new StartError(refusal)
  const steps = await planDistribution(database, options)
  const moved: string[] = []
  for (const [index, tables] of steps.entries()) {
    options.onStep?.({ tables, number: index + 1, count: steps.length })
    await database.transaction((tx) => moveTables(tx, tables, options))
    moved.push(...tables.map(({ name }) => name))
  }
  await propagateSettings(database)
  for (const name of await listTablesWithLocalRows(database)) await truncateLocalRows(database, name)
  return moved
}

async function moveTables(tx: Tx, tables: TableState[], { placeOf, shards }: DistributionOptions): Promise<void> {
  // In turn and not side by side: the copies of one transaction have to see each other's keys.
  await tx.script('set local statement_timeout = 0')
  await tx.script(`set local citus.multi_shard_modify_mode = 'sequential'`)
  await lockDistribution(tx)
  const states = new Map((await listTableStates(tx)).map((state) => [state.name, state.place]))
  const names = tables.map(({ name }) => name).filter((name) => states.get(name) !== placeOf(name))
  const keys = (await listForeignKeys(tx)).filter(({ from, to }) => names.includes(from) || names.includes(to))
  for (const { from, name } of keys) await tx.script(`alter table "${from}" drop constraint "${name}"`)
  for (const name of names) if (placeOf(name) === 'reference') await createReferenceTable(tx, name)
  let beside = [...states].find(([, place]) => place === 'organization')?.[0] ?? null
  for (const name of names) {
    if (placeOf(name) !== 'organization') continue
    await createDistributedTable(tx, name, { shards, beside })
    beside ??= name
  }
  for (const key of keys) if (canStay(key, placeOf)) await addForeignKey(tx, key)
}

/** Citus has no foreign keys from a table of the coordinator to one that is elsewhere. The code that writes those rows checks. */
const canStay = ({ from }: ForeignKey, placeOf: (table: string) => Place): boolean => placeOf(from) !== 'local'

const addForeignKey = (tx: Tx, { from, name, definition }: ForeignKey) =>
  tx.script(`alter table "${from}" add constraint "${name}" ${definition}`)

/** A time limit for locks that a transaction sets has to reach the node where the lock is. */
export const propagateSettings = async (database: Database): Promise<void> => {
  const { name } = await database.one<{ name: string }>`select quote_ident(current_database()) as name`
  await database.script(`alter database ${name} set citus.propagate_set_commands = 'local'`)
}
