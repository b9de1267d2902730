import { join } from 'node:path'
import '../src/events/account.events.ts'
import { createOrganization } from '../src/accounts/organizations/organizations.ts'
import { type EventType, findEventType } from '../src/events/event-catalogue.ts'
import { recordEvents } from '../src/events/recording.ts'
import { systemClock } from '../src/kernel/clock.ts'
import type { OrgId } from '../src/kernel/ids.ts'
import { type Database, openDatabase } from '../src/platform/database/database.ts'
import { migrate, readMigrations } from '../src/platform/database/migrate.ts'
import { createTableStatistics } from '../src/platform/database/table-statistics.ts'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import { createLog } from '../src/platform/telemetry/log.ts'
import { NewWebhookEndpoint } from '../src/webhooks/endpoints/endpoints.schemas.ts'
import { createEndpoint } from '../src/webhooks/management/endpoint-settings.ts'
import { createWebhookWorker, prepareWebhookTables } from '../test/support/webhook-worker.ts'
import type { Bench } from './question.ts'
import { startWebhookSink, type WebhookSink } from './webhook-sink.ts'

/** What the questions about webhooks share: a PostgreSQL, the whole sending side in this process, and a sink beside it. */
export type WebhookBench = {
  database: Database
  sink: WebhookSink
  /** A new organization with one endpoint for each path of the sink. */
  addOrganization(paths: readonly string[]): Promise<OrgId>
  /** All in one transaction. */
  record(orgId: OrgId, events: number): Promise<string[]>
  /** Until all that was sent is recorded and nothing is pending; not for endpoints that hang. */
  settled(): Promise<void>
}

const SETTLED_POLL_MS = 10
const SETTLED_POLLS_MAX = 1_000

export async function openWebhookBench(bench: Bench): Promise<WebhookBench> {
  const sink = await startWebhookSink()
  bench.defer(() => sink.stop())
  const database = await openOwnDatabase(bench)
  const worker = createWebhookWorker({ database, log: createLog('error'), pace: { drainMs: 100 } })
  await worker.start()
  bench.defer(() => worker.stop())
  const statistics = createTableStatistics({ database, log: createLog('error') })
  await statistics.start()
  bench.defer(() => statistics.stop())
  const type = findEventType('key.created') as EventType
  return {
    database,
    sink,
    async addOrganization(paths) {
      const name = `Bench ${performance.now()}`
      const organization = await createOrganization(database, systemClock, { name, slug: slugOf(name) })
      for (const path of paths) {
        const input = NewWebhookEndpoint.parse({ url: sink.origin + path, timeout_ms: 5_000 })
        await database.transaction((tx) => createEndpoint(worker.webhooks.context, tx, organization.id, input))
      }
      return organization.id
    },
    async record(orgId, events) {
      const made = Array.from({ length: events }, () => ({ type, subject: 'key_bench', data: type.example }))
      const recorded = await database.transaction((tx) => recordEvents(tx, orgId, made, systemClock.now()))
      return recorded.map((event) => event.id)
    },
    async settled() {
      for (let poll = 0; poll < SETTLED_POLLS_MAX; poll++) {
        const { count } = await database.one<{ count: number }>`select count(*)::int as count from outbox_entries`
        if (count === 0) return
        await Bun.sleep(SETTLED_POLL_MS)
      }
      throw new Error('the outbox did not come to rest')
    },
  }
}

const slugOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

async function openOwnDatabase(bench: Bench): Promise<Database> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(bench.folder, 'data'), log: createLog('error') })
  bench.defer(() => postgres.stop())
  const database = openDatabase({ url: postgres.url })
  bench.defer(() => database.close())
  await migrate(database, await readMigrations(join(import.meta.dir, '..', 'migrations')))
  await prepareWebhookTables(database)
  return database
}
