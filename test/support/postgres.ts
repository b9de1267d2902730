import { spawn } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findRunningPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import { isAlive } from '../../src/platform/embedded-postgres/processes.ts'
import { citusUrl } from './cluster.ts'

/**
 * One throw-away PostgreSQL per test process, started when first asked for. Its data may be lost at any moment, so it
 * skips all waiting for the disk; tests about crashes and durability start their own.
 *
 * The test runner gives no sign before it exits, and with --parallel or --isolate it gives every file new modules and
 * ends the child processes of the file before. So PostgreSQL is run by a process that is no child of ours and ends with
 * us, and the folder's name carries our process id, by which a later file finds it.
 */
const FOLDER_PREFIX = 'nexkit-test-'

/**
 * In memory where there is plenty: each test file creates a database of 700 files and removes it again, and a disk's file system
 * spends more on finding room for them than PostgreSQL on everything else. Containers often have 64 MB there, which is too little.
 */
const MEMORY = '/dev/shm'
const MEMORY_BYTES_MIN = 2 * 1024 ** 3
export const TEST_POSTGRES_PLACES = [MEMORY, tmpdir()]

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= MEMORY_BYTES_MIN
  } catch {
    return false
  }
}

let url: Promise<string> | null = null

export function testPostgresUrl(): Promise<string> {
  url ??= openTestPostgres()
  return url
}

async function openTestPostgres(): Promise<string> {
  const given = citusUrl() ?? process.env.NEXKIT_TEST_DATABASE_URL
  if (given !== undefined && given !== '') return given
  for (const place of TEST_POSTGRES_PLACES) {
    const running = await findRunningPostgres(folderIn(place))
    if (running !== null) return running.url
  }
  for (const place of TEST_POSTGRES_PLACES) await removeAbandoned(place)
  return startHost(folderIn(hasRoomInMemory() ? MEMORY : tmpdir()))
}

const folderIn = (place: string) => join(place, `${FOLDER_PREFIX}${process.pid}`)

/** The shell ends at once, which detaches the host process; the host inherits its output, and answers there. */
async function startHost(dataDir: string): Promise<string> {
  const host = [process.execPath, join(import.meta.dirname, 'postgres-host.ts'), dataDir, String(process.pid)]
  const args = ['-c', '"$@" &', 'host', ...host]
  const shell = spawn('sh', args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: shell.stdout })) {
    shell.stdout.destroy()
    const answer = JSON.parse(line) as { url: string; error?: string }
    if (answer.error === undefined) return answer.url
    throw new Error(`the PostgreSQL for tests did not start: ${answer.error}`)
  }
  throw new Error('the PostgreSQL for tests ended without a word')
}

/** Left when a whole run, hosts included, was killed. */
async function removeAbandoned(place: string): Promise<void> {
  const names = (await readdir(place).catch(() => [])).filter((name) => name.startsWith(FOLDER_PREFIX))
  const abandoned = names.filter((name) => !isAlive(Number(name.slice(FOLDER_PREFIX.length))))
  for (const name of abandoned) await removeServer(join(place, name))
}

/** A host may remove it at the same time; the second to come finds nothing. */
async function removeServer(dataDir: string): Promise<void> {
  try {
    const running = await findRunningPostgres(dataDir)
    if (running !== null) process.kill(running.pid, 'SIGQUIT')
    await rm(dataDir, { recursive: true, force: true })
  } catch {
    // It belongs to another user, or is being removed.
  }
}
