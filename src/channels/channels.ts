import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { PartitionedTable } from '../platform/database/daily-partitions.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { SecretBox } from '../platform/database/secret-box.ts'
import type { HookReceiver } from '../platform/http/hook-receiver.ts'
import type { Egress } from '../platform/outbound-http/egress.ts'
import { type HandOver, NO_HAND_OVER } from '../platform/outbox/grants.ts'
import type { Job } from '../platform/outbox/job.ts'
import type { Storage } from '../platform/storage/storage.ts'
import type { Log } from '../platform/telemetry/log.ts'
import type { Metric } from '../platform/telemetry/metrics.ts'
import type { ChannelConnector } from './channel-connector.ts'
import { createChannelMetrics } from './channel-metrics.ts'
import { type ChannelsContext, type ConnectorMap, connectorMap, type OnNumberPaused } from './channels-context.ts'
import {
  appendToJournal,
  createHookReception,
  createJournalWriter,
  type HookReception,
  journalTable,
} from './journal/journal.ts'
import { createDownloadJob } from './media/media.jobs.ts'
import type { MediaContext } from './media/media-files.ts'
import { createNumberHealth, type NumberHealth } from './numbers/number-health.ts'
import { createOpenedNumbers, type OpenedNumbers } from './numbers/opened-numbers.ts'
import { createTemplateDirectory, type TemplateDirectory } from './templates/templates.ts'

/**
 * Channels as one piece for the wiring: the connected numbers, their files, and the journal of inbound hooks.
 *
 *   out   messaging ── numbers.open ──▶ connector.send, with files by uploadToProvider
 *   in    hook ──▶ receiveHook ──▶ journal + outbox entry `messages.apply` ──▶ 200; messaging applies it
 */
export type ChannelsOptions = {
  database: Database
  clock: Clock
  log: Log
  secretBox: SecretBox
  storage: Storage
  connectors: readonly ChannelConnector[]
  egress: Egress
  publicUrl: string
  /** Tells the outbox of lanes with new work, after the commit. */
  wake: (orgIds: readonly OrgId[]) => void
  /** For batches that this process journals and may apply itself. */
  handOver?: HandOver
  onNumberPaused?: OnNumberPaused
}

export type Channels = {
  /** For createNumber and the other operations of numbers.ts. */
  context: ChannelsContext
  /** For storeMedia and the other operations of media.ts. */
  media: MediaContext
  connectors: ConnectorMap
  numbers: OpenedNumbers
  /** What the templates of a number ask for, as far as it is known. */
  templates: TemplateDirectory
  health: NumberHealth
  receiveHook: HookReception
  /** What networks post to, by connector. */
  hooks: HookReceiver[]
  /** As if the network had posted it: journaled and applied in the same way. Rings after the commit. */
  appendToJournal(tx: Tx, number: { orgId: OrgId; id: string }, body: Uint8Array): Promise<void>
  jobs: Job[]
  /** For /metrics. */
  metrics(): Metric[]
  start(): Promise<void>
  stop(): Promise<void>
}

export const channelTables: PartitionedTable[] = [journalTable]

export function createChannels(options: ChannelsOptions): Channels {
  const { database, clock, log, secretBox, storage, egress, publicUrl, wake } = options
  const connectors = connectorMap(options.connectors)
  const media = { database, clock, storage }
  const numbers = createOpenedNumbers({ database, clock, secretBox, connectors })
  const health = createNumberHealth({ database, clock, log })
  const templates = createTemplateDirectory({ connectors, numbers, clock, log })
  const applying = { handOver: options.handOver ?? NO_HAND_OVER, wake }
  const journal = createJournalWriter({ database, clock, ...applying })
  const metrics = createChannelMetrics({ database })
  const receiveHook = metrics.watch(createHookReception({ numbers, journal, health }))
  return {
    context: { database, clock, secretBox, connectors, egress, publicUrl, onPaused: options.onNumberPaused },
    media,
    connectors,
    numbers,
    templates,
    health,
    receiveHook,
    hooks: options.connectors.map(({ name }) => ({
      name,
      idPrefix: 'num',
      methods: ['GET', 'POST'],
      receive: (id, hook) => receiveHook(name, id, hook),
    })),
    async appendToJournal(tx, number, body) {
      await appendToJournal(tx, number, { body, nowMs: clock.now(), applying })
    },
    metrics: metrics.list,
    jobs: [createDownloadJob({ ...media, numbers, health }), ...options.connectors.flatMap(({ jobs = [] }) => jobs)],
    start: health.start,
    async stop() {
      for (const { stop } of options.connectors) await stop?.()
      await templates.stop()
      await journal.drain()
      await health.stop()
    },
  }
}
