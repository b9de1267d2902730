import type { Clock } from '../../kernel/clock.ts'
import { firstIdAt, type IdPrefix } from '../../kernel/ids.ts'
import type { Log } from '../telemetry/log.ts'
import type { Database, Queries, Tx } from './database.ts'
import { isLockTimeout } from './database-errors.ts'

/**
 * Tables of what is kept for a while only are partitioned by day over their sortable id, or a time, so that old days are
 * dropped whole instead of deleted row by row, and a look-up by id or by time touches one partition.
 *
 *   ahead     partitions for today and the next days are created before they are needed, at start and every hour, and at once
 *             when the clock has jumped
 *   kept      for the retention time
 *   needed    past its time, but something unfinished depends on it or on an older one, so that what is kept has no hole;
 *             looked at again every hour
 *   busy      past its time, but a transaction reads the table and does not end; tried again soon
 *   dropped   in one step; no row is touched
 *
 * None of it blocks writers. A transaction that waits for an exclusive lock blocks all that queue behind it. A partition is
 * therefore created beside its table and then attached, which blocks no reader and no writer; a drop, which blocks both, waits
 * for its lock only a moment.
 */
export type PartitionedTable = {
  table: string
  /** Of the ids that it is partitioned by. Absent where it is partitioned by a time. */
  idPrefix?: IdPrefix
  retentionDays: number
  /**
   * Rows up to this size are kept as they are. PostgreSQL compresses what is larger than 2 kB, which took about a
   * tenth of its time while orders were created; a table of many rows of that size, most of them read once, can do without.
   */
  plainBytesMax?: number
  /** Whether a day past its time is still needed. The day is kept for as long as this returns true. */
  isNeeded?: (queries: Queries, day: Day) => Promise<boolean>
}

export type Day = { from: Date; before: Date }

const DAY_MS = 24 * 3600 * 1000
/** A server that is down for a long weekend comes back to a partition that is still there. */
const DAYS_AHEAD = 3
const EVERY_MS = 3600 * 1000
const BUSY_AGAIN_MS = 60_000
const CLOCK_WATCH_MS = 2_000
/** More than the time between two rounds, also where one fails and is tried again. */
const JUMP_MS_MIN = 2 * EVERY_MS
const DROP_WAIT_MS = 200
const LOCK_SPACE = 7_310

const startOfDay = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS
const partitionName = (table: string, dayMs: number) =>
  `${table}_${new Date(dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`

const dayOf = (partition: string): Day => {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(partition) as RegExpExecArray
  const from = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return { from, before: new Date(from.getTime() + DAY_MS) }
}

/** Includes yesterday: ids carry the clock of the process that created them, and clocks differ. */
export function ensurePartitions(database: Database, table: PartitionedTable, nowMs: number): Promise<void> {
  const today = startOfDay(nowMs)
  return createMissing(
    database,
    table,
    Array.from({ length: DAYS_AHEAD + 2 }, (_, index) => today + (index - 1) * DAY_MS),
  )
}

/** For rows that come from another database: partitions for their days, as 20261118. */
export const ensureDays = (database: Database, table: PartitionedTable, days: readonly string[]): Promise<void> =>
  createMissing(
    database,
    table,
    days.map((day) => dayOf(`${table.table}_${day}`).from.getTime()),
  )

async function createMissing(database: Database, table: PartitionedTable, days: readonly number[]): Promise<void> {
  const listMissing = async (queries: Queries) => {
    const existing = new Set(await listPartitions(queries, table.table))
    return days.filter((day) => !existing.has(partitionName(table.table, day)))
  }
  if ((await listMissing(database)).length === 0) return
  await database.transaction(async (tx) => {
    // Two processes that create the same partition at once would deadlock on the parent table.
    await tx.run`select pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${table.table}))`
    for (const day of await listMissing(tx)) await createPartition(tx, table, day)
  })
}

async function createPartition(tx: Tx, { table, idPrefix, plainBytesMax }: PartitionedTable, day: number) {
  const name = partitionName(table, day)
  const boundAt = (at: Date) => (idPrefix === undefined ? at.toISOString() : firstIdAt(idPrefix, at))
  const [from, to] = [boundAt(new Date(day)), boundAt(new Date(day + DAY_MS))]
  const settings = plainBytesMax === undefined ? '' : `with (toast_tuple_target = ${plainBytesMax})`
  // One by one: Citus hands the text of each to the nodes.
  await tx.script(`create table ${name} (like ${table} including all) ${settings}`)
  await tx.script(`alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`)
}

export type Dropping = {
  dropped: string[] /** Left for later, because a transaction uses the table. */
  busy: string[]
}

/** Drops the oldest first and stops at the first that is in use: the transaction that blocks it blocks the others too. */
export async function dropOldPartitions(
  database: Database,
  { table, retentionDays, isNeeded }: PartitionedTable,
  nowMs: number,
): Promise<Dropping> {
  const oldest = partitionName(table, startOfDay(nowMs) - retentionDays * DAY_MS)
  const expired: string[] = []
  for (const name of (await listPartitions(database, table)).filter((each) => each < oldest)) {
    if (await isNeeded?.(database, dayOf(name))) break
    expired.push(name)
  }
  for (const [index, name] of expired.entries())
    if (!(await dropPartition(database, name))) return { dropped: expired.slice(0, index), busy: expired.slice(index) }
  return { dropped: expired, busy: [] }
}

/** False when the lock was not to be had within a moment. */
async function dropPartition(database: Database, name: string): Promise<boolean> {
  try {
    await database.transaction(async (tx) => {
      await tx.script(`set local lock_timeout = '${DROP_WAIT_MS}ms'`)
      await tx.script(`drop table if exists ${name}`)
    })
    return true
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

const listPartitions = async (queries: Queries, table: string): Promise<string[]> =>
  (
    await queries.many<{ name: string }>`
      select child.relname as name from pg_inherits
      join pg_class child on child.oid = pg_inherits.inhrelid
      join pg_class parent on parent.oid = pg_inherits.inhparent
      where parent.relname = ${table} and parent.relnamespace = current_schema()::regnamespace
      order by child.relname`
  ).map((row) => row.name)

/**
 * By the slower of two clocks. A machine whose own is a year ahead joins the others and must not have everything dropped that
 * they keep; nor must a database that is.
 */
async function surelyPassedMs(database: Queries, clock: Clock): Promise<number> {
  const { now } = await database.one<{ now: Date }>`select clock_timestamp() as now`
  return Math.min(clock.now(), now.getTime())
}

export function createPartitionMaintenance(options: {
  database: Database
  clock: Clock
  log: Log
  tables: readonly PartitionedTable[]
  busyAgainMs?: number
  clockWatchMs?: number
}) {
  const { database, clock, log, busyAgainMs = BUSY_AGAIN_MS } = options
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | null = null
  let clockWatch: ReturnType<typeof setInterval> | null = null
  /** When the last round began, by the clock of the ids, also when it failed: an unreachable database is not a clock jump. */
  let triedAtMs = clock.now()

  const makeAhead = async () => {
    const nowMs = clock.now()
    triedAtMs = nowMs
    for (const table of options.tables) await ensurePartitions(database, table, nowMs)
  }

  /**
   * A machine that slept for a week, or got the time only after its start, creates ids of days that have no partition yet. Only
   * creating is brought forward: a clock that is wrong for a moment must not cause a month to be dropped.
   */
  const followClock = async () => {
    const beforeMs = triedAtMs
    const jumpedMs = clock.now() - beforeMs
    if (Math.abs(jumpedMs) < JUMP_MS_MIN) return
    log.warn({ jumpedSeconds: Math.round(jumpedMs / 1000) }, 'the clock jumped; creating partitions for its new time')
    await makeAhead().catch((error) => {
      retryLater(error)
      triedAtMs = beforeMs
    })
  }

  const watchClock = () => {
    clockWatch = setInterval(followClock, options.clockWatchMs ?? CLOCK_WATCH_MS)
    clockWatch.unref()
  }

  /** Returns how long to wait for the next round. */
  const tend = async (): Promise<number> => {
    let waitMs = EVERY_MS
    await makeAhead()
    for (const table of options.tables) {
      const { dropped, busy } = await dropOldPartitions(database, table, await surelyPassedMs(database, clock))
      if (dropped.length > 0) log.debug({ table: table.table, dropped }, 'expired partitions dropped')
      if (busy.length === 0) continue
      log.warn({ table: table.table, busy }, 'expired partitions are in use; retrying later')
      waitMs = busyAgainMs
    }
    return waitMs
  }

  const schedule = (waitMs: number) => {
    if (isStopped) return
    timer = setTimeout(async () => schedule(await tend().catch(retryLater)), waitMs)
    timer.unref()
  }

  const retryLater = (error: unknown): number => {
    log.error({ err: error }, 'partition maintenance failed; will try again')
    return busyAgainMs
  }

  return {
    async start() {
      schedule(await tend())
      watchClock()
    },
    async stop() {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
      if (clockWatch !== null) clearInterval(clockWatch)
    },
  }
}
