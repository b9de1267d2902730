import { afterAll, beforeAll } from 'bun:test'
import type { ChannelNumber, ChannelReport, OutboundMessage } from '../../src/channels/channel-connector.ts'
import { createSimulator, type Simulator } from '../../src/channels/connectors/simulator/simulator.ts'
import { createWhatsAppCloud } from '../../src/channels/connectors/whatsapp-cloud/whatsapp-cloud.ts'
import type { MessageContent } from '../../src/channels/content/message-content.ts'
import { APPLY_JOB, listJournaled } from '../../src/channels/journal/journal.ts'
import type { NewNumberInput } from '../../src/channels/numbers/numbers.schemas.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { newId, type OrgId } from '../../src/kernel/ids.ts'
import { defineJob } from '../../src/platform/outbox/job.ts'
import { createOutbox, type Outbox } from '../../src/platform/outbox/outbox.ts'
import { aNumber, createTestChannels, type TestChannels } from './channels.ts'
import { useTestDatabase } from './database.ts'
import { loopbackEgress } from './egress.ts'
import { quietLog } from './log.ts'
import { anOrganization } from './makers.ts'

/**
 * The simulated network on a separate database, with the outbox that runs it, at twenty times real time. Its posts go
 * through the channels and are read here in place of messaging.
 */
export type SimulatorBench = {
  simulator: Simulator
  channels: TestChannels
  outbox: Outbox
  clock: Clock
  number: ChannelNumber
  aNumber(fields?: Partial<NewNumberInput>): Promise<ChannelNumber>
  /** What was read from the journal, in the order of the hooks, of one number. */
  reports(number?: ChannelNumber): ChannelReport[]
  /** How many hooks were posted about it. */
  hooks(number?: ChannelNumber): number
}

const PACE = 20

/** An outbox that goes by such a clock must look often: it waits in the time of the world. */
export const FAST = { scoutEveryMs: 30, drainMs: 500 }

export function fastClock(): Clock {
  const [startMs, started] = [Date.now(), performance.now()]
  return { now: () => startMs + Math.floor((performance.now() - started) * PACE) }
}

export function useSimulator(): SimulatorBench {
  const db = useTestDatabase()
  const bench = {} as SimulatorBench
  const read: { id: string; numberId: string; reports: ChannelReport[] }[] = []
  const batchesOf = (number = bench.number) =>
    read.filter(({ numberId }) => numberId === number.id).sort((one, other) => (one.id < other.id ? -1 : 1))
  beforeAll(async () => {
    const { database } = db
    const clock = fastClock()
    const dialect = createWhatsAppCloud({ egress: loopbackEgress, userAgent: 'Nexkit/test' })
    const simulator = createSimulator({
      ...{ database, clock, slowAnswerMs: 100 },
      sender: () => bench.channels,
      wake: (orgIds) => bench.outbox?.wake(orgIds),
    })
    const channels = await createTestChannels(database, {
      ...{ connectors: [simulator.connector], clock },
      wake: (orgIds) => bench.outbox?.wake(orgIds),
    })
    const apply = defineJob({
      name: APPLY_JOB,
      // With such a clock a lease ends in a second or two: after a stall of that length the job runs again.
      retry: { delaysMs: Array.from({ length: 20 }, () => 100), jitter: 0 },
      run: async ({ id, orgId }) => {
        const [entry] = await listJournaled(database, orgId as OrgId, [id])
        if (entry !== undefined && !read.some((known) => known.id === id))
          read.push({ id, numberId: entry.number_id, reports: dialect.readBatch(entry.body) })
        return { kind: 'done' }
      },
    })
    const jobs = [...channels.jobs, apply]
    const outbox = createOutbox({ database, jobs, clock, log: quietLog, processId: newId('prc'), pace: FAST })
    Object.assign(bench, { simulator, channels, outbox, clock })
    bench.aNumber = async (fields = {}) => {
      const { id: orgId } = await anOrganization(database)
      const settings = { reply_window: false, ...fields.settings }
      const row = await aNumber(channels, orgId, { connector: 'simulator', credentials: {}, ...fields, settings })
      return (await channels.numbers.open(orgId, row.id))?.number as ChannelNumber
    }
    bench.reports = (number) => batchesOf(number).flatMap(({ reports }) => reports)
    bench.hooks = (number) => batchesOf(number).length
    bench.number = await bench.aNumber()
    await outbox.start()
  })
  afterAll(async () => {
    await bench.outbox?.stop()
    await bench.channels?.stop()
    bench.channels?.remove()
  })
  return bench
}

export const aText = (phone: string, fields: Partial<OutboundMessage> = {}): OutboundMessage => ({
  id: newId('msg'),
  to: { phone: phone.replaceAll(/\D/g, ''), userId: null },
  content: { type: 'text', body: 'Halo' } as MessageContent,
  providerMediaId: null,
  replyToProviderId: null,
  reactsToProviderId: null,
  ...fields,
})
