import { StartError } from '../../src/kernel/errors.ts'
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import type { Log } from '../../src/platform/telemetry/log.ts'

/**
 * A server that does nothing but run PostgreSQL, for tests that kill servers: `postgres-server.ts <folder> [<package>]`.
 * It writes one JSON line to its output when PostgreSQL runs, or one with the error, and stops it at SIGTERM.
 */
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const ignore = () => {}
const log: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }

try {
  const [dataDir = '', packageFolder] = process.argv.slice(2)
  const postgres = await startEmbeddedPostgres({ dataDir, log, ...(packageFolder && { packageFolder }) })
  const { url, pid, port, adopted } = postgres
  process.on('SIGTERM', async () => {
    await postgres.stop()
    process.exit(0)
  })
  setInterval(ignore, 60_000)
  say({ url, pid, port, adopted })
} catch (error) {
  say({ error: error instanceof StartError ? error.message : String((error as Error).stack) })
  process.exit(1)
}
