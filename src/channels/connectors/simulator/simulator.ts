import type { Clock } from '../../../kernel/clock.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Job } from '../../../platform/outbox/job.ts'
import type { ChannelConnector, ChannelTraits } from '../../channel-connector.ts'
import { createAcceptances } from './acceptance.ts'
import { type Customers, createCustomers } from './customers.ts'
import { type HookSender, SIMULATOR } from './hooks.ts'
import { downloadMedia, send, uploadMedia } from './sending.ts'
import { simulatorFields } from './simulator.fields.ts'
import { createReportJob } from './simulator.jobs.ts'
import { simulatorTemplates } from './templates.ts'

/**
 * A phone network in this process. It takes messages like any other, and what happens to them comes back as hooks in
 * Meta's format, signed, through the same route as real ones; so everything behind the connector is tried with it. What
 * goes wrong is decided by whom one writes to (test-numbers.ts), and customers are played with `customers`.
 *
 *   send ──▶ taken, with the entry that will report it ──▶ simulator.report ──▶ hook ──▶ journal ──▶ chats
 *   customerWrites, customerReads, … ─────────────────────────────────────────▶ hook ──▶ journal ──▶ chats
 *
 * All its state is in PostgreSQL, so any process may send, report or play.
 */
export type SimulatorOptions = {
  database: Database
  /** The outbox's own: due times are compared with it. */
  clock: Clock
  /** How hooks in Meta's format are read: WhatsApp Cloud's own way. */
  dialect: Pick<ChannelConnector, 'readHook' | 'readBatch'>
  /** Channels, once they are put together. */
  sender: () => HookSender
  /** Tells the outbox of lanes with new work, after the commit. */
  wake: (orgIds: readonly OrgId[]) => void
  /** Shorter in tests. */
  slowAnswerMs?: number
}

export type Simulator = {
  connector: ChannelConnector
  customers: Customers
  jobs: Job[]
  start(): Promise<void>
  stop(): Promise<void>
}

/** Ids are made up here, so two organizations may well have the same. */
const TRAITS: ChannelTraits = {
  hasReplyWindow: false,
  messagesPerSecondMax: 10_000,
  pairGapMs: 0,
  isNumberIdGlobal: false,
}

const SLOW_ANSWER_MS = 3_000

export function createSimulator(options: SimulatorOptions): Simulator {
  const { dialect, slowAnswerMs = SLOW_ANSWER_MS } = options
  const acceptances = createAcceptances(options)
  const sending = { ...options, acceptances, slowAnswerMs }
  const done = async () => ({ kind: 'done' as const })
  return {
    connector: {
      kind: SIMULATOR,
      traits: TRAITS,
      fields: simulatorFields,
      send: (number, message, signal) => send(sending, number, message, signal),
      markRead: done,
      uploadMedia: (number, file) => uploadMedia(options, number, file),
      downloadMedia: (number, id) => downloadMedia(options, number, id),
      templates: simulatorTemplates,
      listTemplates: async () => ({ kind: 'done', templates: [...simulatorTemplates] }),
      probe: done,
      readHook: dialect.readHook,
      readBatch: dialect.readBatch,
    },
    customers: createCustomers(options),
    jobs: [createReportJob(options)],
    start: async () => {},
    stop: acceptances.drain,
  }
}

export type { Customers, Writing } from './customers.ts'
export type { InboundOrigin } from './hook-items.ts'
export type { Customer, Written } from './inbound-posts.ts'
export { FILE_BYTES_MAX } from './sending.ts'
