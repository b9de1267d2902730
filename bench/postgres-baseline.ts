import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../src/kernel/ids.ts'
import { openDatabase } from '../src/platform/database/database.ts'

/**
 * What PostgreSQL itself does without us: one row per transaction, ten clients. pgbench where it is installed, else a
 * loop of our own over ten connections, which costs more per insert and therefore makes a lower, kinder baseline.
 */
export type Baseline = {
  label: string
  /** Transactions per second over this time. */
  run(durationMs: number): Promise<number>
  close(): Promise<void>
}

export const CLIENTS = 10
export const ROW_BODY = 'Halo kak, pesanan nomor 1024 sudah kami kirim. Terima kasih sudah belanja!'

/** The table for single rows; the question creates it. */
export const BENCH_ROWS = `
create table bench_rows (
  id text collate "C" constraint bench_rows_pk primary key,
  org_id text collate "C" not null,
  body text not null,
  created_at timestamptz not null default now()
)`

export function openBaseline(url: string, folder: string): Baseline {
  const version = spawnSync('pgbench', ['--version'], { encoding: 'utf8' }).stdout?.trim()
  return version ? pgbenchBaseline(url, folder, version) : loopBaseline(url)
}

/** Ids rise within each client, as ours do: random ones would make the index dearer for pgbench alone. */
const PGBENCH_SCRIPT = `\\set n :n + 1
insert into bench_rows (id, org_id, body)
values (concat('msg_', :run::text, '_', :client_id::text, '_', lpad(:n::text, 12, '0')), 'org_bench', '${ROW_BODY}');
`

function pgbenchBaseline(url: string, folder: string, version: string): Baseline {
  const script = join(folder, 'single-row.sql')
  writeFileSync(script, PGBENCH_SCRIPT)
  let runs = 0
  return {
    label: version,
    run: (durationMs) => runPgbench(url, { script, run: ++runs, durationMs }),
    close: async () => {},
  }
}

/** Transactions per second. The script has `run` to tell its ids from those of other runs, and counts with `n`. */
export async function runPgbench(
  url: string,
  { script, run, durationMs }: { script: string; run: number; durationMs: number },
): Promise<number> {
  const variables = ['-D', 'n=0', '-D', `run=${run}`]
  const clients = ['-c', String(CLIENTS), '-j', '2', '-M', 'prepared', '-n', '-T', String(durationMs / 1000)]
  const child = Bun.spawn(['pgbench', ...clients, ...variables, '-f', script, url], { stderr: 'pipe' })
  const [printed, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  const perSecond = /tps = ([\d.]+)/.exec(printed)?.[1]
  if ((await child.exited) !== 0 || perSecond === undefined) throw new Error(`pgbench failed: ${complaints}`)
  return Number(perSecond)
}

function loopBaseline(url: string): Baseline {
  const database = openDatabase({ url, connectionsMax: CLIENTS })
  return {
    label: 'own insert loop (pgbench is not installed)',
    run: (durationMs) =>
      runClients(
        durationMs,
        () => database.run`
          insert into bench_rows (id, org_id, body) values (${newId('msg')}, 'org_bench', ${ROW_BODY})`,
      ),
    close: () => database.close(),
  }
}

/** As many at once as pgbench has clients, each beginning anew when it is done; how often per second. */
export async function runClients(durationMs: number, write: () => Promise<unknown>): Promise<number> {
  const endsAtMs = performance.now() + durationMs
  let written = 0
  const writeUntilEnd = async () => {
    while (performance.now() < endsAtMs) {
      await write()
      written += 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, writeUntilEnd))
  return (written * 1000) / durationMs
}
