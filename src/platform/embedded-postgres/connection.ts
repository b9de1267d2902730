import { randomInt } from 'node:crypto'
import { chmod, open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { StartError } from '../../kernel/errors.ts'
import { openDatabase } from '../database/database.ts'
import { databaseCode } from '../database/database-errors.ts'
import { isMissing } from './data-folder-errors.ts'
import { giveToFolderOwner } from './folder-lock.ts'

/** How to reach the folder's PostgreSQL: kept beside the cluster, readable by its owner alone. */
export type Connection = {
  /** Zero until the first start has chosen one. */
  port: number
  password: string
  /** The command the running server was started with. Another one after an upgrade means: restart it. */
  startedWith: string
}

export const USER = 'nexkit'
const DATABASE = 'nexkit'
const MAINTENANCE_DATABASE = 'postgres'
const CONNECTION_FILE = 'connection.json'

export const connectionUrl = ({ port, password }: Connection, database = DATABASE) =>
  `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`

const connectionFile = (home: string) => join(home, CONNECTION_FILE)

/** Null when the folder holds no PostgreSQL yet. */
export async function readConnection(home: string): Promise<Connection | null> {
  try {
    return JSON.parse(await readFile(connectionFile(home), 'utf8'))
  } catch (error) {
    if (isMissing(error)) return null
    if (error instanceof SyntaxError) throw connectionLost(home)
    throw error
  }
}

export const connectionLost = (home: string) =>
  new StartError(
    `${connectionFile(home)} is missing or damaged, and with it the database password. Restore it from a backup, ` +
      `or move ${home} away to begin with an empty database.`,
  )

/** On disk under its final name only when it is whole: a crash in between leaves the former one. */
export async function writeConnection(home: string, dataDir: string, connection: Connection): Promise<void> {
  const path = connectionFile(home)
  await rm(`${path}.new`, { force: true })
  const file = await open(`${path}.new`, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(connection)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await chmod(`${path}.new`, 0o600)
  await giveToFolderOwner(`${path}.new`, dataDir)
  await rename(`${path}.new`, path)
}

/** Below the numbers that systems hand out for outgoing connections, so that the port is likely free at the next start. */
const PORT_MIN = 15_000
const PORT_MAX = 29_999

export async function chooseFreePort(remembered: number): Promise<number> {
  const candidates = [remembered, ...Array.from({ length: 50 }, () => randomInt(PORT_MIN, PORT_MAX + 1))]
  for (const port of candidates) if (port > 0 && (await isPortFree(port))) return port
  throw new StartError('No free port was found on 127.0.0.1. End what is using them, or set DATABASE_URL.')
}

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

/**
 * Returns true when this cluster answers there with our password; the folder that it reports distinguishes it from another
 * server on that port. Creates our database when it is missing, as at the first start, or when that was interrupted.
 */
export async function prepareDatabase(connection: Connection, cluster: string, timeoutMs: number): Promise<boolean> {
  const database = openDatabase({
    url: connectionUrl(connection, MAINTENANCE_DATABASE),
    connectionsMax: 1,
    connectTimeoutSeconds: timeoutMs / 1000,
  })
  try {
    return await withinTime(timeoutMs, async () => {
      const found = await database.one<{ folder: string; is_made: boolean }>`
        select current_setting('data_directory') as folder,
          exists (select from pg_database where datname = ${DATABASE}) as is_made`
      if ((await realpath(found.folder)) !== cluster) return false
      if (!found.is_made) await database.script(`create database ${DATABASE}`).catch(unlessMade)
      return true
    })
  } finally {
    // Not waited for: a server that hangs would hold this up as well.
    void database.close().catch(() => {})
  }
}

/** A start and a command may create the database at the same time; one of them finds that it exists. */
function unlessMade(error: unknown): void {
  if (!['42P04', '23505'].includes(databaseCode(error) ?? '')) throw error
}

async function withinTime<Result>(timeoutMs: number, work: () => Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    return await Promise.race([work(), expiry])
  } finally {
    clearTimeout(timer)
  }
}
