import { afterAll, afterEach, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDataFolders } from '../../../test/support/data-folders.ts'
import { until } from '../../../test/support/until.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { findRunningPostgres } from './embedded-postgres.ts'
import { isAlive } from './processes.ts'

/** Everything here is killed for real: our server, PostgreSQL, or a start in the middle. */
const folders = openDataFolders()
afterEach(() => folders.endAll())
afterAll(() => folders.close())

/** One folder for most tests, because creating one takes a second. */
const dataDir = folders.newFolder()

async function use<Result>(url: string, work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = openDatabase({ url, connectionsMax: 1 })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

const countRows = (url: string) =>
  use(url, async (database) => (await database.one<{ count: number }>`select count(*) from kept`).count)

const pidFile = (dataDir: string) => join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
const unfinished = (dataDir: string) => readdirSync(dataDir).filter((name) => name.startsWith('postgres.new-'))

test('a PostgreSQL that outlived its killed server, Ctrl-C included, is adopted with the connections it has', async () => {
  const server = folders.serve(dataDir)
  const { url, pid, port } = await server.line
  const client = openDatabase({ url, connectionsMax: 1 })
  await client.run`create temporary table of_this_session (id int)`
  await server.killGroup('SIGINT')
  expect(isAlive(pid)).toBe(true)

  const next = await folders.start(dataDir)
  expect(next).toMatchObject({ url, pid, port, adopted: true })
  expect(await client.many`select id from of_this_session`).toEqual([])
  await client.close()
  await next.stop()
  expect(isAlive(pid)).toBe(false)
})

test('an orphan with other settings is replaced, so an upgrade reaches it', async () => {
  const server = folders.serve(dataDir)
  const { pid } = await server.line
  await server.kill('SIGKILL')
  const next = await folders.start(dataDir, { settings: { work_mem: '9MB' } })
  expect(next.adopted).toBe(false)
  expect(isAlive(pid)).toBe(false)
  await next.stop()
})

test('what was committed before PostgreSQL and its server were killed is there afterwards', async () => {
  const server = folders.serve(dataDir)
  const { url, pid } = await server.line
  await use(url, (database) =>
    database.script('drop table if exists kept; create table kept as select generate_series(1, 1000) as id'),
  )
  await server.kill('SIGKILL')
  process.kill(pid, 'SIGKILL')
  expect(existsSync(pidFile(dataDir))).toBe(true)

  const next = await folders.start(dataDir)
  expect(next.adopted).toBe(false)
  expect(await countRows(next.url)).toBe(1000)
  await next.stop()
})

test('a PostgreSQL that dies under a running server is brought back on the same port, with a busy backend in the way', async () => {
  const running = await folders.start(dataDir)
  const { pid, url } = running
  await use(url, (database) =>
    database.script('drop table if exists kept; create table kept as select generate_series(1, 10) as id'),
  )
  const busy = openDatabase({ url, connectionsMax: 1 })
  const loop = busy.script('do $$ begin loop end loop; end $$').catch(() => 'cut off')
  const isBusy = () =>
    use(
      url,
      async (database) =>
        (await database.many`select pid from pg_stat_activity where query like 'do $$%' and state = 'active'`)
          .length === 1,
    )
  await until(isBusy)
  process.kill(pid, 'SIGKILL')
  await until(() => running.pid !== pid)
  expect(await loop).toBe('cut off')
  expect(await busy.one`select count(*) from kept`).toEqual({ count: 10 })
  await busy.close()
  await running.stop()
  expect(isAlive(running.pid)).toBe(false)
})

test('an orphan that no longer answers is stopped and replaced', async () => {
  const server = folders.serve(dataDir)
  const { url, pid } = await server.line
  await use(url, (database) => database.script('drop table if exists kept; create table kept as select 1 as id'))
  await server.kill('SIGKILL')
  process.kill(pid, 'SIGSTOP')

  const next = await folders.start(dataDir)
  expect(next.adopted).toBe(false)
  expect(isAlive(pid)).toBe(false)
  expect(await countRows(next.url)).toBe(1)
  await next.stop()
})

test('a start succeeds and leaves a living process of another program alone when the pid file names it', async () => {
  await (await folders.start(dataDir)).stop()
  const cluster = join(dataDir, 'postgres', 'cluster')
  // A process of the same user, or PostgreSQL would see that it cannot be a postmaster.
  const { uid, gid } = statSync(cluster)
  const bystander = spawn('sleep', ['60'], { cwd: cluster, uid, gid, stdio: 'ignore' })
  writeFileSync(pidFile(dataDir), `${bystander.pid}\n${cluster}\n1700000000\n20000\n\n127.0.0.1\n 0 0\nready   \n`)
  expect(await findRunningPostgres(dataDir)).toBeNull()
  const running = await folders.start(dataDir)
  expect(running.adopted).toBe(false)
  await running.stop()
  expect(isAlive(bystander.pid as number)).toBe(true)
  bystander.kill()
})

test('a pid file that was cut short in the writing is replaced', async () => {
  writeFileSync(pidFile(dataDir), '')
  const running = await folders.start(dataDir)
  expect(readFileSync(pidFile(dataDir), 'utf8')).toStartWith(`${running.pid}\n`)
  await running.stop()
})

test('the next start creates the cluster anew and leaves no remains when the first was killed during initdb', async () => {
  const dataDir = folders.newFolder()
  const server = folders.serve(dataDir)
  const isUnderWay = () =>
    existsSync(dataDir) && unfinished(dataDir).some((name) => existsSync(join(dataDir, name, 'cluster', 'base')))
  await until(isUnderWay)
  await server.kill('SIGKILL')
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  mkdirSync(join(dataDir, 'postgres.new-left-long-ago'))

  const running = await folders.start(dataDir, { settings: { fsync: 'off' } })
  expect(unfinished(dataDir)).toEqual([])
  expect(await use(running.url, (database) => database.one`select current_database() as name`)).toEqual({
    name: 'nexkit',
  })
  await running.stop()
})

test('a start that is killed at any moment is completed by the next', async () => {
  for (const delayMs of [60, 90, 120, 150, 180, 220]) {
    const server = folders.serve(dataDir)
    // Not a wait for something: the moment of the kill is what is varied.
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    await server.kill('SIGKILL')
  }
  const running = await folders.start(dataDir)
  expect(await use(running.url, (database) => database.one`select 1 as one`)).toEqual({ one: 1 })
  await running.stop()
  expect(await findRunningPostgres(dataDir)).toBeNull()
})

test('of servers started on one folder at once, exactly one runs and the others name it', async () => {
  const dataDir = folders.newFolder()
  const servers = [folders.serve(dataDir), folders.serve(dataDir), folders.serve(dataDir)]
  const lines = await Promise.all(servers.map((server) => server.line))
  const winner = servers[lines.findIndex((line) => line.error === undefined)]
  const refusals = lines.flatMap((line) => line.error ?? [])
  expect(refusals).toHaveLength(2)
  for (const refusal of refusals) {
    expect(refusal).toBe(
      `Another Nexkit (pid ${winner?.process.pid}) is already using ${dataDir}. Stop it, or set NEXKIT_DATA_DIR to another folder.`,
    )
  }
  await winner?.kill('SIGTERM')
})
