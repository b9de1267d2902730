import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../../kernel/errors.ts'
import type { Log } from '../telemetry/log.ts'
import type { Binaries } from './binaries.ts'
import { type Connection, writeConnection } from './connection.ts'
import { isMissing } from './data-folder-errors.ts'
import { type InitdbRun, runInitdb } from './initdb.ts'
import { endPostgresProcessesIn } from './processes.ts'
import { HOST_BASED_AUTHENTICATION } from './settings.ts'
import { giveToOwner, type RunAs } from './user.ts'

/**
 * The files of one PostgreSQL: `<data folder>/postgres/` with the cluster, how to connect to it, and its log.
 *
 * They are created in a sibling, `postgres.new-…`, and renamed when all are complete and on disk, so the final name always
 * holds a complete cluster. A start removes a sibling that it finds, because its creation was interrupted, and ends the
 * processes that still run in it.
 */
export type ClusterFiles = { dataDir: string; home: string; cluster: string; logFile: string }

export function clusterFiles(dataDir: string): ClusterFiles {
  const home = join(dataDir, 'postgres')
  return { dataDir, home, cluster: join(home, 'cluster'), logFile: join(home, 'postgres.log') }
}

const UNFINISHED_PREFIX = 'postgres.new-'

export async function removeUnfinished(dataDir: string, log: Log): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => name.startsWith(UNFINISHED_PREFIX))
  for (const name of names) {
    const folder = join(dataDir, name)
    try {
      await endPostgresProcessesIn(folder)
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    } catch (error) {
      // Only space is lost, and the next start tries again.
      log.warn({ folder, reason: String(error) }, 'an incomplete database could not be removed')
    }
  }
}

/** True when a cluster is there; refuses one that these binaries cannot run. */
export async function checkCluster(files: ClusterFiles, binaries: Binaries): Promise<boolean> {
  const version = await readVersion(files)
  if (version === null) return false
  if (version === binaries.majorVersion) return true
  throw new StartError(
    `${files.home} was made by PostgreSQL ${version}, and this Nexkit brings PostgreSQL ${binaries.majorVersion}. ` +
      `Run the Nexkit that made it, or set DATABASE_URL to a PostgreSQL ${version} that serves that data.`,
  )
}

async function readVersion({ home, cluster }: ClusterFiles): Promise<number | null> {
  try {
    return Number.parseInt(await readFile(join(cluster, 'PG_VERSION'), 'utf8'), 10)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  try {
    await rmdir(home)
  } catch (error) {
    if (!isMissing(error)) throw new StartError(`${home} holds something else than a database of ours. Move it away.`)
  }
  return null
}

type Creation = { files: ClusterFiles } & Omit<InitdbRun, 'folder' | 'password'>

export async function createCluster({ files, binaries, runAs, ...how }: Creation): Promise<Connection> {
  const folder = join(files.dataDir, `${UNFINISHED_PREFIX}${randomBytes(6).toString('hex')}`)
  const connection: Connection = { port: 0, password: randomBytes(24).toString('hex'), startedWith: '' }
  try {
    await mkdir(folder, { mode: 0o700 })
    await giveToOwner(folder, runAs)
    await runInitdb({ folder, password: connection.password, binaries, runAs, ...how })
    await writeConnection(folder, files.dataDir, connection)
    await rename(folder, files.home)
    await syncFolder(files.dataDir)
    return connection
  } catch (error) {
    await rm(folder, { recursive: true, force: true }).catch(() => {})
    throw error
  }
}

/** Windows cannot open a folder; there the rename has to do. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

/**
 * Before every start: the access rules are ours, and files that root copied back from somewhere belong to the one who
 * runs PostgreSQL, which refuses a folder of another user or one that others may read.
 */
export async function repairCluster({ home, cluster }: ClusterFiles, runAs: RunAs): Promise<void> {
  const { uid, mode } = await stat(cluster)
  if (runAs.owner !== null && uid !== runAs.owner.uid) await giveTree(cluster, runAs)
  await giveToOwner(home, runAs)
  if ((mode & 0o077) !== 0 && process.platform !== 'win32') await chmod(cluster, 0o700)
  const rules = join(cluster, 'pg_hba.conf')
  if ((await readFile(rules, 'utf8').catch(() => '')) === HOST_BASED_AUTHENTICATION) return
  await writeFile(rules, HOST_BASED_AUTHENTICATION, { mode: 0o600 })
  await giveToOwner(rules, runAs)
}

async function giveTree(folder: string, runAs: RunAs): Promise<void> {
  await giveToOwner(folder, runAs)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await giveTree(path, runAs)
    else await giveToOwner(path, runAs)
  }
}
