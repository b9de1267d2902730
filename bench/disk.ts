import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../src/platform/database/database.ts'
import { median, round } from './question.ts'

/**
 * How long a flush to the disk takes decides what a transaction for one row costs, and hardly what one for sixty costs. Ratios
 * between the two are figures of the disk as well, so a report says what it was, and a slower one can be played.
 */
const FLUSHES = 200
const PAGE_BYTES = 8_192

/** Of the disk that the questions have their folders on. */
export function measureFlushMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'nexkit-bench-'))
  const file = openSync(join(folder, 'flushed'), 'w')
  const page = Buffer.alloc(PAGE_BYTES, 1)
  const timesMs: number[] = []
  for (let nth = 0; nth < FLUSHES; nth++) {
    writeSync(file, page)
    const startedAtMs = performance.now()
    fdatasyncSync(file)
    timesMs.push(performance.now() - startedAtMs)
  }
  closeSync(file)
  rmSync(folder, { recursive: true })
  return round(median(timesMs))
}

/** PostgreSQL itself waits this long before each flush of its log. */
export async function slowFlushes(database: Database, byMs: number): Promise<void> {
  if (byMs === 0) return
  await database.script('alter system set commit_siblings = 0')
  await database.script(`alter system set commit_delay = ${Math.round(byMs * 1000)}`)
  await database.script('select pg_reload_conf()')
}
