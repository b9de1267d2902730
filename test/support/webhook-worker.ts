import { webhookSecretBox } from '../../src/boot/settings.ts'
import { createFollowers } from '../../src/events/followers.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newId } from '../../src/kernel/ids.ts'
import { ensurePartitions } from '../../src/platform/database/daily-partitions.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { lateHandOver } from '../../src/platform/outbox/grants.ts'
import { createOutbox, type Outbox, type OutboxOptions } from '../../src/platform/outbox/outbox.ts'
import type { Log } from '../../src/platform/telemetry/log.ts'
import { createWebhooks, deliveryTables, type Webhooks } from '../../src/webhooks/webhooks.ts'
import { loopbackEgress } from './egress.ts'
import { quietLog } from './log.ts'
import { noCloudApi } from './no-cloud-api.ts'
import { TEST_SECRET_KEY } from './secret-key.ts'

/** All that sends webhooks, without the API in front of it: fan-out, outbox and jobs, allowed to reach loopback. */
export type WebhookWorker = { webhooks: Webhooks; outbox: Outbox; start(): Promise<void>; stop(): Promise<void> }

export type WebhookWorkerOptions = Pick<OutboxOptions, 'pace' | 'caps'> & {
  database: Database
  secretKey?: string
  log?: Log
}

export function createWebhookWorker(options: WebhookWorkerOptions): WebhookWorker {
  const { database, secretKey = TEST_SECRET_KEY, log = quietLog, pace, caps } = options
  const [clock, processId, secretBox] = [systemClock, newId('prc'), webhookSecretBox(secretKey)]
  const webhooks = createWebhooks({
    database,
    clock,
    log,
    secretBox,
    processId,
    egress: loopbackEgress,
    userAgent: 'Nexkit/test',
    eventsPath: '/api/public/v1/events',
    cloudApi: noCloudApi,
    wake: (orgIds) => outbox.wake(orgIds),
    handOver: lateHandOver(processId, () => outbox),
  })
  const outbox: Outbox = createOutbox({
    database,
    jobs: webhooks.jobs,
    clock,
    log,
    processId,
    ...(pace && { pace }),
    ...(caps && { caps }),
  })
  const followers = createFollowers({ database, clock, log, follower: webhooks.follower })
  const parts = [webhooks, outbox, followers]
  return {
    webhooks,
    outbox,
    async start() {
      for (const part of parts) await part.start()
    },
    async stop() {
      for (const part of parts.toReversed()) await part.stop()
    },
  }
}

/** The days that webhooks write to. */
export async function prepareWebhookTables(database: Database): Promise<void> {
  const tables = [{ table: 'events', idPrefix: 'evt' as const, retentionDays: 30 }, ...deliveryTables]
  for (const table of tables) await ensurePartitions(database, table, systemClock.now())
}
