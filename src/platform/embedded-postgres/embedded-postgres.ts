import { realpath, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Log } from '../telemetry/log.ts'
import { findBinaries } from './binaries.ts'
import { type ClusterFiles, checkCluster, clusterFiles, createCluster, removeUnfinished } from './cluster.ts'
import { type Connection, connectionLost, connectionUrl, prepareDatabase, readConnection } from './connection.ts'
import { explainFolderError, isMissing } from './data-folder-errors.ts'
import { type FolderLock, lockDataFolder } from './folder-lock.ts'
import { guardPostgres } from './guard.ts'
import { readPostmasterFile, stopPostmaster } from './postmaster.ts'
import { endPostgresProcessesIn, isPostgresIn } from './processes.ts'
import { bringUp, PROBE_TIMEOUT_MS, type Site } from './start.ts'
import { chooseRunAs } from './user.ts'

export { type FolderLock, lockDataFolder }

export type EmbeddedPostgres = {
  url: string
  port: number
  /** Of the postmaster; another one after PostgreSQL died and was started again. */
  readonly pid: number
  /** It was running already, left over by a server that was killed. */
  adopted: boolean
  /** Fast shutdown, within about ten seconds; then the folder is free for another server. */
  stop(): Promise<void>
}

export type EmbeddedPostgresOptions = {
  dataDir: string
  log: Log
  /** PostgreSQL settings over our own. */
  settings?: Record<string, string>
  /** The size of a file of the write-ahead log, of which a new PostgreSQL has at least two; 16 without it. */
  walSegmentMegabytes?: number
  /** Receives a sentence about each step that takes a while. */
  onProgress?: (sentence: string) => void
  /** The npm package that holds PostgreSQL, when it is not the installed one. */
  packageFolder?: string
}

/**
 * The embedded PostgreSQL in the data folder, which is locked for as long as it runs. The folder is
 *
 *   empty      no PostgreSQL yet       → it is created, then started
 *   stopped    cleanly or by a crash   → started, on the port it had if that is still free
 *   orphaned   running without us: the server was killed and PostgreSQL went on
 *                                      → adopted; stopped and started anew if it does not answer or has old settings
 *   running    under another server    → refused
 *
 * and whatever moment a start is killed in, the folder is left in one of these.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const beganMs = performance.now()
  const lock = await lockDataFolder(options.dataDir, 'postgres')
  try {
    const site = await openSite(options)
    const running = await bringUp(site)
    const durationMs = Math.round(performance.now() - beganMs)
    if (running.adopted) options.log.info({ ...running, durationMs }, 'PostgreSQL adopted')
    else options.log.debug({ ...running, durationMs }, 'PostgreSQL started')
    const guard = guardPostgres(site, running.pid)
    const { port } = site.connection
    return {
      url: connectionUrl(site.connection),
      port,
      adopted: running.adopted,
      get pid() {
        return guard.pid()
      },
      async stop() {
        await guard.end()
        const { binaries, log, files } = site
        await stopPostmaster({ pid: guard.pid(), cluster: files.cluster, binaries, log }).finally(lock.release)
      },
    }
  } catch (error) {
    await lock.release().catch(() => {})
    throw explainFolderError(error, resolve(options.dataDir))
  }
}

async function openSite(options: EmbeddedPostgresOptions): Promise<Site> {
  const { log, settings = {}, onProgress = () => {}, walSegmentMegabytes = 16 } = options
  const files = clusterFiles(await realpath(options.dataDir))
  const { dataDir, cluster } = files
  const binaries = await findBinaries({ dataDir, packageFolder: options.packageFolder })
  const runAs = await chooseRunAs({ dataDir, cluster, binaries })
  await removeUnfinished(dataDir, log)
  const isMade = await checkCluster(files, binaries)
  const how = { sync: settings.fsync !== 'off', walSegmentMegabytes }
  const onRunning = () => onProgress('Creating the database.')
  const connection = isMade
    ? await getConnection(files)
    : await createCluster({ files, binaries, runAs, onRunning, ...how })
  return { files, binaries, runAs, settings, log, onProgress, connection }
}

async function getConnection({ home }: ClusterFiles): Promise<Connection> {
  const connection = await readConnection(home)
  if (connection === null) throw connectionLost(home)
  return connection
}

/** For commands beside a running server: how to reach the folder's PostgreSQL, or null when none is running. */
export async function findRunningPostgres(dataDir: string): Promise<{ url: string; pid: number } | null> {
  try {
    const { home, cluster } = clusterFiles(await realpath(dataDir))
    const connection = await readConnection(home)
    const found = await readPostmasterFile(cluster)
    if (connection === null || found === null || !(await isPostgresIn(found.pid, cluster))) return null
    const answers = await prepareDatabase(connection, cluster, PROBE_TIMEOUT_MS).catch(() => false)
    return answers ? { url: connectionUrl(connection), pid: found.pid } : null
  } catch (error) {
    if (isMissing(error)) return null
    throw explainFolderError(error, resolve(dataDir))
  }
}

/** Removes the folder of a server that was killed, with the PostgreSQL that still runs in it. Leaves a folder that is in use. */
export async function discardDataFolder(dataDir: string): Promise<void> {
  const lock = await lockDataFolder(dataDir).catch(() => null)
  if (lock === null) return
  const running = await findRunningPostgres(dataDir).catch(() => null)
  if (running !== null) process.kill(running.pid, 'SIGQUIT')
  await endPostgresProcessesIn(await realpath(dataDir))
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  await lock.release()
}
