import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type {
  ChannelConnector,
  ChannelDefinition,
  ChannelDescription,
  ChannelField,
  ChannelParts,
} from '../../channel-connector.ts'
import { readBatch, readHook } from '../whatsapp-cloud/whatsapp-cloud.ts'
import { createAcceptances } from './acceptance.ts'
import { type Customers, createCustomers } from './customers.ts'
import { SIMULATOR } from './hooks.ts'
import { listTemplates, manage } from './management.ts'
import { downloadMedia, send, uploadMedia } from './sending.ts'
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
export type SimulatorOptions = Omit<ChannelParts, 'userAgent' | 'egress'> & {
  /** Shorter in tests. */
  slowAnswerMs?: number
}

export type Simulator = { connector: ChannelConnector; customers: Customers }

/** A simulator number needs nothing: its secret is made up, and its hooks are signed with it as real ones are. */
const FIELDS: readonly ChannelField[] = [
  {
    name: 'app_secret',
    label: 'App secret',
    help: 'signs what the simulated network reports; made up when none is given',
    isSecret: true,
    isRequired: true,
    schema: z.string().regex(/^[\x21-\x7e]{8,1024}$/, 'This must be 8 to 1024 visible characters.'),
    generate: () => randomBytes(24).toString('base64url'),
  },
  {
    name: 'seed',
    label: 'Seed',
    help: 'decides delays, names and ids; the same seed tells the same story again',
    isSecret: false,
    isRequired: false,
    schema: z.string().regex(/^[\x20-\x7e]{1,64}$/, 'This must be 1 to 64 characters.'),
  },
]

const DESCRIPTION: ChannelDescription = {
  name: SIMULATOR,
  displayName: 'Simulator',
  isSimulated: true,
  // Ids are made up here, so two organizations may well have the same.
  traits: { hasReplyWindow: false, messagesPerSecondMax: 10_000, pairGapMs: 0, isNumberIdGlobal: false },
  fields: FIELDS,
}

export const simulator: ChannelDefinition = { ...DESCRIPTION, create: (parts) => createSimulator(parts).connector }

const SLOW_ANSWER_MS = 3_000

export function createSimulator(options: SimulatorOptions): Simulator {
  const { slowAnswerMs = SLOW_ANSWER_MS } = options
  const acceptances = createAcceptances(options)
  const sending = { ...options, acceptances, slowAnswerMs }
  const done = async () => ({ kind: 'done' as const })
  return {
    connector: {
      ...DESCRIPTION,
      send: (number, message, signal) => send(sending, number, message, signal),
      markRead: done,
      uploadMedia: (number, file) => uploadMedia(options, number, file),
      downloadMedia: (number, id) => downloadMedia(options, number, id),
      templates: simulatorTemplates,
      listTemplates: async ({ orgId }) => ({ kind: 'done', templates: await listTemplates(options.database, orgId) }),
      manage: (number, call) => manage(options, number, call),
      probe: done,
      readHook,
      readBatch,
      jobs: [createReportJob(options)],
      stop: acceptances.drain,
    },
    customers: createCustomers(options),
  }
}

export { type Customers, createCustomers, type Writing } from './customers.ts'
export type { InboundOrigin } from './hook-items.ts'
export type { Customer, Written } from './inbound-posts.ts'
export { FILE_BYTES_MAX } from './sending.ts'
