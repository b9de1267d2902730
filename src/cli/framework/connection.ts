import { setTimeout as pause } from 'node:timers/promises'
import {
  getOrganizationBySlug,
  listOrganizations,
  type Organization,
} from '../../accounts/organizations/organizations.ts'
import { prepareSchema } from '../../boot/schema.ts'
import { type Config, readConfig } from '../../config.ts'
import { messageOf, StartError } from '../../kernel/errors.ts'
import { MIGRATIONS_FOLDER, publicUrlOf } from '../../main.ts'
import { listLiveProcesses } from '../../platform/cluster/live-processes.sql.ts'
import { type Database, openDatabase } from '../../platform/database/database.ts'
import { readMigrations } from '../../platform/database/migrate.ts'
import {
  findRunningPostgres,
  lockDataFolder,
  startEmbeddedPostgres,
} from '../../platform/embedded-postgres/embedded-postgres.ts'
import { createLog } from '../../platform/telemetry/log.ts'
import { type CommandValues, UsageError } from './command.ts'
import { printNote } from './output.ts'

/**
 * The database for a command: DATABASE_URL, else the PostgreSQL of the server that is running on this data folder, else
 * the embedded one started just for this command and stopped after it.
 */
export async function withDatabase<Result>(
  work: (database: Database, config: Config) => Promise<Result>,
): Promise<Result> {
  return withUnpreparedDatabase(async (database, config) => {
    await prepareSchema(database, await readMigrations(MIGRATIONS_FOLDER)).catch(explainUnreachable)
    return work(database, config)
  })
}

/** As it is found: its schema is not touched. `isAlone` refuses a data folder that a server uses. */
export async function withUnpreparedDatabase<Result>(
  work: (database: Database, config: Config) => Promise<Result>,
  { isAlone = false }: { isAlone?: boolean } = {},
): Promise<Result> {
  const config = readConfig(process.env)
  const source = await findSource(config, isAlone)
  const database = openCommandDatabase(source.url)
  try {
    await database.findPrimary()
    await database.lookForShards().catch(explainUnreachable)
    return await work(database, config)
  } finally {
    await database.close()
    await source.close()
  }
}

export const openCommandDatabase = (url: string): Database =>
  openDatabase({ url, connectionsMax: 2, applicationName: 'nexkit cli', connectTimeoutSeconds: 5 })

async function findSource(config: Config, isAlone: boolean): Promise<{ url: string; close(): Promise<void> }> {
  const nothing = async () => {}
  if (config.databaseUrl !== null) return { url: config.databaseUrl, close: nothing }
  const running = isAlone ? null : await findRunningPostgres(config.dataDir)
  if (running !== null) return { url: running.url, close: nothing }
  const lock = await lockDataFolder(config.dataDir).catch(async (inUse) => {
    const late = isAlone ? null : await waitForPostgres(config.dataDir)
    if (late === null) throw inUse
    return late
  })
  if ('url' in lock) return { url: lock.url, close: nothing }
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log: createLog('warn') })
    return {
      url: postgres.url,
      async close() {
        await postgres.stop()
        await lock.release()
      },
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

const POSTGRES_WAIT_MS = 15_000
const LOOK_MS = 250

/** A server uses the folder: it is starting, or a busy machine keeps its PostgreSQL from answering at once. */
async function waitForPostgres(dataDir: string): Promise<{ url: string } | null> {
  printNote('Waiting for PostgreSQL of the running server.')
  const untilMs = performance.now() + POSTGRES_WAIT_MS
  for (;;) {
    const running = await findRunningPostgres(dataDir)
    if (running !== null || performance.now() >= untilMs) return running
    await pause(LOOK_MS)
  }
}

export function explainUnreachable(error: unknown): never {
  if (error instanceof StartError) throw error
  throw new StartError(`The database cannot be used: ${messageOf(error)}. Run "npx nexkit doctor" to find the cause.`)
}

/** For commands of a developer on a local machine: the organization need not be named when only one is live. */
export async function chooseOrganization(database: Database, slug: CommandValues[string]): Promise<Organization> {
  if (slug !== undefined) return getOrganizationBySlug(database, String(slug))
  const all = await listOrganizations(database)
  const [only, ...others] = all.filter(({ sandbox_of }) => sandbox_of === null)
  if (only === undefined)
    throw new StartError('There are no organizations yet. Create one with: npx nexkit org create --name "Toko Budi"')
  if (others.length === 0) return only
  const slugs = all.map((organization) => organization.slug).slice(0, 10)
  throw new UsageError(`There are several organizations. Choose one with --org ${slugs.join(' | ')}`)
}

/**
 * The public address of the server, for the output of a command: from the setting of this command, else from the running
 * server (the last one started if there are several), else as a server started from here would have it.
 */
export async function findPublicUrl(database: Database, config: Config): Promise<string> {
  if (config.publicUrl !== null) return config.publicUrl
  const live = await listLiveProcesses(database)
  const serving = live.findLast(({ role, publicUrl }) => role !== 'worker' && publicUrl !== null)
  return serving?.publicUrl ?? publicUrlOf(config)
}

/** Networks and providers call by https only, so an address without https is not the public one. */
export const adviseOn = (webhookUrl: string): string[] =>
  webhookUrl.startsWith('https://')
    ? []
    : [
        'This address cannot be reached from the internet. Start the server with NEXKIT_PUBLIC_URL set to your https address; "show" then prints the new one.',
      ]
