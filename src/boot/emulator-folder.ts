import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../platform/database/database.ts'
import type { Migration } from '../platform/database/migrate.ts'
import { discardDataFolder, startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts'
import type { Log } from '../platform/telemetry/log.ts'
import { prepareSchema } from './schema.ts'

/**
 * The data folder of an emulator, which lives as long as the emulator. Creating a PostgreSQL and its schema takes seconds, so
 * the first start keeps a stopped copy, the template, in the cache folder of the user, and later starts copy that.
 *
 *   template is there    copied; PostgreSQL starts in the copy
 *   template is missing  PostgreSQL is created in the folder, gets its schema, is stopped and copied into the cache
 *
 * A template is named after all that is in it, so another version of Nexkit has another one. The folder of an emulator that was
 * killed is removed by a later start, with the PostgreSQL that still runs in it.
 */
export type EmulatorFolder = { dataDir: string; isFromTemplate: boolean; remove(): Promise<void> }

/** Nothing of it outlives the process: no write waits for a disk, and the buffers fit a small machine. */
export const EMULATOR_POSTGRES: Record<string, string> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  wal_compression: 'off',
  shared_buffers: '32MB',
  max_connections: '40',
  min_wal_size: '4MB',
  max_wal_size: '64MB',
}

const FOLDER_PREFIX = 'nexkit-emulator-'
const TEMPLATE_PREFIX = 'emulator-'
const UNFINISHED_PREFIX = 'emulator.new-'
const POSTGRES = 'postgres'

type Environment = Record<string, string | undefined>

const cacheFolderOf = ({ XDG_CACHE_HOME, LOCALAPPDATA }: Environment): string =>
  join(XDG_CACHE_HOME || LOCALAPPDATA || join(homedir(), '.cache'), 'nexkit')

type FolderOptions = { environment: Environment; migrations: Migration[]; log: Log; onProgress(sentence: string): void }

export async function createEmulatorFolder(options: FolderOptions): Promise<EmulatorFolder> {
  const dataDir = await mkdtemp(join(tmpdir(), FOLDER_PREFIX))
  // PostgreSQL of root runs as another user, who has to pass.
  if (process.geteuid?.() === 0) chmodSync(dataDir, 0o711)
  const remove = () => rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  const cache = cacheFolderOf(options.environment)
  const template = join(cache, TEMPLATE_PREFIX + templateKey(options.migrations))
  try {
    const isFromTemplate = copyTemplate(template, join(dataDir, POSTGRES))
    if (isFromTemplate) await utimes(template, new Date(), new Date()).catch(() => {})
    else await createTemplate(options, { dataDir, cache, template })
    return { dataDir, isFromTemplate, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

function templateKey(migrations: readonly Migration[]): string {
  const parts = [process.platform, process.arch, process.geteuid?.(), JSON.stringify(EMULATOR_POSTGRES)]
  const contents = [...parts, ...migrations.map(({ checksum }) => checksum)]
  return createHash('sha256').update(contents.join('\n')).digest('hex').slice(0, 16)
}

/** False when there is no template. One that cannot be read is none. */
function copyTemplate(template: string, to: string): boolean {
  if (!existsSync(template)) return false
  try {
    copyTree(template, to)
    return true
  } catch {
    return false
  }
}

/** With modes and owners: PostgreSQL of root runs as another user. The program of the system takes a tenth of the time of a loop here. */
function copyTree(from: string, to: string): void {
  if (process.platform === 'win32') cpSync(from, to, { recursive: true, preserveTimestamps: true })
  else execFileSync('cp', ['-pR', from, to], { stdio: 'pipe' })
}

type Places = { dataDir: string; cache: string; template: string }

/** Without a cache folder that can be written to, every start takes as long as the first. */
async function createTemplate({ migrations, log, onProgress }: FolderOptions, places: Places): Promise<void> {
  const { dataDir, cache, template } = places
  onProgress('Preparing the database. The next start is faster.')
  await rm(join(dataDir, POSTGRES), { recursive: true, force: true })
  const postgres = await startEmbeddedPostgres({ dataDir, log, settings: EMULATOR_POSTGRES, walSegmentMegabytes: 1 })
  const database = openDatabase({ url: postgres.url, connectionsMax: 4 })
  try {
    await prepareSchema(database, migrations)
  } finally {
    await database.close()
    await postgres.stop()
  }
  const unfinished = join(cache, UNFINISHED_PREFIX + randomBytes(6).toString('hex'))
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 })
    copyTree(join(dataDir, POSTGRES), unfinished)
    await rename(unfinished, template)
  } catch (error) {
    log.debug({ err: error, template }, 'the template of the emulator could not be kept')
    await rm(unfinished, { recursive: true, force: true })
  }
}

const LEFT_BEHIND_MS = 60_000
const TEMPLATE_KEPT_MS = 14 * 24 * 3600_000

/** Removes what killed emulators left behind, and templates that were not used for two weeks. */
export async function sweepEmulatorFolders(environment: Environment): Promise<void> {
  const cache = cacheFolderOf(environment)
  for (const folder of await listOlder(tmpdir(), [FOLDER_PREFIX], LEFT_BEHIND_MS)) await discardDataFolder(folder)
  for (const template of await listOlder(cache, [TEMPLATE_PREFIX, UNFINISHED_PREFIX], TEMPLATE_KEPT_MS))
    await rm(template, { recursive: true, force: true })
}

async function listOlder(folder: string, prefixes: readonly string[], ageMs: number): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const found: string[] = []
  for (const name of names.filter((each) => prefixes.some((prefix) => each.startsWith(prefix)))) {
    const facts = await stat(join(folder, name)).catch(() => null)
    if (facts !== null && facts.mtimeMs < Date.now() - ageMs) found.push(join(folder, name))
  }
  return found
}
