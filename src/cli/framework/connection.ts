import { prepareSchema } from '../../boot/schema.ts'
import { type Config, readConfig } from '../../config.ts'
import { StartError } from '../../kernel/start-error.ts'
import { MIGRATIONS_FOLDER } from '../../main.ts'
import { type Database, openDatabase } from '../../platform/database/database.ts'
import { readMigrations } from '../../platform/database/migrate.ts'
import {
  findRunningPostgres,
  lockDataFolder,
  startEmbeddedPostgres,
} from '../../platform/embedded-postgres/embedded-postgres.ts'
import { createLog } from '../../platform/telemetry/log.ts'

/**
 * The database for a command: DATABASE_URL, else the PostgreSQL of the server that is running on this data folder, else
 * the embedded one started just for this command and stopped after it.
 */
export async function withDatabase<Result>(
  work: (database: Database, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(process.env)
  const source = await findSource(config)
  const database = openDatabase({
    url: source.url,
    connectionsMax: 2,
    applicationName: 'nexkit cli',
    connectTimeoutSeconds: 5,
  })
  try {
    await prepareSchema(database, await readMigrations(MIGRATIONS_FOLDER)).catch(explainUnreachable)
    return await work(database, config)
  } finally {
    await database.close()
    await source.close()
  }
}

async function findSource(config: Config): Promise<{ url: string; close(): Promise<void> }> {
  const nothing = async () => {}
  if (config.databaseUrl !== null) return { url: config.databaseUrl, close: nothing }
  const running = await findRunningPostgres(config.dataDir)
  if (running !== null) return { url: running.url, close: nothing }
  const lock = await lockDataFolder(config.dataDir)
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

function explainUnreachable(error: unknown): never {
  if (error instanceof StartError) throw error
  throw new StartError(
    `The database cannot be used: ${(error as Error).message}. Run "npx nexkit doctor" to find out more.`,
  )
}
