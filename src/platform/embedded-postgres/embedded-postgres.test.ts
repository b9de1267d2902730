import { afterAll, afterEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { openDataFolders } from '../../../test/support/data-folders.ts'
import { until } from '../../../test/support/until.ts'
import { StartError } from '../../kernel/errors.ts'
import { isPortFree } from './connection.ts'
import { findRunningPostgres } from './embedded-postgres.ts'
import { isAlive } from './processes.ts'

const folders = openDataFolders()
afterEach(() => folders.endAll())
afterAll(() => folders.close())

/** One folder for all tests here, each of which leaves it stopped and whole: creating one takes a second. */
const dataDir = folders.newFolder()

async function query<Row>(url: string, text: string): Promise<Row> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return (await sql.unsafe(text))[0] as Row
  } finally {
    await sql.end()
  }
}

const rejection = async (work: Promise<unknown>): Promise<StartError> => {
  const error = await work.then(
    () => null,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(StartError)
  return error as StartError
}

test('the first start creates a database with our locale, and later starts keep its data and port', async () => {
  const beganMs = performance.now()
  const sentences: string[] = []
  const first = await folders.start(dataDir, { onProgress: (sentence) => sentences.push(sentence) })
  const firstMs = performance.now() - beganMs
  const locale = await query<{ locale: string }>(
    first.url,
    `select datlocprovider::text || ' ' || datlocale || ' ' || pg_encoding_to_char(encoding) as locale
     from pg_database where datname = current_database()`,
  )
  expect(locale.locale).toBe('b C.UTF-8 UTF8')
  expect(sentences).toEqual(['Creating the database.'])
  await query(first.url, 'create table kept as select 42 as answer')
  await first.stop()
  expect(isAlive(first.pid)).toBe(false)

  const restartMs = performance.now()
  const second = await folders.start(dataDir)
  const laterMs = performance.now() - restartMs
  expect(second).toMatchObject({ url: first.url, port: first.port, adopted: false })
  expect(await query<{ answer: number }>(second.url, 'select answer from kept')).toEqual({ answer: 42 })
  await second.stop()
  expect(firstMs).toBeLessThan(5000)
  expect(laterMs).toBeLessThan(2000)
})

test('only loopback is listened on, only the password lets in, and only the owner can read it', async () => {
  const running = await folders.start(dataDir)
  const wrong = running.url.replace(/:[^:@]+@/, ':wrong@')
  await expect(query(wrong, 'select 1')).rejects.toMatchObject({ code: '28P01' })
  const sockets = await query<{ sockets: string }>(
    running.url,
    `select current_setting('unix_socket_directories') as sockets`,
  )
  expect(sockets.sockets).toBe('')
  const outside = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find((one) => !one.internal && one.family === 'IPv4')
  if (outside !== undefined) {
    await expect(query(running.url.replace('127.0.0.1', outside.address), 'select 1')).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    })
  }
  const file = join(dataDir, 'postgres', 'connection.json')
  expect(readFileSync(file, 'utf8')).toContain(new URL(running.url).password)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(dataDir, 'postgres', 'postgres.log')).mode & 0o777).toBe(0o600)
  await running.stop()
})

test('what is committed is on disk: the settings that promise it are on, and a caller can add others', async () => {
  const running = await folders.start(dataDir, { settings: { work_mem: '7MB' } })
  const settings = await query<object>(
    running.url,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
       current_setting('full_page_writes') as full_page_writes, current_setting('work_mem') as work_mem`,
  )
  expect(settings).toEqual({ fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', work_mem: '7MB' })
  await running.stop()
})

test('a command finds the running PostgreSQL, and finds none before the first start or after a stop', async () => {
  expect(await findRunningPostgres(folders.newFolder())).toBeNull()
  const running = await folders.start(dataDir)
  expect(await findRunningPostgres(dataDir)).toEqual({ url: running.url, pid: running.pid })
  await running.stop()
  expect(await findRunningPostgres(dataDir)).toBeNull()
})

test('commands and the first start create the database together without stopping each other', async () => {
  const running = await folders.start(dataDir)
  const maintenance = running.url.replace(/[^/]+$/, 'postgres')
  for (let round = 0; round < 3; round++) {
    await query(maintenance, 'drop database nexkit with (force)')
    const found = await Promise.all(Array.from({ length: 4 }, () => findRunningPostgres(dataDir)))
    expect(found.map((one) => one?.pid)).toEqual(Array(4).fill(running.pid))
  }
  await running.stop()
})

test('the start chooses and keeps another port when another program took the previous one', async () => {
  const first = await folders.start(dataDir)
  await first.stop()
  const squatter = await listenOn(first.port)
  const second = await folders.start(dataDir)
  expect(second.port).not.toBe(first.port)
  await second.stop()
  await new Promise((resolve) => squatter.close(resolve))
  const third = await folders.start(dataDir)
  expect(third.port).toBe(second.port)
  await third.stop()
})

function listenOn(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

test('stopping cuts off statements that are under way instead of waiting for them', async () => {
  const running = await folders.start(dataDir)
  const sql = postgres(running.url, { max: 1 })
  const asleep = sql`select pg_sleep(50)`.then(
    () => 'finished',
    () => 'cut off',
  )
  const isAsleep = async () => (await query(running.url, SLEEPERS)) !== undefined
  await until(isAsleep)
  const beganMs = performance.now()
  await running.stop()
  expect(await asleep).toBe('cut off')
  expect(performance.now() - beganMs).toBeLessThan(3000)
  await sql.end({ timeout: 0 })
  expect(await isPortFree(running.port)).toBe(true)
})

const SLEEPERS = `select pid from pg_stat_activity where query like '%pg_sleep(50)' and state = 'active'`

test('data of another PostgreSQL version is refused and left untouched', async () => {
  const version = join(dataDir, 'postgres', 'cluster', 'PG_VERSION')
  writeFileSync(version, '17\n')
  const error = await rejection(folders.start(dataDir))
  expect(error.message).toContain('was made by PostgreSQL 17')
  writeFileSync(version, '18\n')
  await (await folders.start(dataDir)).stop()
})

test('a lost password file and a strange folder in our place are named, not overwritten', async () => {
  const file = join(dataDir, 'postgres', 'connection.json')
  const kept = readFileSync(file)
  for (const spoil of [() => rmSync(file), () => writeFileSync(file, '{"port":')]) {
    spoil()
    expect((await rejection(folders.start(dataDir))).message).toContain('connection.json is missing or damaged')
  }
  writeFileSync(file, kept, { mode: 0o600 })

  const strange = folders.newFolder()
  mkdirSync(join(strange, 'postgres', 'photos'), { recursive: true })
  expect((await rejection(folders.start(strange))).message).toContain('holds something else')
  expect(existsSync(join(strange, 'postgres', 'photos'))).toBe(true)
})

test('when PostgreSQL does not come up, the error ends with its last words, and the folder is free again', async () => {
  const error = await rejection(folders.start(dataDir, { settings: { shared_buffers: 'plenty' } }))
  expect(error.message).toContain('invalid value for parameter "shared_buffers"')
  await (await folders.start(dataDir)).stop()
})

test('a start without a PostgreSQL for the platform advises to set DATABASE_URL', async () => {
  const packageFolder = folders.newFolder()
  mkdirSync(packageFolder)
  const error = await rejection(folders.start(folders.newFolder(), { packageFolder }))
  expect(error.message).toContain('Set DATABASE_URL')
})

test('a log that has grown is put aside at a start', async () => {
  const logFile = join(dataDir, 'postgres', 'postgres.log')
  writeFileSync(logFile, 'x'.repeat(1_100_000))
  await (await folders.start(dataDir)).stop()
  expect(statSync(logFile).size).toBeLessThan(10_000)
  expect(statSync(`${logFile}.1`).size).toBe(1_100_000)
})
