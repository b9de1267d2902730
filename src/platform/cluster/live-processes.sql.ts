import type { Id } from '../../kernel/ids.ts'
import type { Database } from '../database/database.ts'

export type ProcessRow = {
  id: Id<'prc'>
  role: string
  host: string
  pid: number
  version: string
  /** Where others reach it. */
  publicUrl?: string | null
  startedAt: Date
  seenAt: Date
}

export const upsertProcess = (database: Database, row: ProcessRow) =>
  database.run`
    insert into processes (id, role, host, pid, version, public_url, started_at, seen_at)
    values (${row.id}, ${row.role}, ${row.host}, ${row.pid}, ${row.version}, ${row.publicUrl ?? null}, ${row.startedAt},
      ${row.seenAt})
    on conflict (id) do update set seen_at = excluded.seen_at`

export const countLiveProcesses = async (database: Database, { since }: { since: Date }) =>
  (
    await database.one<{ count: number }>`
      select count(*)::int as count from processes where seen_at > ${since} and role in ('all', 'api')`
  ).count

export const listLiveProcesses = (database: Database, { since }: { since: Date }) =>
  database.many<ProcessRow>`
    select id, role, host, pid, version, public_url as "publicUrl", started_at as "startedAt", seen_at as "seenAt"
    from processes where seen_at > ${since} order by id`

export const deleteProcess = (database: Database, id: Id<'prc'>) => database.run`delete from processes where id = ${id}`

/** Left behind by processes that died without a word. */
export const deleteSilentProcesses = (database: Database, { before }: { before: Date }) =>
  database.run`delete from processes where seen_at < ${before}`
