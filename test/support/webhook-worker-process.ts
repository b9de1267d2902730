import { openDatabase } from '../../src/platform/database/database.ts'
import { createWebhookWorker } from './webhook-worker.ts'

/**
 * A webhook worker as a separate process, to be killed: `webhook-worker-process.ts <database url>`. It prints a line
 * when it runs.
 */
export const WORKER_NAME = 'nexkit webhook worker'

if (import.meta.main) {
  const database = openDatabase({ url: process.argv[2] as string, applicationName: WORKER_NAME, connectionsMax: 6 })
  await database.lookForShards()
  // Leases that ran out are looked for often, so that a test need not wait for the usual ten seconds.
  const worker = createWebhookWorker({ database, pace: { reapEveryMs: 200, drainMs: 2_000 } })
  await worker.start()
  process.on('SIGTERM', () => void worker.stop().then(() => process.exit(0)))
  process.stdout.write('ready\n')
}
