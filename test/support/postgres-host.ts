import { rm } from 'node:fs/promises'
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import { isAlive } from '../../src/platform/embedded-postgres/processes.ts'
import { quietLog } from './data-folders.ts'

/**
 * Runs a throw-away PostgreSQL for as long as another process lives: `postgres-host.ts <folder> <process id>`. It
 * writes one JSON line when PostgreSQL runs, or one with the error, and nothing after it, because the reader may be
 * gone.
 */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  // For the test of what an operation costs.
  shared_preload_libraries: 'pg_stat_statements',
}
const LOOK_MS = 100

const [dataDir = '', pid = ''] = process.argv.slice(2)

async function runPostgres(): Promise<void> {
  const postgres = await startEmbeddedPostgres({ dataDir, log: quietLog, settings: SETTINGS })
  process.stdout.write(`${JSON.stringify({ url: postgres.url })}\n`)
  while (isAlive(Number(pid))) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  process.kill(postgres.pid, 'SIGQUIT')
  await postgres.stop()
}

try {
  await runPostgres()
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: String(error) })}\n`)
} finally {
  await rm(dataDir, { recursive: true, force: true })
  process.exit()
}
