import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/platform/database/database.ts'
import { readPostmasterFile } from '../../src/platform/embedded-postgres/postmaster.ts'
import { isAlive } from '../../src/platform/embedded-postgres/processes.ts'
import { citusUrl, listServers } from '../support/cluster.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { freezer, killTree, type Storage, type Victim } from './nodes.ts'

/**
 * A database of the cluster of NEXKIT_TEST_CITUS_URL, distributed and empty. Coordinator and workers run on this machine, as the user of
 * this process or by root, so each of them can be killed with all its processes, and is started again with its own settings.
 */
export async function openCitus(): Promise<Storage> {
  const serverUrl = citusUrl()
  if (serverUrl === null) throw new Error('NEXKIT_TEST_CITUS_URL is not set (see CONTRIBUTING.md)')
  const servers = await listServers(serverUrl)
  const victims: Victim[] = []
  for (const [index, { url }] of servers.entries())
    victims.push(await watchNode(index === 0 ? 'coordinator' : `citus-worker-${index}`, url))
  const { database, url, close } = await createTestDatabase()
  await database.close()
  return { url, victims, stop: close }
}

const START_MS_MAX = 60_000

type Place = { folder: string; programs: string }

async function watchNode(name: string, url: string): Promise<Victim> {
  const database = openDatabase({ url, connectionsMax: 1 })
  const place = await database.one<Place>`
    select current_setting('data_directory') as folder, setting as programs from pg_config where name = 'BINDIR'`
  await database.close()
  const readPid = async () => (await readPostmasterFile(place.folder))?.pid ?? 0
  const known = { pid: await readPid() }
  const { freeze, thaw } = freezer(() => known.pid)
  const isRunning = async () => {
    known.pid = await readPid()
    return isAlive(known.pid)
  }
  return {
    name,
    async kill() {
      thaw()
      killTree(known.pid)
      await until(async () => (await start(place)) || (await isRunning()), START_MS_MAX)
      known.pid = await readPid()
    },
    freeze,
    thaw,
  }
}

/** Whether it is ready. Fails while processes of the one before are about to end, or another start is under way. */
async function start({ folder, programs }: Place): Promise<boolean> {
  const { uid, gid } = statSync(folder)
  const account = process.geteuid?.() === 0 ? { uid, gid } : {}
  const args = ['-D', folder, '-l', `${folder}.log`, '-w', 'start']
  const child = spawn(join(programs, 'pg_ctl'), args, { ...account, cwd: folder, stdio: 'ignore' })
  return (await new Promise((resolveExit) => child.once('close', resolveExit))) === 0
}
