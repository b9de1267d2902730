import { systemClock } from '../src/kernel/clock.ts'
import { newId, type OrgId } from '../src/kernel/ids.ts'
import { createMessaging } from '../src/messaging/messaging.ts'
import { createOutbox, type Outbox } from '../src/platform/outbox/outbox.ts'
import { createLog } from '../src/platform/telemetry/log.ts'
import { batchOf } from '../test/support/scripted-channel.ts'
import { benchChannels, type MessagingBench, openMessagingBench } from './messaging-bench.ts'
import { BENCH_ROWS, openBaseline, ROW_BODY } from './postgres-baseline.ts'
import { type Bench, type Finding, median, type Question, round } from './question.ts'

const ROUNDS = 3
const BATCHES = 200
const MESSAGES_PER_BATCH = 2
const CUSTOMERS = 200
const ROUND_SECONDS_MAX = 15

export const inbound: Question = {
  name: 'inbound',
  asks: 'How many inbound batches per second are journaled, applied and recorded as events, against single rows?',
  secondsMax: 60,
  async run(bench) {
    const shop = await openMessagingBench(bench)
    await shop.database.script(BENCH_ROWS)
    const network = await startNetwork(bench, shop)
    const single = openBaseline(shop.url, bench.folder)
    bench.defer(() => single.close())
    await network.deliver()
    bench.say(
      `${ROUNDS} rounds of ${BATCHES} batches with ${MESSAGES_PER_BATCH} messages each; baseline: ${single.label}`,
    )
    const [batches, rows]: [number[], number[]] = [[], []]
    for (let turn = 0; turn < ROUNDS; turn++) {
      batches.push(await network.deliver())
      rows.push(await single.run(1_000))
    }
    return [finding(batches, rows, single.label)]
  },
}

/** Journal, outbox and apply job in this process, as a worker runs them. */
async function startNetwork(bench: Bench, shop: MessagingBench) {
  const { database, orgId, numberId } = shop
  let outbox: Outbox | null = null
  const wake = (orgIds: readonly OrgId[]) => outbox?.wake(orgIds)
  const channels = benchChannels(database, wake)
  const log = createLog('error')
  const messaging = createMessaging({ database, clock: systemClock, log, channels, wake })
  outbox = createOutbox({
    database,
    clock: systemClock,
    log,
    processId: newId('prc'),
    jobs: [...channels.jobs, ...messaging.jobs],
  })
  for (const part of [channels, messaging, outbox]) await part.start()
  bench.defer(async () => {
    for (const part of [outbox as Outbox, messaging, channels]) await part.stop()
  })
  let nth = 0
  const receive = () => {
    const texts = Array.from({ length: MESSAGES_PER_BATCH }, () => aText(nth++))
    const hook = { method: 'POST', query: new URLSearchParams(), headers: new Headers(), body: batchOf(texts) }
    return channels.receiveHook('scripted', numberId, hook)
  }
  /** Batches per second, from the first hook to the last message stored. */
  const deliver = async () => {
    const startedAtMs = performance.now()
    const answers = await Promise.all(Array.from({ length: BATCHES }, receive))
    if (answers.some(({ status }) => status !== 200)) throw new Error('a hook was refused')
    await untilApplied(shop, nth)
    return (BATCHES * 1000) / (performance.now() - startedAtMs)
  }
  return { deliver: () => deliver().finally(() => wake([orgId])), orgId }
}

async function untilApplied({ database, orgId }: MessagingBench, expected: number): Promise<void> {
  const deadlineMs = performance.now() + ROUND_SECONDS_MAX * 1000
  while (performance.now() < deadlineMs) {
    const { count } = await database.one<{
      count: number
    }>`select count(*) as count from messages where org_id = ${orgId}`
    if (count >= expected) return
    await Bun.sleep(10)
  }
  throw new Error(`not all of ${expected} messages were applied within ${ROUND_SECONDS_MAX} s`)
}

const aText = (nth: number) => ({
  kind: 'message',
  phoneNumberId: null,
  raw: null,
  providerId: `wamid.${nth}`,
  from: {
    phone: `62812${10_000_000 + (nth % CUSTOMERS)}`,
    userId: null,
    parentUserId: null,
    username: null,
    name: 'Sari',
  },
  at: new Date().toISOString(),
  content: { type: 'text', body: ROW_BODY },
  providerMediaId: null,
  replyToProviderId: null,
  reactsToProviderId: null,
  isForwarded: false,
  referral: null,
})

/** No bar was set for it; this one keeps it from getting worse unseen. */
function finding(batches: number[], rows: number[], label: string): Finding {
  return {
    measure: 'inbound batches of two, journaled and applied, against one row per transaction',
    value: round(median(batches) / median(rows), 3),
    unit: 'ratio',
    bar: { atLeast: 0.01 },
    figures: {
      batches_per_second: batches.map(Math.round),
      messages_per_second: batches.map((value) => Math.round(value * MESSAGES_PER_BATCH)),
      single_rows_per_second: rows.map(Math.round),
      baseline: label,
    },
  }
}
