import { completeHomes } from '../../accounts/organizations/organizations.ts'
import { placeOf } from '../../boot/tables.ts'
import { StartError } from '../../kernel/errors.ts'
import {
  type ClusterReport,
  distribute,
  distributionRefusal,
  planDistribution,
  reportCluster,
  SHARDS_DEFAULT,
} from '../../platform/cluster/distribution.ts'
import { listLiveProcesses } from '../../platform/cluster/live-processes.sql.ts'
import type { Database } from '../../platform/database/database.ts'
import { defineCommand, jsonOption, UsageError } from '../framework/command.ts'
import { withDatabase } from '../framework/connection.ts'
import { printJson, printLine, printNote } from '../framework/output.ts'

export const clusterCommands = [
  defineCommand({
    name: 'cluster distribute',
    summary: 'Spread organizations over the nodes of a Citus cluster',
    details:
      'Stop every server first: tables are locked while their rows are copied. A run that was interrupted is continued by the next one. DATABASE_URL is the coordinator.',
    examples: ['npx nexkit cluster distribute --dry-run', 'npx nexkit cluster distribute --shards 32'],
    options: {
      shards: {
        type: 'string',
        help: 'shards, 2 to 256; fixed by the first run',
        placeholder: 'n',
        fallback: String(SHARDS_DEFAULT),
      },
      'dry-run': { type: 'boolean', help: 'only list the tables that would move' },
      json: jsonOption,
    },
    async run({ values }) {
      const shards = Number(values.shards)
      if (!Number.isInteger(shards) || shards < 2 || shards > 256)
        throw new UsageError('--shards must be from 2 to 256.')
      const isDryRun = values['dry-run'] === true
      const tables = await withDatabase((database) =>
        isDryRun ? listMisplaced(database) : distributeAll(database, { shards, isQuiet: values.json === true }),
      )
      if (values.json) return printJson({ object: 'cluster_distribution', is_dry_run: isDryRun, tables })
      if (tables.length === 0) return printLine('Every table is where it belongs. Nothing to do.')
      if (isDryRun) {
        for (const name of tables) printLine(`${placeOf(name).padEnd(12)}  ${name}`)
        return printLine(`${tables.length} tables would move.`)
      }
      printLine(`${tables.length} tables are distributed. Start the servers.`)
    },
  }),
  defineCommand({
    name: 'cluster status',
    summary: 'Show nodes, shards and where organizations live',
    examples: ['npx nexkit cluster status', 'npx nexkit cluster status --json'],
    options: { json: jsonOption },
    async run({ values }) {
      const report = await withDatabase((database) => reportCluster(database, { placeOf }))
      if (values.json) return printJson({ object: 'cluster_status', is_distributed: report !== null, ...report })
      if (report === null) return printLine('One PostgreSQL: the tables are not distributed.')
      for (const line of describe(report)) printLine(line)
    },
  }),
]

async function refuse(database: Database): Promise<void> {
  const refusal = await distributionRefusal(database)
  if (refusal !== null) throw new StartError(refusal)
}

async function listMisplaced(database: Database): Promise<string[]> {
  await refuse(database)
  return (await planDistribution(database, { placeOf })).flat().map(({ name }) => name)
}

async function distributeAll(
  database: Database,
  { shards, isQuiet }: { shards: number; isQuiet: boolean },
): Promise<string[]> {
  await refuse(database)
  const live = await listLiveProcesses(database)
  if (live.length > 0)
    throw new StartError(
      `${live.length} server processes use this database (${live.map(({ host, pid }) => `${host} ${pid}`).join(', ')}). Stop them first; a stopped one is forgotten after 15 seconds.`,
    )
  const tables = await distribute(database, {
    placeOf,
    shards,
    onStep: ({ tables, number, count }) => {
      const names = tables.map(({ name }) => name).join(', ')
      const bytes = tables.reduce((sum, table) => sum + table.bytes, 0)
      if (!isQuiet) printNote(`${number} of ${count}: ${names} (${megabytes(bytes)})`)
    },
  })
  await database.lookForShards()
  await completeHomes(database)
  return tables
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`

function describe({ version, shards, nodes, organizations, misplaced }: ClusterReport): string[] {
  const workers = nodes.filter((node) => node.has_shards)
  const largest = Math.max(...workers.map(({ bytes }) => bytes))
  const mean = workers.reduce((sum, { bytes }) => sum + bytes, 0) / Math.max(1, workers.length)
  return [
    `Citus ${version}, ${shards} shards.`,
    ...(misplaced.length === 0
      ? []
      : [`Not distributed yet: ${misplaced.join(', ')}. Run "npx nexkit cluster distribute".`]),
    '',
    ...nodes.map(({ name, port, is_coordinator, is_active, shards: count, bytes }) => {
      const role = is_coordinator ? 'coordinator' : 'worker'
      return `  ${`${name}:${port}`.padEnd(28)}  ${role.padEnd(11)}  ${is_active ? 'active' : 'NOT ACTIVE'}  ${count} tables of shards, ${megabytes(bytes)}`
    }),
    `  The largest worker holds ${mean === 0 ? '1.0' : (largest / mean).toFixed(1)} times the mean.`,
    '',
    'Organizations on the largest shards (the size is that of the whole shard):',
    ...organizations.map(
      ({ slug, shard, node, bytes }) => `  ${slug.padEnd(28)}  shard ${shard}  ${node}  ${megabytes(bytes)}`,
    ),
  ]
}
