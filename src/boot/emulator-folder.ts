import { chmodSync, statfsSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  discardDataFolder,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../platform/embedded-postgres/embedded-postgres.ts'
import type { Log } from '../platform/telemetry/log.ts'

/**
 * The data folder of an emulator and the PostgreSQL in it. Both live as long as the emulator; the folder of one that was killed
 * is removed by a later start, with the PostgreSQL that still runs in it.
 *
 * This file imports little, because an emulator loads it first: the processes of PostgreSQL create its files while the rest of
 * the program is loaded.
 */
export type EmulatorFolder = { dataDir: string; postgres: Promise<EmbeddedPostgres>; remove(): Promise<void> }

/** Nothing of it outlives the process: no write waits for a disk, and the buffers fit a small machine. */
const SETTINGS: Record<string, string> = {
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
const MEMORY = '/dev/shm'
const MEMORY_BYTES_MIN = 1024 ** 3

type Environment = Record<string, string | undefined>

export async function openEmulatorFolder(environment: Environment, log: Log): Promise<EmulatorFolder> {
  const dataDir = await mkdtemp(join(choosePlace(environment), FOLDER_PREFIX))
  // PostgreSQL of root runs as another user, who has to pass.
  if (process.geteuid?.() === 0) chmodSync(dataDir, 0o711)
  const creating = Promise.withResolvers<unknown>()
  const options = { dataDir, log, settings: SETTINGS, walSegmentMegabytes: 1 }
  const postgres = startEmbeddedPostgres({ ...options, onProgress: creating.resolve })
  // The caller continues when the first of those processes runs. A failure is reported where PostgreSQL is waited for.
  postgres.catch(creating.resolve)
  await creating.promise
  const remove = async () => {
    await postgres.then((running) => running.stop()).catch(() => {})
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
  return { dataDir, postgres, remove }
}

/**
 * In memory where there is plenty: a file system on a disk takes several times as long to create the thousand files of a
 * PostgreSQL. Containers often have 64 MB there, which is too little. A TMPDIR that was set is used in any case.
 */
function choosePlace({ TMPDIR }: Environment): string {
  if (TMPDIR || process.platform !== 'linux') return tmpdir()
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    const isRoomy = Math.min(bavail * bsize, process.availableMemory()) >= MEMORY_BYTES_MIN
    return isRoomy ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}

const LEFT_BEHIND_MS = 60_000

/** Removes what killed emulators left behind. */
export async function sweepEmulatorFolders(): Promise<void> {
  for (const place of [MEMORY, tmpdir()]) for (const folder of await listOlder(place)) await discardDataFolder(folder)
}

async function listOlder(place: string): Promise<string[]> {
  const names = await readdir(place).catch(() => [])
  const found: string[] = []
  for (const name of names.filter((each) => each.startsWith(FOLDER_PREFIX))) {
    const facts = await stat(join(place, name)).catch(() => null)
    if (facts !== null && facts.mtimeMs < Date.now() - LEFT_BEHIND_MS) found.push(join(place, name))
  }
  return found
}
