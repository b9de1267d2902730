import { join } from 'node:path'
import { createApiKey } from '../src/accounts/keys/api-keys.ts'
import { createOrganization } from '../src/accounts/organizations/organizations.ts'
import { accountsContext } from '../src/boot/contexts.ts'
import { partitionedTables } from '../src/boot/schema.ts'
import { channelTables, createChannels } from '../src/channels/channels.ts'
import { createNumber } from '../src/channels/numbers/numbers.ts'
import { systemClock } from '../src/kernel/clock.ts'
import type { Id, OrgId } from '../src/kernel/ids.ts'
import { allScopes } from '../src/kernel/scopes.ts'
import { ensurePartitions } from '../src/platform/database/daily-partitions.ts'
import { type Database, openDatabase } from '../src/platform/database/database.ts'
import { migrate, readMigrations } from '../src/platform/database/migrate.ts'
import { createSecretBox, deriveKey } from '../src/platform/database/secret-box.ts'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import type { Storage } from '../src/platform/storage/storage.ts'
import { createLog } from '../src/platform/telemetry/log.ts'
import { loopbackEgress } from '../test/support/egress.ts'
import { createScriptedChannel } from '../test/support/scripted-channel.ts'
import { slowFlushes } from './disk.ts'
import { findFreePort } from './nexkit-server.ts'
import type { Bench } from './question.ts'

/** What the questions about messages share: a PostgreSQL that waits for the disk, and a shop with a number and a key. */
export type MessagingBench = {
  url: string
  database: Database
  orgId: OrgId
  numberId: Id<'num'>
  headers: Record<string, string>
}

const SECRET = 'a secret of the bench'

export async function openMessagingBench(bench: Bench): Promise<MessagingBench> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(bench.folder, 'data'), log: createLog('error') })
  bench.defer(() => postgres.stop())
  const database = openDatabase({ url: postgres.url })
  bench.defer(() => database.close())
  await slowFlushes(database, bench.flushMs)
  await migrate(database, await readMigrations(join(import.meta.dir, '..', 'migrations')))
  await preparePartitions(database)
  const organization = await createOrganization(database, systemClock, { name: 'Bench', slug: 'bench' })
  const orgId = organization.id
  const key = { name: 'bench', scopes: allScopes, createdBy: 'bench', rateLimit: 'none' as const }
  const { token } = await createApiKey(accountsContext(database, systemClock), orgId, key)
  const numberId = await addNumber(database, orgId)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return { url: postgres.url, database, orgId, numberId, headers }
}

async function preparePartitions(database: Database): Promise<void> {
  const tables = new Map(
    [...partitionedTables({ requestLogRetentionDays: 1 }), ...channelTables].map((one) => [one.table, one]),
  )
  for (const table of tables.values()) await ensurePartitions(database, table, systemClock.now())
}

export const benchChannels = (database: Database, wake: (orgIds: readonly OrgId[]) => void = () => {}) =>
  createChannels({
    database,
    clock: systemClock,
    log: createLog('error'),
    secretBox: createSecretBox(deriveKey(SECRET, 'numbers')),
    storage: {} as Storage,
    connectors: [createScriptedChannel()],
    egress: loopbackEgress,
    publicUrl: 'http://127.0.0.1',
    wake,
  })

export async function addNumber(database: Database, orgId: OrgId): Promise<Id<'num'>> {
  const { context } = benchChannels(database)
  const input = {
    connector: 'scripted',
    phone_number_id: '100200300',
    display_phone: '+62 21 5000 1000',
    credentials: {},
    settings: {},
  }
  return (await database.transaction((tx) => createNumber(context, tx, orgId, input))).number.id
}

export type BenchServer = { origin: string; pid: number }

/** A script of this folder as a process of its own, which says when it is ready. */
export async function startBenchServer(
  bench: Bench,
  url: string,
  script: 'messaging-server.ts' | 'bare-sender.ts' | 'bare-seller.ts',
): Promise<BenchServer> {
  const port = await findFreePort()
  const child = Bun.spawn([process.execPath, join(import.meta.dir, script)], {
    env: { ...process.env, BENCH_DATABASE_URL: url, PORT: String(port) },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  bench.defer(() => {
    child.kill('SIGTERM')
    return child.exited
  })
  const first = await child.stdout.getReader().read()
  if (first.done) throw new Error('the server of the bench did not start')
  return { origin: `http://127.0.0.1:${port}`, pid: child.pid }
}

export const phoneOf = (nth: number) => `+62812${10_000_000 + nth}`
