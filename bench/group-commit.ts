import { join } from 'node:path'
import { newId } from '../src/kernel/ids.ts'
import { type Database, openDatabase } from '../src/platform/database/database.ts'
import { createGroupCommit, type GroupCommit, type Outcome } from '../src/platform/database/group-commit.ts'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import { createLog } from '../src/platform/telemetry/log.ts'
import { slowFlushes } from './disk.ts'
import { BENCH_ROWS, openBaseline, ROW_BODY } from './postgres-baseline.ts'
import { alternate, type Bench, type Finding, median, type Question, round } from './question.ts'

const ROUNDS = 4
const ROUND_MS = 2_000
const SUBMITTERS = 64

type Row = { id: string; orgId: string; body: string }

export const groupCommit: Question = {
  name: 'group-commit',
  asks: 'How many durable rows do shared commits give, against one transaction per row?',
  secondsMax: 45,
  async run(bench) {
    const url = await startPostgres(bench)
    const database = openDatabase({ url })
    bench.defer(() => database.close())
    await refuseWithoutDurability(database)
    await slowFlushes(database, bench.flushMs)
    await database.script(BENCH_ROWS)
    const baseline = openBaseline(url, bench.folder)
    bench.defer(() => baseline.close())
    bench.say(`baseline: ${baseline.label}; ${ROUNDS} rounds of ${ROUND_MS / 1000} s each`)
    const engine = createGroupCommit<Row, string>({ name: 'bench', write: (rows) => insertRows(database, rows) })
    const { ones, others } = await alternate(
      ROUNDS,
      () => runSubmitters(engine),
      () => baseline.run(ROUND_MS),
    )
    await engine.drain()
    return [finding(engine, ones, others, baseline.label)]
  },
}

async function startPostgres(bench: Bench): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(bench.folder, 'data'), log: createLog('warn') })
  bench.defer(() => postgres.stop())
  return postgres.url
}

/** A server that does not wait for the disk would make both sides meaningless. */
async function refuseWithoutDurability(database: Database): Promise<void> {
  const settings = await database.many<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in ('fsync', 'synchronous_commit')`
  const off = settings.find(({ setting }) => setting !== 'on')
  if (off !== undefined) throw new Error(`PostgreSQL runs with ${off.name} = ${off.setting}`)
}

async function insertRows(database: Database, rows: Row[]): Promise<Outcome<string>[]> {
  await database.run`
    insert into bench_rows (id, org_id, body)
    select * from unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.orgId)}::text[],
                         ${rows.map((row) => row.body)}::text[])
    on conflict (id) do nothing`
  return rows.map((row) => ({ ok: true, value: row.id }))
}

/** Each submitter hands in its next row when the last one is durable, as 64 connections with a request each would. */
async function runSubmitters(engine: GroupCommit<Row, string>): Promise<number> {
  const endsAtMs = performance.now() + ROUND_MS
  let rows = 0
  const submitUntilEnd = async () => {
    while (performance.now() < endsAtMs) {
      await engine.submit({ id: newId('msg'), orgId: 'org_bench', body: ROW_BODY })
      rows += 1
    }
  }
  await Promise.all(Array.from({ length: SUBMITTERS }, submitUntilEnd))
  return (rows * 1000) / ROUND_MS
}

function finding(engine: GroupCommit<Row, string>, ones: number[], others: number[], label: string): Finding {
  const { itemsWritten, batchesStarted } = engine.stats()
  return {
    measure: 'group commit, durable rows against one row per transaction',
    value: round(median(ones) / median(others)),
    unit: 'ratio',
    bar: { atLeast: 2 },
    figures: {
      rows_per_second: ones.map(Math.round),
      baseline_per_second: others.map(Math.round),
      baseline: label,
      submitters: SUBMITTERS,
      rows_per_batch: round(itemsWritten / batchesStarted, 1),
    },
    ...(!label.startsWith('pgbench') && { note: `baseline: ${label}` }),
  }
}
