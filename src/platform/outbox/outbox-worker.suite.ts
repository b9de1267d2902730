import { systemClock } from '../../kernel/clock.ts'
import { openDatabase } from '../database/database.ts'
import { defineJob } from './job.ts'
import { createOutbox } from './outbox.ts'

/** A worker as a separate process, to be killed: `outbox-worker.suite.ts <database url> <process id>`. */
const [, , url = '', processId = ''] = process.argv
const database = openDatabase({ url, connectionsMax: 4 })
await database.lookForShards()
const silent = () => {}

const job = defineJob({
  name: 'test.work',
  retry: { delaysMs: [100, 100, 100, 100, 100], jitter: 0 },
  leaseMs: 1_200,
  run: async (entry) => {
    await database.run`insert into arrivals (entry_id, attempt, process_id) values (${entry.id}, ${entry.attempt}, ${processId})`
    await new Promise((resolve) => setTimeout(resolve, 10))
    return { kind: 'done' }
  },
  record: async (tx, results) => {
    await tx.run`insert into ledger (entry_id, lease_number, disposition)
      select * from unnest(${results.map((result) => result.entry.id)}::text[],
        ${results.map((result) => result.entry.leaseNumber)}::int[], ${results.map((result) => result.disposition)}::text[])`
  },
})

await createOutbox({
  database,
  jobs: [job],
  clock: systemClock,
  log: { debug: silent, info: silent, warn: silent, error: silent },
  processId,
  caps: { inFlightMax: 16 },
  pace: { reapEveryMs: 100, scoutEveryMs: 100 },
}).start()
