import type { Id } from '../../kernel/ids.ts'
import type { Database, Queries } from '../database/database.ts'

/** Every time in this table is stamped by PostgreSQL and compared with its clock: those of the hosts may differ. */
export type ProcessRow = {
  id: Id<'prc'>
  role: string
  host: string
  pid: number
  version: string
  /** Where others reach it. */
  publicUrl?: string | null
  /** Where it listens on its host, once it does. */
  address?: string | null
  /** Whether it holds its process lock (process-lock.ts) while it lives. */
  hasLock?: boolean
}

/** Without a sign of life for this long a process no longer counts. */
const SILENT_MS_MAX = 15_000
const FORGOTTEN_MS = 24 * 3600 * 1000
/** A process whose connection broke gives a sign of life by another one twice a second (process-lock.ts). */
export const LOST_MS_MAX = 1_500

const msAgo = (db: Queries, ms: number) => db.part`now() - ${ms}::int * interval '1 ms'`

export const upsertProcess = (database: Database, row: ProcessRow) =>
  database.run`
    insert into processes (id, role, host, pid, version, public_url, has_lock, started_at, seen_at)
    values (${row.id}, ${row.role}, ${row.host}, ${row.pid}, ${row.version}, ${row.publicUrl ?? null},
      ${row.hasLock ?? false}, now(), now())
    on conflict (id) do update set seen_at = now(), lost_at = null`

export const noteAddress = (database: Database, id: string, address: string) =>
  database.run`update processes set address = ${address} where id = ${id}`

export const noteAlive = (database: Database, id: string) =>
  database.run`update processes set seen_at = now(), lost_at = null where id = ${id}`

export const countLiveProcesses = (database: Database) =>
  database.one<{ all: number; api: number }>`
    select count(*)::int as all, (count(*) filter (where role in ('all', 'api')))::int as api from processes
    where seen_at > ${msAgo(database, SILENT_MS_MAX)}`

export const listLiveProcesses = (database: Database) =>
  database.many<ProcessRow>`
    select id, role, host, pid, version, public_url as "publicUrl", address, has_lock as "hasLock"
    from processes where seen_at > ${msAgo(database, SILENT_MS_MAX)} order by id`

export const deleteProcess = (database: Database, id: Id<'prc'>) => database.run`delete from processes where id = ${id}`

/** Left behind by processes that died without a word. */
export const deleteSilentProcesses = (database: Database) =>
  database.run`delete from processes where seen_at < ${msAgo(database, FORGOTTEN_MS)}`

/** The first half of the lock's key; the other half is the process. Arbitrary, but ours alone. */
const PROCESS_LOCK_CLASS = 0x707263

/**
 * Run when the listening connection is opened. Shared, so that it never waits: for the lock of the connection before, which
 * PostgreSQL may not have missed yet, or for another process with the same hash. A host that is gone without closing its
 * connections is noticed within 15 s.
 */
export const takeProcessLock = (processId: string) => `
  set tcp_keepalives_idle to 5; set tcp_keepalives_interval to 5; set tcp_keepalives_count to 2;
  select pg_advisory_lock_shared(${processLock(processId)})`

export const releaseProcessLock = (processId: string) => `select pg_advisory_unlock_shared(${processLock(processId)})`

const processLock = (processId: string) => `${PROCESS_LOCK_CLASS}, hashtext('${processId.replaceAll("'", "''")}')`

const holdsLock = (db: Queries) => db.part`
  exists (
    select from pg_locks
    where locktype = 'advisory' and granted and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())
      and classid::bigint = ${PROCESS_LOCK_CLASS}::bigint and objid::bigint = hashtext(processes.id)::bigint & 4294967295)`

/** Answers with how many locks were found missing for the first time. */
export const markLostProcesses = (db: Queries) =>
  db.run`update processes set lost_at = now() where has_lock and lost_at is null and not ${holdsLock(db)}`

/**
 * The processes that will not come back: the lock is missing, has been for a while, and there was no sign of life since. A process
 * of an earlier version holds no lock and is judged by its silence. Read before what they hold, which may be on other nodes; a
 * dead process stays dead.
 */
export const listDeadProcessIds = async (db: Queries): Promise<string[]> =>
  (
    await db.many<{ id: string }>`
      select id from processes
      where (not has_lock and seen_at <= ${msAgo(db, SILENT_MS_MAX)})
        or (has_lock and lost_at <= ${msAgo(db, LOST_MS_MAX)} and not ${holdsLock(db)})`
  ).map(({ id }) => id)
