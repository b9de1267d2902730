import type { Log } from '../telemetry/log.ts'
import type { Binaries } from './binaries.ts'
import { type ClusterFiles, repairCluster } from './cluster.ts'
import { type Connection, chooseFreePort, prepareDatabase, writeConnection } from './connection.ts'
import { errorCode } from './data-folder-errors.ts'
import {
  explainLaunch,
  isPassing,
  LaunchError,
  launchPostmaster,
  readPostmasterFile,
  removePostmasterFile,
  stopPostmaster,
  waitUntilReady,
} from './postmaster.ts'
import { endPostgresProcessesIn, isAlive, isPostgresIn } from './processes.ts'
import { postgresArguments } from './settings.ts'
import type { RunAs } from './user.ts'

/** All there is to know for starting one folder's PostgreSQL. `connection` follows the port it gets. */
export type Site = {
  files: ClusterFiles
  binaries: Binaries
  runAs: RunAs
  settings: Record<string, string>
  log: Log
  onProgress: (sentence: string) => void
  connection: Connection
}

export type Running = { pid: number; port: number; adopted: boolean }

export const PROBE_TIMEOUT_MS = 2_000
const LAUNCH_TRIES_MAX = 5

/** From whatever state the folder is in to a PostgreSQL that answers. The caller holds the folder's lock. */
export async function bringUp(site: Site, options: { keepPort?: boolean } = {}): Promise<Running> {
  for (let tries = 1; ; tries++) {
    const orphan = await settleOrphan(site)
    if (orphan !== null) return { pid: orphan, port: site.connection.port, adopted: true }
    try {
      return { pid: await launch(site, options.keepPort ?? false), port: site.connection.port, adopted: false }
    } catch (error) {
      if (!(error instanceof LaunchError)) throw error
      if (!isPassing(error) || tries >= LAUNCH_TRIES_MAX) throw explainLaunch(error, site.files)
      site.log.warn({ tries, reason: error.message.trim() }, 'PostgreSQL did not start; trying again')
      await new Promise((resolve) => setTimeout(resolve, 100 * tries))
    }
  }
}

/**
 * What a killed server or a killed PostgreSQL left behind: answers with the postmaster to adopt, or with null when the
 * way is free for a new one.
 */
async function settleOrphan(site: Site): Promise<number | null> {
  const { cluster } = site.files
  const found = await readPostmasterFile(cluster)
  if (found === null) return null
  if (!(await isPostgresIn(found.pid, cluster))) {
    await clearAfterCrash(site, found.pid)
    return null
  }
  if (found.status !== 'stopping' && (await isWorthAdopting(site, found.pid))) return found.pid
  site.log.warn({ pid: found.pid }, 'a PostgreSQL left running is stopping, does not answer or has other settings')
  await stopPostmaster({ pid: found.pid, cluster, binaries: site.binaries, log: site.log })
  return settleOrphan(site)
}

/**
 * PostgreSQL gives way to a live process of the number in its pid file, whatever that is, so the file has to go. But where
 * lagging server processes could not be looked for, its own search for them begins at that file, and it stays if it can.
 */
async function clearAfterCrash({ files, log }: Site, pid: number): Promise<void> {
  const ended = await endPostgresProcessesIn(files.cluster)
  if (ended !== null || pid === 0 || isAlive(pid)) await removePostmasterFile(files.cluster)
  log.warn({ pid, ended }, 'PostgreSQL had not been stopped; recovering')
}

async function isWorthAdopting(site: Site, pid: number): Promise<boolean> {
  const { files, connection } = site
  if (connection.startedWith !== describeCommand(site, connection.port)) return false
  try {
    await waitUntilReady(
      files.cluster,
      () => isAlive(pid),
      pid,
      () => announceRecovery(site),
    )
    return await prepareDatabase(connection, files.cluster, PROBE_TIMEOUT_MS)
  } catch (error) {
    site.log.warn({ pid, code: errorCode(error), reason: String(error) }, 'a PostgreSQL left running does not answer')
    return false
  }
}

/** The port and command are written down first: killed right after the spawn, the next start knows whom it finds. */
async function launch(site: Site, keepPort: boolean): Promise<number> {
  const { files, binaries, runAs, log } = site
  const port = await chooseFreePort(site.connection.port)
  if (keepPort && port !== site.connection.port) throw new LaunchError(`port ${site.connection.port} is taken`)
  const startedWith = describeCommand(site, port)
  if (port !== site.connection.port || startedWith !== site.connection.startedWith) {
    site.connection = { ...site.connection, port, startedWith }
    await writeConnection(files.home, files.dataDir, site.connection)
  }
  await repairCluster(files, runAs)
  const args = postgresArguments(files.cluster, port, site.settings)
  const pid = await launchPostmaster({ files, binaries, runAs, args, onSlow: () => announceRecovery(site) })
  try {
    if (await prepareDatabase(site.connection, files.cluster, DATABASE_TIMEOUT_MS)) return pid
    throw new LaunchError('another server answers on its port')
  } catch (error) {
    await stopPostmaster({ pid, cluster: files.cluster, binaries, log })
    throw error
  }
}

/** Generous: this one is known to be up, and creating the database takes a slow disk a while. */
const DATABASE_TIMEOUT_MS = 30_000

const announceRecovery = (site: Site) => site.onProgress('PostgreSQL is recovering after an unclean stop.')

const describeCommand = ({ binaries, files, settings }: Site, port: number) =>
  [binaries.packageVersion, binaries.postgres, ...postgresArguments(files.cluster, port, settings)].join(' ')
