import { anInstallation, type Installation, runCommand } from '../support/server.ts'
import { type PostgresNode, type Roster, type ServingNode, startNodes, startPostgresNode } from '../torture/nodes.ts'

/** Nodes on one PostgreSQL, with the organization "toko", its number and its payments by hand. */
export type Cluster = { nodes: ServingNode[]; installation: Installation; postgres: PostgresNode | null }

const nodeSettings = (databaseUrl: string, dataDir: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  NEXKIT_SECRET_KEY: 'a secret key of these nodes alone',
  NEXKIT_DATA_DIR: dataDir,
  NEXKIT_DEMO: '0',
  NEXKIT_LOG_LEVEL: 'warn',
  NEXKIT_ALLOW_PRIVATE_WEBHOOKS: '127.0.0.0/8',
  NEXKIT_TRUSTED_PROXIES: '127.0.0.1/32',
})

const ORGANIZATION = [
  'org create --name Toko --slug toko',
  'number create --org toko --connector simulator --phone-number-id 1002 --display-phone +622150001002 --reply-window off --default',
  'payment-account create --org toko --provider manual --methods cash --default-for cash',
]

export async function openCluster(
  undo: (() => Promise<unknown>)[],
  roster: Roster,
  databaseUrl: string | null = null,
  settings: Record<string, string> = {},
): Promise<Cluster> {
  const installation = await anInstallation()
  undo.push(() => installation.remove())
  const { dataDir: folder } = installation
  const postgres = databaseUrl === null ? await startPostgresNode(folder, { fsync: 'off' }) : null
  if (postgres !== null) undo.push(() => postgres.stop())
  const environment = { ...nodeSettings(databaseUrl ?? (postgres as PostgresNode).url, folder), ...settings }
  Object.assign(installation.environment, environment)
  const nodes: ServingNode[] = []
  undo.push(() => Promise.all(nodes.map((node) => node.stop())))
  await startNodes(roster, { folder, environment }, nodes)
  for (const line of ORGANIZATION) await command(installation, ...line.split(' '))
  return { nodes, installation, postgres }
}

export async function command(installation: Installation, ...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommand(installation, ...args, '--json')
  if (code !== 0) throw new Error(`nexkit ${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

export const createKey = async (
  installation: Installation,
  ...more: string[]
): Promise<{ id: string; token: string }> => {
  const limit = more.length > 0 ? more : ['--rate-limit', 'none']
  const args = ['key', 'create', '--org', 'toko', '--name', 'load', '--scopes', 'all', ...limit]
  return (await command(installation, ...args)) as { id: string; token: string }
}
