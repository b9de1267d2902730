import { BARE_TABLES } from './bare-sender.ts'
import { measureLoad, type Round, refuseFailures } from './measured-load.ts'
import { type MessagingBench, openMessagingBench, phoneOf, startBenchServer } from './messaging-bench.ts'
import { BENCH_ROWS, openBaseline, ROW_BODY } from './postgres-baseline.ts'
import { watchResidentMemory } from './process-usage.ts'
import { compareNeighbours, type Finding, median, type Question, round } from './question.ts'
import { openSameRowsBaseline } from './same-rows-baseline.ts'

const ROUNDS = 3
const ROUND_MS = 2_000
const WARMUP_MS = 500
const WARMUPS = 4
const BARE_WARMUPS = 2
const CONNECTIONS = 64
const CUSTOMERS = 1_000

export const messages: Question = {
  name: 'messages',
  asks: 'How many messages are accepted per second, against PostgreSQL writing the same rows one by one?',
  secondsMax: 60,
  async run(bench) {
    const shop = await openMessagingBench(bench)
    await createRows(shop)
    const server = await startBenchServer(bench, shop.url, 'messaging-server.ts')
    const bare = await startBenchServer(bench, shop.url, 'bare-sender.ts')
    const same = await openSameRowsBaseline(shop, bench.folder)
    const single = openBaseline(shop.url, bench.folder)
    bench.defer(() => single.close())
    bench.say(`baselines: ${single.label}; ${ROUNDS} rounds of ${ROUND_MS / 1000} s each, ${CONNECTIONS} connections`)
    // The customers are new at first, and a runtime that has just started compiles for its first twenty thousand requests.
    for (let turn = 0; turn < WARMUPS; turn++) await load(shop, server)
    for (let turn = 0; turn < BARE_WARMUPS; turn++) await load(shop, bare)
    const memory = watchResidentMemory(server.pid)
    bench.defer(() => memory.stop())
    const [rounds, bareRounds]: [Round[], Round[]] = [[], []]
    const [sameRows, singleRows]: [number[], number[]] = [[], []]
    for (let turn = 0; turn < ROUNDS; turn++) {
      rounds.push(await load(shop, server))
      sameRows.push(await same.run(ROUND_MS))
      singleRows.push(await single.run(ROUND_MS))
      bareRounds.push(await load(shop, bare))
    }
    await refuseLosses(shop, rounds)
    return findings({ rounds, bareRounds, sameRows, singleRows, megabytes: memory.stop(), label: single.label })
  },
}

/** The tables of the single-row baseline and of the bare server, with a chat for each customer. */
async function createRows({ database }: MessagingBench): Promise<void> {
  await database.script(BARE_TABLES)
  await database.run`
    insert into bare_chats (org_id, id, last_activity_at)
    select 'org_bench', phone, now() from unnest(${Array.from({ length: CUSTOMERS }, (_, nth) => phoneOf(nth))}::text[]) as phone`
  // Without it PostgreSQL thinks there are a handful, and walks all of them for every batch.
  await database.script('analyze bare_chats; analyze bare_counters')
  await database.script(BENCH_ROWS)
}

const load = ({ headers }: MessagingBench, { origin, pid }: { origin: string; pid: number }) =>
  measureLoad(pid, {
    origin,
    connections: CONNECTIONS,
    durationMs: ROUND_MS,
    warmupMs: WARMUP_MS,
    requests: Array.from({ length: CUSTOMERS }, (_, nth) => ({
      method: 'POST',
      path: '/api/public/v1/messages',
      headers,
      body: JSON.stringify({ to: phoneOf(nth), body: ROW_BODY }),
    })),
  })

/** Every answer is a message, an event and an outbox entry, or the figures are worth nothing. */
async function refuseLosses({ database, orgId }: MessagingBench, rounds: readonly Round[]): Promise<void> {
  refuseFailures(rounds)
  const counts = await database.one<{ messages: number; events: number; entries: number }>`
    select (select count(*) from messages where org_id = ${orgId}) as messages,
      (select count(*) from events where org_id = ${orgId} and type in ('chat.created', 'chat.updated')) as events,
      (select count(*) from outbox_entries where org_id = ${orgId}) as entries`
  const answered = rounds.reduce((sum, report) => sum + report.answered, 0)
  if (counts.messages < answered || counts.events !== counts.messages || counts.entries !== counts.messages)
    throw new Error(`${answered} answers, but ${JSON.stringify(counts)}`)
}

type Measured = {
  rounds: Round[]
  bareRounds: Round[]
  sameRows: number[]
  singleRows: number[]
  megabytes: number
  label: string
}

function findings({ rounds, bareRounds, sameRows, singleRows, megabytes, label }: Measured): Finding[] {
  const perSecond = rounds.map((report) => report.requestsPerSecond)
  const figures = {
    messages_per_second: perSecond,
    p50_ms: rounds.map((report) => report.p50Ms),
    p99_ms: rounds.map((report) => report.p99Ms),
    processor_us_per_message: rounds.map((report) => report.processorMicroseconds),
    same_rows_per_second: sameRows.map(Math.round),
    single_rows_per_second: singleRows.map(Math.round),
    baseline: label,
    connections: CONNECTIONS,
    customers: CUSTOMERS,
  }
  const note = label.startsWith('pgbench') ? {} : { note: `baseline: ${label}` }
  const against = (baseline: number[]) => round(median(perSecond) / median(baseline))
  const barePerSecond = bareRounds.map((report) => report.requestsPerSecond)
  return [
    {
      measure: 'POST /messages against the same rows, one transaction each',
      value: against(sameRows),
      unit: 'ratio',
      bar: { atLeast: 2 },
      figures,
      ...note,
    },
    {
      measure: 'POST /messages against one row per transaction',
      value: against(singleRows),
      unit: 'ratio',
      bar: null,
      figures: {},
      ...note,
    },
    {
      measure: 'POST /messages against a bare server storing a message in five small tables',
      value: compareNeighbours(perSecond, barePerSecond),
      unit: 'ratio',
      bar: { atLeast: 0.5 },
      figures: {},
    },
    {
      measure: 'a bare server storing a message in five small tables, against one row per transaction',
      value: round(median(barePerSecond) / median(singleRows)),
      unit: 'ratio',
      bar: null,
      figures: {
        messages_per_second: barePerSecond,
        processor_us_per_message: bareRounds.map((report) => report.processorMicroseconds),
      },
      ...note,
    },
    {
      measure: 'resident memory of the server accepting messages',
      value: round(megabytes, 0),
      unit: 'MB',
      bar: { atMost: 200 },
      figures: {},
    },
  ]
}
