import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/platform/database/database.ts'
import { findBinaries } from '../../src/platform/embedded-postgres/binaries.ts'
import { clusterFiles } from '../../src/platform/embedded-postgres/cluster.ts'
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import { launchPostmaster, stopPostmaster } from '../../src/platform/embedded-postgres/postmaster.ts'
import { postgresArguments } from '../../src/platform/embedded-postgres/settings.ts'
import { chooseRunAs } from '../../src/platform/embedded-postgres/user.ts'
import { quietLog } from '../support/log.ts'
import { aFreePort } from '../support/server.ts'
import { until } from '../support/until.ts'

/** A primary and its streaming standby, by the embedded PostgreSQL. */
export type Pair = {
  /** Both hosts, the primary first. */
  url: string
  standbyUrl: string
  /** From now on the standby receives nothing; the primary goes on without it. */
  cutOff(): Promise<void>
  /** Kills the primary with `kill -9` and promotes the standby. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

const STANDBY = 'standby'
const AUTHENTICATION = 'hostnossl all all 127.0.0.1/32 trust\nhostnossl replication all 127.0.0.1/32 trust\n'

/** A commit waits for the standby if the pair is synchronous. */
export async function startPair({ isSynchronous }: { isSynchronous: boolean }): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'nexkit-pair-'))
  spawnSync('chmod', ['755', folder])
  const created = await startEmbeddedPostgres({
    dataDir: join(folder, 'primary'),
    log: quietLog,
    settings: { fsync: 'off' },
  })
  await created.stop()
  // A copy of a PostgreSQL that was stopped is a base backup; the embedded one has no pg_basebackup.
  spawnSync('cp', ['-a', join(folder, 'primary'), join(folder, STANDBY)])
  const primary = await openServer(join(folder, 'primary'))
  const standby = await openServer(join(folder, STANDBY))
  writeFileSync(join(standby.cluster, 'standby.signal'), '')
  await primary.start({ synchronous_standby_names: isSynchronous ? STANDBY : '' })
  const conninfo = `host=127.0.0.1 port=${primary.port} user=nexkit application_name=${STANDBY}`
  // In a file, so that it can be changed while the standby runs.
  appendFileSync(join(standby.cluster, 'postgresql.conf'), `primary_conninfo = '${conninfo}'\n`)
  await standby.start({})
  await untilStandbys(primary.url, 1)
  return {
    url: `postgres://nexkit@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/nexkit`,
    standbyUrl: standby.url,
    async cutOff() {
      await ask(standby.url, "alter system set primary_conninfo = ''")
      await ask(standby.url, 'select pg_reload_conf()')
      await untilStandbys(primary.url, 0)
    },
    async failOver() {
      primary.kill()
      await ask(standby.url, 'select pg_promote()')
    },
    async stop() {
      await standby.stop()
      await primary.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function openServer(dataDir: string) {
  const files = clusterFiles(dataDir)
  const binaries = await findBinaries({ dataDir })
  const runAs = await chooseRunAs({ dataDir, cluster: files.cluster, binaries })
  const port = await aFreePort()
  let pid = 0
  writeFileSync(join(files.cluster, 'pg_hba.conf'), AUTHENTICATION)
  return {
    cluster: files.cluster,
    port,
    url: `postgres://nexkit@127.0.0.1:${port}/nexkit`,
    async start(settings: Record<string, string>) {
      const args = postgresArguments(files.cluster, port, { fsync: 'off', wal_level: 'replica', ...settings })
      pid = await launchPostmaster({ files, binaries, runAs, args, onSlow: () => {} })
    },
    kill: () => void process.kill(pid, 'SIGKILL'),
    stop: () => stopPostmaster({ pid, cluster: files.cluster, binaries, log: quietLog }),
  }
}

/** One statement, on a connection that is opened for it. */
async function ask(url: string, text: string): Promise<void> {
  const database = openDatabase({ url, connectionsMax: 1 })
  await database.script(text).finally(() => database.close())
}

async function untilStandbys(url: string, count: number): Promise<void> {
  const database = openDatabase({ url, connectionsMax: 1 })
  const streaming = () => database.many`select 1 from pg_stat_replication where state = 'streaming'`
  await until(async () => (await streaming()).length === count).finally(() => database.close())
}
